/*
 * contract_recipe.h - how the contractions of one shape are done: some operands are made ready,
 * then the tiles run. Holds no table, so that it serves any contraction of the shape.
 */
#ifndef GPUBE_OPS_CONTRACT_RECIPE_H
#define GPUBE_OPS_CONTRACT_RECIPE_H

#include "gpube/ops/contract/cpu/contract_tile.h"

/* A plan with the memory that it points into. */
struct gpube__planned {
	struct gpube__plan plan;
	void *room;
};

/* An operand that is made: the sum of some of the contraction's, in a layout that suits its tiles. */
struct gpube__made {
	struct gpube__planned tiles;
	int n_in;
	int *from; /* operands of the contraction */
};

struct gpube__recipe {
	struct gpube__planned tiles;
	int n_in; /* of these tiles */
	int *from; /* of each: an operand of the contraction, or ~ one that was made */
	int n_made;
	struct gpube__made *made;
};

/*
 * gpube__recipe_make() - the recipe for c, whose canonical form is s.
 * Errors: ENOMEM; ERANGE without a text: no plan, contract by rows
 */
int gpube__recipe_make(struct gpube__recipe **out, struct gpube_ctx *ctx,
	const struct gpube_contraction *c, const struct gpube__shape *s);

#endif
