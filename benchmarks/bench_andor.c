/*
 * bench_andor - nodes of an AND/OR search by several ranks, which work in turns in one process, so
 * that the numbers are the same on every machine.
 *
 *   build/benchmarks/bench_andor FILE CELLS [MILLISECONDS [ALONE]] > nodes.csv
 *
 * A run by that method alone is stopped when it searches on tables of so many cells. Then 1, 2, 4,
 * 8 and 16 ranks prove that nothing is better, or find it; each works for so many milliseconds of
 * counted work (5), and then what it tells is known to all. Rank 0 works so many milliseconds alone
 * (0) before. Of each number of ranks: rounds, nodes of all, how many times those of one that is,
 * and how many times fewer one has.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "formats/formats.h"
#include "gpube/bound/andor/andor.h"
#include "gpube/bound/bound.h"
#include "gpube/bound/sharing/shared.h"
#include "gpube/gpube.h"
#include "gpube/options/options.h"

enum { MOST_RANKS = 16 };

struct recording {
	struct gpube_ctx *ctx;
	struct gpube__bytes root;
	double cells;
	int64_t slack;
	double turn, alone; /* seconds */
};

static void on_share(void *arg, enum gpube__shared_kind kind, void *of)
{
	struct recording *r = arg;
	const struct gpube_andor *a = of;

	if (!of || kind != GPUBE__SHARED_ANDOR || a->up || a->g->cells < r->cells || r->root.n)
		return;
	gpube__shared_andor.root(&r->root, of);
	r->slack = a->g->target - a->g->constant;
	gpube_ctx_stop(r->ctx);
}

/* What a rank has to say goes to all others. */
static int tell(struct gpube_ctx *ctx, struct gpube_andor **ranks, int n, int from)
{
	struct gpube__bytes news = {.ctx = ctx};
	int status;

	(void)gpube__shared_andor.give(ranks[from], &news, 0, -1, 0);
	status = news.status;
	for (int to = 0; to < n && !status; to++) {
		news.next = 0;
		if (to != from && news.n)
			status = gpube__shared_andor.take(ranks[to], &news);
	}
	gpube__bytes_clear(&news);
	return status;
}

/* Rank 0 begins alone. *ended: it has ended */
static int make(struct recording *r, struct gpube_andor **rank, int number, bool *ended)
{
	const struct gpube_budget alone = gpube__budget(r->ctx, r->alone);
	struct gpube__bytes tables = {.ctx = r->ctx};
	int64_t value;
	int status;

	r->root.next = 0;
	status = gpube__unpack(&tables, &r->root);
	if (!status)
		status = gpube__get_andor(rank,
			GPUBE__ANDOR_PART * (double)r->ctx->memory_bytes / MOST_RANKS, &tables);
	gpube__bytes_clear(&tables);
	if (!status && number == 0 && r->alone > 0)
		gpube__andor_search(*rank, r->slack, &alone, &value, NULL, ended);
	return status ? status : gpube__andor_far_open(*rank, number);
}

static int play(struct recording *r, int n, int64_t *one)
{
	struct gpube_andor *ranks[MOST_RANKS] = {NULL};
	int64_t rounds = 0, nodes = 0, value = 0;
	bool ended = false;
	int status = GPUBE_OK;

	for (int k = 0; k < n && !status; k++)
		status = make(r, &ranks[k], k, &ended);
	for (; !status && !ended; rounds++) {
		for (int k = 0; k < n && !status && !ended; k++) {
			const struct gpube_budget turn = gpube__budget(r->ctx, r->turn);

			if (k == 0 || gpube__andor_far_asks(ranks[k]))
				gpube__andor_search(
					ranks[k], r->slack, &turn, &value, NULL, &ended);
		}
		for (int k = 0; k < n && !status; k++)
			status = tell(r->ctx, ranks, n, k);
	}
	for (int k = 0; k < n; k++)
		nodes += ranks[k] ? (int64_t)ranks[k]->n_nodes : 0;
	*one = n == 1 ? nodes : *one;
	printf("%d,%lld,%lld,%.2f,%.2f\n", n, (long long)rounds, (long long)nodes,
		(double)nodes / (double)*one, (double)*one / ((double)nodes / n));
	fflush(stdout);
	for (int k = 0; k < n; k++)
		gpube__andor_free(ranks[k]);
	return status;
}

int main(int argc, char **argv)
{
	struct gpube_opts opts = {.method = GPUBE_BOUND_ANDOR};
	struct recording r = {.cells = argc > 2 ? atof(argv[2]) : 0,
		.turn = argc > 3 ? 1e-3 * atof(argv[3]) : 5e-3,
		.alone = argc > 4 ? 1e-3 * atof(argv[4]) : 0};
	const struct gpube_watch watch = {.arg = &r, .share = on_share};
	struct gpube_solution *solution = NULL;
	struct gpube_model *m = NULL;
	int64_t one = 0;
	int status = argc < 3 ? GPUBE_EINVAL : gpube_ctx_new(&r.ctx, NULL);

	if (status)
		return 1;
	r.root.ctx = r.ctx;
	r.ctx->n_threads = 1;
	status = gpube_read(&m, r.ctx, argv[1], NULL);
	if (!status)
		status = gpube__solve_noted(&solution, NULL, m, &opts, &watch);
	gpube_ctx_resume(r.ctx);
	status = r.root.n ? GPUBE_OK : status;
	printf("ranks,rounds,nodes,more,faster\n");
	for (int n = 1; n <= MOST_RANKS && !status && r.root.n; n *= 2)
		status = play(&r, n, &one);
	if (status || !r.root.n)
		fprintf(stderr, "bench_andor: %s\n",
			status ? gpube_error(r.ctx) : "no tables of so many cells");
	gpube_result_free(solution);
	gpube__bytes_clear(&r.root);
	gpube_model_free(m);
	gpube_ctx_free(r.ctx);
	return status || !r.root.n;
}
