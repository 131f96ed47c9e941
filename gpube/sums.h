/*
 * sums.h - sums over the assignments of a model of potentials: partition functions, marginals,
 * marginal MAP.
 */
#ifndef GPUBE_SUMS_H
#define GPUBE_SUMS_H

#include "gpube/gpube.h"

#ifdef __cplusplus
extern "C" {
#endif

/*
 * log10_z         of the sum: over the assignments that agree with the evidence, the product of
 *                 all potentials; -INFINITY: the sum is 0
 * relative_error  bounds that of the sum and of every marginal, by the number of roundings
 * marginals       task mar: of each value of variable 0, then of variable 1, …; those of a variable
 *                 add up to 1; those below 1e-100 may be 0. NULL: not asked for, not known, or
 *                 log10_z is -INFINITY
 * marginals_lower, marginals_upper  with option bounds, if marginals are not known: intervals that
 *                 contain them if the sum is above 0, in the same order. NULL: not asked for, or
 *                 not needed
 * joint           with option query: the probability of each combination of the query variables'
 *                 values, n_joint of them in row-major order, the last query variable fastest;
 *                 those below 1e-100 may be 0. NULL: not asked for, or log10_z is -INFINITY
 * drawn           with option draw: n_drawn assignments, each a value index of every variable, one
 *                 after the other. NULL: likewise
 * n_values        values of all variables that can occur; n_removed: those that evidence and zeros
 *                 exclude
 * known           log10_z and marginals are set; otherwise only the plan is or, with option bounds,
 *                 the bounds
 * log10_lower, log10_upper  an interval that contains the logarithm of the sum, rounding included
 * backend         that summed: "cpu", "cuda" or "cpu+cuda"
 * n_cases         above 0: the sum was not computed along the plan, but by so many cases that
 *                 zeros leave
 * n_slices_done   of plan.n_slices, if there are several; after a stop their sum is a lower bound
 *                 of the whole
 */
struct gpube_inference {
	int known;
	double log10_z, relative_error;
	double log10_lower, log10_upper;
	double *marginals, *marginals_lower, *marginals_upper;
	int64_t n_values, n_removed;
	struct gpube_plan plan;
	double seconds_order, seconds_sum;
	const char *backend;
	int64_t n_slices_done, n_cases;
	double *joint;
	int32_t *drawn;
	int64_t n_joint, n_drawn;
};

/*
 * gpube_infer() - exact sums by bucket elimination; one more pass gives all marginals. Numbers are
 * doubles with powers of two beside them, so that a sum may have any size. 'opts' may be NULL.
 * Tables that pass the memory are summed in slices, for the values of some variables in turn.
 *
 * Option query: the joint distribution of any variables, which are eliminated last; relative_error
 * is its, too. Option draw: independent assignments, each with its probability given the evidence,
 * as exactly as 53 random bits a variable allow. A seed gives the same ones on any machine and
 * number of threads, unless a time limit ends the search for an order. Both are done on the CPU, as
 * by gpube_infer_compile(), and not in slices; a joint table or assignments that pass the memory
 * are ELIMIT with their size. Soft evidence is a function: gpube_model_weigh().
 * Cost:   plan.joined_cells operations, MAR some 2.5 times as many; plan.peak_bytes of memory
 * Errors: EINVAL (a model of costs), ERANGE, ENOMEM, EBUG: *out is NULL. ELIMIT (too many slices)
 *         and ESTOP: *out has the plan, and the caller frees it. With option bounds these are OK,
 *         and *out has bounds of the sum, which improve until the time limit or until they meet;
 *         without a time limit the call may never end
 * Source: Dechter, Artificial Intelligence 113, 1999; Liu and Ihler, ICML 2011; Jensen, Lauritzen
 *         and Olesen, CSQ 4, 1990.
 */
GPUBE_API int gpube_infer(
	struct gpube_inference **out, const struct gpube_model *m, const struct gpube_opts *opts);

/* ---- one model, evidence that changes ----------------------------------- */

struct gpube_compiled;

/*
 * gpube_infer_compile() - an order and a plan for sums of a model with changing evidence; at first
 * the evidence of the model is observed. With task mar queries give marginals, too; with query or
 * draw each gives a joint distribution, or assignments by the same random numbers. On the CPU.
 * m       is copied and may be freed; its context has to stay
 * Errors: as gpube_infer(); ELIMIT (messages are kept, and twice for marginals): *out is NULL
 */
GPUBE_API int gpube_infer_compile(
	struct gpube_compiled **out, const struct gpube_model *m, const struct gpube_opts *opts);
GPUBE_API void gpube_compiled_free(struct gpube_compiled *c);
/* Fixes a variable to an observed value; -1 takes it back. Errors: EINVAL, ENOMEM */
GPUBE_API int gpube_infer_observe(struct gpube_compiled *c, int32_t var, int32_t value);
/*
 * gpube_infer_weigh() - soft evidence: for each value of the variable the likelihood of what was
 * observed, up to a common factor; they are copied. NULL takes them back. They are multiplied
 * with those of gpube_model_weigh(), if the model has any.
 * Errors: EINVAL (a weight below 0 or not finite), ENOMEM, ERANGE
 */
GPUBE_API int gpube_infer_weigh(struct gpube_compiled *c, int32_t var, const double *weights);
/*
 * gpube_infer_rows() - the logarithm of the sum for each of n rows of evidence.
 * log10_z  out: n numbers; -INFINITY: the sum is 0
 * rows     a value for each variable of the model, row after row; -1: as it is observed now, which
 *          stays so
 * Errors: those of gpube_infer_observe() and gpube_infer_query(); log10_z has the rows before then
 */
GPUBE_API int gpube_infer_rows(
	double *log10_z, struct gpube_compiled *c, int64_t n, const int32_t *rows);
/*
 * gpube_infer_query() - as gpube_infer(), with the evidence of now. Messages that have not changed
 * since the last query are not summed again; the timeout is that of each query.
 * Errors: ESTOP, ELIMIT (numbers too far apart), ERANGE, ENOMEM, EBUG: *out is NULL; it may be
 *         asked again
 */
GPUBE_API int gpube_infer_query(struct gpube_inference **out, struct gpube_compiled *c);

/*
 * answer          OPTIMAL: no assignment of the query variables is better than 'values', but for a
 *                 factor of 1 + relative_error; INFEASIBLE: all have probability 0; INCOMPLETE: the
 *                 best one is between the bounds
 * values          of query[0], query[1], …; NULL: none is known whose sum is above 0
 * log10_value     of the sum over all other variables with 'values'; -INFINITY without any
 * log10_lower, log10_upper  bounds of the best one's, rounding errors included
 * relative_error  OPTIMAL: as above; else of the value; INFINITY: the value is a lower bound
 * n_free          query variables that the search is over; their tables are n_functions
 * plan            of the sums
 */
struct gpube_mmap {
	enum gpube_answer answer;
	int32_t *values;
	double log10_value, log10_lower, log10_upper, relative_error;
	int64_t n_values, n_removed;
	int32_t n_free, n_functions;
	struct gpube_plan plan;
	double seconds_order, seconds_sum, seconds_search;
};

/*
 * gpube_mmap() - marginal MAP: the values of the query variables that maximise the sum, over all
 * other variables, of the product of all potentials. The others are eliminated first and exactly;
 * the potentials of query variables that remain are searched as by gpube_bound(), which may never
 * end without a time limit. A stop or a time limit is no failure. Where the sums do not fit, there
 * are only bounds, as of gpube_infer(); then log10_value is a lower bound for the values.
 * Errors: EINVAL, ERANGE, ENOMEM, EBUG: *out is NULL; ESTOP (before anything is known): *out has
 *         nothing but that
 * Source: Park and Darwiche, UAI 2003.
 */
GPUBE_API int gpube_mmap(
	struct gpube_mmap **out, const struct gpube_model *m, const struct gpube_opts *opts);

#ifdef __cplusplus
}
#endif

#endif
