/*
 * Mini-buckets against enumeration: one case a seed. No bound is ever above the
 * optimum, with every z, partition, cell limit and cutoff, matched or not; with
 * z as large as the model it is the optimum.
 */
#include "tests/support/test.h"
#include "gpube/options/options.h"

#include "gpube/relax/mbe/mbe.h"
#include "gpube/ops/rates.h"
#include "gpube/simplify/simplify.h"
#include "tests/support/cases.h"
#include "tests/support/context.h"
#include "tests/support/memory.h"
#include "tests/support/random_model.h"

#include <math.h>

enum { N_SEEDS = 300 };

struct subject {
	const struct gpube_model *m; /* simplified */
	int64_t optimum;             /* of it; GPUBE_INF: infeasible */
	int32_t *order, *values;
};

/* 'limit' can hide what is above it, and nothing else. */
static void check_run(
	const struct subject *t, const struct gpube_mbe *mbe, int64_t limit, bool match)
{
	int64_t bound, cost;

	assert_int_equal(
		gpube__mbe_run(&bound, t->values, mbe, GPUBE_BACKEND_CPU, limit, match, NULL), 0);
	if (bound == GPUBE_INF)
		assert_true(t->optimum == GPUBE_INF);
	else if (bound < limit)
		assert_true(bound <= t->optimum);
	else
		assert_true(t->optimum >= limit);
	assert_int_equal(gpube_model_cost(&cost, t->m, t->values), 0);
	assert_true(cost >= t->optimum);
	if (mbe->n_split)
		return;
	if (t->optimum < limit) {
		assert_true(bound == t->optimum);
		assert_true(cost == t->optimum);
	} else {
		assert_true(bound >= limit);
	}
}

/*
 * At rates that favour a device, which need not be there: the same bound and the same assignment.
 */
static void check_places(const struct subject *t, const struct gpube_mbe *mbe, bool match)
{
	const size_t size = (size_t)t->m->n_vars * sizeof(*t->values);
	int32_t *here = malloc(size + 1);
	struct gpube_rates rates;
	const char *name = NULL;
	int64_t bound[2];

	assert_non_null(here);
	gpube__rates_estimate(&rates, 1);
	rates.devices[0].launch = rates.devices[0].round_trip = rates.devices[0].open = 1e-15;
	rates.devices[0].upload = rates.devices[0].download = 1e18;
	rates.core.add_min_int32 = rates.core.add_min_int64 = rates.core.copy = 1;
	assert_int_equal(gpube__rates_set(ctx, &rates), 0);
	memset(t->values, 0, size);
	assert_int_equal(gpube__mbe_run(&bound[0], t->values, mbe, GPUBE_BACKEND_CPU, t->m->top,
				 match, &name),
		0);
	assert_string_equal(name, "cpu");
	memcpy(here, t->values, size);
	memset(t->values, 0, size);
	assert_int_equal(gpube__mbe_run(&bound[1], t->values, mbe, GPUBE_BACKEND_AUTO, t->m->top,
				 match, &name),
		0);
	assert_true(bound[0] == bound[1]);
	assert_memory_equal(here, t->values, size);
	free(here);
}

static void check_plan(const struct gpube_mbe *mbe, int z)
{
	int32_t inputs = 0;

	for (int32_t k = 0; k < mbe->n_minis; k++) {
		const struct gpube_mini *mini = &mbe->minis[k];
		int32_t widest = 0;

		inputs += mini->n_in;
		for (int32_t j = 0; j < mini->n_in; j++) {
			int32_t id = mbe->inputs[mini->in_at + j];
			int32_t n = id >= 0 ? mbe->m->functions[id].arity : mbe->minis[~id].n_scope;

			widest = n > widest ? n : widest;
		}
		/* z, or a single scope that is larger by itself */
		assert_true(mini->n_scope + 1 <= (widest > z ? widest : z) || mini->n_in == 0);
	}
	for (int32_t f = 0; f < mbe->m->n_functions; f++)
		inputs -= mbe->m->functions[f].arity > 0;
	for (int32_t k = 0; k < mbe->n_minis; k++)
		inputs -= mbe->minis[k].consumer >= 0;
	assert_int_equal(inputs, 0); /* each function and message once */
}

static void every_setting(const struct subject *t)
{
	for (int z = 1; z <= t->m->n_vars + 1; z++)
		for (int how = 0; how <= GPUBE_PARTITION_MERGE; how++) {
			struct gpube_mbe mbe;
			double cells = z % 3 == 0 ? 8 : INFINITY;

			assert_int_equal(gpube__mbe_init(&mbe, t->m, t->order, z, cells,
						 (enum gpube_partition)how),
				0);
			if (z > t->m->n_vars && cells > 8)
				assert_int_equal(mbe.n_split, 0);
			check_plan(&mbe, z);
			if (z == 3 && how == 0)
				check_places(t, &mbe, t->m->n_vars % 2);
			for (int match = 0; match < 2; match++) {
				check_run(t, &mbe, t->m->top, match);
				if (t->optimum == GPUBE_INF)
					continue;
				check_run(t, &mbe, t->optimum, match);
				check_run(t, &mbe, t->optimum + 1, match);
				check_run(t, &mbe, t->optimum - 1, match);
				check_run(t, &mbe, t->optimum + 7, match);
			}
			gpube__mbe_clear(&mbe);
		}
}

static void check_model(const struct gpube_model *m, uint64_t seed, bool reductions)
{
	struct gpube_simplified s;
	struct subject t;
	struct gpube_rng rng;
	struct brute brute;
	uint64_t n;

	assert_int_equal(gpube__simplify(&s, m, reductions), 0);
	if (s.infeasible) {
		gpube__simplified_clear(ctx, &s);
		return;
	}
	n = (uint64_t)s.model->n_vars;
	assert_int_equal(brute_force(&brute, NULL, s.model), 0);
	t = (struct subject){s.model, brute.feasible ? brute.cost : GPUBE_INF,
		gpube__alloc(ctx, n, sizeof(*t.order)), gpube__alloc(ctx, n, sizeof(*t.values))};
	gpube__rng_init(&rng, seed);
	for (int32_t i = 0; i < s.model->n_vars; i++) {
		int32_t j = (int32_t)gpube__rng_below(&rng, (uint64_t)i + 1);

		t.order[i] = t.order[j];
		t.order[j] = i;
	}
	every_setting(&t);
	gpube__free(ctx, t.order);
	gpube__free(ctx, t.values);
	gpube__simplified_clear(ctx, &s);
}

static void random_costs(void **state)
{
	uint64_t seed = (uint64_t)(uintptr_t)*state;
	struct random_spec spec = random_spec_varied(seed, GPUBE_COSTS);
	struct gpube_model *m = random_model(ctx, &spec, seed);

	assert_non_null(m);
	check_model(m, seed, seed % 2);
	gpube_model_free(m);
}

/* The example of the paper's figure 3 in spirit: a split bucket loses, and says less, not more. */
static void a_split_bucket_loses(void **state)
{
	struct gpube_model *m;
	struct gpube_mbe mbe;
	int64_t bound;
	const int64_t agree[] = {0, 5, 5, 0}, differ[] = {4, 0, 0, 4};

	(void)state;
	assert_int_equal(gpube_model_new(&m, ctx, GPUBE_COSTS), 0);
	for (int i = 0; i < 3; i++)
		assert_int_equal(gpube_model_add_var(m, NULL, 2, NULL), 0);
	assert_int_equal(gpube_model_add_costs(m, 2, (int32_t[]){0, 1}, agree), 0);
	assert_int_equal(gpube_model_add_costs(m, 2, (int32_t[]){0, 2}, agree), 0);
	assert_int_equal(gpube_model_add_costs(m, 2, (int32_t[]){1, 2}, differ), 0);
	for (int z = 2; z <= 3; z++) {
		assert_int_equal(gpube__mbe_init(&mbe, m, (int32_t[]){0, 1, 2}, z, INFINITY,
					 GPUBE_PARTITION_SCOPE),
			0);
		assert_int_equal(mbe.n_split, z == 2);
		assert_int_equal(gpube__mbe_run(&bound, NULL, &mbe, GPUBE_BACKEND_CPU, GPUBE_INF,
					 false, NULL),
			0);
		assert_int_equal(bound, z == 2 ? 0 : 4);
		gpube__mbe_clear(&mbe);
	}
	gpube_model_free(m);
}

/* Two unary-like halves of one bucket: averages of odd numbers, nothing lost or gained. */
static void matching_helps_and_is_exact(void **state)
{
	struct gpube_model *m;
	struct gpube_mbe mbe;
	int64_t plain, matched;
	const int64_t up[] = {0, 0, 7, 7}, down[] = {7, 7, 0, 0};

	(void)state;
	assert_int_equal(gpube_model_new(&m, ctx, GPUBE_COSTS), 0);
	for (int i = 0; i < 3; i++)
		assert_int_equal(gpube_model_add_var(m, NULL, 2, NULL), 0);
	assert_int_equal(gpube_model_add_costs(m, 2, (int32_t[]){0, 1}, up), 0);
	assert_int_equal(gpube_model_add_costs(m, 2, (int32_t[]){0, 2}, down), 0);
	assert_int_equal(
		gpube__mbe_init(&mbe, m, (int32_t[]){0, 1, 2}, 2, INFINITY, GPUBE_PARTITION_SCOPE),
		0);
	assert_int_equal(
		gpube__mbe_run(&plain, NULL, &mbe, GPUBE_BACKEND_CPU, GPUBE_INF, false, NULL), 0);
	assert_int_equal(
		gpube__mbe_run(&matched, NULL, &mbe, GPUBE_BACKEND_CPU, GPUBE_INF, true, NULL), 0);
	assert_int_equal(plain, 0);
	assert_int_equal(matched, 7);
	gpube__mbe_clear(&mbe);
	gpube_model_free(m);
}

int main(void)
{
	struct cases c = {0};

	add_numbers(&c, random_costs, N_SEEDS, "random costs, seed");
	ADD_CASE(&c, a_split_bucket_loses);
	ADD_CASE(&c, matching_helps_and_is_exact);
	return run_cases(&c, "mbe", ctx_setup_1_thread, ctx_teardown);
}
