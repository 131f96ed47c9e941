/*
 * features.c - what the schedule asks of a model: its class, by numbers that are known after
 * simplification and a first order, and what of them changes while it is solved.
 */
#include "gpube/bound/schedule/methods.h"

#include <math.h>

#include "gpube/ops/ops.h"

const char *const gpube__class_names[GPUBE__N_CLASSES] = {
	[GPUBE__CLASS_NARROW] = "narrow",
	[GPUBE__CLASS_NARROW_TERNARY] = "narrow ternary",
	[GPUBE__CLASS_SPARSE] = "sparse",
	[GPUBE__CLASS_DENSE] = "dense",
	[GPUBE__CLASS_WIDE] = "wide",
	[GPUBE__CLASS_CARD] = "card",
	[GPUBE__CLASS_HARD] = "hard",
};

/* Ticks of a bucket beside its cells, and how much more slices take, which do some of it again. */
#define BUCKET_TICKS 1e4
#define SLICED       16

/* As of a bucket with as many tables as buckets have on average: functions, and messages. */
static double ticks_of_cells(const struct gpube_bounder *b, double cells)
{
	const double n = b->m->n_vars;

	return gpube__cells_ticks(cells, 1 + (b->m->n_functions - 1) / fmax(1, n),
		b->made.span <= INT32_MAX ? GPUBE_INT32 : GPUBE_INT64, true);
}

double gpube__eliminating_ticks(const struct gpube_bounder *b)
{
	double ticks = ticks_of_cells(b, b->order_cost.joined_cells);

	if (b->ctx->device && b->opts->backend != GPUBE_BACKEND_CPU)
		ticks *= (double)b->ctx->n_threads / GPUBE_CARD_CORES; /* which wait */
	ticks += BUCKET_TICKS * b->m->n_vars;
	return sizeof(int64_t) * b->order_cost.largest_message < (double)b->ctx->memory_bytes / 2
		       ? ticks
		       : SLICED * ticks;
}

/* Ticks of elimination, years of them, from which on no better order is likely to make it end. */
#define ENDLESS_TICKS 1e18

/* Whether functions of several variables have three of them, or more, rather than two. */
static bool ternary(const struct gpube_model *m)
{
	int64_t sum = 0; /* of 2 * arity - 5 */

	for (int32_t i = 0; i < m->n_functions; i++)
		sum += m->functions[i].arity > 1 ? 2 * (int64_t)m->functions[i].arity - 5 : 0;
	return sum >= 0 && m->n_functions > 0;
}

enum gpube__class gpube__class_of(const struct gpube_bounder *b)
{
	if (b->made.span == 1)
		return GPUBE__CLASS_HARD;
	if (b->state.nest && b->ctx->device)
		return GPUBE__CLASS_CARD;
	if (gpube__bounder_mean_domain(b) >= GPUBE__WIDE_DOMAIN)
		return GPUBE__CLASS_WIDE;
	if (gpube__bounder_dense(b))
		return GPUBE__CLASS_DENSE;
	if (gpube__eliminating_ticks(b) > ENDLESS_TICKS)
		return GPUBE__CLASS_SPARSE;
	return ternary(b->m) ? GPUBE__CLASS_NARROW_TERNARY : GPUBE__CLASS_NARROW;
}
