/*
 * certificate_cuts.c - what cycles prove: see certificate.h. It shares no code with what finds them
 * (relax/cuts/).
 */
#include <stdlib.h>
#include <string.h>

#include "gpube/bound/certificate/certificate.h"

/* So much are all costs together, without their signs, and prices for all edges of their rows. */
#define MOST_COSTS  ((__int128)1 << 80)
#define MOST_PRICES ((__int128)1 << 118)

enum { OPEN, WHOLE, CUT };

/* An edge and its weight, in units of 2^-shift; twice the weight in those of the problem. */
struct gpube_proof_edge {
	int32_t a, b;
	__int128 twice, weight;
};

/* The problem as a graph, and room for what is found of it. */
struct checked {
	const struct gpube_certificate *c;
	struct gpube_ctx *ctx;
	int32_t n_vertices, n;
	struct gpube_proof_edge *edges;
	__int128 constant; /* of the functions, in units of the problem */
	__int128 sum;      /* of all costs so far, without their signs */
	__int128 unit;     /* by which totals differ: all are 'constant' modulo that */
	__int128 target;   /* above the relaxed problem's constant, in units of 2^-shift */
	__int128 *reduced;
	int32_t *root;
	char *side;
};

static int too_large(struct gpube_ctx *ctx)
{
	return gpube__fail(ctx, GPUBE_ERANGE, "sums of the certificate pass 128 bits");
}

/* ---- the graph ------------------------------------------------------------------------------- */

static bool has_edges(const struct gpube_model *m, int32_t f)
{
	const int32_t *scope = gpube__scope(m, f);

	for (int k = 0; k < m->functions[f].arity; k++)
		if (m->vars[scope[k]].domain > 2)
			return false;
	return m->functions[f].arity <= 2;
}

static bool add(struct checked *g, __int128 *to, __int128 cost)
{
	*to += cost;
	g->sum += cost < 0 ? -cost : cost;
	return g->sum < MOST_COSTS;
}

/*
 * Functions are c00 + alpha [x] + beta [y] + weight [x is not y]; values that a variable does not
 * have cost what its only one does.
 */
static bool take_function(struct checked *g, const struct gpube_model *m, int32_t f)
{
	const struct gpube_table *t = gpube__table(m, f);
	const int32_t *scope = gpube__scope(m, f);
	const bool is_pair = m->functions[f].arity == 2;
	const int32_t na = m->vars[scope[0]].domain, nb = is_pair ? m->vars[scope[1]].domain : 1;
	__int128 c[2][2], twice;

	for (int x = 0; x < 2; x++)
		for (int y = 0; y < 2; y++)
			c[x][y] = gpube__table_int(t, (x < na ? x : 0) * nb + (y < nb ? y : 0));
	twice = c[0][1] + c[1][0] - c[0][0] - c[1][1];
	if (is_pair)
		g->edges[g->n++] =
			(struct gpube_proof_edge){.a = scope[0], .b = scope[1], .twice = twice};
	return add(g, &g->constant, c[0][0]) &&
	       add(g, &g->edges[scope[0]].twice, 2 * (c[1][0] - c[0][0]) - twice) &&
	       (!is_pair || add(g, &g->edges[scope[1]].twice, 2 * (c[0][1] - c[0][0]) - twice));
}

static int by_ends(const void *x, const void *y)
{
	const struct gpube_proof_edge *a = x, *b = y;

	return a->a != b->a ? (a->a > b->a) - (a->a < b->a) : (a->b > b->b) - (a->b < b->b);
}

/* Edges of the same ends become one. */
static bool merge(struct checked *g)
{
	const int32_t first = g->n_vertices - 1;
	int32_t n = first;
	bool fits = true;

	qsort(g->edges + first, (size_t)(g->n - first), sizeof(*g->edges), by_ends);
	for (int32_t e = first; e < g->n && fits; e++)
		if (n > first && !by_ends(&g->edges[n - 1], &g->edges[e]))
			fits = add(g, &g->edges[n - 1].twice, g->edges[e].twice);
		else
			g->edges[n++] = g->edges[e];
	g->n = n;
	return fits;
}

static __int128 divisor(__int128 a, __int128 b)
{
	a = a < 0 ? -a : a;
	b = b < 0 ? -b : b;
	while (b) {
		const __int128 rest = a % b;

		a = b;
		b = rest;
	}
	return a;
}

/*
 * All totals are equal modulo this: it divides what each variable adds by itself, and each pair
 * beyond that (its edge's weight, twice). reduced: room
 */
static __int128 unit_of(struct checked *g)
{
	const int32_t last = g->n_vertices - 1;
	__int128 unit = 0;

	for (int32_t i = 0; i < last; i++)
		g->reduced[i] = g->edges[i].twice;
	for (int32_t e = last; e < g->n; e++) {
		g->reduced[g->edges[e].a] += g->edges[e].twice;
		g->reduced[g->edges[e].b] += g->edges[e].twice;
		unit = divisor(unit, g->edges[e].twice);
	}
	for (int32_t i = 0; i < last; i++)
		unit = divisor(unit, g->reduced[i] / 2);
	return unit ? unit : 1;
}

static __int128 modulo(__int128 a, __int128 unit)
{
	return (a % unit + unit) % unit;
}

static int take_functions(struct checked *g, const struct gpube_model *m, __int128 constant)
{
	const __int128 below = (__int128)g->c->cycles.limit - 1 - constant;
	bool all = true;

	for (int32_t i = 0; i < m->n_vars; i++)
		g->edges[i] = (struct gpube_proof_edge){.a = i, .b = m->n_vars};
	for (int32_t f = 0; f < m->n_functions; f++) {
		const bool has = has_edges(m, f);

		all &= has;
		if (has && !take_function(g, m, f))
			return too_large(g->ctx);
	}
	if (!merge(g))
		return too_large(g->ctx);
	g->unit = all ? unit_of(g) : 1;
	/* the greatest total below the limit, and a little */
	g->target =
		(below - modulo(below - g->constant, g->unit)) * ((__int128)1 << g->c->shift) + 1;
	for (int32_t e = 0; e < g->n; e++)
		g->edges[e].weight = g->edges[e].twice * ((__int128)1 << (g->c->shift - 1));
	return GPUBE_OK;
}

static int make(struct checked *g, const struct gpube_model *m, __int128 constant)
{
	int64_t n = m->n_vars;

	for (int32_t f = 0; f < m->n_functions; f++)
		n += m->functions[f].arity == 2 && has_edges(m, f);
	if (n > INT32_MAX - 2)
		return gpube__fail(g->ctx, GPUBE_ELIMIT,
			"the graph has %lld edges: 2^31 - 3 "
			"are all that it may have",
			(long long)n);
	g->n_vertices = m->n_vars + 1;
	g->n = m->n_vars;
	g->edges = gpube__alloc(g->ctx, (uint64_t)n + 1, sizeof(*g->edges));
	g->reduced = gpube__alloc(g->ctx, (uint64_t)n + 1, sizeof(*g->reduced));
	g->root = gpube__alloc(g->ctx, (uint64_t)g->n_vertices, sizeof(*g->root));
	g->side = gpube__alloc(g->ctx, (uint64_t)g->n_vertices, 1);
	return g->edges && g->reduced && g->root && g->side ? take_functions(g, m, constant)
							    : GPUBE_ENOMEM;
}

/* ---- what the file says ---------------------------------------------------------------------- */

/* Edges are there, once in a row each, and lead to each vertex an even number of times. */
static int check_row(struct checked *g, int32_t r, int32_t *row_of)
{
	const struct gpube_proof_row *row = &g->c->cycles.rows[r];
	const int32_t *edges = g->c->cycles.edges + row->at;

	for (int32_t k = 0; k < row->n; k++) {
		if (edges[k] >= g->n || row_of[edges[k]] == r + 1)
			return gpube__fail(g->ctx, GPUBE_EINVAL,
				"row %d of the certificate has edge %d, which %s", r, edges[k],
				edges[k] < g->n ? "is there twice" : "the problem does not have");
		row_of[edges[k]] = r + 1;
		g->side[g->edges[edges[k]].a] ^= 1;
		g->side[g->edges[edges[k]].b] ^= 1;
	}
	for (int32_t k = 0; k < row->n; k++)
		if (g->side[g->edges[edges[k]].a] || g->side[g->edges[edges[k]].b])
			return gpube__fail(g->ctx, GPUBE_EINVAL,
				"row %d of the certificate is no closed walk", r);
	return GPUBE_OK;
}

/*
 * A variable whose values cost something by themselves, -1: there is none. Then each cut is there
 * twice, since all variables may change sides at once.
 */
static int32_t find_field(const struct checked *g)
{
	for (int32_t i = 0; i + 1 < g->n_vertices; i++)
		if (g->edges[i].weight || g->c->domain[i] < 2)
			return i;
	return -1;
}

static int check_file(struct checked *g)
{
	const struct gpube_proof_cycles *x = &g->c->cycles;
	int32_t *row_of = gpube__alloc_zero(g->ctx, (uint64_t)g->n + 1, sizeof(*row_of));
	int status = row_of ? GPUBE_OK : GPUBE_ENOMEM;

	memset(g->side, 0, (size_t)g->n_vertices);
	for (int32_t r = 0; r < x->n_rows && !status; r++)
		status = check_row(g, r, row_of);
	gpube__free(g->ctx, row_of);
	for (int32_t k = 0; k < x->n && !status; k++)
		if (x->nodes[k].edge >= g->n)
			status = gpube__fail(g->ctx, GPUBE_EINVAL,
				"the certificate splits edge %d, which the problem does not have",
				x->nodes[k].edge);
	if (!status && x->fixed >= 0 && find_field(g) >= 0)
		status = gpube__fail(g->ctx, GPUBE_EINVAL,
			"the certificate fixes variable %d, but values of variable %d are not the "
			"same",
			x->fixed, find_field(g));
	return status;
}

/* ---- nodes ----------------------------------------------------------------------------------- */

/* Which edges are open, what is proved so far, and whether that is the limit. */
struct state {
	int32_t node;
	bool proved;
	__int128 best;
	char *edges;
};

/* The root of a vertex's set, and on which side of that it is. */
static int32_t root_of(struct checked *g, int32_t v, bool *side)
{
	*side = false;
	while (g->root[v] != v) {
		const int32_t up = g->root[v];

		g->side[v] ^= g->side[up];
		g->root[v] = g->root[up];
		*side ^= g->side[v];
		v = g->root[v];
	}
	return v;
}

/* What edges that are not open say of others; false: they exclude each other. */
static bool propagate(struct checked *g, char *edges)
{
	bool side[2];

	for (int32_t v = 0; v < g->n_vertices; v++) {
		g->root[v] = v;
		g->side[v] = 0;
	}
	for (int32_t e = 0; e < g->n; e++) {
		const bool cut = edges[e] == CUT;
		int32_t a, b;

		if (edges[e] == OPEN)
			continue;
		a = root_of(g, g->edges[e].a, &side[0]);
		b = root_of(g, g->edges[e].b, &side[1]);
		if (a == b && (side[0] ^ side[1]) != cut)
			return false;
		g->root[a] = b;
		g->side[a] = a != b && side[0] ^ side[1] ^ cut;
	}
	for (int32_t e = 0; e < g->n; e++)
		if (edges[e] == OPEN &&
			root_of(g, g->edges[e].a, &side[0]) == root_of(g, g->edges[e].b, &side[1]))
			edges[e] = side[0] ^ side[1] ? CUT : WHOLE;
	return true;
}

/* What edges cost with a step's prices; *bound: what these are in all, of which each row pays. */
static int reduce(struct checked *g, const struct gpube_proof_step *step, __int128 *bound)
{
	const struct gpube_proof_cycles *x = &g->c->cycles;
	__int128 sum = 0;

	*bound = g->constant * ((__int128)1 << g->c->shift);
	for (int32_t e = 0; e < g->n; e++)
		g->reduced[e] = g->edges[e].weight;
	for (int64_t k = step->at; k < step->at + step->n; k++) {
		const struct gpube_proof_row *row = &x->rows[x->prices[k].row];
		const __int128 price = x->prices[k].price;

		sum += price * row->n;
		if (sum >= MOST_PRICES)
			return too_large(g->ctx);
		*bound -= price * (row->n_odd - 1);
		for (int32_t i = 0; i < row->n; i++)
			g->reduced[x->edges[row->at + i]] += i < row->n_odd ? price : -price;
	}
	return GPUBE_OK;
}

static int do_step(struct checked *g, struct state *s, const struct gpube_proof_step *step)
{
	__int128 bound = 0;
	const int status =
		gpube__stopped(g->ctx) ? gpube__fail_stopped(g->ctx) : reduce(g, step, &bound);

	if (status)
		return status;
	for (int32_t e = 0; e < g->n; e++)
		if (s->edges[e] == CUT || (s->edges[e] == OPEN && g->reduced[e] < 0))
			bound += g->reduced[e];
	s->best = bound > s->best ? bound : s->best;
	for (int32_t e = 0; e < g->n && bound < g->target; e++) {
		const __int128 r = g->reduced[e];

		if (s->edges[e] == OPEN && bound + (r < 0 ? -r : r) >= g->target)
			s->edges[e] = r < 0 ? CUT : WHOLE;
	}
	s->proved = s->best >= g->target || !propagate(g, s->edges);
	return GPUBE_OK;
}

static int check_node(struct checked *g, struct state *s)
{
	const struct gpube_proof_cycles *x = &g->c->cycles;
	const struct gpube_proof_node *node = &x->nodes[s->node];
	int status = GPUBE_OK;

	s->proved = s->best >= g->target || !propagate(g, s->edges);
	for (int32_t k = 0; k < node->n_steps && !status && !s->proved; k++)
		status = do_step(g, s, &x->steps[node->step + k]);
	return status;
}

/* NULL: ENOMEM */
static char *copy_edges(const struct checked *g, const char *edges)
{
	char *copy = gpube__alloc(g->ctx, (uint64_t)g->n + 1, 1);

	if (copy)
		memcpy(copy, edges, (size_t)g->n);
	return copy;
}

/* *s becomes the first child, *second the other one. Errors: ENOMEM */
static int split(const struct checked *g, struct state *s, struct state *second)
{
	const struct gpube_proof_node *node = &g->c->cycles.nodes[s->node];
	const char was = s->edges[node->edge];

	*second = *s;
	second->edges = copy_edges(g, s->edges);
	if (!second->edges)
		return GPUBE_ENOMEM;
	s->node = node->child[0];
	second->node = node->child[1];
	s->edges[node->edge] = WHOLE;
	second->edges[node->edge] = CUT;
	/* where one of them is known not to be, that proves the limit there */
	if (was == CUT)
		s->best = g->target;
	if (was == WHOLE)
		second->best = g->target;
	return GPUBE_OK;
}

static struct state root_state(const struct checked *g)
{
	struct state s = {.edges = gpube__alloc_zero(g->ctx, (uint64_t)g->n + 1, 1)};

	for (int32_t i = 0; s.edges && i + 1 < g->n_vertices; i++)
		if (g->c->domain[i] < 2 || i == g->c->cycles.fixed)
			s.edges[i] = WHOLE;
	return s;
}

/* The least of all leaves; second children wait. */
static int check_nodes(struct checked *g, __int128 *least)
{
	struct state *open = NULL, s = root_state(g);
	int64_t n = 0, room = 0;
	int status = s.edges ? GPUBE_OK : GPUBE_ENOMEM;

	*least = g->target;
	while (!status) {
		status = check_node(g, &s);
		if (!status && !s.proved && g->c->cycles.nodes[s.node].edge >= 0) {
			status = gpube__grow(g->ctx, &open, &room, n + 1, sizeof(*open));
			if (!status)
				status = split(g, &s, &open[n]);
			n += !status;
			continue;
		}
		if (!status && !s.proved && s.best < *least)
			*least = s.best;
		if (status || !n)
			break;
		gpube__free(g->ctx, s.edges);
		s = open[--n];
	}
	gpube__free(g->ctx, s.edges);
	while (n)
		gpube__free(g->ctx, open[--n].edges);
	gpube__free(g->ctx, open);
	return status;
}

static void clear(const struct checked *g)
{
	GPUBE_FREE_ALL(g->ctx, g->edges, g->reduced, g->root, g->side);
}

int gpube__certificate_cycles(__int128 *least, const struct gpube_certificate *c,
	const struct gpube_model *relaxed, __int128 constant)
{
	struct checked g = {.c = c, .ctx = c->ctx};
	int status = make(&g, relaxed, constant);

	if (!status)
		status = check_file(&g);
	if (!status)
		status = check_nodes(&g, least);
	if (!status) {
		const __int128 one = (__int128)1 << c->shift;
		const __int128 whole = *least / one + (*least % one > 0);

		*least = (whole + modulo(g.constant - whole, g.unit)) * one;
	}
	clear(&g);
	return status;
}

int gpube__cycles_target(__int128 *target, bool *may_fix, const struct gpube_certificate *c,
	const struct gpube_model *relaxed, __int128 constant)
{
	struct checked g = {.c = c, .ctx = c->ctx};
	const int status = make(&g, relaxed, constant);

	*target = g.target;
	*may_fix = !status && find_field(&g) < 0;
	clear(&g);
	return status;
}
