/* bound_shift.c - the ascent that ends in a shifted model: which, and in what unit. */
#include <math.h>

#include "gpube/bound/bound.h"
#include "gpube/bound/shifted.h"
#include "gpube/ir/dense.h"

/* toulbar2 reads 2^53 exactly; half of that is enough room for what forbids. */
#define MOST_TOTAL 4.5e15

enum { MOST_SCALE = 18 };

/* As many decimals as there is room for. */
static int fitting_shift(const struct gpube_bounder *b)
{
	double most = fabs((double)gpube__constant_of(b->m)) + (double)b->made.span;
	int shift = 0;

	if (b->costs->top != GPUBE_INF && b->costs->top > -GPUBE_INF)
		most = fmax(most, fabs((double)b->costs->top));
	while (shift < b->state.shifting->decimals && b->costs->scale + shift < MOST_SCALE &&
		most * pow(10, shift + 1) < MOST_TOTAL)
		shift++;
	return shift;
}

int gpube__bound_shift_and_keep(struct gpube_bounder *b)
{
	const enum gpube_bound_method method = b->opts->method;
	const bool by_itself = method == GPUBE_BOUND_AUTO &&
			       (b->state.shifting->certificate ? gpube__bounder_prefers_joins(b)
							       : b->state.shifting->max_arity >
									 GPUBE__CLUSTER_VARS);

	if (!b->state.shifting->certificate)
		b->state.most_shift = fitting_shift(b);
	if (by_itself || (method == GPUBE_BOUND_ASCENT && !gpube__asks_for_nested(b->opts)))
		return gpube__bound_joins(b, INFINITY);
	return gpube__bound_clusters_shifted(
		b, method != GPUBE_BOUND_ARC && b->state.shifting->max_arity > 2);
}
