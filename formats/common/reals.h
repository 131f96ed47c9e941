/*
 * reals.h - costs that are read or computed as doubles. Internal to formats/.
 *
 * While it reads, a reader gives its model of costs tables of doubles, in which
 * INFINITY forbids; at the end they all become integers with one scale.
 */
#ifndef GPUBE_REALS_H
#define GPUBE_REALS_H

#include "formats/io/io.h"

/*
 * gpube__reals_to_costs() - the tables of doubles as integers, 'constant' added
 * to the model's.
 * The scale is the fewest decimals, from 'decimals' on, that hold every value as
 * 15 significant digits write it, but at most 12 and no more than keep every
 * total below 2^62; what is rounded then is said.
 * Errors: ERANGE (a value or a total passes 2^62), ENOMEM
 */
int gpube__reals_to_costs(
	struct gpube_model *m, struct gpube_in *in, double constant, int decimals);

/*
 * gpube__put_potential() - the potential that was just read as v from a text of n bytes, behind k
 * others of a table, all times 2^-*power.
 * Errors: ERANGE (such small and such large ones are not in one table)
 */
int gpube__put_potential(struct gpube_in *in, double *values, int64_t k, double v, const char *text,
	size_t n, int *power);

/* A function with a dense table of doubles, whose memory it takes in every case. */
int gpube__reals_add(
	struct gpube_model *m, int arity, const int32_t *scope, double *values, const char *name);

/* Tuples in any order and their values, until they are a function; zero-initialise the rest. */
struct gpube_weights {
	int arity;
	const int32_t *scope;
	int64_t n, tuples_capacity, values_capacity;
	int32_t *tuples;
	double *values; /* INFINITY: forbidden */
};

/* Errors: ENOMEM */
int gpube__weights_add(
	struct gpube_model *m, struct gpube_weights *w, const int32_t *tuple, double value);
/*
 * gpube__weights_finish() - the function, with a table that is dense where that is no larger, or
 * little. Frees 'w' in every case.
 * dflt   of all other tuples; NAN: there must be none
 * bad    out: -1, or the tuple that was given twice; n: some are missing
 *        (then there is no function)
 * Errors: ELIMIT, ENOMEM; in->status of the first alone
 */
int gpube__weights_finish(struct gpube_model *m, struct gpube_in *in, struct gpube_weights *w,
	double dflt, const char *name, int64_t *bad);

#endif
