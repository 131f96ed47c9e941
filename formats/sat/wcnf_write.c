/*
 * wcnf_write.c - a model of costs to .wcnf (with the line 'p wcnf N M TOP', which all
 * programs read) and .cnf.
 *
 * A variable of two values is a Boolean one, value 1 true. One of more values
 * is a Boolean for each, of which exactly one holds, by hard clauses; one of a
 * single value is none. The least cost of a function goes into the constant,
 * and each tuple that costs more becomes a clause that is false there alone,
 * with the difference as its weight, hard if the tuple is forbidden. The
 * constant is paid by a literal and its negation, because many programs do not
 * take an empty clause.
 *
 * The format has no place for negative totals, and none for a bound: if totals
 * can reach the model's, it is refused.
 */
#include <string.h>

#include "formats/common/registry.h"
#include "formats/common/survey.h"

/* Most cells of a sparse table whose default is not its least cost. */
#define MAX_CELLS ((int64_t)1 << 24)

/* Clauses are counted before they are written: the header has their number. */
struct writer {
	const struct gpube_model *m;
	struct gpube_out *out;
	struct gpube_survey survey;
	bool weighted; /* not .cnf */
	bool writing;
	int64_t *first; /* by variable: its first literal */
	int64_t n_bools, n_clauses;
	int64_t top, constant;
	__int128 sum; /* of soft weights */
	/* weights of clauses, GPUBE_INF for hard ones; none: GPUBE_INF and 0 */
	int64_t least, most;
	int32_t *domains, *tuple;
};

/* ---- clauses --------------------------------------------------------------------------- */

static void begin_clause(struct writer *w, int64_t weight)
{
	w->n_clauses++;
	w->sum += weight == GPUBE_INF ? 0 : weight;
	w->least = weight < w->least ? weight : w->least;
	w->most = weight > w->most ? weight : w->most;
	if (w->writing && w->weighted) {
		gpube__out_int(w->out, weight == GPUBE_INF ? w->top : weight);
		gpube__out_text(w->out, " ");
	}
}

static void write_literal(struct writer *w, int64_t literal)
{
	if (w->writing) {
		gpube__out_int(w->out, literal);
		gpube__out_text(w->out, " ");
	}
}

static void end_clause(struct writer *w)
{
	if (w->writing)
		gpube__out_text(w->out, "0\n");
}

/* The literal that is false where variable i has value a; 0 if there is none. */
static int64_t unlike(const struct writer *w, int32_t i, int32_t a)
{
	int32_t domain = w->m->vars[i].domain;

	if (domain == 1)
		return 0;
	if (domain == 2)
		return a ? -w->first[i] : w->first[i];
	return -(w->first[i] + a);
}

/* Exactly one value. */
static void write_domain(struct writer *w, int32_t i)
{
	int32_t domain = w->m->vars[i].domain;

	if (domain <= 2)
		return;
	begin_clause(w, GPUBE_INF);
	for (int32_t a = 0; a < domain; a++)
		write_literal(w, w->first[i] + a);
	end_clause(w);
	for (int32_t a = 0; a < domain; a++)
		for (int32_t b = a + 1; b < domain; b++) {
			begin_clause(w, GPUBE_INF);
			write_literal(w, -(w->first[i] + a));
			write_literal(w, -(w->first[i] + b));
			end_clause(w);
		}
}

/* The tuple in w->tuple, which costs 'weight' more than the least. */
static void write_tuple(struct writer *w, int32_t f, int64_t weight)
{
	const int32_t *scope = gpube__scope(w->m, f);

	if (weight == 0)
		return;
	begin_clause(w, weight);
	for (int k = 0; k < w->m->functions[f].arity; k++) {
		int64_t literal = unlike(w, scope[k], w->tuple[k]);

		if (literal)
			write_literal(w, literal);
	}
	end_clause(w);
}

static int64_t weight_of(const struct writer *w, int32_t f, int64_t value)
{
	int64_t v = gpube__minimised(w->m, value);

	return v == GPUBE_INF ? GPUBE_INF : v - w->survey.min[w->m->functions[f].table];
}

static int write_function(struct writer *w, int32_t f)
{
	const struct gpube_model *m = w->m;
	const struct gpube_table *t = gpube__table(m, f);
	const int32_t *scope = gpube__scope(m, f);
	int64_t cells = gpube__cells(m, t->arity, scope), dflt = 0, value;
	struct gpube_cells_walk walk;

	for (int k = 0; k < t->arity; k++)
		w->domains[k] = m->vars[scope[k]].domain;
	if (t->sparse && t->n != cells)
		dflt = weight_of(w, f, t->dflt.i);
	if (dflt == 0) {
		gpube__cells_begin(&walk, t, w->domains, w->tuple);
		while (gpube__cells_next(&walk, &value) && !w->out->status)
			write_tuple(w, f, weight_of(w, f, value));
		return w->out->status;
	}
	if (cells < 0 || cells > MAX_CELLS)
		return gpube__fail(m->ctx, GPUBE_ELIMIT,
			"function %d: its default is not its least cost, so that each of its cells "
			"would need a clause: at most %lld are written",
			f, (long long)MAX_CELLS);
	memset(w->tuple, 0, (size_t)t->arity * sizeof(*w->tuple));
	for (int64_t c = 0, at = 0; c < cells && !w->out->status; c++) {
		bool held = at < t->n && gpube__compare_tuples(t->tuples + at * t->arity, w->tuple,
						 t->arity) == 0;

		write_tuple(w, f, held ? weight_of(w, f, gpube__table_int(t, at)) : dflt);
		at += held;
		for (int k = t->arity - 1; k >= 0 && ++w->tuple[k] == w->domains[k]; k--)
			w->tuple[k] = 0;
	}
	return w->out->status;
}

static int write_clauses(struct writer *w)
{
	int status = GPUBE_OK;

	for (int32_t i = 0; i < w->m->n_vars && !w->out->status; i++)
		write_domain(w, i);
	for (int32_t f = 0; f < w->m->n_functions && !status; f++)
		status = write_function(w, f);
	if (w->constant && w->n_bools == 0) {
		begin_clause(w, w->constant);
		end_clause(w);
	}
	for (int sign = 1; w->constant && w->n_bools && sign >= -1; sign -= 2) {
		begin_clause(w, w->constant);
		write_literal(w, sign);
		end_clause(w);
	}
	return status ? status : w->out->status;
}

/* ---- preparation ------------------------------------------------------------------------- */

static int number_bools(struct writer *w)
{
	const struct gpube_model *m = w->m;

	for (int32_t i = 0; i < m->n_vars; i++) {
		w->first[i] = w->n_bools + 1;
		w->n_bools += m->vars[i].domain == 1   ? 0
			      : m->vars[i].domain == 2 ? 1
						       : m->vars[i].domain;
	}
	return w->n_bools <= INT32_MAX
		       ? GPUBE_OK
		       : gpube__fail(m->ctx, GPUBE_EINVAL, "more than 2^31 Boolean variables");
}

static int find_constant(struct writer *w)
{
	const struct gpube_model *m = w->m;
	const struct gpube_survey *s = &w->survey;
	bool shift = w->out->opts && w->out->opts->shift;

	if (gpube__minimised_top(m) != GPUBE_INF && s->most >= gpube__minimised_top(m))
		return gpube__fail(m->ctx, GPUBE_ERANGE,
			"totals can reach the top of %lld, for which .%s has no place; .wcsp and "
			".cfn do",
			(long long)m->top, w->weighted ? "wcnf" : "cnf");
	if (s->least < 0 && !shift)
		return gpube__fail(m->ctx, GPUBE_ERANGE,
			"totals may be negative, which .wcnf cannot hold: write .cfn, or give "
			"--shift to write larger ones");
	if (s->least >= INT64_MAX || s->most - s->least >= INT64_MAX)
		return gpube__fail(m->ctx, GPUBE_ERANGE, "totals pass 2^63: scale the costs down");
	w->constant = s->least < 0 ? 0 : (int64_t)s->least;
	if (s->least < 0)
		gpube__log(m->ctx, GPUBE_LOG_NOTE,
			"%s: shifted: every total is larger by %lld than it was", w->out->path,
			(long long)-s->least);
	if (m->direction == GPUBE_MAXIMISE)
		gpube__log(m->ctx, GPUBE_LOG_NOTE,
			"%s: the model is maximised: written negated, to be minimised",
			w->out->path);
	if (m->scale > 0)
		gpube__log(m->ctx, GPUBE_LOG_NOTE, "%s: costs are in units of 10^-%d", w->out->path,
			m->scale);
	return GPUBE_OK;
}

/*
 * .cnf has no weights: hard clauses alone, or soft ones of weight 1 alone. EINVAL, not
 * ERANGE: dividing costs would make others of them, not the same ones with fewer digits.
 */
static int check_unweighted(const struct writer *w)
{
	struct gpube_ctx *ctx = w->m->ctx;

	if (w->n_clauses && w->least != w->most)
		return gpube__fail(ctx, GPUBE_EINVAL,
			"costs differ, for which .cnf has no place: write .wcnf");
	if (w->n_clauses && w->most != 1 && w->most != GPUBE_INF)
		return gpube__fail(ctx, GPUBE_EINVAL,
			"costs of %lld, for which .cnf has no place: write .wcnf",
			(long long)w->most);
	if (w->n_clauses && w->most == GPUBE_INF)
		gpube__log(ctx, GPUBE_LOG_NOTE,
			"%s: all clauses are hard: it is a SAT problem, not Max-SAT", w->out->path);
	return GPUBE_OK;
}

static int prepare(struct writer *w)
{
	const struct gpube_model *m = w->m;
	int32_t widest = 0;
	int status = gpube__survey_init(&w->survey, m);

	if (status)
		return status;
	for (int32_t f = 0; f < m->n_functions; f++)
		if (m->functions[f].arity > widest)
			widest = m->functions[f].arity;
	w->first = gpube__alloc(m->ctx, (uint64_t)m->n_vars + 1, sizeof(*w->first));
	w->domains = gpube__alloc(m->ctx, 2 * (uint64_t)widest + 1, sizeof(*w->domains));
	if (!w->first || !w->domains)
		return GPUBE_ENOMEM;
	w->tuple = w->domains + widest;
	w->least = GPUBE_INF;
	status = number_bools(w);
	if (!status)
		status = find_constant(w);
	if (!status)
		status = write_clauses(w); /* counts them */
	if (!status && !w->weighted)
		status = check_unweighted(w);
	/* each tuple is false in one clause of its function: the worst total bounds the sum
	 * that is paid, but the header's weight must pass the sum of all */
	if (!status && w->sum >= INT64_MAX)
		status = gpube__fail(m->ctx, GPUBE_ERANGE,
			"the sum of all weights passes 2^63: scale the costs down");
	w->top = status ? 0 : (int64_t)w->sum + 1;
	return status;
}

static int write_file(const struct gpube_model *m, struct gpube_out *out, bool weighted)
{
	struct writer w = {.m = m, .out = out, .weighted = weighted};
	int status = prepare(&w);

	if (!status) {
		w.writing = true;
		if (!weighted && w.most == GPUBE_INF)
			gpube__out_text(out, GPUBE__CNF_HARD);
		gpube__out_printf(out, "p %s %lld %lld", weighted ? "wcnf" : "cnf",
			(long long)w.n_bools, (long long)w.n_clauses);
		if (weighted)
			gpube__out_printf(out, " %lld", (long long)w.top);
		gpube__out_text(out, "\n");
		status = write_clauses(&w);
	}
	gpube__free(m->ctx, w.first);
	gpube__free(m->ctx, w.domains);
	gpube__survey_clear(&w.survey, m->ctx);
	return status;
}

int gpube__wcnf_write(const struct gpube_model *m, struct gpube_out *out)
{
	return write_file(m, out, true);
}

int gpube__cnf_write(const struct gpube_model *m, struct gpube_out *out)
{
	return write_file(m, out, false);
}
