/* conditional.h - tables of conditional probabilities. Internal to formats/. */
#ifndef GPUBE_CONDITIONAL_H
#define GPUBE_CONDITIONAL_H

#include "gpube/ir/model.h"

/*
 * gpube__note_rows() - a note, with the worst one, if rows of a Bayesian network do not add up to
 * 1: they are kept as they are, so that sums and marginals are not those of a distribution.
 * What rounding may do is let pass: half of the sixth decimal, with which programs print by
 * default, for each of a row's values, and no less than 1e-6.
 * path    for the note
 * Errors: ESTOP
 */
int gpube__note_rows(const struct gpube_model *m, const char *path);

/* Whether every row of a dense table over its last variable adds up to 1, as nearly as that. */
bool gpube__is_conditional(const struct gpube_model *m, int32_t function);

#endif
