/*
 * sniff.c - what the first bytes of a file say about its format. See registry.h.
 *
 * No format has a magic number, so each is told by what only it begins with.
 */
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "formats/common/reading.h"
#include "formats/common/registry.h"

#define BLANKS " \t\n\v\f\r"

/* ---- contents -------------------------------------------------------------------------- */

static bool begins_network(const char *text)
{
	size_t n;

	text = gpube__skip_comments(text);
	n = strcspn(text, BLANKS);
	return (n == 6 && strncasecmp(text, "MARKOV", 6) == 0) ||
	       (n == 5 && strncasecmp(text, "BAYES", 5) == 0);
}

/* Where only the name does not tell the two apart, a number below 0 does: no potential is one. */
static bool has_logs(const char *text, const char *path)
{
	if (gpube__has_extension(path, "uai"))
		return false;
	if (gpube__has_extension(path, "lg"))
		return true;
	for (text = gpube__skip_comments(text); *text; text = gpube__skip_comments(text)) {
		if (text[0] == '-' && text[1] && strchr(".0123456789i", text[1]))
			return true;
		text += strcspn(text, BLANKS);
	}
	return false;
}

bool gpube__sniff_uai(const char *text, size_t n, const char *path)
{
	(void)n;
	return begins_network(text) && !has_logs(text, path);
}

bool gpube__sniff_lg(const char *text, size_t n, const char *path)
{
	(void)n;
	return begins_network(text) && has_logs(text, path);
}

bool gpube__sniff_cfn(const char *text, size_t n, const char *path)
{
	(void)n;
	(void)path;
	return *gpube__skip_comments(text) == '{';
}

bool gpube__begins_wcsp(const char *text)
{
	size_t n;
	bool is_number;

	text += strspn(text, BLANKS);
	n = strcspn(text, BLANKS);
	is_number = strspn(text, "0123456789") == n;
	for (int k = 0; k < 4; k++) {
		text += n;
		text += strspn(text, is_number ? " \t" : BLANKS);
		n = strspn(text, "0123456789");
		if (n == 0 || (text[n] && !strchr(BLANKS, text[n])))
			return false;
	}
	return true;
}

/* ---- DIMACS ---------------------------------------------------------------------------- */

/* Is the line "p KIND", after comments? */
static bool has_p_line(const char *text, const char *kind)
{
	size_t n = strlen(kind);

	text = gpube__dimacs_skip(text);
	if (text[0] != 'p' || (text[1] != ' ' && text[1] != '\t'))
		return false;
	text += 1 + strspn(text + 1, " \t");
	return strncmp(text, kind, n) == 0 && (!text[n] || strchr(BLANKS, text[n]));
}

/* The integers of a line: how many (-1: something else is there, too), and the last. */
static int count_integers(const char *line, long *first, long *last)
{
	int n = 0;

	for (line += strspn(line, " \t"); *line && *line != '\n' && *line != '\r'; n++) {
		char *end;

		*last = strtol(line, &end, 10);
		if (end == line || (*end && !strchr(BLANKS, *end)))
			return -1;
		if (n == 0)
			*first = *last;
		line = end + strspn(end, " \t");
	}
	return n;
}

/* A clause without a line 'p' before: 'h 1 -2 0', or integers from a weight to 0. */
static bool is_clause(const char *line)
{
	bool hard = line[0] == 'h' && (line[1] == ' ' || line[1] == '\t');
	long first = 0, last = -1;
	int n = count_integers(line + hard, &first, &last);

	return last == 0 && (hard ? n >= 1 : n >= 3 && first > 0);
}

bool gpube__sniff_wcnf(const char *text, size_t n, const char *path)
{
	(void)n;
	(void)path;
	return has_p_line(text, "wcnf") || is_clause(gpube__dimacs_skip(text));
}

bool gpube__sniff_cnf(const char *text, size_t n, const char *path)
{
	(void)n;
	(void)path;
	return has_p_line(text, "cnf");
}

bool gpube__sniff_col(const char *text, size_t n, const char *path)
{
	(void)n;
	(void)path;
	return has_p_line(text, "edge") || has_p_line(text, "col") || has_p_line(text, "edges");
}

/* ---- formats that begin with numbers, as a .wcsp may ------------------------------------ */

/* Two integers alone on the first line, then two and a real. */
bool gpube__sniff_qpbo(const char *text, size_t n, const char *path)
{
	long first = 0, last = 0;
	const char *line;

	(void)n;
	(void)path;
	text += strspn(text, BLANKS);
	if (count_integers(text, &first, &last) != 2)
		return false;
	line = text + strcspn(text, "\n");
	line += *line == '\n';
	for (int k = 0; k < 2; k++) {
		line += strspn(line, " \t");
		if (!strspn(line, "123456789"))
			return false;
		line += strspn(line, "0123456789");
	}
	line += strspn(line, " \t");
	line += strspn(line, "0123456789+-.eE");
	line += strspn(line, " \t\r");
	return *line == '\n' || !*line;
}

bool gpube__sniff_erg(const char *text, size_t n, const char *path)
{
	(void)n;
	(void)path;
	return strstr(text, "/* Probabilities") != NULL;
}

/* Of XMLBIF, whose head may hold all of its grammar. */
bool gpube__sniff_xmlbif(const char *text, size_t n, const char *path)
{
	(void)n;
	(void)path;
	if (text[strspn(text, BLANKS)] != '<' || !(text = strstr(text, "<BIF")))
		return false;
	return text[4] == '>' || (text[4] && strchr(BLANKS, text[4]));
}

/* ---- XML ------------------------------------------------------------------------------------ */

bool gpube__sniff_xml(const char *text, size_t n, const char *path)
{
	(void)n;
	(void)path;
	text += strspn(text, BLANKS);
	return strncmp(text, "<?xml", 5) == 0 || strncmp(text, "<instance", 9) == 0 ||
	       strncmp(text, "<!--", 4) == 0;
}

/* ---- Bayesian networks in blocks ----------------------------------------------------------- */

static const char *skip_cpp_comments(const char *text)
{
	for (;;) {
		text += strspn(text, BLANKS);
		if (text[0] != '/' || (text[1] != '/' && text[1] != '*'))
			return text;
		if (text[1] == '/') {
			text += strcspn(text, "\n");
		} else {
			const char *end = strstr(text + 2, "*/");

			text = end ? end + 2 : text + strlen(text);
		}
	}
}

/* The word network or variable, a name and a brace: a .wcsp's name may be that word, too. */
bool gpube__sniff_bif(const char *text, size_t n, const char *path)
{
	(void)n;
	(void)path;
	text = skip_cpp_comments(text);
	n = strcspn(text, BLANKS "{\"/");
	if ((n != 7 || memcmp(text, "network", n) != 0) &&
		(n != 8 || memcmp(text, "variable", n) != 0))
		return false;
	text = skip_cpp_comments(text + n);
	if (*text == '"')
		return true;
	text += strcspn(text, BLANKS "{");
	return *skip_cpp_comments(text) == '{';
}

/* Hugin's word net and a brace, behind comments. */
bool gpube__sniff_net(const char *text, size_t n, const char *path)
{
	(void)n;
	(void)path;
	for (text += strspn(text, BLANKS); *text == '%'; text += strspn(text, BLANKS))
		text += strcspn(text, "\n");
	return strncmp(text, "net", 3) == 0 && text[3 + strspn(text + 3, BLANKS)] == '{';
}

/* ---- pseudo-Boolean problems --------------------------------------------------------- */

/* "+1 x1" or "-2 ~x3": an integer, blanks, and a variable. */
static bool begins_term(const char *text)
{
	size_t n;

	text += *text == '+' || *text == '-';
	n = strspn(text, "0123456789");
	if (n == 0 || !text[n] || !strchr(BLANKS, text[n]))
		return false;
	text += n + strspn(text + n, BLANKS);
	return text[*text == '~'] == 'x';
}

/* A linear program may begin with the same words, and an .mps with the same comments. */
bool gpube__sniff_opb(const char *text, size_t n, const char *path)
{
	(void)n;
	text += strspn(text, BLANKS);
	if (gpube__has_extension(path, "lp"))
		return false;
	while (*text == '*') {
		if (strncmp(text + 1 + strspn(text + 1, " "), "#variable=", 10) == 0)
			return true;
		text += strcspn(text, "\n");
		text += strspn(text, BLANKS);
	}
	if (strncmp(text, "soft:", 5) == 0)
		return true;
	if (strncmp(text, "min:", 4) == 0 || strncmp(text, "max:", 4) == 0) {
		text += 4;
		text += strspn(text, BLANKS);
		return *text == ';' || begins_term(text);
	}
	return begins_term(text);
}

/* ---- integer programs ---------------------------------------------------------------- */

/*
 * The word that tells the direction, after comments; a .wcsp of that name goes on with four
 * numbers.
 */
bool gpube__sniff_lp(const char *text, size_t n, const char *path)
{
	static const char *const words[] = {"minimize", "minimise", "minimum", "min", "maximize",
		"maximise", "maximum", "max", NULL};
	int k = 0, numbers = 0;

	(void)path;
	text += strspn(text, BLANKS);
	while (*text == '\\') {
		text += strcspn(text, "\n");
		text += strspn(text, BLANKS);
	}
	n = strcspn(text, BLANKS "\\");
	while (words[k] && (strlen(words[k]) != n || strncasecmp(text, words[k], n) != 0))
		k++;
	if (!words[k])
		return false;
	for (text += n; numbers < 4; numbers++) {
		text += strspn(text, BLANKS);
		n = strspn(text, "0123456789");
		if (n == 0 || (text[n] && !strchr(BLANKS, text[n])))
			return true;
		text += n;
	}
	return false;
}

/*
 * A section's name that begins a line, behind comments: that of the first, or of the one behind the
 * program's name.
 */
bool gpube__sniff_mps(const char *text, size_t n, const char *path)
{
	(void)n;
	(void)path;
	for (int k = 0; k < 2; k++) {
		while (*text == '*' || *text == '\n' || *text == '\r') {
			text += strcspn(text, "\n");
			text += *text == '\n';
		}
		if (strncmp(text, "ROWS", 4) == 0 || strncmp(text, "OBJSENSE", 8) == 0)
			return true;
		if (strncmp(text, "NAME", 4) != 0)
			return false;
		text += strcspn(text, "\n");
		text += *text == '\n';
	}
	return false;
}

/* ---- YAML ----------------------------------------------------------------------------------- */

/* A line that begins with one of a problem's keys and a colon. */
bool gpube__sniff_yaml(const char *text, size_t n, const char *path)
{
	static const char *const keys[] = {"name", "objective", "description", "domains",
		"variables", "constraints", "agents", "external_variables", NULL};

	(void)n;
	(void)path;
	while (*text) {
		for (int k = 0; keys[k]; k++) {
			size_t length = strlen(keys[k]);

			if (strncmp(text, keys[k], length) == 0 &&
				text[length + strspn(text + length, " ")] == ':')
				return true;
		}
		/* only comments, a document's head and empty lines may stand before */
		if (!strchr("#-%\r\n", *text))
			return false;
		text += strcspn(text, "\n");
		text += *text == '\n';
	}
	return false;
}

/* ---- games ----------------------------------------------------------------------------------- */

/* What goes with a model, by its name. */
#define BESIDE "ub|order|ord|elim|cov|dec|evid|query"
#define RESULT "sol|PR|MAR|MPE|MMAP"

/* Two integers alone on the first line, and no .qpbo: input of lrsnash. */
bool gpube__sniff_lrs(const char *text, size_t n, const char *path)
{
	long first = 0, last = 0;

	(void)n;
	text += strspn(text, BLANKS);
	return count_integers(text, &first, &last) == 2 && first > 0 && last > 0 &&
	       !gpube__has_extension(path, BESIDE "|" RESULT);
}

/* A line of 2, the players, then one of two numbers of actions: GAMUT's GTOutput, .gam. */
bool gpube__sniff_gam(const char *text, size_t n, const char *path)
{
	long first = 0, last = 0;

	(void)n;
	text += strspn(text, BLANKS);
	if (count_integers(text, &first, &last) != 1 || first != 2 ||
		gpube__has_extension(path, BESIDE "|" RESULT))
		return false;
	text += strcspn(text, "\n");
	text += *text == '\n';
	return count_integers(text, &first, &last) == 2;
}

bool gpube__sniff_two_player(const char *text, size_t n, const char *path)
{
	(void)n;
	(void)path;
	return *gpube__skip_comments(text) == '(';
}

bool gpube__sniff_simple(const char *text, size_t n, const char *path)
{
	(void)n;
	(void)path;
	return *gpube__skip_comments(text) == '[';
}

static bool begins_with_word(const char *text, const char *word)
{
	size_t n = strlen(word);

	return strncmp(text, word, n) == 0 && text[n] && strchr(BLANKS, text[n]);
}

bool gpube__sniff_nfg(const char *text, size_t n, const char *path)
{
	(void)n;
	(void)path;
	return begins_with_word(gpube__skip_comments(text), "NFG");
}

/* "EFG 2 R", which no .wcsp of that name begins with: four numbers would come. */
bool gpube__sniff_efg(const char *text, size_t n, const char *path)
{
	(void)n;
	(void)path;
	text = gpube__skip_comments(text);
	if (!begins_with_word(text, "EFG"))
		return false;
	text += 3;
	text += strspn(text, BLANKS);
	text += *text == '2';
	text += strspn(text, BLANKS);
	return *text == 'R' || *text == 'D';
}

bool gpube__sniff_agg(const char *text, size_t n, const char *path)
{
	(void)n;
	(void)path;
	text += strspn(text, BLANKS);
	return begins_with_word(text, "#AGG") || begins_with_word(text, "#BAGG");
}

/* Whether one number stands alone on its line: the number of players, of GTOutput. */
static bool one_number(const char *text)
{
	text += strcspn(text, BLANKS);
	text += strspn(text, " \t\v\f\r");
	return *text == '\n' || *text == 0;
}

/*
 * A comment may be longer than what can be seen at once; then its mark decides,
 * which the two formats with comments do not share.
 */
enum gpube_format gpube__guess_game(const char *text)
{
	const char *begin = gpube__skip_comments(text);

	if (*begin == 0)
		begin = text + strspn(text, BLANKS);
	if (strncmp(begin, "NFG", 3) == 0)
		return GPUBE_FORMAT_NFG;
	if (strncmp(begin, "EFG", 3) == 0)
		return GPUBE_FORMAT_EFG;
	if (*begin == '(' || *begin == '/')
		return GPUBE_FORMAT_TWO_PLAYER;
	if (*begin == '[' || *begin == '#')
		return GPUBE_FORMAT_SIMPLE;
	return one_number(begin) && *begin ? GPUBE_FORMAT_GAM : GPUBE_FORMAT_LRS;
}

/* ---- what holds no model --------------------------------------------------------------------- */

/* The task alone on its line, and then a number. */
static bool is_result(const char *text)
{
	static const char *const tasks[] = {"PR", "MAR", "MPE", "MAP", "MMAP"};

	size_t k = 0, n = sizeof(tasks) / sizeof(*tasks);

	while (k < n && !begins_with_word(text, tasks[k]))
		k++;
	if (k == n)
		return false;
	text += strlen(tasks[k]);
	text += strspn(text, " \t\r");
	if (*text != '\n')
		return false;
	text += strspn(text, BLANKS);
	return *text && strchr("-.0123456789", *text);
}

enum gpube_content gpube__sniff_content(const char *text, const char *path)
{
	text += strspn(text, BLANKS);
	if (gpube__has_extension(path, BESIDE))
		return GPUBE_CONTENT_SIDECAR;
	if (is_result(text) || gpube__has_extension(path, RESULT))
		return GPUBE_CONTENT_RESULT;
	return GPUBE_CONTENT_MODEL;
}
