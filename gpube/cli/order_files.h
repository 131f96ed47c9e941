/* order_files.h - what commands write about the elimination of a model, for other programs. */
#ifndef GPUBE_CLI_ORDER_FILES_H
#define GPUBE_CLI_ORDER_FILES_H

#include "gpube/cli/session.h"

/*
 * order_files_write() - the files of --write-order and --write-cover.
 * order        a permutation of m's variables, the first is eliminated first
 * order_path   toulbar2's .order, or NULL
 * cover_path   toulbar2's .cov, the clusters of the elimination that lie in no other, or NULL
 * Errors: EIO, ENOMEM
 */
int order_files_write(const struct gpube_model *m, const int32_t *order, const char *order_path,
	const char *cover_path);

#endif
