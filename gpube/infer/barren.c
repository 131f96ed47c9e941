/*
 * barren.c - variables that sum to a constant: see infer.h.
 *
 * A variable that one function has, and whose sum in it is the same for all values of the others,
 * goes with the function. Then others may be such. In a Bayesian network these are the variables of
 * which nothing that follows is observed: elimination would make a table over their parents, of
 * ones.
 *
 * All values count, not those that can occur alone: that some cannot was found with the functions
 * that are left out.
 */
#include "gpube/infer/infer.h"
#include "gpube/ir/graph.h"

#include <math.h>
#include <string.h>

/* A sum of n numbers that is the same is off by half as many units, or by as much again. */
#define UNITS 2
#define UNIT  0x1p-52

/* Functions of more cells are left alone. */
#define MOST_CELLS (INT64_C(1) << 24)

struct barren_search {
	const struct gpube_model *m;
	struct gpube_possible all;
	struct gpube_incidence functions;
	/* of each variable: functions that are left; variables to be looked at */
	int32_t *n_left, *waiting, n_waiting;
	/* of each function: the one with which it is gone, or -1 */
	int32_t *variable;
	double *constant; /* of functions that are gone */
	int32_t n;        /* variables that are barren */
	double roundings;
};

static int search_begin(struct barren_search *s)
{
	const struct gpube_model *m = s->m;
	int status = gpube__incidence_of_model(&s->functions, m);

	if (!status)
		status = gpube__possible_given(&s->all, m);
	s->n_left = gpube__alloc(m->ctx, (uint64_t)m->n_vars, sizeof(*s->n_left));
	s->waiting = gpube__alloc(m->ctx, (uint64_t)m->n_vars, sizeof(*s->waiting));
	s->variable = gpube__alloc(m->ctx, (uint64_t)m->n_functions, sizeof(*s->variable));
	s->constant = gpube__alloc(m->ctx, (uint64_t)m->n_functions, sizeof(*s->constant));
	if (!status && (!s->n_left || !s->waiting || !s->variable || !s->constant))
		status = GPUBE_ENOMEM;
	for (int32_t f = 0; f < m->n_functions && !status; f++)
		s->variable[f] = -1;
	for (int32_t i = m->n_vars - 1; i >= 0 && !status; i--) {
		s->n_left[i] = (int32_t)(s->functions.start[i + 1] - s->functions.start[i]);
		if (s->n_left[i] == 1)
			s->waiting[s->n_waiting++] = i;
	}
	return status;
}

static void search_end(struct barren_search *s)
{
	struct gpube_ctx *ctx = s->m->ctx;

	gpube__incidence_clear(ctx, &s->functions);
	gpube__possible_clear(ctx, &s->all);
	GPUBE_FREE_ALL(ctx, s->n_left, s->waiting, s->variable, s->constant);
}

static int32_t function_of(const struct barren_search *s, int32_t var)
{
	int64_t k = s->functions.start[var];

	while (s->variable[s->functions.of[k]] >= 0)
		k++;
	return s->functions.of[k];
}

/* The sums over a variable of a function: of n others. */
static int sums_of(
	double **out, int64_t *n, const struct barren_search *s, int32_t function, int32_t var)
{
	struct gpube_visit w;
	int status = gpube__visit_begin(&w, s->m, function, &s->all);

	*out = NULL;
	*n = 1;
	if (status)
		return status;
	for (int k = w.n - 1; k >= 0; k--) {
		w.axis[k].to = w.axis[k].var == var ? 0 : *n;
		*n *= w.axis[k].var == var ? 1 : w.axis[k].n;
	}
	*out = gpube__alloc_zero(s->m->ctx, (uint64_t)*n, sizeof(**out));
	if (*out)
		do
			(*out)[w.to] += gpube__visit_value(&w);
		while (gpube__visit_step(&w));
	gpube__free(s->m->ctx, w.axis);
	return *out ? GPUBE_OK : GPUBE_ENOMEM;
}

static int look(struct barren_search *s, int32_t var)
{
	const int32_t f = function_of(s, var), *scope = gpube__scope(s->m, f);
	const int64_t cells = gpube__cells(s->m, s->m->functions[f].arity, scope);
	double *sums, most = 0, least = INFINITY;
	int64_t n;
	int status;

	if (s->all.n[var] < 2 || cells < 0 || cells > MOST_CELLS || gpube__table(s->m, f)->power)
		return GPUBE_OK;
	status = sums_of(&sums, &n, s, f, var);
	for (int64_t i = 0; i < n && !status; i++) {
		most = fmax(most, sums[i]);
		least = fmin(least, sums[i]);
	}
	gpube__free(s->m->ctx, sums);
	if (status || !(most > 0 && most < INFINITY) ||
		most - least > UNITS * s->all.n[var] * UNIT * most)
		return status;
	s->n++;
	s->variable[f] = var;
	s->constant[f] = most;
	s->roundings += s->all.n[var] + (most - least) / most / (UNIT / 2) + 2;
	for (int k = 0; k < s->m->functions[f].arity; k++)
		if (--s->n_left[scope[k]] == 1)
			s->waiting[s->n_waiting++] = scope[k];
	return GPUBE_OK;
}

/* Room for any part of the model. */
static int make(struct gpube_barren *b, struct barren_search *s)
{
	const struct gpube_model *m = s->m;
	struct gpube_model *to = &b->m;
	const uint64_t n_tables = (uint64_t)m->n_tables + (uint64_t)m->n_functions;

	b->n = s->n;
	b->roundings = s->roundings;
	b->constant = s->constant;
	b->variable = s->variable;
	s->constant = NULL;
	s->variable = NULL;
	b->function = gpube__alloc(m->ctx, (uint64_t)m->n_vars, sizeof(*b->function));
	*to = *m;
	to->functions = gpube__alloc(m->ctx, (uint64_t)m->n_functions, sizeof(*to->functions));
	to->tables = gpube__alloc(m->ctx, n_tables, sizeof(*to->tables));
	to->evidence = gpube__alloc(m->ctx, (uint64_t)m->n_vars, sizeof(*to->evidence));
	if (!to->functions || !to->tables || !to->evidence || !b->function)
		return GPUBE_ENOMEM;
	for (int32_t i = 0; i < m->n_vars; i++)
		b->function[i] = -1;
	for (int32_t f = 0; f < m->n_functions; f++)
		if (b->variable[f] >= 0)
			b->function[b->variable[f]] = f;
	if (m->n_tables > 0)
		memcpy(to->tables, m->tables, (size_t)m->n_tables * sizeof(*to->tables));
	gpube__barren_leave(b, m, NULL);
	return GPUBE_OK;
}

void gpube__barren_leave(struct gpube_barren *b, const struct gpube_model *m, const bool *stays)
{
	struct gpube_model *to = &b->m;

	for (int32_t i = 0; i < m->n_vars; i++)
		to->evidence[i] = m->evidence ? m->evidence[i] : -1;
	to->n_functions = 0;
	to->n_tables = m->n_tables;
	for (int32_t f = 0; f < m->n_functions; f++) {
		const int32_t var = b->variable[f];
		const bool gone = var >= 0 && !(stays && stays[var]);

		if (gone)
			to->evidence[var] = 0;
		if (gone && b->constant[f] == 1)
			continue;
		to->functions[to->n_functions] = m->functions[f];
		if (gone) {
			to->functions[to->n_functions] =
				(struct gpube_function){.table = to->n_tables};
			to->tables[to->n_tables++] = (struct gpube_table){.type = GPUBE_FLOAT64,
				.n = 1,
				.values = &b->constant[f],
				.n_users = 1};
		}
		to->n_functions++;
	}
}

void gpube__barren_keep(const struct gpube_barren *b, const struct gpube_model *m, bool *stays,
	int32_t *waiting, int32_t var)
{
	int32_t n = 0;

	if (b->function[var] >= 0 && !stays[var])
		waiting[n++] = var;
	stays[var] = true;
	while (n > 0) {
		const int32_t f = b->function[waiting[--n]];

		for (int k = 0; k < m->functions[f].arity; k++) {
			const int32_t other = gpube__scope(m, f)[k];

			if (b->function[other] < 0 || stays[other])
				continue;
			stays[other] = true;
			waiting[n++] = other;
		}
	}
}

void gpube__barren_clear(struct gpube_barren *b, struct gpube_ctx *ctx)
{
	if (!b->n)
		return;
	GPUBE_FREE_ALL(ctx, b->m.functions, b->m.tables, b->m.evidence, b->constant, b->variable,
		b->function);
	*b = (struct gpube_barren){0};
}

int gpube__barren_find(struct gpube_barren *b, const struct gpube_model *m)
{
	struct barren_search s = {.m = m};
	int status = search_begin(&s);

	*b = (struct gpube_barren){0};
	while (!status && s.n_waiting > 0) {
		const int32_t var = s.waiting[--s.n_waiting];

		if (s.n_left[var] == 1)
			status = gpube__stopped(m->ctx) ? gpube__fail_stopped(m->ctx)
							: look(&s, var);
	}
	if (!status && s.n)
		status = make(b, &s);
	search_end(&s);
	return status;
}
