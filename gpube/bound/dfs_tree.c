/* dfs_tree.c - a search tree's blocks, their bounds, best assignments and open nodes. */
#include "gpube/bound/dfs_tree.h"

#include <math.h>

#include "gpube/ir/dense.h"
#include "gpube/relax/scaling.h"
#include "gpube/simplify/symmetry.h"

/*
 * First runs of a block and the nodes of the first one, nodes between checks of the clock, domains
 * that are not halved, and nodes of a run that keeps what it leaves open.
 */
enum { RESTARTS = 14, FIRST_NODES = 256, PATIENCE = 16, FEW_VALUES = 10, SHORTEST = 16 };
/* Seconds of search by one thread: shorter searches do not pay for several. */
#define ALONE 0.01

/* The variable of m for one of b->m; -1: it is eliminated. */
static int32_t index_of(const struct gpube_dfs_tree *s, int32_t var)
{
	return s->lean ? s->lean->var[var] : var;
}

/* Most cells of the table that an eliminated variable leaves. */
enum { SMALL_TABLE = 256 };

/* Nodes after which the speed of several threads is known. */
enum { ENOUGH_NODES = 1024 };
/* The cutoff of a block of which nothing is left: below every bound. */
#define NOTHING (-GPUBE__DFS_MOST)

/* ---- bounds ---------------------------------------------------------------------------------- */

/* The cutoff of block k, for itself and beside the others. */
int64_t gpube__dfs_tree_cutoff(const struct gpube_dfs_tree *s, const struct gpube_dfs_block *k)
{
	const int64_t beside = s->left - (s->lower - k->lower);

	return k->upper < beside ? k->upper : beside;
}

/* Passes the present cutoffs to the threads at work. */
static void publish(struct gpube_dfs_tree *s)
{
	for (int i = 0; i < s->n_at_work; i++) {
		struct gpube_dfs_worker *w = &s->workers[i];

		if (w->k)
			__atomic_store_n(&w->cutoff,
				w->k->closed ? NOTHING : gpube__dfs_tree_cutoff(s, w->k),
				__ATOMIC_RELAXED);
	}
}

void gpube__dfs_tree_come(struct gpube_dfs_worker *w, struct gpube_dfs_block *k)
{
	w->k = k;
	__atomic_store_n(&w->cutoff, gpube__dfs_tree_cutoff(w->s, k), __ATOMIC_RELAXED);
	w->s->n_busy++;
}

void gpube__dfs_tree_enter(struct gpube_dfs_worker *w)
{
	const struct gpube_dfs_block *k = w->k;

	w->others = w->t->constant - w->roots[k - w->s->blocks];
	gpube__dfs_part(
		w->t, k->first, k->last, w->others + __atomic_load_n(&w->cutoff, __ATOMIC_RELAXED));
	w->t->swept = gpube__dfs_worker_is_first(w) ? k->swept : GPUBE__DFS_NOT_SWEPT;
}

bool gpube__dfs_tree_is_awaited(const struct gpube_dfs_tree *s)
{
	const struct gpube_watch *watch = s->b->told.watch;

	return watch && watch->share && !s->guest && !s->is_trial &&
	       s->seconds + gpube__budget_spent(&s->turn) >= watch->share_after;
}

bool gpube__dfs_tree_is_done(const struct gpube_dfs_tree *s)
{
	return __atomic_load_n(&s->lower, __ATOMIC_RELAXED) >=
	       __atomic_load_n(&s->left, __ATOMIC_RELAXED);
}

static void update_lower(struct gpube_dfs_tree *s, int64_t lower)
{
	gpube__bounder_update_lower(
		s->b, gpube__tables_bound(s->b, gpube__constant_of(s->m) + lower), "search tree");
}

/* Needs the lock. Takes a bound of the block; returns whether it is new. */
static bool update_block(struct gpube_dfs_tree *s, struct gpube_dfs_block *k, int64_t lower)
{
	const int64_t cutoff = gpube__dfs_tree_cutoff(s, k);

	if (k->closed || lower > cutoff)
		lower = cutoff;
	if (lower <= k->lower)
		return false;
	__atomic_store_n(&s->lower, s->lower + lower - k->lower, __ATOMIC_RELAXED);
	k->lower = lower;
	return true;
}

/* Needs the lock. A block without open nodes is closed. */
static int64_t least_open(struct gpube_dfs_tree *s, struct gpube_dfs_block *k)
{
	const int64_t least = gpube__frontier_least(&k->open);

	if (least == INT64_MAX) {
		s->torn |= k->opened && !k->closed && k->part != 1;
		k->closed = true;
	}
	return least;
}

void gpube__dfs_tree_leave(struct gpube_dfs_worker *w)
{
	struct gpube_dfs_tree *s = w->s;
	struct gpube_dfs_block *k = w->k;
	const int64_t root = w->t->constant - w->others;
	const bool first = gpube__dfs_worker_is_first(w);
	int64_t lower = root, open;
	bool risen, done;

	pthread_mutex_lock(&s->lock);
	if (first)
		k->swept = w->t->swept;
	w->roots[k - s->blocks] = root;
	w->k = NULL;
	s->n_busy--;
	gpube__frontier_let_go(&k->open, &w->at);
	gpube__frontier_give_back(&k->open, w->ctx, &w->at.node);
	k->part = gpube__part_add(k->part, w->seen);
	w->seen = 0;
	if ((k->opened || k->trying) && !s->guest) {
		open = least_open(s, k);
		lower = open > lower ? open : lower;
	}
	k->closed |= w->t->conflict;
	risen = update_block(s, k, lower);
	publish(s);
	done = gpube__dfs_tree_is_done(s);
	lower = s->lower;
	if (risen && !first)
		__atomic_store_n(&s->news, true, __ATOMIC_RELAXED);
	if (s->n_waiting)
		pthread_cond_broadcast(&s->changed);
	pthread_mutex_unlock(&s->lock);
	if (risen && !done && first)
		update_lower(s, lower);
}

void gpube__dfs_tree_reconsider(struct gpube_dfs_tree *s, struct gpube_dfs_block *k)
{
	int64_t open;

	if (!k->opened || s->guest)
		return;
	open = least_open(s, k);
	if (update_block(s, k, open))
		__atomic_store_n(&s->news, true, __ATOMIC_RELAXED);
	publish(s);
	if (s->n_waiting)
		pthread_cond_broadcast(&s->changed);
}

int gpube__dfs_tree_check(struct gpube_dfs_tree *s)
{
	bool whole = !s->torn;

	pthread_mutex_lock(&s->lock);
	for (int32_t i = 0; i < s->n_blocks; i++) {
		const struct gpube_dfs_block *k = &s->blocks[i];

		whole &= k->closed || !k->opened ||
			 gpube__part_add(k->part, gpube__frontier_rest(&k->open)) == !s->guest;
	}
	pthread_mutex_unlock(&s->lock);
	return whole ? GPUBE_OK
		     : gpube__fail(s->b->ctx, GPUBE_EBUG,
			       "internal error: parts of a search tree do not add up to the "
			       "whole; please report this");
}

/* ---- assignments ----------------------------------------------------------------------------- */

/* The cost of a block with an assignment; GPUBE_INF: it is forbidden. */
static int64_t block_cost(
	const struct gpube_dfs_tree *s, const struct gpube_dfs_block *k, const int32_t *values)
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

int64_t gpube__dfs_tree_price(const struct gpube_dfs_tree *s, const struct gpube_dfs_block *k)
{
	bool known = true;

	for (int32_t p = k->first; p < k->last; p++) {
		known &= s->best[p] >= 0;
		s->values[s->t->order[p]] = s->best[p];
	}
	return known ? block_cost(s, k, s->values) : GPUBE_INF;
}

/* Needs the lock. Keeps the block's part of an assignment of that cost, if it is better. */
static bool take(
	struct gpube_dfs_tree *s, struct gpube_dfs_block *k, const int32_t *values, int64_t cost)
{
	if (cost >= k->upper)
		return false;
	k->upper = cost;
	for (int32_t p = k->first; p < k->last; p++)
		__atomic_store_n(&s->best[p], values[s->t->order[p]], __ATOMIC_RELAXED);
	s->fresh = true;
	s->best_number++;
	publish(s);
	return true;
}

/* Needs the lock. Joins the best assignments of all blocks in s->values, if each has one. */
static bool put_together(struct gpube_dfs_tree *s)
{
	for (int32_t k = 0; k < s->n_blocks; k++)
		if (s->blocks[k].upper == GPUBE_INF)
			return false;
	for (int32_t p = 0; p < s->t->n; p++)
		s->values[s->t->order[p]] = s->best[p];
	return true;
}

/*
 * Takes the present cutoff of the whole. The sum of costs below it is computed only if it has
 * changed.
 */
static void learn_left(struct gpube_dfs_tree *s)
{
	int64_t left;

	if (s->b->cutoff == s->cutoff)
		return;
	s->cutoff = s->b->cutoff;
	left = gpube__costs_left(s->m, gpube__tables_cutoff(s->b));
	pthread_mutex_lock(&s->lock);
	__atomic_store_n(&s->left, left, __ATOMIC_RELAXED);
	publish(s);
	pthread_mutex_unlock(&s->lock);
}

void gpube__dfs_tree_poll_cutoff(struct gpube_dfs_tree *s)
{
	gpube__bounder_poll(s->b);
	learn_left(s);
}

static int report_best(struct gpube_dfs_tree *s)
{
	bool any;
	int status = GPUBE_OK;

	pthread_mutex_lock(&s->lock);
	any = s->fresh && put_together(s);
	s->fresh = false;
	pthread_mutex_unlock(&s->lock);
	if (any && s->lean)
		gpube__lean_extend(s->lean, s->whole, s->values);
	if (any)
		status = gpube__bounder_report_incumbent(
			s->b, s->lean ? s->whole : s->values, "search tree");
	learn_left(s);
	return status;
}

int gpube__dfs_tree_tell(struct gpube_dfs_tree *s)
{
	int64_t lower;
	bool done;
	int status;

	pthread_mutex_lock(&s->lock);
	__atomic_store_n(&s->news, false, __ATOMIC_RELAXED);
	lower = s->lower;
	done = gpube__dfs_tree_is_done(s);
	pthread_mutex_unlock(&s->lock);
	/* the assignment comes before the bound that it proves */
	status = report_best(s);
	if (status)
		return status;
	if (done)
		gpube__bounder_poll(s->b);
	else
		update_lower(s, lower); /* which polls the cutoff, too */
	learn_left(s);
	return GPUBE_OK;
}

void gpube__dfs_tree_learn(struct gpube_dfs_tree *s, const int32_t *values, int64_t *seen)
{
	bool all = true;

	pthread_mutex_lock(&s->lock);
	for (int32_t i = 0; i < s->n_blocks; i++) {
		struct gpube_dfs_block *k = &s->blocks[i];
		const int64_t cost = block_cost(s, k, values);

		all &= take(s, k, values, cost) || cost == k->upper;
	}
	if (all)
		*seen = s->best_number;
	__atomic_store_n(&s->news, true, __ATOMIC_RELAXED);
	if (s->n_waiting)
		pthread_cond_broadcast(&s->changed);
	pthread_mutex_unlock(&s->lock);
}

int gpube__dfs_tree_incumbent(struct gpube_dfs_worker *w)
{
	struct gpube_dfs_tree *s = w->s;
	struct gpube_dfs_block *k = w->k;
	const int64_t cost = block_cost(s, k, w->values);
	bool better;
	int status = GPUBE_OK;

	pthread_mutex_lock(&s->lock);
	better = take(s, k, w->values, cost);
	if (better && !gpube__dfs_worker_is_first(w))
		__atomic_store_n(&s->news, true, __ATOMIC_RELAXED);
	pthread_mutex_unlock(&s->lock);
	if (!better)
		return GPUBE_OK;
	if (gpube__dfs_worker_is_first(w))
		status = report_best(s);
	gpube__dfs_part(
		w->t, k->first, k->last, w->others + __atomic_load_n(&w->cutoff, __ATOMIC_RELAXED));
	return status;
}

void gpube__dfs_tree_take_incumbent(struct gpube_dfs_tree *s)
{
	if (s->b->upper == GPUBE_INF)
		return;
	pthread_mutex_lock(&s->lock);
	for (int32_t i = 0; i < s->b->m->n_vars; i++)
		if (index_of(s, i) >= 0)
			s->values[index_of(s, i)] = s->b->best[i];
	for (int32_t k = 0; k < s->n_blocks; k++)
		(void)take(s, &s->blocks[k], s->values, block_cost(s, &s->blocks[k], s->values));
	pthread_mutex_unlock(&s->lock);
}

/* A tree without variables has one assignment. */
int gpube__dfs_tree_know(struct gpube_dfs_tree *s)
{
	learn_left(s);
	gpube__dfs_tree_take_incumbent(s);
	pthread_mutex_lock(&s->lock);
	s->fresh = true;
	pthread_mutex_unlock(&s->lock);
	return report_best(s);
}

/* Measured with several threads, once these have visited enough nodes. */
static double seconds_per_node(const struct gpube_dfs_tree *s)
{
	return s->n_nodes_together > ENOUGH_NODES
		       ? s->seconds_together / (double)s->n_nodes_together
		       : s->seconds / (double)s->n_nodes;
}

/* Needs the lock. The part of a block's tree that other ranks have. */
static double part_lent(const struct gpube_dfs_block *k)
{
	double part = 0;

	for (const struct gpube_frontier_loan *loan = k->open.loans; loan; loan = loan->next)
		part += gpube__frontier_part_of(&loan->hand.node);
	return part;
}

double gpube__dfs_tree_seconds_left(struct gpube_dfs_tree *s)
{
	double nodes = 0, seconds;
	bool closed = true;

	pthread_mutex_lock(&s->lock);
	for (int32_t i = 0; s->t && i < s->n_blocks; i++) {
		const struct gpube_dfs_block *k = &s->blocks[i];
		const double left = gpube__frontier_part(&k->open) + part_lent(&s->blocks[i]) +
				    (k->opened || k->trying ? 0 : k->part_left);

		closed &= k->closed;
		if (!k->closed)
			nodes += left < 1 ? (double)k->n_searched * left / (1 - left) : INFINITY;
	}
	pthread_mutex_unlock(&s->lock);
	seconds = s->t && s->n_nodes ? nodes * seconds_per_node(s) : INFINITY;
	/* a tree that was kept in its first turn does not know how fast it was */
	return seconds > 0 || closed ? seconds : INFINITY;
}

/* ---- making one ------------------------------------------------------------------------------ */

/*
 * Orders the positions block by block. Costs move towards the variables that elimination has last.
 */
static int make_order(struct gpube_dfs_tree *s, int32_t *order)
{
	const struct gpube_bounder *b = s->b;
	const int32_t n = s->m->n_vars;
	int32_t *component = gpube__alloc(b->ctx, (uint64_t)n, sizeof(*component));

	if (!component)
		return GPUBE_ENOMEM;
	s->n_blocks = gpube__model_components(s->m, component);
	s->blocks = gpube__array(&s->memory, (uint64_t)s->n_blocks, sizeof(*s->blocks));
	if (s->blocks) {
		int32_t first = 0;

		for (int32_t i = 0; i < n; i++)
			s->blocks[component[i]].last++;
		for (int32_t k = 0; k < s->n_blocks; k++) {
			struct gpube_dfs_block *block = &s->blocks[k];
			int32_t size = block->last;

			*block = (struct gpube_dfs_block){.first = first,
				.last = first,
				.upper = GPUBE_INF,
				.sweeping = true,
				.part_left = 1};
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

/*
 * Most decisions on a path: the halvings of each variable and its last decision, and those of a
 * replay.
 */
static uint64_t most_levels(const struct gpube_model *m)
{
	uint64_t most = 2;

	for (int32_t i = 0; i < m->n_vars; i++)
		most += 33 - (uint64_t)__builtin_clz((uint32_t)m->vars[i].domain);
	return most;
}

/* Removes values by symmetry: see symmetry.h. (Eliminated variables keep all values.) */
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
			"search tree: value symmetry leaves 2^%.1f times fewer assignments", bits);
	gpube__free(s->b->ctx, n_kept);
	return status;
}

int gpube__dfs_worker_init(
	struct gpube_dfs_worker *w, struct gpube_dfs_tree *s, struct gpube_ctx *ctx)
{
	w->s = s;
	w->ctx = ctx;
	w->last = -1;
	w->memory.ctx = ctx;
	w->marks = gpube__array(&w->memory, most_levels(s->m), sizeof(*w->marks));
	w->values = gpube__array(&w->memory, (uint64_t)s->m->n_vars, sizeof(*w->values));
	w->roots = gpube__array(&w->memory, (uint64_t)s->n_blocks, sizeof(*w->roots));
	return w->memory.failed ? GPUBE_ENOMEM : GPUBE_OK;
}

void gpube__dfs_worker_clear(struct gpube_dfs_worker *w)
{
	if (!w->s)
		return;
	gpube__dfs_free(w->t);
	gpube__arrays_clear(&w->memory);
	gpube__free(w->ctx, w->steps);
	if (w->ctx == &w->own)
		gpube__ctx_clear(&w->own);
	*w = (struct gpube_dfs_worker){0};
}

/* Whether an order has the variables of each block where another one has them. */
static int has_blocks(
	const struct gpube_dfs_tree *s, const int32_t *order, const int32_t *given, bool *has)
{
	const int32_t n = s->m->n_vars;
	int32_t *block = gpube__alloc(s->b->ctx, (uint64_t)n, sizeof(*block));

	*has = block != NULL;
	for (int32_t k = 0; block && k < s->n_blocks; k++)
		for (int32_t p = s->blocks[k].first; p < s->blocks[k].last; p++)
			block[order[p]] = k;
	for (int32_t k = 0; block && k < s->n_blocks; k++)
		for (int32_t p = s->blocks[k].first; p < s->blocks[k].last; p++) {
			*has &= given[p] >= 0 && given[p] < n && block[given[p]] == k;
			if (*has)
				block[given[p]] = -1; /* not twice */
		}
	gpube__free(s->b->ctx, block);
	return block ? GPUBE_OK : GPUBE_ENOMEM;
}

/* given: an order of its variables, n of them, or NULL; its t is NULL where that is not of m. */
static int fill(struct gpube_dfs_tree *s, const int32_t *given, int32_t n_given)
{
	struct gpube_bounder *b = s->b;
	const uint64_t n = (uint64_t)s->m->n_vars;
	int32_t *order = gpube__alloc(b->ctx, n, sizeof(*order));
	bool fits = !given || n_given == s->m->n_vars;
	int status = order ? make_order(s, order) : GPUBE_ENOMEM;

	if (!status && fits && given)
		status = has_blocks(s, order, given, &fits);
	if (!status && fits)
		status = gpube__dfs_new(&s->t, s->m, given ? given : order, s->made_below);
	gpube__free(b->ctx, order);
	if (!status && s->t && !given)
		status = leave_out_names(s);
	if (status || !s->t)
		return status;
	status = gpube__dfs_worker_init(&s->workers[0], s, b->ctx);
	s->workers[0].t = s->t;
	s->n_workers = s->n_at_work = 1;
	s->values = gpube__array(&s->memory, n, sizeof(*s->values));
	s->best = gpube__array(&s->memory, n, sizeof(*s->best));
	s->whole = gpube__array(&s->memory, (uint64_t)b->m->n_vars, sizeof(*s->whole));
	if (status || s->memory.failed)
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
	if (s->shared) /* nobody else looks at it from now on */
		gpube__bounder_share(s->b, GPUBE__SHARED_TREE, NULL);
	for (int i = s->most_workers - 1; s->workers && i > 0; i--)
		gpube__dfs_worker_clear(&s->workers[i]);
	if (s->workers) {
		s->workers[0].t = NULL;
		gpube__dfs_worker_clear(&s->workers[0]);
	}
	for (int32_t k = 0; s->blocks && k < s->n_blocks; k++)
		gpube__frontier_clear(&s->blocks[k].open, ctx);
	gpube__arrays_clear(&s->memory);
	gpube__dfs_free(s->t);
	gpube__lean_free(ctx, s->lean);
	pthread_cond_destroy(&s->changed);
	pthread_mutex_destroy(&s->lock);
	gpube__free(ctx, s);
}

int gpube__dfs_tree_again(struct gpube_bounder *b, const int32_t *order, int32_t n, int64_t below)
{
	struct gpube_dfs_tree *s = gpube__alloc_zero(b->ctx, 1, sizeof(*s));
	int status;

	b->state.tree = s;
	if (!s)
		return GPUBE_ENOMEM;
	s->b = b;
	s->memory.ctx = b->ctx;
	pthread_mutex_init(&s->lock, NULL);
	pthread_cond_init(&s->changed, NULL);
	s->cutoff = INT64_MIN; /* not known yet */
	s->joined = b->order_cost.joined_cells;
	s->made_below = below;
	s->alone = ALONE;
	s->most_workers = b->ctx->n_threads;
	s->n_restarts = RESTARTS;
	s->first_nodes = FIRST_NODES;
	s->patience = PATIENCE;
	s->shortest = SHORTEST;
	s->few_values = FEW_VALUES;
	if (b->told.watch && b->told.watch->share && b->told.watch->share_after <= 0)
		s->first_nodes = s->shortest = 1; /* tests share any tree */
	s->workers = gpube__array(&s->memory, (uint64_t)s->most_workers, sizeof(*s->workers));
	status = s->workers ? GPUBE_OK : GPUBE_ENOMEM;
	if (!status)
		status = gpube__lean_new(&s->lean, b->tables, SMALL_TABLE);
	if (!status) {
		s->m = s->lean ? s->lean->model : b->tables;
		status = fill(s, order, n);
	}
	if (status) { /* a later turn starts again */
		gpube__dfs_tree_free(s);
		b->state.tree = NULL;
	}
	return status;
}

int gpube__dfs_tree_new(struct gpube_bounder *b)
{
	return gpube__dfs_tree_again(b, NULL, 0, gpube__tables_cutoff(b));
}

bool gpube__bounder_is_dead(const struct gpube_bounder *b, int32_t var, int32_t value)
{
	const struct gpube_dfs *t = b->state.tree ? b->state.tree->t : NULL;
	const int32_t i = t ? index_of(b->state.tree, var) : -1;

	return i >= 0 && t->at[t->position[i]][value] >= t->n_live[t->position[i]];
}
