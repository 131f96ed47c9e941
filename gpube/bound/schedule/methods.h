/*
 * methods.h - the methods of gpube_solve() and gpube_bound(), each as the schedule has it
 * (schedule.h), and their shares of a round by class of model.
 */
#ifndef GPUBE_METHODS_H
#define GPUBE_METHODS_H

#include "gpube/bound/bounder.h"
#include "gpube/bound/schedule/schedule.h"

/*
 * Classes of models, each with shares of its own. Narrow: the order's width is so small that
 * elimination may end, along a better order at least; ternary: its functions have about three
 * variables, or more, so that pairwise-consistent subproblems say little that they do not. Dense:
 * the width is about as large as the number of variables. Wide: domains of eight values and more,
 * in the geometric mean. Card: an ascent on nested regions is at work on one. Hard: every cost
 * forbids.
 */
enum gpube__class {
	GPUBE__CLASS_NARROW,
	GPUBE__CLASS_NARROW_TERNARY,
	GPUBE__CLASS_SPARSE,
	GPUBE__CLASS_DENSE,
	GPUBE__CLASS_WIDE,
	GPUBE__CLASS_CARD,
	GPUBE__CLASS_HARD,
	GPUBE__N_CLASSES
};

/* How reports call a class. */
extern const char *const gpube__class_names[GPUBE__N_CLASSES];

/* b has an order. */
enum gpube__class gpube__class_of(const struct gpube_bounder *b);

/* Ticks of elimination along b's order, about; more where its tables do not fit the memory. */
double gpube__eliminating_ticks(const struct gpube_bounder *b);

/*
 * Every method, in the order in which a round takes them: how --method, reports and -v call it.
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
	X(mbe)                                                                                     \
	X(semidefinite)                                                                            \
	X(linear)

enum gpube__method_at {
#define X(name) GPUBE__METHOD_##name,
	GPUBE__METHODS(X)
#undef X
		GPUBE__N_METHODS
};

/* Of a round, in hundredths. */
extern const unsigned char gpube__shares[GPUBE__N_CLASSES][GPUBE__N_METHODS];

/*
 * What the schedule knows is a bounder: by the methods of its options, until the bounds meet, and
 * then the number of optima where it is asked for.
 * Errors: ESTOP, ENOMEM, EBUG; what gives way is told
 */
int gpube__bound_scheduled(struct gpube_bounder *b);

#endif
