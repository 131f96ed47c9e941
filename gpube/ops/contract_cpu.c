/*
 * contract_cpu.c - runs a plan (contract_tile.h): walks the tiles, keeps the
 * sums of every level up to date, calls the kernels.
 *
 * Results do not depend on the number of threads: the plan does not, and an
 * output cell is computed by one thread, its reduced cells in a fixed order.
 */
#include <math.h>
#include <string.h>

#include "gpube/ops/contract_tile.h"
#include "gpube/ops/semiring.h"

struct view {
	const char *at;
	int64_t step_x, step_i;
};

struct walker {
	const struct gpube__run *r;
	const struct gpube__plan *p;
	char *scratch;
	int64_t at[GPUBE_MAX_DIMS]; /* trip of each loop */
	int64_t nx, ni, nj;
	struct view view[GPUBE__N_KINDS][GPUBE__MAX_LEVELS];
};

/* At least as many cells as a tile has rows or lanes. */
static const char zeros[(GPUBE__MAX_LANES + 64) * 8];

/* Cells of a group in the tile at hand: its last block may be short. */
static int64_t cells_now(const struct walker *w, int loop, int64_t whole, int64_t unit)
{
	const struct gpube__loop *l = &w->p->loop[loop < 0 ? 0 : loop];
	int64_t left;

	if (loop < 0)
		return whole;
	left = w->p->shape.size[l->dim] - w->at[loop] * l->by;
	return (left < l->by ? left : l->by) * unit;
}

static int64_t offset_now(const struct walker *w, const int64_t *stride, int from, int to)
{
	int64_t offset = 0;

	for (int l = from; l < to; l++)
		offset += w->at[l] * w->p->loop[l].by * stride[w->p->loop[l].dim];
	return offset;
}

static const char *operand_now(const struct walker *w, int k)
{
	const struct gpube__plan *p = w->p;

	return w->r->values[k] +
	       offset_now(w, p->shape.stride + k * p->shape.ld, 0, p->n_loops) * p->cell_bytes;
}

static void sum_level(struct walker *w, int kind, int n)
{
	const struct gpube__plan *p = w->p;
	const struct gpube__level *level = &p->level[kind][n];
	struct view *view = &w->view[kind][n];
	struct gpube__pack pack = {
		.to = w->scratch + level->buffer,
		.to_x = level->step_x,
		.to_i = level->step_i,
	};
	/* what a loop over blocks does not move must hold for a whole block, also in the last one */
	const int64_t nx = level->depth >= p->x_loop ? w->nx : p->n_x;
	const int64_t ni = level->depth >= p->row_loop ? w->ni : p->n_rows;
	const int64_t nj = level->depth >= p->lane_loop ? w->nj : p->n_lanes;

	pack.nx = nx;
	pack.ni = kind == GPUBE__KIND_C ? ni : 1;
	pack.nj = kind == GPUBE__KIND_A ? ni : nj;

	view->step_x = level->step_x;
	view->step_i = level->step_i;
	if (level->direct) {
		view->at = operand_now(w, p->ops[level->from].operand);
		return;
	}
	view->at = pack.to;
	if (n > 0) {
		pack.prev = w->view[kind][n - 1].at;
		pack.prev_x = w->view[kind][n - 1].step_x;
		pack.prev_i = w->view[kind][n - 1].step_i;
	}
	for (int i = level->from; i < level->to; i++) {
		const struct gpube__op *op = &p->ops[i];

		pack.from = operand_now(w, op->operand);
		pack.x = op->x;
		pack.i = op->i;
		pack.mode = op->mode;
		pack.lane_step = op->lane_step;
		pack.lane_table = op->lane_table;
		p->kernels->pack[p->type](&pack);
		pack.prev = pack.to;
		pack.prev_x = pack.to_x;
		pack.prev_i = pack.to_i;
	}
}

/* Sums the levels that loops from 'moved' on move; -1: all of them. */
static void sum_levels(struct walker *w, int moved)
{
	const struct gpube__plan *p = w->p;

	for (int kind = 0; kind < GPUBE__N_KINDS; kind++) {
		bool again = false;

		for (int n = 0; n < p->n_levels[kind]; n++) {
			again |= p->level[kind][n].depth >= moved;
			if (again)
				sum_level(w, kind, n);
		}
	}
}

static const struct view *sum_of(const struct walker *w, int kind)
{
	const int n = w->p->n_levels[kind];

	return n ? &w->view[kind][n - 1] : NULL;
}

static void set_operands(const struct walker *w, struct gpube__tile *t)
{
	const struct view *a = sum_of(w, GPUBE__KIND_A), *b = sum_of(w, GPUBE__KIND_B);
	const struct view *c = sum_of(w, GPUBE__KIND_C);

	if (a) {
		t->a = a->at;
		t->a_x = a->step_x;
	}
	if (b) {
		t->b = b->at;
		t->b_x = b->step_x;
	}
	if (c) {
		t->c = c->at;
		t->c_x = c->step_x;
		t->c_i = c->step_i;
		return;
	}
	/* without C the kernels want both others */
	t->a = a ? t->a : zeros;
	t->b = b ? t->b : zeros;
}

/* ---- a tile's values to the output ---------------------------------------------------------- */

static double log_value(double top, double sum, double repeat)
{
	return top == -INFINITY ? top : top + log(sum * repeat);
}

static void store_value(const struct walker *w, int64_t from, int64_t to)
{
	const struct gpube_contraction *c = w->r->c;
	const char *tile = w->scratch + w->p->tile_at;
	const char *extra = w->scratch + w->p->extra_at;
	const double repeat = (double)w->p->shape.repeat;
	const bool lse = w->p->kernel == GPUBE__KERNEL_LSE, max = c->semiring == GPUBE_MAX_PLUS;
	const bool raw = w->r->raw;
	int64_t v;

	switch (c->type) {
	case GPUBE_INT32:
		v = ((const int32_t *)tile)[from];
		if (!raw)
			v = max ? gpube__cut_max(v, c->cut, c->threshold)
				: gpube__cut_min(v, c->cut, c->threshold);
		((int32_t *)w->r->out)[to] = (int32_t)v;
		break;
	case GPUBE_INT64:
		v = ((const int64_t *)tile)[from];
		if (!raw)
			v = max ? gpube__cut_max(v, c->cut, c->threshold)
				: gpube__cut_min(v, c->cut, c->threshold);
		((int64_t *)w->r->out)[to] = v;
		break;
	case GPUBE_FLOAT32:
		((float *)w->r->out)[to] = lse ? (float)log_value(((const float *)tile)[from],
							 ((const float *)extra)[from], repeat)
					       : ((const float *)tile)[from];
		break;
	default:
		((double *)w->r->out)[to] = lse ? log_value(((const double *)tile)[from],
							  ((const double *)extra)[from], repeat)
						: ((const double *)tile)[from];
	}
}

static void store_tile(const struct walker *w, int64_t base)
{
	const struct gpube__plan *p = w->p;
	const char *extra = w->scratch + p->extra_at;

	for (int64_t i = 0; i < w->ni; i++) {
		const int64_t row = base + gpube__axis_at(&p->out_i, i);

		for (int64_t j = 0; j < w->nj; j++)
			store_value(w, i * p->pad_lanes + j, row + gpube__axis_at(&p->out_j, j));
	}
	for (int64_t i = 0; w->r->arg && i < w->ni; i++) {
		const int64_t row = base + gpube__axis_at(&p->out_i, i);

		for (int64_t j = 0; j < w->nj; j++) {
			const int64_t from = i * p->pad_lanes + j;
			const int64_t arg = p->cell_bytes == 4 ? ((const uint32_t *)extra)[from]
							       : ((const int64_t *)extra)[from];

			gpube__store_arg(w->r->arg, w->r->arg_bytes,
				row + gpube__axis_at(&p->out_j, j), arg);
		}
	}
}

/* ---- walking ---------------------------------------------------------------------------------- */

static bool can_stream(const struct walker *w, const struct gpube__tile *t)
{
	const uint64_t row_bytes = (uint64_t)t->out_i * (uint64_t)w->p->cell_bytes;
	const uint64_t bytes = (uint64_t)t->nj * (uint64_t)w->p->cell_bytes;

	return w->r->stream && w->p->direct_out && w->p->n_turns == 1 &&
	       (((uintptr_t)t->out | row_bytes | bytes) & 63) == 0;
}

/* One tile of outputs: all turns of the reducing loops. 'moved' is the first loop that moved. */
static void run_tile(struct walker *w, int moved)
{
	const struct gpube__plan *p = w->p;
	const struct gpube__run *r = w->r;
	const int64_t base = offset_now(w, p->shape.out_stride, 0, p->n_out_loops);
	struct gpube__tile t = {
		.out = r->out + base * p->cell_bytes,
		.out_i = p->out_i.step,
		.extra = w->scratch + p->extra_at,
		.extra_i = p->pad_lanes,
		.arg = p->arg_x,
		.cut = r->c->cut,
		.threshold = r->c->threshold,
	};

	if (!p->direct_out) {
		t.out = w->scratch + p->tile_at;
		t.out_i = p->pad_lanes;
	}
	w->ni = t.ni = cells_now(w, p->row_loop, p->n_rows, p->row_unit);
	w->nj = t.nj = cells_now(w, p->lane_loop, p->n_lanes, p->lane_unit);
	t.stream = can_stream(w, &t);
	for (int64_t turn = 0; turn < p->n_turns; turn++) {
		int l = p->n_loops - 1;

		w->nx = t.nx = cells_now(w, p->x_loop, p->n_x, p->x_unit);
		sum_levels(w, moved);
		set_operands(w, &t);
		t.arg_base = r->arg_base +
			     offset_now(w, p->shape.arg_stride, p->n_out_loops, p->n_loops);
		t.first = turn == 0;
		t.last = turn == p->n_turns - 1 && p->direct_out && !r->raw;
		p->kernels->tile[p->kernel][p->type](&t);
		for (; l >= p->n_out_loops && ++w->at[l] == p->loop[l].trips; l--)
			w->at[l] = 0;
		moved = l >= p->n_out_loops ? l : p->n_out_loops;
	}
	if (!p->direct_out)
		store_tile(w, base);
}

static void run_item(void *arg, int64_t item, int thread)
{
	struct gpube__run *r = arg;
	const struct gpube__plan *p = r->plan;
	struct walker w = {.r = r, .p = p};
	int64_t tile = item * r->tiles_per_item, to = tile + r->tiles_per_item;
	int moved = -1;

	if (gpube__stopped(r->ctx)) {
		__atomic_store_n(&r->stopped, 1, __ATOMIC_RELAXED);
		return;
	}
	to = to < p->n_tiles ? to : p->n_tiles;
	w.scratch = r->scratch + (uint64_t)thread * r->scratch_bytes;
	for (int l = p->n_out_loops - 1; l >= 0; l--) {
		w.at[l] = tile % p->loop[l].trips;
		tile /= p->loop[l].trips;
	}
	for (tile = item * r->tiles_per_item; tile < to; tile++) {
		int l = p->n_out_loops - 1;

		run_tile(&w, moved);
		for (; l >= 0 && ++w.at[l] == p->loop[l].trips; l--)
			w.at[l] = 0;
		moved = l;
	}
	if (r->stream)
		p->kernels->fence();
}

int gpube__run_plan(struct gpube__run *r)
{
	/*
	 * An item is worth some 20 microseconds, to be stopped between them, and many
	 * times the sums that every item begins with.
	 */
	const double cycles = r->plan->choice.cycles / (double)r->plan->n_tiles;
	const double item = fmax(60000, 16 * r->plan->setup_cycles);

	r->tiles_per_item = 1 + (int64_t)fmin(item / cycles, (double)r->plan->n_tiles);
	gpube__parallel(r->ctx,
		(r->plan->n_tiles + r->tiles_per_item - 1) / r->tiles_per_item, run_item, r);
	return r->stopped ? GPUBE_ESTOP : GPUBE_OK;
}
