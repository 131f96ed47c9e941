/*
 * order_tree.c - an order's elimination tree, and local search on it.
 *
 * Design. The messages into a connected part W of the elimination tree, and the
 * scope of the message out of it, do not depend on the order inside W; so W may
 * be eliminated in any other order, and nothing but its own joined tables
 * changes. The search draws a window W around a large bucket, re-eliminates it
 * with randomised greedies (or exactly, when small) on a graph of a few dozen
 * vertices, and keeps what costs less; early on also what costs a little more.
 * A step costs microseconds whatever the size of the graph.
 *
 * Weighed against it: randomised restarts of the whole graph (Kask, Gelfand,
 * Otten, Dechter, AAAI 2011) repair one bad place only by luck everywhere else,
 * and serve as seeds here; tabu search and annealing on swaps of the order
 * (Clautiaux et al., RAIRO 2004) need O(n width) for each of their small steps.
 */
#include "gpube/order/order_parts.h"

#include <string.h>

/* ---- the tree of an order ----------------------------------------------------- */

static void tree_attach(struct gpube_tree *t, int32_t v, int32_t parent)
{
	t->parent[v] = parent;
	if (parent >= 0) {
		t->sibling[v] = t->child[parent];
		t->child[parent] = v;
	}
}

static void weigh(struct gpube_tree *t, int32_t v)
{
	struct gpube_tree_sum *sum = gpube__tree_sum(t, v);
	const bool free = v < t->n_free;

	sum->cells = sum->largest = free ? gpube__log_to_weight(t->log_cells[v], 1) : 0;
	sum->weight = free ? gpube__log_to_weight(t->log_cells[v], t->power) : 0;
}

/* Scope of v's message: later neighbours, and what its children's messages bring. */
static bool add_message(struct gpube_tree *t, int32_t v)
{
	const struct gpube_graph *g = t->g;
	const int32_t *from = g->adjacent + g->start[v];
	int64_t count = g->start[v + 1] - g->start[v], log_cells = t->log_domain[v];
	int32_t mark = ++t->last_seen, first = -1, c = t->child[v];
	int32_t *scope = t->pool + t->pool_used, n = 0;

	t->seen[v] = mark;
	for (;; c = t->sibling[c]) {
		if (t->pool_used + n + count > t->pool_limit)
			return false;
		for (int64_t k = 0; k < count; k++) {
			int32_t u = from[k];

			if (t->seen[u] == mark || t->position[u] < t->position[v])
				continue;
			t->seen[u] = mark;
			scope[n++] = u;
			log_cells += t->log_domain[u];
			if (first < 0 || t->position[u] < t->position[first])
				first = u;
		}
		t->work += 1 + count;
		if (c < 0)
			break;
		from = t->pool + t->at[c];
		count = t->arity[c];
	}
	t->at[v] = t->pool_used;
	t->pool_used += n;
	t->arity[v] = n;
	t->log_cells[v] = log_cells;
	weigh(t, v);
	tree_attach(t, v, first);
	return true;
}

static void tree_total(struct gpube_tree *t)
{
	t->sum = t->sums[1].cells;
	t->largest = t->sums[1].largest;
	t->total_weight = t->sums[1].weight;
}

static inline void add_two(struct gpube_tree_sum *sums, int32_t k)
{
	const struct gpube_tree_sum *a = &sums[2 * (int64_t)k], *b = a + 1;

	sums[k].cells = a->cells + b->cells;
	sums[k].weight = a->weight + b->weight;
	sums[k].largest = a->largest > b->largest ? a->largest : b->largest;
}

static void tree_add_up(struct gpube_tree *t)
{
	for (int32_t k = t->g->n - 1; k > 0; k--)
		add_two(t->sums, k);
	tree_total(t);
	t->work += t->g->n / 2;
}

/* After changes of vertex[0 … n) only. */
static void tree_add_up_few(struct gpube_tree *t, const int32_t *vertex, int32_t n)
{
	if ((int64_t)n * 8 > t->g->n) {
		tree_add_up(t);
		return;
	}
	for (int32_t i = 0; i < n; i++)
		for (int32_t k = (t->g->n + vertex[i]) / 2; k > 0; k /= 2)
			add_two(t->sums, k);
	tree_total(t);
	t->work += 6 * n;
}

/* From t->order: everything else. */
static bool tree_build(struct gpube_tree *t)
{
	int32_t n = t->g->n;

	memset(t->seen, 0, (size_t)n * sizeof(*t->seen));
	t->last_seen = 0;
	t->pool_used = 0;
	t->pool_limit = t->pool_size;
	for (int32_t k = 0; k < n; k++) {
		t->position[t->order[k]] = k;
		t->child[k] = t->sibling[k] = -1;
	}
	for (int32_t k = 0; k < n; k++)
		if (!add_message(t, t->order[k]))
			return false;
	/* the tree is built anew before it is scattered over more than it needs */
	t->pool_limit = 2 * t->pool_used + 16 * (int64_t)n + 1024;
	t->pool_limit = t->pool_limit < t->pool_size ? t->pool_limit : t->pool_size;
	tree_add_up(t);
	t->work += 2 * (int64_t)n;
	return true;
}

static void note_best(struct gpube_tree *t)
{
	if (t->sum <= t->most_sum && t->largest <= t->most_cells &&
		gpube__order_merit(t->sum, t->largest) <
			gpube__order_merit(t->best_sum, t->best_largest)) {
		memcpy(t->best_order, t->order, (size_t)t->g->n * sizeof(*t->order));
		t->best_sum = t->sum;
		t->best_largest = t->largest;
	}
}

/* After changes; as it was set if its messages do not fit, as they did then. */
static void tree_rebuild(struct gpube_tree *t)
{
	if (tree_build(t))
		return;
	memcpy(t->order, t->first_order, (size_t)t->g->n * sizeof(*t->order));
	tree_build(t);
}

void gpube__tree_place(struct gpube_tree *t, const int32_t *vertex, int32_t n, int32_t at)
{
	int32_t to = 0;

	for (int32_t i = 0; i < n; i++)
		t->local[vertex[i]] = i;
	for (int32_t k = 0; k <= at; k++)
		if (t->local[t->order[k]] < 0)
			t->order[to++] = t->order[k];
	memcpy(t->order + to, vertex, (size_t)n * sizeof(*vertex));
	for (int32_t i = 0; i < n; i++)
		t->local[vertex[i]] = -1;
	tree_rebuild(t);
	note_best(t);
}

bool gpube__tree_set(struct gpube_tree *t, const int32_t *order)
{
	memcpy(t->order, order, (size_t)t->g->n * sizeof(*order));
	memcpy(t->first_order, order, (size_t)t->g->n * sizeof(*order));
	t->best_sum = t->best_largest = INFINITY;
	if (!tree_build(t))
		return false;
	note_best(t);
	return true;
}

/* ---- windows -------------------------------------------------------------------- */

/* A vertex drawn by its joined cells. */
int32_t gpube__tree_draw(struct gpube_tree *t)
{
	double x = gpube__rng_unit(&t->rng) * t->total_weight;
	int32_t k = 1;

	while (k < t->g->n) {
		const struct gpube_tree_sum *left = &t->sums[2 * (int64_t)k], *right = left + 1;

		k *= 2;
		if (x < left->weight || !(right->weight > 0))
			continue;
		x -= left->weight;
		k++;
	}
	return k - t->g->n;
}

/* A vertex of the window or its boundary, which has a number there from now on. */
static void join_window(struct gpube_tree *t, int32_t v, int number)
{
	t->member[number] = v;
	t->local[v] = number;
}

/*
 * Grows a connected part of the tree around v to at most 'size' vertices, the
 * larger of two candidates each time: members are t->member[0 …], candidates
 * behind them. Its top in *top; returns its number of vertices, or 0 if the
 * boundary, the top's message, leaves no room.
 */
static int grow_window(struct gpube_tree *t, int32_t v, int size, int32_t *top)
{
	int32_t *list = t->member, n_candidates = 1;
	int n = 0;

	if (size > GPUBE_WINDOW_MAX - t->arity[v])
		size = GPUBE_WINDOW_MAX - t->arity[v];
	*top = list[0] = v;
	while (n < size && n_candidates > 0) {
		int32_t pick = n + (int32_t)gpube__rng_below(&t->rng, (uint64_t)n_candidates);
		int32_t other = n + (int32_t)gpube__rng_below(&t->rng, (uint64_t)n_candidates);
		int32_t u, p;

		if (t->log_cells[list[other]] > t->log_cells[list[pick]])
			pick = other;
		u = list[pick];
		list[pick] = list[n];
		join_window(t, u, n++);
		n_candidates--;
		p = t->parent[u];
		if (n == 1 || u == t->parent[*top]) {
			*top = u;
			if (p >= 0 && p < t->n_free && t->arity[p] + size <= GPUBE_WINDOW_MAX)
				list[n + n_candidates++] = p;
		}
		for (int32_t c = t->child[u]; c >= 0; c = t->sibling[c])
			if (t->local[c] < 0)
				list[n + n_candidates++] = c;
	}
	return n;
}

static void set_bit(uint64_t *row, int i)
{
	row[i / 64] |= UINT64_C(1) << i % 64;
}

/* Makes the vertices of a message that enters the window, or leaves it, a clique. */
static void add_clique(struct gpube_tree *t, int32_t v)
{
	struct gpube_order_window *w = &t->window;
	uint64_t mask[GPUBE_WINDOW_WORDS] = {0};
	const int32_t *scope = t->pool + t->at[v];

	for (int32_t k = 0; k < t->arity[v]; k++)
		set_bit(mask, t->local[scope[k]]);
	for (int32_t k = 0; k < t->arity[v]; k++) {
		uint64_t *row = w->rows + t->local[scope[k]] * w->words;

		for (int i = 0; i < w->words; i++)
			row[i] |= mask[i];
	}
	t->work += t->arity[v];
}

/* The graph that is left when all below the window is eliminated. */
static void fill_window(struct gpube_tree *t, int n_inner, int32_t top)
{
	const struct gpube_graph *g = t->g;
	struct gpube_order_window *w = &t->window;
	const int32_t *boundary = t->pool + t->at[top];

	w->n_inner = n_inner;
	w->n = n_inner + t->arity[top];
	w->words = (w->n + 63) / 64;
	memset(w->rows, 0, (size_t)(w->n * w->words) * sizeof(*w->rows));
	for (int32_t k = 0; k < t->arity[top]; k++)
		join_window(t, boundary[k], n_inner + k);
	add_clique(t, top);
	for (int i = 0; i < n_inner; i++) {
		int32_t v = t->member[i];

		for (int64_t e = g->start[v]; e < g->start[v + 1]; e++) {
			int32_t j = t->local[g->adjacent[e]];

			if (j >= 0) {
				set_bit(w->rows + i * w->words, j);
				set_bit(w->rows + j * w->words, i);
			}
		}
		t->work += g->start[v + 1] - g->start[v];
		for (int32_t c = t->child[v]; c >= 0; c = t->sibling[c])
			if (t->local[c] < 0)
				add_clique(t, c);
	}
	for (int i = 0; i < w->n; i++) {
		w->log_domain[i] = t->log_domain[t->member[i]];
		w->rows[i * w->words + i / 64] &= ~(UINT64_C(1) << i % 64);
	}
}

/*
 * Puts the window's vertices, in their new order, where its top was: after
 * everything below the window and before everything above.
 */
static void tree_reorder(struct gpube_tree *t, int n_inner, int32_t top, const uint8_t *order)
{
	int32_t from = t->position[top], at = from, to;

	for (int i = 0; i < n_inner; i++)
		if (t->position[t->member[i]] < from)
			from = t->position[t->member[i]];
	to = from;
	for (int32_t k = from; k <= at; k++) {
		int32_t v = t->order[k], number = t->local[v];

		if (number < 0 || number >= n_inner)
			t->order[to++] = v;
	}
	for (int i = 0; i < n_inner; i++)
		t->order[to++] = t->member[order[i]];
	for (int32_t k = from; k <= at; k++)
		t->position[t->order[k]] = k;
	t->work += (at - from) / 2;
}

static void tree_detach(struct gpube_tree *t, int32_t v)
{
	int32_t *link = &t->child[t->parent[v]];

	while (*link != v)
		link = &t->sibling[*link];
	*link = t->sibling[v];
}

/* The tree inside the window anew, and how the rest hangs on it; false: the pool is full. */
static bool rebuild_window(struct gpube_tree *t, int n_inner, int32_t top, const uint8_t *order)
{
	int32_t n_below = 0;

	if (t->parent[top] >= 0)
		tree_detach(t, top);
	for (int i = 0; i < n_inner; i++) {
		int32_t v = t->member[i];

		for (int32_t c = t->child[v]; c >= 0; c = t->sibling[c])
			if (t->local[c] < 0)
				t->below[n_below++] = c;
		t->child[v] = -1;
	}
	for (int32_t i = 0; i < n_below; i++) {
		const int32_t *scope = t->pool + t->at[t->below[i]];
		int32_t first = scope[0];

		for (int32_t k = 1; k < t->arity[t->below[i]]; k++)
			if (t->position[scope[k]] < t->position[first])
				first = scope[k];
		tree_attach(t, t->below[i], first);
		t->work += t->arity[t->below[i]];
	}
	if (t->last_seen > INT32_MAX - n_inner)
		return false;
	for (int i = 0; i < n_inner; i++)
		if (!add_message(t, t->member[order[i]]))
			return false;
	tree_add_up_few(t, t->member, n_inner);
	return true;
}

/* ---- search ------------------------------------------------------------------------ */

#define EXACT_SIZE 7
#define MOST_TRIES 4

static void draw_rule(struct gpube_tree *t, struct gpube_greedy_rule *rule)
{
	static const double noise[] = {0, 0.05, 0.2, 0.5};
	static const struct gpube_greedy_rule rules[] = {
		{.by_fill = 1},
		{.by_size = 1, .by_domain = 1},
		{.by_size = 1},
		{.by_fill = 1, .by_size = 1},
		{.by_fill = 0.2, .by_size = 1},
	};

	*rule = rules[gpube__rng_below(&t->rng, sizeof(rules) / sizeof(*rules))];
	rule->noise = noise[gpube__rng_below(&t->rng, sizeof(noise) / sizeof(*noise))];
	rule->random = true;
}

/* An order of the window that meets the goal. */
static bool solve_window(struct gpube_tree *t, uint8_t *order, struct gpube_window_goal *goal)
{
	uint8_t trial[GPUBE_WINDOW_MAX];
	int n = t->window.n_inner;
	bool found = false;
	double sum;

	if (n <= EXACT_SIZE)
		return gpube__window_exact(&t->window, &t->window_work, order, &sum, goal);
	for (int i = 0; i < MOST_TRIES; i++) {
		struct gpube_greedy_rule rule;

		draw_rule(t, &rule);
		if (gpube__window_greedy(
			    &t->window, &t->window_work, trial, &sum, &rule, goal, &t->rng)) {
			memcpy(order, trial, (size_t)n);
			goal->most_sum = sum;
			found = true;
		}
	}
	return found;
}

/* A window of about so many vertices, and what its order is to be; returns how many it has. */
static int begin_window(struct gpube_tree *t, int size, int64_t most_log, double allowance,
	struct gpube_window_goal *goal, int32_t *top)
{
	const int n = grow_window(t, gpube__tree_draw(t), size, top);

	t->work += 50;
	*goal = (struct gpube_window_goal){
		.power = t->power, .most_log = most_log, .most_sum = allowance};
	if (n == 0)
		return 0;
	fill_window(t, n, *top);
	for (int i = 0; i < n; i++) {
		int64_t log_cells = t->log_cells[t->member[i]];

		goal->most_sum += gpube__tree_sum(t, t->member[i])->weight;
		goal->most_log = log_cells > goal->most_log ? log_cells : goal->most_log;
	}
	return n;
}

/* With the order that was found for its n vertices, or NULL. */
static void end_window(struct gpube_tree *t, int n, int32_t top, const uint8_t *order)
{
	bool done = true;

	if (order) {
		tree_reorder(t, n, top, order);
		done = rebuild_window(t, n, top, order);
	}
	for (int i = 0; i < t->window.n; i++)
		t->local[t->member[i]] = -1;
	if (!done)
		tree_rebuild(t);
	if (order)
		note_best(t);
}

static int64_t most_log_cells(const struct gpube_tree *t)
{
	return isinf(t->most_cells) ? INT64_MAX : (int64_t)(log2(t->most_cells) * GPUBE_LOG_ONE);
}

static void tree_step(struct gpube_tree *t, int64_t most_log, double allowance)
{
	static const int sizes[] = {5, 7, 10, 14, 20, 28, 40, 56};
	const int size = sizes[gpube__rng_below(&t->rng, sizeof(sizes) / sizeof(*sizes))];
	struct gpube_window_goal goal;
	uint8_t order[GPUBE_WINDOW_MAX];
	int32_t top;
	const int n = begin_window(t, size, most_log, allowance, &goal, &top);

	if (n > 0)
		end_window(t, n, top, n > 1 && solve_window(t, order, &goal) ? order : NULL);
	t->work += t->window_work.work;
	t->window_work.work = 0;
}

void gpube__tree_improve(struct gpube_tree *t, double power, double heat, int64_t budget)
{
	int64_t begin = t->work, next_check = begin;
	int64_t most_log = most_log_cells(t);

	t->power = power;
	for (int32_t k = 0; k < t->g->n; k++)
		weigh(t, k);
	tree_add_up(t);
	while (t->work - begin < budget) {
		double left = 1 - (double)(t->work - begin) / (double)budget;

		tree_step(t, most_log, (heat * left - 1e-6) * t->total_weight);
		if (gpube__order_check(t->ctx, t->stop_at, t->work, &next_check))
			break;
	}
}

/* ---- annealing ---------------------------------------------------------------------- */

/* operations, for each vertex of a window; more as long as they gain nothing */
#define LEAST_ANNEAL 4000.0
#define MOST_ANNEAL  4e6

/* The window's vertices as they are now. */
static void order_of_window(const struct gpube_tree *t, uint8_t *order, int n)
{
	for (int i = 0; i < n; i++) {
		const int32_t place = t->position[t->member[i]];
		int k = i;

		for (; k > 0 && t->position[t->member[order[k - 1]]] > place; k--)
			order[k] = order[k - 1];
		order[k] = (uint8_t)i;
	}
}

void gpube__tree_anneal(struct gpube_tree *t, int64_t *credit)
{
	static const int sizes[] = {16, 32, 64, 128};
	static const double heats[] = {0.1, 0.3, 1};
	const int64_t most_log = most_log_cells(t);

	while (!gpube__order_over(t->ctx, t->stop_at)) {
		const int64_t begin = t->work;
		const int32_t n_most =
			t->g->n < sizes[t->anneal_size] ? t->g->n : sizes[t->anneal_size];
		struct gpube_window_goal goal;
		uint8_t order[GPUBE_WINDOW_MAX];
		bool found = false;
		int32_t top;
		int n;

		if ((double)*credit < t->anneal_work * n_most)
			break;
		n = begin_window(t, n_most, most_log, -1e-6 * t->total_weight, &goal, &top);
		t->anneal_size = (int)gpube__rng_below(&t->rng, sizeof(sizes) / sizeof(*sizes));
		if (n > 1) {
			order_of_window(t, order, n);
			found = gpube__window_anneal(&t->window, &t->anneal, order, &goal.most_sum,
				&goal, heats[gpube__rng_below(&t->rng, 3)],
				(int64_t)(t->anneal_work * n), &t->rng);
		}
		if (n > 0)
			end_window(t, n, top, found ? order : NULL);
		t->anneal_work =
			fmin(fmax(t->anneal_work * (found ? 0.5 : 1.2), LEAST_ANNEAL), MOST_ANNEAL);
		t->work += t->anneal.work;
		t->anneal.work = 0;
		*credit -= t->work - begin;
	}
}

/* ---- buffers ----------------------------------------------------------------------- */

void gpube__tree_aim(struct gpube_tree *t, const struct gpube_graph *g, int32_t n_free)
{
	t->g = g;
	t->n_free = n_free;
	for (int32_t v = 0; v < g->n; v++) {
		t->log_domain[v] = gpube__log_domain(g->domain[v]);
		t->local[v] = -1;
	}
}

int gpube__tree_new(struct gpube_tree **out, struct gpube_ctx *ctx, const struct gpube_graph *g,
	int64_t pool_size)
{
	struct gpube_tree *t = gpube__alloc_zero(ctx, 1, sizeof(*t));
	uint64_t n = (uint64_t)g->n;

	*out = NULL;
	if (!t)
		return GPUBE_ENOMEM;
	t->ctx = ctx;
	t->g = g;
	t->pool_size = pool_size;
	t->power = 1;
	t->most_sum = t->most_cells = INFINITY;
	t->anneal_work = LEAST_ANNEAL;
	t->order = gpube__alloc(ctx, n, sizeof(*t->order));
	t->position = gpube__alloc(ctx, n, sizeof(*t->position));
	t->parent = gpube__alloc(ctx, n, sizeof(*t->parent));
	t->child = gpube__alloc(ctx, n, sizeof(*t->child));
	t->sibling = gpube__alloc(ctx, n, sizeof(*t->sibling));
	t->at = gpube__alloc(ctx, n, sizeof(*t->at));
	t->arity = gpube__alloc(ctx, n, sizeof(*t->arity));
	t->pool = gpube__alloc(ctx, (uint64_t)pool_size, sizeof(*t->pool));
	t->log_domain = gpube__alloc(ctx, n, sizeof(*t->log_domain));
	t->log_cells = gpube__alloc(ctx, n, sizeof(*t->log_cells));
	t->sums = gpube__alloc(ctx, 2 * n, sizeof(*t->sums));
	t->below = gpube__alloc(ctx, n, sizeof(*t->below));
	t->seen = gpube__alloc_zero(ctx, n, sizeof(*t->seen));
	t->local = gpube__alloc(ctx, n, sizeof(*t->local));
	t->member = gpube__alloc(ctx, n, sizeof(*t->member));
	t->first_order = gpube__alloc(ctx, n, sizeof(*t->first_order));
	t->best_order = gpube__alloc(ctx, n, sizeof(*t->best_order));
	if (!t->order || !t->position || !t->parent || !t->child || !t->sibling || !t->at ||
		!t->arity || !t->pool || !t->log_domain || !t->log_cells || !t->sums || !t->below ||
		!t->seen || !t->local || !t->member || !t->first_order || !t->best_order) {
		gpube__tree_free(t);
		return GPUBE_ENOMEM;
	}
	gpube__tree_aim(t, g, g->n);
	*out = t;
	return GPUBE_OK;
}

void gpube__tree_free(struct gpube_tree *t)
{
	struct gpube_ctx *ctx;

	if (!t)
		return;
	ctx = t->ctx;
	GPUBE_FREE_ALL(ctx, t->order, t->position, t->parent, t->child, t->sibling, t->at, t->arity,
		t->pool, t->log_domain, t->log_cells, t->sums, t->below, t->seen, t->local,
		t->member, t->first_order, t->best_order, t);
}
