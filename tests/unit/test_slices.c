/*
 * Elimination in slices, where the tables do not fit the memory: the optimum is that of
 * enumeration, of whole problems (auto) and of what an ascent has left (regions). One case a seed.
 */
#include "tests/support/test.h"
#include "gpube/options/options.h"

#include <string.h>

#include "gpube/bound/bound.h"
#include "gpube/ir/model.h"
#include "tests/support/bounded.h"
#include "tests/support/cases.h"
#include "tests/support/context.h"
#include "tests/support/memory.h"

enum { N_SEEDS = 60, N_MEMORY = 6, N_LITTLE = 6144 };

static const enum gpube_ascent_regions regions[] = {GPUBE_REGIONS_AUTO, GPUBE_REGIONS_NESTED};
static int n_sliced, n_sliced_by[2];

static void count_sliced(void *arg, const struct gpube_log *said)
{
	(void)arg;
	n_sliced += strstr(said->text, "elimination in ") != NULL;
}

static int setup(void **state)
{
	struct gpube_opts opts = {.n_threads = 1, .memory_bytes = N_LITTLE, .log = count_sliced};

	(void)state;
	return gpube_ctx_new(&ctx, &opts);
}

static struct random_spec dense(uint64_t seed)
{
	struct random_spec spec = random_spec_default();

	spec.n_vars = 8;
	spec.min_domain = 2;
	spec.max_domain = 3;
	spec.n_functions = 24;
	spec.min_arity = 2;
	spec.max_arity = 2 + seed % 2;
	spec.forbidden = seed % 4 ? 0.05 : 0.4;
	spec.sparse = 0.2;
	spec.top = seed % 3 ? TOP_NONE : TOP_TIGHT;
	spec.direction = seed % 5 ? GPUBE_MINIMISE : GPUBE_MAXIMISE;
	return spec;
}

static void optimum(void **state)
{
	uint64_t seed = (uint64_t)(uintptr_t)*state;
	struct gpube_opts opts = {.seed = seed, .order_seconds = 1e-3};
	struct random_spec spec = dense(seed);

	for (int k = 0; k < 2; k++) {
		if (regions[k] == GPUBE_REGIONS_NESTED) { /* pairs, too many for the ascent */
			spec.max_arity = 2;
			spec.max_domain = 4;
			spec.forbidden = 0.05;
		}
		n_sliced = 0;
		opts.method = k ? GPUBE_BOUND_ASCENT : GPUBE_BOUND_AUTO;
		opts.regions = regions[k];
		check_optimum(&spec, seed, &opts);
		n_sliced_by[k] += n_sliced > 0;
	}
}

/* A failure of any allocation is reported, and leaves nothing behind. */
static int bound_scarcely(struct gpube_ctx *c, struct gpube_model *m, const void *arg)
{
	struct gpube_opts opts = {.order_seconds = 1e-4, .method = GPUBE_BOUND_AUTO};
	struct gpube_solution *b;
	int status;

	(void)arg;
	c->memory_bytes = N_LITTLE / 4;
	status = gpube_bound(&b, m, &opts);
	assert_true(!b == (status != 0));
	gpube_result_free(b);
	return status;
}

static void memory(void **state)
{
	fail_on_random_model(bound_scarcely, NULL, (uint64_t)(uintptr_t)*state, 16);
}

static void slices_were_made(void **state)
{
	(void)state;
	assert_true(n_sliced_by[0] > N_SEEDS / 4);
	assert_true(n_sliced_by[1] > N_SEEDS / 4);
}

int main(void)
{
	struct cases c = {0};

	add_numbers(&c, optimum, N_SEEDS, "optimum, seed");
	add_numbers(&c, memory, N_MEMORY, "memory, seed");
	ADD_CASE(&c, slices_were_made);
	return run_cases(&c, "slices", setup, ctx_teardown);
}
