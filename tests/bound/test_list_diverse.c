/*
 * Lists with a distance against enumeration, one case a seed: each next assignment is the best of
 * those that differ from all before in so many variables, and the list ends where there is none.
 */
#include "tests/support/test.h"
#include "gpube/partial.h"
#include "gpube/globals.h"
#include "gpube/options/options.h"

#include "tests/support/cases.h"
#include "tests/support/context.h"
#include "tests/support/random_model.h"

enum { N_SEEDS = 150 };

static int apart(const struct gpube_model *m, const int32_t *a, const int32_t *b)
{
	int n = 0;

	for (int32_t v = 0; v < m->n_vars; v++)
		n += !m->vars[v].hidden && a[v] != b[v];
	return n;
}

/* The least cost, to be minimised, of what is so far from the first k; GPUBE_INF: there is none. */
static int64_t best_of(const struct gpube_model *m, const struct gpube_list *l, int64_t k,
	int distance, int64_t sign)
{
	int32_t *values = calloc((size_t)m->n_vars + 1, sizeof(*values));
	int64_t best = GPUBE_INF, cost;

	assert_non_null(values);
	do {
		bool far = true;

		assert_int_equal(gpube_model_cost(&cost, m, values), GPUBE_OK);
		for (int32_t v = 0; v < m->n_vars && far; v++)
			far = gpube_model_observed(m, v) < 0 ||
			      values[v] == gpube_model_observed(m, v);
		for (int64_t j = 0; j < k && far; j++)
			far = apart(m, values, l->values + j * m->n_vars) >= distance;
		if (far && cost != GPUBE_INF && sign * cost < best)
			best = sign * cost;
	} while (next_assignment(values, m));
	free(values);
	return best;
}

static void check(const struct gpube_model *m, const struct gpube_opts *o)
{
	const int64_t sign = m->direction == GPUBE_MAXIMISE ? -1 : 1;
	struct gpube_list *l;
	int64_t next;

	if (gpube_list(&l, m, o) != GPUBE_OK)
		fail_msg("%s", gpube_error(m->ctx));
	assert_in_range(l->n, 0, o->most);
	for (int64_t k = 0; k < l->n; k++) {
		int64_t cost;

		assert_int_equal(gpube_model_cost(&cost, m, l->values + k * m->n_vars), 0);
		assert_true(cost == l->costs[k]);
		assert_true(sign * cost == best_of(m, l, k, o->distance, sign));
		for (int64_t j = 0; j < k; j++)
			assert_true(apart(m, l->values + k * m->n_vars,
					    l->values + j * m->n_vars) >= o->distance);
	}
	next = best_of(m, l, l->n, o->distance, sign);
	if (l->more == 0 && o->has_limit)
		assert_true(next == GPUBE_INF || next > sign * o->limit);
	else if (l->more == 0)
		assert_true(next == GPUBE_INF);
	else
		assert_true(l->more == -1 && l->n == o->most);
	gpube_result_free(l);
}

static void seed_case(void **state)
{
	const uint64_t seed = (uint64_t)(uintptr_t)*state;
	const struct random_spec spec = random_spec_varied(seed, GPUBE_COSTS);
	struct gpube_model *m = random_model(ctx, &spec, seed);
	struct gpube_opts o = {.most = 1 + (int64_t)(seed % 5), .distance = 2 + (int)(seed % 3)};

	check(m, &o);
	if (m->n_vars && seed % 2) {
		assert_int_equal(gpube_model_observe(m, 0, 0), 0);
		check(m, &o);
	}
	o.has_limit = 1;
	o.limit = 20;
	check(m, &o);
	gpube_model_free(m);
}

/* What a wide function adds counts nowhere. */
static void hidden(void **state)
{
	enum { N = 8 };
	const struct gpube_opts o = {.most = 20, .distance = 4};
	struct gpube_term terms[N];
	struct gpube_model *m;
	struct gpube_list *l;

	(void)state;
	assert_int_equal(gpube_model_new(&m, ctx, GPUBE_COSTS), 0);
	for (int v = 0; v < N; v++) {
		const int64_t costs[] = {v, 2 * v % 3, 5 - v};

		terms[v] = (struct gpube_term){v, -1, v + 3};
		assert_int_equal(gpube_model_add_var(m, NULL, 3, NULL), 0);
		assert_int_equal(gpube_model_add_costs(m, 1, &v, costs), 0);
	}
	assert_int_equal(gpube_model_add_linear(m, N, terms, GPUBE_AT_LEAST, 60, 2, 1), 0);
	assert_true(m->n_hidden > 0);
	assert_int_equal(gpube_list(&l, m, &o), 0);
	assert_in_range(l->n, 2, 20);
	for (int64_t k = 0; k < l->n; k++) {
		assert_true(k == 0 || l->costs[k] >= l->costs[k - 1]);
		for (int64_t j = 0; j < k; j++)
			assert_true(apart(m, l->values + k * m->n_vars,
					    l->values + j * m->n_vars) >= 4);
	}
	gpube_result_free(l);
	gpube_model_free(m);
}

/* Of potentials: the best one, and what differs from it in both variables. */
static void potentials(void **state)
{
	const struct gpube_opts o = {.most = 9, .distance = 2};
	const double p[2][2] = {{0.9, 0.1}, {0.2, 0.8}};
	const int32_t scope[] = {0, 1};
	struct gpube_model *m;
	struct gpube_list *l;

	(void)state;
	assert_int_equal(gpube_model_new(&m, ctx, GPUBE_POTENTIALS), 0);
	for (int v = 0; v < 2; v++) {
		assert_int_equal(gpube_model_add_var(m, NULL, 2, NULL), 0);
		assert_int_equal(gpube_model_add_potentials(m, 1, &scope[v], p[v]), 0);
	}
	assert_int_equal(gpube_list(&l, m, &o), 0);
	assert_int_equal(l->n, 2);
	assert_int_equal(l->more, 0);
	assert_int_equal(l->values[0], 0);
	assert_int_equal(l->values[1], 1);
	assert_int_equal(l->values[2], 1);
	assert_int_equal(l->values[3], 0);
	gpube_result_free(l);
	gpube_model_free(m);
}

int main(void)
{
	struct cases c = {0};

	add_seeds(&c, seed_case, N_SEEDS, "costs, seed");
	ADD_CASE(&c, hidden);
	ADD_CASE(&c, potentials);
	return run_cases(&c, "list_diverse", ctx_setup_1_thread, ctx_teardown);
}
