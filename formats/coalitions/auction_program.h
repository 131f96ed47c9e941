/* auction_program.h - an auction as a mixed integer program. Internal to formats/. */
#ifndef GPUBE_AUCTION_PROGRAM_H
#define GPUBE_AUCTION_PROGRAM_H

#include "formats/io/io.h"

/*
 * gpube__auction_write() - the set packing program of an auction, as .lp or .mps: a binary
 * column a bid, a row a good, of which one bid at most wins, the price of the winners maximised.
 * Every digit of the prices stays.
 * lp      CPLEX's format; false: .mps in free form, its objective negated and minimised
 * Errors: EIO, ENOMEM, ESTOP
 */
int gpube__auction_write(const struct gpube_model *m, struct gpube_out *out, bool lp);

/*
 * gpube__auction_check() - that what was read back, as an auction or as a program, is the same.
 * Errors: EBUG, ENOMEM, those of gpube__auction_of_costs()
 */
int gpube__auction_check(const struct gpube_model *m, const struct gpube_model *again);

#endif
