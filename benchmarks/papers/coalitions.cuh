/*
 * coalitions.cuh - of bench_papers: IDP^G's stages, and the kernel of the report beside GPU-CSG's.
 */
#ifndef BENCH_PAPERS_COALITIONS_CUH
#define BENCH_PAPERS_COALITIONS_CUH

#include "gpube/ops/subset/subset_dp.cuh"

#include "benchmarks/papers/measure.cuh"

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

/*
 * As by_groups() of subset_dp.cu.
 * shared  what the coalition before has fetched is not fetched again
 */
static void groups(const struct game *g, int size, cudaStream_t stream, bool shared = true)
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
	if (shared)
		group_kernel<int32_t, true>
			<<<dim3((unsigned)blocks, (unsigned)shares), DP_THREADS, 0, stream>>>(
				s, n, g->partials);
	else
		group_kernel<int32_t, false>
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

/* ---- the report's kernel ---------------------------------------------------------------- */

#define REPORT_THREADS 256
#define LAMBDA         8 /* subsets a thread */

/*
 * Of the report's algorithm: subset number psi of a coalition C is (not C + psi) and C, psi from 0
 * to 'last'; those of more than half of C are left out. A block takes the greatest sum and its
 * subset by shared memory; 'most', a bucket of the coalition's own, decides by atomicMax whether it
 * is written to f and O. Where two blocks of a coalition are in there at once the report lets the
 * last one write; f takes the greater here.
 */
static __device__ void report_block(
	int32_t *f, uint32_t *O, int32_t *most, uint32_t C, uint32_t last, uint32_t block)
{
	__shared__ int32_t sums[REPORT_THREADS];
	__shared__ uint32_t subsets[REPORT_THREADS];
	const uint32_t t = threadIdx.x;
	const int half = __popc(C) / 2;
	uint32_t psi = LAMBDA * (t + REPORT_THREADS * block);

	sums[t] = 0;
	subsets[t] = 0;
	if (psi <= last) {
		for (int i = 0; i < LAMBDA; i++, psi++) {
			const uint32_t part = (~C + psi) & C;
			int32_t sum = 0;

			if (__popc(part) <= half && psi <= last)
				sum = f[C & ~part] + f[part];
			if (sum > sums[t]) {
				sums[t] = sum;
				subsets[t] = part;
			}
		}
	}
	__syncthreads();
	for (uint32_t n = REPORT_THREADS / 2; n; n /= 2) {
		if (t < n && sums[t] <= sums[t + n]) {
			sums[t] = sums[t + n];
			subsets[t] = subsets[t + n];
		}
		__syncthreads();
	}
	if (t || !sums[0] || f[C] > sums[0])
		return;
	if (atomicMax(&most[C], sums[0]) < sums[0]) {
		O[C] = subsets[0];
		atomicMax(&f[C], sums[0]);
		__threadfence();
	}
}

/* The report's: a launch a coalition. */
__global__ void report_one(int32_t *f, uint32_t *O, int32_t *most, uint32_t C, uint32_t last)
{
	report_block(f, O, most, C, last, blockIdx.x);
}

/* All coalitions of a size, 'shares' blocks each; how far psi runs is 0: as many as splits; 1: C */
__global__ void report_size(
	int32_t *f, uint32_t *O, int32_t *most, int n, int size, uint32_t shares, int all)
{
	const uint32_t C = (uint32_t)gpube__subset_of_size(n, size, blockIdx.x / shares);
	const uint32_t last = all ? C : 1u << (size - 1), block = blockIdx.x % shares;

	if (block * LAMBDA * REPORT_THREADS <= last)
		report_block(f, O, most, C, last, block);
}

static uint32_t report_shares(uint32_t last)
{
	return last / (LAMBDA * REPORT_THREADS) + 1;
}

static double by_report(
	const struct game *g, uint32_t *O, int32_t *most, bool all, bool each, cudaStream_t *s)
{
	double start;

	MUST(cudaMemcpy(g->best, g->value, g->cells * 4, cudaMemcpyDeviceToDevice));
	MUST(cudaMemset(most, 0, g->cells * 4));
	MUST(cudaDeviceSynchronize());
	start = gpube__now();
	for (int size = 2; size <= g->n; size++) {
		const uint64_t n = gpube__n_of_size(g->n, size);
		uint64_t C = gpube__subset_of_size(g->n, size, 0);

		for (uint64_t k = 0; each && k < n; k++, C = gpube__next_of_size(C)) {
			const uint32_t last = all ? (uint32_t)C : 1u << (size - 1);

			report_one<<<report_shares(last), REPORT_THREADS, 0, s[k % 8]>>>(
				g->best, O, most, (uint32_t)C, last);
		}
		if (!each) {
			const uint32_t shares =
				report_shares(all ? (uint32_t)g->cells - 1 : 1u << (size - 1));

			report_size<<<(unsigned)(n * shares), REPORT_THREADS, 0, s[0]>>>(
				g->best, O, most, g->n, size, shares, all);
		}
		MUST(cudaDeviceSynchronize());
	}
	return gpube__now() - start;
}

/* GPU-CSG's, all sizes. */
static double by_gpu_csg(const struct game *g, bool shared)
{
	double start;

	MUST(cudaMemcpy(g->best, g->value, g->cells * 4, cudaMemcpyDeviceToDevice));
	MUST(cudaDeviceSynchronize());
	start = gpube__now();
	for (int size = 2; size <= g->n; size++) {
		groups(g, size, 0, shared);
		MUST(cudaDeviceSynchronize());
	}
	return gpube__now() - start;
}

static void report(int argc, char **argv)
{
	cudaStream_t s[8];

	for (int k = 0; k < 8; k++)
		MUST(cudaStreamCreate(&s[k]));
	printf("\n## The report's kernel beside GPU-CSG's: seconds, int32, tables f and O on the "
	       "card\n\nsplits: subsets (not C + psi) and C for psi to 2^(size - 1), as many as "
	       "there "
	       "are splits; all: to C, so that no split is missed.\n\n| agents | a launch a "
	       "coalition: splits | all | a launch a size: splits | all | GPU-CSG | unshared | "
	       "value: "
	       "splits, all | GPU-CSG's |\n|---|---|---|---|---|---|---|---|---|\n");
	for (int k = 0; k < argc; k++) {
		double seconds[4] = {0, 0, 0, 0};
		int32_t values[4], *most;
		uint32_t *O;
		struct game g;

		game_new(&g, atoi(argv[k]));
		MUST(cudaMalloc((void **)&O, g.cells * 4));
		MUST(cudaMalloc((void **)&most, g.cells * 4));
		by_gpu_csg(&g, true);
		const double csg = by_gpu_csg(&g, true), unshared = by_gpu_csg(&g, false);
		const int32_t right = value_of_all(&g);
		for (int way = 0; way < 4; way++) {
			const bool all = way % 2, each = way < 2;

			values[way] = -1;
			if (all ? g.n > 20 : each && g.n > 22)
				continue; /* minutes */
			seconds[way] = by_report(&g, O, most, all, each, s);
			values[way] = value_of_all(&g);
		}
		printf("| %d |", g.n);
		for (int way = 0; way < 4; way++)
			values[way] < 0 ? printf(" not run |") : printf(" %.4f |", seconds[way]);
		printf(" %.4f | %.4f | %d, %d | %d%s |\n", csg, unshared, values[2], values[3],
			right,
			(values[1] >= 0 && values[1] != right) ||
					(values[3] >= 0 && values[3] != right)
				? " WRONG"
				: "");
		fflush(stdout);
		MUST(cudaFree(O));
		MUST(cudaFree(most));
		game_free(&g);
	}
}

#endif
