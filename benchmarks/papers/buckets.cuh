/*
 * buckets.cuh - of bench_papers: figures 7 and 9 of GpuBE.
 */
#ifndef BENCH_PAPERS_BUCKETS_CUH
#define BENCH_PAPERS_BUCKETS_CUH

#include "benchmarks/papers/measure.cuh"

extern "C" {
#include "gpube/ops/contract/contract.h"
#include "tests/support/shapes.h"
}

/* ---- figure 9 of GpuBE ----------------------------------------------------------------------- */

#define MAX_DIMS   12
#define MAX_TABLES 8

/*
 * The paper's equation (2): row r of the joined table reads row sum of mul (r / div mod mod) of an
 * input, whose last variable is the eliminated one, as the joined table's is; all numbers have 32
 * bits. Vectors of all inputs lie in one array, which a block copies to shared memory.
 */
struct vectors {
	uint32_t n_tables, length[MAX_TABLES];
	uint32_t mul[MAX_TABLES][MAX_DIMS], div[MAX_TABLES][MAX_DIMS], mod[MAX_TABLES][MAX_DIMS];
};

struct inputs {
	const int32_t *values[MAX_TABLES];
};

static __host__ __device__ inline uint32_t row_of(const struct vectors &v, uint32_t k, uint32_t r)
{
	const uint32_t last = v.length[k] - 1;
	uint32_t row = 0;

	for (uint32_t l = 0; l < last; l++)
		row += v.mul[k][l] * (r / v.div[k][l] % v.mod[k][l]);
	return row + r % v.mod[k][last];
}

/*
 * The paper's Gpu::Aggregate with its loop over the tables of a bucket unrolled into one kernel: a
 * thread a row of the joined table, rows from 'from' to 'to'.
 */
__global__ void aggregate(
	int32_t *out, uint32_t from, uint32_t to, const struct inputs in, const struct vectors *all)
{
	__shared__ struct vectors v;
	const uint32_t r = from + blockIdx.x * blockDim.x + threadIdx.x;
	int32_t sum = 0;

	for (uint32_t i = threadIdx.x; i < sizeof(v) / 4; i += blockDim.x)
		((uint32_t *)&v)[i] = ((const uint32_t *)all)[i];
	__syncthreads();
	if (r >= to)
		return;
	for (uint32_t k = 0; k < v.n_tables; k++)
		sum += in.values[k][row_of(v, k, r)];
	out[r] = sum;
}

/*
 * The paper's Gpu::Eliminate: a thread a row of what is left, over the values of the eliminated
 * variable. It writes into the joined table's memory there, where other threads still read; here
 * into memory of its own.
 */
__global__ void eliminate(int32_t *out, int64_t rows, const int32_t *joined, int d)
{
	const int64_t i = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
	int32_t best;

	if (i >= rows)
		return;
	best = joined[i * d];
	for (int x = 1; x < d; x++)
		best = min(best, joined[i * d + x]);
	out[i] = best;
}

static unsigned blocks_of(int64_t threads)
{
	return (unsigned)((threads + 255) / 256);
}

/* The same on a core, a table after the other: an odometer, for divisions would slow it down. */
static void aggregate_here(int32_t *out, int64_t n, const int32_t *in, const int64_t *size,
	const int64_t *step, int n_dims, bool first)
{
	int64_t at[MAX_DIMS] = {0}, cell = 0;

	for (int64_t i = 0; i < n; i++) {
		out[i] = (first ? 0 : out[i]) + in[cell];
		for (int d = n_dims - 1; d >= 0; d--) {
			cell += step[d];
			if (++at[d] < size[d])
				break;
			cell -= step[d] * size[d];
			at[d] = 0;
		}
	}
}

static void eliminate_here(int32_t *out, int64_t rows, const int32_t *joined, int d)
{
	for (int64_t i = 0; i < rows; i++) {
		int32_t best = joined[i * d];

		for (int x = 1; x < d; x++)
			best = std::min(best, joined[i * d + x]);
		out[i] = best;
	}
}

/*
 * A bucket and what it takes, in seconds: apart on the card and on a core, and fused. The library
 * has its inputs as its own messages are, the eliminated variable first; the paper's have it last.
 */
struct bucket {
	struct gpube_ctx *ctx;
	const struct gpube_ops *ops;
	struct shape shape;
	struct gpube_contraction c;
	struct gpube_operand in[MAX_TABLES];
	int64_t step[MAX_TABLES][MAX_DIMS]; /* of the paper's, along the joined table's dims */
	int32_t *host[MAX_TABLES];
	struct inputs papers;
	struct vectors v, *on_card;
	int64_t cells; /* of the joined table */
	int x;         /* values of the eliminated variable */
	int32_t *joined, *out, *joined_here, *out_here;
	float aggregate, eliminate, fused;
	double aggregate_here, eliminate_here;
};

/* From the eliminated variable first to it last. */
static void reorder(int32_t *to, const int32_t *from, int64_t rest, int x)
{
	for (int64_t r = 0; r < rest; r++)
		for (int v = 0; v < x; v++)
			to[r * x + v] = from[(int64_t)v * rest + r];
}

static void bucket_operand(struct bucket *b, int k)
{
	const struct gpube_operand *in = &b->shape.in[k];
	const uint64_t bytes = shape_in_bytes(&b->shape, k);
	const int32_t eliminated = b->c.n_dims - 1;
	std::vector<int32_t> ours(bytes / 4);
	int64_t step = b->x, stride = 1;
	void *p = b->ops->alloc(b->ctx, bytes);

	b->host[k] = (int32_t *)malloc(bytes);
	if (!p || !b->host[k] || in->dims[0] != eliminated)
		exit(1);
	fill_values<<<1024, 256>>>((int32_t *)p, bytes / 4, (uint64_t)(k + 1) << 40, 100);
	MUST(cudaMemcpy(ours.data(), p, bytes, cudaMemcpyDeviceToHost));
	b->in[k] = *in;
	b->in[k].values = p;
	reorder(b->host[k], ours.data(), (int64_t)(bytes / 4) / b->x, b->x);
	MUST(cudaMalloc((void **)&b->papers.values[k], bytes));
	MUST(cudaMemcpy((void *)b->papers.values[k], b->host[k], bytes, cudaMemcpyHostToDevice));
	b->step[k][eliminated] = 1;
	for (int i = in->n_dims - 1; i > 0; i--) {
		b->step[k][in->dims[i]] = step;
		step *= b->c.sizes[in->dims[i]];
	}
	b->v.length[k] = (uint32_t)in->n_dims;
	for (int d = eliminated, l = in->n_dims - 1; d >= 0; d--) {
		if (b->step[k][d]) {
			b->v.mul[k][l] = (uint32_t)b->step[k][d];
			b->v.div[k][l] = (uint32_t)stride;
			b->v.mod[k][l--] = (uint32_t)b->c.sizes[d];
		}
		stride *= b->c.sizes[d];
	}
}

static void bucket_open(
	struct bucket *b, struct gpube_ctx *ctx, const struct gpube_ops *ops, const char *text)
{
	const char *problem;

	memset(b, 0, sizeof(*b));
	b->ctx = ctx;
	b->ops = ops;
	problem = shape_parse(&b->shape, text, GPUBE_MIN_PLUS, GPUBE_INT32);
	b->c = b->shape.c;
	if (problem || b->c.n_dims > MAX_DIMS || b->c.n_dims - b->c.n_out != 1 ||
		b->c.n_in > MAX_TABLES) {
		fprintf(stderr, "%s: %s\n", text, problem ? problem : "too large");
		exit(1);
	}
	b->c.in = b->in;
	b->c.top = b->c.threshold = INT32_MAX / 64;
	b->x = (int)b->c.sizes[b->c.n_dims - 1];
	b->cells = 1;
	for (int k = 0; k < b->c.n_dims; k++)
		b->cells *= b->c.sizes[k];
	for (int k = 0; k < b->c.n_in; k++)
		bucket_operand(b, k);
	b->v.n_tables = (uint32_t)b->c.n_in;
	MUST(cudaMalloc((void **)&b->on_card, sizeof(b->v)));
	MUST(cudaMemcpy(b->on_card, &b->v, sizeof(b->v), cudaMemcpyHostToDevice));
	b->out = (int32_t *)ops->alloc(ctx, (uint64_t)(b->cells / b->x) * 4);
	b->c.out = ops->alloc(ctx, (uint64_t)(b->cells / b->x) * 4);
	b->joined_here = (int32_t *)malloc((size_t)b->cells * 4);
	b->out_here = (int32_t *)malloc((size_t)(b->cells / b->x) * 4);
	MUST(cudaMalloc((void **)&b->joined, (size_t)b->cells * 4));
}

static void bucket_close(struct bucket *b)
{
	for (int k = 0; k < b->c.n_in; k++) {
		b->ops->free(b->ctx, (void *)b->in[k].values);
		MUST(cudaFree((void *)b->papers.values[k]));
		free(b->host[k]);
	}
	b->ops->free(b->ctx, b->out);
	b->ops->free(b->ctx, b->c.out);
	MUST(cudaFree(b->joined));
	MUST(cudaFree(b->on_card));
	free(b->joined_here);
	free(b->out_here);
	shape_free(&b->shape);
}

/* The middle of nine, after one that is not counted. */
static void on_card(struct bucket *b)
{
	std::vector<float> aggregated, eliminated, fused;
	cudaEvent_t from, to;
	float ms = 0;

	MUST(cudaEventCreate(&from));
	MUST(cudaEventCreate(&to));
	for (int r = 0; r < 10; r++) {
		MUST(cudaEventRecord(from, 0));
		aggregate<<<blocks_of(b->cells), 256>>>(
			b->joined, 0, (uint32_t)b->cells, b->papers, b->on_card);
		const float t = timed(from, to);
		MUST(cudaEventRecord(from, 0));
		eliminate<<<blocks_of(b->cells / b->x), 256>>>(
			b->out, b->cells / b->x, b->joined, b->x);
		const float u = timed(from, to);
		MUST(cudaDeviceSynchronize());
		if (b->ops->contract(b->ctx, &b->c)) {
			fprintf(stderr, "%s\n", gpube_error(b->ctx));
			exit(1);
		}
		MUST(cudaDeviceSynchronize());
		MUST(cudaEventElapsedTime(&ms, gpube__device_of(b->ctx)->marks[0],
			gpube__device_of(b->ctx)->marks[1]));
		if (r) {
			aggregated.push_back(t);
			eliminated.push_back(u);
			fused.push_back(ms * 1e-3f);
		}
	}
	b->aggregate = middle(aggregated);
	b->eliminate = middle(eliminated);
	b->fused = middle(fused);
	MUST(cudaEventDestroy(from));
	MUST(cudaEventDestroy(to));
}

/* The best of three, or one of a large table. */
static void on_core(struct bucket *b)
{
	memset(b->joined_here, 1, (size_t)b->cells * 4); /* the memory is there */
	b->aggregate_here = b->eliminate_here = 1e9;
	for (int r = 0; r < (b->cells > 100000000 ? 1 : 3); r++) {
		double start = gpube__now();

		for (int k = 0; k < b->c.n_in; k++)
			aggregate_here(b->joined_here, b->cells, b->host[k], b->c.sizes, b->step[k],
				b->c.n_dims, k == 0);
		b->aggregate_here = std::min(b->aggregate_here, gpube__now() - start);
		start = gpube__now();
		eliminate_here(b->out_here, b->cells / b->x, b->joined_here, b->x);
		b->eliminate_here = std::min(b->eliminate_here, gpube__now() - start);
	}
}

/* Whether both ways of the card have found what the core has. */
static bool all_agree(const struct bucket *b)
{
	const size_t n = (size_t)(b->cells / b->x);
	std::vector<int32_t> fused(n), apart(n);

	MUST(cudaMemcpy(fused.data(), b->c.out, n * 4, cudaMemcpyDeviceToHost));
	MUST(cudaMemcpy(apart.data(), b->out, n * 4, cudaMemcpyDeviceToHost));
	return fused == apart && !memcmp(fused.data(), b->out_here, n * 4);
}

static void one_bucket(
	struct gpube_ctx *ctx, const struct gpube_ops *ops, const char *name, const char *text)
{
	struct bucket b;

	bucket_open(&b, ctx, ops, text);
	on_card(&b);
	on_core(&b);
	const double ta = b.aggregate, te = b.eliminate, tf = b.fused;
	printf("| %s | %.3g | %.4g (%.0f) | %.4g (%.0f) | %.4g | **%.4g** | %.1f | %.0f | %.1f to "
	       "%.1f MB | %s |\n",
		name, (double)b.cells, 1e6 * ta, b.aggregate_here / ta, 1e6 * te,
		b.eliminate_here / te, 1e6 * (ta + te), 1e6 * tf, (ta + te) / tf,
		(b.aggregate_here + b.eliminate_here) / tf, 4e-6 * (double)b.cells,
		4e-6 * (double)(b.cells / b.x), all_agree(&b) ? "same" : "WRONG");
	fflush(stdout);
	bucket_close(&b);
}

/* ---- figure 7 -------------------------------------------------------------------------------- */

#define CHUNKS 16

/*
 * Seconds until the bucket's first table, which has all of its variables, is on the card and
 * aggregated: copied whole before the kernel, or in chunks of rows, each of which is aggregated
 * while the next is copied.
 */
static double first_table(struct bucket *b, const int32_t *pinned, int chunks, bool kernels)
{
	const int64_t rows = (b->cells + chunks - 1) / chunks;
	cudaStream_t s[2];
	double start;

	for (int k = 0; k < 2; k++)
		MUST(cudaStreamCreate(&s[k]));
	MUST(cudaDeviceSynchronize());
	start = gpube__now();
	for (int k = 0; k < chunks; k++) {
		const int64_t from = k * rows, to = std::min(from + rows, b->cells);

		if (from >= to)
			break;
		MUST(cudaMemcpyAsync((int32_t *)b->papers.values[0] + from, pinned + from,
			(size_t)(to - from) * 4, cudaMemcpyHostToDevice, s[k % 2]));
		if (kernels)
			aggregate<<<blocks_of(to - from), 256, 0, s[k % 2]>>>(
				b->joined, (uint32_t)from, (uint32_t)to, b->papers, b->on_card);
	}
	MUST(cudaDeviceSynchronize());
	start = gpube__now() - start;
	for (int k = 0; k < 2; k++)
		MUST(cudaStreamDestroy(s[k]));
	return start;
}

static void one_copy(
	struct gpube_ctx *ctx, const struct gpube_ops *ops, const char *name, const char *text)
{
	struct bucket b;
	double copy = 1e9, whole = 1e9, beside = 1e9;
	int32_t *pinned;

	bucket_open(&b, ctx, ops, text);
	MUST(cudaMallocHost((void **)&pinned, (size_t)b.cells * 4));
	memcpy(pinned, b.host[0], (size_t)b.cells * 4);
	for (int r = 0; r < 4; r++) {
		copy = std::min(copy, first_table(&b, pinned, 1, false));
		whole = std::min(whole, first_table(&b, pinned, 1, true));
		beside = std::min(beside, first_table(&b, pinned, CHUNKS, true));
	}
	on_card(&b);
	printf("| %s | %.0f | %.4g | %.4g | %.4g | %.2f | %.4g |\n", name, 4e-6 * (double)b.cells,
		1e3 * copy, 1e3 * whole, 1e3 * beside, whole / beside, 1e3 * b.fused);
	fflush(stdout);
	MUST(cudaFreeHost(pinned));
	bucket_close(&b);
}

/* ---- the buckets ----------------------------------------------------------------------------- */

static const struct gpube_ops *operators(struct gpube_ctx **ctx)
{
	const struct gpube_ops *ops;
	int status;

	if (gpube_ctx_new(ctx, NULL))
		exit(1);
	ops = gpube__ops_cuda(*ctx, &status);
	if (!ops) {
		fprintf(stderr, "%s\n", gpube_error(*ctx));
		exit(1);
	}
	MUST(cudaEventCreate(&gpube__device_of(*ctx)->marks[0]));
	MUST(cudaEventCreate(&gpube__device_of(*ctx)->marks[1]));
	return ops;
}

/* Largest buckets as they come along a depth-first order: messages of the children, and functions
 * of two. */
static void apart(void)
{
	static const char *const buckets[][2] = {
		{"random, d = 10, w = 5", "x=10 a=10 b=10 c=10 d=10 e=10 : a b c d e : x a b c , x "
					  "b c d e , x a , x d , x e"},
		{"random, d = 10, w = 7", "x=10 a=10 b=10 c=10 d=10 e=10 f=10 g=10 : a b c d e f g "
					  ": x a b c d e , x c d e f g , x a , x d , x g"},
		{"random, d = 25, w = 4",
			"x=25 a=25 b=25 c=25 d=25 : a b c d : x a b c , x b c d , x a , x d"},
		{"scale-free, d = 10, w = 6", "x=10 a=10 b=10 c=10 d=10 e=10 f=10 : a b c d e f : "
					      "x a b c d e , x b c d e f , x a , x f"},
		{"scale-free, d = 10, w = 8", "x=10 a=10 b=10 c=10 d=10 e=10 f=10 g=10 h=10 : a b "
					      "c d e f g h : x a b c d e f g h , x a , x h"},
		{"grid, d = 10, w = 4",
			"x=10 a=10 b=10 c=10 d=10 : a b c d : x a b c d , x a , x d"},
		{"grid, d = 25, w = 4",
			"x=25 a=25 b=25 c=25 d=25 : a b c d : x a b c d , x a , x d"},
		{"grid, d = 50, w = 4",
			"x=50 a=50 b=50 c=50 d=50 : a b c d : x a b c d , x a , x d"},
	};
	struct gpube_ctx *ctx;
	const struct gpube_ops *ops = operators(&ctx);

	printf("\n## GpuBE's figure 9: the largest buckets, microseconds of kernels; times: one "
	       "core, the same two loops\n\n"
	       "| bucket | joined cells | aggregate (times one core) | eliminate (times one core) "
	       "| both | ours, fused | both over fused | core over fused | table written: apart to "
	       "fused | |\n"
	       "|---|---|---|---|---|---|---|---|---|---|\n");
	for (size_t k = 0; k < sizeof(buckets) / sizeof(buckets[0]); k++)
		one_bucket(ctx, ops, buckets[k][0], buckets[k][1]);
	printf("\n## GpuBE's figure 7: the first table copied to the card and aggregated, "
	       "milliseconds; %d chunks\n\n| bucket | MB | copy alone | copy, then the kernel | "
	       "chunks beside each other | spared: times | ours, fused, the table on the card "
	       "|\n|---|---|---|---|---|---|---|\n",
		CHUNKS);
	for (size_t k = 4; k < sizeof(buckets) / sizeof(buckets[0]); k++)
		one_copy(ctx, ops, buckets[k][0], buckets[k][1]);
	gpube_ctx_free(ctx);
}

#endif
