/* contract_job.h - contractions and parts of them on their way through the CPU backend. */
#ifndef GPUBE_OPS_CONTRACT_JOB_H
#define GPUBE_OPS_CONTRACT_JOB_H

#include "gpube/ops/index.h"

struct gpube__job {
	struct gpube_ctx *ctx;
	const struct gpube_contraction *c;
	struct gpube__shape shape;
	const char **values; /* shape.n_in; the array is the owner's */
	char *out;           /* instead of the contraction's: a part, without top and repeat */
	int64_t *args;       /* with 'out': its arguments */
	int64_t arg_base;
};

/*
 * gpube__run_job() - runs it on all threads, by the plan that the context keeps for its shape
 * or a new one.
 * Errors: ENOMEM, ESTOP; ERANGE without a text: no plan, contract by rows
 */
int gpube__run_job(struct gpube__job *job);

#endif
