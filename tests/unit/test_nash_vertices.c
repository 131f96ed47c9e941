/* Vertices of a side by double description and by the walk over bases: the same points. */
#include "tests/support/test.h"

#include "nash/nash.h"

#ifdef GPUBE_HAVE_FLINT
#include "nash/exact.h"

static struct nash_game *make_game(struct gpube_ctx *ctx, const char *kind, int m, int n, int seed)
{
	struct nash_random o = {.sizeof_options = sizeof(o),
		.kind = kind,
		.rows = m,
		.columns = n,
		.seed = (uint64_t)seed};
	struct nash_game *g;

	if (nash_generate(&g, ctx, &o))
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
	assert_int_equal(nash__face(&walked, &list, NULL), GPUBE_OK);
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
		int64_t at = nash__vertices_find(&walked, nash__mask(&cone, k));

		assert_true(at >= 0);
		assert_true(_fmpz_vec_equal(
			nash__coords(&cone, k), nash__coords(&walked, at), p->side[side].k + 1));
	}
	gpube__free(p->ctx, list.at);
	nash__vertices_clear(&cone);
	nash__vertices_clear(&walked);
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
			struct nash_game *g =
				make_game(ctx, kind, sizes[t][0], sizes[t][square ? 0 : 1], seed);
			struct nash_problem p;

			assert_int_equal(nash__problem_init(&p, g, true), GPUBE_OK);
			assert_true(ctx->thread_end == flint_cleanup);
			compare_side(&p, 0);
			compare_side(&p, 1);
			nash__problem_clear(&p);
			nash_game_free(g);
		}
	gpube_ctx_free(ctx);
}

int main(void)
{
	static char kinds[][32] = {"random", "win-lose", "zero-sum", "coordination", "dispersion",
		"minimum-effort", "grab-the-dollar", "travelers-dilemma"};
	enum { N = sizeof(kinds) / sizeof(*kinds) };
	struct CMUnitTest tests[N] = {{0}};

	for (int k = 0; k < N; k++)
		tests[k] = (struct CMUnitTest){
			.name = kinds[k], .test_func = same_vertices, .initial_state = kinds[k]};
	return _cmocka_run_group_tests("vertices", tests, N, NULL, NULL);
}
#else
static void needs_flint(void **state)
{
	(void)state;
	assert_false(nash_exact());
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(needs_flint)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
#endif
