/*
 * deal_solve.c - gpube__deal_solve(): see deal.h.
 * This is what all ranks do, and the answer in the end.
 */
#include "gpube/deal/deal.h"
#include "gpube/bound/bound.h"
#include "gpube/options/options.h"

#include <string.h>

#include "gpube/deal/deal_parts.h"
#include "gpube/ops/ops.h"

/* ---- letters ------------------------------------------------------------------------- */

static int read_letter(void *arg, int from, const struct gpube_letter *l, const int32_t *words)
{
	struct dealing *d = arg;

	if (d->world->rank == 0)
		return l->kind == LETTER_NEWS || l->kind == LETTER_END
			       ? gpube__deal_read(d, from, l, words)
			       : gpube__letter_fail(d->world, from);
	switch (l->kind) {
	case LETTER_PART:
		return d->solver.hand.busy ? gpube__letter_fail(d->world, from)
					   : gpube__deal_begin(d, l, words);
	case LETTER_LIMIT:
		gpube__part_limit(&d->solver, l->a);
		return GPUBE_OK;
	case LETTER_SPLIT: /* the part may just have ended */
		if (d->solver.hand.busy && d->task == l->task)
			gpube__deal_wish(d, l);
		return GPUBE_OK;
	default:
		return gpube__letter_fail(d->world, from);
	}
}

static int say(struct dealing *d, const struct gpube_letter *l, const int32_t *words)
{
	return d->world->rank ? gpube__letter_send(d->world, 0, l, words)
			      : gpube__deal_read(d, 0, l, words);
}

/* What this rank's own part has by now, or had in the end. */
static int report(void *arg)
{
	struct dealing *d = arg;
	struct gpube_part_solver *s = &d->solver;
	struct gpube_letter l = {.kind = LETTER_NEWS, .task = d->task};
	bool done;
	int status;

	gpube__deal_grant(d);
	done = gpube__hand_is_done(&s->hand);
	status = done ? gpube__hand_end(&s->hand) : GPUBE_OK;
	if (status)
		return gpube__fail(d->ctx, status, "%s", s->hand.ctx.error);
	if (!done && !s->hand.busy)
		return GPUBE_OK;
	if (gpube__part_news(s, &l.a, &l.b, d->told)) {
		l.n = l.b != GPUBE_INF ? d->m->n_vars : 0;
		status = say(d, &l, d->told);
	}
	if (status || !done)
		return status;
	if (d->world->rank == 0 && d->task == 0 && s->found) {
		d->whole = s->found;
		s->found = NULL;
	}
	l = (struct gpube_letter){
		.kind = LETTER_END, .task = d->task, .flag = s->end, .a = s->bound};
	l.b = s->rows.n_rows;
	l.n = s->end == GPUBE_PART_SPLIT ? s->rows.n : 0;
	return say(d, &l, s->rows.words);
}

static bool is_busy(const void *arg)
{
	const struct dealing *d = arg;

	return d->solver.hand.busy;
}

static void stop(void *arg)
{
	struct dealing *d = arg;

	gpube__part_stop(&d->solver);
}

/* ---- rank 0 -------------------------------------------------------------------------- */

static int deal_all(struct dealing *d)
{
	int status = gpube__deal_whole(d);

	while (!status && !gpube__deal_is_over(d)) {
		status = gpube__deal_parts(d);
		if (!status)
			status = gpube__letters_poll(&d->letters);
		d->stopped |= gpube__stopped(d->ctx);
	}
	gpube__log(d->ctx, GPUBE_LOG_DETAIL, "the whole model and %lld subproblems on %d ranks",
		(long long)d->n_parts - 1, d->world->n_ranks);
	return status ? status : gpube__letters_end(&d->letters);
}

/* ---- the answer ---------------------------------------------------------------------- */

/* A bound, in the given model's terms. */
static int64_t given_bound(const struct dealing *d, int64_t bound)
{
	return gpube__deal_total(d, bound == INT64_MIN ? -GPUBE_INF : bound);
}

static void take_steps(struct dealing *d, struct gpube_solution *s)
{
	gpube__free(d->ctx, s->steps);
	s->steps = d->steps.step;
	s->n_steps = (int)d->steps.n;
	d->steps.step = NULL;
	for (int k = 0; k < s->n_steps; k++) {
		s->steps[k].bound = given_bound(d, s->steps[k].bound);
		s->steps[k].cost = gpube__deal_total(d, s->steps[k].cost);
	}
}

/* What the parts have given, in what the engine said of the whole, if it did. */
static int conclude(struct gpube_solution **out, struct dealing *d)
{
	struct gpube_solution *s = d->whole ? d->whole : gpube__solution_new(d->ctx);
	const int64_t cutoff =
		d->opts->has_cutoff ? gpube__deal_total(d, d->opts->cutoff) : GPUBE_INF;
	int status = s ? GPUBE_OK : GPUBE_ENOMEM;

	if (status)
		return status;
	if (!d->whole)
		s->backend = gpube__ops_cpu()->name;
	d->whole = NULL;
	*out = s;
	s->scale = d->m->scale;
	s->bound = given_bound(d, d->bound);
	s->seconds_bound = d->bound_at;
	s->seconds_cost = d->cost_at;
	s->answer = GPUBE_ANSWER_INCOMPLETE;
	take_steps(d, s);
	if (d->cost != GPUBE_INF) {
		if (!s->values)
			s->values =
				gpube__alloc(d->ctx, (uint64_t)d->m->n_vars, sizeof(*s->values));
		if (!s->values)
			return GPUBE_ENOMEM;
		memcpy(s->values, d->best, (size_t)d->m->n_vars * sizeof(*s->values));
		s->cost = gpube__deal_total(d, d->cost);
		if (d->bound >= d->cost)
			s->answer = GPUBE_ANSWER_OPTIMAL;
		if (d->given->kind == GPUBE_POTENTIALS)
			status = gpube_model_log_value(&s->log_value, d->given, s->values);
	} else if (d->bound == GPUBE_INF && !d->feasible) {
		s->answer = GPUBE_ANSWER_INFEASIBLE;
	}
	s->closed =
		d->opts->has_cutoff && d->bound >= cutoff && s->answer != GPUBE_ANSWER_INFEASIBLE;
	if (status || s->answer != GPUBE_ANSWER_INCOMPLETE || s->closed)
		return status;
	if (d->stopped || !(d->whole_gave_up || d->part_gave_up))
		return gpube__fail_stopped(d->ctx);
	return gpube__fail(
		d->ctx, GPUBE_ELIMIT, "nothing that fits the memory and the time proves more");
}

/* ---- the call ------------------------------------------------------------------------ */

static int dealing_open(struct dealing *d)
{
	const int32_t n_vars = d->m->n_vars;
	int status = gpube__part_solver_open(&d->solver, d->ctx, d->m, d->opts);

	d->told = gpube__alloc(d->ctx, (uint64_t)n_vars, sizeof(*d->told));
	d->best = gpube__alloc(d->ctx, (uint64_t)n_vars, sizeof(*d->best));
	d->at = gpube__alloc(d->ctx, (uint64_t)d->world->n_ranks, sizeof(*d->at));
	d->letters = (struct gpube_letters){.world = d->world,
		.arg = d,
		.read = read_letter,
		.report = report,
		.is_busy = is_busy,
		.stop = stop};
	if (gpube__letters_open(&d->letters) || status || !d->told || !d->best || !d->at)
		return GPUBE_ENOMEM;
	for (int rank = 0; rank < d->world->n_ranks; rank++)
		d->at[rank] = -1;
	d->eager = dcop__test_eager();
	d->splitter = -1;
	d->bound = d->told_bound = INT64_MIN;
	d->cost = d->told_cost = d->limit = d->ended_bound = GPUBE_INF;
	if (d->opts->has_cutoff)
		d->limit = gpube__deal_total(d, d->opts->cutoff);
	return GPUBE_OK;
}

static void dealing_close(struct dealing *d)
{
	gpube__part_solver_close(&d->solver);
	for (int64_t k = 0; k < d->n_parts; k++)
		gpube__free(d->ctx, d->parts[k].row);
	gpube__free(d->ctx, d->parts);
	gpube__free(d->ctx, d->told);
	gpube__free(d->ctx, d->best);
	gpube__free(d->ctx, d->at);
	gpube__letters_close(&d->letters);
	gpube__free(d->ctx, d->steps.step);
	gpube_result_free(d->whole);
}

int gpube__deal_solve(struct gpube_solution **out, const struct gpube_model *m,
	const struct gpube_opts *opts, struct dcop_world *world)
{
	struct gpube_ctx *ctx = m->ctx;
	struct dealing d = {.ctx = ctx,
		.world = world,
		.given = m,
		.m = m,
		.opts = opts,
		.start = gpube__now()};
	struct gpube_model *quantised = NULL;
	double deadline;
	int status = GPUBE_OK;

	*out = NULL;
	if (m->kind == GPUBE_POTENTIALS)
		status = gpube__quantise(&quantised, m, opts->precision);
	if (quantised)
		d.m = quantised;
	if (!status && opts->count)
		status = gpube__fail(ctx, GPUBE_EINVAL, "several ranks count no optima");
	status = dcop_world_agree(world, status);
	if (status) {
		gpube_model_free(quantised);
		return status;
	}
	dcop__test_hook(world);
	deadline = gpube__time_limit(ctx, d.start, world->rank ? 0 : opts->timeout_seconds);
	status = dealing_open(&d);
	if (!status)
		status = world->rank ? gpube__letters_follow(&d.letters) : deal_all(&d);
	ctx->deadline = deadline;
	if (!status && world->rank == 0)
		status = conclude(out, &d);
	dealing_close(&d);
	gpube_model_free(quantised);
	return status;
}
