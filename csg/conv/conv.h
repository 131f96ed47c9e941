/*
 * conv.h - method conv: where its tables are (conv_plan.c), and the ranks that share
 * its layers (layer_ranks.c). Internal.
 */
#ifndef CSG_CONV_H
#define CSG_CONV_H

#include "csg/view.h"
#include "gpube/ranks/world.h"
#include "gpube/ops/subset/subset_blocks.h"

/*
 * A layer is the convolution of one h: X and Y have h bits. It is done in pieces of
 * X and Y by their high bits: for each X the pairs (Y, X - Y) of high bits, each a
 * convolution of the low bits, of which the greatest is kept.
 *
 * Designs weighed for tables that a device cannot hold. (1) Kernels that read the
 * host's memory in place: a block is read 1.5^bits times, each time over the bus.
 * (2) The operator itself streaming its blocks: its plan would have to know of the
 * host. (3) Pieces around the operator, this one: a piece of 2^b values is sent for
 * 3^b sums, so that what is sent costs a few percent at b = 26; it serves values that
 * are converted, layers that ranks share, and devices alike.
 *
 * piece_bits  of the largest piece
 * copies      values are converted, made or sent: a piece of them has a copy
 * merges      some layer has several pieces: a piece more holds a pair's sums
 * sums_here   all sums are in the host's memory: of those at work the backend has pieces
 * tables      bytes of conv's tables in the backend's memory, its scratch included
 * there       the same with the game, if that is there; here: in the host's memory, if that
 *             is another
 */
struct csg__conv_plan {
	int piece_bits;
	bool copies, merges, sums_here;
	uint64_t tables, there, here;
};

/* Ranks that a search has: 1 without a world. */
int csg__n_ranks(const struct csg__search *s);

/* 2^csg__rank_bits() pieces of a layer can be given to ranks so that all have about as much. */
int csg__rank_bits(int n_ranks);

/* Errors: ELIMIT */
int csg__conv_plan(struct csg__conv_plan *plan, const struct csg__search *s);

/* Bits of the pieces of layer h, on n_ranks ranks. */
int csg__layer_bits(const struct csg__conv_plan *plan, int h, int n_ranks);

/* ---- ranks ------------------------------------------------------------------------------ */

/*
 * csg__agree() - before conv begins, so that all ranks end when one cannot: once in gpube_csg(),
 * with the status of this rank. Errors: as dcop_world_agree()
 */
int csg__agree(struct csg__search *s, int status);

struct csg__layer_ranks;

/*
 * csg__ranks_open() - sums: of all ranks' layers, in the host's memory. NULL, and OK, for
 * one rank. Errors: ENOMEM
 */
int csg__ranks_open(struct csg__layer_ranks **out, const struct csg__search *s, char *sums,
	size_t size, const struct csg__conv_plan *plan);
/* Begins layer h: which of its pieces are whose. Errors: ENOMEM */
int csg__ranks_begin(struct csg__layer_ranks *r, int h);
bool csg__ranks_owns(const struct csg__layer_ranks *r, uint64_t piece);
/* Sends and receives without waiting; EIO: a rank is dead; ESTOP: one has stopped. */
int csg__ranks_poll(struct csg__layer_ranks *r);
/* Ends the layer: sends what is ours, waits for what is not. As csg__ranks_poll(). */
int csg__ranks_gather(struct csg__layer_ranks *r);
/*
 * csg__ranks_close() - all calls succeeded or a rank stopped: waits until all know.
 * Other failures: leaves at once. Returns 'status', or its own if that was OK.
 */
int csg__ranks_close(struct csg__layer_ranks *r, int status);

#endif
