/*
 * gpube_dpop() by its public header: random models against enumeration, one case a seed, with
 * agents of every kind; what it says of the pseudo-tree; stops; and memory that runs out.
 */
#include "tests/support/test.h"

#include <math.h>

#include "gpube/dpop.h"
#include "gpube/options/options.h"
#include "tests/support/cases.h"
#include "tests/support/context.h"
#include "tests/support/files.h"
#include "tests/support/memory.h"
#include "tests/support/random_model.h"

enum { N_SEEDS = 100 };

static bool is_above(const struct gpube_dpop_result *r, int32_t a, int32_t below)
{
	while (below >= 0 && below != a)
		below = r->agents[below].parent;
	return below == a;
}

static bool knows(const struct gpube_dpop_agent *agent, int32_t a)
{
	for (int32_t k = 0; k < agent->n_pseudo_parents; k++)
		if (agent->pseudo_parents[k] == a)
			return true;
	return agent->parent == a;
}

/* Agents that share a function are one above the other, and the lower one knows the upper one. */
static void check_tree(const struct gpube_dpop_result *r, const struct gpube_model *m)
{
	int32_t n_roots = 0, deepest = -1, n_vars = 0;

	for (int32_t a = 0; a < r->n_agents; a++) {
		const struct gpube_dpop_agent *agent = &r->agents[a];

		n_roots += agent->parent < 0;
		n_vars += agent->n_vars;
		deepest = agent->depth > deepest ? agent->depth : deepest;
		assert_int_equal(
			agent->depth, agent->parent < 0 ? 0 : r->agents[agent->parent].depth + 1);
		assert_true(agent->separator <= r->n_vars);
		for (int32_t k = 0; k < agent->n_pseudo_parents; k++) {
			assert_true(is_above(r, agent->pseudo_parents[k], a));
			assert_int_not_equal(agent->pseudo_parents[k], agent->parent);
			assert_int_not_equal(agent->pseudo_parents[k], a);
		}
	}
	assert_int_equal(n_roots, r->n_trees);
	assert_int_equal(deepest + 1, r->height);
	assert_int_equal(n_vars, m->n_vars);
	for (int32_t f = 0; f < m->n_functions; f++) {
		const int32_t *scope;
		const int arity = gpube_model_scope(&scope, m, f);

		for (int i = 0; i < arity; i++)
			for (int k = 0; k < arity; k++) {
				const int32_t a = r->owner[scope[i]], b = r->owner[scope[k]];

				if (gpube_model_observed(m, scope[i]) >= 0 ||
					gpube_model_observed(m, scope[k]) >= 0)
					continue;
				assert_true(is_above(r, a, b) || is_above(r, b, a));
				if (a != b && is_above(r, a, b))
					assert_true(knows(&r->agents[b], a));
			}
	}
}

static void check(
	const struct gpube_model *m, const struct brute *brute, const struct gpube_opts *opts)
{
	struct gpube_dpop_result *r;
	int64_t cost;

	assert_int_equal(gpube_dpop(&r, m, opts), 0);
	assert_false(r->stopped);
	assert_int_equal(r->n_vars, m->n_vars);
	if (r->n_agents)
		check_tree(r, m);
	assert_int_equal(
		r->token_messages, opts->distributed_dfs ? 2 * (r->n_agents - r->n_trees) : 0);
	if (!brute->feasible) {
		assert_null(r->values);
		assert_true(opts->z || r->answer == GPUBE_ANSWER_INFEASIBLE);
	} else {
		assert_true(r->bounded);
		assert_true(m->direction == GPUBE_MAXIMISE ? r->bound >= brute->cost
							   : r->bound <= brute->cost);
		assert_true(opts->z || r->answer == GPUBE_ANSWER_OPTIMAL);
		if (r->answer == GPUBE_ANSWER_OPTIMAL)
			assert_true(r->cost == brute->cost);
	}
	if (r->values) {
		assert_int_equal(gpube_model_cost(&cost, m, r->values), 0);
		assert_true(cost == r->cost);
	}
	gpube_result_free(r);
}

static void random_costs(void **state)
{
	const uint64_t seed = (uint64_t)(uintptr_t)*state;
	struct random_spec spec = random_spec_varied(seed, GPUBE_COSTS);
	struct gpube_opts opts = {
		.seed = (int64_t)seed, .tries = seed % 3 ? 0 : 5, .latency = seed % 2 ? 0.25 : 0};
	struct gpube_model *m = random_model(ctx, &spec, seed);
	struct brute brute;
	int32_t owner[64];

	assert_non_null(m);
	assert_int_equal(brute_force(&brute, NULL, m), 0);
	for (int tree = GPUBE_PSEUDOTREE_AUTO; tree <= GPUBE_PSEUDOTREE_BEST; tree++) {
		opts.tree = tree;
		opts.z = tree % 3;
		opts.plain_partition = tree % 2;
		opts.no_match = tree / 2 % 2;
		opts.agents = tree % 2 ? "none" : NULL;
		opts.distributed_dfs = tree < GPUBE_PSEUDOTREE_BEST && (seed + (uint64_t)tree) % 2;
		check(m, &brute, &opts);
	}
	opts.z = 0;
	opts.tree = GPUBE_PSEUDOTREE_AUTO;
	opts.distributed_dfs = seed % 3 == 0;
	opts.agents = NULL;
	opts.owner = owner;
	for (int32_t n = 1; n <= 3 && n <= m->n_vars; n++) {
		for (int32_t v = 0; v < m->n_vars; v++)
			owner[v] = v % n;
		opts.n_owner = m->n_vars;
		opts.root = seed % 2 ? "0" : NULL;
		check(m, &brute, &opts);
	}
	gpube_model_free(m);
}

/* a - b - c - d, of whom each pair costs 1 where it agrees. */
static struct gpube_model *chain(void)
{
	static const char *const names[] = {"a", "b", "c", "d"};
	const int64_t costs[4] = {1, 0, 0, 1};
	struct gpube_model *m;

	assert_int_equal(gpube_model_new(&m, ctx, GPUBE_COSTS), 0);
	for (int k = 0; k < 4; k++)
		assert_int_equal(gpube_model_add_var(m, NULL, 2, names[k]), 0);
	for (int32_t k = 0; k < 3; k++)
		assert_int_equal(gpube_model_add_costs(m, 2, (int32_t[]){k, k + 1}, costs), 0);
	return m;
}

static void agents_by_name(void **state)
{
	const char *path = in_dir("map");
	const int32_t owner[] = {0, 0, 1, 1};
	struct gpube_model *m = chain();
	struct gpube_opts opts = {.root = "south"};
	struct gpube_dpop_result *r;

	(void)state;
	test_put(path, "a north b north c south d south", 31);
	opts.agents = path;
	assert_int_equal(gpube_dpop(&r, m, &opts), 0);
	assert_int_equal(r->n_agents, 2);
	assert_string_equal(r->agents[0].name, "north");
	assert_string_equal(r->agents[1].name, "south");
	assert_int_equal(r->agents[1].parent, -1);
	assert_int_equal(r->agents[0].parent, 1);
	assert_memory_equal(r->owner, owner, sizeof(owner));
	assert_int_equal(r->util_messages, 1);
	assert_int_equal(r->total_bytes, 40 + 4 + 2 * 4 + 40 + 8);
	gpube_result_free(r);
	opts.agents = in_dir("nothing");
	assert_int_equal(gpube_dpop(&r, m, &opts), GPUBE_EIO);
	assert_null(r);
	opts.agents = NULL;
	opts.owner = owner;
	opts.n_owner = 4;
	opts.agent_names = "north\n";
	opts.root = "north";
	assert_int_equal(gpube_dpop(&r, m, &opts), 0);
	assert_string_equal(r->agents[0].name, "north");
	assert_null(r->agents[1].name);
	assert_int_equal(r->agents[1].parent, 0);
	gpube_result_free(r);
	gpube_model_free(m);
}

/* A context that is stopped stays so, and what a moment finds is an answer all the same. */
static void stopped(void **state)
{
	struct gpube_model *m = chain();
	struct gpube_dpop_result *r;
	int64_t cost;

	(void)state;
	gpube_ctx_stop(ctx);
	assert_int_equal(gpube_dpop(&r, m, NULL), 0);
	assert_true(r->stopped);
	assert_int_equal(r->answer, GPUBE_ANSWER_OPTIMAL);
	assert_int_equal(r->cost, 0);
	assert_int_equal(gpube_model_cost(&cost, m, r->values), 0);
	assert_int_equal(cost, 0);
	gpube_result_free(r);
	assert_int_equal(gpube_dpop(&r, m, NULL), 0); /* stopped still */
	assert_true(r->stopped);
	gpube_result_free(r);
	gpube_ctx_resume(ctx);
	assert_int_equal(gpube_dpop(&r, m, NULL), 0);
	assert_false(r->stopped);
	assert_int_equal(r->answer, GPUBE_ANSWER_OPTIMAL);
	gpube_result_free(r);
	gpube_model_free(m);
}

static struct gpube_model *chain_in(struct gpube_ctx *c, const void *arg)
{
	struct gpube_ctx *usual = ctx;
	struct gpube_model *m;

	(void)arg;
	ctx = c;
	m = chain();
	ctx = usual;
	return m;
}

static int scarcely(struct gpube_ctx *c, struct gpube_model *m, const void *arg)
{
	static const int32_t owner[] = {0, 1, 1, 0};
	const struct gpube_opts opts = {.owner = arg ? owner : NULL,
		.n_owner = arg ? 4 : 0,
		.agent_names = arg ? "north\nsouth" : NULL,
		.distributed_dfs = !arg,
		.root = "0"};
	struct gpube_dpop_result *r;
	const int status = gpube_dpop(&r, m, &opts);

	(void)c;
	assert_true(!r == (status != GPUBE_OK));
	gpube_result_free(r);
	return status;
}

static void memory_ends(void **state)
{
	(void)state;
	assert_in_range(fail_each_allocation(scarcely, chain_in, NULL, 0), 10, 4999);
	assert_in_range(fail_each_allocation(scarcely, chain_in, "given", 0), 10, 4999);
}

int main(void)
{
	struct cases c = {0};

	add_numbers(&c, random_costs, N_SEEDS, "random costs, seed");
	ADD_CASE(&c, agents_by_name);
	ADD_CASE(&c, stopped);
	ADD_CASE(&c, memory_ends);
	return run_cases(&c, "agents", ctx_dir_setup, ctx_dir_teardown);
}
