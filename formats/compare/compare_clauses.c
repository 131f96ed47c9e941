/*
 * compare_clauses.c - clauses over one Boolean for each value, read back as functions
 * over the variables that they were written for. See compare.h.
 *
 * The reader makes a table of each clause: its weight at the one tuple that makes it
 * false. Clauses that say that a variable has exactly one value are counted; all others
 * become tuples of listings, one after another while variables stay and tuples rise.
 */
#include "formats/compare/compare.h"

#include "gpube/ir/tuples.h"

/* A Boolean says that 'var' has 'value'; of a variable of two values, value is -1. */
struct origin {
	int32_t var, value;
};

struct decoder {
	const struct gpube_model *m, *again;
	struct gpube_model *out;
	struct origin *origin;      /* by Boolean */
	int64_t *least, *most;      /* by variable: clauses "at least one value", "no two values" */
	int32_t *scope, *tuple;     /* of the clause */
	int32_t *falsifying;        /* its Booleans' values */
	int32_t *held, n_held;      /* the scope of the listing */
	int32_t *last, *domains;    /* its last tuple; its domains */
	struct gpube_tuples tuples; /* if n_held */
};

/* The weight of a clause; the values that make it false. */
static int64_t weight_of(struct decoder *d, int32_t f)
{
	const struct gpube_table *t = gpube__table(d->again, f);
	int64_t at = 0;

	if (t->sparse) {
		for (int k = 0; k < t->arity; k++)
			d->falsifying[k] = t->tuples[k];
		return gpube__table_int(t, 0);
	}
	while (at < t->n - 1 && gpube__table_int(t, at) == 0)
		at++;
	for (int k = 0; k < t->arity; k++)
		d->falsifying[k] = (int32_t)(at >> (t->arity - 1 - k) & 1);
	return gpube__table_int(t, at);
}

static int refuse(struct decoder *d, int32_t f)
{
	return gpube__fail(d->m->ctx, GPUBE_EBUG, "clause %d is none that was to be written", f);
}

static int finish_listing(struct decoder *d)
{
	struct gpube_table table;
	int64_t twice;
	int32_t index;
	int status;

	if (d->n_held == 0)
		return GPUBE_OK;
	status = gpube__tuples_finish(&d->tuples, &table, &twice);
	if (!status)
		status = gpube__add_table(d->out, &index, &table);
	if (!status)
		status = gpube__add_function(d->out, d->n_held, d->held, index, NULL);
	d->n_held = 0;
	return status;
}

static int push_tuple(struct decoder *d, int n, int64_t weight)
{
	bool same = n == d->n_held && !gpube__compare_tuples(d->scope, d->held, n) &&
		    gpube__compare_tuples(d->last, d->tuple, n) < 0;
	int status = same ? GPUBE_OK : finish_listing(d);

	for (int k = 0; k < n && !same; k++) {
		d->held[k] = d->scope[k];
		d->domains[k] = d->m->vars[d->scope[k]].domain;
	}
	if (!status && !same)
		status = gpube__tuples_init(&d->tuples, d->m->ctx, n, d->domains, 0);
	if (status)
		return status;
	d->n_held = n;
	for (int k = 0; k < n; k++)
		d->last[k] = d->tuple[k];
	return gpube__tuples_push(&d->tuples, d->tuple, weight, 0);
}

/* A positive literal alone: it costs at every other value. */
static int add_others(struct decoder *d, struct origin o, int64_t weight)
{
	int32_t domain = d->m->vars[o.var].domain;
	int64_t *costs = gpube__alloc(d->m->ctx, (uint64_t)domain, sizeof(*costs));
	int status = costs ? GPUBE_OK : GPUBE_ENOMEM;

	for (int32_t a = 0; a < domain && costs; a++)
		costs[a] = a == o.value ? 0 : weight;
	if (!status)
		status = gpube_model_add_costs(d->out, 1, &o.var, costs);
	gpube__free(d->m->ctx, costs);
	return status;
}

/* "Exactly one value": true if the clause is part of that. */
static bool count_domain(struct decoder *d, const int32_t *bools, int n, int64_t weight)
{
	struct origin first = d->origin[bools[0]];
	int positive = 0;

	if (weight != GPUBE_INF || n < 2 || first.value < 0)
		return false;
	for (int k = 0; k < n; k++) {
		if (d->origin[bools[k]].var != first.var)
			return false;
		positive += d->falsifying[k] == 0;
	}
	d->least[first.var] += positive == n && n == d->m->vars[first.var].domain;
	d->most[first.var] += positive == 0 && n == 2;
	return true;
}

static int decode_clause(struct decoder *d, int32_t f)
{
	const int32_t *bools = gpube__scope(d->again, f);
	int n = d->again->functions[f].arity;
	int64_t weight;

	if (n == 0) {
		const struct gpube_table *t = gpube__table(d->again, f);

		weight = t->n ? gpube__table_int(t, 0) : t->dflt.i;
		return gpube_model_add_costs(d->out, 0, NULL, &weight);
	}
	weight = weight_of(d, f);
	if (count_domain(d, bools, n, weight))
		return GPUBE_OK;
	if (n == 1 && d->origin[bools[0]].value >= 0 && d->falsifying[0] == 0)
		return add_others(d, d->origin[bools[0]], weight);
	for (int k = 0; k < n; k++) {
		struct origin o = d->origin[bools[k]];

		if (o.value >= 0 && d->falsifying[k] == 0)
			return refuse(d, f);
		d->scope[k] = o.var;
		d->tuple[k] = o.value < 0 ? d->falsifying[k] : o.value;
		for (int l = 0; l < k; l++)
			if (d->scope[l] == o.var)
				return refuse(d, f);
	}
	return push_tuple(d, n, weight);
}

static int decode(struct decoder *d)
{
	const struct gpube_model *m = d->m;
	int64_t n_bools = 0;
	int status = GPUBE_OK;

	for (int32_t i = 0; i < m->n_vars && !status; i++) {
		int32_t domain = m->vars[i].domain, n = domain == 2 ? 1 : domain;

		status = gpube_model_add_var(d->out, NULL, domain, NULL);
		for (int32_t a = 0; a < n && n_bools < d->again->n_vars; a++)
			d->origin[n_bools++] = (struct origin){i, domain == 2 ? -1 : a};
	}
	for (int32_t f = 0; f < d->again->n_functions && !status; f++)
		status = decode_clause(d, f);
	if (!status)
		status = finish_listing(d);
	else if (d->n_held)
		gpube__tuples_clear(&d->tuples);
	for (int32_t i = 0; i < m->n_vars && !status; i++) {
		int64_t domain = m->vars[i].domain;

		if (domain > 2 && (d->least[i] != 1 || d->most[i] != domain * (domain - 1) / 2))
			status = gpube__fail(m->ctx, GPUBE_EBUG,
				"clauses do not say that variable %d has one value", i);
	}
	return status;
}

int gpube__decode_clauses(
	struct gpube_model **out, const struct gpube_model *m, const struct gpube_model *again)
{
	struct gpube_ctx *ctx = m->ctx;
	struct decoder d = {.m = m, .again = again};
	uint64_t n = (uint64_t)again->n_vars + 1;
	int status = gpube_model_new(&d.out, ctx, GPUBE_COSTS);

	*out = NULL;
	if (status)
		return status;
	d.origin = gpube__alloc_zero(ctx, n, sizeof(*d.origin));
	d.least = gpube__alloc_zero(ctx, 2 * (uint64_t)m->n_vars + 2, sizeof(*d.least));
	d.scope = gpube__alloc(ctx, 6 * n, sizeof(*d.scope));
	if (d.origin && d.least && d.scope) {
		d.most = d.least + m->n_vars + 1;
		d.tuple = d.scope + n;
		d.falsifying = d.tuple + n;
		d.held = d.falsifying + n;
		d.last = d.held + n;
		d.domains = d.last + n;
		d.out->constant = again->constant;
		d.out->top = again->top;
		status = decode(&d);
	} else {
		status = GPUBE_ENOMEM;
	}
	GPUBE_FREE_ALL(ctx, d.origin, d.least, d.scope);
	if (status)
		gpube_model_free(d.out);
	else
		*out = d.out;
	return status;
}
