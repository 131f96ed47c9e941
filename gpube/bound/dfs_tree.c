/* dfs_tree.c - a search tree's blocks, their bounds, best assignments and open nodes. */
#include "gpube/bound/dfs_tree.h"

#include <math.h>
#include <string.h>

#include "gpube/ir/dense.h"
#include "gpube/relax/scaling.h"
#include "gpube/simplify/symmetry.h"

/* First runs of a block, nodes between looks at the clock, and values that are not halved. */
enum { RESTARTS = 6, PATIENCE = 16, FEW_VALUES = 10 };

/* Of a variable of b->m in m; -1: it is eliminated. */
static int32_t index_of(const struct gpube_dfs_tree *s, int32_t var)
{
	return s->lean ? s->lean->var[var] : var;
}

/* Cells of a table that an eliminated variable leaves. */
enum { SMALL_TABLE = 256 };

/* ---- bounds ------------------------------------------------------------------------------------ */

/* Of k: what it may not cost, for itself and beside the others. */
int64_t gpube__dfs_tree_limit(const struct gpube_dfs_tree *s, const struct gpube_dfs_block *k)
{
	const int64_t beside = s->left - (s->lower - k->lower);

	return k->upper < beside ? k->upper : beside;
}

void gpube__dfs_tree_enter(struct gpube_dfs_tree *s, struct gpube_dfs_block *k)
{
	s->k = k;
	s->others = s->t->constant - k->root;
	gpube__dfs_part(s->t, k->first, k->last, s->others + gpube__dfs_tree_limit(s, k));
	s->t->swept = k->swept;
}

bool gpube__dfs_tree_is_done(const struct gpube_dfs_tree *s)
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
	if (k->closed || lower > gpube__dfs_tree_limit(s, k))
		lower = gpube__dfs_tree_limit(s, k);
	if (lower <= k->lower)
		return;
	s->lower += lower - k->lower;
	k->lower = lower;
	if (!gpube__dfs_tree_is_done(s))
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
	if (s->lean)
		gpube__lean_extend(s->lean, s->whole, s->values);
	status = gpube__bounder_offer(s->b, s->lean ? s->whole : s->values, "search tree");
	s->left = gpube__costs_left(s->m, gpube__tables_limit(s->b));
	return status;
}

int gpube__dfs_tree_offer(struct gpube_dfs_tree *s)
{
	int status;

	if (!take(s, s->k, s->values))
		return GPUBE_OK;
	status = offer_best(s);
	gpube__dfs_part(s->t, s->k->first, s->k->last, s->others + gpube__dfs_tree_limit(s, s->k));
	return status;
}

/* What others have found since; without variables there is one assignment. */
int gpube__dfs_tree_know(struct gpube_dfs_tree *s)
{
	s->left = gpube__costs_left(s->m, gpube__tables_limit(s->b));
	for (int32_t i = 0; i < s->b->m->n_vars; i++)
		if (index_of(s, i) >= 0)
			s->values[index_of(s, i)] = s->b->best[i];
	for (int32_t k = 0; k < s->n_blocks && s->b->upper != GPUBE_INF; k++)
		(void)take(s, &s->blocks[k], s->values);
	return offer_best(s);
}

bool gpube__dfs_tree_is_over(const struct gpube_dfs_tree *s)
{
	return gpube__turn_left(&s->turn) <= 0 || gpube__stopped(s->b->ctx);
}

double gpube__dfs_tree_seconds_left(const struct gpube_dfs_tree *s)
{
	double nodes = 0;

	for (int32_t i = 0; s->t && i < s->n_blocks; i++) {
		const struct gpube_dfs_block *k = &s->blocks[i];
		double left = k->opened ? 0 : k->part_left;

		for (int64_t j = 0; j < k->n_open; j++)
			left += ldexp(1, -(k->open[j].n + k->open[j].turned));
		if (!k->closed)
			nodes += left < 1 ? (double)k->n_looked * left / (1 - left) : INFINITY;
	}
	return s->t && s->n_nodes ? nodes * s->seconds / (double)s->n_nodes : INFINITY;
}

/* ---- open nodes -------------------------------------------------------------------------------- */

static bool before(const void *a, const void *b)
{
	const struct gpube_dfs_open *x = a, *y = b;

	return x->bound < y->bound || (x->bound == y->bound && x->n > y->n);
}

int gpube__dfs_tree_push(struct gpube_dfs_tree *s, struct gpube_dfs_block *k, const struct gpube_dfs_open *open)
{
	if (gpube__grow(s->b->ctx, &k->open, &k->open_capacity, k->n_open + 1, sizeof(*k->open)))
		return GPUBE_ENOMEM;
	if (open->path)
		open->path->users++;
	s->bytes += (int64_t)sizeof(*open);
	k->open[k->n_open++] = *open;
	gpube__heap_push(k->open, k->n_open, sizeof(*k->open), before);
	return GPUBE_OK;
}

struct gpube_dfs_open gpube__dfs_tree_pop(struct gpube_dfs_block *k)
{
	gpube__heap_take(k->open, k->n_open, 0, sizeof(*k->open), before);
	return k->open[--k->n_open];
}

void gpube__dfs_tree_give_back(struct gpube_dfs_tree *s, struct gpube_dfs_path *path)
{
	s->bytes -= (int64_t)sizeof(struct gpube_dfs_open);
	if (!path || --path->users)
		return;
	s->bytes -= path->bytes;
	gpube__free(s->b->ctx, path);
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
				.upper = GPUBE_INF, .sweeping = true, .part_left = 1};
			first += size;
		}
		for (int32_t k = b->m->n_vars - 1; k >= 0; k--) {
			const int32_t i = index_of(s, b->order[k]);

			if (i >= 0)
				order[s->blocks[component[i]].last++] = i;
		}
	}
	gpube__free(b->ctx, component);
	return s->blocks ? GPUBE_OK : GPUBE_ENOMEM;
}

/* Decisions on a path, at most: each variable's values are halved, then one is decided; and a run's replay. */
static uint64_t most_levels(const struct gpube_model *m)
{
	uint64_t most = 2;

	for (int32_t i = 0; i < m->n_vars; i++)
		most += 33 - (uint64_t)__builtin_clz((uint32_t)m->vars[i].domain);
	return most;
}

/* What is another assignment under new names: see symmetry.h. (Variables that are eliminated keep all values.) */
static int leave_out_names(struct gpube_dfs_tree *s)
{
	const struct gpube_model *m = s->b->m;
	int32_t *n_kept = gpube__alloc(s->b->ctx, (uint64_t)m->n_vars, sizeof(*n_kept));
	double bits;
	int status = n_kept ? gpube__find_symmetry(&bits, n_kept, m) : GPUBE_ENOMEM;

	for (int32_t i = 0; i < m->n_vars && !status; i++)
		for (int32_t a = n_kept[i]; index_of(s, i) >= 0 && a < m->vars[i].domain; a++)
			gpube__dfs_remove(s->t, s->t->position[index_of(s, i)], a);
	if (!status && bits > 0)
		gpube__log(s->b->ctx, GPUBE_LOG_DETAIL,
			"search tree: values may change places, of which 2^%.1f times fewer assignments are left", bits);
	gpube__free(s->b->ctx, n_kept);
	return status;
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
	if (!status && s->t)
		status = leave_out_names(s);
	if (status || !s->t)
		return status;
	s->marks = gpube__alloc(b->ctx, most_levels(s->m), sizeof(*s->marks));
	s->values = gpube__alloc_zero(b->ctx, n, sizeof(*s->values));
	s->best = gpube__alloc(b->ctx, n, sizeof(*s->best));
	s->whole = gpube__alloc(b->ctx, (uint64_t)b->m->n_vars, sizeof(*s->whole));
	if (!s->marks || !s->values || !s->best || !s->whole)
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
	gpube__free(ctx, s->whole);
	gpube__free(ctx, s->best);
	gpube__free(ctx, s->steps);
	gpube__dfs_free(s->t);
	gpube__lean_free(ctx, s->lean);
	gpube__free(ctx, s);
}

int gpube__dfs_tree_new(struct gpube_bounder *b)
{
	struct gpube_dfs_tree *s = gpube__alloc_zero(b->ctx, 1, sizeof(*s));
	int status;

	b->tree = s;
	if (!s)
		return GPUBE_ENOMEM;
	s->b = b;
	s->last = -1;
	s->n_restarts = RESTARTS;
	s->patience = PATIENCE;
	s->few_values = FEW_VALUES;
	status = gpube__lean_new(&s->lean, b->tables, SMALL_TABLE);
	if (!status) {
		s->m = s->lean ? s->lean->model : b->tables;
		status = fill(s);
	}
	if (status) { /* a later turn begins anew */
		gpube__dfs_tree_free(s);
		b->tree = NULL;
	}
	return status;
}

bool gpube__bounder_is_dead(const struct gpube_bounder *b, int32_t var, int32_t value)
{
	const struct gpube_dfs *t = b->tree ? b->tree->t : NULL;
	const int32_t i = t ? index_of(b->tree, var) : -1;

	return i >= 0 && t->at[t->position[i]][value] >= t->n_live[t->position[i]];
}
