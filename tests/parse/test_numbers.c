/* Numbers in text: what is accepted, rounded correctly, and written so that it comes back. */
#define _XOPEN_SOURCE 700
#include "tests/support/test.h"

#include <float.h>
#include <locale.h>
#include <math.h>

#include "formats/io/io.h"
#include "tests/support/cases.h"
#include "tests/support/context.h"
#include "tests/support/files.h"

static void write_text(const char *path, const char *text)
{
	struct gpube_out out;

	assert_int_equal(gpube__out_open(&out, ctx, path), GPUBE_OK);
	gpube__out_text(&out, text);
	assert_int_equal(gpube__out_close(&out, true), GPUBE_OK);
}

struct text_row {
	const char *text;
	double real; /* NAN: refused */
};

static const struct text_row reals[] = {
	{"0", 0},
	{"1", 1},
	{"-1", -1},
	{"+2.5", 2.5},
	{".5", .5},
	{"5.", 5},
	{"1e3", 1000},
	{"1E-3", 0.001},
	{"1.e+2", 100},
	{"0.1", 0.1},
	{"123456789012345678", 123456789012345678.0},
	{"9007199254740993", 9007199254740992.0}, /* 2^53 + 1: ties to even */
	{"9007199254740993.00000000000000000000000000001", 9007199254740994.0},
	{"0.1000000000000000055511151231257827021181583404541015625", 0.1},
	{"1e23", 1e23},
	{"1e22", 1e22},
	{"8.5e-23", 8.5e-23},
	{"179769313486231570e291", DBL_MAX},
	{"2.2250738585072011e-308",
		0x0.fffffffffffffp-1022}, /* the number that hung PHP and Java */
	{"2.2250738585072014e-308", DBL_MIN},
	{"4.9e-324", 0x1p-1074},
	{"5e-324", 0x1p-1074},
	{"0e999999999999", 0},
	{"0.000000000000000000000000000000000000000000001", 1e-45},
	{"1000000000000000000000000000000", 1e30},
	{"00000000000000000000000000000001.50", 1.5},
	{"1e309", NAN},
	{"1e-325", NAN},
	{"1e99999999999999999999", NAN},
	{"inf", NAN},
	{"-inf", NAN},
	{"Infinity", NAN},
	{"nan", NAN},
	{"NaN", NAN},
	{"0x10", NAN},
	{"0x1p3", NAN},
	{"1,5", NAN},
	{"", NAN},
	{"-", NAN},
	{"+", NAN},
	{".", NAN},
	{"e5", NAN},
	{"1e", NAN},
	{"1e+", NAN},
	{"1..2", NAN},
	{"1.2.3", NAN},
	{"--1", NAN},
	{"1f", NAN},
	{"1d3", NAN},
};

static void real(void **state)
{
	const struct text_row *row = *state;
	const char *path = in_dir("x");
	struct gpube_in in;
	double v = 77;
	int status;

	write_text(path, row->text);
	assert_int_equal(gpube__in_open(&in, ctx, path), GPUBE_OK);
	status = gpube__in_real(&in, &v, "a real");
	if (isnan(row->real)) {
		assert_true(status == GPUBE_EPARSE || status == GPUBE_ERANGE);
	} else {
		assert_int_equal(status, GPUBE_OK);
		assert_memory_equal(&v, &row->real, sizeof(v));
		assert_int_equal(gpube__in_end(&in), GPUBE_OK);
	}
	gpube__in_close(&in);
}

/* A comma for the decimal point, where the system has such a locale. */
static void other_locale(void **state)
{
	static const char *const names[] = {
		"de_DE.UTF-8", "fr_FR.UTF-8", "de_DE", "fr_FR", "es_ES.UTF-8"};
	const char *found = NULL;
	struct gpube_out out;
	struct gpube_in in;
	double v, w;

	(void)state;
	for (size_t i = 0; i < sizeof(names) / sizeof(*names) && !found; i++)
		found = setlocale(LC_ALL, names[i]);
	if (!found)
		skip();
	assert_int_equal(gpube__out_open(&out, ctx, in_dir("x")), GPUBE_OK);
	gpube__out_real(&out, 0.1);
	gpube__out_text(&out, " 3.00000000000000000000000000000001");
	assert_int_equal(gpube__out_close(&out, true), GPUBE_OK);
	assert_int_equal(gpube__in_open(&in, ctx, in_dir("x")), GPUBE_OK);
	assert_int_equal(gpube__in_real(&in, &v, "a real"), GPUBE_OK);
	assert_int_equal(gpube__in_real(&in, &w, "a real"), GPUBE_OK);
	gpube__in_close(&in);
	setlocale(LC_ALL, "C");
	assert_true(v == 0.1 && w == 3);
}

static const struct {
	const char *text;
	int64_t v;
	bool good;
} ints[] = {
	{"0", 0, true},
	{"-0", 0, true},
	{"+7", 7, true},
	{"0000000000000000000000000042", 42, true},
	{"9223372036854775807", INT64_MAX, true},
	{"-9223372036854775808", INT64_MIN, true},
	{"9223372036854775808", 0, false},
	{"-9223372036854775809", 0, false},
	{"99999999999999999999999999", 0, false},
	{"1.0", 0, false},
	{"1e3", 0, false},
	{"0x1", 0, false},
	{"-", 0, false},
	{"+-1", 0, false},
	{"1a", 0, false},
	{"", 0, false},
	{"1,2", 0, false},
};

static void integers(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(ints) / sizeof(*ints); i++) {
		struct gpube_in in;
		int64_t v = 77;
		int status;

		write_text(in_dir("x"), ints[i].text);
		assert_int_equal(gpube__in_open(&in, ctx, in_dir("x")), GPUBE_OK);
		status = gpube__in_int(&in, &v, INT64_MIN, INT64_MAX, "a number");
		assert_int_equal(status, ints[i].good ? GPUBE_OK : GPUBE_EPARSE);
		assert_true(v == (ints[i].good ? ints[i].v : 77));
		gpube__in_close(&in);
	}
}

static void reals_come_back(void **state)
{
	enum { N = 200000 };
	struct gpube_out out;
	struct gpube_in in;
	struct gpube_rng rng;

	(void)state;
	assert_int_equal(gpube__out_open(&out, ctx, in_dir("x")), GPUBE_OK);
	for (int pass = 0; pass < 2; pass++) {
		gpube__rng_init(&rng, 1);
		if (pass)
			assert_int_equal(gpube__in_open(&in, ctx, in_dir("x")), GPUBE_OK);
		for (int i = 0; i < N; i++) {
			uint64_t bits = gpube__rng_next(&rng);
			double v, w = -1;

			memcpy(&v, &bits, sizeof(v));
			if (i % 2) /* half of them as people write them */
				v = (double)(bits >> 40) / 1e6;
			if (!isfinite(v))
				v = -0.0;
			if (pass == 0) {
				gpube__out_real(&out, v);
				gpube__out_text(&out, "\n");
				continue;
			}
			assert_int_equal(gpube__in_real(&in, &w, "a real"), GPUBE_OK);
			assert_memory_equal(&v, &w, sizeof(v));
		}
		if (pass == 0)
			assert_int_equal(gpube__out_close(&out, true), GPUBE_OK);
	}
	assert_int_equal(gpube__in_end(&in), GPUBE_OK);
	gpube__in_close(&in);
}

static void shortest_text(void **state)
{
	static const double v[] = {0, -0.0, 1, -17, 0.1, 1e15, 1e22, 123456.75, 1.0 / 3, 5e-324,
		DBL_MAX, 100, 0.3, 0.1 + 0.2};
	static const char text[] = "0\n-0\n1\n-17\n0.1\n1e+15\n1e+22\n123456.75\n0."
				   "3333333333333333\n4.94065645841247e-324\n"
				   "1.7976931348623157e+308\n100\n0.3\n0.30000000000000004\n";
	struct gpube_out out;
	char *found;

	(void)state;
	assert_int_equal(gpube__out_open(&out, ctx, in_dir("x")), GPUBE_OK);
	for (size_t i = 0; i < sizeof(v) / sizeof(*v); i++) {
		gpube__out_real(&out, v[i]);
		gpube__out_text(&out, "\n");
	}
	assert_int_equal(gpube__out_close(&out, true), GPUBE_OK);
	found = test_get(in_dir("x"), NULL);
	assert_string_equal(found, text);
	free(found);
}

static void decimals(void **state)
{
	static const struct {
		int64_t v;
		int scale;
	} rows[] = {{0, 0}, {-5, 0}, {0, 2}, {5, 2}, {-5, 2}, {12345, 2}, {-100, 2}, {7, 1},
		{INT64_MAX, 12}, {INT64_MIN + 1, 18}, {INT64_MIN, 0}, {1, 25}};
	static const char text[] = "0 -5 0.00 0.05 -0.05 123.45 -1.00 0.7 9223372.036854775807 "
				   "-9.223372036854775807 -9223372036854775808 "
				   "0.0000000000000000000000001 ";
	struct gpube_out out;
	char *found;

	(void)state;
	assert_int_equal(gpube__out_open(&out, ctx, in_dir("x")), GPUBE_OK);
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		gpube__out_decimal(&out, rows[i].v, rows[i].scale);
		gpube__out_text(&out, " ");
	}
	assert_int_equal(gpube__out_close(&out, true), GPUBE_OK);
	found = test_get(in_dir("x"), NULL);
	assert_string_equal(found, text);
	free(found);
}

static void long_token(void **state)
{
	char text[600], token[256];
	struct gpube_in in;

	(void)state;
	memset(text, 'a', sizeof(text));
	text[255] = ' ';
	text[512] = 0;
	write_text(in_dir("x"), text);
	assert_int_equal(gpube__in_open(&in, ctx, in_dir("x")), GPUBE_OK);
	assert_int_equal(gpube__in_token(&in, token, "a name"), GPUBE_OK);
	assert_int_equal(strlen(token), 255);
	assert_int_equal(gpube__in_token(&in, token, "a name"), GPUBE_EPARSE);
	assert_non_null(strstr(gpube_error(ctx), "more than 255 bytes"));
	gpube__in_close(&in);
	/* digits, too: a long number is not read in pieces */
	memset(text, '1', 300);
	text[300] = 0;
	write_text(in_dir("x"), text);
	for (int i = 0; i < 2; i++) {
		int64_t v;
		double d;

		assert_int_equal(gpube__in_open(&in, ctx, in_dir("x")), GPUBE_OK);
		assert_int_equal(i ? gpube__in_int(&in, &v, 0, INT64_MAX, "a number")
				   : gpube__in_real(&in, &d, "a number"),
			GPUBE_EPARSE);
		gpube__in_close(&in);
	}
}

int main(void)
{
	struct cases c = {.setup = ctx_dir_setup, .teardown = ctx_dir_teardown};

	ADD_CASE(&c, other_locale);
	ADD_CASE(&c, integers);
	ADD_CASE(&c, reals_come_back);
	ADD_CASE(&c, shortest_text);
	ADD_CASE(&c, decimals);
	ADD_CASE(&c, long_token);
	for (size_t i = 0; i < sizeof(reals) / sizeof(*reals); i++)
		add_case(&c, real, &reals[i], "real '%s'", reals[i].text);
	return run_cases(&c, "numbers", NULL, NULL);
}
