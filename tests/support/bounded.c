/* bounded.c - see bounded.h. */
#include "tests/support/bounded.h"
#include "gpube/options/options.h"

#include "gpube/bound/bound.h"
#include "gpube/ir/dense.h"

#include "tests/support/context.h"
#include "tests/support/memory.h"
#include "tests/support/test.h"

struct gpube_solution *must_bound(const struct gpube_model *m, const struct gpube_opts *opts)
{
	struct gpube_solution *b;

	if (gpube_bound(&b, m, opts))
		fail_msg("%s", gpube_error(ctx));
	return b;
}

void must_agree(const struct gpube_model *m, struct gpube_opts opts)
{
	struct gpube_solution *a = must_bound(m, &opts), *b;

	opts.method = GPUBE_BOUND_ELIMINATE;
	b = must_bound(m, &opts);
	assert_true(a->answer == b->answer && a->answer != GPUBE_ANSWER_INCOMPLETE);
	assert_true(
		a->answer != GPUBE_ANSWER_OPTIMAL || (a->cost == b->cost && a->bound == b->cost));
	gpube_result_free(a);
	gpube_result_free(b);
}

void check_optimum(const struct random_spec *spec, uint64_t seed, const struct gpube_opts *opts)
{
	struct gpube_model *m = random_model(ctx, spec, seed);
	struct gpube_solution *got;
	struct brute brute;

	assert_non_null(m);
	assert_int_equal(brute_force(&brute, NULL, m), 0);
	got = must_bound(m, opts);
	assert_int_equal(
		got->answer, brute.feasible ? GPUBE_ANSWER_OPTIMAL : GPUBE_ANSWER_INFEASIBLE);
	if (brute.feasible) {
		assert_int_equal(got->bound, brute.cost);
		assert_int_equal(got->cost, brute.cost);
	}
	gpube_result_free(got);
	gpube_model_free(m);
}

void check_scaled(const struct gpube_model *m, int64_t cost, int shift, int64_t scaled)
{
	const int64_t exact = cost - gpube__constant_of(m);

	assert_true(scaled >= 0);
	if (shift >= 0) {
		assert_true(scaled == exact * ((int64_t)1 << shift));
	} else {
		assert_true(scaled <= exact >> -shift);
		assert_true(scaled + m->n_functions >= exact >> -shift);
	}
}

int64_t check_scaled_costs(const struct gpube_model *m, int64_t limit, int shift, bool reached,
	int64_t (*total)(const void *state, const int32_t *values), const void *state)
{
	int32_t *values = gpube__alloc_zero(ctx, (uint64_t)m->n_vars, sizeof(*values));
	int64_t cost, optimum = GPUBE_INF;

	assert_non_null(values);
	do {
		assert_int_equal(gpube_model_cost(&cost, m, values), 0);
		if (cost >= limit)
			continue;
		if (reached)
			fail_msg("the limit %lld is said to be reached, an assignment costs %lld",
				(long long)limit, (long long)cost);
		optimum = cost < optimum ? cost : optimum;
		check_scaled(m, cost, shift, total(state, values));
	} while (next_assignment(values, m));
	gpube__free(ctx, values);
	return optimum;
}

void check_moved(
	const struct gpube_model *to, const struct gpube_model *m, int shift, int64_t limit)
{
	int32_t *values = gpube__alloc_zero(ctx, (uint64_t)m->n_vars, sizeof(*values));
	const int64_t unit = (int64_t)1 << (shift > 0 ? shift : 0);
	int64_t cost, moved;

	assert_non_null(values);
	for (int32_t t = 0; t < to->n_tables; t++)
		for (int64_t k = 0; k < to->tables[t].n; k++)
			assert_true(gpube__table_int(&to->tables[t], k) >= 0);
	do {
		assert_int_equal(gpube_model_cost(&cost, m, values), 0);
		assert_int_equal(gpube_model_cost(&moved, to, values), 0);
		if (cost < limit)
			assert_true(moved == cost * unit);
		else
			assert_true(moved == GPUBE_INF || moved >= limit * unit);
	} while (next_assignment(values, m));
	gpube__free(ctx, values);
}

bool bounded_init(struct bounded *b, struct random_spec spec, uint64_t seed)
{
	struct brute brute = {0};

	if (seed % 8 == 1)
		spec.max_cost = (int64_t)1 << 40;
	b->given = random_model(ctx, &spec, seed);
	assert_non_null(b->given);
	assert_int_equal(gpube__simplify(&b->s, b->given, seed % 2), 0);
	if (!b->s.infeasible)
		assert_int_equal(brute_force(&brute, NULL, b->s.model), 0);
	b->optimum = brute.feasible ? brute.cost : GPUBE_INF;
	return !b->s.infeasible;
}

struct random_spec bounded_large_spec(uint64_t seed)
{
	struct random_spec spec = random_spec_default();

	spec.n_vars = 18;
	spec.min_domain = 2;
	spec.max_domain = 3;
	spec.n_functions = 90;
	spec.min_arity = 2;
	spec.n_parts = 1 + (seed % 4 == 0);
	if (seed % 10 == 7) {
		spec.n_vars = 26;
		spec.max_domain = 2;
		spec.n_functions = 170;
	}
	spec.max_arity = 3;
	spec.forbidden = seed % 4 ? 0.02 : 0.2;
	spec.max_cost = seed % 3 ? 9 : 1;
	return spec;
}

bool bounded_large_init(struct bounded *r, uint64_t seed)
{
	const struct random_spec spec = bounded_large_spec(seed);
	const struct gpube_opts opts = {.method = GPUBE_BOUND_ELIMINATE, .order_seconds = 1e-3};
	struct gpube_solution *got;

	r->given = random_model(ctx, &spec, seed);
	assert_non_null(r->given);
	assert_int_equal(gpube__simplify(&r->s, r->given, seed % 2), 0);
	if (r->s.infeasible)
		return false;
	got = must_bound(r->s.model, &opts);
	assert_true(got->answer == GPUBE_ANSWER_OPTIMAL || got->answer == GPUBE_ANSWER_INFEASIBLE);
	r->optimum = got->answer == GPUBE_ANSWER_OPTIMAL ? got->cost : GPUBE_INF;
	gpube_result_free(got);
	return true;
}

void bounded_clear(struct bounded *b)
{
	gpube__simplified_clear(ctx, &b->s);
	gpube_model_free(b->given);
}

void walk_random_model(
	void (*walk)(const struct gpube_model *m, int64_t limit, uint64_t seed), uint64_t seed)
{
	struct bounded b;

	if (bounded_init(&b, random_spec_varied(seed, GPUBE_COSTS), seed)) {
		walk(b.s.model, b.s.model->top, seed);
		for (int more = 0; b.optimum < GPUBE_INF && more < 9; more += 4)
			walk(b.s.model, b.optimum + more, seed);
	}
	bounded_clear(&b);
}

void begin_bounder(struct gpube_bounder *b, const struct gpube_simplified *s,
	const struct gpube_model *m, uint64_t seed)
{
	static const struct gpube_opts opts = {0};
	*b = (struct gpube_bounder){.ctx = ctx,
		.opts = &opts,
		.given = m,
		.costs = m,
		.s = *s,
		.m = s->model,
		.tables = s->model,
		.lower = gpube__constant_of(s->model),
		.upper = GPUBE_INF,
		.cutoff = s->model->top,
		.given_cutoff = GPUBE_INF,
		.told.start = gpube__now()};
	assert_int_equal(gpube__bounder_room(b, (uint64_t)s->model->n_vars), GPUBE_OK);
	for (int32_t i = 0; i < s->model->n_vars; i++)
		b->order[i] = seed % 2 ? i : s->model->n_vars - 1 - i;
}

void end_bounder(struct gpube_bounder *b)
{
	gpube__climb_free(b->state.climb);
	gpube__search_free(b->state.search);
	gpube__free(ctx, b->told.steps.step);
	gpube_model_free(b->made.kept);
	gpube__arrays_clear(&b->memory);
}

/* ---- memory that runs out ------------------------------------------------------------------ */

/* What a case is made of. */
struct relaxed_case {
	const struct relaxed_method *of;
	int64_t optimum;
};

static struct gpube_model *dense_model(struct gpube_ctx *of, const void *arg)
{
	const struct relaxed_case *c = arg;
	struct random_spec spec = random_spec_default();
	struct gpube_model *m;

	of->n_threads = 1;
	of->memory_bytes = 1 << 26;
	spec.n_vars = 9;
	spec.min_domain = spec.max_domain = c->of->domain;
	spec.n_functions = 60;
	spec.max_cost = 100;
	spec.min_arity = spec.max_arity = 2;
	spec.forbidden = c->of->forbidden;
	spec.sparse = 0;
	m = random_model(of, &spec, 3);
	assert_non_null(m);
	return m;
}

static int bound_scarcely(struct gpube_ctx *of, struct gpube_model *m, const void *arg)
{
	const struct relaxed_case *c = arg;
	struct gpube_opts opts = {
		.method = c->of->method, .no_simplify = true, .order_seconds = 1e-4};
	struct gpube_solution *got;
	int status = gpube_bound(&got, m, &opts);

	(void)of;
	assert_true(!got == (status != 0));
	if (got)
		assert_true(got->bound <= c->optimum && (!got->values || got->cost >= c->optimum));
	gpube_result_free(got);
	return status;
}

void check_scarce(const struct relaxed_method *of)
{
	struct relaxed_case c = {.of = of};
	struct gpube_model *m = dense_model(ctx, &c);
	struct brute brute;

	assert_int_equal(brute_force(&brute, NULL, m), 0);
	gpube_model_free(m);
	c.optimum = brute.cost;
	assert_true(fail_in_turn(bound_scarcely, dense_model, &c, 20) > 50);
}

/* Whether the second one has raised the bound. */
static bool two_turns(const struct relaxed_method *of, struct gpube_model *m,
	const struct brute *brute, struct test_memory *memory, long fails_at)
{
	const struct gpube_opts opts = {.method = of->method};
	struct gpube_simplified s;
	struct gpube_bounder b;
	int64_t rise;
	int status;

	assert_int_equal(gpube__simplify(&s, m, false), 0);
	begin_bounder(&b, &s, m, 1);
	b.opts = &opts;
	b.state.reparametrised = true;
	rise = b.lower;
	memory->fail_at = memory->n + fails_at;
	status = of->step(&b, 1e-4);
	assert_true(status == 0 || status == GPUBE_ENOMEM);
	memory->fail_at = -1;
	assert_true(b.lower <= brute->cost);
	status = of->step(&b, 1e-3);
	assert_true(status == 0);
	assert_true(b.lower <= brute->cost);
	rise = b.lower - rise;
	gpube__bounder_forget(&b);
	end_bounder(&b);
	gpube__simplified_clear(ctx, &s);
	return rise > 0;
}

void check_turns(const struct relaxed_method *of)
{
	const struct relaxed_case c = {.of = of};
	struct gpube_ctx *whole = ctx;
	int n_raised = 0;

	for (long k = 0; k < 480; k++) {
		struct test_memory memory = {.fail_at = -1};
		struct gpube_model *m;
		struct brute brute;

		ctx = test_memory_ctx(&memory);
		m = dense_model(ctx, &c);
		assert_int_equal(brute_force(&brute, NULL, m), 0);
		n_raised += two_turns(of, m, &brute, &memory, k);
		gpube_model_free(m);
		test_memory_end(ctx, &memory);
	}
	ctx = whole;
	assert_true(n_raised > 0);
}
