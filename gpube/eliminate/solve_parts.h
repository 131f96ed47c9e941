/* solve_parts.h - what the files of gpube_solve() share. */
#ifndef GPUBE_SOLVE_PARTS_H
#define GPUBE_SOLVE_PARTS_H

#include "gpube/eliminate/be_split.h"
#include "gpube/order/order.h"
#include "gpube/simplify/simplify.h"

/* Everything between the caller's model and its solution; zero-initialised, cleared once. */
struct gpube__solving {
	struct gpube_ctx *ctx;
	const struct gpube_model *given;
	const struct gpube_solve_opts *opts;
	const struct gpube_ops *ops;
	struct gpube_model *quantised; /* NULL if the given model has costs */
	const struct gpube_model *costs;
	struct gpube_simplified s;
	struct gpube_graph graph;
	int32_t *order;
	struct gpube_be be;
	struct gpube_working working;
	bool keep;
	uint8_t *side; /* per bucket; NULL: all on 'ops' */
	struct gpube_be_split *split; /* over several devices, or in slices, or NULL */
	bool sliced;
	struct gpube_solution *out;
};

/*
 * gpube__solve_plan() - sizes every table before the first is allocated, and decides who eliminates,
 * in one piece, in slices or in parts, and how the assignment is kept: for the model and the order
 * that j has.
 * Errors: ENOMEM; ELIMIT, ERANGE, and those of opening a device that was asked for
 */
int gpube__solve_plan(struct gpube__solving *j);

#endif
