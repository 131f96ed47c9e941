/*
 * lift.h - building the shifted model (shifted.h) out of an ascent's tables: what
 * the readers of its states share.
 */
#ifndef GPUBE_LIFT_H
#define GPUBE_LIFT_H

#include "gpube/bound/shifted.h"
#include "gpube/simplify/simplify.h"

/*
 * What is read off, and where to. A scope is of the simplified model's
 * variables, an index is of live values.
 * given   of each simplified variable: the given one
 * live    of each simplified variable: how many values are left; value: which,
 *         ascending, NULL: all
 * state   the tables, for the functions that read cells
 * slack   tables are dead from here on
 * shift   of the tables: negative where costs were rounded down
 * most    of a function's own costs: from here on forbidden
 */
struct gpube_lift {
	const struct gpube_simplified *s;
	struct gpube_model *out;
	int32_t *given, *live;
	int32_t *const *value;
	const void *state;
	int32_t slack;
	int shift;
	int64_t most;
};

/* A cell of one table; GPUBE_INF: dead. */
typedef int64_t gpube_cell_fn(const struct gpube_lift *l, int32_t which, const int32_t *index);

/* Adds the variables of 'from', by their names. Errors: ENOMEM */
int gpube__lift_variables(struct gpube_model *to, const struct gpube_model *from);

/* Errors: ENOMEM, ELIMIT (a function of more than 64 variables) */
int gpube__lift_init(struct gpube_lift *l, const struct gpube_simplified *s,
	const struct gpube_model *given, const void *state, int shift);

/* 2^up: what a unit of the tables is in those of the shifted model. */
static inline int gpube__lift_up(const struct gpube_lift *l)
{
	return l->shift < 0 ? -l->shift : 0;
}

/* What a cell of the tables costs. */
static inline int64_t gpube__lift_cost(const struct gpube_lift *l, int64_t t)
{
	return t >= l->slack ? GPUBE_INF : t * ((int64_t)1 << gpube__lift_up(l));
}

/*
 * A cell of a function of the simplified model: all that it costs if the
 * ascent left it out, otherwise what rounding down left of it.
 */
int64_t gpube__lift_rest(
	const struct gpube_lift *l, int32_t function, bool left_out, const int32_t *index);

/*
 * gpube__lift_table() - a function of the shifted model; none where all cells are 0.
 * any   out, may be NULL: whether there is one
 * Errors: ENOMEM
 */
int gpube__lift_table(struct gpube_lift *l, int arity, const int32_t *scope, int32_t which,
	gpube_cell_fn *cell, bool *any);

/* Unary functions: what 'unary' (NULL: nothing) says, and values that are gone. Errors: ENOMEM */
int gpube__lift_values(struct gpube_lift *l, const struct gpube_model *given, gpube_cell_fn *unary);

/*
 * Ends the lift: the shifted model is the caller's, if 'status' is OK; returns it or what
 * went wrong here.
 * constant  of the tables
 */
int gpube__lift_end(struct gpube_lift *l, struct gpube_shifted *out,
	const struct gpube_model *given, int64_t constant, int64_t limit, int status);

#endif
