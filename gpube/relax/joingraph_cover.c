/*
 * joingraph_cover.c - a table over a table of some of its dimensions: what the
 * larger one forces on the smaller, and costs from the smaller to the larger; on
 * all threads where tables are large.
 */
#include "gpube/relax/joingraph.h"

#include <string.h>

enum { BLOCK = 512, SHORT_RUN = 16, PARALLEL = 200000 };

#define SIMD       _Pragma("omp simd")
#define SIMD_LEAST _Pragma("omp simd reduction(min : lowest)")

static inline int32_t least(int32_t a, int32_t b)
{
	return a < b ? a : b;
}

/* ---- a table over a table of some of its dimensions ---------------------------------- */

void gpube__cover_clear(struct gpube_ctx *ctx, struct gpube_cover *v)
{
	gpube__free(ctx, v->offset);
	v->offset = NULL;
}

/* large, small: sorted positions; small is part of large. */
int gpube__cover_init(struct gpube_ctx *ctx, struct gpube_cover *v, const int32_t *domain,
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

/* Where block number 'block' begins in the small table, and the odometer there. */
static int64_t seek(const struct gpube_cover *v, int32_t *index, int64_t block)
{
	int64_t at = 0;

	for (int j = v->n - 1; j >= 0; j--) {
		index[j] = (int32_t)(block % v->size[j]);
		block /= v->size[j];
		at += index[j] * v->step[j];
	}
	return at;
}

/* m = the least of itself and the cells of t over it, for blocks [first, end). */
static void project_blocks(const struct gpube_cover *v, int32_t *restrict m,
	const int32_t *restrict t, int64_t first, int64_t end)
{
	int32_t index[GPUBE_MAX_DIMS] = {0};
	int64_t at = seek(v, index, first);

	t += first * v->inner;
	for (int64_t block = first; block < end; block++, t += v->inner) {
		int32_t *to = m + at;

		if (v->offset) {
			for (int64_t k = 0; k < v->inner; k++)
				to[v->offset[k]] = least(to[v->offset[k]], t[k]);
		} else if (v->run) {
			SIMD for (int64_t k = 0; k < v->inner; k++) to[k] = least(to[k], t[k]);
		} else {
			int32_t lowest = *to;

			SIMD_LEAST for (int64_t k = 0; k < v->inner; k++) lowest =
				least(lowest, t[k]);
			*to = lowest;
		}
		at = next_block(v, index, at);
	}
}

/* t += m, which may be negative, but no sum is. */
static void spread_blocks(const struct gpube_cover *v, int32_t *restrict t,
	const int32_t *restrict m, int32_t slack, int64_t first, int64_t end)
{
	int32_t index[GPUBE_MAX_DIMS] = {0};
	int64_t at = seek(v, index, first);

	t += first * v->inner;
	for (int64_t block = first; block < end; block++, t += v->inner) {
		const int32_t *from = m + at;

		if (v->offset) {
			SIMD for (int64_t k = 0; k < v->inner; k++) t[k] =
				gpube__join_plus(t[k], from[v->offset[k]], slack);
		} else if (v->run) {
			SIMD for (int64_t k = 0; k < v->inner; k++) t[k] =
				gpube__join_plus(t[k], from[k], slack);
		} else {
			const int32_t s = *from;

			SIMD for (int64_t k = 0; k < v->inner; k++) t[k] =
				gpube__join_plus(t[k], s, slack);
		}
		at = next_block(v, index, at);
	}
}

/* Work: a table that is gone through, and how many of its cells are a tick. */
enum { CALL_TICKS = 50, CELLS_A_TICK = 2 };

/* ---- the same on all threads ----------------------------------------------------------- */

struct shared_work {
	const struct gpube_joingraph *g;
	const struct gpube_cover *v;
	int32_t *t, *m;
	int64_t cells;      /* of t */
	int64_t n, n_items; /* n: blocks, or cells of m */
	int64_t d;
	int32_t slack;
};

static int64_t share_of(const struct shared_work *w, int64_t item)
{
	return w->n * item / w->n_items;
}

/* Small tables are not worth waking the threads for. */
static void share(struct shared_work *w, int64_t cells,
	void (*fn)(void *arg, int64_t item, int thread), int items_per_thread)
{
	gpube__work(w->g->ctx, CALL_TICKS + w->cells / CELLS_A_TICK);
	w->n_items = cells < PARALLEL || w->n < 64
			     ? 1
			     : (int64_t)w->g->ctx->n_threads * items_per_thread;
	gpube__parallel(w->g->ctx, w->n_items, fn, w);
}

static void spread_item(void *arg, int64_t item, int thread)
{
	struct shared_work *w = arg;

	(void)thread;
	spread_blocks(w->v, w->t, w->m, w->slack, share_of(w, item), share_of(w, item + 1));
}

void gpube__joingraph_spread(const struct gpube_joingraph *g, const struct gpube_cover *v,
	int32_t *t, int32_t *m, int32_t slack)
{
	struct shared_work w = {.g = g,
		.v = v,
		.t = t,
		.m = m,
		.cells = v->cells,
		.n = v->cells / v->inner,
		.slack = slack};

	share(&w, v->cells, spread_item, 4);
}

/* Item 0 works on the result itself, the others on rooms of their own behind it. */
static void project_item(void *arg, int64_t item, int thread)
{
	struct shared_work *w = arg;
	int32_t *m = item ? w->g->message + (item + 1) * w->g->message_cells : w->m;

	(void)thread;
	for (int64_t k = 0; k < w->d; k++)
		m[k] = GPUBE__JOIN_DEAD;
	project_blocks(w->v, m, w->t, share_of(w, item), share_of(w, item + 1));
}

/* m = the least cell of t over each of the small table's; m is the first room of g->message. */
void gpube__joingraph_project(const struct gpube_joingraph *g, const struct gpube_cover *v,
	int32_t *m, int64_t m_cells, int32_t *t)
{
	struct shared_work w = {.g = g,
		.v = v,
		.t = t,
		.m = m,
		.cells = v->cells,
		.n = v->cells / v->inner,
		.d = m_cells};

	/* not where putting the rooms together takes as long */
	share(&w, m_cells * g->ctx->n_threads > v->cells / 4 ? 0 : v->cells, project_item, 1);
	for (int64_t item = 1; item < w.n_items; item++) {
		const int32_t *from = g->message + (item + 1) * g->message_cells;

		SIMD for (int64_t k = 0; k < m_cells; k++) m[k] = least(m[k], from[k]);
	}
}

/* Of d slabs of m's size: the least of each cell. */
static void least_slab(void *arg, int64_t item, int thread)
{
	struct shared_work *w = arg;
	int64_t first = share_of(w, item), end = share_of(w, item + 1);

	(void)thread;
	memcpy(w->m + first, w->t + first, (size_t)(end - first) * sizeof(*w->m));
	for (int64_t x = 1; x < w->d; x++) {
		const int32_t *t = w->t + x * w->n;

		SIMD for (int64_t k = first; k < end; k++) w->m[k] = least(w->m[k], t[k]);
	}
}

static void add_to_slabs(void *arg, int64_t item, int thread)
{
	struct shared_work *w = arg;
	int64_t first = share_of(w, item), end = share_of(w, item + 1);

	(void)thread;
	for (int64_t x = 0; x < w->d; x++) {
		int32_t *t = w->t + x * w->n;

		SIMD for (int64_t k = first; k < end; k++) t[k] =
			gpube__join_plus(t[k], w->m[k], w->slack);
	}
}

static struct shared_work slabs(
	const struct gpube_joingraph *g, const struct gpube_join *j, int32_t *m, int32_t slack)
{
	return (struct shared_work){.g = g,
		.t = j->t,
		.m = m,
		.cells = j->cells,
		.n = gpube__message_cells(g, j),
		.d = g->domain[j->position],
		.slack = slack};
}

void gpube__joingraph_least_slab(
	const struct gpube_joingraph *g, const struct gpube_join *j, int32_t *m)
{
	struct shared_work w = slabs(g, j, m, 0);

	share(&w, j->cells, least_slab, 4);
}

void gpube__joingraph_add_slabs(
	const struct gpube_joingraph *g, const struct gpube_join *j, int32_t *m, int32_t slack)
{
	struct shared_work w = slabs(g, j, m, slack);

	share(&w, j->cells, add_to_slabs, 4);
}
