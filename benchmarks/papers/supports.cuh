/*
 * supports.cuh - of bench_papers: GPU-SE as its paper has it, beside the library's scan.
 */
#ifndef BENCH_PAPERS_SUPPORTS_CUH
#define BENCH_PAPERS_SUPPORTS_CUH

#include "benchmarks/papers/measure.cuh"

#include <math.h>

extern "C" {
#include "gpube/ir/payoffs.h"
#include "gpube/ops/support/support_sets.h"
#include "gpube/options/options.h"
#include "nash/nash.h"
}

#define SE_ACTIONS 16
#define SE_THREADS 1024 /* most of a block, as on the paper's card */
#define SE_NEAR    1e-9 /* of a payoff in [0, 1]; the paper does not say how it compares */

/* A game of n x n actions: a, player 1's payoffs by rows; b, player 2's. */
struct square {
	int n;
	double a[SE_ACTIONS * SE_ACTIONS], b[SE_ACTIONS * SE_ACTIONS];
};

/*
 * The strategy on 'own', of k actions, that makes the other player indifferent on 'other', whose
 * payoffs are p[other * s + own * t]: k - 1 differences and the sum of 1, by LU decomposition with
 * the largest pivot of a column and back substitution. False: the system is singular.
 */
static __device__ bool se_solve(
	double *x, const double *p, int s, int t, uint32_t own, uint32_t other, int k)
{
	double pay[SE_ACTIONS * SE_ACTIONS], z[SE_ACTIONS];
	uint32_t rows = other;
	int row = __ffs((int)rows) - 1;

	for (int i = 0; i < k; i++) {
		uint32_t columns = own;
		int next = 0;

		rows &= rows - 1;
		if (i < k - 1)
			next = __ffs((int)rows) - 1;
		for (int j = 0; j < k; j++, columns &= columns - 1) {
			const int c = __ffs((int)columns) - 1;

			pay[i * k + j] = i < k - 1 ? p[row * s + c * t] - p[next * s + c * t] : 1;
		}
		z[i] = i == k - 1;
		row = next;
	}
	for (int c = 0; c < k; c++) {
		int pivot = c;

		for (int i = c + 1; i < k; i++)
			if (fabs(pay[i * k + c]) > fabs(pay[pivot * k + c]))
				pivot = i;
		if (fabs(pay[pivot * k + c]) < SE_NEAR)
			return false;
		if (pivot != c) {
			for (int j = 0; j < k; j++) {
				const double d = pay[c * k + j];

				pay[c * k + j] = pay[pivot * k + j];
				pay[pivot * k + j] = d;
			}
			const double d = z[c];

			z[c] = z[pivot];
			z[pivot] = d;
		}
		for (int i = c + 1; i < k; i++) {
			const double l = pay[i * k + c] / pay[c * k + c];

			for (int j = c; j < k; j++)
				pay[i * k + j] -= l * pay[c * k + j];
			z[i] -= l * z[c];
		}
	}
	for (int i = k - 1; i >= 0; i--) {
		for (int j = i + 1; j < k; j++)
			z[i] -= pay[i * k + j] * z[j];
		z[i] /= pay[i * k + i];
	}
	for (int j = 0; own; own &= own - 1)
		x[__ffs((int)own) - 1] = z[j++];
	return true;
}

/* Whether x, on 'own', is a probability, and against it the best payoffs are those on 'other'. */
static __device__ bool se_answers(
	const double *x, const double *p, int s, int t, uint32_t own, uint32_t other, int n)
{
	double best = -1e300, least = 1e300;

	for (int j = 0; j < n; j++) {
		double sum = 0;

		for (uint32_t m = own; m; m &= m - 1) {
			const int i = __ffs((int)m) - 1;

			if (j == 0 && !(x[i] >= -SE_NEAR))
				return false;
			sum += x[i] * p[j * s + i * t];
		}
		best = fmax(best, sum);
		if (other >> j & 1)
			least = fmin(least, sum);
	}
	return least >= best - SE_NEAR;
}

/* Mixed and Pure of the paper: a block a support of player 1, a thread one of player 2. */
__global__ void __launch_bounds__(SE_THREADS) se_pairs(const struct square *g, int k,
	const uint32_t *sets, int n_sets, int blocks_of_set, unsigned long long *found)
{
	const uint32_t mine = sets[blockIdx.x / blocks_of_set];
	const int at = (int)(blockIdx.x % blocks_of_set * blockDim.x + threadIdx.x);
	double x[SE_ACTIONS], y[SE_ACTIONS];
	const int n = g->n;

	if (at >= n_sets)
		return;
	if (se_solve(x, g->b, 1, n, mine, sets[at], k) &&
		se_answers(x, g->b, 1, n, mine, sets[at], n) &&
		se_solve(y, g->a, n, 1, sets[at], mine, k) &&
		se_answers(y, g->a, n, 1, sets[at], mine, n))
		atomicAdd(found, 1ull);
}

/* Pairs that dominance leaves: each set within what the other leaves undominated. */
__global__ void se_left(const uint32_t *sets, const uint32_t *good_x, const uint32_t *good_y,
	int n_sets, unsigned long long *left)
{
	const int at = (int)(blockIdx.x * blockDim.x + threadIdx.x);
	unsigned long long sum = 0;

	if (at >= n_sets)
		return;
	for (int i = 0; i < n_sets; i++)
		sum += !(sets[i] & ~good_y[at]) && !(sets[at] & ~good_x[i]);
	atomicAdd(left, sum);
}

static void se_game(struct square *out, const struct gpube_model *m, int n)
{
	double least = INFINITY, most = -INFINITY;

	out->n = n;
	for (int side = 0; side < 2; side++) {
		double *to = side ? out->b : out->a;

		for (int i = 0; i < n * n; i++) {
			const struct gpube_rational v =
				gpube__table_rational(gpube__table(m, side), i);

			to[i] = gpube__rational_double(&v);
			least = fmin(least, to[i]);
			most = fmax(most, to[i]);
		}
		for (int i = 0; i < n * n; i++)
			to[i] = (to[i] - least) / (most > least ? most - least : 1);
		least = INFINITY;
		most = -INFINITY;
	}
}

/* What one game takes: seconds of the paper's kernel, its lists and copies; pairs, found, left. */
struct se_totals {
	double seconds;
	unsigned long long pairs, found, left;
};

static void se_paper(struct se_totals *t, const struct square *g)
{
	std::vector<uint32_t> sets, good[2];
	unsigned long long *count, counts[2];
	uint64_t better[2][SE_ACTIONS * SE_ACTIONS];
	uint32_t *on_card, *goods[2];
	struct square *game;
	double c[2][SE_ACTIONS * SE_ACTIONS], start;

	/* better[0] is over sets of player 1 and player 2's payoffs, [1] the other way round */
	for (int i = 0; i < g->n; i++)
		for (int j = 0; j < g->n; j++) {
			c[0][j * g->n + i] = g->b[i * g->n + j];
			c[1][i * g->n + j] = g->a[i * g->n + j];
		}
	for (int side = 0; side < 2; side++)
		gpube__support_better(better[side], c[side], g->n, g->n);
	MUST(cudaMalloc((void **)&on_card, 4u << SE_ACTIONS));
	for (int side = 0; side < 2; side++)
		MUST(cudaMalloc((void **)&goods[side], 4u << SE_ACTIONS));
	MUST(cudaMalloc((void **)&game, sizeof(*game)));
	MUST(cudaMalloc((void **)&count, sizeof(counts)));
	MUST(cudaMemset(count, 0, sizeof(counts)));
	memset(t, 0, sizeof(*t));
	for (int k = 1; k <= g->n; k++) {
		const int n_sets = (int)gpube__choose(g->n, k);
		const int of_set = (n_sets + SE_THREADS - 1) / SE_THREADS;
		const int threads = std::min(n_sets, SE_THREADS);

		start = gpube__now();
		sets.clear();
		for (uint64_t set = gpube__set_number(0, g->n, k); (int)sets.size() < n_sets;
			set = gpube__set_after(set))
			sets.push_back((uint32_t)set);
		MUST(cudaMemcpy(game, g, sizeof(*g), cudaMemcpyHostToDevice));
		MUST(cudaMemcpy(on_card, sets.data(), 4 * (size_t)n_sets, cudaMemcpyHostToDevice));
		se_pairs<<<(unsigned)(n_sets * of_set), threads>>>(
			game, k, on_card, n_sets, of_set, count);
		MUST(cudaDeviceSynchronize());
		t->seconds += gpube__now() - start;
		for (int side = 0; side < 2; side++) {
			good[side].clear();
			for (uint32_t set : sets)
				good[side].push_back(
					(uint32_t)gpube__undominated(better[side], g->n, set));
			MUST(cudaMemcpy(goods[side], good[side].data(), 4 * (size_t)n_sets,
				cudaMemcpyHostToDevice));
		}
		se_left<<<(unsigned)((n_sets + 255) / 256), 256>>>(
			on_card, goods[0], goods[1], n_sets, count + 1);
		t->pairs += (unsigned long long)n_sets * (unsigned long long)n_sets;
	}
	MUST(cudaMemcpy(counts, count, sizeof(counts), cudaMemcpyDeviceToHost));
	t->found = counts[0];
	t->left = counts[1];
	MUST(cudaFree(on_card));
	MUST(cudaFree(goods[0]));
	MUST(cudaFree(goods[1]));
	MUST(cudaFree(game));
	MUST(cudaFree(count));
}

/* The library's scan of the same game, with and without dominance. */
static double se_ours(struct gpube_ctx *ctx, const struct gpube_support_ops *ops,
	const struct square *g, bool dominance, long long *proposed)
{
	double c[2][SE_ACTIONS * SE_ACTIONS], start;
	struct gpube_support_scan s;
	int status = 0;

	for (int i = 0; i < g->n; i++)
		for (int j = 0; j < g->n; j++) {
			c[0][j * g->n + i] = g->b[i * g->n + j];
			c[1][i * g->n + j] = g->a[i * g->n + j];
		}
	memset(&s, 0, sizeof(s));
	s.k = s.l = g->n;
	s.c[0] = c[0];
	s.c[1] = c[1];
	s.shares = 1;
	s.dominance = dominance;
	s.most_unsure = 1 << 12;
	start = gpube__now();
	for (s.q = 1; s.q <= g->n && !status; s.q++)
		status = ops->scan(ctx, &s);
	start = gpube__now() - start;
	if (status) {
		fprintf(stderr, "%s\n", gpube_error(ctx));
		exit(1);
	}
	*proposed = s.n_found;
	gpube__free(ctx, s.found);
	return start;
}

static void supports(const char *kind, int from, int to, int seeds)
{
	struct gpube_opts opts;
	struct gpube_ctx *ctx;
	const struct gpube_support_ops *ops;
	int status;

	memset(&opts, 0, sizeof(opts));
	if (gpube_ctx_new(&ctx, NULL))
		exit(1);
	ops = gpube__support_cuda(ctx, &status);
	if (!ops)
		exit(1);
	printf("\n## GPU-SE, %s games, %d a size: seconds on the card, means\n\nThe paper's: LU a "
	       "pair, "
	       "no dominance, with its lists of supports and copies. Ours: pairs decided in "
	       "doubles, "
	       "with what rounding leaves open.\n\n| actions | pairs | the paper's | ours, no "
	       "dominance | ours | the paper's over ours | pairs that dominance spares | "
	       "equilibria: "
	       "the paper's | ours, proposed |\n|---|---|---|---|---|---|---|---|---|\n",
		kind, seeds);
	for (int n = from; n <= to; n++) {
		double papers = 0, plain = 0, ours = 0, left = 0, pairs = 0;
		char found[200] = "", proposed[200] = "";

		for (int seed = n > from; seed <= seeds; seed++) {
			struct gpube_model *m;
			struct se_totals t;
			struct square g;
			long long plainly, dominated;

			opts.game = kind;
			opts.rows = opts.columns = n;
			opts.seed = seed ? seed : 1;
			if (gpube_nash_generate(&m, ctx, &opts))
				exit(1);
			se_game(&g, m, n);
			se_paper(&t, &g);
			const double a = se_ours(ctx, ops, &g, false, &plainly);
			const double b = se_ours(ctx, ops, &g, true, &dominated);
			gpube_model_free(m);
			if (!seed) /* kernels are loaded now: not counted */
				continue;
			papers += t.seconds;
			plain += a;
			ours += b;
			left += (double)t.left;
			pairs += (double)t.pairs;
			sprintf(found + strlen(found), " %llu", t.found);
			sprintf(proposed + strlen(proposed), " %lld%s", dominated,
				plainly == dominated ? "" : "?");
		}
		printf("| %d | %.4g | %.6f | %.6f | %.6f | %.3g | %.2f %% |%s |%s |\n", n,
			pairs / seeds, papers / seeds, plain / seeds, ours / seeds, papers / ours,
			100 * (1 - left / pairs), found, proposed);
		fflush(stdout);
	}
	gpube_ctx_free(ctx);
}

#endif
