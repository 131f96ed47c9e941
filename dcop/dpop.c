/* dpop.c - dcop_solve(): plan, run, and the checks that make an answer of it. */
#include <math.h>
#include <string.h>

#include "dcop/engine.h"

void dcop_result_free(struct dcop_result *r, struct gpube_ctx *ctx)
{
	if (!r)
		return;
	for (int32_t a = 0; r->names && a < r->n_agents; a++)
		gpube__free(ctx, r->names[a]);
	gpube__free(ctx, r->names);
	gpube__free(ctx, r->agents);
	gpube__free(ctx, r->values);
	gpube__free(ctx, r);
}

/* ---- what the plan says ------------------------------------------------------------- */

static int copy_names(struct dcop_result *r, const struct dcop_plan *p)
{
	r->names = gpube__alloc_zero(p->ctx, (uint64_t)p->agents->n, sizeof(*r->names));
	r->agents = gpube__alloc_zero(p->ctx, (uint64_t)p->agents->n, sizeof(*r->agents));
	if (!r->names || !r->agents)
		return GPUBE_ENOMEM;
	r->n_agents = p->agents->n;
	for (int32_t a = 0; p->agents->names && a < p->agents->n; a++) {
		if (!p->agents->names[a])
			continue;
		r->names[a] = gpube__strdup(p->ctx, p->agents->names[a]);
		if (!r->names[a])
			return GPUBE_ENOMEM;
	}
	return GPUBE_OK;
}

static void count_message(struct dcop_result *r, int64_t *messages, uint64_t bytes)
{
	++*messages;
	r->total_bytes += bytes;
	if (bytes > r->largest_bytes)
		r->largest_bytes = bytes;
}

static void report_messages(struct dcop_result *r, const struct dcop_plan *p)
{
	for (int32_t a = 0; a < p->agents->n; a++) {
		struct dcop_agent_report *agent = &r->agents[a];

		*agent = (struct dcop_agent_report){.parent = p->tree->parent[a],
			.depth = p->tree->depth[a],
			.tree = p->tree->tree[a],
			.rank = p->rank[a],
			.n_vars = p->n_own[a],
			.separator = (int32_t)(p->separator_at[a + 1] - p->separator_at[a]),
			.n_tables = (int32_t)(p->sends_at[a + 1] - p->sends_at[a])};
		if (agent->parent < 0)
			continue;
		agent->util_bytes = dcop__util_bytes(p, a, r->cell_bytes);
		count_message(r, &r->util_messages, agent->util_bytes);
		count_message(r, &r->value_messages, dcop__value_bytes(p, a));
	}
	for (int64_t k = 0; k < p->sends_at[p->agents->n]; k++)
		r->largest_cells = fmax(r->largest_cells, (double)p->mbe.minis[p->sends[k]].cells);
}

static int describe(struct dcop_result *r, const struct dcop_plan *p)
{
	r->scale = p->costs->scale;
	r->backend = "cpu";
	if (p->s.infeasible)
		return GPUBE_OK;
	r->n_trees = p->tree->n_trees;
	r->n_searched = p->tree->n_searched;
	r->width = p->width;
	r->height = p->height;
	r->n_split = p->mbe.n_split;
	r->joined_cells = p->mbe.joined_cells;
	return copy_names(r, p);
}

/* ---- what the run came to --------------------------------------------------------------- */

static int take_assignment(
	struct dcop_result *r, const struct dcop_plan *p, const int32_t *values, int64_t bound)
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

static int report(struct dcop_result *r, const struct dcop_engine *e)
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
	r->n_vars = p->given->n_vars;
	r->traffic = e->world->traffic;
	bound = gpube__mbe_bound(&e->costs, total);
	r->bound = p->s.negated ? -bound : bound;
	r->bounded = true;
	if (bound == p->m->top || bound == GPUBE_INF) { /* every total reaches top */
		r->answer = GPUBE_ANSWER_INFEASIBLE;
		return GPUBE_OK;
	}
	return take_assignment(r, p, e->values, bound);
}

/* Where one rank was stopped, all are. */
static int agree(struct dcop_world *world, int status)
{
	status = dcop_world_agree(world, status);
	return status && world->stopped ? gpube__fail_stopped(world->ctx) : status;
}

static int run(struct dcop_result *r, const struct dcop_plan *p, const struct dcop_opts *opts,
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

int dcop_solve(struct dcop_result **out, const struct gpube_model *m, const struct dcop_opts *opts,
	struct dcop_world *world)
{
	struct gpube_ctx *ctx = m->ctx;
	struct dcop_world alone;
	struct dcop_plan p;
	struct dcop_result *r = gpube__alloc_zero(ctx, 1, sizeof(*r));
	const double start = gpube__now();
	double deadline;
	int status;

	*out = NULL;
	if (!r)
		return GPUBE_ENOMEM;
	if (!world) {
		world = &alone;
		dcop_world_open(world, ctx, NULL);
	}
	deadline = gpube__time_limit(ctx, start, opts->timeout_seconds);
	r->answer = GPUBE_ANSWER_INCOMPLETE;
	r->z = opts->z;
	r->heuristic = opts->tree.heuristic;
	status = dcop__plan_init(&p, m, opts, world->n_ranks);
	if (!status)
		status = describe(r, &p);
	r->seconds_plan = gpube__now() - start;
	if (status)
		status = agree(world, status);
	else if (p.s.infeasible)
		r->answer = GPUBE_ANSWER_INFEASIBLE;
	else
		status = run(r, &p, opts, world);
	ctx->deadline = deadline;
	dcop__plan_clear(&p);
	if (status && status != GPUBE_ESTOP)
		dcop_result_free(r, ctx);
	else
		*out = r;
	return status;
}
