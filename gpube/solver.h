/*
 * solver.h - one model solved again and again while it changes: values are observed and taken
 * back, functions added, costs changed. Public; include after gpube/gpube.h.
 *
 * A solver works on its own copy of a model. The original may change or be freed afterwards;
 * several threads may make solvers of it, each in its own context. An answer is that of
 * gpube_solve() for the copy as it is at that moment. Between runs the solver keeps what stays
 * valid:
 *   bounds          every proved bound, with the values that were observed then. It stays a bound
 *                   when costs increase; other changes lower it by at most what they can gain
 *   assignments     they are priced again; one whose cost is a bound that still holds is optimal
 *   messages        those of bucket elimination in both directions, where they fit the memory and
 *                   take little time beside the runs so far. Order, plan and tables stay; only
 *                   buckets between a change and the root are eliminated again. If one variable is
 *                   observed, or its unary costs change, the answer is read off the messages
 * Otherwise a run is that of gpube_solve(), which begins with the best assignment known and ends
 * when it reaches the best bound known.
 */
#ifndef GPUBE_SOLVER_H
#define GPUBE_SOLVER_H

#include "gpube/gpube.h"

#ifdef __cplusplus
extern "C" {
#endif

struct gpube_solver;

/*
 * gpube_solver_new() - a solver of a copy of m.
 * ctx   of the solver and its model; NULL: m's
 * opts  of every run, as gpube_solve() takes them; NULL: defaults. 'order' and 'values' are copied.
 *       With another method than AUTO, backend CUDA or 'count' no messages are kept
 * Cost:   one copy of the model
 * Errors: EINVAL, ENOMEM
 * Example: examples/again.c, tests/api/test_solver.c
 */
GPUBE_API int gpube_solver_new(struct gpube_solver **out, struct gpube_ctx *ctx,
	const struct gpube_model *m, const struct gpube_opts *opts);
GPUBE_API void gpube_solver_free(struct gpube_solver *s);

/*
 * The solver's model. The next run takes into account whatever calls of gpube.h and globals.h have
 * added or changed, such as observed values. It is freed with the solver.
 */
GPUBE_API struct gpube_model *gpube_solver_model(struct gpube_solver *s);

/*
 * gpube_solver_change_costs() - replaces all costs of a function. Costs of 0 remove it.
 * costs   a cell for each combination of values, as gpube_model_add_costs() takes them
 * Errors: EINVAL (no such function, one without variables, a model of potentials), ERANGE, ENOMEM:
 *         the function is unchanged
 */
GPUBE_API int gpube_solver_change_costs(
	struct gpube_solver *s, int32_t function, const int64_t *costs);
/* The same of a model of potentials. */
GPUBE_API int gpube_solver_change_potentials(
	struct gpube_solver *s, int32_t function, const double *values);
/*
 * The same of one cell.
 * values  of the variables in the function's scope
 */
GPUBE_API int gpube_solver_change_cost(
	struct gpube_solver *s, int32_t function, const int32_t *values, int64_t cost);

/*
 * gpube_solver_assume() - fixes n variables to values in the next run, and in no other. Where a
 * value contradicts an observed one, or another assumption, there is no solution. A second call
 * before the run adds to the first.
 * Errors: EINVAL (a variable, a value): none of them is assumed; ENOMEM
 */
GPUBE_API int gpube_solver_assume(
	struct gpube_solver *s, int32_t n, const int32_t *vars, const int32_t *values);

/*
 * gpube_solver_run() - solves the model as it is now, as gpube_solve() does. The assignment is
 * priced from the model's tables. Where the solution is read off what was kept, its order is NULL,
 * its stage is called "known" or "messages", and the progress function is not called.
 * opts    cutoff, timeout and progress of this run, all three in place of those of
 *         gpube_solver_new(); NULL: those of gpube_solver_new(). A cutoff is in units of the
 *         solution's scale
 * Errors: EINVAL (opts): nothing was done; those of gpube_solve(), after which, a stop or a time
 *         limit included, the solver can be changed and run again; assumptions are gone
 */
GPUBE_API int gpube_solver_run(
	struct gpube_solution **out, struct gpube_solver *s, const struct gpube_opts *opts);

#ifdef __cplusplus
}
#endif

#endif
