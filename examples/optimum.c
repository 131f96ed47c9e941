/*
 * optimum.c - reads a model and prints its optimum, with the installed library:
 *
 *     cc optimum.c $(pkg-config --cflags --libs gpube) -o optimum
 *     ./optimum exams.cfn
 */
#include <stdio.h>

#include <gpube/formats.h>

int main(int argc, char **argv)
{
	struct gpube_ctx *ctx;
	struct gpube_model *m = NULL;
	struct gpube_solution *solution = NULL;
	int status;

	if (argc != 2) {
		fprintf(stderr, "usage: optimum FILE\n");
		return 2;
	}
	if (gpube_ctx_new(&ctx, NULL)) {
		fprintf(stderr, "out of memory\n");
		return 1;
	}
	status = gpube_read(&m, ctx, argv[1], NULL);
	if (!status)
		status = gpube_solve(&solution, m, NULL);
	if (status) {
		fprintf(stderr, "%s\n", gpube_error(ctx));
	} else if (solution->answer == GPUBE_ANSWER_INFEASIBLE) {
		printf("no solution\n");
	} else {
		printf("optimum %lld / 10^%d\n", (long long)solution->cost, solution->scale);
		for (int i = 0; i < gpube_model_n_vars(m); i++)
			printf("variable %d: value %d\n", i, (int)solution->values[i]);
	}
	gpube_result_free(solution);
	gpube_model_free(m);
	gpube_ctx_free(ctx);
	return status ? 1 : 0;
}
