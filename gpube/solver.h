/*
 * solver.h - one model solved again and again while it changes: values are observed and taken
 * back, functions added, costs changed. Public; include after gpube/gpube.h.
 *
 * A solver has a model of its own, a copy of the one that it is made of, which may change or go
 * afterwards, and which several threads may share, each with a solver and a context of its own.
 * Its answers are those of gpube_solve() for its model as it is then. Between runs it keeps what
 * stays valid:
 *   bounds          every proved bound, for what was observed then; adding to costs leaves it a
 *                   bound, and other changes lower it by no more than their greatest gain
 *   assignments     priced again; where one costs a bound that is still valid it is optimal
 *   messages        of bucket elimination, both ways, where they fit the memory and take little
 *                   beside what the runs so far have taken: order, plan and tables stay, only
 *                   buckets between a change and the root are done again, and one variable that is
 *                   observed or whose unary costs change is answered from what is there
 * Otherwise a run is gpube_solve() that begins with the best assignment and ends at the best bound.
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
 * The solver's model: what gpube.h and globals.h can add to a model or change of it, such as what
 * is observed, is taken into account by the next run. It is freed with the solver.
 */
GPUBE_API struct gpube_model *gpube_solver_model(struct gpube_solver *s);

/*
 * gpube_solver_change_costs() - a function has other costs from now on, all of them. To do without
 * a function is to change its costs to 0.
 * costs   as gpube_model_add_costs() takes them
 * Errors: EINVAL (no such function, one of no variables, a model of potentials), ERANGE, ENOMEM:
 *         it is as it was
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
 * gpube_solver_assume() - variables have these values in the next run, and in no other. What
 * contradicts an observed value, or another assumption, has no solution. A second call adds to the
 * first.
 * Errors: EINVAL (a variable, a value): none of them is assumed; ENOMEM
 */
GPUBE_API int gpube_solver_assume(
	struct gpube_solver *s, int32_t n, const int32_t *vars, const int32_t *values);

/*
 * gpube_solver_run() - as gpube_solve() of the model as it is now. The assignment is priced from
 * its tables. Where the solution is read off what is kept there is no order, and the stage in
 * 'stages' says what it was ("known", "messages"); options' progress function is not called.
 * opts    cutoff, timeout and progress of this run, in place of those of gpube_solver_new(): what
 *         is not set there it has not; NULL: as gpube_solver_new() had them. A cutoff is in units
 *         of the solution's scale
 * Errors: EINVAL (opts): nothing was done; those of gpube_solve(), after which, a stop or a time
 *         limit included, the solver can be changed and run again; assumptions are gone
 */
GPUBE_API int gpube_solver_run(
	struct gpube_solution **out, struct gpube_solver *s, const struct gpube_opts *opts);

#ifdef __cplusplus
}
#endif

#endif
