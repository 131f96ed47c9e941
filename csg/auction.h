/*
 * auction.h - winner determination of combinatorial auctions. Public; include after gpube/gpube.h,
 * whose conventions hold.
 *
 * A bid offers a price for a set of goods. The winning bids have no good in common, and the
 * greatest total price.
 * An auction is a model of kind GPUBE_COALITIONS that has bids (gpube/coalitions.h); gpube_read()
 * reads CATS files. An auction with a bid for every set of goods is a coalition game, which
 * gpube_csg() of csg.h solves.
 */
#ifndef CSG_AUCTION_H
#define CSG_AUCTION_H

#include "gpube/coalitions.h"

#ifdef __cplusplus
extern "C" {
#endif

/*
 * What gpube_auction() knows at its end.
 * optimal      1: the revenue is proved to be the greatest; 0: the run was stopped, and the revenue
 *              is the best known
 * revenue      of the winners, exact, in units of 10^-scale; upper_bound: no revenue is greater
 * winners      n_winners indices of bids, ascending
 * never        n_never bids that need not win: another bid offers no less for some of their goods
 * n_nodes      of the branch and bound; n_pivots: of its linear programs
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
 * gpube_auction() - finds the winning bids of an auction, by depth-first branch and bound with the
 * linear relaxation. Bounds come from dual solutions that are rounded to integers, so that they
 * hold exactly.
 * out     receives the result; free it with gpube_result_free()
 * opts    timeout; NULL: defaults
 * Cost:   exponential time in the worst case; memory in proportion to the goods of all bids
 * Errors: EINVAL (kind, options), ENOMEM, ERANGE (the revenue passes 64 bits), ELIMIT. A stop is no
 *         error: 'optimal' is then 0
 * Example: tests/games/test_auction.c
 */
GPUBE_API int gpube_auction(struct gpube_auction_result **out, const struct gpube_model *m,
	const struct gpube_opts *opts);

/*
 * gpube_auction_generate() - a seeded random auction, the same for the same options everywhere.
 * Prices have three decimals.
 * opts    distribution, goods, bids, seed
 * Errors: EINVAL (options; distribution matching, of which the goods are a multiple of 4), ENOMEM,
 *         ELIMIT, ESTOP
 */
GPUBE_API int gpube_auction_generate(
	struct gpube_model **out, struct gpube_ctx *ctx, const struct gpube_opts *opts);

#ifdef __cplusplus
}
#endif

#endif
