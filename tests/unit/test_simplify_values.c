/* Simplification: values that go, by constraints, by the top, by evidence. */
#include "tests/support/test.h"
#include "gpube/options/options.h"

#include "gpube/simplify/live.h"
#include "tests/support/cases.h"
#include "tests/support/context.h"
#include "tests/support/simplified.h"

static void forbidden_value_goes(void **state)
{
	struct gpube_model *m = new_model(2, 3);
	struct gpube_simplified s;
	int32_t values[2];

	(void)state;
	add(m, SCOPE(0), COSTS(1, X, 2));
	add(m, SCOPE(0, 1), COSTS(0, 1, 2, 0, 0, 0, 2, 1, 0));
	s = simplified(m);
	assert_true(s.n_values_removed == 1);
	assert_int_equal(s.model->vars[s.var[0]].domain, 2);
	assert_memory_equal(s.values[0], ((int32_t[]){0, 2}), 2 * sizeof(int32_t));
	gpube__simplified_extend(&s, values, (int32_t[]){1, 1});
	assert_int_equal(values[0], 2);
	assert_int_equal(values[1], 1);
	end(&s, m);
}

static void value_without_support_goes(void **state)
{
	struct gpube_model *m = new_model(3, 2);
	struct gpube_simplified s;

	(void)state;
	/* x0 = 1 has no tuple; then x1 = 0 has none; then x2 = 0: all are fixed */
	add(m, SCOPE(0, 1), COSTS(X, 4, X, X));
	add(m, SCOPE(1, 2), COSTS(0, 0, X, 3));
	s = simplified(m);
	assert_false(s.infeasible);
	assert_int_equal(s.model->n_vars, 0);
	assert_int_equal(s.n_vars_fixed, 3);
	assert_true(s.n_values_removed == 3);
	assert_true(s.model->constant == 7);
	assert_int_equal(s.value[0], 0);
	assert_int_equal(s.value[1], 1);
	assert_int_equal(s.value[2], 1);
	end(&s, m);
}

/* The default helps only the values that have a cell without a tuple. */
static void tuples_can_forbid_a_value(void **state)
{
	struct gpube_model *m = new_model(2, 2);
	struct gpube_table t = {.type = GPUBE_INT8, .sparse = true, .arity = 2, .n = 3};
	struct gpube_simplified s;
	int32_t table;

	(void)state;
	t.tuples = gpube__alloc(ctx, 6, sizeof(int32_t));
	t.values = gpube__alloc(ctx, 3, 1);
	memcpy(t.tuples, (int32_t[]){0, 1, 1, 0, 1, 1}, 6 * sizeof(int32_t));
	memcpy(t.values, (int8_t[]){3, INT8_MAX, INT8_MAX}, 3);
	assert_int_equal(gpube__add_table(m, &table, &t), 0);
	assert_int_equal(gpube__add_function(m, SCOPE(0, 1), table, NULL), 0);
	m->top = 100;
	s = simplified(m);
	assert_true(s.n_values_removed == 1);
	assert_int_equal(s.var[0], -1);
	gpube__simplified_clear(ctx, &s);
	/* seen at once: a second round would find it in the dense table, too */
	{
		struct gpube_live live;

		assert_int_equal(gpube__live_init(&live, m, true, false), 0);
		assert_int_equal(gpube__live_propagate(&live), 0);
		assert_int_equal(live.n[0], 1);
		gpube__live_clear(&live);
	}
	gpube_model_free(m);
}

static void chain_to_fixpoint(void **state)
{
	enum { N = 200 };
	struct gpube_model *m = new_model(N, 2);
	struct gpube_simplified s;

	(void)state;
	for (int32_t i = N - 2; i >= 0; i--) /* x[i+1] = x[i], against the order of the pass */
		add(m, SCOPE(i, i + 1), COSTS(0, X, X, 0));
	add(m, SCOPE(0), COSTS(X, 0));
	assert_int_equal(gpube__simplify(&s, m, true), 0);
	assert_int_equal(s.model->n_vars, 0);
	assert_int_equal(s.n_vars_fixed, N);
	for (int i = 0; i < N; i++)
		assert_int_equal(s.value[i], 1);
	end(&s, m);
}

static void top_removes_values(void **state)
{
	struct gpube_model *m = new_model(2, 2);
	struct gpube_simplified s;

	(void)state;
	add(m, SCOPE(0, 1), COSTS(3, 4, 8, 9)); /* x0 = 1 costs 8 at least */
	add(m, SCOPE(1), COSTS(2, 3));
	add(m, 0, NULL, COSTS(1));
	assert_int_equal(gpube_model_set_top(m, 11), 0);
	s = simplified(m);
	assert_true(s.n_values_removed == 1);
	assert_int_equal(s.n_vars_fixed, 1);
	assert_int_equal(s.value[0], 0);
	assert_true(s.model->constant == 6);
	assert_true(s.model->top == GPUBE_INF); /* the dearest total is 8 */
	end(&s, m);
}

static void top_forbids_cells(void **state)
{
	struct gpube_model *m = new_model(2, 2);
	struct gpube_simplified s;

	(void)state;
	add(m, SCOPE(0, 1), COSTS(0, 5, 5, 10));
	assert_int_equal(gpube_model_set_top(m, 10), 0);
	s = simplified(m);
	assert_true(s.n_values_removed == 0);
	assert_true(gpube__table_int(&s.model->tables[0], 3) == GPUBE_INF);
	assert_true(gpube__table_int(&s.model->tables[0], 2) == 5);
	end(&s, m);
}

static void top_below_the_least_cost(void **state)
{
	struct gpube_model *m = new_model(2, 2);
	struct gpube_simplified s;

	(void)state;
	add(m, SCOPE(0), COSTS(3, 4));
	add(m, SCOPE(1), COSTS(2, 3));
	assert_int_equal(gpube_model_set_top(m, 5), 0);
	s = simplified(m);
	assert_true(s.infeasible);
	end(&s, m);
	m = new_model(1, 2);
	assert_int_equal(gpube_model_set_direction(m, GPUBE_MAXIMISE), 0);
	add(m, SCOPE(0), COSTS(3, 4));
	assert_int_equal(gpube_model_set_top(m, 4), 0);
	s = simplified(m);
	assert_true(s.infeasible && s.negated);
	end(&s, m);
}

static void costs_past_top_are_no_overflow(void **state)
{
	struct gpube_model *m = new_model(2, 2);
	const int64_t huge = GPUBE_INF - 1;
	struct gpube_simplified s;

	(void)state;
	add(m, SCOPE(0, 1), COSTS(0, huge, 1, 0));
	add(m, SCOPE(1, 0), COSTS(0, huge, 1, 0));
	assert_int_equal(gpube_model_set_top(m, 1000), 0);
	s = simplified(m);
	assert_int_equal(s.model->tables[0].type, GPUBE_INT8);
	end(&s, m);
}

static void evidence_is_conditioned(void **state)
{
	struct gpube_model *m = new_model(3, 2);
	struct gpube_simplified s;

	(void)state;
	add(m, SCOPE(0, 1, 2), COSTS(0, 1, 2, 3, 9, 7, 8, 7));
	add(m, SCOPE(1, 2), COSTS(1, 0, 0, 1));
	m->evidence = gpube__alloc(ctx, 3, sizeof(int32_t));
	memcpy(m->evidence, (int32_t[]){1, -1, -1}, 3 * sizeof(int32_t));
	s = simplified(m);
	assert_int_equal(s.n_evidence, 1);
	assert_int_equal(s.n_vars_fixed, 0);
	assert_int_equal(s.n_merged, 1);
	assert_int_equal(s.model->n_vars, 2);
	assert_int_equal(s.var[0], -1);
	assert_int_equal(s.value[0], 1);
	assert_true(s.model->constant == 7);
	assert_memory_equal(s.model->tables[0].values, ((int8_t[]){3, 0, 1, 1}), 4);
	end(&s, m);
}

static void evidence_against_a_constraint(void **state)
{
	struct gpube_model *m = new_model(2, 2);
	struct gpube_simplified s;

	(void)state;
	add(m, SCOPE(0, 1), COSTS(0, 1, X, X));
	m->evidence = gpube__alloc(ctx, 2, sizeof(int32_t));
	memcpy(m->evidence, (int32_t[]){1, -1}, 2 * sizeof(int32_t));
	s = simplified(m);
	assert_true(s.infeasible);
	assert_int_equal(s.n_evidence, 1);
	end(&s, m);
}

static void evidence_out_of_range(void **state)
{
	struct gpube_model *m = new_model(1, 2);
	struct gpube_simplified s;

	(void)state;
	m->evidence = gpube__alloc(ctx, 1, sizeof(int32_t));
	m->evidence[0] = 2;
	for (int reductions = 0; reductions < 2; reductions++) {
		assert_int_equal(gpube__simplify(&s, m, reductions), GPUBE_EINVAL);
		assert_null(s.model);
	}
	gpube_model_free(m);
}

static void one_value_domains(void **state)
{
	struct gpube_model *m = new_model(2, 1);
	struct gpube_simplified s;

	(void)state;
	assert_int_equal(gpube_model_add_var(m, NULL, 2, NULL), 0);
	add(m, SCOPE(0, 2, 1), COSTS(3, 1));
	add(m, SCOPE(0), COSTS(-5));
	s = simplified(m);
	assert_int_equal(s.n_vars_fixed, 2);
	assert_int_equal(s.model->n_vars, 1);
	assert_int_equal(s.model->functions[0].arity, 1);
	assert_true(s.model->constant == -4);
	end(&s, m);
}

static void merging_can_fix_a_variable(void **state)
{
	struct gpube_model *m = new_model(3, 2);
	struct gpube_simplified s;

	(void)state;
	add(m, SCOPE(0, 1), COSTS(0, 0, X, 0));
	add(m, SCOPE(1, 0), COSTS(0, 0, 0, X)); /* together: x0 = 0 */
	add(m, SCOPE(0, 2), COSTS(0, 5, 1, 1)); /* then unary, and x2 is free of x0 */
	s = simplified(m);
	assert_int_equal(s.n_vars_fixed, 1);
	assert_int_equal(s.value[0], 0);
	assert_true(s.n_values_removed == 1);
	end(&s, m);
}

/* What realloc_fn has handed out, and the most of it at a time. */
struct held {
	size_t now, most;
};

static void *counted(void *arg, void *p, size_t size)
{
	struct held *h = arg;
	size_t *q = p;

	if (q)
		h->now -= *--q;
	if (!size) {
		free(q);
		return NULL;
	}
	q = realloc(q, size + sizeof(*q));
	if (!q)
		return NULL;
	*q = size;
	h->now += size;
	if (h->now > h->most)
		h->most = h->now;
	return q + 1;
}

/*
 * A variable of no function takes its first value that evidence allows; one that a round sets free,
 * too.
 */
static void free_variables_settle(void **state)
{
	struct gpube_model *m = new_model(5, 3);
	struct gpube_simplified s;
	const int32_t reduced[] = {2, 2};
	int32_t all[5];

	(void)state;
	add(m, SCOPE(1, 3), COSTS(0, 5, 5, 5, 0, 5, 5, 5, 0));
	add(m, SCOPE(0, 2), COSTS(4, 4, 4, 4, 4, 4, 4, 4, 4)); /* says nothing of either */
	assert_int_equal(gpube_model_observe(m, 4, 2), 0);
	assert_int_equal(gpube__simplify_below(&s, m, GPUBE__SETTLE, GPUBE__BELOW), 0);
	assert_int_equal(s.model->n_vars, 2);
	assert_true(s.model->constant == 4);
	gpube__simplified_extend(&s, all, reduced);
	assert_int_equal(all[0], 0);
	assert_int_equal(all[1], 2);
	assert_int_equal(all[2], 0);
	assert_int_equal(all[3], 2);
	assert_int_equal(all[4], 2);
	end(&s, m);
}

static void millions_of_free_variables_take_little(void **state)
{
	enum { N = 1000000 };
	struct held held = {0};
	const struct gpube_opts opts = {.realloc = counted, .realloc_arg = &held};
	struct gpube_ctx *own;
	struct gpube_model *m;
	struct gpube_simplified s;
	size_t before;

	(void)state;
	assert_int_equal(gpube_ctx_new(&own, &opts), 0);
	assert_int_equal(gpube_model_new(&m, own, GPUBE_COSTS), 0);
	for (int i = 0; i < N; i++)
		assert_int_equal(gpube_model_add_var(m, NULL, 2, NULL), 0);
	before = held.now;
	assert_int_equal(gpube__simplify_below(&s, m, GPUBE__SETTLE, GPUBE__BELOW), 0);
	assert_int_equal(s.model->n_vars, 0);
	assert_true(held.most - before < (size_t)64 * N);
	gpube__simplified_clear(own, &s);
	gpube_model_free(m);
	gpube_ctx_free(own);
	assert_true(held.now == 0);
}

/* Other values of what would settle are counted as optima. */
static void settled_values_are_counted(void **state)
{
	struct gpube_opts opts = {0};
	struct gpube_model *m = new_model(3, 3);
	struct gpube_solution *found;

	(void)state;
	add(m, SCOPE(1, 2), COSTS(9, 9, 9, 1, 9, 9, 9, 9, 9));
	for (opts.count = 0; opts.count < 2; opts.count++) {
		assert_int_equal(gpube_solve(&found, m, &opts), 0);
		assert_int_equal(found->answer, GPUBE_ANSWER_OPTIMAL);
		assert_true(found->cost == 1);
		assert_int_equal(found->plan.n_vars, 2);
		if (opts.count)
			assert_string_equal(found->count, "3");
		gpube_result_free(found);
	}
	gpube_model_free(m);
}

int main(void)
{
	struct cases c = {0};

	ADD_CASE(&c, forbidden_value_goes);
	ADD_CASE(&c, value_without_support_goes);
	ADD_CASE(&c, tuples_can_forbid_a_value);
	ADD_CASE(&c, chain_to_fixpoint);
	ADD_CASE(&c, top_removes_values);
	ADD_CASE(&c, top_forbids_cells);
	ADD_CASE(&c, top_below_the_least_cost);
	ADD_CASE(&c, costs_past_top_are_no_overflow);
	ADD_CASE(&c, evidence_is_conditioned);
	ADD_CASE(&c, evidence_against_a_constraint);
	ADD_CASE(&c, evidence_out_of_range);
	ADD_CASE(&c, one_value_domains);
	ADD_CASE(&c, merging_can_fix_a_variable);
	ADD_CASE(&c, free_variables_settle);
	ADD_CASE(&c, millions_of_free_variables_take_little);
	ADD_CASE(&c, settled_values_are_counted);
	return run_cases(&c, "simplify: values", ctx_setup, ctx_teardown);
}
