/*
 * chain_tree.c - a spanning tree, each variable the parent of its own position, over hidden depths.
 *
 * Depth i is 0 if variable i is its own parent, and one more than its parent's otherwise: a ring of
 * parents has no depths, and a tree has one choice of them. The number of roots is counted by a
 * chain.
 */
#include "gpube/globals/chain.h"

/* Most variables: their pairs' tables have n^2 tuples each. */
enum { MOST = 64 };

static __int128 step_root(struct gpube_machine *m, int64_t *state, int k, int32_t value)
{
	if (value != m->reads[k])
		return 0;
	return state[0]++ == 0 ? 0 : GPUBE_FORBID;
}

static __int128 end_root(struct gpube_machine *m, const int64_t *state)
{
	(void)m;
	return state[0] == 1 ? 0 : GPUBE_FORBID;
}

static int one_root(bool *fits, struct gpube_call *call)
{
	int32_t reads[MOST], domains[MOST];
	const struct gpube_eval e = {.call = call, .arity = call->arity, .domains = domains};
	int64_t start = 0;
	struct gpube_machine m = {.call = call,
		.eval = &e,
		.n = call->arity,
		.reads = reads,
		.width = 1,
		.start = &start,
		.sign = 1,
		.step = step_root,
		.end = end_root};

	for (int k = 0; k < call->arity; k++) {
		reads[k] = k;
		domains[k] = call->m->vars[call->scope[k]].domain;
	}
	return gpube__chain(fits, &m);
}

/* If variable i has parent j, its depth is one more: forbids all others. i = j: a root's is 0. */
static int add_depth(struct gpube_call *call, int i, int j, const int32_t *depth)
{
	const int32_t n = call->arity, scope[] = {call->scope[i], depth[i], depth[j]};
	const int arity = i == j ? 2 : 3;
	struct gpube_ctx *ctx = call->sink.ctx;
	struct gpube_table t = {.sparse = true, .arity = arity, .type = GPUBE_INT8};
	const int64_t most = i == j ? n : (int64_t)n * n;
	int8_t *values;

	if (gpube__charge_cells(&call->sink, most, call->function_name))
		return gpube__sink_status(&call->sink);
	t.values = values = gpube__alloc(ctx, (uint64_t)most, sizeof(*values));
	t.tuples = gpube__alloc(ctx, (uint64_t)most * (uint64_t)arity, sizeof(*t.tuples));
	if (!t.values || !t.tuples) {
		gpube__free(ctx, t.values);
		gpube__free(ctx, t.tuples);
		return GPUBE_ENOMEM;
	}
	for (int32_t a = 0; a < n; a++)
		for (int32_t b = 0; b < (i == j ? 1 : n); b++) {
			int32_t *tuple = t.tuples + t.n * arity;

			if (a == (i == j ? 0 : b + 1))
				continue;
			tuple[0] = j;
			tuple[1] = a;
			if (i != j)
				tuple[2] = b;
			values[t.n++] = (int8_t)gpube__forbidden(GPUBE_INT8);
		}
	return gpube__add_table_over(call->m, scope, &t, call->function_name);
}

int gpube__call_depths(bool *fits, struct gpube_call *call)
{
	const int32_t at = call->m->n_functions;
	int32_t depth[MOST];
	int status;

	call->n_hidden = 2 * (int64_t)call->arity - 1;
	call->n_cells = gpube__mul_size(
		(int64_t)call->arity * call->arity, (int64_t)call->arity * call->arity);
	*fits = call->arity <= MOST;
	if (!*fits)
		return GPUBE_OK;
	status = one_root(fits, call);
	for (int i = 0; i < call->arity && !status; i++)
		status = gpube__add_hidden(&depth[i], call, call->arity, at, call->arity + i);
	for (int i = 0; i < call->arity && !status; i++)
		for (int j = 0; j < call->m->vars[call->scope[i]].domain && !status; j++)
			status = add_depth(call, i, j, depth);
	return gpube__sink_pass(&call->sink, status);
}
