/* Rows of items by key: each item once, in its key's row, in the order in which it was placed. */
#include "tests/support/test.h"

#include <string.h>

#include "gpube/base/base.h"
#include "gpube/base/rows.h"
#include "tests/support/cases.h"

enum { KEYS = 7, ITEMS = 40 };

/* The row that is asked for, found item by item. */
static void check_row(const int64_t *at, const int *item, const int *key, int n, int k)
{
	int64_t place = at[k];

	for (int i = 0; i < n; i++)
		if (key[i] == k)
			assert_int_equal(item[place++], i);
	assert_int_equal(place, at[k + 1]);
}

static void every_item_in_its_row(void **state)
{
	const uint64_t seed = (uint64_t)(uintptr_t)*state;
	int64_t at[KEYS + 2] = {0};
	int32_t narrow[KEYS + 2] = {0};
	int key[ITEMS], item[ITEMS], same[ITEMS], n;
	struct gpube_rng rng;

	gpube__rng_init(&rng, seed);
	n = (int)gpube__rng_below(&rng, ITEMS + 1);
	for (int i = 0; i < n; i++) {
		key[i] = (int)gpube__rng_below(&rng, seed % 2 ? KEYS : 2);
		GPUBE_ROW_COUNT(at, key[i]);
		GPUBE_ROW_COUNT(narrow, key[i]);
	}
	GPUBE_ROWS_BEGIN(at, KEYS);
	GPUBE_ROWS_BEGIN(narrow, KEYS);
	assert_int_equal(at[KEYS + 1], n);
	for (int i = 0; i < n; i++) {
		item[GPUBE_ROW_PLACE(at, key[i])] = i;
		same[GPUBE_ROW_PLACE(narrow, key[i])] = i;
	}
	assert_int_equal(at[0], 0);
	assert_int_equal(at[KEYS], n);
	for (int k = 0; k < KEYS; k++)
		check_row(at, item, key, n, k);
	for (int k = 0; k <= KEYS; k++)
		assert_int_equal(narrow[k], at[k]);
	if (n)
		assert_memory_equal(same, item, (size_t)n * sizeof(*item));
}

int main(void)
{
	struct cases c = {0};

	add_numbers(&c, every_item_in_its_row, 20, "every item in its row, seed");
	return run_cases(&c, "rows", NULL, NULL);
}
