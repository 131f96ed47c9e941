/*
 * bench_search - how good the assignments are that local search (relax/search.h) finds.
 *
 *   build/benchmarks/bench_search FILE [TICKS [SEEDS [TOGETHER]]]
 *
 * Of each seed the best total after so many ticks of work (1e9; 4 seeds), in which 2000 steps are
 * run at a time as the methods of solve do, and after how many it was found. TOGETHER (1): so many
 * searches, as threads have them, share the ticks and hear of each other's best assignment. With 16
 * of them "seed 1" stands for the seeds 1 to 16, "seed 2" for 17 to 32.
 */
#include "formats/formats.h"
#include "gpube/gpube.h"
#include "gpube/relax/search.h"

#include <stdio.h>
#include <stdlib.h>

enum { AT_A_TIME = 2000, MOST = 64 };

/* Of one seed: searches that take turns, each of which hears of what the others found. */
static int search(struct gpube_ctx *ctx, const struct gpube_model *m, double most, int seed, int n)
{
	struct gpube_search *all[MOST];
	const double begin = gpube__worked(ctx);
	double found = 0;
	int best = 0;

	for (int k = 0; k < n; k++)
		if (gpube__search_new(&all[k], ctx, m, (uint64_t)((seed - 1) * n + k + 1)))
			return 1;
	for (int k = 0; 1e9 * (gpube__worked(ctx) - begin) < most; k = (k + 1) % n) {
		const int64_t before = all[best]->best_cost;

		gpube__search_take(all[k], all[best]->best, before);
		if (!gpube__search_run(all[k], NULL, AT_A_TIME) || all[k]->best_cost >= before)
			continue;
		best = k;
		found = 1e9 * (gpube__worked(ctx) - begin);
	}
	printf("seed %d: %lld after %.3g of %.3g ticks\n", seed, (long long)all[best]->best_cost,
		found, most);
	for (int k = 0; k < n; k++)
		gpube__search_free(all[k]);
	return 0;
}

int main(int argc, char **argv)
{
	const double most = argc > 2 ? atof(argv[2]) : 1e9;
	const int n_seeds = argc > 3 ? atoi(argv[3]) : 4, n = argc > 4 ? atoi(argv[4]) : 1;
	struct gpube_ctx *ctx;
	struct gpube_model *m;
	int status = 0;

	if (argc < 2 || n < 1 || n > MOST || gpube_ctx_new(&ctx, NULL))
		return 1;
	ctx->n_threads = 1; /* so that a tick counts once, on any machine */
	if (gpube_read(&m, ctx, argv[1], NULL)) {
		fprintf(stderr, "bench_search: %s\n", gpube_error(ctx));
		return 1;
	}
	for (int seed = 1; seed <= n_seeds && !status; seed++)
		status = search(ctx, m, most, seed, n);
	gpube_model_free(m);
	gpube_ctx_free(ctx);
	return status;
}
