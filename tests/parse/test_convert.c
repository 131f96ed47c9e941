/*
 * Writing with options: what a format cannot hold is refused, or changed by rule;
 * what was written is read back and compared; the comparison finds differences.
 */
#include "tests/support/test.h"
#include "gpube/options/options.h"

#include "formats/common/registry.h"
#include "formats/compare/compare.h"
#include "tests/support/files.h"
#include "tests/support/model_text.h"
#include "tests/support/random_model.h"

enum { N_SEEDS = 150 };

static struct gpube_ctx *new_ctx(void)
{
	struct gpube_ctx *ctx;

	assert_int_equal(gpube_ctx_new(&ctx, NULL), 0);
	return ctx;
}

static struct gpube_model *model_of(struct gpube_ctx *ctx, const char *text)
{
	struct gpube_model *m;

	if (text_to_model(&m, ctx, text, GPUBE_FORMAT_AUTO))
		fail_msg("%s in\n%s", gpube_error(ctx), text);
	return m;
}

/* ---- random models into every format, checked ------------------------------------------ */

/* Every model that is written passes the check; --lossy writes all but the impossible. */
static void checked(void **state)
{
	static const enum gpube_format formats[] = {GPUBE_FORMAT_WCSP, GPUBE_FORMAT_CFN,
		GPUBE_FORMAT_UAI, GPUBE_FORMAT_LG, GPUBE_FORMAT_WCNF, GPUBE_FORMAT_LP,
		GPUBE_FORMAT_MPS};
	enum { N = sizeof(formats) / sizeof(*formats) };
	uint64_t seed = *(const uint64_t *)*state;
	struct gpube_ctx *ctx = new_ctx();
	char dir[256], path[300];

	test_make_dir(dir);
	snprintf(path, sizeof(path), "%s/m", dir);
	for (int k = 0; k < 4 * N; k++) {
		enum gpube_kind kind = k < 2 * N ? GPUBE_COSTS : GPUBE_POTENTIALS;
		struct gpube_opts opts = {.to = formats[k % N], .lossy = k / N % 2, .check = 1};
		struct random_spec spec = random_spec_varied(seed, kind);
		struct gpube_model *m = random_model(ctx, &spec, seed);
		int status;

		assert_non_null(m);
		status = gpube_write(m, path, &opts, NULL);
		if (status == GPUBE_ERANGE &&
			(opts.to == GPUBE_FORMAT_LG || opts.to == GPUBE_FORMAT_WCNF))
			/* a top that totals reach, which is not dropped */
			assert_true(kind == GPUBE_COSTS || !opts.lossy);
		else if (status == GPUBE_ERANGE && !opts.lossy)
			assert_true(kind == GPUBE_COSTS || formats[k % N] != GPUBE_FORMAT_UAI);
		else if (status)
			fail_msg("%s", gpube_error(ctx));
		gpube_model_free(m);
	}
	test_clear_dir(dir);
	gpube_ctx_free(ctx);
}

/* ---- programs --------------------------------------------------------------------------- */

static int check_program(struct gpube_ctx *ctx, const char *path, const struct gpube_model *m,
	enum gpube_format format)
{
	struct gpube_model *scratch;
	struct gpube_in in;
	int status;

	assert_int_equal(gpube_model_new(&scratch, ctx, GPUBE_COSTS), GPUBE_OK);
	assert_int_equal(gpube__in_open(&in, ctx, path), GPUBE_OK);
	status = format == GPUBE_FORMAT_LP ? gpube__lp_check(scratch, m, &in)
					   : gpube__mps_check(scratch, m, &in);
	gpube__in_close(&in);
	gpube_model_free(scratch);
	return status;
}

/*
 * The digit is one of the program: not of a comment, the label of a row, a marker's name, or the
 * name of a column that is at most 1, which integer columns are without that, too.
 */
static bool matters(const char *text, const char *digit)
{
	const char *line = digit, *end;

	while (line > text && line[-1] != '\n')
		line--;
	end = strchr(line, '\n');
	if (*line == '*' || *line == '\\' || strncmp(line, " mark", 5) == 0)
		return false;
	if (strncmp(line, " UP bound", 9) == 0 && digit < end - 1)
		return false;
	return !(line[0] == ' ' && line[1] == 'r' && memchr(line, ':', (size_t)(end - line)) &&
		 digit < strchr(line, ':'));
}

/* Each digit as another one is found, and each line that is gone. */
static void changed_programs(void **state)
{
	static const enum gpube_format formats[] = {GPUBE_FORMAT_LP, GPUBE_FORMAT_MPS};
	struct gpube_ctx *ctx = new_ctx();
	char dir[256], path[300];

	(void)state;
	test_make_dir(dir);
	snprintf(path, sizeof(path), "%s/m", dir);
	for (uint64_t seed = 0; seed < 12; seed++) {
		struct random_spec spec = random_spec_varied(seed, GPUBE_COSTS);
		const enum gpube_format format = formats[seed % 2];
		struct gpube_model *m;
		char *text;
		size_t n;

		spec.n_functions = 3;
		spec.observed = 0; /* which becomes functions */
		m = random_model(ctx, &spec, seed);
		assert_int_equal(
			gpube_write(m, path, &(struct gpube_opts){.to = format}, NULL), GPUBE_OK);
		assert_int_equal(check_program(ctx, path, m, format), GPUBE_OK);
		text = test_get(path, &n);
		for (size_t k = 0, looks = 0; k < n && looks < 150; k++) {
			const char was = text[k];

			if (was < '0' || was > '9' || !matters(text, text + k))
				continue;
			looks++;
			text[k] = (char)('0' + (was - '0' + 1) % 10);
			test_put(path, text, n);
			if (check_program(ctx, path, m, format) == GPUBE_OK)
				fail_msg("seed %d, byte %zu: %.40s", (int)seed, k, text + k);
			text[k] = was;
		}
		free(text);
		gpube_model_free(m);
	}
	test_clear_dir(dir);
	gpube_ctx_free(ctx);
}

/* ---- the comparison -------------------------------------------------------------------- */

/* Two texts of models, and how the second differs: "" not at all. */
static const struct difference {
	const char *name, *a, *b, *why;
} differences[] = {
	{"equal", "p 2 2 1 9\n2 2\n2 0 1 0 1\n0 1 5\n", "p 2 2 1 9\n2 2\n2 0 1 0 1\n0 1 5\n", ""},
	{"scope turned", "p 2 3 1 9\n2 3\n2 0 1 0 1\n0 2 5\n", "p 2 3 1 9\n2 3\n2 1 0 0 1\n2 0 5\n",
		""},
	{"two functions are one", "p 2 2 2 9\n2 2\n1 0 0 1\n1 3\n1 0 0 1\n0 1\n",
		"p 2 2 1 9\n2 2\n1 0 1 1\n1 3\n", ""},
	{"a constant moved", "p 1 2 2 9\n2\n0 2 0\n1 0 0 1\n1 3\n", "p 1 2 1 9\n2\n1 0 2 1\n1 5\n",
		""},
	{"a function that costs the same everywhere is gone",
		"p 2 2 2 9\n2 2\n1 0 0 1\n1 3\n2 0 1 2 0\n",
		"p 2 2 2 9\n2 2\n1 0 0 1\n1 3\n0 2 0\n", ""},
	{"it is there", "p 2 2 2 9\n2 2\n1 0 0 1\n1 3\n0 2 0\n",
		"p 2 2 3 9\n2 2\n1 0 0 1\n1 3\n1 1 1 2\n0 1\n1 1\n0 1 0\n", ""},
	{"it is gone, and what it costs", "p 2 2 2 9\n2 2\n1 0 0 1\n1 3\n2 0 1 2 0\n",
		"p 2 2 1 9\n2 2\n1 0 0 1\n1 3\n", "every total is off by -2"},
	{"it is gone, and what it forbids", "p 1 2 2 9\n2\n1 0 9 0\n0 1 0\n",
		"p 1 2 1 9\n2\n0 1 0\n", "feasible when read back"},
	{"it differs in one cell", "p 2 2 2 9\n2 2\n1 0 0 1\n1 3\n2 0 1 2 1\n1 1 3\n",
		"p 2 2 2 9\n2 2\n1 0 0 1\n1 3\n0 2 0\n",
		"over 2 sets of variables, read back over 1"},
	{"many listings over the same variables",
		"p 4 2 1 99\n2 2 2 2\n4 3 1 0 2 0 9\n0 0 0 0 1\n0 0 0 1 "
		"2\n0 0 1 0 3\n0 0 1 1 4\n0 1 0 0 5\n0 1 0 1 6\n0 1 1 0 7\n0 1 1 1 8\n1 1 1 1 99\n",
		"p wcnf 4 9 99\n1 1 2 3 4 0\n2 1 2 -3 4 0\n3 -1 2 3 4 0\n4 -1 2 -3 4 0\n5 1 -2 3 4 "
		"0\n6 1 -2 -3 4 0\n7 -1 -2 3 4 0\n8 -1 -2 -3 4 0\n99 -1 -2 -3 -4 0\n",
		""},
	{"many listings, one cost",
		"p 4 2 1 99\n2 2 2 2\n4 3 1 0 2 0 9\n0 0 0 0 1\n0 0 0 1 "
		"2\n0 0 1 0 3\n0 0 1 1 4\n0 1 0 0 5\n0 1 0 1 6\n0 1 1 0 7\n0 1 1 1 9\n1 1 1 1 99\n",
		"p wcnf 4 9 99\n1 1 2 3 4 0\n2 1 2 -3 4 0\n3 -1 2 3 4 0\n4 -1 2 -3 4 0\n5 1 -2 3 4 "
		"0\n6 1 -2 -3 4 0\n7 -1 -2 3 4 0\n8 -1 -2 -3 4 0\n99 -1 -2 -3 -4 0\n",
		"over \\(3, 1, 0, 2\\) at 0 1 1 1 costs 9, read back 8"},
	{"forbidden by the bound", "p 1 2 1 9\n2\n1 0 0 1\n1 9\n", "p 1 2 1 9\n2\n1 0 0 1\n1 12\n",
		""},
	{"forbidden with the others", "p 2 2 2 9\n2 2\n1 0 4 0\n1 1 0 1\n1 5\n",
		"p 2 2 2 9\n2 2\n1 0 4 0\n1 1 0 1\n1 9\n", ""},
	{"a bound out of reach", "p 1 2 1 9\n2\n1 0 0 1\n1 3\n", "p 1 2 1 99\n2\n1 0 0 1\n1 3\n",
		""},
	{"both infeasible", "p 1 2 1 9\n2\n1 0 9 0\n", "p 1 2 2 9\n2\n0 20 0\n1 0 3 0\n", ""},
	{"a cost", "p 2 2 1 9\n2 2\n2 0 1 0 1\n0 1 5\n", "p 2 2 1 9\n2 2\n2 0 1 0 1\n0 1 4\n",
		"over \\(0, 1\\) at 0 1 costs 5, read back 4"},
	{"a cell", "p 2 2 1 9\n2 2\n2 0 1 0 1\n0 1 5\n", "p 2 2 1 9\n2 2\n2 0 1 0 1\n1 0 5\n",
		"at 0 1 costs 5, read back 0"},
	{"a forbidden cell", "p 1 2 1 9\n2\n1 0 0 1\n1 9\n", "p 1 2 1 9\n2\n1 0 0 1\n1 8\n",
		"at 1 costs forbidden, read back 8"},
	{"a total", "p 1 2 1 9\n2\n1 0 0 1\n1 3\n", "p 1 2 1 9\n2\n1 0 1 1\n1 4\n",
		"every total is off by 1"},
	{"a bound", "p 1 2 1 4\n2\n1 0 0 1\n1 3\n", "p 1 2 1 3\n2\n1 0 0 1\n1 2\n",
		"costs 3, read back 2"},
	{"a bound of totals", "p 2 2 2 5\n2 2\n1 0 0 1\n1 3\n1 1 0 1\n0 4\n",
		"p 2 2 2 6\n2 2\n1 0 0 1\n1 3\n1 1 0 1\n0 4\n", "the bound is 5, read back 6"},
	{"infeasible", "p 1 2 1 9\n2\n1 0 9 0\n", "p 1 2 1 9\n2\n1 0 8 0\n",
		"feasible when read back"},
	{"variables", "p 1 2 0 9\n2\n", "p 2 2 0 9\n2 2\n", "1 variable, read back 2"},
	{"domains", "p 1 2 0 9\n2\n", "p 1 3 0 9\n3\n", "variable 0 has 2 values, read back 3"},
	{"scopes", "p 2 2 1 9\n2 2\n1 0 0 1\n1 3\n", "p 2 2 1 9\n2 2\n1 1 0 1\n1 3\n",
		"other variables"},
	{"one function less", "p 2 2 2 9\n2 2\n1 0 0 1\n1 3\n1 1 0 1\n1 3\n",
		"p 2 2 1 9\n2 2\n1 0 0 1\n1 3\n", "over 2 sets of variables, read back over 1"},
	{"a maximisation negated", "{{p \">-9.0\"} {x 2} {{[x] [1.5 -2.5]}}}",
		"{{p \"<9.0\"} {x 2} {{[x] [-1.5 2.5]}}}", ""},
	{"a potential", "MARKOV\n1\n2\n1\n1 0\n2\n.25 .5\n", "MARKOV\n1\n2\n1\n1 0\n2\n.25 .75\n",
		"function 0 over \\(0\\) at 1 is another number, read back as 0.75"},
	{"potentials", "MARKOV\n1\n2\n1\n1 0\n2\n.25 .5\n", "MARKOV\n1\n2\n1\n1 0\n2\n.25 .5\n",
		""},
	{"costs as potentials", "p 1 2 1 9\n2\n1 0 0 1\n1 9\n", "MARKOV\n1\n2\n1\n1 0\n2\n1 0\n",
		""},
	{"a cost as another potential", "p 1 2 1 9\n2\n1 0 0 1\n1 3\n",
		"MARKOV\n1\n2\n1\n1 0\n2\n1 0.0497\n", "another number, read back as 3.0017"},
	{"potentials as costs", "MARKOV\n1\n2\n1\n1 0\n2\n1 0\n", "p 1 2 1 9\n2\n1 0 0 1\n1 9\n",
		""},
	{"potentials as other costs", "MARKOV\n1\n2\n1\n1 0\n2\n1 .5\n",
		"{{p \"<9.00\"} {x 2} {{[x] [0 0.68]}}}", "another number, read back as 0.68"},
	{"potentials as rounded costs", "MARKOV\n1\n2\n1\n1 0\n2\n1 .5\n",
		"{{p \"<9.00\"} {x 2} {{[x] [0 0.69]}}}", ""},
	{"a constant of potentials", "MARKOV\n1\n2\n2\n0\n1 0\n1 .5\n2\n1 .5\n",
		"{{p \"<9.00\"} {x 2} {{[] [0.69]} {[x] [0 0.69]}}}", ""},
	{"another constant of potentials", "MARKOV\n1\n2\n2\n0\n1 0\n1 .5\n2\n1 .5\n",
		"{{p \"<9.00\"} {x 2} {{[] [0.75]} {[x] [0 0.69]}}}", "the constant is 0.69"},
};

static void compared(void **state)
{
	const struct difference *d = *state;
	struct gpube_ctx *ctx = new_ctx();
	struct gpube_model *a = model_of(ctx, d->a), *b = model_of(ctx, d->b);
	struct gpube_compared counts;
	int status = gpube__compare(&counts, a, b);
	char plain[200];
	size_t n = 0;

	for (const char *p = d->why; *p; p++)
		if (*p != '\\')
			plain[n++] = *p;
	plain[n] = 0;
	if (status != (n ? GPUBE_EBUG : GPUBE_OK))
		fail_msg("status %d, %s", status, status ? gpube_error(ctx) : "no difference");
	if (n && !strstr(gpube_error(ctx), plain))
		fail_msg("'%s' where '%s' was expected", gpube_error(ctx), plain);
	gpube_model_free(a);
	gpube_model_free(b);
	gpube_ctx_free(ctx);
}

/* ---- clauses with a Boolean for each value --------------------------------------------------- */

#define ONE_VALUE "99 1 2 3 0\n99 -1 -2 0\n99 -1 -3 0\n99 -2 -3 0\n"

static const struct difference clauses[] = {
	{"clauses", NULL, "p wcnf 4 6 99\n" ONE_VALUE "5 -1 -4 0\n7 -3 4 0\n", ""},
	{"clauses, a constant by literals", NULL,
		"p wcnf 4 10 99\n" ONE_VALUE "5 -1 -4 0\n7 -3 4 0\n3 1 0\n3 -1 0\n2 4 0\n2 -4 0\n",
		"every total is off by 5"},
	{"clauses, another weight", NULL, "p wcnf 4 6 99\n" ONE_VALUE "5 -1 -4 0\n6 -3 4 0\n",
		"at 2 0 costs 7, read back 6"},
	{"clauses, another value", NULL, "p wcnf 4 6 99\n" ONE_VALUE "5 -1 -4 0\n7 -2 4 0\n",
		"at 1 0 costs 0, read back 7"},
	{"clauses, two values at once", NULL,
		"p wcnf 4 5 99\n99 1 2 3 0\n99 -1 -2 0\n99 -2 -3 0\n5 -1 -4 0\n7 -3 4 0\n",
		"do not say that variable 0 has one value"},
	{"clauses, no value", NULL,
		"p wcnf 4 5 99\n99 -1 -3 0\n99 -1 -2 0\n99 -2 -3 0\n5 -1 -4 0\n7 -3 4 0\n",
		"do not say that variable 0 has one value"},
	{"clauses, a value that is not taken", NULL,
		"p wcnf 4 6 99\n" ONE_VALUE "5 1 -4 0\n7 -3 4 0\n",
		"clause 4 is none that was to be written"},
};

static void clauses_decoded(void **state)
{
	const struct difference *d = *state;
	struct gpube_ctx *ctx = new_ctx();
	struct gpube_model *m = model_of(ctx, "p 2 3 1 99\n3 2\n2 0 1 0 2\n0 1 5\n2 0 7\n");
	struct gpube_model *read = model_of(ctx, d->b), *decoded;
	struct gpube_compared counts;
	int status = gpube__decode_clauses(&decoded, m, read);

	if (!status)
		status = gpube__compare(&counts, m, decoded);
	assert_int_equal(status, *d->why ? GPUBE_EBUG : GPUBE_OK);
	if (status && !strstr(gpube_error(ctx), d->why))
		fail_msg("'%s' where '%s' was expected", gpube_error(ctx), d->why);
	gpube_model_free(decoded);
	gpube_model_free(read);
	gpube_model_free(m);
	gpube_ctx_free(ctx);
}

/* Sparse tables past 2^63 cells: only what is held is looked at. */
static void sparse_compared(void **state)
{
	struct gpube_ctx *ctx = new_ctx();
	struct gpube_model *m[3];
	struct gpube_compared counts;
	char text[3][4096];

	(void)state;
	for (int k = 0; k < 3; k++) {
		int n = snprintf(text[k], sizeof(text[k]), "p 70 2 1 9\n");

		for (int i = 0; i < 70; i++)
			n += snprintf(text[k] + n, sizeof(text[k]) - (size_t)n, "2 ");
		n += snprintf(text[k] + n, sizeof(text[k]) - (size_t)n, "\n70");
		for (int i = 0; i < 70; i++)
			n += snprintf(text[k] + n, sizeof(text[k]) - (size_t)n, " %d", i);
		n += snprintf(text[k] + n, sizeof(text[k]) - (size_t)n, " 1 1\n");
		for (int i = 0; i < 70; i++)
			n += snprintf(text[k] + n, sizeof(text[k]) - (size_t)n, "%d ", i == 3);
		snprintf(text[k] + n, sizeof(text[k]) - (size_t)n, "%d\n", k == 2 ? 5 : 4);
		m[k] = model_of(ctx, text[k]);
	}
	assert_int_equal(gpube__compare(&counts, m[0], m[1]), GPUBE_OK);
	assert_int_equal(gpube__compare(&counts, m[0], m[2]), GPUBE_EBUG);
	for (int k = 0; k < 3; k++)
		gpube_model_free(m[k]);
	gpube_ctx_free(ctx);
}

/* ---- digits lost -------------------------------------------------------------------------- */

static const struct division {
	int64_t v;
	int digits;
	int64_t result;
} divisions[] = {
	{0, 3, 0},
	{1499, 3, 1},
	{1500, 3, 2},
	{-1499, 3, -1},
	{-1500, 3, -2},
	{499, 3, 0},
	{-500, 3, -1},
	{7, 0, 7},
	{INT64_MAX - 1, 18, 9},
	{-(INT64_MAX - 1), 18, -9},
	{GPUBE_INF, 3, GPUBE_INF},
};

static void divided(void **state)
{
	const struct division *d = *state;
	struct gpube_ctx *ctx = new_ctx();
	struct gpube_model *m, *less;
	int32_t var;

	assert_int_equal(gpube_model_new(&m, ctx, GPUBE_COSTS), 0);
	assert_int_equal(gpube_model_add_var(m, &var, 1, NULL), 0);
	assert_int_equal(gpube_model_add_costs(m, 1, &var, &d->v), 0);
	assert_int_equal(gpube_model_set_scale(m, 2), 0);
	assert_int_equal(gpube__divide(&less, m, d->digits), 0);
	assert_int_equal(cost_at(less, 0, (const int32_t[]){0}), d->result);
	assert_int_equal(less->scale, d->digits < 2 ? 2 - d->digits : 0);
	gpube_model_free(less);
	gpube_model_free(m);
	gpube_ctx_free(ctx);
}

/* A total below the bound stays below it. */
static void bound_divided(void **state)
{
	static const struct {
		enum gpube_direction direction;
		int64_t top, result;
	} rows[] = {{GPUBE_MINIMISE, 1001, 11}, {GPUBE_MINIMISE, 1000, 10},
		{GPUBE_MINIMISE, -1001, -10}, {GPUBE_MAXIMISE, -1001, -11},
		{GPUBE_MAXIMISE, 1001, 10}, {GPUBE_MINIMISE, GPUBE_INF, GPUBE_INF},
		{GPUBE_MAXIMISE, -GPUBE_INF, -GPUBE_INF}};
	struct gpube_ctx *ctx = new_ctx();
	struct gpube_model *m, *less;

	(void)state;
	for (size_t k = 0; k < sizeof(rows) / sizeof(*rows); k++) {
		assert_int_equal(gpube_model_new(&m, ctx, GPUBE_COSTS), 0);
		assert_int_equal(gpube_model_set_direction(m, rows[k].direction), 0);
		assert_int_equal(gpube_model_set_top(m, rows[k].top), 0);
		assert_int_equal(gpube__divide(&less, m, 2), 0);
		assert_int_equal(less->top, rows[k].result);
		assert_int_equal(less->direction, rows[k].direction);
		gpube_model_free(less);
		gpube_model_free(m);
	}
	assert_int_equal(gpube_model_new(&m, ctx, GPUBE_POTENTIALS), 0);
	assert_int_equal(gpube__divide(&less, m, 2), GPUBE_EINVAL);
	gpube_model_free(m);
	gpube_ctx_free(ctx);
}

int main(void)
{
	enum { N_DIFF = sizeof(differences) / sizeof(*differences) };
	enum { N_CLAUSES = sizeof(clauses) / sizeof(*clauses) };
	enum { N_DIV = sizeof(divisions) / sizeof(*divisions) };
	static uint64_t seeds[N_SEEDS];
	static char names[N_SEEDS + N_DIV][32];
	static struct CMUnitTest tests[N_SEEDS + N_DIFF + N_CLAUSES + N_DIV + 3];
	int n = 0, n_names = 0;

	for (int k = 0; k < N_SEEDS; k++) {
		seeds[k] = (uint64_t)k;
		snprintf(names[n_names], sizeof(names[0]), "checked %d", k);
		tests[n++] = (struct CMUnitTest){names[n_names++], checked, NULL, NULL, &seeds[k]};
	}
	for (int k = 0; k < N_DIFF; k++)
		tests[n++] = (struct CMUnitTest){
			differences[k].name, compared, NULL, NULL, (void *)&differences[k]};
	for (int k = 0; k < N_CLAUSES; k++)
		tests[n++] = (struct CMUnitTest){
			clauses[k].name, clauses_decoded, NULL, NULL, (void *)&clauses[k]};
	for (int k = 0; k < N_DIV; k++) {
		snprintf(names[n_names], sizeof(names[0]), "divided %d", k);
		tests[n++] = (struct CMUnitTest){
			names[n_names++], divided, NULL, NULL, (void *)&divisions[k]};
	}
	tests[n++] = (struct CMUnitTest)cmocka_unit_test(changed_programs);
	tests[n++] = (struct CMUnitTest)cmocka_unit_test(sparse_compared);
	tests[n++] = (struct CMUnitTest)cmocka_unit_test(bound_divided);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
