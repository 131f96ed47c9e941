/*
 * features.h - what a schedule asks of a model: its kind, by numbers that are known after
 * simplification and a first order, and what of them changes while it is solved.
 */
#ifndef GPUBE_FEATURES_H
#define GPUBE_FEATURES_H

#include "gpube/bound/bounder.h"

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

#endif
