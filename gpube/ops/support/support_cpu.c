/* support_cpu.c - the support scan on the threads of a CPU. See support.h. */
#include <pthread.h>
#include <string.h>

#include "gpube/ops/support/support_dict.h"

/* What the threads share; 'lock' guards the scan's results. */
struct job {
	struct gpube_ctx *ctx;
	struct gpube_support_scan *s;
	struct gpube_support_sets x, y;
	int status;
	bool stopped;
	pthread_mutex_t lock; /* of *s and, to write, of status */
};

/* Pairs that a thread has proposed and not yet handed over. */
#define POCKET 64

struct pocket {
	int n;
	struct gpube_support_pair pairs[POCKET];
};

static void empty(struct job *job, struct pocket *pocket, int64_t n_pairs)
{
	pthread_mutex_lock(&job->lock);
	for (int k = 0; k < pocket->n && !job->status; k++)
		__atomic_store_n(&job->status,
			gpube__support_add(job->ctx, job->s, &pocket->pairs[k]), __ATOMIC_RELAXED);
	__atomic_fetch_add(&job->s->n_pairs, n_pairs, __ATOMIC_RELAXED);
	pthread_mutex_unlock(&job->lock);
	pocket->n = 0;
}

/* The two dictionaries of a support of player 1, and one while it is made. */
struct room {
	struct gpube_support_dict dict[2];
	unsigned char labels[2][GPUBE_SUPPORT_ACTIONS + 1];
	double cells[GPUBE_SUPPORT_ACTIONS * (2 * GPUBE_SUPPORT_ACTIONS + 3)];
};

static void dictionaries(
	struct room *r, const struct gpube_support_scan *s, uint64_t x, uint64_t good)
{
	double *second = r->cells + gpube__support_dict_cells(s->k, s->l, s->q, 0);
	struct gpube_support_making making = {
		.d = second + gpube__support_dict_cells(s->k, s->l, s->q, 1),
		.row = r->labels[0],
		.column = r->labels[1],
	};

	gpube__support_dict(&r->dict[0], r->cells, &making, s->c[0], s->k, s->k, s->q, 0, x, good);
	gpube__support_dict(&r->dict[1], second, &making, s->c[1], s->l, s->k, s->q, 1, x, good);
}

static int check(const struct gpube_support_dict *dict, uint64_t y)
{
	int first, second;

	first = gpube__support_swap(
		&dict[0], 0, y, __builtin_popcountll(gpube__support_zero(&dict[0], 0, y)));
	if (first == GPUBE_SUPPORT_NO)
		return first;
	second = gpube__support_swap(
		&dict[1], 1, y, __builtin_popcountll(gpube__support_zero(&dict[1], 1, y)));
	return second == GPUBE_SUPPORT_NO ? second : first > second ? first : second;
}

/* All pairs of one support of player 1. */
static void scan_row(void *arg, int64_t row, int thread)
{
	struct job *job = arg;
	const struct gpube_support_scan *s = job->s;
	const uint64_t x = job->x.mask[row], good = job->x.good[row];
	const int64_t from = gpube__support_skip(s, row * job->y.n), step = s->shares;
	struct room room;
	struct pocket pocket = {0};
	bool have = false;
	int64_t n = 0;

	GPUBE_KNOWN_SET(room); /* by dictionaries() */
	if (__atomic_load_n(&job->stopped, __ATOMIC_RELAXED) ||
		__atomic_load_n(&job->status, __ATOMIC_RELAXED))
		return;
	if (gpube__stopped(job->ctx)) {
		__atomic_store_n(&job->stopped, true, __ATOMIC_RELAXED);
		return;
	}
	if (thread == 0 && s->poll) {
		const int status = s->poll(s->poll_arg);

		if (status) {
			__atomic_store_n(&job->status, status, __ATOMIC_RELAXED);
			return;
		}
	}
	if (thread == 0 && s->all > 0) {
		const int64_t done = __atomic_load_n(&s->n_pairs, __ATOMIC_RELAXED);

		gpube__progress(job->ctx, (s->before + (double)done) / s->all, "pairs of supports");
	}
	for (int64_t t = from; t < job->y.n; t += step, n++) {
		const uint64_t y = job->y.mask[t];
		int answer;

		if ((y & ~good) || (x & ~job->y.good[t]))
			continue;
		if (!have)
			dictionaries(&room, s, x, good);
		have = true;
		answer = check(room.dict, y);
		if (answer == GPUBE_SUPPORT_NO)
			continue;
		pocket.pairs[pocket.n++] =
			(struct gpube_support_pair){x, y, (enum gpube_support_answer)answer};
		if (pocket.n == POCKET)
			empty(job, &pocket, 0);
	}
	empty(job, &pocket, n);
}

static const char *unsupported(const struct gpube_support_scan *s)
{
	if (s->k < 1 || s->l < 1 || s->q < 1 || s->q > s->k || s->q > s->l || s->shares < 1 ||
		s->share < 0 || s->share >= s->shares)
		return "support scan: sizes out of their range";
	if (s->k > GPUBE_SUPPORT_ACTIONS || s->l > GPUBE_SUPPORT_ACTIONS)
		return "support scan: more than 64 actions";
	return NULL;
}

static int scan(struct gpube_ctx *ctx, struct gpube_support_scan *s)
{
	struct job job = {.ctx = ctx, .s = s, .lock = PTHREAD_MUTEX_INITIALIZER};
	int status;

	if (unsupported(s))
		return gpube__fail(ctx, GPUBE_EINVAL, "%s", unsupported(s));
	status = gpube__support_sets(&job.x, ctx, s, 0);
	if (!status)
		status = gpube__support_sets(&job.y, ctx, s, 1);
	if (!status) {
		gpube__parallel(ctx, job.x.n, scan_row, &job);
		status = job.stopped ? gpube__fail_stopped(ctx) : job.status;
	}
	gpube__support_sets_clear(&job.x, ctx);
	gpube__support_sets_clear(&job.y, ctx);
	return status;
}

const struct gpube_support_ops *gpube__support_cpu(void)
{
	static const struct gpube_support_ops ops = {
		.name = "cpu",
		.unsupported = unsupported,
		.scan = scan,
		.pairs_per_second = 4.5e6,
	};

	return &ops;
}
