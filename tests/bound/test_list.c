/*
 * The best assignments against enumeration, one case a seed: their costs are the least ones, each
 * assignment is there once and costs what it is said to, and whether there are more is known; with
 * exact bounds and with mini-buckets of one variable.
 */
#include "tests/support/test.h"
#include "gpube/partial.h"
#include "gpube/options/options.h"

#include <math.h>

#include "tests/support/cases.h"
#include "tests/support/context.h"
#include "tests/support/random_model.h"

enum { N_SEEDS = 300 };

static int compare(const void *a, const void *b)
{
	const int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;

	return (x > y) - (x < y);
}

/* The costs of all assignments that are allowed, to be minimised, the least in front. */
static int64_t enumerate(int64_t **costs, const struct gpube_model *m, int64_t sign)
{
	int32_t *values = calloc((size_t)m->n_vars + 1, sizeof(*values));
	int64_t n = 0, capacity = 16;

	*costs = malloc((size_t)capacity * sizeof(**costs));
	assert_non_null(values);
	do {
		int64_t cost;

		assert_int_equal(gpube_model_cost(&cost, m, values), GPUBE_OK);
		if (cost == GPUBE_INF)
			continue;
		if (n == capacity)
			*costs = realloc(*costs, (size_t)(capacity *= 2) * sizeof(**costs));
		assert_non_null(*costs);
		(*costs)[n++] = sign * cost;
	} while (next_assignment(values, m));
	free(values);
	qsort(*costs, (size_t)n, sizeof(**costs), compare);
	return n;
}

/* 'n' of the costs are within the limit. */
static void check(const struct gpube_model *m, const int64_t *costs, int64_t n, int64_t sign,
	const struct gpube_opts *opts)
{
	struct gpube_list *b;

	if (gpube_list(&b, m, opts) != GPUBE_OK)
		fail_msg("%s", gpube_error(m->ctx));
	assert_int_equal(b->n, n < opts->most ? n : opts->most);
	assert_int_equal(b->more, n > opts->most);
	for (int64_t k = 0; k < b->n; k++) {
		const int32_t *values = b->values + k * m->n_vars;
		int64_t cost;

		assert_int_equal(gpube_model_cost(&cost, m, values), GPUBE_OK);
		assert_int_equal(cost, b->costs[k]);
		assert_int_equal(sign * cost, costs[k]);
		for (int64_t j = 0; j < k; j++)
			assert_true(m->n_vars > 0 && memcmp(values, b->values + j * m->n_vars,
							     (size_t)m->n_vars * sizeof(*values)));
	}
	gpube_result_free(b);
}

static void test_seed(void **state)
{
	const uint64_t seed = (uint64_t)(uintptr_t)*state;
	const struct random_spec spec = random_spec_varied(seed, GPUBE_COSTS);
	struct gpube_model *m = random_model(ctx, &spec, seed);
	const int64_t sign = spec.direction == GPUBE_MAXIMISE ? -1 : 1;
	int64_t *costs, n, within;

	assert_non_null(m);
	n = enumerate(&costs, m, sign);
	for (int ibound = 0; ibound < 2; ibound++) {
		struct gpube_opts opts = {.most = 1 + (int64_t)(seed % 7), .ibound = ibound};

		check(m, costs, n, sign, &opts);
		if (!n)
			continue;
		/* the optima alone, and those of up to the middle's cost */
		for (int k = 0; k < 2; k++) {
			opts.has_limit = true;
			opts.limit = sign * costs[k * n / 2];
			opts.most = 50;
			for (within = 0; within < n && costs[within] <= sign * opts.limit; within++)
				;
			check(m, costs, within, sign, &opts);
		}
	}
	free(costs);
	gpube_model_free(m);
}

/* Of a network: what has a probability, the most probable in front. */
static void potentials(void **state)
{
	struct random_spec spec = random_spec_varied(7, GPUBE_POTENTIALS);
	const struct gpube_opts opts = {.most = 100000};
	struct gpube_model *m;
	struct gpube_list *b;
	struct brute brute;
	double log_value, before = INFINITY;

	(void)state;
	spec.odd_potentials = false;
	m = random_model(ctx, &spec, 7);
	assert_non_null(m);
	assert_int_equal(brute_force(&brute, NULL, m), GPUBE_OK);
	assert_int_equal(gpube_list(&b, m, &opts), GPUBE_OK);
	assert_int_equal(b->n, brute.n_feasible);
	assert_false(b->more);
	for (int64_t k = 0; k < b->n; k++) {
		assert_int_equal(
			gpube_model_log_value(&log_value, m, b->values + k * m->n_vars), GPUBE_OK);
		assert_true(log_value <= before + 1e-6);
		before = log_value;
	}
	gpube_result_free(b);
	gpube_model_free(m);
}

int main(void)
{
	struct cases c = {0};

	add_seeds(&c, test_seed, N_SEEDS, "costs, seed");
	ADD_CASE(&c, potentials);
	return run_cases(&c, "list", ctx_setup_1_thread, ctx_teardown);
}
