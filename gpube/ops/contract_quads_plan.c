/* contract_quads_plan.c - see contract_quads.h. */
#include "gpube/ops/contract_quads.h"

#include <math.h>
#include <string.h>

/* Of a multiprocessor, in a cycle. */
#define DRAM_BYTES 16.0
#define L2_BYTES   30.0

#define LAUNCH     6000.0
#define BOX        1500.0 /* of a box: its stores, what it begins with */
#define CHUNK      300.0  /* until all warps have met */
#define LATENCY    2500.0 /* of copies */
#define WAITING    100.0  /* of a warp for one quad: reads of shared memory */
#define QUAD_SLOTS 8.0    /* of a warp */
#define COPY_SLOTS 7.0
#define BITS_SLOTS 6.0 /* of a quad of floats: four sums, two minima of three */
#define INT_SLOTS  4.7 /* of integers, of which some are done so */
#define INT_ALU    7.0 /* cycles of the unit of the add-mins */
#define BITS_ALU   4.0
#define RUN_MORE   16.0 /* bytes besides for each run of x, which begins anywhere in a sector */
#define SPILLS     1.15 /* what a tile of 8 x 8 takes more */
#define OTHERS     0.25 /* of what is not the longest */
#define RESERVED   1024 /* bytes of shared memory that a block has besides */

const struct gpube__lanes_kernel_info gpube__quads_kernels[N_QUADS_KERNELS] = {
	[QUADS_5X5] = {5, 5, 640},
	[QUADS_8X8] = {8, 8, 512},
};

struct planner {
	const struct gpube__shape *s;
	const struct gpube__box_device *device;
	bool is_float;
	uint64_t scope[2]; /* output dims of each operand */
	int lanes_dim, wide;
	int64_t n_quads;
	double bytes;
};

struct choice {
	int kernel, first; /* the operand with P's dim */
	int p, v, warps_p, warps_v;
	int at_once, chunk, stages; /* blocks of a multiprocessor; quads of a chunk */
	double cycles;
};

static int64_t stride_of(const struct planner *p, int k, int dim)
{
	return p->s->stride[k * p->s->ld + dim];
}

static int64_t divide_up(int64_t a, int64_t b)
{
	return (a + b - 1) / b;
}

static int64_t smaller(int64_t a, int64_t b)
{
	return a < b ? a : b;
}

static bool planner_init(struct planner *p, const struct gpube_contraction *c)
{
	const struct gpube__shape *s = p->s;
	const int x = s->n_out;

	if (c->semiring != GPUBE_MIN_PLUS || c->out_arg ||
		(c->type != GPUBE_INT32 && c->type != GPUBE_FLOAT32) || s->n_in != 2 ||
		s->n_dims != s->n_out + 1 || s->n_out < 3 || s->n_out > GPUBE_LANES_GRID)
		return false;
	p->lanes_dim = s->n_out - 1;
	p->is_float = c->type == GPUBE_FLOAT32;
	p->bytes = 4.0 * (double)s->n_out_cells;
	for (int k = 0; k < 2; k++) {
		double cells = 1;

		p->scope[k] = 0;
		for (int d = 0; d < s->n_dims; d++)
			if (stride_of(p, k, d)) {
				cells *= (double)s->size[d];
				p->scope[k] |= (uint64_t)(d < s->n_out) << d;
			}
		if (cells > INT32_MAX || stride_of(p, k, x) != 1 ||
			!(p->scope[k] >> p->lanes_dim & 1))
			return false;
		p->bytes += 4 * cells;
	}
	p->n_quads = divide_up(s->size[x], 4);
	/* tables are dense: all other steps are multiples of the reduced dim's size */
	p->wide = s->size[x] % 4 == 0 ? 4 : s->size[x] % 2 == 0 ? 2 : 1;
	return s->size[p->lanes_dim] >= GPUBE_QUADS_LANES && s->out_stride[p->lanes_dim] == 1;
}

/* The largest of an operand's own dims, -1: none. */
static int own_dim(const struct planner *p, int k)
{
	int best = -1;

	for (int d = 0; d < p->lanes_dim; d++)
		if (p->scope[k] >> d & ~(p->scope[!k] >> d) & 1 &&
			(best < 0 || p->s->size[d] > p->s->size[best]))
			best = d;
	return best;
}

static int64_t rows_of(const struct choice *c)
{
	return 2 * ((int64_t)gpube__quads_kernels[c->kernel].p * c->warps_p +
			   (int64_t)gpube__quads_kernels[c->kernel].v * c->warps_v);
}

/* Quads of a chunk, all chunks alike, and as many stages as there is room for. */
static bool set_chunk(const struct planner *p, struct choice *c)
{
	const int64_t room = smaller(
		p->device->sm_shared_bytes / c->at_once - RESERVED, p->device->shared_bytes);
	const int64_t threads = 32 * c->warps_p * c->warps_v;
	const int64_t most = smaller(GPUBE_QUADS_DEPTH, threads / (2 * GPUBE_QUADS_LANES));

	c->stages = (int)smaller(3, room / (4 * rows_of(c) * GPUBE_QUADS_ROW));
	c->chunk = (int)divide_up(p->n_quads, divide_up(p->n_quads, most));
	if (c->chunk < p->n_quads)
		c->chunk += c->chunk & 1; /* each chunk begins with 32 bytes */
	return c->stages >= 2;
}

static int64_t box_size(const struct planner *p, const struct choice *c, int d)
{
	const struct gpube__lanes_kernel_info *kernel = &gpube__quads_kernels[c->kernel];

	return d == c->p           ? 2 * (int64_t)kernel->p * c->warps_p
	       : d == c->v         ? 2 * (int64_t)kernel->v * c->warps_v
	       : d == p->lanes_dim ? GPUBE_QUADS_LANES
				   : 1;
}

static double boxes_of(const struct planner *p, const struct choice *c)
{
	double boxes = 1;

	for (int d = 0; d < p->s->n_out; d++)
		boxes *= (double)divide_up(p->s->size[d], box_size(p, c, d));
	return boxes;
}

/* Cycles of a multiprocessor for n boxes at once. */
static double box_cycles(const struct planner *p, const struct choice *c, double n)
{
	const struct gpube__lanes_kernel_info *kernel = &gpube__quads_kernels[c->kernel];
	const double cells = kernel->p * kernel->v, reads = kernel->p + kernel->v;
	const double warps = c->warps_p * c->warps_v, rows = (double)rows_of(c);
	const double n_quads = (double)p->n_quads, all_warps = ceil(n * warps / 4);
	const double slots = cells * (p->is_float ? BITS_SLOTS : INT_SLOTS) + reads + QUAD_SLOTS;
	double most = 0, sum = 0, time[5];

	/* for one quad: add-mins, issue slots, shared memory, L2; what a warp waits for */
	time[0] = all_warps * cells * (p->is_float ? BITS_ALU : INT_ALU);
	time[1] = all_warps * slots + n * rows * COPY_SLOTS * (4 / p->wide) / 16;
	time[2] = n * (warps * reads * 2 + 1.2 * rows);
	time[3] = n * rows * GPUBE_QUADS_LANES * (16 + RUN_MORE / c->chunk) / L2_BYTES;
	time[4] = WAITING;
	for (int i = 0; i < 5; i++) {
		most = fmax(most, time[i]);
		sum += time[i];
	}
	most = (most + OTHERS * (sum - most)) * c->chunk + CHUNK;
	most = fmax(most, LATENCY / (c->stages - 1)) * (n_quads / c->chunk);
	return most * (c->kernel == QUADS_8X8 ? SPILLS : 1) + BOX;
}

static bool price(const struct planner *p, struct choice *c)
{
	const struct gpube__lanes_kernel_info *kernel = &gpube__quads_kernels[c->kernel];
	const double boxes = ceil(boxes_of(p, c) / p->device->n_sms); /* of that which has most */
	double last;

	if (box_size(p, c, c->p) > p->s->size[c->p] || box_size(p, c, c->v) > p->s->size[c->v])
		return false;
	c->at_once = (int)fmin(kernel->threads / (c->warps_p * c->warps_v * 32), boxes);
	while (c->at_once && !set_chunk(p, c))
		c->at_once--;
	if (!c->at_once)
		return false;
	last = fmod(boxes, c->at_once);
	c->cycles = (boxes - last) / c->at_once * box_cycles(p, c, c->at_once) +
		    (last > 0 ? box_cycles(p, c, last) : 0);
	c->cycles = LAUNCH + fmax(c->cycles, p->bytes / (DRAM_BYTES * p->device->n_sms));
	return true;
}

static bool find(const struct planner *p, struct choice *best)
{
	best->cycles = INFINITY;
	for (int first = 0; first < 2; first++) {
		const int dim_p = own_dim(p, first), dim_v = own_dim(p, !first);

		if (dim_p < 0 || dim_v < 0)
			return false;
		for (int kernel = 0; kernel < N_QUADS_KERNELS; kernel++) {
			const int most = gpube__quads_kernels[kernel].threads / 32;

			for (int i = 1; i <= most; i++)
				for (int j = 1; i * j <= most; j++) {
					struct choice c = {
						kernel, first, dim_p, dim_v, i, j, 0, 0, 0, 0};

					if (price(p, &c) && c.cycles < best->cycles)
						*best = c;
				}
		}
	}
	return best->cycles < INFINITY;
}

static void add_axis(
	struct gpube__quads *d, const struct planner *p, const struct choice *c, int dim)
{
	const int64_t size = p->s->size[dim], each = box_size(p, c, dim);
	struct gpube__lanes_axis *g = &d->grid[d->n_grid];

	if (size <= each)
		return;
	d->n_grid++;
	g->n = (uint32_t)divide_up(size, each);
	g->by_n = gpube__divisor_of(g->n);
	g->step = (uint32_t)each;
	g->most = (uint32_t)(size - each);
	g->in[0] = (uint32_t)stride_of(p, c->first, dim);
	g->in[1] = (uint32_t)stride_of(p, !c->first, dim);
	g->out = p->s->out_stride[dim];
}

/* Boxes that share rows, or lines of the output, are neighbours. */
static void add_axes(struct gpube__quads *d, const struct planner *p, const struct choice *c)
{
	add_axis(d, p, c, p->lanes_dim);
	add_axis(d, p, c, c->p);
	add_axis(d, p, c, c->v);
	for (int dim = p->lanes_dim - 1; dim >= 0; dim--)
		if (dim != c->p && dim != c->v)
			add_axis(d, p, c, dim);
}

static void make(struct gpube__quads *d, const struct planner *p, const struct choice *c)
{
	const struct gpube__shape *s = p->s;

	memset(d, 0, sizeof(*d));
	d->kernel = (uint32_t)c->kernel;
	d->warps_p = (uint32_t)c->warps_p;
	d->warps_v = (uint32_t)c->warps_v;
	d->threads = 32 * d->warps_p * d->warps_v;
	d->rows = (uint32_t)rows_of(c);
	d->rows_p = (uint32_t)box_size(p, c, c->p);
	d->n_x = (uint32_t)s->n_reduced;
	d->n_quads = (uint32_t)p->n_quads;
	d->chunk = (uint32_t)c->chunk;
	d->wide = (uint32_t)p->wide;
	d->turns = p->wide == 4 && p->n_quads % 2;
	d->copy_rows = d->threads / (GPUBE_QUADS_LANES * d->chunk) & ~1u;
	d->stage_words = GPUBE_QUADS_ROW * d->rows;
	d->stages = (uint32_t)c->stages;
	d->shared_bytes = d->stages * d->stage_words * 4;
	d->one = 1;
	for (int k = 0; k < 2; k++) {
		const int op = k ? !c->first : c->first;

		d->order[k] = op;
		d->row[k] = (uint32_t)stride_of(p, op, k ? c->v : c->p);
		d->lane[k] = (uint32_t)stride_of(p, op, p->lanes_dim);
		d->out_row[k] = s->out_stride[k ? c->v : c->p];
	}
	add_axes(d, p, c);
}

bool gpube__quads_plan(struct gpube__quads *d, double *cycles,
	const struct gpube__box_device *device, const struct gpube_contraction *c,
	const struct gpube__shape *s)
{
	struct planner p = {.s = s, .device = device};
	struct choice choice;
	double boxes;
	uint32_t at_once;

	if (!planner_init(&p, c) || !find(&p, &choice))
		return false;
	boxes = boxes_of(&p, &choice);
	if (boxes > INT32_MAX / 2)
		return false;
	make(d, &p, &choice);
	at_once = (uint32_t)(choice.at_once * device->n_sms);
	d->boxes = (uint32_t)boxes;
	d->at_once = d->boxes < at_once ? d->boxes : at_once;
	d->cut = c->cut;
	d->threshold = c->threshold;
	*cycles = choice.cycles;
	return true;
}
