/*
 * gpube_model_lend(): a model on the caller's cells is that of the same cells copied, whatever
 * their type, and what changes or frees it leaves them alone.
 */
#include "tests/support/test.h"

#include <math.h>

#include "csg/csg.h"
#include "gpube/base/base.h"
#include "gpube/coalitions.h"
#include "gpube/solver.h"
#include "tests/support/context.h"

enum { CELLS = 24, N_AGENTS = 7 };

static const int32_t scope[] = {2, 0, 1}, domains[] = {2, 3, 4};

static struct gpube_model *new_model(enum gpube_kind kind)
{
	struct gpube_model *m;

	assert_int_equal(gpube_model_new(&m, ctx, kind), 0);
	for (int k = 0; k < 3; k++)
		assert_int_equal(gpube_model_add_var(m, NULL, domains[k], NULL), 0);
	return m;
}

/* Numbers of a type, some of them forbidden; and as costs of 64 bits. */
static void draw(void *cells, int64_t *costs, enum gpube_type type)
{
	const int bits[] = {8, 16, 32, 64};
	const int64_t most = INT64_MAX >> (64 - bits[type]);
	struct gpube_rng rng;

	gpube__rng_init(&rng, (uint64_t)type + 1);
	for (int k = 0; k < CELLS; k++) {
		const int64_t v = k % 5 == 3 ? most : (int64_t)gpube__rng_below(&rng, 200) - 100;

		costs[k] = v == most ? GPUBE_INF : v;
		if (type == GPUBE_INT8)
			((int8_t *)cells)[k] = (int8_t)v;
		else if (type == GPUBE_INT16)
			((int16_t *)cells)[k] = (int16_t)v;
		else if (type == GPUBE_INT32)
			((int32_t *)cells)[k] = (int32_t)v;
		else
			((int64_t *)cells)[k] = v;
	}
}

static void same_costs(const struct gpube_model *a, const struct gpube_model *b)
{
	int32_t v[3];

	for (v[0] = 0; v[0] < domains[0]; v[0]++)
		for (v[1] = 0; v[1] < domains[1]; v[1]++)
			for (v[2] = 0; v[2] < domains[2]; v[2]++) {
				int64_t x, y;

				assert_int_equal(gpube_model_cost(&x, a, v), 0);
				assert_int_equal(gpube_model_cost(&y, b, v), 0);
				assert_true(x == y);
			}
}

static void changed_and_freed(struct gpube_model *m, const int64_t *costs)
{
	const int32_t at[] = {1, 1, 1};
	struct gpube_solver *s;
	int64_t now[CELLS];

	assert_int_equal(gpube_solver_new(&s, ctx, m, NULL), 0);
	assert_int_equal(gpube_solver_change_cost(s, 0, at, 5), 0);
	gpube_solver_free(s);
	assert_int_equal(gpube_model_costs(now, m, 0), 0);
	assert_memory_equal(now, costs, sizeof(now));
	gpube_model_free(m);
}

static void costs_of_all_types(void **state)
{
	(void)state;
	for (int type = GPUBE_INT8; type <= GPUBE_INT64; type++) {
		int64_t cells[CELLS], before[CELLS], costs[CELLS];
		struct gpube_model *lent = new_model(GPUBE_COSTS), *copied = new_model(GPUBE_COSTS);

		memset(cells, 0, sizeof(cells));
		draw(cells, costs, (enum gpube_type)type);
		memcpy(before, cells, sizeof(cells));
		assert_int_equal(gpube_model_lend(lent, 3, scope, (enum gpube_type)type, cells), 0);
		assert_int_equal(gpube_model_add_costs(copied, 3, scope, costs), 0);
		same_costs(lent, copied);
		changed_and_freed(lent, costs);
		gpube_model_free(copied);
		assert_memory_equal(cells, before, sizeof(cells));
	}
}

/* A solver's own function may be lent, too: a cell that changes is a copy's. */
static void changed_in_a_solver(void **state)
{
	int32_t cells[CELLS] = {0}, before[CELLS] = {0};
	const int32_t at[] = {1, 1, 1}, values[] = {1, 1, 1};
	struct gpube_model *m = new_model(GPUBE_COSTS);
	struct gpube_solver *s;
	int64_t cost;

	(void)state;
	assert_int_equal(gpube_solver_new(&s, ctx, m, NULL), 0);
	assert_int_equal(gpube_model_lend(gpube_solver_model(s), 3, scope, GPUBE_INT32, cells), 0);
	assert_int_equal(gpube_solver_change_cost(s, 0, at, 7), 0);
	assert_int_equal(gpube_model_cost(&cost, gpube_solver_model(s), values), 0);
	assert_int_equal(cost, 7);
	assert_memory_equal(cells, before, sizeof(cells));
	gpube_solver_free(s);
	gpube_model_free(m);
}

static void potentials(void **state)
{
	float cells[CELLS];
	double copy[CELLS], x, y;
	struct gpube_model *lent = new_model(GPUBE_POTENTIALS),
			   *copied = new_model(GPUBE_POTENTIALS);
	const int32_t v[] = {1, 2, 3};

	(void)state;
	for (int k = 0; k < CELLS; k++)
		copy[k] = cells[k] = 1 / (float)(k + 1);
	assert_int_equal(gpube_model_lend(lent, 3, scope, GPUBE_FLOAT32, cells), 0);
	assert_int_equal(gpube_model_add_potentials(copied, 3, scope, copy), 0);
	assert_int_equal(gpube_model_log_value(&x, lent, v), 0);
	assert_int_equal(gpube_model_log_value(&y, copied, v), 0);
	assert_true(x == y);
	cells[5] = NAN;
	assert_int_equal(gpube_model_lend(lent, 3, scope, GPUBE_FLOAT32, cells), GPUBE_EINVAL);
	gpube_model_free(lent);
	gpube_model_free(copied);
}

static void constants(void **state)
{
	const int8_t cells[] = {-7};
	struct gpube_model *m = new_model(GPUBE_COSTS);
	const int32_t v[] = {0, 0, 0};
	int64_t cost;

	(void)state;
	assert_int_equal(gpube_model_lend(m, 0, NULL, GPUBE_INT8, cells), 0);
	assert_int_equal(gpube_model_cost(&cost, m, v), 0);
	assert_int_equal(cost, -7);
	gpube_model_free(m);
}

static struct gpube_model *agents(int n)
{
	struct gpube_model *m;

	assert_int_equal(gpube_model_new(&m, ctx, GPUBE_COALITIONS), 0);
	for (int i = 0; i < n; i++)
		assert_int_equal(gpube_model_add_var(m, NULL, 2, NULL), 0);
	return m;
}

static void coalitions(void **state)
{
	static const int32_t down[] = {6, 5, 4, 3, 2, 1, 0};
	int32_t values[1 << N_AGENTS] = {0};
	struct gpube_model *lent = agents(N_AGENTS), *copied;
	struct gpube_rng rng;

	(void)state;
	gpube__rng_init(&rng, 3);
	for (int c = 1; c < 1 << N_AGENTS; c++)
		values[c] = c % 9 == 8 ? INT32_MIN : (int32_t)gpube__rng_below(&rng, 1000) - 100;
	assert_int_equal(gpube_model_lend(lent, N_AGENTS, down, GPUBE_INT32, values), 0);
	assert_int_equal(gpube_coalitions_new(&copied, ctx, N_AGENTS, GPUBE_INT32), 0);
	memcpy(gpube_coalitions_values(copied), values, sizeof(values));
	for (int disposal = 0; disposal < 2; disposal++) {
		struct gpube_csg_result *a, *b;
		struct gpube_opts *o;

		assert_int_equal(gpube_opts_new(&o, ctx), 0);
		assert_int_equal(gpube_opts_set_int(o, "free_disposal", disposal), 0);
		assert_int_equal(gpube_csg(&a, lent, o), 0);
		assert_int_equal(gpube_csg(&b, copied, o), 0);
		assert_true(a->value_int == b->value_int);
		gpube_result_free(a);
		gpube_result_free(b);
		gpube_opts_free(o);
		assert_memory_equal(gpube_coalitions_values(copied), values, sizeof(values));
	}
	assert_int_equal(gpube_model_lend(lent, N_AGENTS, down, GPUBE_INT32, values), GPUBE_EINVAL);
	gpube_model_free(lent);
	gpube_model_free(copied);
}

static void no_game(void **state)
{
	static const int32_t down[] = {1, 0}, up[] = {0, 1};
	static const int16_t values[] = {0, 1, 2, 3}, empty[] = {1, 1, 2, 3};
	struct gpube_model *m = agents(2);

	(void)state;
	assert_int_equal(gpube_model_lend(m, 2, up, GPUBE_INT16, values), GPUBE_EINVAL);
	assert_int_equal(gpube_model_lend(m, 1, down, GPUBE_INT16, values), GPUBE_EINVAL);
	assert_int_equal(gpube_model_lend(m, 2, down, GPUBE_INT8, values), GPUBE_EINVAL);
	assert_int_equal(gpube_model_lend(m, 2, down, GPUBE_INT16, empty), GPUBE_EINVAL);
	assert_int_equal(gpube_model_lend(m, 2, down, GPUBE_INT16, values), 0);
	gpube_model_free(m);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(costs_of_all_types),
		cmocka_unit_test(changed_in_a_solver),
		cmocka_unit_test(potentials),
		cmocka_unit_test(constants),
		cmocka_unit_test(coalitions),
		cmocka_unit_test(no_game),
	};

	return cmocka_run_group_tests(tests, ctx_setup, ctx_teardown);
}
