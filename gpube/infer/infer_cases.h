/*
 * infer_cases.h - sums by cases instead of buckets, where zeros leave few: see counting/counting.h.
 */
#ifndef GPUBE_INFER_CASES_H
#define GPUBE_INFER_CASES_H

#include "gpube/infer/counting/counting.h"
#include "gpube/options/options.h"

/* counting  NULL: buckets are as good, or the model has too few zeros */
struct gpube_cases {
	struct gpube_formula formula;
	int32_t *depth;
	struct gpube_counting *counting;
};

/*
 * After gpube__infer_begin(), before a plan; to be cleared in any case. With opts.bounds, what is
 * large and not for cases has first bounds.
 * Errors: ENOMEM, ERANGE, ESTOP
 */
int gpube__cases_begin(struct gpube_cases *s, struct gpube__inferring *j);
void gpube__cases_clear(struct gpube_cases *s);
/*
 * gpube__cases_run() - goes on until gpube__now() is 'until' (0: without end), a stop, or the sum
 * is known: then j->z and its roundings are it, and *done is true. Otherwise j's bounds are better,
 * and said. 'last': they are made as good as they can be.
 * Errors: ENOMEM
 */
int gpube__cases_run(
	struct gpube_cases *s, struct gpube__inferring *j, double until, bool last, bool *done);

#endif
