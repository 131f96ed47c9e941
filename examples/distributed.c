/*
 * distributed.c - reads a model, has it solved by agents (DPOP), and prints their pseudo-tree, with
 * the installed library:
 *
 *     cc distributed.c $(pkg-config --cflags --libs gpube) -o distributed
 *     ./distributed meetings.yaml
 */
#include <stdio.h>

#include <gpube/dpop.h>
#include <gpube/formats.h>

static void show(const struct gpube_dpop_result *r)
{
	if (r->answer == GPUBE_ANSWER_INFEASIBLE) {
		printf("no solution\n");
		return;
	}
	printf("optimum %lld / 10^%d\n", (long long)r->cost, r->scale);
	printf("%lld messages, %llu bytes\n", (long long)(r->util_messages + r->value_messages),
		(unsigned long long)r->total_bytes);
	for (int a = 0; a < r->n_agents; a++) {
		const struct gpube_dpop_agent *agent = &r->agents[a];

		printf("%*s%s: %d variables, %d pseudo-parents\n", 2 * (int)agent->depth, "",
			agent->name ? agent->name : "-", (int)agent->n_vars,
			(int)agent->n_pseudo_parents);
	}
}

int main(int argc, char **argv)
{
	struct gpube_ctx *ctx;
	struct gpube_model *m = NULL;
	struct gpube_dpop_result *result = NULL;
	struct gpube_opts *opts = NULL;
	int status;

	if (argc != 2) {
		fprintf(stderr, "usage: distributed FILE\n");
		return 2;
	}
	if (gpube_ctx_new(&ctx, NULL)) {
		fprintf(stderr, "out of memory\n");
		return 1;
	}
	status = gpube_read(&m, ctx, argv[1], NULL);
	if (!status)
		status = gpube_opts_new(&opts, ctx);
	if (!status)
		status = gpube_opts_set(opts, "timeout", "60s");
	if (!status)
		status = gpube_dpop(&result, m, opts);
	if (status)
		fprintf(stderr, "%s\n", gpube_error(ctx));
	else
		show(result);
	gpube_result_free(result);
	gpube_opts_free(opts);
	gpube_model_free(m);
	gpube_ctx_free(ctx);
	return status ? 1 : 0;
}
