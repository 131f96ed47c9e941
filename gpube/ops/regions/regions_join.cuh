/* regions_join.cuh - the passes over quads on a device: pulls, and steps. See regions.h. */
#ifndef GPUBE_OPS_REGIONS_JOIN_CUH
#define GPUBE_OPS_REGIONS_JOIN_CUH

#include <cuda_pipeline.h>

#include "gpube/ops/device/device.cuh"
#include "gpube/ops/regions/regions_cell.h"

#define JOIN_THREADS 256
#define PLANES       4  /* values of z that are staged at once; divides the lanes */
#define SIDE         4  /* a thread's cube of the output */
#define MOST_CUBES   12 /* along a side of a box */
#define MOST_FACES   (MOST_CUBES * MOST_CUBES + 4 * MOST_CUBES) /* of a box, in cubes */

static_assert(GPUBE__LANES % PLANES == 0 && GPUBE__LANES % SIDE == 0, "rows are read in vectors");

/* Triples' cells into addends: block row y is addend y % 4 of quad first + y / 4. */
__global__ void pull_kernel(const struct regions_view v, int32_t first)
{
	const int32_t q = first + blockIdx.y / 4,
		      t = v.quad_triples[4 * (int64_t)q + blockIdx.y % 4];
	const int64_t n = regions_triple_cells(&v, t) / 4;
	const int32_t slack = v.head->slack;
	int4 *table = (int4 *)regions_triple(&v, t);
	int4 *addend = (int4 *)regions_addend(&v, q, blockIdx.y % 4);

	for (int64_t k = blockIdx.x * blockDim.x + threadIdx.x; k < n;
		k += gridDim.x * blockDim.x) {
		int4 a = table[k], b = addend[k];

		regions_pull(&a.x, &b.x, slack);
		regions_pull(&a.y, &b.y, slack);
		regions_pull(&a.z, &b.z, slack);
		regions_pull(&a.w, &b.w, slack);
		table[k] = a;
		addend[k] = b;
	}
}

/* How a block's threads cover the output u x v x w: cubes of SIDE^3 cells, w fastest. */
struct cover {
	int u, v, w;       /* cubes of a block */
	int n_u, n_v, n_w; /* blocks */
};

GPUBE_HD static inline int ceil_div(int a, int b)
{
	return (a + b - 1) / b;
}

GPUBE_HD static inline struct cover cover_of(int u, int v, int w)
{
	struct cover c;

	c.v = ceil_div(v, SIDE) < MOST_CUBES ? ceil_div(v, SIDE) : MOST_CUBES;
	c.w = ceil_div(w, SIDE) < MOST_CUBES ? ceil_div(w, SIDE) : MOST_CUBES;
	c.u = JOIN_THREADS / (c.v * c.w) < MOST_CUBES ? JOIN_THREADS / (c.v * c.w) : MOST_CUBES;
	if (c.u > ceil_div(u, SIDE))
		c.u = ceil_div(u, SIDE);
	c.n_u = ceil_div(u, SIDE * c.u);
	c.n_v = ceil_div(v, SIDE * c.v);
	c.n_w = ceil_div(w, SIDE * c.w);
	return c;
}

/* Cells that a block stages for one value of z. */
GPUBE_HD static inline int cover_plane(const struct cover *c)
{
	return SIDE * SIDE * (c->u * c->v + c->u * c->w + c->v * c->w);
}

/* i / d for i < 2^16, d <= 64, as a multiplication by ceil(2^32 / d). */
struct divisor {
	unsigned d, m;
};

__device__ static inline struct divisor divisor_of(unsigned d)
{
	struct divisor r = {d, (unsigned)(((1ull << 32) + d - 1) / d)};

	return r;
}

__device__ static inline unsigned divided(unsigned i, struct divisor by)
{
	return by.d == 1 ? i : __umulhi(i, by.m);
}

/* What a block stages of an addend: rows x columns cells of each of PLANES values of z. */
struct staged {
	int32_t *to; /* of the first plane */
	const int32_t *from;
	const int64_t *step;
	int rows, columns, n_rows, n_columns; /* n_: that are there; nothing comes of the others */
};

/* z is the last variable: a vector holds four planes of a cell. */
__device__ static void stage_turned(const struct staged *s, int plane, int buffer, int z0)
{
	const struct divisor by = divisor_of(s->columns);
	const int n = s->rows * s->columns;
	int32_t *to = s->to + buffer;

	for (int first = threadIdx.x; first < n; first += 4 * JOIN_THREADS) {
		int4 x[4];

#pragma unroll
		for (int k = 0; k < 4; k++) {
			const int i = first + k * JOIN_THREADS;
			const int a = divided(i, by), b = i - a * s->columns;

			if (i < n && a < s->n_rows && b < s->n_columns)
				x[k] = *(const int4 *)(s->from + a * s->step[0] + b * s->step[1] +
						       z0);
		}
#pragma unroll
		for (int k = 0; k < 4; k++) {
			const int i = first + k * JOIN_THREADS;

			if (i < n) {
				to[i] = x[k].x;
				to[plane + i] = x[k].y;
				to[2 * plane + i] = x[k].z;
				to[3 * plane + i] = x[k].w;
			}
		}
	}
}

/* The second variable is the last: rows are copied, while the block goes on. */
__device__ static void stage_rows(const struct staged *s, int plane, int buffer, int z0, int n_z)
{
	const int vectors = s->columns / 4;
	const struct divisor by = divisor_of(vectors), per = divisor_of(s->rows);

	for (int i = threadIdx.x; i < n_z * s->rows * vectors; i += JOIN_THREADS) {
		const int r = divided(i, by), b = 4 * (i - r * vectors);
		const int z = divided(r, per), a = r - z * s->rows;

		if (a < s->n_rows && b < s->n_columns)
			__pipeline_memcpy_async(s->to + buffer + z * plane + a * s->columns + b,
				s->from + a * s->step[0] + b + (z0 + z) * s->step[2], 16);
	}
}

__device__ static inline void stage(const struct staged *s, int plane, int buffer, int z0, int n_z)
{
	if (s->step[2] == 1)
		stage_turned(s, plane, buffer, z0);
	else
		stage_rows(s, plane, buffer, z0, n_z);
}

typedef int32_t cube[SIDE][SIDE][SIDE];

/* Staged planes into a thread's cube. */
__device__ static inline void join_planes(cube best, const int32_t *uv, const int32_t *uw,
	const int32_t *vw, int plane, int n_z, const struct cover *c, int tu, int tv, int tw)
{
	const int nv = SIDE * c->v, nw = SIDE * c->w;
	const int32_t *a = uv + SIDE * tu * nv + SIDE * tv;
	const int32_t *b = uw + SIDE * tu * nw + SIDE * tw;
	const int32_t *d = vw + SIDE * tv * nw + SIDE * tw;

	for (int k = 0; k < n_z; k++, a += plane, b += plane, d += plane) {
		int32_t of_vw[SIDE][SIDE];

#pragma unroll
		for (int y = 0; y < SIDE; y++)
			*(int4 *)of_vw[y] = *(const int4 *)(d + y * nw);
#pragma unroll
		for (int x = 0; x < SIDE; x++) {
			int32_t of_uv[SIDE], of_uw[SIDE];

			*(int4 *)of_uv = *(const int4 *)(a + x * nv);
			*(int4 *)of_uw = *(const int4 *)(b + x * nw);
#pragma unroll
			for (int y = 0; y < SIDE; y++)
#pragma unroll
				for (int t = 0; t < SIDE; t++)
					best[x][y][t] = __viaddmin_s32(
						of_uv[y] + of_uw[t], of_vw[y][t], best[x][y][t]);
		}
	}
}

/*
 * Step z of every quad of a group: rest(x, y, t) = min over z of three addends, then the
 * triple's cell and the addend of it are settled; the bits of regions_cpu.c.
 * Shape: per quad d^3 outputs, d values of z, three inputs of d^3 cells, int32
 * Map:   block per box of the output, thread per cube of 4 x 4 x 4 cells in registers; planes of
 *        four values of z are staged in shared memory, the next four while these are joined
 * Moves: 5 d^3 cells in, 2 d^3 out; a box of 2 x 11 x 11 cubes reads its inputs from L2
 * Ops:   2 d^4: an addition, and an addition with minimum in one (DPX)
 * Bound: integer issue, 64 a cycle and multiprocessor
 */
__global__ void __launch_bounds__(JOIN_THREADS, 2)
	join_kernel(const struct regions_view view, int32_t first, int z, int parts)
{
	extern __shared__ int4 staged[];
	const struct regions_join j = regions_join(&view, first + blockIdx.y, z);
	const struct cover c = cover_of(j.u, j.v, j.w);
	const int plane = cover_plane(&c), nu = SIDE * c.u, nv = SIDE * c.v, nw = SIDE * c.w;
	const int tw = threadIdx.x % c.w, tv = threadIdx.x / c.w % c.v,
		  tu = threadIdx.x / (c.w * c.v);
	const int32_t slack = view.head->slack;
	int32_t *const uv = (int32_t *)staged, *const uw = uv + nu * nv, *const vw = uw + nu * nw;
	cube best;
	struct staged in[3];
	int box = blockIdx.x, u0, v0, w0;

	if (box >= c.n_u * c.n_v * c.n_w)
		return;
	w0 = box % c.n_w * nw;
	box /= c.n_w;
	v0 = box % c.n_v * nv;
	u0 = box / c.n_v * nu;
#pragma unroll
	for (int k = 0; k < SIDE * SIDE * SIDE; k++)
		best[k / SIDE / SIDE][k / SIDE % SIDE][k % SIDE] = GPUBE__DEAD;
	in[0] = {uv, j.in[0] + u0 * j.step[0][0] + v0 * j.step[0][1], j.step[0], nu, nv, j.u - u0,
		j.v - v0};
	in[1] = {uw, j.in[1] + u0 * j.step[1][0] + w0 * j.step[1][1], j.step[1], nu, nw, j.u - u0,
		j.w - w0};
	in[2] = {vw, j.in[2] + v0 * j.step[2][0] + w0 * j.step[2][1], j.step[2], nv, nw, j.v - v0,
		j.w - w0};
	for (int z0 = -PLANES; z0 < j.z; z0 += PLANES) { /* the next planes are on their way */
		const int n_z = j.z - z0 < PLANES ? j.z - z0 : PLANES, next = z0 + PLANES;
		const int buffer = z0 / PLANES % 2 ? PLANES * plane : 0;

		if (next < j.z)
			for (int k = 0; k < 3; k++)
				stage(&in[k], plane, PLANES * plane - buffer, next,
					j.z - next < PLANES ? j.z - next : PLANES);
		__pipeline_commit();
		if (z0 >= 0 && tu < c.u)
			join_planes(best, uv + buffer, uw + buffer, vw + buffer, plane, n_z, &c, tu,
				tv, tw);
		__pipeline_wait_prior(0);
		__syncthreads();
	}
	if (tu >= c.u || w0 + SIDE * tw >= j.w)
		return;
#pragma unroll
	for (int x = 0; x < SIDE; x++)
#pragma unroll
		for (int y = 0; y < SIDE; y++) {
			const int at_u = u0 + SIDE * tu + x, at_v = v0 + SIDE * tv + y;
			const int64_t at = at_u * j.row_u + at_v * j.row_v + w0 + SIDE * tw;

			if (at_u < j.u && at_v < j.v) {
				int4 t = *(const int4 *)(j.table + at);
				int4 s = *(const int4 *)(j.addend + at);

				regions_give(&t.x, &s.x, best[x][y][0], slack, parts);
				regions_give(&t.y, &s.y, best[x][y][1], slack, parts);
				regions_give(&t.z, &s.z, best[x][y][2], slack, parts);
				regions_give(&t.w, &s.w, best[x][y][3], slack, parts);
				*(int4 *)(j.table + at) = t;
				*(int4 *)(j.addend + at) = s;
			}
		}
}

#endif
