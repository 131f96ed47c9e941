/*
 * simplify_map.h - the file that says where the variables of a simplified model
 * come from.
 *
 * Text, a line each:
 *
 *     gpube-map 1
 *     variables 4 2        of the model, of the simplified one
 *     negated 0            1: a maximisation became a minimisation of the negated total
 *     0 value 3            variable 0 has value 3 in every solution that counts
 *     1 variable 0         variable 1 is variable 0 of the simplified model
 *     2 variable 1 4 0 2   variable 2 is its variable 1, whose values 0, 1, 2 are 4, 0, 2
 *     3 value 0
 *
 * Values are indices from 0. A line for each variable, in order.
 */
#ifndef GPUBE_CLI_SIMPLIFY_MAP_H
#define GPUBE_CLI_SIMPLIFY_MAP_H

#include "gpube/simplify/simplify.h"

/* Errors: EIO, ENOMEM */
int simplify_map_write(
	struct gpube_ctx *ctx, const struct gpube_simplified *simplified, const char *path);

/*
 * simplify_map_names() - names the variables of a simplified model, and their values, as those of
 * the model are that it comes from, where a variable of it is one of theirs with some of its
 * values. Values that the model does not name are told by their indices there, if some are gone.
 * Errors: ENOMEM
 */
int simplify_map_names(struct gpube_simplified *simplified, const struct gpube_model *m);

#endif
