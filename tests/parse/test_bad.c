/*
 * One defect a file: every row of tests/parse/bad/uai.txt names a file and
 * what the error says after its path. Nothing may leak, and the result stays
 * untouched.
 */
#include "tests/support/test.h"

#include "formats/formats.h"
#include "gpube/ir/model.h"
#include "tests/support/files.h"

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

	assert_int_equal(
		gpube_read(&m, ctx, "tests/parse/good.uai", GPUBE_FORMAT_AUTO, NULL), GPUBE_OK);
	assert_int_equal(gpube_model_n_vars(m), 3);
	status = ends_with(path, ".order") ? gpube_read_order(out, m, path)
					   : gpube_read_solution(out, m, path);
	for (int i = 0; i < 3; i++)
		assert_int_equal(out[i], -7);
	gpube_model_free(m);
	return status;
}

static void bad_file(void **state)
{
	const struct row *row = *state;
	struct test_memory memory = {.fail_at = -1};
	struct gpube_ctx *ctx = test_memory_ctx(&memory);
	struct gpube_model *m = NULL;
	char expected[512];
	int status;

	if (ends_with(row->path, ".order") || ends_with(row->path, ".sol"))
		status = read_beside_good(ctx, row->path);
	else if (ends_with(row->path, ".evid"))
		status = gpube_read(&m, ctx, "tests/parse/good.uai", GPUBE_FORMAT_AUTO, row->path);
	else
		status = gpube_read(&m, ctx, row->path, GPUBE_FORMAT_AUTO, "");
	snprintf(expected, sizeof(expected), "%s%s", row->path, row->message);
	assert_string_equal(gpube_error(ctx), expected);
	assert_int_equal(status, strstr(expected, " double") || strstr(expected, "2^63")
					 ? GPUBE_ERANGE
					 : GPUBE_EPARSE);
	assert_null(m);
	assert_int_equal(memory.live, 0);
	gpube_ctx_free(ctx);
}

int main(void)
{
	static struct row rows[300];
	static struct CMUnitTest tests[300];
	FILE *f = fopen(DIR "uai.txt", "r");
	char line[512];
	size_t n = 0;

	if (!f)
		return 1;
	while (n < 300 && fgets(line, sizeof(line), f)) {
		char *tab = strchr(line, '\t');

		if (line[0] == '#' || !tab)
			continue;
		*tab = 0;
		tab[strcspn(tab + 1, "\n") + 1] = 0;
		snprintf(rows[n].path, sizeof(rows[n].path), DIR "%.100s", line);
		snprintf(rows[n].message, sizeof(rows[n].message), "%.250s", tab + 1);
		tests[n].name = rows[n].path + strlen(DIR);
		tests[n].test_func = bad_file;
		tests[n].initial_state = &rows[n];
		n++;
	}
	fclose(f);
	return _cmocka_run_group_tests("bad", tests, n, NULL, NULL);
}
