/*
 * bench_search - how good the assignments are that local search (relax/search.h) finds.
 *
 *   build/benchmarks/bench_search FILE [TICKS [SEEDS]]
 *
 * Of each seed the best total after so many ticks of work (1e9; 4 seeds), in which 2000 steps are
 * run at a time as the methods of solve do, and after how many it was found.
 */
#include "formats/formats.h"
#include "gpube/gpube.h"
#include "gpube/relax/search.h"

#include <stdio.h>
#include <stdlib.h>

enum { AT_A_TIME = 2000 };

int main(int argc, char **argv)
{
	const double most = argc > 2 ? atof(argv[2]) : 1e9;
	const int n_seeds = argc > 3 ? atoi(argv[3]) : 4;
	struct gpube_ctx *ctx;
	struct gpube_model *m;

	if (argc < 2 || gpube_ctx_new(&ctx, NULL))
		return 1;
	if (gpube_read(&m, ctx, argv[1], NULL)) {
		fprintf(stderr, "bench_search: %s\n", gpube_error(ctx));
		return 1;
	}
	for (int seed = 1; seed <= n_seeds; seed++) {
		struct gpube_search *s;
		double found = 0, begin;

		begin = gpube__worked(ctx);
		if (gpube__search_new(&s, ctx, m, (uint64_t)seed))
			return 1;
		while (1e9 * (gpube__worked(ctx) - begin) < most)
			if (gpube__search_run(s, NULL, AT_A_TIME))
				found = 1e9 * (gpube__worked(ctx) - begin);
		printf("seed %d: %lld after %.3g of %.3g ticks\n", seed, (long long)s->best_cost,
			found, most);
		gpube__search_free(s);
	}
	gpube_model_free(m);
	gpube_ctx_free(ctx);
	return 0;
}
