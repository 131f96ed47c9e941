/*
 * gamut.c - what GAMUT writes besides .nfg, and lrsnash's input.
 *
 * TwoPlayerOutput: rows of (a, b). SimpleOutput: a line "[i j k] : [ a b c ]" for
 * each cell, player 1's action fastest. GTOutput: 3, l m n, then all payoffs of
 * player 1, all of player 2, and so on, player 1's action fastest. lrsnash: m n, then
 * both matrices by rows.
 */
#include "formats/games/game_reader.h"

#include <stdio.h>
#include <string.h>

/* Lines that begin with '#' or '//'. */
static void skip_comments(struct gpube_in *in)
{
	for (;;) {
		char c = gpube__scan_peek(in);

		if (c != '#' && !(c == '/' && gpube__in_need(in, 2) >= 2 && in->p[1] == '/'))
			return;
		gpube__in_skip_line(in);
	}
}

/* ---- TwoPlayerOutput -------------------------------------------------------- */

static int read_pair(struct gpube_in *in, struct gpube_pile *pile)
{
	int status = gpube__scan_char(in, '(', "'(' and two payoffs");

	if (!status)
		status = gpube__pile_number(in, pile, "a payoff");
	if (!status)
		status = gpube__scan_char(in, ',', "',' between two payoffs");
	if (!status)
		status = gpube__pile_number(in, pile, "a payoff");
	return status ? status : gpube__scan_char(in, ')', "')' after two payoffs");
}

int gpube__two_player_read(struct gpube_model *m, struct gpube_in *in)
{
	struct gpube_pile pile = {0};
	int64_t columns = 0, pairs = 0, line;
	int32_t rows = 0;
	int status = GPUBE_OK;

	skip_comments(in);
	line = in->line;
	do {
		status = read_pair(in, &pile);
		pairs++;
		if (status)
			break;
		if (!gpube__scan_peek(in) || in->line != line) {
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
			if (rows == INT32_MAX || columns > INT32_MAX)
				status = gpube__in_fail(in, GPUBE_ERANGE, "2^31 actions or more");
			else
				rows++;
		}
	} while (!status && gpube__scan_peek(in));
	status = status ? status : in->status;
	if (!status)
		status = gpube__add_player(m, rows, NULL, NULL);
	if (!status)
		status = gpube__add_player(m, (int32_t)columns, NULL, NULL);
	if (!status)
		status = gpube__settle_payoffs(m, &pile, false, true);
	gpube__pile_clear(in->ctx, &pile);
	return status;
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
	int32_t at[GPUBE__MOST_PLAYERS], size[GPUBE__MOST_PLAYERS];
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
static const char *cell_text(
	char text[12 * GPUBE__MOST_PLAYERS + 3], const int32_t *cell, int32_t n)
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
	char a[12 * GPUBE__MOST_PLAYERS + 3], b[12 * GPUBE__MOST_PLAYERS + 3];
	int32_t next[GPUBE__MOST_PLAYERS], p = 0;

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
	int status = gpube__scan_char(in, '[', "'[' and a cell");

	while (!status && n < (c->n ? c->n : GPUBE__MOST_PLAYERS) &&
		(c->n || n < 2 || gpube__scan_peek(in) != ']')) {
		status = gpube__scan_int(in, &cell[n], 0, "an action");
		if (!status && cell[n++] == INT32_MAX)
			status = gpube__in_fail(in, GPUBE_ERANGE, "2^31 actions or more");
	}
	if (!status)
		status = gpube__scan_char(in, ']', "']' after an action of each player");
	if (!status && !c->n) {
		c->n = n;
		c->first = cell[0] ? 1 : 0;
		for (int32_t p = 0; p < n; p++)
			c->at[p] = c->first - !p;
	}
	return status ? status : gpube__scan_char(in, ':', "':' after a cell");
}

static int read_payoffs(struct gpube_in *in, struct gpube_pile *pile, int32_t n)
{
	int status = gpube__scan_char(in, '[', "'[' and a payoff of each player");

	for (int32_t p = 0; p < n && !status; p++)
		status = gpube__pile_number(in, pile, "a payoff");
	return status ? status : gpube__scan_char(in, ']', "']' after a payoff of each player");
}

static int read_cells(struct gpube_in *in, struct cells *c, struct gpube_pile *pile)
{
	int32_t cell[GPUBE__MOST_PLAYERS];
	int status;

	do {
		int64_t line;

		gpube__scan_peek(in);
		line = in->line;
		status = read_cell(in, c, cell);
		if (!status && !take_next(c, cell)) {
			in->line = line;
			status = fail_cell(in, c, cell);
		}
		if (!status)
			status = read_payoffs(in, pile, c->n);
	} while (!status && gpube__scan_peek(in));
	for (int32_t p = 0; p < c->n - 1 && !status; p++)
		if (c->size[p] && !is_last(c, p))
			status = fail_cell(in, c, NULL);
	return status ? status : in->status;
}

int gpube__simple_read(struct gpube_model *m, struct gpube_in *in)
{
	struct gpube_pile pile = {0};
	struct cells c = {0};
	int status;

	skip_comments(in);
	status = read_cells(in, &c, &pile);
	if (!status)
		status = gpube__check_players(in, c.n);
	for (int32_t p = 0; p < c.n && !status; p++)
		status = gpube__add_player(m, c.at[p] - c.first + 1, NULL, NULL);
	if (!status && gpube__count_payoffs(m, in) < 0)
		status = in->status;
	if (!status)
		status = gpube__settle_payoffs(m, &pile, false, false);
	gpube__pile_clear(in->ctx, &pile);
	return status;
}

/* ---- GTOutput and lrsnash ---------------------------------------------------------- */

/* The number of actions of each of n players. */
static int read_sizes(struct gpube_model *m, struct gpube_in *in, int32_t n)
{
	int status = GPUBE_OK;

	for (int32_t p = 0; p < n && !status; p++) {
		int32_t actions;
		char what[48];

		snprintf(what, sizeof(what), "the number of actions of player %d", p + 1);
		status = gpube__scan_int(in, &actions, 1, what);
		if (!status)
			status = gpube__add_player(m, actions, NULL, NULL);
	}
	return status;
}

static int read_all(struct gpube_model *m, struct gpube_in *in, int status, bool row_major,
	int (*read_one)(struct gpube_in *in, struct gpube_pile *pile, const char *what))
{
	const int64_t payoffs = status ? 0 : gpube__count_payoffs(m, in);
	struct gpube_pile pile = {0};

	if (payoffs < 0)
		status = in->status;
	for (int64_t k = 0; k < payoffs && !status; k++)
		status = read_one(in, &pile, "a payoff");
	if (!status)
		status = gpube__settle_payoffs(m, &pile, true, row_major);
	gpube__pile_clear(in->ctx, &pile);
	return status;
}

int gpube__gam_read(struct gpube_model *m, struct gpube_in *in)
{
	int32_t n = 0;
	int status = gpube__scan_int(in, &n, 1, "the number of players");

	if (!status)
		status = gpube__check_players(in, n);
	if (!status)
		status = read_sizes(m, in, n);
	return read_all(m, in, status, false, gpube__pile_number);
}

/* An integer or p/q: lrsnash takes 1.5 for something else, so nobody can mean it. */
static int read_fraction(struct gpube_in *in, struct gpube_pile *pile, const char *what)
{
	size_t n;

	gpube__scan_peek(in);
	gpube__in_need(in, 256);
	n = strcspn(in->p, " \t\r\n\v\f");
	if (memchr(in->p, '.', n) || memchr(in->p, 'e', n) || memchr(in->p, 'E', n))
		return gpube__scan_refuse(in, "an integer or a fraction p/q");
	return gpube__pile_number(in, pile, what);
}

int gpube__lrs_read(struct gpube_model *m, struct gpube_in *in)
{
	return read_all(m, in, read_sizes(m, in, 2), true, read_fraction);
}
