/* possible.c - the values of variables that can occur: see infer.h. */
#include "gpube/infer/infer.h"
#include "gpube/ir/graph.h"

#include <string.h>

/* Functions wait until their supports are looked for again. */
struct search {
	const struct gpube_model *m;
	struct gpube_possible *p;
	struct gpube_incidence functions;
	int32_t *waiting, n_waiting;
	bool *waits, *all_positive; /* all_positive: such a function excludes nothing */
	bool *supported;            /* of the values of one function's scope, axis by axis */
};

void gpube__possible_clear(struct gpube_ctx *ctx, struct gpube_possible *p)
{
	GPUBE_FREE_ALL(ctx, p->first, p->n, p->values);
	*p = (struct gpube_possible){0};
}

/* ---- walks ---------------------------------------------------------------------------------- */

int gpube__visit_begin(struct gpube_visit *w, const struct gpube_model *m, int32_t function,
	const struct gpube_possible *p)
{
	const int arity = m->functions[function].arity;
	const int32_t *scope = gpube__scope(m, function);
	int64_t stride = 1;

	*w = (struct gpube_visit){
		.m = m, .function = function, .power = gpube__table(m, function)->power};
	if (gpube__cells(m, arity, scope) < 0)
		return gpube__fail(
			m->ctx, GPUBE_ERANGE, "function %d has 2^63 cells or more", function);
	w->axis = gpube__alloc_zero(m->ctx, (uint64_t)arity, sizeof(*w->axis));
	if (!w->axis)
		return GPUBE_ENOMEM;
	for (int k = arity - 1; k >= 0; k--) {
		const int32_t *values = p->values + p->first[scope[k]];
		const int32_t n = gpube__n_possible(p, scope[k]);

		w->cell += stride * values[0];
		if (n > 1)
			w->axis[w->n++] = (struct gpube_visit_axis){
				.values = values, .n = n, .var = scope[k], .stride = stride};
		stride *= m->vars[scope[k]].domain;
	}
	/* they were met last first */
	for (int k = 0; k < w->n / 2; k++) {
		const struct gpube_visit_axis a = w->axis[k];

		w->axis[k] = w->axis[w->n - 1 - k];
		w->axis[w->n - 1 - k] = a;
	}
	return GPUBE_OK;
}

double gpube__visit_value(const struct gpube_visit *w)
{
	const struct gpube_table *t = gpube__table(w->m, w->function);
	int64_t lo = 0, hi = t->n;

	if (!t->sparse)
		return gpube__table_stored(t, w->cell);
	while (lo < hi) {
		const int64_t mid = lo + (hi - lo) / 2;

		if (gpube__tuple_cell(w->m, w->function, mid) < w->cell)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo < t->n && gpube__tuple_cell(w->m, w->function, lo) == w->cell
		       ? gpube__table_real(t, lo)
		       : t->dflt.f;
}

bool gpube__visit_step(struct gpube_visit *w)
{
	for (int k = w->n - 1; k >= 0; k--) {
		struct gpube_visit_axis *a = &w->axis[k];

		if (a->at + 1 < a->n) {
			w->cell += a->stride * (a->values[a->at + 1] - a->values[a->at]);
			w->to += a->to;
			a->at++;
			return true;
		}
		w->cell -= a->stride * (a->values[a->at] - a->values[0]);
		w->to -= a->to * a->at;
		a->at = 0;
	}
	return false;
}

/* ---- supports ------------------------------------------------------------------------ */

static void wait_for(struct search *s, int32_t function)
{
	if (s->waits[function] || s->all_positive[function])
		return;
	s->waits[function] = true;
	s->waiting[s->n_waiting++] = function;
}

/* Keeps the supported values of a variable; its other functions are looked at again. */
static void keep(struct search *s, int32_t var, const bool *supported, int32_t function)
{
	struct gpube_possible *p = s->p;
	int32_t *values = p->values + p->first[var];
	const int32_t n = gpube__n_possible(p, var);
	int32_t kept = 0;

	for (int32_t i = 0; i < n; i++)
		if (supported[i])
			values[kept++] = values[i];
	if (kept == n)
		return;
	p->n[var] = kept;
	for (int64_t k = s->functions.start[var]; k < s->functions.start[var + 1]; k++)
		if (s->functions.of[k] != function)
			wait_for(s, s->functions.of[k]);
}

static int look(struct search *s, int32_t function)
{
	struct gpube_visit w;
	int64_t at = 0;
	bool any = false, zeros = false;
	int status = gpube__visit_begin(&w, s->m, function, s->p);

	if (status)
		return status;
	for (int k = 0; k < w.n; k++)
		at += w.axis[k].n;
	s->supported = gpube__alloc_zero(s->m->ctx, (uint64_t)at, sizeof(*s->supported));
	if (!s->supported) {
		gpube__free(s->m->ctx, w.axis);
		return GPUBE_ENOMEM;
	}
	do {
		if (!(gpube__visit_value(&w) > 0)) {
			zeros = true;
			continue;
		}
		any = true;
		at = 0;
		for (int k = 0; k < w.n; k++) {
			s->supported[at + w.axis[k].at] = true;
			at += w.axis[k].n;
		}
	} while (gpube__visit_step(&w));
	s->all_positive[function] = !zeros;
	s->p->none = s->p->none || !any;
	at = 0;
	for (int k = 0; k < w.n && any && zeros; k++) {
		keep(s, w.axis[k].var, s->supported + at, function);
		at += w.axis[k].n;
	}
	gpube__free(s->m->ctx, s->supported);
	gpube__free(s->m->ctx, w.axis);
	return GPUBE_OK;
}

static int search_init(struct search *s)
{
	const struct gpube_model *m = s->m;

	s->waiting = gpube__alloc(m->ctx, (uint64_t)m->n_functions, sizeof(*s->waiting));
	s->waits = gpube__alloc_zero(m->ctx, (uint64_t)m->n_functions, sizeof(*s->waits));
	s->all_positive =
		gpube__alloc_zero(m->ctx, (uint64_t)m->n_functions, sizeof(*s->all_positive));
	if (!s->waiting || !s->waits || !s->all_positive)
		return GPUBE_ENOMEM;
	return gpube__incidence_of_model(&s->functions, m);
}

int gpube__possible_given(struct gpube_possible *p, const struct gpube_model *m)
{
	int64_t n = 0;

	*p = (struct gpube_possible){0};
	p->first = gpube__alloc(m->ctx, (uint64_t)m->n_vars, sizeof(*p->first));
	p->n = gpube__alloc(m->ctx, (uint64_t)m->n_vars, sizeof(*p->n));
	if (!p->first || !p->n)
		return GPUBE_ENOMEM;
	for (int32_t i = 0; i < m->n_vars; i++) {
		p->first[i] = n;
		p->n[i] = m->evidence && m->evidence[i] >= 0 ? 1 : m->vars[i].domain;
		n += p->n[i];
	}
	p->values = gpube__alloc(m->ctx, (uint64_t)n, sizeof(*p->values));
	if (!p->values)
		return GPUBE_ENOMEM;
	for (int32_t i = 0; i < m->n_vars; i++)
		for (int32_t a = 0; a < p->n[i]; a++)
			p->values[p->first[i] + a] =
				m->evidence && m->evidence[i] >= 0 ? m->evidence[i] : a;
	return GPUBE_OK;
}

int gpube__possible_find(struct gpube_possible *p, const struct gpube_model *m)
{
	struct search s = {.m = m, .p = p};
	int status;

	status = gpube__possible_given(p, m);
	if (!status)
		status = search_init(&s);
	for (int32_t f = m->n_functions - 1; f >= 0 && !status; f--)
		wait_for(&s, f);
	while (!status && s.n_waiting > 0 && !p->none) {
		const int32_t f = s.waiting[--s.n_waiting];

		s.waits[f] = false;
		status = gpube__stopped(m->ctx) ? gpube__fail_stopped(m->ctx) : look(&s, f);
	}
	gpube__incidence_clear(m->ctx, &s.functions);
	GPUBE_FREE_ALL(m->ctx, s.waiting, s.waits, s.all_positive);
	if (status)
		gpube__possible_clear(m->ctx, p);
	return status;
}
