/*
 * The first bounds: told in their order and rising, never above the optimum; each assignment below
 * the limit costs in the reparametrised tables what it did, and what begins from these is bounded
 * by it, too.
 */
#include "tests/support/test.h"

#include "gpube/options/options.h"

#include <math.h>

#include "gpube/bound/bound.h"
#include "gpube/bound/pairwise/pairwise_method.h"
#include "gpube/ir/dense.h"
#include "tests/support/bounded.h"
#include "tests/support/cases.h"
#include "tests/support/context.h"
#include "tests/support/random_model.h"

enum { N_SEEDS = 200, N_TOLD = 100 };

/* ---- tables --------------------------------------------------------------------------------- */

/* A bounder as gpube_bound() has it when it asks for the first bounds. */
static void open_bounder(
	struct gpube_bounder *b, const struct gpube_model *m, const struct gpube_opts *opts)
{
	struct gpube_simplified made;

	assert_int_equal(gpube__simplify(&made, m, true), 0);
	begin_bounder(b, &made, m, 1);
	b->opts = opts;
}

static void close_bounder(struct gpube_bounder *b)
{
	gpube__bounder_forget(b);
	end_bounder(b);
	gpube__simplified_clear(ctx, &b->s);
}

static void check_tables(const struct gpube_bounder *b)
{
	const struct gpube_model *m = b->m;
	int32_t *values = gpube__alloc_zero(ctx, (uint64_t)m->n_vars, sizeof(*values));

	for (int32_t t = 0; t < b->tables->n_tables; t++)
		for (int64_t k = 0; k < b->tables->tables[t].n; k++)
			assert_true(gpube__table_int(&b->tables->tables[t], k) >= 0);
	assert_true(gpube__tables_bound(b, b->tables->constant) <= b->lower);
	do {
		int64_t cost, reparam;

		assert_int_equal(gpube_model_cost(&cost, m, values), 0);
		assert_int_equal(gpube_model_cost(&reparam, b->tables, values), 0);
		if (cost < b->cutoff)
			assert_true(reparam == gpube__tables_total(b, cost));
		else
			assert_true(reparam >= gpube__tables_cutoff(b));
	} while (next_assignment(values, m));
	gpube__free(ctx, values);
}

/*
 * The methods that begin from the reparametrised tables: their bounds, and a proof where they say
 * that they have one.
 */
static void go_on(struct gpube_bounder *b, const struct brute *brute, uint64_t seed)
{
	int64_t before = b->lower;
	int status = GPUBE_OK;

	for (int32_t i = 0; i < b->m->n_vars; i++)
		b->order[i] = i;
	switch (seed % 5) {
	case 0:
		status = gpube__bound_tree(b, 0.01);
		break;
	case 1:
		status = gpube__bound_joins(b, 0.01);
		break;
	case 2:
		status = gpube__bound_pairwise(b, 0.01);
		break;
	case 3:
		status = gpube__bound_mbe(b);
		break;
	case 4:
		status = gpube__bound_andor(b, 0.01);
		break;
	}
	assert_int_equal(status, 0);
	assert_true(b->lower >= before);
	if (brute->feasible)
		assert_true(b->lower <= brute->cost);
}

static void tables(void **state)
{
	const struct gpube_opts opts = {.no_eliminate = 1};
	uint64_t seed = (uint64_t)(uintptr_t)*state;
	struct random_spec spec = random_spec_varied(seed, GPUBE_COSTS);
	struct gpube_bounder b;
	struct gpube_model *m;
	struct brute brute;

	if (seed % 8 == 1) /* costs that int32 does not hold */
		spec.max_cost = (int64_t)1 << 40;
	spec.forbidden = seed % 3 ? spec.forbidden : 0;
	m = random_model(ctx, &spec, seed);
	assert_non_null(m);
	open_bounder(&b, m, &opts);
	if (!b.s.infeasible) {
		assert_int_equal(brute_force(&brute, NULL, b.m), 0);
		/* one sweep, or as many as pay */
		assert_int_equal(gpube__bound_first(&b, seed % 2 ? 0 : 1), 0);
		if (brute.feasible)
			assert_true(b.lower <= brute.cost);
		if (b.made.kept)
			check_tables(&b);
		if (!gpube__bounder_done(&b))
			go_on(&b, &brute, seed / 2);
	}
	close_bounder(&b);
	gpube_model_free(m);
}

/*
 * Who of seven circles of five may be there together, if no neighbours: each who is not costs 1,
 * three of a circle at least. Halves of costs bound that by 7 * 2.5, which is 18; halves that are
 * rounded to integers by 15.
 */
static void shares_of_small_integers(void **state)
{
	const struct gpube_opts opts = {0};
	struct gpube_bounder b;
	struct gpube_model *m;

	(void)state;
	assert_int_equal(gpube_model_new(&m, ctx, GPUBE_COSTS), 0);
	for (int i = 0; i < 35; i++)
		assert_int_equal(gpube_model_add_var(m, NULL, 2, NULL), 0);
	for (int i = 0; i < 35; i++)
		assert_int_equal(gpube_model_add_costs(m, 1, (int32_t[]){i}, (int64_t[]){1, 0}), 0);
	for (int i = 0; i < 35; i++)
		assert_int_equal(
			gpube_model_add_costs(m, 2, (int32_t[]){i, i / 5 * 5 + (i + 1) % 5},
				(int64_t[]){0, 0, 0, GPUBE_INF}),
			0);
	open_bounder(&b, m, &opts);
	assert_int_equal(gpube__bound_first(&b, 1), 0);
	assert_true(b.upper >= 21 && b.lower >= 18 && b.lower <= 21);
	close_bounder(&b);
	gpube_model_free(m);
}

/* ---- lines -------------------------------------------------------------------------------------
 */

struct told {
	int n, by_tables, by_arc; /* lines; which was the first of them */
	int64_t lower[4096];      /* minimised, without the point */
	bool is_negated;
};

static void keep(void *arg, const struct gpube_log *said)
{
	struct told *t = arg;
	const char *at = strstr(said->text, t->is_negated ? "upper bound " : "lower bound ");
	int64_t sign, v = 0;

	if ((said->level != GPUBE_LOG_BOUNDS && said->level != GPUBE_LOG_DETAIL) || !at ||
		t->n == 4096)
		return;
	if (strstr(said->text, "(simplification)"))
		t->by_tables = t->n;
	if (strstr(said->text, "(soft arc consistency)") && t->by_arc < 0)
		t->by_arc = t->n;
	at += strlen("lower bound ");
	sign = (*at == '-') != t->is_negated ? -1 : 1;
	for (at += *at == '-'; *at == '.' || (*at >= '0' && *at <= '9'); at++)
		if (*at != '.')
			v = 10 * v + (*at - '0');
	t->lower[t->n++] = sign * v;
}

static void lines(void **state)
{
	uint64_t seed = (uint64_t)(uintptr_t)*state;
	struct random_spec spec = random_spec_varied(seed, GPUBE_COSTS);
	struct told *t = gpube__alloc_zero(ctx, 1, sizeof(*t));
	const struct gpube_opts how = {.n_threads = 1, .log = keep, .log_arg = t};
	const struct gpube_opts opts = {.seed = seed, .order_seconds = 1e-3, .no_eliminate = 1};
	struct gpube_ctx *told;
	struct gpube_solution *b;
	struct gpube_model *m;
	struct brute brute;

	assert_int_equal(gpube_ctx_new(&told, &how), 0);
	m = random_model(told, &spec, seed);
	assert_non_null(m);
	assert_int_equal(brute_force(&brute, NULL, m), 0);
	*t = (struct told){
		.by_tables = -1, .by_arc = -1, .is_negated = m->direction == GPUBE_MAXIMISE};
	assert_int_equal(gpube_bound(&b, m, &opts), 0);
	/* before any round, though a question of satisfiability may have come before both */
	assert_true(t->by_arc < 0 || (t->by_tables >= 0 && t->by_tables < t->by_arc));
	for (int k = 0; k < t->n; k++) {
		assert_true(k == 0 || t->lower[k] >= t->lower[k - 1]);
		if (brute.feasible)
			assert_true(t->lower[k] <= (t->is_negated ? -brute.cost : brute.cost));
	}
	assert_int_equal(
		b->answer, brute.feasible ? GPUBE_ANSWER_OPTIMAL : GPUBE_ANSWER_INFEASIBLE);
	assert_true(t->n > 0 || !brute.feasible);
	gpube_result_free(b);
	gpube_model_free(m);
	gpube_ctx_free(told);
	gpube__free(ctx, t);
}

/* ---- what is open ---------------------------------------------------------------------------- */

static void open_gap(void **state)
{
	struct gpube_bounder b = {.lower = -10, .upper = GPUBE_INF, .given_cutoff = GPUBE_INF};

	(void)state;
	assert_true(isinf(gpube__bounder_open(&b)));
	b.lower = 0;
	b.upper = 90;
	assert_true(gpube__bounder_open(&b) == 90);
	b.given_cutoff = 80;
	assert_true(gpube__bounder_open(&b) == 80);
}

/* ---- tables that change under methods ------------------------------------------------------ */

/* A step of each method that keeps a state made of the tables. */
static void step_all(struct gpube_bounder *b, double seconds)
{
	assert_int_equal(gpube__bound_pairwise(b, seconds), 0);
	if (!gpube__bounder_done(b))
		assert_int_equal(gpube__bound_dfs(b, seconds), 0);
	if (!gpube__bounder_done(b) && gpube__bounder_may_deepen(b))
		assert_int_equal(gpube__bound_deepening(b, seconds), 0);
	if (!gpube__bounder_done(b))
		assert_int_equal(gpube__bound_andor(b, seconds), 0);
}

/*
 * States that were made of the tables before go when these are replaced: their bounds are in
 * other units. (Kept, an AND/OR search has "proved" a bound above the optimum of a protein.)
 */
static void tables_change(void **state)
{
	const struct gpube_opts opts = {.no_eliminate = 1};
	uint64_t seed = (uint64_t)(uintptr_t)*state;
	struct random_spec spec = random_spec_varied(seed, GPUBE_COSTS);
	struct gpube_bounder b;
	struct gpube_model *m;
	struct brute brute;

	m = random_model(ctx, &spec, seed);
	assert_non_null(m);
	open_bounder(&b, m, &opts);
	if (!b.s.infeasible) {
		assert_int_equal(brute_force(&brute, NULL, b.m), 0);
		for (int32_t i = 0; i < b.m->n_vars; i++)
			b.order[i] = i;
		step_all(&b, 1e-6);
		if (!gpube__bounder_done(&b))
			assert_int_equal(gpube__bound_first(&b, 1), 0);
		if (b.made.kept)
			assert_true(!b.state.tree && !b.state.trial_tree && !b.state.climb &&
				    !b.state.pairwise);
		for (int k = 0; k < 50 && !gpube__bounder_done(&b); k++)
			step_all(&b, 1e-5 * k);
		if (brute.feasible) {
			assert_true(b.lower <= brute.cost);
			assert_true(b.upper >= brute.cost);
		}
	}
	close_bounder(&b);
	gpube_model_free(m);
}

/*
 * Where much is open, a turn that is too short for larger relations leaves the first ones as they
 * are, and says how long one has to be, in which they grow.
 */
static void relations_wait(void **state)
{
	const struct gpube_opts opts = {.no_eliminate = 1};
	struct random_spec spec = random_spec_default();
	struct gpube_bounder b;
	struct gpube_model *m;
	const struct gpube_pairwise_run *s;
	double seconds = 1e-4;

	(void)state;
	spec.n_vars = 40;
	spec.n_functions = 300;
	spec.min_domain = spec.max_domain = 4;
	spec.min_arity = spec.max_arity = 2;
	m = random_model(ctx, &spec, 1);
	assert_non_null(m);
	open_bounder(&b, m, &opts);
	for (int32_t i = 0; i < b.m->n_vars; i++)
		b.order[i] = i;
	assert_int_equal(gpube__bound_pairwise(&b, seconds), 0);
	for (; b.state.pairwise->waits == 0 && seconds < 1; seconds *= 2)
		assert_int_equal(gpube__bound_pairwise(&b, seconds), 0);
	s = b.state.pairwise;
	assert_true(s->waits > 0 && s->paused && !s->grown && !s->branches && !s->cases);
	assert_int_equal(gpube__bound_pairwise(&b, 20 * s->waits), 0);
	assert_true(s->grown || s->cases || gpube__bounder_done(&b));
	close_bounder(&b);
	gpube_model_free(m);
}

/* Nested regions go on from turn to turn: bounds stay true, and the last turn has the proof. */
static void regions_go_on(void **state)
{
	const struct gpube_opts opts = {
		.method = GPUBE_BOUND_ASCENT, .regions = GPUBE_REGIONS_NESTED, .no_eliminate = 1};
	uint64_t seed = (uint64_t)(uintptr_t)*state;
	struct random_spec spec = random_spec_default();
	struct gpube_bounder b;
	struct gpube_model *m;
	struct brute brute;
	int status = GPUBE_ESTOP;

	spec.n_vars = 7;
	spec.n_functions = 14;
	spec.min_arity = spec.max_arity = 2;
	spec.max_cost = 50;
	spec.forbidden = (double)(seed % 3) / 10;
	m = random_model(ctx, &spec, seed);
	assert_non_null(m);
	open_bounder(&b, m, &opts);
	if (!b.s.infeasible) {
		assert_int_equal(brute_force(&brute, NULL, b.m), 0);
		for (int32_t i = 0; i < b.m->n_vars; i++)
			b.order[i] = i;
		for (int k = 0; k < 400 && status == GPUBE_ESTOP && !gpube__bounder_done(&b); k++) {
			const double seconds = k < 300 ? 1e-6 * (double)(1 + seed % 7) : INFINITY;
			const int64_t until = gpube__work_until(ctx, gpube__worked(ctx) + seconds);

			status = gpube__bound_regions(&b);
			gpube__work_again(ctx, until);
			assert_true(!status || status == GPUBE_ESTOP);
			assert_true(b.lower <= (brute.feasible ? brute.cost : GPUBE_INF));
		}
		if (b.state.no_regions) /* no function of two variables is left */
			assert_int_equal(gpube__bound_first(&b, INFINITY), 0);
		assert_true(gpube__bounder_done(&b));
		assert_true(!brute.feasible || b.upper == brute.cost);
	}
	close_bounder(&b);
	gpube_model_free(m);
}

int main(void)
{
	struct cases c = {0};

	add_numbers(&c, tables, N_SEEDS, "tables, seed");
	add_numbers(&c, lines, N_TOLD, "lines, seed");
	ADD_CASE(&c, shares_of_small_integers);
	ADD_CASE(&c, open_gap);
	ADD_CASE(&c, relations_wait);
	add_numbers(&c, tables_change, N_SEEDS, "tables change, seed");
	add_numbers(&c, regions_go_on, N_SEEDS, "regions go on, seed");
	return run_cases(&c, "bound_first", ctx_setup_1_thread, ctx_teardown);
}
