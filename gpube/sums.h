/*
 * sums.h - inference: partition functions, marginals, joint distributions, samples and marginal MAP
 * of models of kind GPUBE_POTENTIALS. Public; include after gpube/gpube.h, whose conventions hold.
 *
 * The product of an assignment is the product of all potentials at its values. Sums are over all
 * assignments that agree with the evidence: observed values (gpube_model_observe()) and soft
 * evidence (gpube_model_weigh()). If the potentials are the conditional tables of a Bayesian
 * network, the sum is the probability of the evidence.
 *
 * Results are freed with gpube_result_free().
 */
#ifndef GPUBE_SUMS_H
#define GPUBE_SUMS_H

#include "gpube/gpube.h"

#ifdef __cplusplus
extern "C" {
#endif

/*
 * What gpube_infer() and gpube_infer_query() give.
 * known           1: log10_z is set, and what was asked for. 0: only the plan is set, and with
 *                 option "bounds" the bounds
 * log10_z         decimal logarithm of the sum; -INFINITY: the sum is 0
 * relative_error  no more than this is the relative error of the sum, of every marginal and of
 *                 every joint probability, by the number of roundings
 * log10_lower, log10_upper  an interval that contains the logarithm of the sum, rounding included
 * marginals       task "mar": the probability of each value of variable 0, then of variable 1, and
 *                 so on. Those of a variable have the sum 1; one below 1e-100 may be given as 0.
 *                 NULL: not asked for, not known, or the sum is 0
 * marginals_lower, marginals_upper  with option "bounds", where marginals are not known: intervals
 *                 that contain them if the sum is above 0, in the same order. NULL: not asked for,
 *                 or not needed
 * n_values        the values of all variables together; n_removed: how many of them evidence and
 *                 zeros exclude
 * plan            of the elimination
 * seconds_order, seconds_sum  spent on the order, and on the sum
 * backend         that computed the sum: "cpu", "cuda" or "cpu+cuda"
 * n_slices_done   how many of plan.n_slices slices were summed. After a stop the sum of these is a
 *                 lower bound of the whole
 * n_cases         above 0: the sum was not computed by elimination, but by so many cases that the
 *                 zeros of the potentials leave
 * joint           with option "query": n_joint probabilities, one for each combination of the query
 *                 variables' values, row-major: the last query variable changes fastest. One below
 *                 1e-100 may be given as 0. NULL: not asked for, or the sum is 0
 * drawn           with option "draw": n_drawn rows of a value for each variable. NULL: not asked
 *                 for, or the sum is 0
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
 * gpube_infer() - the sum of a model, by bucket elimination; a second pass gives all marginals.
 * Numbers are doubles with a power of two beside them, so that a sum may have any magnitude. Tables
 * that do not fit the memory are summed in slices: some variables are restricted to ranges of their
 * values in turn.
 *
 * Option "task" is "pr" for the sum alone, or "mar" for the marginals, too. Option "query", an
 * array of variables (gpube_opts_set_numbers()), asks for the joint distribution of these
 * variables, which are eliminated last. Option "draw" asks for so many independent assignments,
 * each drawn with its probability given the evidence, as exactly as 53 random bits for each
 * variable allow. A "seed" gives the same assignments on every machine and with any number of
 * threads, unless a time limit ends the search for an order. Query and draw are computed on the
 * CPU and without slices. Option "bounds" asks for an interval where the sum itself is too large.
 * out    receives the result, also with ELIMIT and ESTOP
 * opts   NULL: defaults
 * Cost:   plan.joined_cells operations, and of "mar" about 2.5 times as many; plan.peak_bytes of
 *         memory
 * Errors: EINVAL (a model of costs), ERANGE, ENOMEM, EBUG: *out is NULL. ELIMIT (too many slices;
 *         or a joint table or assignments that do not fit the memory: the text has the size) and
 *         ESTOP: *out has the plan. With option "bounds" these two are no errors: *out has bounds
 *         of the sum, which improve until the time limit or until they meet. Without a time limit
 *         such a call may never end
 * Source: Dechter, Artificial Intelligence 113, 1999 (elimination); Jensen, Lauritzen and Olesen,
 *         CSQ 4, 1990 (marginals); Liu and Ihler, ICML 2011 (bounds)
 * Example: examples/queries.c
 */
GPUBE_API int gpube_infer(
	struct gpube_inference **out, const struct gpube_model *m, const struct gpube_opts *opts);

/* ---- one model, evidence that changes ----------------------------------- */

/* A model prepared for evidence that changes. */
struct gpube_compiled;

/*
 * gpube_infer_compile() - prepares a model for many sums with changing evidence. At first the
 * evidence is that of the model. Messages of the elimination are kept, so that a query computes
 * only those that the changes since the last one touch. On the CPU, without slices.
 * out   receives the compiled model; free it with gpube_compiled_free()
 * m     is copied and may be freed; its context has to stay
 * opts  those of gpube_infer(). Task "mar", "query" and "draw" say what every query gives; "draw"
 *       uses the same random numbers in each
 * Cost:   an order, and the memory of all messages, twice with task "mar"
 * Errors: those of gpube_infer(); ELIMIT (the messages do not fit the memory): *out is NULL
 * Example: examples/queries.c, examples/evidence.c
 */
GPUBE_API int gpube_infer_compile(
	struct gpube_compiled **out, const struct gpube_model *m, const struct gpube_opts *opts);
GPUBE_API void gpube_compiled_free(struct gpube_compiled *c);
/*
 * gpube_infer_observe() - observes a variable of a compiled model at a value.
 * value  an index; -1: the variable is not observed any more
 * Errors: EINVAL (no such variable or value), ENOMEM
 */
GPUBE_API int gpube_infer_observe(struct gpube_compiled *c, int32_t var, int32_t value);
/*
 * gpube_infer_weigh() - gives a variable of a compiled model soft evidence.
 * weights  for each value of the variable, how probable what was seen is with that value, or a
 *          common multiple of that. They are copied, and multiplied with those that the model had
 *          by gpube_model_weigh(). NULL: no soft evidence any more
 * Errors: EINVAL (no such variable; a weight below 0 or not finite), ENOMEM, ERANGE
 */
GPUBE_API int gpube_infer_weigh(struct gpube_compiled *c, int32_t var, const double *weights);
/*
 * gpube_infer_rows() - the logarithm of the sum for each of n rows of evidence. Only what differs
 * between rows is computed again. The evidence of the compiled model stays as it is.
 * log10_z  out: n decimal logarithms; -INFINITY: the sum is 0
 * n, rows  n rows of a value for each variable of the model; -1: as the variable is observed now,
 *          if it is
 * Errors: those of gpube_infer_observe() and gpube_infer_query(). log10_z then has the rows before
 *         the one that failed
 */
GPUBE_API int gpube_infer_rows(
	double *log10_z, struct gpube_compiled *c, int64_t n, const int32_t *rows);
/*
 * gpube_infer_query() - what gpube_infer() gives, with the evidence of this moment. A time limit of
 * the compiled model is one for each query.
 * out   receives the result
 * Cost:   the messages between what has changed and the root, and what the query asks for
 * Errors: ESTOP, ELIMIT (numbers too far apart for exact sums), ERANGE, ENOMEM, EBUG: *out is NULL,
 *         and the compiled model may be asked again
 */
GPUBE_API int gpube_infer_query(struct gpube_inference **out, struct gpube_compiled *c);

/*
 * What gpube_mmap() gives. The value of an assignment of the query variables is the sum over all
 * other variables.
 * answer          OPTIMAL: no assignment of the query variables has a value above that of 'values'
 *                 by more than a factor of 1 + relative_error. INFEASIBLE: all have value 0.
 *                 INCOMPLETE: the value of the best one is between the bounds
 * values          of query[0], query[1], and so on. NULL: no assignment with a value above 0 is
 *                 known
 * log10_value     decimal logarithm of the value of 'values'; -INFINITY without 'values'
 * log10_lower, log10_upper  bounds of the logarithm of the best value, rounding included
 * relative_error  OPTIMAL: as above. Otherwise the relative error of the value; INFINITY: the
 *                 value is only a lower bound
 * n_values, n_removed  as in struct gpube_inference
 * n_free          how many query variables the search was over; n_functions: how many tables
 * plan            of the sums
 * seconds_order, seconds_sum, seconds_search  spent on the order, on the sums, and on the search
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
 * gpube_mmap() - marginal MAP: the values of the query variables for which the sum over all other
 * variables is greatest. The other variables are eliminated first, exactly. What remains is a model
 * of the query variables alone, which is searched as gpube_bound() does. A stop or a time limit is
 * no error; without a time limit the call may never end. Where the sums do not fit the memory there
 * are only bounds, as those of gpube_infer(), and log10_value is a lower bound.
 * out   receives the result
 * opts  option "query" has the query variables (gpube_opts_set_numbers())
 * Errors: EINVAL (also: no query), ERANGE, ENOMEM, EBUG: *out is NULL. ESTOP, before anything is
 *         known: *out is set, but has neither values nor bounds
 * Source: Park and Darwiche, UAI 2003
 */
GPUBE_API int gpube_mmap(
	struct gpube_mmap **out, const struct gpube_model *m, const struct gpube_opts *opts);

#ifdef __cplusplus
}
#endif

#endif
