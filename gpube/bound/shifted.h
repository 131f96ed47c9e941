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
 * Leftovers. A triangle of variables keeps a table of its own, which a search
 * tool has to carry. What is not worth that is left out from the start: after
 * one ascent the triangles that gave least go, and a second ascent runs with
 * the others alone. To give a leftover's costs back to the smaller
 * tables afterwards was weighed: it makes these negative, so that the constant
 * has to pay, more than a new ascent loses.
 *
 * Pruning with integers: nothing better than a known total T is left as soon as
 * a bound in shifted units passes (T - 1) << shift, so that is the upper bound
 * to hand over, plus one.
 */
#ifndef GPUBE_SHIFTED_H
#define GPUBE_SHIFTED_H

#include "gpube/relax/clusters.h"

struct gpube_bounder;
struct gpube_joingraph;
struct gpube_simplified;

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
 * How; all fields count.
 * whole       assignments found on the way cut nothing off: every assignment
 *             below top and cutoff costs the same in both models
 * decimals    most of shifted->shift: each unit takes a decimal in a .cfn, which
 *             are taken only while totals fit that format
 * max_arity   of a leftover, 2 (none) or more; above 3 it takes the join graph
 * max_tables  leftovers, 0: no limit; max_cells: of all of them
 * certificate made in place of a model, if not NULL
 */
struct gpube_shifted_opts {
	bool whole;
	int decimals, max_arity;
	int32_t max_tables;
	double max_cells;
	struct gpube_certificate *certificate;
};

/*
 * gpube__bound_shifted() - gpube_bound(), and the shifted model of the last
 * state of the ascent. Method MBE shifts nothing that lasts: EINVAL.
 * bounds   out
 * shifted  out; forbids everything where nothing below the limit is left
 * Errors: as gpube_bound(); *shifted is then zero
 */
int gpube__bound_shifted(struct gpube_solution **bounds, struct gpube_shifted *shifted,
	const struct gpube_model *m, const struct gpube_bound_opts *opts,
	const struct gpube_shifted_opts *shifting);
void gpube__shifted_clear(struct gpube_shifted *shifted);

/*
 * gpube__shifted_restore() - in place: direction and decimals of the given model
 * again (and shift more decimals), so that totals are equal as numbers, too.
 * strict  top excludes what its integer successor would, not only what top itself would
 * Errors: ERANGE, ENOMEM
 */
int gpube__shifted_restore(struct gpube_shifted *shifted, bool strict);

/*
 * gpube__shifted_of(), gpube__shifted_of_joins() - the shifted model of an ascent's state.
 * s       the simplified model that the tables were made of, and its way back
 * given   the costs model that was simplified
 * Errors: ENOMEM, ELIMIT (a function of more than 64 variables)
 */
int gpube__shifted_of(struct gpube_shifted *out, const struct gpube_clusters *c,
	const struct gpube_simplified *s, const struct gpube_model *given, int64_t limit);
int gpube__shifted_of_joins(struct gpube_shifted *out, const struct gpube_joingraph *g,
	const struct gpube_simplified *s, const struct gpube_model *given, int64_t limit);

/* ---- inside gpube_bound() ---- */

/* What is wanted, of an ascent's state. */
int gpube__lift_clusters(struct gpube_bounder *b, const struct gpube_clusters *c);
int gpube__lift_joins(struct gpube_bounder *b, const struct gpube_joingraph *g);

/*
 * gpube__shifted_far() - by elimination in 128 bits (regrets.h), of a model whose totals lie too
 * far apart for an ascent. Tables are as wide as its buckets.
 * limit   a total of the minimisation, GPUBE_INF: none
 * Errors: ERANGE (totals are 2^63 apart), ELIMIT (it is too large for this), ENOMEM, ESTOP
 */
int gpube__shifted_far(struct gpube_shifted *out, const struct gpube_model *given, int64_t limit);

/* Without an ascent: of the simplified model itself. */
int gpube__shifted_plain(struct gpube_bounder *b);
/* triangles: beside the pairs, as many as 'shifting' allows */
int gpube__bound_clusters_shifted(struct gpube_bounder *b, bool triangles);

#endif
