/*
 * heuristic.h - inside the bounds of partial assignments (partial.h): the tables,
 * and how they are made.
 *
 * With the buckets from some position on assigned, everything costs at least
 *
 *     the functions whose variables are all assigned
 *   + the messages sent by buckets before it to buckets from it on,
 *
 * and a message's variables are all assigned if the first of them is, in whose
 * bucket it is. So the step that assigns the variable of bucket p takes out the messages
 * that p sent and adds the functions and messages in p: the tables that 'to'
 * and 'from' name. That matching shifts costs between the parts of one bucket
 * changes nothing, for these shifts add up to nothing; and so it is with costs
 * shifted there and back along the join graph, if a message is all that went along its
 * edge (gpube__joingraph_record()), for what stays is never negative.
 *
 * Designs weighed. (1) The reparametrised tables in place of functions and messages:
 * no messages to look up, but a table of a bucket is a domain's factor larger
 * than its message. (2) One table a bucket over all that is in it: exponential in
 * the width. (3) This one.
 *
 * Layout. The variable of the bucket that a table is in is the fastest, so that
 * the costs of its values are one run of memory.
 *
 * Numbers. Cells are units of 2^-shift of the model's, int32 where all fit.
 * GPUBE__H_DEAD stands for forbidden ones; what is added up stays below 2^62 by
 * clipping, which never raises a bound, and 'limit' is at most 2^60, so that a
 * sum with a dead cell, whatever is taken off it, reaches the limit.
 *
 * What lies too far apart for that is, where it is small, eliminated in 128 bits (regrets.h): all
 * tables are then functions of int64, nothing is negative, dead is GPUBE_INF, and sums are cut off
 * there ('far').
 */
#ifndef GPUBE_HEURISTIC_H
#define GPUBE_HEURISTIC_H

#include "gpube/partial.h"
#include "gpube/options/options.h"
#include "gpube/relax/mbe/mbe.h"
#include "gpube/simplify/simplify.h"

#define GPUBE__H_DEAD  ((int64_t)1 << 61)
#define GPUBE__H_LIMIT ((int64_t)1 << 60)

/* Positions are those of the order over the given model's variables. */
struct gpube_htable {
	int32_t from; /* position of the bucket that sent it; -1: a function */
	int32_t to;   /* position of its first variable; n: it has none */
	int32_t n_scope;
	int64_t scope_at; /* positions, ascending: h.scopes[scope_at …], their h.strides, h.vars */
	int64_t cells;
	bool wide; /* int64, or int32 with INT32_MAX for dead ones */
	void *values;
};

struct gpube_heuristic {
	struct gpube_ctx *ctx;
	struct gpube_heuristic_info info;
	int32_t n;
	int32_t *order, *position;
	int32_t *domain; /* by position: of the given model's variable */
	int32_t *live;   /* by position: how many of these values are left */
	/* value a at position p is live value value[value_at[p] + a], -1: it is gone */
	int64_t *value_at;
	int32_t *value;
	int64_t n_live; /* sum of live */

	int32_t n_tables;
	int64_t tables_capacity, n_scopes, scopes_capacity, strides_capacity, vars_capacity;
	struct gpube_htable *tables;
	int32_t *scopes, *vars; /* vars: the scope as given variables, ascending */
	int64_t *strides;
	/* tables in a bucket, and those that it sent: in[in_first[p] … in_first[p + 1] - 1] */
	int32_t *in_first, *in, *out_first, *out;

	bool far;      /* sums up to 2^63, of functions only */
	int64_t root;  /* what the tables of no variables add up to */
	int64_t limit; /* sums from here on are dead */
	int64_t constant;
};

/* ---- making the tables ---------------------------------------------------------------- */

struct gpube_heuristic_maker {
	struct gpube_heuristic *h;
	const struct gpube_opts *opts;
	const struct gpube_model *m; /* simplified */
	int32_t *order;              /* of m */
	int32_t *at;                 /* positions in 'order' to those in h->order */
	int64_t limit;               /* totals of m from here on are of no interest */
	enum gpube_partition partition;
	double negative; /* what the tables take off at most, together */
};

/*
 * gpube__heuristic_tables() - all tables, and with them unit, limit and root.
 * Errors: as gpube_heuristic_new()
 */
int gpube__heuristic_tables(struct gpube_heuristic_maker *k);

/*
 * gpube__heuristic_far_tables() - the same of what gpube__add_regrets() has left, in the order of
 * its tables.
 * Errors: ERANGE (totals may leave 64 bits), ENOMEM, ELIMIT
 */
int gpube__heuristic_far_tables(struct gpube_heuristic_maker *k, bool feasible);

/* A sum of cells as a total of the given model. */
int64_t gpube__heuristic_total(const struct gpube_heuristic *h, int64_t sum);

#endif
