/*
 * contract_box_copy.cuh - the arithmetic of the kernels that stage operands in shared memory, its
 * reads, and what a block of the box kernels knows and copies there.
 */
#ifndef GPUBE_OPS_CONTRACT_BOX_COPY_CUH
#define GPUBE_OPS_CONTRACT_BOX_COPY_CUH

#include "gpube/ops/contract/boxes/contract_box.cuh"
#include "gpube/ops/device/fused.cuh"

/* ---- arithmetic ------------------------------------------------------------------------- */

/*
 * v + sum. For int32 a multiply-add, by a 1 that the compiler does not know: it does not
 * take the unit of the add-mins.
 */
__device__ static inline int32_t add_one(int32_t v, int one, int32_t sum)
{
	return v * one + sum;
}

__device__ static inline int64_t add_one(int64_t v, int one, int64_t sum)
{
	(void)one;
	return v + sum;
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

/* The top rule in the type's own width. */
template <typename T> struct top_rule {
	T to, threshold;
};

template <typename T, typename PLAN>
__device__ static inline struct top_rule<T> top_init(const PLAN *b) {
	const int64_t top = (int64_t)most<int32_t>();
	struct top_rule<T> c = {
		0, 0
	};

	if constexpr (sizeof(T) == 4) {
		/* a threshold past the type is never reached */
		c.to = (T)(b->threshold > top ? top : b->top);
		c.threshold = (T)(b->threshold > top ? top : b->threshold);
	} else {
		c.to = (T)b->top;
		c.threshold = (T)b->threshold;
	}
	return c;
}

template <typename T>
__device__ static inline T topped(T v, struct top_rule<T> c)
{
	return v >= c.threshold ? c.to : v;
}

/* ---- reads of shared memory ---------------------------------------------------------------- */

/*
 * Reads of shared memory go by its own addresses, of 32 bits: from pointers the compiler
 * makes each address anew in every basic block, which costs more than the read.
 */
__device__ static inline void load_shared(int32_t *v, uint32_t at)
{
	asm volatile("ld.shared.b32 %0, [%1];" : "=r"(*v) : "r"(at));
}

__device__ static inline void load_shared(int64_t *v, uint32_t at)
{
	asm volatile("ld.shared.b64 %0, [%1];" : "=l"(*v) : "r"(at));
}

/* N cells that lie together, aligned to 16 bytes if they are as many, otherwise to 8. */
template <typename T, int N> __device__ static inline void load_together(T *to, uint32_t at)
{
	if constexpr (N * sizeof(T) >= 16) {
#pragma unroll
		for (int i = 0; i < N; i += 16 / (int)sizeof(T)) {
			int4 v;

			asm volatile("ld.shared.v4.b32 {%0, %1, %2, %3}, [%4];"
				     : "=r"(v.x), "=r"(v.y), "=r"(v.z), "=r"(v.w)
				     : "r"(at + i * (uint32_t)sizeof(T)));
			memcpy(to + i, &v, sizeof(v));
		}
	} else {
		int2 v;

		asm volatile("ld.shared.v2.b32 {%0, %1}, [%2];" : "=r"(v.x), "=r"(v.y) : "r"(at));
		memcpy(to, &v, sizeof(v));
	}
}

/* ---- what a block knows -------------------------------------------------------------------- */

template <typename T> struct table {
	const T *from; /* the box's first cell, x = 0 */
	struct gpube__box_table t;
};

template <typename T> struct block {
	const struct gpube__box *b;
	const uint32_t *words;
	const struct table<T> *tables;
	T *cells;          /* shared: the buffers */
	uint32_t *extra;   /* shared: places of operands past those in registers, by thread */
	uint32_t cells_at; /* address of the buffers in shared memory */
};

enum { REG_A = GPUBE_BOX_REG_A, REG_B = GPUBE_BOX_REG_B };

template <typename T>
__device__ static inline void block_init(const struct block<T> *s, struct table<T> *tables,
	const struct gpube__box_io *io, uint32_t box)
{
	for (int k = (int)threadIdx.x; k < s->b->n_in; k += (int)blockDim.x) {
		tables[k].t = s->b->table[k];
		tables[k].from = (const T *)io->in[k] + gpube__box_start(s->b, k, box);
	}
}

/* ---- copies --------------------------------------------------------------------------------- */

/* Copies BYTES from memory to shared memory, at its address 'to' there; does not wait. */
template <int BYTES> __device__ static inline void copy_async(uint32_t to, const void *from)
{
#if __CUDA_ARCH__ >= 800
	if constexpr (BYTES == 16) /* past the L1 cache */
		asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(to), "l"(from)
			     : "memory");
	else
		asm volatile(
			"cp.async.ca.shared.global [%0], [%1], %2;" ::"r"(to), "l"(from), "n"(BYTES)
			: "memory");
#else
#pragma unroll
	for (int i = 0; i < BYTES; i += 4)
		asm volatile("st.shared.u32 [%0], %1;" ::"r"(to + i),
			     "r"(__ldg((const uint32_t *)from + i / 4))
			     : "memory");
#endif
}

__device__ static inline void copies_commit(void)
{
#if __CUDA_ARCH__ >= 800
	asm volatile("cp.async.commit_group;" ::: "memory");
#endif
}

__device__ static inline void copies_wait(void)
{
#if __CUDA_ARCH__ >= 800
	asm volatile("cp.async.wait_all;" ::: "memory");
#endif
}

/* W cells a copy. Offsets inside a box fit 32 bits. X_OFFSETS: X has several steps. */
template <typename T, int W, bool X_IS_LO, bool X_OFFSETS>
__device__ static inline void copy_table(
	const struct block<T> *s, const struct table<T> *k, uint32_t to, uint32_t x0)
{
	constexpr int U = 4;
	const struct gpube__box_table *t = &k->t;
	const uint2 *entries = (const uint2 *)(s->words + t->entries);
	const uint32_t n = t->copies, x_to = t->x_to * (uint32_t)sizeof(T), lo = t->lo;
	const uint32_t x_from = (uint32_t)t->x_from;
	const uint32_t *x_offsets = s->words + t->x_offsets + x0;
	const struct gpube__divisor by_lo = t->by_lo;
	const T *from = k->from + (int64_t)x0 * t->x_from;

	/* U copies at a time, so that their list entries are fetched together */
#pragma unroll 1
	for (uint32_t e = threadIdx.x; e < n; e += U * blockDim.x) {
		uint32_t x[U];
		uint2 place[U];

#pragma unroll
		for (int u = 0; u < U; u++) {
			const uint32_t at = min(e + (uint32_t)u * blockDim.x, n - 1);
			const uint32_t hi = gpube__quotient(at, by_lo), rest = at - hi * lo;

			x[u] = X_IS_LO ? rest : hi;
			place[u] = __ldg(entries + (X_IS_LO ? hi : rest));
		}
#pragma unroll
		for (int u = 0; u < U; u++) {
			const uint32_t offset =
				place[u].x + (X_OFFSETS ? __ldg(x_offsets + x[u]) : x[u] * x_from);

			if (e + (uint32_t)u * blockDim.x < n)
				copy_async<sizeof(T) * W>(
					to + place[u].y * (uint32_t)sizeof(T) + x[u] * x_to,
					from + offset);
		}
	}
}

/* Squares of four rows by four x, whose rows lie along X and whose places along the rows. */
template <typename T>
__device__ static inline void copy_squares(
	const struct block<T> *s, const struct table<T> *k, T *to, uint32_t x0)
{
	const struct gpube__box_table *t = &k->t;
	const uint2 *entries = (const uint2 *)(s->words + t->entries);
	const uint32_t n = t->copies, x_to = t->x_to, row = t->row;
	const T *from = k->from + x0;

	/* not asynchronous: the cells go through registers */
#pragma unroll 1
	for (uint32_t e = threadIdx.x; e < n; e += blockDim.x) {
		uint32_t entry, x;
		uint2 place;
		int4 v[4];
		T *at;

		gpube__box_copy(t, e, &entry, &x);
		place = __ldg(entries + entry);
#pragma unroll
		for (int i = 0; i < 4; i++)
			v[i] = __ldg((const int4 *)(from + (place.x + (uint32_t)i * row + 4 * x)));
		at = to + place.y + 4 * x * x_to;
		*(int4 *)at = make_int4(v[0].x, v[1].x, v[2].x, v[3].x);
		*(int4 *)(at + x_to) = make_int4(v[0].y, v[1].y, v[2].y, v[3].y);
		*(int4 *)(at + 2 * x_to) = make_int4(v[0].z, v[1].z, v[2].z, v[3].z);
		*(int4 *)(at + 3 * x_to) = make_int4(v[0].w, v[1].w, v[2].w, v[3].w);
	}
}

template <typename T, int W>
__device__ static inline void copy_wide(
	const struct block<T> *s, const struct table<T> *t, uint32_t to, uint32_t x0)
{
	if (t->t.x_offsets)
		copy_table<T, W, false, true>(s, t, to, x0);
	else
		copy_table<T, W, false, false>(s, t, to, x0);
}

/* Starts the copies of a chunk. */
template <typename T>
__device__ static inline void copy_chunk(const struct block<T> *s, uint32_t chunk)
{
	const uint32_t x0 = gpube__box_chunk(s->b, chunk);
	T *cells = s->cells + (chunk & 1) * s->b->buffer;
	const uint32_t to = s->cells_at + (chunk & 1) * s->b->buffer * (uint32_t)sizeof(T);

#pragma unroll 1
	for (int k = 0; k < s->b->n_in; k++) {
		const struct table<T> *t = &s->tables[k];

		if (t->t.square) {
			if constexpr (sizeof(T) == 4)
				copy_squares(s, t, cells, x0);
		} else if (t->t.x_is_lo && t->t.x_offsets)
			copy_table<T, 1, true, true>(s, t, to, x0);
		else if (t->t.x_is_lo)
			copy_table<T, 1, true, false>(s, t, to, x0);
		else if (t->t.wide * sizeof(T) == 16)
			copy_wide<T, 16 / (int)sizeof(T)>(s, t, to, x0);
		else if (sizeof(T) == 4 && t->t.wide == 2)
			copy_wide<T, 8 / (int)sizeof(T)>(s, t, to, x0);
		else
			copy_wide<T, 1>(s, t, to, x0);
	}
	copies_commit();
}

#endif
