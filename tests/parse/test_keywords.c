/*
 * The keywords of .wcsp and .cfn: every row of tests/parse/keywords.txt has one
 * function and toulbar2's cost of each assignment.
 */
#include "tests/support/test.h"
#include "gpube/options/options.h"

#include "tests/support/model_text.h"
#include "tests/support/random_model.h"

enum { MAX_ROWS = 400, MAX_COSTS = 100 };

struct row {
	char name[80], text[900], costs[500];
};

static struct row rows[MAX_ROWS];
static struct CMUnitTest tests[MAX_ROWS];

static void keyword(void **state)
{
	const struct row *row = *state;
	int64_t costs[MAX_COSTS], cost, n = parse_costs(costs, MAX_COSTS, row->costs), k = 0;
	int32_t values[8] = {0};
	struct gpube_ctx *ctx;
	struct gpube_model *m;

	assert_int_equal(gpube_ctx_new(&ctx, NULL), 0);
	if (text_to_model(&m, ctx, row->text,
		    strncmp(row->name, "cfn", 3) == 0 ? GPUBE_FORMAT_CFN : GPUBE_FORMAT_WCSP))
		fail_msg("%s", gpube_error(ctx));
	do {
		assert_int_equal(gpube_model_cost(&cost, m, values), 0);
		assert_true(k < n);
		if (cost != costs[k])
			fail_msg("assignment %lld costs %lld, not %lld: %s", (long long)k,
				(long long)cost, (long long)costs[k], row->text);
		k++;
	} while (next_assignment(values, m));
	assert_int_equal(k, n);
	gpube_model_free(m);
	gpube_ctx_free(ctx);
}

/* "cfn salldiff (12)" from a row's text, in which the keyword follows -1 or "type". */
static void name_row(struct row *row, const char *format, size_t n)
{
	const char *at = strstr(row->text, " -1 ");
	size_t k;

	if (strcmp(format, "cfn") == 0)
		at = strstr(row->text, "\"type\": \"") + 9;
	else
		at += 4;
	k = strcspn(at, " \"");
	snprintf(row->name, sizeof(row->name), "%.8s %.*s (%zu)", format, (int)k, at, n);
}

int main(void)
{
	FILE *f = fopen("tests/parse/keywords.txt", "r");
	char line[1600];
	size_t n = 0;

	while (f && n < MAX_ROWS && fgets(line, sizeof(line), f)) {
		char *text = strchr(line, '\t'), *costs = text ? strchr(text + 1, '\t') : NULL;

		if (line[0] == '#' || !costs)
			continue;
		*text = *costs = 0;
		snprintf(rows[n].text, sizeof(rows[n].text), "%.800s", text + 1);
		snprintf(rows[n].costs, sizeof(rows[n].costs), "%.450s", costs + 1);
		name_row(&rows[n], line, n + 1);
		tests[n] = (struct CMUnitTest){rows[n].name, keyword, NULL, NULL, &rows[n]};
		n++;
	}
	if (!f || fclose(f) || n == 0)
		return 1;
	return _cmocka_run_group_tests("keywords", tests, n, NULL, NULL);
}
