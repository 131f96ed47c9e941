/* contract_tile_i32.cu - the tile kernels of int32. */
#include "gpube/ops/contract_tile_impl.cuh"

GPUBE_TILE_KERNELS(i32, int32_t)
