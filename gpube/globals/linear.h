/*
 * linear.h - linear constraints of any width: what the values of variables add up to, compared with
 * a number. Internal.
 *
 * A constraint becomes one table: of its forbidden tuples, or of its allowed ones, whichever are
 * fewer. The walk that lists them turns back where the least and the greatest sum that are still
 * possible leave none, so that a clause or an at-most-one may be of any width. What has too many of
 * both, or is wide and neither of these, becomes a chain of partial sums over hidden variables
 * (chain.h).
 */
#ifndef GPUBE_LINEAR_H
#define GPUBE_LINEAR_H

#include "gpube/globals.h"
#include "gpube/globals/sink.h"

/* A term of several literals: it adds its coefficient where all of them are true. */
struct gpube_linear_product {
	__int128 coefficient;
	int64_t literals, n; /* those from 'literals' on */
	int32_t last;        /* of its places in the scope */
};

struct gpube_linear_literal {
	int32_t place, value;
};

/* What a variable of the scope adds, in terms of it alone, is gains[first + value]. */
struct gpube_linear_place {
	int64_t first;
	int64_t products;     /* the first of those that end here, once they are sorted */
	__int128 least, most; /* of what comes from here on */
	__int128 sum;         /* of what is in front of here, in a walk */
	int64_t steps;        /* that adding its gain takes */
};

/*
 * One constraint after the other; zero-initialise all but the first two. A reader begins one, adds
 * places, gains and products, sets relation and right, and adds it to the model.
 */
struct gpube_linear {
	struct gpube_model *m;
	struct gpube_sink sink;
	int32_t n, *scope;
	enum gpube_relation relation;
	bool per_unit; /* it costs for each unit that is missing or too much; no products then */
	__int128 right;
	__int128 *gains;
	int32_t *tuple, *domains;
	struct gpube_linear_place *places; /* n + 1 */
	int64_t n_products, n_literals;
	struct gpube_linear_product *products;
	struct gpube_linear_literal *literals;
	int64_t stamp, n_seen;
	int64_t *seen; /* by variable: the stamp of the sum it was in last, and its place there */
	int64_t n_gains, gains_capacity, seen_capacity, scope_capacity, places_capacity,
		tuple_capacity, domains_capacity, products_capacity, literals_capacity;
};

void gpube__linear_begin(struct gpube_linear *l);
void gpube__linear_clear(struct gpube_linear *l);
/*
 * The place of a variable in the scope, to which it is added, with gains of 0, if it is new there.
 */
int gpube__linear_place(struct gpube_linear *l, int32_t *place, int32_t var);
/* The next literal of a product. */
int gpube__linear_literal(struct gpube_linear *l, int32_t place, int32_t value);
/* The literals from 'first' on are a product. */
int gpube__linear_product(struct gpube_linear *l, __int128 coefficient, int64_t first);

/* What a value of a place adds; for the caller to change. */
static inline __int128 *gpube__linear_gain(struct gpube_linear *l, int32_t place, int32_t value)
{
	return &l->gains[l->places[place].first + value];
}

/*
 * gpube__linear_add() - adds the constraint: where it does not hold it costs 'cost', or so much a
 * unit, and GPUBE_INF forbids that.
 * Errors: ERANGE (neither tuples nor a chain do), ELIMIT, ENOMEM, ESTOP; sets in->status
 */
int gpube__linear_add(struct gpube_linear *l, int64_t cost);

#endif
