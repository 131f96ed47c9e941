/*
 * Heaps: what is taken from the front comes in order; what is taken from the middle leaves a heap.
 */
#include "tests/support/test.h"

#include "gpube/base/base.h"
#include "tests/support/cases.h"
#include "tests/support/context.h"

enum { MOST = 60 };

struct item {
	int64_t key;
	int32_t number;
};

static bool before(const void *a, const void *b)
{
	const struct item *x = a, *y = b;

	return x->key < y->key || (x->key == y->key && x->number < y->number);
}

static void check_heap(const struct item *items, int64_t n)
{
	for (int64_t k = 1; k < n; k++)
		assert_false(before(&items[k], &items[(k - 1) / 2]));
}

/* Pushed and taken as it comes: in the heap are those that were not taken, each once. */
static void pushed_and_taken(void **state)
{
	const uint64_t seed = (uint64_t)(uintptr_t)*state;
	struct item items[MOST];
	bool inside[10 * MOST] = {false};
	struct gpube_rng rng;
	int64_t n = 0;

	gpube__rng_init(&rng, seed);
	for (int32_t number = 0; number < 10 * MOST; number++) {
		if (n == MOST || (n > 0 && gpube__rng_below(&rng, 5) < 2)) {
			const int64_t k = gpube__rng_below(&rng, 2)
						  ? 0
						  : (int64_t)gpube__rng_below(&rng, (uint64_t)n);
			const struct item wanted = items[k];

			gpube__heap_take(items, n--, k, sizeof(*items), before);
			assert_true(items[n].key == wanted.key && items[n].number == wanted.number);
			inside[wanted.number] = false;
		} else {
			items[n++] = (struct item){(int64_t)gpube__rng_below(&rng, 12), number};
			gpube__heap_push(items, n, sizeof(*items), before);
			inside[number] = true;
		}
		check_heap(items, n);
	}
	for (struct item last = {-1, -1}; n > 0; n--) {
		gpube__heap_take(items, n, 0, sizeof(*items), before);
		assert_true(inside[items[n - 1].number]);
		inside[items[n - 1].number] = false;
		assert_true(before(&last, &items[n - 1]));
		last = items[n - 1];
	}
	for (int32_t number = 0; number < 10 * MOST; number++)
		assert_false(inside[number]);
}

int main(void)
{
	struct cases c = {0};

	add_numbers(&c, pushed_and_taken, 30, "pushed and taken, seed");
	return run_cases(&c, "heap", ctx_setup, ctx_teardown);
}
