/* Games in extensive form by their tree: known equilibria, what is refused, and short memory. */
#include "tests/support/test.h"
#include "gpube/options/options.h"

#include <string.h>

#include "formats/formats.h"
#include "gpube/ir/model.h"
#include "nash/nash.h"
#include "tests/support/files.h"
#include "tests/support/memory.h"

#define EFG(players) "EFG 2 R \"t\" { " players " }\n"
#define TWO          EFG("\"a\" \"b\"")

/* Both pay 1 and have a card of two; player 1 may raise, player 2 may call that. */
static const char poker[] = TWO
	"c \"\" 1 \"\" { \"k\" 1/2 \"q\" 1/2 } 0\n"
	"p \"\" 1 1 \"k\" { \"r\" \"f\" } 0 p \"\" 2 1 \"\" { \"m\" \"p\" } 0\n"
	"t \"\" 1 \"\" { 2 -2 } t \"\" 2 \"\" { 1 -1 } t \"\" 2\n"
	"p \"\" 1 2 \"q\" { \"r\" \"f\" } 0 p \"\" 2 1 0 t \"\" 3 \"\" { -2 2 } t \"\" 2 t \"\" 4 "
	"\"\" { -1 1 }\n";

/* What a player does first, it does not know later. */
static const char forgets[] = TWO
	"p \"\" 1 1 \"\" { \"l\" \"r\" } 0 p \"\" 1 2 \"\" { \"l\" \"r\" } 0 t \"\" 1 \"\" { 3 1 } "
	"t \"\" 2 \"\" { 0 1 } p \"\" 1 2 0 t \"\" 0 t \"\" 3 \"\" { 1 1 }\n";

/*
 * one, all  equilibria as the probabilities of all actions and payoffs; NULL: not asked for
 */
static const struct known {
	const char *name, *text, *one, *method, *all;
} known[] = {
	{"poker", poker, "1 0 1/3 2/3 2/3 1/3 | 1/3 -1/3\n", "linear-program",
		"1 0 1/3 2/3 2/3 1/3 | 1/3 -1/3\n"},
	{"one node", TWO "t \"\" 1 \"\" { 1/3 2 }", "| 1/3 2\n", "backward-induction", "| 1/3 2\n"},
	/* a threat that is not subgame perfect is an equilibrium, too, and so is less of it */
	{"entry",
		TWO "p \"\" 1 1 \"\" { \"in\" \"out\" } 0 p \"\" 2 1 \"\" { \"fight\" \"no\" } 0 "
		    "t \"\" 1 \"\" { -1 -1 } t \"\" 2 \"\" { 1 1 } t \"\" 3 \"\" { 0 2 }",
		"1 0 0 1 | 1 1\n", "backward-induction",
		"0 1 1 0 | 0 2\n0 1 1/2 1/2 | 0 2\n1 0 0 1 | 1 1\n"},
	{"a constant sum, an outcome on the way",
		TWO
		"p \"\" 1 1 \"\" { \"h\" \"t\" } 1 \"\" { 1/2 3 } p \"\" 2 1 \"\" { \"h\" "
		"\"t\" } 0 t \"\" 2 \"\" { 2 0 } t \"\" 3 \"\" { 1, 1 } p \"\" 2 1 0 t \"\" 3 t "
		"\"\" 2",
		"1/2 1/2 1/2 1/2 | 2 7/2\n", "linear-program", "1/2 1/2 1/2 1/2 | 2 7/2\n"},
	{"prisoners",
		TWO
		"p \"\" 1 1 \"\" { \"c\" \"d\" } 0 p \"\" 2 1 \"\" { \"c\" \"d\" } 0 t \"\" 1 "
		"\"\" { 3 3 } t \"\" 2 \"\" { 0 5 } p \"\" 2 1 0 t \"\" 3 \"\" { 5 0 } t \"\" 4 "
		"\"\" { 1 1 }",
		"0 1 0 1 | 1 1\n", "lemke", "0 1 0 1 | 1 1\n"},
	/* 16 digits would not do */
	{"long numbers",
		TWO "p \"\" 1 1 \"\" { \"l\" \"r\" } 0 t \"\" 1 \"\" { 1/100000000000000000000 1 } "
		    "t \"\" 2 \"\" { 1/99999999999999999999 2 }",
		"0 1 | 1/99999999999999999999 2\n", "backward-induction",
		"0 1 | 1/99999999999999999999 2\n"},
	{"one player",
		EFG("\"a\"") "c \"\" 1 \"\" { \"l\" 1/3 \"r\" 2/3 } 0 p \"\" 1 1 \"\" { \"x\" "
			     "\"y\" } "
			     "0 t \"\" 1 \"\" { 3 } t \"\" 0 p \"\" 1 1 0 t \"\" 2 \"\" { -3 } t "
			     "\"\" 0",
		"0 1 | 0\n", "lemke", "0 1 | 0\n"},
	{"three players",
		EFG("\"a\" \"b\" \"c\"") "p \"\" 1 1 \"\" { \"x\" \"y\" } 0 p \"\" 3 1 \"\" { "
					 "\"x\" "
					 "\"y\" } 0 t \"\" 1 \"\" { 1 2 3 } t \"\" 2 \"\" { 5 6 4 "
					 "} "
					 "p \"\" 2 1 \"\" { \"x\" \"y\" } 0 t \"\" 3 \"\" { 7 1 1 "
					 "} "
					 "t \"\" 4 \"\" { 0 2 1 }",
		"1 0 0 1 0 1 | 5 6 4\n", "backward-induction", NULL},
};

static char dir[256];

static struct gpube_model *read_tree(struct gpube_ctx *ctx, const char *text)
{
	struct gpube_model *g;
	char path[300];

	snprintf(path, sizeof(path), "%s/x.efg", dir);
	test_put(path, text, strlen(text));
	return gpube_read(&g, ctx, path, NULL) ? NULL : g;
}

/* The equilibria, sorted. */
static void write_all(char *to, size_t size, const struct gpube_nash_tree *t)
{
	char lines[16][200];
	int order[16];

	assert_in_range(t->n_profiles, 0, 15);
	for (int64_t k = 0; k < t->n_profiles; k++) {
		const char *const *p = t->profiles[k].p;
		size_t n = 0;
		int at = (int)k;

		for (int32_t h = 0; h < t->n_sets; h++)
			for (int32_t a = 0; a < t->sets[h].n_actions; a++)
				n += (size_t)snprintf(lines[k] + n, 200 - n, "%s ", *p++);
		n += (size_t)snprintf(lines[k] + n, 200 - n, "|");
		for (int32_t q = 0; q < t->n_players; q++)
			n += (size_t)snprintf(
				lines[k] + n, 200 - n, " %s", t->profiles[k].payoffs[q]);
		for (; at > 0 && strcmp(lines[order[at - 1]], lines[k]) > 0; at--)
			order[at] = order[at - 1];
		order[at] = (int)k;
	}
	to[0] = 0;
	for (int64_t k = 0; k < t->n_profiles; k++)
		snprintf(to + strlen(to), size - strlen(to), "%s\n", lines[order[k]]);
}

static void assert_solved(const struct gpube_model *g, struct gpube_ctx *ctx, bool one,
	const char *expected, const char *method)
{
	const struct gpube_opts o = {.one = one};
	struct gpube_nash_result *r;
	char text[4000];

	if (gpube_nash(&r, g, &o))
		fail_msg("%s", gpube_error(ctx));
	assert_non_null(r->tree);
	write_all(text, sizeof(text), r->tree);
	assert_string_equal(text, expected);
	if (method)
		assert_string_equal(r->method, method);
	assert_int_equal(r->answer, one ? GPUBE_NASH_ANSWER_SOME : GPUBE_NASH_ANSWER_ALL);
	gpube_result_free(r);
}

static void solved(void **state)
{
	const struct known *k = *state;
	struct test_memory memory = {.fail_at = -1};
	struct gpube_ctx *ctx = test_memory_ctx(&memory);
	struct gpube_model *g = read_tree(ctx, k->text);

	if (!gpube_nash_exact())
		skip();
	if (!g)
		fail_msg("%s", gpube_error(ctx));
	assert_solved(g, ctx, true, k->one, k->method);
	if (k->all)
		assert_solved(g, ctx, false, k->all, NULL);
	gpube_model_free(g);
	test_memory_end(ctx, &memory);
}

/* Names are those of the file; what is said of strategies has pairs. */
static void named(void **state)
{
	struct test_memory memory = {.fail_at = -1};
	struct gpube_ctx *ctx = test_memory_ctx(&memory);
	struct gpube_model *g = read_tree(ctx, poker);
	const struct gpube_opts normal = {.normal_form = 1};
	struct gpube_nash_result *r;
	int64_t one = 1;

	(void)state;
	if (!gpube_nash_exact())
		skip();
	assert_int_equal(g->n_functions, 0);
	assert_int_equal(gpube_nash(&r, g, NULL), GPUBE_OK);
	assert_int_equal(r->tree->n_sets, 3);
	assert_string_equal(r->tree->sets[1].name, "q");
	assert_int_equal(r->tree->sets[1].player, 1);
	assert_int_equal(r->tree->sets[1].number, 2);
	assert_string_equal(r->tree->sets[1].actions[1], "f");
	assert_null(r->tree->sets[2].name);
	gpube_result_free(r);
	assert_int_equal(gpube_nash(&r, g, &normal), GPUBE_OK);
	assert_null(r->tree);
	assert_int_equal(r->n_pairs, 1);
	assert_string_equal(r->xs[0].p[1], "2/3");
	gpube_result_free(r);
	assert_int_equal(g->n_functions, 2);
	assert_string_equal(gpube_model_value_name(g, 0, 1), "12");
	assert_int_equal(gpube_model_add_payoffs(g, &one, NULL), GPUBE_EINVAL);
	gpube_model_free(g);
	test_memory_end(ctx, &memory);
}

/* By strategies, then: mixed ones that know what they forget. */
static void without_recall(void **state)
{
	struct test_memory memory = {.fail_at = -1};
	struct gpube_ctx *ctx = test_memory_ctx(&memory);
	struct gpube_model *g = read_tree(ctx, forgets);
	struct gpube_nash_result *r;

	(void)state;
	if (!gpube_nash_exact())
		skip();
	assert_int_equal(gpube_nash(&r, g, NULL), GPUBE_OK);
	assert_null(r->tree);
	assert_int_equal(gpube_model_domain(g, 0), 4);
	assert_int_equal(r->n_pairs, 1);
	assert_string_equal(r->ys[0].value, "3");
	gpube_result_free(r);
	gpube_model_free(g);
	test_memory_end(ctx, &memory);
}

static int read_and_solve(struct gpube_ctx *ctx, struct gpube_model *none, const void *arg)
{
	struct gpube_nash_result *r = NULL;
	struct gpube_model *g;
	char path[300];
	int status;

	(void)none;
	snprintf(path, sizeof(path), "%s/x.efg", dir);
	status = gpube_read(&g, ctx, path, NULL);
	if (!status)
		status = gpube_nash(&r, g, arg);
	if (status)
		assert_null(r);
	gpube_result_free(r);
	gpube_model_free(g);
	return status;
}

/* By its action graph, whose payoffs are made when they are asked for, too. */
static const char graph[] = "#BAGG\n2 2 1\n1 1\n1\n1\n2 2\n0 1\n0 1\n2 0 2\n1 0\n2 0 1\n3\n"
			    "0 35 -4\n1 2 [ 0 ] 1/3 [ 1 ] 2\n";

/* Options of another context than the model's: payoffs are made in the model, and seen by both. */
static void two_contexts(void **state)
{
	struct test_memory memory = {.fail_at = -1}, more = {.fail_at = -1};
	struct gpube_ctx *ctx = test_memory_ctx(&memory), *other = test_memory_ctx(&more);
	struct gpube_model *g = read_tree(ctx, *state ? graph : poker);
	struct gpube_opts o = {.ctx = other, .normal_form = 1};
	const int64_t zeros[4] = {0};
	struct gpube_nash_result *r;

	if (!gpube_nash_exact())
		skip();
	assert_non_null(g);
	assert_int_equal(gpube_model_add_payoffs(g, zeros, NULL), GPUBE_EINVAL);
	for (int k = 0; k < 2; k++) {
		assert_int_equal(gpube_nash(&r, g, &o), GPUBE_OK);
		assert_null(r->tree);
		assert_true(r->n_pairs > 0);
		gpube_result_free(r);
		o.ctx = k ? other : ctx;
	}
	gpube_model_free(g);
	test_memory_end(other, &more);
	test_memory_end(ctx, &memory);
}

/*
 * Player 2 stops for 10, and behind that are rounds worth less: values of sets that are not come to
 * leave the equilibria alone, and the work is not that of their combinations.
 */
static void sets_not_reached(void **state)
{
	enum { ROUNDS = 12 };
	struct test_memory memory = {.fail_at = -1};
	struct gpube_ctx *ctx = test_memory_ctx(&memory);
	char text[4096];
	size_t n = (size_t)snprintf(text, sizeof(text),
		"EFG 2 R \"\" { \"a\" \"b\" } p \"\" 2 1 \"\" { \"stop\" \"go\" } 0 "
		"t \"\" 1 \"\" { 0 10 }");
	struct gpube_nash_result *r;
	struct gpube_model *g;

	(void)state;
	if (!gpube_nash_exact())
		skip();
	for (int k = 1; k <= ROUNDS; k++)
		n += (size_t)snprintf(text + n, sizeof(text) - n,
			" p \"\" 1 %d \"\" { \"end\" \"on\" } 0 t \"\" %d \"\" { 0 %d/9 } "
			"p \"\" 2 %d \"\" { \"end\" \"on\" } 0 t \"\" %d \"\" { 0 %d/7 }",
			k, 2 * k, k % 5, k + 1, 2 * k + 1, 3 * k % 5);
	snprintf(text + n, sizeof(text) - n, " t \"\" 999 \"\" { 0 0 }");
	g = read_tree(ctx, text);
	assert_non_null(g);
	assert_int_equal(gpube_nash(&r, g, NULL), GPUBE_OK);
	assert_int_equal(r->tree->n_profiles, ROUNDS + 1);
	assert_true(r->work < 2000);
	gpube_result_free(r);
	gpube_model_free(g);
	test_memory_end(ctx, &memory);
}

static void short_of_memory(void **state)
{
	static const struct gpube_opts ways[] = {{.one = 0}, {.one = 1}, {.normal_form = 1}};
	char path[300];

	(void)state;
	if (!gpube_nash_exact())
		skip();
	snprintf(path, sizeof(path), "%s/x.efg", dir);
	test_put(path, poker, strlen(poker));
	for (int way = 0; way < 3; way++)
		assert_true(fail_each_allocation(read_and_solve, NULL, &ways[way], 0) > 20);
	test_put(path, graph, strlen(graph));
	for (int way = 0; way < 2; way++)
		assert_true(fail_each_allocation(read_and_solve, NULL, &ways[way], 0) > 20);
}

int main(void)
{
	enum { N = sizeof(known) / sizeof(*known) };
	struct CMUnitTest tests[N + 6];
	int rc;

	test_make_dir(dir);
	for (int k = 0; k < N; k++)
		tests[k] = (struct CMUnitTest){
			known[k].name, solved, NULL, NULL, (void *)(uintptr_t)&known[k]};
	tests[N] = (struct CMUnitTest)cmocka_unit_test(named);
	tests[N + 1] = (struct CMUnitTest)cmocka_unit_test(without_recall);
	tests[N + 2] = (struct CMUnitTest)cmocka_unit_test(short_of_memory);
	tests[N + 3] = (struct CMUnitTest)cmocka_unit_test(two_contexts);
	tests[N + 4] = (struct CMUnitTest)cmocka_unit_test(sets_not_reached);
	tests[N + 5] = (struct CMUnitTest){
		"two contexts, a graph", two_contexts, NULL, NULL, (void *)(uintptr_t)graph};
	rc = cmocka_run_group_tests(tests, NULL, NULL);
	test_clear_dir(dir);
	return rc;
}
