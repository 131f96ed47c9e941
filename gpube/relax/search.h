/*
 * search.h - tabu search for good assignments of a simplified model: upper
 * bounds. It proves nothing.
 *
 * One step changes the variable and value that cost least, a worse one if it
 * must, and does not change that variable back for some steps. Where nothing gets better for long
 * it starts again, from near the best or from what annealing leaves. What each value
 * of each variable would cost is kept up to date: a step costs the functions of
 * the changed variable times their domains, and a look at all values.
 */
#ifndef GPUBE_SEARCH_H
#define GPUBE_SEARCH_H

#include "gpube/ir/graph.h"

struct gpube_search {
	struct gpube_ctx *ctx;
	const struct gpube_model *m;
	struct gpube_rng rng;
	int64_t *at;   /* n_vars + 1: value a of i is entry at[i] + a */
	int64_t *cost; /* of the functions of i at that value, others as they are */
	struct gpube_incidence functions;
	int64_t **dense;   /* per function: its cells, or NULL: too large */
	int64_t *stride;   /* in these, of the variables of all scopes */
	int64_t forbidden; /* what a forbidden tuple costs */
	int32_t *values;
	int64_t *tabu; /* per value: the step until which it is not taken again */
	int64_t last;  /* the step that was the last to get better */
	/* now: cost of 'values', forbidden tuples at that price; record: the least since a start */
	int64_t step, now, record;
	int32_t *best;     /* of all runs */
	int64_t best_cost; /* constant included; INT64_MAX: none yet, or not allowed */
	bool started;
};

/* ctx: whose memory, stop and work it is. Errors: ENOMEM */
int gpube__search_new(struct gpube_search **out, struct gpube_ctx *ctx, const struct gpube_model *m,
	uint64_t seed);
void gpube__search_free(struct gpube_search *s);

/*
 * gpube__search_run() - 'steps' steps from 'from', or on from where it was if
 * NULL; true if best got better. Ends early when gpube__stopped().
 */
bool gpube__search_run(struct gpube_search *s, const int32_t *from, int64_t steps);

#endif
