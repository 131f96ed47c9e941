/* exclusive_parts.h - what the files of exclusive.h share. */
#ifndef GPUBE_EXCLUSIVE_PARTS_H
#define GPUBE_EXCLUSIVE_PARTS_H

#include "gpube/ir/model.h"

struct gpube_exclusive_pair {
	int32_t a, b;
};

struct gpube_exclusive {
	const struct gpube_model *m;
	struct gpube_ctx *ctx;
	struct gpube_exclusive_pair *pairs; /* of literals 2 * var + value, each both ways round */
	int64_t n_pairs, capacity;
	int64_t *start;   /* of a literal's pairs */
	int32_t *group;   /* of a variable: the new one that it is part of, or -1 */
	int32_t *value;   /* of a variable: that of the new one at which its literal holds */
	uint8_t *holds;   /* of a variable: its literal's value */
	int32_t **values; /* of a variable: NULL, or its values by those of its group */
	int32_t *mark;    /* of a literal: the last candidates that it was among */
	int32_t stamp;
	int32_t *count; /* of a candidate: the other candidates that it excludes */
	int32_t *clique, *tried, *candidates;
	int64_t work;
	int32_t n_groups;
	int32_t *domain; /* of a group */
};

/*
 * gpube__exclusive_sets() - sets of literals of which at most one holds, each of which becomes a
 * group.
 * n_joined  out: variables in them
 * Errors:   ENOMEM, ESTOP
 */
int gpube__exclusive_sets(struct gpube_exclusive *x, int32_t *n_joined);

/*
 * gpube__exclusive_determined() - variables whose value another one's says become part of its
 * group.
 * n_joined  out: how many
 * Errors:   ENOMEM, ESTOP
 */
int gpube__exclusive_determined(struct gpube_exclusive *x, int32_t *n_joined);

#endif
