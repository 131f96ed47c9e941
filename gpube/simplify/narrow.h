/*
 * narrow.h - models whose totals lie too far apart for sums of 64 bits.
 *
 * Everything after simplification adds up tables in 64 bits, each less its least cost, and writes a
 * forbidden cell as a number above all totals. A sum of n tables then needs (n + 1) times the room
 * of one total, twice that where a bound moves costs between them: that is what fits() in narrow.c
 * asks for, and where it holds no sum can overflow.
 *
 * Where it does not, only what costs no more than a known assignment is kept, which changes neither
 * the optimum nor who reaches it. First an assignment is searched for, and priced in 128 bits:
 * cells that no better one can use are forbidden, which is enough where large costs are penalties
 * that a solution avoids. What is too wide still is eliminated in 128 bits (narrow_eliminate.c), if
 * it is small: that leaves functions of 0 and forbidden, which the optimal assignments satisfy, and
 * they alone.
 *
 * Designs weighed. Sums of 128 bits, or that saturate, in every operator would make all of them
 * slower for models that hardly occur. To shift costs until the tables' minima add up to the
 * optimum takes what elimination takes, and tables that are as large.
 */
#ifndef GPUBE_NARROW_H
#define GPUBE_NARROW_H

#include "gpube/ir/dense.h"
#include "gpube/simplify/live.h"
#include "gpube/simplify/simplify.h"

/*
 * A cost of the minimisation; its sums stay below: there are less than 2^31 functions, of less than
 * 2^64.
 */
typedef __int128 gpube__wide_cost;
#define GPUBE__WIDE_FORBIDDEN ((gpube__wide_cost)1 << 120)

/*
 * gpube__narrow() - after gpube__live_propagate(), which is done again where cells are cut off.
 * out    NULL, or the model of the live values, which was eliminated; s->infeasible may be found
 * known  room for an assignment of s->m, one of least cost that was found; *found: whether one was
 * Errors: ERANGE (totals are too far apart, and elimination in 128 bits would be too large),
 *         ENOMEM, ESTOP
 */
int gpube__narrow(struct gpube_model **out, struct gpube_live *s, enum gpube__narrowing narrowing,
	int32_t *known, bool *found);

/* ---- inside narrow*.c ---- */

static inline gpube__wide_cost gpube__wide_constant(const struct gpube_live *s)
{
	return s->negate ? -(gpube__wide_cost)s->m->constant : s->m->constant;
}

/* What a function costs at an assignment of s->m. */
static inline gpube__wide_cost gpube__wide_price(
	const struct gpube_live *s, int32_t function, const int32_t *values)
{
	const int64_t v = gpube__function_cost(s->m, function, values);

	if (v == GPUBE_INF)
		return GPUBE__WIDE_FORBIDDEN;
	return s->negate ? -(gpube__wide_cost)v : v;
}

/*
 * gpube__wide_eliminate() - an optimal assignment, and the model that optimal assignments alone
 * satisfy, of as many values as are live, all of its costs 0. NULL if s->infeasible is found.
 * Errors: ERANGE (too large for this; the optimum passes 64 bits), ENOMEM, ESTOP
 */
int gpube__wide_eliminate(struct gpube_model **out, struct gpube_live *s, int32_t *values);

/*
 * What each value of a variable costs more than the best one, given those of the others in its
 * bucket.
 */
struct gpube__regret_table {
	int n;
	int32_t *scope; /* the eliminated variable last */
	int64_t cells;
	gpube__wide_cost *cost; /* the last variable fastest; GPUBE__WIDE_FORBIDDEN */
};

/* In the order of elimination: any total is the optimum and a cell of each table. */
struct gpube__regrets {
	struct gpube_ctx *ctx;
	int32_t n;
	struct gpube__regret_table *tables;
	gpube__wide_cost optimum;
};

/*
 * gpube__wide_regrets() - the same elimination; s->infeasible may be found.
 * order  of all variables, or NULL
 * out    clear it
 * Errors: ELIMIT (too large for this), ENOMEM, ESTOP
 */
int gpube__wide_regrets(struct gpube__regrets *out, struct gpube_live *s, const int32_t *order);
void gpube__regrets_clear(struct gpube__regrets *r);

#endif
