/*
 * contract_path.h - which kernels of the CUDA backend do a contraction. Host code alone, so that it
 * is tested without a device. Each kind has a header that says how it cuts a contraction:
 *
 *	general   contract_general.cu  whatever ops.h allows; a thread or a block per output cell
 *	boxes     contract_box.h       what shared memory can be filled with; every type, arguments too
 *	direct    contract_direct.h    tables read where they lie: the least to make ready
 *	strips    contract_strip.h     large tables, few values of x: what bytes bound
 *
 * and stream_plan.h cuts what the card does not hold into chunks for these.
 *
 * A search for a plan takes the host from 5 us (direct tiles) to 700 (boxes), more with each output dim, and what it finds spares a half of the kernels' time at
 * most. So direct tiles come first, and the longer searches follow when contractions of this shape,
 * those done before included, are predicted to take longer than they would: then a search costs
 * about as much as was lost without it, whatever else comes. Plans are kept by shape, since grids,
 * chunks of streamed tables and repeated runs have the same ones again and again.
 */
#ifndef GPUBE_OPS_CONTRACT_PATH_H
#define GPUBE_OPS_CONTRACT_PATH_H

#include "gpube/ops/contract/boxes/contract_box.h"
#include "gpube/ops/contract/direct/contract_direct.h"
#include "gpube/ops/contract/strips/contract_strip.h"
#include "gpube/ops/kept.h"

/* Which kernels contract may take: those predicted to be faster, or only one kind. */
enum gpube__path {
	GPUBE_PATH_ANY,
	GPUBE_PATH_BOXES,
	GPUBE_PATH_DIRECT,
	GPUBE_PATH_STRIPS,
	GPUBE_PATH_GENERAL,
};

/* What a contraction, or those of one form, are done by. */
enum gpube__by {
	GPUBE_BY_GENERAL,
	GPUBE_BY_BOXES,
	GPUBE_BY_TILES,
	GPUBE_BY_STRIPS, /* of contractions alone */
};

enum {
	GPUBE_TRIED_TILES = 1,
	GPUBE_TRIED_BOXES = 2,
	GPUBE_TRIED_STRIPS = 4,
};

struct gpube__cuda_plan {
	enum gpube__by by;
	unsigned tried;       /* searches that were made; 0: a new plan */
	double cycles, spent; /* of the device: predicted, and of all contractions so far */
	struct gpube__direct direct;
	struct gpube__strip strip;
	struct gpube__box box; /* the largest; untouched where nothing is done by boxes */
};

/*
 * gpube__cuda_plan_make() - the plan that is predicted to be fastest, of those worth looking for.
 * p         by, tried, cycles and spent begin as 0; later calls for the same shape make it better,
 *           where that has become worth a search
 * in_batch  many such go in one launch: all that a batch can take is searched for at once
 */
void gpube__cuda_plan_make(struct gpube__cuda_plan *p, enum gpube__path path,
	const struct gpube__box_device *device, const struct gpube_contraction *c,
	const struct gpube__shape *s, bool in_batch);

/*
 * gpube__cuda_plan_batch() - the same for a batch, from nothing.
 * n        contractions of this shape in it; BY_GENERAL: each goes alone
 * n_forms  shapes in it
 */
void gpube__cuda_plan_batch(struct gpube__cuda_plan *p, enum gpube__path path,
	const struct gpube__box_device *device, const struct gpube_contraction *c,
	const struct gpube__shape *s, int64_t n, int64_t n_forms);

/*
 * gpube__cuda_plans_get() - the plan for one more contraction of this shape.
 * out     out; the plans', valid until the next call
 * plans   gpube__kept_clear() frees them
 * c       of at most GPUBE_BOX_IN operands; s: its shape
 * Errors: ENOMEM
 */
int gpube__cuda_plans_get(const struct gpube__cuda_plan **out, struct gpube__kept *plans,
	struct gpube_ctx *ctx, enum gpube__path path, const struct gpube__box_device *device,
	const struct gpube_contraction *c, const struct gpube__shape *s);

#endif
