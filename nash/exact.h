/*
 * exact.h - best-response polytopes in integers, their vertices, and equilibria
 * as pairs of vertices. Internal to nash/; only with FLINT.
 *
 * The side of a player: x in their simplex and v with C_j x <= v for each action
 * j of the opponent, C being the opponent's payoffs. Variables are numbered: 0 to
 * k-1 the probabilities x_i, k to k+l-1 the slacks v - C_j x. Both sides share the
 * labels: 0 to m-1 the actions of player 1, m to m+n-1 those of player 2. A point
 * has the labels of its variables that are zero; two vertices that together have
 * all labels are an extreme equilibrium, and those are all there are.
 */
#ifndef NASH_EXACT_H
#define NASH_EXACT_H

#include <flint/fmpq.h>
#include <flint/fmpz.h>
#include <flint/fmpz_mat.h>
#include <flint/fmpz_vec.h>
#include <pthread.h>

#include "gpube/base/bits.h"
#include "gpube/base/mask_index.h"
#include "gpube/ops/faces/faces.h"
#include "gpube/ops/support/support.h"
#include "nash/result.h"

/*
 * nash__room() - before integers grow: whether there is memory. Where it was short since the last
 * call on this thread, a reserve stood in (reserve.c), and integers are right all the same.
 * bytes   that one calculation takes, if they may be more than a MiB
 * Errors: ENOMEM
 */
int nash__room(struct gpube_ctx *ctx, uint64_t bytes);

/*
 * c  l * k opponent's payoffs as integers >= 0: scaled to a common denominator,
 *    shifted for each own action (best responses do not notice), and each own
 *    action's multiplied by a positive number (see problem.c)
 * weight  what makes a point of the game of a point of the side: x_i is in proportion to
 *    weight[i] times the side's; NULL: all 1
 * f  the same scaled into [0, 1], each within 2^-50 relative
 * flip  0 for player 1, 1 for player 2
 */
struct nash_side {
	int32_t k, l;
	int flip;
	fmpz *c, *weight;
	double *f;
};

/*
 * What was found is merged and certified for a while when time is up, or the caller has stopped the
 * work: 'until' is set then. With a time limit the search leaves time for that: the deadline of
 * the context moves towards the start, by what each equilibrium that is found will take.
 * seconds  for certifying, at least
 * end      when all is to be written; 0: no limit
 * each     seconds that an equilibrium takes to be certified and written
 * found    by all searches
 */
struct nash_patience {
	struct gpube_ctx *ctx;
	double seconds, until, end, each;
	int64_t found;
};

/* Whether it is over; from any thread. */
bool nash__impatient(struct nash_patience *w);

/*
 * What is solved: the game without removed actions.
 * pay   of player p + 1 as integers over den[p], m * n row-major
 * map   of an action that is left: its number in the game as read
 */
struct nash_problem {
	struct gpube_ctx *ctx;
	const struct gpube_model *game;
	int32_t m, n;
	int words; /* of a label mask: m + n bits */
	int32_t *map[2], removed[2];
	fmpz *pay[2];
	fmpz den[2];
	struct nash_side side[2];
	struct nash_patience *patience; /* NULL: as long as it takes */
};

/* A number of any size, in lowest terms. */
void nash__fraction(fmpq_t to, const struct gpube_rational *v);
/*
 * All payoffs of a player as integers over their least common denominator, which most tables have.
 * Errors: ENOMEM
 */
int nash__integers(struct gpube_ctx *ctx, fmpz *pay, fmpz_t lcm, const struct gpube_table *t);
/*
 * Errors: ENOMEM (nothing to clear)
 * keep     keep strictly dominated actions
 * as_read  the whole game without those multiples: its sides' points are the game's
 */
int nash__problem_init(
	struct nash_problem *p, const struct gpube_model *g, bool keep, bool as_read);
void nash__problem_clear(struct nash_problem *p);

/* Label of a side's variable, and the other way round. */
static inline int32_t nash__label(const struct nash_side *s, int32_t var)
{
	if (!s->flip)
		return var;
	return var < s->k ? s->l + var : var - s->k;
}

static inline int32_t nash__variable(const struct nash_side *s, int32_t label)
{
	if (!s->flip)
		return label;
	return label < s->l ? s->k + label : label - s->l;
}

/* ---- dictionaries ---------------------------------------------------------- */

/*
 * basic[r] = (d[r][0] + sum_c d[r][c+1] * nonbasic[c]) / den with den > 0; all
 * entries are minors of the integers it began with, so that division by the
 * previous den leaves no remainder.
 */
struct nash_dict {
	struct gpube_ctx *ctx;
	int rows, cols;
	int32_t *basic, *nonbasic;
	fmpz **d; /* rows pointers, cols + 1 entries each */
	fmpz *store;
	int64_t n_store;
	fmpz_t den, old, t;
};

/* All entries 0, the denominator 1. Errors: ENOMEM (nothing to clear) */
int nash__dict_new(struct nash_dict *d, struct gpube_ctx *ctx, int rows, int cols);
/* The vertex at which the side's first action is played. Errors: ENOMEM (nothing to clear) */
int nash__dict_init(struct nash_dict *d, struct gpube_ctx *ctx, const struct nash_side *s);
/* The dictionary of {C x + slack = 1} with 1 added to C, at x = 0: Lemke and Howson's. */
int nash__dict_init_unit(struct nash_dict *d, struct gpube_ctx *ctx, const struct nash_side *s);
int nash__dict_copy(struct nash_dict *d, const struct nash_dict *from);
void nash__dict_clear(struct nash_dict *d);
/* Exchanges basic[row] and nonbasic[col]; the entry must not be 0. */
void nash__dict_pivot(struct nash_dict *d, int row, int col);
/* The row of a variable; -1: it is nonbasic. */
int nash__dict_row(const struct nash_dict *d, int32_t var);
/*
 * nash__dict_fix() - takes a variable to zero on the face where fixed[] variables are, and keeps it
 * so, as nonbasic or in a row without any variable that is not fixed; where it cannot be the face
 * is empty. Errors: ENOMEM
 */
int nash__dict_fix(struct nash_dict *d, const unsigned char *fixed, int32_t var, bool *empty);
/* Whether a variable is not zero everywhere on the face; goes where it is not. Errors: ENOMEM */
int nash__dict_raise(struct nash_dict *d, const unsigned char *fixed, int32_t var, bool *positive);

/*
 * The order in which variables are perturbed, so that every ratio test has one
 * winner. rank lists the variables; where[v] is v's row r, or -1 - column.
 */
struct nash_lex {
	int n;
	int32_t *rank, *where;
};

int nash__lex_init(
	struct nash_lex *lex, struct gpube_ctx *ctx, const struct nash_dict *d, int n_vars);
void nash__lex_clear(struct nash_lex *lex, struct gpube_ctx *ctx);
/* Exchanges what nash__dict_pivot() did. */
void nash__lex_pivot(struct nash_lex *lex, const struct nash_dict *d, int row, int col);
/*
 * The row that leaves when the column enters; -1: none, the column is unbounded. lex: NULL: of rows
 * that tie, the one of the least variable.
 */
int nash__lex_ratio(const struct nash_lex *lex, struct nash_dict *d, int col);

/* ---- vertices ----------------------------------------------------------------- */

/* A set of vertices of one side, each once: the label masks are their names. */
struct nash_vertices {
	struct gpube_ctx *ctx;
	const struct nash_side *side;
	int words;
	int64_t n, capacity, capacity_masks, capacity_coords;
	uint64_t *masks; /* words each */
	fmpz *coords;    /* k numerators and a denominator each, in lowest terms */
	struct gpube__mask_index index;
};

void nash__vertices_init(struct nash_vertices *v, const struct nash_problem *p, int side);
void nash__vertices_clear(struct nash_vertices *v);
static inline const uint64_t *nash__mask(const struct nash_vertices *v, int64_t k)
{
	return v->masks + k * v->words;
}
static inline const fmpz *nash__coords(const struct nash_vertices *v, int64_t k)
{
	return v->coords + k * (v->side->k + 1);
}
/* Divides k + 1 integers by what they have in common. */
void nash__lowest_terms(fmpz *coords, int32_t k);
/* at: out, its index, may be NULL. Takes the coordinates over when they are new, in any terms. */
int nash__vertices_add(struct nash_vertices *v, int64_t *at, const uint64_t *mask, fmpz *coords);

/*
 * nash__point() - the point whose k given variables are zero.
 * found  out: 1 it is a vertex of the side and now in v at *at; 0 there is no
 *        such point or it lies outside; -1 the equations do not determine one
 */
int nash__point(struct nash_vertices *v, int64_t *at, int *found, const int32_t *zero);

/*
 * nash__mask_of() - checks a point against every constraint, in integers.
 * Returns false if it lies outside; otherwise its labels are in mask.
 */
bool nash__mask_of(const struct nash_side *s, uint64_t *mask, int words, const fmpz *coords);

struct nash_list {
	int64_t n, capacity;
	int64_t *at;
};

/*
 * nash__face() - the vertices of the face of a side on which the variables with fixed[var] are
 * zero, by a walk over its bases; their indices are appended to the list.
 * fixed    k + l flags
 * Errors: ENOMEM; ESTOP
 * Source: Avis, A revised implementation of the reverse search vertex enumeration
 *         algorithm, 2000, for the perturbation; the bases are marked instead.
 */
int nash__face(struct nash_vertices *v, struct nash_list *list, const unsigned char *fixed);

/*
 * nash__face_walk() - calls 'visit' at every basis of the face at whose vertex a dictionary is,
 * which is changed: fixed columns and their rows go. Errors: ENOMEM; ESTOP; those of 'visit'
 */
typedef int nash_visit_fn(void *arg, const struct nash_dict *d);
int nash__face_walk(struct nash_dict *d, int n_vars, const unsigned char *fixed,
	nash_visit_fn *visit, void *arg);

/*
 * Of a face that doubles have come to: whether it is empty, otherwise the lp is made anew from
 * integers; its vertices.
 */
struct nash_lp;
int nash__face_refine(
	struct nash_lp *lp, struct gpube_ctx *ctx, const struct nash_side *s, bool *empty);
int nash__face_of_lp(struct nash_vertices *v, struct nash_list *list, const struct nash_lp *lp);

/*
 * nash__cone_new() - a side as a cone, for all its vertices by double description.
 * nash__cone_run() - goes on until they are in v.
 * units   of work to be done, of some nanoseconds each
 * Errors: ENOMEM; ESTOP; ELIMIT (the units are spent, no text): none is added yet, it can go on
 */
struct nash_cone;
int nash__cone_new(struct nash_cone **out, struct nash_vertices *v);
void nash__cone_free(struct nash_cone *c);
int nash__cone_run(struct nash_cone *c, int64_t units);
/*
 * Of some cones: their rays so far, those that meet more inequalities than determine them (copies
 * of one apart), the inequalities that have been added, all that there are to add.
 */
struct nash_cone_counts {
	int64_t rays, degenerate, added, all;
};
void nash__cone_count(const struct nash_cone *c, struct nash_cone_counts *sums);

/* ---- equilibria ----------------------------------------------------------------- */

/*
 * Where equilibria go that are not kept: see gpube_give_fn.
 * whole  the game as read
 * n      how many went
 */
struct nash_give {
	gpube_give_fn *fn;
	void *arg;
	struct nash_problem whole;
	pthread_mutex_t lock;
	int64_t n;
};

/*
 * What was found; each pair once.
 * give    NULL, or where branch and bound is to hand all over instead
 * device  branch and bound may go on on a device once that is open
 * used    out: it did
 */
struct nash_found {
	const struct nash_problem *p;
	struct nash_vertices v[2];
	int64_t n, capacity;
	struct gpube_nash_pair *pairs;
	struct gpube__mask_index index;
	struct nash_give *give;
	int64_t max;  /* 0: any number */
	int64_t work; /* nodes, bases, support pairs */
	bool device, used;
};

void nash__found_init(struct nash_found *f, const struct nash_problem *p);
void nash__found_clear(struct nash_found *f);
/* Whether two points with these labels are an equilibrium: they have all. */
bool nash__complete(const struct nash_problem *p, const uint64_t *a, const uint64_t *b);
/*
 * Adds vertices x and y of f->v if together they have all labels, otherwise nothing.
 * Errors: ENOMEM; ELIMIT when 'max' is reached, no text
 */
int nash__found_add(struct nash_found *f, int64_t x, int64_t y);
/*
 * Adds all of another search's, which has any of them afterwards.
 * Errors: as above; ESTOP (impatient: some are left out)
 */
int nash__found_merge(struct nash_found *f, struct nash_found *from);

/*
 * The methods. Errors: ENOMEM, EBUG; ESTOP (what was found stays); ELIMIT (max,
 * or the budget of steps, nodes, is spent; < 0: none), without a text.
 */
int nash__vertex_enumeration(struct nash_found *f, int64_t budget); /* 0: a short try */
/*
 * nash__partners() - all equilibria from all vertices of one side.
 * q        the side whose vertices f->v[q] are complete
 * budget   faces of the other side to go to at most; < 0: any number; what is left, out
 */
int nash__partners(struct nash_found *f, int q, int64_t *budget);
/*
 * The method that is predicted best; where it does not end soon, and the game is degenerate, the
 * other beside it, and the first to end has the answer. method: out, its name
 */
int nash__auto(struct nash_found *f, const char **method);
/* The second half of it. ve_share, eee_share: see struct gpube__runner */
int nash__race(struct nash_found *f, int ve_share, int eee_share, const char **method);

/*
 * Supports of one size, or of all (0). left_open: out, more pairs than could be decided were
 * too near to singular for doubles.
 */
struct nash_se {
	const struct gpube_support_ops *ops;
	int32_t size;
	/*
	 * the ranks of gpube-mpi (gpube/ranks/world.h), which share the pairs by round-robin: all
	 * call gpube_nash() alike, rank 0 gets the equilibria, the others a result without any;
	 * NULL: one rank
	 */
	struct dcop_world *world;
};

int nash__support_enumeration(struct nash_found *f, const struct nash_se *o, bool *left_open);
int nash__branch_and_bound(struct nash_found *f, int64_t budget);
/*
 * The same in parts of so many nodes: after ELIMIT it can go on. Without a budget, and with
 * f->device, it goes on on a device as soon as that is open, whose opening it begins (opening.h) if
 * the game is large.
 */
struct nash_branching;
int nash__branching_new(struct nash_branching **out, struct nash_found *f);
int nash__branching_run(struct nash_branching *b, int64_t budget);
/* What is left after ELIMIT is walked by an operator, to its end. Errors: also ERANGE, ECUDA */
int nash__branching_run_on(struct nash_branching *b, const struct gpube_faces_ops *ops);
void nash__branching_free(struct nash_branching *b);
/* The same with the tree walked by an operator, on a device. Errors: also ERANGE, ECUDA */
int nash__branch_and_bound_on(struct nash_found *f, const struct gpube_faces_ops *ops);
int nash__lemke_howson(struct nash_found *f, bool all_labels);
int nash__pure(struct nash_found *f);

/*
 * nash__index_sum() - sum of the indices of the equilibria, if all are regular:
 * it is 1 when none is missing.
 * regular  out
 * Errors: ENOMEM; ESTOP (impatient)
 * Source: Shapley, A note on the Lemke-Howson algorithm, 1974.
 */
int nash__index_sum(const struct nash_found *f, bool *regular, int *sum);
/*
 * Whether three quarters of the first equilibria found are regular, and there is one. Errors:
 * ENOMEM
 */
int nash__mostly_regular(const struct nash_found *f, bool *yes);

/*
 * nash__report() - fills xs, ys and pairs of a result, in the actions of the game
 * as read, sorted. Every equilibrium is checked against all payoffs once more; those for which time
 * was short are left out and counted, n_unchecked of the result.
 * Errors: ENOMEM; EBUG (one is none)
 */
int nash__report(struct gpube_nash_result *r, const struct nash_found *f);
/*
 * Checks and hands over the equilibrium of vertices x and y of f->v. Errors: ENOMEM; EBUG (it is
 * none); what the function returns
 */
int nash__hand_over(struct nash_give *g, const struct nash_found *f, int64_t x, int64_t y);

#endif
