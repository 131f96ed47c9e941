/*
 * daoopt.c - what daoopt takes in: elimination orders (.ord) and mini-bucket tables
 * (.mb). See formats.h.
 *
 * .mb, little-endian, compressed if the name ends in .gz (daoopt reads both):
 *
 *   u64 N + 1, i32 i-bound, f64 log10 of the upper bound
 *   for each bucket: u64 functions; for each: i32 id, u64 arity, i32 scope …
 *   (ascending), u64 cells, f64 log10 of its values …
 *   for each bucket: u64 n, u64 indices … of the functions that pass over it
 *
 * Functions are counted in the order in which they stand there. Buckets are those
 * of the N variables that are left when the observed ones and those of one
 * value are taken out, and last that of daoopt's dummy root.
 */
#include <stdlib.h>
#include <string.h>

#include "formats/uai/daoopt.h"
#include "formats/io/io.h"
#include "gpube/base/rows.h"
#include "gpube/ir/graph.h"

int gpube__write_daoopt_order(const struct gpube_model *m, const char *path, const int32_t *order)
{
	struct gpube_out out;
	int status;

	if (!m || !path || !order)
		return gpube__missing(m ? m->ctx : NULL);
	status = gpube__check_kind(m, GPUBE__NETWORKS);
	if (!status)
		status = gpube__check_permutation(m->ctx, order, m->n_vars);
	if (!status)
		status = gpube__out_open(&out, m->ctx, path);
	if (status)
		return status;
	gpube__out_printf(&out, "%d\n", m->n_vars);
	for (int32_t k = 0; k < m->n_vars; k++)
		gpube__out_printf(&out, "%d\n", order[k]);
	return gpube__out_close(&out, true);
}

/* ---- mini-buckets ------------------------------------------------------------------------ */

struct writer {
	const struct gpube_model *m;
	const struct gpube_minibuckets *b;
	struct gpube_out *out;
	int32_t *renamed;        /* by variable: its bucket, -1 if it is taken out */
	int32_t n;               /* buckets without the root's */
	int64_t *first, *listed; /* the functions of bucket k: listed[first[k]] on */
	int64_t *number;         /* by function: its place in the file */
};

static void put(struct gpube_out *out, uint64_t v, int n)
{
	char bytes[8];

	for (int k = 0; k < n; k++)
		bytes[k] = (char)(v >> 8 * k & 0xff);
	gpube__out_bytes(out, bytes, (size_t)n);
}

static void put_real(struct gpube_out *out, double v)
{
	uint64_t bits;

	memcpy(&bits, &v, sizeof(bits));
	put(out, bits, 8);
}

/* The bucket of a variable, -1 is the root; -1 as a result: there is none. */
static int32_t bucket_of(const struct writer *w, int32_t var)
{
	if (var == -1)
		return w->n;
	return var < 0 || var >= w->m->n_vars ? -1 : w->renamed[var];
}

static int refuse(const struct writer *w, int64_t f, const char *why)
{
	return gpube__fail(
		w->m->ctx, GPUBE_EINVAL, "mini-bucket function %lld: %s", (long long)f, why);
}

static int check_function(const struct writer *w, int64_t f)
{
	const struct gpube_minibucket_function *g = &w->b->functions[f];

	if (bucket_of(w, g->bucket) < 0)
		return refuse(w, f, "its bucket is that of no variable that is left");
	if (g->arity < 0 || g->n_over < 0 || (g->arity && !g->scope) || (g->n_over && !g->over) ||
		!g->log10_values)
		return refuse(w, f, "a part of it is missing");
	for (int k = 0; k < g->arity; k++) {
		if (g->scope[k] < 0 || bucket_of(w, g->scope[k]) < 0)
			return refuse(w, f, "it has a variable that is observed or has one value");
		if (k && g->scope[k] <= g->scope[k - 1])
			return refuse(w, f, "its scope is not ascending");
	}
	if (gpube__cells(w->m, g->arity, g->scope) != g->n)
		return refuse(w, f, "its table has another size than its scope");
	for (int k = 0; k < g->n_over; k++)
		if (bucket_of(w, g->over[k]) < 0)
			return refuse(
				w, f, "it passes over the bucket of no variable that is left");
	return GPUBE_OK;
}

/* Sorts the functions by bucket, each bucket's in the given order. */
static int list_functions(struct writer *w)
{
	struct gpube_ctx *ctx = w->m->ctx;
	int64_t n = w->b->n_functions;

	w->renamed = gpube__alloc(ctx, (uint64_t)w->m->n_vars, sizeof(*w->renamed));
	w->first = gpube__alloc_zero(ctx, (uint64_t)w->m->n_vars + 3, sizeof(*w->first));
	w->listed = gpube__alloc(ctx, 2 * (uint64_t)n + 1, sizeof(*w->listed));
	if (!w->renamed || !w->first || !w->listed)
		return GPUBE_ENOMEM;
	w->number = w->listed + n;
	for (int32_t i = 0; i < w->m->n_vars; i++) {
		bool out = w->m->vars[i].domain == 1 || (w->m->evidence && w->m->evidence[i] >= 0);

		w->renamed[i] = out ? -1 : w->n++;
	}
	for (int64_t f = 0; f < n; f++) {
		if (check_function(w, f))
			return GPUBE_EINVAL;
		GPUBE_ROW_COUNT(w->first, bucket_of(w, w->b->functions[f].bucket));
	}
	GPUBE_ROWS_BEGIN(w->first, w->n + 1);
	for (int64_t f = 0; f < n; f++) {
		int64_t at = GPUBE_ROW_PLACE(w->first, bucket_of(w, w->b->functions[f].bucket));

		w->listed[at] = f;
		w->number[f] = at;
	}
	return GPUBE_OK;
}

static void write_function(const struct writer *w, const struct gpube_minibucket_function *g)
{
	put(w->out, (uint32_t)g->id, 4);
	put(w->out, (uint64_t)g->arity, 8);
	for (int k = 0; k < g->arity; k++)
		put(w->out, (uint32_t)w->renamed[g->scope[k]], 4);
	put(w->out, (uint64_t)g->n, 8);
	for (int64_t c = 0; c < g->n; c++)
		put_real(w->out, g->log10_values[c]);
}

/* Which functions pass over each bucket: counted, then listed, as above. */
static int write_passing(const struct writer *w)
{
	int64_t *first = gpube__alloc_zero(w->m->ctx, (uint64_t)w->n + 3, sizeof(*first)), *listed;
	int64_t n_functions = w->b->n_functions;

	if (!first)
		return GPUBE_ENOMEM;
	for (int64_t f = 0; f < n_functions; f++)
		for (int k = 0; k < w->b->functions[f].n_over; k++)
			GPUBE_ROW_COUNT(first, bucket_of(w, w->b->functions[f].over[k]));
	GPUBE_ROWS_BEGIN(first, w->n + 1);
	listed = gpube__alloc(w->m->ctx, (uint64_t)first[w->n + 2] + 1, sizeof(*listed));
	if (!listed) {
		gpube__free(w->m->ctx, first);
		return GPUBE_ENOMEM;
	}
	for (int64_t at = 0; at < n_functions; at++) {
		const struct gpube_minibucket_function *g = &w->b->functions[w->listed[at]];

		for (int k = 0; k < g->n_over; k++)
			listed[GPUBE_ROW_PLACE(first, bucket_of(w, g->over[k]))] = at;
	}
	for (int32_t k = 0; k <= w->n; k++) {
		put(w->out, (uint64_t)(first[k + 1] - first[k]), 8);
		for (int64_t at = first[k]; at < first[k + 1]; at++)
			put(w->out, (uint64_t)listed[at], 8);
	}
	gpube__free(w->m->ctx, first);
	gpube__free(w->m->ctx, listed);
	return GPUBE_OK;
}

static int write_file(const struct writer *w)
{
	put(w->out, (uint64_t)w->n + 1, 8);
	put(w->out, (uint32_t)w->b->ibound, 4);
	put_real(w->out, w->b->log10_upper);
	for (int32_t k = 0; k <= w->n; k++) {
		put(w->out, (uint64_t)(w->first[k + 1] - w->first[k]), 8);
		for (int64_t at = w->first[k]; at < w->first[k + 1]; at++)
			write_function(w, &w->b->functions[w->listed[at]]);
	}
	return write_passing(w);
}

int gpube__write_minibuckets(
	const struct gpube_model *m, const char *path, const struct gpube_minibuckets *b)
{
	struct writer w = {.m = m, .b = b};
	struct gpube_out out;
	int status, closed;

	if (!m || !path || !b || (b->n_functions && !b->functions))
		return gpube__missing(m ? m->ctx : NULL);
	status = gpube__check_kind(m, GPUBE__NETWORKS);
	if (!status)
		status = gpube__check_choice(m->ctx, "n_functions", b->n_functions, INT64_MAX / 16);
	if (!status)
		status = list_functions(&w);
	if (!status) {
		status = gpube__out_open(&out, m->ctx, path);
		if (!status) {
			w.out = &out;
			status = write_file(&w);
			closed = gpube__out_close(&out, status == GPUBE_OK);
			status = status ? status : closed;
		}
	}
	GPUBE_FREE_ALL(m->ctx, w.renamed, w.first, w.listed);
	return status;
}
