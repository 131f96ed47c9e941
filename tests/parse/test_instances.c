/*
 * Small files of every format, tests/instances: the cost of each assignment is
 * that of costs.txt, also after the model went through each format that can hold
 * it; memory that runs out, in reading and in writing, leaves nothing behind.
 */
#include "tests/support/test.h"
#include "formats/common/registry.h"
#include "gpube/options/options.h"

#include <math.h>

#include "formats/formats.h"
#include "gpube/ir/model.h"
#include "tests/support/files.h"
#include "tests/support/memory.h"
#include "tests/support/random_model.h"

#define DIR "tests/instances/"

enum { MAX_COSTS = 1000 };

struct row {
	char path[128];
	double costs[MAX_COSTS]; /* INFINITY: forbidden */
	size_t n;
};

static struct row rows[60];
static size_t n_rows;

static int read_at(struct gpube_model **m, struct gpube_ctx *ctx, const char *path)
{
	const struct gpube_opts opts = {.colors = 3};

	return gpube_read(m, ctx, path, &opts);
}

static struct gpube_model *must_read(struct gpube_ctx *ctx, const char *path)
{
	struct gpube_model *m;

	if (read_at(&m, ctx, path))
		fail_msg("%s", gpube_error(ctx));
	return m;
}

/* INFINITY if forbidden. */
static double cost_of(const struct gpube_model *m, const int32_t *x)
{
	int64_t cost;
	double log_value;

	if (m->kind == GPUBE_POTENTIALS) {
		assert_int_equal(gpube_model_log_value(&log_value, m, x), GPUBE_OK);
		return -log_value;
	}
	assert_int_equal(gpube_model_cost(&cost, m, x), GPUBE_OK);
	return cost == GPUBE_INF ? INFINITY : (double)cost / pow(10, m->scale);
}

static void costs_are_right(void **state)
{
	const struct row *row = *state;
	struct gpube_ctx *ctx;
	struct gpube_model *m;
	int32_t x[32] = {0};
	size_t k = 0;

	assert_int_equal(gpube_ctx_new(&ctx, NULL), GPUBE_OK);
	m = must_read(ctx, row->path);
	assert_in_range(m->n_vars, 1, 32);
	do {
		double c = cost_of(m, x);

		assert_true(k < row->n);
		if (isinf(c) ? !isinf(row->costs[k]) : !(fabs(c - row->costs[k]) < 1e-9))
			fail_msg("assignment %zu: expected %g, found %g", k, row->costs[k], c);
		k++;
	} while (next_assignment(x, m));
	assert_int_equal(k, row->n);
	gpube_model_free(m);
	gpube_ctx_free(ctx);
}

/* ---- through every format that is written ------------------------------------------------ */

/* The same assignment of a model in which values of larger domains may be variables. */
static void encode(
	int32_t *y, const struct gpube_model *to, const int32_t *x, const struct gpube_model *from)
{
	int32_t at = 0;

	if (to->n_vars == from->n_vars) {
		memcpy(y, x, (size_t)from->n_vars * sizeof(*y));
		return;
	}
	for (int32_t i = 0; i < from->n_vars; i++) {
		int32_t domain = from->vars[i].domain;

		for (int32_t a = 0; a < domain && domain > 2; a++)
			y[at++] = a == x[i];
		if (domain == 2)
			y[at++] = x[i];
	}
	assert_int_equal(at, to->n_vars);
}

/* All costs are the same but for the unit of 'b' and one number added to all. */
static void assert_same(const struct gpube_model *a, const struct gpube_model *b)
{
	double unit = b->scale == 0 && b->kind == GPUBE_COSTS ? pow(10, -a->scale) : 1;
	bool negated = a->kind == GPUBE_COSTS && a->direction == GPUBE_MAXIMISE &&
		       (b->kind == GPUBE_POTENTIALS || b->direction == GPUBE_MINIMISE);
	double added = NAN;
	int32_t x[32] = {0}, y[256];

	if (a->kind == GPUBE_POTENTIALS && b->kind == GPUBE_COSTS && b->scale == 0)
		unit = 1e-12;
	do {
		double p = cost_of(a, x), q;

		encode(y, b, x, a);
		q = cost_of(b, y) * unit;
		if (negated && !isinf(p))
			p = -p;
		assert_int_equal(isinf(p), isinf(q));
		if (isinf(p))
			continue;
		if (isnan(added))
			added = q - p;
		assert_true(fabs(q - p - added) < 1e-9);
	} while (next_assignment(x, a));
}

static void through_formats(void **state)
{
	const struct row *row = *state;
	struct gpube_ctx *ctx;
	struct gpube_model *m, *back;
	char dir[256], path[320];
	int written = 0;

	test_make_dir(dir);
	assert_int_equal(gpube_ctx_new(&ctx, NULL), GPUBE_OK);
	m = must_read(ctx, row->path);
	for (int f = GPUBE_FORMAT_WCSP; f < GPUBE_N_FORMATS; f++) {
		const struct gpube_opts opts = {.shift = 1};
		int status;

		if (f == GPUBE_FORMAT_LP || f == GPUBE_FORMAT_MPS)
			continue; /* only written: tests/models/test_mip.sh */
#ifndef GPUBE_HAVE_EXPAT
		if (f == GPUBE_FORMAT_XMLBIF)
			continue;
#endif
		snprintf(path, sizeof(path), "%s/x.%s", dir,
			gpube__format_name((enum gpube_format)f));
		status = gpube_write(m, path, &opts, NULL);
		if (status) {
			/* .cnf has no costs; some are only read */
			assert_true(f != GPUBE_FORMAT_CFN && f != GPUBE_FORMAT_WCSP);
			assert_true(status == GPUBE_ERANGE || status == GPUBE_EINVAL);
			continue;
		}
		written++;
		back = must_read(ctx, path);
		assert_same(m, back);
		gpube_model_free(back);
	}
	assert_in_range(written, 4, 8);
	gpube_model_free(m);
	gpube_ctx_free(ctx);
	test_clear_dir(dir);
}

/* ---- memory that runs out ----------------------------------------------------------------- */

static int read_scarcely(struct gpube_ctx *ctx, struct gpube_model *none, const void *path)
{
	struct gpube_model *m;
	int status = read_at(&m, ctx, path);

	(void)none;
	assert_int_equal(m != NULL, status == GPUBE_OK);
	gpube_model_free(m);
	return status;
}

static void without_memory(void **state)
{
	const struct row *row = *state;
	char dir[256], path[320];
	struct gpube_model *m;
	int status;

	test_make_dir(dir);
	fail_each_allocation(read_scarcely, NULL, row->path, 0);
	for (int f = GPUBE_FORMAT_WCSP; f <= GPUBE_FORMAT_XMLBIF; f++) {
		const struct gpube_opts opts = {.to = f, .shift = 1, .lossy = f % 2, .check = 1};
		static const char *const packings[] = {"", ".gz", ".xz"};

		if (f == GPUBE_FORMAT_LP || f == GPUBE_FORMAT_MPS)
			continue;
		status = GPUBE_ENOMEM;
		for (long k = 0; status == GPUBE_ENOMEM; k++) {
			struct test_memory memory = {.fail_at = -1};
			struct gpube_ctx *ctx = test_memory_ctx(&memory);
			long live;

			snprintf(path, sizeof(path), "%s/x%s", dir, packings[f % 3]);
			m = must_read(ctx, row->path);
			live = memory.live;
			memory.n = 0;
			memory.fail_at = k;
			status = gpube_write(m, path, &opts, NULL);
			assert_int_equal(memory.live, live);
			if (status)
				assert_int_equal(test_count_files(dir), 0);
			gpube_model_free(m);
			gpube_ctx_free(ctx);
		}
		test_clear_dir(dir);
		test_make_dir(dir);
	}
	test_clear_dir(dir);
}

/* ---- a stop -------------------------------------------------------------------------- */

static void stopped(void **state)
{
	static const char *const endings[] = {"", ".gz", ".xz"};
	struct gpube_ctx *ctx;
	struct gpube_model *m;
	char dir[256], path[320];

	(void)state;
	test_make_dir(dir);
	assert_int_equal(gpube_ctx_new(&ctx, NULL), GPUBE_OK);
	m = must_read(ctx, DIR "soft.wcnf");
	for (size_t k = 0; k < sizeof(endings) / sizeof(*endings); k++) {
		snprintf(path, sizeof(path), "%s/x.wcsp%s", dir, endings[k]);
		gpube_ctx_stop(ctx);
		assert_int_equal(
			gpube_write(m, path, &(struct gpube_opts){.to = GPUBE_FORMAT_WCSP}, NULL),
			GPUBE_ESTOP);
		assert_string_equal(gpube_error(ctx), "stopped");
		assert_int_equal(test_count_files(dir), 0);
		/* a result is written all the same */
		assert_int_equal(gpube_write_solution(m, path, (const int32_t[32]){0}), GPUBE_OK);
		assert_int_equal(test_count_files(dir), 1);
		gpube_ctx_resume(ctx);
		assert_int_equal(
			gpube_write(m, path, &(struct gpube_opts){.to = GPUBE_FORMAT_WCSP}, NULL),
			GPUBE_OK);
		test_clear_dir(dir);
		test_make_dir(dir);
	}
	gpube_model_free(m);
	gpube_ctx_free(ctx);
	test_clear_dir(dir);
}

/* ---- agents -------------------------------------------------------------------------------- */

static void agents(void **state)
{
	static const struct {
		const char *path, *agents;
		int owners[6];
	} files[] = {
		{DIR "frodo.xml", "a1 a2", {0, 1, 1}},
		{DIR "lamps.yaml", "a1 a2", {0, -1, 1, -1, -1}},
		{DIR "max.yml", "a b c", {-1, -1}},
	};
	struct gpube_ctx *ctx;
	struct gpube_model *m;
	char names[64];

	(void)state;
	assert_int_equal(gpube_ctx_new(&ctx, NULL), GPUBE_OK);
	for (size_t k = 0; k < sizeof(files) / sizeof(*files); k++) {
		if (read_at(&m, ctx, files[k].path)) {
			assert_non_null(strstr(gpube_error(ctx), "this build has no"));
			continue;
		}
		*names = 0;
		for (int32_t a = 0; a < m->n_agents; a++) {
			strcat(names, a ? " " : "");
			strcat(names, m->agents[a]);
		}
		assert_string_equal(names, files[k].agents);
		for (int32_t i = 0; i < m->n_vars; i++)
			assert_int_equal(m->agent_of ? m->agent_of[i] : -1, files[k].owners[i]);
		gpube_model_free(m);
	}
	gpube_ctx_free(ctx);
}

/* ---- the table ----------------------------------------------------------------------------- */

static bool add_rows(void)
{
	FILE *f = fopen(DIR "costs.txt", "r");
	static char line[1 << 16];

	while (f && n_rows < sizeof(rows) / sizeof(*rows) && fgets(line, sizeof(line), f)) {
		struct row *row = &rows[n_rows];
		char *tab = strchr(line, '\t'), *word;

		if (line[0] == '#' || !tab)
			continue;
		*tab = 0;
		snprintf(row->path, sizeof(row->path), DIR "%.100s", line);
#ifndef GPUBE_HAVE_YAML
		if (strstr(line, ".ya") || strstr(line, ".yml"))
			continue;
#endif
#ifndef GPUBE_HAVE_EXPAT
		if (strstr(line, "xml"))
			continue;
#endif
		for (word = strtok(tab + 1, " \n"); word && row->n < MAX_COSTS;
			word = strtok(NULL, " \n"))
			row->costs[row->n++] = *word == '*' ? INFINITY : strtod(word, NULL);
		n_rows++;
	}
	return f && fclose(f) == 0 && n_rows >= 9;
}

int main(void)
{
	static struct CMUnitTest tests[2 + 3 * sizeof(rows) / sizeof(*rows)] = {
		cmocka_unit_test(agents), cmocka_unit_test(stopped)};
	static char names[2 + 3 * sizeof(rows) / sizeof(*rows)][160];
	static const struct {
		const char *name;
		CMUnitTestFunction fn;
	} cases[3] = {{"costs of", costs_are_right}, {"through all formats:", through_formats},
		{"without memory:", without_memory}};
	size_t n = 2;

	if (!add_rows())
		return 1;
	for (size_t k = 0; k < n_rows; k++)
		for (int c = 0; c < 3; c++) {
			snprintf(names[n], sizeof(names[n]), "%s %s", cases[c].name,
				rows[k].path + strlen(DIR));
			tests[n] = (struct CMUnitTest){names[n], cases[c].fn, NULL, NULL, &rows[k]};
			n++;
		}
	return _cmocka_run_group_tests("instances", tests, n, NULL, NULL);
}
