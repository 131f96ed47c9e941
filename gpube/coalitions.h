/*
 * coalitions.h - models of kind GPUBE_COALITIONS: what each coalition of agents is worth. Include
 * after gpube/gpube.h, whose contexts, statuses and habits it shares. csg.h solves them.
 *
 * A variable is an agent, of value 1 in a coalition and 0 out of it. There is one function, whose
 * scope runs from the last agent down to the first, so that the number of a cell is the coalition's
 * mask: agent i (from 0) is bit i. A dense function has 2^n cells, in one of five types. A list
 * has the coalitions that are worth something of their own; all others are worth its default. What
 * is forbidden is -INFINITY, in integers the least number of the type.
 */
#ifndef GPUBE_COALITIONS_H
#define GPUBE_COALITIONS_H

#include "gpube/gpube.h"

#ifdef __cplusplus
extern "C" {
#endif

#define GPUBE_MAX_AGENTS 40

/*
 * gpube_coalitions_new() - a dense model with all values 0.
 * type    GPUBE_INT16, _INT32, _INT64, _FLOAT32 or _FLOAT64
 * Cost:   2^n_agents values of memory
 * Errors: EINVAL n_agents not in [1, GPUBE_MAX_AGENTS], type; ELIMIT more than the
 *         context's memory; ENOMEM; ESTOP
 */
GPUBE_API int gpube_coalitions_new(
	struct gpube_model **out, struct gpube_ctx *ctx, int n_agents, enum gpube_type type);

/*
 * gpube_coalitions_new_listed() - a model of n coalitions and their values, an array of the type;
 * all others are forbidden. It is dense up to 20 agents, and where a 64th of all coalitions is
 * listed; otherwise it stays a list, which takes 16 bytes a coalition.
 * Errors: as gpube_coalitions_new(); EINVAL (a coalition of none or of other agents, or one twice)
 */
GPUBE_API int gpube_coalitions_new_listed(struct gpube_model **out, struct gpube_ctx *ctx,
	int n_agents, enum gpube_type type, int64_t n, const uint64_t *coalitions,
	const void *values);

/* The type of the values; INT8: it is no such model. */
GPUBE_API enum gpube_type gpube_coalitions_type(const struct gpube_model *m);

/*
 * The 2^n values, to be filled and read: an array of the model's type, indexed by
 * mask; NULL if it is a list, or the values are on a device or not stored. Value 0 must stay 0; no
 * NaN, no +INFINITY.
 */
GPUBE_API void *gpube_coalitions_values(struct gpube_model *m);

/*
 * The value of one coalition, in units of 10^-scale; forbidden is -INFINITY. Of a list it looks at
 * all that are listed.
 */
GPUBE_API double gpube_coalitions_value(const struct gpube_model *m, uint64_t coalition);

/* ---- auctions -------------------------------------------------------------------------------- */

/*
 * An auction is such a model, too: variables are goods, and the tuples of its list are bids, of
 * which several may be on one bundle. Goods may stay unsold. Dummy goods are hidden variables, the
 * last ones: bids that share one exclude each other. Bids keep their order and have numbers.
 * auction.h solves it.
 */
#define GPUBE_MOST_GOODS 2000000

/*
 * gpube_auction_new() - a model of bids.
 * at, goods  goods of bid b: goods[at[b]] .. goods[at[b + 1] - 1], rising, of n_goods + n_dummies
 * prices     n_bids, in units of 10^-scale (gpube_model_set_scale()); bids are numbered from 0
 * Cost:      a word of 64 bits for each 64 goods of each bid
 * Errors:    EINVAL (sizes, a bid on no goods or on others, a price); ELIMIT, ENOMEM
 */
GPUBE_API int gpube_auction_new(struct gpube_model **out, struct gpube_ctx *ctx, int n_goods,
	int n_dummies, int n_bids, const int64_t *at, const int32_t *goods, const int64_t *prices);

/* How many bids it has, 0 of other models; goods are gpube_model_n_vars() with the dummies. */
GPUBE_API int gpube_auction_bids(const struct gpube_model *m);
/* The number of a bid, as its file says; -1: there is none. */
GPUBE_API int64_t gpube_auction_bid_number(const struct gpube_model *m, int bid);

#ifdef __cplusplus
}
#endif

#endif
