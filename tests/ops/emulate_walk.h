/* emulate_walk.h - the card's walk over panels, executed on the CPU; every cell is written once. */
#ifndef GPUBE_TESTS_EMULATE_WALK_H
#define GPUBE_TESTS_EMULATE_WALK_H

#include <math.h>
#include <stdlib.h>

#include "gpube/ops/sum/sum_walk.h"
#include "tests/support/test.h"

struct walk_block {
	const struct gpube__walk *w;
	double cells[GPUBE_WALK_PANEL];
	struct gpube__walk_cell cell[GPUBE_WALK_PANEL];
	int64_t base[GPUBE_WALK_IN + 1], far[GPUBE_WALK_IN + 1];
	int64_t item_value[GPUBE_WALK_MOST_AXES], far_value[GPUBE_WALK_MOST_AXES];
	int64_t walked;
};

/* One setting of the far rest. */
static void add_products(struct walk_block *b, int32_t cells)
{
	const struct gpube__walk *w = b->w;

	for (int32_t r = 0; r < w->near; r++) {
		int64_t at[GPUBE_WALK_IN];

		for (int k = 0; k < w->n_in; k++)
			at[k] = b->base[k] + b->far[k] +
				gpube__walk_at(gpube__walk_near(w), w->n_near, r, k);
		for (int32_t c = 0; c < cells; c++) {
			double v = w->by;

			for (int k = 0; k < w->n_in; k++)
				v *= w->in[k][at[k] + b->cell[c].at[k]];
			b->cells[c] += v;
			b->walked++;
		}
	}
}

static void do_item(struct walk_block *b)
{
	const struct gpube__walk *w = b->w;
	const bool cut_item = w->cut >= 0 && w->cut < w->n_item;
	const int64_t cut_value = cut_item ? b->item_value[w->cut] : 0;
	const int32_t sums =
		cut_item && w->cut_sums > 0 && gpube__walk_panel(w)[0].step[GPUBE_WALK_IN]
			? gpube__walk_sums(w, cut_value)
			: w->n_sums;
	int axis = 0;

	memset(b->cells, 0, sizeof(b->cells));
	memset(b->far_value, 0, sizeof(b->far_value));
	memset(b->far, 0, sizeof(b->far));
	while (axis >= 0) {
		const int64_t value = cut_item      ? cut_value
				      : w->cut >= 0 ? b->far_value[w->cut - w->n_item]
						    : 0;

		add_products(b, w->cut >= 0 ? gpube__walk_cells(w, value) : w->panel);
		axis = gpube__walk_next(gpube__walk_far(w), w->n_far, b->far_value);
		for (int k = 0; k <= GPUBE_WALK_IN && axis >= 0; k++)
			b->far[k] += gpube__walk_far(w)[axis].back[k];
	}
	for (int32_t c = 0; c < w->panel; c++) {
		const int32_t place = b->cell[c].place;
		double *to = &w->out[b->base[GPUBE_WALK_IN] + b->cell[c].out];

		assert_true(place >= 0 && place < w->panel);
		if (place / w->sums >= sums)
			continue;
		if (place % w->sums == 0) { /* poison: written once */
			assert_true(isnan(*to));
			*to = 0;
		}
	}
	for (int32_t c = 0; c < w->panel; c++)
		if (b->cell[c].place / w->sums < sums)
			w->out[b->base[GPUBE_WALK_IN] + b->cell[c].out] += b->cells[c];
}

static void walk_all(const struct gpube__walk *w, double cells)
{
	static struct walk_block b;
	int64_t walked = 0;

	b.w = w;
	assert_true(w->panel <= GPUBE_WALK_PANEL);
	assert_true(w->near <= GPUBE_WALK_NEAR);
	assert_int_equal(w->n_sums * w->sums, w->panel);
	for (int32_t c = 0; c < w->panel; c++)
		gpube__walk_cell(&b.cell[c], w, w->n_in, c);
	for (int64_t block = 0; block < gpube__walk_blocks(w); block++) {
		const int64_t first = block * w->chunk;

		b.walked = 0;
		gpube__walk_values(w->axis, w->n_item, first, b.item_value);
		for (int k = 0; k <= GPUBE_WALK_IN; k++)
			b.base[k] = gpube__walk_at(w->axis, w->n_item, first, k);
		for (int64_t i = first; i < first + w->chunk && i < w->items; i++) {
			int axis;

			do_item(&b);
			axis = gpube__walk_next(w->axis, w->n_item, b.item_value);
			for (int k = 0; k <= GPUBE_WALK_IN && axis >= 0; k++)
				b.base[k] += w->axis[axis].back[k];
		}
		walked += b.walked;
	}
	assert_true((double)walked == cells); /* no cell twice, none left out */
}

static double *poisoned(int64_t n)
{
	double *p = malloc((size_t)n * sizeof(*p));

	assert_non_null(p);
	for (int64_t i = 0; i < n; i++)
		p[i] = NAN;
	return p;
}

/* A job by the plan of a card with so many blocks; 'roundings' out. */
static void emulate_walk(const struct gpube_sum_job *job, const double *const *in, double *out,
	double by, int blocks, double *roundings)
{
	struct gpube__walk_plan p;
	double cells = 1, *parts;

	gpube__walk_plan(&p, job, blocks);
	*roundings = p.roundings;
	for (int a = 0; a < job->n_axes; a++)
		cells *= (double)job->dim[a];
	for (int k = 0; k < job->n_in; k++)
		p.walk.in[k] = in[k];
	parts = p.parts > 1 ? poisoned(p.n_out * p.parts) : out;
	p.walk.out = parts;
	p.walk.by = by;
	walk_all(&p.walk, cells);
	if (p.parts > 1) {
		struct gpube_sum_table from_table = {.n = p.n_out * p.parts},
				       to_table = {.n = p.n_out};
		struct gpube_sum_operand from, to;
		struct gpube_sum_job add;
		const double *of[] = {parts};
		double ignored;

		gpube__walk_add_parts(&add, &from, &to, p.parts, &from_table, &to_table);
		emulate_walk(&add, of, out, 1, 1, &ignored);
		free(parts);
	}
}

#endif
