/* be_load.c - see be_load.h. */
#include "gpube/eliminate/be_load.h"
#include "gpube/ir/dense.h"

#include <string.h>

void gpube__sorted_positions(const struct gpube_be *be, int32_t function, int32_t *positions)
{
	const int32_t *scope = gpube__scope(be->m, function);

	for (int k = 0; k < be->m->functions[function].arity; k++) {
		int32_t q = be->position[scope[k]];
		int j = k;

		for (; j > 0 && positions[j - 1] > q; j--)
			positions[j] = positions[j - 1];
		positions[j] = q;
	}
}

void gpube__window_clear(
	struct gpube_be_window *win, const struct gpube_be *be, const struct gpube_be_sides *sides)
{
	for (int side = 0; side < 2; side++)
		if (win->values[side])
			sides->ops[side]->free(be->ctx, win->values[side]);
	gpube__free(be->ctx, win->at);
	memset(win, 0, sizeof(*win));
}

/* Lays one side's copies out, and writes them into 'staged' unless that is NULL. */
static int fill_window(uint64_t *used, const struct gpube_be_window *win, const struct gpube_be *be,
	const struct gpube_be_sides *sides, int side, const struct gpube_working *w, char *staged)
{
	int64_t first = be->buckets[win->from].in_at;
	int status = GPUBE_OK;

	*used = 0;
	for (int32_t p = win->from; p < win->end; p++) {
		const struct gpube_bucket *b = &be->buckets[p];

		for (int64_t k = b->in_at; k < b->in_at + b->n_in && !status; k++) {
			int32_t id = be->inputs[k];

			if (id < 0 || gpube__side_of(sides, p) != side)
				continue;
			win->at[k - first] = *used;
			if (staged)
				status = gpube__dense_as(
					staged + *used, w->type, w->top, be->m, id, be->position);
			*used += (uint64_t)gpube__be_copy_bytes(be, id, gpube__type_size(w->type));
		}
	}
	return status;
}

/* What the host works on is written where it stays. */
static int load_side(struct gpube_be_window *win, const struct gpube_be *be,
	const struct gpube_be_sides *sides, int side, const struct gpube_working *w)
{
	const struct gpube_ops *ops = sides->ops[side];
	bool here = ops == gpube__ops_cpu();
	uint64_t bytes;
	char *staged;
	int status = GPUBE_ENOMEM;

	fill_window(&bytes, win, be, sides, side, w, NULL);
	if (!bytes && side)
		return GPUBE_OK;
	win->values[side] = ops->alloc(be->ctx, bytes);
	staged = here ? win->values[side] : gpube__alloc(be->ctx, bytes, 1);
	if (win->values[side] && staged)
		status = fill_window(&bytes, win, be, sides, side, w, staged);
	if (!status && !here)
		status = ops->upload(be->ctx, win->values[side], staged, bytes);
	if (!here)
		gpube__free(be->ctx, staged);
	return status;
}

int gpube__window_load(struct gpube_be_window *win, const struct gpube_be *be,
	const struct gpube_be_sides *sides, const struct gpube_working *w, int32_t p)
{
	uint64_t inputs;
	double unused;
	int status;

	gpube__window_clear(win, be, sides);
	win->from = p;
	win->end = gpube__be_window_end(&unused, be, p, gpube__type_size(w->type));
	inputs = (uint64_t)(be->buckets[win->end - 1].in_at + be->buckets[win->end - 1].n_in -
			    be->buckets[p].in_at);
	win->at = gpube__alloc(be->ctx, inputs, sizeof(*win->at));
	status = win->at ? load_side(win, be, sides, 0, w) : GPUBE_ENOMEM;
	if (!status && sides->side)
		status = load_side(win, be, sides, 1, w);
	if (status)
		gpube__window_clear(win, be, sides);
	return status;
}
