/*
 * bench_simplify FILE... - what simplification does to models, and how long it
 * takes: one line of tab-separated values a file. Two numbers in a column are
 * before and after.
 */
#include <stdio.h>
#include <string.h>

#include "formats/formats.h"
#include "gpube/simplify/simplify.h"

static void count(const struct gpube_model *m, const char *what, bool heading)
{
	double cells = 0;
	int32_t n_sparse = 0;

	if (heading) {
		printf("%s_vars\t%s_functions\t%s_sparse\t%s_values\t", what, what, what, what);
		return;
	}
	for (int32_t t = 0; t < m->n_tables; t++) {
		cells += (double)m->tables[t].n;
		n_sparse += m->tables[t].sparse;
	}
	printf("%d\t%d\t%d\t%.0f\t", m->n_vars, m->n_functions, n_sparse, cells);
}

/* Random assignments of the reduced model cost what they stand for; 0 if one does not. */
static bool right(
	struct gpube_ctx *ctx, const struct gpube_simplified *s, const struct gpube_model *m)
{
	int32_t *x = gpube__alloc(ctx, (uint64_t)s->model->n_vars, sizeof(*x));
	int32_t *y = gpube__alloc(ctx, (uint64_t)m->n_vars, sizeof(*y));
	bool ok = x && y;
	struct gpube_rng rng;

	gpube__rng_init(&rng, 1);
	for (int k = 0; ok && k < 100; k++) {
		int64_t a, b;

		for (int32_t i = 0; i < s->model->n_vars; i++)
			x[i] = (int32_t)gpube__rng_below(&rng, (uint64_t)s->model->vars[i].domain);
		gpube__simplified_extend(s, y, x);
		ok = !gpube_model_cost(&a, s->model, x) && !gpube_model_cost(&b, m, y) &&
		     (b == GPUBE_INF ? a == b : a == (s->negated ? -b : b));
	}
	gpube__free(ctx, x);
	gpube__free(ctx, y);
	return ok;
}

static int bench(struct gpube_ctx *ctx, const char *path)
{
	struct gpube_model *m, *costs = NULL;
	struct gpube_simplified s;
	double start = gpube__now(), quantise = 0, simplify, plain;
	int status = gpube_read(&m, ctx, path, NULL);

	if (status)
		return status;
	start = gpube__now() - start;
	printf("%s\t%.3f\t", path, start);
	if (m->kind == GPUBE_POTENTIALS) {
		quantise = gpube__now();
		status = gpube__quantise(&costs, m, 0);
		quantise = gpube__now() - quantise;
		gpube_model_free(m);
		if (status)
			return status;
		m = costs;
	}
	simplify = gpube__now();
	status = gpube__simplify(&s, m, true);
	simplify = gpube__now() - simplify;
	if (!status) {
		printf("%.3f\t%.3f\t", quantise, simplify);
		count(m, "", false);
		count(s.model, "", false);
		printf("%s\t", s.infeasible || right(ctx, &s, m) ? "ok" : "WRONG");
		printf("%d\t%d\t%lld\t%d\t%d\t%d\t%d\t", s.infeasible, s.n_evidence,
			(long long)s.n_values_removed, s.n_vars_fixed, s.n_merged, s.n_absorbed,
			s.n_components);
		gpube__simplified_clear(ctx, &s);
		plain = gpube__now();
		status = gpube__simplify(&s, m, false);
		plain = gpube__now() - plain;
		printf("%.3f\n", plain);
		gpube__simplified_clear(ctx, &s);
	}
	gpube_model_free(m);
	return status;
}

int main(int argc, char **argv)
{
	struct gpube_ctx *ctx;
	int failed = 0;

	if (argc < 2 || gpube_ctx_new(&ctx, NULL)) {
		fprintf(stderr, "usage: bench_simplify FILE...\n");
		return 2;
	}
	printf("file\tread_s\tquantise_s\tsimplify_s\t");
	count(NULL, "before", true);
	count(NULL, "after", true);
	printf("costs\tinfeasible\tevidence\tvalues_removed\tvars_"
	       "fixed\tmerged\tabsorbed\tcomponents"
	       "\tno_reductions_s\n");
	for (int k = 1; k < argc; k++)
		if (bench(ctx, argv[k])) {
			printf("%s\terror: %s\n", argv[k], gpube_error(ctx));
			failed++;
		}
	gpube_ctx_free(ctx);
	return failed > 0;
}
