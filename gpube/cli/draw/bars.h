/* bars.h - posteriors and coalition structures as bars: SVGs of our own. */
#ifndef GPUBE_CLI_BARS_H
#define GPUBE_CLI_BARS_H

#include "csg/csg.h"
#include "gpube/cli/session/session.h"
#include "gpube/sums.h"

/*
 * bars_posteriors() - for each variable a bar for each value, as long as its probability; with
 * intervals, up to the lower bound, and pale from there to the upper one. What is observed says so.
 * Of more than some hundred variables the first are drawn, and how many more there are.
 * n      that has marginals, or intervals of them
 * Errors: EIO, ENOMEM
 */
int bars_posteriors(struct session *s, const char *path, const char *file,
	const struct gpube_model *m, const struct gpube_inference *n);

/*
 * bars_structure() - for each coalition its agents and a bar, as long as its value; the best first.
 * Errors: EIO, ENOMEM
 */
int bars_structure(struct session *s, const char *path, const char *file,
	const struct gpube_model *g, const struct gpube_csg_result *r);

#endif
