/*
 * sparse.h - games of which only some coalitions are listed: all others are worth
 * the default. No table of 2^n values.
 */
#ifndef CSG_SPARSE_H
#define CSG_SPARSE_H

#include "csg/game.h"

/*
 * mask, value  n listed coalitions in the order they came; values as
 *              csg__value_int() has them: integers, or the bits of a float
 * slot         2^slot_bits places of a hash table, at most half of them used:
 *              the number of a listed coalition and 1, or 0
 * other        the value of all coalitions that are not listed
 */
struct csg__sparse {
	int64_t n, capacity;
	uint64_t *mask;
	int64_t *value;
	uint32_t *slot;
	int slot_bits;
	int64_t other;
};

/*
 * csg__sparse_new() - a game of which nothing is listed and all is forbidden.
 * Errors: ENOMEM
 */
int csg__sparse_new(struct csg_game **out, struct gpube_ctx *ctx, int n_agents, enum csg_type type);
void csg__sparse_free(struct csg_game *g);

/* A value of the game's type, from a double; integers must be whole. */
int64_t csg__sparse_value(enum csg_type type, double v);

/* The number of a listed coalition, -1 if it is not. */
int64_t csg__sparse_find(const struct csg__sparse *s, uint64_t coalition);
/*
 * Of at most 20 agents there is a table whatever is listed, of more from a 64th of all coalitions
 * on.
 */
static inline bool csg__wants_table(int n_agents, int64_t n_listed)
{
	return n_agents <= 20 || (uint64_t)n_listed >= (uint64_t)1 << n_agents >> 6;
}

/* Lists one more, which is not listed. Errors: ENOMEM, ELIMIT (2^31) */
int csg__sparse_add(struct csg_game *g, uint64_t coalition, int64_t value);

/*
 * csg__sparse_fill() - the same game with a table.
 * Errors: ELIMIT (the context's memory), ENOMEM
 */
int csg__sparse_fill(struct csg_game **out, const struct csg_game *g);

/* Writes a value of csg__value_int()'s kind into a table. */
void csg__put_value(struct csg_game *g, uint64_t coalition, int64_t value);

/*
 * csg__sparse_lp() - method lp over the listed coalitions.
 * seconds  give up after about that, with r->answer BOUNDS; 0: never
 */
int csg__sparse_lp(struct csg__search *s, double seconds);

/* ---- what is left over (rest.c) -------------------------------------------------------------- */

/*
 * disposal  agents may stay out: where the default is negative, one alone counts
 *           as listed at 0
 * gave_up   a split was not looked for to the end
 */
struct csg__rest {
	const struct csg_game *g;
	bool disposal;
	uint64_t alone; /* agents whose coalition of one is not listed */
	double steps;
	bool gave_up;
};

void csg__rest_init(struct csg__rest *z, const struct csg_game *g, bool disposal);
bool csg__rest_listed(const struct csg__rest *z, uint64_t coalition);

/*
 * csg__rest_split() - agents into as few coalitions that are not listed as can be,
 * or as many. Returns their number, -1 if there is no way.
 * parts  room for 40
 */
int csg__rest_split(struct csg__rest *z, uint64_t agents, bool most, uint64_t *parts);

#endif
