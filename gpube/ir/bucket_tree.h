/*
 * bucket_tree.h - which buckets send messages over what to which, when a model's
 * variables are eliminated along an order: the elimination without its tables.
 */
#ifndef GPUBE_BUCKET_TREE_H
#define GPUBE_BUCKET_TREE_H

#include "gpube/ir/model.h"

/*
 * Positions count along the order. The message of the variable at position k is over those at
 * scope[at[k]] … scope[at[k + 1] - 1], ascending; it goes to the first of them, if there is one.
 */
struct gpube_bucket_tree {
	int32_t n;
	int32_t *order, *position; /* of each position, of each variable */
	int64_t *at;
	int32_t *scope;
	int64_t scope_capacity;
};

/*
 * gpube__bucket_tree_init() - clear it in any case.
 * order   a permutation of m's variables, the first is eliminated first
 * Cost:   O(n width log width) time, 4 bytes for each variable of each message
 * Errors: ENOMEM
 */
int gpube__bucket_tree_init(
	struct gpube_bucket_tree *t, const struct gpube_model *m, const int32_t *order);
void gpube__bucket_tree_clear(struct gpube_ctx *ctx, struct gpube_bucket_tree *t);

/* Variables of the message at position k. */
static inline int64_t gpube__bucket_scope(const struct gpube_bucket_tree *t, int32_t k)
{
	return t->at[k + 1] - t->at[k];
}

/* Where the message at position k goes, or -1. */
static inline int32_t gpube__bucket_parent(const struct gpube_bucket_tree *t, int32_t k)
{
	return gpube__bucket_scope(t, k) ? t->scope[t->at[k]] : -1;
}

/*
 * gpube__bucket_clusters() - the cluster at k is its variable with its message's. It lies in that of
 * a child c if c's message is all of it; into[k] is then into[c], otherwise k.
 * into   out: n
 */
void gpube__bucket_clusters(const struct gpube_bucket_tree *t, int32_t *into);

#endif
