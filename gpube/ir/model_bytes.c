/* model_bytes.c - see model_bytes.h. */
#include "gpube/ir/model_bytes.h"

/* ---- writing --------------------------------------------------------------------------------- */

static void put_table(struct gpube__bytes *b, const struct gpube_table *t)
{
	gpube__put(b, t->arity);
	gpube__put(b, t->sparse);
	gpube__put(b, t->n);
	for (int64_t k = 0; k < t->n; k++)
		gpube__put(b, gpube__table_int(t, k));
	if (!t->sparse)
		return;
	gpube__put_all(b, t->tuples, t->n * t->arity);
	gpube__put(b, t->dflt.i);
}

void gpube__put_model(struct gpube__bytes *b, const struct gpube_model *m)
{
	gpube__put(b, m->direction);
	gpube__put(b, m->scale);
	gpube__put(b, m->constant);
	gpube__put(b, m->top);
	gpube__put(b, m->n_vars);
	for (int32_t i = 0; i < m->n_vars; i++) {
		gpube__put(b, m->vars[i].domain);
		gpube__put(b, m->evidence ? m->evidence[i] : -1);
	}
	gpube__put(b, m->n_tables);
	for (int32_t t = 0; t < m->n_tables; t++)
		put_table(b, &m->tables[t]);
	gpube__put(b, m->n_functions);
	for (int32_t f = 0; f < m->n_functions; f++) {
		gpube__put(b, m->functions[f].arity);
		gpube__put_all(b, gpube__scope(m, f), m->functions[f].arity);
		gpube__put(b, m->functions[f].table);
	}
}

uint64_t gpube__model_hash(const struct gpube_model *m)
{
	struct gpube__bytes b = {.ctx = m->ctx, .hashed = true};

	gpube__put_model(&b, m);
	return b.hash;
}

/* ---- reading --------------------------------------------------------------------------------- */

/* Whether the tuples are distinct and in order. */
static bool is_ordered(const struct gpube_table *t)
{
	for (int64_t k = 1; k < t->n; k++)
		if (gpube__compare_tuples(t->tuples + (k - 1) * t->arity, t->tuples + k * t->arity,
			    t->arity) >= 0)
			return false;
	return true;
}

/* Of a sparse table, whose values are known, and its default. */
static int get_tuples(struct gpube_table *t, struct gpube__bytes *b)
{
	const int64_t n = gpube__mul_size(t->n, t->arity);

	if (n < 0 || n > b->n - b->next) /* a byte each, at least */
		return gpube__damaged(b, "it ends too early");
	t->tuples = gpube__alloc(b->ctx, (uint64_t)n, sizeof(*t->tuples));
	if (!t->tuples)
		return b->status = GPUBE_ENOMEM;
	gpube__get_all(b, t->tuples, n, 0, INT32_MAX);
	t->dflt.i = gpube__get(b, -GPUBE_INF, GPUBE_INF);
	if (!b->status && !is_ordered(t))
		(void)gpube__damaged(b, "tuples in it are not sorted");
	return b->status;
}

static int get_table(struct gpube_model *m, struct gpube__bytes *b)
{
	struct gpube_table t = {.arity = (int)gpube__get(b, 0, m->n_vars)};
	struct gpube_values v = {0};
	int32_t at;

	t.sparse = gpube__get(b, 0, 1);
	t.n = gpube__get_count(b);
	for (int64_t k = 0; k < t.n && !b->status; k++)
		b->status = gpube__values_push(b->ctx, &v, gpube__get(b, -GPUBE_INF, GPUBE_INF));
	if (!b->status && !v.values) /* of a sparse one without tuples, too */
		b->status = gpube__values_reserve(b->ctx, &v, 1);
	if (!b->status && t.sparse)
		(void)get_tuples(&t, b);
	if (b->status) {
		gpube__values_clear(b->ctx, &v);
		gpube__free(b->ctx, t.tuples);
		return b->status;
	}
	t.type = v.type;
	t.values = v.values;
	return b->status = gpube__add_table(m, &at, &t);
}

/* A table's tuples have values of the scope's variables. */
static int check_tuples(
	const struct gpube_model *m, const struct gpube_table *t, const int32_t *scope)
{
	for (int64_t k = 0; t->sparse && k < t->n; k++)
		for (int j = 0; j < t->arity; j++)
			if (t->tuples[k * t->arity + j] >= m->vars[scope[j]].domain)
				return gpube__fail(
					m->ctx, GPUBE_EPARSE, "a tuple in it is out of its range");
	return GPUBE_OK;
}

static int get_function(struct gpube_model *m, struct gpube__bytes *b, int32_t *scope)
{
	const int arity = (int)gpube__get(b, 0, m->n_vars);
	int64_t cells;
	int32_t table;

	gpube__get_all(b, scope, arity, 0, (int64_t)m->n_vars - 1);
	table = (int32_t)gpube__get(b, 0, (int64_t)m->n_tables - 1);
	if (b->status)
		return b->status;
	cells = gpube__cells(m, arity, scope);
	if (m->tables[table].arity != arity ||
		(!m->tables[table].sparse && m->tables[table].n != cells))
		return gpube__damaged(b, "a table in it has another size than its function");
	b->status = check_tuples(m, &m->tables[table], scope);
	if (!b->status)
		b->status = gpube__add_function(m, arity, scope, table, NULL);
	return b->status;
}

static int get_all(struct gpube_model *m, struct gpube__bytes *b)
{
	int64_t n;
	int32_t *scope;

	m->direction = gpube__get(b, 0, 1) ? GPUBE_MAXIMISE : GPUBE_MINIMISE;
	m->scale = (int)gpube__get(b, 0, 18);
	m->constant = gpube__get(b, -GPUBE_INF, GPUBE_INF);
	m->top = gpube__get(b, -GPUBE_INF, GPUBE_INF);
	n = gpube__get_count(b);
	for (int64_t i = 0; i < n && !b->status; i++) {
		const int64_t domain = gpube__get(b, 1, INT32_MAX);

		(void)gpube__get(b, -1, -1);
		if (!b->status)
			b->status = gpube_model_add_var(m, NULL, (int32_t)domain, NULL);
	}
	n = gpube__get_count(b);
	for (int64_t t = 0; t < n && !b->status; t++)
		(void)get_table(m, b);
	n = gpube__get_count(b);
	scope = gpube__alloc(b->ctx, (uint64_t)m->n_vars, sizeof(*scope));
	if (!scope)
		return GPUBE_ENOMEM;
	for (int64_t f = 0; f < n && !b->status; f++)
		(void)get_function(m, b, scope);
	gpube__free(b->ctx, scope);
	return b->status;
}

int gpube__get_model(struct gpube_model **out, struct gpube__bytes *b)
{
	struct gpube_model *m;
	int status = gpube_model_new(&m, b->ctx, GPUBE_COSTS);

	*out = NULL;
	if (!status)
		status = get_all(m, b);
	if (status)
		gpube_model_free(m);
	else
		*out = m;
	return b->status = status;
}
