/*
 * compare_walk.c - functions over the same variables as one, cell by cell. See
 * compare_walk.h.
 */
#include "formats/compare/compare_walk.h"

#include <stdlib.h>
#include <string.h>

#include "formats/common/survey.h"
#include "gpube/ir/dense.h"
#include "gpube/ir/tuples.h"

/* ---- groups ------------------------------------------------------------------------ */

static int compare_members(const void *x, const void *y)
{
	const struct gpube_compare_member *a = x, *b = y;
	int c;

	if (a->arity != b->arity)
		return a->arity < b->arity ? -1 : 1;
	c = gpube__compare_tuples(a->sorted, b->sorted, a->arity);
	return c ? c : (a->function > b->function) - (a->function < b->function);
}

static bool same_group(const struct gpube_compare_member *a, const struct gpube_compare_member *b)
{
	return a->arity == b->arity && !gpube__compare_tuples(a->sorted, b->sorted, a->arity);
}

void gpube__side_clear(struct gpube_compare_side *s)
{
	struct gpube_ctx *ctx = s->m->ctx;

	GPUBE_FREE_ALL(ctx, s->sorted, s->member, s->group);
}

int gpube__side_init(struct gpube_compare_side *s, const struct gpube_model *m)
{
	struct gpube_ctx *ctx = m->ctx;
	uint64_t n = (uint64_t)m->n_functions;

	memset(s, 0, sizeof(*s));
	s->m = m;
	s->constant = gpube__minimised(m, m->constant);
	s->bound = gpube__minimised_top(m);
	s->sorted = gpube__alloc(ctx, (uint64_t)m->n_scopes, sizeof(*s->sorted));
	s->member = gpube__alloc(ctx, n, sizeof(*s->member));
	s->group = gpube__alloc(ctx, n, sizeof(*s->group));
	if (!s->sorted || !s->member || !s->group) {
		gpube__side_clear(s);
		return GPUBE_ENOMEM;
	}
	for (int32_t f = 0; f < m->n_functions; f++) {
		const struct gpube_table *t = gpube__table(m, f);
		int32_t *sorted = s->sorted + m->functions[f].scope_at;

		if (t->arity == 0) {
			int64_t v = t->n ? gpube__table_int(t, 0) : t->dflt.i;

			s->hopeless = s->hopeless || v == GPUBE_INF;
			s->constant += v == GPUBE_INF ? 0 : gpube__minimised(m, v);
			continue;
		}
		gpube__sorted_scope(sorted, m, f, NULL);
		s->member[s->n_members++] = (struct gpube_compare_member){sorted, f, t->arity};
	}
	qsort(s->member, (size_t)s->n_members, sizeof(*s->member), compare_members);
	for (int64_t k = 0; k < s->n_members; k++) {
		if (k == 0 || !same_group(&s->member[k - 1], &s->member[k]))
			s->group[s->n_groups++].begin = k;
		s->group[s->n_groups - 1].end = k + 1;
	}
	return GPUBE_OK;
}

/* ---- cells of a group ---------------------------------------------------------------- */

int gpube__walk_init(struct gpube_compare_walk *w, const struct gpube_model *m)
{
	uint64_t n = (uint64_t)m->n_vars;

	memset(w, 0, sizeof(*w));
	w->ctx = m->ctx;
	w->domains = gpube__alloc(m->ctx, 5 * n + 1, sizeof(*w->domains));
	if (!w->domains)
		return GPUBE_ENOMEM;
	w->tuple = w->domains + n;
	w->own = w->tuple + n;
	w->own_domains = w->own + n;
	w->place = w->own_domains + n;
	return GPUBE_OK;
}

/* Lays the walk along the scope of a function. */
void gpube__walk_along(struct gpube_compare_walk *w, const struct gpube_model *m, int32_t function)
{
	w->scope = gpube__scope(m, function);
	w->arity = m->functions[function].arity;
	w->cells = gpube__cells(m, w->arity, w->scope);
	for (int k = 0; k < w->arity; k++) {
		w->domains[k] = m->vars[w->scope[k]].domain;
		w->place[w->scope[k]] = k;
	}
	memset(w->tuple, 0, (size_t)w->arity * sizeof(*w->tuple));
}

/* A function's cost at the walk's tuple, as the minimisation sees it. */
static gpube_total cost_at(
	const struct gpube_compare_walk *w, const struct gpube_model *m, int32_t f)
{
	const struct gpube_table *t = gpube__table(m, f);
	const int32_t *scope = gpube__scope(m, f);
	int64_t k, v;

	for (int i = 0; i < t->arity; i++) {
		w->own[i] = w->tuple[w->place[scope[i]]];
		w->own_domains[i] = m->vars[scope[i]].domain;
	}
	k = gpube__table_find(t, w->own_domains, w->own);
	v = gpube__minimised(m, k < 0 ? t->dflt.i : gpube__table_int(t, k));
	return v == GPUBE_INF ? GPUBE_FORBIDDEN_TOTAL : v;
}

/* 'direct': the group is one dense table along the walk's scope, and 'cell' its index. */
static gpube_total group_cost(const struct gpube_compare_walk *w,
	const struct gpube_compare_side *s, const struct gpube_compare_group *g, bool direct,
	int64_t cell)
{
	gpube_total sum = 0;

	if (direct) {
		int64_t v =
			gpube__table_int(gpube__table(s->m, s->member[g->begin].function), cell);

		v = gpube__minimised(s->m, v);
		return v == GPUBE_INF ? GPUBE_FORBIDDEN_TOTAL : v;
	}
	for (int64_t k = g->begin; k < g->end; k++) {
		gpube_total c = cost_at(w, s->m, s->member[k].function);

		if (c == GPUBE_FORBIDDEN_TOTAL)
			return GPUBE_FORBIDDEN_TOTAL;
		sum += c;
	}
	return sum;
}

static bool is_direct(const struct gpube_compare_walk *w, const struct gpube_compare_side *s,
	const struct gpube_compare_group *g)
{
	int32_t f = s->member[g->begin].function;

	return g->end == g->begin + 1 && !gpube__table(s->m, f)->sparse &&
	       !gpube__compare_tuples(gpube__scope(s->m, f), w->scope, w->arity);
}

/* Tuples that the sparse tables of a group hold; -1 if one is dense. */
static int64_t count_tuples(const struct gpube_compare_side *s, const struct gpube_compare_group *g)
{
	int64_t n = 0;

	for (int64_t k = g->begin; k < g->end; k++) {
		const struct gpube_table *t = gpube__table(s->m, s->member[k].function);

		if (!t->sparse)
			return -1;
		n += t->n;
	}
	return n;
}

/* The walk's tuple := tuple k of function f. */
static void go_to(struct gpube_compare_walk *w, const struct gpube_model *m, int32_t f, int64_t k)
{
	const struct gpube_table *t = gpube__table(m, f);
	const int32_t *scope = gpube__scope(m, f);

	for (int i = 0; i < t->arity; i++)
		w->tuple[w->place[scope[i]]] = t->tuples[k * t->arity + i];
}

/* The sum of the group's defaults: the cost of a cell that no table holds. */
static gpube_total default_cost(
	const struct gpube_compare_side *s, const struct gpube_compare_group *g)
{
	gpube_total sum = 0;

	for (int64_t k = g->begin; k < g->end; k++) {
		int64_t v = gpube__table(s->m, s->member[k].function)->dflt.i;

		if (v == GPUBE_INF)
			return GPUBE_FORBIDDEN_TOTAL;
		sum += gpube__minimised(s->m, v);
	}
	return sum;
}

/* Only the tuples that one side holds, and one cell for all others. */
static void walk_tuples(struct gpube_compare_walk *w, const struct gpube_compare_side *a,
	const struct gpube_compare_group *ga, const struct gpube_compare_side *b,
	const struct gpube_compare_group *gb, gpube__look_fn *look, void *arg)
{
	const struct gpube_compare_side *sides[] = {a, b};
	const struct gpube_compare_group *groups[] = {ga, gb};

	if (!look(arg, w, default_cost(a, ga), default_cost(b, gb)))
		return;
	for (int side = 0; side < 2; side++)
		for (int64_t k = groups[side]->begin; k < groups[side]->end; k++) {
			int32_t f = sides[side]->member[k].function;

			for (int64_t n = 0; n < gpube__table(sides[side]->m, f)->n; n++) {
				go_to(w, sides[side]->m, f, n);
				if (!look(arg, w, group_cost(w, a, ga, false, 0),
					    group_cost(w, b, gb, false, 0)))
					return;
			}
		}
}

/* Where in the walk tuple k of a sparse function is. */
static int64_t cell_of(const struct gpube_compare_walk *w, const struct gpube_table *t,
	const int32_t *scope, int64_t k)
{
	int64_t cell = 0;

	for (int i = 0; i < t->arity; i++)
		w->own[w->place[scope[i]]] = t->tuples[k * t->arity + i];
	for (int i = 0; i < w->arity; i++)
		cell = cell * w->domains[i] + w->own[i];
	return cell;
}

/*
 * The costs of all cells of a group that is many listings of few tuples each, as clauses
 * are; NULL: it is not, and cells are added up as they come.
 */
static gpube_total *sum_listings(const struct gpube_compare_walk *w,
	const struct gpube_compare_side *s, const struct gpube_compare_group *g)
{
	enum { MANY = 8, MOST_CELLS = 1 << 22 };
	gpube_total *sum, dflt;

	if (g->end - g->begin < MANY || w->cells < 0 || w->cells > MOST_CELLS ||
		count_tuples(s, g) < 0)
		return NULL;
	dflt = default_cost(s, g);
	if (dflt == GPUBE_FORBIDDEN_TOTAL)
		return NULL;
	sum = gpube__alloc(w->ctx, (uint64_t)w->cells, sizeof(*sum));
	for (int64_t cell = 0; sum && cell < w->cells; cell++)
		sum[cell] = dflt;
	for (int64_t k = g->begin; sum && k < g->end; k++) {
		int32_t f = s->member[k].function;
		const struct gpube_table *t = gpube__table(s->m, f);

		for (int64_t n = 0; n < t->n; n++) {
			int64_t v = gpube__minimised(s->m, gpube__table_int(t, n));

			sum[cell_of(w, t, gpube__scope(s->m, f), n)] +=
				(v == GPUBE_INF ? GPUBE_FORBIDDEN_TOTAL : v) -
				gpube__minimised(s->m, t->dflt.i);
		}
	}
	/* several may forbid a cell, and no costs make up for that */
	for (int64_t cell = 0; sum && cell < w->cells; cell++)
		sum[cell] =
			sum[cell] >= GPUBE_FORBIDDEN_TOTAL / 2 ? GPUBE_FORBIDDEN_TOTAL : sum[cell];
	return sum;
}

/* Every cell of two groups over the same variables. Where tuples are few, those alone. */
void gpube__walk_group(struct gpube_compare_walk *w, const struct gpube_compare_side *a,
	const struct gpube_compare_group *ga, const struct gpube_compare_side *b,
	const struct gpube_compare_group *gb, gpube__look_fn *look, void *arg)
{
	int64_t n_a = count_tuples(a, ga), n_b = count_tuples(b, gb);
	bool direct_a, direct_b;
	gpube_total *sum_a, *sum_b;

	gpube__walk_along(w, a->m, a->member[ga->begin].function);
	if (n_a >= 0 && n_b >= 0 && (w->cells < 0 || w->cells / 4 > n_a + n_b)) {
		walk_tuples(w, a, ga, b, gb, look, arg);
		return;
	}
	direct_a = is_direct(w, a, ga);
	direct_b = is_direct(w, b, gb);
	sum_a = sum_listings(w, a, ga);
	sum_b = sum_listings(w, b, gb);
	for (int64_t cell = 0; cell < w->cells; cell++) {
		if (!look(arg, w, sum_a ? sum_a[cell] : group_cost(w, a, ga, direct_a, cell),
			    sum_b ? sum_b[cell] : group_cost(w, b, gb, direct_b, cell)))
			break;
		gpube__tuple_next(w->tuple, w->domains, w->arity);
	}
	gpube__free(w->ctx, sum_a);
	gpube__free(w->ctx, sum_b);
}

/* -1, 0 or 1: the order in which groups stand, by their variables. */
int gpube__compare_groups_of(const struct gpube_compare_side *a,
	const struct gpube_compare_group *ga, const struct gpube_compare_side *b,
	const struct gpube_compare_group *gb)
{
	struct gpube_compare_member x = a->member[ga->begin], y = b->member[gb->begin];

	x.function = y.function = 0;
	return compare_members(&x, &y);
}
