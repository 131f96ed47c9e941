/*
 * order_greedy.c - greedy elimination of a whole graph.
 *
 * Neighbours are unsorted lists in one pool, membership is tested by stamping
 * the list of one end: a fill edge costs a scan of the other end's list, however
 * large the graph. The fill of every vertex is kept up to date; keys of touched
 * vertices move in a heap once an elimination. (Bit rows are faster on small
 * graphs: order_window.c has them.)
 */
#include "gpube/order/order_parts.h"

#include <stdlib.h>
#include <string.h>

const struct gpube_greedy_rule gpube__min_fill = {.by_fill = 1};
const struct gpube_greedy_rule gpube__min_size = {.by_size = 1};
const struct gpube_greedy_rule gpube__min_degree = {.by_degree = 1};

/* A list in the pool: two words (owner, capacity), then the neighbours. */
#define HEAD 2
/* Above every key but for groups. */
#define AFTER_ALL 1e13

struct gpube_greedy {
	struct gpube_ctx *ctx;
	const struct gpube_graph *g;
	bool with_fill, may_grow;
	double stop_at;
	int64_t work, messages;
	const struct gpube_greedy_rule *rule;
	struct gpube_rng *rng;

	int32_t *pool;
	int64_t pool_size, pool_used;
	int64_t *at; /* list of each vertex; -1: eliminated */
	int32_t *degree, *last_leaf;
	int64_t n_edges;

	int32_t *stamp, last_stamp;
	int64_t *first_fill, *fill; /* fill: also room to sort */
	int64_t *log_domain, *log_message;

	int32_t *clique, *common; /* neighbours of the vertex being eliminated */
	int32_t *touched, n_touched;
	bool *is_touched;

	double *key;
	uint32_t *tie;
	int32_t *heap, *slot, n_heap;
};

int64_t gpube__greedy_work(const struct gpube_greedy *w)
{
	return w->work;
}

int gpube__greedy_reserve(struct gpube_greedy *w, int64_t words)
{
	return gpube__grow(w->ctx, &w->pool, &w->pool_size, words, sizeof(*w->pool));
}

void gpube__greedy_stop_at(struct gpube_greedy *w, double stop_at)
{
	w->stop_at = stop_at;
}

int64_t gpube__greedy_messages(const struct gpube_greedy *w)
{
	return w->messages;
}

/* ---- heap of the vertices left ---------------------------------------------- */

static inline bool greedy_before(const struct gpube_greedy *w, int32_t a, int32_t b)
{
	return w->key[a] != w->key[b] ? w->key[a] < w->key[b] : w->tie[a] < w->tie[b];
}

static void sift_up(struct gpube_greedy *w, int32_t s)
{
	int32_t v = w->heap[s];

	while (s > 0 && greedy_before(w, v, w->heap[(s - 1) / 2])) {
		w->heap[s] = w->heap[(s - 1) / 2];
		w->slot[w->heap[s]] = s;
		s = (s - 1) / 2;
	}
	w->heap[s] = v;
	w->slot[v] = s;
}

static void sift_down(struct gpube_greedy *w, int32_t s)
{
	int32_t v = w->heap[s];

	for (int64_t c = 2 * (int64_t)s + 1; c < w->n_heap; c = 2 * (int64_t)s + 1) {
		if (c + 1 < w->n_heap && greedy_before(w, w->heap[c + 1], w->heap[c]))
			c++;
		if (!greedy_before(w, w->heap[c], v))
			break;
		w->heap[s] = w->heap[c];
		w->slot[w->heap[s]] = s;
		s = (int32_t)c;
	}
	w->heap[s] = v;
	w->slot[v] = s;
}

static int32_t greedy_pop(struct gpube_greedy *w)
{
	int32_t v = w->heap[0];

	if (--w->n_heap > 0) {
		w->heap[0] = w->heap[w->n_heap];
		sift_down(w, 0);
	}
	return v;
}

static void set_key(struct gpube_greedy *w, int32_t v)
{
	const struct gpube_greedy_rule *r = w->rule;
	double key = r->by_degree * w->degree[v] + r->by_size * (double)w->log_message[v] +
		     r->by_domain * (double)w->log_domain[v];

	if (w->with_fill)
		key += r->by_fill * (double)w->fill[v];
	if (r->noise > 0)
		key *= 1 + r->noise * gpube__rng_unit(w->rng);
	if (r->group)
		key += AFTER_ALL * r->group[v];
	w->key[v] = key;
}

static void greedy_touch(struct gpube_greedy *w, int32_t v)
{
	if (!w->is_touched[v]) {
		w->is_touched[v] = true;
		w->touched[w->n_touched++] = v;
	}
}

static void update_heap(struct gpube_greedy *w)
{
	for (int32_t i = 0; i < w->n_touched; i++) {
		int32_t v = w->touched[i];

		w->is_touched[v] = false;
		set_key(w, v);
		sift_up(w, w->slot[v]);
		sift_down(w, w->slot[v]);
	}
	w->n_touched = 0;
}

/* ---- lists of neighbours ------------------------------------------------------ */

static int32_t next_stamp(struct gpube_greedy *w)
{
	if (w->last_stamp == INT32_MAX) {
		memset(w->stamp, 0, (size_t)w->g->n * sizeof(*w->stamp));
		w->last_stamp = 0;
	}
	return ++w->last_stamp;
}

/* Moves the lists in use to the front of the pool, without room to grow. */
static void greedy_compact(struct gpube_greedy *w)
{
	int64_t to = 0;

	for (int64_t from = 0, next; from < w->pool_used; from = next) {
		int32_t v = w->pool[from];

		next = from + HEAD + w->pool[from + 1];
		if (w->at[v] != from + HEAD)
			continue;
		memmove(w->pool + to + HEAD, w->pool + from + HEAD,
			(size_t)w->degree[v] * sizeof(*w->pool));
		w->pool[to] = v;
		w->pool[to + 1] = w->degree[v];
		w->at[v] = to + HEAD;
		to += HEAD + w->degree[v];
	}
	w->work += to;
	w->pool_used = to;
}

/* Room for 'need' more words at the pool's end. */
static int make_room(struct gpube_greedy *w, int64_t need)
{
	int64_t free_words = w->pool_size - w->pool_used;

	if (free_words >= need)
		return GPUBE_OK;
	greedy_compact(w);
	free_words = w->pool_size - w->pool_used;
	/* not worth to be called again for little */
	if (free_words >= need && free_words > w->pool_size / 8)
		return GPUBE_OK;
	if (!w->may_grow)
		return GPUBE_ELIMIT;
	return gpube__grow(w->ctx, &w->pool, &w->pool_size, w->pool_size + need, sizeof(*w->pool));
}

static void new_list(struct gpube_greedy *w, int32_t v, int64_t capacity)
{
	w->pool[w->pool_used] = v;
	w->pool[w->pool_used + 1] = (int32_t)capacity;
	w->at[v] = w->pool_used + HEAD;
	w->pool_used += HEAD + capacity;
}

static int greedy_append(struct gpube_greedy *w, int32_t v, int32_t u)
{
	if (w->degree[v] == w->pool[w->at[v] - 1]) {
		int64_t capacity = 2 * (int64_t)w->degree[v] + 6;
		int64_t old;
		int status;

		capacity = capacity < w->g->n ? capacity : w->g->n;
		status = make_room(w, HEAD + capacity);
		if (status)
			return status;
		old = w->at[v];
		new_list(w, v, capacity);
		memcpy(w->pool + w->at[v], w->pool + old, (size_t)w->degree[v] * sizeof(*w->pool));
	}
	w->pool[w->at[v] + w->degree[v]++] = u;
	return GPUBE_OK;
}

/* ---- elimination --------------------------------------------------------------- */

/*
 * Where v is in the list of u, its only neighbour. The search begins where the one before ended,
 * and goes both ways: the leaves of a vertex with many go one after another.
 */
static int32_t place_of_leaf(struct gpube_greedy *w, int32_t u, int32_t v)
{
	const int32_t *list = w->pool + w->at[u];
	int32_t n = w->degree[u], low = w->last_leaf[u] < n ? w->last_leaf[u] : n - 1;
	int32_t high = low + 1;

	while ((low < 0 || list[low] != v) && (high >= n || list[high] != v)) {
		low--;
		high++;
	}
	w->work += high - low;
	return w->last_leaf[u] = low >= 0 && list[low] == v ? low : high;
}

/* Takes v out of its neighbours' lists; common[i]: neighbours that clique[i] shares with v. */
static void greedy_take_out(struct gpube_greedy *w, int32_t v, int32_t d)
{
	int32_t mark = next_stamp(w);

	for (int32_t i = 0; i < d; i++)
		w->stamp[w->clique[i]] = mark;
	for (int32_t i = 0; i < d; i++) {
		int32_t u = w->clique[i], *list = w->pool + w->at[u], common = 0, where = 0;

		if (d == 1)
			where = place_of_leaf(w, u, v);
		for (int32_t k = 0; d > 1 && k < w->degree[u]; k++) {
			common += w->stamp[list[k]] == mark;
			where = list[k] == v ? k : where;
		}
		w->work += d > 1 ? w->degree[u] : 0;
		list[where] = list[--w->degree[u]];
		w->common[i] = common;
		w->log_message[u] -= w->log_domain[v];
		if (w->with_fill)
			w->fill[u] -= w->degree[u] - common;
		greedy_touch(w, u);
	}
	w->n_edges -= d;
}

/* Adds the edge between a, whose list is stamped 'mark', and b. */
static int greedy_add_edge(struct gpube_greedy *w, int32_t a, int32_t b, int32_t mark)
{
	if (w->with_fill) {
		const int32_t *list = w->pool + w->at[b];
		int32_t common = 0;

		for (int32_t k = 0; k < w->degree[b]; k++)
			if (w->stamp[list[k]] == mark) {
				w->fill[list[k]]--;
				greedy_touch(w, list[k]);
				common++;
			}
		w->work += w->degree[b];
		w->fill[a] += w->degree[a] - common;
		w->fill[b] += w->degree[b] - common;
	}
	w->stamp[b] = mark;
	w->log_message[a] += w->log_domain[b];
	w->log_message[b] += w->log_domain[a];
	w->n_edges++;
	if (greedy_append(w, a, b) == GPUBE_OK && greedy_append(w, b, a) == GPUBE_OK)
		return GPUBE_OK;
	return w->may_grow ? GPUBE_ENOMEM : GPUBE_ELIMIT;
}

static int greedy_eliminate(struct gpube_greedy *w, int32_t v)
{
	int32_t d = w->degree[v];
	int status = GPUBE_OK;

	w->messages += d;
	memcpy(w->clique, w->pool + w->at[v], (size_t)d * sizeof(*w->clique));
	w->at[v] = -1;
	greedy_take_out(w, v, d);
	for (int32_t i = 0; i < d && !status; i++) {
		int32_t a = w->clique[i], mark;
		const int32_t *list = w->pool + w->at[a];

		if (w->common[i] == d - 1)
			continue;
		mark = next_stamp(w);
		for (int32_t k = 0; k < w->degree[a]; k++)
			w->stamp[list[k]] = mark;
		w->work += w->degree[a] + d - i;
		for (int32_t j = i + 1; w->common[i] < d - 1 && !status; j++) {
			if (w->stamp[w->clique[j]] == mark)
				continue;
			status = greedy_add_edge(w, a, w->clique[j], mark);
			w->common[i]++;
			w->common[j]++;
		}
	}
	return status;
}

static int compare_keys(const void *a, const void *b)
{
	const uint64_t *x = a, *y = b;

	return (*x > *y) - (*x < *y);
}

/*
 * The rest is a clique: all rules agree but for sizes, where large domains go first. After a stop
 * it is none, and those with few neighbours go first.
 */
static void greedy_finish(struct gpube_greedy *w, int32_t *order, bool stopped)
{
	bool by_domain = w->rule->by_size > 0 || w->rule->random;
	uint64_t *rank = (uint64_t *)w->fill; /* no longer needed */

	for (int32_t i = 0; i < w->n_heap; i++) {
		int32_t v = w->heap[i];
		int32_t domain = by_domain ? w->g->domain[v] : 0;
		int32_t key = stopped ? w->degree[v] : INT32_MAX - domain;

		rank[i] = (uint64_t)key << 32 | (uint32_t)v;
	}
	w->messages += (int64_t)w->n_heap * (w->n_heap - 1) / 2;
	qsort(rank, (size_t)w->n_heap, sizeof(*rank), compare_keys);
	for (int32_t i = 0; i < w->n_heap; i++)
		order[i] = (int32_t)(rank[i] & INT32_MAX);
}

static int greedy_start(struct gpube_greedy *w)
{
	const struct gpube_graph *g = w->g;
	int64_t need = 0;
	int status;

	for (int32_t v = 0; v < g->n; v++)
		w->at[v] = -1;
	w->pool_used = 0;
	w->n_touched = 0;
	w->messages = 0;
	w->n_edges = g->start[g->n] / 2;
	memset(w->is_touched, 0, (size_t)g->n * sizeof(*w->is_touched));
	for (int32_t v = 0; v < g->n; v++)
		need += HEAD + (g->start[v + 1] - g->start[v]);
	status = make_room(w, need);
	if (status)
		return status;
	for (int32_t v = 0; v < g->n; v++) {
		w->degree[v] = (int32_t)(g->start[v + 1] - g->start[v]);
		new_list(w, v, w->degree[v]);
		memcpy(w->pool + w->at[v], g->adjacent + g->start[v],
			(size_t)w->degree[v] * sizeof(*w->pool));
		w->log_message[v] = 0;
		for (int64_t e = g->start[v]; e < g->start[v + 1]; e++)
			w->log_message[v] += w->log_domain[g->adjacent[e]];
		if (w->with_fill)
			w->fill[v] = w->first_fill[v];
		w->tie[v] = w->rule->random ? (uint32_t)gpube__rng_next(w->rng) : (uint32_t)v;
		set_key(w, v);
		w->heap[v] = v;
		w->slot[v] = v;
	}
	w->n_heap = g->n;
	for (int32_t s = g->n / 2; s-- > 0;)
		sift_down(w, s);
	w->work += need + g->n;
	return GPUBE_OK;
}

int gpube__greedy_run(struct gpube_greedy *w, int32_t *order, const struct gpube_greedy_rule *rule,
	double most_sum, double most_cells, struct gpube_rng *rng, bool may_grow)
{
	double sum = 0;
	int32_t n = 0;
	int64_t next_check = w->work;
	int status;

	w->rule = rule;
	w->rng = rng;
	w->may_grow = may_grow;
	status = greedy_start(w);
	if (status)
		return status;
	while (w->n_heap > rule->n_kept && w->n_edges < (int64_t)w->n_heap * (w->n_heap - 1) / 2) {
		int32_t v = greedy_pop(w);
		double cells = gpube__log_to_weight(w->log_message[v] + w->log_domain[v], 1);

		sum += cells;
		if (sum > most_sum || cells > most_cells)
			return GPUBE_ELIMIT;
		order[n++] = v;
		status = greedy_eliminate(w, v);
		if (status)
			return status;
		update_heap(w);
		w->work++;
		if (gpube__order_check(w->ctx, w->stop_at, w->work, &next_check)) {
			status = GPUBE_ESTOP;
			break;
		}
	}
	greedy_finish(w, order + n, status == GPUBE_ESTOP);
	return status;
}

/* ---- buffers -------------------------------------------------------------------- */

/* Missing edges among each vertex's neighbours: all pairs less the triangles there. */
static void greedy_count_fill(struct gpube_greedy *w)
{
	const struct gpube_graph *g = w->g;
	int64_t next_check = w->work;
	bool stopped = false;

	for (int32_t v = 0; v < g->n; v++) {
		int64_t d = g->start[v + 1] - g->start[v];

		w->first_fill[v] += d * (d - 1);
		stopped = stopped || gpube__order_check(w->ctx, 0, w->work, &next_check);
		w->work++;
		if (stopped)
			continue;
		for (int64_t e = g->start[v]; e < g->start[v + 1]; e++)
			w->stamp[g->adjacent[e]] = v + 1;
		for (int64_t e = g->start[v]; e < g->start[v + 1]; e++) {
			int32_t u = g->adjacent[e];
			int64_t common = 0, du = g->start[u + 1] - g->start[u];

			/* once, from the end with more neighbours: the list of the other is short
			 */
			if (du > d || (du == d && u < v))
				continue;
			for (int64_t k = g->start[u]; k < g->start[u + 1]; k++)
				common += w->stamp[g->adjacent[k]] == v + 1;
			w->first_fill[v] -= common;
			w->first_fill[u] -= common;
			w->work += g->start[u + 1] - g->start[u];
		}
	}
	for (int32_t v = 0; v < g->n; v++)
		w->first_fill[v] /= 2;
	w->last_stamp = g->n;
}

void gpube__greedy_aim(struct gpube_greedy *w, const struct gpube_graph *g)
{
	const size_t n = (size_t)g->n;

	w->g = g;
	for (int32_t v = 0; v < g->n; v++)
		w->log_domain[v] = gpube__log_domain(g->domain[v]);
	memset(w->stamp, 0, n * sizeof(*w->stamp));
	memset(w->last_leaf, 0, n * sizeof(*w->last_leaf));
	if (w->with_fill) {
		memset(w->first_fill, 0, n * sizeof(*w->first_fill));
		greedy_count_fill(w);
	}
}

int gpube__greedy_new(struct gpube_greedy **out, struct gpube_ctx *ctx, const struct gpube_graph *g,
	bool with_fill, const struct gpube_greedy *like)
{
	struct gpube_greedy *w = gpube__alloc_zero(ctx, 1, sizeof(*w));
	uint64_t n = (uint64_t)g->n;

	*out = NULL;
	if (!w)
		return GPUBE_ENOMEM;
	w->ctx = ctx;
	w->g = g;
	w->with_fill = with_fill;
	w->at = gpube__alloc(ctx, n, sizeof(*w->at));
	w->degree = gpube__alloc(ctx, n, sizeof(*w->degree));
	w->last_leaf = gpube__alloc_zero(ctx, n, sizeof(*w->last_leaf));
	w->stamp = gpube__alloc_zero(ctx, n, sizeof(*w->stamp));
	w->log_domain = gpube__alloc(ctx, n, sizeof(*w->log_domain));
	w->log_message = gpube__alloc(ctx, n, sizeof(*w->log_message));
	w->clique = gpube__alloc(ctx, n, sizeof(*w->clique));
	w->common = gpube__alloc(ctx, n, sizeof(*w->common));
	w->touched = gpube__alloc(ctx, n, sizeof(*w->touched));
	w->is_touched = gpube__alloc(ctx, n, sizeof(*w->is_touched));
	w->key = gpube__alloc(ctx, n, sizeof(*w->key));
	w->tie = gpube__alloc(ctx, n, sizeof(*w->tie));
	w->heap = gpube__alloc(ctx, n, sizeof(*w->heap));
	w->slot = gpube__alloc(ctx, n, sizeof(*w->slot));
	w->fill = gpube__alloc(ctx, n, sizeof(*w->fill));
	if (with_fill)
		w->first_fill = gpube__alloc_zero(ctx, n, sizeof(*w->first_fill));
	w->pool_size = g->start[g->n] + (g->start[g->n] + 8 * (int64_t)g->n);
	w->pool = gpube__alloc(ctx, (uint64_t)w->pool_size, sizeof(*w->pool));
	if (!w->at || !w->degree || !w->last_leaf || !w->stamp || !w->log_domain ||
		!w->log_message || !w->clique || !w->common || !w->touched || !w->is_touched ||
		!w->key || !w->tie || !w->heap || !w->slot || !w->pool || !w->fill ||
		(with_fill && !w->first_fill)) {
		gpube__greedy_free(w);
		return GPUBE_ENOMEM;
	}
	for (int32_t v = 0; v < g->n; v++)
		w->log_domain[v] = gpube__log_domain(g->domain[v]);
	if (like && with_fill)
		memcpy(w->first_fill, like->first_fill, n * sizeof(*w->first_fill));
	else if (with_fill)
		greedy_count_fill(w);
	*out = w;
	return GPUBE_OK;
}

void gpube__greedy_free(struct gpube_greedy *w)
{
	struct gpube_ctx *ctx;

	if (!w)
		return;
	ctx = w->ctx;
	GPUBE_FREE_ALL(ctx, w->at, w->degree, w->last_leaf, w->stamp, w->fill, w->first_fill,
		w->log_domain, w->log_message, w->clique, w->common, w->touched, w->is_touched,
		w->key, w->tie, w->heap, w->slot, w->pool, w);
}
