/*
 * Mini-buckets on the GPU: the CPU's bound, cost and assignment, whatever z and whether matched,
 * and with every bucket on a side by lot. Without a device all is one case that is skipped, unless
 * GPUBE_REQUIRE_GPU is set.
 */
#include "tests/support/test.h"
#include "gpube/options/options.h"

#include "gpube/ir/generate.h"
#include "gpube/relax/mbe/mbe.h"
#include "gpube/ops/ops.h"
#include "tests/support/cases.h"
#include "tests/support/random_model.h"

enum { N_RANDOM = 60, N_NETWORKS = 12 };

static struct gpube_ctx *ctx;

static void same(const struct gpube_model *m, int z, bool match)
{
	struct gpube_opts opts = {.method = GPUBE_BOUND_MBE,
		.z = z,
		.no_match = !match,
		.order_method = GPUBE_ORDER_MIN_FILL};
	struct gpube_solution *b[3];

	for (int k = 0; k < 3; k++) {
		opts.backend = k == 0   ? GPUBE_BACKEND_CPU
			       : k == 1 ? GPUBE_BACKEND_CUDA
					: GPUBE_BACKEND_AUTO;
		if (gpube_bound(&b[k], m, &opts))
			fail_msg("%s", gpube_error(m->ctx));
		assert_int_equal(b[k]->answer, b[0]->answer);
		if (b[0]->answer == GPUBE_ANSWER_INFEASIBLE)
			continue;
		assert_true(b[k]->bound == b[0]->bound);
		assert_true(!b[k]->values == !b[0]->values);
		if (!b[0]->values)
			continue;
		assert_true(b[k]->cost == b[0]->cost);
		assert_memory_equal(
			b[k]->values, b[0]->values, (size_t)m->n_vars * sizeof(*b[0]->values));
	}
	for (int k = 0; k < 3; k++)
		gpube_result_free(b[k]);
}

static void random_models(void **state)
{
	const uint64_t seed = (uint64_t)(uintptr_t)*state;
	struct random_spec spec = random_spec_varied(seed, GPUBE_COSTS);
	struct gpube_model *m = random_model(ctx, &spec, seed);

	assert_non_null(m);
	for (int z = 2; z < 5; z++)
		same(m, z, seed % 2);
	gpube_model_free(m);
}

static struct gpube_model *network(uint64_t seed)
{
	struct gpube_network n = {.topology = seed % 2 ? GPUBE_NETWORK_RANDOM : GPUBE_NETWORK_GRID,
		.n_vars = seed % 2 ? 30 : 100,
		.domain = 4 + (int32_t)(seed % 5),
		.density = 0.3,
		.tightness = 0.05 * (double)(seed % 3),
		.max_cost = seed % 3 ? 100 : (int64_t)1 << 40,
		.seed = seed};
	struct gpube_model *m;

	assert_int_equal(gpube__generate(&m, ctx, &n), 0);
	return m;
}

static void networks(void **state)
{
	const uint64_t seed = (uint64_t)(uintptr_t)*state;
	struct gpube_model *m = network(seed);

	same(m, 6, seed % 2);
	same(m, 4, !(seed % 2));
	gpube_model_free(m);
}

/* Buckets on both: messages cross both ways, and are read off on both. */
static void dealt_out(void **state)
{
	const uint64_t seed = (uint64_t)(uintptr_t)*state;
	struct gpube_model *m = network(seed);
	int32_t order[100], values[2][100];
	struct gpube_mbe mbe;
	struct gpube_rng rng;
	int64_t bound[2], total[2] = {0, 0};

	gpube__rng_init(&rng, seed);
	for (int32_t i = 0; i < m->n_vars; i++)
		order[i] = i;
	assert_int_equal(gpube__mbe_init(&mbe, m, order, 4, 1e9, GPUBE_PARTITION_SCOPE), 0);
	for (int k = 0; k < 2; k++) {
		struct gpube_mbe_run r;
		bool settled;
		int status;

		assert_int_equal(gpube__mbe_run_init(&r, &mbe, gpube__ops_cpu(), GPUBE_INF,
					 seed % 2, true, &settled, &bound[k]),
			0);
		assert_false(settled);
		if (k) {
			r.device = gpube__ops_cuda(ctx, &status);
			r.side = gpube__alloc(ctx, (uint64_t)mbe.n, sizeof(*r.side));
			assert_non_null(r.side);
			for (int32_t p = 0; p < mbe.n; p++)
				r.side[p] = (uint8_t)gpube__rng_below(&rng, 2);
		}
		for (int32_t p = 0; p < mbe.n; p++)
			if (gpube__mbe_eliminate(&r, p) || gpube__mbe_add_scalars(&r, p, &total[k]))
				fail_msg("%s", gpube_error(ctx));
		for (int32_t p = mbe.n - 1; p >= 0; p--)
			assert_int_equal(gpube__mbe_choose(&r, p, values[k]), 0);
		bound[k] = gpube__mbe_bound(&r, total[k]);
		gpube__mbe_run_clear(&r);
	}
	assert_true(bound[0] == bound[1]);
	assert_memory_equal(values[0], values[1], (size_t)m->n_vars * sizeof(*values[0]));
	gpube__mbe_clear(&mbe);
	gpube_model_free(m);
}

static void no_device(void **state)
{
	(void)state;
	if (getenv("GPUBE_REQUIRE_GPU"))
		fail_msg("%s", gpube_error(ctx));
	skip();
}

int main(void)
{
	struct cases c = {0};
	int status, failed;

	if (gpube_ctx_new(&ctx, NULL) != 0)
		return 1;
	if (gpube__ops_cuda(ctx, &status)) {
		add_numbers(&c, random_models, N_RANDOM, "model");
		add_numbers(&c, networks, N_NETWORKS, "network");
		add_numbers(&c, dealt_out, N_NETWORKS, "dealt");
	} else {
		add_case(&c, no_device, NULL, "device");
	}
	failed = run_cases(&c, "mini-buckets on the GPU", NULL, NULL);
	gpube_ctx_free(ctx);
	return failed;
}
