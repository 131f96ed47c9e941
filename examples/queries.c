/*
 * queries.c - what a network says: joint distributions as evidence changes, hard and soft, rows of
 * evidence, and assignments that are drawn:
 *
 *     cc queries.c $(pkg-config --cflags --libs gpube) -lm -o queries
 *     ./queries sprinkler.bif
 */
#include <stdio.h>

#include <gpube/formats.h>
#include <gpube/gpube.h>
#include <gpube/sums.h>

enum { CLOUDY, SPRINKLER, RAIN, LAWN, N_VARS };

/* The joint distribution of sprinkler and rain with what is observed now. */
static int ask(const char *seen, struct gpube_compiled *c)
{
	struct gpube_inference *s;
	const int status = gpube_infer_query(&s, c);

	if (status)
		return status;
	printf("%-14s", seen);
	for (int i = 0; i < s->n_joint; i++)
		printf(" %.5f", s->joint[i]);
	printf("\n");
	gpube_result_free(s);
	return GPUBE_OK;
}

static int explain(struct gpube_model *m, struct gpube_ctx *ctx)
{
	static const int32_t query[] = {SPRINKLER, RAIN};
	static const double dark[] = {0.2, 0.9}; /* a dark morning, if it is not cloudy, or is */
	static const int32_t rows[][N_VARS] = {{0, 1, 0, 1}, {-1, -1, 1, 1}}; /* -1: not observed */
	struct gpube_opts *opts;
	struct gpube_compiled *c = NULL;
	double log10_z[2];
	int status = gpube_opts_new(&opts, ctx);

	if (!status)
		status = gpube_opts_set_numbers(opts, "query", 2, query);
	if (!status)
		status = gpube_infer_compile(&c, m, opts);
	if (!status)
		status = ask("nothing", c);
	if (!status)
		status = gpube_infer_observe(c, LAWN, 1);
	if (!status)
		status = ask("a wet lawn", c);
	if (!status)
		status = gpube_infer_weigh(c, CLOUDY, dark);
	if (!status)
		status = ask("and a dark sky", c);
	if (!status)
		status = gpube_infer_weigh(c, CLOUDY, NULL);
	if (!status)
		status = gpube_infer_rows(log10_z, c, 2, rows[0]);
	if (!status)
		printf("rows           log10 %.5f %.5f\n", log10_z[0], log10_z[1]);
	gpube_compiled_free(c);
	gpube_opts_free(opts);
	return status;
}

/* How often it rains among those that are drawn with a wet lawn. */
static int draw(struct gpube_model *m, struct gpube_ctx *ctx)
{
	struct gpube_opts *opts;
	struct gpube_inference *s = NULL;
	int rain = 0, status = gpube_opts_new(&opts, ctx);

	if (!status)
		status = gpube_opts_set_int(opts, "draw", 10000);
	if (!status)
		status = gpube_model_observe(m, LAWN, 1);
	if (!status)
		status = gpube_infer(&s, m, opts);
	for (int64_t k = 0; !status && k < s->n_drawn; k++)
		rain += s->drawn[k * N_VARS + RAIN];
	if (!status)
		printf("drawn          %.2f of them with rain\n", rain / 10000.0);
	gpube_result_free(s);
	gpube_opts_free(opts);
	return status;
}

int main(int argc, char **argv)
{
	struct gpube_ctx *ctx;
	struct gpube_model *m = NULL;
	int status;

	if (gpube_ctx_new(&ctx, NULL))
		return 1;
	status = gpube_read(&m, ctx, argc > 1 ? argv[1] : "sprinkler.bif", NULL);
	if (!status)
		status = explain(m, ctx);
	if (!status)
		status = draw(m, ctx);
	if (status)
		fprintf(stderr, "queries: %s\n", gpube_error(ctx));
	gpube_model_free(m);
	gpube_ctx_free(ctx);
	return status ? 1 : 0;
}
