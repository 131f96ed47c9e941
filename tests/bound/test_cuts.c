/*
 * The relaxation over cycles (gpube/relax/cuts): the cut of each assignment costs what the model
 * does and breaks no row, whatever the values that rows are looked for; what is proved by whatever
 * prices, also by nonsense, is below what every assignment of interest costs; what is removed is in
 * none; and branch and bound ends with what enumeration says.
 */
#include "tests/support/test.h"
#include "gpube/options/options.h"

#include <math.h>

#include "gpube/bound/bound.h"
#include "gpube/ir/dense.h"
#include "gpube/relax/cuts/cuts_parts.h"
#include "tests/support/bounded.h"
#include "tests/support/cases.h"
#include "tests/support/context.h"
#include "tests/support/random_model.h"
#include "tests/support/small_model.h"

static const struct gpube_relaxation *const r = &gpube__cuts;

enum { N_SEEDS = 300, N_NONSENSE = 100, N_ROWS = 100, N_SPLIT = 150, MOST = 256 };

/* Grids, dense graphs, values alone, variables of one value, costs that are large or equal. */
static struct random_spec spec_of(uint64_t seed)
{
	struct random_spec spec = random_spec_default();

	spec.n_vars = 2 + (int)(seed % 7);
	spec.min_domain = seed % 4 ? 2 : 1;
	spec.max_domain = 2;
	spec.n_functions = spec.n_vars + (int)(seed % 13);
	spec.min_arity = seed % 3 ? 0 : 2;
	spec.max_arity = 2;
	spec.forbidden = 0;
	spec.repeated = 0.2;
	spec.max_cost = seed % 5 == 4 ? (int64_t)1 << 45 : seed % 5 == 3 ? 100000 : 1 + seed % 5;
	spec.top = seed % 4 == 1 ? TOP_LOOSE : TOP_NONE;
	return spec;
}

static bool is_cut(const struct gpube_cuts_graph *p, int32_t e, const int32_t *values)
{
	const int32_t a = p->end[0][e], b = p->end[1][e], last = p->n_vertices - 1;

	return (a == last ? 0 : values[a]) != (b == last ? 0 : values[b]);
}

static int64_t scaled_cost(const struct gpube_cuts_graph *p, const int32_t *values)
{
	int64_t sum = p->constant;

	for (int32_t e = 0; e < p->n_edges; e++)
		sum += is_cut(p, e, values) ? p->weight[e] : 0;
	return sum;
}

static bool lives(const struct gpube_cuts_graph *p, const uint64_t *live, const int32_t *values)
{
	for (int32_t e = 0; e < p->n_edges; e++)
		if (!gpube__bit(live, 2 * (int64_t)e + is_cut(p, e, values)))
			return false;
	return true;
}

/* Costs are what rounding leaves, and one of the best assignments is allowed. */
static void check_costs(
	const struct gpube_cuts_graph *p, const struct gpube_model *m, int64_t limit)
{
	int64_t best = GPUBE_INF, allowed = GPUBE_INF;
	int32_t values[64] = {0};

	do {
		const int64_t scaled = scaled_cost(p, values);
		int64_t cost;

		assert_int_equal(gpube_model_cost(&cost, m, values), 0);
		if (cost >= limit)
			continue;
		assert_true(scaled < p->of.target);
		/* a cost becomes an even number */
		check_scaled(m, cost, p->of.shift > 0 ? p->of.shift : p->of.shift - 1,
			p->of.shift > 0 ? scaled : scaled >> 1);
		best = cost < best ? cost : best;
		if (lives(p, p->of.allowed, values))
			allowed = cost < allowed ? cost : allowed;
	} while (next_assignment(values, m));
	assert_true(best == allowed);
}

/* What is proved in a state of live values holds for every assignment of them. */
static void check_proved(
	const struct gpube_cuts_state *s, const struct gpube_model *m, const uint64_t *live)
{
	int32_t values[64] = {0};

	if (s->bound == INT64_MIN)
		return;
	do {
		const int64_t cost = scaled_cost(s->p, values);

		if (!lives(s->p, live, values))
			continue;
		assert_true(cost >= s->bound);
		for (int32_t e = 0; e < s->p->n_edges; e++) {
			const int64_t reduced =
				is_cut(s->p, e, values) ? s->reduced[e] : -s->reduced[e];

			if (gpube__bit(live, 2 * (int64_t)e) &&
				gpube__bit(live, 2 * (int64_t)e + 1))
				assert_true(reduced <= 0 || cost >= s->bound + reduced);
		}
	} while (next_assignment(values, m));
}

/* No assignment breaks a row. */
static void check_rows(const struct gpube_cuts_state *s, const struct gpube_model *m)
{
	int32_t values[64] = {0};

	do
		for (int32_t row = 0; row < s->rows.n; row++) {
			int32_t sum = 0;

			for (int64_t k = s->rows.at[row]; k < s->rows.at[row + 1]; k++) {
				const int32_t entry = s->rows.entries[k];

				sum += is_cut(s->p, entry >> 1, values) ? entry & 1 ? 1 : -1 : 0;
			}
			assert_true(sum <= gpube__cuts_limit(&s->rows, row));
		}
	while (next_assignment(values, m));
}

/* No assignment below the target goes with what is removed. */
static void check_removed(const struct gpube_cuts_graph *p, const struct gpube_model *m,
	const uint64_t *before, const uint64_t *after, bool empty)
{
	int32_t values[64] = {0};

	do
		if (lives(p, before, values) && scaled_cost(p, values) < p->of.target)
			assert_true(!empty && lives(p, after, values));
	while (next_assignment(values, m));
}

static void *open_state(const struct gpube_cuts_graph *p)
{
	void *state;

	assert_int_equal(r->open(&state, &p->of, ctx), 0);
	return state;
}

/* Both parts of a split have the bounds that are told of them. */
static void check_split(
	struct gpube_cuts_state *s, const struct gpube_model *m, const uint64_t *live)
{
	const int32_t x = r->choose(s);
	int32_t values[64] = {0};

	assert_true(gpube__bit(live, x) && gpube__bit(live, x ^ 1));
	do
		if (lives(s->p, live, values))
			assert_true(2 * scaled_cost(s->p, values) >=
				    r->part(s, x, is_cut(s->p, x >> 1, values) == (x & 1)));
	while (next_assignment(values, m));
}

/* Rounds until there are no more rows. */
static void to_the_end(struct gpube_cuts_state *s, const struct gpube_model *m)
{
	enum gpube_relaxed_steps more = GPUBE__STEPS_GO_ON;

	for (int k = 0; k < 1000 && more == GPUBE__STEPS_GO_ON; k++) {
		more = r->steps(s);
		check_proved(s, m, s->live);
		if (s->bound >= s->p->of.target)
			return;
	}
	assert_true(more == GPUBE__STEPS_OVER);
	check_rows(s, m);
}

/* From a state: removes, splits, restricts to a part, and goes on from what was kept, elsewhere. */
static void walk(const struct gpube_cuts_graph *p, const struct gpube_model *m, uint64_t seed)
{
	struct gpube_cuts_state *states[2] = {open_state(p), open_state(p)};
	struct gpube_relaxed_start *from = NULL;
	uint64_t live[MOST / 64] = {0};
	struct gpube_rng rng;
	bool empty = false;

	gpube__rng_init(&rng, seed);
	assert_true(p->of.words <= MOST / 64);
	memcpy(live, p->of.allowed, (size_t)p->of.words * sizeof(*live));
	for (int k = 0; k < 6 && !empty; k++) {
		struct gpube_cuts_state *s = states[gpube__rng_below(&rng, 2)];
		const int64_t x = 2 * (int64_t)gpube__rng_below(&rng, (uint64_t)p->n_edges);
		uint64_t before[MOST / 64];
		int32_t values[MOST];

		memcpy(before, live, sizeof(before));
		assert_int_equal(r->begin(s, live, from), 0);
		to_the_end(s, m);
		r->filter(s, p->of.target, live, &empty);
		check_removed(p, m, before, live, empty);
		if (from)
			r->forget(ctx, from);
		from = r->save(s);
		assert_non_null(from);
		r->round(s, values);
		for (int32_t i = 0; i < m->n_vars; i++)
			assert_true(values[i] >= 0 && values[i] < m->vars[i].domain);
		if (!r->decided(s))
			check_split(s, m, before);
		r->clear(s);
		if (gpube__rng_below(&rng, 2)) { /* the state works on another node */
			assert_int_equal(r->begin(s, p->of.allowed, NULL), 0);
			to_the_end(s, m);
			r->clear(s);
		}
		if (gpube__bit(live, x) && gpube__bit(live, x + 1))
			gpube__bit_drop(live, x + (int64_t)gpube__rng_below(&rng, 2));
	}
	r->forget(ctx, from);
	r->close(states[0]);
	r->close(states[1]);
}

static void needs_clp(void)
{
	if (!gpube__clp_there(ctx))
		skip();
}

static void on_random(uint64_t seed,
	void (*of)(const struct gpube_cuts_graph *p, const struct gpube_model *m, uint64_t seed))
{
	const struct random_spec spec = spec_of(seed);
	struct gpube_model *m = random_model(ctx, &spec, seed);
	struct brute brute;

	assert_non_null(m);
	assert_int_equal(brute_force(&brute, NULL, m), 0);
	for (int k = 0; k < (brute.cost < GPUBE_INF ? 3 : 1); k++) {
		const int64_t limit = k == 0 ? GPUBE_INF : k == 1 ? brute.cost : brute.cost + 5;
		const int64_t cutoff = limit < m->top ? limit : m->top;
		struct gpube_relaxed *p;

		assert_int_equal(r->make(&p, m, cutoff), 0);
		if (!p) {
			assert_true(spec.max_cost > 100000);
			break;
		}
		check_costs((const struct gpube_cuts_graph *)p, m, cutoff);
		if (gpube__relaxed_possible(p))
			of((const struct gpube_cuts_graph *)p, m, seed);
		r->free(p);
	}
	gpube_model_free(m);
}

static void invariant(void **state)
{
	needs_clp();
	on_random((uint64_t)(uintptr_t)*state, walk);
}

/* The least sum of a closed walk whose odd set is odd, by all pairs of vertices and sides. */
static double shortest(const struct gpube_cuts_state *s)
{
	enum { MOST_ENDS = 2 * 16 };
	const struct gpube_cuts_graph *p = s->p;
	const int n = 2 * p->n_vertices;
	double d[MOST_ENDS][MOST_ENDS], least = INFINITY;

	assert_true(n <= MOST_ENDS);
	for (int a = 0; a < n; a++)
		for (int b = 0; b < n; b++)
			d[a][b] = INFINITY;
	for (int32_t e = 0; e < p->n_edges; e++)
		for (int side = 0; side < 4 && gpube__cuts_there(s, e); side++) {
			const int a = 2 * p->end[0][e] + side % 2, b = 2 * p->end[1][e] + side / 2;
			const double value = s->value[2 * (int64_t)e + 1];

			d[a][b] = d[b][a] = side % 2 == side / 2 ? value : 1 - value;
		}
	for (int k = 0; k < n; k++)
		for (int a = 0; a < n; a++)
			for (int b = 0; b < n; b++)
				d[a][b] = fmin(d[a][b], d[a][k] + d[k][b]);
	for (int v = 0; v < p->n_vertices; v++)
		least = fmin(least, d[2 * v][2 * v + 1]);
	return least;
}

/* What the values make of a row, beside its limit. */
static double broken_by(const struct gpube_cuts_state *s, int32_t row)
{
	double sum = -gpube__cuts_limit(&s->rows, row);

	for (int64_t k = s->rows.at[row]; k < s->rows.at[row + 1]; k++) {
		const int32_t entry = s->rows.entries[k];

		sum += (entry & 1 ? 1 : -1) * s->value[entry | 1];
	}
	return sum;
}

/* Of whatever values, rows that they break and no cut does; and some wherever there are any. */
static void try_values(const struct gpube_cuts_graph *p, const struct gpube_model *m, uint64_t seed)
{
	struct gpube_cuts_state *s = open_state(p);
	struct gpube_rng rng;

	gpube__rng_init(&rng, seed);
	for (int k = 0; k < 40; k++) {
		int32_t n;

		assert_int_equal(r->begin(s, p->of.allowed, NULL), 0);
		for (int32_t e = 0; e < p->n_edges; e++) {
			const uint64_t kind = gpube__rng_below(&rng, 4);

			s->value[2 * (int64_t)e + 1] = kind < 2   ? (double)kind
						       : kind < 3 ? 0.5
								  : gpube__rng_unit(&rng);
		}
		n = gpube__cuts_find(s, &s->rows);
		assert_true(n == s->rows.n);
		assert_true(n > 0 || shortest(s) > 0.99);
		for (int32_t row = 0; row < n; row++)
			assert_true(broken_by(s, row) > 1e-4);
		check_rows(s, m);
		gpube__cuts_rows_clear(ctx, &s->rows);
	}
	r->close(s);
}

static void rows(void **state)
{
	needs_clp();
	on_random((uint64_t)(uintptr_t)*state, try_values);
}

/* Prices of all sizes, also such as are no numbers: a bound, or none. */
static void try_nonsense(
	const struct gpube_cuts_graph *p, const struct gpube_model *m, uint64_t seed)
{
	static const double sizes[] = {0, 1e-6, 0.1, 1, 30, 1e6, 1e30, INFINITY, NAN};
	struct gpube_cuts_state *s = open_state(p);
	struct gpube_rng rng;
	double *price;

	gpube__rng_init(&rng, seed);
	assert_int_equal(r->begin(s, p->of.allowed, NULL), 0);
	to_the_end(s, m);
	price = calloc((size_t)s->rows.n + 1, sizeof(*price));
	assert_non_null(price);
	for (size_t k = 0; k < sizeof(sizes) / sizeof(*sizes); k++)
		for (int sign = 0; sign < 3; sign++) {
			for (int32_t row = 0; row < s->rows.n; row++)
				price[row] = (gpube__rng_unit(&rng) - 0.5 * sign) * sizes[k];
			gpube__cuts_prove(s, p->of.allowed, price);
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

/* A grid without costs of values, of costs that are all 1, or different. */
static struct gpube_model *grid(uint64_t seed)
{
	enum { WIDE = 6, HIGH = 6 };
	struct gpube_model *m = new_model(WIDE * HIGH, 2);
	struct gpube_rng rng;

	gpube__rng_init(&rng, seed);
	for (int k = 0; k < WIDE * HIGH; k++)
		for (int down = 0; down < 2; down++) {
			const int64_t cost =
				seed % 2 ? 1 : 1 + (int64_t)gpube__rng_below(&rng, 1000);
			const bool same = gpube__rng_below(&rng, 2);

			if (down ? k + WIDE >= WIDE * HIGH : k % WIDE == WIDE - 1)
				continue;
			add(m, SCOPE(k, down ? k + WIDE : k + 1),
				same ? COSTS(0, cost, cost, 0) : COSTS(cost, 0, 0, cost));
		}
	return m;
}

/* Of a planar graph the rows are all that there are: the bound is the optimum, but for rounding. */
static void planar(void **state)
{
	struct gpube_opts opts = {.method = GPUBE_BOUND_ELIMINATE};
	struct gpube_model *m = grid((uint64_t)(uintptr_t)*state);
	struct gpube_solution *best = must_bound(m, &opts);
	enum gpube_relaxed_steps more = GPUBE__STEPS_GO_ON;
	struct gpube_cuts_state *s;
	struct gpube_relaxed *p;

	needs_clp();
	assert_true(best->cost > 0);
	assert_int_equal(r->make(&p, m, best->cost + 1), 0);
	assert_non_null(p);
	s = open_state((const struct gpube_cuts_graph *)p);
	assert_int_equal(r->begin(s, p->allowed, NULL), 0);
	for (int k = 0; k < 1000 && more == GPUBE__STEPS_GO_ON; k++)
		more = r->steps(s);
	assert_true(s->rows.n > 0);
	assert_true(s->bound <= best->cost << p->shift);
	assert_true(s->bound > (best->cost << p->shift) - (1 << p->shift) / 100);
	r->close(s);
	r->free(p);
	gpube_result_free(best);
	gpube_model_free(m);
}

/* Branch and bound ends with the optimum, whatever the threads. */
static void splitting(void **state)
{
	const uint64_t seed = (uint64_t)(uintptr_t)*state;
	struct random_spec spec = spec_of(seed);
	struct gpube_opts opts = {.method = GPUBE_BOUND_LINEAR, .seed = seed, .no_simplify = true};

	needs_clp();
	spec.n_vars += 4;
	spec.n_functions *= 3;
	for (int threads = 1; threads <= 3; threads += 2) {
		ctx->n_threads = threads;
		check_optimum(&spec, seed, &opts);
	}
	ctx->n_threads = 1;
}

static const struct relaxed_method method = {GPUBE_BOUND_LINEAR, gpube__bound_linear, 0, 2};

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

/* Whether models are for it: not those that forbid, nor dense ones where a sparse one is wanted. */
static void suits(void **state)
{
	struct gpube_model *m = new_model(20, 2);
	bool yes;

	(void)state;
	for (int32_t i = 0; i < 20; i++)
		for (int32_t k = i + 1; k < 20; k++)
			add(m, SCOPE(i, k), COSTS(0, 1, 1, 0));
	assert_int_equal(gpube__cuts_suit(&yes, m, false), 0);
	assert_true(yes);
	assert_int_equal(gpube__cuts_suit(&yes, m, true), 0);
	assert_false(yes);
	gpube_model_free(m);
	m = grid(1);
	assert_int_equal(gpube__cuts_suit(&yes, m, true), 0);
	assert_true(yes);
	add(m, SCOPE(0, 2), COSTS(0, X, 1, 0));
	assert_int_equal(gpube__cuts_suit(&yes, m, true), 0);
	assert_false(yes);
	gpube_model_free(m);
}

int main(void)
{
	struct cases c = {0};

	add_seeds(&c, invariant, N_SEEDS, "bounds and what they remove");
	add_seeds(&c, rows, N_ROWS, "rows of any values");
	add_seeds(&c, nonsense, N_NONSENSE, "bounds of any prices");
	add_seeds(&c, planar, 40, "bounds of planar graphs");
	add_seeds(&c, splitting, N_SPLIT, "branch and bound");
	add_case(&c, suits, NULL, "models that are for it");
	add_case(&c, scarce, NULL, "memory that runs out");
	add_case(&c, turns_that_fail, NULL, "turns that fail");
	return run_cases(&c, "cuts", ctx_setup_1_thread, ctx_teardown);
}
