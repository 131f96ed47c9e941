/*
 * reference.h - the specifications of operators on tables: slow, and right by inspection. Every
 * backend is compared with them.
 */
#ifndef GPUBE_REFERENCE_H
#define GPUBE_REFERENCE_H

#include "gpube/ops/faces/faces.h"
#include "gpube/ops/ops.h"
#include "gpube/ops/sum/sum.h"
#include "gpube/ops/support/support_sets.h"

int gpube__contract_reference(struct gpube_ctx *ctx, const struct gpube_contraction *c);

/* Each cell alone, with powers throughout; not settled. Errors: ENOMEM, ERANGE */
int gpube__sum_product_ref(struct gpube_ctx *ctx, struct gpube_sum_job *job);

/* One side by elimination on the whole system, one thread. */
enum gpube_support_answer gpube__support_side_reference(
	const double *c, int k, int l, uint64_t own, uint64_t other);
int gpube__support_reference(struct gpube_ctx *ctx, struct gpube_support_scan *s);

/* One thread, the functions that the device runs. */
const struct gpube_faces_ops *gpube__faces_reference(void);

#endif
