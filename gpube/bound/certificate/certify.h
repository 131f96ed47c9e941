/* certify.h - ways to a certificate: its constant, shift, blocks and tree, of a relaxed problem. */
#ifndef GPUBE_CERTIFY_H
#define GPUBE_CERTIFY_H

#include "gpube/bound/certificate/certificate.h"

/*
 * gpube__certify_patches() - by an ascent on patches, and splits where they seem to end.
 * bound  is aimed at: a total of the relaxed problem, which none is below
 * split  when what the root leaves open is split: FIRST, in any case; NEVER; otherwise where it
 *        seems to end
 * end    gpube__now() when it has to; 0: no limit. What there is then, or after a stop, is a
 *        certificate of what it proves
 * Errors: ENOMEM, ESTOP (it was too soon); ELIMIT (the model is not for it)
 */
int gpube__certify_patches(struct gpube_certificate *c, const struct gpube_model *relaxed,
	int64_t bound, enum gpube_split split, double end);

#endif
