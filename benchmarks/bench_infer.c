/*
 * bench_infer.c - sums for many sets of evidence: of a compiled model, and each from scratch.
 *
 * usage: bench_infer FILE [SETS [OBSERVED [SCRATCH]]]
 *
 * A set observes OBSERVED (10) variables at random, of values that some assignment of nonzero weight has; from one set to
 * the next one of them changes ("one"), or all ("all"). SETS (1000) are asked of the compiled model, and the first SCRATCH
 * (20) of them of gpube_infer(), too, along the same order and with an order of their own; their answers are compared.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "formats/formats.h"
#include "gpube/base/base.h"
#include "gpube/ir/model.h"
#include "gpube/sums.h"

static int fail(struct gpube_ctx *ctx)
{
	fprintf(stderr, "bench_infer: %s\n", gpube_error(ctx));
	return 1;
}

/* A value that another query said can occur. */
static int32_t draw(struct gpube_rng *rng, const double *p, int32_t domain)
{
	int32_t a = (int32_t)gpube__rng_below(rng, (uint64_t)domain);

	while (p[a] == 0)
		a = (a + 1) % domain;
	return a;
}

static int measure(struct gpube_ctx *ctx, struct gpube_model *m, enum gpube_infer_task task, bool all, int sets,
	int32_t observed, int scratch)
{
	const struct gpube_infer_opts opts = {.sizeof_options = sizeof(opts), .task = task};
	const struct gpube_infer_opts mar = {.sizeof_options = sizeof(opts), .task = GPUBE_INFER_MAR};
	double start = gpube__now(), compiled, asked = 0, anew = 0, most = 0;
	struct gpube_compiled *c;
	struct gpube_inference *prior, *s, *t;
	struct gpube_rng rng;
	int32_t *vars = malloc((size_t)observed * sizeof(*vars));
	int64_t *at = malloc((size_t)m->n_vars * sizeof(*at)), n = 0;
	int impossible = 0;

	if (!vars || !at || gpube_infer_compile(&c, m, &opts))
		return fail(ctx);
	compiled = gpube__now() - start;
	if (gpube_infer(&prior, m, &mar) || !prior->marginals)
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
			if (vars[i] >= 0 && (gpube_infer_observe(c, vars[i], -1) || gpube_model_observe(m, vars[i], -1)))
				return fail(ctx);
			vars[i] = (int32_t)gpube__rng_below(&rng, (uint64_t)m->n_vars);
		}
		for (int32_t i = 0; i < observed; i++) {
			int32_t value = gpube_model_observed(m, vars[i]);

			if (value < 0)
				value = draw(&rng, prior->marginals + at[vars[i]], m->vars[vars[i]].domain);
			if (gpube_infer_observe(c, vars[i], value) || gpube_model_observe(m, vars[i], value))
				return fail(ctx);
		}
		start = gpube__now();
		if (gpube_infer_query(&s, c))
			return fail(ctx);
		asked += gpube__now() - start;
		impossible += s->log10_z == -INFINITY;
		if (k < scratch) {
			start = gpube__now();
			if (gpube_infer(&t, m, &opts))
				return fail(ctx);
			anew += gpube__now() - start;
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
	gpube_inference_free(prior, ctx);
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
