/* contract_strip.cu - the kernels of contract_strip.h, for int32 and float32. */
#include "gpube/ops/contract_box_copy.cuh"
#include "gpube/ops/contract_strip.cuh"

#define STARTS 3 /* units whose first cells a block knows */

/* First cells of a unit. */
template <typename T> struct strip_unit {
	const T *in[GPUBE_STRIP_OPS];
	T *out;
};

/* ---- R ---------------------------------------------------------------------------------- */

/* Four cells for each x: the ones that this thread will read. */
template <typename T>
__device__ static inline void copy_fours(const struct gpube__strip &d, const T *from, uint32_t to)
{
	const uint32_t step = d.op[0].x, row = d.r_row * (uint32_t)sizeof(T);

	if (threadIdx.x >= d.quads)
		return;
	from += threadIdx.x * 4;
	to += threadIdx.x * 16;
#pragma unroll 4
	for (uint32_t x = 0; x < d.n_x; x++) {
		copy_async<16>(to, from);
		from += step;
		to += row;
	}
}

template <typename T>
__device__ static inline void copy_cells(const struct gpube__strip &d, const T *from, uint32_t to)
{
	const struct gpube__strip_copy &c = d.copy;
	struct gpube__strip_copied at = gpube__strip_first_copy(&c, threadIdx.x);

#pragma unroll 4
	for (uint32_t i = threadIdx.x; i < c.n; i += blockDim.x) {
		copy_async<sizeof(T)>(to + at.to * (uint32_t)sizeof(T), from + at.from);
		at = gpube__strip_next_copy(&c, at);
	}
}

template <typename T>
__device__ static inline void copy_r(const struct gpube__strip &d, const T *from, uint32_t to)
{
	if (d.r_wide)
		copy_fours(d, from, to);
	else
		copy_cells(d, from, to);
	copies_commit();
}

/* base + i, by one instruction that is not of the add-mins' unit. */
template <typename T> __device__ static inline const T *plus(const T *base, uint32_t i)
{
	const T *sum;

	asm("mad.wide.u32 %0, %1, %2, %3;" : "=l"(sum) : "r"(i), "n"((int)sizeof(T)), "l"(base));
	return sum;
}

/* ---- S and L ---------------------------------------------------------------------------- */

/* The lists of a table: for each operand and cell, cells of memory from the unit's first one. */
static __device__ __noinline__ void list_init(
	const struct gpube__strip &d, const struct gpube__strip_table &t, uint32_t *shared)
{
	for (uint32_t k = 0; k < t.n; k++)
		for (uint32_t i = threadIdx.x; i < t.cells; i += blockDim.x)
			shared[t.list + k * t.cells + i] =
				gpube__strip_entry(&d, &t, t.first + k, i);
}

/*
 * Adds N operands of a table, from its k-th on, to one of its cells for U of x; list: the cell's
 * entries are in shared memory. All reads are on their way together.
 */
template <typename T, int N, int U>
__device__ static inline void add_terms(const struct gpube__strip &d,
	const struct gpube__strip_table &t, const struct strip_unit<T> *u, uint32_t k,
	uint32_t list, const uint32_t *x, T *sum)
{
	T v[N][U];

#pragma unroll
	for (int i = 0; i < N; i++) {
		const uint32_t op = t.first + k + i, step = d.op[op].x;
		int32_t offset;

		load_shared(&offset, list + (k + i) * t.cells * 4);
#pragma unroll
		for (int j = 0; j < U; j++)
			v[i][j] = __ldg(plus(u->in[op], (uint32_t)offset + x[j] * step));
	}
#pragma unroll
	for (int i = 0; i < N; i++)
#pragma unroll
		for (int j = 0; j < U; j++)
			sum[j] += v[i][j];
}

/* One cell of a table for U of the x of a row of threads, from the first-th on. */
template <typename T, int U>
__device__ static inline void sum_cells(const struct gpube__strip &d,
	const struct gpube__strip_table &t, const struct strip_unit<T> *u, uint32_t list,
	uint32_t to, uint32_t row, uint32_t first)
{
	uint32_t x[U];
	T sum[U];

#pragma unroll
	for (int j = 0; j < U; j++) {
		x[j] = gpube__strip_x(&d, &t, row, first + j);
		sum[j] = 0;
	}
#pragma unroll 1
	for (uint32_t k = 0; k < t.n; k += 3)
		if (t.n - k >= 3)
			add_terms<T, 3, U>(d, t, u, k, list, x, sum);
		else if (t.n - k == 2)
			add_terms<T, 2, U>(d, t, u, k, list, x, sum);
		else
			add_terms<T, 1, U>(d, t, u, k, list, x, sum);
#pragma unroll
	for (int j = 0; j < U; j++)
		asm volatile("st.shared.b32 [%0], %1;" ::"r"(to + x[j] * t.cells * 4),
			     "r"(__builtin_bit_cast(uint32_t, sum[j]))
			     : "memory");
}

/* The table for a unit; at: address of shared memory. */
template <typename T>
__device__ static inline void sum_table(const struct gpube__strip &d,
	const struct gpube__strip_table &t, const struct strip_unit<T> *u, uint32_t at,
	uint32_t buffer)
{
	const uint32_t row = gpube__strip_split(threadIdx.x, t.side, t.by_side);
	const uint32_t list = at + t.list * 4, to = at + t.at[buffer] * 4;

	if (row >= t.rows)
		return;
#pragma unroll 1
	for (uint32_t cell = threadIdx.x - row * t.side; cell < t.cells; cell += t.side)
		if (t.each <= 2)
			sum_cells<T, 2>(d, t, u, list + cell * 4, to + cell * 4, row, 0);
		else
#pragma unroll 1
			for (uint32_t i = 0; i < t.each; i += 5)
				sum_cells<T, 5>(d, t, u, list + cell * 4, to + cell * 4, row, i);
}

/* ---- a unit ----------------------------------------------------------------------------- */

template <typename T, int N> __device__ static inline void load_row(T *to, uint32_t at)
{
	if constexpr (N == 1) {
		load_shared(to, at);
	} else if constexpr (N % 4) {
		load_together<T, N / 4 * 4>(to, at);
		load_together<T, N % 4>(to + N / 4 * 4, at + N / 4 * 16);
	} else {
		load_together<T, N>(to, at);
	}
}

/* The best of all x, and none above 'most'; where a thread reads R, S and L: bytes of shared
 * memory. */
template <typename T, int P, bool HAS_S>
__device__ static inline void combine(
	const struct gpube__strip &d, T most, uint32_t r, uint32_t s, uint32_t l, T (*best)[4])
{
	const uint32_t next_r = d.r_row * (uint32_t)sizeof(T);
	const uint32_t next_s = d.table[STRIP_S].cells * (uint32_t)sizeof(T);
	const uint32_t next_l = d.table[STRIP_L].cells * (uint32_t)sizeof(T);

#pragma unroll
	for (int p = 0; p < P; p++)
#pragma unroll
		for (int v = 0; v < 4; v++)
			best[p][v] = most;
#pragma unroll 2
	for (uint32_t x = 0; x < d.n_x; x++) {
		T a[P], b[4];

		load_together<T, 4>(b, r);
		load_row<T, P>(a, l);
		if constexpr (HAS_S) {
			T more[4];

			load_together<T, 4>(more, s);
#pragma unroll
			for (int v = 0; v < 4; v++)
				b[v] = add_signed(more[v], d.one, b[v]);
			s += next_s;
		}
		r += next_r;
		l += next_l;
#pragma unroll
		for (int p = 0; p < P; p++)
#pragma unroll
			for (int v = 0; v < 4; v++)
				best[p][v] = add_min(a[p], b[v], best[p][v]);
	}
}

/* Past the caches, which are better kept for what is read again. */
template <typename T, int P>
__device__ static inline void store_strip(
	const struct gpube__strip &d, struct cut<T> cut, T *out, T (*best)[4])
{
#pragma unroll
	for (int p = 0; p < P; p++) {
		int4 w;

		if (cut.to != cut.threshold)
#pragma unroll
			for (int v = 0; v < 4; v++)
				best[p][v] = cut_of(best[p][v], cut);
		memcpy(&w, best[p], sizeof(w));
		if (p < (int)d.np)
			__stcs((int4 *)(out + d.out_p[p]), w);
	}
}

/*
 * out[s] = min over x of sum_k in_k[s, x]; for integers same bits as contract_ref.c
 * Shape: see the head of contract_strip.h
 * Map:   block for units that follow each other; thread per four cells of a strip and P values of
 *        the dims P; x serial
 * Moves: of R what a strip needs, once for n_loop units; of the others what L and S need, once a
 *        unit; the output once
 * Ops:   an add-min per joined cell; for 4 P of them four additions and the reads of 8 + P words
 * Bound: DRAM
 */
template <typename T, int P, bool HAS_S, int BLOCKS>
__global__ void __launch_bounds__(GPUBE_STRIP_THREADS, BLOCKS)
	strip_kernel(const __grid_constant__ struct gpube__strip d,
		const __grid_constant__ struct gpube__strip_io io)
{
	constexpr uint32_t BYTES = sizeof(T);
	extern __shared__ __align__(16) unsigned char memory[];
	__shared__ struct strip_unit<T> units[STARTS];
	const struct gpube__strip_table &l = d.table[STRIP_L], &s = d.table[STRIP_S];
	uint32_t *const shared = (uint32_t *)memory;
	const uint32_t cells_at = (uint32_t)__cvta_generic_to_shared(memory), t = threadIdx.x;
	const uint32_t begin = gpube__strip_first_unit(&d, blockIdx.x);
	const uint32_t end = gpube__strip_first_unit(&d, blockIdx.x + 1);
	const uint32_t place_l = cells_at + gpube__strip_place(&d, &l, 4 * t) * BYTES;
	const uint32_t place_s = HAS_S ? cells_at + gpube__strip_place(&d, &s, 4 * t) * BYTES : 0;
	uint32_t left = begin - gpube__strip_split(begin, d.n_loop, d.by_loop) * d.n_loop;
	const struct cut<T> cut = cut_init<T>(&d);
	constexpr bool is_int = (T)0.5f == (T)0;
	T *start = NULL; /* of table t */

	left = d.n_loop - left;
	if (t <= d.n_ops) {
		start = (t < d.n_ops ? (T *)io.in[t] : (T *)io.out) +
			gpube__strip_start(&d, t < d.n_ops ? (int)t : -1, begin);
		*(t < d.n_ops ? (T **)&units[0].in[t] : &units[0].out) = start;
	}
#pragma unroll 1
	for (int i = 0; i < 1 + HAS_S; i++)
		list_init(d, d.table[i], shared);
		/* the tables of a unit are made while the one before is computed */
#pragma unroll 1
	for (uint32_t unit = begin, now = 0, turn = 0;; unit++, turn ^= 1) {
		const uint32_t before = now == 0 ? STARTS - 1 : now - 1;

		copies_wait();
		__syncthreads();
		if (unit < end)
#pragma unroll 1
			for (int i = 0; i < 1 + HAS_S; i++)
				sum_table<T>(d, d.table[i], &units[now], cells_at, turn);
		if (unit > begin && t < d.quads) {
			T best[P][4];

			combine<T, P, HAS_S>(d, is_int ? cut.threshold : most<T>(),
				cells_at + t * 16, HAS_S ? place_s + s.at[turn ^ 1] * BYTES : 0,
				place_l + l.at[turn ^ 1] * BYTES, best);
			store_strip<T, P>(d, cut, units[before].out + 4 * t, best);
		}
		if (unit == end)
			break;
		if (unit == begin || left == 0) {
			__syncthreads(); /* the last R may still be read */
			copy_r<T>(d, units[now].in[0], cells_at);
			left = left ? left : d.n_loop;
		}
		left--;
		now = now + 1 == STARTS ? 0 : now + 1;
		if (unit + 1 < end && t <= d.n_ops) {
			start += gpube__strip_advance(&d, t < d.n_ops ? (int)t : -1, unit + 1);
			*(t < d.n_ops ? (T **)&units[now].in[t] : &units[now].out) = start;
		}
	}
}

template <typename T> static gpube__strip_function function_of(const struct gpube__strip *d)
{
	switch (d->kernel) {
	case STRIP_1:
		return d->table[STRIP_S].n ? strip_kernel<T, 1, true, 4>
					   : strip_kernel<T, 1, false, 4>;
	case STRIP_4:
		return d->table[STRIP_S].n ? strip_kernel<T, 4, true, 4>
					   : strip_kernel<T, 4, false, 4>;
	case STRIP_8:
		return d->table[STRIP_S].n ? strip_kernel<T, 8, true, 3>
					   : strip_kernel<T, 8, false, 3>;
	default:
		return d->table[STRIP_S].n ? strip_kernel<T, 10, true, 3>
					   : strip_kernel<T, 10, false, 3>;
	}
}

gpube__strip_function gpube__strip_function_i32(const struct gpube__strip *d)
{
	return function_of<int32_t>(d);
}

gpube__strip_function gpube__strip_function_f32(const struct gpube__strip *d)
{
	return function_of<float>(d);
}
