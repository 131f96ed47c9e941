/* reparam.c - which ascents make the reparametrised model, and that of their tables: reparam.h. */
#include "gpube/bound/reparam.h"

#include <math.h>
#include <string.h>

#include "gpube/bound/bound.h"
#include "gpube/bound/certificate/certificate.h"
#include "gpube/simplify/regrets.h"

/* Most variables of a function. */
enum { MAX_ARITY = 64 };

/* ---- which ascents --------------------------------------------------------------------------- */

/* toulbar2 reads 2^53 exactly; half of that leaves room for forbidden costs. */
#define MOST_TOTAL 4.5e15

enum { MOST_SCALE = 18 };

/* The number of decimals for which there is room. */
static int fitting_scale(const struct gpube_bounder *b)
{
	double most = fabs((double)gpube__constant_of(b->m)) + (double)b->made.span;
	int shift = 0;

	if (b->costs->top != GPUBE_INF && b->costs->top > -GPUBE_INF)
		most = fmax(most, fabs((double)b->costs->top));
	while (shift < b->opts->decimals && b->costs->scale + shift < MOST_SCALE &&
		most * pow(10, shift + 1) < MOST_TOTAL)
		shift++;
	return shift;
}

/* The ascent on a join graph, whose tables take the place of those that it began from. */
static int join(struct gpube_bounder *b)
{
	int finer, status = gpube__bound_joins(b, INFINITY), made;
	struct gpube_model *to;

	if (status && status != GPUBE_ESTOP)
		return status;
	made = gpube__climb_model(&to, &finer, b);
	if (to)
		gpube__bounder_keep_tables(b, to, finer);
	return made ? made : status;
}

int gpube__bound_reparametrise(struct gpube_bounder *b)
{
	const enum gpube_bound_method method = b->opts->method;
	const bool certifies = b->state.reparam->certificate,
		   nested = gpube__asks_for_nested(b->opts),
		   joins = method == GPUBE_BOUND_AUTO ? certifies ? gpube__bounder_prefers_joins(b)
								  : b->opts->max_arity > 3
						      : method == GPUBE_BOUND_ASCENT && !nested;
	bool any = false;
	int status;

	if (!certifies)
		b->state.reparam->most_shift = fitting_scale(b);
	status = gpube__bound_first(b, INFINITY);
	if (status || method == GPUBE_BOUND_ARC || b->opts->max_arity == 2)
		return status;
	if (!joins)
		status = gpube__bound_triples(b, &any);
	return status || any || nested ? status : join(b);
}

/* ---- the model ------------------------------------------------------------------------------- */

/* of: the given variable, by simplified one. */
struct maker {
	const struct gpube_simplified *s;
	struct gpube_model *to;
	int32_t *of;
};

/* The given values of a function's cell, or tuple, k. */
static void given_values(const struct maker *l, const struct gpube_model *from, int32_t f,
	const int32_t *to, int64_t k, int32_t *given)
{
	const struct gpube_table *old = gpube__table(from, f);

	for (int j = old->arity - 1; j >= 0; j--) {
		const int32_t domain = from->vars[gpube__scope(from, f)[j]].domain,
			      *values = l->s->values[to[j]];
		const int32_t x =
			old->sparse ? old->tuples[k * old->arity + j] : (int32_t)(k % domain);

		given[j] = values ? values[x] : x;
		k /= old->sparse ? 1 : domain;
	}
}

/* Zeros up to the cell, or none of a sparse table, then what it costs. */
static int push(
	struct maker *l, struct gpube_table *t, struct gpube_values *v, int64_t cell, int64_t cost)
{
	int status = GPUBE_OK;

	for (; !t->sparse && t->n < cell && !status; t->n++)
		status = gpube__values_push(l->to->ctx, v, 0);
	t->n++;
	return status ? status : gpube__values_push(l->to->ctx, v, cost);
}

/*
 * A function of given values, unless all its cells are 0: dense where that takes no more room than
 * the tuples. Remaining values ascend with the given ones, so tuples come in row-major order.
 */
static int add_function(struct maker *l, const struct gpube_model *from, int32_t f)
{
	struct gpube_ctx *ctx = from->ctx;
	const struct gpube_table *old = gpube__table(from, f);
	const int arity = old->arity;
	struct gpube_table t = {.arity = arity, .dflt.i = old->sparse ? old->dflt.i : 0};
	struct gpube_values v = {0};
	int32_t to[MAX_ARITY] = {0}, given[MAX_ARITY] = {0};
	int64_t cells, n = 0;
	int status = GPUBE_OK;

	for (int j = 0; j < arity; j++)
		to[j] = l->of[gpube__scope(from, f)[j]];
	for (int64_t k = 0; k < old->n; k++)
		n += old->sparse || gpube__table_int(old, k);
	if (!n && !t.dflt.i)
		return GPUBE_OK;
	cells = gpube__cells(l->to, arity, to);
	t.sparse = t.dflt.i || cells < 0 || cells / (1 + arity) > n;
	if (t.sparse)
		t.tuples = gpube__alloc(ctx, (uint64_t)(n * arity) + 1, sizeof(*t.tuples));
	if (t.sparse && !t.tuples)
		return GPUBE_ENOMEM;
	for (int64_t k = 0; k < old->n && !status; k++) {
		const int64_t cost = gpube__table_int(old, k);
		uint64_t cell = 0; /* of a table that is dense */

		if (!old->sparse && !cost)
			continue;
		given_values(l, from, f, to, k, given);
		for (int j = 0; j < arity; j++)
			cell = cell * (uint64_t)l->to->vars[to[j]].domain + (uint64_t)given[j];
		if (t.sparse)
			memcpy(t.tuples + t.n * arity, given, (size_t)arity * sizeof(*given));
		status = push(l, &t, &v, (int64_t)cell, cost);
	}
	if (!status && !t.sparse && t.n < cells)
		status = push(l, &t, &v, cells - 1, 0);
	t.values = v.values;
	t.type = v.type;
	if (status) {
		gpube__free(ctx, t.values);
		gpube__free(ctx, t.tuples);
		return status;
	}
	return gpube__add_table_over(l->to, to, &t, NULL);
}

/* Forbids the values that simplification has removed. */
static int forbid_removed(struct maker *l, int32_t i)
{
	const int32_t domain = l->to->vars[i].domain, var = l->s->var[i];
	int64_t *costs = gpube__alloc(l->to->ctx, (uint64_t)domain, sizeof(*costs));
	int32_t left = 1;
	int status = costs ? GPUBE_OK : GPUBE_ENOMEM;

	for (int32_t a = 0; a < domain && !status; a++)
		costs[a] = GPUBE_INF;
	if (!status && var < 0)
		costs[l->s->value[i]] = 0;
	if (!status && var >= 0) {
		left = l->s->model->vars[var].domain;
		for (int32_t x = 0; x < left; x++)
			costs[l->s->values[i] ? l->s->values[i][x] : x] = 0;
	}
	if (!status && left < domain)
		status = gpube_model_add_costs(l->to, 1, &i, costs);
	gpube__free(l->to->ctx, costs);
	return status;
}

/* Adds the variables of 'from', by their names. */
static int add_variables(struct gpube_model *to, const struct gpube_model *from)
{
	int status = GPUBE_OK;

	for (int32_t i = 0; i < from->n_vars && !status; i++)
		status = gpube__copy_var(to, &from->vars[i], NULL);
	return status;
}

/* How many functions have three variables or more. */
static int32_t n_wide(const struct gpube_model *m)
{
	int32_t n = 0;

	for (int32_t f = 0; f < m->n_functions; f++)
		n += m->functions[f].arity > 2;
	return n;
}

/* The functions of b->tables; all: every assignment is forbidden. */
static int fill(struct maker *l, const struct gpube_bounder *b, bool all)
{
	const struct gpube_model *from = b->tables;
	const int64_t never = GPUBE_INF;
	int status = GPUBE_OK;

	for (int32_t i = 0; i < b->costs->n_vars; i++)
		if (l->s->var[i] >= 0)
			l->of[l->s->var[i]] = i;
	if (all)
		return gpube_model_add_costs(l->to, 0, NULL, &never);
	for (int32_t i = 0; i < b->costs->n_vars && !status; i++)
		status = forbid_removed(l, i);
	for (int32_t f = 0; f < from->n_functions && !status; f++)
		if (from->functions[f].arity > MAX_ARITY)
			status = gpube__fail(b->ctx, GPUBE_ELIMIT,
				"a function of %d variables is too wide to be reparametrised",
				from->functions[f].arity);
		else if (from->functions[f].arity > 0)
			status = add_function(l, from, f);
	return status;
}

static int make_model(struct gpube_bounder *b)
{
	struct gpube_reparametrised *out = b->state.reparam->out;
	const bool all = b->s.infeasible || b->lower >= b->cutoff;
	const int64_t constant = gpube__constant_of(all ? b->m : b->tables),
		      cutoff = b->s.infeasible ? GPUBE_INF : b->cutoff;
	struct maker l = {.s = &b->s};
	int status;

	*out = (struct gpube_reparametrised){.shift = all ? 0 : b->made.finer,
		.negated = b->s.negated,
		.decimals = b->costs->scale};
	l.of = gpube__alloc(b->ctx, (uint64_t)b->m->n_vars, sizeof(*l.of));
	status = l.of ? gpube_model_new(&l.to, b->ctx, GPUBE_COSTS) : GPUBE_ENOMEM;
	if (!status)
		status = add_variables(l.to, b->costs);
	if (!status)
		status = fill(&l, b, all);
	if (!status && cutoff != GPUBE_INF)
		status = gpube_model_set_top(l.to, cutoff * ((int64_t)1 << out->shift));
	gpube__free(b->ctx, l.of);
	if (status) {
		gpube_model_free(l.to);
		return status;
	}
	/* (a constant that is forbidden is one function of no variables) */
	l.to->constant = constant == GPUBE_INF ? 0 : constant;
	out->model = l.to;
	if (!all && n_wide(b->tables) > n_wide(b->m))
		out->n_wide = n_wide(b->tables) - n_wide(b->m);
	return GPUBE_OK;
}

int gpube__reparam_make(struct gpube_bounder *b)
{
	struct gpube_certificate *certificate = b->state.reparam->certificate;
	int status;

	if (!certificate)
		return make_model(b);
	status = gpube__certificate_of(certificate, b);
	if (status)
		gpube__certificate_restart(certificate);
	return status;
}

void gpube__reparam_clear(struct gpube_reparametrised *reparam)
{
	gpube_model_free(reparam->model);
	*reparam = (struct gpube_reparametrised){0};
}

/* ---- without an ascent's numbers ------------------------------------------------------------ */

int gpube__reparam_far(
	struct gpube_reparametrised *out, const struct gpube_model *given, int64_t cutoff)
{
	const bool negated = given->direction == GPUBE_MAXIMISE;
	const int64_t top = gpube__minimised_top(given);
	struct gpube_model *m;
	bool feasible;
	int status = gpube_model_new(&m, given->ctx, GPUBE_COSTS);

	*out = (struct gpube_reparametrised){.negated = negated, .decimals = given->scale};
	if (status)
		return status;
	status = add_variables(m, given);
	if (!status)
		status = gpube__add_regrets(m, given, cutoff, NULL, NULL, &feasible);
	if (!status && (cutoff != GPUBE_INF || top != GPUBE_INF))
		status = gpube_model_set_top(m, cutoff < top ? cutoff : top);
	out->n_wide = n_wide(m);
	if (status)
		gpube_model_free(m);
	else
		out->model = m;
	return status;
}

/* ---- the numbers of the file ----------------------------------------------------------------- */

/* cost * factor; GPUBE_INF stays. */
static bool times(int64_t *v, int64_t factor)
{
	return *v == GPUBE_INF || !__builtin_mul_overflow(*v, factor, v);
}

static int restore_table(struct gpube_ctx *ctx, struct gpube_table *t, int64_t factor)
{
	struct gpube_values v = {0};
	int status = gpube__values_reserve(ctx, &v, t->n);

	for (int64_t k = 0; k < t->n && !status; k++) {
		int64_t cost = gpube__table_int(t, k);

		if (!times(&cost, factor))
			status = gpube__fail(ctx, GPUBE_ERANGE, "a cost passes 64 bits");
		else
			status = gpube__values_push(ctx, &v, cost);
	}
	if (!status && t->sparse && !times(&t->dflt.i, factor))
		status = gpube__fail(ctx, GPUBE_ERANGE, "a cost passes 64 bits");
	if (status) {
		gpube__values_clear(ctx, &v);
		return status;
	}
	gpube__free(ctx, t->values);
	t->values = v.values;
	t->type = v.type;
	return GPUBE_OK;
}

int gpube__reparam_restore(struct gpube_reparametrised *reparam, bool strict)
{
	struct gpube_model *m = reparam->model;
	int64_t factor = 1, top = m->top;
	int status = GPUBE_OK;

	for (int k = 0; k < reparam->shift; k++)
		factor *= 5; /* 2^-shift is 5^shift times 10^-shift */
	if (strict && top != GPUBE_INF)
		top -= ((int64_t)1 << reparam->shift) - 1;
	if (!times(&m->constant, reparam->negated ? -factor : factor) || !times(&top, factor))
		status = gpube__fail(m->ctx, GPUBE_ERANGE, "a total passes 64 bits");
	for (int32_t t = 0; t < m->n_tables && !status; t++)
		status = restore_table(m->ctx, &m->tables[t], reparam->negated ? -factor : factor);
	if (!status && reparam->negated)
		status = gpube_model_set_direction(m, GPUBE_MAXIMISE);
	if (!status && top != GPUBE_INF)
		status = gpube_model_set_top(m, reparam->negated ? -top : top);
	m->scale = reparam->decimals + reparam->shift;
	return status;
}
