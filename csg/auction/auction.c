/*
 * auction.c - gpube_auction(): dominated bids out, then depth-first branch and
 * bound. At each node the linear program is re-optimised by dual steps; its duals
 * y are rounded to integers, and whatever they are,
 *
 *     sum of y + sum over the bids left of max(0, price - y(goods))
 *
 * bounds the revenue: that is what prunes, and what takes out single bids. These sums have 128
 * bits, of which a price takes 63, a dual no more, and rows and bids 21 each.
 */
#include <stdlib.h>
#include <string.h>

#include "csg/auction/packing_lp.h"
#include "gpube/options/options.h"
#include "gpube/ir/given.h"
#include "csg/auction.h"
#include "csg/auction/cliques.h"
#include "csg/view.h"
#include "csg/auction/good_tree.h"
#include "gpube/base/arrays.h"
#include "gpube/base/bits.h"
#include "gpube/base/decimal.h"
#include "gpube/ir/bids.h"

#define FRACTION_BITS 10                 /* of the rounded duals, below a unit of the prices */
#define DIVE_EVERY    64                 /* nodes */
#define SEARCH_SHARE  8                  /* cells of the linear program for a bid looked at */
#define LEAST_SEARCH  ((int64_t)1 << 21) /* bids: less is saved for a longer one */
#define FIRST_SEARCH  ((int64_t)1 << 20) /* bids looked at before the linear program */
/* of that again for the tree over goods, until it shows promise */
#define GOODS_SHARE 64
#define MOST_WALKS  16 /* of it, side by side */
#define CUT_ROUNDS  30
#define MOST_CUTS   2000 /* rows beside those of goods */

struct tree {
	struct gpube_ctx *ctx;
	const struct gpube__bids *a;
	struct gpube_auction_result *r;
	int n, words;                /* bids left, words of a set of goods */
	struct gpube__arrays arrays; /* what follows */
	int32_t *bid;                /* of the auction */
	uint64_t *set;               /* n * words */
	struct csg__packing lp;      /* columns are 0 .. n-1 */
	struct csg__cliques cliques; /* its rows */
	struct csg__bid_search bid_search;
	struct csg__good_tree *goods; /* NULL: there is none */
	double *x, *y;
	int64_t *price;              /* of the bids left */
	int64_t *dual;               /* of rows, units of 2^-FRACTION_BITS */
	__int128 *gain;              /* of bids, the same units */
	int32_t *order;              /* scratch of dropping rows */
	struct csg__weighed *ranked; /* bids in the order of the greedy step */
	uint64_t *used;
	uint8_t *chosen, *best_chosen;
	__int128 best, root_bound;
	__int128 upper;       /* what is proved so far; root_bound is that of the tree's root */
	double start;         /* of the call, by gpube__now() */
	bool walks;           /* all prices together have room in 64 bits, as bid_search.c wants */
	int64_t searched;     /* lp.work at the last search */
	bool stopped, proved; /* proved: by the tree over goods */
};

static const uint64_t *set_of(const struct tree *t, int j)
{
	return t->set + (size_t)j * (size_t)t->words;
}

/* Whether two bids share no good. */
static bool disjoint(const struct tree *t, int i, int j)
{
	return gpube__bits_apart(set_of(t, i), set_of(t, j), t->words);
}

static int64_t price_of(const struct tree *t, int j)
{
	return t->a->price[t->bid[j]];
}

/*
 * The bound by the duals at hand, whatever they are, and the gain of each bid:
 * its price less the duals of its rows; in units of 2^-FRACTION_BITS.
 */
static __int128 bound(struct tree *t)
{
	__int128 z = 0;

	for (int j = 0; j < t->n; j++)
		t->gain[j] = (__int128)price_of(t, j) * (1 << FRACTION_BITS);
	for (int i = 0; i < t->lp.m; i++) {
		const double y = ldexp(t->y[i], FRACTION_BITS);
		const uint64_t *row = t->cliques.row + (size_t)i * (size_t)t->cliques.words;

		t->dual[i] = y > 0 && y < 0x1p62 ? llrint(y) : 0;
		z += t->dual[i];
		for (int w = 0; t->dual[i] && w < t->cliques.words; w++)
			for (uint64_t s = row[w]; s; s &= s - 1)
				t->gain[w * 64 + __builtin_ctzll(s)] -= t->dual[i];
	}
	for (int j = 0; j < t->n; j++)
		if (!t->lp.fixed[j] && t->gain[j] > 0)
			z += t->gain[j];
	return z;
}

/* No better solution has a bid whose entry costs more than there is to gain. */
static void fix_losers(struct tree *t, __int128 z)
{
	for (int j = 0; j < t->n; j++)
		if (!t->lp.fixed[j] && t->gain[j] < 0 &&
			(z + t->gain[j]) >> FRACTION_BITS <= t->best)
			t->lp.fixed[j] = 1;
}

/* ---- solutions ----------------------------------------------------------------------------------
 */

/* Takes bids in falling order of x, then of price per good, while they fit. */
static double rank(const struct tree *t, int j)
{
	const int64_t b = t->bid[j], k = t->a->at[b + 1] - t->a->at[b];

	return t->x[j] +
	       1e-3 * (double)t->a->price[b] / sqrt((double)k) / (1 + (double)t->root_bound);
}

/* Those that are not fixed, of which there are few deep in the tree; returns how many. */
static int sort_bids(struct tree *t)
{
	int n = 0;

	for (int j = 0; j < t->n; j++)
		if (!t->lp.fixed[j])
			t->ranked[n++] = (struct csg__weighed){rank(t, j), j};
	qsort(t->ranked, (size_t)n, sizeof(*t->ranked), csg__by_weight);
	return n;
}

static void greedy(struct tree *t)
{
	const int n = sort_bids(t);
	__int128 sum = 0;

	memset(t->used, 0, (size_t)t->words * sizeof(*t->used));
	memset(t->chosen, 0, (size_t)t->n);
	for (int i = 0; i < n; i++) {
		const int j = t->ranked[i].bid;

		if (!gpube__bits_apart(set_of(t, j), t->used, t->words))
			continue;
		gpube__bits_add(t->used, set_of(t, j), t->words);
		t->chosen[j] = 1;
		sum += price_of(t, j);
	}
	if (sum > t->best) {
		t->best = sum;
		memcpy(t->best_chosen, t->chosen, (size_t)t->n);
	}
}

/* Tells bounds that have improved: z is another one of the revenue, in the units of bound(). */
static void tell(struct tree *t, __int128 best_before, __int128 z, const char *by)
{
	const double unit = 1 / gpube__ten_to(t->a->scale);
	const bool lower = z >> FRACTION_BITS < t->upper;

	if (lower)
		t->upper = z >> FRACTION_BITS;
	if (lower || t->best > best_before)
		csg__log_bounds(
			t->ctx, t->start, (double)t->best * unit, (double)t->upper * unit, by);
}

/*
 * Of all bids, for a share of the work that the linear program has had since the last time:
 * where that is far from integers this finds what diving does not. The first one, before the
 * linear program, may be shorter.
 */
static void search(struct tree *t)
{
	const int64_t work = (t->lp.work - t->searched) / SEARCH_SHARE;

	int64_t best = (int64_t)t->best;

	if (!t->walks || (work < LEAST_SEARCH && t->lp.work > 0))
		return;
	t->searched = t->lp.work;
	csg__bid_search_run(&t->bid_search, work, (int64_t)t->root_bound, t->best_chosen, &best);
	gpube__work(t->ctx, work);
	t->best = best;
}

/*
 * The other tree: for a small share of the work that the linear program has had, and for as much as
 * that once its rest is expected to take no longer.
 */
static void search_goods(struct tree *t)
{
	const int64_t most = t->lp.work / SEARCH_SHARE;
	int64_t best = (int64_t)t->best, work;
	double done;

	if (!t->goods || t->proved)
		return;
	work = most / GOODS_SHARE - t->goods->looked;
	if (work > 0)
		t->proved = csg__good_tree_run(t->goods, work, &best, t->best_chosen);
	work = most - t->goods->looked;
	/* the rest, if it is as what is done */
	done = t->goods->done;
	if (!t->proved && work > 0 && done > 0 &&
		(double)t->goods->looked * (1 - done) / done <= (double)work / 4)
		t->proved = csg__good_tree_run(t->goods, work, &best, t->best_chosen);
	t->best = best;
}

/* ---- the tree ------------------------------------------------------------------------ */

/* The fractional bid with most at stake either way; then any that excludes another one left; -1:
 * none does. */
static int branching_bid(const struct tree *t)
{
	double most = 0;
	int best = -1;

	for (int j = 0; j < t->n; j++)
		if (!t->lp.fixed[j] && t->x[j] > 0.001 && t->x[j] < 0.999) {
			const double weight = t->x[j] * (1 - t->x[j]) * (double)price_of(t, j);

			if (weight > most) {
				most = weight;
				best = j;
			}
		}
	for (int j = 0; j < t->n && best < 0; j++)
		for (int k = 0; k < t->n && best < 0 && !t->lp.fixed[j]; k++)
			if (k != j && !t->lp.fixed[k] && !disjoint(t, j, k))
				best = t->x[j] >= t->x[k] ? j : k;
	return best;
}

static int explore(struct tree *t);

/* The bid wins: those that share a good with it do not. */
static void exclude_others(struct tree *t, int bid)
{
	for (int j = 0; j < t->n; j++)
		if (j != bid && !disjoint(t, j, bid))
			t->lp.fixed[j] = 1;
}

/* The fractional bid nearest to 1; -1: none is. */
static int surest_bid(const struct tree *t)
{
	double most = 0.001;
	int best = -1;

	for (int j = 0; j < t->n; j++)
		if (!t->lp.fixed[j] && t->x[j] > most && t->x[j] < 0.999) {
			most = t->x[j];
			best = j;
		}
	return best;
}

/* From the solution at hand: takes the surest bid and solves again, to find a good solution. */
static int dive(struct tree *t)
{
	struct csg__packing saved;
	int status = csg__packing_copy(&saved, &t->lp), bid;

	if (status)
		return status;
	while ((bid = surest_bid(t)) >= 0 && !gpube__stopped(t->ctx)) {
		exclude_others(t, bid);
		csg__packing_solve(&t->lp);
		csg__packing_read(&t->lp, t->x, t->y);
		if (bound(t) >> FRACTION_BITS <= t->best)
			break;
		greedy(t);
	}
	csg__packing_assign(&t->lp, &saved);
	csg__packing_clear(&saved);
	csg__packing_read(&t->lp, t->x, t->y);
	return GPUBE_OK;
}

static int take(struct tree *t, int bid)
{
	struct csg__packing saved;
	int status = csg__packing_copy(&saved, &t->lp);

	if (status)
		return status;
	exclude_others(t, bid);
	status = explore(t);
	csg__packing_assign(&t->lp, &saved);
	csg__packing_clear(&saved);
	return status;
}

/* With the bids that are not fixed: finds all that beats t->best. Leaves t->lp changed. */
static int explore(struct tree *t)
{
	for (;;) {
		__int128 z, before;
		int bid, status;

		if (gpube__stopped(t->ctx)) {
			t->stopped = true;
			return GPUBE_OK;
		}
		before = t->best;
		t->r->n_nodes++;
		if (t->r->n_nodes % 64 == 1)
			gpube__progress(t->ctx, -1, "tree over bids");
		csg__packing_solve(&t->lp);
		csg__packing_read(&t->lp, t->x, t->y);
		z = bound(t);
		if (t->r->n_nodes == 1 && z >> FRACTION_BITS < t->root_bound)
			t->root_bound = z >> FRACTION_BITS;
		if (z >> FRACTION_BITS <= t->best)
			return GPUBE_OK;
		greedy(t);
		if (t->r->n_nodes % DIVE_EVERY == 1) {
			status = dive(t);
			if (status)
				return status;
			search(t);
			search_goods(t);
			z = bound(t);
		}
		tell(t, before, t->root_bound << FRACTION_BITS, "tree over bids");
		if (t->proved || z >> FRACTION_BITS <= t->best)
			return GPUBE_OK;
		fix_losers(t, z);
		bid = branching_bid(t);
		if (bid < 0) /* the rest goes together: greedy has taken all of it */
			return GPUBE_OK;
		status = take(t, bid);
		if (status || t->stopped || t->proved)
			return status;
		t->lp.fixed[bid] = 1;
	}
}

/* ---- rows ---------------------------------------------------------------------------- */

static int add_row(struct tree *t, const uint64_t *seed)
{
	const int row = csg__cliques_add(&t->cliques, seed);

	return row < 0 ? GPUBE_OK
		       : csg__packing_add(
				 &t->lp, t->cliques.row + (size_t)row * (size_t)t->cliques.words);
}

static int rows_of_goods(struct tree *t)
{
	uint64_t *seed = gpube__alloc(t->ctx, (uint64_t)t->cliques.words, sizeof(*seed));
	int status = seed ? GPUBE_OK : GPUBE_ENOMEM;

	for (int i = 0; i < t->n; i++)
		for (int j = 0; j < i; j++)
			if (!disjoint(t, i, j))
				csg__cliques_exclude(&t->cliques, i, j);
	for (int j = 0; j < t->n; j++)
		t->x[j] = (double)price_of(t, j);
	csg__cliques_weigh(&t->cliques, t->x);
	for (int g = 0; g < t->a->n_goods && !status; g++) {
		bool any = false;

		memset(seed, 0, (size_t)t->cliques.words * sizeof(*seed));
		for (int j = 0; j < t->n; j++)
			if (gpube__bit(set_of(t, j), g)) {
				gpube__bit_put(seed, j);
				any = true;
			}
		if (any)
			status = add_row(t, seed);
	}
	gpube__free(t->ctx, seed);
	return status;
}

/* Out with cuts that do not bind: what is left of the program is small. */
static void drop_loose_cuts(struct tree *t, int first)
{
	int n = 0, *to = t->order; /* new numbers of rows */

	if (t->lp.m > t->n)
		return;
	csg__packing_loose(&t->lp, t->chosen);
	for (int i = 0; i < t->lp.m; i++) {
		to[i] = i >= first && t->chosen[i] ? -1 : n++;
		if (to[i] >= 0 && to[i] != i)
			memcpy(t->cliques.row + (size_t)to[i] * (size_t)t->cliques.words,
				t->cliques.row + (size_t)i * (size_t)t->cliques.words,
				(size_t)t->cliques.words * sizeof(uint64_t));
	}
	t->cliques.n_rows = n;
	csg__packing_keep(&t->lp, to);
}

/* Cliques that the fractional solution violates, until few are found. */
static int cut(struct tree *t)
{
	const int first = t->cliques.n_rows;
	int status = GPUBE_OK;

	for (int k = 0; k < CUT_ROUNDS && !status && !gpube__stopped(t->ctx); k++) {
		__int128 best;
		int before;

		gpube__progress(t->ctx, -1, "cuts");
		best = t->best;
		csg__packing_solve(&t->lp);
		csg__packing_read(&t->lp, t->x, t->y);
		search(t);
		tell(t, best, bound(t), "cuts");
		drop_loose_cuts(t, first);
		before = t->cliques.n_rows;
		csg__cliques_weigh(&t->cliques, t->x);
		for (int j = 0; j < t->n && !status; j++)
			if (t->x[j] > 0.01 && t->x[j] < 0.99 &&
				t->x[j] + csg__cliques_grow(&t->cliques, j) > 1.01)
				status = add_row(t, t->cliques.clique);
		if (t->cliques.n_rows == before)
			break;
	}
	return status;
}

/* ---- set-up -------------------------------------------------------------------------------------
 */

/* Out with bids that pay nothing, or that another beats with fewer or the same goods. */
static void drop_dominated(struct tree *t)
{
	int n = 0;

	for (int j = 0; j < t->n; j++) {
		bool out = price_of(t, j) <= 0;

		for (int k = 0; k < t->n && !out; k++)
			out = k != j && gpube__bits_within(set_of(t, k), set_of(t, j), t->words) &&
			      (price_of(t, k) > price_of(t, j) ||
				      (price_of(t, k) == price_of(t, j) &&
					      (k < j || !gpube__bits_within(set_of(t, j),
								set_of(t, k), t->words))));
		t->chosen[j] = out;
	}
	for (int j = 0; j < t->n; j++) {
		if (t->chosen[j]) {
			t->r->never[t->r->n_never++] = t->bid[j];
			continue;
		}
		memmove(t->set + (size_t)n * (size_t)t->words, set_of(t, j),
			(size_t)t->words * sizeof(*t->set));
		t->bid[n++] = t->bid[j];
	}
	t->n = n;
}

static int set_up(struct tree *t)
{
	struct gpube_ctx *ctx = t->ctx;
	const uint64_t n = (uint64_t)t->n;
	const int most_rows = t->a->n_goods + MOST_CUTS;
	int status;

	t->words = (t->a->n_goods + 63) / 64;
	t->bid = gpube__array(&t->arrays, n, sizeof(*t->bid));
	t->set = gpube__array(&t->arrays, n * (uint64_t)t->words, sizeof(*t->set));
	t->x = gpube__array(&t->arrays, n, sizeof(*t->x));
	t->y = gpube__array(&t->arrays, (uint64_t)most_rows, sizeof(*t->y));
	t->dual = gpube__array(&t->arrays, (uint64_t)most_rows, sizeof(*t->dual));
	t->price = gpube__array(&t->arrays, n, sizeof(*t->price));
	t->gain = gpube__array(&t->arrays, n, sizeof(*t->gain));
	t->order = gpube__array(&t->arrays, n, sizeof(*t->order));
	t->ranked = gpube__array(&t->arrays, n, sizeof(*t->ranked));
	t->used = gpube__array(&t->arrays, (uint64_t)t->words, sizeof(*t->used));
	t->chosen = gpube__array(&t->arrays, n, 1);
	t->best_chosen = gpube__array(&t->arrays, n, 1);
	t->r->winners = gpube__alloc(ctx, n, sizeof(*t->r->winners));
	t->r->never = gpube__alloc(ctx, n, sizeof(*t->r->never));
	if (t->arrays.failed || !t->r->winners || !t->r->never)
		return GPUBE_ENOMEM;
	for (int j = 0; j < t->n; j++) {
		t->bid[j] = j;
		for (int64_t k = t->a->at[j]; k < t->a->at[j + 1]; k++)
			gpube__bit_put(t->set + (size_t)j * (size_t)t->words, t->a->good[k]);
	}
	drop_dominated(t);
	status = csg__packing_init(&t->lp, ctx, t->n);
	if (!status)
		status = csg__cliques_init(&t->cliques, ctx, t->n, most_rows);
	if (status)
		return status;
	for (int j = 0; j < t->n; j++) {
		t->price[j] = price_of(t, j);
		t->lp.c[j] = (double)t->price[j];
	}
	status = rows_of_goods(t);
	t->searched = -FIRST_SEARCH * SEARCH_SHARE;
	if (!status)
		status = csg__bid_search_init(&t->bid_search, &t->cliques, t->price,
			ctx->n_threads < MOST_WALKS ? ctx->n_threads : MOST_WALKS);
	if (!status && t->walks)
		status = csg__good_tree_new(&t->goods, ctx,
			&(struct csg__good_tree_bids){.n = t->n,
				.n_real = t->a->n_real,
				.n_goods = t->a->n_goods,
				.words = t->words,
				.set = t->set,
				.price = t->price,
				.total = (int64_t)t->root_bound});
	if (status)
		return status;
	search(t);
	return cut(t);
}

static void tear_down(struct tree *t)
{
	csg__packing_clear(&t->lp);
	gpube__arrays_clear(&t->bid_search.arrays);
	csg__good_tree_free(t->goods);
	gpube__arrays_clear(&t->cliques.arrays);
	gpube__arrays_clear(&t->arrays);
}

/* The winners' prices again, from the auction, and that no good is sold twice. */
static int take_winners(struct tree *t)
{
	struct gpube_auction_result *r = t->r;
	__int128 revenue = 0, upper;

	memset(t->used, 0, (size_t)t->words * sizeof(*t->used));
	for (int j = 0; j < t->n; j++) {
		if (!t->best_chosen[j])
			continue;
		if (!gpube__bits_apart(set_of(t, j), t->used, t->words))
			return gpube__fail(t->ctx, GPUBE_EBUG,
				"internal error: a good is sold twice; please report this");
		gpube__bits_add(t->used, set_of(t, j), t->words);
		r->winners[r->n_winners++] = t->bid[j];
		revenue += t->a->price[t->bid[j]];
	}
	r->optimal = !t->stopped;
	upper = t->stopped && t->upper > revenue ? t->upper : revenue;
	if (upper > INT64_MAX)
		return gpube__fail(t->ctx, GPUBE_ERANGE,
			"the %s, in units of 10^-%d, passes 64 bits",
			revenue > INT64_MAX ? "revenue" : "bound of the revenue", r->scale);
	r->revenue = (int64_t)revenue;
	r->upper_bound = (int64_t)upper;
	r->n_pivots = t->lp.n_pivots;
	r->n_nodes += t->goods ? t->goods->n_nodes : 0;
	return GPUBE_OK;
}

static void sum_prices(struct tree *t)
{
	for (int j = 0; j < t->a->n_bids; j++)
		t->root_bound += t->a->price[j] > 0 ? t->a->price[j] : 0;
	t->walks = t->root_bound <= INT64_MAX;
	t->upper = t->root_bound;
}

static int solve(struct tree *t)
{
	int status;

	t->r->scale = t->a->scale;
	t->n = t->a->n_bids;
	t->lp.ctx = t->arrays.ctx = t->ctx;
	sum_prices(t);
	status = set_up(t);
	if (!status)
		status = explore(t);
	if (!status)
		status = take_winners(t);
	tear_down(t);
	return status;
}

static void clear_result(struct gpube_ctx *ctx, void *result)
{
	struct gpube_auction_result *r = result;

	gpube__free(ctx, r->winners);
	gpube__free(ctx, r->never);
}

int gpube_auction(struct gpube_auction_result **out, const struct gpube_model *m,
	const struct gpube_opts *opts)
{
	struct gpube_model view;
	const double start = gpube__now();
	struct gpube_opts o;
	struct gpube__bids a;
	struct tree t = {.a = &a};
	double deadline;
	int status = gpube__call(out, &view, &m, opts);

	if (!status)
		status = gpube__opts_take(&o, m->ctx, opts, GPUBE__ON_AUCTION);
	if (!status)
		status = gpube__bids_init(&a, m);
	if (status)
		return status;
	t.ctx = m->ctx;
	t.start = start;
	t.r = gpube__result_new(m->ctx, sizeof(*t.r), clear_result);
	deadline = gpube__time_limit(m->ctx, start, o.timeout_seconds);
	status = t.r ? solve(&t) : GPUBE_ENOMEM;
	m->ctx->deadline = deadline;
	gpube__bids_clear(&a);
	if (status) {
		gpube_result_free(t.r);
		return status;
	}
	t.r->seconds = gpube__now() - start;
	*out = t.r;
	return GPUBE_OK;
}
