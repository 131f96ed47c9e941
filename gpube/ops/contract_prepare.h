/* contract_prepare.h - operands made ready for the tiles of a contraction. */
#ifndef GPUBE_OPS_CONTRACT_PREPARE_H
#define GPUBE_OPS_CONTRACT_PREPARE_H

#include "gpube/ops/contract_tile.h"

/* A contraction on its way through the CPU backend. */
struct gpube__job {
	struct gpube_ctx *ctx;
	const struct gpube_contraction *c;
	struct gpube__shape shape;
	const char **values; /* shape.n_in; the array is the owner's */
	char *out;	     /* instead of the contraction's: a part, without cut and repeat */
	int64_t *args;	     /* with 'out': its arguments */
	int64_t arg_base;
};

/*
 * gpube__run_job() - plans and runs it, on all threads.
 * Errors: ENOMEM, ESTOP; ERANGE without a text: no plan, contract by rows
 */
int gpube__run_job(struct gpube__job *job);

#endif
