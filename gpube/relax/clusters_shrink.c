/* clusters_shrink.c - takes dead values out of the tables of an ascent, and copies what is left. */
#include <stdlib.h>
#include <string.h>

#include "gpube/relax/clusters.h"

/* ---- dead values ----------------------------------------------------------------------- */

static int64_t padded(int32_t n)
{
	return (n + GPUBE__LANES - 1) / GPUBE__LANES * GPUBE__LANES;
}

/* What stays of the values of each variable: n[i] indices at kept[at[i]]. */
struct kept {
	const int32_t *n, *at, *kept;
};

static void squeeze(
	int32_t *t, const struct gpube_clusters *c, const struct kept *k, int32_t a, int32_t b)
{
	const int32_t *rows = k->kept + k->at[a], *columns = k->kept + k->at[b];
	int64_t from_row = gpube__row(c, b), to_row = padded(k->n[b]);

	if (k->n[a] == c->domain[a] && k->n[b] == c->domain[b])
		return;
	for (int32_t x = 0; x < k->n[a]; x++) {
		const int32_t *from = t + rows[x] * from_row;
		int32_t *to = t + x * to_row;

		/* never writes in front of what is still to be read */
#pragma omp simd
		for (int32_t y = 0; y < k->n[b]; y++)
			to[y] = from[columns[y]];
		for (int64_t y = k->n[b]; y < to_row; y++)
			to[y] = GPUBE__DEAD;
	}
}

static void squeeze_wide(struct gpube_wide_table *w, const struct gpube_clusters *c,
	const struct kept *k, int32_t *index)
{
	int64_t cells = 1, stride[GPUBE_MAX_DIMS];
	bool any = false;

	for (int32_t j = w->arity - 1; j >= 0; j--) {
		any |= k->n[w->scope[j]] < c->domain[w->scope[j]];
		stride[j] = j == w->arity - 1 ? 1 : stride[j + 1] * c->domain[w->scope[j + 1]];
		cells *= k->n[w->scope[j]];
		index[j] = 0;
	}
	for (int64_t to = 0; any && to < cells; to++) {
		int64_t from = 0;

		for (int32_t j = 0; j < w->arity; j++)
			from += stride[j] * k->kept[k->at[w->scope[j]] + index[j]];
		w->t[to] = w->t[from];
		for (int32_t j = w->arity - 1; j >= 0; j--) {
			if (++index[j] < k->n[w->scope[j]])
				break;
			index[j] = 0;
		}
	}
	w->cells = cells;
}

static void take_out(struct gpube_clusters *c, const struct kept *k, int32_t *index)
{
	for (int32_t p = 0; p < c->n_pairs; p++)
		if (c->pairs[p].t)
			squeeze(c->pairs[p].t, c, k, c->pairs[p].a, c->pairs[p].b);
	for (int32_t q = 0; q < c->n_clusters; q++) {
		struct gpube_cluster *cluster = &c->clusters[q];

		for (int j = 1, e = 0; j < cluster->k; j++)
			for (int i = 0; i < j; i++, e++)
				squeeze(cluster->share[e], c, k, cluster->v[i], cluster->v[j]);
	}
	for (int32_t w = 0; w < c->n_wides; w++)
		squeeze_wide(&c->wides[w], c, k, index);
	for (int32_t i = 0; i < c->n; i++) {
		for (int32_t x = 0; x < k->n[i]; x++) {
			c->value[i][x] = c->value[i][k->kept[k->at[i] + x]];
			c->unary[i][x] = c->unary[i][k->kept[k->at[i] + x]];
		}
		c->domain[i] = k->n[i];
	}
}

/* ---- decided variables ------------------------------------------------------------------- */

static int32_t sum_of(int32_t t, int32_t more, int32_t slack)
{
	return t >= slack || more >= slack || t + more >= slack ? GPUBE__DEAD : t + more;
}

/* What a triangle costs at the only value of its variable k goes to the other two's pair. */
static void fold_triangle(struct gpube_clusters *c, struct gpube_cluster *q, int k, int32_t slack)
{
	int a = k == 0 ? 1 : 0, b = k == 2 ? 1 : 2;
	const int32_t *own = q->share[gpube__share(a, b)];
	const int32_t *with_a = q->share[k < a ? gpube__share(k, a) : gpube__share(a, k)];
	const int32_t *with_b = q->share[k < b ? gpube__share(k, b) : gpube__share(b, k)];
	int64_t row = gpube__row(c, q->v[b]), row_k = gpube__row(c, q->v[k]);
	int32_t *t = c->pairs[q->pair[gpube__share(a, b)]].t;

	for (int32_t x = 0; x < c->domain[q->v[a]]; x++)
		for (int32_t y = 0; y < c->domain[q->v[b]]; y++) {
			/* rows are of the variable that comes first */
			int32_t with_x = with_a[k < a ? x : x * row_k];
			int32_t with_y = with_b[k < b ? y : y * row_k];
			int32_t s = own[x * row + y], *to = &t[x * row + y];

			*to = s == GPUBE__DEAD || with_x == GPUBE__DEAD || with_y == GPUBE__DEAD
				      ? GPUBE__DEAD
				      : sum_of(*to, s + with_x + with_y, slack);
		}
	for (int e = 0; e < 3; e++)
		c->pairs[q->pair[e]].users--;
	q->k = 0;
}

/*
 * Makes a cluster of four without variable k one of three: each share with k is
 * added to one of the others. False if a sum would leave its range.
 */
static bool fold_quad(struct gpube_clusters *c, struct gpube_cluster *q, int k)
{
	int at[3], n = 0;
	int32_t *share[GPUBE__CLUSTER_PAIRS], pair[GPUBE__CLUSTER_PAIRS];

	for (int j = 0; j < 4; j++)
		if (j != k)
			at[n++] = j;
	for (int turn = 0; turn < 2; turn++) /* look, then do */
		for (int e = 0; e < 3; e++) {
			/* (0,1) takes that of k with 0, (1,2) that with 1, (0,2) that with 2 */
			int u = at[e == 1], v = at[e == 0 ? 1 : 2], w = at[e];
			int64_t row = gpube__row(c, q->v[v]);
			const int32_t *from =
				q->share[k < w ? gpube__share(k, w) : gpube__share(w, k)];
			int64_t step = k < w ? 1 : gpube__row(c, q->v[k]);
			int32_t *to = q->share[gpube__share(u, v)];

			for (int32_t x = 0; x < c->domain[q->v[u]]; x++)
				for (int32_t y = 0; y < c->domain[q->v[v]]; y++) {
					int32_t s = from[step * (w == u ? x : y)],
						*t = &to[x * row + y];

					if (turn)
						*t = s == GPUBE__DEAD || *t == GPUBE__DEAD
							     ? GPUBE__DEAD
							     : *t + s;
					else if (s != GPUBE__DEAD && *t != GPUBE__DEAD &&
						 abs(*t + s) > GPUBE__SHARE_MAX)
						return false;
				}
		}
	for (int j = 1, e = 0, spare = 3; j < 4; j++)
		for (int i = 0; i < j; i++, e++) {
			bool goes = i == k || j == k;
			int to = goes ? spare++ : gpube__share(i - (i > k), j - (j > k));

			c->pairs[q->pair[e]].users -= goes;
			share[to] = q->share[e];
			pair[to] = q->pair[e];
		}
	memcpy(q->share, share, sizeof(share));
	memcpy(q->pair, pair, sizeof(pair));
	for (int j = 0; j < 3; j++)
		q->v[j] = q->v[at[j]];
	q->k = 3;
	return true;
}

/* A pair's costs at the only value of 'decided' go to the other one. */
static void fold_pair(
	struct gpube_clusters *c, struct gpube_pair *e, int32_t decided, int32_t slack)
{
	int32_t other = e->a + e->b - decided;
	int64_t step = decided == e->a ? 1 : gpube__row(c, e->b);

	for (int32_t x = 0; x < c->domain[other]; x++)
		c->unary[other][x] = sum_of(c->unary[other][x], e->t[x * step], slack);
	if (!c->arena)
		gpube__free(c->ctx, e->t);
	e->t = NULL;
}

/* A variable of one value leaves its triangles and pairs, which are spared the work. */
static void fold(struct gpube_clusters *c, int32_t slack)
{
	bool any = false;

	for (int32_t i = 0; i < c->n; i++) {
		c->work[i] = 0;
		for (int64_t k = c->near_at[i]; c->domain[i] == 1 && k < c->near_at[i + 1]; k++)
			c->work[i] |= c->near[k] >= 0 && c->pairs[c->near[k]].t;
		any |= c->work[i];
	}
	for (int32_t q = 0; any && q < c->n_clusters; q++)
		for (int k = c->clusters[q].k - 1; k >= 0; k--) {
			struct gpube_cluster *cluster = &c->clusters[q];

			if (!c->work[cluster->v[k]])
				continue;
			if (cluster->k == 3)
				fold_triangle(c, cluster, k, slack);
			else if (!fold_quad(c, cluster, k))
				break;
			if (cluster->k == 0)
				break;
		}
	for (int32_t p = 0; any && p < c->n_pairs; p++) {
		struct gpube_pair *e = &c->pairs[p];

		if (e->t && (c->work[e->a] || c->work[e->b]) && e->users == 0)
			fold_pair(c, e, c->work[e->a] ? e->a : e->b, slack);
	}
}

void gpube__clusters_compact(struct gpube_clusters *c)
{
	int32_t slack = gpube__slack(c), *n = c->work, *index = c->work + c->n,
		*at = c->work + 2 * c->n, values = 0;
	struct kept k = {n, at, c->kept};
	bool any = false;

	for (int32_t i = 0; i < c->n; i++) {
		at[i] = values;
		n[i] = 0;
		for (int32_t a = 0; a < c->domain[i]; a++)
			if (c->unary[i][a] < slack)
				c->kept[values + n[i]++] = a;
		values += c->domain[i];
		any |= n[i] < c->domain[i];
	}
	if (any)
		take_out(c, &k, index);
	for (int32_t i = 0; i < c->n; i++)
		if (c->domain[i] == 0) { /* nothing reaches below the limit */
			c->constant = c->target;
			return;
		}
	fold(c, slack);
}

/* ---- copies ------------------------------------------------------------------------------ */

static int64_t pair_cells(const struct gpube_clusters *c, int32_t a, int32_t b)
{
	return c->domain[a] * gpube__row(c, b);
}

/* Cells of all tables, and of the lists of values and scopes. */
static int64_t arena_cells(const struct gpube_clusters *c)
{
	int64_t cells = 0;

	for (int32_t i = 0; i < c->n; i++)
		cells += 2 * (int64_t)c->domain[i];
	for (int32_t p = 0; p < c->n_pairs; p++)
		cells += c->pairs[p].t ? pair_cells(c, c->pairs[p].a, c->pairs[p].b) : 0;
	for (int32_t w = 0; w < c->n_wides; w++)
		cells += c->wides[w].cells + c->wides[w].arity;
	for (int32_t q = 0; q < c->n_clusters; q++)
		for (int j = 1; j < c->clusters[q].k; j++)
			for (int i = 0; i < j; i++)
				cells += pair_cells(c, c->clusters[q].v[i], c->clusters[q].v[j]);
	return cells;
}

int64_t gpube__clusters_bytes(const struct gpube_clusters *c)
{
	return 4 * arena_cells(c) + (int64_t)sizeof(*c->clusters) * c->n_clusters +
	       (int64_t)sizeof(*c->pairs) * c->n_pairs + 64 * c->n;
}

static int32_t *put(int32_t **at, const int32_t *from, int64_t n)
{
	int32_t *to = *at;

	memcpy(to, from, (size_t)n * sizeof(*to));
	*at += n;
	return to;
}

static void *twin(struct gpube_ctx *ctx, const void *from, int64_t n, size_t size)
{
	void *p = gpube__alloc(ctx, (uint64_t)n, size);

	if (p && n)
		memcpy(p, from, (size_t)n * size);
	return p;
}

int gpube__clusters_copy(struct gpube_clusters *to, const struct gpube_clusters *c)
{
	struct gpube_ctx *ctx = c->ctx;
	int64_t cells = arena_cells(c);
	int32_t values = 0, *at;

	*to = *c;
	for (int32_t i = 0; i < c->n; i++)
		values += c->domain[i];
	at = to->arena = gpube__alloc(ctx, (uint64_t)cells + 1, sizeof(*at));
	to->scratch = NULL;
	to->n_scratch = 0;
	to->left_out = NULL;
	to->near_at = NULL; /* as the scratch, the root's serve all copies */
	to->near = NULL;
	to->group = NULL;
	to->domain = twin(ctx, c->domain, c->n, sizeof(*c->domain));
	to->value = twin(ctx, c->value, c->n, sizeof(*c->value));
	to->unary = twin(ctx, c->unary, c->n, sizeof(*c->unary));
	to->pairs = twin(ctx, c->pairs, c->n_pairs, sizeof(*c->pairs));
	to->wides = twin(ctx, c->wides, c->n_wides, sizeof(*c->wides));
	to->clusters = twin(ctx, c->clusters, c->n_clusters, sizeof(*c->clusters));
	to->kept = gpube__alloc(ctx, (uint64_t)values, sizeof(*to->kept));
	to->work = gpube__alloc(ctx, 3 * (uint64_t)c->n, sizeof(*to->work));
	if (!at || !to->domain || !to->value || !to->unary || !to->pairs || !to->wides ||
		!to->clusters || !to->kept || !to->work) {
		if (!at) /* clear() is to know that the tables are not its own */
			to->n_pairs = to->n_wides = to->n_clusters = to->n = 0;
		gpube__clusters_clear(to);
		return GPUBE_ENOMEM;
	}
	for (int32_t i = 0; i < c->n; i++) {
		to->value[i] = put(&at, c->value[i], c->domain[i]);
		to->unary[i] = put(&at, c->unary[i], c->domain[i]);
	}
	for (int32_t p = 0; p < c->n_pairs; p++)
		if (c->pairs[p].t)
			to->pairs[p].t = put(
				&at, c->pairs[p].t, pair_cells(c, c->pairs[p].a, c->pairs[p].b));
	for (int32_t w = 0; w < c->n_wides; w++) {
		to->wides[w].t = put(&at, c->wides[w].t, c->wides[w].cells);
		to->wides[w].scope = put(&at, c->wides[w].scope, c->wides[w].arity);
	}
	for (int32_t q = 0; q < c->n_clusters; q++) {
		struct gpube_cluster *cluster = &to->clusters[q];

		for (int j = 1, e = 0; j < cluster->k; j++)
			for (int i = 0; i < j; i++, e++)
				cluster->share[e] = put(&at, cluster->share[e],
					pair_cells(c, cluster->v[i], cluster->v[j]));
	}
	return GPUBE_OK;
}

void gpube__clusters_lend(struct gpube_clusters *to, const struct gpube_clusters *root, int thread)
{
	to->scratch = root->scratch + thread;
	to->near_at = root->near_at;
	to->near = root->near;
	to->group = root->group;
	to->serial = true;
}

void gpube__clusters_return(struct gpube_clusters *c)
{
	c->scratch = NULL;
	c->near_at = NULL;
	c->near = NULL;
	c->group = NULL;
}

/* ---- a choice of values --------------------------------------------------------------------- */

void gpube__clusters_marginals(const struct gpube_clusters *c, int32_t i, int64_t *sum)
{
	int32_t least[1024] = {0};

	for (int32_t x = 0; x < c->domain[i]; x++)
		sum[x] = c->unary[i][x];
	if (c->domain[i] > 1024)
		return;
	for (int64_t k = c->near_at[i]; k < c->near_at[i + 1]; k++) {
		const struct gpube_pair *e;

		if (c->near[k] < 0)
			continue;
		e = &c->pairs[c->near[k]];
		if (!e->t)
			continue;
		for (int32_t x = 0; x < c->domain[i]; x++)
			least[x] = GPUBE__DEAD;
		for (int32_t x = 0; x < c->domain[e->a]; x++)
			for (int32_t y = 0; y < c->domain[e->b]; y++) {
				int32_t t = e->t[x * gpube__row(c, e->b) + y],
					*to = &least[e->a == i ? x : y];

				*to = t < *to ? t : *to;
			}
		for (int32_t x = 0; x < c->domain[i]; x++)
			sum[x] += least[x];
	}
}

void gpube__clusters_keep(struct gpube_clusters *c, int32_t i, const uint8_t *keep)
{
	for (int32_t x = 0; x < c->domain[i]; x++)
		if (!keep[x])
			c->unary[i][x] = GPUBE__DEAD;
	gpube__clusters_compact(c);
}
