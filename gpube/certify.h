/*
 * certify.h - bounds with their proofs: certificates that are written, and checked by means that
 * share nothing with what found them; and the equivalent model that a bound leaves. The format is
 * that of bound-certificate.md, of which 'gpube bound --verify' is a checker, too.
 */
#ifndef GPUBE_CERTIFY_H
#define GPUBE_CERTIFY_H

#include "gpube/gpube.h"

#ifdef __cplusplus
extern "C" {
#endif

/*
 * What a certificate proves of a model: no assignment is better.
 * bound  as in gpube_solution: a lower bound when minimising, an upper one when maximising, of
 *        potentials a lower bound of -ln of the file's product, less what rounding its numbers may
 *        hide; units of 10^-scale
 */
struct gpube_certified {
	int64_t bound;
	int scale;
};

/*
 * gpube_certify() - gpube_bound(), whose bound is then proved once more: the certificate is
 * written, read back and checked. It may prove less than the run did, where that was not by tables
 * or steps.
 * bounds  out, may be NULL: of the run; it is there where the certificate alone fails
 * path    a .gz or .xz by its name; written under another name until it is whole
 * opts    as of gpube_bound(); half of the timeout is the run's, the rest is for the certificate
 * Errors: those of gpube_bound(); EIO, ELIMIT (a proof is too large, or takes longer), ESTOP
 */
GPUBE_API int gpube_certify(struct gpube_certified *out, struct gpube_solution **bounds,
	const struct gpube_model *m, const char *path, const struct gpube_opts *opts);

/*
 * gpube_verify() - what the certificate in a file proves of this model.
 * Errors: EINVAL (it is no proof of that: the text says why), EIO, EPARSE, ERANGE, ELIMIT, ENOMEM,
 *         ESTOP; *out is 0
 */
GPUBE_API int gpube_verify(
	struct gpube_certified *out, const struct gpube_model *m, const char *path);

/* ---- an equivalent model whose constant is a bound ---------------------- */

/*
 * gpube_reparam() - gpube_bound(), and the reparametrised model: one with the same variables,
 * values and names, whose constant is the bound and whose functions are nowhere below 0 (a maximum:
 * above), so that a search begins at the bound. Assignments below top and cutoff keep their cost;
 * all others become forbidden. Potentials become costs, -ln rounded as 'bounds' has it.
 * bounds   out: as gpube_bound() has it
 * reparam  out: of kind GPUBE_COSTS, in m's direction, with decimals of its own. Its constant may
 *          be worse than bounds->bound where another method has improved that
 * opts     those of the bound (methods mbe and eliminate leave no such model), decimals, max_arity,
 *          max_tables, max_cells, prune: what is no better than the best assignment met is
 *          forbidden, and where none is better the equivalent model has no solution
 * Cost:    the bound's; tables of all functions with two or more variables, and of those that are
 *          added, in 64 bits
 * Errors:  EINVAL, ERANGE (totals pass 64 bits), ENOMEM, ELIMIT (a function of more than 64
 *          variables), EBUG: both are NULL. A stop or a time limit is none
 * Example: tests/bound/test_reparam.c
 */
GPUBE_API int gpube_reparam(struct gpube_solution **bounds, struct gpube_model **reparam,
	const struct gpube_model *m, const struct gpube_opts *opts);

#ifdef __cplusplus
}
#endif

#endif
