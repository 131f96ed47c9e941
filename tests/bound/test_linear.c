/*
 * The linear relaxation (gpube/relax/linear): the program costs each assignment what the model
 * does, and its rows leave out none below the cutoff; what is proved by whatever prices, also by
 * nonsense, is below what every assignment of interest costs; what is removed is in none; and
 * branch and bound ends with what enumeration says.
 */
#include "tests/support/test.h"
#include "gpube/options/options.h"

#include <math.h>

#include "gpube/bound/bound.h"
#include "gpube/ir/dense.h"
#include "gpube/relax/linear/linear_parts.h"
#include "gpube/relax/scaling.h"
#include "tests/support/bounded.h"
#include "tests/support/cases.h"
#include "tests/support/context.h"
#include "tests/support/random_model.h"

static const struct gpube_relaxation *const r = &gpube__linear;

enum { N_SEEDS = 300, N_NONSENSE = 200, N_SPLIT = 200 };

/* Some are of forbidden cells and few costs, so that functions are sums of what values cost. */
static struct random_spec spec_of(uint64_t seed)
{
	struct random_spec spec = random_spec_default();

	spec.n_vars = 2 + (int)(seed % 5);
	spec.min_domain = 1 + (int)(seed % 3 > 0);
	spec.max_domain = 2 + (int)(seed % 4);
	spec.n_functions = 2 * spec.n_vars + (int)(seed % 7);
	spec.min_arity = 0;
	spec.max_arity = 1 + (int)(seed % 4);
	spec.forbidden = seed % 3 ? 0.2 : 0;
	spec.repeated = 0.2;
	spec.max_cost = seed % 5 == 4 ? (int64_t)1 << 45 : seed % 5 == 3 ? 100000 : seed % 5;
	spec.top = seed % 4 == 1 ? TOP_LOOSE : TOP_NONE;
	return spec;
}

/* Of an assignment: in the program, scaled; -1: it has no column for a function's cell. */
static int64_t scaled_cost(const struct gpube_linear_program *p, const int32_t *values)
{
	int64_t sum = 0;

	for (int32_t i = 0; i < p->of.n; i++)
		sum += p->cost[p->of.at[i] + values[i]];
	for (int32_t f = 0; f < p->n_functions; f++) {
		const struct gpube_linear_function *of = &p->functions[f];
		int32_t at = -1;

		for (int32_t c = 0; c < of->n; c++) {
			bool same = true;

			for (int k = 0; k < of->arity; k++) {
				const int32_t i = p->scopes[of->scope_at + k];

				same &= p->cells[of->cell_at + (int64_t)c * of->arity + k] ==
					p->of.at[i] + values[i];
			}
			at = same ? c : at;
		}
		if (at < 0)
			return -1;
		sum += p->cost[of->column + at];
	}
	return sum;
}

/* Whether each row that limits has no more of an assignment's values than it may. */
static bool goes_with_rows(const struct gpube_linear_program *p, const int32_t *values)
{
	for (int32_t row = 0; row < p->n_limits; row++) {
		int32_t n = 0;

		for (int64_t k = p->row_at[row]; k < p->row_at[row + 1]; k++) {
			const int32_t x = p->entries[k], i = p->owner[x];

			n += p->of.at[i] + values[i] == x;
		}
		if (n > p->limits[row])
			return false;
	}
	return true;
}

static bool lives(const struct gpube_linear_program *p, const uint64_t *live, const int32_t *values)
{
	for (int32_t i = 0; i < p->of.n; i++)
		if (!gpube__bit(live, p->of.at[i] + values[i]))
			return false;
	return true;
}

/* Of assignments below the cutoff none is left out, and their costs are what rounding leaves. */
static void check_costs(
	const struct gpube_linear_program *p, const struct gpube_model *m, int64_t limit)
{
	int32_t values[64] = {0};

	do {
		const int64_t scaled = scaled_cost(p, values);
		int64_t cost;

		assert_int_equal(gpube_model_cost(&cost, m, values), 0);
		if (cost >= limit)
			continue;
		assert_true(scaled < p->of.target);
		assert_true(goes_with_rows(p, values) && lives(p, p->of.allowed, values));
		check_scaled(m, cost, p->of.shift, scaled);
	} while (next_assignment(values, m));
}

/* An assignment of live values that the program knows. */
static bool counts(
	const struct gpube_linear_program *p, const uint64_t *live, const int32_t *values)
{
	return lives(p, live, values) && goes_with_rows(p, values) && scaled_cost(p, values) != -1;
}

/* What is proved in a state of live values holds for every assignment of them. */
static void check_proved(
	const struct gpube_linear_state *s, const struct gpube_model *m, const uint64_t *live)
{
	int32_t values[64] = {0};

	if (s->bound == INT64_MIN)
		return;
	do {
		const int64_t cost = scaled_cost(s->p, values);

		if (!counts(s->p, live, values))
			continue;
		assert_true(cost >= s->bound);
		for (int32_t i = 0; i < s->p->of.n; i++)
			assert_true(cost >= s->bound + s->regret[s->p->of.at[i] + values[i]]);
	} while (next_assignment(values, m));
}

/* No assignment below the target goes with what is removed. */
static void check_removed(const struct gpube_linear_program *p, const struct gpube_model *m,
	const uint64_t *before, const uint64_t *after, bool empty)
{
	int32_t values[64] = {0};

	do
		if (counts(p, before, values) && scaled_cost(p, values) < p->of.target)
			assert_true(!empty && lives(p, after, values));
	while (next_assignment(values, m));
}

static void *open_state(const struct gpube_linear_program *p)
{
	void *state;

	assert_int_equal(r->open(&state, &p->of, ctx), 0);
	return state;
}

/* Both parts of a split have the bounds that are told of them. */
static void check_split(
	struct gpube_linear_state *s, const struct gpube_model *m, const uint64_t *live)
{
	const struct gpube_linear_program *p = s->p;
	const int32_t x = r->choose(s), i = p->owner[x];
	int32_t values[64] = {0};

	assert_true(gpube__bit(live, x));
	do
		if (counts(p, live, values))
			assert_true(2 * scaled_cost(p, values) >=
				    r->part(s, x, p->of.at[i] + values[i] == x));
	while (next_assignment(values, m));
}

/* From a state: removes, splits, restricts to a random part, and goes on from what was kept. */
static void walk(const struct gpube_linear_program *p, const struct gpube_model *m, uint64_t seed)
{
	struct gpube_linear_state *s = open_state(p);
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
		assert_true(r->steps(s) == GPUBE__STEPS_OVER);
		check_proved(s, m, live);
		r->filter(s, p->of.target, live, &empty);
		check_removed(p, m, before, live, empty);
		if (from)
			r->forget(ctx, from);
		from = r->save(s);
		assert_non_null(from);
		r->round(s, values);
		assert_true(lives(p, before, values));
		if (!r->decided(s))
			check_split(s, m, before);
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

static void needs_clp(void)
{
	if (!gpube__clp_there(ctx))
		skip();
}

static void on_random(uint64_t seed, void (*of)(const struct gpube_linear_program *p,
					     const struct gpube_model *m, uint64_t seed))
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
			assert_true(p || !b.s.model->n_vars);
			if (!p)
				break;
			check_costs((const struct gpube_linear_program *)p, b.s.model, cutoff);
			if (gpube__relaxed_possible(p))
				of((const struct gpube_linear_program *)p, b.s.model, seed);
			r->free(p);
		}
	}
	bounded_clear(&b);
}

static void invariant(void **state)
{
	needs_clp();
	on_random((uint64_t)(uintptr_t)*state, walk);
}

/* Prices of all sizes, also such as are no numbers: a bound, or none. */
static void try_nonsense(
	const struct gpube_linear_program *p, const struct gpube_model *m, uint64_t seed)
{
	static const double sizes[] = {0, 1e-6, 0.1, 1, 30, 1e6, 1e30, INFINITY, NAN};
	struct gpube_linear_state *s = open_state(p);
	double *price = calloc((size_t)s->n_rows, sizeof(*price));
	struct gpube_rng rng;

	gpube__rng_init(&rng, seed);
	assert_non_null(price);
	assert_int_equal(r->begin(s, p->of.allowed, NULL), 0);
	for (size_t k = 0; k < sizeof(sizes) / sizeof(*sizes); k++)
		for (int sign = 0; sign < 3; sign++) {
			for (int32_t row = 0; row < s->n_rows; row++)
				price[row] = (gpube__rng_unit(&rng) - 0.5 * sign) * sizes[k];
			gpube__linear_prove(s, p->of.allowed, price);
			check_proved(s, m, p->of.allowed);
		}
	free(price);
	r->close(s);
}

static void nonsense(void **state)
{
	needs_clp();
	on_random((uint64_t)(uintptr_t)*state, try_nonsense);
}

/* Branch and bound ends with the optimum, whatever the threads. */
static void splitting(void **state)
{
	const uint64_t seed = (uint64_t)(uintptr_t)*state;
	const struct random_spec spec = spec_of(seed);
	struct gpube_opts opts = {.method = GPUBE_BOUND_LINEAR, .seed = seed, .no_simplify = true};

	needs_clp();
	for (int threads = 1; threads <= 3; threads += 2) {
		ctx->n_threads = threads;
		check_optimum(&spec, seed, &opts);
	}
	ctx->n_threads = 1;
}

/* Photographs that exclude each other, also three together, and are worth something each. */
static void photographs(void **state)
{
	struct gpube_opts opts = {.method = GPUBE_BOUND_LINEAR, .no_simplify = true};
	struct random_spec spec = random_spec_default();
	const uint64_t seed = (uint64_t)(uintptr_t)*state;

	needs_clp();
	spec.n_vars = 12;
	spec.min_domain = spec.max_domain = 2;
	spec.n_functions = 40;
	spec.min_arity = 1;
	spec.max_arity = 3;
	spec.forbidden = 0.3;
	spec.max_cost = 3;
	check_optimum(&spec, seed, &opts);
}

static const struct relaxed_method method = {GPUBE_BOUND_LINEAR, gpube__bound_linear, 0.1, 3};

static void scarce(void **state)
{
	(void)state;
	needs_clp();
	check_scarce(&method);
}

static void turns_that_fail(void **state)
{
	(void)state;
	needs_clp();
	check_turns(&method);
}

/* Functions of so many cells are not for it, and it says so. */
static void too_large(void **state)
{
	struct random_spec spec = random_spec_default();
	struct gpube_relaxed *p;
	struct gpube_model *m;

	(void)state;
	spec.n_vars = 4;
	spec.min_domain = spec.max_domain = 17;
	spec.min_arity = spec.max_arity = 4;
	spec.repeated = 0;
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
	add_seeds(&c, nonsense, N_NONSENSE, "bounds of any prices");
	add_seeds(&c, splitting, N_SPLIT, "branch and bound");
	add_seeds(&c, photographs, 40, "values that exclude each other");
	add_case(&c, scarce, NULL, "memory that runs out");
	add_case(&c, turns_that_fail, NULL, "turns that fail");
	add_case(&c, too_large, NULL, "functions of many cells");
	return run_cases(&c, "linear", ctx_setup_1_thread, ctx_teardown);
}
