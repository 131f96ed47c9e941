/* projection.c - minima and additions of tables over tables of some of their variables. */
#include "gpube/relax/projection.h"

#include <string.h>

/* Cells of a block, about; of a table that is worth waking threads; blocks that they share. */
enum { BLOCK = 1024, PARALLEL = 200000, SHARED_BLOCKS = 64 };
/* A run of fewer cells is not worth a loop of vectors. */
enum { SHORT = 8 };

/* Work: a table that is gone through, and how many of its cells are a tick. */
enum { CALL_TICKS = 50, CELLS_A_TICK = 2 };

#define SIMD       _Pragma("omp simd")
#define SIMD_LEAST _Pragma("omp simd reduction(min : lowest)")

static inline int32_t least(int32_t a, int32_t b)
{
	return a < b ? a : b;
}

/* ---- which cells -------------------------------------------------------------------------- */

/* Variables from the fastest on, as far as they make a block. */
struct axes {
	int n, n_in; /* all, and those of a block */
	int32_t *domain;
	bool *own;
};

/* Offsets of all assignments of the axes [from, end) that are the separator's or not. */
static void list_offsets(const struct axes *x, int from, int end, bool own, int64_t *out)
{
	int64_t n = 1, stride = 1;

	out[0] = 0;
	for (int k = 0; k < end; k++) {
		if (k >= from && x->own[k] == own) {
			for (int32_t v = 1; v < x->domain[k]; v++)
				for (int64_t i = 0; i < n; i++)
					out[v * n + i] = out[i] + v * stride;
			n *= x->domain[k];
		}
		stride *= x->domain[k];
	}
}

static int64_t cells_of(const struct axes *x, int from, int end, bool own)
{
	int64_t n = 1;

	for (int k = from; k < end; k++)
		n *= x->own[k] == own ? x->domain[k] : 1;
	return n;
}

static bool is_run(const int32_t *place, int32_t n)
{
	for (int32_t k = 0; k < n; k++)
		if (place[k] != k)
			return false;
	return true;
}

static void fill(struct gpube_projection *p, const struct axes *x, int64_t *scratch)
{
	const int32_t n[2] = {p->n_own, p->n_others};

	list_offsets(x, x->n_in, x->n, true, p->block);
	list_offsets(x, x->n_in, x->n, false, p->block + p->n_blocks);
	for (int other = 0; other < 2; other++) {
		int32_t *to = p->place + (other ? p->n_own : 0);

		list_offsets(x, 0, x->n_in, !other, scratch);
		for (int32_t k = 0; k < n[other]; k++)
			to[k] = (int32_t)scratch[k];
	}
	p->own_run = is_run(p->place, p->n_own);
	p->others_run = is_run(p->place + p->n_own, p->n_others);
	/* a loop of vectors inside where there is one, otherwise the longer loop */
	p->by_own = p->others_run && p->n_others >= SHORT
			    ? !(p->own_run && p->n_own > p->n_others)
			    : p->n_own < p->n_others && !(p->own_run && p->n_own >= SHORT);
	for (int32_t k = 0; k < p->n_others; k++)
		for (int32_t j = 0; j < p->n_own; j++)
			p->of[p->place[j] + p->place[p->n_own + k]] = j;
}

int gpube__projection_init(struct gpube_ctx *ctx, struct gpube_projection *p, const int32_t *domain,
	const int32_t *large, int n_large, const int32_t *small, int n_small)
{
	struct axes x = {.n = n_large};
	int64_t inner = 1, *scratch = NULL;
	uint64_t n_blocks;
	int status = GPUBE_ENOMEM;

	memset(p, 0, sizeof(*p));
	x.domain = gpube__alloc(ctx, (uint64_t)n_large + 1, sizeof(*x.domain));
	x.own = gpube__alloc(ctx, (uint64_t)n_large + 1, sizeof(*x.own));
	if (!x.domain || !x.own)
		goto out;
	for (int k = 0, s = n_small - 1; k < n_large; k++) {
		const int32_t v = large[n_large - 1 - k];

		x.domain[k] = domain[v];
		x.own[k] = s >= 0 && small[s] == v;
		s -= x.own[k];
	}
	for (; x.n_in < n_large && inner < BLOCK; x.n_in++)
		inner *= x.domain[x.n_in];
	p->n_own = (int32_t)cells_of(&x, 0, x.n_in, true);
	p->n_others = (int32_t)cells_of(&x, 0, x.n_in, false);
	p->n_blocks = cells_of(&x, x.n_in, x.n, true);
	p->n_other_blocks = cells_of(&x, x.n_in, x.n, false);
	p->small_cells = p->n_own * p->n_blocks;
	p->cells = p->small_cells * p->n_others * p->n_other_blocks;
	n_blocks = (uint64_t)(p->n_blocks + p->n_other_blocks);
	/* one piece: there are many small ones */
	p->block = gpube__alloc(ctx,
		n_blocks * sizeof(*p->block) +
			(uint64_t)(2 * inner + p->n_own + p->n_others) * sizeof(*p->place),
		1);
	scratch = gpube__alloc(ctx, (uint64_t)inner, sizeof(*scratch));
	if (p->block && scratch) {
		p->place = (int32_t *)(p->block + n_blocks);
		p->of = p->place + p->n_own + p->n_others;
		fill(p, &x, scratch);
		status = GPUBE_OK;
	}
out:
	GPUBE_FREE_ALL(ctx, scratch, x.domain, x.own);
	return status;
}

void gpube__projection_clear(struct gpube_ctx *ctx, struct gpube_projection *p)
{
	gpube__free(ctx, p->block);
	memset(p, 0, sizeof(*p));
}

/* ---- a block ------------------------------------------------------------------------------- */

static void least_of_block(
	const struct gpube_projection *p, int32_t *restrict m, const int32_t *restrict t)
{
	const int32_t *place = p->place, *other = p->place + p->n_own, n = p->n_own,
		      n_others = p->n_others;

	if (p->by_own) {
		for (int32_t i = 0; i < n; i++) {
			const int32_t *from = t + place[i];
			int32_t lowest = m[i];

			if (p->others_run) {
				SIMD_LEAST for (int32_t k = 0; k < n_others; k++) lowest =
					least(lowest, from[k]);
			} else {
				for (int32_t k = 0; k < n_others; k++)
					lowest = least(lowest, from[other[k]]);
			}
			m[i] = lowest;
		}
		return;
	}
	for (int32_t k = 0; k < n_others; k++) {
		const int32_t *from = t + other[k];

		if (p->own_run) {
			SIMD for (int32_t i = 0; i < n; i++) m[i] = least(m[i], from[i]);
		} else {
			for (int32_t i = 0; i < n; i++)
				m[i] = least(m[i], from[place[i]]);
		}
	}
}

static void add_to_block(const struct gpube_projection *p, int32_t *restrict t,
	const int32_t *restrict m, int32_t slack)
{
	const int32_t *place = p->place, *other = p->place + p->n_own, *of = p->of, n = p->n_own,
		      n_others = p->n_others;

	if (p->own_run && n >= SHORT) {
		for (int32_t k = 0; k < n_others; k++) {
			int32_t *to = t + other[k];

			SIMD for (int32_t i = 0; i < n; i++) to[i] =
				gpube__region_plus(to[i], m[i], slack);
		}
	} else if (p->others_run && n_others >= SHORT) {
		for (int32_t i = 0; i < n; i++) {
			int32_t *to = t + place[i];
			const int32_t more = m[i];

			SIMD for (int32_t k = 0; k < n_others; k++) to[k] =
				gpube__region_plus(to[k], more, slack);
		}
	} else {
		SIMD for (int32_t c = 0; c < n * n_others; c++) t[c] =
			gpube__region_plus(t[c], m[of[c]], slack);
	}
}

/* ---- a table ------------------------------------------------------------------------------- */

/* The separator's blocks [first, end), of the others' [k, k_end). */
static void least_of_blocks(const struct gpube_projection *p, int32_t *m, const int32_t *t,
	int64_t first, int64_t end, int64_t k, int64_t k_end)
{
	const int64_t *other = p->block + p->n_blocks;

	for (int64_t i = first * p->n_own; i < end * p->n_own; i++)
		m[i] = GPUBE__REGION_FORBIDDEN;
	for (int64_t i = first; i < end; i++)
		for (int64_t j = k; j < k_end; j++)
			least_of_block(p, m + i * p->n_own, t + p->block[i] + other[j]);
}

static void add_to_blocks(const struct gpube_projection *p, int32_t *t, const int32_t *m,
	int32_t slack, int64_t first, int64_t end, int64_t k, int64_t k_end)
{
	const int64_t *other = p->block + p->n_blocks;

	for (int64_t i = first; i < end; i++)
		for (int64_t j = k; j < k_end; j++)
			add_to_block(p, t + p->block[i] + other[j], m + i * p->n_own, slack);
}

void gpube__project_add(
	const struct gpube_projection *p, int32_t *t, const int32_t *m, int32_t slack)
{
	add_to_blocks(p, t, m, slack, 0, p->n_blocks, 0, p->n_other_blocks);
}

/* ---- on all threads ------------------------------------------------------------------------ */

struct shared {
	const struct gpube_projection *p;
	int32_t *to; /* m, or t */
	const int32_t *from;
	int32_t slack, *rooms;
	int64_t n_items;
	bool by_own; /* items are ranges of the separator's blocks; or of the others' */
};

/* The range of blocks of an item. */
static void range_of(const struct shared *w, int64_t item, int64_t at[4])
{
	const int64_t n = w->by_own ? w->p->n_blocks : w->p->n_other_blocks;

	at[w->by_own ? 0 : 2] = n * item / w->n_items;
	at[w->by_own ? 1 : 3] = n * (item + 1) / w->n_items;
	at[w->by_own ? 2 : 0] = 0;
	at[w->by_own ? 3 : 1] = w->by_own ? w->p->n_other_blocks : w->p->n_blocks;
}

static void least_item(void *arg, int64_t item, int thread)
{
	struct shared *w = arg;
	int64_t at[4];

	(void)thread;
	range_of(w, item, at);
	least_of_blocks(w->p, w->by_own || !item ? w->to : w->rooms + item * w->p->small_cells,
		w->from, at[0], at[1], at[2], at[3]);
}

static void add_item(void *arg, int64_t item, int thread)
{
	struct shared *w = arg;
	int64_t at[4];

	(void)thread;
	range_of(w, item, at);
	add_to_blocks(w->p, w->to, w->from, w->slack, at[0], at[1], at[2], at[3]);
}

/* Small tables are not worth waking the threads for. */
static void share(struct gpube_ctx *ctx, struct shared *w, bool shares,
	void (*fn)(void *arg, int64_t item, int thread), int items_per_thread)
{
	w->n_items =
		shares && w->p->cells >= PARALLEL ? (int64_t)ctx->n_threads * items_per_thread : 1;
	gpube__parallel(ctx, w->n_items, fn, w);
	gpube__work_shared(ctx, w->n_items, CALL_TICKS + w->p->cells / CELLS_A_TICK);
}

void gpube__project_least_shared(struct gpube_ctx *ctx, const struct gpube_projection *p,
	int32_t *m, const int32_t *t, int32_t *rooms)
{
	struct shared w = {
		.p = p, .to = m, .from = t, .rooms = rooms, .by_own = p->n_blocks >= SHARED_BLOCKS};
	/* not where putting the rooms together takes as long */
	const bool rooms_pay = rooms && p->n_other_blocks >= SHARED_BLOCKS &&
			       p->small_cells * ctx->n_threads <= p->cells / 4;

	share(ctx, &w, w.by_own || rooms_pay, least_item, w.by_own ? 4 : 1);
	for (int64_t item = 1; item < w.n_items && !w.by_own; item++) {
		const int32_t *from = rooms + item * p->small_cells;

		SIMD for (int64_t k = 0; k < p->small_cells; k++) m[k] = least(m[k], from[k]);
	}
}

void gpube__project_add_shared(struct gpube_ctx *ctx, const struct gpube_projection *p, int32_t *t,
	const int32_t *m, int32_t slack)
{
	struct shared w = {.p = p,
		.to = t,
		.from = m,
		.slack = slack,
		.by_own = p->n_blocks >= p->n_other_blocks};

	share(ctx, &w, true, add_item, 4);
}
