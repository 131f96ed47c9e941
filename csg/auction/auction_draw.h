/* auction_draw.h - random auctions in the making: for the files that draw their bids. */
#ifndef CSG_AUCTION_DRAW_H
#define CSG_AUCTION_DRAW_H

#include "gpube/base/base.h"

#define CSG__MOST_PRICE 100.0

struct bid_drawing {
	struct gpube_ctx *ctx;
	struct gpube_rng rng;
	int n_goods, n_bids;
	bool grid;                 /* regions: near goods; arbitrary: any */
	double *near;              /* n_goods^2 */
	double *common, *private_; /* values of goods */
	/* what was drawn: goods of bid b are good[at[b]] .. good[at[b + 1] - 1] */
	int n_drawn, n_dummies;
	double *price;
	int64_t *at;
	int32_t *good, *dummy; /* dummy[b]: -1 for none */
	int64_t capacity;
};

static inline double csg__draw_unit(struct bid_drawing *d)
{
	return gpube__rng_unit(&d->rng);
}

static inline int csg__draw_below(struct bid_drawing *d, int n)
{
	return (int)gpube__rng_below(&d->rng, (uint64_t)n);
}

/* One bid; false: there are enough, or *status says why not. */
static inline bool csg__draw_bid(
	struct bid_drawing *d, const uint8_t *in, double price, int dummy, int *status)
{
	int64_t n = d->at[d->n_drawn];

	if (d->n_drawn == d->n_bids)
		return false;
	*status = gpube__grow(d->ctx, &d->good, &d->capacity, n + d->n_goods, sizeof(*d->good));
	if (*status)
		return false;
	for (int g = 0; g < d->n_goods; g++)
		if (in[g])
			d->good[n++] = g;
	d->price[d->n_drawn] = price;
	d->dummy[d->n_drawn] = dummy;
	d->at[++d->n_drawn] = n;
	return true;
}

/* All bids of these distributions; in: n_goods bytes. Errors: ENOMEM; EINVAL (matching: goods) */
int csg__draw_paths(struct bid_drawing *d, uint8_t *in);
int csg__draw_matching(struct bid_drawing *d, uint8_t *in);

#endif
