/* contract_box_impl.cuh - the kernels of contract_box.cuh for one type; included once per type. */
#ifndef GPUBE_OPS_CONTRACT_BOX_IMPL_CUH
#define GPUBE_OPS_CONTRACT_BOX_IMPL_CUH

#include "gpube/ops/contract/boxes/contract_box_copy.cuh"

/* ---- combining ------------------------------------------------------------------------------ */

/*
 * An operand's place in this thread's round, its steps along X and to the next register cells;
 * bytes.
 */
struct cursor {
	uint32_t at, step, next;
	bool vector;
};

template <typename T>
__device__ static inline struct cursor cursor_init(const struct block<T> *s, int k, uint32_t lane)
{
	const struct gpube__box_table *t = &s->tables[k].t;
	struct cursor c;

	c.at = __ldg(s->words + t->positions + lane) * (uint32_t)sizeof(T);
	c.step = t->x_to * (uint32_t)sizeof(T);
	c.next = t->reg_to * (uint32_t)sizeof(T);
	c.vector = t->vector;
	return c;
}

/*
 * The N register cells of an operand of kind A or B. vector: four lie together.
 * There is room for N of them, except where there is no Q: then n exist.
 */
template <typename T, int N>
__device__ static inline void load_regs(
	T *to, uint32_t from, uint32_t next, bool vector, uint32_t n = N)
{
	if (N > 1 && vector) {
#pragma unroll
		for (int i = 0; i + 4 <= N; i += 4)
			load_together<T, 4>(to + i, from + (uint32_t)(i / 4) * next);
		if constexpr (N % 4 == 2)
			load_together<T, 2>(to + N - 2, from + (uint32_t)(N / 4) * next);
	} else {
#pragma unroll
		for (int i = 0; i < N; i++)
			load_shared(&to[i], from + min((uint32_t)i, n - 1) * next);
	}
}

template <typename T, int N>
__device__ static inline void add_regs(
	T *sum, uint32_t from, uint32_t next, bool vector, int one, uint32_t n = N)
{
	T v[N];

	load_regs<T, N>(v, from, next, vector, n);
#pragma unroll
	for (int i = 0; i < N; i++)
		sum[i] = add_one(v[i], one, sum[i]);
}

/* The sum of the first operands of kind A or B, which have their places in registers. */
template <typename T, int N, bool FROM_0, int MOST>
__device__ static inline void sum_regs(T *sum, struct cursor *at, int n, int one)
{
	if (FROM_0 || n == 0) {
#pragma unroll
		for (int i = 0; i < N; i++)
			sum[i] = 0;
	}
#pragma unroll
	for (int k = 0; k < MOST; k++)
		if (k < n) {
			const bool vector = N > 8 || at[k].vector; /* see the maker */

			if (k == 0 && !FROM_0)
				load_regs<T, N>(sum, at[0].at, at[0].next, vector);
			else
				add_regs<T, N>(sum, at[k].at, at[k].next, vector, one);
			at[k].at += at[k].step;
		}
}

/* A thread's cells: the best sum so far and, for arguments, the reduced cell that gave it. */
template <typename T, int TP, int TQ, bool ARG> struct best {
	T value[TP][TQ];
	uint32_t x[ARG ? TP : 1][ARG ? TQ : 1];
};

template <typename T, int TP, int TQ, bool ARG>
__device__ static inline void take(
	struct best<T, TP, TQ, ARG> *r, int i, int j, T a, T b, uint32_t x)
{
	if constexpr (ARG) {
		const T sum = a + b;

		if (sum < r->value[i][j]) {
			r->value[i][j] = sum;
			r->x[i][j] = x;
		}
	} else {
		r->value[i][j] = add_min(a, b, r->value[i][j]);
	}
}

template <typename T, int TP, int TQ, bool ARG>
__device__ static inline void best_clear(struct best<T, TP, TQ, ARG> *r)
{
#pragma unroll
	for (int i = 0; i < TP; i++)
#pragma unroll
		for (int j = 0; j < TQ; j++) {
			r->value[i][j] = most<T>();
			if constexpr (ARG)
				r->x[i][j] = 0;
		}
}

/* The places of a round, in registers as far as REG_A and the others say. */
template <int REG_S> struct places {
	struct cursor a[REG_A], b[REG_B], s[REG_S], c;
};

template <typename T, int REG_S>
__device__ static inline void cursors_init(
	const struct block<T> *s, struct places<REG_S> *c, uint32_t lane)
{
	const struct gpube__box *b = s->b;
	const int first_b = b->n_a, first_s = first_b + b->n_b, first_c = first_s + b->n_s;
	int extra = 0;

#pragma unroll
	for (int i = 0; i < REG_A; i++)
		if (i < b->n_a)
			c->a[i] = cursor_init(s, i, lane);
#pragma unroll
	for (int i = 0; i < REG_B; i++)
		if (i < b->n_b)
			c->b[i] = cursor_init(s, first_b + i, lane);
#pragma unroll
	for (int i = 0; i < REG_S; i++)
		if (i < b->n_s)
			c->s[i] = cursor_init(s, first_s + i, lane);
	if (first_c < b->n_in)
		c->c = cursor_init(s, first_c, lane);
#pragma unroll 1
	for (int k = 0; k < b->n_in; k++) {
		const int n = k < first_b ? REG_A : k < first_s ? REG_B : k < first_c ? REG_S : 1;
		const int of_kind = k < first_b   ? k
				    : k < first_s ? k - first_b
				    : k < first_c ? k - first_s
						  : k - first_c;

		if (of_kind >= n)
			s->extra[extra++ * (int)blockDim.x + (int)threadIdx.x] =
				__ldg(s->words + s->tables[k].t.positions + lane) *
				(uint32_t)sizeof(T);
	}
}

/* The chunk's cells of a matrix product. VECTOR: of both operands four cells lie together. */
template <typename T, int TP, int TQ, bool VECTOR>
__device__ static inline void combine_plain(uint32_t n, struct cursor a, struct cursor b,
	uint32_t cells, struct best<T, TP, TQ, false> *r)
{
	uint32_t at_a = cells + a.at, at_b = cells + b.at;

#pragma unroll(VECTOR ? 2 : 1)
	for (uint32_t x = 0; x < n; x++) {
		T va[TP], vb[TQ];

		load_regs<T, TP>(va, at_a, a.next, VECTOR || a.vector);
		load_regs<T, TQ>(vb, at_b, b.next, VECTOR || b.vector);
		at_a += a.step;
		at_b += b.step;
#pragma unroll
		for (int i = 0; i < TP; i++)
#pragma unroll
			for (int j = 0; j < TQ; j++)
				r->value[i][j] = add_min(va[i], vb[j], r->value[i][j]);
	}
}

template <typename T, int TP, int TQ>
__device__ static inline void combine_product(uint32_t n, struct cursor a, struct cursor b,
	uint32_t cells, bool vector, struct best<T, TP, TQ, false> *r)
{
	if (vector)
		combine_plain<T, TP, TQ, true>(n, a, b, cells, r);
	else
		combine_plain<T, TP, TQ, false>(n, a, b, cells, r);
}

/* The chunk's cells of any operands. FROM_0: sums begin with 0, for which fewer registers spill. */
template <typename T, int TP, int TQ, int REG_S, bool C, bool FROM_0, bool ARG>
__device__ static inline void combine(const struct block<T> *s, const struct places<REG_S> *cursors,
	uint32_t cells, uint32_t x0, struct best<T, TP, TQ, ARG> *r)
{
	constexpr bool LINEAR = TQ == 1;
	constexpr uint32_t BYTES = sizeof(T);
	const struct gpube__box *box = s->b;
	const int n_a = box->n_a, n_b = box->n_b, n_s = box->n_s, one = box->one;
	const int first_s = n_a + n_b;
	const uint32_t n = box->chunk, threads = blockDim.x, np = box->np;
	const bool extras = n_a > REG_A || n_b > REG_B || n_s > REG_S;
	struct places<REG_S> at = *cursors;
	uint32_t steps[LINEAR ? TP : 1]; /* to each register cell of the first operand */

	if constexpr (LINEAR) {
#pragma unroll
		for (int i = 0; i < TP; i++)
			steps[i] = cells + min((uint32_t)i, np - 1) * at.a[0].next;
	} else {
		at.a[0].at += cells;
	}
	at.a[1].at += cells;
#pragma unroll
	for (int k = 0; k < REG_B; k++)
		at.b[k].at += cells;
#pragma unroll
	for (int k = 0; k < REG_S; k++)
		at.s[k].at += cells;
	at.c.at += cells;

#pragma unroll 1
	for (uint32_t x = 0; x < n; x++) {
		const uint32_t *extra = s->extra + threadIdx.x;
		T a[TP], b[TQ], sum = 0;

#pragma unroll
		for (int k = 0; k < REG_S; k++)
			if (k < n_s) {
				T v;

				load_shared(&v, at.s[k].at);
				sum = add_one(v, one, sum);
				at.s[k].at += at.s[k].step;
			}
		if constexpr (LINEAR) {
#pragma unroll
			for (int i = 0; i < TP; i++)
				a[i] = 0;
			if (n_a) {
				T v[TP];

#pragma unroll
				for (int i = 0; i < TP; i++)
					load_shared(&v[i], at.a[0].at + steps[i]);
#pragma unroll
				for (int i = 0; i < TP; i++)
					a[i] = add_one(v[i], one, (T)0);
			}
			at.a[0].at += at.a[0].step;
			if (n_a > 1) {
				add_regs<T, TP>(a, at.a[1].at, at.a[1].next, false, one, np);
				at.a[1].at += at.a[1].step;
			}
		} else {
			sum_regs<T, TP, FROM_0, REG_A>(a, at.a, n_a, one);
		}
		if constexpr (LINEAR)
			b[0] = 0;
		else
			sum_regs<T, TQ, FROM_0, REG_B>(b, at.b, n_b, one);
		if (extras) {
#pragma unroll 1
			for (int k = REG_A; k < n_a; k++, extra += threads) {
				const struct gpube__box_table *t = &s->tables[k].t;

				add_regs<T, TP>(a, cells + *extra + x * BYTES * t->x_to,
					t->reg_to * BYTES, !LINEAR && (TP > 8 || t->vector), one,
					LINEAR ? np : TP);
			}
			if constexpr (!LINEAR) {
#pragma unroll 1
				for (int k = REG_B; k < n_b; k++, extra += threads) {
					const struct gpube__box_table *t = &s->tables[n_a + k].t;

					add_regs<T, TQ>(b, cells + *extra + x * BYTES * t->x_to,
						t->reg_to * BYTES, TQ > 8 || t->vector, one);
				}
			}
#pragma unroll 1
			for (int k = REG_S; k < n_s; k++, extra += threads) {
				T v;

				load_shared(&v,
					cells + *extra + x * BYTES * s->tables[first_s + k].t.x_to);
				sum = add_one(v, one, sum);
			}
		}
#pragma unroll
		for (int j = 0; j < TQ; j++)
			b[j] += sum;
		if constexpr (C) {
			const uint32_t row = at.c.at;

			at.c.at += at.c.step;
#pragma unroll
			for (int i = 0; i < TP; i++) {
				T v[TQ];

#pragma unroll
				for (int j = 0; j < TQ; j++)
					v[j] = a[i];
#pragma unroll
				for (int j = 0; j < TQ; j += 4)
					add_regs<T, 4>(
						v + j, row + (i * TQ + j) * BYTES, 0, true, one);
#pragma unroll
				for (int j = 0; j < TQ; j++)
					take<T, TP, TQ, ARG>(r, i, j, v[j], b[j], x0 + x);
			}
		} else {
#pragma unroll
			for (int i = 0; i < TP; i++)
#pragma unroll
				for (int j = 0; j < TQ; j++)
					take<T, TP, TQ, ARG>(r, i, j, a[i], b[j], x0 + x);
		}
	}
}

/* ---- results -------------------------------------------------------------------------------- */

/* W neighbouring cells. */
template <typename T, int W> struct alignas(sizeof(T) * W) wide {
	T v[W];
};

/* What is needed to store a round, in shared memory. */
template <typename T> struct target {
	T *out;
	void *args;
	int64_t start;
	struct top_rule<T> top;
	uint32_t at[2][GPUBE_BOX_REGS]; /* offsets along P and Q */
	int np, nq, wide;
};

template <typename T>
__device__ static inline void target_init(struct target<T> *t, const struct gpube__box *b,
	const struct gpube__box_io *io, uint32_t box)
{
	if (threadIdx.x == blockDim.x - 1)
		t->start = gpube__box_start(b, -1, box);
	if (threadIdx.x < GPUBE_BOX_REGS) {
		t->at[0][threadIdx.x] = b->out_p[threadIdx.x];
		t->at[1][threadIdx.x] = b->out_q[threadIdx.x];
	}
	if (threadIdx.x == GPUBE_BOX_REGS) {
		t->out = (T *)io->out;
		t->args = io->out_arg;
		t->top = top_init<T>(b);
		t->np = (int)b->np;
		t->nq = (int)b->nq;
		t->wide = (int)b->out_wide;
	}
}

/* The cells of one p; SOME: only the first nq. */
template <typename T, int TP, int TQ, int W, bool SOME>
__device__ static inline void store_row(
	const T *best, T *row, const uint32_t *at_q, struct top_rule<T> top, bool together, int nq)
{
	T v[TQ];

#pragma unroll
	for (int j = 0; j < TQ; j++)
		v[j] = topped(best[j], top);
	if (W > 1 && together) {
#pragma unroll
		for (int j = 0; j < TQ; j += W)
			if (!SOME || j < nq)
				*(struct wide<T, W> *)(row + j) = *(struct wide<T, W> *)(v + j);
	} else {
#pragma unroll
		for (int j = 0; j < TQ; j++)
			if (!SOME || j < nq)
				row[at_q[j]] = v[j];
	}
}

template <typename T, int TP, int TQ, bool ARG>
__device__ static inline void store(const struct gpube__box *b, const struct target<T> *t,
	uint32_t offset, const struct best<T, TP, TQ, ARG> *r)
{
	constexpr int W = TQ % (16 / (int)sizeof(T)) == 0 ? 16 / (int)sizeof(T)
			  : TQ % 2 == 0                   ? 2
							  : 1;
	const bool together = W > 1 && t->wide >= W;
	const int np = t->np, nq = t->nq;
	const struct top_rule<T> top = t->top;
	const int64_t base = t->start + offset;
	T *out = t->out + base;
	uint32_t at_q[TQ];

	__builtin_assume(__isGlobal(out)); /* a pointer from memory is not known to be */

#pragma unroll
	for (int j = 0; j < TQ; j++)
		at_q[j] = t->at[1][j];
	/* apart: without conditions the stores wait for nothing */
	if (np == TP && nq == TQ) {
#pragma unroll
		for (int i = 0; i < TP; i++)
			store_row<T, TP, TQ, W, false>(
				r->value[i], out + t->at[0][i], at_q, top, together, TQ);
	} else {
#pragma unroll
		for (int i = 0; i < TP; i++)
			if (i < np)
				store_row<T, TP, TQ, W, true>(
					r->value[i], out + t->at[0][i], at_q, top, together, nq);
	}
	if constexpr (ARG) {
		void *args = t->args;

#pragma unroll
		for (int i = 0; i < TP; i++)
#pragma unroll
			for (int j = 0; j < TQ; j++)
				if (i < np && j < nq)
					gpube__store_arg(args, b->arg_bytes,
						base + t->at[0][i] + at_q[j],
						gpube__box_arg(b, r->x[i][j]));
	}
}

/* ---- the kernel ------------------------------------------------------------------------------ */

enum { MODE_PLAIN, MODE_ANY, MODE_C };

/* Blocks of 'threads' that a multiprocessor is to hold: what the registers allow. */
template <typename T, int TP, int TQ, bool ARG> constexpr int blocks_of()
{
	if (TP * TQ > 64)
		return 3; /* of 128 threads */
	if (TP * TQ * sizeof(T) * (ARG ? 2 : 1) > 128)
		return 2;
	return TQ > 1 ? 3 : 4;
}

/*
 * out[s] = min over x of sum_k in_k[s, x]; same bits as contract_ref.c
 * Shape: see the head of contract_box.h
 * Map:   block per box; a thread owns TP x TQ output cells a round; x serial, in chunks that
 *        are copied to shared memory while the one before is worked on
 * Moves: of each operand what a box needs, once a box; the output once
 * Ops:   an add-min per joined cell, and an addition where an operand is of kind C
 * Bound: add-min issue, shared memory or DRAM, by shape. H200: 73 to 80 % on a 4096^3 product
 *        (benchmarks/runs/contract-h200), 8 to 64 % elsewhere, where instructions around the
 *        add-mins and too few warps take the rest
 */
template <typename T, int TP, int TQ, int MODE, bool ARG>
__global__ void __launch_bounds__(TP *TQ > 64 ? 128 : 256, (blocks_of<T, TP, TQ, ARG>()))
	box_kernel(const unsigned char *__restrict__ plans, const uint32_t *__restrict__ words,
		const unsigned char *__restrict__ ios, uint32_t io_bytes,
		const struct gpube__box_work *__restrict__ work)
{
	constexpr int REG_S = TQ == 1 ? GPUBE_BOX_REG_S1 : GPUBE_BOX_REG_S;
	extern __shared__ __align__(16) unsigned char shared[];
	__shared__ struct table<T> tables[GPUBE_BOX_IN];
	__shared__ struct target<T> target;
	struct gpube__box_work w = {0, 0, blockIdx.x};
	const struct gpube__box_io *io;
	struct best<T, TP, TQ, ARG> r;
	struct block<T> s;

	if (work)
		w = work[blockIdx.x];
	s.b = (const struct gpube__box *)(plans + w.box);
	s.words = words + s.b->first_word;
	s.tables = tables;
	s.cells = (T *)shared;
	s.cells_at = (uint32_t)__cvta_generic_to_shared(shared);
	s.extra = (uint32_t *)(s.cells + s.b->buffer * (s.b->n_chunks > 1 ? 2 : 1));
	io = (const struct gpube__box_io *)(ios + (uint64_t)w.io * io_bytes);
	block_init(&s, tables, io, w.block);
	target_init(&target, s.b, io, w.block);
	__syncthreads();
	copy_chunk(&s, 0);

	const uint32_t lanes = s.b->lanes, n_chunks = s.b->n_chunks;

	/* several rounds only where there is one chunk, which stays */
#pragma unroll 1
	for (uint32_t first = 0; first < lanes; first += blockDim.x) {
		const uint32_t lane = first + threadIdx.x;
		const bool works = lane < lanes;
		struct places<REG_S> cursors;
		uint32_t out = 0;

		if (works) {
			cursors_init(&s, &cursors, lane);
			out = __ldg(s.words + s.b->out_positions + lane);
		}
		best_clear(&r);
#pragma unroll 1
		for (uint32_t chunk = 0; chunk < n_chunks; chunk++) {
			const uint32_t cells =
				s.cells_at + (chunk & 1) * s.b->buffer * (uint32_t)sizeof(T);

			if (first == 0) {
				copies_wait();
				__syncthreads();
				if (chunk + 1 < n_chunks)
					copy_chunk(&s, chunk + 1);
			}
			if (!works)
				continue;

			if constexpr (MODE == MODE_PLAIN) {
				const bool vector = cursors.a[0].vector && cursors.b[0].vector;

				combine_product(
					s.b->chunk, cursors.a[0], cursors.b[0], cells, vector, &r);
			} else
				combine<T, TP, TQ, REG_S, MODE == MODE_C, (TP * TQ <= 32), ARG>(
					&s, &cursors, cells, gpube__box_chunk(s.b, chunk), &r);
		}
		if (works)
			store<T, TP, TQ, ARG>(s.b, &target, out, &r);
	}
}

/* Kernel 'kernel' of type T, or NULL. */
template <typename T, bool ARG> static gpube__box_function function_of(uint32_t kernel)
{
	if constexpr (sizeof(T) == 4 && !ARG) {
		switch (kernel) {
		case BOX_8X8_PLAIN:
			return box_kernel<T, 8, 8, MODE_PLAIN, false>;
		case BOX_8X8:
			return box_kernel<T, 8, 8, MODE_ANY, false>;
		case BOX_8X8_C:
			return box_kernel<T, 8, 8, MODE_C, false>;
		case BOX_10X10:
			return box_kernel<T, 10, 10, MODE_ANY, false>;
		case BOX_10X1:
			return box_kernel<T, 10, 1, MODE_ANY, false>;
		default:
			break;
		}
	}
	if (kernel == BOX_8X4)
		return box_kernel<T, 8, 4, MODE_ANY, ARG>;
	return kernel == BOX_8X1 ? box_kernel<T, 8, 1, MODE_ANY, ARG> : NULL;
}

#define GPUBE_BOX_FUNCTIONS(suffix, T)                                                             \
	gpube__box_function gpube__box_function_##suffix(uint32_t kernel, bool arg)                \
	{                                                                                          \
		return arg ? function_of<T, true>(kernel) : function_of<T, false>(kernel);         \
	}

#endif
