/*
 * reparam.h - the reparametrised model: the same problem after costs have moved between functions.
 * Another solver can take it in place of the given model.
 *
 * It has the given model's variables and values and is minimised. Its constant is the proved bound,
 * and no table is negative. Assignments below the cutoff keep their cost; all others reach top in
 * both models or become forbidden. Costs are integers, in units of 2^-shift of the given model's.
 *
 * It is made of b->tables: of what soft arc consistency leaves, then an ascent on triples of
 * variables or on a join graph, each beginning from the tables of the one before.
 *
 * Added tables. A triple of variables keeps a table of its own, which makes the other solver
 * slower. So after some passes the triples that say least are dropped, and a second ascent runs
 * with the others alone. Weighed and rejected: to move a dropped triple's costs back to its pairs.
 * They become negative, and the constant loses more than by a new ascent.
 *
 * Pruning with integers: no total is better than a known one T as soon as a bound in the new units
 * passes (T - 1) << shift. That, plus one, is the upper bound to hand over.
 */
#ifndef GPUBE_REPARAM_H
#define GPUBE_REPARAM_H

#include "gpube/ir/model.h"
#include "gpube/options/options.h"

struct gpube_bounder;

/*
 * model     kind COSTS, GPUBE_MINIMISE, with the given model's variables and names and scale 0
 *           (the unit is 2^-shift of 10^-decimals). Its constant is the bound, its top the cutoff.
 *           A removed value is forbidden by a unary function
 * negated   the given model maximises, and costs are negated
 * decimals  of the given model's costs
 * n_wide    functions of three or more variables that it has more than the simplified model
 */
struct gpube_reparametrised {
	struct gpube_model *model;
	int shift;
	bool negated;
	int decimals;
	int32_t n_wide;
};

/* The model that a run is to make; or, if that is not NULL, the certificate in its place. */
struct gpube_reparam_run {
	struct gpube_reparametrised *out;
	struct gpube_certificate *certificate;
	int most_shift; /* most bits by which the ascent scales costs */
};

/*
 * gpube__bound_reparam() - gpube_bound(), and the reparametrised model of the ascent's last state.
 * bounds   out
 * reparam  out; forbids every assignment where none below the cutoff is left
 * opts     those of the group REPARAM, too: without 'prune' incumbents prune nothing, and every
 *          assignment below top and the given cutoff keeps its cost; above a max_arity of 3 it is
 *          made by the join graph
 * certificate  NULL, or what is made in place of the model
 * Errors: as gpube_bound(), EINVAL (method MBE); *reparam is then zero
 */
int gpube__bound_reparam(struct gpube_solution **bounds, struct gpube_reparametrised *reparam,
	const struct gpube_model *m, const struct gpube_opts *opts,
	struct gpube_certificate *certificate);
void gpube__reparam_clear(struct gpube_reparametrised *reparam);

/*
 * gpube__reparam_restore() - gives the model the direction and decimals of the given one (and
 * 'shift' more decimals), so that totals are equal as numbers.
 * strict  top also excludes the totals between it and the next better integer
 * Errors: ERANGE, ENOMEM
 */
int gpube__reparam_restore(struct gpube_reparametrised *reparam, bool strict);

/*
 * gpube__reparam_far() - by elimination in 128 bits (regrets.h), for totals that lie too far apart
 * for an ascent. Tables have the scopes of buckets.
 * cutoff  a total of the minimisation; GPUBE_INF: none
 * Errors: ERANGE (totals are 2^63 apart), ELIMIT (it is too large for this), ENOMEM, ESTOP
 */
int gpube__reparam_far(
	struct gpube_reparametrised *out, const struct gpube_model *given, int64_t cutoff);

/* ---- inside gpube_bound() ---- */

/* Soft arc consistency, and the ascent that the method and max_arity ask for: b->tables. */
int gpube__bound_reparametrise(struct gpube_bounder *b);

/*
 * The ascent on triples of b->tables, whose place its own take. *any false: nothing was done, there
 * are few triples or larger functions. Errors: ENOMEM, ELIMIT, ESTOP
 */
int gpube__bound_triples(struct gpube_bounder *b, bool *any);

/*
 * Makes the model or the certificate that the run asks for from b->tables. Errors: ENOMEM, ELIMIT
 */
int gpube__reparam_make(struct gpube_bounder *b);

#endif
