/*
 * match on the CPU against its definition in 128 bits: one case a seed, of tables of both types,
 * of values up to what the type holds, and some at the limit.
 */
#include "tests/support/test.h"

#include "gpube/ops/ops.h"
#include "tests/support/cases.h"
#include "tests/support/context.h"

enum { N_SEEDS = 60, MOST_TABLES = 7, MOST_CELLS = 200000 };

static int64_t get(enum gpube_type type, const void *table, int64_t cell)
{
	return type == GPUBE_INT32 ? ((const int32_t *)table)[cell]
				   : ((const int64_t *)table)[cell];
}

static void fill(void *table, int64_t cells, const struct gpube_match *m, struct gpube_rng *rng)
{
	for (int64_t i = 0; i < cells; i++) {
		int64_t v = gpube__rng_below(rng, 8)
				    ? (int64_t)gpube__rng_below(rng, (uint64_t)m->limit)
				    : m->limit;

		if (m->type == GPUBE_INT32)
			((int32_t *)table)[i] = (int32_t)v;
		else
			((int64_t *)table)[i] = v;
	}
}

static void check_cell(const struct gpube_match *m, void *const *before, int64_t cell)
{
	__int128 sum = 0, shifted = 0;
	bool forbidden = false;

	for (int32_t k = 0; k < m->n; k++) {
		sum += get(m->type, before[k], cell);
		forbidden |= get(m->type, before[k], cell) >= m->limit;
	}
	for (int32_t k = 0; k < m->n; k++) {
		int64_t shift = get(m->type, m->tables[k], cell);
		__int128 level = (__int128)shift + get(m->type, before[k], cell);

		shifted += shift;
		if (forbidden)
			assert_true(shift == m->top);
		else
			assert_true(level == sum / m->n + (k == 0 ? sum % m->n : 0));
	}
	assert_true(forbidden || shifted == 0);
}

static void random_tables(void **state)
{
	uint64_t seed = (uint64_t)(uintptr_t)*state;
	struct gpube_rng rng;
	struct gpube_match m = {.type = seed % 2 ? GPUBE_INT32 : GPUBE_INT64};
	void *before[MOST_TABLES], *after[MOST_TABLES];
	int64_t most = m.type == GPUBE_INT32 ? INT32_MAX : INT64_MAX;
	size_t bytes;

	gpube__rng_init(&rng, seed);
	ctx->n_threads = 1 + (int)(seed % 3);
	m.n = 1 + (int32_t)gpube__rng_below(&rng, MOST_TABLES);
	m.cells = 1 + (int64_t)gpube__rng_below(&rng, seed % 5 ? 1000 : MOST_CELLS);
	m.limit = seed % 3 ? most / 4 : 50;
	m.top = 2 * m.limit;
	m.tables = after;
	bytes = (size_t)m.cells * gpube__type_size(m.type);
	for (int32_t k = 0; k < m.n; k++) {
		before[k] = malloc(bytes);
		after[k] = malloc(bytes);
		assert_true(before[k] && after[k]);
		fill(before[k], m.cells, &m, &rng);
		memcpy(after[k], before[k], bytes);
	}
	assert_int_equal(gpube__ops_cpu()->match(ctx, &m), 0);
	for (int64_t cell = 0; cell < m.cells; cell++)
		check_cell(&m, before, cell);
	for (int32_t k = 0; k < m.n; k++) {
		free(before[k]);
		free(after[k]);
	}
}

static void integers_alone(void **state)
{
	float cell = 1;
	void *table = &cell;
	struct gpube_match m = {
		.type = GPUBE_FLOAT32, .n = 1, .tables = &table, .cells = 1, .limit = 1, .top = 2};

	(void)state;
	assert_int_equal(gpube__ops_cpu()->match(ctx, &m), GPUBE_EINVAL);
}

int main(void)
{
	struct cases c = {0};

	add_numbers(&c, random_tables, N_SEEDS, "random tables, seed");
	ADD_CASE(&c, integers_alone);
	return run_cases(&c, "match", ctx_setup, ctx_teardown);
}
