/* The primal graph, what orders cost, and the search for good ones. */
#include "tests/support/test.h"

#include <math.h>
#include <stdbool.h>

#include "gpube/ir/graph.h"

#define MOST 120

static struct gpube_ctx *ctx;

/* A graph as a matrix: what the naive versions here work on. */
struct matrix {
	int n;
	int32_t domain[MOST];
	bool edge[MOST][MOST];
};

static void add_edge(struct matrix *m, int a, int b)
{
	m->edge[a][b] = m->edge[b][a] = a != b;
}

static void sparse_of_matrix(struct gpube_graph *g, const struct matrix *m)
{
	int64_t k = 0;

	g->n = m->n;
	g->start = gpube__alloc(ctx, (uint64_t)m->n + 1, sizeof(*g->start));
	g->domain = gpube__alloc(ctx, (uint64_t)m->n, sizeof(*g->domain));
	g->adjacent = gpube__alloc(ctx, (uint64_t)(m->n * m->n), sizeof(*g->adjacent));
	assert_true(g->start && g->domain && g->adjacent);
	for (int i = 0; i < m->n; i++) {
		g->start[i] = k;
		g->domain[i] = m->domain[i];
		for (int j = 0; j < m->n; j++)
			if (m->edge[i][j])
				g->adjacent[k++] = j;
	}
	g->start[m->n] = k;
}

/* ---- naive versions -------------------------------------------------------- */

/* Eliminates v: returns the cells of the joined table, adds to the neighbours' edges. */
static double naive_eliminate(struct matrix *m, bool *gone, int v, int *degree)
{
	double cells = m->domain[v];

	*degree = 0;
	for (int a = 0; a < m->n; a++)
		if (!gone[a] && m->edge[v][a]) {
			++*degree;
			cells *= m->domain[a];
			for (int b = 0; b < a; b++)
				if (!gone[b] && m->edge[v][b])
					add_edge(m, a, b);
		}
	gone[v] = true;
	return cells;
}

static struct gpube_order_cost naive_cost(const struct matrix *from, const int32_t *order)
{
	struct matrix *m = malloc(sizeof(*m));
	bool gone[MOST] = {false};
	struct gpube_order_cost c = {0};

	*m = *from;
	for (int k = 0; k < m->n; k++) {
		int degree;
		double cells = naive_eliminate(m, gone, order[k], &degree);
		double message = cells / m->domain[order[k]];

		c.joined_cells += cells;
		c.width = degree > c.width ? degree : c.width;
		c.largest_joined = cells > c.largest_joined ? cells : c.largest_joined;
		c.largest_message = message > c.largest_message ? message : c.largest_message;
	}
	free(m);
	return c;
}

static double naive_key(const struct matrix *m, const bool *gone, int v,
	enum gpube_order_method method)
{
	double degree = 0, fill = 0, size = 0;

	for (int a = 0; a < m->n; a++)
		if (!gone[a] && m->edge[v][a]) {
			degree++;
			size += round(log2(m->domain[a]) * 0x1p24); /* as graph.h says */
			for (int b = 0; b < a; b++)
				fill += !gone[b] && m->edge[v][b] && !m->edge[a][b];
		}
	return method == GPUBE_ORDER_MIN_FILL ? fill :
		method == GPUBE_ORDER_MIN_SIZE ? size : degree;
}

static void naive_greedy(int32_t *order, const struct matrix *from, enum gpube_order_method method)
{
	struct matrix *m = malloc(sizeof(*m));
	bool gone[MOST] = {false};

	*m = *from;
	for (int k = 0; k < m->n; k++) {
		double least = 0;
		int best = -1, degree;

		for (int v = 0; v < m->n; v++) {
			double key = gone[v] ? 0 : naive_key(m, gone, v, method);

			if (!gone[v] && (best < 0 || key < least)) {
				best = v;
				least = key;
			}
		}
		order[k] = best;
		naive_eliminate(m, gone, best, &degree);
	}
	free(m);
}

/* ---- families of graphs ------------------------------------------------------ */

static void random_graph(struct matrix *m, struct gpube_rng *r, int n)
{
	uint64_t share = 1 + gpube__rng_below(r, 100);

	m->n = n;
	for (int a = 0; a < n; a++)
		for (int b = 0; b < a; b++)
			if (gpube__rng_below(r, 100) < share)
				add_edge(m, a, b);
}

static void sparse_graph(struct matrix *m, struct gpube_rng *r, int n)
{
	m->n = n;
	for (int e = 0; n > 1 && e < 3 * n / 2; e++)
		add_edge(m, (int)gpube__rng_below(r, (uint64_t)n),
			(int)gpube__rng_below(r, (uint64_t)n));
}

static void tree(struct matrix *m, struct gpube_rng *r, int n)
{
	m->n = n;
	for (int a = 1; a < n; a++)
		add_edge(m, a, (int)gpube__rng_below(r, (uint64_t)a));
}

static void grid(struct matrix *m, struct gpube_rng *r, int n)
{
	int columns = 2 + (int)gpube__rng_below(r, 5);

	m->n = n;
	for (int a = 0; a < n; a++) {
		if (a % columns)
			add_edge(m, a, a - 1);
		if (a >= columns)
			add_edge(m, a, a - columns);
	}
}

static void cycle(struct matrix *m, struct gpube_rng *r, int n)
{
	(void)r;
	m->n = n;
	for (int a = 0; a < n; a++)
		add_edge(m, a, (a + 1) % n);
}

static void clique(struct matrix *m, struct gpube_rng *r, int n)
{
	(void)r;
	m->n = n;
	for (int a = 0; a < n; a++)
		for (int b = 0; b < a; b++)
			add_edge(m, a, b);
}

/* Two graphs beside each other, and some isolated vertices. */
static void disconnected(struct matrix *m, struct gpube_rng *r, int n)
{
	int half = n / 2;

	sparse_graph(m, r, half);
	for (int a = half + 1; a < n - 2; a++)
		add_edge(m, a, a - 1);
	m->n = n;
}

/* Each vertex joins a clique of three earlier ones: width 3. */
static void three_tree(struct matrix *m, struct gpube_rng *r, int n)
{
	m->n = n;
	for (int a = 1; a < n; a++) {
		int base = (int)gpube__rng_below(r, (uint64_t)a), taken = 1;

		add_edge(m, a, base);
		for (int b = 0; b < a && taken < 3; b++) {
			bool fits = b != base;

			for (int c = 0; c < a && fits; c++)
				fits = c == b || !m->edge[a][c] || m->edge[b][c];
			if (fits) {
				add_edge(m, a, b);
				taken++;
			}
		}
	}
}

static const struct family {
	const char *name;
	void (*make)(struct matrix *m, struct gpube_rng *r, int n);
	int width; /* -1: not known */
} families[] = {
	{"random", random_graph, -1}, {"sparse", sparse_graph, -1}, {"tree", tree, 1},
	{"grid", grid, -1}, {"cycle", cycle, 2}, {"clique", clique, -1},
	{"disconnected", disconnected, -1}, {"3-tree", three_tree, 3},
};

#define N_FAMILIES (int)(sizeof(families) / sizeof(*families))

/* One row of a data-driven test. */
struct row {
	char name[64];
	int family, n, domains; /* domains: 0: all 2, 1: 1 to 5, 2: powers of ten */
	uint64_t seed;
};

static struct matrix *matrix_of_row(const struct row *row, struct gpube_rng *r)
{
	struct matrix *m = calloc(1, sizeof(*m));

	gpube__rng_init(r, row->seed);
	families[row->family].make(m, r, row->n);
	for (int i = 0; i < m->n; i++)
		m->domain[i] = row->domains == 0 ? 2 :
			row->domains == 1 ? 1 + (int32_t)gpube__rng_below(r, 5) :
			(int32_t[]){1, 10, 100, 1000}[gpube__rng_below(r, 4)];
	return m;
}

static void assert_permutation(const int32_t *order, int32_t n)
{
	bool *seen = calloc((size_t)n + 1, sizeof(*seen));

	for (int32_t k = 0; k < n; k++) {
		assert_in_range(order[k], 0, n - 1);
		assert_false(seen[order[k]]);
		seen[order[k]] = true;
	}
	free(seen);
}

static void assert_same_cost(const struct gpube_order_cost *a, const struct gpube_order_cost *b)
{
	assert_int_equal(a->width, b->width);
	/* exact below 2^53; above, the order of the factors may show */
	assert_true(fabs(a->joined_cells - b->joined_cells) <= 1e-12 * b->joined_cells);
	assert_true(fabs(a->largest_joined - b->largest_joined) <= 1e-12 * b->largest_joined);
	assert_true(fabs(a->largest_message - b->largest_message) <= 1e-12 * b->largest_message);
}

/* ---- tests ----------------------------------------------------------------------- */

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
		assert_int_equal(gpube_model_add_costs(m, functions[f].arity, functions[f].scope,
					 costs), 0);
	assert_int_equal(gpube__graph_of_model(&g, m), 0);
	assert_int_equal(g.n, 6);
	assert_int_equal(g.domain[5], 3);
	assert_memory_equal(g.start, start, sizeof(start));
	assert_memory_equal(g.adjacent, adjacent, sizeof(adjacent));
	assert_int_equal(gpube__graph_components(ctx, &g, component), 3);
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
					 (enum gpube_order_method)method, 0.1, 1e9, 1), 0);
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
					 (enum gpube_order_method)method, 0, 1e9, 1), 0);
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

static int setup(void **state)
{
	(void)state;
	return gpube_ctx_new(&ctx, &(struct gpube_ctx_opts){
		.sizeof_options = sizeof(struct gpube_ctx_opts), .n_threads = 2});
}

static int teardown(void **state)
{
	(void)state;
	gpube_ctx_free(ctx);
	return 0;
}

#define N_NAIVE (N_FAMILIES * 12)

int main(void)
{
	static const int sizes[] = {0, 1, 2, 3, 4, 5, 7, 10, 20, 40, 70, MOST};
	static struct row naive[N_NAIVE];
	struct CMUnitTest tests[3 + N_NAIVE] = {
		cmocka_unit_test(graph_of_a_model),
		cmocka_unit_test(bad_orders),
		cmocka_unit_test(huge_costs),
	};
	size_t n = 3;

	for (int i = 0; i < N_NAIVE; i++) {
		struct row *row = &naive[i];

		row->family = i % N_FAMILIES;
		row->n = sizes[i / N_FAMILIES];
		row->domains = i / N_FAMILIES % 3;
		row->seed = (uint64_t)i;
		snprintf(row->name, sizeof(row->name), "as the naive version: %s of %d, domains %d",
			families[row->family].name, row->n, row->domains);
		tests[n++] = (struct CMUnitTest){.name = row->name, .test_func = against_naive,
			.initial_state = row};
	}
	return cmocka_run_group_tests(tests, setup, teardown);
}
