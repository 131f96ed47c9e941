/* sum_cuda.cu - sums of products on a CUDA device: what sum_walk.h plans, for batches of jobs. */
#include "gpube/ops/sum/sum_cuda.cuh"

enum { OUT = GPUBE_WALK_IN, EACH = GPUBE_WALK_EACH, THREADS = GPUBE_WALK_THREADS };

/*
 * A product below the first, whose inputs are above 0, may have lost digits; nothing to a sum above
 * the second.
 */
#define SMALL_PRODUCT 0x1p-800
#define SMALL_SUM     0x1p-700

/* Jobs of one kernel: their first blocks (one more: all), walks, and places in 'found'. */
struct group {
	const uint32_t *first, *walk_at, *found_at;
	const unsigned char *walks;
	struct gpube__found *found;
	uint32_t n;
};

__device__ static uint32_t job_of(const struct group *g, uint32_t block)
{
	uint32_t lo = 0, hi = g->n;

	while (hi - lo > 1) {
		const uint32_t mid = (lo + hi) / 2;

		if (g->first[mid] <= block)
			lo = mid;
		else
			hi = mid;
	}
	return lo;
}

/* Where a block begins; each warp goes on from there by itself. */
template <int NIN> struct begin {
	int64_t base[NIN + 1], value[GPUBE_WALK_MOST_AXES];
};

template <int NIN>
__device__ static void find_begin(struct begin<NIN> *at, const struct gpube__walk *w, int64_t first)
{
	const int k = threadIdx.x;

	if (k == 32) /* another warp: divisions take their time */
		gpube__walk_values(w->axis, w->n_item, first, at->value);
	if (k <= NIN)
		at->base[k] = gpube__walk_at(w->axis, w->n_item, first, k < NIN ? k : OUT);
}

/*
 * The item that a warp has: lane a knows axis a's value, lane k where operand k is, the output
 * last. Axes are at most 32 where there is a next item: sum_walk.c.
 */
struct lane {
	int32_t value, dim;
	int64_t base;
};

template <int NIN>
__device__ static struct lane lane_begin(const struct begin<NIN> *at, const struct gpube__walk *w)
{
	const int a = threadIdx.x % 32;
	struct lane l = {0, 0, 0};

	if (a < w->n_item) {
		l.value = (int32_t)at->value[a];
		l.dim = (int32_t)w->axis[a].dim;
	}
	l.base = at->base[a <= NIN ? a : 0];
	return l;
}

/* The last axis that has another value grows, those behind it go back to 0. */
template <int NIN> __device__ static void lane_next(struct lane *l, const struct gpube__walk *w)
{
	const int a = threadIdx.x % 32;
	const int last = 31 - __clz((int)__ballot_sync(~0u, l->value + 1 < l->dim));

	if (last < 0)
		return;
	l->value = a > last ? 0 : l->value + (a == last);
	l->base += w->axis[last].back[a < NIN ? a : OUT];
}

/* The cells of a panel that a thread has. */
template <int NIN> struct mine {
	int32_t at[EACH][NIN];
	int32_t to[EACH]; /* in the output, or its place among the panel's sums */
	double sum[EACH];
	bool small[EACH];
};

template <int NIN>
__device__ static void add_products(struct mine<NIN> *m, const struct gpube__walk *w,
	const double *const *in, const int64_t (*near_at)[NIN], int32_t cells)
{
	const double by = w->by;

#pragma unroll 2
	for (int32_t r = 0; r < w->near; r++) {
		double v[EACH];
		bool above[EACH];

#pragma unroll
		for (int k = 0; k < NIN; k++) {
			const double *p = in[k] + near_at[r][k];

#pragma unroll
			for (int e = 0; e < EACH; e++) {
				const bool is = (int)threadIdx.x + e * THREADS < cells;
				const double x = is ? p[m->at[e][k]] : 0;

				v[e] = k ? v[e] * x : x * by;
				above[e] = x > 0 && (!k || above[e]);
			}
		}
#pragma unroll
		for (int e = 0; e < EACH; e++)
			m->small[e] |= above[e] && v[e] < SMALL_PRODUCT;
#pragma unroll
		for (int e = 0; e < EACH; e++)
			m->sum[e] += v[e];
	}
}

/* Each cell is an output's. */
template <int NIN>
__device__ static void write_cells(
	const struct mine<NIN> *m, struct gpube__extremes *x, double *out, int32_t cells)
{
#pragma unroll
	for (int e = 0; e < EACH; e++) {
		if ((int)threadIdx.x + e * THREADS >= cells)
			continue;
		out[m->to[e]] = m->sum[e];
		gpube__extremes_take(x, m->sum[e]);
		x->lost |= m->small[e] && m->sum[e] < SMALL_SUM;
	}
}

/* Cells that belong to one of the output are added: 'lanes' threads each. */
template <int NIN>
__device__ static void write_sums(const struct mine<NIN> *m, struct gpube__extremes *x,
	const struct gpube__walk *w, double *out, int32_t sums, double *part, const int32_t *out_at)
{
	const int lanes = w->lanes, lane = threadIdx.x % lanes;
	bool small = false;

#pragma unroll
	for (int e = 0; e < EACH; e++)
		if ((int)threadIdx.x + e * THREADS < w->panel) {
			part[m->to[e]] = m->sum[e];
			small |= m->small[e];
		}
	small = __syncthreads_or(small);
	for (int first = 0; first < sums; first += THREADS / lanes) {
		const int o = first + threadIdx.x / lanes;
		double v = 0;

		for (int i = lane; i < w->sums && o < sums; i += lanes)
			v += part[o * w->sums + i];
		for (int by = lanes / 2; by; by /= 2)
			v += __shfl_down_sync(~0u, v, by, lanes);
		if (lane || o >= sums)
			continue;
		out[out_at[o]] = v;
		gpube__extremes_take(x, v);
		x->lost |= small && v < SMALL_SUM;
	}
}

#ifndef WALK_BLOCKS
#define WALK_BLOCKS(n_in) ((n_in) == 1 ? 4 : (n_in) < 4 ? 3 : 2)
#endif

template <int NIN>
__global__ static void __launch_bounds__(THREADS, WALK_BLOCKS(NIN)) walk(struct group g)
{
	__shared__ struct begin<NIN> begin;
	__shared__ int64_t near_at[GPUBE_WALK_NEAR][NIN];
	__shared__ double part[GPUBE_WALK_PANEL];
	__shared__ int32_t out_at[GPUBE_WALK_PANEL];
	const uint32_t job = job_of(&g, blockIdx.x);
	const struct gpube__walk *w = (const struct gpube__walk *)(g.walks + g.walk_at[job]);
	const int64_t first = (int64_t)(blockIdx.x - g.first[job]) * w->chunk;
	const int64_t left = w->items - first, n = left < w->chunk ? left : w->chunk;
	const bool cut_item = w->cut >= 0 && w->cut < w->n_item;
	struct gpube__extremes x = {0, INFINITY, false};
	struct mine<NIN> m;
	struct lane lane;

	find_begin<NIN>(&begin, w, first);
	for (int i = threadIdx.x; i < w->near * NIN; i += THREADS)
		near_at[i / NIN][i % NIN] =
			gpube__walk_at(gpube__walk_near(w), w->n_near, i / NIN, i % NIN);
#pragma unroll
	for (int e = 0; e < EACH; e++) {
		const int32_t i = threadIdx.x + e * THREADS;
		struct gpube__walk_cell c;

		gpube__walk_cell(&c, w, NIN, i < w->panel ? i : 0);
#pragma unroll
		for (int k = 0; k < NIN; k++)
			m.at[e][k] = c.at[k];
		m.to[e] = w->sums == 1 ? c.out : c.place;
		if (i < w->panel && c.place % w->sums == 0)
			out_at[c.place / w->sums] = c.out;
	}
	__syncthreads();
	lane = lane_begin<NIN>(&begin, w);
	for (int64_t i = 0; i < n; i++) {
		int32_t cells = w->panel, sums = w->n_sums;
		double *out;

		if (i)
			lane_next<NIN>(&lane, w);
		out = w->out + __shfl_sync(~0u, lane.base, NIN);
		if (cut_item) {
			const int32_t value = __shfl_sync(~0u, lane.value, w->cut);

			cells = gpube__walk_cells(w, value);
			if (gpube__walk_panel(w)->step[OUT])
				sums = gpube__walk_sums(w, value);
		}
#pragma unroll
		for (int e = 0; e < EACH; e++) {
			m.sum[e] = 0;
			m.small[e] = false;
		}
		for (int64_t far = 0; far < w->far; far++) {
			const int k = threadIdx.x % 32;
			int64_t at = lane.base;
			const double *in[NIN];

			if (far && k < NIN)
				at += gpube__walk_at(gpube__walk_far(w), w->n_far, far, k);
#pragma unroll
			for (int o = 0; o < NIN; o++)
				in[o] = w->in[o] + __shfl_sync(~0u, at, o);
			if (w->cut >= w->n_item) /* which is slowest there */
				cells = gpube__walk_cells(w, far / (w->far / w->axis[w->cut].dim));
			add_products<NIN>(&m, w, in, near_at, cells);
		}
		if (w->sums == 1) {
			write_cells<NIN>(&m, &x, out, cells);
			continue;
		}
		__syncthreads(); /* the sums before are read */
		write_sums<NIN>(&m, &x, w, out, sums, part, out_at);
	}
	gpube__extremes_tell(&g.found[g.found_at[job]], &x);
}

/* ---- launches ------------------------------------------------------------------------------ */

typedef void (*kernel)(struct group g);

static const kernel kernels[GPUBE_WALK_IN] = {
	walk<1>, walk<2>, walk<3>, walk<4>, walk<5>, walk<6>, walk<7>, walk<8>};

/* A job as it is launched: its walk, and where what it finds goes. */
struct item {
	struct gpube__walk_plan *plan;
	uint32_t found_at;
};

static uint64_t rounded_up(uint64_t bytes)
{
	return (bytes + 15) / 16 * 16;
}

/* Those of one kernel, of which there are 'many'; *at: of the words that are free. */
static int launch_group(struct gpube_ctx *ctx, const struct item *items, int64_t n, int64_t many,
	int n_in, unsigned char *words, unsigned char *device, uint64_t *at, struct group *g,
	uint32_t *blocks)
{
	const uint64_t lists = *at;
	uint32_t *first = (uint32_t *)(words + lists), *walk_at = first + many + 1,
		 *found_at = walk_at + many;
	uint64_t walks = lists + rounded_up((uint64_t)(3 * many + 1) * sizeof(*first)),
		 next = walks;
	int64_t all = 0, k = 0;

	for (int64_t i = 0; i < n; i++) {
		const struct gpube__walk *w = &items[i].plan->walk;

		if (w->n_in != n_in)
			continue;
		first[k] = (uint32_t)all;
		walk_at[k] = (uint32_t)(next - walks);
		found_at[k++] = items[i].found_at;
		memcpy(words + next, w, gpube__walk_bytes(w));
		next += rounded_up(gpube__walk_bytes(w));
		all += gpube__walk_blocks(w);
	}
	if (all > INT32_MAX || next - walks > UINT32_MAX)
		return gpube__fail(ctx, GPUBE_ERANGE,
			"sums of %lld blocks are too many for a launch", (long long)all);
	first[k] = *blocks = (uint32_t)all;
	g->first = (const uint32_t *)(device + lists);
	g->walk_at = g->first + many + 1;
	g->found_at = g->walk_at + many;
	g->walks = device + walks;
	g->n = (uint32_t)many;
	*at = next;
	return GPUBE_OK;
}

/* One launch for all jobs of a kernel; results are found in the order of the stream. */
static int launch(
	struct gpube_ctx *ctx, const struct item *items, int64_t n, struct gpube__found *found)
{
	struct gpube__device *d = gpube__device_of(ctx);
	struct group groups[GPUBE_WALK_IN];
	uint32_t blocks[GPUBE_WALK_IN] = {};
	int64_t many[GPUBE_WALK_IN] = {};
	uint64_t bytes = 64 * GPUBE_WALK_IN, at = 0;
	unsigned char *words;
	void *device;
	int status = GPUBE_OK;

	for (int64_t i = 0; i < n; i++) {
		bytes += rounded_up(gpube__walk_bytes(&items[i].plan->walk)) + 16;
		many[items[i].plan->walk.n_in - 1]++;
	}
	words = gpube__words(ctx, &device, bytes);
	if (!words)
		return GPUBE_ENOMEM;
	for (int k = 0; k < GPUBE_WALK_IN && !status; k++) {
		groups[k].found = found;
		if (many[k])
			status = launch_group(ctx, items, n, many[k], k + 1, words,
				(unsigned char *)device, &at, &groups[k], &blocks[k]);
	}
	if (!status)
		status = gpube__words_send(ctx, at);
	for (int k = 0; k < GPUBE_WALK_IN && !status; k++) {
		if (!blocks[k])
			continue;
		kernels[k]<<<blocks[k], THREADS, 0, d->stream>>>(groups[k]);
		GPUBE_ECUDA(ctx, cudaGetLastError());
	}
	return status;
}

/* ---- jobs ------------------------------------------------------------------------------------ */

/* A task's plan, and that of adding its parts, which lie in 'parts'; or tiles. */
struct work {
	struct gpube__walk_plan plan, adding;
	double *parts;
	struct gpube__product tile;
	bool by_tiles;
};

/* Blocks that a card is kept busy by. */
static int busy(const struct gpube__device *d)
{
	return 8 * d->n_sms;
}

/* The card multiplies matrices of doubles: from compute capability 8 on. */
static bool has_tensor_cores(const struct gpube__device *d)
{
	int major = 0;

	return cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, d->id) ==
		       cudaSuccess &&
	       major >= 8;
}

/* Every product is a rounding, or none where it is added at once; there are as many additions. */
static bool plan_tiles(struct work *w, struct gpube_ctx *ctx, const struct gpube_sum_task *t)
{
	const struct gpube_sum_job *job = t->job;
	int first;

	w->by_tiles = !t->looks && has_tensor_cores(gpube__device_of(ctx)) &&
		      gpube__tile_plan(&w->tile, &first, job, gpube__device_of(ctx)->n_sms);
	if (!w->by_tiles)
		return false;
	w->tile.in[0] = job->in[first].table->card;
	w->tile.in[1] = job->in[!first].table->card;
	w->tile.out = job->out[0].table->card;
	w->tile.by = t->by;
	job->out[0].roundings = (double)w->tile.group[GPUBE_TILE_TERM].size + 2;
	return true;
}

static int plan(struct work *w, struct gpube_ctx *ctx, const struct gpube_sum_task *t)
{
	struct gpube__device *d = gpube__device_of(ctx);
	const struct gpube_sum_job *job = t->job;
	struct gpube_sum_table *out = job->out[0].table;

	gpube__walk_plan(&w->plan, job, busy(d));
	for (int k = 0; k < job->n_in; k++)
		w->plan.walk.in[k] = job->in[k].table->card;
	w->plan.walk.by = t->by;
	w->plan.walk.out = out->card;
	job->out[0].roundings = w->plan.roundings;
	if (w->plan.parts > 1) {
		struct gpube_sum_table from_table = {w->plan.n_out * w->plan.parts};
		struct gpube_sum_operand from, to;
		struct gpube_sum_job add;

		w->parts = (double *)gpube__arena_take(
			d->arena, ctx, (uint64_t)from_table.n * sizeof(double));
		if (!w->parts)
			return GPUBE_ENOMEM;
		gpube__walk_add_parts(&add, &from, &to, w->plan.parts, &from_table, out);
		gpube__walk_plan(&w->adding, &add, 1);
		w->adding.walk.in[0] = w->plan.walk.out = w->parts;
		w->adding.walk.out = out->card;
	}
	return GPUBE_OK;
}

/* The second launch finds what sums there are, the first what was lost on the way to them. */
static int fetch(struct gpube_ctx *ctx, struct gpube_sum_task *tasks, const struct work *works,
	int64_t n, const struct gpube__found *device)
{
	struct gpube__device *d = gpube__device_of(ctx);
	const uint64_t bytes = 2 * (uint64_t)n * sizeof(struct gpube__found);
	const struct gpube__found *f =
		(const struct gpube__found *)gpube__staging(ctx, bytes, true);

	if (!f)
		return GPUBE_ENOMEM;
	GPUBE_ECUDA(
		ctx, cudaMemcpyAsync((void *)f, device, bytes, cudaMemcpyDeviceToHost, d->stream));
	GPUBE_ECUDA(ctx, cudaStreamSynchronize(d->stream));
	for (int64_t i = 0; i < n; i++) {
		const struct gpube__found *last = &f[works[i].parts ? n + i : i];
		const unsigned long long least = ~last->not_least;

		memcpy(&tasks[i].most, &last->most, sizeof(double));
		memcpy(&tasks[i].least, &least, sizeof(double));
		if (!last->not_least)
			tasks[i].least = 0;
		tasks[i].lost = f[i].lost;
	}
	return GPUBE_OK;
}

static int run(struct gpube_ctx *ctx, struct gpube_sum_task *tasks, struct work *works,
	struct item *items, int64_t n)
{
	struct gpube__device *d = gpube__device_of(ctx);
	const uint64_t bytes = 2 * (uint64_t)n * sizeof(struct gpube__found);
	struct gpube__found *found = (struct gpube__found *)gpube__lists(ctx, bytes);
	int64_t n_parts = 0, n_items = 0;
	int status = GPUBE_OK;

	if (!found)
		return GPUBE_ENOMEM;
	GPUBE_ECUDA(ctx, cudaMemsetAsync(found, 0, bytes, d->stream));
	for (int64_t i = 0; i < n && !status; i++) {
		if (plan_tiles(&works[i], ctx, &tasks[i])) {
			status = gpube__sum_tile(ctx, &works[i].tile, &found[i]);
			continue;
		}
		items[n_items++] = (struct item){&works[i].plan, (uint32_t)i};
		status = plan(&works[i], ctx, &tasks[i]);
	}
	if (!status && n_items)
		status = launch(ctx, items, n_items, found);
	for (int64_t i = 0; i < n; i++)
		if (works[i].parts)
			items[n_parts++] = (struct item){&works[i].adding, (uint32_t)(n + i)};
	if (!status && n_parts)
		status = launch(ctx, items, n_parts, found);
	return status ? status : fetch(ctx, tasks, works, n, found);
}

static int products(struct gpube_ctx *ctx, int64_t n, struct gpube_sum_task *tasks)
{
	struct work *works = (struct work *)gpube__alloc(ctx, (uint64_t)n, sizeof(*works));
	struct item *items = (struct item *)gpube__alloc(ctx, (uint64_t)n, sizeof(*items));
	int status = GPUBE_ENOMEM;

	for (int64_t i = 0; works && i < n; i++)
		works[i].parts = NULL; /* the rest is large, and set when it is used */
	if (works && items)
		status = run(ctx, tasks, works, items, n);
	/* memory that is given out again is written to behind what is still running */
	for (int64_t i = 0; works && i < n; i++)
		gpube__arena_give(gpube__device_of(ctx)->arena, ctx, works[i].parts);
	gpube__free(ctx, works);
	gpube__free(ctx, items);
	return status;
}

static const struct gpube_sum_ops sum_ops = {products};

extern "C" const struct gpube_sum_ops *gpube__sum_cuda(struct gpube_ctx *ctx, int *status)
{
	return gpube__ops_cuda(ctx, status) ? &sum_ops : NULL;
}
