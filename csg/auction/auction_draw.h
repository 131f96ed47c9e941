/* auction_draw.h - random auctions in the making: for the files that draw their bids. */
#ifndef CSG_AUCTION_DRAW_H
#define CSG_AUCTION_DRAW_H

#include "gpube/base/arrays.h"
#include "gpube/ir/bids.h"

#define CSG__MOST_PRICE 100.0

struct bid_drawing {
	struct gpube_ctx *ctx;
	struct gpube_rng rng;
	int n_goods, n_bids;
	struct gpube__arrays arrays;
	bool grid;                 /* regions: near goods; arbitrary: any */
	double *near;              /* n_goods^2 */
	double *common, *private_; /* values of goods */
	/* what was drawn; n_goods and n_bids there are those of the end */
	struct gpube__bids b;
	int n_drawn, n_dummies;
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

/* One bid, its dummy good -1 for none; false: there are enough, or *status says why not. */
bool csg__draw_bid(struct bid_drawing *d, const uint8_t *in, double price, int dummy, int *status);

/* All bids of these distributions; in: n_goods bytes. Errors: ENOMEM; EINVAL (matching: goods) */
int csg__draw_paths(struct bid_drawing *d, uint8_t *in);
int csg__draw_matching(struct bid_drawing *d, uint8_t *in);

#endif
