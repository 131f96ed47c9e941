/* contract_whole.cu - the kernels of contract_whole.h, for int32 and float32. */
#include "gpube/ops/contract/contract_whole_tile.cuh"

/* What a thread knows of its block's steps; addresses are of shared memory. */
struct steps {
	const unsigned char *rows;
	uint32_t row_bytes, n;
	uint32_t ring, stages, stages_end, stage_bytes;
	uint32_t group, in_group, group_threads; /* those that work on one contraction */
};

/* A step's first contraction. */
__device__ static inline uint32_t first_of(const struct gpube__whole &d, uint32_t step)
{
	return (blockIdx.x + step * gridDim.x) * d.per_block;
}

/* Whether there is a contraction for the thread. */
__device__ static inline bool has_work(
	const struct gpube__whole &d, const struct steps *s, uint32_t step)
{
	return s->group < d.per_block && first_of(d, step) + s->group < s->n;
}

/* Where the addresses of a step's contraction lie. */
__device__ static inline uint32_t ring_at(
	const struct gpube__whole &d, const struct steps *s, uint32_t step, uint32_t group)
{
	return s->ring + (step % GPUBE_WHOLE_RING * d.per_block + group) * (d.n_ops + 1) * 8;
}

__device__ static inline unsigned char *address_at(uint32_t at)
{
	unsigned char *p;

	asm volatile("ld.shared.b64 %0, [%1];" : "=l"(p) : "r"(at));
	return p;
}

__device__ static inline uint32_t next_stage(const struct steps *s, uint32_t stage)
{
	return stage + s->stage_bytes == s->stages_end ? s->stages : stage + s->stage_bytes;
}

/* The addresses of a step's tables. */
__device__ static inline void copy_rows(
	const struct gpube__whole &d, const struct steps *s, uint32_t step)
{
	const uint32_t first = first_of(d, step), each = d.n_ops + 1;

	for (uint32_t i = threadIdx.x; i < d.per_block * each; i += blockDim.x) {
		const uint32_t group = i / each, k = i - group * each;

		if (first + group < s->n)
			copy_async<8>(ring_at(d, s, step, group) + k * 8,
				s->rows + (uint64_t)(first + group) * s->row_bytes + k * 8);
	}
}

/* The tables of a step, whose addresses are there, to a stage. */
__device__ static inline void copy_tables(
	const struct gpube__whole &d, const struct steps *s, uint32_t step, uint32_t stage)
{
	const uint32_t row = ring_at(d, s, step, s->group), first = s->in_group;

	if (!has_work(d, s, step))
		return;
#pragma unroll 1
	for (uint32_t k = 0; k < d.n_ops; k++) {
		const unsigned char *from = address_at(row + (k + 1) * 8);
		const uint32_t runs = d.table[k].cells / 4;
		const uint32_t to = stage + (s->group * d.words + d.table[k].at) * 4;

#pragma unroll 2
		for (uint32_t i = first; i < runs; i += s->group_threads)
			copy_async<16>(to + i * 16, from + i * 16);
		for (uint32_t i = runs * 4 + first; i < d.table[k].cells; i += s->group_threads)
			copy_async<4>(to + i * 4, from + i * 4);
	}
}

/* Waits until the copies of all steps but the last n have come. */
__device__ static inline void steps_wait_but(uint32_t n)
{
	if (n == 0)
		copies_wait_but<0>();
	else if (n == 1)
		copies_wait_but<1>();
	else
		copies_wait_but<2>();
}

/* W cells that lie together. */
template <typename T, int W> __device__ static inline void load_cells(T *to, uint32_t at)
{
	if constexpr (W == 1)
		load_shared(to, at);
	else
		load_together<T, W>(to, at);
}

/* Where a thread reads a side's operands: its first cell's address, bytes to the next x and value.
 */
template <int N> struct side {
	uint32_t at[N], x[N], reg[N];
};

template <typename T, int N>
__device__ static inline void side_init(const struct gpube__whole &d, int which, const uint32_t *at,
	uint32_t zeros, struct side<N> *s)
{
	constexpr uint32_t BYTES = sizeof(T);

#pragma unroll
	for (int i = 0; i < N; i++) {
		const struct gpube__whole_slot &slot = d.slot[which][i];

		s->at[i] = slot.op < 0 ? zeros : gpube__whole_place(&d, &slot, at) * BYTES;
		s->x[i] = slot.x * BYTES;
		s->reg[i] = slot.reg * BYTES;
	}
}

/* All x for a thread's cells; a are the operands with P's dim, b those without. */
template <typename T, int P, int V, int N, int W>
__device__ static inline void combine(
	const struct gpube__whole &d, struct side<N> a, struct side<N> b, T (*best)[V])
{
#pragma unroll 2
	for (uint32_t x = 0; x < d.n_x; x += W) {
		T with[P][W], without[V][W];

#pragma unroll
		for (int i = 0; i < V; i++)
			load_cells<T, W>(without[i], b.at[0] + d.value[1][i] * b.reg[0]);
#pragma unroll
		for (int i = 0; i < P; i++)
			load_cells<T, W>(with[i], a.at[0] + d.value[0][i] * a.reg[0]);
#pragma unroll
		for (int n = 1; n < N; n++) {
#pragma unroll
			for (int i = 0; i < V; i++) {
				T more[W];

				load_cells<T, W>(more, b.at[n] + d.value[1][i] * b.reg[n]);
#pragma unroll
				for (int w = 0; w < W; w++)
					without[i][w] = add_signed(without[i][w], d.one, more[w]);
			}
#pragma unroll
			for (int i = 0; i < P; i++) {
				T more[W];

				load_cells<T, W>(more, a.at[n] + d.value[0][i] * a.reg[n]);
#pragma unroll
				for (int w = 0; w < W; w++)
					with[i][w] = add_signed(with[i][w], d.one, more[w]);
			}
		}
#pragma unroll
		for (int n = 0; n < N; n++) {
			a.at[n] += a.x[n] * W;
			b.at[n] += b.x[n] * W;
		}
		join_tile<T, P, V, W>(with, without, best);
	}
}

/* A side's operands of the contraction that begins there in the stages. */
template <int N>
__device__ static inline struct side<N> from_stage(
	const struct gpube__whole &d, int which, struct side<N> s, uint32_t from) {
#pragma unroll
	for (int i = 0; i < N; i++)
		s.at[i] += d.slot[which][i].op < 0 ? 0 : from;
	return s;
}

__device__ static inline void
steps_init(const struct gpube__whole &d, struct steps *s, const unsigned char *rows,
	uint32_t row_bytes, uint32_t n, uint32_t stages)
{
	s->rows = rows;
	s->row_bytes = row_bytes;
	s->n = n;
	s->stage_bytes = d.per_block * d.words * 4;
	s->stages = stages;
	s->stages_end = s->ring = stages + d.stages * s->stage_bytes;
	s->group = d.per_block == 1 ? 0 : gpube__whole_split(threadIdx.x, d.lanes, d.by_lanes);
	s->group_threads = d.per_block == 1 ? blockDim.x : d.lanes;
	s->in_group = threadIdx.x - s->group * s->group_threads;
}

/*
 * out[s] = min over x of sum_k in_k[s, x] for n contractions; for integers same bits as
 * contract_ref.c
 * Shape: see the head of contract_whole.h
 * Map:   block for every so-manieth step of per_block contractions; thread per tile of P x V
 *        output cells; the tables of the next stages - 1 steps are on their way meanwhile, and the
 *        addresses of those of as many more: one barrier a step
 * Moves: each input and each output once
 * Ops:   an add-min per joined cell, N * (P + V) reads of shared memory for P * V of them
 * Bound: DRAM
 */
template <typename T, int P, int V, int N, int W, int BLOCKS>
__global__ void __launch_bounds__(GPUBE_WHOLE_THREADS, BLOCKS)
	whole_kernel(const __grid_constant__ struct gpube__whole d, const unsigned char *rows,
		uint32_t row_bytes, uint32_t n)
{
	extern __shared__ __align__(16) unsigned char shared[];
	const struct cut<T> cut = cut_init<T>(&d);
	const uint32_t zeros = (uint32_t)__cvta_generic_to_shared(shared);
	uint32_t at[GPUBE_WHOLE_AXES], out_at, stage, next;
	struct side<N> with, without;
	struct steps s;

	steps_init(d, &s, rows, row_bytes, n, zeros + GPUBE_WHOLE_FIRST * 4);
	if (threadIdx.x < GPUBE_WHOLE_FIRST)
		((uint32_t *)shared)[threadIdx.x] = 0;
	for (uint32_t step = 0; step + 1 < d.stages; step++)
		copy_rows(d, &s, step);
	copies_commit();
	copies_wait();
	__syncthreads();
	stage = next = s.stages;
	for (uint32_t step = 0; step + 1 < d.stages; step++, next = next_stage(&s, next)) {
		copy_tables(d, &s, step, next);
		copy_rows(d, &s, step + d.stages - 1);
		copies_commit();
	}
	gpube__whole_lane(&d, s.in_group, at);
	out_at = gpube__whole_sum(at, d.out_lane);
	side_init<T, N>(d, 0, at, zeros, &with);
	side_init<T, N>(d, 1, at, zeros, &without);
#pragma unroll 1
	for (uint32_t step = 0; first_of(d, step) < n; step++) {
		steps_wait_but(d.stages - 2);
		__syncthreads();
		copy_tables(d, &s, step + d.stages - 1, next);
		copy_rows(d, &s, step + 2 * d.stages - 2);
		copies_commit();
#pragma unroll 1
		for (uint32_t lane = s.in_group; lane < d.lanes && has_work(d, &s, step);
			lane += s.group_threads) {
			const uint32_t from = stage + s.group * d.words * 4;
			T best[P][V];

			if (d.lanes > s.group_threads) {
				gpube__whole_lane(&d, lane, at);
				out_at = gpube__whole_sum(at, d.out_lane);
				side_init<T, N>(d, 0, at, zeros, &with);
				side_init<T, N>(d, 1, at, zeros, &without);
			}
#pragma unroll
			for (int p = 0; p < P; p++)
#pragma unroll
				for (int v = 0; v < V; v++)
					best[p][v] = most<T>();
			combine<T, P, V, N, W>(d, from_stage(d, 0, with, from),
				from_stage(d, 1, without, from), best);
			put_tile<T, P, V>(d, (T *)address_at(ring_at(d, &s, step, s.group)) + out_at,
				best, cut);
		}
		stage = next_stage(&s, stage);
		next = next_stage(&s, next);
	}
}

template <typename T, int P, int V, int BLOCKS, int N>
static gpube__whole_function by_width(uint32_t wide)
{
	return wide == 4   ? whole_kernel<T, P, V, N, 4, BLOCKS>
	       : wide == 2 ? whole_kernel<T, P, V, N, 2, BLOCKS>
			   : whole_kernel<T, P, V, N, 1, BLOCKS>;
}

template <typename T, int P, int V, int BLOCKS>
static gpube__whole_function by_sides(const struct gpube__whole *d)
{
	return d->n_sides == 1 ? by_width<T, P, V, BLOCKS, 1>(d->wide)
			       : by_width<T, P, V, BLOCKS, 2>(d->wide);
}

template <typename T> static gpube__whole_function function_of(const struct gpube__whole *d)
{
	switch (d->kernel) {
	case WHOLE_8X4:
		return by_sides<T, 8, 4, 2>(d);
	case WHOLE_5X2:
		return by_sides<T, 5, 2, 4>(d);
	case WHOLE_8X1:
		return by_sides<T, 8, 1, 4>(d);
	default:
		return NULL;
	}
}

gpube__whole_function gpube__whole_function_i32(const struct gpube__whole *d)
{
	return function_of<int32_t>(d);
}

gpube__whole_function gpube__whole_function_f32(const struct gpube__whole *d)
{
	return function_of<float>(d);
}
