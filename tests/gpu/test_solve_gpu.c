/*
 * gpube_solve() on the GPU against the CPU: networks that fit, and the same ones on a device
 * whose memory is capped so that their tables stream through it. Skipped as a whole without a device,
 * unless GPUBE_REQUIRE_GPU is set.
 */
#include "tests/support/random_model.h"
#include "tests/support/test.h"

#include "gpube/generate.h"
#include "gpube/ops/ops.h"

#include <string.h>

enum { N_RANDOM = 120, N_NETWORKS = 12 };

static struct gpube_ctx *ctx;
static int n_streamed; /* contractions, from the log */

static void count_streamed(void *arg, enum gpube_log_level level, double progress, const char *text)
{
	(void)arg;
	(void)progress;
	n_streamed += level == GPUBE_LOG_DETAIL && strncmp(text, "streamed in", 11) == 0;
}

static void opens(void **state)
{
	int status = 0;
	const struct gpube_ops *ops = gpube__ops_cuda(ctx, &status);

	(void)state;
	if (!ops && status == GPUBE_ENODEV && !getenv("GPUBE_REQUIRE_GPU"))
		skip();
	if (!ops)
		fail_msg("%s", gpube_error(ctx));
}

/* Pieces of two tables, contiguous, strided and empty, as the CPU gathers them. */
static void gathers(void **state)
{
	int status;
	const struct gpube_ops *ops = gpube__ops_cuda(ctx, &status), *cpu = gpube__ops_cpu();
	enum { N = 5000 };

	for (size_t size = 4; size <= 8; size += 4) {
		char *table = gpube__alloc(ctx, N, size), *copy = ops->alloc(ctx, N * size);
		int64_t got[400], want[400];
		struct gpube_cells there[4] = {{copy, 0, 1, 100}, {copy, 17, 49, 100}, {copy, 5, 1, 0},
			{copy, N - 1, -7, 90}};
		struct gpube_cells here[4];

		(void)state;
		assert_non_null(table);
		assert_non_null(copy);
		for (size_t i = 0; i < N * size; i++)
			table[i] = (char)(i * 2654435761u >> 13);
		assert_int_equal(ops->upload(ctx, copy, table, N * size), 0);
		memcpy(here, there, sizeof(here));
		for (int k = 0; k < 4; k++)
			here[k].values = table;
		memset(got, 1, sizeof(got));
		memset(want, 1, sizeof(want));
		assert_int_equal(ops->gather(ctx, got, 4, there, size), 0);
		assert_int_equal(cpu->gather(ctx, want, 4, here, size), 0);
		assert_memory_equal(got, want, sizeof(got));
		gpube__free(ctx, table);
		ops->free(ctx, copy);
	}
}

static struct gpube_solution *solve(
	struct gpube_model *m, enum gpube_backend backend, int count, int no_simplify)
{
	struct gpube_solve_opts opts = {.sizeof_options = sizeof(opts), .backend = backend,
		.count = count, .no_simplify = no_simplify, .order_method = GPUBE_ORDER_MIN_FILL};
	struct gpube_solution *s;

	if (gpube_solve(&s, m, &opts))
		fail_msg("%s", gpube_error(m->ctx));
	return s;
}

static void agree(struct gpube_model *m, int no_simplify)
{
	struct gpube_solution *cpu = solve(m, GPUBE_BACKEND_CPU, 1, no_simplify);
	struct gpube_solution *gpu = solve(m, GPUBE_BACKEND_CUDA, 1, no_simplify);

	assert_int_equal(cpu->answer, gpu->answer);
	if (cpu->answer == GPUBE_ANSWER_OPTIMAL) {
		assert_true(cpu->cost == gpu->cost);
		assert_string_equal(cpu->count, gpu->count);
	}
	gpube_solution_free(cpu, m->ctx);
	gpube_solution_free(gpu, m->ctx);
}

static void random_models(void **state)
{
	uint64_t seed = (uint64_t)(uintptr_t)*state;
	struct random_spec spec = random_spec_varied(seed, GPUBE_COSTS);
	struct gpube_model *m = random_model(ctx, &spec, seed);

	assert_non_null(m);
	agree(m, seed % 2 != 0);
	gpube_model_free(m);
}

/* Networks with tables of 10^5 to 10^7 cells, on devices of which most are smaller than that. */
static void networks(void **state)
{
	uint64_t seed = (uint64_t)(uintptr_t)*state;
	static const uint64_t caps[] = {0, 64 << 10, 128 << 10, 256 << 10};
	struct gpube_ctx_opts opts = {.sizeof_options = sizeof(opts), .log = count_streamed,
		.device_memory_bytes = caps[seed % 4]};
	struct gpube_network network = {
		.topology = seed % 2 ? GPUBE_NETWORK_RANDOM : GPUBE_NETWORK_GRID,
		.n_vars = seed % 2 ? 18 : 64, .domain = 4 + (int32_t)(seed % 3), .density = 0.35,
		.tightness = 0.05 * (double)(seed % 5), .max_cost = 100, .seed = seed};
	struct gpube_ctx *own;
	struct gpube_model *m;

	assert_int_equal(gpube_ctx_new(&own, &opts), 0);
	n_streamed = 0;
	assert_int_equal(gpube__generate(&m, own, &network), 0);
	agree(m, 1);
	if (caps[seed % 4] <= 64 << 10)
		assert_true((n_streamed > 0) == (caps[seed % 4] > 0));
	gpube_model_free(m);
	gpube_ctx_free(own);
}

int main(int argc, char **argv)
{
	static struct CMUnitTest tests[N_RANDOM + N_NETWORKS + 2];
	static char names[N_RANDOM + N_NETWORKS + 2][32];
	const struct {
		const char *name;
		size_t n;
		CMUnitTestFunction run;
	} groups[] = {
		{"device", 1, opens},
		{"gather", 1, gathers},
		{"model", N_RANDOM, random_models},
		{"network", N_NETWORKS, networks},
	};
	size_t n = 0;
	int status, failed;
	const struct gpube_ops *ops;

	if (gpube_ctx_new(&ctx, NULL) != 0)
		return 1;
	ops = gpube__ops_cuda(ctx, &status);
	for (size_t g = 0; g < (ops ? sizeof(groups) / sizeof(*groups) : 1); g++)
		for (size_t i = 0; i < groups[g].n; i++, n++) {
			snprintf(names[n], sizeof(names[n]), "%s %zu", groups[g].name, i);
			tests[n] = (struct CMUnitTest){
				names[n], groups[g].run, NULL, NULL, (void *)(uintptr_t)i};
		}
	if (argc > 1)
		cmocka_set_test_filter(argv[1]);
	failed = _cmocka_run_group_tests("solve on the GPU", tests, n, NULL, NULL);
	gpube_ctx_free(ctx);
	return failed != 0;
}
