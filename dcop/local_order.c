/* local_order.c - the elimination order inside an agent that owns several variables. */
#include <math.h>
#include <string.h>

#include "dcop/plan.h"
#include "gpube/base/bits.h"

/*
 * The agent's variables (rows) and those that they can become adjacent to
 * (columns): the agent's own first, then its separator, one bit each.
 */
struct inside {
	const struct dcop_plan *p;
	int32_t n_own, n_columns, words;
	int32_t *column; /* of each variable of the model, -1: none */
	int32_t *var;    /* of each column */
	uint64_t *rows;
	double *size; /* log2 of the message's cells, per row */
};

static uint64_t *row(const struct inside *in, int32_t r)
{
	return in->rows + (int64_t)r * in->words;
}

static void measure(struct inside *in, int32_t r)
{
	in->size[r] = 0;
	for (int32_t w = 0; w < in->words; w++)
		for (uint64_t bits = row(in, r)[w]; bits; bits &= bits - 1) {
			int32_t c = 64 * w + __builtin_ctzll(bits);

			if (c != r)
				in->size[r] += log2(in->p->m->vars[in->var[c]].domain);
		}
}

/* Makes all variables of a scope that have columns adjacent to its own ones. */
static void join(struct inside *in, const int32_t *scope, int64_t n)
{
	for (int64_t i = 0; i < n; i++) {
		int32_t r = in->column[scope[i]];

		for (int64_t j = 0; r >= 0 && r < in->n_own && j < n; j++) {
			int32_t c = in->column[scope[j]];

			if (c >= 0)
				gpube__bit_put(row(in, r), c);
		}
	}
}

/* The functions that no descendant takes: their variables are the agent's and its ancestors'. */
static void join_functions(struct inside *in, int32_t a)
{
	const struct dcop_plan *p = in->p;
	const int32_t *owner = p->agents->owner;

	for (int32_t f = 0; f < p->m->n_functions; f++) {
		const int32_t *scope = gpube__scope(p->m, f);
		int arity = p->m->functions[f].arity;
		bool here = false, below = false;

		for (int k = 0; k < arity; k++) {
			here |= owner[scope[k]] == a;
			below |= p->tree->depth[owner[scope[k]]] > p->tree->depth[a];
		}
		if (here && !below)
			join(in, scope, arity);
	}
}

static void eliminate_all(struct inside *in, int32_t *vars)
{
	uint64_t *gone = row(in, in->n_own); /* one row more: what is eliminated */

	for (int32_t k = 0; k < in->n_own; k++) {
		int32_t best = -1;

		for (int32_t r = 0; r < in->n_own; r++)
			if (!gpube__bit(gone, r) && (best < 0 || in->size[r] < in->size[best]))
				best = r;
		if (best < 0)
			return; /* not while a row is left */
		gpube__bit_put(gone, best);
		vars[k] = in->var[best];
		for (int32_t r = 0; r < in->n_own; r++) {
			if (gpube__bit(gone, r) || !gpube__bit(row(in, best), r))
				continue;
			for (int32_t w = 0; w < in->words; w++)
				row(in, r)[w] = (row(in, r)[w] | row(in, best)[w]) & ~gone[w];
			measure(in, r);
		}
	}
}

int dcop__local_order(const struct dcop_plan *p, int32_t a, int32_t *vars, int32_t n)
{
	struct gpube_ctx *ctx = p->ctx;
	int64_t n_separator = p->separator_at[a + 1] - p->separator_at[a];
	struct inside in = {.p = p,
		.n_own = n,
		.n_columns = (int32_t)(n + n_separator),
		.words = (int32_t)((n + n_separator + 63) / 64)};
	int status = GPUBE_ENOMEM;

	if (n < 2)
		return GPUBE_OK;
	in.column = gpube__alloc(ctx, (uint64_t)p->m->n_vars, sizeof(*in.column));
	in.var = gpube__alloc(ctx, (uint64_t)in.n_columns, sizeof(*in.var));
	in.rows = gpube__alloc_zero(ctx, (uint64_t)n + 1, (uint64_t)in.words * sizeof(*in.rows));
	in.size = gpube__alloc(ctx, (uint64_t)n, sizeof(*in.size));
	if (!in.column || !in.var || !in.rows || !in.size)
		goto out;
	for (int32_t v = 0; v < p->m->n_vars; v++)
		in.column[v] = -1;
	for (int32_t c = 0; c < in.n_columns; c++) {
		in.var[c] = c < n ? vars[c] : p->separator[p->separator_at[a] + c - n];
		in.column[in.var[c]] = c;
	}
	join_functions(&in, a);
	for (int64_t k = p->child_at[a]; k < p->child_at[a + 1]; k++) {
		int32_t c = p->child[k];

		join(&in, p->separator + p->separator_at[c],
			p->separator_at[c + 1] - p->separator_at[c]);
	}
	for (int32_t r = 0; r < n; r++)
		measure(&in, r);
	eliminate_all(&in, vars);
	status = GPUBE_OK;
out:
	GPUBE_FREE_ALL(ctx, in.column, in.var, in.rows, in.size);
	return status;
}
