/*
 * nfg.c - Gambit's .nfg, payoff and outcome version.
 *
 * NFG 1 R "title" { "player" "player" } { 2 3 } or { { "label" … } { … } }
 * "comment", then the payoffs A11 B11 A21 B21 …, player 1's action fastest, or
 * the outcomes { { "name" 1, 2 } … } and their numbers, 0 for no payoffs at all.
 */
#include "formats/games/game_reader.h"

#include <string.h>

static int read_player(struct gpube_model *m, struct gpube_in *in, const char *name)
{
	struct gpube_labels labels = {0};
	int32_t actions;
	int status;

	if (gpube__scan_peek(in) != '{') {
		status = gpube__scan_int(in, &actions, 1, "a number of actions");
		return status ? status : gpube__add_player(m, actions, name, NULL);
	}
	/* the number of actions is how many labels there are */
	status = gpube__labels_read(&labels, in, "'{' and a player's actions",
		"the name of an action", "'}' after a player's actions");
	if (!status && labels.n == 0)
		status = gpube__in_error(in, "player %d has no action", m->n_vars + 1);
	if (!status)
		return gpube__add_player(m, (int32_t)labels.n, name, labels.v);
	gpube__labels_clear(&labels, in->ctx);
	return status;
}

static int read_players(struct gpube_model *m, struct gpube_in *in)
{
	struct gpube_labels names = {0};
	int status = gpube__labels_read(&names, in, "'{' and the players' names", "a player's name",
		"'}' after the players' names");

	if (!status)
		status = gpube__check_players(in, names.n);
	if (!status)
		status = gpube__scan_char(in, '{', "'{' and the players' actions");
	for (int64_t p = 0; p < names.n && !status; p++)
		status = read_player(m, in, names.v[p]);
	if (!status)
		status = gpube__scan_char(in, '}',
			names.n == 2 ? "'}' after the actions of the two players"
				     : "'}' after the actions of all players");
	gpube__labels_clear(&names, in->ctx);
	return status;
}

/* ---- payoffs ---------------------------------------------------------------- */

/*
 * As many numbers as players, commas in front of or behind them allowed, that an outcome consists
 * of.
 */
static int read_outcome(struct gpube_in *in, struct gpube_pile *pile, int32_t players)
{
	int status = gpube__scan_char(in, '{', "'{' and an outcome");

	if (!status && gpube__scan_peek(in) == '"')
		status = gpube__scan_string(in, NULL, "the name of an outcome");
	for (int32_t p = 0; p < players && !status; p++) {
		if (gpube__scan_peek(in) == ',')
			in->p++;
		status = gpube__pile_number(in, pile, "a payoff of the outcome");
	}
	return status ? status
		      : gpube__scan_char(in, '}',
				players == 2 ? "'}' after the outcome's two payoffs"
					     : "'}' after the outcome's payoffs");
}

/* The cells name outcomes by their position, from 1. */
static int place_outcomes(struct gpube_in *in, struct gpube_pile *pile,
	const struct gpube_pile *outcomes, int32_t players, int64_t payoffs)
{
	static const struct gpube_rational zero = {0, 1, NULL};

	for (int64_t k = 0; k < payoffs; k += players) {
		int32_t outcome;
		int status = gpube__scan_int(in, &outcome, 0, "the number of an outcome");

		if (status)
			return status;
		if (outcome && (!outcomes->v || outcome > outcomes->n / players))
			return gpube__in_error(in, "outcome %d of %lld", outcome,
				(long long)outcomes->n / players);
		/* two bytes of a file say what many players get */
		if (gpube__in_charge(in, players, 2 * (int64_t)sizeof(zero),
			    "payoffs of %lld profiles", (long long)payoffs / players))
			return in->status;
		for (int32_t p = 0; p < players; p++) {
			const struct gpube_rational *v =
				outcome ? &outcomes->v[(int64_t)players * (outcome - 1) + p]
					: &zero;

			if (gpube__pile_push(in->ctx, pile, v))
				return GPUBE_ENOMEM;
		}
	}
	return GPUBE_OK;
}

static int read_outcomes(
	struct gpube_in *in, struct gpube_pile *pile, int32_t players, int64_t payoffs)
{
	struct gpube_pile outcomes = {0};
	int status = gpube__scan_char(in, '{', "'{' and the outcomes");

	while (!status && gpube__scan_peek(in) != '}')
		status = read_outcome(in, &outcomes, players);
	if (!status)
		status = gpube__scan_char(in, '}', "'}' after the outcomes");
	if (!status)
		status = place_outcomes(in, pile, &outcomes, players, payoffs);
	gpube__pile_clear(in->ctx, &outcomes);
	return status;
}

static int read_body(struct gpube_in *in, struct gpube_pile *pile, int32_t players, int64_t payoffs)
{
	int status = GPUBE_OK;

	if (gpube__scan_peek(in) == '"')
		status = gpube__scan_string(in, NULL, "the comment");
	if (status)
		return status;
	if (gpube__scan_peek(in) == '{')
		return read_outcomes(in, pile, players, payoffs);
	for (int64_t k = 0; k < payoffs && !status; k++)
		status = gpube__pile_number(in, pile, "a payoff");
	return status;
}

int gpube__nfg_read(struct gpube_model *m, struct gpube_in *in)
{
	struct gpube_pile pile = {0};
	int64_t payoffs = 0;
	int status = gpube__scan_head(in, "NFG", "the version, 1", &m->name);

	if (!status)
		status = read_players(m, in);
	if (!status)
		payoffs = gpube__count_payoffs(m, in);
	if (payoffs < 0)
		status = in->status;
	if (!status)
		status = read_body(in, &pile, m->n_vars, payoffs);
	if (!status)
		status = gpube__settle_payoffs(m, &pile, false, false);
	gpube__pile_clear(in->ctx, &pile);
	return status;
}
