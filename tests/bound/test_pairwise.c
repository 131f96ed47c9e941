/*
 * The ascent on pairwise-consistent regions: after every sweep each assignment below the limit that
 * has kept values costs in the tables exactly what it did, or what is left of it where costs are
 * rounded down, nothing there is negative, and no value of it is gone.
 */
#include "tests/support/test.h"
#include "gpube/options/options.h"

#include "gpube/ir/dense.h"
#include "gpube/relax/pairwise/pairwise.h"
#include "gpube/relax/scaling.h"
#include "tests/support/bounded.h"
#include "tests/support/cases.h"
#include "tests/support/context.h"
#include "tests/support/memory.h"
#include "tests/support/random_model.h"

enum { N_SEEDS = 400, N_SPLIT = 300, N_TORUS = 12 };

struct world {
	struct gpube_pairwise *p;
	struct gpube_pairwise_state *s;
	const struct gpube_model *m;
	int64_t limit;
	int32_t kept[64]; /* the value that was kept, or -1 */
	int32_t *values, *room;
	int64_t forced[64];
};

static int64_t cell_at(const struct world *w, int arity, const int32_t *scope, int64_t at)
{
	int64_t cell = 0;

	for (int k = 0; k < arity; k++)
		cell = cell * w->m->vars[scope[k]].domain + w->values[scope[k]];
	return w->s->cells[at + cell];
}

/* In the tables; -1: one of them says it is dead. */
static int64_t total(const struct world *w)
{
	int64_t sum = w->s->constant;

	for (int32_t k = 0; k < w->p->n_regions + w->p->n_separators; k++) {
		const struct gpube_region *a = &w->p->regions[k];
		const struct gpube_separator *b = &w->p->separators[k - w->p->n_regions];
		const int64_t c = k < w->p->n_regions ? cell_at(w, a->arity, a->scope, a->at)
						      : cell_at(w, b->arity, b->scope, b->at);

		assert_true(c >= 0);
		if (c >= gpube__pairwise_slack(w->s))
			return -1;
		sum += c;
	}
	return sum;
}

static void check(struct world *w)
{
	const int32_t n_functions = w->m->n_functions;

	memset(w->values, 0, (size_t)w->m->n_vars * sizeof(*w->values));
	do {
		int64_t cost, scaled, sum;
		bool kept = true;

		for (int32_t i = 0; i < w->m->n_vars && kept; i++)
			kept = w->kept[i] < 0 || w->kept[i] == w->values[i];
		assert_int_equal(gpube_model_cost(&cost, w->m, w->values), 0);
		if (!kept || cost >= w->limit)
			continue;
		assert_true(w->s->constant < w->s->target);
		sum = total(w);
		assert_true(sum >= 0);
		scaled = cost - gpube__constant_of(w->m);
		if (w->p->shift >= 0)
			assert_true(sum == scaled * ((int64_t)1 << w->p->shift));
		else
			assert_true(sum <= scaled >> -w->p->shift &&
				    sum + n_functions >= scaled >> -w->p->shift);
	} while (next_assignment(w->values, w->m));
}

/* What a value forces is in every total of interest that has it. */
static void check_forced(struct world *w, int32_t var, int32_t value)
{
	int64_t least = GPUBE_INF, cost;

	gpube__pairwise_forced(w->p, w->s, var, w->forced);
	memset(w->values, 0, (size_t)w->m->n_vars * sizeof(*w->values));
	do {
		bool kept = w->values[var] == value;

		for (int32_t i = 0; i < w->m->n_vars && kept; i++)
			kept = w->kept[i] < 0 || w->kept[i] == w->values[i];
		assert_int_equal(gpube_model_cost(&cost, w->m, w->values), 0);
		if (kept && cost < least)
			least = cost;
	} while (next_assignment(w->values, w->m));
	if (least < w->limit)
		assert_true(w->s->constant + w->forced[value] <=
			    gpube__scale_target(w->p->shift, least - gpube__constant_of(w->m)));
}

static void check_decoded(struct world *w, bool backward)
{
	memset(w->values, 0, (size_t)w->m->n_vars * sizeof(*w->values));
	gpube__pairwise_decode(w->p, w->s, backward, w->values, w->room);
	for (int32_t i = 0; i < w->m->n_vars; i++)
		assert_in_range(w->values[i], 0, w->m->vars[i].domain - 1);
}

static void walk(const struct gpube_model *m, int64_t limit, uint64_t seed)
{
	struct world w = {.m = m, .limit = limit};
	struct gpube_rng rng;
	int64_t before;

	gpube__rng_init(&rng, seed);
	assert_int_equal(
		gpube__pairwise_new(&w.p, &w.s, m, seed % 3 ? 4 << seed % 5 : 1, limit), 0);
	assert_non_null(w.p);
	if (!m->n_vars) {
		gpube__free(ctx, w.s);
		gpube__pairwise_free(w.p);
		return;
	}
	assert_true(m->n_vars <= 64);
	for (int32_t i = 0; i < m->n_vars; i++)
		w.kept[i] = -1;
	w.values = gpube__alloc(ctx, (uint64_t)m->n_vars, sizeof(*w.values));
	w.room = gpube__alloc(ctx, (uint64_t)w.p->room, sizeof(*w.room));
	check(&w);
	for (int k = 0; k < 12 && w.s->constant < w.s->target; k++) {
		const enum gpube_pairwise_way way =
			(k < 4 ? k % 2 != 0 : gpube__rng_below(&rng, 3) != 0)
				? GPUBE__PAIRWISE_BACKWARD
				: GPUBE__PAIRWISE_FORWARD;
		const int32_t var = (int32_t)gpube__rng_below(&rng, (uint64_t)m->n_vars),
			      value = (int32_t)gpube__rng_below(
				      &rng, (uint64_t)m->vars[var].domain);

		before = w.s->constant;
		gpube__pairwise_sweep(
			w.p, w.s, k > 4 && k % 2 ? GPUBE__PAIRWISE_EVENLY : way, k == 7, w.room);
		assert_true(w.s->constant >= before);
		check(&w);
		if (w.s->constant >= w.s->target)
			break;
		check_decoded(&w, k % 2);
		check_forced(&w, var, value);
		if (k > 5 && w.kept[var] < 0) {
			uint8_t keep[64] = {0};

			keep[value] = 1;
			w.kept[var] = value;
			gpube__pairwise_keep(w.p, w.s, var, keep);
			check(&w);
		}
	}
	gpube__free(ctx, w.values);
	gpube__free(ctx, w.room);
	gpube__free(ctx, w.s);
	gpube__pairwise_free(w.p);
}

static void invariant(void **state)
{
	walk_random_model(walk, (uint64_t)(uintptr_t)*state);
}

/* Splitting ends with the optimum, whatever the threads. */
static void splitting(void **state)
{
	const uint64_t seed = (uint64_t)(uintptr_t)*state;
	const struct random_spec spec = random_spec_many_neighbours(seed);
	struct gpube_opts opts = {.method = GPUBE_BOUND_PAIRWISE, .seed = seed};
	struct gpube_model *m;
	struct brute brute;

	m = random_model(ctx, &spec, seed);
	assert_non_null(m);
	assert_int_equal(brute_force(&brute, NULL, m), 0);
	for (int threads = 1; threads <= 3; threads += 2) {
		struct gpube_solution *b;

		ctx->n_threads = threads;
		b = must_bound(m, &opts);
		assert_int_equal(
			b->answer, brute.feasible ? GPUBE_ANSWER_OPTIMAL : GPUBE_ANSWER_INFEASIBLE);
		if (brute.feasible)
			assert_true(b->cost == brute.cost && b->bound == brute.cost);
		gpube_result_free(b);
	}
	ctx->n_threads = 1;
	gpube_model_free(m);
}

/* A torus of 8 x 8 spins, too wide for enumeration: the same optimum as elimination proves. */
static void torus(void **state)
{
	enum { SIDE = 8, N = SIDE * SIDE };
	struct gpube_opts opts = {.method = GPUBE_BOUND_PAIRWISE};
	struct gpube_solution *b[2];
	struct gpube_model *m;
	struct gpube_rng rng;

	gpube__rng_init(&rng, (uint64_t)(uintptr_t)*state);
	assert_int_equal(gpube_model_new(&m, ctx, GPUBE_COSTS), 0);
	for (int i = 0; i < N; i++)
		assert_int_equal(gpube_model_add_var(m, NULL, 2, NULL), 0);
	for (int i = 0; i < 3 * N; i++) {
		const int32_t x = i % N % SIDE, y = i % N / SIDE,
			      j = i < N       ? i
				  : i < 2 * N ? (x + 1) % SIDE + SIDE * y
					      : x + SIDE * ((y + 1) % SIDE),
			      scope[] = {i % N, j};
		int64_t costs[4];

		for (int k = 0; k < 4; k++)
			costs[k] = (int64_t)gpube__rng_below(&rng, i < N ? 100 : 1000);
		assert_int_equal(gpube_model_add_costs(m, 1 + (i >= N), scope, costs), 0);
	}
	for (int k = 0; k < 2; k++) {
		b[k] = must_bound(m, &opts);
		assert_int_equal(b[k]->answer, GPUBE_ANSWER_OPTIMAL);
		opts.method = GPUBE_BOUND_ELIMINATE;
	}
	assert_true(b[0]->cost == b[1]->cost);
	gpube_result_free(b[0]);
	gpube_result_free(b[1]);
	gpube_model_free(m);
}

/*
 * No part of a split state is forgotten where there is no memory for it: what is said is a bound
 * all the same.
 */
static void scarce(void **state)
{
	const uint64_t seed = (uint64_t)(uintptr_t)*state;
	/* split, or grown until one relation is the whole */
	const struct gpube_opts opts = {.method = GPUBE_BOUND_PAIRWISE,
		.split = seed % 2 ? GPUBE_SPLIT_NEVER : GPUBE_SPLIT_AUTO};
	struct random_spec spec = random_spec_default();
	bool ended = false;

	spec.n_vars = 12;
	spec.min_domain = spec.max_domain = 2;
	spec.n_functions = 50;
	spec.min_arity = 2;
	spec.max_arity = 3;
	spec.forbidden = 0;
	spec.max_cost = 50;
	for (long at = 0; !ended; at += 1 + at / 40) {
		struct test_memory memory = {.fail_at = -1};
		struct gpube_ctx *c = test_memory_ctx(&memory);
		struct gpube_model *m;
		struct gpube_solution *b;
		struct brute brute;

		c->n_threads = 1 + at % 2;
		c->memory_bytes = 1 << 26;
		m = random_model(c, &spec, seed);
		assert_non_null(m);
		assert_int_equal(brute_force(&brute, NULL, m), 0);
		memory.n = 0;
		memory.fail_at = at;
		if (gpube_bound(&b, m, &opts)) {
			assert_null(b);
			assert_true(memory.n > at);
		} else if (brute.feasible) {
			assert_true(
				b->bound <= brute.cost && (!b->values || b->cost >= brute.cost));
			assert_true(memory.n > at ||
				    (b->answer == GPUBE_ANSWER_OPTIMAL && b->cost == brute.cost));
			assert_int_not_equal(b->answer, GPUBE_ANSWER_INFEASIBLE);
		}
		ended = memory.n <= at;
		assert_true(!ended || memory.n > 100);
		gpube_result_free(b);
		gpube_model_free(m);
		test_memory_end(c, &memory);
	}
}

int main(void)
{
	struct cases c = {0};

	add_seeds(&c, invariant, N_SEEDS, "invariant, seed");
	add_seeds(&c, splitting, N_SPLIT, "splitting, seed");
	add_seeds(&c, torus, N_TORUS, "torus, seed");
	add_numbers(&c, scarce, 4, "scarce memory, seed");
	return run_cases(&c, "regions", ctx_setup_1_thread, ctx_teardown);
}
