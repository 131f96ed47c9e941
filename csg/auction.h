/*
 * auction.h - winner determination: bids on sets of goods, wanted are disjoint
 * ones of the greatest total price. Include after gpube/gpube.h. (Auctions with a
 * bid for every bundle are coalition games: gpube_csg() of csg.h.)
 */
#ifndef CSG_AUCTION_H
#define CSG_AUCTION_H

#include "gpube/gpube.h"

#ifdef __cplusplus
extern "C" {
#endif

struct csg_auction;

/*
 * csg_auction_read() - a CATS file: '%' lines, goods N, bids M, dummy D, then for
 * each bid: id price good … #. Goods from N on are dummy goods: bids that share
 * one exclude each other.
 * Errors: EIO, EPARSE, EINVAL (something else: the text says what), ENOMEM, ERANGE (a price, or its
 *         digits with those of others, pass 64 bits)
 */
GPUBE_API int csg_auction_read(struct csg_auction **out, struct gpube_ctx *ctx, const char *path);
GPUBE_API void csg_auction_free(struct csg_auction *a);

GPUBE_API int csg_auction_goods(const struct csg_auction *a); /* without dummies */
GPUBE_API int csg_auction_bids(const struct csg_auction *a);
GPUBE_API int64_t csg_auction_bid_id(const struct csg_auction *a, int bid);

struct csg_auction_opts {
	size_t sizeof_options;
	double timeout_seconds;
};

/*
 * optimal      proved; otherwise stopped: revenue is the best known
 * revenue, upper_bound  units of 10^-scale, exact
 * winners      n_winners indices of bids, rising
 * never        n_never bids that some cheaper way always beats: a bid on a subset of
 *              the goods at no lower price
 */
struct csg_auction_result {
	int optimal;
	int64_t revenue, upper_bound;
	int scale;
	int n_winners, n_never;
	int *winners, *never;
	int64_t n_nodes, n_pivots;
	double seconds;
};

/*
 * csg_auction_solve() - linear bound, depth-first branch and bound. Every bound that
 * prunes is taken from rounded duals in integers.
 * Errors: ENOMEM, ERANGE (the revenue passes 64 bits), ELIMIT
 */
GPUBE_API int csg_auction_solve(struct csg_auction_result **out, const struct csg_auction *a,
	const struct csg_auction_opts *opts);
GPUBE_API void csg_auction_result_free(struct csg_auction_result *r, struct gpube_ctx *ctx);

/*
 * csg_auction_model() - the auction as a model of costs to be maximised, one assignment a set of
 * winners: a variable of two values a bid, or a variable a good, whose value is the bid that wins
 * it, whichever is eliminated with fewer cells.
 * Errors: ELIMIT (more than 2^26 cells either way), ERANGE, ENOMEM, ESTOP
 */
GPUBE_API int csg_auction_model(struct gpube_model **out, const struct csg_auction *a);

/*
 * csg_auction_from_model() - a model of costs of the form that csg_auction_model() gives, or a
 * mixture of both, as an auction. Value 0 of a variable wins nothing. Functions of one variable are
 * prices: by how much the total gets better than with value 0. Those of two allow or forbid pairs:
 * values that each forbid all but the other one are parts of one bid, others exclude each other.
 * Those of more variables, of two values each, let at most one of them have its second value, as
 * the rows of a set packing program do.
 * Bids are numbered as their names say ("bid7"), otherwise from 0 as they come. The optimum of the
 * model is that of value 0 everywhere, bettered by the revenue.
 * Cost:   the cells of the functions, and n_bids^2 / 4 bytes
 * Errors: EINVAL (another form: the text says what; a top that forbids more than pairs do), ELIMIT,
 *         ERANGE (a price), ENOMEM, ESTOP
 */
GPUBE_API int csg_auction_from_model(struct csg_auction **out, const struct gpube_model *m);

/* Number k of the random distributions, NULL past the last. */
GPUBE_API const char *csg_auction_distribution(int k);

/*
 * csg_auction_generate() - a seeded random auction, as a CATS file.
 * Errors: EINVAL no such distribution, sizes (of matching: goods are not times 4); EIO, ENOMEM,
 *         ESTOP
 */
GPUBE_API int csg_auction_generate(struct gpube_ctx *ctx, const char *path,
	const char *distribution, int n_goods, int n_bids, uint64_t seed);

#ifdef __cplusplus
}
#endif

#endif
