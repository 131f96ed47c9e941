/*
 * search.h - tabu search for good assignments of a simplified model: upper bounds. It proves
 * nothing.
 *
 * One step changes the variable and value that cost least, a worse one if it must, and does not
 * change that variable back for some steps. Where nothing gets better for long it starts again,
 * from near the best or from what annealing leaves. All annealings take at most as much work as
 * everything else, and one takes a part of that: the longer a search has run, the slower it cools.
 * What each value of each variable would cost is kept up to date, and by a tree over the variables
 * which changes cost least: a step costs the functions of the changed variable times their domains,
 * and the tree's depth for each of their variables.
 *
 * Where it starts, and from an assignment that it is given, it moves by cutsets first. The
 * variables of a random cutset keep their values; it is so large that all others can be eliminated
 * by small tables, and these take the least of all their assignments (Hamze and de Freitas, 2004,
 * drew samples so with trees; Selby, 2014, took the least). The variable with the smallest table
 * goes next, as in min-degree orders; where all tables are too large, one that has a large one
 * joins the cutset. A move costs the cells of the tables; of a grid four fifths may change.
 *
 * Each new start is then crossed with the best assignment: the variables in which the two differ
 * take the least of all their assignments, and the others keep their values. On sparse graphs the
 * variables that differ form many parts that share no function, and each part becomes at least as
 * good as it is in the best assignment. That is why a start may be the best assignment after a
 * short, less hot annealing: what becomes worse in one part costs nothing in the others. Crossings
 * take at most a tenth of the work; when they have had that, starts near the best are random
 * changes of it. Designs weighed. (1) Each part as it is in one of the two (partition crossover:
 * Tinos, Whitley, Chicano, 2015): as good on the one torus that was tried. (2) No start but from
 * the best: better on tori, worse elsewhere. (3) Crossings without a limit: where tables are large
 * they take the time of everything else. (4) This one (runs/sweeps-h200).
 */
#ifndef GPUBE_SEARCH_H
#define GPUBE_SEARCH_H

#include "gpube/base/arrays.h"
#include "gpube/ir/graph.h"

/* Neighbours of a variable that is eliminated, at most. */
enum { GPUBE__CUTSET_NEAR = 16 };

/* What a variable has where it is eliminated. */
struct gpube_search_bucket {
	int32_t n_near, near[GPUBE__CUTSET_NEAR]; /* its neighbours, those of the cutset apart */
	int32_t message;                          /* where its message begins, and its choices */
	int32_t first, next; /* variables: whose message it gets first, whose comes after its own */
};

/* A random cutset, and elimination of all other variables (search_cutset.c). */
struct gpube_search_cutset {
	struct gpube__arrays arrays;
	int64_t *start;             /* n_vars + 1: of 'neighbours' */
	int32_t *neighbours;        /* by functions with dense tables, each once */
	int32_t *size;              /* log2 of the domain, in eighths */
	int32_t *order;             /* all variables, shuffled */
	int32_t limit;              /* of a table, in the same */
	uint8_t *is;                /* by variable */
	int32_t *n_near, *near;     /* neighbours that are left, a fixed number of places each */
	int32_t *weight;            /* sum of the sizes of a variable and these */
	int32_t n_live, *live, *at; /* variables that are left, and where each is there */
	/* rings of variables of one weight each, with heads behind all variables; the least used */
	int32_t *after, *before, least;
	int32_t n, *vars, *place; /* those eliminated, in their order; where each is there */
	struct gpube_search_bucket *buckets;
	int32_t n_costs;
	int64_t *costs;     /* of messages */
	uint16_t *choice;   /* the value that each is for */
	int64_t *sum, *own; /* scratch: of a bucket's tables; of its variable by itself */
	int32_t *from;
};

/* Changes that cost least, and how many these are; n = 0: there is none. */
struct gpube_least {
	int64_t cost, n;
};

/* Steps for which a value is tabu, at most. */
#define GPUBE__LONGEST_TABU(n_vars) (20 + (n_vars) / 10)

/* The changes of one variable that cost least (search_moves.c). */
struct gpube_search_moves {
	/* of a variable or of those below: of all values but its own, and of those that are free */
	struct gpube_search_node {
		struct gpube_least all, free;
	} * nodes;
	int n_levels;
	int32_t start[34]; /* per level: its first node; variables are the first level */
	int32_t n_touched, *touched;
	uint8_t *is_touched;
	int64_t *tabu; /* per value: the step until which it is not taken again */
	/* one value becomes tabu a step: the slots that end at a step, and each one's variable */
	int32_t n_slots, *first, *next, *var;
};

struct gpube_search {
	struct gpube_ctx *ctx;
	const struct gpube_model *m;
	struct gpube_rng rng;
	int64_t *at;   /* n_vars + 1: value a of i is entry at[i] + a */
	int64_t *cost; /* of the functions of i at that value, others as they are */
	struct gpube_incidence functions;
	int64_t **dense;                /* per function: its cells, or NULL: too large */
	int64_t *stride;                /* in these, of the variables of all scopes */
	int64_t forbidden;              /* what a forbidden tuple costs */
	int32_t *values, *other, *mate; /* mate: the start that the best is crossed with */
	int64_t last;                   /* the step that was the last to get better */
	/* now: cost of 'values', forbidden tuples at that price; record: the least since a start */
	int64_t step, now, record;
	struct gpube_search_moves moves;
	struct gpube_search_cutset cutset;
	int32_t *best;     /* of all runs */
	int64_t best_cost; /* constant included; INT64_MAX: none yet, or not allowed */
	/* ticks so far; those of cutsets, of annealing, of crossing */
	int64_t worked, cutsets, annealed, crossed;
	bool started;
};

/* ctx: whose memory, stop and work it is. Errors: ENOMEM */
int gpube__search_new(struct gpube_search **out, struct gpube_ctx *ctx, const struct gpube_model *m,
	uint64_t seed);
void gpube__search_free(struct gpube_search *s);

/*
 * gpube__search_run() - 'steps' steps from 'from', or on from where it was if
 * NULL; true if best got better. Ends early when gpube__stopped().
 */
bool gpube__search_run(struct gpube_search *s, const int32_t *from, int64_t steps);

/*
 * gpube__search_take() - takes an assignment of another search or method, if its total is less than
 * that of the best so far: later starts are near it, or are crossed with it.
 * total  of gpube_model_cost(), less than GPUBE_INF
 */
void gpube__search_take(struct gpube_search *s, const int32_t *values, int64_t total);

/* ---- of search_moves.c ----------------------------------------------------------------------- */

/* Errors: ENOMEM; what there is is for _clear() */
int gpube__search_moves_init(struct gpube_search *s);
void gpube__search_moves_clear(struct gpube_search *s);
/* Every variable is looked at anew, and no value is tabu. */
void gpube__search_moves_reset(struct gpube_search *s);
/* Begins the next step, whose number is s->step: values whose time ends are free. */
void gpube__search_moves_step(struct gpube_search *s);
/* Variable i has changed, and s->cost of all that share a function with it. */
void gpube__search_moves_changed(struct gpube_search *s, int32_t i);
/* Not value a of i for so many steps, of 1 to GPUBE__LONGEST_TABU(); once a step. */
void gpube__search_moves_forbid(struct gpube_search *s, int32_t i, int32_t a, int64_t steps);
/*
 * gpube__search_moves_pick() - a random one of the changes that cost least, of values that are free
 * or, if that beats the record, of all. False: there is none.
 */
bool gpube__search_moves_pick(struct gpube_search *s, int32_t *var, int32_t *value);

/* ---- of search_cutset.c ---------------------------------------------------------------------- */

/* Errors: ENOMEM; what there is is for _clear() */
int gpube__search_cutset_init(struct gpube_search *s);
void gpube__search_cutset_clear(struct gpube_search *s);
/*
 * gpube__search_cutset() - a random cutset, and in 'values' the least of all assignments in which
 * its variables keep the values of s->values; of several any. s->cost is up to date.
 * unlike  an assignment; all variables that have the same value there are in the cutset. Or NULL
 */
void gpube__search_cutset(struct gpube_search *s, const int32_t *unlike, int32_t *values);

#endif
