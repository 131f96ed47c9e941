/* semidefinite_run.h - what branch and bound on a semidefinite relaxation keeps between turns. */
#ifndef GPUBE_SEMIDEFINITE_RUN_H
#define GPUBE_SEMIDEFINITE_RUN_H

#include "gpube/bound/bounder.h"
#include "gpube/relax/semidefinite/semidefinite.h"
#include "gpube/search/frontier.h"

/* Matrices that a state has, about. */
enum { GPUBE__SEMIDEFINITE_MATRICES = 12 };

struct gpube_semidefinite_node {
	struct gpube_semidefinite_start *from; /* or NULL: the root */
	int64_t before;                        /* twice its bound before the last one */
	uint64_t live[];                       /* values that are left */
};

enum gpube_semidefinite_end {
	GPUBE__NODE_STAYS, /* the visit is over */
	GPUBE__NODE_CLOSED,
	GPUBE__NODE_DECIDED, /* one assignment is left */
	GPUBE__NODE_SPLITS,
	GPUBE__NODE_FAILS, /* there is no eigensystem */
};

/* One of several that work on a node each. */
struct gpube_semidefinite_worker {
	struct gpube_semidefinite_run *s;
	struct gpube_ctx ctx;
	struct gpube_frontier_node hand;
	struct gpube_semidefinite_node *node; /* its payload */
	struct gpube_semidefinite_state state;
	struct gpube_semidefinite_start *kept; /* of the state, as it is in the end; or NULL */
	enum gpube_semidefinite_end end;
	int32_t *values; /* that the matrices say, */
	bool has_values; /* where they were read off */
	int32_t chosen;  /* the row whose value is split */
	int status;
};

struct gpube_semidefinite_run {
	struct gpube_bounder *b;
	struct gpube_semidefinite *p; /* NULL: the model is not for it */
	struct gpube_frontier open;
	struct gpube_semidefinite_worker *workers;
	int n_workers;
	bool begun;  /* the root is, or was, open */
	bool failed; /* it goes on no more */
	bool lost;   /* a node is gone for want of memory: what is open says nothing more */
	int64_t n_split, n_closed;
	struct gpube_budget turn;
	double worked, searching; /* seconds of earlier turns, and of local search */
};

#endif
