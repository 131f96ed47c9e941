/*
 * contract_cpu.c - runs a plan (contract_tile.h): walks the tiles, keeps the
 * sums of every level up to date, calls the kernels.
 *
 * Results do not depend on the number of threads: the plan does not, and an
 * output cell is computed by one thread, its reduced cells in a fixed order.
 */
#include <math.h>
#include <string.h>

#include "gpube/ops/contract/cpu/contract_tile.h"
#include "gpube/ops/semiring.h"

struct view {
	const char *at;
	int64_t step_x;
	const int64_t *rows;
};

struct walker {
	const struct gpube__run *r;
	const struct gpube__plan *p;
	char *scratch;
	int64_t at[GPUBE_MAX_DIMS]; /* trip of each loop */
	int64_t tile;               /* the next one, at which it stands; -1: it has not begun */
	/* the first loop that moved since the last; -1: nothing is summed yet */
	int moved;
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

static const char *operand_now(const struct walker *w, const struct gpube__op *op)
{
	const char *at = w->r->values[op->operand];

	for (int l = 0; l <= op->depth; l++)
		at += w->at[l] * op->loop_bytes[l];
	return at;
}

/* Adds a level's operands to pack->prev, one after the other, into pack->to. */
static void add_operands(
	const struct walker *w, const struct gpube__level *level, struct gpube__pack *pack)
{
	for (int i = level->from; i < level->to; i++) {
		const struct gpube__op *op = &w->p->ops[i];

		pack->from = operand_now(w, op);
		pack->x = op->x;
		pack->i = op->i;
		pack->mode = op->mode;
		pack->lanes = op->lanes;
		pack->lane_table = op->lane_table;
		w->p->kernels->pack[w->p->type](pack);
		pack->prev = pack->to;
		pack->prev_x = pack->to_x;
		pack->prev_rows = level->own_rows;
	}
}

/* The sum of one level in the tile at hand, or where its only operand is. */
static void sum_level(struct walker *w, int kind, int n)
{
	const struct gpube__plan *p = w->p;
	const struct gpube__level *level = &p->level[kind][n];
	struct view *view = &w->view[kind][n];
	struct gpube__pack pack; /* all of it is set below; clearing it first takes longer */
	/*
	 * what a loop over blocks does not move must hold for a whole block, also in the last one
	 */
	const int64_t nx = level->depth >= p->x_loop ? w->nx : p->n_x;
	const int64_t ni = level->depth >= p->row_loop ? w->ni : p->n_rows;
	const int64_t nj = level->depth >= p->lane_loop ? w->nj : p->n_lanes;

	pack.to = w->scratch + level->buffer;
	pack.to_x = level->step_x;
	pack.to_i = level->step_i;
	pack.prev = NULL;
	pack.nx = nx;
	pack.ni = level->row_unit ? ni / p->row_unit * level->row_unit : level->n_rows;
	pack.nj = kind == GPUBE__KIND_A ? ni : nj;

	view->step_x = level->step_x;
	view->rows = level->rows;
	if (level->direct) {
		view->at = operand_now(w, &p->ops[level->from]);
		return;
	}
	view->at = pack.to;
	if (n > 0) {
		pack.prev = w->view[kind][n - 1].at;
		pack.prev_x = w->view[kind][n - 1].step_x;
		pack.prev_rows = level->prev_rows;
	}
	add_operands(w, level, &pack);
}

/* Sums the levels that loops from 'moved' on move; -1: all of them. */
static void sum_levels(struct walker *w, int moved)
{
	const struct gpube__plan *p = w->p;

	for (int kind = 0; kind < GPUBE__N_KINDS; kind++) {
		bool again = moved < 0;

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

	/* without C the kernels want both others */
	t->a = a ? a->at : c ? NULL : zeros;
	t->a_x = a ? a->step_x : 0;
	t->b = b ? b->at : c ? NULL : zeros;
	t->b_x = b ? b->step_x : 0;
	t->c = c ? c->at : NULL;
	t->c_x = c ? c->step_x : 0;
	t->c_rows = c ? c->rows : NULL;
}

/* ---- a tile's values to the output ---------------------------------------------------------- */

/*
 * Rows of neighbours, which is the usual case: half of a contraction with arg-mins was this, one
 * 64-bit cell at a time.
 */
static void store_rows(const struct walker *w, int64_t base, int64_t threshold, int64_t top)
{
	const struct gpube__plan *p = w->p;
	const int64_t size = p->cell_bytes;
	const bool whole = w->r->stream && w->nj * size % 64 == 0;

	for (int64_t i = 0; i < w->ni; i++) {
		char *to = w->r->out + (base + p->out_rows[i]) * size;

		p->kernels->store[p->type](to, w->scratch + p->tile_at + i * p->pad_lanes * size,
			w->nj, threshold, top, whole && ((uintptr_t)to & 63) == 0);
	}
}

/* Cells of a tile, row by row, to wherever they belong. */
#define STORE_CELLS(T)                                                                             \
	for (int64_t i = 0; i < w->ni; i++) {                                                      \
		T *to = (T *)w->r->out + base + p->out_rows[i];                                    \
		const T *tile = (const T *)(w->scratch + p->tile_at) + i * p->pad_lanes;           \
                                                                                                   \
		for (int64_t j = 0; j < w->nj; j++)                                                \
			to[gpube__axis_at(&p->out_j, j)] =                                         \
				(T)gpube__top_min(tile[j], top, threshold);                        \
	}

static void store_values(const struct walker *w, int64_t base)
{
	const struct gpube__plan *p = w->p;
	const int64_t most = p->cell_bytes == 4 ? INT32_MAX : INT64_MAX;
	/* what is raw stays as it is: the largest cell is cut to itself */
	const int64_t top = w->r->raw ? most : w->r->c->top,
		      threshold = w->r->raw ? most : w->r->c->threshold;

	if (!p->out_j.table && p->out_j.step == 1)
		store_rows(w, base, threshold, top);
	else if (p->cell_bytes == 4)
		STORE_CELLS(int32_t)
	else
		STORE_CELLS(int64_t)
}

/*
 * Arg-mins of a tile, which are words of FROM; the loop without a choice inside is the usual one.
 */
#define STORE_ARGS(TO, FROM)                                                                       \
	for (int64_t i = 0; i < w->ni; i++) {                                                      \
		const int64_t cells = w->nj;                                                       \
		TO *to = (TO *)w->r->arg + base + p->out_rows[i];                                  \
		const FROM *arg = (const FROM *)(w->scratch + p->extra_at) + i * p->pad_lanes;     \
                                                                                                   \
		if (!p->out_j.table && p->out_j.step == 1)                                         \
			_Pragma("omp simd") for (int64_t j = 0; j < cells; j++) to[j] =            \
				(TO)arg[j];                                                        \
		else                                                                               \
			for (int64_t j = 0; j < cells; j++)                                        \
				to[gpube__axis_at(&p->out_j, j)] = (TO)arg[j];                     \
	}

#define STORE_ARGS_AS(TO)                                                                          \
	do {                                                                                       \
		if (p->cell_bytes == 4)                                                            \
			STORE_ARGS(TO, uint32_t)                                                   \
		else                                                                               \
			STORE_ARGS(TO, int64_t)                                                    \
	} while (0)

static void store_args(const struct walker *w, int64_t base)
{
	const struct gpube__plan *p = w->p;

	switch (w->r->arg_bytes) {
	case 1:
		STORE_ARGS_AS(uint8_t);
		break;
	case 2:
		STORE_ARGS_AS(uint16_t);
		break;
	case 4:
		STORE_ARGS_AS(uint32_t);
		break;
	default:
		STORE_ARGS_AS(int64_t);
	}
}

static void store_tile(const struct walker *w, int64_t base)
{
	store_values(w, base);
	if (w->r->arg)
		store_args(w, base);
}

/* ---- walking --------------------------------------------------------------------------------- */

static bool can_stream(const struct walker *w, const struct gpube__tile *t)
{
	const uint64_t bytes = (uint64_t)t->nj * (uint64_t)w->p->cell_bytes;

	return w->r->stream && w->p->direct_out && w->p->aligned_rows && w->p->n_turns == 1 &&
	       ((uintptr_t)t->out & 63) == 0 && bytes % 64 == 0;
}

/* One tile of outputs: all turns of the reducing loops. 'moved' is the first loop that moved. */
static void run_tile(struct walker *w, int moved)
{
	const struct gpube__plan *p = w->p;
	const struct gpube__run *r = w->r;
	const int64_t base = offset_now(w, p->shape.out_stride, 0, p->n_out_loops);
	struct gpube__tile t; /* all of it is set below */

	t.out = p->direct_out ? r->out + base * p->cell_bytes : w->scratch + p->tile_at;
	t.out_rows = p->direct_out ? p->out_rows : p->tile_rows;
	t.extra = w->scratch + p->extra_at;
	t.extra_i = p->pad_lanes;
	t.arg = p->arg_x;
	t.top = r->c->top;
	t.threshold = r->c->threshold;
	w->ni = t.ni = cells_now(w, p->row_loop, p->n_rows, p->row_unit);
	w->nj = t.nj = cells_now(w, p->lane_loop, p->n_lanes, p->lane_unit);
	t.stream = can_stream(w, &t);
	GPUBE_KNOWN(p->n_turns > 0);
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

static void begin(struct walker *w, const struct gpube__run *r, char *scratch)
{
	w->r = r;
	w->p = r->plan;
	w->scratch = scratch;
	memset(w->at, 0, (size_t)r->plan->n_loops * sizeof(*w->at));
	w->tile = 0;
	w->moved = -1;
}

/* To another tile. What no loop moves is still summed, if it was. */
static void go_to(struct walker *w, int64_t tile)
{
	w->tile = tile;
	w->moved = w->moved < 0 ? -1 : 0;
	for (int l = w->p->n_out_loops - 1; l >= 0; l--) {
		w->at[l] = tile % w->p->loop[l].trips;
		tile /= w->p->loop[l].trips;
	}
}

static void run_tiles(struct walker *w, int64_t to)
{
	const struct gpube__plan *p = w->p;

	for (; w->tile < to; w->tile++) {
		int l = p->n_out_loops - 1;

		run_tile(w, w->moved);
		for (; l >= 0 && ++w->at[l] == p->loop[l].trips; l--)
			w->at[l] = 0;
		w->moved = l;
	}
}

/* Work: one of many contractions that share a plan. */
enum { CALL_TICKS = 100 };

static bool stopped(struct gpube__run *r)
{
	if (!gpube__stopped(r->ctx))
		return false;
	__atomic_store_n(&r->stopped, 1, __ATOMIC_RELAXED);
	return true;
}

#define WALKER_BYTES ((sizeof(struct walker) + 63) / 64 * 64)

static struct walker *walker_of(const struct gpube__run *r, int thread)
{
	return (struct walker *)(r->scratch + (uint64_t)thread * r->scratch_bytes);
}

/* Of the tiles before one: in sum they are the contraction's, however many tiles it has. */
static int64_t ticks_until(const struct gpube__run *r, int64_t tile)
{
	return (int64_t)(r->ticks * ((double)tile / (double)r->plan->n_tiles));
}

/* A thread's items mostly follow on each other: its walker goes on where it is. */
static void run_item(void *arg, int64_t item, int thread)
{
	struct gpube__run *r = arg;
	const int64_t n_tiles = r->plan->n_tiles, from = item * r->tiles_per_item;
	struct walker *w = walker_of(r, thread);
	int64_t n;

	if (stopped(r))
		return;
	if (w->tile < 0)
		begin(w, r, (char *)w + WALKER_BYTES);
	if (w->tile != from)
		go_to(w, from);
	n = n_tiles - from < r->tiles_per_item ? n_tiles - from : r->tiles_per_item;
	run_tiles(w, from + n);
	gpube__work(r->ctx, ticks_until(r, from + n) - ticks_until(r, from));
	if (r->stream)
		gpube__stream_fence();
}

/* Eight items for each thread, if they are large enough: none waits long for the last. */
static int64_t tiles_per_item(const struct gpube__run *r)
{
	const struct gpube__plan *p = r->plan;
	const int64_t tiles = p->n_tiles / (8 * (int64_t)r->ctx->n_threads);

	if (tiles < p->fewest_tiles)
		return p->fewest_tiles;
	return tiles < p->most_tiles ? tiles : p->most_tiles;
}

/*
 * A thread's walker and sums, and a page that nobody uses: a core that writes up to the end of its
 * part fetches what lies behind, as far as the page goes. When that was the next thread's part, two
 * cores took 4 % longer for a contraction of 80 microseconds.
 */
uint64_t gpube__run_scratch(const struct gpube__plan *p)
{
	return WALKER_BYTES + ((uint64_t)p->scratch_bytes + 63) / 64 * 64 + 4096;
}

int gpube__run_plan(struct gpube__run *r)
{
	const int64_t n_tiles = r->plan->n_tiles;
	int64_t n;

	if (r->one_of_many) {
		struct walker w; /* not cleared: it is large beside a small contraction */

		if (!stopped(r)) {
			begin(&w, r, r->scratch);
			run_tiles(&w, n_tiles);
			gpube__work(r->ctx, CALL_TICKS + (int64_t)gpube__contraction_ticks(r->c));
		}
		return r->stopped ? GPUBE_ESTOP : GPUBE_OK;
	}
	r->tiles_per_item = tiles_per_item(r);
	r->ticks = gpube__contraction_ticks(r->c);
	if (!gpube__work_fits(r->ctx, r->ticks))
		return GPUBE_ESTOP;
	n = (n_tiles + r->tiles_per_item - 1) / r->tiles_per_item;
	for (int k = 0; k < r->ctx->n_threads && k < n; k++)
		walker_of(r, k)->tile = -1;
	gpube__parallel(r->ctx, n, run_item, r);
	return r->stopped ? GPUBE_ESTOP : GPUBE_OK;
}
