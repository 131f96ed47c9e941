/* bound_reparam.c - chooses the ascent and the unit of the reparametrised model. */
#include <math.h>

#include "gpube/bound/bound.h"
#include "gpube/options/options.h"
#include "gpube/bound/reparam.h"
#include "gpube/ir/dense.h"

/* toulbar2 reads 2^53 exactly; half of that leaves room for forbidden costs. */
#define MOST_TOTAL 4.5e15

enum { MOST_SCALE = 18 };

/* The number of decimals for which there is room. */
static int fitting_scale(const struct gpube_bounder *b)
{
	double most = fabs((double)gpube__constant_of(b->m)) + (double)b->made.span;
	int shift = 0;

	if (b->costs->top != GPUBE_INF && b->costs->top > -GPUBE_INF)
		most = fmax(most, fabs((double)b->costs->top));
	while (shift < b->state.reparam->opts->decimals && b->costs->scale + shift < MOST_SCALE &&
		most * pow(10, shift + 1) < MOST_TOTAL)
		shift++;
	return shift;
}

int gpube__bound_reparametrise(struct gpube_bounder *b)
{
	const enum gpube_bound_method method = b->opts->method;
	const bool by_itself =
		method == GPUBE_BOUND_AUTO &&
		(b->state.reparam->opts->certificate
				? gpube__bounder_prefers_joins(b)
				: b->state.reparam->opts->max_arity > GPUBE__CLUSTER_VARS);

	if (!b->state.reparam->opts->certificate)
		b->state.reparam->most_shift = fitting_scale(b);
	if (by_itself || (method == GPUBE_BOUND_ASCENT && !gpube__asks_for_nested(b->opts)))
		return gpube__bound_joins(b, INFINITY);
	return gpube__bound_clusters_reparam(
		b, method != GPUBE_BOUND_ARC && b->state.reparam->opts->max_arity > 2);
}
