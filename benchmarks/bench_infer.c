/*
 * bench_infer.c - sums for many sets of evidence: of a compiled model, and each from scratch.
 *
 * usage: bench_infer FILE [SETS [OBSERVED [SCRATCH]]]
 *
 * A set observes OBSERVED (10) variables at random, of values that some assignment of nonzero
 * weight has; from one set to the next one of them changes ("one"), or all ("all"). SETS (1000) are
 * asked of the compiled model, and the first SCRATCH (20) of them of gpube_infer(), too; their
 * answers are compared. Seconds are the processor's, each of sets in a row.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "formats/formats.h"
#include "gpube/options/options.h"
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

/*
 * Observes a variable as one of the values that can occur with what is observed, so that no set is
 * impossible.
 */
static int draw(struct gpube_model *m, struct gpube_compiled *prior, struct gpube_rng *rng,
	int32_t var, int64_t at)
{
	const int32_t domain = m->vars[var].domain;
	struct gpube_inference *s;
	int32_t a = (int32_t)gpube__rng_below(rng, (uint64_t)domain);

	if (gpube_infer_query(&s, prior) || !s->marginals)
		return GPUBE_EBUG;
	while (s->marginals[at + a] == 0)
		a = (a + 1) % domain;
	gpube_result_free(s);
	return gpube_infer_observe(prior, var, a) ? GPUBE_EBUG : gpube_model_observe(m, var, a);
}

/*
 * Sets of evidence, each of 'observed' variables and values, of which one or all change from set to
 * set.
 */
static int draw_sets(struct gpube_ctx *ctx, struct gpube_model *m, int32_t *sets, int n,
	int32_t observed, bool all)
{
	const struct gpube_opts mar = {.task = GPUBE_INFER_MAR};
	int64_t *at = malloc((size_t)m->n_vars * sizeof(*at)), n_values = 0;
	struct gpube_compiled *prior;
	struct gpube_rng rng;

	if (!at || gpube_infer_compile(&prior, m, &mar))
		return fail(ctx);
	for (int32_t i = 0; i < m->n_vars; i++) {
		at[i] = n_values;
		n_values += m->vars[i].domain;
	}
	gpube__rng_init(&rng, 1);
	for (int k = 0; k < n; k++, sets += 2 * observed) {
		const int32_t *before = k ? sets - 2 * observed : NULL;

		for (int32_t i = 0; i < observed; i++) {
			const bool stays = before && !all && i != k % observed;

			if (before && !stays &&
				(gpube_infer_observe(prior, before[2 * i], -1) ||
					gpube_model_observe(m, before[2 * i], -1)))
				return fail(ctx);
			sets[2 * i] = stays ? before[2 * i]
					    : (int32_t)gpube__rng_below(&rng, (uint64_t)m->n_vars);
		}
		for (int32_t i = 0; i < observed; i++) {
			const int32_t var = sets[2 * i];

			if (gpube_model_observed(m, var) < 0 && draw(m, prior, &rng, var, at[var]))
				return fail(ctx);
			sets[2 * i + 1] = gpube_model_observed(m, var);
		}
	}
	for (int32_t i = 0; i < m->n_vars; i++)
		gpube_model_observe(m, i, -1);
	gpube_compiled_free(prior);
	free(at);
	return 0;
}

static int ask(struct gpube_ctx *ctx, struct gpube_compiled *c, const int32_t *sets, int n,
	int32_t observed, double *log10_z)
{
	for (int k = 0; k < n; k++, sets += 2 * observed) {
		struct gpube_inference *s;

		for (int32_t i = 0; i < observed && k; i++)
			if (sets[2 * i] != sets[2 * (i - observed)] &&
				gpube_infer_observe(c, sets[2 * (i - observed)], -1))
				return fail(ctx);
		for (int32_t i = 0; i < observed; i++)
			if (gpube_infer_observe(c, sets[2 * i], sets[2 * i + 1]))
				return fail(ctx);
		if (gpube_infer_query(&s, c))
			return fail(ctx);
		log10_z[k] = s->log10_z;
		gpube_result_free(s);
	}
	return 0;
}

static int ask_anew(struct gpube_ctx *ctx, struct gpube_model *m, const struct gpube_opts *opts,
	const int32_t *sets, int n, int32_t observed, double *log10_z)
{
	for (int k = 0; k < n; k++, sets += 2 * observed) {
		struct gpube_inference *s;

		for (int32_t i = 0; i < observed; i++)
			gpube_model_observe(m, sets[2 * i], sets[2 * i + 1]);
		if (gpube_infer(&s, m, opts))
			return fail(ctx);
		log10_z[k] = s->log10_z;
		gpube_result_free(s);
		for (int32_t i = 0; i < observed; i++)
			gpube_model_observe(m, sets[2 * i], -1);
	}
	return 0;
}

static int measure(struct gpube_ctx *ctx, struct gpube_model *m, enum gpube_infer_task task,
	bool all, int n, int32_t observed, int scratch)
{
	const struct gpube_opts opts = {.task = task};
	int32_t *sets = malloc((size_t)n * (size_t)observed * 2 * sizeof(*sets));
	double *z = malloc((size_t)n * sizeof(*z)), *again = malloc((size_t)n * sizeof(*again));
	double start, compiled, asked, anew, most = 0;
	struct gpube_compiled *c;
	int impossible = 0;

	scratch = scratch < n ? scratch : n;
	if (!sets || !z || !again || draw_sets(ctx, m, sets, n, observed, all))
		return 1;
	start = seconds();
	if (gpube_infer_compile(&c, m, &opts))
		return fail(ctx);
	compiled = seconds() - start;
	start = seconds();
	if (ask(ctx, c, sets, n, observed, z))
		return 1;
	asked = seconds() - start;
	start = seconds();
	if (ask_anew(ctx, m, &opts, sets, scratch, observed, again))
		return 1;
	anew = seconds() - start;
	for (int k = 0; k < n; k++)
		impossible += z[k] == -INFINITY;
	for (int k = 0; k < scratch; k++)
		if (z[k] != again[k])
			most = fmax(most, fabs(z[k] - again[k]));
	printf("%s,%s,%d,%d,%.6f,%.6f,%.6f,%.1f,%d,%.2g\n", task == GPUBE_INFER_MAR ? "MAR" : "PR",
		all ? "all" : "one", n, observed, compiled, asked / n, anew / scratch,
		anew / scratch / (asked / n), impossible, most);
	gpube_compiled_free(c);
	free(sets);
	free(z);
	free(again);
	return 0;
}

int main(int argc, char **argv)
{
	const struct gpube_opts read = {.evidence = ""};
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
	if (gpube_read(&m, ctx, argv[1], &read))
		return fail(ctx);
	printf("task,changes,sets,observed,compile_s,s_per_set,scratch_s_per_set,times,impossible,"
	       "largest_difference\n");
	for (int k = 0; k < 4 && !rc; k++)
		rc = measure(ctx, m, k / 2 ? GPUBE_INFER_MAR : GPUBE_INFER_PR, k % 2, sets,
			observed, scratch);
	gpube_model_free(m);
	gpube_ctx_free(ctx);
	return rc;
}
