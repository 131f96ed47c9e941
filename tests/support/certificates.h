/* certificates.h - what the tests of certificates share, in the context of context.h. */
#ifndef GPUBE_TEST_CERTIFICATES_H
#define GPUBE_TEST_CERTIFICATES_H

#include "gpube/bound/certificate/certificate.h"

/* Changes one number and has it refused; what is changed goes back. */
void certificate_tamper(
	int64_t *v, int64_t by, const struct gpube_certificate *c, const struct gpube_model *m);

/* Into the directory that GPUBE_CERTIFICATES names, for a checker that shares no code with this
 * one. */
void certificate_keep(
	const struct gpube_certificate *c, const struct gpube_model *m, uint64_t seed);

/* Every variable has more neighbours than are eliminated into a table, and no table has them all.
 */
struct gpube_model *all_pairs(struct gpube_ctx *c, uint64_t seed);

#endif
