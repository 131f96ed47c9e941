/* andor_run.h - the AND/OR search as a step of an ascent: see andor.h. */
#ifndef GPUBE_ANDOR_RUN_H
#define GPUBE_ANDOR_RUN_H

#include "gpube/bound/bound.h"

struct gpube_andor;
struct gpube_joingraph;

/* A search that may go on in a later turn, on the same tables; zeroed: none. */
struct gpube_andor_run {
	struct gpube_andor *a;
	int64_t part; /* it is asked for what costs less than 1 / part of what is missing */
};

/*
 * gpube__andor_run() - for so many seconds of work at most, of a join graph of b->tables after a
 * whole pass forward that nothing came behind: b is told what is found. Where its costs are rounded
 * too far nothing is done.
 * run     in, out: what an earlier call on the same tables left, and what this one leaves: none,
 *         once it has ended
 * Errors: ENOMEM, ESTOP, those of gpube__bounder_offer()
 */
int gpube__andor_run(struct gpube_bounder *b, const struct gpube_joingraph *g, double seconds,
	struct gpube_andor_run *run);
void gpube__andor_run_clear(struct gpube_andor_run *run);

#endif
