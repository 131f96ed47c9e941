/*
 * Functions that are refused for their size: with the size and the limit, before anything is made,
 * by a call as in a file. And assignments of a model that are bounded by another one.
 */
#include "tests/support/test.h"
#include "gpube/options/options.h"

#include "gpube/globals.h"
#include "tests/support/cases.h"
#include "tests/support/context.h"
#include "tests/support/model_text.h"
#include "tests/support/random_model.h"

enum { TOP = 1000000000, N_SEEDS = 60 };

/* ---- sizes ----------------------------------------------------------------------------------- */

static const struct size_case {
	const char *keyword, *parameters;
	int n, domain;
	const char *says;
} sizes[] = {
	{"salldiff", " var 5", 600, 600,
		"salldiff over 600 variables has more than 2^63 tuples: at most 16777216 are "
		"expanded, and as chains "},
	{"salldiff", " var inf", 2900, 2,
		"salldiff over 2900 variables is 4203550 functions of two of them: at most 4194304 "
		"are made"},
	{"salldiff", " var inf", 2, 9000,
		"salldiff over 2 variables is tables of two of them with 81000000 cells: at most "
		"67108864 are made"},
	{"wgcc", " lin 1 1 0 3 4", 3000, 3,
		"cells or more: at most 1048576 and 67108864, 4194304 of one chain"},
	{"wsum", " lin 1 == 70000", 100, 1000,
		"wsum over 100 variables has more than 2^63 tuples: at most 16777216 are expanded, "
		"and as chains 99 hidden variables and "},
	{"sgrammar", " var 5 1 4 0 0", 30, 4,
		"1152921504606846976 tuples: at most 16777216 are expanded, and no chain does"},
	{"MST", "", 65, 65, "and as chains 129 hidden variables and 17850625 cells or more"},
};

/* For callers and for files alike, before anything is there. */
static void refuses_size(void **state)
{
	const struct size_case *c = *state;
	static char text[40000];
	int32_t scope[4000];
	char said[512];
	struct gpube_model *m, *read = NULL;

	assert_int_equal(gpube_model_new(&m, ctx, GPUBE_COSTS), 0);
	assert_int_equal(gpube_model_set_top(m, TOP), 0);
	snprintf(text, sizeof(text), "k %d %d 1 %d\n", c->n, c->domain, TOP);
	for (int i = 0; i < c->n; i++) {
		assert_int_equal(gpube_model_add_var(m, NULL, c->domain, NULL), 0);
		scope[i] = i;
		snprintf(text + strlen(text), sizeof(text) - strlen(text), "%d ", c->domain);
	}
	snprintf(text + strlen(text), sizeof(text) - strlen(text), "\n%d", c->n);
	for (int i = 0; i < c->n; i++)
		snprintf(text + strlen(text), sizeof(text) - strlen(text), " %d", i);
	snprintf(text + strlen(text), sizeof(text) - strlen(text), " -1 %s%s\n", c->keyword,
		strstr(c->parameters, "inf") ? " var 1000000000" : c->parameters);
	assert_int_equal(
		gpube_model_add_global(m, c->keyword, c->n, scope, c->parameters), GPUBE_ERANGE);
	snprintf(said, sizeof(said), "%s", gpube_error(ctx));
	if (!strstr(said, c->says))
		fail_msg("'%s' is not in '%s'", c->says, said);
	assert_int_equal(m->n_vars, c->n);
	assert_int_equal(m->n_functions, 0);
	assert_int_equal(text_to_model(&read, ctx, text, GPUBE_FORMAT_WCSP), GPUBE_ERANGE);
	assert_non_null(strstr(gpube_error(ctx), said));
	gpube_model_free(m);
}

/* The arrays are not looked at. */
static void too_many_given(void **state)
{
	static const int32_t scope[] = {0, 1}, tuple[] = {0, 0};
	static const int64_t costs[] = {0};
	struct gpube_model *m;

	(void)state;
	assert_int_equal(gpube_model_new(&m, ctx, GPUBE_COSTS), 0);
	for (int i = 0; i < 2; i++)
		assert_int_equal(gpube_model_add_var(m, NULL, 65536, NULL), 0);
	assert_int_equal(gpube_model_add_costs(m, 2, scope, costs), GPUBE_ERANGE);
	assert_string_equal(gpube_error(ctx), "a table of 4294967296 cells: at most 2147483648 are "
					      "given one by one");
	assert_int_equal(gpube_model_add_tuples(m, 2, scope, 0, GPUBE_MOST_CELLS + 1, tuple, costs),
		GPUBE_ERANGE);
	assert_string_equal(gpube_error(ctx), "a table of 2147483649 tuples: at most 2147483648 "
					      "are given one by one");
	gpube_model_free(m);
}

/* Assignments of another model by what they cost there, with a variable of the scope twice. */
static void bounded(void **state)
{
	const uint64_t seed = (uint64_t)(uintptr_t)*state;
	struct random_spec spec = random_spec_varied(seed, GPUBE_COSTS);
	struct gpube_model *inner = random_model(ctx, &spec, seed), *m;
	int32_t scope[16], values[32], tuple[16];
	const int n = inner->n_vars, low = (int)(seed % 7), high = low + (int)(seed % 23);
	bool twice = n > 1 && inner->vars[0].domain == inner->vars[1].domain && seed % 2;

	assert_int_equal(gpube_model_new(&m, ctx, GPUBE_COSTS), 0);
	for (int i = 0; i < n; i++) {
		assert_int_equal(gpube_model_add_var(m, NULL, inner->vars[i].domain, NULL), 0);
		scope[i] = i == 1 && twice ? 0 : i;
		values[i] = 0;
	}
	assert_int_equal(gpube_model_add_bounded(m, n, scope, inner, low, high), 0);
	for (int k = 0; k >= 0;) {
		int64_t cost, found;

		for (int i = 0; i < n; i++)
			tuple[i] = values[scope[i]];
		assert_int_equal(gpube_model_cost(&cost, inner, tuple), 0);
		assert_int_equal(gpube_model_complete(values, m), 0);
		assert_int_equal(gpube_model_cost(&found, m, values), 0);
		assert_true(
			found == (cost == GPUBE_INF || cost < low || cost >= high ? GPUBE_INF : 0));
		for (k = n - 1; k >= 0 && ++values[k] >= m->vars[k].domain; k--)
			values[k] = 0;
	}
	gpube_model_free(m);
	gpube_model_free(inner);
}

int main(void)
{
	struct cases c = {0};

	for (size_t k = 0; k < sizeof(sizes) / sizeof(*sizes); k++)
		add_case(&c, refuses_size, &sizes[k], "size of %s over %d variables",
			sizes[k].keyword, sizes[k].n);
	ADD_CASE(&c, too_many_given);
	add_numbers(&c, bounded, N_SEEDS, "bounded, seed");
	return run_cases(&c, "global sizes", ctx_dir_setup, ctx_dir_teardown);
}
