/* contract_lanes_plan.c - see contract_lanes.h. */
#include "gpube/ops/contract/contract_lanes.h"

#include <math.h>

#define L2_BYTES 32.0 /* of a multiprocessor, in a cycle */

#define BOX         2500.0 /* of a box: its stores, what it begins with */
#define CHUNK       300.0  /* until all warps have met */
#define X_SLOTS     4.0    /* of a warp */
#define COPY_SLOTS  6.0
#define FLOAT_SLOTS 1.5    /* of a cell: two sums and a minimum of three for two x */
#define OTHERS      0.25   /* of what is not the longest */
#define FEWEST      16     /* lanes of a warp that have work */
#define LATENCY     2300.0 /* of copies */
#define MANY_X      10     /* of a chunk */

const struct gpube__product_kernel gpube__lanes_kernels[N_LANES_KERNELS] = {
	[LANES_8X8] = {8, 8, 512},
	[LANES_10X5] = {10, 5, 640},
};

/* As many x as the stages hold, all chunks alike: rather two stages of more than three of few. */
static bool set_chunk(
	const struct gpube__product_planner *p, struct gpube__product_choice *c, int64_t room)
{
	const int64_t x = room / (4 * GPUBE_LANES * c->rows), n_x = p->n_units;
	int64_t most;

	c->stages = x / 3 >= gpube__smaller(n_x, MANY_X) ? 3 : 2;
	most = x / c->stages;
	if (most < 2)
		return false;
	c->chunk = (int)gpube__divide_up(n_x, gpube__divide_up(n_x, gpube__smaller(n_x, most)));
	return true;
}

static double box_cycles(
	const struct gpube__product_planner *p, const struct gpube__product_choice *c, double n)
{
	const double cells = c->kernel->p * c->kernel->v, reads = c->kernel->p + c->kernel->v;
	const double warps = c->warps_p * c->warps_v, all_warps = ceil(n * warps / 4);
	const double n_x = (double)p->n_units, rows = (double)c->rows;
	double most = 0, sum = 0, time[4];

	/* for one x: add-mins, issue slots, reads of shared memory, of L2 */
	time[0] = all_warps * 2 * cells;
	time[1] = all_warps * (cells * (p->is_float ? FLOAT_SLOTS : 1) + reads + X_SLOTS) +
		  n * rows * COPY_SLOTS / 16;
	time[2] = n * (warps * reads + 1.2 * rows);
	time[3] = n * rows * 4 * GPUBE_LANES / L2_BYTES;
	for (int i = 0; i < 4; i++) {
		most = fmax(most, time[i]);
		sum += time[i];
	}
	most = (most + OTHERS * (sum - most)) * c->chunk + CHUNK;
	return fmax(most, LATENCY / (c->stages - 1)) * (n_x / c->chunk) + BOX;
}

static const struct gpube__product_kind kind = {
	.kernels = gpube__lanes_kernels,
	.n_kernels = N_LANES_KERNELS,
	.lanes = GPUBE_LANES,
	.tiles = 1,
	.unit = 1,
	.set_chunk = set_chunk,
	.box_cycles = box_cycles,
};

bool gpube__lanes_plan(struct gpube__lanes *d, double *cycles,
	const struct gpube__box_device *device, const struct gpube_contraction *c,
	const struct gpube__shape *s)
{
	struct gpube__product_planner p;
	int64_t n_lanes;

	if (!gpube__product_init(&p, &kind, device, c, s))
		return false;
	/* all other steps are multiples of four, too, then */
	n_lanes = s->size[p.lanes_dim];
	if (n_lanes < FEWEST || n_lanes % 4 || gpube__product_steps(&p, 0)[p.lanes_dim] != 1 ||
		gpube__product_steps(&p, 1)[p.lanes_dim] != 1 ||
		!gpube__product_plan(&d->all, cycles, &p, c))
		return false;
	d->x_words = d->all.rows * GPUBE_LANES;
	gpube__product_set_stage(&d->all, d->x_words * d->all.chunk);
	return true;
}
