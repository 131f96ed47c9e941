/*
 * read_gamut.c - what GAMUT writes besides .nfg, and lrsnash's input.
 *
 * TwoPlayerOutput: rows of (a, b). SimpleOutput: a line "[i j] : [ a b ]" for
 * each cell, player 1's action fastest. GTOutput: 2, m n, then all payoffs of
 * player 1 and all of player 2, player 1's action fastest. lrsnash: m n, then
 * both matrices by rows.
 */
#include "nash/bimatrix.h"

#include <string.h>

/* Lines that begin with '#' or '//'. */
static void skip_comments(struct gpube_in *in)
{
	for (;;) {
		char c = nash__scan_peek(in);

		if (c != '#' && !(c == '/' && gpube__in_need(in, 2) >= 2 && in->p[1] == '/'))
			return;
		gpube__in_skip_line(in);
	}
}

static int finish(struct nash_game *g, struct gpube_in *in, struct nash_pile *pile, int status,
	int64_t (*place)(const struct nash_game *g, int player, int64_t i, int64_t j))
{
	if (!status)
		status = gpube__in_end(in);
	if (!status)
		status = nash__pile_move(g, pile, place);
	nash__pile_clear(in->ctx, pile);
	return status;
}

/* ---- TwoPlayerOutput -------------------------------------------------------- */

static int64_t rows_of_pairs(const struct nash_game *g, int player, int64_t i, int64_t j)
{
	return 2 * (i * g->n + j) + player;
}

static int read_pair(struct gpube_in *in, struct nash_pile *pile)
{
	int status = nash__scan_char(in, '(', "'(' and two payoffs");

	if (!status)
		status = nash__pile_number(in, pile, "a payoff");
	if (!status)
		status = nash__scan_char(in, ',', "',' between two payoffs");
	if (!status)
		status = nash__pile_number(in, pile, "a payoff");
	return status ? status : nash__scan_char(in, ')', "')' after two payoffs");
}

int nash__two_player_read(struct nash_game *g, struct gpube_in *in)
{
	struct nash_pile pile = {0};
	int64_t columns = 0, pairs = 0, line;
	int status = GPUBE_OK;

	skip_comments(in);
	line = in->line;
	do {
		status = read_pair(in, &pile);
		pairs++;
		if (status)
			break;
		if (!nash__scan_peek(in) || in->line != line) {
			if (columns == 0)
				columns = pairs;
			if (pairs != columns) {
				in->line = line;
				status = gpube__in_error(in,
					"cells in this row: %lld, in the first: %lld",
					(long long)pairs, (long long)columns);
			}
			pairs = 0;
			line = in->line;
			if (g->m == INT32_MAX || columns > INT32_MAX)
				status = gpube__in_fail(in, GPUBE_ERANGE, "2^31 actions or more");
			g->m++;
			g->n = (int32_t)columns;
		}
	} while (!status && nash__scan_peek(in));
	return finish(g, in, &pile, status, rows_of_pairs);
}

/* ---- SimpleOutput ------------------------------------------------------------- */

static int64_t columns_of_pairs(const struct nash_game *g, int player, int64_t i, int64_t j)
{
	return 2 * (j * g->m + i) + player;
}

/* "[i j] : [ a b ]" */
static int read_cell(struct gpube_in *in, struct nash_pile *pile, int32_t cell[2])
{
	int status = nash__scan_char(in, '[', "'[' and a cell");

	for (int p = 0; p < 2 && !status; p++)
		status = nash__scan_int(in, &cell[p], 0, "an action");
	if (!status && nash__scan_peek(in) != ']')
		return gpube__in_error(in, "more than two players: only games of two players are "
					   "solved");
	if (!status)
		status = nash__scan_char(in, ']', "']' after two actions");
	if (!status)
		status = nash__scan_char(in, ':', "':' after a cell");
	if (!status)
		status = nash__scan_char(in, '[', "'[' and two payoffs");
	for (int p = 0; p < 2 && !status; p++)
		status = nash__pile_number(in, pile, "a payoff");
	return status ? status : nash__scan_char(in, ']', "']' after two payoffs");
}

int nash__simple_read(struct nash_game *g, struct gpube_in *in)
{
	struct nash_pile pile = {0};
	int32_t cell[2], first = 0, next[2] = {0, 0};
	int64_t line = 1;
	int status = GPUBE_OK;

	skip_comments(in);
	for (int64_t k = 0; !status && (k == 0 || nash__scan_peek(in)); k++) {
		nash__scan_peek(in);
		line = in->line;
		status = read_cell(in, &pile, cell);
		if (status)
			break;
		if (k == 0)
			first = next[0] = next[1] = cell[0] == 0 ? 0 : 1;
		if (g->m == 0 && cell[0] == first && cell[1] == first + 1) {
			g->m = next[0] - first; /* the first column has ended */
			next[0] = first;
			next[1] = first + 1;
		}
		if (cell[0] != next[0] || cell[1] != next[1]) {
			in->line = line;
			status = gpube__in_error(in, "expected cell [%d %d], found [%d %d]",
				next[0], next[1], cell[0], cell[1]);
		}
		if (!status && (next[0] == INT32_MAX || next[1] == INT32_MAX))
			status = gpube__in_fail(in, GPUBE_ERANGE, "2^31 actions or more");
		if (!status && ++next[0] - first == g->m) {
			next[0] = first;
			next[1]++;
		}
	}
	if (!status && g->m == 0) {
		g->m = next[0] - first;
		next[0] = first;
		next[1]++;
	}
	if (!status && !in->status && next[0] != first)
		status = gpube__in_error(
			in, "expected cell [%d %d], found the end of the file", next[0], next[1]);
	g->n = next[1] - first;
	return finish(g, in, &pile, status, columns_of_pairs);
}

/* ---- GTOutput and lrsnash ---------------------------------------------------------- */

static int64_t two_by_columns(const struct nash_game *g, int player, int64_t i, int64_t j)
{
	return (player * (int64_t)g->n + j) * g->m + i;
}

static int64_t two_by_rows(const struct nash_game *g, int player, int64_t i, int64_t j)
{
	return (player * (int64_t)g->m + i) * g->n + j;
}

static int read_sizes(struct nash_game *g, struct gpube_in *in, int64_t *payoffs)
{
	int status = nash__scan_int(in, &g->m, 1, "the number of actions of player 1");

	if (!status)
		status = nash__scan_int(in, &g->n, 1, "the number of actions of player 2");
	if (status)
		return status;
	*payoffs = nash__payoffs(in, g->m, g->n);
	return in->status;
}

int nash__gt_read(struct nash_game *g, struct gpube_in *in)
{
	struct nash_pile pile = {0};
	int32_t players;
	int64_t payoffs = 0;
	int status = nash__scan_int(in, &players, 1, "the number of players");

	if (!status && players != 2)
		status = gpube__in_error(in, "%d player%s: only games of two players are solved",
			players, gpube__plural(players));
	if (!status)
		status = read_sizes(g, in, &payoffs);
	for (int64_t k = 0; k < payoffs && !status; k++)
		status = nash__pile_number(in, &pile, "a payoff");
	return finish(g, in, &pile, status, two_by_columns);
}

/* An integer or p/q: lrsnash takes 1.5 for something else, so nobody can mean it. */
static int read_fraction(struct gpube_in *in, struct nash_pile *pile)
{
	size_t n;

	nash__scan_peek(in);
	gpube__in_need(in, 256);
	n = strcspn(in->p, " \t\r\n\v\f");
	if (memchr(in->p, '.', n) || memchr(in->p, 'e', n) || memchr(in->p, 'E', n))
		return nash__scan_refuse(in, "an integer or a fraction p/q");
	return nash__pile_number(in, pile, "a payoff");
}

int nash__lrs_read(struct nash_game *g, struct gpube_in *in)
{
	struct nash_pile pile = {0};
	int64_t payoffs = 0;
	int status = read_sizes(g, in, &payoffs);

	for (int64_t k = 0; k < payoffs && !status; k++)
		status = read_fraction(in, &pile);
	return finish(g, in, &pile, status, two_by_rows);
}
