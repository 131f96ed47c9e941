/* contract_lanes.cu - the kernels of contract_lanes.h, for int32 and float32. */
#include "gpube/ops/contract_box_copy.cuh"
#include "gpube/ops/contract_lanes.cuh"

/* A chunk of a box, of which there is none past the last box. */
struct chunk {
	uint32_t box, x0;
	uint32_t start[2]; /* cells before the box in each operand */
};

__device__ static inline void chunk_init(
	const struct gpube__lanes &d, struct chunk *c, uint32_t box)
{
	c->box = box;
	c->x0 = 0;
	if (box >= d.boxes)
		return;
	c->start[0] = (uint32_t)gpube__lanes_start(&d, 0, box);
	c->start[1] = (uint32_t)gpube__lanes_start(&d, 1, box);
}

__device__ static inline void chunk_next(const struct gpube__lanes &d, struct chunk *c)
{
	c->x0 += d.chunk;
	if (c->x0 >= d.n_x)
		chunk_init(d, c, c->box + gridDim.x);
}

/* Starts the copies of a chunk to the stage at 'to'. */
template <typename T, int W>
__device__ static inline void copy_chunk(const struct gpube__lanes &d,
	const struct gpube__lanes_io &io, const struct chunk *c, uint32_t to)
{
	const uint32_t n_units = gpube__lanes_units(&d), n_x = min(d.chunk, d.n_x - c->x0);

	if (c->box >= d.boxes)
		return;
#pragma unroll 1
	for (uint32_t u = threadIdx.x; u < n_units; u += blockDim.x) {
		uint32_t k, offset, x, at;
		const T *from;
		bool is_in;

		at = to + 4 * gpube__lanes_unit(&d, u, &k, &offset, &x, &is_in);
		offset += (k ? c->start[1] : c->start[0]) + c->x0 * d.x[k];
		from = (const T *)io.in[k] + offset;
		if (!is_in || x >= n_x)
			continue;
		if constexpr (W > 1) {
			copy_async<16>(at, from);
		} else {
#pragma unroll 4
			for (; x < n_x; x++) {
				copy_async<16>(at, from);
				from += d.x[k];
				at += d.x_words * 4;
			}
		}
	}
}

/* n of x from shared memory, in steps of x_bytes; the rows of P's operand begin at a. */
template <typename T, int P, int V>
__device__ static inline void combine_one(
	uint32_t n, uint32_t a, uint32_t b, uint32_t x_bytes, T (*best)[V])
{
#pragma unroll 2
	for (uint32_t x = 0; x < n; x++) {
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

/* The same, four x at a time. */
template <typename T, int P, int V>
__device__ static inline void combine_four(
	uint32_t n, uint32_t a, uint32_t b, uint32_t x_bytes, T (*best)[V])
{
#pragma unroll 1
	for (uint32_t x = 0; x < n; x += 4) {
		T row_b[V][4];

#pragma unroll
		for (int v = 0; v < V; v++)
			load_together<T, 4>(row_b[v], b + (uint32_t)v * 512);
#pragma unroll
		for (int p = 0; p < P; p++) {
			T row_a[4];

			load_together<T, 4>(row_a, a + (uint32_t)p * 512);
#pragma unroll
			for (int i = 0; i < 4; i++)
#pragma unroll
				for (int v = 0; v < V; v++)
					best[p][v] = add_min(row_a[i], row_b[v][i], best[p][v]);
		}
		a += x_bytes;
		b += x_bytes;
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
template <typename T, int P, int V, int W, int THREADS>
__global__ void __launch_bounds__(THREADS, 1)
	lanes_kernel(const __grid_constant__ struct gpube__lanes d,
		const __grid_constant__ struct gpube__lanes_io io)
{
	extern __shared__ __align__(16) unsigned char shared[];
	const struct cut<T> cut = cut_init<T>(&d);
	const uint32_t stages = (uint32_t)__cvta_generic_to_shared(shared);
	const uint32_t stage_bytes = d.stage_words * 4,
		       end = stages + GPUBE_LANES_STAGES * stage_bytes;
	const uint32_t warp = threadIdx.x / 32, lane = threadIdx.x % 32, at_p = warp / d.warps_v;
	const uint32_t row_p = at_p * P, row_v = (warp - at_p * d.warps_v) * V;
	const uint32_t a = 4 * gpube__lanes_word(&d, row_p, lane);
	const uint32_t b = 4 * gpube__lanes_word(&d, d.rows_p + row_v, lane);
	uint32_t now = stages, next = stages;
	struct chunk ahead;

	chunk_init(d, &ahead, blockIdx.x);
#pragma unroll 1
	for (int i = 0; i < GPUBE_LANES_STAGES - 1; i++) {
		copy_chunk<T, W>(d, io, &ahead, next);
		copies_commit();
		chunk_next(d, &ahead);
		next += stage_bytes;
	}
#pragma unroll 1
	for (uint32_t box = blockIdx.x; box < d.boxes; box += gridDim.x) {
		T best[P][V], *out;

#pragma unroll
		for (int p = 0; p < P; p++)
#pragma unroll
			for (int v = 0; v < V; v++)
				best[p][v] = most<T>();
#pragma unroll 1
		for (uint32_t x0 = 0; x0 < d.n_x; x0 += d.chunk) {
			const uint32_t n = min(d.chunk, d.n_x - x0);

			copies_wait_but<GPUBE_LANES_STAGES - 2>();
			__syncthreads();
			copy_chunk<T, W>(d, io, &ahead, next);
			copies_commit();
			chunk_next(d, &ahead);
			if constexpr (W == 1)
				combine_one<T, P, V>(n, now + a, now + b, d.x_words * 4, best);
			else
				combine_four<T, P, V>(n, now + a, now + b, d.x_words * 4, best);
			now = now + stage_bytes == end ? stages : now + stage_bytes;
			next = next + stage_bytes == end ? stages : next + stage_bytes;
		}
		if (lane >= d.n_lanes)
			continue;
		out = (T *)io.out + gpube__lanes_start(&d, -1, box) + lane + row_p * d.out_row[0] +
		      row_v * d.out_row[1];
#pragma unroll
		for (int p = 0; p < P; p++)
#pragma unroll
			for (int v = 0; v < V; v++)
				out[p * d.out_row[0] + v * d.out_row[1]] = cut_of(best[p][v], cut);
	}
}

template <typename T> static gpube__lanes_function function_of(const struct gpube__lanes *d)
{
	switch (d->kernel) {
	case LANES_8X8:
		return d->wide == 1 ? lanes_kernel<T, 8, 8, 1, 512> : lanes_kernel<T, 8, 8, 4, 512>;
	case LANES_10X5:
		return d->wide == 1 ? lanes_kernel<T, 10, 5, 1, 640>
				    : lanes_kernel<T, 10, 5, 4, 640>;
	default:
		return NULL;
	}
}

gpube__lanes_function gpube__lanes_function_i32(const struct gpube__lanes *d)
{
	return function_of<int32_t>(d);
}

gpube__lanes_function gpube__lanes_function_f32(const struct gpube__lanes *d)
{
	return function_of<float>(d);
}
