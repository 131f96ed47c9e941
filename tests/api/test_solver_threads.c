/*
 * Several solvers at the same time, each in a thread and a context of its own, of one model that
 * nobody may write to: what each observes, assumes and changes is its own, and every answer is that
 * of all assignments tried. Under ThreadSanitizer by 'make tsan'. And solvers while memory runs
 * out at every allocation, of models that begin with nothing, and where messages have to be done
 * again.
 */
#include "tests/support/test.h"
#include "gpube/options/options.h"

#include <pthread.h>
#include <string.h>

#include "gpube/ir/model.h"
#include "gpube/solver.h"
#include "tests/support/context.h"
#include "tests/support/memory.h"
#include "tests/support/random_model.h"

enum { N_THREADS = 4, N_MODELS = 12, N_RUNS = 40, MOST_VARS = 16, MOST_ASSIGNMENTS = 8192 };

static struct gpube_model *shared;
static int n_vars;
static int32_t domain[MOST_VARS];
static long n_assignments;
static int64_t costs[MOST_ASSIGNMENTS]; /* of each assignment, with what is observed taken back */
static int32_t all[MOST_ASSIGNMENTS][MOST_VARS];

/* The least cost of those with these values; -1: any. */
static int64_t least(const int32_t *fixed, int64_t more, int32_t var, int32_t value)
{
	int64_t best = GPUBE_INF;

	for (long k = 0; k < n_assignments; k++) {
		bool good = costs[k] != GPUBE_INF;
		int64_t cost = costs[k];

		for (int i = 0; i < n_vars && good; i++)
			good = fixed[i] < 0 || fixed[i] == all[k][i];
		if (!good)
			continue;
		cost += all[k][var] == value ? more : 0;
		best = cost < best ? cost : best;
	}
	return best;
}

struct thread {
	pthread_t id;
	uint64_t seed;
	int wrong;
};

static void run(struct thread *t, struct gpube_solver *s, const int32_t *fixed, int64_t more,
	int32_t var, int32_t value)
{
	const int64_t wanted = least(fixed, more, var, value);
	struct gpube_solution *said;
	int status = gpube_solver_run(&said, s, NULL);

	t->wrong += status != GPUBE_OK || !said;
	if (said && wanted == GPUBE_INF)
		t->wrong += said->answer != GPUBE_ANSWER_INFEASIBLE;
	else if (said)
		t->wrong += said->answer != GPUBE_ANSWER_OPTIMAL || said->cost != wanted;
	gpube_result_free(said);
}

static void *work(void *arg)
{
	const struct gpube_opts opts = {.n_threads = 2};
	struct thread *t = arg;
	int32_t fixed[MOST_VARS], var = 0, value = 0;
	int64_t more = 0, table[64];
	struct gpube_solver *s;
	struct gpube_ctx *own;
	struct gpube_rng rng;

	gpube__rng_init(&rng, t->seed);
	t->wrong += gpube_ctx_new(&own, &opts) || gpube_solver_new(&s, own, shared, NULL);
	for (int i = 0; i < n_vars; i++) {
		t->wrong += gpube_model_observe(gpube_solver_model(s), i, -1) != GPUBE_OK;
		fixed[i] = -1;
	}
	/* a cost of its own, which changes */
	var = (int32_t)gpube__rng_below(&rng, (uint64_t)n_vars);
	memset(table, 0, sizeof(table));
	t->wrong += gpube_model_add_costs(gpube_solver_model(s), 1, &var, table) != GPUBE_OK;
	for (int k = 0; k < N_RUNS; k++) {
		const int32_t i = (int32_t)gpube__rng_below(&rng, (uint64_t)n_vars);
		const int32_t x = (int32_t)gpube__rng_below(&rng, (uint64_t)domain[i]);

		if (k % 3 == 0) {
			fixed[i] = k % 2 ? x : -1;
			t->wrong +=
				gpube_model_observe(gpube_solver_model(s), i, fixed[i]) != GPUBE_OK;
		} else if (k % 3 == 1) {
			table[value] = 0;
			value = (int32_t)gpube__rng_below(&rng, (uint64_t)domain[var]);
			table[value] = more = (int64_t)gpube__rng_below(&rng, 9) - 4;
			t->wrong +=
				gpube_solver_change_costs(s, gpube_model_info(shared)->n_functions,
					table) != GPUBE_OK;
		}
		run(t, s, fixed, more, var, value);
	}
	gpube_solver_free(s);
	gpube_ctx_free(own);
	return NULL;
}

/* All assignments and their costs, without evidence. False: they are too many. */
static bool try_all(void)
{
	int32_t values[MOST_VARS] = {0};
	struct gpube_model free_of = *shared;

	n_vars = gpube_model_n_vars(shared);
	if (n_vars < 1 || n_vars > MOST_VARS)
		return false;
	free_of.evidence = NULL;
	n_assignments = 0;
	for (int i = 0; i < n_vars; i++)
		domain[i] = gpube_model_domain(shared, i);
	do {
		if (n_assignments == MOST_ASSIGNMENTS)
			return false;
		memcpy(all[n_assignments], values, sizeof(values));
		assert_int_equal(gpube_model_cost(&costs[n_assignments++], &free_of, values), 0);
	} while (next_assignment(values, shared));
	return true;
}

static void threads(void **state)
{
	bool tried;
	int n = 0;

	(void)state;
	for (uint64_t seed = 1; n < N_MODELS; seed++) {
		struct random_spec spec = random_spec_varied(seed, GPUBE_COSTS);
		struct thread t[N_THREADS] = {0};

		spec.direction = GPUBE_MINIMISE;
		spec.top = TOP_NONE;
		shared = random_model(ctx, &spec, seed);
		assert_non_null(shared);
		tried = try_all();
		n += tried;
		for (int k = 0; tried && k < N_THREADS; k++) {
			t[k].seed = 100 * seed + (uint64_t)k;
			assert_int_equal(pthread_create(&t[k].id, NULL, work, &t[k]), 0);
		}
		for (int k = 0; tried && k < N_THREADS; k++) {
			assert_int_equal(pthread_join(t[k].id, NULL), 0);
			assert_int_equal(t[k].wrong, 0);
		}
		gpube_model_free(shared);
	}
}

/* Every call once: the first failure ends it. */
static int scarce(struct gpube_ctx *own, struct gpube_model *m, const void *arg)
{
	const struct gpube_opts *opts = arg;
	struct gpube_solution *said = NULL;
	const int32_t var = 0, first = 0;
	struct gpube_solver *s;
	int64_t *table = calloc(4096, sizeof(*table));
	int status = gpube_solver_new(&s, own, m, opts);

	for (int k = 0; k < 6 && !status; k++) {
		if (k == 1)
			status = gpube_model_add_costs(gpube_solver_model(s), 1, &var, table);
		else if (k == 2)
			status = gpube_solver_change_costs(
				s, gpube_model_info(gpube_solver_model(s))->n_functions - 1, table);
		else if (k == 3)
			status = gpube_solver_assume(s, 1, &var, &first);
		else if (k == 4)
			status = gpube_model_observe(gpube_solver_model(s), var, first);
		else if (k == 5)
			status = gpube_solver_change_cost(s,
				gpube_model_info(gpube_solver_model(s))->n_functions - 1, &first,
				3);
		if (!status)
			status = gpube_solver_run(&said, s, NULL);
		gpube_result_free(said);
		said = NULL;
	}
	gpube_solver_free(s);
	free(table);
	/* a method that found no room, and no other one that may go on */
	return status == GPUBE_ELIMIT ? GPUBE_ENOMEM : status;
}

static void memory(void **state)
{
	const struct gpube_opts by_tree = {.method = GPUBE_BOUND_TREE};

	(void)state;
	fail_on_random_model(scarce, NULL, 3, 40);
	fail_on_random_model(scarce, &by_tree, 5, 40);
}

static void run_alone(struct gpube_solver *s, enum gpube_answer answer, int64_t cost)
{
	struct gpube_solution *said;

	assert_int_equal(gpube_solver_run(&said, s, NULL), 0);
	assert_int_equal(said->answer, answer);
	assert_true(answer == GPUBE_ANSWER_INFEASIBLE || said->cost == cost);
	gpube_result_free(said);
}

/* A model without variables, which gets some. */
static void from_nothing(void **state)
{
	const int64_t five = 5, forbidden = GPUBE_INF, costs_of[3] = {4, 2, 3};
	struct gpube_solver *s;
	struct gpube_model *m;
	int32_t var;

	(void)state;
	assert_int_equal(gpube_model_new(&m, ctx, GPUBE_COSTS), 0);
	assert_int_equal(gpube_solver_new(&s, NULL, m, NULL), 0);
	gpube_model_free(m);
	m = gpube_solver_model(s);
	run_alone(s, GPUBE_ANSWER_OPTIMAL, 0);
	assert_int_equal(gpube_model_add_costs(gpube_solver_model(s), 0, NULL, &five), 0);
	run_alone(s, GPUBE_ANSWER_OPTIMAL, 5);
	assert_int_equal(gpube_model_add_var(m, &var, 3, NULL), 0);
	run_alone(s, GPUBE_ANSWER_OPTIMAL, 5);
	assert_int_equal(gpube_model_add_costs(gpube_solver_model(s), 1, &var, costs_of), 0);
	run_alone(s, GPUBE_ANSWER_OPTIMAL, 7);
	assert_int_equal(gpube_model_observe(gpube_solver_model(s), var, 0), 0);
	run_alone(s, GPUBE_ANSWER_OPTIMAL, 9);
	assert_int_equal(gpube_model_add_costs(gpube_solver_model(s), 0, NULL, &forbidden), 0);
	run_alone(s, GPUBE_ANSWER_INFEASIBLE, 0);
	assert_int_equal(gpube_solver_change_costs(s, 1, &five), GPUBE_EINVAL);
	gpube_solver_free(s);
}

/* ---- messages between changes of tables ------------------------------------------------ */

enum { N_VARS = 12, N_FUNCTIONS = 20, N_CELLS = 9, N_CHANGES = 60 };

static struct {
	int32_t scope[2];
	int64_t costs[N_CELLS];
} tables[N_FUNCTIONS];

static struct gpube_model *of_tables(void)
{
	struct gpube_model *m;

	assert_int_equal(gpube_model_new(&m, ctx, GPUBE_COSTS), 0);
	for (int i = 0; i < N_VARS; i++)
		assert_int_equal(gpube_model_add_var(m, NULL, 3, NULL), 0);
	for (int f = 0; f < N_FUNCTIONS; f++)
		assert_int_equal(gpube_model_add_costs(m, 2, tables[f].scope, tables[f].costs), 0);
	return m;
}

static int n_stopped;

/* A run where a variable is observed, beside gpube_solve() of a new model. */
static int run_beside(struct gpube_solver *s, int32_t var, int32_t value)
{
	struct gpube_model *m = of_tables();
	struct gpube_solution *said, *wanted;
	int by_messages = 0;

	assert_int_equal(gpube_model_observe(m, var, value), 0);
	assert_int_equal(gpube_model_observe(gpube_solver_model(s), var, value), 0);
	assert_int_equal(gpube_solve(&wanted, m, NULL), 0);
	for (int k = 0; k < 3; k++) { /* stopped at once, or on the way */
		const struct gpube_opts limit = {.timeout_seconds = 1e-9 + k * 2e-5};
		const int status = gpube_solver_run(&said, s, &limit);

		assert_true(status == GPUBE_OK || status == GPUBE_ESTOP);
		n_stopped += status == GPUBE_ESTOP;
		by_messages += !status && !strcmp(said->stages[0].name, "messages");
		assert_true(said->bound <= wanted->cost);
		assert_true(!said->values || said->cost >= wanted->cost);
		gpube_result_free(said);
	}
	assert_int_equal(gpube_solver_run(&said, s, NULL), 0);
	assert_int_equal(said->answer, wanted->answer);
	assert_true(said->cost == wanted->cost);
	assert_int_equal(said->n_stages, 1);
	by_messages += !strcmp(said->stages[0].name, "messages");
	assert_true(by_messages || !strcmp(said->stages[0].name, "known"));
	gpube_result_free(said);
	gpube_result_free(wanted);
	gpube_model_free(m);
	return by_messages;
}

/* Min-marginals are asked again after one table has changed, of the same variables and others. */
static void messages(void **state)
{
	struct gpube_solver *s;
	struct gpube_model *m;
	struct gpube_rng rng;
	int n = 0;

	(void)state;
	gpube__rng_init(&rng, 1);
	for (int f = 0; f < N_FUNCTIONS; f++) {
		tables[f].scope[0] = f % N_VARS;
		tables[f].scope[1] = (f + 1 + f / N_VARS * 3) % N_VARS;
		for (int c = 0; c < N_CELLS; c++)
			tables[f].costs[c] = (int64_t)gpube__rng_below(&rng, 100);
	}
	m = of_tables();
	assert_int_equal(gpube_solver_new(&s, NULL, m, NULL), 0);
	gpube_model_free(m);
	for (int k = 0; k < N_CHANGES; k++) {
		const int f = (int)gpube__rng_below(&rng, N_FUNCTIONS);

		for (int32_t v = 0; v < N_VARS; v += 1 + k % 3) {
			n += run_beside(s, v, (int32_t)gpube__rng_below(&rng, 3));
			assert_int_equal(gpube_model_observe(gpube_solver_model(s), v, -1), 0);
		}
		for (int c = 0; c < N_CELLS; c++)
			tables[f].costs[c] = (int64_t)gpube__rng_below(&rng, 100);
		assert_int_equal(gpube_solver_change_costs(s, f, tables[f].costs), 0);
	}
	assert_true(n > 0 && n_stopped > 0);
	gpube_solver_free(s);
}

/*
 * A model that is too wide for messages so far. One variable's two values cost the same: with the
 * other one observed the optimum is the bound of before, and the first assignment that has it ends
 * the engine's run.
 */
static void twins(void **state)
{
	enum { WIDE = 20, DOMAIN = 8 };
	static const int32_t domains[2] = {2, DOMAIN};
	int64_t cells[DOMAIN * DOMAIN];
	struct gpube_solution *first, *second;
	struct gpube_solver *s;
	struct gpube_model *m;
	struct gpube_rng rng;

	(void)state;
	gpube__rng_init(&rng, 7);
	assert_int_equal(gpube_model_new(&m, ctx, GPUBE_COSTS), 0);
	for (int i = 0; i < WIDE; i++)
		assert_int_equal(gpube_model_add_var(m, NULL, domains[i > 0], NULL), 0);
	for (int k = 0; k < 60; k++) {
		const int32_t a = k % WIDE, b = (a + 1 + k / WIDE * 4) % WIDE;
		const int32_t scope[2] = {a < b ? a : b, a < b ? b : a};

		for (int c = 0; c < DOMAIN * DOMAIN; c++)
			cells[c] = (int64_t)gpube__rng_below(&rng, 100);
		if (scope[0] == 0)
			memcpy(cells + DOMAIN, cells, DOMAIN * sizeof(*cells));
		assert_int_equal(gpube_model_add_costs(m, 2, scope, cells), 0);
	}
	assert_int_equal(gpube_solver_new(&s, NULL, m, NULL), 0);
	assert_int_equal(gpube_solver_run(&first, s, NULL), 0);
	assert_int_equal(first->answer, GPUBE_ANSWER_OPTIMAL);
	assert_int_equal(gpube_model_observe(gpube_solver_model(s), 0, 1 - first->values[0]), 0);
	assert_int_equal(gpube_solver_run(&second, s, NULL), 0);
	assert_int_equal(second->answer, GPUBE_ANSWER_OPTIMAL);
	assert_true(second->cost == first->cost && second->bound == first->cost);
	assert_true(second->stages[second->n_stages - 1].bound < first->cost);
	gpube_result_free(first);
	gpube_result_free(second);
	gpube_solver_free(s);
	gpube_model_free(m);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(threads), cmocka_unit_test(memory),
		cmocka_unit_test(from_nothing), cmocka_unit_test(messages),
		cmocka_unit_test(twins)};

	return cmocka_run_group_tests(tests, ctx_setup, ctx_teardown);
}
