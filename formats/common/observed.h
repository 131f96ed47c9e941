/* observed.h - evidence as functions. Internal to formats/. */
#ifndef GPUBE_OBSERVED_H
#define GPUBE_OBSERVED_H

#include "gpube/ir/model.h"

/*
 * gpube__observed_view() - the model with its evidence turned into unary
 * functions, for a .uai with no place for a .evid. Everything else is m's, which
 * must outlive the view.
 * Errors: ENOMEM (nothing to clear)
 */
int gpube__observed_view(struct gpube_model *view, const struct gpube_model *m);
void gpube__observed_clear(struct gpube_model *view, const struct gpube_model *m);

#endif
