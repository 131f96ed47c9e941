/* contract_strip.cu - the kernels of contract_strip.h, for int32. */
#include "gpube/ops/contract/boxes/contract_box_copy.cuh"
#include "gpube/ops/contract/strips/contract_strip.cuh"

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

template <typename T, int WIDE>
__device__ static inline void copy_cells(const struct gpube__strip &d, const T *from, uint32_t to)
{
	const struct gpube__strip_copy &c = d.copy;
	struct gpube__strip_copied at = gpube__strip_first_copy(&c, threadIdx.x);

#pragma unroll 4
	for (uint32_t i = threadIdx.x; i < c.n; i += blockDim.x) {
		copy_async<WIDE * sizeof(T)>(to + at.to * (uint32_t)sizeof(T), from + at.from);
		at = gpube__strip_next_copy(&c, at);
	}
}

template <typename T, bool BY_X>
__device__ static inline void copy_r(const struct gpube__strip &d, const T *from, uint32_t to)
{
	if constexpr (BY_X)
		copy_cells<T, 4>(d, from, to);
	else if (d.r_how == STRIP_FOURS)
		copy_fours(d, from, to);
	else
		copy_cells<T, 1>(d, from, to);
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
	const struct gpube__strip &d, int which, uint32_t *shared)
{
	const struct gpube__strip_table &t = d.table[which];

	for (uint32_t k = 0; k < t.n; k++)
		for (uint32_t i = threadIdx.x; i < t.cells; i += blockDim.x)
			shared[t.list + k * t.cells + i] =
				gpube__strip_entry(&d, &t, gpube__strip_slot(which, k), i);
}

/* Reads an operand of the table, in a slot, for a cell. */
template <typename T, int U>
__device__ static inline void read_term(const struct gpube__strip &d, const struct strip_unit<T> *u,
	uint32_t slot, uint32_t entry, const uint32_t *x, T *v)
{
	const uint32_t step = d.op[slot].x;
	const T *const from = u->in[slot];
	int32_t offset;

	load_shared(&offset, entry);
#pragma unroll
	for (int j = 0; j < U; j++)
		v[j] = __ldg(plus(from, (uint32_t)offset + x[j] * step));
}

/*
 * A table's cell for U of the x of a row of threads, from the first-th on. Reads of the first N
 * operands are on their way together. at: of shared memory
 */
template <typename T, int WHICH, int N, int U>
__device__ static inline void sum_cells(const struct gpube__strip &d, const struct strip_unit<T> *u,
	uint32_t at, uint32_t buffer, uint32_t cell, uint32_t row, uint32_t first)
{
	const struct gpube__strip_table &t = d.table[WHICH];
	const uint32_t entry = at + (t.list + cell) * 4;
	const uint32_t to = at + (t.at + buffer * t.room + cell) * 4;
	uint32_t x[U];
	T v[N ? N : 1][U];

#pragma unroll
	for (int j = 0; j < U; j++) {
		v[0][j] = 0;
		x[j] = gpube__strip_x(&d, &t, row, first + j);
	}
#pragma unroll
	for (int k = 0; k < N; k++)
		read_term<T, U>(
			d, u, gpube__strip_slot(WHICH, k), entry + k * t.cells * 4, x, v[k]);
#pragma unroll
	for (int k = 1; k < N; k++)
#pragma unroll
		for (int j = 0; j < U; j++)
			v[0][j] += v[k][j];
	/* others one by one; braces, since without them nvcc takes what follows for a part of it */
	if constexpr (N > 1) {
#pragma unroll 1
		for (uint32_t k = N; k < t.n; k++) {
			read_term<T, U>(d, u, gpube__strip_slot(WHICH, k), entry + k * t.cells * 4,
				x, v[1]);
#pragma unroll
			for (int j = 0; j < U; j++)
				v[0][j] += v[1][j];
		}
	}
#pragma unroll
	for (int j = 0; j < U; j++)
		asm volatile("st.shared.b32 [%0], %1;" ::"r"(to + x[j] * t.cells * 4),
			     "r"(__builtin_bit_cast(uint32_t, v[0][j]))
			     : "memory");
}

/* The table for a unit. */
template <typename T, int WHICH, int N>
__device__ static inline void sum_terms(
	const struct gpube__strip &d, const struct strip_unit<T> *u, uint32_t at, uint32_t buffer)
{
	const struct gpube__strip_table &t = d.table[WHICH];
	const uint32_t row = gpube__strip_split(threadIdx.x, t.side, t.by_side);
	const uint32_t cell = threadIdx.x - row * t.side;

	if (row >= t.rows)
		return;
	if (t.each <= 2) {
#pragma unroll 1
		for (uint32_t c = cell; c < t.cells; c += t.side)
			sum_cells<T, WHICH, N, 2>(d, u, at, buffer, c, row, 0);
	} else {
#pragma unroll 1
		for (uint32_t c = cell; c < t.cells; c += t.side) {
#pragma unroll 1
			for (uint32_t i = 0; i < t.each; i += 5)
				sum_cells<T, WHICH, N, 5>(d, u, at, buffer, c, row, i);
		}
	}
}

template <typename T, int WHICH>
__device__ static inline void sum_table(
	const struct gpube__strip &d, const struct strip_unit<T> *u, uint32_t at, uint32_t buffer)
{
	if (d.table[WHICH].n >= 3)
		sum_terms<T, WHICH, 3>(d, u, at, buffer);
	else if (d.table[WHICH].n == 2)
		sum_terms<T, WHICH, 2>(d, u, at, buffer);
	else if (d.table[WHICH].n == 1)
		sum_terms<T, WHICH, 1>(d, u, at, buffer);
	else
		sum_terms<T, WHICH, 0>(d, u, at, buffer);
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

/* One x, of which b is R; *s, *l: where S and L are, then those of the next x. */
template <typename T, int P, bool HAS_S>
__device__ static inline void combine_x(
	const struct gpube__strip &d, T *b, uint32_t *s, uint32_t *l, T (*best)[4])
{
	T a[P];

	load_row<T, P>(a, *l);
	*l += d.table[STRIP_L].cells * (uint32_t)sizeof(T);
	if constexpr (HAS_S) {
		T more[4];

		load_together<T, 4>(more, *s);
		*s += d.table[STRIP_S].cells * (uint32_t)sizeof(T);
#pragma unroll
		for (int v = 0; v < 4; v++)
			b[v] = add_one(more[v], d.one, b[v]);
	}
#pragma unroll
	for (int p = 0; p < P; p++)
#pragma unroll
		for (int v = 0; v < 4; v++)
			best[p][v] = add_min(a[p], b[v], best[p][v]);
}

/*
 * The best of all x, and none above 'most'; where a thread reads R, S and L: bytes of shared
 * memory. BY_X: R has the x of a cell together.
 */
template <typename T, int P, bool HAS_S, bool BY_X>
__device__ static inline void combine(
	const struct gpube__strip &d, T most, uint32_t r, uint32_t s, uint32_t l, T (*best)[4])
{
#pragma unroll
	for (int p = 0; p < P; p++)
#pragma unroll
		for (int v = 0; v < 4; v++)
			best[p][v] = most;
	if constexpr (BY_X) {
#pragma unroll 1
		for (uint32_t x = 0; x < d.n_x; x += 2, r += 2 * (uint32_t)sizeof(T)) {
			T pair[4][2];

#pragma unroll
			for (int v = 0; v < 4; v++)
				load_together<T, 2>(pair[v], r + v * d.n_x * (uint32_t)sizeof(T));
#pragma unroll
			for (int i = 0; i < 2; i++) {
				T b[4] = {pair[0][i], pair[1][i], pair[2][i], pair[3][i]};

				combine_x<T, P, HAS_S>(d, b, &s, &l, best);
			}
		}
	} else {
#pragma unroll 2
		for (uint32_t x = 0; x < d.n_x; x++, r += d.r_row * (uint32_t)sizeof(T)) {
			T b[4];

			load_together<T, 4>(b, r);
			combine_x<T, P, HAS_S>(d, b, &s, &l, best);
		}
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

		if (cut.to != cut.threshold) {
#pragma unroll
			for (int v = 0; v < 4; v++)
				best[p][v] = cut_of(best[p][v], cut);
		}
		memcpy(&w, best[p], sizeof(w));
		if (p < (int)d.np)
			__stcs((int4 *)(out + d.out_p[p]), w);
	}
}

/*
 * out[s] = min over x of sum_k in_k[s, x]; same bits as contract_ref.c
 * Shape: see the head of contract_strip.h
 * Map:   block for units that follow each other; thread per four cells of a strip and P values of
 *        the dims P; x serial
 * Moves: of R what a strip needs, once for n_loop units; of the others what L and S need, once a
 *        unit; the output once
 * Ops:   an add-min per joined cell; for 4 P of them four additions and the reads of 8 + P words
 * Bound: DRAM
 */
template <typename T, int P, bool HAS_S, bool BY_X, int BLOCKS>
__global__ void __launch_bounds__(GPUBE_STRIP_THREADS, BLOCKS)
	strip_kernel(const __grid_constant__ struct gpube__strip d,
		const __grid_constant__ struct gpube__strip_io io)
{
	constexpr uint32_t BYTES = sizeof(T);
	extern __shared__ __align__(16) unsigned char memory[];
	__shared__ struct strip_unit<T> units[STARTS];
	__shared__ int64_t carries[GPUBE_STRIP_OUTER + 1][GPUBE_STRIP_OPS + 1];
	const struct gpube__strip_table &l = d.table[STRIP_L], &s = d.table[STRIP_S];
	uint32_t *const shared = (uint32_t *)memory;
	const uint32_t cells_at = (uint32_t)__cvta_generic_to_shared(memory), t = threadIdx.x;
	const uint32_t begin = gpube__strip_first_unit(&d, blockIdx.x);
	const uint32_t end = gpube__strip_first_unit(&d, blockIdx.x + 1);
	const uint32_t place_l = cells_at + gpube__strip_place(&d, &l, 4 * t) * BYTES;
	const uint32_t place_s = HAS_S ? cells_at + gpube__strip_place(&d, &s, 4 * t) * BYTES : 0;
	uint32_t left = begin - gpube__strip_split(begin, d.n_loop, d.by_loop) * d.n_loop;
	const struct cut<T> cut = cut_init<T>(&d);
	const int slot = t < GPUBE_STRIP_OPS ? (int)t : -1; /* threads that know a table: */
	const bool knows = t <= GPUBE_STRIP_OPS && (slot < 0 || d.op[slot].order >= 0);
	T *start = NULL;

	left = d.n_loop - left;
	if (knows) {
		start = (slot < 0 ? (T *)io.out : (T *)io.in[slot]) +
			gpube__strip_start(&d, slot, begin);
		*(slot < 0 ? &units[0].out : (T **)&units[0].in[slot]) = start;
		gpube__strip_carries(&d, slot, &carries[0][t], GPUBE_STRIP_OPS + 1);
	}
	list_init(d, STRIP_L, shared);
	if constexpr (HAS_S)
		list_init(d, STRIP_S, shared);
		/* the tables of a unit are made while the one before is computed */
#pragma unroll 1
	for (uint32_t unit = begin, now = 0, turn = 0;; unit++, turn ^= 1) {
		const uint32_t before = now == 0 ? STARTS - 1 : now - 1;

		copies_wait();
		__syncthreads();
		if (unit < end) {
			sum_table<T, STRIP_L>(d, &units[now], cells_at, turn);
			if constexpr (HAS_S)
				sum_table<T, STRIP_S>(d, &units[now], cells_at, turn);
		}
		if (unit > begin && t < d.quads) {
			const uint32_t other = turn ^ 1;
			T best[P][4];

			combine<T, P, HAS_S, BY_X>(d, cut.threshold,
				cells_at + t * (BY_X ? d.r_row * BYTES : 16),
				HAS_S ? place_s + (s.at + other * s.room) * BYTES : 0,
				place_l + (l.at + other * l.room) * BYTES, best);
			store_strip<T, P>(d, cut, units[before].out + 4 * t, best);
		}
		if (unit == end)
			break;
		if (unit == begin || left == 0) {
			__syncthreads(); /* the last R may still be read */
			copy_r<T, BY_X>(d, units[now].in[0], cells_at);
			left = left ? left : d.n_loop;
		}
		left--;
		now = now + 1 == STARTS ? 0 : now + 1;
		if (unit + 1 < end && knows) {
			start += carries[gpube__strip_carry(&d, unit + 1)][t];
			*(slot < 0 ? &units[now].out : (T **)&units[now].in[slot]) = start;
		}
	}
}

template <typename T> static gpube__strip_function function_of(const struct gpube__strip *d)
{
	const bool has_s = d->table[STRIP_S].n;

	switch (d->kernel) {
	case STRIP_1:
		if (d->r_how == STRIP_FOURS_X)
			return has_s ? strip_kernel<T, 1, true, true, 4>
				     : strip_kernel<T, 1, false, true, 4>;
		return has_s ? strip_kernel<T, 1, true, false, 4>
			     : strip_kernel<T, 1, false, false, 4>;
	case STRIP_4:
		return has_s ? strip_kernel<T, 4, true, false, 4>
			     : strip_kernel<T, 4, false, false, 4>;
	case STRIP_8:
		return has_s ? strip_kernel<T, 8, true, false, 3>
			     : strip_kernel<T, 8, false, false, 3>;
	default:
		return has_s ? strip_kernel<T, 10, true, false, 3>
			     : strip_kernel<T, 10, false, false, 3>;
	}
}

gpube__strip_function gpube__strip_function_i32(const struct gpube__strip *d)
{
	return function_of<int32_t>(d);
}
