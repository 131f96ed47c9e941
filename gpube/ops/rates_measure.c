/* rates_measure.c - gpube__measure() of rates.h: contractions and copies, timed. */
#include "gpube/ops/rates.h"

#include <string.h>

#define REPEATS    3
#define COPY_BYTES (128u << 20) /* past every cache */
#define LAUNCHES   256
#define SMALLEST   4
#define PRODUCT_SIDE                                                                               \
	768 /* of the CPU's matrix product: work for many cores, tables that stay in cache */

static double settled(struct gpube_ctx *ctx, const struct gpube_ops *ops)
{
	if (ops->settle)
		ops->settle(ctx, NULL);
	return gpube__now();
}

/* Shape i of some hundred small ones: more than plans are kept of, so that each is planned anew. */
static void small_shape(int64_t sizes[3], int i)
{
	sizes[0] = SMALLEST + i % 8;
	sizes[1] = SMALLEST + i / 8 % 8;
	sizes[2] = SMALLEST + i / 64 % 4;
}

/*
 * Best seconds of n runs of a contraction, one behind the other, of each of them.
 * sizes  the contraction's, to be those of small_shape(); NULL: all are alike
 */
static int time_contract(double *best, struct gpube_ctx *ctx, const struct gpube_ops *ops,
	const struct gpube_contraction *c, int n, int64_t *sizes)
{
	int status = ops->contract(ctx, c);

	*best = 1e30;
	for (int k = 0; k < REPEATS && !status; k++) {
		double start = settled(ctx, ops), seconds;

		for (int i = 0; i < n && !status; i++) {
			if (sizes)
				small_shape(sizes, i);
			status = ops->contract(ctx, c);
		}
		seconds = (settled(ctx, ops) - start) / n;
		*best = seconds < *best ? seconds : *best;
	}
	return status;
}

/*
 * out(i, j) = min over x of a(x, i) + b(x, j), of n values each; 'table' holds all three. Several
 * times: of small shapes, whatever n.
 */
static int time_product(double *best, struct gpube_ctx *ctx, const struct gpube_ops *ops,
	char *table, enum gpube_type type, int64_t n, int times)
{
	const int32_t dims[] = {2, 0, 2, 1};
	int64_t sizes[] = {n, n, n};
	const size_t bytes = (size_t)(n * n + 63) / 64 * 64 * gpube__type_size(type);
	const struct gpube_operand in[] = {
		{table + bytes, NULL, 2, dims}, {table + 2 * bytes, NULL, 2, dims + 2}};
	const struct gpube_contraction c = {.semiring = GPUBE_MIN_PLUS,
		.type = type,
		.n_out = 2,
		.n_dims = 3,
		.sizes = sizes,
		.n_in = 2,
		.in = in,
		.top = 1 << 26,
		.threshold = 1 << 26,
		.out = table};

	return time_contract(best, ctx, ops, &c, times, times > 1 ? sizes : NULL);
}

struct copying {
	char *to;
	const char *from;
	size_t piece;
};

static void copy_piece(void *arg, int64_t item, int thread)
{
	const struct copying *c = arg;

	(void)thread;
	memcpy(c->to + (size_t)item * c->piece, c->from + (size_t)item * c->piece, c->piece);
}

static double time_host_copy(struct gpube_ctx *ctx, char *host)
{
	struct copying c = {
		host, host + COPY_BYTES / 2, COPY_BYTES / 2 / (size_t)ctx->n_threads / 64 * 64};
	double best = 1e30;

	for (int k = 0; k < REPEATS; k++) {
		double start = gpube__now(), seconds;

		gpube__parallel(ctx, ctx->n_threads, copy_piece, &c);
		seconds = gpube__now() - start;
		best = seconds < best ? seconds : best;
	}
	return 2.0 * (double)c.piece * ctx->n_threads / best;
}

static int host_ceilings(
	struct gpube_ctx *ctx, const struct gpube_ops *ops, char *host, struct gpube_rate *r)
{
	static const enum gpube_type types[] = {GPUBE_INT32, GPUBE_INT64};
	double *rates[] = {&r->add_min_int32, &r->add_min_int64};
	const double joined = (double)PRODUCT_SIDE * PRODUCT_SIDE * PRODUCT_SIDE;
	int status = GPUBE_OK;

	r->copy = time_host_copy(ctx, host);
	for (int k = 0; k < 2 && !status; k++) {
		double seconds = 0;

		status = time_product(&seconds, ctx, ops, host, types[k], PRODUCT_SIDE, 1);
		*rates[k] = joined / seconds;
	}
	r->upload = r->download = r->copy / 2;
	return status;
}

/* Both ways between ordinary memory of the host and a table. */
static int time_transfers(struct gpube_ctx *ctx, const struct gpube_ops *ops, char *host,
	void *table, struct gpube_rate *r)
{
	int status = GPUBE_OK;

	r->upload = r->download = 0;
	for (int k = 0; k < REPEATS && !status; k++) {
		double start = settled(ctx, ops), middle;

		status = ops->upload(ctx, table, host, COPY_BYTES);
		middle = settled(ctx, ops);
		if (!status)
			status = ops->download(ctx, host, table, COPY_BYTES);
		if (COPY_BYTES / (middle - start) > r->upload)
			r->upload = COPY_BYTES / (middle - start);
		if (COPY_BYTES / (gpube__now() - middle) > r->download)
			r->download = COPY_BYTES / (gpube__now() - middle);
	}
	return status;
}

static int time_gather(
	struct gpube_ctx *ctx, const struct gpube_ops *ops, void *table, double *seconds)
{
	const struct gpube_cells piece = {table, 0, 1, 4};
	char cells[16];
	double start = settled(ctx, ops);
	int status = GPUBE_OK;

	for (int k = 0; k < LAUNCHES && !status; k++)
		status = ops->gather(ctx, cells, 1, &piece, 4);
	*seconds = (gpube__now() - start) / LAUNCHES;
	return status;
}

int gpube__measure(struct gpube_ctx *ctx, const struct gpube_ops *ops, struct gpube_rate *r)
{
	bool on_host = ops == gpube__ops_cpu();
	char *host = gpube__alloc_zero(ctx, COPY_BYTES, 1);
	void *table = NULL;
	int status = GPUBE_ENOMEM;

	if (!host)
		return status;
	memset(host, 1, COPY_BYTES); /* pages that are there */
	table = ops->alloc(ctx, COPY_BYTES);
	if (!table)
		goto out;
	status = on_host ? host_ceilings(ctx, ops, host, r)
			 : time_transfers(ctx, ops, host, table, r);
	if (!status && !on_host)
		status = gpube__ceilings_cuda(ctx, r);
	if (!status)
		status = ops->upload(ctx, table, host, COPY_BYTES);
	if (!status)
		status = time_product(&r->launch, ctx, ops, table, GPUBE_INT32, 16, LAUNCHES);
	if (!status)
		status = time_gather(ctx, ops, table, &r->round_trip);
out:
	if (table)
		ops->free(ctx, table);
	gpube__free(ctx, host);
	return status;
}
