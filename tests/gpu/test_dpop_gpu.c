/*
 * Agents on the device send the tables that agents on the host send, in every bit: one case
 * a seed, with one worker and with several, each on a stream of its own.
 */
#include "tests/support/test.h"

#include "dcop/dcop.h"
#include "gpube/ir/generate.h"
#include "tests/support/cases.h"
#include "tests/support/context.h"

enum { N_SEEDS = 12 };

/* Tables as they come, whatever the order: a sum over all of a hash of each. */
struct digest {
	uint64_t sum;
	int32_t n;
};

static void on_table(void *arg, const struct gpube_mbe_run *run, int32_t mini, const void *cells)
{
	struct digest *d = arg;
	const unsigned char *p = cells;
	uint64_t h = 0xcbf29ce484222325u ^ (uint64_t)mini;
	size_t bytes = (size_t)run->mbe->minis[mini].cells * gpube__type_size(run->type);

	for (size_t k = 0; k < bytes; k++)
		h = (h ^ p[k]) * 0x100000001b3u;
	d->sum += h;
	d->n++;
}

static struct gpube_dpop_result *solve(
	struct digest *d, const struct gpube_model *m, int z, enum gpube_backend backend)
{
	struct dcop_opts opts = {
		.tree = {.heuristic = GPUBE_PSEUDOTREE_BEST, .root = -1, .tries = 20},
		.z = z,
		.backend = backend,
		.on_table = on_table,
		.on_table_arg = d};
	struct gpube_dpop_result *r;

	*d = (struct digest){0};
	assert_int_equal(dcop_solve(&r, m, &opts, NULL), 0);
	return r;
}

/* Both backends' agents, with at most z variables a mini-bucket. */
static void compare(const struct gpube_model *m, int z)
{
	for (int workers = 1; workers <= 4; workers += 3) {
		struct digest host, device;
		struct gpube_dpop_result *a, *b;

		ctx->n_threads = workers;
		a = solve(&host, m, z, GPUBE_BACKEND_CPU);
		b = solve(&device, m, z, GPUBE_BACKEND_CUDA);
		assert_string_equal(b->backend, "cuda");
		assert_true(host.n > 0 && host.n == device.n);
		assert_true(host.sum == device.sum);
		assert_int_equal(a->answer, b->answer);
		assert_true(a->bound == b->bound);
		assert_true((a->values != NULL) == (b->values != NULL));
		assert_true(!a->values || a->cost == b->cost);
		gpube_result_free(a);
		gpube_result_free(b);
	}
}

static void as_on_the_host(void **state)
{
	uint64_t seed = (uint64_t)(uintptr_t)*state;
	struct gpube_network net = {.topology = (enum gpube_topology)(seed % 3),
		.n_vars = 12,
		.domain = 4 + (int32_t)seed,
		.density = 0.3,
		.tightness = 0.2,
		.max_cost = seed % 2 ? 100 : 1000000000,
		.seed = seed};
	struct gpube_model *m;

	assert_int_equal(gpube__generate(&m, ctx, &net), 0);
	compare(m, 0);
	compare(m, 3);
	gpube_model_free(m);
}

/* Mini-buckets of more than 2^20 joined cells. */
static void large_marginals(void **state)
{
	const struct gpube_network net = {.topology = GPUBE_NETWORK_RANDOM,
		.n_vars = 11,
		.domain = 17,
		.density = 0.7,
		.tightness = 0.1,
		.max_cost = 100};
	struct gpube_model *m;

	(void)state;
	assert_int_equal(gpube__generate(&m, ctx, &net), 0);
	compare(m, 5);
	gpube_model_free(m);
}

int main(void)
{
	struct cases c = {0};
	int status;

	if (ctx_setup(NULL))
		return 1;
	add_case(&c, device_opens, NULL, "device");
	if (gpube__ops_cuda(ctx, &status)) {
		add_numbers(&c, as_on_the_host, N_SEEDS, "as on the host");
		ADD_CASE(&c, large_marginals);
	}
	return run_cases(&c, "dpop on the GPU", NULL, ctx_teardown);
}
