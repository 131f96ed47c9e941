/*
 * Variables that all differ: costs moved by the duals of their assignment problem. Every assignment
 * costs what it did, by all of them; the constant is the optimum of the unary costs, by all
 * permutations.
 */
#include "tests/support/test.h"

#include <string.h>

#include "gpube/simplify/assign.h"
#include "tests/support/context.h"
#include "tests/support/memory.h"

enum { MOST = 5 };

/* n that all differ, beside others, in an order by chance; extra: pairs cost something, too. */
struct drawn {
	uint64_t seed;
	int32_t n, others, clique[MOST];
	int64_t unary[MOST][MOST], constant;
	bool extra, maximise;
};

static struct gpube_model *draw(struct gpube_ctx *c, const void *arg)
{
	struct drawn *d = (struct drawn *)(uintptr_t)arg;
	int64_t cells[MOST * MOST];
	struct gpube_model *m;
	struct gpube_rng rng;

	gpube__rng_init(&rng, d->seed);
	d->n = 2 + (int32_t)gpube__rng_below(&rng, MOST - 1);
	d->others = (int32_t)gpube__rng_below(&rng, 2);
	d->extra = gpube__rng_below(&rng, 2);
	d->maximise = gpube__rng_below(&rng, 2);
	if (gpube_model_new(&m, c, GPUBE_COSTS))
		return NULL;
	gpube_model_set_direction(m, d->maximise ? GPUBE_MAXIMISE : GPUBE_MINIMISE);
	for (int32_t v = 0; v < d->n + d->others; v++)
		gpube_model_add_var(m, NULL, v < d->others ? 2 : d->n, NULL);
	for (int32_t i = 0; i < d->n; i++) {
		d->clique[i] = d->others + i;
		for (int32_t a = 0; a < d->n; a++) {
			const int64_t r = (int64_t)gpube__rng_below(&rng, 12);

			d->unary[i][a] = r == 11 ? GPUBE_INF : 3 * r - 7;
		}
		gpube_model_add_costs(m, 1, &d->clique[i], d->unary[i]);
		for (int32_t j = 0; j < i; j++) {
			for (int32_t k = 0; k < d->n * d->n; k++)
				cells[k] = k % (d->n + 1) == 0 ? GPUBE_INF
					   : d->extra          ? (int64_t)gpube__rng_below(&rng, 5)
							       : 0;
			gpube_model_add_costs(
				m, 2, (const int32_t[]){d->clique[i], d->clique[j]}, cells);
		}
	}
	d->constant = (int64_t)gpube__rng_below(&rng, 9) - 4;
	gpube_model_add_costs(m, 0, NULL, &d->constant);
	return m;
}

/* The least sum of unary costs of values that differ; GPUBE_INF: none is allowed. */
static int64_t best(const struct drawn *d, int32_t i, unsigned taken)
{
	int64_t least = GPUBE_INF;

	if (i == d->n)
		return 0;
	for (int32_t a = 0; a < d->n; a++) {
		const int64_t c = d->unary[i][a];
		int64_t rest;

		if (taken >> a & 1 || c == GPUBE_INF)
			continue;
		rest = best(d, i + 1, taken | 1u << a);
		if (rest != GPUBE_INF && (d->maximise ? -c : c) + rest < least)
			least = (d->maximise ? -c : c) + rest;
	}
	return least;
}

static bool next(int32_t *values, const struct gpube_model *m)
{
	for (int32_t v = 0; v < m->n_vars; v++) {
		if (++values[v] < m->vars[v].domain)
			return true;
		values[v] = 0;
	}
	return false;
}

static void moved_costs(void **state)
{
	int n_moved = 0;

	(void)state;
	for (uint64_t seed = 0; seed < 400; seed++) {
		struct drawn d = {.seed = seed};
		struct gpube_model *m = draw(ctx, &d), out;
		int32_t values[MOST + 2] = {0};
		const int64_t least = best(&d, 0, 0);
		bool moved;

		assert_non_null(m);
		assert_int_equal(gpube__assign(&out, m, &moved), GPUBE_OK);
		if (moved) {
			const int sign = d.maximise ? -1 : 1;

			n_moved++;
			assert_true(least != GPUBE_INF);
			assert_true(sign * (out.constant - d.constant) == least);
			do {
				int64_t before, after;

				assert_int_equal(gpube_model_cost(&before, m, values), 0);
				assert_int_equal(gpube_model_cost(&after, &out, values), 0);
				assert_true(before == after);
			} while (next(values, m));
			/* what is left of a variable's allowed values is not negative */
			for (int32_t i = 0; i < d.n; i++)
				for (int32_t a = 0; a < d.n; a++) {
					int64_t left = 0, cells[MOST];

					for (int32_t f = 0; f < out.n_functions; f++)
						if (out.functions[f].arity == 1 &&
							gpube__scope(&out, f)[0] == d.clique[i]) {
							gpube_model_costs(cells, &out, f);
							left = cells[a] == GPUBE_INF ||
									       left == GPUBE_INF
								       ? GPUBE_INF
								       : left + sign * cells[a];
						}
					assert_true(left >= 0);
				}
			gpube__model_return(&out, m);
		}
		gpube_model_free(m);
	}
	assert_true(n_moved > 100);
}

static int assign_scarcely(struct gpube_ctx *c, struct gpube_model *m, const void *arg)
{
	struct gpube_model out;
	bool moved;
	int status = gpube__assign(&out, m, &moved);

	(void)c;
	(void)arg;
	if (!status && moved)
		gpube__model_return(&out, m);
	return status;
}

static void out_of_memory(void **state)
{
	struct drawn d = {.seed = 3};

	(void)state;
	assert_true(fail_each_allocation(assign_scarcely, draw, &d, 0) > 10);
}

/* Costs of 30 variables that all differ: proved by the simplification and a short search. */
static void thirty(void **state)
{
	enum { N = 30 };
	struct gpube_model *m;
	struct gpube_solution *s;
	struct gpube_rng rng;
	int32_t scope[2];
	int64_t costs[N], differ[N * N];

	(void)state;
	gpube__rng_init(&rng, 1);
	for (int32_t k = 0; k < N * N; k++)
		differ[k] = k % (N + 1) ? 0 : GPUBE_INF;
	assert_int_equal(gpube_model_new(&m, ctx, GPUBE_COSTS), 0);
	for (scope[0] = 0; scope[0] < N; scope[0]++) {
		assert_int_equal(gpube_model_add_var(m, NULL, N, NULL), 0);
		for (int32_t a = 0; a < N; a++)
			costs[a] = (int64_t)gpube__rng_below(&rng, 1000);
		assert_int_equal(gpube_model_add_costs(m, 1, scope, costs), 0);
		for (scope[1] = 0; scope[1] < scope[0]; scope[1]++)
			assert_int_equal(gpube_model_add_costs(m, 2, scope, differ), 0);
	}
	assert_int_equal(gpube_solve(&s, m, NULL), GPUBE_OK);
	assert_int_equal(s->answer, GPUBE_ANSWER_OPTIMAL);
	gpube_result_free(s);
	gpube_model_free(m);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(moved_costs),
		cmocka_unit_test(out_of_memory),
		cmocka_unit_test(thirty),
	};

	return cmocka_run_group_tests(tests, ctx_setup, ctx_teardown);
}
