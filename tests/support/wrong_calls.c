/* wrong_calls.c - see wrong_calls.h. */
#include "tests/support/wrong_calls.h"

#include <ctype.h>
#include <math.h>

#include "tests/support/cases.h"
#include "tests/support/files.h"

const double bad_seconds[3] = {-1, -INFINITY, NAN};

/* ---- the cases ----------------------------------------------------------------------------- */

static struct cases cases;
static const char *const *read_headers;
static void (*check_unchanged)(void);

static void changes_nothing(void **state)
{
	const struct wrong_call *call = *state;

	call->make();
	check_unchanged();
}

void wrong_calls_add(const struct wrong_call *call)
{
	add_case(&cases, changes_nothing, call, "%s", call->name);
}

/* Every function that a header exports. */
static void headers_are_covered(void **state)
{
	size_t n = 1; /* this case */

	(void)state;
	for (const char *const *header = read_headers; *header; header++) {
		size_t length;
		char *text = test_get(*header, &length), *at = text;

		assert_non_null(text);
		while ((at = strstr(at, "\nGPUBE_API "))) {
			char *end = strchr(at, '('), *begin = end;
			size_t k = 0;

			assert_non_null(end);
			while (isalnum((unsigned char)begin[-1]) || begin[-1] == '_')
				begin--;
			*end = 0;
			while (k < cases.n && strcmp(cases.tests[k].name, begin) != 0)
				k++;
			if (k == cases.n)
				fail_msg("%s: no wrong calls of %s()", *header, begin);
			at = end + 1;
			n++;
		}
		free(text);
	}
	assert_int_equal(n, cases.n);
}

int wrong_calls_run(const char *const headers[], int (*set_up)(void **), int (*tear_down)(void **),
	void (*unchanged)(void))
{
	read_headers = headers;
	check_unchanged = unchanged;
	ADD_CASE(&cases, headers_are_covered);
	return run_cases(&cases, "wrong calls", set_up, tear_down);
}

/* ---- the models ---------------------------------------------------------------------------- */

struct gpube_model *m, *potentials;
const int32_t two[2] = {0, 1}, twice[2] = {1, 1}, none_such[2] = {0, 9}, below[2] = {-1, 0};
const int64_t six[6] = {0, 1, 2, 3, 4, 5};
const double reals[6] = {0, 1, 2, 3, 4, 5};

static char said[2][4096];

/* All that the accessors say of a model, as text. */
static void describe(char text[4096], const struct gpube_model *model)
{
	size_t n = 0;

#define SAY(...) n += (size_t)snprintf(text + n, sizeof(said[0]) - n, __VA_ARGS__)
	SAY("%d %d %d %lld %lld:", gpube_model_kind(model), gpube_model_direction(model),
		gpube_model_scale(model), (long long)gpube_model_constant(model),
		(long long)gpube_model_top(model));
	for (int32_t i = 0; i < gpube_model_n_vars(model); i++)
		SAY(" %d %s %d,", gpube_model_domain(model, i),
			gpube_model_var_name(model, i) ? gpube_model_var_name(model, i) : "-",
			gpube_model_observed(model, i));
	for (int32_t f = 0; f < gpube_model_n_functions(model); f++) {
		int64_t costs[6] = {0};
		double values[6] = {0};
		const int32_t *scope;
		int arity = gpube_model_scope(&scope, model, f);

		assert_in_range(gpube_model_cells(model, f), 1, 6);
		if (gpube_model_kind(model) == GPUBE_COSTS)
			assert_int_equal(gpube_model_costs(costs, model, f), 0);
		else
			assert_int_equal(gpube_model_potentials(values, model, f), 0);
		for (int k = 0; k < arity; k++)
			SAY(" %d", scope[k]);
		for (int k = 0; k < 6; k++)
			SAY(" %lld %g", (long long)costs[k], values[k]);
	}
#undef SAY
	assert_true(n < sizeof(said[0]));
}

void wrong_models_unchanged(void)
{
	char now[4096];

	describe(now, m);
	assert_string_equal(now, said[0]);
	describe(now, potentials);
	assert_string_equal(now, said[1]);
}

int wrong_models_setup(void **state)
{
	if (ctx_dir_setup(state))
		return -1;
	assert_int_equal(gpube_model_new(&m, ctx, GPUBE_COSTS), 0);
	assert_int_equal(gpube_model_new(&potentials, ctx, GPUBE_POTENTIALS), 0);
	for (int k = 0; k < 2; k++) {
		assert_int_equal(gpube_model_add_var(k ? m : potentials, NULL, 2, "x"), 0);
		assert_int_equal(gpube_model_add_var(k ? m : potentials, NULL, 3, NULL), 0);
	}
	assert_int_equal(gpube_model_add_costs(m, 2, two, six), 0);
	assert_int_equal(gpube_model_add_costs(m, 0, NULL, &six[5]), 0);
	assert_int_equal(gpube_model_add_potentials(potentials, 2, two, reals), 0);
	describe(said[0], m);
	describe(said[1], potentials);
	return 0;
}

int wrong_models_teardown(void **state)
{
	gpube_model_free(m);
	gpube_model_free(potentials);
	return ctx_dir_teardown(state);
}
