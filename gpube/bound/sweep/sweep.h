/*
 * sweep.h - proofs for models of narrow fronts and many forbidden tuples: dynamic programming
 * along a linear order of the variables whose states are kept one by one.
 *
 * The variables are assigned in one order. What the rest can cost depends on the front alone: the
 * assigned variables that still share a function with an unassigned one. So of all assignments
 * with the same values on the front only the cheapest is kept, and of these only what, with a
 * bound of the rest (heuristic.h: messages of mini-buckets along the same order, over the front,
 * too), stays below the limit. If none is left, or the last one, the optimum is proved.
 * When more states are left than there is room for, those with the least sum of both are kept; the
 * least sum that was dropped still is a lower bound, and what comes out at the end an assignment.
 * Runs with ever more room end in a proof.
 *
 * Designs weighed, on SPOT5 (domains of 2 and 4, hard binary and ternary constraints). (1) Bucket
 * elimination with dense tables: 42 joins 2 * 10^14 cells, 505 5 * 10^11. (2) Sparse tables along a
 * tree decomposition: fewer tuples than along a line, but the tables of different branches are not
 * about one assignment, so that nothing is known of what is outside but a bound of all of it, and
 * none gives an assignment before the end. (3) Depth-first branch and bound that keeps solved
 * subproblems: meets the same states, in an order that hits no cache. (4) This one: of 42's front
 * of up to 2^44 assignments at most 4 * 10^6 are allowed, 5 * 10^7 in all layers together, before
 * any bound is asked. (5) Dropping states that others dominate: in 42 hardly any is.
 *
 * Source: Koster, van Hoesel, Kolen, Networks 40, 2002 (states kept one by one); Verfaillie,
 * Lemaitre, Schiex, AAAI 1996 (the line, for SPOT5).
 */
#ifndef GPUBE_SWEEP_H
#define GPUBE_SWEEP_H

#include "gpube/bound/bound.h"
#include "gpube/heuristic/heuristic.h"

/* ---- the line (sweep_order.c) ------------------------------------------------------------- */

/*
 * gpube__sweep_order() - a linear order of fronts that few assignments are allowed on, by
 * annealing.
 * order   in: where to begin, unless the vertices' numbers are better; out: order[0] is assigned
 *         first
 * hopeless      where the guess is far above that, nothing better is searched for; it may be
 *               INFINITY then, and layers unknown
 * most_seconds  of the search, about
 * guess   out: log2 of the states in all layers, were none forbidden by a bound
 * layer   out: the states in each layer so guessed, the last layer first
 * The same seed gives the same order. Ends early when gpube__stopped().
 * The guess takes the variables of a front one after the other, and lets each value have the share
 * that the values of those before it allow, as if these were independent: on SPOT5 within a factor
 * of two for every layer, where the front's cells are 10^5 times as many. Errors: ENOMEM
 */
int gpube__sweep_order(struct gpube_ctx *ctx, int32_t *order, double *guess, double *layer,
	const struct gpube_model *m, const struct gpube_graph *g, double hopeless,
	double most_seconds, uint64_t seed);

/* ---- layers (sweep_layer.c) ------------------------------------------------------------------ */

/* A state's key, or the bits of some variables in it. */
enum { GPUBE__SWEEP_WORDS = 2 };
struct gpube_sweep_key {
	uint64_t word[GPUBE__SWEEP_WORDS];
};

static inline struct gpube_sweep_key gpube__key_or(
	struct gpube_sweep_key a, struct gpube_sweep_key b)
{
	for (int w = 0; w < GPUBE__SWEEP_WORDS; w++)
		a.word[w] |= b.word[w];
	return a;
}

static inline struct gpube_sweep_key gpube__key_minus(
	struct gpube_sweep_key a, struct gpube_sweep_key b)
{
	for (int w = 0; w < GPUBE__SWEEP_WORDS; w++)
		a.word[w] &= ~b.word[w];
	return a;
}

static inline int gpube__key_count(struct gpube_sweep_key a)
{
	int n = 0;

	for (int w = 0; w < GPUBE__SWEEP_WORDS; w++)
		n += __builtin_popcountll(a.word[w]);
	return n;
}

/* 'bits' in the place that begins at bit 'shift', in one word. */
static inline struct gpube_sweep_key gpube__key_at(int shift, uint64_t bits)
{
	struct gpube_sweep_key a = {{0}};

	a.word[shift / 64] = bits << shift % 64;
	return a;
}

/*
 * Costs over some variables of the front: cells[the bits of 'mask' in a state's key, moved
 * together], of which value x of the variable that is assigned makes step[x].
 */
struct gpube_sweep_table {
	struct gpube_sweep_key mask;
	int bits, low_bits; /* low_bits: of the mask's first word */
	void *cells;        /* int64 or int32: see gpube_sweep_kernels */
	uint32_t *step;
};

/*
 * Where each variable is in a key. A bit is used again when its variable has left the front.
 * All by position of the heuristic's order, which assigns the last position first.
 */
struct gpube_sweep_keys {
	int32_t *shift, *bits;
	int32_t *last; /* the position at which it leaves */
	int words;     /* of a key that are in use */
};

/* What the step that assigns the variable at 'position' adds up. */
struct gpube_sweep_layer {
	int32_t position, n_values;
	int shift;                   /* of its values in a key */
	struct gpube_sweep_key keep; /* bits of the front after it */
	int n_paid, n_tables;
	struct gpube_sweep_table
		*tables;    /* n_paid of functions that are now assigned, then the rest's bound */
	int64_t paid, owed; /* the same of tables without a bit */
	int64_t most; /* no cell is more: with all that cells take off it still is the limit */
};

struct gpube_sweep_kernels;

/* fits  out: whether keys have room for the fronts, and values for a byte. Errors: ENOMEM */
int gpube__sweep_keys_init(struct gpube_sweep_keys *k, const struct gpube_heuristic *h, bool *fits);
void gpube__sweep_keys_clear(struct gpube_ctx *ctx, struct gpube_sweep_keys *k);

/*
 * limit   sums from here on are of no interest
 * states  that are to be followed: of many, tables are larger, and fewer
 * Errors: ENOMEM
 */
int gpube__sweep_layer_init(struct gpube_sweep_layer *l, const struct gpube_heuristic *h,
	const struct gpube_sweep_keys *k, const struct gpube_sweep_kernels *kernels,
	int32_t position, int64_t limit, int64_t states);

/* What all tables together take off a sum at most, as a number below zero. */
int64_t gpube__sweep_taken_off(const struct gpube_heuristic *h);
void gpube__sweep_layer_clear(struct gpube_ctx *ctx, struct gpube_sweep_layer *l);

/* The bits of 'mask' in key, moved together. */
static inline uint64_t gpube__sweep_gather(uint64_t key, uint64_t mask)
{
	uint64_t out = 0;

	for (int at = 0; mask;) {
		int low = __builtin_ctzll(mask), run;

		run = __builtin_ctzll(~(mask >> low)); /* at most 63: a table has few bits */
		out |= (key >> low & (((uint64_t)1 << run) - 1)) << at;
		mask &= ~((((uint64_t)1 << run) - 1) << low);
		at += run;
	}
	return out;
}

static inline uint64_t gpube__sweep_gather_key(
	struct gpube_sweep_key key, struct gpube_sweep_key mask)
{
	return gpube__sweep_gather(key.word[0], mask.word[0]) |
	       gpube__sweep_gather(key.word[1], mask.word[1]) << __builtin_popcountll(mask.word[0]);
}

#endif
