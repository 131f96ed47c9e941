/* contract_product_plan.c - the planner of contract_product.h. */
#include "gpube/ops/contract/contract_product.h"

#include <math.h>
#include <string.h>

#define DRAM_BYTES 16.0 /* of a multiprocessor, in a cycle */
#define LAUNCH     6000.0
#define RESERVED   1024 /* bytes of shared memory that a block has besides */

bool gpube__product_init(struct gpube__product_planner *p, const struct gpube__product_kind *kind,
	const struct gpube__box_device *device, const struct gpube_contraction *c,
	const struct gpube__shape *s)
{
	if (!gpube__is_plain(c) || s->n_in != 2 || s->n_dims != s->n_out + 1 || s->n_out < 3 ||
		s->n_out > GPUBE_PRODUCT_GRID)
		return false;
	p->kind = kind;
	p->s = s;
	p->device = device;
	p->is_float = c->type == GPUBE_FLOAT32;
	p->lanes_dim = s->n_out - 1;
	p->n_units = gpube__divide_up(s->n_reduced, kind->unit);
	p->bytes = 4.0 * (double)s->n_out_cells;
	for (int k = 0; k < 2; k++) {
		const int64_t *step = gpube__product_steps(p, k);
		double cells = 1;

		p->scope[k] = 0;
		for (int d = 0; d < s->n_dims; d++)
			if (step[d]) {
				cells *= (double)s->size[d];
				p->scope[k] |= (uint64_t)(d < s->n_out) << d;
			}
		if (cells > INT32_MAX || !step[s->n_out] || !step[p->lanes_dim])
			return false;
		p->bytes += 4 * cells;
	}
	return true;
}

/* The largest of an operand's own dims, -1: none. */
static int own_dim(const struct gpube__product_planner *p, int k)
{
	int best = -1;

	for (int d = 0; d < p->lanes_dim; d++)
		if (p->scope[k] >> d & ~(p->scope[!k] >> d) & 1 &&
			(best < 0 || p->s->size[d] > p->s->size[best]))
			best = d;
	return best;
}

static int64_t box_size(
	const struct gpube__product_planner *p, const struct gpube__product_choice *c, int d)
{
	return d == c->p ? c->box_p : d == c->v ? c->box_v : d == p->lanes_dim ? p->kind->lanes : 1;
}

static double boxes_of(
	const struct gpube__product_planner *p, const struct gpube__product_choice *c)
{
	double boxes = 1;

	for (int d = 0; d < p->s->n_out; d++)
		boxes *= (double)gpube__divide_up(p->s->size[d], box_size(p, c, d));
	return boxes;
}

static bool set_chunk(const struct gpube__product_planner *p, struct gpube__product_choice *c)
{
	const int64_t room = p->device->sm_shared_bytes / c->at_once - RESERVED;

	return p->kind->set_chunk(p, c, gpube__smaller(room, p->device->shared_bytes));
}

/* Of so many warps; false: that is no box. */
static bool price(const struct gpube__product_planner *p, struct gpube__product_choice *c)
{
	double boxes, last;

	c->box_p = (int64_t)p->kind->tiles * c->kernel->p * c->warps_p;
	c->box_v = (int64_t)p->kind->tiles * c->kernel->v * c->warps_v;
	c->rows = c->box_p + c->box_v;
	if (c->box_p > p->s->size[c->p] || c->box_v > p->s->size[c->v])
		return false;
	boxes = ceil(boxes_of(p, c) / p->device->n_sms); /* of that which has most */
	c->at_once = (int)fmin(c->kernel->threads / (c->warps_p * c->warps_v * 32), boxes);
	while (c->at_once && !set_chunk(p, c))
		c->at_once--;
	if (!c->at_once)
		return false;
	last = fmod(boxes, c->at_once);
	c->cycles = (boxes - last) / c->at_once * p->kind->box_cycles(p, c, c->at_once) +
		    (last > 0 ? p->kind->box_cycles(p, c, last) : 0);
	c->cycles = LAUNCH + fmax(c->cycles, p->bytes / (DRAM_BYTES * p->device->n_sms));
	return true;
}

static bool find(const struct gpube__product_planner *p, struct gpube__product_choice *best)
{
	best->cycles = INFINITY;
	for (int first = 0; first < 2; first++) {
		const int dim_p = own_dim(p, first), dim_v = own_dim(p, !first);

		if (dim_p < 0 || dim_v < 0)
			return false;
		for (int kernel = 0; kernel < p->kind->n_kernels; kernel++) {
			const int most = p->kind->kernels[kernel].threads / 32;

			for (int i = 1; i <= most; i++)
				for (int j = 1; i * j <= most; j++) {
					struct gpube__product_choice c = {
						.kernel = &p->kind->kernels[kernel],
						.first = first,
						.p = dim_p,
						.v = dim_v,
						.warps_p = i,
						.warps_v = j};

					if (price(p, &c) && c.cycles < best->cycles)
						*best = c;
				}
		}
	}
	return best->cycles < INFINITY;
}

static void add_axis(struct gpube__product *d, const struct gpube__product_planner *p,
	const struct gpube__product_choice *c, int dim)
{
	const int64_t size = p->s->size[dim], each = box_size(p, c, dim);
	struct gpube__product_axis *g = &d->grid[d->n_grid];

	if (size <= each)
		return;
	d->n_grid++;
	g->n = (uint32_t)gpube__divide_up(size, each);
	g->by_n = gpube__divisor_of(g->n);
	g->step = (uint32_t)each;
	g->most = (uint32_t)(size - each);
	g->in[0] = (uint32_t)gpube__product_steps(p, c->first)[dim];
	g->in[1] = (uint32_t)gpube__product_steps(p, !c->first)[dim];
	g->out = p->s->out_stride[dim];
}

/* Boxes that share rows, or lines of the output, are neighbours. */
static void add_axes(struct gpube__product *d, const struct gpube__product_planner *p,
	const struct gpube__product_choice *c)
{
	if (p->kind->lanes_first)
		add_axis(d, p, c, p->lanes_dim);
	add_axis(d, p, c, c->p);
	add_axis(d, p, c, c->v);
	if (!p->kind->lanes_first)
		add_axis(d, p, c, p->lanes_dim);
	for (int dim = p->lanes_dim - 1; dim >= 0; dim--)
		if (dim != c->p && dim != c->v)
			add_axis(d, p, c, dim);
}

static void make(struct gpube__product *d, const struct gpube__product_planner *p,
	const struct gpube__product_choice *c)
{
	const struct gpube__shape *s = p->s;

	memset(d, 0, sizeof(*d));
	d->kernel = (uint32_t)(c->kernel - p->kind->kernels);
	d->warps_p = (uint32_t)c->warps_p;
	d->warps_v = (uint32_t)c->warps_v;
	d->threads = 32 * d->warps_p * d->warps_v;
	d->rows = (uint32_t)c->rows;
	d->rows_p = (uint32_t)c->box_p;
	d->n_x = (uint32_t)s->n_reduced;
	d->n_units = (uint32_t)p->n_units;
	d->chunk = (uint32_t)c->chunk;
	d->stages = (uint32_t)c->stages;
	d->n_lanes = (uint32_t)gpube__smaller(s->size[p->lanes_dim], p->kind->lanes);
	d->one = 1;
	for (int k = 0; k < 2; k++) {
		const int op = k ? !c->first : c->first, dim = k ? c->v : c->p;
		const int64_t *step = gpube__product_steps(p, op);

		d->order[k] = op;
		d->x[k] = (uint32_t)step[s->n_out];
		d->row[k] = (uint32_t)step[dim];
		d->lane[k] = (uint32_t)step[p->lanes_dim];
		d->out_row[k] = s->out_stride[dim];
	}
	add_axes(d, p, c);
}

bool gpube__product_plan(struct gpube__product *d, double *cycles,
	const struct gpube__product_planner *p, const struct gpube_contraction *c)
{
	struct gpube__product_choice choice = {0};
	double boxes;

	if (!find(p, &choice))
		return false;
	boxes = boxes_of(p, &choice);
	if (boxes > INT32_MAX / 2)
		return false;
	make(d, p, &choice);
	d->boxes = (uint32_t)boxes;
	d->at_once = (uint32_t)gpube__smaller(d->boxes, choice.at_once * p->device->n_sms);
	d->cut = c->cut;
	d->threshold = c->threshold;
	*cycles = choice.cycles;
	return true;
}
