/*
 * daoopt_tables.h - our mini-bucket tables as daoopt takes them in.
 *
 * daoopt searches the pseudo tree of the order over its own functions, from which it has
 * taken out observed variables and those of one value. At a node it multiplies
 * the functions of the node's bucket as they were read by the tables that stand in,
 * or pass over, that bucket: they must bound what the buckets below are worth, in
 * terms of these functions. So the tables are made of the same functions, not
 * of a simplified model, and the constants that were moved out of functions to
 * make them non-negative are put back, bucket by bucket.
 */
#ifndef GPUBE_CLI_DAOOPT_TABLES_H
#define GPUBE_CLI_DAOOPT_TABLES_H

#include "formats/uai/daoopt.h"
#include "gpube/options/options.h"
#include "gpube/partial.h"

/* What the two files hold. */
struct daoopt_tables {
	struct gpube_ctx *ctx;
	struct gpube_minibuckets mb;
	int32_t *order; /* of the given model's variables; those that are taken out come last */
	struct gpube_heuristic_info info;
	struct gpube_minibucket_function *functions; /* mb.functions, and what these point to: */
	int32_t *scopes, *over;
	double **values; /* a table each */
	int64_t n_values, over_capacity;
};

/*
 * daoopt_tables_make() - 'opts' as for gpube_heuristic_new(); an order is of the
 * given model's variables.
 * Errors: EINVAL (a model of costs); ERANGE (no assignment has a probability above
 *         0); those of gpube_heuristic_new()
 */
int daoopt_tables_make(
	struct daoopt_tables *out, const struct gpube_model *m, const struct gpube_opts *opts);
void daoopt_tables_clear(struct daoopt_tables *t);

#endif
