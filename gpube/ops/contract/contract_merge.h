/*
 * contract_merge.h - operands that are added to each other before a contraction, into tables of their
 * own, so that it has few operands left, at best the two of a matrix product: six tables of one pair
 * of dims each become two of four dims, which take a hundredth of the joined cells to make.
 *
 * Weighed: sums made in shared memory by each block, which strips do and boxes do not, since every
 * block would make them again; and a family of kernels of its own, which there was in November 2026.
 * This needs no kernel: a merge is a contraction without reduced dims. Host code alone.
 */
#ifndef GPUBE_OPS_CONTRACT_MERGE_H
#define GPUBE_OPS_CONTRACT_MERGE_H

#include "gpube/ops/contract/boxes/contract_box.h"

/* Operand k is one of group of[k]. n: of groups, 0: nothing is merged. */
struct gpube__merges {
	int n;
	uint8_t of[GPUBE_BOX_IN];
};

/* A contraction that is made of another, with what it points to. */
struct gpube__merging {
	struct gpube_contraction c;
	int64_t sizes[GPUBE_MAX_DIMS];
	struct gpube_operand in[GPUBE_BOX_IN];
	int32_t dims[GPUBE_BOX_IN * GPUBE_MAX_DIMS];
};

/* Operands of a group; where it is one, there is nothing to do for it. */
int gpube__merge_members(const struct gpube_contraction *c, const struct gpube__merges *m, int group);

/* Cells of a group's table. */
double gpube__merge_cells(
	const struct gpube_contraction *c, const struct gpube__merges *m, int group);

/* What makes the table of a group, which is 'table'. */
void gpube__merge_group(struct gpube__merging *to, const struct gpube_contraction *c,
	const struct gpube__merges *m, int group, void *table);

/* The contraction c with the groups' tables for operands; those of one operand are that. */
void gpube__merge_rest(struct gpube__merging *to, const struct gpube_contraction *c,
	const struct gpube__merges *m, void *const *tables);

/* Who prices contractions, on which device: cycles of the best plan. */
struct gpube__pricer {
	const struct gpube__box_device *device;
	double (*cycles)(struct gpube__pricer *p, const struct gpube_contraction *c);
};

/*
 * gpube__merge_find() - the groups that are predicted to be fastest, if that is faster than 'cycles',
 * which the contraction is predicted to take as it is.
 * m       out
 * Errors: ENOMEM
 */
int gpube__merge_find(struct gpube__merges *m, struct gpube__pricer *pricer, struct gpube_ctx *ctx,
	const struct gpube_contraction *c, double cycles);

#endif
