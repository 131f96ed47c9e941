/* contract_whole_tile.cuh - a thread's tile of P x V output cells, of both kinds of whole kernels. */
#ifndef GPUBE_OPS_CONTRACT_WHOLE_TILE_CUH
#define GPUBE_OPS_CONTRACT_WHOLE_TILE_CUH

#include "gpube/ops/contract/boxes/contract_box_copy.cuh"
#include "gpube/ops/contract/contract_whole.cuh"

/* W of x: sums of the operands with P's dim, and of those without. */
template <typename T, int P, int V, int W>
__device__ static inline void join_tile(T (*with)[W], T (*without)[W], T (*best)[V])
{
#pragma unroll
	for (int w = 0; w < W; w++)
#pragma unroll
		for (int p = 0; p < P; p++)
#pragma unroll
			for (int v = 0; v < V; v++)
				best[p][v] = add_min(with[p][w], without[v][w], best[p][v]);
}

/* to: of the tile's first cell. */
template <typename T, int P, int V>
__device__ static inline void put_tile(
	const struct gpube__whole &d, T *to, T (*best)[V], struct cut<T> cut)
{
#pragma unroll
	for (int p = 0; p < P; p++)
#pragma unroll
		for (int v = 0; v < V; v++)
			to[d.value[0][p] * d.out_reg[0] + d.value[1][v] * d.out_reg[1]] =
				cut_of(best[p][v], cut);
}

#endif
