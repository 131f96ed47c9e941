/* shifted.c - see shifted.h. */
#include "gpube/shifted.h"

#include <string.h>

#include "gpube/dense.h"

enum { MAX_ARITY = 64 };

/* What is read off, and where to. */
struct lift {
	const struct gpube_clusters *c;
	const struct gpube_simplified *s;
	struct gpube_model *out;
	int32_t *given; /* of each simplified variable: the given one */
	int32_t slack;
	int up;		/* cells are multiplied by 2^up: costs were rounded down so far */
	int64_t most;	/* of a function's own costs: from here on forbidden */
};

/* A cell of one table; index: of live values. GPUBE_INF: dead. */
typedef int64_t cell_fn(const struct lift *l, int32_t which, const int32_t *index);

static int64_t cost_of(const struct lift *l, int64_t t)
{
	return t >= l->slack ? GPUBE_INF : t * ((int64_t)1 << l->up);
}

static int64_t unary_cell(const struct lift *l, int32_t i, const int32_t *index)
{
	return cost_of(l, l->c->unary[i][index[0]]);
}

static int64_t pair_cell(const struct lift *l, int32_t p, const int32_t *index)
{
	const struct gpube_pair *e = &l->c->pairs[p];

	return cost_of(l, e->t[index[0] * gpube__row(l->c, e->b) + index[1]]);
}

static int64_t wide_cell(const struct lift *l, int32_t w, const int32_t *index)
{
	const struct gpube_wide *wide = &l->c->wides[w];
	int64_t cell = 0;

	for (int k = 0; k < wide->arity; k++)
		cell = cell * l->c->domain[wide->scope[k]] + index[k];
	return cost_of(l, wide->t[cell]);
}

static int64_t cluster_cell(const struct lift *l, int32_t q, const int32_t *index)
{
	const struct gpube_cluster *cluster = &l->c->clusters[q];
	int64_t sum = 0;

	for (int j = 1, e = 0; j < cluster->k; j++)
		for (int i = 0; i < j; i++, e++) {
			int32_t t = cluster->share[e]
				[index[i] * gpube__row(l->c, cluster->v[j]) + index[j]];

			if (t == GPUBE__DEAD)
				return GPUBE_INF;
			sum += t;
		}
	return cost_of(l, sum);
}

/* A cell of a function of the simplified model. */
static int64_t function_at(const struct gpube_model *m, int32_t f, const int32_t *tuple)
{
	const struct gpube_table *t = gpube__table(m, f);
	const int32_t *scope = gpube__scope(m, f);
	int64_t at = 0;

	if (t->sparse) {
		at = gpube__table_find(t, NULL, tuple);
		return at < 0 ? t->dflt.i : gpube__table_int(t, at);
	}
	for (int k = 0; k < t->arity; k++)
		at = at * m->vars[scope[k]].domain + tuple[k];
	return gpube__table_int(t, at);
}

/* What a function of the simplified model costs beside what the ascent took from it. */
static int64_t left_cell(const struct lift *l, int32_t f, const int32_t *index)
{
	const struct gpube_model *m = l->s->model;
	const int32_t *scope = gpube__scope(m, f);
	int32_t tuple[MAX_ARITY];
	int64_t v;

	for (int k = 0; k < m->functions[f].arity; k++)
		tuple[k] = l->c->value[scope[k]][index[k]];
	v = function_at(m, f, tuple);
	if (v >= l->most)
		return GPUBE_INF;
	if (l->c->left_out[f])
		return l->up ? v : v << l->c->shift;
	return v & (((int64_t)1 << l->up) - 1);
}

/* The given model's value for a live one. */
static int32_t given_value(const struct lift *l, int32_t i, int32_t live)
{
	int32_t a = l->c->value[i][live];
	const int32_t *values = l->s->values[l->given[i]];

	return values ? values[a] : a;
}

/* All cells of a sparse table, in place of it, where that is no larger. */
static int make_dense(struct lift *l, struct gpube_table *t, const int32_t *scope)
{
	int64_t cells = 1, at = 0;
	struct gpube_values v = {0};
	int status = GPUBE_OK;

	for (int k = 0; k < t->arity && cells >= 0; k++)
		cells = gpube__mul_size(cells, l->out->vars[scope[k]].domain);
	if (cells < 0 || cells / (1 + t->arity) > t->n)
		return GPUBE_OK;
	for (int64_t k = 0; k < t->n && !status; k++) {
		int64_t cell = 0;

		for (int j = 0; j < t->arity; j++)
			cell = cell * l->out->vars[scope[j]].domain + t->tuples[k * t->arity + j];
		for (; at < cell && !status; at++)
			status = gpube__values_push(l->out->ctx, &v, 0);
		if (!status)
			status = gpube__values_push(l->out->ctx, &v, gpube__table_int(t, k));
		at++;
	}
	for (; at < cells && !status; at++)
		status = gpube__values_push(l->out->ctx, &v, 0);
	if (status) {
		gpube__values_clear(l->out->ctx, &v);
		return status;
	}
	gpube__free(l->out->ctx, t->values);
	gpube__free(l->out->ctx, t->tuples);
	t->values = v.values;
	t->type = v.type;
	t->tuples = NULL;
	t->n = cells;
	t->sparse = false;
	return GPUBE_OK;
}

/* Live values ascend with the given ones, so tuples come in row-major order. */
static int add_table(struct lift *l, int arity, const int32_t *scope, int32_t which, cell_fn *cell,
	bool *any)
{
	struct gpube_ctx *ctx = l->out->ctx;
	struct gpube_table t = {.sparse = true, .arity = arity, .dflt = {.i = 0}};
	struct gpube_values v = {0};
	int32_t index[MAX_ARITY] = {0}, to[MAX_ARITY], table;
	int64_t capacity = 0;
	int status = GPUBE_OK, k = arity - 1;

	for (int j = 0; j < arity; j++)
		to[j] = l->given[scope[j]];
	while (k >= 0 && !status) {
		int64_t cost = cell(l, which, index);

		if (cost) {
			status = gpube__grow(ctx, &t.tuples, &capacity, (t.n + 1) * arity,
				sizeof(*t.tuples));
			for (int j = 0; j < arity && !status; j++)
				t.tuples[t.n * arity + j] = given_value(l, scope[j], index[j]);
			if (!status)
				status = gpube__values_push(ctx, &v, cost);
			t.n++;
		}
		for (k = arity - 1; k >= 0; k--) {
			if (++index[k] < l->c->domain[scope[k]])
				break;
			index[k] = 0;
		}
	}
	t.values = v.values;
	t.type = v.type;
	*any = t.n > 0;
	if (!status && t.n)
		status = make_dense(l, &t, to);
	if (status || t.n == 0) {
		gpube__free(ctx, t.values);
		gpube__free(ctx, t.tuples);
		return status;
	}
	status = gpube__add_table(l->out, &table, &t);
	return status ? status : gpube__add_function(l->out, arity, to, table, NULL);
}

static int add_values(struct lift *l, const struct gpube_model *given)
{
	struct gpube_ctx *ctx = l->out->ctx;
	int64_t *costs = NULL, capacity = 0;
	int status = GPUBE_OK;

	for (int32_t i = 0; i < given->n_vars && !status; i++) {
		int32_t domain = given->vars[i].domain, var = l->s->var[i], n_live = 0;

		status = gpube__grow(ctx, &costs, &capacity, domain, sizeof(*costs));
		for (int32_t a = 0; a < domain && !status; a++)
			costs[a] = GPUBE_INF;
		if (!status && var < 0)
			costs[l->s->value[i]] = 0;
		for (int32_t x = 0; !status && var >= 0 && x < l->c->domain[var]; x++) {
			int64_t cost = unary_cell(l, var, &x);

			costs[given_value(l, var, x)] = cost;
			n_live += cost == 0;
		}
		if (!status && n_live < domain)
			status = gpube_model_add_costs(l->out, 1, &i, costs);
	}
	gpube__free(ctx, costs);
	return status;
}

static int add_shifted(struct lift *l, int32_t *n_wide)
{
	const struct gpube_clusters *c = l->c;
	const struct gpube_model *m = l->s->model;
	int status = GPUBE_OK;
	bool any;

	for (int32_t p = 0; p < c->n_pairs && !status; p++) {
		int32_t scope[] = {c->pairs[p].a, c->pairs[p].b};

		if (c->pairs[p].t)
			status = add_table(l, 2, scope, p, pair_cell, &any);
	}
	for (int32_t w = 0; w < c->n_wides && !status; w++)
		status = add_table(l, c->wides[w].arity, c->wides[w].scope, w, wide_cell, &any);
	for (int32_t q = 0; q < c->n_clusters && !status; q++) {
		any = false;
		if (c->clusters[q].k)
			status = add_table(l, c->clusters[q].k, c->clusters[q].v, q, cluster_cell,
				&any);
		*n_wide += !status && any;
	}
	for (int32_t f = 0; f < m->n_functions && !status; f++)
		if (m->functions[f].arity > 0 && (c->left_out[f] || l->up))
			status = add_table(l, m->functions[f].arity, gpube__scope(m, f), f, left_cell,
				&any);
	return status;
}

static int copy_variables(struct gpube_model *to, const struct gpube_model *from)
{
	int status = GPUBE_OK;

	for (int32_t i = 0; i < from->n_vars && !status; i++) {
		const struct gpube_variable *v = &from->vars[i];
		struct gpube_variable *w;

		status = gpube_model_add_var(to, NULL, v->domain, v->name);
		if (status || !v->value_names)
			continue;
		w = &to->vars[i];
		w->value_names = gpube__alloc_zero(
			to->ctx, (uint64_t)v->domain, sizeof(*w->value_names));
		if (!w->value_names)
			return GPUBE_ENOMEM;
		for (int32_t a = 0; a < v->domain && !status; a++) {
			w->value_names[a] = gpube__strdup(to->ctx, v->value_names[a]);
			status = w->value_names[a] ? GPUBE_OK : GPUBE_ENOMEM;
		}
	}
	return status;
}

int gpube__shifted_of(struct gpube_shifted *out, const struct gpube_clusters *c,
	const struct gpube_simplified *s, const struct gpube_model *given, int64_t limit)
{
	struct gpube_ctx *ctx = given->ctx;
	const struct gpube_model *m = s->model;
	struct lift l = {.c = c, .s = s, .slack = gpube__slack(c), .up = c->shift < 0 ? -c->shift : 0};
	int shift = c->shift < 0 ? 0 : c->shift;
	int status;

	memset(out, 0, sizeof(*out));
	for (int32_t f = 0; f < m->n_functions; f++)
		if (m->functions[f].arity > MAX_ARITY)
			return gpube__fail(ctx, GPUBE_ELIMIT,
				"a function of %d variables is too wide to be shifted",
				m->functions[f].arity);
	/* (the target is what the limit is in the ascent: dearer cells reach it by themselves) */
	l.most = c->shift < 0 ? GPUBE_INF : c->target >> c->shift;
	l.given = gpube__alloc(ctx, (uint64_t)m->n_vars, sizeof(*l.given));
	status = l.given ? gpube_model_new(&l.out, ctx, GPUBE_COSTS) : GPUBE_ENOMEM;
	for (int32_t i = 0; i < given->n_vars && !status; i++)
		if (s->var[i] >= 0)
			l.given[s->var[i]] = i;
	if (!status)
		status = copy_variables(l.out, given);
	if (!status)
		status = add_values(&l, given);
	if (!status)
		status = add_shifted(&l, &out->n_wide);
	if (!status && limit != GPUBE_INF)
		status = gpube_model_set_top(l.out, limit << shift);
	gpube__free(ctx, l.given);
	if (status) {
		gpube_model_free(l.out);
		return status;
	}
	l.out->constant = gpube__constant_of(m) * ((int64_t)1 << shift) + c->constant * ((int64_t)1 << l.up);
	out->model = l.out;
	out->shift = shift;
	out->negated = s->negated;
	out->decimals = given->scale;
	return GPUBE_OK;
}

void gpube__shifted_clear(struct gpube_shifted *shifted)
{
	gpube_model_free(shifted->model);
	memset(shifted, 0, sizeof(*shifted));
}
