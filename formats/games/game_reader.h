/* game_reader.h - what the readers of games share. Internal to formats/games/. */
#ifndef GPUBE_GAME_READER_H
#define GPUBE_GAME_READER_H

#include "formats/common/registry.h"
#include "gpube/ir/payoffs.h"

/* ---- scanning, beyond what formats/io/io.h knows ---- */

/* Next byte past white space, not consumed; 0 at the end of the file. */
char gpube__scan_peek(struct gpube_in *in);
/* Consumes c or fails: "expected '{' before the payoffs, found …". */
int gpube__scan_char(struct gpube_in *in, char c, const char *what);
/* A quoted string of any length, may span lines; \" stands for a quote. s: NULL: nobody needs it */
int gpube__scan_string(struct gpube_in *in, char **s, const char *what);
int gpube__scan_number(struct gpube_in *in, struct gpube_rational *v, const char *what);
int gpube__scan_int(struct gpube_in *in, int32_t *v, int32_t min, const char *what);
/* "NFG 1 R "title"", of this word and version; a title is taken. */
int gpube__scan_head(struct gpube_in *in, const char *word, const char *version, char **title);

/* "{ "a" "b" }" */
struct gpube_labels {
	char **v;
	int64_t n, capacity;
};
/* open, each, close: what is expected. To be cleared also after a failure. */
int gpube__labels_read(struct gpube_labels *labels, struct gpube_in *in, const char *open,
	const char *each, const char *close);
void gpube__labels_clear(struct gpube_labels *labels, struct gpube_ctx *ctx);

/* EPARSE: what was expected, and what stands at p instead. */
int gpube__scan_refuse(struct gpube_in *in, const char *what);

/* EPARSE unless a chance is one of 64 bits, 0 or above. */
int gpube__check_chance(struct gpube_in *in, const struct gpube_rational *v);
/* ERANGE, EPARSE unless n of them, 'step' bytes apart, add up to 1; of: "an information set" */
int gpube__check_chances(struct gpube_in *in, const struct gpube_rational *v, int32_t n,
	size_t step, const char *of);

/* ---- payoffs ---- */

/* Payoffs in the order of the file, which claims sizes that nobody has paid for yet. */
struct gpube_pile {
	struct gpube_rational *v;
	int64_t n, capacity;
};

int gpube__pile_number(struct gpube_in *in, struct gpube_pile *pile, const char *what);
/* A copy, with a text of its own. */
int gpube__pile_push(
	struct gpube_ctx *ctx, struct gpube_pile *pile, const struct gpube_rational *v);
void gpube__pile_clear(struct gpube_ctx *ctx, struct gpube_pile *pile);

/* A profile of more, of two actions each, would pass what is counted here. */
#define GPUBE__MOST_PLAYERS 62

/* EPARSE and how many players are read. */
int gpube__check_players(struct gpube_in *in, int64_t n);
/* The next player; takes the labels of its actions, NULL: none, also on failure. */
int gpube__add_player(struct gpube_model *m, int32_t actions, const char *name, char **labels);
/* How many payoffs there are, once the players are known; -1 and a message if they are too many. */
int64_t gpube__count_payoffs(const struct gpube_model *m, struct gpube_in *in);

/*
 * gpube__settle_payoffs() - the players' functions, of all payoffs.
 * by_player  those of all profiles for each player, or else of all players for each profile
 * row_major  of the profiles the last player's action is the fastest, or else the first one's
 * Errors: ENOMEM
 */
int gpube__settle_payoffs(
	struct gpube_model *m, const struct gpube_pile *pile, bool by_player, bool row_major);

#endif
