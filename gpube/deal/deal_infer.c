/*
 * deal_infer.c - gpube__deal_infer(): see deal.h.
 *
 * On rank 0 gpube_infer() runs in the hand. Once it has slices, this thread gives them to the other
 * ranks, while the hand does some itself: both take the next that nobody has. The hand adds them up
 * in their order.
 */
#define _POSIX_C_SOURCE 200809L
#include "gpube/deal/deal.h"
#include "gpube/options/options.h"

#include <string.h>
#include <time.h>

#include "gpube/deal/hand.h"
#include "gpube/deal/letters.h"
#include "gpube/infer/infer.h"
#include "gpube/ops/scratch.h"

/*
 * From rank 0: JOB (flag: its number), SLICE (a, of the last job). To it: SUM (a: the slice, flag:
 * of which job, b: a status; sum and marginals).
 */
enum { LETTER_JOB, LETTER_SLICE, LETTER_SUM };

/* Enough for a balance of 16 ranks. */
enum { WANTED = 64 };
/* Fewer joined cells take as long as letters. */
#define LEAST_CELLS 3e6
#define NAP_NS      200000

struct slice_state {
	bool done;
	int status;
	struct gpube_slice_sum sum;
};

struct summing {
	struct gpube_ctx *ctx;
	struct dcop_world *world;
	const struct gpube_model *m;
	const struct gpube_opts *opts;
	struct gpube_hand hand;
	struct gpube_inference *out;
	struct gpube_letters letters;
	pthread_mutex_t lock;       /* of rank 0's threads, for what follows */
	int32_t *words, n_words;    /* the job, as in a letter */
	int32_t number;             /* of jobs */
	struct gpube_slice_job job; /* refers to the words */
	struct slice_state *slices;
	int64_t next;
	int32_t *knows, *busy; /* of each rank: the last job that it has; whether it has a slice */
	/* of other ranks */
	int64_t slice;
	int32_t slice_number;
	struct gpube_slice_sum sum;
};

/* ---- jobs as words ------------------------------------------------------------------- */

static int job_to_words(struct summing *s, struct gpube_ctx *ctx, const struct gpube_slice_job *job)
{
	int64_t n = 1 + s->m->n_vars;
	int32_t *to;

	for (int k = 0; k < job->n_splits; k++)
		n += 2 + job->n_values[k];
	if (n > INT32_MAX)
		return gpube__fail(ctx, GPUBE_ERANGE, "the model is too large for a letter");
	to = gpube__alloc(ctx, (uint64_t)n, sizeof(*to));
	if (!to)
		return GPUBE_ENOMEM;
	gpube__free(ctx, s->words);
	s->words = to;
	s->n_words = (int32_t)n;
	*to++ = job->n_splits;
	for (int k = 0; k < job->n_splits; k++) {
		*to++ = job->var[k];
		*to++ = job->n_values[k];
		memcpy(to, job->values[k], (size_t)job->n_values[k] * sizeof(*to));
		to += job->n_values[k];
	}
	memcpy(to, job->order, (size_t)s->m->n_vars * sizeof(*to));
	return GPUBE_OK;
}

static bool is_value(const struct gpube_model *m, int32_t var, const int32_t *values, int32_t n)
{
	for (int32_t k = 0; k < n; k++)
		if (values[k] < 0 || values[k] >= m->vars[var].domain)
			return false;
	return true;
}

/* False: they are no job of this model. */
static bool words_to_job(struct summing *s)
{
	struct gpube_slice_job *job = &s->job;
	const int32_t *at = s->words, *end = at + s->n_words - s->m->n_vars;

	*job = (struct gpube_slice_job){.order = end, .n = 1};
	if (end <= at || *at < 0 || *at > GPUBE_MOST_SPLITS)
		return false;
	job->n_splits = *at++;
	for (int k = 0; k < job->n_splits; k++) {
		if (end - at < 2 || at[0] < 0 || at[0] >= s->m->n_vars || at[1] < 1 ||
			at[1] > end - at - 2)
			return false;
		job->var[k] = at[0];
		job->n_values[k] = at[1];
		job->values[k] = at + 2;
		job->n = gpube__mul_size(job->n, at[1]);
		if (job->n < 0 || !is_value(s->m, at[0], at + 2, at[1]))
			return false;
		at += 2 + at[1];
	}
	return at == end;
}

/* ---- rank 0's hand ------------------------------------------------------------------- */

static void clear_slices(struct summing *s)
{
	for (int64_t k = 0; s->slices && k < s->job.n; k++)
		gpube__free(s->ctx, s->slices[k].sum.marginals);
	gpube__free(s->ctx, s->slices);
	s->slices = NULL;
}

static int on_begin(void *arg, const struct gpube_model *m, const struct gpube_slice_job *job)
{
	struct summing *s = arg;
	struct gpube_ctx *ctx = &s->hand.ctx;
	int status;

	(void)m; /* the given one, which all ranks have */
	pthread_mutex_lock(&s->lock);
	clear_slices(s);
	status = job_to_words(s, ctx, job);
	if (!status && !words_to_job(s))
		status = gpube__fail(ctx, GPUBE_EBUG,
			"internal error: slices are not told right; please report this");
	if (!status) {
		s->slices = gpube__alloc_zero(ctx, (uint64_t)s->job.n, sizeof(*s->slices));
		status = s->slices ? GPUBE_OK : GPUBE_ENOMEM;
	}
	s->next = 0;
	s->number++;
	pthread_mutex_unlock(&s->lock);
	return status;
}

/*
 * Done: what it was summed to. Otherwise the next slice that nobody has, or -1; after a stop nobody
 * gets one.
 */
static bool look(struct summing *s, int64_t slice, struct slice_state *found, int64_t *mine)
{
	const bool stopped = gpube__stopped(&s->hand.ctx);

	pthread_mutex_lock(&s->lock);
	if (stopped)
		s->next = s->job.n;
	*found = s->slices[slice];
	s->slices[slice].sum.marginals = NULL;
	*mine = !found->done && s->next < s->job.n ? s->next++ : -1;
	pthread_mutex_unlock(&s->lock);
	return found->done;
}

/* Unless it is one of an earlier job, or there is none. */
static void store(struct summing *s, int32_t number, int64_t slice, int status,
	const struct gpube_slice_sum *sum)
{
	bool wanted;

	pthread_mutex_lock(&s->lock);
	wanted = number == s->number && slice >= 0 && slice < s->job.n && status != GPUBE_ESTOP;
	if (wanted)
		s->slices[slice] = (struct slice_state){true, status, *sum};
	pthread_mutex_unlock(&s->lock);
	if (!wanted)
		gpube__free(s->ctx, sum->marginals);
}

static int on_sum(void *arg, struct gpube_slice_sum *sum, int64_t slice)
{
	struct summing *s = arg;
	struct gpube_ctx *ctx = &s->hand.ctx;
	struct slice_state found;
	int64_t mine;

	while (!look(s, slice, &found, &mine)) {
		if (gpube__stopped(ctx))
			return gpube__fail_stopped(ctx);
		if (mine < 0) {
			nanosleep(&(struct timespec){.tv_nsec = NAP_NS}, NULL);
			continue;
		}
		found.status = gpube__infer_slice(&found.sum, ctx, s->m, s->opts, &s->job, mine);
		if (found.status == GPUBE_ESTOP)
			return found.status;
		store(s, s->number, mine, found.status, &found.sum);
	}
	*sum = found.sum;
	return found.status ? gpube__fail(ctx, found.status, "a slice does not fit the memory")
			    : GPUBE_OK;
}

static int sum_all(struct gpube_ctx *ctx, void *arg)
{
	struct summing *s = arg;
	const struct gpube_slicer slicer = {.arg = s,
		.wanted = WANTED,
		.least_cells = dcop__test_eager() ? 0 : LEAST_CELLS,
		.n_workers = s->world->n_ranks,
		.begin = on_begin,
		.sum = on_sum};
	struct gpube_model m = *s->m;

	m.ctx = ctx;
	return gpube__infer_sliced(&s->out, &m, s->opts, &slicer);
}

/* ---- rank 0's other thread ----------------------------------------------------------- */

/* A slice that nobody has, to a rank that has none. */
static int give(struct summing *s, int rank)
{
	const struct gpube_letter job = {.kind = LETTER_JOB, .flag = s->number, .n = s->n_words},
				  slice = {.kind = LETTER_SLICE, .flag = s->number, .a = s->next};
	int status = GPUBE_OK;

	if (s->knows[rank] != s->number)
		status = gpube__letter_send(s->world, rank, &job, s->words);
	s->knows[rank] = s->number;
	if (!status)
		status = gpube__letter_send(s->world, rank, &slice, NULL);
	s->busy[rank] = 1;
	s->next++;
	return status;
}

static int deal(struct summing *s)
{
	int status = GPUBE_OK;

	pthread_mutex_lock(&s->lock);
	for (int rank = 1; rank < s->world->n_ranks && !status; rank++)
		if (!s->busy[rank] && s->slices && s->next < s->job.n)
			status = give(s, rank);
	pthread_mutex_unlock(&s->lock);
	return status;
}

/* What a rank sends of a sum: it, then the marginals. */
static int64_t sum_words(const struct summing *s, bool marginals)
{
	const int64_t values = marginals ? gpube__infer_n_values(s->m) : 0;

	return (int64_t)((sizeof(struct gpube_slice_sum) + (uint64_t)values * sizeof(double)) /
			 sizeof(int32_t));
}

static int read_sum(struct summing *s, int from, const struct gpube_letter *l, const int32_t *words)
{
	struct gpube_slice_sum sum;
	const bool marginals = l->n > sum_words(s, false);

	if (l->n != sum_words(s, marginals))
		return gpube__letter_fail(s->world, from);
	s->busy[from] = 0;
	memcpy(&sum, words, sizeof(sum));
	sum.marginals = NULL;
	if (marginals) {
		const size_t bytes = (size_t)l->n * sizeof(*words) - sizeof(sum);

		sum.marginals = gpube__alloc(s->ctx, bytes, 1);
		if (!sum.marginals)
			return GPUBE_ENOMEM;
		memcpy(sum.marginals, (const char *)words + sizeof(sum), bytes);
	}
	store(s, l->flag, l->a, (int)l->b, &sum);
	return GPUBE_OK;
}

/* ---- other ranks --------------------------------------------------------------------- */

static int sum_slice(struct gpube_ctx *ctx, void *arg)
{
	struct summing *s = arg;
	int status = gpube__scratch_open(ctx);

	gpube__scratch_keep(ctx, ctx->memory_bytes / GPUBE_INFER_KEPT);
	if (!status)
		status = gpube__infer_slice(&s->sum, ctx, s->m, s->opts, &s->job, s->slice);
	gpube__scratch_keep(ctx, 0);
	return status;
}

static int take_job(struct summing *s, int from, const struct gpube_letter *l, const int32_t *words)
{
	int32_t *copy = gpube__alloc(s->ctx, (uint64_t)l->n, sizeof(*copy));

	if (!copy)
		return GPUBE_ENOMEM;
	if (l->n)
		memcpy(copy, words, (size_t)l->n * sizeof(*copy));
	gpube__free(s->ctx, s->words);
	s->words = copy;
	s->n_words = l->n;
	return !s->hand.busy && words_to_job(s) ? GPUBE_OK : gpube__letter_fail(s->world, from);
}

static int read_letter(void *arg, int from, const struct gpube_letter *l, const int32_t *words)
{
	struct summing *s = arg;

	if (s->world->rank == 0)
		return l->kind == LETTER_SUM ? read_sum(s, from, l, words)
					     : gpube__letter_fail(s->world, from);
	switch (l->kind) {
	case LETTER_JOB:
		return take_job(s, from, l, words);
	case LETTER_SLICE:
		if (s->hand.busy || l->a < 0 || l->a >= s->job.n)
			return gpube__letter_fail(s->world, from);
		s->slice = l->a;
		s->slice_number = l->flag;
		return gpube__hand_begin(&s->hand, sum_slice, s)
			       ? gpube__fail(s->ctx, GPUBE_ENOMEM, "%s", s->hand.ctx.error)
			       : GPUBE_OK;
	default:
		return gpube__letter_fail(s->world, from);
	}
}

/* What the hand has summed, to rank 0. */
static int send_sum(struct summing *s)
{
	const int status = gpube__hand_end(&s->hand);
	const int64_t n = sum_words(s, s->sum.marginals != NULL);
	const struct gpube_letter l = {.kind = LETTER_SUM,
		.flag = s->slice_number,
		.a = s->slice,
		.b = status,
		.n = (int32_t)n};
	int32_t *words;
	int sent = GPUBE_ENOMEM;

	if (status && status != GPUBE_ESTOP && status != GPUBE_ELIMIT)
		return gpube__fail(s->ctx, status, "%s", s->hand.ctx.error);
	if (n > INT32_MAX)
		return gpube__fail(s->ctx, GPUBE_ERANGE, "too many marginals for a letter");
	words = gpube__alloc_zero(s->ctx, (uint64_t)n, sizeof(*words));
	if (words) {
		memcpy(words, &s->sum, sizeof(s->sum));
		if (s->sum.marginals)
			memcpy((char *)words + sizeof(s->sum), s->sum.marginals,
				(size_t)n * sizeof(*words) - sizeof(s->sum));
		sent = gpube__letter_send(s->world, 0, &l, words);
	}
	gpube__free(s->ctx, words);
	gpube__free(s->ctx, s->sum.marginals);
	s->sum.marginals = NULL;
	return sent;
}

/* ---- the loops ----------------------------------------------------------------------- */

static int report(void *arg)
{
	struct summing *s = arg;

	return s->world->rank && gpube__hand_is_done(&s->hand) ? send_sum(s) : GPUBE_OK;
}

static bool is_busy(const void *arg)
{
	const struct summing *s = arg;

	return s->hand.busy;
}

static void stop(void *arg)
{
	struct summing *s = arg;

	gpube_ctx_stop(&s->hand.ctx);
}

static int lead(struct summing *s)
{
	int status = gpube__hand_begin(&s->hand, sum_all, s), summed;

	if (status)
		return gpube__fail(s->ctx, status, "%s", s->hand.ctx.error);
	while (!status && !gpube__hand_is_done(&s->hand)) {
		status = deal(s);
		if (!status)
			status = gpube__letters_poll(&s->letters);
	}
	if (status)
		return status;
	summed = gpube__hand_end(&s->hand);
	status = gpube__letters_end(&s->letters);
	return status   ? status
	       : summed ? gpube__fail(s->ctx, summed, "%s", s->hand.ctx.error)
			: GPUBE_OK;
}

int gpube__deal_infer(struct gpube_inference **out, const struct gpube_model *m,
	const struct gpube_opts *opts, struct dcop_world *world)
{
	struct gpube_ctx *ctx = m->ctx;
	struct summing s = {.ctx = ctx, .world = world, .m = m, .opts = opts};
	int status;

	*out = NULL;
	dcop__test_hook(world);
	pthread_mutex_init(&s.lock, NULL);
	gpube__hand_open(&s.hand, ctx);
	if (world->rank == 0) { /* the other thread says nothing */
		s.hand.ctx.log = ctx->log;
		s.hand.ctx.log_arg = ctx->log_arg;
	}
	s.knows = gpube__alloc_zero(ctx, (uint64_t)world->n_ranks, sizeof(*s.knows));
	s.busy = gpube__alloc_zero(ctx, (uint64_t)world->n_ranks, sizeof(*s.busy));
	s.letters = (struct gpube_letters){.world = world,
		.arg = &s,
		.read = read_letter,
		.report = report,
		.is_busy = is_busy,
		.stop = stop};
	status = gpube__letters_open(&s.letters) || !s.knows || !s.busy ? GPUBE_ENOMEM : GPUBE_OK;
	if (!status)
		status = world->rank ? gpube__letters_follow(&s.letters) : lead(&s);
	gpube__hand_close(&s.hand);
	*out = s.out;
	gpube__result_hand_over(s.out, s.ctx); /* the hand's context goes */
	clear_slices(&s);
	GPUBE_FREE_ALL(ctx, s.sum.marginals, s.words, s.knows, s.busy);
	gpube__letters_close(&s.letters);
	pthread_mutex_destroy(&s.lock);
	return status;
}
