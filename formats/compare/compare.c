/*
 * compare.c - models table by table. See compare.h.
 *
 * Costs. The functions of each model are put into groups of equal sets of
 * variables; the sum of a group's tables is what is compared, over the scope of
 * the group's first function. A cell counts as forbidden if it is marked so, or
 * if with it and the least of every other group the bound is reached.
 */
#include "formats/compare/compare.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "formats/compare/compare_walk.h"
#include "formats/common/survey.h"
#include "gpube/ir/tuples.h"

/* ---- the comparison of costs ----------------------------------------------------------- */

struct pair {
	const struct gpube_compare_side *a, *b;
	struct gpube_compare_group *ga, *gb;
	gpube_total shift; /* what b's cells cost more than a's */
	bool shift_known;
	gpube_total limit_a, limit_b; /* a cell from this on is forbidden */
	gpube_total most;             /* of a's other cells */
	int64_t n_cells;
	int status;
};

static bool look_min(void *arg, const struct gpube_compare_walk *w, gpube_total a, gpube_total b)
{
	struct pair *p = arg;

	(void)w;
	p->ga->min = a < p->ga->min ? a : p->ga->min;
	p->gb->min = b < p->gb->min ? b : p->gb->min;
	return true;
}

/* "(3, 5) at 0 2" */
static const char *where(const struct gpube_compare_walk *w, char *text, size_t size)
{
	size_t n = 0;

	for (int k = 0; k < w->arity && n + 1 < size; k++)
		n += (size_t)snprintf(text + n, size - n, "%s%d", k ? ", " : "(", w->scope[k]);
	for (int k = 0; k < w->arity && n + 1 < size; k++)
		n += (size_t)snprintf(text + n, size - n, "%s%d", k ? " " : ") at ", w->tuple[k]);
	return text;
}

static const char *total_text(gpube_total v, char *text, size_t size)
{
	if (v >= GPUBE_FORBIDDEN_TOTAL)
		return "forbidden";
	snprintf(text, size, "%.17g", (double)v);
	if (v < INT64_MAX && v > -INT64_MAX)
		snprintf(text, size, "%lld", (long long)v);
	return text;
}

static bool look_equal(void *arg, const struct gpube_compare_walk *w, gpube_total a, gpube_total b)
{
	struct pair *p = arg;
	char place[128], x[32], y[32];

	p->n_cells++;
	if (a >= p->limit_a)
		a = GPUBE_FORBIDDEN_TOTAL;
	if (b >= p->limit_b)
		b = GPUBE_FORBIDDEN_TOTAL;
	if (a == GPUBE_FORBIDDEN_TOTAL && b == GPUBE_FORBIDDEN_TOTAL)
		return true;
	if (!p->shift_known && a != GPUBE_FORBIDDEN_TOTAL && b != GPUBE_FORBIDDEN_TOTAL) {
		p->shift = b - a;
		p->shift_known = true;
	}
	if (a != GPUBE_FORBIDDEN_TOTAL && b != GPUBE_FORBIDDEN_TOTAL && b - a == p->shift) {
		p->most = a > p->most ? a : p->most;
		return true;
	}
	p->status = gpube__fail(w->ctx, GPUBE_EBUG, "the function over %s costs %s, read back %s",
		where(w, place, sizeof(place)), total_text(a, x, sizeof(x)),
		total_text(b == GPUBE_FORBIDDEN_TOTAL ? b : b - p->shift, y, sizeof(y)));
	return false;
}

/* The costs from which a group's cell is forbidden, the least of the others given. */
static gpube_total limit_of(const struct gpube_compare_side *s, const struct gpube_compare_group *g)
{
	if (s->bound == GPUBE_INF)
		return GPUBE_FORBIDDEN_TOTAL;
	return s->bound - (s->least - g->min);
}

static bool is_infeasible(const struct gpube_compare_side *s)
{
	return s->hopeless || (s->bound != GPUBE_INF && s->least >= s->bound);
}

static void add_min(struct gpube_compare_side *s, const struct gpube_compare_group *g)
{
	if (g->min == GPUBE_FORBIDDEN_TOTAL)
		s->hopeless = true;
	else
		s->least += g->min;
}

/* Least totals of both sides; their groups are over the same variables one by one. */
static void find_least(
	struct gpube_compare_side *a, struct gpube_compare_side *b, struct gpube_compare_walk *w)
{
	a->least = a->constant;
	b->least = b->constant;
	for (int64_t k = 0; k < a->n_groups; k++) {
		struct pair p = {.a = a, .b = b, .ga = &a->group[k], .gb = &b->group[k]};

		p.ga->min = p.gb->min = GPUBE_FORBIDDEN_TOTAL;
		gpube__walk_group(w, a, p.ga, b, p.gb, look_min, &p);
		add_min(a, p.ga);
		add_min(b, p.gb);
	}
}

/*
 * Totals are the same on both sides, so the bounds must be, unless neither is ever reached by cells
 * that are allowed: 'most' is what these add up to.
 */
static int compare_bounds(
	const struct gpube_compare_side *a, const struct gpube_compare_side *b, gpube_total most)
{
	if (a->bound == b->bound || (most < a->bound && most < b->bound))
		return GPUBE_OK;
	return gpube__fail(a->m->ctx, GPUBE_EBUG, "the bound is %lld, read back %lld",
		(long long)a->bound, (long long)b->bound);
}

static int compare_groups(struct gpube_compared *counts, struct gpube_compare_side *a,
	struct gpube_compare_side *b, struct gpube_compare_walk *w)
{
	gpube_total shift = b->constant - a->constant, moved = 0, most = a->constant;

	for (int64_t k = 0; k < a->n_groups; k++) {
		struct pair p = {.a = a, .b = b, .ga = &a->group[k], .gb = &b->group[k]};

		p.most = p.ga->min;
		p.limit_a = limit_of(a, p.ga);
		p.limit_b = limit_of(b, p.gb);
		gpube__walk_group(w, a, p.ga, b, p.gb, look_equal, &p);
		if (p.status)
			return p.status;
		moved += p.shift;
		most += p.most;
		counts->n_cells += p.n_cells;
	}
	if (shift + moved != 0)
		return gpube__fail(a->m->ctx, GPUBE_EBUG,
			"every total is off by %.17g when read back", (double)(shift + moved));
	return compare_bounds(a, b, most);
}

/* What all cells of a group cost, if it is the same. */
struct level {
	gpube_total cost;
	bool known, differs;
};

static bool look_level(void *arg, const struct gpube_compare_walk *w, gpube_total a, gpube_total b)
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
static bool settle(
	struct gpube_compare_side *s, struct gpube_compare_group *g, struct gpube_compare_walk *w)
{
	struct level level = {0};

	gpube__walk_group(w, s, g, s, g, look_level, &level);
	if (level.differs)
		return false;
	if (level.cost == GPUBE_FORBIDDEN_TOTAL)
		s->hopeless = true;
	else
		s->constant += level.cost;
	return true;
}

/* Leaves the groups that both sides have, if what else there is does not matter. */
static int match_groups(
	struct gpube_compare_side *a, struct gpube_compare_side *b, struct gpube_compare_walk *w)
{
	int64_t n_a = a->n_groups, n_b = b->n_groups, i = 0, k = 0, n = 0;

	while (i < n_a || k < n_b) {
		int c = i == n_a   ? 1
			: k == n_b ? -1
				   : gpube__compare_groups_of(a, &a->group[i], b, &b->group[k]);

		if (c == 0) {
			a->group[n] = a->group[i++];
			b->group[n++] = b->group[k++];
		} else if (!(c < 0 ? settle(a, &a->group[i], w) : settle(b, &b->group[k], w))) {
			if (n_a != n_b)
				return gpube__fail(a->m->ctx, GPUBE_EBUG,
					"functions over %lld sets of variables, read back over "
					"%lld",
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
	struct gpube_compare_side a, b;
	struct gpube_compare_walk w;
	int status = gpube__side_init(&a, m);

	if (status)
		return status;
	status = gpube__side_init(&b, again);
	if (status) {
		gpube__side_clear(&a);
		return status;
	}
	status = gpube__walk_init(&w, m);
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
	gpube__side_clear(&a);
	gpube__side_clear(&b);
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

/* Also where a double has not all bits of one. */
static bool same_potential(
	const struct gpube_table *a, int64_t i, const struct gpube_table *b, int64_t k)
{
	const double x = i < 0 ? a->dflt.f : gpube__table_stored(a, i);
	const double y = k < 0 ? b->dflt.f : gpube__table_stored(b, k);

	if (a->power == b->power)
		return x == y;
	return ldexp(x, a->power - GPUBE_SMALL) == ldexp(y, b->power - GPUBE_SMALL);
}

/* Value k of a table as a cost to minimise, in units of 1; INFINITY: forbidden. */
static long double real_cost(const struct gpube_model *m, const struct gpube_table *t, int64_t k)
{
	long double unit = 1;
	int64_t v;

	if (m->kind == GPUBE_POTENTIALS)
		return -gpube__table_ln(t, k);
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
		return isinf(a) ? isinf(b)
				: m->kind == GPUBE_COSTS && gpube__minimised_top(m) != GPUBE_INF;
	if (m->kind == GPUBE_POTENTIALS)
		slack += 0.5L / powl(10, again->scale);
	return fabsl(a - b) <= slack;
}

static int compare_table(struct gpube_compare_walk *w, const struct gpube_model *m,
	const struct gpube_model *again, int32_t f, int32_t g)
{
	const struct gpube_table *a = gpube__table(m, f), *b = gpube__table(again, g);
	bool exact = m->kind == GPUBE_POTENTIALS && again->kind == GPUBE_POTENTIALS;
	char place[128];

	gpube__walk_along(w, m, f);
	for (int64_t cell = 0; cell < w->cells; cell++) {
		int64_t i = gpube__table_find(a, w->domains, w->tuple);
		int64_t j = gpube__table_find(b, w->domains, w->tuple);

		if (exact ? !same_potential(a, i, b, j)
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
	struct gpube_compare_walk w;
	int status = gpube__walk_init(&w, m);

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
		return gpube__fail(m->ctx, GPUBE_EBUG, "%d function%s, read back %d",
			m->n_functions, gpube__plural(m->n_functions), again->n_functions);
	if (!near(m, again, constant, constant_again))
		return gpube__fail(m->ctx, GPUBE_EBUG, "the constant is %.17g, read back %.17g",
			(double)constant, (double)constant_again);
	return GPUBE_OK;
}

/* ---- all of it ---------------------------------------------------------------------------- */

static int compare_variables(const struct gpube_model *m, const struct gpube_model *again)
{
	if (m->n_vars != again->n_vars)
		return gpube__fail(m->ctx, GPUBE_EBUG, "%d variable%s, read back %d", m->n_vars,
			gpube__plural(m->n_vars), again->n_vars);
	for (int32_t i = 0; i < m->n_vars; i++) {
		int32_t x = m->evidence ? m->evidence[i] : -1;
		int32_t y = again->evidence ? again->evidence[i] : -1;

		if (m->vars[i].domain != again->vars[i].domain)
			return gpube__fail(m->ctx, GPUBE_EBUG,
				"variable %d has %d value%s, read back %d", i, m->vars[i].domain,
				gpube__plural(m->vars[i].domain), again->vars[i].domain);
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
	if (m->kind == GPUBE_GAME)
		return gpube__compare_games(counts, m, again);
	if (again->kind == GPUBE_COSTS && m->kind == GPUBE_COSTS)
		return compare_costs(counts, m, again);
	return compare_potentials(counts, m, again);
}
