/*
 * Sums of products on a card, of the shapes that matter, beside what a copy moves and what
 * multiplications take: shape, joined cells, seconds (the best of ten, the host's part included),
 * bytes and products a second, and their shares of the ceilings. Tables are drawn anew for each
 * shape; none fits a cache.
 *
 * usage: bench_sum [FMA-PER-SECOND]
 *
 * By default the rate of an H200: 132 multiprocessors, 64 a cycle, 1.98 GHz.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "gpube/ops/rates.h"
#include "gpube/ops/sum/sum_card.h"

enum { REPEATS = 10, MOST_IN = 6, SMALL = 4096 };

static struct gpube_ctx *ctx;
static struct gpube_sum_card card;
static double copy, rate;

/* A table over the axes of 'mask', row-major, random, on the card. */
static void lay(struct gpube_sum_operand *o, struct gpube_sum_table *t,
	const struct gpube_sum_job *job, uint64_t mask, bool fill)
{
	struct gpube_rng rng;
	double *cells;

	memset(o, 0, sizeof(*o));
	*t = (struct gpube_sum_table){.n = 1};
	o->table = t;
	for (int a = job->n_axes - 1; a >= 0; a--)
		if (mask >> a & 1) {
			o->stride[a] = t->n;
			t->n *= job->dim[a];
		}
	if (!fill)
		return;
	gpube__rng_init(&rng, mask);
	t->on = card.ops;
	t->card = card.ops->alloc(ctx, (uint64_t)t->n * sizeof(double));
	cells = malloc((size_t)t->n * sizeof(double));
	if (!t->card || !cells)
		exit(1);
	for (int64_t i = 0; i < t->n; i++)
		cells[i] = 0.25 + gpube__rng_unit(&rng) / 2;
	t->least = -3;
	card.ops->upload(ctx, t->card, cells, (uint64_t)t->n * sizeof(double));
	if (t->n > SMALL) {
		free(cells);
		return;
	}
	/* as a function's table, which the host has, too */
	t->cells = gpube__alloc(ctx, (uint64_t)t->n, sizeof(double));
	memcpy(t->cells, cells, (size_t)t->n * sizeof(double));
	free(cells);
}

/* So many equal jobs in one call. */
static void time_of(const char *name, struct gpube_sum_job *job, const uint64_t *masks,
	uint64_t out_mask, int n)
{
	struct gpube_sum_operand in[MOST_IN], *out = calloc((size_t)n, sizeof(*out));
	struct gpube_sum_table tables[MOST_IN], *results = calloc((size_t)n, sizeof(*results));
	struct gpube_sum_job *jobs = calloc((size_t)n, sizeof(*jobs));
	double joined = n, bytes = 0, best = INFINITY;
	int64_t results_n = 0;
	bool done = true;

	if (!out || !results || !jobs)
		exit(1);
	job->in = in;
	for (int k = 0; k < job->n_in; k++) {
		lay(&in[k], &tables[k], job, masks[k], true);
		bytes += (double)tables[k].n * 8 * n;
	}
	for (int a = 0; a < job->n_axes; a++)
		joined *= (double)job->dim[a];
	job->n_out = 1;
	for (int repeat = 0; repeat < REPEATS && done; repeat++) {
		double start;

		for (int i = 0; i < n; i++) {
			jobs[i] = *job;
			lay(&out[i], &results[i], job, out_mask, false);
			jobs[i].out = &out[i];
		}
		start = gpube__now();
		if (gpube__sum_products_card(ctx, &card, n, jobs, &done)) {
			printf("%s: %s\n", name, gpube_error(ctx));
			exit(1);
		}
		best = fmin(best, gpube__now() - start);
		results_n = results[0].n;
		for (int i = 0; i < n; i++)
			gpube__sum_table_clear(ctx, &results[i]);
	}
	bytes += 8 * (double)n * (double)results_n;
	printf("%-34s %9.3g cells %10.6f s %7.0f GB/s %4.0f %% %8.0f G products/s %4.0f %%%s\n",
		name, joined, best, bytes / best / 1e9, 100 * bytes / best / copy,
		joined / best / 1e9, 100 * joined / best / rate, done ? "" : " NOT DONE");
	for (int k = 0; k < job->n_in; k++)
		gpube__sum_table_clear(ctx, &tables[k]);
	free(out);
	free(results);
	free(jobs);
}

/* n axes of the same size; masks of the inputs, then of the output. */
static void binary(const char *name, int n_axes, int64_t dim, int n_in, const uint64_t *masks,
	uint64_t out, int n)
{
	struct gpube_sum_job job = {.n_axes = n_axes, .n_in = n_in};

	for (int a = 0; a < n_axes; a++)
		job.dim[a] = dim;
	time_of(name, &job, masks, out, n);
}

static void matrices(const char *name, int64_t rows, int64_t columns, int64_t terms)
{
	struct gpube_sum_job job = {.n_axes = 3, .dim = {rows, terms, columns}, .n_in = 2};
	const uint64_t masks[] = {3, 6};

	time_of(name, &job, masks, 5, 1);
}

int main(int argc, char **argv)
{
	const uint64_t all = (UINT64_C(1) << 28) - 1;
	struct gpube_rate r = {0};

	if (gpube_ctx_new(&ctx, NULL) || gpube__sum_card_open(&card, ctx) ||
		gpube__ceilings_cuda(ctx, &r)) {
		fprintf(stderr, "bench_sum: %s\n", gpube_error(ctx));
		return 1;
	}
	copy = r.copy;
	rate = argc > 1 ? atof(argv[1]) : 132 * 64 * 1.98e9;
	printf("%s: copy %.0f GB/s, %.0f G products/s\n", r.name, copy / 1e9, rate / 1e9);
	/* one large table: x is axis 0, as upwards */
	binary("one table", 28, 2, 1, (uint64_t[]){all}, all & ~1ull, 1);
	binary("large and 1 small", 28, 2, 2, (uint64_t[]){all, 0x101}, all & ~1ull, 1);
	binary("large and 4 small", 28, 2, 5, (uint64_t[]){all, 0x3, 0x10001, 0x800001, 0x4001001},
		all & ~1ull, 1);
	binary("two large", 28, 2, 2, (uint64_t[]){all & ~4ull, all & ~0x10ull}, all & ~1ull, 1);
	binary("two large and 2 small", 28, 2, 4,
		(uint64_t[]){all & ~4ull, all & ~0x10ull, 0x10001, 0x4001001}, all & ~1ull, 1);
	binary("the same, the last summed", 28, 2, 4,
		(uint64_t[]){all & ~4ull, all & ~0x10ull, 0x10001, 0x4001001}, all & ~(1ull << 27),
		1);
	binary("down: from the parent", 28, 2, 2, (uint64_t[]){all & ~1ull, 0x801}, all & ~0x200ull,
		1);
	binary("values of 5", 12, 5, 3, (uint64_t[]){0xfff, 0x3, 0x801}, 0xffe, 1);
	binary("to one variable", 28, 2, 2, (uint64_t[]){all, 0x3}, 0x1, 1);
	binary("to a few", 28, 2, 2, (uint64_t[]){all, 0x3}, 0x1002403, 1);
	matrices("matrices of 4096", 4096, 4096, 4096);
	matrices("matrices of 1024", 1024, 1024, 1024);
	matrices("matrices of 8192 and 128", 8192, 8192, 128);
	binary("a product of mixed axes", 36, 2, 2,
		(uint64_t[]){0xfff000fff, 0x000fffaaa | 0xaaa000000},
		0xfff000fffull ^ 0xaaa000aaa ^ 0x000fff000, 1);
	binary("1000 of 2^10", 10, 2, 3, (uint64_t[]){0x3ff, 0x1f, 0x303}, 0x3fe, 1000);
	binary("1000 of 2^14", 14, 2, 3, (uint64_t[]){0x3fff, 0x1f, 0x303}, 0x3ffe, 1000);
	binary("100 of 2^18", 18, 2, 3, (uint64_t[]){0x3ffff, 0x1f, 0x303}, 0x3fffe, 100);
	binary("1 of 2^14", 14, 2, 3, (uint64_t[]){0x3fff, 0x1f, 0x303}, 0x3ffe, 1);
	gpube_ctx_free(ctx);
	return 0;
}
