/* clusters.c - the passes of the dual ascent: see clusters.h. */
#include "gpube/relax/clusters.h"

#include <math.h>
#include <string.h>

/* An addend as the loops read it: element (x of u, y of v) is at t[x * row + y * col]. */
struct view {
	const int32_t *t;
	int64_t row, col;
};

static struct view view(const struct gpube_clusters *c, const struct gpube_cluster *q, int u, int v)
{
	const int32_t *t = q->addend[u < v ? gpube__addend(u, v) : gpube__addend(v, u)];
	int64_t row = gpube__row(c, q->v[u < v ? v : u]);

	return u < v ? (struct view){t, row, 1} : (struct view){t, 1, row};
}

static void give(const struct gpube_clusters *c, struct gpube_cluster *q, int u, int v,
	const int32_t *rest, enum gpube_part part)
{
	int e = gpube__addend(u, v);

	c->kernels->give(c->pairs[q->pair[e]].t, q->addend[e], rest,
		c->domain[q->v[u]] * gpube__row(c, q->v[v]), gpube__slack(c), part);
}

static void pull_all(const struct gpube_clusters *c, struct gpube_cluster *q)
{
	for (int j = 1; j < q->k; j++)
		for (int i = 0; i < j; i++) {
			int e = gpube__addend(i, j);

			c->kernels->pull(c->pairs[q->pair[e]].t, q->addend[e],
				c->domain[q->v[i]] * gpube__row(c, q->v[j]), gpube__slack(c));
		}
}

/* An addend with variable u's values as rows, copied if it is stored the other way round. */
static const int32_t *as_rows(const struct gpube_clusters *c, const struct gpube_cluster *q, int u,
	int v, int32_t *scratch)
{
	struct view from = view(c, q, u, v);
	int64_t row = gpube__row(c, q->v[v]);

	if (u < v)
		return from.t;
	for (int32_t x = 0; x < c->domain[q->v[u]]; x++) {
		for (int32_t y = 0; y < c->domain[q->v[v]]; y++)
			scratch[x * row + y] = from.t[x * from.row + y * from.col];
		for (int64_t y = c->domain[q->v[v]]; y < row; y++)
			scratch[x * row + y] = GPUBE__DEAD;
	}
	return scratch;
}

static inline int32_t least(int32_t a, int32_t b)
{
	return a < b ? a : b;
}

/* What the two addends with z force on the pair u < v. */
static void triangle_rest(const struct gpube_clusters *c, const struct gpube_cluster *q, int u,
	int v, int z, int32_t *rest, int32_t *scratch)
{
	struct view x = view(c, q, u, z);
	const int32_t *y = as_rows(c, q, z, v, scratch);
	int64_t row = gpube__row(c, q->v[v]);

	c->kernels->min_plus(rest, row, c->domain[q->v[u]], x.t, x.row, x.col, c->domain[q->v[z]],
		y, row, (int32_t)row);
}

/*
 * There and back: a third to the first pair, half of what is left to the second,
 * all to the third, then all that is still left to the second and the first.
 */
static void triangle(
	const struct gpube_clusters *c, struct gpube_cluster *q, int32_t *scratch, bool backward)
{
	static const int sides[3][3] = {{0, 1, 2}, {0, 2, 1}, {1, 2, 0}};
	static const int turn[] = {0, 1, 2, 1, 0};
	static const enum gpube_part parts[] = {
		GPUBE_PART_THIRD, GPUBE_PART_HALF, GPUBE_PART_ALL, GPUBE_PART_ALL, GPUBE_PART_ALL};
	int32_t *rest = scratch + c->scratch_cells;

	for (int k = 0; k < 5; k++) {
		const int *s = sides[backward ? 2 - turn[k] : turn[k]];

		triangle_rest(c, q, s[0], s[1], s[2], rest, scratch);
		give(c, q, s[0], s[1], rest, parts[k]);
	}
}

/* ---- one variable ----------------------------------------------------------------- */

/* Takes the pair's min-marginal on a variable out of it: m, DEAD where nothing is left. */
static void take_rows(
	const struct gpube_clusters *c, struct gpube_pair *e, int32_t *u, int32_t slack)
{
	int64_t row = gpube__row(c, e->b);

	for (int32_t x = 0; x < c->domain[e->a]; x++) {
		int32_t *t = e->t + x * row, m = GPUBE__DEAD;

		for (int64_t y = 0; y < row; y++)
			m = least(m, t[y]);
		if (m >= slack || u[x] >= slack || u[x] + m >= slack)
			u[x] = m = GPUBE__DEAD;
		else
			u[x] += m;
		for (int64_t y = 0; y < row; y++)
			t[y] = t[y] >= slack || m == GPUBE__DEAD ? GPUBE__DEAD : t[y] - m;
	}
}

static void take_columns(
	const struct gpube_clusters *c, struct gpube_pair *e, int32_t *u, int32_t slack, int32_t *m)
{
	int64_t row = gpube__row(c, e->b);

	for (int64_t y = 0; y < row; y++)
		m[y] = GPUBE__DEAD;
	for (int32_t x = 0; x < c->domain[e->a]; x++)
		for (int64_t y = 0; y < row; y++)
			m[y] = least(m[y], e->t[x * row + y]);
	for (int32_t y = 0; y < c->domain[e->b]; y++) {
		if (m[y] >= slack || u[y] >= slack || u[y] + m[y] >= slack)
			u[y] = m[y] = GPUBE__DEAD;
		else
			u[y] += m[y];
	}
	for (int32_t x = 0; x < c->domain[e->a]; x++)
		for (int64_t y = 0; y < row; y++) {
			int32_t *t = &e->t[x * row + y];

			*t = *t >= slack || m[y] == GPUBE__DEAD ? GPUBE__DEAD : *t - m[y];
		}
}

/* Where variable i stands in a wide table: cells of one value of it are 'stride' together. */
static int64_t wide_stride(
	const struct gpube_clusters *c, const struct gpube_wide_table *w, int32_t i)
{
	int64_t stride = 1;

	for (int32_t k = w->arity - 1; w->scope[k] != i; k--)
		stride *= c->domain[w->scope[k]];
	return stride;
}

static void take_wide(const struct gpube_clusters *c, struct gpube_wide_table *w, int32_t i,
	int32_t *u, int32_t slack, int32_t *m)
{
	int64_t stride = wide_stride(c, w, i), at = 0;
	int32_t d = c->domain[i];

	for (int32_t x = 0; x < d; x++)
		m[x] = GPUBE__DEAD;
	for (int64_t block = 0; at < w->cells; block++)
		for (int32_t x = 0; x < d; x++)
			for (int64_t k = 0; k < stride; k++, at++)
				m[x] = least(m[x], w->t[at]);
	for (int32_t x = 0; x < d; x++) {
		if (m[x] >= slack || u[x] >= slack || u[x] + m[x] >= slack)
			u[x] = m[x] = GPUBE__DEAD;
		else
			u[x] += m[x];
	}
	for (at = 0; at < w->cells;)
		for (int32_t x = 0; x < d; x++)
			for (int64_t k = 0; k < stride; k++, at++)
				w->t[at] = w->t[at] >= slack || m[x] == GPUBE__DEAD
						   ? GPUBE__DEAD
						   : w->t[at] - m[x];
}

static int32_t plus(int32_t t, int32_t g, int32_t slack)
{
	return t >= slack || g >= slack || t + g >= slack ? GPUBE__DEAD : t + g;
}

static void put_pair(const struct gpube_clusters *c, struct gpube_pair *e, int32_t i,
	const int32_t *g, int32_t slack)
{
	int64_t row = gpube__row(c, e->b);

	for (int32_t x = 0; x < c->domain[e->a]; x++)
		for (int32_t y = 0; y < c->domain[e->b]; y++) {
			int32_t *t = &e->t[x * row + y];

			*t = plus(*t, g[i == e->a ? x : y], slack);
		}
}

static void put_wide(const struct gpube_clusters *c, struct gpube_wide_table *w, int32_t i,
	const int32_t *g, int32_t slack)
{
	int64_t stride = wide_stride(c, w, i);

	for (int64_t at = 0; at < w->cells;)
		for (int32_t x = 0; x < c->domain[i]; x++)
			for (int64_t k = 0; k < stride; k++, at++)
				w->t[at] = plus(w->t[at], g[x], slack);
}

/* The last variable of a neighbour in the direction of the sweep: is it still to come? */
static bool comes_later(const struct gpube_clusters *c, int32_t near, int32_t i, bool backward)
{
	if (near >= 0) {
		int32_t other = c->pairs[near].a + c->pairs[near].b - i;

		return backward ? other < i : other > i;
	}
	return backward ? c->wides[~near].scope[0] < i
			: c->wides[~near].scope[c->wides[~near].arity - 1] > i;
}

/*
 * Takes what all its tables force on a variable, its minimum into the constant,
 * and gives the rest back in equal parts: to all tables if there are clusters,
 * which take it from there, otherwise to those that still come in this sweep
 * (the weights of sequential tree-reweighted message passing).
 */
static void variable(struct gpube_clusters *c, int32_t i, bool backward, int32_t *scratch)
{
	int32_t *u = c->unary[i], slack = gpube__slack(c), best = GPUBE__DEAD;
	int64_t from = c->near_at[i], to = c->near_at[i + 1], alive = 0, later = 0, parts;

	for (int64_t k = from; k < to; k++) {
		int32_t near = c->near[k];

		if (near < 0)
			take_wide(c, &c->wides[~near], i, u, slack, scratch);
		else if (!c->pairs[near].t)
			continue;
		else if (c->pairs[near].a == i)
			take_rows(c, &c->pairs[near], u, slack);
		else
			take_columns(c, &c->pairs[near], u, slack, scratch);
		alive++;
		later += comes_later(c, near, i, backward);
	}
	for (int32_t x = 0; x < c->domain[i]; x++)
		best = least(best, u[x]);
	if (best >= slack) {
		c->constant = c->target;
		return;
	}
	c->constant += best;
	slack = gpube__slack(c);
	for (int32_t x = 0; x < c->domain[i]; x++)
		u[x] = u[x] - best >= slack ? GPUBE__DEAD : u[x] - best;
	parts = c->n_clusters ? alive : later > alive - later ? later : alive - later;
	if (parts == 0)
		return;
	for (int32_t x = 0; x < c->domain[i]; x++)
		scratch[x] = u[x] >= slack ? GPUBE__DEAD : (int32_t)(u[x] / parts);
	for (int64_t k = from; k < to; k++) {
		int32_t near = c->near[k];

		if ((near >= 0 && !c->pairs[near].t) ||
			(!c->n_clusters && !comes_later(c, near, i, backward)))
			continue;
		if (near < 0)
			put_wide(c, &c->wides[~near], i, scratch, slack);
		else
			put_pair(c, &c->pairs[near], i, scratch, slack);
	}
	if (!c->n_clusters)
		parts = later;
	for (int32_t x = 0; x < c->domain[i]; x++)
		if (u[x] < slack)
			u[x] -= (int32_t)(scratch[x] * parts);
}

/* Work: what a pair and a cluster take beside their cells. */
enum { PAIR_TICKS = 20, CLUSTER_TICKS = 300 };

/* ---- a pass ----------------------------------------------------------------------- */

struct group_run {
	struct gpube_clusters *c;
	int32_t first;
	bool backward;
};

static void run_cluster(void *arg, int64_t item, int thread)
{
	struct group_run *r = arg;
	struct gpube_cluster *q = &r->c->clusters[r->first + item];

	if (q->k == 0)
		return;
	pull_all(r->c, q);
	triangle(r->c, q, r->c->scratch[thread], r->backward);
}

/* Joined cells of a group: small ones are not worth waking the threads for. */
static double group_work(const struct gpube_clusters *c, int32_t first, int32_t end)
{
	double sum = 0;

	for (int32_t q = first; q < end; q++) {
		double cells = 1;

		for (int i = 0; i < c->clusters[q].k; i++)
			cells *= c->domain[c->clusters[q].v[i]];
		sum += cells;
	}
	return sum;
}

/* Work: each pair's cells are gone through four times, twice for either variable. */
static int64_t pair_ticks(const struct gpube_clusters *c)
{
	int64_t cells = 0;

	for (int32_t e = 0; e < c->n_pairs; e++)
		cells += PAIR_TICKS + c->domain[c->pairs[e].a] * gpube__row(c, c->pairs[e].b);
	for (int32_t w = 0; w < c->n_wides; w++)
		cells += 2 * c->wides[w].cells * c->wides[w].arity;
	return cells;
}

void gpube__clusters_pass(struct gpube_clusters *c, bool backward)
{
	for (int32_t g = 0; g < c->n_groups && c->constant < c->target; g++) {
		int32_t group = backward ? c->n_groups - 1 - g : g;
		struct group_run r = {c, c->group[group], backward};
		double cells;

		if (gpube__stopped(c->ctx))
			return; /* between moves every state is sound */
		cells = group_work(c, r.first, c->group[group + 1]);
		gpube__work(
			c->ctx, (int64_t)cells + CLUSTER_TICKS * (c->group[group + 1] - r.first));
		if (cells > 1e5)
			gpube__parallel(c->ctx, c->group[group + 1] - r.first, run_cluster, &r);
		else
			for (int32_t q = r.first; q < c->group[group + 1]; q++)
				run_cluster(&r, q - r.first, 0);
	}
	gpube__work(c->ctx, pair_ticks(c));
	for (int32_t k = 0; k < c->n && c->constant < c->target; k++)
		variable(c, backward ? c->n - 1 - k : k, backward, c->scratch[0]);
}

/* ---- reading off -------------------------------------------------------------------- */

void gpube__clusters_decode(const struct gpube_clusters *c, int32_t *values, struct gpube_rng *rng)
{
	int32_t first = c->n ? (int32_t)gpube__rng_below(rng, (uint64_t)c->n) : 0;

	for (int32_t k = 0; k < c->n; k++)
		values[k] = -1; /* indices among the live values, until the end */
	for (int32_t k = 0; k < c->n; k++) {
		int32_t i = (first + k) % c->n;
		int64_t best = INT64_MAX;

		for (int32_t x = 0; x < c->domain[i]; x++) {
			int64_t sum = c->unary[i][x];

			for (int64_t j = c->near_at[i]; j < c->near_at[i + 1]; j++) {
				const struct gpube_pair *e;

				if (c->near[j] < 0)
					continue;
				e = &c->pairs[c->near[j]];
				if (!e->t)
					continue;
				if (e->a == i && values[e->b] >= 0)
					sum += e->t[x * gpube__row(c, e->b) + values[e->b]];
				if (e->b == i && values[e->a] >= 0)
					sum += e->t[values[e->a] * gpube__row(c, e->b) + x];
			}
			if (sum < best) {
				best = sum;
				values[i] = x;
			}
		}
	}
	for (int32_t i = 0; i < c->n; i++)
		values[i] = c->value[i][values[i]];
}

double gpube__clusters_states(const struct gpube_clusters *c)
{
	double sum = 0;

	for (int32_t i = 0; i < c->n; i++)
		sum += log10(c->domain[i]);
	return sum;
}
