/*
 * joingraph_init.c - the tables of a join graph, from a model, from a smaller join graph, and from
 * numbers.
 */
#include <math.h>
#include <string.h>

#include "gpube/base/bytes.h"
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

/* The k-th join, with an empty table. scope: of its message, which has so many cells */
static int make_join(struct gpube_joingraph *g, int32_t k, int32_t position, const int32_t *scope,
	int32_t n_scope, int64_t cells)
{
	struct gpube_join *j = &g->joins[k];

	j->position = position;
	j->n_scope = n_scope + 1;
	j->child = j->sibling = j->consumer = -1;
	j->cells = cells * g->domain[position];
	j->scope = gpube__alloc(g->ctx, (uint64_t)j->n_scope, sizeof(*j->scope));
	j->t = gpube__alloc_zero(g->ctx, (uint64_t)j->cells, sizeof(*j->t));
	if (!j->scope || !j->t)
		return GPUBE_ENOMEM;
	j->scope[0] = position;
	memcpy(j->scope + 1, scope, (size_t)n_scope * sizeof(*j->scope));
	if (cells > g->message_cells)
		g->message_cells = cells;
	return gpube__projection_init(
		g->ctx, &j->message, g->domain, j->scope, j->n_scope, j->scope + 1, j->n_scope - 1);
}

/* The message of one goes to the other, which has all its variables. */
static int link_join(struct gpube_joingraph *g, int32_t from, int32_t to)
{
	struct gpube_join *j = &g->joins[from], *consumer = &g->joins[to];

	j->consumer = to;
	j->sibling = consumer->child;
	consumer->child = from;
	consumer->n_children++;
	return gpube__projection_init(g->ctx, &j->taken, g->domain, consumer->scope,
		consumer->n_scope, j->scope + 1, j->n_scope - 1);
}

/* Who takes whose message: the mini that lists it among its inputs. */
static int link_joins(struct gpube_joingraph *g, const struct gpube_mbe *mbe)
{
	int status = GPUBE_OK;

	for (int32_t k = 0; k < g->n_joins && !status; k++)
		for (int32_t i = 0; i < mbe->minis[k].n_in && !status; i++) {
			const int32_t id = mbe->inputs[mbe->minis[k].in_at + i];

			if (id < 0)
				status = link_join(g, ~id, k);
		}
	return status;
}

static bool has(const struct gpube_join *j, int32_t q)
{
	int k = 0;

	while (k < j->n_scope && j->scope[k] != q)
		k++;
	return k < j->n_scope;
}

/* What the joins of the bucket at p share, where there are several. */
static int share_bucket(struct gpube_joingraph *g, int32_t p)
{
	const struct gpube_join *one = &g->joins[g->first[p]];
	int32_t shared[GPUBE_MAX_DIMS + 1];
	int n = 0, status = GPUBE_OK;

	for (int i = 0; i < one->n_scope; i++) {
		int32_t k = g->first[p] + 1;

		while (k < g->first[p + 1] && has(&g->joins[k], one->scope[i]))
			k++;
		if (k == g->first[p + 1])
			shared[n++] = one->scope[i];
	}
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

/* Room for as many variables as the model has, and for so many joins. */
static int make_room(struct gpube_joingraph *g, const struct gpube_model *m, int32_t n_joins)
{
	struct gpube_ctx *ctx = m->ctx;
	const uint64_t n = (uint64_t)m->n_vars;

	g->ctx = ctx;
	g->n = m->n_vars;
	g->n_joins = n_joins;
	g->message_cells = 1;
	g->order = gpube__alloc(ctx, n, sizeof(*g->order));
	g->position = gpube__alloc(ctx, n, sizeof(*g->position));
	g->domain = gpube__alloc(ctx, n, sizeof(*g->domain));
	g->first = gpube__alloc(ctx, n + 1, sizeof(*g->first));
	g->joins = gpube__alloc_zero(ctx, (uint64_t)g->n_joins, sizeof(*g->joins));
	return g->order && g->position && g->domain && g->first && g->joins ? GPUBE_OK
									    : GPUBE_ENOMEM;
}

/* What the joins share, and room for messages, when all are there. */
static int finish(struct gpube_joingraph *g)
{
	int status = GPUBE_OK;

	for (int32_t p = 0; p < g->n && !status; p++)
		if (g->first[p + 1] - g->first[p] > 1)
			status = share_bucket(g, p);
	if (status)
		return status;
	g->message =
		gpube__alloc(g->ctx, (uint64_t)(1 + g->ctx->n_threads) * (uint64_t)g->message_cells,
			sizeof(*g->message));
	return g->message ? GPUBE_OK : GPUBE_ENOMEM;
}

/* An empty graph for a plan. */
static int make(struct gpube_joingraph *g, const struct gpube_mbe *mbe)
{
	const uint64_t n = (uint64_t)mbe->n;
	int status = make_room(g, mbe->m, mbe->n_minis);

	if (status)
		return status;
	g->cells = mbe->joined_cells;
	memcpy(g->order, mbe->order, n * sizeof(*g->order));
	memcpy(g->position, mbe->position, n * sizeof(*g->position));
	memcpy(g->first, mbe->first, (n + 1) * sizeof(*g->first));
	for (int32_t p = 0; p < g->n; p++)
		g->domain[p] = mbe->m->vars[g->order[p]].domain;
	gpube__work(g->ctx, MADE_TICKS * (int64_t)fmin(g->cells, 1e15));
	/* gigabytes of fresh tables take seconds */
	for (int32_t k = 0; k < g->n_joins && !status; k++) {
		const struct gpube_mini *mini = &mbe->minis[k];

		status = gpube__stopped(g->ctx)
				 ? gpube__fail_stopped(g->ctx)
				 : make_join(g, k, mini->position, mbe->scopes + mini->scope_at,
					   mini->n_scope, mini->cells);
	}
	if (!status)
		status = link_joins(g, mbe);
	return status ? status : finish(g);
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

/* ---- as numbers ------------------------------------------------------------------------------ */

/* Each cell, or how many more there are like the last one, below 0: most are 0 or forbidden. */
static void put_cells(struct gpube__bytes *to, const struct gpube_join *j)
{
	int64_t more;

	for (int64_t i = 0; i < j->cells; i += 1 + more) {
		for (more = 0; i + more + 1 < j->cells && j->t[i + more + 1] == j->t[i];)
			more++;
		gpube__put(to, j->t[i]);
		if (more)
			gpube__put(to, -more);
	}
}

static void get_cells(struct gpube__bytes *from, struct gpube_join *j)
{
	for (int64_t i = 0; i < j->cells && !from->status;) {
		const int64_t v = gpube__get(from, i ? i - j->cells : 0, GPUBE__REGION_FORBIDDEN);

		for (int64_t k = v; k < 0; k++, i++)
			j->t[i] = j->t[i - 1];
		if (v >= 0)
			j->t[i++] = (int32_t)v;
	}
}

void gpube__put_joingraph(struct gpube__bytes *to, const struct gpube_joingraph *g)
{
	gpube__put(to, g->n_joins);
	gpube__put_all(to, g->order, g->n);
	gpube__put(to, g->z);
	gpube__put(to, g->shift);
	gpube__put(to, g->constant);
	gpube__put(to, g->target);
	for (int32_t k = 0; k < g->n_joins; k++) {
		const struct gpube_join *j = &g->joins[k];

		gpube__put(to, j->position);
		gpube__put(to, j->n_scope - 1);
		gpube__put_all(to, j->scope + 1, j->n_scope - 1);
		gpube__put(to, j->consumer);
	}
	for (int32_t k = 0; k < g->n_joins; k++)
		put_cells(to, &g->joins[k]);
}

static int too_large(struct gpube__bytes *from)
{
	return from->status = gpube__fail(from->ctx, GPUBE_ELIMIT, "its join graph is too large");
}

static int get_order(
	struct gpube_joingraph *g, struct gpube__bytes *from, const struct gpube_model *m)
{
	for (int32_t i = 0; i < g->n; i++)
		g->position[i] = -1;
	for (int32_t p = 0; p < g->n && !from->status; p++) {
		const int32_t i = (int32_t)gpube__get(from, 0, (int64_t)g->n - 1);

		if (g->position[i] >= 0)
			return gpube__damaged(from, "an order in it has a variable twice");
		g->order[p] = i;
		g->position[i] = p;
		g->domain[p] = m->vars[i].domain;
	}
	return from->status;
}

/* Whether bounds of the model's totals fit 64 bits. */
static int check_unit(
	struct gpube_joingraph *g, struct gpube__bytes *from, const struct gpube_model *m)
{
	const int64_t units = g->target - 1; /* of a bound that is no cutoff */
	const __int128 most =
		g->shift < 0 ? (__int128)units << -g->shift : gpube__unscale(g->shift, units);

	return most + gpube__constant_of(m) >= GPUBE_INF
		       ? gpube__damaged(from, "costs of its join graph are too large")
		       : from->status;
}

/* A join's scope, and room for its cells, of which all may have so many. */
static int get_join(
	struct gpube_joingraph *g, struct gpube__bytes *from, int32_t k, double max_cells)
{
	const int32_t last = k ? g->joins[k - 1].position : 0,
		      p = (int32_t)gpube__get(from, last, (int64_t)g->n - 1);
	int32_t scope[GPUBE_MAX_DIMS], before = p;
	const int32_t n = (int32_t)gpube__get(from, 0, GPUBE_MAX_DIMS - 1);
	int64_t cells = 1;

	for (int32_t i = 0; i < n && !from->status; i++) {
		scope[i] = (int32_t)gpube__get(from, (int64_t)before + 1, (int64_t)g->n - 1);
		before = scope[i];
		if (!from->status)
			cells *= g->domain[before];
		if ((double)cells > max_cells)
			return too_large(from);
	}
	if (from->status)
		return from->status;
	g->cells += (double)cells * g->domain[p];
	if (g->cells > max_cells)
		return too_large(from);
	from->status = make_join(g, k, p, scope, n, cells);
	/* of joins that are not there yet */
	g->joins[k].consumer = (int32_t)gpube__get(
		from, n ? (int64_t)k + 1 : -1, n ? (int64_t)g->n_joins - 1 : -1);
	return from->status;
}

/* Joins whose consumers are known by number alone. */
static int link_read(struct gpube_joingraph *g, struct gpube__bytes *from)
{
	for (int32_t k = 0; k < g->n_joins && !from->status; k++) {
		const struct gpube_join *j = &g->joins[k];
		const struct gpube_join *to = j->n_scope > 1 ? &g->joins[j->consumer] : NULL;

		for (int i = 1; i < j->n_scope; i++)
			if (to->position != j->scope[1] || !has(to, j->scope[i]))
				return gpube__damaged(from,
					"a message in it has variables that its "
					"receiver has not");
		if (to)
			from->status = link_join(g, k, j->consumer);
	}
	return from->status;
}

static int get_joins(struct gpube_joingraph *g, struct gpube__bytes *from, double max_cells)
{
	int32_t p = 0;

	for (int32_t k = 0; k < g->n_joins && !from->status; k++) {
		if (get_join(g, from, k, max_cells))
			break;
		for (; p <= g->joins[k].position; p++)
			g->first[p] = k;
	}
	for (; p <= g->n; p++)
		g->first[p] = g->n_joins;
	if (link_read(g, from))
		return from->status;
	gpube__work(g->ctx, MADE_TICKS * (int64_t)g->cells);
	from->status = finish(g);
	for (int32_t k = 0; k < g->n_joins && !from->status; k++)
		get_cells(from, &g->joins[k]);
	return from->status;
}

int gpube__get_joingraph(struct gpube_joingraph *g, struct gpube__bytes *from,
	const struct gpube_model *m, double max_cells)
{
	const int64_t n_joins = gpube__get_count(from);

	memset(g, 0, sizeof(*g));
	if (!from->status && n_joins > INT32_MAX)
		(void)too_large(from);
	if (!from->status)
		from->status = make_room(g, m, (int32_t)n_joins);
	if (!from->status)
		(void)get_order(g, from, m);
	g->z = (int32_t)gpube__get(from, 0, INT32_MAX - 1);
	g->shift = (int)gpube__get(from, -62, GPUBE__MOST_SHIFT);
	g->constant = gpube__get(from, 0, GPUBE__REGION_MOST);
	g->target = gpube__get(from, g->constant + 1, GPUBE__REGION_MOST + 1);
	if (!from->status)
		(void)check_unit(g, from, m);
	if (!from->status)
		(void)get_joins(g, from, max_cells);
	if (from->status)
		gpube__joingraph_clear(g);
	return from->status;
}
