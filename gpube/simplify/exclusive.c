/* exclusive.c - the model in which what excludes each other is joined. See exclusive.h. */
#include "gpube/simplify/exclusive.h"

#include <stdlib.h>
#include <string.h>

#include "gpube/ir/dense.h"
#include "gpube/simplify/exclusive_parts.h"

/* The new tables' cells: so many times the old ones', or so many; and a part of the memory. */
enum { GROWTH = 8, FEW_CELLS = 1 << 18, MEMORY_PART = 16 };

/* ---- groups -------------------------------------------------------------------------- */

/* The others stay what they are. */
static void make_singles(struct gpube_exclusive *x)
{
	for (int32_t i = 0; i < x->m->n_vars; i++)
		if (x->group[i] < 0) {
			x->group[i] = x->n_groups;
			x->value[i] = -1;
			x->domain[x->n_groups++] = x->m->vars[i].domain;
		}
}

/* A variable's value where its group has 'value'. */
static int32_t value_in(const struct gpube_exclusive *x, int32_t var, int32_t value)
{
	if (x->value[var] < 0)
		return x->values[var] ? x->values[var][value] : value;
	return value == x->value[var] ? x->holds[var] : !x->holds[var];
}

/* ---- the new model --------------------------------------------------------------------------- */

/* A function and the groups that it is over: sorted, each once. */
struct over {
	int32_t function, arity, *groups;
};

/* One function's costs on their way into a table over its groups. */
struct adding {
	const struct gpube_exclusive *x;
	const struct over *over;
	const int32_t *scope;
	int arity;
	int32_t *values; /* of the model's variables */
	int32_t *chosen; /* of each group: a value, or OTHERS */
	int64_t *cells, cost;
};

/* All values of a group at which none of the function's literals in it holds: they cost the same.
 */
enum { OTHERS = -1 };

static int compare_overs(const void *p, const void *q)
{
	const struct over *x = p, *y = q;
	int order;

	if (x->arity != y->arity)
		return x->arity < y->arity ? -1 : 1;
	order = gpube__compare_tuples(x->groups, y->groups, x->arity);
	return order ? order : (x->function > y->function) - (x->function < y->function);
}

static bool same_groups(const struct over *x, const struct over *y)
{
	return x->arity == y->arity && !gpube__compare_tuples(x->groups, y->groups, x->arity);
}

static void list_groups_of(
	const struct gpube_exclusive *x, struct over *over, int32_t f, int32_t *groups)
{
	int32_t n = 0;

	over->function = f;
	over->groups = groups;
	gpube__sorted_scope(groups, x->m, f, x->group);
	for (int k = 0; k < x->m->functions[f].arity; k++)
		if (!n || groups[n - 1] != groups[k])
			groups[n++] = groups[k];
	over->arity = n;
}

static double cells_over(const struct gpube_exclusive *x, const struct over *over)
{
	double cells = 1;

	for (int k = 0; k < over->arity; k++)
		cells *= x->domain[over->groups[k]];
	return cells;
}

static bool is_small(const struct gpube_exclusive *x, const struct over *overs, int32_t n)
{
	double before = 0, after = 0;

	for (int32_t f = 0; f < x->m->n_tables; f++)
		before += (double)x->m->tables[f].n;
	for (int32_t k = 0; k < n; k++)
		if (!k || !same_groups(&overs[k - 1], &overs[k]))
			after += cells_over(x, &overs[k]);
	return (after <= GROWTH * before || after <= FEW_CELLS) &&
	       after * sizeof(int64_t) <= (double)x->ctx->memory_bytes / MEMORY_PART;
}

/* Whether the function's costs tell this value of its k-th group from the others. */
static bool is_told(const struct adding *a, int k, int32_t value)
{
	const struct gpube_exclusive *x = a->x;

	for (int i = 0; i < a->arity; i++) {
		const int32_t var = a->scope[i];

		if (x->group[var] == a->over->groups[k] &&
			(x->value[var] < 0 || x->value[var] == value))
			return true;
	}
	return false;
}

/* Adds the cost to the cells from the k-th group on that have what is chosen. */
static void add_cost(const struct adding *a, int k, int64_t cell)
{
	const int32_t domain = k < a->over->arity ? a->x->domain[a->over->groups[k]] : 0;

	if (!domain) {
		int64_t *c = &a->cells[cell];

		*c = a->cost == GPUBE_INF || *c == GPUBE_INF ? GPUBE_INF : *c + a->cost;
	} else if (a->chosen[k] != OTHERS) {
		add_cost(a, k + 1, cell * domain + a->chosen[k]);
	} else {
		for (int32_t value = 0; value < domain; value++)
			if (!is_told(a, k, value))
				add_cost(a, k + 1, cell * domain + value);
	}
}

static void set_values(const struct adding *a, int k, int32_t value)
{
	for (int i = 0; i < a->arity; i++)
		if (a->x->group[a->scope[i]] == a->over->groups[k])
			a->values[a->scope[i]] = value_in(a->x, a->scope[i], value);
}

/* Every choice for the groups from the k-th on. */
static void add_choices(struct adding *a, int k)
{
	bool others = false;

	if (k == a->over->arity) {
		a->cost = gpube__function_cost(a->x->m, a->over->function, a->values);
		if (a->cost)
			add_cost(a, 0, 0);
		return;
	}
	for (int32_t value = 0; value < a->x->domain[a->over->groups[k]]; value++) {
		const bool told = is_told(a, k, value);

		if (!told && others)
			continue;
		others |= !told;
		a->chosen[k] = told ? value : OTHERS;
		set_values(a, k, value);
		add_choices(a, k + 1);
	}
}

/* One table of n functions over the same groups. */
static int add_table(struct gpube_exclusive *x, struct gpube_model *m, const struct over *overs,
	int32_t n, int32_t *values)
{
	const int64_t n_cells = (int64_t)cells_over(x, overs);
	int64_t *cells = gpube__alloc_zero(x->ctx, (uint64_t)n_cells, sizeof(*cells));
	struct gpube_values v = {0};
	int status = cells ? GPUBE_OK : GPUBE_ENOMEM;

	for (int32_t k = 0; k < n && !status; k++) {
		if (gpube__stopped(x->ctx))
			status = gpube__fail_stopped(x->ctx);
		else
			add_choices(&(struct adding){x, &overs[k],
					    gpube__scope(x->m, overs[k].function),
					    x->m->functions[overs[k].function].arity, values,
					    values + x->m->n_vars, cells, 0},
				0);
	}
	if (!status)
		status = gpube__values_append(x->ctx, &v, cells, n_cells);
	gpube__free(x->ctx, cells);
	if (status) {
		gpube__values_clear(x->ctx, &v);
	} else {
		struct gpube_table t = {
			.type = v.type, .arity = overs->arity, .n = v.n, .values = v.values};

		status = gpube__add_table_over(m, overs->groups, &t, NULL);
	}
	return status;
}

static int fill_model(
	struct gpube_exclusive *x, struct gpube_model *m, const struct over *overs, int32_t n)
{
	/* of its variables, and what is chosen of groups */
	int32_t *values = gpube__alloc_zero(x->ctx, 2 * (uint64_t)x->m->n_vars, sizeof(*values));
	int status = values ? GPUBE_OK : GPUBE_ENOMEM;

	m->scale = x->m->scale;
	m->constant = x->m->constant;
	m->top = x->m->top;
	for (int32_t g = 0; g < x->n_groups && !status; g++)
		status = gpube_model_add_var(m, NULL, x->domain[g], NULL);
	for (int32_t k = 0, end; k < n && !status; k = end) {
		for (end = k + 1; end < n && same_groups(&overs[k], &overs[end]);)
			end++;
		status = add_table(x, m, &overs[k], end - k, values);
	}
	gpube__free(x->ctx, values);
	return status;
}

/* *out NULL without an error: it would be too large. */
static int make_model(struct gpube_exclusive *x, struct gpube_model **out)
{
	const int32_t n = x->m->n_functions;
	struct over *overs = gpube__alloc(x->ctx, (uint64_t)n, sizeof(*overs));
	int32_t *groups = gpube__alloc(x->ctx, (uint64_t)x->m->n_scopes, sizeof(*groups));
	int status = overs && groups ? GPUBE_OK : GPUBE_ENOMEM;

	*out = NULL;
	if (!status) {
		for (int32_t f = 0; f < n; f++)
			list_groups_of(x, &overs[f], f, groups + x->m->functions[f].scope_at);
		status = gpube__sort(x->ctx, overs, (uint64_t)n, sizeof(*overs), compare_overs);
	}
	if (!status && is_small(x, overs, n)) {
		status = gpube_model_new(out, x->ctx, GPUBE_COSTS);
		if (!status)
			status = fill_model(x, *out, overs, n);
		status = gpube__model_made(out, status);
	}
	gpube__free(x->ctx, overs);
	gpube__free(x->ctx, groups);
	return status;
}

/* ---- the way back ------------------------------------------------------------ */

/* What variable i of the first model is, given what became of the groups. */
static int map_variable(const struct gpube_exclusive *x, struct gpube_simplified *out,
	const struct gpube_simplified *s, int32_t i, const struct gpube_simplified *of_groups)
{
	const int32_t var = s->var[i], group = var < 0 ? -1 : x->group[var];
	const int32_t *old = s->values[i], *kept = group < 0 ? NULL : of_groups->values[group];
	int32_t n;

	out->var[i] = var < 0 ? var : group < 0 ? -1 : of_groups->var[group];
	if (group < 0) {
		out->value[i] = s->value[i];
		return GPUBE_OK;
	}
	if (out->var[i] < 0) {
		const int32_t value = value_in(x, var, of_groups->value[group]);

		out->value[i] = old ? old[value] : value;
		return GPUBE_OK;
	}
	n = of_groups->model->vars[out->var[i]].domain;
	out->values[i] = gpube__alloc(x->ctx, (uint64_t)n, sizeof(*out->values[i]));
	if (!out->values[i])
		return GPUBE_ENOMEM;
	for (int32_t a = 0; a < n; a++) {
		const int32_t value = value_in(x, var, kept ? kept[a] : a);

		out->values[i][a] = old ? old[value] : value;
	}
	return GPUBE_OK;
}

/* Takes the model out of 'of_groups'. */
static int compose(const struct gpube_exclusive *x, struct gpube_simplified *out,
	const struct gpube_simplified *s, struct gpube_simplified *of_groups)
{
	const uint64_t n = (uint64_t)s->n_vars;
	int status = GPUBE_OK;

	out->negated = s->negated;
	out->infeasible = of_groups->infeasible;
	out->n_evidence = s->n_evidence;
	out->n_values_removed = s->n_values_removed + of_groups->n_values_removed;
	out->n_vars_fixed = s->n_vars_fixed;
	out->n_merged = s->n_merged + of_groups->n_merged;
	out->n_absorbed = s->n_absorbed + of_groups->n_absorbed;
	out->n_components = of_groups->n_components;
	out->n_vars = s->n_vars;
	out->var = gpube__alloc(x->ctx, n, sizeof(*out->var));
	out->value = gpube__alloc_zero(x->ctx, n, sizeof(*out->value));
	out->values = gpube__alloc_zero(x->ctx, n, sizeof(*out->values));
	out->choices = gpube__alloc(x->ctx, n, sizeof(*out->choices));
	if (s->known)
		out->known = gpube__alloc(x->ctx, n, sizeof(*out->known));
	if (!out->var || !out->value || !out->values || !out->choices || (s->known && !out->known))
		return GPUBE_ENOMEM;
	memcpy(out->choices, s->choices, n * sizeof(*out->choices));
	if (s->known)
		memcpy(out->known, s->known, n * sizeof(*out->known));
	for (int32_t i = 0; i < s->n_vars && !status; i++) {
		status = map_variable(x, out, s, i, of_groups);
		out->n_vars_fixed += s->var[i] >= 0 && out->var[i] < 0;
	}
	out->model = of_groups->model;
	of_groups->model = NULL;
	if (out->model)
		gpube__drop_top(out->model);
	return status;
}

/* ---- all of it ----------------------------------------------------------------------- */

static int init(struct gpube_exclusive *x, const struct gpube_model *m)
{
	const uint64_t n = (uint64_t)m->n_vars;

	*x = (struct gpube_exclusive){.m = m, .ctx = m->ctx, .stamp = 1};
	x->start = gpube__alloc_zero(x->ctx, 2 * n + 1, sizeof(*x->start));
	x->group = gpube__alloc(x->ctx, n, sizeof(*x->group));
	x->value = gpube__alloc(x->ctx, n, sizeof(*x->value));
	x->holds = gpube__alloc_zero(x->ctx, n, sizeof(*x->holds));
	x->values = gpube__alloc_zero(x->ctx, n, sizeof(*x->values));
	x->mark = gpube__alloc_zero(x->ctx, 2 * n, sizeof(*x->mark));
	x->count = gpube__alloc_zero(x->ctx, 2 * n, sizeof(*x->count));
	x->clique = gpube__alloc(x->ctx, 2 * n, sizeof(*x->clique));
	x->tried = gpube__alloc(x->ctx, 2 * n, sizeof(*x->tried));
	x->candidates = gpube__alloc(x->ctx, 2 * n, sizeof(*x->candidates));
	x->domain = gpube__alloc(x->ctx, n, sizeof(*x->domain));
	if (!x->start || !x->group || !x->value || !x->holds || !x->values || !x->mark ||
		!x->count || !x->clique || !x->tried || !x->candidates || !x->domain)
		return GPUBE_ENOMEM;
	for (int32_t i = 0; i < m->n_vars; i++)
		x->group[i] = -1;
	return GPUBE_OK;
}

static void clear(struct gpube_exclusive *x)
{
	for (int32_t i = 0; x->values && i < x->m->n_vars; i++)
		gpube__free(x->ctx, x->values[i]);
	GPUBE_FREE_ALL(x->ctx, x->values, x->pairs, x->start, x->group, x->value, x->holds, x->mark,
		x->count, x->clique, x->tried, x->candidates, x->domain);
}

static int join(
	struct gpube_exclusive *x, struct gpube_simplified *out, const struct gpube_simplified *s)
{
	struct gpube_simplified of_groups = {0};
	struct gpube_model *m;
	int status;

	make_singles(x);
	status = make_model(x, &m);
	if (status || !m)
		return status;
	status = gpube__simplify(&of_groups, m, true);
	gpube_model_free(m);
	if (!status)
		status = compose(x, out, s, &of_groups);
	gpube__simplified_clear(x->ctx, &of_groups);
	return status;
}

/* The sets that 'find' makes of m's variables, if they are worth it. */
static int join_found(struct gpube_simplified *out, const struct gpube_simplified *s,
	int (*find)(struct gpube_exclusive *, int32_t *))
{
	struct gpube_exclusive x;
	int32_t n_joined = 0;
	int status = init(&x, s->model);

	memset(out, 0, sizeof(*out));
	if (!status)
		status = find(&x, &n_joined);
	if (!status && n_joined)
		status = join(&x, out, s);
	clear(&x);
	if (status)
		gpube__simplified_clear(s->model->ctx, out);
	return status;
}

/* Pairs alone join little and reach far. */
static int find_worthy_sets(struct gpube_exclusive *x, int32_t *n_joined)
{
	int status = gpube__exclusive_sets(x, n_joined);

	if (*n_joined - x->n_groups < x->m->n_vars / 4 || *n_joined <= 2 * x->n_groups)
		*n_joined = 0;
	return status;
}

int gpube__join_exclusive(
	struct gpube_simplified *out, const struct gpube_simplified *s, bool *joined)
{
	struct gpube_simplified first;
	int status = join_found(&first, s, gpube__exclusive_determined);

	memset(out, 0, sizeof(*out));
	if (!status && !first.infeasible)
		status = join_found(out, first.model ? &first : s, find_worthy_sets);
	if (!status && !out->model) {
		*out = first;
		memset(&first, 0, sizeof(first));
	}
	gpube__simplified_clear(s->model->ctx, &first);
	*joined = !status && out->model;
	return status;
}
