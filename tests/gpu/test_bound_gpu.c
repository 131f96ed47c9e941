/*
 * The ascent on nested regions on the GPU: after every pass, and on fewer values, the same bits as
 * on the CPU; and the optima that brute force finds. Without a device all is one case that is
 * skipped, unless GPUBE_REQUIRE_GPU is set.
 */
#include "tests/support/test.h"
#include "gpube/options/options.h"

#include "gpube/relax/nested.h"
#include "gpube/ops/regions/regions_cell.h"
#include "tests/support/cases.h"
#include "tests/support/context.h"
#include "tests/support/bounded.h"
#include "tests/support/random_model.h"

enum { N_SEEDS = 60 };

static void opens(void **state)
{
	int status = 0;
	const void *there = gpube__regions_cuda(ctx, &status);

	(void)state;
	needs_device(there, status);
}

/* Every live cell of two states; 'there' is a device's. */
static void same_cells(const struct gpube_nested *n, const struct gpube_nested_problem *here,
	const struct gpube_nested *other, const struct gpube_nested_problem *there)
{
	const struct regions_view v = regions_view(&here->r, n->plan.words);
	int32_t *cells = gpube__alloc(ctx, there->r.bytes, 1);
	const int32_t *got = cells + regions_header(&n->plan) / sizeof(int32_t);

	assert_non_null(cells);
	assert_int_equal(here->constant, there->constant);
	assert_int_equal(here->r.bytes, there->r.bytes);
	assert_int_equal(other->ops->download(ctx, cells, there->r.memory, there->r.bytes), 0);
	for (int64_t t = 0; t < gpube__regions_tables(&n->plan); t++) {
		int32_t vars[3];
		const int k = regions_scope(&v, t, vars);
		const int32_t d = v.domain[vars[k - 1]], row = regions_row(d);

		for (int64_t at = v.at[t]; at < v.at[t + 1]; at++)
			if ((at - v.at[t]) % row < d && v.cells[at] != got[at])
				fail_msg("table %d of %d variables, cell %d: %d on the device, not "
					 "%d",
					(int)t, k, (int)(at - v.at[t]), got[at], v.cells[at]);
	}
	gpube__free(ctx, cells);
}

static void shrink(struct gpube_nested *n, struct gpube_nested_problem **p, int32_t var)
{
	struct gpube_nested_problem *q;
	uint8_t keep[64];

	for (int32_t x = 0; x < 64; x++)
		keep[x] = x % 3 != 1;
	assert_int_equal(gpube__nested_read(n, *p), 0);
	assert_int_equal(gpube__nested_shrink(&q, n, *p, var, keep), 0);
	gpube__nested_free(n, *p);
	*p = q;
}

static void same_bits(void **state)
{
	const uint64_t seed = (uint64_t)(uintptr_t)*state;
	struct random_spec spec = random_spec_default();
	struct gpube_pairs c[2];
	struct gpube_nested n[2];
	struct gpube_nested_problem *p[2];
	struct gpube_model *m;
	int status;

	spec.min_arity = spec.max_arity = 2;
	spec.n_vars = seed % 10 == 0 ? 4 : 4 + (int)(seed % 4);
	spec.n_functions = 3 * spec.n_vars;
	spec.min_domain = 1 + (int)(seed % 3);
	spec.max_domain = seed % 10 == 0 ? 48 : 4 + (int)(seed % 17);
	spec.max_cost = seed % 7 == 3 ? (int64_t)1 << 40 : 50;
	m = random_model(ctx, &spec, seed);
	assert_non_null(m);
	for (int k = 0; k < 2; k++) {
		assert_int_equal(gpube__pairs_init(&c[k], m, GPUBE_INF, GPUBE__MOST_SHIFT), 0);
		assert_int_equal(
			gpube__nested_init(&n[k], &c[k],
				k ? gpube__ops_cuda(ctx, &status) : gpube__ops_cpu(),
				k ? gpube__regions_cuda(ctx, &status) : gpube__regions_cpu(), 1e9,
				NULL),
			0);
		assert_int_equal(gpube__nested_first(&p[k], &n[k]), 0);
	}
	for (int turn = 0; turn < 5; turn++) {
		for (int k = 0; k < 2; k++)
			assert_int_equal(gpube__nested_passes(&n[k], p[k], 1 + turn % 2,
						 turn ? GPUBE_REGIONS_QUADS : 0),
				0);
		same_cells(&n[0], p[0], &n[1], p[1]);
		if (p[0]->constant >= p[0]->target)
			break;
		if (turn % 2) {
			for (int k = 0; k < 2; k++)
				shrink(&n[k], &p[k], (int32_t)(seed % (uint64_t)m->n_vars));
			if (!p[0] || !p[1])
				break;
			same_cells(&n[0], p[0], &n[1], p[1]);
		}
	}
	assert_true(!p[0] == !p[1]);
	for (int k = 0; k < 2; k++) {
		gpube__nested_free(&n[k], p[k]);
		gpube__nested_clear(&n[k]);
		gpube__pairs_clear(&c[k]);
	}
	gpube_model_free(m);
}

/* gpube_bound() on the device, without elimination, finds the optimum by splitting. */
static void same_optimum(void **state)
{
	const uint64_t seed = (uint64_t)(uintptr_t)*state;
	const struct gpube_opts opts = {.method = GPUBE_BOUND_ASCENT,
		.regions = GPUBE_REGIONS_NESTED,
		.backend = GPUBE_BACKEND_CUDA,
		.no_eliminate = seed % 3 != 0};
	struct random_spec spec = random_spec_default();

	spec.min_arity = spec.max_arity = 2;
	spec.n_vars = 7;
	spec.n_functions = 12 + (int)(seed % 9);
	spec.min_domain = 2;
	check_optimum(&spec, seed, &opts);
}

int main(void)
{
	struct cases c = {0};
	int status;

	if (ctx_setup(NULL))
		return 1;
	ADD_CASE(&c, opens);
	if (gpube__regions_cuda(ctx, &status)) {
		add_numbers(&c, same_bits, N_SEEDS, "bits, seed");
		add_numbers(&c, same_optimum, N_SEEDS, "optimum, seed");
	}
	return run_cases(&c, "bound_gpu", NULL, ctx_teardown);
}
