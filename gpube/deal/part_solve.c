/* part_solve.c - see part_solve.h. */
#include "gpube/deal/part_solve.h"
#include "gpube/options/options.h"

#include <string.h>

#include "gpube/bound/bound.h"

int gpube__part_solver_open(struct gpube_part_solver *s, struct gpube_ctx *ctx,
	const struct gpube_model *m, const struct gpube_opts *opts)
{
	memset(s, 0, sizeof(*s));
	s->ctx = ctx;
	s->m = m;
	s->opts = *opts;
	s->opts.precision = 0;
	s->maximise = m->direction == GPUBE_MAXIMISE;
	pthread_mutex_init(&s->lock, NULL);
	gpube__hand_open(&s->hand, ctx);
	s->values = gpube__alloc(ctx, (uint64_t)m->n_vars, sizeof(*s->values));
	return s->values ? GPUBE_OK : GPUBE_ENOMEM;
}

static void forget(struct gpube_part_solver *s)
{
	gpube__free(s->ctx, s->row);
	s->row = NULL;
	gpube__rows_clear(s->ctx, &s->rows);
	gpube_result_free(s->found);
	s->found = NULL;
}

void gpube__part_solver_close(struct gpube_part_solver *s)
{
	gpube__part_stop(s);
	gpube__hand_close(&s->hand);
	forget(s);
	gpube__free(s->ctx, s->values);
	pthread_mutex_destroy(&s->lock);
}

/* ---- the engine's thread ------------------------------------------------------------- */

static void note(struct gpube_part_solver *s, int64_t bound, int64_t cost, const int32_t *values)
{
	pthread_mutex_lock(&s->lock);
	if (bound > s->bound) {
		s->bound = bound;
		s->news = true;
	}
	if (values && cost < s->cost) {
		s->cost = cost;
		memcpy(s->values, values, (size_t)s->m->n_vars * sizeof(*values));
		s->news = s->has_values = true;
		if (cost < s->limit)
			s->limit = cost;
	}
	pthread_mutex_unlock(&s->lock);
}

static void on_improved(void *arg, int64_t bound, int64_t cost, const int32_t *values)
{
	struct gpube_part_solver *s = arg;

	note(s, gpube__part_side(s, bound), gpube__part_side(s, cost), values);
}

static int64_t limit_of(struct gpube_part_solver *s)
{
	int64_t limit;

	pthread_mutex_lock(&s->lock);
	limit = s->limit;
	pthread_mutex_unlock(&s->lock);
	return limit;
}

static bool on_cutoff(void *arg, int64_t *cutoff)
{
	struct gpube_part_solver *s = arg;
	const int64_t limit = limit_of(s);

	*cutoff = gpube__part_side(s, limit);
	return limit != GPUBE_INF;
}

/* Whether a stop was a wish for parts; then the thread goes on. */
static bool take_wish(struct gpube_part_solver *s)
{
	bool wanted;

	pthread_mutex_lock(&s->lock);
	wanted = !s->over && s->wanted;
	if (wanted)
		gpube_ctx_resume(&s->hand.ctx);
	pthread_mutex_unlock(&s->lock);
	return wanted;
}

/* Nothing is below the limit; above it there may be nothing, either. */
static int nothing_left(struct gpube_part_solver *s, struct gpube_model *part, int64_t top)
{
	const bool narrowed = part->top != top;
	int status = GPUBE_OK;

	part->top = top;
	if (narrowed)
		status = gpube__part_split(&s->rows, part, s->row, s->n, 1);
	if (!status && !s->rows.n_rows)
		s->end = GPUBE_PART_INFEASIBLE;
	gpube__rows_clear(s->ctx, &s->rows);
	return status == GPUBE_EBUG ? status : GPUBE_OK;
}

static int split_part(struct gpube_part_solver *s, struct gpube_model *part)
{
	const int64_t limit = limit_of(s), top = gpube__part_side(s, limit), whole_top = part->top;
	int status;

	if (limit != GPUBE_INF && (s->maximise ? top > part->top : top < part->top))
		part->top = top;
	status = gpube__part_split(&s->rows, part, s->row, s->n, s->wanted);
	s->end = status == GPUBE_ESTOP ? GPUBE_PART_STOPPED : GPUBE_PART_SPLIT;
	if (!status && !s->rows.n_rows)
		return nothing_left(s, part, whole_top);
	if (!status)
		note(s, s->rows.bound, 0, NULL);
	/* where there is no room to see how, it stays in one piece */
	if (status && status != GPUBE_ESTOP && status != GPUBE_EBUG) {
		gpube__rows_clear(s->ctx, &s->rows);
		s->rows.n_rows = 1;
	}
	return status == GPUBE_EBUG ? status : GPUBE_OK;
}

/* What the engine's status and answer are, of a part. */
static int conclude(struct gpube_part_solver *s, int status, struct gpube_model *part)
{
	const struct gpube_solution *found = s->found;

	if (found && found->values)
		on_improved(s, found->bound, found->cost, found->values);
	else if (found && found->answer == GPUBE_ANSWER_INCOMPLETE)
		on_improved(s, found->bound, 0, NULL);
	s->end = GPUBE_PART_PROVED;
	if (!status && found->answer == GPUBE_ANSWER_INFEASIBLE)
		s->end = GPUBE_PART_INFEASIBLE;
	if (status == GPUBE_ELIMIT && found)
		s->end = GPUBE_PART_GAVE_UP;
	if (status != GPUBE_ESTOP)
		return s->end == GPUBE_PART_GAVE_UP ? GPUBE_OK : status;
	s->end = GPUBE_PART_STOPPED;
	return take_wish(s) ? split_part(s, part) : GPUBE_OK;
}

static int work(struct gpube_ctx *ctx, void *arg)
{
	struct gpube_part_solver *s = arg;
	const struct gpube_watch watch = {s, on_improved, on_cutoff};
	const int64_t limit = limit_of(s);
	struct gpube_opts opts = s->opts;
	struct gpube_model part;
	int status = gpube__part_open(&part, ctx, s->m, s->row, s->n);

	if (status)
		return status;
	if (take_wish(s)) { /* at once */
		status = split_part(s, &part);
		gpube__model_return(&part, s->m);
		return status;
	}
	opts.has_cutoff = limit != GPUBE_INF;
	opts.cutoff = opts.has_cutoff ? gpube__part_side(s, limit) : 0;
	status = gpube__solve_noted(&s->found, NULL, &part, &opts, &watch);
	status = conclude(s, status, &part);
	gpube__model_return(&part, s->m);
	return status;
}

/* ---- the other thread ---------------------------------------------------------------- */

int gpube__part_begin(struct gpube_part_solver *s, const int32_t *row, int32_t n, int64_t limit,
	int32_t wanted, double seconds, const int32_t *known)
{
	forget(s);
	s->row = gpube__alloc(s->ctx, (uint64_t)n, sizeof(*row));
	if (!s->row)
		return GPUBE_ENOMEM;
	if (n)
		memcpy(s->row, row, (size_t)n * sizeof(*row));
	s->n = n;
	s->limit = limit;
	s->bound = INT64_MIN;
	s->cost = GPUBE_INF;
	s->wanted = wanted;
	s->news = s->has_values = false;
	s->opts.values = known;
	s->opts.timeout_seconds = seconds;
	if (!gpube__hand_begin(&s->hand, work, s))
		return GPUBE_OK;
	return gpube__fail(s->ctx, GPUBE_ENOMEM, "%s", s->hand.ctx.error);
}

void gpube__part_limit(struct gpube_part_solver *s, int64_t limit)
{
	pthread_mutex_lock(&s->lock);
	if (limit < s->limit)
		s->limit = limit;
	pthread_mutex_unlock(&s->lock);
}

void gpube__part_wish(struct gpube_part_solver *s, int32_t wanted)
{
	pthread_mutex_lock(&s->lock);
	s->wanted = wanted;
	gpube_ctx_stop(&s->hand.ctx);
	pthread_mutex_unlock(&s->lock);
}

void gpube__part_stop(struct gpube_part_solver *s)
{
	pthread_mutex_lock(&s->lock);
	s->over = true;
	gpube_ctx_stop(&s->hand.ctx);
	pthread_mutex_unlock(&s->lock);
}

bool gpube__part_news(struct gpube_part_solver *s, int64_t *bound, int64_t *cost, int32_t *values)
{
	bool news;

	pthread_mutex_lock(&s->lock);
	news = s->news;
	*bound = s->bound;
	*cost = s->has_values ? s->cost : GPUBE_INF;
	if (s->has_values)
		memcpy(values, s->values, (size_t)s->m->n_vars * sizeof(*values));
	s->news = s->has_values = false;
	pthread_mutex_unlock(&s->lock);
	return news;
}
