/*
 * Games out of every format: the good ones as lrsnash input, which shows all
 * payoffs, and one defect a file out of tests/parse/bad/nash.txt.
 */
#include "tests/support/test.h"

#include <stdbool.h>

#include "tests/support/files.h"
#include "tests/games/made_games.h"
#include "tests/support/memory.h"

#define DIR "tests/parse/bad/"

struct good {
	const char *name, *text, *lrs;
};

#define NFG  "NFG 1 R \"t\" { \"a\" \"b\" } "
#define EFG  "EFG 2 R \"t\" { \"a\" \"b\" } "
#define GAME "2 3\n\n1 2 3\n4 5 6\n\n-1 -2 -3\n-4 -5 -6\n"

static const struct good good[] = {
	{"nfg, payoffs", NFG "{ 2 3 }\n\n1 -1 4 -4 2 -2 5 -5 3 -3 6 -6\n", GAME},
	{"nfg, labels",
		NFG "{ { \"u\" \"d\" } { \"l\" \"m\" \"r\" } } \"c\" 1 -1 4 -4 2 -2 5 -5 3 -3 6 -6",
		GAME},
	{"nfg, braces close up", "NFG 1 D \"t\"{\"a\" \"b\"}{2 3}1 -1 4 -4 2 -2 5 -5 3 -3 6 -6",
		GAME},
	{"nfg, title over lines", "NFG 1 R \"a\n\\\"b\\\" \\ c\n\" { \"a\" \"b\" } { 1 1 } 7 8\n",
		"1 1\n\n7\n\n8\n"},
	{"nfg, outcomes", NFG "{ 2 2 } \"\" { { \"x\" 1, 2 } { \"\" 3 4 } { 1/2, -.5 } } 1 2 3 0\n",
		"2 2\n\n1 1/2\n3 0\n\n2 -1/2\n4 0\n"},
	{"nfg, an outcome twice", NFG "{ 1 2 } { { \"x\" 99999999999999999999, 1 } } 1 1",
		"1 2\n\n99999999999999999999 99999999999999999999\n\n1 1\n"},
	{"numbers", NFG "{ 1 6 } 1.50 -3/6 .5 -0.25 1e2 1E-2 1. 0.0 -0 0/7 1.5e1 2e+1",
		"1 6\n\n3/2 1/2 100 1 0 15\n\n-1/2 -1/4 1/100 0 0 20\n"},
	{"long numbers",
		NFG "{ 1 2 } 123456789012345678901234567890 1/3000000000000000000000 1e20 "
		    "0.00000000000000000000001",
		"1 2\n\n123456789012345678901234567890 100000000000000000000\n\n"
		"1/3000000000000000000000 1/100000000000000000000000\n"},
	{"leading zeros",
		NFG "{ 1 1 } 000000000000000000000000007/000000000000000000000000000014 0000.1",
		"1 1\n\n1/2\n\n1/10\n"},
	{"lrsnash", GAME, GAME},
	{"lrsnash, on one line", "2 3 1 2 3 4 5 6 -1 -2 -3 -4 -5 -6", GAME},
	{"lrsnash, fractions", "1 2\n2/4 0/1\n-6/4 5/1\n", "1 2\n\n1/2 0\n\n-3/2 5\n"},
	{"GTOutput", "2\n2 3 \n\n1 4 2 5 3 6 \n-1 -4 -2 -5 -3 -6 \n", GAME},
	{"GTOutput, decimals", "2\n1 1\n\n1.25\n-2.0E-1\n", "1 1\n\n5/4\n\n-1/5\n"},
	{"TwoPlayerOutput",
		"// GAMUT\n// x\n\n(1, -1)\t(2, -2)\t(3, -3)\t\n(4, -4)\t(5, -5)\t(6, -6)\t\n",
		GAME},
	{"TwoPlayerOutput, one row", "(1.5,2)(3,4)", "1 2\n\n3/2 3\n\n2 4\n"},
	{"SimpleOutput",
		"# GAMUT\n[1 1] :\t[ 1 -1 ]\n[2 1] :\t[ 4 -4 ]\n[1  2] :\t[ 2 -2 ]\n[2 2] :\t[ 5 "
		"-5 ]\n"
		"[1 3] :\t[ 3 -3 ]\n[2 3] :\t[ 6 -6 ]\n",
		GAME},
	{"SimpleOutput, from 0", "[0 0] : [ 1 2 ]\n[0 1] : [ 3 4 ]\n", "1 2\n\n1 3\n\n2 4\n"},
	{"SimpleOutput, one column", "[1 1] : [ 1 2 ]\n[2 1] : [ 3 4 ]\n", "2 1\n\n1\n3\n\n2\n4\n"},
	{"SimpleOutput, one cell", "[1 1] : [ 1 2 ]", "1 1\n\n1\n\n2\n"},
	{"efg, a simultaneous move",
		EFG "p \"\" 1 1 \"\" { \"u\" \"d\" } 0 p \"\" 2 1 \"\" { \"l\" \"r\" } 0 t \"\" 1 "
		    "\"\" { 1 -1 } t \"\" 2 \"\" { 2, -2 } p \"\" 2 1 0 t \"\" 3 \"\" { 1/2, .5 } "
		    "t \"\" 0",
		"2 2\n\n1 2\n1/2 0\n\n-1 -2\n1/2 0\n"},
	{"efg, chance and outcomes on the way",
		EFG "\"a comment\" c \"\" 1 \"\" { \"h\" 1/3 \"t\" 2/3 } 1 \"\" { 1 0 } t \"\" 2 "
		    "\"\" { 3 6 } p \"\" 1 1 \"\" { \"a\" \"b\" } 0 \"\" t \"\" 0 t \"\" 2",
		"2 1\n\n2\n4\n\n2\n6\n"},
	{"agg, payoffs of all configurations",
		"#AGG\n# a comment\n2 5 0\n2 3\n0 1\n2 3 4\n3 2 3 4\n3 2 3 4\n2 0 1\n2 0 1\n2 0 1\n"
		"0 3 2 1\n0 6 5 4\n0 -4 -1\n0 -5 -2\n0 -6 -3\n",
		GAME},
	{"agg, some of them by a function",
		"#AGG\n2 2 1\n2 2\n0 1\n0 1\n1 2\n2 0 1\n1 0\n10 0 [ 3 9 ]\n1 2 [ 3 ] 1/2 [ 6 ] 7\n"
		"1 2 [ 0 2 ] .5 [ 1 1 ] -1",
		"2 2\n\n7 1/2\n-1 1/2\n\n7 -1\n1/2 1/2\n"},
	{"bagg, one type each", "#BAGG\n2 2 0 1 1 1 1 2 2 0 1 0 1 2 0 1 2 1 0 0 35 -4 0 -10 95",
		"2 2\n\n-4 35\n-10 95\n\n-4 -10\n35 95\n"},
	{"efg, one node", EFG "t \"\" 1 \"\" { 7 8 }", "1 1\n\n7\n\n8\n"},
};

static char dir[256];

static void read_text(struct gpube_model **g, struct gpube_ctx *ctx, const char *text)
{
	char path[300];

	snprintf(path, sizeof(path), "%s/in", dir);
	test_put(path, text, strlen(text));
	if (read_game(g, ctx, path, GPUBE_FORMAT_AUTO))
		fail_msg("%s", gpube_error(ctx));
}

static void assert_written(const struct gpube_model *g, const char *name, const char *expected)
{
	char path[300], *text;
	size_t n;

	snprintf(path, sizeof(path), "%s/%s", dir, name);
	assert_int_equal(write_game(g, path, GPUBE_FORMAT_LRS), GPUBE_OK);
	text = test_get(path, &n);
	assert_string_equal(text, expected);
	free(text);
}

/* As read, and after a round through .nfg. */
static void good_file(void **state)
{
	const struct good *row = *state;
	struct test_memory memory = {.fail_at = -1};
	struct gpube_ctx *ctx = test_memory_ctx(&memory);
	struct gpube_model *g, *again;
	char path[300];

	read_text(&g, ctx, row->text);
	assert_written(g, "out", row->lrs);
	snprintf(path, sizeof(path), "%s/x.nfg", dir);
	assert_int_equal(write_game(g, path, GPUBE_FORMAT_AUTO), GPUBE_OK);
	assert_int_equal(read_game(&again, ctx, path, GPUBE_FORMAT_NFG), GPUBE_OK);
	assert_written(again, "out", row->lrs);
	assert_true(same_game(g, again));
	for (int p = 0; p < 2; p++)
		for (int32_t k = 0; gpube_model_value_name(g, p, k); k++)
			assert_string_equal(gpube_model_value_name(g, p, k),
				gpube_model_value_name(again, p, k));
	gpube_model_free(g);
	gpube_model_free(again);
	assert_int_equal(memory.live, 0);
	gpube_ctx_free(ctx);
}

static int read_scarcely(struct gpube_ctx *ctx, struct gpube_model *none, const void *path)
{
	struct gpube_model *g = NULL;
	int status = read_game(&g, ctx, path, GPUBE_FORMAT_AUTO);

	(void)none;
	assert_true(!g == (status != GPUBE_OK));
	gpube_model_free(g);
	return status;
}

/* Every allocation fails once: ENOMEM, nothing leaks. */
static void out_of_memory(void **state)
{
	const struct good *row = *state;
	char path[300];

	snprintf(path, sizeof(path), "%s/in", dir);
	test_put(path, row->text, strlen(row->text));
	fail_each_allocation(read_scarcely, NULL, path, 0);
}

struct bad {
	char path[128], message[256];
};

static void bad_file(void **state)
{
	const struct bad *row = *state;
	struct test_memory memory = {.fail_at = -1};
	struct gpube_ctx *ctx = test_memory_ctx(&memory);
	struct gpube_model *g = NULL;
	char expected[512];
	int status = read_game(&g, ctx, row->path, GPUBE_FORMAT_AUTO);

	snprintf(expected, sizeof(expected), "%s%s", row->path, row->message);
	assert_string_equal(gpube_error(ctx), expected);
	assert_int_equal(status, strstr(expected, "too many") || strstr(expected, "digits")
					 ? GPUBE_ERANGE
					 : GPUBE_EPARSE);
	assert_null(g);
	assert_int_equal(memory.live, 0);
	gpube_ctx_free(ctx);
}

/* A title of a million characters, and payoffs of ten thousand digits. */
static void long_tokens(void **state)
{
	size_t title = 1000000, digits = 10000, n = 0;
	char *text = malloc(title + 2 * digits + 100), *expected = malloc(2 * digits + 100);
	struct gpube_ctx *ctx;
	struct gpube_model *g;

	(void)state;
	assert_int_equal(gpube_ctx_new(&ctx, NULL), GPUBE_OK);
	n += (size_t)sprintf(text, "NFG 1 R \"");
	memset(text + n, 'x', title);
	n += title;
	n += (size_t)sprintf(text + n, "\" { \"\" \"\" } { 1 1 } ");
	memset(text + n, '7', digits);
	n += digits;
	strcpy(text + n, " 1");
	n = (size_t)sprintf(expected, "1 1\n\n");
	memset(expected + n, '7', digits);
	strcpy(expected + n + digits, "\n\n1\n");
	read_text(&g, ctx, text);
	assert_written(g, "out", expected);
	gpube_model_free(g);
	gpube_ctx_free(ctx);
	free(text);
	free(expected);
}

#define N_GOOD (sizeof(good) / sizeof(*good))

static struct bad bad[200];
static struct CMUnitTest tests[2 * N_GOOD + 201];
static char names[N_GOOD][64];
static size_t n_tests;

static void add(const char *name, CMUnitTestFunction f, const void *row)
{
	void *state;

	memcpy(&state, &row, sizeof(state));
	tests[n_tests++] =
		(struct CMUnitTest){.name = name, .test_func = f, .initial_state = state};
}

static bool add_bad(const char *table)
{
	FILE *f = fopen(table, "r");
	char line[512];
	size_t n = 0;

	while (f && n < sizeof(bad) / sizeof(*bad) && fgets(line, sizeof(line), f)) {
		char *tab = strchr(line, '\t');

		if (line[0] == '#' || !tab)
			continue;
		*tab = 0;
		tab[strcspn(tab + 1, "\n") + 1] = 0;
		snprintf(bad[n].path, sizeof(bad[n].path), DIR "%.100s", line);
		snprintf(bad[n].message, sizeof(bad[n].message), "%.250s", tab + 1);
		add(bad[n].path + strlen(DIR), bad_file, &bad[n]);
		n++;
	}
	return f && fclose(f) == 0 && n > 0;
}

int main(void)
{
	int rc;

	for (size_t k = 0; k < N_GOOD; k++) {
		snprintf(names[k], sizeof(names[k]), "%s, out of memory", good[k].name);
		add(good[k].name, good_file, &good[k]);
		add(names[k], out_of_memory, &good[k]);
	}
	add("long title, long payoff", long_tokens, NULL);
	if (!add_bad(DIR "nash.txt"))
		return 1;
	test_make_dir(dir);
	rc = _cmocka_run_group_tests("read_game", tests, n_tests, NULL, NULL);
	test_clear_dir(dir);
	return rc;
}
