/*
 * bench_contract.c - the CPU's contract beside the bound of each shape.
 *
 *	bench_contract [-t seconds] [-r family] [-n cores] [-c file.csv] benchmarks/shapes.txt
 *
 * Bound: the larger of bytes / copy bandwidth (each input once, the output
 * once; a copy of n bytes moves 2n) and joined cells / rate of add-min from
 * registers, on as many cores as the row uses. The clock of a virtual core goes up
 * and down by a factor of two within seconds, so a row's ceiling is measured again
 * between slices of some 20 ms of runs: a slice's share is that of its median run,
 * against the better of the ceilings before and after it. A row is the median
 * of at least 'seconds' (1) of slices; small shapes stay in the caches.
 * Every result is checked before it is timed.
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#if defined(__x86_64__)
#include <immintrin.h>
#endif

#include "tests/support/shapes.h"
#include "gpube/options/options.h"

enum { MAX_CORES = 2, MAX_RUNS = 100000, MAX_SLICES = 1000 };

#define SLICE_SECONDS 0.02
#define COPY_BYTES    ((size_t)256 << 20)

static struct gpube_ctx *tables; /* whose memory the tables are */

struct ceilings {
	double copy_bytes, add_min; /* a second */
};

/* ---- ceilings ------------------------------------------------------------------- */

#if defined(__x86_64__)
/* Twelve accumulators and addends: nothing but an add and a min of each vector. */
#define RATE(NAME, TARGET, V, SET, ADD, MIN, N)                                                    \
	__attribute__((target(TARGET), noinline)) static void NAME(int64_t n, void *sink)          \
	{                                                                                          \
		V best[12], v[12], s = SET(3);                                                     \
                                                                                                   \
		for (int i = 0; i < 12; i++) {                                                     \
			best[i] = SET(1000);                                                       \
			v[i] = SET(i);                                                             \
		}                                                                                  \
		for (int64_t k = 0; k < n; k++) {                                                  \
			__asm__ volatile("" : "+v"(s));                                            \
			_Pragma("GCC unroll 12") for (int i = 0; i < N; i++) best[i] =             \
				MIN(best[i], ADD(s, v[i]));                                        \
		}                                                                                  \
		for (int i = 1; i < N; i++)                                                        \
			best[0] = MIN(best[0], best[i]);                                           \
		memcpy(sink, &best[0], sizeof(V));                                                 \
	}
RATE(int_512, "avx512f", __m512i, _mm512_set1_epi32, _mm512_add_epi32, _mm512_min_epi32, 12)
RATE(int_256, "avx2", __m256i, _mm256_set1_epi32, _mm256_add_epi32, _mm256_min_epi32, 6)
#endif

static void plain_rate(int64_t n, void *sink)
{
	volatile int32_t *out = sink;
	int32_t best[16];

	for (int i = 0; i < 16; i++)
		best[i] = 1000;
	for (int64_t k = 0; k < n; k++)
		for (int i = 0; i < 16; i++) {
			const int32_t v = (int32_t)k + i;

			best[i] = v < best[i] ? v : best[i];
		}
	for (int i = 0; i < 16; i++)
		*out = best[i];
}

static void add_min_kernel(void (**kernel)(int64_t, void *), int *cells)
{
	*kernel = plain_rate;
	*cells = 16;
#if defined(__x86_64__)
	if (__builtin_cpu_supports("avx512f")) {
		*kernel = int_512;
		*cells = 12 * 16;
	} else if (__builtin_cpu_supports("avx2")) {
		*kernel = int_256;
		*cells = 6 * 8;
	}
#endif
}

/*
 * A ceiling is measured on threads of its own, one on each core, which end before a row runs:
 * those of OpenMP go on spinning for some 10 ms, on the core that the row's second thread wants.
 */
struct worker {
	void (*fn)(const void *arg, int part);
	const void *arg;
	int part, n;
	int *arrived; /* of n: they start together */
	double begin, end;
};

/* To the part-th of the cores that the program may use. */
static void take_core(int part)
{
	cpu_set_t all, one;

	CPU_ZERO(&one);
	if (sched_getaffinity(0, sizeof(all), &all))
		return;
	for (int cpu = 0; cpu < CPU_SETSIZE; cpu++)
		if (CPU_ISSET(cpu, &all) && part-- == 0)
			CPU_SET(cpu, &one);
	if (CPU_COUNT(&one))
		pthread_setaffinity_np(pthread_self(), sizeof(one), &one);
}

static void *work(void *arg)
{
	struct worker *w = arg;

	take_core(w->part);
	__atomic_add_fetch(w->arrived, 1, __ATOMIC_ACQ_REL);
	while (__atomic_load_n(w->arrived, __ATOMIC_ACQUIRE) < w->n)
		;
	w->begin = gpube__now();
	w->fn(w->arg, w->part);
	w->end = gpube__now();
	return NULL;
}

/*
 * Seconds from the first beginning to the last end of fn(arg, 0), fn(arg, 1) … on 'cores' threads.
 */
static double seconds_together(int cores, void (*fn)(const void *arg, int part), const void *arg)
{
	struct worker w[MAX_CORES];
	pthread_t thread[MAX_CORES];
	double begin = 1e300, end = 0;
	int arrived = 0;

	for (int i = 0; i < cores; i++) {
		w[i] = (struct worker){
			.fn = fn, .arg = arg, .part = i, .n = cores, .arrived = &arrived};
		if (pthread_create(&thread[i], NULL, work, &w[i]))
			abort();
	}
	for (int i = 0; i < cores; i++) {
		pthread_join(thread[i], NULL);
		begin = w[i].begin < begin ? w[i].begin : begin;
		end = w[i].end > end ? w[i].end : end;
	}
	return end - begin;
}

struct rate_job {
	void (*kernel)(int64_t n, void *sink);
	int64_t n;
};

static void run_rate(const void *arg, int part)
{
	const struct rate_job *job = arg;
	char sink[64];

	(void)part;
	job->kernel(job->n, sink);
}

/* The best of 'runs' runs of n iterations. */
static double measure_add_min(int cores, int64_t n, int runs)
{
	struct rate_job job = {.n = n};
	double best = 1e9;
	int cells;

	add_min_kernel(&job.kernel, &cells);
	for (int run = 0; run < runs; run++) {
		const double t = seconds_together(cores, run_rate, &job);

		best = t < best ? t : best;
	}
	return cores * (double)n * cells / best;
}

static char *copy_from, *copy_to; /* COPY_BYTES each */

static void copy_part(const void *arg, int part)
{
	const size_t bytes = *(const size_t *)arg;

	memcpy(copy_to + bytes * (size_t)part, copy_from + bytes * (size_t)part, bytes);
}

static double measure_copy(int cores, size_t bytes, int runs)
{
	const size_t each = bytes / (size_t)cores;
	double best = 1e9;

	for (int run = 0; run < runs; run++) {
		const double t = seconds_together(cores, copy_part, &each);

		best = t < best ? t : best;
	}
	return 2 * (double)each * cores / best;
}

/* ---- a row ------------------------------------------------------------------------- */

static const char *const positions[] = {"first", "middle", "last"};

/* Rewrites the operands of a shape so that x is first, in the middle or last in each. */
static void place_x(char *out, size_t room, const char *text, int position)
{
	const char *operands = strchr(strchr(text, ':') + 1, ':') + 1;
	size_t at = (size_t)(operands - text);
	char copy[1024], *batch, *save, *part;

	snprintf(out, room, "%.*s", (int)at, text);
	snprintf(copy, sizeof(copy), "%s", operands);
	batch = strchr(copy, ':');
	if (batch)
		*batch++ = 0;
	for (part = strtok_r(copy, ",", &save); part; part = strtok_r(NULL, ",", &save)) {
		char *words[64], *word_save, *w;
		int n = 0, has_x = 0, to;

		for (w = strtok_r(part, " \t\n", &word_save); w;
			w = strtok_r(NULL, " \t\n", &word_save)) {
			if (strcmp(w, "x") == 0)
				has_x = 1;
			else
				words[n++] = w;
		}
		to = position == 0 ? 0 : position == 1 ? (n + 1) / 2 : n;
		for (int i = 0; i <= n; i++) {
			if (i == to && has_x)
				at += (size_t)snprintf(out + at, room - at, " x");
			if (i < n)
				at += (size_t)snprintf(out + at, room - at, " %s", words[i]);
		}
		at += (size_t)snprintf(out + at, room - at, " ,");
	}
	out[--at] = 0;
	if (batch)
		snprintf(out + at, room - at, ":%s", batch);
}

struct row {
	const char *family;
	struct shape *shapes; /* 'batch' of them, each with its own tables */
	struct gpube_contraction *all;
	struct gpube_operand *in; /* of all of them */
	char *block;              /* all tables: the inputs, then the outputs */
	int n;
};

static void free_row(struct row *row)
{
	for (int i = 0; i < row->n; i++) {
		for (int k = 0; k < row->shapes[i].c.n_in; k++)
			row->shapes[i].in[k].values = NULL; /* in the block */
		row->shapes[i].c.out = NULL;
		shape_free(&row->shapes[i]);
	}
	gpube__ops_cpu()->free(tables, row->block);
	free(row->shapes);
	free(row->all);
	free(row->in);
}

static uint64_t round_up(uint64_t bytes)
{
	return (bytes + 63) / 64 * 64;
}

/* Moves a shape's tables into the block. */
static void move_tables(struct shape *s, char **inputs, char **outputs)
{
	for (int k = 0; k < s->c.n_in; k++) {
		memcpy(*inputs, s->in[k].values, shape_in_bytes(s, k));
		free((void *)s->in[k].values);
		s->in[k].values = *inputs;
		*inputs += round_up(shape_in_bytes(s, k));
	}
	free(s->c.out);
	s->c.out = *outputs;
	*outputs += round_up(shape_out_bytes(s));
}

static const char *make_row(struct row *row, const char *text)
{
	struct shape one;
	const char *problem = shape_parse(&one, text, GPUBE_MIN_PLUS, GPUBE_INT32);
	uint64_t in_bytes = 0, out_bytes;
	char *inputs, *outputs;
	int n_in;

	if (problem)
		return problem;
	row->n = one.batch;
	n_in = one.c.n_in;
	for (int k = 0; k < n_in; k++)
		in_bytes += round_up(shape_in_bytes(&one, k));
	out_bytes = round_up(shape_out_bytes(&one));
	shape_free(&one);
	row->in = calloc((size_t)(row->n * n_in), sizeof(*row->in));
	row->shapes = calloc((size_t)row->n, sizeof(*row->shapes));
	row->all = calloc((size_t)row->n, sizeof(*row->all));
	row->block = gpube__ops_cpu()->alloc(tables, (uint64_t)row->n * (in_bytes + out_bytes));
	if (!row->shapes || !row->all || !row->in || !row->block)
		abort();
	inputs = row->block;
	outputs = inputs + (uint64_t)row->n * in_bytes;
	for (int i = 0; i < row->n; i++) {
		shape_parse(&row->shapes[i], text, GPUBE_MIN_PLUS, GPUBE_INT32);
		shape_fill(&row->shapes[i], (uint64_t)i, SHAPE_SIGNED, false);
		move_tables(&row->shapes[i], &inputs, &outputs);
		shape_poison(&row->shapes[i]);
		row->all[i] = row->shapes[i].c;
		/* as a caller of many equal ones has it: sizes and scopes are shared */
		row->all[i].sizes = row->all[0].sizes;
		row->all[i].in = &row->in[i * n_in];
		for (int k = 0; k < n_in; k++) {
			row->in[i * n_in + k] = row->shapes[i].in[k];
			row->in[i * n_in + k].dims = row->shapes[0].in[k].dims;
		}
	}
	return NULL;
}

static int run_row(struct gpube_ctx *ctx, const struct row *row)
{
	if (row->n == 1)
		return gpube__ops_cpu()->contract(ctx, row->all);
	return gpube__ops_cpu()->contract_batch(ctx, row->n, row->all);
}

static const char *check_row(struct gpube_ctx *ctx, const struct row *row)
{
	if (run_row(ctx, row))
		return gpube_error(ctx);
	for (int i = 0; i<row->n; i += row->n> 100 ? 37 : 1) {
		const char *problem = shape_check_sample(&row->shapes[i], 2000, (uint64_t)i);

		if (problem)
			return problem;
	}
	return NULL;
}

static int compare_doubles(const void *a, const void *b)
{
	const double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

/* What bounds a row, and how much of it the row needs. */
struct bound {
	double amount; /* bytes, or joined cells */
	bool copying;
	int cores;
};

/* The whole of the buffers: smaller copies go through the caches and are slower. */
static double ceiling_now(const struct bound *b)
{
	return b->copying ? measure_copy(b->cores, COPY_BYTES, 1)
			  : measure_add_min(b->cores, 300000, 2);
}

static double median_of(double *v, int n)
{
	qsort(v, (size_t)n, sizeof(*v), compare_doubles);
	return v[n / 2];
}

struct timing {
	double median, minimum, ceiling, share; /* the last two: medians of slices */
};

static void time_row(struct gpube_ctx *ctx, const struct row *row, double seconds,
	const struct bound *b, struct timing *out)
{
	static double t[MAX_RUNS], slice_t[MAX_RUNS], ceilings_seen[MAX_SLICES], shares[MAX_SLICES];
	double total = 0, before = ceiling_now(b);
	int n = 0, slices = 0;

	while (n < MAX_RUNS && slices < MAX_SLICES && (total < seconds || slices < 5)) {
		double slice = 0, after, best;
		int first = n;

		while (n < MAX_RUNS && (slice < SLICE_SECONDS || n < first + 2)) {
			t[n] = gpube__now();
			run_row(ctx, row);
			t[n] = gpube__now() - t[n];
			slice += t[n++];
		}
		after = ceiling_now(b);
		best = after > before ? after : before;
		memcpy(slice_t, t + first, (size_t)(n - first) * sizeof(*t));
		ceilings_seen[slices] = best;
		shares[slices++] = b->amount / best / median_of(slice_t, n - first);
		before = after;
		total += slice;
	}
	out->median = median_of(t, n);
	out->minimum = t[0];
	out->ceiling = median_of(ceilings_seen, slices);
	out->share = median_of(shares, slices);
}

static int bench_row(const char *family, const char *text, int position, int cores,
	const struct ceilings *ceil, double seconds, FILE *csv)
{
	struct gpube_opts opts = {.n_threads = cores};
	struct timing timing;
	struct bound bound;
	double bytes, joined;
	struct row row = {.family = family};
	struct gpube_ctx *ctx;
	const char *problem;
	char placed[2048];

	place_x(placed, sizeof(placed), text, position);
	if (gpube_ctx_new(&ctx, &opts))
		abort();
	problem = make_row(&row, placed);
	if (!problem)
		problem = check_row(ctx, &row);
	if (problem) {
		fprintf(stderr, "bench_contract: %s: %s\n", placed, problem);
		free_row(&row);
		gpube_ctx_free(ctx);
		return 1;
	}
	bytes = row.n * row.shapes[0].bytes;
	joined = (double)row.n * (double)row.shapes[0].joined_cells;
	bound.copying = bytes / ceil->copy_bytes > joined / ceil->add_min;
	bound.amount = bound.copying ? bytes : joined;
	bound.cores = cores;
	time_row(ctx, &row, seconds, &bound, &timing);
	printf("%-9s %-6s %d  %9.1f %9.1f us  %6.1f G %s/s %4.0f %%\n", family, positions[position],
		cores, timing.median * 1e6, timing.minimum * 1e6, timing.ceiling / 1e9,
		bound.copying ? "bytes" : "cells", 100 * timing.share);
	fflush(stdout);
	if (csv)
		fprintf(csv, "%s,%s,%d,%.9f,%.9f,%.0f,%.0f,%s,%.4g,%.3f\n", family,
			positions[position], cores, timing.median, timing.minimum, bytes, joined,
			bound.copying ? "copy" : "add-min", timing.ceiling, timing.share);
	free_row(&row);
	gpube_ctx_free(ctx);
	return 0;
}

/* ---- the program ---------------------------------------------------------------------- */

static struct ceilings ceilings[MAX_CORES + 1];

static void measure_ceilings(void)
{
	for (int cores = 1; cores <= MAX_CORES; cores++) {
		struct ceilings *c = &ceilings[cores];

		c->copy_bytes = measure_copy(cores, COPY_BYTES, 10);
		c->add_min = measure_add_min(cores, 3000000, 20);
		printf("%d core%s: copy %.1f GB/s, add-min %.1f G/s\n", cores, cores > 1 ? "s" : "",
			c->copy_bytes / 1e9, c->add_min / 1e9);
	}
}

/* only: NULL, or the family; only_cores: 0, or how many */
static int bench_line(char *line, const char *only, int only_cores, double seconds, FILE *csv)
{
	char *bar = strchr(line, '|'), family[32];
	int failed = 0;

	if (line[0] == '#' || !bar || sscanf(line, "%31s", family) != 1)
		return 0;
	if (only && strcmp(only, family) != 0)
		return 0;
	for (int cores = 1; cores <= MAX_CORES; cores++)
		for (int position = 0; position < 3 && (!only_cores || cores == only_cores);
			position++)
			failed |= bench_row(
				family, bar + 1, position, cores, &ceilings[cores], seconds, csv);
	return failed;
}

int main(int argc, char **argv)
{
	const char *shapes = NULL, *only = NULL, *csv_name = NULL;
	double seconds = 1;
	int only_cores = 0;
	FILE *f, *csv = NULL;
	char line[2048];
	int failed = 0;

	for (int i = 1; i < argc; i++) {
		if (argv[i][0] != '-')
			shapes = argv[i];
		else if (i + 1 < argc && strcmp(argv[i], "-t") == 0)
			seconds = atof(argv[++i]);
		else if (i + 1 < argc && strcmp(argv[i], "-r") == 0)
			only = argv[++i];
		else if (i + 1 < argc && strcmp(argv[i], "-n") == 0)
			only_cores = atoi(argv[++i]);
		else if (i + 1 < argc && strcmp(argv[i], "-c") == 0)
			csv_name = argv[++i];
	}
	f = shapes ? fopen(shapes, "r") : NULL;
	if (!f) {
		fprintf(stderr, "usage: bench_contract [-t seconds] [-r family] [-n cores] "
				"[-c file.csv] benchmarks/shapes.txt\n");
		return 2;
	}
	if (csv_name)
		csv = fopen(csv_name, "w");
	if (csv)
		fprintf(csv, "family,position,cores,median_s,minimum_s,bytes,joined_cells,"
			     "bound,ceiling_per_s,share\n");
	if (gpube_ctx_new(&tables, NULL))
		abort();
	copy_from = gpube__ops_cpu()->alloc(tables, COPY_BYTES);
	copy_to = gpube__ops_cpu()->alloc(tables, COPY_BYTES);
	if (!copy_from || !copy_to)
		abort();
	memset(copy_from, 1, COPY_BYTES);
	memset(copy_to, 2, COPY_BYTES);
	measure_ceilings();
	printf("family    x at   n     median       min        ceiling         share\n");
	while (fgets(line, sizeof(line), f))
		failed |= bench_line(line, only, only_cores, seconds, csv);
	fclose(f);
	if (csv)
		fclose(csv);
	gpube__ops_cpu()->free(tables, copy_from);
	gpube__ops_cpu()->free(tables, copy_to);
	gpube_ctx_free(tables);
	return failed;
}
