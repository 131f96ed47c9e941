/* contract_triangle.cu - the kernels of contract_triangle.h, for int32 and float32. */
#include "gpube/ops/contract/bulk.cuh"
#include "gpube/ops/contract/boxes/contract_box_copy.cuh"
#include "gpube/ops/contract/contract_triangle.cuh"

#ifdef GPUBE_HAS_BULK

/* ---- copies ------------------------------------------------------------------------------- */

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

/*
 * Starts the copies of this block's chunk number n, if there is one, when its stage has been read:
 * a warp, of which three threads have a panel each. Warps take turns, since it takes some time.
 */
__device__ static inline void produce(const struct gpube__triangle &d,
	const struct gpube__triangle_io &io, uint32_t n, uint32_t cells, uint32_t full,
	uint32_t empty)
{
	const int lane = (int)threadIdx.x % 32;
	struct gpube__triangle_turn turn;
	struct gpube__triangle_box b;
	int32_t at[GPUBE_TRIANGLE_RANK];

	gpube__triangle_turn(&d, blockIdx.x, n, &turn);
	if (turn.box >= d.n_boxes)
		return;
	if (turn.round > 0)
		barrier_wait(empty + turn.stage * 8, (turn.round - 1) % 2);
	if (lane == 0)
		barrier_expect(full + turn.stage * 8, d.stage_bytes);
	__syncwarp();
	if (lane < TRIANGLE_PANELS) {
		gpube__triangle_box(&d, turn.box, &b);
		gpube__triangle_copy(&d, lane, &b, turn.x0, at);
		bulk_load_box(cells + (turn.stage * d.stage_words + d.table[lane].at) * 4,
			&io.map[lane], at, full + turn.stage * 8);
	}
	__syncwarp();
}

/* ---- sums ----------------------------------------------------------------------------------- */

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

/* The words of an x that a thread has read: JK's, the small operands', rows of IJ and of IK. */
template <typename T> struct words {
	T jk[4][4], small[4], ij[2][4], ik[2][4];
};

template <typename T>
__device__ static inline void load_jk(
	struct words<T> *w, const struct places &p, const struct gpube__triangle &d, int j)
{
	load_together<T, 4>(
		w->jk[j], p.panel[TRIANGLE_JK] + (uint32_t)j * d.table[TRIANGLE_JK].first_bytes);
}

/* Row i of IJ and of IK. */
template <typename T>
__device__ static inline void load_row(
	struct words<T> *w, int to, const struct places &p, const struct gpube__triangle &d, int i)
{
	load_together<T, 4>(
		w->ij[to], p.panel[TRIANGLE_IJ] + (uint32_t)i * d.table[TRIANGLE_IJ].first_bytes);
	load_together<T, 4>(
		w->ik[to], p.panel[TRIANGLE_IK] + (uint32_t)i * d.table[TRIANGLE_IK].first_bytes);
}

/* What is read of an x before its first sums. */
template <typename T, bool SMALL, bool ROW>
__device__ static inline void load_first(
	struct words<T> *w, const struct places &p, const struct gpube__triangle &d)
{
#pragma unroll
	for (int j = 0; j < 4; j++)
		load_jk<T>(w, p, d, j);
	if (SMALL)
		load_together<T, 4>(w->small, p.small);
	if (ROW)
		load_row<T>(w, 0, p, d, 0);
}

/* A chunk of x: where a lane reads it, and when it may. */
struct chunk {
	struct places places;
	uint32_t barrier, parity;
};

__device__ static inline void places_next(struct places *p, const struct gpube__triangle &d)
{
#pragma unroll
	for (int a = 0; a < TRIANGLE_PANELS; a++)
		p->panel[a] += d.table[a].x_bytes;
	p->small += d.small_next;
}

/*
 * n of x, from places p on. Where there are few warps, by their registers, each reads ahead, to the
 * next chunk, too: a row of IJ and IK while it adds up the one before, JK's row j of the next x
 * when it has been used for the last time.
 */
template <typename T, int I, bool SMALL>
__device__ static inline void combine(uint32_t n, struct places p, const struct chunk &next,
	const struct gpube__triangle &d, struct words<T> *w, T (*best)[4][4])
{
	constexpr bool AHEAD = GPUBE_TRIANGLE_AHEAD(I);
	const int one = d.one;

#pragma unroll 1
	for (uint32_t x = n; x > 0; x--) {
		if (!AHEAD)
			load_first<T, SMALL, false>(w, p, d);
		if (SMALL) {
#pragma unroll
			for (int j = 0; j < 4; j++)
#pragma unroll
				for (int k = 0; k < 4; k++)
					w->jk[j][k] = add_one(w->small[j], one, w->jk[j][k]);
		}
#pragma unroll
		for (int i = 0; i < I; i++) {
			const int at = AHEAD ? i % 2 : 0;
			const bool last = i == I - 1;

			if (!AHEAD)
				load_row<T>(w, 0, p, d, i);
			if (AHEAD && last && x == 1) {
				p = next.places;
				barrier_wait(next.barrier, next.parity);
			} else if (last) {
				places_next(&p, d);
			}
			if (AHEAD)
				load_row<T>(w, 1 - at, p, d, last ? 0 : i + 1);
			if (AHEAD && SMALL && last)
				load_together<T, 4>(w->small, p.small);
#pragma unroll
			for (int j = 0; j < 4; j++) {
#pragma unroll
				for (int k = 0; k < 4; k++)
					best[i][j][k] =
						add_min(add_one(w->ij[at][j], one, w->jk[j][k]),
							w->ik[at][k], best[i][j][k]);
				if (AHEAD && last)
					load_jk<T>(w, p, d, j);
			}
			if (AHEAD && i % 2) /* or sums are made so early that they are spilled */
				__syncwarp();
		}
	}
}

/*
 * n of x, a power of two, along which tables lie: first the one numbered 'first' modulo n, from
 * places p on.
 */
template <typename T, int I, bool SMALL>
__device__ static inline void combine_along(uint32_t n, uint32_t first, const struct places &p,
	const struct gpube__triangle &d, T (*best)[4][4])
{
	const int one = d.one;

#pragma unroll 1
	for (uint32_t s = first; s < first + n; s++) {
		const uint32_t x = (s & (n - 1)) * 4;
		const uint32_t at_ij = p.panel[TRIANGLE_IJ] + x, at_jk = p.panel[TRIANGLE_JK] + x;
		const uint32_t at_ik = p.panel[TRIANGLE_IK] + x;
		T jk[4][4], small[4];

#pragma unroll
		for (int j = 0; j < 4; j++)
#pragma unroll
			for (int k = 0; k < 4; k++)
				load_shared(&jk[j][k],
					at_jk + (uint32_t)j * d.table[TRIANGLE_JK].first_bytes +
						(uint32_t)k * d.table[TRIANGLE_JK].second_bytes);
		if (SMALL) {
#pragma unroll
			for (int j = 0; j < 4; j++)
				load_shared(&small[j], p.small + x + (uint32_t)j * d.small_next);
#pragma unroll
			for (int j = 0; j < 4; j++)
#pragma unroll
				for (int k = 0; k < 4; k++)
					jk[j][k] = add_one(small[j], one, jk[j][k]);
		}
#pragma unroll
		for (int i = 0; i < I; i++) {
			T ij[4], ik[4];

#pragma unroll
			for (int k = 0; k < 4; k++)
				load_shared(&ik[k],
					at_ik + (uint32_t)i * d.table[TRIANGLE_IK].first_bytes +
						(uint32_t)k * d.table[TRIANGLE_IK].second_bytes);
#pragma unroll
			for (int j = 0; j < 4; j++)
				load_shared(&ij[j],
					at_ij + (uint32_t)i * d.table[TRIANGLE_IJ].first_bytes +
						(uint32_t)j * d.table[TRIANGLE_IJ].second_bytes);
#pragma unroll
			for (int j = 0; j < 4; j++)
#pragma unroll
				for (int k = 0; k < 4; k++)
					best[i][j][k] = add_min(add_one(ij[j], one, jk[j][k]),
						ik[k], best[i][j][k]);
			if (I > 4 && i % 2)
				__syncwarp();
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

/* The chunk of x0 on, of the stage whose turn it is. */
__device__ static inline struct chunk chunk_at(const struct gpube__triangle &d,
	const struct places &p, const struct turn &turn, uint32_t x0, uint32_t full)
{
	const uint32_t stage = turn.stage * d.stage_words * 4;
	struct chunk c = {p, full + turn.stage * 8, turn.parity};

#pragma unroll
	for (int i = 0; i < TRIANGLE_PANELS; i++)
		c.places.panel[i] += stage;
	c.places.small += x0 * d.small_x * 4;
	return c;
}

/*
 * out[i, j, k] = min over x of in_0[x, i, j] + in_1[x, j, k] + in_2[x, i, k] + small[x, j]; for
 * integers same bits as contract_ref.c
 * Shape: see the head of contract_triangle.h
 * Map:   block for every so-manieth box; thread per tile of I x 4 x 4 output cells; warps take
 *        turns to start copies; a barrier in shared memory for each stage that has come, and one
 * for each that has been read Moves: of each operand what a box needs, once a box; the output once
 * Ops:   an addition and an add-min per joined cell, 8 I + 16 reads of shared memory for 16 I
 * Bound: issue: of tables of 100^4 cells on an H100, 68 % of the slots, by two warps a scheduler,
 * and 61 % of what shared memory gives, 50 % of what the L2 cache's tags do; along x, those tags
 */
template <typename T, int I, bool X_LAST, bool SMALL>
__global__ void __launch_bounds__(GPUBE_TRIANGLE_THREADS(I), 1)
	triangle_kernel(const __grid_constant__ struct gpube__triangle d,
		const __grid_constant__ struct gpube__triangle_io io)
{
	extern __shared__ __align__(1024) unsigned char shared[];
	__shared__ __align__(8) uint64_t barriers[2 * GPUBE_TRIANGLE_STAGES];
	const uint32_t cells = address_of(shared);
	const uint32_t full = address_of(barriers);
	const uint32_t empty = full + GPUBE_TRIANGLE_STAGES * 8;
	const uint32_t warp = __shfl_sync(~0u, threadIdx.x / 32, 0);
	/* chunks after a stage has been read, it is filled again */
	const uint32_t late = d.stages > 2 ? 2 : 1;
	struct turn turn = {0, 0};
	constexpr bool AHEAD = !X_LAST && GPUBE_TRIANGLE_AHEAD(I);
	uint32_t lane[TRIANGLE_DIMS], number = 0;
	struct places p;

	if (threadIdx.x == 0) {
		for (uint32_t i = 0; i < d.stages; i++) {
			barrier_init(full + i * 8, 1);
			barrier_init(empty + i * 8, d.warps);
		}
		barriers_made();
	}
	__syncthreads();
	for (uint32_t i = warp; i < d.stages; i += d.warps)
		produce(d, io, i, cells, full, empty);
	gpube__triangle_lane(&d, min(threadIdx.x, d.n_lanes - 1), lane);
#pragma unroll
	for (int i = 0; i < TRIANGLE_PANELS; i++)
		p.panel[i] = cells + gpube__triangle_word(&d, i, lane) * 4;
	p.small = cells + (GPUBE_TRIANGLE_WORDS + lane[TRIANGLE_J] * d.small_j) * 4;
#pragma unroll 1
	for (uint32_t box = blockIdx.x; box < d.n_boxes; box += gridDim.x) {
		T best[I][4][4];
		struct words<T> words;
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
			const struct chunk here = chunk_at(d, p, turn, x0, full);
			const uint32_t read = here.barrier - full + empty;

			if (number >= late &&
				number - gpube__quotient(number, d.by_warps) * d.warps == warp)
				produce(d, io, number - late + d.stages, cells, full, empty);
			number++;
			turn_next(&turn, d.stages);
			if (x0 == 0 || !AHEAD)
				barrier_wait(here.barrier, here.parity);
			if (is_in) {
				/* past the box's last chunk it is read once more */
				const bool more = x0 + d.chunk < d.n_x;

				if constexpr (X_LAST) {
					combine_along<T, I, SMALL>(
						n, this_thread() / 4 % n, here.places, d, best);
				} else {
					const struct chunk next =
						more ? chunk_at(d, p, turn, x0 + d.chunk, full)
						     : here;

					if (AHEAD && x0 == 0)
						load_first<T, SMALL, true>(&words, here.places, d);
					combine<T, I, SMALL>(n, here.places, next, d, &words, best);
				}
			} else if (AHEAD && x0 > 0) {
				barrier_wait(here.barrier, here.parity);
			}
			__syncwarp();
			if (threadIdx.x % 32 == 0)
				barrier_arrive(read);
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

template <typename T, int I, bool X_LAST>
static gpube__triangle_function function_for(const struct gpube__triangle *d)
{
	return d->n_small ? triangle_kernel<T, I, X_LAST, true>
			  : triangle_kernel<T, I, X_LAST, false>;
}

template <typename T> static gpube__triangle_function function_of(const struct gpube__triangle *d)
{
	switch (d->cells[TRIANGLE_I]) {
	case 4:
		return d->x_last ? function_for<T, 4, true>(d) : function_for<T, 4, false>(d);
	case 8:
		return function_for<T, 8, false>(d);
	case 10:
		return function_for<T, 10, false>(d);
	case 12:
		return function_for<T, 12, false>(d);
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
	for (int m = 0; m < TRIANGLE_PANELS; m++) {
		const struct gpube__triangle_table *t = &d->table[m];
		const int status = encode(ctx, &io->map[m], t, c->in[t->order].values);

		if (status != GPUBE_OK)
			return status;
	}
	return GPUBE_OK;
}
