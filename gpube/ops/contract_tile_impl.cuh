/* contract_tile_impl.cuh - the kernels of contract_tile.cuh for one type; included once per type. */
#ifndef GPUBE_OPS_CONTRACT_TILE_IMPL_CUH
#define GPUBE_OPS_CONTRACT_TILE_IMPL_CUH

#include <cuda_pipeline.h>

#include "gpube/ops/contract_tile.cuh"

__device__ static inline int32_t add_min(int32_t a, int32_t b, int32_t c)
{
	return __viaddmin_s32(a, b, c); /* one instruction from sm_90 on */
}

__device__ static inline int64_t add_min(int64_t a, int64_t b, int64_t c)
{
	return a + b < c ? a + b : c;
}

__device__ static inline float add_min(float a, float b, float c)
{
	return fminf(a + b, c);
}

__device__ static inline double add_min(double a, double b, double c)
{
	return fmin(a + b, c);
}

template <typename T> __device__ static inline T most();
template <> __device__ inline int32_t most<int32_t>()
{
	return INT32_MAX;
}
template <> __device__ inline int64_t most<int64_t>()
{
	return INT64_MAX;
}
template <> __device__ inline float most<float>()
{
	return INFINITY;
}
template <> __device__ inline double most<double>()
{
	return INFINITY;
}

__device__ static inline int32_t cut(int32_t v, const struct gpube__tile *t)
{
	return (int32_t)gpube__cut_min(v, t->cut, t->threshold);
}

__device__ static inline int64_t cut(int64_t v, const struct gpube__tile *t)
{
	return gpube__cut_min(v, t->cut, t->threshold);
}

__device__ static inline float cut(float v, const struct gpube__tile *)
{
	return v;
}

__device__ static inline double cut(double v, const struct gpube__tile *)
{
	return v;
}

__device__ static inline uint32_t divide(const struct gpube__tile *t, uint32_t i, int d)
{
	return __umulhi(i, t->reciprocal[d]) >> t->shift[d];
}

/* Offset of position i of a group. */
__device__ static inline int64_t group_offset(
	const struct gpube__tile *t, const int64_t *stride, int group, uint32_t i)
{
	const int first = t->first[group];
	int64_t offset = 0;

#pragma unroll 1
	for (int d = first + t->n[group] - 1; d > first; d--) {
		const uint32_t rest = divide(t, i, d);

		offset += (int64_t)(i - rest * t->size[d]) * stride[d];
		i = rest;
	}
	return t->n[group] ? offset + (int64_t)i * stride[first] : 0;
}

/* Everything a block knows; pointers are into shared memory. */
template <typename T> struct block_state {
	const struct gpube__tile *t;
	T *a, *b, *c; /* of the first buffer */
	uint32_t buffer; /* cells to the second */
	int64_t *base, *xstep; /* base: three buffers of n_in + 1 rows of nz */
	const T **ptr;
	uint32_t *off_a, *off_b, *off_cp, *off_cq, *off_cl, *out_p, *out_q;
	uint32_t p0, q0, l0, threads;
	struct starts *starts;
};

template <typename T>
__device__ static void block_init(struct block_state<T> *s, const struct gpube__tile *t,
	const struct gpube__tile_io *io, unsigned char *shared)
{
	const int x = t->x_table;
	struct gpube__tile_layout l;

	gpube__tile_layout(&l, t, sizeof(T));
	s->t = t;
	s->a = (T *)shared;
	s->b = (T *)(shared + l.b);
	s->c = (T *)(shared + l.c);
	s->buffer = l.buffer / (uint32_t)sizeof(T);
	s->base = (int64_t *)(shared + l.base);
	s->xstep = (int64_t *)(shared + l.xstep);
	s->ptr = (const T **)(shared + l.ptr);
	s->off_a = (uint32_t *)(shared + l.off_a);
	s->off_b = (uint32_t *)(shared + l.off_b);
	s->off_cp = (uint32_t *)(shared + l.off_cp);
	s->off_cq = (uint32_t *)(shared + l.off_cq);
	s->off_cl = (uint32_t *)(shared + l.off_cl);
	s->out_p = (uint32_t *)(shared + l.out_p);
	s->out_q = (uint32_t *)(shared + l.out_q);
	s->threads = blockDim.x;
	for (int k = (int)threadIdx.x; k < t->n_in; k += (int)blockDim.x)
		s->ptr[k] = (const T *)io->in[k];
	/* the step of a single dim is the offset of its position 1 */
	for (int e = (int)threadIdx.x; e < t->n_in * x; e += (int)blockDim.x)
		s->xstep[e] = group_offset(
			t, t->stride[e / x], GROUP_X, x == 1 ? 1 : (uint32_t)(e % x));
}

/*
 * One table of offsets: n operands from 'from' on (-1: the output), 'len' positions of
 * a group from 'first' on, times tl positions of L.
 */
template <typename T>
__device__ static void offset_table(const struct block_state<T> *s, uint32_t *to, int from, int n,
	int group, uint32_t first, int len, int tl, int wide)
{
	const struct gpube__tile *t = s->t;
	const uint32_t row = (uint32_t)(len * tl), n_p = t->cells[group], n_l = t->cells[GROUP_L];
	/* positions past the end repeat the last one, or the last 'wide' that lie together */
	const uint32_t w_p = tl == 1 ? (uint32_t)wide : 1, w_l = (uint32_t)wide;

#pragma unroll 1
	for (int k = 0; k < n; k++) {
		const int64_t *stride = from < 0 ? t->out_stride : t->stride[from + k];

#pragma unroll 1
		for (uint32_t i = threadIdx.x; i < row; i += s->threads) {
			const uint32_t high = tl == 1 ? i : i / (uint32_t)tl, p = first + high;
			const uint32_t l = s->l0 + i - high * (uint32_t)tl;
			int64_t offset = group_offset(
				t, stride, group, p < n_p ? p : n_p - w_p + p % w_p);

			if (tl > 1)
				offset += group_offset(
					t, stride, GROUP_L, l < n_l ? l : n_l - w_l + l % w_l);
			to[(uint32_t)k * row + i] = (uint32_t)offset;
		}
	}
}

template <typename T> __device__ static void offset_tables(const struct block_state<T> *s)
{
	const struct gpube__tile *t = s->t;
	const int c = t->n_a + t->n_b;

	offset_table(s, s->off_a, 0, t->n_a, GROUP_P, s->p0, t->tile_p, t->tl, t->a_wide);
	offset_table(s, s->off_b, t->n_a, t->n_b, GROUP_Q, s->q0, t->tile_q, t->tl, t->b_wide);
	offset_table(s, s->off_cp, c, t->n_in - c, GROUP_P, s->p0, t->tile_p, 1, 1);
	offset_table(s, s->off_cq, c, t->n_in - c, GROUP_Q, s->q0, t->tile_q, 1, 1);
	offset_table(s, s->off_cl, c, t->n_in - c, GROUP_L, s->l0, t->tl, 1, 1);
	offset_table(s, s->out_p, -1, 1, GROUP_P, s->p0, t->tile_p, 1, 1);
	offset_table(s, s->out_q, -1, 1, GROUP_Q, s->q0, t->tile_q, 1, 1);
}

template <typename T> __device__ static inline int64_t *base_of(const struct block_state<T> *s, int n)
{
	return s->base + n * (s->t->n_in + 1) * s->t->nz;
}

/* Offsets of the nz positions of O in o_tile, of each operand and, last, of the output. */
template <typename T>
__device__ static void bases(const struct block_state<T> *s, int buffer, uint32_t o_tile)
{
	const struct gpube__tile *t = s->t;
	const uint32_t nz = (uint32_t)t->nz, all = (uint32_t)(t->n_in + 1) * nz;
	int64_t *to = base_of(s, buffer);

	if (o_tile >= t->o_tiles)
		return;
#pragma unroll 1
	for (uint32_t e = threadIdx.x; e < all; e += s->threads) {
		const uint32_t k = nz == 1 ? e : e / nz;
		const uint32_t o = min(o_tile * nz + e - k * nz, t->cells[GROUP_O] - 1);

		to[e] = group_offset(t,
			k == (uint32_t)t->n_in ? t->out_stride : t->stride[k], GROUP_O, o);
	}
}

template <typename T>
__device__ static inline int64_t x_offset(const struct block_state<T> *s, int k, uint32_t x)
{
	if (s->t->x_table == 1)
		return (int64_t)x * s->xstep[k];
	return s->xstep[k * s->t->x_table + (int)x];
}

/* A position of three digits, stepped by the number of threads. */
struct digits {
	uint32_t d[3], step[3], n[2];
};

__device__ static inline void digits_init(struct digits *at, uint32_t n0, uint32_t n1,
	uint32_t threads)
{
	const uint32_t high = threadIdx.x / n0, step = threads / n0;

	at->n[0] = n0;
	at->n[1] = n1;
	at->d[0] = threadIdx.x - high * n0;
	at->d[2] = high / n1;
	at->d[1] = high - at->d[2] * n1;
	at->step[0] = threads - step * n0;
	at->step[2] = step / n1;
	at->step[1] = step - at->step[2] * n1;
}

/*
 * The first position of each thread, for classes A and B and a full chunk: six divisions
 * that a step would otherwise repeat. Digits of positions below 256 fit 10 bits.
 */
struct starts {
	uint32_t at[2][GPUBE_TILE_THREADS];
	uint32_t step[2][3];
};

__device__ static inline void starts_save(struct starts *to, int which, const struct digits *d)
{
	to->at[which][threadIdx.x] = d->d[0] | d->d[1] << 10 | d->d[2] << 20;
	for (int i = 0; i < 3; i++)
		to->step[which][i] = d->step[i]; /* the same for all threads */
}

__device__ static inline void starts_load(struct digits *d, const struct starts *from, int which,
	uint32_t n0, uint32_t n1)
{
	const uint32_t packed = from->at[which][threadIdx.x];

	d->n[0] = n0;
	d->n[1] = n1;
	d->d[0] = packed & 1023;
	d->d[1] = packed >> 10 & 1023;
	d->d[2] = packed >> 20;
	for (int i = 0; i < 3; i++)
		d->step[i] = from->step[which][i];
}

__device__ static inline void digits_next(struct digits *at)
{
	at->d[0] += at->step[0];
	at->d[1] += at->step[1];
	at->d[2] += at->step[2];
	if (at->d[0] >= at->n[0]) {
		at->d[0] -= at->n[0];
		at->d[1]++;
	}
	if (at->d[1] >= at->n[1]) {
		at->d[1] -= at->n[1];
		at->d[2]++;
	}
}

/* W neighbouring cells. */
template <typename T, int W> struct alignas(sizeof(T) * W) wide {
	T v[W];
};

template <typename T, int W>
__device__ static inline struct wide<T, W> load_wide(const T *from, bool splat)
{
	struct wide<T, W> w;

	if (W > 1 && splat) {
		w.v[0] = __ldg(from);
#pragma unroll
		for (int i = 1; i < W; i++)
			w.v[i] = w.v[0];
		return w;
	}
	if constexpr (sizeof(w) == 16) {
		const int4 v = __ldg((const int4 *)from);

		memcpy(&w, &v, sizeof(w));
	} else if constexpr (sizeof(w) == 8) {
		const int2 v = __ldg((const int2 *)from);

		memcpy(&w, &v, sizeof(w));
	} else {
		w.v[0] = __ldg(from);
	}
	return w;
}

/*
 * to[x][z * list + i] = sum of the operands of class A (which 0) or B at
 * (x0 + x, z, i), times sign; W neighbours i at a time. One operand is copied
 * asynchronously; of several, U loads of a thread are in flight. The registers of a
 * thread's cells stay occupied meanwhile, so U is small.
 */
template <typename T, int W, int U>
__device__ static void stage(const struct block_state<T> *s, T *to, int pitch, const uint32_t *off,
	uint32_t list, int which, const int64_t *base, uint32_t x0, uint32_t xn, bool along_x)
{
	const struct gpube__tile *t = s->t;
	const int from = which ? t->n_a : 0, n = which ? t->n_b : t->n_a;
	const uint32_t nz = (uint32_t)t->nz, all = list / W * nz * xn;
	const T sign = (T)t->sign;
	const uint32_t n0 = along_x ? xn : list / W, n1 = along_x ? list / W : nz;
	struct digits at; /* x, i, z or i, z, x */

	if (!along_x || xn == (uint32_t)t->xc)
		starts_load(&at, s->starts, which, n0, n1);
	else
		digits_init(&at, n0, n1, s->threads);
	if (n == 1 && t->sign == 1 && !(t->splat >> from & 1)) {
		const T *in = s->ptr[from];
		const int64_t *b = base + from * t->nz;

#pragma unroll 2
		for (uint32_t e = threadIdx.x; e < all; e += s->threads) {
			const uint32_t x = along_x ? at.d[0] : at.d[2];
			const uint32_t i = (along_x ? at.d[1] : at.d[0]) * W;
			const uint32_t z = along_x ? at.d[2] : at.d[1];

			__pipeline_memcpy_async(to + x * (uint32_t)pitch + z * list + i,
				in + b[z] + off[i] + x_offset(s, from, x0 + x), sizeof(T) * W);
			digits_next(&at);
		}
		return;
	}
#pragma unroll 1
	for (uint32_t e = threadIdx.x; e < all; e += U * s->threads) {
		uint32_t x[U], i[U], z[U];
		struct wide<T, W> v[U];

#pragma unroll
		for (int u = 0; u < U; u++) {
			/* past the end: again what is there, and not stored */
			const bool in = e + (uint32_t)u * s->threads < all;

			x[u] = in ? along_x ? at.d[0] : at.d[2] : 0;
			i[u] = in ? (along_x ? at.d[1] : at.d[0]) * W : 0;
			z[u] = in ? along_x ? at.d[2] : at.d[1] : 0;
#pragma unroll
			for (int w = 0; w < W; w++)
				v[u].v[w] = 0;
			digits_next(&at);
		}
#pragma unroll 1
		for (int k = 0; k < n; k++) {
			const T *in = s->ptr[from + k];
			const int64_t *b = base + (from + k) * t->nz;
			const uint32_t *o = off + (uint32_t)k * list;
			const bool splat = t->splat >> (from + k) & 1;
			struct wide<T, W> got[U];

#pragma unroll
			for (int u = 0; u < U; u++)
				got[u] = load_wide<T, W>(in + b[z[u]] + o[i[u]] +
						x_offset(s, from + k, x0 + x[u]), splat);
#pragma unroll
			for (int u = 0; u < U; u++)
#pragma unroll
				for (int w = 0; w < W; w++)
					v[u].v[w] += got[u].v[w];
		}
#pragma unroll
		for (int u = 0; u < U; u++) {
#pragma unroll
			for (int w = 0; w < W; w++)
				v[u].v[w] *= sign;
			if (e + (uint32_t)u * s->threads < all)
				*(struct wide<T, W> *)(to + x[u] * (uint32_t)pitch + z[u] * list +
					i[u]) = v[u];
		}
	}
}

/* The same with the W that the plan found. */
template <typename T>
__device__ static inline void stage_wide(const struct block_state<T> *s, int which, T *to,
	const int64_t *base, uint32_t x0, uint32_t xn)
{
	constexpr int most = 16 / (int)sizeof(T);
	const struct gpube__tile *t = s->t;
	const int pitch = which ? t->pitch_b : t->pitch_a, wide = which ? t->b_wide : t->a_wide;
	const uint32_t *off = which ? s->off_b : s->off_a;
	const uint32_t list = (uint32_t)((which ? t->tile_q : t->tile_p) * t->tl);
	const bool along_x = which ? t->b_along_x : t->a_along_x;

	if (wide == most)
		stage<T, most, 2>(s, to, pitch, off, list, which, base, x0, xn, along_x);
	else if (most > 2 && wide == 2)
		stage<T, 2, 4>(s, to, pitch, off, list, which, base, x0, xn, along_x);
	else
		stage<T, 1, 4>(s, to, pitch, off, list, which, base, x0, xn, along_x);
}

template <typename T> __device__ static void starts_init(const struct block_state<T> *s)
{
	const struct gpube__tile *t = s->t;

#pragma unroll 1
	for (int which = 0; which < 2; which++) {
		const uint32_t list = (uint32_t)((which ? t->tile_q : t->tile_p) * t->tl) /
			(uint32_t)(which ? t->b_wide : t->a_wide);
		const bool along_x = which ? t->b_along_x : t->a_along_x;
		struct digits d;

		digits_init(&d, along_x ? (uint32_t)t->xc : list, along_x ? list : (uint32_t)t->nz,
			s->threads);
		starts_save(s->starts, which, &d);
	}
}

/*
 * Class C into shared memory: c[x][z][p][q]. Each operand is fetched in the order in which
 * its own cells lie; a single one asynchronously.
 */
template <typename T>
__device__ static void stage_c(const struct block_state<T> *s, T *to, const int64_t *base,
	uint32_t x0, uint32_t xn)
{
	const struct gpube__tile *t = s->t;
	const uint32_t tile_p = (uint32_t)t->tile_p, tile_q = (uint32_t)t->tile_q;
	const int c = t->n_a + t->n_b, n_c = t->n_in - c;
	const uint32_t all = xn * tile_p * tile_q;

#pragma unroll 1
	for (int k = c; k < t->n_in; k++) {
		const uint32_t *off_p = s->off_cp + (uint32_t)(k - c) * tile_p;
		const uint32_t *off_q = s->off_cq + (uint32_t)(k - c) * tile_q;
		const int f = t->c_order[k][0], g = t->c_order[k][1];
		struct digits at;

		if (k > c)
			__syncthreads();
		digits_init(&at, f == 0 ? xn : f == 1 ? tile_p : tile_q,
			g == 0 ? xn : g == 1 ? tile_p : tile_q, s->threads);
#pragma unroll 1
		for (int z = 0; z < t->nz; z++) {
			const T *in = s->ptr[k] + base[k * t->nz + z];
			struct digits now = at;

#pragma unroll 4
			for (uint32_t e = threadIdx.x; e < all; e += s->threads) {
				const uint32_t x = f == 0 ? now.d[0] : g == 0 ? now.d[1] : now.d[2];
				const uint32_t p = f == 1 ? now.d[0] : g == 1 ? now.d[1] : now.d[2];
				const uint32_t q = f == 2 ? now.d[0] : g == 2 ? now.d[1] : now.d[2];
				const T *cell = in + off_p[p] + off_q[q] + x_offset(s, k, x0 + x);
				T *into = to + x * (uint32_t)t->pitch_c +
					((uint32_t)z * tile_p + p) * tile_q + q;

				if (n_c == 1)
					__pipeline_memcpy_async(into, cell, sizeof(T));
				else
					*into = (k > c ? *into : 0) + __ldg(cell);
				digits_next(&now);
			}
		}
	}
}

/* A thread's cells: the best sum so far and, for arguments, the reduced cell that gave it. */
template <typename T, int TP, int TQ, bool ARG> struct cells {
	T best[TP][TQ];
	uint32_t arg[ARG ? TP : 1][ARG ? TQ : 1];
};

template <typename T, int TP, int TQ, bool ARG>
__device__ static inline void clear(struct cells<T, TP, TQ, ARG> *r)
{
#pragma unroll
	for (int i = 0; i < TP; i++)
#pragma unroll
		for (int j = 0; j < TQ; j++) {
			r->best[i][j] = most<T>();
			if (ARG)
				r->arg[ARG ? i : 0][ARG ? j : 0] = 0;
		}
}

template <typename T, int TP, int TQ, bool ARG>
__device__ static inline void take(
	struct cells<T, TP, TQ, ARG> *r, int i, int j, T a, T b, uint32_t x)
{
	if (ARG) {
		const T sum = a + b;

		if (sum < r->best[i][j]) {
			r->best[i][j] = sum;
			r->arg[i][j] = x;
		}
	} else {
		r->best[i][j] = add_min(a, b, r->best[i][j]);
	}
}

/* This thread's place in the block. */
struct place {
	uint32_t p, q, z, l;
};

/*
 * Which q of the tile is cell j of this thread. Without C four at a time lie together, for wide
 * reads of B and wide writes; with C neighbouring threads have neighbouring q.
 */
template <int CMODE, bool LMODE>
__device__ static inline uint32_t q_of(const struct gpube__tile *t, const struct place *at, int j,
	int tq)
{
	if (LMODE)
		return at->q * (uint32_t)tq + (uint32_t)j;
	if (CMODE == TILE_C_NONE)
		return ((uint32_t)(j / 4) * (uint32_t)t->tq + at->q) * 4 + (uint32_t)(j % 4);
	return (uint32_t)j * (uint32_t)t->tq + at->q;
}

/* Where this thread's cells of A and B begin in a row, and the next row. */
template <typename T> struct rows {
	const T *a, *b;
};

template <typename T, int TP, int TQ, bool LMODE, int CMODE>
__device__ static inline struct rows<T> rows_init(const struct block_state<T> *s,
	const struct place *at, uint32_t buffer)
{
	const struct gpube__tile *t = s->t;
	struct rows<T> r;

	r.a = s->a + buffer;
	r.b = s->b + buffer;
	if (LMODE) {
		r.a += at->p * TP * GPUBE_TILE_LANES + at->l;
		r.b += at->q * TQ * GPUBE_TILE_LANES + at->l;
	} else {
		r.a += at->z * (uint32_t)t->tile_p + at->p * TP;
		r.b += at->z * (uint32_t)t->tile_q + q_of<CMODE, LMODE>(t, at, 0, TQ);
	}
	return r;
}

/* N cells that lie together in shared memory, aligned to 16 bytes. */
template <typename T, int N> __device__ static inline void load_shared(T *to, const T *from)
{
#pragma unroll
	for (int i = 0; i < N; i += 16 / (int)sizeof(T)) {
		const int4 v = *(const int4 *)(from + i);

		memcpy(to + i, &v, sizeof(v));
	}
}

template <typename T, int TP, int TQ, bool LMODE, int CMODE>
__device__ static inline void load_rows(
	const struct gpube__tile *t, struct rows<T> *r, T *a, T *b)
{
	if (LMODE) {
#pragma unroll
		for (int i = 0; i < TP; i++)
			a[i] = r->a[i * GPUBE_TILE_LANES];
#pragma unroll
		for (int j = 0; j < TQ; j++)
			b[j] = r->b[j * GPUBE_TILE_LANES];
	} else {
		load_shared<T, TP>(a, r->a);
		if (CMODE == TILE_C_NONE) {
#pragma unroll
			for (int j = 0; j < TQ; j += 4)
				load_shared<T, 4>(b + j, r->b + (uint32_t)j * (uint32_t)t->tq);
		} else {
#pragma unroll
			for (int j = 0; j < TQ; j++)
				b[j] = r->b[(uint32_t)j * (uint32_t)t->tq];
		}
	}
	r->a += t->pitch_a;
	r->b += t->pitch_b;
}

/* Joined cells x in [0, xn) of the chunk, A and B from shared memory, C where it is. */
template <typename T, int TP, int TQ, bool ARG, bool LMODE, int CMODE>
__device__ static inline void combine(const struct block_state<T> *s, const struct place *at,
	const int64_t *base, uint32_t buffer, uint32_t x0, uint32_t xn,
	struct cells<T, TP, TQ, ARG> *r)
{
	const struct gpube__tile *t = s->t;
	const int c = t->n_a + t->n_b;
	const T sign = (T)t->sign;
	uint32_t off_p[TP], off_q[TQ];
	const T *one = NULL;
	struct rows<T> rows;

	if (CMODE == TILE_C_ONE) {
		one = s->ptr[c] + base[c * t->nz + (int)at->z] + s->off_cl[at->l];
#pragma unroll
		for (int i = 0; i < TP; i++)
			off_p[i] = s->off_cp[at->p * TP + i];
#pragma unroll
		for (int j = 0; j < TQ; j++)
			off_q[j] = s->off_cq[(uint32_t)j * (uint32_t)t->tq + at->q];
	}
	rows = rows_init<T, TP, TQ, LMODE, CMODE>(s, at, buffer);
#pragma unroll 2
	for (uint32_t x = 0; x < xn; x++) {
		T a[TP], b[TQ];

		load_rows<T, TP, TQ, LMODE, CMODE>(t, &rows, a, b);
		if (CMODE == TILE_C_NONE) {
#pragma unroll
			for (int i = 0; i < TP; i++)
#pragma unroll
				for (int j = 0; j < TQ; j++)
					take<T, TP, TQ, ARG>(r, i, j, a[i], b[j], x0 + x);
		} else if (CMODE == TILE_C_ONE) {
			const T *in = one + x_offset(s, c, x0 + x);
			T v[TP][TQ];

#pragma unroll
			for (int i = 0; i < TP; i++)
#pragma unroll
				for (int j = 0; j < TQ; j++)
					v[i][j] = __ldg(in + (off_p[i] + off_q[j]));
#pragma unroll
			for (int i = 0; i < TP; i++)
#pragma unroll
				for (int j = 0; j < TQ; j++)
					take<T, TP, TQ, ARG>(
						r, i, j, v[i][j] * sign + a[i], b[j], x0 + x);
		} else if (CMODE == TILE_C_MANY) {
			T v[TP][TQ];

#pragma unroll
			for (int i = 0; i < TP; i++)
#pragma unroll
				for (int j = 0; j < TQ; j++)
					v[i][j] = a[i];
			for (int k = c; k < t->n_in; k++) {
				const T *in = s->ptr[k] + base[k * t->nz + (int)at->z] +
					s->off_cl[(uint32_t)((k - c) * t->tl) + at->l] +
					x_offset(s, k, x0 + x);
				const uint32_t *o_p = s->off_cp + (k - c) * t->tile_p + at->p * TP;
				const uint32_t *o_q = s->off_cq + (k - c) * t->tile_q;

#pragma unroll
				for (int i = 0; i < TP; i++)
#pragma unroll
					for (int j = 0; j < TQ; j++)
						v[i][j] = __ldg(in + (o_p[i] +
							o_q[q_of<CMODE, LMODE>(t, at, j, TQ)])) *
								sign + v[i][j];
			}
#pragma unroll
			for (int i = 0; i < TP; i++)
#pragma unroll
				for (int j = 0; j < TQ; j++)
					take<T, TP, TQ, ARG>(r, i, j, v[i][j], b[j], x0 + x);
		} else {
			const T *in = s->c + buffer + x * (uint32_t)t->pitch_c +
				(at->z * (uint32_t)t->tile_p + at->p * TP) * (uint32_t)t->tile_q +
				at->q;

#pragma unroll
			for (int i = 0; i < TP; i++)
#pragma unroll
				for (int j = 0; j < TQ; j++)
					take<T, TP, TQ, ARG>(r, i, j,
						in[(uint32_t)i * (uint32_t)t->tile_q +
							(uint32_t)j * (uint32_t)t->tq] * sign + a[i],
						b[j], x0 + x);
		}
	}
}

template <typename T, int TP, int TQ, bool ARG, bool LMODE, int CMODE>
__device__ static inline void store(const struct block_state<T> *s, const struct place *at,
	const struct gpube__tile_io *io, int64_t base, const struct cells<T, TP, TQ, ARG> *r)
{
	/* four cells at once, or two of eight bytes, where the output has them together */
	constexpr int W = CMODE == TILE_C_NONE && !LMODE ? 16 / (int)sizeof(T) : 1;
	const struct gpube__tile *t = s->t;
	const bool together = W > 1 && t->out_wide == W;
	T *out = (T *)io->out + base;

#pragma unroll
	for (int j = 0; j < TQ; j += W) {
#pragma unroll
		for (int i = 0; i < TP; i++) {
			const uint32_t p = at->p * TP + (uint32_t)i;
			struct wide<T, W> w;

			if (s->p0 + p >= t->cells[GROUP_P])
				break;
#pragma unroll
			for (int n = 0; n < W; n++)
				w.v[n] = cut(r->best[i][j + n], t) * (T)t->sign;
			if (together) {
				const uint32_t q = q_of<CMODE, LMODE>(t, at, j, TQ);

				if (s->q0 + q < t->cells[GROUP_Q])
					*(struct wide<T, W> *)(out + s->out_p[p] + s->out_q[q]) = w;
			}
#pragma unroll
			for (int n = 0; n < W; n++) {
				const uint32_t q = q_of<CMODE, LMODE>(t, at, j + n, TQ);

				if ((together && !ARG) || s->q0 + q >= t->cells[GROUP_Q])
					break;
				if (!together)
					*(out + s->out_p[p] + s->out_q[q]) = w.v[n];
				if (ARG)
					gpube__store_arg(io->out_arg, t->arg_bytes,
						base + s->out_p[p] + s->out_q[q],
						group_offset(t, t->out_stride, GROUP_X,
							r->arg[ARG ? i : 0][ARG ? j + n : 0]));
			}
		}
	}
}

/* Starts to fetch the vectors of the chunk of x at x0. */
template <typename T, int CMODE>
__device__ static inline void stage_all(
	const struct block_state<T> *s, const int64_t *base, uint32_t buffer, uint32_t x0)
{
	const struct gpube__tile *t = s->t;
	const uint32_t xn = min((uint32_t)t->xc, t->cells[GROUP_X] - x0);

	/* a loop, so that the code is there once */
#pragma unroll 1
	for (int which = 0; which < 2; which++)
		stage_wide(s, which, (which ? s->b : s->a) + buffer, base, x0, xn);
	if (CMODE == TILE_C_STAGED)
		stage_c(s, s->c + buffer, base, x0, xn);
	__pipeline_commit();
}

/* What one block does; see tile_kernel(). */
template <typename T, int TP, int TQ, bool ARG, bool LMODE, int CMODE>
__device__ static inline void tile_block(const struct gpube__tile *t,
	const struct gpube__tile_io *io, uint32_t block, unsigned char *shared)
{
	struct block_state<T> s;
	struct place at;
	__shared__ struct starts starts;
	struct cells<T, TP, TQ, ARG> r;
	uint32_t buffer = 0;
	int64_t out = 0;
	int ring = 0;

	block_init(&s, t, io, shared);
	s.l0 = block % t->l_tiles * (uint32_t)t->tl;
	block /= t->l_tiles;
	s.q0 = block % t->q_tiles * (uint32_t)t->tile_q;
	block /= t->q_tiles;
	s.p0 = block % t->p_tiles * (uint32_t)t->tile_p;
	block /= t->p_tiles;
	/* threads past the last place of a batch's smaller tiles only help to stage */
	at.l = threadIdx.x % (uint32_t)t->tl;
	at.q = threadIdx.x / (uint32_t)t->tl % (uint32_t)t->tq;
	at.p = threadIdx.x / (uint32_t)(t->tl * t->tq) % (uint32_t)t->tp;
	at.z = threadIdx.x / (uint32_t)(t->tl * t->tq * t->tp);
	const bool works = at.z < (uint32_t)t->nz;

	s.starts = &starts;
	starts_init(&s);
	offset_tables(&s);
	bases(&s, 0, block);
	bases(&s, 1, block + t->o_blocks);
	/*
	 * Steps are (o_tile, chunk of x), and one before the first. After its barrier a step
	 * starts the fetching of the next one's vectors into the other buffer, then
	 * works on its own; the offsets of an o_tile are made two o_tiles ahead.
	 */
	uint32_t o_tile = block, x0 = 0, next_o = block, next_x = 0;
	bool first = true;

	while (o_tile < t->o_tiles) {
		const uint32_t xn = min((uint32_t)t->xc, t->cells[GROUP_X] - x0);

		__pipeline_wait_prior(0);
		__syncthreads();
		if (!first) {
			next_x = x0 + xn;
			if (next_x >= t->cells[GROUP_X]) {
				next_x = 0;
				next_o = o_tile + t->o_blocks;
			}
		}
		if (next_o < t->o_tiles)
			stage_all<T, CMODE>(&s,
				base_of(&s, next_o == o_tile ? ring : ring == 2 ? 0 : ring + 1),
				first ? 0 : buffer ^ s.buffer, next_x);
		if (first) {
			first = false;
			clear<T, TP, TQ, ARG>(&r);
			continue;
		}
		if (x0 == 0)
			bases(&s, ring == 0 ? 2 : ring - 1, o_tile + 2 * t->o_blocks);
		if (works) {
			const int64_t *base = base_of(&s, ring);

			out = base[t->n_in * t->nz + (int)at.z];
			combine<T, TP, TQ, ARG, LMODE, CMODE>(&s, &at, base, buffer, x0, xn, &r);
		}
		buffer ^= s.buffer;
		x0 = next_x;
		if (next_o == o_tile)
			continue;
		if (works && o_tile * (uint32_t)t->nz + at.z < t->cells[GROUP_O] &&
			s.l0 + at.l < t->cells[GROUP_L])
			store<T, TP, TQ, ARG, LMODE, CMODE>(&s, &at, io,
				out + (LMODE ? group_offset(t, t->out_stride, GROUP_L, s.l0 + at.l) : 0),
				&r);
		clear<T, TP, TQ, ARG>(&r);
		ring = ring == 2 ? 0 : ring + 1;
		o_tile = next_o;
	}
}

/*
 * out[s] = min over x of sum_k in_k[s, x]; for integers same bits as contract_ref.c
 * Shape: see the head of contract_tile.cuh; min-plus, max-plus by the sign
 * Map:   block per tile of P x Q (x L) and nz positions of O at a time; a thread owns TP
 *        neighbouring p and TQ q that are tq apart, so that a warp's accesses along q
 *        are consecutive; x serial, in chunks of xc
 * Moves: per tile and chunk the cells of A and B once, C once; the output once
 * Ops:   an add-min per joined cell, and an add per cell of class C
 * Bound: add-min issue without C; DRAM with a C that is read once. H200: 72 % on a 4096^3
 *        product (the integer unit is busy 82 % of the time, staging takes the rest),
 *        76 % on one big operand of class C; 6 to 40 % where the tile is too
 *        small or a C is read again, see benchmarks/runs/2026-11-21-h200-contract
 */
template <typename T, int TP, int TQ, bool ARG, bool LMODE, int CMODE>
__global__ void __launch_bounds__(GPUBE_TILE_THREADS, sizeof(T) * TP * TQ > 64 || ARG ? 2 : 3)
	tile_kernel(const __grid_constant__ struct gpube__tile t,
		const __grid_constant__ struct gpube__tile_io io)
{
	extern __shared__ __align__(16) unsigned char shared[];

	tile_block<T, TP, TQ, ARG, LMODE, CMODE>(&t, &io, blockIdx.x, shared);
}

/* The same for many contractions: a list says what each block does. */
template <typename T, int TP, int TQ, bool ARG, bool LMODE, int CMODE>
__global__ void __launch_bounds__(GPUBE_TILE_THREADS, sizeof(T) > 4 || ARG ? 2 : 3)
	tile_batch_kernel(
	const struct gpube__tile *__restrict__ tiles, const unsigned char *__restrict__ ios,
	uint32_t io_bytes, const struct gpube__tile_block *__restrict__ blocks)
{
	extern __shared__ __align__(16) unsigned char shared[];
	__shared__ __align__(16) struct gpube__tile t;
	const struct gpube__tile_block b = blocks[blockIdx.x];
	const int4 *from = (const int4 *)(tiles + b.tile);
	/* only the rows of strides that are there */
	const uint32_t n = (uint32_t)(offsetof(struct gpube__tile, stride) +
		(uint64_t)from->x * sizeof(t.stride[0])) / 16;

	for (uint32_t i = threadIdx.x; i < n; i += blockDim.x)
		((int4 *)&t)[i] = from[i];
	__syncthreads();
	tile_block<T, TP, TQ, ARG, LMODE, CMODE>(&t,
		(const struct gpube__tile_io *)(ios + (uint64_t)b.io * io_bytes), b.block, shared);
}

template <typename T, int TP, int TQ, bool ARG, bool LMODE, int CMODE>
static struct gpube__tile_kernels both()
{
	struct gpube__tile_kernels k = {NULL, NULL};

	k.one = tile_kernel<T, TP, TQ, ARG, LMODE, CMODE>;
	if constexpr (TP == 4)
		k.batch = tile_batch_kernel<T, TP, TQ, ARG, LMODE, CMODE>;
	return k;
}

/* The kernels of type T; 'big' ones only where their cells fit the registers. */
template <typename T, bool ARG>
static struct gpube__tile_kernels tile_kernels_of(bool big, bool lanes, enum gpube__tile_c c)
{
	const struct gpube__tile_kernels none = {NULL, NULL};

	if (big) {
		if constexpr (sizeof(T) == 4 && !ARG) {
			if (c == TILE_C_NONE)
				return lanes ? both<T, 8, 8, ARG, true, TILE_C_NONE>()
					     : both<T, 8, 8, ARG, false, TILE_C_NONE>();
		}
		return none;
	}
	if (lanes)
		return c == TILE_C_NONE ? both<T, 4, 4, ARG, true, TILE_C_NONE>()
		       : c == TILE_C_MANY ? both<T, 4, 4, ARG, true, TILE_C_MANY>() : none;
	switch (c) {
	case TILE_C_NONE:
		return both<T, 4, 4, ARG, false, TILE_C_NONE>();
	case TILE_C_ONE:
		return both<T, 4, 4, ARG, false, TILE_C_ONE>();
	case TILE_C_MANY:
		return both<T, 4, 4, ARG, false, TILE_C_MANY>();
	case TILE_C_STAGED:
		return both<T, 4, 4, ARG, false, TILE_C_STAGED>();
	default:
		return none;
	}
}

#define GPUBE_TILE_KERNELS(suffix, T)                                                              \
	struct gpube__tile_kernels gpube__tile_kernels_##suffix(                                            \
		bool big, bool arg, bool lanes, enum gpube__tile_c c)                              \
	{                                                                                          \
		return arg ? tile_kernels_of<T, true>(big, lanes, c)                                \
			   : tile_kernels_of<T, false>(big, lanes, c);                              \
	}

#endif
