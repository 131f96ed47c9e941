/*
 * status.h - what standard error shows while a command runs.
 *
 * On a terminal that is one line, which a thread keeps up to date in place: the time, the bounds,
 * the gap between them, what runs, and a bar where its end is predicted. It appears after a second,
 * so that short work shows its result alone, and is never wider than the terminal. Elsewhere bounds
 * are written as lines, at most one each time that the time has doubled. Notes are lines in either
 * case, and so is everything with --verbose.
 */
#ifndef GPUBE_CLI_STATUS_H
#define GPUBE_CLI_STATUS_H

#include <pthread.h>
#include <stdbool.h>

#include "gpube/gpube.h"

enum { STATUS_TEXT = 256 };

struct status {
	double start; /* of the command, by gpube__now() */
	bool verbose;
	bool terminal, colour;
	int columns; /* of the environment; 0: none are given */

	/* what is known, under the lock where there is a thread */
	pthread_mutex_t lock;
	char bounds[STATUS_TEXT], gap[STATUS_TEXT], runs[STATUS_TEXT];
	double done;  /* the part of what runs; negative: unknown */
	bool showing; /* the line may be drawn: something has happened since it was hidden */
	char drawn[2 * STATUS_TEXT]; /* the line as it is on the terminal; empty: none is */

	pthread_t thread;
	pthread_cond_t wake;
	bool has_thread, ending;

	/* without a terminal */
	double next;                   /* when a line may be written again, from the start */
	char pending[2 * STATUS_TEXT]; /* the newest line of bounds that was not written; or "" */
};

/* From here on standard error is the status's; status_end() in any case. */
void status_begin(struct status *s, double start, bool verbose);
void status_end(struct status *s);

/* What a context logs: a gpube_log_fn. One thread at a time. */
void status_log(struct status *s, const struct gpube_log *said);

/* Nothing is drawn before the next status_log(): the terminal is for others to write on. */
void status_hide(struct status *s);

/* Clears the line, also from a signal handler that is about to end the process. */
void status_abandon(void);

/* Whether colours may be written to a terminal: not with NO_COLOR, nor on a dumb one. */
bool status_colours(int fd);

#endif
