/*
 * Tabu search keeps up what each change would cost, of functions with a dense copy and of those too
 * wide for one.
 */
#include "tests/support/test.h"

#include "gpube/ir/dense.h"
#include "gpube/relax/search.h"
#include "tests/support/cases.h"
#include "tests/support/context.h"
#include "tests/support/small_model.h"

enum { N_VARS = 30, N_TUPLES = 12 };

/* Over 'arity' variables from 'first' on: tuples near the zeros, forbidden ones among them. */
static void add_wide(struct gpube_model *m, int32_t first, int arity, struct gpube_rng *rng)
{
	struct gpube_table t = {.type = GPUBE_INT8, .sparse = true, .arity = arity, .n = N_TUPLES};
	int32_t scope[N_VARS], table;
	int64_t twice;

	t.dflt.i = (int64_t)gpube__rng_below(rng, 20);
	t.tuples = gpube__alloc(ctx, (uint64_t)(N_TUPLES * arity), sizeof(*t.tuples));
	t.values = gpube__alloc(ctx, N_TUPLES, 1);
	for (int k = 0; k < N_TUPLES; k++) {
		for (int j = 0; j < arity; j++)
			t.tuples[k * arity + j] = 0;
		/* each its own place, so that no tuple is twice there */
		t.tuples[k * arity + k] = 1 + (int32_t)gpube__rng_below(rng, 2);
		t.tuples[k * arity + arity - 1] = (int32_t)gpube__rng_below(rng, 3);
		((int8_t *)t.values)[k] = k % 4 ? (int8_t)gpube__rng_below(rng, 40) : INT8_MAX;
	}
	for (int j = 0; j < arity; j++)
		scope[j] = first + j;
	assert_int_equal(gpube__sort_tuples(ctx, &t, &twice), 0);
	assert_true(twice == -1);
	assert_int_equal(gpube__add_table(m, &table, &t), 0);
	assert_int_equal(gpube__add_function(m, arity, scope, table, NULL), 0);
}

static struct gpube_model *wide_model(uint64_t seed)
{
	struct gpube_model *m = new_model(N_VARS, 3);
	struct gpube_rng rng;
	int64_t costs[9];

	gpube__rng_init(&rng, seed);
	add_wide(m, 0, 20, &rng);
	add_wide(m, 5, 25, &rng);
	for (int32_t i = 0; i + 1 < N_VARS; i += 3) {
		for (int k = 0; k < 9; k++)
			costs[k] = (int64_t)gpube__rng_below(&rng, 30);
		assert_int_equal(gpube_model_add_costs(m, 2, (int32_t[]){i, i + 1}, costs), 0);
	}
	return m;
}

/* A forbidden cell as the search prices it. */
static int64_t price(const struct gpube_search *s, const int32_t *values)
{
	int64_t sum = 0;

	for (int32_t f = 0; f < s->m->n_functions; f++) {
		int64_t v = gpube__function_cost(s->m, f, values);

		sum += v < s->forbidden ? v : s->forbidden;
	}
	return sum;
}

static void changes_cost_what_is_kept(void **state)
{
	(void)state;
	for (uint64_t seed = 0; seed < 20; seed++) {
		struct gpube_model *m = wide_model(seed);
		struct gpube_search *s;

		assert_int_equal(gpube__search_new(&s, ctx, m, seed), 0);
		assert_null(s->dense[0]);
		assert_non_null(s->dense[2]);
		for (int round = 0; round < 30; round++) {
			gpube__search_run(s, NULL, 1 + round);
			assert_true(s->now == price(s, s->values));
			for (int32_t i = 0; i < N_VARS; i++)
				for (int32_t a = 0; a < 3; a++) {
					const int32_t old = s->values[i];
					const int64_t more =
						s->cost[s->at[i] + a] - s->cost[s->at[i] + old];

					s->values[i] = a;
					assert_true(price(s, s->values) == s->now + more);
					s->values[i] = old;
				}
		}
		gpube__search_free(s);
		gpube_model_free(m);
	}
}

/* Many short runs are one long one: it starts again as often, and finds the same. */
static void pieces_are_one_run(void **state)
{
	enum { STEPS = 20000, PIECE = 40 };

	(void)state;
	for (uint64_t seed = 0; seed < 5; seed++) {
		struct gpube_model *m = wide_model(seed);
		struct gpube_search *s, *pieces;

		assert_int_equal(gpube__search_new(&s, ctx, m, seed), 0);
		assert_int_equal(gpube__search_new(&pieces, ctx, m, seed), 0);
		gpube__search_run(s, NULL, STEPS);
		for (int k = 0; k < STEPS / PIECE; k++)
			gpube__search_run(pieces, NULL, PIECE);
		assert_int_equal(s->step, pieces->step);
		assert_int_equal(s->best_cost, pieces->best_cost);
		assert_memory_equal(s->values, pieces->values, N_VARS * sizeof(*s->values));
		assert_memory_equal(s->best, pieces->best, N_VARS * sizeof(*s->best));
		/* no start is older than its patience */
		assert_true(s->step - s->last <= 500 + 10 * N_VARS + 1);
		gpube__search_free(pieces);
		gpube__search_free(s);
		gpube_model_free(m);
	}
}

int main(void)
{
	struct cases c = {0};

	ADD_CASE(&c, changes_cost_what_is_kept);
	ADD_CASE(&c, pieces_are_one_run);
	return run_cases(&c, "search", ctx_setup, ctx_teardown);
}
