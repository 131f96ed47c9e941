/*
 * contract_path.h - which family of kernels of the CUDA backend does a contraction. Host code
 * alone, so that it is tested without a device. Each has a header that says how it cuts a
 * contraction:
 *
 *	general   contract_general.cu  whatever ops.h allows; a thread or a block per output cell
 *	direct    contract_direct.h    tables read where they lie: the least to make ready
 *	strips    contract_strip.h     large tables, few values of x: what bytes bound
 *	boxes     contract_box.h       what shared memory can be filled with; both types,
 *	                               arguments too
 *
 * A family is one row of GPUBE_FAMILIES. A new one has to spare a tenth of whole commands' seconds
 * (CONTRIBUTING.md).
 *
 * A search for a plan takes the host from some microseconds (direct) to 700 (boxes), more with each
 * output dim, and what it finds spares a half of the kernels' time at most. So the dearer searches
 * follow when contractions of this shape, those done before included, are predicted to take longer
 * than they would, and never so many that all planning takes longer than all kernels. Plans are
 * kept by shape, since grids, slices and repeated runs have the same ones again and again.
 *
 * Eight more families were built and deleted in November 2026: panels and planes (tiles of three
 * dims in registers), lanes and quads (many small values of x), triangles (three pairs of dims),
 * products of sums (rings), whole batches, and operands merged first. They made their rows of a
 * benchmark 1.3 to 3.8 times as fast. But on 38 real files the kernels took 0.529 s with all eight
 * and 0.518 s without, and eliminations of the GpuBE paper's networks took 12 % less without,
 * because every bucket had been planned for each family (benchmarks/runs/families-h200). What they
 * taught: a bucket of a command rarely has a form that pays for a search of its own; a tile with
 * many registers leaves too few warps to hide the waits at its beginning and end; and reads of
 * shared memory, 16 bytes in four cycles even where all lanes read one address, hold a product of
 * three pairs at 60 to 67 % of its issue slots. Figures: benchmarks/runs/history.csv.
 */
#ifndef GPUBE_OPS_CONTRACT_PATH_H
#define GPUBE_OPS_CONTRACT_PATH_H

#include "gpube/ops/contract/boxes/contract_box.h"
#include "gpube/ops/contract/direct/contract_direct.h"
#include "gpube/ops/contract/strips/contract_strip.h"
#include "gpube/ops/kept.h"

/* The rows of the table, in the order in which plans are looked for. */
enum gpube__by {
	GPUBE_BY_GENERAL,
	GPUBE_BY_DIRECT,
	GPUBE_BY_STRIPS,
	GPUBE_BY_BOXES,
	GPUBE_N_FAMILIES,
	GPUBE_BY_ANY = GPUBE_N_FAMILIES, /* the one that is predicted to be fastest */
};

/* What a contraction, or those of one form, are done by. */
struct gpube__cuda_plan {
	enum gpube__by by;
	unsigned tried;       /* families whose plan was looked for, as bits; 0: a new plan */
	double cycles, spent; /* of the device: predicted, and of all contractions so far */
	struct gpube__direct direct;
	struct gpube__strip strip;
	struct gpube__box box; /* the largest; untouched where nothing is done by boxes */
};

/* What a plan is wanted for. */
struct gpube__request {
	const struct gpube__box_device *device;
	const struct gpube_contraction *c;
	const struct gpube__shape *s;
	bool in_batch; /* many such go in one launch */
	bool forced;   /* by this family, however long it takes */
};

struct gpube__family {
	const char *name;
	/* Whether it does such contractions at all; plan() may still find nothing. */
	bool (*applies)(const struct gpube__request *r);
	/* Its part of the plan, and what that is predicted to take; false: there is none. */
	bool (*plan)(struct gpube__cuda_plan *p, double *cycles, const struct gpube__request *r);
	/* One contraction; batches have launches in common: contract_batch.cu */
	int (*launch)(struct gpube_ctx *ctx, const struct gpube__cuda_plan *p,
		const struct gpube_contraction *c);
	/*
	 * Cycles of contractions of a shape, for each of its output dims, from which on to search.
	 */
	double worth;
};

/*
 * The table. launch(family): what launches it, NULL in the tests of the planner, which have no
 * card. Worth of a search: one for boxes takes some 30 us a dim, and what it finds a quarter less
 * (benchmarks/runs/contract-h200); strips are looked for in a quarter of that.
 */
#define GPUBE_FAMILIES(launch)                                                                     \
	{                                                                                          \
		{"general", gpube__general_applies, gpube__general_plan, launch(general), 0},      \
			{"direct", gpube__direct_applies, gpube__direct_search, launch(direct),    \
				0},                                                                \
			{"strips", gpube__strips_apply, gpube__strips_search, launch(strips),      \
				3e4},                                                              \
			{"boxes", gpube__boxes_apply, gpube__boxes_search, launch(boxes), 1.2e5},  \
	}

bool gpube__general_applies(const struct gpube__request *r);
bool gpube__general_plan(
	struct gpube__cuda_plan *p, double *cycles, const struct gpube__request *r);
bool gpube__direct_applies(const struct gpube__request *r);
bool gpube__direct_search(
	struct gpube__cuda_plan *p, double *cycles, const struct gpube__request *r);
bool gpube__strips_apply(const struct gpube__request *r);
bool gpube__strips_search(
	struct gpube__cuda_plan *p, double *cycles, const struct gpube__request *r);
bool gpube__boxes_apply(const struct gpube__request *r);
bool gpube__boxes_search(
	struct gpube__cuda_plan *p, double *cycles, const struct gpube__request *r);

/* What all contractions of a context are planned by, and what that took. */
struct gpube__planning {
	const struct gpube__family *families; /* GPUBE_N_FAMILIES */
	struct gpube__box_device device;
	enum gpube__by only;      /* tests and benchmarks; GPUBE_BY_ANY otherwise */
	struct gpube__kept plans; /* gpube__kept_clear() frees them */
	struct gpube_use use[GPUBE_N_FAMILIES];
	double planned, predicted; /* seconds: of all searches, and of all kernels as foreseen */
	double (*now)(void);       /* NULL: gpube__now(); tests have clocks of their own */
};

/* The family of this name; NULL: GPUBE_BY_ANY; one more: there is none. */
int gpube__family_of(const struct gpube__planning *g, const char *name);

/*
 * gpube__cuda_plan_batch() - the plan that is predicted to be fastest for a batch, from nothing.
 * n        contractions of this shape in it; BY_GENERAL: each goes alone
 * n_forms  shapes in it
 */
void gpube__cuda_plan_batch(struct gpube__cuda_plan *p, struct gpube__planning *g,
	const struct gpube_contraction *c, const struct gpube__shape *s, int64_t n,
	int64_t n_forms);

/*
 * gpube__cuda_plans_get() - the plan for one more contraction of this shape, alone: the one that is
 * predicted to be fastest, of those that have become worth looking for.
 * out     out; the plans', valid until the next call
 * c       of at most GPUBE_BOX_IN operands; s: its shape
 * Errors: ENOMEM
 */
int gpube__cuda_plans_get(const struct gpube__cuda_plan **out, struct gpube__planning *g,
	struct gpube_ctx *ctx, const struct gpube_contraction *c, const struct gpube__shape *s);

#endif
