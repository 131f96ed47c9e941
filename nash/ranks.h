/*
 * ranks.h - the ranks of gpube-mpi (gpube/ranks/world.h), among which support enumeration shares
 * its pairs. Internal to nash/.
 */
#ifndef NASH_RANKS_H
#define NASH_RANKS_H

#include "gpube/ranks/world.h"
#include "gpube/ops/support/support.h"

struct nash_ranks;

/* NULL where there is one rank. Errors: ENOMEM */
int nash__ranks_open(struct nash_ranks **out, struct gpube_ctx *ctx, struct dcop_world *world);
void nash__ranks_close(struct nash_ranks *r);
/*
 * nash__ranks_poll() - often, from the thread that made the ranks: says that this one lives.
 * ranks  a struct nash_ranks
 * Errors: EIO (a rank is dead)
 */
int nash__ranks_poll(void *ranks);
/*
 * nash__ranks_gather() - all ranks call it: rank 0 gets what every rank has found, the others
 * nothing; n_pairs and n_unsure become sums.
 * status  of this rank, OK or ESTOP; ESTOP of any rank is rank 0's
 * Errors: EIO (a rank is dead), ENOMEM
 */
int nash__ranks_gather(struct nash_ranks *r, struct gpube_support_scan *s, int status);

#endif
