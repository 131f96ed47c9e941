/*
 * part_solve.h - the engine on one part after the other, in a thread of its own. Totals are here
 * those of a model that is minimised: of a maximum negated.
 */
#ifndef GPUBE_PART_SOLVE_H
#define GPUBE_PART_SOLVE_H

#include "gpube/deal/hand.h"
#include "gpube/options/options.h"
#include "gpube/deal/part.h"

/*
 * How a part ended.
 * SPLIT    it was stopped for that: rows are the parts of it, which may be none
 * STOPPED  by a stop or for want of time
 * GAVE_UP  nothing that fits the memory says more
 */
enum gpube_part_end {
	GPUBE_PART_PROVED,
	GPUBE_PART_INFEASIBLE,
	GPUBE_PART_SPLIT,
	GPUBE_PART_STOPPED,
	GPUBE_PART_GAVE_UP,
};

/*
 * bound, cost, values  of the part at work: with the lock, until it has ended
 * news                 some of them is better than it was said
 * found                what the engine had in the end
 */
struct gpube_part_solver {
	struct gpube_hand hand;
	struct gpube_ctx *ctx;
	const struct gpube_model *m;
	struct gpube_opts opts;
	bool maximise;
	int32_t *row, n;
	pthread_mutex_t lock;
	int64_t limit, bound, cost;
	int32_t *values, wanted;
	bool news, has_values, over;
	enum gpube_part_end end;
	struct gpube_solution *found;
	struct gpube_rows rows;
};

static inline int64_t gpube__part_side(const struct gpube_part_solver *s, int64_t total)
{
	return s->maximise ? -total : total;
}

/*
 * m: of costs. opts: of the engine; precision is done, values and cutoff are another's. Errors:
 * ENOMEM
 */
int gpube__part_solver_open(struct gpube_part_solver *s, struct gpube_ctx *ctx,
	const struct gpube_model *m, const struct gpube_opts *opts);
void gpube__part_solver_close(struct gpube_part_solver *s);

/*
 * gpube__part_begin() - a part.
 * wanted   above 0: it is not solved, but split into so many at once
 * seconds  that are left; 0: any number
 * known    an assignment, or NULL
 */
int gpube__part_begin(struct gpube_part_solver *s, const int32_t *row, int32_t n, int64_t limit,
	int32_t wanted, double seconds, const int32_t *known);
/* Totals from here on are of no interest. */
void gpube__part_limit(struct gpube_part_solver *s, int64_t limit);
/* The part at work is stopped and split into so many. */
void gpube__part_wish(struct gpube_part_solver *s, int32_t wanted);
/* Ends the part at work, and later wishes are none. */
void gpube__part_stop(struct gpube_part_solver *s);
/*
 * What is better since the last call: bound, cost and values , values only if cost is below
 * GPUBE_INF.
 */
bool gpube__part_news(struct gpube_part_solver *s, int64_t *bound, int64_t *cost, int32_t *values);

#endif
