/*
 * contract_choose.c - a handful of choices for the lanes, the rows and the reduced cells of a
 * tile are priced, and the cheapest is taken; the larger the contraction, the more are looked at.
 */
#include "gpube/ops/contract/cpu/contract_plan.h"

/* A slice still has as many rows as a square of a transposition. */
static int64_t most_rows(const struct gpube__planner *pl)
{
	return pl->in_slices ? 16 : GPUBE__MAX_ROWS;
}

static void consider(struct gpube__planner *pl, struct gpube__choice ch)
{
	ch.a_into_c = ch.b_into_c = false;
	ch.cycles = gpube__plan_price(pl, &ch);
	pl->left--;
	if (pl->best.cycles < 0 || ch.cycles < pl->best.cycles)
		pl->best = ch;
}

/* With what was found best: should A or B be added to C before the kernel? */
static void consider_merging(struct gpube__planner *pl)
{
	for (int merge = 1; merge < 4; merge++) {
		struct gpube__choice ch = pl->best;

		ch.a_into_c = merge & 1;
		ch.b_into_c = merge & 2;
		ch.cycles = gpube__plan_price(pl, &ch);
		if (ch.cycles < pl->best.cycles)
			pl->best = ch;
	}
}

static void consider_rows(struct gpube__planner *pl, struct gpube__choice ch, uint64_t rows)
{
	ch.rows = rows;
	ch.row_block = gpube__group_block(&pl->p->shape, rows, most_rows(pl), 8);
	if (pl->left > 0)
		consider(pl, ch);
}

/* Runs of output dims that are not lanes and end with 'to', as rows. */
static void consider_runs(struct gpube__planner *pl, const struct gpube__choice *ch, int to)
{
	uint64_t rows = 0;
	int64_t cells = 1;

	for (int d = to; d >= 0 && cells < most_rows(pl); d--) {
		if (ch->lanes & GPUBE__BIT(d))
			continue;
		rows |= GPUBE__BIT(d);
		consider_rows(pl, *ch, rows);
		cells *= pl->p->shape.size[d];
	}
}

/* Lanes, with no rows and with the fastest other output dims as rows. */
static void consider_lanes(
	struct gpube__planner *pl, struct gpube__choice ch, uint64_t lanes, int64_t cap)
{
	int d = pl->p->shape.n_out - 1;

	ch.lanes = lanes;
	ch.lane_block = gpube__group_block(&pl->p->shape, lanes, cap, pl->w);
	consider_rows(pl, ch, 0);
	for (int tried = 0; d >= 0 && tried < (pl->p->shape.n_out <= 6 ? 6 : 1); d--) {
		if (lanes & GPUBE__BIT(d))
			continue;
		consider_runs(pl, &ch, d);
		tried++;
	}
}

static void consider_all_lanes(struct gpube__planner *pl, const struct gpube__choice *ch)
{
	const struct gpube__shape *s = &pl->p->shape;
	const int64_t n_x = ch->x_block * gpube__group_unit(s, ch->x);
	int64_t cap = 32768 / n_x, cells = 1;
	uint64_t lanes = 0;

	cap = cap < 128 ? 128 : cap > GPUBE__MAX_LANES ? GPUBE__MAX_LANES : cap;
	if (s->n_reduced == 1)
		cap = 128; /* operands are added one after the other to what should be in cache */
	if (s->n_out == 0)
		consider_lanes(pl, *ch, 0, cap);
	/* the fastest output dims, at least half a vector: what is written is contiguous */
	for (int d = s->n_out - 1; d >= 0 && cells < cap / 2; d--) {
		lanes |= GPUBE__BIT(d);
		cells *= s->size[d];
		if (2 * cells >= pl->w || cells * s->size[d > 0 ? d - 1 : 0] > cap || d == 0)
			consider_lanes(pl, *ch, lanes, cap);
	}
	/* the output dims of one operand, which pays when much is reduced */
	for (int k = 0; k < s->n_in && n_x >= 8; k++) {
		lanes = pl->dims_of[k] & (GPUBE__BIT(s->n_out) - 1);
		if (lanes && gpube__group_unit(s, lanes) <= cap)
			consider_lanes(pl, *ch, lanes, cap);
	}
}

/* With the best lanes: other rows. */
static void consider_all_rows(struct gpube__planner *pl)
{
	const struct gpube__shape *s = &pl->p->shape;
	const struct gpube__choice ch = pl->best;

	/* the other output dims of one operand */
	for (int k = 0; k < s->n_in; k++) {
		const uint64_t rows = pl->dims_of[k] & (GPUBE__BIT(s->n_out) - 1) & ~ch.lanes;

		if (rows && gpube__group_unit(s, rows) <= most_rows(pl))
			consider_rows(pl, ch, rows);
	}
	for (int to = s->n_out - 1; to >= 0; to--)
		if (!(ch.lanes & GPUBE__BIT(to)))
			consider_runs(pl, &ch, to);
}

/* The reduced cells of a tile: the fastest reduced dims, so that arguments come in order. */
static void consider_all(struct gpube__planner *pl)
{
	const struct gpube__shape *s = &pl->p->shape;
	static const int64_t caps[] = {GPUBE__MAX_X, 128, 16};
	struct gpube__choice ch = {0};

	for (int i = 0; i < 3 && pl->left > 0; i++) {
		int64_t cells = 1;

		if (i > 0 && s->n_reduced <= caps[i])
			return;
		ch.x = 0;
		ch.x_block = 1;
		for (int d = s->n_dims - 1; d >= s->n_out; d--) {
			if (cells * s->size[d] > caps[i] && ch.x)
				break;
			ch.x |= GPUBE__BIT(d);
			cells *= s->size[d];
		}
		ch.x_block = gpube__group_block(s, ch.x, caps[i], 1);
		consider_all_lanes(pl, &ch);
	}
}

void gpube__plan_consider(struct gpube__planner *pl)
{
	consider_all(pl);
	consider_all_rows(pl);
	consider_merging(pl);
}
