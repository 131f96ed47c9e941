/* Parts of a model, and the thread that solves them: together they are the whole. */
#include "tests/support/test.h"
#include "gpube/options/options.h"

#include "gpube/deal/part_solve.h"
#include "tests/support/cases.h"
#include "tests/support/context.h"
#include "tests/support/random_model.h"
#include "tests/support/small_model.h"

enum { N_SEEDS = 300 };

static struct gpube_model *model_of(uint64_t seed)
{
	struct random_spec spec = random_spec_varied(seed, GPUBE_COSTS);
	struct gpube_model *m = random_model(ctx, &spec, seed);

	assert_non_null(m);
	return m;
}

static struct brute brute_part(const struct gpube_model *m, const int32_t *row, int32_t n)
{
	struct gpube_model part;
	struct brute best;

	assert_int_equal(gpube__part_open(&part, ctx, m, row, n), 0);
	assert_int_equal(brute_force(&best, NULL, &part), 0);
	gpube__model_return(&part, m);
	return best;
}

/* The rows of a part have its optima, each once. Returns a row that has some. */
static const int32_t *check_rows(
	const struct gpube_model *m, const struct gpube_rows *rows, const struct brute *whole)
{
	const int32_t *at = rows->words, *one = NULL;
	uint64_t n_optima = 0;

	for (int32_t k = 0; k < rows->n_rows; k++) {
		const struct brute best = brute_part(m, at + 1, at[0]);

		if (best.feasible && best.cost == whole->cost) {
			n_optima += best.n_optima;
			one = at;
		}
		at += 1 + at[0];
	}
	assert_ptr_equal(at, rows->words + rows->n);
	assert_int_equal(n_optima, whole->feasible ? whole->n_optima : 0);
	return one;
}

static void parts_are_the_whole(void **state)
{
	const uint64_t seed = (uint64_t)(uintptr_t)*state;
	struct gpube_model *m = model_of(seed), part;
	struct gpube_rows rows, again;
	struct brute best;
	const int32_t *row;

	assert_int_equal(brute_force(&best, NULL, m), 0);
	assert_int_equal(gpube__part_split(&rows, m, NULL, 0, 2 + (int32_t)(seed % 9)), 0);
	row = check_rows(m, &rows, &best);
	assert_true(!best.feasible == !row);
	if (row) {
		best = brute_part(m, row + 1, row[0]);
		assert_int_equal(gpube__part_open(&part, ctx, m, row + 1, row[0]), 0);
		if (best.cost < GPUBE_INF - 1 && m->direction == GPUBE_MINIMISE)
			part.top = best.cost + 1; /* what is no better than that may be left out */
		assert_int_equal(gpube__part_split(&again, &part, row + 1, row[0], 3), 0);
		(void)check_rows(m, &again, &best);
		gpube__model_return(&part, m);
		gpube__rows_clear(ctx, &again);
	}
	gpube__rows_clear(ctx, &rows);
	gpube_model_free(m);
}

static void await(struct gpube_part_solver *s)
{
	assert_int_equal(gpube__hand_end(&s->hand), 0);
}

/*
 * Solves a part, asked for parts meanwhile; those that it is split into are solved, too. Returns
 * the best cost, or the limit.
 */
static int64_t solve(
	struct gpube_part_solver *s, const int32_t *row, int32_t n, int64_t limit, int depth)
{
	int32_t *values = malloc((size_t)(s->m->n_vars + 1) * sizeof(*values));
	struct gpube_rows rows;
	int64_t bound, cost, priced;

	assert_non_null(values);
	assert_int_equal(gpube__part_begin(s, row, n, limit, depth == 0 ? 4 : 0, 0, NULL), 0);
	if (depth == 1)
		gpube__part_wish(s, 2);
	await(s);
	if (gpube__part_news(s, &bound, &cost, values) && cost != GPUBE_INF) {
		assert_int_equal(gpube_model_cost(&priced, s->m, values), 0);
		assert_true(gpube__part_side(s, priced) == cost);
		limit = cost < limit ? cost : limit;
	}
	free(values);
	if (s->end != GPUBE_PART_SPLIT) {
		assert_true(s->end == GPUBE_PART_PROVED || s->end == GPUBE_PART_INFEASIBLE);
		assert_true(s->end == GPUBE_PART_INFEASIBLE || s->bound >= limit);
		return limit;
	}
	rows = s->rows;
	s->rows = (struct gpube_rows){0};
	for (int32_t k = 0, at = 0; k < rows.n_rows && rows.words; k++, at += 1 + rows.words[at])
		limit = solve(s, rows.words + at + 1, rows.words[at], limit,
			depth + 1 + (rows.n_rows == 1));
	gpube__rows_clear(ctx, &rows);
	return limit;
}

static void solved_in_parts(void **state)
{
	const uint64_t seed = (uint64_t)(uintptr_t)*state;
	const struct gpube_opts opts = {.backend = GPUBE_BACKEND_CPU};
	struct gpube_model *m = model_of(seed);
	struct gpube_part_solver s;
	struct brute best;
	int64_t cost;

	assert_int_equal(brute_force(&best, NULL, m), 0);
	assert_int_equal(gpube__part_solver_open(&s, ctx, m, &opts), 0);
	cost = solve(&s, NULL, 0, GPUBE_INF, 0);
	assert_true(best.feasible ? cost == gpube__part_side(&s, best.cost) : cost == GPUBE_INF);
	gpube__part_solver_close(&s);
	gpube_model_free(m);
}

static void ends_when_stopped(void **state)
{
	const struct gpube_opts opts = {.backend = GPUBE_BACKEND_CPU};
	struct gpube_model *m = new_model(60, 9);
	struct gpube_part_solver s;
	int64_t costs[81];
	struct gpube_rng rng;

	(void)state;
	gpube__rng_init(&rng, 1);
	for (int32_t i = 0; i < 60; i++)
		for (int32_t k = i + 1; k < 60; k++) {
			for (int c = 0; c < 81; c++)
				costs[c] = (int64_t)gpube__rng_below(&rng, 1000);
			add(m, SCOPE(i, k), costs);
		}
	assert_int_equal(gpube__part_solver_open(&s, ctx, m, &opts), 0);
	assert_int_equal(gpube__part_begin(&s, NULL, 0, GPUBE_INF, 0, 0, NULL), 0);
	gpube_ctx_stop(&s.hand.ctx);
	await(&s);
	assert_true(s.end == GPUBE_PART_STOPPED);
	/* the next one is not */
	assert_int_equal(gpube__part_begin(&s, NULL, 0, GPUBE_INF, 3, 0, NULL), 0);
	await(&s);
	assert_true(s.end == GPUBE_PART_SPLIT && s.rows.n_rows >= 3);
	assert_int_equal(gpube__part_begin(&s, NULL, 0, GPUBE_INF, 0, 0, NULL), 0);
	gpube__part_solver_close(&s);
	gpube_model_free(m);
}

static void bad_rows(void **state)
{
	static const int32_t rows[][4] = {
		{0}, {0, 0}, {0, 2, 1}, {0, 1, 3}, {0, 1, -1}, {3, 1, 0}, {-1, 1, 0}, {0, 1, 0, 1}};
	static const int32_t n[] = {1, 2, 3, 3, 3, 3, 3, 4};
	struct gpube_model *m = new_model(3, 3), part;

	(void)state;
	add(m, SCOPE(0, 1), COSTS(3, 1, 2, X, 4, 5, 6, 7, 8));
	for (size_t k = 0; k < sizeof(n) / sizeof(*n); k++)
		assert_int_equal(gpube__part_open(&part, ctx, m, rows[k], n[k]), GPUBE_EINVAL);
	gpube_model_free(m);
}

int main(void)
{
	struct cases c = {0};

	add_numbers(&c, parts_are_the_whole, N_SEEDS, "parts are the whole, seed");
	add_numbers(&c, solved_in_parts, N_SEEDS, "solved in parts, seed");
	ADD_CASE(&c, ends_when_stopped);
	ADD_CASE(&c, bad_rows);
	return run_cases(&c, "part", ctx_setup_2_threads, ctx_teardown);
}
