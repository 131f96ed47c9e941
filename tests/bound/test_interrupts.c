/*
 * Runs that are stopped at any tick of their work: what is known then is a true interval, its
 * assignment costs what is said, and nothing that was told before is lost. One case a method and a
 * number of threads.
 */
#include "tests/support/test.h"
#include "gpube/options/options.h"

#include "gpube/bound/bound.h"
#include "gpube/ir/model.h"
#include "tests/support/cases.h"
#include "tests/support/context.h"

enum { N_MODELS = 8, N_STOPS = 12 };

/* Of a few dozen variables: rings with chords, some cells forbidden. */
static struct gpube_model *make(uint64_t seed)
{
	struct gpube_model *m;
	struct gpube_rng rng;
	int32_t n, d;

	gpube__rng_init(&rng, seed);
	n = 16 + (int32_t)gpube__rng_below(&rng, 24);
	d = 2 + (int32_t)gpube__rng_below(&rng, 4);
	assert_int_equal(gpube_model_new(&m, ctx, GPUBE_COSTS), 0);
	gpube_model_set_top(m, 1000000);
	for (int32_t i = 0; i < n; i++)
		assert_int_equal(gpube_model_add_var(m, NULL, d, NULL), 0);
	for (int32_t f = 0; f < 2 * n; f++) {
		const int32_t a = f % n, b = (a + 1 + (int32_t)gpube__rng_below(&rng, 6)) % n;
		int64_t cost[25];

		for (int32_t c = 0; c < d * d; c++)
			cost[c] = gpube__rng_below(&rng, 20) ? (int64_t)gpube__rng_below(&rng, 100)
							     : 1000000;
		assert_int_equal(gpube_model_add_costs(m, 2, (int32_t[]){a, b}, cost), 0);
	}
	return m;
}

struct way {
	const char *name;
	enum gpube_bound_method method;
	int n_threads;
	enum gpube_ascent_regions regions;
};

/* What was told. */
struct told {
	int64_t bound, cost;
};

static void improved(void *arg, int64_t bound, int64_t cost, const int32_t *values)
{
	struct told *t = arg;

	assert_true(bound >= t->bound);
	t->bound = bound;
	if (values) {
		assert_true(cost <= t->cost);
		t->cost = cost;
	}
}

/* A run that is stopped after so many seconds of work, 0: never; what it took. */
static double run(const struct way *way, uint64_t seed, double until, int64_t optimum)
{
	const struct gpube_opts opts = {.method = way->method, .regions = way->regions};
	struct told told = {.bound = INT64_MIN, .cost = INT64_MAX};
	const struct gpube_watch watch = {.arg = &told, .improved = improved};
	struct gpube_solution *found;
	struct gpube_model *m;
	double worked;
	int64_t cost;
	int status;

	assert_int_equal(ctx_open(way->n_threads, (uint64_t)1 << 26), 0);
	m = make(seed);
	if (until > 0)
		(void)gpube__work_until(ctx, until);
	status = gpube__solve_noted(&found, NULL, m, &opts, &watch);
	assert_true(status == GPUBE_OK || status == GPUBE_ELIMIT ||
		    (status == GPUBE_ESTOP && until > 0));
	assert_non_null(found);
	if (found->answer == GPUBE_ANSWER_INFEASIBLE) {
		assert_true(optimum == INT64_MAX);
	} else {
		assert_true(found->bound <= optimum);
		assert_true(found->bound >= told.bound);
		assert_true((told.cost < INT64_MAX) <= (found->values != NULL));
	}
	if (found->values) {
		assert_int_equal(gpube_model_cost(&cost, m, found->values), 0);
		assert_true(cost == found->cost && cost >= optimum && cost <= told.cost);
	}
	if (found->answer == GPUBE_ANSWER_OPTIMAL)
		assert_true(found->cost == optimum && found->bound == optimum);
	gpube_result_free(found);
	gpube_model_free(m);
	worked = gpube__worked(ctx);
	gpube_ctx_free(ctx);
	return worked;
}

static int64_t optimum_of(uint64_t seed)
{
	const struct gpube_opts eliminate = {.method = GPUBE_BOUND_ELIMINATE};
	struct gpube_solution *s;
	struct gpube_model *m;
	int64_t optimum;

	assert_int_equal(ctx_open(1, (uint64_t)1 << 28), 0);
	m = make(seed);
	assert_int_equal(gpube_solve(&s, m, &eliminate), 0);
	optimum = s->answer == GPUBE_ANSWER_OPTIMAL ? s->cost : INT64_MAX;
	gpube_result_free(s);
	gpube_model_free(m);
	gpube_ctx_free(ctx);
	return optimum;
}

static void stops(void **state)
{
	const struct way *way = *state;
	int64_t n_stopped = 0;
	struct gpube_rng rng;

	gpube__rng_init(&rng, 5);
	for (uint64_t seed = 1; seed <= N_MODELS; seed++) {
		const int64_t optimum = optimum_of(seed);
		const double whole = run(way, seed, 0, optimum);

		for (int k = 0; k < N_STOPS; k++) {
			const double until = whole * gpube__rng_unit(&rng);

			n_stopped += run(way, seed, until, optimum) < whole;
		}
	}
	assert_true(n_stopped > N_MODELS * N_STOPS / 4); /* or nothing was stopped */
}

int main(void)
{
	static const struct way ways[] = {
		{"auto", GPUBE_BOUND_AUTO, 1, GPUBE_REGIONS_AUTO},
		{"auto", GPUBE_BOUND_AUTO, 3, GPUBE_REGIONS_AUTO},
		{"eliminate", GPUBE_BOUND_ELIMINATE, 1, GPUBE_REGIONS_AUTO},
		{"tree", GPUBE_BOUND_TREE, 1, GPUBE_REGIONS_AUTO},
		{"tree", GPUBE_BOUND_TREE, 3, GPUBE_REGIONS_AUTO},
		{"andor", GPUBE_BOUND_ANDOR, 1, GPUBE_REGIONS_AUTO},
		{"andor", GPUBE_BOUND_ANDOR, 3, GPUBE_REGIONS_AUTO},
		{"pairwise", GPUBE_BOUND_PAIRWISE, 1, GPUBE_REGIONS_AUTO},
		{"joins", GPUBE_BOUND_ASCENT, 1, GPUBE_REGIONS_AUTO},
		{"mini-buckets", GPUBE_BOUND_MBE, 1, GPUBE_REGIONS_AUTO},
		{"nested regions", GPUBE_BOUND_ASCENT, 1, GPUBE_REGIONS_NESTED},
		{"arc", GPUBE_BOUND_ARC, 1, GPUBE_REGIONS_AUTO},
	};
	struct cases c = {0};

	for (size_t k = 0; k < sizeof(ways) / sizeof(*ways); k++)
		add_case(&c, stops, &ways[k], "%s, %d threads", ways[k].name, ways[k].n_threads);
	return run_cases(&c, "interrupts", NULL, NULL);
}
