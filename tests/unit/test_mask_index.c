/* Which mask is where, beside a look at all: of one word to five, as rows and as a set. */
#include "tests/support/test.h"

#include <string.h>

#include "gpube/base/mask_index.h"
#include "tests/support/cases.h"
#include "tests/support/context.h"

enum { MOST_WORDS = 5, ROWS = 3000 };

static int64_t by_looking(const uint64_t *rows, int64_t n, int words, const uint64_t *row)
{
	for (int64_t k = 0; k < n; k++)
		if (!memcmp(rows + k * words, row, (size_t)words * sizeof(*row)))
			return k;
	return -1;
}

static void as_by_looking(void **state)
{
	const uint64_t seed = (uint64_t)(uintptr_t)*state;
	const int words = 1 + (int)(seed % MOST_WORDS);
	struct gpube__mask_set set = {.words = words};
	struct gpube__mask_index index = {0};
	uint64_t *rows = gpube__alloc(ctx, ROWS * MOST_WORDS, sizeof(*rows));
	uint64_t row[MOST_WORDS];
	struct gpube_rng rng;
	int64_t n = 0;

	assert_non_null(rows);
	gpube__rng_init(&rng, seed);
	for (int k = 0; k < ROWS; k++) {
		int64_t at;
		bool fresh;

		/* of few bits, all of which may be 0; or one that was there */
		for (int w = 0; w < words; w++)
			row[w] = gpube__rng_below(&rng, 8) << gpube__rng_below(&rng, 64 / words);
		if (n && gpube__rng_below(&rng, 3) == 0)
			memcpy(row, rows + (int64_t)gpube__rng_below(&rng, (uint64_t)n) * words,
				sizeof(*row) * (size_t)words);
		at = by_looking(rows, n, words, row);
		assert_int_equal(gpube__masks_find(&index, rows, words, row), at);
		assert_int_equal(gpube__mask_set_add(&set, ctx, row, &fresh), GPUBE_OK);
		assert_int_equal(fresh, at < 0);
		if (at >= 0)
			continue;
		memcpy(rows + n * words, row, (size_t)words * sizeof(*row));
		assert_int_equal(gpube__masks_add(&index, ctx, rows, words, n), GPUBE_OK);
		n++;
	}
	assert_int_equal(set.n, n);
	assert_memory_equal(set.masks, rows, (size_t)(n * words) * sizeof(*rows));
	assert_true(n > 50 && n < ROWS);
	gpube__mask_set_clear(&set, ctx);
	gpube__free(ctx, index.slot);
	gpube__free(ctx, rows);
}

int main(void)
{
	struct cases c = {0};

	add_numbers(&c, as_by_looking, 20, "masks");
	return run_cases(&c, "mask index", ctx_setup, ctx_teardown);
}
