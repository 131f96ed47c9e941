/*
 * test_options.c - options by name: every row by text, by number and read again; what is refused,
 * and that memory may run out anywhere.
 */
#include <string.h>

#include "formats/formats.h"
#include "gpube/options/options.h"
#include "tests/support/cases.h"
#include "tests/support/context.h"
#include "tests/support/memory.h"
#include "tests/support/test.h"

static struct gpube_opts *new_options(struct gpube_ctx *c)
{
	struct gpube_opts *o;

	assert_int_equal(gpube_opts_new(&o, c), GPUBE_OK);
	return o;
}

static const char *value_of(const struct gpube_opts *o, const char *name)
{
	static char text[4096];

	assert_true(gpube_opts_get(text, sizeof(text), o, name) < (int)sizeof(text));
	return text;
}

static void expect(const struct gpube_opts *o, const char *name, const char *text)
{
	assert_string_equal(value_of(o, name), text);
}

static const char *refusal(int status, const struct gpube_opts *o)
{
	assert_int_equal(status, GPUBE_EINVAL);
	return gpube_opts_error(o);
}

/* ---- a row ----------------------------------------------------------------------------------- */

static void words(const struct gpube__opt *row)
{
	struct gpube_opts *o = new_options(NULL);
	char word[64];

	for (const char *w = row->argument; *w;
		w += strcspn(w, "|") + (w[strcspn(w, "|")] == '|')) {
		snprintf(word, sizeof(word), "%.*s", (int)strcspn(w, "|"), w);
		assert_int_equal(gpube_opts_set(o, row->name, word), GPUBE_OK);
		expect(o, row->name, word);
	}
	assert_non_null(strstr(refusal(gpube_opts_set(o, row->name, "nix"), o), row->name));
	gpube_opts_free(o);
}

/* The ends of the range by text and by number, and what is past them. */
static void range(const struct gpube__opt *row)
{
	const int64_t ends[] = {row->lo, row->hi == GPUBE__NO_END ? 1000000000000 : row->hi};
	const bool real = row->type == GPUBE__OPT_REAL || row->type == GPUBE__OPT_TIME;
	char text[64];

	for (int k = 0; k < 2; k++) {
		struct gpube_opts *a = new_options(NULL), *b = new_options(NULL);

		snprintf(text, sizeof(text), "%lld", (long long)ends[k]);
		assert_int_equal(gpube_opts_set(a, row->name, text), GPUBE_OK);
		assert_int_equal(gpube_opts_set_int(b, row->name, ends[k]), GPUBE_OK);
		expect(b, row->name, value_of(a, row->name));
		if (real) {
			assert_int_equal(gpube_opts_set_real(b, row->name, (double)ends[k]), 0);
			expect(b, row->name, value_of(a, row->name));
		}
		if (k == 0 || row->hi != GPUBE__NO_END)
			refusal(gpube_opts_set_int(b, row->name, k ? ends[k] + 1 : ends[k] - 1), b);
		expect(b, row->name, value_of(a, row->name)); /* as before */
		refusal(gpube_opts_set(a, row->name, "x"), a);
		refusal(gpube_opts_set(a, row->name, ""), a);
		gpube_opts_free(a);
		gpube_opts_free(b);
	}
}

static void row_by_row(void **state)
{
	const struct gpube__opt *row = *state;
	struct gpube_opts *o = new_options(NULL);
	static const int32_t numbers[] = {3, 0, 2};
	char dashes[64];

	snprintf(dashes, sizeof(dashes), "%s", row->name);
	for (char *p = dashes; *p; p++)
		*p = *p == '_' ? '-' : *p;
	switch (row->type) {
	case GPUBE__OPT_CHOICE:
		words(row);
		break;
	case GPUBE__OPT_INT:
	case GPUBE__OPT_LONG:
	case GPUBE__OPT_REAL:
	case GPUBE__OPT_TIME:
	case GPUBE__OPT_SIZE:
		range(row);
		break;
	case GPUBE__OPT_FLAG:
		expect(o, row->name, "no");
		assert_int_equal(gpube_opts_set(o, dashes, NULL), GPUBE_OK);
		expect(o, row->name, "yes");
		assert_int_equal(gpube_opts_set_int(o, row->name, 0), GPUBE_OK);
		expect(o, row->name, "no");
		refusal(gpube_opts_set(o, row->name, "maybe"), o);
		break;
	case GPUBE__OPT_TEXT:
		assert_int_equal(gpube_opts_set(o, dashes, "a"), GPUBE_OK);
		assert_int_equal(gpube_opts_set(o, dashes, "b"), GPUBE_OK);
		expect(o, row->name, "b");
		break;
	case GPUBE__OPT_TOTAL:
		assert_int_equal(gpube_opts_set(o, row->name, "-4.30"), GPUBE_OK);
		expect(o, row->name, "-4.30");
		assert_int_equal(gpube_opts_set_int(o, row->name, 430), GPUBE_OK);
		expect(o, row->name, "430");
		refusal(gpube_opts_set(o, row->name, "4,3"), o);
		break;
	case GPUBE__OPT_NUMBERS:
		assert_int_equal(gpube_opts_set(o, row->name, "3,0,2"), GPUBE_OK);
		expect(o, row->name, "3,0,2");
		assert_int_equal(gpube_opts_set_numbers(o, row->name, 2, numbers), GPUBE_OK);
		expect(o, row->name, "3,0");
		refusal(gpube_opts_set(o, row->name, "3,"), o);
		refusal(gpube_opts_set(o, row->name, "3,-1"), o);
		break;
	default:
		refusal(gpube_opts_set(o, row->name, "x"), o);
		break;
	}
	gpube_opts_free(o);
}

/* ---- calls ----------------------------------------------------------------------------------- */

/* A method of one call is none of another's; the last word that was given counts. */
static void of_one_name(void **state)
{
	struct gpube_opts *o = new_options(ctx);
	struct gpube_solution *s;
	struct gpube_model *m;

	(void)state;
	assert_int_equal(gpube_read(&m, ctx, "examples/exams.cfn", NULL), GPUBE_OK);
	assert_int_equal(gpube_opts_set(o, "method", "shift"), GPUBE_OK);
	assert_int_equal(gpube_solve(&s, m, o), GPUBE_EINVAL);
	assert_non_null(strstr(gpube_error(ctx), "method: expected auto|mbe"));
	assert_int_equal(gpube_opts_set(o, "method", "Eliminate"), GPUBE_OK);
	assert_int_equal(gpube_solve(&s, m, o), GPUBE_OK);
	assert_int_equal(s->cost, 430);
	gpube_result_free(s);
	assert_int_equal(gpube_opts_set(o, "cutoff", "4.3"), GPUBE_OK);
	assert_int_equal(gpube_solve(&s, m, o), GPUBE_OK);
	assert_true(s->closed);
	gpube_result_free(s);
	assert_int_equal(gpube_opts_set(o, "cutoff", "4.315"), GPUBE_OK);
	assert_int_equal(gpube_solve(&s, m, o), GPUBE_EINVAL);
	assert_non_null(strstr(gpube_error(ctx), "at most 2 decimals"));
	assert_int_equal(gpube_opts_set(o, "cutoff", "5"), GPUBE_OK);
	assert_int_equal(gpube_opts_set(o, "order", "0,1,2"), GPUBE_OK);
	assert_int_equal(gpube_solve(&s, m, o), GPUBE_EINVAL);
	assert_non_null(strstr(gpube_error(ctx), "order: expected 6 numbers, found 3"));
	assert_int_equal(gpube_opts_set(o, "order", "5,4,3,2,1,0"), GPUBE_OK);
	assert_int_equal(gpube_opts_set(o, "no-simplify", NULL), GPUBE_OK);
	assert_int_equal(gpube_solve(&s, m, o), GPUBE_OK);
	assert_int_equal(s->order[0], 5);
	gpube_result_free(s);
	assert_int_equal(gpube_opts_set(o, "order", "min-fill"), GPUBE_OK);
	assert_int_equal(gpube_solve(&s, m, o), GPUBE_OK);
	gpube_result_free(s);
	gpube_opts_free(o);
	gpube_model_free(m);
}

static void of_a_context(void **state)
{
	struct gpube_opts *o = new_options(NULL);
	struct gpube_ctx *c;

	(void)state;
	assert_int_equal(gpube_opts_set(o, "threads", "3"), GPUBE_OK);
	assert_int_equal(gpube_opts_set(o, "memory", "512M"), GPUBE_OK);
	assert_int_equal(gpube_opts_set(o, "devices", "1,0"), GPUBE_OK);
	assert_int_equal(gpube_ctx_new(&c, o), GPUBE_OK);
	assert_int_equal(c->n_threads, 3);
	assert_true(c->memory_bytes == (uint64_t)512 << 20);
	assert_true(c->n_devices == 2 && c->devices[0] == 1 && c->devices[1] == 0);
	gpube_ctx_free(c);
	assert_int_equal(gpube_opts_set(o, "seed", "3"), GPUBE_OK);
	assert_non_null(strstr(refusal(gpube_ctx_new(&c, o), o),
		"seed is no option of gpube_ctx_new(), but of gpube_solve(), gpube_bound()"));
	gpube_opts_free(o);
}

/* Every allocation may fail: ENOMEM, and the option is as it was. */
static void out_of_memory(void **state)
{
	(void)state;
	for (long k = 0, done = 0; !done; k++) {
		struct test_memory memory = {.fail_at = -1};
		struct gpube_ctx *c = test_memory_ctx(&memory);
		struct gpube_opts *o = NULL;
		int status;

		memory.n = 0;
		memory.fail_at = k;
		status = gpube_opts_new(&o, c);
		if (!status)
			status = gpube_opts_set(o, "evidence", "a");
		if (!status)
			status = gpube_opts_set(o, "order", "1,0");
		if (!status)
			status = gpube_opts_set(o, "cutoff", "1.5");
		if (!status) {
			status = gpube_opts_set(o, "evidence", "b");
			expect(o, "evidence", status ? "a" : "b");
		}
		assert_true(!status || status == GPUBE_ENOMEM);
		done = !status;
		gpube_opts_free(o);
		test_memory_end(c, &memory);
	}
}

static void all_are_listed(void **state)
{
	const struct gpube_option *option;
	int n = 0, n_calls = 0;

	(void)state;
	for (; (option = gpube_option(n, NULL)); n++)
		assert_true(option->name && option->type && option->help);
	assert_int_equal(n, GPUBE__N_OPTS);
	for (int c = 0; gpube__option_call(c); c++)
		for (int k = 0; (option = gpube_option(k, gpube__option_call(c))); k++)
			n_calls++;
	assert_true(n_calls > n);
}

static int n_heard;

static void hear_text(void *arg, enum gpube_log_level level, double progress, const char *text)
{
	assert_ptr_equal(arg, &n_heard);
	assert_in_range(level, GPUBE_LOG_NOTE, GPUBE_LOG_BOUNDS);
	assert_true(level != GPUBE_LOG_BOUNDS || progress >= 0);
	n_heard += level == GPUBE_LOG_BOUNDS && strstr(text, "bound 7") != NULL;
}

/* A function of level and text is a log, too, also when the options are gone. */
static void log_of_text(void **state)
{
	const int64_t costs[] = {9, 7};
	const int32_t scope[] = {0};
	struct gpube_opts *o = new_options(NULL);
	struct gpube_solution *solution;
	struct gpube_model *m;
	struct gpube_ctx *c;

	(void)state;
	assert_int_equal(gpube_opts_set_log(o, hear_text, &n_heard), 0);
	assert_int_equal(gpube_ctx_new(&c, o), 0);
	gpube_opts_free(o);
	assert_int_equal(gpube_model_new(&m, c, GPUBE_COSTS), 0);
	assert_int_equal(gpube_model_add_var(m, NULL, 2, NULL), 0);
	assert_int_equal(gpube_model_add_costs(m, 1, scope, costs), 0);
	assert_int_equal(gpube_solve(&solution, m, NULL), 0);
	assert_true(solution->cost == 7 && n_heard > 0);
	gpube_result_free(solution);
	gpube_model_free(m);
	gpube_ctx_free(c);
}

int main(void)
{
	struct cases c = {0};

	for (int k = 0; k < GPUBE__N_OPTS; k++)
		add_case(&c, row_by_row, &gpube__opts_table[k], "%s", gpube__opts_table[k].name);
	ADD_CASE(&c, of_one_name);
	ADD_CASE(&c, of_a_context);
	ADD_CASE(&c, out_of_memory);
	ADD_CASE(&c, all_are_listed);
	ADD_CASE(&c, log_of_text);
	return run_cases(&c, "options", ctx_setup, ctx_teardown);
}
