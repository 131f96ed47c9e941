/* bounded.h - what gpube_bound() says against enumeration, in the context of context.h. */
#ifndef GPUBE_TEST_BOUNDED_H
#define GPUBE_TEST_BOUNDED_H

#include "tests/support/random_model.h"

/* gpube_bound(), which must succeed. */
struct gpube_solution *must_bound(const struct gpube_model *m, const struct gpube_bound_opts *opts);

/* Fails unless what is found on the random model is the optimum that brute_force() finds. */
void check_optimum(
	const struct random_spec *spec, uint64_t seed, const struct gpube_bound_opts *opts);

#endif
