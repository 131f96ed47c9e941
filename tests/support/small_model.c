/* small_model.c - see small_model.h. */
#include "tests/support/small_model.h"

#include "tests/support/context.h"
#include "tests/support/test.h"

struct gpube_model *new_model(int n_vars, int32_t domain)
{
	struct gpube_model *m;

	assert_int_equal(gpube_model_new(&m, ctx, GPUBE_COSTS), 0);
	for (int i = 0; i < n_vars; i++)
		assert_int_equal(gpube_model_add_var(m, NULL, domain, NULL), 0);
	return m;
}

void add(struct gpube_model *m, int arity, const int32_t *scope, const int64_t *costs)
{
	assert_int_equal(gpube_model_add_costs(m, arity, scope, costs), 0);
}
