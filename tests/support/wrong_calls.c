/* wrong_calls.c - see wrong_calls.h. */
#include "tests/support/wrong_calls.h"
#include "gpube/options/options.h"

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

/* ---- options ------------------------------------------------------------------------------- */

static int log_nothing(void *arg, const struct gpube_progress *now)
{
	(void)arg;
	(void)now;
	return 0;
}

static void *no_memory(void *arg, void *p, size_t size)
{
	(void)arg;
	(void)p;
	(void)size;
	return NULL;
}

static int set_something(struct gpube_opts *o, const struct gpube_option *option)
{
	const char *bar = option->argument ? strrchr(option->argument, '|') : NULL;

	if (!strcmp(option->type, "choice"))
		return gpube_opts_set(o, option->name, bar + 1);
	if (!strcmp(option->type, "numbers"))
		return gpube_opts_set_numbers(o, option->name, 2, two);
	if (!strcmp(option->name, "progress"))
		return gpube_opts_set_progress(o, log_nothing, NULL);
	if (!strcmp(option->name, "give"))
		return gpube_opts_set_give(o, NULL, NULL);
	if (!strcmp(option->name, "log"))
		return gpube_opts_set_logger(o, NULL, NULL);
	if (!strcmp(option->name, "realloc"))
		return gpube_opts_set_realloc(o, no_memory, NULL);
	return gpube_opts_set(o, option->name,
		!strcmp(option->type, "flag") ? NULL
		: option->most == 1           ? "1"
					      : "3");
}

void wrong_options(const char *call, int (*make)(const struct gpube_opts *o))
{
	const struct gpube_option *option, *own;
	int n = 0;

	assert_non_null(gpube_option(0, call));
	for (int k = 0; (option = gpube_option(k, NULL)); k++) {
		struct gpube_opts *o;

		for (int i = 0; (own = gpube_option(i, call)) && strcmp(own->name, option->name);)
			i++;
		if (own)
			continue;
		assert_int_equal(gpube_opts_new(&o, ctx), GPUBE_OK);
		assert_int_equal(set_something(o, option), GPUBE_OK);
		assert_int_equal(make(o), GPUBE_EINVAL);
		assert_non_null(strstr(gpube_error(ctx), option->name));
		assert_non_null(strstr(gpube_error(ctx), call));
		gpube_opts_free(o);
		n++;
	}
	assert_true(n > 5);
}

/* ---- the models ---------------------------------------------------------------------------- */

struct gpube_model *m, *potentials;
const int32_t two[2] = {0, 1}, twice[2] = {1, 1}, none_such[2] = {0, 9}, below[2] = {-1, 0};
const int64_t six[6] = {0, 1, 2, 3, 4, 5};
const double reals[6] = {0, 1, 2, 3, 4, 5};

const struct gpube_opts wrong_orders[N_WRONG_ORDERS] = {
	{.order_method = GPUBE_ORDER_GIVEN},
	{.order_method = GPUBE_ORDER_GIVEN, .order = twice},
	{.order_method = GPUBE_ORDER_GIVEN, .order = none_such},
	{.order_method = GPUBE_ORDER_GIVEN, .order = below},
	{.order_method = GPUBE_ORDER_GIVEN, .order = two, .n_order = 1},
};

static char said[2][4096];

/* All that the accessors say of a model, as text. */
static void describe(char text[4096], const struct gpube_model *model)
{
	size_t n = 0;

#define SAY(...) n += (size_t)snprintf(text + n, sizeof(said[0]) - n, __VA_ARGS__)
	SAY("%d %d %d %lld %lld:", gpube_model_info(model)->kind,
		gpube_model_info(model)->direction, gpube_model_info(model)->scale,
		(long long)gpube_model_info(model)->constant,
		(long long)gpube_model_info(model)->top);
	for (int32_t i = 0; i < gpube_model_n_vars(model); i++)
		SAY(" %d %s %d,", gpube_model_domain(model, i),
			gpube_model_var_name(model, i) ? gpube_model_var_name(model, i) : "-",
			gpube_model_observed(model, i));
	for (int32_t f = 0; f < gpube_model_info(model)->n_functions; f++) {
		int64_t costs[6] = {0};
		double values[6] = {0};
		const int32_t *scope;
		int arity = gpube_model_scope(&scope, model, f);

		assert_in_range(gpube_model_cells(model, f), 1, 6);
		if (gpube_model_info(model)->kind == GPUBE_COSTS)
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
