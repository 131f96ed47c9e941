/* match on the GPU makes the CPU's shifts, in every bit: one case a seed. */
#include "tests/support/test.h"

#include "gpube/ops/ops.h"
#include "tests/support/cases.h"
#include "tests/support/context.h"

enum { N_SEEDS = 16, MOST_TABLES = 40, MOST_CELLS = 300000 };

static const struct gpube_ops *ops;

static void as_on_the_host(void **state)
{
	uint64_t seed = (uint64_t)(uintptr_t)*state;
	struct gpube_rng rng;
	struct gpube_match m = {.type = seed % 2 ? GPUBE_INT32 : GPUBE_INT64};
	void *host[MOST_TABLES], *device[MOST_TABLES], *back;
	int64_t *words;
	uint64_t bytes;

	gpube__rng_init(&rng, seed);
	m.n = 1 + (int32_t)gpube__rng_below(&rng, seed % 4 ? 5 : MOST_TABLES);
	m.cells = 1 + (int64_t)gpube__rng_below(&rng, seed % 3 ? 2000 : MOST_CELLS);
	m.limit = (m.type == GPUBE_INT32 ? INT32_MAX : INT64_MAX) / 4;
	m.top = 2 * m.limit;
	bytes = (uint64_t)m.cells * gpube__type_size(m.type);
	back = malloc(bytes);
	assert_non_null(back);
	for (int32_t k = 0; k < m.n; k++) {
		words = malloc((size_t)m.cells * sizeof(*words));
		assert_non_null(words);
		host[k] = words;
		for (int64_t i = 0; i < m.cells; i++) {
			int64_t v = (int64_t)gpube__rng_below(&rng, (uint64_t)m.limit / 10 * 11);

			if (m.type == GPUBE_INT32)
				((int32_t *)host[k])[i] = (int32_t)v;
			else
				words[i] = v;
		}
		device[k] = ops->alloc(ctx, bytes);
		assert_non_null(device[k]);
		assert_int_equal(ops->upload(ctx, device[k], host[k], bytes), 0);
	}
	m.tables = device;
	assert_int_equal(ops->match(ctx, &m), 0);
	m.tables = host;
	assert_int_equal(gpube__ops_cpu()->match(ctx, &m), 0);
	for (int32_t k = 0; k < m.n; k++) {
		assert_int_equal(ops->download(ctx, back, device[k], bytes), 0);
		assert_memory_equal(back, host[k], bytes);
		ops->free(ctx, device[k]);
		free(host[k]);
	}
	free(back);
}

int main(void)
{
	struct cases c = {0};
	int status;

	if (ctx_setup(NULL))
		return 1;
	ops = gpube__ops_cuda(ctx, &status);
	add_case(&c, device_opens, NULL, "device");
	if (ops)
		add_numbers(&c, as_on_the_host, N_SEEDS, "as on the host");
	return run_cases(&c, "match on the GPU", NULL, ctx_teardown);
}
