/*
 * Potentials below 2.2e-308, for which a double has fewer than 53 bits: they are what the file says
 * in every reader, also beside others, for everything that multiplies them, and when they are
 * written.
 */
#include "tests/support/test.h"
#include "gpube/options/options.h"

#include <float.h>
#include <math.h>

#include "formats/formats.h"
#include "gpube/ir/model.h"
#include "gpube/sums.h"
#include "tests/support/cases.h"
#include "tests/support/context.h"
#include "tests/support/files.h"

/* The logarithms are from 40 decimals; small: the double of the text is another number. */
static const struct number {
	const char *text;
	long double ln;
	bool small;
} numbers[] = {
	{"5e-324", -744.4281322176367612L, true},
	{"2.5e-324", -745.1212793981966467L, true},
	{"1e-323", -743.7349850370767559L, true},
	{"3e-320", -735.7286174694265092L, true},
	{"1.7e-315", -724.7836760420622200L, true},
	{"1e-310", -713.8013788281541620L, true},
	{"2.2250738585072011e-308", -708.3964185322641064L, true},
	{"4.9406564584124654e-324", -744.4400719213812623L, false},
	{"2.2250738585072014e-308", -708.3964185322641062L, false},
	{"1e-200", -460.51701859880913680360L, false},
	{"0.5", -0.69314718055994530942L, false},
	{"9.7e288", 665.4166326677944941L, false},
};

enum { N_NUMBERS = sizeof(numbers) / sizeof(*numbers) };

static void assert_near(double a, double b)
{
	if (!(fabs(a - b) <= 4e-15 * fmax(1, fabs(b))))
		fail_msg("%.17g is not %.17g", a, b);
}

/* A model of one variable with these numbers in a file of the format. */
static struct gpube_model *read_pair(const char *form, const char *a, const char *b)
{
	const char *path = in_dir(form);
	struct gpube_model *m;
	char text[400];
	int n;

	if (strcmp(form, "x.uai") == 0)
		n = snprintf(text, sizeof(text), "MARKOV 1 2 1 1 0 2 %s %s\n", a, b);
	else if (strcmp(form, "x.erg") == 0)
		n = snprintf(text, sizeof(text), "1 2 0 /* Probabilities */ 2 %s %s\n", a, b);
	else
		n = snprintf(text, sizeof(text),
			"network x { }\nvariable v { type discrete [2] { p, q }; }\n"
			"probability (v) { table %s, %s; }\n",
			a, b);
	test_put(path, text, (size_t)n);
	if (gpube_read(&m, ctx, path, NULL))
		fail_msg("%s", gpube_error(ctx));
	return m;
}

/* What everything makes of the values of a model of one variable. */
static void check(struct gpube_model *m, const struct number *a, const struct number *b)
{
	const struct gpube_opts opts = {.task = GPUBE_INFER_MAR};
	const double x = (double)a->ln, y = (double)b->ln;
	const double ln_z = fmax(x, y) + log1p(exp(fmin(x, y) - fmax(x, y)));
	const struct number *of[] = {a, b};
	struct gpube_inference *r;
	struct gpube_model *q;
	double v, values[2];

	assert_int_equal(gpube_model_potentials(values, m, 0), GPUBE_OK);
	assert_int_equal(gpube__quantise(&q, m, 12), GPUBE_OK);
	for (int32_t k = 0; k < 2; k++) {
		/* rounded twice at most */
		assert_true(fabs(values[k] - strtod(of[k]->text, NULL)) <= 5e-324);
		assert_int_equal(gpube_model_log_value(&v, m, &k), GPUBE_OK);
		assert_near(v, (double)of[k]->ln);
		assert_true(fabsl((long double)gpube__table_int(&q->tables[0], k) +
				    1e12L * of[k]->ln) <= 0.5L + 0x1p-12L);
	}
	gpube_model_free(q);
	assert_int_equal(gpube_infer(&r, m, &opts), GPUBE_OK);
	assert_near(r->log10_z * log(10), ln_z);
	/* a share below 2^-500 may be 0 */
	if (fabs(x - y) < 340 && fabs(log(r->marginals[0] / r->marginals[1]) - (x - y)) > 1e-12)
		fail_msg("%s, %s: shares of %g and %g", a->text, b->text, r->marginals[0],
			r->marginals[1]);
	gpube_result_free(r);
}

static void pairs(void **state)
{
	const char *form = *state;

	for (int i = 0; i < N_NUMBERS; i++)
		for (int k = 0; k < N_NUMBERS; k++) {
			const struct number *a = &numbers[i], *b = &numbers[k];
			struct gpube_model *m = read_pair(form, a->text, b->text), *again;
			const struct gpube_opts opts = {.check = 1};

#if LDBL_MIN_EXP < DBL_MIN_EXP - 128
			assert_int_equal(
				m->tables[0].power, a->small || b->small ? GPUBE_SMALL : 0);
			check(m, a, b);
#endif
			/* the same again, when it is written and read */
			assert_int_equal(
				gpube_write(m, in_dir("again.uai"), &opts, NULL), GPUBE_OK);
			assert_int_equal(
				gpube_read(&again, ctx, in_dir("again.uai"), NULL), GPUBE_OK);
			assert_int_equal(again->tables[0].power, m->tables[0].power);
			assert_memory_equal(
				again->tables[0].values, m->tables[0].values, 2 * sizeof(double));
			gpube_model_free(again);
			gpube_model_free(m);
		}
}

/* Written with no more digits than are needed. */
static void short_texts(void **state)
{
	(void)state;
	for (int k = 0; k < N_NUMBERS - 1; k++) {
		struct gpube_model *m = read_pair("x.uai", numbers[k].text, "1e-310");
		char *text;

		assert_int_equal(gpube_write(m, in_dir("short.uai"), NULL, NULL), GPUBE_OK);
		text = test_get(in_dir("short.uai"), NULL);
		if (!strstr(text, numbers[k].text) || !strstr(text, "1e-310"))
			fail_msg("%s: %s", numbers[k].text, text);
		free(text);
		gpube_model_free(m);
	}
}

/* A double that a program gives is that double, though a text of fewer digits reads as it. */
static void given(void **state)
{
	const double values[2] = {5e-324, 1e-310};
	struct gpube_model *m, *again;
	double v;

	(void)state;
	assert_int_equal(gpube_model_new(&m, ctx, GPUBE_POTENTIALS), GPUBE_OK);
	assert_int_equal(gpube_model_add_var(m, NULL, 2, NULL), GPUBE_OK);
	assert_int_equal(gpube_model_add_potentials(m, 1, (int32_t[]){0}, values), GPUBE_OK);
	assert_int_equal(gpube_model_log_value(&v, m, (int32_t[]){0}), GPUBE_OK);
	assert_near(v, -744.4400719213812);
	assert_int_equal(gpube_write(m, in_dir("given.uai"), NULL, NULL), GPUBE_OK);
	assert_int_equal(gpube_read(&again, ctx, in_dir("given.uai"), NULL), GPUBE_OK);
	assert_int_equal(again->tables[0].power, 0);
	assert_memory_equal(again->tables[0].values, values, sizeof(values));
	gpube_model_free(again);
	gpube_model_free(m);
}

/* What a table cannot hold is refused: smaller ones, and such large ones beside small ones. */
static void refused(void **state)
{
	static const struct {
		const char *a, *b, *why;
	} rows[] = {
		{"2e-324", "1", "'2e-324' is too small for a double"},
		{"1e-330", "1", "'1e-330' is too small for a double"},
		{"5e-324", "1e300", "below 2.2e-308 and above 9.7e288"},
		{"1e300", "5e-324", "below 2.2e-308 and above 9.7e288"},
	};

	(void)state;
	for (size_t k = 0; k < sizeof(rows) / sizeof(*rows); k++) {
		struct gpube_model *m;
		char text[200];
		const int n = snprintf(
			text, sizeof(text), "MARKOV 1 2 1 1 0 2\n%s %s\n", rows[k].a, rows[k].b);

		test_put(in_dir("refused.uai"), text, (size_t)n);
		assert_int_equal(gpube_read(&m, ctx, in_dir("refused.uai"), NULL), GPUBE_ERANGE);
		if (!strstr(gpube_error(ctx), rows[k].why) || !strstr(gpube_error(ctx), ".uai:2:"))
			fail_msg("%s", gpube_error(ctx));
	}
}

int main(void)
{
	struct cases c = {.setup = ctx_dir_setup, .teardown = ctx_dir_teardown};

	add_case(&c, pairs, "x.uai", "pairs in .uai");
	add_case(&c, pairs, "x.erg", "pairs in .erg");
	add_case(&c, pairs, "x.bif", "pairs in .bif");
	ADD_CASE(&c, short_texts);
	ADD_CASE(&c, given);
	ADD_CASE(&c, refused);
	return run_cases(&c, "small", NULL, NULL);
}
