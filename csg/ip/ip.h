/*
 * ip.h - methods ip and idp-ip: Rahwan, Ramchurn, Jennings and Giovannucci, An anytime algorithm
 * for optimal coalition structure generation, JAIR 34, 2009; Rahwan, Michalak and Jennings, A
 * hybrid algorithm for coalition structure generation, AAAI 2012. Internal.
 *
 * A subspace is an integer partition of n: all structures whose coalitions have those sizes. None
 * of its structures is worth more than the greatest values of these sizes together. ip takes the
 * subspaces one by one, the greatest bound first, and searches each by branch and bound; it ends
 * when no bound is above the best structure, which may take n^n steps.
 *
 * idp-ip fills idp's table one size after the other. While sizes up to m are filled, the
 * table's values stand for those of coalitions of up to m agents, so that one search of a subspace
 * also covers all subspaces that are its own but for splits that idp has made: of each open
 * subspace that one is searched whose parts are merged as far as those splits go. Searches may take
 * as many steps as idp has done splits, so that both together take at most twice idp's 3^n. (The
 * papers run both beside each other.)
 */
#ifndef CSG_IP_H
#define CSG_IP_H

#include "csg/dp.h"

/* Of integers 'whole', exactly; of floats 'real'. */
union csg__sum {
	__int128 whole;
	double real;
};

/*
 * The search of one subspace.
 * table       2^n values in the working type; none: what is less is forbidden
 * part, run   sizes in rising order; how many are like part[k] from k on
 * rest        rest[k]: no coalitions of part[k] and those after it are worth more
 * best        of the structure found so far: only what is worth more is of interest
 * parts       out: of a better one, if 'found'
 * steps       coalitions looked at; most_steps: the search ends there
 */
struct csg__subspace_search {
	struct gpube_ctx *ctx;
	int n;
	const void *table;
	union csg__sum none;
	int n_parts;
	uint8_t part[GPUBE_MAX_AGENTS], run[GPUBE_MAX_AGENTS];
	union csg__sum rest[GPUBE_MAX_AGENTS + 1], best;
	uint64_t chosen[GPUBE_MAX_AGENTS], parts[GPUBE_MAX_AGENTS];
	bool found, stopped, out_of_steps;
	double steps, most_steps, next_look;
};

/* Until the end, a stop, or most_steps. */
void csg__subspace_search(struct csg__subspace_search *q, enum gpube_type type);

/* Of the coalitions of 'size': the greatest value, false if all are forbidden. Errors: ESTOP */
int csg__most_of_sizes(union csg__sum *most, bool *some, const struct csg__subspace_search *q,
	enum gpube_type type, int least_size, int most_size);

/* ---- integer partitions */

struct csg__partition {
	union csg__sum bound;
	bool done; /* nothing in it is worth more than the best structure */
	bool seen; /* of csg__partitions_reach() */
	uint8_t n_parts, part[GPUBE_MAX_AGENTS + 1]; /* rising, then zeros */
};

struct csg__partitions {
	struct csg__partition *item; /* part by part in rising order */
	int64_t n;
	int64_t *stack;
};

/* All of n. Errors: ENOMEM */
int csg__partitions_new(struct csg__partitions *p, struct gpube_ctx *ctx, int n);
void csg__partitions_clear(struct csg__partitions *p, struct gpube_ctx *ctx);

/*
 * Merges parts as long as they are of a split of sizes up to 'filled' that d makes. The place in p.
 */
int64_t csg__partitions_merge(
	const struct csg__partitions *p, int64_t k, const struct csg__dp *d, int filled);
/* Marks as done all that k becomes by those splits, and k. */
void csg__partitions_reach(
	struct csg__partitions *p, int64_t k, const struct csg__dp *d, int filled);

#endif
