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
