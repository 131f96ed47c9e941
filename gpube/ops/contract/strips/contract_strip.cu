/* contract_strip.cu - the kernels of contract_strip.h, for int32. */
#include "gpube/ops/contract/boxes/contract_box_copy.cuh"
#include "gpube/ops/contract/strips/contract_strip.cuh"

#define STARTS 3 /* units whose first cells a block knows */

/*
 * How a thread reads R: its four cells together; for each of them the x together; each by its
 * place.
 */
enum { R_FOURS, R_BY_X, R_PLACES };

/* First cells of a unit. */
struct strip_unit {
	const int32_t *in[GPUBE_STRIP_OPS];
	int32_t *out;
};

/* ---- R ---------------------------------------------------------------------------------- */

/* Four cells for each x: the ones that this thread will read. */
__device__ static inline void copy_fours(
	const struct gpube__strip &d, const int32_t *from, uint32_t to)
{
	const uint32_t step = d.op[0].x, row = d.r_row * (uint32_t)sizeof(int32_t);

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

template <int WIDE>
__device__ static inline void copy_cells(
	const struct gpube__strip &d, const int32_t *from, uint32_t to)
{
	const struct gpube__strip_copy &c = d.copy;
	struct gpube__strip_copied at = gpube__strip_first_copy(&c, threadIdx.x);

#pragma unroll 4
	for (uint32_t i = threadIdx.x; i < c.n; i += blockDim.x) {
		copy_async<WIDE * sizeof(int32_t)>(
			to + at.to * (uint32_t)sizeof(int32_t), from + at.from);
		at = gpube__strip_next_copy(&c, at);
	}
}

template <int R>
__device__ static inline void copy_r(const struct gpube__strip &d, const int32_t *from, uint32_t to)
{
	if (R == R_BY_X || (R == R_PLACES && d.r_how == STRIP_PLACES_FOURS))
		copy_cells<4>(d, from, to);
	else if (R == R_FOURS && d.r_how == STRIP_FOURS)
		copy_fours(d, from, to);
	else
		copy_cells<1>(d, from, to);
	copies_commit();
}

/* base + i, by one instruction that is not of the add-mins' unit. */
__device__ static inline const int32_t *plus(const int32_t *base, uint32_t i)
{
	const int32_t *sum;

	asm("mad.wide.u32 %0, %1, %2, %3;"
		: "=l"(sum)
		: "r"(i), "n"((int)sizeof(int32_t)), "l"(base));
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
template <int U>
__device__ static inline void read_term(const struct gpube__strip &d, const struct strip_unit *u,
	uint32_t slot, uint32_t entry, const uint32_t *x, int32_t *v)
{
	const uint32_t step = d.op[slot].x;
	const int32_t *const from = u->in[slot];
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
template <int WHICH, int N, int U>
__device__ static inline void sum_cells(const struct gpube__strip &d, const struct strip_unit *u,
	uint32_t at, uint32_t buffer, uint32_t cell, uint32_t row, uint32_t first)
{
	const struct gpube__strip_table &t = d.table[WHICH];
	const uint32_t entry = at + (t.list + cell) * 4;
	const uint32_t to = at + (t.at + buffer * t.room + cell) * 4;
	uint32_t x[U];
	int32_t v[N ? N : 1][U];

#pragma unroll
	for (int j = 0; j < U; j++) {
		v[0][j] = 0;
		x[j] = gpube__strip_x(&d, &t, row, first + j);
	}
#pragma unroll
	for (int k = 0; k < N; k++)
		read_term<U>(d, u, gpube__strip_slot(WHICH, k), entry + k * t.cells * 4, x, v[k]);
#pragma unroll
	for (int k = 1; k < N; k++)
#pragma unroll
		for (int j = 0; j < U; j++)
			v[0][j] += v[k][j];
	/* others one by one; braces, since without them nvcc takes what follows for a part of it */
	if constexpr (N > 1) {
#pragma unroll 1
		for (uint32_t k = N; k < t.n; k++) {
			read_term<U>(d, u, gpube__strip_slot(WHICH, k), entry + k * t.cells * 4, x,
				v[1]);
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
template <int WHICH, int N>
__device__ static inline void sum_terms(
	const struct gpube__strip &d, const struct strip_unit *u, uint32_t at, uint32_t buffer)
{
	const struct gpube__strip_table &t = d.table[WHICH];
	const uint32_t row = gpube__strip_split(threadIdx.x, t.side, t.by_side);
	const uint32_t cell = threadIdx.x - row * t.side;

	if (row >= t.rows)
		return;
	if (t.each <= 2) {
#pragma unroll 1
		for (uint32_t c = cell; c < t.cells; c += t.side)
			sum_cells<WHICH, N, 2>(d, u, at, buffer, c, row, 0);
	} else {
#pragma unroll 1
		for (uint32_t c = cell; c < t.cells; c += t.side) {
#pragma unroll 1
			for (uint32_t i = 0; i < t.each; i += 5)
				sum_cells<WHICH, N, 5>(d, u, at, buffer, c, row, i);
		}
	}
}

template <int WHICH>
__device__ static inline void sum_table(
	const struct gpube__strip &d, const struct strip_unit *u, uint32_t at, uint32_t buffer)
{
	if (d.table[WHICH].n >= 3)
		sum_terms<WHICH, 3>(d, u, at, buffer);
	else if (d.table[WHICH].n == 2)
		sum_terms<WHICH, 2>(d, u, at, buffer);
	else if (d.table[WHICH].n == 1)
		sum_terms<WHICH, 1>(d, u, at, buffer);
	else
		sum_terms<WHICH, 0>(d, u, at, buffer);
}

/* ---- a unit ----------------------------------------------------------------------------- */

template <int N> __device__ static inline void load_row(int32_t *to, uint32_t at)
{
	if constexpr (N == 1) {
		load_shared(to, at);
	} else if constexpr (N % 4) {
		load_together<int32_t, N / 4 * 4>(to, at);
		load_together<int32_t, N % 4>(to + N / 4 * 4, at + N / 4 * 16);
	} else {
		load_together<int32_t, N>(to, at);
	}
}

/* One x, of which b is R; *s, *l: where S and L are, then those of the next x. */
template <int P, bool HAS_S>
__device__ static inline void combine_x(
	const struct gpube__strip &d, int32_t *b, uint32_t *s, uint32_t *l, int32_t (*best)[4])
{
	int32_t a[P];

	load_row<P>(a, *l);
	*l += d.table[STRIP_L].cells * (uint32_t)sizeof(int32_t);
	if constexpr (HAS_S) {
		int32_t more[4];

		load_together<int32_t, 4>(more, *s);
		*s += d.table[STRIP_S].cells * (uint32_t)sizeof(int32_t);
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
 * memory. place: R_PLACES; of the four cells
 */
template <int P, bool HAS_S, int R>
__device__ static inline void combine(const struct gpube__strip &d, int32_t most, uint32_t r,
	const uint32_t *place, uint32_t s, uint32_t l, int32_t (*best)[4])
{
#pragma unroll
	for (int p = 0; p < P; p++)
#pragma unroll
		for (int v = 0; v < 4; v++)
			best[p][v] = most;
	if constexpr (R == R_BY_X) {
#pragma unroll 1
		for (uint32_t x = 0; x < d.n_x; x += 2, r += 2 * (uint32_t)sizeof(int32_t)) {
			int32_t pair[4][2];

#pragma unroll
			for (int v = 0; v < 4; v++)
				load_together<int32_t, 2>(
					pair[v], r + v * d.n_x * (uint32_t)sizeof(int32_t));
#pragma unroll
			for (int i = 0; i < 2; i++) {
				int32_t b[4] = {pair[0][i], pair[1][i], pair[2][i], pair[3][i]};

				combine_x<P, HAS_S>(d, b, &s, &l, best);
			}
		}
	} else {
#pragma unroll 2
		for (uint32_t x = 0; x < d.n_x; x++, r += d.r_row * (uint32_t)sizeof(int32_t)) {
			int32_t b[4];

			if constexpr (R == R_PLACES) {
#pragma unroll
				for (int v = 0; v < 4; v++)
					load_shared(&b[v], r + place[v]);
			} else {
				load_together<int32_t, 4>(b, r);
			}
			combine_x<P, HAS_S>(d, b, &s, &l, best);
		}
	}
}

/* Past the caches, which are better kept for what is read again. */
template <int P>
__device__ static inline void store_strip(const struct gpube__strip &d,
	struct top_rule<int32_t> top, int32_t *out, int32_t (*best)[4])
{
#pragma unroll
	for (int p = 0; p < P; p++) {
		int4 w;

		if (top.to != top.threshold) {
#pragma unroll
			for (int v = 0; v < 4; v++)
				best[p][v] = topped(best[p][v], top);
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
template <int P, bool HAS_S, int R, int BLOCKS>
__global__ void __launch_bounds__(GPUBE_STRIP_THREADS, BLOCKS)
	strip_kernel(const __grid_constant__ struct gpube__strip d,
		const __grid_constant__ struct gpube__strip_io io)
{
	constexpr uint32_t BYTES = sizeof(int32_t);
	extern __shared__ __align__(16) unsigned char memory[];
	__shared__ struct strip_unit units[STARTS];
	__shared__ int64_t carries[GPUBE_STRIP_OUTER + 1][GPUBE_STRIP_OPS + 1];
	const struct gpube__strip_table &l = d.table[STRIP_L], &s = d.table[STRIP_S];
	uint32_t *const shared = (uint32_t *)memory;
	const uint32_t cells_at = (uint32_t)__cvta_generic_to_shared(memory), t = threadIdx.x;
	const uint32_t begin = gpube__strip_first_unit(&d, blockIdx.x);
	const uint32_t end = gpube__strip_first_unit(&d, blockIdx.x + 1);
	const uint32_t place_l = cells_at + gpube__strip_place(&d, l.dims, l.group, 4 * t) * BYTES;
	const uint32_t place_s =
		HAS_S ? cells_at + gpube__strip_place(&d, s.dims, s.group, 4 * t) * BYTES : 0;
	uint32_t place_r[4];
	uint32_t left = begin - gpube__strip_split(begin, d.n_loop, d.by_loop) * d.n_loop;
	const struct top_rule<int32_t> top = top_init<int32_t>(&d);
	const int slot = t < GPUBE_STRIP_OPS ? (int)t : -1; /* threads that know a table: */
	const bool knows = t <= GPUBE_STRIP_OPS && (slot < 0 || d.op[slot].order >= 0);
	int32_t *start = NULL;

	left = d.n_loop - left;
#pragma unroll
	for (int v = 0; R == R_PLACES && v < 4; v++)
		place_r[v] = gpube__strip_place(&d, d.r_dims, 1, 4 * t + v) * BYTES;
	if (knows) {
		start = (slot < 0 ? (int32_t *)io.out : (int32_t *)io.in[slot]) +
			gpube__strip_start(&d, slot, begin);
		*(slot < 0 ? &units[0].out : (int32_t **)&units[0].in[slot]) = start;
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
			sum_table<STRIP_L>(d, &units[now], cells_at, turn);
			if constexpr (HAS_S)
				sum_table<STRIP_S>(d, &units[now], cells_at, turn);
		}
		if (unit > begin && t < d.quads) {
			const uint32_t other = turn ^ 1;
			int32_t best[P][4];

			combine<P, HAS_S, R>(d, top.threshold,
				cells_at + (R == R_BY_X           ? t * d.r_row * BYTES
						   : R == R_FOURS ? t * 16
								  : 0),
				place_r, HAS_S ? place_s + (s.at + other * s.room) * BYTES : 0,
				place_l + (l.at + other * l.room) * BYTES, best);
			store_strip<P>(d, top, units[before].out + 4 * t, best);
		}
		if (unit == end)
			break;
		if (unit == begin || left == 0) {
			__syncthreads(); /* the last R may still be read */
			copy_r<R>(d, units[now].in[0], cells_at);
			left = left ? left : d.n_loop;
		}
		left--;
		now = now + 1 == STARTS ? 0 : now + 1;
		if (unit + 1 < end && knows) {
			start += carries[gpube__strip_carry(&d, unit + 1)][t];
			*(slot < 0 ? &units[now].out : (int32_t **)&units[now].in[slot]) = start;
		}
	}
}

template <int P, int BLOCKS> static gpube__strip_function function_of(const struct gpube__strip *d)
{
	if (gpube__strip_by_places(d->r_how))
		return strip_kernel<P, true, R_PLACES, BLOCKS>;
	return d->table[STRIP_S].n ? strip_kernel<P, true, R_FOURS, BLOCKS>
				   : strip_kernel<P, false, R_FOURS, BLOCKS>;
}

gpube__strip_function gpube__strip_function_i32(const struct gpube__strip *d)
{
	const bool has_s = d->table[STRIP_S].n;

	switch (d->kernel) {
	case STRIP_1:
		if (d->r_how == STRIP_FOURS_X)
			return has_s ? strip_kernel<1, true, R_BY_X, 4>
				     : strip_kernel<1, false, R_BY_X, 4>;
		return has_s ? strip_kernel<1, true, R_FOURS, 4>
			     : strip_kernel<1, false, R_FOURS, 4>;
	case STRIP_4:
		return function_of<4, 4>(d);
	case STRIP_8:
		return function_of<8, 3>(d);
	default:
		return function_of<10, 3>(d);
	}
}
