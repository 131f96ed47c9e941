/* reference.h - what a test's contraction ought to be: contract_ref.c's result, in the test's context. */
#ifndef TESTS_SUPPORT_REFERENCE_H
#define TESTS_SUPPORT_REFERENCE_H

#include "tests/support/shapes.h"

/*
 * Fails the test if a plan's emulation met a problem (NULL: none), or if the outputs that it left
 * in 'got' are not the reference's.
 */
void shape_expect(const struct shape *got, const char *problem, uint32_t kernel);

#endif
