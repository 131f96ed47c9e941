/* contract_direct.cu - the kernels of contract_direct.h, for int32. */
#include "gpube/ops/contract/boxes/contract_box_copy.cuh"
#include "gpube/ops/contract/direct/contract_direct.cuh"

/* ---- reading ------------------------------------------------------------------------------ */

/* base + i, by one instruction that is not of the add-mins' unit. */
__device__ static inline const int32_t *plus(const int32_t *base, uint32_t i)
{
	const int32_t *sum;

	asm("mad.wide.u32 %0, %1, %2, %3;"
		: "=l"(sum)
		: "r"(i), "n"((int)sizeof(int32_t)), "l"(base));
	return sum;
}

/* The first cell of an x, by one such instruction too. */
__device__ static inline const int32_t *at_x(
	const int32_t *base, uint32_t x, const struct gpube__direct_steps *s)
{
	const int32_t *sum;

	asm("mad.wide.u32 %0, %1, %2, %3;" : "=l"(sum) : "r"(x * s->x_bytes), "r"(s->x), "l"(base));
	return sum;
}

/* N cells that lie together and are aligned to as many. */
template <int N> __device__ static inline void load_wide(int32_t *to, const int32_t *from)
{
	if constexpr (N % 4 == 0) {
#pragma unroll
		for (int i = 0; i < N; i += 4) {
			const int4 v = __ldg((const int4 *)(from + i));

			memcpy(to + i, &v, sizeof(v));
		}
	} else if constexpr (N == 2) {
		const int2 v = __ldg((const int2 *)from);

		memcpy(to, &v, sizeof(v));
	} else {
		*to = __ldg(from);
	}
}

/* The first n of N runs of W cells, a run 'step' from the one before. */
template <int N, int W>
__device__ static inline void load_runs(
	int32_t (*to)[W], const int32_t *from, uint32_t step, uint32_t n)
{
#pragma unroll
	for (int i = 0; i < N; i++)
		if (i == 0 || i < (int)n)
			load_wide<W>(to[i], plus(from, (uint32_t)i * step));
}

/* ---- one step of x ------------------------------------------------------------------------ */

/* What the loop over x keeps: the first cells of the tables for this thread. */
struct tables {
	const int32_t *at[N_DIRECT_PLACES];
	const int32_t *const *others;            /* shared memory: by table and thread */
	const struct gpube__direct_steps *steps; /* shared memory */
};

__device__ static inline bool has(const struct gpube__direct &d, int place)
{
	return d.present >> place & 1;
}

__device__ static inline const int32_t *other(const struct tables *t, uint32_t k, uint32_t x)
{
	return at_x(t->others[(k - N_DIRECT_PLACES) * blockDim.x], x, &t->steps[k]);
}

/* Adds the first n of N runs of W cells. */
template <int N, int W>
__device__ static inline void add_runs(
	int32_t (*to)[W], const int32_t *from, uint32_t step, uint32_t n, int one)
{
#pragma unroll
	for (int i = 0; i < N; i++)
		if (i == 0 || i < (int)n) {
			int32_t v[W];

			load_wide<W>(v, plus(from, (uint32_t)i * step));
#pragma unroll
			for (int j = 0; j < W; j++)
				to[i][j] = add_one(v[j], one, to[i][j]);
		}
}

/* Adds the operands without a place: to the sums of V, of P, of R, and of two of them. */
template <int P, int R, int V>
__device__ static inline void sum_others(const struct gpube__direct &d, const struct tables *t,
	uint32_t x, int32_t *base, int32_t (*a)[1], int32_t (*by_r)[1], int32_t (*pv)[V],
	int32_t (*rv)[V])
{
	int32_t sum = 0;
	uint32_t k = N_DIRECT_PLACES;

#pragma unroll 2
	for (; k < d.end_s; k++)
		sum += __ldg(other(t, k, x));
#pragma unroll
	for (int j = 0; j < V; j++)
		base[j] += sum;
#pragma unroll 1
	for (; k < d.end_v; k++) {
		int32_t v[V];

		load_wide<V>(v, other(t, k, x));
#pragma unroll
		for (int j = 0; j < V; j++)
			base[j] += v[j];
	}
#pragma unroll 1
	for (; k < d.end_p; k++)
		add_runs<P, 1>(a, other(t, k, x), t->steps[k].p, d.np, d.one);
#pragma unroll 1
	for (; k < d.end_r; k++)
		add_runs<R, 1>(by_r, other(t, k, x), t->steps[k].r, d.nr, d.one);
#pragma unroll 1
	for (; k < d.end_pv; k++)
		add_runs<P, V>(pv, other(t, k, x), t->steps[k].p, d.np, d.one);
#pragma unroll 1
	for (; k < d.end_rv; k++)
		add_runs<R, V>(rv, other(t, k, x), t->steps[k].r, d.nr, d.one);
}

/*
 * The minimum of a step's sums. PV, PR: whether there are such operands. Register cells past the
 * tile's are computed, from whatever is there, and not stored.
 */
template <int P, int R, int V, bool PV, bool PR>
__device__ static inline void combine(const struct gpube__direct &d, int32_t (*base)[V],
	const int32_t *a, int32_t (*pv)[V], int32_t (*pr)[R], int32_t (*best)[R][V])
{
#pragma unroll
	for (int p = 0; p < P; p++) {
		if (R == 1 && p >= (int)d.np)
			break;
#pragma unroll
		for (int r = 0; r < R; r++) {
			const int32_t one = PR ? add_one(pr[p][r], d.one, a[p]) : a[p];

#pragma unroll
			for (int j = 0; j < V; j++) {
				const int32_t sum = PV ? add_one(pv[p][j], d.one, one) : one;

				best[p][r][j] = add_min(sum, base[r][j], best[p][r][j]);
			}
		}
	}
}

template <int P, int R, int V>
__device__ static inline void step_x(
	const struct gpube__direct &d, const struct tables *t, uint32_t x, int32_t (*best)[R][V])
{
	const struct gpube__direct_steps *s = d.steps;
	int32_t pv[P][V], pr[R > 1 ? P : 1][R], rv[R][V], base[V], a[P][1], by_r[R][1];

	/* all reads of places first, so that they are on their way together */
	if (has(d, DIRECT_PV))
		load_runs<P, V>(pv, at_x(t->at[DIRECT_PV], x, &s[DIRECT_PV]), s[DIRECT_PV].p, d.np);
#pragma unroll
	for (int r = 0; r < R; r++) {
		by_r[r][0] = 0;
#pragma unroll
		for (int j = 0; j < V; j++)
			rv[r][j] = 0;
	}
	if constexpr (R > 1) {
		const int32_t *const from = at_x(t->at[DIRECT_PR], x, &s[DIRECT_PR]);

		if (has(d, DIRECT_RV))
			load_runs<R, V>(
				rv, at_x(t->at[DIRECT_RV], x, &s[DIRECT_RV]), s[DIRECT_RV].r, d.nr);
		if (has(d, DIRECT_PR)) {
			if (s[DIRECT_PR].wide)
				load_runs<P, R>(pr, from, s[DIRECT_PR].p, d.np);
			else
#pragma unroll
				for (int p = 0; p < P; p++)
					load_runs<R, 1>((int32_t(*)[1])pr[p],
						plus(from, min((uint32_t)p, d.np - 1) *
								   s[DIRECT_PR].p),
						s[DIRECT_PR].r, d.nr);
		}
	}
#pragma unroll
	for (int j = 0; j < V; j++)
		base[j] = 0;
	if (has(d, DIRECT_V0))
		load_wide<V>(base, at_x(t->at[DIRECT_V0], x, &s[DIRECT_V0]));
#pragma unroll
	for (int p = 0; p < P; p++)
		a[p][0] = 0;
	if (has(d, DIRECT_P0)) {
		const int32_t *const from = at_x(t->at[DIRECT_P0], x, &s[DIRECT_P0]);

		if (s[DIRECT_P0].wide)
			load_wide<P>(&a[0][0], from);
		else
			load_runs<P, 1>(a, from, s[DIRECT_P0].p, d.np);
	}
	if (d.end_rv > N_DIRECT_PLACES)
		sum_others<P, R, V>(d, t, x, base, a, by_r, pv, rv);
#pragma unroll
	for (int r = 0; r < R; r++)
#pragma unroll
		for (int j = 0; j < V; j++)
			rv[r][j] += base[j] + by_r[r][0];
	if (!has(d, DIRECT_PV)) {
		if (R > 1 && has(d, DIRECT_PR))
			combine<P, R, V, false, (R > 1)>(d, rv, &a[0][0], pv, pr, best);
		else
			combine<P, R, V, false, false>(d, rv, &a[0][0], pv, pr, best);
	} else {
		if (R > 1 && has(d, DIRECT_PR))
			combine<P, R, V, true, (R > 1)>(d, rv, &a[0][0], pv, pr, best);
		else
			combine<P, R, V, true, false>(d, rv, &a[0][0], pv, pr, best);
	}
}

/* ---- the kernel ---------------------------------------------------------------------------- */

template <int P, int R, int V>
__device__ static inline void store(
	const struct gpube__direct &d, int32_t *out, int32_t (*best)[R][V])
{
	const struct top_rule<int32_t> top = top_init<int32_t>(&d);

#pragma unroll
	for (int p = 0; p < P; p++)
#pragma unroll
		for (int r = 0; r < R; r++) {
			int32_t *const to = out + (uint32_t)p * d.out_p + (uint32_t)r * d.out_r;
			int32_t *v = best[p][r];

			if (p >= (int)d.np || r >= (int)d.nr)
				continue;
			if (d.v_is_x) {
#pragma unroll
				for (int j = 1; j < V; j++)
					v[0] = v[j] < v[0] ? v[j] : v[0];
				*to = topped(v[0], top);
				continue;
			}
#pragma unroll
			for (int j = 0; j < V; j++)
				v[j] = topped(v[j], top);
			if constexpr (V == 4) {
				int4 w;

				memcpy(&w, v, sizeof(w));
				*(int4 *)to = w;
			} else if constexpr (V == 2) {
				int2 w;

				memcpy(&w, v, sizeof(w));
				*(int2 *)to = w;
			} else {
				*to = v[0];
			}
		}
}

/* First cells of the thread's tile in each table; *out in the output. */
__device__ static inline void tables_init(const struct gpube__direct &d, struct tables *t,
	const int32_t **others, const struct gpube__direct_io *io, const int64_t *start,
	uint32_t lane, int64_t *out)
{
	uint32_t at[GPUBE_DIRECT_LANES];

	gpube__direct_lane(&d, lane, at);
	*out = start[0] + gpube__direct_offset(at, d.out_lane);
#pragma unroll
	for (int k = 0; k < N_DIRECT_PLACES; k++)
		t->at[k] = has(d, k) ? (const int32_t *)io->in[d.order[k]] + start[k + 1] +
					       gpube__direct_offset(at, d.table[k].lane)
				     : NULL;
#pragma unroll 1
	for (uint32_t k = N_DIRECT_PLACES; k < d.end_rv; k++)
		others[(k - N_DIRECT_PLACES) * blockDim.x] =
			(const int32_t *)io->in[d.order[k]] + start[k + 1] +
			gpube__direct_offset(at, d.table[k].lane);
	t->others = others;
}

/* Blocks that the registers of a multiprocessor are to hold. */
constexpr int blocks_of(int r, int cells)
{
	return r > 1 ? 1 : cells > 16 ? 2 : 3;
}

/*
 * out[s] = min over x of sum_k in_k[s, x]; same bits as contract_ref.c
 * Shape: see the head of contract_direct.h
 * Map:   thread per tile of P x R x V output cells; x serial
 * Moves: of each operand what a block's box needs from the L2 cache, once if the L1 cache keeps it;
 *        the output once
 * Ops:   an add-min per joined cell, an addition where operands of two pairs of P, R, V meet
 * Bound: DRAM for one big operand: 58 to 92 % on an H200, by where x lies; otherwise a step's
 *        reads, which are waited for, 2 to 50 %: benchmarks/runs/contract-h200
 */
template <int P, int R, int V>
__global__ void __launch_bounds__(R > 1 ? GPUBE_DIRECT_THREADS_R : GPUBE_DIRECT_THREADS,
	blocks_of(R, P *V)) direct_kernel(const __grid_constant__ struct gpube__direct d,
	const __grid_constant__ struct gpube__direct_io one, const unsigned char *__restrict__ many,
	uint32_t io_bytes, uint32_t n)
{
	extern __shared__ __align__(16) unsigned char shared[];
	__shared__ int64_t start[N_DIRECT_TABLES + 1];
	__shared__ struct gpube__direct_steps steps[N_DIRECT_TABLES];
	const uint32_t of_batch = gpube__direct_split(blockIdx.x, d.blocks, d.by_blocks);
	const uint32_t block = blockIdx.x - of_batch * d.blocks;
	const uint32_t of_block = gpube__direct_split(threadIdx.x, d.lanes, d.by_lanes);
	const uint32_t contraction = of_batch * d.per_block + of_block;
	const struct gpube__direct_io *io =
		many ? (const struct gpube__direct_io *)(many + (uint64_t)contraction * io_bytes)
		     : &one;
	struct tables t;
	int32_t best[P][R][V];
	int64_t out;

	for (uint32_t k = threadIdx.x; k <= d.end_rv; k += blockDim.x) {
		start[k] = gpube__direct_block(&d, (int)k - 1, block);
		if (k < d.end_rv)
			steps[k] = d.steps[k];
	}
	__syncthreads();
	if (of_block >= d.per_block || (many && contraction >= n))
		return;
	t.steps = steps;
	tables_init(d, &t, (const int32_t **)shared + threadIdx.x, io, start,
		threadIdx.x - of_block * d.lanes, &out);
#pragma unroll
	for (int p = 0; p < P; p++)
#pragma unroll
		for (int r = 0; r < R; r++)
#pragma unroll
			for (int j = 0; j < V; j++)
				best[p][r][j] = most<int32_t>();
#pragma unroll 1
	for (uint32_t step = 0; step < d.n_steps; step++)
		step_x<P, R, V>(d, &t, gpube__direct_x(&d, step), best);
	store<P, R, V>(d, (int32_t *)io->out + out, best);
}

gpube__direct_function gpube__direct_function_i32(uint32_t kernel)
{
	switch (kernel) {
	case DIRECT_8X4:
		return direct_kernel<8, 1, 4>;
	case DIRECT_8X2:
		return direct_kernel<8, 1, 2>;
	case DIRECT_8X1:
		return direct_kernel<8, 1, 1>;
	case DIRECT_4X4X4:
		return direct_kernel<4, 4, 4>;
	case DIRECT_4X4X2:
		return direct_kernel<4, 4, 2>;
	default:
		return NULL;
	}
}
