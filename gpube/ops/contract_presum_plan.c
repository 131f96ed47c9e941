/*
 * contract_presum_plan.c - how a contraction that is a product once some dims are fixed is cut
 * (contract_presum.h).
 *
 * Every partition of the output dims into I, J and the grid that the operands allow is priced with
 * many numbers of lanes along I and J, in cycles of a multiprocessor.
 */
#include <math.h>
#include <string.h>

#include "gpube/ops/contract_presum.h"

/* Of a multiprocessor, in a cycle. */
#define DRAM_BYTES  16.0
#define L2_BYTES    24.0
#define LAUNCH      5000.0
#define BLOCK       2500.0 /* what no other block hides of one: where it reads, its first reads */
#define BLOCK_SLOTS 400.0  /* of a warp, besides its stores */
#define WAIT        900.0  /* for what is read for some x */
#define FOURS       12.0   /* slots for four x of four columns, besides each operand's */
#define BUSY        0.85   /* of the slots that the warps of two blocks fill */
#define RUN_MORE    100.0  /* bytes that the memory takes besides for each run of the output */
#define MAX_DIMS    6
#define RESERVED    1024

/* Slots for an operand of four x by four columns, and bytes of the cache that they are of use of.
 */
static const double read_slots[] = {32, 28, 18, 28, 64}, read_bytes[] = {64, 64, 32, 128, 512};

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
	int64_t size[N_PRESUM_GROUPS];
	int side[GPUBE_PRESUM_OPS];
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

/* How an operand of R is read; those of L are read by cells. */
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

/* Whether the operands fall into two sides; an operand without dims of either goes to L. */
static bool set_groups(const struct planner *p, struct choice *c)
{
	int n[2] = {0, 0};

	if (__builtin_popcountll(c->dims[PRESUM_I]) != 1 || !c->dims[PRESUM_J] ||
		p->s->size[last_of(c->dims[PRESUM_J])] % 4)
		return false;
	for (int g = 0; g < N_PRESUM_GROUPS; g++) {
		c->size[g] = 1;
		for (int d = 0; d < p->s->n_out; d++)
			if (c->dims[g] >> d & 1)
				c->size[g] *= p->s->size[d];
	}
	for (int k = 0; k < p->s->n_in; k++) {
		c->side[k] = p->scope[k] & c->dims[PRESUM_J] ? PRESUM_J : PRESUM_I;
		if (c->side[k] == PRESUM_J && p->scope[k] & c->dims[PRESUM_I])
			return false;
		if (++n[c->side[k]] > GPUBE_PRESUM_TERMS)
			return false;
		c->how[k] = c->side[k] == PRESUM_J ? read_of(p, c, k) : PRESUM_CELLS;
	}
	return n[PRESUM_I] > 0 && n[PRESUM_J] > 0;
}

/* ---- the descriptor ----------------------------------------------------------------------- */

static void add_op(struct gpube__presum *d, const struct planner *p, const struct choice *c, int k)
{
	struct gpube__presum_op *o =
		&d->op[c->side[k] * GPUBE_PRESUM_TERMS + (int)d->n_ops[c->side[k]]];

	o->order = k;
	o->how = (uint32_t)c->how[k];
	o->x = (uint32_t)x_of(p, k);
	o->next = (uint32_t)stride_of(p, k)[last_of(c->dims[PRESUM_J])];
	for (int g = 0; g < N_PRESUM_GROUPS; g++)
		gpube__flat_steps(o->step[g], p->s, c->dims[g], stride_of(p, k));
	d->n_ops[c->side[k]]++;
}

static bool make(struct gpube__presum *d, const struct planner *p, const struct choice *c)
{
	const struct gpube__shape *s = p->s;
	double blocks = (double)c->size[PRESUM_GRID];

	memset(d, 0, sizeof(*d));
	d->kernel = c->kernel;
	d->n_x = (uint32_t)s->n_reduced;
	d->all_x = (d->n_x + 3) / 4 * 4;
	d->one = 1;
	for (int g = 0; g < N_PRESUM_GROUPS; g++) {
		if (!gpube__flat_init(&d->group[g], s, c->dims[g]))
			return false;
		gpube__flat_steps(d->out[g], s, c->dims[g], s->out_stride);
	}
	for (int g = 0; g < 2; g++) {
		d->lanes[g] = (uint32_t)c->lanes[g];
		d->boxes[g] = (uint32_t)c->boxes[g];
		d->by_boxes[g] = gpube__divisor_of(d->boxes[g]);
		blocks *= (double)c->boxes[g];
	}
	if (blocks > INT32_MAX)
		return false;
	d->blocks = (uint32_t)blocks;
	d->threads = (d->lanes[0] * d->lanes[1] + 31) / 32 * 32;
	d->groups = d->threads / (2 * d->lanes[PRESUM_J]);
	d->row_groups = d->threads / gpube__presum_box(d, PRESUM_I);
	d->by_lanes = gpube__divisor_of(d->lanes[PRESUM_J]);
	d->by_fours = gpube__divisor_of(2 * d->lanes[PRESUM_J]);
	d->by_values = gpube__divisor_of(gpube__presum_box(d, PRESUM_I));
	d->out_wide = gpube__flat_fours(s, c->dims[PRESUM_J], s->out_stride);
	for (int side = 0; side < 2; side++)
		for (int k = 0; k < s->n_in; k++)
			if (c->side[k] == side)
				add_op(d, p, c, k);
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
	return 4 * fmin((double)next, (double)(c->lanes[PRESUM_J] * GPUBE_PRESUM_COLUMNS));
}

/* Predicted cycles of the device. */
static double price(const struct planner *p, const struct choice *c)
{
	const double rows = gpube__presum_rows(c->kernel), n_sms = p->device->n_sms;
	const double lanes = (double)(c->lanes[0] * c->lanes[1]), warps = ceil(lanes / 32);
	const double n_x = 4.0 * (double)divide_up(p->s->n_reduced, 4);
	const double fours = 2 * (double)c->lanes[PRESUM_J], groups = floor(warps * 32 / fours);
	const double values = rows * (double)c->lanes[PRESUM_I];
	const double blocks = (double)(c->boxes[0] * c->boxes[1]) * (double)c->size[PRESUM_GRID];
	double slots = warps * rows * GPUBE_PRESUM_COLUMNS * (p->is_float ? 1.65 : 1.45);
	double sums = FOURS, bytes = 0, at_once, waves, work, latency, l2, dram;

	for (int k = 0; k < p->s->n_in; k++) {
		if (c->side[k] == PRESUM_I) {
			slots += ceil(values / 32) * 10;
			bytes += values * (x_of(p, k) == 1 ? 4 : 8);
			continue;
		}
		sums += read_slots[c->how[k]];
		bytes += fours * read_bytes[c->how[k]] / 4;
	}
	slots += sums * ceil(fours * groups / 32) / groups / 4;
	at_once = fmin(GPUBE_PRESUM_BLOCKS * floor(GPUBE_PRESUM_THREADS / 32.0 / warps),
		floor((double)p->device->sm_shared_bytes /
			(4.0 * GPUBE_PRESUM_ROW * n_x + RESERVED)));
	waves = blocks / (n_sms * at_once);
	if (waves < 6)
		waves = ceil(waves);
	work = at_once * (n_x * slots + warps * (BLOCK_SLOTS + rows * 4 * (4 + 8))) / 4 / BUSY;
	latency = BLOCK + ceil(n_x / 4 / groups) * WAIT +
		  n_x * slots / 4 * fmin(at_once, 1.5); /* of one block */
	l2 = (bytes * n_x + 4 * rows * GPUBE_PRESUM_COLUMNS * lanes) * blocks / (L2_BYTES * n_sms);
	dram = (p->bytes + 4 * (double)p->s->n_out_cells * RUN_MORE / run_bytes(p, c)) /
	       (DRAM_BYTES * n_sms);
	return LAUNCH + BLOCK + fmax(fmax(waves * fmax(work, latency), l2), dram) + 0.2 * l2 +
	       0.2 * dram;
}

/* ---- the search ------------------------------------------------------------------------- */

static void try_lanes(struct planner *p, struct choice *c, struct gpube__presum *best)
{
	struct gpube__presum d;
	const double cost = price(p, c);

	if (cost >= p->least || !make(&d, p, c) ||
		gpube__presum_shared(&d) > p->device->shared_bytes)
		return;
	p->least = cost;
	*best = d;
}

/* Boxes of all numbers of lanes that cut I and J evenly. */
static void try_groups(struct planner *p, struct choice *c, struct gpube__presum *best)
{
	const int64_t rows = gpube__presum_rows(c->kernel);
	const int64_t n_i = divide_up(c->size[PRESUM_I], rows);
	const int64_t n_j = divide_up(c->size[PRESUM_J], GPUBE_PRESUM_COLUMNS);
	const int64_t most_i = 32, most_j = GPUBE_PRESUM_ROW / GPUBE_PRESUM_COLUMNS - 1;
	int64_t before_i = 0;

	for (int64_t i = divide_up(n_i, most_i); i <= n_i && before_i != 1; i++) {
		int64_t before_j = 0;

		c->lanes[PRESUM_I] = divide_up(n_i, i);
		if (c->lanes[PRESUM_I] == before_i)
			continue;
		before_i = c->lanes[PRESUM_I];
		for (int64_t j = divide_up(n_j, most_j); j <= n_j && before_j != 1; j++) {
			const int64_t lanes_j = divide_up(n_j, j);
			const int64_t lanes = c->lanes[PRESUM_I] * lanes_j;

			if (lanes_j == before_j)
				continue;
			before_j = c->lanes[PRESUM_J] = lanes_j;
			if (lanes > GPUBE_PRESUM_THREADS || lanes < 16 ||
				2 * lanes_j > (lanes + 31) / 32 * 32 ||
				rows * c->lanes[PRESUM_I] > (lanes + 31) / 32 * 32 ||
				8 * (lanes_j + c->lanes[PRESUM_I]) > GPUBE_PRESUM_ROW)
				continue;
			c->boxes[PRESUM_I] = divide_up(n_i, c->lanes[PRESUM_I]);
			c->boxes[PRESUM_J] = divide_up(n_j, lanes_j);
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

bool gpube__presum_plan(struct gpube__presum *d, double *cycles,
	const struct gpube__box_device *device, const struct gpube_contraction *c,
	const struct gpube__shape *s)
{
	struct planner p = {.s = s, .device = device, .least = INFINITY};
	int64_t n = 1;

	if (!planner_init(&p, c))
		return false;
	for (int i = 0; i < s->n_out; i++)
		n *= N_PRESUM_GROUPS;
	for (int64_t which = 0; which < n; which++) {
		struct choice choice = {.dims = {0}};
		int64_t rest = which;

		for (int i = 0; i < s->n_out; i++, rest /= N_PRESUM_GROUPS)
			choice.dims[rest % N_PRESUM_GROUPS] |= (uint64_t)1 << i;
		if (!set_groups(&p, &choice))
			continue;
		for (choice.kernel = 0; choice.kernel < N_PRESUM_KERNELS; choice.kernel++)
			try_groups(&p, &choice, d);
	}
	d->cut = c->cut;
	d->threshold = c->threshold;
	*cycles = p.least;
	return p.least < INFINITY;
}
