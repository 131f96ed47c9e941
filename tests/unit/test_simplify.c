/* Simplification against enumeration on random models, and each rule by itself. */
#include "tests/support/test.h"

#include "gpube/live.h"
#include "gpube/simplify.h"
#include "tests/support/memory.h"
#include "tests/support/random_model.h"

enum { N_SEEDS = 20 };

static struct gpube_ctx *ctx;

static int setup(void **state)
{
	(void)state;
	return gpube_ctx_new(&ctx, NULL);
}

static int teardown(void **state)
{
	(void)state;
	gpube_ctx_free(ctx);
	return 0;
}

/* ---- what must hold of any result ------------------------------------------------ */

static enum gpube_type narrowest(const struct gpube_table *t)
{
	enum gpube_type type = GPUBE_INT8;

	for (int64_t k = 0; k < t->n; k++) {
		int64_t v = gpube__table_int(t, k);

		while (v != GPUBE_INF && v >= gpube__forbidden(type))
			type++;
	}
	return type;
}

static void check_table(const struct gpube_model *r, int32_t f)
{
	const struct gpube_table *t = gpube__table(r, f);
	int64_t min = GPUBE_INF;

	assert_true(gpube__type_is_int(t->type));
	assert_int_equal(t->type, narrowest(t));
	assert_int_equal(t->arity, r->functions[f].arity);
	for (int64_t k = 0; k < t->n; k++) {
		int64_t v = gpube__table_int(t, k);

		assert_true(v >= 0);
		min = v < min ? v : min;
		if (v != GPUBE_INF && r->top != GPUBE_INF)
			assert_true(r->constant + v < r->top);
	}
	if (t->sparse && t->dflt.i < min)
		min = t->dflt.i;
	assert_true(min == 0);
}

static bool scopes_equal(const struct gpube_model *r, int32_t f, int32_t g)
{
	int arity = r->functions[f].arity, n = 0;

	for (int j = 0; j < arity; j++)
		for (int k = 0; k < r->functions[g].arity; k++)
			n += gpube__scope(r, f)[j] == gpube__scope(r, g)[k];
	return n == arity && r->functions[g].arity == arity;
}

/* What reductions promise: nothing is left that a rule would take away. */
static void check_reduced(const struct gpube_simplified *s)
{
	const struct gpube_model *r = s->model;

	for (int32_t i = 0; i < r->n_vars; i++)
		assert_true(r->vars[i].domain > 1);
	for (int32_t f = 0; f < r->n_functions; f++) {
		const struct gpube_table *t = gpube__table(r, f);
		bool constant = true;

		check_table(r, f);
		for (int64_t k = 0; k < t->n; k++)
			constant &= gpube__table_int(t, k) == 0;
		assert_false(constant && (!t->sparse || t->dflt.i == 0));
		for (int32_t g = 0; g < f; g++)
			assert_false(scopes_equal(r, f, g));
	}
}

static void check_identity(const struct gpube_simplified *s, const struct gpube_model *m)
{
	assert_int_equal(s->model->n_vars, m->n_vars);
	for (int32_t i = 0; i < m->n_vars; i++) {
		assert_int_equal(s->var[i], i);
		assert_null(s->values[i]);
		assert_int_equal(s->model->vars[i].domain, m->vars[i].domain);
	}
	for (int32_t f = 0; f < s->model->n_functions; f++)
		check_table(s->model, f);
	assert_int_equal(s->n_merged + s->n_absorbed + s->n_vars_fixed, 0);
	assert_true(s->n_values_removed == 0);
}

/* Every assignment of the reduced model costs what the one that it stands for costs. */
static void check_costs(const struct gpube_simplified *s, const struct gpube_model *m)
{
	int32_t *x = gpube__alloc_zero(ctx, (uint64_t)s->model->n_vars, sizeof(*x));
	int32_t *y = gpube__alloc_zero(ctx, (uint64_t)m->n_vars, sizeof(*y));
	int64_t reduced, cost;

	assert_true(x && y);
	do {
		gpube__simplified_extend(s, y, x);
		assert_int_equal(gpube_model_cost(&reduced, s->model, x), 0);
		assert_int_equal(gpube_model_cost(&cost, m, y), 0);
		if (s->negated && cost != GPUBE_INF)
			cost = -cost;
		assert_true(reduced == cost);
	} while (next_assignment(x, s->model));
	gpube__free(ctx, x);
	gpube__free(ctx, y);
}

static void check_simplified(const struct gpube_model *m, bool reductions)
{
	struct gpube_simplified s;
	struct brute a, b;

	assert_int_equal(gpube__simplify(&s, m, reductions), 0);
	assert_int_equal(s.negated, m->direction == GPUBE_MAXIMISE);
	assert_int_equal(s.n_vars, m->n_vars);
	assert_int_equal(s.model->direction, GPUBE_MINIMISE);
	assert_int_equal(s.model->kind, GPUBE_COSTS);
	assert_null(s.model->evidence);
	assert_int_equal(brute_force(&a, NULL, m), 0);
	if (s.infeasible) {
		assert_false(a.feasible);
		assert_int_equal(s.model->n_vars, 0);
		gpube__simplified_clear(ctx, &s);
		return;
	}
	assert_int_equal(s.model->scale, m->scale);
	assert_int_equal(brute_force(&b, NULL, s.model), 0);
	assert_int_equal(a.feasible, b.feasible);
	assert_true(a.n_feasible == b.n_feasible);
	assert_true(a.n_optima == b.n_optima);
	if (a.feasible)
		assert_true(b.cost == (s.negated ? -a.cost : a.cost));
	check_costs(&s, m);
	if (reductions)
		check_reduced(&s);
	else
		check_identity(&s, m);
	gpube__simplified_clear(ctx, &s);
	assert_null(s.model);
}

/* ---- random models ------------------------------------------------------------------ */

static struct random_spec varied(uint64_t seed)
{
	return random_spec_varied(seed, GPUBE_COSTS);
}

static struct random_spec plain(uint64_t seed)
{
	(void)seed;
	return random_spec_default();
}

static struct random_spec all_sparse(uint64_t seed)
{
	struct random_spec s = random_spec_default();

	s.sparse = 1;
	s.min_domain = 2;
	s.repeated = 0.5;
	s.min_cost = -(int64_t)(seed % 30);
	return s;
}

static struct random_spec hard_zeros(uint64_t seed)
{
	struct random_spec s = random_spec_default();

	s.forbidden = 0.3 + 0.02 * (double)(seed % 20);
	s.n_functions = 5;
	return s;
}

static struct random_spec tight_top(uint64_t seed)
{
	struct random_spec s = random_spec_default();

	s.top = TOP_TIGHT;
	s.min_cost = -5;
	s.forbidden = seed % 2 ? 0 : 0.1;
	s.direction = seed % 3 ? GPUBE_MINIMISE : GPUBE_MAXIMISE;
	return s;
}

static struct random_spec maximised(uint64_t seed)
{
	struct random_spec s = random_spec_default();

	s.direction = GPUBE_MAXIMISE;
	s.min_cost = seed % 2 ? -20 : 0;
	return s;
}

static struct random_spec observed(uint64_t seed)
{
	struct random_spec s = random_spec_default();

	s.observed = 0.1 * (double)(seed % 11);
	s.sparse = 0.5;
	return s;
}

static struct random_spec unary_only(uint64_t seed)
{
	struct random_spec s = random_spec_default();

	(void)seed;
	s.min_arity = s.max_arity = 1;
	return s;
}

static struct random_spec no_scope_only(uint64_t seed)
{
	struct random_spec s = random_spec_default();

	s.max_arity = 0;
	s.forbidden = seed % 2 ? 0 : 0.02;
	return s;
}

static struct random_spec equal_scopes(uint64_t seed)
{
	struct random_spec s = random_spec_default();

	(void)seed;
	s.repeated = 1;
	s.shared = 0;
	s.min_arity = 2;
	return s;
}

static struct random_spec shared_tables(uint64_t seed)
{
	struct random_spec s = random_spec_default();

	s.shared = 1;
	s.repeated = 0;
	s.min_domain = s.max_domain = 3;
	s.n_functions = 16;
	s.min_arity = 2;
	s.max_arity = 2;
	s.forbidden = seed % 2 ? 0 : 0.25;
	return s;
}

static struct random_spec disconnected(uint64_t seed)
{
	struct random_spec s = random_spec_default();

	s.n_vars = 7;
	s.max_domain = 3;
	s.n_parts = 2 + (int)(seed % 3);
	return s;
}

static struct random_spec infeasible(uint64_t seed)
{
	struct random_spec s = random_spec_default();

	(void)seed;
	s.contradiction = true;
	return s;
}

static struct random_spec wide_scopes(uint64_t seed)
{
	struct random_spec s = random_spec_default();

	s.n_vars = 8;
	s.max_domain = 3;
	s.min_arity = 4;
	s.max_arity = 7;
	s.n_functions = 4;
	s.sparse = 0.5;
	s.forbidden = 0.04 * (double)(seed % 20);
	return s;
}

static struct random_spec huge_costs(uint64_t seed)
{
	struct random_spec s = random_spec_default();

	s.max_cost = (int64_t)1 << 57;
	s.min_cost = seed % 2 ? 0 : -s.max_cost;
	s.scale = 9;
	return s;
}

static struct random_spec single_values(uint64_t seed)
{
	struct random_spec s = random_spec_default();

	(void)seed;
	s.max_domain = 2;
	s.n_vars = 10;
	return s;
}

static const struct feature {
	const char *name;
	struct random_spec (*spec)(uint64_t seed);
	int n_blocks;
} features[] = {
	{"varied", varied, 40},
	{"plain", plain, 4},
	{"all_sparse", all_sparse, 4},
	{"hard_zeros", hard_zeros, 8},
	{"tight_top", tight_top, 8},
	{"maximised", maximised, 3},
	{"observed", observed, 4},
	{"unary_only", unary_only, 2},
	{"no_scope_only", no_scope_only, 2},
	{"equal_scopes", equal_scopes, 3},
	{"shared_tables", shared_tables, 4},
	{"disconnected", disconnected, 3},
	{"infeasible", infeasible, 2},
	{"wide_scopes", wide_scopes, 4},
	{"huge_costs", huge_costs, 3},
	{"single_values", single_values, 3},
};

struct block {
	const struct feature *feature;
	int first;
	bool reductions;
	char name[80];
};

static void random_block(void **state)
{
	const struct block *b = *state;

	for (uint64_t seed = (uint64_t)b->first; seed < (uint64_t)b->first + N_SEEDS; seed++) {
		struct random_spec spec = b->feature->spec(seed);
		struct gpube_model *m = random_model(ctx, &spec, seed);

		assert_non_null(m);
		check_simplified(m, b->reductions);
		gpube_model_free(m);
	}
}

/* ---- rules, one by one ---------------------------------------------------------------- */

static struct gpube_model *new_model(int n_vars, int32_t domain)
{
	struct gpube_model *m;

	assert_int_equal(gpube_model_new(&m, ctx, GPUBE_COSTS), 0);
	for (int i = 0; i < n_vars; i++)
		assert_int_equal(gpube_model_add_var(m, NULL, domain, NULL), 0);
	return m;
}

#define SCOPE(...)                                                                                 \
	(int)(sizeof((int32_t[]){__VA_ARGS__}) / sizeof(int32_t)), (int32_t[])                     \
	{                                                                                          \
		__VA_ARGS__                                                                        \
	}
#define COSTS(...)                                                                                 \
	(int64_t[])                                                                                \
	{                                                                                          \
		__VA_ARGS__                                                                        \
	}
#define X GPUBE_INF

static void add(struct gpube_model *m, int arity, const int32_t *scope, const int64_t *costs)
{
	assert_int_equal(gpube_model_add_costs(m, arity, scope, costs), 0);
}

/* Simplifies, and checks that it was right before the caller looks at what was done. */
static struct gpube_simplified simplified(const struct gpube_model *m)
{
	struct gpube_simplified s;

	check_simplified(m, true);
	check_simplified(m, false);
	assert_int_equal(gpube__simplify(&s, m, true), 0);
	return s;
}

static void end(struct gpube_simplified *s, struct gpube_model *m)
{
	gpube__simplified_clear(ctx, s);
	gpube_model_free(m);
}

static void equal_scopes_merge(void **state)
{
	struct gpube_model *m = new_model(2, 2);
	struct gpube_simplified s;

	(void)state;
	add(m, SCOPE(0, 1), COSTS(0, 1, 2, 3));
	add(m, SCOPE(1, 0), COSTS(0, 10, 20, 40)); /* [x1][x0] */
	s = simplified(m);
	assert_int_equal(s.n_merged, 1);
	assert_int_equal(s.model->n_functions, 1);
	assert_memory_equal(s.model->tables[0].values, ((int8_t[]){0, 21, 12, 43}), 4);
	end(&s, m);
}

static void unary_is_absorbed(void **state)
{
	struct gpube_model *m = new_model(3, 2);
	struct gpube_simplified s;

	(void)state;
	add(m, SCOPE(0, 1, 2), COSTS(0, 1, 0, 1, 0, 1, 1, 0));
	add(m, SCOPE(1, 2), COSTS(0, 1, 2, 4));
	add(m, SCOPE(2), COSTS(5, 7));
	add(m, SCOPE(0), COSTS(0, 3));
	s = simplified(m);
	assert_int_equal(s.n_absorbed, 2);
	assert_int_equal(s.model->n_functions, 2);
	assert_true(s.model->constant == 5);
	/* the smaller of the two that have variable 2 took it */
	for (int32_t f = 0; f < 2; f++)
		if (s.model->functions[f].arity == 2)
			assert_memory_equal(
				gpube__table(s.model, f)->values, ((int8_t[]){0, 3, 2, 6}), 4);
	end(&s, m);
}

static void unary_alone_stays(void **state)
{
	struct gpube_model *m = new_model(1, 3);
	struct gpube_simplified s;

	(void)state;
	add(m, SCOPE(0), COSTS(5, 7, 5));
	add(m, SCOPE(0), COSTS(0, 0, 1));
	s = simplified(m);
	assert_int_equal(s.n_merged, 1);
	assert_int_equal(s.n_absorbed, 0);
	assert_int_equal(s.model->n_functions, 1);
	assert_true(s.model->constant == 5);
	end(&s, m);
}

static void forbidden_value_goes(void **state)
{
	struct gpube_model *m = new_model(2, 3);
	struct gpube_simplified s;
	int32_t values[2];

	(void)state;
	add(m, SCOPE(0), COSTS(1, X, 2));
	add(m, SCOPE(0, 1), COSTS(0, 1, 2, 0, 0, 0, 2, 1, 0));
	s = simplified(m);
	assert_true(s.n_values_removed == 1);
	assert_int_equal(s.model->vars[s.var[0]].domain, 2);
	assert_memory_equal(s.values[0], ((int32_t[]){0, 2}), 2 * sizeof(int32_t));
	gpube__simplified_extend(&s, values, (int32_t[]){1, 1});
	assert_int_equal(values[0], 2);
	assert_int_equal(values[1], 1);
	end(&s, m);
}

static void value_without_support_goes(void **state)
{
	struct gpube_model *m = new_model(3, 2);
	struct gpube_simplified s;

	(void)state;
	/* x0 = 1 has no tuple; then x1 = 0 has none; then x2 = 0: all are fixed */
	add(m, SCOPE(0, 1), COSTS(X, 4, X, X));
	add(m, SCOPE(1, 2), COSTS(0, 0, X, 3));
	s = simplified(m);
	assert_false(s.infeasible);
	assert_int_equal(s.model->n_vars, 0);
	assert_int_equal(s.n_vars_fixed, 3);
	assert_true(s.n_values_removed == 3);
	assert_true(s.model->constant == 7);
	assert_int_equal(s.value[0], 0);
	assert_int_equal(s.value[1], 1);
	assert_int_equal(s.value[2], 1);
	end(&s, m);
}

/* The default helps only the values that have a cell without a tuple. */
static void tuples_can_forbid_a_value(void **state)
{
	struct gpube_model *m = new_model(2, 2);
	struct gpube_table t = {.type = GPUBE_INT8, .sparse = true, .arity = 2, .n = 3};
	struct gpube_simplified s;
	int32_t table;

	(void)state;
	t.tuples = gpube__alloc(ctx, 6, sizeof(int32_t));
	t.values = gpube__alloc(ctx, 3, 1);
	memcpy(t.tuples, (int32_t[]){0, 1, 1, 0, 1, 1}, 6 * sizeof(int32_t));
	memcpy(t.values, (int8_t[]){3, INT8_MAX, INT8_MAX}, 3);
	assert_int_equal(gpube__add_table(m, &table, &t), 0);
	assert_int_equal(gpube__add_function(m, SCOPE(0, 1), table, NULL), 0);
	m->top = 100;
	s = simplified(m);
	assert_true(s.n_values_removed == 1);
	assert_int_equal(s.var[0], -1);
	gpube__simplified_clear(ctx, &s);
	/* seen at once: a second round would find it in the dense table, too */
	{
		struct gpube_live live;

		assert_int_equal(gpube__live_init(&live, m, true), 0);
		assert_int_equal(gpube__live_propagate(&live), 0);
		assert_int_equal(live.n[0], 1);
		gpube__live_clear(&live);
	}
	gpube_model_free(m);
}

static void chain_to_fixpoint(void **state)
{
	enum { N = 200 };
	struct gpube_model *m = new_model(N, 2);
	struct gpube_simplified s;

	(void)state;
	for (int32_t i = N - 2; i >= 0; i--) /* x[i+1] = x[i], against the order of the pass */
		add(m, SCOPE(i, i + 1), COSTS(0, X, X, 0));
	add(m, SCOPE(0), COSTS(X, 0));
	assert_int_equal(gpube__simplify(&s, m, true), 0);
	assert_int_equal(s.model->n_vars, 0);
	assert_int_equal(s.n_vars_fixed, N);
	for (int i = 0; i < N; i++)
		assert_int_equal(s.value[i], 1);
	end(&s, m);
}

static void top_removes_values(void **state)
{
	struct gpube_model *m = new_model(2, 2);
	struct gpube_simplified s;

	(void)state;
	add(m, SCOPE(0, 1), COSTS(3, 4, 8, 9)); /* x0 = 1 costs 8 at least */
	add(m, SCOPE(1), COSTS(2, 3));
	add(m, 0, NULL, COSTS(1));
	assert_int_equal(gpube_model_set_top(m, 11), 0);
	s = simplified(m);
	assert_true(s.n_values_removed == 1);
	assert_int_equal(s.n_vars_fixed, 1);
	assert_int_equal(s.value[0], 0);
	assert_true(s.model->constant == 6);
	assert_true(s.model->top == GPUBE_INF); /* the dearest total is 8 */
	end(&s, m);
}

static void top_forbids_cells(void **state)
{
	struct gpube_model *m = new_model(2, 2);
	struct gpube_simplified s;

	(void)state;
	add(m, SCOPE(0, 1), COSTS(0, 5, 5, 10));
	assert_int_equal(gpube_model_set_top(m, 10), 0);
	s = simplified(m);
	assert_true(s.n_values_removed == 0);
	assert_true(gpube__table_int(&s.model->tables[0], 3) == GPUBE_INF);
	assert_true(gpube__table_int(&s.model->tables[0], 2) == 5);
	end(&s, m);
}

static void top_below_the_least_cost(void **state)
{
	struct gpube_model *m = new_model(2, 2);
	struct gpube_simplified s;

	(void)state;
	add(m, SCOPE(0), COSTS(3, 4));
	add(m, SCOPE(1), COSTS(2, 3));
	assert_int_equal(gpube_model_set_top(m, 5), 0);
	s = simplified(m);
	assert_true(s.infeasible);
	end(&s, m);
	m = new_model(1, 2);
	assert_int_equal(gpube_model_set_direction(m, GPUBE_MAXIMISE), 0);
	add(m, SCOPE(0), COSTS(3, 4));
	assert_int_equal(gpube_model_set_top(m, 4), 0);
	s = simplified(m);
	assert_true(s.infeasible && s.negated);
	end(&s, m);
}

static void costs_past_top_are_no_overflow(void **state)
{
	struct gpube_model *m = new_model(2, 2);
	const int64_t huge = GPUBE_INF - 1;
	struct gpube_simplified s;

	(void)state;
	add(m, SCOPE(0, 1), COSTS(0, huge, 1, 0));
	add(m, SCOPE(1, 0), COSTS(0, huge, 1, 0));
	assert_int_equal(gpube_model_set_top(m, 1000), 0);
	s = simplified(m);
	assert_int_equal(s.model->tables[0].type, GPUBE_INT8);
	end(&s, m);
}

static void evidence_is_conditioned(void **state)
{
	struct gpube_model *m = new_model(3, 2);
	struct gpube_simplified s;

	(void)state;
	add(m, SCOPE(0, 1, 2), COSTS(0, 1, 2, 3, 9, 7, 8, 7));
	add(m, SCOPE(1, 2), COSTS(1, 0, 0, 1));
	m->evidence = gpube__alloc(ctx, 3, sizeof(int32_t));
	memcpy(m->evidence, (int32_t[]){1, -1, -1}, 3 * sizeof(int32_t));
	s = simplified(m);
	assert_int_equal(s.n_evidence, 1);
	assert_int_equal(s.n_vars_fixed, 0);
	assert_int_equal(s.n_merged, 1);
	assert_int_equal(s.model->n_vars, 2);
	assert_int_equal(s.var[0], -1);
	assert_int_equal(s.value[0], 1);
	assert_true(s.model->constant == 7);
	assert_memory_equal(s.model->tables[0].values, ((int8_t[]){3, 0, 1, 1}), 4);
	end(&s, m);
}

static void evidence_against_a_constraint(void **state)
{
	struct gpube_model *m = new_model(2, 2);
	struct gpube_simplified s;

	(void)state;
	add(m, SCOPE(0, 1), COSTS(0, 1, X, X));
	m->evidence = gpube__alloc(ctx, 2, sizeof(int32_t));
	memcpy(m->evidence, (int32_t[]){1, -1}, 2 * sizeof(int32_t));
	s = simplified(m);
	assert_true(s.infeasible);
	assert_int_equal(s.n_evidence, 1);
	end(&s, m);
}

static void evidence_out_of_range(void **state)
{
	struct gpube_model *m = new_model(1, 2);
	struct gpube_simplified s;

	(void)state;
	m->evidence = gpube__alloc(ctx, 1, sizeof(int32_t));
	m->evidence[0] = 2;
	for (int reductions = 0; reductions < 2; reductions++) {
		assert_int_equal(gpube__simplify(&s, m, reductions), GPUBE_EINVAL);
		assert_null(s.model);
	}
	gpube_model_free(m);
}

static void free_variables_stay(void **state)
{
	struct gpube_model *m = new_model(3, 3);
	struct gpube_simplified s;
	int32_t values[3];

	(void)state;
	add(m, SCOPE(0, 1), COSTS(4, 4, 4, 4, 4, 4, 4, 4, 4));
	s = simplified(m);
	assert_int_equal(s.model->n_functions, 0);
	assert_int_equal(s.model->n_vars, 3);
	assert_int_equal(s.n_components, 3);
	assert_true(s.model->constant == 4);
	gpube__simplified_extend(&s, values, (int32_t[]){2, 0, 1});
	assert_memory_equal(values, ((int32_t[]){2, 0, 1}), sizeof(values));
	end(&s, m);
}

static void huge_free_domain_costs_no_memory(void **state)
{
	struct gpube_model *m = new_model(1, 2);
	struct gpube_simplified s;

	(void)state;
	assert_int_equal(gpube_model_add_var(m, NULL, INT32_MAX, NULL), 0);
	add(m, SCOPE(0), COSTS(0, 1));
	m->evidence = gpube__alloc(ctx, 2, sizeof(int32_t));
	memcpy(m->evidence, (int32_t[]){-1, -1}, 2 * sizeof(int32_t));
	assert_int_equal(gpube__simplify(&s, m, true), 0);
	assert_int_equal(s.model->vars[1].domain, INT32_MAX);
	gpube__simplified_clear(ctx, &s);
	m->evidence[1] = 12345678;
	assert_int_equal(gpube__simplify(&s, m, true), 0);
	assert_int_equal(s.value[1], 12345678);
	end(&s, m);
}

static void opposite_functions_vanish(void **state)
{
	struct gpube_model *m = new_model(2, 2);
	struct gpube_simplified s;

	(void)state;
	add(m, SCOPE(0, 1), COSTS(3, -1, 2, 0));
	add(m, SCOPE(0, 1), COSTS(-3, 1, -2, 0));
	s = simplified(m);
	assert_int_equal(s.model->n_functions, 0);
	assert_true(s.model->constant == 0);
	end(&s, m);
}

static void sums_can_be_infeasible(void **state)
{
	struct gpube_model *m = new_model(2, 2);
	struct gpube_simplified s;

	(void)state;
	add(m, SCOPE(0, 1), COSTS(0, X, X, 0));
	add(m, SCOPE(1, 0), COSTS(X, 0, 0, X));
	s = simplified(m);
	assert_true(s.infeasible);
	assert_int_equal(s.model->n_vars, 0);
	end(&s, m);
}

static void merging_can_fix_a_variable(void **state)
{
	struct gpube_model *m = new_model(3, 2);
	struct gpube_simplified s;

	(void)state;
	add(m, SCOPE(0, 1), COSTS(0, 0, X, 0));
	add(m, SCOPE(1, 0), COSTS(0, 0, 0, X)); /* together: x0 = 0 */
	add(m, SCOPE(0, 2), COSTS(0, 5, 1, 1)); /* then unary, and x2 is free of x0 */
	s = simplified(m);
	assert_int_equal(s.n_vars_fixed, 1);
	assert_int_equal(s.value[0], 0);
	assert_true(s.n_values_removed == 1);
	end(&s, m);
}

static void components_are_counted(void **state)
{
	struct gpube_model *m = new_model(6, 2);
	struct gpube_simplified s;

	(void)state;
	add(m, SCOPE(0, 1), COSTS(0, 1, 1, 0));
	add(m, SCOPE(2, 3), COSTS(0, 1, 1, 0));
	add(m, SCOPE(3, 4), COSTS(0, 1, 1, 0));
	add(m, SCOPE(1, 5), COSTS(0, 1, X, X)); /* x1 = 0 */
	s = simplified(m);
	assert_int_equal(s.model->n_vars, 5);
	assert_int_equal(s.n_components, 3);
	end(&s, m);
}

static void shared_tables_stay_shared(void **state)
{
	enum { N = 6 };
	struct gpube_model *m = new_model(N, 3);
	struct gpube_table t = {.type = GPUBE_INT16, .arity = 2, .n = 9};
	struct gpube_simplified s;
	int32_t table;

	(void)state;
	t.values = gpube__alloc(ctx, 9, sizeof(int16_t));
	memcpy(t.values, (int16_t[]){2, 1, 9, 1, 2, 1, 9, 1, 1000}, 9 * sizeof(int16_t));
	assert_int_equal(gpube__add_table(m, &table, &t), 0);
	for (int32_t i = 0; i + 1 < N; i++)
		assert_int_equal(gpube__add_function(m, SCOPE(i, i + 1), table, NULL), 0);
	s = simplified(m);
	assert_int_equal(s.model->n_functions, N - 1);
	assert_int_equal(s.model->n_tables, 1);
	assert_true(s.model->constant == N - 1);
	gpube__simplified_clear(ctx, &s);
	/* with value 0 of x2 and x3 gone there are four versions: whole, -right, both, -left */
	add(m, SCOPE(2), COSTS(X, 0, 0));
	add(m, SCOPE(3), COSTS(X, 0, 0));
	s = simplified(m);
	assert_int_equal(s.model->n_functions, N - 1);
	assert_int_equal(s.model->n_tables, 4);
	end(&s, m);
}

/* The price would be a copy of the 10,000 cells for each function. */
static void large_shared_tables_take_no_unary(void **state)
{
	enum { N = 4, DOMAIN = 100 };
	struct gpube_model *m = new_model(N, DOMAIN);
	struct gpube_table t = {.type = GPUBE_INT8, .arity = 2, .n = DOMAIN * DOMAIN};
	int64_t unary[DOMAIN];
	struct gpube_simplified s;
	int32_t table;

	(void)state;
	t.values = gpube__alloc_zero(ctx, DOMAIN * DOMAIN, 1);
	((int8_t *)t.values)[1] = 1;
	assert_int_equal(gpube__add_table(m, &table, &t), 0);
	for (int32_t i = 0; i + 1 < N; i++)
		assert_int_equal(gpube__add_function(m, SCOPE(i, i + 1), table, NULL), 0);
	for (int a = 0; a < DOMAIN; a++)
		unary[a] = a % 7;
	for (int32_t i = 0; i < N; i++)
		add(m, SCOPE(i), unary);
	assert_int_equal(gpube__simplify(&s, m, true), 0);
	assert_int_equal(s.n_absorbed, 0);
	assert_int_equal(s.model->n_tables, N + 1);
	assert_int_equal(s.model->n_functions, 2 * N - 1);
	end(&s, m);
}

static void one_value_domains(void **state)
{
	struct gpube_model *m = new_model(2, 1);
	struct gpube_simplified s;

	(void)state;
	assert_int_equal(gpube_model_add_var(m, NULL, 2, NULL), 0);
	add(m, SCOPE(0, 2, 1), COSTS(3, 1));
	add(m, SCOPE(0), COSTS(-5));
	s = simplified(m);
	assert_int_equal(s.n_vars_fixed, 2);
	assert_int_equal(s.model->n_vars, 1);
	assert_int_equal(s.model->functions[0].arity, 1);
	assert_true(s.model->constant == -4);
	end(&s, m);
}

static void empty_models(void **state)
{
	struct gpube_model *m = new_model(0, 1);
	struct gpube_simplified s;

	(void)state;
	m->constant = 42;
	s = simplified(m);
	assert_true(s.model->constant == 42);
	assert_int_equal(s.n_components, 0);
	end(&s, m);
	m = new_model(0, 1);
	add(m, 0, NULL, COSTS(X));
	s = simplified(m);
	assert_true(s.infeasible);
	end(&s, m);
}

/* ---- limits ---------------------------------------------------------------------------- */

static void overflow_is_refused(void **state)
{
	const int64_t big = (int64_t)1 << 61;
	struct gpube_model *m = new_model(4, 2);
	struct gpube_simplified s;

	(void)state;
	add(m, SCOPE(0), COSTS(0, big));
	check_simplified(m, true);
	add(m, SCOPE(1), COSTS(0, big - 1));
	check_simplified(m, true);
	check_simplified(m, false);
	add(m, SCOPE(2), COSTS(0, 1));
	for (int reductions = 0; reductions < 2; reductions++) {
		assert_int_equal(gpube__simplify(&s, m, reductions), GPUBE_ERANGE);
		assert_null(s.model);
		assert_null(s.var);
		assert_non_null(strstr(gpube_error(ctx), "can pass 2^62"));
	}
	/* the same costs are no danger below a top, or where a value is forbidden */
	assert_int_equal(gpube_model_set_top(m, 100), 0);
	check_simplified(m, true);
	check_simplified(m, false);
	assert_int_equal(gpube_model_set_top(m, GPUBE_INF), 0);
	add(m, SCOPE(1), COSTS(0, X));
	check_simplified(m, true);
	gpube_model_free(m);
	m = new_model(1, 2);
	add(m, SCOPE(0), COSTS(0, 2 * big));
	assert_int_equal(gpube__simplify(&s, m, true), GPUBE_ERANGE);
	assert_non_null(strstr(gpube_error(ctx), "function 0"));
	gpube_model_free(m);
	/* a constant moves the least and the greatest total: 2^62 is one too many */
	m = new_model(1, 2);
	add(m, SCOPE(0), COSTS(0, 2 * big - 2));
	m->constant = 1;
	check_simplified(m, true);
	m->constant = 2;
	assert_int_equal(gpube__simplify(&s, m, true), GPUBE_ERANGE);
	m->constant = -2 * big + 1;
	check_simplified(m, true);
	m->constant = -2 * big;
	assert_int_equal(gpube__simplify(&s, m, true), GPUBE_ERANGE);
	gpube_model_free(m);
	m = new_model(1, 2);
	m->constant = -2 * big;
	assert_int_equal(gpube__simplify(&s, m, true), GPUBE_ERANGE);
	gpube_model_free(m);
}

static void wrong_kind(void **state)
{
	struct gpube_model *m;
	struct gpube_simplified s;

	(void)state;
	assert_int_equal(gpube_model_new(&m, ctx, GPUBE_POTENTIALS), 0);
	assert_int_equal(gpube__simplify(&s, m, true), GPUBE_EINVAL);
	gpube_model_free(m);
}

/* A sparse function of 100 variables: 4^100 cells, 50 tuples that cost 0 to 49, default 60. */
static struct gpube_model *wide_model(int64_t dflt)
{
	enum { ARITY = 100, N = 50 };
	struct gpube_model *m = new_model(ARITY, 4);
	struct gpube_table t = {.type = GPUBE_INT8, .sparse = true, .arity = ARITY, .n = N};
	int32_t scope[ARITY], table;
	struct gpube_rng r;
	int64_t twice;

	gpube__rng_init(&r, 7);
	t.dflt.i = dflt;
	t.tuples = gpube__alloc(ctx, N * ARITY, sizeof(int32_t));
	t.values = gpube__alloc(ctx, N, 1);
	for (int k = 0; k < N * ARITY; k++)
		t.tuples[k] = (int32_t)gpube__rng_below(&r, 4);
	for (int k = 0; k < N; k++)
		((int8_t *)t.values)[k] = (int8_t)k;
	for (int d = 0; d < ARITY; d++)
		scope[d] = d;
	assert_int_equal(gpube__sort_tuples(ctx, &t, &twice), 0);
	assert_true(twice == -1);
	assert_int_equal(gpube__add_table(m, &table, &t), 0);
	assert_int_equal(gpube__add_function(m, ARITY, scope, table, NULL), 0);
	return m;
}

static void check_tuples(const struct gpube_simplified *s, const struct gpube_model *m)
{
	const struct gpube_table *t = gpube__table(s->model, 0);
	int32_t values[100], reduced[100];
	int64_t cost, small;

	for (int64_t k = 0; k < t->n; k++) {
		for (int d = 0; d < t->arity; d++)
			reduced[gpube__scope(s->model, 0)[d]] = t->tuples[k * t->arity + d];
		gpube__simplified_extend(s, values, reduced);
		assert_int_equal(gpube_model_cost(&cost, m, values), 0);
		assert_int_equal(gpube_model_cost(&small, s->model, reduced), 0);
		assert_true(cost == small);
	}
}

static void wide_sparse_function(void **state)
{
	struct gpube_model *m = wide_model(60);
	struct gpube_simplified s;

	(void)state;
	assert_int_equal(gpube__simplify(&s, m, true), 0);
	assert_int_equal(s.model->n_vars, 100);
	assert_true(s.model->tables[0].sparse && s.model->tables[0].n == 50);
	check_tuples(&s, m);
	gpube__simplified_clear(ctx, &s);
	assert_int_equal(gpube__simplify(&s, m, false), 0);
	assert_true(s.model->tables[0].sparse && s.model->tables[0].n == 50);
	check_tuples(&s, m);
	end(&s, m);
}

/* Evidence leaves 4 variables, then 1, then none: dense, unary, constant. */
static void wide_sparse_function_observed(void **state)
{
	struct gpube_model *m = wide_model(60);
	int32_t tuple[100];
	struct gpube_simplified s;

	(void)state;
	memcpy(tuple, m->tables[0].tuples + 20 * 100, sizeof(tuple));
	m->evidence = gpube__alloc(ctx, 100, sizeof(int32_t));
	for (int n_free = 4; n_free >= 0; n_free -= n_free == 4 ? 3 : 1) {
		int64_t cost, reduced;
		int32_t x[4], y[100];

		for (int i = 0; i < 100; i++)
			m->evidence[i] = i < n_free ? -1 : tuple[i];
		assert_int_equal(gpube__simplify(&s, m, true), 0);
		assert_int_equal(s.n_evidence, 100 - n_free);
		assert_int_equal(s.model->n_vars, n_free);
		assert_int_equal(s.model->n_functions, n_free > 0);
		if (n_free)
			assert_false(s.model->tables[0].sparse);
		memset(x, 0, sizeof(x));
		do {
			gpube__simplified_extend(&s, y, x);
			assert_int_equal(gpube_model_cost(&cost, m, y), 0);
			assert_int_equal(gpube_model_cost(&reduced, s.model, x), 0);
			assert_true(cost == reduced);
		} while (next_assignment(x, s.model));
		gpube__simplified_clear(ctx, &s);
	}
	gpube_model_free(m);
}

/* A forbidden default leaves each variable only the values that some tuple has. */
static void wide_sparse_relation(void **state)
{
	struct gpube_model *m = wide_model(GPUBE_INF);
	struct gpube_simplified s;

	(void)state;
	m->tables[0].n = 2;
	assert_int_equal(gpube__simplify(&s, m, true), 0);
	for (int i = 0; i < 100; i++) {
		int32_t a = m->tables[0].tuples[i], b = m->tables[0].tuples[100 + i];

		assert_int_equal(s.var[i] < 0, a == b);
		if (a == b)
			assert_int_equal(s.value[i], a);
		else
			assert_int_equal(s.model->vars[s.var[i]].domain, 2);
	}
	assert_int_equal(s.n_vars_fixed + s.model->n_vars, 100);
	assert_true(s.model->tables[0].sparse && s.model->tables[0].dflt.i == GPUBE_INF);
	check_tuples(&s, m);
	end(&s, m);
}

/* Two sparse functions over the same 100 variables in opposite orders. */
static void wide_sparse_functions_merge(void **state)
{
	struct gpube_model *m = wide_model(60);
	struct gpube_table t = m->tables[0];
	struct gpube_simplified s;
	int32_t scope[100], table;

	(void)state;
	t.n = 30;
	t.dflt.i = -7;
	t.tuples = gpube__alloc(ctx, 30 * 100, sizeof(int32_t));
	t.values = gpube__alloc(ctx, 30, 1);
	/* reversed tuples of the first function, with one changed in each third */
	for (int k = 0; k < 30; k++)
		for (int d = 0; d < 100; d++)
			t.tuples[k * 100 + d] =
				m->tables[0].tuples[k * 100 + 99 - d] ^ (k % 3 == 0 && d == 50);
	memset(t.values, 60, 30); /* no sum is the new default, 53 */
	for (int d = 0; d < 100; d++)
		scope[d] = 99 - d;
	{
		int64_t twice;

		assert_int_equal(gpube__sort_tuples(ctx, &t, &twice), 0);
	}
	assert_int_equal(gpube__add_table(m, &table, &t), 0);
	assert_int_equal(gpube__add_function(m, 100, scope, table, NULL), 0);
	assert_int_equal(gpube__simplify(&s, m, true), 0);
	assert_int_equal(s.n_merged, 1);
	assert_int_equal(s.model->n_functions, 1);
	assert_true(s.model->tables[0].n == 60);
	check_tuples(&s, m);
	gpube__simplified_clear(ctx, &s);
	/* 60 - 7 is the new default: tuples that come to it are not kept */
	memset(m->tables[0].values, 48, 50);
	memset(m->tables[1].values, 5, 30);
	assert_int_equal(gpube__simplify(&s, m, true), 0);
	assert_true(s.model->tables[0].n == 40);
	check_tuples(&s, m);
	end(&s, m);
}

static void no_memory_for_dense(void **state)
{
	struct gpube_model *m = new_model(3, 100);
	struct gpube_table t = {.type = GPUBE_INT8, .sparse = true, .arity = 3, .n = 1};
	uint64_t memory = ctx->memory_bytes;
	struct gpube_simplified s;
	int32_t table;

	(void)state;
	t.dflt.i = 1;
	t.tuples = gpube__alloc_zero(ctx, 3, sizeof(int32_t));
	t.values = gpube__alloc_zero(ctx, 1, 1);
	assert_int_equal(gpube__add_table(m, &table, &t), 0);
	assert_int_equal(gpube__add_function(m, SCOPE(0, 1, 2), table, NULL), 0);
	assert_int_equal(gpube__simplify(&s, m, true), 0);
	assert_false(s.model->tables[0].sparse);
	gpube__simplified_clear(ctx, &s);
	ctx->memory_bytes = 1000;
	assert_int_equal(gpube__simplify(&s, m, true), 0);
	ctx->memory_bytes = memory;
	assert_true(s.model->tables[0].sparse);
	end(&s, m);
}

/* ---- memory ---------------------------------------------------------------------------- */

static void check_failures(struct test_memory *memory, const struct gpube_model *m, bool reductions)
{
	long live = memory->live;
	struct gpube_simplified s;
	int status;

	for (long k = 0;; k++) {
		memory->n = 0;
		memory->fail_at = k;
		status = gpube__simplify(&s, m, reductions);
		if (!status)
			break;
		assert_int_equal(status, GPUBE_ENOMEM);
		assert_true(!s.model && !s.var && !s.value && !s.values);
		assert_true(memory->live == live);
	}
	memory->fail_at = -1;
	assert_true(memory->n > (s.infeasible ? 5 : 20));
	gpube__simplified_clear(m->ctx, &s);
	assert_true(memory->live == live);
}

static void out_of_memory(void **state)
{
	struct test_memory memory = {.fail_at = -1};
	struct random_spec spec = random_spec_default();
	struct gpube_ctx *own = test_memory_ctx(&memory);

	(void)state;
	spec.sparse = 0.5;
	spec.repeated = 0.4;
	for (uint64_t seed = 0; seed < 12; seed++) {
		struct gpube_model *m;

		spec.observed = seed % 2 ? 0.3 : 0;
		spec.forbidden = seed % 3 ? 0.1 : 0.3;
		spec.top = seed % 4 ? TOP_NONE : TOP_TIGHT;
		/* little memory for dense tables: sparse ones are merged as such */
		own->memory_bytes = seed % 2 ? 1 : (uint64_t)1 << 30;
		m = random_model(own, &spec, seed);
		assert_non_null(m);
		check_failures(&memory, m, true);
		check_failures(&memory, m, false);
		gpube_model_free(m);
	}
	assert_true(memory.live == 0);
	gpube_ctx_free(own);
}

/* The random sparse models again, with no memory to make any of them dense. */
static void sparse_stays_sparse(void **state)
{
	uint64_t memory = ctx->memory_bytes;

	(void)state;
	ctx->memory_bytes = 1;
	for (uint64_t seed = 0; seed < 100; seed++) {
		struct random_spec spec = all_sparse(seed);
		struct gpube_model *m;

		spec.max_arity = 4;
		spec.observed = seed % 3 ? 0 : 0.3;
		m = random_model(ctx, &spec, seed);
		assert_non_null(m);
		check_simplified(m, true);
		check_simplified(m, false);
		gpube_model_free(m);
	}
	ctx->memory_bytes = memory;
}

/* ---- main -------------------------------------------------------------------------------- */

static const struct CMUnitTest fixed[] = {
	cmocka_unit_test(equal_scopes_merge),
	cmocka_unit_test(unary_is_absorbed),
	cmocka_unit_test(unary_alone_stays),
	cmocka_unit_test(forbidden_value_goes),
	cmocka_unit_test(value_without_support_goes),
	cmocka_unit_test(tuples_can_forbid_a_value),
	cmocka_unit_test(chain_to_fixpoint),
	cmocka_unit_test(large_shared_tables_take_no_unary),
	cmocka_unit_test(top_removes_values),
	cmocka_unit_test(top_forbids_cells),
	cmocka_unit_test(top_below_the_least_cost),
	cmocka_unit_test(costs_past_top_are_no_overflow),
	cmocka_unit_test(evidence_is_conditioned),
	cmocka_unit_test(evidence_against_a_constraint),
	cmocka_unit_test(evidence_out_of_range),
	cmocka_unit_test(free_variables_stay),
	cmocka_unit_test(huge_free_domain_costs_no_memory),
	cmocka_unit_test(opposite_functions_vanish),
	cmocka_unit_test(sums_can_be_infeasible),
	cmocka_unit_test(merging_can_fix_a_variable),
	cmocka_unit_test(components_are_counted),
	cmocka_unit_test(shared_tables_stay_shared),
	cmocka_unit_test(one_value_domains),
	cmocka_unit_test(empty_models),
	cmocka_unit_test(overflow_is_refused),
	cmocka_unit_test(wrong_kind),
	cmocka_unit_test(wide_sparse_function),
	cmocka_unit_test(wide_sparse_function_observed),
	cmocka_unit_test(wide_sparse_relation),
	cmocka_unit_test(wide_sparse_functions_merge),
	cmocka_unit_test(no_memory_for_dense),
	cmocka_unit_test(out_of_memory),
	cmocka_unit_test(sparse_stays_sparse),
};

int main(void)
{
	enum { N_FIXED = sizeof(fixed) / sizeof(*fixed), MAX_BLOCKS = 200 };
	static struct CMUnitTest tests[N_FIXED + MAX_BLOCKS];
	static struct block blocks[MAX_BLOCKS];
	size_t n = 0, n_blocks = 0;

	for (size_t k = 0; k < N_FIXED; k++)
		tests[n++] = fixed[k];
	for (size_t k = 0; k < sizeof(features) / sizeof(*features); k++)
		for (int b = 0; b < features[k].n_blocks; b++)
			for (int reductions = 1; reductions >= 0; reductions--) {
				struct block *block = &blocks[n_blocks++];

				block->feature = &features[k];
				block->first = b * N_SEEDS;
				block->reductions = reductions;
				snprintf(block->name, sizeof(block->name), "%s_%d_to_%d%s",
					features[k].name, block->first, block->first + N_SEEDS - 1,
					reductions ? "" : "_no_reductions");
				tests[n++] = (struct CMUnitTest){
					block->name, random_block, NULL, NULL, block};
			}
	return _cmocka_run_group_tests("simplify", tests, n, setup, teardown);
}
