/*
 * backend.h - the CUDA backend as a library of its own, libgpube-cuda.so, which the program loads
 * when it first asks for a device.
 *
 * So one program runs with and without a card, links neither CUDA's runtime nor libstdc++, and is
 * built in seconds. The library holds the CUDA files and hidden copies of the C files that they
 * call; it exports one function. What has state stays on the program's side (opening.c).
 *
 * Weighed: two programs (users would have to know which), weak symbols (a program that is linked
 * with the runtime still needs it to build), and a library that calls back into the program (then
 * a program would have to export its own insides).
 */
#ifndef GPUBE_OPS_BACKEND_H
#define GPUBE_OPS_BACKEND_H

#include "gpube/ops/faces/faces.h"
#include "gpube/ops/ops.h"
#include "gpube/ops/rates.h"
#include "gpube/ops/regions/regions.h"
#include "gpube/ops/subset/subset.h"
#include "gpube/ops/sum/sum_card.h"
#include "gpube/ops/support/support.h"
#include "gpube/ops/sweep/sweep.h"

/*
 * A checksum of the headers that both sides are compiled with: whoever changes one of them makes
 * another ABI. The Makefile works it out.
 */
#ifndef GPUBE_CUDA_ABI
#define GPUBE_CUDA_ABI 0
#endif

#define GPUBE_CUDA_LIBRARY "libgpube-cuda.so"
#define GPUBE_CUDA_ENTRY   "gpube_cuda_backend"

struct gpube_cuda_backend {
	/* these two lie where they are in every version */
	uint32_t abi;
	const char *version;

	const struct gpube_ops *(*ops)(struct gpube_ctx *ctx, int *status);
	const struct gpube_subset_ops *(*subset)(struct gpube_ctx *ctx, int *status);
	const struct gpube_faces_ops *(*faces)(struct gpube_ctx *ctx, int *status);
	const struct gpube_regions_ops *(*regions)(struct gpube_ctx *ctx, int *status);
	const struct gpube_support_ops *(*support)(struct gpube_ctx *ctx, int *status);
	const struct gpube_sum_ops *(*sum)(struct gpube_ctx *ctx, int *status);
	const struct gpube_sweep_ops *(*sweep)(struct gpube_ctx *ctx, int *status);
	int (*ceilings)(struct gpube_ctx *ctx, struct gpube_rate *r);
	void (*opening_driver)(int id);
	int (*devices)(void);
	bool (*force)(struct gpube_ctx *ctx, const char *name);
	double *shared_splits; /* of subset_cuda.cu, for its test */
};

/* The one function that libgpube-cuda.so exports. */
typedef const struct gpube_cuda_backend *gpube_cuda_backend_fn(void);

/*
 * gpube__cuda_there() - whether a library is where it is looked for, which is told without loading
 * it: the file that GPUBE_CUDA names (and no other, if it is set; 'none': no library), beside the
 * program or the gpube library that asks, or in ../lib of either.
 */
bool gpube__cuda_there(void);

/*
 * gpube__cuda_devices() - how many devices the driver lets this process see, which is told without
 * opening one; 0 and the reason in *ctx where there is no library or no driver.
 */
int gpube__cuda_devices(struct gpube_ctx *ctx);

/*
 * gpube__cuda_backend() - the library, loaded at the first call of the process.
 * Errors: NULL, ENODEV with the reason in *ctx: none is there, it cannot be loaded, or is of
 * another ABI. What the user would want to know unasked is said once, as a note.
 */
const struct gpube_cuda_backend *gpube__cuda_backend(struct gpube_ctx *ctx);

#endif
