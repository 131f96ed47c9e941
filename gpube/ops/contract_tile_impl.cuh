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

/* Offset of position i of a group. */
__device__ static inline int64_t group_offset(
	const struct gpube__tile *t, const int64_t *stride, int group, uint32_t i)
{
	int64_t offset = 0;

	for (int d = t->first[group] + t->n[group] - 1; d > t->first[group]; d--) {
		offset += (int64_t)(i % t->size[d]) * stride[d];
		i /= t->size[d];
	}
	return t->n[group] ? offset + (int64_t)i * stride[t->first[group]] : 0;
}

/* Everything a block knows; pointers are into shared memory. */
template <typename T> struct block_state {
	const struct gpube__tile *t;
	T *a, *b, *c;
	int64_t *base, *xstep; /* base: two buffers of n_in + 1 rows of nz */
	const T **ptr;
	uint32_t *off_a, *off_b, *off_cp, *off_cq, *out_p, *out_q;
	uint32_t p0, q0, l0, threads;
};

template <typename T>
__device__ static void block_init(struct block_state<T> *s, const struct gpube__tile *t,
	const struct gpube__tile_io *io, unsigned char *shared)
{
	struct gpube__tile_layout l;

	gpube__tile_layout(&l, t, sizeof(T));
	s->t = t;
	s->a = (T *)shared;
	s->b = (T *)(shared + l.b);
	s->c = (T *)(shared + l.c);
	s->base = (int64_t *)(shared + l.base);
	s->xstep = (int64_t *)(shared + l.xstep);
	s->ptr = (const T **)(shared + l.ptr);
	s->off_a = (uint32_t *)(shared + l.off_a);
	s->off_b = (uint32_t *)(shared + l.off_b);
	s->off_cp = (uint32_t *)(shared + l.off_cp);
	s->off_cq = (uint32_t *)(shared + l.off_cq);
	s->out_p = (uint32_t *)(shared + l.out_p);
	s->out_q = (uint32_t *)(shared + l.out_q);
	s->threads = blockDim.x;
	for (int k = (int)threadIdx.x; k < t->n_in; k += (int)blockDim.x) {
		s->xstep[k] = t->n[GROUP_X] ? t->stride[k][t->first[GROUP_X]] : 0;
		s->ptr[k] = (const T *)io->in[k];
	}
}

/* One table of offsets: n rows, operands from 'from' on, of 'len' positions times tl lanes. */
template <typename T>
__device__ static void offset_table(const struct block_state<T> *s, uint32_t *to, int from, int n,
	int group, uint32_t first, int len, int tl)
{
	const struct gpube__tile *t = s->t;
	const uint32_t all = (uint32_t)(n * len * tl), row = (uint32_t)(len * tl);

	for (uint32_t e = threadIdx.x; e < all; e += s->threads) {
		const uint32_t k = e / row, i = e % row;
		const uint32_t at = min(first + i / (uint32_t)tl, t->cells[group] - 1);
		const uint32_t lane = min(s->l0 + i % (uint32_t)tl, t->cells[GROUP_L] - 1);
		const int64_t *stride = from < 0 ? t->out_stride : t->stride[from + (int)k];

		to[e] = (uint32_t)(group_offset(t, stride, group, at) +
			(from < 0 ? 0 : group_offset(t, stride, GROUP_L, lane)));
	}
}

template <typename T> __device__ static void offset_tables(const struct block_state<T> *s)
{
	const struct gpube__tile *t = s->t;
	const int c = t->n_a + t->n_b;

	offset_table(s, s->off_a, 0, t->n_a, GROUP_P, s->p0, t->tile_p, t->tl);
	offset_table(s, s->off_b, t->n_a, t->n_b, GROUP_Q, s->q0, t->tile_q, t->tl);
	offset_table(s, s->off_cp, c, t->n_in - c, GROUP_P, s->p0, t->tile_p, 1);
	offset_table(s, s->off_cq, c, t->n_in - c, GROUP_Q, s->q0, t->tile_q, 1);
	offset_table(s, s->out_p, -1, 1, GROUP_P, s->p0, t->tile_p, 1);
	offset_table(s, s->out_q, -1, 1, GROUP_Q, s->q0, t->tile_q, 1);
}

/*
 * Offsets of the nz positions of O from o0 on, of each operand and of the output:
 * a warp per sum, a lane per dim, so that its divisions are in parallel.
 */
template <typename T>
__device__ static void bases(const struct block_state<T> *s, int buffer, uint32_t o_tile)
{
	const struct gpube__tile *t = s->t;
	const uint32_t lane = threadIdx.x % 32, warps = (s->threads + 31) / 32;
	const int rows = t->n_in + 1, n_o = t->n[GROUP_O];
	int64_t *to = s->base + (int64_t)buffer * rows * t->nz;
	/* the last warp may have fewer than 32 threads */
	const uint32_t width = min(32u, s->threads - threadIdx.x / 32 * 32);

	for (int e = (int)(threadIdx.x / 32); e < rows * t->nz; e += (int)warps) {
		const int k = e / t->nz;
		const uint32_t z = (uint32_t)(e % t->nz);
		const uint32_t o = min(o_tile * (uint32_t)t->nz + z, t->cells[GROUP_O] - 1);
		const int64_t *stride = k == t->n_in ? t->out_stride : t->stride[k];
		int64_t sum = 0;

		for (int d = (int)lane; d < n_o; d += (int)width)
			sum += (int64_t)(o / t->o_step[d] % t->size[d]) * stride[d];
		for (uint32_t step = 16; step > 0; step /= 2) {
			const int64_t other = __shfl_down_sync(
				width == 32 ? 0xffffffffu : (1u << width) - 1, sum, step);

			sum += lane + step < width ? other : 0;
		}
		if (lane == 0)
			to[e] = sum;
	}
}

template <typename T>
__device__ static inline int64_t x_offset(const struct block_state<T> *s, int k, uint32_t x)
{
	if (s->t->n[GROUP_X] <= 1)
		return (int64_t)x * s->xstep[k];
	return group_offset(s->t, s->t->stride[k], GROUP_X, x);
}

/*
 * to[x][z * list + i] = sum of operands [from, from + n) at (x0 + x, z, i), times
 * sign. U loads of a thread are in flight at a time.
 */
template <typename T, int U>
__device__ static void stage(const struct block_state<T> *s, T *to, int pitch, const uint32_t *off,
	uint32_t list, int from, int n, const int64_t *base, uint32_t x0, uint32_t xn, bool along_x)
{
	const struct gpube__tile *t = s->t;
	const uint32_t row = list * (uint32_t)t->nz, all = row * xn;
	const uint32_t fast = along_x ? xn : row; /* of the fast index; the other one is slow */
	const uint32_t d_slow = s->threads / fast, d_fast = s->threads % fast;
	uint32_t slow = threadIdx.x / fast, f = threadIdx.x % fast;
	const T sign = (T)t->sign;

	for (uint32_t e = threadIdx.x; e < all; e += U * s->threads) {
		uint32_t x[U], i[U], z[U];
		T v[U];

#pragma unroll
		for (int u = 0; u < U; u++) {
			x[u] = along_x ? f : slow;
			i[u] = along_x ? slow : f;
			z[u] = t->nz == 1 ? 0 : i[u] / list;
			v[u] = 0;
			f += d_fast;
			slow += d_slow;
			if (f >= fast) {
				f -= fast;
				slow++;
			}
		}
		for (int k = 0; k < n; k++) {
			const T *in = s->ptr[from + k];
			const int64_t *b = base + (from + k) * t->nz;
			const uint32_t *o = off + (uint32_t)k * list;

#pragma unroll
			for (int u = 0; u < U; u++)
				if (e + (uint32_t)u * s->threads < all)
					v[u] += __ldg(in + b[z[u]] + o[i[u] - z[u] * list] +
						x_offset(s, from + k, x0 + x[u]));
		}
#pragma unroll
		for (int u = 0; u < U; u++)
			if (e + (uint32_t)u * s->threads < all)
				to[x[u] * (uint32_t)pitch + i[u]] = v[u] * sign;
	}
}

/*
 * Class C into shared memory: c[x][z][p][q]. Each operand is fetched in the order in which
 * its own cells lie; a single one asynchronously.
 */
template <typename T>
__device__ static void stage_c(const struct block_state<T> *s, const int64_t *base, uint32_t x0,
	uint32_t xn)
{
	const struct gpube__tile *t = s->t;
	const uint32_t cells = (uint32_t)(t->tile_p * t->tile_q);
	const int c = t->n_a + t->n_b, n_c = t->n_in - c;

	for (int k = c; k < t->n_in; k++) {
		const uint32_t extent[3] = {xn, (uint32_t)t->tile_p, (uint32_t)t->tile_q};
		const uint32_t to[3] = {(uint32_t)t->pitch_c, (uint32_t)t->tile_q, 1};
		const uint32_t *off_p = s->off_cp + (k - c) * t->tile_p;
		const uint32_t *off_q = s->off_cq + (k - c) * t->tile_q;
		const int f = t->c_order[k][0], g = t->c_order[k][1];
		const uint32_t nf = f == 0 ? extent[0] : f == 1 ? extent[1] : extent[2];
		const uint32_t ng = g == 0 ? extent[0] : g == 1 ? extent[1] : extent[2];
		const uint32_t all = xn * cells * (uint32_t)t->nz;
		const uint32_t nh = all / (uint32_t)t->nz / nf / ng;
		const uint32_t d_f = s->threads % nf, d_g = s->threads / nf % ng;
		const uint32_t d_h = s->threads / nf / ng;
		uint32_t i_f = threadIdx.x % nf, i_g = threadIdx.x / nf % ng;
		uint32_t i_h = threadIdx.x / nf / ng;

		if (k > c)
			__syncthreads();
		for (uint32_t e = threadIdx.x; e < all; e += s->threads) {
			const uint32_t z = i_h / nh, h = i_h - z * nh;
			const uint32_t x = f == 0 ? i_f : g == 0 ? i_g : h;
			const uint32_t p = f == 1 ? i_f : g == 1 ? i_g : h;
			const uint32_t q = f == 2 ? i_f : g == 2 ? i_g : h;
			const T *from = s->ptr[k] + base[k * t->nz + (int)z] + off_p[p] + off_q[q] +
				x_offset(s, k, x0 + x);
			T *into = s->c + x * to[0] + z * cells + p * to[1] + q;

			if (n_c == 1)
				__pipeline_memcpy_async(into, from, sizeof(T));
			else
				*into = (k > c ? *into : 0) + __ldg(from);
			i_f += d_f;
			i_g += d_g;
			i_h += d_h;
			if (i_f >= nf) {
				i_f -= nf;
				i_g++;
			}
			if (i_g >= ng) {
				i_g -= ng;
				i_h++;
			}
		}
	}
	__pipeline_commit();
	__pipeline_wait_prior(0);
}

/* A thread's cells: the best sum so far and, for arguments, the reduced cell that gave it. */
template <typename T, int TP, int TQ, bool ARG> struct cells {
	T best[TP][TQ];
	uint32_t arg[ARG ? TP : 1][ARG ? TQ : 1];
};

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

template <typename T, int TP, int TQ, bool LMODE>
__device__ static inline void load_rows(const struct block_state<T> *s, const struct place *at,
	uint32_t x, T *a, T *b)
{
	const struct gpube__tile *t = s->t;
	const T *row_a = s->a + x * (uint32_t)t->pitch_a;
	const T *row_b = s->b + x * (uint32_t)t->pitch_b;

	if (LMODE) {
#pragma unroll
		for (int i = 0; i < TP; i++)
			a[i] = row_a[(at->p * TP + i) * (uint32_t)t->tl + at->l];
#pragma unroll
		for (int j = 0; j < TQ; j++)
			b[j] = row_b[((uint32_t)j * (uint32_t)t->tq + at->q) * (uint32_t)t->tl +
				at->l];
		return;
	}
	row_a += at->z * (uint32_t)t->tile_p + at->p * TP;
	row_b += at->z * (uint32_t)t->tile_q + at->q;
#pragma unroll
	for (int i = 0; i < TP; i += 16 / (int)sizeof(T)) {
		const int4 v = *(const int4 *)(row_a + i);

		memcpy(a + i, &v, sizeof(v));
	}
#pragma unroll
	for (int j = 0; j < TQ; j++)
		b[j] = row_b[(uint32_t)j * (uint32_t)t->tq];
}

/* Joined cells x in [0, xn) of the chunk, A and B from shared memory, C where it is. */
template <typename T, int TP, int TQ, bool ARG, bool LMODE, int CMODE>
__device__ static inline void combine(const struct block_state<T> *s, const struct place *at,
	const int64_t *base, uint32_t x0, uint32_t xn, struct cells<T, TP, TQ, ARG> *r)
{
	const struct gpube__tile *t = s->t;
	const int c = t->n_a + t->n_b;
	const T sign = (T)t->sign;
	uint32_t off_p[TP], off_q[TQ];
	const T *one = NULL;

	if (CMODE == TILE_C_ONE) {
		one = s->ptr[c] + base[c * t->nz + (int)at->z];
#pragma unroll
		for (int i = 0; i < TP; i++)
			off_p[i] = s->off_cp[at->p * TP + i];
#pragma unroll
		for (int j = 0; j < TQ; j++)
			off_q[j] = s->off_cq[(uint32_t)j * (uint32_t)t->tq + at->q];
	}
#pragma unroll 2
	for (uint32_t x = 0; x < xn; x++) {
		T a[TP], b[TQ];

		load_rows<T, TP, TQ, LMODE>(s, at, x, a, b);
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
					x_offset(s, k, x0 + x);
				const uint32_t *o_p = s->off_cp + (k - c) * t->tile_p + at->p * TP;
				const uint32_t *o_q = s->off_cq + (k - c) * t->tile_q + at->q;

#pragma unroll
				for (int i = 0; i < TP; i++)
#pragma unroll
					for (int j = 0; j < TQ; j++)
						v[i][j] = __ldg(in + (o_p[i] +
							o_q[(uint32_t)j * (uint32_t)t->tq])) *
								sign + v[i][j];
			}
#pragma unroll
			for (int i = 0; i < TP; i++)
#pragma unroll
				for (int j = 0; j < TQ; j++)
					take<T, TP, TQ, ARG>(r, i, j, v[i][j], b[j], x0 + x);
		} else {
			const T *in = s->c + x * (uint32_t)t->pitch_c +
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

template <typename T, int TP, int TQ, bool ARG>
__device__ static inline void store(const struct block_state<T> *s, const struct place *at,
	const struct gpube__tile_io *io, int64_t base, const struct cells<T, TP, TQ, ARG> *r)
{
	const struct gpube__tile *t = s->t;

#pragma unroll
	for (int i = 0; i < TP; i++)
#pragma unroll
		for (int j = 0; j < TQ; j++) {
			const uint32_t p = at->p * TP + (uint32_t)i;
			const uint32_t q = (uint32_t)j * (uint32_t)t->tq + at->q;
			int64_t cell;

			if (s->p0 + p >= t->cells[GROUP_P] || s->q0 + q >= t->cells[GROUP_Q])
				continue;
			cell = base + s->out_p[p] + s->out_q[q];
			((T *)io->out)[cell] = cut(r->best[i][j], t) * (T)t->sign;
			if (ARG)
				gpube__store_arg(io->out_arg, t->arg_bytes, cell,
					group_offset(t, t->out_stride, GROUP_X, r->arg[i][j]));
		}
}

/* What one block does; see tile_kernel(). */
template <typename T, int TP, int TQ, bool ARG, bool LMODE, int CMODE>
__device__ static inline void tile_block(const struct gpube__tile *t,
	const struct gpube__tile_io *io, uint32_t block, unsigned char *shared)
{
	struct block_state<T> s;
	struct place at;
	int buffer = 0;

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

	offset_tables(&s);
	bases(&s, 0, block);
	__syncthreads();
	for (uint32_t o_tile = block; o_tile < t->o_tiles; o_tile += t->o_blocks, buffer ^= 1) {
		const int64_t *base = s.base + (int64_t)buffer * (t->n_in + 1) * t->nz;
		struct cells<T, TP, TQ, ARG> r;
		int64_t out = 0;

#pragma unroll
		for (int i = 0; i < TP; i++)
#pragma unroll
			for (int j = 0; j < TQ; j++) {
				r.best[i][j] = most<T>();
				if (ARG)
					r.arg[i][j] = 0;
			}
		for (uint32_t x0 = 0; x0 < t->cells[GROUP_X]; x0 += (uint32_t)t->xc) {
			const uint32_t xn = min((uint32_t)t->xc, t->cells[GROUP_X] - x0);

			stage<T, 4>(&s, s.a, t->pitch_a, s.off_a, (uint32_t)(t->tile_p * t->tl), 0,
				t->n_a, base, x0, xn, t->a_along_x);
			stage<T, 4>(&s, s.b, t->pitch_b, s.off_b, (uint32_t)(t->tile_q * t->tl),
				t->n_a, t->n_b, base, x0, xn, t->b_along_x);
			if (CMODE == TILE_C_STAGED)
				stage_c(&s, base, x0, xn);
			if (x0 == 0 && o_tile + t->o_blocks < t->o_tiles)
				bases(&s, buffer ^ 1, o_tile + t->o_blocks);
			__syncthreads();
			if (works) {
				out = base[t->n_in * t->nz + (int)at.z];
				combine<T, TP, TQ, ARG, LMODE, CMODE>(&s, &at, base, x0, xn, &r);
			}
			__syncthreads();
		}
		if (works && o_tile * (uint32_t)t->nz + at.z < t->cells[GROUP_O] &&
			s.l0 + at.l < t->cells[GROUP_L])
			store<T, TP, TQ, ARG>(&s, &at, io,
				out + (LMODE ? group_offset(t, t->out_stride, GROUP_L, s.l0 + at.l) : 0),
				&r);
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
 * Bound: add-min issue without C; DRAM with a C that is read once
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
__global__ void __launch_bounds__(GPUBE_TILE_THREADS, 2) tile_batch_kernel(
	const struct gpube__tile *__restrict__ tiles, const unsigned char *__restrict__ ios,
	uint32_t io_bytes, const struct gpube__tile_block *__restrict__ blocks)
{
	extern __shared__ __align__(16) unsigned char shared[];
	const struct gpube__tile_block b = blocks[blockIdx.x];

	tile_block<T, TP, TQ, ARG, LMODE, CMODE>(tiles + b.tile,
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
		return c == TILE_C_NONE ? both<T, 4, 4, ARG, true, TILE_C_NONE>() : none;
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
