/*
 * Random models through .wcsp and .cfn and back: every assignment keeps its
 * cost, and what can be kept of the rest is kept.
 */
#include "tests/support/test.h"
#include "gpube/options/options.h"

#include "tests/support/model_text.h"
#include "tests/support/random_model.h"

enum { N_SEEDS = 300 };

struct result {
	struct gpube_model *m;
	int status;
};

/* A model as another file gives it; the text stays for a second look. */
static struct result through(
	struct gpube_ctx *ctx, const struct gpube_model *m, enum gpube_format format, char **text)
{
	struct result r = {0};

	*text = model_to_text(m, format, &r.status);
	if (!r.status && text_to_model(&r.m, ctx, *text, format))
		fail_msg("%s in\n%s", gpube_error(ctx), *text);
	return r;
}

/* A cost as the minimisation sees it. */
static int64_t minimised(const struct gpube_model *m, int64_t cost)
{
	return cost == GPUBE_INF || m->direction == GPUBE_MINIMISE ? cost : -cost;
}

static void assert_same_costs(const struct gpube_model *m, const struct gpube_model *again)
{
	int32_t values[64] = {0};
	int64_t a, b;

	assert_true(m->n_vars <= 64);
	assert_int_equal(m->n_vars, again->n_vars);
	for (int32_t i = 0; i < m->n_vars; i++)
		assert_int_equal(m->vars[i].domain, again->vars[i].domain);
	do {
		if (gpube_model_cost(&a, m, values))
			continue; /* past 2^63: refused by the writers, too */
		assert_int_equal(gpube_model_cost(&b, again, values), 0);
		assert_int_equal(minimised(m, a), minimised(again, b));
	} while (next_assignment(values, m));
}

static void round_trip(void **state)
{
	static const enum gpube_format formats[] = {GPUBE_FORMAT_WCSP, GPUBE_FORMAT_CFN};
	uint64_t seed = *(const uint64_t *)*state;
	struct random_spec spec = random_spec_varied(seed, GPUBE_COSTS);
	struct gpube_ctx *ctx;
	struct gpube_model *m;

	assert_int_equal(gpube_ctx_new(&ctx, NULL), 0);
	m = random_model(ctx, &spec, seed);
	assert_non_null(m);
	for (int k = 0; k < 2; k++) {
		char *text, *text_again = NULL;
		struct result r = through(ctx, m, formats[k], &text), s = {0};

		if (r.status) {
			/* negative totals in .wcsp, and what passes toulbar2's range */
			assert_int_equal(r.status, GPUBE_ERANGE);
			continue;
		}
		assert_same_costs(m, r.m);
		if (formats[k] == GPUBE_FORMAT_CFN) {
			assert_int_equal(r.m->direction, m->direction);
			assert_int_equal(r.m->scale, m->scale);
		}
		/* written again it is the same, once it is as the format has it */
		s = through(ctx, r.m, formats[k], &text_again);
		assert_int_equal(s.status, 0);
		assert_same_costs(r.m, s.m);
		free(text);
		free(text_again);
		gpube_model_free(r.m);
		gpube_model_free(s.m);
	}
	gpube_model_free(m);
	gpube_ctx_free(ctx);
}

/* Nothing that both formats hold is lost: tables, their sharing, names, constant, top. */
static void kept(void **state)
{
	static const char text[] =
		"{{name <50.0} {x 2 y 3 z{a b} u 3} {c{[] [1.5]} p{[z u] q} q{[x y] [1 2 3 4 5.5 "
		"6]}\nr{[x y z u] 2.5 [0 1 0 0 7 1 2 1 2 8]} s{[y] [0 inf 3]}}}";
	struct gpube_ctx *ctx;
	struct gpube_model *m, *n;
	char *again;
	int status;

	(void)state;
	assert_int_equal(gpube_ctx_new(&ctx, NULL), 0);
	assert_int_equal(text_to_model(&m, ctx, text, GPUBE_FORMAT_CFN), 0);
	again = model_to_text(m, GPUBE_FORMAT_CFN, &status);
	assert_int_equal(status, 0);
	assert_int_equal(text_to_model(&n, ctx, again, GPUBE_FORMAT_CFN), 0);
	assert_string_equal(n->name, "name");
	assert_int_equal(n->top, 500);
	assert_int_equal(n->constant, 15);
	assert_int_equal(n->n_tables, m->n_tables);
	assert_int_equal(n->n_functions, m->n_functions);
	for (int32_t i = 0; i < m->n_vars; i++)
		assert_string_equal(m->vars[i].name, n->vars[i].name);
	for (int32_t f = 0; f < m->n_functions; f++) {
		const struct gpube_table *a = gpube__table(m, f), *b = gpube__table(n, f);

		assert_string_equal(m->functions[f].name, n->functions[f].name);
		assert_int_equal(a->sparse, b->sparse);
		assert_int_equal(a->type, b->type);
		assert_int_equal(a->n_users, b->n_users);
		assert_int_equal(a->n, b->n);
		for (int64_t k = 0; k < a->n; k++)
			assert_int_equal(gpube__table_int(a, k), gpube__table_int(b, k));
		assert_memory_equal(
			gpube__scope(m, f), gpube__scope(n, f), (size_t)a->arity * sizeof(int32_t));
	}
	free(again);
	gpube_model_free(m);
	gpube_model_free(n);
	gpube_ctx_free(ctx);
}

int main(void)
{
	static struct CMUnitTest tests[N_SEEDS + 1];
	static uint64_t seeds[N_SEEDS];
	static char names[N_SEEDS][20];

	for (int k = 0; k < N_SEEDS; k++) {
		seeds[k] = (uint64_t)k + 1;
		snprintf(names[k], sizeof(names[k]), "seed %d", k + 1);
		tests[k] = (struct CMUnitTest){names[k], round_trip, NULL, NULL, &seeds[k]};
	}
	tests[N_SEEDS] = (struct CMUnitTest)cmocka_unit_test(kept);
	return _cmocka_run_group_tests("costs", tests, N_SEEDS + 1, NULL, NULL);
}
