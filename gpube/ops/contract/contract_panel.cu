/* contract_panel.cu - the kernels of contract_panel.h that sum panels, for int32 and float32. */
#include "gpube/ops/contract/contract_panel.cuh"

/* What a block keeps in shared memory besides the cells. */
template <typename T> struct panel_block {
	const T *from[GPUBE_PANEL_OPS]; /* first cell of the box at x = 0 */
	int64_t out;
};

/* ---- copies and sums -------------------------------------------------------------------- */

template <typename T> __device__ static inline void store_shared(uint32_t at, T v)
{
	asm volatile("st.shared.b32 [%0], %1;" ::"r"(at), "r"(__builtin_bit_cast(uint32_t, v))
		     : "memory");
}

/* The cells of an operand for n of x, WIDE of them a copy. */
template <typename T, int WIDE, bool X_IS_FAST>
__device__ static inline void copy_op(const struct gpube__panel_op &o, const T *from,
	const uint32_t *list, uint32_t to, uint32_t n)
{
	constexpr uint32_t BYTES = WIDE * sizeof(T);
	const uint32_t side = o.side, hi = gpube__panel_split(threadIdx.x, side, o.by_side);
	const uint32_t lo = threadIdx.x - hi * side, n_hi = o.n_beside;
	const uint32_t row = o.t.row * (uint32_t)sizeof(T), copies = o.copies, step = o.x;

	if (hi >= n_hi)
		return;
	if constexpr (X_IS_FAST) {
#pragma unroll 2
		for (uint32_t e = hi; e < copies; e += n_hi) {
			const uint32_t offset = list[e];

			for (uint32_t x = lo; x < n; x += side)
				copy_async<BYTES>(to + e * BYTES + x * row, from + offset + x);
		}
	} else {
#pragma unroll 1
		for (uint32_t e = lo; e < copies; e += side) {
			const uint32_t offset = list[e];

#pragma unroll 4
			for (uint32_t x = hi; x < n; x += n_hi)
				copy_async<BYTES>(
					to + e * BYTES + x * row, from + (offset + x * step));
		}
	}
}

/*
 * The same where x lies together in memory and cells do in shared memory, through registers. n is a
 * multiple of 4.
 */
template <typename T>
__device__ static inline void copy_op_x(const struct gpube__panel_op &o, const T *from,
	const uint32_t *list, uint32_t to, uint32_t n)
{
	constexpr int U = 4;
	const uint32_t side = o.side, hi = gpube__panel_split(threadIdx.x, side, o.by_side);
	const uint32_t lo = threadIdx.x - hi * side, n_hi = o.n_beside;
	const uint32_t row = o.t.row * (uint32_t)sizeof(T), copies = o.copies, fours = n / 4;

	if (hi >= n_hi)
		return;
#pragma unroll 1
	for (uint32_t x = lo; x < fours; x += side) {
		const uint32_t to_x = to + 4 * x * row;

#pragma unroll 1
		for (uint32_t e = hi; e < copies; e += U * n_hi) {
			int4 v[U];

#pragma unroll
			for (int u = 0; u < U; u++)
				v[u] = __ldg((const int4
						*)(from + 4 * x +
						   list[min(e + (uint32_t)u * n_hi, copies - 1)]));
#pragma unroll
			for (int u = 0; u < U; u++) {
				const uint32_t i = e + (uint32_t)u * n_hi;
				const uint32_t at = to_x + i * (uint32_t)sizeof(T);

				if (i < copies) {
					store_shared(at, v[u].x);
					store_shared(at + row, v[u].y);
					store_shared(at + 2 * row, v[u].z);
					store_shared(at + 3 * row, v[u].w);
				}
			}
		}
	}
}

/* Starts the copies of n of x, from x0 on, to the buffer at 'to'. */
template <typename T>
__device__ static inline void copy_ops(const struct gpube__panel &d, const struct panel_block<T> *b,
	const uint32_t *lists, uint32_t to, uint32_t x0, uint32_t n)
{
#pragma unroll 1
	for (uint32_t k = 0; k < d.n_ops; k++) {
		const struct gpube__panel_op &o = d.op[k];
		const T *from = b->from[k] + (int64_t)x0 * o.x;
		const uint32_t *list = lists + o.list, at = to + o.at * (uint32_t)sizeof(T);

		if (o.how == PANEL_FOURS)
			copy_op<T, 4, false>(o, from, list, at, n);
		else if (o.how == PANEL_FOURS_X)
			copy_op_x<T>(o, from, list, at, n);
		else if (o.how == PANEL_CELLS_X)
			copy_op<T, 1, true>(o, from, list, at, n);
		else
			copy_op<T, 1, false>(o, from, list, at, n);
	}
	copies_commit();
}

/* Adds up a panel's operands for n of x: from the buffer at 'from', to 'to'. */
template <typename T>
__device__ static inline void sum_panel(const struct gpube__panel &d,
	const struct gpube__panel_sum &p, const uint32_t *lists, uint32_t from, uint32_t to,
	uint32_t n)
{
	constexpr uint32_t BYTES = sizeof(T);
	const uint32_t side = p.side, hi = gpube__panel_split(threadIdx.x, side, p.by_side);
	const uint32_t n_hi = p.n_beside, cells = p.t.cells;
	uint32_t at[GPUBE_PANEL_TERMS], row[GPUBE_PANEL_TERMS];

	if (hi >= n_hi)
		return;
#pragma unroll
	for (uint32_t i = 0; i < GPUBE_PANEL_TERMS; i++)
		if (i < p.n) {
			const struct gpube__panel_op &o = d.op[p.op[i]];

			row[i] = o.t.row * BYTES * n_hi;
			at[i] = from + (o.at + hi * o.t.row) * BYTES;
		}
#pragma unroll 1
	for (uint32_t e = threadIdx.x - hi * side; e < cells; e += side) {
		uint32_t term[GPUBE_PANEL_TERMS];

#pragma unroll
		for (uint32_t i = 0; i < GPUBE_PANEL_TERMS; i++)
			if (i < p.n)
				term[i] = at[i] + lists[p.list + i * cells + e] * BYTES;
#pragma unroll 4
		for (uint32_t x = hi; x < n; x += n_hi) {
			T v[GPUBE_PANEL_TERMS];

#pragma unroll
			for (uint32_t i = 0; i < GPUBE_PANEL_TERMS; i++) {
				v[i] = 0;
				if (i < p.n) {
					load_shared(&v[i], term[i]);
					term[i] += row[i];
				}
			}
			store_shared(to + (x * p.t.row + e) * BYTES, (v[0] + v[1]) + (v[2] + v[3]));
		}
	}
}

/* ---- the loop over x -------------------------------------------------------------------- */

/* Where a thread reads a panel: bytes of shared memory. */
struct reader {
	uint32_t at, next, step;
};

/* N cells of one x, W of them together. */
template <typename T, int N, int W>
__device__ static inline void read(T *to, const struct reader *r)
{
#pragma unroll
	for (int i = 0; i < N; i += W)
		if constexpr (W == 1)
			load_shared(to + i, r->at + (uint32_t)i * r->next);
		else
			load_together<T, W>(to + i, r->at + (uint32_t)(i / W) * r->next);
}

/* n of x: an add-min a joined cell. */
template <typename T, int P, int V, int W>
__device__ static inline void combine_two(uint32_t n, struct reader *r, T (*best)[1][V])
{
#pragma unroll 2
	for (uint32_t x = 0; x < n; x++) {
		T a[P], b[V];

		read<T, P, W>(a, &r[0]);
		read<T, V, W>(b, &r[1]);
		r[0].at += r[0].step;
		r[1].at += r[1].step;
#pragma unroll
		for (int p = 0; p < P; p++)
#pragma unroll
			for (int v = 0; v < V; v++)
				best[p][0][v] = add_min(a[p], b[v], best[p][0][v]);
	}
}

/* n of x: an addition and an add-min; integers are added on another unit (see add_signed()). */
template <typename T, int P, int R, int V, int W>
__device__ static inline void combine_three(
	uint32_t n, struct reader *panels, int one, T (*best)[R][V])
{
#pragma unroll 1
	for (uint32_t x = 0; x < n; x++) {
		T pr[P][R], rv[R][V], pv[P][V];

		read<T, R * V, W>(&rv[0][0], &panels[1]);
		read<T, P * R, W>(&pr[0][0], &panels[0]);
		read<T, P * V, W>(&pv[0][0], &panels[2]);
#pragma unroll
		for (int i = 0; i < 3; i++)
			panels[i].at += panels[i].step;
#pragma unroll
		for (int p = 0; p < P; p++)
#pragma unroll
			for (int r = 0; r < R; r++)
#pragma unroll
				for (int v = 0; v < V; v++)
					best[p][r][v] = add_min(add_signed(pr[p][r], one, pv[p][v]),
						rv[r][v], best[p][r][v]);
	}
}

/* ---- groups ---------------------------------------------------------------------------- */

/* The best of all groups goes to the first one; 'cells' is free for it. */
template <typename T, int N>
__device__ static inline void join_groups(
	const struct gpube__panel &d, T *cells, uint32_t lane, uint32_t group, T *best)
{
#pragma unroll 1
	for (uint32_t half = d.groups / 2; half > 0; half /= 2) {
		const uint32_t n = half * d.lanes, at = group % half * d.lanes + lane;

		__syncthreads();
		if (group >= half && group < 2 * half)
#pragma unroll
			for (int i = 0; i < N; i++)
				cells[(uint32_t)i * n + at] = best[i];
		__syncthreads();
		if (group < half)
#pragma unroll
			for (int i = 0; i < N; i++) {
				const T other = cells[(uint32_t)i * n + at];

				best[i] = other < best[i] ? other : best[i];
			}
	}
}

/* ---- the kernel ------------------------------------------------------------------------- */

/* What a block knows of a box. */
template <typename T>
__device__ static inline void box_init(const struct gpube__panel &d,
	const struct gpube__panel_io &io, struct panel_block<T> *b, uint32_t box)
{
	const uint32_t t = threadIdx.x;

	__syncthreads();
	if (t < d.n_ops)
		b->from[t] = (const T *)io.in[t] + gpube__panel_start(&d, (int)t, box);
	else if (t == d.n_ops)
		b->out = gpube__panel_start(&d, -1, box);
	__syncthreads();
}

/* Blocks that the registers of a multiprocessor are to hold. */
constexpr int blocks_of(int cells)
{
	return cells > 32 ? 2 : 3;
}

/*
 * out[s] = min over x of sum_k in_k[s, x]; for integers same bits as contract_ref.c
 * Shape: see the head of contract_panel.h
 * Map:   block for every so-manieth box; thread per tile of P x R x V output cells and group along
 *        x; x in chunks that are copied to shared memory, with two buffers while the one before
 *        is worked on
 * Moves: of each operand what a box needs, once a box; the output once
 * Ops:   an add-min per joined cell, with three panels an addition more; a few per cell of a panel
 * Bound: issue slots: add-mins, and what copies and sums take beside them; on an H200 10 to 42 %
 *        of an add-min per joined cell, or of the bytes: benchmarks/runs/2026-11-22-h200-panels
 */
template <typename T, int P, int R, int V, int W>
__global__ void __launch_bounds__(
	P *R *V > 64 ? 128 : GPUBE_PANEL_THREADS, P *R *V > 64 ? 3 : blocks_of(P * R * V))
	panel_kernel(const __grid_constant__ struct gpube__panel d,
		const __grid_constant__ struct gpube__panel_io io)
{
	constexpr uint32_t BYTES = sizeof(T), N = R > 1 ? 3 : 2;
	extern __shared__ __align__(16) unsigned char shared[];
	__shared__ struct panel_block<T> b;
	T *const cells = (T *)shared;
	const uint32_t cells_at = (uint32_t)__cvta_generic_to_shared(shared);
	uint32_t *const lists = (uint32_t *)shared + d.lists;
	const uint32_t group = gpube__panel_split(threadIdx.x, d.lanes, d.by_lanes);
	const uint32_t lane = threadIdx.x - group * d.lanes;
	const bool works = group < d.groups;
	uint32_t at[GPUBE_PANEL_AXES], place[N];

#pragma unroll 1
	for (uint32_t i = threadIdx.x, list = 0; i < d.n_entries; i += blockDim.x) {
		while (list + 1 < d.n_lists && i >= d.list[list + 1].begin)
			list++;
		lists[i] = gpube__panel_entry(&d, i, list);
	}
	gpube__panel_lane(&d, lane, at);
#pragma unroll
	for (uint32_t i = 0; i < N; i++)
		place[i] = (d.panel[i].at + gpube__panel_place(&d.panel[i].t, at) +
				   group * d.panel[i].t.row) *
			   BYTES;
#pragma unroll 1
	for (uint32_t box = blockIdx.x; box < d.blocks; box += gridDim.x) {
		uint32_t from = 0, other = d.second_buffer * BYTES;
		T best[P][R][V];

		box_init(d, io, &b, box);
		copy_ops(d, &b, lists, cells_at, 0, min(d.chunk, d.n_x));
#pragma unroll
		for (int p = 0; p < P; p++)
#pragma unroll
			for (int r = 0; r < R; r++)
#pragma unroll
				for (int v = 0; v < V; v++)
					best[p][r][v] = most<T>();
#pragma unroll 1
		for (uint32_t x0 = 0; x0 < d.n_x; x0 += d.chunk) {
			const uint32_t n = min(d.chunk, d.n_x - x0), next_x = x0 + d.chunk;
			const uint32_t next_n = next_x < d.n_x ? min(d.chunk, d.n_x - next_x) : 0;
			struct reader reader[N];

			copies_wait();
			__syncthreads();
			if (d.second_buffer && next_n)
				copy_ops(d, &b, lists, cells_at + other, next_x, next_n);
			if (d.has_sums) {
#pragma unroll 1
				for (uint32_t i = 0; i < N; i++)
					if (d.panel[i].n)
						sum_panel<T>(d, d.panel[i], lists, cells_at + from,
							cells_at + d.panel[i].at * BYTES, n);
				__syncthreads();
			}
			if (works && group < n) {
				const uint32_t own = (n - group + d.groups - 1) >> d.groups_shift;

#pragma unroll
				for (uint32_t i = 0; i < N; i++) {
					reader[i].at =
						cells_at + place[i] + (d.panel[i].n ? 0 : from);
					reader[i].next = d.panel[i].t.stride * BYTES;
					reader[i].step = d.panel[i].t.row * BYTES << d.groups_shift;
				}
				if constexpr (R > 1)
					combine_three<T, P, R, V, W>(own, reader, d.one, best);
				else
					combine_two<T, P, V, W>(own, reader, best);
			}
			from = other; /* the buffers take turns; one of them is at 0 */
			other = d.second_buffer * BYTES - from;
			if (!d.second_buffer && next_n) {
				__syncthreads();
				copy_ops(d, &b, lists, cells_at, next_x, next_n);
			}
		}
		join_groups<T, P * R * V>(d, cells, lane, group, &best[0][0][0]);
		if (group == 0)
			store<T, P, R, V>(d, at, (T *)io.out + b.out, best);
	}
}

template <typename T> static gpube__panel_function function_of(uint32_t kernel)
{
	switch (kernel) {
	case PANEL_8X8:
		return panel_kernel<T, 8, 1, 8, 4>;
	case PANEL_8X8_APART:
		return panel_kernel<T, 8, 1, 8, 1>;
	case PANEL_4X8:
		return panel_kernel<T, 4, 1, 8, 4>;
	case PANEL_10X10:
		return panel_kernel<T, 10, 1, 10, 2>;
	case PANEL_4X4X4:
		return panel_kernel<T, 4, 4, 4, 4>;
	default:
		return gpube__plane_function<T>(kernel);
	}
}

gpube__panel_function gpube__panel_function_i32(uint32_t kernel)
{
	return function_of<int32_t>(kernel);
}

gpube__panel_function gpube__panel_function_f32(uint32_t kernel)
{
	return function_of<float>(kernel);
}
