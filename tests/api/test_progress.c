/*
 * What a call tells of itself while it works: every bound is one of the optimum, every assignment
 * costs what is said, neither ever gets worse, and the last ones are the result's. Where the
 * function asks for an end, the call ends with what it had told.
 */
#include "tests/support/test.h"
#include "gpube/options/options.h"

#include "tests/support/cases.h"
#include "tests/support/context.h"
#include "tests/support/random_model.h"

enum { N_SEEDS = 200 };

struct heard {
	const struct gpube_model *m;
	struct brute optimum;
	bool maximises, costs;
	int64_t bound, cost;
	int n, most; /* calls, and after which to end; 0: never */
};

/* Not worse: of a maximum the other way round. */
static bool reaches(const struct heard *h, int64_t a, int64_t b)
{
	return h->maximises ? a >= b : a <= b;
}

static int hear(void *arg, const struct gpube_progress *now)
{
	struct heard *h = arg;
	int64_t cost;

	assert_non_null(now->by);
	assert_true(now->seconds >= 0);
	if (h->n) {
		assert_true(reaches(h, h->bound, now->bound));
		assert_true(reaches(h, now->cost, h->cost));
	}
	if (h->costs && h->optimum.feasible)
		assert_true(reaches(h, now->bound, h->optimum.cost));
	assert_true(!now->values == (now->cost == (h->maximises ? -GPUBE_INF : GPUBE_INF)));
	if (now->values && h->costs) {
		assert_int_equal(gpube_model_cost(&cost, h->m, now->values), 0);
		assert_true(cost == now->cost);
	}
	h->bound = now->bound;
	h->cost = now->cost;
	return ++h->n == h->most;
}

static void check(uint64_t seed, enum gpube_kind kind, int most)
{
	const struct random_spec spec = random_spec_varied(seed, kind);
	struct gpube_model *m = random_model(ctx, &spec, seed);
	struct heard h = {.m = m, .costs = kind == GPUBE_COSTS, .most = most};
	struct gpube_opts opts = {.progress = hear, .progress_arg = &h};
	struct gpube_solution *s;
	int status;

	assert_non_null(m);
	h.maximises = h.costs && gpube_model_info(m)->direction == GPUBE_MAXIMISE;
	assert_int_equal(brute_force(&h.optimum, NULL, m), 0);
	status = gpube_solve(&s, m, &opts);
	if (status == GPUBE_ESTOP) {
		assert_int_equal(h.n, most);
		assert_int_equal(s->answer, GPUBE_ANSWER_INCOMPLETE);
	} else {
		assert_int_equal(status, 0);
		assert_true(s->answer != GPUBE_ANSWER_INCOMPLETE);
	}
	if (h.n && s->values) {
		assert_true(reaches(&h, s->cost, h.cost));
		assert_true(reaches(&h, h.bound, s->bound));
	}
	gpube_result_free(s);
	gpube_model_free(m);
}

static void costs(void **state)
{
	check((uint64_t)(uintptr_t)*state, GPUBE_COSTS, 0);
}

static void potentials(void **state)
{
	check((uint64_t)(uintptr_t)*state, GPUBE_POTENTIALS, 0);
}

static void ended(void **state)
{
	const uint64_t seed = (uint64_t)(uintptr_t)*state;

	check(seed, seed % 4 ? GPUBE_COSTS : GPUBE_POTENTIALS, 1 + (int)(seed % 3));
}

/* Of a model that nothing solves soon: the call ends because it is told to. */
static void ends_a_long_call(void **state)
{
	struct heard h = {.costs = true, .most = 30};
	struct gpube_opts opts = {.progress = hear, .progress_arg = &h};
	struct gpube_solution *s;
	struct gpube_model *m;
	struct gpube_rng rng;

	(void)state;
	gpube__rng_init(&rng, 1);
	assert_int_equal(gpube_model_new(&m, ctx, GPUBE_COSTS), 0);
	for (int k = 0; k < 60; k++)
		assert_int_equal(gpube_model_add_var(m, NULL, 6, NULL), 0);
	for (int a = 0; a < 60; a++)
		for (int b = a + 1; b < 60; b++) {
			int64_t cost[36];

			for (int c = 0; c < 36; c++)
				cost[c] = (int64_t)gpube__rng_below(&rng, 1000);
			assert_int_equal(gpube_model_add_costs(m, 2, (int32_t[]){a, b}, cost), 0);
		}
	h.m = m;
	assert_int_equal(gpube_bound(&s, m, &opts), 0);
	assert_true(h.n >= 30);
	assert_int_equal(s->answer, GPUBE_ANSWER_INCOMPLETE);
	assert_true(s->bound >= h.bound && s->cost <= h.cost && s->bound < s->cost);
	gpube_result_free(s);
	/* the context works on */
	h = (struct heard){.m = m, .costs = true, .most = 1};
	assert_int_equal(gpube_bound(&s, m, &opts), 0);
	gpube_result_free(s);
	gpube_model_free(m);
}

int main(void)
{
	struct cases c = {0};

	add_numbers(&c, costs, N_SEEDS, "costs, seed");
	add_numbers(&c, potentials, N_SEEDS / 2, "potentials, seed");
	add_numbers(&c, ended, N_SEEDS, "ended, seed");
	ADD_CASE(&c, ends_a_long_call);
	return run_cases(&c, "progress", ctx_setup, ctx_teardown);
}
