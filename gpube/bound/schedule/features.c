/*
 * features.c - what the schedule asks of a model: its class, by numbers that are known after
 * simplification and a first order, and what of them changes while it is solved.
 */
#include "gpube/bound/schedule/methods.h"

#include "gpube/ir/dense.h"
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

void gpube__bounder_measure(struct gpube_bounder *b)
{
	const struct gpube_model *m = b->m;
	struct gpube_made *made = &b->made;
	double logs = 0;
	int64_t sum = 0; /* of 2 * arity - 5 */

	if (!m) /* no assignment is allowed */
		return;
	made->span = gpube__cost_span(m);
	made->cells = (double)gpube__model_cells(m);
	made->values = 0;
	for (int32_t i = 0; i < m->n_vars; i++) {
		made->values += m->vars[i].domain;
		logs += log(m->vars[i].domain);
	}
	made->mean_domain = exp(logs / (m->n_vars + 1e-9));
	made->of_pairs = true;
	for (int32_t f = 0; f < m->n_functions; f++) {
		made->of_pairs &= m->functions[f].arity <= 2;
		sum += m->functions[f].arity > 1 ? 2 * (int64_t)m->functions[f].arity - 5 : 0;
	}
	made->ternary = sum >= 0 && m->n_functions > 0;
}

enum gpube__class gpube__class_of(const struct gpube_bounder *b)
{
	if (b->made.span == 1)
		return GPUBE__CLASS_HARD;
	if (b->state.nest && b->ctx->device)
		return GPUBE__CLASS_CARD;
	if (b->made.mean_domain >= GPUBE__WIDE_DOMAIN)
		return GPUBE__CLASS_WIDE;
	if (gpube__bounder_dense(b))
		return GPUBE__CLASS_DENSE;
	if (gpube__eliminating_ticks(b) > ENDLESS_TICKS)
		return GPUBE__CLASS_SPARSE;
	return b->made.ternary ? GPUBE__CLASS_NARROW_TERNARY : GPUBE__CLASS_NARROW;
}
