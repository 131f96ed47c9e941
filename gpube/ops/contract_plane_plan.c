/* contract_plane_plan.c - what a box by planes should cost (contract_panel.h). */
#include <math.h>

#include "gpube/ops/contract_panel_choice.h"

/* Of a multiprocessor, in a cycle. */
#define DRAM_BYTES 16.0
#define L2_BYTES   24.0
#define LAUNCH     5000.0
#define PROLOGUE   4000.0 /* of a block: its list, its first copies */
#define BOX        900.0  /* of a box: what it begins with, its stores */
#define BOX_SLOTS  120.0  /* of a warp, besides the stores */
#define CHUNK      400.0
#define CHUNK_SLOTS 60.0 /* of a warp */
#define COPY_SLOTS 5.0
#define RESERVED   1536 /* bytes of shared memory that a block has besides */

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
		words += divide_up(group, 4) * 4 + 4;
	}
	most = (plane - GPUBE_PLANE_FIRST - 8 * p->s->n_in) / (2 * words);
	if (most < 1)
		return false;
	c->groups = 1;
	c->chunk = divide_up(n_x, divide_up(n_x, smaller(n_x, most)));
	c->two_buffers = true;
	c->shared_bytes = 4.0 * (double)kernel->planes * (double)plane + 8 * c->entries;
	return c->shared_bytes <= p->device->shared_bytes;
}

/* Issue slots of a warp for one x, or what its reads of shared memory take if that is more. */
static double slots_of_x(const struct gpube__panel_planner *p, const struct gpube__panel_choice *c)
{
	const struct gpube__panel_kernel_info *kernel = &gpube__panel_kernels[c->kernel];
	const double cells = kernel->size[0] * kernel->size[1] * kernel->size[2];
	const double edges = kernel->size[0] + kernel->size[2];
	const double add_mins = cells * (p->is_float ? 2 : 1);

	if (kernel->n_panels == 3) /* reads of four take four cycles of a multiprocessor each */
		return fmax(add_mins + cells + 13 + 16 + 8, 4 * (48 + 1));
	if (kernel->terms > 1)
		return fmax(add_mins + 2 * edges + 1 + edges + 9, 2 * cells + edges);
	return fmax(add_mins + edges + 6, 2 * cells);
}

void gpube__plane_price(const struct gpube__panel_planner *p, struct gpube__panel_choice *c)
{
	const struct gpube__panel_kernel_info *kernel = &gpube__panel_kernels[c->kernel];
	const double cells = kernel->size[0] * kernel->size[1] * kernel->size[2];
	const double n_x = (double)p->s->n_reduced, n_sms = p->device->n_sms;
	const double warps = (double)c->threads / 32, slots = slots_of_x(p, c);
	double work, at_once, on_one, chunks, latency, l2, dram;

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
	latency = BOX + chunks * CHUNK + n_x * (slots * ceil(warps / 4) + 30);
	l2 = c->l2_bytes * (double)c->blocks / (L2_BYTES * n_sms);
	dram = p->bytes / (DRAM_BYTES * n_sms);
	work = fmax(on_one * work * (1 + 1.5 / (at_once * warps / 4)),
		ceil(on_one / at_once) * latency);
	c->cost = LAUNCH + PROLOGUE + fmax(work, fmax(l2, dram)) + 0.2 * (l2 + dram);
}
