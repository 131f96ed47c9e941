/*
 * splits.h - which value of a relaxation's variables is split from the others.
 *
 * A value of which the relaxation takes a part is worth what the bound rises where it is taken,
 * times what it rises where it is not. What values brought before is a guess of that; where there
 * are few such, a look at both parts says it (reliability branching; Achterberg, Koch, Martin,
 * Branching rules revisited, 2005).
 */
#ifndef GPUBE_SPLITS_H
#define GPUBE_SPLITS_H

#include <stdbool.h>
#include <stdint.h>

#include "gpube/base/arrays.h"

struct gpube_branching {
	int32_t n_values;
	double *gain[2];   /* what the bound rose with values taken, and not, for a whole one */
	int32_t *tried[2]; /* how often that was seen */
	int32_t *candidates;
	int32_t chosen;
	int64_t bound;    /* of the node, */
	int64_t part[2];  /* and of the chosen value's parts */
	int64_t steps[2]; /* in nodes so far, and in looks */
};

/* A bound from which on no assignment is left. */
#define GPUBE__NOTHING_LEFT ((int64_t)1 << 61)
/* Parts less than that are rounding. */
#define GPUBE__LEAST_PART 1e-6

/* Arrays of 'memory', which says whether that failed. */
void gpube__splits_init(struct gpube_branching *s, struct gpube__arrays *memory, int32_t n_values);

/*
 * The best of the first n candidates.
 * value  how much of each value the relaxation takes
 * bound  of the node
 * target a part whose bound reaches it is closed
 * look   the bound of a part after some steps, which it adds to steps[1]; GPUBE__NOTHING_LEFT: it
 *        has no assignment; INT64_MIN: the bound is not known
 */
int32_t gpube__splits_choose(struct gpube_branching *s, int32_t n, const double *value,
	int64_t bound, int64_t target, int64_t (*look)(void *state, int32_t value, bool is),
	void *state);

/* Twice the bound of a part, as gpube_relaxation's part() says it. */
int64_t gpube__splits_part(const struct gpube_branching *s, int32_t value, bool is);

#endif
