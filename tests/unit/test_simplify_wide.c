/* Simplification of sparse functions whose dense tables would be too large. */
#include "tests/support/test.h"

#include "tests/support/cases.h"
#include "tests/support/context.h"
#include "tests/support/random_model.h"
#include "tests/support/simplified.h"

/* A sparse function of 100 variables: 4^100 cells, 50 tuples that cost 0 to 49, default 60. */
static struct gpube_model *wide_model(int64_t dflt)
{
	enum { ARITY = 100, N = 50 };
	struct gpube_model *m = new_model(ARITY, 4);
	struct gpube_table t = {.type = GPUBE_INT8, .sparse = true, .arity = ARITY, .n = N};
	int32_t scope[ARITY], table;
	struct gpube_rng r;
	int64_t twice;

	gpube__rng_init(&r, 7);
	t.dflt.i = dflt;
	t.tuples = gpube__alloc(ctx, N * ARITY, sizeof(int32_t));
	t.values = gpube__alloc(ctx, N, 1);
	for (int k = 0; k < N * ARITY; k++)
		t.tuples[k] = (int32_t)gpube__rng_below(&r, 4);
	for (int k = 0; k < N; k++)
		((int8_t *)t.values)[k] = (int8_t)k;
	for (int d = 0; d < ARITY; d++)
		scope[d] = d;
	assert_int_equal(gpube__sort_tuples(ctx, &t, &twice), 0);
	assert_true(twice == -1);
	assert_int_equal(gpube__add_table(m, &table, &t), 0);
	assert_int_equal(gpube__add_function(m, ARITY, scope, table, NULL), 0);
	return m;
}

static void check_tuples(const struct gpube_simplified *s, const struct gpube_model *m)
{
	const struct gpube_table *t = gpube__table(s->model, 0);
	int32_t values[100], reduced[100];
	int64_t cost, small;

	for (int64_t k = 0; k < t->n; k++) {
		for (int d = 0; d < t->arity; d++)
			reduced[gpube__scope(s->model, 0)[d]] = t->tuples[k * t->arity + d];
		gpube__simplified_extend(s, values, reduced);
		assert_int_equal(gpube_model_cost(&cost, m, values), 0);
		assert_int_equal(gpube_model_cost(&small, s->model, reduced), 0);
		assert_true(cost == small);
	}
}

static void wide_sparse_function(void **state)
{
	struct gpube_model *m = wide_model(60);
	struct gpube_simplified s;

	(void)state;
	assert_int_equal(gpube__simplify(&s, m, true), 0);
	assert_int_equal(s.model->n_vars, 100);
	assert_true(s.model->tables[0].sparse && s.model->tables[0].n == 50);
	check_tuples(&s, m);
	gpube__simplified_clear(ctx, &s);
	assert_int_equal(gpube__simplify(&s, m, false), 0);
	assert_true(s.model->tables[0].sparse && s.model->tables[0].n == 50);
	check_tuples(&s, m);
	end(&s, m);
}

/* Evidence leaves 4 variables, then 1, then none: dense, unary, constant. */
static void wide_sparse_function_observed(void **state)
{
	struct gpube_model *m = wide_model(60);
	int32_t tuple[100];
	struct gpube_simplified s;

	(void)state;
	memcpy(tuple, m->tables[0].tuples + 20 * 100, sizeof(tuple));
	m->evidence = gpube__alloc(ctx, 100, sizeof(int32_t));
	for (int n_free = 4; n_free >= 0; n_free -= n_free == 4 ? 3 : 1) {
		int64_t cost, reduced;
		int32_t x[4], y[100];

		for (int i = 0; i < 100; i++)
			m->evidence[i] = i < n_free ? -1 : tuple[i];
		assert_int_equal(gpube__simplify(&s, m, true), 0);
		assert_int_equal(s.n_evidence, 100 - n_free);
		assert_int_equal(s.model->n_vars, n_free);
		assert_int_equal(s.model->n_functions, n_free > 0);
		if (n_free)
			assert_false(s.model->tables[0].sparse);
		memset(x, 0, sizeof(x));
		do {
			gpube__simplified_extend(&s, y, x);
			assert_int_equal(gpube_model_cost(&cost, m, y), 0);
			assert_int_equal(gpube_model_cost(&reduced, s.model, x), 0);
			assert_true(cost == reduced);
		} while (next_assignment(x, s.model));
		gpube__simplified_clear(ctx, &s);
	}
	gpube_model_free(m);
}

/* A forbidden default leaves each variable only the values that some tuple has. */
static void wide_sparse_relation(void **state)
{
	struct gpube_model *m = wide_model(GPUBE_INF);
	struct gpube_simplified s;

	(void)state;
	m->tables[0].n = 2;
	assert_int_equal(gpube__simplify(&s, m, true), 0);
	for (int i = 0; i < 100; i++) {
		int32_t a = m->tables[0].tuples[i], b = m->tables[0].tuples[100 + i];

		assert_int_equal(s.var[i] < 0, a == b);
		if (a == b)
			assert_int_equal(s.value[i], a);
		else
			assert_int_equal(s.model->vars[s.var[i]].domain, 2);
	}
	assert_int_equal(s.n_vars_fixed + s.model->n_vars, 100);
	assert_true(s.model->tables[0].sparse && s.model->tables[0].dflt.i == GPUBE_INF);
	check_tuples(&s, m);
	end(&s, m);
}

/* Two sparse functions over the same 100 variables in opposite orders. */
static void wide_sparse_functions_merge(void **state)
{
	struct gpube_model *m = wide_model(60);
	struct gpube_table t = m->tables[0];
	struct gpube_simplified s;
	int32_t scope[100], table;

	(void)state;
	t.n = 30;
	t.dflt.i = -7;
	t.tuples = gpube__alloc(ctx, 30 * 100, sizeof(int32_t));
	t.values = gpube__alloc(ctx, 30, 1);
	/* reversed tuples of the first function, with one changed in each third */
	for (int k = 0; k < 30; k++)
		for (int d = 0; d < 100; d++)
			t.tuples[k * 100 + d] =
				m->tables[0].tuples[k * 100 + 99 - d] ^ (k % 3 == 0 && d == 50);
	memset(t.values, 60, 30); /* no sum is the new default, 53 */
	for (int d = 0; d < 100; d++)
		scope[d] = 99 - d;
	{
		int64_t twice;

		assert_int_equal(gpube__sort_tuples(ctx, &t, &twice), 0);
	}
	assert_int_equal(gpube__add_table(m, &table, &t), 0);
	assert_int_equal(gpube__add_function(m, 100, scope, table, NULL), 0);
	assert_int_equal(gpube__simplify(&s, m, true), 0);
	assert_int_equal(s.n_merged, 1);
	assert_int_equal(s.model->n_functions, 1);
	assert_true(s.model->tables[0].n == 60);
	check_tuples(&s, m);
	gpube__simplified_clear(ctx, &s);
	/* 60 - 7 is the new default: tuples that come to it are not kept */
	memset(m->tables[0].values, 48, 50);
	memset(m->tables[1].values, 5, 30);
	assert_int_equal(gpube__simplify(&s, m, true), 0);
	assert_true(s.model->tables[0].n == 40);
	check_tuples(&s, m);
	end(&s, m);
}

static void no_memory_for_dense(void **state)
{
	struct gpube_model *m = new_model(3, 100);
	struct gpube_table t = {.type = GPUBE_INT8, .sparse = true, .arity = 3, .n = 1};
	uint64_t memory = ctx->memory_bytes;
	struct gpube_simplified s;
	int32_t table;

	(void)state;
	t.dflt.i = 1;
	t.tuples = gpube__alloc_zero(ctx, 3, sizeof(int32_t));
	t.values = gpube__alloc_zero(ctx, 1, 1);
	assert_int_equal(gpube__add_table(m, &table, &t), 0);
	assert_int_equal(gpube__add_function(m, SCOPE(0, 1, 2), table, NULL), 0);
	assert_int_equal(gpube__simplify(&s, m, true), 0);
	assert_false(s.model->tables[0].sparse);
	gpube__simplified_clear(ctx, &s);
	ctx->memory_bytes = 1000;
	assert_int_equal(gpube__simplify(&s, m, true), 0);
	ctx->memory_bytes = memory;
	assert_true(s.model->tables[0].sparse);
	end(&s, m);
}

int main(void)
{
	struct cases c = {0};

	ADD_CASE(&c, wide_sparse_function);
	ADD_CASE(&c, wide_sparse_function_observed);
	ADD_CASE(&c, wide_sparse_relation);
	ADD_CASE(&c, wide_sparse_functions_merge);
	ADD_CASE(&c, no_memory_for_dense);
	return run_cases(&c, "simplify: wide", ctx_setup, ctx_teardown);
}
