/* dpop.c - gpube_dpop(): options, plan, run, and the checks that make an answer of it. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "dcop/engine.h"
#include "formats/common/named.h"
#include "gpube/bound/bound.h"
#include "gpube/ir/given.h"

/* A result, and what its agents point to. */
struct held {
	struct gpube_dpop_result r;
	struct gpube_ctx *ctx;
	char *names;
	int32_t *pseudo;
};

static void clear_held(struct gpube_ctx *ctx, void *result)
{
	struct held *h = result;

	GPUBE_FREE_ALL(ctx, h->names, h->pseudo, h->r.agents, h->r.owner, h->r.values);
}

/* ---- what the plan says ------------------------------------------------------------- */

static int copy_names(struct held *h, const struct dcop_agents *a)
{
	uint64_t bytes = 1;
	char *at;

	for (int32_t k = 0; a->names && k < a->n; k++)
		bytes += a->names[k] ? strlen(a->names[k]) + 1 : 0;
	at = h->names = gpube__alloc(h->ctx, bytes, 1);
	for (int32_t k = 0; at && a->names && k < a->n; k++)
		if (a->names[k]) {
			h->r.agents[k].name = strcpy(at, a->names[k]);
			at += strlen(at) + 1;
		}
	return at ? GPUBE_OK : GPUBE_ENOMEM;
}

static int copy_agents(struct held *h, const struct dcop_plan *p)
{
	const struct dcop_pseudotree *t = p->tree;
	const int64_t n_pseudo = t->pseudo_at[t->n];
	struct gpube_dpop_result *r = &h->r;

	r->agents = gpube__alloc_zero(p->ctx, (uint64_t)p->agents->n, sizeof(*r->agents));
	r->owner = gpube__alloc(p->ctx, (uint64_t)p->given->n_vars, sizeof(*r->owner));
	h->pseudo = gpube__alloc(p->ctx, (uint64_t)n_pseudo, sizeof(*h->pseudo));
	if (!r->agents || !r->owner || !h->pseudo)
		return GPUBE_ENOMEM;
	if (r->n_vars)
		memcpy(r->owner, p->agents->owner, (size_t)r->n_vars * sizeof(*r->owner));
	if (n_pseudo)
		memcpy(h->pseudo, t->pseudo, (size_t)n_pseudo * sizeof(*h->pseudo));
	r->n_agents = p->agents->n;
	for (int32_t a = 0; a < r->n_agents; a++)
		r->agents[a] = (struct gpube_dpop_agent){.parent = t->parent[a],
			.depth = t->depth[a],
			.tree = t->tree[a],
			.rank = p->rank[a],
			.n_vars = p->n_own[a],
			.separator = (int32_t)(p->separator_at[a + 1] - p->separator_at[a]),
			.n_pseudo_parents = (int32_t)(t->pseudo_at[a + 1] - t->pseudo_at[a]),
			.pseudo_parents = h->pseudo + t->pseudo_at[a],
			.n_tables = (int32_t)(p->sends_at[a + 1] - p->sends_at[a])};
	return copy_names(h, p->agents);
}

static void count_message(struct gpube_dpop_result *r, int64_t *messages, uint64_t bytes)
{
	++*messages;
	r->total_bytes += bytes;
	if (bytes > r->largest_bytes)
		r->largest_bytes = bytes;
}

static void report_messages(struct gpube_dpop_result *r, const struct dcop_plan *p)
{
	for (int32_t a = 0; a < p->agents->n; a++) {
		struct gpube_dpop_agent *agent = &r->agents[a];

		if (agent->parent < 0)
			continue;
		agent->util_bytes = dcop__util_bytes(p, a, r->cell_bytes);
		count_message(r, &r->util_messages, agent->util_bytes);
		count_message(r, &r->value_messages, dcop__value_bytes(p, a));
	}
	for (int64_t k = 0; k < p->sends_at[p->agents->n]; k++)
		r->largest_cells = fmax(r->largest_cells, (double)p->mbe.minis[p->sends[k]].cells);
}

static int describe(struct held *h, const struct dcop_plan *p)
{
	const struct dcop_construction *c = p->tree ? &p->tree->construction : NULL;
	struct gpube_dpop_result *r = &h->r;

	r->n_vars = p->given->n_vars;
	r->scale = p->costs->scale;
	r->backend = "cpu";
	if (p->s.infeasible)
		return GPUBE_OK;
	r->n_trees = p->tree->n_trees;
	r->n_searched = p->tree->n_searched;
	r->tree = p->tree->heuristic;
	r->tree_messages = c->messages;
	r->token_messages = c->token_messages;
	r->tree_rounds = c->rounds;
	r->tree_bytes = c->bytes;
	r->largest_tree_bytes = c->largest_bytes;
	r->tree_seconds = c->seconds;
	r->seconds_tree = p->seconds_tree;
	r->width = p->width;
	r->height = p->height;
	r->n_split = p->mbe.n_split;
	r->joined_cells = p->mbe.joined_cells;
	return copy_agents(h, p);
}

/* ---- what the run came to --------------------------------------------------------------- */

static int take_assignment(struct gpube_dpop_result *r, const struct dcop_plan *p,
	const int32_t *values, int64_t bound)
{
	int64_t cost;
	int status;

	r->values = gpube__alloc(p->ctx, (uint64_t)p->given->n_vars, sizeof(*r->values));
	if (!r->values)
		return GPUBE_ENOMEM;
	gpube__simplified_extend(&p->s, r->values, values);
	status = gpube_model_cost(&cost, p->costs, r->values);
	if (status)
		return status;
	if (cost == GPUBE_INF) {
		gpube__free(p->ctx, r->values);
		r->values = NULL;
	} else if (p->given->kind == GPUBE_POTENTIALS) {
		status = gpube_model_log_value(&r->log_value, p->given, r->values);
		if (status)
			return status;
	}
	r->cost = cost;
	if (r->values && cost == (p->s.negated ? -bound : bound))
		r->answer = GPUBE_ANSWER_OPTIMAL;
	if ((r->values && (p->s.negated ? -cost : cost) < bound) ||
		(p->mbe.n_split == 0 && r->answer != GPUBE_ANSWER_OPTIMAL))
		return gpube__fail(p->ctx, GPUBE_EBUG,
			"internal error: the bound is %lld and the assignment costs %lld; please "
			"report this",
			(long long)bound, (long long)cost);
	return GPUBE_OK;
}

static int report(struct gpube_dpop_result *r, const struct dcop_engine *e)
{
	const struct dcop_plan *p = e->plan;
	int64_t total = 0, bound;

	for (int32_t a = 0; a < p->agents->n; a++) {
		const struct dcop_node *node = &e->nodes[a];

		r->agents[a].seconds_util = node->seconds_util;
		r->agents[a].seconds_value = node->seconds_value;
		r->agents[a].clock = node->clock;
		r->simulated_seconds = fmax(r->simulated_seconds, node->clock);
		if (r->agents[a].parent < 0) {
			total += node->total;
			if (total > e->costs.cutoff)
				total = e->costs.cutoff;
		}
	}
	bound = gpube__mbe_bound(&e->costs, total);
	r->bound = p->s.negated ? -bound : bound;
	r->bounded = true;
	if (bound == p->m->top || bound == GPUBE_INF) { /* every total reaches top */
		r->answer = GPUBE_ANSWER_INFEASIBLE;
		return GPUBE_OK;
	}
	return take_assignment(r, p, e->values, bound);
}

/* Where one rank was stopped, all are. One that does not come has failed in what came before. */
static int agree(struct dcop_world *world, int status)
{
	const int own = status;
	char text[sizeof(world->ctx->error)];

	memcpy(text, world->ctx->error, sizeof(text));
	status = dcop_world_agree(world, status);
	if (own && world->failed < 0)
		return gpube__fail(world->ctx, (enum gpube_status)own, "%s", text);
	return status && world->stopped ? gpube__fail_stopped(world->ctx) : status;
}

static int run(struct gpube_dpop_result *r, const struct dcop_plan *p, const struct dcop_opts *opts,
	struct dcop_world *world)
{
	struct dcop_engine e;
	double start = gpube__now();
	bool settled;
	int64_t bound;
	int status = dcop__engine_init(&e, p, opts, world, &settled, &bound);

	status = agree(world, status);
	if (!status && settled) {
		r->answer = GPUBE_ANSWER_INFEASIBLE;
	} else if (!status) {
		r->backend = e.ops->name;
		r->n_workers = e.n_workers;
		r->cell_bytes = (int)gpube__type_size(e.costs.type);
		report_messages(r, p);
		status = dcop__engine_run(&e);
		if (!status && world->rank == 0)
			status = report(r, &e);
		if (status == GPUBE_ESTOP && dcop__proved(&e, &bound)) {
			r->bounded = true;
			r->bound = p->s.negated ? -bound : bound;
		}
	}
	r->seconds_run = gpube__now() - start;
	dcop__engine_clear(&e);
	return status;
}

int dcop_solve(struct gpube_dpop_result **out, const struct gpube_model *m,
	const struct dcop_opts *opts, struct dcop_world *world)
{
	struct gpube_ctx *ctx = m->ctx;
	struct dcop_world alone;
	struct dcop_plan p;
	struct held *h = gpube__result_new(ctx, sizeof(*h), clear_held);
	const double start = gpube__now();
	struct gpube_dpop_result *r;
	double deadline;
	int status;

	*out = NULL;
	if (!h)
		return GPUBE_ENOMEM;
	h->ctx = ctx;
	r = &h->r;
	if (!world) {
		world = &alone;
		dcop_world_open(world, ctx, NULL);
	}
	deadline = gpube__time_limit(ctx, start, opts->timeout_seconds);
	r->answer = GPUBE_ANSWER_INCOMPLETE;
	r->z = opts->z;
	r->tree = opts->tree.heuristic;
	status = dcop__plan_init(&p, m, opts, world);
	if (!status)
		status = describe(h, &p);
	r->seconds_plan = gpube__now() - start;
	if (status)
		status = agree(world, status);
	else if (p.s.infeasible)
		r->answer = GPUBE_ANSWER_INFEASIBLE;
	else
		status = run(r, &p, opts, world);
	ctx->deadline = deadline;
	dcop__plan_clear(&p);
	r->stopped = status == GPUBE_ESTOP;
	if (status && status != GPUBE_ESTOP)
		gpube_result_free(r);
	else
		*out = r;
	return status;
}

/* ---- gpube_dpop() ------------------------------------------------------------------------ */

static int take_agents(
	struct dcop_agents *a, const struct gpube_model *m, const struct gpube_opts *o)
{
	if (o->agents && (o->owner || o->agent_names))
		return gpube__fail(m->ctx, GPUBE_EINVAL,
			"agents are told by 'owner' and 'agent_names', or by 'agents'");
	if (o->owner)
		return dcop_agents_given(a, m, o->n_owner, o->owner, o->agent_names);
	if (o->agent_names)
		return gpube__fail(m->ctx, GPUBE_EINVAL, "agent_names go with 'owner'");
	if (!o->agents)
		return dcop_agents_of(a, m);
	return strcmp(o->agents, "none") ? dcop_agents_read(a, m, o->agents)
					 : dcop_agents_each(a, m);
}

/* The agent of a name, or of an index in decimal; without a name -1. */
static int find_root(
	int32_t *root, struct gpube_ctx *ctx, const struct dcop_agents *a, const char *name)
{
	*root = -1;
	for (int32_t i = 0; name && i < a->n && *root < 0; i++)
		if (a->names[i] && !strcmp(a->names[i], name))
			*root = i;
	if (!name || *root >= 0)
		return GPUBE_OK;
	*root = gpube__index_of(name);
	return *root >= 0 && *root < a->n ? GPUBE_OK
					  : gpube__fail(ctx, GPUBE_EINVAL,
						    "there is no agent '%s' to be the root", name);
}

/* The words of 'partition', as this call has them. */
enum { PARTITION_SCOPE, PARTITION_FIRST };

static struct dcop_opts options(const struct gpube_opts *o, const struct dcop_agents *agents)
{
	return (struct dcop_opts){.agents = agents,
		.tree = {.heuristic = (enum gpube_pseudotree)o->tree,
			.distributed = o->distributed_dfs,
			.tries = o->tries,
			.seed = (uint64_t)o->seed},
		.z = o->z,
		.first_fit = o->plain_partition == PARTITION_FIRST,
		.no_match = o->no_match,
		.backend = (enum gpube_backend)o->backend,
		.agent_threads = o->agent_threads,
		.latency = o->latency,
		.timeout_seconds = o->timeout_seconds,
		.precision = o->precision};
}

/* The better of what the agents have proved and what a moment finds; ESTOP: it settles nothing. */
static int settle(
	struct gpube_dpop_result *r, const struct gpube_model *m, const struct gpube_opts *o)
{
	const bool maximise = m->kind == GPUBE_COSTS && m->direction == GPUBE_MAXIMISE;
	struct gpube_solution *now;

	gpube__log(m->ctx, GPUBE_LOG_NOTE, "%s", gpube_error(m->ctx));
	now = gpube__bound_moment(
		m, &(struct gpube_opts){.seed = o->seed, .precision = o->precision});
	if (!now)
		return gpube__fail_stopped(m->ctx);
	if (now->answer != GPUBE_ANSWER_INCOMPLETE || !r->bounded || r->scale != now->scale ||
		(maximise ? now->bound < r->bound : now->bound > r->bound))
		r->bound = now->bound;
	r->bounded = 1;
	r->answer = now->answer;
	r->scale = now->scale;
	r->cost = now->cost;
	r->log_value = now->log_value;
	r->backend = now->backend;
	r->values = now->values;
	now->values = NULL;
	if (r->answer == GPUBE_ANSWER_INCOMPLETE && r->values && r->bound == r->cost)
		r->answer = GPUBE_ANSWER_OPTIMAL;
	gpube_result_free(now);
	return r->answer == GPUBE_ANSWER_INCOMPLETE ? gpube__fail_stopped(m->ctx) : GPUBE_OK;
}

int gpube_dpop(
	struct gpube_dpop_result **out, const struct gpube_model *m, const struct gpube_opts *opts)
{
	struct gpube_model view;
	struct dcop_agents agents = {0};
	struct dcop_opts inner;
	struct gpube_opts o;
	int status = gpube__call(out, &view, &m, opts);

	if (status)
		return status;
	status = gpube__opts_for(&o, m, opts, GPUBE__ON_DPOP);
	if (status)
		o = (struct gpube_opts){.world = opts ? opts->world : NULL};
	else
		status = take_agents(&agents, m, &o);
	if (!status)
		inner = options(&o, &agents);
	if (!status)
		status = find_root(&inner.tree.root, m->ctx, &agents, o.root);
	if (o.world)
		status = dcop_world_agree(o.world, status);
	if (!status)
		status = dcop_solve(out, m, &inner, o.world);
	dcop_agents_clear(m->ctx, &agents);
	if (status == GPUBE_ESTOP && *out && (!o.world || o.world->rank == 0))
		status = settle(*out, m, &o);
	return status;
}
