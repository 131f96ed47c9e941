/*
 * contract_choose.c - a handful of choices for the lanes, the rows and the reduced cells of a
 * tile are priced, and the cheapest is taken; the larger the contraction, the more are looked at.
 * Lanes are the fastest output dims, so that what is written is contiguous; rows others of them.
 */
#include "gpube/ops/contract/cpu/contract_plan.h"

static void consider_rows(struct gpube__planner *pl, struct gpube__choice ch, uint64_t rows)
{
	if (pl->left <= 0)
		return;
	ch.rows = rows;
	ch.row_block = gpube__group_block(&pl->p->shape, rows, GPUBE__MAX_ROWS, 8);
	ch.cycles = gpube__plan_price(pl, &ch);
	pl->left--;
	if (pl->best.cycles < 0 || ch.cycles < pl->best.cycles)
		pl->best = ch;
}

/* Runs of output dims that are not lanes and end with 'to', as rows. */
static void consider_runs(struct gpube__planner *pl, const struct gpube__choice *ch, int to)
{
	uint64_t rows = 0;
	int64_t cells = 1;

	for (int d = to; d >= 0 && cells < GPUBE__MAX_ROWS; d--) {
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
	ch.lane_block = gpube__group_block(&pl->p->shape, lanes, cap, pl->p->w);
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

	cap = cap > GPUBE__MAX_LANES ? GPUBE__MAX_LANES : cap;
	if (s->n_reduced == 1)
		cap = 128; /* operands are added one after the other to what should be in cache */
	if (s->n_out == 0)
		consider_lanes(pl, *ch, 0, cap);
	/* at least half a vector */
	for (int d = s->n_out - 1; d >= 0 && cells < cap / 2; d--) {
		lanes |= GPUBE__BIT(d);
		cells *= s->size[d];
		if (2 * cells >= pl->p->w || cells * s->size[d > 0 ? d - 1 : 0] > cap || d == 0)
			consider_lanes(pl, *ch, lanes, cap);
	}
}

/* The reduced cells of a tile: the fastest reduced dims, so that arguments come in order. */
void gpube__plan_consider(struct gpube__planner *pl)
{
	const struct gpube__shape *s = &pl->p->shape;
	struct gpube__choice ch = {.x_block = 1};
	int64_t cells = 1;

	for (int d = s->n_dims - 1; d >= s->n_out; d--) {
		if (cells * s->size[d] > GPUBE__MAX_X && ch.x)
			break;
		ch.x |= GPUBE__BIT(d);
		cells *= s->size[d];
	}
	ch.x_block = gpube__group_block(s, ch.x, GPUBE__MAX_X, 1);
	consider_all_lanes(pl, &ch);
}
