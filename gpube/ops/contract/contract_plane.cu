/*
 * contract_plane.cu - the kernels of contract_panel.h by planes, for int32 and float32.
 *
 * Constant distances between a thread's cells are what run-time compilation was thought of for;
 * planes give them to compiled kernels. Measured on an H200 and left out: reads one x ahead of the
 * add-mins (within 3 %, for more code); P x R x V of 4 x 8 x 4 cells, with fewer words read for a
 * joined cell but one block of 8 warps and chunks of 3 x (d100v4 3.0 against 2.2 ms); four blocks of
 * 160 threads of 96 registers instead of two of 256 (ternary 116 against 99 us, d10v9 471 against
 * 362; lanes 484 against 488).
 *
 * And on an H100: that tile in a kernel of its own, with lanes such that reads of 16 bytes of most
 * operands have the same address in lanes side by side, and minima of three for floats: d100v4 2.7
 * to 2.9 ms, where planes take 2.2 to 2.6; d44v4, with a list of copies besides, 53 to 56 us, where
 * planes take 52 to 63. Its loop, 561 instructions for two x, is what two warps of a scheduler wait
 * for: instructions that have not come are 1.7 of the 6 cycles for each that is issued, memory and
 * shared memory 1.2.
 */
#include "gpube/ops/contract/contract_panel.cuh"

#define BOXES 4 /* that a block knows of at a time */

/* What a block knows of a box. */
template <typename T> struct plane_box {
	const T *from[GPUBE_PANEL_OPS]; /* its first cell at x = 0 */
	int64_t out;
};

template <typename T>
__device__ static inline void box_init(const struct gpube__panel &d,
	const struct gpube__panel_io &io, struct plane_box<T> *b, uint32_t box)
{
	const uint32_t t =
		threadIdx.x - (blockDim.x - 32); /* the last warp, which may have no lanes */

	if (box >= d.blocks)
		return;
	if (t < d.n_ops)
		b->from[t] = (const T *)io.in[t] + gpube__panel_start(&d, (int)t, box);
	else if (t == d.n_ops)
		b->out = gpube__panel_start(&d, -1, box);
}

/* ---- copies ----------------------------------------------------------------------------- */

/* The copies of one kind for n of x from x0 on, WIDE cells each, to the buffer at 'to'. */
template <typename T, int WIDE, bool X_IS_FAST>
__device__ static inline void copy_pass(const struct gpube__panel_pass &p,
	const struct plane_box<T> *b, const uint4 *list, uint32_t to, uint32_t x0, uint32_t n)
{
	constexpr uint32_t BYTES = WIDE * sizeof(T);
	const uint32_t t = threadIdx.x - p.first, hi = gpube__panel_split(t, p.side, p.by_side);
	const uint32_t lo = t - hi * p.side, x_first = X_IS_FAST ? lo : hi;
	const uint32_t e_next = X_IS_FAST ? p.n_beside : p.side;
	const uint32_t x_next = X_IS_FAST ? p.side : p.n_beside;

	if (hi >= p.n_beside)
		return;
#pragma unroll 1
	for (uint32_t e = p.begin + (X_IS_FAST ? hi : lo); e < p.end; e += e_next) {
		const uint4 entry = list[e]; /* see list_init() */
		const uint64_t step = (uint64_t)entry.z * x_next;
		const T *from =
			b->from[entry.w >> 24] + entry.x + (uint64_t)entry.z * (x0 + x_first);
		const uint32_t row = entry.w & 0xffffff;
		uint32_t at = to + entry.y + x_first * row;

#pragma unroll 2
		for (uint32_t x = x_first; x < n; x += x_next) {
			copy_async<BYTES>(at, from);
			from += step;
			at += row * x_next;
		}
	}
}

/* Starts the copies of n of x, from x0 on; mostly a warp has those of one kind. */
template <typename T>
__device__ static inline void copy_box(const struct gpube__panel &d, const struct plane_box<T> *b,
	const uint4 *list, uint32_t to, uint32_t x0, uint32_t n)
{
	const uint32_t t = threadIdx.x;

	if (t - d.pass[PANEL_FOURS].first < d.pass[PANEL_FOURS].threads)
		copy_pass<T, 4, false>(d.pass[PANEL_FOURS], b, list, to, x0, n);
	if (t - d.pass[PANEL_TWOS].first < d.pass[PANEL_TWOS].threads)
		copy_pass<T, 2, false>(d.pass[PANEL_TWOS], b, list, to, x0, n);
	if (t - d.pass[PANEL_CELLS].first < d.pass[PANEL_CELLS].threads)
		copy_pass<T, 1, false>(d.pass[PANEL_CELLS], b, list, to, x0, n);
	if (t - d.pass[PANEL_CELLS_X].first < d.pass[PANEL_CELLS_X].threads)
		copy_pass<T, 1, true>(d.pass[PANEL_CELLS_X], b, list, to, x0, n);
	copies_commit();
}

/*
 * The list of copies: cells from the box's first one, bytes from the buffer's begin, cells from one
 * x to the next, and bytes to the next x below the operand's number.
 */
static __device__ __noinline__ void list_init(const struct gpube__panel &d, uint4 *list)
{
#pragma unroll 1
	for (uint32_t i = threadIdx.x, which = 0; i < d.n_entries; i += blockDim.x) {
		uint32_t k, place;

		while (which + 1 < d.n_lists && i >= d.list[which + 1].begin)
			which++;
		k = (uint32_t)d.list[which].op;
		place = (i - d.list[which].begin) * d.op[k].width;
		list[i] = make_uint4(gpube__panel_entry(&d, i, which),
			(d.op[k].at + gpube__panel_word(&d.op[k].t, place)) * 4, d.op[k].x,
			k << 24 | d.op[k].t.row * 4);
	}
}

/* ---- the loop over x -------------------------------------------------------------------- */

/* Where a thread reads an operand: bytes of shared memory; to the next x. */
struct reader {
	uint32_t at, step;
};

/* Cell i of an operand for each of N planes. */
template <typename T, int N, uint32_t PLANE>
__device__ static inline void read_planes(T *to, const struct reader *r)
{
#pragma unroll
	for (int i = 0; i < N; i++)
		load_shared(to + i, r->at + (uint32_t)i * PLANE);
}

/*
 * n of x, of one operand a panel or of up to two and another; r: see 'slot'. Integers are added on
 * another unit than the add-mins' (see add_signed()).
 */
template <typename T, int P, int V, int TERMS, uint32_t PLANE>
__device__ static inline void combine_two(uint32_t n, struct reader *r, int one, T (*best)[1][V])
{
#pragma unroll 2
	for (uint32_t x = 0; x < n; x++) {
		T a[P], b[V];

		read_planes<T, P, PLANE>(a, &r[0]);
		read_planes<T, V, PLANE>(b, &r[2]);
		if constexpr (TERMS > 1) {
			T a_more[P], b_more[V], all;

			read_planes<T, P, PLANE>(a_more, &r[1]);
			read_planes<T, V, PLANE>(b_more, &r[3]);
			load_shared(&all, r[4].at);
#pragma unroll
			for (int p = 0; p < P; p++)
				a[p] = add_signed(add_signed(a[p], one, a_more[p]), one, all);
#pragma unroll
			for (int v = 0; v < V; v++)
				b[v] = add_signed(b[v], one, b_more[v]);
			r[1].at += r[1].step;
			r[3].at += r[3].step;
			r[4].at += r[4].step;
		}
		r[0].at += r[0].step;
		r[2].at += r[2].step;
#pragma unroll
		for (int p = 0; p < P; p++)
#pragma unroll
			for (int v = 0; v < V; v++)
				best[p][0][v] = add_min(a[p], b[v], best[p][0][v]);
	}
}

/* n of x, of three operands and another. */
template <typename T, int R, uint32_t PLANE>
__device__ static inline void combine_three(uint32_t n, struct reader *r, int one, T (*best)[R][4])
{
#pragma unroll 1
	for (uint32_t x = 0; x < n; x++) {
		T rv[R][4], all;

		load_shared(&all, r[4].at);
#pragma unroll
		for (int i = 0; i < R; i++)
			load_together<T, 4>(rv[i], r[1].at + (uint32_t)i * PLANE);
#pragma unroll
		for (int p = 0; p < 4; p++) {
			T pr[R], pv[4];

#pragma unroll
			for (int i = 0; i < R; i += 4)
				load_together<T, 4>(
					pr + i, r[0].at + (uint32_t)((p * R + i) / 4) * PLANE);
			load_together<T, 4>(pv, r[2].at + (uint32_t)p * PLANE);
#pragma unroll
			for (int v = 0; v < 4; v++)
				pv[v] = add_signed(pv[v], one, all);
#pragma unroll
			for (int i = 0; i < R; i++)
#pragma unroll
				for (int v = 0; v < 4; v++)
					best[p][i][v] = add_min(add_signed(pr[i], one, pv[v]),
						rv[i][v], best[p][i][v]);
		}
		r[0].at += r[0].step;
		r[1].at += r[1].step;
		r[2].at += r[2].step;
		r[4].at += r[4].step;
	}
}

/* ---- results ---------------------------------------------------------------------------- */

/* Cells of the output from a thread's first one to its i-th along a part, of which W lie together.
 */
template <int W>
__device__ static inline uint32_t step_of(const struct gpube__panel &d, int part, int i)
{
	return i / W * d.out_group[part] + i % W * d.out_next[part];
}

/* A thread's cells, which are all in their dims. */
template <typename T, int P, int R, int V, int W>
__device__ static inline void store_whole(
	const struct gpube__panel &d, const uint32_t *at, T *out, T (*best)[R][V])
{
	const struct cut<T> cut = cut_init<T>(&d);

#pragma unroll
	for (int i = 0; i < GPUBE_PANEL_AXES; i++)
		if (i < (int)d.n_axes)
			out += (uint64_t)(at[i] << d.axis[i].together) * (uint32_t)d.out[i];
#pragma unroll
	for (int p = 0; p < P; p++)
#pragma unroll
		for (int r = 0; r < R; r++) {
			T *const row =
				out + (step_of<W>(d, PANEL_P, p) + step_of<W>(d, PANEL_R, r));

#pragma unroll
			for (int v = 0; v < V; v++)
				best[p][r][v] = cut_of(best[p][r][v], cut);
			if (V == 4 && d.out_wide) {
				int4 w;

				memcpy(&w, best[p][r], sizeof(w));
				*(int4 *)row = w;
				continue;
			}
#pragma unroll
			for (int v = 0; v < V; v++)
				row[step_of<W>(d, PANEL_V, v)] = best[p][r][v];
		}
}

template <typename T, int P, int R, int V>
__device__ static inline void store_box(
	const struct gpube__panel &d, const uint32_t *at, T *out, T (*best)[R][V])
{
	if (d.whole)
		store_whole<T, P, R, V, R == 1 ? 1 : 4>(d, at, out, best);
	else
		store<T, P, R, V>(d, at, out, best);
}

/* ---- the kernel ------------------------------------------------------------------------- */

/*
 * out[s] = min over x of sum_k in_k[s, x]; for integers same bits as contract_ref.c
 * Shape: see the head of contract_panel.h
 * Map:   block for every so-manieth box; thread per tile of P x R x V output cells; x in chunks
 *        that are copied to shared memory, with two buffers, while the one before is worked on,
 *        also that of the box before: one barrier a chunk
 * Moves: of each operand what a box needs, once a box; the output once
 * Ops:   an add-min per joined cell, with R an addition more; TERMS * (P + V) reads and nearly as
 *        many additions for P * V joined cells
 * Bound: too few warps to fill the issue slots, and with R reads of shared memory; on an H200 83 %
 *        of an add-min per joined cell in a large product, 10 to 40 % of the bound elsewhere:
 *        benchmarks/runs/2026-11-22-h200-planes
 */
template <typename T, int P, int R, int V, int TERMS, int THREADS, int BLOCKS>
__global__ void __launch_bounds__(THREADS, BLOCKS)
	plane_kernel(const __grid_constant__ struct gpube__panel d,
		const __grid_constant__ struct gpube__panel_io io)
{
	constexpr uint32_t PLANES = P > V ? P : R > V ? R : V, BYTES = sizeof(T);
	constexpr uint32_t PLANE = GPUBE_PLANE_WORDS(PLANES, BLOCKS) * BYTES;
	extern __shared__ __align__(16) unsigned char shared[];
	__shared__ struct plane_box<T> boxes[BOXES];
	const uint32_t cells_at = (uint32_t)__cvta_generic_to_shared(shared);
	const uint32_t buffer_at = cells_at + GPUBE_PLANE_FIRST * BYTES, t = threadIdx.x;
	uint4 *const list = (uint4 *)((uint32_t *)shared + d.lists);
	uint32_t at[GPUBE_PANEL_AXES], place[GPUBE_PANEL_SLOTS], from = 0;

	list_init(d, list);
	if (t < PLANES * GPUBE_PLANE_FIRST)
		((uint32_t *)shared)[t / GPUBE_PLANE_FIRST * (PLANE / BYTES) +
				     t % GPUBE_PLANE_FIRST] = 0;
	box_init(d, io, &boxes[0], blockIdx.x);
	box_init(d, io, &boxes[1], blockIdx.x + gridDim.x);
	gpube__panel_lane(&d, t, at);
#pragma unroll
	for (uint32_t i = 0; i < GPUBE_PANEL_SLOTS; i++)
		place[i] =
			d.slot[i] < 0
				? cells_at
				: buffer_at + (d.op[d.slot[i]].at +
						      gpube__panel_place(&d.op[d.slot[i]].t, at)) *
						      BYTES;
	__syncthreads();
	copy_box(d, &boxes[0], list, buffer_at, 0, min(d.chunk, d.n_x));
#pragma unroll 1
	for (uint32_t box = blockIdx.x, turn = 0; box < d.blocks; box += gridDim.x, turn++) {
		T best[P][R][V];

#pragma unroll
		for (int p = 0; p < P; p++)
#pragma unroll
			for (int r = 0; r < R; r++)
#pragma unroll
				for (int v = 0; v < V; v++)
					best[p][r][v] = most<T>();
#pragma unroll 1
		for (uint32_t x0 = 0; x0 < d.n_x; x0 += d.chunk) {
			const uint32_t n = min(d.chunk, d.n_x - x0), other = d.stage * BYTES - from;
			const bool last = d.n_x - x0 <= d.chunk;
			struct reader reader[GPUBE_PANEL_SLOTS];

			copies_wait();
			__syncthreads();
			if (!last)
				copy_box(d, &boxes[turn % BOXES], list, buffer_at + other,
					x0 + d.chunk, min(d.chunk, d.n_x - x0 - d.chunk));
			else if (box + gridDim.x < d.blocks)
				copy_box(d, &boxes[(turn + 1) % BOXES], list, buffer_at + other, 0,
					min(d.chunk, d.n_x));
			if (x0 == 0) /* for the box after the next */
				box_init(d, io, &boxes[(turn + 2) % BOXES], box + 2 * gridDim.x);
			if (t < d.lanes) {
#pragma unroll
				for (uint32_t i = 0; i < GPUBE_PANEL_SLOTS; i++) {
					const bool none = d.slot[i] < 0;

					reader[i].at = place[i] + (none ? 0 : from);
					reader[i].step = none ? 0 : d.op[d.slot[i]].t.row * BYTES;
				}
				if constexpr (R > 1)
					combine_three<T, R, PLANE>(n, reader, d.one, best);
				else
					combine_two<T, P, V, TERMS, PLANE>(n, reader, d.one, best);
			}
			from = other; /* the buffers take turns; one of them is at 0 */
		}
		if (t < d.lanes)
			store_box<T, P, R, V>(d, at, (T *)io.out + boxes[turn % BOXES].out, best);
	}
}

template <typename T> static gpube__panel_function function_of(uint32_t kernel)
{
	switch (kernel) {
	case PLANE_8X8:
		return plane_kernel<T, 8, 1, 8, 1, 512, 1>;
	case PLANE_8X8_SUMS:
		return plane_kernel<T, 8, 1, 8, 2, 256, 2>;
	case PLANE_7X7_SUMS:
		return plane_kernel<T, 7, 1, 7, 2, 256, 2>;
	case PLANE_5X10_SUMS:
		return plane_kernel<T, 5, 1, 10, 2, 256, 2>;
	case PLANE_5X10:
		return plane_kernel<T, 5, 1, 10, 1, 512, 1>;
	case PLANE_4X4X4:
		return plane_kernel<T, 4, 4, 4, 1, 512, 1>;
	case PLANE_4X4X4_HALF:
		return plane_kernel<T, 4, 4, 4, 1, 256, 2>;
	default:
		return NULL;
	}
}

template <> gpube__panel_function gpube__plane_function<int32_t>(uint32_t kernel)
{
	return function_of<int32_t>(kernel);
}

template <> gpube__panel_function gpube__plane_function<float>(uint32_t kernel)
{
	return function_of<float>(kernel);
}
