/* bimatrix.h - a bimatrix game as it was read. Internal to nash/. */
#ifndef NASH_BIMATRIX_H
#define NASH_BIMATRIX_H

#include "formats/io/io.h"
#include "nash/nash.h"

/*
 * A rational in lowest terms: num / den with den >= 1 where both fit, otherwise
 * den is 0 and 'text' is "p/q" or "p", in decimal digits, not always in lowest terms.
 */
struct nash_number {
	int64_t num, den;
	char *text;
};

/* Longest integer that a payoff may consist of, in digits. */
#define NASH_MAX_DIGITS 20000

/*
 * nash__number_parse() - the n bytes at s, all of them: -3, 3/2, 1.5, .5, 2e-1.
 * Errors: EPARSE (no such number), ERANGE (NASH_MAX_DIGITS), ENOMEM; no text is set for the first
 */
int nash__number_parse(struct gpube_ctx *ctx, struct nash_number *v, const char *s, size_t n);
/* The greatest common divisor, at least 0; of what is above INT64_MIN. */
static inline int64_t nash__divisor(int64_t a, int64_t b)
{
	while (b) {
		const int64_t r = a % b;

		a = b;
		b = r;
	}
	return a < 0 ? -a : a;
}

/* Lowest terms of a number without a text, whose num is above INT64_MIN. */
void nash__number_reduce(struct nash_number *v);
void nash__number_write(struct gpube_out *out, const struct nash_number *v);
double nash__number_double(const struct nash_number *v);

/*
 * The game keeps its own rationals beside the engine's models: a model's costs
 * are 64-bit integers with one decimal scale, which can hold neither 1/3 nor the
 * payoffs past 2^63 of test games for Lemke and Howson's algorithm. What a model
 * of this form holds is copied: nash_from_model.c.
 */
struct nash_game {
	struct gpube_ctx *ctx;
	int32_t m, n;
	char *title, *player[2];        /* may be NULL */
	char **labels[2];               /* NULL, or m and n strings */
	struct nash_number *payoffs[2]; /* m * n, row-major */
	/* NULL, or a game of more players (players.h), and nothing else is set */
	struct nash_players *players;
};

/* ---- scanning, beyond what formats/io/io.h knows ---- */

/* Next byte past white space, not consumed; 0 at the end of the file. */
char nash__scan_peek(struct gpube_in *in);
/* Consumes c or fails: "expected '{' before the payoffs, found …". */
int nash__scan_char(struct gpube_in *in, char c, const char *what);
/* A quoted string of any length, may span lines; \" stands for a quote. */
int nash__scan_string(struct gpube_in *in, char **s, const char *what);
int nash__scan_number(struct gpube_in *in, struct nash_number *v, const char *what);
int nash__scan_int(struct gpube_in *in, int32_t *v, int32_t min, const char *what);
/* EPARSE: what was expected, and what stands at p instead. */
int nash__scan_refuse(struct gpube_in *in, const char *what);

/* Payoffs in the order of the file, which claims sizes that nobody has paid for yet. */
struct nash_pile {
	struct nash_number *v;
	int64_t n, capacity;
};

int nash__pile_number(struct gpube_in *in, struct nash_pile *pile, const char *what);
int nash__pile_push(struct gpube_ctx *ctx, struct nash_pile *pile, const struct nash_number *v);
void nash__pile_clear(struct gpube_ctx *ctx, struct nash_pile *pile);
/* Moves a pile into the game, whose sizes are set: cell (i, j) of player p + 1 is v[place()]. */
int nash__pile_move(struct nash_game *g, struct nash_pile *pile,
	int64_t (*place)(const struct nash_game *g, int p, int64_t i, int64_t j));
/* Payoffs of a game of m x n actions, 2mn; -1 and a message if they are too many. */
int64_t nash__payoffs(struct gpube_in *in, int64_t m, int64_t n);

/* ---- results ---- */

/* Frees what a strategy points to; it may be all 0. */
void nash__strategy_clear(struct nash_strategy *s, struct gpube_ctx *ctx);
/*
 * nash__conclude() - what the end of a search, and a reason in the result if there is one, mean for
 * the answer. Returns OK for ELIMIT and ESTOP, which are no failures.
 */
int nash__conclude(struct nash_result *r, struct gpube_ctx *ctx, int status);

/* ---- readers ---- */

/* nash_read() of a stream that is open. */
int nash__read_from(struct nash_game **out, struct gpube_in *in, enum nash_format format);

int nash__nfg_read(struct nash_game *g, struct gpube_in *in);
int nash__lrs_read(struct nash_game *g, struct gpube_in *in);
int nash__two_player_read(struct nash_game *g, struct gpube_in *in);
int nash__simple_read(struct nash_game *g, struct gpube_in *in);
int nash__gt_read(struct nash_game *g, struct gpube_in *in);
int nash__efg_read(struct nash_game *g, struct gpube_in *in);

#endif
