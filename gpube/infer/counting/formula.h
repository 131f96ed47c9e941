/*
 * formula.h - a model of potentials as clauses and weights of literals, whose weighted count is the
 * sum.
 *
 * A variable of two values that can occur is a literal, another has one for each value, of which
 * exactly one holds. Cells of a function that are 0 are clauses. Of other cells the greatest value
 * is a factor; a smaller value is p times as large, and has a literal of weight p, against 1 - p,
 * which clauses require in its cells: elsewhere it is free, and the two weights add up to 1.
 * Functions of one variable are weights of its literals.
 */
#ifndef GPUBE_FORMULA_H
#define GPUBE_FORMULA_H

#include "gpube/infer/infer.h"

/*
 * Literal 2 v says that variable v holds, 2 v + 1 that it does not.
 * of         of each variable that of the model; -1 - f: it belongs to function f
 * factor     of the sum; 'roundings' of it, and at most of a weight
 * n_shares   variables that cells brought; the others come from the model's
 * n_zeros    cells that are 0
 */
struct gpube_formula {
	struct gpube_ctx *ctx;
	int32_t n, *of;
	int64_t of_capacity, weight_capacity;
	struct gpube_wide *weight; /* of each literal */
	int64_t n_clauses, *first; /* n_clauses + 1 places in literals */
	int32_t *literals;
	int64_t n_literals, first_capacity, literals_capacity;
	struct gpube_wide factor;
	double factor_roundings, weight_roundings;
	double n_zeros;
	int32_t n_shares;
};

/*
 * gpube__formula_of() - what of j's model can occur; to be cleared in any case.
 * *fits   out: false, there would be too many clauses
 * Errors: ENOMEM, ERANGE, ESTOP
 * Source: Sang, Beame and Kautz, AAAI 2005; Chavira and Darwiche, Artificial Intelligence 172,
 *         2008.
 */
int gpube__formula_of(struct gpube_formula *f, struct gpube__inferring *j, bool *fits);
void gpube__formula_clear(struct gpube_formula *f);

#endif
