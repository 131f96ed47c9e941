/* nearest.h - which names a word that is none may have been meant for. */
#ifndef GPUBE_NEAREST_H
#define GPUBE_NEAREST_H

#include <stddef.h>

/*
 * Changes of a letter, or swaps of two neighbours, that make one word out of the other; 60 of words
 * with more than 60 letters.
 */
int gpube__distance(const char *a, const char *b);

/* The names that are nearest to a word so far, the nearest in front. */
enum { GPUBE_NEAREST = 3 };

struct gpube_nearest {
	const char *word;
	const char *names[GPUBE_NEAREST];
	int distances[GPUBE_NEAREST];
	int n;
};

/* Takes a name if hardly more than a letter in three differs, and it is among the nearest. */
void gpube__nearest_consider(struct gpube_nearest *s, const char *name);

#endif
