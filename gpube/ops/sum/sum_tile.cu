/*
 * sum_tile.cu - products of matrices on a CUDA device: see sum_tile.h.
 *
 * Bound: the rate of multiplications, which tensor cores do: a warp has 64 rows by 32 columns, in
 *        pieces of 16 by 8, and multiplies four terms at a time. The next terms are on their way to
 *        registers meanwhile. A matrix product's fragments: lane l has row l / 4 (and 8 more) of a
 *        term l % 4 of the first, column l / 4 of that term of the second, and columns 2 (l % 4)
 *        and one more of the sums' rows.
 */
#include "gpube/ops/sum/sum_cuda.cuh"

enum {
	SIDE = GPUBE_TILE_SIDE,
	DEPTH = GPUBE_TILE_DEPTH,
	THREADS = GPUBE_TILE_THREADS,
	LOADS = SIDE * DEPTH / THREADS, /* cells of a slab that a thread fetches */
	TERMS = 256,                    /* whose places are known */
	PITCH = SIDE + 4,               /* lanes' reads go to different banks */
	DOWN = 4,
	ACROSS = 4, /* pieces of a warp */
	ROWS = 16 * DOWN,
	COLUMNS = 8 * ACROSS,
	WARPS_ACROSS = SIDE / COLUMNS,
};

/* Offsets of a block's lines and of the terms at hand. */
struct tables {
	int64_t line[2][SIDE], out[2][SIDE]; /* rows, columns */
	int64_t term[2][TERMS];
	double slab[2][2][DEPTH][PITCH]; /* by turns, of each operand */
};

/* The cell of a slab that a thread fetches l-th. */
__device__ static void cell_of(int *line, int *depth, bool terms_first, int l)
{
	const int i = threadIdx.x + l * THREADS;

	*depth = terms_first ? i % DEPTH : i / SIDE;
	*line = terms_first ? i / DEPTH : i % SIDE;
}

__device__ static void fetch(double *to, const struct gpube__product &t, const struct tables *s,
	const double *const *in, int operand, int64_t first_term, int lines)
{
	const int64_t terms = t.group[GPUBE_TILE_TERM].size;

#pragma unroll
	for (int l = 0; l < LOADS; l++) {
		int line, depth;

		cell_of(&line, &depth, t.terms_first[operand], l);
		to[l] = line < lines && first_term + depth < terms
				? in[operand][s->line[operand][line] +
					      s->term[operand][(first_term + depth) % TERMS]]
				: 0;
	}
}

__device__ static void put(double (*slab)[PITCH], const double *from, bool terms_first)
{
#pragma unroll
	for (int l = 0; l < LOADS; l++) {
		int line, depth;

		cell_of(&line, &depth, terms_first, l);
		slab[depth][line] = from[l];
	}
}

/* sum += a * b for 16 rows, 8 columns and 4 terms. */
__device__ static void multiply_piece(double *sum, const double *a, double b)
{
#if __CUDA_ARCH__ >= 900
	asm("mma.sync.aligned.m16n8k4.row.col.f64.f64.f64.f64 {%0, %1, %2, %3}, {%4, %5}, {%6}, "
	    "{%0, %1, %2, %3};"
		: "+d"(sum[0]), "+d"(sum[1]), "+d"(sum[2]), "+d"(sum[3])
		: "d"(a[0]), "d"(a[1]), "d"(b));
#elif __CUDA_ARCH__ >= 800
	for (int i = 0; i < 2; i++)
		asm("mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%0, %1}, {%2}, {%3}, {%0, "
		    "%1};"
			: "+d"(sum[2 * i]), "+d"(sum[2 * i + 1])
			: "d"(a[i]), "d"(b));
#endif
}

__device__ static void multiply(
	double (*sum)[ACROSS][4], const double (*a)[PITCH], const double (*b)[PITCH])
{
	const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
	const int row = warp / WARPS_ACROSS * ROWS + lane / 4,
		  column = warp % WARPS_ACROSS * COLUMNS + lane / 4;

#pragma unroll
	for (int d = 0; d < DEPTH; d += 4) {
		double x[DOWN][2], y[ACROSS];

#pragma unroll
		for (int i = 0; i < DOWN; i++) {
			x[i][0] = a[d + lane % 4][row + 16 * i];
			x[i][1] = a[d + lane % 4][row + 16 * i + 8];
		}
#pragma unroll
		for (int k = 0; k < ACROSS; k++)
			y[k] = b[d + lane % 4][column + 8 * k];
#pragma unroll
		for (int i = 0; i < DOWN; i++)
#pragma unroll
			for (int k = 0; k < ACROSS; k++)
				multiply_piece(sum[i][k], x[i], y[k]);
	}
}

__device__ static void find_terms(struct tables *s, const struct gpube__product &t, int64_t first)
{
	const int64_t i = first + threadIdx.x;

	for (int o = 0; o < 2; o++)
		s->term[o][i % TERMS] = i < t.group[GPUBE_TILE_TERM].size
						? gpube__tile_at(&t.group[GPUBE_TILE_TERM], i, o)
						: 0;
}

__global__ static void __launch_bounds__(THREADS, 1)
	tile(const __grid_constant__ struct gpube__product t, struct gpube__found *found)
{
	extern __shared__ double shared[];
	struct tables *s = (struct tables *)shared;
	const struct gpube__tile_place p = gpube__tile_place(&t, blockIdx.x);
	const struct gpube__tile_group *pairs = &t.group[GPUBE_TILE_PAIR];
	const double *in[2];
	double *out = t.out + gpube__tile_at(pairs, p.pair, 2);
	const int64_t terms = t.group[GPUBE_TILE_TERM].size;
	int lines[2];
	double sum[DOWN][ACROSS][4] = {}, next[2][LOADS];
	struct gpube__extremes x = {0, INFINITY, false};

#pragma unroll
	for (int o = 0; o < 2; o++) {
		const struct gpube__tile_group *g = &t.group[o];
		const int64_t first = o ? p.column : p.row, left = g->size - first;

		in[o] = t.in[o] + gpube__tile_at(pairs, p.pair, o);
		lines[o] = left < SIDE ? (int)left : (int)SIDE;
		for (int i = threadIdx.x; i < lines[o]; i += THREADS) {
			s->line[o][i] = gpube__tile_at(g, first + i, o);
			s->out[o][i] = gpube__tile_at(g, first + i, 2);
		}
	}
	find_terms(s, t, 0);
	__syncthreads();
#pragma unroll
	for (int o = 0; o < 2; o++) {
		fetch(next[o], t, s, in, o, 0, lines[o]);
		put(s->slab[0][o], next[o], t.terms_first[o]);
	}
	__syncthreads();
	for (int64_t k = 0, turn = 0; k < terms; k += DEPTH, turn ^= 1) {
		const bool more = k + DEPTH < terms;

		if (more && (k + DEPTH) % TERMS == 0) { /* nobody reads the old ones any more */
			find_terms(s, t, k + DEPTH);
			__syncthreads();
		}
		if (more)
#pragma unroll
			for (int o = 0; o < 2; o++)
				fetch(next[o], t, s, in, o, k + DEPTH, lines[o]);
		multiply(sum, s->slab[turn][0], s->slab[turn][1]);
		if (more)
#pragma unroll
			for (int o = 0; o < 2; o++)
				put(s->slab[turn ^ 1][o], next[o], t.terms_first[o]);
		__syncthreads();
	}
#pragma unroll
	for (int i = 0; i < DOWN; i++)
#pragma unroll
		for (int k = 0; k < ACROSS; k++)
#pragma unroll
			for (int c = 0; c < 4; c++) {
				const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
				const int row =
					warp / WARPS_ACROSS * ROWS + 16 * i + lane / 4 + c / 2 * 8;
				const int column = warp % WARPS_ACROSS * COLUMNS + 8 * k +
						   lane % 4 * 2 + c % 2;
				const double v = sum[i][k][c] * t.by;

				if (row >= lines[0] || column >= lines[1])
					continue;
				out[s->out[0][row] + s->out[1][column]] = v;
				gpube__extremes_take(&x, v);
			}
	gpube__extremes_tell(found, &x);
}

int gpube__sum_tile(
	struct gpube_ctx *ctx, const struct gpube__product *t, struct gpube__found *found)
{
	GPUBE_ECUDA(ctx, cudaFuncSetAttribute(tile, cudaFuncAttributeMaxDynamicSharedMemorySize,
				 (int)sizeof(struct tables)));
	tile<<<(unsigned)gpube__tile_blocks(t), THREADS, sizeof(struct tables),
		gpube__device_of(ctx)->stream>>>(*t, found);
	GPUBE_ECUDA(ctx, cudaGetLastError());
	return GPUBE_OK;
}
