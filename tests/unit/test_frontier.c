/*
 * Open nodes: what comes out, and when, beside a plain array of what is open; bytes; what is in a
 * hand; paths; failing allocations; threads.
 */
#include "tests/support/test.h"

#include <math.h>
#include <pthread.h>

#include "gpube/search/frontier.h"
#include "tests/support/cases.h"
#include "tests/support/context.h"
#include "tests/support/memory.h"

enum { N_SEEDS = 200, STEPS = 400, MOST = STEPS, HANDS = 3, N_THREADS = 4, N_NODES = 4000 };

/* The plain array: nodes of which 'payload' is a number, and where they are. */
struct plain {
	struct gpube_frontier_node nodes[MOST];
	bool open[MOST];
	int n;
};

static int64_t number(const struct gpube_frontier_node *node)
{
	return (int64_t)(uintptr_t)node->payload;
}

static int64_t n_open(const struct plain *p)
{
	int64_t n = 0;

	for (int k = 0; k < p->n; k++)
		n += p->open[k];
	return n;
}

static int64_t bytes_of(const struct plain *p)
{
	int64_t bytes = 0;

	for (int k = 0; k < p->n; k++)
		bytes += p->open[k] ? (int64_t)sizeof(p->nodes[k]) + p->nodes[k].bytes : 0;
	return bytes;
}

/* Whether no other is before it. */
static bool is_next(const struct plain *p, const struct gpube_frontier_node *x, bool full)
{
	for (int k = 0; k < p->n; k++) {
		const struct gpube_frontier_node *y = &p->nodes[k];

		if (p->open[k] && (full ? y->depth > x->depth
					: y->bound < x->bound || (y->bound == x->bound &&
									 y->depth > x->depth)))
			return false;
	}
	return true;
}

static void check_taken(
	struct plain *p, const struct gpube_frontier_node *x, bool popped, bool full)
{
	const int64_t k = number(x);

	assert_true(k >= 0 && k < p->n && p->open[k]);
	assert_true(x->bound == p->nodes[k].bound && x->depth == p->nodes[k].depth);
	assert_true(!popped || is_next(p, x, full));
	p->open[k] = false;
}

/* Pushed, popped and taken as it comes, some into hands that let go later. */
static void beside_an_array(void **state)
{
	const uint64_t seed = (uint64_t)(uintptr_t)*state;
	struct gpube_frontier f = {.most_bytes = seed % 3 ? (int64_t)seed * 40 : 0};
	struct gpube_frontier_hand hands[HANDS];
	bool holds[HANDS] = {false};
	struct plain p = {.n = 0};
	struct gpube_rng rng;

	gpube__rng_init(&rng, seed);
	while (p.n < STEPS) {
		const int what = (int)gpube__rng_below(&rng, 6),
			  hand = (int)gpube__rng_below(&rng, HANDS);
		const bool full = f.most_bytes && bytes_of(&p) > f.most_bytes;
		int64_t least = INT64_MAX;

		if (what < 3) {
			p.nodes[p.n] = (struct gpube_frontier_node){
				.bound = (int64_t)gpube__rng_below(&rng, 8) - 4,
				.depth = (int32_t)gpube__rng_below(&rng, 6),
				.payload = (void *)(uintptr_t)p.n,
				.bytes = (int64_t)gpube__rng_below(&rng, 100)};
			p.open[p.n] = true;
			assert_int_equal(gpube__frontier_push(&f, ctx, &p.nodes[p.n++]), 0);
		} else if (holds[hand]) {
			gpube__frontier_tighten(&hands[hand], hands[hand].node.bound + 1);
			gpube__frontier_tighten(&hands[hand], hands[hand].node.bound - 1);
			if (what == 3) {
				gpube__frontier_let_go(&f, &hands[hand]);
				gpube__frontier_let_go(&f, &hands[hand]); /* which is nothing */
				holds[hand] = false;
			}
		} else if (f.n) {
			const int64_t k = (int64_t)gpube__rng_below(&rng, (uint64_t)f.n);

			hands[hand].node =
				what == 4 ? gpube__frontier_take(&f, k) : gpube__frontier_pop(&f);
			check_taken(&p, &hands[hand].node, what != 4, full);
			holds[hand] = what == 3;
			if (holds[hand])
				gpube__frontier_hold(&f, &hands[hand]);
		}
		for (int k = 0; k < p.n; k++)
			least = p.open[k] && p.nodes[k].bound < least ? p.nodes[k].bound : least;
		for (int k = 0; k < HANDS; k++)
			least = holds[k] && hands[k].node.bound < least ? hands[k].node.bound
									: least;
		assert_true(gpube__frontier_least(&f) == least);
		assert_true(f.n == n_open(&p) && f.bytes == bytes_of(&p));
		assert_int_equal(f.n_held, holds[0] + holds[1] + holds[2]);
	}
	gpube__frontier_clear(&f, ctx);
	assert_true(f.n == 0 && f.bytes == 0);
}

/* The same calls give the same nodes, also where all are equal. */
static void repeated(void **state)
{
	int64_t order[2][MOST];

	(void)state;
	for (int turn = 0; turn < 2; turn++) {
		struct gpube_frontier f = {0};

		for (int k = 0; k < MOST; k++)
			assert_int_equal(gpube__frontier_push(&f, ctx,
						 &(struct gpube_frontier_node){.bound = k % 2,
							 .payload = (void *)(uintptr_t)k}),
				0);
		for (int k = 0; k < MOST; k++) {
			const struct gpube_frontier_node node = gpube__frontier_pop(&f);

			order[turn][k] = number(&node);
		}
		gpube__frontier_clear(&f, ctx);
	}
	assert_memory_equal(order[0], order[1], sizeof(order[0]));
}

/* A path of n decisions, and nodes at each of them: what they stand for, and when it is freed. */
static void paths(void **state)
{
	enum { N = 5 };
	const struct gpube_decision steps[N] = {{3, 1, GPUBE__DECISION_IS},
		{0, 2, GPUBE__DECISION_IS_NOT}, {7, 4, GPUBE__DECISION_BELOW},
		{7, 1, GPUBE__DECISION_FROM}, {2, 0, GPUBE__DECISION_IS}};
	const enum gpube_decision_side others[N] = {GPUBE__DECISION_IS_NOT, GPUBE__DECISION_IS,
		GPUBE__DECISION_FROM, GPUBE__DECISION_BELOW, GPUBE__DECISION_IS_NOT};
	struct gpube_frontier f = {0};
	struct gpube_frontier_node node = {.turned = true}, taken[N + 1];

	(void)state;
	assert_int_equal(gpube__frontier_room(&f, ctx, N + 1), 0);
	node.path = gpube__frontier_path(&f, ctx, steps, N);
	assert_non_null(node.path);
	for (node.depth = 0; node.depth < N; node.depth++)
		assert_int_equal(gpube__frontier_push(&f, ctx, &node), 0);
	node.turned = false;
	assert_int_equal(gpube__frontier_push(&f, ctx, &node), 0);
	assert_true(gpube__frontier_part(&f) == 1); /* all that there is */
	for (int k = N; k >= 0; k--) {
		const int32_t n = k;

		taken[k] = gpube__frontier_pop(&f);
		assert_true(taken[k].depth == n && taken[k].turned == (n < N));
		assert_true(gpube__frontier_part(&f) == 1 - ldexp(1, -n));
		for (int32_t i = 0; i < n + taken[k].turned; i++) {
			const struct gpube_decision of = gpube__frontier_decision(&taken[k], i);

			assert_true(of.var == steps[i].var && of.value == steps[i].value);
			assert_true(of.side == (i == n ? others[i] : steps[i].side));
		}
	}
	for (int k = 0; k <= N; k++) {
		assert_true(f.bytes > 0);
		gpube__frontier_give_back(&f, ctx, &taken[k]);
		assert_null(taken[k].path);
	}
	assert_true(f.bytes == 0);
	/* what is open at the end gives its path back */
	node.path = gpube__frontier_path(&f, ctx, steps, 0);
	assert_int_equal(gpube__frontier_push(&f, ctx, &node), 0);
	gpube__frontier_clear(&f, ctx);
	assert_true(f.bytes == 0);
}

/* A call that fails has done nothing; where there is room, none fails. */
static void scarce(void **state)
{
	const uint64_t seed = (uint64_t)(uintptr_t)*state;
	const struct gpube_decision step = {0, 0, GPUBE__DECISION_IS};
	struct test_memory memory = {.fail_at = -1};
	struct gpube_ctx *kept = test_memory_ctx(&memory);
	struct gpube_frontier f = {0};
	struct gpube_rng rng;
	int64_t room = 0, n = 0, sum = 0;
	int n_failed = 0;

	gpube__rng_init(&rng, seed);
	for (int k = 0; k < STEPS; k++) {
		struct gpube_frontier_node node = {.bound = (int64_t)gpube__rng_below(&rng, 9)};
		const bool fails = gpube__rng_below(&rng, 2);
		const int64_t bytes = f.bytes;

		memory.fail_at = fails ? memory.n : -1;
		if (k % 7 == 0) {
			room = (int64_t)gpube__rng_below(&rng, 9);
			room = gpube__frontier_room(&f, kept, room) ? 0 : room;
		} else if (k % 7 == 1) {
			node.path = gpube__frontier_path(&f, kept, &step, 1);
			assert_true(node.path ? f.bytes > bytes : fails && f.bytes == bytes);
			memory.fail_at = -1;
			n_failed += !node.path;
			if (!node.path)
				continue;
			assert_int_equal(gpube__frontier_push(&f, kept, &node), 0);
			room--;
			n++;
			sum += node.bound;
		} else if (!gpube__frontier_push(&f, kept, &node)) {
			room--;
			n++;
			sum += node.bound;
		} else {
			n_failed++;
			assert_true(fails && room <= 0 && f.n == n && f.bytes == bytes);
		}
	}
	memory.fail_at = -1;
	assert_true(n_failed > 0 && f.n == n);
	for (; n > 0; n--) {
		struct gpube_frontier_node node = gpube__frontier_pop(&f);

		sum -= node.bound;
		gpube__frontier_give_back(&f, kept, &node);
	}
	assert_true(sum == 0 && f.bytes == 0);
	gpube__frontier_clear(&f, kept);
	test_memory_end(kept, &memory);
}

/* ---- threads --------------------------------------------------------------------------------- */

struct shared {
	pthread_mutex_t lock;
	struct gpube_frontier f;
	int64_t n, least; /* nodes so far; the least bound of all may not fall */
	uint8_t popped[N_NODES];
};

/* Each node becomes two of higher bounds, as long as there are numbers; the root is number 0. */
static void *search(void *arg)
{
	struct shared *s = arg;
	struct gpube_ctx own = gpube__ctx_child(ctx);
	struct gpube_frontier_hand hand;
	bool over = false;

	while (!over) {
		pthread_mutex_lock(&s->lock);
		over = !s->f.n && !s->f.n_held;
		if (s->f.n) {
			hand.node = gpube__frontier_pop(&s->f);
			s->popped[number(&hand.node)]++;
			gpube__frontier_hold(&s->f, &hand);
			pthread_mutex_unlock(&s->lock);
			gpube__frontier_tighten(&hand, hand.node.bound + number(&hand.node) % 3);
			pthread_mutex_lock(&s->lock);
			for (int k = 0; k < 2 && s->n < N_NODES; k++) {
				const struct gpube_frontier_node node = {
					.bound = hand.node.bound + k,
					.depth = hand.node.depth + 1,
					.payload = (void *)(uintptr_t)s->n++};

				if (gpube__frontier_push(&s->f, &own, &node))
					abort();
			}
			gpube__frontier_let_go(&s->f, &hand);
			if (gpube__frontier_least(&s->f) < s->least)
				abort();
			s->least = gpube__frontier_least(&s->f);
		}
		pthread_mutex_unlock(&s->lock);
	}
	gpube__ctx_clear(&own);
	return NULL;
}

static void several_threads(void **state)
{
	struct shared *s = calloc(1, sizeof(*s));
	pthread_t threads[N_THREADS];

	(void)state;
	assert_non_null(s);
	pthread_mutex_init(&s->lock, NULL);
	s->f.most_bytes = 200 * (int64_t)sizeof(struct gpube_frontier_node);
	s->n = 1;
	assert_int_equal(gpube__frontier_push(&s->f, ctx, &(struct gpube_frontier_node){0}), 0);
	for (int k = 0; k < N_THREADS; k++)
		assert_int_equal(pthread_create(&threads[k], NULL, search, s), 0);
	for (int k = 0; k < N_THREADS; k++)
		assert_int_equal(pthread_join(threads[k], NULL), 0);
	for (int k = 0; k < N_NODES; k++)
		assert_int_equal(s->popped[k], 1);
	assert_true(s->n == N_NODES && s->least == INT64_MAX && s->f.bytes == 0);
	gpube__frontier_clear(&s->f, ctx);
	pthread_mutex_destroy(&s->lock);
	free(s);
}

int main(void)
{
	struct cases c = {0};

	add_seeds(&c, beside_an_array, N_SEEDS, "beside an array, seed");
	add_seeds(&c, scarce, N_SEEDS / 10, "scarce memory, seed");
	ADD_CASE(&c, repeated);
	ADD_CASE(&c, paths);
	ADD_CASE(&c, several_threads);
	return run_cases(&c, "frontier", ctx_setup, ctx_teardown);
}
