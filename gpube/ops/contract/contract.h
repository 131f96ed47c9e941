/*
 * contract.h - what the parts of the CPU's contract share besides ops.h.
 *
 *	contract_problem.c	what no backend takes (the specification is
 *				tests/support/reference/contract_ref.c)
 *	contract_single.c	one contraction: by tiles or by rows; few outputs are made many
 *	contract_job.c		by tiles: the plan that the context keeps for its shape (scratch.h)
 *	contract_plan.h		a new plan: the planner's parts
 *	contract_cpu.c		walks the tiles of a plan; kernels: contract_avx512.c and others
 *	contract_rows.c		by rows: counting, and what has no plan
 *	ops_cpu.c		batches of many small ones
 */
#ifndef GPUBE_OPS_CONTRACT_H
#define GPUBE_OPS_CONTRACT_H

#include "gpube/ops/ops.h"

/* NULL, or why this is not a contraction that ops.h allows (a static text). */
const char *gpube__contract_problem(const struct gpube_contraction *c);

/*
 * By rows (contract_rows.c): any semiring and layout. Takes no memory while it
 * runs, so that a batch can run it on many threads: the caller gives
 * gpube__rows_scratch() bytes, 64-byte aligned. OK, or ESTOP without a text.
 */
uint64_t gpube__rows_scratch(const struct gpube_ctx *ctx, const struct gpube_contraction *c);
int gpube__rows_contract(struct gpube_ctx *ctx, const struct gpube_contraction *c, void *scratch);

/* One valid contraction, spread over the threads. */
int gpube__cpu_contract(struct gpube_ctx *ctx, const struct gpube_contraction *c);

/*
 * gpube__cpu_force() - for tests: "portable", "avx2" or "avx512" from now on, NULL for the
 * best there is, which is the default. Returns false if this machine lacks it.
 */
bool gpube__cpu_force(const char *name);

/*
 * gpube__cuda_force() - for tests and benchmarks: contractions on the context's open device by
 * "boxes", "direct" tiles or "strips" wherever those can do them, or by the "general" kernel;
 * NULL: by what is predicted to be faster, the default. Returns false if there is no such name or
 * device.
 */
bool gpube__cuda_force(struct gpube_ctx *ctx, const char *name);

#endif
