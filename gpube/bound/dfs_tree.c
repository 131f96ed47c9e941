/* dfs_tree.c - the search tree as a method: its blocks, their bounds and best assignments: see dfs_tree.h. */
#include "gpube/bound/dfs_tree.h"

#include <string.h>

#include "gpube/ir/dense.h"
#include "gpube/relax/scaling.h"

/* Sweeps at the root: at least, where nothing is shifted yet, at most, and a part of the time. */
enum { LEAST_SWEEPS = 9, MOST_SWEEPS = 400 };
/* First runs of a block, and nodes between looks at the clock. */
enum { RESTARTS = 6, PATIENCE = 16 };
#define SWEEPING 0.3

/* ---- bounds ------------------------------------------------------------------------------------ */

/* Of k: what it may not cost, for itself and beside the others. */
static int64_t limit_of(const struct gpube_dfs_tree *s, const struct gpube_dfs_block *k)
{
	const int64_t beside = s->left - (s->lower - k->lower);

	return k->upper < beside ? k->upper : beside;
}

void gpube__dfs_tree_enter(struct gpube_dfs_tree *s, struct gpube_dfs_block *k)
{
	s->k = k;
	s->others = s->t->constant - k->root;
	gpube__dfs_part(s->t, k->first, k->last, s->others + limit_of(s, k));
	s->t->swept = k->swept;
}

static bool is_done(const struct gpube_dfs_tree *s)
{
	return s->lower >= s->left;
}

void gpube__dfs_tree_leave(struct gpube_dfs_tree *s)
{
	struct gpube_dfs_block *k = s->k;
	int64_t lower;

	k->swept = s->t->swept;
	k->root = s->t->constant - s->others;
	lower = k->root;
	if (k->n_open && k->open[0].bound > lower)
		lower = k->open[0].bound;
	k->closed |= s->t->conflict || (k->opened && !k->n_open);
	if (k->closed || lower > limit_of(s, k))
		lower = limit_of(s, k);
	if (lower <= k->lower)
		return;
	s->lower += lower - k->lower;
	k->lower = lower;
	if (!is_done(s))
		gpube__bounder_raise(s->b,
			gpube__tables_bound(s->b, gpube__constant_of(s->m) + s->lower), "search tree");
}

/* ---- assignments ---------------------------------------------------------------------------------- */

/* What a block costs at an assignment; GPUBE_INF: it is forbidden. */
static int64_t block_cost(const struct gpube_dfs_tree *s, const struct gpube_dfs_block *k, const int32_t *values)
{
	const struct gpube_dfs *t = s->t;
	int64_t sum = 0;

	for (int32_t p = k->first; p < k->last; p++)
		for (int32_t i = t->of_at[p]; i < t->of_at[p + 1]; i++) {
			int64_t cost;

			if (t->of[i] % GPUBE__DFS_ARITY) /* counted at its first variable */
				continue;
			cost = gpube__function_cost(
				s->m, t->functions[t->of[i] / GPUBE__DFS_ARITY].function, values);
			if (cost == GPUBE_INF)
				return GPUBE_INF;
			sum += cost;
		}
	return sum;
}

/* Keeps the block's part of an assignment, if it is better. */
static bool take(struct gpube_dfs_tree *s, struct gpube_dfs_block *k, const int32_t *values)
{
	int64_t cost = block_cost(s, k, values);

	if (cost >= k->upper)
		return false;
	k->upper = cost;
	for (int32_t p = k->first; p < k->last; p++)
		s->best[p] = values[s->t->order[p]];
	return true;
}

/* The best of each block together, where each has one. */
static int offer_best(struct gpube_dfs_tree *s)
{
	int status;

	for (int32_t k = 0; k < s->n_blocks; k++)
		if (s->blocks[k].upper == GPUBE_INF)
			return GPUBE_OK;
	for (int32_t p = 0; p < s->t->n; p++)
		s->values[s->t->order[p]] = s->best[p];
	status = gpube__bounder_offer(s->b, s->values, "search tree");
	s->left = gpube__costs_left(s->m, gpube__tables_limit(s->b));
	return status;
}

int gpube__dfs_tree_offer(struct gpube_dfs_tree *s)
{
	int status;

	if (!take(s, s->k, s->values))
		return GPUBE_OK;
	status = offer_best(s);
	gpube__dfs_part(s->t, s->k->first, s->k->last, s->others + limit_of(s, s->k));
	return status;
}

/* What others have found since; without variables there is one assignment. */
static int take_known(struct gpube_dfs_tree *s)
{
	s->left = gpube__costs_left(s->m, gpube__tables_limit(s->b));
	for (int32_t k = 0; k < s->n_blocks && s->b->upper != GPUBE_INF; k++)
		(void)take(s, &s->blocks[k], s->b->best);
	return offer_best(s);
}

/* ---- the search ------------------------------------------------------------------------------------ */

static int sweep_block(struct gpube_dfs_tree *s, struct gpube_dfs_block *k, int pass)
{
	const int64_t before = k->root;
	const int least = s->m == s->b->m ? LEAST_SWEEPS : 2; /* what was shifted before is */
	int status;

	gpube__dfs_tree_enter(s, k);
	status = s->t->conflict ? GPUBE_OK : gpube__dfs_sweep(s->t, pass % 2);
	gpube__dfs_tree_leave(s);
	k->sweeping = !k->closed && (pass < least || k->root - before >= (limit_of(s, k) - k->root) / 10000);
	return status;
}

/* Costs shifted at the root until it brings no more, or for so long; and what follows from that. */
static int sweep(struct gpube_dfs_tree *s, double seconds)
{
	const double start = gpube__now();
	bool any = true;
	int status = GPUBE_OK;

	s->swept = true;
	for (int pass = 0; pass < MOST_SWEEPS && any; pass++) {
		any = false;
		for (int32_t k = 0; k < s->n_blocks && !status && !is_done(s); k++)
			if (s->blocks[k].sweeping && !s->blocks[k].closed) {
				status = sweep_block(s, &s->blocks[k], pass);
				any |= s->blocks[k].sweeping;
			}
		if (status || is_done(s) || gpube__now() - start > seconds || gpube__stopped(s->b->ctx))
			break;
	}
	for (int32_t k = 0; k < s->n_blocks && !status && !is_done(s); k++) {
		gpube__dfs_tree_enter(s, &s->blocks[k]);
		s->t->conflict |= s->blocks[k].closed; /* then its changes are forgotten */
		for (int32_t p = s->t->first; p < s->t->last && !s->t->conflict; p++)
			gpube__dfs_touch(s->t, p);
		status = gpube__dfs_propagate(s->t);
		gpube__dfs_tree_leave(s);
	}
	return status;
}

/* Each open block in turn, one run; one of them in any case. */
static int search(struct gpube_dfs_tree *s)
{
	int status = GPUBE_OK;

	while (!status && !is_done(s)) {
		s->next = s->next < s->n_blocks ? s->next : 0;
		if (!s->blocks[s->next].closed) {
			status = gpube__dfs_tree_run(s, &s->blocks[s->next]);
			if (gpube__dfs_tree_is_over(s))
				break;
		}
		s->next++;
	}
	return status;
}

/* ---- making one ------------------------------------------------------------------------------------- */

/*
 * Positions block by block. Costs wander towards the variables that elimination has last: the other way
 * round pedigree38 took more than four times as many nodes, or_chain_161 as well.
 */
static int make_order(struct gpube_dfs_tree *s, int32_t *order)
{
	const struct gpube_bounder *b = s->b;
	const int32_t n = s->m->n_vars;
	int32_t *component = gpube__alloc(b->ctx, (uint64_t)n, sizeof(*component));

	if (!component)
		return GPUBE_ENOMEM;
	s->n_blocks = gpube__model_components(s->m, component);
	s->blocks = gpube__alloc_zero(b->ctx, (uint64_t)s->n_blocks, sizeof(*s->blocks));
	if (s->blocks) {
		int32_t first = 0;

		for (int32_t i = 0; i < n; i++)
			s->blocks[component[i]].last++;
		for (int32_t k = 0; k < s->n_blocks; k++) {
			struct gpube_dfs_block *block = &s->blocks[k];
			int32_t size = block->last;

			*block = (struct gpube_dfs_block){.first = first, .last = first,
				.upper = GPUBE_INF, .sweeping = true};
			first += size;
		}
		for (int32_t k = n - 1; k >= 0; k--)
			order[s->blocks[component[b->order[k]]].last++] = b->order[k];
	}
	gpube__free(b->ctx, component);
	return s->blocks ? GPUBE_OK : GPUBE_ENOMEM;
}

static int fill(struct gpube_dfs_tree *s)
{
	struct gpube_bounder *b = s->b;
	const uint64_t n = (uint64_t)s->m->n_vars;
	int32_t *order = gpube__alloc(b->ctx, n, sizeof(*order));
	int status = order ? make_order(s, order) : GPUBE_ENOMEM;

	if (!status)
		status = gpube__dfs_new(&s->t, s->m, order, gpube__tables_limit(b));
	gpube__free(b->ctx, order);
	if (status || !s->t)
		return status;
	s->marks = gpube__alloc(b->ctx, n + 2, sizeof(*s->marks));
	s->values = gpube__alloc_zero(b->ctx, n, sizeof(*s->values));
	s->best = gpube__alloc(b->ctx, n, sizeof(*s->best));
	if (!s->marks || !s->values || !s->best)
		return GPUBE_ENOMEM;
	for (int32_t p = 0; p < s->t->n; p++)
		s->best[p] = -1;
	return GPUBE_OK;
}

void gpube__dfs_tree_free(struct gpube_dfs_tree *s)
{
	struct gpube_ctx *ctx;

	if (!s)
		return;
	ctx = s->b->ctx;
	for (int32_t k = 0; s->blocks && k < s->n_blocks; k++) {
		struct gpube_dfs_block *block = &s->blocks[k];

		while (block->n_open)
			gpube__dfs_tree_give_back(s, block->open[--block->n_open].path);
		gpube__free(ctx, block->open);
	}
	gpube__free(ctx, s->blocks);
	gpube__free(ctx, s->marks);
	gpube__free(ctx, s->values);
	gpube__free(ctx, s->best);
	gpube__free(ctx, s->steps);
	gpube__dfs_free(s->t);
	gpube__free(ctx, s);
}

int gpube__dfs_tree_new(struct gpube_bounder *b)
{
	struct gpube_dfs_tree *s = gpube__alloc_zero(b->ctx, 1, sizeof(*s));

	b->tree = s;
	if (!s)
		return GPUBE_ENOMEM;
	s->b = b;
	s->m = b->tables;
	s->last = -1;
	s->n_restarts = RESTARTS;
	s->patience = PATIENCE;
	return fill(s);
}

bool gpube__bounder_is_dead(const struct gpube_bounder *b, int32_t var, int32_t value)
{
	const struct gpube_dfs *t = b->tree ? b->tree->t : NULL;
	int32_t p = t ? t->position[var] : 0;

	return t && t->at[p][value] >= t->n_live[p];
}

int gpube__bound_dfs(struct gpube_bounder *b, double seconds)
{
	const double start = gpube__now();
	int status = b->tree ? GPUBE_OK : gpube__dfs_tree_new(b);
	struct gpube_dfs_tree *s = b->tree;
	int64_t n_open = 0;

	if (!status && !s->t)
		gpube__log(b->ctx, b->opts->method == GPUBE_BOUND_TREE ? GPUBE_LOG_NOTE : GPUBE_LOG_DETAIL,
			"search tree: none, functions or costs are too large for it");
	if (status || !s->t)
		return status;
	s->end = start + seconds;
	status = take_known(s);
	if (!status && !s->swept)
		status = sweep(s, SWEEPING * seconds);
	if (!status)
		status = search(s);
	if (status)
		return status;
	for (int32_t k = 0; k < s->n_blocks; k++)
		n_open += s->blocks[k].n_open;
	gpube__log(b->ctx, GPUBE_LOG_DETAIL, "search tree: %lld nodes in %.3f s, %d blocks, %lld nodes open%s",
		(long long)s->n_nodes, gpube__now() - start, s->n_blocks, (long long)n_open,
		is_done(s) ? ", all of it" : "");
	if (is_done(s))
		gpube__bounder_raise(b, b->limit, "search tree");
	return GPUBE_OK;
}
