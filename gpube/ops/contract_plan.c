/*
 * contract_plan.c - how a contraction is cut into tiles (contract_tile.h).
 *
 * A handful of choices for the lanes, the rows and the reduced cells of a tile
 * are priced in cycles, and the cheapest is taken; the larger the contraction,
 * the more are looked at. The prices need not be right, only their order.
 */
#include <math.h>
#include <string.h>

#include "gpube/ops/contract_tile.h"

#define BIT(d) ((uint64_t)1 << (d))

struct planner {
	struct gpube__plan *p;
	uint64_t *dims_of; /* of each operand */
	int64_t *cells_of;
	int w;		   /* lanes of a vector of the widest kernels */
	uint64_t free_ops; /* operands that will be laid out as the plan likes */
	int left;	   /* choices that may still be priced */
	struct gpube__choice best;
};

/* ---- groups of dims ---------------------------------------------------------- */

static int first_dim(uint64_t dims)
{
	return dims ? __builtin_ctzll(dims) : -1;
}

static uint64_t out_dims(const struct gpube__shape *s)
{
	return s->n_out < 64 ? BIT(s->n_out) - 1 : ~(uint64_t)0;
}

/* Product of the sizes of a group's dims but the first. */
static int64_t unit_of(const struct gpube__shape *s, uint64_t dims)
{
	int64_t unit = 1;

	for (uint64_t m = dims & (dims - 1); m; m &= m - 1)
		unit *= s->size[first_dim(m)];
	return unit;
}

/* Steps along a group: affine if neighbours in the flattened group are always 'step' apart. */
static bool affine(const struct gpube__shape *s, const int64_t *stride, uint64_t dims,
	int64_t *step)
{
	int64_t expected = -1;

	*step = 0;
	if (!dims)
		return true;
	for (int d = 63 - __builtin_clzll(dims); d >= 0; d--) {
		if (!(dims & BIT(d)))
			continue;
		if (expected < 0)
			*step = expected = stride[d];
		else if (stride[d] != expected)
			return false;
		expected *= s->size[d];
	}
	return true;
}

/* The values of a group's first dim that make blocks of at most 'cap' cells, evenly. */
static int64_t block_of(const struct gpube__shape *s, uint64_t dims, int64_t cap, int64_t whole)
{
	int64_t size, unit, block, pieces;

	if (!dims)
		return 1;
	size = s->size[first_dim(dims)];
	unit = unit_of(s, dims);
	block = cap / unit > 1 ? cap / unit : 1;
	if (block >= size)
		return size;
	pieces = (size + block - 1) / block;
	block = (size + pieces - 1) / pieces;
	if (unit == 1 && whole > 1)
		block = (block + whole - 1) / whole * whole;
	return block < size ? block : size;
}

static int64_t padded(int64_t n, int w)
{
	return (n + w - 1) / w * w;
}

/* ---- loops ---------------------------------------------------------------------- */

static void add_loop(struct gpube__plan *p, int dim, int64_t by)
{
	const int64_t trips = (p->shape.size[dim] + by - 1) / by;

	if (trips == 1)
		return;
	p->loop[p->n_loops++] = (struct gpube__loop){dim, trips, by};
	if (dim < p->shape.n_out) {
		p->n_out_loops++;
		p->n_tiles *= trips;
	} else {
		p->n_turns *= trips;
	}
}

static double runs_to(const struct gpube__plan *p, int depth)
{
	return p->runs[depth + 1];
}

static int depth_of(const struct gpube__plan *p, uint64_t dims)
{
	for (int l = p->n_loops - 1; l >= 0; l--)
		if (dims & BIT(p->loop[l].dim))
			return l;
	return -1;
}

/* ---- kinds and modes --------------------------------------------------------------- */

static const int64_t *stride_of(const struct gpube__plan *p, int k)
{
	return p->shape.stride + k * p->shape.ld;
}

static enum gpube__lane_mode lane_mode(const struct gpube__plan *p, const int64_t *stride,
	uint64_t lanes, uint64_t rows, uint64_t x, int64_t *step)
{
	const bool is_affine = affine(&p->shape, stride, lanes, step);
	int64_t other;

	if (!lanes || (is_affine && *step == 1))
		return GPUBE__LANE_NEXT;
	if (is_affine && *step == 0)
		return GPUBE__LANE_SAME;
	if (!is_affine)
		return GPUBE__LANE_TABLE;
	if (affine(&p->shape, stride, x, &other) && other == 1)
		return GPUBE__LANE_TURN_X;
	if (affine(&p->shape, stride, rows, &other) && other == 1)
		return GPUBE__LANE_TURN_I;
	return GPUBE__LANE_TABLE;
}

/*
 * Where there is one row, B and C are the same: the operand that moves fastest
 * is C, and B what is added to it. B alone, or with A, is what kernels call C.
 */
static void set_kinds(const struct planner *pl, const struct gpube__choice *ch, signed char *kind)
{
	const int n_in = pl->p->shape.n_in;
	int largest = -1;

	for (int k = 0; k < n_in; k++) {
		const bool lanes = pl->dims_of[k] & ch->lanes, rows = pl->dims_of[k] & ch->rows;

		kind[k] = lanes ? rows ? GPUBE__KIND_C : GPUBE__KIND_B : GPUBE__KIND_A;
		if (lanes && (largest < 0 || pl->cells_of[k] > pl->cells_of[largest]))
			largest = k;
	}
	if (!ch->rows && largest >= 0)
		kind[largest] = GPUBE__KIND_C;
	for (int k = 0; k < n_in; k++)
		if ((kind[k] == GPUBE__KIND_B && ch->b_into_c) ||
			(kind[k] == GPUBE__KIND_A && ch->a_into_c))
			kind[k] = GPUBE__KIND_C;
}

static bool is_free(const struct planner *pl, int k)
{
	return k < 64 && (pl->free_ops & BIT(k));
}

/* The mode that a table laid out for this choice has. */
static enum gpube__lane_mode free_mode(uint64_t dims, uint64_t group)
{
	if ((dims & group) == group)
		return GPUBE__LANE_NEXT;
	return dims & group ? GPUBE__LANE_TABLE : GPUBE__LANE_SAME;
}

/* Does a vector of lanes lie in few neighbouring cells of the operand? (If sizes divide it.) */
static bool near_lanes(const struct planner *pl, int k, uint64_t lanes)
{
	const struct gpube__plan *p = pl->p;
	const struct gpube__shape *s = &p->shape;
	int64_t n = 1, span = 1;

	for (uint64_t m = lanes; m && n < p->w;) {
		const int d = 63 - __builtin_clzll(m);
		const int64_t left = (p->w + n - 1) / n;

		span += ((s->size[d] < left ? s->size[d] : left) - 1) * stride_of(pl->p, k)[d];
		n *= s->size[d];
		m &= ~BIT(d);
	}
	return span <= p->w || is_free(pl, k);
}

/* Rows of a tile that differ in these dims. */
static int64_t rows_of(const struct gpube__plan *p, const struct gpube__choice *ch, uint64_t dims)
{
	int64_t n = 1;

	for (uint64_t m = dims; m; m &= m - 1)
		n *= first_dim(m) == first_dim(ch->rows) ? ch->row_block
							 : p->shape.size[first_dim(m)];
	return n;
}

static struct gpube__op make_op(
	const struct planner *pl, const struct gpube__choice *ch, int k, int kind)
{
	const struct gpube__plan *p = pl->p;
	const uint64_t lanes = kind == GPUBE__KIND_A ? ch->rows : ch->lanes;
	const uint64_t rows = kind == GPUBE__KIND_C ? ch->rows : 0;
	struct gpube__op op = {.operand = k, .kind = kind};

	op.depth = depth_of(p, pl->dims_of[k]);
	op.n_rows = rows_of(p, ch, pl->dims_of[k] & rows);
	op.near_lanes = near_lanes(pl, k, lanes);
	op.mode = is_free(pl, k) ? free_mode(pl->dims_of[k], lanes)
				 : lane_mode(p, stride_of(p, k), lanes, rows, ch->x, &op.lane_step);
	return op;
}

static bool all_or_none(uint64_t dims, uint64_t group)
{
	return (dims & group) == group || (dims & group) == 0;
}

static bool can_be_direct(const struct planner *pl, const struct gpube__choice *ch,
	const struct gpube__op *op)
{
	const struct gpube__plan *p = pl->p;
	const int64_t *stride = stride_of(p, op->operand);
	const uint64_t dims = pl->dims_of[op->operand];
	int64_t step;

	if (op->mode != GPUBE__LANE_NEXT)
		return false;
	if (is_free(pl, op->operand)) {
		const int blocks = op->kind == GPUBE__KIND_A ? p->row_loop : p->lane_loop;

		return all_or_none(dims, ch->x) && (op->kind == GPUBE__KIND_C || blocks < 0);
	}
	if (!affine(&p->shape, stride, ch->x, &step))
		return false;
	if (op->kind == GPUBE__KIND_C)
		return true;
	/* A and B are read many times: not from all over memory */
	return (double)step * (double)p->n_x * p->cell_bytes <= 16384;
}

/* ---- loops, when the kinds are known ------------------------------------------------- */

/*
 * Output loops that move the largest sums go outside, so that these are taken
 * seldom; but a table that no cache holds is best read in its order.
 */
static void sort_loops(const struct planner *pl, const signed char *kinds)
{
	struct gpube__plan *p = pl->p;
	double weight[GPUBE_MAX_DIMS];

	for (int k = 0; k < p->shape.n_in; k++)
		if ((double)pl->cells_of[k] * p->cell_bytes > 4e6)
			return;
	for (int l = 0; l < p->n_out_loops; l++) {
		weight[l] = 0;
		for (int k = 0; k < p->shape.n_in; k++)
			if (pl->dims_of[k] & BIT(p->loop[l].dim))
				weight[l] += (kinds[k] == GPUBE__KIND_A ? 1 : (double)p->n_lanes) *
					     (kinds[k] == GPUBE__KIND_B ? 1 : (double)p->n_rows);
	}
	for (int i = 1; i < p->n_out_loops; i++)
		for (int j = i; j > 0 && weight[j] > weight[j - 1]; j--) {
			const struct gpube__loop loop = p->loop[j];
			const double t = weight[j];

			p->loop[j] = p->loop[j - 1];
			p->loop[j - 1] = loop;
			weight[j] = weight[j - 1];
			weight[j - 1] = t;
		}
}

static int find_loop(const struct gpube__plan *p, uint64_t group)
{
	for (int l = 0; l < p->n_loops; l++)
		if (p->loop[l].dim == first_dim(group))
			return l;
	return -1;
}

static void set_loops(
	const struct planner *pl, const struct gpube__choice *ch, const signed char *kinds)
{
	struct gpube__plan *p = pl->p;
	const struct gpube__shape *s = &p->shape;

	p->n_loops = p->n_out_loops = 0;
	p->n_tiles = p->n_turns = 1;
	for (int d = 0; d < s->n_dims; d++) {
		if (d == first_dim(ch->lanes))
			add_loop(p, d, ch->lane_block);
		else if (d == first_dim(ch->rows))
			add_loop(p, d, ch->row_block);
		else if (d == first_dim(ch->x))
			add_loop(p, d, ch->x_block);
		else if (!((ch->lanes | ch->rows | ch->x) & BIT(d)))
			add_loop(p, d, 1);
	}
	p->lane_unit = unit_of(s, ch->lanes);
	p->row_unit = unit_of(s, ch->rows);
	p->x_unit = unit_of(s, ch->x);
	p->n_lanes = p->lane_unit * ch->lane_block;
	p->n_rows = p->row_unit * ch->row_block;
	p->n_x = p->x_unit * ch->x_block;
	p->fold = 1;
	for (uint64_t m = ch->lanes & ~out_dims(s); m; m &= m - 1)
		p->fold *= s->size[first_dim(m)];
	p->narrow = p->kernels->narrow ? p->kernels->narrow() : NULL;
	if (p->narrow && p->n_lanes * p->cell_bytes > p->narrow->vector_bytes)
		p->narrow = NULL;
	p->w = (p->narrow ? p->narrow : p->kernels)->vector_bytes / p->cell_bytes;
	p->pad_lanes = padded(p->n_lanes, p->w);
	p->pad_rows = padded(p->n_rows, p->w);
	sort_loops(pl, kinds);
	p->runs[0] = 1;
	for (int l = 0; l < p->n_loops; l++)
		p->runs[l + 1] = p->runs[l] * (double)p->loop[l].trips;
	p->lane_loop = find_loop(p, ch->lanes);
	p->row_loop = find_loop(p, ch->rows);
	p->x_loop = find_loop(p, ch->x);
}

/* ---- prices, in cycles of a core with AVX-512; other cores have the same order ------------- */

static double pack_cycles(const struct gpube__plan *p, const struct gpube__op *op, int w)
{
	const double nx = (double)p->n_x, ni = (double)op->n_rows;
	const double vectors = (double)(op->kind == GPUBE__KIND_A ? p->pad_rows : p->pad_lanes) / w;

	switch (op->mode) {
	case GPUBE__LANE_SAME:
	case GPUBE__LANE_NEXT:
		return 20 + nx * ni * (3 + 1.5 * vectors);
	case GPUBE__LANE_TABLE:
		return 20 + nx * ni * (3 + (op->near_lanes ? 4 : w) * vectors);
	case GPUBE__LANE_TURN_X:
		return 20 + ni * vectors * ceil(nx / w) * 5 * w;
	default:
		return 20 + nx * vectors * ceil(ni / w) * 5 * w;
	}
}

/*
 * Memory traffic of an operand that no cache holds: whole cache lines, for each
 * tile that reads it, although it may use few of their cells.
 */
static double memory_cycles(const struct planner *pl, const struct gpube__choice *ch,
	const struct gpube__op *op)
{
	const struct gpube__plan *p = pl->p;
	const int64_t *stride = stride_of(p, op->operand);
	const uint64_t inside = (ch->lanes | ch->rows | ch->x) & pl->dims_of[op->operand];
	double run = 1, cells = 1, lines;
	bool found = true;

	if ((double)pl->cells_of[op->operand] * p->cell_bytes < 1e6)
		return 0;
	for (uint64_t m = inside; m; m &= m - 1) {
		const int d = first_dim(m);
		int64_t n = p->shape.size[d];

		if (d == first_dim(ch->lanes) && p->lane_loop >= 0)
			n = ch->lane_block;
		if (d == first_dim(ch->rows) && p->row_loop >= 0)
			n = ch->row_block;
		if (d == first_dim(ch->x) && p->x_loop >= 0)
			n = ch->x_block;
		cells *= (double)n;
	}
	while (found && run < cells) {
		found = false;
		for (uint64_t m = inside; m && !found; m &= m - 1)
			if ((double)stride[first_dim(m)] == run) {
				run *= (double)p->shape.size[first_dim(m)];
				found = true;
			}
	}
	run = run < cells && !is_free(pl, op->operand) ? run : cells;
	lines = cells / run * ceil(run * p->cell_bytes / 64 + (run > 1 ? 0.5 : 0));
	return runs_to(p, op->depth) * (lines * 64 / 5 + cells / run * 30);
}

static double chain_cycles(const struct planner *pl, const struct gpube__choice *ch, int kind,
	const signed char *kinds)
{
	const struct gpube__plan *p = pl->p;
	const int64_t cells = p->n_x * (kind == GPUBE__KIND_A ? p->pad_rows : p->pad_lanes) *
			      (kind == GPUBE__KIND_C ? p->n_rows : 1);
	double cycles = 0;
	int n = 0, n_direct = 0, shallow = 0;
	double shallow_cycles = 0;

	for (int k = 0; k < p->shape.n_in; k++) {
		struct gpube__op op;
		double t;

		if (kinds[k] != kind)
			continue;
		op = make_op(pl, ch, k, kind);
		t = runs_to(p, op.depth) * pack_cycles(p, &op, p->w);
		cycles += t + memory_cycles(pl, ch, &op);
		if (n == 0 || op.depth < shallow) {
			shallow = op.depth;
			n_direct = 0;
		}
		if (op.depth == shallow) {
			n_direct++;
			shallow_cycles = can_be_direct(pl, ch, &op) ? t : 0;
		}
		n++;
	}
	/* the first level is read in place if it is one operand in the right layout */
	if (n_direct == 1)
		cycles -= shallow_cycles;
	if ((n > 1 || (n == 1 && shallow_cycles == 0)) && cells > GPUBE__MAX_PACKED)
		return INFINITY;
	return cycles;
}

/*
 * The kernel on one tile. An add and a min a cycle; an add more with all kinds. What
 * a tile has beyond the first-level cache (32 KB, say) comes from the second:
 * C for every vector, B and A once for eight rows.
 */
static double kernel_cycles(const struct planner *pl, const signed char *kinds)
{
	const struct gpube__plan *p = pl->p;
	const double vectors = (double)(p->pad_lanes / p->w);
	const double steps = (double)p->n_x * (double)p->n_rows * vectors;
	const double eights = (double)p->n_x * ceil((double)p->n_rows / 8) * vectors;
	const int64_t b_bytes = p->n_x * p->pad_lanes * p->cell_bytes;
	int there = 0;
	double cycles;

	for (int k = 0; k < p->shape.n_in; k++)
		there |= 1 << kinds[k];
	if (p->fold > 1) {
		const double outputs = (double)p->n_rows * (double)(p->n_lanes / p->fold);
		const double in_each = ceil((double)p->fold / p->w);

		if (!(there & 1 << GPUBE__KIND_C))
			return INFINITY;
		return outputs * ((double)p->n_x * in_each * 2 + 2.5);
	}
	cycles = steps * (there == 7 ? 1.65 : 1.15) * (p->narrow ? 0.7 : 1);
	if ((there & 1 << GPUBE__KIND_C) && b_bytes * p->n_rows > 32768)
		cycles += 1.2 * steps;
	if ((there & 1 << GPUBE__KIND_B) && b_bytes > 24576)
		cycles += 1.5 * eights;
	if ((there & 1 << GPUBE__KIND_A) && p->n_x * 64 > 16384)
		cycles += 1.5 * eights;
	/* fewer than eight rows share a vector of B, or wait for each other */
	if (p->n_rows % 8 && !(p->n_rows < 8 && vectors >= 4))
		cycles += (double)p->n_x * vectors * (p->n_rows % 4 ? 3 : 1);
	return cycles;
}

static double price(const struct planner *pl, struct gpube__choice *ch)
{
	struct gpube__plan *p = pl->p;
	double cycles, vectors, tiles;
	signed char kinds[256];

	if (p->shape.n_in > 256)
		return 1; /* the first choice: one row, which always fits */
	set_kinds(pl, ch, kinds);
	set_loops(pl, ch, kinds);
	vectors = ceil((double)p->n_lanes / (double)(p->fold * p->w));
	tiles = (double)p->n_tiles * (double)p->n_turns;
	cycles = tiles * (120 + (double)p->n_rows * (3 + 2.5 * vectors) + kernel_cycles(pl, kinds));
	if (p->shape.n_out && !(ch->lanes & BIT(p->shape.n_out - 1)))
		cycles += 2.0 * (double)p->shape.n_out_cells;
	else if (p->kernel > GPUBE__KERNEL_MAX)
		cycles += 0.5 * (double)p->shape.n_out_cells;
	for (int kind = 0; kind < GPUBE__N_KINDS; kind++) {
		if (pl->best.cycles >= 0 && cycles >= pl->best.cycles)
			break; /* whatever it is exactly */
		cycles += chain_cycles(pl, ch, kind, kinds);
	}
	return cycles;
}

/* ---- choices -------------------------------------------------------------------------- */

static bool folds(const struct planner *pl, const struct gpube__choice *ch)
{
	return ch->lanes & ~out_dims(&pl->p->shape);
}

static void consider(struct planner *pl, struct gpube__choice ch)
{
	ch.a_into_c = folds(pl, &ch);
	ch.b_into_c = false;
	ch.cycles = price(pl, &ch);
	pl->left--;
	if (pl->best.cycles < 0 || ch.cycles < pl->best.cycles)
		pl->best = ch;
}

/* With what was found best: should A or B be added to C before the kernel? */
static void consider_merging(struct planner *pl)
{
	for (int merge = 1; merge < 4; merge++) {
		struct gpube__choice ch = pl->best;

		ch.a_into_c = (merge & 1) || folds(pl, &ch);
		ch.b_into_c = merge & 2;
		ch.cycles = price(pl, &ch);
		if (ch.cycles < pl->best.cycles)
			pl->best = ch;
	}
}

static void consider_rows(struct planner *pl, struct gpube__choice ch, uint64_t rows)
{
	ch.rows = rows;
	ch.row_block = block_of(&pl->p->shape, rows, GPUBE__MAX_ROWS, 8);
	if (pl->left > 0)
		consider(pl, ch);
}

/* Runs of output dims that are not lanes and end with 'to', as rows. */
static void consider_runs(struct planner *pl, const struct gpube__choice *ch, int to)
{
	uint64_t rows = 0;
	int64_t cells = 1;

	for (int d = to; d >= 0 && cells < GPUBE__MAX_ROWS; d--) {
		if (ch->lanes & BIT(d))
			continue;
		rows |= BIT(d);
		consider_rows(pl, *ch, rows);
		cells *= pl->p->shape.size[d];
	}
}

/* Lanes, with no rows and with the fastest other output dims as rows. */
static void consider_lanes(struct planner *pl, struct gpube__choice ch, uint64_t lanes, int64_t cap)
{
	int d = pl->p->shape.n_out - 1;

	ch.lanes = lanes;
	ch.lane_block = block_of(&pl->p->shape, lanes, cap, pl->w);
	consider_rows(pl, ch, 0);
	for (int tried = 0; d >= 0 && tried < (pl->p->shape.n_out <= 6 ? 6 : 1); d--) {
		if (lanes & BIT(d))
			continue;
		consider_runs(pl, &ch, d);
		tried++;
	}
}

static void consider_all_lanes(struct planner *pl, const struct gpube__choice *ch)
{
	const struct gpube__shape *s = &pl->p->shape;
	const int64_t n_x = ch->x_block * unit_of(s, ch->x);
	int64_t cap = 32768 / n_x, cells = 1;
	uint64_t lanes = 0;

	cap = cap < 128 ? 128 : cap > GPUBE__MAX_LANES ? GPUBE__MAX_LANES : cap;
	if (s->n_reduced == 1)
		cap = 128; /* operands are added one after the other to what should be in cache */
	if (s->n_out == 0)
		consider_lanes(pl, *ch, 0, cap);
	/* the fastest output dims, at least half a vector: what is written is contiguous */
	for (int d = s->n_out - 1; d >= 0 && cells < cap / 2; d--) {
		lanes |= BIT(d);
		cells *= s->size[d];
		if (2 * cells >= pl->w || cells * s->size[d > 0 ? d - 1 : 0] > cap || d == 0)
			consider_lanes(pl, *ch, lanes, cap);
	}
	/* the output dims of one operand, which pays when much is reduced */
	for (int k = 0; k < s->n_in && n_x >= 8; k++) {
		lanes = pl->dims_of[k] & (BIT(s->n_out) - 1);
		if (lanes && unit_of(s, lanes) <= cap)
			consider_lanes(pl, *ch, lanes, cap);
	}
}

/*
 * Lanes that end with the fastest reduced dim, so that an operand which ends with it is read as
 * it lies. Only min and max: the others have their running sums or arguments in each lane.
 */
static void consider_folding(struct planner *pl)
{
	const struct gpube__shape *s = &pl->p->shape;
	const int x = s->n_dims - 1;
	struct gpube__choice ch = {.x_block = 1};
	uint64_t lanes = BIT(x);
	bool useful = false;

	if (pl->p->kernel > GPUBE__KERNEL_MAX || s->n_out == 0 || x < s->n_out || s->size[x] < 4)
		return;
	for (int k = 0; k < s->n_in; k++)
		useful |= !is_free(pl, k) && stride_of(pl->p, k)[x] == 1 &&
			  stride_of(pl->p, k)[s->n_out - 1] == s->size[x];
	if (!useful)
		return;
	for (int d = x - 1; d >= s->n_out && !ch.x; d--) {
		ch.x = BIT(d);
		ch.x_block = block_of(s, ch.x, 128, 1);
	}
	for (int d = s->n_out - 1; d >= 0; d--) {
		lanes |= BIT(d);
		if (unit_of(s, lanes) > GPUBE__MAX_LANES / 4)
			return;
		if (unit_of(s, lanes) / s->size[x] * s->size[d] < pl->w / 2 && d > 0)
			continue;
		pl->left = pl->left > 4 ? pl->left : 4;
		consider_lanes(pl, ch, lanes, GPUBE__MAX_LANES);
		return;
	}
}

/* With the best lanes: other rows. */
static void consider_all_rows(struct planner *pl)
{
	const struct gpube__shape *s = &pl->p->shape;
	const struct gpube__choice ch = pl->best;

	/* the other output dims of one operand */
	for (int k = 0; k < s->n_in; k++) {
		const uint64_t rows = pl->dims_of[k] & (BIT(s->n_out) - 1) & ~ch.lanes;

		if (rows && unit_of(s, rows) <= GPUBE__MAX_ROWS)
			consider_rows(pl, ch, rows);
	}
	for (int to = s->n_out - 1; to >= 0; to--)
		if (!(ch.lanes & BIT(to)))
			consider_runs(pl, &ch, to);
}

/* The reduced cells of a tile: the fastest reduced dims, so that arguments come in order. */
static void consider_all(struct planner *pl)
{
	const struct gpube__shape *s = &pl->p->shape;
	static const int64_t caps[] = {GPUBE__MAX_X, 128, 16};
	const int first_cap = pl->p->kernel == GPUBE__KERNEL_LSE ? 1 : 0;
	struct gpube__choice ch = {0};

	for (int i = first_cap; i < 3 && pl->left > 0; i++) {
		int64_t cells = 1;

		if (i > first_cap && s->n_reduced <= caps[i])
			return;
		ch.x = 0;
		ch.x_block = 1;
		for (int d = s->n_dims - 1; d >= s->n_out; d--) {
			if (cells * s->size[d] > caps[i] && ch.x)
				break;
			ch.x |= BIT(d);
			cells *= s->size[d];
		}
		ch.x_block = block_of(s, ch.x, caps[i], 1);
		consider_all_lanes(pl, &ch);
	}
}

/* ---- the plan that was chosen --------------------------------------------------------------- */

struct room {
	char *at;
};

static void *take(struct room *r, int64_t n, size_t size)
{
	void *p = r->at;

	r->at += ((uint64_t)n * size + 63) / 64 * 64;
	return p;
}

static int64_t *group_table(
	const struct gpube__shape *s, const int64_t *stride, uint64_t dims, int64_t n, int64_t *to)
{
	int64_t size[GPUBE_MAX_DIMS], step[GPUBE_MAX_DIMS];
	int n_dims = 0;

	for (uint64_t m = dims; m; m &= m - 1) {
		size[n_dims] = s->size[first_dim(m)];
		step[n_dims++] = stride[first_dim(m)];
	}
	for (int64_t i = 0; i < n; i++)
		to[i] = gpube__offset(i, n_dims, size, step);
	return to;
}

static struct gpube__axis make_axis(struct room *room, const struct gpube__shape *s,
	const int64_t *stride, uint64_t dims, int64_t n)
{
	struct gpube__axis axis = {0};

	if (!affine(s, stride, dims, &axis.step))
		axis.table = group_table(s, stride, dims, n, take(room, n, sizeof(int64_t)));
	return axis;
}

/* One vector of lanes, n of them used; false if they are too far apart. */
static bool describe_lanes(struct gpube__lanes *lanes, int32_t *table, const int64_t *offset,
	int64_t n, int w)
{
	int64_t low = offset[0], high = offset[0];
	bool next = true;

	for (int64_t l = 1; l < n; l++) {
		low = offset[l] < low ? offset[l] : low;
		high = offset[l] > high ? offset[l] : high;
		next = next && offset[l] == offset[l - 1] + 1;
	}
	if (high - low > INT32_MAX)
		return false;
	lanes->base = low;
	lanes->span = next ? 0 : high - low < w ? (int)(high - low) + 1 : 255;
	for (int64_t l = 0; l < w; l++)
		table[l] = l < n ? (int32_t)(offset[l] - low) : 0;
	return true;
}

static bool lane_table(struct room *room, const struct planner *pl, struct gpube__op *op,
	uint64_t dims, int64_t n, int64_t pad)
{
	const struct gpube__plan *p = pl->p;
	const int64_t *stride = stride_of(p, op->operand);
	int64_t *offset = take(room, pad, sizeof(*offset));
	int32_t *table = take(room, pad, sizeof(*table));
	struct gpube__lanes *lanes = take(room, pad / p->w, sizeof(*lanes));

	group_table(&p->shape, stride, dims, n, offset);
	op->lane_table = table;
	op->lanes = lanes;
	for (int64_t j = 0; j < n; j += p->w)
		if (!describe_lanes(&lanes[j / p->w], table + j, offset + j,
			    n - j < p->w ? n - j : p->w, p->w))
			return false;
	return true;
}

/* Does op a come before op b: by kind, depth, the rows that differ, ease of reading? */
static bool op_before(const struct gpube__op *a, const struct gpube__op *b)
{
	if (a->kind != b->kind)
		return a->kind < b->kind;
	if (a->depth != b->depth)
		return a->depth < b->depth;
	return a->n_rows != b->n_rows ? a->n_rows < b->n_rows
				      : a->mode == GPUBE__LANE_NEXT && b->mode != GPUBE__LANE_NEXT;
}

static void sort_ops(struct gpube__op *ops, int n)
{
	for (int i = 1; i < n; i++) {
		const struct gpube__op op = ops[i];
		int j = i;

		for (; j > 0 && op_before(&op, &ops[j - 1]); j--)
			ops[j] = ops[j - 1];
		ops[j] = op;
	}
}

static bool next_level(const struct gpube__op *op, bool first)
{
	return first || op->depth != op[-1].depth || op->n_rows != op[-1].n_rows;
}

/* Levels of one kind, of ops [from, to); the shallowest are one when there are too many. */
static void set_levels(struct planner *pl, int kind, int from, int to)
{
	struct gpube__plan *p = pl->p;
	struct gpube__level *level = p->level[kind];
	int n = 0, left = 0;

	for (int i = from; i < to; i++)
		left += next_level(&p->ops[i], i == from);
	for (int i = from; i < to; i++) {
		const bool next = next_level(&p->ops[i], i == from);

		/* 'left' levels are wanted, this one with them */
		if (n == 0 || (next && n + left <= GPUBE__MAX_LEVELS))
			level[n++] = (struct gpube__level){.from = i};
		left -= next;
		level[n - 1].to = i + 1;
		level[n - 1].depth = p->ops[i].depth;
	}
	p->n_levels[kind] = n;
}

/* Row-major steps, times 'unit', of those dims of a group that are in 'dims'; others 0. */
static void row_steps(const struct gpube__plan *p, uint64_t dims, int64_t unit, int64_t *step)
{
	for (int d = p->shape.n_dims - 1; d >= 0; d--) {
		step[d] = 0;
		if (!(dims & BIT(d)))
			continue;
		step[d] = unit;
		unit *= p->shape.size[d];
	}
}

/*
 * A packed level has only the rows that differ: those over 'dims', the row dims that
 * occur in it or in a level before.
 */
static void set_rows(struct planner *pl, struct room *room, struct gpube__level *level,
	const struct gpube__level *before, uint64_t dims)
{
	struct gpube__plan *p = pl->p;
	const uint64_t group = p->choice.rows;
	const bool blocks = dims & group & -group;
	int64_t step[GPUBE_MAX_DIMS], *rows, *own, *prev;
	int64_t n = blocks ? p->choice.row_block : 1;

	for (uint64_t m = dims & ~(group & -group); m; m &= m - 1)
		n *= p->shape.size[first_dim(m)];
	level->n_rows = n;
	level->row_unit = blocks ? n / p->choice.row_block : 0;
	rows = take(room, p->n_rows, sizeof(*rows));
	own = take(room, n, sizeof(*own));
	prev = take(room, n, sizeof(*prev));
	row_steps(p, dims, level->step_i, step);
	level->rows = group_table(&p->shape, step, group, p->n_rows, rows);
	row_steps(p, group, 1, step);
	group_table(&p->shape, step, dims, n, prev);
	for (int64_t i = 0; i < n; i++) {
		own[i] = i * level->step_i;
		prev[i] = before ? before->rows[prev[i]] : 0;
	}
	level->own_rows = own;
	level->prev_rows = prev;
	/* with nothing before, the first of several operands is read while the second is added */
	level->starts_direct = !before && level->to - level->from > 1 &&
			       p->ops[level->from].mode == GPUBE__LANE_NEXT &&
			       !p->ops[level->from].x.table;
	if (level->starts_direct)
		group_table(&p->shape, stride_of(p, p->ops[level->from].operand), dims, n, prev);
}

static void set_direct(struct planner *pl, struct room *room, struct gpube__level *level, int kind)
{
	struct gpube__plan *p = pl->p;
	const struct gpube__op *op = &p->ops[level->from];
	const bool is_c = kind == GPUBE__KIND_C;
	int64_t *rows = take(room, is_c ? p->n_rows : 1, sizeof(*rows));

	rows[0] = 0;
	level->step_x = op->x.step;
	level->rows = is_c ? group_table(&p->shape, stride_of(p, op->operand), p->choice.rows,
				     p->n_rows, rows) : rows;
}

static void set_buffers(struct planner *pl, struct room *room, int kind)
{
	struct gpube__plan *p = pl->p;
	uint64_t dims = 0;

	for (int l = 0; l < p->n_levels[kind]; l++) {
		struct gpube__level *level = &p->level[kind][l];
		const struct gpube__op *op = &p->ops[level->from];

		for (int i = level->from; kind == GPUBE__KIND_C && i < level->to; i++)
			dims |= pl->dims_of[p->ops[i].operand] & p->choice.rows;
		level->direct = l == 0 && level->to - level->from == 1 &&
				can_be_direct(pl, &p->choice, op) &&
				!(p->copies && p->n_levels[kind] == 1);
		if (level->direct) {
			set_direct(pl, room, level, kind);
			continue;
		}
		level->step_i = kind == GPUBE__KIND_A ? p->pad_rows : p->pad_lanes;
		set_rows(pl, room, level, l ? level - 1 : NULL, dims);
		level->step_x = level->step_i * level->n_rows;
		for (int i = level->from; i < level->to; i++) {
			p->ops[i].i = make_axis(room, &p->shape, stride_of(p, p->ops[i].operand),
				dims, level->n_rows);
			if (level->depth < 0)
				p->setup_cycles += pack_cycles(p, &p->ops[i], p->w);
		}
		level->buffer = p->scratch_bytes;
		p->scratch_bytes += padded(level->step_x * p->n_x * p->cell_bytes, 64);
	}
}

static const int64_t *loop_bytes(
	struct room *room, const struct gpube__plan *p, const struct gpube__op *op)
{
	int64_t *bytes = take(room, op->depth + 1, sizeof(*bytes));

	for (int l = 0; l <= op->depth; l++)
		bytes[l] = stride_of(p, op->operand)[p->loop[l].dim] * p->loop[l].by *
			   p->cell_bytes;
	return bytes;
}

static bool set_ops(struct planner *pl, struct room *room)
{
	struct gpube__plan *p = pl->p;
	const struct gpube__choice *ch = &p->choice;
	const int n_in = p->shape.n_in;
	signed char *kinds = take(room, n_in, 1);

	set_kinds(pl, ch, kinds);
	for (int k = 0; k < n_in; k++) {
		const int64_t *stride = stride_of(p, k);
		struct gpube__op *op = &p->ops[k];
		const bool is_a = kinds[k] == GPUBE__KIND_A;

		*op = make_op(pl, ch, k, kinds[k]);
		op->loop_bytes = loop_bytes(room, p, op);
		op->ahead = pl->cells_of[k] * p->cell_bytes > 1 << 20 ? 2048 : 0;
		op->x = make_axis(room, &p->shape, stride, ch->x, p->n_x);
		if (op->mode == GPUBE__LANE_TABLE &&
			!lane_table(room, pl, op, is_a ? ch->rows : ch->lanes,
				is_a ? p->n_rows : p->n_lanes, is_a ? p->pad_rows : p->pad_lanes))
			return false;
	}
	sort_ops(p->ops, n_in);
	for (int kind = 0, from = 0; kind < GPUBE__N_KINDS; kind++) {
		int to = from;

		while (to < n_in && p->ops[to].kind == kind)
			to++;
		set_levels(pl, kind, from, to);
		set_buffers(pl, room, kind);
		from = to;
	}
	return true;
}

static void set_output(struct planner *pl, struct room *room)
{
	struct gpube__plan *p = pl->p;
	const struct gpube__choice *ch = &p->choice;
	const int64_t tile = padded(p->n_rows * p->pad_lanes * p->cell_bytes, 64);
	int64_t *rows = take(room, p->n_rows, sizeof(*rows));
	int64_t *tile_rows = take(room, p->n_rows, sizeof(*rows));

	p->out_rows = group_table(&p->shape, p->shape.out_stride, ch->rows, p->n_rows, rows);
	p->tile_rows = tile_rows;
	p->aligned_rows = true;
	for (int64_t i = 0; i < p->n_rows; i++) {
		const int64_t bytes = rows[i] * p->cell_bytes, cells = i % 2 ? p->n_lanes : 0;

		tile_rows[i] = i * p->pad_lanes;
		p->aligned_rows &= bytes % 64 == 0 ||
				   (bytes % 32 == 0 && rows[i] == rows[i - i % 2] + cells);
	}
	p->out_j = make_axis(room, &p->shape, p->shape.out_stride,
		ch->lanes & out_dims(&p->shape), p->n_lanes / p->fold);
	p->arg_x = make_axis(room, &p->shape, p->shape.arg_stride, ch->x, p->n_x);
	p->direct_out = p->kernel <= GPUBE__KERNEL_MAX && !p->out_j.table &&
			(p->out_j.step == 1 || p->n_lanes == p->fold);
	if (!p->direct_out) {
		p->tile_at = p->scratch_bytes;
		p->scratch_bytes += tile;
	}
	if (p->kernel > GPUBE__KERNEL_MAX) {
		p->extra_at = p->scratch_bytes;
		p->scratch_bytes += tile;
	}
}

static int kernel_of(const struct gpube_contraction *c)
{
	if (c->semiring == GPUBE_LOGSUMEXP)
		return GPUBE__KERNEL_LSE;
	if (c->semiring == GPUBE_MAX_PLUS)
		return c->out_arg ? GPUBE__KERNEL_MAX_ARG : GPUBE__KERNEL_MAX;
	return c->out_arg ? GPUBE__KERNEL_MIN_ARG : GPUBE__KERNEL_MIN;
}

static void set_planner(struct planner *pl, struct gpube__plan *p,
	const struct gpube__shape *shape, struct room *room)
{
	*pl = (struct planner){.p = p, .best.cycles = -1};
	p->shape = *shape;
	pl->w = p->kernels->vector_bytes / p->cell_bytes;
	pl->dims_of = take(room, shape->n_in, sizeof(*pl->dims_of));
	pl->cells_of = take(room, shape->n_in, sizeof(*pl->cells_of));
	for (int k = 0; k < shape->n_in; k++) {
		pl->dims_of[k] = 0;
		pl->cells_of[k] = 1;
		for (int d = 0; d < shape->n_dims; d++)
			if (stride_of(p, k)[d]) {
				pl->dims_of[k] |= BIT(d);
				pl->cells_of[k] *= shape->size[d];
			}
	}
}

bool gpube__plan_choose(struct gpube__plan *p, const struct gpube_contraction *c,
	const struct gpube__kernels *kernels, const struct gpube__shape *shape, uint64_t free_ops,
	void *memory)
{
	struct room room = {memory};
	struct planner pl;
	signed char *kinds;
	double joined;

	memset(p, 0, sizeof(*p));
	p->kernels = kernels;
	p->kernel = kernel_of(c);
	p->type = c->type - GPUBE_INT32;
	p->cell_bytes = (int)gpube__type_size(c->type);
	p->w = kernels->vector_bytes / p->cell_bytes;
	set_planner(&pl, p, shape, &room);
	pl.free_ops = free_ops;
	/* pricing one takes about as long as 10000 joined cells */
	joined = (double)shape->n_out_cells * (double)shape->n_reduced / 100000;
	pl.left = joined > 1000 ? 1000 : (shape->n_reduced == 1 ? 6 : 12) + (int)joined;
	consider_all(&pl);
	consider_folding(&pl);
	consider_all_rows(&pl);
	consider_merging(&pl);
	p->choice = pl.best;
	if (!(p->choice.cycles < INFINITY))
		return false;
	kinds = take(&room, shape->n_in, 1);
	set_kinds(&pl, &p->choice, kinds);
	set_loops(&pl, &p->choice, kinds);
	return true;
}

double gpube__plan_cycles(struct gpube__plan *p, const struct gpube__shape *shape, int k,
	bool laid_out, void *memory)
{
	const struct gpube__shape own = p->shape;
	struct room room = {memory};
	struct planner pl;
	signed char *kinds;
	struct gpube__op op;
	double cycles;

	set_planner(&pl, p, shape, &room);
	kinds = take(&room, shape->n_in, 1);
	set_kinds(&pl, &p->choice, kinds);
	pl.free_ops = laid_out ? BIT(k) : 0;
	op = make_op(&pl, &p->choice, k, kinds[k]);
	cycles = can_be_direct(&pl, &p->choice, &op)
			 ? 0 : runs_to(p, op.depth) * pack_cycles(p, &op, p->w);
	p->shape = own;
	return cycles;
}

void gpube__plan_layout(const struct gpube__plan *p, int k, int64_t *stride)
{
	const struct gpube__choice *ch = &p->choice;
	const uint64_t groups[3] = {ch->lanes, ch->rows, ch->x};
	int64_t step = 1;

	for (int d = 0; d < p->shape.n_dims; d++)
		stride[d] = 0;
	for (int g = 0; g < 3; g++)
		for (int d = p->shape.n_dims - 1; d >= 0; d--)
			if ((groups[g] & BIT(d)) && stride_of(p, k)[d]) {
				stride[d] = step;
				step *= p->shape.size[d];
			}
	for (int l = p->n_loops - 1; l >= 0; l--) {
		const int d = p->loop[l].dim;

		if (stride_of(p, k)[d] && !stride[d]) {
			stride[d] = step;
			step *= p->shape.size[d];
		}
	}
}

static int64_t tiles_of(const struct gpube__plan *p, double cycles)
{
	const double n = (double)p->n_tiles;

	return 1 + (int64_t)fmin(cycles * n / p->choice.cycles, n);
}

bool gpube__plan_set(struct gpube__plan *p, const struct gpube__shape *shape, void *memory)
{
	struct room room = {memory};
	struct planner pl;

	set_planner(&pl, p, shape, &room);
	p->ops = take(&room, shape->n_in, sizeof(*p->ops));
	p->scratch_bytes = 0;
	p->setup_cycles = 0;
	p->copies = p->copies && affine(shape, shape->out_stride, p->choice.rows, &p->row_step);
	if (!set_ops(&pl, &room))
		return false;
	set_output(&pl, &room);
	if (p->narrow)
		p->kernels = p->narrow;
	/*
	 * An item is worth two to twenty microseconds, to be stopped between them, and
	 * more than the sums that every item begins with.
	 */
	p->fewest_tiles = tiles_of(p, fmax(6000, 4 * p->setup_cycles));
	p->most_tiles = tiles_of(p, fmax(60000, 16 * p->setup_cycles));
	return true;
}

/* ---- bounds that hold before there is a plan -------------------------------------------------- */

static int64_t at_most(int64_t a, int64_t b)
{
	return a < b ? a : b;
}

uint64_t gpube__plan_room(const struct gpube_contraction *c)
{
	const int64_t joined = gpube__joined_cells(c);
	const int64_t tables = 8 * at_most(joined, GPUBE__MAX_X) + 40 * at_most(joined, GPUBE__MAX_ROWS) +
			       20 * (at_most(joined, GPUBE__MAX_LANES) + 64) + 8 * GPUBE_MAX_DIMS + 10 * 64;
	const int64_t n = c->n_in;

	return (uint64_t)(n * (8 + 8 + 2 + (int64_t)sizeof(struct gpube__op) + tables) + 2 * tables +
			  10 * 64);
}

uint64_t gpube__plan_most_scratch(const struct gpube_contraction *c)
{
	/* a packed tile has a vector of cells for each joined cell at worst */
	const int64_t packed = 8 * at_most(at_most(gpube__joined_cells(c), GPUBE__MAX_PACKED) * 16 + 64,
					   GPUBE__MAX_PACKED);
	const int64_t levels = at_most(c->n_in, GPUBE__MAX_LEVELS * GPUBE__N_KINDS);
	const int64_t tile = 8 * at_most(at_most(gpube__joined_cells(c), 1 << 20) * 16 + 64,
					 GPUBE__MAX_ROWS * (GPUBE__MAX_LANES + 16));

	return (uint64_t)(64 + levels * (packed + 64) + 2 * (tile + 64));
}
