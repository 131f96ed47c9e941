/* reparam_check.h - whether an equivalent problem costs what the given one does. */
#ifndef GPUBE_CLI_REPARAM_CHECK_H
#define GPUBE_CLI_REPARAM_CHECK_H

#include "formats/formats.h"
#include "gpube/options/options.h"
#include "gpube/ir/model.h"

struct reparam_check {
	int64_t n_assignments;
	bool all; /* there are no more */
};

/*
 * reparam_check() - reads a written problem and compares costs with 'costs':
 * of all assignments, or of random ones and of neighbours of the best one known.
 * how           it was written; how->written is what its totals mean
 * opts, bounds  of the run that wrote it; what is not better than the cutoff may be
 *               forbidden in the file
 * pruned        likewise what is not better than bounds->cost
 * Errors: EBUG (a cost differs), those of reading
 */
int reparam_check(struct reparam_check *out, const struct gpube_model *costs, const char *path,
	const struct gpube_opts *how, const struct gpube_opts *opts,
	const struct gpube_solution *bounds, bool pruned);

#endif
