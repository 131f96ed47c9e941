/* options.h - what options of gpube_solve(), gpube_infer() and others have in common, checked. */
#ifndef GPUBE_IR_OPTIONS_H
#define GPUBE_IR_OPTIONS_H

#include "gpube/ir/model.h"

/* As in struct gpube_solve_opts. */
struct gpube__engine_opts {
	int order_method;
	const int32_t *order;
	double order_seconds, timeout_seconds;
	int backend, precision;
};

/*
 * EINVAL if one of them is out of its documented range, or the model neither of costs nor of
 * potentials; nothing else has been done then.
 */
int gpube__check_engine(const struct gpube_model *m, const struct gpube__engine_opts *o);
/* The same of a cutoff and of a known assignment, which may be NULL. */
int gpube__check_known(
	const struct gpube_model *m, const int32_t *values, int has_cutoff, int64_t cutoff);

#endif
