/* contract_quads.cuh - the kernels that execute the plans of contract_quads.h. */
#ifndef GPUBE_OPS_CONTRACT_QUADS_CUH
#define GPUBE_OPS_CONTRACT_QUADS_CUH

#include "gpube/ops/contract/contract_product.cuh"

extern "C" {
#include "gpube/ops/contract/contract_quads.h"
}

typedef void (*gpube__quads_function)(const struct gpube__quads d, const struct gpube__product_io io);

gpube__quads_function gpube__quads_function_i32(const struct gpube__quads *d);
gpube__quads_function gpube__quads_function_f32(const struct gpube__quads *d);

#endif
