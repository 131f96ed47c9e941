/*
 * reparam.h - the reparametrised model: the same problem after costs have moved between functions.
 * Another solver can take it in place of the given model.
 *
 * It has the given model's variables and values and is minimised. Its constant is the proved bound,
 * and no table is negative. Assignments below the cutoff keep their cost; all others reach top in
 * both models or become forbidden. Costs are integers, in units of 2^-shift of the given model's.
 *
 * Added tables. A triangle of variables keeps a table of its own, which makes the other solver
 * slower. So after one ascent the triangles that improved the bound least are dropped, and a second
 * ascent runs with the others alone. Weighed and rejected: to move a dropped triangle's costs back
 * to its pairs. They become negative, and the constant loses more than by a new ascent.
 *
 * Pruning with integers: no total is better than a known one T as soon as a bound in the new units
 * passes (T - 1) << shift. That, plus one, is the upper bound to hand over.
 */
#ifndef GPUBE_REPARAM_H
#define GPUBE_REPARAM_H

#include "gpube/relax/clusters.h"
#include "gpube/options/options.h"

struct gpube_bounder;
struct gpube_joingraph;
struct gpube_simplified;

/*
 * model     kind COSTS, GPUBE_MINIMISE, with the given model's variables and names and scale 0
 *           (the unit is 2^-shift of 10^-decimals). Its constant is the bound, its top the cutoff.
 *           A removed value is forbidden by its unary function; its other cells are 0
 * negated   the given model maximises, and costs are negated
 * decimals  of the given model's costs
 * n_wide    functions of three or more variables that the ascent has added
 */
struct gpube_reparametrised {
	struct gpube_model *model;
	int shift;
	bool negated;
	int decimals;
	int32_t n_wide;
};

/*
 * How the model is made; there are no defaults.
 * whole        incumbents prune nothing: every assignment below top and the given cutoff keeps its
 *              cost
 * decimals     most decimals to add, each a unit of reparam->shift, as long as totals fit a .cfn
 * max_arity    most variables of an added table; 2: none; above 3 by the join graph
 * max_tables   most added tables, 0: no limit; max_cells: most cells of all of them
 * certificate  is made in place of a model, if not NULL
 */
struct gpube_reparametrised_opts {
	bool whole;
	int decimals, max_arity;
	int32_t max_tables;
	double max_cells;
	struct gpube_certificate *certificate;
};

/* The model that a run is to make. */
struct gpube_reparam_run {
	struct gpube_reparametrised *out; /* not of a certificate */
	const struct gpube_reparametrised_opts *opts;
	int most_shift; /* most bits by which the ascent scales costs */
	bool made;
};

/*
 * gpube__bound_reparam() - gpube_bound(), and the reparametrised model of the ascent's last state.
 * bounds   out
 * reparam  out; forbids every assignment where none below the cutoff is left
 * Errors: as gpube_bound(), EINVAL (method MBE); *reparam is then zero
 */
int gpube__bound_reparam(struct gpube_solution **bounds, struct gpube_reparametrised *reparam,
	const struct gpube_model *m, const struct gpube_opts *opts,
	const struct gpube_reparametrised_opts *reparam_opts);
void gpube__reparam_clear(struct gpube_reparametrised *reparam);

/*
 * gpube__reparam_restore() - gives the model the direction and decimals of the given one (and
 * 'shift' more decimals), so that totals are equal as numbers.
 * strict  top also excludes the totals between it and the next better integer
 * Errors: ERANGE, ENOMEM
 */
int gpube__reparam_restore(struct gpube_reparametrised *reparam, bool strict);

/*
 * gpube__reparam_of(), gpube__reparam_of_joins() - the reparametrised model of an ascent's state.
 * s       the simplification whose model the tables were made of
 * given   the model of costs that was simplified
 * Errors: ENOMEM, ELIMIT (a function of more than 64 variables)
 */
int gpube__reparam_of(struct gpube_reparametrised *out, const struct gpube_clusters *c,
	const struct gpube_simplified *s, const struct gpube_model *given, int64_t cutoff);
int gpube__reparam_of_joins(struct gpube_reparametrised *out, const struct gpube_joingraph *g,
	const struct gpube_simplified *s, const struct gpube_model *given, int64_t cutoff);

/* ---- inside gpube_bound() ---- */

/* Makes the model or the certificate that the run asks for from an ascent's state. */
int gpube__reparam_clusters(struct gpube_bounder *b, const struct gpube_clusters *c);
int gpube__reparam_joins(struct gpube_bounder *b, const struct gpube_joingraph *g);

/*
 * gpube__reparam_far() - by elimination in 128 bits (regrets.h), for totals that lie too far apart
 * for an ascent. Tables have the scopes of buckets.
 * cutoff  a total of the minimisation; GPUBE_INF: none
 * Errors: ERANGE (totals are 2^63 apart), ELIMIT (it is too large for this), ENOMEM, ESTOP
 */
int gpube__reparam_far(
	struct gpube_reparametrised *out, const struct gpube_model *given, int64_t cutoff);

/* Makes it from the simplified model, without an ascent. */
int gpube__reparam_plain(struct gpube_bounder *b);
/* Soft arc consistency, with as many triangles as 'reparam_opts' allows, if 'triangles'. */
int gpube__bound_clusters_reparam(struct gpube_bounder *b, bool triangles);

#endif
