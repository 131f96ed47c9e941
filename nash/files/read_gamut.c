/*
 * read_gamut.c - what GAMUT writes besides .nfg, and lrsnash's input.
 *
 * TwoPlayerOutput: rows of (a, b). SimpleOutput: a line "[i j k] : [ a b c ]" for
 * each cell, player 1's action fastest. GTOutput: 3, l m n, then all payoffs of
 * player 1, all of player 2, and so on, player 1's action fastest. lrsnash: m n, then
 * both matrices by rows.
 */
#include <stdio.h>
#include <string.h>

#include "nash/players.h"

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

/*
 * The cells come one by one, so a player has as many actions as there are until that of the next
 * one steps.
 * n      players; 0: no cell has come
 * first  the actions of the first cell: 0 or 1
 * at     the last cell; in front of the first one its player 1 has one action less
 * size   0: not known yet
 */
struct cells {
	int32_t n, first;
	int32_t at[NASH_MOST_PLAYERS], size[NASH_MOST_PLAYERS];
};

static bool is_last(const struct cells *c, int32_t p)
{
	return c->size[p] && c->at[p] - c->first + 1 == c->size[p];
}

/* Whether the cell comes next; then it is the last one. */
static bool take_next(struct cells *c, const int32_t *cell)
{
	int32_t p = 0;

	while (p < c->n && (is_last(c, p) || cell[p] != c->at[p] + 1)) {
		if (cell[p] != c->first || (c->size[p] && !is_last(c, p)))
			return false;
		p++;
	}
	if (p == c->n ||
		memcmp(cell + p + 1, c->at + p + 1, (size_t)(c->n - p - 1) * sizeof(*cell)) != 0)
		return false;
	for (int32_t q = 0; q < p; q++)
		c->size[q] = c->at[q] - c->first + 1;
	memcpy(c->at, cell, (size_t)c->n * sizeof(*cell));
	return true;
}

/* "[1 2 1]" */
static const char *cell_text(char text[12 * NASH_MOST_PLAYERS + 3], const int32_t *cell, int32_t n)
{
	int to = 0;

	for (int32_t p = 0; p < n; p++)
		to += sprintf(text + to, p ? " %d" : "[%d", cell[p]);
	sprintf(text + to, "]");
	return text;
}

/* found: NULL at the end of the file */
static int fail_cell(struct gpube_in *in, const struct cells *c, const int32_t *found)
{
	char a[12 * NASH_MOST_PLAYERS + 3], b[12 * NASH_MOST_PLAYERS + 3];
	int32_t next[NASH_MOST_PLAYERS], p = 0;

	memcpy(next, c->at, sizeof(next));
	while (is_last(c, p))
		next[p++] = c->first;
	next[p]++;
	return gpube__in_error(in, "expected cell %s, found %s", cell_text(a, next, c->n),
		found ? cell_text(b, found, c->n) : "the end of the file");
}

/* "[i j k] :", of as many numbers as players, which the first cell tells. */
static int read_cell(struct gpube_in *in, struct cells *c, int32_t *cell)
{
	int32_t n = 0;
	int status = nash__scan_char(in, '[', "'[' and a cell");

	while (!status && n < (c->n ? c->n : NASH_MOST_PLAYERS) &&
		(c->n || n < 2 || nash__scan_peek(in) != ']')) {
		status = nash__scan_int(in, &cell[n], 0, "an action");
		if (!status && cell[n++] == INT32_MAX)
			status = gpube__in_fail(in, GPUBE_ERANGE, "2^31 actions or more");
	}
	if (!status)
		status = nash__scan_char(in, ']', "']' after an action of each player");
	if (!status && !c->n) {
		c->n = n;
		c->first = cell[0] ? 1 : 0;
		for (int32_t p = 0; p < n; p++)
			c->at[p] = c->first - !p;
	}
	return status ? status : nash__scan_char(in, ':', "':' after a cell");
}

static int read_payoffs(struct gpube_in *in, struct nash_pile *pile, int32_t n)
{
	int status = nash__scan_char(in, '[', "'[' and a payoff of each player");

	for (int32_t p = 0; p < n && !status; p++)
		status = nash__pile_number(in, pile, "a payoff");
	return status ? status : nash__scan_char(in, ']', "']' after a payoff of each player");
}

static int read_cells(struct gpube_in *in, struct cells *c, struct nash_pile *pile)
{
	int32_t cell[NASH_MOST_PLAYERS];
	int status;

	do {
		int64_t line;

		nash__scan_peek(in);
		line = in->line;
		status = read_cell(in, c, cell);
		if (!status && !take_next(c, cell)) {
			in->line = line;
			status = fail_cell(in, c, cell);
		}
		if (!status)
			status = read_payoffs(in, pile, c->n);
	} while (!status && nash__scan_peek(in));
	for (int32_t p = 0; p < c->n - 1 && !status; p++)
		if (c->size[p] && !is_last(c, p))
			status = fail_cell(in, c, NULL);
	return status ? status : in->status;
}

int nash__simple_read(struct nash_game *g, struct gpube_in *in)
{
	struct nash_players *players = NULL;
	struct nash_pile pile = {0};
	struct cells c = {0};
	int status;

	skip_comments(in);
	status = read_cells(in, &c, &pile);
	if (!status)
		status = nash__players_begin(&players, in, c.n);
	for (int32_t p = 0; p < c.n && !status; p++)
		players->actions[p] = c.at[p] - c.first + 1;
	if (!status && nash__players_payoffs(players, in) < 0)
		status = in->status;
	if (!status)
		status = nash__players_settle(g, &players, &pile, false);
	nash__players_free(players);
	nash__pile_clear(in->ctx, &pile);
	return status;
}

/* ---- GTOutput and lrsnash ---------------------------------------------------------- */

static int64_t two_by_rows(const struct nash_game *g, int player, int64_t i, int64_t j)
{
	return (player * (int64_t)g->m + i) * g->n + j;
}

int nash__gt_read(struct nash_game *g, struct gpube_in *in)
{
	struct nash_players *players = NULL;
	struct nash_pile pile = {0};
	int64_t payoffs = 0;
	int32_t n = 0;
	int status = nash__scan_int(in, &n, 1, "the number of players");

	if (!status)
		status = nash__players_begin(&players, in, n);
	for (int32_t p = 0; p < n && !status; p++) {
		char what[48];

		snprintf(what, sizeof(what), "the number of actions of player %d", p + 1);
		status = nash__scan_int(in, &players->actions[p], 1, what);
	}
	if (!status)
		payoffs = nash__players_payoffs(players, in);
	if (payoffs < 0)
		status = in->status;
	for (int64_t k = 0; k < payoffs && !status; k++)
		status = nash__pile_number(in, &pile, "a payoff");
	if (!status)
		status = gpube__in_end(in);
	if (!status)
		status = nash__players_settle(g, &players, &pile, true);
	nash__players_free(players);
	nash__pile_clear(in->ctx, &pile);
	return status;
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
	int status = nash__scan_int(in, &g->m, 1, "the number of actions of player 1");

	if (!status)
		status = nash__scan_int(in, &g->n, 1, "the number of actions of player 2");
	if (!status)
		payoffs = nash__payoffs(in, g->m, g->n);
	if (payoffs < 0)
		status = in->status;
	for (int64_t k = 0; k < payoffs && !status; k++)
		status = read_fraction(in, &pile);
	return finish(g, in, &pile, status, two_by_rows);
}
