/* regions_cuda.cu - regions.h on a device: a launch a group of regions, all on one stream. */
#include "gpube/ops/device/device.cuh"
#include "gpube/options/options.h"

extern "C" {
#include "gpube/ops/regions/regions.h"
}
#include "gpube/ops/regions/regions_cell.h"
#include "gpube/ops/regions/regions_join.cuh"

#define TRIPLE_THREADS 1024
#define VALUE_THREADS  512
#define MOST_VALUES    128 /* three pair tables of so many are in shared memory */

__global__ void begin_kernel(struct gpube_regions_head *head)
{
	const int64_t left = head->target - head->constant;

	head->slack = left > GPUBE__SLACK_MAX ? GPUBE__SLACK_MAX : left < 0 ? 0 : (int32_t)left;
}

/* ---- triples ----------------------------------------------------------------------------- */

/* Lanes of a warp that do a row together; each takes a vector of four cells at a time. */
#define ROW_LANES 8

/* The least over such lanes. */
__device__ static inline int32_t row_least(int32_t x)
{
	for (int step = ROW_LANES / 2; step; step /= 2)
		x = regions_least(x, __shfl_xor_sync(0xffffffffu, x, step));
	return x;
}

/* The least of four cells of a row of d, from cell z on. */
__device__ static inline int32_t vector_least(int4 t, int z, int d)
{
	int32_t m = GPUBE__DEAD;

	m = z < d ? regions_least(m, t.x) : m;
	m = z + 1 < d ? regions_least(m, t.y) : m;
	m = z + 2 < d ? regions_least(m, t.z) : m;
	m = z + 3 < d ? regions_least(m, t.w) : m;
	return m;
}

__device__ static inline int4 vectors_least(int4 a, int4 b)
{
	return make_int4(regions_least(a.x, b.x), regions_least(a.y, b.y), regions_least(a.z, b.z),
		regions_least(a.w, b.w));
}

__device__ static inline int4 vector_left(int4 t, int4 g0, int4 g1, int32_t g2)
{
	return make_int4(regions_left(t.x, g0.x, g1.x, g2), regions_left(t.y, g0.y, g1.y, g2),
		regions_left(t.z, g0.z, g1.z, g2), regions_left(t.w, g0.w, g1.w, g2));
}

__device__ static inline int4 vector_sum(int4 t, int4 p0, int4 p1, int32_t p2, int32_t slack)
{
	t.x = regions_sum(regions_sum(regions_sum(t.x, p0.x, slack), p1.x, slack), p2, slack);
	t.y = regions_sum(regions_sum(regions_sum(t.y, p0.y, slack), p1.y, slack), p2, slack);
	t.z = regions_sum(regions_sum(regions_sum(t.z, p0.z, slack), p1.z, slack), p2, slack);
	t.w = regions_sum(regions_sum(regions_sum(t.w, p0.w, slack), p1.w, slack), p2, slack);
	return t;
}

__device__ static inline int32_t gift_after(int32_t gift, int32_t m, int parts)
{
	return m == GPUBE__DEAD ? GPUBE__DEAD : gift + regions_part(m, parts);
}

/* A triple in a block; rows are along v2, in vectors. */
struct triple {
	int d0, d1, d2, row1, vectors;
	int4 *table;
	int4 *g0, *g1; /* what (v1, v2) and (v0, v2) are given */
	int32_t *g2;   /* (v0, v1) */
};

__device__ static inline int4 triple_left(const struct triple *a, int x, int y, int k)
{
	return vector_left(a->table[(x * a->d1 + y) * a->vectors + k], a->g0[y * a->vectors + k],
		a->g1[x * a->vectors + k], a->g2[x * a->row1 + y]);
}

/* Side (v0, v1): ROW_LANES lanes a row. */
__device__ static void side_across(const struct triple *a, int parts)
{
	const int rows = a->d0 * a->d1, lane = threadIdx.x % ROW_LANES;

	for (int first = 0; first < rows; first += TRIPLE_THREADS / ROW_LANES) {
		const int r = first + threadIdx.x / ROW_LANES, x = r / a->d1, y = r - x * a->d1;
		int32_t m = GPUBE__DEAD;

		for (int k = lane; k < a->vectors && r < rows; k += ROW_LANES)
			m = regions_least(m, vector_least(triple_left(a, x, y, k), 4 * k, a->d2));
		m = row_least(m);
		if (lane == 0 && r < rows)
			a->g2[x * a->row1 + y] = gift_after(a->g2[x * a->row1 + y], m, parts);
	}
}

/* Sides (v1, v2), over v0, and (v0, v2), over v1: a thread four cells. */
__device__ static void side_along(const struct triple *a, bool first, int parts)
{
	const int n = first ? a->d1 : a->d0, over = first ? a->d0 : a->d1;

	for (int i = threadIdx.x; i < n * a->vectors; i += TRIPLE_THREADS) {
		const int r = i / a->vectors, k = i - r * a->vectors;
		int4 m = make_int4(GPUBE__DEAD, GPUBE__DEAD, GPUBE__DEAD, GPUBE__DEAD);
		int4 *gift = (first ? a->g0 : a->g1) + i, g = *gift;

#pragma unroll 4
		for (int o = 0; o < over; o++)
			m = vectors_least(
				m, first ? triple_left(a, o, r, k) : triple_left(a, r, o, k));
		g.x = gift_after(g.x, m.x, parts);
		g.y = gift_after(g.y, m.y, parts);
		g.z = gift_after(g.z, m.z, parts);
		g.w = gift_after(g.w, m.w, parts);
		*gift = g;
	}
}

/*
 * A triple a block: its pairs' costs into its table, then min-marginals on its sides in turn.
 * What it hands out is in shared memory until the end, so that the table is written twice alone.
 * Moves: 5 reads and 2 writes of d^3 cells, mostly in L2
 * Bound: latency of L2: a block has a table to itself, and there are fewer of them than
 *        multiprocessors in a group
 */
__global__ void __launch_bounds__(TRIPLE_THREADS)
	triple_kernel(const struct regions_view v, int32_t first, bool backward)
{
	extern __shared__ int4 gifts[];
	const int32_t t = first + blockIdx.x, *vars = v.triple_vars + 3 * (int64_t)t;
	const int32_t *pairs = v.triple_pairs + 3 * (int64_t)t;
	const int32_t slack = v.head->slack;
	int4 *const p0 = (int4 *)regions_pair(&v, pairs[0]);
	int4 *const p1 = (int4 *)regions_pair(&v, pairs[1]);
	int32_t *const p2 = regions_pair(&v, pairs[2]);
	struct triple a;
	int rows, n0, n1, n2;

	a.d0 = v.domain[vars[0]];
	a.d1 = v.domain[vars[1]];
	a.d2 = v.domain[vars[2]];
	a.row1 = regions_row(a.d1);
	a.vectors = regions_row(a.d2) / 4;
	rows = a.d0 * a.d1;
	n0 = a.d1 * a.vectors;
	n1 = a.d0 * a.vectors;
	n2 = a.d0 * a.row1;
	a.table = (int4 *)regions_triple(&v, t);
	a.g0 = gifts;
	a.g1 = a.g0 + n0;
	a.g2 = (int32_t *)(a.g1 + n1);
	for (int k = threadIdx.x; k < n0 + n1 + n2 / 4; k += TRIPLE_THREADS)
		gifts[k] = make_int4(0, 0, 0, 0);
#pragma unroll 2
	for (int r = threadIdx.x / ROW_LANES; r < rows; r += TRIPLE_THREADS / ROW_LANES) {
		const int x = r / a.d1, y = r - x * a.d1;

		for (int k = threadIdx.x % ROW_LANES; k < a.vectors; k += ROW_LANES)
			a.table[r * a.vectors + k] =
				vector_sum(a.table[r * a.vectors + k], p0[y * a.vectors + k],
					p1[x * a.vectors + k], p2[x * a.row1 + y], slack);
	}
	__syncthreads();
	for (int turn = 0; turn < 5; turn++) {
		const int side = regions_side(turn, backward), parts = regions_side_parts(turn);

		if (side == 2)
			side_across(&a, parts);
		else
			side_along(&a, side == 0, parts);
		__syncthreads();
	}
	for (int r = threadIdx.x / ROW_LANES; r < rows; r += TRIPLE_THREADS / ROW_LANES) {
		const int x = r / a.d1, y = r - x * a.d1;

		for (int k = threadIdx.x % ROW_LANES; k < a.vectors; k += ROW_LANES)
			a.table[r * a.vectors + k] = triple_left(&a, x, y, k);
	}
	for (int k = threadIdx.x; k < n0; k += TRIPLE_THREADS)
		p0[k] = a.g0[k];
	for (int k = threadIdx.x; k < n1; k += TRIPLE_THREADS)
		p1[k] = a.g1[k];
	for (int k = threadIdx.x; k < n2; k += TRIPLE_THREADS)
		p2[k] = a.g2[k];
}

/* ---- variables --------------------------------------------------------------------------- */

/* A pair in vectors along its second variable. */
struct pair {
	int da, db, vectors;
	bool rows; /* the variable at work is the first */
	int4 *t;
};

__device__ static inline struct pair pair_of(const struct regions_view *v, int32_t p, int32_t i)
{
	struct pair e;

	e.da = v->domain[v->pair_vars[2 * (int64_t)p]];
	e.db = v->domain[v->pair_vars[2 * (int64_t)p + 1]];
	e.vectors = regions_row(e.db) / 4;
	e.rows = v->pair_vars[2 * (int64_t)p] == i;
	e.t = (int4 *)regions_pair(v, p);
	return e;
}

/* The min-marginal of a pair on the variable, by one warp. */
__device__ static void pair_least(const struct pair *e, int32_t *m)
{
	const int lane = threadIdx.x % 32;

	if (e->rows) {
#pragma unroll 4
		for (int first = 0; first < e->da; first += 32 / ROW_LANES) {
			const int x = first + lane / ROW_LANES;
			int32_t best = GPUBE__DEAD;

			for (int k = lane % ROW_LANES; k < e->vectors && x < e->da; k += ROW_LANES)
				best = regions_least(
					best, vector_least(e->t[x * e->vectors + k], 4 * k, e->db));
			best = row_least(best);
			if (lane % ROW_LANES == 0 && x < e->da)
				m[x] = best;
		}
	} else {
		for (int k = lane; k < e->vectors; k += 32) {
			int4 best = make_int4(GPUBE__DEAD, GPUBE__DEAD, GPUBE__DEAD, GPUBE__DEAD);

#pragma unroll 8
			for (int x = 0; x < e->da; x++)
				best = vectors_least(best, e->t[x * e->vectors + k]);
			*(int4 *)(m + 4 * k) = best;
		}
	}
	__syncwarp();
}

__device__ static void pair_settle(
	const struct pair *e, const int32_t *m, const int32_t *gift, int32_t slack, int32_t best)
{
#pragma unroll 4
	for (int i = threadIdx.x % 32; i < e->da * e->vectors; i += 32) {
		const int x = i / e->vectors, y = 4 * (i - x * e->vectors), step = e->rows ? 0 : 1;
		const int at = e->rows ? x : y;
		int4 t = e->t[i];

		t.x = regions_pair_cell(t.x, m[at], gift[at], slack, best);
		t.y = regions_pair_cell(t.y, m[at + step], gift[at + step], slack, best);
		t.z = regions_pair_cell(t.z, m[at + 2 * step], gift[at + 2 * step], slack, best);
		t.w = regions_pair_cell(t.w, m[at + 3 * step], gift[at + 3 * step], slack, best);
		e->t[i] = t;
	}
	__syncwarp();
}

/* A variable a block, a pair a warp; min-marginals are computed twice rather than kept. */
__global__ void __launch_bounds__(VALUE_THREADS)
	variable_kernel(const struct regions_view v, int32_t first)
{
	__shared__ unsigned long long taken[MOST_VALUES];
	__shared__ int32_t gift[MOST_VALUES];
	__shared__ int4 margins[VALUE_THREADS / 32][MOST_VALUES / 4];
	__shared__ int32_t best;
	const int32_t i = v.variables[first + blockIdx.x];
	const int32_t near = v.near_at[i], n = v.near_at[i + 1] - near, d = v.domain[i];
	const int32_t slack = v.head->slack;
	const int lane = threadIdx.x % 32, warp = threadIdx.x / 32, warps = VALUE_THREADS / 32;
	int32_t *u = regions_unary(&v, i), *m = (int32_t *)margins[warp];

	if (threadIdx.x == 0)
		best = GPUBE__DEAD;
	for (int x = threadIdx.x; x < d; x += VALUE_THREADS)
		taken[x] = (unsigned long long)u[x];
	__syncthreads();
	for (int k = warp; k < n; k += warps) {
		const struct pair e = pair_of(&v, v.near[near + k], i);

		pair_least(&e, m);
		for (int x = lane; x < d; x += 32) /* a dead one makes the sum dead */
			atomicAdd(&taken[x], (unsigned long long)m[x]);
		__syncwarp();
	}
	__syncthreads();
	for (int x = threadIdx.x; x < d; x += VALUE_THREADS)
		if (taken[x] < (unsigned long long)slack)
			atomicMin(&best, (int32_t)taken[x]);
	__syncthreads();
	if (threadIdx.x == 0) {
		if (best >= slack) {
			v.head->closed = 1;
			best = 0;
		}
		atomicAdd((unsigned long long *)&v.head->constant, (unsigned long long)best);
	}
	__syncthreads();
	for (int x = threadIdx.x; x < d; x += VALUE_THREADS) {
		const struct regions_value value = regions_value(
			taken[x] < (unsigned long long)slack ? (int32_t)taken[x] : GPUBE__DEAD,
			best, slack, n);

		u[x] = value.unary;
		gift[x] = value.gift;
	}
	__syncthreads();
	for (int k = warp; k < n; k += warps) {
		const struct pair e = pair_of(&v, v.near[near + k], i);

		pair_least(&e, m);
		pair_settle(&e, m, gift, slack, best);
	}
}

/* ---- fewer values ------------------------------------------------------------------------ */

/* A table a block row; a warp a row of it. */
__global__ void gather_kernel(const struct regions_view to, const struct regions_view from,
	const int32_t *kept_at, const int32_t *kept)
{
	const int64_t t = blockIdx.x;
	const int lane = threadIdx.x % 32, warps = blockDim.x / 32 * gridDim.y;
	int32_t vars[3];
	const int n = regions_scope(&to, t, vars);
	const int d = to.domain[vars[n - 1]], row = regions_row(d);
	const int32_t *columns = kept + kept_at[vars[n - 1]];
	int rows = 1;

	for (int k = 0; k + 1 < n; k++)
		rows *= to.domain[vars[k]];
	for (int x = blockIdx.y * (blockDim.x / 32) + threadIdx.x / 32; x < rows; x += warps) {
		const int32_t *in = from.cells + from.at[t] +
				    regions_old_row(&to, &from, vars, n, x, kept_at, kept);
		int32_t *out = to.cells + to.at[t] + (int64_t)x * row;

		for (int y = lane; y < d; y += 32)
			out[y] = in[columns[y]];
	}
}

/* ---- the operator ------------------------------------------------------------------------ */

/* What the launches of a group need, from the domains on the host. */
struct extent {
	int boxes, shared, pull_blocks;
};

static struct extent quads_extent(const struct gpube_regions *r, int32_t first, int32_t n, int z)
{
	struct extent e = {0, 0, 1};

	for (int32_t q = first; q < first + n; q++) {
		const int32_t *vars = r->plan->words + 4 * (int64_t)q;
		struct cover c;
		int d[3], k = 0, shared, cells;

		for (int i = 0; i < 4; i++)
			if (i != z)
				d[k++] = r->domain[vars[i]];
		c = cover_of(d[0], d[1], d[2]);
		shared = 2 * PLANES * cover_plane(&c) * (int)sizeof(int32_t);
		cells = d[0] * d[1] * regions_row(d[2]) / 4;
		e.boxes = c.n_u * c.n_v * c.n_w > e.boxes ? c.n_u * c.n_v * c.n_w : e.boxes;
		e.shared = shared > e.shared ? shared : e.shared;
		e.pull_blocks = ceil_div(cells, 1024) > e.pull_blocks ? ceil_div(cells, 1024)
								      : e.pull_blocks;
	}
	return e;
}

static int quad_groups(
	struct gpube_ctx *ctx, struct gpube_regions *r, const struct regions_view *v, bool backward)
{
	const struct gpube_regions_plan *p = r->plan;
	cudaStream_t stream = gpube__device_of(ctx)->stream;

	for (int32_t k = 0; k < p->n_quad_groups; k++) {
		const int32_t g = backward ? p->n_quad_groups - 1 - k : k;
		const int32_t first = p->quad_group[g], n = p->quad_group[g + 1] - first;

		for (int step = 0; step < 4; step++) {
			const int z = backward ? 3 - step : step;
			const struct extent e = quads_extent(r, first, n, z);

			if (step == 0)
				pull_kernel<<<dim3(e.pull_blocks, 4 * n), 256, 0, stream>>>(
					*v, first);
			join_kernel<<<dim3(e.boxes, n), JOIN_THREADS, e.shared, stream>>>(
				*v, first, z, 4 - step);
		}
	}
	GPUBE_ECUDA(ctx, cudaGetLastError());
	return GPUBE_OK;
}

static int triple_groups(
	struct gpube_ctx *ctx, struct gpube_regions *r, const struct regions_view *v, bool backward)
{
	const struct gpube_regions_plan *p = r->plan;
	const int32_t *vars = p->words + 8 * (int64_t)p->n_quads;

	for (int32_t k = 0; k < p->n_triple_groups; k++) {
		const int32_t g = backward ? p->n_triple_groups - 1 - k : k;
		const int32_t first = p->triple_group[g], n = p->triple_group[g + 1] - first;
		int cells = 0;

		for (int32_t t = first; t < first + n; t++) {
			const int d0 = r->domain[vars[3 * t]], d1 = r->domain[vars[3 * t + 1]],
				  d2 = r->domain[vars[3 * t + 2]];
			const int need = (d0 + d1) * regions_row(d2) + d0 * regions_row(d1);

			cells = need > cells ? need : cells;
		}
		triple_kernel<<<n, TRIPLE_THREADS, cells * sizeof(int32_t),
			gpube__device_of(ctx)->stream>>>(*v, first, backward);
	}
	GPUBE_ECUDA(ctx, cudaGetLastError());
	return GPUBE_OK;
}

static int pass(struct gpube_ctx *ctx, struct gpube_regions *r, int what)
{
	const struct gpube_regions_plan *p = r->plan;
	const struct regions_view v = regions_view(r, p->on_device);
	const bool backward = what & GPUBE_REGIONS_BACKWARD;
	cudaStream_t stream = gpube__device_of(ctx)->stream;
	int status = GPUBE_OK;

	begin_kernel<<<1, 1, 0, stream>>>(v.head);
	if (what & GPUBE_REGIONS_QUADS)
		status = quad_groups(ctx, r, &v, backward);
	if (!status)
		status = triple_groups(ctx, r, &v, backward);
	for (int32_t k = 0; k < p->n_variable_groups && !status; k++) {
		const int32_t g = backward ? p->n_variable_groups - 1 - k : k;

		variable_kernel<<<p->variable_group[g + 1] - p->variable_group[g], VALUE_THREADS, 0,
			stream>>>(v, p->variable_group[g]);
	}
	if (!status)
		GPUBE_ECUDA(ctx, cudaGetLastError());
	return status;
}

static int gather(struct gpube_ctx *ctx, struct gpube_regions *to, const struct gpube_regions *from,
	const int32_t *kept_at, const int32_t *kept)
{
	const struct regions_view a = regions_view(to, to->plan->on_device);
	const struct regions_view b = regions_view(from, from->plan->on_device);

	gather_kernel<<<dim3((unsigned)gpube__regions_tables(to->plan), 4), 256, 0,
		gpube__device_of(ctx)->stream>>>(a, b, kept_at, kept);
	GPUBE_ECUDA(ctx, cudaGetLastError());
	return GPUBE_OK;
}

static int zero(struct gpube_ctx *ctx, void *p, uint64_t bytes)
{
	GPUBE_ECUDA(ctx, cudaMemsetAsync(p, 0, bytes, gpube__device_of(ctx)->stream));
	return GPUBE_OK;
}

/* Bytes of what triples of such domains hand out. */
static int gifts_bytes(int32_t values)
{
	return 3 * values * regions_row(values) * (int)sizeof(int32_t);
}

static int32_t most_values(struct gpube_ctx *ctx)
{
	int32_t values = MOST_VALUES;

	while ((size_t)gifts_bytes(values) > gpube__device_of(ctx)->shared_bytes)
		values--;
	return values;
}

static int allow_shared(struct gpube_ctx *ctx)
{
	const int joins = 2 * PLANES * SIDE * SIDE * MOST_FACES * (int)sizeof(int32_t);

	if ((size_t)joins > gpube__device_of(ctx)->shared_bytes)
		return gpube__fail(ctx, GPUBE_ENODEV,
			"the ascent needs a device with %d bytes of shared memory a block", joins);
	GPUBE_ECUDA(ctx, cudaFuncSetAttribute(
				 join_kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, joins));
	GPUBE_ECUDA(ctx,
		cudaFuncSetAttribute(triple_kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
			gifts_bytes(most_values(ctx))));
	return GPUBE_OK;
}

static const struct gpube_regions_ops cuda_regions = {most_values, zero, pass, gather};

extern "C" const struct gpube_regions_ops *gpube__regions_cuda(struct gpube_ctx *ctx, int *status)
{
	if (!gpube__ops_cuda(ctx, status))
		return NULL;
	*status = allow_shared(ctx);
	return *status == GPUBE_OK ? &cuda_regions : NULL;
}
