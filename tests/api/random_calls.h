/*
 * random_calls.h - random sequences of calls, legal and not, against what a test keeps beside the
 * library's objects. A failure names its seed; GPUBE_API_SEED=S runs that one sequence alone,
 * GPUBE_API_RUNS=N so many of them.
 */
#ifndef GPUBE_TEST_RANDOM_CALLS_H
#define GPUBE_TEST_RANDOM_CALLS_H

#include "tests/support/test.h"
#include "gpube/options/options.h"

#include <stdlib.h>

#include "gpube/base/base.h"
#include "tests/support/context.h"

static struct gpube_rng rng;
static long granted; /* allocations that are granted; negative: all */

/* From 0 to n - 1, of the sequence's numbers. */
static inline int below(int n)
{
	return (int)gpube__rng_below(&rng, (uint64_t)n);
}

static inline bool one_in(int n)
{
	return below(n) == 0;
}

/* Seldom: the next allocations of the context fail, from one on that is drawn. */
static inline void maybe_scarce(void)
{
	granted = one_in(8) ? below(4) : -1;
}

/* Ends that; whether the call in between was refused for want of memory. */
static inline bool was_scarce(int status)
{
	granted = -1;
	return status == GPUBE_ENOMEM;
}

/*
 * Observes a variable, or what is none, at a value of it or at none; observed[] is what the model
 * ought to have.
 */
static inline void observe_any(struct gpube_model *m, int32_t *observed, const int32_t *domain,
	int n_vars, int most_vars, int most_domain)
{
	const int var = below(most_vars + 1) - one_in(5), value = below(most_domain + 2) - 2;
	const bool good = var >= 0 && var < n_vars && value >= -1 && value < domain[var];
	int status;

	maybe_scarce();
	status = gpube_model_observe(m, var, value);
	if (was_scarce(status))
		return;
	assert_int_equal(status, good ? GPUBE_OK : GPUBE_EINVAL);
	if (good)
		observed[var] = value;
}

static void *scarce(void *arg, void *p, size_t size)
{
	(void)arg;
	if (size == 0) {
		free(p);
		return NULL;
	}
	if (granted == 0)
		return NULL;
	granted -= granted > 0;
	return realloc(p, size);
}

static void (*run)(void);
static unsigned long n_runs, now_running;

static void sequences(void **state)
{
	const struct gpube_opts opts = {
		.n_threads = 1, .memory_bytes = 64 << 20, .realloc = scarce};
	const char *seed = getenv("GPUBE_API_SEED"), *runs = getenv("GPUBE_API_RUNS");
	const unsigned long first = seed ? strtoul(seed, NULL, 10) : 1;
	const unsigned long n = runs ? strtoul(runs, NULL, 10) : seed ? 1 : n_runs;

	(void)state;
	for (now_running = first; now_running < first + n; now_running++) {
		gpube__rng_init(&rng, now_running);
		granted = -1;
		assert_int_equal(gpube_ctx_new(&ctx, &opts), 0);
		run();
		gpube_ctx_free(ctx);
	}
	now_running = 0;
}

/* A failed assertion ends the case: this says which sequence it was. */
static int say_seed(void **state)
{
	(void)state;
	if (now_running)
		print_message("# GPUBE_API_SEED=%lu\n", now_running);
	return 0;
}

static int files(void **state)
{
	int status = ctx_dir_setup(state);

	gpube_ctx_free(ctx);
	return status;
}

static int no_files(void **state)
{
	if (now_running == 0)
		assert_int_equal(gpube_ctx_new(&ctx, NULL), 0);
	return ctx_dir_teardown(state);
}

/* What main() returns: one case of 'runs' sequences, each with a context of its own. */
static inline int run_sequences(void (*sequence)(void), unsigned long runs)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test_teardown(sequences, say_seed)};

	run = sequence;
	n_runs = runs;
	return cmocka_run_group_tests(tests, files, no_files);
}

#endif
