/* contract_triangle.cuh - the kernels that execute the plans of contract_triangle.h. */
#ifndef GPUBE_OPS_CONTRACT_TRIANGLE_CUH
#define GPUBE_OPS_CONTRACT_TRIANGLE_CUH

#include <cuda.h> /* types alone: the driver's function is asked for by name */

#include "gpube/ops/device/device.cuh"

extern "C" {
#include "gpube/ops/contract/contract_triangle.h"
}

struct gpube__triangle_io {
	CUtensorMap map[TRIANGLE_PANELS];
	void *out;
	const void *small[GPUBE_TRIANGLE_SMALL];
};

typedef void (*gpube__triangle_function)(
	const struct gpube__triangle d, const struct gpube__triangle_io io);

gpube__triangle_function gpube__triangle_function_i32(const struct gpube__triangle *d);
gpube__triangle_function gpube__triangle_function_f32(const struct gpube__triangle *d);

/* The addresses of c for a launch. */
int gpube__triangle_io(struct gpube_ctx *ctx, struct gpube__triangle_io *io,
	const struct gpube__triangle *d, const struct gpube_contraction *c);

#endif
