/*
 * The dual ascent on nested regions: after every pass, on fewer values and on parts,
 * each assignment below the limit costs in the tables and addends exactly what it did, so that the
 * constant is a bound; and bounds by it are the optima that brute force finds.
 */
#include "tests/support/test.h"
#include <string.h>
#include "gpube/options/options.h"

#include "gpube/ir/dense.h"
#include "gpube/relax/nested.h"
#include "gpube/ops/regions/regions_cell.h"
#include "gpube/simplify/simplify.h"
#include "tests/support/cases.h"
#include "tests/support/context.h"
#include "tests/support/bounded.h"
#include "tests/support/random_model.h"

enum { N_SEEDS = 300, N_TURNS = 4 };

/* The index of a value among a part's live ones, or -1. */
static int32_t live_index(const struct gpube_nested_problem *p, int32_t i, int32_t value)
{
	const int32_t *live = p->values;

	for (int32_t k = 0; k < i; k++)
		live += p->r.domain[k];
	for (int32_t x = 0; x < p->r.domain[i]; x++)
		if (live[x] == value)
			return x;
	return -1;
}

/* What an assignment costs in a state; -1: a value, or a cell, is dead. */
static int64_t state_cost(
	const struct gpube_nested *n, const struct gpube_nested_problem *p, const int32_t *values)
{
	const struct regions_view v = regions_view(&p->r, n->plan.words);
	const int32_t slack = gpube__slack(n->c);
	int64_t sum = p->constant;

	for (int64_t t = 0; t < gpube__regions_tables(&n->plan); t++) {
		int32_t vars[3], cell, x;
		const int k = regions_scope(&v, t, vars);
		const bool addend = t >= (int64_t)n->plan.n + n->plan.n_pairs + n->plan.n_triples;
		int64_t at = 0;

		for (int e = 0; e < k; e++) {
			x = live_index(p, vars[e], values[vars[e]]);
			if (x < 0)
				return -1;
			at = at * (e == k - 1 ? regions_row(p->r.domain[vars[e]])
					      : p->r.domain[vars[e]]) +
			     x;
		}
		cell = v.cells[v.at[t] + at];
		if (addend ? cell == GPUBE__DEAD : cell >= slack)
			return -1;
		assert_true(addend || cell >= 0);
		sum += cell;
	}
	return sum;
}

/* kept: NULL, or for variable var which of the model's values the part is of */
static void check_costs(const struct gpube_nested *n, const struct gpube_nested_problem *p,
	const struct gpube_model *m, int64_t limit, int32_t var, const uint8_t *kept)
{
	int32_t *values = gpube__alloc_zero(ctx, (uint64_t)m->n_vars, sizeof(*values));

	n->c->constant = p->constant;
	n->c->target = p->target;
	do {
		int64_t cost;

		assert_int_equal(gpube_model_cost(&cost, m, values), 0);
		if (cost >= limit || (kept && !kept[values[var]]))
			continue;
		assert_true(p->constant < p->target);
		assert_true(
			gpube__scaled_bound(m, n->c->shift, p->constant, p->target, limit) <= cost);
		check_scaled(m, cost, n->c->shift, state_cost(n, p, values));
	} while (next_assignment(values, m));
	gpube__free(ctx, values);
}

/* The values of var, of the model, that a part has. */
static void mark_live(const struct gpube_nested_problem *p, int32_t var, uint8_t *live, int32_t d)
{
	for (int32_t a = 0; a < d; a++)
		live[a] = live_index(p, var, a) >= 0;
}

static void split_and_check(struct gpube_nested *n, struct gpube_nested_problem *p,
	const struct gpube_model *m, int64_t limit)
{
	uint8_t keep[2][64], live[64];
	int32_t var = 0;

	for (int32_t i = 0; i < m->n_vars; i++)
		if (p->r.domain[i] > p->r.domain[var])
			var = i;
	if (p->r.domain[var] > 64 || m->vars[var].domain > 64)
		return;
	for (int half = 0; half < 2; half++) {
		struct gpube_nested_problem *q;

		assert_int_equal(gpube__nested_read(n, p), 0);
		for (int32_t x = 0; x < p->r.domain[var]; x++)
			keep[half][x] = x % 2 == half;
		assert_int_equal(gpube__nested_shrink(&q, n, p, var, keep[half]), 0);
		if (!q)
			continue;
		mark_live(q, var, live, m->vars[var].domain);
		check_costs(n, q, m, limit, var, live);
		assert_int_equal(gpube__nested_passes(n, q, 2, GPUBE_REGIONS_QUADS), 0);
		check_costs(n, q, m, limit, var, live);
		gpube__nested_free(n, q);
	}
}

/* What a device does at once must not meet: no two items of a group are above one table. */
static void check_groups(const int32_t *group, int32_t n_groups, const int32_t *below,
	const int32_t *at, int32_t each, int32_t n_tables)
{
	int32_t *used = gpube__alloc_zero(ctx, (uint64_t)n_tables + 1, sizeof(*used));

	for (int32_t g = 0; g < n_groups; g++)
		for (int32_t k = group[g]; k < group[g + 1]; k++) {
			const int32_t first = at ? at[k] : each * k;
			const int32_t end = at ? at[k + 1] : first + each;

			for (int32_t e = first; e < end; e++) {
				assert_true(used[below[e]] != g + 1);
				used[below[e]] = g + 1;
			}
		}
	gpube__free(ctx, used);
}

static void check_plan(const struct gpube_nested *n, const struct gpube_nested_problem *p)
{
	const struct gpube_regions_plan *plan = &n->plan;
	const struct regions_view v = regions_view(&p->r, plan->words);
	int32_t *at = gpube__alloc(ctx, (uint64_t)plan->n + 1, sizeof(*at)), total = 0;
	int32_t *near = gpube__alloc(ctx, 2 * (uint64_t)plan->n_pairs, sizeof(*near));

	check_groups(
		plan->quad_group, plan->n_quad_groups, v.quad_triples, NULL, 4, plan->n_triples);
	check_groups(
		plan->triple_group, plan->n_triple_groups, v.triple_pairs, NULL, 3, plan->n_pairs);
	assert_int_equal(plan->quad_group[plan->n_quad_groups], plan->n_quads);
	assert_int_equal(plan->triple_group[plan->n_triple_groups], plan->n_triples);
	assert_int_equal(plan->variable_group[plan->n_variable_groups], plan->n);
	for (int32_t k = 0; k < plan->n; k++) { /* pairs in the order of the groups */
		const int32_t i = v.variables[k];

		at[k] = total;
		for (int32_t e = v.near_at[i]; e < v.near_at[i + 1]; e++)
			near[total++] = v.near[e];
	}
	at[plan->n] = total;
	assert_int_equal(total, 2 * plan->n_pairs);
	check_groups(plan->variable_group, plan->n_variable_groups, near, at, 0, plan->n_pairs);
	gpube__free(ctx, at);
	gpube__free(ctx, near);
}

/* Triples alone, all or every other one: the model that they leave. */
static void climb_triples(const struct gpube_model *m, int64_t limit)
{
	int32_t vars[3 * 64], n_kept = -1;

	for (int turn = 0; turn < 2; turn++) {
		const struct gpube_nested_triples only = {vars, n_kept};
		struct gpube_nested n;
		struct gpube_nested_problem *p;
		struct gpube_model *to;
		struct gpube_pairs c;

		assert_int_equal(gpube__pairs_init(&c, m, limit, GPUBE__MOST_SHIFT), 0);
		assert_int_equal(gpube__nested_init(&n, &c, gpube__ops_cpu(), gpube__regions_cpu(),
					 1e9, &only),
			0);
		assert_true(n.plan.n_quads == 0 && (!turn || n.plan.n_triples == n_kept));
		assert_int_equal(gpube__nested_first(&p, &n), 0);
		assert_int_equal(gpube__nested_passes(&n, p, 3, 0), 0);
		assert_int_equal(gpube__nested_read(&n, p), 0);
		if (p->constant < p->target) {
			assert_int_equal(gpube__nested_model(&to, &n, p, m), 0);
			check_moved(to, m, c.shift, limit);
			gpube_model_free(to);
		}
		n_kept = 0;
		for (int32_t t = 0; t < n.plan.n_triples && n_kept < 64; t += 2)
			memcpy(vars + 3 * (int64_t)n_kept++,
				regions_view(&p->r, n.plan.words).triple_vars + 3 * (int64_t)t,
				3 * sizeof(*vars));
		gpube__nested_free(&n, p);
		gpube__nested_clear(&n);
		gpube__pairs_clear(&c);
	}
}

static void climb(const struct gpube_model *m, int64_t limit, double bytes)
{
	struct gpube_nested n;
	struct gpube_nested_problem *p, *q;
	struct gpube_pairs c;
	int64_t before = 0;

	if (!gpube__nested_suits(m, gpube__regions_cpu()))
		return;
	assert_int_equal(gpube__pairs_init(&c, m, limit, GPUBE__MOST_SHIFT), 0);
	assert_int_equal(
		gpube__nested_init(&n, &c, gpube__ops_cpu(), gpube__regions_cpu(), bytes, NULL), 0);
	assert_int_equal(gpube__nested_first(&p, &n), 0);
	check_plan(&n, p);
	check_costs(&n, p, m, limit, 0, NULL);
	for (int turn = 0; turn < N_TURNS && p->constant < p->target; turn++) {
		assert_int_equal(
			gpube__nested_passes(&n, p, 1 + turn, turn % 3 ? GPUBE_REGIONS_QUADS : 0),
			0);
		assert_true(p->constant >= before);
		before = p->constant;
		check_costs(&n, p, m, limit, 0, NULL);
		if (p->constant >= p->target)
			break;
		assert_int_equal(gpube__nested_read(&n, p), 0);
		if (turn % 2) {
			assert_int_equal(gpube__nested_shrink(&q, &n, p, -1, NULL), 0);
			if (!q)
				break;
			gpube__nested_free(&n, p);
			p = q;
			check_costs(&n, p, m, limit, 0, NULL);
		}
		if (turn == 2)
			split_and_check(&n, p, m, limit);
	}
	gpube__nested_free(&n, p);
	gpube__nested_clear(&n);
	gpube__pairs_clear(&c);
	climb_triples(m, limit);
}

static void invariant(void **state)
{
	uint64_t seed = (uint64_t)(uintptr_t)*state;
	struct random_spec spec = random_spec_default();
	struct bounded b;

	spec.min_arity = spec.max_arity = 2;
	spec.n_functions = 8 + (int)(seed % 9);
	spec.min_domain = 1 + (int)(seed % 2);
	spec.max_domain = 3 + (int)(seed % 3);
	spec.max_cost = 20;
	ctx->n_threads = 1 + (seed % 16 == 0);
	if (bounded_init(&b, spec, seed)) {
		climb(b.s.model, b.s.model->top, 1e9);
		climb(b.s.model, b.s.model->top, 2000);
		if (b.optimum < GPUBE_INF) {
			climb(b.s.model, b.optimum, 1e9);
			climb(b.s.model, b.optimum + 1, 1e9);
			climb(b.s.model, b.optimum + 5, 1e9);
		}
	}
	bounded_clear(&b);
}

/*
 * The method finds the optimum that brute force finds, by splitting alone where nothing is
 * eliminated.
 */
static void optimum(void **state)
{
	const uint64_t seed = (uint64_t)(uintptr_t)*state;
	const struct gpube_opts opts = {.method = GPUBE_BOUND_ASCENT,
		.regions = GPUBE_REGIONS_NESTED,
		.backend = GPUBE_BACKEND_CPU,
		.no_eliminate = seed % 4 != 0,
		.split = seed % 3 ? GPUBE_SPLIT_FIRST : GPUBE_SPLIT_AUTO};
	struct random_spec spec = random_spec_default();

	spec.min_arity = spec.max_arity = 2;
	spec.n_vars = 6;
	spec.n_functions = 10 + (int)(seed % 9);
	spec.min_domain = 2;
	spec.max_domain = 4;
	check_optimum(&spec, seed, &opts);
}

/* A triangle of disequalities on two values: 0 by pairs, 1 by the triple. */
static void odd_cycle(void **state)
{
	const int64_t equal[] = {1, 0, 0, 1};
	struct gpube_model *m;

	(void)state;
	assert_int_equal(gpube_model_new(&m, ctx, GPUBE_COSTS), 0);
	for (int i = 0; i < 3; i++)
		assert_int_equal(gpube_model_add_var(m, NULL, 2, NULL), 0);
	for (int i = 0; i < 3; i++)
		assert_int_equal(
			gpube_model_add_costs(m, 2, (int32_t[]){i, (i + 1) % 3}, equal), 0);
	for (int n = 0; n >= -1; n--) {
		const struct gpube_nested_triples only = {.n = n};
		struct gpube_pairs c;
		struct gpube_nested nested;
		struct gpube_nested_problem *p;

		assert_int_equal(gpube__pairs_init(&c, m, GPUBE_INF, GPUBE__MOST_SHIFT), 0);
		assert_int_equal(gpube__nested_init(&nested, &c, gpube__ops_cpu(),
					 gpube__regions_cpu(), 1e9, &only),
			0);
		assert_int_equal(gpube__nested_first(&p, &nested), 0);
		assert_int_equal(gpube__nested_passes(&nested, p, 20, 0), 0);
		assert_int_equal(
			gpube__scaled_bound(m, c.shift, p->constant, p->target, GPUBE_INF), n < 0);
		gpube__nested_free(&nested, p);
		gpube__nested_clear(&nested);
		gpube__pairs_clear(&c);
	}
	gpube_model_free(m);
}

int main(void)
{
	struct cases c = {0};

	add_numbers(&c, invariant, N_SEEDS, "invariant, seed");
	add_numbers(&c, optimum, N_SEEDS, "optimum, seed");
	ADD_CASE(&c, odd_cycle);
	return run_cases(&c, "nested", ctx_setup_1_thread, ctx_teardown);
}
