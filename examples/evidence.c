/*
 * evidence.c - builds a model in memory, solves it, changes what is observed, and solves again:
 *
 *     cc evidence.c $(pkg-config --cflags --libs gpube) -lm -o evidence
 *     ./evidence
 *
 * An alarm goes off for a burglar, or for an earthquake; then a neighbour calls, as a rule.
 */
#include <math.h>
#include <stdio.h>

#include <gpube/gpube.h>

enum { BURGLAR, QUAKE, ALARM, CALL, N_VARS };
static const char *const names[N_VARS] = {"burglar", "quake", "alarm", "call"};

static int build(struct gpube_model *m)
{
	static const int32_t causes[] = {BURGLAR, QUAKE, ALARM}, effect[] = {ALARM, CALL};
	static const double burglar[] = {0.99, 0.01}, quake[] = {0.98, 0.02},
			    call[] = {0.95, 0.05, 0.1, 0.9};
	/* the last one fastest */
	static const double alarm[] = {0.999, 0.001, 0.7, 0.3, 0.06, 0.94, 0.05, 0.95};
	int status = GPUBE_OK;

	for (int i = 0; i < N_VARS && !status; i++)
		status = gpube_model_add_var(m, NULL, 2, names[i]);
	if (!status)
		status = gpube_model_add_potentials(m, 1, (const int32_t[]){BURGLAR}, burglar);
	if (!status)
		status = gpube_model_add_potentials(m, 1, (const int32_t[]){QUAKE}, quake);
	if (!status)
		status = gpube_model_add_potentials(m, 3, causes, alarm);
	return status ? status : gpube_model_add_potentials(m, 2, effect, call);
}

/* The most probable explanation of what is observed so far, after one thing more. */
static int explain(const char *seen, struct gpube_model *m, int32_t var)
{
	struct gpube_solution *s = NULL;
	int status = var < 0 ? GPUBE_OK : gpube_model_observe(m, var, 1);

	if (!status)
		status = gpube_solve(&s, m, NULL);
	if (!status) {
		printf("%-12s probability %.5f:", seen, exp(s->log_value));
		for (int i = 0; i < N_VARS; i++)
			printf(" %s=%d", names[i], (int)s->values[i]);
		printf("\n");
	}
	gpube_result_free(s);
	return status;
}

int main(void)
{
	struct gpube_ctx *ctx;
	struct gpube_model *m = NULL;
	int status;

	if (gpube_ctx_new(&ctx, NULL))
		return 1;
	status = gpube_model_new(&m, ctx, GPUBE_POTENTIALS);
	if (!status)
		status = build(m);
	if (!status)
		status = explain("nothing", m, -1);
	for (int32_t v = CALL; v >= QUAKE && !status; v--)
		status = explain(names[v], m, v);
	if (status)
		fprintf(stderr, "evidence: %s\n", gpube_error(ctx));
	gpube_model_free(m);
	gpube_ctx_free(ctx);
	return status ? 1 : 0;
}
