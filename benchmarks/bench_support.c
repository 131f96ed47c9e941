/*
 * bench_support.c - the support scan: pairs of supports a second, of generated games.
 *
 * usage: bench_support CLASS FIRST LAST SEEDS BACKEND THREADS DOMINANCE
 * One line a game: class, actions, seed, backend, threads, dominance, pairs, proposed, unsure,
 * seconds, pairs a second.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "gpube/ops/support/support.h"
#include "gpube/ir/payoffs.h"
#include "gpube/options/options.h"
#include "nash/nash.h"

/* Player 2's payoffs (side 0) or player 1's, from 0 up for each action of the other, at most 1. */
static double *side_of(const struct gpube_model *g, int side)
{
	const int64_t n_columns = g->vars[1].domain;
	const int64_t k = g->vars[side].domain, l = g->vars[1 - side].domain;
	double *c = calloc((size_t)(k * l), sizeof(*c)), most = 0;

	for (int64_t i = 0; i < k; i++) {
		double least = INFINITY;

		for (int64_t j = 0; j < l; j++) {
			const struct gpube_rational v =
				gpube__table_rational(gpube__table(g, 1 - side),
					side ? j * n_columns + i : i * n_columns + j);

			c[j * k + i] = gpube__rational_double(&v);
			least = fmin(least, c[j * k + i]);
		}
		for (int64_t j = 0; j < l; j++) {
			c[j * k + i] -= least;
			most = fmax(most, c[j * k + i]);
		}
	}
	for (int64_t n = 0; n < k * l && most > 0; n++)
		c[n] /= most;
	return c;
}

static int run(
	struct gpube_ctx *ctx, const struct gpube_support_ops *ops, char **argv, int n, int seed)
{
	struct gpube_opts random = {.game = argv[1], .rows = n, .columns = n, .seed = seed};
	struct gpube_support_scan s = {.k = n,
		.l = n,
		.shares = 1,
		.dominance = atoi(argv[7]) != 0,
		.most_unsure = 1 << 12}; /* as in nash/se.c */
	struct gpube_model *g;
	double *c[2], start;
	int status = gpube_nash_generate(&g, ctx, &random);

	if (status)
		return status;
	s.c[0] = c[0] = side_of(g, 0);
	s.c[1] = c[1] = side_of(g, 1);
	start = gpube__now();
	for (s.q = 1; s.q <= n && !status; s.q++)
		status = ops->scan(ctx, &s);
	start = gpube__now() - start;
	printf("%s,%d,%d,%s,%s,%d,%lld,%lld,%lld,%.6f,%.4g\n", argv[1], n, seed, ops->name, argv[6],
		s.dominance, (long long)s.n_pairs, (long long)s.n_found, (long long)s.n_unsure,
		start, (double)s.n_pairs / start);
	fflush(stdout);
	gpube__free(ctx, s.found);
	free(c[0]);
	free(c[1]);
	gpube_model_free(g);
	return status;
}

int main(int argc, char **argv)
{
	struct gpube_opts opts = {0};
	const struct gpube_support_ops *ops = gpube__support_cpu();
	struct gpube_ctx *ctx;
	int status = 0;

	if (argc != 8) {
		fprintf(stderr, "usage: bench_support CLASS FIRST LAST SEEDS cpu|cuda THREADS "
				"DOMINANCE\n");
		return 2;
	}
	opts.n_threads = atoi(argv[6]);
	if (gpube_ctx_new(&ctx, &opts))
		return 1;
	if (!strcmp(argv[5], "cuda"))
		ops = gpube__support_cuda(ctx, &status);
	for (int n = atoi(argv[2]); !status && n <= atoi(argv[3]); n++)
		for (int seed = 1; !status && seed <= atoi(argv[4]); seed++)
			status = run(ctx, ops, argv, n, seed);
	if (status)
		fprintf(stderr, "bench_support: %s\n", gpube_error(ctx));
	gpube_ctx_free(ctx);
	return status != 0;
}
