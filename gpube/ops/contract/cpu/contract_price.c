/*
 * contract_price.c - what a choice of tiles should cost, in cycles of a core with AVX-512; other
 * cores have the same order. The prices need not be right, only their order.
 */
#include <math.h>

#include "gpube/ops/contract/cpu/contract_plan.h"

double gpube__pack_cycles(const struct gpube__plan *p, const struct gpube__op *op)
{
	const double nx = (double)p->n_x, ni = (double)op->n_rows;
	const double vectors =
		(double)(op->kind == GPUBE__KIND_A ? p->pad_rows : p->pad_lanes) / p->w;

	switch (op->mode) {
	case GPUBE__LANE_SAME:
	case GPUBE__LANE_NEXT:
		return 20 + nx * ni * (3 + 1.5 * vectors);
	default:
		return 20 + nx * ni * (3 + 4 * vectors);
	}
}

static double chain_cycles(const struct gpube__planner *pl, const struct gpube__choice *ch,
	int kind, const signed char *kinds)
{
	const struct gpube__plan *p = pl->p;
	const int64_t cells = p->n_x * (kind == GPUBE__KIND_A ? p->pad_rows : p->pad_lanes) *
			      (kind == GPUBE__KIND_C ? p->n_rows : 1);
	double cycles = 0;
	int n = 0, n_direct = 0, shallow = 0;
	double shallow_cycles = 0;

	for (int k = 0; k < p->shape.n_in; k++) {
		struct gpube__op op;
		double t;

		if (kinds[k] != kind)
			continue;
		op = gpube__make_op(pl, ch, k, kind);
		t = gpube__runs_to(p, op.depth) * gpube__pack_cycles(p, &op);
		cycles += t;
		if (n == 0 || op.depth < shallow) {
			shallow = op.depth;
			n_direct = 0;
		}
		if (op.depth == shallow) {
			n_direct++;
			shallow_cycles = gpube__can_be_direct(pl, ch, &op) ? t : 0;
		}
		n++;
	}
	/* the first level is read in place if it is one operand in the right layout */
	if (n_direct == 1)
		cycles -= shallow_cycles;
	if ((n > 1 || (n == 1 && shallow_cycles == 0)) && cells > GPUBE__MAX_PACKED)
		return INFINITY;
	return cycles;
}

/*
 * The kernel on one tile. An add and a min a cycle; an add more with all kinds. What
 * a tile has beyond the first-level cache (32 KB, say) comes from the second:
 * C for every vector, B and A once for eight rows.
 */
static double kernel_cycles(const struct gpube__planner *pl, const signed char *kinds)
{
	const struct gpube__plan *p = pl->p;
	const double vectors = (double)(p->pad_lanes / p->w);
	const double steps = (double)p->n_x * (double)p->n_rows * vectors;
	const double eights = (double)p->n_x * ceil((double)p->n_rows / 8) * vectors;
	const int64_t b_bytes = p->n_x * p->pad_lanes * p->cell_bytes;
	int there = 0;
	double cycles;

	for (int k = 0; k < p->shape.n_in; k++)
		there |= 1 << kinds[k];
	cycles = steps * (there == 7 ? 1.65 : 1.15);
	if ((there & 1 << GPUBE__KIND_C) && b_bytes * p->n_rows > 32768)
		cycles += 1.2 * steps;
	if ((there & 1 << GPUBE__KIND_B) && b_bytes > 24576)
		cycles += 1.5 * eights;
	if ((there & 1 << GPUBE__KIND_A) && p->n_x * 64 > 16384)
		cycles += 1.5 * eights;
	/* fewer than eight rows share a vector of B, or wait for each other */
	if (p->n_rows % 8 && !(p->n_rows < 8 && vectors >= 4))
		cycles += (double)p->n_x * vectors * (p->n_rows % 4 ? 3 : 1);
	return cycles;
}

double gpube__plan_price(const struct gpube__planner *pl, struct gpube__choice *ch)
{
	struct gpube__plan *p = pl->p;
	double cycles, vectors, tiles;
	signed char kinds[256];

	if (p->shape.n_in > 256)
		return 1; /* the first choice: one row, which always fits */
	gpube__set_kinds(pl, ch, kinds);
	gpube__set_loops(pl, ch, kinds);
	vectors = ceil((double)p->n_lanes / (double)p->w);
	tiles = (double)p->n_tiles * (double)p->n_turns;
	cycles = tiles * (120 + (double)p->n_rows * (3 + 2.5 * vectors) + kernel_cycles(pl, kinds));
	if (p->shape.n_out && !(ch->lanes & GPUBE__BIT(p->shape.n_out - 1)))
		cycles += 2.0 * (double)p->shape.n_out_cells;
	else if (p->kernel == GPUBE__KERNEL_MIN_ARG)
		cycles += 0.5 * (double)p->shape.n_out_cells;
	for (int kind = 0; kind < GPUBE__N_KINDS; kind++) {
		if (pl->best.cycles >= 0 && cycles >= pl->best.cycles)
			break; /* whatever it is exactly */
		cycles += chain_cycles(pl, ch, kind, kinds);
	}
	return cycles;
}
