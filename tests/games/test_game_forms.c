/*
 * Random games of two to four players there and back: through every format, by way of models of
 * costs and of regrets, with names; payoffs are integers, decimals, fractions, and past 64 bits.
 */
#include "tests/support/test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "gpube/forms/model_as.h"
#include "gpube/options/options.h"
#include "nash/nash.h"
#include "tests/support/cases.h"
#include "tests/support/context.h"
#include "tests/games/made_games.h"
#include "tests/support/memory.h"
#include "tests/support/small_model.h"

enum { N_SEEDS = 320, MOST_PLAYERS = 4, MOST_PROFILES = 81 };
enum mode { SMALL, EDGES, DECIMALS, FRACTIONS, FAR_FRACTIONS, LONG, N_MODES };

static struct gpube_rng rng;

static int below(int n)
{
	return (int)gpube__rng_below(&rng, (uint64_t)n);
}

/* A payoff as a file says it. */
static void draw_payoff(char *text, size_t n, enum mode mode)
{
	static const char *const edges[] = {"127", "128", "-128", "-129", "32767", "2147483647",
		"9223372036854775806", "9223372036854775807", "-9223372036854775807"};

	switch (mode) {
	case EDGES:
		snprintf(text, n, "%s", edges[below(9)]);
		break;
	case DECIMALS:
		snprintf(text, n, "%d.%02d", below(9) - 4, below(100));
		break;
	case FRACTIONS:
		snprintf(text, n, "%d/%d", below(19) - 9, 1 + below(6));
		break;
	case FAR_FRACTIONS: /* whose common denominator passes 64 bits */
		snprintf(text, n, "%d/%d", below(19) - 9, 1000003 + 2 * below(40000));
		break;
	case LONG:
		if (below(2))
			snprintf(text, n, "-%d00000000000000000000000000000/7", 1 + below(9));
		else
			snprintf(text, n, "%d", below(9));
		break;
	default:
		snprintf(text, n, "%d", below(9) - 4);
	}
}

static void name_all(struct gpube_model *g, int32_t player, int32_t actions)
{
	static char labels[MOST_PLAYERS][16];
	const char *names[MOST_PLAYERS];

	for (int32_t a = 0; a < actions; a++) {
		snprintf(labels[a], sizeof(labels[a]), "p%d \"a%d\"", player, a);
		names[a] = labels[a];
	}
	assert_int_equal(gpube_model_name_values(g, player, names), 0);
}

static struct gpube_model *draw(enum mode mode)
{
	const int n = 2 + below(MOST_PLAYERS - 1);
	struct gpube_rational v[MOST_PROFILES];
	struct gpube_model *g;
	char name[16], text[64];
	int64_t profiles = 1;

	assert_int_equal(gpube_model_new(&g, ctx, GPUBE_GAME), 0);
	for (int32_t p = 0; p < n; p++) {
		const int32_t actions = 1 + below(3);

		snprintf(name, sizeof(name), "player %d", p);
		assert_int_equal(gpube_model_add_var(g, NULL, actions, below(2) ? name : NULL), 0);
		if (below(2))
			name_all(g, p, actions);
		profiles *= actions;
	}
	for (int32_t p = 0; p < n; p++) {
		for (int64_t k = 0; k < profiles; k++) {
			draw_payoff(text, sizeof(text), mode);
			assert_int_equal(gpube__rational_parse(ctx, &v[k], text, strlen(text)), 0);
		}
		assert_int_equal(gpube__add_payoffs(g, v), 0);
		for (int64_t k = 0; k < profiles; k++)
			gpube__free(ctx, v[k].text);
	}
	return g;
}

static bool same_text(const char *a, const char *b)
{
	return a && b ? strcmp(a, b) == 0 : a == b;
}

/* with: names that only models of costs give to players without any count, too */
static void check_names(const struct gpube_model *a, const struct gpube_model *b, bool with)
{
	for (int32_t p = 0; p < a->n_vars; p++) {
		if (a->vars[p].name || with)
			assert_true(same_text(a->vars[p].name, b->vars[p].name));
		for (int32_t k = 0; k < a->vars[p].domain; k++)
			assert_true(same_text(
				gpube_model_value_name(a, p, k), gpube_model_value_name(b, p, k)));
	}
}

/* ---- equilibria -------------------------------------------------------------------------- */

/* All extreme equilibria of two players, or the pure ones of more, as text; past 64 bits none. */
static char *equilibria(const struct gpube_model *g, bool pure_alone)
{
	const struct gpube_opts opts = {.nash_method = GPUBE_NASH_METHOD_EEE};
	size_t n = 0, room = 1 << 16;
	char *text = malloc(room);
	struct gpube_nash_result *r;
	struct gpube_nash_pure *pure;

	assert_non_null(text);
	*text = 0;
	if (!gpube_nash_pure(&pure, g)) {
		for (int64_t k = 0; k < pure->n * pure->n_players; k++)
			n += (size_t)snprintf(text + n, room - n, "%d ", pure->actions[k]);
		gpube_result_free(pure);
	}
	if (g->n_vars > 2 || pure_alone)
		return text;
	assert_int_equal(gpube_nash(&r, g, &opts), 0);
	assert_int_equal(r->answer, GPUBE_NASH_ANSWER_ALL);
	for (int64_t k = 0; k < r->n_pairs; k++)
		for (int32_t a = 0; a < g->vars[0].domain + g->vars[1].domain; a++)
			n += (size_t)snprintf(text + n, room - n, "%s ",
				a < g->vars[0].domain
					? r->xs[r->pairs[k].x].p[a]
					: r->ys[r->pairs[k].y].p[a - g->vars[0].domain]);
	gpube_result_free(r);
	return text;
}

static void check_equilibria(const struct gpube_model *a, const struct gpube_model *b)
{
	char *one = equilibria(a, !gpube_nash_exact()), *other = equilibria(b, !gpube_nash_exact());

	assert_string_equal(one, other);
	free(one);
	free(other);
}

/* ---- there and back ---------------------------------------------------------------------- */

static void through_file(const struct gpube_model *g, enum gpube_format format)
{
	const bool two = format == GPUBE_FORMAT_LRS || format == GPUBE_FORMAT_TWO_PLAYER;
	struct gpube_model *back;

	if (two && g->n_vars > 2) {
		assert_int_equal(write_game(g, in_dir("g"), format), GPUBE_EINVAL);
		return;
	}
	if (write_game(g, in_dir("g"), format) ||
		read_game(&back, ctx, in_dir("g"), GPUBE_FORMAT_AUTO))
		fail_msg("format %d: %s", (int)format, gpube_error(ctx));
	assert_true(same_game(g, back));
	if (format == GPUBE_FORMAT_NFG)
		check_names(g, back, false);
	check_equilibria(g, back);
	gpube_model_free(back);
}

static int64_t n_allowed(const struct gpube_model *m, bool free_ones)
{
	int32_t values[MOST_PLAYERS] = {0};
	int64_t n = 0, cost;

	for (;;) {
		int32_t p = m->n_vars - 1;

		assert_int_equal(gpube_model_cost(&cost, m, values), 0);
		n += free_ones ? cost == 0 : cost != GPUBE_INF;
		while (p >= 0 && ++values[p] == m->vars[p].domain)
			values[p--] = 0;
		if (p < 0)
			return n;
	}
}

static bool has_texts(const struct gpube_model *g)
{
	for (int32_t p = 0; p < g->n_vars; p++)
		for (int64_t k = 0; k < gpube__profiles(g); k++)
			if (payoff_of(g, p, k).text)
				return true;
	return false;
}

/* The model of best responses is a game with the same pure equilibria, if not all are best. */
static void through_responses(const struct gpube_model *g, const struct gpube_model *m,
	const struct gpube_nash_pure *pure)
{
	struct gpube_nash_pure *again;
	struct gpube_model *back;

	assert_int_equal(gpube__game_of_costs(&back, m), 0);
	check_names(m, back, true);
	assert_int_equal(gpube_nash_pure(&again, back), 0);
	assert_int_equal(again->n, pure->n);
	assert_memory_equal(again->actions, pure->actions,
		(size_t)(pure->n * g->n_vars) * sizeof(*pure->actions));
	gpube_result_free(again);
	gpube_model_free(back);
}

/* The model of regrets is a game with the same equilibria. */
static void through_costs(const struct gpube_model *g)
{
	struct gpube_model *m, *back;
	struct gpube_nash_pure *pure;

	if (has_texts(g)) {
		assert_int_equal(gpube__costs_of_game(&m, g, 0), GPUBE_ERANGE);
		assert_int_equal(gpube_nash_pure(&pure, g), GPUBE_ERANGE);
		return;
	}
	assert_int_equal(gpube_nash_pure(&pure, g), 0);
	assert_int_equal(gpube__costs_of_game(&m, g, 0), 0);
	assert_int_equal(n_allowed(m, false), pure->n);
	check_names(g, m, false);
	through_responses(g, m, pure);
	gpube_model_free(m);
	if (gpube__costs_of_game(&m, g, 1) == 0) {
		assert_int_equal(n_allowed(m, true), pure->n);
		assert_int_equal(gpube__game_of_costs(&back, m), 0);
		check_names(m, back, true);
		check_equilibria(g, back);
		gpube_model_free(back);
		gpube_model_free(m);
	} else { /* a common denominator, or a difference, past 64 bits */
		assert_non_null(
			strstr(gpube_error(ctx), "64 bits") ?: strstr(gpube_error(ctx), "2^61"));
	}
	gpube_result_free(pure);
}

/* Integers as costs that are maximised, over scopes of any order, are that game. */
static void through_maximum(const struct gpube_model *g)
{
	int32_t scope[MOST_PLAYERS], n = g->n_vars;
	struct gpube_model *m, *back;
	int64_t costs[MOST_PROFILES];

	assert_int_equal(gpube_model_new(&m, ctx, GPUBE_COSTS), 0);
	assert_int_equal(gpube_model_set_direction(m, GPUBE_MAXIMISE), 0);
	for (int32_t p = 0; p < n; p++)
		assert_int_equal(gpube_model_add_var(m, NULL, g->vars[p].domain, NULL), 0);
	for (int32_t p = 0; p < n; p++) {
		const int turn = below(n);

		for (int32_t k = 0; k < n; k++)
			scope[k] = (k + turn) % n;
		for (int64_t k = 0; k < gpube__profiles(g); k++) {
			int64_t cell = 0;

			for (int32_t i = 0; i < n; i++)
				cell = cell * g->vars[scope[i]].domain +
				       gpube__action_of(g, k, scope[i]);
			costs[cell] = payoff_of(g, p, k).num;
		}
		assert_int_equal(gpube_model_add_costs(m, n, scope, costs), 0);
	}
	assert_int_equal(gpube__game_of_costs(&back, m), 0);
	assert_true(same_game(g, back));
	gpube_model_free(back);
	gpube_model_free(m);
}

static void there_and_back(void **state)
{
	const uint64_t seed = (uint64_t)(uintptr_t)*state;
	const enum mode mode = (enum mode)(seed % N_MODES);
	struct gpube_model *g;

	gpube__rng_init(&rng, seed);
	g = draw(mode);
	for (int f = GPUBE_FORMAT_NFG; f <= GPUBE_FORMAT_SIMPLE; f++)
		through_file(g, (enum gpube_format)f);
	through_costs(g);
	if (mode == SMALL)
		through_maximum(g);
	gpube_model_free(g);
}

/* ---- how they are stored ----------------------------------------------------------------- */

static void storage(void **state)
{
	static const struct {
		const char *texts[2];
		enum gpube_type type;
		int64_t den;
	} rows[] = {
		{{"126", "-127"}, GPUBE_INT8, 1},
		{{"127", "0"}, GPUBE_INT16, 1}, /* which would mark what is forbidden */
		{{"9223372036854775806", "0"}, GPUBE_INT64, 1},
		{{"9223372036854775807", "0"}, GPUBE_RATIONAL, 1},
		{{"1.25", "1/3"}, GPUBE_RATIONAL, 12},
		{{"4611686018427387904", "1/4"}, GPUBE_RATIONAL, 0},
		{{"1/4294967311", "1/4294967357"}, GPUBE_RATIONAL, 0},
		{{"99999999999999999999", "1"}, GPUBE_RATIONAL, 0},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		struct gpube_table t = {.arity = 1, .n = 2, .den = 1};
		struct gpube_rational v[2];

		for (int k = 0; k < 2; k++)
			assert_int_equal(gpube__rational_parse(ctx, &v[k], rows[i].texts[k],
						 strlen(rows[i].texts[k])),
				0);
		assert_int_equal(gpube__rational_table(ctx, &t, v), 0);
		assert_int_equal(t.type, rows[i].type);
		assert_true(t.den == rows[i].den);
		for (int k = 0; k < 2; k++) {
			const struct gpube_rational w = gpube__table_rational(&t, k);

			assert_true(w.num == v[k].num && w.den == v[k].den);
			assert_true(same_text(w.text, v[k].text));
			gpube__free(ctx, v[k].text);
		}
		gpube__free(ctx, t.values);
	}
}

/* What is no payoff of a game, or is one too many. */
static void building(void **state)
{
	static const int64_t num[4] = {1, 2, 3, INT64_MIN}, den[4] = {1, 2, 3, 4};
	int64_t a = 0, b = 0;
	struct gpube_model *g;

	(void)state;
	assert_int_equal(gpube_model_new(&g, ctx, GPUBE_GAME), 0);
	assert_int_equal(gpube_model_add_payoffs(g, num, den), GPUBE_EINVAL);
	for (int p = 0; p < 2; p++)
		assert_int_equal(gpube_model_add_var(g, NULL, 2, NULL), 0);
	assert_int_equal(gpube_model_add_payoffs(g, num, den), 0);
	assert_int_equal(gpube_model_payoff(&a, &b, g, 0, (int32_t[]){1, 1}), GPUBE_EINVAL);
	assert_non_null(strstr(gpube_error(ctx), "player 2 has no payoffs"));
	assert_int_equal(gpube_model_add_payoffs(g, num, NULL), 0);
	assert_int_equal(gpube_model_add_payoffs(g, num, NULL), GPUBE_EINVAL);
	assert_int_equal(gpube_model_payoff(&a, &b, g, 0, (int32_t[]){1, 1}), 0);
	assert_true(a == INT64_MIN / 4 && b == 1);
	assert_int_equal(gpube_model_payoff(&a, &b, g, 1, (int32_t[]){1, 1}), 0);
	assert_true(a == INT64_MIN && b == 1);
	/* a player who comes too late */
	assert_int_equal(gpube_model_add_var(g, NULL, 2, NULL), 0);
	assert_int_equal(write_game(g, in_dir("x.nfg"), GPUBE_FORMAT_AUTO), GPUBE_EINVAL);
	gpube_model_free(g);
}

/* Fractions are no costs. */
static void no_costs(void **state)
{
	struct gpube_table t = {.arity = 1, .n = 2, .den = 1};
	const struct gpube_rational v[2] = {{1, 3, NULL}, {1, 2, NULL}};
	struct gpube_model *costs = new_model(2, 2);
	int32_t table;

	(void)state;
	assert_int_equal(gpube__rational_table(ctx, &t, v), 0);
	assert_int_equal(gpube__add_table(costs, &table, &t), 0);
	assert_int_equal(gpube__add_function(costs, SCOPE(0), table, NULL), GPUBE_EINVAL);
	assert_non_null(strstr(gpube_error(ctx), "gpube nash takes them"));
	gpube_model_free(costs);
}

/* A game is written as one, a model of costs as one; the texts name the way between them. */
static void other_kinds(void **state)
{
	struct gpube_model *g = draw(SMALL), *costs = new_model(2, 2);

	(void)state;
	assert_int_equal(write_game(g, in_dir("x.wcsp"), GPUBE_FORMAT_AUTO), GPUBE_EINVAL);
	assert_non_null(strstr(gpube_error(ctx), "is not of games: forms.h"));
	assert_int_equal(write_game(costs, in_dir("x.nfg"), GPUBE_FORMAT_AUTO), GPUBE_EINVAL);
	assert_non_null(strstr(gpube_error(ctx), "is not of models of costs: forms.h"));
	gpube_model_free(g);
	gpube_model_free(costs);
}

static int forms_scarcely(struct gpube_ctx *own, struct gpube_model *none, const void *path)
{
	struct gpube_model *g = NULL, *m = NULL, *back = NULL;
	int status = read_game(&g, own, path, GPUBE_FORMAT_AUTO);

	(void)none;
	if (!status)
		status = gpube__costs_of_game(&m, g, 1);
	if (!status)
		status = gpube__game_of_costs(&back, m);
	if (!status)
		status = write_game(back, in_dir("again.nfg"), GPUBE_FORMAT_AUTO);
	gpube_model_free(g);
	gpube_model_free(m);
	gpube_model_free(back);
	return status;
}

static void out_of_memory(void **state)
{
	char path[300];

	(void)state;
	snprintf(path, sizeof(path), "%s", in_dir("scarce.nfg"));
	for (uint64_t seed = 2; seed < 5; seed++) {
		struct gpube_model *g;

		gpube__rng_init(&rng, seed);
		g = draw((enum mode)(seed == 4 ? SMALL : seed));
		assert_int_equal(write_game(g, path, GPUBE_FORMAT_NFG), 0);
		gpube_model_free(g);
		assert_in_range(fail_each_allocation(forms_scarcely, NULL, path, 0), 30, 10000);
	}
}

int main(void)
{
	struct cases c = {0};

	add_numbers(&c, there_and_back, N_SEEDS, "there and back, seed");
	ADD_CASE(&c, storage);
	ADD_CASE(&c, building);
	ADD_CASE(&c, no_costs);
	ADD_CASE(&c, other_kinds);
	ADD_CASE(&c, out_of_memory);
	return run_cases(&c, "game_forms", ctx_dir_setup, ctx_dir_teardown);
}
