/* clusters_init.c - the tables and clusters of a model. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "gpube/base/bits.h"
#include "gpube/base/rows.h"
#include "gpube/relax/clusters.h"
#include "gpube/relax/scaling.h"

/* Work: a cell of a model's table. */
enum { MADE_TICKS = 10 };

enum { WIDE_CELLS = 1 << 22, MOST_CLUSTERS = 200000, MOST_TRIANGULATED = 2000 };

static void free_cluster(struct gpube_clusters *c, struct gpube_cluster *q)
{
	for (int k = 0; k < GPUBE__CLUSTER_PAIRS; k++)
		gpube__free(c->ctx, q->addend[k]);
}

void gpube__clusters_clear(struct gpube_clusters *c)
{
	struct gpube_ctx *ctx = c->ctx;

	for (int32_t i = 0; c->value && i < c->n; i++)
		gpube__free(ctx, c->value[i]);
	for (int32_t i = 0; c->unary && i < c->n; i++)
		gpube__free(ctx, c->unary[i]);
	for (int32_t p = 0; p < c->n_pairs; p++)
		gpube__free(ctx, c->pairs[p].t);
	for (int32_t w = 0; w < c->n_wides; w++) {
		gpube__free(ctx, c->wides[w].t);
		gpube__free(ctx, c->wides[w].scope);
	}
	for (int32_t q = 0; q < c->n_clusters; q++)
		free_cluster(c, &c->clusters[q]);
	for (int t = 0; c->scratch && t < c->n_scratch; t++)
		gpube__free(ctx, c->scratch[t]);
	gpube__free(ctx, c->scratch);
	gpube__free(ctx, c->kept);
	gpube__free(ctx, c->work);
	gpube__free(ctx, c->value);
	gpube__free(ctx, c->unary);
	gpube__free(ctx, c->domain);
	gpube__free(ctx, c->pairs);
	gpube__free(ctx, c->wides);
	gpube__free(ctx, c->clusters);
	gpube__free(ctx, c->group);
	gpube__free(ctx, c->near_at);
	gpube__free(ctx, c->near);
	gpube__free(ctx, c->left_out);
	memset(c, 0, sizeof(*c));
}

void gpube__clusters_cutoff(struct gpube_clusters *c, const struct gpube_model *m, int64_t cutoff)
{
	int64_t target = gpube__scale_target(c->shift, gpube__costs_left(m, cutoff));

	if (target < c->target)
		c->target = target;
}

int64_t gpube__clusters_total(const struct gpube_clusters *c, int64_t constant,
	const struct gpube_model *m, int64_t cutoff)
{
	if (constant >= c->target)
		return cutoff; /* GPUBE_INF, if no total is finite */
	return gpube__constant_of(m) + gpube__unscale(c->shift, constant);
}

/* ---- tables ------------------------------------------------------------------------ */

static int32_t *dead_table(struct gpube_clusters *c, int64_t cells, int32_t first)
{
	int32_t *t = gpube__alloc(c->ctx, (uint64_t)cells, sizeof(*t));

	for (int64_t k = 0; t && k < cells; k++)
		t[k] = first;
	return t;
}

/* A padded table of a pair; its live cells cost nothing. */
static int32_t *pair_table(struct gpube_clusters *c, int32_t a, int32_t b)
{
	int64_t row = gpube__row(c, b);
	int32_t *t = dead_table(c, c->domain[a] * row, GPUBE__DEAD);

	for (int32_t x = 0; t && x < c->domain[a]; x++)
		for (int32_t y = 0; y < c->domain[b]; y++)
			t[x * row + y] = 0;
	return t;
}

static int add_pair(struct gpube_clusters *c, int32_t a, int32_t b)
{
	int32_t *t;

	if (gpube__grow(c->ctx, &c->pairs, &c->pairs_capacity, (int64_t)c->n_pairs + 1,
		    sizeof(*c->pairs)))
		return GPUBE_ENOMEM;
	t = pair_table(c, a, b);
	if (!t)
		return GPUBE_ENOMEM;
	c->pairs[c->n_pairs++] = (struct gpube_pair){a, b, 0, t};
	return GPUBE_OK;
}

/* A sum of two costs in a table. */
static int32_t add(int32_t x, int32_t y)
{
	return x + y >= GPUBE__DEAD || x + y < 0 ? GPUBE__DEAD : x + y;
}

static int add_wide(struct gpube_clusters *c, int arity, const int32_t *scope, int64_t cells,
	const int64_t *wide, int64_t left)
{
	struct gpube_wide_table *w;

	if (gpube__grow(c->ctx, &c->wides, &c->wides_capacity, (int64_t)c->n_wides + 1,
		    sizeof(*c->wides)))
		return GPUBE_ENOMEM;
	w = &c->wides[c->n_wides++];
	*w = (struct gpube_wide_table){.arity = arity,
		.cells = cells,
		.scope = gpube__alloc(c->ctx, (uint64_t)arity, sizeof(*w->scope)),
		.t = gpube__alloc(c->ctx, (uint64_t)cells, sizeof(*w->t))};
	if (!w->scope || !w->t)
		return GPUBE_ENOMEM;
	for (int k = 0; k < arity; k++) { /* insertion: ascending */
		int j = k;

		for (; j > 0 && w->scope[j - 1] > scope[k]; j--)
			w->scope[j] = w->scope[j - 1];
		w->scope[j] = scope[k];
	}
	for (int64_t k = 0; k < cells; k++)
		w->t[k] = gpube__scale(c->shift, wide[k], left, GPUBE__DEAD);
	return GPUBE_OK;
}

/* Pairs are looked up by a sort at the end of loading; until then each function is its own. */
static int load_function(struct gpube_clusters *c, const struct gpube_model *m, int32_t f,
	int64_t left, int64_t *bytes_left)
{
	const int32_t *scope = gpube__scope(m, f);
	int arity = m->functions[f].arity;
	int64_t cells = gpube__cells(m, arity, scope), *wide;
	int status;

	if (arity == 0)
		return GPUBE_OK;
	if (cells < 0 || (arity > 2 && cells > WIDE_CELLS) || arity > GPUBE_MAX_DIMS ||
		cells > *bytes_left / 8) {
		c->left_out[f] = 1;
		return GPUBE_OK;
	}
	*bytes_left -= 8 * cells;
	wide = gpube__alloc(c->ctx, (uint64_t)cells, sizeof(*wide));
	status = wide ? gpube__dense(wide, m, f, NULL) : GPUBE_ENOMEM;
	if (!status && arity == 1)
		for (int64_t x = 0; x < cells; x++)
			c->unary[*scope][x] = add(c->unary[*scope][x],
				gpube__scale(c->shift, wide[x], left, GPUBE__DEAD));
	if (!status && arity == 2) {
		int32_t a = scope[0] < scope[1] ? scope[0] : scope[1], b = scope[0] + scope[1] - a;
		int64_t row = gpube__row(c, b);

		status = add_pair(c, a, b);
		for (int64_t k = 0; !status && k < cells; k++)
			c->pairs[c->n_pairs - 1].t[k / c->domain[b] * row + k % c->domain[b]] =
				gpube__scale(c->shift, wide[k], left, GPUBE__DEAD);
	}
	if (!status && arity > 2)
		status = add_wide(c, arity, scope, cells, wide, left);
	gpube__free(c->ctx, wide);
	return status;
}

static int compare_pairs(const void *x, const void *y)
{
	const struct gpube_pair *p = x, *q = y;

	if (p->a != q->a)
		return p->a < q->a ? -1 : 1;
	return (p->b > q->b) - (p->b < q->b);
}

/* Sorts the pairs and adds up those of the same variables. */
static void merge_pairs(struct gpube_clusters *c)
{
	int32_t n = 0;

	if (c->n_pairs)
		qsort(c->pairs, (size_t)c->n_pairs, sizeof(*c->pairs), compare_pairs);
	for (int32_t p = 0; p < c->n_pairs; p++) {
		struct gpube_pair *to = n ? &c->pairs[n - 1] : NULL;

		if (!to || compare_pairs(to, &c->pairs[p])) {
			c->pairs[n++] = c->pairs[p];
			continue;
		}
		for (int64_t k = 0; k < c->domain[to->a] * gpube__row(c, to->b); k++)
			to->t[k] = add(to->t[k], c->pairs[p].t[k]);
		gpube__free(c->ctx, c->pairs[p].t);
	}
	c->n_pairs = n;
}

static int32_t find_pair(const struct gpube_clusters *c, int32_t a, int32_t b)
{
	struct gpube_pair key = {a, b, 0, NULL};
	const struct gpube_pair *p =
		c->n_pairs ? bsearch(&key, c->pairs, (size_t)c->n_pairs, sizeof(key), compare_pairs)
			   : NULL;

	return p ? (int32_t)(p - c->pairs) : -1;
}

/* Which pairs and wides each variable is in. */
static int list_near(struct gpube_clusters *c)
{
	int64_t total = 2 * (int64_t)c->n_pairs;

	for (int32_t w = 0; w < c->n_wides; w++)
		total += c->wides[w].arity;
	gpube__free(c->ctx, c->near_at);
	gpube__free(c->ctx, c->near);
	c->near_at = gpube__alloc_zero(c->ctx, (uint64_t)c->n + 2, sizeof(*c->near_at));
	c->near = gpube__alloc(c->ctx, (uint64_t)total, sizeof(*c->near));
	if (!c->near_at || !c->near)
		return GPUBE_ENOMEM;
	for (int32_t p = 0; p < c->n_pairs; p++) {
		GPUBE_ROW_COUNT(c->near_at, c->pairs[p].a);
		GPUBE_ROW_COUNT(c->near_at, c->pairs[p].b);
	}
	for (int32_t w = 0; w < c->n_wides; w++)
		for (int32_t k = 0; k < c->wides[w].arity; k++)
			GPUBE_ROW_COUNT(c->near_at, c->wides[w].scope[k]);
	GPUBE_ROWS_BEGIN(c->near_at, c->n);
	for (int32_t p = 0; p < c->n_pairs; p++) {
		c->near[GPUBE_ROW_PLACE(c->near_at, c->pairs[p].a)] = p;
		c->near[GPUBE_ROW_PLACE(c->near_at, c->pairs[p].b)] = p;
	}
	for (int32_t w = 0; w < c->n_wides; w++)
		for (int32_t k = 0; k < c->wides[w].arity; k++)
			c->near[GPUBE_ROW_PLACE(c->near_at, c->wides[w].scope[k])] = ~w;
	return GPUBE_OK;
}

static int make_scratch(struct gpube_clusters *c)
{
	int64_t widest = GPUBE__LANES;

	for (int32_t i = 0; i < c->n; i++)
		if (gpube__row(c, i) > widest)
			widest = gpube__row(c, i);
	c->scratch_cells = widest * widest;
	c->n_scratch = c->ctx->n_threads;
	c->scratch = gpube__alloc_zero(c->ctx, (uint64_t)c->n_scratch, sizeof(*c->scratch));
	if (!c->scratch)
		return GPUBE_ENOMEM;
	for (int t = 0; t < c->n_scratch; t++) {
		/* a transposed table and a min-marginal */
		c->scratch[t] =
			gpube__alloc(c->ctx, 2 * (uint64_t)c->scratch_cells, sizeof(**c->scratch));
		if (!c->scratch[t])
			return GPUBE_ENOMEM;
	}
	return GPUBE_OK;
}

static int make_variables(struct gpube_clusters *c, const struct gpube_model *m)
{
	uint64_t n = (uint64_t)m->n_vars;
	int64_t values = 0;

	c->domain = gpube__alloc(c->ctx, n, sizeof(*c->domain));
	c->value = gpube__alloc_zero(c->ctx, n, sizeof(*c->value));
	c->unary = gpube__alloc_zero(c->ctx, n, sizeof(*c->unary));
	if (!c->domain || !c->value || !c->unary)
		return GPUBE_ENOMEM;
	for (int32_t i = 0; i < c->n; i++) {
		c->domain[i] = m->vars[i].domain;
		c->value[i] = gpube__alloc(c->ctx, (uint64_t)c->domain[i], sizeof(**c->value));
		c->unary[i] = dead_table(c, c->domain[i], 0);
		if (!c->value[i] || !c->unary[i])
			return GPUBE_ENOMEM;
		for (int32_t a = 0; a < c->domain[i]; a++)
			c->value[i][a] = a;
		values += c->domain[i];
	}
	c->kept = gpube__alloc(c->ctx, (uint64_t)values, sizeof(*c->kept));
	c->work = gpube__alloc(c->ctx, 3 * n, sizeof(*c->work));
	return c->kept && c->work ? GPUBE_OK : GPUBE_ENOMEM;
}

int gpube__clusters_init(
	struct gpube_clusters *c, const struct gpube_model *m, int64_t cutoff, int most_shift)
{
	int64_t left = gpube__costs_left(m, cutoff),
		bytes_left = (int64_t)(m->ctx->memory_bytes / 2);
	int status;

	memset(c, 0, sizeof(*c));
	c->ctx = m->ctx;
	c->n = m->n_vars;
	c->kernels = gpube__ascent_kernels();
	c->shift = gpube__scale_shift(m, left, GPUBE__SLACK_MAX, most_shift);
	c->target = gpube__scale_target(c->shift, left);
	c->left_out = gpube__alloc_zero(c->ctx, (uint64_t)m->n_functions, 1);
	status = c->left_out ? make_variables(c, m) : GPUBE_ENOMEM;
	for (int32_t f = 0; f < m->n_functions && !status; f++)
		status = load_function(c, m, f, left, &bytes_left);
	if (!status) {
		merge_pairs(c);
		status = list_near(c);
	}
	if (!status)
		status = make_scratch(c);
	gpube__work(c->ctx, MADE_TICKS * gpube__model_cells(m));
	if (status)
		gpube__clusters_clear(c);
	return status;
}

/* ---- clusters ----------------------------------------------------------------------- */

/* The pairs' graph as bits, for cliques. */
struct bits {
	int32_t n;
	int64_t words;
	uint64_t *rows;
};

static bool has(const struct bits *g, int32_t a, int32_t b)
{
	return gpube__bit(g->rows + a * g->words, b);
}

static void join(struct bits *g, int32_t a, int32_t b)
{
	gpube__bit_put(g->rows + a * g->words, b);
	gpube__bit_put(g->rows + b * g->words, a);
}

/* Joins the neighbours of each variable that come after it, along the order. */
static void triangulate(struct bits *g, const int32_t *order)
{
	for (int32_t p = 0; p < g->n; p++)
		for (int32_t q = p + 1; q < g->n; q++)
			for (int32_t r = q + 1; has(g, order[p], order[q]) && r < g->n; r++)
				if (has(g, order[p], order[r]))
					join(g, order[q], order[r]);
}

static double share_bytes(const struct gpube_clusters *c, const int32_t *v)
{
	double cells = 0;

	for (int j = 1; j < GPUBE__CLUSTER_VARS; j++)
		for (int i = 0; i < j; i++)
			cells += (double)c->domain[v[i]] * (double)gpube__row(c, v[j]);
	return cells * sizeof(int32_t);
}

static int add_cluster(struct gpube_clusters *c, const int32_t *v, double *bytes)
{
	struct gpube_cluster *q;
	double need = share_bytes(c, v);

	if (need > *bytes || c->n_clusters >= MOST_CLUSTERS)
		return GPUBE_OK;
	*bytes -= need;
	if (gpube__grow(c->ctx, &c->clusters, &c->clusters_capacity, (int64_t)c->n_clusters + 1,
		    sizeof(*c->clusters)))
		return GPUBE_ENOMEM;
	q = &c->clusters[c->n_clusters];
	*q = (struct gpube_cluster){.k = GPUBE__CLUSTER_VARS, .v = {v[0], v[1], v[2]}};
	for (int j = 1, e = 0; j < q->k; j++)
		for (int i = 0; i < j; i++, e++) {
			q->addend[e] = pair_table(c, v[i], v[j]);
			if (!q->addend[e]) {
				free_cluster(c, q);
				return GPUBE_ENOMEM;
			}
		}
	c->n_clusters++;
	return GPUBE_OK;
}

static int add_triangles(struct gpube_clusters *c, const struct bits *g, double bytes)
{
	int32_t v[GPUBE__CLUSTER_VARS];
	int status = GPUBE_OK;

	for (v[0] = 0; v[0] < g->n && !status; v[0]++)
		for (v[1] = v[0] + 1; v[1] < g->n && !status; v[1]++)
			for (v[2] = v[1] + 1; has(g, v[0], v[1]) && v[2] < g->n && !status; v[2]++)
				if (has(g, v[0], v[2]) && has(g, v[1], v[2]))
					status = add_cluster(c, v, &bytes);
	return status;
}

/*
 * Groups: each cluster goes into the first that has none of its pairs; then a stable sort by group.
 */
static int make_groups(struct gpube_clusters *c)
{
	uint64_t *used = gpube__alloc_zero(c->ctx, (uint64_t)c->n_pairs, sizeof(*used));
	int32_t *of = gpube__alloc(c->ctx, (uint64_t)c->n_clusters, sizeof(*of));
	struct gpube_cluster *sorted =
		gpube__alloc(c->ctx, (uint64_t)c->n_clusters, sizeof(*sorted));
	int32_t last = 0;
	int status = GPUBE_ENOMEM;

	if (!used || !of || !sorted)
		goto out;
	/* 64 groups are told apart by bits; what fits in none of them is done one after another */
	for (int32_t q = 0; q < c->n_clusters; q++) {
		struct gpube_cluster *cluster = &c->clusters[q];
		int n_pairs = cluster->k * (cluster->k - 1) / 2;
		uint64_t taken = 0;

		for (int e = 0; e < n_pairs; e++)
			taken |= used[cluster->pair[e]];
		of[q] = ~taken ? __builtin_ctzll(~taken) : 64 + last++;
		for (int e = 0; e < n_pairs && of[q] < 64; e++)
			used[cluster->pair[e]] |= (uint64_t)1 << of[q];
	}
	status = gpube__grow(
		c->ctx, &c->group, &c->groups_capacity, 64 + (int64_t)last + 2, sizeof(*c->group));
	if (status)
		goto out;
	memset(c->group, 0, (64 + (size_t)last + 2) * sizeof(*c->group));
	for (int32_t q = 0; q < c->n_clusters; q++)
		GPUBE_ROW_COUNT(c->group, of[q]);
	GPUBE_ROWS_BEGIN(c->group, 64 + last);
	for (int32_t q = 0; q < c->n_clusters; q++)
		sorted[GPUBE_ROW_PLACE(c->group, of[q])] = c->clusters[q];
	c->n_groups = 64 + last; /* empty ones cost nothing */
	if (c->n_clusters)
		memcpy(c->clusters, sorted, (size_t)c->n_clusters * sizeof(*sorted));
out:
	gpube__free(c->ctx, used);
	gpube__free(c->ctx, of);
	gpube__free(c->ctx, sorted);
	return status;
}

/* Sorts the pairs again, and tells the clusters where theirs are. */
static int settle_pairs(struct gpube_clusters *c)
{
	if (c->n_pairs)
		qsort(c->pairs, (size_t)c->n_pairs, sizeof(*c->pairs), compare_pairs);
	for (int32_t p = 0; p < c->n_pairs; p++)
		c->pairs[p].users = 0;
	for (int32_t q = 0; q < c->n_clusters; q++) {
		struct gpube_cluster *cluster = &c->clusters[q];

		for (int j = 1, e = 0; j < cluster->k; j++)
			for (int i = 0; i < j; i++, e++) {
				cluster->pair[e] = find_pair(c, cluster->v[i], cluster->v[j]);
				c->pairs[cluster->pair[e]].users++;
			}
	}
	return list_near(c);
}

static int add_missing(struct gpube_clusters *c, int32_t first)
{
	const int32_t n_sorted = c->n_pairs;
	struct bits made = {.n = c->n, .words = (c->n + 63) / 64};
	int status = GPUBE_OK;

	made.rows = gpube__alloc_zero(
		c->ctx, (uint64_t)made.n * (uint64_t)made.words, sizeof(*made.rows));
	if (!made.rows)
		return GPUBE_ENOMEM;
	for (int32_t p = 0; p < n_sorted; p++)
		join(&made, c->pairs[p].a, c->pairs[p].b);
	for (int32_t q = first; q < c->n_clusters && !status; q++)
		for (int j = 1; j < c->clusters[q].k; j++)
			for (int i = 0; i < j && !status; i++) {
				int32_t a = c->clusters[q].v[i], b = c->clusters[q].v[j];

				if (has(&made, a, b))
					continue;
				/* to the end: sorted once all are there */
				status = add_pair(c, a, b);
				join(&made, a, b);
			}
	gpube__free(c->ctx, made.rows);
	return status;
}

/* Clusters from 'first' on are new. */
static int settle(struct gpube_clusters *c, int32_t first)
{
	int status = add_missing(c, first);

	if (!status)
		status = settle_pairs(c);
	return status ? status : make_groups(c);
}

int gpube__clusters_add(struct gpube_clusters *c, const int32_t *order, double bytes)
{
	struct bits g = {.n = c->n, .words = ((int64_t)c->n + 63) / 64};
	int32_t first = c->n_clusters;
	int status;

	if (c->n > 5000) /* the bits would be large, and so would be the clusters */
		return GPUBE_OK;
	g.rows = gpube__alloc_zero(c->ctx, (uint64_t)g.n * (uint64_t)g.words, sizeof(*g.rows));
	if (!g.rows)
		return GPUBE_ENOMEM;
	for (int32_t p = 0; p < c->n_pairs; p++)
		if (c->pairs[p].t)
			join(&g, c->pairs[p].a, c->pairs[p].b);
	for (int32_t w = 0; w < c->n_wides; w++)
		for (int32_t i = 0; i < c->wides[w].arity; i++)
			for (int32_t j = 0; j < i; j++)
				if (c->domain[c->wides[w].scope[i]] > 1 &&
					c->domain[c->wides[w].scope[j]] > 1)
					join(&g, c->wides[w].scope[i], c->wides[w].scope[j]);
	if (order && c->n <= MOST_TRIANGULATED)
		triangulate(&g, order);
	status = add_triangles(c, &g, bytes);
	if (!status)
		status = settle(c, first);
	gpube__free(c->ctx, g.rows);
	return status;
}

int gpube__clusters_add_like(struct gpube_clusters *c, const struct gpube_cluster *like, int32_t n)
{
	int32_t first = c->n_clusters;
	double bytes = INFINITY;
	int status = GPUBE_OK;

	for (int32_t q = 0; q < n && !status; q++)
		status = add_cluster(c, like[q].v, &bytes);
	return status ? status : settle(c, first);
}
