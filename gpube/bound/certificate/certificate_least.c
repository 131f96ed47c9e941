/*
 * certificate_least.c - the checker's second half: what the blocks of a certificate add up to at
 * least, at the least leaf of its tree. See certificate.h.
 *
 * The tree is walked with one copy of the tables: what a node has done is undone on the way back.
 */
#include <string.h>

#include "gpube/base/rows.h"
#include "gpube/bound/certificate/certificate.h"

/*
 * Assignments of a block that are tried, and cells that are added up from one look to the next
 * whether that is to stop.
 */
#define MOST_TRIED ((int64_t)1 << 32)
#define STOP_CELLS ((int64_t)1 << 20)

/* A node on the way to where the walk is; the second of its children, or the first. */
struct step {
	int32_t node, first_move;
	bool second;
};

struct walk {
	const struct gpube_certificate *c;
	int64_t **values;    /* of each table, as they are now */
	int64_t *at;         /* of each variable: where its values begin in 'gone' */
	int32_t *gone;       /* of each value: 0, or one more than the step that took it away */
	int32_t *block_of;   /* of each table */
	int32_t *of, *of_at; /* blocks of each variable: of[of_at[i]] …, one more than once */
	bool *stale;         /* of each block: its least total is to be found again */
	__int128 *least;
	struct step *path;
	int64_t path_capacity;
	int32_t n_path;
	int64_t n_cells; /* since the last look */
};

/* ---- a block -------------------------------------------------------------------------------- */

/* The variables of a block's tables, ascending; -1: too many. */
static int block_scope(const struct gpube_certificate *c, int32_t block, int32_t *scope)
{
	int n = 0;

	for (int32_t t = c->first[block]; t < c->first[block + 1]; t++)
		for (int k = 0; k < c->tables[t].arity; k++) {
			int32_t var = c->tables[t].scope[k];
			int at = 0, j;

			while (at < n && scope[at] < var)
				at++;
			if (at < n && scope[at] == var)
				continue;
			if (n == GPUBE__PROOF_DIMS)
				return -1;
			for (j = n++; j > at; j--)
				scope[j] = scope[j - 1];
			scope[at] = var;
		}
	return n;
}

int gpube__certificate_check_block(const struct gpube_certificate *c, int32_t block)
{
	int32_t scope[GPUBE__PROOF_DIMS];
	const int n = block_scope(c, block, scope);
	int64_t tried = n < 0 ? -1 : 1;

	for (int k = 0; k < n && tried >= 0; k++)
		tried = gpube__mul_size(tried, c->domain[scope[k]]);
	return tried >= 0 && tried <= MOST_TRIED
		       ? GPUBE_OK
		       : gpube__fail(c->ctx, GPUBE_ELIMIT,
				 "a block of the certificate is too large: %d variables and 2^32 "
				 "assignments of them are all that it may have",
				 GPUBE__PROOF_DIMS);
}

/* How far the cell of a table goes with each variable of its block. */
static void find_steps(int64_t *step, const struct gpube_certificate *c,
	const struct gpube_proof_table *t, int n, const int32_t *scope)
{
	int64_t stride = 1;

	for (int j = t->arity - 1; j >= 0; stride *= c->domain[t->scope[j--]])
		for (int k = 0; k < n; k++)
			if (scope[k] == t->scope[j])
				step[k] = stride;
}

/*
 * The least total of n_tables tables over n variables, n_live[k] of whose values are tried: those
 * of live[k].
 */
static int try_all(__int128 *least, struct walk *w, int32_t block, int n, int32_t *const *live,
	const int32_t *n_live, int64_t *at, const int64_t *step)
{
	const int32_t first = w->c->first[block], n_tables = w->c->first[block + 1] - first;
	int32_t index[GPUBE__PROOF_DIMS] = {0};
	int k;

	for (int32_t t = 0; t < n_tables; t++)
		for (k = 0; k < n; k++)
			at[t] += step[t * GPUBE__PROOF_DIMS + k] * live[k][0];
	*least = (__int128)1 << 120; /* above any: tables are at most 2^31, of 63 bits */
	do {
		__int128 sum = 0;

		w->n_cells += n_tables + 1;
		if (w->n_cells >= STOP_CELLS && gpube__stopped(w->c->ctx))
			return gpube__fail_stopped(w->c->ctx);
		w->n_cells %= STOP_CELLS;
		for (int32_t t = 0; t < n_tables; t++)
			sum += w->values[first + t][at[t]];
		*least = sum < *least ? sum : *least;
		for (k = n - 1; k >= 0; k--) {
			const int32_t old = live[k][index[k]];
			const bool more = ++index[k] < n_live[k];

			index[k] = more ? index[k] : 0;
			for (int32_t t = 0; t < n_tables; t++)
				at[t] +=
					step[t * GPUBE__PROOF_DIMS + k] * (live[k][index[k]] - old);
			if (more)
				break;
		}
	} while (k >= 0);
	return GPUBE_OK;
}

/* The least total of a block's tables, by trying all values of its variables that are left. */
static int least_of(__int128 *least, struct walk *w, int32_t block)
{
	const struct gpube_certificate *c = w->c;
	const int32_t n_tables = c->first[block + 1] - c->first[block];
	int32_t scope[GPUBE__PROOF_DIMS], n_live[GPUBE__PROOF_DIMS], *live[GPUBE__PROOF_DIMS],
		*room;
	const int n = block_scope(c, block, scope);
	int64_t *at, tried = n < 0 ? -1 : 1, n_values = 0;
	int status = GPUBE_ENOMEM;

	for (int k = 0; k < n; k++) {
		n_live[k] = 0;
		for (int32_t a = 0; a < c->domain[scope[k]]; a++)
			n_live[k] += !w->gone[w->at[scope[k]] + a];
		n_values += n_live[k];
		tried = tried < 0 ? tried : gpube__mul_size(tried, n_live[k]);
	}
	if (tried < 0 || tried > MOST_TRIED)
		return gpube__fail(c->ctx, GPUBE_ELIMIT, "a block of the certificate is too large");
	room = gpube__alloc(c->ctx, (uint64_t)n_values + 1, sizeof(*room));
	at = gpube__alloc_zero(c->ctx, (uint64_t)n_tables * (GPUBE__PROOF_DIMS + 1), sizeof(*at));
	for (int k = 0, v = 0; k < n && room; k++) {
		live[k] = room + v;
		for (int32_t a = 0; a < c->domain[scope[k]]; a++)
			if (!w->gone[w->at[scope[k]] + a])
				room[v++] = a;
	}
	if (room && at) {
		for (int32_t t = 0; t < n_tables; t++)
			find_steps(at + n_tables + (int64_t)t * GPUBE__PROOF_DIMS, c,
				&c->tables[c->first[block] + t], n, scope);
		status = try_all(least, w, block, n, live, n_live, at, at + n_tables);
	}
	gpube__free(c->ctx, room);
	gpube__free(c->ctx, at);
	return status;
}

/* What all blocks add up to now. */
static int total_of(__int128 *total, struct walk *w)
{
	int status = GPUBE_OK;

	*total = 0;
	for (int32_t b = 0; b < w->c->n_blocks && !status; b++) {
		if (w->stale[b])
			status = least_of(&w->least[b], w, b);
		w->stale[b] = status != GPUBE_OK;
		*total += w->least[b];
	}
	return status;
}

/* ---- a node --------------------------------------------------------------------------------- */

/* There, with sign 1, or back, with -1. */
static int make_move(struct walk *w, const struct gpube_proof_move *m, int sign)
{
	const struct gpube_certificate *c = w->c;
	const struct gpube_proof_table *from = &c->tables[m->from], *to = &c->tables[m->to];
	int64_t step[GPUBE__PROOF_DIMS] = {0}, *f = w->values[m->from], *t = w->values[m->to],
		at = 0;
	int32_t index[GPUBE__PROOF_DIMS] = {0};
	bool over = false;

	find_steps(step, c, to, from->arity, from->scope);
	for (int64_t cell = 0; cell < from->n; cell++) {
		over |= sign > 0 ? __builtin_sub_overflow(f[cell], m->values[at], &f[cell])
				 : __builtin_add_overflow(f[cell], m->values[at], &f[cell]);
		for (int k = from->arity - 1; k >= 0; k--) {
			at += step[k];
			if (++index[k] < c->domain[from->scope[k]])
				break;
			at -= step[k] * index[k];
			index[k] = 0;
		}
	}
	for (int64_t cell = 0; cell < to->n; cell++)
		over |= sign > 0 ? __builtin_add_overflow(t[cell], m->values[cell], &t[cell])
				 : __builtin_sub_overflow(t[cell], m->values[cell], &t[cell]);
	w->stale[w->block_of[m->from]] = w->stale[w->block_of[m->to]] = true;
	w->n_cells += from->n + to->n;
	return over ? gpube__fail(
			      c->ctx, GPUBE_ERANGE, "costs that a certificate moves pass 64 bits")
		    : GPUBE_OK;
}

static void mark_stale(struct walk *w, int32_t var)
{
	for (int32_t k = w->of_at[var]; k < w->of_at[var + 1]; k++)
		w->stale[w->of[k]] = true;
}

/* What the last step leaves of its variable's values: those that are named, or the others. */
static int take_side(struct walk *w)
{
	const struct step *s = &w->path[w->n_path - 1];
	const struct gpube_proof_node *n = &w->c->tree.nodes[s->node];
	int32_t *gone = w->gone + w->at[n->var], k = 0, n_named = 0, n_left = 0;

	for (int32_t a = 0; a < w->c->domain[n->var]; a++) {
		const bool named = k < n->n_values && n->values[k] == a;

		k += named;
		if (gone[a])
			continue;
		n_named += named;
		gone[a] = named == s->second ? w->n_path : 0;
		n_left += !gone[a];
	}
	mark_stale(w, n->var);
	return n_named == n->n_values && n_left
		       ? GPUBE_OK
		       : gpube__fail(w->c->ctx, GPUBE_EINVAL,
				 "the certificate splits values of variable %d that are not left, "
				 "or all of them",
				 n->var);
}

static void give_back(struct walk *w)
{
	const int32_t var = w->c->tree.nodes[w->path[w->n_path - 1].node].var;

	for (int32_t a = 0; a < w->c->domain[var]; a++)
		if (w->gone[w->at[var] + a] == w->n_path)
			w->gone[w->at[var] + a] = 0;
	mark_stale(w, var);
}

/* The moves of a node, then what it leaves for the next one; *least: of all leaves so far. */
static int enter(struct walk *w, __int128 *least, int32_t node, int32_t first_move)
{
	const struct gpube_proof_node *n = &w->c->tree.nodes[node];
	__int128 total;
	int status = GPUBE_OK;

	if (gpube__grow(w->c->ctx, &w->path, &w->path_capacity, (int64_t)w->n_path + 1,
		    sizeof(*w->path)))
		return GPUBE_ENOMEM;
	w->path[w->n_path++] = (struct step){node, first_move, false};
	for (int32_t k = 0; k < n->n_moves && !status; k++)
		status = make_move(w, &w->c->tree.moves[first_move + k], 1);
	if (!status && n->var >= 0)
		return take_side(w);
	if (!status)
		status = total_of(&total, w);
	if (!status && total < *least)
		*least = total;
	return status;
}

/* Back to the last split whose second side is to come, and onto that. */
static int go_back(struct walk *w)
{
	int status = GPUBE_OK;

	while (w->n_path && !status) {
		struct step *s = &w->path[w->n_path - 1];
		const struct gpube_proof_node *n = &w->c->tree.nodes[s->node];

		if (n->var >= 0)
			give_back(w);
		if (n->var >= 0 && !s->second) {
			s->second = true;
			return take_side(w);
		}
		for (int32_t k = n->n_moves - 1; k >= 0 && !status; k--)
			status = make_move(w, &w->c->tree.moves[s->first_move + k], -1);
		w->n_path--;
	}
	return status;
}

static int walk_tree(struct walk *w, __int128 *least)
{
	const struct gpube_proof_tree *t = &w->c->tree;
	int32_t move = 0;
	int status = GPUBE_OK;

	for (int32_t node = 0; node < t->n_nodes && !status; node++) {
		if (node && !w->n_path)
			return gpube__fail(w->c->ctx, GPUBE_EINVAL,
				"the certificate has more nodes than its splits");
		status = enter(w, least, node, move);
		move += t->nodes[node].n_moves;
		if (!status && t->nodes[node].var < 0)
			status = go_back(w);
	}
	if (!status && w->n_path)
		status = gpube__fail(w->c->ctx, GPUBE_EINVAL,
			"a side of a split of the certificate has no node");
	return status;
}

/* ---- the call ------------------------------------------------------------------------------- */

static void list_blocks(struct walk *w)
{
	const struct gpube_certificate *c = w->c;

	for (int32_t b = 0; b < c->n_blocks; b++)
		for (int32_t t = c->first[b]; t < c->first[b + 1]; t++) {
			w->block_of[t] = b;
			for (int k = 0; k < c->tables[t].arity; k++)
				GPUBE_ROW_COUNT(w->of_at, c->tables[t].scope[k]);
		}
	GPUBE_ROWS_BEGIN(w->of_at, c->n_vars);
	for (int32_t t = 0; t < c->n_tables; t++)
		for (int k = 0; k < c->tables[t].arity; k++)
			w->of[GPUBE_ROW_PLACE(w->of_at, c->tables[t].scope[k])] = w->block_of[t];
}

/* A table's numbers: the certificate's own, where nothing moves. */
static int copy_values(struct walk *w)
{
	const struct gpube_certificate *c = w->c;

	for (int32_t t = 0; t < c->n_tables; t++) {
		w->values[t] = c->tables[t].values;
		if (!c->tree.n_moves)
			continue;
		w->values[t] = gpube__alloc(c->ctx, (uint64_t)c->tables[t].n, sizeof(int64_t));
		if (!w->values[t])
			return GPUBE_ENOMEM;
		memcpy(w->values[t], c->tables[t].values, (size_t)c->tables[t].n * sizeof(int64_t));
	}
	return GPUBE_OK;
}

static int prepare(struct walk *w)
{
	const struct gpube_certificate *c = w->c;
	int64_t n_values = 0, n_dims = 0;

	for (int32_t i = 0; i < c->n_vars; i++)
		n_values += c->domain[i];
	for (int32_t t = 0; t < c->n_tables; t++)
		n_dims += c->tables[t].arity;
	w->values = gpube__alloc_zero(c->ctx, (uint64_t)c->n_tables + 1, sizeof(*w->values));
	w->at = gpube__alloc(c->ctx, (uint64_t)c->n_vars + 1, sizeof(*w->at));
	w->gone = gpube__alloc_zero(c->ctx, (uint64_t)n_values + 1, sizeof(*w->gone));
	w->block_of = gpube__alloc(c->ctx, (uint64_t)c->n_tables + 1, sizeof(*w->block_of));
	w->of = gpube__alloc(c->ctx, (uint64_t)n_dims + 1, sizeof(*w->of));
	w->of_at = gpube__alloc_zero(c->ctx, (uint64_t)c->n_vars + 2, sizeof(*w->of_at));
	w->stale = gpube__alloc(c->ctx, (uint64_t)c->n_blocks + 1, sizeof(*w->stale));
	w->least = gpube__alloc(c->ctx, (uint64_t)c->n_blocks + 1, sizeof(*w->least));
	if (!w->values || !w->at || !w->gone || !w->block_of || !w->of || !w->of_at || !w->stale ||
		!w->least)
		return GPUBE_ENOMEM;
	n_values = 0;
	for (int32_t i = 0; i < c->n_vars; n_values += c->domain[i++])
		w->at[i] = n_values;
	memset(w->stale, true, (size_t)c->n_blocks);
	list_blocks(w);
	return copy_values(w);
}

int gpube__certificate_least(__int128 *least, const struct gpube_certificate *c)
{
	struct walk w = {.c = c};
	int status = prepare(&w);

	*least = (__int128)1 << 126;
	if (!status)
		status = c->tree.n_nodes ? walk_tree(&w, least) : total_of(least, &w);
	for (int32_t t = 0; w.values && c->tree.n_moves && t < c->n_tables; t++)
		gpube__free(c->ctx, w.values[t]);
	gpube__free(c->ctx, w.values);
	gpube__free(c->ctx, w.at);
	gpube__free(c->ctx, w.gone);
	gpube__free(c->ctx, w.block_of);
	gpube__free(c->ctx, w.of);
	gpube__free(c->ctx, w.of_at);
	gpube__free(c->ctx, w.stale);
	gpube__free(c->ctx, w.least);
	gpube__free(c->ctx, w.path);
	return status;
}
