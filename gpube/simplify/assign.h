/*
 * assign.h - variables that all differ and have as many values as they are: the assignment problem
 * of their unary costs, whose optimal duals are integers. u of a variable and v of a value, taken
 * from the variable's costs, leave costs that are not negative and of which an assignment costs 0;
 * their sum is in the constant. Each variable has one value and each value one variable, so that
 * every allowed assignment costs what it did.
 */
#ifndef GPUBE_ASSIGN_H
#define GPUBE_ASSIGN_H

#include "gpube/ir/model.h"

/*
 * gpube__assign() - 'm' again with such functions of one variable, and the constant that makes up
 * for them, where that bounds more than each variable's least cost.
 * out    to be freed by gpube__model_return() if 'moved'; otherwise not made
 * Cost:  O(n^3) time for each n variables that differ; a bit for each two variables
 * Errors: ENOMEM, ESTOP
 * Source: Kuhn, The Hungarian method for the assignment problem, 1955; Munkres 1957.
 */
int gpube__assign(struct gpube_model *out, const struct gpube_model *m, bool *moved);

#endif
