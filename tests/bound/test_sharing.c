/*
 * Trees whose open nodes travel, against enumeration: an owner and guests in one process, whose
 * letters are bytes that are handed on in any order that ranks could have. Nodes are lent, searched
 * for any time, given back, closed; guests are lost with all they have; assignments come from any
 * of them. What the owner proves is the optimum, and no bound on the way is above it.
 */
#include <math.h>

#include "tests/support/test.h"

#include "gpube/bound/bound.h"
#include "gpube/bound/sharing/sharing.h"
#include "tests/support/bounded.h"
#include "tests/support/cases.h"
#include "tests/support/context.h"
#include "tests/support/random_model.h"

enum { N_SEEDS = 150, N_SMALL = 90, N_GUESTS = 3, MOST_STEPS = 200000 };

struct guest {
	struct gpube_dfs_tree *tree;
	int64_t last; /* number of the last nodes that it has */
	int64_t seen;
};

struct play {
	struct gpube_bounder b;
	struct guest guests[N_GUESTS];
	struct gpube_rng rng;
	int64_t number, seen, n_lent, n_back, n_lost, n_steps;
	bool begun, over;
};

static int new_guest(struct guest *g, const struct gpube_model *given,
	const struct gpube_opts *opts, struct gpube__bytes *root)
{
	void *tree;
	const int status = gpube__shared_tree.guest_new(&tree, given, opts, root, 1);

	g->tree = tree;
	return status;
}

static void on_share(void *arg, enum gpube__shared_kind kind, void *of)
{
	struct play *p = arg;
	static const struct gpube_opts opts = {0};
	struct gpube__bytes root = {.ctx = ctx};

	assert_int_equal(kind, GPUBE__SHARED_TREE);
	if (!of) {
		p->over = true;
		return;
	}
	p->begun = true;
	gpube__shared_tree.root(&root, of);
	assert_int_equal(root.status, 0);
	for (int i = 0; i < N_GUESTS; i++) {
		root.next = 0;
		assert_int_equal(new_guest(&p->guests[i], p->b.given, &opts, &root), 0);
		p->guests[i].seen = p->guests[i].tree->best_number;
	}
	gpube__bytes_clear(&root);
}

/* ---- letters --------------------------------------------------------------------------------- */

static void lend(struct play *p, int i)
{
	struct gpube__bytes nodes = {.ctx = ctx};
	const int64_t most = 1 + (int64_t)gpube__rng_below(&p->rng, 8);
	const int64_t n =
		gpube__shared_tree.give(p->b.state.tree, &nodes, most, i + 1, p->number + 1);

	assert_true(n <= most && nodes.status == 0);
	if (n) {
		p->guests[i].last = ++p->number;
		assert_int_equal(gpube__shared_tree.take(p->guests[i].tree, &nodes), 0);
		p->n_lent += n;
	}
	gpube__bytes_clear(&nodes);
}

static void give_back(struct play *p, int i)
{
	struct gpube__bytes nodes = {.ctx = ctx};

	p->n_back += gpube__shared_tree.give(
		p->guests[i].tree, &nodes, 1 + (int64_t)gpube__rng_below(&p->rng, 4), -1, 0);
	assert_int_equal(gpube__shared_tree.take(p->b.state.tree, &nodes), 0);
	gpube__bytes_clear(&nodes);
}

static void best(struct play *p, int i, bool to_owner)
{
	struct gpube__bytes values = {.ctx = ctx};
	struct gpube_dfs_tree *owner = p->b.state.tree, *guest = p->guests[i].tree;

	if (gpube__shared_tree.best(
		    &values, to_owner ? guest : owner, to_owner ? &p->guests[i].seen : &p->seen))
		assert_int_equal(gpube__shared_tree.learn(to_owner ? owner : guest, &values,
					 to_owner ? &(int64_t){0} : &p->guests[i].seen),
			0);
	gpube__bytes_clear(&values);
}

/* What the guest has left. What it has found comes first, for nodes are closed by it. */
static void state_of(struct play *p, int i)
{
	struct gpube__bytes least = {.ctx = ctx};

	best(p, i, true);
	gpube__shared_tree.least(&least, p->guests[i].tree);
	assert_int_equal(
		gpube__shared_tree.repaid(p->b.state.tree, &least, i + 1, p->guests[i].last), 0);
	assert_true(least.next == least.n);
	gpube__bytes_clear(&least);
}

/* A state that was written before nodes came says nothing of these. */
static void late_state(struct play *p, int i)
{
	struct gpube__bytes least = {.ctx = ctx};
	const int64_t last = p->guests[i].last;

	best(p, i, true);
	gpube__shared_tree.least(&least, p->guests[i].tree);
	lend(p, i);
	assert_int_equal(gpube__shared_tree.repaid(p->b.state.tree, &least, i + 1, last), 0);
	gpube__bytes_clear(&least);
}

/* It is gone, and somebody else is in its place. */
static void lose(struct play *p, int i)
{
	static const struct gpube_opts opts = {0};
	struct gpube__bytes root = {.ctx = ctx};

	gpube__shared_tree.guest_free(p->guests[i].tree);
	assert_int_equal(gpube__shared_tree.recall(p->b.state.tree, ctx, i + 1), 0);
	gpube__shared_tree.root(&root, p->b.state.tree);
	assert_int_equal(new_guest(&p->guests[i], p->b.given, &opts, &root), 0);
	p->guests[i].seen = 0;
	gpube__bytes_clear(&root);
	p->n_lost++;
}

/* ---- a play ---------------------------------------------------------------------------------- */

static void hasten(struct gpube_dfs_tree *s, uint64_t seed)
{
	s->alone = 0;
	s->n_restarts = seed % 3;
	s->first_nodes = 1;
	s->patience = 1;
	s->shortest = 1 + (int32_t)(seed % 2);
	s->few_values = seed % 2 ? 1 : 10;
}

static void owner_turn(struct play *p, uint64_t seed)
{
	if (!p->b.state.tree)
		assert_int_equal(gpube__dfs_tree_new(&p->b), 0);
	if (!p->b.state.tree->t)
		return;
	hasten(p->b.state.tree, seed);
	p->b.state.tree->swept |= seed % 3 > 0;
	assert_int_equal(gpube__bound_dfs(&p->b, 0), 0); /* longer, it would wait for the guests */
}

/* Turns get longer as the play does: the trees of some seeds have thousands of nodes. */
static void guest_turn(struct play *p, int i, uint64_t seed)
{
	struct gpube_dfs_tree *s = p->guests[i].tree;
	const double most = 1e-4 * (1 + (double)p->n_steps / 1000);
	const int64_t before =
		gpube__work_until(ctx, gpube__worked(ctx) + most * gpube__rng_unit(&p->rng));

	hasten(s, seed);
	assert_int_equal(gpube__shared_tree.search(s), 0);
	assert_int_equal(gpube__dfs_tree_check(s), 0);
	gpube__work_again(ctx, before);
}

static void step(struct play *p, uint64_t seed)
{
	const int i = (int)gpube__rng_below(&p->rng, N_GUESTS);

	if (!p->begun || gpube__rng_below(&p->rng, 6) == 0) {
		owner_turn(p, seed);
		return;
	}
	switch (gpube__rng_below(&p->rng, 12)) {
	case 0:
	case 1:
	case 2:
		lend(p, i);
		break;
	case 3:
	case 4:
	case 5:
		guest_turn(p, i, seed);
		break;
	case 6:
		give_back(p, i);
		break;
	case 7:
		late_state(p, i);
		break;
	case 8:
		best(p, i, true);
		break;
	case 9:
		best(p, i, false);
		break;
	case 10:
		if (gpube__rng_below(&p->rng, 20) == 0)
			lose(p, i);
		break;
	default:
		state_of(p, i);
		break;
	}
}

static int64_t n_lent, n_back, n_lost; /* in all plays */

static void plays(void **state)
{
	const uint64_t seed = (uint64_t)(uintptr_t)*state;
	struct random_spec spec = random_spec_varied(seed, GPUBE_COSTS);
	struct play p = {0};
	const struct gpube_watch watch = {.arg = &p, .share = on_share};
	struct bounded r;

	spec.n_parts = 1 + (int)(seed / 3 % 3);
	if (seed < N_SMALL ? bounded_init(&r, spec, seed) : bounded_large_init(&r, seed)) {
		gpube__rng_init(&p.rng, seed);
		begin_bounder(&p.b, &r.s, r.given, seed);
		p.b.told.watch = &watch;
		if (seed % 2) /* blocks are shared once each has an assignment */
			assert_int_equal(gpube__bounder_search(&p.b, NULL, 50), 0);
		ctx->n_threads = 1 + (int)(seed / 2 % 2);
		do {
			assert_true(++p.n_steps < MOST_STEPS);
			step(&p, seed);
			assert_true(p.b.lower <= r.optimum && p.b.upper >= r.optimum);
			if (p.begun && gpube__shared_tree.state(p.b.state.tree).done)
				assert_int_equal(gpube__bound_settle(&p.b), 0);
		} while (p.b.state.tree->t && !gpube__bounder_done(&p.b));
		if (p.b.state.tree->t)
			assert_true(r.optimum == GPUBE_INF
					    ? p.b.lower >= p.b.cutoff
					    : p.b.lower == r.optimum && p.b.upper == r.optimum);
		gpube__dfs_tree_free(p.b.state.tree);
		assert_true(p.over == p.begun);
		for (int i = 0; i < N_GUESTS && p.begun; i++)
			gpube__shared_tree.guest_free(p.guests[i].tree);
		end_bounder(&p.b);
		ctx->n_threads = 1;
	}
	bounded_clear(&r);
	n_lent += p.n_lent;
	n_back += p.n_back;
	n_lost += p.n_lost;
}

static void some_were_shared(void **state)
{
	(void)state;
	assert_true(n_lent > 1000 && n_back > 100 && n_lost > 10);
}

/* A node that is taken out and never closed, by the owner or a guest. */
static void noticed(struct gpube_dfs_tree *s)
{
	struct gpube_dfs_block *k = &s->blocks[0];
	struct gpube_frontier_node node;

	assert_true(k->open.n > 0 && !k->closed);
	assert_int_equal(gpube__dfs_tree_check(s), 0);
	node = gpube__frontier_pop(&k->open);
	assert_int_equal(gpube__dfs_tree_check(s), GPUBE_EBUG);
	gpube__frontier_give_back(&k->open, ctx, &node);
}

/* Whether there was a moment at which both had open nodes. */
static bool one_was_lost(uint64_t seed)
{
	struct play p = {0};
	const struct gpube_watch watch = {.arg = &p, .share = on_share};
	struct bounded r;
	bool both = false;

	if (!bounded_large_init(&r, seed)) {
		bounded_clear(&r);
		return false;
	}
	gpube__rng_init(&p.rng, seed);
	begin_bounder(&p.b, &r.s, r.given, seed);
	p.b.told.watch = &watch;
	for (int k = 0; k < 100 && !both && !gpube__bounder_done(&p.b); k++) {
		owner_turn(&p, seed);
		if (p.begun && p.b.state.tree->blocks[0].open.n > 8)
			lend(&p, 0);
		both = p.begun && p.guests[0].tree->blocks[0].open.n &&
		       p.b.state.tree->blocks[0].open.n;
	}
	if (both) {
		noticed(p.guests[0].tree);
		noticed(p.b.state.tree);
		assert_int_equal(gpube__bound_dfs(&p.b, 0), GPUBE_EBUG); /* it claims nothing */
	}
	gpube__dfs_tree_free(p.b.state.tree);
	for (int i = 0; i < N_GUESTS && p.begun; i++)
		gpube__shared_tree.guest_free(p.guests[i].tree);
	end_bounder(&p.b);
	bounded_clear(&r);
	return both;
}

static void a_lost_node(void **state)
{
	int n = 0;

	(void)state;
	for (uint64_t seed = 0; seed < 40; seed++)
		n += one_was_lost(seed);
	assert_true(n > 3);
}

int main(void)
{
	struct cases c = {.setup = ctx_setup_1_thread, .teardown = ctx_teardown};

	add_seeds(&c, plays, N_SEEDS, "play");
	ADD_CASE(&c, some_were_shared);
	ADD_CASE(&c, a_lost_node);
	return run_cases(&c, "sharing", NULL, NULL);
}
