/*
 * bound_guess.c - a search tree below a guessed limit, and a larger one where there is nothing.
 *
 * Where little is proved of what the best assignment costs, that cost is no help to a search tree:
 * hardly any value reaches it. A limit a few times above the bound makes the tree small. What it
 * does not leave open is proved, whatever the guess was: that nothing costs less than the limit is
 * the next bound, and the next limit is so many times as far away; an assignment below it is the
 * best there is once the tree has ended. (runs/measured-2c)
 *
 * Source: Korf, AI 27, 1985 (iterative deepening), whose limits are of what a path has cost.
 */
#include <math.h>

#include "gpube/bound/dfs_tree.h"
#include "gpube/ir/dense.h"

/*
 * A limit is so many times as far from the constant as the bound; a part, at least, of what may lie
 * between.
 */
#define FARTHER 4
#define LEAST   1e-4
/* Of that: a guess that is farther is none any more. */
#define NEAR 0.5

/* What a total may be, or is of interest, from the constant. */
static double open_from(const struct gpube_bounder *b)
{
	const double least = (double)gpube__constant_of(b->m), span = (double)b->made.span;

	return b->limit == GPUBE_INF ? span : fmin(span, (double)b->limit - least);
}

static double next_guess(const struct gpube_bounder *b)
{
	const double proved = (double)b->lower - (double)gpube__constant_of(b->m);

	return fmax(1, fmax(FARTHER * proved, LEAST * open_from(b)));
}

bool gpube__bounder_may_guess(const struct gpube_bounder *b)
{
	return next_guess(b) < NEAR * open_from(b);
}

/* The limit that there would be without a guess. */
static void forget_guess(struct gpube_bounder *b, int64_t limit)
{
	b->limit = b->upper < limit ? b->upper : limit;
	gpube__bounder_cut(b, b->cutoff);
}

/*
 * A tree below the next limit. It knows from the last one where conflicts come up, so that no first
 * run is to be thrown away (runs/measured-2c).
 */
static int begin_guess(struct gpube_bounder *b)
{
	struct gpube_dfs_tree *last = b->state.tree;
	int status = gpube__dfs_tree_new(b);

	if (!status && last && last->t && b->state.tree->t &&
		last->t->n_functions == b->state.tree->t->n_functions) {
		for (int32_t k = 0; k < last->t->n_functions; k++)
			b->state.tree->t->weights[k] = last->t->weights[k];
		b->state.tree->n_restarts = 0;
	}
	gpube__dfs_tree_free(last);
	return status;
}

int gpube__bound_guess(struct gpube_bounder *b, double seconds)
{
	const struct gpube_budget turn = gpube__budget(b->ctx, seconds);
	struct gpube_dfs_tree *tree = b->state.tree;
	bool found;
	int status = GPUBE_OK;

	b->state.tree = b->state.guessed;
	do {
		const int64_t limit = b->limit;
		const bool begins = !b->state.tree || b->lower >= b->state.guess;

		if (begins) {
			if (!gpube__bounder_may_guess(b)) {
				gpube__dfs_tree_free(b->state.tree);
				b->state.tree = NULL;
				break;
			}
			b->state.guess = gpube__constant_of(b->m) + (int64_t)next_guess(b);
		}
		b->limit = b->state.guess < limit ? b->state.guess : limit;
		if (begins)
			status = begin_guess(b);
		if (!status)
			status = gpube__bound_dfs(b, gpube__budget_left(&turn));
		forget_guess(b, limit);
		found = b->limit <= b->state.guess &&
			b->state.guess < limit; /* it is to be proved, too */
	} while (!status && (found || b->lower >= b->state.guess) &&
		 gpube__budget_left(&turn) > 0 && !gpube__bounder_done(b) &&
		 !gpube__stopped(b->ctx));
	b->state.guessed = b->state.tree;
	b->state.tree = tree;
	if (b->state.guessed && b->limit <= b->state.guess) { /* nothing is guessed any more */
		gpube__dfs_tree_free(b->state.tree);
		b->state.tree = b->state.guessed;
		b->state.guessed = NULL;
	}
	return status;
}
