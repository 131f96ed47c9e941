/* Numbers of solutions against enumeration, and those of any size. */
#include "tests/support/test.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>

#include "gpube/base/natural.h"
#include "gpube/ir/model.h"
#include "tests/support/context.h"
#include "tests/support/memory.h"
#include "tests/support/random_model.h"

static void expect_count(const struct gpube_model *m, const char *count)
{
	struct gpube_solution *s;

	if (gpube_count(&s, m, NULL)) {
		fail_msg("%s", gpube_error(ctx));
		return;
	}
	assert_string_equal(s->count, count);
	assert_int_equal(
		s->answer, strcmp(count, "0") ? GPUBE_ANSWER_OPTIMAL : GPUBE_ANSWER_INFEASIBLE);
	if (s->values && m->kind == GPUBE_COSTS) {
		int64_t cost;

		assert_int_equal(gpube_model_cost(&cost, m, s->values), GPUBE_OK);
		assert_true(cost != GPUBE_INF);
	}
	gpube_result_free(s);
}

static void test_random(void **state)
{
	int n_counted = 0, n_refused = 0, n_none = 0;

	(void)state;
	for (uint64_t seed = 0; seed < 1000; seed++) {
		struct random_spec spec =
			random_spec_varied(seed, seed % 3 ? GPUBE_COSTS : GPUBE_POTENTIALS);
		struct gpube_solution *s;
		struct gpube_model *m;
		struct brute brute;
		char count[24];
		int status;

		if (seed % 2) /* a constraint problem: all or nothing */
			spec.min_cost = spec.max_cost = 0;
		m = random_model(ctx, &spec, seed);
		assert_non_null(m);
		assert_int_equal(brute_force(&brute, NULL, m), GPUBE_OK);
		snprintf(count, sizeof(count), "%" PRIu64, brute.n_feasible);
		status = gpube_count(&s, m, NULL);
		gpube_result_free(s);
		if (status) {
			/* only where costs and top make a difference */
			assert_int_equal(status, GPUBE_EINVAL);
			assert_int_equal(m->kind, GPUBE_COSTS);
			assert_true(m->top != GPUBE_INF && m->top != -GPUBE_INF);
			n_refused++;
		} else {
			expect_count(m, count);
			n_counted++;
			n_none += brute.n_feasible == 0;
		}
		gpube_model_free(m);
	}
	assert_true(n_counted > 600);
	assert_true(n_refused > 10);
	assert_true(n_none > 20);
}

/* 4 3^199 colourings of a path, by residues; and the same with a constant that reaches top. */
static void test_large(void **state)
{
	static const char number[] =
		"354151985167833025785041762714372835772311270204525994632766615652"
		"123321201736243992512932058668";
	int64_t different[16] = {0};
	struct gpube_model *m;

	(void)state;
	for (int a = 0; a < 4; a++)
		different[5 * a] = GPUBE_INF;
	assert_int_equal(gpube_model_new(&m, ctx, GPUBE_COSTS), GPUBE_OK);
	for (int32_t i = 0; i < 200; i++) {
		assert_int_equal(gpube_model_add_var(m, NULL, 4, NULL), GPUBE_OK);
		if (i)
			assert_int_equal(
				gpube_model_add_costs(m, 2, (int32_t[]){i - 1, i}, different),
				GPUBE_OK);
	}
	expect_count(m, number);
	assert_int_equal(gpube_model_add_costs(m, 0, NULL, (const int64_t[]){5}), GPUBE_OK);
	assert_int_equal(gpube_model_set_top(m, 5), GPUBE_OK);
	expect_count(m, "0");
	gpube_model_free(m);
}

/* Costs from top on are forbidden one by one; what only a total of several reaches is refused. */
static void test_top(void **state)
{
	static const int64_t soft[] = {0, 3, 10};
	struct gpube_model *m;
	struct gpube_solution *s;

	(void)state;
	assert_int_equal(gpube_model_new(&m, ctx, GPUBE_COSTS), GPUBE_OK);
	for (int32_t i = 0; i < 3; i++) {
		assert_int_equal(gpube_model_add_var(m, NULL, 3, NULL), GPUBE_OK);
		assert_int_equal(gpube_model_add_costs(m, 1, &i, soft), GPUBE_OK);
	}
	assert_int_equal(gpube_model_set_top(m, 10), GPUBE_OK);
	expect_count(m, "8");
	assert_int_equal(gpube_model_set_top(m, 9), GPUBE_OK);
	assert_int_equal(gpube_count(&s, m, NULL), GPUBE_EINVAL);
	assert_null(s);
	assert_non_null(strstr(gpube_error(ctx), "can add up to the model's top"));
	assert_int_equal(gpube_model_set_top(m, GPUBE_INF), GPUBE_OK);
	expect_count(m, "27");
	gpube_model_free(m);
}

static uint64_t text_mod(const char *text, uint64_t p)
{
	uint64_t r = 0;

	for (; *text; text++)
		r = (10 * r + (uint64_t)(*text - '0')) % p;
	return r;
}

/* Long products by their remainders, and their lengths by logarithms. */
static void products(void **state)
{
	static const uint64_t primes[] = {1000000007, 998244353, 4294967291};
	static int32_t factors[20000];

	(void)state;
	for (uint64_t seed = 0; seed < 40; seed++) {
		struct gpube__natural number = {.ctx = ctx}, twice = {.ctx = ctx};
		const uint64_t first = seed % 3 ? UINT64_MAX - seed : 7;
		uint64_t want[3];
		double digits = log10((double)first);
		struct gpube_rng rng;
		char *text;
		int64_t n;

		gpube__rng_init(&rng, seed);
		n = (int64_t)gpube__rng_below(&rng, seed < 30 ? 300 : 20000);
		for (int k = 0; k < 3; k++)
			want[k] = first % primes[k];
		for (int64_t i = 0; i < n; i++) {
			factors[i] = 1 + (int32_t)gpube__rng_below(&rng, seed % 2 ? 3 : INT32_MAX);
			digits += log10(factors[i]);
			for (int k = 0; k < 3; k++)
				want[k] = want[k] * (uint64_t)factors[i] % primes[k];
		}
		assert_int_equal(gpube__natural_grow(&number, 1, first), 0);
		assert_int_equal(gpube__natural_times_all(&number, factors, n), 0);
		text = gpube__natural_text(&number);
		for (int k = 0; k < 3; k++)
			assert_true(text_mod(text, primes[k]) == want[k]);
		assert_true(fabs((double)strlen(text) - digits - 0.5) < 0.51);
		gpube__free(ctx, text);
		for (int k = 0; k < 2; k++)
			assert_int_equal(gpube__natural_add(&twice, &number), 0);
		assert_int_equal(gpube__natural_grow(&number, 2, 0), 0);
		assert_int_equal(twice.n, number.n);
		assert_memory_equal(twice.word, number.word, (size_t)twice.n * sizeof(*twice.word));
		gpube__natural_clear(&number);
		gpube__natural_clear(&twice);
	}
}

/*
 * Free variables are not eliminated, and each of their values counts; so does what only
 * simplification frees.
 */
static void free_variables(void **state)
{
	const int64_t equal[] = {4, 4, 4, 4, 4, 4}, not_first[] = {GPUBE_INF, 1, 1};
	struct gpube_model *m;

	(void)state;
	assert_int_equal(gpube_model_new(&m, ctx, GPUBE_COSTS), 0);
	for (int32_t d = 1; d <= 25; d++)
		assert_int_equal(gpube_model_add_var(m, NULL, d, NULL), 0);
	expect_count(m, "15511210043330985984000000");
	assert_int_equal(gpube_model_add_costs(m, 2, (int32_t[]){1, 2}, equal), 0);
	assert_int_equal(gpube_model_add_costs(m, 1, (int32_t[]){2}, not_first), 0);
	expect_count(m, "10340806695553990656000000");
	assert_int_equal(gpube_model_observe(m, 4, 3), 0);
	expect_count(m, "2068161339110798131200000");
	assert_int_equal(gpube_model_observe(m, 2, 0), 0);
	expect_count(m, "0");
	gpube_model_free(m);
}

/* A stop ends long products, and leaves short ones alone. */
static void products_stopped(void **state)
{
	static int32_t factors[40000];
	struct gpube__natural number = {.ctx = ctx};

	(void)state;
	for (int k = 0; k < 40000; k++)
		factors[k] = INT32_MAX;
	gpube_ctx_stop(ctx);
	assert_int_equal(gpube__natural_grow(&number, 1, 7), 0);
	assert_int_equal(gpube__natural_times_all(&number, factors, 1000), 0);
	assert_int_equal(gpube__natural_times_all(&number, factors, 40000), GPUBE_ESTOP);
	assert_in_range(number.n, 1000, 10000);
	gpube_ctx_resume(ctx);
	gpube__natural_clear(&number);
}

static int multiply(struct gpube_ctx *own, struct gpube_model *m, const void *arg)
{
	struct gpube__natural a = {.ctx = own};
	int status = gpube__natural_grow(&a, 1, 12);
	char *text = NULL;

	(void)m;
	if (!status)
		status = gpube__natural_times_all(&a, arg, 3000);
	if (!status)
		text = gpube__natural_text(&a);
	gpube__natural_clear(&a);
	gpube__free(own, text);
	return status || text ? status : GPUBE_ENOMEM;
}

static void products_out_of_memory(void **state)
{
	int32_t factors[3000];

	(void)state;
	for (int k = 0; k < 3000; k++)
		factors[k] = 1000000000 + k;
	assert_in_range(fail_each_allocation(multiply, NULL, factors, 0), 5, 1000);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(products),
		cmocka_unit_test(free_variables),
		cmocka_unit_test(products_stopped),
		cmocka_unit_test(products_out_of_memory),
		cmocka_unit_test(test_random),
		cmocka_unit_test(test_large),
		cmocka_unit_test(test_top),
	};

	return cmocka_run_group_tests(tests, ctx_setup_2_threads, ctx_teardown);
}
