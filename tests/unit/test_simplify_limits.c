/* What simplification refuses, and memory that runs out in it. */
#include "tests/support/test.h"
#include "gpube/options/options.h"

#include "tests/support/cases.h"
#include "tests/support/context.h"
#include "tests/support/memory.h"
#include "tests/support/random_model.h"
#include "tests/support/simplified.h"

static void overflow_is_refused(void **state)
{
	const int64_t big = (int64_t)1 << 61;
	struct gpube_model *m = new_model(4, 2);
	struct gpube_simplified s;

	(void)state;
	add(m, SCOPE(0), COSTS(0, big));
	check_simplified(m, true);
	add(m, SCOPE(1), COSTS(0, big - 2));
	check_simplified(m, true);
	check_simplified(m, false);
	add(m, SCOPE(2), COSTS(0, 1));
	for (int reductions = 0; reductions < 2; reductions++) {
		assert_int_equal(gpube__simplify(&s, m, reductions), GPUBE_ERANGE);
		assert_null(s.model);
		assert_null(s.var);
		assert_non_null(strstr(gpube_error(ctx), "can pass 2^63, or be 2^62 apart"));
	}
	/* the same costs are no danger below a top, or where a value is forbidden */
	assert_int_equal(gpube_model_set_top(m, 100), 0);
	check_simplified(m, true);
	check_simplified(m, false);
	assert_int_equal(gpube_model_set_top(m, GPUBE_INF), 0);
	add(m, SCOPE(1), COSTS(0, X));
	check_simplified(m, true);
	gpube_model_free(m);
	m = new_model(1, 2);
	add(m, SCOPE(0), COSTS(0, 2 * big));
	assert_int_equal(gpube__simplify(&s, m, true), GPUBE_ERANGE);
	assert_non_null(strstr(gpube_error(ctx), "function 0"));
	gpube_model_free(m);
	/* a constant moves the least and the greatest total: 2^63 - 1 is one too many */
	m = new_model(1, 2);
	add(m, SCOPE(0), COSTS(0, 2 * big - 2));
	m->constant = 2 * big;
	check_simplified(m, true);
	m->constant = 2 * big + 1;
	assert_int_equal(gpube__simplify(&s, m, true), GPUBE_ERANGE);
	m->constant = -INT64_MAX + 1;
	check_simplified(m, true);
	m->constant = -INT64_MAX;
	assert_int_equal(gpube__simplify(&s, m, true), GPUBE_ERANGE);
	gpube_model_free(m);
	/* what functions have in common counts once, wherever it is */
	m = new_model(1, 2);
	add(m, SCOPE(0), COSTS(3 * big, 3 * big + 5));
	add(m, SCOPE(0), COSTS(-3 * big, -3 * big - 7));
	check_simplified(m, true);
	check_simplified(m, false);
	gpube_model_free(m);
}

/* n variables of d values, of which those of n_edges pairs are to differ: else 'penalty'. */
static struct gpube_model *colouring(int32_t n, int32_t d, int32_t n_edges, int64_t penalty)
{
	struct gpube_model *m = new_model(n, d);
	struct gpube_rng rng;
	int64_t costs[36];

	gpube__rng_init(&rng, 5);
	for (int32_t e = 0; e < n_edges; e++) {
		int32_t i = e % n, j = n_edges == n ? (i + 1) % n
						    : (int32_t)gpube__rng_below(&rng, (uint64_t)n);

		for (int32_t k = 0; k < d * d; k++)
			costs[k] = k % d == k / d ? penalty : (int64_t)gpube__rng_below(&rng, 10);
		if (i != j)
			assert_int_equal(gpube_model_add_costs(m, 2, (int32_t[]){i, j}, costs), 0);
	}
	return m;
}

/* Penalties that no solution pays are not in the way, however large the model is. */
static void penalties(void **state)
{
	struct gpube_model *m = colouring(300, 6, 900, 1000000000000000000);
	struct gpube_simplified s;
	int64_t cost;

	(void)state;
	assert_int_equal(gpube__simplify(&s, m, true), GPUBE_ERANGE);
	assert_int_equal(gpube__simplify_below(&s, m, GPUBE__REDUCE, GPUBE__BELOW), 0);
	assert_int_equal(s.model->n_vars, 300);
	assert_non_null(s.known);
	assert_int_equal(gpube_model_cost(&cost, m, s.known), 0);
	assert_in_range(cost, 0, 9 * 900);
	for (int32_t t = 0; t < s.model->n_tables; t++)
		for (int64_t k = 0; k < s.model->tables[t].n; k++)
			assert_true(gpube__table_int(&s.model->tables[t], k) < 1000000 ||
				    gpube__table_int(&s.model->tables[t], k) == GPUBE_INF);
	gpube__simplified_clear(ctx, &s);
	gpube_model_free(m);
}

static void solve_and_count(struct gpube_solution **found, struct gpube_model *m)
{
	const struct gpube_opts opts = {.count = 1};

	assert_int_equal(gpube_solve(found, m, &opts), 0);
	gpube_model_free(m);
}

/*
 * Optimum and number of optima are those of the model that forbids what has the penalty. A ring of
 * odd length and two colours pays it once, wherever that is.
 */
static void penalties_solved(void **state)
{
	const int64_t penalty = 4000000000000000000;
	struct gpube_solution *soft, *hard;

	(void)state;
	solve_and_count(&soft, colouring(24, 3, 24, penalty));
	solve_and_count(&hard, colouring(24, 3, 24, X));
	assert_true(soft->cost == hard->cost);
	assert_string_equal(soft->count, hard->count);
	gpube_result_free(soft);
	gpube_result_free(hard);
	solve_and_count(&soft, colouring(25, 2, 25, penalty));
	solve_and_count(&hard, colouring(25, 2, 25, penalty >> 20));
	assert_true(soft->cost - penalty == hard->cost - (penalty >> 20));
	assert_string_equal(soft->count, hard->count);
	gpube_result_free(soft);
	gpube_result_free(hard);
}

static void wrong_kind(void **state)
{
	struct gpube_model *m;
	struct gpube_simplified s;

	(void)state;
	assert_int_equal(gpube_model_new(&m, ctx, GPUBE_POTENTIALS), 0);
	assert_int_equal(gpube__simplify(&s, m, true), GPUBE_EINVAL);
	gpube_model_free(m);
}

static void check_failures(struct test_memory *memory, const struct gpube_model *m, bool reductions)
{
	long live = memory->live;
	struct gpube_simplified s;
	int status;

	for (long k = 0;; k++) {
		memory->n = 0;
		memory->fail_at = k;
		status = gpube__simplify_below(&s, m, reductions, GPUBE__SUMS);
		if (!status)
			break;
		assert_int_equal(status, GPUBE_ENOMEM);
		assert_true(!s.model && !s.var && !s.value && !s.values && !s.known);
		assert_true(memory->live == live);
	}
	memory->fail_at = -1;
	assert_true(memory->n > (s.infeasible ? 5 : 20));
	gpube__simplified_clear(m->ctx, &s);
	assert_true(memory->live == live);
}

static void out_of_memory(void **state)
{
	struct test_memory memory = {.fail_at = -1};
	struct random_spec spec = random_spec_default();
	struct gpube_ctx *own = test_memory_ctx(&memory);

	(void)state;
	spec.sparse = 0.5;
	spec.repeated = 0.4;
	for (uint64_t seed = 0; seed < 12; seed++) {
		struct gpube_model *m;

		spec.observed = seed % 2 ? 0.3 : 0;
		spec.forbidden = seed % 3 ? 0.1 : 0.3;
		spec.top = seed % 4 ? TOP_NONE : TOP_TIGHT;
		/* little memory for dense tables: sparse ones are merged as such */
		own->memory_bytes = seed % 2 ? 1 : (uint64_t)1 << 30;
		m = random_model(own, &spec, seed);
		assert_non_null(m);
		check_failures(&memory, m, true);
		check_failures(&memory, m, false);
		gpube_model_free(m);
	}
	assert_true(memory.live == 0);
	gpube_ctx_free(own);
}

/* Elimination in 128 bits takes no more than the memory: a band of 6, and then of 14. */
static void memory_far_apart(void **state)
{
	static const int64_t apart[] = {0, 7000000000000000000, -7000000000000000000, 1};
	const struct gpube_opts opts = {.n_threads = 1, .memory_bytes = 1 << 20};

	(void)state;
	for (int width = 6; width <= 14; width += 8) {
		struct gpube_simplified s = {0};
		struct gpube_ctx *own;
		struct gpube_model *m;
		int status;

		assert_int_equal(gpube_ctx_new(&own, &opts), 0);
		assert_int_equal(gpube_model_new(&m, own, GPUBE_COSTS), 0);
		for (int32_t i = 0; i < 30; i++)
			assert_int_equal(gpube_model_add_var(m, NULL, 2, NULL), 0);
		for (int32_t i = 0; i < 30; i++)
			for (int32_t k = i + 1; k < 30 && k <= i + width; k++)
				assert_int_equal(
					gpube_model_add_costs(m, 2, (int32_t[]){i, k}, apart), 0);
		status = gpube__simplify_below(&s, m, GPUBE__REDUCE, GPUBE__SUMS);
		assert_int_equal(status, GPUBE_ERANGE);
		assert_true((strstr(gpube_error(own), "the least total") != NULL) == (width == 6));
		gpube_model_free(m);
		gpube_ctx_free(own);
	}
}

/* Two functions of one variable, which together are as far apart as a cost can seem. */
static void merged_far_apart(void **state)
{
	const int64_t big = (int64_t)1 << 61;
	struct gpube_model *m = new_model(1, 2);
	struct gpube_simplified s;

	(void)state;
	add(m, SCOPE(0), COSTS(0, 2 * big - 2));
	add(m, SCOPE(0), COSTS(0, 1));
	assert_int_equal(gpube__simplify_below(&s, m, GPUBE__REDUCE, GPUBE__BELOW), 0);
	gpube__simplified_clear(ctx, &s);
	gpube_model_free(m);
}

/* Nothing is said of an observed variable but its value, and totals are eliminated in 128 bits. */
static void observed_far_apart(void **state)
{
	const int64_t big = 6000000000000000000;
	struct gpube_model *m = new_model(3, 2);
	struct gpube_simplified s;

	(void)state;
	add(m, SCOPE(1, 2), COSTS(-big, 1 - big, big, big - 7));
	add(m, SCOPE(1), COSTS(big, -big));
	assert_int_equal(gpube_model_observe(m, 0, 1), 0);
	assert_int_equal(gpube__simplify_below(&s, m, GPUBE__CONVERT, GPUBE__BELOW), 0);
	assert_non_null(s.known);
	assert_int_equal(s.known[0], 1);
	gpube__simplified_clear(ctx, &s);
	gpube_model_free(m);
}

/* The same of models that are searched and eliminated in 128 bits. */
static void out_of_memory_far_apart(void **state)
{
	struct test_memory memory = {.fail_at = -1};
	struct random_spec spec = random_spec_default();
	struct gpube_ctx *own = test_memory_ctx(&memory);

	(void)state;
	spec.max_cost = INT64_MAX / 16;
	spec.sparse = 0.5;
	for (uint64_t seed = 0; seed < 8; seed++) {
		struct gpube_model *m;

		spec.observed = seed % 2 ? 0.3 : 0;
		m = random_model(own, &spec, seed);
		assert_non_null(m);
		check_failures(&memory, m, true);
		check_failures(&memory, m, false);
		gpube_model_free(m);
	}
	assert_true(memory.live == 0);
	gpube_ctx_free(own);
}

int main(void)
{
	struct cases c = {0};

	ADD_CASE(&c, overflow_is_refused);
	ADD_CASE(&c, penalties);
	ADD_CASE(&c, penalties_solved);
	ADD_CASE(&c, memory_far_apart);
	ADD_CASE(&c, merged_far_apart);
	ADD_CASE(&c, observed_far_apart);
	ADD_CASE(&c, wrong_kind);
	ADD_CASE(&c, out_of_memory);
	ADD_CASE(&c, out_of_memory_far_apart);
	return run_cases(&c, "simplify: limits", ctx_setup, ctx_teardown);
}
