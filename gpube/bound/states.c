/*
 * states.c - what methods keep from turn to turn, all of it: it goes with the run, and when the
 * tables are replaced that it was made of.
 */
#include "gpube/bound/bound.h"

void gpube__bounder_forget(struct gpube_bounder *b)
{
	gpube__dfs_tree_free(b->tree);
	gpube__dfs_tree_free(b->guessed);
	gpube__climb_free(b->climb);
	gpube__patching_free(b->patching);
	gpube__nest_free(b->nest);
	b->tree = b->guessed = NULL;
	b->climb = NULL;
	b->patching = NULL;
	b->nest = NULL;
}

void gpube__bounder_keep_tables(struct gpube_bounder *b, struct gpube_model *tables, int finer)
{
	gpube__bounder_forget(b);
	if (b->kept)
		gpube_model_free(b->kept);
	b->tables = b->kept = tables;
	b->finer = finer;
	tables->top = gpube__tables_limit(b);
}
