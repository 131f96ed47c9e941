/*
 * compare.c - models table by table. See compare.h.
 *
 * Costs. The functions of each model are put into groups of equal sets of
 * variables; the sum of a group's tables is what is compared, over the scope of
 * the group's first function. A cell counts as forbidden if it is marked so, or
 * if with it and the least of every other group the bound is reached.
 */
#include "formats/compare.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "formats/survey.h"
#include "formats/tuples.h"

typedef __int128 total;
#define FORBIDDEN ((total)1 << 100) /* more than any sum of costs */

/* One function, its variables in increasing order, to be sorted into groups. */
struct member {
	const int32_t *sorted;
	int32_t function, arity;
};

/* Functions over the same variables: members [begin, end). */
struct group {
	int64_t begin, end;
	total min; /* of the cells that are not marked as forbidden; FORBIDDEN: there are none */
};

struct side {
	const struct gpube_model *m;
	int32_t *sorted;
	struct member *member;
	struct group *group;
	int64_t n_members, n_groups;
	total constant, least;
	int64_t bound;
	bool hopeless;
};

/* Room for the walk through a group's cells, in the order of its first function's scope. */
struct walk {
	struct gpube_ctx *ctx;
	const int32_t *scope;
	int arity;
	int64_t cells; /* -1: more than 2^63 */
	int32_t *domains, *tuple, *own, *own_domains;
	int32_t *place; /* by variable: where in the scope */
};

/* ---- groups ------------------------------------------------------------------------ */

static int compare_members(const void *x, const void *y)
{
	const struct member *a = x, *b = y;
	int c;

	if (a->arity != b->arity)
		return a->arity < b->arity ? -1 : 1;
	c = gpube__compare_tuples(a->sorted, b->sorted, a->arity);
	return c ? c : (a->function > b->function) - (a->function < b->function);
}

static bool same_group(const struct member *a, const struct member *b)
{
	return a->arity == b->arity && !gpube__compare_tuples(a->sorted, b->sorted, a->arity);
}

static void side_clear(struct side *s)
{
	struct gpube_ctx *ctx = s->m->ctx;

	gpube__free(ctx, s->sorted);
	gpube__free(ctx, s->member);
	gpube__free(ctx, s->group);
}

static int side_init(struct side *s, const struct gpube_model *m)
{
	struct gpube_ctx *ctx = m->ctx;
	uint64_t n = (uint64_t)m->n_functions;

	memset(s, 0, sizeof(*s));
	s->m = m;
	s->constant = gpube__minimised(m, m->constant);
	s->bound = gpube__bound(m);
	s->sorted = gpube__alloc(ctx, (uint64_t)m->n_scopes, sizeof(*s->sorted));
	s->member = gpube__alloc(ctx, n, sizeof(*s->member));
	s->group = gpube__alloc(ctx, n, sizeof(*s->group));
	if (!s->sorted || !s->member || !s->group) {
		side_clear(s);
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
		memcpy(sorted, gpube__scope(m, f), (size_t)t->arity * sizeof(*sorted));
		qsort(sorted, (size_t)t->arity, sizeof(*sorted), gpube__compare_int32);
		s->member[s->n_members++] = (struct member){sorted, f, t->arity};
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

static int walk_init(struct walk *w, const struct gpube_model *m)
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
static void walk_along(struct walk *w, const struct gpube_model *m, int32_t function)
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
static total cost_at(const struct walk *w, const struct gpube_model *m, int32_t f)
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
	return v == GPUBE_INF ? FORBIDDEN : v;
}

/* 'direct': the group is one dense table along the walk's scope, and 'cell' its index. */
static total group_cost(const struct walk *w, const struct side *s, const struct group *g,
	bool direct, int64_t cell)
{
	total sum = 0;

	if (direct) {
		int64_t v =
			gpube__table_int(gpube__table(s->m, s->member[g->begin].function), cell);

		v = gpube__minimised(s->m, v);
		return v == GPUBE_INF ? FORBIDDEN : v;
	}
	for (int64_t k = g->begin; k < g->end; k++) {
		total c = cost_at(w, s->m, s->member[k].function);

		if (c == FORBIDDEN)
			return FORBIDDEN;
		sum += c;
	}
	return sum;
}

static bool is_direct(const struct walk *w, const struct side *s, const struct group *g)
{
	int32_t f = s->member[g->begin].function;

	return g->end == g->begin + 1 && !gpube__table(s->m, f)->sparse &&
	       !gpube__compare_tuples(gpube__scope(s->m, f), w->scope, w->arity);
}

/* Tuples that the sparse tables of a group hold; -1 if one is dense. */
static int64_t count_tuples(const struct side *s, const struct group *g)
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

/* A look at one cell of a group: 'a' and 'b' are the sides' costs there; false ends the walk. */
typedef bool look_fn(void *arg, const struct walk *w, total a, total b);

/* The walk's tuple := tuple k of function f. */
static void go_to(struct walk *w, const struct gpube_model *m, int32_t f, int64_t k)
{
	const struct gpube_table *t = gpube__table(m, f);
	const int32_t *scope = gpube__scope(m, f);

	for (int i = 0; i < t->arity; i++)
		w->tuple[w->place[scope[i]]] = t->tuples[k * t->arity + i];
}

/* The sum of the group's defaults: the cost of a cell that no table holds. */
static total default_cost(const struct side *s, const struct group *g)
{
	total sum = 0;

	for (int64_t k = g->begin; k < g->end; k++) {
		int64_t v = gpube__table(s->m, s->member[k].function)->dflt.i;

		if (v == GPUBE_INF)
			return FORBIDDEN;
		sum += gpube__minimised(s->m, v);
	}
	return sum;
}

/* Only the tuples that one side holds, and one cell for all others. */
static void walk_tuples(struct walk *w, const struct side *a, const struct group *ga,
	const struct side *b, const struct group *gb, look_fn *look, void *arg)
{
	const struct side *sides[] = {a, b};
	const struct group *groups[] = {ga, gb};

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

/* Every cell of two groups over the same variables. Where tuples are few, those alone. */
static void walk_group(struct walk *w, const struct side *a, const struct group *ga,
	const struct side *b, const struct group *gb, look_fn *look, void *arg)
{
	int64_t n_a = count_tuples(a, ga), n_b = count_tuples(b, gb);
	bool direct_a, direct_b;

	walk_along(w, a->m, a->member[ga->begin].function);
	if (n_a >= 0 && n_b >= 0 && (w->cells < 0 || w->cells / 4 > n_a + n_b)) {
		walk_tuples(w, a, ga, b, gb, look, arg);
		return;
	}
	direct_a = is_direct(w, a, ga);
	direct_b = is_direct(w, b, gb);
	for (int64_t cell = 0; cell < w->cells; cell++) {
		if (!look(arg, w, group_cost(w, a, ga, direct_a, cell),
			    group_cost(w, b, gb, direct_b, cell)))
			return;
		gpube__tuple_next(w->tuple, w->domains, w->arity);
	}
}

/* ---- the comparison of costs ----------------------------------------------------------- */

struct pair {
	const struct side *a, *b;
	struct group *ga, *gb;
	total shift; /* what b's cells cost more than a's */
	bool shift_known;
	total limit_a, limit_b; /* a cell from this on is forbidden */
	int64_t n_cells;
	int status;
};

static bool look_min(void *arg, const struct walk *w, total a, total b)
{
	struct pair *p = arg;

	(void)w;
	p->ga->min = a < p->ga->min ? a : p->ga->min;
	p->gb->min = b < p->gb->min ? b : p->gb->min;
	return true;
}

/* "(3, 5) at 0 2" */
static const char *where(const struct walk *w, char *text, size_t size)
{
	size_t n = 0;

	for (int k = 0; k < w->arity && n + 1 < size; k++)
		n += (size_t)snprintf(text + n, size - n, "%s%d", k ? ", " : "(", w->scope[k]);
	for (int k = 0; k < w->arity && n + 1 < size; k++)
		n += (size_t)snprintf(text + n, size - n, "%s%d", k ? " " : ") at ", w->tuple[k]);
	return text;
}

static const char *total_text(total v, char *text, size_t size)
{
	if (v >= FORBIDDEN)
		return "forbidden";
	snprintf(text, size, "%.17g", (double)v);
	if (v < INT64_MAX && v > -INT64_MAX)
		snprintf(text, size, "%lld", (long long)v);
	return text;
}

static bool look_equal(void *arg, const struct walk *w, total a, total b)
{
	struct pair *p = arg;
	char place[128], x[32], y[32];

	p->n_cells++;
	if (a >= p->limit_a)
		a = FORBIDDEN;
	if (b >= p->limit_b)
		b = FORBIDDEN;
	if (a == FORBIDDEN && b == FORBIDDEN)
		return true;
	if (!p->shift_known && a != FORBIDDEN && b != FORBIDDEN) {
		p->shift = b - a;
		p->shift_known = true;
	}
	if (a != FORBIDDEN && b != FORBIDDEN && b - a == p->shift)
		return true;
	p->status = gpube__fail(w->ctx, GPUBE_EBUG, "the function over %s costs %s, read back %s",
		where(w, place, sizeof(place)), total_text(a, x, sizeof(x)),
		total_text(b == FORBIDDEN ? b : b - p->shift, y, sizeof(y)));
	return false;
}

/* The costs from which a group's cell is forbidden, the least of the others given. */
static total limit_of(const struct side *s, const struct group *g)
{
	if (s->bound == GPUBE_INF)
		return FORBIDDEN;
	return s->bound - (s->least - g->min);
}

static bool is_infeasible(const struct side *s)
{
	return s->hopeless || (s->bound != GPUBE_INF && s->least >= s->bound);
}

static void add_min(struct side *s, const struct group *g)
{
	if (g->min == FORBIDDEN)
		s->hopeless = true;
	else
		s->least += g->min;
}

/* Least totals of both sides; their groups are over the same variables one by one. */
static void find_least(struct side *a, struct side *b, struct walk *w)
{
	a->least = a->constant;
	b->least = b->constant;
	for (int64_t k = 0; k < a->n_groups; k++) {
		struct pair p = {.a = a, .b = b, .ga = &a->group[k], .gb = &b->group[k]};

		p.ga->min = p.gb->min = FORBIDDEN;
		walk_group(w, a, p.ga, b, p.gb, look_min, &p);
		add_min(a, p.ga);
		add_min(b, p.gb);
	}
}

/* Totals are the same on both sides, so the bounds must be, unless neither is ever reached. */
static int compare_bounds(const struct side *a, const struct side *b)
{
	struct gpube_ctx *ctx = a->m->ctx;
	struct gpube_survey survey;
	total most;
	int status = gpube__survey_init(&survey, a->m);

	if (status)
		return status;
	most = survey.most;
	gpube__survey_clear(&survey, ctx);
	if (a->bound == b->bound || (most < a->bound && most < b->bound))
		return GPUBE_OK;
	return gpube__fail(ctx, GPUBE_EBUG, "the bound is %lld, read back %lld",
		(long long)a->bound, (long long)b->bound);
}

static int compare_groups(
	struct gpube_compared *counts, struct side *a, struct side *b, struct walk *w)
{
	total shift = b->constant - a->constant, moved = 0;

	for (int64_t k = 0; k < a->n_groups; k++) {
		struct pair p = {.a = a, .b = b, .ga = &a->group[k], .gb = &b->group[k]};

		p.limit_a = limit_of(a, p.ga);
		p.limit_b = limit_of(b, p.gb);
		walk_group(w, a, p.ga, b, p.gb, look_equal, &p);
		if (p.status)
			return p.status;
		moved += p.shift;
		counts->n_cells += p.n_cells;
	}
	if (shift + moved != 0)
		return gpube__fail(a->m->ctx, GPUBE_EBUG,
			"every total is off by %.17g when read back", (double)(shift + moved));
	return compare_bounds(a, b);
}

/* What all cells of a group cost, if it is the same. */
struct level {
	total cost;
	bool known, differs;
};

static bool look_level(void *arg, const struct walk *w, total a, total b)
{
	struct level *level = arg;

	(void)w;
	(void)b;
	level->differs = level->known && a != level->cost;
	level->known = true;
	level->cost = a;
	return !level->differs;
}

/*
 * A group that the other side lacks may cost the same everywhere: formats of clauses
 * have no function then. It goes into the constant.
 */
static bool settle(struct side *s, struct group *g, struct walk *w)
{
	struct level level = {0};

	walk_group(w, s, g, s, g, look_level, &level);
	if (level.differs)
		return false;
	if (level.cost == FORBIDDEN)
		s->hopeless = true;
	else
		s->constant += level.cost;
	return true;
}

/* -1, 0 or 1: the order in which groups stand, by their variables. */
static int compare_variables_of(
	const struct side *a, const struct group *ga, const struct side *b, const struct group *gb)
{
	struct member x = a->member[ga->begin], y = b->member[gb->begin];

	x.function = y.function = 0;
	return compare_members(&x, &y);
}

/* Leaves the groups that both sides have, if what else there is does not matter. */
static int match_groups(struct side *a, struct side *b, struct walk *w)
{
	int64_t n_a = a->n_groups, n_b = b->n_groups, i = 0, k = 0, n = 0;

	while (i < n_a || k < n_b) {
		int c = i == n_a   ? 1
			: k == n_b ? -1
				   : compare_variables_of(a, &a->group[i], b, &b->group[k]);

		if (c == 0) {
			a->group[n] = a->group[i++];
			b->group[n++] = b->group[k++];
		} else if (!(c < 0 ? settle(a, &a->group[i], w) : settle(b, &b->group[k], w))) {
			if (n_a != n_b)
				return gpube__fail(a->m->ctx, GPUBE_EBUG,
					"functions over %lld sets of variables, read back over %lld",
					(long long)n_a, (long long)n_b);
			return gpube__fail(a->m->ctx, GPUBE_EBUG,
				"function %d is over other variables when read back",
				a->member[a->group[i < n_a ? i : n_a - 1].begin].function);
		} else {
			i += c < 0;
			k += c > 0;
		}
	}
	a->n_groups = b->n_groups = n;
	return GPUBE_OK;
}

static int compare_costs(
	struct gpube_compared *counts, const struct gpube_model *m, const struct gpube_model *again)
{
	struct side a, b;
	struct walk w;
	int status = side_init(&a, m);

	if (status)
		return status;
	status = side_init(&b, again);
	if (status) {
		side_clear(&a);
		return status;
	}
	status = walk_init(&w, m);
	if (!status)
		status = match_groups(&a, &b, &w);
	if (!status) {
		find_least(&a, &b, &w);
		counts->n_functions = a.n_members;
		if (is_infeasible(&a) != is_infeasible(&b))
			status = gpube__fail(m->ctx, GPUBE_EBUG, "%s when read back",
				is_infeasible(&a) ? "feasible" : "infeasible");
		else if (!is_infeasible(&a))
			status = compare_groups(counts, &a, &b, &w);
	}
	gpube__free(m->ctx, w.domains);
	side_clear(&a);
	side_clear(&b);
	return status;
}

/* ---- potentials ------------------------------------------------------------------------ */

/*
 * Function by function in the file's order, but for those of no variables, which
 * are one sum. Two potentials must be the same double.
 */
static double potential(const struct gpube_table *t, int64_t k)
{
	return k < 0 ? t->dflt.f : gpube__table_real(t, k);
}

/* Value k of a table as a cost to minimise, in units of 1; INFINITY: forbidden. */
static long double real_cost(const struct gpube_model *m, const struct gpube_table *t, int64_t k)
{
	long double unit = 1;
	int64_t v;

	if (m->kind == GPUBE_POTENTIALS)
		return -logl((long double)potential(t, k));
	for (int i = 0; i < m->scale; i++)
		unit *= 10;
	v = k < 0 ? t->dflt.i : gpube__table_int(t, k);
	return v == GPUBE_INF ? INFINITY : (long double)gpube__minimised(m, v) / unit;
}

/* 'again' may be rounded: to a double, or to half a unit if it has become a cost. */
static bool near(
	const struct gpube_model *m, const struct gpube_model *again, long double a, long double b)
{
	long double slack = 1e-12L * (1 + fabsl(a));

	if (isinf(a) || isinf(b)) /* what the bound forbids may be written as forbidden */
		return isinf(a) ? isinf(b) : m->kind == GPUBE_COSTS && gpube__bound(m) != GPUBE_INF;
	if (m->kind == GPUBE_POTENTIALS)
		slack += 0.5L / powl(10, again->scale);
	return fabsl(a - b) <= slack;
}

static int compare_table(struct walk *w, const struct gpube_model *m,
	const struct gpube_model *again, int32_t f, int32_t g)
{
	const struct gpube_table *a = gpube__table(m, f), *b = gpube__table(again, g);
	bool exact = m->kind == GPUBE_POTENTIALS && again->kind == GPUBE_POTENTIALS;
	char place[128];

	walk_along(w, m, f);
	for (int64_t cell = 0; cell < w->cells; cell++) {
		int64_t i = gpube__table_find(a, w->domains, w->tuple);
		int64_t j = gpube__table_find(b, w->domains, w->tuple);

		if (exact ? potential(a, i) != potential(b, j)
			  : !near(m, again, real_cost(m, a, i), real_cost(again, b, j)))
			return gpube__fail(m->ctx, GPUBE_EBUG,
				"function %d over %s is another number, read back as %.17g", f,
				where(w, place, sizeof(place)),
				exact ? potential(b, j) : (double)real_cost(again, b, j));
		gpube__tuple_next(w->tuple, w->domains, w->arity);
	}
	return GPUBE_OK;
}

/* The next function of some variables, from f on; what has none is added to *constant. */
static int32_t next_function(const struct gpube_model *m, int32_t f, long double *constant)
{
	for (; f < m->n_functions && m->functions[f].arity == 0; f++)
		*constant += real_cost(m, gpube__table(m, f), gpube__table(m, f)->n ? 0 : -1);
	return f;
}

static long double own_constant(const struct gpube_model *m)
{
	return m->kind == GPUBE_COSTS
		       ? (long double)gpube__minimised(m, m->constant) / powl(10, m->scale)
		       : 0;
}

static int compare_potentials(
	struct gpube_compared *counts, const struct gpube_model *m, const struct gpube_model *again)
{
	long double constant = own_constant(m), constant_again = own_constant(again);
	int32_t f = next_function(m, 0, &constant), g = next_function(again, 0, &constant_again);
	struct walk w;
	int status = walk_init(&w, m);

	while (!status && f < m->n_functions && g < again->n_functions) {
		int arity = m->functions[f].arity;

		if (again->functions[g].arity != arity ||
			gpube__compare_tuples(gpube__scope(m, f), gpube__scope(again, g), arity))
			status = gpube__fail(m->ctx, GPUBE_EBUG,
				"function %d is over other variables when read back", f);
		else
			status = compare_table(&w, m, again, f, g);
		counts->n_functions++;
		counts->n_cells += w.cells;
		f = next_function(m, f + 1, &constant);
		g = next_function(again, g + 1, &constant_again);
	}
	gpube__free(m->ctx, w.domains);
	if (status)
		return status;
	if (f < m->n_functions || g < again->n_functions)
		return gpube__fail(m->ctx, GPUBE_EBUG, "%d functions, read back %d", m->n_functions,
			again->n_functions);
	if (!near(m, again, constant, constant_again))
		return gpube__fail(m->ctx, GPUBE_EBUG, "the constant is %.17g, read back %.17g",
			(double)constant, (double)constant_again);
	return GPUBE_OK;
}

/* ---- all of it ---------------------------------------------------------------------------- */

static int compare_variables(const struct gpube_model *m, const struct gpube_model *again)
{
	if (m->n_vars != again->n_vars)
		return gpube__fail(
			m->ctx, GPUBE_EBUG, "%d variables, read back %d", m->n_vars, again->n_vars);
	for (int32_t i = 0; i < m->n_vars; i++) {
		int32_t x = m->evidence ? m->evidence[i] : -1;
		int32_t y = again->evidence ? again->evidence[i] : -1;

		if (m->vars[i].domain != again->vars[i].domain)
			return gpube__fail(m->ctx, GPUBE_EBUG,
				"variable %d has %d values, read back %d", i, m->vars[i].domain,
				again->vars[i].domain);
		if (x != y)
			return gpube__fail(m->ctx, GPUBE_EBUG,
				"variable %d is observed as %d, read back as %d", i, x, y);
	}
	return GPUBE_OK;
}

int gpube__compare(
	struct gpube_compared *counts, const struct gpube_model *m, const struct gpube_model *again)
{
	int status = compare_variables(m, again);

	*counts = (struct gpube_compared){0};
	if (status)
		return status;
	if (again->kind == GPUBE_COSTS && m->kind == GPUBE_COSTS)
		return compare_costs(counts, m, again);
	return compare_potentials(counts, m, again);
}
