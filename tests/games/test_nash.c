/* Equilibria: known games by every method, and methods against each other on random games. */
#include "tests/support/test.h"
#include "gpube/options/options.h"

#include <stdbool.h>

#include "gpube/base/base.h"
#include "nash/nash.h"
#include "tests/games/made_games.h"
#include "tests/support/memory.h"

/* Rows of both matrices, and all extreme equilibria as "x | y | u v", sorted as reported. */
struct known {
	const char *name;
	int m, n;
	int a[36], b[36];
	const char *equilibria;
	int degenerate; /* then equal supports may miss some */
};

static const struct known known[] = {
	{"the paper's example", 2, 3, {5, 0, 0, 0, 3, 1}, {3, 0, 1, 0, 5, 3},
		"1 0 | 1 0 0 | 5 3\n5/8 3/8 | 3/8 5/8 0 | 15/8 15/8\n0 1 | 0 1 0 | 3 5\n", 0},
	{"lrsnash's example", 3, 2, {0, 6, 2, 5, 3, 3}, {1, 0, 0, 2, 4, 3},
		"2/3 1/3 0 | 1/3 2/3 | 4 2/3\n0 1/3 2/3 | 2/3 1/3 | 3 8/3\n0 0 1 | 1 0 | 3 4\n", 0},
	{"matching pennies", 2, 2, {1, -1, -1, 1}, {-1, 1, 1, -1}, "1/2 1/2 | 1/2 1/2 | 0 0\n", 0},
	{"prisoners", 2, 2, {3, 0, 5, 1}, {3, 5, 0, 1}, "0 1 | 0 1 | 1 1\n", 0},
	{"one cell", 1, 1, {-7}, {0}, "1 | 1 | -7 0\n", 0},
	{"all zero", 2, 2, {0}, {0},
		"1 0 | 1 0 | 0 0\n1 0 | 0 1 | 0 0\n0 1 | 1 0 | 0 0\n0 1 | 0 1 | 0 0\n", 1},
	{"one row", 1, 3, {1, 2, 3}, {4, 4, 1}, "1 | 1 0 0 | 1 4\n1 | 0 1 0 | 2 4\n", 1},
	{"one column", 3, 1, {2, 2, 1}, {5, 6, 7}, "1 0 0 | 1 | 2 5\n0 1 0 | 1 | 2 6\n", 1},
};

static struct gpube_ctx *make_ctx(void)
{
	struct gpube_opts opts = {.n_threads = 2};
	struct gpube_ctx *ctx;

	assert_int_equal(gpube_ctx_new(&ctx, &opts), GPUBE_OK);
	return ctx;
}

static struct gpube_model *make_game(struct gpube_ctx *ctx, const struct known *k)
{
	return new_game(ctx, k->m, k->n, k->a, k->b);
}

static struct gpube_nash_result *solve(
	const struct gpube_model *g, struct gpube_ctx *ctx, struct gpube_opts o)
{
	struct gpube_nash_result *r;

	if (gpube_nash(&r, g, &o))
		fail_msg("%s", gpube_error(ctx));
	return r;
}

/* "x | y | u v" of equilibrium k, malloc()ed. */
static char *text_of(const struct gpube_model *g, const struct gpube_nash_result *r, int64_t k)
{
	const struct gpube_nash_strategy *x = &r->xs[r->pairs[k].x], *y = &r->ys[r->pairs[k].y];
	size_t n = 0, size = 100000;
	char *text = malloc(size);

	text[0] = 0;
	for (int32_t i = 0; i < gpube_model_domain(g, 0); i++)
		n += (size_t)snprintf(text + n, size - n, "%s ", x->p[i]);
	n += (size_t)snprintf(text + n, size - n, "| ");
	for (int32_t j = 0; j < gpube_model_domain(g, 1); j++)
		n += (size_t)snprintf(text + n, size - n, "%s ", y->p[j]);
	snprintf(text + n, size - n, "| %s %s\n", y->value, x->value);
	return text;
}

static char *all_text(const struct gpube_model *g, const struct gpube_nash_result *r)
{
	size_t n = 0;
	char *all = calloc(1, 1);

	for (int64_t k = 0; k < r->n_pairs; k++) {
		char *one = text_of(g, r, k);

		all = realloc(all, n + strlen(one) + 1);
		strcpy(all + n, one);
		n += strlen(one);
		free(one);
	}
	return all;
}

static bool has(const char *all, const char *one)
{
	size_t n = strlen(one);

	for (; *all; all += strcspn(all, "\n") + 1)
		if (strncmp(all, one, n) == 0)
			return true;
	return false;
}

static void known_game(void **state)
{
	const struct known *row = *state;
	struct gpube_ctx *ctx = make_ctx();
	struct gpube_model *g = make_game(ctx, row);

	for (int method = GPUBE_NASH_METHOD_AUTO; method <= GPUBE_NASH_METHOD_SE; method++)
		for (int keep = 0; keep < 2; keep++) {
			struct gpube_nash_result *r = solve(g, ctx,
				(struct gpube_opts){.nash_method = method, .keep_dominated = keep});
			char *text = all_text(g, r);

			if (method == GPUBE_NASH_METHOD_SE && row->degenerate) {
				assert_true(r->answer == GPUBE_NASH_ANSWER_ALL || r->reason);
			} else {
				assert_int_equal(r->answer, GPUBE_NASH_ANSWER_ALL);
				assert_string_equal(text, row->equilibria);
				assert_int_equal(r->degenerate, row->degenerate);
			}
			if (!row->degenerate)
				assert_int_equal(r->index_sum, 1);
			free(text);
			gpube_result_free(r);
		}
	gpube_model_free(g);
	gpube_ctx_free(ctx);
}

/* ---- random games --------------------------------------------------------------- */

enum { RANDOM, SMALL, ZERO_SUM, COPIES, COORDINATION, EFFORT, DISPERSION, N_CLASSES };

static int between(struct gpube_rng *rng, int span)
{
	return (int)gpube__rng_below(rng, (uint64_t)(2 * span + 1)) - span;
}

static struct known random_game(struct gpube_rng *rng, int kind)
{
	struct known k = {
		.m = 1 + (int)gpube__rng_below(rng, 5), .n = 1 + (int)gpube__rng_below(rng, 5)};
	int span = kind == RANDOM || kind == COPIES ? 50 : 1;

	for (int i = 0; i < k.m; i++)
		for (int j = 0; j < k.n; j++) {
			int c = i * k.n + j;

			k.a[c] = between(rng, span);
			k.b[c] = kind == ZERO_SUM ? -k.a[c] : between(rng, span);
			if (kind == COORDINATION || kind == DISPERSION)
				k.a[c] = k.b[c] = (i == j) == (kind == COORDINATION);
			if (kind == EFFORT) {
				k.a[c] = 5 * (i < j ? i : j) - 2 * i;
				k.b[c] = 5 * (i < j ? i : j) - 2 * j;
			}
			if (kind == COPIES && i > 0 && i % 2)
				k.a[c] = k.a[c - k.n], k.b[c] = k.b[c - k.n];
		}
	return k;
}

static void methods_agree(void **state)
{
	int kind = (int)(intptr_t)*state;
	struct gpube_ctx *ctx = make_ctx();
	struct gpube_rng rng;

	gpube__rng_init(&rng, (uint64_t)kind);
	for (int trial = 0; trial < 60; trial++) {
		struct known k = random_game(&rng, kind);
		struct gpube_model *g = make_game(ctx, &k);
		struct gpube_nash_result *ve =
			solve(g, ctx, (struct gpube_opts){.nash_method = GPUBE_NASH_METHOD_VE});
		struct gpube_opts others[] = {
			{.nash_method = GPUBE_NASH_METHOD_EEE},
			{.nash_method = GPUBE_NASH_METHOD_AUTO, .keep_dominated = 1},
			{.nash_method = GPUBE_NASH_METHOD_SE},
			{.one = 1, .all_labels = 1},
			{.one = 1},
			{.pure = 1},
		};
		char *all = all_text(g, ve);

		assert_int_equal(ve->answer, GPUBE_NASH_ANSWER_ALL);
		assert_true(ve->n_pairs >= 1);
		for (size_t o = 0; o < sizeof(others) / sizeof(*others); o++) {
			struct gpube_nash_result *r = solve(g, ctx, others[o]);
			char *text = all_text(g, r);

			if (o < 2 || r->answer == GPUBE_NASH_ANSWER_ALL)
				assert_string_equal(text, all);
			for (int64_t e = 0; e < r->n_pairs; e++) {
				char *one = text_of(g, r, e);

				assert_true(has(all, one));
				free(one);
			}
			if (others[o].one)
				assert_true(r->n_pairs >= 1);
			if (others[o].one && !others[o].all_labels)
				assert_int_equal(r->n_pairs, 1);
			free(text);
			gpube_result_free(r);
		}
		free(all);
		gpube_result_free(ve);
		gpube_model_free(g);
	}
	gpube_ctx_free(ctx);
}

/* n(n+1)/2 and 2^n - 1 extreme equilibria. */
static void known_counts(void **state)
{
	struct gpube_ctx *ctx = make_ctx();

	(void)state;
	for (int n = 1; n <= 6; n++)
		for (int method = GPUBE_NASH_METHOD_AUTO; method <= GPUBE_NASH_METHOD_VE; method++)
			for (int effort = 0; effort < 2; effort++) {
				struct known k = {.m = n, .n = n};
				struct gpube_model *g;
				struct gpube_nash_result *r;

				for (int c = 0; c < n * n; c++) {
					int i = c / n, j = c % n, least = i < j ? i : j;

					k.a[c] = effort ? 5 * least - 2 * i : i == j;
					k.b[c] = effort ? 5 * least - 2 * j : i == j;
				}
				g = make_game(ctx, &k);
				r = solve(g, ctx, (struct gpube_opts){.nash_method = method});
				assert_int_equal(
					r->n_pairs, effort ? n * (n + 1) / 2 : (1 << n) - 1);
				gpube_result_free(r);
				gpube_model_free(g);
			}
	gpube_ctx_free(ctx);
}

/*
 * Payoffs that differ by powers of 3 from action to action: each set of actions is an equilibrium
 * with itself, 2^n - 1. It is what lrslib's game_22 is for n = 22.
 */
static void far_apart(void **state)
{
	enum { N = 6 };
	struct gpube_ctx *ctx = make_ctx();
	struct known k = {.m = N, .n = N};
	struct gpube_model *g;
	char *all;

	(void)state;
	for (int i = 0, p = 1; i < N; i++, p *= 3)
		for (int j = i, q = p; j < N; j++, q *= 3)
			k.a[i * N + j] = k.b[j * N + i] = (i == j ? 1 : 2) * p * q;
	g = make_game(ctx, &k);
	for (int method = GPUBE_NASH_METHOD_AUTO; method <= GPUBE_NASH_METHOD_SE; method++) {
		struct gpube_nash_result *r =
			solve(g, ctx, (struct gpube_opts){.nash_method = method});

		assert_int_equal(r->answer, GPUBE_NASH_ANSWER_ALL);
		assert_int_equal(r->n_pairs, (1 << N) - 1);
		assert_int_equal(r->degenerate, 0);
		/* the first two actions: p + 6 q = 9 q is what both get from p and q */
		assert_true(
			has(all = all_text(g, r), "3/4 1/4 0 0 0 0 | 3/4 1/4 0 0 0 0 | 9/4 9/4"));
		free(all);
		gpube_result_free(r);
	}
	gpube_model_free(g);
	gpube_ctx_free(ctx);
}

static void components(void **state)
{
	static const struct known game = {.m = 2, .n = 2, .a = {1, 1, 0, 1}, .b = {1, 1, 0, 1}};
	struct gpube_ctx *ctx = make_ctx();
	struct gpube_model *g = make_game(ctx, &game);
	struct gpube_nash_result *r = solve(g, ctx, (struct gpube_opts){0});
	struct gpube_nash_components *c;

	(void)state;
	/* (1,1), (1,2), (2,2): a path, so two subsets that share (1,2) */
	assert_int_equal(r->n_pairs, 3);
	assert_int_equal(gpube_nash_components(&c, ctx, r, NULL), GPUBE_OK);
	assert_int_equal(c->n_components, 1);
	assert_int_equal(c->n_subsets, 2);
	for (int64_t k = 0; k < 2; k++) {
		const struct gpube_nash_subset *s = &c->subsets[k];

		assert_int_equal(s->component, 0);
		assert_int_equal(s->n_xs * s->n_ys, 2);
	}
	gpube_result_free(c);
	gpube_result_free(r);
	gpube_model_free(g);
	gpube_ctx_free(ctx);
}

static void limits(void **state)
{
	struct gpube_ctx *ctx = make_ctx();
	struct known k = {.m = 5, .n = 5};
	struct gpube_model *g;
	struct gpube_nash_result *r;

	(void)state;
	for (int c = 0; c < 25; c += 6)
		k.a[c] = k.b[c] = 1;
	g = make_game(ctx, &k);
	for (int method = GPUBE_NASH_METHOD_AUTO; method <= GPUBE_NASH_METHOD_SE; method++) {
		r = solve(g, ctx, (struct gpube_opts){.nash_method = method, .max = 7});
		assert_int_equal(r->n_pairs, 7);
		assert_int_equal(r->answer, GPUBE_NASH_ANSWER_SOME);
		assert_null(r->reason);
		gpube_result_free(r);
	}
	gpube_ctx_stop(ctx);
	r = solve(g, ctx, (struct gpube_opts){.nash_method = GPUBE_NASH_METHOD_EEE});
	assert_int_equal(r->answer, GPUBE_NASH_ANSWER_INCOMPLETE);
	assert_string_equal(r->reason, "stopped");
	gpube_result_free(r);
	gpube_model_free(g);
	/*
	 * all but the last action are dominated, and none is removed: that takes long in large
	 * games
	 */
	for (int c = 0; c < 25; c++)
		k.a[c] = k.b[c] = c / 5 + c % 5;
	g = make_game(ctx, &k);
	r = solve(g, ctx, (struct gpube_opts){.nash_method = GPUBE_NASH_METHOD_EEE});
	assert_int_equal(r->removed[0] + r->removed[1], 0);
	assert_string_equal(r->reason, "stopped");
	gpube_result_free(r);
	gpube_model_free(g);
	gpube_ctx_free(ctx);
}

/* Every allocation of ours fails once. */
static void out_of_memory(void **state)
{
	enum gpube_nash_method method = (enum gpube_nash_method)(intptr_t)*state;

	for (long fail_at = 0;; fail_at++) {
		struct test_memory memory = {.fail_at = -1};
		struct gpube_ctx *ctx = test_memory_ctx(&memory);
		struct gpube_model *g = make_game(ctx, &known[1]);
		struct gpube_opts o = {.nash_method = method};
		struct gpube_nash_components *c = NULL;
		struct gpube_nash_result *r = NULL;
		long live = memory.live;
		int status;

		memory.fail_at = memory.n + fail_at;
		status = gpube_nash(&r, g, &o);
		if (!status)
			status = gpube_nash_components(&c, ctx, r, NULL);
		assert_true(status == GPUBE_ENOMEM || status == GPUBE_OK);
		assert_true(status == GPUBE_OK || c == NULL);
		gpube_result_free(c);
		gpube_result_free(r);
		assert_int_equal(memory.live, live);
		gpube_model_free(g);
		gpube_ctx_free(ctx);
		if (!status)
			break;
		assert_true(fail_at < 10000);
	}
}

static void needs_flint(void **state)
{
	struct gpube_ctx *ctx = make_ctx();
	struct gpube_model *g = make_game(ctx, &known[0]);
	struct gpube_nash_result *r;

	(void)state;
	assert_int_equal(gpube_nash(&r, g, NULL), GPUBE_EINVAL);
	assert_null(r);
	gpube_model_free(g);
	gpube_ctx_free(ctx);
}

#define N_KNOWN (sizeof(known) / sizeof(*known))

int main(void)
{
	static const char *const classes[N_CLASSES] = {"random", "small range", "zero-sum",
		"copies", "coordination", "minimum effort", "dispersion"};
	static const char *const methods[] = {"auto", "eee", "ve", "se"};
	static char names[64][64];
	struct CMUnitTest tests[64] = {{0}};
	size_t n = 0;

	for (size_t k = 0; k < N_KNOWN; k++) {
		const void *row = &known[k];

		tests[n] = (struct CMUnitTest){.name = known[k].name, .test_func = known_game};
		memcpy(&tests[n++].initial_state, &row, sizeof(row));
	}
	for (intptr_t k = 0; k < N_CLASSES; k++, n++) {
		snprintf(names[n], sizeof(names[n]), "methods agree: %s", classes[k]);
		tests[n] = (struct CMUnitTest){
			.name = names[n], .test_func = methods_agree, .initial_state = (void *)k};
	}
	for (intptr_t k = GPUBE_NASH_METHOD_AUTO; k <= GPUBE_NASH_METHOD_SE; k++, n++) {
		snprintf(names[n], sizeof(names[n]), "out of memory: %s", methods[k]);
		tests[n] = (struct CMUnitTest){
			.name = names[n], .test_func = out_of_memory, .initial_state = (void *)k};
	}
	tests[n++] = (struct CMUnitTest)cmocka_unit_test(known_counts);
	tests[n++] = (struct CMUnitTest)cmocka_unit_test(far_apart);
	tests[n++] = (struct CMUnitTest)cmocka_unit_test(components);
	tests[n++] = (struct CMUnitTest)cmocka_unit_test(limits);
	if (!gpube_nash_exact()) {
		n = 0;
		tests[n++] = (struct CMUnitTest)cmocka_unit_test(needs_flint);
	}
	return _cmocka_run_group_tests("nash", tests, n, NULL, NULL);
}
