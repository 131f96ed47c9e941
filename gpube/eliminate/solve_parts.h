/*
 * solve_parts.h - elimination of a simplified model: solve.c finds an order, solve_plan.c plans,
 * solve_run.c eliminates.
 */
#ifndef GPUBE_SOLVE_PARTS_H
#define GPUBE_SOLVE_PARTS_H

#include "gpube/eliminate/be_split.h"
#include "gpube/options/options.h"

/* The model to eliminate, and the caller's options. */
struct gpube__solve_task {
	const struct gpube_model *m; /* simplified */
	const int32_t *order;
	struct gpube_plan figures;   /* of the model and the order */
	const struct gpube_ops *ops; /* the backend that the order search assumed */
	const struct gpube_opts *opts;
};

/* The backend, in one piece, in slices or on several devices, and how the assignment is kept. */
struct gpube__solve_way {
	const struct gpube_ops *ops;
	const char *backend;          /* its name in the report */
	bool keep;                    /* keep messages instead of arg-mins */
	uint8_t *side;                /* per bucket; NULL: all on 'ops' */
	struct gpube_be_split *split; /* for several devices or slices; NULL: one piece */
	bool sliced;
	struct gpube_plan figures; /* those of the task, and the predictions */
};

struct gpube__solve_plan {
	struct gpube_ctx *ctx;
	struct gpube_be be; /* of the whole */
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

/* The result of a run, and its seconds: 'eliminating' is all but 'assigning'. */
struct gpube__solve_found {
	int64_t optimum, bound; /* bound: a lower bound, also after a stop between slices */
	double copying, assigning, contracting, eliminating;
};

/*
 * gpube__solve_run() - carries out the plan.
 * values  out, unless found->optimum is GPUBE_INF: by variable of the task's model
 * Errors: ENOMEM, those of the backend; ESTOP, which leaves the best of the slices that were done
 */
int gpube__solve_run(struct gpube__solve_found *found, int32_t *values,
	const struct gpube__solve_plan *p, const struct gpube__solve_patience *patience);

/* The number of optima, after a run that found one; clear it. */
int gpube__solve_count(struct gpube__natural *count, const struct gpube__solve_plan *p);

/* A model, an order of it and the plan. */
struct gpube__solve_job {
	struct gpube_ctx *ctx;
	const struct gpube_model *m;
	const struct gpube_opts *opts;
	const struct gpube_ops *ops; /* the backend that the order search assumes */
	int32_t *order;
	double seconds_order;
	struct gpube__solve_plan plan;
};

/*
 * gpube__solve_prepare() - finds an order, or takes the one that is given, and plans.
 * e       out, to be cleared also after an error; with an order its figures say what is known
 * m       simplified (simplify.h); it and opts must outlive e
 * opts    of which are read: order_method, order (of m), order_seconds, seed, backend, count and
 *         no_slices
 * Errors: ENOMEM, ESTOP (of orders whose cost takes long to tell), those of gpube__solve_plan()
 */
int gpube__solve_prepare(
	struct gpube__solve_job *e, const struct gpube_model *m, const struct gpube_opts *opts);
void gpube__solve_clear(struct gpube__solve_job *e);

#endif
