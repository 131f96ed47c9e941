/* contract_lanes.cu - the kernels of contract_lanes.h, for int32 and float32. */
#include "gpube/ops/contract_box_copy.cuh"
#include "gpube/ops/contract_lanes.cuh"

/* 16 bytes of a line of memory of which the rest will be copied soon. */
__device__ static inline void copy_line_async(uint32_t to, const void *from)
{
#if __CUDA_ARCH__ >= 800
	asm volatile("cp.async.cg.shared.global.L2::128B [%0], [%1], 16;" ::"r"(to), "l"(from)
		     : "memory");
#else
	copy_async<16>(to, from);
#endif
}

/* A chunk of a box, of which there is none past the last box. */
template <typename T> struct chunk {
	uint32_t box, x0;
	const T *from[2]; /* its first cells */
};

template <typename T>
__device__ static inline void chunk_init(const struct gpube__lanes &d,
	const struct gpube__lanes_io &io, struct chunk<T> *c, uint32_t box)
{
	c->box = box;
	c->x0 = 0;
	if (box >= d.boxes)
		return;
	c->from[0] = (const T *)io.in[0] + gpube__lanes_start(&d, 0, box);
	c->from[1] = (const T *)io.in[1] + gpube__lanes_start(&d, 1, box);
}

template <typename T>
__device__ static inline void chunk_next(
	const struct gpube__lanes &d, const struct gpube__lanes_io &io, struct chunk<T> *c)
{
	c->x0 += d.chunk;
	c->from[0] += (uint64_t)d.chunk * d.x[0];
	c->from[1] += (uint64_t)d.chunk * d.x[1];
	if (c->x0 >= d.n_x)
		chunk_init(d, io, c, c->box + gridDim.x);
}

/* What a thread copies: from its first row of a chunk on, 'step' rows apart. */
struct copier {
	uint32_t row, step, x, lane;
	uint32_t from[2]; /* cells from an operand's first one of row 0 and x 0 of the chunk */
	uint32_t to;      /* bytes from the stage's begin, of row 0 */
};

template <int W>
__device__ static inline void copier_init(const struct gpube__lanes &d, struct copier *c)
{
	const uint32_t units = gpube__lanes_units(&d), row = threadIdx.x / units;

	gpube__lanes_unit(&d, threadIdx.x - row * units, &c->lane, &c->x);
	c->step = blockDim.x / units;
	c->row = c->lane < d.n_lanes && row < c->step ? row : d.rows;
	c->from[0] = c->lane * d.lane[0];
	c->from[1] = c->lane * d.lane[1];
	c->to = 4 * (c->x / W * d.x_words + gpube__lanes_word(&d, 0, c->lane));
}

/* Starts the copies of a chunk to the stage at 'to'. */
template <typename T, int W>
__device__ static inline void copy_chunk(const struct gpube__lanes &d, const struct copier &copier,
	const struct chunk<T> &c, uint32_t to)
{
	const uint32_t n_x = min(d.chunk, d.n_x - c.x0);
	/* four x of the table instead of those of the chunk */
	const uint32_t x = W == 1 ? 0 : gpube__lanes_x(&d, copier.lane, c.x0 + copier.x) - c.x0;

	if (c.box >= d.boxes || copier.x >= n_x)
		return;
#pragma unroll 1
	for (uint32_t row = copier.row; row < d.rows; row += copier.step) {
		const bool is_v = row >= d.rows_p;
		const uint32_t row_at =
			(is_v ? row - d.rows_p : row) * (is_v ? d.row[1] : d.row[0]);
		const T *const base = is_v ? c.from[1] : c.from[0];
		uint32_t from = row_at + (is_v ? copier.from[1] : copier.from[0]);
		uint32_t at = to + copier.to + row * (128 * W);

		if constexpr (W > 1) {
			copy_line_async(at, base + (int32_t)(from + x));
		} else {
			const uint32_t x_cells = is_v ? d.x[1] : d.x[0];

#pragma unroll 4
			for (uint32_t i = 0; i < n_x; i++) {
				copy_async<16>(at, base + from);
				from += x_cells;
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

/*
 * The same where four x lie together: two at a time, and every other eight lanes begin with the
 * last two, so that no two of sixteen lanes read the same bank.
 */
template <typename T, int P, int V>
__device__ static inline void combine_four(
	uint32_t n, uint32_t a, uint32_t b, uint32_t x_bytes, T (*best)[V])
{
	const uint32_t turn = (threadIdx.x & 8u) * (uint32_t)sizeof(T) / 4;

	a ^= turn;
	b ^= turn;
#pragma unroll 1
	for (uint32_t x = 0; x < n; x += 4) {
#pragma unroll
		for (int half = 0; half < 2; half++) {
			T row_b[V][2];

#pragma unroll
			for (int v = 0; v < V; v++)
				load_together<T, 2>(row_b[v], b + (uint32_t)v * 512);
#pragma unroll
			for (int p = 0; p < P; p++) {
				T row_a[2];

				load_together<T, 2>(row_a, a + (uint32_t)p * 512);
#pragma unroll
				for (int i = 0; i < 2; i++)
#pragma unroll
					for (int v = 0; v < V; v++)
						best[p][v] =
							add_min(row_a[i], row_b[v][i], best[p][v]);
			}
			a ^= 8;
			b ^= 8;
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
 * Bound: the unit of the add-mins, which is busy 70 % of the time by an H100's counters. Four x at
 * a time, not that, nor the bytes of the L2 cache (42 %), but probably how many runs of 32 bytes a
 * multiprocessor asks it for; rows of fewer lanes would have longer runs
 */
template <typename T, int P, int V, int W, int THREADS>
__global__ void __launch_bounds__(THREADS, 1)
	lanes_kernel(const __grid_constant__ struct gpube__lanes d,
		const __grid_constant__ struct gpube__lanes_io io)
{
	extern __shared__ __align__(16) unsigned char shared[];
	const struct cut<T> cut = cut_init<T>(&d);
	const uint32_t stages = (uint32_t)__cvta_generic_to_shared(shared);
	const uint32_t stage_bytes = d.stage_words * 4, end = stages + d.stages * stage_bytes;
	const uint32_t warp = threadIdx.x / 32, lane = threadIdx.x % 32, at_p = warp / d.warps_v;
	const uint32_t row_p = at_p * P, row_v = (warp - at_p * d.warps_v) * V;
	const uint32_t a = 4 * gpube__lanes_word(&d, row_p, lane);
	const uint32_t b = 4 * gpube__lanes_word(&d, d.rows_p + row_v, lane);
	uint32_t now = stages, next = stages;
	struct chunk<T> ahead;
	struct copier copier;

	copier_init<W>(d, &copier);
	chunk_init(d, io, &ahead, blockIdx.x);
#pragma unroll 1
	for (uint32_t i = 1; i < d.stages; i++) {
		copy_chunk<T, W>(d, copier, ahead, next);
		copies_commit();
		chunk_next(d, io, &ahead);
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

			if (d.stages == 2)
				copies_wait_but<0>();
			else
				copies_wait_but<1>();
			__syncthreads();
			copy_chunk<T, W>(d, copier, ahead, next);
			copies_commit();
			chunk_next(d, io, &ahead);
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
