/* contract_tile_f64.cu - the tile kernels of float64. */
#include "gpube/ops/contract_tile_impl.cuh"

GPUBE_TILE_KERNELS(f64, double)
