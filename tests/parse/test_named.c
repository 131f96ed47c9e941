/* Variables and values by name or index: what a text stands for, what is refused, .evid files. */
#include "tests/support/test.h"
#include "gpube/options/options.h"

#include "formats/common/named.h"
#include "gpube/base/nearest.h"
#include "formats/common/registry.h"
#include "tests/support/cases.h"
#include "tests/support/context.h"
#include "tests/support/files.h"
#include "tests/support/memory.h"

static const char *const days[] = {"mon", "tue", "wed"}, *const odd[] = {"1", "3", "5"},
			 *const mixed[] = {"few", "0", "many"}, *const twice[] = {"a", "a", "b"},
			 *const states[] = {"a b", "1"};

/* rain without names of values; a hidden one in between; 7 named by a number; one without a name */
static struct gpube_model *make_model(struct gpube_ctx *c, const void *arg)
{
	static const struct {
		const char *name;
		const char *const *values;
		int32_t domain;
	} vars[] = {{"rain", NULL, 2}, {"^chain", NULL, 9}, {"day", days, 3}, {"7", odd, 3},
		{NULL, mixed, 3}, {"day", twice, 3}, {"wet grass", states, 2}};
	struct gpube_model *m;

	(void)arg;
	assert_int_equal(gpube_model_new(&m, c, GPUBE_COSTS), GPUBE_OK);
	for (int i = 0; i < 7; i++) {
		assert_int_equal(gpube__put_var(m, NULL, vars[i].domain, vars[i].name), 0);
		assert_int_equal(gpube__put_value_names(m, i, vars[i].values), 0);
	}
	gpube__hide(m, 1);
	return m;
}

static const struct text_row {
	const char *var, *value;
	int32_t is_var, is_value; /* -1: refused, with */
	const char *why;
} texts[] = {
	{"rain", "1", 0, 1, NULL},
	{"0", "0", 0, 0, NULL},
	{"day", "wed", 2, 2, NULL},
	{"day", "2", 2, 2, NULL},
	{"day", "02", 2, 2, NULL},
	{"1", "tue", 2, 1, NULL}, /* the hidden one does not count */
	{"7", "3", 3, 1, NULL},
	{"7", "1", 3, 0, NULL},
	{"3", "many", 4, 2, NULL},
	{"3", "0", 4, 1, NULL}, /* a name */
	{"3", "2", 4, 2, NULL}, /* an index */
	{"4", "a", 5, 0, NULL},
	{"4", "1", 5, 1, NULL},
	{"wet grass", "a b", 6, 0, NULL},
	{"2", "1", -1, -1, "expected a variable (rain, day, 7, 4, day, wet grass), found '2'"},
	{"6", "1", -1, -1, "expected a variable (rain, day, 7, 4, day, wet grass), found '6'"},
	{"^chain", "1", -1, -1,
		"expected a variable (rain, day, 7, 4, day, wet grass), found '^chain'"},
	{"", "1", -1, -1, "expected a variable (rain, day, 7, 4, day, wet grass), found ''"},
	{"99999999999999999999", "1", -1, -1,
		"expected a variable (rain, day, 7, 4, day, wet grass), found "
		"'99999999999999999999'"},
	{"rain", "2", 0, -1, "expected a value of variable rain from 0 to 1, found '2'"},
	{"rain", "yes", 0, -1, "expected a value of variable rain from 0 to 1, found 'yes'"},
	{"rain", "-1", 0, -1, "expected a value of variable rain from 0 to 1, found '-1'"},
	{"day", "thu", 2, -1, "expected a value of variable day (mon, tue, wed), found 'thu'"},
	{"day", "3", 2, -1, "expected a value of variable day (mon, tue, wed), found '3'"},
	{"7", "2", 3, -1, "expected a value of variable 7 (1, 3, 5), found '2'"},
	{"7", "0", 3, -1, "expected a value of variable 7 (1, 3, 5), found '0'"},
	{"3", "1", 4, -1, "expected a value of variable 4 (few, 0, many), found '1'"},
};

static void text(void **state)
{
	const struct text_row *row = *state;
	struct gpube_model *m = make_model(ctx, NULL);
	struct gpube_named n;
	int32_t var = -1, value = -1;

	assert_int_equal(gpube__named_init(&n, m), GPUBE_OK);
	assert_int_equal(gpube__named_var(&var, &n, row->var), row->is_var < 0 ? GPUBE_EINVAL : 0);
	assert_int_equal(var, row->is_var);
	if (var >= 0)
		assert_int_equal(gpube__named_value(&value, &n, var, row->value),
			row->is_value < 0 ? GPUBE_EINVAL : 0);
	assert_int_equal(value, row->is_value);
	if (row->why)
		assert_string_equal(gpube_error(ctx), row->why);
	gpube__named_clear(&n);
	gpube_model_free(m);
}

/* Of many names the nearest ones are told, or the first and how many there are. */
static void many_names(void **state)
{
	struct gpube_model *m;
	struct gpube_named n;
	int32_t v = -5;

	(void)state;
	assert_int_equal(gpube_model_new(&m, ctx, GPUBE_COSTS), GPUBE_OK);
	for (int i = 0; i < 30; i++) {
		char name[20];

		snprintf(name, sizeof(name), "river%c%d", 'a' + i % 3, i);
		assert_int_equal(gpube_model_add_var(m, NULL, 2, name), GPUBE_OK);
	}
	assert_int_equal(gpube__named_init(&n, m), GPUBE_OK);
	assert_int_equal(gpube__named_var(&v, &n, "rivera20"), GPUBE_EINVAL);
	assert_string_equal(gpube_error(ctx),
		"expected a variable (nearest: rivera0, riverc20, rivera21), found 'rivera20'");
	assert_int_equal(gpube__named_var(&v, &n, "lake"), GPUBE_EINVAL);
	assert_string_equal(gpube_error(ctx), "expected a variable (rivera0, riverb1, riverc2, "
					      "rivera3, riverb4, riverc5, rivera6, "
					      "riverb7 and 22 more), found 'lake'");
	assert_int_equal(v, -5);
	gpube__named_clear(&n);
	gpube_model_free(m);
}

/* What stands for a variable or value and for no other one. */
static void keys(void **state)
{
	static const char *const vars[] = {"rain", NULL, "day", "7", NULL, NULL, "wet grass"};
	struct gpube_model *m = make_model(ctx, NULL);
	struct gpube_named n;
	const char *key = "?";

	(void)state;
	assert_int_equal(gpube__named_init(&n, m), GPUBE_OK);
	for (int i = 0; i < 7; i++) {
		const char *name = gpube__named_key(&n, i);

		assert_int_equal(name == NULL, vars[i] == NULL);
		if (name)
			assert_string_equal(name, vars[i]);
	}
	assert_int_equal(gpube__named_value_key(&key, &n, 5, 0), GPUBE_OK);
	assert_string_equal(key, "a");
	assert_int_equal(gpube__named_value_key(&key, &n, 5, 1), GPUBE_OK);
	assert_null(key);
	assert_int_equal(gpube__named_value_key(&key, &n, 0, 1), GPUBE_OK);
	assert_null(key);
	gpube__named_clear(&n);
	gpube_model_free(m);
}

static void distances(void **state)
{
	struct gpube_nearest s = {.word = "tuesday"};

	(void)state;
	assert_int_equal(gpube__distance("abc", "abc"), 0);
	assert_int_equal(gpube__distance("abc", "acb"), 1);
	assert_int_equal(gpube__distance("abc", ""), 3);
	gpube__nearest_consider(&s, "thursday");
	gpube__nearest_consider(&s, "sunday"); /* too far */
	gpube__nearest_consider(&s, "Tuesday");
	assert_int_equal(s.n, 2);
	assert_string_equal(s.names[0], "Tuesday");
	assert_string_equal(s.names[1], "thursday");
}

/* ---- evidence by name ---------------------------------------------------------------------- */

static const struct evid_row {
	const char *text;
	int32_t seen[7];
	const char *why;
} evids[] = {
	{"1\nrain 1\n", {1, -1, -1, -1, -1, -1, -1}, NULL},
	{"1 day wed", {-1, -1, 2, -1, -1, -1, -1}, NULL},
	{"1\n2 day wed rain 0", {0, -1, 2, -1, -1, -1, -1}, NULL},
	{"3 0 0 1 1 \"wet grass\" \"a b\"", {0, -1, 1, -1, -1, -1, 0}, NULL},
	{"2 7 5\n3 \"0\"\n", {-1, -1, -1, 2, 1, -1, -1}, NULL},
	{"2 1 tue day tue", {-1, -1, 1, -1, -1, -1, -1}, NULL},
	{"1 wet grass", {0},
		":1: expected a variable (rain, day, 7, 4, day, wet grass), found 'wet'"},
	{"2 rain 1\n\"7\" 2", {0}, ":2: expected a value of variable 7 (1, 3, 5), found '2'"},
	{"2 rain 1 1 mon rain", {0},
		":1: 2 observations take 4 numbers (variable and value), found 5"},
	{"1 \"rain\n\" 1", {0}, ":1: expected a name of at most 254 bytes between two '\"'"},
	{"rain 1", {0}, ":1: expected the number of observations, found 'rain'"},
	{"1\nrain", {0}, ":1: 1 observation takes 2 numbers (variable and value), found 1"},
	/* the first of two samples */
	{"2\n1 day mon\n1 day tue\n", {-1, -1, 0, -1, -1, -1, -1}, NULL},
	{"2 day mon\nday tue", {0}, ":2: variable day is observed as mon and as tue"},
};

static int read_from(struct gpube_model *m, const char *path)
{
	const struct gpube_opts opts = {.evidence = path};

	return gpube__evid_read_for(m, "-", false, &opts);
}

static void evid(void **state)
{
	const struct evid_row *row = *state;
	struct gpube_model *m = make_model(ctx, NULL);
	int status;

	test_put(in_dir("e"), row->text, strlen(row->text));
	status = read_from(m, in_dir("e"));
	assert_int_equal(status, row->why ? GPUBE_EPARSE : GPUBE_OK);
	if (row->why)
		assert_string_equal(gpube_error(ctx) + strlen(in_dir("e")), row->why);
	for (int i = 0; i < 7 && !row->why; i++)
		assert_int_equal(gpube_model_observed(m, i), row->seen[i]);
	gpube_model_free(m);
}

/* A name may take 254 bytes between its quotation marks, however many follow. */
static void long_names(void **state)
{
	static const char why[] = ":1: expected a name of at most 254 bytes between two '\"'";
	struct gpube_model *m = make_model(ctx, NULL);
	char text[400];

	(void)state;
	for (int n = 254; n < 258; n++) {
		snprintf(text, sizeof(text), "1 \"%0*d\" 1 and more", n, 0);
		test_put(in_dir("e"), text, strlen(text));
		assert_int_equal(read_from(m, in_dir("e")), GPUBE_EPARSE);
		assert_int_equal(strcmp(gpube_error(ctx) + strlen(in_dir("e")), why) == 0, n > 254);
	}
	test_put(in_dir("e"), "1 \"ra\0in\" 1", 12);
	assert_int_equal(read_from(m, in_dir("e")), GPUBE_EPARSE);
	assert_string_equal(gpube_error(ctx) + strlen(in_dir("e")), why);
	gpube_model_free(m);
}

static int read_evid(struct gpube_ctx *c, struct gpube_model *m, const void *arg)
{
	(void)c;
	(void)arg;
	return read_from(m, in_dir("e"));
}

static void without_memory(void **state)
{
	static const char two[] = "2 day wed \"wet grass\" \"a b\"";

	(void)state;
	test_put(in_dir("e"), two, strlen(two));
	assert_true(fail_each_allocation(read_evid, make_model, NULL, 0) >= 5);
}

int main(void)
{
	struct cases c = {.setup = ctx_dir_setup, .teardown = ctx_dir_teardown};

	ADD_CASE(&c, many_names);
	ADD_CASE(&c, keys);
	ADD_CASE(&c, distances);
	ADD_CASE(&c, long_names);
	ADD_CASE(&c, without_memory);
	for (size_t i = 0; i < sizeof(texts) / sizeof(*texts); i++)
		add_case(&c, text, &texts[i], "'%s' is '%s'", texts[i].var, texts[i].value);
	for (size_t i = 0; i < sizeof(evids) / sizeof(*evids); i++)
		add_case(&c, evid, &evids[i], "evidence '%s'", evids[i].text);
	return run_cases(&c, "named", NULL, NULL);
}
