/*
 * bench_order SECONDS FILE... - elimination orders of models after
 * simplification: plain min-fill beside the search (0 seconds: until it ends by
 * itself), one line of tab-separated values a file. A last column says WORSE
 * where the search is above min-fill, which it never may be.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "formats/formats.h"
#include "gpube/order/order.h"
#include "gpube/simplify/simplify.h"

static int simplified_graph(
	struct gpube_graph *g, struct gpube_simplified *s, struct gpube_ctx *ctx, const char *path)
{
	struct gpube_model *m, *costs;
	int status = gpube_read(&m, ctx, path, GPUBE_FORMAT_AUTO, NULL);

	if (status)
		return status;
	if (m->kind == GPUBE_POTENTIALS) {
		status = gpube__quantise(&costs, m, 0);
		gpube_model_free(m);
		m = costs;
	}
	if (!status)
		status = gpube__simplify(s, m, true);
	gpube_model_free(m);
	return status ? status : gpube__graph_of_model(g, s->model);
}

static void print_cost(const struct gpube_order_cost *c, double seconds)
{
	printf("\t%d\t%.2f\t%.2f\t%.4f", c->width, c->joined_cells > 0 ? log10(c->joined_cells) : 0,
		c->largest_joined > 0 ? log10(c->largest_joined) : 0, seconds);
}

static int bench(struct gpube_ctx *ctx, const char *path, double seconds)
{
	static const enum gpube_order_method methods[] = {GPUBE_ORDER_MIN_FILL, GPUBE_ORDER_AUTO};
	struct gpube_simplified s = {0};
	struct gpube_graph g = {0};
	struct gpube_order_cost c[2];
	int32_t *order = NULL;
	int status = simplified_graph(&g, &s, ctx, path);

	if (!status) {
		order = gpube__alloc(ctx, (uint64_t)g.n, sizeof(*order));
		status = order ? GPUBE_OK : GPUBE_ENOMEM;
	}
	printf("%s\t%d", path, g.n);
	for (int i = 0; i < 2 && !status; i++) {
		double begin = gpube__now();

		status = gpube__order_find(ctx, order, &c[i], &g, methods[i], seconds, 1e9, 1);
		if (!status)
			print_cost(&c[i], gpube__now() - begin);
	}
	if (status)
		printf("\t%s", gpube_error(ctx));
	else if (c[1].joined_cells > c[0].joined_cells || c[1].largest_joined > c[0].largest_joined)
		printf("\tWORSE");
	printf("\n");
	fflush(stdout);
	gpube__free(ctx, order);
	gpube__graph_clear(ctx, &g);
	gpube__simplified_clear(ctx, &s);
	return status;
}

int main(int argc, char **argv)
{
	struct gpube_ctx *ctx;
	int failed = 0;

	if (argc < 3 || gpube_ctx_new(&ctx, NULL))
		return 2;
	printf("file\tvars\tminfill_width\tlog10_sum\tlog10_max\tseconds\tauto_width\tlog10_sum\t"
	       "log10_max\tseconds\n");
	for (int i = 2; i < argc; i++)
		failed |= bench(ctx, argv[i], strtod(argv[1], NULL)) != GPUBE_OK;
	gpube_ctx_free(ctx);
	return failed;
}
