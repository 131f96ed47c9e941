/* pseudotree.c - depth-first searches and the choice between them: see pseudotree.h. */
#include "dcop/distributed_dfs.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "gpube/base/rows.h"

/* Operations that the search for the best tree of a component may take. */
#define BEST_WORK 20000000

const char *dcop_tree_name(enum gpube_pseudotree heuristic)
{
	static const char *const names[] = {"auto", "min-degree", "max-degree", "min-id", "max-id",
		"min-name", "max-name", "best"};

	return names[heuristic];
}

/*
 * A search at work. parent, depth and preorder are the current try's;
 * 'from' and 'n' are the component's place in preorder.
 */
struct builder {
	struct gpube_ctx *ctx;
	const struct gpube_graph *g;
	const struct dcop_tree_opts *opts;
	struct dcop_pseudotree *best;
	int32_t *parent, *depth, *preorder;
	int32_t *
		rank[GPUBE_PSEUDOTREE_BEST]; /* of each vertex by a heuristic; NULL: not made yet */
	int32_t *sorted[GPUBE_PSEUDOTREE_BEST]; /* adjacency lists in its order */
	int32_t *first[GPUBE_PSEUDOTREE_BEST];  /* vertices in its order */
	int64_t *next;               /* per vertex: the place in its list that comes next */
	int32_t *visited_neighbours; /* random searches */
	int32_t *seen, stamp;        /* separators */
	int64_t *sep_at;
	int32_t *sep_n, *pool;
	int64_t pool_used, pool_capacity;
	int32_t *number;           /* per vertex, of a distributed search: visited before it */
	int32_t *members, from, n; /* of the component */
	struct gpube_rng rng;
	int64_t work, next_look, n_steps;
	int32_t width, best_width;
	double cells, best_cells;
};

/* ---- heuristics ---------------------------------------------------------------- */

struct keyed {
	const char *name;
	int64_t key;
	int32_t vertex;
	int sign; /* -1: largest first */
};

static int compare_keyed(const void *a, const void *b)
{
	const struct keyed *x = a, *y = b;
	int c = x->name ? strcmp(x->name, y->name) : (x->key > y->key) - (x->key < y->key);

	c *= x->sign;
	return c ? c : (x->vertex > y->vertex) - (x->vertex < y->vertex);
}

/* The vertices in a heuristic's order; 'digits' holds the names of those that have none. */
static int sort_vertices(struct builder *b, enum gpube_pseudotree h, int32_t *first)
{
	const struct gpube_graph *g = b->g;
	bool by_name = h == GPUBE_PSEUDOTREE_MIN_NAME || h == GPUBE_PSEUDOTREE_MAX_NAME;
	struct keyed *keyed = gpube__alloc(b->ctx, (uint64_t)g->n, sizeof(*keyed));
	char(*digits)[16] = gpube__alloc(b->ctx, by_name ? (uint64_t)g->n : 0, sizeof(*digits));

	if (!keyed || !digits) {
		gpube__free(b->ctx, keyed);
		gpube__free(b->ctx, digits);
		return GPUBE_ENOMEM;
	}
	for (int32_t v = 0; v < g->n; v++) {
		keyed[v] = (struct keyed){.vertex = v,
			.key = v,
			.sign = h == GPUBE_PSEUDOTREE_MAX_DEGREE || h == GPUBE_PSEUDOTREE_MAX_ID ||
						h == GPUBE_PSEUDOTREE_MAX_NAME
					? -1
					: 1};
		if (h == GPUBE_PSEUDOTREE_MIN_DEGREE || h == GPUBE_PSEUDOTREE_MAX_DEGREE)
			keyed[v].key = g->start[v + 1] - g->start[v];
		if (!by_name)
			continue;
		keyed[v].name = b->opts->names ? b->opts->names[v] : NULL;
		if (!keyed[v].name) {
			snprintf(digits[v], sizeof(digits[v]), "%d", v);
			keyed[v].name = digits[v];
		}
	}
	if (g->n)
		qsort(keyed, (size_t)g->n, sizeof(*keyed), compare_keyed);
	for (int32_t i = 0; i < g->n; i++)
		first[i] = keyed[i].vertex;
	gpube__free(b->ctx, keyed);
	gpube__free(b->ctx, digits);
	return GPUBE_OK;
}

/* rank, first and sorted of a heuristic, once. */
static int prepare(struct builder *b, enum gpube_pseudotree h)
{
	const struct gpube_graph *g = b->g;
	uint64_t n = (uint64_t)g->n;
	int status;

	if (b->rank[h])
		return GPUBE_OK;
	b->rank[h] = gpube__alloc(b->ctx, n, sizeof(*b->rank[h]));
	b->first[h] = gpube__alloc(b->ctx, n, sizeof(*b->first[h]));
	b->sorted[h] = gpube__alloc(b->ctx, (uint64_t)g->start[g->n], sizeof(*b->sorted[h]));
	if (!b->rank[h] || !b->first[h] || !b->sorted[h])
		return GPUBE_ENOMEM;
	status = sort_vertices(b, h, b->first[h]);
	if (status)
		return status;
	memcpy(b->next, g->start, (size_t)g->n * sizeof(*b->next));
	for (int32_t i = 0; i < g->n; i++) { /* each list is filled in the order of all vertices */
		int32_t v = b->first[h][i];

		b->rank[h][v] = i;
		for (int64_t k = g->start[v]; k < g->start[v + 1]; k++)
			b->sorted[h][b->next[g->adjacent[k]]++] = v;
	}
	return GPUBE_OK;
}

/* ---- one search ------------------------------------------------------------------ */

/*
 * The unvisited neighbour of v that a random search takes: the one with most
 * visited neighbours, which keeps separators small, now and then another one.
 */
static int32_t random_neighbour(struct builder *b, int32_t v)
{
	const struct gpube_graph *g = b->g;
	int32_t best = -1;
	double best_key = 0;

	for (int64_t k = g->start[v]; k < g->start[v + 1]; k++) {
		int32_t u = g->adjacent[k];
		double key;

		if (b->depth[u] >= 0)
			continue;
		key = b->visited_neighbours[u] + 2 * gpube__rng_unit(&b->rng);
		if (best < 0 || key > best_key) {
			best = u;
			best_key = key;
		}
	}
	b->work += g->start[v + 1] - g->start[v];
	return best;
}

static int32_t next_neighbour(struct builder *b, int32_t v, const int32_t *sorted)
{
	while (b->next[v] < b->g->start[v + 1]) {
		int32_t u = sorted[b->next[v]++];

		if (b->depth[u] < 0)
			return u;
	}
	return -1;
}

static void visit(struct builder *b, int32_t v, int32_t parent, int32_t at, bool random)
{
	const struct gpube_graph *g = b->g;

	b->parent[v] = parent;
	b->depth[v] = parent < 0 ? 0 : b->depth[parent] + 1;
	b->preorder[at] = v;
	b->next[v] = g->start[v];
	for (int64_t k = g->start[v]; random && k < g->start[v + 1]; k++)
		b->visited_neighbours[g->adjacent[k]]++;
}

/* Between two looks for a stop: some milliseconds. */
enum { WORK_BETWEEN_LOOKS = 1 << 20, STEPS_BETWEEN_LOOKS = 1 << 12 };

static int look(struct builder *b)
{
	if (b->work < b->next_look && ++b->n_steps % STEPS_BETWEEN_LOOKS)
		return GPUBE_OK;
	b->next_look = b->work + WORK_BETWEEN_LOOKS;
	return gpube__stopped(b->ctx) ? gpube__fail_stopped(b->ctx) : GPUBE_OK;
}

/*
 * One depth-first search of the component; sorted NULL: at random, which is given up where it looks
 * at more neighbours than all searches may together. *whole: it was not. Errors: ESTOP
 */
static int search(struct builder *b, int32_t root, const int32_t *sorted, bool *whole)
{
	int32_t at = b->from, v = root;
	int status = look(b);

	for (int32_t i = 0; i < b->n; i++) {
		b->depth[b->members[i]] = -1;
		b->visited_neighbours[b->members[i]] = 0;
	}
	visit(b, root, -1, at++, !sorted);
	while (v >= 0 && !status && (sorted || b->work < 2 * BEST_WORK)) {
		int32_t u = sorted ? next_neighbour(b, v, sorted) : random_neighbour(b, v);

		if (u >= 0)
			visit(b, u, v, at++, !sorted);
		v = u >= 0 ? u : b->parent[v];
		status = look(b);
	}
	*whole = at == b->from + b->n;
	return status;
}

/* Takes an ancestor into the separator that is being made. */
static int add_to_separator(struct builder *b, int32_t u, int32_t v)
{
	if (b->seen[u] == b->stamp || u == v)
		return GPUBE_OK;
	b->seen[u] = b->stamp;
	if (gpube__grow(b->ctx, &b->pool, &b->pool_capacity, b->pool_used + 1, sizeof(*b->pool)))
		return GPUBE_ENOMEM;
	b->pool[b->pool_used++] = u;
	return GPUBE_OK;
}

/*
 * Width and cells of the current search: separators from the leaves up, a
 * vertex after its children. Gives up (width INT32_MAX) where the best is better.
 */
static int measure(struct builder *b)
{
	const struct gpube_graph *g = b->g;
	int status = GPUBE_OK;

	b->width = 0;
	b->cells = 0;
	b->pool_used = 0;
	for (int32_t i = 0; i < b->n; i++)
		b->sep_n[b->members[i]] = 0;
	for (int32_t i = b->from + b->n - 1; i >= b->from; i--) {
		int32_t v = b->preorder[i];
		int64_t at = b->pool_used;
		double cells = 1;

		status = look(b);
		b->stamp++;
		for (int64_t k = g->start[v]; k < g->start[v + 1] && !status; k++) {
			int32_t u = g->adjacent[k];

			if (b->depth[u] < b->depth[v])
				status = add_to_separator(b, u, v);
			else if (b->parent[u] == v)
				for (int64_t j = 0; j < b->sep_n[u] && !status; j++)
					status = add_to_separator(b, b->pool[b->sep_at[u] + j], v);
		}
		if (status)
			return status;
		b->sep_at[v] = at;
		b->sep_n[v] = (int32_t)(b->pool_used - at);
		for (int64_t k = at; k < b->pool_used; k++)
			cells *= g->domain[b->pool[k]];
		b->cells += cells;
		b->work += 2 * (b->pool_used - at) + g->start[v + 1] - g->start[v];
		if (b->sep_n[v] > b->width)
			b->width = b->sep_n[v];
		if (b->width > b->best_width) {
			b->width = INT32_MAX;
			return GPUBE_OK;
		}
	}
	return GPUBE_OK;
}

static void keep(struct builder *b)
{
	struct dcop_pseudotree *t = b->best;

	b->best_width = b->width;
	b->best_cells = b->cells;
	memcpy(t->preorder + b->from, b->preorder + b->from, (size_t)b->n * sizeof(*t->preorder));
	for (int32_t i = 0; i < b->n; i++) {
		int32_t v = b->members[i];

		t->parent[v] = b->parent[v];
		t->depth[v] = b->depth[v];
	}
}

/*
 * The component's part of the tree that the agents have built: each follows on an agent in whose
 * subtree it is, and every edge joins an agent with one above it.
 */
static int adopt(struct builder *b)
{
	const struct gpube_graph *g = b->g;
	int32_t *end = b->sep_n; /* of v's subtree, in the preorder */
	bool sound = true;

	for (int32_t i = 0; i < b->n; i++)
		b->preorder[b->from + i] = -1;
	for (int32_t i = 0; i < b->n && sound; i++) {
		const int32_t v = b->members[i], k = b->number[v];

		sound = k >= 0 && k < b->n && b->preorder[b->from + k] < 0;
		if (sound)
			b->preorder[b->from + k] = v;
	}
	for (int32_t i = 0; i < b->n && sound; i++) {
		const int32_t v = b->preorder[b->from + i], parent = b->parent[v];
		int32_t above = i ? b->preorder[b->from + i - 1] : -1;

		while (above >= 0 && above != parent)
			above = b->parent[above];
		sound = above == parent && (parent >= 0) == (i > 0);
		b->depth[v] = parent < 0 || !sound ? 0 : b->depth[parent] + 1;
		end[v] = i + 1;
	}
	for (int32_t i = b->n - 1; i > 0 && sound; i--) {
		const int32_t v = b->preorder[b->from + i];

		if (end[v] > end[b->parent[v]])
			end[b->parent[v]] = end[v];
		for (int64_t k = g->start[v]; k < g->start[v + 1] && sound; k++) {
			const int32_t u = g->adjacent[k];

			sound = b->number[u] < b->number[v] ? true : b->number[u] < end[v];
		}
	}
	return sound ? GPUBE_OK
		     : gpube__fail(b->ctx, GPUBE_EBUG,
			       "internal error: the agents have built no pseudo-tree; please "
			       "report "
			       "this");
}

/* The search's tree, or with 'number' the agents', against the best so far. */
static int try_one(struct builder *b, int32_t root, const int32_t *sorted)
{
	bool whole = true;
	int status = b->number ? adopt(b) : search(b, root, sorted, &whole);

	if (status || !whole)
		return status;
	b->best->n_searched++;
	status = measure(b);
	if (!status && (b->width < b->best_width ||
			       (b->width == b->best_width && b->cells < b->best_cells)))
		keep(b);
	return status;
}

/* ---- one component ------------------------------------------------------------------- */

static bool in_component(const struct builder *b, const int32_t *component, int32_t v)
{
	return v >= 0 && component[v] == component[b->members[0]];
}

static int32_t default_root(
	const struct builder *b, enum gpube_pseudotree h, const int32_t *component)
{
	int32_t best = b->members[0];

	if (in_component(b, component, b->opts->root))
		return b->opts->root;
	for (int32_t i = 1; i < b->n; i++)
		if (b->rank[h][b->members[i]] < b->rank[h][best])
			best = b->members[i];
	return best;
}

/* Every heuristic from every root, or from as many as the budget allows, then random searches. */
static int search_best(struct builder *b, const int32_t *component)
{
	bool given = in_component(b, component, b->opts->root);
	int32_t n_roots = given ? 1 : b->n;
	int status = GPUBE_OK;

	b->work = b->next_look = 0;
	for (int32_t i = 0; i < n_roots && b->work < BEST_WORK && !status; i++)
		for (int h = GPUBE_PSEUDOTREE_MIN_DEGREE; h < GPUBE_PSEUDOTREE_BEST && !status;
			h++) {
			status = prepare(b, (enum gpube_pseudotree)h);
			if (!status)
				status = try_one(
					b, given ? b->opts->root : b->members[i], b->sorted[h]);
		}
	for (int32_t i = 0; i < b->opts->tries && b->work < 2 * BEST_WORK && !status; i++) {
		int32_t root = given ? b->opts->root
				     : b->members[gpube__rng_below(&b->rng, (uint64_t)b->n)];

		status = try_one(b, root, NULL);
	}
	return status;
}

static int search_component(struct builder *b, const int32_t *component)
{
	/* one vertex is a tree of one kind */
	enum gpube_pseudotree h =
		b->n == 1 && !b->number ? GPUBE_PSEUDOTREE_MAX_DEGREE : b->opts->heuristic;
	int status;

	b->best_width = INT32_MAX;
	b->best_cells = 0;
	if (h == GPUBE_PSEUDOTREE_BEST) {
		status = search_best(b, component);
	} else {
		status = prepare(b, h);
		if (!status)
			status = try_one(b, default_root(b, h, component), b->sorted[h]);
	}
	if (!status && b->best_width > b->best->width)
		b->best->width = b->best_width;
	b->best->cells += b->best_cells;
	return status;
}

/* Parents and numbers by messages of the agents. */
static int ask_agents(struct builder *b)
{
	const enum gpube_pseudotree h = b->opts->heuristic;
	struct dcop_dfs dfs = {.ctx = b->ctx, .g = b->g, .opts = b->opts, .parent = b->parent};
	int status;

	if (h == GPUBE_PSEUDOTREE_BEST)
		return gpube__fail(b->ctx, GPUBE_EINVAL,
			"agents cannot compare whole pseudo-trees: with a distributed search "
			"take another rule than best");
	b->number = gpube__alloc(b->ctx, (uint64_t)b->g->n, sizeof(*b->number));
	status = b->number ? prepare(b, h) : GPUBE_ENOMEM;
	dfs.place = b->rank[h];
	dfs.sorted = b->sorted[h];
	dfs.number = b->number;
	return status ? status : dcop__distributed_dfs(&b->best->construction, &dfs);
}

/* ---- the forest ------------------------------------------------------------------------ */

static int list_pseudo_parents(struct dcop_pseudotree *t, const struct gpube_graph *g)
{
	int64_t used = 0;

	t->pseudo_at = gpube__alloc(t->ctx, (uint64_t)t->n + 1, sizeof(*t->pseudo_at));
	t->pseudo = gpube__alloc(t->ctx, (uint64_t)g->start[g->n] / 2, sizeof(*t->pseudo));
	if (!t->pseudo_at || !t->pseudo)
		return GPUBE_ENOMEM;
	for (int32_t v = 0; v < t->n; v++) {
		t->pseudo_at[v] = used;
		for (int64_t k = g->start[v]; k < g->start[v + 1]; k++) {
			int32_t u = g->adjacent[k];

			if (t->depth[u] < t->depth[v] && u != t->parent[v])
				t->pseudo[used++] = u;
		}
	}
	t->pseudo_at[t->n] = used;
	return GPUBE_OK;
}

static int builder_init(struct builder *b)
{
	uint64_t n = (uint64_t)b->g->n;

	b->parent = gpube__alloc(b->ctx, n, sizeof(*b->parent));
	b->depth = gpube__alloc(b->ctx, n, sizeof(*b->depth));
	b->preorder = gpube__alloc(b->ctx, n, sizeof(*b->preorder));
	b->next = gpube__alloc(b->ctx, n, sizeof(*b->next));
	b->visited_neighbours = gpube__alloc(b->ctx, n, sizeof(*b->visited_neighbours));
	b->seen = gpube__alloc_zero(b->ctx, n, sizeof(*b->seen));
	b->sep_at = gpube__alloc(b->ctx, n, sizeof(*b->sep_at));
	b->sep_n = gpube__alloc(b->ctx, n, sizeof(*b->sep_n));
	b->members = gpube__alloc(b->ctx, n, sizeof(*b->members));
	return b->parent && b->depth && b->preorder && b->next && b->visited_neighbours &&
			       b->seen && b->sep_at && b->sep_n && b->members
		       ? GPUBE_OK
		       : GPUBE_ENOMEM;
}

static void builder_clear(struct builder *b)
{
	for (int h = 0; h < GPUBE_PSEUDOTREE_BEST; h++) {
		GPUBE_FREE_ALL(b->ctx, b->rank[h], b->first[h], b->sorted[h]);
	}
	GPUBE_FREE_ALL(b->ctx, b->parent, b->depth, b->preorder, b->next, b->visited_neighbours,
		b->seen, b->sep_at, b->sep_n, b->number, b->members, b->pool);
}

/* Vertices by component, in rows of 'list'. */
static void group(const int32_t *component, int32_t n, int32_t n_groups, int64_t *at, int32_t *list)
{
	for (int32_t v = 0; v < n; v++)
		GPUBE_ROW_COUNT(at, component[v]);
	GPUBE_ROWS_BEGIN(at, n_groups);
	for (int32_t v = 0; v < n; v++)
		list[GPUBE_ROW_PLACE(at, component[v])] = v;
}

static int search_all(struct builder *b, const int32_t *component, int32_t n_components)
{
	int64_t *at = gpube__alloc_zero(b->ctx, (uint64_t)n_components + 2, sizeof(*at));
	int32_t *list = gpube__alloc(b->ctx, (uint64_t)b->g->n, sizeof(*list));
	int status = at && list ? GPUBE_OK : GPUBE_ENOMEM;

	if (!status)
		group(component, b->g->n, n_components, at, list);
	for (int32_t c = 0; c < n_components && !status; c++) {
		b->from = (int32_t)at[c];
		b->n = (int32_t)(at[c + 1] - at[c]);
		memcpy(b->members, list + at[c], (size_t)b->n * sizeof(*list));
		status = search_component(b, component);
	}
	gpube__free(b->ctx, at);
	gpube__free(b->ctx, list);
	return status;
}

int dcop_pseudotree_new(struct dcop_pseudotree **out, struct gpube_ctx *ctx,
	const struct gpube_graph *g, const struct dcop_tree_opts *opts)
{
	static const struct dcop_tree_opts usual = {
		.heuristic = GPUBE_PSEUDOTREE_MAX_DEGREE, .root = -1};
	struct dcop_tree_opts o = opts ? *opts : usual;
	struct builder b = {.ctx = ctx, .g = g, .opts = &o};
	struct dcop_pseudotree *t;
	uint64_t n = (uint64_t)g->n;
	int status = GPUBE_ENOMEM;

	*out = NULL;
	if (o.root >= g->n)
		return gpube__fail(
			ctx, GPUBE_EINVAL, "there is no vertex %d to be the root", o.root);
	if (o.heuristic == GPUBE_PSEUDOTREE_AUTO)
		o.heuristic = o.distributed ? GPUBE_PSEUDOTREE_MAX_DEGREE : GPUBE_PSEUDOTREE_BEST;
	t = gpube__alloc_zero(ctx, 1, sizeof(*t));
	if (!t)
		return GPUBE_ENOMEM;
	t->ctx = ctx;
	t->n = g->n;
	t->heuristic = o.heuristic;
	t->parent = gpube__alloc(ctx, n, sizeof(*t->parent));
	t->depth = gpube__alloc(ctx, n, sizeof(*t->depth));
	t->tree = gpube__alloc(ctx, n, sizeof(*t->tree));
	t->preorder = gpube__alloc(ctx, n, sizeof(*t->preorder));
	b.best = t;
	gpube__rng_init(&b.rng, o.seed);
	if (!t->parent || !t->depth || !t->tree || !t->preorder || builder_init(&b))
		goto out;
	t->n_trees = gpube__graph_components(ctx, g, t->tree);
	if (t->n_trees < 0)
		goto out;
	status = o.distributed ? ask_agents(&b) : GPUBE_OK;
	if (!status)
		status = search_all(&b, t->tree, t->n_trees);
	if (!status)
		status = list_pseudo_parents(t, g);
out:
	builder_clear(&b);
	if (status) {
		dcop_pseudotree_free(t);
		return status;
	}
	*out = t;
	return GPUBE_OK;
}

void dcop_pseudotree_free(struct dcop_pseudotree *t)
{
	if (!t)
		return;
	GPUBE_FREE_ALL(
		t->ctx, t->parent, t->depth, t->tree, t->preorder, t->pseudo_at, t->pseudo, t);
}
