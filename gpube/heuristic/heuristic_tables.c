/*
 * heuristic_tables.c - the tables of the bounds of partial assignments: functions and messages. See
 * heuristic.h.
 */
#include <math.h>
#include <string.h>

#include "gpube/base/rows.h"
#include "gpube/options/options.h"
#include "gpube/heuristic/heuristic.h"
#include "gpube/relax/joingraph.h"
#include "gpube/relax/mbe/mbe.h"
#include "gpube/ops/pick.h"
#include "gpube/relax/scaling.h"
#include "gpube/simplify/regrets.h"

/* What an i-bound that was not given may take: joined cells in one pass, and in many. */
#define MBE_CELLS   1e9
#define SHIFT_CELLS 3e7

static int too_large(const struct gpube_heuristic *h)
{
	char bytes[GPUBE_BYTES_TEXT];

	return gpube__fail(h->ctx, GPUBE_ELIMIT,
		"tables of i-bound %d do not fit the memory of %s; %s", h->info.ibound,
		gpube__bytes_text(bytes, (double)h->ctx->memory_bytes),
		h->info.ibound > 1 ? "take a smaller one" : "give more");
}

/* ---- one table ---------------------------------------------------------------------------- */

/* The scope of a table that is made, and how its cells lie; its first variable is the fastest. */
static int add_scope(struct gpube_heuristic_maker *k, struct gpube_htable *t, const int32_t *scope)
{
	struct gpube_heuristic *h = k->h;
	int64_t need = h->n_scopes + t->n_scope, stride = 1;
	int32_t *vars;

	if (gpube__grow(h->ctx, &h->scopes, &h->scopes_capacity, need, sizeof(*h->scopes)) ||
		gpube__grow(h->ctx, &h->vars, &h->vars_capacity, need, sizeof(*h->vars)) ||
		gpube__grow(h->ctx, &h->strides, &h->strides_capacity, need, sizeof(*h->strides)))
		return GPUBE_ENOMEM;
	t->scope_at = h->n_scopes;
	t->to = t->n_scope ? k->at[scope[0]] : h->n;
	vars = h->vars + t->scope_at;
	for (int32_t i = 0; i < t->n_scope; i++) {
		h->scopes[t->scope_at + i] = k->at[scope[i]];
		vars[i] = h->order[k->at[scope[i]]];
	}
	if (t->n_scope)
		qsort(vars, (size_t)t->n_scope, sizeof(*vars), gpube__compare_int32);
	for (int32_t i = 0; i < t->n_scope; i++) {
		int32_t from = i ? t->n_scope - i : 0; /* the first, then from the last on */

		h->strides[t->scope_at + from] = stride;
		stride *= h->live[k->at[scope[from]]];
	}
	h->n_scopes = need;
	return GPUBE_OK;
}

/* Cells from first-slowest to first-fastest, as narrow as they are; GPUBE_INF: dead. */
static int copy_cells(struct gpube_heuristic *h, struct gpube_htable *t, const int64_t *cells)
{
	int64_t first = t->n_scope ? h->live[t->to] : 1, rest = t->cells / first;
	uint64_t bytes = (uint64_t)t->cells * (t->wide ? 8 : 4);

	if (h->info.bytes + (double)bytes > (double)h->ctx->memory_bytes)
		return too_large(h);
	t->values = gpube__alloc(h->ctx, bytes, 1);
	if (!t->values)
		return GPUBE_ENOMEM;
	h->info.bytes += (double)bytes;
	for (int64_t x = 0; x < first; x++)
		for (int64_t r = 0; r < rest; r++) {
			int64_t v = cells[x * rest + r];

			if (t->wide)
				((int64_t *)t->values)[r * first + x] =
					v == GPUBE_INF && !h->far ? GPUBE__H_DEAD : v;
			else
				((int32_t *)t->values)[r * first + x] =
					v == GPUBE_INF ? INT32_MAX : (int32_t)v;
		}
	return GPUBE_OK;
}

/*
 * A table over 'scope', positions of k->order, ascending, the first slowest; one
 * of zeros is left out.
 * from  position of the bucket that sent it, -1: a function
 */
static int add_table(struct gpube_heuristic_maker *k, int32_t from, int32_t n_scope,
	const int32_t *scope, int64_t n_cells, const int64_t *cells)
{
	struct gpube_heuristic *h = k->h;
	struct gpube_htable t = {
		.from = from < 0 ? -1 : k->at[from], .n_scope = n_scope, .cells = n_cells};
	int64_t least = 0, most = 0;
	bool dead = false;
	int status;

	for (int64_t c = 0; c < n_cells; c++) {
		if (cells[c] == GPUBE_INF) {
			dead = true;
			continue;
		}
		least = cells[c] < least ? cells[c] : least;
		most = cells[c] > most ? cells[c] : most;
	}
	if (!dead && !least && !most)
		return GPUBE_OK;
	k->negative += (double)least;
	if (!h->far && (most > GPUBE__H_LIMIT || k->negative < -(double)GPUBE__H_LIMIT / 2))
		return gpube__fail(h->ctx, GPUBE_ERANGE,
			"costs are too large for bounds of partial assignments");
	t.wide = h->far || most >= INT32_MAX || least <= INT32_MIN;
	if (gpube__grow(
		    h->ctx, &h->tables, &h->tables_capacity, (int64_t)h->n_tables + 1, sizeof(t)))
		return GPUBE_ENOMEM;
	status = add_scope(k, &t, scope);
	if (!status)
		status = copy_cells(h, &t, cells);
	if (!status)
		h->tables[h->n_tables++] = t;
	return status;
}

/* ---- functions ---------------------------------------------------------------------------- */

static int add_function(struct gpube_heuristic_maker *k, const int32_t *position, int32_t f)
{
	const struct gpube_model *m = k->m;
	struct gpube_ctx *ctx = m->ctx;
	int arity = m->functions[f].arity;
	const int32_t *scope = gpube__scope(m, f);
	int64_t n = gpube__cells(m, arity, scope), *cells;
	int32_t *sorted;
	int status = GPUBE_ENOMEM;

	if (n < 0 || (double)n * 8 > (double)ctx->memory_bytes)
		return gpube__fail(
			ctx, GPUBE_ELIMIT, "a function of %d variables has too many cells", arity);
	cells = gpube__alloc(ctx, (uint64_t)n, sizeof(*cells));
	sorted = gpube__alloc(ctx, (uint64_t)arity, sizeof(*sorted));
	if (cells && sorted)
		status = gpube__dense(cells, m, f, position);
	if (!status) {
		gpube__sorted_scope(sorted, m, f, position);
		for (int64_t c = 0; c < n; c++)
			cells[c] = cells[c] >= k->h->limit >> k->h->info.shift
					   ? GPUBE_INF
					   : cells[c] << k->h->info.shift;
		status = add_table(k, -1, arity, sorted, n, cells);
	}
	gpube__free(ctx, cells);
	gpube__free(ctx, sorted);
	return status;
}

static int add_functions(struct gpube_heuristic_maker *k)
{
	int32_t n = k->m->n_vars;
	int32_t *position = gpube__alloc(k->h->ctx, (uint64_t)n, sizeof(*position));
	int status = position ? GPUBE_OK : GPUBE_ENOMEM;

	for (int32_t p = 0; p < n && !status; p++)
		position[k->order[p]] = p;
	for (int32_t f = 0; f < k->m->n_functions && !status; f++)
		if (k->m->functions[f].arity > 0)
			status = add_function(k, position, f);
	gpube__free(k->h->ctx, position);
	return status;
}

/* The unit: 'shift' or less, so that 'left' of the model's units stays small enough. */
static int set_unit(struct gpube_heuristic *h, int64_t left, int shift)
{
	shift = shift < 0 ? 0 : shift;
	if (left > GPUBE__H_LIMIT)
		return gpube__fail(h->ctx, GPUBE_ERANGE,
			"costs are too large for bounds of partial assignments");
	while (left > GPUBE__H_LIMIT >> shift)
		shift--;
	h->info.shift = shift;
	h->limit = left << shift;
	return GPUBE_OK;
}

/* ---- mini-buckets --------------------------------------------------------------------------- */

static int plan_mbe(struct gpube_mbe *mbe, const struct gpube_heuristic_maker *k, int ibound,
	enum gpube_partition partition)
{
	return gpube__mbe_init(mbe, k->m, k->order, ibound + 1, INFINITY, partition);
}

/* The bound of one run; INT64_MIN if there can be none: the tables are then refused later, too. */
static int try_partition(
	int64_t *bound, const struct gpube_heuristic_maker *k, enum gpube_partition partition)
{
	struct gpube_mbe mbe;
	double keep, least;
	int status = plan_mbe(&mbe, k, k->h->info.ibound, partition);

	*bound = INT64_MIN;
	if (status)
		return status == GPUBE_ELIMIT ? GPUBE_OK : status;
	gpube__mbe_memory(&keep, &least, &mbe);
	if (least <= (double)k->h->ctx->memory_bytes)
		status = gpube__mbe_run(bound, NULL, &mbe, GPUBE_BACKEND_CPU, k->limit,
			k->opts->heuristic_method == GPUBE_HEURISTIC_SHIFT || !k->opts->no_match,
			NULL);
	gpube__mbe_clear(&mbe);
	return status;
}

/*
 * Neither way to split buckets is better on all models, by far: merging takes
 * log10 364.7 of a 10 x 10 grid at i-bound 8 down to 346.2 (optimum 332.9), on others it loses
 * a little. So both are tried, which costs one run more each.
 */
static int choose_partition(struct gpube_heuristic_maker *k)
{
	int64_t by_scope, by_merging;
	int status;

	k->partition = GPUBE_PARTITION_FIRST;
	if (k->opts->plain_partition == GPUBE_PARTITION_FIRST)
		return GPUBE_OK;
	status = try_partition(&by_scope, k, GPUBE_PARTITION_SCOPE);
	if (!status)
		status = try_partition(&by_merging, k, GPUBE_PARTITION_MERGE);
	if (!status)
		k->partition =
			by_scope > by_merging ? GPUBE_PARTITION_SCOPE : GPUBE_PARTITION_MERGE;
	return status;
}

/* The largest i-bound that takes few seconds and a part of the memory, or the one that is given. */
static int choose_ibound(struct gpube_heuristic_maker *k)
{
	bool shift = k->opts->heuristic_method == GPUBE_HEURISTIC_SHIFT;
	double bytes = (double)k->h->ctx->memory_bytes / 4;
	int status = GPUBE_OK, best = 1;
	bool more = !k->opts->ibound;

	for (int i = 1; more && !status; i++) {
		struct gpube_mbe mbe;
		double keep, least;

		status = plan_mbe(&mbe, k, i, GPUBE_PARTITION_SCOPE);
		if (status)
			break;
		gpube__mbe_memory(&keep, &least, &mbe);
		more = mbe.joined_cells <= (shift ? SHIFT_CELLS : MBE_CELLS) && keep <= bytes;
		if (more)
			best = i;
		more = more && mbe.n_split > 0;
		gpube__mbe_clear(&mbe);
	}
	k->h->info.ibound = k->opts->ibound ? k->opts->ibound : best;
	return status == GPUBE_ELIMIT ? GPUBE_OK : status;
}

static int add_message(struct gpube_heuristic_maker *k, const struct gpube_mbe_run *r, int32_t mini)
{
	const struct gpube_mbe *mbe = r->mbe;
	const struct gpube_mini *from = &mbe->minis[mini];
	struct gpube_ctx *ctx = mbe->ctx;
	int down = r->shift - k->h->info.shift, status;
	int64_t *cells = gpube__alloc(ctx, (uint64_t)from->cells, sizeof(*cells));

	if (!cells)
		return GPUBE_ENOMEM;
	status = r->ops->download(
		ctx, cells, r->messages[mini], (uint64_t)from->cells * gpube__type_size(r->type));
	/* in place, from the end on: a narrow cell never comes after its wide one */
	for (int64_t c = from->cells - 1; c >= 0 && !status; c--) {
		int64_t v = r->type == GPUBE_INT32 ? ((const int32_t *)cells)[c] : cells[c];

		cells[c] = v >= r->cutoff ? GPUBE_INF : v >> down;
	}
	if (!status)
		status = add_table(k, from->position, from->n_scope, mbe->scopes + from->scope_at,
			from->cells, cells);
	gpube__free(ctx, cells);
	return status;
}

static int run_mbe(struct gpube_heuristic_maker *k, const struct gpube_mbe *mbe, int64_t left)
{
	struct gpube_heuristic *h = k->h;
	const struct gpube_ops *ops;
	struct gpube_mbe_run r;
	double keep, least;
	int64_t bound;
	bool settled;
	int status;

	gpube__mbe_memory(&keep, &least, mbe);
	if (least > (double)h->ctx->memory_bytes)
		return too_large(h);
	status = gpube__pick(&ops, h->ctx, k->opts->backend, mbe->joined_cells, least);
	if (!status)
		status = gpube__mbe_run_init(
			&r, mbe, ops, k->limit, !k->opts->no_match, false, &settled, &bound);
	if (status || settled)
		return status;
	h->info.backend = ops->name;
	status = set_unit(h, left, r.shift);
	for (int32_t p = 0; p < mbe->n && !status; p++) {
		if (gpube__stopped(h->ctx)) {
			status = gpube__fail_stopped(h->ctx);
			break;
		}
		status = gpube__mbe_eliminate(&r, p);
		for (int32_t j = mbe->first[p]; j < mbe->first[p + 1] && !status; j++)
			status = add_message(k, &r, j);
		gpube__progress(h->ctx, (double)p / mbe->n, "mini-buckets");
	}
	gpube__mbe_run_clear(&r);
	return status;
}

static int mbe_tables(struct gpube_heuristic_maker *k, int64_t left)
{
	struct gpube_mbe mbe;
	int status = plan_mbe(&mbe, k, k->h->info.ibound, k->partition);

	if (status)
		return status;
	k->h->info.exact = mbe.n_split == 0;
	status = run_mbe(k, &mbe, left);
	gpube__mbe_clear(&mbe);
	return status;
}

/* ---- the join graph ------------------------------------------------------------------ */

/*
 * There and back until a pass brings little; the last is forward, after which
 * every cost that can be is in a message.
 */
static int ascend(struct gpube_joingraph *g, double seconds)
{
	double end = seconds > 0 ? gpube__now() + seconds : INFINITY;
	int64_t before = 0;
	int status = gpube__joingraph_pass(g, false), idle = 0;

	while (!status && g->constant < g->target && idle < 3 && gpube__now() < end) {
		idle = g->constant - before <= g->constant / 2000 ? idle + 1 : 0;
		before = g->constant;
		status = gpube__joingraph_pass(g, true);
		if (!status)
			status = gpube__joingraph_pass(g, false);
	}
	return status;
}

static int add_sent(struct gpube_heuristic_maker *k, const struct gpube_joingraph *g,
	const struct gpube_join *j)
{
	int64_t n = gpube__message_cells(g, j);
	int up = g->shift < 0 ? -g->shift : 0,
	    down = g->shift < 0 ? 0 : g->shift - k->h->info.shift;

	for (int64_t c = 0; c < n; c++)
		if (j->sent[c] == GPUBE__SENT_DEAD)
			j->sent[c] = GPUBE_INF;
		else if (up && llabs(j->sent[c]) > GPUBE__H_LIMIT >> up)
			return gpube__fail(g->ctx, GPUBE_ERANGE,
				"costs are too large for bounds of partial assignments");
		else /* products and floors, of negative costs, too */
			j->sent[c] = j->sent[c] * ((int64_t)1 << up) >> down;
	return add_table(k, j->position, j->n_scope - 1, j->scope + 1, n, j->sent);
}

static int shift_tables(struct gpube_heuristic_maker *k, int64_t left)
{
	struct gpube_heuristic *h = k->h;
	struct gpube_joingraph g;
	bool fits;
	int status = gpube__joingraph_init(&g, k->m, k->order, h->info.ibound + 1,
		(double)h->ctx->memory_bytes / 16, k->partition, k->limit, GPUBE__MOST_SHIFT,
		&fits);

	if (status)
		return status;
	if (!fits)
		return too_large(h);
	h->info.backend = gpube__ops_cpu()->name;
	status = set_unit(h, left, g.shift);
	if (!status)
		status = gpube__joingraph_record(&g);
	if (!status)
		status = ascend(&g, k->opts->shift_seconds);
	h->info.exact = g.shift >= 0 && g.shift == h->info.shift && g.n_joins == g.n;
	for (int32_t j = 0; j < g.n_joins && !status && g.constant < g.target; j++)
		status = add_sent(k, &g, &g.joins[j]);
	if (!status && g.constant >= g.target)
		h->limit = 0;
	gpube__joingraph_clear(&g);
	return status;
}

/* ---- all of them --------------------------------------------------------------------- */

/* Lists the tables by bucket: those in it, and those that it sent. */
static int list_tables(struct gpube_heuristic *h)
{
	uint64_t n = (uint64_t)h->n + 3, n_tables = (uint64_t)h->n_tables;

	h->in_first = gpube__alloc_zero(h->ctx, n, sizeof(*h->in_first));
	h->out_first = gpube__alloc_zero(h->ctx, n, sizeof(*h->out_first));
	h->in = gpube__alloc(h->ctx, n_tables, sizeof(*h->in));
	h->out = gpube__alloc(h->ctx, n_tables, sizeof(*h->out));
	if (!h->in_first || !h->out_first || !h->in || !h->out)
		return GPUBE_ENOMEM;
	for (int32_t t = 0; t < h->n_tables; t++) {
		GPUBE_ROW_COUNT(h->in_first, h->tables[t].to);
		if (h->tables[t].from >= 0)
			GPUBE_ROW_COUNT(h->out_first, h->tables[t].from);
	}
	GPUBE_ROWS_BEGIN(h->in_first, h->n + 1);
	GPUBE_ROWS_BEGIN(h->out_first, h->n + 1);
	for (int32_t t = 0; t < h->n_tables; t++) {
		h->in[GPUBE_ROW_PLACE(h->in_first, h->tables[t].to)] = t;
		if (h->tables[t].from >= 0)
			h->out[GPUBE_ROW_PLACE(h->out_first, h->tables[t].from)] = t;
	}
	return GPUBE_OK;
}

int gpube__heuristic_tables(struct gpube_heuristic_maker *k)
{
	struct gpube_heuristic *h = k->h;
	int64_t left = gpube__costs_left(k->m, k->limit);
	int status = GPUBE_OK;

	h->constant = gpube__constant_of(k->m);
	h->info.backend = gpube__ops_cpu()->name;
	if (left > 0 && k->opts->heuristic_method == GPUBE_HEURISTIC_COSTS) {
		status = set_unit(h, left, 0);
	} else if (left > 0) {
		status = choose_ibound(k);
		if (!status)
			status = choose_partition(k);
		if (!status)
			status = k->opts->heuristic_method == GPUBE_HEURISTIC_SHIFT
					 ? shift_tables(k, left)
					 : mbe_tables(k, left);
	}
	h->info.exact |= h->limit == 0; /* nothing is left below the limit */
	if (!status && h->limit > 0)
		status = add_functions(k);
	if (!status)
		status = list_tables(h);
	for (int32_t t = 0; t < h->n_tables && !status; t++)
		if (h->tables[t].to == h->n) {
			int64_t v = h->tables[t].wide ? *(const int64_t *)h->tables[t].values
						      : *(const int32_t *)h->tables[t].values;

			h->root = v >= (h->tables[t].wide ? GPUBE__H_DEAD : INT32_MAX) ||
						  h->root + v >= h->limit
					  ? h->limit
					  : h->root + v;
		}
	return status;
}

int gpube__heuristic_far_tables(struct gpube_heuristic_maker *k, bool feasible)
{
	struct gpube_heuristic *h = k->h;
	__int128 left = GPUBE_INF, most = 0;
	int status = feasible ? gpube__greatest_total(&most, k->m) : GPUBE_OK;

	h->constant = k->m->constant;
	h->info.backend = gpube__ops_cpu()->name;
	h->info.exact = true;
	h->far = true;
	if (k->limit != GPUBE_INF)
		left = (__int128)k->limit - h->constant;
	if (!status && left >= GPUBE_INF &&
		(most - h->constant >= GPUBE_INF || (k->limit == GPUBE_INF && most >= GPUBE_INF)))
		status = gpube__fail(h->ctx, GPUBE_ERANGE,
			"costs are too large for bounds of partial assignments: totals are 2^63 "
			"apart, or pass it");
	h->limit = !feasible ? 0 : left < GPUBE_INF ? (int64_t)left : GPUBE_INF;
	if (!status && h->limit > 0)
		status = add_functions(k);
	return status ? status : list_tables(h);
}
