/* tree_bytes.c - a search tree with its open nodes as numbers: see dfs_tree.h. */
#include "gpube/bound/dfs_tree.h"

#include "gpube/ir/model_bytes.h"

/* ---- writing --------------------------------------------------------------------------------- */

/* All nodes of a block, open or held: 'each' is called with every one. */
static void for_nodes(const struct gpube_dfs_block *k,
	void (*each)(struct gpube__bytes *to, const struct gpube_frontier_node *node, int64_t *n),
	struct gpube__bytes *to, int64_t *n)
{
	for (int64_t j = 0; j < k->open.n; j++)
		each(to, &k->open.nodes[j], n);
	for (const struct gpube_frontier_hand *hand = k->open.held; hand; hand = hand->next)
		each(to, &hand->node, n);
}

/* The root has no path, or an empty one. */
static void forget_mark(struct gpube__bytes *to, const struct gpube_frontier_node *node, int64_t *n)
{
	(void)to;
	++*n;
	if (node->path)
		node->path->mark = -1;
}

static void put_decision(struct gpube__bytes *to, const struct gpube_decision *step)
{
	gpube__put(to, step->var);
	gpube__put(to, step->value);
	gpube__put(to, step->side);
}

static void put_path(struct gpube__bytes *to, const struct gpube_frontier_node *node, int64_t *n)
{
	const struct gpube_frontier_path *path = node->path;
	int64_t length;

	if (!path || path->mark >= 0)
		return;
	node->path->mark = (*n)++;
	length = gpube__frontier_path_length(path);
	gpube__put(to, length);
	for (int64_t k = 0; k < length; k++)
		put_decision(to, &path->decisions[k]);
}

static void put_node(struct gpube__bytes *to, const struct gpube_frontier_node *node, int64_t *n)
{
	(void)n;
	gpube__put(to, node->path ? node->path->mark : -1);
	gpube__put(to, __atomic_load_n(&node->bound, __ATOMIC_RELAXED));
	gpube__put(to, node->depth);
	gpube__put(to, node->turned);
}

static void put_block(
	struct gpube__bytes *to, const struct gpube_dfs_tree *s, int32_t i, bool with_nodes)
{
	const struct gpube_dfs_block *k = &s->blocks[i];
	const bool opened = k->opened && with_nodes;
	int64_t n_nodes = 0, n_paths = 0;

	gpube__put(to, s->workers[0].roots[i]);
	gpube__put(to, k->closed);
	gpube__put(to, k->sweeping);
	gpube__put(to, opened);
	gpube__put(to, k->swept);
	gpube__put(to, k->lower);
	gpube__put(to, k->upper);
	gpube__put(to, k->n_runs);
	gpube__put(to, k->opened ? k->n_searched : 0);
	gpube__put_real(to, k->opened ? k->part_left : 1);
	gpube__put_real(to, k->nodes);
	if (!opened || k->closed)
		return;
	for_nodes(k, forget_mark, to, &n_nodes);
	for_nodes(k, put_path, to, &n_paths);
	gpube__put(to, -1); /* no more paths */
	gpube__put(to, n_nodes);
	for_nodes(k, put_node, to, &n_nodes);
	gpube__put(to, (int64_t)k->part);
}

void gpube__put_tree(struct gpube__bytes *to, struct gpube_dfs_tree *s, bool with_nodes)
{
	gpube__put(to, (int64_t)gpube__model_hash(s->m));
	gpube__put(to, s->made_below);
	gpube__put(to, s->m->n_vars);
	gpube__put_all(to, s->t->order, s->t->n);
	gpube__put_real(to, s->joined);
	gpube__put_real(to, s->seconds);
	gpube__put(to, s->n_sweeps);
	gpube__put(to, s->swept);
	gpube__put_dfs(to, s->t);
	pthread_mutex_lock(&s->lock);
	gpube__put(to, s->n_nodes);
	gpube__put_all(to, s->best, s->t->n);
	for (int32_t i = 0; i < s->n_blocks; i++)
		put_block(to, s, i, with_nodes);
	pthread_mutex_unlock(&s->lock);
}

void gpube__put_tree_node(
	struct gpube__bytes *to, int32_t block, const struct gpube_frontier_node *node)
{
	const int32_t n = node->depth + node->turned;

	gpube__put(to, block);
	gpube__put(to, node->bound);
	gpube__put(to, n);
	for (int32_t k = 0; k < n; k++) {
		const struct gpube_decision step = gpube__frontier_decision(node, k);

		put_decision(to, &step);
	}
}

/* ---- reading --------------------------------------------------------------------------------- */

/* The paths of a block's nodes, by number. */
struct paths {
	struct gpube_frontier_path **path;
	int64_t n, capacity;
};

static void get_decisions(struct gpube__bytes *from, const struct gpube_dfs_tree *s,
	struct gpube_decision *to, int64_t n)
{
	for (int64_t k = 0; k < n && !from->status; k++) {
		to[k].var = (int32_t)gpube__get(from, 0, (int64_t)s->t->n - 1);
		to[k].value = (int32_t)gpube__get(from, 0, INT32_MAX);
		to[k].side = (enum gpube_decision_side)gpube__get(from, 0, GPUBE__DECISION_FROM);
		if (to[k].side <= GPUBE__DECISION_IS_NOT &&
			to[k].value >= s->m->vars[s->t->order[to[k].var]].domain)
			(void)gpube__damaged(from, "a decision in it is out of its range");
	}
}

/* A path of so many decisions; NULL after a failure. */
static struct gpube_frontier_path *get_path(struct gpube__bytes *from,
	const struct gpube_dfs_tree *s, struct gpube_dfs_block *k, int64_t length)
{
	struct gpube_decision *steps = gpube__alloc(from->ctx, (uint64_t)length, sizeof(*steps));
	struct gpube_frontier_path *path = NULL;

	if (steps)
		get_decisions(from, s, steps, length);
	if (steps && !from->status)
		path = gpube__frontier_path(&k->open, from->ctx, steps, length);
	gpube__free(from->ctx, steps);
	if (!path && !from->status)
		from->status = GPUBE_ENOMEM;
	return path;
}

static int get_paths(struct gpube__bytes *from, struct gpube_dfs_tree *s, struct gpube_dfs_block *k,
	struct paths *paths)
{
	int64_t length;

	while ((length = gpube__get(from, -1, from->n - from->next)) >= 0 && !from->status) {
		if (gpube__grow(from->ctx, &paths->path, &paths->capacity, paths->n + 1,
			    sizeof(struct gpube_frontier_path *)))
			from->status = GPUBE_ENOMEM;
		else if ((paths->path[paths->n] = get_path(from, s, k, length)) != NULL)
			paths->n++;
	}
	return from->status;
}

static void drop_unused(
	struct gpube__bytes *from, struct gpube_dfs_block *k, struct gpube_frontier_path *path)
{
	if (path->users)
		return;
	k->open.bytes -= path->bytes;
	gpube__free(from->ctx, path);
}

int gpube__get_tree_node(struct gpube__bytes *from, struct gpube_dfs_tree *s)
{
	struct gpube_dfs_block *k = &s->blocks[gpube__get(from, 0, (int64_t)s->n_blocks - 1)];
	struct gpube_frontier_node node = {.bound = gpube__get(from, 0, GPUBE__DFS_MOST)};
	const int64_t n = gpube__get_count(from);

	if (from->status || (node.path = get_path(from, s, k, n)) == NULL)
		return from->status;
	node.depth = (int32_t)n;
	if (!k->closed)
		from->status = gpube__frontier_push(&k->open, from->ctx, &node);
	if (!k->closed && !from->status)
		k->part = gpube__part_sub(k->part, gpube__node_part(&node));
	drop_unused(from, k, node.path);
	return from->status;
}

static int get_node(struct gpube__bytes *from, struct gpube_dfs_block *k, const struct paths *paths)
{
	const int64_t path = gpube__get(from, -1, paths->n - 1);
	struct gpube_frontier_node node = {.path = path < 0 ? NULL : paths->path[path]};
	const int64_t length = node.path ? gpube__frontier_path_length(node.path) : 0;

	node.bound = gpube__get(from, 0, GPUBE__DFS_MOST);
	node.depth = (int32_t)gpube__get(from, 0, length);
	node.turned = gpube__get(from, 0, 1);
	if (node.depth + node.turned > length)
		(void)gpube__damaged(from, "a node in it has no decisions");
	if (!from->status)
		from->status = gpube__frontier_push(&k->open, from->ctx, &node);
	return from->status;
}

static int get_nodes(struct gpube__bytes *from, struct gpube_dfs_tree *s, struct gpube_dfs_block *k)
{
	struct paths paths = {0};
	int64_t n = get_paths(from, s, k, &paths) ? 0 : gpube__get_count(from);

	for (; n > 0 && !from->status; n--)
		(void)get_node(from, k, &paths);
	for (int64_t i = 0; i < paths.n; i++)
		drop_unused(from, k, paths.path[i]);
	gpube__free(from->ctx, paths.path);
	k->part = (uint64_t)gpube__get(from, 0, GPUBE__PARTS - 1);
	if (!from->status && gpube__part_add(k->part, gpube__frontier_rest(&k->open)) != 1)
		(void)gpube__damaged(from, "parts of its search tree do not add up to the whole");
	return from->status;
}

static int get_block(struct gpube__bytes *from, struct gpube_dfs_tree *s, int32_t i)
{
	struct gpube_dfs_block *k = &s->blocks[i];

	s->workers[0].roots[i] = gpube__get(from, 0, GPUBE__DFS_MOST);
	k->closed = gpube__get(from, 0, 1);
	k->sweeping = gpube__get(from, 0, 1);
	k->opened = gpube__get(from, 0, 1);
	k->swept = (enum gpube_dfs_swept)gpube__get(from, 0, GPUBE__DFS_BACKWARD);
	k->lower = gpube__get(from, 0, GPUBE__DFS_MOST - s->lower);
	k->upper = gpube__get(from, 0, GPUBE_INF);
	k->n_runs = (int32_t)gpube__get(from, 0, INT32_MAX / 2);
	k->n_searched = gpube__get(from, 0, INT64_MAX / 2);
	k->part_left = gpube__get_real(from);
	k->nodes = gpube__get_real(from);
	s->lower += k->lower;
	if (!from->status && gpube__dfs_tree_price(s, k) != k->upper)
		(void)gpube__damaged(from, "an assignment does not cost what it says");
	return from->status || !k->opened || k->closed ? from->status : get_nodes(from, s, k);
}

static int get_rest(struct gpube__bytes *from, struct gpube_dfs_tree *s)
{
	s->joined = gpube__get_real(from);
	s->seconds = gpube__get_real(from);
	s->n_sweeps = (int32_t)gpube__get(from, 0, INT32_MAX / 2);
	s->swept = gpube__get(from, 0, 1);
	if (gpube__get_dfs(s->t, from))
		return from->status;
	s->n_nodes = gpube__get(from, 0, INT64_MAX / 2);
	for (int32_t p = 0; p < s->t->n; p++)
		s->best[p] = (int32_t)gpube__get(
			from, -1, (int64_t)s->m->vars[s->t->order[p]].domain - 1);
	for (int32_t i = 0; i < s->n_blocks && !from->status; i++)
		(void)get_block(from, s, i);
	return from->status;
}

int gpube__get_tree(struct gpube_bounder *b, struct gpube__bytes *from)
{
	const int64_t hash = gpube__get(from, INT64_MIN, INT64_MAX),
		      below = gpube__get(from, -GPUBE_INF, GPUBE_INF), n = gpube__get_count(from);
	int32_t *order = gpube__alloc(b->ctx, (uint64_t)n, sizeof(*order));
	struct gpube_dfs_tree *s;
	bool same;

	if (!order)
		return GPUBE_ENOMEM;
	gpube__get_all(from, order, n, 0, INT32_MAX);
	if (!from->status)
		from->status = gpube__dfs_tree_again(b, order, (int32_t)n, below);
	gpube__free(b->ctx, order);
	s = b->state.tree;
	if (from->status)
		return from->status;
	same = s->t && (int64_t)gpube__model_hash(s->m) == hash;
	if (!same)
		gpube__log(b->ctx, GPUBE_LOG_NOTE,
			"the search tree was another program's, and begins anew");
	if (!same || get_rest(from, s)) {
		gpube__dfs_tree_free(s);
		b->state.tree = NULL;
	}
	return from->status;
}
