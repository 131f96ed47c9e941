/* clusters_shrink.c - takes dead values out of an ascent's tables, and chooses what to split. */
#include <math.h>
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
				squeeze(cluster->addend[e], c, k, cluster->v[i], cluster->v[j]);
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
	const int32_t *own = q->addend[gpube__addend(a, b)];
	const int32_t *with_a = q->addend[k < a ? gpube__addend(k, a) : gpube__addend(a, k)];
	const int32_t *with_b = q->addend[k < b ? gpube__addend(k, b) : gpube__addend(b, k)];
	int64_t row = gpube__row(c, q->v[b]), row_k = gpube__row(c, q->v[k]);
	int32_t *t = c->pairs[q->pair[gpube__addend(a, b)]].t;

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

/* A pair's costs at the only value of 'decided' go to the other one. */
static void fold_pair(
	struct gpube_clusters *c, struct gpube_pair *e, int32_t decided, int32_t slack)
{
	int32_t other = e->a + e->b - decided;
	int64_t step = decided == e->a ? 1 : gpube__row(c, e->b);

	for (int32_t x = 0; x < c->domain[other]; x++)
		c->unary[other][x] = sum_of(c->unary[other][x], e->t[x * step], slack);
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
	for (int32_t q = 0; any && q < c->n_clusters; q++) {
		struct gpube_cluster *cluster = &c->clusters[q];

		for (int k = cluster->k - 1; k >= 0 && cluster->k; k--)
			if (c->work[cluster->v[k]])
				fold_triangle(c, cluster, k, slack);
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
		if (c->domain[i] == 0) { /* nothing reaches below the cutoff */
			c->constant = c->target;
			return;
		}
	fold(c, slack);
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

/* The mean cost of a pair, dead cells at what is missing to the cutoff. */
static double weight(const struct gpube_clusters *c, const struct gpube_pair *e)
{
	const int32_t slack = gpube__slack(c);
	double sum = 0;

	for (int32_t x = 0; x < c->domain[e->a]; x++) {
		const int32_t *t = e->t + x * gpube__row(c, e->b);

		for (int32_t y = 0; y < c->domain[e->b]; y++)
			sum += t[y] < slack ? t[y] : slack;
	}
	return sum / c->domain[e->a] / c->domain[e->b];
}

/*
 * The variable to split: of the most mean costs for the root of its values. The values themselves,
 * no division, and what the dearer half forces all needed more parts (runs/measured-2c): the last
 * splits all variables a little, and it is decided ones that make triples as strong as quads.
 */
int32_t gpube__clusters_choose(const struct gpube_clusters *c)
{
	double best = -1;
	int32_t chosen = -1;

	for (int32_t i = 0; i < c->n; i++) {
		double sum = 1;

		if (c->domain[i] < 2)
			continue;
		for (int64_t k = c->near_at[i]; k < c->near_at[i + 1]; k++)
			if (c->near[k] >= 0 && c->pairs[c->near[k]].t)
				sum += weight(c, &c->pairs[c->near[k]]);
		if (sum / sqrt(c->domain[i]) > best) {
			best = sum / sqrt(c->domain[i]);
			chosen = i;
		}
	}
	return chosen;
}

/* Marks the half of the values that force less; among equals, the first ones. */
int gpube__clusters_halve(const struct gpube_clusters *c, int32_t var, uint8_t *keep)
{
	const int32_t d = c->domain[var];
	int64_t *sum = gpube__alloc(c->ctx, 2 * (uint64_t)d, sizeof(*sum)), at;
	int32_t n = 0;

	if (!sum)
		return GPUBE_ENOMEM;
	gpube__clusters_marginals(c, var, sum);
	memcpy(sum + d, sum, (size_t)d * sizeof(*sum));
	qsort(sum + d, (size_t)d, sizeof(*sum), gpube__compare_int64);
	at = sum[d + d / 2];
	for (int32_t x = 0; x < d; x++) {
		keep[x] = sum[x] < at;
		n += keep[x];
	}
	for (int32_t x = 0; x < d && n < d / 2; x++)
		if (!keep[x] && sum[x] == at) {
			keep[x] = 1;
			n++;
		}
	gpube__free(c->ctx, sum);
	return GPUBE_OK;
}
