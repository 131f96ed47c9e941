/*
 * Pseudo-trees: every heuristic and root on random graphs (one case a seed), and
 * what each heuristic visits first on a graph where they differ.
 */
#include "tests/support/test.h"

#include "dcop/dcop.h"
#include "gpube/order/order.h"
#include "tests/support/cases.h"
#include "tests/support/context.h"
#include "tests/support/random_model.h"

enum { N_SEEDS = 150 };

static bool is_ancestor(const struct dcop_pseudotree *t, int32_t a, int32_t v)
{
	while (v >= 0 && v != a)
		v = t->parent[v];
	return v == a;
}

static bool is_pseudo_parent(const struct dcop_pseudotree *t, int32_t a, int32_t v)
{
	for (int64_t k = t->pseudo_at[v]; k < t->pseudo_at[v + 1]; k++)
		if (t->pseudo[k] == a)
			return true;
	return false;
}

/* Edges join ancestors with descendants, tree edges are edges, a preorder is one. */
static void check_tree(const struct dcop_pseudotree *t, const struct gpube_graph *g)
{
	int32_t n_roots = 0, place[64];
	int64_t n_pseudo = 0;

	for (int32_t i = 0; i < g->n; i++)
		place[t->preorder[i]] = i;
	for (int32_t v = 0; v < g->n; v++) {
		bool parent_found = t->parent[v] < 0;

		n_roots += t->parent[v] < 0;
		assert_int_equal(t->depth[v], t->parent[v] < 0 ? 0 : t->depth[t->parent[v]] + 1);
		assert_true(t->parent[v] < 0 || place[t->parent[v]] < place[v]);
		for (int64_t k = g->start[v]; k < g->start[v + 1]; k++) {
			int32_t u = g->adjacent[k];

			assert_int_equal(t->tree[u], t->tree[v]);
			assert_true(is_ancestor(t, u, v) || is_ancestor(t, v, u));
			parent_found |= u == t->parent[v];
			if (is_ancestor(t, u, v) && u != t->parent[v]) {
				assert_true(is_pseudo_parent(t, u, v));
				n_pseudo++;
			}
		}
		assert_true(parent_found);
	}
	assert_int_equal(n_pseudo, t->pseudo_at[g->n]);
	assert_int_equal(n_roots, t->n_trees);
}

/* The width is that of elimination from the leaves up. */
static void check_width(const struct dcop_pseudotree *t, const struct gpube_graph *g)
{
	struct gpube_order_cost cost;
	int32_t order[64];

	for (int32_t i = 0; i < g->n; i++)
		order[i] = t->preorder[g->n - 1 - i];
	assert_int_equal(gpube__order_cost(ctx, &cost, g, order), 0);
	assert_int_equal(cost.width, t->width);
}

/*
 * By the agents' messages it is the central search's tree. A token goes to every agent but a root,
 * and back; every wave crosses an edge at most once each way, and that which wins does.
 */
static void check_distributed(const struct dcop_pseudotree *central, const struct gpube_graph *g,
	const struct dcop_tree_opts *opts)
{
	struct dcop_tree_opts o = *opts;
	struct dcop_pseudotree *t;
	const struct dcop_construction *c;
	const int64_t two_m = g->start[g->n];

	o.distributed = true;
	o.latency = 0.5;
	assert_int_equal(dcop_pseudotree_new(&t, ctx, g, &o), 0);
	check_tree(t, g);
	check_width(t, g);
	assert_int_equal(t->width, central->width);
	for (int32_t v = 0; v < g->n; v++) {
		assert_int_equal(t->parent[v], central->parent[v]);
		assert_int_equal(t->preorder[v], central->preorder[v]);
	}
	c = &t->construction;
	assert_int_equal(c->token_messages, 2 * (g->n - t->n_trees));
	assert_in_range(c->messages - c->token_messages, two_m, two_m * (g->n + 1));
	assert_true(c->bytes >= 44 * (uint64_t)c->messages || !c->messages);
	assert_true(c->largest_bytes <= 40 + 4 * (uint64_t)g->n);
	assert_true(c->rounds >= c->token_messages / t->n_trees);
	assert_true(c->seconds >= 0.5 * (double)(c->token_messages / t->n_trees));
	dcop_pseudotree_free(t);
}

static void random_graphs(void **state)
{
	uint64_t seed = (uint64_t)(uintptr_t)*state;
	struct random_spec spec = random_spec_default();
	struct dcop_pseudotree *t, *best;
	struct gpube_model *m;
	struct gpube_graph g;

	spec.n_vars = 2 + (int)(seed % 14);
	spec.min_domain = 2;
	spec.n_functions = spec.n_vars + (int)(seed % 5);
	spec.max_arity = 2 + (int)(seed % 2);
	spec.n_parts = 1 + (int)(seed % 3);
	m = random_model(ctx, &spec, seed);
	assert_non_null(m);
	assert_int_equal(gpube__graph_of_model(&g, m), 0);
	for (int32_t root = -1; root < g.n; root++) {
		struct dcop_tree_opts opts = {.heuristic = GPUBE_PSEUDOTREE_BEST,
			.root = root,
			.tries = 20,
			.seed = seed};

		assert_int_equal(dcop_pseudotree_new(&best, ctx, &g, &opts), 0);
		check_tree(best, &g);
		check_width(best, &g);
		assert_true(root < 0 || best->parent[root] < 0);
		for (int h = GPUBE_PSEUDOTREE_MIN_DEGREE; h < GPUBE_PSEUDOTREE_BEST; h++) {
			opts.heuristic = (enum gpube_pseudotree)h;
			assert_int_equal(dcop_pseudotree_new(&t, ctx, &g, &opts), 0);
			check_tree(t, &g);
			check_width(t, &g);
			assert_true(root < 0 || t->parent[root] < 0);
			assert_true(best->width <= t->width);
			check_distributed(t, &g, &opts);
			dcop_pseudotree_free(t);
		}
		dcop_pseudotree_free(best);
	}
	gpube__graph_clear(ctx, &g);
	gpube_model_free(m);
}

/*
 * 0 - 1, 0 - 2, 0 - 3, 1 - 2, 3 - 4, 1 - 5, 1 - 6: degrees 3 4 2 2 1 1 1. From 0 the
 * children visited first, and, where no root is given, the roots.
 */
static void heuristics_differ(void **state)
{
	static const struct {
		int32_t first, root;
	} want[] = {
		[GPUBE_PSEUDOTREE_MIN_DEGREE] = {2, 4},
		[GPUBE_PSEUDOTREE_MAX_DEGREE] = {1, 1},
		[GPUBE_PSEUDOTREE_MIN_ID] = {1, 0},
		[GPUBE_PSEUDOTREE_MAX_ID] = {3, 6},
		[GPUBE_PSEUDOTREE_MIN_NAME] = {3, 3},
		[GPUBE_PSEUDOTREE_MAX_NAME] = {2, 2},
	};
	static const int32_t edges[][2] = {{0, 1}, {0, 2}, {0, 3}, {1, 2}, {3, 4}, {1, 5}, {1, 6}};
	static const char *const names[] = {"m", "n", "z", "a", "b", "c", "d"};
	const int64_t costs[4] = {0};
	struct dcop_pseudotree *t;
	struct gpube_model *m;
	struct gpube_graph g;

	(void)state;
	assert_int_equal(gpube_model_new(&m, ctx, GPUBE_COSTS), 0);
	for (int i = 0; i < 7; i++)
		assert_int_equal(gpube_model_add_var(m, NULL, 2, names[i]), 0);
	for (size_t k = 0; k < sizeof(edges) / sizeof(edges[0]); k++)
		assert_int_equal(gpube_model_add_costs(m, 2, edges[k], costs), 0);
	assert_int_equal(gpube__graph_of_model(&g, m), 0);
	for (int h = GPUBE_PSEUDOTREE_MIN_DEGREE; h < GPUBE_PSEUDOTREE_BEST; h++) {
		struct dcop_tree_opts opts = {
			.heuristic = (enum gpube_pseudotree)h, .root = 0, .names = names};

		assert_int_equal(dcop_pseudotree_new(&t, ctx, &g, &opts), 0);
		assert_int_equal(t->preorder[1], want[h].first);
		dcop_pseudotree_free(t);
		opts.root = -1;
		assert_int_equal(dcop_pseudotree_new(&t, ctx, &g, &opts), 0);
		assert_int_equal(t->preorder[0], want[h].root);
		dcop_pseudotree_free(t);
	}
	gpube__graph_clear(ctx, &g);
	gpube_model_free(m);
}

/* The tree of a model, as other parts of the program draw it. */
static void tree_of_a_model(void **state)
{
	struct random_spec spec = random_spec_default();
	struct gpube_model *m = random_model(ctx, &spec, 1);
	struct dcop_pseudotree *t;
	struct gpube_graph g;
	int32_t owner[] = {0, 0, 1, 1, 2, 2};
	struct dcop_agents pairs = {.n = 3, .owner = owner}, idle = {.n = 4, .owner = owner};

	(void)state;
	assert_non_null(m);
	assert_int_equal(m->n_vars, 6);
	assert_int_equal(dcop_tree_of(&t, m, NULL, NULL), 0);
	assert_int_equal(gpube__graph_of_model(&g, m), 0);
	check_tree(t, &g);
	gpube__graph_clear(ctx, &g);
	dcop_pseudotree_free(t);
	assert_int_equal(dcop_tree_of(&t, m, &pairs, NULL), 0);
	assert_int_equal(t->n, 3);
	dcop_pseudotree_free(t);
	assert_int_equal(dcop_tree_of(&t, m, &idle, NULL), GPUBE_EINVAL);
	assert_null(t);
	assert_string_equal(gpube_error(ctx), "1 of the 4 agents own no variable");
	gpube_model_free(m);
}

/* A path 0 - 1 - 2, of which 1 has most neighbours: what is sent, and what that takes. */
static void messages_of_a_path(void **state)
{
	const int64_t costs[4] = {0};
	const struct dcop_tree_opts opts = {.root = -1, .distributed = true, .latency = 1};
	struct dcop_tree_opts best = opts;
	struct dcop_pseudotree *t;
	struct gpube_model *m;
	struct gpube_graph g;

	(void)state;
	assert_int_equal(gpube_model_new(&m, ctx, GPUBE_COSTS), 0);
	for (int i = 0; i < 3; i++)
		assert_int_equal(gpube_model_add_var(m, NULL, 2, NULL), 0);
	for (int32_t i = 0; i < 2; i++)
		assert_int_equal(gpube_model_add_costs(m, 2, (int32_t[]){i, i + 1}, costs), 0);
	assert_int_equal(gpube__graph_of_model(&g, m), 0);
	assert_int_equal(dcop_pseudotree_new(&t, ctx, &g, &opts), 0);
	assert_int_equal(t->heuristic, GPUBE_PSEUDOTREE_MAX_DEGREE);
	assert_int_equal(t->preorder[0], 1);
	/*
	 * 4 waves of 40 + 4 + 4 bytes to begin with, and 1's comes back from both; then the token
	 * with one agent, with two back and there, with three back
	 */
	assert_int_equal(t->construction.messages, 4 + 2 + 4);
	assert_int_equal(t->construction.token_messages, 4);
	assert_int_equal(t->construction.bytes, 6 * 48 + 4 * 40 + 4 * (1 + 2 + 2 + 3));
	assert_int_equal(t->construction.largest_bytes, 40 + 4 * 3);
	assert_int_equal(t->construction.rounds, 6);
	assert_true(t->construction.seconds >= 6 && t->construction.seconds < 7);
	dcop_pseudotree_free(t);
	best.heuristic = GPUBE_PSEUDOTREE_BEST;
	assert_int_equal(dcop_pseudotree_new(&t, ctx, &g, &best), GPUBE_EINVAL);
	assert_null(t);
	gpube_ctx_stop(ctx);
	assert_int_equal(dcop_pseudotree_new(&t, ctx, &g, &opts), GPUBE_ESTOP);
	gpube_ctx_resume(ctx);
	gpube__graph_clear(ctx, &g);
	gpube_model_free(m);
}

static void a_root_that_is_not_there(void **state)
{
	struct random_spec spec = random_spec_default();
	struct gpube_model *m = random_model(ctx, &spec, 1);
	struct dcop_tree_opts opts = {.root = 6};
	struct dcop_pseudotree *t;

	(void)state;
	assert_int_equal(dcop_tree_of(&t, m, NULL, &opts), GPUBE_EINVAL);
	assert_string_equal(gpube_error(ctx), "there is no vertex 6 to be the root");
	gpube_model_free(m);
}

int main(void)
{
	struct cases c = {0};

	add_numbers(&c, random_graphs, N_SEEDS, "random graphs, seed");
	ADD_CASE(&c, heuristics_differ);
	ADD_CASE(&c, tree_of_a_model);
	ADD_CASE(&c, messages_of_a_path);
	ADD_CASE(&c, a_root_that_is_not_there);
	return run_cases(&c, "pseudotree", ctx_setup, ctx_teardown);
}
