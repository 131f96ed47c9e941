/*
 * states.c - frees the states of methods: at the end of a run, and when the tables are replaced
 * from which they were made.
 */
#include "gpube/bound/bound.h"
#include "gpube/bound/relaxed_run.h"

void gpube__bounder_forget(struct gpube_bounder *b)
{
	gpube__dfs_tree_free(b->state.tree);
	gpube__dfs_tree_free(b->state.trial_tree);
	gpube__climb_free(b->state.climb);
	gpube__pairwise_run_free(b->state.pairwise);
	gpube__relaxed_run_free(b->state.semidefinite);
	gpube__relaxed_run_free(b->state.linear);
	gpube__nest_free(b->state.nest);
	b->state.tree = b->state.trial_tree = NULL;
	b->state.climb = NULL;
	b->state.pairwise = NULL;
	b->state.semidefinite = b->state.linear = NULL;
	b->state.nest = NULL;
}

void gpube__bounder_keep_tables(struct gpube_bounder *b, struct gpube_model *tables, int finer)
{
	gpube__bounder_forget(b);
	if (b->made.kept)
		gpube_model_free(b->made.kept);
	b->tables = b->made.kept = tables;
	b->made.finer = finer;
	tables->top = gpube__tables_cutoff(b);
}
