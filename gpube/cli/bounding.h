/*
 * bounding.h - what the commands that compute bounds share: their options, what
 * the user knows already, and the report.
 */
#ifndef GPUBE_CLI_BOUNDING_H
#define GPUBE_CLI_BOUNDING_H

#include "gpube/cli/answer.h"

/* The options of one run; clear with bounding_clear(). */
struct bounding {
	struct gpube_bound_opts opts;
	int32_t *order, *values; /* opts refers to them */
};

/*
 * bounding_init() - the engine's options from the command line's.
 * Returns CLI_DONE, or CLI_FAILED after a message; clear it in either case.
 */
int bounding_init(struct bounding *b, struct session *s, const struct gpube_model *m,
	const struct opts_bounding *o, const struct opts_engine *engine);
void bounding_clear(struct bounding *b, struct session *s);

/*
 * bounding_costs() - the model of costs that bounds are about.
 * made   out: to be freed, or NULL: it is m
 * Errors: as gpube__quantise()
 */
int bounding_costs(struct gpube_model **made, const struct gpube_model **costs,
	const struct gpube_model *m, int precision);

/*
 * bounding_now() - the best that is to be had at once for a run that was stopped and has no bounds:
 * shifts and a local search have some, in a moment. NULL if that fails as well.
 * opts    seed, no_simplify, precision, values; the rest is set here
 */
struct gpube_bounds *bounding_now(
	struct session *s, const struct gpube_model *m, struct gpube_bound_opts opts);
/* Another bound that was proved, at 'seconds'; the two may meet in an optimum. */
void bounding_raise(
	struct gpube_bounds *bounds, const struct gpube_model *m, int64_t bound, double seconds);

/* The answer that bounds are. */
struct answer bounding_answer(struct session *s, const char *file, const struct gpube_model *m,
	const struct gpube_bounds *bounds);

/* Text: optimum, or lower, upper and gap. */
void bounding_text(
	struct gpube_out *out, const struct answer *a, const struct gpube_bounds *bounds);

#endif
