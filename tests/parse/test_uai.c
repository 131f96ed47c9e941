/* .uai and .evid: layouts, bit-for-bit round trips, conversion, memory that runs out. */
#define _XOPEN_SOURCE 700
#include "tests/support/test.h"
#include "formats/common/registry.h"
#include "gpube/options/options.h"

#include <fcntl.h>
#include <math.h>
#include <unistd.h>

#include "formats/formats.h"
#include "formats/io/io.h"
#include "tests/support/cases.h"
#include "tests/support/context.h"
#include "tests/support/files.h"
#include "tests/support/memory.h"

#define GOOD "tests/parse/good.uai"

static struct gpube_model *read_auto(const char *path)
{
	struct gpube_model *m;

	if (gpube_read(&m, ctx, path, NULL) != GPUBE_OK)
		fail_msg("%s", gpube_error(ctx));
	return m;
}

static void assert_same(const struct gpube_model *a, const struct gpube_model *b)
{
	size_t n_vars = (size_t)a->n_vars;

	assert_int_equal(a->kind, b->kind);
	assert_int_equal(a->bayes, b->bayes);
	assert_int_equal(a->n_vars, b->n_vars);
	assert_int_equal(a->n_functions, b->n_functions);
	for (int32_t i = 0; i < a->n_vars; i++)
		assert_int_equal(a->vars[i].domain, b->vars[i].domain);
	assert_int_equal(a->evidence != NULL, b->evidence != NULL);
	if (a->evidence)
		assert_memory_equal(a->evidence, b->evidence, n_vars * sizeof(int32_t));
	for (int32_t f = 0; f < a->n_functions; f++) {
		const struct gpube_table *s = gpube__table(a, f), *t = gpube__table(b, f);
		size_t arity = (size_t)a->functions[f].arity;

		assert_int_equal(a->functions[f].arity, b->functions[f].arity);
		if (arity)
			assert_memory_equal(
				gpube__scope(a, f), gpube__scope(b, f), arity * sizeof(int32_t));
		assert_int_equal(s->type, t->type);
		assert_int_equal(s->n, t->n);
		assert_memory_equal(s->values, t->values, (size_t)s->n * gpube__type_size(s->type));
	}
}

/* ---- layouts --------------------------------------------------------------------------- */

static void good_file(void **state)
{
	static const int32_t domains[] = {2, 2, 3};
	static const double ternary[] = {1, 2, 3, 0.1, 0, 1e-3};
	struct gpube_model *m = read_auto(GOOD);
	double v;

	(void)state;
	assert_int_equal(m->kind, GPUBE_POTENTIALS);
	assert_int_equal(m->n_vars, 3);
	assert_int_equal(m->n_functions, 3);
	assert_null(m->evidence);
	for (int i = 0; i < 3; i++)
		assert_int_equal(m->vars[i].domain, domains[i]);
	assert_int_equal(m->functions[2].arity, 2);
	assert_int_equal(gpube__scope(m, 2)[0], 1);
	assert_int_equal(gpube__scope(m, 2)[1], 2);
	assert_memory_equal(gpube__table(m, 2)->values, ternary, sizeof(ternary));
	assert_int_equal(gpube_model_log_value(&v, m, (int32_t[]){1, 0, 2}), GPUBE_OK);
	assert_true(fabs(v - log(0.75 * 0.5 * 3)) < 1e-15);
	gpube_model_free(m);
}

/* Other ways to write tests/parse/good.uai. */
static const struct layout {
	const char *name, *text;
} layouts[] = {
	{"one line", "MARKOV 3 2 2 3 3 1 0 2 0 1 2 1 2 2 .25 .75 4 1 .5 .5 1 6 1 2 3 .1 0 .001"},
	{"a token a line",
		"MARKOV\n3\n2\n2\n3\n3\n1\n0\n2\n0\n1\n2\n1\n2\n2\n0.25\n0.75\n4\n1\n0.5\n0.5"
		"\n1\n6\n1\n2\n3\n0.1\n0\n0.001\n"},
	{"CRLF", "MARKOV\r\n3\r\n2 2 3\r\n3\r\n1 0\r\n2 0 1\r\n2 1 2\r\n2\r\n 0.25 0.75\r\n4\r\n1 "
		 "0.5 0.5 "
		 "1\r\n6\r\n1 2 3 0.1 0 1e-3\r\n"},
	{"blank lines and tabs",
		"\n\n \tMARKOV\n\n3\n\n\n2\t2\t3 \n3\n1\t0\n2\t0 1\n2  1   2\n\n\n\n2\n0.25 "
		"0.75\n4 1 0.5 0.5 1 6 1 2 3 0.1 0 1e-3\n\n\n\n   \t\n"},
	{"byte order mark",
		"\xef\xbb\xbfMARKOV 3 2 2 3 3 1 0 2 0 1 2 1 2 2 .25 .75 4 1 .5 .5 1 6 1 2 3 .1 0 "
		".001\n"},
	{"comments, as pyAgrum writes them, and words in lower case",
		"# a -1\nmarkov # b\n3 2 2 3\n3\n1 0   # x\n2 0 1   # -y\n2 1 2 #z\n\n#\n2 .25 .75 "
		"4 1 .5 .5 1 6 1 2 3 .1 0 .001 #"},
	{"numbers otherwise", "MARKOV +3 02 2 +3 3 1 0 2 0 1 2 1 2 2 25e-2 7.5E-1 4 1. +0.5 0.50 "
			      "1.000000000000000000000000 6 1e0 2 3.0 1E-1 0.0e5 0.1e-2"},
};

static void layout(void **state)
{
	const struct layout *row = *state;
	struct gpube_model *a = read_auto(GOOD), *b;

	test_put(in_dir("x"), row->text, strlen(row->text));
	b = read_auto(in_dir("x"));
	assert_same(a, b);
	gpube_model_free(a);
	gpube_model_free(b);
}

static struct gpube_model *read_text(const char *text)
{
	test_put(in_dir("x.uai"), text, strlen(text));
	return read_auto(in_dir("x.uai"));
}

static void small_models(void **state)
{
	struct gpube_model *m = read_text("BAYES 2 2 2 2 1 0 2 0 1 2 .3 .7 4 .1 .9 .5 .5");
	double v;

	(void)state;
	assert_true(m->bayes);
	gpube_model_free(m);
	m = read_text("MARKOV 0 0");
	assert_int_equal(m->n_vars, 0);
	gpube_model_free(m);
	m = read_text("MARKOV\n1\n1\n0\n");
	assert_int_equal(m->n_functions, 0);
	gpube_model_free(m);
	m = read_text("MARKOV 1 2 3 0 1 0 0 1 2.5 2 1 3 1 0.5"); /* scopes of no variable */
	assert_int_equal(m->functions[0].arity, 0);
	assert_int_equal(gpube_model_log_value(&v, m, (int32_t[]){1}), GPUBE_OK);
	assert_true(fabs(v - log(2.5 * 3 * 0.5)) < 1e-15);
	gpube_model_free(m);
}

/* ---- evidence ---------------------------------------------------------------------------- */

static const struct evidence {
	const char *text;
	int32_t observed[3];
	int sample; /* that is asked for, also where it is not there */
	const char *error;
} evidences[] = {
	{"", {-1, -1, -1}, 0, NULL},
	{"\n", {-1, -1, -1}, 0, NULL},
	{"0", {-1, -1, -1}, 0, NULL},
	{"0\n", {-1, -1, -1}, 0, NULL},
	{"1\n0\n", {-1, -1, -1}, 0, NULL},
	{"0\n2 0\n\n", {-1, -1, -1}, 0, NULL},
	{"1 2 1", {-1, -1, 1}, 0, NULL},
	{"1\n2 1\n", {-1, -1, 1}, 0, NULL},
	{"1\n1 2 1\n", {-1, -1, 1}, 0, NULL},
	{"1 1 2 1", {-1, -1, 1}, 0, NULL},
	{"1 1 0", {-1, 0, -1}, 0, NULL},
	{"1\n1 1 0 ", {-1, 0, -1}, 0, NULL},
	{"2 0 1 2 2\n", {1, -1, 2}, 0, NULL},
	{"2\n0 1\n2 2\n", {1, -1, 2}, 0, NULL},
	{"1\n2 0 1 2 2\n", {1, -1, 2}, 0, NULL},
	{"1 2 0 1 2 2", {1, -1, 2}, 0, NULL},
	{"3 0 0 1 1 2 2", {0, 1, 2}, 0, NULL},
	{"1\n3\n0 0 1 1\n2 2\n", {0, 1, 2}, 0, NULL},
	{"2 1 0 1 0", {-1, 0, -1}, 0, NULL}, /* the same observation twice */
	{"2\n1 0\n0 1\n", {1, 0, -1}, 0, NULL},
	{"3 1 0 0 1 2 2", {1, 0, 2}, 0, NULL},
	{"2\n1 0 1\n1 0 0\n", {1, -1, -1}, 0, NULL},
	{"2\n1 0 1\n1 0 0\n", {1, -1, -1}, 1, NULL},
	{"2\n1 0 1\n1 0 0\n", {0, -1, -1}, 2, NULL},
	{"2\n1 0 1\n1 0 0\n", {0}, 3, ":4: sample 3 of 2 samples of evidence: there is none"},
	{"2\n0\n1 1 0\n", {-1, -1, -1}, 0, NULL},
	{"2\n0\n1 1 0\n", {-1, 0, -1}, 2, NULL},
	{"3\n0\n2 1 0 0 1\n1 2 2", {1, 0, -1}, 2, NULL},
	{"3\n0\n2 1 0 0 1\n1 2 2", {-1, -1, 2}, 3, NULL},
	{"1 2 1", {-1, -1, 1}, 1, NULL},
	{"1 2 1", {0}, 2, ":1: sample 2 of 1 sample of evidence: there is none"},
	{"1\n1 2 1", {0}, 2, ":2: sample 2 of 1 sample of evidence: there is none"},
	{"", {-1, -1, -1}, 1, NULL},
	{"0", {0}, 2, ":1: sample 2 of 1 sample of evidence: there is none"},
};

static void evidence(void **state)
{
	const struct evidence *row = *state;
	const struct gpube_opts opts = {.evidence = in_dir("e"), .sample = row->sample};
	struct gpube_model *m;

	test_put(in_dir("e"), row->text, strlen(row->text));
	assert_int_equal(gpube_read(&m, ctx, GOOD, &opts), row->error ? GPUBE_EPARSE : GPUBE_OK);
	if (row->error) {
		assert_string_equal(strstr(gpube_error(ctx), "e:") + 1, row->error);
		return;
	}
	for (int i = 0; i < 3; i++)
		assert_int_equal(m->evidence ? m->evidence[i] : -1, row->observed[i]);
	gpube_model_free(m);
}

/* x.uai, x.uai.gz and x.uai.xz look for x.uai.evid; "" does not, and "-" has none. */
static void evidence_beside(void **state)
{
	static const char *const names[] = {"x.uai", "x.uai.gz", "x.uai.xz"};
	struct gpube_model *m = read_auto(GOOD), *r;

	(void)state;
	for (int i = 0; i < 3; i++) {
#ifndef GPUBE_HAVE_LZMA
		if (i == 2)
			break;
#endif
		assert_int_equal(gpube_write(m, in_dir(names[i]), NULL, NULL), GPUBE_OK);
		test_put(in_dir("x.uai.evid"), "1 2 1", 5);
		r = read_auto(in_dir(names[i]));
		assert_int_equal(r->evidence[2], 1);
		gpube_model_free(r);
		assert_int_equal(
			gpube_read(&r, ctx, in_dir(names[i]), &(struct gpube_opts){.evidence = ""}),
			GPUBE_OK);
		assert_null(r->evidence);
		gpube_model_free(r);
		test_put(in_dir("x.uai.evid"), "1 2 3", 5);
		assert_int_equal(gpube_read(&r, ctx, in_dir(names[i]), NULL), GPUBE_EPARSE);
		assert_null(r);
		assert_int_equal(gpube_read(&r, ctx, in_dir(names[i]),
					 &(struct gpube_opts){.evidence = in_dir("missing")}),
			GPUBE_EIO);
		assert_null(r);
	}
	gpube_model_free(m);
}

/* ---- writing -------------------------------------------------------------------------------- */

/* Doubles of all sizes, among them those whose shortest text is long. */
static struct gpube_model *random_potentials(struct gpube_ctx *c, uint64_t seed)
{
	struct gpube_model *m;
	struct gpube_rng rng;

	gpube__rng_init(&rng, seed);
	assert_int_equal(gpube_model_new(&m, c, GPUBE_POTENTIALS), GPUBE_OK);
	m->bayes = seed % 2;
	for (int i = 0; i < 6; i++)
		assert_int_equal(
			gpube_model_add_var(m, NULL, 1 + (int32_t)gpube__rng_below(&rng, 4), NULL),
			GPUBE_OK);
	for (int f = 0; f < 12; f++) {
		int32_t scope[3], arity = f % 4;
		double values[64];

		for (int k = 0; k < arity; k++)
			scope[k] = (f + 5 * k + 5) % 6;
		for (int64_t k = gpube__cells(m, arity, scope); k-- > 0;) {
			uint64_t bits = gpube__rng_next(&rng) >> 1;

			memcpy(&values[k], &bits, sizeof(bits));
			if (!isfinite(values[k]) || bits % 5 == 0)
				values[k] = (double)(bits % 1000) / 1000;
		}
		assert_int_equal(gpube_model_add_potentials(m, arity, scope, values), GPUBE_OK);
	}
	if (seed % 3 == 0) {
		m->evidence = gpube__alloc(c, 6, sizeof(*m->evidence));
		assert_non_null(m->evidence);
		for (int i = 0; i < 6; i++)
			m->evidence[i] = i % 2 ? -1 : m->vars[i].domain - 1;
	}
	return m;
}

static void round_trip(void **state)
{
	const char *name = *state;

#ifndef GPUBE_HAVE_LZMA
	if (strstr(name, ".xz"))
		skip();
#endif
	for (uint64_t seed = 0; seed < 20; seed++) {
		struct gpube_model *m = random_potentials(ctx, seed), *r;

		assert_int_equal(gpube_write(m, in_dir(name), NULL, NULL), GPUBE_OK);
		r = read_auto(in_dir(name));
		/* a model without evidence does not take up that of the file before */
		if (r->evidence && !m->evidence)
			fail_msg("evidence of another model");
		assert_same(m, r);
		gpube_model_free(m);
		gpube_model_free(r);
	}
}

/* Costs become exp(-cost), and -ln brings them back exactly. */
static void costs_come_back(void **state)
{
	static const int64_t binary[] = {0, 1, GPUBE_INF, 123456789, 7, 699999999};
	static const int64_t unary[] = {5, GPUBE_INF, 2};
	static const struct {
		int scale;
		enum gpube_direction direction;
		int64_t top;
	} rows[] = {
		{6, GPUBE_MINIMISE, GPUBE_INF}, {7, GPUBE_MINIMISE, GPUBE_INF},
		{12, GPUBE_MINIMISE, GPUBE_INF}, {6, GPUBE_MAXIMISE, -GPUBE_INF},
		{6, GPUBE_MINIMISE, 700000016}, /* implied */
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		struct gpube_model *m, *r, *q;

		assert_int_equal(gpube_model_new(&m, ctx, GPUBE_COSTS), GPUBE_OK);
		assert_int_equal(gpube_model_add_var(m, NULL, 2, NULL), GPUBE_OK);
		assert_int_equal(gpube_model_add_var(m, NULL, 3, NULL), GPUBE_OK);
		assert_int_equal(gpube_model_add_costs(m, 2, (int32_t[]){0, 1}, binary), GPUBE_OK);
		assert_int_equal(gpube_model_add_costs(m, 1, (int32_t[]){1}, unary), GPUBE_OK);
		assert_int_equal(gpube_model_set_direction(m, rows[i].direction), GPUBE_OK);
		m->scale = rows[i].scale;
		m->top = rows[i].top;
		m->constant = 11;
		assert_int_equal(gpube_write(m, in_dir("c.uai"), NULL, NULL), GPUBE_OK);
		r = read_auto(in_dir("c.uai"));
		assert_int_equal(gpube__quantise(&q, r, rows[i].scale), GPUBE_OK);
		for (int32_t v = 0; v < 6; v++) {
			int64_t a, b;

			assert_int_equal(
				gpube_model_cost(&a, m, (int32_t[]){v / 3, v % 3}), GPUBE_OK);
			assert_int_equal(
				gpube_model_cost(&b, q, (int32_t[]){v / 3, v % 3}), GPUBE_OK);
			if (rows[i].direction == GPUBE_MAXIMISE && b != GPUBE_INF)
				b = -b;
			assert_true(a == b);
		}
		gpube_model_free(m);
		gpube_model_free(r);
		gpube_model_free(q);
	}
}

static void costs_that_do_not_fit(void **state)
{
	static const struct {
		int64_t cost, constant, top;
		const char *message;
	} rows[] = {
		{709, 0, GPUBE_INF,
			"function 0: a cost of 709 * 10^-0: its exponential does not fit a double; "
			".wcsp and .cfn can hold it"},
		{-710, 0, GPUBE_INF,
			"function 0: a cost of -710 * 10^-0: its exponential does not fit a "
			"double; .wcsp and .cfn can hold it"},
		{1, 4000, GPUBE_INF,
			"a constant of 4000 * 10^-0: its exponential does not fit a double; .wcsp "
			"and .cfn can hold it"},
		{4, 0, 6,
			"totals can reach the top of 6, for which .uai has no place; .wcsp and "
			".cfn do"},
	};

	(void)state;
	test_put(in_dir("c.uai"), "old", 3);
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		struct gpube_model *m;
		char *text;

		assert_int_equal(gpube_model_new(&m, ctx, GPUBE_COSTS), GPUBE_OK);
		for (int v = 0; v < 2; v++) {
			assert_int_equal(gpube_model_add_var(m, NULL, 2, NULL), GPUBE_OK);
			assert_int_equal(gpube_model_add_costs(m, 1, (int32_t[]){v},
						 (int64_t[]){0, rows[i].cost}),
				GPUBE_OK);
		}
		m->constant = rows[i].constant;
		m->top = rows[i].top;
		assert_int_equal(gpube_write(m, in_dir("c.uai"), NULL, NULL), GPUBE_ERANGE);
		assert_string_equal(gpube_error(ctx), rows[i].message);
		text = test_get(in_dir("c.uai"), NULL);
		assert_string_equal(text, "old");
		free(text);
		assert_int_equal(test_count_files(dir), 1);
		gpube_model_free(m);
	}
}

/* A value that with the best of everything else reaches top is forbidden, not a huge cost. */
static void top_of_single_values(void **state)
{
	struct gpube_model *m, *r;
	double v;

	(void)state;
	assert_int_equal(gpube_model_new(&m, ctx, GPUBE_COSTS), GPUBE_OK);
	assert_int_equal(gpube_model_add_var(m, NULL, 3, NULL), GPUBE_OK);
	assert_int_equal(
		gpube_model_add_costs(m, 1, (int32_t[]){0}, (int64_t[]){3, 99997, 8}), GPUBE_OK);
	assert_int_equal(gpube_model_set_top(m, 99997), GPUBE_OK);
	assert_int_equal(gpube_write(m, in_dir("c.uai"), NULL, NULL), GPUBE_OK);
	r = read_auto(in_dir("c.uai"));
	assert_int_equal(gpube_model_log_value(&v, r, (int32_t[]){1}), GPUBE_OK);
	assert_true(isinf(v));
	assert_int_equal(gpube_model_log_value(&v, r, (int32_t[]){2}), GPUBE_OK);
	assert_true(fabs(v + 8) < 1e-14);
	gpube_model_free(m);
	gpube_model_free(r);
}

/* Standard output has no file beside it: there evidence becomes functions of 0 and 1. */
static void evidence_to_stdout(void **state)
{
	struct gpube_model *m = random_potentials(ctx, 3), *r;
	int saved, fd;
	double a, b;

	(void)state;
	fflush(stdout);
	saved = dup(1);
	fd = open(in_dir("out"), O_WRONLY | O_CREAT | O_TRUNC, 0600);
	assert_true(saved >= 0 && fd >= 0 && dup2(fd, 1) == 1);
	assert_int_equal(
		gpube_write(m, "-", &(struct gpube_opts){.to = GPUBE_FORMAT_UAI}, NULL), GPUBE_OK);
	assert_true(dup2(saved, 1) == 1);
	close(saved);
	close(fd);
	assert_int_equal(test_count_files(dir), 1);
	r = read_auto(in_dir("out"));
	assert_int_equal(r->n_functions, m->n_functions + 3);
	for (int32_t i = 0; i < 64; i++) {
		int32_t x[6];

		for (int k = 0; k < 6; k++)
			x[k] = i >> k & 1 ? 0 : m->vars[k].domain - 1;
		assert_int_equal(gpube_model_log_value(&a, m, x), GPUBE_OK);
		assert_int_equal(gpube_model_log_value(&b, r, x), GPUBE_OK);
		assert_true(a == b);
	}
	gpube_model_free(m);
	gpube_model_free(r);
}

static void unknown_format(void **state)
{
	struct gpube_model *m = read_auto(GOOD);

	(void)state;
	assert_int_equal(gpube_write(m, in_dir("x.foo"), NULL, NULL), GPUBE_EINVAL);
	assert_int_equal(gpube_write(m, in_dir("uai"), NULL, NULL), GPUBE_EINVAL);
	assert_int_equal(gpube_write(m, "-", NULL, NULL), GPUBE_EINVAL);
	assert_int_equal(test_count_files(dir), 0);
	assert_int_equal(gpube__format_named("uai"), GPUBE_FORMAT_UAI);
	assert_int_equal(gpube__format_named("pdf"), GPUBE_FORMAT_AUTO);
	assert_string_equal(gpube__format_name(GPUBE_FORMAT_UAI), "uai");
	gpube_model_free(m);
}

/* ---- memory that runs out ---------------------------------------------------------------------
 */

static int read_scarcely(struct gpube_ctx *c, struct gpube_model *none, const void *path)
{
	struct gpube_model *m;
	int status = gpube_read(&m, c, path, NULL);

	(void)none;
	assert_true(!m == (status != GPUBE_OK));
	if (status)
		assert_non_null(strstr(gpube_error(c), "out of memory"));
	gpube_model_free(m);
	return status;
}

static struct gpube_model *model_to_write(struct gpube_ctx *c, const void *path)
{
	(void)path;
	return random_potentials(c, 3);
}

static int write_scarcely(struct gpube_ctx *c, struct gpube_model *m, const void *path)
{
	int before = test_count_files(dir), status = gpube_write(m, path, NULL, NULL);

	(void)c;
	if (status)
		assert_int_equal(test_count_files(dir), before);
	return status;
}

static void without_memory(void **state)
{
	const char *name = *state;

#ifndef GPUBE_HAVE_LZMA
	if (strstr(name, ".xz"))
		skip();
#endif
	assert_true(fail_each_allocation(write_scarcely, model_to_write, in_dir(name), 0) >= 4);
	assert_int_equal(test_count_files(dir), 2); /* the model and its evidence */
	assert_true(fail_each_allocation(read_scarcely, NULL, in_dir(name), 0) > 20);
}

/* Every tenth prefix of a compressed model is refused by name. */
static void cut_model(void **state)
{
	const char *name = *state, *path = in_dir(name);
	struct gpube_model *m = random_potentials(ctx, 1), *r;
	char *whole;
	size_t n;

#ifndef GPUBE_HAVE_LZMA
	if (strstr(name, ".xz"))
		skip();
#endif
	assert_int_equal(gpube_write(m, path, NULL, NULL), GPUBE_OK);
	whole = test_get(path, &n);
	assert_true(n > 500);
	for (size_t k = 0; k < n; k += 10) {
		test_put(path, whole, k);
		assert_int_equal(gpube_read(&r, ctx, path, &(struct gpube_opts){.evidence = ""}),
			GPUBE_EPARSE);
		assert_null(r);
		if (k >= 10)
			assert_non_null(strstr(gpube_error(ctx), "data is truncated"));
		assert_non_null(strstr(gpube_error(ctx), path));
	}
	free(whole);
	gpube_model_free(m);
}

int main(void)
{
	static const char *const files[] = {"x.uai", "x.uai.gz", "x.uai.xz"};
	struct cases c = {.setup = ctx_dir_setup, .teardown = ctx_dir_teardown};

	ADD_CASE(&c, good_file);
	ADD_CASE(&c, small_models);
	ADD_CASE(&c, evidence_beside);
	ADD_CASE(&c, costs_come_back);
	ADD_CASE(&c, costs_that_do_not_fit);
	ADD_CASE(&c, top_of_single_values);
	ADD_CASE(&c, evidence_to_stdout);
	ADD_CASE(&c, unknown_format);
	for (size_t i = 0; i < 3; i++) {
		add_case(&c, round_trip, files[i], "round trip %s", files[i] + 1);
		add_case(&c, without_memory, files[i], "without memory %s", files[i] + 1);
		if (i > 0)
			add_case(&c, cut_model, files[i], "cut %s", files[i] + 1);
	}
	for (size_t i = 0; i < sizeof(layouts) / sizeof(*layouts); i++)
		add_case(&c, layout, &layouts[i], "%s", layouts[i].name);
	for (size_t i = 0; i < sizeof(evidences) / sizeof(*evidences); i++)
		add_case(&c, evidence, &evidences[i], "evidence '%s' %d", evidences[i].text,
			evidences[i].sample);
	return run_cases(&c, "uai", NULL, NULL);
}
