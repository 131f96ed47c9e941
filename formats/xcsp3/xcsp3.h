/*
 * xcsp3.h - XCSP3-core, of constraint satisfaction and optimisation: the reader behind .xml's.
 * Internal to formats/.
 */
#ifndef GPUBE_XCSP3_H
#define GPUBE_XCSP3_H

#include "formats/io/io.h"

struct gpube_x3;

/*
 * gpube__xcsp3_take() - takes over in->xml, which has just met <instance> with these attributes.
 * Errors: EPARSE, ENOMEM; sets in->status. Clear *out in every case.
 */
int gpube__xcsp3_take(struct gpube_x3 **out, struct gpube_model *m, struct gpube_in *in,
	const char *const *attributes);
void gpube__xcsp3_clear(struct gpube_x3 *r); /* NULL is accepted */

#endif
