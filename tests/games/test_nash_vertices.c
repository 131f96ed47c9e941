/*
 * Vertices of a side by double description and by the walk over bases: the same points. Equilibria
 * from the vertices of both sides, of one side, and by a race: the same pairs.
 */
#include "tests/support/test.h"

#include "gpube/options/options.h"
#include "nash/nash.h"

#ifdef GPUBE_HAVE_FLINT
#include "nash/exact.h"

static const unsigned char none[256]; /* no variable is fixed: the face is the whole side */

static struct gpube_model *make_game(
	struct gpube_ctx *ctx, const char *kind, int m, int n, int seed)
{
	struct gpube_opts o = {.game = kind, .rows = m, .columns = n, .seed = seed};
	struct gpube_model *g;

	if (gpube_nash_generate(&g, ctx, &o))
		fail_msg("%s", gpube_error(ctx));
	return g;
}

static void compare_side(const struct nash_problem *p, int side)
{
	struct nash_vertices cone, walked;
	struct nash_list list = {0};
	struct nash_cone *c;
	int status, turns = 0;

	nash__vertices_init(&cone, p, side);
	nash__vertices_init(&walked, p, side);
	assert_int_equal(nash__face(&walked, &list, none), GPUBE_OK);
	/* a little at a time: nothing is added before the end */
	assert_int_equal(nash__cone_new(&c, &cone), GPUBE_OK);
	while ((status = nash__cone_run(c, 0)) == GPUBE_ELIMIT && turns++ < 100000)
		assert_int_equal(cone.n, 0);
	assert_int_equal(status, GPUBE_OK);
	/* more vertices than the first cone has take units */
	if (walked.n > p->side[side].k)
		assert_true(turns > 0);
	nash__cone_free(c);
	assert_true(cone.n >= p->side[side].k);
	assert_int_equal(cone.n, walked.n);
	assert_int_equal(list.n, walked.n);
	for (int64_t k = 0; k < cone.n; k++) {
		int64_t at = 0;

		while (at < walked.n && memcmp(nash__mask(&walked, at), nash__mask(&cone, k),
						(size_t)cone.words * sizeof(uint64_t)) != 0)
			at++;
		assert_true(at < walked.n);
		assert_true(_fmpz_vec_equal(
			nash__coords(&cone, k), nash__coords(&walked, at), p->side[side].k + 1));
	}
	gpube__free(p->ctx, list.at);
	nash__vertices_clear(&cone);
	nash__vertices_clear(&walked);
}

/* The same pairs; empties 'found'. */
static void compare_found(struct nash_found *all, struct nash_found *found)
{
	const int64_t n = all->n;

	assert_int_equal(found->n, n);
	assert_int_equal(nash__found_merge(all, found), GPUBE_OK);
	assert_int_equal(all->n, n);
	nash__found_clear(found);
}

/* All equilibria from the vertices of one side; a budget of 1, 2, … faces is too small at first. */
static void from_one_side(const struct nash_problem *p, struct nash_found *all, int side)
{
	struct nash_list list = {0};
	struct nash_found found;
	int64_t budget = -1, least = 0;

	nash__found_init(&found, p);
	assert_int_equal(nash__face(&found.v[side], &list, none), GPUBE_OK);
	gpube__free(p->ctx, list.at);
	assert_int_equal(nash__partners(&found, side, &budget), GPUBE_OK);
	assert_int_equal(budget, -1);
	do
		budget = least++;
	while (nash__partners(&found, side, &budget) == GPUBE_ELIMIT && least < 10000);
	assert_int_equal(budget, 0);
	compare_found(all, &found);
}

static void compare_ways(const struct nash_problem *p)
{
	const char *method = NULL;
	struct nash_found all, found;

	nash__found_init(&all, p);
	assert_int_equal(nash__vertex_enumeration(&all, -1), GPUBE_OK);
	assert_true(all.n >= 1);
	from_one_side(p, &all, 0);
	from_one_side(p, &all, 1);
	nash__found_init(&found, p);
	assert_int_equal(nash__race(&found, 1, 1, &method), GPUBE_OK);
	assert_true(!strcmp(method, "ve") || !strcmp(method, "eee"));
	compare_found(&all, &found);
	nash__found_clear(&all);
}

/* A race that is stopped has what both found until then; nothing is lost, nothing twice. */
static void stopped_race(void **state)
{
	struct gpube_ctx *ctx;
	struct gpube_model *g;
	struct nash_problem p;
	struct nash_found found;
	const char *method;
	int status;

	(void)state;
	assert_int_equal(gpube_ctx_new(&ctx, NULL), GPUBE_OK);
	for (int threads = 1; threads <= 2; threads++) {
		method = "none";
		ctx->n_threads = threads;
		g = make_game(ctx, "coordination", 14, 14, 1);
		assert_int_equal(nash__problem_init(&p, g, true, false), GPUBE_OK);
		nash__found_init(&found, &p);
		ctx->deadline = gpube__now() + 0.05;
		status = nash__race(&found, 1, 1, &method);
		if (status) { /* or the machine is so fast that it has them all */
			assert_int_equal(status, GPUBE_ESTOP);
			assert_string_equal(method, "none");
			assert_string_equal(gpube_error(ctx), "out of time");
			assert_true(found.n < (1 << 14) - 1);
		}
		ctx->deadline = 0;
		assert_int_equal(nash__race(&found, 1, 1, &method), GPUBE_OK);
		assert_int_equal(found.n, (1 << 14) - 1);
		nash__found_clear(&found);
		nash__problem_clear(&p);
		gpube_model_free(g);
	}
	gpube_ctx_free(ctx);
}

static void same_vertices(void **state)
{
	static const int sizes[][2] = {{1, 1}, {1, 4}, {5, 1}, {2, 3}, {6, 4}, {6, 6}};
	const char *kind = *state;
	const bool square = strcmp(kind, "random") != 0 && strcmp(kind, "win-lose") != 0;
	struct gpube_ctx *ctx;

	assert_int_equal(gpube_ctx_new(&ctx, NULL), GPUBE_OK);
	for (size_t t = 0; t < sizeof(sizes) / sizeof(*sizes); t++)
		for (int seed = 1; seed <= 3; seed++) {
			struct gpube_model *g =
				make_game(ctx, kind, sizes[t][0], sizes[t][square ? 0 : 1], seed);
			struct nash_problem p;

			assert_int_equal(nash__problem_init(&p, g, true, false), GPUBE_OK);
			assert_true(ctx->thread_end == flint_cleanup);
			compare_side(&p, 0);
			compare_side(&p, 1);
			ctx->n_threads = seed;
			compare_ways(&p);
			nash__problem_clear(&p);
			gpube_model_free(g);
		}
	gpube_ctx_free(ctx);
}

/* Branch and bound in parts of a few nodes, on one thread and on several: all, each once. */
static void in_parts(void **state)
{
	struct gpube_ctx *ctx;

	(void)state;
	assert_int_equal(gpube_ctx_new(&ctx, NULL), GPUBE_OK);
	for (int threads = 1; threads <= 3; threads++) {
		/* its tree is larger than what one thread takes before it calls others */
		struct gpube_model *g = make_game(ctx, "coordination", 9, 9, 2);
		struct nash_problem p;
		struct nash_found all, parts;
		struct nash_branching *b;
		int status, n = 0;

		ctx->n_threads = threads;
		assert_int_equal(nash__problem_init(&p, g, true, false), GPUBE_OK);
		nash__found_init(&all, &p);
		nash__found_init(&parts, &p);
		assert_int_equal(nash__branch_and_bound(&all, -1), GPUBE_OK);
		assert_int_equal(nash__branching_new(&b, &parts), GPUBE_OK);
		while ((status = nash__branching_run(b, n == 0 ? 1500 : 37)) == GPUBE_ELIMIT) {
			assert_true(parts.n <= all.n);
			n++;
		}
		assert_int_equal(status, GPUBE_OK);
		assert_true(n > 3);
		nash__branching_free(b);
		assert_int_equal(parts.work, all.work);
		compare_found(&all, &parts);
		nash__found_clear(&all);
		nash__problem_clear(&p);
		gpube_model_free(g);
	}
	gpube_ctx_free(ctx);
}

/* When time is up a round is checked and reported, the others are counted. */
static void out_of_patience(void **state)
{
	enum { N = (1 << 12) - 1 };
	struct nash_patience over = {.until = 1e-9};
	struct gpube_nash_components *c = NULL;
	struct gpube_nash_result *r;
	struct nash_problem p;
	struct nash_found found, other;
	struct gpube_ctx *ctx;
	struct gpube_model *g;
	bool regular;
	int sum;

	(void)state;
	assert_int_equal(gpube_ctx_new(&ctx, NULL), GPUBE_OK);
	g = make_game(ctx, "coordination", 12, 12, 1);
	assert_int_equal(nash__problem_init(&p, g, true, false), GPUBE_OK);
	nash__found_init(&found, &p);
	nash__found_init(&other, &p);
	r = nash__result_new(ctx);
	assert_non_null(r);
	assert_int_equal(nash__branch_and_bound(&found, -1), GPUBE_OK);
	assert_int_equal(found.n, N);
	over.ctx = ctx;
	p.patience = &over;
	assert_int_equal(nash__report(r, &found), GPUBE_OK);
	assert_int_equal(r->n_pairs, 1024);
	assert_int_equal(r->n_unchecked, N - 1024);
	assert_int_equal(nash__index_sum(&found, &regular, &sum), GPUBE_ESTOP);
	/* the larger set is taken over whole, of the smaller one the first are copied */
	assert_int_equal(nash__found_merge(&other, &found), GPUBE_OK);
	assert_int_equal(other.n, N);
	assert_int_equal(found.n, 0);
	assert_int_equal(nash__branch_and_bound(&found, 3000), GPUBE_ELIMIT);
	assert_in_range(found.n, 256, N);
	assert_int_equal(nash__found_merge(&other, &found), GPUBE_ESTOP);
	/* all there are, and no time for their components */
	gpube_result_free(r);
	assert_int_equal(gpube_nash(&r, g, NULL), GPUBE_OK);
	assert_int_equal(r->n_pairs, N);
	assert_int_equal(r->n_unchecked, 0);
	assert_int_equal(
		gpube_nash_components(&c, ctx, r, &(struct gpube_opts){.timeout_seconds = 1e-9}),
		GPUBE_ESTOP);
	assert_null(c);
	assert_int_equal(gpube_nash_components(&c, ctx, r, NULL), GPUBE_OK);
	assert_int_equal(c->n_components, N);
	assert_int_equal(c->n_subsets, N);
	for (int64_t k = 0; k < N; k++)
		assert_int_equal(c->subsets[k].component, k);
	gpube_result_free(c);
	gpube_result_free(r);
	nash__found_clear(&found);
	nash__found_clear(&other);
	nash__problem_clear(&p);
	gpube_model_free(g);
	gpube_ctx_free(ctx);
}

/* What is found takes time from the search, each equilibrium as much as the next. */
static void time_is_reserved(void **state)
{
	enum { N = (1 << 12) - 1 };
	struct nash_patience patience = {0};
	struct nash_problem p;
	struct nash_found found;
	struct gpube_ctx *ctx;
	struct gpube_model *g;

	(void)state;
	assert_int_equal(gpube_ctx_new(&ctx, NULL), GPUBE_OK);
	g = make_game(ctx, "coordination", 12, 12, 1);
	assert_int_equal(nash__problem_init(&p, g, true, false), GPUBE_OK);
	nash__found_init(&found, &p);
	patience.ctx = ctx;
	patience.end = ctx->deadline = gpube__now() + 1e6;
	p.patience = &patience;
	assert_int_equal(nash__branch_and_bound(&found, -1), GPUBE_OK);
	assert_int_equal(found.n, N);
	assert_int_equal(patience.found, N); /* not again when threads hand in what they have */
	assert_true(patience.each > 0);
	assert_true(ctx->deadline <= patience.end - N / 64 * 64 * patience.each);
	assert_true(ctx->deadline > patience.end - 5e5);
	nash__found_clear(&found);
	nash__problem_clear(&p);
	gpube_model_free(g);
	gpube_ctx_free(ctx);
}

struct prediction {
	char name[40];
	const char *kind, *method;
	int n;
};

/* Method auto ends where it is predicted to, at once and so on one thread as on several. */
static void predicted(void **state)
{
	const struct prediction *row = *state;
	struct gpube_ctx *ctx;

	assert_int_equal(gpube_ctx_new(&ctx, NULL), GPUBE_OK);
	for (int seed = 1; seed <= 3; seed++) {
		struct gpube_model *g = make_game(ctx, row->kind, row->n, row->n, seed);
		struct nash_problem p;
		struct nash_found found;
		const char *method = NULL;

		assert_int_equal(nash__problem_init(&p, g, true, false), GPUBE_OK);
		nash__found_init(&found, &p);
		ctx->n_threads = seed;
		assert_int_equal(nash__auto(&found, &method), GPUBE_OK);
		assert_string_equal(method, row->method);
		nash__found_clear(&found);
		nash__problem_clear(&p);
		gpube_model_free(g);
	}
	gpube_ctx_free(ctx);
}

int main(void)
{
	static struct prediction rows[] = {
		{.kind = "random", .n = 8, .method = "eee"},
		{.kind = "random", .n = 14, .method = "eee"},
		{.kind = "covariant", .n = 12, .method = "eee"},
		{.kind = "zero-sum", .n = 12, .method = "eee"},
		{.kind = "travelers-dilemma", .n = 12, .method = "eee"},
		{.kind = "cyclic-polytope", .n = 10, .method = "eee"},
		{.kind = "win-lose", .n = 8, .method = "ve"},
		{.kind = "coordination", .n = 8, .method = "ve"},
		{.kind = "dispersion", .n = 20, .method = "ve"},
		{.kind = "minimum-effort", .n = 8, .method = "ve"},
		{.kind = "minimum-effort", .n = 16, .method = "ve"},
		{.kind = "grab-the-dollar", .n = 14, .method = "ve"},
	};
	enum { N_ROWS = sizeof(rows) / sizeof(*rows) };
	static char kinds[][32] = {"random", "win-lose", "zero-sum", "coordination", "dispersion",
		"minimum-effort", "grab-the-dollar", "travelers-dilemma"};
	enum { N = sizeof(kinds) / sizeof(*kinds) };
	struct CMUnitTest tests[N + N_ROWS + 4] = {{0}};

	for (int k = 0; k < N; k++)
		tests[k] = (struct CMUnitTest){
			.name = kinds[k], .test_func = same_vertices, .initial_state = kinds[k]};
	tests[N] = (struct CMUnitTest)cmocka_unit_test(stopped_race);
	tests[N + 1] = (struct CMUnitTest)cmocka_unit_test(in_parts);
	tests[N + 2] = (struct CMUnitTest)cmocka_unit_test(out_of_patience);
	tests[N + 3] = (struct CMUnitTest)cmocka_unit_test(time_is_reserved);
	for (int k = 0; k < N_ROWS; k++) {
		snprintf(rows[k].name, sizeof(rows[k].name), "predicted: %s %d", rows[k].kind,
			rows[k].n);
		tests[N + 4 + k] = (struct CMUnitTest){
			.name = rows[k].name, .test_func = predicted, .initial_state = &rows[k]};
	}
	return _cmocka_run_group_tests("vertices", tests, N + N_ROWS + 4, NULL, NULL);
}
#else
static void needs_flint(void **state)
{
	(void)state;
	assert_false(gpube_nash_exact());
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(needs_flint)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
#endif
