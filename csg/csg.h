/*
 * csg.h - optimal coalition structures. Public; include after gpube/gpube.h, whose conventions
 * hold.
 *
 * In a coalition game of n agents each of the 2^n - 1 coalitions has a value. A coalition structure
 * is a partition of the agents into coalitions; an optimal one has the greatest sum of values. A
 * game is a model of kind GPUBE_COALITIONS: coalitions.h builds it, gpube_read() reads it from a
 * file, and forms.h makes it of other models.
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
 * What gpube_csg() knows at its end.
 * parts           n_parts disjoint coalitions as masks, agent i being bit i, in the order of their
 *                 lowest agents; with free disposal some agents may be in none of them
 * value           the sum of their values, computed again from the game; of integers value_int has
 *                 it exactly, in units of 10^-scale
 * upper_bound     no structure is worth more; INFINITY: nothing is known
 * upper_int       the same of integers, exactly; INT64_MAX: it is not known, or passes 64 bits
 * error           the optimum exceeds 'value' by at most this: 0 of integers, of floats a bound of
 *                 the rounding errors
 * is_int          value_int and upper_int are set
 * free_disposal   agents were allowed to stay out
 * method          the one that found the structure; never GPUBE_CSG_AUTO
 * work            the type that it computed in
 * backend         "cpu" or "cuda": where it worked
 * splits          pairs of coalitions whose values were added, by conv, dp and idp, in
 *                 seconds_splits
 * n_scans         method lp: passes over all coalitions; n_columns: of its linear program;
 *                 n_candidates: coalitions that its bound leaves; n_nodes: of the search among them
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
	int64_t n_scans, n_columns, n_candidates, n_nodes;
	int scale; /* the integers and bounds are in units of 10^-scale, as the model's are */
	/*
	 * Why there is no certificate though one was asked for and the result is proved: EIO,
	 * ENOMEM or ESTOP; gpube_error() has the text until the next call. Otherwise 0.
	 */
	int certificate_status;
};

/*
 * gpube_csg() - finds an optimal coalition structure of a game.
 * out     receives the result; free it with gpube_result_free()
 * opts    method, free_disposal, backend, timeout, certify; NULL: defaults
 * Cost:   conv: (3^(n-1) - 1) / 2 splits, and 2^(n-1) values beside the model's table; this is
 *         copied where agents may stay out and a single agent is worth less than nothing. Where
 *         sums of integers might pass 64 bits, dp computes in 128 bits
 * Errors: EINVAL (kind, values, options); ERANGE (the structure's value passes 64 bits; or sums
 *         might, and dp cannot be used: values on a device or not stored, several ranks); ENOMEM,
 *         ELIMIT, EBUG. A stop is no error: the answer says how far the run came
 * Source: Rahwan and Jennings, AAMAS 2008; Pawlowski et al., AAMAS 2014; Yeh,
 *         BIT 26, 1986.  Example: tests/games/test_csg.c
 */
GPUBE_API int gpube_csg(
	struct gpube_csg_result **out, const struct gpube_model *m, const struct gpube_opts *opts);

/*
 * gpube_csg_verify() - checks that the certificate in a file proves a structure to be optimal for
 * this game, and gives that structure. The check shares no code with method lp, which writes
 * certificates (csg-certificate.md).
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
 * opts    distribution, n_agents, type, seed; and store, which says where the values are:
 *         memory; device: in the memory of the context's CUDA device, for methods conv, dp and idp;
 *         none: nowhere. Only method conv takes such a game. It computes the values where it works,
 *         as often as it needs them (once if a layer of them fits the memory). Of device and none
 *         gpube_coalitions_values() is NULL
 * Errors: as gpube_coalitions_new(); EINVAL (options); store device: EINVAL (a distribution that
 *         needs more than sums and products), ENODEV, ELIMIT (the values and half as many sums do
 *         not fit)
 */
GPUBE_API int gpube_coalitions_generate(
	struct gpube_model **out, struct gpube_ctx *ctx, const struct gpube_opts *opts);

#ifdef __cplusplus
}
#endif

#endif
