/*
 * wcsp_write.c - a model to toulbar2's .wcsp.
 *
 * The format holds integers >= 0 that are minimised. Functions with negative
 * costs are shifted into the constant, and only if that is not enough all of
 * them; what is still negative needs .cfn, or the option that makes all totals
 * larger (fit.h). Names of variables, values and functions are lost. A maximised model is written
 * negated.
 */
#include <string.h>

#include "formats/common/registry.h"
#include "formats/common/survey.h"

struct writer {
	const struct gpube_model *m;
	struct gpube_out *out;
	struct gpube_survey survey;
	bool shift_all;
	int64_t top;
	int64_t constant;
	int32_t *domains, *tuple;
	int32_t *numbers; /* by table: 0, or its number as a shared one */
	int32_t n_shared;
};

/* What is subtracted from a table's costs. */
static int64_t shift(const struct writer *w, int32_t table)
{
	int64_t min = w->survey.min[table];

	return min < 0 || w->shift_all ? min : 0;
}

/* A cost as it is written: shifted, and top from top on. */
static int64_t written(const struct writer *w, int32_t table, int64_t cost)
{
	__int128 v = gpube__minimised(w->m, cost);

	if (cost == GPUBE_INF)
		return w->top;
	v -= shift(w, table);
	return v >= w->top ? w->top : (int64_t)v;
}

static __int128 shifted_constant(const struct writer *w)
{
	const struct gpube_model *m = w->m;
	__int128 c = gpube__minimised(m, m->constant);

	for (int32_t t = 0; t < m->n_tables; t++)
		c += (__int128)shift(w, t) * m->tables[t].n_users;
	return c;
}

static void say(const struct writer *w, const char *what)
{
	gpube__log(w->m->ctx, GPUBE_LOG_NOTE, "%s: %s", w->out->path, what);
}

/* Decides on shifts, constant and top. */
static int prepare(struct writer *w)
{
	const struct gpube_model *m = w->m;
	__int128 c = shifted_constant(w);
	int status;

	if (c < 0) {
		w->shift_all = true;
		c = shifted_constant(w);
	}
	if (c < 0)
		return gpube__fail(m->ctx, GPUBE_ERANGE,
			"totals may be negative, which .wcsp cannot hold: write .cfn, or give "
			"--shift to write larger ones");
	if (gpube__minimised_top(m) == GPUBE_INF && w->survey.most >= GPUBE_INF)
		return gpube__fail(
			m->ctx, GPUBE_ERANGE, "totals may pass 2^63: scale the costs down");
	status = gpube__bound_to_write(&w->top, &w->survey, w->out);
	if (status)
		return status;
	if (w->top < 0)
		w->top = 0; /* nothing is below either */
	w->constant = c >= w->top ? w->top : (int64_t)c;
	if (m->direction == GPUBE_MAXIMISE)
		say(w, "the model is maximised: written negated, to be minimised");
	if (m->scale > 0)
		gpube__log(m->ctx, GPUBE_LOG_NOTE, "%s: costs are in units of 10^-%d", w->out->path,
			m->scale);
	return GPUBE_OK;
}

/* The problem's name as one word. */
static void write_name(struct writer *w)
{
	const char *name = w->m->name && *w->m->name ? w->m->name : "gpube";
	int n = 0;

	for (; *name && n < 255; name++, n++) {
		bool blank = (unsigned char)*name <= ' ' || *name == 0x7f;

		gpube__out_bytes(w->out, blank ? "_" : name, 1);
	}
}

static void write_header(struct writer *w)
{
	const struct gpube_model *m = w->m;
	int64_t n = (int64_t)m->n_functions + (w->constant != 0);
	int32_t largest = 0;

	for (int32_t i = 0; i < m->n_vars; i++)
		if (m->vars[i].domain > largest)
			largest = m->vars[i].domain;
	write_name(w);
	gpube__out_printf(
		w->out, " %d %d %lld %lld\n", m->n_vars, largest, (long long)n, (long long)w->top);
	for (int32_t i = 0; i < m->n_vars; i++)
		gpube__out_printf(w->out, "%s%d", i ? " " : "", m->vars[i].domain);
	gpube__out_text(w->out, "\n");
}

static void write_tuples(struct writer *w, const struct gpube_table *t, int32_t table, int64_t dflt)
{
	struct gpube_cells_walk cells;
	int64_t value;

	gpube__cells_begin(&cells, t, w->domains, w->tuple);
	while (gpube__cells_next(&cells, &value)) {
		if (value == dflt && !t->sparse)
			continue;
		for (int k = 0; k < t->arity; k++) {
			gpube__out_int(w->out, w->tuple[k]);
			gpube__out_text(w->out, " ");
		}
		gpube__out_int(w->out, written(w, table, value));
		gpube__out_text(w->out, "\n");
	}
}

static void write_function(struct writer *w, int32_t f)
{
	const struct gpube_model *m = w->m;
	const struct gpube_table *t = gpube__table(m, f);
	const int32_t *scope = gpube__scope(m, f);
	int32_t table = m->functions[f].table;
	int64_t n_usual, dflt = gpube__usual_cost(t, &n_usual);
	int64_t n = t->sparse ? t->n : t->n - n_usual, first = written(w, table, dflt);
	/* toulbar2 does not number an empty table of more than three variables */
	bool shared = t->n_users > 1 && t->arity >= 2 && (first != 0 || n > 0);

	if (n_usual == 0)
		first = 0; /* nothing has it, and shifted it may be negative */
	if (t->arity == 0) {
		if (t->n == 1)
			first = written(w, table, gpube__table_int(t, 0));
		gpube__out_printf(w->out, "0 %lld 0\n", (long long)first);
		return;
	}
	gpube__out_int(w->out, shared && !w->numbers[table] ? -t->arity : t->arity);
	for (int k = 0; k < t->arity; k++) {
		w->domains[k] = m->vars[scope[k]].domain;
		gpube__out_text(w->out, " ");
		gpube__out_int(w->out, scope[k]);
	}
	if (shared && w->numbers[table]) {
		gpube__out_printf(w->out, " %lld -%d\n", (long long)first, w->numbers[table]);
		return;
	}
	if (shared)
		w->numbers[table] = ++w->n_shared;
	gpube__out_printf(w->out, " %lld %lld\n", (long long)first, (long long)n);
	write_tuples(w, t, table, dflt);
}

static void tell(const struct writer *w)
{
	struct gpube_written *to = w->out->opts ? w->out->opts->written : NULL;

	if (to)
		*to = (struct gpube_written){.known = 1,
			.negated = w->m->direction == GPUBE_MAXIMISE,
			.decimals = w->m->scale,
			.top = w->top};
}

int gpube__wcsp_write(const struct gpube_model *m, struct gpube_out *out)
{
	struct writer w = {.m = m, .out = out};
	int32_t widest = 0;
	int status = gpube__survey_init(&w.survey, m);

	if (!status)
		status = prepare(&w);
	if (status)
		goto out;
	for (int32_t f = 0; f < m->n_functions; f++)
		if (m->functions[f].arity > widest)
			widest = m->functions[f].arity;
	status = GPUBE_ENOMEM;
	w.domains = gpube__alloc(m->ctx, 2 * (uint64_t)widest + 1, sizeof(*w.domains));
	w.numbers = gpube__alloc_zero(m->ctx, (uint64_t)m->n_tables + 1, sizeof(*w.numbers));
	if (!w.domains || !w.numbers)
		goto out;
	w.tuple = w.domains + widest;
	write_header(&w);
	if (w.constant != 0)
		gpube__out_printf(out, "0 %lld 0\n", (long long)w.constant);
	for (int32_t f = 0; f < m->n_functions && !out->status; f++)
		write_function(&w, f);
	status = out->status;
	tell(&w);
out:
	gpube__free(m->ctx, w.domains);
	gpube__free(m->ctx, w.numbers);
	gpube__survey_clear(&w.survey, m->ctx);
	return status;
}
