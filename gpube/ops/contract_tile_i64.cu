/* contract_tile_i64.cu - the tile kernels of int64. */
#include "gpube/ops/contract_tile_impl.cuh"

GPUBE_TILE_KERNELS(i64, int64_t)
