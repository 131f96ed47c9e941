/*
 * be_reduce.h - a box simplified by itself, under the best total known when it begins: a value that
 * is given takes others with it, and variables, whose functions then meet in smaller tables. Half
 * of the joined cells may go (runs/measured-2c).
 *
 * Its assignments of less than that total are those of the box, in the same order, so that the
 * first of the best ones is the same, and so is their number.
 */
#ifndef GPUBE_BE_REDUCE_H
#define GPUBE_BE_REDUCE_H

#include "gpube/eliminate/be_boxes.h"
#include "gpube/simplify/simplify.h"

/* Zeroed: nothing to clear. */
struct gpube__reduced {
	struct gpube_simplified s; /* infeasible: nothing in the box is below its model's top */
	int32_t *order;
	struct gpube_be be; /* along what is left of the boxes' order */
};

/*
 * gpube__box_reduce() - the box that is set, under its model's top.
 * Errors: ENOMEM, ESTOP; ERANGE (totals too far apart to be simplified: the box is taken as it is)
 */
int gpube__box_reduce(struct gpube__reduced *out, const struct gpube_box *box);
void gpube__reduced_clear(struct gpube__reduced *r, struct gpube_ctx *ctx);

#endif
