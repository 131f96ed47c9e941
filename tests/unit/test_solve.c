/*
 * gpube_solve() against enumeration on random models of every kind: one case a
 * seed, so that a failure names the model to look at.
 */
#include "tests/support/test.h"
#include "gpube/options/options.h"

#include <inttypes.h>
#include <math.h>

#include "gpube/ir/model.h"
#include "tests/support/memory.h"
#include "tests/support/random_model.h"

enum { N_COSTS = 240, N_POTENTIALS = 80 };

static struct gpube_ctx *ctx;
static const struct gpube_opts eliminate = {.method = GPUBE_BOUND_ELIMINATE};

static int setup(void **state)
{
	struct gpube_opts opts = {.n_threads = 2};

	(void)state;
	return gpube_ctx_new(&ctx, &opts);
}

static int teardown(void **state)
{
	(void)state;
	gpube_ctx_free(ctx);
	return 0;
}

static void expect_answer(
	const struct gpube_model *m, const struct brute *expected, const struct gpube_opts *opts)
{
	struct gpube_solution *s;
	char count[24];
	int64_t cost;
	double log_value;

	if (gpube_solve(&s, m, opts)) {
		fail_msg("%s", gpube_error(ctx));
		return;
	}
	assert_int_equal(
		s->answer, expected->feasible ? GPUBE_ANSWER_OPTIMAL : GPUBE_ANSWER_INFEASIBLE);
	if (!expected->feasible) {
		gpube_result_free(s);
		return;
	}
	if (m->kind == GPUBE_COSTS) {
		assert_true(s->cost == expected->cost);
		assert_int_equal(gpube_model_cost(&cost, m, s->values), 0);
		assert_true(cost == s->cost);
		if (opts->count) {
			snprintf(count, sizeof(count), "%" PRIu64, expected->n_optima);
			assert_string_equal(s->count, count);
		}
	} else {
		/* each of the functions is rounded once */
		double slack =
			(m->n_functions + 1) * pow(10, -s->scale) + 1e-12 * fabs(s->log_value);

		assert_int_equal(gpube_model_log_value(&log_value, m, s->values), 0);
		assert_true(log_value == s->log_value);
		assert_true(fabs(s->log_value - expected->log_value) <= slack);
		assert_true(
			fabs((double)s->cost * pow(10, -s->scale) + expected->log_value) <= slack);
	}
	gpube_result_free(s);
}

/* What bounds and search have proved is counted by an elimination of its own. */
static void count_after_search(const struct gpube_model *m, const struct brute *expected)
{
	const struct gpube_opts opts = {.no_eliminate = 1, .count = 1};
	struct gpube_solution *s;
	char count[24];

	if (gpube_bound(&s, m, &opts)) {
		fail_msg("%s", gpube_error(ctx));
		return;
	}
	assert_int_equal(
		s->answer, expected->feasible ? GPUBE_ANSWER_OPTIMAL : GPUBE_ANSWER_INFEASIBLE);
	if (expected->feasible) {
		assert_true(s->cost == expected->cost);
		snprintf(count, sizeof(count), "%" PRIu64, expected->n_optima);
		assert_non_null(s->count);
		assert_string_equal(s->count, count);
	}
	gpube_result_free(s);
}

static void solve_every_way(const struct gpube_model *m)
{
	static const enum gpube_order_method methods[] = {GPUBE_ORDER_AUTO, GPUBE_ORDER_MIN_FILL,
		GPUBE_ORDER_MIN_SIZE, GPUBE_ORDER_MIN_DEGREE};
	struct gpube_opts opts = {0};
	struct brute expected;
	int32_t *order = gpube__alloc(ctx, (uint64_t)m->n_vars, sizeof(*order));

	assert_int_equal(brute_force(&expected, NULL, m), 0);
	for (size_t k = 0; k < sizeof(methods) / sizeof(*methods); k++)
		for (int way = 0; way < 4; way++) {
			opts.method = way / 2 ? GPUBE_BOUND_ELIMINATE : GPUBE_BOUND_AUTO;
			opts.order_method = methods[k];
			opts.no_simplify = way % 2;
			opts.count = m->kind == GPUBE_COSTS && k % 2 == 0;
			expect_answer(m, &expected, &opts);
		}
	if (m->kind == GPUBE_COSTS)
		count_after_search(m, &expected);
	for (int32_t i = 0; i < m->n_vars; i++)
		order[i] = m->n_vars - 1 - i;
	opts.order_method = GPUBE_ORDER_GIVEN;
	opts.order = order;
	expect_answer(m, &expected, &opts);
	gpube__free(ctx, order);
}

static void costs(void **state)
{
	uint64_t seed = *(uint64_t *)*state;
	struct random_spec spec = random_spec_varied(seed, GPUBE_COSTS);
	struct gpube_model *m = random_model(ctx, &spec, seed);

	assert_non_null(m);
	solve_every_way(m);
	gpube_model_free(m);
}

static void potentials(void **state)
{
	uint64_t seed = *(uint64_t *)*state;
	struct random_spec spec = random_spec_varied(seed, GPUBE_POTENTIALS);
	struct gpube_model *m = random_model(ctx, &spec, seed);

	assert_non_null(m);
	solve_every_way(m);
	gpube_model_free(m);
}

/* What does not fit is refused with the plan, before anything is allocated. */
static void too_large_is_refused(void **state)
{
	struct gpube_opts opts = {.memory_bytes = 1 << 20};
	struct gpube_ctx *small;
	struct gpube_model *m;
	struct gpube_solution *s;
	const int64_t differ[] = {1, 0, 0, 1};

	(void)state;
	assert_int_equal(gpube_ctx_new(&small, &opts), 0);
	assert_int_equal(gpube_model_new(&m, small, GPUBE_COSTS), 0);
	for (int i = 0; i < 40; i++)
		assert_int_equal(gpube_model_add_var(m, NULL, 2, NULL), 0);
	for (int i = 0; i < 40; i++)
		for (int j = 0; j < i; j++)
			assert_int_equal(gpube_model_add_costs(m, 2, (int32_t[]){i, j}, differ), 0);
	assert_int_equal(gpube_solve(&s, m, &eliminate), GPUBE_ELIMIT);
	assert_non_null(s);
	assert_int_equal(s->answer, GPUBE_ANSWER_INCOMPLETE);
	assert_int_equal(s->plan.width, 39);
	assert_true(s->plan.largest_message == 0x1p39);
	assert_true(s->plan.peak_bytes >= 0x1p41);
	assert_non_null(strstr(gpube_error(small), "width 39"));
	gpube_result_free(s);
	gpube_model_free(m);
	gpube_ctx_free(small);
}

/*
 * On the host packed arg-mins take the place of messages; what the plan says they need is enough.
 */
static void arg_mins_in_little_memory(void **state)
{
	struct gpube_opts opts = {0};
	const int64_t weights[] = {3, 0, 1, 2, 2, 1, 0, 5, 4};
	int64_t costs_found[2];
	double peaks[2];

	(void)state;
	for (int round = 0; round < 2; round++) {
		struct gpube_ctx *c;
		struct gpube_model *m;
		struct gpube_solution *s;

		opts.memory_bytes = round ? (uint64_t)peaks[0] : 0;
		assert_int_equal(gpube_ctx_new(&c, &opts), 0);
		assert_int_equal(gpube_model_new(&m, c, GPUBE_COSTS), 0);
		for (int i = 0; i < 49; i++)
			assert_int_equal(gpube_model_add_var(m, NULL, 3, NULL), 0);
		for (int i = 0; i < 49; i++) {
			int64_t shifted[9];

			for (int k = 0; k < 9; k++)
				shifted[k] = weights[(k + i) % 9];
			if (i % 7 < 6)
				assert_int_equal(
					gpube_model_add_costs(m, 2, (int32_t[]){i, i + 1}, shifted),
					0);
			if (i < 42)
				assert_int_equal(
					gpube_model_add_costs(m, 2, (int32_t[]){i, i + 7}, shifted),
					0);
		}
		assert_int_equal(gpube_solve(&s, m, &eliminate), 0);
		assert_int_equal(s->answer, GPUBE_ANSWER_OPTIMAL);
		costs_found[round] = s->cost;
		peaks[round] = s->plan.peak_bytes;
		/*
		 * less than all messages, which are a third of the joined cells, and 84 tables
		 * twice
		 */
		assert_true(peaks[round] < 4 * s->plan.joined_cells / 3 + 2 * 84 * 256);
		gpube_result_free(s);
		gpube_model_free(m);
		gpube_ctx_free(c);
	}
	assert_true(costs_found[0] == costs_found[1]);
	assert_true(peaks[0] == peaks[1]);
}

/* What a refusal says is needed is enough, and a byte less is not; counting, too. */
static void what_is_needed_is_enough(void **state)
{
	struct gpube_opts ctx_opts = {0};
	struct gpube_opts opts = {
		.method = GPUBE_BOUND_ELIMINATE, .no_simplify = 1, .no_slices = 1};

	(void)state;
	for (uint64_t seed = 0; seed < 40; seed++) {
		struct random_spec spec = random_spec_default();
		double need = 1;

		spec.forbidden = 0; /* none is infeasible */
		opts.count = seed % 2;
		opts.order_method = GPUBE_ORDER_MIN_FILL;
		for (int round = 0; round < 3; round++) {
			struct gpube_ctx *c;
			struct gpube_model *m;
			struct gpube_solution *s = NULL;

			ctx_opts.memory_bytes = (uint64_t)need - (round == 2);
			assert_int_equal(gpube_ctx_new(&c, &ctx_opts), 0);
			m = random_model(c, &spec, seed);
			assert_non_null(m);
			assert_int_equal(gpube_solve(&s, m, &opts), round == 1 ? 0 : GPUBE_ELIMIT);
			assert_true(round == 0 || s->plan.peak_bytes == need);
			need = s->plan.peak_bytes;
			gpube_result_free(s);
			gpube_model_free(m);
			gpube_ctx_free(c);
		}
	}
}

enum { N_LEAVES = 1000 };

/* A hub with 1000 leaves: all messages meet in one bucket, whose sum must not be feared too early.
 */
static void star_of_large_costs(void **state)
{
	const int64_t top = (int64_t)1 << 51;
	struct gpube_model *m;
	struct gpube_solution *s;
	int64_t expected[2] = {0, 0};

	(void)state;
	assert_int_equal(gpube_model_new(&m, ctx, GPUBE_COSTS), 0);
	for (int i = 0; i <= N_LEAVES; i++)
		assert_int_equal(gpube_model_add_var(m, NULL, 2, NULL), 0);
	for (int i = 1; i <= N_LEAVES; i++) {
		const int64_t a = top - i % 7, b = top / 2 + i % 5, costs[] = {a, b, b + 3, top};

		assert_int_equal(gpube_model_add_costs(m, 2, (int32_t[]){0, i}, costs), 0);
		expected[0] += b;
		expected[1] += b + 3;
	}
	assert_int_equal(gpube_solve(&s, m, &eliminate), 0);
	assert_true(s->cost == (expected[0] < expected[1] ? expected[0] : expected[1]));
	gpube_result_free(s);
	gpube_model_free(m);
}

/* The same of potentials, with zeros: fewer decimals are taken rather than none. */
static void star_of_potentials(void **state)
{
	struct gpube_opts opts = {.method = GPUBE_BOUND_ELIMINATE};
	struct gpube_model *m;
	struct gpube_solution *s;

	(void)state;
	assert_int_equal(gpube_model_new(&m, ctx, GPUBE_POTENTIALS), 0);
	for (int i = 0; i <= N_LEAVES; i++)
		assert_int_equal(gpube_model_add_var(m, NULL, 3, NULL), 0);
	for (int i = 1; i <= N_LEAVES; i++) {
		const double p[] = {0, 1e-300, 1e-3, 1e-200, 0, 2e-3, 1e-300, 1e-300, 0};

		assert_int_equal(gpube_model_add_potentials(m, 2, (int32_t[]){0, i}, p), 0);
	}
	for (int no_simplify = 0; no_simplify < 2; no_simplify++) {
		opts.no_simplify = no_simplify;
		if (gpube_solve(&s, m, &opts))
			fail_msg("%s", gpube_error(ctx));
		assert_int_equal(s->answer, GPUBE_ANSWER_OPTIMAL);
		assert_int_equal(s->values[0], 1);
		assert_true(fabs(s->log_value - N_LEAVES * log(2e-3)) < 1e-6);
		gpube_result_free(s);
	}
	opts.precision = 12; /* asked for: it is that or an error */
	assert_int_equal(gpube_solve(&s, m, &opts), GPUBE_ERANGE);
	gpube_model_free(m);
}

static void a_stopped_context_solves_nothing(void **state)
{
	struct random_spec spec = random_spec_default();
	struct gpube_model *m = random_model(ctx, &spec, 1);
	struct gpube_solution *s;

	(void)state;
	assert_non_null(m);
	gpube_ctx_stop(ctx);
	assert_int_equal(gpube_solve(&s, m, &eliminate), GPUBE_ESTOP);
	assert_int_equal(s->answer, GPUBE_ANSWER_INCOMPLETE);
	assert_null(s->values);
	gpube_ctx_resume(ctx);
	gpube_result_free(s);
	gpube_model_free(m);
}

static void stop_when_eliminated(void *arg, const struct gpube_log *said)
{
	struct gpube_ctx **c = arg;

	if (said->level == GPUBE_LOG_PROGRESS && said->progress >= 1)
		gpube_ctx_stop(*c);
}

/* An optimum that is proved is not lost because the count of them was stopped. */
static void a_stopped_count_keeps_the_optimum(void **state)
{
	struct gpube_ctx *c;
	struct gpube_opts ctx_opts = {.log = stop_when_eliminated, .log_arg = &c};
	struct gpube_opts opts = {.method = GPUBE_BOUND_ELIMINATE, .count = 1};
	struct random_spec spec = random_spec_default();
	struct gpube_model *m;
	struct gpube_solution *s;
	struct brute expected;

	(void)state;
	spec.forbidden = 0;
	spec.n_functions = 20;
	assert_int_equal(gpube_ctx_new(&c, &ctx_opts), 0);
	m = random_model(c, &spec, 3);
	assert_non_null(m);
	assert_int_equal(brute_force(&expected, NULL, m), 0);
	assert_int_equal(gpube_solve(&s, m, &opts), GPUBE_ESTOP);
	assert_int_equal(s->answer, GPUBE_ANSWER_OPTIMAL);
	assert_true(s->cost == expected.cost);
	assert_non_null(s->values);
	assert_null(s->count);
	gpube_result_free(s);
	gpube_model_free(m);
	gpube_ctx_free(c);
}

/* Every allocation of a solve can fail; nothing is lost, nothing is left. */
static void every_allocation_can_fail(void **state)
{
	struct gpube_opts opts = {
		.method = GPUBE_BOUND_ELIMINATE, .count = 1, .order_seconds = 1e-9};
	static const enum gpube_kind kinds[] = {GPUBE_COSTS, GPUBE_POTENTIALS};

	(void)state;
	for (int k = 0; k < 4; k++) {
		struct test_memory memory = {.fail_at = -1};
		struct gpube_ctx *c = test_memory_ctx(&memory);
		struct random_spec spec = random_spec_varied(11 + (uint64_t)k, kinds[k % 2]);
		struct gpube_model *m;
		struct gpube_solution *s;
		int status = GPUBE_ENOMEM;

		c->n_threads = 1;
		m = random_model(c, &spec, 11);
		assert_non_null(m);
		opts.no_simplify = k >= 2;
		for (long at = 0; status; at++) {
			memory.fail_at = memory.n + at;
			status = gpube_solve(&s, m, &opts);
			if (status) {
				assert_int_equal(status, GPUBE_ENOMEM);
				assert_null(s);
			}
			assert_true(at < 100000);
		}
		gpube_result_free(s);
		gpube_model_free(m);
		test_memory_end(c, &memory);
	}
}

static void bad_orders(void **state)
{
	struct random_spec spec = random_spec_default();
	struct gpube_model *m = random_model(ctx, &spec, 2);
	struct gpube_opts opts = {
		.method = GPUBE_BOUND_ELIMINATE, .order_method = GPUBE_ORDER_GIVEN};
	struct gpube_solution *s;

	(void)state;
	assert_non_null(m);
	assert_int_equal(gpube_solve(&s, m, &opts), GPUBE_EINVAL);
	opts.order = (int32_t[]){0, 1, 2, 3, 3, 4};
	assert_int_equal(gpube_solve(&s, m, &opts), GPUBE_EINVAL);
	assert_null(s);
	assert_non_null(strstr(gpube_error(ctx), "variable 3 is twice in the order"));
	gpube_model_free(m);
}

int main(void)
{
	static struct CMUnitTest tests[N_COSTS + N_POTENTIALS + 10];
	static uint64_t seeds[N_COSTS + N_POTENTIALS];
	static char names[N_COSTS + N_POTENTIALS][32];
	size_t n = 0;

	for (; n < N_COSTS + N_POTENTIALS; n++) {
		seeds[n] = n;
		snprintf(names[n], sizeof(names[n]), "%s, seed %zu",
			n < N_COSTS ? "costs" : "potentials", n);
		tests[n] = (struct CMUnitTest){.name = names[n],
			.test_func = n < N_COSTS ? costs : potentials,
			.initial_state = &seeds[n]};
	}
	tests[n++] = (struct CMUnitTest)cmocka_unit_test(too_large_is_refused);
	tests[n++] = (struct CMUnitTest)cmocka_unit_test(arg_mins_in_little_memory);
	tests[n++] = (struct CMUnitTest)cmocka_unit_test(what_is_needed_is_enough);
	tests[n++] = (struct CMUnitTest)cmocka_unit_test(star_of_large_costs);
	tests[n++] = (struct CMUnitTest)cmocka_unit_test(star_of_potentials);
	tests[n++] = (struct CMUnitTest)cmocka_unit_test(a_stopped_context_solves_nothing);
	tests[n++] = (struct CMUnitTest)cmocka_unit_test(a_stopped_count_keeps_the_optimum);
	tests[n++] = (struct CMUnitTest)cmocka_unit_test(every_allocation_can_fail);
	tests[n++] = (struct CMUnitTest)cmocka_unit_test(bad_orders);
	return _cmocka_run_group_tests("solve", tests, n, setup, teardown);
}
