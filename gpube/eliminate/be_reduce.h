/*
 * be_reduce.h - a box simplified by itself, under the incumbent when it begins. A fixed value
 * removes other values and variables, whose functions then meet in smaller tables. Half of the
 * joined cells may go.
 *
 * Its assignments below the incumbent are those of the box, in the same order, so that the first
 * optimal one is the same, and so is the number of optima.
 */
#ifndef GPUBE_BE_REDUCE_H
#define GPUBE_BE_REDUCE_H

#include "gpube/eliminate/be_boxes.h"
#include "gpube/simplify/simplify.h"

/* Zeroed: nothing to clear. */
struct gpube__reduced {
	struct gpube_simplified s; /* infeasible: the box has nothing below its top */
	int32_t *order;
	struct gpube_be be; /* along the remaining variables of the order */
};

/*
 * gpube__box_reduce() - simplifies the box that is set, under its model's top.
 * Errors: ENOMEM, ESTOP; ERANGE (totals too far apart to be simplified: the box is taken as it is)
 */
int gpube__box_reduce(struct gpube__reduced *out, const struct gpube_box *box);
void gpube__reduced_clear(struct gpube__reduced *r, struct gpube_ctx *ctx);

#endif
