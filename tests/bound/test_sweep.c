/*
 * Sweeps against enumeration: random models of hard pairs and triples with a soft cost of value 0
 * of each variable, of the kind of SPOT5, one case a seed; and runs that have to drop states.
 */
#include "tests/support/test.h"

#include <math.h>
#include <stdlib.h>

#include "gpube/ir/model.h"
#include "gpube/ir/generate.h"
#include "gpube/bound/sweep/sweep_states.h"
#include "tests/support/bounded.h"
#include "tests/support/cases.h"
#include "tests/support/context.h"
#include "tests/support/random_model.h"

enum { N_SEEDS = 100, N_DROPPING = 6, N_STEPS = 12, MOST_VARS = 9, MOST_THREADS = 3 };

static int setup(void **state)
{
	(void)state;
	return ctx_open(1, (uint64_t)1 << 28);
}

static void add_hard(struct gpube_model *m, struct gpube_rng *rng, int32_t n_vars, int arity)
{
	int32_t scope[3];
	int64_t costs[64], n = 1;

	for (int k = 0; k < arity; k++) {
		bool again = true;

		while (again) {
			scope[k] = (int32_t)gpube__rng_below(rng, (uint64_t)n_vars);
			again = false;
			for (int j = 0; j < k; j++)
				again |= scope[j] == scope[k];
		}
		n *= m->vars[scope[k]].domain;
	}
	for (int64_t c = 0; c < n; c++)
		costs[c] = c > 0 && gpube__rng_below(rng, 5) < 2 ? GPUBE_INF : 0;
	assert_int_equal(gpube_model_add_costs(m, arity, scope, costs), 0);
}

/* Value 0: not taken, at a cost; costs beyond int32 now and then. */
static struct gpube_model *photographs(uint64_t seed, int32_t n, int32_t n_hard)
{
	static const int32_t domains[] = {2, 4, 2, 3};
	struct gpube_model *m;
	struct gpube_rng rng;

	gpube__rng_init(&rng, seed);
	assert_int_equal(gpube_model_new(&m, ctx, GPUBE_COSTS), 0);
	for (int32_t i = 0; i < n; i++) {
		int64_t costs[4] = {1 + (int64_t)gpube__rng_below(&rng, seed % 2 ? 1000 : 3)};

		costs[0] <<= seed % 5 == 1 ? 40 : 0;

		assert_int_equal(
			gpube_model_add_var(m, NULL, domains[gpube__rng_below(&rng, 4)], NULL), 0);
		assert_int_equal(gpube_model_add_costs(m, 1, &i, costs), 0);
	}
	for (int32_t k = 0; k < n_hard; k++)
		add_hard(m, &rng, n, 2 + (int)gpube__rng_below(&rng, 2));
	return m;
}

static void finds_the_optimum(void **state)
{
	uint64_t seed = (uint64_t)(uintptr_t)*state;
	int32_t n = 3 + (int32_t)(seed % (MOST_VARS - 2));
	struct gpube_model *m = photographs(seed, n, n + (int32_t)(seed % 7));
	struct gpube_bound_opts opts = {.sizeof_options = sizeof(opts),
		.method = GPUBE_BOUND_SWEEP,
		.order_seconds = 1e-3,
		.seed = seed,
		.no_simplify = seed % 3 == 0};
	struct gpube_solution *b;
	struct brute brute;

	assert_int_equal(brute_force(&brute, NULL, m), 0);
	assert_true(brute.feasible); /* nothing taken */
	for (int threads = 1; threads <= MOST_THREADS; threads++) {
		ctx->n_threads = threads;
		b = must_bound(m, &opts);
		ctx->n_threads = 1;
		assert_int_equal(b->answer, GPUBE_ANSWER_OPTIMAL);
		assert_true(b->cost == brute.cost && b->bound == brute.cost);
		gpube_solution_free(b, ctx);
	}
	opts.has_cutoff = 1;
	opts.cutoff = brute.cost;
	b = must_bound(m, &opts);
	assert_true(b->closed);
	gpube_solution_free(b, ctx);
	gpube_model_free(m);
}

static int64_t the_optimum(const struct gpube_model *m)
{
	struct gpube_solution *s;
	int64_t optimum;

	assert_int_equal(gpube_solve(&s, m, NULL), 0);
	assert_int_equal(s->answer, GPUBE_ANSWER_OPTIMAL);
	optimum = s->cost;
	gpube_solution_free(s, ctx);
	return optimum;
}

/* With memory for few states, more of them are met than kept: what is said is still true. */
static void dropping_leaves_a_bound(void **state)
{
	uint64_t seed = (uint64_t)(uintptr_t)*state;
	struct gpube_model *m = photographs(seed, 40, 70);
	struct gpube_bound_opts opts = {.sizeof_options = sizeof(opts),
		.method = GPUBE_BOUND_SWEEP,
		.order_seconds = 1e-3,
		.seed = seed};
	int64_t optimum = the_optimum(m);
	uint64_t memory = ctx->memory_bytes;
	struct gpube_solution *b;

	ctx->memory_bytes = 1 << 20;
	b = must_bound(m, &opts);
	ctx->memory_bytes = memory;
	assert_non_null(b->values);
	assert_true(b->bound <= optimum && b->cost >= optimum);
	assert_true(b->bound > 0);
	gpube_solution_free(b, ctx);
	b = must_bound(m, &opts);
	assert_int_equal(b->answer, GPUBE_ANSWER_OPTIMAL);
	assert_true(b->cost == optimum);
	gpube_solution_free(b, ctx);
	gpube_model_free(m);
}

/* Fronts of 140 variables have no key: the method says so by proving nothing false. */
static void fronts_without_a_key(void **state)
{
	struct gpube_bound_opts opts = {.sizeof_options = sizeof(opts),
		.method = GPUBE_BOUND_SWEEP,
		.order_seconds = 1e-3,
		.timeout_seconds = 20};
	struct gpube_model *m;
	struct gpube_solution *b;
	static const int64_t costs[] = {2, 1, 0, GPUBE_INF};

	(void)state;
	assert_int_equal(gpube_model_new(&m, ctx, GPUBE_COSTS), 0);
	for (int32_t i = 0; i < 140; i++)
		assert_int_equal(gpube_model_add_var(m, NULL, 2, NULL), 0);
	for (int32_t i = 0; i < 140; i++)
		for (int32_t j = i + 1; j < 140; j++)
			assert_int_equal(gpube_model_add_costs(m, 2, (int32_t[]){i, j}, costs), 0);
	b = must_bound(m, &opts);
	assert_true(b->values && b->bound <= b->cost);
	gpube_solution_free(b, ctx);
	gpube_model_free(m);
}

static void gathers_bits(void **state)
{
	struct gpube_rng rng;

	(void)state;
	gpube__rng_init(&rng, 7);
	for (int k = 0; k < 1000; k++) {
		uint64_t key = gpube__rng_next(&rng);
		uint64_t mask = gpube__rng_next(&rng) & gpube__rng_next(&rng), expected = 0;
		int n = 0;

		for (int bit = 0; bit < 64; bit++)
			if (mask >> bit & 1)
				expected |= (key >> bit & 1) << n++;
		assert_true(gpube__sweep_gather(key, mask) == expected);
	}
}

/* ---- steps --------------------------------------------------------------------------- */

enum { STEP_STATES = 5000, STEP_TABLES = 3, STEP_BITS = 9, N_WALK = 14 };

/* Where the value of step k is in keys of so many words. */
static int shift_of(int words, int k)
{
	return 20 - k + (words > 1 && k % 2 ? 64 : 0);
}

/* A layer of made-up tables: values of two bits, which take the place of one bit from the last
 * ones. */
static void some_layer(struct gpube_sweep_layer *l, struct gpube_sweep_table *tables, int words,
	const struct gpube_sweep_kernels *kernels, int64_t limit, int step, uint64_t seed)
{
	struct gpube_rng rng;

	gpube__rng_init(&rng, seed + (uint64_t)step);
	*l = (struct gpube_sweep_layer){.n_values = 4,
		.shift = shift_of(words, step),
		.n_paid = 1,
		.n_tables = STEP_TABLES,
		.tables = tables,
		.most = limit,
		.keep = {{UINT64_MAX, UINT64_MAX}}};
	l->keep = gpube__key_minus(l->keep, gpube__key_at(shift_of(words, step + 1), 3));
	for (int k = 0; k < STEP_TABLES; k++) {
		struct gpube_sweep_table *t = &tables[k];
		int64_t cells[1 << STEP_BITS], least = 0;

		t->mask = gpube__key_at(l->shift, 3);
		while (gpube__key_count(t->mask) < STEP_BITS)
			t->mask.word[gpube__rng_below(&rng, (uint64_t)words)] |=
				(uint64_t)1 << gpube__rng_below(&rng, 22);
		t->low_bits = __builtin_popcountll(t->mask.word[0]);
		for (int c = 0; c < 1 << STEP_BITS; c++) {
			cells[c] = (int64_t)gpube__rng_below(&rng, 1000) - (k ? 500 : 0);
			least = cells[c] < least ? cells[c] : least;
		}
		l->most -= least;
		t->cells = malloc(kernels->cell_bytes << STEP_BITS);
		t->step = malloc(4 * sizeof(*t->step));
		assert_true(t->cells && t->step);
		kernels->store(t->cells, cells, 1 << STEP_BITS, 1 << 20);
		for (uint64_t x = 0; x < 4; x++)
			t->step[x] = (uint32_t)gpube__sweep_gather_key(
				gpube__key_at(l->shift, x), t->mask);
	}
}

/* How the states after some steps are reached. */
struct walk {
	uint32_t parent[STEP_STATES];
	uint8_t value[STEP_STATES];
	int64_t n, dropped, least;
};

static void take_steps(struct walk *out, const struct gpube_sweep_kernels *kernels, int words,
	int threads, uint64_t seed, int64_t room)
{
	struct gpube_sweep_table tables[STEP_TABLES];
	struct gpube_sweep_layer l;
	struct gpube_sweep_work w;
	struct gpube_sweep_states *layer = calloc(2, sizeof(*layer));
	const struct gpube_turn turn = gpube__turn(ctx, INFINITY);

	ctx->n_threads = threads;
	assert_non_null(layer);
	assert_int_equal(gpube__sweep_work_init(&w, ctx, kernels), 0);
	assert_int_equal(gpube__sweep_begin(&w, &layer[0], 0), 0);
	out->dropped = GPUBE_INF;
	for (int k = 0; k < N_WALK; k++) {
		const int64_t limit = 1000 * (k + 1);

		some_layer(&l, tables, words, kernels, limit, k, seed);
		assert_int_equal(gpube__sweep_step(&w, &layer[(k + 1) % 2], &layer[k % 2], &l, room,
					 limit, &turn, &out->dropped),
			0);
		for (int i = 0; i < STEP_TABLES; i++) {
			free(tables[i].cells);
			free(tables[i].step);
		}
	}
	assert_true(layer[N_WALK % 2].n <= STEP_STATES);
	out->n = layer[N_WALK % 2].n;
	out->least = gpube__sweep_read(&w, &layer[N_WALK % 2], out->parent, out->value);
	for (int k = 0; k < 2; k++)
		gpube__sweep_states_clear(ctx, &layer[k]);
	free(layer);
	gpube__sweep_work_clear(&w);
	ctx->n_threads = 1;
}

/* By all kernels, on any number of threads, states and their order are the same. */
static void steps_agree(void **state)
{
	static struct walk first, other;
	uint64_t seed = (uint64_t)(uintptr_t)*state;
	const int64_t room = seed % 2 ? STEP_STATES : 700;
	const int words = 1 + (int)(seed / 2 % 2);

	take_steps(&first, gpube__sweep_portable[words - 1][0], words, 1, seed, room);
	assert_true(first.n > 100 && first.n <= room);
	for (int threads = 1; threads <= MOST_THREADS; threads++)
		for (int k = 0; k < 3; k++) {
			take_steps(&other,
				k == 2 ? gpube__sweep_portable[words - 1][1]
				       : gpube__sweep_kernels(words, k),
				words, threads, seed, room);
			assert_true(first.n == other.n && first.least == other.least);
			assert_true(first.dropped == other.dropped);
			assert_memory_equal(first.parent, other.parent,
				(size_t)first.n * sizeof(*first.parent));
			assert_memory_equal(first.value, other.value, (size_t)first.n);
		}
}

/* Fronts far beyond all hope are not looked at to the end. */
static void wide_fronts(void **state)
{
	const struct gpube_network net = {.topology = GPUBE_NETWORK_GRID,
		.n_vars = 400,
		.domain = 4,
		.rows = 20,
		.max_cost = 9};
	struct gpube_graph g = {0};
	struct gpube_model *m;
	int32_t order[400];
	double layer[400], guess;

	(void)state;
	assert_int_equal(gpube__generate(&m, ctx, &net), 0);
	assert_int_equal(gpube__graph_of_model(&g, m), 0);
	for (int32_t i = 0; i < 400; i++)
		order[i] = i;
	assert_int_equal(gpube__sweep_order(ctx, order, &guess, layer, m, &g, 10, 0, 0), 0);
	assert_true(isinf(guess));
	/* four values on each of 20 rows, and no more than two bits off for a better place */
	assert_int_equal(gpube__sweep_order(ctx, order, &guess, layer, m, &g, 30, 0, 0), 0);
	assert_true(guess > 38 && guess < 50);
	gpube__graph_clear(ctx, &g);
	gpube_model_free(m);
}

int main(void)
{
	struct cases c = {0};

	add_seeds(&c, finds_the_optimum, N_SEEDS, "hard tuples, seed");
	add_seeds(&c, dropping_leaves_a_bound, N_DROPPING, "dropping, seed");
	add_numbers(&c, steps_agree, N_STEPS, "steps, seed");
	ADD_CASE(&c, fronts_without_a_key);
	ADD_CASE(&c, gathers_bits);
	ADD_CASE(&c, wide_fronts);
	return run_cases(&c, "sweep", setup, ctx_teardown);
}
