/* distributions.h - what a random game's values are made of. Internal to csg/. */
#ifndef CSG_DISTRIBUTIONS_H
#define CSG_DISTRIBUTIONS_H

#include "csg/view.h"
#include "gpube/ops/subset/subset.h"

/* here: which distribution this file makes alone; 0: fill.draw says what any backend can make */
struct csg__source {
	struct gpube_fill fill;
	int here;
};

/* A number of a normal distribution, by Box and Muller. */
double csg__draw_normal(struct gpube_rng *rng, double mean, double sd);

/* Of options that are checked; fill.values is set by the caller. */
void csg__source_init(struct csg__source *s, const struct gpube_opts *o);

/* The same of values [from, from + n) alone. */
static inline struct csg__source csg__source_part(
	const struct csg__source *s, void *to, uint64_t from, uint64_t n)
{
	struct csg__source part = *s;

	part.fill.values = to;
	part.fill.from = from;
	part.fill.n = n;
	return part;
}

/* Values in the host's memory, on all threads. OK, or ESTOP and some are missing. */
int csg__source_values(const struct csg__source *s, struct gpube_ctx *ctx);

#endif
