/* contract_tile_f32.cu - the tile kernels of float32. */
#include "gpube/ops/contract_tile_impl.cuh"

GPUBE_TILE_KERNELS(f32, float)
