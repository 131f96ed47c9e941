/*
 * Tabu search keeps up what each change would cost, of functions with a dense copy and of those too
 * wide for one; what a cutset leaves takes the least of all its assignments.
 */
#include "tests/support/test.h"

#include "gpube/ir/dense.h"
#include "gpube/relax/search.h"
#include "tests/support/cases.h"
#include "tests/support/context.h"
#include "tests/support/small_model.h"

enum { N_VARS = 30, N_TUPLES = 12 };

/* Over 'arity' variables from 'first' on: tuples near the zeros, forbidden ones among them. */
static void add_wide(struct gpube_model *m, int32_t first, int arity, struct gpube_rng *rng)
{
	struct gpube_table t = {.type = GPUBE_INT8, .sparse = true, .arity = arity, .n = N_TUPLES};
	int32_t scope[N_VARS], table;
	int64_t twice;

	t.dflt.i = (int64_t)gpube__rng_below(rng, 20);
	t.tuples = gpube__alloc(ctx, (uint64_t)(N_TUPLES * arity), sizeof(*t.tuples));
	t.values = gpube__alloc(ctx, N_TUPLES, 1);
	for (int k = 0; k < N_TUPLES; k++) {
		for (int j = 0; j < arity; j++)
			t.tuples[k * arity + j] = 0;
		/* each its own place, so that no tuple is twice there */
		t.tuples[k * arity + k] = 1 + (int32_t)gpube__rng_below(rng, 2);
		t.tuples[k * arity + arity - 1] = (int32_t)gpube__rng_below(rng, 3);
		((int8_t *)t.values)[k] = k % 4 ? (int8_t)gpube__rng_below(rng, 40) : INT8_MAX;
	}
	for (int j = 0; j < arity; j++)
		scope[j] = first + j;
	assert_int_equal(gpube__sort_tuples(ctx, &t, &twice), 0);
	assert_true(twice == -1);
	assert_int_equal(gpube__add_table(m, &table, &t), 0);
	assert_int_equal(gpube__add_function(m, arity, scope, table, NULL), 0);
}

static struct gpube_model *wide_model(uint64_t seed)
{
	struct gpube_model *m = new_model(N_VARS, 3);
	struct gpube_rng rng;
	int64_t costs[9];

	gpube__rng_init(&rng, seed);
	add_wide(m, 0, 20, &rng);
	add_wide(m, 5, 25, &rng);
	for (int32_t i = 0; i + 1 < N_VARS; i += 3) {
		for (int k = 0; k < 9; k++)
			costs[k] = (int64_t)gpube__rng_below(&rng, 30);
		assert_int_equal(gpube_model_add_costs(m, 2, (int32_t[]){i, i + 1}, costs), 0);
	}
	return m;
}

/* A forbidden cell as the search prices it. */
static int64_t price(const struct gpube_search *s, const int32_t *values)
{
	int64_t sum = 0;

	for (int32_t f = 0; f < s->m->n_functions; f++) {
		int64_t v = gpube__function_cost(s->m, f, values);

		sum += v < s->forbidden ? v : s->forbidden;
	}
	return sum;
}

static void changes_cost_what_is_kept(void **state)
{
	(void)state;
	for (uint64_t seed = 0; seed < 20; seed++) {
		struct gpube_model *m = wide_model(seed);
		struct gpube_search *s;

		assert_int_equal(gpube__search_new(&s, ctx, m, seed), 0);
		assert_null(s->dense[0]);
		assert_non_null(s->dense[2]);
		for (int round = 0; round < 30; round++) {
			gpube__search_run(s, NULL, 1 + round);
			assert_true(s->now == price(s, s->values));
			for (int32_t i = 0; i < N_VARS; i++)
				for (int32_t a = 0; a < 3; a++) {
					const int32_t old = s->values[i];
					const int64_t more =
						s->cost[s->at[i] + a] - s->cost[s->at[i] + old];

					s->values[i] = a;
					assert_true(price(s, s->values) == s->now + more);
					s->values[i] = old;
				}
		}
		gpube__search_free(s);
		gpube_model_free(m);
	}
}

/* Functions of one to three variables of two to four values, some cells forbidden. */
static struct gpube_model *mixed_model(struct gpube_rng *rng)
{
	enum { N = 9 };
	struct gpube_model *m;
	int64_t costs[64];

	assert_int_equal(gpube_model_new(&m, ctx, GPUBE_COSTS), 0);
	for (int i = 0; i < N; i++)
		assert_int_equal(
			gpube_model_add_var(m, NULL, 1 + (int32_t)gpube__rng_below(rng, 4), NULL),
			0);
	for (int f = 0; f < 12; f++) {
		int32_t scope[3];
		const int arity = 1 + (int)gpube__rng_below(rng, 3);
		int64_t cells = 1;

		scope[0] = (int32_t)gpube__rng_below(rng, N);
		for (int j = 1; j < arity; j++)
			scope[j] = (scope[j - 1] + 1 + (int32_t)gpube__rng_below(rng, 2)) % N;
		if (arity == 3 && scope[2] == scope[0])
			continue;
		for (int j = 0; j < arity; j++)
			cells *= gpube_model_domain(m, scope[j]);
		for (int64_t k = 0; k < cells; k++)
			costs[k] = gpube__rng_below(rng, 9) ? (int64_t)gpube__rng_below(rng, 20)
							    : GPUBE_INF;
		assert_int_equal(gpube_model_add_costs(m, arity, scope, costs), 0);
	}
	return m;
}

/* The least price of all assignments in which the cutset has the values of 'values'. */
static int64_t least_of(const struct gpube_search *s, const int32_t *values)
{
	int32_t x[N_VARS];
	int64_t least = INT64_MAX;
	int k;

	memcpy(x, values, (size_t)s->m->n_vars * sizeof(*x));
	for (k = 0; k < s->cutset.n; k++)
		x[s->cutset.vars[k]] = 0;
	do {
		const int64_t cost = price(s, x);

		least = cost < least ? cost : least;
		for (k = 0; k < s->cutset.n; k++) {
			const int32_t i = s->cutset.vars[k];

			if (++x[i] < s->m->vars[i].domain)
				break;
			x[i] = 0;
		}
	} while (k < s->cutset.n);
	return least;
}

/*
 * What is eliminated gets the least of all assignments, and no other variable changes: with tables
 * of 4 to 1024 cells and little room for messages, so that there are cutsets of all sizes.
 */
static void cutsets_leave_the_least(void **state)
{
	int n_out = 0, n_cut = 0, n_short = 0;

	(void)state;
	for (uint64_t seed = 0; seed < 300; seed++) {
		struct gpube_rng rng;
		struct gpube_model *m;
		struct gpube_search *s;
		int32_t room;

		gpube__rng_init(&rng, seed);
		m = mixed_model(&rng);
		assert_int_equal(gpube__search_new(&s, ctx, m, seed), 0);
		room = s->cutset.n_costs;
		for (int round = 0; round < 5; round++) {
			bool out[N_VARS] = {false};
			int32_t after[N_VARS], other[N_VARS];
			const int32_t *unlike = round % 2 ? other : NULL;

			s->cutset.limit = 8 * (2 + (int32_t)gpube__rng_below(&rng, 9));
			s->cutset.n_costs = round ? room : 16;
			gpube__search_run(s, NULL, 3);
			for (int32_t i = 0; i < m->n_vars; i++)
				other[i] = (int32_t)gpube__rng_below(
					&rng, (uint64_t)m->vars[i].domain);
			gpube__search_cutset(s, unlike, after);
			for (int k = 0; k < s->cutset.n; k++) {
				const int32_t i = s->cutset.vars[k];

				assert_false(out[i] || (unlike && unlike[i] == s->values[i]));
				assert_true(m->vars[i].domain > 1);
				out[i] = true;
			}
			for (int32_t i = 0; i < m->n_vars; i++) {
				assert_true(out[i] || after[i] == s->values[i]);
				n_cut += !out[i] && m->vars[i].domain > 1;
			}
			n_out += s->cutset.n;
			n_short += round == 0 && s->cutset.n < 3;
			assert_true(price(s, after) == least_of(s, s->values));
			assert_true(s->now == price(s, s->values));
		}
		gpube__search_free(s);
		gpube_model_free(m);
	}
	assert_true(n_out > 5000 && n_cut > 1000 && n_short > 20);
}

enum { SIDE = 12 };

static struct gpube_model *new_torus(void)
{
	struct gpube_model *m = new_model(SIDE * SIDE, 2);
	struct gpube_rng rng;

	gpube__rng_init(&rng, 1);
	for (int i = 0; i < SIDE * SIDE; i++)
		for (int right = 0; right < 2; right++) {
			const int32_t to = right ? i / SIDE * SIDE + (i + 1) % SIDE
						 : (i + SIDE) % (SIDE * SIDE),
				      scope[] = {i, to};
			const int64_t a = (int64_t)gpube__rng_below(&rng, 2),
				      costs[] = {a, 1 - a, 1 - a, a};

			assert_int_equal(gpube_model_add_costs(m, 2, scope, costs), 0);
		}
	return m;
}

/* On a torus of weights +-1 crossings have their part of the work, and costs stay what they are. */
static void starts_are_crossed(void **state)
{
	struct gpube_model *m = new_torus();
	struct gpube_search *s;
	int64_t cost;

	(void)state;
	assert_int_equal(gpube__search_new(&s, ctx, m, 1), 0);
	for (int k = 0; k < 100; k++) {
		gpube__search_run(s, NULL, 1000);
		assert_true(s->now == price(s, s->values));
		assert_int_equal(gpube_model_cost(&cost, m, s->best), 0);
		assert_true(cost == s->best_cost);
	}
	assert_true(s->crossed > s->worked / 50 && s->crossed < s->worked / 5);
	gpube__search_free(s);
	gpube_model_free(m);
}

/* A better assignment of another search is taken, a worse one is not, nor told as its own. */
static void better_ones_are_taken(void **state)
{
	struct gpube_model *m = new_torus();
	struct gpube_search *s[2];
	int64_t cost;

	(void)state;
	for (int k = 0; k < 2; k++) {
		assert_int_equal(gpube__search_new(&s[k], ctx, m, (uint64_t)k), 0);
		gpube__search_run(s[k], NULL, k ? 10 : 20000);
	}
	assert_true(s[0]->best_cost < s[1]->best_cost);
	gpube__search_take(s[0], s[1]->best, s[1]->best_cost);
	assert_true(s[0]->best_cost < s[1]->best_cost);
	gpube__search_take(s[1], s[0]->best, s[0]->best_cost);
	assert_true(s[0]->best_cost == s[1]->best_cost);
	assert_memory_equal(s[0]->best, s[1]->best, SIDE * SIDE * sizeof(*s[0]->best));
	for (int k = 0; k < 20; k++) {
		const int64_t before = s[1]->best_cost;

		assert_int_equal(gpube__search_run(s[1], NULL, 1000), s[1]->best_cost < before);
		assert_true(s[1]->now == price(s[1], s[1]->values));
		assert_int_equal(gpube_model_cost(&cost, m, s[1]->best), 0);
		assert_true(cost == s[1]->best_cost && cost <= before);
	}
	gpube__search_free(s[0]);
	gpube__search_free(s[1]);
	gpube_model_free(m);
}

/* A table has at most as many cells as are allowed, whatever the domains and who is joined. */
static void tables_are_small(void **state)
{
	int n_wide = 0;

	(void)state;
	for (uint64_t seed = 0; seed < 30; seed++) {
		enum { N = 120 };
		struct gpube_rng rng;
		struct gpube_model *m;
		struct gpube_search *s;
		int32_t after[N];

		gpube__rng_init(&rng, seed);
		assert_int_equal(gpube_model_new(&m, ctx, GPUBE_COSTS), 0);
		for (int i = 0; i < N; i++)
			assert_int_equal(gpube_model_add_var(m, NULL,
						 2 + (int32_t)gpube__rng_below(&rng, 5), NULL),
				0);
		for (int f = 0; f < 4 * N; f++) {
			int32_t scope[2] = {(int32_t)gpube__rng_below(&rng, N)};
			int64_t costs[36];

			/* a few have very many neighbours */
			scope[1] = (int32_t)gpube__rng_below(&rng, f % 2 ? N : 3);
			if (scope[0] == scope[1])
				continue;
			for (int k = 0; k < 36; k++)
				costs[k] = (int64_t)gpube__rng_below(&rng, 100);
			assert_int_equal(gpube_model_add_costs(m, 2, scope, costs), 0);
		}
		assert_int_equal(gpube__search_new(&s, ctx, m, seed), 0);
		for (int round = 0; round < 10; round++) {
			int64_t now;

			s->cutset.limit = 8 * (3 + round % 8);
			gpube__search_run(s, NULL, 20);
			now = s->now;
			gpube__search_cutset(s, NULL, after);
			assert_true(price(s, after) <= now);
			for (int k = 0; k < s->cutset.n; k++) {
				int64_t cells = m->vars[s->cutset.vars[k]].domain;
				const int32_t *near = s->cutset.buckets[k].near;
				const int n = s->cutset.buckets[k].n_near;

				for (int j = 0; j < n; j++) {
					cells *= m->vars[near[j]].domain;
					assert_true(s->cutset.place[near[j]] > k);
				}
				assert_true(cells <= (int64_t)1 << (s->cutset.limit / 8));
				n_wide += n > 2;
			}
		}
		gpube__search_free(s);
		gpube_model_free(m);
	}
	assert_true(n_wide > 500);
}

/* The changes that cost least, and how many: of all values, or of those that are not tabu. */
static struct gpube_least least_changes(const struct gpube_search *s, bool free)
{
	struct gpube_least least = {INT64_MAX, 0};

	for (int32_t i = 0; i < s->m->n_vars; i++)
		for (int32_t a = 0; a < s->m->vars[i].domain; a++) {
			const int64_t at = s->at[i] + a,
				      d = s->cost[at] - s->cost[s->at[i] + s->values[i]];

			if (a == s->values[i] || (free && s->moves.tabu[at] > s->step))
				continue;
			if (d < least.cost)
				least = (struct gpube_least){d, 0};
			least.n += d == least.cost;
		}
	return least;
}

/* The tree over the variables knows what a look at all values finds, and picks one of these. */
static void the_tree_has_the_least_changes(void **state)
{
	int n_records = 0, n_several = 0, n_none = 0;

	(void)state;
	for (uint64_t seed = 0; seed < 100; seed++) {
		struct gpube_rng rng;
		struct gpube_model *m;
		struct gpube_search *s;

		gpube__rng_init(&rng, seed);
		m = seed % 5 ? mixed_model(&rng) : wide_model(seed);
		assert_int_equal(gpube__search_new(&s, ctx, m, seed), 0);
		for (int round = 0; round < 200; round++) {
			struct gpube_least all, free, picked;
			int32_t i = -1, a = -1, root;
			bool record, any;

			gpube__search_run(s, NULL, 1 + round % 3);
			if (round % 4 == 0)
				s->record = s->now + (int64_t)gpube__rng_below(&rng, 60) - 30;
			all = least_changes(s, false);
			free = least_changes(s, true);
			any = gpube__search_moves_pick(s, &i, &a);
			root = s->moves.start[s->moves.n_levels] - 1;
			assert_true(s->moves.nodes[root].all.cost == all.cost &&
				    s->moves.nodes[root].all.n == all.n);
			assert_true(s->moves.nodes[root].free.cost == free.cost &&
				    s->moves.nodes[root].free.n == free.n);
			record = all.n && s->now + all.cost < s->record;
			picked = record ? all : free;
			assert_true(any == (picked.n > 0));
			n_records += record && free.cost != all.cost;
			n_several += picked.n > 1;
			n_none += !any;
			if (!any)
				continue;
			assert_true(a != s->values[i] &&
				    s->cost[s->at[i] + a] - s->cost[s->at[i] + s->values[i]] ==
					    picked.cost);
			assert_true(record || s->moves.tabu[s->at[i] + a] <= s->step);
		}
		gpube__search_free(s);
		gpube_model_free(m);
	}
	assert_true(n_records > 100 && n_several > 100 && n_none > 10);
}

/* Of a function without a dense table one variable is eliminated at most. */
static void wide_functions_have_one(void **state)
{
	(void)state;
	for (uint64_t seed = 0; seed < 20; seed++) {
		struct gpube_model *m = wide_model(seed);
		struct gpube_search *s;
		int32_t after[N_VARS];

		assert_int_equal(gpube__search_new(&s, ctx, m, seed), 0);
		for (int round = 0; round < 20; round++) {
			int n_first = 0, n_second = 0;

			gpube__search_run(s, NULL, 3);
			gpube__search_cutset(s, NULL, after);
			for (int k = 0; k < s->cutset.n; k++) {
				n_first += s->cutset.vars[k] < 20;
				n_second += s->cutset.vars[k] >= 5;
			}
			assert_true(s->cutset.n > 0 && n_first <= 1 && n_second <= 1);
			assert_true(price(s, after) == least_of(s, s->values));
		}
		gpube__search_free(s);
		gpube_model_free(m);
	}
}

/* Many short runs are one long one: it starts again as often, and finds the same. */
static void pieces_are_one_run(void **state)
{
	enum { STEPS = 20000, PIECE = 40 };

	(void)state;
	for (uint64_t seed = 0; seed < 5; seed++) {
		struct gpube_model *m = wide_model(seed);
		struct gpube_search *s, *pieces;

		assert_int_equal(gpube__search_new(&s, ctx, m, seed), 0);
		assert_int_equal(gpube__search_new(&pieces, ctx, m, seed), 0);
		gpube__search_run(s, NULL, STEPS);
		for (int k = 0; k < STEPS / PIECE; k++)
			gpube__search_run(pieces, NULL, PIECE);
		assert_int_equal(s->step, pieces->step);
		assert_int_equal(s->best_cost, pieces->best_cost);
		assert_memory_equal(s->values, pieces->values, N_VARS * sizeof(*s->values));
		assert_memory_equal(s->best, pieces->best, N_VARS * sizeof(*s->best));
		/* no start is older than its patience */
		assert_true(s->step - s->last <= 500 + 10 * N_VARS + 1);
		gpube__search_free(pieces);
		gpube__search_free(s);
		gpube_model_free(m);
	}
}

/*
 * Cutsets have at most half of the work, and so have annealings, but for the last one of each,
 * which is ended. The model is small, so that the search often starts again and both would have
 * more.
 */
static void work_is_shared(void **state)
{
	enum { N = 60, STEPS = 40000 };

	(void)state;
	for (uint64_t seed = 0; seed < 4; seed++) {
		struct gpube_rng rng;
		struct gpube_model *m = new_model(N, 3);
		struct gpube_search *s;
		double of_cutsets, of_annealing;

		gpube__rng_init(&rng, seed);
		for (int f = 0; f < 3 * N; f++) {
			const int32_t scope[2] = {f % N, (f % N + 1 + f / N * 7) % N};
			int64_t costs[9];

			for (int k = 0; k < 9; k++)
				costs[k] = (int64_t)gpube__rng_below(&rng, 100);
			assert_int_equal(gpube_model_add_costs(m, 2, scope, costs), 0);
		}
		assert_int_equal(gpube__search_new(&s, ctx, m, seed), 0);
		gpube__search_run(s, NULL, STEPS);
		of_cutsets = (double)s->cutsets / (double)s->worked;
		of_annealing = (double)s->annealed / (double)s->worked;
		assert_true(of_cutsets > 0.1 && of_cutsets < 0.55);
		assert_true(of_annealing > 0.1 && of_annealing < 0.55);
		gpube__search_free(s);
		gpube_model_free(m);
	}
}

int main(void)
{
	struct cases c = {0};

	ADD_CASE(&c, changes_cost_what_is_kept);
	ADD_CASE(&c, cutsets_leave_the_least);
	ADD_CASE(&c, starts_are_crossed);
	ADD_CASE(&c, better_ones_are_taken);
	ADD_CASE(&c, tables_are_small);
	ADD_CASE(&c, the_tree_has_the_least_changes);
	ADD_CASE(&c, wide_functions_have_one);
	ADD_CASE(&c, pieces_are_one_run);
	ADD_CASE(&c, work_is_shared);
	return run_cases(&c, "search", ctx_setup, ctx_teardown);
}
