/* contract_triangle.cu - the kernels of contract_triangle.h, for int32 and float32. */
#include "gpube/ops/bulk.cuh"
#include "gpube/ops/contract_box_copy.cuh"
#include "gpube/ops/contract_triangle.cuh"

#ifdef GPUBE_HAS_BULK

/* ---- the warp that starts copies --------------------------------------------------------- */

/* A place in the ring of stages. */
struct turn {
	uint32_t stage, parity;
};

__device__ static inline void turn_next(struct turn *t, uint32_t stages)
{
	if (++t->stage == stages) {
		t->stage = 0;
		t->parity ^= 1;
	}
}

/* A copy of each stage: where it begins in its table, of the first x, and in shared memory. */
struct copy {
	int32_t at[GPUBE_TRIANGLE_RANK];
	uint32_t map, to; /* bytes from the first map, and from the stage */
	uint32_t unused;  /* two reads of 16 bytes */
};

/* How far the warp that starts copies is, in shared memory: it may have sums in its registers. */
struct ahead {
	struct copy copy[GPUBE_TRIANGLE_COPIES];
	uint32_t box, x0;
	struct turn turn;
};

/* The copies of a box, by a warp. */
__device__ static inline void copies_init(
	const struct gpube__triangle &d, struct ahead *a, uint32_t box)
{
	struct gpube__triangle_box b;

	gpube__triangle_box(&d, box, &b);
#pragma unroll 1
	for (uint32_t i = threadIdx.x % 32; i < d.copies; i += 32) {
		struct copy *c = &a->copy[i];
		uint32_t panel = 0, plane = i;

		while (plane >= gpube__triangle_planes(&d, (int)panel))
			plane -= gpube__triangle_planes(&d, (int)panel++);

		gpube__triangle_copy(&d, (int)panel, plane, &b, 0, c->at);
		c->to = (plane * GPUBE_TRIANGLE_PLANE(d.cells[TRIANGLE_I], d.x_last) +
				d.table[panel].at) *
			4;
		c->map = gpube__triangle_map(&d, (int)panel, plane) * (uint32_t)sizeof(CUtensorMap);
	}
	__syncwarp();
}

__device__ static inline void ahead_init(const struct gpube__triangle &d, struct ahead *a)
{
	a->box = blockIdx.x;
	a->x0 = 0;
	a->turn.stage = 0;
	a->turn.parity = 1;
	copies_init(d, a, blockIdx.x);
}

/*
 * Starts the copies of the next chunk, if there is one, when its stage has been read: a warp, each
 * thread a copy.
 */
template <bool X_LAST>
__device__ static inline bool produce(const struct gpube__triangle &d,
	const struct gpube__triangle_io &io, struct ahead *a, uint32_t cells, uint32_t full,
	uint32_t empty)
{
	const uint32_t box = a->box, x0 = a->x0;
	struct turn turn = a->turn;
	const uint32_t barrier = full + turn.stage * 8;
	const uint32_t to = cells + turn.stage * d.stage_words * 4;

	if (box >= d.n_boxes)
		return false;
	barrier_wait(empty + turn.stage * 8, turn.parity);
	if (threadIdx.x % 32 == 0)
		barrier_expect(barrier, d.stage_bytes);
	__syncwarp();
#pragma unroll 1
	for (uint32_t i = threadIdx.x % 32; i < d.copies; i += 32) {
		const int4 first = *(const int4 *)&a->copy[i],
			   rest = *((const int4 *)&a->copy[i] + 1);
		const int32_t at[GPUBE_TRIANGLE_RANK] = {first.x + (X_LAST ? (int32_t)x0 : 0),
			first.y, first.z + (X_LAST ? 0 : (int32_t)x0), first.w, rest.x};

		bulk_load_box(to + (uint32_t)rest.z, (const char *)io.map + rest.y, at, barrier);
	}
	turn_next(&turn, d.stages);
	__syncwarp();
	a->turn = turn; /* all threads the same */
	a->x0 = x0 + d.chunk < d.n_x ? x0 + d.chunk : 0;
	if (x0 + d.chunk >= d.n_x) {
		a->box = box + gridDim.x;
		copies_init(d, a, box + gridDim.x);
	}
	__syncwarp();
	return true;
}

/* ---- what the other warps do ------------------------------------------------------------- */

/* threadIdx.x, read anew: what follows from it takes no registers while x are worked on. */
__device__ static inline uint32_t this_thread(void)
{
	uint32_t t;

	asm volatile("mov.u32 %0, %%tid.x;" : "=r"(t));
	return t;
}

/* Where a lane reads, an address in shared memory: of each panel, and of the small operands. */
struct places {
	uint32_t panel[TRIANGLE_PANELS], small;
};

/* n of x, 'stage' bytes past the places of the first one, 'small' of the small operands. */
template <typename T, int I, bool SMALL>
__device__ static inline void combine(uint32_t n, struct places p, uint32_t stage,
	uint32_t small_at, const struct gpube__triangle &d, T (*best)[4][4])
{
	constexpr uint32_t PLANE = GPUBE_TRIANGLE_PLANE(I, false) * 4;
	const int one = d.one;

#pragma unroll
	for (int i = 0; i < TRIANGLE_PANELS; i++)
		p.panel[i] += stage;
	p.small += small_at;
#pragma unroll 1
	for (uint32_t x = n; x > 0; x--) {
		T jk[4][4], small[4];

#pragma unroll
		for (int j = 0; j < 4; j++)
			load_together<T, 4>(jk[j], p.panel[TRIANGLE_JK] + (uint32_t)j * PLANE);
		if (SMALL)
			load_together<T, 4>(small, p.small);
#pragma unroll
		for (int i = 0; i < I; i++) {
			T ij[4], ik[4];

			load_together<T, 4>(ij, p.panel[TRIANGLE_IJ] + (uint32_t)i * PLANE);
			load_together<T, 4>(ik, p.panel[TRIANGLE_IK] + (uint32_t)i * PLANE);
			if (SMALL) {
#pragma unroll
				for (int j = 0; j < 4; j++)
					ij[j] = add_signed(ij[j], one, small[j]);
			}
#pragma unroll
			for (int j = 0; j < 4; j++)
#pragma unroll
				for (int k = 0; k < 4; k++)
					best[i][j][k] = add_min(add_signed(ij[j], one, jk[j][k]),
						ik[k], best[i][j][k]);
			if (I > 4 && i % 2) /* or sums are made so early that they are spilled */
				__syncwarp();
		}
#pragma unroll
		for (int i = 0; i < TRIANGLE_PANELS; i++)
			p.panel[i] += d.table[i].x_bytes;
		p.small += d.small_next;
	}
}

/*
 * n of x, a power of two, along which tables lie: first the one numbered 'first' modulo n; 'stage'
 * bytes past the places of the first one, 'small' of the small operands.
 */
template <typename T, bool SMALL>
__device__ static inline void combine_along(uint32_t n, uint32_t first, const struct places &p,
	uint32_t stage, uint32_t small_at, const struct gpube__triangle &d, T (*best)[4][4])
{
	constexpr uint32_t PLANE = GPUBE_TRIANGLE_PLANE(4, true) * 4;
	const int one = d.one;

#pragma unroll 1
	for (uint32_t s = first; s < first + n; s++) {
		const uint32_t x = (s & (n - 1)) * 4, from = stage + x;
		const uint32_t at_ij = p.panel[TRIANGLE_IJ] + from;
		const uint32_t at_jk = p.panel[TRIANGLE_JK] + from;
		const uint32_t at_ik = p.panel[TRIANGLE_IK] + from;
		T jk[4][4], small[4];

#pragma unroll
		for (int j = 0; j < 4; j++)
#pragma unroll
			for (int k = 0; k < 4; k++)
				load_shared(&jk[j][k], at_jk + (uint32_t)(j * 4 + k) * PLANE);
		if (SMALL) {
#pragma unroll
			for (int j = 0; j < 4; j++)
				load_shared(&small[j],
					p.small + small_at + x + (uint32_t)j * d.small_next);
		}
#pragma unroll
		for (int i = 0; i < 4; i++) {
			T ij[4], ik[4];

#pragma unroll
			for (int k = 0; k < 4; k++)
				load_shared(&ik[k], at_ik + (uint32_t)(i * 4 + k) * PLANE);
#pragma unroll
			for (int j = 0; j < 4; j++)
				load_shared(&ij[j], at_ij + (uint32_t)(i * 4 + j) * PLANE);
#pragma unroll
			for (int j = 0; j < 4; j++) {
				if (SMALL)
					ij[j] = add_signed(ij[j], one, small[j]);
#pragma unroll
				for (int k = 0; k < 4; k++)
					best[i][j][k] = add_min(add_signed(ij[j], one, jk[j][k]),
						ik[k], best[i][j][k]);
			}
		}
	}
}

/* Four cells that lie together. */
template <typename T> __device__ static inline void store_together(T *to, const T *v)
{
	int4 w;

	memcpy(&w, v, sizeof(w));
	asm volatile("st.global.v4.b32 [%0], {%1, %2, %3, %4};" ::"l"(to), "r"(w.x), "r"(w.y),
		     "r"(w.z), "r"(w.w)
		     : "memory");
}

/* A thread's cells of a box that are in their dims. */
template <typename T, int I, bool X_LAST>
__device__ static inline void store(
	const struct gpube__triangle &d, uint32_t box, T *out, T (*best)[4][4])
{
	const struct cut<T> cut = cut_init<T>(&d);
	uint32_t lane[TRIANGLE_DIMS], left[TRIANGLE_DIMS];
	struct gpube__triangle_box b;

	gpube__triangle_lane(&d, this_thread(), lane);
	gpube__triangle_box(&d, box, &b);
#pragma unroll
	for (int i = 0; i < TRIANGLE_DIMS; i++)
		left[i] = d.size[i] - b.at[i];
	out += gpube__triangle_out(&d, &b);
#pragma unroll
	for (int i = 0; i < I; i++)
#pragma unroll
		for (int j = 0; j < 4; j++) {
			const uint32_t at_i = gpube__triangle_value(
				&d, TRIANGLE_I, lane[TRIANGLE_I], (uint32_t)i);
			const uint32_t at_j = gpube__triangle_value(
				&d, TRIANGLE_J, lane[TRIANGLE_J], (uint32_t)j);
			T *const row = out + ((int64_t)at_i * d.out[TRIANGLE_I] +
						     (int64_t)at_j * d.out[TRIANGLE_J]);

#pragma unroll
			for (int k = 0; k < 4; k++)
				best[i][j][k] = cut_of(best[i][j][k], cut);
			if (at_i >= left[TRIANGLE_I] || at_j >= left[TRIANGLE_J])
				continue;
			if constexpr (X_LAST) {
#pragma unroll
				for (int k = 0; k < 4; k++) {
					const uint32_t at = lane[TRIANGLE_K] +
							    (uint32_t)k * d.lanes[TRIANGLE_K];

					if (at < left[TRIANGLE_K])
						row[at] = best[i][j][k];
				}
			} else if (4 * lane[TRIANGLE_K] < left[TRIANGLE_K]) {
				store_together(row + 4 * lane[TRIANGLE_K], best[i][j]);
			}
		}
}

/* Whether any lane of this warp has cells that are in J. */
__device__ static inline bool has_cells(const struct gpube__triangle &d, uint32_t box)
{
	uint32_t lane[TRIANGLE_DIMS];
	struct gpube__triangle_box b;

	gpube__triangle_lane(&d, this_thread(), lane);
	gpube__triangle_box(&d, box, &b);
	return __any_sync(
		~0u, b.at[TRIANGLE_J] + gpube__triangle_value(&d, TRIANGLE_J, lane[TRIANGLE_J], 0) <
			     d.size[TRIANGLE_J]);
}

/* The sums of a box's small operands. */
template <typename T>
__device__ static inline void small_init(
	const struct gpube__triangle &d, const struct gpube__triangle_io &io, uint32_t box, T *to)
{
	const uint32_t width = d.warps * 32;
	struct gpube__triangle_box b;

	gpube__triangle_box(&d, box, &b);
	asm volatile("bar.sync 1, %0;" ::"r"(width) : "memory");
#pragma unroll 4
	for (uint32_t i = threadIdx.x; i < d.small_words; i += width) {
		uint32_t x, j;
		T sum = 0;

		j = gpube__triangle_small_j(&d, &b, i, &x);
#pragma unroll
		for (int k = 0; k < GPUBE_TRIANGLE_SMALL; k++)
			if (k < (int)d.n_small)
				sum += __ldg((const T *)io.small[k] +
					     gpube__triangle_small(&d, k, &b, x, j));
		to[i] = sum;
	}
	asm volatile("bar.sync 1, %0;" ::"r"(width) : "memory");
}

/*
 * out[i, j, k] = min over x of in_0[x, i, j] + in_1[x, j, k] + in_2[x, i, k] + small[x, j]; for
 * integers same bits as contract_ref.c
 * Shape: see the head of contract_triangle.h
 * Map:   block for every so-manieth box; thread per tile of I x 4 x 4 output cells; the last warp
 *        starts copies and does nothing else, along x where there is room for it; a barrier in
 *        shared memory for each stage that has come, and one for each that has been read
 * Moves: of each operand what a box needs, once a box; the output once
 * Ops:   an addition and an add-min per joined cell, 8 I + 16 reads of shared memory for 16 I
 * Bound: the L2 cache: on an H100, of tables of 100^4 cells, 78 % of what it gives and 59 % of the
 *        issue slots; along x, its requests of 32 bytes
 */
template <typename T, int I, bool X_LAST, bool SMALL>
__global__ void __launch_bounds__(GPUBE_TRIANGLE_THREADS(I), 1)
	triangle_kernel(const __grid_constant__ struct gpube__triangle d,
		const __grid_constant__ struct gpube__triangle_io io)
{
	extern __shared__ __align__(1024) unsigned char shared[];
	__shared__ __align__(8) uint64_t barriers[2 * GPUBE_TRIANGLE_STAGES];
	__shared__ __align__(16) struct ahead ahead;
	const uint32_t cells = (uint32_t)__cvta_generic_to_shared(shared);
	const uint32_t full = (uint32_t)__cvta_generic_to_shared(barriers);
	const uint32_t empty = full + GPUBE_TRIANGLE_STAGES * 8;
	const uint32_t small = cells + GPUBE_TRIANGLE_WORDS * 4;
	const uint32_t warp = __shfl_sync(~0u, threadIdx.x / 32, 0);
	struct turn turn = {0, 0};
	const bool starts = warp == blockDim.x / 32 - 1;
	uint32_t lane[TRIANGLE_DIMS];
	struct places p;
	bool more = false;

	if (threadIdx.x == 0) {
		for (uint32_t i = 0; i < d.stages; i++) {
			barrier_init(full + i * 8, 1);
			barrier_init(empty + i * 8, d.warps);
		}
		asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
	}
	__syncthreads();
	if (starts) {
		ahead_init(d, &ahead);
		for (uint32_t i = 0; i < d.stages || warp == d.warps; i++)
			if (!produce<X_LAST>(d, io, &ahead, cells, full, empty))
				break;
	}
	if (warp == d.warps)
		return;
	__syncwarp();
	gpube__triangle_lane(&d, min(threadIdx.x, d.n_lanes - 1), lane);
#pragma unroll
	for (int i = 0; i < TRIANGLE_PANELS; i++)
		p.panel[i] = cells + gpube__triangle_word(&d, i, lane) * 4;
	p.small = small + lane[TRIANGLE_J] * d.small_j * 4;
#pragma unroll 1
	for (uint32_t box = blockIdx.x; box < d.n_boxes; box += gridDim.x) {
		T best[I][4][4];
		const bool is_in = has_cells(d, box);

		if (SMALL)
			small_init<T>(d, io, box, (T *)shared + GPUBE_TRIANGLE_WORDS);
#pragma unroll
		for (int i = 0; i < I; i++)
#pragma unroll
			for (int j = 0; j < 4; j++)
#pragma unroll
				for (int k = 0; k < 4; k++)
					best[i][j][k] = most<T>();
#pragma unroll 1
		for (uint32_t x0 = 0; x0 < d.n_x; x0 += d.chunk) {
			const uint32_t n = min(d.chunk, d.n_x - x0);
			const uint32_t stage = turn.stage * d.stage_words * 4;

			if (X_LAST && starts && more)
				produce<X_LAST>(d, io, &ahead, cells, full, empty);
			more = true;
			barrier_wait(full + turn.stage * 8, turn.parity);
			if (is_in) {
				if constexpr (X_LAST)
					combine_along<T, SMALL>(n, this_thread() / 4 % n, p, stage,
						x0 * 4, d, best);
				else
					combine<T, I, SMALL>(
						n, p, stage, x0 * d.small_x * 4, d, best);
			}
			__syncwarp();
			if (threadIdx.x % 32 == 0)
				barrier_arrive(empty + turn.stage * 8);
			turn_next(&turn, d.stages);
		}
		if (this_thread() < d.n_lanes && is_in)
			store<T, I, X_LAST>(d, box, (T *)io.out, best);
	}
}

#else

template <typename T, int I, bool X_LAST, bool SMALL>
__global__ void triangle_kernel(const __grid_constant__ struct gpube__triangle d,
	const __grid_constant__ struct gpube__triangle_io io)
{
}

#endif

template <typename T> static gpube__triangle_function function_of(const struct gpube__triangle *d)
{
	const bool small = d->n_small;

	if (d->x_last)
		return small ? triangle_kernel<T, 4, true, true>
			     : triangle_kernel<T, 4, true, false>;
	switch (d->cells[TRIANGLE_I]) {
	case 4:
		return small ? triangle_kernel<T, 4, false, true>
			     : triangle_kernel<T, 4, false, false>;
	case 8:
		return small ? triangle_kernel<T, 8, false, true>
			     : triangle_kernel<T, 8, false, false>;
	default:
		return NULL;
	}
}

gpube__triangle_function gpube__triangle_function_i32(const struct gpube__triangle *d)
{
	return function_of<int32_t>(d);
}

gpube__triangle_function gpube__triangle_function_f32(const struct gpube__triangle *d)
{
	return function_of<float>(d);
}

/* ---- maps of the tables --------------------------------------------------------------------- */

typedef CUresult (*encode_function)(CUtensorMap *, CUtensorMapDataType, cuuint32_t, void *,
	const cuuint64_t *, const cuuint64_t *, const cuuint32_t *, const cuuint32_t *,
	CUtensorMapInterleave, CUtensorMapSwizzle, CUtensorMapL2promotion, CUtensorMapFloatOOBfill);

static int encode(struct gpube_ctx *ctx, CUtensorMap *map, const struct gpube__triangle_table *t,
	const void *values)
{
	const cuuint32_t each[GPUBE_TRIANGLE_RANK] = {1, 1, 1, 1, 1};
	cuuint64_t size[GPUBE_TRIANGLE_RANK], step[GPUBE_TRIANGLE_RANK - 1];
	cuuint32_t box[GPUBE_TRIANGLE_RANK];
	cudaDriverEntryPointQueryResult found;
	void *f = NULL;
	CUresult status;

	GPUBE_ECUDA(ctx, cudaGetDriverEntryPointByVersion(
				 "cuTensorMapEncodeTiled", &f, 12000, cudaEnableDefault, &found));
	if (found != cudaDriverEntryPointSuccess || !f)
		return gpube__fail(ctx, GPUBE_ECUDA, "CUDA: the driver has no tensor maps");
	for (int i = 0; i < GPUBE_TRIANGLE_RANK; i++) {
		size[i] = t->size[i];
		box[i] = t->box[i];
		if (i > 0)
			step[i - 1] = (cuuint64_t)t->step[i] * 4;
	}
	status = ((encode_function)f)(map, CU_TENSOR_MAP_DATA_TYPE_INT32, GPUBE_TRIANGLE_RANK,
		(void *)values, size, step, box, each, CU_TENSOR_MAP_INTERLEAVE_NONE,
		CU_TENSOR_MAP_SWIZZLE_NONE, CU_TENSOR_MAP_L2_PROMOTION_L2_128B,
		CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
	return status == CUDA_SUCCESS
		       ? GPUBE_OK
		       : gpube__fail(ctx, GPUBE_ECUDA, "CUDA: error %d in cuTensorMapEncodeTiled",
				 (int)status);
}

int gpube__triangle_io(struct gpube_ctx *ctx, struct gpube__triangle_io *io,
	const struct gpube__triangle *d, const struct gpube_contraction *c)
{
	memset(io, 0, sizeof(*io));
	io->out = c->out;
	for (uint32_t k = 0; k < d->n_small; k++)
		io->small[k] = c->in[d->small[k].order].values;
	for (int m = 0; m < GPUBE_TRIANGLE_MAPS; m++) {
		const int panel = m == 0 ? TRIANGLE_IJ : m == 5 ? TRIANGLE_IK : TRIANGLE_JK;
		const struct gpube__triangle_table *t = &d->table[panel];
		const int64_t rows = panel == TRIANGLE_JK ? m - 1 : 0;
		const int status = encode(ctx, &io->map[m], t,
			(const int32_t *)c->in[t->order].values + rows * t->row);

		if (status != GPUBE_OK)
			return status;
	}
	return GPUBE_OK;
}
