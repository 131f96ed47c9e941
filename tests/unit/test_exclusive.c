/* Variables that exclude each other, joined: against enumeration, and under gpube_bound(). */
#include "tests/support/test.h"
#include "gpube/ir/model_bytes.h"
#include "gpube/options/options.h"

#include "gpube/simplify/exclusive.h"
#include "tests/support/context.h"
#include "tests/support/random_model.h"
#include "tests/support/small_model.h"

enum { N_MODELS = 1000, MOST = 11 };

struct draw {
	struct gpube_model *m;
	struct gpube_rng rng;
	int n;
};

static int64_t below(struct draw *d, int64_t n)
{
	return (int64_t)gpube__rng_below(&d->rng, (uint64_t)n);
}

/* Small ones, or so large that all together come near what a total may be. */
static int64_t draw_cost(struct draw *d, int kind)
{
	int64_t cost = kind ? ((int64_t)1 << 57) - below(d, 9) : below(d, 50);

	return below(d, 4) ? cost : -cost;
}

/* A function of two or three variables in which two literals, or all three, exclude each other. */
static void add_exclusion(struct draw *d, const int *literal, const int32_t *var, int arity)
{
	int64_t costs[8] = {0};

	for (int c = 0; c < 1 << arity; c++) {
		int holding = 0;

		for (int k = 0; k < arity; k++)
			holding += (c >> (arity - 1 - k) & 1) == literal[var[k]];
		costs[c] = holding > 1 ? X : below(d, 3);
	}
	add(d->m, arity, var, costs);
}

static void draw_exclusions(struct draw *d)
{
	const int many = 3 + (int)below(d, 7);
	int literal[MOST];

	for (int i = 0; i < d->n; i++)
		literal[i] = below(d, 3) > 0;
	for (int32_t i = 0; i < d->n; i++)
		for (int32_t j = i + 1; j < d->n; j++) {
			if (d->m->vars[i].domain != 2 || d->m->vars[j].domain != 2 ||
				below(d, 10) >= many)
				continue;
			if (j + 1 < d->n && d->m->vars[j + 1].domain == 2 && !below(d, 6))
				add_exclusion(d, literal, (int32_t[]){j, i, j + 1}, 3);
			else
				add_exclusion(d, literal, (int32_t[]){i, j}, 2);
		}
}

/* One of which says the other: equal, shifted round, or many to one. */
static void add_determined(struct draw *d)
{
	const int32_t x = (int32_t)below(d, d->n), y = (int32_t)below(d, d->n);
	const int32_t n = d->m->vars[x].domain, k = d->m->vars[y].domain, by = (int32_t)below(d, 3);
	int64_t costs[9];

	if (x == y)
		return;
	for (int32_t a = 0; a < n; a++)
		for (int32_t b = 0; b < k; b++)
			costs[a * k + b] = b == (a + by) % k ? below(d, 5) : X;
	add(d->m, 2, (int32_t[]){x, y}, costs);
}

/* Mostly of two values; excluding each other, and some costs and clauses besides. */
static struct gpube_model *draw_model(uint64_t seed)
{
	struct draw d = {.n = 5 + (int)(seed % (MOST - 4))};
	int kind;

	gpube__rng_init(&d.rng, seed);
	kind = !below(&d, 4);
	assert_int_equal(gpube_model_new(&d.m, ctx, GPUBE_COSTS), 0);
	for (int i = 0; i < d.n; i++)
		assert_int_equal(gpube_model_add_var(d.m, NULL, below(&d, 8) ? 2 : 3, NULL), 0);
	draw_exclusions(&d);
	for (int64_t k = below(&d, 3); k > 0; k--)
		add_determined(&d);
	for (int32_t i = 0; i < d.n; i++) {
		int64_t costs[3] = {draw_cost(&d, 0), draw_cost(&d, kind), 0};

		if (below(&d, 5))
			add(d.m, 1, &i, costs);
	}
	for (int32_t i = 0; i + 2 < d.n; i++) {
		int64_t costs[27];

		for (int c = 0; c < 27; c++)
			costs[c] = below(&d, 12) ? below(&d, 6) : X;
		if (!below(&d, 4))
			add(d.m, 3, (int32_t[]){i, i + 2, i + 1}, costs);
	}
	gpube_model_set_direction(d.m, below(&d, 2) ? GPUBE_MINIMISE : GPUBE_MAXIMISE);
	if (!below(&d, 3))
		gpube_model_set_top(d.m, below(&d, 60) - 20);
	if (!below(&d, 4))
		assert_int_equal(
			gpube_model_observe(d.m, (int32_t)below(&d, d.n), (int32_t)below(&d, 2)),
			0);
	return d.m;
}

/* Each assignment that is left is one of the given model's, and costs the same; none is lost. */
static void check_joined(const struct gpube_simplified *s, const struct gpube_model *m)
{
	struct brute given;
	int32_t values[MOST], reduced[MOST] = {0};
	uint64_t n_feasible = 0;
	int64_t best = GPUBE_INF;

	assert_int_equal(brute_force(&given, NULL, m), 0);
	if (s->infeasible) {
		assert_false(given.feasible);
		return;
	}
	do {
		int64_t cost, of_given;

		assert_int_equal(gpube_model_cost(&cost, s->model, reduced), 0);
		if (cost == GPUBE_INF)
			continue;
		gpube__simplified_extend(s, values, reduced);
		assert_int_equal(gpube_model_cost(&of_given, m, values), 0);
		assert_true(of_given == (s->negated ? -cost : cost));
		best = cost < best ? cost : best;
		n_feasible++;
	} while (next_assignment(reduced, s->model));
	assert_true(n_feasible == given.n_feasible);
	if (given.feasible)
		assert_true(given.cost == (s->negated ? -best : best));
}

/* As a checkpoint and other ranks have it. */
static void check_written(const struct gpube_simplified *joined, const struct gpube_model *m)
{
	struct gpube__bytes bytes = {.ctx = ctx};
	struct gpube_simplified read;

	gpube__put_simplified(&bytes, joined);
	assert_int_equal(bytes.status, 0);
	assert_int_equal(gpube__get_simplified(&read, &bytes, m), 0);
	assert_true(bytes.next == bytes.n);
	check_joined(&read, m);
	gpube__simplified_clear(ctx, &read);
	gpube__bytes_clear(&bytes);
}

static void joins_what_excludes_each_other(void **state)
{
	int n_joined = 0;

	(void)state;
	for (uint64_t seed = 1; seed <= N_MODELS; seed++) {
		struct gpube_model *m = draw_model(seed);
		struct gpube_simplified s, joined;
		bool any;

		assert_int_equal(gpube__simplify(&s, m, true), 0);
		assert_int_equal(gpube__join_exclusive(&joined, &s, &any), 0);
		if (any) {
			check_joined(&joined, m);
			if (!joined.infeasible)
				check_written(&joined, m);
			gpube__simplified_clear(ctx, &joined);
			n_joined++;
		}
		gpube__simplified_clear(ctx, &s);
		gpube_model_free(m);
	}
	assert_true(n_joined > N_MODELS / 4);
}

/* Five literals, one of them negated, no two of which hold: one variable of six values. */
static void one_variable_of_a_set(void **state)
{
	struct gpube_model *m = new_model(5, 2);
	struct gpube_simplified s, joined;
	bool any;

	(void)state;
	for (int32_t i = 0; i < 5; i++)
		for (int32_t j = i + 1; j < 5; j++)
			add(m, SCOPE(i, j), i ? COSTS(0, 0, 0, X) : COSTS(0, X, 0, 0));
	for (int32_t i = 0; i < 5; i++)
		add(m, SCOPE(i), COSTS(i ? 10 + i : 0, i ? 0 : 10));
	assert_int_equal(gpube__simplify(&s, m, true), 0);
	assert_int_equal(gpube__join_exclusive(&joined, &s, &any), 0);
	assert_true(any);
	assert_int_equal(joined.model->n_vars, 1);
	assert_int_equal(joined.model->vars[0].domain, 6);
	check_joined(&joined, m);
	gpube__simplified_clear(ctx, &joined);
	gpube__simplified_clear(ctx, &s);
	gpube_model_free(m);
}

/* A chain of which each says the next, to and fro: one variable, of the least domain that says all.
 */
static void one_variable_of_a_chain(void **state)
{
	struct gpube_model *m = new_model(4, 5);
	int64_t shifted[25], costs[5] = {3, 1, 4, 1, 5};
	struct gpube_simplified s, joined;
	bool any;

	(void)state;
	for (int a = 0; a < 5; a++)
		for (int b = 0; b < 5; b++)
			shifted[5 * a + b] = b == (a + 2) % 5 ? a : X;
	add(m, SCOPE(1, 0), shifted);
	add(m, SCOPE(1, 2), shifted);
	add(m, SCOPE(3, 2), shifted);
	for (int32_t i = 0; i < 4; i++)
		add(m, 1, &i, costs);
	assert_int_equal(gpube__simplify(&s, m, true), 0);
	assert_int_equal(s.model->n_vars, 4);
	assert_int_equal(gpube__join_exclusive(&joined, &s, &any), 0);
	assert_true(any);
	assert_int_equal(joined.model->n_vars, 1);
	check_joined(&joined, m);
	gpube__simplified_clear(ctx, &joined);
	gpube__simplified_clear(ctx, &s);
	gpube_model_free(m);
}

/* What simplification has found stays known where variables are joined. */
static void keeps_what_is_known(void **state)
{
	struct gpube_model *m = new_model(5, 2);
	struct gpube_simplified s, joined;
	int32_t known[5] = {0, 1, 0, 0, 0};
	bool any;

	(void)state;
	for (int32_t i = 0; i < 5; i++)
		for (int32_t j = i + 1; j < 5; j++)
			add(m, SCOPE(i, j), COSTS(1, 0, 0, X));
	assert_int_equal(gpube__simplify(&s, m, true), 0);
	assert_null(s.known);
	s.known = gpube__alloc(ctx, 5, sizeof(*s.known));
	assert_non_null(s.known);
	memcpy(s.known, known, sizeof(known));
	assert_int_equal(gpube__join_exclusive(&joined, &s, &any), 0);
	assert_true(any);
	assert_non_null(joined.known);
	assert_memory_equal(joined.known, known, sizeof(known));
	gpube__simplified_clear(ctx, &joined);
	gpube__simplified_clear(ctx, &s);
	gpube_model_free(m);
}

/* Bids along a line, each excluded by those near it: too wide to be left as they are. */
static struct gpube_model *line_of_bids(int n, int reach)
{
	struct gpube_model *m = new_model(n, 2);
	struct gpube_rng rng;

	gpube__rng_init(&rng, 7);
	for (int32_t i = 0; i < n; i++) {
		add(m, SCOPE(i), COSTS(0, 100 + (int64_t)gpube__rng_below(&rng, 100)));
		for (int32_t j = i + 1; j < n && j <= i + reach; j++)
			if (gpube__rng_below(&rng, 8))
				add(m, SCOPE(i, j), COSTS(0, 0, 0, X));
	}
	gpube_model_set_direction(m, GPUBE_MAXIMISE);
	return m;
}

/* What the caller knows, and its order, are of the given variables. */
static void bounds_with_what_is_known(void **state)
{
	enum { N = 60 };
	struct gpube_model *m = line_of_bids(N, 20);
	const struct gpube_opts solving = {0};
	struct gpube_opts opts = {0};
	struct gpube_solution *solution;
	struct gpube_solution *bounds;
	int32_t order[N];

	(void)state;
	for (int32_t i = 0; i < N; i++)
		order[i] = N - 1 - i;
	assert_int_equal(gpube_solve(&solution, m, &solving), 0);
	for (int known = 0; known < 3; known++) {
		opts.values = known == 1 ? solution->values : NULL;
		opts.order_method = known == 2 ? GPUBE_ORDER_GIVEN : GPUBE_ORDER_AUTO;
		opts.order = known == 2 ? order : NULL;
		assert_int_equal(gpube_bound(&bounds, m, &opts), 0);
		assert_int_equal(bounds->answer, GPUBE_ANSWER_OPTIMAL);
		assert_true(bounds->cost == solution->cost);
		assert_true(bounds->plan.n_vars < N / 2);
		gpube_result_free(bounds);
	}
	gpube_result_free(solution);
	gpube_model_free(m);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(joins_what_excludes_each_other),
		cmocka_unit_test(one_variable_of_a_set),
		cmocka_unit_test(one_variable_of_a_chain),
		cmocka_unit_test(keeps_what_is_known),
		cmocka_unit_test(bounds_with_what_is_known),
	};

	return cmocka_run_group_tests(tests, ctx_setup, ctx_teardown);
}
