/*
 * Mini-buckets against enumeration: one case a seed. No bound is ever above the
 * optimum, with every z, partition, cell limit and cutoff, matched or not; with
 * z as large as the model it is the optimum.
 */
#include "tests/support/test.h"

#include "gpube/mbe.h"
#include "gpube/simplify.h"
#include "tests/support/random_model.h"

#include <math.h>

enum { N_SEEDS = 300 };

static struct gpube_ctx *ctx;

static int setup(void **state)
{
	struct gpube_ctx_opts opts = {.sizeof_options = sizeof(opts), .n_threads = 1};

	(void)state;
	return gpube_ctx_new(&ctx, &opts);
}

static int teardown(void **state)
{
	(void)state;
	gpube_ctx_free(ctx);
	return 0;
}

struct subject {
	const struct gpube_model *m; /* simplified */
	int64_t optimum;	     /* of it; GPUBE_INF: infeasible */
	int32_t *order, *values;
};

/* 'limit' can hide what is above it, and nothing else. */
static void check_run(const struct subject *t, const struct gpube_mbe *mbe, int64_t limit, bool match)
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
		for (int how = 0; how < 3; how++) {
			struct gpube_mbe mbe;
			double cells = z % 3 == 0 ? 8 : INFINITY;

			assert_int_equal(gpube__mbe_init(&mbe, t->m, t->order, z, cells,
						 (enum gpube_partition)how),
				0);
			if (z > t->m->n_vars && cells > 8)
				assert_int_equal(mbe.n_split, 0);
			check_plan(&mbe, z);
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
	uint64_t seed = *(uint64_t *)*state;
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
		assert_int_equal(gpube__mbe_run(
			&bound, NULL, &mbe, GPUBE_BACKEND_CPU, GPUBE_INF, false, NULL), 0);
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
	assert_int_equal(gpube__mbe_init(&mbe, m, (int32_t[]){0, 1, 2}, 2, INFINITY,
				 GPUBE_PARTITION_SCOPE),
		0);
	assert_int_equal(
		gpube__mbe_run(&plain, NULL, &mbe, GPUBE_BACKEND_CPU, GPUBE_INF, false, NULL),
		0);
	assert_int_equal(
		gpube__mbe_run(&matched, NULL, &mbe, GPUBE_BACKEND_CPU, GPUBE_INF, true, NULL),
		0);
	assert_int_equal(plain, 0);
	assert_int_equal(matched, 7);
	gpube__mbe_clear(&mbe);
	gpube_model_free(m);
}

int main(void)
{
	static uint64_t seeds[N_SEEDS];
	static char names[N_SEEDS][32];
	static struct CMUnitTest tests[N_SEEDS + 2];
	size_t n = 0;

	for (; n < N_SEEDS; n++) {
		seeds[n] = n;
		snprintf(names[n], sizeof(names[n]), "random_costs_%zu", n);
		tests[n] = (struct CMUnitTest){names[n], random_costs, NULL, NULL, &seeds[n]};
	}
	tests[n++] = (struct CMUnitTest)cmocka_unit_test(a_split_bucket_loses);
	tests[n++] = (struct CMUnitTest)cmocka_unit_test(matching_helps_and_is_exact);
	return cmocka_run_group_tests(tests, setup, teardown);
}
