/*
 * unread.c - the table of formats that are known by sight and not read, so that a file in one of
 * them is refused by its name, and not for what some other format expects. See io.h.
 */
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "formats/io/io.h"

#define BLANKS " \t\n\v\f\r"

/*
 * marks       words that such a file begins with, after its comments and in any case, each with a
 *             blank or the end behind; "x*": anything may come behind
 * comments    what its lines of comments begin with, one character each
 * extensions  of formats that begin with anything; those count only where no format claims the file
 */
struct unread {
	const char *what, *marks, *comments, *extensions;
};

#define FACTOR_GRAPH "a factor graph of libDAI (.fg): write it as .uai, the last variable fastest"

static const struct unread table[] = {
	/* games */
	{"a game tree editor's file (.gte, .gbt)", "<gte*|<gambit:*", "", "gte|gbt"},
	/* constraints and costs */
	{"a source of toulbar2's cp2wcsp (.cp)", "", "", "cp"},
	{"a quantified formula (.qdimacs)", "", "", "qdimacs|qcnf"},
	{"a formula of SMT-LIB (.smt2)", "(set-*|(declare-*|(define-*|(assert", ";", "smt2|smt"},
	{"a MiniZinc model (.mzn, .fzn, .dzn)", "include|predicate|solve|array*|var", "%",
		"mzn|fzn|dzn"},
	{"an answer set program (.lp4, .asp)", "", "", "asp|lp4"},
	{"a planning problem (.pddl, .ppddl)", "(define", ";", "pddl|ppddl"},
	/* linear programs */
	{"a linear program of lp_solve (.lp; CPLEX's is read)", "min:|max:|/**", "", ""},
	{"a model of AMPL (.nl, .mod)", "", "", "nl|mod|ampl|gms"},
	{"a semidefinite program (.dat-s)", "", "", "dat-s"},
	/* probabilities */
	{"a Bayesian network of Hugin (.oobn, .hkb): save it as .net", "class", "%", "oobn|hkb"},
	{"a Bayesian network of GeNIe (.xdsl, .dsl): save it as .net by GeNIe or as .bif by "
	 "pyAgrum",
		"<smile*|net", "", "xdsl|dsl"},
	{"a Bayesian network of Microsoft (.dsc, .xbn): save it as .net by GeNIe",
		"belief network*|<ANALYSISNOTEBOOK*", "", "dsc|xbn"},
	{"a Bayesian network of Netica or Elvira (.dne, .elv): save it as .net", "bnet", "/",
		"dne|neta|elv"},
	{"a Bayesian network of OpenMarkov (.pgmx): save it as .net", "<ProbModelXML*", "", "pgmx"},
	{FACTOR_GRAPH, "", "", "fg"},
	/* graphs */
	{"a graph (PACE's .gr)", "p tw", "c", "gr"},
	{"a tree decomposition (PACE's .td; a .cov is read)", "s td", "c", "td|htd"},
	{"a graph (.dot)", "graph|digraph|strict", "/#", "dot|gv"},
	{"a graph (.graphml, .gexf, .gml)", "<graphml*|<gexf*|graph [*", "", "graphml|gexf|gml"},
	{"a hypergraph (.hgr, .hg)", "", "", "hgr|hg"},
	/* what holds other files */
	{"a zip archive: unpack it first", "PK\003\004*", "", "zip"},
	{"packed by lz4: unpack it first (gzip and xz are read)", "\004\042\115\030*", "", "lz4"},
	{"a 7z archive: unpack it first", "7z\274\257*", "", "7z"},
	{"a tar archive: unpack it first", "", "", "tar|tgz"},
	{"a PDF document", "%PDF*", "", "pdf"},
};

enum { N_UNREAD = sizeof(table) / sizeof(*table), SEEN_BYTES = 4096 };

static bool bears_mark(const char *text, const char *marks)
{
	while (*marks) {
		size_t n = strcspn(marks, "|");
		bool open = n > 1 && marks[n - 1] == '*';

		if (strncasecmp(text, marks, n - open) == 0 &&
			(open || !text[n] || strchr(BLANKS, text[n])))
			return true;
		marks += n + (marks[n] == '|');
	}
	return false;
}

/* The text past lines of comments. */
static const char *past_comments(const char *text, const char *comments)
{
	text += strspn(text, BLANKS);
	while (*text && strchr(comments, *text)) {
		text += strcspn(text, "\n");
		text += strspn(text, BLANKS);
	}
	return text;
}

/* Of XML, what comes after its head: the first element. */
static const char *first_element(const char *text)
{
	text += strspn(text, BLANKS);
	while (text[0] == '<' && (text[1] == '?' || text[1] == '!')) {
		text += strcspn(text, ">");
		text += *text == '>';
		text += strspn(text, BLANKS);
	}
	return text;
}

/* A .wcsp begins with its name, which may be any word, and four numbers. */
static bool is_wcsp(const char *text)
{
	text += strspn(text, BLANKS);
	text += strcspn(text, BLANKS);
	for (int k = 0; k < 4; k++) {
		size_t n;

		text += strspn(text, BLANKS);
		n = strspn(text, "0123456789");
		if (n == 0)
			return false;
		text += n;
	}
	return true;
}

/* A number, an empty line, and n of the first factor, n labels and n domains, a line each. */
static bool is_factor_graph(const char *text)
{
	long number = 0;
	char *end;

	text = past_comments(text, "#");
	for (long line = 0, n = 1; line < 4; line++) {
		for (long k = 0; k < n; k++, text = end) {
			number = strtol(text, &end, 10);
			if (end == text || memchr(text, '\n', strcspn(text, "0123456789")))
				return false;
		}
		text += strspn(text, " \t\r");
		if (*text++ != '\n' || (line == 0 && *text++ != '\n'))
			return false;
		n = line == 1 ? number : n;
	}
	return true;
}

static bool seems(const struct unread *u, const char *text)
{
	return bears_mark(first_element(text), u->marks) ||
	       bears_mark(past_comments(text, u->comments), u->marks);
}

/* What both text and name say, or the text alone, or the name alone. */
static const char *unread_format(const char *text, const char *path, bool by_name)
{
	const char *both = NULL, *seen = NULL, *named = NULL;
	const bool wcsp = is_wcsp(text);

	for (int i = N_UNREAD; i-- > 0;) {
		bool name = gpube__has_extension(path, table[i].extensions);
		bool mark = !wcsp && seems(&table[i], text);

		both = name && mark ? table[i].what : both;
		seen = mark ? table[i].what : seen;
		named = name && by_name ? table[i].what : named;
	}
	if (!both && !seen && is_factor_graph(text))
		return FACTOR_GRAPH;
	return both ? both : seen ? seen : named;
}

int gpube__in_refuse_unread(struct gpube_in *in, bool by_name)
{
	char text[SEEN_BYTES + 1];
	const char *what;

	text[gpube__in_peek(in, text, SEEN_BYTES)] = 0;
	if (in->status)
		return in->status;
	what = unread_format(text, in->path, by_name);
	if (what) { /* what to do about it stands behind a colon */
		const int n = (int)strcspn(what, ":");

		in->status = gpube__fail(in->ctx, GPUBE_EINVAL, "'%s' is %.*s, which is not read%s",
			in->path, n, what, what + n);
	}
	return in->status;
}
