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
 * Where it starts, and from an assignment that it is given, forests come first: variables that
 * functions join to trees take the least of all their assignments, the others as they are, found by
 * elimination along the trees (Hamze and de Freitas, 2004, drew samples so; Selby, 2014, took the
 * least). A forest costs the functions of its variables times the domains of both ends, and has
 * half of the variables of a grid.
 */
#ifndef GPUBE_SEARCH_H
#define GPUBE_SEARCH_H

#include "gpube/ir/graph.h"

/* Variables that functions join to trees, when the others keep their values (search_forest.c). */
struct gpube_search_forest {
	int32_t n, *vars;       /* parents before their children */
	int32_t *parent;        /* by variable of the model; -1: a root */
	uint8_t *is;            /* by variable */
	int32_t *order, *queue; /* scratch */
	int64_t *sum;           /* by value, as search's cost: of all below it */
	int64_t *row;           /* scratch, of one variable */
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
	int64_t **dense;   /* per function: its cells, or NULL: too large */
	int64_t *stride;   /* in these, of the variables of all scopes */
	int64_t forbidden; /* what a forbidden tuple costs */
	int32_t *values, *other;
	int64_t last; /* the step that was the last to get better */
	/* now: cost of 'values', forbidden tuples at that price; record: the least since a start */
	int64_t step, now, record;
	struct gpube_search_moves moves;
	struct gpube_search_forest forest;
	int32_t *best;     /* of all runs */
	int64_t best_cost; /* constant included; INT64_MAX: none yet, or not allowed */
	/* ticks so far; those of forests, of annealing */
	int64_t worked, forests, annealed;
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

/* ---- of search_forest.c ---------------------------------------------------------------------- */

/* Errors: ENOMEM; what there is is for _clear() */
int gpube__search_forest_init(struct gpube_search *s);
void gpube__search_forest_clear(struct gpube_search *s);
/*
 * gpube__search_forest() - a random forest, and in 'values' the least assignment of all in which
 * variables that are not of it keep the values of s->values; of several any. s->cost is up to date.
 */
void gpube__search_forest(struct gpube_search *s, int32_t *values);

#endif
