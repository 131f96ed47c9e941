/*
 * bench_search - how good the assignments are that local search (relax/search.h) finds.
 *
 *   build/benchmarks/bench_search FILE [STEPS [SEEDS]]
 *
 * Of each seed the best total after so many steps (2000000; 4 seeds), which are run 2000 at a time
 * as the methods of solve do, and at which step it was found.
 */
#include "formats/formats.h"
#include "gpube/gpube.h"
#include "gpube/relax/search.h"

#include <stdio.h>
#include <stdlib.h>

enum { AT_A_TIME = 2000 };

int main(int argc, char **argv)
{
	const int64_t steps = argc > 2 ? atoll(argv[2]) : 2000000;
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
		int64_t found = 0;
		double start = gpube__now();

		if (gpube__search_new(&s, ctx, m, (uint64_t)seed))
			return 1;
		for (int64_t k = 0; k < steps; k += AT_A_TIME)
			if (gpube__search_run(s, NULL, AT_A_TIME))
				found = k + AT_A_TIME;
		printf("seed %d: %lld after %lld of %lld steps, %.2f s in all\n", seed,
			(long long)s->best_cost, (long long)found, (long long)steps,
			gpube__now() - start);
		gpube__search_free(s);
	}
	gpube_model_free(m);
	gpube_ctx_free(ctx);
	return 0;
}
