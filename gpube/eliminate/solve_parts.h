/*
 * solve_parts.h - what the files of gpube_solve() share: solve.c comes from a model to a simplified
 * one with an order and back, solve_plan.c says how that is to be eliminated, solve_run.c does it.
 */
#ifndef GPUBE_SOLVE_PARTS_H
#define GPUBE_SOLVE_PARTS_H

#include "gpube/eliminate/be_split.h"

/* What is to be eliminated, and what the caller asked for. */
struct gpube__solve_task {
	const struct gpube_model *m; /* simplified */
	const int32_t *order;
	struct gpube_plan figures;   /* of the model and the order */
	const struct gpube_ops *ops; /* who was expected to do it when the order was searched for */
	const struct gpube_solve_opts *opts;
	struct gpube__solve_patience patience;
};

/* Who does it, in one piece, in slices or in parts, and how the assignment is kept. */
struct gpube__solve_way {
	const struct gpube_ops *ops;
	const char *backend;          /* as it is told */
	bool keep;                    /* messages, not arg-mins */
	uint8_t *side;                /* per bucket; NULL: all on 'ops' */
	struct gpube_be_split *split; /* over several devices, or in slices, or NULL */
	bool sliced;
	struct gpube_plan figures; /* the task's, and what is predicted */
};

struct gpube__solve_plan {
	struct gpube_ctx *ctx;
	struct gpube_be be; /* in one piece */
	struct gpube_working working;
	struct gpube__solve_way way;
};

/*
 * gpube__solve_plan() - sizes every table before the first is allocated, and decides on a way; the
 * task's model and order must outlive the plan.
 * out     to be cleared also after an error; its figures then say what is known
 * Errors: ENOMEM; ELIMIT, ERANGE, and those of opening a device that was asked for
 */
int gpube__solve_plan(struct gpube__solve_plan *out, const struct gpube__solve_task *t);
void gpube__solve_plan_clear(struct gpube__solve_plan *p);

/* What a run found, and what it took in seconds. */
struct gpube__solve_found {
	int64_t optimum, bound; /* bound: no total is below, also after a stop between slices */
	double copying, assigning, contracting;
};

/*
 * gpube__solve_run() - does what is planned.
 * values  out, unless found->optimum is GPUBE_INF: by variable of the task's model
 * Errors: ENOMEM, those of the backend; ESTOP, which leaves the best of the slices that were done
 */
int gpube__solve_run(
	struct gpube__solve_found *found, int32_t *values, const struct gpube__solve_plan *p);

/* The number of optima, after a run that found one; clear it. */
int gpube__solve_count(struct gpube__natural *count, const struct gpube__solve_plan *p);

#endif
