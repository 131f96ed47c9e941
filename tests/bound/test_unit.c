/*
 * By what totals differ (gpube/bound/bound_unit.c), against enumeration: models whose totals are
 * equal modulo a number, though no cost alone says so, and those of random models; and what each
 * method proves where a bound is rounded up to the next total that there can be.
 */
#include "tests/support/test.h"
#include "gpube/options/options.h"

#include "gpube/bound/bounder.h"
#include "tests/support/bounded.h"
#include "tests/support/cases.h"
#include "tests/support/context.h"
#include "tests/support/random_model.h"

enum { N_SEEDS = 150, N_RANDOM = 200, MOST_VARS = 7, MOST_DOMAIN = 3 };

static int setup(void **state)
{
	(void)state;
	return ctx_open(1, (uint64_t)1 << 28);
}

struct drawn {
	struct gpube_model *m;
	struct gpube_rng rng;
	int64_t unit;
	int n;
	int32_t domain[MOST_VARS];
	int64_t brings[MOST_VARS][MOST_DOMAIN], times[MOST_VARS];
};

static int64_t below(struct drawn *d, uint64_t n)
{
	return (int64_t)gpube__rng_below(&d->rng, n);
}

/* Multiples of the unit, and what single values bring so many times; or forbidden cells. */
static void add_function(struct drawn *d, int arity, const int32_t *scope, bool forbids)
{
	int64_t costs[MOST_DOMAIN * MOST_DOMAIN * MOST_DOMAIN], times[3], constant = below(d, 9);
	int64_t n = 1;

	for (int k = 0; k < arity; k++) {
		times[k] = forbids ? 0 : below(d, (uint64_t)d->unit);
		d->times[scope[k]] += times[k];
		n *= d->domain[scope[k]];
	}
	for (int64_t i = 0; i < n; i++) {
		int64_t cell = i;

		costs[i] = forbids && !below(d, 6) ? GPUBE_INF : constant + d->unit * below(d, 7);
		for (int k = arity - 1; k >= 0; k--) {
			const int64_t x = cell % d->domain[scope[k]];

			cell /= d->domain[scope[k]];
			costs[i] += costs[i] == GPUBE_INF ? 0 : times[k] * d->brings[scope[k]][x];
		}
	}
	assert_int_equal(gpube_model_add_costs(d->m, arity, scope, costs), 0);
}

/* What a variable brings is brought a multiple of the unit times in all. */
static void draw(struct drawn *d, uint64_t seed, bool forbids)
{
	*d = (struct drawn){.unit = 2 + (int64_t)(seed % 5), .n = 4 + (int)(seed % 4)};
	gpube__rng_init(&d->rng, seed);
	assert_int_equal(gpube_model_new(&d->m, ctx, GPUBE_COSTS), 0);
	for (int i = 0; i < d->n; i++) {
		d->domain[i] = 2 + (int32_t)below(d, MOST_DOMAIN - 1);
		assert_int_equal(gpube_model_add_var(d->m, NULL, d->domain[i], NULL), 0);
		for (int a = 0; a < MOST_DOMAIN; a++)
			d->brings[i][a] = below(d, 8);
	}
	for (int f = 0; f < 3 * d->n; f++) {
		const int arity = 2 + !below(d, 4);
		int32_t scope[3] = {(int32_t)below(d, (uint64_t)d->n)};

		for (int k = 1; k < arity; k++)
			scope[k] =
				(scope[k - 1] + 1 + (int32_t)below(d, (uint64_t)d->n / 3)) % d->n;
		if (arity == 2 || scope[2] != scope[0])
			add_function(d, arity, scope, forbids && !below(d, 3));
	}
	for (int32_t i = 0; i < d->n; i++) {
		int64_t costs[MOST_DOMAIN];
		const int64_t rest = d->unit - d->times[i] % d->unit;

		for (int a = 0; a < d->domain[i]; a++)
			costs[a] = rest * d->brings[i][a] + d->unit * below(d, 3);
		assert_int_equal(gpube_model_add_costs(d->m, 1, &i, costs), 0);
	}
}

/* Every total that is allowed is what the bounder says of all. */
static int64_t check_totals(const struct gpube_model *m)
{
	struct gpube_bounder b = {.ctx = ctx, .m = m};
	int32_t *values = gpube__alloc_zero(ctx, (uint64_t)m->n_vars + 1, sizeof(*values));
	int64_t total;

	gpube__bounder_find_unit(&b);
	do {
		assert_int_equal(gpube_model_cost(&total, m, values), 0);
		if (total == GPUBE_INF || b.made.unit <= 1)
			continue;
		assert_true(gpube__bounder_whole(&b, total) == total);
		assert_true(gpube__bounder_whole(&b, total - b.made.unit + 1) == total);
		assert_true(gpube__bounder_whole(&b, total + 1) == total + b.made.unit);
	} while (next_assignment(values, m));
	gpube__free(ctx, values);
	return b.made.unit;
}

static void units(void **state)
{
	const uint64_t seed = (uint64_t)(uintptr_t)*state;
	const bool forbids = seed % 3 == 0;
	struct drawn d;
	int64_t unit;

	draw(&d, seed, forbids);
	unit = check_totals(d.m);
	assert_true(unit % d.unit == 0 && unit > 0);
	gpube_model_free(d.m);
}

static void random_totals(void **state)
{
	const uint64_t seed = (uint64_t)(uintptr_t)*state;
	struct random_spec spec = random_spec_varied(seed, GPUBE_COSTS);
	struct bounded b;

	if (bounded_init(&b, spec, seed) && !b.s.infeasible)
		(void)check_totals(b.s.model);
	bounded_clear(&b);
}

static void proofs(void **state)
{
	static const struct gpube_opts settings[] = {{.method = GPUBE_BOUND_TREE},
		{.method = GPUBE_BOUND_PAIRWISE}, {.method = GPUBE_BOUND_ANDOR},
		{.method = GPUBE_BOUND_ASCENT}, {.method = GPUBE_BOUND_AUTO},
		{.method = GPUBE_BOUND_AUTO, .no_simplify = 1}, {.method = GPUBE_BOUND_MBE, .z = 2},
		{.method = GPUBE_BOUND_ARC}, {.method = GPUBE_BOUND_SEMIDEFINITE}};
	const uint64_t seed = (uint64_t)(uintptr_t)*state;
	struct brute brute;
	struct drawn d;

	draw(&d, seed, seed % 3 == 0);
	assert_int_equal(brute_force(&brute, NULL, d.m), 0);
	for (size_t k = 0; k < sizeof(settings) / sizeof(*settings); k++)
		for (int cut = 0; cut < 2; cut++) {
			struct gpube_opts opts = settings[k];
			struct gpube_solution *b;

			opts.order_seconds = 1e-3;
			opts.seed = seed;
			opts.has_cutoff = cut;
			opts.cutoff = brute.cost + (int64_t)(seed % 7) - 3;
			b = must_bound(d.m, &opts);
			if (!brute.feasible || b->answer == GPUBE_ANSWER_INFEASIBLE) {
				assert_true(!brute.feasible &&
					    (b->answer == GPUBE_ANSWER_INFEASIBLE || cut));
			} else {
				assert_true(b->bound <= brute.cost ||
					    (cut && b->closed && brute.cost >= opts.cutoff));
				assert_true(!b->values || b->cost >= brute.cost);
				assert_true(
					b->answer != GPUBE_ANSWER_OPTIMAL || b->cost == brute.cost);
				assert_true(!cut || !b->closed || brute.cost >= opts.cutoff);
			}
			gpube_result_free(b);
		}
	gpube_model_free(d.m);
}

int main(void)
{
	struct cases c = {0};

	add_seeds(&c, units, N_SEEDS, "units, seed");
	add_seeds(&c, random_totals, N_RANDOM, "random totals, seed");
	add_seeds(&c, proofs, N_SEEDS, "proofs, seed");
	return run_cases(&c, "unit", setup, ctx_teardown);
}
