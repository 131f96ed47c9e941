/* opts_rows.c - the groups that commands share, and the options of one by number. See opts.h. */
#include <string.h>

#include "gpube/cli/cli.h"

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

const struct opt_row *opts_row(const struct command *c, int k, const struct opt_group **group)
{
	const struct opt_group *g;

	for (g = c->groups; g->heading; k -= g->n_rows, g++) {
		if (k < g->n_rows) {
			if (group)
				*group = g;
			return &g->rows[k];
		}
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
