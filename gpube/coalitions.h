/*
 * coalitions.h - coalition games and auctions: models of kind GPUBE_COALITIONS. Public; include
 * after gpube/gpube.h, whose conventions hold. csg.h finds an optimal coalition structure, and
 * auction.h the winning bids.
 *
 * A coalition game gives each coalition of n agents a value. A coalition is written as a mask, in
 * which agent i (from 0) is bit i. The model has a variable for each agent, with value 1 in the
 * coalition and 0 outside of it, and one function, whose scope runs from the last agent to the
 * first. So the index of a cell of the function is the mask of its coalition.
 *
 * The function is dense or a list. A dense one has 2^n values of type int16, int32, int64, float32
 * or float64. A list has some coalitions and their values, and all others have its default value.
 * The value of a forbidden coalition is -INFINITY, or of an integer type the least number of the
 * type. The empty coalition has value 0.
 */
#ifndef GPUBE_COALITIONS_H
#define GPUBE_COALITIONS_H

#include "gpube/gpube.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The most agents of a coalition game. */
#define GPUBE_MAX_AGENTS 40

/*
 * gpube_coalitions_new() - a dense coalition game in which every coalition is worth 0. Fill in the
 * values by gpube_coalitions_values().
 * out       receives the game; free it with gpube_model_free()
 * n_agents  1 to GPUBE_MAX_AGENTS
 * type      of the values: GPUBE_INT16, _INT32, _INT64, _FLOAT32 or _FLOAT64
 * Cost:   memory of 2^n_agents values
 * Errors: EINVAL (n_agents, type); ELIMIT (the values take more than the context's memory); ENOMEM,
 *         ESTOP: *out is NULL
 */
GPUBE_API int gpube_coalitions_new(
	struct gpube_model **out, struct gpube_ctx *ctx, int n_agents, enum gpube_type type);

/*
 * gpube_coalitions_new_listed() - a coalition game of the coalitions that are listed. All others
 * are forbidden.
 * out         receives the game; free it with gpube_model_free()
 * n_agents    1 to GPUBE_MAX_AGENTS
 * type        of the values, as for gpube_coalitions_new()
 * n           how many coalitions are listed
 * coalitions  n masks, in any order, none of them 0 and none twice; they are copied
 * values      an array of n values of that type, in the same order; they are copied
 * Cost:   up to 20 agents, and where at least a 64th of all coalitions is listed, the memory of
 *         gpube_coalitions_new(); otherwise the game stays a list, of 16 bytes for each coalition
 * Errors: those of gpube_coalitions_new(); EINVAL (a mask that is 0, has other agents, or is
 *         listed twice): *out is NULL
 */
GPUBE_API int gpube_coalitions_new_listed(struct gpube_model **out, struct gpube_ctx *ctx,
	int n_agents, enum gpube_type type, int64_t n, const uint64_t *coalitions,
	const void *values);

/* The type of the values of a coalition game; GPUBE_INT8 of every other model. */
GPUBE_API enum gpube_type gpube_coalitions_type(const struct gpube_model *m);

/*
 * gpube_coalitions_values() - the 2^n values of a dense game, to be read and filled in: an array of
 * gpube_coalitions_type(), indexed by mask. The values are those of the model, in units of
 * 10^-scale, and valid as long as it is. The value of mask 0 has to stay 0, and NaN and +INFINITY
 * are not allowed. NULL: the game is a list, or its values are on a GPU or are made when needed.
 */
GPUBE_API void *gpube_coalitions_values(struct gpube_model *m);

/*
 * gpube_coalitions_value() - the value of one coalition, in units of 10^-scale; -INFINITY of a
 * forbidden one. A value of 64 bits is rounded to a double.
 * Cost: of a dense game constant; of a list, one pass over all coalitions that are listed
 */
GPUBE_API double gpube_coalitions_value(const struct gpube_model *m, uint64_t coalition);

/* ---- auctions -------------------------------------------------------------------------------- */

/*
 * A combinatorial auction is a model of the same kind. Its variables are goods, and its list has
 * bids instead of coalitions: a bid is on a bundle of goods, at a price. Several bids may be on the
 * same bundle, and goods may stay unsold. Bids that share a dummy good exclude each other, although
 * they share no real one. Dummy goods are the last variables, and hidden. Bids keep their order.
 */
/* The most goods, dummy goods included, and the most bids. */
#define GPUBE_MOST_GOODS 2000000

/*
 * gpube_auction_new() - an auction of bids, numbered from 0 in their order.
 * out        receives the auction; free it with gpube_model_free()
 * n_goods    how many real goods there are: goods 0 to n_goods - 1
 * n_dummies  how many dummy goods: the next numbers
 * at, goods  bid b is on the goods goods[at[b]] to goods[at[b + 1] - 1], in rising order. at has
 *            n_bids + 1 numbers. Both are copied
 * prices     of each bid, above -2^63 + 1, in units of 10^-scale: gpube_model_set_scale() sets
 *            the scale, 0 at first. They are copied
 * Cost:   8 bytes for each bid and each 64 goods, begun ones included
 * Errors: EINVAL (a size below 0 or above GPUBE_MOST_GOODS; a bid on no goods, on goods that are
 *         not rising or not there; a price); ELIMIT (it takes more than the context's memory);
 *         ENOMEM: *out is NULL
 */
GPUBE_API int gpube_auction_new(struct gpube_model **out, struct gpube_ctx *ctx, int n_goods,
	int n_dummies, int n_bids, const int64_t *at, const int32_t *goods, const int64_t *prices);

/*
 * How many bids an auction has; 0 of every other model. Its goods, dummy goods included, are
 * gpube_model_n_vars() in number.
 */
GPUBE_API int gpube_auction_bids(const struct gpube_model *m);
/*
 * The number that the file gives a bid; of gpube_auction_new() its place.
 * bid  the place, from 0
 * Returns -1 where there is no such bid
 */
GPUBE_API int64_t gpube_auction_bid_number(const struct gpube_model *m, int bid);

#ifdef __cplusplus
}
#endif

#endif
