/*
 * contract.h - what the parts of the CPU's contract share besides ops.h.
 *
 *	contract_ref.c		the specification
 *	contract_single.c	one contraction: by tiles or by rows; few outputs are made many
 *	contract_job.c		by tiles: by the recipe that the context keeps for its shape (kept.h)
 *	contract_prepare.c	a new recipe: which operands are made ready first, and the plans
 *	contract_plan.h		the planner's parts
 *	contract_cpu.c		walks the tiles of a plan; kernels: contract_avx512.c and others
 *	contract_rows.c		by rows: counting, and what has no plan
 *	ops_cpu.c		batches of many small ones; memory
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

/*
 * 64-byte aligned memory for the time of a call, whose pages the context keeps for the
 * next one: taking new pages from the system can last longer than a contraction.
 */
void *gpube__scratch_take(struct gpube_ctx *ctx, uint64_t n, uint64_t size);
void gpube__scratch_give(struct gpube_ctx *ctx, void *p);

/*
 * How contractions of one shape are done (contract_prepare.c), kept by the context for the next of
 * that shape. Who takes a recipe has it alone until it is given back; NULL: there is none.
 */
struct gpube__recipe;
int gpube__recipe_take(struct gpube__recipe **recipe, struct gpube_ctx *ctx, const int64_t *key,
	uint64_t key_bytes); /* ENOMEM */
void gpube__recipe_give(struct gpube_ctx *ctx, const int64_t *key, uint64_t key_bytes,
	struct gpube__recipe *recipe);
void gpube__recipe_free(struct gpube_ctx *ctx, void *recipe); /* NULL is fine */

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
