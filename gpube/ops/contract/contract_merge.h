/*
 * contract_merge.h - operands of a long contraction that are added up before it begins: which, and
 * the contractions that then take its place. Host code alone.
 *
 * A bucket often has small tables beside one or two large ones: each is one more term of what a
 * block adds up in shared memory, again and again, and it keeps the large ones' dims apart, so that
 * few of their cells lie together in a box. Added to a table that has all of its dims it is gone; of
 * those that no such table is small enough for, or that no table has all dims of, one is made. To
 * make a table moves it three times, which is little where each of its cells is joined often.
 *
 * Sums of values keep what ops.h asks of values: the sum of any of them stays inside the type, and
 * what is forbidden is 'cut' in the table that is made.
 */
#ifndef GPUBE_OPS_CONTRACT_MERGE_H
#define GPUBE_OPS_CONTRACT_MERGE_H

#include "gpube/ops/ops.h"

#define GPUBE_MERGE_IN 16 /* operands at most */

/* Operands of one number become one; numbers are below n and in the order of their first ones. */
struct gpube__merge {
	int n;
	int8_t of[GPUBE_MERGE_IN];
};

/* How large tables may be that are made, in cells. */
struct gpube__merge_limits {
	double into; /* that hold an operand with all of their dims */
	double made; /* others */
};

/*
 * gpube__merge_find() - what can be merged.
 * out   two choices: operands that go into others, and others together, too
 * Returns how many they are, each different from the one before; 0 where nothing is merged, or
 * where c is not a (min,+) contraction without arguments.
 */
int gpube__merge_find(struct gpube__merge out[2], const struct gpube_contraction *c,
	const struct gpube__merge_limits *limits);

/* A contraction that has memory for its operands. */
struct gpube__merged {
	struct gpube_contraction c;
	int64_t sizes[GPUBE_MAX_DIMS];
	struct gpube_operand in[GPUBE_MERGE_IN];
	int32_t dims[GPUBE_MERGE_IN][GPUBE_MAX_DIMS];
};

/* c once operands are merged; tables that are to be made first have no values yet. */
void gpube__merge_rest(
	struct gpube__merged *to, const struct gpube_contraction *c, const struct gpube__merge *m);

/*
 * The contraction that makes table 'which' of 'rest', all of whose dims are its output's, without
 * the output. Returns its operands; 1: there is nothing to make.
 */
int gpube__merge_part(struct gpube__merged *to, const struct gpube__merged *rest,
	const struct gpube_contraction *c, const struct gpube__merge *m, int which);

#endif
