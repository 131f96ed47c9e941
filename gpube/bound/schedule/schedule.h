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

/* What a step of a method ends with, beside failures. */
enum gpube__step {
	GPUBE__STEP_MORE, /* its budget is used up */
	GPUBE__STEP_DONE, /* it has nothing more to say of what is known now */
};

/* What a method predicts. */
struct gpube__fit {
	double end;   /* ticks to its end; GPUBE__UNKNOWN_END: it may be tried; 0: not for this */
	double least; /* ticks of the shortest step that is worth while */
	bool rough;   /* the end is no plan but an estimate */
};

/*
 * A way to prove. Its state is its own; what it finds it tells to what is known, and what others
 * have found it reads there.
 * fit    what it predicts of the model as it is known now
 * step   goes on, or begins, for so many ticks (INFINITY: to its end). Errors: those after which
 *        the run goes on with other methods (falls_back), and others, which end it
 */
struct gpube__method {
	const char *name;
	struct gpube__fit (*fit)(const void *known);
	int (*step)(void *known, double ticks, enum gpube__step *end);
};

#define GPUBE__UNKNOWN_END INFINITY

/* How far a run is. */
struct gpube__run_now {
	double worked; /* ticks so far */
	double gap;    /* what is open: INFINITY where nothing bounds it */
	int64_t mark;  /* a number that changes whenever a bound or an assignment is better */
	bool done;     /* nothing is left to prove */
};

/* A turn that was taken, for a log. */
struct gpube__turn_taken {
	int round;
	const char *method;
	const char *why; /* "share", "predicted", "halved"; "alone": outside of rounds */
	double budget, ticks;
	struct gpube__run_now before, after;
	enum gpube__step end;
	int status;
};

/*
 * What the schedule asks of a run.
 * now         how far it is
 * falls_back  whether it goes on without a method that failed so
 * begins      is told which method has the turn; told: of a turn that was taken
 * share       of the next round, for a method, by what is known now; 0: by prediction alone
 */
struct gpube__run_view {
	struct gpube__run_now (*now)(const void *known);
	bool (*falls_back)(const void *known, int status, const char *method);
	void (*begins)(void *known, const char *method);
	int (*told)(void *known, const struct gpube__turn_taken *turn);
	double (*share)(const void *known, int method);
};

/* Of a method in a schedule. */
struct gpube__scheduled {
	const struct gpube__method *method;
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

/* One step of a method, which is told. Errors: those of the step, and of 'told' */
int gpube__schedule_step(const struct gpube__method *method, void *known,
	const struct gpube__run_view *view, struct gpube__turn_taken *turn);

/*
 * Rounds until all is proved, or no method has more to say; a later call goes on.
 * Errors: those of steps that do not give way
 */
int gpube__schedule_run(struct gpube__schedule *s, const struct gpube__method *const *methods,
	void *known, const struct gpube__run_view *view);

#endif
