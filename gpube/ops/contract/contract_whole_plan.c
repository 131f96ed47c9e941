/* contract_whole_plan.c - see contract_whole.h. */
#include "gpube/ops/contract/contract_whole.h"

#include <math.h>
#include <string.h>

/* Of a multiprocessor, in a cycle. */
#define DRAM_BYTES 16.0

#define RESERVED    1024 /* bytes of shared memory that a block has besides */
#define STEP_SLOTS  60.0 /* of a warp for a contraction: its wait, addresses, loop */
#define STORE_SLOTS 3.0  /* of an output cell */
#define COPY_SLOTS  8.0  /* of a warp's copies of 16 bytes */
#define ROUND_SLOTS 60.0 /* of a tile that is not the thread's only one */
#define LOOP_SLOTS  4.0  /* of an x */
#define BULK_SLOTS  150.0 /* of a warp for a contraction in bulk: waits, barriers, asking */
#define BULK_BYTES  4096.0 /* of a contraction in bulk, at least: others go several to a block */
#define OVERHEAD    1.15 /* measured over predicted */

const struct gpube__whole_kernel_info gpube__whole_kernels[N_WHOLE_KERNELS] = {
	[WHOLE_8X4] = {8, 4, 512, false},
	[WHOLE_5X2] = {5, 2, 1024, false},
	[WHOLE_8X1] = {8, 1, 1024, false},
	[BULK_4X10] = {4, 10, 512, true},
	[BULK_8X4] = {8, 4, 512, true},
	[BULK_8X1] = {8, 1, 1024, true},
};

struct planner {
	const struct gpube__shape *s;
	const struct gpube__box_device *device;
	bool is_float, bulk;
	int wide;
	uint32_t cells[2 * GPUBE_WHOLE_SIDE];
};

struct choice {
	int kernel, p, v; /* output dims; v -1: none */
	int64_t lanes;
	double slots; /* of a scheduler, for one contraction */
};

static int64_t stride_of(const struct planner *p, int k, int dim)
{
	return dim < 0 ? 0 : p->s->stride[k * p->s->ld + dim];
}

static int64_t x_stride(const struct planner *p, int k)
{
	return stride_of(p, k, p->s->n_dims > p->s->n_out ? p->s->n_out : -1);
}

static bool planner_init(struct planner *p, const struct gpube_contraction *c)
{
	const struct gpube__shape *s = p->s;

	if (!gpube__is_plain(c) || s->n_in == 0 || s->n_in > 2 * GPUBE_WHOLE_SIDE ||
		s->n_dims > s->n_out + 1 || s->n_out == 0 ||
		s->n_out > GPUBE_WHOLE_AXES || s->n_out_cells > INT32_MAX)
		return false;
	p->is_float = c->type == GPUBE_FLOAT32;
	p->wide = s->n_reduced % 4 == 0 ? 4 : s->n_reduced % 2 == 0 ? 2 : 1;
	for (int k = 0; k < s->n_in; k++) {
		int64_t cells = 1;

		for (int d = 0; d < s->n_dims; d++) {
			cells *= stride_of(p, k, d) ? s->size[d] : 1;
			if (cells * 4 > p->device->shared_bytes)
				return false;
		}
		p->cells[k] = (uint32_t)cells;
		if (x_stride(p, k) != 1)
			p->wide = 1;
	}
	return true;
}

static int64_t lanes_of(const struct planner *p, const struct choice *c, int dim)
{
	const struct gpube__whole_kernel_info *kernel = &gpube__whole_kernels[c->kernel];
	const int each = dim == c->p ? kernel->p : dim == c->v ? kernel->v : 1;

	return gpube__divide_up(p->s->size[dim], each);
}

/* Operands with P's dim and without, and what a tile of this choice takes; false: not possible. */
static bool price(const struct planner *p, struct choice *c)
{
	const struct gpube__whole_kernel_info *kernel = &gpube__whole_kernels[c->kernel];
	const double cells = kernel->p * kernel->v;
	double sums, reads, slots;
	int n[2] = {0, 0};

	for (int k = 0; k < p->s->n_in; k++) {
		const bool has_p = stride_of(p, k, c->p) != 0;

		if ((has_p && stride_of(p, k, c->v)) || n[!has_p]++ == GPUBE_WHOLE_SIDE)
			return false;
	}
	if (p->bulk) {
		if (!n[0] || !n[1])
			return false;
		reads = n[0] * kernel->p + n[1] * kernel->v;
	} else {
		reads = (n[0] > 1 || n[1] > 1 ? 2 : 1) * (kernel->p + kernel->v);
	}
	sums = reads - (kernel->p + kernel->v);
	c->lanes = 1;
	for (int d = 0; d < p->s->n_out; d++)
		c->lanes *= lanes_of(p, c, d);
	/* an address has a register of its own where W is 1 */
	slots = cells * (p->is_float ? 2 : 1) + sums +
		reads * (p->wide == 1 ? 2 : 1.0 / p->wide) + LOOP_SLOTS / p->wide;
	/* a read of shared memory and an add-min take two of a scheduler's cycles or more */
	slots = fmax(slots, fmax(5 * reads, 2 * cells));
	c->slots = ((double)p->s->n_reduced * slots + STORE_SLOTS * cells +
			   (c->lanes > GPUBE_WHOLE_THREADS ? ROUND_SLOTS : 0)) *
		   (double)gpube__divide_up(c->lanes, 32) / 4;
	return true;
}

static bool find(const struct planner *p, struct choice *best)
{
	best->slots = INFINITY;
	for (int kernel = 0; kernel < N_WHOLE_KERNELS; kernel++)
		for (int a = 0; a < p->s->n_out; a++)
			for (int b = -1; b < p->s->n_out; b++) {
				struct choice c = {kernel, a, b, 0, 0};

				if (b == a || gpube__whole_kernels[kernel].bulk != p->bulk ||
					(b < 0) != (gpube__whole_kernels[kernel].v == 1))
					continue;
				if (price(p, &c) && c.slots < best->slots)
					*best = c;
			}
	return best->slots < INFINITY;
}

static void set_slot(struct gpube__whole_slot *to, const struct planner *p, int k, int reg_dim)
{
	to->op = k;
	to->x = (uint32_t)x_stride(p, k);
	to->reg = (uint32_t)stride_of(p, k, reg_dim);
	for (int i = 0; i < p->s->n_out; i++)
		to->lane[i] = (uint32_t)stride_of(p, k, p->s->n_out - 1 - i);
}

static void set_values(uint32_t *value, const struct planner *p, const struct choice *c, int dim)
{
	for (int i = 0; i < GPUBE_WHOLE_V; i++) {
		const int64_t lanes = dim < 0 ? 0 : lanes_of(p, c, dim);
		const int64_t last = dim < 0 ? 0 : p->s->size[dim] - lanes;

		value[i] = (uint32_t)(i * lanes < last ? i * lanes : last);
	}
}

static void make(struct gpube__whole *d, const struct planner *p, const struct choice *c)
{
	const struct gpube__shape *s = p->s;
	uint32_t n[2] = {0, 0};

	memset(d, 0, sizeof(*d));
	d->kernel = (uint32_t)c->kernel;
	d->wide = (uint32_t)p->wide;
	d->lanes = (uint32_t)c->lanes;
	d->by_lanes = gpube__divisor_of(d->lanes);
	d->n_x = (uint32_t)s->n_reduced;
	d->n_ops = (uint32_t)s->n_in;
	d->n_axes = (uint32_t)s->n_out;
	d->one = 1;
	for (int side = 0; side < 2; side++)
		for (int i = 0; i < GPUBE_WHOLE_SIDE; i++)
			d->slot[side][i].op = -1;
	for (int k = 0; k < s->n_in; k++) {
		const int side = !stride_of(p, k, c->p);

		set_slot(&d->slot[side][n[side]++], p, k, side ? c->v : c->p);
		d->table[k] = (struct gpube__whole_table){d->words, p->cells[k]};
		d->words += (p->cells[k] + 3) / 4 * 4;
	}
	d->n_sides = n[0] > 1 || n[1] > 1 ? 2 : 1;
	d->n_of[0] = n[0];
	d->n_of[1] = n[1];
	d->out_cells = (uint32_t)s->n_out_cells;
	set_values(d->value[0], p, c, c->p);
	set_values(d->value[1], p, c, c->v);
	d->out_reg[0] = (uint32_t)s->out_stride[c->p];
	d->out_reg[1] = c->v < 0 ? 0 : (uint32_t)s->out_stride[c->v];
	for (int i = 0; i < s->n_out; i++) {
		const int dim = s->n_out - 1 - i;

		d->axis_n[i] = (uint32_t)lanes_of(p, c, dim);
		d->by_n[i] = gpube__divisor_of(d->axis_n[i]);
		d->out_lane[i] = (uint32_t)s->out_stride[dim];
	}
}

static bool is_bulk(const struct gpube__whole *d)
{
	return gpube__whole_kernels[d->kernel].bulk;
}

/* Blocks of a multiprocessor with so many stages. */
static uint32_t blocks_with(
	struct gpube__whole *d, const struct gpube__box_device *device, uint32_t stages)
{
	const uint32_t sm_threads = (uint32_t)gpube__whole_kernels[d->kernel].sm_threads;
	uint32_t by_shared;

	d->stages = stages;
	d->shared_bytes = is_bulk(d) ? gpube__bulk_shared(d) : gpube__whole_shared(d);
	if (d->shared_bytes > device->shared_bytes)
		return 0;
	by_shared = device->sm_shared_bytes / (d->shared_bytes + RESERVED);
	return by_shared < sm_threads / d->threads ? by_shared : sm_threads / d->threads;
}

/* As many blocks as there may be, then as many stages as that leaves room for. */
static bool set_stages(struct gpube__whole *d, const struct gpube__box_device *device)
{
	const uint32_t most = blocks_with(d, device, 2);
	uint32_t stages = 2;

	if (!most)
		return false;
	while (stages < GPUBE_WHOLE_STAGES && blocks_with(d, device, stages + 1) == most)
		stages++;
	d->at_once = blocks_with(d, device, stages);
	return true;
}

/* Threads of a block: in bulk what one contraction's tiles need; otherwise about a hundred. */
static bool set_threads(struct gpube__whole *d)
{
	d->per_block = is_bulk(d) || d->lanes >= 64 ? 1 : 128 / d->lanes;
	d->threads = (d->lanes * d->per_block + 31) / 32 * 32;
	if (d->threads <= GPUBE_WHOLE_THREADS)
		return true;
	d->threads = GPUBE_WHOLE_THREADS;
	return !is_bulk(d);
}

static bool plan(
	struct gpube__whole *d, double *cycles, struct planner *p, const struct gpube_contraction *c)
{
	struct choice choice = {0};
	double bytes, slots;

	if (!find(p, &choice))
		return false;
	make(d, p, &choice);
	d->cut = c->cut;
	d->threshold = c->threshold;
	bytes = 4.0 * (double)(d->words + d->out_cells);
	if (p->bulk && bytes < BULK_BYTES)
		return false;
	if (!set_threads(d) || !set_stages(d, p->device))
		return false;
	slots = choice.slots +
		(p->bulk ? BULK_SLOTS * d->threads / 32
			 : STEP_SLOTS * d->threads / 32 / d->per_block +
				   COPY_SLOTS * (d->words / 128.0 + d->n_ops)) /
			4;
	*cycles = OVERHEAD *
		  (fmax(bytes / DRAM_BYTES, slots) + 0.2 * fmin(bytes / DRAM_BYTES, slots)) /
		  p->device->n_sms;
	return true;
}

bool gpube__whole_plan(struct gpube__whole *d, double *cycles,
	const struct gpube__box_device *device, const struct gpube_contraction *c,
	const struct gpube__shape *s, int64_t n)
{
	struct planner p = {.s = s, .device = device, .bulk = device->bulk};

	if (n < 2 * (int64_t)device->n_sms || !planner_init(&p, c))
		return false;
	if (p.bulk && plan(d, cycles, &p, c))
		return true;
	p.bulk = false;
	return plan(d, cycles, &p, c);
}
