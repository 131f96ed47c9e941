/*
 * partial.h - bounds of partial assignments for a search of your own, and lists of the best
 * assignments.
 *
 * A heuristic has tables that are made once. At each node of a search they give a bound: no
 * completion of the node's partial assignment is better. Variables are assigned in one order, the
 * reverse of the elimination order. Every message from unassigned to assigned variables then has
 * all its variables assigned, and the bound is the sum of these messages and of the functions whose
 * variables are assigned. It equals the cost of the best completion where the i-bound reaches the
 * width, and at a leaf it is the cost of the assignment.
 */
#ifndef GPUBE_PARTIAL_H
#define GPUBE_PARTIAL_H

#include "gpube/gpube.h"

#ifdef __cplusplus
extern "C" {
#endif

/*
 * bound     of the whole model, in units of 10^-scale (of potentials -ln); GPUBE_INF: no assignment
 *           is allowed
 * scale     decimals of all bounds
 * shift     cells of tables are in units of 2^-shift * 10^-scale
 * ibound    the i-bound that was used
 * width     induced width of the order
 * maximise  1: the model is maximised, and bounds are upper bounds
 * exact     1: every bound equals the cost of the best completion
 * bytes     memory of all tables
 * backend   "cpu" or "cuda": where they were made; seconds_order, seconds_tables: in which time
 * order     n_vars variables of the model: the first is eliminated first and assigned last
 * n_tables  how many gpube_heuristic_table() describes
 */
struct gpube_heuristic_info { /* later versions have more fields */
	int64_t bound;
	int scale, shift, ibound;
	int32_t width;
	int maximise, exact;
	double bytes;
	const char *backend;
	double seconds_order, seconds_tables;
	const int32_t *order;
	int32_t n_tables;
};

struct gpube_heuristic;

/*
 * gpube_heuristic_new() - orders the model and makes the tables.
 * opts    method: mbe, mini-buckets; shift, mini-buckets after cost shifting on their join graph;
 *         costs, no tables. cutoff: bounds that reach it are GPUBE_INF. Others as
 *         gpube_option() lists them
 * The model is not needed afterwards. The result does not change, and any number of threads may
 * read it.
 * Cost:   MBE: O(n d^(ibound+1)) time, 4 or 8 bytes for each of d^ibound cells of
 *         a message and of each function's cells; SHIFT: d times the memory while
 *         it is made, and some tens of passes
 * Errors: EINVAL; ELIMIT (the tables do not fit the memory); ERANGE (totals pass
 *         2^63 or are so far apart, and in large models 2^60); ENOMEM; ESTOP; those of the backend
 * Source: Kask and Dechter, Artificial Intelligence 129, 2001.
 *         Example: plugins/example/bnb.c
 */
GPUBE_API int gpube_heuristic_new(
	struct gpube_heuristic **out, const struct gpube_model *m, const struct gpube_opts *opts);
GPUBE_API void gpube_heuristic_free(struct gpube_heuristic *h);
GPUBE_API const struct gpube_heuristic_info *gpube_heuristic_info(const struct gpube_heuristic *h);

/*
 * gpube_heuristic_bound() - the bound of a partial assignment, from all tables.
 * values  by variable of the model; the last 'depth' variables of the order are
 *         assigned, others are not read
 * Returns units of 10^-scale, in the model's direction. GPUBE_INF in either direction:
 *         no completion is allowed, or none is better than the cutoff; a value outside
 *         its domain is not allowed. A depth that the order does not have gives the
 *         bound that always holds: -GPUBE_INF, of a maximum GPUBE_INF - 1
 * Cost:   O(tables)
 */
GPUBE_API int64_t gpube_heuristic_bound(
	const struct gpube_heuristic *h, const int32_t *values, int32_t depth);

/*
 * A table: a message, or a function of the model as it was simplified.
 * from   the variable whose bucket sent it; -1: a function
 * to     the variable whose bucket takes it; -1: of no variables, a part of the bound
 * scope  arity variables of the model, ascending
 * cells  how many
 */
struct gpube_heuristic_table {
	int32_t from, to;
	int arity;
	const int32_t *scope;
	int64_t cells;
};

GPUBE_API void gpube_heuristic_table(
	struct gpube_heuristic_table *out, const struct gpube_heuristic *h, int32_t table);
/*
 * gpube_heuristic_cells() - the cells of a table: costs to be minimised, negated where the model is
 * maximised.
 * out     as many cells as gpube_heuristic_table() says, row-major over its scope, the last
 *         variable fastest; GPUBE_INF: forbidden
 */
GPUBE_API void gpube_heuristic_cells(int64_t *out, const struct gpube_heuristic *h, int32_t table);

/*
 * A path of the search tree: the variables assigned so far. Each belongs to one
 * thread; the calls on it cannot fail, and gpube_path_new() is called by the
 * context's thread.
 */
struct gpube_path;

/* Errors: ENOMEM */
GPUBE_API int gpube_path_new(struct gpube_path **out, const struct gpube_heuristic *h);
GPUBE_API void gpube_path_free(struct gpube_path *p);
/* The variable that is assigned next; -1: all are. */
GPUBE_API int32_t gpube_path_next(const struct gpube_path *p);
/* As gpube_heuristic_bound(); O(1). */
GPUBE_API int64_t gpube_path_bound(const struct gpube_path *p);
/*
 * gpube_path_bounds() - the bound for each value of the next variable.
 * bounds  out: as many as its domain has values
 * Cost:   O(domain) for each table in the next variable's bucket, and O(1) for
 *         each message that the bucket sent; again at the same node O(domain)
 */
GPUBE_API void gpube_path_bounds(struct gpube_path *p, int64_t *bounds);
/*
 * Assigns the next variable, if there is one; returns the new bound: GPUBE_INF of a value outside
 * its domain.
 */
GPUBE_API int64_t gpube_path_push(struct gpube_path *p, int32_t value);
/* Takes the last assignment back, if there is one. */
GPUBE_API void gpube_path_pop(struct gpube_path *p);
/* n_vars values by variable, -1: not assigned. */
GPUBE_API const int32_t *gpube_path_values(const struct gpube_path *p);

/* ---- list ------------------------------------------------------------- */

/*
 * n       number of assignments, by cost and then in lexicographic order
 * costs   n costs, in units of 10^-scale; of potentials -ln
 * values  n rows of n_vars value indices
 * more    1: other assignments are within the limit too, and of those that cost as much as the last
 *         one any may be listed; 0: these are all; -1: not known, with a distance
 */
struct gpube_list {
	int64_t n;
	int32_t n_vars;
	int scale, more;
	int64_t *costs;
	int32_t *values;
};

/*
 * gpube_list() - the best assignments, each priced again from the model's costs (-ln as rounded). A
 * search with the bounds of a gpube_heuristic; where these are exact, every step leads to an
 * assignment. With option "distance" from 2 on each next one is optimal among those that differ in
 * so many variables, hidden ones apart, from all before: a solver (solver.h) finds it with a linear
 * constraint for each (globals.h).
 * Cost:   that of gpube_heuristic_new(), and with exact bounds O(n_vars) nodes for an assignment
 * Errors: as gpube_heuristic_new(), with a distance as gpube_solver_run() and
 *         gpube_model_add_linear(); EINVAL (most < 0, limit); ELIMIT (they do not fit the memory);
 *         ESTOP: *out has what was found so far. Example: tests/bound/test_list.c
 */
GPUBE_API int gpube_list(
	struct gpube_list **out, const struct gpube_model *m, const struct gpube_opts *opts);

#ifdef __cplusplus
}
#endif
#endif
