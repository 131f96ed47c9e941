/* gpube__race(): the first answer ends the others, on threads of their own or in turns on one. */
#define _DEFAULT_SOURCE
#include "tests/support/test.h"
#include "gpube/options/options.h"

#include "gpube/base/base.h"

#include <pthread.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

/* What a runner does: ends so after 'steps' steps, if it is not stopped before. */
struct way {
	int64_t steps, done;
	int end, threads;
	int pause; /* microseconds of a step, so that a turn has as many steps on every machine */
};

static int inside, together;

static void step(void *arg, int64_t item, int thread)
{
	(void)item;
	(void)thread;
	__atomic_add_fetch((int64_t *)arg, 1, __ATOMIC_RELAXED);
}

static int walk(struct gpube_ctx *ctx, void *arg)
{
	struct way *w = arg;

	w->threads = ctx->n_threads;
	for (int64_t k = 0; w->steps < 0 || k < w->steps; k++) {
		void *p = gpube__alloc(ctx, 10, 10);

		assert_non_null(p);
		gpube__free(ctx, p);
		if (__atomic_add_fetch(&inside, 1, __ATOMIC_SEQ_CST) > 1)
			__atomic_store_n(&together, 1, __ATOMIC_RELAXED);
		gpube__parallel(ctx, 4, step, &w->done);
		if (w->pause)
			usleep((useconds_t)w->pause);
		gpube__progress(ctx, -1, "walking");
		__atomic_sub_fetch(&inside, 1, __ATOMIC_SEQ_CST);
		if (gpube__stopped(ctx))
			return gpube__fail_stopped(ctx);
	}
	return w->end ? gpube__fail(ctx, (enum gpube_status)w->end, "ends with %d", w->end)
		      : GPUBE_OK;
}

static int logged;

static void on_log(void *arg, const struct gpube_log *said)
{
	(void)arg;
	(void)said;
	logged++; /* never from two threads at once: the sanitizer of threads looks */
}

static struct gpube_ctx *ctx_of(int threads)
{
	const struct gpube_opts opts = {.n_threads = threads, .log = on_log};
	struct gpube_ctx *ctx;

	assert_int_equal(gpube_ctx_new(&ctx, &opts), GPUBE_OK);
	return ctx;
}

static int race(struct gpube_ctx *ctx, struct way *ways, int n, int *first)
{
	struct gpube__runner runners[8] = {0};
	int status;

	inside = together = 0;
	for (int k = 0; k < n; k++)
		runners[k] =
			(struct gpube__runner){.fn = walk, .arg = &ways[k], .most_threads = k == 0};
	status = gpube__race(ctx, runners, n, first);
	assert_int_equal(inside, 0);
	for (int k = 0; k < n; k++)
		ways[k].end = runners[k].status;
	return status;
}

/* Endless runners are stopped by the one that ends, wherever it stands. */
static void the_first_stops_the_others(void **state)
{
	static const int threads[] = {1, 2, 3, 7};

	(void)state;
	for (size_t t = 0; t < sizeof(threads) / sizeof(*threads); t++)
		for (int n = 1; n <= 3; n++)
			for (int winner = 0; winner < n; winner++) {
				struct gpube_ctx *ctx = ctx_of(threads[t]);
				struct way ways[3] = {
					{-1, 0, 0, 0, 0}, {-1, 0, 0, 0, 0}, {-1, 0, 0, 0, 0}};
				int first, sum = 0;

				ways[winner].steps = 300;
				assert_int_equal(race(ctx, ways, n, &first), GPUBE_OK);
				assert_int_equal(first, winner);
				assert_int_equal(ways[winner].done, 4 * 300);
				for (int k = 0; k < n; k++) {
					if (k != winner)
						assert_int_equal(ways[k].end, GPUBE_ESTOP);
					sum += ways[k].threads;
				}
				assert_true(sum == (threads[t] < n ? n : n == 1 ? 1 : threads[t]));
				if (threads[t] < n)
					assert_false(together);
				/* a stop of children is not the parent's */
				assert_false(gpube__stopped(ctx));
				gpube_ctx_free(ctx);
			}
	assert_true(logged > 0);
}

/* On one thread each gets its share of the time, so nobody waits for the slow one to end. */
static void turns_are_fair(void **state)
{
	struct gpube_ctx *ctx = ctx_of(1);
	struct way ways[2] = {{.steps = -1, .pause = 50}, {.steps = 2000, .pause = 50}};
	int first;

	(void)state;
	assert_int_equal(race(ctx, ways, 2, &first), GPUBE_OK);
	assert_int_equal(first, 1);
	/* the same steps: ten times more would be no turns */
	assert_in_range(ways[0].done, 4 * 2000 / 10, 4 * 2000 * 10);
	gpube_ctx_free(ctx);
}

/* One that has a larger share has turns as much longer. */
static void turns_by_shares(void **state)
{
	struct gpube_ctx *ctx = ctx_of(1);
	struct way ways[2] = {{.steps = -1, .pause = 50}, {.steps = 2000, .pause = 50}};
	struct gpube__runner runners[2] = {
		{.fn = walk, .arg = &ways[0], .share = 20}, {.fn = walk, .arg = &ways[1]}};
	int first;

	(void)state;
	inside = together = 0;
	assert_int_equal(gpube__race(ctx, runners, 2, &first), GPUBE_OK);
	assert_int_equal(first, 1);
	/* twenty times the steps; more than twice them is not by chance */
	assert_true(ways[0].done > 2 * ways[1].done);
	gpube_ctx_free(ctx);
}

/* What happens when runners fail: status by runner, who is first, and the race's status. */
struct failure {
	const char *name;
	int end[2], first, status;
};

static const struct failure failures[] = {
	{"a limit leaves it to the other", {GPUBE_ELIMIT, GPUBE_OK}, 1, GPUBE_OK},
	{"so does memory", {GPUBE_ENOMEM, GPUBE_OK}, 1, GPUBE_OK},
	{"both limits", {GPUBE_ELIMIT, GPUBE_ENOMEM}, -1, GPUBE_ELIMIT},
	{"a stop says more than memory", {GPUBE_ENOMEM, GPUBE_ESTOP}, -1, GPUBE_ESTOP},
};

static void failing(void **state)
{
	const struct failure *f = *state;

	for (int threads = 1; threads <= 2; threads++) {
		struct gpube_ctx *ctx = ctx_of(threads);
		struct way ways[2] = {
			{.steps = 10, .end = f->end[0]}, {.steps = 5000, .end = f->end[1]}};
		int first;

		assert_int_equal(race(ctx, ways, 2, &first), f->status);
		assert_int_equal(first, f->first);
		if (f->status) {
			char text[32];

			snprintf(text, sizeof(text), "ends with %d", f->status);
			assert_string_equal(gpube_error(ctx), text);
		}
		gpube_ctx_free(ctx);
	}
}

static void a_bug_ends_it(void **state)
{
	struct gpube_ctx *ctx = ctx_of(2);
	struct way ways[2] = {{.steps = -1}, {.steps = 10, .end = GPUBE_EBUG}};
	int first;

	(void)state;
	assert_int_equal(race(ctx, ways, 2, &first), GPUBE_EBUG);
	assert_int_equal(first, 1);
	assert_string_equal(gpube_error(ctx), "ends with -10");
	gpube_ctx_free(ctx);
}

static void the_parent_stops_all(void **state)
{
	(void)state;
	for (int threads = 1; threads <= 4; threads++)
		for (int by_deadline = 0; by_deadline < 2; by_deadline++) {
			struct gpube_ctx *ctx = ctx_of(threads);
			struct way ways[2] = {{.steps = -1}, {.steps = -1}};
			int first;

			if (by_deadline)
				ctx->deadline = gpube__now() + 0.01;
			else
				gpube_ctx_stop(ctx);
			assert_int_equal(race(ctx, ways, 2, &first), GPUBE_ESTOP);
			assert_int_equal(first, -1);
			gpube_ctx_free(ctx);
		}
}

static void *refuse(void *arg, void *p, size_t size)
{
	(void)arg;
	if (size == 0)
		free(p);
	return NULL;
}

static void no_memory(void **state)
{
	struct gpube_ctx *ctx = ctx_of(2);
	void *(*before)(void *, void *, size_t) = ctx->realloc_fn;
	struct way ways[2] = {{.steps = 1}, {.steps = 1}};
	int first;

	(void)state;
	ctx->realloc_fn = refuse;
	assert_int_equal(race(ctx, ways, 2, &first), GPUBE_ENOMEM);
	assert_int_equal(first, -1);
	ctx->realloc_fn = before;
	gpube_ctx_free(ctx);
}

/* What a thread has seen of a context's child that is paused: it goes on, or is stopped. */
struct paused {
	struct gpube_ctx child;
	int passed; /* 1: it was let go on; 2: it was stopped */
};

static void *pass(void *arg)
{
	struct paused *p = arg;

	__atomic_store_n(&p->passed, gpube__stopped(&p->child) ? 2 : 1, __ATOMIC_RELEASE);
	return NULL;
}

static void a_pause(void **state)
{
	struct gpube_ctx *ctx = ctx_of(1);

	(void)state;
	for (int end = 0; end < 3; end++) {
		struct paused p = {gpube__ctx_child(ctx), 0};
		pthread_t thread;

		gpube__ctx_pause(&p.child, true);
		assert_int_equal(pthread_create(&thread, NULL, pass, &p), 0);
		nanosleep(&(struct timespec){.tv_nsec = 20000000}, NULL);
		assert_int_equal(__atomic_load_n(&p.passed, __ATOMIC_ACQUIRE), 0);
		if (end == 0)
			gpube__ctx_pause(&p.child, false);
		else
			gpube_ctx_stop(end == 1 ? &p.child : ctx);
		assert_int_equal(pthread_join(thread, NULL), 0);
		assert_int_equal(p.passed, end == 0 ? 1 : 2);
		gpube__ctx_clear(&p.child);
	}
	gpube_ctx_free(ctx);
}

int main(void)
{
	enum { N = sizeof(failures) / sizeof(*failures) };
	struct CMUnitTest tests[N + 7] = {
		cmocka_unit_test(the_first_stops_the_others),
		cmocka_unit_test(turns_are_fair),
		cmocka_unit_test(turns_by_shares),
		cmocka_unit_test(a_bug_ends_it),
		cmocka_unit_test(the_parent_stops_all),
		cmocka_unit_test(no_memory),
		cmocka_unit_test(a_pause),
	};

	for (int k = 0; k < N; k++) {
		const void *row = &failures[k];

		tests[7 + k] = (struct CMUnitTest){.name = failures[k].name, .test_func = failing};
		memcpy(&tests[7 + k].initial_state, &row, sizeof(row));
	}
	return cmocka_run_group_tests(tests, NULL, NULL);
}
