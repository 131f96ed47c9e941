/*
 * Random Bayesian networks as .bif, each block in one of the ways that the format has: the
 * probability of every assignment is the product of those that were drawn.
 */
#include "tests/support/test.h"
#include "gpube/options/options.h"

#include <math.h>

#include "formats/formats.h"
#include "gpube/base/base.h"
#include "gpube/ir/model.h"
#include "tests/support/context.h"
#include "tests/support/files.h"
#include "tests/support/random_model.h"

enum { N_NETWORKS = 300, MOST_VARS = 6, MOST_VALUES = 3, MOST_CELLS = 27, TEXT_BYTES = 1 << 16 };

struct block {
	int n_parents, parents[2];
	double p[MOST_CELLS]; /* the child fastest */
};

struct network {
	struct gpube_rng rng;
	int n_vars, domain[MOST_VARS];
	struct block blocks[MOST_VARS];
	char text[TEXT_BYTES];
	size_t n;
};

static int draw(struct network *w, int n)
{
	return (int)gpube__rng_below(&w->rng, (uint64_t)n);
}

static void put(struct network *w, const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	w->n += (size_t)vsnprintf(w->text + w->n, TEXT_BYTES - w->n, fmt, args);
	va_end(args);
	assert_true(w->n < TEXT_BYTES);
}

/* What may stand between two tokens. */
static const char *blank(struct network *w)
{
	static const char *const blanks[] = {" ", "\n", "\t", " // a } comment\n", " /* ; \n */ "};

	return blanks[draw(w, 5)];
}

static const char *comma(struct network *w)
{
	return draw(w, 2) ? ", " : " ";
}

static int n_rows_of(const struct network *w, const struct block *b)
{
	int n = 1;

	for (int k = 0; k < b->n_parents; k++)
		n *= w->domain[b->parents[k]];
	return n;
}

static void draw_block(struct network *w, int child)
{
	struct block *b = &w->blocks[child];
	int n = w->domain[child];

	b->n_parents = draw(w, child < 2 ? child + 1 : 3);
	b->parents[0] = child ? draw(w, child) : 0;
	if (b->n_parents == 2)
		b->parents[1] = (b->parents[0] + 1 + draw(w, child - 1)) % child;
	for (int row = 0; row < n_rows_of(w, b); row++) {
		int left = 64;

		for (int x = 0; x < n; x++) {
			int share = x == n - 1 ? left : draw(w, left + 1);

			b->p[row * n + x] = share / 64.0;
			left -= share;
		}
	}
}

static void put_numbers(struct network *w, const double *p, int n, int stride)
{
	for (int x = 0; x < n; x++)
		put(w, "%s%.17g", x ? comma(w) : " ", p[x * stride]);
	put(w, "%s;%s", draw(w, 2) ? " " : "", blank(w));
}

static void put_table(struct network *w, const struct block *b, int domain)
{
	int n_rows = n_rows_of(w, b);

	put(w, "table");
	for (int x = 0; x < domain; x++)
		for (int row = 0; row < n_rows; row++)
			put(w, " %.17g", b->p[row * domain + x]);
	put(w, ";\n");
}

/* All rows in some order; those that are the default's may be left out. */
static void put_rows(struct network *w, const struct block *b, int domain)
{
	int n_rows = n_rows_of(w, b), dflt = draw(w, 2) ? draw(w, n_rows) : -1;
	int first = draw(w, n_rows);

	for (int k = 0; k < n_rows; k++) {
		int row = (first + k) % n_rows, rest = row;
		int values[2] = {0};

		if (dflt >= 0 && !memcmp(b->p + row * domain, b->p + dflt * domain,
					 (size_t)domain * sizeof(*b->p)))
			continue;
		for (int i = b->n_parents - 1; i >= 0; i--) {
			values[i] = rest % w->domain[b->parents[i]];
			rest /= w->domain[b->parents[i]];
		}
		put(w, "(");
		for (int i = 0; i < b->n_parents; i++)
			put(w, "%sv%d", i ? comma(w) : "", values[i]);
		put(w, ")");
		put_numbers(w, b->p + row * domain, domain, 1);
	}
	if (dflt >= 0) {
		put(w, "default");
		put_numbers(w, b->p + dflt * domain, domain, 1);
	}
}

static void put_network(struct network *w)
{
	put(w, "network \"of %d\" {%s}\n", w->n_vars, blank(w));
	for (int i = 0; i < w->n_vars; i++) {
		put(w, "variable%s\"x %d\" { type discrete [%d] {", blank(w), i, w->domain[i]);
		for (int a = 0; a < w->domain[i]; a++)
			put(w, "%sv%d", a ? comma(w) : " ", a);
		put(w, " };%s}\n", draw(w, 2) ? " property p 1 ; " : "");
	}
	for (int i = w->n_vars - 1; i >= 0; i--) {
		const struct block *b = &w->blocks[i];

		put(w, "probability%s( \"x %d\"", blank(w), i);
		for (int k = 0; k < b->n_parents; k++)
			put(w, "%s \"x %d\"", k ? comma(w) : draw(w, 2) ? " |" : "", b->parents[k]);
		put(w, " ) {%s", blank(w));
		if (b->n_parents == 0 || draw(w, 2))
			put_table(w, b, w->domain[i]);
		else
			put_rows(w, b, w->domain[i]);
		put(w, "}\n");
	}
}

static double probability(const struct network *w, const int32_t *x)
{
	double p = 1;

	for (int i = 0; i < w->n_vars; i++) {
		const struct block *b = &w->blocks[i];
		int row = 0;

		for (int k = 0; k < b->n_parents; k++)
			row = row * w->domain[b->parents[k]] + x[b->parents[k]];
		p *= b->p[row * w->domain[i] + x[i]];
	}
	return p;
}

static void assert_reads(const struct network *w)
{
	int32_t x[MOST_VARS] = {0};
	struct gpube_model *m;
	double log_value;

	test_put(in_dir("x"), w->text, w->n);
	if (gpube_read(&m, ctx, in_dir("x"), &(struct gpube_opts){.evidence = ""}))
		fail_msg("%s\n%s", gpube_error(ctx), w->text);
	assert_int_equal(m->n_vars, w->n_vars);
	assert_true(m->bayes);
	do {
		double p = probability(w, x);

		assert_int_equal(gpube_model_log_value(&log_value, m, x), GPUBE_OK);
		if (p == 0 ? !isinf(log_value) : !(fabs(log_value - log(p)) < 1e-9))
			fail_msg("expected %g, found %g\n%s", log(p), log_value, w->text);
	} while (next_assignment(x, m));
	gpube_model_free(m);
}

static void random_networks(void **state)
{
	static struct network w;

	(void)state;
	for (uint64_t seed = 0; seed < N_NETWORKS; seed++) {
		memset(&w, 0, sizeof(w));
		gpube__rng_init(&w.rng, seed);
		w.n_vars = 1 + draw(&w, MOST_VARS);
		for (int i = 0; i < w.n_vars; i++)
			w.domain[i] = 1 + draw(&w, MOST_VALUES);
		for (int i = 0; i < w.n_vars; i++)
			draw_block(&w, i);
		put_network(&w);
		assert_reads(&w);
	}
}

static void names(void **state)
{
	struct gpube_model *m;

	(void)state;
	assert_int_equal(gpube_read(&m, ctx, "tests/instances/alarm.bif", NULL), GPUBE_OK);
	assert_string_equal(m->name, "an alarm");
	assert_string_equal(m->vars[1].name, "the season");
	assert_string_equal(m->vars[1].value_names[2], ">=30");
	assert_int_equal(m->evidence[3], 1);
	gpube_model_free(m);
}

/* Values as programs write them that do not quote: a list of a declared number, and what it is. */
static const struct raw {
	int n;
	const char *list, *values[4];
} raws[] = {
	{2, "(0,10], <30", {"(0,10]", "<30"}},
	{2, "(1,999, 20], (20,00, 30]", {"(1,999, 20]", "(20,00, 30]"}},
	{3, "[0;0.5[, [0.5;2[, [2;3]", {"[0;0.5[", "[0.5;2[", "[2;3]"}},
	{2, "]0,1[, [1,2[", {"]0,1[", "[1,2["}},
	{3, "very low,low,\n\tvery high", {"very low", "low", "very high"}},
	{3, "low, low,high, high", {"low", "low,high", "high"}},
	{4, "a b c d", {"a", "b", "c", "d"}},
	{2, "a(b) c|d", {"a(b)", "c|d"}},
	{1, ">=3.5 (mg/l)", {">=3.5 (mg/l)"}},
	{2, "\"(0,10]\" \"a b\"", {"(0,10]", "a b"}},
};

static void raw_values(void **state)
{
	char text[1000];
	struct gpube_model *m;
	double p;

	(void)state;
	for (size_t k = 0; k < sizeof(raws) / sizeof(*raws); k++) {
		const struct raw *row = &raws[k];
		const char *quote = strchr(row->list, '"') ? "\"" : "";
		size_t n = (size_t)snprintf(text, sizeof(text),
			"network unknown {\n}\nvariable A {\n type discrete [ %d ] { %s };\n}\n"
			"variable B { type discrete [ 1 ] { b }; }\n"
			"probability ( A ) { default",
			row->n, row->list);

		for (int i = 0; i < row->n; i++)
			n += (size_t)snprintf(text + n, sizeof(text) - n, " 0.25");
		n += (size_t)snprintf(text + n, sizeof(text) - n, ";}\nprobability ( B | A ) {\n");
		for (int i = row->n - 1; i >= 0; i--)
			n += (size_t)snprintf(text + n, sizeof(text) - n, "( %s%s%s ) 0.%d5;\n",
				quote, row->values[i], quote, i);
		n += (size_t)snprintf(text + n, sizeof(text) - n, "}\n");
		test_put(in_dir("x"), text, n);
		if (gpube_read(&m, ctx, in_dir("x"), &(struct gpube_opts){.evidence = ""}))
			fail_msg("%s\n%s", gpube_error(ctx), text);
		assert_int_equal(m->vars[0].domain, row->n);
		for (int32_t i = 0; i < row->n; i++) {
			assert_string_equal(m->vars[0].value_names[i], row->values[i]);
			assert_int_equal(gpube_model_log_value(&p, m, (int32_t[]){i, 0}), GPUBE_OK);
			assert_true(fabs(exp(p) - 0.25 * (i / 10.0 + 0.05)) < 1e-12);
		}
		gpube_model_free(m);
	}
}

/* Names of every kind come back from .bif and XMLBIF, but for what these have no place for. */
static void names_come_back(void **state)
{
	static const char *const values[][2] = {{"plain", "plain"}, {"very high", "very high"},
		{"(1,999, 20]", "(1,999, 20]"}, {"<30 & >20", "<30 & >20"}, {"a//b", "a//b"},
		{"\xc3\xa9t\xc3\xa9", "\xc3\xa9t\xc3\xa9"}, {"caf\xe9", "caf_"}, {"a\tb", "a_b"},
		{"{}", "{}"}};
	enum { N = sizeof(values) / sizeof(*values) };
	static const int formats[] = {GPUBE_FORMAT_BIF, GPUBE_FORMAT_XMLBIF};
	static const char network[] = "BAYES 2 9 2 2 1 0 2 0 1 9 .1 .1 .1 .1 .1 .1 .1 .1 .2 "
				      "18 0 1 .1 .9 .2 .8 .3 .7 .4 .6 .5 .5 .6 .4 .7 .3 1e-320 1";
	struct gpube_model *m, *back;
	double p, q;

	(void)state;
	test_put(in_dir("x"), network, strlen(network));
	for (int f = 0; f < 2; f++) {
#ifndef GPUBE_HAVE_EXPAT
		if (formats[f] == GPUBE_FORMAT_XMLBIF)
			continue;
#endif
		assert_int_equal(
			gpube_read(&m, ctx, in_dir("x"), &(struct gpube_opts){.evidence = ""}), 0);
		m->vars[0].name = gpube__strdup(ctx, "first & \"last\"");
		m->vars[0].value_names = gpube__alloc(ctx, N, sizeof(char *));
		for (int i = 0; i < N; i++)
			m->vars[0].value_names[i] = gpube__strdup(ctx, values[i][0]);
		if (gpube_write(m, in_dir("y"),
			    &(struct gpube_opts){.to = (enum gpube_format)formats[f]}, NULL))
			fail_msg("%s", gpube_error(ctx));
		if (gpube_read(&back, ctx, in_dir("y"), &(struct gpube_opts){.evidence = ""}))
			fail_msg("%s", gpube_error(ctx));
		assert_string_equal(back->vars[0].name, f ? "first & \"last\"" : "first & _last_");
		assert_string_equal(back->vars[1].name, "x1");
		assert_string_equal(back->vars[1].value_names[1], "v1");
		for (int32_t i = 0; i < N; i++) {
			assert_string_equal(back->vars[0].value_names[i], values[i][1]);
			for (int32_t x = 0; x < 2; x++) {
				gpube_model_log_value(&p, m, (int32_t[]){i, x});
				gpube_model_log_value(&q, back, (int32_t[]){i, x});
				assert_true(p == q);
			}
		}
		gpube_model_free(m);
		gpube_model_free(back);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(random_networks),
		cmocka_unit_test(names), cmocka_unit_test(raw_values),
		cmocka_unit_test(names_come_back)};

	return cmocka_run_group_tests(tests, ctx_dir_setup, ctx_dir_teardown);
}
