/*
 * deal.h - the work of one command dealt to the ranks of gpube-mpi.
 *
 *   hand.c        the thread of a rank that works
 *   letters.c     what ranks write each other, and how they begin, stop and end
 *   part.c        a part of a model of costs, and how it is split
 *   part_solve.c  the engine on a part, and what is known of it meanwhile
 *   deal_parts.c  the parts that rank 0 deals
 *   deal_solve.c  gpube__deal_solve()
 *   deal_infer.c  gpube__deal_infer()
 *
 * Designs weighed for solve. (1) Parts that are fixed before the work begins: their number would
 * have to be large for a balance, and a model that ends in a moment would have none. (2) One search
 * tree whose open nodes travel: trees are one of ten stages of the engine, which differ in what a
 * node of theirs is. (3) This one: a part is the model with some values of some variables, on which
 * any stage works, and the engine need not know that there are ranks. Rank 0 has the whole until
 * the end: parts may be as hard as it, or have a method that takes the whole in one go (of a random
 * network of 26 variables one proves the whole in the time of two of its four parts), and then
 * ranks take no longer than one rank. To stop it for the last parts would bring little, and once
 * took four times as long: those may be the hardest, and the whole nearly done. Where other ranks
 * have nothing to do, the part that is longest at work is stopped and split, at the price of what
 * was found out of it but its bound and its best assignment. It waits the longer for that the
 * deeper it lies, so that the price stays a part of the work.
 */
#ifndef GPUBE_DEAL_H
#define GPUBE_DEAL_H

#include "gpube/sums.h"
#include "gpube/options/options.h"
#include "gpube/ranks/world.h"

/*
 * gpube__deal_solve() - gpube_solve() by all ranks, which call it with the same model and options.
 * out     of rank 0: as of gpube_solve(); of others NULL, and OK
 * Errors: as gpube_solve(); EINVAL (count); EIO (a rank is dead)
 */
int gpube__deal_solve(struct gpube_solution **out, const struct gpube_model *m,
	const struct gpube_opts *opts, struct dcop_world *world);

/*
 * gpube__deal_infer() - gpube_infer() by all ranks, which call it with the same model and options.
 * Rank 0 does all but slices. How many those are is no matter of ranks, and they are added in their
 * order, so that any number of ranks gives the same digits, as long as processors, --threads of
 * rank 0 and memory are the same.
 * out     of rank 0: as of gpube_infer(); of others NULL, and OK
 * Errors: as gpube_infer(); EIO (a rank is dead)
 */
int gpube__deal_infer(struct gpube_inference **out, const struct gpube_model *m,
	const struct gpube_opts *opts, struct dcop_world *world);

#endif
