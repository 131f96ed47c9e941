/*
 * certify.h - bounds with their proofs: certificates that are written, and checked by means that
 * share nothing with what found them. Public; include after gpube.h. The format is that of
 * bound-certificate.md, of which 'gpube bound --verify' is a checker, too.
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

#ifdef __cplusplus
}
#endif

#endif
