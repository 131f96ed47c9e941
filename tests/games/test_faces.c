/*
 * Branch and bound whose tree is walked by the operator on faces, by the functions that a device
 * runs, finds what the search of nash/eee/eee.c finds.
 */
#include "tests/support/test.h"
#include "tests/support/reference/reference.h"
#include "gpube/options/options.h"

#ifdef GPUBE_HAVE_FLINT
#include "nash/exact.h"

struct row {
	const char *class;
	int range, largest;
};

static const struct row rows[] = {
	{"random", 100, 12},
	{"random", 1, 6},
	{"covariant", 50, 10},
	{"zero-sum", 3, 8},
	{"win-lose", 1, 6},
	{"duplicated", 20, 7},
	{"coordination", 1, 6},
	{"dispersion", 1, 5},
	{"minimum-effort", 20, 7},
	{"travelers-dilemma", 1, 7},
};

enum { N_ROWS = sizeof(rows) / sizeof(*rows) };

static struct gpube_model *generate(
	struct gpube_ctx *ctx, const struct row *row, struct gpube_rng *rng)
{
	const uint64_t most = (uint64_t)row->largest;
	struct gpube_opts o = {.game = row->class,
		.range = row->range,
		.rows = 1 + (int32_t)gpube__rng_below(rng, most),
		.columns = 1 + (int32_t)gpube__rng_below(rng, most),
		.seed = (int64_t)gpube__rng_next(rng)};
	struct gpube_model *g;

	assert_int_equal(gpube_nash_generate(&g, ctx, &o), GPUBE_OK);
	return g;
}

static void same_equilibria(void **state)
{
	struct gpube_opts opts = {.n_threads = 2};
	struct gpube_ctx *ctx;
	struct gpube_rng rng;

	assert_int_equal(gpube_ctx_new(&ctx, &opts), GPUBE_OK);
	gpube__rng_init(&rng, 11);
	for (int trial = 0; trial < 40; trial++) {
		struct gpube_model *g = generate(ctx, *state, &rng);
		struct nash_problem p;
		struct nash_found want, got;
		int64_t n;

		assert_int_equal(nash__problem_init(&p, g, trial % 2, false), GPUBE_OK);
		nash__found_init(&want, &p);
		nash__found_init(&got, &p);
		assert_int_equal(nash__branch_and_bound(&want, -1), GPUBE_OK);
		assert_int_equal(
			nash__branch_and_bound_on(&got, gpube__faces_reference()), GPUBE_OK);
		n = want.n;
		assert_int_equal(got.n, n);
		assert_int_equal(nash__found_merge(&want, &got), GPUBE_OK);
		assert_int_equal(want.n, n);
		nash__found_clear(&want);
		nash__found_clear(&got);
		nash__problem_clear(&p);
		gpube_model_free(g);
	}
	gpube_ctx_free(ctx);
}

/* An operator goes on where the search stopped. */
static void rest_elsewhere(void **state)
{
	struct gpube_opts opts = {.n_threads = 2};
	struct gpube_ctx *ctx;
	struct gpube_rng rng;
	int handed_over = 0;

	(void)state;
	assert_int_equal(gpube_ctx_new(&ctx, &opts), GPUBE_OK);
	gpube__rng_init(&rng, 21);
	for (int trial = 0; trial < 60; trial++) {
		struct gpube_model *g = generate(ctx, &rows[trial % (int)N_ROWS], &rng);
		struct nash_branching *b;
		struct nash_problem p;
		struct nash_found want, got;
		int64_t n;
		int status;

		assert_int_equal(nash__problem_init(&p, g, false, false), GPUBE_OK);
		nash__found_init(&want, &p);
		nash__found_init(&got, &p);
		assert_int_equal(nash__branch_and_bound(&want, -1), GPUBE_OK);
		assert_int_equal(nash__branching_new(&b, &got), GPUBE_OK);
		got.device = true;
		status = nash__branching_run(b, 1 + trial % 20);
		/* also when all that was found is taken over */
		assert_true(got.device);
		if (status == GPUBE_ELIMIT) {
			status = nash__branching_run_on(b, gpube__faces_reference());
			handed_over++;
		}
		assert_int_equal(status, GPUBE_OK);
		n = want.n;
		assert_int_equal(got.n, n);
		assert_int_equal(nash__found_merge(&want, &got), GPUBE_OK);
		assert_int_equal(want.n, n);
		nash__branching_free(b);
		nash__found_clear(&want);
		nash__found_clear(&got);
		nash__problem_clear(&p);
		gpube_model_free(g);
	}
	assert_true(handed_over > 20);
	gpube_ctx_free(ctx);
}

/* A node that doubles left open is gone on from: here the root itself. */
static int only_the_root(struct gpube_ctx *ctx, struct gpube_faces_search *s)
{
	struct gpube_faces_leaf root = {.open = 1};

	assert_int_equal(
		gpube__grow(ctx, &s->leaves, &s->capacity, 1, sizeof(*s->leaves)), GPUBE_OK);
	s->leaves[s->n_leaves++] = root;
	return GPUBE_OK;
}

static void open_nodes(void **state)
{
	static const struct gpube_faces_ops ops = {.name = "none", .search = only_the_root};
	struct gpube_ctx *ctx;
	struct gpube_rng rng;

	(void)state;
	assert_int_equal(gpube_ctx_new(&ctx, NULL), GPUBE_OK);
	gpube__rng_init(&rng, 5);
	for (size_t k = 0; k < N_ROWS; k++) {
		struct gpube_model *g = generate(ctx, &rows[k], &rng);
		struct nash_problem p;
		struct nash_found want, got;

		assert_int_equal(nash__problem_init(&p, g, false, false), GPUBE_OK);
		nash__found_init(&want, &p);
		nash__found_init(&got, &p);
		assert_int_equal(nash__branch_and_bound(&want, -1), GPUBE_OK);
		assert_int_equal(nash__branch_and_bound_on(&got, &ops), GPUBE_OK);
		assert_int_equal(got.n, want.n);
		nash__found_clear(&want);
		nash__found_clear(&got);
		nash__problem_clear(&p);
		gpube_model_free(g);
	}
	gpube_ctx_free(ctx);
}

int main(void)
{
	struct CMUnitTest tests[N_ROWS + 2] = {{0}};
	static char names[N_ROWS][64];

	for (size_t k = 0; k < N_ROWS; k++) {
		const void *row = &rows[k];

		snprintf(names[k], sizeof(names[k]), "%s, payoffs to %d", rows[k].class,
			rows[k].range);
		tests[k] = (struct CMUnitTest){.name = names[k], .test_func = same_equilibria};
		memcpy(&tests[k].initial_state, &row, sizeof(row));
	}
	tests[N_ROWS] = (struct CMUnitTest)cmocka_unit_test(open_nodes);
	tests[N_ROWS + 1] = (struct CMUnitTest)cmocka_unit_test(rest_elsewhere);
	return _cmocka_run_group_tests("faces", tests, N_ROWS + 2, NULL, NULL);
}
#else
static void needs_flint(void **state)
{
	(void)state;
	skip();
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(needs_flint)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
#endif
