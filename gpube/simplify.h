/*
 * simplify.h - cheap exact simplifications of a costs model, with the way back.
 */
#ifndef GPUBE_SIMPLIFY_H
#define GPUBE_SIMPLIFY_H

#include "gpube/ir/model.h"

/*
 * The reduced model: direction MINIMISE (a maximisation is negated), dense
 * tables where they are small enough, every finite cost >= 0, each table's
 * minimum moved to the constant, evidence conditioned, forbidden values and
 * one-value variables gone, functions of equal scope merged, unary ones
 * absorbed. Its optimum is the original's (negated if that maximises), its
 * optimal assignments are one to one with the original's (so counts carry over,
 * except for the factor of 'free' variables below).
 */
struct gpube_simplified {
	struct gpube_model *model; /* kind COSTS, same scale; top: a total >= top is forbidden */
	bool infeasible;	   /* found so already: model has no variables */
	bool negated;

	/* The way back: original variable i is fixed to 'value[i]' if var[i] < 0,
	 * else it is variable var[i] of the model, whose value a stands for
	 * values[i][a]. */
	int32_t n_vars;
	int32_t *var, *value;
	int32_t **values;

	/* What was done, for the log. */
	int32_t n_evidence, n_values_removed, n_vars_fixed, n_merged, n_absorbed, n_components;
};

/*
 * gpube__simplify() - 'm' is a GPUBE_COSTS model.
 * reductions  false: only what elimination needs (direction, evidence as
 *             forbidden values, non-negative costs); variables map one to one
 * Cost:   a few passes over the tables; messages in cells <= 2^26 merges only
 * Errors: ERANGE (finite totals can pass 2^62), ENOMEM
 */
int gpube__simplify(struct gpube_simplified *out, const struct gpube_model *m, bool reductions);
void gpube__simplified_clear(struct gpube_ctx *ctx, struct gpube_simplified *s);

/* values (original n_vars) from the reduced model's assignment. */
void gpube__simplified_extend(
	const struct gpube_simplified *s, int32_t *values, const int32_t *reduced);

#endif
