/*
 * bench_sweep - a sweep over sparse relations (ops/sweep/sweep.h) on the host and on a card.
 *
 *   build/benchmarks/bench_sweep FILE [ENTRIES]
 *
 * The relations are those of bound --method pairwise after some sweeps, grown to so many entries
 * (512). Prints what they are, microseconds of a sweep on the host with one thread and with all,
 * and of one on the card; of a sweep of several states at once, for each state; and where several
 * threads have a plan and a state of their own each.
 */
#include "formats/formats.h"
#include "gpube/gpube.h"
#include "gpube/relax/pairwise/sweeper.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

enum { FIRST_ENTRIES = 256, SWEEPS = 40, MOST_STATES = 256, MOST_BESIDE = 64 };
#define BESIDE_SECONDS 0.4

static struct gpube_relations *relations_of(const struct gpube_model *m, int64_t most)
{
	struct gpube_relations *l, *larger;
	int32_t *room;

	if (gpube__relations_new(&l, m, GPUBE_INF) || !l ||
		gpube__relations_grow(&larger, l, m, FIRST_ENTRIES) || !larger)
		return NULL;
	gpube__relations_free(l);
	l = larger;
	room = gpube__sweep_room(m->ctx, &l->plan);
	for (int k = 0; k < 16; k++)
		gpube__sweep_cpu(m->ctx, &l->plan, &l->state, k % 2, room);
	gpube__free(m->ctx, room);
	if (gpube__relations_grow(&larger, l, m, most))
		return NULL;
	gpube__relations_free(l);
	return larger;
}

static void host(struct gpube_ctx *ctx, struct gpube_relations *l, int n_threads)
{
	double start;
	int32_t *room;

	ctx->n_threads = n_threads;
	room = gpube__sweep_room(ctx, &l->plan);
	start = gpube__now();
	for (int k = 0; k < SWEEPS; k++)
		gpube__sweep_cpu(ctx, &l->plan, &l->state, k % 2, room);
	printf("host, %2d threads  %8.1f us a sweep\n", n_threads,
		(gpube__now() - start) / SWEEPS * 1e6);
	gpube__free(ctx, room);
}

static void card(struct gpube_ctx *ctx, struct gpube_relations *l)
{
	static int64_t constant[MOST_STATES], dead_at[MOST_STATES + 1];
	struct gpube_sweep_card *c;
	int status, n_sweeps = 8;
	const struct gpube_sweep_ops *ops = gpube__sweep_cuda(ctx, &status);
	double start;

	if (!ops || ops->open(&c, ctx, ctx, (uint64_t)8 << 30, 1) ||
		ops->load(c, &l->plan, &l->state)) {
		printf("no card: %s\n", gpube_error(ctx));
		return;
	}
	for (int k = 0; k < 2; k++) { /* the first one is to warm up */
		start = gpube__now();
		for (int j = 0; j < SWEEPS / n_sweeps; j++)
			status |= ops->sweep(c, l->state.target, n_sweeps, false, constant);
	}
	printf("card, 1 state     %8.1f us a sweep\n",
		(gpube__now() - start) / (SWEEPS / n_sweeps * n_sweeps) * 1e6);
	for (int n = 2; n <= MOST_STATES; n *= 2) {
		for (int k = 0; k < 2; k++) {
			start = gpube__now();
			status |= ops->probe(
				c, l->state.target, n - 1, dead_at, NULL, n_sweeps, constant);
		}
		printf("card, %3d states  %8.1f us a sweep and state\n", n - 1,
			(gpube__now() - start) / n_sweeps / (n - 1) * 1e6);
	}
	status |= ops->store(c, l->state.costs);
	printf("%s", status ? "the card failed\n" : "");
	ops->close(c);
}

/* A thread that has a card's memory of its own. */
struct beside {
	pthread_t thread;
	struct gpube_ctx ctx;
	const struct gpube_sweep_ops *ops;
	struct gpube_sweep_card *card;
	const struct gpube_relations *l;
	double load, seconds;
	int n_sweeps, status;
};

static void *sweep_beside(void *arg)
{
	struct beside *b = arg;
	int64_t constant[8];
	double start = gpube__now();

	b->status = b->ops->load(b->card, &b->l->plan, &b->l->state);
	b->load = gpube__now() - start;
	start = gpube__now();
	while (!b->status && gpube__now() - start < BESIDE_SECONDS) {
		b->status = b->ops->sweep(b->card, b->l->state.target, 8, false, constant);
		b->n_sweeps += 8;
	}
	b->seconds = gpube__now() - start;
	return NULL;
}

static bool card_beside(struct gpube_ctx *ctx, struct gpube_relations *l, int n)
{
	static struct beside all[MOST_BESIDE];
	int status;
	double sum = 0, load = 0, latency = 0;

	for (int k = 0; k < n; k++) {
		all[k] = (struct beside){.l = l, .ops = gpube__sweep_cuda(ctx, &status)};
		all[k].ctx = gpube__ctx_child(ctx);
		if (!all[k].ops ||
			all[k].ops->open(&all[k].card, ctx, &all[k].ctx, (uint64_t)1 << 30, n))
			return false;
	}
	for (int k = 0; k < n; k++)
		pthread_create(&all[k].thread, NULL, sweep_beside, &all[k]);
	for (int k = 0; k < n; k++) {
		pthread_join(all[k].thread, NULL);
		sum += all[k].n_sweeps / all[k].seconds;
		latency += all[k].seconds / all[k].n_sweeps / n;
		load += all[k].load / n;
		if (all[k].status)
			printf("the card failed\n");
		all[k].ops->close(all[k].card);
	}
	printf("card, %3d threads %8.1f us a sweep and thread, %8.1f us of waiting each, %.1f ms "
	       "to load\n",
		n, 1e6 / sum, latency * 1e6, load * 1e3);
	return true;
}

int main(int argc, char **argv)
{
	struct gpube_ctx *ctx;
	struct gpube_model *m;
	struct gpube_relations *l;
	int n_threads;

	if (argc < 2 || gpube_ctx_new(&ctx, NULL))
		return 1;
	if (gpube_read(&m, ctx, argv[1], NULL)) {
		fprintf(stderr, "bench_sweep: %s\n", gpube_error(ctx));
		return 1;
	}
	l = relations_of(m, argc > 2 ? atoll(argv[2]) : 512);
	if (!l || !l->plan.n_separators) {
		fprintf(stderr, "no relations\n");
		return 1;
	}
	printf("%d relations of %lld entries, %d separators in %d waves, %lld entries a sweep\n",
		l->n_relations, (long long)l->n_entries, l->plan.n_separators, l->plan.n_waves,
		(long long)gpube__sweep_entries(&l->plan));
	n_threads = ctx->n_threads;
	host(ctx, l, 1);
	host(ctx, l, n_threads);
	card(ctx, l);
	for (int n = 1; n <= MOST_BESIDE && card_beside(ctx, l, n);)
		n *= 2;
	return 0;
}
