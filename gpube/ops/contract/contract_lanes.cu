/* contract_lanes.cu - the kernels of contract_lanes.h, for int32 and float32. */
#include "gpube/ops/contract/boxes/contract_bits.cuh"
#include "gpube/ops/contract/contract_lanes.cuh"

/* Starts the copies of a chunk to the stage at 'to'. */
template <typename T>
__device__ static inline void copy_chunk(const struct gpube__lanes &d,
	const struct gpube__product_io &io, const struct product_chunk *c, uint32_t to)
{
	const uint32_t n_x = min(d.all.chunk, d.all.n_x - c->at), lane = threadIdx.x % 8 * 4;

#pragma unroll 1
	for (uint32_t row = threadIdx.x / 8; c->box < d.all.boxes && row < d.all.rows;
		row += blockDim.x / 8) {
		const bool k = row >= d.all.rows_p;
		const uint32_t step = k ? d.all.x[1] : d.all.x[0];
		const T *from = (const T *)(k ? io.in[1] : io.in[0]) +
				((k ? c->start[1] + (row - d.all.rows_p) * d.all.row[1]
				    : c->start[0] + row * d.all.row[0]) +
					c->at * step + lane);
		uint32_t at = to + 4 * gpube__lanes_word(row, lane);

		if (lane >= d.all.n_lanes)
			break;
#pragma unroll 4
		for (uint32_t x = 0; x < n_x; x++) {
			copy_async<16>(at, from);
			from += step;
			at += d.x_words * 4;
		}
	}
	copies_commit();
}

/* n of x from shared memory, in steps of x_bytes; the rows of P's operand begin at a. */
template <typename T, int P, int V, int APART>
__device__ static inline void combine(
	uint32_t n, uint32_t a, uint32_t b, uint32_t x_bytes, int one, T (*best)[V])
{
	uint32_t x = 0;

#pragma unroll 1
	for (; APART && x + 1 < n; x += 2) {
		T row_b[V][2];

#pragma unroll
		for (int i = 0; i < 2; i++)
#pragma unroll
			for (int v = 0; v < V; v++)
				load_shared(&row_b[v][i],
					b + (uint32_t)i * x_bytes + (uint32_t)v * 128);
#pragma unroll
		for (int p = 0; p < P; p++) {
			T row_a[2];

#pragma unroll
			for (int i = 0; i < 2; i++)
				load_shared(
					&row_a[i], a + (uint32_t)i * x_bytes + (uint32_t)p * 128);
#pragma unroll
			for (int v = 0; v < V; v++)
				best[p][v] = two_of<T, APART>(
					p * V + v, row_a, row_b[v], one, best[p][v]);
		}
		a += 2 * x_bytes;
		b += 2 * x_bytes;
	}
#pragma unroll 2
	for (; x < n; x++) {
		T row_a[P], row_b[V];

#pragma unroll
		for (int v = 0; v < V; v++)
			load_shared(&row_b[v], b + (uint32_t)v * 128);
#pragma unroll
		for (int p = 0; p < P; p++)
			load_shared(&row_a[p], a + (uint32_t)p * 128);
		a += x_bytes;
		b += x_bytes;
#pragma unroll
		for (int p = 0; p < P; p++)
#pragma unroll
			for (int v = 0; v < V; v++)
				best[p][v] = add_min(row_a[p], row_b[v], best[p][v]);
	}
}

/* The ring of stages: begins with a box. */
template <typename T>
__device__ static inline void begin(const struct gpube__lanes &d,
	const struct gpube__product_io &io, struct product_chunk *ahead, uint32_t stages,
	uint32_t box)
{
	chunk_init(d.all, ahead, box);
#pragma unroll 1
	for (uint32_t i = 0; i + 1 < d.all.stages; i++) {
		copy_chunk<T>(d, io, ahead, stages + i * d.all.stage_words * 4);
		chunk_next(d.all, ahead);
	}
}

/*
 * out[s] = min over x of in_0[s, x] + in_1[s, x]; for integers same bits as contract_ref.c
 * Shape: see the head of contract_lanes.h
 * Map:   block for every so-manieth box; lane per value of the shared last dim; thread per tile of
 *        P x V output cells; one barrier a chunk
 * Moves: of each operand what a box needs, once a box, boxes that share it side by side in time;
 * the output once Ops:   an add-min per joined cell, P + V reads of shared memory for P * V of them
 * Bound: the unit of the add-mins
 */
template <typename T, int P, int V, int APART, int THREADS>
__global__ void __launch_bounds__(THREADS, 1)
	lanes_kernel(const __grid_constant__ struct gpube__lanes d,
		const __grid_constant__ struct gpube__product_io io)
{
	extern __shared__ __align__(16) unsigned char shared[];
	constexpr bool BITS = (T)0.5f != (T)0 && APART;
	const struct cut<T> cut = cut_init<T>(&d.all);
	const uint32_t stages = (uint32_t)__cvta_generic_to_shared(shared);
	const uint32_t stage_bytes = d.all.stage_words * 4,
		       end = stages + d.all.stages * stage_bytes;
	const uint32_t warp = threadIdx.x / 32, lane = threadIdx.x % 32,
		       at_p = warp / d.all.warps_v;
	const uint32_t row_p = at_p * P, row_v = (warp - at_p * d.all.warps_v) * V;
	const uint32_t a = 4 * gpube__lanes_word(row_p, lane);
	const uint32_t b = 4 * gpube__lanes_word(d.all.rows_p + row_v, lane);
	uint32_t now = stages, next = end - stage_bytes;
	struct product_chunk ahead;

	bool signs = false; /* some sum has had one */

	begin<T>(d, io, &ahead, stages, blockIdx.x);
#pragma unroll 1
	for (uint32_t box = blockIdx.x; box < d.all.boxes;) {
		T best[P][V], *out;

#pragma unroll
		for (int p = 0; p < P; p++)
#pragma unroll
			for (int v = 0; v < V; v++)
				best[p][v] = most<T>();
#pragma unroll 1
		for (uint32_t x0 = 0; x0 < d.all.n_x; x0 += d.all.chunk) {
			const uint32_t n = min(d.all.chunk, d.all.n_x - x0);

			if (d.all.stages == 3)
				copies_wait_but<1>();
			else
				copies_wait_but<0>();
			__syncthreads();
			copy_chunk<T>(d, io, &ahead, next);
			chunk_next(d.all, &ahead);
			if (BITS && signs)
				combine<T, P, V, 0>(
					n, now + a, now + b, d.x_words * 4, d.all.one, best);
			else
				combine<T, P, V, APART>(
					n, now + a, now + b, d.x_words * 4, d.all.one, best);
			now = now + stage_bytes == end ? stages : now + stage_bytes;
			next = next + stage_bytes == end ? stages : next + stage_bytes;
		}
		if constexpr (BITS) {
			if (__syncthreads_or(!signs && lane < d.all.n_lanes &&
					     some_negative<P * V>(&best[0][0]))) {
				signs = true; /* once more, and so all boxes that follow */
				copies_wait();
				begin<T>(d, io, &ahead, stages, box);
				now = stages;
				next = end - stage_bytes;
				continue;
			}
		}
		if (lane >= d.all.n_lanes) {
			box += gridDim.x;
			continue;
		}
		out = (T *)io.out + gpube__product_start(&d.all, -1, box) + lane +
		      row_p * d.all.out_row[0] + row_v * d.all.out_row[1];
#pragma unroll
		for (int p = 0; p < P; p++)
#pragma unroll
			for (int v = 0; v < V; v++)
				out[p * d.all.out_row[0] + v * d.all.out_row[1]] =
					cut_of(best[p][v], cut);
		box += gridDim.x;
	}
}

template <typename T, int APART>
static gpube__lanes_function function_of(const struct gpube__lanes *d)
{
	switch (d->all.kernel) {
	case LANES_8X8:
		return lanes_kernel<T, 8, 8, APART, 512>;
	case LANES_10X5:
		return lanes_kernel<T, 10, 5, APART, 640>;
	default:
		return NULL;
	}
}

/* integers by add-mins alone: with minima of three it took as long */
gpube__lanes_function gpube__lanes_function_i32(const struct gpube__lanes *d)
{
	return function_of<int32_t, 0>(d);
}

gpube__lanes_function gpube__lanes_function_f32(const struct gpube__lanes *d)
{
	return function_of<float, 1>(d);
}
