/*
 * bid_search.c - tabu search for good selections of bids: the best of the bids that are
 * out comes in, whatever it costs, and those that exclude it leave and must stay away for
 * a while. Soon after nothing better is found the walk goes back to its best selection, with two
 * bids forced in, and after many times in vain on to a random one. A linear program far from
 * integers says little of where the optimum is; this does not ask it.
 */
#include <string.h>

#include "csg/auction/cliques.h"
#include "gpube/base/bits.h"

#define LEAST_AWAY 7   /* steps that a bid stays away */
#define MORE_AWAY  10  /* and up to as many more, at random */
#define PATIENCE   50  /* steps without better before it goes back: 25 and 100 find less */
#define FORCED     2   /* bids; with 1 or 3 it finds less */
#define STEP_WORK  256 /* bids' worth that a step takes however few there are */
#define MOST_VAIN  300 /* returns without better before a random beginning: 1000 finds less */

struct csg__walk {
	const struct csg__bid_search *s;
	uint8_t *in, *home, *top; /* the selection; the one to go back to; the best of all */
	uint64_t *within;         /* 'in' as a set */
	int64_t *cost;            /* of each bid: the prices of those within that exclude it */
	int64_t *until;           /* step before which it does not come in */
	int64_t sum, of_home, of_top;
	int64_t step, work;
	int64_t last, found; /* the most since the last return, and when that was */
	int vain;
	struct gpube_rng rng;
};

static void change(struct csg__walk *l, int bid, bool in)
{
	const struct csg__cliques *c = l->s->cliques;
	const uint64_t *conflict = c->conflict + (size_t)bid * (size_t)c->words;
	const int64_t by = in ? l->s->price[bid] : -l->s->price[bid];

	l->in[bid] = in;
	l->within[bid / 64] ^= (uint64_t)1 << bid % 64;
	l->sum += by;
	l->work += l->s->degree[bid];
	for (int w = 0; w < c->words; w++)
		for (uint64_t set = conflict[w]; set; set &= set - 1)
			l->cost[w * 64 + __builtin_ctzll(set)] += by;
}

/* The bid that gains most, of those that may come in; -1: none may. */
static int choose(const struct csg__walk *l)
{
	int64_t most = INT64_MIN;
	int best = -1;

	for (int j = 0; j < l->s->cliques->n; j++) {
		const int64_t gain = l->s->price[j] - l->cost[j];

		if (gain > most && !l->in[j] &&
			(l->until[j] <= l->step || l->sum + gain > l->of_home)) {
			most = gain;
			best = j;
		}
	}
	return best;
}

static void come_in(struct csg__walk *l, int bid)
{
	const struct csg__cliques *c = l->s->cliques;
	const uint64_t *conflict = c->conflict + (size_t)bid * (size_t)c->words;

	for (int w = 0; w < c->words; w++)
		for (uint64_t set = conflict[w] & l->within[w]; set; set &= set - 1) {
			const int j = w * 64 + __builtin_ctzll(set);

			change(l, j, false);
			l->until[j] = l->step + LEAST_AWAY +
				      (int64_t)gpube__rng_below(&l->rng, MORE_AWAY);
		}
	change(l, bid, true);
}

static void keep(struct csg__walk *l)
{
	const size_t n = (size_t)l->s->cliques->n;

	if (l->sum > l->of_home) {
		l->of_home = l->sum;
		memcpy(l->home, l->in, n);
		l->vain = 0;
	}
	if (l->sum > l->of_top) {
		l->of_top = l->sum;
		memcpy(l->top, l->in, n);
	}
	if (l->sum > l->found) {
		l->found = l->sum;
		l->last = l->step;
	}
}

/* Bids at random, as long as they fit. */
static void begin(struct csg__walk *l)
{
	const int n = l->s->cliques->n;

	for (int j = 0; j < n; j++)
		if (l->in[j])
			change(l, j, false);
	for (int k = 0; k < n; k++) {
		const int j = (int)gpube__rng_below(&l->rng, (uint64_t)n);

		if (!l->in[j] && l->cost[j] == 0)
			change(l, j, true);
	}
	l->of_home = INT64_MIN; /* that keep() goes home to it */
	l->vain = 0;
}

static void go_home(struct csg__walk *l)
{
	const int n = l->s->cliques->n;

	for (int j = 0; j < n; j++)
		if (l->in[j] && !l->home[j])
			change(l, j, false);
	for (int j = 0; j < n; j++)
		if (!l->in[j] && l->home[j])
			change(l, j, true);
	memset(l->until, 0, (size_t)n * sizeof(*l->until));
	for (int k = 0; k < FORCED; k++) {
		const int j = (int)gpube__rng_below(&l->rng, (uint64_t)n);

		if (!l->in[j])
			come_in(l, j);
	}
	l->vain++;
}

/* From where it was. */
static void walk(void *arg, int64_t item, int thread)
{
	const struct csg__bid_search *s = arg;
	struct csg__walk *l = &s->walk[item];
	const int64_t end = l->work + s->work;

	(void)thread;
	for (; l->work < end && l->of_top < s->enough; l->step++) {
		int bid;

		l->work += s->cliques->n + STEP_WORK;

		if ((l->step & 63) == 0 && gpube__stopped(s->cliques->ctx))
			break;
		if (l->step - l->last >= PATIENCE || l->step == 0) {
			if (l->step == 0 || l->vain >= MOST_VAIN)
				begin(l);
			else
				go_home(l);
			l->found = INT64_MIN;
			keep(l);
		}
		bid = choose(l);
		if (bid < 0) {
			l->last = l->step - PATIENCE;
			continue;
		}
		come_in(l, bid);
		keep(l);
	}
}

int csg__bid_search_init(struct csg__bid_search *s, const struct csg__cliques *cliques,
	const int64_t *price, int n_walks)
{
	const uint64_t n = (uint64_t)cliques->n, words = (uint64_t)cliques->words;

	*s = (struct csg__bid_search){
		.arrays.ctx = cliques->ctx, .cliques = cliques, .price = price, .n_walks = n_walks};
	s->walk = gpube__array(&s->arrays, (uint64_t)n_walks, sizeof(*s->walk));
	s->degree = gpube__array(&s->arrays, n, sizeof(*s->degree));
	for (int j = 0; j < cliques->n && s->degree; j++)
		s->degree[j] = (int32_t)gpube__bits_count(
			cliques->conflict + (size_t)j * (size_t)words, cliques->words);
	for (int k = 0; k < n_walks && !s->arrays.failed; k++) {
		struct csg__walk *l = &s->walk[k];

		l->s = s;
		l->in = gpube__array(&s->arrays, n, 1);
		l->home = gpube__array(&s->arrays, n, 1);
		l->top = gpube__array(&s->arrays, n, 1);
		l->cost = gpube__array(&s->arrays, n, sizeof(*l->cost));
		l->until = gpube__array(&s->arrays, n, sizeof(*l->until));
		l->within = gpube__array(&s->arrays, words, sizeof(*l->within));
		gpube__rng_init(&l->rng, (uint64_t)k + 1);
	}
	return s->arrays.failed ? GPUBE_ENOMEM : GPUBE_OK;
}

void csg__bid_search_run(
	struct csg__bid_search *s, int64_t work, int64_t enough, uint8_t *chosen, int64_t *best)
{
	const size_t n = (size_t)s->cliques->n;
	struct csg__walk *first = s->walk;

	if (n == 0 || work <= 0 || *best >= enough)
		return;
	s->work = work;
	s->enough = enough;
	if (first->step > 0 && *best > first->of_top) {
		memcpy(first->home, chosen, n);
		memcpy(first->top, chosen, n);
		first->of_home = first->of_top = *best;
		first->vain = 0;
		first->last = first->step - PATIENCE;
	}
	gpube__parallel(s->cliques->ctx, s->n_walks, walk, s);
	for (int k = 0; k < s->n_walks; k++)
		if (s->walk[k].of_top > *best) {
			*best = s->walk[k].of_top;
			memcpy(chosen, s->walk[k].top, n);
		}
}
