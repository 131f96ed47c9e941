/* plan.c - see plan.h. */
#include "dcop/plan.h"
#include "gpube/base/rows.h"
#include "gpube/order/order.h"
#include "gpube/relax/scaling.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

void dcop__plan_clear(struct dcop_plan *p)
{
	struct gpube_ctx *ctx = p->ctx;

	gpube__mbe_clear(&p->mbe);
	dcop_pseudotree_free(p->tree);
	gpube__graph_clear(ctx, &p->variables);
	gpube__graph_clear(ctx, &p->graph);
	gpube__free(ctx, p->order);
	gpube__free(ctx, p->first);
	gpube__free(ctx, p->n_own);
	gpube__free(ctx, p->agent_at);
	gpube__free(ctx, p->child_at);
	gpube__free(ctx, p->child);
	gpube__free(ctx, p->separator_at);
	gpube__free(ctx, p->separator);
	gpube__free(ctx, p->sends_at);
	gpube__free(ctx, p->sends);
	gpube__free(ctx, p->rank);
	dcop_agents_clear(ctx, &p->own_agents);
	gpube__simplified_clear(ctx, &p->s);
	gpube_model_free(p->quantised);
	memset(p, 0, sizeof(*p));
}

/* ---- the tree ---------------------------------------------------------------------- */

/* The graph of the agents and its pseudo-tree. */
static int build_tree(struct dcop_pseudotree **tree, struct gpube_graph *graph,
	struct gpube_graph *variables, const struct gpube_model *m,
	const struct dcop_agents *agents, const struct dcop_tree_opts *opts)
{
	struct dcop_tree_opts o =
		opts ? *opts
		     : (struct dcop_tree_opts){
			       .heuristic = GPUBE_PSEUDOTREE_MAX_DEGREE, .root = -1};
	int status = dcop__check_agents(m->ctx, agents, m->n_vars);

	o.names = (const char *const *)agents->names;
	if (!status)
		status = gpube__graph_of_model(variables, m);
	if (!status)
		status = dcop__agent_graph(graph, m->ctx, variables, agents);
	return status ? status : dcop_pseudotree_new(tree, m->ctx, graph, &o);
}

int dcop_tree_of(struct dcop_pseudotree **out, const struct gpube_model *m,
	const struct dcop_agents *agents, const struct dcop_tree_opts *opts)
{
	struct gpube_graph variables = {0}, graph = {0};
	struct dcop_agents each = {0};
	int status = agents ? gpube__check_kind(m, GPUBE__NETWORKS) : dcop_agents_each(&each, m);

	*out = NULL;
	if (!status)
		status = build_tree(out, &graph, &variables, m, agents ? agents : &each, opts);
	gpube__graph_clear(m->ctx, &variables);
	gpube__graph_clear(m->ctx, &graph);
	dcop_agents_clear(m->ctx, &each);
	return status;
}

static int list_children(struct dcop_plan *p)
{
	const struct dcop_pseudotree *t = p->tree;

	p->child_at = gpube__alloc_zero(p->ctx, (uint64_t)t->n + 2, sizeof(*p->child_at));
	p->child = gpube__alloc(p->ctx, (uint64_t)t->n, sizeof(*p->child));
	if (!p->child_at || !p->child)
		return GPUBE_ENOMEM;
	for (int32_t a = 0; a < t->n; a++)
		if (t->parent[a] >= 0)
			GPUBE_ROW_COUNT(p->child_at, t->parent[a]);
	GPUBE_ROWS_BEGIN(p->child_at, t->n);
	for (int32_t a = 0; a < t->n; a++)
		if (t->parent[a] >= 0)
			p->child[GPUBE_ROW_PLACE(p->child_at, t->parent[a])] = a;
	return GPUBE_OK;
}

/* ---- separators ------------------------------------------------------------------------ */

/* Own variables, chained by agent. */
struct owned {
	int32_t *head, *next;
};

static int chain_owned(struct owned *o, const struct dcop_plan *p)
{
	o->head = gpube__alloc(p->ctx, (uint64_t)p->agents->n, sizeof(*o->head));
	o->next = gpube__alloc(p->ctx, (uint64_t)p->m->n_vars, sizeof(*o->next));
	if (!o->head || !o->next)
		return GPUBE_ENOMEM;
	for (int32_t a = 0; a < p->agents->n; a++)
		o->head[a] = -1;
	for (int32_t v = p->m->n_vars - 1; v >= 0; v--) {
		o->next[v] = o->head[p->agents->owner[v]];
		o->head[p->agents->owner[v]] = v;
	}
	return GPUBE_OK;
}

/* A growing list of lists: separators as they are found, from the leaves up. */
struct pool {
	int32_t *v, *seen;
	int64_t used, capacity;
	int64_t *at, *end; /* per agent */
};

static int pool_add(const struct dcop_plan *p, struct pool *pool, int32_t var, int32_t a)
{
	if (p->agents->owner[var] == a || pool->seen[var] == a)
		return GPUBE_OK;
	pool->seen[var] = a;
	if (gpube__grow(p->ctx, &pool->v, &pool->capacity, pool->used + 1, sizeof(*pool->v)))
		return GPUBE_ENOMEM;
	pool->v[pool->used++] = var;
	return GPUBE_OK;
}

/* What agent a's functions reach above it, and what its children's subtrees do. */
static int find_separator(
	const struct dcop_plan *p, const struct owned *owned, struct pool *pool, int32_t a)
{
	const struct gpube_graph *g = &p->variables;
	int status = GPUBE_OK;

	pool->at[a] = pool->used;
	for (int32_t v = owned->head[a]; v >= 0; v = owned->next[v])
		for (int64_t k = g->start[v]; k < g->start[v + 1] && !status; k++) {
			int32_t u = g->adjacent[k];

			if (p->tree->depth[p->agents->owner[u]] < p->tree->depth[a])
				status = pool_add(p, pool, u, a);
		}
	for (int64_t k = p->child_at[a]; k < p->child_at[a + 1]; k++) {
		int64_t j = pool->at[p->child[k]], end = pool->end[p->child[k]];

		for (; pool->v && j < end && !status; j++) /* no list at all: no separators yet */
			status = pool_add(p, pool, pool->v[j], a);
	}
	pool->end[a] = pool->used;
	return status;
}

static int find_separators(struct dcop_plan *p, const struct owned *owned)
{
	int32_t n = p->agents->n;
	struct pool pool = {
		.seen = gpube__alloc(p->ctx, (uint64_t)p->m->n_vars, sizeof(*pool.seen)),
		.at = gpube__alloc(p->ctx, (uint64_t)n, sizeof(*pool.at)),
		.end = gpube__alloc(p->ctx, (uint64_t)n, sizeof(*pool.end))};
	int64_t used = 0;
	int status = pool.seen && pool.at && pool.end ? GPUBE_OK : GPUBE_ENOMEM;

	for (int32_t v = 0; v < p->m->n_vars && !status; v++)
		pool.seen[v] = -1;
	for (int32_t i = n - 1; i >= 0 && !status; i--)
		status = find_separator(p, owned, &pool, p->tree->preorder[i]);
	p->separator_at = gpube__alloc(p->ctx, (uint64_t)n + 1, sizeof(*p->separator_at));
	p->separator = gpube__alloc(p->ctx, (uint64_t)pool.used, sizeof(*p->separator));
	if (!status && (!p->separator_at || !p->separator))
		status = GPUBE_ENOMEM;
	for (int32_t a = 0; a < n && !status; a++) {
		int64_t k = pool.end[a] - pool.at[a];

		p->separator_at[a] = used;
		if (k) {
			memcpy(p->separator + used, pool.v + pool.at[a],
				(size_t)k * sizeof(*pool.v));
			qsort(p->separator + used, (size_t)k, sizeof(*pool.v),
				gpube__compare_int32);
		}
		used += k;
		if (p->tree->depth[a] + 1 > p->height)
			p->height = p->tree->depth[a] + 1;
	}
	if (!status)
		p->separator_at[n] = used;
	gpube__free(p->ctx, pool.v);
	gpube__free(p->ctx, pool.seen);
	gpube__free(p->ctx, pool.at);
	gpube__free(p->ctx, pool.end);
	return status;
}

/* ---- the order --------------------------------------------------------------------------- */

/* Agents from the leaves to the roots, each with its variables in its own order. */
static int make_order(struct dcop_plan *p, const struct owned *owned)
{
	int32_t n = p->agents->n, at = 0;
	int status = GPUBE_OK;

	p->order = gpube__alloc(p->ctx, (uint64_t)p->m->n_vars, sizeof(*p->order));
	p->agent_at = gpube__alloc(p->ctx, (uint64_t)p->m->n_vars, sizeof(*p->agent_at));
	p->first = gpube__alloc(p->ctx, (uint64_t)n, sizeof(*p->first));
	p->n_own = gpube__alloc(p->ctx, (uint64_t)n, sizeof(*p->n_own));
	if (!p->order || !p->agent_at || !p->first || !p->n_own)
		return GPUBE_ENOMEM;
	for (int32_t i = n - 1; i >= 0 && !status; i--) {
		int32_t a = p->tree->preorder[i];

		p->first[a] = at;
		for (int32_t v = owned->head[a]; v >= 0; v = owned->next[v]) {
			p->agent_at[at] = a;
			p->order[at++] = v;
		}
		p->n_own[a] = at - p->first[a];
		status = dcop__local_order(p, a, p->order + p->first[a], p->n_own[a]);
	}
	return status;
}

/* ---- which tables travel -------------------------------------------------------------------- */

/* The agent that takes a mini's table, -1 for a scalar. */
static int32_t taker(const struct dcop_plan *p, const struct gpube_mini *mini)
{
	return mini->consumer < 0 ? -1 : p->agent_at[mini->consumer];
}

static int list_sends(struct dcop_plan *p)
{
	const struct gpube_mbe *mbe = &p->mbe;
	int32_t n = p->agents->n;

	p->sends_at = gpube__alloc_zero(p->ctx, (uint64_t)n + 2, sizeof(*p->sends_at));
	if (!p->sends_at)
		return GPUBE_ENOMEM;
	for (int pass = 0; pass < 2; pass++) {
		for (int32_t k = 0; k < mbe->n_minis; k++) {
			int32_t to = taker(p, &mbe->minis[k]);

			for (int32_t a = p->agent_at[mbe->minis[k].position]; to >= 0 && a != to;
				a = p->tree->parent[a]) {
				if (a < 0)
					return gpube__fail(p->ctx, GPUBE_EBUG,
						"internal error: a table leaves its branch of the "
						"pseudo-tree; please report this");
				if (pass == 0)
					GPUBE_ROW_COUNT(p->sends_at, a);
				else
					p->sends[GPUBE_ROW_PLACE(p->sends_at, a)] = k;
			}
		}
		if (pass == 0) {
			GPUBE_ROWS_BEGIN(p->sends_at, n);
			p->sends = gpube__alloc(
				p->ctx, (uint64_t)p->sends_at[n + 1], sizeof(*p->sends));
			if (!p->sends)
				return GPUBE_ENOMEM;
		}
	}
	return GPUBE_OK;
}

/* Joined cells of what an agent eliminates. */
static double work_of(const struct dcop_plan *p, int32_t a)
{
	double work = 0;

	for (int32_t q = p->first[a]; q < p->first[a] + p->n_own[a]; q++)
		for (int32_t k = p->mbe.first[q]; k < p->mbe.first[q + 1]; k++)
			work += (double)p->mbe.minis[k].cells * p->m->vars[p->order[q]].domain;
	return work;
}

/*
 * Agents to ranks: the preorder cut into runs of about equal work, so that
 * subtrees stay together. Every agent weighs something, so that small trees spread, too.
 */
static int place_agents(struct dcop_plan *p, int n_ranks)
{
	int32_t n = p->agents->n;
	double done = 0, total = p->mbe.joined_cells > 0 ? p->mbe.joined_cells : 1;

	p->rank = gpube__alloc(p->ctx, (uint64_t)n, sizeof(*p->rank));
	if (!p->rank)
		return GPUBE_ENOMEM;
	for (int32_t i = 0; i < n; i++) {
		int32_t a = p->tree->preorder[i];
		double share = (work_of(p, a) / total + 1.0 / n) / 2;
		int rank = (int)((done + share / 2) * n_ranks);

		done += share;
		p->rank[a] = rank < n_ranks ? rank : n_ranks - 1;
	}
	return GPUBE_OK;
}

static int lay_out(struct dcop_plan *p, const struct dcop_opts *opts, int n_ranks)
{
	struct owned owned = {0};
	struct gpube_order_cost cost;
	int status = chain_owned(&owned, p);

	if (!status)
		status = list_children(p);
	if (!status)
		status = find_separators(p, &owned);
	if (!status)
		status = make_order(p, &owned);
	if (!status)
		status = gpube__order_cost(p->ctx, &cost, &p->variables, p->order);
	if (!status) {
		p->width = cost.width;
		status = gpube__mbe_init(&p->mbe, p->m, p->order, opts->z > 0 ? opts->z : INT32_MAX,
			INFINITY, opts->first_fit ? GPUBE_PARTITION_FIRST : GPUBE_PARTITION_SCOPE);
	}
	if (!status)
		status = list_sends(p);
	if (!status)
		status = place_agents(p, n_ranks);
	gpube__free(p->ctx, owned.head);
	gpube__free(p->ctx, owned.next);
	return status;
}

/*
 * Whether no sum of a bucket's tables can pass 64 bits, where costs are moved between minis, too.
 */
static bool sums_fit(const struct dcop_plan *p)
{
	const __int128 left = gpube__costs_left(p->m, p->m->top);

	return 2 * left * (p->mbe.most_inputs + (__int128)1) <= INT64_MAX;
}

static int plan_init(struct dcop_plan *p, const struct gpube_model *m, const struct dcop_opts *opts,
	struct dcop_world *world, enum gpube__narrowing narrowing)
{
	struct dcop_tree_opts tree = opts->tree;
	int status = gpube__check_kind(m, GPUBE__NETWORKS);

	tree.latency = opts->latency;
	tree.world = world;
	memset(p, 0, sizeof(*p));
	p->ctx = m->ctx;
	p->given = p->costs = m;
	if (!status && m->kind == GPUBE_POTENTIALS) {
		status = gpube__quantise(&p->quantised, m, opts->precision);
		p->costs = p->quantised;
	}
	if (!status)
		status = gpube__simplify_below(&p->s, p->costs, GPUBE__CONVERT, narrowing);
	p->m = p->s.model;
	p->agents = opts->agents;
	if (!status && !p->agents) {
		status = dcop_agents_each(&p->own_agents, m);
		p->agents = &p->own_agents;
	}
	if (!status && !p->s.infeasible) {
		const double start = gpube__now();

		status = build_tree(&p->tree, &p->graph, &p->variables, p->m, p->agents, &tree);
		p->seconds_tree = gpube__now() - start;
		if (!status)
			status = lay_out(p, opts, world->n_ranks);
	}
	if (status)
		dcop__plan_clear(p);
	return status;
}

int dcop__plan_init(struct dcop_plan *p, const struct gpube_model *m, const struct dcop_opts *opts,
	struct dcop_world *world)
{
	int status = plan_init(p, m, opts, world, GPUBE__BELOW);

	if (status || p->s.infeasible || sums_fit(p))
		return status;
	dcop__plan_clear(p); /* without costs that no optimum needs */
	return plan_init(p, m, opts, world, GPUBE__SUMS);
}
