/*
 * One defect a file: every row of tests/parse/bad/{uai,wcsp,cfn,text,trees}.txt names a
 * file and what the error says after its path. Nothing may leak, and the result stays
 * untouched.
 */
#include "tests/support/test.h"
#include "gpube/options/options.h"

#include "formats/formats.h"
#include "gpube/ir/model.h"
#include "tests/support/memory.h"

#define DIR "tests/parse/bad/"

struct row {
	char path[128], message[256];
};

static bool ends_with(const char *s, const char *end)
{
	size_t n = strlen(s), k = strlen(end);

	return n >= k && strcmp(s + n - k, end) == 0;
}

static int read_beside_good(struct gpube_ctx *ctx, const char *path)
{
	int32_t out[3] = {-7, -7, -7};
	struct gpube_model *m;
	int status;

	assert_int_equal(gpube_read(&m, ctx, "tests/parse/good.uai", NULL), GPUBE_OK);
	assert_int_equal(gpube_model_n_vars(m), 3);
	status = ends_with(path, ".order") ? gpube_read_order(out, m, path)
					   : gpube_read_solution(out, m, path);
	for (int i = 0; i < 3; i++)
		assert_int_equal(out[i], -7);
	gpube_model_free(m);
	return status;
}

/* Does this build read such files? */
static bool is_built(const char *path)
{
#ifndef GPUBE_HAVE_YAML
	if (ends_with(path, ".yaml"))
		return false;
#endif
#ifndef GPUBE_HAVE_EXPAT
	if (ends_with(path, "xml") || ends_with(path, ".xmlbif"))
		return false;
#endif
	return *path != 0;
}

/* Messages about numbers and sizes that fit no type. */
static bool is_range(const char *message)
{
	static const char *const words[] = {" double", "2^61", "2^62", "2^63", "2^94", "2^120",
		"64 bits", "are expanded", "are given one by one"};

	for (size_t k = 0; k < sizeof(words) / sizeof(*words); k++)
		if (strstr(message, words[k]))
			return true;
	return false;
}

static void bad_file(void **state)
{
	const struct row *row = *state;
	struct test_memory memory = {.fail_at = -1};
	struct gpube_ctx *ctx = test_memory_ctx(&memory);
	const struct gpube_opts opts = {.evidence = "", .colors = 3};
	struct gpube_model *m = NULL;
	char expected[512];
	int status;

	ctx->memory_bytes = (uint64_t)1
			    << 40; /* of any machine: domains of 2^31 values are allowed */

	if (!is_built(row->path)) {
		gpube_ctx_free(ctx);
		skip();
	}
	if (ends_with(row->path, ".order") || ends_with(row->path, ".sol"))
		status = read_beside_good(ctx, row->path);
	else if (ends_with(row->path, ".evid"))
		status = gpube_read(&m, ctx, "tests/parse/good.uai",
			&(struct gpube_opts){.evidence = row->path});
	else
		status = gpube_read(&m, ctx, row->path, &opts);
	snprintf(expected, sizeof(expected), "%s%s", row->path, row->message);
	assert_string_equal(gpube_error(ctx), expected);
	assert_int_equal(status, is_range(expected) ? GPUBE_ERANGE : GPUBE_EPARSE);
	assert_null(m);
	assert_int_equal(memory.live, 0);
	gpube_ctx_free(ctx);
}

static struct row rows[800];
static struct CMUnitTest tests[800];
static size_t n_rows;

static bool add_rows(const char *table)
{
	FILE *f = fopen(table, "r");
	char line[512];

	while (f && n_rows < sizeof(rows) / sizeof(*rows) && fgets(line, sizeof(line), f)) {
		char *tab = strchr(line, '\t');
		struct row *row = &rows[n_rows];

		if (line[0] == '#' || !tab)
			continue;
		*tab = 0;
		tab[strcspn(tab + 1, "\n") + 1] = 0;
		snprintf(row->path, sizeof(row->path), DIR "%.100s", line);
		snprintf(row->message, sizeof(row->message), "%.250s", tab + 1);
		tests[n_rows].name = row->path + strlen(DIR);
		tests[n_rows].test_func = bad_file;
		tests[n_rows].initial_state = row;
		n_rows++;
	}
	return f && fclose(f) == 0;
}

int main(void)
{
	if (!add_rows(DIR "uai.txt") || !add_rows(DIR "wcsp.txt") || !add_rows(DIR "cfn.txt") ||
		!add_rows(DIR "text.txt") || !add_rows(DIR "trees.txt"))
		return 1;
	return _cmocka_run_group_tests("bad", tests, n_rows, NULL, NULL);
}
