/* certify_tree.c - see certify_tree.h. */
#include "gpube/bound/certificate/certify_tree.h"

#include <string.h>

/* Its number in *to. */
static int new_node(struct gpube__proof_tree *t, int32_t *to)
{
	if (t->n_nodes == INT32_MAX - 1 ||
		gpube__grow(t->ctx, &t->nodes, &t->capacity, t->n_nodes + 1, sizeof(*t->nodes)))
		return GPUBE_ENOMEM;
	t->nodes[t->n_nodes] = (struct gpube__proof_node){.var = -1};
	*to = (int32_t)t->n_nodes++;
	return GPUBE_OK;
}

int gpube__proof_tree_begin(struct gpube__proof_tree *t, struct gpube_ctx *ctx)
{
	int32_t root;

	*t = (struct gpube__proof_tree){.ctx = ctx};
	return new_node(t, &root);
}

int gpube__proof_tree_split(
	struct gpube__proof_tree *t, int32_t kid[2], int32_t leaf, int32_t var, int32_t value)
{
	struct gpube__proof_node *node;
	int status = new_node(t, &kid[0]);

	if (!status)
		status = new_node(t, &kid[1]);
	if (status)
		return status;
	node = &t->nodes[leaf];
	node->kid[0] = kid[0];
	node->kid[1] = kid[1];
	node->var = var;
	node->value = value;
	return GPUBE_OK;
}

int gpube__proof_tree_move(
	struct gpube__proof_tree *t, int32_t node, int32_t member, const int64_t *values, int32_t n)
{
	struct gpube__proof_node *of = &t->nodes[node];
	int64_t *copy;

	if (gpube__grow(
		    t->ctx, &of->moves, &of->moves_capacity, of->n_moves + 1, sizeof(*of->moves)))
		return GPUBE_ENOMEM;
	copy = gpube__alloc(t->ctx, (uint64_t)n, sizeof(*copy));
	if (!copy)
		return GPUBE_ENOMEM;
	memcpy(copy, values, (size_t)n * sizeof(*copy));
	of->moves[of->n_moves++] = (struct gpube__proof_moved){member, copy};
	return GPUBE_OK;
}

static int write_moves(const struct gpube__proof_node *node, struct gpube_certificate *c,
	const struct gpube_patches *p)
{
	int status = GPUBE_OK;

	for (int64_t k = 0; k < node->n_moves && !status; k++) {
		const struct gpube_patch_member *of = &p->members[node->moves[k].member];
		int64_t *values;

		status = gpube__certificate_move(
			c, of->patch, p->n_patches + of->separator, &values);
		if (!status)
			memcpy(values, node->moves[k].values,
				(size_t)p->separators[of->separator].n_cells * sizeof(*values));
	}
	return status;
}

int gpube__proof_tree_write(const struct gpube__proof_tree *t, struct gpube_certificate *c,
	const struct gpube_patches *p, const int32_t *given)
{
	/* a leaf's parent comes first, and the first kid's leaves before the second's */
	int32_t *stack = gpube__alloc(t->ctx, (uint64_t)t->n_nodes + 1, sizeof(*stack)), n = 1;
	int status = stack ? GPUBE_OK : GPUBE_ENOMEM;

	if (!status)
		stack[0] = 0;
	while (!status && n) {
		const struct gpube__proof_node *node = &t->nodes[stack[--n]];

		status = gpube__certificate_node(c);
		if (!status)
			status = write_moves(node, c, p);
		if (!status && node->kid[0]) {
			status = gpube__certificate_split(c, given[node->var], 1, &node->value);
			stack[n++] = node->kid[1];
			stack[n++] = node->kid[0];
		}
	}
	gpube__free(t->ctx, stack);
	return status;
}

void gpube__proof_tree_clear(struct gpube__proof_tree *t)
{
	for (int64_t k = 0; k < t->n_nodes; k++) {
		for (int64_t j = 0; j < t->nodes[k].n_moves; j++)
			gpube__free(t->ctx, t->nodes[k].moves[j].values);
		gpube__free(t->ctx, t->nodes[k].moves);
	}
	gpube__free(t->ctx, t->nodes);
}
