/* good_tree.c - see good_tree.h. All sums are of integers: shares are rounded up. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "csg/auction/good_tree.h"
#include "gpube/base/bits.h"

#define MOST_LISTED   ((uint64_t)1 << 24) /* bids in the lists of all levels */
#define FRACTION_BITS 10                  /* of shares, where there is room */
#define STOP_EVERY    1024                /* nodes */

/* A node on the way down. 'next' is the bid of its list that is tried next; n: nobody gets the
 * good. */
struct csg__good_level {
	int32_t *list;
	int n, good, next;
	int32_t bid; /* that led here; -1: none */
	int64_t revenue;
	double share; /* of the whole tree, if children of a node were alike */
};

static const uint64_t *set_of(const struct csg__good_tree *t, int j)
{
	return t->bids.set + (size_t)j * (size_t)t->bids.words;
}

static bool has(const struct csg__good_tree *t, int j, int good)
{
	return gpube__bit(set_of(t, j), good);
}

static int n_counted_of(const struct csg__good_tree *t, int j, int n_goods)
{
	int n = 0;

	for (int g = 0; g < n_goods; g++)
		n += has(t, j, g);
	return n;
}

/* ---- a node -------------------------------------------------------------------------------- */

/*
 * What the bids of a level's list may add at most; its good: the one with the fewest of them; -1:
 * none is left. The list is in the order of shares, so that the first bid on a good is its best.
 */
static int64_t bound(struct csg__good_tree *t, struct csg__good_level *l)
{
	const int words = (t->n_counted + 63) / 64;
	int64_t sum = 0;

	memset(t->count, 0, (size_t)t->n_counted * sizeof(*t->count));
	for (int i = 0; i < l->n; i++) {
		const int j = l->list[i];

		for (int w = 0; w < words; w++) {
			uint64_t set = set_of(t, j)[w];

			if (w == words - 1 && t->n_counted % 64)
				set &= ((uint64_t)1 << t->n_counted % 64) - 1;
			for (; set; set &= set - 1) {
				const int g = w * 64 + __builtin_ctzll(set);

				if (!t->count[g]++)
					sum += t->share[j];
			}
		}
	}
	l->good = -1;
	for (int g = 0; g < t->n_counted; g++)
		if (t->count[g] && (l->good < 0 || t->count[g] < t->count[l->good]))
			l->good = g;
	return sum >> t->fraction_bits;
}

static void keep(const struct csg__good_tree *t, int64_t revenue, int64_t *best, uint8_t *chosen)
{
	if (revenue <= *best)
		return;
	*best = revenue;
	memset(chosen, 0, (size_t)t->bids.n);
	for (int k = 0; k < t->n_levels; k++)
		if (t->level[k].bid >= 0)
			chosen[t->level[k].bid] = 1;
}

/* Looks at the last level, which stays if something better may lie below it. */
static void enter(struct csg__good_tree *t, int64_t *best, uint8_t *chosen)
{
	struct csg__good_level *l = &t->level[t->n_levels - 1];
	int64_t more;

	t->n_nodes++;
	t->looked += l->n;
	keep(t, l->revenue, best, chosen);
	more = bound(t, l);
	if (l->good < 0 || more <= *best - l->revenue) {
		t->done += l->share;
		t->n_levels--;
		return;
	}
	l->next = 0;
	l->share /= t->count[l->good] + 1;
}

/* The next level: bid 'j' has its goods, or with -1 nobody the good of the last one. */
static void descend(struct csg__good_tree *t, int j)
{
	struct csg__good_level *l = &t->level[t->n_levels - 1], *m = l + 1;

	m->list = l->list + l->n;
	m->n = 0;
	m->bid = j;
	m->revenue = l->revenue + (j < 0 ? 0 : t->bids.price[j]);
	m->share = l->share;
	for (int i = 0; i < l->n; i++) {
		const int k = l->list[i];

		if (j >= 0 ? gpube__bits_apart(set_of(t, j), set_of(t, k), t->bids.words)
			   : !has(t, k, l->good))
			m->list[m->n++] = k;
	}
	t->looked += l->n;
	t->n_levels++;
}

/* A node has all goods, and a bid that is looked at the words of its set. */
static void count_work(struct csg__good_tree *t)
{
	const int64_t work = t->n_nodes * t->n_counted + t->looked * (1 + t->bids.words);

	gpube__work(t->ctx, work - t->counted);
	t->counted = work;
}

bool csg__good_tree_run(struct csg__good_tree *t, int64_t work, int64_t *best, uint8_t *chosen)
{
	const int64_t end = t->looked + work;

	if (t->n_nodes == 0)
		enter(t, best, chosen);
	while (t->n_levels && t->looked < end) {
		struct csg__good_level *l = &t->level[t->n_levels - 1];

		if (t->n_nodes % STOP_EVERY == 0) {
			count_work(t);
			if (gpube__stopped(t->ctx))
				return false;
		}
		while (l->next < l->n && !has(t, l->list[l->next], l->good))
			l->next++;
		if (l->next > l->n) {
			t->n_levels--;
			continue;
		}
		descend(t, l->next < l->n ? l->list[l->next] : -1);
		l->next++;
		enter(t, best, chosen);
	}
	return !t->n_levels;
}

/* ---- set-up -------------------------------------------------------------------------------- */

struct shared {
	int64_t share;
	int32_t bid;
};

/* Falling shares, of the same share rising bids. */
static int by_share(const void *a, const void *b)
{
	const struct shared *p = a, *q = b;

	if (p->share != q->share)
		return p->share > q->share ? -1 : 1;
	return p->bid < q->bid ? -1 : p->bid > q->bid;
}

static int fill(struct csg__good_tree *t)
{
	const int n = t->bids.n;
	struct shared *s = gpube__alloc(t->ctx, (uint64_t)n, sizeof(*s));

	if (!s)
		return GPUBE_ENOMEM;
	for (int j = 0; j < n; j++) {
		const int64_t k = n_counted_of(t, j, t->n_counted);
		const int64_t price = t->bids.price[j] << t->fraction_bits;

		t->share[j] = price / k + (price % k != 0);
		s[j] = (struct shared){t->share[j], j};
	}
	qsort(s, (size_t)n, sizeof(*s), by_share);
	t->level[0] = (struct csg__good_level){.list = t->lists, .n = n, .bid = -1, .share = 1};
	for (int j = 0; j < n; j++)
		t->lists[j] = s[j].bid;
	t->n_levels = 1;
	gpube__free(t->ctx, s);
	return GPUBE_OK;
}

int csg__good_tree_new(
	struct csg__good_tree **out, struct gpube_ctx *ctx, const struct csg__good_tree_bids *bids)
{
	struct csg__good_tree *t;
	int counted = bids->n_real, levels, status = GPUBE_ENOMEM;

	*out = NULL;
	t = gpube__alloc_zero(ctx, 1, sizeof(*t));
	if (!t)
		return GPUBE_ENOMEM;
	t->ctx = t->arrays.ctx = ctx;
	t->bids = *bids;
	for (int j = 0; j < bids->n && counted < bids->n_goods; j++)
		if (!n_counted_of(t, j, counted))
			counted = bids->n_goods;
	t->n_counted = counted;
	/* a level takes one counted good at least, and its list is no longer than the one before */
	levels = counted + 2;
	if (!bids->n || (uint64_t)levels * (uint64_t)bids->n > MOST_LISTED ||
		bids->total > INT64_MAX / 4) {
		csg__good_tree_free(t);
		return GPUBE_OK;
	}
	while (t->fraction_bits < FRACTION_BITS &&
		bids->total <= INT64_MAX / 4 >> (t->fraction_bits + 1))
		t->fraction_bits++;
	t->share = gpube__array(&t->arrays, (uint64_t)bids->n, sizeof(*t->share));
	/* not cleared: most of it is never touched */
	t->lists = gpube__alloc(ctx, (uint64_t)levels * (uint64_t)bids->n, sizeof(*t->lists));
	t->count = gpube__array(&t->arrays, (uint64_t)counted + 1, sizeof(*t->count));
	t->level = gpube__array(&t->arrays, (uint64_t)levels, sizeof(*t->level));
	status = t->arrays.failed || !t->lists ? GPUBE_ENOMEM : fill(t);
	if (status) {
		csg__good_tree_free(t);
		return status;
	}
	*out = t;
	return GPUBE_OK;
}

void csg__good_tree_free(struct csg__good_tree *t)
{
	if (!t)
		return;
	gpube__arrays_clear(&t->arrays);
	GPUBE_FREE_ALL(t->ctx, t->lists, t);
}
