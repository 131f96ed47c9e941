/*
 * subset_tile.cuh - the kernel of subset_convolve on a device: pairs of blocks of
 * disjoint names, as subset_blocks.h cuts them.
 */
#ifndef GPUBE_SUBSET_TILE_CUH
#define GPUBE_SUBSET_TILE_CUH

#include <cuda_pipeline.h>

#include "gpube/ops/device/device.cuh"

extern "C" {
#include "gpube/ops/subset/subset_blocks.h"
}

#define ROW_BYTES    256
#define PADDED_BYTES (ROW_BYTES + 16)                /* see gpube__lane_order() */
#define BLOCK_BYTES  (GPUBE_ROWS * PADDED_BYTES)     /* of a or of b, in shared memory */
#define STAGE_BYTES  (2 * BLOCK_BYTES)               /* of both */
#define STAGES       3                               /* one at work, two on their way */
#define CHUNKS       (GPUBE_ROWS * (ROW_BYTES / 16)) /* 16 bytes each, of a block */

/* A word is what a register holds: a value, or two of 16 bits. */
template <class T> struct op_single {
	typedef T word;
	typedef T value;
	static const bool paired = false;
	static __device__ word lowest();
	static __device__ word addmax(word a, word b, word c);
	static __device__ word best(word a, word b)
	{
		return a > b ? a : b;
	}
};

#define SINGLE(NAME, T, LOWEST)                                                                    \
	typedef op_single<T> op_##NAME;                                                            \
	template <> __device__ inline T op_##NAME::lowest()                                        \
	{                                                                                          \
		return LOWEST;                                                                     \
	}                                                                                          \
	template <> __device__ inline T op_##NAME::addmax(T a, T b, T c)                           \
	{                                                                                          \
		return gpube__addmax_##NAME(a, b, c);                                              \
	}
SINGLE(i32, int32_t, INT32_MIN)
SINGLE(i64, int64_t, INT64_MIN)
SINGLE(f32, float, -INFINITY)
SINGLE(f64, double, -INFINITY)
template <> __device__ inline float op_f32::best(float a, float b)
{
	return fmaxf(a, b);
}

struct op_i16 {
	typedef uint32_t word;
	typedef int16_t value;
	static const bool paired = true;
	static __device__ word lowest()
	{
		return 0x80008000u;
	}
	static __device__ word addmax(word a, word b, word c)
	{
		return gpube__addmax_i16x2(a, b, c);
	}
	static __device__ word best(word a, word b)
	{
		return __vmaxs2(a, b);
	}
};

template <class Op> struct shape {
	static const int r_bits = sizeof(typename Op::word) == 8 ? 5 : 6;
	static const int n_words = 1 << r_bits; /* of a row, of a thread's accumulators */
	static const int half = n_words / 2;
	static const int per_chunk = 16 / (int)sizeof(typename Op::word);
	static const int n_threads = Op::paired ? 128 : 256;
	static const int n_lanes = Op::paired ? GPUBE_LANES_PAIRED : GPUBE_LANES_SINGLE;
	/* on a multiprocessor: 128 registers for each thread; in pairs that would spill, 168 */
	static const int n_groups = Op::paired ? 3 : 2;
};

struct tile_args {
	const void *a, *b; /* words */
	void *out, *scratch;
	const uint8_t *lane_order;
	const struct gpube__block_item *items;
	unsigned long long *done;
	struct gpube__watch *watch;
};

template <class W> union chunk {
	int4 all;
	W word[16 / sizeof(W)];
};

/* c[y | z] = max(c[y | z], a[y] + b[z]) for disjoint y and z below HALF; b in shared memory. */
template <class Op, int HALF>
static __device__ __forceinline__ void convolve_half(
	typename Op::word *c, const typename Op::word *a, const char *b)
{
	const int n = shape<Op>::per_chunk;

#pragma unroll
	for (int k = 0; k < HALF / n; k++) {
		chunk<typename Op::word> v;

		v.all = *(const int4 *)(b + 16 * k);
#pragma unroll
		for (int i = 0; i < n; i++)
#pragma unroll
			for (int y = 0; y < HALF; y++)
				if (!(y & (k * n + i)))
					c[y | (k * n + i)] =
						Op::addmax(a[y], v.word[i], c[y | (k * n + i)]);
	}
}

template <class Op, int N>
static __device__ __forceinline__ void load_words(typename Op::word *to, const char *from)
{
#pragma unroll
	for (int k = 0; k < N / shape<Op>::per_chunk; k++) {
		chunk<typename Op::word> v;

		v.all = *(const int4 *)(from + 16 * k);
#pragma unroll
		for (int i = 0; i < shape<Op>::per_chunk; i++)
			to[k * shape<Op>::per_chunk + i] = v.word[i];
	}
}

template <class Op, int N>
static __device__ __forceinline__ void store_words(char *to, const typename Op::word *from)
{
#pragma unroll
	for (int k = 0; k < N / shape<Op>::per_chunk; k++) {
		chunk<typename Op::word> v;

#pragma unroll
		for (int i = 0; i < shape<Op>::per_chunk; i++)
			v.word[i] = from[k * shape<Op>::per_chunk + i];
		*(int4 *)(to + 16 * k) = v.all;
	}
}

/* A row of a with a row of b: the highest register bit by hand, so that half of a is enough. */
template <class Op>
static __device__ __forceinline__ void convolve_rows(
	typename Op::word *c, const char *a_row, const char *b_row)
{
	typedef shape<Op> S;
	typename Op::word a[S::half];

	load_words<Op, S::half>(a, a_row);
	convolve_half<Op, S::half>(c, a, b_row);
	convolve_half<Op, S::half>(c + S::half, a, b_row + ROW_BYTES / 2);
	load_words<Op, S::half>(a, a_row + ROW_BYTES / 2);
	convolve_half<Op, S::half>(c + S::half, a, b_row);
}

/* Starts to copy block y of a and block z of b into a stage. */
template <class Op>
static __device__ __forceinline__ void fetch_pair(
	char *stage, const struct tile_args &args, uint32_t y, uint32_t z)
{
	const int n = shape<Op>::n_threads, t = (int)threadIdx.x;
	const char *a = (const char *)args.a + ((size_t)y * CHUNKS + t) * 16;
	const char *b = (const char *)args.b + ((size_t)z * CHUNKS + t) * 16;
	char *to = stage + t / 16 * PADDED_BYTES + t % 16 * 16;

#pragma unroll
	for (int k = 0; k < CHUNKS / n; k++) {
		__pipeline_memcpy_async(
			to + k * (n / 16) * PADDED_BYTES, a + (size_t)k * n * 16, 16);
		__pipeline_memcpy_async(
			to + k * (n / 16) * PADDED_BYTES + BLOCK_BYTES, b + (size_t)k * n * 16, 16);
	}
}

/* Lanes of the same X become one. False: this lane has handed over. */
template <class Op>
static __device__ bool reduce_lanes(typename Op::word *c, const struct gpube__lane &l, char *shared)
{
	typedef shape<Op> S;
	bool alive = true;

	for (int i = 0; i < GPUBE_TRITS; i++) {
		const int digit = alive ? gpube__lane_digit(&l, i) : 0;
		char *slot = shared + gpube__lane_slot(&l, i) * PADDED_BYTES;

		__syncthreads();
		if (digit == 2) {
			store_words<Op, S::n_words>(slot, c);
			alive = false;
		}
		__syncthreads();
		if (digit == 1) {
#pragma unroll
			for (int k = 0; k < ROW_BYTES / 16; k++) {
				chunk<typename Op::word> v;

				v.all = *(const int4 *)(slot + 16 * k);
#pragma unroll
				for (int j = 0; j < S::per_chunk; j++)
					c[k * S::per_chunk + j] =
						Op::best(c[k * S::per_chunk + j], v.word[j]);
			}
		}
	}
	return alive;
}

template <class Op> static __device__ void write_row(void *block, int row, typename Op::word *c)
{
	typedef shape<Op> S;
	char *to = (char *)block + (size_t)row * S::n_words * sizeof(typename Op::value);

	if (Op::paired) {
#pragma unroll
		for (int i = 0; i < S::half; i++)
			c[i] = gpube__pair_word(gpube__best_half((uint32_t)c[2 * i]),
				gpube__best_half((uint32_t)c[2 * i + 1]));
		store_words<Op, S::half>(to, c);
	} else {
		store_words<Op, S::n_words>(to, c);
	}
}

static __device__ void say_done(const struct tile_args &args, unsigned long long pairs)
{
	/* a posted write; that a smaller number may come last does not matter */
	args.watch->done = atomicAdd(args.done, pairs) + pairs;
}

/*
 * out[x][.] = max over y inside x of block y of a (*) block x - y of b
 * Shape: 2^bits blocks of 2^(GPUBE_TRITS + R) words
 * Map:   a thread group an item; a thread a lane; pairs of blocks serial, three
 *        stages of them in shared memory
 * Moves: 16 KiB a pair of blocks into shared memory, 2^(R+1) + 2^(R-1) words a
 *        thread from there
 * Ops:   3^R fused add-max a thread and pair
 * Bound: the add-max, which issues every other cycle; 243 of 256 lanes work.
 *        Measured: benchmarks/runs/csg-h200, 86 to 88 % of the ceiling
 */
template <class Op>
static __global__ void __launch_bounds__(shape<Op>::n_threads, shape<Op>::n_groups)
	tiles_kernel(const struct tile_args args)
{
	typedef shape<Op> S;
	extern __shared__ __align__(16) char shared[];
	const struct gpube__block_item item = args.items[blockIdx.x];
	struct gpube__lane lane = gpube__lane(args.lane_order[threadIdx.x], Op::paired);
	const int a_at = lane.a_row * PADDED_BYTES, b_at = lane.b_row * PADDED_BYTES + BLOCK_BYTES;
	const uint32_t n_pairs = 1u << __popc(item.free);
	typename Op::word c[S::n_words];
	uint32_t next = item.free;
	int stage = 0;
	bool more = true;

#pragma unroll
	for (int i = 0; i < S::n_words; i++)
		c[i] = Op::lowest();
	for (int s = 0; s < STAGES - 1; s++) {
		if (more)
			fetch_pair<Op>(shared + s * STAGE_BYTES, args, item.fixed | next,
				item.x ^ item.fixed ^ next);
		more = more && next;
		next = (next - 1) & item.free;
		__pipeline_commit();
	}
	for (uint32_t p = 0; p < n_pairs; p++) {
		const int ahead = (stage == 0 ? STAGES : stage) - 1;

		__pipeline_wait_prior(STAGES - 2);
		if (p % 256 == 255) {
			if (__syncthreads_or(threadIdx.x == 0 && args.watch->stop))
				return;
		} else {
			__syncthreads();
		}
		if (more)
			fetch_pair<Op>(shared + ahead * STAGE_BYTES, args, item.fixed | next,
				item.x ^ item.fixed ^ next);
		more = more && next;
		next = (next - 1) & item.free;
		__pipeline_commit();
		convolve_rows<Op>(c, shared + stage * STAGE_BYTES + a_at,
			shared + stage * STAGE_BYTES + b_at);
		stage = stage == STAGES - 1 ? 0 : stage + 1;
	}
	__pipeline_wait_prior(0);
	/* read again: nothing but the loop's own needs a register through it */
	lane = gpube__lane(((const volatile uint8_t *)args.lane_order)[threadIdx.x], Op::paired);
	if (reduce_lanes<Op>(c, lane, shared) && threadIdx.x < S::n_lanes) {
		const volatile struct gpube__block_item *i = &args.items[blockIdx.x];
		const int slot = i->slot;
		const size_t block = slot >= 0 ? (size_t)slot : (size_t)i->x;

		write_row<Op>((typename Op::value *)(slot >= 0 ? args.scratch : args.out) +
				      (block << (GPUBE_TRITS + S::r_bits)),
			lane.a_row, c);
	}
	if (threadIdx.x == 0)
		say_done(args, n_pairs);
}

#endif
