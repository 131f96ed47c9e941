/* joingraph_init.c - the tables of a join graph, from a model and from a smaller join graph. */
#include <math.h>
#include <string.h>

#include "gpube/relax/joingraph.h"
#include "gpube/options/options.h"
#include "gpube/relax/scaling.h"

void gpube__joingraph_clear(struct gpube_joingraph *g)
{
	for (int32_t j = 0; g->joins && j < g->n_joins; j++) {
		GPUBE_FREE_ALL(g->ctx, g->joins[j].scope, g->joins[j].t, g->joins[j].sent);
		gpube__projection_clear(g->ctx, &g->joins[j].message);
		gpube__projection_clear(g->ctx, &g->joins[j].taken);
		gpube__projection_clear(g->ctx, &g->joins[j].shared);
	}
	GPUBE_FREE_ALL(g->ctx, g->joins, g->order, g->position, g->domain, g->first, g->message);
	memset(g, 0, sizeof(*g));
}

static int make_join(struct gpube_joingraph *g, const struct gpube_mbe *mbe, int32_t k)
{
	const struct gpube_mini *mini = &mbe->minis[k];
	struct gpube_join *j = &g->joins[k];

	j->position = mini->position;
	j->n_scope = mini->n_scope + 1;
	j->child = j->sibling = j->consumer = -1;
	j->cells = mini->cells * g->domain[mini->position];
	j->scope = gpube__alloc(g->ctx, (uint64_t)j->n_scope, sizeof(*j->scope));
	j->t = gpube__alloc_zero(g->ctx, (uint64_t)j->cells, sizeof(*j->t));
	if (!j->scope || !j->t)
		return GPUBE_ENOMEM;
	j->scope[0] = mini->position;
	memcpy(j->scope + 1, mbe->scopes + mini->scope_at,
		(size_t)mini->n_scope * sizeof(*j->scope));
	if (mini->cells > g->message_cells)
		g->message_cells = mini->cells;
	return gpube__projection_init(
		g->ctx, &j->message, g->domain, j->scope, j->n_scope, j->scope + 1, j->n_scope - 1);
}

/* Who takes whose message: the mini that lists it among its inputs. */
static int link_joins(struct gpube_joingraph *g, const struct gpube_mbe *mbe)
{
	int status = GPUBE_OK;

	for (int32_t k = 0; k < g->n_joins && !status; k++) {
		const struct gpube_mini *mini = &mbe->minis[k];
		struct gpube_join *to = &g->joins[k];

		for (int32_t i = 0; i < mini->n_in && !status; i++) {
			int32_t id = mbe->inputs[mini->in_at + i];
			struct gpube_join *from;

			if (id >= 0)
				continue;
			from = &g->joins[~id];
			from->consumer = k;
			from->sibling = to->child;
			to->child = ~id;
			to->n_children++;
			status = gpube__projection_init(g->ctx, &from->taken, g->domain, to->scope,
				to->n_scope, from->scope + 1, from->n_scope - 1);
		}
	}
	return status;
}

/* What the joins of the bucket at p share, where there are several. */
static int share_bucket(struct gpube_joingraph *g, const struct gpube_mbe *mbe, int32_t p)
{
	int32_t shared[GPUBE_MAX_DIMS + 1];
	double cells;
	/* the bucket's own is the slowest of a join's */
	const int32_t n = gpube__mbe_shared(mbe, p, shared + 1, &cells);
	int status = GPUBE_OK;

	shared[0] = p;
	for (int32_t k = g->first[p]; k < g->first[p + 1] && !status; k++) {
		struct gpube_join *j = &g->joins[k];

		status = gpube__projection_init(
			g->ctx, &j->shared, g->domain, j->scope, j->n_scope, shared, n);
		if (!status && j->shared.small_cells > g->message_cells)
			g->message_cells = j->shared.small_cells;
	}
	return status;
}

/* Work: a cell that is made, filled, and its functions added. */
enum { MADE_TICKS = 4 };

/* An empty graph for a plan. */
static int make(struct gpube_joingraph *g, const struct gpube_mbe *mbe)
{
	struct gpube_ctx *ctx = mbe->ctx;
	uint64_t n = (uint64_t)mbe->n;
	int status = GPUBE_OK;

	g->ctx = ctx;
	g->n = mbe->n;
	g->n_joins = mbe->n_minis;
	g->cells = mbe->joined_cells;
	g->order = gpube__alloc(ctx, n, sizeof(*g->order));
	g->position = gpube__alloc(ctx, n, sizeof(*g->position));
	g->domain = gpube__alloc(ctx, n, sizeof(*g->domain));
	g->first = gpube__alloc(ctx, n + 1, sizeof(*g->first));
	g->joins = gpube__alloc_zero(ctx, (uint64_t)g->n_joins, sizeof(*g->joins));
	if (!g->order || !g->position || !g->domain || !g->first || !g->joins)
		return GPUBE_ENOMEM;
	memcpy(g->order, mbe->order, n * sizeof(*g->order));
	memcpy(g->position, mbe->position, n * sizeof(*g->position));
	memcpy(g->first, mbe->first, (n + 1) * sizeof(*g->first));
	for (int32_t p = 0; p < g->n; p++)
		g->domain[p] = mbe->m->vars[g->order[p]].domain;
	g->message_cells = 1;
	gpube__work(ctx, MADE_TICKS * (int64_t)fmin(g->cells, 1e15));
	/* gigabytes of fresh tables take seconds */
	for (int32_t k = 0; k < g->n_joins && !status; k++)
		status = gpube__stopped(ctx) ? gpube__fail_stopped(ctx) : make_join(g, mbe, k);
	if (!status)
		status = link_joins(g, mbe);
	for (int32_t p = 0; p < g->n && !status; p++)
		if (g->first[p + 1] - g->first[p] > 1)
			status = share_bucket(g, mbe, p);
	if (!status) {
		g->message = gpube__alloc(ctx,
			(uint64_t)(1 + ctx->n_threads) * (uint64_t)g->message_cells,
			sizeof(*g->message));
		status = g->message ? GPUBE_OK : GPUBE_ENOMEM;
	}
	return status;
}

/* Adds a table over sorted positions to a join that has them all. */
static int add_table(struct gpube_joingraph *g, struct gpube_join *to, const int32_t *scope,
	int n_scope, const int32_t *t)
{
	struct gpube_projection p;
	int status = gpube__projection_init(
		g->ctx, &p, g->domain, to->scope, to->n_scope, scope, n_scope);

	if (!status)
		gpube__project_add_shared(g->ctx, &p, to->t, t, gpube__joingraph_slack(g));
	gpube__projection_clear(g->ctx, &p);
	return status;
}

static int add_function(struct gpube_joingraph *g, struct gpube_join *to,
	const struct gpube_model *m, int32_t f, int64_t left)
{
	int arity = m->functions[f].arity, status;
	int64_t cells = gpube__cells(m, arity, gpube__scope(m, f)), *wide;
	int32_t sorted[GPUBE_MAX_DIMS], *t;

	if (arity > GPUBE_MAX_DIMS || cells < 0)
		return gpube__fail(g->ctx, GPUBE_ELIMIT, "a function is too large");
	status = gpube__dense_new(&wide, m, f, g->position);
	if (!status) {
		gpube__sorted_scope(sorted, m, f, g->position);
		t = (int32_t *)wide; /* in place: a narrow cell never passes its wide one */
		for (int64_t k = 0; k < cells; k++)
			t[k] = gpube__scale(g->shift, wide[k], left, GPUBE__REGION_FORBIDDEN);
		status = add_table(g, to, sorted, arity, t);
	}
	gpube__free(g->ctx, wide);
	return status;
}

/* The plan, if it fits. */
static int plan(struct gpube_mbe *mbe, const struct gpube_model *m, const int32_t *order, int32_t z,
	double max_cells, enum gpube_partition partition, bool *fits)
{
	int status = gpube__mbe_init(mbe, m, order, z, max_cells, partition);

	*fits = !status &&
		mbe->joined_cells + (1 + m->ctx->n_threads) * mbe->largest_message <= max_cells &&
		mbe->largest_joined < GPUBE_MAX_DIMS;
	if (!status && !*fits)
		gpube__mbe_clear(mbe);
	return status;
}

int gpube__joingraph_init(struct gpube_joingraph *g, const struct gpube_model *m,
	const int32_t *order, int32_t z, double max_cells, enum gpube_partition partition,
	int64_t cutoff, int most_shift, bool *fits)
{
	int64_t left = gpube__costs_left(m, cutoff);
	struct gpube_mbe mbe;
	int status;

	memset(g, 0, sizeof(*g));
	status = plan(&mbe, m, order, z, max_cells, partition, fits);
	if (status || !*fits)
		return status;
	g->shift = gpube__scale_shift(m, left, GPUBE__REGION_MOST, most_shift);
	g->target = gpube__scale_target(g->shift, left);
	g->z = z;
	status = make(g, &mbe);
	for (int32_t k = 0; k < g->n_joins && !status; k++)
		for (int32_t i = 0; i < mbe.minis[k].n_in && !status; i++)
			if (mbe.inputs[mbe.minis[k].in_at + i] >= 0)
				status = add_function(g, &g->joins[k], m,
					mbe.inputs[mbe.minis[k].in_at + i], left);
	gpube__mbe_clear(&mbe);
	if (status)
		gpube__joingraph_clear(g);
	return status;
}

int gpube__joingraph_record(struct gpube_joingraph *g)
{
	for (int32_t k = 0; k < g->n_joins; k++) {
		struct gpube_join *j = &g->joins[k];

		j->sent = gpube__alloc_zero(
			g->ctx, (uint64_t)gpube__message_cells(g, j), sizeof(*j->sent));
		if (!j->sent)
			return GPUBE_ENOMEM;
	}
	return GPUBE_OK;
}

/* A model whose functions have the scopes of the joins, and no costs: for a plan. */
static int outline(struct gpube_model **out, const struct gpube_joingraph *g)
{
	struct gpube_model *m = NULL;
	int status = gpube_model_new(&m, g->ctx, GPUBE_COSTS);
	int32_t scope[GPUBE_MAX_DIMS];

	for (int32_t i = 0; i < g->n && !status; i++)
		status = gpube_model_add_var(m, NULL, g->domain[g->position[i]], NULL);
	for (int32_t j = 0; j < g->n_joins && !status; j++) {
		struct gpube_table t = {.sparse = true, .arity = g->joins[j].n_scope};

		for (int k = 0; k < t.arity; k++)
			scope[k] = g->order[g->joins[j].scope[k]];
		status = gpube__add_table_over(m, scope, &t, NULL);
	}
	if (status)
		gpube_model_free(m);
	else
		*out = m;
	return status;
}

int gpube__joingraph_grow(struct gpube_joingraph *g, int32_t z, double max_cells, bool *fits)
{
	struct gpube_joingraph to = {
		.shift = g->shift, .constant = g->constant, .target = g->target, .z = z};
	struct gpube_model *m = NULL;
	struct gpube_mbe mbe;
	int status = outline(&m, g);

	*fits = false;
	if (!status)
		status = plan(&mbe, m, g->order, z, max_cells, GPUBE_PARTITION_SCOPE, fits);
	if (status || !*fits) {
		gpube_model_free(m);
		return status;
	}
	status = make(&to, &mbe);
	if (status == GPUBE_ESTOP) {
		/* the old one is as good as it was */
		gpube__mbe_clear(&mbe);
		gpube_model_free(m);
		gpube__joingraph_clear(&to);
		return status;
	}
	for (int32_t k = 0; k < to.n_joins && !status; k++)
		for (int32_t i = 0; i < mbe.minis[k].n_in && !status; i++) {
			int32_t id = mbe.inputs[mbe.minis[k].in_at + i];

			if (id < 0)
				continue;
			status = add_table(&to, &to.joins[k], g->joins[id].scope,
				g->joins[id].n_scope, g->joins[id].t);
			gpube__free(g->ctx, g->joins[id].t);
			g->joins[id].t = NULL;
		}
	gpube__mbe_clear(&mbe);
	gpube_model_free(m);
	gpube__joingraph_clear(g);
	*g = to;
	if (status)
		gpube__joingraph_clear(g);
	return status;
}
