/*
 * regions_cell.h - the places of regions' tables, and the arithmetic of a cell. Both compilers take
 * it, so that a machine without a device tests what a device runs. See regions.h.
 */
#ifndef GPUBE_OPS_REGIONS_CELL_H
#define GPUBE_OPS_REGIONS_CELL_H

#include "gpube/base/base.h"
#include "gpube/ops/regions/regions.h"

/* A plan and a state, as a pass reads them; pointers are the backend's. */
struct regions_view {
	int32_t n, n_pairs, n_triples;
	const int32_t *quad_vars, *quad_triples, *triple_vars, *triple_pairs, *pair_vars;
	const int32_t *near_at, *near, *variables;
	struct gpube_regions_head *head;
	const int64_t *at;
	const int32_t *domain;
	int32_t *cells;
};

/* Bytes in front of the cells. */
static inline uint64_t regions_header(const struct gpube_regions_plan *p)
{
	uint64_t bytes = sizeof(struct gpube_regions_head) +
			 8 * ((uint64_t)gpube__regions_tables(p) + 1) + 4 * (uint64_t)p->n;

	return (bytes + 127) / 128 * 128;
}

static inline struct regions_view regions_view(const struct gpube_regions *r, const int32_t *words)
{
	const struct gpube_regions_plan *p = r->plan;
	struct regions_view v = {.n = p->n, .n_pairs = p->n_pairs, .n_triples = p->n_triples};
	char *memory = (char *)r->memory;

	v.quad_vars = words;
	v.quad_triples = v.quad_vars + 4 * (int64_t)p->n_quads;
	v.triple_vars = v.quad_triples + 4 * (int64_t)p->n_quads;
	v.triple_pairs = v.triple_vars + 3 * (int64_t)p->n_triples;
	v.pair_vars = v.triple_pairs + 3 * (int64_t)p->n_triples;
	v.near_at = v.pair_vars + 2 * (int64_t)p->n_pairs;
	v.near = v.near_at + p->n + 1;
	v.variables = v.near + 2 * (int64_t)p->n_pairs;
	v.head = (struct gpube_regions_head *)memory;
	v.at = (const int64_t *)(memory + sizeof(*v.head));
	v.domain = (const int32_t *)(v.at + gpube__regions_tables(p) + 1);
	v.cells = (int32_t *)(memory + regions_header(p));
	return v;
}

/* ---- where cells are ----------------------------------------------------------------- */

GPUBE_HD static inline int32_t regions_row(int32_t domain)
{
	return (domain + GPUBE__LANES - 1) / GPUBE__LANES * GPUBE__LANES;
}

GPUBE_HD static inline int32_t *regions_unary(const struct regions_view *v, int32_t i)
{
	return v->cells + v->at[i];
}

GPUBE_HD static inline int32_t *regions_pair(const struct regions_view *v, int32_t p)
{
	return v->cells + v->at[v->n + p];
}

GPUBE_HD static inline int32_t *regions_triple(const struct regions_view *v, int32_t t)
{
	return v->cells + v->at[v->n + v->n_pairs + t];
}

GPUBE_HD static inline int32_t *regions_addend(const struct regions_view *v, int32_t q, int k)
{
	return v->cells + v->at[v->n + v->n_pairs + v->n_triples + 4 * (int64_t)q + k];
}

/* Cells of the table of a triple, with its padding. */
GPUBE_HD static inline int64_t regions_triple_cells(const struct regions_view *v, int32_t t)
{
	const int32_t *w = v->triple_vars + 3 * (int64_t)t;

	return (int64_t)v->domain[w[0]] * v->domain[w[1]] * regions_row(v->domain[w[2]]);
}

/*
 * The min-marginal of a quad on its triple without variable z: rest(x of u, y of v, t of w) is the
 * least over values of z of in[0](x, y) + in[1](x, t) + in[2](y, t). in[0] is the addend without w,
 * in[1] without v, in[2] without u; steps are in cells.
 */
struct regions_join {
	int32_t u, v, w, z; /* domains */
	const int32_t *in[3];
	int64_t step[3][3]; /* of the first variable, of the second, of z */
	int32_t *addend, *table;
	int64_t row_u, row_v; /* of the output: steps of u and v */
};

/* The step of the p-th variable in a table over three domains. */
GPUBE_HD static inline int64_t regions_step(const int32_t d[3], int p)
{
	return p == 2 ? 1 : p == 1 ? regions_row(d[2]) : (int64_t)d[1] * regions_row(d[2]);
}

GPUBE_HD static inline struct regions_join regions_join(
	const struct regions_view *view, int32_t q, int z)
{
	const int32_t *vars = view->quad_vars + 4 * (int64_t)q;
	struct regions_join j;
	int other[3], n = 0;

	for (int k = 0; k < 4; k++)
		if (k != z)
			other[n++] = k;
	j.u = view->domain[vars[other[0]]];
	j.v = view->domain[vars[other[1]]];
	j.w = view->domain[vars[other[2]]];
	j.z = view->domain[vars[z]];
	for (int k = 0; k < 3; k++) { /* the addend without other[2 - k] */
		const int without = other[2 - k];
		int32_t d[3];
		int at[3], first = k < 2 ? other[0] : other[1],
			   second = k == 0 ? other[1] : other[2];
		int m = 0;

		for (int i = 0; i < 4; i++) {
			if (i == without)
				continue;
			if (i == first)
				at[0] = m;
			if (i == second)
				at[1] = m;
			if (i == z)
				at[2] = m;
			d[m++] = view->domain[vars[i]];
		}
		j.in[k] = regions_addend(view, q, without);
		for (int i = 0; i < 3; i++)
			j.step[k][i] = regions_step(d, at[i]);
	}
	j.addend = regions_addend(view, q, z);
	j.table = regions_triple(view, view->quad_triples[4 * (int64_t)q + z]);
	j.row_v = regions_row(j.w);
	j.row_u = j.v * j.row_v;
	return j;
}

/* The variables of a table; returns how many. */
GPUBE_HD static inline int regions_scope(const struct regions_view *v, int64_t t, int32_t vars[3])
{
	const int32_t *from;
	int n = 3, without = -1;

	if (t < v->n) {
		vars[0] = (int32_t)t;
		return 1;
	}
	t -= v->n;
	if (t < v->n_pairs) {
		from = v->pair_vars + 2 * t;
		n = 2;
	} else if (t - v->n_pairs < v->n_triples) {
		from = v->triple_vars + 3 * (t - v->n_pairs);
	} else {
		t -= v->n_pairs + v->n_triples;
		from = v->quad_vars + 4 * (t / 4);
		without = (int)(t % 4);
	}
	for (int k = 0, m = 0; m < n; k++)
		if (k != without)
			vars[m++] = from[k];
	return n;
}

/* Where row x of a table with fewer values begins in the table that it is gathered from. */
GPUBE_HD static inline int64_t regions_old_row(const struct regions_view *to,
	const struct regions_view *from, const int32_t *vars, int n, int64_t x,
	const int32_t *kept_at, const int32_t *kept)
{
	int64_t step = regions_row(from->domain[vars[n - 1]]), row = 0;

	for (int k = n - 2; k >= 0; k--) {
		const int32_t d = to->domain[vars[k]];

		row += step * kept[kept_at[vars[k]] + x % d];
		step *= from->domain[vars[k]];
		x /= d;
	}
	return row;
}

/* ---- what happens to them ------------------------------------------------------------ */

GPUBE_HD static inline int32_t regions_least(int32_t a, int32_t b)
{
	return a < b ? a : b;
}

/* Sum of two cells of tables. */
GPUBE_HD static inline int32_t regions_sum(int32_t a, int32_t b, int32_t slack)
{
	return a >= slack || b >= slack || a + b >= slack ? GPUBE__DEAD : a + b;
}

/* Moves a triple's cell into a quad's addend of it. */
GPUBE_HD static inline void regions_pull(int32_t *table, int32_t *addend, int32_t slack)
{
	const int32_t t = *table, s = *addend, room = GPUBE__ADDEND_MAX - s;
	const int32_t moved = t < room ? t : room;
	const bool dead = t >= slack || s == GPUBE__DEAD;

	*addend = dead ? GPUBE__DEAD : s + moved;
	*table = dead ? GPUBE__DEAD : t - moved;
}

/* m / parts, m >= 0. */
GPUBE_HD static inline int32_t regions_part(int32_t m, int parts)
{
	return parts == 1 ? m : parts == 2 ? m >> 1 : parts == 4 ? m >> 2 : m / 3;
}

/* Hands a part of the min-marginal addend + rest from the addend to the triple's cell. */
GPUBE_HD static inline void regions_give(
	int32_t *table, int32_t *addend, int32_t rest, int32_t slack, int parts)
{
	const int32_t s = *addend, m = s + rest, room = s + GPUBE__ADDEND_MAX;
	int32_t g, t;

	if (s == GPUBE__DEAD || m >= slack) {
		*addend = *table = GPUBE__DEAD;
		return;
	}
	g = regions_part(m, parts);
	g = g < room ? g : room;
	t = *table + g;
	*addend = t >= slack ? GPUBE__DEAD : s - g;
	*table = t >= slack ? GPUBE__DEAD : t;
}

/* A triple's three sides: (v1, v2), (v0, v2), (v0, v1), there and back, and the parts given. */
GPUBE_HD static inline int regions_side(int turn, bool backward)
{
	const int side = turn < 3 ? turn : 4 - turn;

	return backward ? side : 2 - side;
}

GPUBE_HD static inline int regions_side_parts(int turn)
{
	return turn == 0 ? 3 : turn == 1 ? 2 : 1;
}

/* A triple's cell after it gave g[0..2] to its pairs' cells. */
GPUBE_HD static inline int32_t regions_left(int32_t t, int32_t g0, int32_t g1, int32_t g2)
{
	return t == GPUBE__DEAD ? GPUBE__DEAD : t - g0 - g1 - g2;
}

/* A variable's cell after it took 'sum' from its pairs and gave 'best' to the constant. */
struct regions_value {
	int32_t unary, gift; /* gift: to each of its pairs; DEAD: the value is */
};

GPUBE_HD static inline struct regions_value regions_value(
	int32_t taken, int32_t best, int32_t slack, int32_t pairs)
{
	struct regions_value r = {GPUBE__DEAD, GPUBE__DEAD};

	if (taken >= slack)
		return r;
	r.gift = pairs ? (taken - best) / pairs : 0;
	r.unary = taken - best - r.gift * pairs;
	return r;
}

/*
 * A pair's cell after a variable took m of it and gave it the gift; slack is that of
 * before the constant rose by 'best'.
 */
GPUBE_HD static inline int32_t regions_pair_cell(
	int32_t t, int32_t m, int32_t gift, int32_t slack, int32_t best)
{
	return t >= slack || m >= slack || gift == GPUBE__DEAD || t - m + gift >= slack - best
		       ? GPUBE__DEAD
		       : t - m + gift;
}

#endif
