/*
 * Bounds of partial assignments against enumeration: one case a seed. At every
 * partial assignment no bound is better than the best completion; it is equal to it
 * where everything is assigned and where the i-bound reaches the width. Paths, the
 * whole sum, and the tables as they are read say the same.
 */
#include "tests/support/test.h"
#include "gpube/options/options.h"

#include <math.h>

#include "gpube/ir/model.h"
#include "gpube/partial.h"
#include "tests/support/cases.h"
#include "tests/support/context.h"
#include "tests/support/memory.h"
#include "tests/support/random_model.h"

enum { N_SEEDS = 400, N_MEMORY = 8 };

static int setup(void **state)
{
	(void)state;
	return ctx_open(1, (uint64_t)1 << 28);
}

/* What the search is checked against. */
struct subject {
	const struct gpube_model *m; /* of costs */
	const struct gpube_heuristic *h;
	struct gpube_path *path;
	int64_t sign, cutoff; /* cutoff: totals from it on are GPUBE_INF; with sign */
	bool exact, small;    /* small: doubles hold all costs */
	double opened;        /* the root's bound from the opened tables */
	int32_t *values;
	int64_t n_nodes;
};

/* The better of two totals, GPUBE_INF the worst. */
static int64_t better(const struct subject *t, int64_t a, int64_t b)
{
	if (a == GPUBE_INF || b == GPUBE_INF)
		return a == GPUBE_INF ? b : a;
	return t->sign * a < t->sign * b ? a : b;
}

/* The bound from the tables as they are given away: in units of the model, not rounded. */
static double opened(const struct subject *t, int32_t depth)
{
	const struct gpube_heuristic *h = t->h;
	const int32_t *order = gpube_heuristic_info(h)->order;
	double sum = 0;

	for (int32_t k = 0; k < gpube_heuristic_info(h)->n_tables; k++) {
		struct gpube_heuristic_table table;
		bool assigned = true, sent = false;
		int64_t *cells, cell = 0;

		gpube_heuristic_table(&table, h, k);
		for (int32_t i = 0; i < table.arity; i++) {
			int32_t p = 0;

			while (order[p] != table.scope[i])
				p++;
			assigned &= p >= t->m->n_vars - depth;
			cell = cell * t->m->vars[table.scope[i]].domain + t->values[table.scope[i]];
		}
		for (int32_t p = t->m->n_vars - depth; p < t->m->n_vars; p++)
			sent |= order[p] == table.from;
		if (!assigned || sent)
			continue;
		cells = malloc((size_t)table.cells * sizeof(*cells));
		assert_non_null(cells);
		gpube_heuristic_cells(cells, h, k);
		sum += cells[cell] == GPUBE_INF ? INFINITY : (double)cells[cell];
		free(cells);
	}
	return ldexp(sum, -gpube_heuristic_info(h)->shift);
}

/* Everything at a node and below it; its best completion. */
static int64_t check_node(struct subject *t, int32_t depth)
{
	int32_t var = gpube_path_next(t->path);
	int64_t bound = gpube_path_bound(t->path), best = GPUBE_INF, row[16];

	t->n_nodes++;
	assert_true(bound == gpube_heuristic_bound(t->h, t->values, depth));
	if (var < 0) {
		assert_int_equal(depth, t->m->n_vars);
		assert_int_equal(gpube_model_cost(&best, t->m, t->values), 0);
		if (best != GPUBE_INF && t->cutoff != GPUBE_INF && t->sign * best >= t->cutoff)
			best = GPUBE_INF;
		assert_true(bound == best);
		return best;
	}
	assert_int_equal(var, gpube_heuristic_info(t->h)->order[t->m->n_vars - 1 - depth]);
	gpube_path_bounds(t->path, row);
	for (int32_t a = 0; a < t->m->vars[var].domain; a++) {
		t->values[var] = a;
		assert_true(gpube_path_push(t->path, a) == row[a]);
		assert_int_equal(gpube_path_values(t->path)[var], a);
		best = better(t, best, check_node(t, depth + 1));
		gpube_path_pop(t->path);
		assert_true(better(t, bound, row[a]) == bound); /* a bound never gets better */
	}
	assert_int_equal(gpube_path_values(t->path)[var], -1);
	assert_true(better(t, bound, best) == bound);
	if (t->exact)
		assert_true(bound == best);
	if (t->n_nodes % 16 == 0 && bound != GPUBE_INF &&
		t->small) /* the constant is in no table */
		assert_true(ceil(opened(t, depth)) - t->opened ==
			    (double)(t->sign * (bound - gpube_heuristic_info(t->h)->bound)));
	return best;
}

static const struct gpube_opts settings[] = {
	{.heuristic_method = GPUBE_HEURISTIC_MBE, .ibound = 1},
	{.heuristic_method = GPUBE_HEURISTIC_MBE, .ibound = 2},
	{.heuristic_method = GPUBE_HEURISTIC_MBE,
		.ibound = 2,
		.no_match = 1,
		.plain_partition = GPUBE_PARTITION_FIRST},
	{.heuristic_method = GPUBE_HEURISTIC_MBE},
	{.heuristic_method = GPUBE_HEURISTIC_SHIFT, .ibound = 1},
	{.heuristic_method = GPUBE_HEURISTIC_SHIFT, .ibound = 2, .no_simplify = 1},
	{.heuristic_method = GPUBE_HEURISTIC_SHIFT, .ibound = 20},
	{.heuristic_method = GPUBE_HEURISTIC_COSTS},
	{.heuristic_method = GPUBE_HEURISTIC_MBE, .ibound = 2, .no_simplify = 1},
};

/* Costs near 2^54 are refused where the sums could wrap: not by every setting. */
static bool make(struct gpube_heuristic **h, const struct gpube_model *m,
	const struct gpube_opts *opts, bool large)
{
	int status = gpube_heuristic_new(h, m, opts);

	if (status == GPUBE_ERANGE && large) {
		assert_null(*h);
		return false;
	}
	if (status)
		fail_msg("%s", gpube_error(ctx));
	return true;
}

static void check_setting(
	const struct gpube_model *m, const struct gpube_opts *opts, bool large, bool rounded)
{
	struct subject t = {
		.m = m, .sign = m->direction == GPUBE_MAXIMISE ? -1 : 1, .cutoff = GPUBE_INF};
	struct gpube_heuristic *h;
	int64_t best;

	if (!make(&h, m, opts, large))
		return;
	if (opts->has_cutoff)
		t.cutoff = t.sign * opts->cutoff;
	t.h = h;
	t.exact = gpube_heuristic_info(h)->exact;
	/* (costs past 2^28 are rounded in a join graph) */
	if (opts->ibound >= m->n_vars && !rounded)
		assert_true(t.exact);
	t.values = calloc((size_t)m->n_vars + 1, sizeof(*t.values));
	assert_non_null(t.values);
	assert_int_equal(gpube_path_new(&t.path, h), 0);
	t.small = !large;
	t.opened = ceil(opened(&t, 0));
	best = check_node(&t, 0);
	assert_true(
		better(&t, gpube_heuristic_info(h)->bound, best) == gpube_heuristic_info(h)->bound);
	gpube_path_free(t.path);
	free(t.values);
	gpube_heuristic_free(h);
}

static void costs(void **state)
{
	uint64_t seed = (uint64_t)(uintptr_t)*state;
	struct random_spec spec = random_spec_varied(seed, GPUBE_COSTS);
	bool large = spec.max_cost > INT32_MAX || -spec.min_cost > INT32_MAX;
	bool rounded = (spec.max_cost - spec.min_cost) * 40 >= 1 << 28;
	size_t n = sizeof(settings) / sizeof(*settings);
	struct gpube_opts opts;
	struct gpube_model *m;
	struct brute brute;
	int32_t order[16];
	struct gpube_rng rng;

	if (spec.n_vars > 6)
		spec.n_vars = 6;
	if (spec.max_arity > spec.n_vars)
		spec.max_arity = spec.n_vars;
	if (spec.min_arity > spec.max_arity)
		spec.min_arity = spec.max_arity;
	m = random_model(ctx, &spec, seed);
	assert_non_null(m);
	assert_int_equal(brute_force(&brute, NULL, m), 0);
	gpube__rng_init(&rng, seed);
	for (int32_t i = 0; i < m->n_vars; i++) {
		int32_t j = (int32_t)gpube__rng_below(&rng, (uint64_t)i + 1);

		order[i] = order[j];
		order[j] = i;
	}
	for (size_t k = 0; k < 3; k++) {
		opts = settings[(seed + k * 4) % n];
		opts.order_seconds = 1e-3;
		if (k != 1) {
			opts.order_method = GPUBE_ORDER_GIVEN;
			opts.order = order;
		}
		if (k == 2 && brute.feasible) {
			opts.has_cutoff = 1;
			opts.cutoff = brute.cost + (int64_t)(seed % 7) - 3;
		}
		check_setting(m, &opts, large, rounded);
	}
	gpube_model_free(m);
}

/* Of potentials the bound is that of the rounded logarithms. */
static void potentials(void **state)
{
	struct random_spec spec = random_spec_default();

	(void)state;
	spec.kind = GPUBE_POTENTIALS;
	spec.observed = 0.2;
	for (uint64_t seed = 0; seed < 40; seed++) {
		struct gpube_model *m = random_model(ctx, &spec, seed), *costs_of;

		assert_non_null(m);
		assert_int_equal(gpube__quantise(&costs_of, m, 6), 0);
		for (size_t k = 0; k < 6; k += 4) {
			struct gpube_opts opts = settings[k];
			struct gpube_heuristic *h, *same;

			opts.order_method = GPUBE_ORDER_MIN_FILL;
			opts.precision = 6;
			check_setting(costs_of, &opts, false, true);
			assert_true(make(&h, m, &opts, false));
			assert_true(make(&same, costs_of, &opts, false));
			assert_true(gpube_heuristic_info(h)->bound ==
				    gpube_heuristic_info(same)->bound);
			assert_int_equal(gpube_heuristic_info(h)->scale, 6);
			gpube_heuristic_free(h);
			gpube_heuristic_free(same);
		}
		gpube_model_free(costs_of);
		gpube_model_free(m);
	}
}

/* A chain, whose tables can be told beforehand. */
static void tables_of_a_chain(void **state)
{
	const int64_t agree[] = {0, 3, 5, 0}, unary[] = {1, 4};
	struct gpube_opts opts = {
		.ibound = 1, .order_method = GPUBE_ORDER_GIVEN, .order = (int32_t[]){1, 0}};
	struct gpube_heuristic_table table;
	struct gpube_heuristic *h;
	struct gpube_model *m;
	int64_t cells[4], unit;
	int n_messages = 0;

	(void)state;
	assert_int_equal(gpube_model_new(&m, ctx, GPUBE_COSTS), 0);
	for (int i = 0; i < 2; i++)
		assert_int_equal(gpube_model_add_var(m, NULL, 2, NULL), 0);
	assert_int_equal(gpube_model_add_costs(m, 2, (int32_t[]){0, 1}, agree), 0);
	assert_int_equal(gpube_model_add_costs(m, 1, (int32_t[]){1}, unary), 0);
	assert_true(make(&h, m, &opts, false));
	assert_true(gpube_heuristic_info(h)->exact);
	assert_int_equal(gpube_heuristic_info(h)->bound, 1);
	unit = (int64_t)1 << gpube_heuristic_info(h)->shift;
	for (int32_t k = 0; k < gpube_heuristic_info(h)->n_tables; k++) {
		gpube_heuristic_table(&table, h, k);
		gpube_heuristic_cells(cells, h, k);
		if (table.from != 1)
			continue;
		n_messages++;
		assert_int_equal(table.to, 0);
		assert_int_equal(table.arity, 1);
		assert_int_equal(table.cells, 2);
		assert_int_equal(cells[0], 0); /* min(0 + 1, 3 + 4) less the constant 1 */
		assert_int_equal(cells[1], 3 * unit);
	}
	assert_int_equal(n_messages, 1);
	gpube_heuristic_free(h);
	gpube_model_free(m);
}

static void bad_options(void **state)
{
	struct random_spec spec = random_spec_default();
	struct gpube_model *m = random_model(ctx, &spec, 2);
	struct gpube_opts opts = {.order_method = GPUBE_ORDER_GIVEN};
	struct gpube_heuristic *h;

	(void)state;
	assert_non_null(m);
	assert_int_equal(gpube_heuristic_new(&h, m, &opts), GPUBE_EINVAL);
	opts.order = (int32_t[]){0, 1, 2, 3, 3, 4};
	assert_int_equal(gpube_heuristic_new(&h, m, &opts), GPUBE_EINVAL);
	assert_null(h);
	assert_int_equal(gpube_heuristic_new(&h, m, NULL), 0);
	gpube_heuristic_free(h);
	gpube_heuristic_free(NULL);
	gpube_path_free(NULL);
	gpube_model_free(m);
}

/* A failure of any allocation is reported, and leaves nothing behind. */
static int heuristic_scarcely(struct gpube_ctx *c, struct gpube_model *m, const void *arg)
{
	struct gpube_opts opts = *(const struct gpube_opts *)arg;
	struct gpube_heuristic *h;
	struct gpube_path *path = NULL;
	int status;

	opts.order_method = GPUBE_ORDER_MIN_FILL;
	status = gpube_heuristic_new(&h, m, &opts);
	if (!status)
		status = gpube_path_new(&path, h);
	assert_true(!path == (status != 0));
	gpube_path_free(path);
	gpube_heuristic_free(h);
	if (c->host_free) /* tables that it keeps for the next run */
		c->host_free(c);
	return status;
}

static void memory(void **state)
{
	for (size_t k = 0; k < 5; k += 4)
		fail_on_random_model(
			heuristic_scarcely, &settings[k], (uint64_t)(uintptr_t)*state, 32);
}

int main(void)
{
	struct cases c = {0};

	add_numbers(&c, costs, N_SEEDS, "costs, seed");
	add_numbers(&c, memory, N_MEMORY, "memory, seed");
	ADD_CASE(&c, potentials);
	ADD_CASE(&c, tables_of_a_chain);
	ADD_CASE(&c, bad_options);
	return run_cases(&c, "heuristic", setup, ctx_teardown);
}
