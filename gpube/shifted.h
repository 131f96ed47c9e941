/*
 * shifted.h - the shifted model: what cost shifting leaves of a model, which a
 * search tool can take in the model's place.
 *
 * The same variables and values as the given model, minimised: a constant,
 * which is the proved bound, and tables that are nowhere negative. Every
 * assignment that costs less than the limit of the bounds costs the same in
 * both; every other one reaches top in both, or is forbidden in the shifted
 * model. Exact: integers in units of 2^-shift of the given model's.
 *
 * Pruning with integers: nothing better than a known total T is left as soon as
 * a bound in shifted units passes (T - 1) << shift, so that is the upper bound
 * to hand over, plus one.
 */
#ifndef GPUBE_SHIFTED_H
#define GPUBE_SHIFTED_H

#include "gpube/clusters.h"

/*
 * model     kind COSTS, GPUBE_MINIMISE, the given model's variables and names,
 *           scale 0 (the unit is 2^-shift of 10^-decimals); constant: the bound;
 *           top: the limit (best known total or cutoff), GPUBE_INF: none.
 *           Forbidden cells are GPUBE_INF; a removed value is forbidden by its
 *           unary function, its cells elsewhere are 0; sparse where most are 0
 * negated   the given model maximises: costs are those of its negation
 * decimals  of the given model's costs
 * n_wide    functions of three or more variables that clusters left behind
 */
struct gpube_shifted {
	struct gpube_model *model;
	int shift;
	bool negated;
	int decimals;
	int32_t n_wide;
};

/*
 * gpube__bound_shifted() - gpube_bound(), and the shifted model of the last
 * state of the ascent (method AUTO runs clusters alone; MBE shifts nothing that
 * lasts: EINVAL).
 * bounds   out; when answer is not INCOMPLETE, or simplification alone decides,
 *          shifted->model may be NULL: there is nothing left to search
 * Errors: as gpube_bound(); *shifted is then zero
 */
int gpube__bound_shifted(struct gpube_bounds **bounds, struct gpube_shifted *shifted,
	const struct gpube_model *m, const struct gpube_bound_opts *opts);
void gpube__shifted_clear(struct gpube_shifted *shifted);

/*
 * gpube__shifted_of() - the shifted model of an ascent's state.
 * s       the simplified model that 'c' was made of, and its way back
 * given   the costs model that was simplified
 * Errors: ENOMEM, ELIMIT (a function of more than 64 variables)
 */
int gpube__shifted_of(struct gpube_shifted *out, const struct gpube_clusters *c,
	const struct gpube_simplified *s, const struct gpube_model *given, int64_t limit);

#endif
