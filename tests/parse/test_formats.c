/* Telling formats apart, and chains of conversions that keep every assignment's cost. */
#include "tests/support/test.h"
#include "formats/common/registry.h"
#include "gpube/options/options.h"

#include <math.h>

#include "formats/formats.h"
#include "formats/io/io.h"
#include "tests/support/cases.h"
#include "tests/support/context.h"
#include "tests/support/files.h"

/* ---- detection ---------------------------------------------------------------------- */

#define UAI  "MARKOV 1 2 1 1 0 2 0.5 1"
#define CFN  "{problem:{name:a,mustbe:<5},variables:{x:2},functions:{f:{scope:[x],costs:[3,0]}}}"
#define WCSP "a 1 2 1 5\n2\n1 0 0 1\n0 3\n"

static const struct detection {
	const char *name, *text;
	int good;
	enum gpube_kind kind;
} detections[] = {
	{"x", UAI, 1, GPUBE_POTENTIALS},
	{"x", "\n\n \t" UAI, 1, GPUBE_POTENTIALS},
	{"x.wcsp", UAI, 1, GPUBE_POTENTIALS},
	{"x.cfn", UAI, 1, GPUBE_POTENTIALS},
	{"x", CFN, 1, GPUBE_COSTS},
	{"x.uai", CFN, 1, GPUBE_COSTS},
	{"x.wcsp", "\n  " CFN, 1, GPUBE_COSTS},
	{"x", "# a comment\n// another {\n" CFN, 1, GPUBE_COSTS},
	{"x", "* a comment\nNAME\n\nROWS\n N o\nCOLUMNS\n x o 1\nBOUNDS\n BV x\nENDATA\n", 1,
		GPUBE_COSTS},
	{"x", "NAME 1 2 1 5\n2\n1 0 0 1\n0 3\n", 1, GPUBE_COSTS},
	{"x", WCSP, 1, GPUBE_COSTS},
	{"x.dat", WCSP, 1, GPUBE_COSTS},
	{"x.wcsp", WCSP, 1, GPUBE_COSTS},
	{"x.wcsp", "MARKOVIAN 1 2 1 5\n2\n1 0 0 1\n0 3\n", 1, GPUBE_COSTS},
	{"x", "MARKOV 1 2 1 1 0 2 -0.5 1", 1, GPUBE_COSTS},
	{"x", "# a\nMarkov # - -1\n1 2 1 1 0 # x - y\n2 0.5 1", 1, GPUBE_POTENTIALS},
	{"x.LG", UAI, 1, GPUBE_COSTS},
	{"x.lg.gz", UAI, 1, GPUBE_COSTS},
	{"x", "c a\n\nc\np wcnf 1 1 5\n1 1 0\n", 1, GPUBE_COSTS},
	{"x", "c a\nh 1 0\n", 1, GPUBE_COSTS},
	{"x", "7 1 0\n", 1, GPUBE_COSTS},
	{"x.uai", "p cnf 1 1\n1 0\n", 1, GPUBE_COSTS},
	{"x", "1 1\n1 1 -2.5\n", 1, GPUBE_COSTS},
	{"x", "c wcsp\np edge 1 0\n", 1, GPUBE_COSTS},
	{"x", "* #variable= 1 #constraint= 0\n", 1, GPUBE_COSTS},
	{"x", "* a\nmin:\n -1 ~x1 ;\n", 1, GPUBE_COSTS},
	{"x", "soft: ;\n[2] 1 a = 1 ;\n", 1, GPUBE_COSTS},
	{"x", "+1 x1 >= 1 ;\n", 1, GPUBE_COSTS},
	{"max:", "max: 1 2 1 5\n2\n1 0 0 1\n0 3\n", 1, GPUBE_COSTS},
	{"x", "1\n2\n0\n/* Probabilities */\n2\n.5 .5\n", 1, GPUBE_POTENTIALS},
	{"x", "<instance/", 0, GPUBE_COSTS},
	{"x",
		"/* a */ network n {}\n"
		"variable v { type discrete [1] {a}; }\n"
		"probability(v) {table 1;}",
		1, GPUBE_POTENTIALS},
	{"x", "network 1 2 1 5\n2\n1 0 0 1\n0 3\n", 1, GPUBE_COSTS},
	{"x", "%a\n\n net\n{a = 1; }node b { states = (a); } potential (b) {data=(1);}", 1,
		GPUBE_POTENTIALS},
	{"net", "net 1 2 1 5\n2\n1 0 0 1\n0 3\n", 1, GPUBE_COSTS},
#ifdef GPUBE_HAVE_EXPAT
	{"x.xml",
		"<?xml version='1.0'?><!DOCTYPE BIF [<!ELEMENT BIF (NETWORK)*>]>\n<BIF "
		"VERSION='0.3'><NETWORK><VARIABLE TYPE='nature'><NAME>a</NAME><OUTCOME>b</OUTCOME>"
		"</VARIABLE><DEFINITION><FOR>a</FOR><TABLE>1</TABLE></DEFINITION></NETWORK></BIF>",
		1, GPUBE_POTENTIALS},
#endif
	{"x.wcsp", "\n<?xml version=\"1.0\"?>\n<instance/", 0, GPUBE_COSTS},
#ifdef GPUBE_HAVE_YAML
	{"x",
		"# a\n---\nobjective: min\ndomains: {d: {values: [1]}}\nvariables: {x: {domain: "
		"d}}\n",
		1, GPUBE_COSTS},
#endif
	{"x.wcsp", "name 1 2 1 5\n2\n1 0 0 1\n0 3\n", 1, GPUBE_COSTS},
	{"x", "c 1 2 1 5\n2\n1 0 0 1\n0 3\n", 1, GPUBE_COSTS},
	{"x.wcsp", "404 1 2 1 5\n2\n1 0 0 1\n0 3\n", 1, GPUBE_COSTS},
	/* what is none of them is what its name says, so that the error is about that */
	{"x.uai", WCSP, 0, GPUBE_POTENTIALS},
	{"x.uai.gz", WCSP, 0, GPUBE_POTENTIALS},
	{"x.uai", "MARKOVIAN", 0, GPUBE_POTENTIALS},
	{"x", "", 0, GPUBE_COSTS},
};

static void detection(void **state)
{
	const struct detection *row = *state;
	const struct gpube_opts opts = {.colors = 2};
	struct gpube_model *m;
	int status;

	test_put(in_dir(row->name), row->text, strlen(row->text));
	status = gpube_read(&m, ctx, in_dir(row->name), &opts);
	if (!row->good) {
		assert_int_equal(status, GPUBE_EPARSE);
		assert_int_equal(strstr(gpube_error(ctx), "expected MARKOV or BAYES") != NULL,
			row->kind == GPUBE_POTENTIALS);
		return;
	}
	if (status)
		fail_msg("%s", gpube_error(ctx));
	assert_int_equal(m->kind, row->kind);
	assert_int_equal(m->n_vars, 1);
	gpube_model_free(m);
}

static void given_format(void **state)
{
	struct gpube_model *m;

	(void)state;
	test_put(in_dir("x"), UAI, strlen(UAI));
	assert_int_equal(
		gpube_read(&m, ctx, in_dir("x"), &(struct gpube_opts){.from = GPUBE_FORMAT_CFN}),
		GPUBE_EPARSE);
	assert_null(m);
	assert_int_equal(gpube_read(&m, ctx, in_dir("x"),
				 &(struct gpube_opts){.from = (enum gpube_format)99}),
		GPUBE_EINVAL);
	assert_null(m);
	assert_int_equal(
		gpube_read(&m, ctx, in_dir("x"), &(struct gpube_opts){.from = GPUBE_FORMAT_UAI}),
		GPUBE_OK);
	gpube_model_free(m);
	for (int f = GPUBE_FORMAT_WCSP; f < GPUBE_N_FORMATS; f++)
		assert_int_equal(gpube__format_named(gpube__format_name((enum gpube_format)f)), f);
	assert_int_equal(gpube__format_named("none"), GPUBE_FORMAT_AUTO);
	assert_string_equal(gpube__format_name(GPUBE_FORMAT_AUTO), "auto");
}

/* A compressed model's evidence may be compressed, too. */
static void packed_evidence(void **state)
{
	struct gpube_model *m;
	struct gpube_out out;

	(void)state;
	test_put(in_dir("x.uai"), UAI, strlen(UAI));
	assert_int_equal(gpube__out_open(&out, ctx, in_dir("x.uai.evid.gz")), GPUBE_OK);
	gpube__out_text(&out, "1 0 1\n");
	assert_int_equal(gpube__out_close(&out, true), GPUBE_OK);
	assert_int_equal(gpube_read(&m, ctx, in_dir("x.uai"), NULL), GPUBE_OK);
	assert_non_null(m->evidence);
	assert_int_equal(m->evidence[0], 1);
	gpube_model_free(m);
	assert_int_equal(gpube_read(&m, ctx, in_dir("x.uai"), &(struct gpube_opts){.evidence = ""}),
		GPUBE_OK);
	assert_null(m->evidence);
	gpube_model_free(m);
}

/* What a graph needs and what is only read. */
static void refused(void **state)
{
	const struct gpube_opts opts = {.memory_bytes = 1 << 20};
	struct gpube_ctx *small;
	struct gpube_model *m;

	(void)state;
	test_put(in_dir("x.col"), "p edge 1 0\n", 11);
	assert_int_equal(gpube_read(&m, ctx, in_dir("x.col"), NULL), GPUBE_EINVAL);
	assert_non_null(strstr(gpube_error(ctx), "--colors"));
	test_put(in_dir("x.cnf"), "p cnf 2000000000 0\n", 19);
	assert_int_equal(gpube_ctx_new(&small, &opts), GPUBE_OK);
	assert_int_equal(gpube_read(&m, small, in_dir("x.cnf"), NULL), GPUBE_ELIMIT);
	gpube_ctx_free(small);
	test_put(in_dir("x"), UAI, strlen(UAI));
	assert_int_equal(gpube_read(&m, ctx, in_dir("x"), NULL), GPUBE_OK);
	assert_int_equal(gpube_write(m, in_dir("x.qpbo"), NULL, NULL), GPUBE_EINVAL);
	assert_non_null(strstr(gpube_error(ctx), ".qpbo is only read"));
	/* not ERANGE: no other option makes it possible */
	assert_int_equal(gpube_write(m, in_dir("x.cnf"), NULL, NULL), GPUBE_EINVAL);
	assert_non_null(strstr(gpube_error(ctx), "write .wcnf"));
	gpube_model_free(m);
}

/* The options' words are the formats' names, in the enum's order. */
static void words(void **state)
{
	const char *word = GPUBE_FORMATS_READ;

	(void)state;
	for (int f = GPUBE_FORMAT_WCSP; f < GPUBE_N_FORMATS; f++) {
		const char *name = gpube__format_name((enum gpube_format)f);

		assert_int_equal(strncmp(word, name, strlen(name)), 0);
		word += strlen(name);
		assert_int_equal(*word++, f + 1 < GPUBE_N_FORMATS ? '|' : 0);
	}
	assert_int_equal(
		strncmp(GPUBE_FORMATS_READ, GPUBE_FORMATS_WRITTEN, strlen(GPUBE_FORMATS_WRITTEN)),
		0);
}

/* ---- chains --------------------------------------------------------------------------- */

enum { N_VARS = 5, MAX_DOMAIN = 3 };

/* Costs 0 to 9.99 of 2 decimals, a quarter forbidden. */
static struct gpube_model *random_costs(uint64_t seed)
{
	struct gpube_model *m;
	struct gpube_rng rng;

	gpube__rng_init(&rng, seed);
	assert_int_equal(gpube_model_new(&m, ctx, GPUBE_COSTS), GPUBE_OK);
	m->scale = 2;
	m->constant = (int64_t)gpube__rng_below(&rng, 3) * 50;
	for (int i = 0; i < N_VARS; i++)
		assert_int_equal(gpube_model_add_var(m, NULL,
					 2 + (int32_t)gpube__rng_below(&rng, MAX_DOMAIN - 1), NULL),
			GPUBE_OK);
	for (int f = 0; f < 7; f++) {
		int64_t costs[27];
		int32_t scope[3], arity = 1 + f % 3;

		for (int k = 0; k < arity; k++)
			scope[k] = (f + 2 * k) % N_VARS;
		for (int64_t k = gpube__cells(m, arity, scope); k-- > 0;)
			costs[k] = gpube__rng_below(&rng, 4) ? (int64_t)gpube__rng_below(&rng, 1000)
							     : GPUBE_INF;
		assert_int_equal(gpube_model_add_costs(m, arity, scope, costs), GPUBE_OK);
	}
	if (seed % 2) {
		m->evidence = gpube__alloc(ctx, N_VARS, sizeof(*m->evidence));
		assert_non_null(m->evidence);
		for (int i = 0; i < N_VARS; i++)
			m->evidence[i] = i == 3 ? 1 : -1;
	}
	return m;
}

/* -1 if the assignment is forbidden. */
static double cost_of(const struct gpube_model *m, const int32_t *x)
{
	int64_t cost;
	double log_value;

	if (m->kind == GPUBE_POTENTIALS) {
		assert_int_equal(gpube_model_log_value(&log_value, m, x), GPUBE_OK);
		return isinf(log_value) ? -1 : 0 - log_value;
	}
	assert_int_equal(gpube_model_cost(&cost, m, x), GPUBE_OK);
	return cost == GPUBE_INF ? -1 : (double)cost / pow(10, m->scale);
}

/* Every assignment costs the same, a .wcsp's in its own unit. */
static void assert_equal_costs(
	const struct gpube_model *a, const struct gpube_model *b, double unit, double tolerance)
{
	int32_t x[N_VARS] = {0};

	assert_int_equal(b->n_vars, N_VARS);
	for (;;) {
		double p = cost_of(a, x), q = cost_of(b, x);
		int i = 0;

		if ((p < 0) != (q < 0) || (p >= 0 && fabs(p - q * unit) > tolerance))
			fail_msg("%.17g became %.17g", p, q * unit);
		while (i < N_VARS && ++x[i] == a->vars[i].domain)
			x[i++] = 0;
		if (i == N_VARS)
			return;
	}
}

/* Formats in the order in which the model goes through them. */
static const struct chain {
	const char *names[4];
	double unit, tolerance;
} chains[] = {
	{{"a.cfn"}, 1, 1e-12},
	{{"a.wcsp"}, 0.01, 1e-12},
	{{"a.uai"}, 1, 1e-12},
	{{"a.cfn.gz", "b.cfn"}, 1, 1e-12},
	{{"a.LG", "b.lg.gz", "c.cfn"}, 1, 1e-12},
	{{"a.LG", "b.wcsp"}, 0.01, 1e-12}, /* decimals stay, also where they are 0 */
	{{"a.cfn", "b.wcsp", "c.cfn"}, 0.01, 1e-12},
	{{"a.uai.gz", "b.uai"}, 1, 1e-12},
	{{"a.uai", "b.cfn"}, 1, 1e-10},
	{{"a.uai", "b.wcsp.gz"}, 1e-12, 1e-10},
	{{"a.uai", "b.cfn", "c.uai", "d.cfn"}, 1, 1e-10},
};

static void chain(void **state)
{
	const struct chain *row = *state;

	for (uint64_t seed = 0; seed < 20; seed++) {
		struct gpube_model *m = random_costs(seed), *now = m;

		for (int i = 0; i < 4 && row->names[i]; i++) {
			struct gpube_model *next = NULL;

			if (gpube_write(now, in_dir(row->names[i]), NULL, NULL) ||
				gpube_read(&next, ctx, in_dir(row->names[i]), NULL))
				fail_msg("%s: %s", row->names[i], gpube_error(ctx));
			if (now != m)
				gpube_model_free(now);
			now = next;
		}
		assert_equal_costs(m, now, row->unit, row->tolerance);
		gpube_model_free(now);
		gpube_model_free(m);
	}
}

int main(void)
{
	struct cases c = {.setup = ctx_dir_setup, .teardown = ctx_dir_teardown};

	ADD_CASE(&c, given_format);
	ADD_CASE(&c, words);
	ADD_CASE(&c, packed_evidence);
	ADD_CASE(&c, refused);
	for (size_t i = 0; i < sizeof(detections) / sizeof(*detections); i++)
		add_case(&c, detection, &detections[i], "detect %s '%.20s'", detections[i].name,
			detections[i].text);
	for (size_t i = 0; i < sizeof(chains) / sizeof(*chains); i++) {
		char names[80] = "";

		for (int k = 0; k < 4 && chains[i].names[k]; k++)
			strcat(strcat(names, " "), chains[i].names[k]);
		add_case(&c, chain, &chains[i], "chain%s", names);
	}
	return run_cases(&c, "formats", NULL, NULL);
}
