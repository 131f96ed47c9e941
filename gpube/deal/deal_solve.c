/*
 * deal_solve.c - gpube__deal_solve(): see deal.h.
 *
 * Rank 0 has the parts and the best assignment; it gives each rank, itself too, one part at a time, and
 * hears of every bound and assignment that improves. The bound of the whole is the least of all parts'.
 */
#include "gpube/deal/deal.h"

#include <math.h>
#include <string.h>

#include "gpube/deal/letters.h"
#include "gpube/deal/part_solve.h"
#include "gpube/ops/ops.h"

/*
 * From rank 0: PART, a row to work on (a: limit; seconds that are left); LIMIT (a); SPLIT (flag: how many); OVER.
 * To it: NEWS (a: bound, b: cost, values); END (flag: enum gpube_part_end, a: bound; rows);
 * STOP: this rank was told to; OVER: it has no more to say.
 */
enum { LETTER_PART, LETTER_LIMIT, LETTER_SPLIT, LETTER_NEWS, LETTER_END, LETTER_STOP, LETTER_OVER };

/* A part is at work so long at least before it is split, and so many times as long for each split before. */
#define FIRST_SECONDS 1.0
#define EAGER_SECONDS 1e-3
#define LONGER	      1.5
/* Parts for each rank that has nothing to do. */
enum { PARTS_EACH = 2 };
/* Bounds are told no more often. */
#define TELL_SECONDS 0.25

enum part_state { PART_OPEN, PART_AT_WORK, PART_SPLITTING, PART_ENDED };

/* bound: of its assignments; whole: it cannot be split */
struct deal_part {
	int32_t *row, n;
	enum part_state state;
	int rank, depth;
	bool whole;
	double since;
	int64_t bound;
};

struct dealing {
	struct gpube_ctx *ctx;
	struct dcop_world *world;
	const struct gpube_model *given, *m; /* m: of costs */
	const struct gpube_solve_opts *opts;
	struct gpube_part_solver solver;
	int32_t task;	   /* of this rank's solver */
	int32_t *told;	   /* values, for a letter */
	bool over, asked;  /* asked: rank 0 knows of this rank's stop */
	/* what follows is rank 0's */
	double start, first_seconds;
	struct deal_part *parts;
	int64_t n_parts, capacity;
	int32_t *at; /* of each rank: its part, or -1 */
	int n_left;  /* ranks that have nothing more to say */
	int64_t n_open; /* parts that have not ended */
	bool stopped, gave_up, feasible, closed;
	int64_t bound, cost, limit, ended_bound;
	int32_t *best;
	double bound_at, cost_at, told_at;
	int64_t told_bound, told_cost;
	struct gpube_solution *whole; /* of rank 0, of the first part */
	struct gpube_step *steps;
	int64_t n_steps, steps_capacity;
};

static int64_t given_total(const struct dealing *d, int64_t total)
{
	return gpube__part_side(&d->solver, total);
}

static int begin_here(struct dealing *d, int32_t task, const int32_t *row, int32_t n, int64_t limit, double seconds)
{
	const int32_t *known = n ? NULL : d->opts->values;

	d->task = task;
	return gpube__part_begin(&d->solver, row, n, limit, seconds, known);
}

/* ---- rank 0: bounds -------------------------------------------------------------------------- */

static void note_step(struct dealing *d)
{
	enum { MOST = 4096 };

	if (d->n_steps == MOST || gpube__grow(d->ctx, &d->steps, &d->steps_capacity, d->n_steps + 1, sizeof(*d->steps)))
		return; /* a picture has less to show */
	d->steps[d->n_steps++] = (struct gpube_step){gpube__now() - d->start, d->bound, d->cost};
}

static void tell(struct dealing *d, int by)
{
	const double now = gpube__now();
	char bound[GPUBE_DECIMAL_TEXT], cost[GPUBE_DECIMAL_TEXT];
	const char *sides[] = {"lower", "upper"};
	const int first = d->solver.maximise;

	if (d->cost == d->told_cost && (d->bound == d->told_bound || now - d->told_at < TELL_SECONDS))
		return;
	if (d->bound == INT64_MIN || d->bound == GPUBE_INF)
		return;
	d->told_at = now;
	d->told_bound = d->bound;
	d->told_cost = d->cost;
	gpube__decimal_text(bound, given_total(d, d->bound), d->m->scale);
	if (d->cost == GPUBE_INF)
		gpube__log(d->ctx, GPUBE_LOG_NOTE, "%.2f s: %s bound %s (rank %d)", now - d->start, sides[first], bound, by);
	else
		gpube__log(d->ctx, GPUBE_LOG_NOTE, "%.2f s: %s bound %s, %s bound %s (rank %d)", now - d->start,
			sides[first], bound, sides[!first],
			gpube__decimal_text(cost, given_total(d, d->cost), d->m->scale), by);
}

/* The least of all parts'. */
static void raise(struct dealing *d, int by)
{
	int64_t least = d->ended_bound;

	for (int64_t k = 0; k < d->n_parts; k++)
		if (d->parts[k].state != PART_ENDED && d->parts[k].bound < least)
			least = d->parts[k].bound;
	if (least > d->cost)
		least = d->cost;
	if (least > d->bound) {
		d->bound = least;
		d->bound_at = gpube__now() - d->start;
		note_step(d);
	}
	tell(d, by);
}

/* An assignment is priced from the tables before it is believed. */
static int offer(struct dealing *d, int by, int64_t cost, const int32_t *values)
{
	struct gpube_letter letter = {.kind = LETTER_LIMIT};
	int64_t priced;
	int status = gpube_model_cost(&priced, d->m, values);

	if (status)
		return status;
	if (priced == GPUBE_INF || given_total(d, priced) != cost)
		return gpube__fail(d->ctx, GPUBE_EBUG,
			"internal error: rank %d has an assignment that does not cost what it says; please report this", by);
	if (cost >= d->cost)
		return GPUBE_OK;
	d->cost = cost;
	d->cost_at = gpube__now() - d->start;
	memcpy(d->best, values, (size_t)d->m->n_vars * sizeof(*values));
	note_step(d);
	if (cost < d->limit)
		d->limit = cost;
	gpube__part_limit(&d->solver, d->limit);
	letter.a = d->limit;
	return gpube__letter_send_all(d->world, &letter, NULL);
}

/* ---- rank 0: parts ----------------------------------------------------------------------------- */

static int add_part(struct dealing *d, const int32_t *row, int32_t n, int depth, int64_t bound)
{
	struct deal_part p = {.n = n, .depth = depth, .bound = bound};

	if (d->n_parts == INT32_MAX)
		return gpube__fail(d->ctx, GPUBE_ERANGE, "too many parts");
	if (gpube__grow(d->ctx, &d->parts, &d->capacity, d->n_parts + 1, sizeof(p)))
		return GPUBE_ENOMEM;
	p.row = gpube__alloc(d->ctx, (uint64_t)n, sizeof(*row));
	if (!p.row)
		return GPUBE_ENOMEM;
	if (n)
		memcpy(p.row, row, (size_t)n * sizeof(*row));
	d->parts[d->n_parts++] = p;
	d->n_open++;
	return GPUBE_OK;
}

static void end_part(struct dealing *d, struct deal_part *p)
{
	p->state = PART_ENDED;
	d->n_open--;
	gpube__free(d->ctx, p->row);
	p->row = NULL;
}

/* What a part was split into takes its place. */
static int take_rows(struct dealing *d, int32_t task, const int32_t *words, int32_t n)
{
	const struct deal_part p = d->parts[task];
	int status = GPUBE_OK;

	for (int32_t at = 0; at < n && !status; at += 1 + words[at]) {
		if (words[at] < 0 || words[at] > n - at - 1)
			return gpube__fail(d->ctx, GPUBE_EIO, "rank %d sent parts that are damaged", p.rank);
		status = add_part(d, words + at + 1, words[at], p.depth + 1, p.bound);
	}
	return status;
}

static int end_task(struct dealing *d, int from, const struct gpube_letter *l, const int32_t *words)
{
	struct deal_part *p = &d->parts[l->task];
	int status = GPUBE_OK;

	d->at[from] = -1;
	if (l->a > p->bound)
		p->bound = l->a;
	switch ((enum gpube_part_end)l->flag) {
	case GPUBE_PART_PROVED:
		d->feasible = true;
		break;
	case GPUBE_PART_INFEASIBLE:
		p->bound = GPUBE_INF;
		break;
	case GPUBE_PART_SPLIT:
		if (l->b == 1) { /* it could not be */
			p->whole = true;
			p->state = PART_OPEN;
			return GPUBE_OK;
		}
		status = take_rows(d, l->task, words, l->n);
		p = &d->parts[l->task];
		/* what is in none of them is no better than what was known */
		p->bound = d->limit;
		d->feasible |= d->limit != GPUBE_INF;
		break;
	case GPUBE_PART_STOPPED:
		d->stopped = true;
		break;
	case GPUBE_PART_GAVE_UP:
		d->gave_up = true;
		break;
	}
	if (p->bound < d->ended_bound)
		d->ended_bound = p->bound;
	end_part(d, p);
	raise(d, from);
	return status;
}

static int give(struct dealing *d, int rank, int32_t task)
{
	struct deal_part *p = &d->parts[task];
	const double left = d->ctx->deadline > 0 ? fmax(d->ctx->deadline - gpube__now(), 1e-3) : 0;
	const struct gpube_letter letter = {
		.kind = LETTER_PART, .task = task, .n = p->n, .a = d->limit, .seconds = left};

	p->state = PART_AT_WORK;
	p->rank = rank;
	p->since = gpube__now();
	d->at[rank] = task;
	return rank ? gpube__letter_send(d->world, rank, &letter, p->row)
		    : begin_here(d, task, p->row, p->n, d->limit, left);
}

/* The open part of least bound. -1: there is none */
static int32_t next_part(const struct dealing *d)
{
	int32_t best = -1;

	for (int64_t k = 0; k < d->n_parts; k++)
		if (d->parts[k].state == PART_OPEN && (best < 0 || d->parts[k].bound < d->parts[best].bound))
			best = (int32_t)k;
	return best;
}

/* The part that is longest at work, if it may be split by now, and no other is being split. */
static int32_t longest(const struct dealing *d)
{
	const double now = gpube__now();
	int32_t best = -1;

	for (int64_t k = 0; k < d->n_parts; k++) {
		const struct deal_part *p = &d->parts[k];

		if (p->state == PART_SPLITTING)
			return -1;
		if (p->state == PART_AT_WORK && !p->whole &&
			now - p->since > d->first_seconds * pow(LONGER, p->depth) &&
			(best < 0 || p->since < d->parts[best].since))
			best = (int32_t)k;
	}
	return best;
}

static int deal(struct dealing *d)
{
	struct gpube_letter letter = {.kind = LETTER_SPLIT};
	int n_idle = 0, status = GPUBE_OK;
	int32_t task;

	for (int rank = 0; rank < d->world->n_ranks && !status; rank++) {
		if (d->at[rank] >= 0)
			continue;
		task = next_part(d);
		if (task >= 0)
			status = give(d, rank, task);
		else
			n_idle++;
	}
	task = n_idle && !status ? longest(d) : -1;
	if (task < 0)
		return status;
	d->parts[task].state = PART_SPLITTING;
	letter.task = task;
	letter.flag = PARTS_EACH * (n_idle + 1);
	if (d->parts[task].rank)
		return gpube__letter_send(d->world, d->parts[task].rank, &letter, NULL);
	gpube__part_wish(&d->solver, letter.flag);
	return GPUBE_OK;
}

/* ---- letters ------------------------------------------------------------------------------------- */

static int fail_letter(const struct dealing *d, int from)
{
	return gpube__fail(d->ctx, GPUBE_EIO, "rank %d sent what nobody expects", from);
}

/* What a part's rank says of it, to rank 0. */
static int read_report(struct dealing *d, int from, const struct gpube_letter *l, const int32_t *words)
{
	int status = GPUBE_OK;

	if (l->task < 0 || l->task >= d->n_parts || d->at[from] != l->task)
		return fail_letter(d, from);
	if (l->kind == LETTER_END)
		return end_task(d, from, l, words);
	if (l->n && l->n != d->m->n_vars)
		return fail_letter(d, from);
	if (l->n)
		status = offer(d, from, l->b, words);
	if (l->a > d->parts[l->task].bound)
		d->parts[l->task].bound = l->a;
	raise(d, from);
	return status;
}

static int read_letter(void *arg, int from, const struct gpube_letter *l, const int32_t *words)
{
	struct dealing *d = arg;

	if (d->world->rank == 0) {
		if (l->kind == LETTER_NEWS || l->kind == LETTER_END)
			return read_report(d, from, l, words);
		d->stopped |= l->kind == LETTER_STOP;
		d->n_left += l->kind == LETTER_OVER;
		return l->kind == LETTER_STOP || l->kind == LETTER_OVER ? GPUBE_OK : fail_letter(d, from);
	}
	switch (l->kind) {
	case LETTER_PART:
		return d->solver.hand.busy ? fail_letter(d, from)
					   : begin_here(d, l->task, words, l->n, l->a, l->seconds);
	case LETTER_LIMIT:
		gpube__part_limit(&d->solver, l->a);
		return GPUBE_OK;
	case LETTER_SPLIT: /* the part may just have ended */
		if (d->solver.hand.busy && d->task == l->task)
			gpube__part_wish(&d->solver, l->flag);
		return GPUBE_OK;
	case LETTER_OVER:
		d->over = true;
		gpube__part_stop(&d->solver);
		return GPUBE_OK;
	default:
		return fail_letter(d, from);
	}
}

static int say(struct dealing *d, const struct gpube_letter *l, const int32_t *words)
{
	return d->world->rank ? gpube__letter_send(d->world, 0, l, words) : read_report(d, 0, l, words);
}

/* What this rank's own part has by now, or had in the end. */
static int report_own(struct dealing *d)
{
	struct gpube_part_solver *s = &d->solver;
	struct gpube_letter l = {.kind = LETTER_NEWS, .task = d->task};
	const bool done = gpube__hand_is_done(&s->hand);
	int status = done ? gpube__hand_end(&s->hand) : GPUBE_OK;

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
	if (d->world->rank == 0 && !d->whole) {
		d->whole = s->found;
		s->found = NULL;
	}
	l = (struct gpube_letter){.kind = LETTER_END, .task = d->task, .flag = s->end, .a = s->bound};
	l.b = s->rows.n_rows;
	l.n = s->end == GPUBE_PART_SPLIT ? s->rows.n : 0;
	return say(d, &l, s->rows.words);
}

/* ---- the loops ------------------------------------------------------------------------------------- */

static int poll_once(struct dealing *d)
{
	const struct gpube_reader reader = {d->world, d, read_letter};
	bool busy;
	int status = gpube__letters_poll(&reader, &busy);

	if (!status)
		status = report_own(d);
	if (!status)
		gpube__letters_nap(busy);
	return status;
}

/* Until rank 0 says that it is over, and it knows what this one had to say. */
static int work_for_others(struct dealing *d)
{
	const struct gpube_letter stop = {.kind = LETTER_STOP}, over = {.kind = LETTER_OVER};
	int status = GPUBE_OK;

	while (!status && (!d->over || d->solver.hand.busy)) {
		if (!d->asked && gpube__stopped(d->ctx)) {
			d->asked = true;
			status = gpube__letter_send(d->world, 0, &stop, NULL);
		}
		if (!status)
			status = poll_once(d);
	}
	if (!status)
		status = gpube__letter_send(d->world, 0, &over, NULL);
	while (!status && !dcop__world_drained(d->world))
		status = poll_once(d);
	return status;
}

static int end_others(struct dealing *d)
{
	const struct gpube_letter over = {.kind = LETTER_OVER};
	int status = gpube__letter_send_all(d->world, &over, NULL);

	gpube__part_stop(&d->solver);
	while (!status && (d->solver.hand.busy || d->n_left < d->world->n_ranks - 1 || !dcop__world_drained(d->world)))
		status = poll_once(d);
	return status;
}

static int deal_all(struct dealing *d)
{
	int status = add_part(d, NULL, 0, 0, INT64_MIN);

	while (!status && d->n_open && !d->stopped) {
		status = deal(d);
		if (!status)
			status = poll_once(d);
		d->stopped |= gpube__stopped(d->ctx);
	}
	if (!status)
		status = end_others(d);
	gpube__log(d->ctx, GPUBE_LOG_DETAIL, "%lld part%s on %d ranks", (long long)d->n_parts, d->n_parts == 1 ? "" : "s",
		d->world->n_ranks);
	return status;
}

/* ---- the answer ------------------------------------------------------------------------------------ */

static int take_steps(struct dealing *d, struct gpube_solution *s)
{
	gpube__free(d->ctx, s->steps);
	s->steps = d->steps;
	s->n_steps = (int)d->n_steps;
	d->steps = NULL;
	for (int k = 0; k < s->n_steps; k++) {
		struct gpube_step *step = &s->steps[k];

		step->bound = step->bound == INT64_MIN ? given_total(d, -GPUBE_INF) : given_total(d, step->bound);
		step->cost = given_total(d, step->cost);
	}
	return GPUBE_OK;
}

/* What the parts have given, in what the engine said of the whole, if it did. */
static int conclude(struct gpube_solution **out, struct dealing *d)
{
	struct gpube_solution *s = d->whole ? d->whole : gpube__alloc_zero(d->ctx, 1, sizeof(*s));
	const int64_t cutoff = d->opts->has_cutoff ? given_total(d, d->opts->cutoff) : GPUBE_INF;
	int status = s ? GPUBE_OK : GPUBE_ENOMEM;

	if (status)
		return status;
	if (!d->whole)
		s->backend = gpube__ops_cpu()->name;
	d->whole = NULL;
	*out = s;
	s->scale = d->m->scale;
	s->bound = d->bound == INT64_MIN ? given_total(d, -GPUBE_INF) : given_total(d, d->bound);
	s->seconds_bound = d->bound_at;
	s->seconds_cost = d->cost_at;
	s->answer = GPUBE_ANSWER_INCOMPLETE;
	s->closed = d->opts->has_cutoff && d->bound >= cutoff;
	take_steps(d, s);
	if (d->cost != GPUBE_INF) {
		if (!s->values)
			s->values = gpube__alloc(d->ctx, (uint64_t)d->m->n_vars, sizeof(*s->values));
		if (!s->values)
			return GPUBE_ENOMEM;
		memcpy(s->values, d->best, (size_t)d->m->n_vars * sizeof(*s->values));
		s->cost = given_total(d, d->cost);
		if (d->bound >= d->cost)
			s->answer = GPUBE_ANSWER_OPTIMAL;
		if (d->given->kind == GPUBE_POTENTIALS)
			status = gpube_model_log_value(&s->log_value, d->given, s->values);
	} else if (d->bound == GPUBE_INF && !d->feasible) {
		s->answer = GPUBE_ANSWER_INFEASIBLE;
	}
	if (status || s->answer != GPUBE_ANSWER_INCOMPLETE || s->closed)
		return status;
	if (d->stopped || !d->gave_up)
		return gpube__fail_stopped(d->ctx);
	return gpube__fail(d->ctx, GPUBE_ELIMIT, "nothing that fits the memory and the time proves more");
}

/* ---- the call --------------------------------------------------------------------------------------- */

static int dealing_open(struct dealing *d)
{
	const int32_t n_vars = d->m->n_vars;
	int status = gpube__part_solver_open(&d->solver, d->ctx, d->m, d->opts);

	d->told = gpube__alloc(d->ctx, (uint64_t)n_vars, sizeof(*d->told));
	d->best = gpube__alloc(d->ctx, (uint64_t)n_vars, sizeof(*d->best));
	d->at = gpube__alloc(d->ctx, (uint64_t)d->world->n_ranks, sizeof(*d->at));
	if (status || !d->told || !d->best || !d->at)
		return GPUBE_ENOMEM;
	for (int rank = 0; rank < d->world->n_ranks; rank++)
		d->at[rank] = -1;
	d->first_seconds = dcop__test_eager() ? EAGER_SECONDS : FIRST_SECONDS;
	d->bound = d->told_bound = INT64_MIN;
	d->cost = d->told_cost = d->limit = d->ended_bound = GPUBE_INF;
	if (d->opts->has_cutoff)
		d->limit = given_total(d, d->opts->cutoff);
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
	gpube__free(d->ctx, d->steps);
	gpube_solution_free(d->whole, d->ctx);
}

int gpube__deal_solve(struct gpube_solution **out, const struct gpube_model *m,
	const struct gpube_solve_opts *opts, struct dcop_world *world)
{
	struct gpube_ctx *ctx = m->ctx;
	struct dealing d = {.ctx = ctx, .world = world, .given = m, .m = m, .opts = opts, .start = gpube__now()};
	struct gpube_model *quantised = NULL;
	const double deadline = ctx->deadline;
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
	if (world->rank == 0 && opts->timeout_seconds > 0)
		ctx->deadline = d.start + opts->timeout_seconds;
	status = dealing_open(&d);
	if (!status)
		status = world->rank ? work_for_others(&d) : deal_all(&d);
	ctx->deadline = deadline;
	if (!status && world->rank == 0)
		status = conclude(out, &d);
	dealing_close(&d);
	gpube_model_free(quantised);
	return status;
}
