/* andor_run.h - the AND/OR search as a step of an ascent: see andor.h. */
#ifndef GPUBE_ANDOR_RUN_H
#define GPUBE_ANDOR_RUN_H

#include "gpube/bound/bound.h"

struct gpube_andor;
struct gpube_joingraph;

/* A search that a later turn on the same tables may continue; zero: none. */
struct gpube_andor_run {
	struct gpube_andor *a;
	int64_t part;                 /* the budget is 1 / part of the gap */
	double worked;                /* seconds of it */
	struct gpube_bounder *shared; /* other ranks share a; or NULL */
};

/*
 * gpube__andor_run() - searches for so many seconds of work on a join graph of b->tables after a
 * whole forward pass, and reports to b. It does nothing where costs are rounded too far.
 * run     in, out: the search that an earlier call on the same tables left; none once it has ended
 * Errors: ENOMEM, ESTOP, those of gpube__bounder_report_incumbent()
 */
int gpube__andor_run(struct gpube_bounder *b, const struct gpube_joingraph *g, double seconds,
	struct gpube_andor_run *run);
void gpube__andor_run_clear(struct gpube_andor_run *run);

/*
 * gpube__put_andor_run() - the search as numbers, or that there is none: where it is, and of what
 *                          it has cached those results that took most nodes.
 * gpube__get_andor_run() - back, for gpube__andor_run() on the same graph; what is of other tables
 *                          is dropped, and begins anew. Errors: EPARSE, ENOMEM
 */
struct gpube__bytes;
void gpube__put_andor_run(struct gpube__bytes *to, const struct gpube_andor_run *run);
int gpube__get_andor_run(struct gpube_andor_run *run, struct gpube_bounder *b,
	const struct gpube_joingraph *g, struct gpube__bytes *from);

#endif
