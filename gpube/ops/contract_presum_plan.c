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

#include "gpube/ops/contract_presum.h"

/* Of a multiprocessor, in a cycle. */
#define DRAM_BYTES 16.0
#define L2_BYTES   24.0
#define SCHEDULERS 4.0
#define REGISTERS  28      /* warps of a multiprocessor, which the registers of a thread leave */
#define LAUNCH     12000.0 /* with what a block makes ready */
#define PAIR       19.0    /* slots for two x, besides those for cells */
#define STEP       300.0   /* slots of a warp for a step, besides its loop */
#define CELL       30.0    /* and for a cell of L or T, and its operands */
#define STORE      1.1    /* cycles for a cell of the output that is stored alone, by measurement */
#define SPREAD     2000.0 /* cycles that warps wait for each other, and for cells, in a step */
#define FILL       3500.0 /* what is waited for S */
#define FOURS      80.0   /* slots for four x of four columns of S, besides each operand's */
#define BUSY       0.75   /* of the slots of a scheduler that has work */
#define RUN_MORE   100.0  /* bytes that the memory takes besides for each run of the output */
#define MAX_DIMS   6
#define MOST_STEPS 32 /* of a block; it learns of them all when it begins */
#define MORE_BOXES 4  /* numbers of boxes that are tried */
#define RESERVED   9728
#define KNOWN      8704 /* bytes of shared memory for what a block knows of its steps */

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
};

static const int64_t *stride_of(const struct planner *p, int k)
{
	return p->s->stride + k * p->s->ld;
}

static int64_t x_of(const struct planner *p, int k)
{
	return stride_of(p, k)[p->s->n_out];
}

static int64_t divide_up(int64_t a, int64_t b)
{
	return (a + b - 1) / b;
}

static int last_of(uint64_t dims)
{
	return 63 - __builtin_clzll(dims);
}

static int64_t fours_of(const struct planner *p, uint64_t dims)
{
	int64_t n = divide_up(p->s->size[last_of(dims)], 4);

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
		c->columns ? (uint32_t)divide_up(p->s->size[last], 4) : 1; /* none: a four of 0 */
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
	cells->n = n * d->all_x;
	cells->x_inner = 2 * by_x > d->n_ops[sum];
	cells->inner = cells->x_inner ? d->all_x : n;
	cells->by = gpube__divisor_of(cells->inner);
}

/*
 * Whether 32 bits hold the distance of any two cells that a step reads of an operand: in bytes, of
 * L's and T's, which are listed so.
 */
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
		if (span > (c->sum[k] == PRESUM_S ? UINT32_MAX : UINT32_MAX / 4))
			return false;
	}
	return true;
}

/* Sizes of shared memory. False: more cells for a thread than it may have. */
static bool set_buffers(struct gpube__presum *d)
{
	const uint32_t rows = d->lanes[PRESUM_I] * gpube__presum_rows(d->kernel);
	uint32_t bytes;

	/* odd numbers of 16 bytes: neighbours' reads fall on different banks */
	d->pitch = 16 * ((d->n_x + 3) / 4 * 4 + 1);
	d->pitch_l = 16 * (GPUBE_PRESUM_PADDED / 4 * d->all_x + 1);
	d->place_t = d->lanes[PRESUM_I] * d->pitch_l;
	d->buffer = d->place_t + d->columns.size * d->pitch;
	set_cells(&d->l, d, PRESUM_L, rows);
	set_cells(&d->t, d, PRESUM_T, 4 * d->columns.size);
	d->n_cells = (d->l.n + d->t.n + d->threads - 1) / d->threads;
	d->n_pairs = ((d->n_ops[PRESUM_L] > d->n_ops[PRESUM_T] ? d->n_ops[PRESUM_L]
							       : d->n_ops[PRESUM_T]) +
			     1) /
		     2;
	bytes = 4 * d->n_cells * d->threads;
	d->first_x = (d->all_x / 2 + 3) / 4 * 4;
	if (d->first_x > d->all_x)
		d->first_x = d->all_x;
	d->sources = GPUBE_PRESUM_BUFFERS * d->buffer + d->lanes[PRESUM_J] * d->pitch;
	d->arrivals = d->sources + 4 * d->n_pairs * bytes;
	d->targets = d->arrivals + 2 * d->n_pairs * bytes;
	d->mine = d->targets + bytes;
	d->shared = d->mine + 4 * GPUBE_PRESUM_MINE * d->threads;
	return d->n_cells <= GPUBE_PRESUM_CELLS;
}

static bool make(struct gpube__presum *d, const struct planner *p, const struct choice *c,
	double units, double blocks)
{
	const struct gpube__shape *s = p->s;

	if (units > INT32_MAX || !offsets_fit(p, c))
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
	d->units = (uint32_t)units;
	d->blocks = (uint32_t)blocks;
	d->each = d->units / d->blocks;
	d->more = d->units % d->blocks;
	d->threads = (d->lanes[0] * d->lanes[1] + 31) / 32 * 32;
	d->groups = d->threads / d->lanes[PRESUM_J];
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
	return set_buffers(d);
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

/* Slots of a warp for S. */
static double fill_slots(const struct planner *p, const struct choice *c, double threads)
{
	const double groups = floor(threads / (double)c->lanes[PRESUM_J]);
	double slots = FOURS;

	for (int k = 0; k < p->s->n_in; k++)
		if (c->sum[k] == PRESUM_S)
			slots += read_slots[c->how[k]];
	return slots * ceil((double)divide_up(p->s->n_reduced, 4) / groups);
}

/* Predicted cycles of the device. */
static double price(const struct planner *p, const struct choice *c, double units, double blocks,
	double at_once)
{
	const double rows = gpube__presum_rows(c->kernel), n_sms = p->device->n_sms;
	const double warps = (double)divide_up(c->lanes[0] * c->lanes[1], 32);
	const double pairs = (double)divide_up(p->s->n_reduced, 2);
	const double cells =
		2 * pairs * (rows * (double)c->lanes[PRESUM_I] + 4 * (double)c->n_columns);
	const bool wide = gpube__flat_fours(p->s, c->dims[PRESUM_J], p->s->out_stride);
	const double slots = pairs * (PAIR + 4 * rows * (p->is_float ? 3 : 2.25)) + STEP +
			     ceil(cells / (32 * warps)) * CELL;
	const double turns = ceil(at_once * warps / SCHEDULERS) / BUSY;
	const double each =
		ceil(units / fmin(blocks, n_sms * at_once)); /* one block after another */
	const double walk = (double)(c->size[PRESUM_WALK] * c->boxes[PRESUM_I]);
	const double fills = walk <= 1 ? each : ceil(1 + (each - 1) / walk);
	const double fill = FILL + turns * fill_slots(p, c, 32 * warps);
	const double dram =
		(p->bytes + 4 * (double)p->s->n_out_cells * RUN_MORE / run_bytes(p, c)) /
		(DRAM_BYTES * n_sms);
	const double l2 = 4 * units *
			  (cells * 2 + 16 * (double)(c->lanes[0] * c->lanes[1]) * rows) / n_sms /
			  L2_BYTES / 4;

	return LAUNCH + (wide ? 0 : STORE * (double)p->s->n_out_cells / n_sms) +
	       fmax(fmax(each * (slots * turns + SPREAD / at_once) + fills * fill, l2), dram) +
	       0.1 * dram;
}

/* ---- the search ------------------------------------------------------------------------- */

static void try_lanes(struct planner *p, struct choice *c, struct gpube__presum *best)
{
	const int64_t lanes = c->lanes[0] * c->lanes[1];
	const int64_t warps = divide_up(lanes, 32);
	const double units = (double)c->size[PRESUM_FIXED] * (double)c->size[PRESUM_WALK] *
			     (double)(c->boxes[0] * c->boxes[1]);
	const double n_x = (double)(divide_up(p->s->n_reduced, 4) * 4 + 1);
	const double cells = n_x * (double)(c->lanes[PRESUM_I] * gpube__presum_rows(c->kernel) +
					    4 * c->n_columns);
	const double bytes =
		16 * n_x *
			((double)c->lanes[PRESUM_J] +
				GPUBE_PRESUM_BUFFERS *
					(double)(c->n_columns + 2 * c->lanes[PRESUM_I])) +
		(double)(4 * 32 * GPUBE_PRESUM_MINE * warps) + 7 * 4 * cells;
	double at_once, blocks, cost;
	struct gpube__presum d;

	if (lanes > GPUBE_PRESUM_THREADS || lanes < 16 || bytes > (double)p->device->shared_bytes)
		return;
	at_once = fmin((double)(REGISTERS / divide_up(warps, 4) / 4),
		floor((double)p->device->sm_shared_bytes / (bytes + RESERVED)));
	at_once = fmax(1, at_once);
	blocks = fmax(fmin(units, p->device->n_sms * at_once), ceil(units / (MOST_STEPS - 1)));
	cost = price(p, c, units, blocks, at_once);
	if (cost >= p->least || !make(&d, p, c, units, blocks) ||
		d.shared + KNOWN > p->device->shared_bytes)
		return;
	p->least = cost;
	*best = d;
}

/* Boxes that cut I and J evenly, few of them. */
static void try_groups(struct planner *p, struct choice *c, struct gpube__presum *best)
{
	const int64_t n_i = divide_up(c->size[PRESUM_I], gpube__presum_rows(c->kernel));
	const int64_t n_j = c->size[PRESUM_J];

	for (int64_t i = 1; i <= n_i && i <= MORE_BOXES; i++) {
		const int64_t lanes = divide_up(n_i, i);
		const int64_t least = divide_up(n_j * lanes, GPUBE_PRESUM_THREADS);

		c->lanes[PRESUM_I] = lanes;
		c->boxes[PRESUM_I] = divide_up(n_i, lanes);
		for (int64_t j = least; j <= n_j && j < least + MORE_BOXES; j++) {
			c->lanes[PRESUM_J] = divide_up(n_j, j);
			c->boxes[PRESUM_J] = divide_up(n_j, c->lanes[PRESUM_J]);
			try_lanes(p, c, best);
		}
	}
}

static bool planner_init(struct planner *p, const struct gpube_contraction *c)
{
	const struct gpube__shape *s = p->s;

	if (c->semiring != GPUBE_MIN_PLUS || c->out_arg ||
		(c->type != GPUBE_INT32 && c->type != GPUBE_FLOAT32) || s->n_in < 2 ||
		s->n_in > GPUBE_PRESUM_OPS || s->n_out < 2 || s->n_out > MAX_DIMS ||
		s->n_dims != s->n_out + 1 || s->n_reduced > GPUBE_PRESUM_X ||
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
