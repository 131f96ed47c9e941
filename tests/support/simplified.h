/* simplified.h - what must hold of any result of gpube__simplify(), in the context of context.h. */
#ifndef GPUBE_TEST_SIMPLIFIED_H
#define GPUBE_TEST_SIMPLIFIED_H

#include "gpube/simplify/simplify.h"
#include "tests/support/small_model.h"

/*
 * The same optima, costs of all assignments, kind and scale; with reductions nothing is left
 * that a rule would take away, without them the variables are the same.
 */
void check_simplified(const struct gpube_model *m, bool reductions);

/* Simplifies, and checks that it was right before the caller looks at what was done. */
struct gpube_simplified simplified(const struct gpube_model *m);

/* Frees both. */
void end(struct gpube_simplified *s, struct gpube_model *m);

#endif
