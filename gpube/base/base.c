/* base.c - see base.h. */
#define _GNU_SOURCE
#include "gpube/base/base.h"

#include <math.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static void *plain_realloc(void *arg, void *p, size_t size)
{
	(void)arg;
	if (size == 0) {
		free(p);
		return NULL;
	}
	return realloc(p, size);
}

/* Those that this process may use, or what OMP_NUM_THREADS asks for, as people expect. */
static int cores_available(void)
{
	const char *asked = getenv("OMP_NUM_THREADS");
	const long n = asked ? strtol(asked, NULL, 10) : 0;
	cpu_set_t set;

	if (n > 0)
		return n < GPUBE_MAX_THREADS ? (int)n : GPUBE_MAX_THREADS;
	if (sched_getaffinity(0, sizeof(set), &set))
		return 1;
	return CPU_COUNT(&set);
}

static uint64_t memory_available(void)
{
	uint64_t kib = 0;
	char line[128];
	FILE *f = fopen("/proc/meminfo", "r");

	if (f) {
		while (fgets(line, sizeof(line), f))
			if (strncmp(line, "MemAvailable:", 13) == 0)
				kib = strtoull(line + 13, NULL, 10);
		fclose(f);
	}
	if (kib)
		return kib * 1024;
	return (uint64_t)sysconf(_SC_PHYS_PAGES) * (uint64_t)sysconf(_SC_PAGESIZE) / 2;
}

struct gpube_ctx gpube__ctx_plain(void)
{
	return (struct gpube_ctx){.realloc_fn = plain_realloc};
}

/* For tests of threads, whose models end before other threads come to a search. */
static bool threads_begin_together(void)
{
	const char *hook = getenv("GPUBE_TEST_THREADS");

	return hook && !strcmp(hook, "together");
}

int gpube__ctx_make(struct gpube_ctx **out, gpube_realloc_fn *realloc_fn, void *realloc_arg)
{
	struct gpube_ctx *ctx;

	realloc_fn = realloc_fn ? realloc_fn : plain_realloc;
	ctx = realloc_fn(realloc_arg, NULL, sizeof(*ctx));
	if (!ctx)
		return GPUBE_ENOMEM;
	*ctx = (struct gpube_ctx){.n_threads = cores_available(),
		.memory_bytes = memory_available(),
		.alone = threads_begin_together() ? 0 : GPUBE__ALONE_TICKS,
		.realloc_fn = realloc_fn,
		.realloc_arg = realloc_arg};
	*out = ctx;
	return GPUBE_OK;
}

struct gpube_ctx gpube__ctx_child(const struct gpube_ctx *parent)
{
	struct gpube_ctx ctx = {
		.parent = parent,
		.n_threads = parent->n_threads,
		.memory_bytes = parent->memory_bytes,
		.alone = parent->alone,
		.device_memory_bytes = parent->device_memory_bytes,
		.n_devices = parent->n_devices,
		.realloc_fn = parent->realloc_fn,
		.realloc_arg = parent->realloc_arg,
		.rates = parent->rates,
		.thread_end = parent->thread_end,
	};

	memcpy(ctx.devices, parent->devices, sizeof(ctx.devices));
	return ctx;
}

struct gpube_ctx gpube__ctx_device(const struct gpube_ctx *parent, int k, int n)
{
	struct gpube_ctx ctx = gpube__ctx_child(parent);

	ctx.n_threads = (parent->n_threads + n - 1) / n;
	ctx.memory_bytes = parent->memory_bytes / (uint64_t)n;
	/* the backend opens the first one, and counts how often that is listed */
	for (int i = 0; i < parent->n_devices; i++)
		ctx.devices[i] = parent->devices[(k + i) % parent->n_devices];
	return ctx;
}

void gpube__ctx_clear(struct gpube_ctx *ctx)
{
	if (ctx->device_free)
		ctx->device_free(ctx);
	if (ctx->pool_free)
		ctx->pool_free(ctx);
	if (ctx->host_free)
		ctx->host_free(ctx);
	if (!ctx->parent)
		gpube__free(ctx, ctx->rates);
}

void gpube_ctx_free(struct gpube_ctx *ctx)
{
	if (!ctx)
		return;
	gpube__ctx_clear(ctx);
	ctx->realloc_fn(ctx->realloc_arg, ctx, 0);
}

const char *gpube_error(const struct gpube_ctx *ctx)
{
	return ctx ? ctx->error : "there is no context";
}

void gpube_ctx_stop(struct gpube_ctx *ctx)
{
	if (ctx)
		__atomic_store_n(&ctx->stop, 1, __ATOMIC_RELAXED);
}

void gpube_ctx_resume(struct gpube_ctx *ctx)
{
	if (ctx)
		__atomic_store_n(&ctx->stop, 0, __ATOMIC_RELAXED);
}

int(gpube__fail)(struct gpube_ctx *ctx, enum gpube_status status, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(ctx->error, sizeof(ctx->error), fmt, ap);
	va_end(ap);
	return status;
}

const char *gpube_version(void)
{
	return GPUBE_VERSION;
}

int gpube_version_number(void)
{
	return GPUBE_VERSION_NUMBER;
}

int gpube__missing(struct gpube_ctx *ctx)
{
	return ctx ? gpube__fail(ctx, GPUBE_EINVAL, "a null pointer where one is needed")
		   : GPUBE_EINVAL;
}

int gpube__check_choice(struct gpube_ctx *ctx, const char *name, int64_t value, int64_t most)
{
	if (value >= 0 && value <= most)
		return GPUBE_OK;
	return gpube__fail(ctx, GPUBE_EINVAL, "%s is %lld: expected 0 to %lld", name,
		(long long)value, (long long)most);
}

void gpube__log(struct gpube_ctx *ctx, enum gpube_log_level level, const char *fmt, ...)
{
	char text[1024];
	va_list ap;

	if (!ctx->log)
		return;
	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	ctx->log(ctx->log_arg, &(struct gpube_log){.level = level, .text = text});
}

void gpube__progress(struct gpube_ctx *ctx, double fraction, const char *fmt, ...)
{
	char what[128];
	va_list args;

	if (!ctx->log)
		return;
	va_start(args, fmt);
	vsnprintf(what, sizeof(what), fmt, args);
	va_end(args);
	ctx->log(ctx->log_arg,
		&(struct gpube_log){
			.level = GPUBE_LOG_PROGRESS, .text = what, .progress = fraction});
}

size_t gpube__bounds_text(char *text, size_t size, const struct gpube_log *said, const char *word)
{
	const char *side[] = {"lower", "upper"}, *worth[] = {said->proved, said->found};
	size_t n = 0;

	text[0] = 0;
	for (int k = 0; k < 2; k++)
		if (worth[k] && n < size)
			n += (size_t)snprintf(text + n, size - n, "%s%s%s %s", n ? ", " : "",
				side[k != said->maximise], word, worth[k]);
	return n < size ? n : size - 1;
}

void gpube__log_bounds_to(gpube_log_fn *log, void *arg, struct gpube_log said)
{
	char text[512], gap[32] = "";
	size_t n = (size_t)snprintf(text, sizeof(text), "%.2f s: ", said.seconds);

	n += gpube__bounds_text(text + n, sizeof(text) - n, &said, " bound");
	if (said.gap >= 0)
		snprintf(gap, sizeof(gap), ", gap %.3g %%", 100 * said.gap);
	snprintf(text + n, sizeof(text) - n, "%s (%s)", gap, said.by);
	said.level = GPUBE_LOG_BOUNDS;
	said.text = text;
	log(arg, &said);
}

void gpube__log_as_text(void *arg, const struct gpube_log *said)
{
	const struct gpube__log_text *to = arg;

	to->fn(to->arg, said->level,
		said->level == GPUBE_LOG_BOUNDS ? said->worked : said->progress, said->text);
}

void gpube__log_bounds(struct gpube_ctx *ctx, struct gpube_log said)
{
	if (ctx->log && !ctx->bounds_unsaid)
		gpube__log_bounds_to(ctx->log, ctx->log_arg, said);
}

int gpube__fail_stopped(struct gpube_ctx *ctx)
{
	bool stopped = false;

	for (const struct gpube_ctx *c = ctx; c; c = c->parent)
		stopped |= __atomic_load_n(&c->stop, __ATOMIC_RELAXED);
	return gpube__fail(ctx, GPUBE_ESTOP, "%s", stopped ? "stopped" : "out of time");
}

void *gpube__realloc(struct gpube_ctx *ctx, void *p, uint64_t n, uint64_t size)
{
	uint64_t bytes;
	void *q;

	if (__builtin_mul_overflow(n, size, &bytes) || bytes > PTRDIFF_MAX) {
		gpube__fail(ctx, GPUBE_ENOMEM, "out of memory: %llu items of %llu bytes",
			(unsigned long long)n, (unsigned long long)size);
		return NULL;
	}
	/* size 0 means "free" to realloc_fn, and NULL must mean failure to our callers */
	q = ctx->realloc_fn(ctx->realloc_arg, p, bytes ? (size_t)bytes : 1);
	if (!q)
		gpube__fail(
			ctx, GPUBE_ENOMEM, "out of memory: %llu bytes", (unsigned long long)bytes);
	return q;
}

void *gpube__alloc(struct gpube_ctx *ctx, uint64_t n, uint64_t size)
{
	return gpube__realloc(ctx, NULL, n, size);
}

void *gpube__alloc_zero(struct gpube_ctx *ctx, uint64_t n, uint64_t size)
{
	void *p = gpube__realloc(ctx, NULL, n, size);

	if (p)
		memset(p, 0, (size_t)(n * size));
	return p;
}

void gpube__free(struct gpube_ctx *ctx, void *p)
{
	if (p)
		ctx->realloc_fn(ctx->realloc_arg, p, 0);
}

void gpube__free_all(struct gpube_ctx *ctx, const void *const *p, size_t n)
{
	for (size_t k = 0; k < n; k++)
		gpube__free(ctx, (void *)(uintptr_t)p[k]);
}

char *gpube__strdup(struct gpube_ctx *ctx, const char *s)
{
	size_t n = strlen(s) + 1;
	char *p = gpube__alloc(ctx, n, 1);

	return p ? memcpy(p, s, n) : NULL;
}

/* In front of a result; its size keeps the result as aligned as the memory is. */
union result_head {
	struct {
		struct gpube_ctx *ctx;
		gpube__clear_fn *clear;
	} of;
	max_align_t align;
};

void *gpube__result_new(struct gpube_ctx *ctx, size_t size, gpube__clear_fn *clear)
{
	union result_head *h = gpube__alloc_zero(ctx, 1, sizeof(*h) + size);

	if (!h)
		return NULL;
	h->of.ctx = ctx;
	h->of.clear = clear;
	return h + 1;
}

void gpube__result_hand_over(void *result, struct gpube_ctx *parent)
{
	union result_head *h = result;

	if (h)
		h[-1].of.ctx = parent;
}

void gpube_result_free(void *result)
{
	union result_head *h = result;

	if (!h)
		return;
	h--;
	if (h->of.clear)
		h->of.clear(h->of.ctx, result);
	gpube__free(h->of.ctx, h);
}

int gpube__grow(struct gpube_ctx *ctx, void *p, int64_t *capacity, int64_t need, size_t size)
{
	void *old, *q;
	int64_t c = *capacity;

	if (need <= c)
		return GPUBE_OK;
	c = c > INT64_MAX / 2 ? need : c * 2;
	if (c < need)
		c = need;
	if (c < 16)
		c = 16;
	memcpy(&old, p, sizeof(old)); /* any object pointer, without an aliasing cast */
	q = gpube__realloc(ctx, old, (uint64_t)c, size);
	if (!q)
		return GPUBE_ENOMEM;
	memcpy(p, &q, sizeof(q));
	*capacity = c;
	return GPUBE_OK;
}

const char *gpube__decimal_text(char text[GPUBE_DECIMAL_TEXT], int64_t v, int scale)
{
	const unsigned long long size = v < 0 ? -(unsigned long long)v : (unsigned long long)v;
	const char *sign = v < 0 ? "-" : "";
	unsigned long long unit = 1;

	for (int k = 0; k < scale; k++)
		unit *= 10;
	if (scale)
		snprintf(text, GPUBE_DECIMAL_TEXT, "%s%llu.%0*llu", sign, size / unit, scale,
			size % unit);
	else
		snprintf(text, GPUBE_DECIMAL_TEXT, "%s%llu", sign, size);
	return text;
}

const char *gpube__bytes_text(char text[GPUBE_BYTES_TEXT], double bytes)
{
	static const char units[] = "KMGTPE";
	int k = -1;

	if (isinf(bytes))
		return "more than 10^308 bytes";
	if (bytes >= 1e21) {
		snprintf(text, GPUBE_BYTES_TEXT, "10^%.0f bytes", log10(bytes));
		return text;
	}
	for (; bytes >= 1024 && k < 5; k++)
		bytes /= 1024;
	if (k < 0)
		snprintf(text, GPUBE_BYTES_TEXT, "%.0f byte%s", bytes, gpube__plural(bytes));
	else
		snprintf(text, GPUBE_BYTES_TEXT, "%.1f %ciB", bytes, units[k]);
	return text;
}

int gpube__compare_int32(const void *a, const void *b)
{
	int32_t x = *(const int32_t *)a, y = *(const int32_t *)b;

	return (x > y) - (x < y);
}

int gpube__compare_int64(const void *a, const void *b)
{
	int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;

	return (x > y) - (x < y);
}

double gpube__cpu_seconds(void)
{
	struct timespec t;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

double gpube__worked(const struct gpube_ctx *ctx)
{
	return 1e-9 * (double)__atomic_load_n(&ctx->ticks, __ATOMIC_RELAXED);
}

int64_t gpube__work_until(struct gpube_ctx *ctx, double seconds)
{
	const int64_t before = ctx->tick_at,
		      at = seconds < 9e9 ? (int64_t)(seconds * 1e9) : INT64_MAX;

	if (!before || at < before)
		__atomic_store_n(&ctx->tick_at, at > 0 ? at : 1, __ATOMIC_RELAXED);
	return before;
}

void gpube__work_again(struct gpube_ctx *ctx, int64_t until)
{
	__atomic_store_n(&ctx->tick_at, until, __ATOMIC_RELAXED);
}

struct gpube_budget gpube__budget(const struct gpube_ctx *ctx, double seconds)
{
	return (struct gpube_budget){ctx, gpube__worked(ctx), seconds};
}

double gpube__budget_spent(const struct gpube_budget *b)
{
	return gpube__worked(b->ctx) - b->start;
}

double gpube__budget_left(const struct gpube_budget *b)
{
	return b->seconds - gpube__budget_spent(b);
}

double gpube__seconds_left(const struct gpube_ctx *ctx)
{
	return ctx->deadline > 0 ? fmax(0, ctx->deadline - gpube__now()) : INFINITY;
}

double gpube__end_by(struct gpube_ctx *ctx, double end)
{
	const double deadline = ctx->deadline;

	if (!(deadline > 0 && deadline < end))
		ctx->deadline = end;
	return deadline;
}

double gpube__time_limit(struct gpube_ctx *ctx, double start, double seconds)
{
	const double deadline = ctx->deadline;

	if (seconds > 0)
		ctx->deadline = start + seconds;
	return deadline;
}

double gpube__now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}
