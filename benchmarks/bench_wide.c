/*
 * bench_wide - a bucket whose big table has more than 2^32 cells, on a device: by the kernels that
 * are predicted to be fastest, by direct tiles, by boxes and by the general kernel.
 *
 * usage: bench_wide [DOMAIN [VARIABLES [RUNS [KERNELS [MORE [WITHOUT]]]]]]
 *
 * Defaults: 5, 14, 5: 6.1e9 cells, int32; KERNELS any,direct,boxes,general. MORE and WITHOUT are
 * bits of the output's variables (wide.h); with MORE the eliminated variable is the first alone.
 *
 * Checks sampled cells, then prints the median and the least time of RUNS and the bytes a second,
 * each table once.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "gpube/base/base.h"
#include "gpube/ops/contract/contract.h"
#include "tests/support/wide.h"

static int by_value(const void *a, const void *b)
{
	const double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

static int measure(struct wide *w, const char *kernels, int runs)
{
	double *seconds = calloc((size_t)runs + 1, sizeof(*seconds));
	const char *problem = NULL;
	int status = GPUBE_OK;

	if (!seconds)
		return 1;
	if (!gpube__cuda_force(w->ctx, kernels)) {
		fprintf(stderr, "bench_wide: no kernels '%s'\n", kernels);
		free(seconds);
		return 1;
	}
	for (int i = 0; i <= runs && !status; i++)
		status = wide_contract(w, &seconds[i]);
	gpube__cuda_force(w->ctx, NULL);
	problem = status ? gpube_error(w->ctx) : wide_check(w, 20000, 1);
	qsort(seconds + 1, (size_t)runs, sizeof(*seconds), by_value); /* the first warms up */
	printf("x at axis %2d  %-8s %10.3f ms median %10.3f ms least  %7.1f GB/s  %s\n", w->x_at,
		kernels ? kernels : "any", 1e3 * seconds[1 + runs / 2], 1e3 * seconds[1],
		wide_bytes(w) / seconds[1 + runs / 2] * 1e-9, problem ? problem : "right");
	fflush(stdout);
	free(seconds);
	return problem != NULL;
}

int main(int argc, char **argv)
{
	const char *const kernels = argc > 4 ? argv[4] : "any,direct,boxes,general";
	const uint64_t more = argc > 5 ? strtoull(argv[5], NULL, 0) : 0;
	const int64_t domain = argc > 1 ? atoll(argv[1]) : 5;
	const int n = argc > 2 ? atoi(argv[2]) : 14, runs = argc > 3 ? atoi(argv[3]) : 5;
	const struct gpube_ops *ops;
	struct gpube_ctx *ctx;
	char text[200];
	int status, wrong = 0;

	if (n < 3 || n >= WIDE_DIMS || runs < 1 || gpube_ctx_new(&ctx, NULL) != 0)
		return 2;
	ops = gpube__ops_cuda(ctx, &status);
	if (!ops || ops->describe(ctx, text, sizeof(text))) {
		fprintf(stderr, "bench_wide: %s\n", gpube_error(ctx));
		return 1;
	}
	printf("%s; %d variables of %lld values\n", text, n, (long long)domain);
	for (int where = 0; where < (more ? 1 : 3); where++) {
		struct wide w = {.type = GPUBE_INT32,
			.n_out = n - 1,
			.more = more,
			.without = argc > 6 ? strtoull(argv[6], NULL, 0) : 0,
			.x_at = where == 0   ? 0
				: where == 1 ? n / 2
					     : n - 1};
		const char *at = kernels;

		for (int d = 0; d < n; d++)
			w.sizes[d] = domain;
		if (wide_new(&w, ctx, ops)) {
			fprintf(stderr, "bench_wide: %s\n", gpube_error(ctx));
			return 1;
		}
		while (*at) {
			char name[20];

			snprintf(name, sizeof(name), "%.*s", (int)strcspn(at, ","), at);
			at += strcspn(at, ",");
			at += *at == ',';
			wrong += measure(&w, strcmp(name, "any") ? name : NULL,
				strcmp(name, "general") ? runs : 1);
		}
		wide_free(&w);
	}
	gpube_ctx_free(ctx);
	return wrong != 0;
}
