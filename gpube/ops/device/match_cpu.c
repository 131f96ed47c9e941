/* match_cpu.c - tables to the shifts that level them, on the CPU: see ops.h. */
#include "gpube/ops/device/match.h"

#define CELLS_PER_ITEM (1 << 16)

static void match_item(void *arg, int64_t item, int thread)
{
	const struct gpube_match *m = arg;
	const int64_t from = item * CELLS_PER_ITEM;
	const int64_t to = from + CELLS_PER_ITEM < m->cells ? from + CELLS_PER_ITEM : m->cells;

	(void)thread;
	/* two tables, the most frequent number: divided by shifts */
	if (m->type == GPUBE_INT32 && m->n == 2)
		for (int64_t cell = from; cell < to; cell++)
			gpube__match_cell(m->tables, 2, cell, m->limit, m->top, false);
	else if (m->type == GPUBE_INT32)
		for (int64_t cell = from; cell < to; cell++)
			gpube__match_cell(m->tables, m->n, cell, m->limit, m->top, false);
	else
		for (int64_t cell = from; cell < to; cell++)
			gpube__match_cell(m->tables, m->n, cell, m->limit, m->top, true);
}

int gpube__match_cpu(struct gpube_ctx *ctx, const struct gpube_match *m)
{
	struct gpube_match copy = *m;

	if (m->type != GPUBE_INT32 && m->type != GPUBE_INT64)
		return gpube__fail(ctx, GPUBE_EINVAL, "match: tables of integers alone");
	gpube__parallel(ctx, (m->cells + CELLS_PER_ITEM - 1) / CELLS_PER_ITEM, match_item, &copy);
	return GPUBE_OK;
}
