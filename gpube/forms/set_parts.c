/* set_parts.c - see set_parts.h. */
#include "gpube/forms/set_parts.h"

#include <stdio.h>
#include <string.h>

#define MOST_CELLS ((int64_t)1 << 28) /* of the tables of two variables */

int gpube__set_parts_refuse(const struct gpube__set_parts *p, const char *why, int32_t what)
{
	char text[160];

	snprintf(text, sizeof(text), why, what);
	return gpube__fail(
		p->ctx, GPUBE_EINVAL, "no %s: %s", p->all ? "coalition game" : "auction", text);
}

/* ---- rows ---------------------------------------------------------------------------------- */

enum { MOST_DENSE = 30 }; /* variables of a table that lists what it forbids */

static bool binary(const struct gpube_model *m, int32_t f)
{
	for (int k = 0; k < m->functions[f].arity; k++)
		if (m->vars[gpube__scope(m, f)[k]].domain != 2)
			return false;
	return true;
}

static int n_ones(const struct gpube_table *t, int64_t k)
{
	int n = 0;

	if (!t->sparse)
		return __builtin_popcountll((unsigned long long)k);
	for (int i = 0; i < t->arity; i++)
		n += t->tuples[k * t->arity + i] != 0;
	return n;
}

/*
 * Whether a function over variables of two values allows that at most one of them has the second
 * one, and all that is allowed costs the same, *even: a row of a set packing program, as readers
 * make tables of them.
 */
static bool at_most_one(const struct gpube_model *m, int32_t f, int64_t *even)
{
	const struct gpube_table *t = gpube__table(m, f);
	int64_t n[2] = {0, 0}; /* cells that are held: allowed ones, forbidden ones */
	bool first = true;

	if (!binary(m, f) ||
		t->arity > (t->sparse && t->dflt.i == GPUBE_INF ? INT32_MAX : MOST_DENSE))
		return false;
	if (t->sparse && t->dflt.i != GPUBE_INF) {
		*even = t->dflt.i;
		first = false;
	}
	for (int64_t k = 0; k < t->n; k++) {
		const int64_t cost = gpube__table_int(t, k);

		if ((cost == GPUBE_INF) != (n_ones(t, k) > 1))
			return false;
		n[cost == GPUBE_INF]++;
		if (cost == GPUBE_INF)
			continue;
		if (!first && cost != *even)
			return false;
		*even = cost;
		first = false;
	}
	/* none of those that are to be there, and to be missing, is the default's */
	if (!t->sparse || t->dflt.i == GPUBE_INF)
		return n[0] == (int64_t)t->arity + 1;
	return n[1] == ((int64_t)1 << t->arity) - t->arity - 1;
}

/* ---- parts --------------------------------------------------------------------------------- */

static int check_form(const struct gpube__set_parts *p)
{
	const struct gpube_model *m = p->m;

	if (gpube__check_kind(m, GPUBE__NETWORKS))
		return GPUBE_EINVAL;
	if (m->kind != GPUBE_COSTS)
		return gpube__set_parts_refuse(p, "potentials are multiplied, prices are added", 0);
	if (m->n_vars == 0)
		return gpube__set_parts_refuse(p, "it has no variables", 0);
	for (int32_t v = 0; v < m->n_vars; v++)
		if (m->vars[v].hidden || (m->evidence && m->evidence[v] >= 0))
			return gpube__set_parts_refuse(p,
				m->vars[v].hidden ? "variable %d is not in the file"
						  : "variable %d is observed",
				v);
	for (int32_t f = 0; f < m->n_functions; f++) {
		const int arity = m->functions[f].arity;
		int64_t even;

		if (arity < 1 || (arity > 2 && (p->all || !at_most_one(m, f, &even))))
			return gpube__set_parts_refuse(p,
				"function %d is over neither one variable, for prices, nor two, "
				"for bids that exclude each other, nor does it let at most one of "
				"several bids win",
				f);
	}
	return GPUBE_OK;
}

static int make_parts(struct gpube__set_parts *p)
{
	const struct gpube_model *m = p->m;

	for (int32_t v = 0; v < m->n_vars; v++)
		p->n_parts += m->vars[v].domain - !p->all;
	if ((uint64_t)p->n_parts * 20 > p->ctx->memory_bytes || p->n_parts > INT32_MAX)
		return gpube__fail(p->ctx, GPUBE_ELIMIT, "%lld values pass the memory allowed",
			(long long)p->n_parts);
	p->arrays.ctx = p->ctx;
	p->first = gpube__array(&p->arrays, (uint64_t)m->n_vars + 1, sizeof(*p->first));
	p->parent = gpube__array(&p->arrays, (uint64_t)p->n_parts + 1, sizeof(*p->parent));
	p->set = gpube__array(&p->arrays, (uint64_t)p->n_parts + 1, sizeof(*p->set));
	p->price = gpube__array(&p->arrays, (uint64_t)p->n_parts + 1, sizeof(*p->price));
	if (p->arrays.failed)
		return GPUBE_ENOMEM;
	for (int32_t v = 0; v < m->n_vars; v++)
		p->first[v + 1] = p->first[v] + m->vars[v].domain - !p->all;
	for (int32_t k = 0; k < p->n_parts; k++)
		p->parent[k] = k;
	p->worst = m->constant;
	return GPUBE_OK;
}

static int32_t root_of(struct gpube__set_parts *p, int32_t part)
{
	while (p->parent[part] != part)
		part = p->parent[part] = p->parent[p->parent[part]];
	return part;
}

/* Not to be called for value 0 where that is none. */
static int32_t part_of(const struct gpube__set_parts *p, int32_t v, int32_t a)
{
	return p->first[v] + a - !p->all;
}

/* ---- functions ------------------------------------------------------------------------------- */

static int64_t cell(const struct gpube__set_parts *p, int32_t f, int32_t a, int32_t b)
{
	const int32_t *scope = gpube__scope(p->m, f);
	const int two = p->m->functions[f].arity == 2;
	const int32_t tuple[] = {a, b};
	const int32_t domains[] = {p->m->vars[scope[0]].domain, p->m->vars[scope[two]].domain};
	const struct gpube_table *t = gpube__table(p->m, f);
	const int64_t k = gpube__table_find(t, domains, tuple);

	return k < 0 ? t->dflt.i : gpube__table_int(t, k);
}

/* A price is by how much a total gets better. */
static int take_price(struct gpube__set_parts *p, int64_t *sum, int64_t cost, int64_t none)
{
	const bool gets = p->m->direction == GPUBE_MAXIMISE;
	int64_t price;

	if (*sum == INT64_MIN || cost == GPUBE_INF) {
		*sum = INT64_MIN;
		return GPUBE_OK;
	}
	if ((gets ? __builtin_sub_overflow(cost, none, &price)
		  : __builtin_sub_overflow(none, cost, &price)) ||
		__builtin_add_overflow(*sum, price, sum) || *sum == INT64_MIN)
		return gpube__fail(p->ctx, GPUBE_ERANGE, "a price passes 64 bits");
	return GPUBE_OK;
}

static int take_prices(struct gpube__set_parts *p, int32_t f)
{
	const bool gets = p->m->direction == GPUBE_MAXIMISE;
	const int32_t v = gpube__scope(p->m, f)[0], domain = p->m->vars[v].domain;
	const int64_t none = p->all ? 0 : cell(p, f, 0, 0);
	int64_t worst = gets ? INT64_MAX : INT64_MIN;
	int status = GPUBE_OK;

	for (int32_t a = 0; a < domain && !status; a++) {
		const int64_t cost = cell(p, f, a, 0);

		if (cost == GPUBE_INF && !p->all)
			return gpube__set_parts_refuse(
				p, "function %d forbids a value, where a price should be", f);
		if (cost != GPUBE_INF && (gets ? cost < worst : cost > worst))
			worst = cost;
		if (a > 0 || p->all)
			status = take_price(p, &p->price[part_of(p, v, a)], cost, none);
	}
	p->worst += worst == INT64_MAX || worst == INT64_MIN ? 0 : worst;
	return status;
}

/* What a table of two variables says of value a of its first one, or of its second one. */
struct line {
	int n_allowed;
	int32_t allowed; /* the last one */
	bool needs;
};

static struct line line_of(
	const struct gpube__set_parts *p, int32_t f, int32_t a, int side, int32_t domain)
{
	struct line line = {0};

	for (int32_t b = 0; b < domain; b++)
		if (cell(p, f, side ? b : a, side ? a : b) != GPUBE_INF) {
			line.n_allowed++;
			line.allowed = b;
		}
	return line;
}

/* Two coalitions may look as if they needed each other, for nothing is left beside them. */
static bool names_differ(
	const struct gpube_variable *v, int32_t a, const struct gpube_variable *w, int32_t b)
{
	return v->value_names && w->value_names &&
	       strcmp(v->value_names[a], w->value_names[b]) != 0;
}

/*
 * Which values need one of the other variable: those that go with it alone, as it does with them.
 * Of bids, those that value 0 of the other one excludes have to.
 */
static void find_needs(struct gpube__set_parts *p, int32_t f, struct line *row, struct line *column)
{
	const int32_t *scope = gpube__scope(p->m, f);
	const struct gpube_variable *v = &p->m->vars[scope[0]], *w = &p->m->vars[scope[1]];

	for (int32_t a = 0; a < v->domain; a++)
		row[a] = line_of(p, f, a, 0, w->domain);
	for (int32_t b = 0; b < w->domain; b++)
		column[b] = line_of(p, f, b, 1, v->domain);
	for (int32_t a = !p->all; a < v->domain; a++) {
		const int32_t b = row[a].allowed;
		const bool both = row[a].n_allowed == 1 && column[b].n_allowed == 1;

		if (p->all ? both && !names_differ(v, a, w, b)
			   : both && b > 0 && cell(p, f, a, 0) == GPUBE_INF) {
			row[a].needs = column[b].needs = true;
			p->parent[root_of(p, part_of(p, scope[0], a))] =
				root_of(p, part_of(p, scope[1], b));
		}
	}
}

/* What value 0 of the other variable excludes: -1, or the first value that does not need one. */
static int32_t first_free(const struct gpube__set_parts *p, int32_t f, const struct line *line,
	int32_t domain, int side)
{
	for (int32_t a = 1; a < domain; a++)
		if (!line[a].needs && cell(p, f, side ? 0 : a, side ? a : 0) == GPUBE_INF)
			return a;
	return -1;
}

static int take_value(struct gpube__set_parts *p, int32_t f, int32_t a, const struct line *row,
	const struct line *column, int64_t even)
{
	const int32_t *scope = gpube__scope(p->m, f);
	int status = GPUBE_OK;

	for (int32_t b = 0; b < p->m->vars[scope[1]].domain && !status; b++) {
		const int64_t cost = cell(p, f, a, b);

		if (cost != GPUBE_INF && cost != even)
			return gpube__set_parts_refuse(p, "function %d has costs of pairs", f);
		/* what is forbidden because one needs another is said by that */
		if (cost != GPUBE_INF || row[a].needs || column[b].needs)
			continue;
		if (p->all)
			return gpube__set_parts_refuse(
				p, "function %d forbids values that share no agent", f);
		status = gpube__grow(p->ctx, &p->pair, &p->pair_capacity, 2 * (p->n_pairs + 1),
			sizeof(*p->pair));
		if (status)
			break;
		p->pair[2 * p->n_pairs] = part_of(p, scope[0], a);
		p->pair[2 * p->n_pairs++ + 1] = part_of(p, scope[1], b);
	}
	return status;
}

/* What all pairs cost that are allowed, GPUBE_INF if none is. */
static int64_t even_of(const struct gpube__set_parts *p, int32_t f, const struct line *row)
{
	if (!p->all)
		return cell(p, f, 0, 0);
	for (int32_t a = 0; a < p->m->vars[gpube__scope(p->m, f)[0]].domain; a++)
		if (row[a].n_allowed)
			return cell(p, f, a, row[a].allowed);
	return GPUBE_INF;
}

static int take_pairs(struct gpube__set_parts *p, int32_t f)
{
	const int32_t *scope = gpube__scope(p->m, f);
	const int32_t rows = p->m->vars[scope[0]].domain, columns = p->m->vars[scope[1]].domain;
	struct line *row;
	int64_t even;
	int status;

	p->n_cells += (int64_t)rows * columns;
	if (p->n_cells > MOST_CELLS)
		return gpube__fail(p->ctx, GPUBE_ELIMIT, "tables of more than %lld cells",
			(long long)MOST_CELLS);
	/* of which any may exclude each other */
	if ((uint64_t)p->n_cells > p->ctx->memory_bytes / (4 * sizeof(*p->pair)))
		return gpube__fail(p->ctx, GPUBE_ELIMIT, "pairs of bids pass the memory allowed");
	if (!p->all && cell(p, f, 0, 0) == GPUBE_INF)
		return gpube__set_parts_refuse(
			p, "function %d forbids that neither variable wins", f);
	row = gpube__alloc(p->ctx, (uint64_t)rows + (uint64_t)columns, sizeof(*row));
	if (!row)
		return GPUBE_ENOMEM;
	find_needs(p, f, row, row + rows);
	even = even_of(p, f, row);
	status = !p->all && (first_free(p, f, row, rows, 0) > 0 ||
				    first_free(p, f, row + rows, columns, 1) > 0)
			 ? gpube__set_parts_refuse(
				   p, "function %d lets a value need others that do not need it", f)
			 : GPUBE_OK;
	for (int32_t a = 0; a < rows && !status; a++)
		status = gpube__stopped(p->ctx) ? gpube__fail_stopped(p->ctx)
						: take_value(p, f, a, row, row + rows, even);
	gpube__free(p->ctx, row);
	p->worst += even == GPUBE_INF ? 0 : even;
	return status;
}

static int take_functions(struct gpube__set_parts *p)
{
	const struct gpube_model *m = p->m;
	int status = GPUBE_OK;

	for (int32_t f = 0; f < m->n_functions && !status; f++) {
		int64_t even = 0;

		if (m->functions[f].arity <= 2)
			status = m->functions[f].arity == 1 ? take_prices(p, f) : take_pairs(p, f);
		else if (at_most_one(m, f, &even)) /* it is, by check_form() */
			p->worst += even;
	}
	if (!status && gpube__reaches_top(m, p->worst))
		status = gpube__set_parts_refuse(p,
			p->all ? "its bound may forbid structures"
			       : "its bound may forbid bids that do not exclude each other",
			0);
	return status;
}

/* The trees of parts, numbered as they come: where a variable is a bid, the bid has its number. */
static int make_sets(struct gpube__set_parts *p)
{
	int status = GPUBE_OK;

	for (int32_t k = 0; k < p->n_parts; k++)
		p->set[k] = -1;
	for (int32_t k = 0; k < p->n_parts; k++) {
		int32_t *of_root = &p->set[root_of(p, k)];

		if (*of_root < 0)
			*of_root = p->n_sets++;
	}
	p->sum = gpube__array(&p->arrays, (uint64_t)p->n_sets + 1, sizeof(*p->sum));
	if (!p->sum)
		return GPUBE_ENOMEM;
	for (int32_t k = 0; k < p->n_parts && !status; k++) {
		int64_t *sum;

		p->set[k] = p->set[root_of(p, k)];
		sum = &p->sum[p->set[k]];
		if (*sum == INT64_MIN || p->price[k] == INT64_MIN)
			*sum = INT64_MIN;
		else if (__builtin_add_overflow(*sum, p->price[k], sum) || *sum == INT64_MIN)
			status = gpube__fail(p->ctx, GPUBE_ERANGE, "a price passes 64 bits");
	}
	return status;
}

int gpube__set_parts_init(struct gpube__set_parts *p, const struct gpube_model *m, bool all)
{
	int status;

	*p = (struct gpube__set_parts){.m = m, .ctx = m->ctx, .all = all};
	status = check_form(p);
	if (!status)
		status = make_parts(p);
	if (!status)
		status = take_functions(p);
	return status ? status : make_sets(p);
}

void gpube__set_parts_clear(struct gpube__set_parts *p)
{
	gpube__arrays_clear(&p->arrays);
	gpube__free(p->ctx, p->pair);
	*p = (struct gpube__set_parts){.ctx = p->ctx};
}
