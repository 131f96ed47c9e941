/* Simplification against enumeration on random models. */
#include "tests/support/test.h"

#include "tests/support/cases.h"
#include "tests/support/context.h"
#include "tests/support/random_model.h"
#include "tests/support/simplified.h"

enum { N_SEEDS = 20, MAX_BLOCKS = 100 };

static struct random_spec varied(uint64_t seed)
{
	return random_spec_varied(seed, GPUBE_COSTS);
}

static struct random_spec plain(uint64_t seed)
{
	(void)seed;
	return random_spec_default();
}

static struct random_spec all_sparse(uint64_t seed)
{
	struct random_spec s = random_spec_default();

	s.sparse = 1;
	s.min_domain = 2;
	s.repeated = 0.5;
	s.min_cost = -(int64_t)(seed % 30);
	return s;
}

static struct random_spec hard_zeros(uint64_t seed)
{
	struct random_spec s = random_spec_default();

	s.forbidden = 0.3 + 0.02 * (double)(seed % 20);
	s.n_functions = 5;
	return s;
}

static struct random_spec tight_top(uint64_t seed)
{
	struct random_spec s = random_spec_default();

	s.top = TOP_TIGHT;
	s.min_cost = -5;
	s.forbidden = seed % 2 ? 0 : 0.1;
	s.direction = seed % 3 ? GPUBE_MINIMISE : GPUBE_MAXIMISE;
	return s;
}

static struct random_spec maximised(uint64_t seed)
{
	struct random_spec s = random_spec_default();

	s.direction = GPUBE_MAXIMISE;
	s.min_cost = seed % 2 ? -20 : 0;
	return s;
}

static struct random_spec observed(uint64_t seed)
{
	struct random_spec s = random_spec_default();

	s.observed = 0.1 * (double)(seed % 11);
	s.sparse = 0.5;
	return s;
}

static struct random_spec unary_only(uint64_t seed)
{
	struct random_spec s = random_spec_default();

	(void)seed;
	s.min_arity = s.max_arity = 1;
	return s;
}

static struct random_spec no_scope_only(uint64_t seed)
{
	struct random_spec s = random_spec_default();

	s.max_arity = 0;
	s.forbidden = seed % 2 ? 0 : 0.02;
	return s;
}

static struct random_spec equal_scopes(uint64_t seed)
{
	struct random_spec s = random_spec_default();

	(void)seed;
	s.repeated = 1;
	s.shared = 0;
	s.min_arity = 2;
	return s;
}

static struct random_spec shared_tables(uint64_t seed)
{
	struct random_spec s = random_spec_default();

	s.shared = 1;
	s.repeated = 0;
	s.min_domain = s.max_domain = 3;
	s.n_functions = 16;
	s.min_arity = 2;
	s.max_arity = 2;
	s.forbidden = seed % 2 ? 0 : 0.25;
	return s;
}

static struct random_spec disconnected(uint64_t seed)
{
	struct random_spec s = random_spec_default();

	s.n_vars = 7;
	s.max_domain = 3;
	s.n_parts = 2 + (int)(seed % 3);
	return s;
}

static struct random_spec infeasible(uint64_t seed)
{
	struct random_spec s = random_spec_default();

	(void)seed;
	s.contradiction = true;
	return s;
}

static struct random_spec wide_scopes(uint64_t seed)
{
	struct random_spec s = random_spec_default();

	s.n_vars = 8;
	s.max_domain = 3;
	s.min_arity = 4;
	s.max_arity = 7;
	s.n_functions = 4;
	s.sparse = 0.5;
	s.forbidden = 0.04 * (double)(seed % 20);
	return s;
}

static struct random_spec huge_costs(uint64_t seed)
{
	struct random_spec s = random_spec_default();

	s.max_cost = (int64_t)1 << 57;
	s.min_cost = seed % 2 ? 0 : -s.max_cost;
	s.scale = 9;
	return s;
}

static struct random_spec single_values(uint64_t seed)
{
	struct random_spec s = random_spec_default();

	(void)seed;
	s.max_domain = 2;
	s.n_vars = 10;
	return s;
}

static const struct feature {
	const char *name;
	struct random_spec (*spec)(uint64_t seed);
	int n_blocks;
} features[] = {
	{"varied", varied, 40},
	{"plain", plain, 4},
	{"all_sparse", all_sparse, 4},
	{"hard_zeros", hard_zeros, 8},
	{"tight_top", tight_top, 8},
	{"maximised", maximised, 3},
	{"observed", observed, 4},
	{"unary_only", unary_only, 2},
	{"no_scope_only", no_scope_only, 2},
	{"equal_scopes", equal_scopes, 3},
	{"shared_tables", shared_tables, 4},
	{"disconnected", disconnected, 3},
	{"infeasible", infeasible, 2},
	{"wide_scopes", wide_scopes, 4},
	{"huge_costs", huge_costs, 3},
	{"single_values", single_values, 3},
};

struct block {
	const struct feature *feature;
	int first;
	bool reductions;
};

static void random_block(void **state)
{
	const struct block *b = *state;

	for (uint64_t seed = (uint64_t)b->first; seed < (uint64_t)b->first + N_SEEDS; seed++) {
		struct random_spec spec = b->feature->spec(seed);
		struct gpube_model *m = random_model(ctx, &spec, seed);

		assert_non_null(m);
		check_simplified(m, b->reductions);
		gpube_model_free(m);
	}
}

/* The random sparse models again, with no memory to make any of them dense. */
static void sparse_stays_sparse(void **state)
{
	uint64_t memory = ctx->memory_bytes;

	(void)state;
	ctx->memory_bytes = 1;
	for (uint64_t seed = 0; seed < 100; seed++) {
		struct random_spec spec = all_sparse(seed);
		struct gpube_model *m;

		spec.max_arity = 4;
		spec.observed = seed % 3 ? 0 : 0.3;
		m = random_model(ctx, &spec, seed);
		assert_non_null(m);
		check_simplified(m, true);
		check_simplified(m, false);
		gpube_model_free(m);
	}
	ctx->memory_bytes = memory;
}

int main(void)
{
	static struct block blocks[2 * MAX_BLOCKS], *block = blocks;
	struct cases c = {0};

	for (size_t k = 0; k < sizeof(features) / sizeof(*features); k++)
		for (int first = 0; first < features[k].n_blocks * N_SEEDS; first += N_SEEDS)
			for (int reductions = 1; reductions >= 0; reductions--, block++) {
				*block = (struct block){&features[k], first, reductions};
				add_case(&c, random_block, block, "%s_%d_to_%d%s", features[k].name,
					first, first + N_SEEDS - 1,
					reductions ? "" : "_no_reductions");
			}
	ADD_CASE(&c, sparse_stays_sparse);
	return run_cases(&c, "simplify: random", ctx_setup, ctx_teardown);
}
