/*
 * letters.h - what rank 0, which deals the work of a command, and the other ranks write each other:
 * short messages over the parcels of gpube/ranks/world.h.
 *
 * Whatever the work is, the others go on until rank 0 says that it is over; each tells rank 0 when
 * it was told to stop, and at last what its processors took. Those letters are read here, all
 * others by the work.
 */
#ifndef GPUBE_LETTERS_H
#define GPUBE_LETTERS_H

#include "gpube/base/bytes.h"
#include "gpube/ranks/world.h"

/*
 * Kinds below 0 are of this file. 'n' numbers follow a letter; what a, b, flag and seconds are is
 * the kind's.
 */
struct gpube_letter {
	int32_t kind, task, flag, n;
	int64_t a, b;
	double seconds;
};

/*
 * Who reads and writes them, in one thread.
 * read     one; words: letter->n of them, borrowed
 * report   what this rank has to say by now
 * is_busy  with work of which there is still something to say
 * stop     that work is not needed any more
 */
struct gpube_letters {
	struct dcop_world *world;
	void *arg;
	int (*read)(void *arg, int from, const struct gpube_letter *letter, const int32_t *words);
	int (*report)(void *arg);
	bool (*is_busy)(const void *arg);
	void (*stop)(void *arg);
	/* its own */
	bool over, asked; /* asked: rank 0 knows of this rank's stop */
	int64_t nap;      /* nanoseconds of the next one */
	/* ranks that have nothing more to say, and what the processors of each took */
	int n_gone;
	double *seconds;
};

/* With the members above set. Errors: ENOMEM */
int gpube__letters_open(struct gpube_letters *l);
void gpube__letters_close(struct gpube_letters *l);

/* Errors: ENOMEM, ERANGE (it is too long) */
int gpube__letter_send(
	struct dcop_world *world, int to, const struct gpube_letter *letter, const int32_t *words);
/* The same of numbers as bytes; letter->n and flag are set here, for gpube__letter_bytes(). */
int gpube__letter_send_bytes(struct dcop_world *world, int to, struct gpube_letter letter,
	const struct gpube__bytes *bytes);
/* What was sent so; the bytes are the words', which stay. */
struct gpube__bytes gpube__letter_bytes(
	struct gpube_ctx *ctx, const struct gpube_letter *letter, const int32_t *words);
/* EIO: it sent what nobody expects. */
int gpube__letter_fail(struct dcop_world *world, int from);

/*
 * gpube__letters_poll() - reads what has come, reports, and waits for a moment if nothing has.
 * gpube__letters_follow() - of the other ranks: until rank 0 says that it is over, and knows what
 * this one had to say. gpube__letters_end() - of rank 0: says so, and waits for the others.
 * Errors: EIO (a rank is dead, or sends what nobody expects), ENOMEM, those of 'read' and 'report'
 */
int gpube__letters_poll(struct gpube_letters *l);
int gpube__letters_follow(struct gpube_letters *l);
int gpube__letters_end(struct gpube_letters *l);

#endif
