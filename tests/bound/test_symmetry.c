/*
 * Values that may change places: fewer of them have the same optimum, by enumeration and under
 * gpube_bound().
 */
#include "tests/support/test.h"
#include "gpube/options/options.h"

#include "gpube/simplify/symmetry.h"
#include "tests/support/context.h"
#include "tests/support/random_model.h"
#include "tests/support/small_model.h"

enum { N_MODELS = 400 };

/*
 * Costs of a colouring: of equal values, of different ones, now and then of three variables by how
 * many are equal.
 */
static struct gpube_model *draw_colouring(uint64_t seed, bool *symmetric)
{
	struct gpube_rng rng;
	struct gpube_model *m;
	int n, d;

	gpube__rng_init(&rng, seed);
	n = 4 + (int)gpube__rng_below(&rng, 4);
	d = 2 + (int)gpube__rng_below(&rng, 3);
	m = new_model(n, d);
	for (int32_t i = 0; i < n; i++)
		for (int32_t j = i + 1; j < n; j++) {
			const int64_t equal = gpube__rng_below(&rng, 8)
						      ? (int64_t)gpube__rng_below(&rng, 9)
						      : X,
				      other = (int64_t)gpube__rng_below(&rng, 5);
			int64_t costs[16];

			for (int c = 0; c < d * d; c++)
				costs[c] = c / d == c % d ? equal : other;
			if (gpube__rng_below(&rng, 3))
				add(m, SCOPE(i, j), costs);
		}
	for (int k = 0; k < 2; k++) {
		const int32_t i = (int32_t)gpube__rng_below(&rng, (uint64_t)n - 2);
		const int64_t of[] = {
			(int64_t)gpube__rng_below(&rng, 9), (int64_t)gpube__rng_below(&rng, 9), 3};
		int64_t costs[64];

		for (int c = 0; c < d * d * d; c++) {
			const int x = c / (d * d), y = c / d % d, z = c % d;

			costs[c] = of[(x == y) + (y == z && x != y)];
		}
		add(m, SCOPE(i, i + 1, i + 2), costs);
	}
	*symmetric = gpube__rng_below(&rng, 3);
	if (!*symmetric) { /* one cell breaks it */
		int64_t costs[4] = {0};

		costs[gpube__rng_below(&rng, (uint64_t)d)] = 2;
		add(m, SCOPE((int32_t)gpube__rng_below(&rng, (uint64_t)n)), costs);
	}
	return m;
}

/* The best total of assignments of the values that are kept. */
static int64_t best_of_kept(const struct gpube_model *m, const int32_t *n_kept)
{
	int32_t values[8] = {0};
	int64_t best = GPUBE_INF;

	do {
		bool kept = true;
		int64_t cost;

		for (int32_t i = 0; i < m->n_vars; i++)
			kept &= values[i] < n_kept[i];
		assert_int_equal(gpube_model_cost(&cost, m, values), 0);
		if (kept && cost < best)
			best = cost;
	} while (next_assignment(values, m));
	return best;
}

static void keeps_the_optimum(void **state)
{
	int n_fewer = 0;

	(void)state;
	for (uint64_t seed = 1; seed <= N_MODELS; seed++) {
		bool symmetric;
		struct gpube_model *m = draw_colouring(seed, &symmetric);
		struct brute b;
		int32_t n_kept[8];
		double bits;

		assert_int_equal(brute_force(&b, NULL, m), 0);
		assert_int_equal(gpube__find_symmetry(&bits, n_kept, m), 0);
		assert_true(best_of_kept(m, n_kept) == (b.feasible ? b.cost : GPUBE_INF));
		if (symmetric)
			assert_true(bits >= 1);
		n_fewer += bits > 0;
		gpube_model_free(m);
	}
	assert_true(n_fewer > N_MODELS / 3 && n_fewer < N_MODELS);
}

/* All turned round are the same, but two that change places are not. */
static void leaves_others_alone(void **state)
{
	struct gpube_model *m = new_model(3, 3);
	int32_t n_kept[3];
	double bits;

	(void)state;
	add(m, SCOPE(0, 1), COSTS(0, 1, 2, 2, 0, 1, 1, 2, 0));
	add(m, SCOPE(1, 2), COSTS(0, 1, 2, 2, 0, 1, 1, 2, 0));
	assert_int_equal(gpube__find_symmetry(&bits, n_kept, m), 0);
	assert_true(bits == 0);
	for (int i = 0; i < 3; i++)
		assert_int_equal(n_kept[i], 3);
	gpube_model_free(m);
}

/*
 * A clique of which one has most to do: that one has a value, and the two beside it, and no
 * variable of another part.
 */
static void chooses_neighbours(void **state)
{
	struct gpube_model *m = new_model(5, 3);
	int32_t n_kept[5];
	double bits;

	(void)state;
	for (int32_t i = 1; i < 4; i++)
		for (int32_t j = i + 1; j < 4; j++)
			add(m, SCOPE(i, j), COSTS(X, 0, 0, 0, X, 0, 0, 0, X));
	add(m, SCOPE(0, 2), COSTS(1, 0, 0, 0, 1, 0, 0, 0, 1));
	assert_int_equal(gpube__find_symmetry(&bits, n_kept, m), 0);
	assert_int_equal(n_kept[2], 1);
	assert_int_equal(n_kept[1] + n_kept[3], 2 + 3);
	assert_int_equal(n_kept[0], 3);
	assert_int_equal(n_kept[4], 3);
	gpube_model_free(m);
}

static void bounds_are_of_the_whole(void **state)
{
	(void)state;
	for (uint64_t seed = 1; seed <= N_MODELS / 4; seed++) {
		bool symmetric;
		struct gpube_model *m = draw_colouring(seed, &symmetric);
		struct brute b;
		int32_t values[8];

		assert_int_equal(brute_force(&b, values, m), 0);
		for (int k = 0; k < 4; k++) {
			const struct gpube_opts opts = {
				.method = k < 3 ? GPUBE_BOUND_TREE : GPUBE_BOUND_AUTO,
				/* it may have values that go */
				.values = k == 1 && b.feasible ? values : NULL,
				.count = k == 2};
			struct gpube_solution *s;
			char count[24];

			assert_int_equal(gpube_bound(&s, m, &opts), 0);
			assert_int_equal(s->answer == GPUBE_ANSWER_INFEASIBLE, !b.feasible);
			snprintf(count, sizeof(count), "%llu", (unsigned long long)b.n_optima);
			if (b.feasible) {
				assert_true(s->cost == b.cost);
				assert_true(s->bound == b.cost);
			}
			if (b.feasible && k == 2)
				assert_string_equal(s->count, count);
			gpube_result_free(s);
		}
		gpube_model_free(m);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(keeps_the_optimum),
		cmocka_unit_test(leaves_others_alone),
		cmocka_unit_test(chooses_neighbours),
		cmocka_unit_test(bounds_are_of_the_whole),
	};

	return cmocka_run_group_tests(tests, ctx_setup, ctx_teardown);
}
