/*
 * What csg/ writes and reads: the proofs of method lp, and games in both formats, good and bad
 * ones.
 */
#include "tests/support/test.h"
#include "gpube/options/options.h"

#include <math.h>
#include <unistd.h>

#include "csg/csg.h"
#include "formats/formats.h"
#include "gpube/ir/coalition_table.h"
#include "tests/support/structures.h"
#include "tests/support/cases.h"
#include "tests/support/files.h"
#include "tests/support/memory.h"
#include "csg/distributions.h"

/* ---- proofs ---------------------------------------------------------------------------------- */

/* By a program that shares nothing with gpube, if there is Python. */
static void check_by_python(const struct gpube_model *g, const char *dir, const char *proof)
{
	char game[300], command[1000];

	snprintf(game, sizeof(game), "%s/game.csg", dir);
	assert_int_equal(
		gpube_write(g, game, &(struct gpube_opts){.to = GPUBE_FORMAT_CSG}, NULL), GPUBE_OK);
	snprintf(command, sizeof(command),
		"! command -v python3 > /dev/null || python3 tests/cli/check_csg.py %s %s", proof,
		game);
	assert_int_equal(system(command), 0);
}

static void stop_when_proved(void *arg, const struct gpube_log *said)
{
	if (!strncmp(said->text, "lp: proved", 10))
		gpube_ctx_stop(*(struct gpube_ctx **)arg);
}

/* Between the proof and its file: the result is proved, and says that there is no file. */
static void certificate_stopped(void **state)
{
	char dir[256], path[300];
	struct gpube_opts o = {.csg_method = GPUBE_CSG_LP};
	struct gpube_ctx *ctx = NULL;
	struct gpube_opts c = {.log = stop_when_proved, .log_arg = &ctx};
	struct gpube_csg_result *r;
	struct gpube_model *g;

	(void)state;
	test_make_dir(dir);
	snprintf(path, sizeof(path), "%s/proof", dir);
	o.certificate = path;
	assert_int_equal(gpube_ctx_new(&ctx, &c), GPUBE_OK);
	assert_int_equal(draw_game(&g, ctx, "ndcs", 10, GPUBE_INT32, 3, "memory"), GPUBE_OK);
	assert_int_equal(gpube_csg(&r, g, &o), GPUBE_OK);
	assert_int_equal(r->answer, GPUBE_CSG_OPTIMAL);
	assert_int_equal(r->certificate_status, GPUBE_ESTOP);
	assert_string_equal(gpube_error(ctx), "stopped");
	assert_int_not_equal(access(path, F_OK), 0);
	gpube_result_free(r);
	gpube_model_free(g);
	gpube_ctx_free(ctx);
	test_clear_dir(dir);
}

struct proving {
	struct gpube_opts opts;
	bool verify;
};

static int certify_or_verify(struct gpube_ctx *ctx, struct gpube_model *none, const void *arg)
{
	const struct proving *p = arg;
	struct gpube_csg_result *r = NULL;
	struct gpube_model *g;
	int status = draw_game(&g, ctx, "ndcs", 10, GPUBE_INT32, 3, "memory");

	(void)none;
	if (!status)
		status = p->verify ? gpube_csg_verify(&r, g, p->opts.certificate)
				   : gpube_csg(&r, g, &p->opts);
	assert_true(!r == (status != GPUBE_OK));
	if (r) {
		assert_true(r->answer == GPUBE_CSG_OPTIMAL && r->upper_int == r->value_int);
		status = r->certificate_status; /* a result without its proof */
	}
	gpube_result_free(r);
	gpube_model_free(g);
	return status;
}

static void certificate_failures(void **state)
{
	char dir[256], path[300];
	struct proving p = {.opts = {.csg_method = GPUBE_CSG_LP}};

	(void)state;
	test_make_dir(dir);
	snprintf(path, sizeof(path), "%s/proof", dir);
	p.opts.certificate = path;
	assert_in_range(fail_each_allocation(certify_or_verify, NULL, &p, 0), 4, 299);
	p.verify = true;
	assert_in_range(fail_each_allocation(certify_or_verify, NULL, &p, 0), 4, 99);
	test_clear_dir(dir);
}

/* Written, read back, and checked here by the text of the file alone. */
static void certificate(void **state)
{
	char dir[256], path[300], *text, *p;
	struct gpube_opts opts = {.csg_method = GPUBE_CSG_LP};
	struct gpube_csg_result *r;
	struct gpube_ctx *ctx;
	struct gpube_model *g;
	long long w[12], upper, value, sum = 0;
	int n, shift, at;

	(void)state;
	test_make_dir(dir);
	snprintf(path, sizeof(path), "%s/proof", dir);
	opts.certificate = path;
	assert_int_equal(gpube_ctx_new(&ctx, NULL), GPUBE_OK);
	assert_int_equal(draw_game(&g, ctx, "ndcs", 12, GPUBE_INT32, 3, "memory"), GPUBE_OK);
	assert_int_equal(gpube_csg(&r, g, &opts), GPUBE_OK);
	assert_int_equal(r->answer, GPUBE_CSG_OPTIMAL);
	text = test_get(path, NULL);
	assert_non_null(text);
	assert_int_equal(sscanf(text, "csg-certificate 3 agents %d shift %d disposal 0 duals%n", &n,
				 &shift, &at),
		2);
	assert_int_equal(n, 12);
	p = text + at;
	for (int i = 0; i < n; i++) {
		w[i] = strtoll(p, &p, 10);
		sum += w[i];
	}
	assert_int_equal(sscanf(p, " upper %lld value %lld", &upper, &value), 2);
	assert_true(upper == sum && value == r->value_int << shift && upper >= value);
	for (uint64_t c = 1; c < 4096; c++) {
		long long weight = 0;

		for (int i = 0; i < n; i++)
			weight += c >> i & 1 ? w[i] : 0;
		assert_true(weight >= (long long)((const int32_t *)gpube_coalitions_values(g))[c]
					      << shift);
	}
	check_by_python(g, dir, path);
	free(text);
	gpube_result_free(r);
	gpube_model_free(g);
	gpube_ctx_free(ctx);
	test_clear_dir(dir);
}

/*
 * Every coalition is worth its agents: all slacks are 0, more candidates than there is room for,
 * and none is needed where bound and structure meet.
 */
static void bound_met(void **state)
{
	static const enum gpube_type types[] = {GPUBE_INT16, GPUBE_INT32, GPUBE_INT64};
	char dir[256], path[300], *text;
	struct gpube_ctx *ctx;

	(void)state;
	test_make_dir(dir);
	snprintf(path, sizeof(path), "%s/proof", dir);
	assert_int_equal(gpube_ctx_new(&ctx, NULL), GPUBE_OK);
	for (size_t t = 0; t < sizeof(types) / sizeof(*types); t++) {
		struct gpube_opts opts = {.csg_method = GPUBE_CSG_LP, .certificate = path};
		struct gpube_model *g;
		struct gpube_csg_result *r;

		assert_int_equal(gpube_coalitions_new(&g, ctx, 16, types[t]), GPUBE_OK);
		for (uint64_t c = 1; c < ((uint64_t)1 << gpube_model_n_vars(g)); c++)
			put_scaled(g, c, 3 * __builtin_popcountll(c));
		assert_int_equal(gpube_csg(&r, g, &opts), GPUBE_OK);
		assert_int_equal(r->answer, GPUBE_CSG_OPTIMAL);
		assert_true(r->value_int == 16 * gpube__coalition_value(g, 1));
		text = test_get(path, NULL);
		assert_non_null(strstr(text, "\ncandidates 0\n"));
		check_by_python(g, dir, path);
		free(text);
		gpube_result_free(r);
		gpube_model_free(g);
	}
	gpube_ctx_free(ctx);
	test_clear_dir(dir);
}

/* ---- files ----------------------------------------------------------------------------------- */

static bool is_mapped(const struct gpube_model *m)
{
	return m->tables[0].owner && m->tables[0].owner->is_file;
}

static void there_and_back(void **state)
{
	static const char *const names[] = {"g.csg", "g.csg.gz", "g.txt"};
	char dir[256], path[300];
	struct gpube_ctx *ctx;

	(void)state;
	test_make_dir(dir);
	assert_int_equal(gpube_ctx_new(&ctx, NULL), GPUBE_OK);
	for (int type = GPUBE_INT16; type <= GPUBE_FLOAT64; type++)
		for (int k = 0; k < 3; k++) {
			struct gpube_model *g, *h;

			assert_int_equal(
				gpube_coalitions_new(&g, ctx, 7, (enum gpube_type)type), GPUBE_OK);
			for (uint64_t c = 1; c < 128; c++)
				put_scaled(g, c, c % 3 ? (double)(c * 37 % 1000) - 300 : -INFINITY);
			snprintf(path, sizeof(path), "%s/%s", dir, names[k]);
			assert_int_equal(
				gpube_write(g, path, &(struct gpube_opts){.to = GPUBE_FORMAT_CSG},
					NULL),
				GPUBE_OK);
			assert_int_equal(gpube_read(&h, ctx, path,
						 &(struct gpube_opts){.from = GPUBE_FORMAT_CSG}),
				GPUBE_OK);
			assert_int_equal(gpube_model_n_vars(h), 7);
			assert_int_equal(gpube_coalitions_type(h), gpube_coalitions_type(g));
			assert_memory_equal(gpube_coalitions_values(g), gpube_coalitions_values(h),
				gpube__type_size(gpube_coalitions_type(g)) << 7);
			/* a plain file is mapped: what is changed stays here */
			assert_true(is_mapped(h) == (k == 0));
			memset(gpube_coalitions_values(h), 1,
				gpube__type_size(gpube_coalitions_type(g)) << 7);
			gpube_model_free(h);
			assert_int_equal(gpube_read(&h, ctx, path,
						 &(struct gpube_opts){.from = GPUBE_FORMAT_CSG}),
				GPUBE_OK);
			assert_memory_equal(gpube_coalitions_values(g), gpube_coalitions_values(h),
				gpube__type_size(gpube_coalitions_type(g)) << 7);
			gpube_model_free(g);
			gpube_model_free(h);
		}
	gpube_ctx_free(ctx);
	test_clear_dir(dir);
}

static void text_forms(void **state)
{
	static const char text[] = "# two agents and one\ncsg 3 int32\ndefault -1\n"
				   "3 10 # both\n{3} 4\n{1,3} forbidden\n";
	char dir[256], path[300];
	struct gpube_ctx *ctx;
	struct gpube_model *g;
	const int32_t *v;

	(void)state;
	test_make_dir(dir);
	snprintf(path, sizeof(path), "%s/g", dir);
	test_put(path, text, sizeof(text) - 1);
	assert_int_equal(gpube_ctx_new(&ctx, NULL), GPUBE_OK);
	assert_int_equal(gpube_read(&g, ctx, path, &(struct gpube_opts){.from = GPUBE_FORMAT_CSG}),
		GPUBE_OK);
	v = gpube_coalitions_values(g);
	assert_int_equal(v[0], 0);
	assert_int_equal(v[1], -1);
	assert_int_equal(v[3], 10);
	assert_int_equal(v[4], 4);
	assert_int_equal(v[5], INT32_MIN);
	gpube_model_free(g);
	gpube_ctx_free(ctx);
	test_clear_dir(dir);
}

struct bad {
	const char *name, *text, *message;
	size_t n;
};

static const struct bad bad_files[] = {
	{"empty", "", "1: expected 'csg', found the end of the file", 0},
	{"another word", "cfg 3 int32\n", "1: expected 'csg', found 'cfg'", 0},
	{"no agents", "csg 0 int32\n", "1: expected a number of agents from 1 to 40, found '0'", 0},
	{"many agents", "csg 41 int32\n", "1: expected a number of agents from 1 to 40, found '41'",
		0},
	{"type", "csg 3 int\n", "1: expected int16, int32, int64, float32 or float64, found 'int'",
		0},
	{"default", "csg 3 int32\ndefaults 3\n",
		"2: expected 'default' or a coalition, found 'defaults'", 0},
	{"empty coalition", "csg 3 int32\n0 4\n", "2: expected a coalition from 1 to 7, found '0'",
		0},
	{"large coalition", "csg 3 int32\n8 4\n", "2: expected a coalition from 1 to 7, found '8'",
		0},
	{"agent 0", "csg 3 int32\n{0} 4\n", "2: expected different agents as in {1,3}, found '{0}'",
		0},
	{"agent 4", "csg 3 int32\n{4} 4\n", "2: expected different agents as in {1,3}, found '{4}'",
		0},
	{"agent twice", "csg 3 int32\n{1,1} 4\n",
		"2: expected different agents as in {1,3}, found '{1,1}'", 0},
	{"open brace", "csg 3 int32\n{1 4\n",
		"2: expected different agents as in {1,3}, found '{1'", 0},
	{"after brace", "csg 3 int32\n{1}x 4\n",
		"2: expected a coalition as in {1,3}, found '{1}x'", 0},
	{"no value", "csg 3 int32\n1\n", "3: expected an integer value, found the end of the file",
		0},
	{"word", "csg 3 int32\n1 four\n", "2: expected a value or 'forbidden', found 'four'", 0},
	{"fraction", "csg 3 int32\n1 4.5\n", "2: expected an integer value, found '4.5'", 0},
	{"twice", "csg 3 int32\n1 4\n{1} 5\n", "3: coalition 1 has a value already", 0},
	{"nan", "csg 3 float64\n1 nan\n", "2: expected a value, found 'nan'", 0},
	{"past float32", "csg 3 float32\n1 1e39\n",
		"2: expected a value that fits float32, found '1e39'", 0},
	{"short header", "GPUBECSG\1\0\0\0",
		"1: expected a header of 32 bytes, found the end of the file", 12},
	{"version", "GPUBECSG\2\0\0\0\1\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0",
		"1: expected version 1, found 2", 36},
	{"binary agents", "GPUBECSG\1\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0",
		"1: expected 1 to 40 agents, found 0", 36},
	{"binary type", "GPUBECSG\1\0\0\0\1\0\0\0\5\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0",
		"1: expected a value type 0 to 4, found 5", 36},
	{"cut values", "GPUBECSG\1\0\0\0\1\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\1",
		"1: expected 1 more byte of values, found the end of the file", 35},
	{"more values", "GPUBECSG\1\0\0\0\1\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\1\0\1",
		"1: expected the end of the file after the values", 37},
};

static void bad_file(void **state)
{
	const struct bad *bad = *state;
	char dir[256], path[300], expected[600];
	struct test_memory memory = {.fail_at = -1};
	struct gpube_ctx *ctx = test_memory_ctx(&memory);
	struct gpube_model *g;
	int status;

	test_make_dir(dir);
	snprintf(path, sizeof(path), "%s/g", dir);
	test_put(path, bad->text, bad->n ? bad->n : strlen(bad->text));
	status = gpube_read(&g, ctx, path, &(struct gpube_opts){.from = GPUBE_FORMAT_CSG});
	snprintf(expected, sizeof(expected), "%s:%s", path, bad->message);
	test_clear_dir(dir);
	assert_string_equal(gpube_error(ctx), expected);
	assert_true(status == GPUBE_EPARSE || status == GPUBE_ERANGE);
	assert_null(g);
	assert_int_equal(memory.live, 0);
	gpube_ctx_free(ctx);
}

int main(void)
{
	struct cases c = {0};

	ADD_CASE(&c, certificate);
	ADD_CASE(&c, certificate_failures);
	ADD_CASE(&c, certificate_stopped);
	ADD_CASE(&c, bound_met);
	ADD_CASE(&c, there_and_back);
	ADD_CASE(&c, text_forms);
	for (size_t k = 0; k < sizeof(bad_files) / sizeof(*bad_files); k++)
		add_case(&c, bad_file, &bad_files[k], "%s", bad_files[k].name);
	return run_cases(&c, "csg files", NULL, NULL);
}
