/*
 * best.h - the best assignments of a model: a search whose nodes have the bounds of a heuristic, which
 * are exact where the elimination fits the memory. Then every node leads to an assignment.
 */
#ifndef GPUBE_BEST_H
#define GPUBE_BEST_H

#include <stdbool.h>

#include "gpube/gpube.h"

/*
 * limit     none is worse: a total in the model's direction, units of 10^-scale; if 'limited'
 * most      so many are kept, >= 1, the best ones
 * precision of potentials, as in gpube_solve_opts
 * ibound    most variables of a message; 0: as many as fit
 * order     n_vars, eliminated first in front; NULL: one is found
 */
struct gpube_best_opts {
	int64_t limit, most;
	bool limited;
	int precision, ibound;
	const int32_t *order;
	double order_seconds;
	uint64_t seed;
	enum gpube_backend backend;
};

/*
 * n       assignments, the best in front; of equal costs that with the smaller values
 * costs   n, units of 10^-scale; of potentials -ln
 * values  n rows of n_vars
 * more    others are within the limit
 */
struct gpube_best {
	int64_t n, n_vars;
	int64_t *costs;
	int32_t *values;
	int scale;
	bool more;
};

/*
 * gpube__best() - the best assignments; clear them with gpube__best_clear() in any case.
 * Cost:   that of gpube_heuristic_new(), and with exact bounds O(n_vars) nodes for an assignment
 * Errors: as gpube_heuristic_new(); ELIMIT: they do not fit the memory; ESTOP: 'b' has what was found so far
 */
int gpube__best(struct gpube_best *b, const struct gpube_model *m, const struct gpube_best_opts *opts);
void gpube__best_clear(struct gpube_best *b, struct gpube_ctx *ctx);

#endif
