/*
 * The search tree: at every node each assignment below the limit that agrees with the decisions
 * costs in the tables exactly what it did, nothing there is negative, and its values are live; what
 * a level changed is taken back to the bit.
 */
#include <math.h>

#include "tests/support/test.h"
#include "gpube/options/options.h"

#include "gpube/ir/dense.h"
#include "gpube/bound/dfs_tree.h"
#include "gpube/relax/dfs_parts.h"
#include "gpube/simplify/simplify.h"
#include "tests/support/cases.h"
#include "tests/support/context.h"
#include "tests/support/bounded.h"
#include "tests/support/random_model.h"

enum { N_SEEDS = 300, DEPTH = 5 };

struct world {
	struct gpube_dfs *t;
	const struct gpube_model *m;
	int64_t limit;
	int32_t decided[64]; /* by position: the value, or -1; ~value: it is gone */
	int32_t *values;
};

static bool agrees(const struct world *w)
{
	for (int32_t p = 0; p < w->t->n; p++) {
		int32_t d = w->decided[p], a = w->values[w->t->order[p]];

		if (d >= 0 ? a != d : d < -1 && a == ~d - 1)
			return false;
	}
	return true;
}

/* What an assignment costs in the tables; -1: it is forbidden. */
static int64_t total(const struct world *w)
{
	const struct gpube_dfs *t = w->t;
	int64_t sum = t->constant;

	for (int32_t p = 0; p < t->n; p++) {
		int64_t c = t->cost[p][w->values[t->order[p]]];

		assert_true(c >= 0);
		sum += c;
	}
	for (int32_t f = 0; f < t->n_functions; f++) {
		const struct gpube_dfs_function *g = &t->functions[f];
		int64_t cell = 0, moved = 0;

		for (int k = 0; k < g->arity; k++) {
			int32_t a = w->values[t->order[g->scope[k]]];

			cell += g->stride[k] * a;
			moved += g->moved[k][a];
		}
		if (g->t[cell] == GPUBE__DFS_DEAD)
			return -1;
		assert_true(g->t[cell] >= moved);
		sum += g->t[cell] - moved;
	}
	return sum;
}

/*
 * Whether g costs nothing with some values of the other variables, and what those of 'priced' cost.
 */
static bool has_company(const struct gpube_dfs *t, const struct gpube_dfs_function *g, int k,
	int32_t value, uint32_t priced)
{
	int32_t index[GPUBE__DFS_ARITY] = {0};
	int j = 0;

	while (j < g->arity) {
		int64_t cell = 0, sum = 0;

		for (j = 0; j < g->arity; j++) {
			const int32_t p = g->scope[j], a = j == k ? value : t->live[p][index[j]];

			cell += g->stride[j] * a;
			sum += (j != k && (priced >> j & 1) ? t->cost[p][a] : 0) - g->moved[j][a];
		}
		if (g->t[cell] != GPUBE__DFS_DEAD && g->t[cell] + sum <= 0)
			return true;
		for (j = 0; j < g->arity && (j == k || ++index[j] == t->n_live[g->scope[j]]); j++)
			index[j] = 0;
	}
	return false;
}

/* What is kept of the company of values is that of this node, wherever it was found. */
static void check_company(const struct gpube_dfs *t, const struct gpube_dfs_function *g)
{
	int first = 0;

	while (first < g->arity && t->n_live[g->scope[first]] == 1)
		first++;
	for (int i = 0; i < g->arity && g->arity > 1 && first < g->arity; i++) {
		bool still = true;

		for (int k = first; k < g->arity; k++) {
			const int32_t q = g->scope[k];
			uint32_t priced = 0;

			for (int j = 0; j < g->arity; j++)
				priced |= (uint32_t)(k == first || (j > first && j < k)) << j;
			for (int32_t r = 0; r < t->n_live[q] && k != i && t->n_live[q] > 1; r++)
				still &= has_company(t, g, k, t->live[q][r], priced);
		}
		assert_true(gpube__dfs_is_still(t, g, g->scope[i], first) == still);
		if (t->at[g->scope[i]][t->free[g->scope[i]]] < t->n_live[g->scope[i]])
			assert_true(
				gpube__dfs_is_free(t, g, i) ==
				(gpube__dfs_waits(t, g) ||
					has_company(t, g, i, t->free[g->scope[i]], UINT32_MAX)));
	}
}

static void check(struct world *w)
{
	for (int32_t f = 0; f < w->t->n_functions && !w->t->conflict; f++)
		check_company(w->t, &w->t->functions[f]);
	memset(w->values, 0, (size_t)w->m->n_vars * sizeof(*w->values));
	do {
		int64_t cost;

		assert_int_equal(gpube_model_cost(&cost, w->m, w->values), 0);
		if (cost >= w->limit || !agrees(w))
			continue;
		if (w->t->conflict)
			fail_msg("a conflict, but an assignment costs %lld, below %lld",
				(long long)cost, (long long)w->limit);
		for (int32_t p = 0; p < w->t->n; p++)
			assert_true(w->t->at[p][w->values[w->t->order[p]]] < w->t->n_live[p]);
		assert_true(total(w) ==
			    (cost - gpube__constant_of(w->m)) * ((int64_t)1 << w->t->shift));
	} while (next_assignment(w->values, w->m));
}

/* An open position at random, or -1. */
static int32_t open_position(const struct gpube_dfs *t, struct gpube_rng *rng)
{
	int32_t start = (int32_t)(gpube__rng_next(rng) % (uint64_t)t->n);

	for (int32_t k = 0; k < t->n; k++)
		if (t->n_live[(start + k) % t->n] > 1)
			return (start + k) % t->n;
	return -1;
}

/* What undoing has to bring back. */
static int64_t *snapshot(const struct gpube_dfs *t, int64_t n_moves)
{
	int64_t *copy = gpube__alloc(ctx, (uint64_t)(n_moves + t->n), sizeof(*copy));

	memcpy(copy, t->moves, (size_t)n_moves * sizeof(*copy));
	for (int32_t p = 0; p < t->n; p++)
		copy[n_moves + p] = t->n_live[p];
	return copy;
}

/*
 * One level down and back, and, below the root, the other side at the level that it came from, as a
 * search does.
 */
static void descend(struct world *w, struct gpube_rng *rng, int64_t n_moves)
{
	struct gpube_dfs *t = w->t;
	struct gpube_dfs_mark mark;
	int32_t p = t->n && !t->conflict ? open_position(t, rng) : -1, was, value, decided[64];
	int64_t *before, *after;

	if (p < 0 || t->depth == DEPTH)
		return;
	before = snapshot(t, n_moves);
	was = w->decided[p];
	memcpy(decided, w->decided, sizeof(decided));
	value = t->live[p][gpube__rng_next(rng) % (uint64_t)t->n_live[p]];
	gpube__dfs_mark(t, &mark);
	t->depth++;
	if (gpube__rng_next(rng) % 3 || was != -1) {
		w->decided[p] = value;
		gpube__dfs_assign(t, p, value);
	} else {
		w->decided[p] = ~(value + 1);
		gpube__dfs_remove(t, p, value);
	}
	assert_int_equal(gpube__dfs_propagate(t), 0);
	assert_true(t->n_visits <= 5 * t->n + n_moves); /* it has an end */
	check(w);
	descend(w, rng, n_moves);
	t->depth--;
	gpube__dfs_undo(t, &mark);
	memcpy(w->decided, decided, sizeof(decided));
	after = snapshot(t, n_moves);
	assert_memory_equal(before, after, (size_t)(n_moves + t->n) * sizeof(*after));
	gpube__free(ctx, before);
	gpube__free(ctx, after);
	if (!t->depth || was != -1)
		return;
	w->decided[p] = ~(value + 1);
	gpube__dfs_remove(t, p, value);
	assert_int_equal(gpube__dfs_propagate(t), 0);
	check(w);
	descend(w, rng, n_moves);
}

/* Of the memory of all rows, what is used. */
static int64_t count_moves(const struct gpube_dfs *t)
{
	int64_t most = 0;

	for (int32_t i = 0; i < t->of_at[t->n] + t->n; i++) {
		const int32_t of = i < t->n ? 0 : t->of[i - t->n];
		const struct gpube_dfs_function *f = &t->functions[of / GPUBE__DFS_ARITY];
		const int32_t p = i < t->n ? i : f->scope[of % GPUBE__DFS_ARITY];
		const int64_t *row = i < t->n ? t->cost[p] : f->moved[of % GPUBE__DFS_ARITY];
		const int64_t end =
			row - t->moves + gpube__row_cells(t->m->vars[t->order[p]].domain);

		most = end > most ? end : most;
	}
	return most;
}

static void walk(const struct gpube_model *m, int64_t limit, uint64_t seed)
{
	struct world w = {.m = m, .limit = limit};
	int32_t order[64];
	int64_t n_moves = 0;
	struct gpube_rng rng;

	gpube__rng_init(&rng, seed);
	assert_true(m->n_vars <= 64);
	for (int32_t i = 0; i < m->n_vars; i++) {
		order[i] = seed % 3 ? i : m->n_vars - 1 - i;
		w.decided[i] = -1;
	}
	assert_int_equal(gpube__dfs_new_to(&w.t, m, order, limit, seed % 5 ? 0 : 3), 0);
	if (!w.t) /* too large */
		return;
	n_moves = count_moves(w.t);
	w.values = gpube__alloc(ctx, (uint64_t)m->n_vars, sizeof(*w.values));
	check(&w);
	for (int k = 0; k < 4 && !w.t->conflict; k++) {
		int32_t done = 0;

		/* one there and back, then one and a part of it again */
		while (done < w.t->n && !w.t->conflict) {
			assert_int_equal(gpube__dfs_sweep_on(w.t, k % 2, &done, 0), 0);
			check(&w);
		}
		check(&w);
	}
	assert_int_equal(gpube__dfs_propagate_all(w.t), 0);
	check(&w);
	for (int k = 0; k < 4; k++)
		descend(&w, &rng, n_moves);
	gpube__dfs_free(w.t);
	gpube__free(ctx, w.values);
}

static void invariant(void **state)
{
	walk_random_model(walk, (uint64_t)(uintptr_t)*state);
}

/*
 * Few variables of many values, whose rows are worked on by vectors: costs that fit 32 bits, small
 * ones and nearly as great as fit, and greater ones, and cells that are forbidden; values go from
 * the ends and in between.
 */
static void wide_domains(void **state)
{
	enum { N = 3, MOST = 23 };
	const uint64_t seed = (uint64_t)(uintptr_t)*state;
	const int64_t unit = (int64_t)1 << (seed % 2 ? 0 : seed % 4 ? 18 : 40);
	static const int32_t scopes[][3] = {{0, 1}, {1, 2}, {0, 2}, {2, 1}, {1}, {0, 1, 2}};
	static const int arity[] = {2, 2, 2, 2, 1, 3};
	static int64_t costs[MOST * MOST * MOST];
	struct gpube_model *m;
	struct gpube_rng rng;

	gpube__rng_init(&rng, seed);
	assert_int_equal(gpube_model_new(&m, ctx, GPUBE_COSTS), 0);
	for (int i = 0; i < N; i++)
		assert_int_equal(gpube_model_add_var(m, NULL,
					 2 + (int32_t)(gpube__rng_next(&rng) % (MOST - 1)), NULL),
			0);
	for (int f = 0; f < (seed % 3 ? 5 : 6); f++) {
		int64_t n = 1;

		for (int k = 0; k < arity[f]; k++)
			n *= m->vars[scopes[f][k]].domain;
		for (int64_t c = 0; c < n; c++)
			costs[c] = gpube__rng_next(&rng) % 8
					   ? unit * (int64_t)(gpube__rng_next(&rng) % 10)
					   : GPUBE_INF;
		assert_int_equal(gpube_model_add_costs(m, arity[f], scopes[f], costs), 0);
	}
	walk(m, unit * (int64_t)(8 + gpube__rng_next(&rng) % 20), seed);
	gpube_model_free(m);
}

/* Every method of the tree's tables says what is true, and the tree proves it. */
static void check_methods(const struct gpube_model *m, uint64_t seed)
{
	static const enum gpube_bound_method methods[] = {
		GPUBE_BOUND_ARC, GPUBE_BOUND_TREE, GPUBE_BOUND_AUTO};
	struct gpube_solution *b;
	struct brute brute;

	assert_int_equal(brute_force(&brute, NULL, m), 0);
	for (int k = 0; k < 3; k++) {
		struct gpube_opts opts = {.method = methods[k], .seed = seed};

		assert_int_equal(gpube_bound(&b, m, &opts), 0);
		assert_true(!brute.feasible || b->bound <= brute.cost);
		if (methods[k] != GPUBE_BOUND_ARC)
			assert_int_equal(b->answer,
				brute.feasible ? GPUBE_ANSWER_OPTIMAL : GPUBE_ANSWER_INFEASIBLE);
		if (brute.feasible && b->answer == GPUBE_ANSWER_OPTIMAL)
			assert_true(b->cost == brute.cost);
		gpube_result_free(b);
	}
}

/*
 * Functions of nine to twelve variables, which wait until few of these are open: of costs, and of
 * one forbidden tuple each, with functions of one and two variables between.
 */
static void wide_functions(void **state)
{
	enum { N = 12, MOST = 1 << N };
	const uint64_t seed = (uint64_t)(uintptr_t)*state;
	static int64_t costs[MOST];
	struct gpube_model *m;
	struct gpube_rng rng;

	gpube__rng_init(&rng, seed);
	assert_int_equal(gpube_model_new(&m, ctx, GPUBE_COSTS), 0);
	for (int i = 0; i < N; i++)
		assert_int_equal(gpube_model_add_var(m, NULL, 2, NULL), 0);
	for (int f = 0; f < 16; f++) {
		const int arity = f < 5 ? 9 + (int)gpube__rng_below(&rng, N - 8) : 1 + f % 2;
		const int64_t forbidden = (int64_t)gpube__rng_below(&rng, 1 << arity);
		int32_t scope[N];
		int n = 0;

		for (int i = 0; i < N; i++) /* each set of that many is as likely */
			if ((int)gpube__rng_below(&rng, (uint64_t)(N - i)) < arity - n)
				scope[n++] = i;
		for (int64_t c = 0; c < 1 << arity; c++)
			costs[c] = f >= 3 ? (int64_t)gpube__rng_below(&rng, 10)
					  : (c == forbidden ? GPUBE_INF : 0);
		assert_int_equal(gpube_model_add_costs(m, arity, scope, costs), 0);
	}
	walk(m, 20 + (int64_t)gpube__rng_below(&rng, 40), seed);
	check_methods(m, seed);
	gpube_model_free(m);
}

/*
 * n functions of one variable: what they force is added up, or the model refused, but never wraps.
 */
static void many_functions(void **state)
{
	const int n = (int)(uintptr_t)*state;
	const int64_t limit = (int64_t)1 << 56, costs[] = {limit / 2, limit / n};
	const int32_t order[] = {0};
	struct gpube_model *m;
	struct gpube_dfs *t;

	assert_int_equal(gpube_model_new(&m, ctx, GPUBE_COSTS), 0);
	assert_int_equal(gpube_model_add_var(m, NULL, 2, NULL), 0);
	for (int f = 0; f < n; f++)
		assert_int_equal(gpube_model_add_costs(m, 1, order, costs), 0);
	assert_int_equal(gpube__dfs_new(&t, m, order, limit), 0);
	assert_int_equal(!t, n >= 64);
	if (t) {
		assert_int_equal(gpube__dfs_sweep(t, false), 0);
		assert_true(t->constant == limit / n * n);
	}
	gpube__dfs_free(t);
	gpube_model_free(m);
}

/*
 * Costs that wander around a circle of functions, ever smaller: found among random models of two to
 * six variables whose costs are far apart. Without the cap propagation took more than ten seconds,
 * at three variables; one in some hundred of such models takes hundreds of looks at a variable.
 */
static void wandering_costs(void **state)
{
	static const struct {
		int32_t arity, scope[3];
		int64_t costs[24];
	} functions[] = {
		{2, {1, 2},
			{62500000000, 61035156, 122070312, 0, 0, 0, 0, 0, 1000000000000, 14901, 1,
				3}},
		{3, {0, 1, 2},
			{500000000000, 0, 14901, 122070312, 15258789, 0, 0, 0, 0, 58, 0, 0, 0, 1,
				29, 31250000000, 58, 0, 0, 15258789, 0, 0, 0, 125000000000}},
		{3, {0, 1, 2},
			{0, 931, 0, 119209, 30517578, 31250000000, 0, 0, 0, 0, 0, 14, 476837, 0,
				250000000000, 0, 0, 119209, 0, 0, 15625000000, 931, 0, 7}},
		{3, {0, 1, 2},
			{0, 31250000000, 30517578, 122070312, 29802, 3906250000, 244140625,
				250000000000, 0, 0, 3725, 0, 7812500000, 0, 0, 61035156, 59604,
				1953125000, 0, 3725, 0, 3906250000, 0, 0}},
		{2, {1, 2}, {125000000000, 0, 14, 1, 0, 0, 59604, 0, 0, 0, 488281250, 122070312}},
		{2, {0, 2}, {0, 0, 7629394, 0, 488281250, 125000000000, 0, 125000000000}},
	};
	const int32_t order[] = {0, 1, 2}, domains[] = {2, 3, 4};
	struct gpube_model *m;
	struct gpube_dfs *t;

	(void)state;
	assert_int_equal(gpube_model_new(&m, ctx, GPUBE_COSTS), 0);
	for (int i = 0; i < 3; i++)
		assert_int_equal(gpube_model_add_var(m, NULL, domains[i], NULL), 0);
	for (size_t f = 0; f < sizeof(functions) / sizeof(*functions); f++)
		assert_int_equal(gpube_model_add_costs(m, functions[f].arity, functions[f].scope,
					 functions[f].costs),
			0);
	assert_int_equal(gpube__dfs_new(&t, m, order, 2250000000001), 0);
	assert_non_null(t);
	assert_int_equal(gpube__dfs_propagate_all(t), 0);
	/* the cap; once for each variable and value more */
	assert_in_range(t->n_visits, 4 * 3, 4 * 3 + 3 + 9);
	gpube__dfs_free(t);
	gpube_model_free(m);
}

/*
 * Two variables before a third one, each of which forbids one of its values unless it takes its
 * dear one: what each of them costs is nothing that the order brings together, and the third one
 * gathers it.
 */
static void gathered_costs(void **state)
{
	const bool has_room = *state != NULL;
	const int64_t dear[] = {0, 7}, no_first[] = {GPUBE_INF, 0, 0, 0},
		      no_second[] = {0, has_room ? 0 : GPUBE_INF, 0, 0};
	const int32_t order[] = {0, 1, 2}, scope[][2] = {{0, 2}, {1, 2}};
	struct gpube_model *m;
	struct gpube_dfs *t;

	assert_int_equal(gpube_model_new(&m, ctx, GPUBE_COSTS), 0);
	for (int i = 0; i < 3; i++)
		assert_int_equal(gpube_model_add_var(m, NULL, 2, NULL), 0);
	for (int i = 0; i < 2; i++) {
		assert_int_equal(gpube_model_add_costs(m, 1, scope[i], dear), 0);
		assert_int_equal(
			gpube_model_add_costs(m, 2, scope[i], i ? no_second : no_first), 0);
	}
	assert_int_equal(gpube__dfs_new(&t, m, order, 15), 0);
	assert_non_null(t);
	assert_int_equal(gpube__dfs_propagate_all(t), 0);
	assert_true(t->constant == (has_room ? 0 : 7) && !t->conflict);
	gpube__dfs_cutoff(t, 7);
	assert_true(t->conflict != has_room);
	gpube__dfs_free(t);
	gpube_model_free(m);
}

/*
 * A sparse function over more than 2^63 cells: no tree, and no mini-buckets, which auto does
 * without; every method that says anything says what is true.
 */
static void uncountable_cells(void **state)
{
	enum { ARITY = 8, DOMAIN = 300 };
	const enum gpube_bound_method method = (enum gpube_bound_method)(uintptr_t)*state;
	struct gpube_table table = {
		.type = GPUBE_INT8, .sparse = true, .arity = ARITY, .n = 2, .dflt.i = 5};
	struct gpube_opts opts = {.method = method, .timeout_seconds = 1};
	struct gpube_model *m;
	struct gpube_solution *b;
	int32_t scope[ARITY], t;

	assert_int_equal(gpube_model_new(&m, ctx, GPUBE_COSTS), 0);
	table.values = gpube__alloc(ctx, 2, 1);
	table.tuples = gpube__alloc(ctx, 2 * ARITY, sizeof(*table.tuples));
	assert_true(table.values && table.tuples);
	memcpy(table.values, "\3\4", 2);
	for (int k = 0; k < ARITY; k++) {
		scope[k] = k;
		table.tuples[k] = 123;
		table.tuples[ARITY + k] = 200;
		assert_int_equal(gpube_model_add_var(m, NULL, DOMAIN, NULL), 0);
	}
	assert_int_equal(gpube__add_table(m, &t, &table), 0);
	assert_int_equal(gpube__add_function(m, ARITY, scope, t, NULL), 0);
	assert_int_equal(gpube_bound(&b, m, &opts), 0);
	assert_true(b->bound <= 3 && b->values && b->cost >= 3 && b->cost <= 5);
	gpube_result_free(b);
	gpube_model_free(m);
}

/*
 * Values that differ the more the farther apart they are have an order, the same ones shuffled have
 * none.
 */
static void values_with_an_order(void **state)
{
	enum { DOMAIN = 12 };
	const int32_t step = (int32_t)(uintptr_t)*state, order[2] = {0, 1};
	int64_t costs[DOMAIN * DOMAIN];
	struct gpube_model *m;
	struct gpube_dfs *t;

	for (int32_t a = 0; a < DOMAIN; a++)
		for (int32_t b = 0; b < DOMAIN; b++)
			costs[DOMAIN * a + b] =
				abs(step * a % DOMAIN - step * b % DOMAIN) < 4 ? 10 : 0;
	assert_int_equal(gpube_model_new(&m, ctx, GPUBE_COSTS), 0);
	for (int i = 0; i < 2; i++)
		assert_int_equal(gpube_model_add_var(m, NULL, DOMAIN, NULL), 0);
	assert_int_equal(gpube_model_add_costs(m, 2, order, costs), 0);
	assert_int_equal(gpube__dfs_new(&t, m, order, GPUBE_INF), 0);
	assert_true(t->ordered[0] == (step == 1) && t->ordered[1] == (step == 1));
	gpube__dfs_free(t);
	gpube_model_free(m);
}

/* Without a limit of time the method ends with a proof. */
static void proves(void **state)
{
	uint64_t seed = (uint64_t)(uintptr_t)*state;
	struct random_spec spec = random_spec_varied(seed, GPUBE_COSTS);
	struct gpube_opts opts = {.method = GPUBE_BOUND_TREE, .order_seconds = 1e-3, .seed = seed};
	struct gpube_model *m = random_model(ctx, &spec, seed);
	struct gpube_solution *b;
	struct brute brute;

	assert_non_null(m);
	assert_int_equal(brute_force(&brute, NULL, m), 0);
	assert_int_equal(gpube_bound(&b, m, &opts), 0);
	assert_int_equal(
		b->answer, brute.feasible ? GPUBE_ANSWER_OPTIMAL : GPUBE_ANSWER_INFEASIBLE);
	if (brute.feasible) {
		assert_true(b->cost == brute.cost);
		assert_true(b->bound == brute.cost);
	}
	gpube_result_free(b);
	gpube_model_free(m);
}

/*
 * What is open of a block is a part of its tree, some of it as long as the block is; and what is
 * left takes time as long as one is.
 */
static void check_left(struct gpube_dfs_tree *s)
{
	bool closed = true;

	for (int32_t i = 0; i < s->n_blocks; i++) {
		const struct gpube_dfs_block *k = &s->blocks[i];
		const double open = gpube__frontier_part(&k->open);

		assert_true(k->part_left > 0 && k->part_left <= 1 && open <= 1);
		assert_true(k->closed || !k->opened || open > 0);
		closed &= k->closed;
	}
	assert_true(s->n_nodes == 0 || closed == (gpube__dfs_tree_seconds_left(s) == 0));
}

/*
 * The tree stopped after every node: what it has then is true, is not lost, and becomes the proof;
 * others may find the optimum in between; cutoffs may be at, above and below it.
 */
static void in_pieces(void **state)
{
	const uint64_t seed = (uint64_t)(uintptr_t)*state;
	struct random_spec spec = random_spec_varied(seed, GPUBE_COSTS);
	struct gpube_simplified s;
	struct gpube_bounder b;
	struct gpube_model *m;
	struct brute brute;
	int32_t values[64] = {0};
	int64_t before = -GPUBE_INF;
	int turns = 0;

	spec.n_parts = 1 + (int)(seed % 3);
	m = random_model(ctx, &spec, seed);
	assert_non_null(m);
	assert_int_equal(gpube__simplify(&s, m, seed % 4 == 0), 0);
	if (!s.infeasible) {
		assert_int_equal(brute_force(&brute, values, s.model), 0);
		begin_bounder(&b, &s, m, seed);
		if (brute.feasible && seed % 5 < 3) /* one below, at, or above the optimum */
			b.cutoff = b.given_cutoff = brute.cost + (int64_t)(seed % 5) - 1;
		if (seed % 3 == 0) /* from reparametrised tables */
			assert_int_equal(gpube__bound_first(&b, 1e-4), 0);
		assert_int_equal(gpube__dfs_tree_new(&b), 0);
		while (b.state.tree->t && !gpube__bounder_done(&b)) {
			b.state.tree->n_restarts = (int32_t)(seed / 2 % 3);
			b.state.tree->patience = 1;
			b.state.tree->few_values = seed % 2 ? 1 : 10;
			for (int32_t p = 0; p < b.state.tree->t->n; p++)
				b.state.tree->t->ordered[p] = (seed / 2 + (uint64_t)p) % 3 != 0;
			assert_int_equal(gpube__bound_dfs(&b, 0), 0);
			check_left(b.state.tree);
			assert_true(b.lower >= before);
			before = b.lower;
			if (brute.feasible && b.cutoff > brute.cost)
				assert_true(b.lower <= brute.cost);
			if (brute.feasible && turns == 5 && seed % 7 == 0)
				assert_int_equal(
					gpube__bounder_report_incumbent(&b, values, "test"), 0);
			assert_true(++turns < 100000);
		}
		if (b.state.tree->t && brute.feasible && brute.cost < b.given_cutoff) {
			assert_true(b.upper == brute.cost);
			assert_true(b.lower == brute.cost);
		} else if (b.state.tree->t) {
			assert_true(b.lower >= b.cutoff); /* above: its constant alone is */
		}
		gpube__dfs_tree_free(b.state.tree);
		end_bounder(&b);
	}
	gpube__simplified_clear(ctx, &s);
	gpube_model_free(m);
}

/*
 * Trees below guesses, a run at a time, beside the one without: bounds are below the optimum, the
 * limit is what it was or the best assignment, and what is left to the tree without a guess is the
 * proof.
 */
static void guesses(void **state)
{
	const uint64_t seed = (uint64_t)(uintptr_t)*state;
	struct random_spec spec = random_spec_varied(seed, GPUBE_COSTS);
	struct bounded r;
	struct gpube_bounder b;

	if (bounded_init(&r, spec, seed)) {
		int turns = 0;

		begin_bounder(&b, &r.s, r.given, seed);
		if (r.optimum != GPUBE_INF && seed % 5 < 3)
			b.cutoff = b.given_cutoff = r.optimum + (int64_t)(seed % 5) - 1;
		if (seed % 3 == 0)
			assert_int_equal(gpube__bound_first(&b, 1e-4), 0);
		if (seed % 2)
			assert_int_equal(gpube__bound_dfs(&b, 0), 0);
		while ((b.state.trial_tree || gpube__bounder_may_deepen(&b)) &&
			!gpube__bounder_done(&b)) {
			const int64_t limit = b.cutoff, before = b.lower;

			assert_int_equal(gpube__bound_deepening(&b, 0), 0);
			assert_true(b.cutoff == (b.upper < limit ? b.upper : limit));
			assert_true(b.lower >= before &&
				    (b.lower <= r.optimum || b.lower <= b.given_cutoff));
			assert_true(++turns < 10000);
		}
		assert_int_equal(gpube__bound_dfs(&b, INFINITY), 0);
		if (b.state.tree->t && r.optimum < b.given_cutoff && r.optimum != GPUBE_INF)
			assert_true(b.upper == r.optimum && b.lower == r.optimum);
		else if (b.state.tree->t)
			assert_true(b.lower >= b.cutoff);
		gpube__dfs_tree_free(b.state.trial_tree);
		gpube__dfs_tree_free(b.state.tree);
		end_bounder(&b);
	}
	bounded_clear(&r);
}

int main(void)
{
	struct cases c = {0};

	add_numbers(&c, invariant, N_SEEDS, "invariant, seed");
	add_numbers(&c, wide_domains, N_SEEDS / 5, "wide domains, seed");
	add_numbers(&c, wide_functions, N_SEEDS / 15, "wide functions, seed");
	add_numbers(&c, proves, N_SEEDS, "proves, seed");
	add_numbers(&c, in_pieces, 2 * N_SEEDS, "in pieces, seed");
	add_numbers(&c, guesses, 2 * N_SEEDS, "guesses, seed");
	add_case(&c, values_with_an_order, (void *)(uintptr_t)1, "values with an order");
	add_case(&c, values_with_an_order, (void *)(uintptr_t)5, "values without one");
	add_case(&c, many_functions, (void *)(uintptr_t)7, "many functions: 7");
	add_case(&c, many_functions, (void *)(uintptr_t)300, "many functions: 300");
	add_case(&c, wandering_costs, NULL, "wandering costs");
	add_case(&c, gathered_costs, NULL, "gathered costs");
	add_case(&c, gathered_costs, &c, "costs that cannot be gathered");
	add_case(&c, uncountable_cells, (void *)(uintptr_t)GPUBE_BOUND_TREE,
		"uncountable cells: tree");
	add_case(&c, uncountable_cells, (void *)(uintptr_t)GPUBE_BOUND_AUTO,
		"uncountable cells: auto");
	return run_cases(&c, "dfs", ctx_setup_1_thread, ctx_teardown);
}
