/* exclusive.c - finding what excludes each other, and the model in which it is joined. See exclusive.h. */
#include "gpube/simplify/exclusive.h"

#include <stdlib.h>
#include <string.h>

#include "gpube/ir/dense.h"

/* Functions of more variables or cells are not searched for forbidden pairs. */
enum { MOST_ARITY = 8, MOST_CELLS = 1 << 12 };
/* Values of a new variable, and first literals that are tried for each. */
enum { MOST_VALUES = 256, MOST_TRIES = 32 };
/* Literals looked at, in all: half a second. */
#define MOST_WORK ((int64_t)1 << 28)
/* The new tables' cells: so many times the old ones', or so many; and a part of the memory. */
enum { GROWTH = 8, FEW_CELLS = 1 << 18, MEMORY_PART = 16 };

struct pair {
	int32_t a, b;
};

struct exclusive {
	const struct gpube_model *m;
	struct gpube_ctx *ctx;
	struct pair *pairs; /* of literals 2 * var + value, each both ways round */
	int64_t n_pairs, capacity;
	int64_t *start;	    /* of a literal's pairs */
	int32_t *group;	    /* of a variable: the new one that it is part of, or -1 */
	int32_t *value;	    /* of a variable: that of the new one at which its literal holds */
	uint8_t *holds;	    /* of a variable: its literal's value */
	int32_t *mark;	    /* of a literal: the last candidates that it was among */
	int32_t stamp;
	int32_t *clique, *tried, *candidates;
	int64_t work;
	int32_t n_groups;
	int32_t *domain;    /* of a group */
};

/* ---- forbidden pairs -------------------------------------------------------------------- */

static int add_pair(struct exclusive *x, int32_t a, int32_t b)
{
	if (gpube__grow(x->ctx, &x->pairs, &x->capacity, x->n_pairs + 2, sizeof(*x->pairs)))
		return GPUBE_ENOMEM;
	x->pairs[x->n_pairs++] = (struct pair){a, b};
	x->pairs[x->n_pairs++] = (struct pair){b, a};
	return GPUBE_OK;
}

/* seen[i][j]: a bit for each two values that variables i < j have together in an allowed cell. */
static void see(uint8_t seen[MOST_ARITY][MOST_ARITY], const int64_t *cells, int64_t n, int arity,
	const int32_t *domain)
{
	int32_t value[MOST_ARITY] = {0};

	memset(seen, 0, MOST_ARITY * MOST_ARITY);
	for (int64_t c = 0; c < n; c++) {
		for (int i = 0; i < arity && cells[c] != GPUBE_INF; i++)
			for (int j = i + 1; j < arity; j++)
				if (domain[i] == 2 && domain[j] == 2)
					seen[i][j] |= (uint8_t)(1 << (2 * value[i] + value[j]));
		for (int i = arity - 1; i >= 0 && ++value[i] == domain[i]; i--)
			value[i] = 0;
	}
}

static int find_pairs_of(struct exclusive *x, int32_t f, int64_t *cells)
{
	const int arity = x->m->functions[f].arity;
	int32_t scope[MOST_ARITY], domain[MOST_ARITY];
	uint8_t seen[MOST_ARITY][MOST_ARITY];
	int n_two = 0, status;
	int64_t n;

	if (arity < 2 || arity > MOST_ARITY)
		return GPUBE_OK;
	memcpy(scope, gpube__scope(x->m, f), (size_t)arity * sizeof(*scope));
	qsort(scope, (size_t)arity, sizeof(*scope), gpube__compare_int32);
	for (int i = 0; i < arity; i++) {
		domain[i] = x->m->vars[scope[i]].domain;
		n_two += domain[i] == 2;
	}
	n = gpube__cells(x->m, arity, scope);
	if (n_two < 2 || n < 0 || n > MOST_CELLS)
		return GPUBE_OK;
	status = gpube__dense(cells, x->m, f, NULL);
	if (!status)
		see(seen, cells, n, arity, domain);
	for (int i = 0; i < arity && !status; i++)
		for (int j = i + 1; j < arity && domain[i] == 2 && !status; j++)
			for (int v = 0; v < 4 && domain[j] == 2 && !status; v++)
				if (!(seen[i][j] & 1 << v))
					status = add_pair(x, 2 * scope[i] + v / 2, 2 * scope[j] + v % 2);
	return status;
}

static int compare_pairs(const void *p, const void *q)
{
	const struct pair *x = p, *y = q;

	if (x->a != y->a)
		return x->a < y->a ? -1 : 1;
	return (x->b > y->b) - (x->b < y->b);
}

/* All of them, sorted, each once. */
static int find_pairs(struct exclusive *x)
{
	const int32_t n_literals = 2 * x->m->n_vars;
	int64_t n = 0, *cells = gpube__alloc(x->ctx, MOST_CELLS, sizeof(*cells));
	int status = cells ? GPUBE_OK : GPUBE_ENOMEM;

	for (int32_t f = 0; f < x->m->n_functions && !status; f++)
		status = find_pairs_of(x, f, cells);
	gpube__free(x->ctx, cells);
	if (!status)
		status = gpube__sort(x->ctx, x->pairs, (uint64_t)x->n_pairs, sizeof(*x->pairs), compare_pairs);
	if (status)
		return status;
	for (int64_t k = 0; k < x->n_pairs; k++)
		if (!k || compare_pairs(&x->pairs[k - 1], &x->pairs[k]))
			x->pairs[n++] = x->pairs[k];
	x->n_pairs = n;
	for (int64_t k = 0; k < n; k++)
		x->start[x->pairs[k].a + 1]++;
	for (int32_t l = 0; l < n_literals; l++)
		x->start[l + 1] += x->start[l];
	return GPUBE_OK;
}

/* ---- sets of which at most one holds -------------------------------------------------------------- */

/* Of the candidates, those that the literal excludes. */
static int32_t count_among(struct exclusive *x, int32_t literal)
{
	int32_t n = 0;

	x->work += x->start[literal + 1] - x->start[literal];
	for (int64_t k = x->start[literal]; k < x->start[literal + 1]; k++)
		n += x->mark[x->pairs[k].b] == x->stamp;
	return n;
}

/* The candidates become those that the literal excludes, at first of all variables without a group. */
static int32_t narrow(struct exclusive *x, int32_t literal, bool first)
{
	const int32_t among = x->stamp++;
	int32_t n = 0;

	x->work += x->start[literal + 1] - x->start[literal];
	for (int64_t k = x->start[literal]; k < x->start[literal + 1]; k++) {
		const int32_t other = x->pairs[k].b;

		if (x->group[other / 2] >= 0 || !(first || x->mark[other] == among))
			continue;
		x->mark[other] = x->stamp;
		x->candidates[n++] = other;
	}
	return n;
}

/* Each time the candidate comes in that leaves most of the others. The set's size, in x->tried. */
static int32_t grow_from(struct exclusive *x, int32_t literal)
{
	int32_t size = 0, n = narrow(x, literal, true);

	x->tried[size++] = literal;
	while (n && size < MOST_VALUES - 1) {
		int32_t best = 0, most = -1;

		for (int32_t k = 0; k < n; k++) {
			const int32_t left = count_among(x, x->candidates[k]);

			if (left > most) {
				most = left;
				best = x->candidates[k];
			}
		}
		x->tried[size++] = best;
		n = narrow(x, best, false);
	}
	return size;
}

struct first {
	int32_t literal;
	int64_t degree;
};

static int compare_firsts(const void *p, const void *q)
{
	const struct first *x = p, *y = q;

	if (x->degree != y->degree)
		return x->degree > y->degree ? -1 : 1;
	return (x->literal > y->literal) - (x->literal < y->literal);
}

/* Literals of variables without a group, those first that exclude most such. */
static int32_t list_firsts(struct exclusive *x, struct first *firsts)
{
	int32_t n = 0;

	for (int32_t l = 0; l < 2 * x->m->n_vars; l++) {
		struct first first = {.literal = l};

		if (x->group[l / 2] >= 0)
			continue;
		for (int64_t k = x->start[l]; k < x->start[l + 1]; k++)
			first.degree += x->group[x->pairs[k].b / 2] < 0;
		x->work += x->start[l + 1] - x->start[l];
		if (first.degree)
			firsts[n++] = first;
	}
	qsort(firsts, (size_t)n, sizeof(*firsts), compare_firsts);
	return n;
}

static void make_group(struct exclusive *x, int32_t size)
{
	for (int32_t k = 0; k < size; k++) {
		const int32_t var = x->clique[k] / 2;

		x->group[var] = x->n_groups;
		x->holds[var] = (uint8_t)(x->clique[k] % 2);
		x->value[var] = k + 1;
	}
	x->domain[x->n_groups++] = size + 1;
}

/* Each round the largest of some sets becomes a group. *n_joined: variables in them. */
static int find_groups(struct exclusive *x, int32_t *n_joined)
{
	struct first *firsts = gpube__alloc(x->ctx, 2 * (uint64_t)x->m->n_vars, sizeof(*firsts));

	if (!firsts)
		return GPUBE_ENOMEM;
	*n_joined = 0;
	while (x->work < MOST_WORK && !gpube__stopped(x->ctx)) {
		const int32_t n = list_firsts(x, firsts);
		int32_t best = 1;

		for (int32_t k = 0; k < n && k < MOST_TRIES && firsts[k].degree >= best; k++) {
			const int32_t size = grow_from(x, firsts[k].literal);

			if (size > best) {
				best = size;
				memcpy(x->clique, x->tried, (size_t)size * sizeof(*x->clique));
			}
		}
		if (best < 2)
			break;
		make_group(x, best);
		*n_joined += best;
	}
	gpube__free(x->ctx, firsts);
	return GPUBE_OK;
}

/* The others stay what they are. */
static void make_singles(struct exclusive *x)
{
	for (int32_t i = 0; i < x->m->n_vars; i++)
		if (x->group[i] < 0) {
			x->group[i] = x->n_groups;
			x->value[i] = -1;
			x->domain[x->n_groups++] = x->m->vars[i].domain;
		}
}

/* A variable's value where its group has 'value'. */
static int32_t value_in(const struct exclusive *x, int32_t var, int32_t value)
{
	if (x->value[var] < 0)
		return value;
	return value == x->value[var] ? x->holds[var] : !x->holds[var];
}

/* ---- the new model --------------------------------------------------------------------------- */

/* A function and the groups that it is over: sorted, each once. */
struct over {
	int32_t function, arity, *groups;
};

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

static void list_groups_of(const struct exclusive *x, struct over *over, int32_t f, int32_t *groups)
{
	const int32_t *scope = gpube__scope(x->m, f);
	int32_t n = 0;

	over->function = f;
	over->groups = groups;
	for (int k = 0; k < x->m->functions[f].arity; k++)
		groups[k] = x->group[scope[k]];
	qsort(groups, (size_t)x->m->functions[f].arity, sizeof(*groups), gpube__compare_int32);
	for (int k = 0; k < x->m->functions[f].arity; k++)
		if (!n || groups[n - 1] != groups[k])
			groups[n++] = groups[k];
	over->arity = n;
}

static double cells_over(const struct exclusive *x, const struct over *over)
{
	double cells = 1;

	for (int k = 0; k < over->arity; k++)
		cells *= x->domain[over->groups[k]];
	return cells;
}

static bool is_small(const struct exclusive *x, const struct over *overs, int32_t n)
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

/* Adds what a function costs in each cell over the groups. */
static void add_function(
	const struct exclusive *x, const struct over *over, int64_t *cells, int64_t n, int32_t *values)
{
	const int32_t f = over->function, *scope = gpube__scope(x->m, f);
	const int arity = x->m->functions[f].arity;

	for (int64_t c = 0; c < n; c++) {
		int64_t rest = c, cost;

		for (int k = over->arity - 1; k >= 0; k--) {
			const int32_t group = over->groups[k], value = (int32_t)(rest % x->domain[group]);

			rest /= x->domain[group];
			for (int i = 0; i < arity; i++)
				if (x->group[scope[i]] == group)
					values[scope[i]] = value_in(x, scope[i], value);
		}
		cost = gpube__function_cost(x->m, f, values);
		cells[c] = cost == GPUBE_INF || cells[c] == GPUBE_INF ? GPUBE_INF : cells[c] + cost;
	}
}

/* One table of n functions over the same groups. */
static int add_table(struct exclusive *x, struct gpube_model *m, const struct over *overs, int32_t n,
	int32_t *values)
{
	const int64_t n_cells = (int64_t)cells_over(x, overs);
	int64_t *cells = gpube__alloc_zero(x->ctx, (uint64_t)n_cells, sizeof(*cells));
	struct gpube_values v = {0};
	int status = cells ? GPUBE_OK : GPUBE_ENOMEM;

	for (int32_t k = 0; k < n && !status; k++) {
		if (gpube__stopped(x->ctx))
			status = gpube__fail_stopped(x->ctx);
		else
			add_function(x, &overs[k], cells, n_cells, values);
	}
	if (!status)
		status = gpube__values_append(x->ctx, &v, cells, n_cells);
	gpube__free(x->ctx, cells);
	if (status) {
		gpube__values_clear(x->ctx, &v);
	} else {
		struct gpube_table t = {.type = v.type, .arity = overs->arity, .n = v.n, .values = v.values};
		int32_t table;

		status = gpube__add_table(m, &table, &t);
		if (!status)
			status = gpube__add_function(m, overs->arity, overs->groups, table, NULL);
	}
	return status;
}

static int fill_model(struct exclusive *x, struct gpube_model *m, const struct over *overs, int32_t n)
{
	int32_t *values = gpube__alloc_zero(x->ctx, (uint64_t)x->m->n_vars, sizeof(*values));
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
static int make_model(struct exclusive *x, struct gpube_model **out)
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
		if (status) {
			gpube_model_free(*out);
			*out = NULL;
		}
	}
	gpube__free(x->ctx, overs);
	gpube__free(x->ctx, groups);
	return status;
}

/* ---- the way back -------------------------------------------------------------------------------- */

/* What variable i of the first model is, given what became of the groups. */
static int map_variable(
	const struct exclusive *x, struct gpube_simplified *out, const struct gpube_simplified *s, int32_t i,
	const struct gpube_simplified *of_groups)
{
	const int32_t var = s->var[i], group = var < 0 ? -1 : x->group[var];
	const int32_t *old = s->values[i], *kept = group < 0 ? NULL : of_groups->values[group];
	int32_t n;

	out->var[i] = group < 0 ? -1 : of_groups->var[group];
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
static int compose(const struct exclusive *x, struct gpube_simplified *out, const struct gpube_simplified *s,
	struct gpube_simplified *of_groups)
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
	if (!out->var || !out->value || !out->values)
		return GPUBE_ENOMEM;
	for (int32_t i = 0; i < s->n_vars && !status; i++) {
		status = map_variable(x, out, s, i, of_groups);
		out->n_vars_fixed += s->var[i] >= 0 && out->var[i] < 0;
	}
	out->model = of_groups->model;
	of_groups->model = NULL;
	return status;
}

/* ---- all of it -------------------------------------------------------------------------------- */

static int init(struct exclusive *x, const struct gpube_model *m)
{
	const uint64_t n = (uint64_t)m->n_vars;

	*x = (struct exclusive){.m = m, .ctx = m->ctx, .stamp = 1};
	x->start = gpube__alloc_zero(x->ctx, 2 * n + 1, sizeof(*x->start));
	x->group = gpube__alloc(x->ctx, n, sizeof(*x->group));
	x->value = gpube__alloc(x->ctx, n, sizeof(*x->value));
	x->holds = gpube__alloc_zero(x->ctx, n, sizeof(*x->holds));
	x->mark = gpube__alloc_zero(x->ctx, 2 * n, sizeof(*x->mark));
	x->clique = gpube__alloc(x->ctx, 2 * n, sizeof(*x->clique));
	x->tried = gpube__alloc(x->ctx, 2 * n, sizeof(*x->tried));
	x->candidates = gpube__alloc(x->ctx, 2 * n, sizeof(*x->candidates));
	x->domain = gpube__alloc(x->ctx, n, sizeof(*x->domain));
	if (!x->start || !x->group || !x->value || !x->holds || !x->mark || !x->clique || !x->tried ||
		!x->candidates || !x->domain)
		return GPUBE_ENOMEM;
	for (int32_t i = 0; i < m->n_vars; i++)
		x->group[i] = -1;
	return GPUBE_OK;
}

static void clear(struct exclusive *x)
{
	gpube__free(x->ctx, x->pairs);
	gpube__free(x->ctx, x->start);
	gpube__free(x->ctx, x->group);
	gpube__free(x->ctx, x->value);
	gpube__free(x->ctx, x->holds);
	gpube__free(x->ctx, x->mark);
	gpube__free(x->ctx, x->clique);
	gpube__free(x->ctx, x->tried);
	gpube__free(x->ctx, x->candidates);
	gpube__free(x->ctx, x->domain);
}

static int join(struct exclusive *x, struct gpube_simplified *out, const struct gpube_simplified *s)
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

int gpube__join_exclusive(struct gpube_simplified *out, const struct gpube_simplified *s, bool *joined)
{
	struct exclusive x;
	int32_t n_joined = 0;
	int status = init(&x, s->model);

	memset(out, 0, sizeof(*out));
	if (!status)
		status = find_pairs(&x);
	if (!status && x.n_pairs)
		status = find_groups(&x, &n_joined);
	/* pairs alone join little and reach far */
	if (!status && n_joined - x.n_groups >= s->model->n_vars / 4 && n_joined > 2 * x.n_groups)
		status = join(&x, out, s);
	clear(&x);
	if (status)
		gpube__simplified_clear(s->model->ctx, out);
	*joined = !status && out->model;
	return status;
}
