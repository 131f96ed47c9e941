/* decomposition.h - inside: what both files on tree decompositions check. */
#ifndef GPUBE_FORMATS_DECOMPOSITION_H
#define GPUBE_FORMATS_DECOMPOSITION_H

#include "formats/formats.h"

/* EINVAL: no forest, lists that run backwards, variables that the model has not. */
int gpube__check_decomposition(const struct gpube_model *m, const struct gpube_decomposition *d);

#endif
