/* certificate_of.h - a certificate of an ascent's state on a relaxed problem. */
#ifndef GPUBE_CERTIFICATE_OF_H
#define GPUBE_CERTIFICATE_OF_H

#include "gpube/bound/certificate/certificate.h"
#include "gpube/relax/clusters.h"
#include "gpube/relax/joingraph.h"
#include "gpube/simplify/simplify.h"

/*
 * Constant, shift and blocks; the rest is there already.
 * s   the simplified relaxed problem that the tables were made of
 * Errors: ENOMEM; ELIMIT (a table is too large; something is dead, which has no number)
 */
int gpube__certificate_of(struct gpube_certificate *out, const struct gpube_clusters *c,
	const struct gpube_simplified *s);
/* The order, too, along which it is minimised. */
int gpube__certificate_of_joins(struct gpube_certificate *out, const struct gpube_joingraph *g,
	const struct gpube_simplified *s);

#endif
