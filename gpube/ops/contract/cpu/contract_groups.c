/*
 * contract_groups.c - what a choice of lanes, rows and reduced cells makes of a contraction:
 * loops over tiles, and for each operand the kind of contract_tile.h that it is in them.
 */
#include "gpube/ops/contract/cpu/contract_plan.h"

/* ---- groups of dims ---------------------------------------------------------- */

/* Product of the sizes of a group's dims but the first. */
int64_t gpube__group_unit(const struct gpube__shape *s, uint64_t dims)
{
	int64_t unit = 1;

	for (uint64_t m = dims & (dims - 1); m; m &= m - 1)
		unit *= s->size[gpube__first_dim(m)];
	return unit;
}

/* Steps along a group: affine if neighbours in the flattened group are always 'step' apart. */
bool gpube__group_affine(
	const struct gpube__shape *s, const int64_t *stride, uint64_t dims, int64_t *step)
{
	int64_t expected = -1;

	*step = 0;
	if (!dims)
		return true;
	for (int d = 63 - __builtin_clzll(dims); d >= 0; d--) {
		if (!(dims & GPUBE__BIT(d)))
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
int64_t gpube__group_block(const struct gpube__shape *s, uint64_t dims, int64_t cap, int64_t whole)
{
	int64_t size, unit, block, pieces;

	if (!dims)
		return 1;
	size = s->size[gpube__first_dim(dims)];
	unit = gpube__group_unit(s, dims);
	block = cap / unit > 1 ? cap / unit : 1;
	if (block >= size)
		return size;
	pieces = (size + block - 1) / block;
	block = (size + pieces - 1) / pieces;
	if (unit == 1 && whole > 1)
		block = (block + whole - 1) / whole * whole;
	return block < size ? block : size;
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

static int depth_of(const struct gpube__plan *p, uint64_t dims)
{
	for (int l = p->n_loops - 1; l >= 0; l--)
		if (dims & GPUBE__BIT(p->loop[l].dim))
			return l;
	return -1;
}

/* ---- kinds and modes --------------------------------------------------------------- */

static enum gpube__lane_mode lane_mode(
	const struct gpube__plan *p, const int64_t *stride, uint64_t lanes)
{
	int64_t step;

	if (!gpube__group_affine(&p->shape, stride, lanes, &step))
		return GPUBE__LANE_TABLE;
	if (!lanes || step == 1)
		return GPUBE__LANE_NEXT;
	return step ? GPUBE__LANE_TABLE : GPUBE__LANE_SAME;
}

/*
 * Where there is one row, B and C are the same: the operand that moves fastest
 * is C, and B what is added to it. B alone, or with A, is what kernels call C.
 */
void gpube__set_kinds(
	const struct gpube__planner *pl, const struct gpube__choice *ch, signed char *kind)
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
}

/* Rows of a tile that differ in these dims. */
static int64_t rows_of(const struct gpube__plan *p, const struct gpube__choice *ch, uint64_t dims)
{
	int64_t n = 1;

	for (uint64_t m = dims; m; m &= m - 1)
		n *= gpube__first_dim(m) == gpube__first_dim(ch->rows)
			     ? ch->row_block
			     : p->shape.size[gpube__first_dim(m)];
	return n;
}

struct gpube__op gpube__make_op(
	const struct gpube__planner *pl, const struct gpube__choice *ch, int k, int kind)
{
	const struct gpube__plan *p = pl->p;
	const uint64_t lanes = kind == GPUBE__KIND_A ? ch->rows : ch->lanes;
	const uint64_t rows = kind == GPUBE__KIND_C ? ch->rows : 0;
	struct gpube__op op = {.operand = k, .kind = kind};

	op.depth = depth_of(p, pl->dims_of[k]);
	op.n_rows = rows_of(p, ch, pl->dims_of[k] & rows);
	op.mode = lane_mode(p, gpube__stride_of(p, k), lanes);
	return op;
}

bool gpube__can_be_direct(
	const struct gpube__planner *pl, const struct gpube__choice *ch, const struct gpube__op *op)
{
	const struct gpube__plan *p = pl->p;
	const int64_t *stride = gpube__stride_of(p, op->operand);
	int64_t step;

	if (op->mode != GPUBE__LANE_NEXT)
		return false;
	if (!gpube__group_affine(&p->shape, stride, ch->x, &step))
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
static void sort_loops(const struct gpube__planner *pl, const signed char *kinds)
{
	struct gpube__plan *p = pl->p;
	double weight[GPUBE_MAX_DIMS];

	for (int k = 0; k < p->shape.n_in; k++)
		if ((double)pl->cells_of[k] * p->cell_bytes > 4e6)
			return;
	for (int l = 0; l < p->n_out_loops; l++) {
		weight[l] = 0;
		for (int k = 0; k < p->shape.n_in; k++)
			if (pl->dims_of[k] & GPUBE__BIT(p->loop[l].dim))
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
		if (p->loop[l].dim == gpube__first_dim(group))
			return l;
	return -1;
}

void gpube__set_loops(
	const struct gpube__planner *pl, const struct gpube__choice *ch, const signed char *kinds)
{
	struct gpube__plan *p = pl->p;
	const struct gpube__shape *s = &p->shape;

	p->n_loops = p->n_out_loops = 0;
	p->n_tiles = p->n_turns = 1;
	for (int d = 0; d < s->n_dims; d++) {
		if (d == gpube__first_dim(ch->lanes))
			add_loop(p, d, ch->lane_block);
		else if (d == gpube__first_dim(ch->rows))
			add_loop(p, d, ch->row_block);
		else if (d == gpube__first_dim(ch->x))
			add_loop(p, d, ch->x_block);
		else if (!((ch->lanes | ch->rows | ch->x) & GPUBE__BIT(d)))
			add_loop(p, d, 1);
	}
	p->lane_unit = gpube__group_unit(s, ch->lanes);
	p->row_unit = gpube__group_unit(s, ch->rows);
	p->x_unit = gpube__group_unit(s, ch->x);
	p->n_lanes = p->lane_unit * ch->lane_block;
	p->n_rows = p->row_unit * ch->row_block;
	p->n_x = p->x_unit * ch->x_block;
	p->pad_lanes = gpube__padded(p->n_lanes, p->w);
	p->pad_rows = gpube__padded(p->n_rows, p->w);
	sort_loops(pl, kinds);
	p->runs[0] = 1;
	for (int l = 0; l < p->n_loops; l++)
		p->runs[l + 1] = p->runs[l] * (double)p->loop[l].trips;
	p->lane_loop = find_loop(p, ch->lanes);
	p->row_loop = find_loop(p, ch->rows);
	p->x_loop = find_loop(p, ch->x);
}
