/*
 * simplify.h - cheap exact simplifications of a costs model, with the way back.
 */
#ifndef GPUBE_SIMPLIFY_H
#define GPUBE_SIMPLIFY_H

#include "gpube/ir/model.h"

/*
 * The reduced model: direction MINIMISE (a maximisation is negated), dense
 * tables where they are small enough, every finite cost >= 0, each table's
 * minimum moved to the constant, cells that alone reach top marked forbidden,
 * evidence conditioned, forbidden values and one-value variables gone,
 * functions of equal scope merged, unary ones absorbed, constant ones dropped.
 *
 * Its assignments are one to one with those of the original that are not
 * forbidden by a removed value, and cost the same (negated if that maximises):
 * optimum and number of optima carry over. A variable that is left in no
 * function stays a variable of the model: any value does, and its domain size
 * is a factor of the count; unless it is settled: then one of its values is taken.
 */
struct gpube_simplified {
	/* Kind COSTS, same scale, no names, no evidence. Every finite total is in
	 * (-2^63 + 1, 2^63 - 1), and less than 2^62 above the constant. top: a total,
	 * constant included, >= top is forbidden; GPUBE_INF also if no total gets there. */
	struct gpube_model *model;
	bool infeasible; /* found so already: model has no variables */
	bool negated;

	/* The way back: original variable i is fixed to 'value[i]' if var[i] < 0 (where it is
	 * GPUBE__SETTLED every other value that is allowed does as well), else it is variable
	 * var[i] of the model, whose value a stands for values[i][a], or for a itself if
	 * values[i] is NULL. (Of gpube__join_exclusive() several original variables may be the
	 * same one.) */
	int32_t n_vars;
	int32_t *var, *value;
	int32_t **values;
	int32_t *choices; /* of a settled variable: how many values would do; 1 elsewhere */

	/* An assignment of the original, found where dearer ones are forbidden; or NULL. */
	int32_t *known;

	/* What was done, for the log. */
	int32_t n_evidence;       /* variables observed */
	int64_t n_values_removed; /* forbidden ones, without what evidence excludes */
	int32_t n_vars_fixed;     /* of one value in the end, and not observed */
	int32_t n_settled;        /* variables of no function, one of whose values is taken */
	int32_t n_merged;         /* functions added to another of the same scope */
	int32_t n_absorbed;       /* unary functions added to a larger one */
	int32_t n_components;     /* of the reduced model; a free variable is one */
};

enum { GPUBE__SETTLED = -2 };

/*
 * How far totals may be apart.
 * GPUBE__WHOLE  every finite one is less than 2^62 above the constant; what does not fit is refused
 * GPUBE__BELOW  where they are farther apart, what costs more than an assignment that is found is
 *		 forbidden, until a sum of all functions, each of them forbidden, is below 2^62
 * GPUBE__SUMS   the same wherever such a sum passes 2^62
 */
enum gpube__narrowing {
	GPUBE__WHOLE,
	GPUBE__BELOW,
	GPUBE__SUMS,
};

/*
 * What is made smaller.
 * GPUBE__CONVERT  nothing: only what elimination needs (direction, evidence as forbidden values,
 *                 non-negative
 *		   costs); variables map one to one
 * GPUBE__REDUCE   all that changes neither the optimum nor how many assignments reach it
 * GPUBE__SETTLE   and of assignments that differ in variables of no function one is kept, so that
 *                 millions
 *		   of those take little; 'choices' says how many there are
 */
enum gpube__reductions {
	GPUBE__CONVERT,
	GPUBE__REDUCE,
	GPUBE__SETTLE,
};

/*
 * gpube__simplify() - 'm' is a GPUBE_COSTS model, taken whole, and reduced or only converted.
 * gpube__simplify_below() - the optimum and the optimal assignments are 'm''s; dearer ones may go.
 * Cost:   a few passes over the tables, and memory for two reduced models
 * Errors: ERANGE (finite totals can pass 2^63, or lie 2^62 apart, and, below, too much is left),
 *         EINVAL (kind, evidence), ENOMEM, ESTOP; *out is then zero
 */
int gpube__simplify(struct gpube_simplified *out, const struct gpube_model *m, bool reductions);
int gpube__simplify_below(struct gpube_simplified *out, const struct gpube_model *m,
	enum gpube__reductions reductions, enum gpube__narrowing narrowing);
void gpube__simplified_clear(struct gpube_ctx *ctx, struct gpube_simplified *s);

/* No top where all finite totals are below it, as a simplified model has it. Reads all costs. */
void gpube__drop_top(struct gpube_model *m);

/*
 * gpube__put_simplified() - as numbers, without the log's counts and what is known.
 * gpube__get_simplified() - back, of the same given model.
 * Errors: ENOMEM; EPARSE (it is none of this model)
 */
struct gpube__bytes;
void gpube__put_simplified(struct gpube__bytes *b, const struct gpube_simplified *s);
int gpube__get_simplified(
	struct gpube_simplified *s, struct gpube__bytes *b, const struct gpube_model *given);

/* values (original n_vars) from the reduced model's assignment. */
void gpube__simplified_extend(
	const struct gpube_simplified *s, int32_t *values, const int32_t *reduced);

/*
 * gpube__simplified_order() - an order of the variables as given, without those that are gone.
 * order  out: of the simplified model's variables; one that stands for several is where the first
 *        of them is
 * given  n of the given model's variables
 * Errors: EINVAL (no permutation), ENOMEM
 */
int gpube__simplified_order(
	int32_t *order, const struct gpube_simplified *s, const int32_t *given, int32_t n);
/*
 * The way back: 'given' is written, n_vars of the given model's variables, those that are gone
 * first.
 * Errors: ENOMEM
 */
int gpube__given_order(int32_t *given, const struct gpube_simplified *s, const int32_t *order);

#endif
