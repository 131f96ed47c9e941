/* letters.h - short messages between ranks, over the parcels of gpube/ranks/world.h. */
#ifndef GPUBE_LETTERS_H
#define GPUBE_LETTERS_H

#include "gpube/ranks/world.h"

/* 'n' numbers follow it; what a, b, flag and seconds are is the kind's. */
struct gpube_letter {
	int32_t kind, task, flag, n;
	int64_t a, b;
	double seconds;
};

/* Who reads them. words: letter->n of them, borrowed */
struct gpube_reader {
	struct dcop_world *world;
	void *arg;
	int (*read)(void *arg, int from, const struct gpube_letter *letter, const int32_t *words);
};

/* Errors: ENOMEM, ERANGE (it is too long) */
int gpube__letter_send(
	struct dcop_world *world, int to, const struct gpube_letter *letter, const int32_t *words);
/* To all other ranks. */
int gpube__letter_send_all(struct dcop_world *world, const struct gpube_letter *letter, const int32_t *words);
/* Sends and reads what can be, without waiting. Errors: EIO (a rank is dead), ENOMEM, those of 'read' */
int gpube__letters_poll(const struct gpube_reader *r, bool *busy);
/* A moment, in which nothing is to be done; shorter after something was. */
void gpube__letters_nap(bool busy);

/* For the log: what each rank's processors took. */
void gpube__letters_tell_seconds(struct dcop_world *world, const double *seconds);

#endif
