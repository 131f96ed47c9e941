/*
 * bench_infer.c - sums for many sets of evidence: of a compiled model, and each from scratch.
 *
 * usage: bench_infer FILE [SETS [OBSERVED [SCRATCH]]]
 *
 * A set observes OBSERVED (10) variables at random, of values that some assignment of nonzero weight has; from one set to
 * the next one of them changes ("one"), or all ("all"). SETS (1000) are asked of the compiled model, and the first SCRATCH
 * (20) of them of gpube_infer(), too; their answers are compared. Seconds are the processor's.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "formats/formats.h"
#include "gpube/base/base.h"
#include "gpube/ir/model.h"
#include "gpube/sums.h"

/* Of the processor, all threads together. */
static double seconds(void)
{
	return (double)clock() / CLOCKS_PER_SEC;
}

static int fail(struct gpube_ctx *ctx)
{
	fprintf(stderr, "bench_infer: %s\n", gpube_error(ctx));
	return 1;
}

/* Observes a variable as one of the values that can occur with what is observed, so that no set is impossible. */
static int draw(struct gpube_model *m, struct gpube_compiled *prior, struct gpube_rng *rng, int32_t var, int64_t at)
{
	const int32_t domain = m->vars[var].domain;
	struct gpube_inference *s;
	int32_t a = (int32_t)gpube__rng_below(rng, (uint64_t)domain);

	if (gpube_infer_query(&s, prior) || !s->marginals)
		return GPUBE_EBUG;
	while (s->marginals[at + a] == 0)
		a = (a + 1) % domain;
	gpube_inference_free(s, m->ctx);
	return gpube_infer_observe(prior, var, a) ? GPUBE_EBUG : gpube_model_observe(m, var, a);
}

static int measure(struct gpube_ctx *ctx, struct gpube_model *m, enum gpube_infer_task task, bool all, int sets,
	int32_t observed, int scratch)
{
	const struct gpube_infer_opts opts = {.sizeof_options = sizeof(opts), .task = task};
	const struct gpube_infer_opts mar = {.sizeof_options = sizeof(opts), .task = GPUBE_INFER_MAR};
	double start = seconds(), compiled, asked = 0, anew = 0, most = 0;
	struct gpube_compiled *c, *prior;
	struct gpube_inference *s, *t;
	struct gpube_rng rng;
	int32_t *vars = malloc((size_t)observed * sizeof(*vars));
	int64_t *at = malloc((size_t)m->n_vars * sizeof(*at)), n = 0;
	int impossible = 0;

	if (!vars || !at || gpube_infer_compile(&c, m, &opts))
		return fail(ctx);
	compiled = seconds() - start;
	if (gpube_infer_compile(&prior, m, &mar))
		return fail(ctx);
	for (int32_t i = 0; i < m->n_vars; i++) {
		at[i] = n;
		n += m->vars[i].domain;
	}
	gpube__rng_init(&rng, 1);
	for (int32_t k = 0; k < observed; k++)
		vars[k] = -1;
	for (int k = 0; k < sets; k++) {
		for (int32_t i = 0; i < observed; i++) {
			if (k > 0 && !all && i != k % observed)
				continue;
			if (vars[i] >= 0 && (gpube_infer_observe(c, vars[i], -1) || gpube_infer_observe(prior, vars[i], -1) ||
						    gpube_model_observe(m, vars[i], -1)))
				return fail(ctx);
			vars[i] = (int32_t)gpube__rng_below(&rng, (uint64_t)m->n_vars);
		}
		for (int32_t i = 0; i < observed; i++) {
			if (gpube_model_observed(m, vars[i]) < 0 && draw(m, prior, &rng, vars[i], at[vars[i]]))
				return fail(ctx);
			if (gpube_infer_observe(c, vars[i], gpube_model_observed(m, vars[i])))
				return fail(ctx);
		}
		start = seconds();
		if (gpube_infer_query(&s, c))
			return fail(ctx);
		asked += seconds() - start;
		impossible += s->log10_z == -INFINITY;
		if (k < scratch) {
			start = seconds();
			if (gpube_infer(&t, m, &opts))
				return fail(ctx);
			anew += seconds() - start;
			if (s->log10_z != t->log10_z)
				most = fmax(most, fabs(s->log10_z - t->log10_z));
			gpube_inference_free(t, ctx);
		}
		gpube_inference_free(s, ctx);
	}
	printf("%s,%s,%d,%d,%.6f,%.6f,%.6f,%.1f,%d,%.2g\n", task == GPUBE_INFER_MAR ? "MAR" : "PR", all ? "all" : "one", sets,
		observed, compiled, asked / sets, anew / scratch, anew / scratch / (asked / sets), impossible, most);
	for (int32_t i = 0; i < m->n_vars; i++)
		gpube_model_observe(m, i, -1);
	gpube_compiled_free(prior);
	gpube_compiled_free(c);
	free(vars);
	free(at);
	return 0;
}

int main(int argc, char **argv)
{
	const struct gpube_read_opts read = {.sizeof_options = sizeof(read), .evidence = ""};
	const int sets = argc > 2 ? atoi(argv[2]) : 1000, observed = argc > 3 ? atoi(argv[3]) : 10;
	const int scratch = argc > 4 ? atoi(argv[4]) : 20;
	struct gpube_ctx *ctx;
	struct gpube_model *m;
	int rc = 0;

	if (argc < 2 || sets < 1 || observed < 1 || scratch < 1) {
		fprintf(stderr, "usage: bench_infer FILE [SETS [OBSERVED [SCRATCH]]]\n");
		return 2;
	}
	if (gpube_ctx_new(&ctx, NULL))
		return 1;
	if (gpube_read_with(&m, ctx, argv[1], &read))
		return fail(ctx);
	printf("task,changes,sets,observed,compile_s,s_per_set,scratch_s_per_set,times,impossible,largest_difference\n");
	for (int k = 0; k < 4 && !rc; k++)
		rc = measure(ctx, m, k / 2 ? GPUBE_INFER_MAR : GPUBE_INFER_PR, k % 2, sets, observed, scratch);
	gpube_model_free(m);
	gpube_ctx_free(ctx);
	return rc;
}
