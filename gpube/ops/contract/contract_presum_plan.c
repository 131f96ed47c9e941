/*
 * contract_presum_plan.c - how a contraction that is a product once some dims are fixed is cut
 * (contract_presum.h).
 *
 * Every partition of the output dims into I, J, those that are fixed and those that are walked
 * along, that the operands allow, is priced with a few numbers of boxes along I and J, in cycles of
 * a multiprocessor.
 */
#include <math.h>
#include <string.h>

#include "gpube/ops/contract/contract_presum.h"

/* Of a multiprocessor, in a cycle. */
#define DRAM_BYTES 16.0
#define L2_BYTES   24.0
#define SCHEDULERS 4.0
#define LAUNCH     9000.0 /* with what a block makes ready once */
#define PAIR       15.0    /* slots for two x, besides those for cells and reads of L */
#define CELLS      3.0     /* for two x of a cell */
#define TILE       200.0   /* slots for a tile, besides its loop and its rows */
#define ROW        12.0    /* and for each row */
#define CELL       60.0    /* for a cell of L or T, and 'ADD' for each step and operand */
#define ADD        4.0
#define STORE      1.7    /* cycles for a cell of the output that is stored alone, by measurement */
#define READY      5000.0 /* what is waited for before the first tile */
#define FOURS      80.0   /* slots for four x of four columns of S, besides each operand's */
#define WARPS      4.0    /* of a scheduler, that keep it busy for a share 'BUSY' */
#define BUSY       0.8
#define ALONE      2.0 /* a tile that has a scheduler alone, to one that shares it */
#define RUN_MORE   100.0  /* bytes that the memory takes besides for each run of the output */
#define MAX_DIMS   6
#define MORE_BOXES 4    /* numbers of boxes that are tried */
#define LEAST_TILES 16  /* of a step */
#define MOST_BLOCKS 2   /* of a multiprocessor */
#define KNOWN      2304 /* bytes of shared memory for what a block knows of its steps */
#define RESERVED   (1024 + KNOWN)

/* Slots for an operand of four x by four columns. */
static const double read_slots[] = {32, 28, 18, 28, 64};

struct planner {
	const struct gpube__shape *s;
	const struct gpube__box_device *device;
	bool is_float;
	uint64_t scope[GPUBE_PRESUM_OPS];
	double bytes; /* each table once */
	double least;
};

struct choice {
	uint32_t kernel;
	uint64_t dims[N_PRESUM_GROUPS];
	uint64_t columns;                         /* dims of T's */
	int64_t size[N_PRESUM_GROUPS], n_columns; /* of J and T's columns: fours */
	int sum[GPUBE_PRESUM_OPS];
	int how[GPUBE_PRESUM_OPS];
	int64_t lanes[2], boxes[2];
	int64_t units, blocks, each, at_once; /* steps; blocks, a block's steps at most; of an SM */
	int64_t together, kept, threads;
};

static const int64_t *stride_of(const struct planner *p, int k)
{
	return p->s->stride + k * p->s->ld;
}

static int64_t x_of(const struct planner *p, int k)
{
	return stride_of(p, k)[p->s->n_out];
}

static int last_of(uint64_t dims)
{
	return 63 - __builtin_clzll(dims);
}

static int64_t fours_of(const struct planner *p, uint64_t dims)
{
	int64_t n = gpube__divide_up(p->s->size[last_of(dims)], 4);

	for (int d = 0; d < last_of(dims); d++)
		if (dims >> d & 1)
			n *= p->s->size[d];
	return n;
}

/* How an operand of S is read. */
static int read_of(const struct planner *p, const struct choice *c, int k)
{
	const int64_t *stride = stride_of(p, k);
	const int last = last_of(c->dims[PRESUM_J]);
	bool fours_x = x_of(p, k) == 1 && p->s->n_reduced % 4 == 0;

	for (int d = 0; d < p->s->n_out; d++)
		fours_x &= stride[d] % 4 == 0;
	if (gpube__flat_fours(p->s, c->dims[PRESUM_J], stride))
		return PRESUM_FOURS;
	if (!stride[last])
		return fours_x ? PRESUM_SAME_X : PRESUM_SAME;
	return fours_x ? PRESUM_FOURS_X : PRESUM_CELLS;
}

/* Whether the operands fall into two sides; one without dims of either goes to L. */
static bool set_sums(const struct planner *p, struct choice *c)
{
	const uint64_t j = c->dims[PRESUM_J];
	int n[N_PRESUM_SUMS] = {0};

	c->columns = 0;
	for (int k = 0; k < p->s->n_in; k++) {
		if (!(p->scope[k] & j)) {
			c->sum[k] = PRESUM_L;
		} else if (p->scope[k] & c->dims[PRESUM_I]) {
			return false;
		} else if (p->scope[k] & c->dims[PRESUM_WALK]) {
			c->sum[k] = PRESUM_T;
			c->columns |= (p->scope[k] & j) | (uint64_t)1 << last_of(j);
		} else {
			c->sum[k] = PRESUM_S;
			c->how[k] = read_of(p, c, k);
		}
		if (++n[c->sum[k]] > GPUBE_PRESUM_TERMS)
			return false;
	}
	return n[PRESUM_L] > 0 && n[PRESUM_S] > 0 && __builtin_popcountll(c->columns) <= 2;
}

static bool set_groups(const struct planner *p, struct choice *c)
{
	if (!c->dims[PRESUM_J] || __builtin_popcountll(c->dims[PRESUM_J]) > GPUBE_PRESUM_J ||
		p->s->size[last_of(c->dims[PRESUM_J])] <= 4 || !set_sums(p, c))
		return false;
	for (int g = 0; g < N_PRESUM_GROUPS; g++) {
		c->size[g] = 1;
		for (int d = 0; d < p->s->n_out; d++)
			if (c->dims[g] >> d & 1)
				c->size[g] *= p->s->size[d];
	}
	c->size[PRESUM_J] = fours_of(p, c->dims[PRESUM_J]);
	c->n_columns = c->columns ? fours_of(p, c->columns) : 1;
	return true;
}

/* ---- the descriptor ----------------------------------------------------------------------- */

static void count_fours(struct gpube__flat *f)
{
	const uint32_t of = f->of[f->n - 1], fours = (of + 3) / 4;

	f->size = f->size / of * fours;
	f->of[f->n - 1] = fours;
	f->by[f->n - 1] = gpube__divisor_of(fours);
}

/* T's columns: one dim of J, or none, and the last one. */
static void set_columns(struct gpube__presum *d, const struct planner *p, const struct choice *c)
{
	const int last = last_of(c->dims[PRESUM_J]);
	const uint64_t other = c->columns & ~((uint64_t)1 << last);
	const uint32_t fours =
		c->columns ? (uint32_t)gpube__divide_up(p->s->size[last], 4)
			   : 1; /* none: a four of 0 */
	uint32_t n = 0;

	d->last = (uint32_t)p->s->size[last];
	d->in_four = d->last % 4 ? 1 : 4;
	d->apart = d->last % 4 ? (d->last + 3) / 4 : 1;
	d->columns.n = 2;
	d->columns.size = (uint32_t)c->n_columns;
	d->columns.of[0] = other ? (uint32_t)p->s->size[last_of(other)] : 1;
	d->columns.of[1] = fours;
	d->columns.by[1] = gpube__divisor_of(fours);
	for (int i = 0; i < last; i++)
		if (c->dims[PRESUM_J] >> i & 1)
			d->column[n++] = other >> i & 1 ? fours : 0;
	d->column[n] = c->columns != 0;
}

static void add_op(struct gpube__presum *d, const struct planner *p, const struct choice *c, int k)
{
	const int sum = c->sum[k], last = last_of(c->dims[PRESUM_J]);
	const uint64_t other = c->columns & ~((uint64_t)1 << last);
	const int64_t *stride = stride_of(p, k);
	struct gpube__presum_op *o = &d->op[sum * GPUBE_PRESUM_TERMS + (int)d->n_ops[sum]++];

	o->order = k;
	o->how = (uint32_t)c->how[k];
	d->s_by_x |= sum == PRESUM_S && o->how == PRESUM_FOURS_X;
	o->x = (uint32_t)x_of(p, k);
	o->next = d->apart * (uint32_t)stride[last];
	gpube__flat_steps(o->fixed, p->s, c->dims[PRESUM_FIXED], stride);
	gpube__flat_steps(o->walk, p->s, c->dims[PRESUM_WALK], stride);
	if (sum == PRESUM_L) {
		gpube__flat_steps(o->step, p->s, c->dims[PRESUM_I], stride);
	} else if (sum == PRESUM_S) {
		gpube__flat_steps(o->step, p->s, c->dims[PRESUM_J], stride);
		o->step[d->group[PRESUM_J].n - 1] *= d->in_four;
	} else {
		o->step[0] = other ? (uint32_t)stride[last_of(other)] : 0;
		o->step[1] = d->in_four * (uint32_t)stride[last];
	}
}

/* In the order of x where it is the fastest dim of most operands. */
static void set_cells(
	struct gpube__presum_cells *cells, const struct gpube__presum *d, int sum, uint32_t n)
{
	uint32_t by_x = 0;

	for (uint32_t k = 0; k < d->n_ops[sum]; k++)
		by_x += d->op[sum * GPUBE_PRESUM_TERMS + (int)k].x == 1;
	cells->values = n;
	cells->x_inner = 2 * by_x > d->n_ops[sum];
	cells->inner = cells->x_inner ? (d->all_x + 7) / 8 : n;
	cells->n = cells->x_inner ? 32 * cells->inner * ((n + 3) / 4) : n * d->all_x;
	cells->by = gpube__divisor_of(cells->inner);
}

/* Whether 32 bits hold the distance of any two cells that a step reads of an operand. */
static bool offsets_fit(const struct planner *p, const struct choice *c)
{
	for (int k = 0; k < p->s->n_in; k++) {
		const uint64_t dims = c->sum[k] == PRESUM_L   ? c->dims[PRESUM_I]
				      : c->sum[k] == PRESUM_S ? c->dims[PRESUM_J]
							      : c->columns;
		double span = ((double)p->s->n_reduced - 1) * (double)x_of(p, k);

		for (int d = 0; d < p->s->n_out; d++)
			if (dims >> d & 1)
				span += (double)(p->s->size[d] - 1) * (double)stride_of(p, k)[d];
		if (span > UINT32_MAX)
			return false;
	}
	return true;
}

/*
 * Bytes from a four of S or T, or a lane's rows of L, to the next: odd numbers of 16, so that
 * neighbours' reads fall on different banks.
 */
static uint32_t pitch_of(const struct planner *p)
{
	return 16 * (uint32_t)(gpube__divide_up(p->s->n_reduced, 4) * 4 + 1);
}

static uint32_t pitch_l_of(const struct planner *p, const struct choice *c)
{
	const uint32_t pairs = (uint32_t)gpube__divide_up(p->s->n_reduced, 2);

	return 16 * (GPUBE_PRESUM_PADDED(gpube__presum_rows(c->kernel)) / 4 * 2 * pairs + 1);
}

static void set_buffers(struct gpube__presum *d, const struct planner *p, const struct choice *c)
{
	d->pitch = pitch_of(p);
	d->pitch_l = pitch_l_of(p, c);
	d->place_t = d->lanes[PRESUM_I] * d->pitch_l;
	d->buffer = d->place_t + d->columns.size * d->pitch;
	d->place_s = d->together * d->buffer;
	d->s_bytes = d->lanes[PRESUM_J] * d->pitch;
	d->shared = d->place_s + d->kept * d->s_bytes;
	set_cells(&d->l, d, PRESUM_L, d->lanes[PRESUM_I] * gpube__presum_rows(d->kernel));
	set_cells(&d->t, d, PRESUM_T, 4 * d->columns.size);
}

static bool make(struct gpube__presum *d, const struct planner *p, const struct choice *c)
{
	const struct gpube__shape *s = p->s;

	if (!offsets_fit(p, c))
		return false;
	memset(d, 0, sizeof(*d));
	d->kernel = c->kernel;
	d->n_x = (uint32_t)s->n_reduced;
	d->all_x = (d->n_x + 1) / 2 * 2;
	d->one = 1;
	for (int g = 0; g < N_PRESUM_GROUPS; g++)
		if (!gpube__flat_init(&d->group[g], s, c->dims[g]))
			return false;
	count_fours(&d->group[PRESUM_J]);
	set_columns(d, p, c);
	for (int g = 0; g < 2; g++) {
		d->lanes[g] = (uint32_t)c->lanes[g];
		d->boxes[g] = (uint32_t)c->boxes[g];
		d->by_boxes[g] = gpube__divisor_of(d->boxes[g]);
	}
	d->units = (uint32_t)c->units;
	d->blocks = (uint32_t)c->blocks;
	d->each = d->units / d->blocks;
	d->more = d->units % d->blocks;
	d->threads = (uint32_t)c->threads;
	d->together = (uint32_t)c->together;
	d->kept = (uint32_t)c->kept;
	d->tiles = d->lanes[PRESUM_I] * d->lanes[PRESUM_J];
	d->by_tiles = gpube__divisor_of(d->tiles);
	d->fours_x = (d->n_x + 3) / 4;
	d->by_fours_x = gpube__divisor_of(d->fours_x);
	d->walked = d->group[PRESUM_WALK].size * d->boxes[PRESUM_I];
	d->by_walked = gpube__divisor_of(d->walked);
	d->by_lanes = gpube__divisor_of(d->lanes[PRESUM_I]);
	d->by_fours = gpube__divisor_of(d->lanes[PRESUM_J]);
	d->by_walk = gpube__divisor_of(d->group[PRESUM_WALK].size);
	d->out_i = (uint32_t)s->out_stride[last_of(c->dims[PRESUM_I])];
	d->out_next = d->apart * (uint32_t)s->out_stride[last_of(c->dims[PRESUM_J])];
	d->out_wide = gpube__flat_fours(s, c->dims[PRESUM_J], s->out_stride);
	gpube__flat_steps(d->out_j, s, c->dims[PRESUM_J], s->out_stride);
	d->out_j[d->group[PRESUM_J].n - 1] *= d->in_four;
	gpube__flat_steps(d->out_fixed, s, c->dims[PRESUM_FIXED], s->out_stride);
	gpube__flat_steps(d->out_walk, s, c->dims[PRESUM_WALK], s->out_stride);
	for (int k = 0; k < s->n_in; k++)
		add_op(d, p, c, k);
	set_buffers(d, p, c);
	return true;
}

/* ---- prices ------------------------------------------------------------------------------- */

/* Bytes of the output that lie together in a box. */
static double run_bytes(const struct planner *p, const struct choice *c)
{
	int64_t next = 1;

	for (int d = p->s->n_out - 1; d >= 0 && c->dims[PRESUM_J] >> d & 1; d--) {
		if (p->s->out_stride[d] != next)
			break;
		next *= p->s->size[d];
	}
	return 4 * fmin((double)next, 4 * (double)c->lanes[PRESUM_J]);
}

/* Slots of a multiprocessor for an S. */
static double fill_slots(const struct planner *p, const struct choice *c)
{
	double slots = FOURS;

	for (int k = 0; k < p->s->n_in; k++)
		if (c->sum[k] == PRESUM_S)
			slots += read_slots[c->how[k]];
	return slots * (double)(gpube__divide_up(p->s->n_reduced, 4) * c->lanes[PRESUM_J]) / 32;
}

/* Slots for the L and T of the steps that are together. */
static double cell_slots(const struct planner *p, const struct choice *c)
{
	const double rows = gpube__presum_rows(c->kernel);
	const double cells = 2 * (double)gpube__divide_up(p->s->n_reduced, 2) *
			     (rows * (double)c->lanes[PRESUM_I] + 4 * (double)c->n_columns);

	return cells / 32 * (CELL + ADD * (double)(c->together * p->s->n_in));
}

/* Slots for a warp's tiles. */
static double tile_slots(const struct planner *p, const struct choice *c)
{
	const double rows = gpube__presum_rows(c->kernel);

	return (double)gpube__divide_up(p->s->n_reduced, 2) *
		       (PAIR + 2 * ceil(rows / 4) + 4 * rows * CELLS) +
	       TILE + ROW * rows;
}

/* Predicted cycles of the device. */
static double price(const struct planner *p, const struct choice *c)
{
	const double n_sms = p->device->n_sms, units = (double)c->units;
	const double rows = gpube__presum_rows(c->kernel), at_once = (double)c->at_once;
	const double lanes = (double)(c->lanes[0] * c->lanes[1]);
	const bool wide = gpube__flat_fours(p->s, c->dims[PRESUM_J], p->s->out_stride);
	const double each = (double)c->each, turns = ceil(each / (double)c->together);
	const double walked = (double)(c->size[PRESUM_WALK] * c->boxes[PRESUM_I]);
	const double fills = walked <= 1 ? each : ceil(1 + (each - 1) / walked);
	const double warps = (double)c->threads / 32 * at_once / SCHEDULERS;
	const double busy = BUSY * fmin(1, warps / WARPS);
	/* of all schedulers; the last round of a turn may leave most of them idle */
	const double of_turn = ceil(lanes * each / turns / 32), at_most = (double)c->threads / 32;
	const double rounds = floor(of_turn / at_most), rest = of_turn - rounds * at_most;
	const double tiles = turns * (at_once * rounds * at_most / SCHEDULERS +
				     (rest > 0 ? fmax(at_once * rest / SCHEDULERS, ALONE) : 0));
	const double slots = tiles * tile_slots(p, c) +
			     at_once * (turns * cell_slots(p, c) + fills * fill_slots(p, c)) /
				     SCHEDULERS;
	const double dram =
		(p->bytes + 4 * (double)p->s->n_out_cells * RUN_MORE / run_bytes(p, c)) /
		(DRAM_BYTES * n_sms);
	const double l2 = units * (8 * 2 * (double)gpube__divide_up(p->s->n_reduced, 2) *
						  (rows * (double)c->lanes[PRESUM_I] +
							  4 * (double)c->n_columns) +
					  16 * lanes * rows) /
			  n_sms / L2_BYTES;

	return LAUNCH + (wide ? 0 : STORE * (double)p->s->n_out_cells / n_sms) +
	       fmax(fmax(slots / busy + turns * READY, l2), dram) + 0.1 * dram;
}

/* ---- the search ------------------------------------------------------------------------- */

/* How many S and steps of L and T a block of a multiprocessor's 'at_once' has; false: none. */
static bool set_room(const struct planner *p, struct choice *c)
{
	const int64_t of_sm = p->device->sm_shared_bytes / c->at_once - RESERVED;
	const int64_t most = p->device->shared_bytes - KNOWN, room = of_sm < most ? of_sm : most;
	const int64_t s = c->lanes[PRESUM_J] * pitch_of(p);
	const int64_t step =
		c->lanes[PRESUM_I] * pitch_l_of(p, c) + c->n_columns * pitch_of(p);
	const int64_t wanted = c->each < GPUBE_PRESUM_STEPS ? c->each : GPUBE_PRESUM_STEPS;
	const int64_t walked = c->size[PRESUM_WALK] * c->boxes[PRESUM_I];
	int64_t before = 0; /* steps that the S taken so far surely have */

	c->together = 0;
	for (int64_t kept = 1; kept <= GPUBE_PRESUM_KEPT; kept *= 2) {
		/* blocks may begin anywhere, and so have two S in a few steps */
		const int64_t sure = (kept - 1) * walked + 1;
		const int64_t same = walked < wanted && c->units > walked ? sure : wanted;
		int64_t n = (room - s * kept) / step;

		n = n < same ? n : same;
		n = n < wanted ? n : wanted;
		if (n <= 0)
			break;
		if (n > c->together || (n == c->together && before < n)) {
			c->kept = kept;
			c->together = n;
			before = sure;
		}
	}
	return c->together > 0;
}

static void try_lanes(struct planner *p, struct choice *c, struct gpube__presum *best)
{
	const int64_t most = GPUBE_PRESUM_THREADS(gpube__presum_rows(c->kernel));
	const int64_t tiles = c->lanes[0] * c->lanes[1];
	const double units = (double)c->size[PRESUM_FIXED] * (double)c->size[PRESUM_WALK] *
			     (double)(c->boxes[0] * c->boxes[1]);

	if (tiles < LEAST_TILES || units > INT32_MAX ||
		tiles > INT32_MAX / GPUBE_PRESUM_STEPS - 1024)
		return;
	c->units = (int64_t)units;
	for (c->at_once = 1; c->at_once <= MOST_BLOCKS; c->at_once++) {
		const int64_t blocks = p->device->n_sms * c->at_once;
		struct gpube__presum d;
		double cost;

		c->blocks = c->units < blocks ? c->units : blocks;
		c->each = gpube__divide_up(c->units, c->blocks);
		if (!set_room(p, c))
			return;
		c->threads = gpube__divide_up(tiles * c->together, 32) * 32;
		if (c->threads > most / c->at_once / 32 * 32)
			c->threads = most / c->at_once / 32 * 32;
		cost = price(p, c);
		if (cost >= p->least || !make(&d, p, c))
			continue;
		p->least = cost;
		*best = d;
	}
}

/* Boxes that cut I and J evenly, few of them. */
static void try_groups(struct planner *p, struct choice *c, struct gpube__presum *best)
{
	const int64_t n_i = gpube__divide_up(c->size[PRESUM_I], gpube__presum_rows(c->kernel));
	const int64_t n_j = c->size[PRESUM_J];
	const int64_t least = gpube__divide_up(n_j * pitch_of(p), p->device->shared_bytes);

	for (int64_t i = 1; i <= n_i && i <= MORE_BOXES; i++) {
		c->lanes[PRESUM_I] = gpube__divide_up(n_i, i);
		c->boxes[PRESUM_I] = gpube__divide_up(n_i, c->lanes[PRESUM_I]);
		for (int64_t j = least; j <= n_j && j < least + MORE_BOXES; j++) {
			c->lanes[PRESUM_J] = gpube__divide_up(n_j, j);
			c->boxes[PRESUM_J] = gpube__divide_up(n_j, c->lanes[PRESUM_J]);
			try_lanes(p, c, best);
		}
	}
}

static bool planner_init(struct planner *p, const struct gpube_contraction *c)
{
	const struct gpube__shape *s = p->s;

	if (!gpube__is_plain(c) || s->n_in < 2 || s->n_in > GPUBE_PRESUM_OPS || s->n_out < 2 ||
		s->n_out > MAX_DIMS || s->n_dims != s->n_out + 1 || s->n_reduced > GPUBE_PRESUM_X ||
		s->n_out_cells > UINT32_MAX)
		return false;
	p->is_float = c->type == GPUBE_FLOAT32;
	p->bytes = 4.0 * (double)s->n_out_cells;
	for (int k = 0; k < s->n_in; k++) {
		double cells = 1;

		p->scope[k] = 0;
		for (int d = 0; d < s->n_dims; d++)
			if (stride_of(p, k)[d]) {
				cells *= (double)s->size[d];
				p->scope[k] |= (uint64_t)1 << d;
			}
		if (cells > UINT32_MAX)
			return false;
		p->bytes += 4 * cells;
	}
	return true;
}

/* Output dims that some operand has together with dim d, and d. */
static uint64_t beside(const struct planner *p, int d)
{
	uint64_t dims = (uint64_t)1 << d;

	for (int k = 0; k < p->s->n_in; k++)
		if (p->scope[k] >> d & 1)
			dims |= p->scope[k];
	return dims & (((uint64_t)1 << p->s->n_out) - 1);
}

/* All subsets of 'of' as J, and all of the rest as the walk. */
static void try_partitions(
	struct planner *p, struct choice *c, uint64_t of, struct gpube__presum *best)
{
	const uint64_t all = (((uint64_t)1 << p->s->n_out) - 1) & ~c->dims[PRESUM_I];

	for (uint64_t j = of; j; j = (j - 1) & of) {
		const uint64_t rest = all & ~j;
		uint64_t walk = rest;

		do {
			c->dims[PRESUM_J] = j;
			c->dims[PRESUM_WALK] = walk;
			c->dims[PRESUM_FIXED] = rest & ~walk;
			if (set_groups(p, c))
				for (c->kernel = 0; c->kernel < N_PRESUM_KERNELS; c->kernel++)
					try_groups(p, c, best);
			walk = (walk - 1) & rest;
		} while (walk != rest);
	}
}

bool gpube__presum_plan(struct gpube__presum *d, double *cycles,
	const struct gpube__box_device *device, const struct gpube_contraction *c,
	const struct gpube__shape *s)
{
	struct planner p = {.s = s, .device = device, .least = INFINITY};

	if (!planner_init(&p, c))
		return false;
	for (int i = 0; i < s->n_out; i++) {
		const uint64_t all = ((uint64_t)1 << s->n_out) - 1;
		struct choice choice = {.dims = {[PRESUM_I] = (uint64_t)1 << i}};

		try_partitions(&p, &choice, all & ~beside(&p, i), d);
	}
	d->cut = c->cut;
	d->threshold = c->threshold;
	*cycles = p.least;
	return p.least < INFINITY;
}
