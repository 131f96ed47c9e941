/*
 * sequences.h - games of two players with perfect recall by their sequence form. Internal to nash/;
 * only with FLINT.
 *
 * A player's sequences are the empty one, number 0, and one for each action of its information
 * sets: all that it did up to that action. A plan gives each sequence the product of the
 * probabilities with which its actions are played: integers over that of the empty sequence. What
 * players get is a sum over pairs of sequences, chances included.
 *
 * The side of player q is the polyhedron of its plans x and of values v of the other's information
 * sets that its replies cannot pass: variables are x of q's sequences but the empty one, then the
 * slack of each of the other's, v of its set less what it and the sets behind it are worth.
 * Source: von Stengel, Efficient computation of behavior strategies, 1996.
 */
#ifndef NASH_SEQUENCES_H
#define NASH_SEQUENCES_H

#include "gpube/ir/games/game_tree.h"
#include "gpube/options/options.h"
#include "nash/exact.h"

/*
 * n        sequences, the empty one included
 * infoset  by set: its number in the tree
 * after    by set: the sequence that it follows on; a set comes after those that it follows on
 * first    by set: its first sequence, then the others of its actions; first[n_sets] is n
 */
struct nash_sequences {
	int32_t n, n_sets;
	int32_t *infoset, *after, *first;
};

/*
 * The best replies of a player to the plan of the other that was asked for last.
 * worth  by sequence: what it and the best that follows on it are worth, times den and the plan's
 *        empty sequence; worth[0]: all
 * best   by set: its first sequence that is worth most
 * used   by sequence: whether a best reply plays it
 */
struct nash_reply {
	fmpz *worth;
	int32_t *best;
	unsigned char *used;
};

/*
 * of     the players; the second of a game of one has no set
 * n      pairs of sequences at which somebody gets something, by the first's, then the second's
 * at     by player: their sequences
 * pay    by player: integers over den
 * zero   what both get adds up to 'sum' wherever the game ends: 'pay' of the second is then that of
 *        the first negated, over the same denominator, and it gets 'sum' besides
 */
struct nash_sequence_form {
	struct gpube_ctx *ctx;
	struct gpube__arrays memory;
	const struct gpube_game_tree *tree;
	struct nash_sequences of[2];
	struct nash_reply reply[2];
	int64_t n;
	int32_t *at[2];
	fmpz *pay[2];
	fmpz den[2];
	bool zero;
	fmpq sum;
};

/* Errors: ENOMEM, ELIMIT (2^29 sequences or more), ESTOP; to be cleared also then */
int nash__sequences_init(struct nash_sequence_form *f, const struct gpube_model *g);
void nash__sequences_clear(struct nash_sequence_form *f);

/* ---- replies -------------------------------------------------------------------------- */

/* Finds f->reply[player], which is returned. */
const struct nash_reply *nash__reply_find(
	const struct nash_sequence_form *f, int player, const fmpz *plan);

/*
 * Whether two plans are an equilibrium: both are plans, and neither plays what no best reply to the
 * other plays. Finds both replies.
 */
bool nash__is_equilibrium(const struct nash_sequence_form *f, fmpz *const plan[2]);
/*
 * Whether it is a vertex among the plans of the player to which the same replies are best: every
 * equilibrium is a mixture of pairs of such plans. The reply to it was found. Errors: ENOMEM
 */
int nash__is_extreme(bool *yes, const struct nash_sequence_form *f, int player, const fmpz *plan);
/*
 * The plan, in any signs, that plays these sequences alone, of which it is known that those 'used'
 * of the other are worth as much as the values of their sets. ok: out, there is one alone. Errors:
 * ENOMEM
 */
int nash__solve_plan(fmpz *plan, bool *ok, const struct nash_sequence_form *f, int player,
	const unsigned char *played, const unsigned char *used);

/* The plan that plays choice[set], a sequence, everywhere; the one that mixes all evenly. */
void nash__pure_plan(fmpz *plan, const struct nash_sequences *s, const int32_t *choice);
void nash__even_plan(fmpz *plan, const struct nash_sequences *s);

/* ---- sides as dictionaries ---------------------------------------------------------------- */

/*
 * nash__sequence_dict() - the vertex of player q's side at which it plays own[set] and the slacks
 * of reply[set] are zero. It is feasible if 'reply' is a best reply to that plan.
 * worth   out, or NULL: cols + 1 integers, what the other's best reply is worth, a row as d's
 * Errors: ENOMEM (nothing to clear)
 */
int nash__sequence_dict(struct nash_dict *d, const struct nash_sequence_form *f, int q,
	const int32_t *own, const int32_t *reply, fmpz *worth);
/* Its rows and columns. */
static inline int32_t nash__sequence_rows(const struct nash_sequence_form *f, int q)
{
	return f->of[q].n_sets + f->of[1 - q].n - 1 - f->of[1 - q].n_sets;
}
static inline int32_t nash__sequence_cols(const struct nash_sequence_form *f, int q)
{
	return f->of[q].n - 1 - f->of[q].n_sets + f->of[1 - q].n_sets;
}
/* Variables of a side: own sequences, then slacks. */
static inline int32_t nash__plan_variable(int32_t sequence)
{
	return sequence - 1;
}
static inline int32_t nash__slack_variable(const struct nash_sequence_form *f, int q, int32_t of)
{
	return f->of[q].n - 1 + of - 1;
}

/* ---- equilibria ----------------------------------------------------------------------------- */

/*
 * One equilibrium, of a game of sum zero, of any. work: pivots so far.
 * Errors: ENOMEM, ESTOP, EBUG; of the first also ELIMIT: none was proved, no text
 */
int nash__zero_sum(const struct nash_sequence_form *f, fmpz *const plan[2], int64_t *work);
int nash__lemke(const struct nash_sequence_form *f, fmpz *const plan[2], int64_t *work);

/*
 * The extreme plans of both players that are in some equilibrium.
 * labels  by player: zero sequences and replies that are used, by which a plan is known
 * seen    those of other plans, too
 */
struct nash_extremes {
	const struct nash_sequence_form *form;
	struct gpube__mask_set labels[2], seen[2];
	fmpz **plans[2];
	int64_t capacity[2], work;
};

void nash__extremes_clear(struct nash_extremes *e);
/* Errors: ENOMEM, ELIMIT (more than the memory allowed), ESTOP (those found stay), EBUG */
int nash__extremes_find(struct nash_extremes *e);
/* Whether plans a and b are an equilibrium. */
bool nash__extremes_match(const struct nash_extremes *e, int64_t a, int64_t b);

/*
 * nash__subgame_perfect() - one of a game of any number of players with perfect information, by
 * backward induction: the first of the best actions at each node.
 * choice  out: by information set
 * worth   out: by player
 * Errors: ENOMEM, ESTOP
 */
int nash__subgame_perfect(int32_t *choice, fmpq *worth, const struct gpube_model *g);

#endif
