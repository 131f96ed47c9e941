/*
 * bench_shared - what one table on several cards could spare of the work of slices, counted by the
 * planner.
 *
 *   bench_shared FILE GIB [GIB ...]
 *
 * An elimination whose tables do not fit is cut into slices: boxes of values of some variables,
 * each eliminated by itself. Two cards take half of the slices that one card's memory makes
 * necessary; two cards that read each other's memory would need those of both cards' memory, and do
 * half of each. So no more can be gained than the joined cells of the one plan over those of the
 * other, before a byte has gone from card to card. One line a memory: GiB, slices, joined cells in
 * all slices, GiB of tables alive at once; nothing is eliminated. The order is searched for once,
 * for the first memory.
 */
#include "formats/formats.h"
#include "gpube/options/options.h"
#include "gpube/gpube.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int main(int argc, char **argv)
{
	int32_t *order = NULL;
	int status = 0;

	if (argc < 3) {
		fputs("usage: bench_shared FILE GIB [GIB ...]\n", stderr);
		return 2;
	}
	puts("GiB\tslices\tjoined_cells\tGiB_of_tables");
	for (int k = 2; k < argc && !status; k++) {
		struct gpube_opts ctx_opts = {.memory_bytes = (uint64_t)(atof(argv[k]) * 0x1p30)};
		struct gpube_opts opts = {.method = GPUBE_BOUND_ELIMINATE,
			.backend = GPUBE_BACKEND_CPU,
			.order_method = order ? GPUBE_ORDER_GIVEN : GPUBE_ORDER_AUTO,
			.order = order,
			.order_seconds = 5};
		struct gpube_ctx *ctx = NULL;
		struct gpube_model *m = NULL;
		struct gpube_solution *s = NULL;

		if (gpube_ctx_new(&ctx, &ctx_opts))
			return 1;
		status = gpube_read(&m, ctx, argv[1], NULL);
		if (!status)
			status = gpube_plan(&s, m, &opts);
		if (status)
			fprintf(stderr, "bench_shared: %s\n", gpube_error(ctx));
		else
			printf("%s\t%.0f\t%.4g\t%.1f\n", argv[k], s->plan.n_slices,
				s->plan.joined_cells, s->plan.peak_bytes / 0x1p30);
		fflush(stdout);
		if (!status && !order) {
			order = malloc(gpube_model_n_vars(m) * sizeof(*order));
			if (!order)
				return 1;
			memcpy(order, s->order, gpube_model_n_vars(m) * sizeof(*order));
		}
		gpube_result_free(s);
		gpube_model_free(m);
		gpube_ctx_free(ctx);
	}
	free(order);
	return status != 0;
}
