/*
 * schedule.h - which method works when, and for how long: one rule for methods of any kind, and
 * nothing of models.
 *
 * Methods work in rounds. A round has a budget, twice that of the round before, and each method a
 * share of it; who takes more than its share, or cannot begin on so little, waits until its shares
 * add up to it. A method that predicts its end within what is left of two rounds goes first, and is
 * stopped after four times its prediction; where that is no plan but an estimate, within one, and
 * it is asked again after a quarter of it. A turn that leaves at most half of the gap, or of the
 * ticks that another method predicts, earns another one as long; two turns that bring nothing halve
 * a method's share, down to a quarter of it, since some methods show nothing before their end, and
 * one that brings something restores it. So what one method proves in t is not missed by more than
 * a small multiple of t, and who makes progress goes on.
 *
 * Budgets are ticks of counted work (gpube__work()), never seconds: the same model gives the same
 * turns on every machine.
 *
 * Designs weighed. (1) Stages, each with a condition and a time of its own: 46 of them, tuned on
 * one collection, were worth no more than rounds of three methods on files that nobody had tuned
 * on. (2) Learning shares while a model is solved, as bandits do: turns are too few, and each
 * changes what the others find. (3) This one, with shares by class of model, fitted on recorded
 * runs (benchmarks/schedule.py). (4) More rules: a method that was late counts as slower, and
 * an improvement has to be large, or an end near, to count. Without them runs took less
 * (runs/schedule-h200).
 */
#ifndef GPUBE_SCHEDULE_H
#define GPUBE_SCHEDULE_H

#include <math.h>
#include <stdbool.h>

#include "gpube/base/base.h"

/* A turn that ended so was no failure, and its method has nothing more to say of what is known. */
enum { GPUBE__DONE = 1 };

/* What a method predicts. */
struct gpube__fit {
	double end;   /* ticks to its end; GPUBE__UNKNOWN_END: it may be tried; 0: not for this */
	double least; /* ticks of the shortest step that is worth while */
	bool rough;   /* the end is no plan but an estimate */
};

#define GPUBE__UNKNOWN_END INFINITY

/* How far a run is. */
struct gpube__run_now {
	double worked; /* ticks so far */
	double gap;    /* what is open: INFINITY where nothing bounds it */
	int64_t mark;  /* a number that changes whenever a bound or an assignment is better */
	bool done;     /* nothing is left to prove */
};

/* A turn: what it may take, and what came of it. */
struct gpube__turn {
	int round, method;
	const char *why; /* "share", "predicted", "halved"; "alone": outside of rounds */
	double budget, ticks;
	struct gpube__run_now before, after;
	int status; /* of the method: OK where it has more to say, GPUBE__DONE, or a failure */
};

/*
 * A run, and its methods by their numbers. The state of a method is its own; what it finds it tells
 * to what is known, and what others have found it reads there.
 * now    how far it is
 * fit    what a method predicts of the model as it is known now
 * share  of the next round, for a method, by what is known now; 0: by prediction alone
 * take   a method goes on, or begins, for the turn's budget (INFINITY: to its end); fills in the
 *        rest of the turn. OK also after a failure after which others go on. Errors: others
 */
struct gpube__run_view {
	struct gpube__run_now (*now)(const void *known);
	struct gpube__fit (*fit)(const void *known, int method);
	double (*share)(const void *known, int method);
	int (*take)(void *known, struct gpube__turn *turn);
};

/* Of a method in a schedule. */
struct gpube__scheduled {
	double weight; /* what is left of its share: 1 to 1 / 4 */
	double credit; /* ticks of its shares that it has not used; below 0: it has used more */
	int idle;      /* turns that brought nothing, one after the other */
	int failures;  /* turns that gave way */
	bool out;      /* failed, or done with what was known at 'mark' */
	int64_t mark;
};

enum { GPUBE__MOST_METHODS = 16 };
struct gpube__schedule {
	struct gpube__scheduled of[GPUBE__MOST_METHODS];
	int n, round;
	double budget; /* ticks of the next round */
	void *known;   /* the run that is at work */
	const struct gpube__run_view *view;
};

/* Ticks of the first round. */
#define GPUBE__FIRST_ROUND 6e6

/* Before the first round, of n methods. */
void gpube__schedule_init(struct gpube__schedule *s, int n);

/*
 * Rounds until all is proved, or no method has more to say; a later call goes on.
 * Errors: those of 'take'
 */
int gpube__schedule_run(struct gpube__schedule *s, void *known, const struct gpube__run_view *view);

#endif
