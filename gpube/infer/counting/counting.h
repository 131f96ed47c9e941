/*
 * counting.h - the weighted count of a formula: a sum by cases, where parts of the formula that
 * have no clause in common are counted apart, and what was counted is remembered.
 *
 *   formula.c          the clauses of a model
 *   counting_clauses.c what clauses imply, and what conflicts teach
 *   counting_parts.c   what falls apart, and what is remembered of it
 *   counting.c         the search
 *
 * Buckets need the memory that their width says, whatever the cells are. A search by cases needs as
 * much as the zeros leave, which is little for plans and circuits whose width is hundreds.
 *
 * What was learned holds for the formula, not for a part of it: where another part turns out to be
 * contradictory, counts may be too small. Then the whole case is 0, and what was remembered in it
 * is forgotten.
 *
 * Source: Sang, Bacchus, Beame, Kautz and Pitassi, SAT 2004 (caching with learning); Thurley, SAT
 * 2006; decisions by the elimination tree: Korhonen and Jaervisalo, CP 2021.
 */
#ifndef GPUBE_COUNTING_H
#define GPUBE_COUNTING_H

#include "gpube/infer/counting/formula.h"

struct gpube_counting;

/*
 * depth   of each variable: where all tie, the least is decided first
 * f       stays as long as *out does
 * Errors: ENOMEM; ELIMIT (too many clauses)
 */
int gpube__counting_new(
	struct gpube_counting **out, const struct gpube_formula *f, const int32_t *depth);
void gpube__counting_free(struct gpube_counting *c);
/*
 * gpube__counting_run() - goes on until gpube__now() is 'until' (0: without end), or a stop.
 * *done   out: the count is known
 * Errors: ENOMEM, after which there are bounds but no more to be run
 */
int gpube__counting_run(struct gpube_counting *c, double until, bool *done);
/* The count, and how many roundings are on the way to it; with 'done'. */
struct gpube_wide gpube__counting_sum(const struct gpube_counting *c, double *roundings);
int64_t gpube__counting_decisions(const struct gpube_counting *c);
/* Natural logarithms that it is between; better with time. Costs: a walk over what is open. */
void gpube__counting_bounds(const struct gpube_counting *c, double *log_lower, double *log_upper);
/*
 * gpube__counting_hurry() - the last call: ends the search with one case each of what is open, for
 * so long at most. It makes the lower bound better, and positive where a case is found.
 */
int gpube__counting_hurry(struct gpube_counting *c, double until);

#endif
