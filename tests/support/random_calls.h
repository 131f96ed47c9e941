/*
 * random_calls.h - random sequences of calls, legal and not, against what a test keeps beside the
 * library's objects. A failure names its seed; GPUBE_API_SEED=S runs that one sequence alone,
 * GPUBE_API_RUNS=N so many of them.
 */
#ifndef GPUBE_TEST_RANDOM_CALLS_H
#define GPUBE_TEST_RANDOM_CALLS_H

#include <stdbool.h>

#include "gpube/base/base.h"

/* From 0 to n - 1, of the sequence's numbers. */
int below(int n);
bool one_in(int n);

/* Seldom: the next allocations of the context fail, from one on that is drawn. */
void maybe_scarce(void);
/* Ends that; whether the call in between was refused for want of memory. */
bool was_scarce(int status);

/* What main() returns: one case of 'runs' sequences, each with a context of its own in tests/support/context.h. */
int run_sequences(void (*sequence)(void), unsigned long runs);

#endif
