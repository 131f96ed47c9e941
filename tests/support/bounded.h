/* bounded.h - what gpube_bound() says against enumeration, in the context of context.h. */
#ifndef GPUBE_TEST_BOUNDED_H
#define GPUBE_TEST_BOUNDED_H

#include "gpube/simplify/simplify.h"
#include "gpube/options/options.h"
#include "tests/support/random_model.h"

/* gpube_bound(), which must succeed. */
struct gpube_solution *must_bound(const struct gpube_model *m, const struct gpube_opts *opts);
/* By that method and by elimination: the same answer, and the same optimum, which is proved. */
void must_agree(const struct gpube_model *m, struct gpube_opts opts);

/* Fails unless what is found on the random model is the optimum that brute_force() finds. */
void check_optimum(const struct random_spec *spec, uint64_t seed, const struct gpube_opts *opts);

/*
 * What an assignment costs in tables of scaled costs, as gpube/relax/pairs.h has them: its cost
 * in the model, shifted by so many bits; to the right with rounding, less by no more than a unit a
 * function.
 */
void check_scaled(const struct gpube_model *m, int64_t cost, int shift, int64_t scaled);

/*
 * check_scaled() of every assignment below the limit, with what 'total' finds of it in 'state'; -1
 * from there, for a dead cell, fails, and so does any if the limit is said to be reached. Returns
 * what the best of them costs, GPUBE_INF: there is none.
 */
int64_t check_scaled_costs(const struct gpube_model *m, int64_t limit, int shift, bool reached,
	int64_t (*total)(const void *state, const int32_t *values), const void *state);

/*
 * Fails unless the model that an ascent of that shift left (gpube/relax/moved.h) has no negative
 * cost and every assignment below the limit costs the same in it, every other one at least as much.
 */
void check_moved(
	const struct gpube_model *to, const struct gpube_model *m, int shift, int64_t limit);

/*
 * The random model of that seed, simplified, with the optimum that brute_force() finds of it
 * (GPUBE_INF: it has none); one seed in eight has costs that int32 does not hold.
 */
struct bounded {
	struct gpube_model *given;
	struct gpube_simplified s;
	int64_t optimum;
};

/* Whether simplification leaves something; bounded_clear() in any case. */
bool bounded_init(struct bounded *b, struct random_spec spec, uint64_t seed);
/* The same of models whose search trees have some hundred nodes; elimination finds the optimum. */
struct random_spec bounded_large_spec(uint64_t seed);
bool bounded_large_init(struct bounded *b, uint64_t seed);
void bounded_clear(struct bounded *b);

/*
 * 'walk' on the simplified random model, or the model as integers, of that seed, as far as it is
 * feasible: without a limit, and with limits from the optimum, where nothing is left, to a little
 * above it.
 */
void walk_random_model(
	void (*walk)(const struct gpube_model *m, int64_t limit, uint64_t seed), uint64_t seed);

/*
 * A bounder as gpube_bound() makes it, of a model that is not infeasible, with its variables in
 * order or the other way round; and its end, but for what a test has begun.
 */
struct gpube_bounder;
void begin_bounder(struct gpube_bounder *b, const struct gpube_simplified *s,
	const struct gpube_model *m, uint64_t seed);
void end_bounder(struct gpube_bounder *b);

/* A method that branches on a relaxation (gpube/bound/relaxed_run.h), and its step. */
struct relaxed_method {
	enum gpube_bound_method method;
	int (*step)(struct gpube_bounder *b, double seconds);
	double forbidden; /* part of the cells of its models, */
	int domain;       /* and values of their variables */
};

/*
 * check_scarce()  - each allocation fails in turn: no node is taken for closed, nothing crashes.
 * check_turns()   - two turns, of which the first fails at an allocation: what is lost or has not
 *                   begun is no proof, whether an assignment is known or not.
 */
void check_scarce(const struct relaxed_method *of);
void check_turns(const struct relaxed_method *of);

#endif
