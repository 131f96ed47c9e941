/*
 * subset_cpu.c - subset_convolve on the CPU: tiles of the output over the
 * threads, each with the kernels of the best instruction set there is.
 */
#include "gpube/ops/ops.h"
#include "gpube/ops/subset/subset_tile.h"

#include <pthread.h>

#define LARGE_PAGE ((size_t)2 << 20)

enum gpube__isa gpube__isa_here(void)
{
#if defined(__x86_64__)
	__builtin_cpu_init();
	if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
		__builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl"))
		return GPUBE_ISA_AVX512;
	if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi2") &&
		__builtin_cpu_supports("fma"))
		return GPUBE_ISA_AVX2;
#endif
	return GPUBE_ISA_PORTABLE;
}

static const struct gpube__tile_kernel *kernel_of(enum gpube_type type, enum gpube__isa isa)
{
#if defined(__x86_64__)
	if (isa == GPUBE_ISA_AVX512)
		return &gpube__tiles_avx512[type];
	if (isa == GPUBE_ISA_AVX2)
		return &gpube__tiles_avx2[type];
#endif
	(void)isa;
	return &gpube__tiles_portable[type];
}

/* ---- tiles ---------------------------------------------------------------------------- */

struct tiles {
	struct gpube_ctx *ctx;
	const struct gpube_subset *s;
	const struct gpube__tile_kernel *kernel;
	struct gpube__tile_maps maps;
	int mid, upper; /* n_bits = GPUBE_LANE_BITS + mid + upper */
	size_t tile_bytes, spare_at, scratch_bytes;
	char *memory, *scratch;     /* of all threads: as it was given, and where it begins */
	uint64_t *order;            /* tiles, those with most subsets first */
	double splits, splits_done; /* of block pairs */
	int stopped;
	pthread_mutex_t lock; /* of splits_done */
};

static inline const void *tile_at(const struct tiles *t, const void *values, uint64_t tile)
{
	return (const char *)values + tile * t->tile_bytes;
}

static void report(struct tiles *t, int thread, double pairs)
{
	double done;

	pthread_mutex_lock(&t->lock);
	done = t->splits_done += pairs;
	pthread_mutex_unlock(&t->lock);
	if (thread == 0 && t->s->share > 0)
		gpube__progress(t->ctx, t->s->done + t->s->share * done / t->splits, "conv");
}

/* One tile of the output: all pairs of disjoint tiles whose union it is. */
static void run_tile(void *arg, int64_t item, int thread)
{
	struct tiles *t = arg;
	char *c = t->scratch + (size_t)thread * t->scratch_bytes;
	const uint64_t x = t->order[item];
	struct gpube__tile_pair pair = {0};
	int unchecked = 0;

	t->kernel->clear(c, t->mid);
	for (uint64_t y = x;; y = gpube__submask_before(x, y)) {
		/* a pair is up to a millisecond's work */
		if (unchecked++ == 0 && gpube__stopped(t->ctx))
			__atomic_store_n(&t->stopped, 1, __ATOMIC_RELAXED);
		if (__atomic_load_n(&t->stopped, __ATOMIC_RELAXED))
			return;
		unchecked &= 7;
		pair.a = tile_at(t, t->s->a, y);
		pair.b = tile_at(t, t->s->b, x ^ y);
		pair.next_a = NULL;
		if (y != 0) {
			const uint64_t next = gpube__submask_before(x, y);

			pair.next_a = tile_at(t, t->s->a, next);
			pair.next_b = tile_at(t, t->s->b, x ^ next);
		}
		t->kernel->add(c, &pair, t->mid, c + t->spare_at, &t->maps);
		if (y == 0)
			break;
	}
	t->kernel->reduce((char *)t->s->out + x * t->tile_bytes, c, t->mid, &t->maps);
	report(t, thread, (double)((uint64_t)1 << __builtin_popcountll(x)));
}

/*
 * Larger tiles load and expand less for the same sums, up to what the
 * second-level cache holds; smaller ones keep more threads busy.
 */
static int choose_mid(const struct gpube_ctx *ctx, const struct gpube_subset *s, int least)
{
	const size_t size = gpube__type_size(s->type);
	const int most = size == 8 ? 9 : size == 4 ? 10 : 11; /* 1 MiB of maxima */
	int mid = s->n_bits - GPUBE_LANE_BITS;

	if (mid > most)
		mid = most;
	for (; mid > least + 2; mid--) {
		double balance = 1; /* all pairs, in units of the largest tile's */

		for (int i = 0; i < s->n_bits - GPUBE_LANE_BITS - mid; i++)
			balance *= 1.5;
		if (balance >= 2 * ctx->n_threads || ctx->n_threads == 1)
			break;
	}
	return mid;
}

static void sort_tiles(uint64_t *order, int upper)
{
	uint64_t n = 0;

	for (int k = upper; k >= 0; k--)
		for (uint64_t x = 0; x < (uint64_t)1 << upper; x++)
			if (__builtin_popcountll(x) == k)
				order[n++] = x;
}

static bool fits(const struct gpube__tile_kernel *kernel, const struct gpube_subset *s)
{
	return kernel && s->most > s->least &&
	       (uint64_t)s->most - (uint64_t)s->least <= kernel->room;
}

/* The kernel for values as near each other as the caller says. */
static const struct gpube__tile_kernel *kernel_for(
	const struct gpube_subset *s, enum gpube__isa isa)
{
	const struct gpube__tile_kernel *kernel = kernel_of(s->type, isa);

#if defined(__x86_64__)
	if (isa == GPUBE_ISA_AVX512 && s->type == GPUBE_INT16 && fits(gpube__tile_fp16(), s))
		return gpube__tile_fp16();
#endif
	return fits(kernel->near, s) ? kernel->near : kernel;
}

/* The places of runs a, b, c in groups of three, for a and then max(b, c); past them 0. */
static void make_fold(uint8_t map[2][GPUBE_LANES], int run)
{
	for (int k = 0; k < 2; k++)
		for (int i = 0; i < GPUBE_LANES; i++) {
			const int group = i / (2 * run), in = i % (2 * run);

			map[k][i] = 3 * run * (group + 1) > GPUBE_LANES
					    ? 0
					    : (uint8_t)(3 * run * group + in +
							(in < run ? 0 : k * run));
		}
}

static void make_maps(struct gpube__tile_maps *m)
{
	make_fold(m->three, 3);
	make_fold(m->one, 1);
	for (int k = 0; k < 2; k++)
		for (int t = 0; t < GPUBE_TILE_COLUMNS; t++)
			m->map[k][t] =
				t < GPUBE_TERNARY ? (uint8_t)gpube__ternary_set(t, k + 1) : 0;
}

static int convolve_tiles(struct gpube_ctx *ctx, const struct gpube_subset *s,
	const struct gpube__tile_kernel *kernel)
{
	const struct gpube_ops *cpu = gpube__ops_cpu();
	struct tiles t = {.ctx = ctx, .s = s, .kernel = kernel, .lock = PTHREAD_MUTEX_INITIALIZER};
	const size_t size = gpube__type_size(s->type);
	size_t align;
	int status = GPUBE_ENOMEM;

	make_maps(&t.maps);
	t.maps.shift = kernel->room ? (int64_t)((uint64_t)kernel->floor - (uint64_t)s->least) : 0;
	t.mid = choose_mid(ctx, s, kernel->least_mid);
	t.upper = s->n_bits - GPUBE_LANE_BITS - t.mid;
	t.tile_bytes = (size * GPUBE_LANES) << t.mid;
	t.spare_at = (size * GPUBE_TILE_COLUMNS) << t.mid;
	/* to large pages, for what fills the second-level cache; else so that threads share no line
	 */
	align = t.spare_at >> 19 ? LARGE_PAGE : 64;
	t.scratch_bytes = (t.spare_at + ((size_t)256 << t.mid) + align) & ~(align - 1);
	t.splits = (double)gpube__pow3(t.upper);
	t.order = gpube__alloc(ctx, (uint64_t)1 << t.upper, sizeof(*t.order));
	t.memory = cpu->alloc(ctx, t.scratch_bytes * (uint64_t)ctx->n_threads + align);
	if (t.order && t.memory) {
		t.scratch = t.memory + (-(uintptr_t)t.memory & (align - 1));
		sort_tiles(t.order, t.upper);
		gpube__parallel(ctx, (int64_t)1 << t.upper, run_tile, &t);
		status = t.stopped ? gpube__fail_stopped(ctx) : GPUBE_OK;
	}
	cpu->free(ctx, t.memory);
	gpube__free(ctx, t.order);
	return status;
}

int gpube__subset_convolve_isa(
	struct gpube_ctx *ctx, const struct gpube_subset *s, enum gpube__isa isa)
{
	const struct gpube__tile_kernel *kernel;

	if (s->n_bits < 0 || s->n_bits > 40 || s->type == GPUBE_INT8)
		return gpube__fail(ctx, GPUBE_EINVAL, "subset_convolve: %d bits of type %d",
			s->n_bits, (int)s->type);
	kernel = kernel_for(s, isa);
	if (s->n_bits < GPUBE_LANE_BITS + kernel->least_mid)
		return gpube__subset_reference(ctx, s);
	return convolve_tiles(ctx, s, kernel);
}

static int convolve(struct gpube_ctx *ctx, const struct gpube_subset *s)
{
	return gpube__subset_convolve_isa(ctx, s, gpube__isa_here());
}

/* ---- the backend ------------------------------------------------------------------------ */

static void *subset_alloc(struct gpube_ctx *ctx, uint64_t bytes)
{
	return gpube__ops_cpu()->alloc(ctx, bytes);
}

static void subset_free(struct gpube_ctx *ctx, void *p)
{
	gpube__ops_cpu()->free(ctx, p);
}

static int subset_copy(struct gpube_ctx *ctx, void *to, const void *from, uint64_t bytes)
{
	return gpube__ops_cpu()->upload(ctx, to, from, bytes);
}

static uint64_t subset_memory(struct gpube_ctx *ctx)
{
	return gpube__ops_cpu()->memory(ctx);
}

/* It is of the threads, and small. */
static uint64_t subset_scratch(struct gpube_ctx *ctx, enum gpube_type type, int n_bits)
{
	(void)ctx;
	(void)type;
	(void)n_bits;
	return 0;
}

/*
 * Of one thread, for integers near each other. AVX-512: by processor time of convolutions of
 * 20 and 21 bits on a loaded server of 2023, whose whole solves of 24 agents on two cores do
 * 0.75 to 0.9 of that (int16, int32), and the cycles that tiles have been made faster by since
 * (int16 1.18, the others 1.02); AVX2 and portable: what benchmarks/bench_csg measures.
 */
static double splits_per_second(const struct gpube_ctx *ctx, enum gpube_type type)
{
	static const double rate[][6] = {
		[GPUBE_ISA_PORTABLE] = {0, 8e9, 4e9, 1e9, 4e9, 2e9},
		[GPUBE_ISA_AVX2] = {0, 2.7e10, 1.7e10, 4e9, 1.6e10, 8e9},
		[GPUBE_ISA_AVX512] = {0, 7.3e10, 3.7e10, 1.4e10, 2.75e10, 1.2e10},
	};

	return rate[gpube__isa_here()][type] * ctx->n_threads;
}

const struct gpube_subset_ops *gpube__subset_cpu(void)
{
	static const struct gpube_subset_ops ops = {
		.name = "cpu",
		.convolve = convolve,
		.best = gpube__subset_best_cpu,
		.fill = gpube__subset_fill_cpu,
		.merge = gpube__subset_merge_cpu,
		.alloc = subset_alloc,
		.free = subset_free,
		.upload = subset_copy,
		.download = subset_copy,
		.memory = subset_memory,
		.scratch = subset_scratch,
		.alloc_here = subset_alloc,
		.free_here = subset_free,
		.splits_per_second = splits_per_second,
	};

	return &ops;
}
