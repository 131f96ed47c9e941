/*
 * read_nfg.c - Gambit's .nfg, payoff and outcome version.
 *
 * NFG 1 R "title" { "player" "player" } { 2 3 } or { { "label" … } { … } }
 * "comment", then the payoffs A11 B11 A21 B21 …, player 1's action fastest, or
 * the outcomes { { "name" 1, 2 } … } and their numbers, 0 for no payoffs at all.
 */
#include <string.h>

#include "nash/players.h"

static int read_head(struct nash_game *g, struct gpube_in *in)
{
	char token[256];

	if (gpube__in_token(in, token, "NFG"))
		return in->status;
	if (strcmp(token, "NFG") != 0)
		return gpube__in_refuse(in, "NFG");
	if (gpube__in_token(in, token, "the version, 1"))
		return in->status;
	if (strcmp(token, "1") != 0)
		return gpube__in_refuse(in, "the version, 1");
	if (gpube__in_token(in, token, "the kind of numbers, R or D"))
		return in->status;
	if (strcmp(token, "R") != 0 && strcmp(token, "D") != 0)
		return gpube__in_refuse(in, "the kind of numbers, R or D");
	return nash__scan_string(in, &g->title, "the title");
}

/* The names tell how many players there are. */
static int read_players(struct nash_players **out, struct gpube_in *in)
{
	char **names = NULL;
	int64_t capacity = 0, n = 0;
	int status = nash__scan_char(in, '{', "'{' and the players' names");

	while (!status && nash__scan_peek(in) != '}') {
		status = gpube__grow(in->ctx, &names, &capacity, n + 1, sizeof(*names));
		if (!status)
			status = nash__scan_string(in, &names[n], "a player's name");
		n += !status;
	}
	if (!status)
		status = nash__players_begin(out, in, n);
	for (int64_t p = 0; p < n; p++)
		if (status)
			gpube__free(in->ctx, names[p]);
		else
			(*out)->name[p] = names[p];
	gpube__free(in->ctx, names);
	return status ? status : nash__scan_char(in, '}', "'}' after the players' names");
}

/* The labels of one player: the number of actions is how many there are. */
static int read_labels(struct nash_players *g, struct gpube_in *in, int32_t p)
{
	int64_t capacity = 0;
	int status = nash__scan_char(in, '{', "'{' and a player's actions");

	while (!status && nash__scan_peek(in) != '}') {
		char *label;

		status = nash__scan_string(in, &label, "the name of an action");
		if (status)
			break;
		if (g->actions[p] == INT32_MAX ||
			gpube__grow(in->ctx, &g->labels[p], &capacity, (int64_t)g->actions[p] + 1,
				sizeof(char *))) {
			gpube__free(in->ctx, label);
			return GPUBE_ENOMEM;
		}
		g->labels[p][g->actions[p]++] = label;
	}
	if (!status && g->actions[p] == 0)
		return gpube__in_error(in, "player %d has no action", p + 1);
	return status ? status : nash__scan_char(in, '}', "'}' after a player's actions");
}

static int read_actions(struct nash_players *g, struct gpube_in *in)
{
	int status = nash__scan_char(in, '{', "'{' and the players' actions");

	for (int32_t p = 0; p < g->n && !status; p++) {
		if (nash__scan_peek(in) == '{')
			status = read_labels(g, in, p);
		else
			status = nash__scan_int(in, &g->actions[p], 1, "a number of actions");
	}
	if (status)
		return status;
	return nash__scan_char(in, '}',
		g->n == 2 ? "'}' after the actions of the two players"
			  : "'}' after the actions of all players");
}

/* ---- payoffs ---------------------------------------------------------------- */

/*
 * As many numbers as players, commas in front of or behind them allowed, that an outcome consists
 * of.
 */
static int read_outcome(struct gpube_in *in, struct nash_pile *pile, int32_t players)
{
	int status = nash__scan_char(in, '{', "'{' and an outcome");
	char *name;

	if (!status && nash__scan_peek(in) == '"') {
		status = nash__scan_string(in, &name, "the name of an outcome");
		if (!status)
			gpube__free(in->ctx, name);
	}
	for (int32_t p = 0; p < players && !status; p++) {
		if (nash__scan_peek(in) == ',')
			in->p++;
		status = nash__pile_number(in, pile, "a payoff of the outcome");
	}
	return status ? status
		      : nash__scan_char(in, '}',
				players == 2 ? "'}' after the outcome's two payoffs"
					     : "'}' after the outcome's payoffs");
}

static int copy_number(
	struct gpube_ctx *ctx, struct nash_number *to, const struct nash_number *from)
{
	*to = *from;
	if (from->text) {
		to->text = gpube__strdup(ctx, from->text);
		if (!to->text)
			return GPUBE_ENOMEM;
	}
	return GPUBE_OK;
}

/* The cells name outcomes by their position, from 1. */
static int place_outcomes(struct gpube_in *in, struct nash_pile *pile,
	const struct nash_pile *outcomes, int32_t players, int64_t payoffs)
{
	static const struct nash_number zero = {0, 1, NULL};

	for (int64_t k = 0; k < payoffs; k += players) {
		int32_t outcome;
		int status = nash__scan_int(in, &outcome, 0, "the number of an outcome");

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
			struct nash_number v = zero;

			if (outcome && copy_number(in->ctx, &v,
					       &outcomes->v[(int64_t)players * (outcome - 1) + p]))
				return GPUBE_ENOMEM;
			if (nash__pile_push(in->ctx, pile, &v)) {
				gpube__free(in->ctx, v.text);
				return GPUBE_ENOMEM;
			}
		}
	}
	return GPUBE_OK;
}

static int read_outcomes(
	struct gpube_in *in, struct nash_pile *pile, int32_t players, int64_t payoffs)
{
	struct nash_pile outcomes = {0};
	int status = nash__scan_char(in, '{', "'{' and the outcomes");

	while (!status && nash__scan_peek(in) != '}')
		status = read_outcome(in, &outcomes, players);
	if (!status)
		status = nash__scan_char(in, '}', "'}' after the outcomes");
	if (!status)
		status = place_outcomes(in, pile, &outcomes, players, payoffs);
	nash__pile_clear(in->ctx, &outcomes);
	return status;
}

static int read_body(struct gpube_in *in, struct nash_pile *pile, int32_t players, int64_t payoffs)
{
	int status = GPUBE_OK;

	if (nash__scan_peek(in) == '"') {
		char *comment;

		status = nash__scan_string(in, &comment, "the comment");
		if (status)
			return status;
		gpube__free(in->ctx, comment);
	}
	if (nash__scan_peek(in) == '{')
		return read_outcomes(in, pile, players, payoffs);
	for (int64_t k = 0; k < payoffs && !status; k++)
		status = nash__pile_number(in, pile, "a payoff");
	return status;
}

int nash__nfg_read(struct nash_game *g, struct gpube_in *in)
{
	struct nash_players *players = NULL;
	struct nash_pile pile = {0};
	int64_t payoffs = 0;
	int status = read_head(g, in);

	if (!status)
		status = read_players(&players, in);
	if (!status)
		status = read_actions(players, in);
	if (!status)
		payoffs = nash__players_payoffs(players, in);
	if (payoffs < 0)
		status = in->status;
	if (!status)
		status = read_body(in, &pile, players->n, payoffs);
	if (!status)
		status = gpube__in_end(in);
	if (!status)
		status = nash__players_settle(g, &players, &pile, false);
	nash__players_free(players);
	nash__pile_clear(in->ctx, &pile);
	return status;
}
