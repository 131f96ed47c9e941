/* Generated games: each class is what its name says, the same for the same seed, in every format.
 */
#include "tests/support/test.h"

#include <stdbool.h>

#include "gpube/options/options.h"
#include "nash/nash.h"
#include "tests/support/files.h"
#include "tests/games/made_games.h"

static struct gpube_ctx *make_ctx(void)
{
	struct gpube_ctx *ctx;

	assert_int_equal(gpube_ctx_new(&ctx, NULL), GPUBE_OK);
	return ctx;
}

static struct gpube_model *generate(struct gpube_ctx *ctx, struct gpube_opts o)
{
	struct gpube_model *g;

	if (gpube_nash_generate(&g, ctx, &o))
		fail_msg("%s", gpube_error(ctx));
	return g;
}

static double pay(const struct gpube_model *g, int p, int i, int j)
{
	const struct gpube_rational v = payoff_of(g, p, (int64_t)i * g->vars[1].domain + j);

	return gpube__rational_double(&v);
}

/* ---- what a class promises, cell by cell -------------------------------------------- */

static bool is_zero_sum(const struct gpube_model *g, int i, int j)
{
	return pay(g, 0, i, j) == -pay(g, 1, i, j);
}

static bool is_win_lose(const struct gpube_model *g, int i, int j)
{
	return (pay(g, 0, i, j) == 0 || pay(g, 0, i, j) == 1) &&
	       (pay(g, 1, i, j) == 0 || pay(g, 1, i, j) == 1);
}

static bool is_coordination(const struct gpube_model *g, int i, int j)
{
	return pay(g, 0, i, j) == (i == j) && pay(g, 1, i, j) == (i == j);
}

static bool is_dispersion(const struct gpube_model *g, int i, int j)
{
	return pay(g, 0, i, j) == (i != j) && pay(g, 1, i, j) == (i != j);
}

static bool is_in_range(const struct gpube_model *g, int i, int j)
{
	return pay(g, 0, i, j) >= -100 && pay(g, 0, i, j) <= 100 && pay(g, 1, i, j) >= -100 &&
	       pay(g, 1, i, j) <= 100;
}

/* Above the diagonal the gain of one more effort is that of player 2's alone, and so on. */
static bool is_effort(const struct gpube_model *g, int i, int j)
{
	return i == 0 || j == 0 ||
	       (pay(g, 0, i, j) + pay(g, 0, 0, 0) - pay(g, 0, i, 0) ==
			       pay(g, 1, i, j) + pay(g, 1, 0, 0) - pay(g, 1, 0, j) &&
		       pay(g, 0, i, j) - pay(g, 1, i, j) ==
			       (j - i) * (pay(g, 0, 0, 0) - pay(g, 0, 1, 0)));
}

static bool is_grab(const struct gpube_model *g, int i, int j)
{
	double high = pay(g, 1, 1, 0), middle = pay(g, 0, 1, 0), low = pay(g, 0, 0, 0);

	return high > middle && middle > low &&
	       pay(g, 0, i, j) == (i < j          ? high
					  : i > j ? middle
						  : low) &&
	       pay(g, 1, i, j) == (j < i          ? high
					  : j > i ? middle
						  : low);
}

static bool is_travelers(const struct gpube_model *g, int i, int j)
{
	return pay(g, 0, i, j) + pay(g, 1, i, j) == 2 * ((i < j ? i : j) + 2) &&
	       (i == j ? pay(g, 0, i, j) == pay(g, 1, i, j)
		       : pay(g, 0, i, j) - pay(g, 1, i, j) == (i < j ? 4 : -4));
}

struct class
{
	const char *name;
	bool (*holds)(const struct gpube_model *g, int i, int j);
	bool seeded;
};

static const struct class classes[] = {
	{"random", is_in_range, true},
	{"covariant", NULL, true},
	{"zero-sum", is_zero_sum, true},
	{"win-lose", is_win_lose, true},
	{"duplicated", is_in_range, true},
	{"coordination", is_coordination, false},
	{"dispersion", is_dispersion, false},
	{"minimum-effort", is_effort, true},
	{"grab-the-dollar", is_grab, true},
	{"travelers-dilemma", is_travelers, false},
	{"cyclic-polytope", NULL, false},
};

#define N_CLASSES (sizeof(classes) / sizeof(*classes))

static void class_holds(void **state)
{
	const struct class *row = *state;
	struct gpube_ctx *ctx = make_ctx();
	int differ = 0;

	for (uint64_t seed = 0; seed < 20; seed++) {
		struct gpube_opts o = {.game = row->name, .rows = 6, .columns = 6, .seed = seed};
		struct gpube_model *g = generate(ctx, o), *again = generate(ctx, o), *other;

		for (int c = 0; row->holds && c < 36; c++)
			assert_true(row->holds(g, c / 6, c % 6));
		assert_true(same_game(g, again));
		o.seed += 1000;
		other = generate(ctx, o);
		differ += !same_game(g, other);
		gpube_model_free(g);
		gpube_model_free(again);
		gpube_model_free(other);
	}
	assert_int_equal(differ, row->seeded ? 20 : 0);
	gpube_ctx_free(ctx);
}

/* Covariance as asked for, in the mean of many cells. */
static void covariance(void **state)
{
	struct gpube_ctx *ctx = make_ctx();

	(void)state;
	for (int t = -1; t <= 1; t++) {
		struct gpube_model *g = generate(ctx, (struct gpube_opts){.game = "covariant",
							      .rows = 100,
							      .columns = 100,
							      .range = 1000,
							      .covariance = 0.8 * t});
		double aa = 0, ab = 0;

		for (int i = 0; i < 100; i++)
			for (int j = 0; j < 100; j++) {
				aa += pay(g, 0, i, j) * pay(g, 0, i, j) / 1e10;
				ab += pay(g, 0, i, j) * pay(g, 1, i, j) / 1e10;
			}
		assert_true(aa > 0.95 && aa < 1.05);
		assert_true(ab - 0.8 * t < 0.05 && ab - 0.8 * t > -0.05);
		gpube_model_free(g);
	}
	gpube_ctx_free(ctx);
}

/*
 * One equilibrium, in which all is played, at the end of paths that grow by the cube of the
 * golden ratio with each two actions (Savani and von Stengel, section 4).
 */
static void cyclic_polytopes(void **state)
{
	static const int64_t pivots[] = {4, 10, 36, 146, 612};
	struct gpube_ctx *ctx = make_ctx();

	(void)state;
	for (int d = 2; gpube_nash_exact() && d <= 10; d += 2) {
		struct gpube_model *g = generate(ctx,
			(struct gpube_opts){.game = "cyclic-polytope", .rows = d, .columns = d});
		struct gpube_opts o = {.one = 1};
		struct gpube_nash_result *r;

		assert_int_equal(gpube_nash(&r, g, &o), GPUBE_OK);
		assert_int_equal(r->work, pivots[d / 2 - 1]);
		for (int i = 0; i < d; i++)
			assert_string_not_equal(r->xs[0].p[i], "0");
		gpube_result_free(r);
		o.one = 0;
		assert_int_equal(gpube_nash(&r, g, &o), GPUBE_OK);
		assert_int_equal(r->answer, GPUBE_NASH_ANSWER_ALL);
		assert_int_equal(r->n_pairs, 1);
		gpube_result_free(r);
		gpube_model_free(g);
	}
	gpube_ctx_free(ctx);
}

static void every_format(void **state)
{
	static const struct gpube_opts shapes[] = {{.rows = 3, .columns = 4},
		{.rows = 1, .columns = 5}, {.rows = 5, .columns = 1}, {.rows = 2, .columns = 2},
		{.rows = 3, .columns = 3, .game = "minimum-effort", .parameters = "-1/3,2.5,.75"}};
	struct gpube_ctx *ctx = make_ctx();
	char dir[256], path[300];

	(void)state;
	test_make_dir(dir);
	snprintf(path, sizeof(path), "%s/game.txt", dir);
	for (size_t s = 0; s < sizeof(shapes) / sizeof(*shapes); s++)
		for (int f = GPUBE_FORMAT_NFG; f <= GPUBE_FORMAT_SIMPLE; f++) {
			struct gpube_model *g = generate(ctx, shapes[s]), *back;

			assert_int_equal(write_game(g, path, (enum gpube_format)f), GPUBE_OK);
			if (read_game(&back, ctx, path, GPUBE_FORMAT_AUTO))
				fail_msg("format %d: %s", f, gpube_error(ctx));
			assert_true(same_game(g, back));
			gpube_model_free(g);
			gpube_model_free(back);
		}
	test_clear_dir(dir);
	gpube_ctx_free(ctx);
}

/* What GAMUT's -int_payoffs does: reals, so many times as large, the nearest integers. */
static void rounded(void **state)
{
	static const struct {
		const char *parameters;
		int64_t times;
		int i, j;
		int64_t one, two; /* payoffs, by hand */
	} cells[] = {
		{"1/3,1,1/2", 10, 0, 0, 8, 8},
		{"1/3,1,1/2", 10, 1, 1, 13, 13},
		{"1/3,1,1/2", 10, 0, 1, 8, 3},
		{"1/3,1,1/2", 10000, 1, 0, 3333, 8333},
		{"-5/4,1,1", 2, 0, 0, -3, -3}, /* a tie, away from 0 */
		{"5/4,1,1", 2, 0, 0, 3, 3},
	};
	static const char *const kinds[] = {
		"random", "covariant", "zero-sum", "minimum-effort", "grab-the-dollar"};
	struct gpube_ctx *ctx = make_ctx();
	struct gpube_model *g;

	(void)state;
	for (size_t k = 0; k < sizeof(cells) / sizeof(*cells); k++) {
		g = generate(ctx, (struct gpube_opts){.game = "minimum-effort",
					  .rows = 2,
					  .columns = 2,
					  .parameters = cells[k].parameters,
					  .int_payoffs = cells[k].times});
		assert_true(pay(g, 0, cells[k].i, cells[k].j) == (double)cells[k].one);
		assert_true(pay(g, 1, cells[k].i, cells[k].j) == (double)cells[k].two);
		gpube_model_free(g);
	}
	for (size_t k = 0; k < sizeof(kinds) / sizeof(*kinds); k++) {
		int n_odd = 0; /* that no whole number times 10000 is */

		g = generate(ctx,
			(struct gpube_opts){
				.game = kinds[k], .rows = 5, .columns = 5, .int_payoffs = 10000});
		for (int c = 0; c < 25; c++) {
			assert_int_equal(payoff_of(g, 0, c).den, 1);
			n_odd += payoff_of(g, 0, c).num % 10000 != 0;
		}
		assert_true(n_odd > 15);
		gpube_model_free(g);
	}
	g = generate(
		ctx, (struct gpube_opts){
			     .game = "coordination", .rows = 2, .columns = 2, .int_payoffs = 7});
	assert_true(pay(g, 0, 0, 0) == 7 && pay(g, 1, 0, 1) == 0);
	gpube_model_free(g);
	g = generate(ctx,
		(struct gpube_opts){
			.game = "travelers-dilemma", .rows = 2, .columns = 2, .int_payoffs = 5});
	assert_true(pay(g, 0, 0, 0) == 10 && pay(g, 0, 0, 1) == 20 && pay(g, 1, 0, 1) == 0);
	gpube_model_free(g);
	assert_int_equal(gpube_nash_generate(&g, ctx,
				 &(struct gpube_opts){.game = "cyclic-polytope",
					 .rows = 16,
					 .columns = 16,
					 .int_payoffs = 1000000000}),
		GPUBE_ERANGE);
	gpube_ctx_free(ctx);
}

/* Options by name; without any, 20 actions of each player. */
static void named(void **state)
{
	static const char *const said[][2] = {{"game", "covariant"}, {"rows", "3"},
		{"covariance", "-0.5"}, {"range", "7"}, {"seed", "5"}};
	struct gpube_ctx *ctx = make_ctx();
	struct gpube_model *g, *same;
	struct gpube_opts *o;

	(void)state;
	assert_int_equal(gpube_nash_generate(&g, ctx, NULL), GPUBE_OK);
	same = generate(ctx, (struct gpube_opts){.rows = 20});
	assert_true(same_game(g, same));
	gpube_model_free(g);
	gpube_model_free(same);
	assert_int_equal(gpube_opts_new(&o, ctx), GPUBE_OK);
	for (size_t k = 0; k < sizeof(said) / sizeof(*said); k++)
		assert_int_equal(gpube_opts_set(o, said[k][0], said[k][1]), GPUBE_OK);
	assert_int_equal(gpube_nash_generate(&g, ctx, o), GPUBE_OK);
	gpube_opts_free(o);
	same = generate(ctx,
		(struct gpube_opts){
			.game = "covariant", .rows = 3, .covariance = -0.5, .range = 7, .seed = 5});
	assert_true(same_game(g, same));
	gpube_model_free(g);
	gpube_model_free(same);
	gpube_ctx_free(ctx);
}

static void refused(void **state)
{
	static const struct gpube_opts bad[] = {
		{.game = "nix", .rows = 2, .columns = 2},
		{.rows = 0, .columns = 2},
		{.rows = 2, .columns = 2, .parameters = "1"},
		{.game = "minimum-effort", .rows = 2, .columns = 2, .parameters = "1,2"},
		{.game = "minimum-effort", .rows = 2, .columns = 2, .parameters = "1,2,3,4"},
		{.game = "minimum-effort", .rows = 2, .columns = 2, .parameters = "1,x,3"},
		{.game = "minimum-effort", .rows = 2, .columns = 2, .parameters = "1,1e30,3"},
		{.game = "minimum-effort",
			.rows = 2,
			.columns = 2,
			.parameters = "1/7919,"
				      "1/999983,"
				      "1/999979"},
		{.game = "cyclic-polytope", .rows = 3, .columns = 3},
		{.game = "cyclic-polytope", .rows = 2, .columns = 4},
		{.game = "cyclic-polytope", .rows = 18, .columns = 18},
		{.rows = 2, .columns = 2, .int_payoffs = 10, .range = 10001},
	};
	struct gpube_ctx *ctx = make_ctx();

	(void)state;
	for (size_t k = 0; k < sizeof(bad) / sizeof(*bad); k++) {
		struct gpube_opts o = bad[k];
		struct gpube_model *g;

		assert_int_equal(gpube_nash_generate(&g, ctx, &o), GPUBE_EINVAL);
		assert_null(g);
	}
	gpube_ctx_free(ctx);
}

int main(void)
{
	struct CMUnitTest tests[N_CLASSES + 6] = {{0}};
	size_t n = 0;

	for (; n < N_CLASSES; n++) {
		const void *row = &classes[n];

		tests[n] = (struct CMUnitTest){.name = classes[n].name, .test_func = class_holds};
		memcpy(&tests[n].initial_state, &row, sizeof(row));
	}
	tests[n++] = (struct CMUnitTest)cmocka_unit_test(covariance);
	tests[n++] = (struct CMUnitTest)cmocka_unit_test(cyclic_polytopes);
	tests[n++] = (struct CMUnitTest)cmocka_unit_test(every_format);
	tests[n++] = (struct CMUnitTest)cmocka_unit_test(rounded);
	tests[n++] = (struct CMUnitTest)cmocka_unit_test(named);
	tests[n++] = (struct CMUnitTest)cmocka_unit_test(refused);
	return _cmocka_run_group_tests("gpube_nash_generate", tests, n, NULL, NULL);
}
