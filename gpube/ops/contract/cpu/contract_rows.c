/*
 * contract_rows.c - contract by rows: for up to ROW_LANES output cells along the
 * last output dim, the joined cells are visited in row-major order; the sums of
 * one reduced cell make one row. Counts, too, and no tuning beyond that.
 */
#include <string.h>

#include "gpube/ops/contract/contract.h"
#include "gpube/ops/index.h"
#include "gpube/ops/semiring.h"

#define ROW_LANES 256

/* Work: a joined cell. */
enum { ROW_TICKS = 2 };

struct rows {
	struct gpube_ctx *ctx;
	const struct gpube_contraction *c;
	struct gpube__shape shape;
	int64_t lanes, n_segments; /* of the last output dim, and the segments it is cut into */
	int64_t n_rows, rows_per_item, ticks_per_item;
	int64_t *delta;  /* as shape.stride: what a step of a reduced dim adds to an offset */
	int64_t *offset; /* n_in offsets of each thread */
	void (*row)(const struct rows *r, int64_t row, int64_t *offset);
	int stopped;
};

static inline int64_t lane_step(const struct rows *r, int k)
{
	const struct gpube__shape *s = &r->shape;

	return s->n_out ? s->stride[k * s->ld + s->n_out - 1] : 0;
}

static inline int64_t row_lanes(const struct rows *r, int64_t row)
{
	const int64_t left = r->lanes - row % r->n_segments * ROW_LANES;

	return left < ROW_LANES ? left : ROW_LANES;
}

static inline int64_t row_out(const struct rows *r, int64_t row)
{
	return row / r->n_segments * r->lanes + row % r->n_segments * ROW_LANES;
}

static void row_offsets(const struct rows *r, int64_t row, int64_t *offset)
{
	const struct gpube__shape *s = &r->shape;

	for (int k = 0; k < s->n_in; k++) {
		offset[k] = gpube__offset(
			row / r->n_segments, s->n_out - 1, s->size, s->stride + k * s->ld);
		offset[k] += row % r->n_segments * ROW_LANES * lane_step(r, k);
	}
}

/* Steps the reduced coordinates and the offsets; false after the last. */
static inline bool row_step(const struct rows *r, int64_t *at, int64_t *offset)
{
	const struct gpube__shape *s = &r->shape;

	for (int d = s->n_dims - 1; d >= s->n_out; d--) {
		if (++at[d] < s->size[d]) {
			for (int k = 0; k < s->n_in; k++)
				offset[k] += r->delta[k * s->ld + d];
			return true;
		}
		at[d] = 0;
	}
	return false;
}

static int64_t row_arg(const struct rows *r, const int64_t *at)
{
	int64_t arg = 0;

	for (int d = r->shape.n_out; d < r->shape.n_dims; d++)
		arg += at[d] * r->shape.arg_stride[d];
	return arg;
}

/* Product of the counts of one joined cell: lane j of the row at hand. */
static uint64_t row_count(const struct rows *r, const int64_t *offset, int64_t j)
{
	const struct gpube_contraction *c = r->c;
	uint64_t product = 1;

	for (int k = 0; k < c->n_in; k++)
		if (c->in[k].counts)
			product = gpube__count_mul(product,
				c->in[k].counts[offset[k] + j * lane_step(r, k)], c->modulus);
	return product;
}

static uint64_t repeated(const struct rows *r, uint64_t count)
{
	const uint64_t p = r->c->modulus, n = (uint64_t)r->shape.repeat;

	return gpube__count_mul(count, p ? n % p : n, p);
}

#define T     int32_t
#define X(n)  n##_i32
#define WORST INT32_MAX
#include "gpube/ops/contract/cpu/contract_rows_impl.h"
#define T     int64_t
#define X(n)  n##_i64
#define WORST INT64_MAX
#include "gpube/ops/contract/cpu/contract_rows_impl.h"

static void run_item(void *arg, int64_t item, int thread)
{
	struct rows *r = arg;
	int64_t to = (item + 1) * r->rows_per_item;

	if (gpube__stopped(r->ctx)) {
		__atomic_store_n(&r->stopped, 1, __ATOMIC_RELAXED);
		return;
	}
	to = to < r->n_rows ? to : r->n_rows;
	for (int64_t row = item * r->rows_per_item; row < to; row++)
		r->row(r, row, r->offset + (int64_t)thread * r->shape.n_in);
	gpube__work(r->ctx, r->ticks_per_item);
}

/* What a step of reduced dim d adds to an offset: itself, less what the wrapped dims had added. */
static void set_delta(struct rows *r)
{
	const struct gpube__shape *s = &r->shape;

	for (int k = 0; k < s->n_in; k++) {
		int64_t wrapped = 0;

		for (int d = s->n_dims - 1; d >= s->n_out; d--) {
			r->delta[k * s->ld + d] = s->stride[k * s->ld + d] - wrapped;
			wrapped += (s->size[d] - 1) * s->stride[k * s->ld + d];
		}
	}
}

uint64_t gpube__rows_scratch(const struct gpube_ctx *ctx, const struct gpube_contraction *c)
{
	return (uint64_t)c->n_in * (2 * GPUBE_MAX_DIMS + (uint64_t)ctx->n_threads) * 8;
}

int gpube__rows_contract(struct gpube_ctx *ctx, const struct gpube_contraction *c, void *scratch)
{
	static void (*const row_of_type[])(const struct rows *, int64_t, int64_t *) = {
		[GPUBE_INT32] = row_i32,
		[GPUBE_INT64] = row_i64,
	};
	struct rows r = {.ctx = ctx, .c = c, .row = row_of_type[c->type]};
	struct gpube__shape *s = &r.shape;
	int64_t cells_per_row, n_items;

	r.delta = (int64_t *)scratch + (int64_t)c->n_in * GPUBE_MAX_DIMS;
	r.offset = r.delta + (int64_t)c->n_in * GPUBE_MAX_DIMS;
	gpube__shape_init(s, c, scratch, c->out_arg != NULL);
	set_delta(&r);
	r.lanes = s->n_out ? s->size[s->n_out - 1] : 1;
	r.n_segments = (r.lanes + ROW_LANES - 1) / ROW_LANES;
	r.n_rows = s->n_out_cells / r.lanes * r.n_segments;
	cells_per_row = s->n_reduced * (r.lanes < ROW_LANES ? r.lanes : ROW_LANES);
	r.rows_per_item = 1 + (1 << 16) / cells_per_row;
	r.ticks_per_item = ROW_TICKS * r.rows_per_item * cells_per_row;
	n_items = (r.n_rows + r.rows_per_item - 1) / r.rows_per_item;
	if (!gpube__work_fits(ctx, (double)r.ticks_per_item * (double)n_items))
		return GPUBE_ESTOP;
	gpube__parallel(ctx, n_items, run_item, &r);
	return r.stopped ? GPUBE_ESTOP : GPUBE_OK;
}
