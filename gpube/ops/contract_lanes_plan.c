/* contract_lanes_plan.c - see contract_lanes.h. */
#include "gpube/ops/contract_lanes.h"

#include <math.h>
#include <string.h>

/* Of a multiprocessor, in a cycle. */
#define DRAM_BYTES 16.0
#define L2_BYTES   32.0

#define LAUNCH      6000.0
#define BOX         2500.0 /* of a box: its stores, what it begins with */
#define CHUNK       300.0  /* until all warps have met */
#define X_SLOTS     4.0    /* of a warp */
#define COPY_SLOTS  6.0
#define FLOAT_SLOTS 1.5    /* of a cell: two sums and a minimum of three for two x */
#define OTHERS      0.25   /* of what is not the longest */
#define FEWEST      16     /* lanes of a warp that have work */
#define LATENCY     2300.0 /* of copies */
#define MANY_X      10     /* of a chunk */
#define RESERVED    1024   /* bytes of shared memory that a block has besides */

const struct gpube__lanes_kernel_info gpube__lanes_kernels[N_LANES_KERNELS] = {
	[LANES_8X8] = {8, 8, 512},
	[LANES_10X5] = {10, 5, 640},
};

struct planner {
	const struct gpube__shape *s;
	const struct gpube__box_device *device;
	bool is_float;
	uint64_t scope[2]; /* output dims of each operand */
	int lanes_dim;
	double bytes;
};

struct choice {
	int kernel, first; /* the operand with P's dim */
	int p, v, warps_p, warps_v;
	int at_once, chunk, stages; /* blocks of a multiprocessor; x of a chunk */
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
		if (cells > INT32_MAX || !stride_of(p, k, s->n_out) ||
			stride_of(p, k, p->lanes_dim) != 1)
			return false;
		p->bytes += 4 * cells;
	}
	/* all other steps are multiples of four, too, then */
	return s->size[p->lanes_dim] >= FEWEST && s->size[p->lanes_dim] % 4 == 0;
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
	return (int64_t)gpube__lanes_kernels[c->kernel].p * c->warps_p +
	       (int64_t)gpube__lanes_kernels[c->kernel].v * c->warps_v;
}

/* As many x as the stages hold, all chunks alike: rather two stages of more than three of few. */
static bool set_chunk(const struct planner *p, struct choice *c)
{
	const int64_t room = p->device->sm_shared_bytes / c->at_once - RESERVED;
	const int64_t x = smaller(room, p->device->shared_bytes) / (4 * 32 * rows_of(c));
	const int64_t n_x = p->s->n_reduced;
	int64_t most;

	c->stages = x / 3 >= smaller(n_x, MANY_X) ? 3 : 2;
	most = x / c->stages;
	if (most < 2)
		return false;
	c->chunk = (int)divide_up(n_x, divide_up(n_x, smaller(n_x, most)));
	return true;
}

static double boxes_of(const struct planner *p, const struct choice *c)
{
	const struct gpube__lanes_kernel_info *kernel = &gpube__lanes_kernels[c->kernel];
	double boxes = 1;

	for (int d = 0; d < p->s->n_out; d++) {
		const int64_t each = d == c->p           ? (int64_t)kernel->p * c->warps_p
				     : d == c->v         ? (int64_t)kernel->v * c->warps_v
				     : d == p->lanes_dim ? 32
							 : 1;

		boxes *= (double)divide_up(p->s->size[d], each);
	}
	return boxes;
}

/* Cycles of a multiprocessor for n boxes at once. */
static double box_cycles(const struct planner *p, const struct choice *c, double n)
{
	const struct gpube__lanes_kernel_info *kernel = &gpube__lanes_kernels[c->kernel];
	const double warps = c->warps_p * c->warps_v, all_warps = ceil(n * warps / 4);
	const double n_x = (double)p->s->n_reduced, cells = kernel->p * kernel->v;
	const double rows = (double)rows_of(c), reads = kernel->p + kernel->v;
	double most = 0, sum = 0, time[4];

	/* for one x: add-mins, issue slots, reads of shared memory, of L2 */
	time[0] = all_warps * 2 * cells;
	time[1] = all_warps * (cells * (p->is_float ? FLOAT_SLOTS : 1) + reads + X_SLOTS) +
		  n * rows * COPY_SLOTS / 16;
	time[2] = n * (warps * reads + 1.2 * rows);
	time[3] = n * rows * 128 / L2_BYTES;
	for (int i = 0; i < 4; i++) {
		most = fmax(most, time[i]);
		sum += time[i];
	}
	most = (most + OTHERS * (sum - most)) * c->chunk + CHUNK;
	return fmax(most, LATENCY / (c->stages - 1)) * (n_x / c->chunk) + BOX;
}

static bool price(const struct planner *p, struct choice *c)
{
	const struct gpube__lanes_kernel_info *kernel = &gpube__lanes_kernels[c->kernel];
	const double boxes = ceil(boxes_of(p, c) / p->device->n_sms); /* of that which has most */
	double last;

	if ((int64_t)kernel->p * c->warps_p > p->s->size[c->p] ||
		(int64_t)kernel->v * c->warps_v > p->s->size[c->v])
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
		for (int kernel = 0; kernel < N_LANES_KERNELS; kernel++) {
			const int most = gpube__lanes_kernels[kernel].threads / 32;

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

static void add_axis(struct gpube__lanes *d, const struct planner *p, const struct choice *c,
	int dim, int64_t each)
{
	const int64_t size = p->s->size[dim];
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

/* Boxes that share rows are neighbours: those along P and V come first. */
static void add_axes(struct gpube__lanes *d, const struct planner *p, const struct choice *c)
{
	const struct gpube__lanes_kernel_info *kernel = &gpube__lanes_kernels[c->kernel];

	add_axis(d, p, c, c->p, (int64_t)kernel->p * c->warps_p);
	add_axis(d, p, c, c->v, (int64_t)kernel->v * c->warps_v);
	add_axis(d, p, c, p->lanes_dim, 32);
	for (int dim = p->lanes_dim - 1; dim >= 0; dim--)
		if (dim != c->p && dim != c->v)
			add_axis(d, p, c, dim, 1);
}

static void make(struct gpube__lanes *d, const struct planner *p, const struct choice *c)
{
	const struct gpube__shape *s = p->s;
	const int x = s->n_out;

	memset(d, 0, sizeof(*d));
	d->kernel = (uint32_t)c->kernel;
	d->warps_p = (uint32_t)c->warps_p;
	d->warps_v = (uint32_t)c->warps_v;
	d->threads = 32 * d->warps_p * d->warps_v;
	d->one = 1;
	d->n_lanes = (uint32_t)smaller(s->size[p->lanes_dim], 32);
	d->rows = (uint32_t)rows_of(c);
	d->rows_p = d->warps_p * (uint32_t)gpube__lanes_kernels[c->kernel].p;
	d->n_x = (uint32_t)s->n_reduced;
	d->chunk = (uint32_t)c->chunk;
	d->x_words = d->rows * 32;
	d->stage_words = d->x_words * d->chunk;
	d->stages = (uint32_t)c->stages;
	d->shared_bytes = d->stages * d->stage_words * 4;
	for (int k = 0; k < 2; k++) {
		const int op = k ? !c->first : c->first;

		d->order[k] = op;
		d->x[k] = (uint32_t)stride_of(p, op, x);
		d->row[k] = (uint32_t)stride_of(p, op, k ? c->v : c->p);
		d->out_row[k] = s->out_stride[k ? c->v : c->p];
	}
	add_axes(d, p, c);
}

bool gpube__lanes_plan(struct gpube__lanes *d, double *cycles,
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
