/* Forbidden cells as clauses: against enumeration, and under gpube_bound(). */
#include "tests/support/test.h"

#include "gpube/relax/sat.h"
#include "gpube/simplify/simplify.h"
#include "tests/support/context.h"
#include "tests/support/random_model.h"
#include "tests/support/small_model.h"

enum { N_MODELS = 1000 };

static int needs_library(void **state)
{
	if (!gpube__sat_library())
		print_message("SKIP    built without CaDiCaL\n");
	return ctx_setup(state);
}

/* Many forbidden cells: about half of the models have no assignment. */
static struct random_spec hard_spec(uint64_t seed)
{
	struct random_spec s = random_spec_varied(seed, GPUBE_COSTS);

	s.forbidden = 0.2 + 0.05 * (double)(seed % 12);
	if (seed % 2)
		s.min_cost = s.max_cost = 0;
	return s;
}

/* There is an assignment without cost where the least cost is the constant. */
static void finds_what_costs_nothing(void **state)
{
	int n_yes = 0, n_no = 0;

	(void)state;
	if (!gpube__sat_library())
		skip();
	for (uint64_t seed = 1; seed <= N_MODELS; seed++) {
		struct random_spec spec = random_spec_varied(seed, GPUBE_COSTS);
		struct gpube_model *m;
		struct gpube_simplified s;
		enum gpube_sat_answer answer;
		struct gpube_sat *sat;
		struct brute brute;
		int32_t values[64];
		int64_t cost;
		bool is_free;

		spec.min_cost = 0;
		spec.max_cost = 1 + (int64_t)(seed % 3);
		m = random_model(ctx, &spec, seed);
		m->top = GPUBE_INF;
		assert_int_equal(gpube__simplify(&s, m, seed % 3), 0);
		assert_int_equal(gpube__sat_new(&sat, s.model, GPUBE__SAT_FREE), 0);
		assert_non_null(sat);
		assert_int_equal(gpube__sat_run(sat, 60, &answer, values), 0);
		assert_int_equal(brute_force(&brute, NULL, s.model), 0);
		is_free = brute.feasible && brute.cost == s.model->constant;
		assert_int_equal(answer, is_free ? GPUBE__SAT_YES : GPUBE__SAT_NO);
		if (is_free) {
			assert_int_equal(gpube_model_cost(&cost, s.model, values), 0);
			assert_true(cost == s.model->constant);
		}
		n_yes += is_free;
		n_no += !is_free;
		gpube__sat_free(sat);
		gpube__simplified_clear(ctx, &s);
		gpube_model_free(m);
	}
	assert_true(n_yes > N_MODELS / 20 && n_no > N_MODELS / 20);
}

/* The library's answer is right, and of its assignment no function's cell is forbidden. */
static void answers_as_enumeration_does(void **state)
{
	int n_yes = 0, n_no = 0;

	(void)state;
	if (!gpube__sat_library())
		skip();
	for (uint64_t seed = 1; seed <= N_MODELS; seed++) {
		const struct random_spec spec = hard_spec(seed);
		struct gpube_model *m = random_model(ctx, &spec, seed);
		struct gpube_simplified s;
		enum gpube_sat_answer answer;
		struct gpube_sat *sat;
		struct brute brute;
		int32_t values[64];
		int64_t cost;

		/* with a top, sums forbid as well, which clauses do not say */
		m->top = GPUBE_INF;
		assert_int_equal(gpube__simplify(&s, m, seed % 3), 0);
		assert_int_equal(gpube__sat_new(&sat, s.model, GPUBE__SAT_ALLOWED), 0);
		assert_non_null(sat);
		assert_int_equal(gpube__sat_run(sat, 60, &answer, values), 0);
		assert_int_equal(brute_force(&brute, NULL, s.model), 0);
		assert_int_equal(answer, brute.feasible ? GPUBE__SAT_YES : GPUBE__SAT_NO);
		if (brute.feasible) {
			assert_int_equal(gpube_model_cost(&cost, s.model, values), 0);
			assert_true(cost != GPUBE_INF);
		}
		n_yes += brute.feasible;
		n_no += !brute.feasible && !s.infeasible;
		gpube__sat_free(sat);
		gpube__simplified_clear(ctx, &s);
		gpube_model_free(m);
	}
	assert_true(n_yes > N_MODELS / 10);
	assert_true(n_no > N_MODELS / 50);
}

/* Equality of many values, by rows; and of six and more a ladder. */
static void one_value_each(void **state)
{
	enum { VALUES = 9, N = 5 };
	struct gpube_model *m = new_model(N, VALUES);
	int64_t equal[VALUES * VALUES], unary[VALUES];
	enum gpube_sat_answer answer;
	struct gpube_sat *sat;
	int32_t values[N];

	(void)state;
	if (!gpube__sat_library())
		skip();
	for (int a = 0; a < VALUES; a++) {
		unary[a] = a == 7 ? 0 : X;
		for (int b = 0; b < VALUES; b++)
			equal[a * VALUES + b] = a == b ? 0 : X;
	}
	for (int32_t i = 0; i + 1 < N; i++)
		add(m, 2, (int32_t[]){i + 1, i}, equal);
	add(m, SCOPE(2), unary);
	assert_int_equal(gpube__sat_new(&sat, m, GPUBE__SAT_ALLOWED), 0);
	assert_int_equal(gpube__sat_run(sat, 60, &answer, values), 0);
	assert_int_equal(answer, GPUBE__SAT_YES);
	for (int i = 0; i < N; i++)
		assert_int_equal(values[i], 7);
	gpube__sat_free(sat);
	gpube_model_free(m);
}

/* So many pigeons in one hole less, a literal for each of both. */
static struct gpube_model *pigeons(int n)
{
	struct gpube_model *m = new_model(n * (n - 1), 2);
	int64_t *clause = calloc((size_t)1 << (n - 1), sizeof(*clause));
	int32_t scope[16];

	assert_non_null(clause);
	clause[0] = X;
	for (int32_t p = 0; p < n; p++) {
		for (int32_t h = 0; h < n - 1; h++)
			scope[h] = p * (n - 1) + h;
		add(m, n - 1, scope, clause);
	}
	for (int32_t h = 0; h < n - 1; h++)
		for (int32_t p = 0; p < n; p++)
			for (int32_t q = p + 1; q < n; q++)
				add(m, SCOPE(p * (n - 1) + h, q * (n - 1) + h), COSTS(0, 0, 0, X));
	free(clause);
	return m;
}

static void bound_tells_that_nothing_is_allowed(void **state)
{
	struct gpube_model *m = pigeons(7);
	struct gpube_solution *bounds;

	(void)state;
	assert_int_equal(gpube_bound(&bounds, m, NULL), 0);
	assert_int_equal(bounds->answer, GPUBE_ANSWER_INFEASIBLE);
	gpube_result_free(bounds);
	gpube_model_free(m);
}

/* Fifteen are years for it: it stops when it is told to, and can go on. */
static void stops_in_time(void **state)
{
	struct gpube_model *m = pigeons(15);
	enum gpube_sat_answer answer;
	struct gpube_sat *sat;
	int32_t values[256];

	(void)state;
	if (!gpube__sat_library())
		skip();
	assert_int_equal(gpube__sat_new(&sat, m, GPUBE__SAT_ALLOWED), 0);
	for (int k = 0; k < 2; k++) {
		assert_int_equal(gpube__sat_run(sat, 0.05, &answer, values), 0);
		assert_int_equal(answer, GPUBE__SAT_OPEN);
	}
	gpube__sat_free(sat);
	gpube_model_free(m);
}

/* A table of whose cells few are allowed, and which is too large to be looked at cell by cell. */
static void leaves_large_tables_alone(void **state)
{
	enum { N = 40 };
	struct gpube_model *m = new_model(N, 2);
	struct gpube_table t = {
		.type = GPUBE_INT8, .sparse = true, .arity = N, .n = 1, .dflt = {.i = X}};
	int32_t scope[N], table;
	struct gpube_sat *sat;

	(void)state;
	t.values = gpube__alloc_zero(ctx, 1, 1);
	t.tuples = gpube__alloc_zero(ctx, N, sizeof(int32_t));
	for (int32_t i = 0; i < N; i++)
		scope[i] = i;
	assert_int_equal(gpube__add_table(m, &table, &t), 0);
	assert_int_equal(gpube__add_function(m, N, scope, table, NULL), 0);
	assert_int_equal(gpube__sat_new(&sat, m, GPUBE__SAT_ALLOWED), 0);
	assert_null(sat);
	gpube_model_free(m);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(answers_as_enumeration_does),
		cmocka_unit_test(finds_what_costs_nothing),
		cmocka_unit_test(one_value_each),
		cmocka_unit_test(bound_tells_that_nothing_is_allowed),
		cmocka_unit_test(stops_in_time),
		cmocka_unit_test(leaves_large_tables_alone),
	};

	return cmocka_run_group_tests(tests, needs_library, ctx_teardown);
}
