/* What simplification refuses, and memory that runs out in it. */
#include "tests/support/test.h"

#include "tests/support/cases.h"
#include "tests/support/context.h"
#include "tests/support/memory.h"
#include "tests/support/random_model.h"
#include "tests/support/simplified.h"

static void overflow_is_refused(void **state)
{
	const int64_t big = (int64_t)1 << 61;
	struct gpube_model *m = new_model(4, 2);
	struct gpube_simplified s;

	(void)state;
	add(m, SCOPE(0), COSTS(0, big));
	check_simplified(m, true);
	add(m, SCOPE(1), COSTS(0, big - 1));
	check_simplified(m, true);
	check_simplified(m, false);
	add(m, SCOPE(2), COSTS(0, 1));
	for (int reductions = 0; reductions < 2; reductions++) {
		assert_int_equal(gpube__simplify(&s, m, reductions), GPUBE_ERANGE);
		assert_null(s.model);
		assert_null(s.var);
		assert_non_null(strstr(gpube_error(ctx), "can pass 2^63, or be 2^62 apart"));
	}
	/* the same costs are no danger below a top, or where a value is forbidden */
	assert_int_equal(gpube_model_set_top(m, 100), 0);
	check_simplified(m, true);
	check_simplified(m, false);
	assert_int_equal(gpube_model_set_top(m, GPUBE_INF), 0);
	add(m, SCOPE(1), COSTS(0, X));
	check_simplified(m, true);
	gpube_model_free(m);
	m = new_model(1, 2);
	add(m, SCOPE(0), COSTS(0, 2 * big));
	assert_int_equal(gpube__simplify(&s, m, true), GPUBE_ERANGE);
	assert_non_null(strstr(gpube_error(ctx), "function 0"));
	gpube_model_free(m);
	/* a constant moves the least and the greatest total: 2^63 - 1 is one too many */
	m = new_model(1, 2);
	add(m, SCOPE(0), COSTS(0, 2 * big - 2));
	m->constant = 2 * big;
	check_simplified(m, true);
	m->constant = 2 * big + 1;
	assert_int_equal(gpube__simplify(&s, m, true), GPUBE_ERANGE);
	m->constant = -INT64_MAX + 1;
	check_simplified(m, true);
	m->constant = -INT64_MAX;
	assert_int_equal(gpube__simplify(&s, m, true), GPUBE_ERANGE);
	gpube_model_free(m);
	/* what functions have in common counts once, wherever it is */
	m = new_model(1, 2);
	add(m, SCOPE(0), COSTS(3 * big, 3 * big + 5));
	add(m, SCOPE(0), COSTS(-3 * big, -3 * big - 7));
	check_simplified(m, true);
	check_simplified(m, false);
	gpube_model_free(m);
}

static void wrong_kind(void **state)
{
	struct gpube_model *m;
	struct gpube_simplified s;

	(void)state;
	assert_int_equal(gpube_model_new(&m, ctx, GPUBE_POTENTIALS), 0);
	assert_int_equal(gpube__simplify(&s, m, true), GPUBE_EINVAL);
	gpube_model_free(m);
}

static void check_failures(struct test_memory *memory, const struct gpube_model *m, bool reductions)
{
	long live = memory->live;
	struct gpube_simplified s;
	int status;

	for (long k = 0;; k++) {
		memory->n = 0;
		memory->fail_at = k;
		status = gpube__simplify(&s, m, reductions);
		if (!status)
			break;
		assert_int_equal(status, GPUBE_ENOMEM);
		assert_true(!s.model && !s.var && !s.value && !s.values);
		assert_true(memory->live == live);
	}
	memory->fail_at = -1;
	assert_true(memory->n > (s.infeasible ? 5 : 20));
	gpube__simplified_clear(m->ctx, &s);
	assert_true(memory->live == live);
}

static void out_of_memory(void **state)
{
	struct test_memory memory = {.fail_at = -1};
	struct random_spec spec = random_spec_default();
	struct gpube_ctx *own = test_memory_ctx(&memory);

	(void)state;
	spec.sparse = 0.5;
	spec.repeated = 0.4;
	for (uint64_t seed = 0; seed < 12; seed++) {
		struct gpube_model *m;

		spec.observed = seed % 2 ? 0.3 : 0;
		spec.forbidden = seed % 3 ? 0.1 : 0.3;
		spec.top = seed % 4 ? TOP_NONE : TOP_TIGHT;
		/* little memory for dense tables: sparse ones are merged as such */
		own->memory_bytes = seed % 2 ? 1 : (uint64_t)1 << 30;
		m = random_model(own, &spec, seed);
		assert_non_null(m);
		check_failures(&memory, m, true);
		check_failures(&memory, m, false);
		gpube_model_free(m);
	}
	assert_true(memory.live == 0);
	gpube_ctx_free(own);
}

int main(void)
{
	struct cases c = {0};

	ADD_CASE(&c, overflow_is_refused);
	ADD_CASE(&c, wrong_kind);
	ADD_CASE(&c, out_of_memory);
	return run_cases(&c, "simplify: limits", ctx_setup, ctx_teardown);
}
