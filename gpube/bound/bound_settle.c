/* bound_settle.c - the end of a run that other ranks share: see bound.h. */
#include "gpube/bound/bound.h"
#include "gpube/bound/dfs_tree.h"
#include "gpube/bound/pairwise/relation_cases.h"

int gpube__bound_settle(struct gpube_bounder *b)
{
	const struct gpube_watch *watch = b->told.watch;
	const struct gpube_dfs_tree *tree = b->state.tree;
	const bool has_tree = tree && tree->shared;
	int status = gpube__bounder_learn(b, true);

	if (status)
		return status;
	if (watch && watch->gather && (has_tree || gpube__cases_are_lent(b)) &&
		!gpube__bounder_done(b) && !(has_tree && gpube__dfs_tree_is_done(tree)))
		watch->gather(watch->arg);
	status = gpube__tree_settle(b);
	return status ? status : gpube__cases_settle(b);
}
