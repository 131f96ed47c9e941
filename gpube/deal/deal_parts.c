/* deal_parts.c - see deal_parts.h. */
#include "gpube/deal/deal_parts.h"

#include <math.h>
#include <string.h>

/*
 * The whole is at work so long before there are parts. A part is so for PART_SECONDS at least
 * before it is split, and so many times as long for each split before. Of the processor, which on a
 * machine that others use may be few of the clock's.
 */
#define FIRST_SECONDS 0.5
#define PART_SECONDS  1.0
#define EAGER_SECONDS 1e-3
#define LONGER        1.5
/* Parts for each rank that has nothing to do. */
enum { PARTS_EACH = 2 };
/* Bounds are told no more often. */
#define TELL_SECONDS 0.25

int gpube__deal_begin(struct dealing *d, const struct gpube_letter *l, const int32_t *row)
{
	d->task = l->task;
	d->began = gpube__cpu_seconds();
	d->wish = 0;
	return gpube__part_begin(
		&d->solver, row, l->n, l->a, l->flag, l->seconds, l->task ? NULL : d->opts->values);
}

void gpube__deal_wish(struct dealing *d, const struct gpube_letter *l)
{
	d->wish = l->flag;
	d->patience = l->seconds;
}

/* A wish is granted when its time has come. */
void gpube__deal_grant(struct dealing *d)
{
	if (!d->wish || !d->solver.hand.busy ||
		gpube__cpu_seconds() - d->began < d->patience * d->ctx->n_threads)
		return;
	gpube__part_wish(&d->solver, d->wish);
	d->wish = 0;
}

/* ---- rank 0: bounds -------------------------------------------------------------------------- */

static void note_step(struct dealing *d)
{
	gpube__step_add(d->ctx, &d->steps, gpube__now() - d->start, d->bound, d->cost);
}

static void tell(struct dealing *d, int by)
{
	const double now = gpube__now();
	char bound[GPUBE_DECIMAL_TEXT], cost[GPUBE_DECIMAL_TEXT];
	const char *sides[] = {"lower", "upper"};
	const int first = d->solver.maximise;

	if (d->cost == d->told_cost &&
		(d->bound == d->told_bound || now - d->told_at < TELL_SECONDS))
		return;
	if (d->bound == GPUBE_INF || (d->bound == INT64_MIN && d->cost == GPUBE_INF))
		return;
	d->told_at = now;
	d->told_bound = d->bound;
	d->told_cost = d->cost;
	gpube__decimal_text(
		bound, gpube__deal_total(d, d->bound > INT64_MIN ? d->bound : 0), d->m->scale);
	gpube__decimal_text(cost, gpube__deal_total(d, d->cost), d->m->scale);
	if (d->cost == GPUBE_INF)
		gpube__log(d->ctx, GPUBE_LOG_NOTE, "%.2f s: %s bound %s (rank %d)", now - d->start,
			sides[first], bound, by);
	else if (d->bound == INT64_MIN)
		gpube__log(d->ctx, GPUBE_LOG_NOTE, "%.2f s: %s bound %s (rank %d)", now - d->start,
			sides[!first], cost, by);
	else
		gpube__log(d->ctx, GPUBE_LOG_NOTE, "%.2f s: %s bound %s, %s bound %s (rank %d)",
			now - d->start, sides[first], bound, sides[!first], cost, by);
}

/* The least of all parts', or that of the whole. */
static void update_lower(struct dealing *d, int by)
{
	int64_t least = d->n_parts > 1 ? d->ended_bound : INT64_MIN;

	for (int64_t k = 1; k < d->n_parts; k++)
		if (d->parts[k].state != PART_ENDED && d->parts[k].bound < least)
			least = d->parts[k].bound;
	if (least < d->parts[0].bound)
		least = d->parts[0].bound;
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
static int report(struct dealing *d, int by, int64_t cost, const int32_t *values)
{
	struct gpube_letter letter = {.kind = LETTER_LIMIT};
	int64_t priced;
	int status = gpube_model_cost(&priced, d->m, values);

	if (status)
		return status;
	if (priced == GPUBE_INF || gpube__deal_total(d, priced) != cost)
		return gpube__fail(d->ctx, GPUBE_EBUG,
			"internal error: rank %d has an assignment that does not cost what it "
			"says; please report this",
			by);
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
	return gpube__letter_send_all(d->world, &letter);
}

/* ---- rank 0: parts ------------------------------------------------------------------- */

static int add_part(struct dealing *d, const int32_t *row, int32_t n, int depth, int64_t bound)
{
	struct deal_part p = {.n = n, .depth = depth, .bound = bound};

	if (d->n_parts == INT32_MAX)
		return gpube__fail(d->ctx, GPUBE_ERANGE, "too many subproblems");
	if (gpube__grow(d->ctx, &d->parts, &d->capacity, d->n_parts + 1, sizeof(p)))
		return GPUBE_ENOMEM;
	p.row = gpube__alloc(d->ctx, (uint64_t)n, sizeof(*row));
	if (!p.row)
		return GPUBE_ENOMEM;
	if (n)
		memcpy(p.row, row, (size_t)n * sizeof(*row));
	d->n_open += d->n_parts > 0;
	d->parts[d->n_parts++] = p;
	return GPUBE_OK;
}

/* What a part was split into takes its place. */
static int take_rows(
	struct dealing *d, int32_t task, const struct gpube_letter *l, const int32_t *words)
{
	const struct deal_part p = d->parts[task];
	int status = GPUBE_OK;

	for (int32_t at = 0; at < l->n && !status; at += 1 + words[at]) {
		if (words[at] < 0 || words[at] > l->n - at - 1)
			return gpube__fail(d->ctx, GPUBE_EIO,
				"rank %d sent subproblems that are damaged", p.rank);
		status = add_part(d, words + at + 1, words[at], p.depth + 1, p.bound);
	}
	return status;
}

/*
 * An ended part's bound is that of its assignments, or at least of those that are in none of its
 * parts.
 */
static void end_part(struct dealing *d, struct deal_part *p)
{
	p->state = PART_ENDED;
	d->n_open--;
	if (p->bound < d->ended_bound)
		d->ended_bound = p->bound;
	gpube__free(d->ctx, p->row);
	p->row = NULL;
}

/* What a split leaves out is no better than what was known. */
static int64_t left_out(struct dealing *d)
{
	d->feasible |= d->limit != GPUBE_INF;
	return d->limit;
}

static int end_split(
	struct dealing *d, struct deal_part *p, const struct gpube_letter *l, const int32_t *words)
{
	int status;

	if (l->b == 1) { /* it could not be */
		p->atom = true;
		p->state = PART_OPEN;
		return GPUBE_OK;
	}
	status = take_rows(d, l->task, l, words);
	p = &d->parts[l->task];
	p->bound = left_out(d);
	end_part(d, p);
	return status;
}

static int end_some(
	struct dealing *d, struct deal_part *p, const struct gpube_letter *l, const int32_t *words)
{
	switch ((enum gpube_part_end)l->flag) {
	case GPUBE_PART_SPLIT:
		return end_split(d, p, l, words);
	case GPUBE_PART_STOPPED:
		d->stopped = true;
		return GPUBE_OK;
	case GPUBE_PART_PROVED:
		d->feasible = true;
		break;
	case GPUBE_PART_INFEASIBLE:
		p->bound = GPUBE_INF;
		break;
	case GPUBE_PART_GAVE_UP:
		d->part_gave_up = true;
		break;
	}
	end_part(d, p);
	return GPUBE_OK;
}

/* What the rank that was to split the whole has found. */
static int end_whole_split(
	struct dealing *d, struct deal_part *p, const struct gpube_letter *l, const int32_t *words)
{
	const bool split = l->flag == GPUBE_PART_SPLIT,
		   infeasible = l->flag == GPUBE_PART_INFEASIBLE;

	d->splitter = -1;
	p->atom = !split || l->b == 1;
	if (infeasible || (split && l->b == 0)) {
		d->proved = true;
		p->bound = infeasible ? GPUBE_INF : left_out(d);
	}
	if (!split || l->b <= 1)
		return GPUBE_OK;
	if (p->state == PART_OPEN) /* nobody has begun it */
		p->state = PART_ENDED;
	d->ended_bound = left_out(d);
	return take_rows(d, 0, l, words);
}

/* Rank 0 is done with the whole. */
static void end_whole(struct dealing *d, struct deal_part *p, const struct gpube_letter *l)
{
	p->state = PART_ENDED;
	d->proved |= l->flag == GPUBE_PART_PROVED || l->flag == GPUBE_PART_INFEASIBLE;
	d->feasible |= l->flag == GPUBE_PART_PROVED;
	d->whole_gave_up = l->flag == GPUBE_PART_GAVE_UP;
	d->stopped |= l->flag == GPUBE_PART_STOPPED;
	if (l->flag == GPUBE_PART_INFEASIBLE) {
		p->bound = GPUBE_INF;
		d->feasible = false;
	}
}

static int end_task(struct dealing *d, int from, const struct gpube_letter *l, const int32_t *words)
{
	struct deal_part *p = &d->parts[l->task];
	int status = GPUBE_OK;

	d->at[from] = -1;
	if (l->a > p->bound)
		p->bound = l->a;
	if (l->task)
		status = end_some(d, p, l, words);
	else if (from == d->splitter)
		status = end_whole_split(d, p, l, words);
	else
		end_whole(d, p, l);
	update_lower(d, from);
	return status;
}

/* A part to a rank; wanted: to be split, not solved. */
static int give(struct dealing *d, int rank, int32_t task, int32_t wanted)
{
	struct deal_part *p = &d->parts[task];
	const double left = d->ctx->deadline > 0 ? fmax(d->ctx->deadline - gpube__now(), 1e-3) : 0;
	const struct gpube_letter letter = {.kind = LETTER_PART,
		.task = task,
		.flag = wanted,
		.n = p->n,
		.a = d->limit,
		.seconds = left};

	d->at[rank] = task;
	if (wanted) {
		d->splitter = rank;
	} else {
		p->state = PART_AT_WORK;
		p->rank = rank;
		p->since = gpube__now();
	}
	return rank ? gpube__letter_send(d->world, rank, &letter, p->row)
		    : gpube__deal_begin(d, &letter, p->row);
}

/* The open part of least bound. -1: there is none */
static int32_t next_part(const struct dealing *d)
{
	int32_t best = d->parts[0].state == PART_OPEN && d->parts[0].atom ? 0 : -1;

	for (int64_t k = 1; k < d->n_parts; k++)
		if (d->parts[k].state == PART_OPEN &&
			(best < 0 || d->parts[k].bound < d->parts[best].bound))
			best = (int32_t)k;
	return best;
}

/* The part that is longest at work, if no other is being split. */
static int32_t longest(const struct dealing *d)
{
	int32_t best = -1;

	for (int64_t k = 1; k < d->n_parts; k++) {
		const struct deal_part *p = &d->parts[k];

		if (p->state == PART_SPLITTING)
			return -1;
		if (p->state == PART_AT_WORK && !p->atom &&
			(best < 0 || p->since < d->parts[best].since))
			best = (int32_t)k;
	}
	return best;
}

/* That of the longest, for ranks that have nothing to do. */
static int ask_to_split(struct dealing *d, int n_idle)
{
	const int32_t task = longest(d);
	struct gpube_letter letter = {
		.kind = LETTER_SPLIT, .task = task, .flag = PARTS_EACH * (n_idle + 1)};

	if (task < 0)
		return GPUBE_OK;
	d->parts[task].state = PART_SPLITTING;
	letter.seconds =
		(d->eager ? EAGER_SECONDS : PART_SECONDS) * pow(LONGER, d->parts[task].depth);
	if (d->parts[task].rank)
		return gpube__letter_send(d->world, d->parts[task].rank, &letter, NULL);
	gpube__deal_wish(d, &letter);
	return GPUBE_OK;
}

/* Whether somebody is to say what parts of the whole there are: it has not ended soon. */
static bool wants_parts(const struct dealing *d)
{
	const struct deal_part *p = &d->parts[0];

	if (d->n_parts > 1 || d->splitter >= 0 || p->atom || d->proved)
		return false;
	return p->state == PART_OPEN ||
	       (p->state == PART_AT_WORK &&
		       gpube__cpu_seconds() - d->began > FIRST_SECONDS * d->ctx->n_threads);
}

int gpube__deal_parts(struct dealing *d)
{
	int n_idle = 0, status = GPUBE_OK;

	for (int rank = 0; rank < d->world->n_ranks && !status; rank++) {
		int32_t task;

		if (d->at[rank] >= 0)
			continue;
		task = next_part(d);
		if (task >= 0)
			status = give(d, rank, task, 0);
		else if (wants_parts(d))
			status = give(d, rank, 0, PARTS_EACH * d->world->n_ranks);
		else
			n_idle++;
	}
	return n_idle && !status ? ask_to_split(d, n_idle) : status;
}

/* ---- rank 0: what is heard ------------------------------------------------------------------- */

/* What a part's rank says of it, to rank 0. */
int gpube__deal_read(
	struct dealing *d, int from, const struct gpube_letter *l, const int32_t *words)
{
	int status = GPUBE_OK;

	if (l->task < 0 || l->task >= d->n_parts || d->at[from] != l->task)
		return gpube__letter_fail(d->world, from);
	if (l->kind == LETTER_END)
		return end_task(d, from, l, words);
	if (l->n != (l->b != GPUBE_INF ? d->m->n_vars : 0))
		return gpube__letter_fail(d->world, from);
	if (l->b != GPUBE_INF)
		status = report(d, from, l->b, words);
	if (l->a > d->parts[l->task].bound)
		d->parts[l->task].bound = l->a;
	update_lower(d, from);
	return status;
}

/* The whole is proved, or all parts are; or nothing more is proved. */
bool gpube__deal_is_over(const struct dealing *d)
{
	const bool whole_ended = d->parts[0].state == PART_ENDED;

	if (d->stopped || d->proved || (whole_ended && d->n_parts == 1))
		return true;
	return d->n_parts > 1 && !d->n_open && (whole_ended || !d->part_gave_up);
}

int gpube__deal_whole(struct dealing *d)
{
	int status = add_part(d, NULL, 0, 0, INT64_MIN);

	return status || d->eager ? status : give(d, 0, 0, 0);
}
