/* simplified.c - see simplified.h. */
#include "tests/support/simplified.h"

#include "gpube/base/bytes.h"
#include "tests/support/context.h"
#include "tests/support/random_model.h"
#include "tests/support/test.h"

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

/* As numbers and back it is the same. */
static void check_bytes(const struct gpube_simplified *s, const struct gpube_model *m)
{
	struct gpube__bytes bytes = {.ctx = ctx}, again = {.ctx = ctx};
	struct gpube_simplified back;

	gpube__put_simplified(&bytes, s);
	assert_int_equal(gpube__get_simplified(&back, &bytes, m), 0);
	gpube__put_simplified(&again, &back);
	assert_true(bytes.next == bytes.n && again.n == bytes.n);
	assert_memory_equal(again.at, bytes.at, (size_t)bytes.n);
	gpube__simplified_clear(ctx, &back);
	gpube__bytes_clear(&bytes);
	gpube__bytes_clear(&again);
}

void check_simplified(const struct gpube_model *m, bool reductions)
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
	check_bytes(&s, m);
	gpube__simplified_clear(ctx, &s);
	assert_null(s.model);
}

struct gpube_simplified simplified(const struct gpube_model *m)
{
	struct gpube_simplified s;

	check_simplified(m, true);
	check_simplified(m, false);
	assert_int_equal(gpube__simplify(&s, m, true), 0);
	return s;
}

void end(struct gpube_simplified *s, struct gpube_model *m)
{
	gpube__simplified_clear(ctx, s);
	gpube_model_free(m);
}
