/* daoopt.h - what the command writes for daoopt: its elimination orders and mini-bucket tables. */
#ifndef GPUBE_FORMATS_DAOOPT_H
#define GPUBE_FORMATS_DAOOPT_H

#include "gpube/ir/model.h"

/* Writes an elimination order for daoopt, which takes the observed variables out itself. */
int gpube__write_daoopt_order(const struct gpube_model *m, const char *path, const int32_t *order);

/*
 * One function of a mini-bucket table: a message, or part of one.
 * bucket        the variable in whose bucket it is; -1: that of daoopt's dummy root
 * scope         arity variables, ascending
 * log10_values  n, the last variable fastest
 * over          n_over variables whose buckets it passes over, on its way from
 *               where it was made to 'bucket'
 * All variables are the model's, and none is observed or has one value.
 */
struct gpube_minibucket_function {
	int32_t id, bucket;
	int arity, n_over;
	const int32_t *scope, *over;
	int64_t n;
	const double *log10_values;
};

struct gpube_minibuckets {
	int ibound;
	double log10_upper; /* bound of the whole problem */
	int64_t n_functions;
	const struct gpube_minibucket_function *functions;
};

/*
 * gpube__write_minibuckets() - the heuristic that daoopt loads by --minibucket.
 * Errors: EINVAL (a scope, a bucket or a size that is not the model's), EIO, ENOMEM
 */
int gpube__write_minibuckets(
	const struct gpube_model *m, const char *path, const struct gpube_minibuckets *b);

#endif
