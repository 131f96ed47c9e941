/* joingraph.c - see joingraph.h. */
#include "gpube/joingraph.h"

#include <string.h>

#include "gpube/scaling.h"

enum { BLOCK = 512, SHORT_RUN = 16 };

static int32_t slack_of(const struct gpube_joingraph *g)
{
	int64_t left = g->target - g->constant;

	return left > GPUBE__JOIN_MAX ? GPUBE__JOIN_MAX : left < 0 ? 0 : (int32_t)left;
}

static inline int32_t least(int32_t a, int32_t b)
{
	return a < b ? a : b;
}

/* ---- a table over a table of some of its dimensions ---------------------------------- */

static void cover_clear(struct gpube_ctx *ctx, struct gpube_cover *v)
{
	gpube__free(ctx, v->offset);
	v->offset = NULL;
}

/* large, small: sorted positions; small is part of large. */
static int cover_init(struct gpube_ctx *ctx, struct gpube_cover *v, const int32_t *domain,
	const int32_t *large, int n_large, const int32_t *small, int n_small)
{
	int32_t size[GPUBE_MAX_DIMS];
	int64_t step[GPUBE_MAX_DIMS], stride = 1;
	int n = 0, from = 0, k = n_small - 1;

	memset(v, 0, sizeof(*v));
	v->inner = v->cells = 1;
	/* from the fastest on; neighbours that are both in the small table, or both not, are one */
	for (int j = n_large - 1; j >= 0; j--) {
		int32_t d = domain[large[j]];
		bool in = k >= 0 && small[k] == large[j];

		v->cells *= d;
		if (d == 1) {
			k -= in;
			continue;
		}
		if (n && (step[n - 1] != 0) == in && (int64_t)size[n - 1] * d < INT32_MAX) {
			size[n - 1] *= d;
		} else {
			if (n == GPUBE_MAX_DIMS)
				return gpube__fail(ctx, GPUBE_ELIMIT,
					"a mini-bucket of more than %d variables", GPUBE_MAX_DIMS);
			size[n] = d;
			step[n++] = in ? stride : 0;
		}
		if (in) {
			stride *= d;
			k--;
		}
	}
	if (n && size[0] >= SHORT_RUN) {
		v->inner = size[0];
		v->run = step[0] != 0;
		for (int j = n - 1; j > 0; j--, v->n++) {
			v->size[v->n] = size[j];
			v->step[v->n] = step[j];
		}
		return GPUBE_OK;
	}
	while (from < n && v->inner < BLOCK)
		v->inner *= size[from++];
	v->offset = gpube__alloc(ctx, (uint64_t)v->inner, sizeof(*v->offset));
	if (!v->offset)
		return GPUBE_ENOMEM;
	for (int64_t cell = 0; cell < v->inner; cell++) {
		int64_t rest = cell, at = 0;

		for (int j = 0; j < from; j++) {
			at += rest % size[j] * step[j];
			rest /= size[j];
		}
		v->offset[cell] = (int32_t)at;
	}
	for (int j = n - 1; j >= from; j--, v->n++) {
		v->size[v->n] = size[j];
		v->step[v->n] = step[j];
	}
	return GPUBE_OK;
}

/* The next block: where it begins in the small table. */
static int64_t next_block(const struct gpube_cover *v, int32_t *index, int64_t at)
{
	for (int j = v->n - 1; j >= 0; j--) {
		at += v->step[j];
		if (++index[j] < v->size[j])
			break;
		at -= v->step[j] * v->size[j];
		index[j] = 0;
	}
	return at;
}

#if defined(_OPENMP)
#define SIMD _Pragma("omp simd")
#define SIMD_LEAST _Pragma("omp simd reduction(min : lowest)")
#else
#define SIMD
#define SIMD_LEAST
#endif

/* m = the least cell of t over each of the small table's. */
static void project(const struct gpube_cover *v, int32_t *restrict m, int64_t m_cells,
	const int32_t *restrict t)
{
	int32_t index[GPUBE_MAX_DIMS] = {0};
	int64_t at = 0;

	for (int64_t k = 0; k < m_cells; k++)
		m[k] = GPUBE__JOIN_DEAD;
	for (int64_t done = 0; done < v->cells; done += v->inner, t += v->inner) {
		int32_t *to = m + at;

		if (v->offset) {
			for (int64_t k = 0; k < v->inner; k++)
				to[v->offset[k]] = least(to[v->offset[k]], t[k]);
		} else if (v->run) {
			SIMD for (int64_t k = 0; k < v->inner; k++)
				to[k] = least(to[k], t[k]);
		} else {
			int32_t lowest = *to;

			SIMD_LEAST for (int64_t k = 0; k < v->inner; k++)
				lowest = least(lowest, t[k]);
			*to = lowest;
		}
		at = next_block(v, index, at);
	}
}

static inline int32_t plus(int32_t t, int32_t m, int32_t slack)
{
	int32_t sum = t + m;

	return (t >= slack) | (m == GPUBE__JOIN_DEAD) | (sum >= slack) ? GPUBE__JOIN_DEAD : sum;
}

/* t += m, which may be negative, but no sum is. */
static void spread(const struct gpube_cover *v, int32_t *restrict t, const int32_t *restrict m,
	int32_t slack)
{
	int32_t index[GPUBE_MAX_DIMS] = {0};
	int64_t at = 0;

	for (int64_t done = 0; done < v->cells; done += v->inner, t += v->inner) {
		const int32_t *from = m + at;

		if (v->offset) {
			SIMD for (int64_t k = 0; k < v->inner; k++)
				t[k] = plus(t[k], from[v->offset[k]], slack);
		} else if (v->run) {
			SIMD for (int64_t k = 0; k < v->inner; k++)
				t[k] = plus(t[k], from[k], slack);
		} else {
			const int32_t s = *from;

			SIMD for (int64_t k = 0; k < v->inner; k++)
				t[k] = plus(t[k], s, slack);
		}
		at = next_block(v, index, at);
	}
}

/* What is to be moved of a min-marginal: a part of it; dead where it is. */
static void take_part(int32_t *m, int64_t n, int32_t parts, int32_t slack)
{
	SIMD for (int64_t k = 0; k < n; k++)
		m[k] = m[k] >= slack ? GPUBE__JOIN_DEAD : m[k] / parts;
}

static void negate(int32_t *m, int64_t n)
{
	SIMD for (int64_t k = 0; k < n; k++)
		m[k] = m[k] == GPUBE__JOIN_DEAD ? GPUBE__JOIN_DEAD : -m[k];
}

/* ---- a pass ------------------------------------------------------------------------------ */

static int64_t message_cells(const struct gpube_joingraph *g, const struct gpube_join *j)
{
	return j->cells / g->domain[j->position];
}

/* The own variable is the slowest: a message is a minimum of slabs. */
static void send_forward(struct gpube_joingraph *g, struct gpube_join *j)
{
	int64_t n = message_cells(g, j);
	int32_t *m = g->message, d = g->domain[j->position], slack = slack_of(g);

	memcpy(m, j->t, (size_t)n * sizeof(*m));
	for (int32_t x = 1; x < d; x++) {
		const int32_t *t = j->t + x * n;

		SIMD for (int64_t k = 0; k < n; k++)
			m[k] = least(m[k], t[k]);
	}
	take_part(m, n, 1, slack);
	if (j->consumer < 0) {
		if (*m == GPUBE__JOIN_DEAD) {
			g->constant = g->target;
			return;
		}
	} else {
		spread(&j->to_message, g->joins[j->consumer].t, m, slack);
	}
	negate(m, n);
	for (int32_t x = 0; x < d; x++) {
		int32_t *t = j->t + x * n;

		SIMD for (int64_t k = 0; k < n; k++)
			t[k] = plus(t[k], m[k], slack);
	}
	if (j->consumer < 0)
		g->constant -= *m;
}

/* From the consumer: a part of what it forces on the message's variables. */
static void send_back(struct gpube_joingraph *g, struct gpube_join *j, int32_t parts)
{
	struct gpube_join *from = &g->joins[j->consumer];
	int64_t n = message_cells(g, j);
	int32_t *m = g->message, slack = slack_of(g);

	project(&j->to_message, m, n, from->t);
	take_part(m, n, parts, slack);
	for (int32_t x = 0; x < g->domain[j->position]; x++) {
		int32_t *t = j->t + x * n;

		SIMD for (int64_t k = 0; k < n; k++)
			t[k] = plus(t[k], m[k], slack);
	}
	negate(m, n);
	spread(&j->to_message, from->t, m, slack);
}

/* Positions that all joins of the bucket have. */
static int shared_scope(const struct gpube_joingraph *g, int32_t p, int32_t *shared)
{
	const struct gpube_join *joins = &g->joins[g->first[p]];
	int n_joins = g->first[p + 1] - g->first[p], n = 0;

	for (int k = 0; k < joins->n_scope; k++) {
		bool in_all = true;

		for (int j = 1; j < n_joins && in_all; j++) {
			in_all = false;
			for (int i = 0; i < joins[j].n_scope && !in_all; i++)
				in_all = joins[j].scope[i] == joins->scope[k];
		}
		if (in_all)
			shared[n++] = joins->scope[k];
	}
	return n;
}

/*
 * What the joins of a bucket force on what they share becomes the same for all:
 * every one gives all of it into one sum, and takes an equal part.
 */
static int match(struct gpube_joingraph *g, int32_t p)
{
	int32_t n_joins = g->first[p + 1] - g->first[p], shared[GPUBE_MAX_DIMS], slack = slack_of(g);
	int n_shared = shared_scope(g, p, shared), status = GPUBE_OK;
	int64_t cells = 1;
	int32_t *m, *sum;
	struct gpube_cover v;

	for (int k = 0; k < n_shared; k++)
		cells *= g->domain[shared[k]];
	m = g->message;
	sum = g->message + g->message_cells;
	memset(sum, 0, (size_t)cells * sizeof(*sum));
	for (int32_t k = 0; k < 2 * n_joins && !status; k++) { /* give, then take */
		struct gpube_join *j = &g->joins[g->first[p] + k % n_joins];

		status = cover_init(g->ctx, &v, g->domain, j->scope, j->n_scope, shared, n_shared);
		if (status)
			break;
		if (k < n_joins) {
			project(&v, m, cells, j->t);
			take_part(m, cells, 1, slack);
			for (int64_t i = 0; i < cells; i++)
				sum[i] = plus(sum[i], m[i], slack);
			negate(m, cells);
		} else {
			memcpy(m, sum, (size_t)cells * sizeof(*m));
			take_part(m, cells, 2 * n_joins - k, slack);
			for (int64_t i = 0; i < cells; i++)
				sum[i] = sum[i] == GPUBE__JOIN_DEAD ? GPUBE__JOIN_DEAD : sum[i] - m[i];
		}
		spread(&v, j->t, m, slack);
		cover_clear(g->ctx, &v);
	}
	return status;
}

int gpube__joingraph_pass(struct gpube_joingraph *g, bool backward)
{
	int status = GPUBE_OK;

	for (int32_t k = 0; k < g->n && !status && g->constant < g->target; k++) {
		int32_t p = backward ? g->n - 1 - k : k;

		if (gpube__stopped(g->ctx))
			return gpube__fail_stopped(g->ctx); /* between moves every state is sound */
		if (g->first[p + 1] - g->first[p] > 1)
			status = match(g, p);
		for (int32_t j = g->first[p]; j < g->first[p + 1] && !status; j++) {
			int32_t parts = g->joins[j].n_children;

			if (!backward) {
				send_forward(g, &g->joins[j]);
				continue;
			}
			for (int32_t c = g->joins[j].child; c >= 0; c = g->joins[c].sibling)
				send_back(g, &g->joins[c], parts--);
		}
	}
	return status;
}

/* ---- making ------------------------------------------------------------------------------- */

void gpube__joingraph_clear(struct gpube_joingraph *g)
{
	for (int32_t j = 0; g->joins && j < g->n_joins; j++) {
		gpube__free(g->ctx, g->joins[j].scope);
		gpube__free(g->ctx, g->joins[j].t);
		cover_clear(g->ctx, &g->joins[j].to_message);
	}
	gpube__free(g->ctx, g->joins);
	gpube__free(g->ctx, g->order);
	gpube__free(g->ctx, g->position);
	gpube__free(g->ctx, g->domain);
	gpube__free(g->ctx, g->first);
	gpube__free(g->ctx, g->message);
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
	memcpy(j->scope + 1, mbe->scopes + mini->scope_at, (size_t)mini->n_scope * sizeof(*j->scope));
	if (j->cells > g->message_cells)
		g->message_cells = j->cells;
	return GPUBE_OK;
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
			status = cover_init(g->ctx, &from->to_message, g->domain, to->scope,
				to->n_scope, from->scope + 1, from->n_scope - 1);
		}
	}
	return status;
}

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
	for (int32_t k = 0; k < g->n_joins && !status; k++)
		status = make_join(g, mbe, k);
	if (!status)
		status = link_joins(g, mbe);
	if (!status) {
		g->message = gpube__alloc(ctx, 2 * (uint64_t)g->message_cells, sizeof(*g->message));
		status = g->message ? GPUBE_OK : GPUBE_ENOMEM;
	}
	return status;
}

/* Adds a table over sorted positions to a join that has them all. */
static int add_table(struct gpube_joingraph *g, struct gpube_join *to, const int32_t *scope,
	int n_scope, const int32_t *t)
{
	struct gpube_cover v;
	int status = cover_init(g->ctx, &v, g->domain, to->scope, to->n_scope, scope, n_scope);

	if (!status)
		spread(&v, to->t, t, slack_of(g));
	cover_clear(g->ctx, &v);
	return status;
}

static int add_function(struct gpube_joingraph *g, struct gpube_join *to, const struct gpube_model *m,
	int32_t f, int64_t left)
{
	const int32_t *scope = gpube__scope(m, f);
	int arity = m->functions[f].arity, status;
	int64_t cells = gpube__cells(m, arity, scope), *wide;
	int32_t sorted[GPUBE_MAX_DIMS], *t;

	if (arity > GPUBE_MAX_DIMS || cells < 0)
		return gpube__fail(g->ctx, GPUBE_ELIMIT, "a function is too large");
	wide = gpube__alloc(g->ctx, (uint64_t)cells, sizeof(*wide));
	status = wide ? gpube__dense(wide, m, f, g->position) : GPUBE_ENOMEM;
	if (!status) {
		for (int k = 0; k < arity; k++)
			sorted[k] = g->position[scope[k]];
		qsort(sorted, (size_t)arity, sizeof(*sorted), gpube__compare_int32);
		t = (int32_t *)wide; /* in place: a narrow cell never passes its wide one */
		for (int64_t k = 0; k < cells; k++) {
			int64_t cost = wide[k];

			t[k] = gpube__scale(g->shift, cost, left, GPUBE__JOIN_DEAD);
		}
		status = add_table(g, to, sorted, arity, t);
	}
	gpube__free(g->ctx, wide);
	return status;
}

/* The plan, if it fits. */
static int plan(struct gpube_mbe *mbe, const struct gpube_model *m, const int32_t *order, int32_t z,
	double max_cells, bool *fits)
{
	int status = gpube__mbe_init(mbe, m, order, z, max_cells, GPUBE_PARTITION_SCOPE);

	*fits = !status && mbe->joined_cells + 3 * mbe->largest_message <= max_cells &&
		mbe->largest_joined < GPUBE_MAX_DIMS;
	if (!status && !*fits)
		gpube__mbe_clear(mbe);
	return status;
}

int gpube__joingraph_init(struct gpube_joingraph *g, const struct gpube_model *m,
	const int32_t *order, int32_t z, double max_cells, int64_t limit, bool *fits)
{
	int64_t left = gpube__costs_left(m, limit);
	struct gpube_mbe mbe;
	int status;

	memset(g, 0, sizeof(*g));
	status = plan(&mbe, m, order, z, max_cells, fits);
	if (status || !*fits)
		return status;
	g->shift = gpube__scale_shift(m, left, GPUBE__JOIN_MAX);
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

/* A model whose functions have the scopes of the joins, and no costs: for a plan. */
static int outline(struct gpube_model **out, const struct gpube_joingraph *g)
{
	struct gpube_model *m = NULL;
	int status = gpube_model_new(&m, g->ctx, GPUBE_COSTS);
	int32_t scope[GPUBE_MAX_DIMS], table;

	for (int32_t i = 0; i < g->n && !status; i++)
		status = gpube_model_add_var(m, NULL, g->domain[g->position[i]], NULL);
	for (int32_t j = 0; j < g->n_joins && !status; j++) {
		struct gpube_table t = {.sparse = true, .arity = g->joins[j].n_scope};

		for (int k = 0; k < t.arity; k++)
			scope[k] = g->order[g->joins[j].scope[k]];
		status = gpube__add_table(m, &table, &t);
		if (!status)
			status = gpube__add_function(m, t.arity, scope, table, NULL);
	}
	if (status)
		gpube_model_free(m);
	else
		*out = m;
	return status;
}

int gpube__joingraph_grow(struct gpube_joingraph *g, int32_t z, double max_cells, bool *fits)
{
	struct gpube_joingraph to = {.shift = g->shift, .constant = g->constant, .target = g->target,
		.z = z};
	struct gpube_model *m = NULL;
	struct gpube_mbe mbe;
	int status = outline(&m, g);

	*fits = false;
	if (!status)
		status = plan(&mbe, m, g->order, z, max_cells, fits);
	if (status || !*fits) {
		gpube_model_free(m);
		return status;
	}
	status = make(&to, &mbe);
	for (int32_t k = 0; k < to.n_joins && !status; k++)
		for (int32_t i = 0; i < mbe.minis[k].n_in && !status; i++) {
			int32_t id = mbe.inputs[mbe.minis[k].in_at + i];

			if (id < 0)
				continue;
			status = add_table(&to, &to.joins[k], g->joins[id].scope, g->joins[id].n_scope,
				g->joins[id].t);
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

/* ---- reading off ------------------------------------------------------------------------------ */

void gpube__joingraph_limit(struct gpube_joingraph *g, const struct gpube_model *m, int64_t limit)
{
	int64_t target = gpube__scale_target(g->shift, gpube__costs_left(m, limit));

	if (target < g->target)
		g->target = target;
}

int64_t gpube__joingraph_bound(
	const struct gpube_joingraph *g, const struct gpube_model *m, int64_t limit)
{
	if (g->constant >= g->target)
		return limit; /* GPUBE_INF, if no total is finite */
	return gpube__constant_of(m) + gpube__unscale(g->shift, g->constant);
}

/* The cell of a join at an assignment with its own variable at value 0. */
static int64_t cell_of(const struct gpube_joingraph *g, const struct gpube_join *j,
	const int32_t *values)
{
	int64_t cell = 0;

	for (int k = 1; k < j->n_scope; k++)
		cell = cell * g->domain[j->scope[k]] + values[g->order[j->scope[k]]];
	return cell;
}

void gpube__joingraph_decode(const struct gpube_joingraph *g, int32_t *values)
{
	for (int32_t p = g->n - 1; p >= 0; p--) {
		int64_t best = INT64_MAX;

		for (int32_t x = 0; x < g->domain[p]; x++) {
			int64_t sum = 0;

			for (int32_t j = g->first[p]; j < g->first[p + 1]; j++) {
				const struct gpube_join *join = &g->joins[j];

				sum += join->t[x * message_cells(g, join) + cell_of(g, join, values)];
			}
			if (sum < best) {
				best = sum;
				values[g->order[p]] = x;
			}
		}
	}
}

int64_t gpube__joingraph_cost(const struct gpube_joingraph *g, const int32_t *values)
{
	int64_t sum = g->constant;
	int32_t slack = slack_of(g);

	for (int32_t k = 0; k < g->n_joins; k++) {
		const struct gpube_join *j = &g->joins[k];
		int32_t t = j->t[values[g->order[j->position]] * message_cells(g, j) +
				 cell_of(g, j, values)];

		if (t >= slack)
			return -1;
		sum += t;
	}
	return sum;
}
