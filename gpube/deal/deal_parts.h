/*
 * deal_parts.h - what rank 0 knows of the parts of a model that ranks solve, and what it does with
 * them: see deal.h.
 *
 * Rank 0 has the parts and the best assignment; it gives each rank one part at a time, and hears of
 * every bound and assignment that improves. Its own is the whole model. The bound is the whole's,
 * or the least of all parts' if that is better.
 */
#ifndef GPUBE_DEAL_PARTS_H
#define GPUBE_DEAL_PARTS_H

#include "gpube/bound/bounder.h"
#include "gpube/options/options.h"
#include "gpube/deal/letters.h"
#include "gpube/deal/part_solve.h"

/*
 * From rank 0: PART, a row to work on (a: limit; flag: not to be solved, but split into so many;
 * seconds that are left); LIMIT (a); SPLIT (flag: how many; once the part has had so many seconds).
 * To it: NEWS (a: bound, b: cost, values); END (flag: enum gpube_part_end, a: bound; rows).
 */
enum { LETTER_PART, LETTER_LIMIT, LETTER_SPLIT, LETTER_NEWS, LETTER_END };

enum deal_part_state { PART_OPEN, PART_AT_WORK, PART_SPLITTING, PART_ENDED };

/* bound: of its assignments; atom: it cannot be split. The first one is the whole. */
struct deal_part {
	int32_t *row, n;
	enum deal_part_state state;
	int rank, depth;
	bool atom;
	double since;
	int64_t bound;
};

struct dealing {
	struct gpube_ctx *ctx;
	struct dcop_world *world;
	const struct gpube_model *given, *m; /* m: of costs */
	const struct gpube_opts *opts;
	struct gpube_part_solver solver;
	/* of this rank's solver, which has begun when the processor had so many seconds */
	int32_t task;
	double began;
	int32_t wish; /* into how many it is split, once it has had 'patience'; 0: it is not */
	double patience;
	int32_t *told; /* values, for a letter */
	struct gpube_letters letters;
	/* what follows is rank 0's */
	double start;
	bool eager;
	struct deal_part *parts;
	int64_t n_parts, capacity;
	int32_t *at;    /* of each rank: its part, or -1 */
	int64_t n_open; /* parts that have not ended; without the whole */
	int splitter;   /* the rank that is to say what parts of the whole there are, or -1 */
	bool proved;    /* the whole is */
	bool stopped, whole_gave_up, part_gave_up, feasible;
	int64_t bound, cost, limit, ended_bound;
	int32_t *best;
	double bound_at, cost_at, told_at;
	int64_t told_bound, told_cost;
	struct gpube_solution *whole; /* of rank 0, of the first part */
	struct gpube_steps steps;
};

static inline int64_t gpube__deal_total(const struct dealing *d, int64_t total)
{
	return gpube__part_side(&d->solver, total);
}

/*
 * A letter that gives this rank a part, or a wish for parts of its own, which gpube__deal_grant()
 * looks at often.
 */
int gpube__deal_begin(struct dealing *d, const struct gpube_letter *l, const int32_t *row);
void gpube__deal_wish(struct dealing *d, const struct gpube_letter *l);
void gpube__deal_grant(struct dealing *d);

/*
 * The rest is rank 0's. The whole is its own; for tests that want parts it is split before it is
 * begun.
 */
int gpube__deal_whole(struct dealing *d);
/* What there is to do goes to those that have nothing to do. */
int gpube__deal_parts(struct dealing *d);
/*
 * News, or the end of a part. Errors: EIO (nobody expects it), EBUG (an assignment that does not
 * cost what it says)
 */
int gpube__deal_read(
	struct dealing *d, int from, const struct gpube_letter *l, const int32_t *words);
/* The whole is proved, or all parts are; or nothing more is proved; or it is stopped. */
bool gpube__deal_is_over(const struct dealing *d);

#endif
