/*
 * Trees that several threads search, against enumeration: threads come in before the first node,
 * share what is open after every node, in turns that end at once or late, with blocks, cutoffs that
 * are there or come up meanwhile, and while memory is refused. No bound that is told is above the
 * optimum at any time, only the caller's thread is told, and what is open is never forgotten.
 */
#include <math.h>
#include <pthread.h>

#include "tests/support/test.h"
#include "gpube/options/options.h"

#include "gpube/bound/dfs_tree.h"
#include "gpube/ir/dense.h"
#include "tests/support/bounded.h"
#include "tests/support/cases.h"
#include "tests/support/context.h"
#include "tests/support/memory.h"
#include "tests/support/random_model.h"

enum { N_SEEDS = 600, N_LARGE = 300, N_SCARCE = 6, N_METHOD = 10, N_LATE = 3, N_REPEATED = 1000 };

static int64_t n_together; /* nodes, in all tests so far */
static int64_t n_cut;      /* cutoffs that fell during a search */

/* What is said from outside, and what is told, which is looked at there. */
struct listener {
	struct gpube_bounder *b;
	pthread_t caller;
	int64_t optimum, cutoff;
	int asked, silent; /* times that the cutoff stays */
};

static void check_true(const struct listener *l)
{
	assert_true(l->b->upper >= l->optimum);
	if (l->optimum < l->b->given_cutoff)
		assert_true(l->b->lower <= l->optimum);
}

static void improved(void *arg, int64_t bound, int64_t cost, const int32_t *values)
{
	const struct listener *l = arg;

	(void)bound;
	(void)cost;
	(void)values;
	assert_true(pthread_equal(pthread_self(), l->caller));
	check_true(l);
}

/* Where others would tell of an assignment the cutoff falls, at some call. */
static bool learn(void *arg, bool all, struct gpube__learned *to)
{
	struct listener *l = arg;

	(void)all;
	(void)to;
	assert_true(pthread_equal(pthread_self(), l->caller));
	if (l->cutoff < l->b->given_cutoff && l->asked++ >= l->silent) {
		gpube__bounder_set_cutoff(l->b, l->cutoff);
		n_cut++;
	}
	return false;
}

/* Everything happens early, and often. */
static void hasten(struct gpube_dfs_tree *s, uint64_t seed)
{
	s->alone = 0;
	s->n_restarts = seed % 8 < 5 ? 0 : 2;
	s->first_nodes = 1 + (int32_t)(seed % 9);
	s->patience = seed % 3 ? 1 : 16;
	s->shortest = seed % 4 ? 1 : 8;
	s->few_values = seed % 2 ? 1 : 10;
	s->swept |= seed % 3 > 0; /* or more is proved at the root */
}

/* One turn; what came up is true, and is not lost. */
static void turn(struct listener *l, uint64_t seed, double seconds)
{
	struct gpube_bounder *b = l->b;
	const int64_t before = b->lower;

	if (!b->state.tree)
		assert_int_equal(gpube__dfs_tree_new(b), 0);
	if (!b->state.tree->t)
		return;
	hasten(b->state.tree, seed);
	assert_int_equal(gpube__bound_dfs(b, seconds), 0);
	check_true(l);
	assert_true(b->lower >= before);
	for (int32_t k = 0; k < b->state.tree->n_blocks; k++)
		assert_true(b->state.tree->blocks[k].open.n_held == 0);
	assert_true(b->state.tree->n_busy == 0 && b->state.tree->n_waiting == 0);
}

static void check_proved(const struct listener *l)
{
	const struct gpube_bounder *b = l->b;

	check_true(l);
	assert_true(gpube__bounder_done(b));
	if (l->optimum < b->given_cutoff && l->optimum != GPUBE_INF)
		assert_true(b->upper == l->optimum && b->lower == l->optimum);
	else
		assert_true(b->lower >= b->cutoff);
}

static void search(const struct bounded *r, uint64_t seed, double seconds)
{
	struct gpube_bounder b;
	struct listener l = {.b = &b,
		.caller = pthread_self(),
		.optimum = r->optimum,
		.cutoff = GPUBE_INF,
		.silent = (int)(seed % 40)};
	const struct gpube_watch watch = {.arg = &l, .improved = improved, .learn = learn};
	int turns = 0;

	/* together from the first node on, or after some */
	ctx->alone_until = seed % 4 ? 0 : ctx->ticks + (int64_t)(seed * 7919 % 1000000);
	begin_bounder(&b, &r->s, r->given, seed);
	b.told.watch = &watch;
	if (r->optimum != GPUBE_INF &&
		seed % 5 < 3) /* one below, at, or above the optimum, at once or later */
		l.cutoff = r->optimum + (int64_t)(seed % 5) - 1;
	if (l.cutoff != GPUBE_INF && seed % 2)
		gpube__bounder_set_cutoff(&b, l.cutoff);
	if (seed % 3 == 0) /* from reparametrised tables */
		assert_int_equal(gpube__bound_first(&b, 1e-4), 0);
	do {
		turn(&l, seed, turns < 20000 ? seconds : INFINITY);
		assert_true(++turns < 20002);
	} while (b.state.tree->t && !gpube__bounder_done(&b));
	if (b.state.tree->t) {
		check_proved(&l);
		n_together += b.state.tree->n_nodes_together;
	}
	gpube__dfs_tree_free(b.state.tree);
	end_bounder(&b);
}

static const double turns_of[] = {0, 1e-5, 1e-4, 1e-3, INFINITY};

static void small_trees(void **state)
{
	const uint64_t seed = (uint64_t)(uintptr_t)*state;
	struct random_spec spec = random_spec_varied(seed, GPUBE_COSTS);
	struct bounded r;

	spec.n_parts = 1 + (int)(seed / 3 % 3);
	spec.contradiction = seed % 29 == 0;
	if (bounded_init(&r, spec, seed)) {
		ctx->n_threads = 2 + (int)(seed % 3);
		search(&r, seed, turns_of[seed % 5]);
		ctx->n_threads = 1;
	}
	bounded_clear(&r);
}

/*
 * In about one of a thousand runs of these seeds a thread takes the last open node, and then the
 * cutoff falls below what propagation proves at the root, before the thread begins.
 */
static const int of_late_cutoffs[N_LATE] = {178, 338, 530};

static void late_cutoffs(void **state)
{
	for (int i = 0; i < N_REPEATED; i++)
		small_trees(state);
}

static void large_trees(void **state)
{
	const uint64_t seed = (uint64_t)(uintptr_t)*state;
	struct bounded r;

	if (bounded_large_init(&r, seed)) {
		ctx->n_threads = 2 + (int)(seed % 3);
		search(&r, seed, turns_of[seed % 5]);
		ctx->n_threads = 1;
	}
	bounded_clear(&r);
}

/*
 * Each allocation is refused once: what is said until then is true, and going on ends with the
 * proof.
 */
static void scarce(void **state)
{
	const uint64_t seed = (uint64_t)(uintptr_t)*state;
	struct random_spec spec = bounded_large_spec(seed);
	bool ended = false;

	spec.n_vars = 8;
	spec.n_functions = 20;
	spec.n_parts = 1 + (int)(seed % 2);
	for (long at = 0; !ended; at += 1 + at / 100) {
		struct test_memory memory = {.fail_at = -1};
		struct gpube_ctx *kept = ctx;
		struct gpube_bounder b;
		struct bounded r;
		int status;

		ctx = test_memory_ctx(&memory);
		ctx->memory_bytes = 1 << 26;
		ctx->n_threads = 2 + (int)(seed % 3);
		if (bounded_init(&r, spec, seed)) {
			struct listener l = {.b = &b,
				.caller = pthread_self(),
				.optimum = r.optimum,
				.cutoff = GPUBE_INF};
			const struct gpube_watch watch = {
				.arg = &l, .improved = improved, .learn = learn};

			begin_bounder(&b, &r.s, r.given, seed);
			b.told.watch = &watch;
			memory.fail_at = memory.n + at;
			status = gpube__dfs_tree_new(&b);
			assert_true(status || b.state.tree->t);
			if (!status) {
				hasten(b.state.tree, seed);
				status = gpube__bound_dfs(&b, INFINITY);
			}
			ended = memory.n <= memory.fail_at;
			assert_true(status == GPUBE_OK || (!ended && status == GPUBE_ENOMEM));
			assert_true(!status || !b.state.tree);
			check_true(&l);
			memory.fail_at = -1;
			while (!gpube__bounder_done(&b))
				turn(&l, seed, INFINITY);
			check_proved(&l);
			gpube__dfs_tree_free(b.state.tree);
			end_bounder(&b);
		} else {
			ended = true;
		}
		bounded_clear(&r);
		test_memory_end(ctx, &memory);
		ctx = kept;
	}
}

/* As a method, as anybody calls it: the same optimum as elimination proves. */
static void method(void **state)
{
	const uint64_t seed = (uint64_t)(uintptr_t)*state;
	const struct gpube_opts opts = {
		.method = GPUBE_BOUND_TREE, .order_seconds = 1e-3, .seed = seed};
	struct random_spec spec = random_spec_default();
	struct gpube_model *m;

	spec.n_vars = 24;
	spec.min_domain = 2;
	spec.max_domain = 3;
	spec.n_functions = 80;
	spec.min_arity = 2;
	spec.max_arity = 3;
	spec.forbidden = 0.02 * (double)(seed % 4);
	m = random_model(ctx, &spec, seed);
	assert_non_null(m);
	ctx->n_threads = 2 + (int)(seed % 3);
	must_agree(m, opts);
	ctx->n_threads = 1;
	gpube_model_free(m);
}

/* The tests before had something to share, and cutoffs fell on the way. */
static void were_together(void **state)
{
	(void)state;
	assert_true(n_together > N_SEEDS);
	assert_true(n_cut > 0);
}

static void nothing(void *arg, int64_t item, int thread)
{
	(void)arg;
	(void)item;
	(void)thread;
}

/* A context has as many threads as it had when it first needed some. */
static int setup(void **state)
{
	const int status = ctx_open(4, 0);

	(void)state;
	gpube__parallel(ctx, 4, nothing, NULL);
	ctx->n_threads = 1;
	return status;
}

int main(void)
{
	struct cases c = {0};

	add_seeds(&c, small_trees, N_SEEDS, "small trees, seed");
	add_seeds(&c, large_trees, N_LARGE, "large trees, seed");
	for (int i = 0; i < N_LATE; i++)
		add_case(&c, late_cutoffs, (void *)(uintptr_t)of_late_cutoffs[i],
			"late cutoffs, seed %d", of_late_cutoffs[i]);
	ADD_CASE(&c, were_together);
	add_seeds(&c, method, N_METHOD, "as a method, seed");
	add_seeds(&c, scarce, N_SCARCE, "scarce memory, seed");
	return run_cases(&c, "dfs threads", setup, ctx_teardown);
}
