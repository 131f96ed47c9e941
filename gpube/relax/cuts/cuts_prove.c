/* cuts_prove.c - what prices prove, what edges exclude, and an assignment: see cuts.h. */
#include "gpube/relax/cuts/cuts_parts.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Work for each entry of a row, and for each edge. */
enum { ENTRY_TICKS = 2, EDGE_TICKS = 20 };

enum gpube_clp_end gpube__cuts_solve(
	struct gpube_cuts_state *s, const uint64_t *live, int most, int64_t *count)
{
	double *low = gpube__clp_low(s->clp), *high = gpube__clp_high(s->clp);
	enum gpube_clp_end end;
	int taken;

	if (!low || !high)
		return GPUBE__CLP_FAILS;
	for (int32_t e = 0; e < s->p->n_edges; e++) {
		low[e] = !gpube__bit(live, 2 * (int64_t)e);
		high[e] = gpube__bit(live, 2 * (int64_t)e + 1);
	}
	end = gpube__clp_dual(s->clp, most, &taken);
	*count += taken;
	gpube__clp_work(s->ctx, (int64_t)s->p->n_edges + s->rows.n, s->rows.n_entries, taken);
	return end;
}

/* A row's price as an integer, never above nothing; nothing of what is no number. */
static int64_t rounded(double price, double unit)
{
	const double most = (double)GPUBE__CUTS_MOST;
	const double units = isfinite(price) ? rint(price / unit) : 0;

	return units >= 0 ? 0 : units < -most ? -GPUBE__CUTS_MOST : (int64_t)units;
}

void gpube__cuts_prove(struct gpube_cuts_state *s, const uint64_t *live, const double *price)
{
	const struct gpube_cuts_graph *p = s->p;
	__int128 bound = p->constant;
	bool none = false;

	memcpy(s->reduced, p->weight, (size_t)p->n_edges * sizeof(*s->reduced));
	for (int32_t r = 0; r < s->rows.n; r++) {
		const int64_t own = rounded(price[r], p->unit);

		s->rows.price[r] = -own;
		bound -= own;
		for (int64_t k = s->rows.at[r]; own && k < s->rows.at[r + 1]; k++) {
			const int32_t entry = s->rows.entries[k];

			s->reduced[entry >> 1] += entry & 1 ? -own : own;
			bound += entry & 1 ? own : 0;
		}
	}
	for (int32_t e = 0; e < p->n_edges; e++) {
		const bool apart = gpube__bit(live, 2 * (int64_t)e + 1);

		none |= !apart && !gpube__bit(live, 2 * (int64_t)e);
		if (apart && (s->reduced[e] < 0 || !gpube__bit(live, 2 * (int64_t)e)))
			bound += s->reduced[e];
	}
	s->bound = none || bound > GPUBE__NOTHING_LEFT ? GPUBE__NOTHING_LEFT
		   : bound < -GPUBE__NOTHING_LEFT      ? INT64_MIN
						       : (int64_t)bound;
	gpube__work(s->ctx, ENTRY_TICKS * s->rows.n_entries + p->n_edges);
}

/* ---- sides ----------------------------------------------------------------------------------- */

/* The root of a vertex's set; *side: the vertex's beside it. Paths are halved. */
static int32_t find_root(struct gpube_cuts_state *s, int32_t v, bool *side)
{
	*side = false;
	while (s->root[v] != v) {
		const int32_t up = s->root[v];

		if (s->root[up] != up) {
			s->side[v] ^= s->side[up];
			s->root[v] = s->root[up];
		}
		*side ^= s->side[v];
		v = s->root[v];
	}
	return v;
}

/* The edge's ends are in one set, or it joins theirs; whether they then differ as is said. */
static bool join(struct gpube_cuts_state *s, int32_t e, bool differ)
{
	bool side[2];
	const int32_t a = find_root(s, s->p->end[0][e], &side[0]),
		      b = find_root(s, s->p->end[1][e], &side[1]);

	if (a == b)
		return (side[0] ^ side[1]) == differ;
	/* a vertex of a higher number is the root, so that the last one is always its set's */
	s->root[a < b ? a : b] = a < b ? b : a;
	s->side[a < b ? a : b] = side[0] ^ side[1] ^ differ;
	return true;
}

static void clear_sides(struct gpube_cuts_state *s)
{
	for (int32_t v = 0; v < s->p->n_vertices; v++) {
		s->root[v] = v;
		s->side[v] = 0;
	}
}

int32_t gpube__cuts_propagate(struct gpube_cuts_state *s, uint64_t *live, bool *empty)
{
	const struct gpube_cuts_graph *p = s->p;
	int32_t n = 0;

	*empty = false;
	clear_sides(s);
	for (int32_t e = 0; e < p->n_edges && !*empty; e++) {
		const bool same = gpube__bit(live, 2 * (int64_t)e),
			   apart = gpube__bit(live, 2 * (int64_t)e + 1);

		*empty = (!same && !apart) || (same != apart && !join(s, e, apart));
	}
	for (int32_t e = 0; e < p->n_edges && !*empty; e++) {
		bool side[2];

		if (!gpube__bit(live, 2 * (int64_t)e) || !gpube__bit(live, 2 * (int64_t)e + 1))
			continue;
		if (find_root(s, p->end[0][e], &side[0]) != find_root(s, p->end[1][e], &side[1]))
			continue;
		gpube__bit_drop(live, 2 * (int64_t)e + !(side[0] ^ side[1]));
		n++;
	}
	gpube__work(s->ctx, 2 * EDGE_TICKS * (int64_t)p->n_edges);
	return n;
}

/* ---- an assignment --------------------------------------------------------------------------- */

static int by_part(const void *x, const void *y)
{
	const struct gpube_cuts_sure *a = x, *b = y;

	return a->part != b->part ? (a->part > b->part) - (a->part < b->part)
				  : (a->edge > b->edge) - (a->edge < b->edge);
}

/* Edges join vertices, the surest first, as the program has them. */
void gpube__cuts_round(void *state, int32_t *values)
{
	struct gpube_cuts_state *s = state;
	const struct gpube_cuts_graph *p = s->p;
	struct gpube_cuts_sure *sure = s->sure;
	int32_t n = 0;

	for (int32_t e = 0; e < p->n_edges; e++) {
		const double value = s->value[2 * (int64_t)e + 1];

		if (gpube__cuts_there(s, e))
			sure[n++] = (struct gpube_cuts_sure){fmin(value, 1 - value), e};
	}
	qsort(sure, (size_t)n, sizeof(*sure), by_part);
	clear_sides(s);
	for (int32_t k = 0; k < n; k++)
		(void)join(s, sure[k].edge, s->value[2 * (int64_t)sure[k].edge + 1] > 0.5);
	memset(values, 0, (size_t)p->n_edges * sizeof(*values));
	for (int32_t v = 0; v + 1 < p->n_vertices; v++) {
		bool side;

		(void)find_root(s, v, &side);
		values[v] = side;
		/* a set without the last vertex may be on either side, where values allow it */
		if (!gpube__bit(s->live, 2 * (int64_t)v + side))
			values[v] = !side;
	}
	gpube__work(s->ctx, 4 * EDGE_TICKS * (int64_t)p->n_edges);
}
