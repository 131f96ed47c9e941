/* sum_tile.c - which jobs are products of matrices: see sum_tile.h. */
#include "gpube/ops/sum/sum_tile.h"

#include <string.h>

/* What makes tiles worth their edges. */
enum { LEAST_TERMS = 16, LEAST_SIDE = 48 };

/* The kind of an axis, by whose it is; GPUBE_TILE_N_KINDS: none. */
static enum gpube__tile_kind kind_of(const int64_t step[3])
{
	const int of = (step[0] ? 1 : 0) + (step[1] ? 2 : 0) + (step[2] ? 4 : 0);

	return of == 5   ? GPUBE_TILE_ROW
	       : of == 6 ? GPUBE_TILE_COLUMN
	       : of == 3 ? GPUBE_TILE_TERM
	       : of == 7 ? GPUBE_TILE_PAIR
			 : GPUBE_TILE_N_KINDS;
}

/*
 * The axis becomes one with the last of its group, which is slower, if all step through both as
 * through one.
 */
static bool add_axis(struct gpube__tile_group *g, const struct gpube__tile_axis *axis)
{
	struct gpube__tile_axis *last = g->n ? &g->axis[g->n - 1] : NULL;
	bool one = last != NULL;

	for (int k = 0; k < 3 && one; k++)
		one = last->step[k] == axis->step[k] * axis->dim;
	g->size *= axis->dim;
	if (one) {
		memcpy(last->step, axis->step, sizeof(last->step));
		last->dim *= axis->dim;
		return true;
	}
	if (g->n == GPUBE_TILE_AXES)
		return false;
	g->axis[g->n++] = *axis;
	return true;
}

bool gpube__tile_plan(
	struct gpube__product *t, int *first, const struct gpube_sum_job *job, int n_sms)
{
	int64_t least[2] = {INT64_MAX, INT64_MAX};

	*t = (struct gpube__product){.by = 1};
	*first = 0;
	if (job->n_in != 2)
		return false;
	/* the output's neighbours in memory shall be columns, which neighbouring threads write */
	for (int a = 0; a < job->n_axes; a++)
		if (job->out[0].stride[a] == 1 && !job->in[1].stride[a])
			*first = 1;
	for (int k = 0; k < GPUBE_TILE_N_KINDS; k++)
		t->group[k].size = 1;
	for (int a = 0; a < job->n_axes; a++) {
		const struct gpube__tile_axis axis = {
			job->dim[a], {job->in[*first].stride[a], job->in[!*first].stride[a],
					     job->out[0].stride[a]}};
		const enum gpube__tile_kind kind = kind_of(axis.step);

		if (kind == GPUBE_TILE_N_KINDS || !add_axis(&t->group[kind], &axis))
			return false;
		for (int k = 0; k < 2; k++)
			if (axis.step[k] && axis.step[k] < least[k]) {
				least[k] = axis.step[k];
				t->terms_first[k] = kind == GPUBE_TILE_TERM;
			}
	}
	t->row_tiles = (t->group[GPUBE_TILE_ROW].size + GPUBE_TILE_SIDE - 1) / GPUBE_TILE_SIDE;
	t->column_tiles =
		(t->group[GPUBE_TILE_COLUMN].size + GPUBE_TILE_SIDE - 1) / GPUBE_TILE_SIDE;
	return t->group[GPUBE_TILE_TERM].size >= LEAST_TERMS &&
	       t->group[GPUBE_TILE_ROW].size >= LEAST_SIDE &&
	       t->group[GPUBE_TILE_COLUMN].size >= LEAST_SIDE &&
	       gpube__tile_blocks(t) >= n_sms / 4 && gpube__tile_blocks(t) <= INT32_MAX;
}
