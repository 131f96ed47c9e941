/* order_files.h - what commands write about the elimination of a model, for other programs. */
#ifndef GPUBE_CLI_ORDER_FILES_H
#define GPUBE_CLI_ORDER_FILES_H

#include "gpube/cli/session.h"

static inline bool order_files_wanted(const struct opts_orders *o)
{
	return o->write_order || o->write_cover;
}

/*
 * order_files_write() - toulbar2's .order, and its .cov: the clusters of the elimination that lie
 * in no other.
 * order   a permutation of m's variables, the first is eliminated first
 * Errors: EIO, ENOMEM
 */
int order_files_write(
	const struct gpube_model *m, const int32_t *order, const struct opts_orders *o);

#endif
