/* distributions.h - what a random game's values are made of. Internal to csg/. */
#ifndef CSG_DISTRIBUTIONS_H
#define CSG_DISTRIBUTIONS_H

#include "csg/view.h"
#include "gpube/ops/subset/subset.h"

/* value: of a coalition of k agents; NULL where fill.draw says it */
struct csg__source {
	struct gpube_fill fill;
	double (*value)(const struct csg__source *s, struct gpube_rng *rng, uint64_t c, int k);
};

/* A number of a normal distribution, by Box and Muller. */
double csg__draw_normal(struct gpube_rng *rng, double mean, double sd);

/* Number k of the distributions, NULL past the last. */
const char *csg__distribution(int k);
/* The same of auctions. */
const char *csg__auction_distribution(int k);
/*
 * gpube_coalitions_generate(), in memory, on the device or not stored; gpube_auction_generate().
 */
int csg__generate(struct gpube_model **out, struct gpube_ctx *ctx, const char *distribution,
	int n_agents, enum gpube_type type, uint64_t seed);
int csg__generate_on_device(struct gpube_model **out, struct gpube_ctx *ctx,
	const char *distribution, int n_agents, enum gpube_type type, uint64_t seed);
int csg__generate_unstored(struct gpube_model **out, struct gpube_ctx *ctx,
	const char *distribution, int n_agents, enum gpube_type type, uint64_t seed);
int csg__auction_generate(struct gpube_model **out, struct gpube_ctx *ctx, const char *distribution,
	int n_goods, int n_bids, uint64_t seed);

/*
 * Which distribution has that name, of those that name_of() counts up. Errors: EINVAL, with all
 * names
 */
int csg__find_distribution(
	int *k, struct gpube_ctx *ctx, const char *name, const char *(*name_of)(int k));
/* fill.values is set by the caller. Errors: EINVAL */
int csg__source_init(struct csg__source *s, struct gpube_ctx *ctx, const char *distribution,
	int n_agents, enum gpube_type type, uint64_t seed);

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
