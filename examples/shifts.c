/*
 * shifts.c - a model by calls: who works which of seven shifts. Solved, and again without the
 * answer that was found:
 *
 *     cc shifts.c $(pkg-config --cflags --libs gpube) -o shifts && ./shifts
 */
#include <stdio.h>

#include <gpube/globals.h>

enum { N_SHIFTS = 7, N_PEOPLE = 4 };

static int build(struct gpube_model *m, int32_t *shift)
{
	static const int64_t wage[N_PEOPLE] = {5, 4, 6, 3};
	struct gpube_occurrences each[N_PEOPLE];
	struct gpube_term nights[3];
	int status = 0;

	for (int k = 0; k < N_SHIFTS && !status; k++) {
		status = gpube_model_add_var(m, &shift[k], N_PEOPLE, NULL);
		if (!status)
			status = gpube_model_add_costs(m, 1, &shift[k], wage);
	}
	for (int p = 0; p < N_PEOPLE;
		p++) /* everybody has one or two shifts: 10 for each more or less */
		each[p] = (struct gpube_occurrences){.value = p, .least = 1, .most = 2};
	if (!status)
		status = gpube_model_add_gcc(m, N_SHIFTS, shift, N_PEOPLE, each, 10);
	for (int k = 0; k + 2 < N_SHIFTS && !status; k++) /* nobody two of three in a row */
		status = gpube_model_add_all_different(m, 3, &shift[k], 0, NULL, GPUBE_INF);
	for (int k = 0; k < 3; k++) /* person 3 has at most one of the first, third and fifth */
		nights[k] = (struct gpube_term){.var = shift[2 * k], .value = 3, .coefficient = 1};
	if (!status)
		status = gpube_model_add_linear(m, 3, nights, GPUBE_AT_MOST, 1, GPUBE_INF, 0);
	return status;
}

static int solve(struct gpube_model *m, const int32_t *shift, int32_t *found)
{
	struct gpube_solution *s;
	int status = gpube_solve(&s, m, NULL);

	if (status)
		return status;
	printf("cost %lld:", (long long)s->cost);
	for (int k = 0; k < N_SHIFTS; k++)
		printf(" %d", (int)(found[k] = s->values[shift[k]]));
	printf("\n");
	gpube_result_free(s);
	return 0;
}

int main(void)
{
	const int64_t forbidden = GPUBE_INF;
	int32_t shift[N_SHIFTS], found[N_SHIFTS];
	struct gpube_model *m = NULL;
	struct gpube_ctx *ctx;
	int status;

	if (gpube_ctx_new(&ctx, NULL))
		return 1;
	status = gpube_model_new(&m, ctx, GPUBE_COSTS);
	if (!status)
		status = build(m, shift);
	if (!status)
		status = solve(m, shift, found);
	if (!status) /* another one */
		status = gpube_model_add_tuples(m, N_SHIFTS, shift, 0, 1, found, &forbidden);
	if (!status)
		status = solve(m, shift, found);
	if (status)
		fprintf(stderr, "%s\n", gpube_error(ctx));
	gpube_model_free(m);
	gpube_ctx_free(ctx);
	return status ? 1 : 0;
}
