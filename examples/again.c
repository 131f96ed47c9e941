/*
 * again.c - who does which of four tasks on which of five days: variables, all different, a linear
 * constraint; solved, and again without the answer that was found, then with a day that is fixed:
 *
 *     cc again.c $(pkg-config --cflags --libs gpube) -o again && ./again
 */
#include <stdio.h>

#include <gpube/globals.h>
#include <gpube/solver.h>

static int solve(struct gpube_solver *s, int32_t *found)
{
	struct gpube_solution *said;

	if (gpube_solver_run(&said, s, NULL))
		return 1;
	for (int k = 0; said->values && k < 4; k++)
		printf("%d ", (int)(found[k] = said->values[k]));
	printf("cost %lld\n", (long long)said->cost);
	gpube_result_free(said);
	return 0;
}

int main(void)
{
	static const int64_t late[4][5] = {
		{0, 2, 4, 6, 8}, {1, 0, 3, 5, 7}, {2, 0, 1, 6, 9}, {5, 4, 1, 2, 3}};
	static const struct gpube_term sum[3] = {{0, -1, 1}, {1, -1, 1}, {2, -1, 2}};
	static const int32_t day[4] = {0, 1, 2, 3};
	const int64_t forbidden = GPUBE_INF;
	struct gpube_solver *s = NULL;
	struct gpube_model *m = NULL;
	struct gpube_ctx *ctx;
	int32_t found[4];
	int failed;

	if (gpube_ctx_new(&ctx, NULL))
		return 1;
	failed = gpube_model_new(&m, ctx, GPUBE_COSTS);
	for (int k = 0; k < 4 && !failed; k++)
		failed = gpube_model_add_var(m, NULL, 5, NULL) ||
			 gpube_model_add_costs(m, 1, &day[k], late[k]);
	failed = failed || gpube_model_add_all_different(m, 4, day, 0, NULL, GPUBE_INF) ||
		 gpube_model_add_linear(m, 3, sum, GPUBE_AT_LEAST, 6, GPUBE_INF, 0) ||
		 gpube_solver_new(&s, NULL, m, NULL) || solve(s, found) ||
		 gpube_model_add_tuples(gpube_solver_model(s), 4, day, 0, 1, found, &forbidden) ||
		 solve(s, found) || gpube_model_observe(gpube_solver_model(s), day[2], 0) ||
		 solve(s, found);
	if (failed)
		fprintf(stderr, "%s\n", gpube_error(ctx));
	gpube_solver_free(s);
	gpube_model_free(m);
	gpube_ctx_free(ctx);
	return failed != 0;
}
