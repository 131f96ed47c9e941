/*
 * Dense copies of functions, in any order of their variables and of every type, against the cost of
 * each assignment.
 */
#include "tests/support/test.h"

#include "gpube/base/base.h"
#include "gpube/ir/dense.h"
#include "tests/support/cases.h"
#include "tests/support/context.h"

enum { ARITY = 3, SEEDS = 60 };

/*
 * Three variables, and a table of costs up to 'most', some of them forbidden: rows are shorter or
 * longer than what is read at a time.
 */
static struct gpube_model *random_model(struct gpube_rng *rng, int64_t most, int64_t *costs)
{
	const int32_t domains[2][ARITY] = {
		{2, 3, 1 + (int32_t)(gpube__rng_next(rng) % 1100)}, {1, 513, 4}};
	const int32_t *domain = domains[gpube__rng_next(rng) % 2], scope[] = {2, 0, 1};
	struct gpube_model *m;
	int64_t n = 1;

	assert_int_equal(gpube_model_new(&m, ctx, GPUBE_COSTS), 0);
	for (int i = 0; i < ARITY; i++) {
		assert_int_equal(gpube_model_add_var(m, NULL, domain[i], NULL), 0);
		n *= domain[i];
	}
	for (int64_t k = 0; k < n; k++)
		costs[k] = gpube__rng_next(rng) % 7
				   ? (int64_t)(gpube__rng_next(rng) % (uint64_t)(most + 1))
				   : GPUBE_INF;
	assert_int_equal(gpube_model_add_costs(m, ARITY, scope, costs), 0);
	return m;
}

/* The copy's cell of these values: the variable of least rank is the first. */
static int64_t cell_of(const struct gpube_model *m, const int32_t *rank, const int32_t *values)
{
	int64_t cell = 0;

	for (int r = 0; r < ARITY; r++)
		for (int i = 0; i < ARITY; i++)
			if (rank[i] == r)
				cell = cell * m->vars[i].domain + values[i];
	return cell;
}

static void copies(void **state)
{
	static const int64_t most[] = {100, 30000, 2000000000, (int64_t)1 << 50};
	static const int32_t ranks[6][ARITY] = {
		{0, 1, 2}, {0, 2, 1}, {1, 0, 2}, {1, 2, 0}, {2, 0, 1}, {2, 1, 0}};
	static int64_t costs[1100 * 6], copy[1100 * 6];
	static int32_t narrow[1100 * 6];
	struct gpube_rng rng;

	(void)state;
	gpube__rng_init(&rng, 5);
	for (int seed = 0; seed < SEEDS; seed++) {
		struct gpube_model *m = random_model(&rng, most[seed % 4], costs);
		const int32_t *rank = ranks[gpube__rng_next(&rng) % 6];
		const int64_t top = 1 + most[seed % 4] / 2;
		int32_t v[ARITY];
		int64_t dearest = 0;

		assert_int_equal(gpube__dense(copy, m, 0, rank), 0);
		if (top <= INT32_MAX)
			assert_int_equal(gpube__dense_as(narrow, GPUBE_INT32, top, m, 0, rank), 0);
		for (v[0] = 0; v[0] < m->vars[0].domain; v[0]++)
			for (v[1] = 0; v[1] < m->vars[1].domain; v[1]++)
				for (v[2] = 0; v[2] < m->vars[2].domain; v[2]++) {
					const int64_t cost = gpube__function_cost(m, 0, v),
						      cell = cell_of(m, rank, v);

					assert_true(copy[cell] == cost);
					assert_true(top > INT32_MAX ||
						    narrow[cell] == (cost < top ? cost : top));
					dearest = cost != GPUBE_INF && cost > dearest ? cost
										      : dearest;
				}
		assert_true(gpube__cost_span(m) == 1 + dearest);
		gpube_model_free(m);
	}
}

int main(void)
{
	struct cases c = {0};

	ADD_CASE(&c, copies);
	return run_cases(&c, "dense", ctx_setup, ctx_teardown);
}
