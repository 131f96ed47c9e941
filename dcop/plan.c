/* plan.c - see plan.h. */
#include "dcop/plan.h"
#include "gpube/options/options.h"
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
	GPUBE_FREE_ALL(ctx, p->order, p->first, p->n_own, p->agent_at, p->child_at, p->child,
		p->separator_at, p->separator, p->sends_at, p->sends, p->rank);
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

/*
 * Who shares a function with variable v, and all between that agent and v's, have v in their
 * separators, which so are ascending. seen: n agents, for the last variable that was put there
 */
static void put_in_separators(struct dcop_plan *p, int32_t *seen, int32_t v)
{
	const struct gpube_graph *g = &p->variables;
	const int32_t *depth = p->tree->depth, to = p->agents->owner[v];

	for (int64_t k = g->start[v]; k < g->start[v + 1]; k++)
		for (int32_t a = p->agents->owner[g->adjacent[k]];
			depth[a] > depth[to] && seen[a] != v; a = p->tree->parent[a]) {
			seen[a] = v;
			if (p->separator)
				p->separator[GPUBE_ROW_PLACE(p->separator_at, a)] = v;
			else
				GPUBE_ROW_COUNT(p->separator_at, a);
		}
}

static int find_separators(struct dcop_plan *p)
{
	const int32_t n = p->agents->n;
	int32_t *seen = gpube__alloc(p->ctx, (uint64_t)n, sizeof(*seen));

	p->separator_at = gpube__alloc_zero(p->ctx, (uint64_t)n + 2, sizeof(*p->separator_at));
	for (int pass = 0; seen && p->separator_at && pass < 2; pass++) {
		for (int32_t a = 0; a < n; a++) {
			seen[a] = -1;
			if (p->tree->depth[a] + 1 > p->height)
				p->height = p->tree->depth[a] + 1;
		}
		for (int32_t v = 0; v < p->m->n_vars; v++)
			put_in_separators(p, seen, v);
		if (p->separator)
			break;
		GPUBE_ROWS_BEGIN(p->separator_at, n);
		p->separator = gpube__alloc(
			p->ctx, (uint64_t)p->separator_at[n + 1], sizeof(*p->separator));
		if (!p->separator)
			break;
	}
	gpube__free(p->ctx, seen);
	return p->separator ? GPUBE_OK : GPUBE_ENOMEM;
}

/* ---- the order --------------------------------------------------------------------------- */

/* Agents from the leaves to the roots, each with its variables in its own order. */
static int make_order(struct dcop_plan *p)
{
	const int32_t n = p->agents->n, *owner = p->agents->owner;
	int32_t at = 0;
	int status = GPUBE_OK;

	p->order = gpube__alloc(p->ctx, (uint64_t)p->m->n_vars, sizeof(*p->order));
	p->agent_at = gpube__alloc(p->ctx, (uint64_t)p->m->n_vars, sizeof(*p->agent_at));
	p->first = gpube__alloc(p->ctx, (uint64_t)n, sizeof(*p->first));
	p->n_own = gpube__alloc_zero(p->ctx, (uint64_t)n, sizeof(*p->n_own));
	if (!p->order || !p->agent_at || !p->first || !p->n_own)
		return GPUBE_ENOMEM;
	for (int32_t v = 0; v < p->m->n_vars; v++)
		p->n_own[owner[v]]++;
	for (int32_t i = n - 1; i >= 0; i--) {
		const int32_t a = p->tree->preorder[i];

		p->first[a] = at;
		at += p->n_own[a];
		p->n_own[a] = 0;
	}
	for (int32_t v = 0; v < p->m->n_vars; v++) {
		at = p->first[owner[v]] + p->n_own[owner[v]]++;
		p->order[at] = v;
		p->agent_at[at] = owner[v];
	}
	for (int32_t a = 0; a < n && !status; a++)
		status = dcop__local_order(p, a, p->order + p->first[a], p->n_own[a]);
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
	struct gpube_order_cost cost;
	int status = list_children(p);

	if (!status)
		status = find_separators(p);
	if (!status)
		status = make_order(p);
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
