/* certify.h - ways to a certificate: its constant, shift, blocks and tree, of a relaxed problem. */
#ifndef GPUBE_CERTIFY_H
#define GPUBE_CERTIFY_H

#include "gpube/bound/certificate/certificate.h"

/*
 * gpube__certify_patches() - by an ascent on patches, and splits where they seem to end.
 * bound  is aimed at: a total of the relaxed problem, which none is below
 * split  when what the root leaves open is split: FIRST, in any case; NEVER; otherwise where it seems to end
 * end    gpube__now() when it has to; 0: no limit. What there is then, or after a stop, is a certificate of what it proves
 * Errors: ENOMEM, ESTOP (it was too soon); ELIMIT (the model is not for it)
 */
int gpube__certify_patches(struct gpube_certificate *c, const struct gpube_model *relaxed, int64_t bound, enum gpube_split split,
	double end);

/*
 * gpube__certify_lists() - by lists that grow of patches: stages of what was done.
 * bound  it ends there
 * limit  what costs as much is of no interest: a total of the relaxed problem, the best that is known
 * end    gpube__now() when it has to, 0: no limit
 * Errors: ENOMEM; ELIMIT (the model is not for it)
 */
int gpube__certify_lists(struct gpube_certificate *c, const struct gpube_model *relaxed, int64_t bound, int64_t limit, double end);

#endif
