/* auction_program.h - an auction as a mixed integer program. Internal to gpube. */
#ifndef CSG_AUCTION_PROGRAM_H
#define CSG_AUCTION_PROGRAM_H

#include <stdbool.h>

#include "csg/auction.h"

/*
 * csg__auction_write_program() - the set packing program of an auction, as .lp or .mps: a binary
 * column a bid, a row a good, of which one bid at most wins, the price of the winners maximised.
 * Every digit of the prices stays.
 * lp      CPLEX's format; false: .mps in free form, its objective negated and minimised
 * Errors: EIO, ENOMEM, ESTOP
 */
int csg__auction_write_program(const struct csg_auction *a, const char *path, bool lp);

/*
 * csg__auction_same() - whether 'b' has the same bids at the same prices in the same order, of
 * which the same exclude each other, whatever the goods are called by which they do.
 * Errors: ENOMEM, ESTOP
 */
int csg__auction_same(bool *same, const struct csg_auction *a, const struct csg_auction *b);

#endif
