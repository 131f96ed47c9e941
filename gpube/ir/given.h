/* given.h - the options of a call on a model, checked against the model. */
#ifndef GPUBE_IR_GIVEN_H
#define GPUBE_IR_GIVEN_H

#include "gpube/ir/model.h"
#include "gpube/options/options.h"

/*
 * gpube__call() - what calls on a model that make a result begin with: *(T **)out becomes NULL, and
 * the model that of the options' context, for which 'view' has room (gpube__on_own()).
 * Errors: EINVAL (out or *m is NULL)
 */
int gpube__call(void *out, struct gpube_model *view, const struct gpube_model **m,
	const struct gpube_opts *opts);

/*
 * gpube__opts_for() - as gpube__opts_take(), for a call on a model: totals are in its units, an
 * order is a permutation of its variables, a known assignment has values of theirs.
 * Errors: EINVAL (also of a model neither of costs nor of potentials): nothing else has been done
 */
int gpube__opts_for(struct gpube_opts *to, const struct gpube_model *m,
	const struct gpube_opts *from, int call);

#endif
