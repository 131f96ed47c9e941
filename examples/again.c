/*
 * again.c - who does which of four tasks on which of five days: variables, all different, a linear
 * constraint; solved, and again without the answer that was found and with a day that is fixed:
 *
 *     cc again.c $(pkg-config --cflags --libs gpube) -o again && ./again
 */
#include <stdio.h>

#include <gpube/globals.h>
#include <gpube/solver.h>

static int solve(struct gpube_ctx *ctx, struct gpube_solver *s, int32_t *found)
{
	struct gpube_solution *said;
	int status = gpube_solver_run(&said, s);

	if (!status && !said->values)
		printf("no solution\n");
	for (int k = 0; !status && said->values && k < 4; k++)
		printf("%d%s", (int)(found[k] = said->values[k]), k < 3 ? " " : ": ");
	if (!status && said->values)
		printf("%lld\n", (long long)said->cost);
	gpube_solution_free(said, ctx);
	return status;
}

int main(void)
{
	const int64_t late[4][5] = {
		{0, 2, 4, 6, 8}, {1, 0, 3, 5, 7}, {2, 0, 1, 6, 9}, {5, 4, 1, 2, 3}};
	const int64_t forbidden = GPUBE_INF;
	struct gpube_term sum[3] = {{0, -1, 1}, {1, -1, 1}, {2, -1, 2}};
	int32_t day[4], found[4];
	struct gpube_solver *s = NULL;
	struct gpube_model *m = NULL;
	struct gpube_ctx *ctx;
	int status = gpube_ctx_new(&ctx, NULL);

	if (status)
		return 1;
	status = gpube_model_new(&m, ctx, GPUBE_COSTS);
	for (int k = 0; k < 4 && !status; k++) {
		status = gpube_model_add_var(m, &day[k], 5, NULL);
		if (!status)
			status = gpube_model_add_costs(m, 1, &day[k], late[k]);
	}
	if (!status)
		status = gpube_model_add_all_different(m, 4, day, 0, NULL, GPUBE_INF);
	if (!status)
		status = gpube_model_add_linear(m, 3, sum, GPUBE_AT_LEAST, 6, GPUBE_INF, 0);
	if (!status)
		status = gpube_solver_new(&s, NULL, m, NULL);
	if (!status)
		status = solve(ctx, s, found);
	if (!status) /* another one */
		status = gpube_model_add_tuples(
			gpube_solver_model(s), 4, day, 0, 1, found, &forbidden);
	if (!status)
		status = solve(ctx, s, found);
	if (!status) /* the third task on the first day */
		status = gpube_solver_observe(s, day[2], 0);
	if (!status)
		status = solve(ctx, s, found);
	if (status)
		fprintf(stderr, "%s\n", gpube_error(ctx));
	gpube_solver_free(s);
	gpube_model_free(m);
	gpube_ctx_free(ctx);
	return status ? 1 : 0;
}
