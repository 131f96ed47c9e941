/*
 * mbe_content.h - what joining two parts of a bucket gains, from their tables.
 *
 * Plans are made before there are tables, but this partition asks for the messages. So while the
 * planner goes from bucket to bucket, the tables are made beside it on the CPU, without matching
 * and in 64 bits, and freed when they were used: a first run of which only the plan is kept, about
 * as long as the run that follows, and the pairs'. (One run that plans as it goes would save the
 * first, but places, batches and memory are decided from a whole plan.)
 *
 * The gain of f and g is the mean, over the cells of the joined scope without x, of
 * min_x(f + g) - (min_x f + min_x g); a cell that only the join forbids gains what is missing to
 * the cutoff, from which on costs are forbidden.
 *
 * Scopes alone stay the default. On ten instances with z of 3 to 8 the content gave the better
 * bound 25 times and the worse one 17 times without matching, but 15 and 27 times with matching,
 * which the gains do not see, and always the worse one on a Boltzmann machine
 * (benchmarks/runs/bounds-2c).
 *
 * Source: Rollon and Dechter, 2010; Rollon, Larrosa and Dechter, IJCAI 2013.
 */
#ifndef GPUBE_MBE_CONTENT_H
#define GPUBE_MBE_CONTENT_H

#include "gpube/relax/mbe/mbe.h"

/* An input of the bucket at work: its scope as positions, ascending, in the planner's pool. */
struct gpube_mbe_item {
	int32_t id, n; /* id: as mbe.inputs */
	int64_t at;
	int32_t mini; /* of this bucket, or -1 */
};

struct gpube_mbe_contents;

/* Of a bucket of more no pair is looked at, and scopes decide. */
#define GPUBE__MBE_MOST_CONTENT 1024

/*
 * Errors: ENOMEM. *out NULL, OK: nothing is to be found out, every assignment is forbidden or top
 *         is 0.
 */
int gpube__mbe_contents_new(struct gpube_mbe_contents **out, const struct gpube_mbe *mbe);
void gpube__mbe_contents_free(struct gpube_mbe_contents *c);

/*
 * gpube__mbe_contents_open() - loads a bucket's items, each a part of its own; they and the pool
 * are borrowed until it is closed.
 * Errors: ENOMEM, ESTOP, ELIMIT (tables do not fit the context's memory)
 */
int gpube__mbe_contents_open(struct gpube_mbe_contents *c, int32_t bucket, int32_t n_items,
	const struct gpube_mbe_item *items, const int32_t *pool);

/*
 * gpube__mbe_contents_gain() - of making parts a and b one; kept until one of them grows.
 * gain    out, >= 0; -1: unknown, the joined table or those of the bucket's pairs are too large
 * scope   the joined, n positions, ascending, of 'cells' cells
 * Cost:   two contractions of at most 2^20 joined cells, 2^28 a bucket
 * Errors: ENOMEM, ESTOP, ELIMIT
 */
int gpube__mbe_contents_gain(double *gain, struct gpube_mbe_contents *c, int32_t a, int32_t b,
	int32_t n, const int32_t *scope, double cells);

/* Part 'from' goes into 'into'. */
void gpube__mbe_contents_merge(struct gpube_mbe_contents *c, int32_t into, int32_t from);

/*
 * Makes the messages of the minis that the bucket's items were put into, and frees those it took
 * in. As open().
 */
int gpube__mbe_contents_close(struct gpube_mbe_contents *c);

#endif
