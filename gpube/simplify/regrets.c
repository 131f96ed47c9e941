/* regrets.c - tables of 64 bits from elimination in 128: see regrets.h. */
#include "gpube/simplify/regrets.h"

#include "gpube/simplify/narrow.h"

/* Cells of 'r', one after the other, and where each is in a table over a part of its variables. */
struct part {
	int32_t index[GPUBE__MAX_WALK];
	int64_t step[GPUBE__MAX_WALK], at;
};

static void part_begin(struct part *p, const struct gpube_model *m,
	const struct gpube__regret_table *r, const int32_t *scope, int n)
{
	int64_t stride = 1;

	*p = (struct part){0};
	for (int k = n - 1; k >= 0; stride *= m->vars[scope[k--]].domain)
		for (int j = 0; j < r->n; j++)
			if (r->scope[j] == scope[k])
				p->step[j] = stride;
}

static void part_next(
	struct part *p, const struct gpube_model *m, const struct gpube__regret_table *r)
{
	for (int j = r->n - 1; j >= 0; j--) {
		p->at += p->step[j];
		if (++p->index[j] < m->vars[r->scope[j]].domain)
			return;
		p->at -= p->step[j] * m->vars[r->scope[j]].domain;
		p->index[j] = 0;
	}
}

/* The table that eliminates the first of a table's other variables to go; -1: it has none. */
static int32_t parent_of(const struct gpube__regrets *r, int32_t k)
{
	const struct gpube__regret_table *t = &r->tables[k];

	for (int32_t p = k + 1; p < r->n && t->n > 1; p++)
		for (int j = 0; j < t->n - 1; j++)
			if (t->scope[j] == r->tables[p].scope[r->tables[p].n - 1])
				return p;
	return -1;
}

/*
 * From the last table to the first: 'least' is what an assignment with this cell has in all tables,
 * at least. Tables eliminated before add nothing to it, for they have a cell of 0 for whatever the
 * others are.
 */
static int find_least(gpube__wide_cost **least, const struct gpube_model *m,
	const struct gpube__regrets *r, int32_t k)
{
	const struct gpube__regret_table *t = &r->tables[k];
	const int32_t d = m->vars[t->scope[t->n - 1]].domain, p = parent_of(r, k);
	const int64_t rows = t->cells / d;
	gpube__wide_cost *others = gpube__alloc(m->ctx, (uint64_t)rows, sizeof(*others));
	struct part at;

	least[k] = gpube__alloc(m->ctx, (uint64_t)t->cells, sizeof(**least));
	if (!others || !least[k]) {
		gpube__free(m->ctx, others);
		return GPUBE_ENOMEM;
	}
	for (int64_t row = 0; row < rows; row++)
		others[row] = p < 0 ? 0 : GPUBE__WIDE_FORBIDDEN;
	if (p >= 0)
		part_begin(&at, m, &r->tables[p], t->scope, t->n - 1);
	for (int64_t c = 0; p >= 0 && c < r->tables[p].cells; c++) {
		others[at.at] = least[p][c] < others[at.at] ? least[p][c] : others[at.at];
		part_next(&at, m, &r->tables[p]);
	}
	for (int64_t c = 0; c < t->cells; c++)
		least[k][c] = t->cost[c] == GPUBE__WIDE_FORBIDDEN ||
					      others[c / d] == GPUBE__WIDE_FORBIDDEN
				      ? GPUBE__WIDE_FORBIDDEN
				      : t->cost[c] + others[c / d];
	gpube__free(m->ctx, others);
	return GPUBE_OK;
}

static int add_table(struct gpube_model *to, const struct gpube__regret_table *t,
	const gpube__wide_cost *least, gpube__wide_cost left)
{
	int64_t *costs = gpube__alloc(to->ctx, (uint64_t)t->cells, sizeof(*costs));
	bool any = false;
	int status = costs ? GPUBE_OK : GPUBE_ENOMEM;

	for (int64_t c = 0; c < t->cells && !status; c++) {
		const bool dead = least[c] >= left;

		any |= dead || t->cost[c];
		if (!dead && t->cost[c] >= GPUBE_INF)
			status = gpube__fail(to->ctx, GPUBE_ERANGE,
				"the costs of assignments are 2^63 and more apart: %.6g units of "
				"10^-%d",
				(double)t->cost[c], to->scale);
		else
			costs[c] = dead ? GPUBE_INF : (int64_t)t->cost[c];
	}
	if (!status && any)
		status = gpube_model_add_costs(to, t->n, t->scope, costs);
	gpube__free(to->ctx, costs);
	return status;
}

/* left: totals this far above the optimum are of no interest */
static int add_tables(struct gpube_model *to, const struct gpube__regrets *r, gpube__wide_cost left)
{
	gpube__wide_cost **least = gpube__alloc_zero(to->ctx, (uint64_t)r->n, sizeof(*least));
	int status = least ? GPUBE_OK : GPUBE_ENOMEM;

	for (int32_t k = r->n - 1; k >= 0 && !status; k--)
		status = gpube__stopped(to->ctx) ? gpube__fail_stopped(to->ctx)
						 : find_least(least, to, r, k);
	for (int32_t k = 0; k < r->n && !status; k++)
		status = add_table(to, &r->tables[k], least[k], left);
	for (int32_t k = 0; least && k < r->n; k++)
		gpube__free(to->ctx, least[k]);
	gpube__free(to->ctx, least);
	return status;
}

/* Variables of no table first. Errors: ENOMEM */
static int list_order(int32_t *order, const struct gpube_model *m, const struct gpube__regrets *r)
{
	bool *has = gpube__alloc_zero(m->ctx, (uint64_t)m->n_vars, sizeof(*has));
	int32_t n = 0;

	if (!has)
		return GPUBE_ENOMEM;
	for (int32_t k = 0; k < r->n; k++)
		has[r->tables[k].scope[r->tables[k].n - 1]] = true;
	for (int32_t i = 0; i < m->n_vars; i++)
		if (!has[i])
			order[n++] = i;
	for (int32_t k = 0; k < r->n; k++)
		order[n++] = r->tables[k].scope[r->tables[k].n - 1];
	gpube__free(m->ctx, has);
	return GPUBE_OK;
}

int gpube__add_regrets(struct gpube_model *to, const struct gpube_model *m, int64_t limit,
	const int32_t *given, int32_t *order, bool *feasible)
{
	const int64_t all = GPUBE_INF;
	struct gpube__regrets r = {0};
	struct gpube_live s;
	gpube__wide_cost left = GPUBE__WIDE_FORBIDDEN;
	int status = gpube__live_init(&s, m, false, false);

	if (!status)
		status = gpube__wide_regrets(&r, &s, given);
	for (int32_t k = 0; k < r.n && !status; k++)
		if (r.tables[k].n > GPUBE__MAX_WALK)
			status = gpube__fail(m->ctx, GPUBE_ELIMIT,
				"a table of %d variables is too wide", r.tables[k].n);
	*feasible = !s.infeasible && (limit == GPUBE_INF || r.optimum < limit);
	if (!status && *feasible && (r.optimum <= -INT64_MAX || r.optimum >= INT64_MAX))
		status = gpube__fail(m->ctx, GPUBE_ERANGE,
			"the least total, about %.6g units of 10^-%d, passes 2^63",
			(double)r.optimum, m->scale);
	if (!status && order)
		status = list_order(order, m, &r);
	if (!status && s.has_top)
		left = s.top - r.optimum;
	if (limit != GPUBE_INF && limit - r.optimum < left)
		left = limit - r.optimum;
	if (!status && *feasible) {
		to->constant += (int64_t)r.optimum;
		status = add_tables(to, &r, left);
	} else if (!status) {
		status = gpube_model_add_costs(to, 0, NULL, &all);
	}
	gpube__regrets_clear(&r);
	gpube__live_clear(&s);
	return status;
}

int gpube__greatest_total(__int128 *total, const struct gpube_model *m)
{
	struct gpube_model view = *m;
	struct gpube__regrets r = {0};
	struct gpube_live s;
	int status;

	view.direction = GPUBE_MAXIMISE;
	view.top = -GPUBE_INF;
	status = gpube__live_init(&s, &view, false, false);
	if (!status)
		status = gpube__wide_regrets(&r, &s, NULL);
	*total = -r.optimum;
	gpube__regrets_clear(&r);
	gpube__live_clear(&s);
	return status;
}
