/* opts.c - command lines to option structs, by the tables of opts.h. */
#include <assert.h>
#include <getopt.h>
#include <stdio.h>
#include <string.h>

#include "formats/io/io.h"
#include "gpube/cli/cli.h"
#include "gpube/options/options.h"

/* ---- values ---------------------------------------------------------------- */

/*
 * What took the place of a value that --method of solve, bound and reparam had once; NULL: nothing.
 */
static const char *in_place_of(const struct opt_row *row, const char *text)
{
	static const char *const was[][2] = {{"shift", "arc"}, {"patches", "pairwise"},
		{"sweep", "andor"}, {"joins", "ascent"}, {"regions", "ascent --regions nested"},
		{"clusters", "ascent --regions nested"}};

	for (size_t k = 0; k < sizeof(was) / sizeof(*was); k++)
		if (!strcmp(row->field, "method") && strstr(row->argument, "pairwise") &&
			!strcmp(text, was[k][0]))
			return was[k][1];
	return NULL;
}

/* The row as the library's parser of texts knows it. */
static struct gpube__opt as_library(const struct opt_row *row)
{
	static const enum gpube__opt_type types[] = {[OPT_FLAG] = GPUBE__OPT_FLAG,
		[OPT_INT] = GPUBE__OPT_LONG,
		[OPT_REAL] = GPUBE__OPT_REAL,
		[OPT_SIZE] = GPUBE__OPT_SIZE,
		[OPT_TIME] = GPUBE__OPT_TIME,
		[OPT_TEXT] = GPUBE__OPT_TEXT,
		[OPT_OUT] = GPUBE__OPT_OUT,
		[OPT_LIST] = GPUBE__OPT_LIST,
		[OPT_CHOICE] = GPUBE__OPT_CHOICE};

	return (struct gpube__opt){
		.type = types[row->type], .lo = row->lo, .hi = row->hi, .argument = row->argument};
}

/* Whether 'text' is a value of the row, which then is in *to. */
static bool parse_value(const struct opt_row *row, const char *text, void *to)
{
	const struct gpube__opt one = as_library(row);
	struct opt_list *list = to;

	switch (row->type) {
	case OPT_FLAG:
		++*(int *)to;
		return true;
	case OPT_LIST:
		list->texts[list->n++] = text;
		return true;
	default:
		return gpube__opt_parse(to, &one, text);
	}
}

/* What a row's value may be, in words. */
static const char *expectation(const struct opt_row *row, char text[GPUBE__EXPECTATION])
{
	const struct gpube__opt one = as_library(row);

	return gpube__opt_expectation(&one, text);
}

static void *field_of(const struct opt_row *row, const struct opt_group *group, void *opts)
{
	return (char *)opts + group->at + row->at;
}

size_t opts_room(const struct command *c, int argc)
{
	const struct opt_row *row;
	size_t n_lists = 0;

	for (int k = 0; (row = opts_row(c, k, NULL)); k++)
		n_lists += row->type == OPT_LIST;
	return c->opts_size + n_lists * (size_t)argc * sizeof(const char *);
}

static void set_defaults(const struct command *c, void *opts, int argc)
{
	const char **lists = (const char **)((char *)opts + c->opts_size);
	const struct opt_group *group;
	const struct opt_row *row;
	int k;

	memset(opts, 0, c->opts_size);
	for (k = 0; (row = opts_row(c, k, &group)); k++) {
		bool ok = !row->dflt || parse_value(row, row->dflt, field_of(row, group, opts));

		assert(ok);
		(void)ok;
		if (row->type == OPT_LIST) {
			((struct opt_list *)field_of(row, group, opts))->texts = lists;
			lists += argc;
		}
	}
}

/* ---- mistakes ---------------------------------------------------------------- */

static void see_help(const struct command *c)
{
	if (!cli_muted)
		fprintf(stderr, "see '%s%s --help'\n", cli_prefix, c->name);
}

/* An option that the command has not: 'name' without its dashes, up to an '='. */
static void unknown_option(
	const struct command *c, const char *dashes, const char *name, int length)
{
	char like[64];

	if (opts_nearest(like, c, name))
		cli_error("unknown option '%s%.*s', did you mean '--%s'?", dashes, length, name,
			like);
	else
		cli_error("unknown option '%s%.*s' of '%s%s%s'", dashes, length, name, c->name,
			*c->arguments ? " " : "", c->arguments);
}

/* getopt_long has refused the long option in 'word': unknown, or short for several. */
static void bad_long(const struct command *c, const char *word)
{
	const char *name = word + 2;
	char several[256] = "";
	const struct opt_row *row;
	int n_like = 0;
	const size_t length = strcspn(name, "=");

	for (int k = 0; (row = opts_row(c, k, NULL)); k++) {
		const char *candidate = opts_name(row);
		const size_t used = strlen(several);

		if (!strncmp(candidate, name, length))
			snprintf(several + used, sizeof(several) - used, "%s--%s",
				n_like++ ? ", " : "", candidate);
	}
	if (n_like > 1)
		cli_error("option '--%.*s' is ambiguous: %s", (int)length, name, several);
	else
		unknown_option(c, "--", name, (int)length);
}

/*
 * The same of a letter, which may stand in front of a word that is meant for a long option:
 * "-timer=10", as toulbar2 and many others have them.
 */
static void bad_short(const struct command *c, int argc, char **argv, int letter)
{
	const char name[] = {(char)letter, 0};
	char like[64];

	/* getopt_long goes on from a word once it is at its end */
	for (int k = optind < argc ? optind : optind - 1; k >= optind - 1 && k > 0; k--) {
		const char *word = argv[k];
		const size_t length = strcspn(word, "=");

		if (word[0] == '-' && letter == '=' &&
			word[length]) { /* "-v=1", of which v is one */
			unknown_option(c, "-", word + 1, (int)strlen(word) - 1);
			return;
		}
		if (word[0] == '-' && word[1] == letter && length > 2 &&
			opts_nearest(like, c, word + 1)) {
			unknown_option(c, "-", word + 1, (int)length - 1);
			return;
		}
	}
	unknown_option(c, "-", name, 1);
}

/* The row that getopt_long calls 'code': LONG + its index, or its letter. */
#define LONG 256

static const struct opt_row *row_of_code(
	const struct command *c, int code, const struct opt_group **group)
{
	const struct opt_row *row;
	int k;

	for (k = 0; (row = opts_row(c, k, group)); k++)
		if (code == LONG + k || (code && code == row->letter))
			break;
	return row;
}

/* Says what getopt_long disliked; 'refused' is what it returned: '?' or ':'. */
static int bad_option(const struct command *c, int argc, char **argv, int refused)
{
	const struct opt_row *row = row_of_code(c, optopt, NULL);
	char expected[GPUBE__EXPECTATION];

	if (row && refused == ':')
		cli_error("--%s: expected %s, found nothing", opts_name(row),
			expectation(row, expected));
	else if (row || optopt == 'h')
		cli_error("--%s takes no value", row ? opts_name(row) : "help");
	else if (optopt)
		bad_short(c, argc, argv, optopt);
	else
		bad_long(c, argv[optind - 1]);
	see_help(c);
	return OPTS_BAD;
}

/* ---- the command line ---------------------------------------------------------- */

/*
 * Where --output is not given, the name of the result's file says its form, if its last word
 * (before .gz or .xz) is one of --output's: best.sol is no report for people. Files of the UAI
 * competitions are named by their task.
 */
static void form_by_name(const struct command *c, void *opts)
{
	const struct opt_group *group = NULL, *file_group = NULL;
	const struct opt_row *form = opts_find(c, "output", &group),
			     *file = opts_find(c, "output_file", &file_group);
	const char *name = form && file ? *(const char **)field_of(file, file_group, opts) : NULL;
	size_t end = name ? gpube__unpacked_length(name) : 0, begin = end;
	char word[16];

	while (begin > 0 && name[begin - 1] != '.')
		begin--;
	if (begin == 0)
		return;
	snprintf(word, sizeof(word), "%.*s", (int)(end - begin), name + begin);
	if (gpube__has_extension(name, "PR|MAR|MPE|MMAP"))
		strcpy(word, "uai");
	if (gpube__opt_word(form->argument, word) >= 0)
		parse_value(form, word, field_of(form, group, opts));
}

int opts_parse(const struct command *c, void *opts, int argc, char **argv)
{
	struct option table[OPTS_MAX + 2];
	static char names[OPTS_MAX][64]; /* the table keeps pointers to them */
	char letters[2 * OPTS_MAX + 3] = ":h", *l = letters + 2;
	const struct opt_group *group;
	const struct opt_row *row;
	char expected[GPUBE__EXPECTATION];
	bool form_given = false;
	int n, got;

	set_defaults(c, opts, argc);
	for (n = 0; (row = opts_row(c, n, NULL)); n++) {
		assert(n < OPTS_MAX);
		snprintf(names[n], sizeof(names[n]), "%s", opts_name(row));
		table[n] = (struct option){names[n],
			row->type == OPT_FLAG ? no_argument : required_argument, NULL, LONG + n};
		if (row->letter) {
			*l++ = row->letter;
			if (row->type != OPT_FLAG)
				*l++ = ':';
		}
	}
	*l = 0;
	table[n] = (struct option){"help", no_argument, NULL, 'h'};
	table[n + 1] = (struct option){0};

	opterr = 0;
	optind = 1;
	while ((got = getopt_long(argc, argv, letters, table, NULL)) != -1) {
		if (got == 'h')
			return OPTS_HELP;
		if (got == '?' || got == ':')
			return bad_option(c, argc, argv, got);
		row = row_of_code(c, got, &group);
		assert(row);
		if (!parse_value(row, optarg, field_of(row, group, opts))) {
			const char *instead = in_place_of(row, optarg);

			if (instead)
				cli_error("--%s: '%s' is no more, take '%s'", opts_name(row),
					optarg, instead);
			else
				cli_error("--%s: expected %s, found '%s'", opts_name(row),
					expectation(row, expected), optarg);
			return OPTS_BAD;
		}
		form_given |= !strcmp(row->field, "output");
	}
	if (!form_given)
		form_by_name(c, opts);
	if (argc - optind < c->min_args || argc - optind > c->max_args) {
		if (argc - optind < c->min_args)
			cli_error("%s: expected %s", c->name, c->arguments);
		else
			cli_error("%s: unexpected argument '%s'", c->name,
				argv[optind + c->max_args]);
		see_help(c);
		return OPTS_BAD;
	}
	return optind;
}
