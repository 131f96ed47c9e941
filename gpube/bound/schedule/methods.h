/*
 * methods.h - the methods of gpube_solve() and gpube_bound(), each as the schedule has it
 * (schedule.h), and their shares of a round by class of model.
 */
#ifndef GPUBE_METHODS_H
#define GPUBE_METHODS_H

#include "gpube/bound/schedule/features.h"
#include "gpube/bound/schedule/schedule.h"

/*
 * Every method, in the order in which a round takes them: how --method, reports and -v call it, and
 * the function that describes it in methods.c.
 */
#define GPUBE__METHODS(X)                                                                          \
	X(sat)                                                                                     \
	X(order)                                                                                   \
	X(arc)                                                                                     \
	X(eliminate)                                                                               \
	X(search)                                                                                  \
	X(pairwise)                                                                                \
	X(tree)                                                                                    \
	X(deepening)                                                                               \
	X(andor)                                                                                   \
	X(joins)                                                                                   \
	X(nested)                                                                                  \
	X(mbe)

enum gpube__method_at {
#define X(name) GPUBE__METHOD_##name,
	GPUBE__METHODS(X)
#undef X
		GPUBE__N_METHODS
};

extern const struct gpube__method *const gpube__methods[GPUBE__N_METHODS];

/* Of a round, in hundredths. */
extern const unsigned char gpube__shares[GPUBE__N_CLASSES][GPUBE__N_METHODS];

/*
 * What the schedule knows is a bounder: by the methods of its options, until the bounds meet, and
 * then the number of optima where it is asked for.
 * Errors: ESTOP, ENOMEM, EBUG; what gives way is told
 */
int gpube__bound_scheduled(struct gpube_bounder *b);

#endif
