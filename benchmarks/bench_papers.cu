/*
 * bench_papers.cu - what the papers show of the insides of their kernels, of ours on this card.
 *
 *     bench_papers stages AGENTS...      IDP^G's stages: sizes one after the other with the host
 * waiting for each, as the library has them; queued; and merged as in the paper's algorithm 1
 *     bench_papers apart                 figure 9 of GpuBE: a bucket's tables aggregated, then a
 * variable eliminated, in kernels as the paper has them, and the library's, which do both at once;
 * one core beside
 *
 * Tables as Markdown on standard output. Every result is compared with another way to it; WRONG
 * where they differ.
 */
#include "gpube/ops/subset/subset_dp.cuh"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <algorithm>
#include <vector>

extern "C" {
#include "gpube/base/base.h"
#include "gpube/ops/contract/contract.h"
#include "tests/support/shapes.h"
}

#define MUST(call)                                                                                 \
	do {                                                                                       \
		cudaError_t error_ = (call);                                                       \
		if (error_ != cudaSuccess) {                                                       \
			fprintf(stderr, "%s: %s\n", #call, cudaGetErrorString(error_));            \
			exit(1);                                                                   \
		}                                                                                  \
	} while (0)

/* ---- the stages of IDP^G ---------------------------------------------------------------- */

__global__ void fill_values(int32_t *to, uint64_t n, uint64_t seed, int32_t most)
{
	for (uint64_t i = (uint64_t)blockIdx.x * blockDim.x + threadIdx.x; i < n;
		i += (uint64_t)gridDim.x * blockDim.x) {
		uint64_t x = (seed + i) * 0x9e3779b97f4a7c15u;

		x = (x ^ (x >> 31)) * 0xbf58476d1ce4e5b9u;
		to[i] = i ? (int32_t)((x >> 32) % (uint64_t)most) * (most < 1000 ? 1 : __popcll(i))
			  : 0;
	}
}

__global__ void collect(
	struct gpube_splits s, uint64_t n_coalitions, const int32_t *partials, int n)
{
	const uint64_t id = (uint64_t)blockIdx.x * blockDim.x + threadIdx.x;
	uint64_t c;
	int32_t best;

	if (id >= n_coalitions)
		return;
	c = gpube__subset_of_size(s.n_bits, s.size, id);
	best = ((const int32_t *)s.value)[c];
	for (int k = 0; k < n; k++)
		best = max(partials[id * n + k], best);
	((int32_t *)s.best)[c] = best;
}

struct game {
	int n;
	uint64_t cells;
	int32_t *value, *best, *partials;
	uint64_t partials_cells;
};

static void game_new(struct game *g, int n)
{
	g->n = n;
	g->cells = (uint64_t)1 << n;
	MUST(cudaMalloc((void **)&g->value, g->cells * 4));
	MUST(cudaMalloc((void **)&g->best, g->cells * 4));
	g->partials_cells = std::max<uint64_t>(g->cells, 1u << 20);
	MUST(cudaMalloc((void **)&g->partials, g->partials_cells * 4));
	fill_values<<<2048, 256>>>(g->value, g->cells, 1, 1000000);
	MUST(cudaDeviceSynchronize());
}

static void game_free(struct game *g)
{
	MUST(cudaFree(g->value));
	MUST(cudaFree(g->best));
	MUST(cudaFree(g->partials));
}

static struct gpube_splits splits_of(const struct game *g, int size, int most)
{
	struct gpube_splits s;

	memset(&s, 0, sizeof(s));
	s.type = GPUBE_INT32;
	s.n_bits = g->n;
	s.size = size;
	s.most = most;
	s.value = g->value;
	s.best = g->best;
	return s;
}

/* As by_groups() of subset_dp.cu. */
static void groups(const struct game *g, int size, cudaStream_t stream)
{
	const struct gpube_splits s = splits_of(g, size, size - 1);
	const uint64_t n = gpube__n_of_size(g->n, size);
	const uint64_t blocks = (n + DP_COALITIONS - 1) / DP_COALITIONS;
	const uint64_t rounds = ((uint64_t)1 << (size - 1)) / (2 * DP_THREADS);
	uint64_t shares = 132 * 16 / blocks + 1;

	shares = shares < rounds ? shares : rounds ? rounds : 1;
	if (n * shares > g->partials_cells) {
		fprintf(stderr, "no room for %d of %d agents\n", size, g->n);
		exit(1);
	}
	group_kernel<int32_t, true>
		<<<dim3((unsigned)blocks, (unsigned)shares), DP_THREADS, 0, stream>>>(
			s, n, g->partials);
	collect<<<(unsigned)((n + 255) / 256), 256, 0, stream>>>(s, n, g->partials, (int)shares);
	MUST(cudaGetLastError());
}

static int32_t value_of_all(const struct game *g)
{
	int32_t v;

	MUST(cudaMemcpy(&v, g->best + g->cells - 1, 4, cudaMemcpyDeviceToHost));
	return v;
}

/* As csg__dp_most(). */
static int most_of(int n, int size)
{
	return size == n ? size - 1 : n - size < (size + 1) / 2 ? 0 : std::min(n - size, size - 1);
}

static void by_threads(const struct game *g, int size, cudaStream_t stream)
{
	const uint64_t n = gpube__n_of_size(g->n, size);

	if (size == g->n)
		groups(g, size, stream);
	else
		thread_kernel<int32_t><<<(unsigned)((n + 255) / 256), 256, 0, stream>>>(
			splits_of(g, size, most_of(g->n, size)), n);
	MUST(cudaGetLastError());
}

enum plan { WAITING, QUEUED, MERGED };

/* Seconds of all sizes; sizes that IDP never splits keep their values and are not launched. */
static double stages(const struct game *g, enum plan plan, cudaStream_t *s, int *waits)
{
	cudaEvent_t done;
	double start;

	MUST(cudaEventCreateWithFlags(&done, cudaEventDisableTiming));
	MUST(cudaMemcpy(g->best, g->value, g->cells * 4, cudaMemcpyDeviceToDevice));
	MUST(cudaDeviceSynchronize());
	*waits = 0;
	start = gpube__now();
	if (plan == MERGED) {
		/* size k and size n - k + 1, which depends on sizes up to k - 1 alone, at the same
		 * time */
		for (int size = 2; size <= g->n / 2; size++) {
			const int other = g->n - size + 1;
			const bool both = other > g->n / 2 && other < g->n && most_of(g->n, other);

			by_threads(g, size, s[0]);
			if (both)
				by_threads(g, other, s[1]);
			MUST(cudaStreamSynchronize(s[0]));
			if (both)
				MUST(cudaStreamSynchronize(s[1]));
			++*waits;
		}
		if (g->n % 2 &&
			most_of(g->n, g->n / 2 + 1)) { /* the middle size of an odd number */
			by_threads(g, g->n / 2 + 1, s[0]);
			MUST(cudaStreamSynchronize(s[0]));
			++*waits;
		}
		by_threads(g, g->n, s[0]);
	} else {
		for (int size = 2; size <= g->n; size++) {
			if (!most_of(g->n, size))
				continue;
			by_threads(g, size, s[0]);
			if (plan == WAITING && size < g->n) {
				MUST(cudaStreamSynchronize(s[0]));
				++*waits;
			}
		}
	}
	MUST(cudaStreamSynchronize(s[0]));
	MUST(cudaEventDestroy(done));
	return gpube__now() - start;
}

__global__ void nothing()
{
}

static void all_stages(int argc, char **argv)
{
	const char *const names[] = {
		"a size at a time, the host waits", "queued", "stages of two sizes (IDP^G)"};
	cudaStream_t s[2];
	double start;

	MUST(cudaStreamCreate(&s[0]));
	MUST(cudaStreamCreate(&s[1]));
	nothing<<<1, 1, 0, s[0]>>>();
	MUST(cudaStreamSynchronize(s[0]));
	start = gpube__now();
	for (int k = 0; k < 1000; k++) {
		nothing<<<1, 1, 0, s[0]>>>();
		MUST(cudaStreamSynchronize(s[0]));
	}
	printf("\n## IDP on a card: what merging the launches of stages spares\n\nAn empty launch "
	       "and the host's waiting for it: %.2f us (mean of 1000).\n\n",
		1e6 * (gpube__now() - start) / 1000);
	printf("| agents |");
	for (int p = 0; p < 3; p++)
		printf(" %s: seconds | waits |", names[p]);
	printf(" merging spares | |\n|---|---|---|---|---|---|---|---|---|\n");
	for (int k = 0; k < argc; k++) {
		struct game g;
		double best[3] = {1e9, 1e9, 1e9};
		int waits[3];
		int32_t value[3];

		game_new(&g, atoi(argv[k]));
		for (int p = 0; p < 3; p++) {
			const int repeats = g.n <= 24 ? 5 : 1;

			for (int r = 0; r < repeats; r++)
				best[p] = std::min(best[p], stages(&g, (enum plan)p, s, &waits[p]));
			value[p] = value_of_all(&g);
		}
		printf("| %d |", g.n);
		for (int p = 0; p < 3; p++)
			printf(" %.6f | %d |", best[p], waits[p]);
		printf(" %.2f %% | %s |\n", 100 * (1 - best[MERGED] / best[WAITING]),
			value[0] == value[1] && value[1] == value[2] ? "same value" : "WRONG");
		fflush(stdout);
		game_free(&g);
	}
}

/* ---- figure 9 of GpuBE ----------------------------------------------------------------------- */

#define MAX_DIMS 12

/* A joined table's dims, the eliminated one last, and an operand's step along each; 0: it has it
 * not. */
struct steps {
	int n;
	int64_t size[MAX_DIMS], step[MAX_DIMS];
};

static __host__ __device__ inline int64_t cell_of(const struct steps &s, int64_t i)
{
	int64_t at = 0;

	for (int d = s.n - 1; d >= 0; d--) {
		at += i % s.size[d] * s.step[d];
		i /= s.size[d];
	}
	return at;
}

/* The paper's Gpu::Aggregate: a thread a row of the output table, which has the table added to it.
 */
__global__ void aggregate(int32_t *out, int64_t n, const int32_t *in, struct steps s, bool first)
{
	for (int64_t i = (int64_t)blockIdx.x * blockDim.x + threadIdx.x; i < n;
		i += (int64_t)gridDim.x * blockDim.x)
		out[i] = (first ? 0 : out[i]) + in[cell_of(s, i)];
}

/* The paper's Gpu::Eliminate: a thread a row of what is left, over the values of the eliminated
 * variable. */
__global__ void eliminate(int32_t *out, int64_t rows, const int32_t *joined, int d)
{
	for (int64_t i = (int64_t)blockIdx.x * blockDim.x + threadIdx.x; i < rows;
		i += (int64_t)gridDim.x * blockDim.x) {
		int32_t best = joined[i * d];

		for (int x = 1; x < d; x++)
			best = min(best, joined[i * d + x]);
		out[i] = best;
	}
}

static void aggregate_here(
	int32_t *out, int64_t n, const int32_t *in, const struct steps &s, bool first)
{
	int64_t at[MAX_DIMS] = {0}, cell = 0;

	for (int64_t i = 0; i < n;
		i++) { /* an odometer, since divisions would slow a core down for nothing */
		out[i] = (first ? 0 : out[i]) + in[cell];
		for (int d = s.n - 1; d >= 0; d--) {
			cell += s.step[d];
			if (++at[d] < s.size[d])
				break;
			cell -= s.step[d] * s.size[d];
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

static float timed(cudaEvent_t from, cudaEvent_t to)
{
	float ms;

	MUST(cudaEventRecord(to, 0));
	MUST(cudaEventSynchronize(to));
	MUST(cudaEventElapsedTime(&ms, from, to));
	return ms * 1e-3f;
}

static float middle(std::vector<float> v)
{
	std::sort(v.begin(), v.end());
	return v[v.size() / 2];
}

/* A bucket and what it takes, in seconds: apart on the card and on a core, and fused. */
struct bucket {
	struct gpube_ctx *ctx;
	const struct gpube_ops *ops;
	struct shape shape;
	struct gpube_contraction c;
	struct gpube_operand in[16];
	struct steps steps[16];
	int32_t *host[16];
	int64_t cells; /* of the joined table */
	int x;         /* values of the eliminated variable */
	int32_t *joined, *out, *joined_here, *out_here;
	float aggregate, eliminate, fused;
	double aggregate_here, eliminate_here;
};

static void bucket_operand(struct bucket *b, int k)
{
	const uint64_t bytes = shape_in_bytes(&b->shape, k);
	int64_t step = 1;
	void *p = b->ops->alloc(b->ctx, bytes);

	b->host[k] = (int32_t *)malloc(bytes);
	if (!p || !b->host[k])
		exit(1);
	fill_values<<<1024, 256>>>((int32_t *)p, bytes / 4, (uint64_t)(k + 1) << 40, 100);
	MUST(cudaMemcpy(b->host[k], p, bytes, cudaMemcpyDeviceToHost));
	b->in[k] = b->shape.in[k];
	b->in[k].values = p;
	b->steps[k].n = b->c.n_dims;
	for (int d = 0; d < b->c.n_dims; d++)
		b->steps[k].size[d] = b->c.sizes[d];
	for (int i = b->in[k].n_dims - 1; i >= 0; i--) {
		b->steps[k].step[b->in[k].dims[i]] = step;
		step *= b->c.sizes[b->in[k].dims[i]];
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
	if (problem || b->c.n_dims > MAX_DIMS || b->c.n_dims - b->c.n_out != 1 || b->c.n_in > 16) {
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
		free(b->host[k]);
	}
	b->ops->free(b->ctx, b->out);
	b->ops->free(b->ctx, b->c.out);
	MUST(cudaFree(b->joined));
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
		for (int k = 0; k < b->c.n_in; k++)
			aggregate<<<4096, 256>>>(b->joined, b->cells,
				(const int32_t *)b->in[k].values, b->steps[k], k == 0);
		const float t = timed(from, to);
		MUST(cudaEventRecord(from, 0));
		eliminate<<<4096, 256>>>(b->out, b->cells / b->x, b->joined, b->x);
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
			aggregate_here(b->joined_here, b->cells, b->host[k], b->steps[k], k == 0);
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
	const struct gpube_ops *ops;
	int status;

	if (gpube_ctx_new(&ctx, NULL))
		exit(1);
	ops = gpube__ops_cuda(ctx, &status);
	if (!ops) {
		fprintf(stderr, "%s\n", gpube_error(ctx));
		exit(1);
	}
	MUST(cudaEventCreate(&gpube__device_of(ctx)->marks[0]));
	MUST(cudaEventCreate(&gpube__device_of(ctx)->marks[1]));
	printf("\n## GpuBE's figure 9: the largest buckets, microseconds of kernels; times: one "
	       "core, the same two loops\n\n"
	       "| bucket | joined cells | aggregate (times one core) | eliminate (times one core) "
	       "| both | ours, fused | both over fused | core over fused | table written: apart to "
	       "fused | |\n"
	       "|---|---|---|---|---|---|---|---|---|---|\n");
	for (size_t k = 0; k < sizeof(buckets) / sizeof(buckets[0]); k++)
		one_bucket(ctx, ops, buckets[k][0], buckets[k][1]);
	gpube_ctx_free(ctx);
}

int main(int argc, char **argv)
{
	if (argc > 2 && strcmp(argv[1], "stages") == 0)
		all_stages(argc - 2, argv + 2);
	else if (argc > 1 && strcmp(argv[1], "apart") == 0)
		apart();
	else {
		fprintf(stderr, "usage: bench_papers stages AGENTS... | apart\n");
		return 2;
	}
	return 0;
}
