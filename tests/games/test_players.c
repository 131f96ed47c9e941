/*
 * Games of several players: both forms of .nfg and two outputs of GAMUT, their pure equilibria
 * beside those by definition, as a model, and where memory runs out.
 */
#include "tests/support/test.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "gpube/forms/model_as.h"
#include "nash/pure.h"
#include "tests/support/cases.h"
#include "tests/support/context.h"
#include "tests/support/files.h"
#include "tests/games/made_games.h"
#include "tests/support/memory.h"

enum { N_SEEDS = 40, MOST = 5, MOST_PROFILES = 243 };

static char folder[256], path[300];

struct drawn {
	int n, actions[MOST], n_profiles;
	/* in sixths, of profiles in the file's order: player 1's action is the fastest */
	int payoff[MOST_PROFILES][MOST];
};

static void draw(struct drawn *d, uint64_t seed)
{
	struct gpube_rng rng;

	gpube__rng_init(&rng, seed);
	d->n = 3 + (int)gpube__rng_below(&rng, MOST - 2);
	d->n_profiles = 1;
	for (int p = 0; p < d->n; p++) {
		d->actions[p] = 1 + (int)gpube__rng_below(&rng, 3);
		d->n_profiles *= d->actions[p];
	}
	for (int k = 0; k < d->n_profiles; k++)
		for (int p = 0; p < d->n; p++)
			d->payoff[k][p] = (int)gpube__rng_below(&rng, 9) - 4;
}

static void put_payoffs(FILE *f, const struct drawn *d, int k)
{
	for (int p = 0; p < d->n; p++)
		fprintf(f, p % 2 ? ", %d/6" : " %d/6", d->payoff[k][p]);
}

enum form { PAYOFFS, OUTCOMES, SIMPLE, GT, N_FORMS };

/* "[1 2 1] : [ a b c ]", counted from 0 or 1 */
static void put_simple(FILE *f, const struct drawn *d)
{
	fputs("# GAMUT\n", f);
	for (int k = 0; k < d->n_profiles; k++) {
		for (int p = 0, rest = k; p < d->n; rest /= d->actions[p++])
			fprintf(f, p ? " %d" : "[%d", rest % d->actions[p] + d->n_profiles % 2);
		fputs("] :\t[", f);
		for (int p = 0; p < d->n; p++)
			fprintf(f, " %d/6", d->payoff[k][p]);
		fputs(" ]\n", f);
	}
}

static void put_gt(FILE *f, const struct drawn *d)
{
	fprintf(f, "%d\n", d->n);
	for (int p = 0; p < d->n; p++)
		fprintf(f, " %d", d->actions[p]);
	for (int p = 0; p < d->n; p++)
		for (int k = 0; k < d->n_profiles; k++)
			fprintf(f, k ? " %d/6" : "\n%d/6", d->payoff[k][p]);
}

/*
 * As .nfg payoffs one after the other, or outcomes, those of the last profile first, and named
 * actions.
 */
static void put_game(const struct drawn *d, enum form form)
{
	const bool outcomes = form == OUTCOMES;
	FILE *f = fopen(path, "w");

	assert_non_null(f);
	if (form == SIMPLE || form == GT) {
		(form == SIMPLE ? put_simple : put_gt)(f, d);
		fclose(f);
		return;
	}
	fputs("NFG 1 R \"several\" {", f);
	for (int p = 0; p < d->n; p++)
		fprintf(f, " \"player %d\"", p);
	fputs(" }\n{", f);
	for (int p = 0; p < d->n; p++) {
		if (!outcomes)
			fprintf(f, " %d", d->actions[p]);
		for (int a = 0; outcomes && a < d->actions[p]; a++)
			fprintf(f, a ? " \"a%d\"" : " { \"a%d\"", a);
		fputs(outcomes ? " }" : "", f);
	}
	fputs(outcomes ? " }\n\"\"\n{\n" : " }\n\"\"\n", f);
	for (int k = d->n_profiles - 1; k >= 0 && outcomes; k--) {
		fputs("{ \"\"", f);
		put_payoffs(f, d, k);
		fputs(" }\n", f);
	}
	fputs(outcomes ? "}\n" : "", f);
	for (int k = 0; k < d->n_profiles; k++) {
		if (outcomes)
			fprintf(f, " %d", d->n_profiles - k);
		for (int p = 0; p < d->n && !outcomes; p++)
			fprintf(f, " %d/6", d->payoff[k][p]);
	}
	fclose(f);
}

static bool is_equilibrium(const struct drawn *d, int k)
{
	for (int p = 0, step = 1; p < d->n; step *= d->actions[p++]) {
		const int own = k / step % d->actions[p];

		for (int a = 0; a < d->actions[p]; a++)
			if (d->payoff[k + (a - own) * step][p] > d->payoff[k][p])
				return false;
	}
	return true;
}

static void check_model(
	const struct gpube_model *g, const struct drawn *d, const int32_t *values, int k)
{
	for (int regret = 0; regret < 2; regret++) {
		struct gpube_model *m;
		int64_t cost;

		assert_int_equal(gpube__costs_of_game(&m, g, regret), 0);
		assert_int_equal(gpube_model_n_vars(m), d->n);
		assert_int_equal(gpube_model_cost(&cost, m, values), 0);
		assert_true(is_equilibrium(d, k) ? cost == 0
			    : regret             ? cost > 0
						 : cost == GPUBE_INF);
		gpube_model_free(m);
	}
}

/* What is exported, of one profile. */
static void check_exported(
	const struct gpube_model *g, const struct drawn *d, const int32_t *values, int k)
{
	int64_t num = 0, den = 0;

	for (int p = 0; p < d->n; p++) {
		assert_int_equal(gpube_model_domain(g, p), d->actions[p]);
		assert_int_equal(gpube_model_payoff(&num, &den, g, p, values), 0);
		assert_true(num * 6 == d->payoff[k][p] * den);
	}
	assert_int_equal(gpube_model_n_vars(g), d->n);
	assert_int_equal(gpube_model_payoff(&num, &den, g, d->n, values), GPUBE_EINVAL);
}

static void random_game(void **state)
{
	const uint64_t seed = (uint64_t)(uintptr_t)*state;
	struct gpube_nash_pure *pure;
	struct drawn d;
	struct gpube_model *g;
	int64_t *found, n, n_seen = 0;

	draw(&d, seed);
	put_game(&d, (enum form)(seed % N_FORMS));
	assert_int_equal(read_game(&g, ctx, path, GPUBE_FORMAT_AUTO), 0);
	assert_int_equal(gpube_model_info(g)->kind, GPUBE_GAME);
	assert_int_equal(gpube_nash_pure(&pure, g), 0);
	assert_int_equal(pure->n_players, d.n);
	assert_int_equal(gpube__profiles(g), d.n_profiles);
	assert_int_equal(nash__pure_profiles(&found, &n, g), 0);
	for (int k = 0; k < d.n_profiles; k++) {
		int32_t values[MOST];
		int64_t at = 0;
		bool there = false;

		for (int p = 0, rest = k; p < d.n; rest /= d.actions[p++]) {
			values[p] = rest % d.actions[p];
			at += values[p] * gpube__profile_step(g, p);
		}
		check_exported(g, &d, values, k);
		for (int64_t i = 0; i < n; i++) {
			const bool same = memcmp(pure->actions + i * d.n, values,
						  (size_t)d.n * sizeof(*values)) == 0;

			assert_int_equal(same, found[i] == at);
			there = there || same;
		}
		assert_int_equal(there, is_equilibrium(&d, k));
		n_seen += there;
		check_model(g, &d, values, k);
	}
	assert_int_equal(n_seen, n);
	assert_int_equal(pure->n, n);
	for (int64_t i = 1; i < n; i++)
		assert_true(found[i - 1] < found[i]);
	gpube__free(ctx, found);
	gpube_result_free(pure);
	gpube_model_free(g);
}

/* A game of two players by gpube_nash_pure() as by gpube_nash(). */
static void two_players(void **state)
{
	const struct gpube_opts opts = {.pure = 1};
	struct gpube_nash_result *r;
	struct gpube_nash_pure *pure;
	struct gpube_model *g;

	(void)state;
	if (!gpube_nash_exact())
		skip();
	assert_int_equal(read_game(&g, ctx, "examples/effort.nfg", GPUBE_FORMAT_AUTO), 0);
	assert_int_equal(gpube_nash_pure(&pure, g), 0);
	assert_int_equal(gpube_nash(&r, g, &opts), 0);
	assert_int_equal(pure->n_players, 2);
	assert_int_equal(pure->n, 3);
	assert_int_equal(r->n_pairs, 3);
	for (int64_t k = 0; k < pure->n; k++) {
		bool there = false;

		for (int64_t i = 0; i < r->n_pairs; i++)
			there = there ||
				(!strcmp(r->xs[r->pairs[i].x].p[pure->actions[2 * k]], "1") &&
					!strcmp(r->ys[r->pairs[i].y].p[pure->actions[2 * k + 1]],
						"1"));
		assert_true(there);
	}
	gpube_result_free(pure);
	gpube_result_free(r);
	gpube_model_free(g);
}

static int read_and_search(struct gpube_ctx *own, struct gpube_model *none, const void *arg)
{
	struct gpube_model *m = NULL;
	struct gpube_model *g = NULL;
	struct gpube_nash_pure *pure = NULL;
	int status = read_game(&g, own, path, GPUBE_FORMAT_AUTO);

	(void)none;
	(void)arg;
	if (!status)
		status = gpube_nash_pure(&pure, g);
	if (!status)
		status = gpube__costs_of_game(&m, g, 1);
	gpube_model_free(m);
	gpube_result_free(pure);
	gpube_model_free(g);
	return status;
}

static void out_of_memory(void **state)
{
	struct drawn d;

	(void)state;
	draw(&d, 1);
	for (int form = 0; form < N_FORMS; form++) {
		put_game(&d, (enum form)form);
		assert_in_range(fail_each_allocation(read_and_search, NULL, NULL, 0), 15, 10000);
	}
}

/* What writes two players refuses more. */
static void two_are_needed(void **state)
{
	struct drawn d;
	struct gpube_model *g;

	(void)state;
	draw(&d, 2);
	put_game(&d, PAYOFFS);
	assert_int_equal(read_game(&g, ctx, path, GPUBE_FORMAT_AUTO), 0);
	assert_int_equal(write_game(g, path, GPUBE_FORMAT_LRS), GPUBE_EINVAL);
	assert_int_equal(write_game(g, path, GPUBE_FORMAT_TWO_PLAYER), GPUBE_EINVAL);
	gpube_model_free(g);
}

static int set_up(void **state)
{
	test_make_dir(folder);
	snprintf(path, sizeof(path), "%s/game", folder);
	return ctx_setup(state);
}

static int tear_down(void **state)
{
	test_clear_dir(folder);
	return ctx_teardown(state);
}

int main(void)
{
	struct cases c = {0};

	add_numbers(&c, random_game, N_SEEDS, "several players, seed");
	ADD_CASE(&c, two_players);
	ADD_CASE(&c, out_of_memory);
	ADD_CASE(&c, two_are_needed);
	return run_cases(&c, "players", set_up, tear_down);
}
