/* contract_lanes.cuh - the kernels that execute the plans of contract_lanes.h. */
#ifndef GPUBE_OPS_CONTRACT_LANES_CUH
#define GPUBE_OPS_CONTRACT_LANES_CUH

#include "gpube/ops/contract/contract_product.cuh"

extern "C" {
#include "gpube/ops/contract/contract_lanes.h"
}

typedef void (*gpube__lanes_function)(const struct gpube__lanes d, const struct gpube__product_io io);

gpube__lanes_function gpube__lanes_function_i32(const struct gpube__lanes *d);
gpube__lanes_function gpube__lanes_function_f32(const struct gpube__lanes *d);

#endif
