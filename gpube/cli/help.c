/* help.c - --help and the man pages, made from the command and option tables. */
#define _POSIX_C_SOURCE 200809L

#include <signal.h>
#include <string.h>

#include "gpube/cli/cli.h"

#define COLUMNS 80

/* Prints words of [text, end) from column 'at' on, wrapped; lines begin at 'indent'. */
static void wrap(const char *text, const char *end, int at, int indent)
{
	bool first = true;

	while (text < end) {
		size_t n = 0;

		while (text + n < end && text[n] != ' ' && text[n] != '\n')
			n++;
		if (!first && at + 1 + (int)n > COLUMNS) {
			printf("\n%*s", indent, "");
			at = indent;
			first = true;
		}
		at += printf("%s%.*s", first ? "" : " ", (int)n, text);
		first = false;
		for (text += n; text < end && (*text == ' ' || *text == '\n');)
			text++;
	}
	putchar('\n');
}

/* The end of the paragraph at 'text'; *next: the start of the one after it, or the end. */
static const char *paragraph(const char *text, const char **next)
{
	const char *end = strstr(text, "\n\n");

	if (!end)
		end = text + strlen(text);
	for (*next = end; **next == '\n';)
		++*next;
	return end;
}

/* The next line of 'text', which moves on; NULL at the end. */
static const char *line_of(const char **text, int *length)
{
	const char *line = *text;

	if (!line || !*line)
		return NULL;
	*length = (int)strcspn(line, "\n");
	*text = line + *length + (line[*length] == '\n');
	return line;
}

/* "help (0 to 12; default 0)" into 'text'; the ends of a type are no range worth telling. */
static void explain(const struct command *c, const struct opt_row *row, char *text, size_t size)
{
	bool number = row->type == OPT_INT || row->type == OPT_REAL;
	char range[64] = "", dflt[64] = "";

	if (number && row->hi < INT32_MAX)
		snprintf(range, sizeof(range), "%lld to %lld", (long long)row->lo,
			(long long)row->hi);
	else if (number && row->lo != 0)
		snprintf(range, sizeof(range), "at least %lld", (long long)row->lo);
	if (row->dflt)
		snprintf(dflt, sizeof(dflt), "default %s%s", row->dflt,
			!strcmp(row->field, "output") && opts_find(c, "output_file", NULL)
				? ", or as FILE's name ends"
				: "");
	if (*range || *dflt)
		snprintf(text, size, "%s (%s%s%s)", row->help, range, *range && *dflt ? "; " : "",
			dflt);
	else
		snprintf(text, size, "%s", row->help);
}

/*
 * A value's words, a|b|c; a list that passes the line goes on in the next one. Returns the column.
 */
static int argument_words(const char *words, int at)
{
	const int first = at + 1;

	at += printf(" ");
	while (*words) {
		const int n = (int)strcspn(words, "|") + (words[strcspn(words, "|")] == '|');

		if (at + n > 80)
			at = printf("\n%*s", first, "") - 1;
		at += printf("%.*s", n, words);
		words += n;
	}
	return at;
}

static void help_options(const struct command *c)
{
	const struct opt_group *group, *before = NULL;
	const struct opt_row *row;
	char text[512];
	int k, at;

	for (k = 0; (row = opts_row(c, k, &group)); k++) {
		if (group != before)
			printf("\n%s:\n", group->heading);
		before = group;
		if (row->letter)
			at = printf("  -%c, --%s", row->letter, opts_name(row));
		else
			at = printf("      --%s", opts_name(row));
		if (row->argument)
			at = argument_words(row->argument, at);
		printf("%s%*s", at > 27 ? "\n" : "", at > 27 ? 29 : 29 - at, "");
		explain(c, row, text, sizeof(text));
		wrap(text, text + strlen(text), 29, 29);
	}
}

/* Extensions and what they are. */
static void help_files(const char *text)
{
	const char *line;
	int length, at;

	puts("\nFiles, also compressed as .gz, .xz, .bz2 or .zst:");
	while ((line = line_of(&text, &length))) {
		at = printf("  %.*s", length, line);
		printf("%s%*s", at > 27 ? "\n" : "", at > 27 ? 29 : 29 - at, "");
		if ((line = line_of(&text, &length)))
			wrap(line, line + length, 29, 29);
	}
}

static void help_program(void)
{
	const struct command *const *c;

	puts("usage: gpube COMMAND [options] [arguments]\n\n"
	     "Exact optimisation of weighted constraint problems and graphical models by\n"
	     "tables.\n\nCommands:");
	for (c = cli_commands; *c; c++)
		printf("  %-12s %s\n", (*c)->name, (*c)->summary);
	puts("\n'gpube help COMMAND' or 'gpube COMMAND --help' says more, with --json for "
	     "programs;\n"
	     "'gpube --version' tells the version.");
}

void cli_help(const struct command *c)
{
	const char *text, *next, *line;
	int length;

	/* a reader who has seen enough, as 'head' has, ends it without a word: nothing is lost */
	signal(SIGPIPE, SIG_DFL);
	if (!c) {
		help_program();
		return;
	}
	printf("usage: %s%s [options]%s%s\n", cli_prefix, c->name, *c->arguments ? " " : "",
		c->arguments);
	for (text = c->description; *text; text = next) {
		const char *end = paragraph(text, &next);

		putchar('\n');
		wrap(text, end, 0, 0);
	}
	help_options(c);
	if (c->files)
		help_files(c->files);
	if (!c->examples)
		return;
	puts("\nExamples:");
	for (text = c->examples; (line = line_of(&text, &length));) {
		printf("  %.*s\n", length, line);
		line = line_of(&text, &length);
		printf("      %.*s\n", line ? length : 0, line ? line : "");
	}
}

/* ---- man pages --------------------------------------------------------------------- */

/* Text as roff takes it: '-' and '\' escaped, a leading '.' or '\'' made harmless. */
static void roff(const char *text, int length)
{
	int i;

	if (length > 0 && (text[0] == '.' || text[0] == '\''))
		fputs("\\&", stdout);
	for (i = 0; i < length; i++) {
		if (text[i] == '\\')
			fputs("\\e", stdout);
		else if (text[i] == '-')
			fputs("\\-", stdout);
		else if (text[i] == '|')
			fputs("|\\:", stdout); /* a long list of words may go on in the next line */
		else
			putchar(text[i]);
		if (text[i] == '\n' && i + 1 < length &&
			(text[i + 1] == '.' || text[i + 1] == '\''))
			fputs("\\&", stdout);
	}
}

static void roff_text(const char *text)
{
	roff(text, (int)strlen(text));
}

static void roff_paragraphs(const char *text)
{
	const char *next;

	for (; *text; text = next) {
		const char *end = paragraph(text, &next);

		puts(".PP");
		roff(text, (int)(end - text));
		putchar('\n');
	}
}

static void man_options(const struct command *c)
{
	const struct opt_group *group, *before = NULL;
	const struct opt_row *row;
	char text[512];
	int k;

	puts(".SH OPTIONS");
	for (k = 0; (row = opts_row(c, k, &group)); k++) {
		if (group != before && k > 0)
			printf(".SS %s\n", group->heading);
		before = group;
		fputs(".TP\n", stdout);
		if (row->letter)
			printf("\\fB\\-%c\\fR, ", row->letter);
		fputs("\\fB\\-\\-", stdout);
		roff_text(opts_name(row));
		fputs("\\fR", stdout);
		if (row->argument) {
			fputs(" \\fI", stdout);
			roff_text(row->argument);
			fputs("\\fR", stdout);
		}
		putchar('\n');
		explain(c, row, text, sizeof(text));
		roff_text(text);
		putchar('\n');
	}
	puts(".SS Help\n.TP\n\\fB\\-h\\fR, \\fB\\-\\-help\\fR\nprint a summary of this page; with "
	     "\\fB\\-\\-json\\fR the options as JSON");
}

/* Pairs of lines: what is meant, and what is said of it. */
static void man_pairs(const char *heading, const char *text)
{
	const char *line;
	int length;

	printf(".SH %s\n", heading);
	while ((line = line_of(&text, &length))) {
		fputs(".TP\n\\fB", stdout);
		roff(line, length);
		puts("\\fR");
		if ((line = line_of(&text, &length)))
			roff(line, length);
		putchar('\n');
	}
}

static void man_end(void)
{
	puts(".SH EXIT STATUS\n"
	     ".TP\n"
	     "0\n"
	     "The work is done; that a problem has no solution is a result, too.\n"
	     ".TP\n"
	     "1\n"
	     "It failed, or was stopped before the end; of bound, csg and auction, which end\n"
	     "with bounds then, before they had any.\n"
	     ".TP\n"
	     "2\n"
	     "The command line is wrong.");
}

static void man_program(void)
{
	const struct command *const *c;

	puts(".TH GPUBE 1 \"\" \"gpube " GPUBE_VERSION "\" \"User Commands\"\n"
	     ".SH NAME\n"
	     "gpube \\- exact optimisation of weighted constraint problems by tables\n"
	     ".SH SYNOPSIS\n"
	     ".B gpube\n\\fICOMMAND\\fR [\\fIoptions\\fR] [\\fIarguments\\fR]\n"
	     ".SH COMMANDS");
	for (c = cli_commands; *c; c++) {
		printf(".TP\n\\fBgpube\\-%s\\fR(1)\n", (*c)->name);
		roff_text((*c)->summary);
		putchar('\n');
	}
	man_end();
	puts(".SH ENVIRONMENT\n"
	     ".TP\n"
	     ".B OMP_NUM_THREADS\n"
	     "Threads where \\fB\\-\\-threads\\fR does not say; by default one for each core.\n"
	     ".TP\n"
	     ".B GPUBE_CUDA\n"
	     "The file of the CUDA backend; by default libgpube\\-cuda.so beside the program or "
	     "in ../lib.\n"
	     ".TP\n"
	     ".B GPUBE_CLP\n"
	     "The file of Clp, a library of linear programming, for linear relaxations, or none; "
	     "by default the system's, if it has one.\n"
	     ".TP\n"
	     ".B GPUBE_LAPACK\n"
	     "The file of a library with LAPACK and BLAS for semidefinite bounds, or none; by "
	     "default "
	     "the system's, if it has one.\n"
	     ".TP\n"
	     ".B CUDA_VISIBLE_DEVICES\n"
	     "The devices that there are for the program, and their numbers.\n"
	     ".TP\n"
	     ".B NO_COLOR\n"
	     "Set to anything, it keeps colours from a terminal.\n"
	     ".TP\n"
	     ".B TERM\n"
	     "A terminal that is dumb has lines in place of the status line, and no colours.\n"
	     ".TP\n"
	     ".B COLUMNS\n"
	     "The status line is never wider, nor wider than the terminal.\n"
	     ".TP\n"
	     ".B TMPDIR\n"
	     "Where temporary files are made; by default /tmp.\n"
	     ".TP\n"
	     ".B XDG_CACHE_HOME\n"
	     "Where gpube/rates keeps what \\fBgpube devices \\-\\-measure\\fR measured; by "
	     "default ~/.cache.");
	puts(".SH SEE ALSO\n\\fBgpube\\-mpi\\fR(1), \\fBtb2\\-gpube\\fR(1), "
	     "\\fBdaoopt\\-gpube\\fR(1), \\fBgpube\\fR(3), \\fBgpube\\-json\\fR(5)");
}

void cli_man(const struct command *c)
{
	if (!c) {
		man_program();
		return;
	}
	fputs(".TH GPUBE\\-", stdout);
	for (const char *p = c->name; *p; p++)
		putchar(*p >= 'a' && *p <= 'z' ? *p - 'a' + 'A' : *p);
	puts(" 1 \"\" \"gpube " GPUBE_VERSION "\" \"User Commands\"");
	printf(".SH NAME\ngpube\\-%s \\- ", c->name);
	roff_text(c->summary);
	printf("\n.SH SYNOPSIS\n.B gpube %s\n[\\fIoptions\\fR] %s\n.SH DESCRIPTION\n", c->name,
		c->arguments);
	roff_paragraphs(c->description);
	man_options(c);
	if (c->files)
		man_pairs("FILES", c->files);
	if (c->examples)
		man_pairs("EXAMPLES", c->examples);
	man_end();
	puts(".SH SEE ALSO\n\\fBgpube\\fR(1), \\fBgpube\\fR(3), \\fBgpube\\-json\\fR(5)");
}
