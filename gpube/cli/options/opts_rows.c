/* opts_rows.c - the groups that commands share, and the options of one by number. See opts.h. */
#include <assert.h>
#include <string.h>

#include "gpube/cli/cli.h"
#include "gpube/options/options.h"

#define OPTS_STRUCT struct opts_talk
const struct opt_row opt_rows_talk[] = {OPTS_TALK(OPT_ROW)};
#undef OPTS_STRUCT
#define OPTS_STRUCT struct opts_read
const struct opt_row opt_rows_read[] = {OPTS_READ(OPT_ROW)};
#undef OPTS_STRUCT
#define OPTS_STRUCT struct opts_engine
const struct opt_row opt_rows_engine[] = {OPTS_ENGINE(OPT_ROW)};
#undef OPTS_STRUCT
#define OPTS_STRUCT struct opts_bounding
const struct opt_row opt_rows_bounding[] = {OPTS_BOUNDING(OPT_ROW)};
#undef OPTS_STRUCT
#define OPTS_STRUCT struct opts_ranks
const struct opt_row opt_rows_ranks[] = {OPTS_RANKS(OPT_ROW)};

/* The row of the library's table that a row of OPTS_LIBRARY stands for. */
static const struct gpube__opt *of_library(const struct opt_row *row)
{
	const struct gpube__opt *found = gpube__opts_table;

	while (!(found->calls & GPUBE__ON_CLI) || strcmp(found->name, row->field) != 0)
		found++;
	return found;
}

const struct opt_row *opts_row(const struct command *c, int k, const struct opt_group **group)
{
	static struct opt_row whole[OPTS_MAX];
	const struct opt_group *g;
	const int number = k;

	for (g = c->groups; g->heading; k -= g->n_rows, g++) {
		if (k >= g->n_rows)
			continue;
		if (group)
			*group = g;
		assert(number < OPTS_MAX);
		whole[number] = g->rows[k];
		if (!whole[number].help) {
			const struct gpube__opt *from = of_library(&g->rows[k]);

			whole[number].letter = from->letter;
			whole[number].dflt = from->dflt;
			whole[number].lo = from->lo;
			whole[number].hi = from->hi;
			whole[number].argument = from->argument;
			whole[number].help = from->help;
		}
		return &whole[number];
	}
	return NULL;
}

static void copy(struct gpube_opts *to, const struct gpube__opt *l, const struct opt_row *row,
	const void *from)
{
	const bool same_words =
		!row->help || (l->argument && row->argument && !strcmp(l->argument, row->argument));
	void *at = (char *)to + l->at;

	if (l->type == GPUBE__OPT_FLAG && row->type == OPT_FLAG)
		*(int *)at = *(const int *)from != 0;
	else if (l->type == GPUBE__OPT_INT && row->type == OPT_INT)
		*(int *)at = (int)*(const int64_t *)from;
	else if (l->type == GPUBE__OPT_LONG && row->type == OPT_INT)
		*(int64_t *)at = *(const int64_t *)from;
	else if (l->type == GPUBE__OPT_CHOICE && row->type == OPT_CHOICE && same_words)
		*(int *)at = *(const int *)from;
	else if ((l->type == GPUBE__OPT_REAL && row->type == OPT_REAL) ||
		 (l->type == GPUBE__OPT_TIME && row->type == OPT_TIME))
		*(double *)at = *(const double *)from;
	else if (l->type == GPUBE__OPT_TEXT && (row->type == OPT_TEXT || row->type == OPT_OUT))
		*(const char **)at = *(const char *const *)from;
}

void opts_library(
	struct gpube_opts *to, int calls, const struct opt_row *rows, int n_rows, const void *opts)
{
	for (const struct opt_row *row = rows; row < rows + n_rows; row++)
		for (int k = 0; k < GPUBE__N_OPTS; k++)
			if (gpube__opts_table[k].calls & calls &&
				!strcmp(gpube__opts_table[k].name, row->field))
				copy(to, &gpube__opts_table[k], row, (const char *)opts + row->at);
}

const struct opt_row *opts_find(
	const struct command *c, const char *field, const struct opt_group **group)
{
	const struct opt_row *row;
	int k = 0;

	while ((row = opts_row(c, k, group)) && strcmp(row->field, field) != 0)
		k++;
	return row;
}

const char *opts_name(const struct opt_row *row)
{
	static char name[64];
	size_t i;

	for (i = 0; row->field[i] && i < sizeof(name) - 1; i++)
		name[i] = row->field[i] == '_' ? '-' : row->field[i];
	name[i] = 0;
	return name;
}
