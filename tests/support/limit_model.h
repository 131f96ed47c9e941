/*
 * limit_model.h - random models whose costs, sums and tops are at the limits of every type, as the
 * text of a file, with what is right found by an enumeration in 128 bits.
 */
#ifndef GPUBE_TEST_LIMIT_MODEL_H
#define GPUBE_TEST_LIMIT_MODEL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "gpube/base/base.h"

typedef __int128 wide;

enum { MOST_VARS = 3, MOST_DOMAIN = 3, MOST_FUNCTIONS = 4, MOST_CELLS = 27 };

struct limit_function {
	int arity;
	int32_t scope[MOST_VARS];
	int cells;
	bool sparse; /* the last cell's cost is the default */
	wide cost[MOST_CELLS];
	bool forbidden[MOST_CELLS];
};

/* A model as it is written: numbers in units of 10^-decimals. */
struct limit_model {
	uint64_t seed;
	int n_vars, n_functions, decimals;
	/* observed, not in the text: -1: it is not */
	int32_t domain[MOST_VARS], observed[MOST_VARS];
	bool maximise;
	bool plain; /* no decimals, nothing negative: a .wcsp */
	wide top;
	struct limit_function f[MOST_FUNCTIONS];
	char text[1 << 14];
	size_t n;
	bool in_range;   /* every number fits 64 bits, and the sum of those of no variables */
	bool totals_fit; /* so does every total */
	bool feasible;
	wide best, dearest; /* of the minimisation, of what is allowed */
	uint64_t n_optima;
};

void draw_limits(struct limit_model *s, uint64_t seed);

/* A number next to +-2^31, 2^53 or 2^60 to 2^63. */
wide near_limit(struct gpube_rng *rng);

/* Whether v is one of the costs that a model can have. */
bool fits(wide v);

/* False: forbidden. 'cost' is of the minimisation. */
bool price(wide *cost, const struct limit_model *s, const int32_t *values);

/* The next assignment, from one of zeros; false after the last. */
bool next_values(int32_t *values, const struct limit_model *s);

#endif
