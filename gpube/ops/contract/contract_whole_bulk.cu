/* contract_whole_bulk.cu - the kernels of contract_whole.h in bulk, for int32 and float32. */
#include "gpube/ops/contract/bulk.cuh"
#include "gpube/ops/contract/contract_whole_tile.cuh"

#ifdef GPUBE_HAS_BULK

/* ---- a block's memory ----------------------------------------------------------------------- */

/* Before the stages; then the output. */
struct head {
	uint64_t barrier[GPUBE_WHOLE_STAGES];
	unsigned char *out[GPUBE_WHOLE_STAGES]; /* where a stage's output goes */
};

__device__ static inline unsigned char *stage_of(
	const struct gpube__whole &d, unsigned char *shared, uint32_t stage)
{
	return shared + GPUBE_BULK_FIRST * 4 + stage * d.words * 4;
}

/* What this lane brings of a contraction's row of addresses: one of them. */
__device__ static inline unsigned char *row_of(const struct gpube__whole &d,
	const unsigned char *rows, uint32_t row_bytes, uint32_t n, uint32_t i)
{
	if (i >= n || threadIdx.x > d.n_ops)
		return NULL;
	return (unsigned char *)__ldg((const unsigned long long *)(rows + (uint64_t)i * row_bytes) +
		threadIdx.x);
}

/* By the first warp: asks for the tables of a contraction, if there is one. */
__device__ static inline void ask(const struct gpube__whole &d, unsigned char *shared,
	uint32_t stage, unsigned char *row, uint64_t policy)
{
	struct head *h = (struct head *)shared;
	unsigned char *const out = (unsigned char *)__shfl_sync(~0u, (uint64_t)row, 0);
	const uint32_t to = address_of(stage_of(d, shared, stage));
	const uint32_t barrier = address_of(&h->barrier[stage]);

	if (!out)
		return;
	if (threadIdx.x == 0) {
		h->out[stage] = out;
		barrier_expect(barrier, d.words * 4);
	}
#pragma unroll
	for (uint32_t k = 0; k < 2 * GPUBE_WHOLE_SIDE; k++) {
		if (k == d.n_ops)
			break;
		const void *from = (const void *)__shfl_sync(~0u, (uint64_t)row, k + 1);

		if (threadIdx.x == 0)
			bulk_load(to + d.table[k].at * 4, from, (d.table[k].cells + 3) / 4 * 16,
				barrier, policy);
	}
}

/* ---- arithmetic ----------------------------------------------------------------------------- */

/* Bytes of a stage before what a thread reads of N operands for its R register cells. */
template <int N, int R> struct reads {
	uint32_t at[N][R], x[N];
};

template <int N, int R>
__device__ static inline void reads_init(
	const struct gpube__whole &d, int side, const uint32_t *at, struct reads<N, R> *r)
{
#pragma unroll
	for (int i = 0; i < N; i++) {
		const struct gpube__whole_slot &s = d.slot[side][i];
		const uint32_t place = gpube__whole_place(&d, &s, at);

		r->x[i] = s.x * 4;
#pragma unroll
		for (int j = 0; j < R; j++)
			r->at[i][j] = (place + d.value[side][j] * s.reg) * 4;
	}
}

template <typename T, int W>
__device__ static inline void load_wide(T *to, const unsigned char *from)
{
	if constexpr (W == 4) {
		const int4 v = *(const int4 *)from;

		memcpy(to, &v, sizeof(v));
	} else if constexpr (W == 2) {
		const int2 v = *(const int2 *)from;

		memcpy(to, &v, sizeof(v));
	} else {
		*to = *(const T *)from;
	}
}

/* Sums of a side's operands, for W of x. */
template <typename T, int N, int R, int W>
__device__ static inline void load_sums(const struct gpube__whole &d,
	const unsigned char *const *from, const struct reads<N, R> &r, T (*to)[W])
{
#pragma unroll
	for (int j = 0; j < R; j++)
		load_wide<T, W>(to[j], from[0] + r.at[0][j]);
#pragma unroll
	for (int i = 1; i < N; i++)
#pragma unroll
		for (int j = 0; j < R; j++) {
			T more[W];

			load_wide<T, W>(more, from[i] + r.at[i][j]);
#pragma unroll
			for (int w = 0; w < W; w++)
				to[j][w] = add_one(more[w], d.one, to[j][w]);
		}
}

template <typename T, int P, int V, int NA, int NB, int W>
__device__ static inline void combine(const struct gpube__whole &d, const unsigned char *stage,
	const struct reads<NA, P> &a, const struct reads<NB, V> &b, T (*best)[V])
{
	const unsigned char *from_a[NA], *from_b[NB];

#pragma unroll
	for (int i = 0; i < NA; i++)
		from_a[i] = stage;
#pragma unroll
	for (int i = 0; i < NB; i++)
		from_b[i] = stage;
#pragma unroll
	for (int p = 0; p < P; p++)
#pragma unroll
		for (int v = 0; v < V; v++)
			best[p][v] = most<T>();
#pragma unroll 1
	for (uint32_t x = 0; x < d.n_x; x += W) {
		T with[P][W], without[V][W];

		load_sums<T, NB, V, W>(d, from_b, b, without);
		load_sums<T, NA, P, W>(d, from_a, a, with);
#pragma unroll
		for (int i = 0; i < NA; i++)
			from_a[i] += a.x[i] * W;
#pragma unroll
		for (int i = 0; i < NB; i++)
			from_b[i] += b.x[i] * W;
		join_tile<T, P, V, W>(with, without, best);
	}
}

/* By the first warp: the output to memory. */
template <typename T>
__device__ static inline void send_output(const struct gpube__whole &d, T *to, const T *result)
{
	const uint32_t rest = d.out_cells % 4, whole = d.out_cells - rest;

	if (threadIdx.x < rest)
		to[whole + threadIdx.x] = result[whole + threadIdx.x];
	if (threadIdx.x == 0 && whole)
		bulk_store(to, address_of(result), whole * 4);
}

/*
 * out[s] = min over x of sum_k in_k[s, x] for n contractions; for integers same bits as
 * contract_ref.c
 * Shape: see the head of contract_whole.h
 * Map:   block for one contraction after the other, the first d.stages of them by its number, each
 *        further one whichever is next when it has room for it (multiprocessors get unequal shares
 *        of the memory's rate); thread per tile of P x V output cells; tables of the next
 *        contractions are on their way meanwhile
 * Moves: each input and each output once
 * Ops:   an add-min per joined cell, NA * P + NB * V reads of shared memory for P * V of them
 * Bound: DRAM
 */
template <typename T, int P, int V, int NA, int NB, int W>
__global__ void __launch_bounds__(GPUBE_WHOLE_THREADS, P * V > 16 ? 2 : 4)
	bulk_kernel(const __grid_constant__ struct gpube__whole d, const unsigned char *rows,
		uint32_t row_bytes, uint32_t n, uint32_t *taken)
{
	extern __shared__ __align__(128) unsigned char shared[];
	const struct cut<T> cut = cut_init<T>(&d);
	struct head *const h = (struct head *)shared;
	T *const result = (T *)stage_of(d, shared, d.stages);
	const uint64_t policy = read_once();
	uint32_t at[GPUBE_WHOLE_AXES], out_at, stage = 0, parity = 0;
	struct reads<NA, P> with;
	struct reads<NB, V> without;

	if (threadIdx.x < 32) {
		unsigned char *row[GPUBE_WHOLE_STAGES];

#pragma unroll
		for (uint32_t s = 0; s < GPUBE_WHOLE_STAGES; s++)
			row[s] = s < d.stages ? row_of(d, rows, row_bytes, n,
							blockIdx.x + s * gridDim.x)
					      : NULL;
		if (threadIdx.x < GPUBE_WHOLE_STAGES) {
			h->out[threadIdx.x] = NULL;
			barrier_init(address_of(&h->barrier[threadIdx.x]), 1);
			barriers_made();
		}
		__syncwarp();
#pragma unroll
		for (uint32_t s = 0; s < GPUBE_WHOLE_STAGES; s++)
			if (s < d.stages)
				ask(d, shared, s, row[s], policy);
	}
	gpube__whole_lane(&d, threadIdx.x, at);
	out_at = gpube__whole_sum(at, d.out_lane);
	reads_init(d, 0, at, &with);
	reads_init(d, 1, at, &without);
	__syncthreads();
	/* stages are filled in turn: the first that has no contraction is the last */
#pragma unroll 1
	for (T *out; (out = (T *)h->out[stage]);) {
		unsigned char *row = NULL;
		uint32_t next = 0;
		T best[P][V];

		if (threadIdx.x == 0)
			next = atomicAdd(taken, 1) + d.stages * gridDim.x;
		barrier_wait(address_of(&h->barrier[stage]), parity);
		if (threadIdx.x < d.lanes)
			combine<T, P, V, NA, NB, W>(
				d, stage_of(d, shared, stage), with, without, best);
		if (threadIdx.x < 32)
			row = row_of(d, rows, row_bytes, n, __shfl_sync(~0u, next, 0));
		if (threadIdx.x == 0)
			bulk_stores_read();
		__syncthreads();
		if (threadIdx.x < d.lanes)
			put_tile<T, P, V>(d, result + out_at, best, cut);
		before_bulk();
		__syncthreads();
		if (threadIdx.x < 32) {
			send_output(d, out, result);
			if (threadIdx.x == 0)
				h->out[stage] = NULL;
			__syncwarp();
			ask(d, shared, stage, row, policy);
		}
		if (++stage == d.stages) {
			stage = 0;
			parity ^= 1;
		}
	}
	if (threadIdx.x == 0)
		bulk_stores_read();
}

#else

template <typename T, int P, int V, int NA, int NB, int W>
__global__ void bulk_kernel(const __grid_constant__ struct gpube__whole d,
	const unsigned char *rows, uint32_t row_bytes, uint32_t n, uint32_t *taken)
{
}

#endif

template <typename T, int P, int V, int NA, int NB>
static gpube__bulk_function by_width(uint32_t wide)
{
	return wide == 4   ? bulk_kernel<T, P, V, NA, NB, 4>
	       : wide == 2 ? bulk_kernel<T, P, V, NA, NB, 2>
			   : bulk_kernel<T, P, V, NA, NB, 1>;
}

template <typename T, int P, int V>
static gpube__bulk_function by_sides(const struct gpube__whole *d)
{
	if (d->n_of[0] == 1)
		return d->n_of[1] == 1 ? by_width<T, P, V, 1, 1>(d->wide)
				       : by_width<T, P, V, 1, 2>(d->wide);
	return d->n_of[1] == 1 ? by_width<T, P, V, 2, 1>(d->wide)
			       : by_width<T, P, V, 2, 2>(d->wide);
}

template <typename T> static gpube__bulk_function function_of(const struct gpube__whole *d)
{
	switch (d->kernel) {
	case BULK_4X10:
		return by_sides<T, 4, 10>(d);
	case BULK_8X4:
		return by_sides<T, 8, 4>(d);
	case BULK_8X1:
		return by_sides<T, 8, 1>(d);
	default:
		return NULL;
	}
}

gpube__bulk_function gpube__bulk_function_i32(const struct gpube__whole *d)
{
	return function_of<int32_t>(d);
}

gpube__bulk_function gpube__bulk_function_f32(const struct gpube__whole *d)
{
	return function_of<float>(d);
}
