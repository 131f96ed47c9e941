/*
 * certify_tree.h - the tree of a certificate while it grows in any order, and what members of
 * patches gave to their separators in each node; then as the file has it.
 */
#ifndef GPUBE_CERTIFY_TREE_H
#define GPUBE_CERTIFY_TREE_H

#include "gpube/bound/certificate/certificate.h"
#include "gpube/relax/patches/patches.h"

/* A node, and where its moves and values are. */
struct gpube__proof_node {
	int32_t kid[2];     /* 0: a leaf */
	int32_t var, value; /* the first kid's, against all others */
	int64_t n_moves, moves_capacity;
	struct gpube__proof_moved {
		int32_t member;
		int64_t *values;
	} * moves;
};

/* Zeroed: there is none. The root is node 0. */
struct gpube__proof_tree {
	struct gpube_ctx *ctx;
	struct gpube__proof_node *nodes;
	int64_t n_nodes, capacity;
};

/* A root that is a leaf. Errors of these: ENOMEM */
int gpube__proof_tree_begin(struct gpube__proof_tree *t, struct gpube_ctx *ctx);
/* The leaf gets two kids, whose numbers are kid[]: a value against the others that are left. */
int gpube__proof_tree_split(
	struct gpube__proof_tree *t, int32_t kid[2], int32_t leaf, int32_t var, int32_t value);
/* What a member gave in a node to each of the n cells of its separator. */
int gpube__proof_tree_move(struct gpube__proof_tree *t, int32_t node, int32_t member,
	const int64_t *values, int32_t n);
/*
 * To the certificate, whose blocks are the tables of patches, one each, and those of separators
 * after them; 'given': what the certificate calls the variables of the patches.
 */
int gpube__proof_tree_write(const struct gpube__proof_tree *t, struct gpube_certificate *c,
	const struct gpube_patches *p, const int32_t *given);
void gpube__proof_tree_clear(struct gpube__proof_tree *t);

#endif
