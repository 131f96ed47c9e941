/* contract_presum.cu - the kernels of contract_presum.h, for int32 and float32. */
#include "gpube/ops/contract_presum.cuh"

#include "gpube/ops/contract_bits.cuh"

#define ROW     GPUBE_PRESUM_ROW
#define COLUMNS GPUBE_PRESUM_COLUMNS
#define TERMS   GPUBE_PRESUM_TERMS

/* ---- sums ------------------------------------------------------------------------------- */

template <typename T> __device__ static inline void read_together(T *to, const T *from)
{
	const int4 v = __ldg((const int4 *)from);

	memcpy(to, &v, sizeof(v));
}

/*
 * Reads an operand for the four x at[0 .. 4), which are cells from its x = 0, and four values of J;
 * what comes is put in order by add_read().
 */
template <typename T>
__device__ static inline void read_fours(
	T (*to)[4], const struct gpube__presum_op &o, const T *from, const uint32_t *x)
{
	if (o.how == PRESUM_FOURS) {
#pragma unroll
		for (uint32_t i = 0; i < 4; i++)
			read_together(to[i], from + x[i] * o.x);
	} else if (o.how == PRESUM_FOURS_X) {
#pragma unroll
		for (uint32_t j = 0; j < 4; j++)
			read_together(to[j], from + x[0] + j * o.next);
	} else if (o.how == PRESUM_SAME_X) {
		read_together(to[0], from + x[0]);
	} else if (o.how == PRESUM_SAME) {
#pragma unroll
		for (uint32_t i = 0; i < 4; i++)
			to[0][i] = __ldg(from + x[i] * o.x);
	} else {
#pragma unroll
		for (uint32_t i = 0; i < 16; i++)
			to[i / 4][i % 4] = __ldg(from + x[i / 4] * o.x + i % 4 * o.next);
	}
}

/* sum[x][j] += what read_fours() has read. */
template <typename T>
__device__ static inline void add_read(T (*sum)[4], const struct gpube__presum_op &o, T (*read)[4])
{
	if (o.how == PRESUM_FOURS_X) {
#pragma unroll
		for (int i = 0; i < 16; i++)
			sum[i / 4][i % 4] += read[i % 4][i / 4];
	} else if (o.how == PRESUM_SAME || o.how == PRESUM_SAME_X) {
#pragma unroll
		for (int i = 0; i < 16; i++)
			sum[i / 4][i % 4] += read[0][i / 4];
	} else {
#pragma unroll
		for (int i = 0; i < 16; i++)
			sum[i / 4][i % 4] += read[i / 4][i % 4];
	}
}

/* R: a thread has the same four columns of every so-manieth four x. */
template <typename T>
__device__ static inline void sum_columns(const struct gpube__presum &d,
	const struct gpube__presum_io &io, const uint32_t *start, const uint32_t *grid, uint32_t to)
{
	const uint32_t n_terms = d.n_ops[PRESUM_J], last = d.n_x - 1;
	const uint32_t fours = 2 * d.lanes[PRESUM_J];
	const uint32_t group = gpube__presum_divide(threadIdx.x, fours, d.by_fours);
	const uint32_t column = 4 * (threadIdx.x - group * fours);
	uint32_t at[GPUBE_FLAT_DIMS];
	const T *from[TERMS];

	if (group >= d.groups)
		return;
	gpube__presum_split(&d, PRESUM_J, start, column, at);
#pragma unroll
	for (uint32_t k = 0; k < TERMS; k++)
		if (k < n_terms)
			from[k] = (const T *)io.in[TERMS + k] +
				  gpube__presum_at(&d, TERMS + k, grid, at);
	to += (4 * group * ROW + column) * 4;
#pragma unroll 1
	for (uint32_t x0 = 4 * group; x0 < d.all_x; x0 += 4 * d.groups) {
		T read[TERMS][4][4], sum[4][4];
		uint32_t x[4];

#pragma unroll
		for (uint32_t i = 0; i < 4; i++)
			x[i] = min(x0 + i, last);
#pragma unroll
		for (uint32_t k = 0; k < TERMS; k++)
			if (k < n_terms)
				read_fours(read[k], d.op[TERMS + k], from[k], x);
#pragma unroll
		for (uint32_t i = 0; i < 16; i++)
			sum[i / 4][i % 4] = 0;
#pragma unroll
		for (uint32_t k = 0; k < TERMS; k++)
			if (k < n_terms)
				add_read(sum, d.op[TERMS + k], read[k]);
#pragma unroll
		for (uint32_t i = 0; i < 4; i++)
			store_together(to + i * ROW * 4, sum[i]);
		to += 4 * d.groups * ROW * 4;
	}
}

/* L: a thread has the same row of every so-manieth x. */
template <typename T, int ROWS>
__device__ static inline void sum_rows(const struct gpube__presum &d,
	const struct gpube__presum_io &io, const uint32_t *start, const uint32_t *grid, uint32_t to)
{
	const uint32_t n_terms = d.n_ops[PRESUM_I], last = d.n_x - 1;
	const uint32_t values = ROWS * d.lanes[PRESUM_I];
	const uint32_t group = gpube__presum_divide(threadIdx.x, values, d.by_values);
	const uint32_t value = threadIdx.x - group * values, lane = value / ROWS;
	uint32_t place[GPUBE_FLAT_DIMS];
	const T *from[TERMS];

	if (group >= d.row_groups)
		return;
	gpube__presum_split(&d, PRESUM_I, start, value, place);
#pragma unroll
	for (uint32_t k = 0; k < TERMS; k++)
		if (k < n_terms)
			from[k] = (const T *)io.in[k] + gpube__presum_at(&d, k, grid, place);
	to += 4 * (gpube__presum_word(&d, lane, value - lane * ROWS) + group * ROW);
#pragma unroll 4
	for (uint32_t x = group; x < d.all_x; x += d.row_groups) {
		const uint32_t at = min(x, last);
		T sum = 0;

#pragma unroll
		for (uint32_t k = 0; k < TERMS; k++)
			if (k < n_terms)
				sum += __ldg(from[k] + at * d.op[k].x);
		store_word(to, sum);
		to += 4 * d.row_groups * ROW;
	}
}

/* ---- the loop over x -------------------------------------------------------------------- */

/*
 * Two x. A minimum of three takes the unit of the add-mins for two cells at once, whose additions
 * go elsewhere: for 'APART' of the eight columns of integers, and for floats as in
 * contract_bits.cuh.
 */
template <typename T, int ROWS, int APART, bool BITS>
__device__ static inline void combine(
	uint32_t at_l, uint32_t at_r, uint32_t second, int one, T (*best)[COLUMNS])
{
	T l[2][8], r[2][COLUMNS];

#pragma unroll
	for (int x = 0; x < 2; x++) {
		load_together<T, 8>(l[x], at_l + x * ROW * 4);
		load_together<T, 4>(r[x], at_r + x * ROW * 4);
		load_together<T, 4>(r[x] + 4, at_r + second + x * ROW * 4);
	}
#pragma unroll
	for (int i = 0; i < ROWS; i++)
#pragma unroll
		for (int j = 0; j < COLUMNS; j++) {
			T *const b = &best[i][j];

			if (BITS || j < APART)
				*b = min_of_bits(*b, add_signed(l[0][i], one, r[0][j]),
					add_signed(l[1][i], one, r[1][j]));
			else
				*b = add_min(l[1][i], r[1][j], add_min(l[0][i], r[0][j], *b));
		}
}

/* ---- results ---------------------------------------------------------------------------- */

template <typename T, int ROWS>
__device__ static inline void store_tile(const struct gpube__presum &d, T *out,
	const uint32_t *start, const uint32_t *grid, const uint32_t *at, T (*best)[COLUMNS])
{
	const struct cut<T> cut = cut_init<T>(&d);
	const uint32_t first = start[PRESUM_I] + gpube__presum_row(&d, at, 0);
	const uint32_t rows = d.group[PRESUM_I].size - first; /* there are */

	if (cuts_after(cut))
#pragma unroll
		for (int i = 0; i < ROWS * COLUMNS; i++)
			best[i / COLUMNS][i % COLUMNS] =
				cut_of(best[i / COLUMNS][i % COLUMNS], cut);
	out += gpube__flat_at(grid, d.out[PRESUM_GRID]) + first * d.out[PRESUM_I][0];
#pragma unroll
	for (uint32_t four = 0; four < 2; four++) {
		const uint32_t column = start[PRESUM_J] + gpube__presum_column(&d, at, four);
		T *const to_j =
			out + gpube__flat_offset(&d.group[PRESUM_J], d.out[PRESUM_J], column);

		if (column >= d.group[PRESUM_J].size || first >= d.group[PRESUM_I].size)
			continue;
		if (d.out_wide) {
#pragma unroll
			for (uint32_t row = 0; row < ROWS; row++) {
				int4 w;

				memcpy(&w, best[row] + 4 * four, sizeof(w));
				if (row < rows)
					*(int4 *)(to_j + row * d.out[PRESUM_I][0]) = w;
			}
		} else {
			const uint32_t next = d.out[PRESUM_J][d.group[PRESUM_J].n - 1];

#pragma unroll
			for (uint32_t i = 0; i < 4 * ROWS; i++)
				if (i / 4 < rows)
					to_j[i / 4 * d.out[PRESUM_I][0] + i % 4 * next] =
						best[i / 4][4 * four + i % 4];
		}
	}
}

/* ---- the kernel ------------------------------------------------------------------------- */

template <typename T, int ROWS, int APART, bool BITS>
__device__ static inline void combine_all(
	const struct gpube__presum &d, const uint32_t *at, uint32_t shared, T (*best)[COLUMNS])
{
	const uint32_t second = 16 * d.lanes[PRESUM_J];
	uint32_t at_l = shared + 4 * gpube__presum_word(&d, at[PRESUM_I], 0);
	uint32_t at_r = shared + 16 * at[PRESUM_J];

#pragma unroll 2
	for (uint32_t x = 0; x < d.all_x; x += 2) {
		combine<T, ROWS, APART, BITS>(at_l, at_r, second, d.one, best);
		at_l += 2 * ROW * 4;
		at_r += 2 * ROW * 4;
	}
}

template <typename T, int ROWS>
__device__ static __noinline__ void box_again(
	const struct gpube__presum &d, const struct gpube__presum_io &io, uint32_t shared);

/* A block's box. */
template <typename T, int ROWS, int APART, bool BITS>
__device__ static inline void do_box(
	const struct gpube__presum &d, const struct gpube__presum_io &io, uint32_t shared)
{
	const bool works = threadIdx.x < d.lanes[PRESUM_I] * d.lanes[PRESUM_J];
	const struct cut<T> cut = cut_init<T>(&d);
	uint32_t start[N_PRESUM_GROUPS], grid[GPUBE_FLAT_DIMS], at[2];
	T best[ROWS][COLUMNS];

	gpube__presum_start(&d, blockIdx.x, start);
	gpube__flat_split(&d.group[PRESUM_GRID], start[PRESUM_GRID], grid);
	gpube__presum_lane(&d, works ? threadIdx.x : 0, at);
	sum_columns<T>(d, io, start, grid, shared);
	sum_rows<T, ROWS>(d, io, start, grid, shared);
	__syncthreads();
#pragma unroll
	for (int i = 0; i < ROWS; i++)
#pragma unroll
		for (int j = 0; j < COLUMNS; j++)
			best[i][j] = before_all<T>(cut);
	if (works)
		combine_all<T, ROWS, APART, BITS>(d, at, shared, best);
	if constexpr (BITS) {
		if (__syncthreads_or(works && some_negative<ROWS * COLUMNS>(&best[0][0]))) {
			box_again<T, ROWS>(d, io, shared);
			return;
		}
	}
	if (works)
		store_tile<T, ROWS>(d, (T *)io.out, start, grid, at, best);
}

/* By minima of two; a function of its own, so that it takes no registers from the other way. */
template <typename T, int ROWS>
__device__ static __noinline__ void box_again(
	const struct gpube__presum &d, const struct gpube__presum_io &io, uint32_t shared)
{
	do_box<T, ROWS, 0, false>(d, io, shared);
}

/*
 * out[s] = min over x of sum_k in_k[s, x]; for integers same bits as contract_ref.c
 * Shape: see the head of contract_presum.h
 * Map:   block per box; thread per tile of ROWS x 8 output cells
 * Moves: of each operand what a box needs, once a box; the output once
 * Ops:   an add-min per joined cell, and an addition for each operand of each cell of L and R
 * Bound: what a block does before and after its loop, with two blocks on a multiprocessor; in the
 *        loop issue, 1.4 slots a joined cell. On an H100 34 % of an add-min per joined cell:
 *        benchmarks/runs/2026-11-22-h100-presums
 */
template <typename T, int ROWS, int APART, bool BITS>
__global__ void __launch_bounds__(GPUBE_PRESUM_THREADS, GPUBE_PRESUM_BLOCKS)
	presum_kernel(const __grid_constant__ struct gpube__presum d,
		const __grid_constant__ struct gpube__presum_io io)
{
	extern __shared__ __align__(16) unsigned char shared[];

	do_box<T, ROWS, APART, BITS>(d, io, (uint32_t)__cvta_generic_to_shared(shared));
}

gpube__presum_function gpube__presum_function_of(enum gpube_type type, uint32_t kernel)
{
	if (type == GPUBE_INT32)
		return kernel == PRESUM_7X8 ? presum_kernel<int32_t, 7, 4, false>
					    : presum_kernel<int32_t, 8, 4, false>;
	return kernel == PRESUM_7X8 ? presum_kernel<float, 7, 0, true>
				    : presum_kernel<float, 8, 0, true>;
}
