/*
 * Mixed equilibria of several players: known games, random ones whose indices add up and that are
 * equilibria by definition, games of two players beside gpube_nash(), degenerate ones, threads,
 * stops and memory.
 */
#include "tests/support/test.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "gpube/base/base.h"
#include "nash/players/players.h"
#include "tests/games/made_games.h"
#include "tests/support/cases.h"
#include "tests/support/context.h"
#include "tests/support/memory.h"

enum { N_SEEDS = 30, MOST_ACTIONS = 24 };

/* Payoffs of player 1, of player 2, ...: the last player's action is the fastest. */
static struct gpube_model *game_of(
	struct gpube_ctx *own, int n, const int *actions, const int64_t *payoffs)
{
	struct gpube_model *g;
	int64_t profiles = 1;

	assert_int_equal(gpube_model_new(&g, own, GPUBE_GAME), 0);
	for (int p = 0; p < n; p++) {
		assert_int_equal(gpube_model_add_var(g, NULL, actions[p], NULL), 0);
		profiles *= actions[p];
	}
	for (int p = 0; p < n; p++)
		assert_int_equal(gpube_model_add_payoffs(g, payoffs + p * profiles, NULL), 0);
	return g;
}

static struct gpube_model *random_game(
	struct gpube_ctx *own, int n, const int *actions, int range, uint64_t seed)
{
	int64_t payoffs[4096];
	struct gpube_rng rng;
	int64_t all = n;

	for (int p = 0; p < n; p++)
		all *= actions[p];
	assert_in_range(all, 1, 4096);
	gpube__rng_init(&rng, seed);
	for (int64_t k = 0; k < all; k++)
		payoffs[k] = (int64_t)gpube__rng_below(&rng, (uint64_t)range) - range / 2;
	return game_of(own, n, actions, payoffs);
}

static struct gpube_nash_result *solved(const struct gpube_model *g, struct gpube_opts o)
{
	struct gpube_nash_result *r;

	o.digits = o.digits ? o.digits : 12;
	if (gpube_nash(&r, g, &o))
		fail_msg("%s", gpube_error(g->ctx));
	return r;
}

/* What a player gets by one action, in doubles, of probabilities of all. */
static double payoff(const struct gpube_model *g, int32_t p, int32_t action, const double *x)
{
	double sum = 0;

	for (int64_t k = 0; k < gpube__profiles(g); k++) {
		const struct gpube_rational v = payoff_of(g, p, k);
		double product = gpube__action_of(g, k, p) == action;

		for (int32_t q = 0, first = 0; q < g->n_vars; first += g->vars[q++].domain)
			if (q != p)
				product *= x[first + gpube__action_of(g, k, q)];
		sum += product * (double)v.num / (double)v.den;
	}
	return sum;
}

static double number(const char *text)
{
	const char *slash = strchr(text, '/');

	return strtod(text, NULL) / (slash ? strtod(slash + 1, NULL) : 1);
}

/* By definition, as near as its decimals are. */
static void check_equilibrium(const struct gpube_model *g, const struct gpube_nash_profile *e)
{
	double x[MOST_ACTIONS];
	int32_t total = 0, at = 0;

	for (int32_t p = 0; p < g->n_vars; p++)
		total += g->vars[p].domain;
	for (int32_t k = 0; k < total; k++) {
		x[k] = (number(e->lo[k]) + number(e->hi[k])) / 2;
		assert_true(fabs(number(e->lo[k]) - number(e->hi[k])) < 2.1e-12);
	}
	for (int32_t p = 0; p < g->n_vars; p++) {
		const double value = number(e->lo[total + p]);
		double sum = 0;

		for (int32_t a = 0; a < g->vars[p].domain; a++, at++) {
			const double u = payoff(g, p, a, x);

			assert_true(u < value + 1e-5);
			if (strcmp(e->hi[at], "0") != 0)
				assert_true(u > value - 1e-5);
			sum += x[at];
		}
		assert_true(fabs(sum - 1) < 1e-11);
	}
}

/* One alone is one of all. */
static void check_one(const struct gpube_model *g, const struct gpube_nash_result *all)
{
	struct gpube_nash_result *r = solved(g, (struct gpube_opts){.one = 1});
	bool there = false;
	int32_t total = g->n_vars;

	for (int32_t p = 0; p < g->n_vars; p++)
		total += g->vars[p].domain;
	assert_int_equal(r->n_profiles, 1);
	assert_int_equal(r->answer, GPUBE_NASH_ANSWER_SOME);
	for (int64_t k = 0; k < all->n_profiles; k++) {
		bool same = true;

		/* decimals may be rounded otherwise */
		for (int32_t i = 0; i < total && same; i++)
			same = fabs(number(r->profiles[0].lo[i]) - number(all->profiles[k].lo[i])) <
			       1e-10 * (1 + fabs(number(r->profiles[0].lo[i])));
		there = there || same;
	}
	assert_true(there);
	gpube_result_free(r);
}

/* A game whose regions are too many: one equilibrium is found at once all the same. */
static void one_of_many(void **state)
{
	static const int actions[] = {8, 8, 8};

	(void)state;
	for (uint64_t seed = 0; seed < 5; seed++) {
		struct gpube_model *g = random_game(ctx, 3, actions, 1000, seed);
		struct gpube_nash_result *r = solved(g, (struct gpube_opts){.one = 1});

		assert_int_equal(r->n_profiles, 1);
		check_equilibrium(g, &r->profiles[0]);
		gpube_result_free(r);
		gpube_model_free(g);
	}
}

static void random_players(void **state)
{
	const uint64_t seed = (uint64_t)(uintptr_t)*state;
	struct gpube_nash_result *r;
	struct gpube_model *g;
	struct gpube_rng rng;
	int actions[5], n;

	gpube__rng_init(&rng, seed + 100);
	n = 3 + (int)gpube__rng_below(&rng, 3);
	for (int p = 0; p < n; p++)
		actions[p] = 1 + (int)gpube__rng_below(&rng, n == 3 ? 4 : n == 4 ? 3 : 2);
	g = random_game(ctx, n, actions, 100000, seed);
	r = solved(g, (struct gpube_opts){0});
	assert_int_equal(r->answer, GPUBE_NASH_ANSWER_ALL);
	assert_int_equal(r->degenerate, 0);
	assert_int_equal(r->index_sum, 1);
	assert_int_equal(r->n_profiles % 2, 1);
	for (int64_t k = 0; k < r->n_profiles; k++)
		check_equilibrium(g, &r->profiles[k]);
	check_one(g, r);
	gpube_result_free(r);
	gpube_model_free(g);
}

static void same_texts(
	const struct gpube_nash_result *a, const struct gpube_nash_result *b, int32_t n)
{
	assert_int_equal(a->n_profiles, b->n_profiles);
	assert_int_equal(a->n_open, b->n_open);
	assert_int_equal(a->work, b->work);
	for (int64_t k = 0; k < a->n_profiles; k++)
		for (int32_t i = 0; i < n; i++) {
			assert_string_equal(a->profiles[k].lo[i], b->profiles[k].lo[i]);
			assert_string_equal(a->profiles[k].hi[i], b->profiles[k].hi[i]);
		}
	for (int64_t k = 0; k < a->n_open; k++)
		assert_string_equal(a->open[k].states, b->open[k].states);
}

/* Dominated actions or not, on one thread or three: the same. */
static void all_ways(void **state)
{
	static const int all[][3] = {{3, 3, 3}, {3, 2, 2}};
	const struct gpube_opts few = {.n_threads = 1}, more = {.n_threads = 3};
	struct gpube_ctx *one, *three;

	(void)state;
	assert_int_equal(gpube_ctx_new(&one, &few), 0);
	assert_int_equal(gpube_ctx_new(&three, &more), 0);
	for (uint64_t seed = 0; seed < 6; seed++) {
		/* payoffs of two values: degenerate */
		const int range = seed < 4 ? 1000 : 2, *actions = all[seed >= 4];
		const int n = seed < 4 ? 12 : 10;
		struct gpube_model *g = random_game(one, 3, actions, range, seed);
		struct gpube_model *h = random_game(three, 3, actions, range, seed);
		struct gpube_nash_result *a = solved(g, (struct gpube_opts){0});
		struct gpube_nash_result *b = solved(h, (struct gpube_opts){0});
		struct gpube_nash_result *c = solved(g, (struct gpube_opts){.keep_dominated = 1});

		same_texts(a, b, n);
		if (seed < 4) {
			c->work = a->work;
			same_texts(a, c, n);
		} else {
			assert_int_equal(a->answer, GPUBE_NASH_ANSWER_INCOMPLETE);
			assert_true(a->n_open > 0 && a->n_open_supports >= (double)a->n_open);
		}
		gpube_result_free(a);
		gpube_result_free(b);
		gpube_result_free(c);
		gpube_model_free(g);
		gpube_model_free(h);
	}
	gpube_ctx_free(one);
	gpube_ctx_free(three);
}

/* McKelvey and McLennan, The maximal number of regular totally mixed equilibria, 1997: nine. */
static void nine(void **state)
{
	static const int two[] = {2, 2, 2};
	static const int64_t payoffs[] = {
		9, 0, 0, 3, 0, 3, 9, 0, 8, 0, 0, 4, 0, 4, 8, 0, 12, 0, 0, 6, 0, 6, 2, 0};
	static const char *const last[] = {
		"2/5", "3/5", "1/2", "1/2", "1/3", "2/3", "5/2", "8/3", "3"};
	struct gpube_model *g = game_of(ctx, 3, two, payoffs);
	struct gpube_nash_result *r = solved(g, (struct gpube_opts){0});

	(void)state;
	assert_int_equal(r->answer, GPUBE_NASH_ANSWER_ALL);
	assert_int_equal(r->n_profiles, 9);
	assert_int_equal(r->index_sum, 1);
	assert_true(r->n_supports == 27 && r->n_open_supports == 0);
	for (int k = 0; k < 9; k++) {
		check_equilibrium(g, &r->profiles[k]);
		assert_string_equal(r->profiles[8].lo[k], last[k]);
		assert_ptr_equal(r->profiles[8].lo[k], r->profiles[8].hi[k]);
	}
	gpube_result_free(r);
	r = solved(g, (struct gpube_opts){.max = 2});
	assert_int_equal(r->answer, GPUBE_NASH_ANSWER_SOME);
	assert_int_equal(r->n_profiles, 2);
	gpube_result_free(r);
	gpube_model_free(g);
}

/*
 * Each gets 2 by the first action if both others play the second, and 1 by the second unless they
 * do. All play the first with probability x: 2 (1 - x)^2 = 1 - (1 - x)^2, x = 1 - 1/sqrt(3).
 */
static void irrational(void **state)
{
	static const int two[] = {2, 2, 2};
	int64_t payoffs[24];
	struct gpube_nash_result *r;
	struct gpube_model *g;
	bool there = false;

	(void)state;
	for (int p = 0; p < 3; p++)
		for (int k = 0; k < 8; k++) {
			const int own = k >> (2 - p) & 1;
			const int others = (k | 1 << (2 - p)) == 7;

			payoffs[8 * p + k] = own == 0 ? 2 * others : !others;
		}
	g = game_of(ctx, 3, two, payoffs);
	r = solved(g, (struct gpube_opts){.digits = 50});
	for (int64_t k = 0; k < r->n_profiles; k++)
		there = there ||
			(!strcmp(r->profiles[k].lo[0],
				 "0.42264973081037423549085121949804254435239824872987") &&
				!strcmp(r->profiles[k].hi[0],
					"0.42264973081037423549085121949804254435239824872988"));
	assert_true(there);
	gpube_result_free(r);
	gpube_model_free(g);
}

/* Games of two players by regions, as by methods of two. */
static void two_players(void **state)
{
	(void)state;
	for (uint64_t seed = 0; seed < 25; seed++) {
		const int actions[] = {2 + (int)(seed % 4), 2 + (int)(seed / 5)};
		struct gpube_model *g = random_game(ctx, 2, actions, 1000, seed);
		struct gpube_nash_result *r = solved(g, (struct gpube_opts){0});
		struct nash_many s = {.digits = 12};
		struct nash_players p;

		assert_int_equal(nash__players_init(&p, g, seed % 2), 0);
		s.p = &p;
		assert_int_equal(nash__many_run(&s), 0);
		assert_int_equal(r->degenerate, 0);
		assert_int_equal(s.n_open, 0);
		assert_int_equal(s.n_equilibria, r->n_pairs);
		for (int64_t k = 0; k < s.n_roots; k++)
			assert_true(s.roots[k].exact != NULL || s.roots[k].verdict == NASH_IS_NONE);
		nash__many_clear(&s);
		nash__players_clear(&p);
		gpube_result_free(r);
		gpube_model_free(g);
	}
}

/* Nobody minds: the pure ones are equilibria with ties, all else is open. */
static void indifferent(void **state)
{
	static const int two[] = {2, 2, 2};
	const int64_t payoffs[24] = {0};
	struct gpube_model *g = game_of(ctx, 3, two, payoffs);
	struct gpube_nash_result *r = solved(g, (struct gpube_opts){0});

	(void)state;
	assert_int_equal(r->answer, GPUBE_NASH_ANSWER_INCOMPLETE);
	assert_int_equal(r->n_profiles, 8);
	assert_true(r->n_supports == 27 && r->n_open_supports == 19);
	for (int64_t k = 0; k < 8; k++)
		assert_true(r->profiles[k].tie && r->profiles[k].index == 0);
	gpube_result_free(r);
	gpube_model_free(g);
}

/* Stopped before it began: all supports are open. */
static void stopped(void **state)
{
	static const int actions[] = {3, 4, 3};
	struct gpube_model *g = random_game(ctx, 3, actions, 1000, 7);
	struct gpube_nash_result *r =
		solved(g, (struct gpube_opts){.timeout_seconds = 1e-9, .keep_dominated = 1});

	(void)state;
	assert_int_equal(r->answer, GPUBE_NASH_ANSWER_INCOMPLETE);
	assert_string_equal(r->reason, "out of time");
	assert_true(r->n_open_supports == 7 * 15 * 7);
	gpube_result_free(r);
	gpube_model_free(g);
}

static struct gpube_model *small_game(struct gpube_ctx *own, const void *arg)
{
	const int actions[] = {2, 3, 2};

	(void)arg;
	return random_game(own, 3, actions, 1000, 2);
}

static int search(struct gpube_ctx *own, struct gpube_model *g, const void *arg)
{
	struct gpube_nash_result *r = NULL;
	const int status = gpube_nash(&r, g, arg);

	(void)own;
	gpube_result_free(r);
	return status;
}

static void out_of_memory(void **state)
{
	const struct gpube_opts all = {.digits = 12}, pure = {.digits = 12, .pure = 1};
	const struct gpube_opts one = {.digits = 12, .one = 1};
	const struct gpube_opts proved = {.digits = 12, .certificate = "/dev/null"};

	(void)state;
	assert_in_range(fail_each_allocation(search, small_game, &all, 0), 30, 10000);
	assert_in_range(fail_each_allocation(search, small_game, &pure, 0), 5, 10000);
	assert_in_range(fail_each_allocation(search, small_game, &one, 0), 30, 10000);
	assert_in_range(fail_each_allocation(search, small_game, &proved, 0), 30, 10000);
}

/* Options of two players, and games that are too large. */
static void refused(void **state)
{
	const struct gpube_opts wrong[] = {{.all_labels = 1, .one = 1},
		{.nash_method = GPUBE_NASH_METHOD_EEE}, {.backend = GPUBE_BACKEND_CUDA}};
	const int actions[] = {2, 3, 2}, large[] = {60, 2, 2};
	struct gpube_model *g = random_game(ctx, 3, actions, 1000, 2);
	struct gpube_nash_result *r;

	(void)state;
	for (size_t k = 0; k < sizeof(wrong) / sizeof(wrong[0]); k++) {
		assert_int_equal(gpube_nash(&r, g, &wrong[k]), GPUBE_EINVAL);
		assert_null(r);
	}
	gpube_model_free(g);
	g = random_game(ctx, 3, large, 10, 2);
	assert_int_equal(
		gpube_nash(&r, g, &(struct gpube_opts){.keep_dominated = 1}), GPUBE_ERANGE);
	gpube_model_free(g);
}

int main(void)
{
	struct cases c = {0};

	if (gpube_nash_exact()) {
		add_numbers(&c, random_players, N_SEEDS, "several players, seed");
		ADD_CASE(&c, all_ways);
		ADD_CASE(&c, nine);
		ADD_CASE(&c, irrational);
		ADD_CASE(&c, one_of_many);
		ADD_CASE(&c, two_players);
		ADD_CASE(&c, indifferent);
		ADD_CASE(&c, stopped);
		ADD_CASE(&c, out_of_memory);
		ADD_CASE(&c, refused);
	}
	return run_cases(&c, "many", ctx_setup, ctx_teardown);
}
