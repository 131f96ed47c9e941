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

static struct gpube__fit fit(const struct gpube__schedule *s, const struct gpube__scheduled *m)
{
	return m->method->fit(s->known);
}

/* Whether a method has something to do; one that was done may have it again after a change. */
static bool comes_back(const struct gpube__schedule *s, struct gpube__scheduled *m)
{
	m->out = m->out && (m->mark < 0 || m->mark == now(s).mark);
	return !m->out;
}

/*
 * The method, not 'own', that should end soonest, of those that may be let go where so much of a
 * round is left; NULL: none. *end: ticks to it, or INFINITY; *most: that it may take.
 */
static struct gpube__scheduled *soonest(struct gpube__schedule *s,
	const struct gpube__scheduled *own, double left, double *end, double *most)
{
	struct gpube__scheduled *best = NULL;

	*end = INFINITY;
	for (int i = 0; i < s->n; i++) {
		struct gpube__scheduled *m = &s->of[i];
		const struct gpube__fit of =
			m == own || !comes_back(s, m) ? (struct gpube__fit){0} : fit(s, m);
		const double reach = (of.rough ? ROUGH : SURE) * left;

		if (!(of.end > 0 && of.end <= reach && of.end < *end))
			continue;
		*end = of.end;
		*most = of.rough ? fmax(PART * of.end, OF_ROUND * reach)
				 : fmin(PATIENCE * of.end, reach);
		best = m;
	}
	return best;
}

int gpube__schedule_step(const struct gpube__method *method, void *known,
	const struct gpube__run_view *view, struct gpube__turn_taken *turn)
{
	int told;

	turn->method = method->name;
	turn->before = view->now(known);
	view->begins(known, method->name);
	turn->status = method->step(known, turn->budget, &turn->end);
	turn->after = view->now(known);
	turn->ticks = turn->after.worked - turn->before.worked;
	told = view->told(known, turn);
	return turn->status ? turn->status : told;
}

/*
 * A turn of a method, and what it changes of its share: it has brought something where a bound or
 * an assignment is better, or another method's end is nearer. *much: half of the gap, or of the way
 * to that end, is gone, so that the method goes on.
 */
static int take_turn(struct gpube__schedule *s, struct gpube__scheduled *m, double ticks,
	const char *why, bool *much)
{
	struct gpube__turn_taken turn = {.round = s->round, .why = why, .budget = ticks};
	const struct gpube__run_now *was = &turn.before, *is = &turn.after;
	double before, after, most;
	bool nearer;
	int status;

	soonest(s, m, INFINITY, &before, &most);
	status = gpube__schedule_step(m->method, s->known, s->view, &turn);
	soonest(s, m, INFINITY, &after, &most);
	nearer = isfinite(before) && after < before;
	*much = (isfinite(was->gap) && is->gap <= was->gap / 2) || (nearer && after <= before / 2);
	if (nearer || is->mark != was->mark) {
		m->idle = 0;
		m->weight = 1;
	} else if (++m->idle == IDLE_TURNS) {
		m->idle = 0;
		m->weight = fmax(LEAST_WEIGHT, m->weight / 2);
	}
	if (turn.status && s->view->falls_back(s->known, turn.status, m->method->name)) {
		m->out = ++m->failures == MOST_FAILURES;
		m->mark = -1; /* for good */
		return GPUBE_OK;
	}
	if (turn.end == GPUBE__STEP_DONE) {
		m->out = true;
		m->mark = now(s).mark;
	}
	return status;
}

/* Those that should end within the round, the soonest first, until one does nothing. */
static int let_end(struct gpube__schedule *s, double *left)
{
	int status = GPUBE_OK;
	double end, most, worked = 1;
	struct gpube__scheduled *m;

	while (!status && worked > 0 && !now(s).done &&
		(m = soonest(s, NULL, *left, &end, &most))) {
		const double before = now(s).worked;
		bool much;

		status = take_turn(s, m, most, "predicted", &much);
		worked = now(s).worked - before;
		*left -= worked;
	}
	return status;
}

/*
 * A method's turn, again for as long as each brings much and nobody may be let go to its end in
 * what is left of the round.
 */
static int take_share(struct gpube__schedule *s, struct gpube__scheduled *m, double left)
{
	const double ticks = m->credit;
	double end, most;
	bool much = false;
	int status;

	do {
		const double before = now(s).worked;

		status = take_turn(s, m, ticks, much ? "halved" : "share", &much);
		if (m->credit > 0) /* another turn is a gift */
			m->credit -= now(s).worked - before;
	} while (
		!status && !m->out && !now(s).done && much && !soonest(s, NULL, left, &end, &most));
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
		const struct gpube__fit of = comes_back(s, m) ? fit(s, m) : (struct gpube__fit){0};

		*any |= of.end > 0 && (share > 0 || of.end < MOST_BUDGET);
		m->credit += of.end > 0 ? s->budget * share * m->weight : 0;
		if (!(of.end > 0) || !(share > 0) || m->credit <= 0 || m->credit < of.least)
			continue;
		status = take_share(s, m, left);
		if (!status && !now(s).done)
			status = let_end(s, &left);
	}
	return status;
}

int gpube__schedule_run(struct gpube__schedule *s, const struct gpube__method *const *methods,
	void *known, const struct gpube__run_view *view)
{
	int status = GPUBE_OK;

	s->known = known;
	s->view = view;
	for (int i = 0; i < s->n; i++)
		s->of[i].method = methods[i];
	for (bool any = true; any && !status && !now(s).done && s->budget < MOST_BUDGET;
		s->budget *= GROWTH, s->round++)
		status = run_round(s, &any);
	return status;
}
