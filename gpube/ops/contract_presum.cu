/* contract_presum.cu - the kernels of contract_presum.h, for int32 and float32. */
#include "gpube/ops/contract_presum.cuh"

#include "gpube/ops/contract_bits.cuh"

#define TERMS   GPUBE_PRESUM_TERMS
#define PADDED  GPUBE_PRESUM_PADDED
#define BUFFERS GPUBE_PRESUM_BUFFERS
#define AHEAD   32 /* steps of which a block learns at once */

#define NONE UINT32_MAX

/* ---- what a block knows of a step ------------------------------------------------------- */

/* Addresses up to PRESUM_OUT, then numbers. */
typedef uint64_t known[N_PRESUM_WORDS];

/* Of n steps. */
__device__ static __noinline__ void know(const struct gpube__presum *d,
	const struct gpube__presum_io *io, uint32_t unit, uint32_t n, known *to)
{
	for (uint32_t i = threadIdx.x; i < n * N_PRESUM_WORDS; i += d->threads) {
		const uint32_t which = i % N_PRESUM_WORDS;
		const uint32_t word = gpube__presum_word(d, unit + i / N_PRESUM_WORDS, which);
		const void *from = io->out;

		if (which < PRESUM_OUT)
			from = io->in[which];
		to[i / N_PRESUM_WORDS][which] =
			which <= PRESUM_OUT ? (uint64_t)from + 4 * (uint64_t)word : word;
	}
}

/* ---- S ---------------------------------------------------------------------------------- */

template <typename T> __device__ static inline void read_together(T *to, const T *from)
{
	const int4 v = __ldg((const int4 *)from);

	memcpy(to, &v, sizeof(v));
}

/* sum[i][j] += an operand for x0 + i and value j of a four, the last of which is 'left'. */
template <typename T>
__device__ static inline void add_operand(T (*sum)[4], const struct gpube__presum_op &o,
	const T *from, uint32_t x0, uint32_t last, uint32_t left)
{
	T v[4][4];

	if (o.how == PRESUM_FOURS) {
#pragma unroll
		for (uint32_t i = 0; i < 4; i++)
			read_together(v[i], from + min(x0 + i, last) * o.x);
#pragma unroll
		for (int i = 0; i < 16; i++)
			sum[i / 4][i % 4] += v[i / 4][i % 4];
	} else if (o.how == PRESUM_FOURS_X) {
#pragma unroll
		for (uint32_t j = 0; j < 4; j++)
			read_together(v[j], from + x0 + min(j, left) * o.next);
#pragma unroll
		for (int i = 0; i < 16; i++)
			sum[i / 4][i % 4] += v[i % 4][i / 4];
	} else if (o.how == PRESUM_CELLS) {
#pragma unroll
		for (uint32_t i = 0; i < 16; i++)
			v[i / 4][i % 4] = __ldg(
				from + min(x0 + i / 4, last) * o.x + min(i % 4, left) * o.next);
#pragma unroll
		for (int i = 0; i < 16; i++)
			sum[i / 4][i % 4] += v[i / 4][i % 4];
	} else {
		if (o.how == PRESUM_SAME_X)
			read_together(v[0], from + x0);
		else
#pragma unroll
			for (uint32_t i = 0; i < 4; i++)
				v[0][i] = __ldg(from + min(x0 + i, last) * o.x);
#pragma unroll
		for (int i = 0; i < 16; i++)
			sum[i / 4][i % 4] += v[0][i / 4];
	}
}

/* A thread has the same four of every so-manieth four x. */
template <typename T>
__device__ static inline void sum_kept(
	const struct gpube__presum &d, const uint64_t *unit, uint32_t shared)
{
	const uint32_t n_terms = d.n_ops[PRESUM_S], last = d.n_x - 1;
	const uint32_t group = gpube__presum_divide(threadIdx.x, d.lanes[PRESUM_J], d.by_fours);
	const uint32_t four = threadIdx.x - group * d.lanes[PRESUM_J];
	uint32_t digit[GPUBE_PRESUM_J], left;

	if (group >= d.groups)
		return;
	left = gpube__presum_split(&d, (uint32_t)unit[PRESUM_FOUR] + four, digit);
	shared += four * d.pitch;
#pragma unroll 1
	for (uint32_t x0 = 4 * group; x0 < d.n_x; x0 += 4 * d.groups) {
		T sum[4][4];

#pragma unroll
		for (uint32_t i = 0; i < 16; i++)
			sum[i / 4][i % 4] = 0;
#pragma unroll 1
		for (uint32_t k = PRESUM_S * TERMS; k < PRESUM_S * TERMS + n_terms; k++)
			add_operand(sum, d.op[k],
				(const T *)unit[k] + gpube__presum_at(digit, d.op[k].step), x0,
				last, left);
#pragma unroll
		for (uint32_t i = 0; i < 4; i++)
			store_together(shared + 16 * (x0 + i), sum[i]);
	}
}

/* ---- L and T ------------------------------------------------------------------------------ */

/*
 * A cell's operands come straight to shared memory where the card can do that, so that no register
 * waits for them during the loop over x: a thread has a word there for each.
 */
__device__ static inline void word_copy(uint32_t to, const void *from)
{
#if __CUDA_ARCH__ >= 800
	asm volatile("cp.async.ca.shared.global [%0], [%1], 4;" ::"r"(to), "l"(from) : "memory");
#else
	store_word(to, __ldg((const int32_t *)from));
#endif
}

__device__ static inline void words_wait(void)
{
#if __CUDA_ARCH__ >= 800
	asm volatile("cp.async.wait_all;" ::: "memory");
#endif
}

/*
 * Where a thread's cells come from in any step, in pairs of operands: bytes before each, and which
 * it is; and where they go, UINT32_MAX: nowhere. What does not come is 0.
 */
__device__ static inline void cells_init(const struct gpube__presum &d, uint32_t shared)
{
#pragma unroll 1
	for (uint32_t i = 0; i < d.n_cells; i++) {
		const uint32_t n = threadIdx.x + i * d.threads, target = shared + d.targets + 4 * n;
		const bool is = n < d.l.n + d.t.n;
		const struct gpube__presum_cell c = gpube__presum_cell_of(&d, is ? n : 0);
		const uint32_t terms = is ? d.n_ops[c.sum] : 0;

#pragma unroll 1
		for (uint32_t k = 0; k < 2 * d.n_pairs; k++) {
			const uint32_t at = (i * d.n_pairs + k / 2) * d.threads + threadIdx.x;
			const uint32_t op = c.sum * TERMS + k,
				       from = d.sources + 16 * at + k % 2 * 8;

			store_word(shared + from,
				k < terms ? 4 * gpube__presum_from(&c, &d.op[op]) : 0);
			store_word(shared + from + 4, k < terms ? op : NONE);
			store_word(shared + d.arrivals + 8 * at + k % 2 * 4, 0);
		}
		store_word(target, is ? c.to : NONE);
	}
}

/* Begins a step's. */
__device__ static inline void cells_read(
	const struct gpube__presum &d, uint32_t unit, uint32_t shared)
{
	uint32_t at = shared + d.arrivals + 8 * threadIdx.x;
	uint32_t from = shared + d.sources + 16 * threadIdx.x;

#pragma unroll 2
	for (uint32_t i = 0; i < d.n_cells * d.n_pairs; i++) {
		uint32_t source[4];

		load_together<uint32_t, 4>(source, from);
#pragma unroll
		for (int k = 0; k < 2; k++) {
			int64_t base;

			if (source[2 * k + 1] == NONE)
				continue;
			load_shared(&base, unit + 8 * source[2 * k + 1]);
			word_copy(at + 4 * k, (const void *)(base + source[2 * k]));
		}
		from += 16 * d.threads;
		at += 8 * d.threads;
	}
}

/* Ends them: their sums go to a buffer. */
template <typename T>
__device__ static inline void cells_write(
	const struct gpube__presum &d, uint32_t shared, uint32_t buffer)
{
	uint32_t at = shared + d.arrivals + 8 * threadIdx.x;
	uint32_t target = shared + d.targets + 4 * threadIdx.x;

	words_wait();
#pragma unroll 2
	for (uint32_t i = 0; i < d.n_cells; i++) {
		int32_t to;
		T v[2], sum = 0;

		load_shared(&to, target);
#pragma unroll 1
		for (uint32_t k = 0; k < d.n_pairs; k++) {
			load_together<T, 2>(v, at);
			sum += v[0];
			sum += v[1];
			at += 8 * d.threads;
		}
		if ((uint32_t)to != NONE)
			store_word(buffer + (uint32_t)to, sum);
		target += 4 * d.threads;
	}
}

/* ---- the loop over x -------------------------------------------------------------------- */

/* a + b; of integers elsewhere than where the add-mins are done. */
__device__ static inline int32_t add_apart(int32_t a, int32_t b, int one)
{
	return add_signed(a, one, b);
}

__device__ static inline float add_apart(float a, float b, int)
{
	return a + b;
}

/*
 * Two x. A minimum of three takes the unit of the add-mins for two cells at once, whose additions
 * go elsewhere: for 'APART' of the four columns of integers, and for floats as in
 * contract_bits.cuh.
 */
template <typename T, int ROWS, int APART, bool BITS>
__device__ static inline void combine(
	uint32_t at_l, uint32_t at_s, uint32_t at_t, int one, T (*best)[4])
{
	T l[2][PADDED], r[2][4], t[2][4];

#pragma unroll
	for (int x = 0; x < 2; x++) {
		load_together<T, 4>(r[x], at_s + x * 16);
		load_together<T, 4>(t[x], at_t + x * 16);
		load_together<T, PADDED>(l[x], at_l + x * 4 * PADDED);
	}
#pragma unroll
	for (int i = 0; i < 8; i++)
		r[i / 4][i % 4] = add_apart(r[i / 4][i % 4], t[i / 4][i % 4], one);
#pragma unroll
	for (int i = 0; i < ROWS; i++)
#pragma unroll
		for (int j = 0; j < 4; j++) {
			T *const b = &best[i][j];

			if (BITS || j < APART)
				*b = min_of_bits(*b, add_apart(l[0][i], r[0][j], one),
					add_apart(l[1][i], r[1][j], one));
			else
				*b = add_min(l[1][i], r[1][j], add_min(l[0][i], r[0][j], *b));
		}
}

/* x from *at_s to 'end', all three addresses move on. */
template <typename T, int ROWS, int APART, bool BITS>
__device__ static inline void combine_to(
	uint32_t end, uint32_t *at_l, uint32_t *at_s, uint32_t *at_t, int one, T (*best)[4])
{
#pragma unroll 1
	for (; *at_s + 64 <= end; *at_s += 64) {
		combine<T, ROWS, APART, BITS>(*at_l, *at_s, *at_t, one, best);
		combine<T, ROWS, APART, BITS>(
			*at_l + 2 * 4 * PADDED, *at_s + 32, *at_t + 32, one, best);
		*at_l += 4 * 4 * PADDED;
		*at_t += 64;
	}
	if (*at_s < end)
		combine<T, ROWS, APART, BITS>(*at_l, *at_s, *at_t, one, best);
}

template <typename T, int ROWS>
__device__ static inline void best_init(const struct gpube__presum &d, T (*best)[4])
{
	const struct cut<T> cut = cut_init<T>(&d);

#pragma unroll
	for (int i = 0; i < 4 * ROWS; i++)
		best[i / 4][i % 4] = before_all<T>(cut);
}

/* ---- results ---------------------------------------------------------------------------- */

__device__ static inline void store_global(int32_t *to, int32_t v)
{
	asm volatile("st.global.b32 [%0], %1;" ::"l"(to), "r"(v) : "memory");
}

__device__ static inline void store_global(float *to, float v)
{
	asm volatile("st.global.b32 [%0], %1;" ::"l"(to), "f"(v) : "memory");
}

/* out: the tile's first cell; of 'rows' that there are; left: columns past the first. */
template <typename T, int ROWS>
__device__ static inline void store_tile(
	const struct gpube__presum &d, T *out, uint32_t rows, uint32_t left, T (*best)[4])
{
	const struct cut<T> cut = cut_init<T>(&d);

	if (cuts_after(cut))
#pragma unroll
		for (int i = 0; i < 4 * ROWS; i++)
			best[i / 4][i % 4] = cut_of(best[i / 4][i % 4], cut);
	if (d.out_wide) {
#pragma unroll
		for (uint32_t row = 0; row < ROWS; row++) {
			int4 w;

			memcpy(&w, best[row], sizeof(w));
			if (row < rows)
				asm volatile("st.global.v4.b32 [%0], {%1, %2, %3, %4};" ::"l"(
						     out + row * d.out_i),
					     "r"(w.x), "r"(w.y), "r"(w.z), "r"(w.w)
					     : "memory");
		}
		return;
	}
#pragma unroll
	for (uint32_t j = 0; j < 4; j++) {
#pragma unroll
		for (uint32_t row = 0; row < ROWS; row++)
			if (row < rows && j <= left)
				store_global(out + row * d.out_i, best[row][j]);
		out += d.out_next;
	}
}

/* ---- the kernel ------------------------------------------------------------------------- */

/* What a thread keeps of its tile, whose columns stay for all steps with one S. */
__device__ static inline void tile_init(
	const struct gpube__presum &d, const uint64_t *unit, uint32_t shared)
{
	const uint32_t mine = shared + d.mine + 4 * threadIdx.x;
	uint32_t digit[GPUBE_PRESUM_J], at[2], left, four, place;

	gpube__presum_lane(&d, threadIdx.x, at);
	four = (uint32_t)unit[PRESUM_FOUR] + at[PRESUM_J];
	left = gpube__presum_split(&d, four, digit);
	place = d.place_t + gpube__presum_at(digit, d.column) * d.pitch;
	if (at[PRESUM_J] >= d.lanes[PRESUM_J] || four >= d.group[PRESUM_J].size)
		store_word(mine, NONE);
	else
		store_word(mine, place << 2 | left);
	store_word(mine + 4 * d.threads, gpube__presum_at(digit, d.out_j));
}

/* Where a thread's rows and columns are. */
__device__ static inline void tile_at(const struct gpube__presum &d, uint32_t shared,
	uint32_t buffer, uint32_t *at_l, uint32_t *at_s)
{
	uint32_t at[2];

	gpube__presum_lane(&d, threadIdx.x, at);
	*at_l = buffer + at[PRESUM_I] * d.pitch_l;
	*at_s = shared + BUFFERS * d.buffer + at[PRESUM_J] * d.pitch;
}

template <typename T, int ROWS>
__device__ static inline void tile_end(
	const struct gpube__presum &d, const uint64_t *unit, uint32_t shared, T (*best)[4])
{
	const uint32_t mine = shared + d.mine + 4 * threadIdx.x;
	const uint32_t rows = d.group[PRESUM_I].size - (uint32_t)unit[PRESUM_ROW];
	int32_t word, column;
	uint32_t at[2];

	load_shared(&word, mine);
	load_shared(&column, mine + 4 * d.threads);
	gpube__presum_lane(&d, threadIdx.x, at);
	at[PRESUM_I] *= ROWS;
	if (at[PRESUM_I] < rows)
		store_tile<T, ROWS>(d,
			(T *)unit[PRESUM_OUT] + ((uint32_t)column + at[PRESUM_I] * d.out_i),
			rows - at[PRESUM_I], (uint32_t)word & 3, best);
}

/* ---- a barrier at which threads arrive before they wait; where there is none, they wait -- */

__device__ static inline void barrier_init(uint32_t barrier, uint32_t n)
{
#if __CUDA_ARCH__ >= 800
	if (threadIdx.x == 0)
		asm volatile("mbarrier.init.shared.b64 [%0], %1;" ::"r"(barrier), "r"(n)
			     : "memory");
#endif
}

/* A warp's. */
__device__ static inline void barrier_arrive(uint32_t barrier)
{
#if __CUDA_ARCH__ >= 800
	__syncwarp();
	if (threadIdx.x % 32 == 0)
		asm volatile("{ .reg .b64 state; mbarrier.arrive.shared.b64 state, [%0]; }" ::"r"(
			barrier)
			     : "memory");
#endif
}

__device__ static inline void barrier_wait(uint32_t barrier, uint32_t parity)
{
#if __CUDA_ARCH__ >= 800
	uint32_t done;

	do
		asm volatile("{ .reg .pred p; mbarrier.test_wait.parity.shared.b64 p, [%1], %2;"
			     " selp.u32 %0, 1, 0, p; }"
			     : "=r"(done)
			     : "r"(barrier), "r"(parity)
			     : "memory");
	while (!done);
#else
	__syncthreads();
#endif
}

/*
 * out[s] = min over x of sum_k in_k[s, x]; for integers same bits as contract_ref.c
 * Shape: see the head of contract_presum.h
 * Map:   blocks that walk; thread per tile of ROWS x 4 output cells of a step
 * Moves: of each operand what a step needs; the output once
 * Ops:   an add-min per joined cell, four additions for ROWS x 4 of them
 * Bound: issue, 1.47 slots a joined cell in the loop (floats: 1.85), which is half of the time;
 * then what a block makes ready, and its S. On an H100 44 to 46 % of an add-min per joined cell,
 *        floats 40 to 42 %: benchmarks/runs/2026-11-22-h100-presums-walk
 *
 * A thread that has passed the barrier of step i finds L and T of step i, and knows that all others
 * are past their tile of step i - 2.
 */
template <typename T, int ROWS, int APART, bool BITS>
__global__ void __launch_bounds__(GPUBE_PRESUM_THREADS)
	presum_kernel(const __grid_constant__ struct gpube__presum d,
		const __grid_constant__ struct gpube__presum_io io)
{
	extern __shared__ __align__(16) unsigned char memory[];
	__shared__ known units[2 * AHEAD];
	__shared__ uint64_t added_up;
	const uint32_t shared = (uint32_t)__cvta_generic_to_shared(memory);
	const uint32_t barrier = (uint32_t)__cvta_generic_to_shared(&added_up);
	const uint32_t first = gpube__presum_first(&d, blockIdx.x);
	const uint32_t n = gpube__presum_first(&d, blockIdx.x + 1) - first;

	cells_init(d, shared);
	barrier_init(barrier, d.threads / 32);
	__syncthreads();
	/* before the first step there is nothing to combine */
#pragma unroll 1
	for (uint32_t i = 0; i <= n; i++) {
		const uint64_t *const unit = units[(i + 2 * AHEAD - 1) % (2 * AHEAD)];
		const uint64_t *const next = units[i % (2 * AHEAD)];
		const uint32_t buffer = shared + (i + BUFFERS - 1) % BUFFERS * d.buffer;
		uint32_t at_l, at_s, at_t, end;
		int32_t word = -1;
		T best[ROWS][4];

		if (i % AHEAD == 0) {
			/* the slots are of steps that all others are past */
			know(&d, &io, first + i, min(n - i, (uint32_t)AHEAD),
				&units[i % (2 * AHEAD)]);
			__syncthreads();
		}
		if (i < n)
			cells_read(d, (uint32_t)__cvta_generic_to_shared(next), shared);
		if (i > 0)
			load_shared(&word, shared + d.mine + 4 * threadIdx.x);
		tile_at(d, shared, buffer, &at_l, &at_s);
		at_t = buffer + ((uint32_t)word >> 2);
		end = at_s + 16 * d.first_x;
		best_init<T, ROWS>(d, best);
#pragma unroll 1
		for (int half = 0; half < 2; half++) {
			if ((uint32_t)word != NONE)
				combine_to<T, ROWS, APART, BITS>(
					end, &at_l, &at_s, &at_t, d.one, best);
			end += 16 * (d.all_x - d.first_x);
			if (half > 0 || i == n)
				continue;
			cells_write<T>(d, shared, shared + i % BUFFERS * d.buffer);
			barrier_arrive(barrier);
		}
		if constexpr (BITS) {
			/* by minima of two, where a result has a sign */
			if ((uint32_t)word != NONE && some_negative<4 * ROWS>(&best[0][0])) {
				tile_at(d, shared, buffer, &at_l, &at_s);
				at_t = buffer + ((uint32_t)word >> 2);
				best_init<T, ROWS>(d, best);
#pragma unroll 1
				for (uint32_t x = 0; x < d.all_x; x += 2)
					combine<T, ROWS, 0, false>(at_l + x * 4 * PADDED,
						at_s + x * 16, at_t + x * 16, d.one, best);
			}
		}
		if ((uint32_t)word != NONE)
			tile_end<T, ROWS>(d, unit, shared, best);
		if (i < n && (i == 0 || next[PRESUM_KEPT] != unit[PRESUM_KEPT])) {
			__syncthreads();
			sum_kept<T>(d, next, shared + BUFFERS * d.buffer);
			tile_init(d, next, shared);
			__syncthreads();
		}
		if (i < n)
			barrier_wait(barrier, i % 2);
	}
}

gpube__presum_function gpube__presum_function_of(enum gpube_type type, uint32_t kernel)
{
	if (type == GPUBE_INT32)
		return kernel == PRESUM_7X4 ? presum_kernel<int32_t, 7, 1, false>
					    : presum_kernel<int32_t, 8, 1, false>;
	return kernel == PRESUM_7X4 ? presum_kernel<float, 7, 0, true>
				    : presum_kernel<float, 8, 0, true>;
}
