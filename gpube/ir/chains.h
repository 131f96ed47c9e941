/*
 * chains.h - what each bucket of an elimination is given, while its plan is made: the functions
 * whose first variable is the bucket's, and messages as they come. The last one that came is the
 * first.
 */
#ifndef GPUBE_IR_CHAINS_H
#define GPUBE_IR_CHAINS_H

#include "gpube/ir/model.h"

/*
 * Bucket p:  for (int32_t k = head[p]; k >= 0; k = links[k].next)  links[k].id
 * id         a function, or what the caller calls a message
 */
struct gpube_chains {
	struct gpube_ctx *ctx;
	int32_t *head;
	struct {
		int32_t id, next;
	} * links;
	int32_t n;
	int64_t capacity;
};

/*
 * The model's functions, ascending; those without variables are left out. position: of each
 * variable. Errors: ENOMEM
 */
int gpube__chains_init(
	struct gpube_chains *c, const struct gpube_model *m, const int32_t *position);
int gpube__chains_push(struct gpube_chains *c, int32_t bucket, int32_t id);
void gpube__chains_clear(struct gpube_chains *c);

#endif
