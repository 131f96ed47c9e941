/*
 * contract_general.cu - contract for whatever ops.h allows: any number of dims and
 * operands, counts and arguments. The fast kernels refuse some shapes;
 * this one takes them all.
 */
#include "gpube/ops/device/device.cuh"

#define THREADS       256
#define MAX_BASES     16   /* operands whose offset of the output cell is kept */
#define MAX_OFFSETS   8192 /* of the reduced dims, sent ready-made */
#define CELLS_PER_RUN (1ll << 34)

/* The contraction as the kernel reads it; the arrays follow it in device memory. */
struct general {
	int n_in, n_out, n_dims;
	int arg_bytes, has_offsets;
	int64_t n_out_cells, n_reduced, repeat;
	int64_t top, threshold;
	uint64_t modulus;
	int splits; /* parts of the reduced cells, a block each; 0: one thread does them all */
	const int64_t *size, *arg_stride, *stride; /* n_in rows of n_dims */
	const int64_t *offsets;                    /* n_in rows of n_reduced, if has_offsets */
	const void *const *values;
	const uint64_t *const *counts;
	void *out;
	uint64_t *out_counts;
	void *out_arg;
	struct gpube__partial *partials;
};

/* What a thread knows of an output cell after some of its joined cells. */
template <typename T> struct found {
	T value;
	uint64_t count;
	int64_t r; /* the reduced cell, -1: none yet */
};

__device__ static int64_t reduced_offset(const struct general &g, int k, int64_t r)
{
	if (g.has_offsets)
		return g.offsets[k * g.n_reduced + r];
	return gpube__offset(r, g.n_dims - g.n_out, g.size + g.n_out,
		g.stride + (int64_t)k * g.n_dims + g.n_out);
}

__device__ static int64_t cell(
	const struct general &g, const int64_t *base, int k, int64_t s, int64_t r)
{
	const int64_t b =
		k < MAX_BASES ? base[k]
			      : gpube__offset(s, g.n_out, g.size, g.stride + (int64_t)k * g.n_dims);

	return b + reduced_offset(g, k, r);
}

template <typename T>
__device__ static T joined(const struct general &g, const int64_t *base, int64_t s, int64_t r)
{
	T sum = 0;

	for (int k = 0; k < g.n_in; k++)
		sum += ((const T *)g.values[k])[cell(g, base, k, s, r)];
	return sum;
}

__device__ static uint64_t joined_count(
	const struct general &g, const int64_t *base, int64_t s, int64_t r)
{
	uint64_t n = 1;

	for (int k = 0; k < g.n_in; k++)
		if (g.counts[k])
			n = gpube__count_mul(n, g.counts[k][cell(g, base, k, s, r)], g.modulus);
	return n;
}

/* a := a and b together; the earlier reduced cell wins a tie. */
template <typename T, int SEMIRING>
__device__ static void merge(const struct general &g, struct found<T> *a, const struct found<T> &b)
{
	if (b.r < 0)
		return;
	if (a->r < 0) {
		*a = b;
		return;
	}
	if (a->value == b.value) {
		if (SEMIRING == GPUBE_MIN_COUNT)
			a->count = gpube__count_add(a->count, b.count, g.modulus);
		a->r = b.r < a->r ? b.r : a->r;
	} else if (b.value < a->value) {
		*a = b;
	}
}

/* Reduced cells [r, end) in steps of 'step' of output cell s. */
template <typename T, int SEMIRING>
__device__ static struct found<T> reduce(
	const struct general &g, int64_t s, int64_t r, int64_t end, int64_t step) {
	struct found<T> best = {
		0, 0, -1
	};
	int64_t base[MAX_BASES];

	for (int k = 0; k < g.n_in && k < MAX_BASES; k++)
		base[k] = gpube__offset(s, g.n_out, g.size, g.stride + (int64_t)k * g.n_dims);
	for (; r < end; r += step) {
		struct found<T> one = {
			joined<T>(g, base, s, r), 0, r
		};

		if (SEMIRING == GPUBE_MIN_COUNT && (best.r < 0 || !(one.value > best.value)))
			one.count = joined_count(g, base, s, r);
		merge<T, SEMIRING>(g, &best, one);
	}
	return best;
}

template <typename T, int SEMIRING>
__device__ static void finish(const struct general &g, int64_t s, const struct found<T> &best)
{
	const T value = (T)gpube__top_min((int64_t)best.value, g.top, g.threshold);

	((T *)g.out)[s] = value;
	if (SEMIRING == GPUBE_MIN_COUNT) {
		const uint64_t repeat =
			g.modulus ? (uint64_t)g.repeat % g.modulus : (uint64_t)g.repeat;

		g.out_counts[s] = (int64_t)value == g.top
					  ? 0
					  : gpube__count_mul(best.count, repeat, g.modulus);
	}
	if (g.out_arg)
		gpube__store_arg(g.out_arg, g.arg_bytes, s,
			gpube__offset(best.r, g.n_dims - g.n_out, g.size + g.n_out,
				g.arg_stride + g.n_out));
}

/*
 * out[s] = reduce over r of combine_k in_k[s, r]; same bits as contract_ref.c
 * Map:   thread per output cell, its reduced cells serial, grid-stride
 * Moves: each operand's value once per joined cell, from whatever cache has it
 * Bound: 64-bit index arithmetic; for shapes and semirings without a kernel of their own
 */
template <typename T, int SEMIRING>
__global__ void __launch_bounds__(THREADS)
	general_flat(const struct general *gp, int64_t from, int64_t to)
{
	const struct general g = *gp;

	for (int64_t s = from + (int64_t)blockIdx.x * THREADS + threadIdx.x; s < to;
		s += (int64_t)gridDim.x * THREADS)
		finish<T, SEMIRING>(g, s, reduce<T, SEMIRING>(g, s, 0, g.n_reduced, 1));
}

/*
 * The same for few output cells with many reduced cells each.
 * Map:   'splits' blocks per output cell, each reduces a contiguous part of r; its
 *        partial results meet in shared memory in a fixed order
 */
template <typename T, int SEMIRING>
__global__ void __launch_bounds__(THREADS) general_split(const struct general *gp)
{
	__shared__ struct found<T> all[THREADS];
	const struct general g = *gp;
	const int64_t s = blockIdx.x / g.splits;
	const int64_t part = blockIdx.x % g.splits;
	const int64_t each = (g.n_reduced + g.splits - 1) / g.splits;
	const int64_t end = (part + 1) * each < g.n_reduced ? (part + 1) * each : g.n_reduced;

	all[threadIdx.x] = reduce<T, SEMIRING>(g, s, part * each + threadIdx.x, end, THREADS);
	for (int half = THREADS / 2; half > 0; half /= 2) {
		__syncthreads();
		if (threadIdx.x < half)
			merge<T, SEMIRING>(g, &all[threadIdx.x], all[threadIdx.x + half]);
	}
	if (threadIdx.x == 0) {
		struct gpube__partial p;

		p.value.i = (int64_t)all[0].value;
		p.count = all[0].count;
		p.arg = all[0].r;
		g.partials[blockIdx.x] = p;
	}
}

/* The blocks' partial results, in order. Map: thread per output cell */
template <typename T, int SEMIRING>
__global__ void __launch_bounds__(THREADS) general_join(const struct general *gp)
{
	const struct general g = *gp;
	const int64_t s = (int64_t)blockIdx.x * THREADS + threadIdx.x;
	struct found<T> best = {
		0, 0, -1
	};

	if (s >= g.n_out_cells)
		return;
	for (int i = 0; i < g.splits; i++) {
		const struct gpube__partial p = g.partials[s * g.splits + i];
		const struct found<T> one = {
			(T) p.value.i, p.count, p.arg
		};

		merge<T, SEMIRING>(g, &best, one);
	}
	finish<T, SEMIRING>(g, s, best);
}

/* ---- host ----------------------------------------------------------------------- */

template <typename T, int SEMIRING>
static int launch(struct gpube_ctx *ctx, const struct general *g, const struct general *on_device)
{
	struct gpube__device *d = gpube__device_of(ctx);
	int64_t run = CELLS_PER_RUN / g->n_reduced;

	gpube__mark(ctx, 0);
	if (g->splits) {
		const unsigned blocks = (unsigned)(g->n_out_cells * g->splits);

		general_split<T, SEMIRING><<<blocks, THREADS, 0, d->stream>>>(on_device);
		general_join<T, SEMIRING><<<(unsigned)((g->n_out_cells + THREADS - 1) / THREADS),
			THREADS, 0, d->stream>>>(on_device);
		gpube__mark(ctx, 1);
		GPUBE_ECUDA(ctx, cudaGetLastError());
		return GPUBE_OK;
	}
	/* pieces of some tenths of a second, so that a stop is heard */
	run = run < 1 << 20 ? 1 << 20 : run;
	for (int64_t from = 0; from < g->n_out_cells; from += run) {
		const int64_t left = g->n_out_cells - from, n = left < run ? left : run;
		int64_t blocks = (n + THREADS - 1) / THREADS;

		if (from > 0) {
			GPUBE_ECUDA(ctx, cudaStreamSynchronize(d->stream));
			if (gpube__stopped(ctx))
				return gpube__fail_stopped(ctx);
		}
		blocks = blocks < 32 * d->n_sms ? blocks : 32 * d->n_sms;
		general_flat<T, SEMIRING>
			<<<(unsigned)blocks, THREADS, 0, d->stream>>>(on_device, from, from + n);
		GPUBE_ECUDA(ctx, cudaGetLastError());
	}
	gpube__mark(ctx, 1);
	return GPUBE_OK;
}

template <typename T>
static int launch_type(struct gpube_ctx *ctx, const struct general *g,
	const struct general *on_device, enum gpube_semiring semiring)
{
	return semiring == GPUBE_MIN_COUNT ? launch<T, GPUBE_MIN_COUNT>(ctx, g, on_device)
					   : launch<T, GPUBE_MIN_PLUS>(ctx, g, on_device);
}

/* Blocks per output cell: enough to fill the device when a thread per cell does not. */
static int splits_of(const struct gpube__device *d, const struct gpube__shape *s)
{
	const int64_t blocks =
		8 * d->n_sms < GPUBE_MAX_PARTIALS ? 8 * d->n_sms : GPUBE_MAX_PARTIALS;
	int64_t splits;

	if (s->n_out_cells > blocks || s->n_reduced < 4 * THREADS)
		return 0;
	splits = blocks / s->n_out_cells;
	if (splits > s->n_reduced / (2 * THREADS))
		splits = s->n_reduced / (2 * THREADS);
	return (int)splits;
}

struct cursor {
	unsigned char *host, *device;
	uint64_t at;
};

/* The next n * 8 bytes of the descriptor: their host address, and through *out the device's. */
static void *words_next(struct cursor *w, const void *out, uint64_t n)
{
	void *host = w->host + w->at, *device = w->device + w->at;

	memcpy((void *)out, &device, sizeof(device));
	w->at += n * 8;
	return host;
}

static void fill_offsets(int64_t *to, const struct gpube__shape *s)
{
	for (int k = 0; k < s->n_in; k++)
		for (int64_t r = 0; r < s->n_reduced; r++)
			*to++ = gpube__offset(r, s->n_dims - s->n_out, s->size + s->n_out,
				s->stride + (int64_t)k * s->ld + s->n_out);
}

static int general_shape(
	struct gpube_ctx *ctx, const struct gpube_contraction *c, const struct gpube__shape *s)
{
	struct gpube__device *d = gpube__device_of(ctx);
	const uint64_t n_in = (uint64_t)s->n_in, n_dims = (uint64_t)s->n_dims;
	const bool offsets = n_in == 0 || s->n_reduced <= (int64_t)(MAX_OFFSETS / n_in);
	const uint64_t n_offsets = offsets ? n_in * (uint64_t)s->n_reduced : 0;
	const uint64_t bytes = sizeof(struct general) + 64 +
			       8 * (2 * n_dims + n_in * n_dims + 2 * n_in + n_offsets);
	struct general *g;
	struct cursor w;
	void *device;
	int64_t *stride, *reduced;
	const void **values;
	const uint64_t **counts;
	int status;

	w.host = gpube__words(ctx, &device, bytes);
	if (!w.host)
		return GPUBE_ENOMEM;
	w.device = (unsigned char *)device;
	w.at = (sizeof(*g) + 63) / 64 * 64;
	g = (struct general *)w.host;
	memset(g, 0, sizeof(*g));
	g->n_in = s->n_in;
	g->n_out = s->n_out;
	g->n_dims = s->n_dims;
	g->arg_bytes = c->arg_bytes;
	g->has_offsets = offsets;
	g->n_out_cells = s->n_out_cells;
	g->n_reduced = s->n_reduced;
	g->repeat = s->repeat;
	g->top = c->top;
	g->threshold = c->threshold;
	g->modulus = c->modulus;
	g->splits = splits_of(d, s);
	g->out = c->out;
	g->out_counts = c->out_counts;
	g->out_arg = c->out_arg;
	g->partials = d->partials;
	memcpy(words_next(&w, &g->size, n_dims), s->size, n_dims * 8);
	memcpy(words_next(&w, &g->arg_stride, n_dims), s->arg_stride, n_dims * 8);
	stride = (int64_t *)words_next(&w, &g->stride, n_in * n_dims);
	for (uint64_t k = 0; k < n_in; k++)
		memcpy(stride + k * n_dims, s->stride + k * (uint64_t)s->ld, n_dims * 8);
	reduced = (int64_t *)words_next(&w, &g->offsets, n_offsets);
	if (offsets)
		fill_offsets(reduced, s);
	values = (const void **)words_next(&w, &g->values, n_in);
	counts = (const uint64_t **)words_next(&w, &g->counts, n_in);
	for (uint64_t k = 0; k < n_in; k++) {
		values[k] = c->in[k].values;
		counts[k] = c->in[k].counts;
	}
	status = gpube__words_send(ctx, w.at);
	if (status != GPUBE_OK)
		return status;
	return c->type == GPUBE_INT32
		       ? launch_type<int32_t>(ctx, g, (struct general *)device, c->semiring)
		       : launch_type<int64_t>(ctx, g, (struct general *)device, c->semiring);
}

int gpube__contract_general(struct gpube_ctx *ctx, const struct gpube_contraction *c)
{
	struct gpube__shape s;
	int64_t *stride = (int64_t *)gpube__alloc(
		ctx, (uint64_t)c->n_in * GPUBE_MAX_DIMS + 1, sizeof(*stride));
	int status;

	if (!stride)
		return GPUBE_ENOMEM;
	gpube__shape_init(&s, c, stride, c->out_arg != NULL);
	status = general_shape(ctx, c, &s);
	gpube__free(ctx, stride);
	return status;
}

cudaError_t gpube__contract_general_probe(void)
{
	struct cudaFuncAttributes attributes;

	return cudaFuncGetAttributes(&attributes, general_flat<int32_t, GPUBE_MIN_PLUS>);
}
