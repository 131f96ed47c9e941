/*
 * race.c - gpube__race(): several ways to one answer beside each other, the first to end has it.
 *
 * Each way works on a context of its own, a child: it has a share of the threads and a stop flag
 * that ends it alone, and it stops when its parent does. Where the parent has fewer threads than
 * there are ways, the ways take turns on one: whoever asks gpube__stopped() after the slice is
 * over waits there until the turn comes back. So a race of equal shares costs at most as often the
 * processor time of the winner as there are ways, on one thread as on many; budgets that grow by
 * turns, which would need no threads, start from the beginning every time and cost twice that.
 */
#define _POSIX_C_SOURCE 200809L
#include "gpube/base/base.h"
#include "gpube/base/thread.h"

#include <time.h>

enum { MOST_RUNNERS = 8 };

/* Long against a change of threads, short against what anybody would wait for. */
static const double slice_seconds = 2e-3;

struct gpube__turns {
	pthread_mutex_t lock;
	pthread_cond_t turned;
	bool ended[MOST_RUNNERS];
	double slice[MOST_RUNNERS]; /* seconds */
	int n, whose;
	double until; /* read and written by the one whose turn it is */
};

struct race;

struct lane {
	struct race *race;
	struct gpube__runner *runner;
	struct gpube_ctx ctx;
	pthread_t thread;
	bool started;
};

struct race {
	struct gpube_ctx *parent;
	struct gpube__turns turns;
	pthread_mutex_t lock; /* of what follows, and of the parent's log */
	int first;
	struct lane lanes[MOST_RUNNERS];
};

/* ---- turns: pass() and await() with the lock held --------------------------- */

static void pass(struct gpube__turns *t)
{
	for (int k = 1; k <= t->n; k++) {
		const int next = (t->whose + k) % t->n;

		if (t->ended[next])
			continue;
		t->whose = next;
		t->until = gpube__now() + t->slice[next];
		pthread_cond_broadcast(&t->turned);
		return;
	}
}

static void await(struct gpube__turns *t, int me)
{
	while (t->whose != me)
		pthread_cond_wait(&t->turned, &t->lock);
}

static void take_turns(struct gpube__turns *t, int me)
{
	if (gpube__now() < t->until)
		return;
	pthread_mutex_lock(&t->lock);
	pass(t);
	await(t, me);
	pthread_mutex_unlock(&t->lock);
}

/* ---- pauses ----------------------------------------------------------------- */

/* Between two looks at whether a pause is over, which may be long. */
enum { PAUSE_NS = 2000000 };

void gpube__ctx_pause(struct gpube_ctx *ctx, bool paused)
{
	__atomic_store_n(&ctx->paused, paused, __ATOMIC_RELAXED);
}

static void wait_paused(const struct gpube_ctx *ctx)
{
	while (__atomic_load_n(&ctx->paused, __ATOMIC_RELAXED) &&
		!__atomic_load_n(&ctx->stop, __ATOMIC_RELAXED) &&
		!(ctx->parent && gpube__stopped(ctx->parent)))
		nanosleep(&(struct timespec){.tv_nsec = PAUSE_NS}, NULL);
}

bool gpube__stopped(const struct gpube_ctx *ctx)
{
	const int64_t tick_at = __atomic_load_n(&ctx->tick_at, __ATOMIC_RELAXED);
	double deadline;

	if (__atomic_load_n(&ctx->paused, __ATOMIC_RELAXED))
		wait_paused(ctx);
	__atomic_load(&ctx->deadline, &deadline, __ATOMIC_RELAXED);
	if (ctx->turns)
		take_turns(ctx->turns, ctx->lane);
	return __atomic_load_n(&ctx->stop, __ATOMIC_RELAXED) ||
	       (deadline > 0 && gpube__now() >= deadline) ||
	       (tick_at && __atomic_load_n(&ctx->ticks, __ATOMIC_RELAXED) >= tick_at) ||
	       (ctx->parent && gpube__stopped(ctx->parent));
}

/* ---- lanes ------------------------------------------------------------------ */

static void forward(void *arg, const struct gpube_log *said)
{
	struct race *race = arg;

	pthread_mutex_lock(&race->lock);
	race->parent->log(race->parent->log_arg, said);
	pthread_mutex_unlock(&race->lock);
}

/* Whether others may still have the answer when one ends so. */
static bool others_go_on(int status)
{
	return status == GPUBE_ENOMEM || status == GPUBE_ELIMIT || status == GPUBE_ESTOP;
}

static void *run(void *arg)
{
	struct lane *lane = arg;
	struct race *race = lane->race;
	struct gpube__turns *turns = lane->ctx.turns;
	const int me = (int)(lane - race->lanes);

	if (turns) {
		pthread_mutex_lock(&turns->lock);
		await(turns, me);
		pthread_mutex_unlock(&turns->lock);
	}
	lane->runner->status = lane->runner->fn(&lane->ctx, lane->runner->arg);
	if (!others_go_on(lane->runner->status)) {
		pthread_mutex_lock(&race->lock);
		if (race->first < 0)
			race->first = me;
		pthread_mutex_unlock(&race->lock);
		for (int k = 0; k < race->turns.n; k++)
			if (k != me)
				gpube_ctx_stop(&race->lanes[k].ctx);
	}
	if (turns) {
		pthread_mutex_lock(&turns->lock);
		turns->ended[me] = true;
		pass(turns);
		pthread_mutex_unlock(&turns->lock);
	}
	return NULL;
}

static void *run_in_thread(void *arg)
{
	struct lane *lane = arg;

	run(lane);
	if (lane->race->parent->thread_end)
		lane->race->parent->thread_end();
	return NULL;
}

static void make_lane(struct race *race, int k, struct gpube__runner *runner)
{
	const struct gpube_ctx *parent = race->parent;
	struct lane *lane = &race->lanes[k];

	*lane = (struct lane){.race = race, .runner = runner};
	lane->ctx = gpube__ctx_child(parent);
	lane->ctx.n_threads = 1;
	lane->ctx.memory_bytes /= (uint64_t)race->turns.n;
	lane->ctx.log = parent->log ? forward : NULL;
	lane->ctx.log_arg = race;
	lane->ctx.deadline = parent->deadline;
	if (parent->n_threads < race->turns.n) {
		lane->ctx.turns = &race->turns;
		lane->ctx.lane = k;
	}
}

/* Threads that nobody has yet go one by one to those that may use more. */
static void share_threads(struct race *race)
{
	int left = race->parent->n_threads - race->turns.n;

	for (bool any = true; any && left > 0;) {
		any = false;
		for (int k = 0; k < race->turns.n && left > 0; k++) {
			struct lane *lane = &race->lanes[k];
			const int most = lane->runner->most_threads;

			if (most && lane->ctx.n_threads >= most)
				continue;
			lane->ctx.n_threads++;
			left--;
			any = true;
		}
	}
}

/* The first runner has the caller's thread. */
static void start_and_wait(struct race *race)
{
	for (int k = 1; k < race->turns.n; k++) {
		struct lane *lane = &race->lanes[k];

		lane->started = gpube__thread_start(&lane->thread, run_in_thread, lane);
		if (lane->started)
			continue;
		/* the system gave no thread: after the others */
		pthread_mutex_lock(&race->turns.lock);
		race->turns.ended[k] = true;
		pthread_mutex_unlock(&race->turns.lock);
		lane->ctx.turns = NULL;
	}
	run(&race->lanes[0]);
	for (int k = 1; k < race->turns.n; k++)
		if (race->lanes[k].started)
			pthread_join(race->lanes[k].thread, NULL);
		else if (race->first < 0)
			run(&race->lanes[k]);
}

/* Whose status is the race's: the first's, or that of one who was stopped, or the first runner's.
 */
static int teller(const struct race *race)
{
	if (race->first >= 0)
		return race->first;
	for (int k = 0; k < race->turns.n; k++)
		if (race->lanes[k].runner->status == GPUBE_ESTOP)
			return k;
	return 0;
}

int gpube__race(struct gpube_ctx *ctx, struct gpube__runner *runners, int n, int *first)
{
	struct race *race = gpube__alloc_zero(ctx, 1, sizeof(*race));
	int told;

	*first = -1;
	if (!race)
		return GPUBE_ENOMEM;
	race->parent = ctx;
	race->first = -1;
	race->turns.n = n < MOST_RUNNERS ? n : MOST_RUNNERS;
	pthread_mutex_init(&race->lock, NULL);
	pthread_mutex_init(&race->turns.lock, NULL);
	pthread_cond_init(&race->turns.turned, NULL);
	for (int k = 0; k < race->turns.n; k++) {
		runners[k].status = GPUBE_ESTOP;
		race->turns.slice[k] =
			slice_seconds * (runners[k].share > 0 ? runners[k].share : 1);
		make_lane(race, k, &runners[k]);
	}
	race->turns.until = gpube__now() + race->turns.slice[0];
	share_threads(race);
	start_and_wait(race);
	*first = race->first;
	told = teller(race);
	if (runners[told].status)
		gpube__fail(ctx, runners[told].status, "%s", race->lanes[told].ctx.error);
	for (int k = 0; k < race->turns.n; k++)
		gpube__ctx_clear(&race->lanes[k].ctx);
	pthread_cond_destroy(&race->turns.turned);
	pthread_mutex_destroy(&race->turns.lock);
	pthread_mutex_destroy(&race->lock);
	gpube__free(ctx, race);
	return runners[told].status;
}
