/*
 * regrets.h - small models whose totals lie too far apart for ascents and mini-buckets, in place of
 * which elimination in 128 bits (narrow.h) shifts their costs.
 *
 * It leaves the optimum as the constant and one table a variable, nowhere negative: what each value
 * costs more than the best one. All totals stay what they are. A cell that no assignment below the
 * limit uses is forbidden, and all others are at most how far totals are apart: what fits 63 bits
 * has such tables.
 */
#ifndef GPUBE_REGRETS_H
#define GPUBE_REGRETS_H

#include "gpube/ir/model.h"

/*
 * gpube__add_regrets() - to a model that has the given one's variables, and is minimised.
 * limit     assignments that cost this and more, or the top of 'm', may be forbidden; GPUBE_INF:
 *           none
 * given     an order of all variables, or NULL
 * order     out, may be NULL: in which the tables were made, the first eliminated first
 * feasible  out: false: nothing is below the limit, and a constant forbids everything
 * Errors: ERANGE (the optimum leaves 64 bits, totals below the limit are 2^63 apart), ELIMIT (too
 *         large for this), ENOMEM, ESTOP
 */
int gpube__add_regrets(struct gpube_model *to, const struct gpube_model *m, int64_t limit,
	const int32_t *given, int32_t *order, bool *feasible);

/*
 * The greatest total of what a minimised model does not forbid, whatever its top is. Errors:
 * ELIMIT, ENOMEM, ESTOP
 */
int gpube__greatest_total(__int128 *total, const struct gpube_model *m);

#endif
