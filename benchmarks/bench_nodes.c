/*
 * bench_nodes - the search tree of a model in pieces that could travel between ranks, as a CSV for
 * scale.py: of each the piece that left it open (-1: rank 0, before it shares), its lower bound,
 * the decisions before it, the nodes searched and the processor's seconds that they took.
 *
 *   build/benchmarks/bench_nodes FILE [SECONDS] > pieces.csv
 *
 * A run by the tree alone is stopped after so many seconds (0.25), as gpube-mpi does; a guest
 * (bound/sharing/) searches what it has left open, in the shortest pieces in which a rank is asked
 * for nodes.
 */
#include <stdio.h>
#include <stdlib.h>

#include "formats/formats.h"
#include "gpube/bound/bound.h"
#include "gpube/bound/sharing/sharing.h"
#include "gpube/gpube.h"
#include "gpube/options/options.h"

/* An open node that was left by a piece. */
struct left {
	const struct gpube_frontier_path *path;
	int32_t depth;
	bool turned;
	int64_t piece;
};

struct recording {
	struct gpube_ctx *ctx;
	struct gpube__bytes root, nodes;
	struct left *left;
	int64_t n_left, capacity;
};

static void on_share(void *arg, enum gpube__shared_kind kind, void *of)
{
	struct recording *r = arg;

	if (!of || kind != GPUBE__SHARED_TREE)
		return;
	gpube__shared_tree.root(&r->root, of);
	(void)gpube__shared_tree.give(of, &r->nodes, INT64_MAX, 1, 1);
	gpube_ctx_stop(r->ctx);
}

/* Forgets the node, and says which piece has left it. */
static int64_t piece_of(struct recording *r, const struct gpube_frontier_node *node)
{
	for (int64_t k = r->n_left - 1; k >= 0; k--)
		if (r->left[k].path == node->path && r->left[k].depth == node->depth &&
			r->left[k].turned == node->turned) {
			const int64_t piece = r->left[k].piece;

			r->left[k] = r->left[--r->n_left];
			return piece;
		}
	return -1;
}

/* A path that is freed may have given its place to a new one. */
static int note(struct recording *r, const struct gpube_frontier *f,
	const struct gpube_frontier_path *path, int64_t piece)
{
	for (int64_t k = r->n_left - 1; k >= 0; k--)
		if (r->left[k].path == path)
			r->left[k] = r->left[--r->n_left];
	for (int64_t j = 0; j < f->n; j++) {
		const struct gpube_frontier_node *node = &f->nodes[j];

		if (node->path != path)
			continue;
		if (gpube__grow(r->ctx, &r->left, &r->capacity, r->n_left + 1, sizeof(*r->left)))
			return GPUBE_ENOMEM;
		r->left[r->n_left++] = (struct left){path, node->depth, node->turned, piece};
	}
	return GPUBE_OK;
}

static int record(struct recording *r, struct gpube_dfs_tree *s)
{
	struct gpube_frontier *f = &s->blocks[0].open;
	int status = gpube__shared_tree.take(s, &r->nodes);

	printf("left_by,bound,decisions,nodes,seconds\n");
	for (int64_t piece = 0; !status && f->n && !gpube__dfs_tree_is_done(s); piece++) {
		const struct gpube_frontier_node next = f->nodes[0];
		const int64_t by = piece_of(r, &next), n_nodes = s->n_nodes,
			      before = gpube__work_until(r->ctx, gpube__worked(r->ctx));
		const double cpu = gpube__cpu_seconds();

		s->workers[0].left = NULL;
		status = gpube__shared_tree.search(s);
		gpube__work_again(r->ctx, before);
		printf("%lld,%lld,%d,%lld,%.6f\n", (long long)by, (long long)next.bound,
			next.depth + next.turned, (long long)(s->n_nodes - n_nodes),
			gpube__cpu_seconds() - cpu);
		if (!status && s->workers[0].left)
			status = note(r, f, s->workers[0].left, piece);
	}
	return status;
}

int main(int argc, char **argv)
{
	struct gpube_opts opts = {.method = GPUBE_BOUND_TREE};
	struct recording r = {0};
	const struct gpube_watch watch = {
		.arg = &r, .share = on_share, .share_after = argc > 2 ? atof(argv[2]) : 0.25};
	struct gpube_solution *solution = NULL;
	void *tree = NULL;
	struct gpube_model *m = NULL;
	int status = argc < 2 ? GPUBE_EINVAL : gpube_ctx_new(&r.ctx, NULL);

	if (status)
		return 1;
	r.root.ctx = r.nodes.ctx = r.ctx;
	r.ctx->n_threads = 1;
	status = gpube_read(&m, r.ctx, argv[1], NULL);
	if (!status)
		status = gpube__solve_noted(&solution, NULL, m, &opts, &watch);
	gpube_ctx_resume(r.ctx);
	if (r.root.n)
		status = gpube__shared_tree.guest_new(&tree, m, &opts, &r.root, 1);
	if (!status && tree && ((struct gpube_dfs_tree *)tree)->n_blocks == 1)
		status = record(&r, tree);
	if (status || !tree)
		fprintf(stderr, "bench_nodes: %s\n",
			status ? gpube_error(r.ctx) : "it ended before");
	if (tree)
		gpube__shared_tree.guest_free(tree);
	gpube_result_free(solution);
	gpube__bytes_clear(&r.root);
	gpube__bytes_clear(&r.nodes);
	gpube__free(r.ctx, r.left);
	gpube_model_free(m);
	gpube_ctx_free(r.ctx);
	return status || !r.root.n;
}
