/*
 * auction.h - winner determination: bids on sets of goods, wanted are disjoint
 * ones of the greatest total price. Include after gpube/gpube.h. An auction is a model of kind
 * GPUBE_COALITIONS that has bids (gpube/coalitions.h); gpube_read() reads CATS files. (Auctions
 * with a bid for every bundle are coalition games: gpube_csg() of csg.h.)
 */
#ifndef CSG_AUCTION_H
#define CSG_AUCTION_H

#include "gpube/coalitions.h"

#ifdef __cplusplus
extern "C" {
#endif

/*
 * optimal      proved; otherwise stopped: revenue is the best known
 * revenue, upper_bound  units of 10^-scale, exact
 * winners      n_winners indices of bids, rising
 * never        n_never bids that some cheaper way always beats: a bid on a subset of
 *              the goods at no lower price
 */
struct gpube_auction_result {
	int optimal;
	int64_t revenue, upper_bound;
	int scale;
	int n_winners, n_never;
	int *winners, *never;
	int64_t n_nodes, n_pivots;
	double seconds;
};

/*
 * gpube_auction() - linear bound, depth-first branch and bound. Every bound that
 * prunes is taken from rounded duals in integers.
 * Errors: EINVAL (kind, options), ENOMEM, ERANGE (the revenue passes 64 bits), ELIMIT
 */
GPUBE_API int gpube_auction(struct gpube_auction_result **out, const struct gpube_model *m,
	const struct gpube_opts *opts);

/*
 * gpube_auction_generate() - a seeded random auction, with prices of thousandths.
 * opts    distribution, goods, bids, seed
 * Errors: EINVAL (options; of matching: goods are not times 4); ENOMEM, ELIMIT, ESTOP
 */
GPUBE_API int gpube_auction_generate(
	struct gpube_model **out, struct gpube_ctx *ctx, const struct gpube_opts *opts);

#ifdef __cplusplus
}
#endif

#endif
