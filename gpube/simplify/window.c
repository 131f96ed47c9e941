/* window.c - dense tables seen through the live values of their scope. See live.h. */
#include "gpube/simplify/live.h"
#include "gpube/base/by_type.h"

#include <string.h>

void gpube__walk_begin(struct gpube_walk *walk)
{
	int k = walk->n_dims;

	walk->row = k ? walk->size[--k] : 1;
	while (k && (int64_t)walk->row * walk->size[k - 1] <= GPUBE__ROW)
		walk->row *= walk->size[--k];
	walk->n_outer = k;
	memset(walk->index, 0, sizeof(walk->index));
}

bool gpube__walk_next(struct gpube_walk *walk)
{
	for (int k = walk->n_outer - 1; k >= 0; k--) {
		int32_t old = walk->index[k], new = old + 1 < walk->size[k] ? old + 1 : 0;

		walk->index[k] = new;
		for (int64_t i = 0; i < walk->n_windows; i++) {
			struct gpube_window *w = &walk->windows[i];

			if (w->offset[k])
				w->at += w->offset[k][new] - w->offset[k][old];
		}
		if (new)
			return true;
	}
	return false;
}

int64_t gpube__walk_offsets(const struct gpube_walk *walk)
{
	int64_t n = walk->row;

	for (int k = 0; k < walk->n_dims; k++)
		n += walk->size[k];
	return n;
}

/* Where a row's cells are, relative to the first: dimensions are added from the last to the first.
 */
static void fill_row(const struct gpube_walk *walk, struct gpube_window *w, int64_t *row)
{
	int32_t n = 1;

	row[0] = 0;
	for (int k = walk->n_dims - 1; k >= walk->n_outer; k--) {
		const int64_t *offset = w->offset[k];

		for (int32_t a = walk->size[k] - 1; a >= 0; a--)
			for (int32_t j = 0; j < n; j++)
				row[a * n + j] = row[j] + (offset ? offset[a] - offset[0] : 0);
		n *= walk->size[k];
	}
	w->row = row;
	w->adjacent = true;
	for (int32_t j = 0; w->adjacent && j < n; j++)
		w->adjacent = row[j] == j;
}

void gpube__window_open(struct gpube_walk *walk, struct gpube_window *w, const struct gpube_live *s,
	const struct gpube_table *t, const int32_t *scope, const int32_t *slot, bool compact,
	int64_t *offsets)
{
	int64_t stride = 1;

	w->values = t->values;
	w->type = t->type;
	w->negate = false;
	w->least = 0;
	w->cut = GPUBE_INF;
	w->less = 0;
	w->at = 0;
	memset(w->offset, 0, sizeof(w->offset));
	for (int k = t->arity - 1; k >= 0; k--) {
		int32_t i = scope[k], n = s->n[i];
		const int32_t *list = s->list + s->start[i];

		if (slot[i] < 0) { /* one live value */
			w->at += compact ? 0 : list[0] * stride;
		} else {
			for (int32_t j = 0; j < n; j++)
				offsets[j] = (compact ? j : list[j]) * stride;
			w->offset[slot[i]] = offsets;
			w->at += offsets[0];
			offsets += n;
		}
		stride *= compact ? n : s->m->vars[i].domain;
	}
	fill_row(walk, w, offsets);
}

#define ROW(T, marker)                                                                             \
	do {                                                                                       \
		const T *p = (const T *)w->values + w->at;                                         \
                                                                                                   \
		for (int32_t j = 0; j < n; j++) {                                                  \
			T v = w->adjacent ? p[j] : p[at[j]];                                       \
                                                                                                   \
			row[j] = v == (marker) ? GPUBE_INF : w->negate ? -(int64_t)v : v;          \
		}                                                                                  \
	} while (0)

void gpube__window_row(int64_t *row, const struct gpube_walk *walk, const struct gpube_window *w)
{
	const int64_t *at = w->row, *wide = (const int64_t *)w->values;
	int32_t n = walk->row;

	if (w->type == GPUBE_INT64)
		for (int32_t j = 0; j < n; j++)
			row[j] = gpube__live_cost(wide[w->at + at[j]], w->negate, w->least);
	else
		GPUBE_BY_INT(w->type, ROW);
	if (w->cut != GPUBE_INF)
		for (int32_t j = 0; j < n; j++)
			if (row[j] >= w->cut)
				row[j] = GPUBE_INF;
}
