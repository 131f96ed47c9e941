/*
 * bench_csg_gpu METHOD TYPE FROM TO [REPEATS] - whole solves on a device: uniform values made
 * there, tables, structure. METHOD: conv, gpu-csg or idp-g. Tab-separated: method, type, agents,
 * first and best seconds (the first one asks the device for its memory), the method's splits per
 * second in the best, value.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "csg/csg.h"
#include "gpube/options/options.h"
#include "csg/view.h"

static const struct {
	const char *name;
	enum gpube_csg_method method;
} methods[] = {
	{"conv", GPUBE_CSG_CONV},
	{"gpu-csg", GPUBE_CSG_DP},
	{"idp-g", GPUBE_CSG_IDP},
};

static int bench(struct gpube_ctx *ctx, int m, enum gpube_type type, int n, int repeats)
{
	struct gpube_opts opts = {.csg_method = methods[m].method, .backend = GPUBE_BACKEND_CUDA};
	double first = 0, best = 1e300, splits = 0, value = 0;
	struct gpube_model *g;
	int status = gpube_coalitions_generate(&g, ctx,
		&(struct gpube_opts){.n_agents = n,
			.coalition_type = (int)(type - GPUBE_INT16),
			.store = CSG_ON_DEVICE,
			.seed = 1});

	if (status)
		return status;
	for (int k = 0; k < repeats && !status; k++) {
		struct gpube_csg_result *r;

		status = gpube_csg(&r, g, &opts);
		if (status)
			break;
		if (k == 0)
			first = r->seconds_total;
		if (r->seconds_total < best)
			best = r->seconds_total;
		splits = r->splits;
		value = r->value;
		gpube_result_free(r);
	}
	if (!status)
		printf("%s\t%s\t%d\t%.6f\t%.6f\t%.4e\t%.9g\n", methods[m].name,
			gpube__type_name(type), n, first, best, splits / best, value);
	fflush(stdout);
	gpube_model_free(g);
	return status;
}

int main(int argc, char **argv)
{
	struct gpube_ctx *ctx;
	int m = 0, type = GPUBE_INT16, status = 0;

	if (argc < 5) {
		fprintf(stderr, "usage: bench_csg_gpu METHOD TYPE FROM TO [REPEATS]\n");
		return 2;
	}
	while (m < 2 && strcmp(argv[1], methods[m].name) != 0)
		m++;
	while (type < GPUBE_FLOAT64 &&
		strcmp(argv[2], gpube__type_name((enum gpube_type)type)) != 0)
		type++;
	if (gpube_ctx_new(&ctx, NULL))
		return 1;
	for (int n = atoi(argv[3]); n <= atoi(argv[4]) && !status; n++)
		status = bench(ctx, m, (enum gpube_type)type, n, argc > 5 ? atoi(argv[5]) : 3);
	if (status)
		fprintf(stderr, "bench_csg_gpu: %s\n", gpube_error(ctx));
	gpube_ctx_free(ctx);
	return status != 0;
}
