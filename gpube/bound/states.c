/*
 * states.c - what methods keep from turn to turn, all of it: it goes with the run, and when the
 * tables are replaced that it was made of.
 */
#include "gpube/bound/bound.h"

void gpube__bounder_forget(struct gpube_bounder *b)
{
	gpube__dfs_tree_free(b->state.tree);
	gpube__dfs_tree_free(b->state.guessed);
	gpube__climb_free(b->state.climb);
	gpube__patching_free(b->state.patching);
	gpube__nest_free(b->state.nest);
	b->state.tree = b->state.guessed = NULL;
	b->state.climb = NULL;
	b->state.patching = NULL;
	b->state.nest = NULL;
}

void gpube__bounder_keep_tables(struct gpube_bounder *b, struct gpube_model *tables, int finer)
{
	gpube__bounder_forget(b);
	if (b->made.kept)
		gpube_model_free(b->made.kept);
	b->tables = b->made.kept = tables;
	b->made.finer = finer;
	tables->top = gpube__tables_limit(b);
}
