/*
 * What a model holds, read through the public header: a copy that is built of it prices
 * every assignment as the model does. One case a seed.
 */
#include "tests/support/test.h"

#include <string.h>

#include "gpube/gpube.h"
#include "tests/support/cases.h"
#include "tests/support/context.h"
#include "tests/support/memory.h"
#include "tests/support/random_model.h"

enum { N_SEEDS = 60 };

static void same_name(const char *a, const char *b)
{
	assert_true(!a == !b);
	if (a)
		assert_string_equal(a, b);
}

static int copy_function(struct gpube_model *copy, const struct gpube_model *m, int32_t f)
{
	const int32_t *scope;
	int arity = gpube_model_scope(&scope, m, f), status;
	int64_t cells = gpube_model_cells(m, f), wrong;
	double *potentials = malloc((size_t)cells * sizeof(*potentials));
	int64_t *costs = malloc((size_t)cells * sizeof(*costs));

	assert_non_null(potentials);
	assert_non_null(costs);
	if (gpube_model_info(m)->kind == GPUBE_COSTS) {
		assert_int_equal(gpube_model_potentials((double *)&wrong, m, f), GPUBE_EINVAL);
		assert_int_equal(gpube_model_costs(costs, m, f), 0);
		status = gpube_model_add_costs(copy, arity, scope, costs);
	} else {
		assert_int_equal(gpube_model_costs(&wrong, m, f), GPUBE_EINVAL);
		assert_int_equal(gpube_model_potentials(potentials, m, f), 0);
		status = gpube_model_add_potentials(copy, arity, scope, potentials);
	}
	free(potentials);
	free(costs);
	return status;
}

static struct gpube_model *copy_of(const struct gpube_model *m)
{
	int64_t constant = gpube_model_info(m)->constant;
	struct gpube_model *copy;

	assert_int_equal(gpube_model_new(&copy, ctx, gpube_model_info(m)->kind), 0);
	if (gpube_model_info(m)->kind == GPUBE_COSTS)
		assert_int_equal(
			gpube_model_set_direction(copy, gpube_model_info(m)->direction), 0);
	for (int32_t i = 0; i < gpube_model_n_vars(m); i++) {
		const char *name = gpube_model_var_name(m, i);
		int32_t domain = gpube_model_domain(m, i);

		assert_int_equal(gpube_model_add_var(copy, NULL, domain, name), 0);
		assert_int_equal(gpube_model_observe(copy, i, gpube_model_observed(m, i)), 0);
		same_name(name, gpube_model_var_name(copy, i));
		assert_null(gpube_model_value_name(copy, i, 0));
	}
	if (gpube_model_info(m)->kind == GPUBE_COSTS) {
		assert_int_equal(gpube_model_set_scale(copy, gpube_model_info(m)->scale), 0);
		assert_int_equal(gpube_model_add_costs(copy, 0, NULL, &constant), 0);
		assert_int_equal(gpube_model_set_top(copy, gpube_model_info(m)->top), 0);
	}
	for (int32_t f = 0; f < gpube_model_info(m)->n_functions; f++)
		assert_int_equal(copy_function(copy, m, f), 0);
	return copy;
}

static void expect_same(
	const struct gpube_model *a, const struct gpube_model *b, const int32_t *values)
{
	if (gpube_model_info(a)->kind == GPUBE_COSTS) {
		int64_t x, y;

		assert_int_equal(gpube_model_cost(&x, a, values), 0);
		assert_int_equal(gpube_model_cost(&y, b, values), 0);
		assert_true(x == y);
	} else {
		double x, y;

		assert_int_equal(gpube_model_log_value(&x, a, values), 0);
		assert_int_equal(gpube_model_log_value(&y, b, values), 0);
		assert_true(x == y);
	}
}

static void check_copy(uint64_t seed, enum gpube_kind kind)
{
	struct random_spec spec = random_spec_varied(seed, kind);
	struct gpube_model *m = random_model(ctx, &spec, seed), *copy;
	int32_t values[64] = {0}, i;

	assert_non_null(m);
	copy = copy_of(m);
	do {
		expect_same(m, copy, values);
		for (i = gpube_model_n_vars(m) - 1; i >= 0; i--) {
			if (++values[i] < gpube_model_domain(m, i))
				break;
			values[i] = 0;
		}
	} while (i >= 0);
	gpube_model_free(copy);
	gpube_model_free(m);
}

static void costs(void **state)
{
	check_copy((uint64_t)(uintptr_t)*state, GPUBE_COSTS);
}

static void potentials(void **state)
{
	check_copy((uint64_t)(uintptr_t)*state, GPUBE_POTENTIALS);
}

/*
 * Names of values: given, given again, taken back; what is refused, and memory that is, change
 * nothing.
 */
static void value_names(void **state)
{
	static const char *const days[] = {"monday", "tuesday"}, *const hours[] = {"nine", "ten"};
	static const char *const hole[] = {"nine", NULL};
	struct test_memory memory = {.fail_at = -1};
	struct gpube_ctx *own = test_memory_ctx(&memory);
	struct gpube_model *m;
	int status;

	(void)state;
	assert_int_equal(gpube_model_new(&m, own, GPUBE_COSTS), 0);
	assert_int_equal(gpube_model_add_var(m, NULL, 3, "other"), 0);
	assert_int_equal(gpube_model_add_var(m, NULL, 2, "slot"), 0);
	assert_null(gpube_model_value_name(m, 1, 0));
	assert_int_equal(gpube_model_name_values(m, 1, days), 0);
	assert_string_equal(gpube_model_value_name(m, 1, 1), "tuesday");
	assert_null(gpube_model_value_name(m, 0, 0));
	assert_int_equal(gpube_model_name_values(m, 1, hole), GPUBE_EINVAL);
	for (long k = 0;; k++) {
		memory.n = 0;
		memory.fail_at = k;
		status = gpube_model_name_values(m, 1, hours);
		if (!status)
			break;
		assert_int_equal(status, GPUBE_ENOMEM);
		assert_string_equal(gpube_model_value_name(m, 1, 0), "monday");
	}
	memory.fail_at = -1;
	assert_string_equal(gpube_model_value_name(m, 1, 0), "nine");
	assert_int_equal(gpube_model_name_values(m, 1, NULL), 0);
	assert_null(gpube_model_value_name(m, 1, 0));
	gpube_model_free(m);
	test_memory_end(own, &memory);
}

int main(void)
{
	struct cases c = {0};

	add_numbers(&c, costs, N_SEEDS, "costs, seed");
	add_numbers(&c, potentials, N_SEEDS, "potentials, seed");
	ADD_CASE(&c, value_names);
	return run_cases(&c, "model_read", ctx_setup, ctx_teardown);
}
