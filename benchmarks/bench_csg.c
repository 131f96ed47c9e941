/*
 * bench_csg [SECONDS [BITS]] - splits in a second of subset_convolve, for each
 * value type and instruction set, on one thread and on all. The answers are
 * compared with those of the portable kernels. Tab-separated: type, kernels,
 * bits, threads, best and median seconds, splits per second of the best.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "gpube/ops/subset/subset_tile.h"
#include "gpube/options/options.h"

static const char *const type_names[] = {"int8", "int16", "int32", "int64", "float32", "float64"};
static const char *const isa_names[] = {"portable", "avx2", "avx512"};

static void fill(void *values, enum gpube_type type, uint64_t n, uint64_t seed)
{
	struct gpube_rng rng;

	gpube__rng_init(&rng, seed);
	for (uint64_t i = 0; i < n; i++) {
		const uint64_t r = gpube__rng_below(&rng, 10000);

		switch (type) {
		case GPUBE_INT16:
			((int16_t *)values)[i] = (int16_t)r;
			break;
		case GPUBE_INT32:
			((int32_t *)values)[i] = (int32_t)r;
			break;
		case GPUBE_INT64:
			((int64_t *)values)[i] = (int64_t)r;
			break;
		case GPUBE_FLOAT32:
			((float *)values)[i] = (float)r;
			break;
		default:
			((double *)values)[i] = (double)r;
			break;
		}
	}
}

static int by_size(const void *a, const void *b)
{
	const double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

/* Times one kernel; false if its answer is not 'expected'. */
static bool bench(struct gpube_ctx *ctx, const struct gpube_subset *s, enum gpube__isa isa,
	const void *expected, double seconds)
{
	const size_t bytes = gpube__type_size(s->type) << s->n_bits;
	double t[1000], begin = gpube__now();
	int n = 0;

	do {
		double start = gpube__now();

		if (gpube__subset_convolve_isa(ctx, s, isa)) {
			fprintf(stderr, "bench_csg: %s\n", gpube_error(ctx));
			return false;
		}
		t[n++] = gpube__now() - start;
	} while (n < 1000 && (n < 2 || gpube__now() - begin < seconds));
	if (memcmp(s->out, expected, bytes) != 0) {
		fprintf(stderr, "bench_csg: %s: wrong answer\n", isa_names[isa]);
		return false;
	}
	qsort(t, (size_t)n, sizeof(*t), by_size);
	printf("%s\t%s\t%d\t%d\t%.6f\t%.6f\t%.3e\n", type_names[s->type], isa_names[isa], s->n_bits,
		ctx->n_threads, t[0], t[n / 2], (double)gpube__pow3(s->n_bits) / t[0]);
	fflush(stdout);
	return true;
}

static bool bench_type(enum gpube_type type, int bits, double seconds)
{
	const size_t bytes = gpube__type_size(type) << bits;
	char *values = aligned_alloc(64, 4 * bytes);
	struct gpube_subset s = {
		type, bits, values, values + bytes, values + 2 * bytes, 0, 0, 0, 20000};
	bool ok = values != NULL;

	for (int all = 0; ok && all < 2; all++) {
		struct gpube_opts opts = {.n_threads = !all};
		struct gpube_ctx *ctx;

		if (gpube_ctx_new(&ctx, &opts))
			return false;
		if (!all) {
			fill(values, type, (uint64_t)2 << bits, 1);
			ok = !gpube__subset_convolve_isa(ctx, &s, GPUBE_ISA_PORTABLE);
			memcpy(values + 3 * bytes, values + 2 * bytes, bytes);
		}
		for (int isa = 0; ok && isa <= (int)gpube__isa_here(); isa++)
			ok = bench(ctx, &s, (enum gpube__isa)isa, values + 3 * bytes, seconds);
		gpube_ctx_free(ctx);
	}
	free(values);
	return ok;
}

int main(int argc, char **argv)
{
	const double seconds = argc > 1 ? atof(argv[1]) : 1;
	const int bits = argc > 2 ? atoi(argv[2]) : 20;
	bool ok = bits >= 8 && bits <= 30;

	printf("type\tkernels\tbits\tthreads\tbest_s\tmedian_s\tsplits_per_s\n");
	for (int type = GPUBE_INT16; ok && type <= GPUBE_FLOAT64; type++)
		ok = bench_type((enum gpube_type)type, bits, seconds);
	return ok ? 0 : 1;
}
