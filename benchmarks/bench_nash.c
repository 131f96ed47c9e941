/*
 * bench_nash.c - method auto beside the two that it chooses from, generated games.
 *
 * usage: bench_nash LIMIT CLASS SEEDS N...
 * One line a game: class, actions, seed, equilibria, milliseconds of one core of ve, eee and auto
 * (the least of three runs; -1: not within LIMIT seconds), auto's as a multiple of the better one
 * (0: neither ended).
 */
#define _POSIX_C_SOURCE 200809L
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "nash/nash.h"
#include "gpube/options/options.h"

static double processor_seconds(void)
{
	struct timespec t;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* Milliseconds, or -1; long runs are not repeated. */
static double measure(struct gpube_ctx *ctx, const struct gpube_model *g,
	enum gpube_nash_method method, double limit, long long *n_pairs)
{
	const struct gpube_opts o = {.nash_method = method, .timeout_seconds = limit};
	double best = -1;

	for (int k = 0; k < 3 && best < 300; k++) {
		const double start = processor_seconds();
		struct gpube_nash_result *r;
		double ms;

		if (gpube_nash(&r, g, &o))
			return -1;
		ms = 1e3 * (processor_seconds() - start);
		if (r->answer != GPUBE_NASH_ANSWER_ALL) {
			gpube_result_free(r);
			return best;
		}
		*n_pairs = r->n_pairs;
		best = best < 0 || ms < best ? ms : best;
		gpube_result_free(r);
	}
	return best;
}

static int run(struct gpube_ctx *ctx, char **argv, int n, int seed)
{
	const struct gpube_opts random = {.game = argv[2], .rows = n, .columns = n, .seed = seed};
	const double limit = atof(argv[1]);
	double ve, eee, better, all;
	long long n_pairs = -1;
	struct gpube_model *g;

	if (gpube_nash_generate(&g, ctx, &random))
		return 1;
	ve = measure(ctx, g, GPUBE_NASH_METHOD_VE, limit, &n_pairs);
	eee = measure(ctx, g, GPUBE_NASH_METHOD_EEE, limit, &n_pairs);
	all = measure(ctx, g, GPUBE_NASH_METHOD_AUTO, limit, &n_pairs);
	better = ve < 0 || (eee >= 0 && eee < ve) ? eee : ve;
	printf("%s,%d,%d,%lld,%.3f,%.3f,%.3f,%.2f\n", argv[2], n, seed, n_pairs, ve, eee, all,
		better > 0 && all > 0 ? all / better : 0);
	fflush(stdout);
	gpube_model_free(g);
	return 0;
}

int main(int argc, char **argv)
{
	const struct gpube_opts opts = {.n_threads = 1};
	struct gpube_ctx *ctx;
	int status = 0;

	if (argc < 5) {
		fprintf(stderr, "usage: bench_nash LIMIT CLASS SEEDS N...\n");
		return 2;
	}
	if (gpube_ctx_new(&ctx, &opts))
		return 1;
	for (int k = 4; !status && k < argc; k++)
		for (int seed = 1; !status && seed <= atoi(argv[3]); seed++)
			status = run(ctx, argv, atoi(argv[k]), seed);
	if (status)
		fprintf(stderr, "bench_nash: %s\n", gpube_error(ctx));
	gpube_ctx_free(ctx);
	return status;
}
