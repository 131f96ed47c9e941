/* contract_quads.cu - the kernels of contract_quads.h, for int32 and float32. */
#include "gpube/ops/contract/boxes/contract_bits.cuh"
#include "gpube/ops/contract/contract_quads.cuh"

/* A thread's copies of one operand, W cells each, to the stage at 'to'. */
template <typename T, int W>
__device__ static inline void copy_rows(const struct gpube__quads &d, const T *from,
	uint32_t row_cells, uint32_t to, uint32_t row, uint32_t n_rows, uint32_t x)
{
	const uint64_t step = (uint64_t)row_cells * d.copy_rows;

#pragma unroll 2
	for (; row < n_rows; row += d.copy_rows) {
		if constexpr (W == 4)
			copy_async<16>(to, from);
		else
#pragma unroll
			for (uint32_t i = 0; i < 4 / W; i++)
				copy_async<4 * W>(
					to + i * 4 * W, from + gpube__quads_step(&d, x, i));
		from += step;
		to += d.copy_rows * (GPUBE_QUADS_ROW * 4);
	}
}

/* Starts the copies of a chunk to the stage at 'to'. */
template <typename T>
__device__ static inline void copy_chunk(const struct gpube__quads &d,
	const struct gpube__product_io &io, const struct product_chunk *c,
	const struct gpube__quads_copy *mine, uint32_t to)
{
	const uint32_t nth = c->at + mine->quad;

	if (c->box < d.all.boxes && nth < d.all.n_units) {
		const uint32_t quad = gpube__quads_turned(&d, c->start[0], mine->lane, nth);

#pragma unroll
		for (int k = 0; k < 2; k++) {
			const T *from = (const T *)io.in[k] + (c->start[k] + quad * 4) +
					(mine->lane * d.all.lane[k] + mine->row * d.all.row[k]);
			const uint32_t at =
				to + (mine->word + (k ? d.all.rows_p * GPUBE_QUADS_ROW : 0)) * 4;
			const uint32_t n = k ? d.all.rows - d.all.rows_p : d.all.rows_p;

			if (d.wide == 4)
				copy_rows<T, 4>(d, from, d.all.row[k], at, mine->row, n, quad * 4);
			else if (d.wide == 2)
				copy_rows<T, 2>(d, from, d.all.row[k], at, mine->row, n, quad * 4);
			else
				copy_rows<T, 1>(d, from, d.all.row[k], at, mine->row, n, quad * 4);
		}
	}
	copies_commit();
}

/* n quads from shared memory; rows of P's operand begin at a. */
template <typename T, int P, int V, int APART>
__device__ static inline void combine_quads(
	uint32_t lane, uint32_t n, uint32_t a0, uint32_t b0, int one, T (*best)[V])
{
	constexpr uint32_t NEXT = 2 * GPUBE_QUADS_ROW * 4;

#pragma unroll 1
	for (uint32_t q = 0; q < n; q++) {
		const uint32_t at = gpube__quads_nth(lane, n, q) * 16;
		const uint32_t a = a0 + at, b = b0 + at;
		T row_b[V][4];

#pragma unroll
		for (int v = 0; v < V; v++)
			load_together<T, 4>(row_b[v], b + (uint32_t)v * NEXT);
#pragma unroll
		for (int p = 0; p < P; p++) {
			T row_a[4];

			load_together<T, 4>(row_a, a + (uint32_t)p * NEXT);
#pragma unroll
			for (int i = 0; i < 4; i += 2)
#pragma unroll
				for (int v = 0; v < V; v++)
					best[p][v] = two_of<T, APART>((p * V + v) * 2 + i / 2,
						row_a + i, row_b[v] + i, one, best[p][v]);
		}
	}
}

/* The rings of stages: begins with a box. */
template <typename T>
__device__ static inline void begin(const struct gpube__quads &d,
	const struct gpube__product_io &io, struct product_chunk *ahead,
	const struct gpube__quads_copy *mine, uint32_t stages, uint32_t box)
{
	chunk_init(d.all, ahead, box);
#pragma unroll 1
	for (uint32_t i = 0; i + 1 < d.all.stages; i++) {
		copy_chunk<T>(d, io, ahead, mine, stages + i * d.all.stage_words * 4);
		chunk_next(d.all, ahead);
	}
}

/*
 * out[s] = min over x of in_0[s, x] + in_1[s, x]; for integers same bits as contract_ref.c
 * Shape: see the head of contract_quads.h
 * Map:   block for every so-manieth box; thread per tile of P x V output cells of one value of the
 *        shared last dim; one barrier a chunk
 * Moves: of each operand what a box needs, once a box, boxes that share it side by side in time;
 *        the output once
 * Ops:   an add-min per joined cell, (P + V) / 4 reads of shared memory for P * V of them
 * Bound: all warps of a block meet once a chunk and copy at the same time: the largest stall is
 *        that barrier; on an H100 54 % (int32) and 50 % (float32) of an add-min per joined cell for
 *        100 x 100 x 100 by 32 by 100, 26 and 24 by planes. Measured there and left out: quads of
 *        one x in a plane of shared memory (505 us where this takes 356), an odd number of quads
 *        with the lanes' runs begun anywhere in 32 bytes (375), tiles of 10 x 5 (373)
 */
template <typename T, int P, int V, int APART, int THREADS>
__global__ void __launch_bounds__(THREADS, 1)
	quads_kernel(const __grid_constant__ struct gpube__quads d,
		const __grid_constant__ struct gpube__product_io io)
{
	extern __shared__ __align__(128) unsigned char shared[];
	constexpr bool BITS = (T)0.5f != (T)0 && APART;
	const struct cut<T> cut = cut_init<T>(&d.all);
	const uint32_t stages = (uint32_t)__cvta_generic_to_shared(shared), t = threadIdx.x;
	const uint32_t stage_bytes = d.all.stage_words * 4,
		       end = stages + d.all.stages * stage_bytes;
	const uint32_t row_p = gpube__quads_row(&d, t, P, 0), row_v = gpube__quads_row(&d, t, V, 1);
	const uint32_t lane = gpube__quads_lane(t);
	const uint32_t a = 4 * gpube__quads_word(row_p, lane, 0);
	const uint32_t b = 4 * gpube__quads_word(d.all.rows_p + row_v, lane, 0);
	const struct gpube__quads_copy mine = gpube__quads_copy_of(&d, t);
	uint32_t now = stages, next = end - stage_bytes;
	struct product_chunk ahead;
	bool signs = false; /* some sum has had one */

	begin<T>(d, io, &ahead, &mine, stages, blockIdx.x);
#pragma unroll 1
	for (uint32_t box = blockIdx.x; box < d.all.boxes;) {
		T best[P][V], *out;

#pragma unroll
		for (int p = 0; p < P; p++)
#pragma unroll
			for (int v = 0; v < V; v++)
				best[p][v] = most<T>();
#pragma unroll 1
		for (uint32_t q = 0; q < d.all.n_units; q += d.all.chunk) {
			const uint32_t n = min(d.all.chunk, d.all.n_units - q);

			if (d.all.stages == 3)
				copies_wait_but<1>();
			else
				copies_wait_but<0>();
			__syncthreads();
			copy_chunk<T>(d, io, &ahead, &mine, next);
			chunk_next(d.all, &ahead);
			if (BITS && signs)
				combine_quads<T, P, V, 0>(
					lane, n, now + a, now + b, d.all.one, best);
			else
				combine_quads<T, P, V, APART>(
					lane, n, now + a, now + b, d.all.one, best);
			now = now + stage_bytes == end ? stages : now + stage_bytes;
			next = next + stage_bytes == end ? stages : next + stage_bytes;
		}
		if constexpr (BITS) {
			if (__syncthreads_or(!signs && some_negative<P * V>(&best[0][0]))) {
				signs = true; /* once more, and so all boxes that follow */
				copies_wait();
				begin<T>(d, io, &ahead, &mine, stages, box);
				now = stages;
				next = end - stage_bytes;
				continue;
			}
		}
		out = (T *)io.out + gpube__product_start(&d.all, -1, box) + lane +
		      row_p * d.all.out_row[0] + row_v * d.all.out_row[1];
#pragma unroll
		for (int p = 0; p < P; p++)
#pragma unroll
			for (int v = 0; v < V; v++)
				out[2 * p * d.all.out_row[0] + 2 * v * d.all.out_row[1]] =
					cut_of(best[p][v], cut);
		box += gridDim.x;
	}
}

template <typename T, int APART>
static gpube__quads_function function_of(const struct gpube__quads *d)
{
	switch (d->all.kernel) {
	case QUADS_5X5:
		return quads_kernel<T, 5, 5, APART, 640>;
	case QUADS_8X8:
		return quads_kernel<T, 8, 8, APART, 512>;
	default:
		return NULL;
	}
}

gpube__quads_function gpube__quads_function_i32(const struct gpube__quads *d)
{
	return function_of<int32_t, 3>(d);
}

gpube__quads_function gpube__quads_function_f32(const struct gpube__quads *d)
{
	return function_of<float, 1>(d);
}
