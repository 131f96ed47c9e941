/* The loops of dual ascents: those for one machine do what the portable ones do. */
#include "tests/support/test.h"

#include "gpube/base/base.h"
#include "gpube/ops/ascent/ascent_kernels.h"
#include "tests/support/cases.h"
#include "tests/support/context.h"

enum { N_KERNELS = 60 };

static int32_t random_cost(struct gpube_rng *rng, int64_t low, int64_t high)
{
	if (gpube__rng_below(rng, 9) == 0)
		return GPUBE__DEAD;
	return (int32_t)(low + (int64_t)gpube__rng_below(rng, (uint64_t)(high - low + 1)));
}

/* Those that this machine runs, and among them those for older ones. */
static const struct gpube_ascent_kernels *kernels_of(uint64_t seed)
{
#if defined(__x86_64__)
	if (seed % 2 && __builtin_cpu_supports("avx2"))
		return &gpube__ascent_avx2;
#endif
	(void)seed;
	return gpube__ascent_kernels();
}

/* What quads do: a table into an addend, and the least of the other three. */
static void quad_loops_agree(void **state)
{
	enum { MOST = 48 };
	const uint64_t seed = (uint64_t)(uintptr_t)*state;
	const struct gpube_ascent_kernels *kernels[] = {kernels_of(seed), &gpube__ascent_portable};
	int32_t table[2][MOST * MOST], addend[2][MOST * MOST], out[2][MOST], x[MOST], slack, inner;
	struct gpube_rng rng;

	gpube__rng_init(&rng, seed);
	slack = 1 + (int32_t)gpube__rng_below(&rng, GPUBE__SLACK_MAX);
	inner = 1 + (int32_t)gpube__rng_below(&rng, MOST);
	for (int k = 0; k < MOST * MOST; k++) {
		table[0][k] = table[1][k] = random_cost(&rng, 0, slack - 1);
		addend[0][k] = addend[1][k] =
			random_cost(&rng, -GPUBE__ADDEND_MAX, GPUBE__ADDEND_MAX);
	}
	for (int k = 0; k < MOST; k++) {
		x[k] = random_cost(&rng, -GPUBE__ADDEND_MAX, GPUBE__ADDEND_MAX);
		out[0][k] = out[1][k] = GPUBE__DEAD;
	}
	for (int k = 0; k < 2; k++) {
		kernels[k]->pull(table[k], addend[k], MOST * inner, slack);
		kernels[k]->join(
			out[k], MOST, inner, x, 1, addend[k], MOST, addend[k] + MOST, MOST / 2);
	}
	assert_memory_equal(table[0], table[1], sizeof(*table));
	assert_memory_equal(addend[0], addend[1], sizeof(*addend));
	assert_memory_equal(out[0], out[1], sizeof(*out));
	for (int i = 0; i < MOST * inner; i++) {
		assert_true(
			addend[0][i] == GPUBE__DEAD ||
			(addend[0][i] >= -GPUBE__ADDEND_MAX && addend[0][i] <= GPUBE__ADDEND_MAX));
		assert_true(
			table[0][i] == GPUBE__DEAD || (table[0][i] >= 0 && table[0][i] < slack));
	}
}

/* Rows of 64-bit tables: the least of columns less what was taken. */
static void least_rows_agree(void **state)
{
	enum { MOST = 40 };
	uint64_t seed = (uint64_t)(uintptr_t)*state;
	const struct gpube_ascent_kernels *kernels[] = {kernels_of(seed), &gpube__ascent_portable};
	int64_t t[MOST * MOST + 7], less[MOST], out[2][MOST + 7], least;
	int32_t rows, stride, cols, n_rows = 0, row[MOST];
	struct gpube_rng rng;

	gpube__rng_init(&rng, seed);
	rows = 1 + (int32_t)gpube__rng_below(&rng, MOST);
	stride = 1 + (int32_t)gpube__rng_below(&rng, MOST);
	cols = 1 + (int32_t)gpube__rng_below(&rng, (uint64_t)stride);
	for (int k = 0; k < MOST * MOST + 7; k++)
		t[k] = (int64_t)gpube__rng_below(&rng, (uint64_t)1 << (seed % 2 ? 60 : 10));
	for (int k = 0; k < MOST; k++)
		less[k] = (int64_t)gpube__rng_below(&rng, (uint64_t)1 << 58) - ((int64_t)1 << 57);
	for (int32_t r = rows - 1; r >= 0; r--)
		if (n_rows == 0 || gpube__rng_below(&rng, 3))
			row[n_rows++] = r;
	for (int k = 0; k < 2; k++)
		kernels[k]->least_in_columns(out[k], t, stride, cols, row, n_rows, less);
	for (int32_t c = 0; c < cols; c++) {
		least = INT64_MAX;
		for (int32_t r = 0; r < n_rows; r++)
			least = t[row[r] * stride + c] - less[row[r]] < least
					? t[row[r] * stride + c] - less[row[r]]
					: least;
		assert_true(out[0][c] == least && out[1][c] == least);
	}
}

/* The same in 32 bits: with forbidden cells, and columns of which all cells are. */
static void narrow_rows_agree(void **state)
{
	enum { MOST = 72 };
	uint64_t seed = (uint64_t)(uintptr_t)*state;
	const struct gpube_ascent_kernels *kernels[] = {kernels_of(seed), &gpube__ascent_portable};
	const int64_t most = GPUBE__NARROW_MOST;
	int64_t less[MOST], out[2][MOST + 7];
	int32_t t[MOST * MOST + 7], rows, stride, cols, n_rows = 0, row[MOST];
	struct gpube_rng rng;

	gpube__rng_init(&rng, seed);
	rows = 1 + (int32_t)gpube__rng_below(&rng, MOST);
	stride = 1 + (int32_t)gpube__rng_below(&rng, MOST);
	cols = 1 + (int32_t)gpube__rng_below(&rng, (uint64_t)stride);
	for (int k = 0; k < MOST * MOST + 7; k++)
		t[k] = gpube__rng_below(&rng, 3) ? GPUBE__NARROW_FORBIDDEN
						 : (int32_t)gpube__rng_below(&rng, (uint64_t)most);
	for (int k = 0; k < MOST; k++) /* as much was moved as may be, and the values cost that */
		less[k] = (int64_t)gpube__rng_below(&rng, (uint64_t)(3 * most)) - 2 * most;
	for (int32_t r = rows - 1; r >= 0; r--)
		if (n_rows == 0 || gpube__rng_below(&rng, 8) == 0)
			row[n_rows++] = r;
	for (int k = 0; k < 2; k++)
		kernels[k]->least_in_narrow(out[k], t, stride, cols, row, n_rows, less);
	for (int32_t c = 0; c < cols; c++) {
		int64_t least = GPUBE__ROW_FORBIDDEN;

		for (int32_t r = 0; r < n_rows; r++) {
			const int64_t cell = t[row[r] * stride + c];

			if (cell < GPUBE__NARROW_FORBIDDEN && cell - less[row[r]] < least)
				least = cell - less[row[r]];
		}
		assert_true(out[0][c] == least && out[1][c] == least);
	}
}

/* What moves costs between a row of a variable's and one of what was moved to it. */
static void row_loops_agree(void **state)
{
	enum { MOST = 5 * GPUBE__ROW_STEP };
	uint64_t seed = (uint64_t)(uintptr_t)*state;
	const struct gpube_ascent_kernels *kernels[] = {kernels_of(seed), &gpube__ascent_portable};
	int64_t cost[2][MOST], moved[2][MOST], m[2][MOST], was[MOST], least[2], most[2], lacks[2];
	bool rose[2], more[2];
	struct gpube_rng rng;
	int32_t n;

	gpube__rng_init(&rng, seed);
	n = GPUBE__ROW_STEP * (1 + (int32_t)gpube__rng_below(&rng, MOST / GPUBE__ROW_STEP));
	for (int a = 0; a < MOST; a++) {
		was[a] = (int64_t)gpube__rng_below(&rng, 10);
		cost[0][a] = gpube__rng_below(&rng, 3) ? (int64_t)gpube__rng_below(&rng, 10)
						       : GPUBE__ROW_DROPPED - a;
		moved[0][a] = (int64_t)gpube__rng_below(&rng, 10) - 5;
		m[0][a] = gpube__rng_below(&rng, 5) ? (int64_t)gpube__rng_below(&rng, 20) - 10
						    : GPUBE__ROW_FORBIDDEN - a;
	}
	memcpy(cost[1], cost[0], sizeof(*cost));
	memcpy(moved[1], moved[0], sizeof(*moved));
	memcpy(m[1], m[0], sizeof(*m));
	for (int k = 0; k < 2; k++) {
		kernels[k]->range(cost[k], n, &least[k], &most[k]);
		lacks[k] = kernels[k]->lacking(m[k], cost[k], moved[k], n);
		rose[k] = kernels[k]->rise(
			cost[k], moved[k], m[k], n, seed % 2 ? 7 : INT64_MAX / 2, 12);
		more[k] = kernels[k]->is_more(cost[k], was, n);
		kernels[k]->lower(cost[k], n, least[k] < 10 ? least[k] : 0);
		if (seed % 3)
			kernels[k]->fall(cost[k], moved[k], n, 6);
	}
	assert_true(least[0] == least[1] && most[0] == most[1] && lacks[0] == lacks[1] &&
		    rose[0] == rose[1] && more[0] == more[1]);
	assert_memory_equal(cost[0], cost[1], sizeof(*cost));
	assert_memory_equal(moved[0], moved[1], sizeof(*moved));
	assert_memory_equal(m[0], m[1], sizeof(*m));
}

int main(void)
{
	struct cases c = {0};

	add_numbers(&c, quad_loops_agree, N_KERNELS, "loops of quads, seed");
	add_numbers(&c, narrow_rows_agree, N_KERNELS, "least of narrow rows, seed");
	add_numbers(&c, row_loops_agree, N_KERNELS, "loops of rows, seed");
	add_numbers(&c, least_rows_agree, N_KERNELS, "least rows, seed");
	return run_cases(&c, "ascent", ctx_setup_1_thread, ctx_teardown);
}
