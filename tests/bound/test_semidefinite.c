/*
 * The semidefinite relaxation (gpube/relax/semidefinite): the matrix of costs prices each
 * assignment as the model does; what is proved by whatever multipliers, also by nonsense, is below
 * what every assignment of interest costs; what is removed is in none; and branch and bound ends
 * with what enumeration says.
 */
#include "tests/support/test.h"
#include "gpube/options/options.h"

#include <math.h>

#include "gpube/bound/bound.h"
#include "gpube/ir/dense.h"
#include "gpube/relax/scaling.h"
#include "gpube/relax/semidefinite/lapack.h"
#include "gpube/relax/semidefinite/semidefinite.h"
#include "tests/support/bounded.h"
#include "tests/support/cases.h"
#include "tests/support/context.h"
#include "tests/support/random_model.h"

static const struct gpube_relaxation *const r = &gpube__semidefinite;

enum { N_SEEDS = 300, N_NONSENSE = 200, N_SPLIT = 200 };

static struct random_spec spec_of(uint64_t seed)
{
	struct random_spec spec = random_spec_default();

	spec.n_vars = 2 + (int)(seed % 5);
	spec.min_domain = 1 + (int)(seed % 3 > 0);
	spec.max_domain = 2 + (int)(seed % 4);
	spec.n_functions = 2 * spec.n_vars + (int)(seed % 7);
	spec.min_arity = 0;
	spec.max_arity = 2;
	spec.forbidden = seed % 3 ? 0 : 0.2;
	spec.repeated = 0.2;
	spec.max_cost = seed % 5 == 4 ? (int64_t)1 << 45 : seed % 5 == 3 ? 100000 : 12;
	spec.top = seed % 4 == 1 ? TOP_LOOSE : TOP_NONE;
	return spec;
}

/* Of an assignment: in the matrix, scaled. */
static int64_t scaled_cost(const struct gpube_semidefinite *p, const int32_t *values)
{
	int64_t sum = p->constant;

	for (int32_t i = 0; i < p->of.n; i++)
		for (int32_t j = 0; j <= i; j++)
			sum += p->cost[(int64_t)(p->of.at[i] + values[i]) * p->of.n_values +
				       p->of.at[j] + values[j]];
	return sum;
}

static bool lives(const struct gpube_semidefinite *p, const uint64_t *live, const int32_t *values)
{
	for (int32_t i = 0; i < p->of.n; i++)
		if (!gpube__bit(live, p->of.at[i] + values[i]))
			return false;
	return true;
}

/* The matrix costs below the target are those of the model, or what rounding leaves of them. */
static void check_costs(
	const struct gpube_semidefinite *p, const struct gpube_model *m, int64_t limit)
{
	int32_t values[64] = {0};

	do {
		const int64_t scaled = scaled_cost(p, values);
		int64_t cost;

		assert_int_equal(gpube_model_cost(&cost, m, values), 0);
		if (cost >= limit) {
			assert_true(cost == GPUBE_INF ||
				    scaled <= gpube__scale_target(
						      p->of.shift, cost - gpube__constant_of(m)));
			continue;
		}
		cost -= gpube__constant_of(m);
		assert_true(scaled < p->of.target);
		if (p->of.shift >= 0)
			assert_true(scaled == cost << p->of.shift);
		else
			assert_true(scaled <= cost >> -p->of.shift &&
				    scaled + m->n_functions >= cost >> -p->of.shift);
	} while (next_assignment(values, m));
}

/* What is proved in a state of live values holds for every assignment of them. */
static void check_proved(
	const struct gpube_semidefinite_state *s, const struct gpube_model *m, const uint64_t *live)
{
	int32_t values[64] = {0};

	if (s->twice == INT64_MIN)
		return;
	do {
		const int64_t twice = 2 * scaled_cost(s->p, values);

		if (!lives(s->p, live, values))
			continue;
		assert_true(twice >= s->twice);
		for (int32_t row = 1; row < s->order; row++)
			for (int32_t i = 0; i < s->p->of.n; i++)
				if (s->p->of.at[i] + values[i] == s->value[row])
					assert_true(twice >= s->twice + s->regret[row]);
	} while (next_assignment(values, m));
}

/* No assignment below the target goes with what is removed. */
static void check_removed(const struct gpube_semidefinite *p, const struct gpube_model *m,
	const uint64_t *before, const uint64_t *after, bool empty)
{
	int32_t values[64] = {0};

	do
		if (lives(p, before, values) && scaled_cost(p, values) < p->of.target)
			assert_true(!empty && lives(p, after, values));
	while (next_assignment(values, m));
}

static void *open_state(const struct gpube_semidefinite *p)
{
	void *state;

	assert_int_equal(r->open(&state, &p->of, ctx), 0);
	return state;
}

/* From a state: removes, restricts to a random part, and goes on from what was kept. */
static void walk(const struct gpube_semidefinite *p, const struct gpube_model *m, uint64_t seed)
{
	struct gpube_semidefinite_state *s = open_state(p);
	struct gpube_relaxed_start *from = NULL;
	uint64_t live[4] = {0};
	struct gpube_rng rng;
	bool empty = false;

	gpube__rng_init(&rng, seed);
	assert_true(p->of.words <= 4);
	memcpy(live, p->of.allowed, (size_t)p->of.words * sizeof(*live));
	for (int k = 0; k < 6 && !empty; k++) {
		uint64_t before[4];
		int32_t values[64];
		const int32_t i = (int32_t)gpube__rng_below(&rng, (uint64_t)p->of.n);
		int32_t n_left = 0;

		memcpy(before, live, sizeof(before));
		assert_int_equal(r->begin(s, live, from), 0);
		for (int n = 1 + (int)gpube__rng_below(&rng, 6); n > 0; n--)
			assert_true(r->steps(s) == GPUBE__STEPS_GO_ON);
		check_proved(s, m, live);
		r->filter(s, p->of.target, live, &empty);
		check_removed(p, m, before, live, empty);
		r->round(s, values);
		assert_true(lives(p, before, values));
		if (from)
			r->forget(ctx, from);
		from = r->save(s);
		assert_non_null(from);
		r->clear(s);
		for (int32_t x = p->of.at[i]; x < p->of.at[i + 1]; x++)
			n_left += gpube__bit(live, x);
		for (int32_t x = p->of.at[i]; x < p->of.at[i + 1] && n_left > 1; x++)
			if (gpube__bit(live, x) && gpube__rng_below(&rng, 2)) {
				gpube__bit_drop(live, x);
				n_left--;
			}
	}
	r->forget(ctx, from);
	r->close(s);
}

static void needs_lapack(void)
{
	if (!gpube__lapack_there(ctx))
		skip();
}

static void on_random(uint64_t seed,
	void (*of)(const struct gpube_semidefinite *p, const struct gpube_model *m, uint64_t seed))
{
	struct bounded b;
	int64_t limit[] = {GPUBE_INF, 0, 0};

	if (bounded_init(&b, spec_of(seed), seed)) {
		limit[1] = b.optimum;
		limit[2] = b.optimum + 5;
		for (int k = 0; k < (b.optimum < GPUBE_INF ? 3 : 1); k++) {
			const int64_t cutoff =
				limit[k] < b.s.model->top ? limit[k] : b.s.model->top;
			struct gpube_relaxed *p;

			assert_int_equal(r->make(&p, b.s.model, cutoff), 0);
			if (!p) /* simplification has left a function of three variables */
				break;
			check_costs((const struct gpube_semidefinite *)p, b.s.model, cutoff);
			if (gpube__relaxed_possible(p))
				of((const struct gpube_semidefinite *)p, b.s.model, seed);
			r->free(p);
		}
	}
	bounded_clear(&b);
}

static void invariant(void **state)
{
	needs_lapack();
	on_random((uint64_t)(uintptr_t)*state, walk);
}

/* Multipliers of all sizes, also such as are no numbers: a bound, or none. */
static void try_nonsense(
	const struct gpube_semidefinite *p, const struct gpube_model *m, uint64_t seed)
{
	static const double sizes[] = {0, 1e-6, 0.1, 1, 30, 1e6, 1e30, INFINITY, NAN};
	struct gpube_semidefinite_state *s = open_state(p);
	struct gpube_rng rng;

	gpube__rng_init(&rng, seed);
	assert_int_equal(r->begin(s, p->of.allowed, NULL), 0);
	for (size_t k = 0; k < sizeof(sizes) / sizeof(*sizes); k++)
		for (int sign = 0; sign < 3; sign++) {
			for (int32_t row = 0; row < s->order; row++)
				for (int32_t column = row; column < s->order; column++) {
					const double x = gpube__rng_unit(&rng) - 0.5 * (2 - sign);

					s->room[0][row * s->order + column] = x * sizes[k];
					s->room[0][column * s->order + row] = x * sizes[k];
				}
			s->twice = INT64_MIN;
			gpube__semidefinite_prove(s, s->room[0]);
			if (!(sizes[k] < 1e30))
				assert_true(s->twice == INT64_MIN);
			check_proved(s, m, p->of.allowed);
		}
	r->close(s);
}

static void nonsense(void **state)
{
	needs_lapack();
	on_random((uint64_t)(uintptr_t)*state, try_nonsense);
}

/* Branch and bound ends with the optimum, whatever the threads. */
static void splitting(void **state)
{
	const uint64_t seed = (uint64_t)(uintptr_t)*state;
	const struct random_spec spec = spec_of(seed);
	struct gpube_opts opts = {
		.method = GPUBE_BOUND_SEMIDEFINITE, .seed = seed, .no_simplify = true};

	needs_lapack();
	for (int threads = 1; threads <= 3; threads += 2) {
		ctx->n_threads = threads;
		check_optimum(&spec, seed, &opts);
	}
	ctx->n_threads = 1;
}

/* Couplings of all pairs of spins, where few values are removed: it has to branch. */
static void couplings(void **state)
{
	struct gpube_opts opts = {.method = GPUBE_BOUND_SEMIDEFINITE, .no_simplify = true};
	struct random_spec spec = random_spec_default();
	const uint64_t seed = (uint64_t)(uintptr_t)*state;

	needs_lapack();
	spec.n_vars = 13;
	spec.min_domain = spec.max_domain = 2;
	spec.n_functions = 90;
	spec.min_arity = spec.max_arity = 2;
	spec.forbidden = spec.sparse = 0;
	check_optimum(&spec, seed, &opts);
}

static const struct relaxed_method method = {
	GPUBE_BOUND_SEMIDEFINITE, gpube__bound_semidefinite, 0, 3};

static void scarce(void **state)
{
	(void)state;
	needs_lapack();
	check_scarce(&method);
}

static void turns_that_fail(void **state)
{
	(void)state;
	needs_lapack();
	check_turns(&method);
}

/* Functions of three variables are not for it, and it says so. */
static void of_three(void **state)
{
	struct random_spec spec = random_spec_default();
	struct gpube_relaxed *p;
	struct gpube_model *m;

	(void)state;
	spec.min_arity = spec.max_arity = 3;
	m = random_model(ctx, &spec, 1);
	assert_non_null(m);
	assert_int_equal(r->make(&p, m, GPUBE_INF), 0);
	assert_null(p);
	gpube_model_free(m);
}

int main(void)
{
	struct cases c = {0};

	add_seeds(&c, invariant, N_SEEDS, "bounds and what they remove");
	add_seeds(&c, nonsense, N_NONSENSE, "bounds of any multipliers");
	add_seeds(&c, splitting, N_SPLIT, "branch and bound");
	add_seeds(&c, couplings, 20, "couplings of all pairs");
	add_case(&c, scarce, NULL, "memory that runs out");
	add_case(&c, turns_that_fail, NULL, "turns that fail");
	add_case(&c, of_three, NULL, "functions of three variables");
	return run_cases(&c, "semidefinite", ctx_setup_1_thread, ctx_teardown);
}
