/* at_most_one.h - which functions are rows of a set packing program. Internal to forms/. */
#ifndef GPUBE_AT_MOST_ONE_H
#define GPUBE_AT_MOST_ONE_H

#include "gpube/ir/model.h"

/*
 * gpube__at_most_one() - whether function f, over variables of two values, allows that at most one
 * of them has the second one, and all that is allowed costs the same.
 * even  out: that
 */
bool gpube__at_most_one(const struct gpube_model *m, int32_t f, int64_t *even);

#endif
