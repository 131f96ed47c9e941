/* reparam_make.h - builds the reparametrised model (reparam.h) from the tables of any ascent. */
#ifndef GPUBE_REPARAM_MAKE_H
#define GPUBE_REPARAM_MAKE_H

#include "gpube/bound/reparam.h"
#include "gpube/simplify/simplify.h"

/*
 * Scopes are variables of the simplified model, indices are numbers of its remaining values.
 * given  the given model's variable, by simplified variable
 * live   the number of remaining values, by simplified variable; value: these, ascending, or NULL:
 *        all remain
 * state  the ascent, for the functions that read its cells; left_out: see gpube__reparam_rests()
 * slack  cells are forbidden from this cost on
 * shift  the ascent's costs are multiplied by 2^shift; if negative they were rounded down
 * most   a function's own costs are forbidden from here on
 */
struct gpube_reparam_maker {
	const struct gpube_simplified *s;
	struct gpube_model *out;
	int32_t *given, *live;
	int32_t *const *value;
	const void *state;
	const uint8_t *left_out;
	int32_t slack;
	int shift;
	int64_t most;
};

/* Returns a cell of table 'which'; GPUBE_INF: forbidden. */
typedef int64_t gpube_cell_fn(
	const struct gpube_reparam_maker *l, int32_t which, const int32_t *index);

/* Adds the variables of 'from', by their names. Errors: ENOMEM */
int gpube__reparam_variables(struct gpube_model *to, const struct gpube_model *from);

/* Errors: ENOMEM, ELIMIT (a function of more than 64 variables) */
int gpube__reparam_init(struct gpube_reparam_maker *l, const struct gpube_simplified *s,
	const struct gpube_model *given, const void *state, int shift);

/* A unit of the ascent is 2^up units of the reparametrised model. */
static inline int gpube__reparam_up(const struct gpube_reparam_maker *l)
{
	return l->shift < 0 ? -l->shift : 0;
}

/* The cost of an ascent's cell, in units of the reparametrised model. */
static inline int64_t gpube__reparam_cost(const struct gpube_reparam_maker *l, int64_t t)
{
	return t >= l->slack ? GPUBE_INF : t * ((int64_t)1 << gpube__reparam_up(l));
}

/*
 * gpube__reparam_table() - adds a function, unless all its cells are 0.
 * any   out, may be NULL: whether it was added
 * Errors: ENOMEM
 */
int gpube__reparam_table(struct gpube_reparam_maker *l, int arity, const int32_t *scope,
	int32_t which, gpube_cell_fn *cell, bool *any);

/*
 * Adds the functions that the ascent left out (left_out: by function, or NULL), and of the others
 * the remainders of rounding down. Errors: ENOMEM
 */
int gpube__reparam_rests(struct gpube_reparam_maker *l, const uint8_t *left_out);

/* Adds unary functions: costs by 'unary', or NULL, and removed values. Errors: ENOMEM */
int gpube__reparam_values(
	struct gpube_reparam_maker *l, const struct gpube_model *given, gpube_cell_fn *unary);

/*
 * Frees the maker and, if 'status' is OK, hands the model to the caller. Returns 'status' or an
 * error of its own.
 * constant  of the ascent
 */
int gpube__reparam_end(struct gpube_reparam_maker *l, struct gpube_reparametrised *out,
	const struct gpube_model *given, int64_t constant, int64_t cutoff, int status);

#endif
