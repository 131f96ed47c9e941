/*
 * bid_search.c - tabu search for good selections of bids: the best of the bids that are
 * out comes in, whatever it costs, and those that exclude it leave and must stay away for
 * a while; from many random selections. A linear program far from integers says little of
 * where the optimum is; this does not ask it.
 */
#include <string.h>

#include "csg/cliques.h"

#define LEAST_AWAY 7   /* steps that a bid stays away */
#define MORE_AWAY  10  /* and up to as many more, at random */
#define PATIENCE   300 /* steps without better before it begins anew: 1000 and 4000 find less */

struct search {
	const struct csg__bid_search *s;
	uint8_t *in;
	int64_t *cost;  /* of each bid: the prices of those within that exclude it */
	int64_t *until; /* step before which it does not come in */
	int64_t sum;
	struct gpube_rng rng;
};

static void change(struct search *l, int bid, bool in)
{
	const struct csg__cliques *c = l->s->cliques;
	const uint64_t *conflict = c->conflict + (size_t)bid * (size_t)c->words;
	const int64_t by = in ? l->s->price[bid] : -l->s->price[bid];

	l->in[bid] = in;
	l->sum += by;
	for (int w = 0; w < c->words; w++)
		for (uint64_t set = conflict[w]; set; set &= set - 1)
			l->cost[w * 64 + __builtin_ctzll(set)] += by;
}

/* The bid that gains most, of those that may come in; -1: none may. */
static int choose(const struct search *l, int64_t step)
{
	int64_t most = INT64_MIN;
	int best = -1;

	for (int j = 0; j < l->s->cliques->n; j++) {
		const int64_t gain = l->s->price[j] - l->cost[j];

		if (gain > most && !l->in[j] &&
			(l->until[j] <= step || l->sum + gain > *l->s->best)) {
			most = gain;
			best = j;
		}
	}
	return best;
}

static void come_in(struct search *l, int bid, int64_t step)
{
	const struct csg__cliques *c = l->s->cliques;
	const uint64_t *conflict = c->conflict + (size_t)bid * (size_t)c->words;

	for (int w = 0; w < c->words; w++)
		for (uint64_t set = conflict[w]; set; set &= set - 1) {
			const int j = w * 64 + __builtin_ctzll(set);

			if (!l->in[j])
				continue;
			change(l, j, false);
			l->until[j] =
				step + LEAST_AWAY + (int64_t)gpube__rng_below(&l->rng, MORE_AWAY);
		}
	change(l, bid, true);
}

static void keep(struct search *l)
{
	if (l->sum <= *l->s->best)
		return;
	*l->s->best = l->sum;
	memcpy(l->s->chosen, l->in, (size_t)l->s->cliques->n);
}

/* Bids at random, as long as they fit. */
static void begin(struct search *l)
{
	const int n = l->s->cliques->n;

	for (int j = 0; j < n; j++) {
		if (l->in[j])
			change(l, j, false);
		l->until[j] = 0;
	}
	for (int k = 0; k < n; k++) {
		const int j = (int)gpube__rng_below(&l->rng, (uint64_t)n);

		if (!l->in[j] && l->cost[j] == 0)
			change(l, j, true);
	}
}

int csg__bid_search(const struct csg__bid_search *s)
{
	struct gpube_ctx *ctx = s->cliques->ctx;
	const uint64_t n = (uint64_t)s->cliques->n;
	struct search l = {.s = s};
	int64_t last = 0, found = 0;
	bool anew = true;
	int status = GPUBE_ENOMEM;

	gpube__rng_init(&l.rng, s->seed);
	l.in = gpube__alloc_zero(ctx, n, 1);
	l.cost = gpube__alloc_zero(ctx, n, sizeof(*l.cost));
	l.until = gpube__alloc_zero(ctx, n, sizeof(*l.until));
	if (!l.in || !l.cost || !l.until)
		goto out;
	for (int64_t step = 0; step < s->steps && *s->best < s->enough; step++) {
		int bid;

		if ((step & 63) == 0 && gpube__stopped(ctx))
			break;
		if (anew) {
			begin(&l);
			found = l.sum;
			last = step;
			keep(&l);
		}
		bid = choose(&l, step);
		if (bid >= 0)
			come_in(&l, bid, step);
		keep(&l);
		if (l.sum > found) {
			found = l.sum;
			last = step;
		}
		anew = bid < 0 || step - last >= PATIENCE;
	}
	status = GPUBE_OK;
out:
	gpube__free(ctx, l.until);
	gpube__free(ctx, l.cost);
	gpube__free(ctx, l.in);
	return status;
}
