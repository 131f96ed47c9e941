/*
 * bench_growth - how the time of one bucket grows with its joined table: a table over all
 * variables of 4 values and four of two variables are joined, one variable is eliminated.
 *
 *   bench_growth cpu|cuda LEAST MOST > out.csv
 *   bench_growth predict LEAST MOST RATES > out.csv
 *
 * Joined tables of 2^LEAST to 2^MOST cells, four times as many each time. Seconds are those of
 * one contraction until its result is there, the least of several, with inputs where the
 * backend needs them; 'kernels' of a device are by events. 'predicted' is what the choice of
 * --backend auto assumes (gpube/ops/pick.h) from the rates measured here. 'predict' runs nothing:
 * what is assumed of both from RATES, a file that gpube devices --measure has written.
 */
#include "gpube/ops/pick.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { D = 4, N_PAIRS = 4, MOST_DIMS = 24 };

static struct gpube_ctx *ctx;
static const struct gpube_ops *ops;
static struct gpube_rate rate;

/* Dims 0 to n - 2 make the output, n - 1 is eliminated and the slowest of every operand. */
struct bucket {
	int n;
	int64_t sizes[MOST_DIMS];
	int32_t all[MOST_DIMS], pairs[N_PAIRS][2];
	struct gpube_operand in[1 + N_PAIRS];
	int64_t cells;
};

static void bucket_init(struct bucket *b, int log2_cells)
{
	memset(b, 0, sizeof(*b));
	b->n = log2_cells / 2;
	b->cells = 1;
	for (int k = 0; k < b->n; k++) {
		b->sizes[k] = k == 0 && log2_cells % 2 ? 2 * D : D;
		b->cells *= b->sizes[k];
		b->all[k] = k ? k - 1 : b->n - 1;
	}
	b->in[0] = (struct gpube_operand){.n_dims = b->n, .dims = b->all};
	for (int k = 0; k < N_PAIRS; k++) {
		b->pairs[k][0] = b->n - 1;
		b->pairs[k][1] = k;
		b->in[1 + k] = (struct gpube_operand){.n_dims = 2, .dims = b->pairs[k]};
	}
}

/* The large table is made where it is needed: the sum of small ones, its reduced dim of one value.
 */
static int fill(void *table, const struct bucket *b, const void *pair)
{
	int64_t sizes[MOST_DIMS + 1];
	int32_t dims[N_PAIRS][2];
	struct gpube_operand in[N_PAIRS];
	struct gpube_contraction c = {.semiring = GPUBE_MIN_PLUS,
		.type = GPUBE_INT32,
		.n_out = b->n,
		.n_dims = b->n + 1,
		.sizes = sizes,
		.n_in = N_PAIRS,
		.in = in,
		.top = 1 << 20,
		.threshold = 1 << 20,
		.out = table};

	for (int k = 0; k < b->n; k++)
		sizes[k] = b->sizes[b->all[k]];
	sizes[b->n] = 1;
	for (int k = 0; k < N_PAIRS; k++) {
		dims[k][0] = 2 + k;
		dims[k][1] = k;
		in[k] = (struct gpube_operand){.values = pair, .n_dims = 2, .dims = dims[k]};
	}
	return ops->contract(ctx, &c);
}

static double now(void)
{
	if (ops->settle)
		ops->settle(ctx, NULL);
	return gpube__now();
}

static double bytes_of(const struct bucket *b)
{
	return 4.0 * (double)(b->cells + b->cells / D + N_PAIRS * D * 2 * D);
}

static double predicted(
	const struct gpube_rate *r, const struct gpube_ops *o, const struct bucket *b)
{
	return gpube__contract_seconds(
		r, o, GPUBE_INT32, 1 + N_PAIRS, (double)b->cells, bytes_of(b));
}

static int time_bucket(const struct bucket *b, void *tables[3])
{
	double best = 1e30, kernels = 1e30, total = 0, bytes, bound;
	struct gpube_contraction c = {.semiring = GPUBE_MIN_PLUS,
		.type = GPUBE_INT32,
		.n_out = b->n - 1,
		.n_dims = b->n,
		.sizes = b->sizes,
		.n_in = 1 + N_PAIRS,
		.in = b->in,
		.top = 1 << 20,
		.threshold = 1 << 20,
		.out = tables[1]};
	int status = GPUBE_OK;

	for (int k = 0; k < 20 && !status && (k < 3 || total < 0.3); k++) {
		double seconds = 0, start = now(), end;

		c.seconds = &seconds;
		status = ops->contract(ctx, &c);
		end = now();
		total += end - start;
		if (k == 0)
			continue;
		best = fmin(best, end - start);
		kernels = fmin(kernels, seconds);
	}
	bytes = bytes_of(b);
	bound = gpube__contract_bound(&rate, GPUBE_INT32, (double)b->cells, bytes);
	if (!status)
		printf("%s,%lld,%.3e,%.3e,%.3e,%.3e\n", ops->name, (long long)b->cells, best,
			kernels, bound, predicted(&rate, ops == gpube__ops_cpu() ? ops : NULL, b));
	fflush(stdout);
	return status;
}

static int run(int log2_cells)
{
	static int32_t pair[2 * D * 2 * D];
	struct bucket b;
	void *tables[3] = {0};
	int status = GPUBE_ENOMEM;

	bucket_init(&b, log2_cells);
	for (size_t k = 0; k < sizeof(pair) / sizeof(*pair); k++)
		pair[k] = (int32_t)(k * 2654435761u >> 25);
	tables[0] = ops->alloc(ctx, (uint64_t)b.cells * 4);
	tables[1] = ops->alloc(ctx, (uint64_t)b.cells / D * 4);
	tables[2] = ops->alloc(ctx, sizeof(pair));
	if (tables[0] && tables[1] && tables[2])
		status = ops->upload(ctx, tables[2], pair, sizeof(pair));
	if (!status)
		status = fill(tables[0], &b, tables[2]);
	b.in[0].values = tables[0];
	for (int k = 0; k < N_PAIRS; k++)
		b.in[1 + k].values = tables[2];
	if (!status)
		status = time_bucket(&b, tables);
	for (int k = 0; k < 3; k++)
		if (tables[k])
			ops->free(ctx, tables[k]);
	return status;
}

static int predict(const char *path, int least, int most)
{
	static char text[16384];
	struct gpube_rates rates;
	FILE *f = fopen(path, "r");
	struct bucket b;
	int status;

	if (!f)
		return gpube__fail(ctx, GPUBE_EINVAL, "cannot open '%s'", path);
	text[fread(text, 1, sizeof(text) - 1, f)] = 0;
	fclose(f);
	status = gpube__rates_read(ctx, &rates, text);
	puts("joined_cells,cpu,cuda");
	for (int k = least; k <= most && !status; k++) {
		bucket_init(&b, k);
		printf("%lld,%.3e,%.3e\n", (long long)b.cells,
			predicted(&rates.all, gpube__ops_cpu(), &b),
			predicted(&rates.devices[0], NULL, &b));
	}
	return status;
}

int main(int argc, char **argv)
{
	bool predicting = argc == 5 && !strcmp(argv[1], "predict");
	int status = GPUBE_OK;

	if ((!predicting && (argc != 4 || (strcmp(argv[1], "cpu") && strcmp(argv[1], "cuda")))) ||
		atoi(argv[2]) < 12 || atoi(argv[3]) > 36) {
		fputs("usage: bench_growth cpu|cuda LEAST MOST, or predict LEAST MOST RATES; from "
		      "12 "
		      "to 36\n",
			stderr);
		return 2;
	}
	if (gpube_ctx_new(&ctx, NULL))
		return 1;
	if (predicting) {
		status = predict(argv[4], atoi(argv[2]), atoi(argv[3]));
		goto out;
	}
	ops = strcmp(argv[1], "cpu") ? gpube__ops_cuda(ctx, &status) : gpube__ops_cpu();
	memset(&rate, 0, sizeof(rate));
	if (!status)
		status = gpube__measure(ctx, ops, &rate);
	puts("backend,joined_cells,seconds,kernels,bound,predicted");
	for (int k = atoi(argv[2]); k <= atoi(argv[3]) && !status; k += 2)
		status = run(k);
out:
	if (status)
		fprintf(stderr, "bench_growth: %s\n", gpube_error(ctx));
	gpube_ctx_free(ctx);
	return status != GPUBE_OK;
}
