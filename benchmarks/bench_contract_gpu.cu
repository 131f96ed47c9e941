/*
 * bench_contract_gpu.cu - contract on the GPU against what the card can do.
 *
 *     bench_contract_gpu SHAPES [-f FAMILY] [-r REPEATS] [-k boxes|direct|strips] [-q] > csv
 *
 * The bound of a shape is the larger of its bytes (each input and the output
 * once) over the copy bandwidth measured here, and its joined cells over the
 * rate of add-mins between registers measured here. Every result is compared,
 * whole, with the general kernel's, which the tests compare with the reference
 * (-q leaves that out). -k: by these kernels alone. Before each
 * repetition the cache is flushed; times are those of the kernels alone, by events,
 * the median of the repetitions. CSV goes to stdout, a table to stderr.
 */
#include "gpube/ops/device/add_min.cuh"
#include "gpube/ops/device/device.cuh"

#include <stdio.h>
#include <stdlib.h>

extern "C" {
#include "tests/support/shapes.h"
}

#define FLUSH_BYTES (512ull << 20)
#define MAX_REPEATS 101

#define MUST(call)                                                                                 \
	do {                                                                                       \
		cudaError_t error_ = (call);                                                       \
		if (error_ != cudaSuccess) {                                                       \
			fprintf(stderr, "%s: %s\n", #call, cudaGetErrorString(error_));            \
			exit(1);                                                                   \
		}                                                                                  \
	} while (0)

static struct gpube_ctx *ctx;
static const struct gpube_ops *ops;
static cudaStream_t stream;
static cudaEvent_t before, after;
static void *flush_buffer;
static double copy_bytes_per_second, add_mins_per_second;
static int repeats = 11;
static bool quick;

/* ---- ceilings --------------------------------------------------------------------- */

static int by_value(const void *a, const void *b)
{
	const float x = *(const float *)a, y = *(const float *)b;

	return (x > y) - (x < y);
}

static double median(float *ms, int n)
{
	qsort(ms, (size_t)n, sizeof(*ms), by_value);
	return 1e-3 * (double)ms[n / 2];
}

static double measure_copy(void)
{
	const size_t bytes = (size_t)2 << 30;
	float ms[MAX_REPEATS];
	void *from, *to;

	MUST(cudaMalloc(&from, bytes));
	MUST(cudaMalloc(&to, bytes));
	MUST(cudaMemset(from, 1, bytes));
	for (int i = 0; i < repeats + 2; i++) {
		MUST(cudaEventRecord(before, stream));
		MUST(cudaMemcpyAsync(to, from, bytes, cudaMemcpyDeviceToDevice, stream));
		MUST(cudaEventRecord(after, stream));
		MUST(cudaStreamSynchronize(stream));
		if (i >= 2)
			MUST(cudaEventElapsedTime(&ms[i - 2], before, after));
	}
	MUST(cudaFree(from));
	MUST(cudaFree(to));
	return 2.0 * (double)bytes / median(ms, repeats);
}

static double measure_add_mins(void)
{
	const int blocks = 132 * 8, threads = 256, rounds = 20000;
	float ms[MAX_REPEATS];
	int32_t *out;

	MUST(cudaMalloc((void **)&out, (size_t)blocks * threads * sizeof(*out)));
	for (int i = 0; i < repeats + 2; i++) {
		MUST(cudaEventRecord(before, stream));
		add_mins<int32_t><<<blocks, threads, 0, stream>>>(out, 7, rounds);
		MUST(cudaEventRecord(after, stream));
		MUST(cudaStreamSynchronize(stream));
		if (i >= 2)
			MUST(cudaEventElapsedTime(&ms[i - 2], before, after));
	}
	MUST(cudaFree(out));
	return (double)blocks * threads * rounds * CHAINS / median(ms, repeats);
}

/* ---- tables on the device ------------------------------------------------------------ */

__device__ static uint32_t mix(uint64_t x)
{
	x = (x ^ (x >> 31)) * 0x9e3779b97f4a7c15u;
	x = (x ^ (x >> 29)) * 0xbf58476d1ce4e5b9u;
	return (uint32_t)(x >> 32);
}

__global__ void fill(int32_t *to, int64_t n, uint64_t seed)
{
	int64_t i = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;

	for (; i < n; i += (int64_t)gridDim.x * blockDim.x)
		to[i] = (int32_t)(mix(seed + (uint64_t)i) % 100000);
}

__global__ void differ(const uint32_t *a, const uint32_t *b, int64_t n, int *out)
{
	int64_t i = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;

	for (; i < n; i += (int64_t)gridDim.x * blockDim.x)
		if (a[i] != b[i])
			*out = 1;
}

static void *need(uint64_t bytes)
{
	void *p = ops->alloc(ctx, bytes);

	if (!p) {
		fprintf(stderr, "%s\n", gpube_error(ctx));
		exit(1);
	}
	return p;
}

static void flush(void)
{
	MUST(cudaMemsetAsync(flush_buffer, 1, FLUSH_BYTES, stream));
}

/* Kernels' seconds of the contractions. */
static double time_of(const struct gpube_contraction *c, int64_t n)
{
	float ms[MAX_REPEATS];

	for (int i = 0; i < repeats + 1; i++) {
		int status;

		flush();
		status = n == 1 ? ops->contract(ctx, c) : ops->contract_batch(ctx, n, c);
		if (status != 0) {
			fprintf(stderr, "%s\n", gpube_error(ctx));
			exit(1);
		}
		MUST(cudaStreamSynchronize(stream));
		if (i > 0)
			MUST(cudaEventElapsedTime(&ms[i - 1], gpube__device_of(ctx)->marks[0],
				gpube__device_of(ctx)->marks[1]));
	}
	return median(ms, repeats);
}

/* Compares all output cells with those of the general kernel. */
static const char *check(const struct gpube_contraction *c, uint64_t bytes, void *want, int *flag)
{
	struct gpube_contraction other = *c;
	int differs = 1;

	other.out = want;
	MUST(cudaMemsetAsync(want, 0xa5, bytes, stream));
	MUST(cudaMemsetAsync(c->out, 0x5a, bytes, stream));
	MUST(cudaMemsetAsync(flag, 0, sizeof(*flag), stream));
	if (gpube__contract_general(ctx, &other) != 0 || ops->contract(ctx, c) != 0)
		return gpube_error(ctx);
	differ<<<1024, 256, 0, stream>>>(
		(const uint32_t *)c->out, (const uint32_t *)want, (int64_t)(bytes / 4), flag);
	MUST(cudaMemcpyAsync(&differs, flag, sizeof(differs), cudaMemcpyDeviceToHost, stream));
	MUST(cudaStreamSynchronize(stream));
	return differs ? "WRONG" : "ok";
}

static void measure(const char *family, const char *layout, const char *text)
{
	struct shape s;
	const char *problem = shape_parse(&s, text, GPUBE_MIN_PLUS, GPUBE_INT32),
		   *verdict = "unchecked";
	struct gpube_contraction *c;
	struct gpube_operand *in;
	double seconds, bytes_time, ops_time, bound, wall;
	void *want;
	int *flag;

	if (problem) {
		fprintf(stderr, "%s: %s\n", family, problem);
		exit(1);
	}
	c = (struct gpube_contraction *)calloc((size_t)s.batch, sizeof(*c));
	in = (struct gpube_operand *)calloc((size_t)s.batch * (size_t)s.c.n_in, sizeof(*in));
	for (int i = 0; i < s.batch; i++) {
		c[i] = s.c;
		c[i].top = c[i].threshold = INT32_MAX / 64;
		c[i].in = in + (size_t)i * (size_t)s.c.n_in;
		for (int k = 0; k < s.c.n_in; k++) {
			const uint64_t bytes = shape_in_bytes(&s, k);
			void *p = need(bytes);
			const uint64_t seed = ((uint64_t)i * 64 + (uint64_t)k) << 34;

			in[(size_t)i * (size_t)s.c.n_in + (size_t)k] = s.in[k];
			in[(size_t)i * (size_t)s.c.n_in + (size_t)k].values = p;
			const unsigned blocks = bytes > 1 << 20 ? 2048 : 8;
			fill<<<blocks, 256, 0, stream>>>((int32_t *)p, (int64_t)(bytes / 4), seed);
		}
		c[i].out = need(shape_out_bytes(&s));
	}
	want = need(shape_out_bytes(&s));
	flag = (int *)need(sizeof(*flag));
	MUST(cudaStreamSynchronize(stream));
	if (!quick)
		verdict = check(&c[s.batch / 2], shape_out_bytes(&s), want, flag);
	seconds = time_of(c, s.batch);
	wall = gpube__now();
	if (s.batch == 1 ? ops->contract(ctx, c) : ops->contract_batch(ctx, s.batch, c))
		verdict = "FAILED";
	MUST(cudaStreamSynchronize(stream));
	wall = gpube__now() - wall;
	bytes_time = s.bytes * s.batch / copy_bytes_per_second;
	ops_time = (double)s.joined_cells * s.batch / add_mins_per_second;
	bound = bytes_time > ops_time ? bytes_time : ops_time;
	printf("%s,%s,%.6g,%.6g,%.4g,%.4g,%.4g,%.1f,%.4g,%s\n", family, layout,
		(double)s.joined_cells * s.batch, s.bytes * s.batch, seconds * 1e6,
		bytes_time * 1e6, ops_time * 1e6, 100 * bound / seconds, wall * 1e6, verdict);
	fflush(stdout);
	fprintf(stderr, "%-11s %-6s %10.1f us  bound %9.1f us (%s)  %5.1f %%  wall %9.1f us  %s\n",
		family, layout, seconds * 1e6, bound * 1e6, bytes_time > ops_time ? "bytes" : "ops",
		100 * bound / seconds, wall * 1e6, verdict);
	for (int i = 0; i < s.batch; i++) {
		for (int k = 0; k < s.c.n_in; k++)
			ops->free(ctx, (void *)c[i].in[k].values);
		ops->free(ctx, c[i].out);
	}
	ops->free(ctx, want);
	ops->free(ctx, flag);
	free(c);
	free(in);
	shape_free(&s);
}

/* Copies the text with "x" moved in each operand: 0 as it is, 1 to the middle, 2 to the end. */
static void move_x(char *to, size_t room, const char *text, int where)
{
	char copy_of[2048], *part[4] = {NULL, NULL, NULL, NULL}, *save = NULL;
	int n = 0;

	snprintf(copy_of, sizeof(copy_of), "%s", text);
	for (char *p = strtok_r(copy_of, ":", &save); p && n < 4; p = strtok_r(NULL, ":", &save))
		part[n++] = p;
	if (n < 3) { /* nothing to move: shape_parse() will say what is wrong */
		snprintf(to, room, "%s", text);
		return;
	}
	snprintf(to, room, "%s:%s:", part[0], part[1]);
	save = NULL;
	for (char *o = strtok_r(part[2], ",", &save), *first = o; o;
		o = strtok_r(NULL, ",", &save)) {
		char *words[64], *save_word = NULL;
		int m = 0, has_x = 0, at = 0;

		for (char *w = strtok_r(o, " \t\n", &save_word); w && m < 64;
			w = strtok_r(NULL, " \t\n", &save_word)) {
			if (strcmp(w, "x") == 0)
				has_x = 1;
			else
				words[m++] = w;
		}
		if (o != first)
			strncat(to, " ,", room - strlen(to) - 1);
		at = where == 0 ? 0 : where == 1 ? (m + 1) / 2 : m;
		for (int i = 0; i <= m; i++) {
			if (has_x && i == at)
				strncat(to, " x", room - strlen(to) - 1);
			if (i < m) {
				strncat(to, " ", room - strlen(to) - 1);
				strncat(to, words[i], room - strlen(to) - 1);
			}
		}
	}
	if (n == 4) {
		strncat(to, " :", room - strlen(to) - 1);
		strncat(to, part[3], room - strlen(to) - 1);
	}
}

static void run_file(const char *path, const char *only)
{
	static const char *const layouts[] = {"first", "middle", "last"};
	char line[2048], family[64];
	FILE *f = fopen(path, "r");

	if (!f) {
		fprintf(stderr, "cannot open '%s'\n", path);
		exit(1);
	}
	while (fgets(line, sizeof(line), f)) {
		char *bar = strchr(line, '|');

		if (line[0] == '#' || !bar || sscanf(line, "%63s", family) != 1)
			continue;
		if (only && strcmp(family, only) != 0)
			continue;
		for (int where = 0; where < 3; where++) {
			char moved[2048];

			move_x(moved, sizeof(moved), bar + 1, where);
			measure(family, layouts[where], moved);
		}
	}
	fclose(f);
}

int main(int argc, char **argv)
{
	const char *only = NULL, *kernels = NULL;
	int status;

	if (argc < 2) {
		fprintf(stderr, "usage: bench_contract_gpu SHAPES [-f FAMILY] [-r REPEATS] "
				"[-k boxes|direct|strips] [-q]\n");
		return 2;
	}
	for (int i = 2; i < argc; i++) {
		if (strcmp(argv[i], "-f") == 0 && i + 1 < argc)
			only = argv[++i];
		else if (strcmp(argv[i], "-r") == 0 && i + 1 < argc)
			repeats = atoi(argv[++i]);
		else if (strcmp(argv[i], "-k") == 0 && i + 1 < argc)
			kernels = argv[++i];
		else if (strcmp(argv[i], "-q") == 0)
			quick = true;
	}
	if (repeats < 1 || repeats > MAX_REPEATS || gpube_ctx_new(&ctx, NULL) != 0)
		return 2;
	ops = gpube__ops_cuda(ctx, &status);
	if (!ops) {
		fprintf(stderr, "%s\n", gpube_error(ctx));
		return 1;
	}
	if (!gpube__cuda_force(ctx, kernels)) {
		fprintf(stderr, "no kernels '%s'\n", kernels);
		return 2;
	}
	stream = gpube__device_of(ctx)->stream;
	MUST(cudaEventCreate(&before));
	MUST(cudaEventCreate(&after));
	MUST(cudaEventCreate(&gpube__device_of(ctx)->marks[0]));
	MUST(cudaEventCreate(&gpube__device_of(ctx)->marks[1]));
	flush_buffer = need(FLUSH_BYTES);
	copy_bytes_per_second = measure_copy();
	add_mins_per_second = measure_add_mins();
	fprintf(stderr, "copy %.4g bytes/s, add-min %.4g/s\n", copy_bytes_per_second,
		add_mins_per_second);
	printf("family,x,joined_cells,bytes,us,us_bytes,us_ops,percent_of_bound,wall_us,"
	       "check\n");
	run_file(argv[1], only);
	gpube_ctx_free(ctx);
	return 0;
}
