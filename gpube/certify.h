/*
 * certify.h - bounds with certificates, and the equivalent model that a bound leaves. Include after
 * gpube.h.
 *
 * A certificate is a file that proves a bound of a model. The checker shares no code with the
 * methods that find bounds. bound-certificate.md describes the format; 'gpube bound --verify'
 * checks one, too.
 */
#ifndef GPUBE_CERTIFY_H
#define GPUBE_CERTIFY_H

#include "gpube/gpube.h"

#ifdef __cplusplus
extern "C" {
#endif

/*
 * What a certificate proves of a model: no assignment is better.
 * bound  in units of 10^-scale, as in gpube_solution: a lower bound where costs are minimised, an
 *        upper one where they are maximised; of potentials a lower bound of -ln of the product of
 *        the model's own numbers, from which what rounding may hide has been subtracted
 */
struct gpube_certified {
	int64_t bound;
	int scale;
};

/*
 * gpube_certify() - as gpube_bound(), and then writes a certificate of the bound, reads it back and
 * checks it. The certified bound may be weaker than the run's, where the method that found that
 * leaves neither tables nor steps.
 * bounds  out, may be NULL: the result of the run, also where only the certificate fails
 * path    compressed if it ends in .gz or .xz; written under another name until it is complete
 * opts    as of gpube_bound(); the run has half of the timeout, and the certificate the rest
 * Errors: those of gpube_bound(); EIO, ELIMIT (a proof is too large, or takes longer), ESTOP
 */
GPUBE_API int gpube_certify(struct gpube_certified *out, struct gpube_solution **bounds,
	const struct gpube_model *m, const char *path, const struct gpube_opts *opts);

/*
 * gpube_verify() - the bound that the certificate in a file proves of this model.
 * Errors: EINVAL (it proves nothing of this model: the text says why), EIO, EPARSE, ERANGE, ELIMIT,
 *         ENOMEM, ESTOP: both fields of *out are 0
 */
GPUBE_API int gpube_verify(
	struct gpube_certified *out, const struct gpube_model *m, const char *path);

/* ---- an equivalent model whose constant is a bound ---------------------- */

/*
 * gpube_reparam() - as gpube_bound(), and makes the reparametrised model. That has the same
 * variables, values and names; its constant is the bound, and no function is below 0 anywhere
 * (above 0 where costs are maximised), so that a search begins at the bound. Assignments below top
 * and cutoff keep their cost; all others become forbidden. Potentials become costs, -ln rounded to
 * bounds->scale decimals.
 * bounds   out: the result of gpube_bound()
 * reparam  out: a model of kind GPUBE_COSTS in m's direction, which may have more decimals. Its
 *          constant may be worse than bounds->bound, where another method has improved that
 * opts     those of gpube_bound() (methods mbe and eliminate leave no such model); decimals,
 *          max_arity, max_tables and max_cells limit what is added; prune forbids every assignment
 *          that is no better than the best one found
 * Cost:    that of the bound, and 8 bytes for each cell of the functions of two and more variables,
 *          given or added
 * Errors:  EINVAL, ERANGE (totals pass 64 bits), ENOMEM, ELIMIT (a function of more than 64
 *          variables), EBUG: both are NULL. A stop or a time limit is no error
 * Example: tests/bound/test_reparam.c
 */
GPUBE_API int gpube_reparam(struct gpube_solution **bounds, struct gpube_model **reparam,
	const struct gpube_model *m, const struct gpube_opts *opts);

#ifdef __cplusplus
}
#endif

#endif
