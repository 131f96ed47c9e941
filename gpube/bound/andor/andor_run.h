/* andor_run.h - the AND/OR search as a step of an ascent: see andor.h. */
#ifndef GPUBE_ANDOR_RUN_H
#define GPUBE_ANDOR_RUN_H

#include "gpube/bound/bound.h"

struct gpube_joingraph;

/*
 * gpube__andor_run() - for so many seconds at most, of a join graph of b->tables after a whole pass
 * forward that nothing came behind: b is told what is found. Where its costs are rounded nothing is
 * done.
 * Errors: ENOMEM, ESTOP, those of gpube__bounder_offer()
 */
int gpube__andor_run(struct gpube_bounder *b, const struct gpube_joingraph *g, double seconds);

#endif
