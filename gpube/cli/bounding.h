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

/* The answer that bounds are. */
struct answer bounding_answer(struct session *s, const char *file, const struct gpube_model *m,
	const struct gpube_bounds *bounds);

/* Text: optimum, or lower, upper and gap. */
void bounding_text(
	struct gpube_out *out, const struct answer *a, const struct gpube_bounds *bounds);

#endif
