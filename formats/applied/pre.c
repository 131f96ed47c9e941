/*
 * pre.c - toulbar2's .pre: a pedigree with the genotypes of a locus, some of which may be wrong.
 *
 *   locus individual father mother sex allele allele       a line each; 0: unknown
 *
 * Of several loci (or, as in LINKAGE's files, families) in the first column, and of several pairs
 * of alleles in a line, each is a pedigree of its own: the model has all, and their errors add up.
 * Then a variable is called after the individual, the first column, and the pair: X12_1_3.
 *
 * A variable is the genotype, a pair of alleles, of an individual that has one in the file, or a
 * descendant that has. A child has an allele of its father and one of its mother. A genotype other
 * than the file's costs 1, so that the optimum is the least number of errors; one with a negative
 * allele is certain. Variables are in the order in which the file names the individuals.
 */
#include <stdio.h>
#include <stdlib.h>

#include "formats/common/reading.h"
#include "formats/common/registry.h"

/* Most cells of the table of a child and its parents, which all share: 22 alleles. */
#define MOST_CELLS ((int64_t)1 << 24)

/* id, father, mother: of the file, 0: none. allele: of the file, then numbers from 1. */
struct row {
	int64_t locus, pair, id, father, mother, allele[2], line;
	bool certain;
};

/* Everybody whom the file names. */
struct person {
	int64_t id, named; /* named: when, so that they can be put into that order */
	int32_t row;       /* -1: none */
	int32_t var;       /* -1: of no variable */
	bool informative;
};

struct pedigree {
	struct gpube_model *m;
	struct gpube_in *in;
	bool several;           /* loci */
	struct row *rows;       /* of a locus */
	struct person *persons; /* by id */
	int64_t *alleles;       /* rising, without 0 */
	int64_t n_rows, n_persons, n_alleles, rows_capacity;
	int32_t domain, tables[2]; /* of one parent, of both; -1: not made yet */
};

/* ---- the file ----------------------------------------------------------------------------- */

static int read_pair(struct pedigree *p, struct row *r)
{
	struct gpube_in *in = p->in;

	r->certain = false;
	for (int k = 0; k < 2; k++) {
		if (gpube__in_int(in, &r->allele[k], -INT32_MAX, INT32_MAX, "an allele"))
			return in->status;
		r->certain = r->certain || r->allele[k] < 0;
		r->allele[k] = llabs(r->allele[k]);
	}
	if (gpube__grow(in->ctx, &p->rows, &p->rows_capacity, p->n_rows + 1, sizeof(*r)))
		return in->status = GPUBE_ENOMEM;
	p->rows[p->n_rows++] = *r;
	r->pair++;
	return GPUBE_OK;
}

static int read_line(struct pedigree *p, int64_t *n_pairs)
{
	struct gpube_in *in = p->in;
	struct row r = {0};
	int64_t sex;

	if (gpube__in_int(in, &r.locus, INT32_MIN, INT32_MAX, "a locus") ||
		gpube__in_int(in, &r.id, 1, INT64_MAX - 1, "an individual") ||
		gpube__in_int(in, &r.father, 0, INT64_MAX - 1, "a father") ||
		gpube__in_int(in, &r.mother, 0, INT64_MAX - 1, "a mother") ||
		gpube__in_int(in, &sex, INT32_MIN, INT32_MAX, "a sex"))
		return in->status;
	r.line = in->line;
	if (r.father == r.id || r.mother == r.id || (r.father && r.father == r.mother))
		return gpube__in_error(
			in, "individual %lld has parents that cannot be", (long long)r.id);
	do
		if (read_pair(p, &r))
			return in->status;
	while (!gpube__in_line_ended(in));
	*n_pairs = *n_pairs ? *n_pairs : r.pair;
	p->several = p->several || r.pair > 1 || r.locus != p->rows->locus;
	if (r.pair != *n_pairs)
		return gpube__in_error(in, "%lld pairs of alleles, %lld in the lines before",
			(long long)r.pair, (long long)*n_pairs);
	return GPUBE_OK;
}

static int by_locus(const void *a, const void *b)
{
	const struct row *x = a, *y = b;

	if (x->locus != y->locus)
		return x->locus < y->locus ? -1 : 1;
	if (x->pair != y->pair)
		return x->pair < y->pair ? -1 : 1;
	return (x->line > y->line) - (x->line < y->line);
}

/* ---- who and what there is ---------------------------------------------------------------- */

static int by_id(const void *a, const void *b)
{
	const struct person *x = a, *y = b;

	if (x->id != y->id)
		return x->id < y->id ? -1 : 1;
	return (x->named > y->named) - (x->named < y->named);
}

static int by_value(const void *a, const void *b)
{
	const int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;

	return (x > y) - (x < y);
}

/* NULL for 0. */
static struct person *find_person(const struct pedigree *p, int64_t id)
{
	const int64_t at = gpube__first_from(p->persons, p->n_persons, sizeof(*p->persons), id);

	return at < p->n_persons && p->persons[at].id == id ? &p->persons[at] : NULL;
}

static int find_persons(struct pedigree *p)
{
	struct gpube_ctx *ctx = p->in->ctx;
	int64_t n = 0;

	p->persons = gpube__alloc(ctx, 3 * (uint64_t)p->n_rows + 1, sizeof(*p->persons));
	if (!p->persons)
		return p->in->status = GPUBE_ENOMEM;
	for (int64_t k = 0; k < p->n_rows; k++) {
		const int64_t ids[] = {p->rows[k].id, p->rows[k].father, p->rows[k].mother};

		for (int i = 0; i < 3; i++)
			if (ids[i])
				p->persons[n++] = (struct person){.id = ids[i],
					.named = 3 * k + i,
					.row = i ? -1 : (int32_t)k,
					.var = -1};
	}
	qsort(p->persons, (size_t)n, sizeof(*p->persons), by_id);
	for (int64_t k = 0; k < n; k++) {
		struct person *last = &p->persons[p->n_persons - 1];

		if (p->n_persons && last->id == p->persons[k].id) {
			if (last->row >= 0 && p->persons[k].row >= 0) {
				p->in->line = p->rows[p->persons[k].row].line;
				return gpube__in_error(
					p->in, "individual %lld is twice", (long long)last->id);
			}
			last->row = last->row >= 0 ? last->row : p->persons[k].row;
		} else {
			p->persons[p->n_persons++] = p->persons[k];
		}
	}
	return GPUBE_OK;
}

static int find_alleles(struct pedigree *p)
{
	int64_t n = 0;

	p->alleles = gpube__alloc(p->in->ctx, 2 * (uint64_t)p->n_rows + 1, sizeof(*p->alleles));
	if (!p->alleles)
		return p->in->status = GPUBE_ENOMEM;
	for (int64_t k = 0; k < 2 * p->n_rows; k++)
		if (p->rows[k / 2].allele[k % 2])
			p->alleles[n++] = p->rows[k / 2].allele[k % 2];
	qsort(p->alleles, (size_t)n, sizeof(*p->alleles), by_value);
	for (int64_t k = 0; k < n; k++)
		if (k == 0 || p->alleles[k] != p->alleles[k - 1])
			p->alleles[p->n_alleles++] = p->alleles[k];
	if (p->n_alleles > 1000)
		return gpube__in_fail(p->in, GPUBE_ELIMIT,
			"%lld alleles: at most 22 are read where there are parents",
			(long long)p->n_alleles);
	p->domain = (int32_t)(p->n_alleles * (p->n_alleles + 1) / 2);
	for (int64_t k = 0; k < 2 * p->n_rows; k++) {
		int64_t *a = &p->rows[k / 2].allele[k % 2], number = 0;

		while (*a && p->alleles[number] != *a)
			number++;
		*a = *a ? number + 1 : 0;
	}
	return GPUBE_OK;
}

/* A genotype says something of all ancestors. */
static int find_informative(struct pedigree *p)
{
	int64_t *stack = gpube__alloc(p->in->ctx, (uint64_t)p->n_persons + 1, sizeof(*stack)),
		n = 0;

	if (!stack)
		return p->in->status = GPUBE_ENOMEM;
	for (int64_t k = 0; k < p->n_persons; k++) {
		struct person *x = &p->persons[k];

		if (x->row >= 0 && (p->rows[x->row].allele[0] || p->rows[x->row].allele[1])) {
			x->informative = true;
			stack[n++] = k;
		}
	}
	while (n > 0) {
		const struct person *x = &p->persons[stack[--n]];

		for (int i = 0; i < 2 && x->row >= 0; i++) {
			const struct row *r = &p->rows[x->row];
			struct person *parent = find_person(p, i ? r->mother : r->father);

			if (parent && !parent->informative) {
				parent->informative = true;
				stack[n++] = parent - p->persons;
			}
		}
	}
	gpube__free(p->in->ctx, stack);
	return GPUBE_OK;
}

/* ---- the model ------------------------------------------------------------------------------ */

/* The next pair of alleles i <= j, from 1 to n; begin with {1, 1}. */
static bool next_pair(int64_t pair[2], int64_t n)
{
	if (pair[1]++ < n)
		return true;
	pair[1] = ++pair[0];
	return pair[0] <= n;
}

static int name_genotypes(struct pedigree *p, int32_t var)
{
	struct gpube_variable *v = &p->m->vars[var];
	int64_t pair[] = {1, 1};
	int status = GPUBE_OK;

	for (int32_t a = 0; a < v->domain && !status; a++, next_pair(pair, p->n_alleles)) {
		char name[48];

		snprintf(name, sizeof(name), "%lld|%lld", (long long)p->alleles[pair[0] - 1],
			(long long)p->alleles[pair[1] - 1]);
		status = gpube__name_value(v, p->in, a, name);
	}
	return status;
}

static int by_named(const void *a, const void *b)
{
	const struct person *x = *(struct person *const *)a, *y = *(struct person *const *)b;

	return (x->named > y->named) - (x->named < y->named);
}

static int add_persons(struct pedigree *p)
{
	struct person **order =
		gpube__alloc(p->in->ctx, (uint64_t)p->n_persons + 1, sizeof(struct person *));
	int64_t n = 0;
	int status = order ? GPUBE_OK : (p->in->status = GPUBE_ENOMEM);

	for (int64_t k = 0; k < p->n_persons && !status; k++)
		if (p->persons[k].informative)
			order[n++] = &p->persons[k];
	if (!status)
		qsort(order, (size_t)n, sizeof(struct person *), by_named);
	for (int64_t k = 0; k < n && !status; k++) {
		char name[80];

		snprintf(name, sizeof(name), p->several ? "X%lld_%lld_%lld" : "X%lld",
			(long long)order[k]->id, (long long)p->rows->locus,
			(long long)p->rows->pair + 1);
		status = gpube__add_var(p->m, p->in, &order[k]->var, p->domain, name);
		if (!status)
			status = name_genotypes(p, order[k]->var);
	}
	gpube__free(p->in->ctx, order);
	return status;
}

/* Does the genotype agree with the file's, of which one allele may be unknown? */
static bool agrees(const struct row *r, const int64_t pair[2])
{
	const int64_t *a = r->allele;

	if (a[0] && a[1])
		return (a[0] == pair[0] && a[1] == pair[1]) || (a[0] == pair[1] && a[1] == pair[0]);
	return pair[0] == a[0] + a[1] || pair[1] == a[0] + a[1];
}

static int add_genotype(struct pedigree *p, const struct row *r, int32_t var)
{
	int64_t pair[] = {1, 1}, k = 0, *cost;
	int status;

	if (!r->allele[0] && !r->allele[1])
		return GPUBE_OK;
	if (gpube__charge_expanded(p->in, p->domain, NULL))
		return p->in->status;
	cost = gpube__alloc(p->m->ctx, (uint64_t)p->domain, sizeof(*cost));
	if (!cost)
		return p->in->status = GPUBE_ENOMEM;
	do
		cost[k++] = agrees(r, pair) ? 0 : r->certain ? GPUBE_INF : 1;
	while (next_pair(pair, p->n_alleles));
	status = gpube_model_add_costs(p->m, 1, &var, cost);
	gpube__free(p->m->ctx, cost);
	return p->in->status = status;
}

static bool has(const int64_t pair[2], int64_t allele)
{
	return pair[0] == allele || pair[1] == allele;
}

/* May the child come of these parents? 'mother' is NULL where one parent is known. */
static bool inherits(const int64_t child[2], const int64_t *father, const int64_t *mother)
{
	if (!mother)
		return has(father, child[0]) || has(father, child[1]);
	return (has(father, child[0]) && has(mother, child[1])) ||
	       (has(father, child[1]) && has(mother, child[0]));
}

/* The table of one parent or both and the child, which all functions of the kind share. */
static int make_table(struct pedigree *p, bool both)
{
	const int64_t g = p->domain, cells = both ? g * g * g : g * g;
	int64_t pairs[3][2] = {{1, 1}, {1, 1}, {1, 1}};
	struct gpube_values v = {0};
	int status = GPUBE_OK;

	if (cells > MOST_CELLS)
		return gpube__in_fail(p->in, GPUBE_ELIMIT,
			"%lld alleles: a child and its parents have %lld cells, at most %lld are "
			"made",
			(long long)p->n_alleles, (long long)cells, (long long)MOST_CELLS);
	if (gpube__charge_expanded(p->in, cells, NULL))
		return p->in->status;
	do {
		pairs[1][0] = pairs[1][1] = 1;
		do {
			pairs[2][0] = pairs[2][1] = 1;
			do
				status = gpube__values_push(p->m->ctx, &v,
					inherits(both ? pairs[2] : pairs[1], pairs[0],
						both ? pairs[1] : NULL)
						? 0
						: GPUBE_INF);
			while (!status && both && next_pair(pairs[2], p->n_alleles));
		} while (!status && next_pair(pairs[1], p->n_alleles));
	} while (!status && next_pair(pairs[0], p->n_alleles));
	if (status) {
		gpube__values_clear(p->m->ctx, &v);
		return p->in->status = status;
	}
	return p->in->status = gpube__add_dense(p->m, &p->tables[both], both ? 3 : 2, &v);
}

static int add_parents(struct pedigree *p, const struct row *r, int32_t child)
{
	const struct person *parents[] = {find_person(p, r->father), find_person(p, r->mother)};
	int32_t scope[3];
	int arity = 0;

	for (int k = 0; k < 2; k++)
		if (parents[k])
			scope[arity++] = parents[k]->var;
	if (arity == 0)
		return GPUBE_OK;
	scope[arity++] = child;
	if (p->tables[arity == 3] < 0 && make_table(p, arity == 3))
		return p->in->status;
	if (gpube__charge_expanded(p->in, 0, NULL))
		return p->in->status;
	return p->in->status = gpube__add_function(p->m, arity, scope, p->tables[arity == 3], NULL);
}

static int add_functions(struct pedigree *p)
{
	int status = GPUBE_OK;

	for (int64_t k = 0; k < p->n_rows && !status; k++) {
		const struct person *x = find_person(p, p->rows[k].id);

		if (x->var < 0)
			continue;
		status = add_genotype(p, &p->rows[k], x->var);
		if (!status)
			status = add_parents(p, &p->rows[k], x->var);
	}
	return status;
}

/* The pedigree of one locus, which are its rows. */
static int add_pedigree(struct pedigree p)
{
	int status = find_persons(&p);

	if (!status)
		status = find_alleles(&p);
	if (!status)
		status = find_informative(&p);
	if (!status)
		status = add_persons(&p);
	if (!status)
		status = add_functions(&p);
	gpube__free(p.in->ctx, p.persons);
	gpube__free(p.in->ctx, p.alleles);
	return status;
}

int gpube__pre_read(struct gpube_model *m, struct gpube_in *in)
{
	struct pedigree all = {.m = m, .in = in, .tables = {-1, -1}};
	int64_t n_pairs = 0, n = 0;

	while (!in->status && !gpube__in_at_end(in))
		read_line(&all, &n_pairs);
	if (all.several)
		qsort(all.rows, (size_t)all.n_rows, sizeof(*all.rows), by_locus);
	for (int64_t at = 0; at < all.n_rows && !in->status; at += n) {
		struct pedigree p = all;

		p.rows += at;
		for (n = 1; at + n < all.n_rows && p.rows[n].locus == p.rows->locus &&
			    p.rows[n].pair == p.rows->pair;)
			n++;
		p.n_rows = n;
		in->status = add_pedigree(p);
	}
	gpube__free(in->ctx, all.rows);
	return in->status;
}
