/* contract_presum.cu - the kernels of contract_presum.h, for int32 and float32. */
#include "gpube/ops/contract/contract_presum.cuh"

#include "gpube/ops/contract/boxes/contract_bits.cuh"

#define TERMS        GPUBE_PRESUM_TERMS
#define STEPS        GPUBE_PRESUM_STEPS
#define PADDED(rows) GPUBE_PRESUM_PADDED(rows)

/* ---- what a block knows of a step ------------------------------------------------------- */

/* Addresses up to PRESUM_OUT, then numbers. */
typedef uint64_t known[N_PRESUM_WORDS];

/* Of n steps from 'unit' on: a warp works out a word of each. */
__device__ static inline void know(const struct gpube__presum &d,
	const struct gpube__presum_io &io, uint32_t unit, uint32_t n, known *to)
{
	const uint32_t lane = threadIdx.x % 32;

#pragma unroll 1
	for (uint32_t which = threadIdx.x / 32; which < N_PRESUM_WORDS; which += d.threads / 32) {
		uint64_t word;

		if (lane >= n)
			break;
		word = gpube__presum_word(&d, unit + lane, which);
		if (which <= PRESUM_OUT)
			word = 4 * word + (uint64_t)(which < PRESUM_OUT ? io.in[which] : io.out);
		to[lane][which] = word;
	}
}

/* ---- S ---------------------------------------------------------------------------------- */

template <typename T> __device__ static inline void read_together(T *to, const T *from)
{
	const int4 v = __ldg((const int4 *)from);

	memcpy(to, &v, sizeof(v));
}

/* What an operand has for x0 + i and value j of a four, the last of which is 'left'. */
template <typename T>
__device__ static inline void read_operand(T (*v)[4], const struct gpube__presum_op &o,
	const T *from, uint32_t x0, uint32_t last, uint32_t left)
{
	if (o.how == PRESUM_FOURS) {
#pragma unroll
		for (uint32_t i = 0; i < 4; i++)
			read_together(v[i], from + min(x0 + i, last) * o.x);
	} else if (o.how == PRESUM_FOURS_X) {
#pragma unroll
		for (uint32_t j = 0; j < 4; j++)
			read_together(v[j], from + x0 + min(j, left) * o.next);
	} else if (o.how == PRESUM_CELLS) {
#pragma unroll
		for (uint32_t i = 0; i < 16; i++)
			v[i / 4][i % 4] = __ldg(
				from + min(x0 + i / 4, last) * o.x + min(i % 4, left) * o.next);
	} else if (o.how == PRESUM_SAME_X) {
		read_together(v[0], from + x0);
	} else {
#pragma unroll
		for (uint32_t i = 0; i < 4; i++)
			v[0][i] = __ldg(from + min(x0 + i, last) * o.x);
	}
}

/* sum[i][j] += what was read of an operand. */
template <typename T>
__device__ static inline void add_operand(T (*sum)[4], const struct gpube__presum_op &o, T (*v)[4])
{
	if (o.how == PRESUM_FOURS || o.how == PRESUM_CELLS) {
#pragma unroll
		for (int i = 0; i < 16; i++)
			sum[i / 4][i % 4] += v[i / 4][i % 4];
	} else if (o.how == PRESUM_FOURS_X) {
#pragma unroll
		for (int i = 0; i < 16; i++)
			sum[i / 4][i % 4] += v[i % 4][i / 4];
	} else {
#pragma unroll
		for (int i = 0; i < 16; i++)
			sum[i / 4][i % 4] += v[0][i / 4];
	}
}

/*
 * The S from 'kept' to 'end', of steps that are together from 'first' on: four x of a four at a
 * time, whose operands are read by twos.
 */
template <typename T>
__device__ static inline void sum_kept(const struct gpube__presum &d, const known *units,
	uint32_t first, uint32_t kept, uint32_t end, uint32_t shared)
{
	const uint32_t last = d.n_x - 1, n = d.lanes[PRESUM_J] * d.fours_x;
	const uint32_t all = (end - kept) * n, end_k = PRESUM_S * TERMS + d.n_ops[PRESUM_S];

#pragma unroll 1
	for (uint32_t task = threadIdx.x; task < all; task += d.threads) {
		uint32_t digit[GPUBE_PRESUM_J], i = task, k = kept, left, four, x0, to;
		const uint64_t *unit;
		T sum[4][4];

		for (; i >= n; i -= n)
			k++;
		unit = units[max(k * d.walked, first) - first];
		gpube__presum_task(&d, i, &four, &x0);
		to = shared + gpube__presum_place_s(&d, k) + four * d.pitch + 16 * x0;
		left = gpube__presum_split(&d, (uint32_t)unit[PRESUM_FOUR] + four, digit);
#pragma unroll
		for (uint32_t j = 0; j < 16; j++)
			sum[j / 4][j % 4] = 0;
#pragma unroll 1
		for (uint32_t op = PRESUM_S * TERMS; op < end_k; op += 2) {
			const struct gpube__presum_op &a = d.op[op], &b = d.op[op + 1];
			T v[4][4], w[4][4];

			read_operand(v, a, (const T *)unit[op] + gpube__presum_at(digit, a.step),
				x0, last, left);
			if (op + 1 < end_k)
				read_operand(w, b,
					(const T *)unit[op + 1] + gpube__presum_at(digit, b.step),
					x0, last, left);
			add_operand(sum, a, v);
			if (op + 1 < end_k)
				add_operand(sum, b, w);
		}
#pragma unroll
		for (uint32_t j = 0; j < 4; j++)
			store_together(to + 16 * j, sum[j]);
	}
}

/* ---- L and T ------------------------------------------------------------------------------ */

/*
 * Of n steps that are together, from the first of 'units' on: a thread has the same cells of each,
 * of which what comes from where is worked out once. Reads of CELLS cells in AT_ONCE steps are
 * under way at once, but none of what is the same as in the step before.
 */
#define CELLS   2
#define AT_ONCE 6

template <typename T>
__device__ static inline void read_cells(T *v, const known *units, uint32_t s, uint32_t n,
	uint32_t k, uint32_t from)
{
	uint64_t before = 0;

#pragma unroll
	for (uint32_t j = 0; j < AT_ONCE; j++) {
		const uint64_t at = units[min(s + j, n - 1)][k];

		if (at != before)
			v[j] = __ldg((const T *)at + from);
		before = at;
	}
}

/* After all reads have begun: what is the same. */
template <typename T>
__device__ static inline void add_cells(
	T *sum, T *v, const known *units, uint32_t s, uint32_t n, uint32_t k)
{
	uint64_t before = units[min(s, n - 1)][k];

	sum[0] += v[0];
#pragma unroll
	for (uint32_t j = 1; j < AT_ONCE; j++) {
		const uint64_t at = units[min(s + j, n - 1)][k];

		if (at == before)
			v[j] = v[j - 1];
		sum[j] += v[j];
		before = at;
	}
}

template <typename T>
__device__ static inline void sum_cells(
	const struct gpube__presum &d, const known *units, uint32_t n, uint32_t shared)
{
	const uint32_t all = d.l.n + d.t.n;

#pragma unroll 1
	for (uint32_t i = threadIdx.x; i < all; i += CELLS * d.threads) {
		struct gpube__presum_cell c[CELLS];
		uint32_t terms = 0;

#pragma unroll
		for (uint32_t u = 0; u < CELLS; u++) {
			c[u] = gpube__presum_cell_of(&d, min(i + u * d.threads, all - 1));
			if (i + u * d.threads >= all)
				c[u].to = UINT32_MAX;
			terms = max(terms, d.n_ops[c[u].sum]);
		}
#pragma unroll 1
		for (uint32_t s = 0; s < n; s += AT_ONCE) {
			T sum[CELLS][AT_ONCE];

#pragma unroll
			for (uint32_t j = 0; j < CELLS * AT_ONCE; j++)
				sum[j / AT_ONCE][j % AT_ONCE] = 0;
#pragma unroll 1
			for (uint32_t k = 0; k < terms; k += 2) {
				T v[2 * CELLS][AT_ONCE];

#pragma unroll
				for (uint32_t u = 0; u < 2 * CELLS; u++) {
					const struct gpube__presum_cell &cell = c[u / 2];
					const uint32_t op = cell.sum * TERMS + k + u % 2;

#pragma unroll
					for (uint32_t j = 0; j < AT_ONCE; j++)
						v[u][j] = 0;
					if (k + u % 2 < d.n_ops[cell.sum])
						read_cells(v[u], units, s, n, op,
							gpube__presum_from(&cell, &d.op[op]));
				}
				/* no sum waits before all reads have begun */
				asm volatile("" ::: "memory");
#pragma unroll
				for (uint32_t u = 0; u < 2 * CELLS; u++) {
					const uint32_t sum_of = c[u / 2].sum;

					if (k + u % 2 < d.n_ops[sum_of])
						add_cells(sum[u / 2], v[u], units, s, n,
							sum_of * TERMS + k + u % 2);
				}
			}
#pragma unroll
			for (uint32_t u = 0; u < CELLS; u++)
#pragma unroll
				for (uint32_t j = 0; j < AT_ONCE; j++)
					if (s + j < n && c[u].to != UINT32_MAX)
						store_word(shared + (s + j) * d.buffer + c[u].to,
							sum[u][j]);
		}
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

/* The rows of L for one x. */
template <typename T, int ROWS> __device__ static inline void load_rows(T *to, uint32_t at)
{
	constexpr int FOURS = ROWS % 4 == 3 ? ROWS + 1 : ROWS / 4 * 4;

	load_together<T, FOURS>(to, at);
	if constexpr (ROWS - FOURS == 2)
		load_together<T, 2>(to + FOURS, at + 4 * FOURS);
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
	T l[2][(ROWS + 3) / 4 * 4], r[2][4], t[2][4];

#pragma unroll
	for (int x = 0; x < 2; x++) {
		load_together<T, 4>(r[x], at_s + x * 16);
		load_together<T, 4>(t[x], at_t + x * 16);
		load_rows<T, ROWS>(l[x], at_l + x * 4 * PADDED(ROWS));
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

/* All x; the addresses end past the last. */
template <typename T, int ROWS, int APART, bool BITS>
__device__ static inline void combine_all(const struct gpube__presum &d, uint32_t *at_l,
	uint32_t *at_s, uint32_t *at_t, T (*best)[4])
{
	uint32_t end = *at_s + 16 * d.all_x;

	asm("" : "+r"(end)); /* a register: it is not worked out anew for each x */
#pragma unroll 1
	do {
		combine<T, ROWS, APART, BITS>(*at_l, *at_s, *at_t, d.one, best);
		*at_l += 2 * 4 * PADDED(ROWS);
		*at_s += 2 * 16;
		*at_t += 2 * 16;
	} while (*at_s < end);
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

/* Where the results of tile i go, which is worked out after them: no register waits for that. */
template <typename T, int ROWS>
__device__ static inline void tile_end(
	const struct gpube__presum &d, const known *units, uint32_t i, T (*best)[4])
{
	const struct gpube__presum_tile tile = gpube__presum_tile_of(&d, i);
	const uint64_t *const unit = units[tile.step];
	const uint32_t four = (uint32_t)unit[PRESUM_FOUR] + tile.lane[PRESUM_J];
	const uint32_t row = tile.lane[PRESUM_I] * ROWS;
	const uint32_t rows = d.group[PRESUM_I].size - (uint32_t)unit[PRESUM_ROW];
	uint32_t digit[GPUBE_PRESUM_J];
	const uint32_t left = gpube__presum_split(&d, four, digit);

	if (four < d.group[PRESUM_J].size && row < rows)
		store_tile<T, ROWS>(d,
			(T *)unit[PRESUM_OUT] +
				(gpube__presum_at(digit, d.out_j) + row * d.out_i),
			rows - row, left, best);
}

/* Tile i of those of the steps that are together, of n: lanes past the last one do it, too. */
template <typename T, int ROWS, int APART, bool BITS>
__device__ static inline void do_tile(
	const struct gpube__presum &d, const known *units, uint32_t shared, uint32_t i, uint32_t n)
{
	const struct gpube__presum_tile tile = gpube__presum_tile_of(&d, min(i, n - 1));
	const uint64_t *const unit = units[tile.step];
	const uint32_t buffer = shared + tile.step * d.buffer;
	uint32_t at_l = buffer + tile.lane[PRESUM_I] * d.pitch_l;
	uint32_t at_s = shared + gpube__presum_place_s(&d, (uint32_t)unit[PRESUM_KEPT]) +
			tile.lane[PRESUM_J] * d.pitch;
	uint32_t digit[GPUBE_PRESUM_J], at_t;
	T best[ROWS][4];

	gpube__presum_split(&d, (uint32_t)unit[PRESUM_FOUR] + tile.lane[PRESUM_J], digit);
	at_t = buffer + d.place_t + gpube__presum_at(digit, d.column) * d.pitch;
	best_init<T, ROWS>(d, best);
	combine_all<T, ROWS, APART, BITS>(d, &at_l, &at_s, &at_t, best);
	if constexpr (BITS) {
		/* by minima of two, where a result has a sign */
		if (some_negative<4 * ROWS>(&best[0][0])) {
			best_init<T, ROWS>(d, best);
			at_l -= d.all_x * 4 * PADDED(ROWS);
			at_s -= d.all_x * 16;
			at_t -= d.all_x * 16;
			combine_all<T, ROWS, 0, false>(d, &at_l, &at_s, &at_t, best);
		}
	}
	asm volatile("" : "+r"(i)); /* what is known of it is forgotten */
	if (i < n)
		tile_end<T, ROWS>(d, units, i, best);
}

/*
 * out[s] = min over x of sum_k in_k[s, x]; for integers same bits as contract_ref.c
 * Shape: see the head of contract_presum.h
 * Map:   blocks that walk; thread per tile of ROWS x 4 output cells of a step
 * Moves: of each operand what a step needs; the output once
 * Ops:   an add-min per joined cell, four additions for ROWS x 4 of them
 * Bound: of 14 rows 1.35 issue slots a joined cell (floats: 1.72) in the loop, which is three
 *        quarters of the time; before it, what a block makes ready. On an H100 52 % of an add-min
 *        per joined cell, floats 47 %: benchmarks/runs/2026-11-22-h100-presums-tiles
 */
template <typename T, int ROWS, int APART, bool BITS>
__global__ void __launch_bounds__(GPUBE_PRESUM_THREADS(ROWS))
	presum_kernel(const __grid_constant__ struct gpube__presum d,
		const __grid_constant__ struct gpube__presum_io io)
{
	extern __shared__ __align__(16) unsigned char memory[];
	__shared__ known units[STEPS];
	__shared__ uint32_t taken;
	const uint32_t shared = (uint32_t)__cvta_generic_to_shared(memory);
	const uint32_t end = gpube__presum_first(&d, blockIdx.x + 1);
	uint32_t first = gpube__presum_first(&d, blockIdx.x), filled = 0;

#pragma unroll 1
	while (first < end) {
		const uint32_t n = gpube__presum_together(&d, first, end - first);
		const uint32_t n_tiles = n * d.tiles, lane = threadIdx.x % 32;
		uint32_t at = 0, kept;

		if (threadIdx.x == 0)
			taken = d.threads;
		know(d, io, first, n, units);
		__syncthreads();
		kept = max(filled, (uint32_t)units[0][PRESUM_KEPT]);
		filled = (uint32_t)units[n - 1][PRESUM_KEPT] + 1;
		sum_kept<T>(d, units, first, kept, filled, shared);
		sum_cells<T>(d, units, n, shared);
		__syncthreads();
#pragma unroll 1
		for (uint32_t i = threadIdx.x / 32 * 32; i < n_tiles; i = at) {
			do_tile<T, ROWS, APART, BITS>(
				d, units, shared, i + lane, n_tiles);
			if (lane == 0)
				at = atomicAdd(&taken, 32);
			at = __shfl_sync(~0u, at, 0);
		}
		first += n;
		if (first < end)
			__syncthreads();
	}
}

template <typename T, int APART, bool BITS>
static gpube__presum_function function_of(uint32_t kernel)
{
	switch (kernel) {
	case PRESUM_6X4:
		return presum_kernel<T, 6, APART, BITS>;
	case PRESUM_7X4:
		return presum_kernel<T, 7, APART, BITS>;
	case PRESUM_8X4:
		return presum_kernel<T, 8, APART, BITS>;
	case PRESUM_10X4:
		return presum_kernel<T, 10, APART, BITS>;
	case PRESUM_12X4:
		return presum_kernel<T, 12, APART, BITS>;
	default:
		return presum_kernel<T, 14, APART, BITS>;
	}
}

gpube__presum_function gpube__presum_function_of(enum gpube_type type, uint32_t kernel)
{
	return type == GPUBE_INT32 ? function_of<int32_t, 1, false>(kernel)
				   : function_of<float, 0, true>(kernel);
}
