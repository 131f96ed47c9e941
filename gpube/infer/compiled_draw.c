/*
 * compiled_draw.c - assignments drawn with their probabilities: see compiled.h.
 *
 * From the last eliminated variable to the first: given the values of the rest of its bucket's
 * scope, the weights of its own are a column of the bucket's joined table, of which nothing else is
 * made. So a sample costs the values of all variables times the inputs of their buckets.
 *
 * Sample k has random numbers of its own: those of gpube_rng seeded with b + k, where b is the
 * first number of gpube_rng seeded with the seed; one number of [0, 1) in 53 bits for each variable
 * that is drawn. So samples are the same whoever draws them, in blocks, on any number of threads.
 */
#include "gpube/infer/compiled.h"

#include <math.h>

enum { BLOCK = 64 };

/* Weights that add up to less are multiplied again with powers of two beside them. */
#define LEAST_TOTAL 0x1p-900

struct draw {
	struct gpube_compiled *c;
	uint64_t first;
	int32_t *drawn;
	double *weights; /* room for the values of a variable, of each thread */
	struct gpube_wide *wide;
	int32_t *values; /* of positions, of each thread */
	int32_t most;    /* values of a variable */
	bool stopped, failed;
};

/* Where an input has the own variable's first value, and the stride of the others. */
static int64_t column(int64_t *own, const struct gpube_compiled_input *in, const int32_t *scope,
	const int32_t *values)
{
	int64_t at = 0;

	*own = 0;
	for (int k = 0; k < in->n_axes; k++)
		if (in->axis[k] == 0)
			*own = in->stride[k];
		else
			at += in->stride[k] * values[scope[in->axis[k]]];
	return at;
}

/* Returns their sum; less than LEAST_TOTAL: they may have no meaning. */
static double weigh(double *weights, int32_t n, const struct gpube_compiled *c, int32_t b,
	const int32_t *values)
{
	struct gpube_compiled_turn turn = GPUBE_COMPILED_FIRST;
	struct gpube_compiled_input in;
	double total = 0;
	int64_t own;

	for (int32_t k = 0; k < n; k++)
		weights[k] = 1;
	while (gpube__compiled_next(&in, &turn, c, b)) {
		const int64_t at = column(&own, &in, gpube__infer_scope(&c->j, b), values);

		if (in.table->powers)
			return 0;
		for (int32_t k = 0; k < n; k++)
			weights[k] *= in.table->cells[at + k * own];
	}
	for (int32_t k = 0; k < n; k++)
		total += weights[k];
	return total;
}

/* The same where numbers are far apart: the largest is below 1. */
static double weigh_wide(double *weights, struct gpube_wide *wide, int32_t n,
	const struct gpube_compiled *c, int32_t b, const int32_t *values)
{
	struct gpube_compiled_turn turn = GPUBE_COMPILED_FIRST;
	struct gpube_compiled_input in;
	int64_t own, top = INT64_MIN;
	double total = 0;

	for (int32_t k = 0; k < n; k++)
		wide[k] = gpube__wide(1, 0);
	while (gpube__compiled_next(&in, &turn, c, b)) {
		const int64_t at = column(&own, &in, gpube__infer_scope(&c->j, b), values);

		for (int32_t k = 0; k < n; k++)
			wide[k] = gpube__wide_mul(wide[k], gpube__sum_cell(in.table, at + k * own));
	}
	for (int32_t k = 0; k < n; k++)
		top = wide[k].m > 0 && wide[k].e > top ? wide[k].e : top;
	for (int32_t k = 0; k < n; k++) {
		weights[k] = wide[k].m > 0 && wide[k].e - top > -1000
				     ? ldexp(wide[k].m, (int)(wide[k].e - top))
				     : 0;
		total += weights[k];
	}
	return total;
}

/* The value up to which the weights first pass that part of their sum: never one of weight 0. */
static int32_t choose(const double *weights, int32_t n, double part)
{
	double sum = 0;
	int32_t last = 0;

	for (int32_t k = 0; k < n; k++) {
		sum += weights[k];
		if (sum > part)
			return k;
		last = weights[k] > 0 ? k : last;
	}
	return last;
}

static bool draw_one(struct draw *d, int64_t sample, int thread)
{
	const struct gpube_compiled *c = d->c;
	const struct gpube_possible *p = &c->j.possible;
	const int32_t n_vars = c->j.m->n_vars;
	int32_t *values = d->values + (int64_t)thread * c->j.n, *to = d->drawn + sample * n_vars;
	double *weights = d->weights + (int64_t)thread * d->most;
	struct gpube_rng rng;

	gpube__rng_init(&rng, d->first + (uint64_t)sample);
	for (int32_t b = c->j.n - 1; b >= 0; b--) {
		const int32_t n = gpube__infer_domain(&c->j, b);
		double total;

		values[b] = c->fixed[b];
		if (values[b] >= 0)
			continue;
		total = weigh(weights, n, c, b, values);
		if (!(total >= LEAST_TOTAL))
			total = weigh_wide(
				weights, d->wide + (int64_t)thread * d->most, n, c, b, values);
		if (!(total > 0))
			return false;
		values[b] = choose(weights, n, gpube__rng_unit(&rng) * total);
	}
	for (int32_t i = 0; i < n_vars; i++) {
		const int32_t b = c->j.position[i];

		to[i] = p->values[p->first[i] + (b < 0 ? 0 : values[b])];
	}
	return true;
}

static void draw_block(void *arg, int64_t block, int thread)
{
	struct draw *d = arg;
	const int64_t end =
		(block + 1) * BLOCK < d->c->opts.draw ? (block + 1) * BLOCK : d->c->opts.draw;

	if (gpube__stopped(d->c->j.ctx)) {
		__atomic_store_n(&d->stopped, true, __ATOMIC_RELAXED);
		return;
	}
	for (int64_t k = block * BLOCK; k < end; k++)
		if (!draw_one(d, k, thread))
			__atomic_store_n(&d->failed, true, __ATOMIC_RELAXED);
}

int gpube__compiled_draw(struct gpube_inference *out, struct gpube_compiled *c)
{
	struct gpube_ctx *ctx = c->j.ctx;
	const uint64_t n = (uint64_t)c->opts.draw, n_threads = (uint64_t)ctx->n_threads;
	struct draw d = {.c = c};
	struct gpube_rng rng;
	int status = GPUBE_ENOMEM;

	for (int32_t b = 0; b < c->j.n; b++)
		d.most = gpube__infer_domain(&c->j, b) > d.most ? gpube__infer_domain(&c->j, b)
								: d.most;
	gpube__rng_init(&rng, (uint64_t)c->opts.seed);
	d.first = gpube__rng_next(&rng);
	d.drawn = gpube__alloc(ctx, n * (uint64_t)c->j.m->n_vars, sizeof(*d.drawn));
	d.weights = gpube__alloc(ctx, n_threads * (uint64_t)d.most, sizeof(*d.weights));
	d.wide = gpube__alloc(ctx, n_threads * (uint64_t)d.most, sizeof(*d.wide));
	d.values = gpube__alloc(ctx, n_threads * (uint64_t)c->j.n, sizeof(*d.values));
	if (d.drawn && d.weights && d.wide && d.values) {
		gpube__parallel(ctx, (int64_t)(n + BLOCK - 1) / BLOCK, draw_block, &d);
		status = d.stopped  ? gpube__fail_stopped(ctx)
			 : d.failed ? gpube__fail(ctx, GPUBE_EBUG,
					      "internal error: no value can be drawn; please "
					      "report this")
				    : GPUBE_OK;
	}
	if (!status) {
		out->drawn = d.drawn;
		out->n_drawn = c->opts.draw;
		d.drawn = NULL;
	}
	GPUBE_FREE_ALL(ctx, d.drawn, d.weights, d.wide, d.values);
	return status;
}
