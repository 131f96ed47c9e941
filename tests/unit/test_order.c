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
			*degree += m->domain[a] > 1;
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

static double naive_key(
	const struct matrix *m, const bool *gone, int v, enum gpube_order_method method)
{
	double degree = 0, fill = 0, size = 0;

	for (int a = 0; a < m->n; a++)
		if (!gone[a] && m->edge[v][a]) {
			degree++;
			size += round(log2(m->domain[a]) * 0x1p24); /* as graph.h says */
			for (int b = 0; b < a; b++)
				fill += !gone[b] && m->edge[v][b] && !m->edge[a][b];
		}
	return method == GPUBE_ORDER_MIN_FILL   ? fill
	       : method == GPUBE_ORDER_MIN_SIZE ? size
						: degree;
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
	{"random", random_graph, -1},
	{"sparse", sparse_graph, -1},
	{"tree", tree, 1},
	{"grid", grid, -1},
	{"cycle", cycle, 2},
	{"clique", clique, -1},
	{"disconnected", disconnected, -1},
	{"3-tree", three_tree, 3},
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
		m->domain[i] = row->domains == 0 ? 2
			       : row->domains == 1
				       ? 1 + (int32_t)gpube__rng_below(r, 5)
				       : (int32_t[]){1, 10, 100, 1000}[gpube__rng_below(r, 4)];
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

/* Lets AUTO search for about so long on an idle core, in operations: repeatable. */
static double rate(const struct gpube_order_cost *plain, double seconds)
{
	return plain->joined_cells / seconds;
}

static void never_worse_than_min_fill(void **state)
{
	const struct row *row = *state;
	struct gpube_rng r;
	struct matrix *m = matrix_of_row(row, &r);
	struct gpube_graph g;
	struct gpube_order_cost plain, c, naive;
	int32_t order[MOST];
	int width = families[row->family].width;

	sparse_of_matrix(&g, m);
	assert_int_equal(
		gpube__order_find(ctx, order, &plain, &g, GPUBE_ORDER_MIN_FILL, 0, 1e9, 1), 0);
	assert_int_equal(gpube__order_find(ctx, order, &c, &g, GPUBE_ORDER_AUTO, 0,
				 rate(&plain, 0.004), row->seed),
		0);
	assert_permutation(order, g.n);
	naive = naive_cost(m, order);
	assert_same_cost(&c, &naive);
	assert_true(c.joined_cells <= plain.joined_cells);
	assert_true(c.largest_joined <= plain.largest_joined);
	if (width >= 0 && row->domains == 0)
		assert_int_equal(c.width, width < g.n - 1 ? width : g.n > 0 ? g.n - 1 : 0);
	gpube__graph_clear(ctx, &g);
	free(m);
}

/* ---- against the best of all permutations ------------------------------------------ */

#define SMALL 8

struct small {
	int n;
	int32_t domain[SMALL];
	struct gpube_order_cost bound;
	double least; /* merit */
};

static double small_merit(double sum, double largest)
{
	return sum + 4 * largest; /* as graph.h says */
}

static void all_orders(
	struct small *s, const uint8_t *rows, unsigned gone, double sum, double largest)
{
	if (sum > s->bound.joined_cells || largest > s->bound.largest_joined ||
		small_merit(sum, largest) >= s->least)
		return;
	if (gone == (1u << s->n) - 1)
		s->least = small_merit(sum, largest);
	for (int v = 0; v < s->n; v++) {
		unsigned clique = rows[v] & ~gone;
		double cells = s->domain[v];
		uint8_t next[SMALL];

		if (gone >> v & 1)
			continue;
		for (int a = 0; a < s->n; a++) {
			next[a] = rows[a];
			if (clique >> a & 1) {
				next[a] |= (uint8_t)(clique & ~(1u << a));
				cells *= s->domain[a];
			}
		}
		all_orders(s, next, gone | 1u << v, sum + cells, cells > largest ? cells : largest);
	}
}

/* Merit of AUTO over the least possible. */
static double ratio_to_best(const struct row *row)
{
	struct gpube_rng r;
	struct matrix *m = matrix_of_row(row, &r);
	struct gpube_graph g;
	struct small s = {.n = m->n, .least = INFINITY};
	struct gpube_order_cost c;
	int32_t order[SMALL];
	uint8_t rows[SMALL] = {0};

	sparse_of_matrix(&g, m);
	for (int a = 0; a < m->n; a++) {
		s.domain[a] = m->domain[a];
		for (int b = 0; b < m->n; b++)
			rows[a] |= (uint8_t)(m->edge[a][b] << b);
	}
	assert_int_equal(
		gpube__order_find(ctx, order, &s.bound, &g, GPUBE_ORDER_MIN_FILL, 0, 1e9, 1), 0);
	all_orders(&s, rows, 0, 0, 0);
	assert_int_equal(gpube__order_find(ctx, order, &c, &g, GPUBE_ORDER_AUTO, 0,
				 rate(&s.bound, 0.01), row->seed),
		0);
	gpube__graph_clear(ctx, &g);
	free(m);
	return small_merit(c.joined_cells, c.largest_joined) / s.least;
}

static void best_of_all_permutations(void **state)
{
	int n = 0, n_best = 0;
	double worst = 1;

	(void)state;
	for (int i = 0; i < 96; i++) {
		struct row row = {.family = i % N_FAMILIES,
			.n = 5 + i / N_FAMILIES % 4,
			.domains = i % 3,
			.seed = 1000 + (uint64_t)i};
		double ratio = ratio_to_best(&row);

		assert_true(ratio > 1 - 1e-9);
		n++;
		n_best += ratio < 1 + 1e-9;
		worst = ratio > worst ? ratio : worst;
	}
	if (n_best < n * 98 / 100 || worst > 1.1)
		fail_msg("%d of %d are best, the worst is %g times the best", n_best, n, worst);
}

/* ---- grids ----------------------------------------------------------------------------- */

static void make_grid(struct gpube_graph *g, int side, int32_t domain)
{
	int64_t n = (int64_t)side * side, k = 0;

	g->n = (int32_t)n;
	g->start = gpube__alloc(ctx, (uint64_t)n + 1, sizeof(*g->start));
	g->domain = gpube__alloc(ctx, (uint64_t)n, sizeof(*g->domain));
	g->adjacent = gpube__alloc(ctx, 4 * (uint64_t)n, sizeof(*g->adjacent));
	assert_true(g->start && g->domain && g->adjacent);
	for (int v = 0; v < n; v++) {
		g->start[v] = k;
		g->domain[v] = domain;
		if (v >= side)
			g->adjacent[k++] = v - side;
		if (v % side)
			g->adjacent[k++] = v - 1;
		if (v % side < side - 1)
			g->adjacent[k++] = v + 1;
		if (v + side < n)
			g->adjacent[k++] = v + side;
	}
	g->start[n] = k;
}

/* Treewidth 20; min-fill finds 28 or 29. Twice: what is found is repeatable. */
static void grid_of_20(void **state)
{
	struct gpube_graph g;
	struct gpube_order_cost c, again;
	int32_t order[400], order_again[400];

	make_grid(&g, 20, 2);
	assert_int_equal(gpube__order_find(
				 ctx, order, &c, &g, GPUBE_ORDER_AUTO, 0, 1e9, *(uint64_t *)*state),
		0);
	assert_permutation(order, g.n);
	assert_in_range(c.width, 20, 21);
	assert_true(c.joined_cells < 1.2e8);
	assert_int_equal(gpube__order_find(ctx, order_again, &again, &g, GPUBE_ORDER_AUTO, 0, 1e9,
				 *(uint64_t *)*state),
		0);
	assert_memory_equal(order, order_again, sizeof(order));
	gpube__graph_clear(ctx, &g);
}

static void time_limit(void **state)
{
	struct gpube_graph g;
	struct gpube_order_cost c;
	int32_t *order;
	double begin;

	(void)state;
	make_grid(&g, 60, 3);
	order = malloc((size_t)g.n * sizeof(*order));
	begin = gpube__now();
	assert_int_equal(gpube__order_find(ctx, order, &c, &g, GPUBE_ORDER_AUTO, 0.1, 1, 1), 0);
	assert_true(gpube__now() - begin >= 0.1);
	assert_true(gpube__now() - begin < 5); /* other processes may be running */
	assert_permutation(order, g.n);
	free(order);
	gpube__graph_clear(ctx, &g);
}

/* Stopped before it begins: still a permutation, with its cost, and no search. */
static void stopped(void **state)
{
	struct gpube_graph g;
	struct gpube_order_cost c, check;
	int32_t order[900];
	double begin = gpube__now();

	make_grid(&g, 30, 2);
	if (*state)
		ctx->deadline = begin;
	else
		gpube_ctx_stop(ctx);
	for (int method = GPUBE_ORDER_AUTO; method <= GPUBE_ORDER_MIN_DEGREE; method++) {
		assert_int_equal(gpube__order_find(ctx, order, &c, &g,
					 (enum gpube_order_method)method, 60, 1, 1),
			0);
		assert_permutation(order, g.n);
		assert_int_equal(gpube__order_cost(ctx, &check, &g, order), 0);
		assert_same_cost(&c, &check);
	}
	assert_true(gpube__now() - begin < 30);
	gpube_ctx_resume(ctx);
	ctx->deadline = 0;
	gpube__graph_clear(ctx, &g);
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

/* ---- memory that runs out ---------------------------------------------------------------- */

struct failing {
	int n_alive, left; /* allocations until the first failure */
};

static void *failing_realloc(void *arg, void *p, size_t size)
{
	struct failing *f = arg;
	void *q;

	if (size == 0) {
		f->n_alive--;
		free(p);
		return NULL;
	}
	if (f->left-- <= 0)
		return NULL;
	q = realloc(p, size);
	f->n_alive += !p;
	return q;
}

/* Every allocation fails once, until none does. */
static void allocations_fail(void **state)
{
	struct gpube_ctx *plain = ctx;
	struct failing f = {.left = INT32_MAX};
	struct gpube_model *m;
	struct gpube_graph g, grid;
	struct gpube_order_cost c;
	int32_t order[100];
	int alive, n, status = GPUBE_ENOMEM;

	(void)state;
	assert_int_equal(
		gpube_ctx_new(&ctx,
			&(struct gpube_ctx_opts){.sizeof_options = sizeof(struct gpube_ctx_opts),
				.n_threads = 2,
				.realloc_fn = failing_realloc,
				.realloc_arg = &f}),
		0);
	assert_int_equal(gpube_model_new(&m, ctx, GPUBE_COSTS), 0);
	for (int i = 0; i < 3; i++)
		assert_int_equal(gpube_model_add_var(m, NULL, 2, NULL), 0);
	assert_int_equal(gpube_model_add_costs(m, 2, (int32_t[]){2, 1}, (int64_t[4]){0}), 0);
	make_grid(&grid, 10, 3);
	alive = f.n_alive;
	for (n = 0; status == GPUBE_ENOMEM; n++) {
		f.left = n;
		status = gpube__graph_of_model(&g, m);
		if (status)
			assert_int_equal(f.n_alive, alive);
		assert_true(status == GPUBE_OK || status == GPUBE_ENOMEM);
	}
	assert_true(n > 4);
	gpube__graph_clear(ctx, &g);
	for (n = 0, status = GPUBE_ENOMEM; status == GPUBE_ENOMEM; n++) {
		f.left = n;
		status = gpube__order_find(ctx, order, &c, &grid, GPUBE_ORDER_AUTO, 0, 1e9, 1);
		assert_true(status == GPUBE_OK || status == GPUBE_ENOMEM);
		assert_int_equal(f.n_alive, alive);
	}
	assert_true(n > 100); /* the search was reached */
	assert_permutation(order, grid.n);
	f.left = INT32_MAX;
	gpube__graph_clear(ctx, &grid);
	gpube_model_free(m);
	assert_int_equal(f.n_alive, 1);
	gpube_ctx_free(ctx);
	ctx = plain;
}

static int setup(void **state)
{
	(void)state;
	return gpube_ctx_new(
		&ctx, &(struct gpube_ctx_opts){
			      .sizeof_options = sizeof(struct gpube_ctx_opts), .n_threads = 2});
}

static int teardown(void **state)
{
	(void)state;
	gpube_ctx_free(ctx);
	return 0;
}

#define N_NAIVE (N_FAMILIES * 12)
#define N_BOUND (N_FAMILIES * 12 * 3)
#define N_SEEDS 3

int main(void)
{
	static const int sizes[] = {0, 1, 2, 3, 4, 5, 7, 10, 20, 40, 70, MOST};
	static struct row naive[N_NAIVE], bound[N_BOUND];
	static uint64_t seeds[N_SEEDS];
	static char grid_names[N_SEEDS][64];
	struct CMUnitTest tests[9 + N_NAIVE + N_BOUND + N_SEEDS] = {
		cmocka_unit_test(graph_of_a_model),
		cmocka_unit_test(bad_orders),
		cmocka_unit_test(huge_costs),
		cmocka_unit_test(best_of_all_permutations),
		cmocka_unit_test(time_limit),
		cmocka_unit_test(function_of_500_variables),
		cmocka_unit_test(allocations_fail),
		{.name = "stopped", .test_func = stopped},
		{.name = "out of time", .test_func = stopped, .initial_state = "deadline"},
	};
	size_t n = 9;

	for (int i = 0; i < N_NAIVE + N_BOUND; i++) {
		bool is_naive = i < N_NAIVE;
		struct row *row = is_naive ? &naive[i] : &bound[i - N_NAIVE];

		row->family = i % N_FAMILIES;
		row->n = sizes[i / N_FAMILIES % 12];
		row->domains = is_naive ? i / N_FAMILIES % 3 : i / (N_FAMILIES * 12) - 1;
		row->seed = (uint64_t)i;
		snprintf(row->name, sizeof(row->name), "%s: %s of %d, domains %d",
			is_naive ? "as the naive version" : "never worse than min-fill",
			families[row->family].name, row->n, row->domains);
		tests[n++] = (struct CMUnitTest){.name = row->name,
			.initial_state = row,
			.test_func = is_naive ? against_naive : never_worse_than_min_fill};
	}
	for (int i = 0; i < N_SEEDS; i++) {
		seeds[i] = (uint64_t)i + 1;
		snprintf(grid_names[i], sizeof(grid_names[i]), "20 x 20 grid, seed %d", i + 1);
		tests[n++] = (struct CMUnitTest){
			.name = grid_names[i], .test_func = grid_of_20, .initial_state = &seeds[i]};
	}
	return cmocka_run_group_tests(tests, setup, teardown);
}
