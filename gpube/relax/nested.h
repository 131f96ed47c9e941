/*
 * nested.h - the dual ascent on nested regions (ops/regions/regions.h) of the pairs of a
 * model: all triangles of their graph, and its 4-cliques as far as memory goes.
 *
 * The state is a backend's. What the host wants to know of it, live values, the
 * tables of variables and pairs, the constant, is read into the tables (pairs.h)
 * that it was made of, whose functions then decode, choose, and eliminate.
 */
#ifndef GPUBE_NESTED_H
#define GPUBE_NESTED_H

#include "gpube/relax/pairs.h"
#include "gpube/ops/regions/regions.h"

struct gpube_nested {
	struct gpube_ctx *ctx;
	const struct gpube_ops *ops;
	const struct gpube_regions_ops *regions;
	struct gpube_pairs *c;
	struct gpube_regions_plan plan;
	int32_t *kept;  /* scratch: n + 1 beginnings, then values */
	int32_t *cells; /* scratch: what is read */
};

/* Of triples alone: these, by three variables each, ascending; n below 0: all. */
struct gpube_nested_triples {
	const int32_t *vars;
	int32_t n;
};

/* A state of the ascent, the whole or a part of its assignments. */
struct gpube_nested_problem {
	struct gpube_regions r;
	int32_t *values; /* the live ones, of the model, all variables' in a row */
	int64_t constant, target;
	double states, seconds; /* for whoever splits parts: see nested_run.c */
	int depth;
};

/*
 * gpube__nested_init() - regions of the pairs of c, of a model that suits.
 * ops     of the backend that 'regions' is of
 * bytes   most memory of a state; quads that do not fit are left out
 * only    NULL: all triples and quads
 * Errors: ENOMEM, ELIMIT, ECUDA
 */
int gpube__nested_init(struct gpube_nested *n, struct gpube_pairs *c, const struct gpube_ops *ops,
	const struct gpube_regions_ops *regions, double bytes,
	const struct gpube_nested_triples *only);
void gpube__nested_clear(struct gpube_nested *n);

/*
 * In nested_plan.c: the pairs, triangles and 4-cliques of n->c, as n->plan. Errors: ENOMEM, ELIMIT
 */
int gpube__nested_find(
	struct gpube_nested *n, double bytes, const struct gpube_nested_triples *only);

/* Whether a device will be opened for the ascent on regions, if nothing ends it before. */
bool gpube__nested_likely(const struct gpube_model *m);

/* Whether m has functions of pairs and no larger ones, of domains that the backend takes. */
bool gpube__nested_suits(const struct gpube_model *m, const struct gpube_regions_ops *regions);

/* The state of c as a part of everything. Errors: ENOMEM, ECUDA */
int gpube__nested_first(struct gpube_nested_problem **out, struct gpube_nested *n);
void gpube__nested_free(struct gpube_nested *n, struct gpube_nested_problem *p);

/* n_passes passes, in turns forward and backward; then the constant is known. */
int gpube__nested_passes(
	struct gpube_nested *n, struct gpube_nested_problem *p, int n_passes, int what);

/* Reads live values, tables and the constant into n->c. */
int gpube__nested_read(struct gpube_nested *n, const struct gpube_nested_problem *p);

/*
 * The costs where they are now (moved.h), of all values, on the CPU, and where no pass had quads;
 * from: the model of n->c. Errors: ENOMEM
 */
int gpube__nested_model(struct gpube_model **out, const struct gpube_nested *n,
	const struct gpube_nested_problem *p, const struct gpube_model *from);

/* A lower target. */
int gpube__nested_target(struct gpube_nested *n, struct gpube_nested_problem *p, int64_t target);

/*
 * gpube__nested_shrink() - a copy of p, which was read last, without its dead values, and
 * without those of variable 'var' (-1: none) that are not to be kept.
 * Returns OK with *out NULL if a variable has no value left.
 */
int gpube__nested_shrink(struct gpube_nested_problem **out, struct gpube_nested *n,
	const struct gpube_nested_problem *p, int32_t var, const uint8_t *keep);

/* Values that the last gpube__nested_read() found dead. */
int32_t gpube__nested_n_dead(const struct gpube_nested *n);

#endif
