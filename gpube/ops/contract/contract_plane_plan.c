/* contract_plane_plan.c - what a box by planes should cost (contract_panel.h). */
#include <math.h>

#include "gpube/ops/contract/contract_panel_choice.h"

/* Of a multiprocessor, in a cycle. */
#define DRAM_BYTES  16.0
#define L2_BYTES    24.0
#define LAUNCH      5000.0
#define PROLOGUE    4000.0 /* of a block: its list, its first copies */
#define BOX         900.0  /* of a box: what it begins with, its stores */
#define BOX_SLOTS   250.0  /* of a warp, besides the stores */
#define CHUNK       4000.0 /* until the copies of a chunk have come */
#define OTHERS      1.45   /* measured over predicted of the other panels, 1 here */
#define RUN_MORE    100.0  /* bytes that the memory takes besides for each run */
#define RUN_FAR     400.0  /* by planes, of tables of 2^32 cells and more: by experience */
#define SMALL_COPY  1.0    /* cycles; along x, SMALL_X and SMALL_RUN a run */
#define SMALL_X     0.5
#define SMALL_RUN   8.0
#define MEETING     1000.0 /* of all warps, once a chunk */
#define CHUNK_SLOTS 150.0  /* of a warp */
#define COPY_SLOTS  7.0
#define RESERVED    1536 /* bytes of shared memory that a block has besides */

/* Reduced cells of a chunk: as many as two buffers hold, all chunks alike. */
static bool set_chunk(const struct gpube__panel_planner *p, struct gpube__panel_choice *c)
{
	const struct gpube__panel_kernel_info *kernel = &gpube__panel_kernels[c->kernel];
	const int64_t n_x = p->s->n_reduced, plane = gpube__plane_words(c->kernel);
	int64_t words = 0, most;

	for (int k = 0; k < p->s->n_in; k++) {
		const int panel = c->panel_of[k];
		int64_t planes = 1, group;
		int first, second;

		if (panel < kernel->n_panels) {
			gpube__panel_parts(c->kernel, panel, &first, &second);
			planes = kernel->size[first == PANEL_NONE ? second : first];
		}
		group = c->cells[k] / planes;
		words += gpube__divide_up(group, 4) * 4 + 4;
	}
	GPUBE_KNOWN(words > 0); /* there are operands */
	most = (plane - GPUBE_PLANE_FIRST - 8 * p->s->n_in) / (2 * words);
	if (most < 1)
		return false;
	c->groups = 1;
	c->chunk = gpube__divide_up(n_x, gpube__divide_up(n_x, gpube__smaller(n_x, most)));
	c->two_buffers = true;
	c->shared_bytes = 4.0 * (double)kernel->planes * (double)plane + 16 * c->entries;
	return c->shared_bytes <= p->device->shared_bytes;
}

/* Issue slots of a warp for one x, or what its reads of shared memory take if that is more. */
static double slots_of_x(const struct gpube__panel_planner *p, const struct gpube__panel_choice *c)
{
	const int *size = gpube__panel_kernels[c->kernel].size;
	const double n_p = size[0], n_r = size[1], n_v = size[2], cells = n_p * n_r * n_v;
	const double add_mins = cells * (p->is_float ? 2.4 : 1), edges = n_p + n_v;

	if (n_r > 1) { /* reads of four take four cycles of a multiprocessor each */
		const double words = n_p * n_r + n_r * n_v + n_p * n_v;

		return fmax(add_mins + cells + words / 4 + n_p * n_v + 8, 4.5 * words);
	}
	if (gpube__panel_kernels[c->kernel].terms > 1)
		return fmax(add_mins + 2 * edges + 1 + edges + n_p + 9, 2 * cells + edges);
	return fmax(add_mins + edges + 6, 2 * cells);
}

/* What copies of less than 16 bytes take for one x: they pass what little L1 cache is left. */
static double small_copies(
	const struct gpube__panel_planner *p, const struct gpube__panel_choice *c)
{
	double cycles = 0;

	for (int k = 0; k < p->s->n_in; k++)
		if (c->how[k] == PANEL_CELLS_X)
			cycles += (double)c->cells[k] * (SMALL_X + SMALL_RUN / (double)c->chunk);
		else if (c->how[k] != PANEL_FOURS)
			cycles += (double)c->cells[k] * SMALL_COPY /
				  (c->how[k] == PANEL_TWOS ? 2 : 1);
	return cycles;
}

/* Bytes of memory, and what it takes besides where they lie in short runs. */
double gpube__panel_memory_bytes(
	const struct gpube__panel_planner *p, const struct gpube__panel_choice *c)
{
	const bool far = p->large && gpube__panel_kernels[c->kernel].planes;
	const double more = far ? RUN_FAR : RUN_MORE;
	double bytes = p->bytes +
		       4 * (double)p->s->n_out_cells * more / gpube__panel_run_bytes(p, c, -1);

	for (int k = 0; k < p->s->n_in; k++) {
		double cells = (double)p->s->n_reduced;

		for (int d = 0; d < p->s->n_out; d++)
			cells *= p->scope[k] >> d & 1 ? (double)p->s->size[d] : 1;
		bytes += 4 * cells * more / gpube__panel_run_bytes(p, c, k);
	}
	return bytes;
}

/* The warps for lanes, and one besides, if there may be, that sees to the next boxes. */
static double all_warps(const struct gpube__panel_choice *c)
{
	const int most = gpube__panel_kernels[c->kernel].threads / 32;
	const double warps = ceil((double)c->n_lanes / 32);

	return warps < most ? warps + 1 : warps;
}

void gpube__plane_price(const struct gpube__panel_planner *p, struct gpube__panel_choice *c)
{
	const struct gpube__panel_kernel_info *kernel = &gpube__panel_kernels[c->kernel];
	const double cells = kernel->size[0] * kernel->size[1] * kernel->size[2];
	const double n_x = (double)p->s->n_reduced, n_sms = p->device->n_sms;
	const double warps = ceil((double)c->n_lanes / 32), slots = slots_of_x(p, c);
	double work, at_once, on_one, chunks, wait, latency, l2, dram, small;

	c->threads = (int64_t)all_warps(c) * 32;
	c->chunk = 16;
	gpube__panel_price_staging(p, c);
	if (!set_chunk(p, c))
		return;
	gpube__panel_price_staging(p, c);
	at_once = fmin((double)(kernel->sm_threads / kernel->threads),
		floor((double)p->device->sm_shared_bytes / (c->shared_bytes + RESERVED)));
	if (at_once < 1)
		return;
	chunks = ceil(n_x / (double)c->chunk);
	/* of a box: issue slots of a scheduler */
	work = (n_x * (warps * slots + c->entries / 32 * COPY_SLOTS) +
		       warps * (chunks * CHUNK_SLOTS + BOX_SLOTS + 4 * cells)) /
	       4;
	on_one = (double)c->blocks / n_sms;
	if (on_one < 4 * at_once)
		on_one = ceil(on_one);
	at_once = fmin(at_once, on_one);
	c->at_once = at_once;
	wait = MEETING + fmax(0, CHUNK - (double)c->chunk * slots * at_once * warps / 4);
	latency = BOX + chunks * fmax(CHUNK, (double)c->chunk * (slots * ceil(warps / 4) + 30));
	l2 = c->l2_bytes * (double)c->blocks / (L2_BYTES * n_sms);
	small = small_copies(p, c) * n_x * on_one;
	dram = gpube__panel_memory_bytes(p, c) / (DRAM_BYTES * n_sms);
	work = fmax(on_one * work * (1 + 1.5 / (at_once * warps / 4)) +
			    on_one / at_once * chunks * wait,
		ceil(on_one / at_once) * latency);
	c->cost = LAUNCH + PROLOGUE + fmax(fmax(work, small), fmax(l2, dram)) + 0.2 * l2 +
		  0.35 * dram + 0.55 * small;
	c->cost /= OTHERS;
}
