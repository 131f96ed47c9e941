/*
 * wmb.c - weighted mini-buckets: an upper bound of sums whose tables do not fit. See
 * infer_bounds.h.
 *
 * A bucket whose joined table is too large is split. By Hoelder's inequality the sum of a product
 * is at most the product of (sum f^(1/w))^w over parts whose weights w add up to 1; for a variable
 * that is maximised it is the product of maxima. Before that, parts are made to agree on the
 * bucket's variable: costs are shifted between them so that their weighted marginals of it are the
 * same, which changes no product.
 *
 * This is one pass over parts that need not be kept. Passes there and back (wmb_passes.c) gain more
 * for the same size where models are not symmetric. Negative weights would give a lower bound,
 * which is 0 as soon as some potential is; exact sums over part of the assignments are not.
 *
 * Numbers are natural logarithms, since the weights are exponents. Errors are absolute, and never
 * grow by adding up exponentials: what a table is off by at most stands with it, and is added to
 * the bound.
 */
#include "gpube/infer/infer_bounds.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "gpube/infer/wmb/wmb_cells.h"

struct wmb_table {
	int arity;
	int32_t *scope; /* positions, ascending; the last is fastest */
	int64_t n;
	double *v;
	double error, largest; /* of a cell at most; of what is finite */
	int32_t next;          /* in its bucket */
	int part;
};

struct wmb {
	struct gpube__inferring *j;
	struct gpube_ctx *ctx;
	struct wmb_table *tables;
	int32_t n, *first; /* tables of each position's bucket */
	int64_t capacity;
	/* of tables, now and at the worst moment */
	double most_cells, total, error, bytes, most_bytes;
	bool keep, zeros;
};

/* A part of a bucket: its joined table over 'scope', the bucket's variable first. */
struct wmb_part {
	int arity;
	int32_t *scope;
	int64_t n;
	double *v;
	double error, largest;
};

static void table_clear(struct wmb *w, struct wmb_table *t)
{
	w->bytes -= t->v ? (double)t->n * sizeof(*t->v) : 0;
	gpube__free(w->ctx, t->scope);
	gpube__free(w->ctx, t->v);
	t->scope = NULL;
	t->v = NULL;
}

static double *cells_new(struct wmb *w, int64_t n)
{
	double *v = gpube__alloc_zero(w->ctx, (uint64_t)n, sizeof(*v));

	w->bytes += v ? (double)n * sizeof(*v) : 0;
	w->most_bytes = fmax(w->most_bytes, w->bytes);
	return v;
}

static void part_drop(struct wmb *w, struct wmb_part *p)
{
	w->bytes -= p->v ? (double)p->n * sizeof(*p->v) : 0;
	gpube__free(w->ctx, p->v);
	p->v = NULL;
}

/* The table is the pass's from then on, also after a failure. */
static int add(struct wmb *w, struct wmb_table *t)
{
	if (t->arity == 0) {
		w->total += t->v[0];
		w->error += t->error + GPUBE__WMB_UNIT * fabs(w->total);
		table_clear(w, t);
		return GPUBE_OK;
	}
	if (gpube__grow(w->ctx, &w->tables, &w->capacity, (int64_t)w->n + 1, sizeof(*w->tables))) {
		table_clear(w, t);
		return GPUBE_ENOMEM;
	}
	t->next = w->first[t->scope[0]];
	w->first[t->scope[0]] = w->n;
	w->tables[w->n++] = *t;
	return GPUBE_OK;
}

static int load(struct wmb *w, int32_t function)
{
	const struct gpube__inferring *j = w->j;
	struct wmb_table t = {.n = 1};
	struct gpube_visit visit;
	int status = gpube__visit_begin(&visit, j->m, function, &j->possible);

	if (status)
		return status;
	t.scope = gpube__alloc(w->ctx, (uint64_t)visit.n, sizeof(*t.scope));
	status = t.scope ? GPUBE_OK : GPUBE_ENOMEM;
	for (int k = 0; k < visit.n && !status; k++)
		t.scope[t.arity++] = j->position[visit.axis[k].var];
	if (!status)
		qsort(t.scope, (size_t)t.arity, sizeof(*t.scope), gpube__compare_int32);
	for (int a = t.arity - 1; a >= 0; a--)
		for (int k = 0; k < visit.n; k++)
			if (j->position[visit.axis[k].var] == t.scope[a]) {
				visit.axis[k].to = t.n;
				t.n *= visit.axis[k].n;
			}
	if (!status) {
		t.v = cells_new(w, t.n);
		status = t.v ? GPUBE_OK : GPUBE_ENOMEM;
	}
	if (!status)
		do {
			const double v = log(gpube__visit_value(&visit)) + visit.power * log(2);

			t.v[visit.to] = v;
			if (v == -INFINITY)
				w->zeros = true;
			else
				t.largest = fmax(t.largest, fabs(v));
		} while (gpube__visit_step(&visit));
	t.error = GPUBE__WMB_UNIT * t.largest;
	gpube__free(w->ctx, visit.axis);
	if (status) {
		table_clear(w, &t);
		return status;
	}
	return add(w, &t);
}

/* ---- parts --------------------------------------------------------------------------- */

struct item {
	int64_t n;
	int32_t table;
};

static int larger_first(const void *a, const void *b)
{
	const struct item *x = a, *y = b;

	if (x->n != y->n)
		return x->n > y->n ? -1 : 1;
	return (x->table > y->table) - (x->table < y->table);
}

/*
 * Each table joins the part that grows least, if one stays within the cells; the largest go first.
 */
static int part(struct wmb *w, int32_t b, struct wmb_part *parts, int *n_parts, struct item *items)
{
	int32_t *joined = gpube__alloc(w->ctx, (uint64_t)w->j->n, sizeof(*joined));
	int n = 0;

	*n_parts = 0;
	if (!joined)
		return GPUBE_ENOMEM;
	for (int32_t k = w->first[b]; k >= 0; k = w->tables[k].next)
		items[n++] = (struct item){w->tables[k].n, k};
	qsort(items, (size_t)n, sizeof(*items), larger_first);
	for (int i = 0; i < n; i++) {
		struct wmb_table *t = &w->tables[items[i].table];
		struct wmb_part *p;
		double least = INFINITY;

		t->part = -1;
		for (int r = 0; r < *n_parts; r++) {
			const int arity = gpube__wmb_join(
				joined, parts[r].arity, parts[r].scope, t->arity, t->scope);
			const double cells = gpube__wmb_cells(w->j, arity, joined);

			if (cells > w->most_cells ||
				cells / gpube__wmb_cells(w->j, parts[r].arity, parts[r].scope) >=
					least)
				continue;
			least = cells / gpube__wmb_cells(w->j, parts[r].arity, parts[r].scope);
			t->part = r;
		}
		if (t->part < 0) {
			t->part = (*n_parts)++;
			parts[t->part] = (struct wmb_part){
				.scope = gpube__alloc(w->ctx, (uint64_t)w->j->n, sizeof(int32_t))};
		}
		p = &parts[t->part];
		if (!p->scope) {
			gpube__free(w->ctx, joined);
			return GPUBE_ENOMEM;
		}
		p->arity = gpube__wmb_join(joined, p->arity, p->scope, t->arity, t->scope);
		memcpy(p->scope, joined, (size_t)p->arity * sizeof(*joined));
	}
	gpube__free(w->ctx, joined);
	return GPUBE_OK;
}

static int join_part(struct wmb *w, struct wmb_part *p, int r, const struct item *items, int n)
{
	int terms = 0;

	p->n = (int64_t)gpube__wmb_cells(w->j, p->arity, p->scope);
	p->v = cells_new(w, p->n);
	if (!p->v)
		return GPUBE_ENOMEM;
	for (int i = 0; i < n; i++) {
		struct wmb_table *t = &w->tables[items[i].table];

		if (t->part != r)
			continue;
		gpube__wmb_walk(w->j, GPUBE__WMB_ADD_TO_LARGE, p->v, p->arity, p->scope, t->v, NULL,
			t->arity, t->scope);
		p->error += t->error;
		p->largest += t->largest;
		terms++;
		if (!w->keep)
			table_clear(w, t);
	}
	p->error += GPUBE__WMB_UNIT * terms * p->largest;
	return GPUBE_OK;
}

/* ---- shifts -------------------------------------------------------------------------- */

/*
 * cells that a thread does at once; sums are of pieces, so that they do not depend on the threads
 */
enum { PIECE = 1 << 13 };

struct marginal {
	const double *v;
	int64_t n;
	double most, weight, *sums; /* of pieces; the first time their maxima */
	bool summing;
};

static void marginal_piece(void *arg, int64_t piece, int thread)
{
	const struct marginal *m = arg;
	const int64_t from = piece * PIECE, to = from + PIECE < m->n ? from + PIECE : m->n;
	double most = -INFINITY, sum = 0;

	(void)thread;
	for (int64_t i = from; i < to && !m->summing; i++)
		most = m->v[i] > most ? m->v[i] : most;
	for (int64_t i = from; i < to && m->summing; i++)
		sum += exp((m->v[i] - m->most) / m->weight);
	m->sums[piece] = m->summing ? sum : most;
}

static void do_pieces(
	const struct wmb *w, int64_t n, void (*piece)(void *, int64_t, int), void *arg)
{
	if (n == 1)
		piece(arg, 0, 0);
	else
		gpube__parallel(w->ctx, n, piece, arg);
}

/*
 * ln of the sum of v^(1/weight), or the maximum without a weight. 'sums' has room for a double for
 * each piece.
 */
static double marginal_of(
	const struct wmb *w, const double *v, int64_t n, double weight, double *sums)
{
	const int64_t n_pieces = (n + PIECE - 1) / PIECE;
	struct marginal m = {.v = v, .n = n, .most = -INFINITY, .weight = weight, .sums = sums};
	double sum = 0;

	do_pieces(w, n_pieces, marginal_piece, &m);
	for (int64_t i = 0; i < n_pieces; i++)
		m.most = sums[i] > m.most ? sums[i] : m.most;
	if (weight == 0 || m.most == -INFINITY)
		return m.most;
	m.summing = true;
	do_pieces(w, n_pieces, marginal_piece, &m);
	for (int64_t i = 0; i < n_pieces; i++)
		sum += sums[i];
	return m.most / weight + log(sum);
}

/* Room for the sums of pieces of any value's cells. */
static double *pieces_new(
	const struct wmb *w, const struct wmb_part *parts, int n_parts, int32_t domain)
{
	int64_t most = 0;

	for (int r = 0; r < n_parts; r++)
		most = parts[r].n / domain > most ? parts[r].n / domain : most;
	return gpube__alloc(w->ctx, (uint64_t)(most / PIECE + 1), sizeof(double));
}

/*
 * The parts agree on the bucket's variable: a value that one of them excludes is excluded. What is
 * added to one cell is what is taken from others, but for roundings.
 */
static int agree(struct wmb *w, struct wmb_part *parts, int n_parts, int32_t domain, double weight)
{
	double *m = gpube__alloc(w->ctx, (uint64_t)n_parts, sizeof(*m)),
	       *sums = pieces_new(w, parts, n_parts, domain);

	if (!m || !sums) {
		gpube__free(w->ctx, m);
		gpube__free(w->ctx, sums);
		return GPUBE_ENOMEM;
	}
	for (int32_t x = 0; x < domain; x++) {
		double mean = 0, most = 0;

		for (int r = 0; r < n_parts; r++) {
			const int64_t n = parts[r].n / domain;

			m[r] = marginal_of(w, parts[r].v + x * n, n, weight, sums);
			mean += m[r] / n_parts;
		}
		for (int r = 0; r < n_parts; r++) {
			const int64_t n = parts[r].n / domain;
			double shift = weight == 0 ? mean - m[r] : weight * (mean - m[r]);

			if (mean == -INFINITY)
				shift = -INFINITY;
			else
				most = fmax(most, fabs(shift) + (weight == 0 ? 1 : weight) *
									(fabs(mean) + fabs(m[r])));
			for (int64_t i = 0; i < n; i++)
				parts[r].v[x * n + i] += shift;
		}
		for (int r = 0; r < n_parts; r++) {
			parts[r].error = fmax(parts[r].error, 0);
			parts[r].largest += most;
			parts[r].error += GPUBE__WMB_UNIT * 4 * (parts[r].largest + most);
		}
	}
	gpube__free(w->ctx, m);
	gpube__free(w->ctx, sums);
	return GPUBE_OK;
}

/* ---- messages ------------------------------------------------------------------------ */

struct elimination {
	double *to, weight;
	const struct wmb_part *p;
	int32_t domain;
};

static void eliminate_piece(void *arg, int64_t piece, int thread)
{
	const struct elimination *e = arg;
	const struct wmb_part *p = e->p;
	const int64_t n = p->n / e->domain, from = piece * PIECE,
		      to = from + PIECE < n ? from + PIECE : n;

	(void)thread;
	gpube__wmb_sum_out(e->to, from, to, p->v, n, e->domain, e->weight);
}

static int send(struct wmb *w, const struct wmb_part *p, int32_t domain, double weight)
{
	struct wmb_table t = {.arity = p->arity - 1, .n = p->n / domain};
	struct elimination e = {.weight = weight, .p = p, .domain = domain};

	t.scope = gpube__alloc(w->ctx, (uint64_t)t.arity, sizeof(*t.scope));
	t.v = cells_new(w, t.n);
	if (!t.scope || !t.v) {
		table_clear(w, &t);
		return GPUBE_ENOMEM;
	}
	memcpy(t.scope, p->scope + 1, (size_t)t.arity * sizeof(*t.scope));
	e.to = t.v;
	do_pieces(w, (t.n + PIECE - 1) / PIECE, eliminate_piece, &e);
	t.largest = p->largest + log(domain);
	t.error = p->error + GPUBE__WMB_UNIT * (4 * p->largest + domain + 8);
	return add(w, &t);
}

static int bucket(struct wmb *w, int32_t b)
{
	const struct gpube__inferring *j = w->j;
	const int32_t domain = gpube__infer_domain(j, b);
	const bool maximise = j->last && j->last[j->var[b]];
	struct wmb_part *parts = NULL;
	struct item *items = NULL;
	double weight;
	int n = 0, n_parts = 0, status = GPUBE_ENOMEM;

	for (int32_t k = w->first[b]; k >= 0; k = w->tables[k].next)
		n++;
	if (n == 0) {
		if (!maximise)
			w->total += log(domain);
		w->error += GPUBE__WMB_UNIT * (fabs(w->total) + 1);
		return GPUBE_OK;
	}
	parts = gpube__alloc_zero(w->ctx, (uint64_t)n, sizeof(*parts));
	items = gpube__alloc(w->ctx, (uint64_t)n, sizeof(*items));
	if (parts && items)
		status = part(w, b, parts, &n_parts, items);
	weight = maximise ? 0 : 1.0 / (n_parts ? n_parts : 1);
	for (int r = 0; r < n_parts && !status; r++)
		status = join_part(w, &parts[r], r, items, n);
	if (!status && n_parts > 1)
		status = agree(w, parts, n_parts, domain, weight);
	for (int r = 0; r < n_parts && !status; r++) {
		status = send(w, &parts[r], domain, weight);
		part_drop(w, &parts[r]);
	}
	for (int r = 0; parts && r < n; r++) {
		gpube__free(w->ctx, parts[r].scope);
		part_drop(w, &parts[r]);
	}
	gpube__free(w->ctx, parts);
	gpube__free(w->ctx, items);
	return status;
}

/*
 * The values of greatest weight, by the tables of each bucket and those that are fixed, last
 * position first.
 */
static void read_values(const struct wmb *w, int32_t *values)
{
	for (int32_t b = w->j->n - 1; b >= 0; b--) {
		double best = -INFINITY;

		values[b] = 0;
		for (int32_t x = 0; x < gpube__infer_domain(w->j, b); x++) {
			double v = 0;

			for (int32_t k = w->first[b]; k >= 0; k = w->tables[k].next) {
				const struct wmb_table *t = &w->tables[k];
				int64_t at = x;

				for (int i = 1; i < t->arity; i++)
					at = at * gpube__infer_domain(w->j, t->scope[i]) +
					     values[t->scope[i]];
				v += t->v[at];
			}
			if (v > best) {
				best = v;
				values[b] = x;
			}
		}
	}
}

int gpube__wmb(double *log_upper, int32_t *values, struct gpube__inferring *j, double most_cells,
	bool patient)
{
	struct wmb w = {.j = j, .ctx = j->ctx, .most_cells = most_cells, .keep = values != NULL};
	int status = GPUBE_OK;

	w.first = gpube__alloc(w.ctx, (uint64_t)j->n, sizeof(*w.first));
	if (!w.first)
		return GPUBE_ENOMEM;
	for (int32_t b = 0; b < j->n; b++)
		w.first[b] = -1;
	for (int32_t f = 0; f < j->m->n_functions && !status; f++)
		status = load(&w, f);
	for (int32_t b = 0; b < j->n && !status; b++)
		status = patient && gpube__stopped(w.ctx) ? gpube__fail_stopped(w.ctx)
							  : bucket(&w, b);
	if (!status) {
		*log_upper = w.total + w.error;
		j->zeros = w.zeros;
		j->wmb_bytes = w.most_bytes;
	}
	if (!status && values)
		read_values(&w, values);
	for (int32_t k = 0; k < w.n; k++)
		table_clear(&w, &w.tables[k]);
	gpube__free(w.ctx, w.tables);
	gpube__free(w.ctx, w.first);
	return status;
}
