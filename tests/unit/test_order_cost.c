/* The primal graph, what orders cost, and the greedy ones against naive versions. */
#include "tests/support/test.h"
#include "gpube/options/options.h"

#include <math.h>

#include "tests/support/cases.h"
#include "tests/support/context.h"
#include "tests/support/graphs.h"

static void graph_of_a_model(void **state)
{
	static const struct {
		int arity;
		int32_t scope[4];
	} functions[] = {{1, {3}}, {3, {4, 0, 2}}, {2, {2, 0}}, {2, {1, 3}}, {2, {3, 1}}};
	const int64_t costs[16] = {0}, constant = 5;
	const int64_t start[] = {0, 2, 3, 5, 6, 8, 8};
	const int32_t adjacent[] = {2, 4, 3, 0, 4, 1, 0, 2};
	int32_t component[6];
	struct gpube_model *m;
	struct gpube_graph g;

	(void)state;
	assert_int_equal(gpube_model_new(&m, ctx, GPUBE_COSTS), 0);
	for (int i = 0; i < 6; i++)
		assert_int_equal(gpube_model_add_var(m, NULL, i == 5 ? 3 : 2, NULL), 0);
	assert_int_equal(gpube_model_add_costs(m, 0, NULL, &constant), 0);
	for (size_t f = 0; f < sizeof(functions) / sizeof(*functions); f++)
		assert_int_equal(
			gpube_model_add_costs(m, functions[f].arity, functions[f].scope, costs), 0);
	assert_int_equal(gpube__graph_of_model(&g, m), 0);
	assert_int_equal(g.n, 6);
	assert_int_equal(g.domain[5], 3);
	assert_memory_equal(g.start, start, sizeof(start));
	assert_memory_equal(g.adjacent, adjacent, sizeof(adjacent));
	assert_int_equal(gpube__graph_components(ctx, &g, component), 3);
	assert_memory_equal(component, ((int32_t[]){0, 1, 0, 1, 0, 2}), sizeof(component));
	memset(component, -1, sizeof(component));
	assert_int_equal(gpube__model_components(m, component), 3);
	assert_memory_equal(component, ((int32_t[]){0, 1, 0, 1, 0, 2}), sizeof(component));
	gpube__graph_clear(ctx, &g);
	gpube_model_free(m);
}

static void bad_orders(void **state)
{
	struct matrix *m = calloc(1, sizeof(*m));
	struct gpube_graph g;
	struct gpube_order_cost c;

	(void)state;
	m->n = 3;
	m->domain[0] = m->domain[1] = m->domain[2] = 2;
	sparse_of_matrix(&g, m);
	assert_int_equal(gpube__order_cost(ctx, &c, &g, (int32_t[]){0, 1, 3}), GPUBE_EINVAL);
	assert_int_equal(gpube__order_cost(ctx, &c, &g, (int32_t[]){0, -1, 2}), GPUBE_EINVAL);
	assert_int_equal(gpube__order_cost(ctx, &c, &g, (int32_t[]){2, 1, 2}), GPUBE_EINVAL);
	assert_string_equal(gpube_error(ctx), "variable 2 is twice in the order");
	assert_int_equal(gpube__order_cost(ctx, &c, &g, (int32_t[]){2, 1, 0}), 0);
	assert_true(c.joined_cells == 6 && c.largest_message == 1 && c.width == 0);
	gpube__graph_clear(ctx, &g);
	free(m);
}

/* Costs past 1e308 are infinite, and harm nothing. */
static void huge_costs(void **state)
{
	struct matrix *m = calloc(1, sizeof(*m));
	struct gpube_graph g;
	struct gpube_order_cost c;
	int32_t order[MOST];

	(void)state;
	clique(m, NULL, 100);
	for (int i = 0; i < m->n; i++)
		m->domain[i] = INT32_MAX;
	sparse_of_matrix(&g, m);
	for (int method = GPUBE_ORDER_AUTO; method <= GPUBE_ORDER_MIN_DEGREE; method++) {
		assert_int_equal(gpube__order_find(ctx, order, &c, &g,
					 (enum gpube_order_method)method, 0.1, 1e9, 1),
			0);
		assert_permutation(order, g.n);
		assert_true(isinf(c.joined_cells) && isinf(c.largest_joined));
		assert_int_equal(c.width, 99);
	}
	gpube__graph_clear(ctx, &g);
	free(m);
}

/* order_cost and the three greedies against the naive versions. */
static void against_naive(void **state)
{
	const struct row *row = *state;
	struct gpube_rng r;
	struct matrix *m = matrix_of_row(row, &r);
	struct gpube_graph g;
	struct gpube_order_cost c, naive;
	int32_t order[MOST], expected[MOST];

	sparse_of_matrix(&g, m);
	for (int i = 0; i < m->n; i++) {
		int j = (int)gpube__rng_below(&r, (uint64_t)i + 1);

		order[i] = order[j];
		order[j] = i;
	}
	assert_int_equal(gpube__order_cost(ctx, &c, &g, order), 0);
	naive = naive_cost(m, order);
	assert_same_cost(&c, &naive);
	for (int method = GPUBE_ORDER_MIN_FILL; method <= GPUBE_ORDER_MIN_DEGREE; method++) {
		assert_int_equal(gpube__order_find(ctx, order, &c, &g,
					 (enum gpube_order_method)method, 0, 1e9, 1),
			0);
		naive_greedy(expected, m, (enum gpube_order_method)method);
		assert_memory_equal(order, expected, (size_t)m->n * sizeof(*order));
		naive = naive_cost(m, expected);
		assert_same_cost(&c, &naive);
		if (families[row->family].width >= 0 && method != GPUBE_ORDER_MIN_SIZE)
			assert_true(c.width <= families[row->family].width);
	}
	gpube__graph_clear(ctx, &g);
	free(m);
}

/* Of a model whose one function has 500 variables, with a path hanging on. */
static void function_of_500_variables(void **state)
{
	const int arity = 500, n = 600;
	struct gpube_table t = {.type = GPUBE_INT8, .sparse = true, .arity = arity};
	const int64_t costs[4] = {0};
	int32_t scope[500], table, order[600];
	struct gpube_model *m;
	struct gpube_graph g;
	struct gpube_order_cost c;

	(void)state;
	assert_int_equal(gpube_model_new(&m, ctx, GPUBE_COSTS), 0);
	for (int32_t i = 0; i < n; i++)
		assert_int_equal(gpube_model_add_var(m, NULL, 2, NULL), 0);
	for (int32_t i = 0; i < arity; i++)
		scope[i] = i;
	assert_int_equal(gpube__add_table(m, &table, &t), 0);
	assert_int_equal(gpube__add_function(m, arity, scope, table, NULL), 0);
	for (int32_t i = arity; i < n; i++)
		assert_int_equal(gpube_model_add_costs(m, 2, (int32_t[]){i - 1, i}, costs), 0);
	assert_int_equal(gpube__graph_of_model(&g, m), 0);
	assert_true(g.start[n] == (int64_t)arity * (arity - 1) + 2 * (n - arity));
	for (int method = GPUBE_ORDER_AUTO; method <= GPUBE_ORDER_MIN_DEGREE; method++) {
		assert_int_equal(gpube__order_find(ctx, order, &c, &g,
					 (enum gpube_order_method)method, 0.2, 1e9, 1),
			0);
		assert_permutation(order, n);
		assert_int_equal(c.width, arity - 1);
		assert_true(c.largest_joined == 0x1p500);
	}
	gpube__graph_clear(ctx, &g);
	gpube_model_free(m);
}

int main(void)
{
	static struct row rows[N_FAMILIES * N_SIZES];
	struct cases c = {0};

	ADD_CASE(&c, graph_of_a_model);
	ADD_CASE(&c, bad_orders);
	ADD_CASE(&c, huge_costs);
	ADD_CASE(&c, function_of_500_variables);
	for (int i = 0; i < N_FAMILIES * N_SIZES; i++) {
		rows[i] = (struct row){.family = i % N_FAMILIES,
			.n = sizes[i / N_FAMILIES],
			.domains = i / N_FAMILIES % 3,
			.seed = (uint64_t)i};
		add_case(&c, against_naive, &rows[i], "as the naive version: %s of %d, domains %d",
			families[rows[i].family].name, rows[i].n, rows[i].domains);
	}
	return run_cases(&c, "order cost", ctx_setup_2_threads, ctx_teardown);
}
