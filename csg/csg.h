/*
 * csg.h - optimal coalition structures: the public interface. Include after
 * gpube/gpube.h, whose contexts, statuses and habits it shares.
 *
 * Of n agents each of the 2^n - 1 coalitions has a value, which is a model of kind
 * GPUBE_COALITIONS (gpube/coalitions.h); wanted is the partition of the agents whose
 * coalitions' values have the greatest sum. gpube_read() reads such models, gpube/forms.h
 * makes them of other models.
 */
#ifndef CSG_H
#define CSG_H

#include "gpube/coalitions.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- solving ------------------------------------------------------------------------------ */

enum gpube_csg_method {
	GPUBE_CSG_AUTO, /* lp as long as it is cheaper than conv, then conv */
	GPUBE_CSG_LP,   /* linear bound over all coalitions, then a search among those it leaves */
	GPUBE_CSG_CONV, /* one subset convolution per agent */
	GPUBE_CSG_DP,   /* Yeh's dynamic program over all splits of all coalitions */
	GPUBE_CSG_IDP,  /* Rahwan and Jennings: the splits that are needed by coalition size */
};

enum gpube_csg_answer {
	GPUBE_CSG_OPTIMAL,    /* the structure is a proved optimum, within 'error' */
	GPUBE_CSG_INFEASIBLE, /* every structure has a forbidden coalition */
	GPUBE_CSG_BOUNDS,     /* stopped: the structure and the upper bound are the best known */
	GPUBE_CSG_INCOMPLETE, /* stopped before any structure was known */
};

/*
 * parts        n_parts disjoint coalitions, by their lowest agents; with free
 *              disposal they need not hold all
 * value        of the structure, recomputed from the game: exact for integers
 *              (value_int), in double for floats
 * upper_bound  no structure is worth more; INFINITY if unknown
 * upper_int    the same of integers, exactly; INT64_MAX if it is unknown or past 64 bits
 * error        the optimum exceeds 'value' by no more than this: 0 for integers,
 *              rounding for floats
 * free_disposal  agents may stay out
 * method       that found it; never GPUBE_CSG_AUTO
 * work         type the method computed in
 * splits       pairs of coalitions whose sum was taken (conv, dp, idp)
 * seconds_splits  the time that took
 */
struct gpube_csg_result {
	enum gpube_csg_answer answer;
	int n_parts;
	uint64_t *parts;
	double value, upper_bound, error;
	int64_t value_int, upper_int;
	int is_int, free_disposal;
	enum gpube_csg_method method;
	enum gpube_type work;
	const char *backend;
	double splits, seconds_splits;
	double seconds_lp, seconds_total;
	int64_t n_scans, n_columns, n_candidates; /* lp: of its stages */
	int64_t n_nodes;                          /* lp: of its search */
	int scale; /* the integers and bounds are in units of 10^-scale, as the model's are */
	/*
	 * Why there is no certificate though one was asked for and the result is proved: EIO,
	 * ENOMEM or ESTOP; gpube_error() has the text until the next call. Otherwise 0.
	 */
	int certificate_status;
};

/*
 * gpube_csg() - an optimal coalition structure of a model of kind GPUBE_COALITIONS.
 * Cost:   conv: 3^(n-1)/2 splits and 2^(n-1) values beside the model's; a copy of these, too, if
 *         agents may stay out and one alone is worth less than nothing
 *         where sums of integers might pass 64 bits: dp in 128 bits
 * Errors: EINVAL kind, values or options; ERANGE the structure's value passes 64 bits, or sums may
 *         where dp cannot be: values on a device or not stored, several ranks;
 *         ENOMEM, ELIMIT; ESTOP never: the answer says how far it came; EBUG
 * Source: Rahwan and Jennings, AAMAS 2008; Pawlowski et al., AAMAS 2014; Yeh,
 *         BIT 26, 1986.  Example: tests/games/test_csg.c
 */
GPUBE_API int gpube_csg(
	struct gpube_csg_result **out, const struct gpube_model *m, const struct gpube_opts *opts);

/*
 * gpube_csg_verify() - the structure that a certificate proves to be optimal for this game; checked
 * by means that share nothing with lp.
 * Cost:   2^n sums of memory beside the game's table, and some passes over them
 * Errors: EINVAL (it is no proof for this game: the text says why), EIO, EPARSE, ELIMIT, ENOMEM,
 *         ESTOP
 */
GPUBE_API int gpube_csg_verify(
	struct gpube_csg_result **out, const struct gpube_model *m, const char *path);

/* ---- distributions --------------------------------------------------------------------------- */

/*
 * gpube_coalitions_generate() - a seeded random game, the same for the same options everywhere.
 * Integer types hold the value times 1000 (int16: times 10), rounded.
 * opts    distribution, n_agents, type, seed; store: memory; device, that of the context's CUDA
 *         device, for methods conv, dp and idp; none: method conv, for which alone the game then
 *         is, makes the values that it works on, on the device where that could, as often as it
 *         needs them (once, if a layer of them fits). gpube_coalitions_values() is NULL of both
 * Errors: as gpube_coalitions_new(); EINVAL (options); of the device EINVAL where the values need
 *         more than sums and products, ENODEV, ELIMIT (values and half as many sums do not fit)
 */
GPUBE_API int gpube_coalitions_generate(
	struct gpube_model **out, struct gpube_ctx *ctx, const struct gpube_opts *opts);

#ifdef __cplusplus
}
#endif

#endif
