/* gpube__parallel(): every item once, by one thread each, whatever happens around it. */
#define _DEFAULT_SOURCE
#include "tests/support/test.h"
#include "gpube/options/options.h"

#include "gpube/base/base.h"
#include "gpube/base/thread.h"

#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

enum { MOST = 5000 };

struct job {
	struct gpube_ctx *ctx;
	int done[MOST], by[GPUBE_MAX_THREADS];
	int64_t inner;
	int inside, together; /* threads in fn now, and the most that ever were */
	int company;          /* an item waits until so many threads were inside at once */
};

static void count(void *arg, int64_t item, int thread)
{
	struct job *j = arg;
	int now = __atomic_add_fetch(&j->inside, 1, __ATOMIC_SEQ_CST);
	int most = __atomic_load_n(&j->together, __ATOMIC_SEQ_CST);

	/* a thread's number is its own: nobody else works under it now */
	assert_int_equal(__atomic_exchange_n(&j->by[thread], 1, __ATOMIC_SEQ_CST), 0);
	__atomic_add_fetch(&j->done[item], 1, __ATOMIC_SEQ_CST);
	while (now > most && !__atomic_compare_exchange_n(&j->together, &most, now, false,
				     __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST))
		;
	for (int i = 0; i < 1000000 && __atomic_load_n(&j->together, __ATOMIC_SEQ_CST) < j->company;
		i++)
		usleep(500);
	__atomic_store_n(&j->by[thread], 0, __ATOMIC_SEQ_CST);
	__atomic_sub_fetch(&j->inside, 1, __ATOMIC_SEQ_CST);
}

static struct gpube_ctx *ctx_of(int threads)
{
	const struct gpube_opts opts = {.n_threads = threads};
	struct gpube_ctx *ctx;

	assert_int_equal(gpube_ctx_new(&ctx, &opts), GPUBE_OK);
	return ctx;
}

static void run(struct gpube_ctx *ctx, struct job *j, int64_t n)
{
	memset(j, 0, offsetof(struct job, company));
	gpube__parallel(ctx, n, count, j);
	for (int64_t i = 0; i < MOST; i++)
		assert_int_equal(j->done[i], i < n);
	assert_int_equal(j->inside, 0);
	assert_true(j->together <= ctx->n_threads);
}

static void every_item_once(void **state)
{
	static const int threads[] = {1, 2, 3, 16, 200};
	static const int64_t items[] = {0, 1, 2, 3, 7, 100, MOST};
	static struct job j;

	(void)state;
	for (size_t t = 0; t < sizeof(threads) / sizeof(*threads); t++) {
		struct gpube_ctx *ctx = ctx_of(threads[t]);

		for (size_t k = 0; k < sizeof(items) / sizeof(*items); k++)
			run(ctx, &j, items[k]);
		gpube_ctx_free(ctx);
	}
}

/* Jobs one upon the other, some after a pause in which the helpers fall asleep. */
static void many_jobs(void **state)
{
	static struct job j;
	struct gpube_ctx *ctx = ctx_of(4);

	(void)state;
	for (int i = 0; i < 3000; i++) {
		run(ctx, &j, 2 + i % 9);
		if (i % 300 == 0)
			usleep(2000);
	}
	gpube_ctx_free(ctx);
}

static void threads_work_together(void **state)
{
	static struct job j = {.company = 3};
	struct gpube_ctx *ctx = ctx_of(3);

	(void)state;
	run(ctx, &j, 30);
	assert_int_equal(j.together, 3); /* they sleep: it takes no second core */
	gpube_ctx_free(ctx);
}

struct pieces {
	int inside, all;
	int by[16]; /* the thread of each item */
};

/* Returns when all are at work, so that each has taken one item. */
static void wait_for_all(void *arg, int64_t item, int thread)
{
	struct pieces *p = arg;

	p->by[item] = thread;
	__atomic_add_fetch(&p->inside, 1, __ATOMIC_SEQ_CST);
	for (int i = 0; i < 1000000 && __atomic_load_n(&p->inside, __ATOMIC_SEQ_CST) < p->all; i++)
		usleep(500);
}

/* Each thread begins with its own piece, job after job: what it wrote there is in its cache. */
static void threads_keep_their_pieces(void **state)
{
	struct gpube_ctx *ctx = ctx_of(4);

	(void)state;
	for (int job = 0; job < 20; job++) {
		struct pieces p = {.all = 4};

		gpube__parallel(ctx, 4, wait_for_all, &p);
		for (int i = 0; i < 4; i++)
			assert_int_equal(p.by[i], i);
	}
	gpube_ctx_free(ctx);
}

/* Helpers that sleep call each other: all of them come to a long job. */
static void sleepers_all_come(void **state)
{
	static struct job j;
	struct gpube_ctx *ctx = ctx_of(16);

	(void)state;
	run(ctx, &j, 16);
	for (int job = 0; job < 10; job++) {
		struct pieces p = {.all = 16};

		usleep(3000);
		gpube__parallel(ctx, 16, wait_for_all, &p);
		assert_int_equal(p.inside, 16);
		for (int i = 0; i < 16; i++)
			assert_int_equal(p.by[i], i);
	}
	gpube_ctx_free(ctx);
}

static void in_turn(void *arg, int64_t item, int thread)
{
	struct job *j = arg;

	assert_int_equal(thread, 0);
	assert_int_equal(item, j->inner);
	j->inner++;
}

static void nest(void *arg, int64_t item, int thread)
{
	struct job inner = {.ctx = ((struct job *)arg)->ctx};

	(void)thread;
	gpube__parallel(inner.ctx, 3 + item % 2, in_turn, &inner);
	assert_int_equal(inner.inner, 3 + item % 2);
}

static void nested_calls_are_serial(void **state)
{
	struct job j = {.ctx = ctx_of(4)};

	(void)state;
	for (int i = 0; i < 50; i++)
		gpube__parallel(j.ctx, 20, nest, &j);
	gpube_ctx_free(j.ctx);
}

/* A child has no helpers, and neither waits for them nor frees them. */
static void a_forked_child_works_alone(void **state)
{
	static struct job j;
	struct gpube_ctx *ctx = ctx_of(4);
	int status;
	pid_t child;

	(void)state;
	run(ctx, &j, 100);
	child = fork();
	assert_true(child >= 0);
	if (!child) {
		alarm(600);
		memset(&j, 0, sizeof(j));
		gpube__parallel(ctx, 50, count, &j);
		gpube_ctx_free(ctx);
		_exit(j.done[49] == 1 && j.together == 1 ? 0 : 1);
	}
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_int_equal(status, 0);
	run(ctx, &j, 100);
	gpube_ctx_free(ctx);
}

static pthread_t main_thread;
static volatile sig_atomic_t caught_elsewhere, caught;

static void on_signal(int signal)
{
	(void)signal;
	caught = caught + 1;
	if (!pthread_equal(pthread_self(), main_thread))
		caught_elsewhere = 1;
}

static void raise_some(void *arg, int64_t item, int thread)
{
	(void)arg;
	(void)item;
	(void)thread;
	kill(getpid(), SIGUSR1);
	usleep(200);
}

/* Helpers block all signals: a handler runs where the program expects it. */
static void signals_stay_with_the_caller(void **state)
{
	struct gpube_ctx *ctx = ctx_of(3);

	(void)state;
	main_thread = pthread_self();
	signal(SIGUSR1, on_signal);
	gpube__parallel(ctx, 60, raise_some, NULL);
	signal(SIGUSR1, SIG_DFL);
	assert_true(caught > 0);
	assert_false(caught_elsewhere);
	gpube_ctx_free(ctx);
}

static void contexts_beside_each_other(void *arg, int64_t item, int thread)
{
	struct gpube_ctx *ctx = ctx_of(2);
	struct job *j = calloc(1, sizeof(*j));

	(void)arg;
	(void)thread;
	assert_non_null(j);
	for (int i = 0; i < 20; i++)
		run(ctx, j, 5 + item);
	free(j);
	gpube_ctx_free(ctx);
}

static void *tell_blocked(void *blocked)
{
	pthread_sigmask(SIG_SETMASK, NULL, blocked);
	return NULL;
}

/* Of any thread that the library starts, also where it is no helper. */
static void no_signal_is_for_a_thread(void **state)
{
	sigset_t blocked, mine;
	pthread_t thread;

	(void)state;
	sigemptyset(&blocked);
	assert_true(gpube__thread_start(&thread, tell_blocked, &blocked));
	pthread_join(thread, NULL);
	pthread_sigmask(SIG_SETMASK, NULL, &mine);
	for (int k = 0; k < 3; k++) {
		const int number = (int[]){SIGINT, SIGTERM, SIGALRM}[k];

		assert_int_equal(sigismember(&blocked, number), 1);
		assert_int_equal(sigismember(&mine, number), 0);
	}
}

static void a_context_in_each_thread(void **state)
{
	struct gpube_ctx *ctx = ctx_of(4);

	(void)state;
	gpube__parallel(ctx, 16, contexts_beside_each_other, NULL);
	gpube_ctx_free(ctx);
}

static void asked_by_the_environment(void **state)
{
	static const struct {
		const char *text;
		int least, most;
	} rows[] = {
		{"3", 3, 3}, {"1", 1, 1}, {"100000", 1024, 1024}, {"x", 1, 1024}, {"0", 1, 1024}};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		struct gpube_ctx *ctx;

		setenv("OMP_NUM_THREADS", rows[i].text, 1);
		ctx = ctx_of(0);
		assert_in_range(ctx->n_threads, rows[i].least, rows[i].most);
		gpube_ctx_free(ctx);
	}
	unsetenv("OMP_NUM_THREADS");
}

static void add_work(void *arg, int64_t item, int thread)
{
	(void)item;
	(void)thread;
	gpube__work(arg, 10);
}

/* What one thread works counts for all, once searches are not alone; what is shared counts once. */
static void waiting_counts_later(void **state)
{
	enum { ALONE = 3000 };
	struct gpube_ctx *ctx = ctx_of(4);
	int64_t at;

	(void)state;
	assert_int_equal(ctx->alone, GPUBE__ALONE_TICKS);
	assert_false(gpube__alone(ctx)); /* no run has begun */
	gpube__work(ctx, 100);
	assert_int_equal(ctx->ticks, 400);
	gpube__work_shared(ctx, 8, 100);
	assert_int_equal(ctx->ticks, 500);
	gpube__work_shared(ctx, 2, 100);
	gpube__work_shared(ctx, 0, 100);
	assert_int_equal(ctx->ticks, 500 + 200 + 400);
	gpube__parallel(ctx, 10, add_work, ctx);
	assert_int_equal(ctx->ticks, 1200);

	ctx->alone = ALONE; /* of the three others together */
	assert_int_equal(gpube__alone_begin(ctx), 0);
	assert_true(gpube__alone(ctx));
	gpube__work(ctx, 400);
	gpube__work_shared(ctx, 2, 400);
	assert_int_equal(ctx->ticks, 2000);
	assert_true(gpube__alone(ctx));
	gpube__work(ctx, ALONE / 3 - 800);
	assert_false(gpube__alone(ctx));
	at = ctx->ticks;
	gpube__work(ctx, 1);
	assert_int_equal(ctx->ticks, at + 4);
	gpube__work_told(ctx, 7); /* other threads have counted together already */
	assert_int_equal(ctx->ticks, at + 11);

	at = gpube__alone_begin(ctx);
	assert_true(gpube__alone(ctx));
	ctx->n_threads = 1;
	assert_false(gpube__alone(ctx));
	ctx->n_threads = 4;
	gpube__alone_end(ctx, at);
	assert_false(gpube__alone(ctx));
	gpube_ctx_free(ctx);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_item_once),
		cmocka_unit_test(many_jobs),
		cmocka_unit_test(threads_work_together),
		cmocka_unit_test(threads_keep_their_pieces),
		cmocka_unit_test(sleepers_all_come),
		cmocka_unit_test(nested_calls_are_serial),
		cmocka_unit_test(a_forked_child_works_alone),
		cmocka_unit_test(signals_stay_with_the_caller),
		cmocka_unit_test(no_signal_is_for_a_thread),
		cmocka_unit_test(a_context_in_each_thread),
		cmocka_unit_test(asked_by_the_environment),
		cmocka_unit_test(waiting_counts_later),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
