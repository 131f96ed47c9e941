/*
 * players.h - all equilibria of a game of any number of players, by regions. Internal to nash/;
 * only with FLINT.
 *
 * A region is a product of simplices, one inside the simplex of each player's mixed strategies,
 * given by its vertices, and for each action whether it is played (NASH_IN), not played
 * (NASH_OUT) or neither is known. The whole game is the first region. A region is restricted to a
 * face where an action is dominated on all of it, excluded by a combination of what equilibria
 * satisfy (exclude.c), closed by a box around it in which the system of its support has exactly
 * one solution (enclose.c, root.c), or halved; what remains at the end is open. Payoffs on the
 * vertices say all: they are multilinear, and so have their extremes there.
 */
#ifndef NASH_PLAYERS_H
#define NASH_PLAYERS_H

#include <flint/fmpq.h>
#include <flint/fmpz.h>
#include <flint/fmpz_vec.h>

#include "gpube/options/options.h"
#include "nash/result.h"

/* ---- the game (many_game.c) ---------------------------------------------------------------- */

/* A strictly dominated action and what dominates it, in the numbers of the game as read. */
struct nash_dominated {
	int32_t player, action, by;
};

/*
 * The game without actions that are strictly dominated, one after the other.
 * m, first  actions of each player, and the number of its first one among those of all
 * total     actions of all players
 * map       of each of those: its number in the game as read
 * vertices  where the vertices of each player begin in a region, and behind them their number
 * pay       for each player the payoffs of all profiles, integers over den[player], row-major
 * u         the same without den, less the player's least one, over 2^power[player]: in [0, 1),
 *           each less than the truth by at most 2^-52
 */
struct nash_players {
	struct gpube_ctx *ctx;
	struct gpube__arrays memory;
	const struct gpube_model *game;
	int32_t n, total, n_removed;
	int32_t *m, *first, *map;
	int64_t *vertices;
	struct nash_dominated *removed;
	int64_t profiles;
	fmpz **pay, *den;
	double **u;
	slong *power;
};

/* Errors: ENOMEM, ESTOP (nothing to clear) */
int nash__players_init(struct nash_players *p, const struct gpube_model *g, bool keep);
void nash__players_clear(struct nash_players *p);
/* The product of the sizes of players first to last - 1. */
static inline int64_t nash__product(const int32_t *sizes, int32_t first, int32_t last)
{
	int64_t n = 1;

	for (int32_t i = first; i < last; i++)
		n *= sizes[i];
	return n;
}

/* ---- regions (region.c) -------------------------------------------------------------------- */

enum { NASH_UNDECIDED, NASH_IN, NASH_OUT };

/*
 * halved  how often a simplex of it was halved: its vertices are so many times 2^-53 off at most
 * support number of the support, once no action is undecided; -1: one is
 * node    of the proof that it belongs to
 * v       vertices of each player, then their numbers k and the state of each action
 */
struct nash_region {
	int32_t halved;
	int64_t support, node;
	double v[];
};

/* Vertex k of player i. */
static inline double *nash__vertex(
	const struct nash_players *p, const struct nash_region *r, int32_t i, int32_t k)
{
	return (double *)(uintptr_t)r->v + p->vertices[i] + (int64_t)k * p->m[i];
}

/* Vertices of each player. */
static inline int32_t *nash__sizes(const struct nash_players *p, const struct nash_region *r)
{
	return (int32_t *)(void *)((double *)(uintptr_t)r->v + p->vertices[p->n]);
}

/* The state of each action. */
static inline uint8_t *nash__states(const struct nash_players *p, const struct nash_region *r)
{
	return (uint8_t *)(nash__sizes(p, r) + p->n);
}

size_t nash__region_bytes(const struct nash_players *p);
void nash__region_whole(struct nash_region *r, const struct nash_players *p);
/* Whether no action is undecided. */
bool nash__region_decided(const struct nash_players *p, const struct nash_region *r);
/* The face on which the action is not played; false: it is empty. */
bool nash__region_without(
	struct nash_region *r, const struct nash_players *p, int32_t i, int32_t action);
/* How far a payoff on a vertex may be from what doubles make of it. */
double nash__region_error(const struct nash_players *p, const struct nash_region *r);
/* The length of an edge, and of the longest one, by the largest difference of a probability. */
double nash__edge(const double *v, const double *w, int32_t m);
double nash__region_width(const struct nash_players *p, const struct nash_region *r);

/*
 * What a thread works with.
 * t       for each player i its payoffs with each own action on the vertices of the others:
 *         row-major, m[i] along its own axis
 * steps   dominated actions that were taken out, for the proof: action, by
 * lambda  multipliers of the combination that excludes the region: for each vertex of each player
 *         one of each action but the reference
 * q       weights of the profiles of vertices if there is none
 * weight  of each vertex of each player under q, by its place among all
 */
struct nash_program;
struct nash_system;
struct nash_work {
	const struct nash_players *p;
	struct gpube_ctx *ctx;
	struct gpube__arrays memory;
	double **t, *buffer[2];
	int32_t *steps, n_steps;
	struct nash_program *program;
	struct nash_system *system;
	double *lambda, *weight, *products;
};

/* Errors: ENOMEM; to be cleared also then */
int nash__work_init(struct nash_work *w, const struct nash_players *p);
void nash__work_clear(struct nash_work *w);

/*
 * nash__region_reduce() - takes out what is dominated on the region, decides what its vertices
 * decide, and leaves the payoffs on its vertices in w->t. False: it is empty.
 */
bool nash__region_reduce(struct nash_region *r, struct nash_work *w);

/* ---- exclusion (exclude.c) ----------------------------------------------------------------- */

struct nash_program *nash__program_new(struct gpube__arrays *to, const struct nash_players *p);
/*
 * nash__excluded() - whether a combination of conditions of equilibria is positive on the whole
 * region, of which w->t has the payoffs: then w->lambda has its multipliers, otherwise w->weight
 * and w->products what the linear program ended with.
 * products  of each action: its probability times what it loses against those that are played
 */
bool nash__excluded(struct nash_work *w, const struct nash_region *r);
/* The action that vertex k of player i plays most. */
int32_t nash__reference(
	const struct nash_players *p, const struct nash_region *r, int32_t i, int32_t k);

/* ---- division (branch.c) ------------------------------------------------------------------- */

/*
 * nash__divide() - a region that is neither empty nor settled becomes one or two others: with an
 * undecided action played, and not played, or halves.
 * how   out: -1 and the action, otherwise player and two vertices, between which it is halved
 * Returns the number of children.
 */
int nash__divide(struct nash_region *children[2], struct nash_work *w, const struct nash_region *r,
	int32_t how[3]);

/* ---- inclusion (enclose.c, root.c) --------------------------------------------------------- */

/* What a solution of a support's system is: none and open ones are known to be the only ones. */
enum nash_verdict { NASH_IS_NONE, NASH_IS_EQUILIBRIUM, NASH_IS_OPEN };

/*
 * The only solution of a support's system, and a box around it in which it is that.
 * states      of each action
 * lower, upper  the box: of each action that is played but one a player, otherwise +-INFINITY
 * lo, hi      the solution: probabilities of all actions, then what each player gets, over
 *             10^digits
 * exact       NULL or the same as fractions
 * tie         another action is as good as those played
 * index       1 or -1
 * box         the region of the proof that it was found from
 * total, played  actions, and those that are played
 */
struct nash_root {
	enum nash_verdict verdict;
	bool tie;
	int index;
	int64_t box;
	int32_t total, played;
	uint8_t *states;
	double *lower, *upper;
	fmpz *lo, *hi;
	fmpq *exact;
};

void nash__root_clear(struct nash_root *root, const struct nash_players *p);
/* Whether the solution is the only one of a region of the same states. */
bool nash__root_covers(
	const struct nash_root *root, const struct nash_players *p, const struct nash_region *r);
/* Whether two solutions are one. */
bool nash__root_same(
	const struct nash_root *a, const struct nash_root *b, const struct nash_players *p);

enum nash_enclosure { NASH_NOT_YET, NASH_SINGULAR, NASH_ROOT };
struct nash_system *nash__system_new(struct gpube__arrays *to, const struct nash_players *p);
/* Ends its numbers; NULL: nothing. */
void nash__system_clear(struct nash_system *s);
/*
 * nash__enclose() - looks for a solution near a decided region, and for a box around both in which
 * it is proved to be the only one.
 * root    out, where what is NASH_ROOT: to be cleared
 * Errors: ENOMEM
 */
int nash__enclose(struct nash_root *root, enum nash_enclosure *what, struct nash_work *w,
	const struct nash_region *r, int digits);
/*
 * nash__round() - an equilibrium in the simplest fractions that differ from x, probabilities of all
 * actions, by at most 'radius'; checked by definition. It has index 0: it need not be isolated.
 * root    out, where one is found: to be cleared
 * Errors: ENOMEM
 */
int nash__round(struct nash_root *root, bool *found, struct nash_work *w, const uint8_t *states,
	const double *x, double radius, int digits);
/*
 * Gauss and Jordan: n rows of w, the first n columns of which become the unit matrix; false: a
 * pivot is not above 'least'.
 */
bool nash__eliminate(double *a, int32_t n, int32_t w, double least);
/* Whether a support's system can have isolated solutions. */
bool nash__can_be_regular(struct nash_work *w, const uint8_t *states);

/* ---- the search (many_search.c) ------------------------------------------------------------ */

/* Why a support is open. */
enum nash_open_reason {
	NASH_OPEN_TIME,      /* work was stopped, or as many as asked for are found */
	NASH_OPEN_WORK,      /* it took more regions than a support may */
	NASH_OPEN_SINGULAR,  /* the system is singular: a multiple solution, or a component */
	NASH_OPEN_COMPONENT, /* every solution is in a component of dimension 1 or more */
	NASH_OPEN_TIE,       /* of the only solution a sign is not decided */
};

/*
 * Supports that are not decided, of the game as solved.
 * states     of each action; those of undecided ones may be either
 * lower, upper  of each action: where in it equilibria may be
 * regions    how many are open
 */
struct nash_open {
	enum nash_open_reason reason;
	int64_t regions;
	uint8_t *states;
	double *lower, *upper;
};

/*
 * What is asked for, and what was found.
 * digits   of enclosures, by which solutions are told apart: at least 12
 * max      equilibria; 0: all
 * roots    solutions of all supports' systems: n_equilibria of them are equilibria, which are first
 *          in the end, sorted
 * regions  that were looked at
 * proof    NULL, or where what became of them is kept
 */
struct nash_proof;
struct nash_many {
	const struct nash_players *p;
	int digits;
	int64_t max;
	struct nash_root *roots;
	int64_t n_roots, n_equilibria, capacity_roots;
	struct nash_open *open;
	int64_t n_open, capacity_open;
	int64_t regions;
	struct nash_proof *proof;
};

void nash__many_clear(struct nash_many *s);
/* Adds a solution unless it is there; takes it over in any case. Errors: ENOMEM */
int nash__many_add(struct nash_many *s, struct nash_root *root);
/*
 * nash__many_run() - all equilibria, or until there are 'max'.
 * Errors: ENOMEM; ESTOP (what is found stays, the rest is open), ELIMIT ('max' were found), both
 *         without a text; ERANGE (too many profiles)
 */
int nash__many_run(struct nash_many *s);

/*
 * nash__many_one() - one equilibrium, where a pure one or the path of logit equilibria shows it.
 * Errors: ENOMEM; ESTOP, without a text
 */
int nash__many_one(struct nash_many *s);

/* ---- proofs (many_proof.c) ----------------------------------------------------------------- */

/* NULL: ENOMEM */
struct nash_proof *nash__proof_new(struct gpube_ctx *ctx);
void nash__proof_free(struct nash_proof *f);
/*
 * What became of a region after the steps of w: a word and a number, a combination that excludes
 * it, what nash__divide() did. NULL: ENOMEM
 */
char *nash__proof_word(const struct nash_work *w, const char *word, int64_t number);
char *nash__proof_excluded(const struct nash_work *w, const struct nash_region *r);
char *nash__proof_divided(const struct nash_work *w, const int32_t how[3]);
/* n more regions, which are open; *first: out, the number of the first. Errors: ENOMEM */
int nash__proof_nodes(struct nash_proof *f, int64_t *first, int n);
/* What became of one; the text is taken over. */
void nash__proof_set(struct nash_proof *f, int64_t node, char *text, int64_t child, int n);
/* One more box, whose number is that of its first region. Errors: ENOMEM */
int nash__proof_box(
	struct nash_proof *f, const struct nash_players *p, const struct nash_root *root);
/* Errors: EIO, ENOMEM */
int nash__proof_write(const struct nash_proof *f, const struct nash_many *s, const char *path);

#endif
