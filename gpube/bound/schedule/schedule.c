/* schedule.c - rounds of turns: see schedule.h. */
#include "gpube/bound/schedule/schedule.h"

/* A share is at least this part of what data gives it. */
#define LEAST_WEIGHT (1.0 / 4)
/* A method that found no room may find it later, once. */
enum { MOST_FAILURES = 2 };
/* Turns that bring nothing, after which a share is halved. */
enum { IDLE_TURNS = 2 };
/*
 * A method that predicts its end is let go where that is within so many times what is left of a
 * round: of a plan, of an estimate. It is stopped past so many times what it plans; an estimate is
 * asked for again after a part of it, or of the round.
 */
#define SURE     2
#define ROUGH    1
#define PATIENCE 4
#define PART     (1.0 / 4)
#define OF_ROUND (1.0 / 16)
/* A round is so many times as long as the one before. */
#define GROWTH 2
/* Ticks beyond which nothing is begun: centuries. */
#define MOST_BUDGET 1e18

void gpube__schedule_init(struct gpube__schedule *s, int n)
{
	*s = (struct gpube__schedule){.n = n, .budget = GPUBE__FIRST_ROUND};
	for (int i = 0; i < n; i++)
		s->of[i] = (struct gpube__scheduled){.weight = 1};
}

static struct gpube__run_now now(const struct gpube__schedule *s)
{
	return s->view->now(s->known);
}

/* Of one that was done: nothing, until there has been a change. */
static struct gpube__fit fit(struct gpube__schedule *s, int i)
{
	struct gpube__scheduled *m = &s->of[i];

	m->out = m->out && (m->mark < 0 || m->mark == now(s).mark);
	return m->out ? (struct gpube__fit){0} : s->view->fit(s->known, i);
}

/* A method that may be let go: ticks to its end, and those that it may take. */
struct soon {
	int method; /* -1: there is none */
	double end, most;
};

/* Who should end soonest, beside 'own', of those that may be let go where so much is left. */
static struct soon soonest(struct gpube__schedule *s, int own, double left)
{
	struct soon best = {-1, INFINITY, 0};

	for (int i = 0; i < s->n; i++) {
		const struct gpube__fit of = i == own ? (struct gpube__fit){0} : fit(s, i);
		const double reach = (of.rough ? ROUGH : SURE) * left;

		if (of.end > 0 && of.end <= reach && of.end < best.end)
			best = (struct soon){i, of.end,
				of.rough ? fmax(PART * of.end, OF_ROUND * reach)
					 : fmin(PATIENCE * of.end, reach)};
	}
	return best;
}

/*
 * A turn of a method, and what it changes of its share: it has brought something where a bound or
 * an assignment is better, or another method's end is nearer. *worked: its ticks; *much: half of
 * the gap, or of the way to that end, is gone, so that the method goes on.
 */
static int take_turn(
	struct gpube__schedule *s, int i, double ticks, const char *why, double *worked, bool *much)
{
	struct gpube__turn turn = {.round = s->round, .method = i, .why = why, .budget = ticks};
	const struct gpube__run_now *was = &turn.before, *is = &turn.after;
	struct gpube__scheduled *m = &s->of[i];
	const double before = soonest(s, i, INFINITY).end;
	const int status = s->view->take(s->known, &turn);
	const double after = soonest(s, i, INFINITY).end;
	const bool nearer = isfinite(before) && after < before;

	*worked = turn.ticks;
	*much = (isfinite(was->gap) && is->gap <= was->gap / 2) || (nearer && after <= before / 2);
	m->idle = nearer || is->mark != was->mark ? 0 : m->idle + 1;
	if (!m->idle)
		m->weight = 1;
	if (m->idle == IDLE_TURNS) {
		m->idle = 0;
		m->weight = fmax(LEAST_WEIGHT, m->weight / 2);
	}
	if (turn.status < 0 && !status) {
		m->out = ++m->failures == MOST_FAILURES;
		m->mark = -1; /* for good */
	} else if (turn.status == GPUBE__DONE) {
		m->out = true;
		m->mark = now(s).mark;
	}
	return status;
}

/* Those that should end within the round, the soonest first, until one does nothing. */
static int let_end(struct gpube__schedule *s, double *left)
{
	struct soon next;
	double worked = 1;
	int status = GPUBE_OK;
	bool much;

	while (!status && worked > 0 && !now(s).done &&
		(next = soonest(s, -1, *left)).method >= 0) {
		status = take_turn(s, next.method, next.most, "predicted", &worked, &much);
		*left -= worked;
	}
	return status;
}

/*
 * A method's turn, again for as long as each brings much and nobody may be let go to its end in
 * what is left of the round.
 */
static int take_share(struct gpube__schedule *s, int i, double left)
{
	struct gpube__scheduled *m = &s->of[i];
	const double ticks = m->credit;
	double worked;
	bool much = false;
	int status;

	do {
		status = take_turn(s, i, ticks, much ? "halved" : "share", &worked, &much);
		if (m->credit > 0) /* another turn is a gift */
			m->credit -= worked;
	} while (!status && !m->out && !now(s).done && much && soonest(s, -1, left).method < 0);
	return status;
}

/* *any: somebody has more to do. */
static int run_round(struct gpube__schedule *s, bool *any)
{
	double left = s->budget;
	int status = let_end(s, &left);

	*any = false;
	for (int i = 0; i < s->n && !status && !now(s).done; i++) {
		struct gpube__scheduled *m = &s->of[i];
		const double share = s->view->share(s->known, i);
		const struct gpube__fit of = fit(s, i);

		if (!(of.end > 0))
			continue;
		*any |= share > 0 || of.end < MOST_BUDGET;
		m->credit += s->budget * share * m->weight;
		if (!(share > 0) || m->credit <= 0 || m->credit < of.least)
			continue;
		status = take_share(s, i, left);
		if (!status && !now(s).done)
			status = let_end(s, &left);
	}
	return status;
}

int gpube__schedule_run(struct gpube__schedule *s, void *known, const struct gpube__run_view *view)
{
	int status = GPUBE_OK;

	s->known = known;
	s->view = view;
	for (bool any = true; any && !status && !now(s).done && s->budget < MOST_BUDGET;
		s->budget *= GROWTH, s->round++)
		status = run_round(s, &any);
	return status;
}
