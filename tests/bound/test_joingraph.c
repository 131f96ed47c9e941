/*
 * The join graph: after every pass and every growth each assignment below the
 * limit costs in the tables exactly what it did, so that the constant is a
 * bound; one pass forward over whole buckets is the optimum; covers agree with
 * plain indexing.
 */
#include "tests/support/test.h"
#include "gpube/options/options.h"

#include "gpube/base/bytes.h"
#include "gpube/ir/dense.h"
#include "gpube/relax/joingraph.h"
#include "tests/support/bounded.h"
#include "tests/support/cases.h"
#include "tests/support/context.h"
#include "tests/support/random_model.h"

enum { N_SEEDS = 300 };

/* The cell of a join at an assignment with its own variable at value 0. */
static int64_t cell_of(
	const struct gpube_joingraph *g, const struct gpube_join *j, const int32_t *values)
{
	int64_t cell = 0;

	for (int k = 1; k < j->n_scope; k++)
		cell = cell * g->domain[j->scope[k]] + values[g->order[j->scope[k]]];
	return cell;
}

/* The total of an assignment, scaled, from the tables; -1 if one of its cells is dead. */
static int64_t tables_cost(const void *state, const int32_t *values)
{
	const struct gpube_joingraph *g = state;
	int64_t sum = g->constant;
	int32_t slack = gpube__joingraph_slack(g);

	for (int32_t k = 0; k < g->n_joins; k++) {
		const struct gpube_join *j = &g->joins[k];
		int32_t t = j->t[values[g->order[j->position]] * gpube__message_cells(g, j) +
				 cell_of(g, j, values)];

		if (t >= slack)
			return -1;
		sum += t;
	}
	return sum;
}

static void check_costs(const struct gpube_joingraph *g, const struct gpube_model *m, int64_t limit)
{
	const int64_t optimum =
		check_scaled_costs(m, limit, g->shift, g->constant >= g->target, tables_cost, g);

	assert_true(gpube__scaled_bound(m, g->shift, g->constant, g->target, limit) <= optimum);
}

static void check_model(const struct gpube_joingraph *g, const struct gpube_model *m, int64_t limit)
{
	struct gpube_model *to;

	assert_int_equal(gpube__joingraph_model(&to, g, m), 0);
	check_moved(to, m, g->shift, limit);
	gpube_model_free(to);
}

/* Written and read again it is the same graph, whose passes move the same costs. */
static void check_bytes(struct gpube_joingraph *g, const struct gpube_model *m)
{
	struct gpube__bytes bytes = {.ctx = ctx}, again = {.ctx = ctx};
	struct gpube_joingraph to;

	gpube__put_joingraph(&bytes, g);
	assert_int_equal(bytes.status, 0);
	assert_int_equal(gpube__get_joingraph(&to, &bytes, m, g->cells), 0);
	assert_true(bytes.next == bytes.n && to.cells == g->cells);
	assert_true(to.message_cells == g->message_cells);
	gpube__put_joingraph(&again, &to);
	assert_true(again.n == bytes.n && !memcmp(again.at, bytes.at, (size_t)bytes.n));
	bytes.next = 0;
	gpube__joingraph_clear(g);
	*g = to;
	if (g->cells > 0)
		assert_int_equal(gpube__get_joingraph(&to, &bytes, m, g->cells - 1), GPUBE_ELIMIT);
	gpube__bytes_clear(&bytes);
	gpube__bytes_clear(&again);
}

static void climb(const struct gpube_model *m, int64_t limit, const int32_t *order, int64_t optimum)
{
	int32_t *values = gpube__alloc(ctx, (uint64_t)m->n_vars, sizeof(*values));
	struct gpube_joingraph g;
	int64_t before = 0, decoded;
	bool fits;

	assert_int_equal(gpube__joingraph_init(&g, m, order, 2, 1e7,
				 m->n_vars > 0 && order[0] % 2 ? GPUBE_PARTITION_MERGE
							       : GPUBE_PARTITION_SCOPE,
				 limit, GPUBE__MOST_SHIFT, &fits),
		0);
	assert_true(fits);
	check_costs(&g, m, limit);
	for (int pass = 0; pass < 8 && g.constant < g.target; pass++) {
		assert_int_equal(gpube__joingraph_pass(&g, pass % 2), 0);
		assert_true(g.constant >= before);
		before = g.constant;
		check_costs(&g, m, limit);
		if (pass == 4 && g.constant < g.target)
			check_model(&g, m, limit);
		if (pass % 3 == 1 && g.constant < g.target)
			check_bytes(&g, m);
		if (pass == 3 && optimum != GPUBE_INF && optimum + 1 < limit) {
			limit = optimum + 1;
			gpube__scale_lower(&g.target, g.shift, m, limit);
		}
		if (pass % 3 == 2 && g.constant < g.target) {
			assert_int_equal(gpube__joingraph_grow(&g, 3 + pass / 3, 1e7, &fits), 0);
			assert_true(fits);
			check_costs(&g, m, limit);
		}
	}
	if (g.constant < g.target) {
		assert_int_equal(gpube__joingraph_grow(&g, m->n_vars + 1, 1, &fits), 0);
		assert_true(fits == (m->n_vars == 0));
		assert_int_equal(gpube__joingraph_grow(&g, m->n_vars + 1, 1e7, &fits), 0);
		assert_int_equal(gpube__joingraph_pass(&g, false), 0);
		check_costs(&g, m, limit);
		if (g.shift >= 0 && optimum >= limit) {
			assert_true(g.constant >= g.target);
		} else if (g.shift >= 0) {
			assert_true(gpube__scaled_bound(m, g.shift, g.constant, g.target, limit) ==
				    optimum);
			gpube__joingraph_decode(&g, values);
			assert_int_equal(gpube_model_cost(&decoded, m, values), 0);
			assert_true(decoded == optimum);
		}
	}
	gpube__joingraph_clear(&g);
	gpube__free(ctx, values);
}

static void invariant(void **state)
{
	uint64_t seed = (uint64_t)(uintptr_t)*state;
	struct random_spec spec = random_spec_varied(seed, GPUBE_COSTS);
	struct bounded b;

	if (seed % 4 == 0) { /* many variables of two values: long scopes */
		spec = random_spec_default();
		spec.n_vars = 10;
		spec.n_functions = 22;
		spec.min_domain = spec.max_domain = 2;
		spec.max_arity = 3;
	}
	if (bounded_init(&b, spec, seed)) {
		const struct gpube_model *m = b.s.model;
		int32_t *order = gpube__alloc(ctx, (uint64_t)m->n_vars, sizeof(*order));

		for (int32_t i = 0; i < m->n_vars; i++)
			order[i] = seed % 3 ? i : m->n_vars - 1 - i;
		climb(m, m->top, order, b.optimum);
		if (b.optimum < GPUBE_INF) {
			climb(m, b.optimum + 1, order, b.optimum);
			climb(m, b.optimum + 5, order, b.optimum);
			climb(m, b.optimum, order, b.optimum);
		}
		gpube__free(ctx, order);
	}
	bounded_clear(&b);
}

/* Large tables are worked on by several threads: the same bits. */
static void threads_agree(void **state)
{
	struct random_spec spec = random_spec_default();
	struct gpube_joingraph g[2];
	int32_t order[24];
	struct gpube_model *m;
	bool fits;

	(void)state;
	spec.n_vars = 24;
	spec.n_functions = 70;
	spec.min_domain = 2;
	spec.max_domain = 3;
	spec.max_arity = 3;
	spec.min_arity = 2;
	spec.sparse = spec.observed = spec.forbidden = 0;
	spec.top = TOP_NONE;
	m = random_model(ctx, &spec, 7);
	assert_non_null(m);
	m->direction = GPUBE_MINIMISE;
	for (int32_t i = 0; i < 24; i++)
		order[i] = i;
	for (int k = 0; k < 2; k++) {
		ctx->n_threads = 1 + 2 * k;
		assert_int_equal(
			gpube__joingraph_init(&g[k], m, order, 13, 1e8, GPUBE_PARTITION_SCOPE,
				GPUBE_INF, GPUBE__MOST_SHIFT, &fits),
			0);
		assert_true(fits);
		for (int pass = 0; pass < 3; pass++)
			assert_int_equal(gpube__joingraph_pass(&g[k], pass % 2), 0);
	}
	ctx->n_threads = 1;
	assert_true(g[0].cells > 1e6);
	assert_true(g[0].constant > 0);
	assert_true(g[0].constant == g[1].constant);
	for (int32_t j = 0; j < g[0].n_joins; j++)
		assert_memory_equal(g[0].joins[j].t, g[1].joins[j].t,
			(size_t)g[0].joins[j].cells * sizeof(int32_t));
	for (int k = 0; k < 2; k++)
		gpube__joingraph_clear(&g[k]);
	gpube_model_free(m);
}

enum { N_VARS = 6 };

/* A function of each two variables, whose costs are below 50, or for odd seeds 50 * 2^40. */
static struct gpube_model *make_dense(struct gpube_rng *rng, uint64_t seed, int32_t order[N_VARS])
{
	struct gpube_model *m;

	gpube__rng_init(rng, seed);
	assert_int_equal(gpube_model_new(&m, ctx, GPUBE_COSTS), 0);
	for (int32_t i = 0; i < N_VARS; i++) {
		order[i] = i;
		assert_int_equal(gpube_model_add_var(m, NULL, 3, NULL), 0);
	}
	for (int32_t i = 0; i < N_VARS; i++)
		for (int32_t k = 0; k < i; k++) {
			int64_t cost[9];

			for (int c = 0; c < 9; c++)
				cost[c] = (int64_t)gpube__rng_below(rng, 50) << seed % 2 * 40;
			assert_int_equal(gpube_model_add_costs(m, 2, (int32_t[]){i, k}, cost), 0);
		}
	return m;
}

/* What is written of a model whose largest total is the last that 64 bits hold can be read. */
static void at_the_end_of_64_bits(void **state)
{
	(void)state;
	for (uint64_t seed = 0; seed < 10; seed++) {
		int32_t order[N_VARS];
		struct gpube_rng rng;
		struct gpube_model *m = make_dense(&rng, seed, order);
		struct gpube_joingraph g;
		bool fits;

		m->constant = GPUBE_INF - gpube__cost_span(m);
		assert_int_equal(gpube__joingraph_init(&g, m, order, 3, 1e7, GPUBE_PARTITION_SCOPE,
					 GPUBE_INF, GPUBE__MOST_SHIFT, &fits),
			0);
		check_bytes(&g, m);
		gpube__joingraph_clear(&g);
		gpube_model_free(m);
	}
}

/* One number of a graph becomes another one: it is refused, or is a graph that passes go over. */
static void other_numbers(void **state)
{
	static const int64_t odd[] = {0, 1, -1, 2, -2, 62, -62, INT32_MAX, (int64_t)1 << 28,
		(int64_t)1 << 29, (int64_t)1 << 61, GPUBE_INF, -GPUBE_INF};
	const uint64_t seed = (uint64_t)(uintptr_t)*state;
	enum { N_ODD = sizeof(odd) / sizeof(*odd) };
	struct gpube__bytes bytes = {.ctx = ctx};
	struct gpube_model *m;
	struct gpube_joingraph g;
	struct gpube_rng rng;
	int32_t order[N_VARS];
	int64_t n = 0, n_refused = 0;
	bool fits;

	m = make_dense(&rng, seed, order);
	assert_int_equal(gpube__joingraph_init(&g, m, order, 3, 1e7, GPUBE_PARTITION_SCOPE,
				 GPUBE_INF, GPUBE__MOST_SHIFT, &fits),
		0);
	assert_int_equal(gpube__joingraph_pass(&g, false), 0);
	gpube__put_joingraph(&bytes, &g);
	gpube__joingraph_clear(&g);
	for (; bytes.next < bytes.n; n++)
		(void)gpube__get(&bytes, INT64_MIN, INT64_MAX);
	for (int64_t at = 0; at < n; at++) {
		struct gpube__bytes other = {.ctx = ctx};
		int status;

		bytes.next = 0;
		for (int64_t k = 0; k < n; k++) {
			const int64_t v = gpube__get(&bytes, INT64_MIN, INT64_MAX);

			gpube__put(&other, k == at ? odd[gpube__rng_below(&rng, N_ODD)] : v);
		}
		status = gpube__get_joingraph(&g, &other, m, 1e5);
		if (status) {
			assert_true(status == GPUBE_EPARSE || status == GPUBE_ELIMIT);
			n_refused++;
		} else {
			assert_int_equal(gpube__joingraph_pass(&g, true), 0);
			assert_int_equal(gpube__joingraph_pass(&g, false), 0);
			gpube__joingraph_clear(&g);
		}
		gpube__bytes_clear(&other);
	}
	assert_true(n_refused > 20);
	gpube__bytes_clear(&bytes);
	gpube_model_free(m);
}

int main(void)
{
	struct cases c = {0};

	add_numbers(&c, invariant, N_SEEDS, "invariant, seed");
	add_seeds(&c, other_numbers, 8, "other numbers, seed");
	ADD_CASE(&c, at_the_end_of_64_bits);
	ADD_CASE(&c, threads_agree);
	return run_cases(&c, "joingraph", ctx_setup_1_thread, ctx_teardown);
}
