/* relaxed_run.h - branch and bound on a relaxation (relax/relaxed.h), and what it keeps. */
#ifndef GPUBE_RELAXED_RUN_H
#define GPUBE_RELAXED_RUN_H

#include "gpube/bound/bounder.h"
#include "gpube/relax/relaxed.h"
#include "gpube/search/frontier.h"

struct gpube_relaxed_node {
	struct gpube_relaxed_start *from; /* or NULL: the root */
	int64_t before;                   /* twice its bound before the last one */
	uint64_t live[];                  /* values that are left */
};

enum gpube_relaxed_end {
	GPUBE__NODE_STAYS, /* the visit is over */
	GPUBE__NODE_CLOSED,
	GPUBE__NODE_DECIDED, /* one assignment is left */
	GPUBE__NODE_SPLITS,
	GPUBE__NODE_FAILS, /* the relaxation cannot be solved */
};

/* One of several that work on a node each. */
struct gpube_relaxed_worker {
	struct gpube_relaxed_run *s;
	struct gpube_ctx ctx;
	struct gpube_frontier_node hand;
	struct gpube_relaxed_node *node;  /* its payload */
	void *state;                      /* of the relaxation, from the first node on */
	bool begun;                       /* it is that of the node */
	struct gpube_relaxed_start *kept; /* of the state, as it is in the end; or NULL */
	enum gpube_relaxed_end end;
	int32_t *values; /* that the state says, */
	bool has_values; /* where they were read off */
	int32_t chosen;  /* the value that is split from others, where the node splits */
	int status;
};

struct gpube_relaxed_run {
	struct gpube_bounder *b;
	const struct gpube_relaxation *r;
	struct gpube_relaxed *p; /* NULL: the model is not for it */
	struct gpube_frontier open;
	struct gpube_relaxed_worker *workers;
	int n_workers;
	bool begun;  /* the root is, or was, open */
	bool failed; /* it goes on no more */
	bool lost;   /* a node is gone for want of memory: what is open says nothing more */
	int64_t n_split, n_closed;
	struct gpube_budget turn;
	double worked, searching; /* seconds of earlier turns, and of local search */
};

/* For 'seconds', or to the end; *run is made where it is NULL. Errors: of assignments, ENOMEM */
int gpube__bound_relaxed(struct gpube_bounder *b, struct gpube_relaxed_run **run,
	const struct gpube_relaxation *r, double seconds);
/* How many states of a relaxation are to work at a time: the memory has room for them. */
int gpube__relaxed_workers(const struct gpube_ctx *ctx, const struct gpube_relaxation *r,
	const struct gpube_relaxed *p);
void gpube__relaxed_run_free(struct gpube_relaxed_run *s);

#endif
