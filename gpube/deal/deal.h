/*
 * deal.h - the work of one command dealt to the ranks of gpube-mpi.
 *
 *   hand.c        the thread of a rank that works
 *   letters.c     what ranks write each other, and how they begin, stop and end
 *   deal_solve.c  gpube__deal_solve(), and rank 0 of it
 *   guests.c      the other ranks of it
 *   solo.c        a method that one of them works at by itself
 *   findings.c    what any of them has found and proved
 *   deal_infer.c  gpube__deal_infer()
 *
 * solve: rank 0 runs all methods as it would alone. Once one whose work is shared
 * (bound/sharing/shared.h) has been at work for a moment, it sends the others its root, once and
 * packed. Of a search tree that is the simplified and the reparametrised model, the order and the
 * best assignment, and from then on rank 0 lends open nodes; so it does of cases of relations. Of
 * an AND/OR search it is the tables; all ranks search all of it, and rank 0 hands on what each of
 * them tells (andor/andor_far.c). The others have a guest of each such method, and work on the one
 * that rank 0 works on, or on another.
 *
 * A rank with nodes of a tree searches what it has, with its own frontier and threads; it sends
 * better assignments at once, and its least bound now and then. Where somebody has nothing to do,
 * those who have nodes give some back, those that they would take next; all nodes go by rank 0,
 * which keeps each one that it has lent until it is told that it is closed. So the bound is the
 * least of all that is open, held or lent; a rank without memory, or one that is dead, loses
 * nothing; and a checkpoint has all. What the ranks close together ends the run, whatever rank 0 is
 * at. A thread of each rank that has nothing to say sleeps.
 *
 * A turn that is shared has the ticks that it has on one rank, of all ranks together, so that it is
 * the shorter the more there are. Turns of rank 0 that are not shared would leave the others idle:
 * each has a method that it works at by itself, from the model on, whose proof is everybody's
 * (solo.h).
 *
 * Designs weighed. (1) Parts of the model, on each of which any method works anew: two ranks took
 * hardly less than one, and 16 were 2 times as fast, since each part repeats what the others do
 * (until November 2026). (2) Ranks that steal from each other: no hub, but the end needs a protocol
 * of its own, and a node whose owner dies is lost, unless everybody keeps what he has given. (3)
 * This one: a hub sees the end and the bound, and its messages are few, since a node that travels
 * stands for a tree; benchmarks/scale.py simulates thousands of ranks.
 */
#ifndef GPUBE_DEAL_H
#define GPUBE_DEAL_H

#include "gpube/sums.h"
#include "gpube/options/options.h"
#include "gpube/ranks/world.h"

/*
 * gpube__deal_solve() - gpube_solve() by all ranks, which call it with the same model and options.
 * out     of rank 0: as of gpube_solve(); of others NULL, and OK
 * Rank 0 alone writes a checkpoint and resumes one.
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
