/*
 * bound_deepening.c - iterative deepening on the upper bound: search trees below trial cutoffs.
 *
 * Where the gap is large the incumbent's cost prunes hardly anything. A trial cutoff a few times
 * above the lower bound makes the tree small. If the tree ends without an assignment, the cutoff is
 * the next lower bound, and the next one is several times as far away. If it ends with one, that is
 * optimal. Either proof is valid for any cutoff.
 *
 * Source: Korf, AI 27, 1985 (iterative deepening, on the costs of paths).
 */
#include <math.h>

#include "gpube/bound/dfs_tree.h"
#include "gpube/ir/dense.h"

/*
 * A trial cutoff is FARTHER times as far from the constant as the bound, in the span open_from().
 */
#define FARTHER 4
#define LEAST   1e-4 /* of the span, at least */
#define NEAR    0.5  /* of the span, at most: farther it would prune too little */

/* The span from the constant to the largest total or to the cutoff. */
static double open_from(const struct gpube_bounder *b)
{
	const double least = (double)gpube__constant_of(b->m), span = (double)b->made.span;

	return b->cutoff == GPUBE_INF ? span : fmin(span, (double)b->cutoff - least);
}

static double next_cutoff(const struct gpube_bounder *b)
{
	const double proved = (double)b->lower - (double)gpube__constant_of(b->m);

	return fmax(1, fmax(FARTHER * proved, LEAST * open_from(b)));
}

bool gpube__bounder_may_deepen(const struct gpube_bounder *b)
{
	return next_cutoff(b) < NEAR * open_from(b);
}

/* Sets the cutoff as it is without a trial. */
static void restore_cutoff(struct gpube_bounder *b, int64_t cutoff)
{
	b->cutoff = b->upper < cutoff ? b->upper : cutoff;
	gpube__bounder_set_cutoff(b, b->given_cutoff);
}

/*
 * Makes the tree below the next cutoff. It takes the weights of the last one, so that it needs no
 * restarts to learn them.
 */
static int begin_iteration(struct gpube_bounder *b)
{
	struct gpube_dfs_tree *last = b->state.tree;
	int status = gpube__dfs_tree_new(b);

	if (!status)
		b->state.tree->is_trial = true;
	if (!status && last && last->t && b->state.tree->t &&
		last->t->n_functions == b->state.tree->t->n_functions) {
		for (int32_t k = 0; k < last->t->n_functions; k++)
			b->state.tree->t->weights[k] = last->t->weights[k];
		b->state.tree->n_restarts = 0;
	}
	gpube__dfs_tree_free(last);
	return status;
}

int gpube__bound_deepening(struct gpube_bounder *b, double seconds)
{
	const struct gpube_budget turn = gpube__budget(b->ctx, seconds);
	struct gpube_dfs_tree *tree = b->state.tree;
	int64_t trial = b->state.trial_tree ? b->state.trial_tree->trial : INT64_MIN;
	bool found;
	int status = GPUBE_OK;

	gpube__bounder_hold_saves(b, 1); /* not below a trial cutoff */
	b->state.tree = b->state.trial_tree;
	do {
		const int64_t cutoff = b->cutoff;
		const bool begins = !b->state.tree || b->lower >= trial;

		if (begins) {
			if (!gpube__bounder_may_deepen(b)) {
				gpube__dfs_tree_free(b->state.tree);
				b->state.tree = NULL;
				break;
			}
			trial = gpube__constant_of(b->m) + (int64_t)next_cutoff(b);
		}
		b->cutoff = trial < cutoff ? trial : cutoff;
		if (begins)
			status = begin_iteration(b);
		if (!status) {
			b->state.tree->trial = trial;
			status = gpube__bound_dfs(b, gpube__budget_left(&turn));
		}
		restore_cutoff(b, cutoff);
		found = b->cutoff <= trial && trial < cutoff; /* it is to be proved, too */
	} while (!status && (found || b->lower >= trial) && !gpube__budget_is_over(&turn) &&
		 !gpube__bounder_done(b));
	b->state.trial_tree = b->state.tree;
	b->state.tree = tree;
	gpube__bounder_hold_saves(b, -1);
	if (b->state.trial_tree && b->cutoff <= trial) { /* it is the whole tree */
		gpube__dfs_tree_free(b->state.tree);
		b->state.tree = b->state.trial_tree;
		b->state.tree->is_trial = false;
		b->state.trial_tree = NULL;
	}
	return status;
}
