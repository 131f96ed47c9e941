/*
 * symmetry.h - values that may change places: all colours of a colouring, both spins where no field
 * is.
 *
 * Where every function of a component costs the same under each permutation of the values, of all
 * variables at once, an assignment can be renamed so that any variable has value 0, any other one 0
 * or 1, a third 0 to 2 ...: by the values in the order in which these variables have them first. So
 * of d values the k-th variable keeps k, and nothing is lost but assignments that are others under
 * new names. The variables are those that have most to do with each other, whose functions then
 * leave them less: of a clique of d - 1 nothing is left to choose.
 *
 * Designs weighed. (1) Each node of a search tree tries one of the values that no decision has
 * named: up to d! times fewer nodes instead of some part of it, and every open node would have to
 * know the names. (2) The model itself without these values: elimination gains, too,
 * but a local search has fewer colourings to find, and finds none where it did
 * (DSJC125.1_5: 0.06 s to 0.4). (3) The root of the search tree without them: this one.
 */
#ifndef GPUBE_SYMMETRY_H
#define GPUBE_SYMMETRY_H

#include "gpube/ir/model.h"

/*
 * gpube__find_symmetry() - which values may be left out.
 * bits    out: by how many there are fewer assignments; 0: every value counts
 * n_kept  out: n_vars numbers; a variable's first so many values are enough
 * Errors: ENOMEM
 */
int gpube__find_symmetry(double *bits, int32_t *n_kept, const struct gpube_model *m);

#endif
