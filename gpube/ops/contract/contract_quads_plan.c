/* contract_quads_plan.c - see contract_quads.h. */
#include "gpube/ops/contract/contract_quads.h"

#include <math.h>

#define L2_BYTES 30.0 /* of a multiprocessor, in a cycle */

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

const struct gpube__product_kernel gpube__quads_kernels[N_QUADS_KERNELS] = {
	[QUADS_5X5] = {5, 5, 640},
	[QUADS_8X8] = {8, 8, 512},
};

/* Quads of a chunk, all chunks alike, and as many stages as there is room for. */
static bool set_chunk(
	const struct gpube__product_planner *p, struct gpube__product_choice *c, int64_t room)
{
	const int64_t threads = 32 * c->warps_p * c->warps_v, n_quads = p->n_units;
	const int64_t most = gpube__smaller(GPUBE_QUADS_DEPTH, threads / (2 * GPUBE_QUADS_LANES));

	c->stages = (int)gpube__smaller(3, room / (4 * c->rows * GPUBE_QUADS_ROW));
	c->chunk = (int)gpube__divide_up(n_quads, gpube__divide_up(n_quads, most));
	if (c->chunk < n_quads)
		c->chunk += c->chunk & 1; /* each chunk begins with 32 bytes */
	return c->stages >= 2;
}

/* x of a copy: tables are dense, all other steps are multiples of the reduced dim's size. */
static uint32_t wide_of(int64_t n_x)
{
	return n_x % 4 == 0 ? 4 : n_x % 2 == 0 ? 2 : 1;
}

static double box_cycles(
	const struct gpube__product_planner *p, const struct gpube__product_choice *c, double n)
{
	const double cells = c->kernel->p * c->kernel->v, reads = c->kernel->p + c->kernel->v;
	const double warps = c->warps_p * c->warps_v, rows = (double)c->rows;
	const double n_quads = (double)p->n_units, all_warps = ceil(n * warps / 4);
	const double slots = cells * (p->is_float ? BITS_SLOTS : INT_SLOTS) + reads + QUAD_SLOTS;
	const uint32_t copies = 4 / wide_of(p->s->n_reduced);
	double most = 0, sum = 0, time[5];

	/* for one quad: add-mins, issue slots, shared memory, L2; what a warp waits for */
	time[0] = all_warps * cells * (p->is_float ? BITS_ALU : INT_ALU);
	time[1] = all_warps * slots + n * rows * COPY_SLOTS * copies / 16;
	time[2] = n * (warps * reads * 2 + 1.2 * rows);
	time[3] = n * rows * GPUBE_QUADS_LANES * (16 + RUN_MORE / c->chunk) / L2_BYTES;
	time[4] = WAITING;
	for (int i = 0; i < 5; i++) {
		most = fmax(most, time[i]);
		sum += time[i];
	}
	most = (most + OTHERS * (sum - most)) * c->chunk + CHUNK;
	most = fmax(most, LATENCY / (c->stages - 1)) * (n_quads / c->chunk);
	return most * (c->kernel == &gpube__quads_kernels[QUADS_8X8] ? SPILLS : 1) + BOX;
}

static const struct gpube__product_kind kind = {
	.kernels = gpube__quads_kernels,
	.n_kernels = N_QUADS_KERNELS,
	.lanes = GPUBE_QUADS_LANES,
	.tiles = 2,
	.lanes_first = true,
	.unit = 4,
	.set_chunk = set_chunk,
	.box_cycles = box_cycles,
};

bool gpube__quads_plan(struct gpube__quads *d, double *cycles,
	const struct gpube__box_device *device, const struct gpube_contraction *c,
	const struct gpube__shape *s)
{
	struct gpube__product *all = &d->all;
	struct gpube__product_planner p;

	if (!gpube__product_init(&p, &kind, device, c, s) ||
		s->size[p.lanes_dim] < GPUBE_QUADS_LANES || s->out_stride[p.lanes_dim] != 1 ||
		gpube__product_steps(&p, 0)[s->n_out] != 1 ||
		gpube__product_steps(&p, 1)[s->n_out] != 1 ||
		!gpube__product_plan(all, cycles, &p, c))
		return false;
	d->wide = wide_of(s->n_reduced);
	d->turns = d->wide == 4 && all->n_units % 2;
	d->copy_rows = all->threads / (GPUBE_QUADS_LANES * all->chunk) & ~1u;
	gpube__product_set_stage(all, GPUBE_QUADS_ROW * all->rows);
	return true;
}
