/*
 * ranks.h - the ranks among which support enumeration shares its pairs, in gpube-mpi; gpube has
 * one. Built as dcop/world.h tells: ranks_mpi.c stands for ranks_single.c there. Internal to nash/.
 */
#ifndef NASH_RANKS_H
#define NASH_RANKS_H

#include "gpube/ops/support.h"
#include "nash/nash.h"

/*
 * nash__ranks_gather() - all ranks call it: rank 0 gets what every rank has found, the others
 * nothing; n_pairs and n_unsure become sums.
 * status  of this rank; the first bad one of all ranks is returned by all
 * Errors: EIO, ENOMEM
 */
int nash__ranks_gather(struct gpube_ctx *ctx, struct gpube_support_scan *s, int status);

#endif
