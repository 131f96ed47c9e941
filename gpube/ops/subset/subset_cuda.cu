/*
 * subset_cuda.cu - subset_convolve on a device: the plan of each convolution, its
 * launches, and the search for the split that attains a value.
 */
#include "gpube/ops/subset/subset_tile.cuh"

#include <time.h>

#define THREADS      256
#define BEST_THREADS (1u << 17) /* that look for a split together */

/* Work that is waited for, so that it can be stopped and its progress shown, in splits. */
#define WATCHED_SPLITS 2e11
#define POLL_NS        200000

/*
 * Work that is shared with the machine's other devices, in splits: what it takes to
 * win back opening them, and copying tables to them once they are. Tests make it small.
 */
#define SHARED_ONCE_OPEN 2e12
double gpube__shared_splits = 5e13;

#define DISPATCH(type, F, ...)                                                                     \
	((type) == GPUBE_INT16            ? F<op_i16>(__VA_ARGS__)                                 \
		: (type) == GPUBE_INT32   ? F<op_i32>(__VA_ARGS__)                                 \
		: (type) == GPUBE_INT64   ? F<op_i64>(__VA_ARGS__)                                 \
		: (type) == GPUBE_FLOAT32 ? F<op_f32>(__VA_ARGS__)                                 \
					  : F<op_f64>(__VA_ARGS__))

static unsigned blocks_for(uint64_t n)
{
	const uint64_t blocks = (n + THREADS - 1) / THREADS;

	return blocks < 1u << 20 ? (unsigned)blocks : 1u << 20;
}

/* ---- small kernels ---------------------------------------------------------------------- */

/* Fewer bits than a block has: a thread an X, by the definition. */
template <class Op> static __global__ void small_kernel(const struct gpube_subset s)
{
	typedef typename Op::value T;
	const T *a = (const T *)s.a, *b = (const T *)s.b;
	const uint32_t x = blockIdx.x * blockDim.x + threadIdx.x;
	T best;

	if (x >> s.n_bits)
		return;
	best = a[x] + b[0];
	for (uint32_t y = x; y != 0;) {
		y = (y - 1) & x;
		best = a[y] + b[x ^ y] > best ? (T)(a[y] + b[x ^ y]) : best;
	}
	((T *)s.out)[x] = best;
}

/* Words of two rows, as subset_blocks.h pairs them. Moves: 6 bytes a value */
static __global__ void pair_kernel(uint32_t *words, const int16_t *from, uint64_t n, bool of_b)
{
	const int r_bits = shape<op_i16>::r_bits;
	const uint64_t step = (uint64_t)gridDim.x * blockDim.x;

	for (uint64_t i = (uint64_t)blockIdx.x * blockDim.x + threadIdx.x; i < n; i += step) {
		const int row = (int)(i >> r_bits) & (GPUBE_ROWS - 1);
		const int64_t low = gpube__paired_row(row, false, of_b) - row;
		const int64_t high = gpube__paired_row(row, true, of_b) - row;

		words[i] = gpube__pair_word(from[(int64_t)i + low * (1 << r_bits)],
			from[(int64_t)i + high * (1 << r_bits)]);
	}
}

/* Blocks that were done in parts. Map: a thread group a block. */
template <class Op>
static __global__ void merge_kernel(typename Op::value *out, const typename Op::value *scratch,
	const struct gpube__block_merge *merges)
{
	const int bits = GPUBE_TRITS + shape<Op>::r_bits;
	const struct gpube__block_merge m = merges[blockIdx.x];

	for (uint32_t i = threadIdx.x; i >> bits == 0; i += blockDim.x) {
		typename Op::value best = scratch[((uint64_t)m.slot << bits) + i];

		for (uint32_t k = 1; k < m.n; k++) {
			const typename Op::value v = scratch[((uint64_t)(m.slot + k) << bits) + i];

			best = v > best ? v : best;
		}
		out[((uint64_t)m.x << bits) + i] = best;
	}
}

/* ---- convolution ------------------------------------------------------------------------ */

/* Device memory of one convolution. */
struct tables {
	uint32_t *a_words, *b_words; /* int16 alone */
	void *scratch;
};

static void give(struct gpube_ctx *ctx, struct tables *t)
{
	struct gpube__arena *arena = gpube__device_of(ctx)->arena;

	gpube__arena_give(arena, ctx, t->a_words);
	gpube__arena_give(arena, ctx, t->b_words);
	gpube__arena_give(arena, ctx, t->scratch);
}

/* How finely a convolution of that many blocks' pairs is cut for the device. */
static int most_free_of(struct gpube_ctx *ctx, int bits, int n_groups)
{
	return gpube__most_free(bits, gpube__device_of(ctx)->n_sms * n_groups);
}

static int take(struct gpube_ctx *ctx, struct tables *t, const struct gpube_subset *s,
	const struct gpube__block_plan *plan)
{
	struct gpube__device *d = gpube__device_of(ctx);
	const uint64_t n = (uint64_t)1 << s->n_bits;
	const uint64_t block = (uint64_t)gpube__type_size(s->type) << gpube__block_bits(s->type);

	memset(t, 0, sizeof(*t));
	t->scratch = gpube__arena_take(d->arena, ctx, plan->n_slots * block);
	if (!t->scratch)
		return GPUBE_ENOMEM;
	if (s->type != GPUBE_INT16)
		return GPUBE_OK;
	t->a_words = (uint32_t *)gpube__arena_take(d->arena, ctx, n * sizeof(uint32_t));
	t->b_words = (uint32_t *)gpube__arena_take(d->arena, ctx, n * sizeof(uint32_t));
	if (!t->a_words || !t->b_words)
		return GPUBE_ENOMEM;
	pair_kernel<<<blocks_for(n), THREADS, 0, d->stream>>>(
		t->a_words, (const int16_t *)s->a, n, false);
	pair_kernel<<<blocks_for(n), THREADS, 0, d->stream>>>(
		t->b_words, (const int16_t *)s->b, n, true);
	return GPUBE_OK;
}

static int watch(struct gpube_ctx *ctx)
{
	struct gpube__device *d = gpube__device_of(ctx);

	if (d->watch)
		return GPUBE_OK;
	GPUBE_ECUDA(ctx, cudaHostAlloc((void **)&d->watch, sizeof(*d->watch), cudaHostAllocMapped));
	d->watch->stop = 0;
	d->watch->done = 0;
	gpube__lane_order(d->watch->lane_order[0], false);
	gpube__lane_order(d->watch->lane_order[1], true);
	return GPUBE_OK;
}

/* Asks all devices to stop, or to go on. */
static void set_stop(struct gpube__device *d, int stop)
{
	d->watch->stop = stop;
	for (int k = 0; k < d->n_peers; k++)
		if (gpube__device_of(d->peers[k])->watch)
			gpube__device_of(d->peers[k])->watch->stop = stop;
}

/* Until the stream is empty; a stop ends the kernels between pairs of blocks. */
static int wait_for_tiles(struct gpube_ctx *ctx, const struct gpube_subset *s, double pairs)
{
	struct gpube__device *d = gpube__device_of(ctx);
	const struct timespec nap = {0, POLL_NS};
	cudaError_t error;

	while ((error = cudaStreamQuery(d->stream)) == cudaErrorNotReady) {
		if (gpube__stopped(ctx) && !d->watch->stop)
			set_stop(d, 1);
		if (s->share > 0)
			gpube__progress(ctx, s->done + s->share * (double)d->watch->done / pairs,
				"convolve");
		nanosleep(&nap, NULL);
	}
	GPUBE_ECUDA(ctx, error);
	if (d->watch->stop) {
		set_stop(d, 0);
		return gpube__fail_stopped(ctx);
	}
	return GPUBE_OK;
}

/* The whole of a convolution, or a device's part of it. */
struct part {
	const uint8_t *owner; /* of segments; NULL: all are this device's */
	int number;
};

/* A counter, the lanes, the items and the merges, on their way to the device. */
static int send_plan(struct gpube_ctx *ctx, struct tile_args *args,
	const struct gpube__block_merge **merges, struct gpube__block_plan *plan, int bits,
	int most_free, bool paired, const struct part *part)
{
	struct gpube__device *d = gpube__device_of(ctx);
	const uint64_t items_at = 512;
	const uint64_t merges_at = items_at + plan->n_items * sizeof(struct gpube__block_item);
	const uint64_t bytes = merges_at + plan->n_merges * sizeof(struct gpube__block_merge);
	struct gpube__block_item *items;
	struct gpube__block_merge *all_merges;
	void *device;
	unsigned char *host = gpube__words(ctx, &device, bytes);

	if (!host)
		return GPUBE_ENOMEM;
	memset(host, 0, items_at);
	memcpy(host + 256, d->watch->lane_order[paired], 256);
	items = (struct gpube__block_item *)(void *)(host + items_at);
	all_merges = (struct gpube__block_merge *)(void *)(host + merges_at);
	gpube__fill_blocks(items, all_merges, bits, most_free);
	if (part->owner)
		gpube__keep_segments(items, all_merges, plan, bits, part->owner, part->number);
	args->done = (unsigned long long *)device;
	args->lane_order = (const uint8_t *)device + 256;
	args->items = (const struct gpube__block_item *)((const char *)device + items_at);
	*merges = (const struct gpube__block_merge *)((const char *)device + merges_at);
	return gpube__words_send(ctx, bytes);
}

/* Queues a part on the context's device, which is the current one; out: its segments alone. */
template <class Op>
static int launch(struct gpube_ctx *ctx, const struct gpube_subset *s, const struct part *part)
{
	struct gpube__device *d = gpube__device_of(ctx);
	const int bits = s->n_bits - gpube__block_bits(s->type);
	const int most_free = most_free_of(ctx, bits, shape<Op>::n_groups);
	const size_t shared = STAGES * STAGE_BYTES;
	struct gpube__block_plan plan = gpube__plan_blocks(bits, most_free);
	const struct gpube__block_merge *merges;
	struct tile_args args;
	struct tables t;
	int status;

	GPUBE_ECUDA(ctx, cudaFuncSetAttribute(tiles_kernel<Op>,
				 cudaFuncAttributeMaxDynamicSharedMemorySize, (int)shared));
	status = take(ctx, &t, s, &plan);
	if (!status)
		status = send_plan(ctx, &args, &merges, &plan, bits, most_free, Op::paired, part);
	if (!status) {
		d->watch->done = 0;
		args.a = t.a_words ? t.a_words : s->a;
		args.b = t.b_words ? t.b_words : s->b;
		args.out = s->out;
		args.scratch = t.scratch;
		args.watch = d->watch;
		tiles_kernel<Op>
			<<<(unsigned)plan.n_items, shape<Op>::n_threads, shared, d->stream>>>(args);
		if (plan.n_merges)
			merge_kernel<Op><<<(unsigned)plan.n_merges, THREADS, 0, d->stream>>>(
				(typename Op::value *)s->out, (const typename Op::value *)t.scratch,
				merges);
		GPUBE_ECUDA(ctx, cudaPeekAtLastError());
	}
	give(ctx, &t);
	return status;
}

/* ---- several devices -------------------------------------------------------------------- */

/* A peer's copies of the tables; its stream keeps their use in order when they are given back. */
static int copy_to_peer(struct gpube_ctx *ctx, struct gpube_ctx *peer, struct gpube_subset *there,
	const struct gpube_subset *s, cudaEvent_t ready)
{
	struct gpube__device *home = gpube__device_of(ctx), *d = gpube__device_of(peer);
	const uint64_t bytes = (uint64_t)gpube__type_size(s->type) << s->n_bits;

	*there = *s;
	there->share = 0;
	there->a = gpube__arena_take(d->arena, peer, bytes);
	there->b = gpube__arena_take(d->arena, peer, bytes);
	there->out = gpube__arena_take(d->arena, peer, bytes);
	if (!there->a || !there->b || !there->out)
		return GPUBE_ENOMEM;
	GPUBE_ECUDA(peer, cudaStreamWaitEvent(d->stream, ready, 0));
	GPUBE_ECUDA(peer,
		cudaMemcpyPeerAsync((void *)there->a, d->id, s->a, home->id, bytes, d->stream));
	GPUBE_ECUDA(peer,
		cudaMemcpyPeerAsync((void *)there->b, d->id, s->b, home->id, bytes, d->stream));
	return GPUBE_OK;
}

/* A peer's segments of the output; its event 'sent' is when they have arrived. */
static int copy_from_peer(struct gpube_ctx *ctx, struct gpube_ctx *peer,
	const struct gpube_subset *there, const struct gpube_subset *s, const struct part *part)
{
	struct gpube__device *home = gpube__device_of(ctx), *d = gpube__device_of(peer);
	const uint64_t bytes = (uint64_t)gpube__type_size(s->type)
			       << (s->n_bits - GPUBE_SEGMENT_BITS);

	for (uint64_t k = 0; k < GPUBE_SEGMENTS; k++)
		if (part->owner[k] == part->number)
			GPUBE_ECUDA(peer, cudaMemcpyPeerAsync((char *)s->out + k * bytes, home->id,
						  (const char *)there->out + k * bytes, d->id,
						  bytes, d->stream));
	GPUBE_ECUDA(peer, cudaEventRecord(d->sent, d->stream));
	return GPUBE_OK;
}

template <class Op>
static int launch_on_peer(struct gpube_ctx *ctx, struct gpube_ctx *peer,
	const struct gpube_subset *s, const struct part *part, cudaEvent_t ready)
{
	struct gpube__device *d = gpube__device_of(peer);
	struct gpube_subset there = {};
	int status;

	GPUBE_ECUDA(peer, cudaSetDevice(d->id));
	status = watch(peer);
	if (!status)
		status = copy_to_peer(ctx, peer, &there, s, ready);
	if (!status)
		status = launch<Op>(peer, &there, part);
	if (!status)
		status = copy_from_peer(ctx, peer, &there, s, part);
	gpube__arena_give(d->arena, peer, (void *)there.a);
	gpube__arena_give(d->arena, peer, (void *)there.b);
	gpube__arena_give(d->arena, peer, there.out);
	return status;
}

/* Parts on all devices. A peer that fails leaves its text to ctx. */
template <class Op> static int launch_shared(struct gpube_ctx *ctx, const struct gpube_subset *s)
{
	struct gpube__device *d = gpube__device_of(ctx);
	uint8_t owner[GPUBE_SEGMENTS];
	struct part part = {owner, 0};
	int status = GPUBE_OK;

	gpube__share_segments(owner, GPUBE_SEGMENT_BITS, 1 + d->n_peers);
	GPUBE_ECUDA(ctx, cudaEventRecord(d->sent, d->stream));
	for (int k = 0; k < d->n_peers && !status; k++) {
		part.number = 1 + k;
		status = launch_on_peer<Op>(ctx, d->peers[k], s, &part, d->sent);
		if (status)
			gpube__fail(ctx, (enum gpube_status)status, "device %d: %s",
				gpube__device_of(d->peers[k])->id, d->peers[k]->error);
	}
	/* what the others have begun may still write into the output */
	for (int k = 0; k < d->n_peers && status; k++)
		cudaStreamSynchronize(gpube__device_of(d->peers[k])->stream);
	GPUBE_ECUDA(ctx, cudaSetDevice(d->id));
	if (status)
		return status;
	part.number = 0;
	status = launch<Op>(ctx, s, &part);
	for (int k = 0; k < d->n_peers; k++)
		GPUBE_ECUDA(ctx,
			cudaStreamWaitEvent(d->stream, gpube__device_of(d->peers[k])->sent, 0));
	return status;
}

static bool is_shared(struct gpube_ctx *ctx, const struct gpube_subset *s)
{
	const struct gpube__device *d = gpube__device_of(ctx);
	const double splits = (double)gpube__pow3(s->n_bits);

	if (s->n_bits < gpube__block_bits(s->type) + GPUBE_SEGMENT_BITS ||
		(splits < gpube__shared_splits && !(d->n_peers && splits >= SHARED_ONCE_OPEN)))
		return false;
	return gpube__open_peers(ctx) > 0;
}

template <class Op> static int convolve_blocks(struct gpube_ctx *ctx, const struct gpube_subset *s)
{
	const struct part all = {NULL, 0};
	const bool shared = is_shared(ctx, s);
	int status = shared ? launch_shared<Op>(ctx, s) : launch<Op>(ctx, s, &all);

	if (status || (!shared && (double)gpube__pow3(s->n_bits) < WATCHED_SPLITS))
		return status;
	return wait_for_tiles(ctx, s,
		(double)gpube__pow3(s->n_bits - gpube__block_bits(s->type)) /
			(shared ? 1 + gpube__device_of(ctx)->n_peers : 1));
}

template <class Op> static int convolve_small(struct gpube_ctx *ctx, const struct gpube_subset *s)
{
	small_kernel<Op><<<blocks_for((uint64_t)1 << s->n_bits), THREADS, 0,
		gpube__device_of(ctx)->stream>>>(*s);
	return GPUBE_OK;
}

static int convolve(struct gpube_ctx *ctx, const struct gpube_subset *s)
{
	int status;

	if (s->n_bits < 0 || s->n_bits > 40 || s->type == GPUBE_INT8)
		return gpube__fail(ctx, GPUBE_EINVAL, "subset_convolve: %d bits of type %d",
			s->n_bits, (int)s->type);
	if (gpube__stopped(ctx))
		return gpube__fail_stopped(ctx);
	status = watch(ctx);
	if (!status && s->n_bits < gpube__block_bits(s->type))
		status = DISPATCH(s->type, convolve_small, ctx, s);
	else if (!status)
		status = DISPATCH(s->type, convolve_blocks, ctx, s);
	if (!status)
		GPUBE_ECUDA(ctx, cudaGetLastError());
	return status;
}

/* ---- the split that attains a value ------------------------------------------------------ */

static __device__ void keep(int64_t *best, int64_t v)
{
	*best = v;
}

static __device__ void keep(double *best, double v)
{
	*best = v;
}

static __device__ int64_t *field_of(struct gpube__partial *p, int64_t)
{
	return &p->value.i;
}

static __device__ double *field_of(struct gpube__partial *p, double)
{
	return &p->value.f;
}

template <class T> struct wide {
	typedef int64_t type;
};
template <> struct wide<float> {
	typedef double type;
};
template <> struct wide<double> {
	typedef double type;
};

/*
 * The best a[y] + b[x - y] of each thread group, and the least y that attains it.
 * Map:   thread i takes the subsets of x whose lowest 'thread_bits' bits are i
 * Moves: two values a subset; coalesced where x's low bits are all set
 */
template <class Op>
static __global__ void best_kernel(struct gpube__partial *partials, const typename Op::value *a,
	const typename Op::value *b, uint64_t x, int thread_bits)
{
	typedef typename Op::value T;
	typedef typename wide<T>::type W;
	__shared__ W sums[THREADS];
	__shared__ int64_t at[THREADS];
	const uint64_t i = (uint64_t)blockIdx.x * THREADS + threadIdx.x;
	const uint64_t low = gpube__lowest_bits(x, thread_bits), high = x ^ low;
	const uint64_t y_low = gpube__deposit(i, low);
	uint64_t y_high = 0;
	T best = 0;
	int64_t best_at = -1;

	while (i >> thread_bits == 0) {
		const uint64_t y = y_high | y_low;
		const T sum = a[y] + b[x ^ y];

		if (best_at < 0 || sum > best) {
			best = sum;
			best_at = (int64_t)y;
		}
		if (y_high == high)
			break;
		y_high = (y_high - high) & high;
	}
	keep(&sums[threadIdx.x], (W)best);
	at[threadIdx.x] = best_at;
	for (int n = THREADS / 2; n; n /= 2) {
		__syncthreads();
		if (threadIdx.x < n) {
			const int me = (int)threadIdx.x, other = me + n;

			if (at[other] >= 0 &&
				(at[me] < 0 || sums[other] > sums[me] ||
					(sums[other] == sums[me] && at[other] < at[me]))) {
				sums[me] = sums[other];
				at[me] = at[other];
			}
		}
	}
	if (threadIdx.x == 0) {
		*field_of(&partials[blockIdx.x], (W)0) = sums[0];
		partials[blockIdx.x].arg = at[0];
	}
}

template <class Op>
static int launch_best(struct gpube_ctx *ctx, const struct gpube_subset_split *s)
{
	struct gpube__device *d = gpube__device_of(ctx);
	int thread_bits = __builtin_popcountll(s->x);

	if ((uint64_t)1 << thread_bits > BEST_THREADS)
		thread_bits = __builtin_ctz(BEST_THREADS);
	best_kernel<Op><<<blocks_for((uint64_t)1 << thread_bits), THREADS, 0, d->stream>>>(
		d->partials, (const typename Op::value *)s->a, (const typename Op::value *)s->b,
		s->x, thread_bits);
	return (int)blocks_for((uint64_t)1 << thread_bits);
}

static int best_split(struct gpube_ctx *ctx, struct gpube_subset_split *s)
{
	struct gpube__device *d = gpube__device_of(ctx);
	struct gpube__partial partials[BEST_THREADS / THREADS];
	const bool real = s->type == GPUBE_FLOAT32 || s->type == GPUBE_FLOAT64;
	int n, best = 0;

	if (gpube__stopped(ctx))
		return gpube__fail_stopped(ctx);
	n = DISPATCH(s->type, launch_best, ctx, s);
	GPUBE_ECUDA(ctx, cudaGetLastError());
	GPUBE_ECUDA(ctx, cudaMemcpyAsync(partials, d->partials, (size_t)n * sizeof(*partials),
				 cudaMemcpyDeviceToHost, d->stream));
	GPUBE_ECUDA(ctx, cudaStreamSynchronize(d->stream));
	for (int k = 1; k < n; k++) {
		const struct gpube__partial *p = &partials[k], *q = &partials[best];
		const bool more = real ? p->value.f > q->value.f : p->value.i > q->value.i;
		const bool same = real ? p->value.f == q->value.f : p->value.i == q->value.i;

		if (more || (same && p->arg < q->arg))
			best = k;
	}
	if (real)
		s->sum.f = partials[best].value.f;
	else
		s->sum.i = partials[best].value.i;
	s->y = (uint64_t)partials[best].arg;
	return GPUBE_OK;
}

/* ---- random values ------------------------------------------------------------------------ */

static __global__ void fill_kernel(struct gpube_fill f)
{
	const uint64_t n = gpube__fill_chunks(&f), step = (uint64_t)gridDim.x * blockDim.x;

	for (uint64_t k = (uint64_t)blockIdx.x * blockDim.x + threadIdx.x; k < n; k += step)
		gpube__fill_chunk(&f, k);
}

static int fill(struct gpube_ctx *ctx, const struct gpube_fill *f)
{
	fill_kernel<<<blocks_for(gpube__fill_chunks(f)), THREADS, 0,
		gpube__device_of(ctx)->stream>>>(*f);
	GPUBE_ECUDA(ctx, cudaGetLastError());
	/* what is timed next is not this */
	GPUBE_ECUDA(ctx, cudaStreamSynchronize(gpube__device_of(ctx)->stream));
	return GPUBE_OK;
}

/* ---- the greater of two tables -------------------------------------------------------------- */

/* Moves: three values each */
template <class T> static __global__ void greater_kernel(T *to, const T *from, uint64_t n)
{
	const uint64_t step = (uint64_t)gridDim.x * blockDim.x;

	for (uint64_t i = (uint64_t)blockIdx.x * blockDim.x + threadIdx.x; i < n; i += step)
		to[i] = from[i] > to[i] ? from[i] : to[i];
}

template <class Op>
static int launch_merge(struct gpube_ctx *ctx, void *to, const void *from, uint64_t n)
{
	typedef typename Op::value T;

	greater_kernel<T><<<blocks_for(n), THREADS, 0, gpube__device_of(ctx)->stream>>>(
		(T *)to, (const T *)from, n);
	return GPUBE_OK;
}

static int merge(
	struct gpube_ctx *ctx, enum gpube_type type, void *to, const void *from, uint64_t n)
{
	int status;

	if (type == GPUBE_INT8)
		return gpube__fail(ctx, GPUBE_EINVAL, "subset merge: type %d", (int)type);
	status = DISPATCH(type, launch_merge, ctx, to, from, n);
	GPUBE_ECUDA(ctx, cudaGetLastError());
	return status;
}

/* ---- the backend --------------------------------------------------------------------------- */

static void *subset_alloc(struct gpube_ctx *ctx, uint64_t bytes)
{
	return gpube__arena_take(gpube__device_of(ctx)->arena, ctx, bytes);
}

static void subset_free(struct gpube_ctx *ctx, void *p)
{
	if (ctx->device)
		gpube__arena_give(gpube__device_of(ctx)->arena, ctx, p);
}

static int subset_upload(struct gpube_ctx *ctx, void *to, const void *from, uint64_t bytes)
{
	int status;

	return gpube__ops_cuda(ctx, &status)->upload(ctx, to, from, bytes);
}

static int subset_download(struct gpube_ctx *ctx, void *to, const void *from, uint64_t bytes)
{
	int status;

	return gpube__ops_cuda(ctx, &status)->download(ctx, to, from, bytes);
}

static uint64_t subset_memory(struct gpube_ctx *ctx)
{
	int status;

	return gpube__ops_cuda(ctx, &status)->memory(ctx);
}

template <class Op> static int groups_of(void)
{
	return shape<Op>::n_groups;
}

/* Blocks that are done in parts, and the words of int16; on each device as much. */
static uint64_t subset_scratch(struct gpube_ctx *ctx, enum gpube_type type, int n_bits)
{
	const int bits = n_bits - gpube__block_bits(type);
	struct gpube__block_plan plan;

	if (bits < 0)
		return 0;
	plan = gpube__plan_blocks(bits, most_free_of(ctx, bits, DISPATCH(type, groups_of)));
	return ((plan.n_slots * (uint64_t)gpube__type_size(type)) << gpube__block_bits(type)) +
	       (type == GPUBE_INT16 ? 2 * (uint64_t)sizeof(uint32_t) << n_bits : 0);
}

static void *subset_alloc_here(struct gpube_ctx *ctx, uint64_t bytes)
{
	char need[GPUBE_BYTES_TEXT];
	void *p;

	if (bytes <= ctx->memory_bytes && cudaMallocHost(&p, bytes ? bytes : 1) == cudaSuccess)
		return p;
	(void)cudaGetLastError();
	gpube__fail(ctx, GPUBE_ENOMEM, "no pinned memory for a table of %s",
		gpube__bytes_text(need, (double)bytes));
	return NULL;
}

static void subset_free_here(struct gpube_ctx *ctx, void *p)
{
	(void)ctx;
	cudaFreeHost(p);
}

/* What an H200 reaches, rounded down. */
static double splits_per_second(const struct gpube_ctx *ctx, enum gpube_type type)
{
	static const double rate[] = {0, 2e13, 1e13, 2e12, 9e12, 3e12};

	(void)ctx;
	return rate[type];
}

extern "C" const struct gpube_subset_ops *gpube__subset_cuda(struct gpube_ctx *ctx, int *status)
{
	static const struct gpube_subset_ops ops = {
		"cuda",
		convolve,
		best_split,
		fill,
		merge,
		gpube__subset_splits_cuda,
		subset_alloc,
		subset_free,
		subset_upload,
		subset_download,
		subset_memory,
		subset_scratch,
		subset_alloc_here,
		subset_free_here,
		splits_per_second,
	};

	return gpube__ops_cuda(ctx, status) ? &ops : NULL;
}
