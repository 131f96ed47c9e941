/* mip.c - see mip.h. */
#include "formats/mip/mip.h"

#include <string.h>

#include "formats/common/survey.h"
#include "gpube/ir/tuples.h"
#include "gpube/base/rows.h"

#define MOST_ENTRIES ((int64_t)1 << 26)
/*
 * Cells of a sparse table, all of which are listed where its default is neither forbidden nor the
 * least.
 */
#define MOST_CELLS ((int64_t)1 << 20)

struct making {
	struct gpube_mip *p;
	const struct gpube_model *m;
	struct gpube_survey survey;
	int32_t *first; /* by variable: its first column */
	int32_t *domains, *tuple;
	int64_t n_entries;
	int status;
};

/* ---- columns and rows --------------------------------------------------------------------- */

static int32_t add_column(struct making *b, int32_t var, int32_t value, int64_t cost)
{
	struct gpube_mip *p = b->p;
	const int64_t n = (int64_t)p->n_columns + 1;

	if (b->status)
		return 0;
	if (n > MOST_ENTRIES)
		b->status = gpube__fail(p->ctx, GPUBE_ELIMIT,
			"more than %lld columns are not written", (long long)MOST_ENTRIES);
	else if (gpube__grow(p->ctx, &p->var, &p->columns_capacity[0], n, sizeof(*p->var)) ||
		 gpube__grow(p->ctx, &p->value, &p->columns_capacity[1], n, sizeof(*p->value)) ||
		 gpube__grow(p->ctx, &p->cost, &p->columns_capacity[2], n, sizeof(*p->cost)))
		b->status = GPUBE_ENOMEM;
	if (b->status)
		return 0;
	p->var[p->n_columns] = var;
	p->value[p->n_columns] = value;
	p->cost[p->n_columns] = cost;
	return p->n_columns++;
}

static void pay(struct making *b, int32_t column, int64_t cost)
{
	int64_t *c = &b->p->cost[column];

	if (!b->status &&
		(__builtin_add_overflow(*c, cost, c) || *c == GPUBE_INF || *c <= -GPUBE_INF))
		b->status = gpube__fail(
			b->p->ctx, GPUBE_ERANGE, "costs of one value pass 2^63 together");
}

/* A row that has no entries yet. */
static void begin_row(struct making *b, enum gpube_relation sense, int64_t rhs)
{
	struct gpube_mip *p = b->p;
	const int64_t n = (int64_t)p->n_rows + 2;

	if (b->status)
		return;
	if (gpube__grow(p->ctx, &p->sense, &p->rows_capacity[0], n, sizeof(*p->sense)) ||
		gpube__grow(p->ctx, &p->rhs, &p->rows_capacity[1], n, sizeof(*p->rhs)) ||
		gpube__grow(p->ctx, &p->at, &p->rows_capacity[2], n, sizeof(*p->at))) {
		b->status = GPUBE_ENOMEM;
		return;
	}
	p->sense[p->n_rows] = (unsigned char)sense;
	p->rhs[p->n_rows] = rhs;
	p->at[p->n_rows] = b->n_entries;
}

static void add_entry(struct making *b, int32_t column, int64_t factor)
{
	struct gpube_mip *p = b->p;
	const int64_t n = b->n_entries + 1;

	if (b->status)
		return;
	if (n > MOST_ENTRIES)
		b->status = gpube__fail(p->ctx, GPUBE_ELIMIT,
			"more than %lld entries are not written", (long long)MOST_ENTRIES);
	else if (gpube__grow(p->ctx, &p->column, &p->entries_capacity[0], n, sizeof(*p->column)) ||
		 gpube__grow(p->ctx, &p->factor, &p->entries_capacity[1], n, sizeof(*p->factor)))
		b->status = GPUBE_ENOMEM;
	if (b->status)
		return;
	p->column[b->n_entries] = column;
	p->factor[b->n_entries++] = factor;
}

/* 'factor' times 1 where the variable has the value, 0 elsewhere. */
static void add_literal(struct making *b, int32_t var, int32_t value, int64_t factor)
{
	const int32_t domain = b->m->vars[var].domain;

	if (b->status)
		return;
	if (domain == 1)
		b->p->rhs[b->p->n_rows] -= factor;
	else if (domain > 2)
		add_entry(b, b->first[var] + value, factor);
	else if (value)
		add_entry(b, b->first[var], factor);
	else {
		b->p->rhs[b->p->n_rows] -= factor;
		add_entry(b, b->first[var], -factor);
	}
}

static void end_row(struct making *b)
{
	struct gpube_mip *p = b->p;
	int64_t rhs;

	if (b->status)
		return;
	rhs = p->rhs[p->n_rows];
	if (b->n_entries == p->at[p->n_rows]) {
		/* of no columns: right, or what can never be */
		if (p->sense[p->n_rows] == GPUBE_AT_MOST ? rhs >= 0 : rhs == 0)
			return;
		p->sense[p->n_rows] = GPUBE_AT_MOST;
		p->rhs[p->n_rows] = 0;
		add_entry(b, 0, 1);
	}
	p->at[++p->n_rows] = b->n_entries;
}

/* ---- functions ------------------------------------------------------------------------------ */

static void pay_literal(struct making *b, int32_t var, int32_t value, int64_t cost)
{
	const int32_t domain = b->m->vars[var].domain;

	if (domain == 1)
		pay(b, 0, cost);
	else if (domain > 2)
		pay(b, b->first[var] + value, cost);
	else if (value)
		pay(b, b->first[var], cost);
	else {
		pay(b, 0, cost);
		pay(b, b->first[var], -cost);
	}
}

/* The tuple costs 'more' than usual, which is the least. */
static void add_exception(struct making *b, int32_t f, int64_t more)
{
	const int32_t *scope = gpube__scope(b->m, f);
	const int arity = b->m->functions[f].arity;
	int32_t column = -1;

	if (more == 0)
		return;
	if (arity == 1 && more != GPUBE_INF) {
		pay_literal(b, scope[0], b->tuple[0], more);
		return;
	}
	if (more != GPUBE_INF)
		column = add_column(b, -1, 0, more);
	begin_row(b, GPUBE_AT_MOST, arity - 1);
	for (int k = 0; k < arity; k++)
		add_literal(b, scope[k], b->tuple[k], 1);
	if (column >= 0)
		add_entry(b, column, -1);
	end_row(b);
}

static void add_exceptions(struct making *b, int32_t f, int64_t usual)
{
	struct gpube_cells_walk walk;
	int64_t value;

	pay(b, 0, usual);
	gpube__cells_begin(&walk, gpube__table(b->m, f), b->domains, b->tuple);
	while (!b->status && gpube__cells_next(&walk, &value)) {
		const int64_t v = gpube__minimised(b->m, value);

		add_exception(b, f, v == GPUBE_INF ? GPUBE_INF : v - usual);
	}
}

/* Tuples that are not forbidden: n of them, arity values each, and their columns. */
struct listed {
	int64_t n, capacity, columns_capacity;
	int32_t *tuples, *columns;
};

static void list_tuple(struct making *b, struct listed *l, int arity, int64_t value)
{
	struct gpube_ctx *ctx = b->p->ctx;

	if (value == GPUBE_INF || b->status)
		return;
	if (gpube__grow(ctx, &l->tuples, &l->capacity, (l->n + 1) * arity, sizeof(*l->tuples)) ||
		gpube__grow(
			ctx, &l->columns, &l->columns_capacity, l->n + 1, sizeof(*l->columns))) {
		b->status = GPUBE_ENOMEM;
		return;
	}
	if (arity > 0)
		memcpy(l->tuples + l->n * arity, b->tuple, (size_t)arity * sizeof(*l->tuples));
	l->columns[l->n++] = add_column(b, -1, 0, gpube__minimised(b->m, value));
}

static void list_tuples(struct making *b, struct listed *l, int32_t f)
{
	const struct gpube_table *t = gpube__table(b->m, f);
	const int64_t cells = gpube__cells(b->m, t->arity, gpube__scope(b->m, f));
	struct gpube_cells_walk walk;
	int64_t value;

	if (!t->sparse || t->dflt.i == GPUBE_INF) {
		gpube__cells_begin(&walk, t, b->domains, b->tuple);
		while (!b->status && gpube__cells_next(&walk, &value))
			list_tuple(b, l, t->arity, value);
		return;
	}
	if (cells < 0 || cells > MOST_CELLS) {
		b->status = gpube__fail(b->p->ctx, GPUBE_ELIMIT,
			"function %d: its default is not its least cost, so that each of its cells "
			"would need a column: at most %lld are written",
			f, (long long)MOST_CELLS);
		return;
	}
	memset(b->tuple, 0, (size_t)t->arity * sizeof(*b->tuple));
	do {
		const int64_t k = gpube__table_find(t, b->domains, b->tuple);

		list_tuple(b, l, t->arity, k < 0 ? t->dflt.i : gpube__table_int(t, k));
	} while (!b->status && gpube__tuple_next(b->tuple, b->domains, t->arity));
}

/* Of the k-th variable: for each value the columns of its tuples sum to the value's. */
static void add_marginals(
	struct making *b, const struct listed *l, int32_t f, int k, int64_t *start, int32_t *sorted)
{
	const int arity = b->m->functions[f].arity;
	const int32_t domain = b->domains[k];

	memset(start, 0, ((size_t)domain + 2) * sizeof(*start));
	for (int64_t i = 0; i < l->n; i++)
		GPUBE_ROW_COUNT(start, l->tuples[i * arity + k]);
	GPUBE_ROWS_BEGIN(start, domain);
	for (int64_t i = 0; i < l->n; i++)
		sorted[GPUBE_ROW_PLACE(start, l->tuples[i * arity + k])] = l->columns[i];
	for (int32_t a = 0; a < domain && !b->status; a++) {
		begin_row(b, GPUBE_EXACTLY, 0);
		for (int64_t i = start[a]; i < start[a + 1]; i++)
			add_entry(b, sorted[i], 1);
		add_literal(b, gpube__scope(b->m, f)[k], a, -1);
		end_row(b);
	}
}

static void add_polytope(struct making *b, int32_t f)
{
	struct gpube_ctx *ctx = b->p->ctx;
	const int arity = b->m->functions[f].arity;
	struct listed l = {0};
	int32_t widest = 0, *sorted = NULL;
	int64_t *start = NULL;

	for (int k = 0; k < arity; k++)
		widest = b->domains[k] > widest ? b->domains[k] : widest;
	list_tuples(b, &l, f);
	if (!b->status) {
		start = gpube__alloc(ctx, (uint64_t)widest + 2, sizeof(*start));
		sorted = gpube__alloc(ctx, (uint64_t)l.n + 1, sizeof(*sorted));
		if (!start || !sorted)
			b->status = GPUBE_ENOMEM;
	}
	for (int k = 0; k < arity && !b->status; k++)
		add_marginals(b, &l, f, k, start, sorted);
	GPUBE_FREE_ALL(ctx, start, sorted, l.tuples, l.columns);
}

static void add_function(struct making *b, int32_t f)
{
	const struct gpube_table *t = gpube__table(b->m, f);
	int64_t n_usual, least = b->survey.min[b->m->functions[f].table], usual;

	for (int k = 0; k < t->arity; k++)
		b->domains[k] = b->m->vars[gpube__scope(b->m, f)[k]].domain;
	usual = gpube__minimised(b->m, gpube__usual_cost(t, &n_usual));
	if (t->arity == 1)
		add_exceptions(b, f, least);
	else if (usual == least && usual != GPUBE_INF && n_usual >= t->n / 2)
		add_exceptions(b, f, usual);
	else
		add_polytope(b, f);
}

/* ---- all of it ------------------------------------------------------------------------------- */

static void add_variable(struct making *b, int32_t var)
{
	const int32_t domain = b->m->vars[var].domain;

	b->first[var] = b->p->n_columns;
	if (domain == 2)
		add_column(b, var, 1, 0);
	for (int32_t a = 0; a < domain && domain > 2; a++)
		add_column(b, var, a, 0);
	if (domain <= 2)
		return;
	begin_row(b, GPUBE_EXACTLY, 1);
	for (int32_t a = 0; a < domain; a++)
		add_literal(b, var, a, 1);
	end_row(b);
}

/* Totals from the top on are forbidden. */
static void add_top(struct making *b)
{
	const int64_t top = gpube__minimised_top(b->m);

	if (top == GPUBE_INF || b->survey.most < top)
		return;
	b->p->top_row = b->p->n_rows;
	begin_row(b, GPUBE_AT_MOST, top - 1);
	for (int32_t k = 0; k < b->p->n_columns && !b->status; k++)
		if (b->p->cost[k])
			add_entry(b, k, b->p->cost[k]);
	end_row(b);
}

int gpube__mip_init(struct gpube_mip *p, const struct gpube_model *m)
{
	struct making b = {.p = p, .m = m};
	int32_t widest = 0;

	*p = (struct gpube_mip){.ctx = m->ctx, .m = m, .top_row = -1};
	for (int32_t f = 0; f < m->n_functions; f++)
		widest = m->functions[f].arity > widest ? m->functions[f].arity : widest;
	b.status = gpube__survey_init(&b.survey, m);
	if (b.status)
		return b.status;
	b.first = gpube__alloc(m->ctx, (uint64_t)m->n_vars + 1, sizeof(*b.first));
	b.domains = gpube__alloc(m->ctx, 2 * (uint64_t)widest + 1, sizeof(*b.domains));
	if (!b.first || !b.domains)
		b.status = GPUBE_ENOMEM;
	b.tuple = b.domains ? b.domains + widest : NULL;
	add_column(&b, -1, 0, gpube__minimised(m, m->constant));
	for (int32_t i = 0; i < m->n_vars && !b.status; i++)
		add_variable(&b, i);
	for (int32_t f = 0; f < m->n_functions && !b.status; f++) {
		if (gpube__stopped(m->ctx))
			b.status = gpube__fail_stopped(m->ctx);
		else
			add_function(&b, f);
	}
	add_top(&b);
	gpube__free(m->ctx, b.first);
	gpube__free(m->ctx, b.domains);
	gpube__survey_clear(&b.survey, m->ctx);
	if (b.status)
		gpube__mip_clear(p);
	return b.status;
}

void gpube__mip_clear(struct gpube_mip *p)
{
	GPUBE_FREE_ALL(
		p->ctx, p->var, p->value, p->cost, p->sense, p->rhs, p->at, p->column, p->factor);
	*p = (struct gpube_mip){0};
}
