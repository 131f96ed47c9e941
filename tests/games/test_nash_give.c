/*
 * Equilibria handed over one by one: each exactly once, also where several leaves of the tree come
 * to it; what ends the work; what is refused.
 */
#include "tests/support/test.h"
#include "gpube/options/options.h"

#include <stdlib.h>
#include <string.h>

#include "nash/nash.h"
#include "tests/support/memory.h"

/* Texts of the equilibria that came; 'most': then a status other than OK. */
struct heap {
	int32_t rows, columns;
	int64_t n, most;
	char texts[512][256];
};

static void write_text(char *to, const struct heap *h, const struct gpube_nash_strategy *x,
	const struct gpube_nash_strategy *y)
{
	size_t n = 0;

	for (int32_t i = 0; i < h->rows + h->columns; i++)
		n += (size_t)snprintf(to + n, sizeof(h->texts[0]) - n, "%s ",
			i < h->rows ? x->p[i] : y->p[i - h->rows]);
	snprintf(to + n, sizeof(h->texts[0]) - n, "%s %s", x->value, y->value);
}

static int keep(void *arg, const struct gpube_nash_strategy *x, const struct gpube_nash_strategy *y)
{
	struct heap *h = arg;

	if (h->most && h->n == h->most)
		return GPUBE_EIO;
	assert_in_range(h->n, 0, sizeof(h->texts) / sizeof(*h->texts) - 1);
	write_text(h->texts[h->n++], h, x, y);
	return GPUBE_OK;
}

static int compare(const void *a, const void *b)
{
	return strcmp(a, b);
}

static struct gpube_model *make_game(struct gpube_ctx *ctx, const char *kind, int seed)
{
	const struct gpube_opts o = {.game = kind,
		.rows = 1 + seed % 7,
		.columns = 2 + seed / 2 % 6,
		.range = 1 + seed % 3,
		.seed = seed};
	struct gpube_model *g;

	/* not all classes have games of unequal numbers */
	if (gpube_nash_generate(&g, ctx, &o)) {
		struct gpube_opts square = o;

		square.columns = square.rows = 2 + seed % 6;
		assert_int_equal(gpube_nash_generate(&g, ctx, &square), GPUBE_OK);
	}
	return g;
}

static void same_as_kept(void **state)
{
	static struct heap given, kept;

	for (int seed = 0; seed < 24; seed++) {
		struct gpube_ctx *ctx;
		struct gpube_model *g;
		struct gpube_nash_result *r;
		struct gpube_opts o = {.give = keep, .give_arg = &given};

		assert_int_equal(
			gpube_ctx_new(&ctx, &(struct gpube_opts){.n_threads = 1 + seed % 3}),
			GPUBE_OK);
		g = make_game(ctx, *state, seed);
		given = kept = (struct heap){
			.rows = gpube_model_domain(g, 0), .columns = gpube_model_domain(g, 1)};
		o.keep_dominated = seed % 2;
		assert_int_equal(gpube_nash(&r, g, &o), GPUBE_OK);
		assert_int_equal(r->answer, GPUBE_NASH_ANSWER_ALL);
		assert_int_equal(r->n_pairs, 0);
		assert_int_equal(r->n_given, given.n);
		gpube_result_free(r);
		assert_int_equal(gpube_nash(&r, g, NULL), GPUBE_OK);
		assert_int_equal(r->n_given, 0);
		for (int64_t k = 0; k < r->n_pairs; k++)
			keep(&kept, &r->xs[r->pairs[k].x], &r->ys[r->pairs[k].y]);
		assert_int_equal(given.n, kept.n);
		qsort(given.texts, (size_t)given.n, sizeof(*given.texts), compare);
		qsort(kept.texts, (size_t)kept.n, sizeof(*kept.texts), compare);
		for (int64_t k = 0; k < kept.n; k++)
			assert_string_equal(given.texts[k], kept.texts[k]);
		gpube_result_free(r);
		gpube_model_free(g);
		gpube_ctx_free(ctx);
	}
}

/* The receiver wants no more. */
static void receiver_fails(void **state)
{
	static struct heap h;
	struct gpube_opts *o;
	struct gpube_ctx *ctx;
	struct gpube_nash_result *r;
	struct gpube_model *g;

	(void)state;
	assert_int_equal(gpube_ctx_new(&ctx, NULL), GPUBE_OK);
	g = make_game(ctx, "coordination", 5);
	h = (struct heap){
		.rows = gpube_model_domain(g, 0), .columns = gpube_model_domain(g, 1), .most = 3};
	assert_int_equal(gpube_opts_new(&o, ctx), GPUBE_OK);
	assert_int_equal(gpube_opts_set_give(o, keep, &h), GPUBE_OK);
	assert_int_equal(gpube_nash(&r, g, o), GPUBE_EIO);
	assert_null(r);
	assert_int_equal(h.n, 3);
	gpube_opts_free(o);
	gpube_model_free(g);
	gpube_ctx_free(ctx);
}

static void refused(void **state)
{
	const struct gpube_opts bad[] = {{.one = 1}, {.pure = 1}, {.max = 1},
		{.nash_method = GPUBE_NASH_METHOD_VE}, {.nash_method = GPUBE_NASH_METHOD_SE},
		{.backend = GPUBE_BACKEND_CUDA}};
	struct gpube_ctx *ctx;
	struct gpube_nash_result *r;
	struct gpube_model *g;

	(void)state;
	assert_int_equal(gpube_ctx_new(&ctx, NULL), GPUBE_OK);
	g = make_game(ctx, "random", 5);
	for (size_t k = 0; k < sizeof(bad) / sizeof(*bad); k++) {
		struct gpube_opts o = bad[k];

		o.give = keep;
		assert_int_equal(gpube_nash(&r, g, &o), GPUBE_EINVAL);
		assert_null(r);
	}
	gpube_model_free(g);
	gpube_ctx_free(ctx);
}

/* Every allocation of ours fails once. */
static void out_of_memory(void **state)
{
	static struct heap h;

	(void)state;
	for (long fail_at = 0;; fail_at++) {
		struct test_memory memory = {.fail_at = -1};
		struct gpube_ctx *ctx = test_memory_ctx(&memory);
		struct gpube_model *g = make_game(ctx, "win-lose", 3);
		struct gpube_opts o = {.give = keep, .give_arg = &h};
		const long live = memory.live;
		struct gpube_nash_result *r = NULL;
		int status;

		h = (struct heap){
			.rows = gpube_model_domain(g, 0), .columns = gpube_model_domain(g, 1)};
		memory.fail_at = memory.n + fail_at;
		status = gpube_nash(&r, g, &o);
		assert_true(status == GPUBE_ENOMEM || status == GPUBE_OK);
		gpube_result_free(r);
		assert_int_equal(memory.live, live);
		gpube_model_free(g);
		gpube_ctx_free(ctx);
		if (!status)
			break;
		assert_true(fail_at < 10000);
	}
}

int main(void)
{
	static char kinds[][32] = {"random", "win-lose", "zero-sum", "coordination", "duplicated",
		"dispersion", "minimum-effort"};
	enum { N = sizeof(kinds) / sizeof(*kinds) };
	struct CMUnitTest tests[N + 3] = {{0}};
	size_t n = 0;

	for (; gpube_nash_exact() && n < N; n++)
		tests[n] = (struct CMUnitTest){
			.name = kinds[n], .test_func = same_as_kept, .initial_state = kinds[n]};
	tests[n++] = (struct CMUnitTest)cmocka_unit_test(refused);
	if (gpube_nash_exact()) {
		tests[n++] = (struct CMUnitTest)cmocka_unit_test(receiver_fails);
		tests[n++] = (struct CMUnitTest)cmocka_unit_test(out_of_memory);
	}
	return _cmocka_run_group_tests("give", tests, n, NULL, NULL);
}
