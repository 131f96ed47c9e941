/* bounded.c - see bounded.h. */
#include "tests/support/bounded.h"

#include "tests/support/context.h"
#include "tests/support/test.h"

struct gpube_solution *must_bound(const struct gpube_model *m, const struct gpube_bound_opts *opts)
{
	struct gpube_solution *b;

	if (gpube_bound(&b, m, opts))
		fail_msg("%s", gpube_error(ctx));
	return b;
}

void check_optimum(
	const struct random_spec *spec, uint64_t seed, const struct gpube_bound_opts *opts)
{
	struct gpube_model *m = random_model(ctx, spec, seed);
	struct gpube_solution *got;
	struct brute brute;

	assert_non_null(m);
	assert_int_equal(brute_force(&brute, NULL, m), 0);
	got = must_bound(m, opts);
	assert_int_equal(got->answer,
		brute.feasible ? GPUBE_ANSWER_OPTIMAL : GPUBE_ANSWER_INFEASIBLE);
	if (brute.feasible) {
		assert_int_equal(got->bound, brute.cost);
		assert_int_equal(got->cost, brute.cost);
	}
	gpube_solution_free(got, ctx);
	gpube_model_free(m);
}
