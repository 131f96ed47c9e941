/* graphs.c - see graphs.h. */
#include "tests/support/graphs.h"
#include "gpube/options/options.h"

#include <math.h>

#include "tests/support/context.h"
#include "tests/support/test.h"

static void add_edge(struct matrix *m, int a, int b)
{
	m->edge[a][b] = m->edge[b][a] = a != b;
}

void sparse_of_matrix(struct gpube_graph *g, const struct matrix *m)
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

struct gpube_order_cost naive_cost(const struct matrix *from, const int32_t *order)
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

void naive_greedy(int32_t *order, const struct matrix *from, enum gpube_order_method method)
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

void clique(struct matrix *m, struct gpube_rng *r, int n)
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

const struct family families[N_FAMILIES] = {
	{"random", random_graph, -1},
	{"sparse", sparse_graph, -1},
	{"tree", tree, 1},
	{"grid", grid, -1},
	{"cycle", cycle, 2},
	{"clique", clique, -1},
	{"disconnected", disconnected, -1},
	{"3-tree", three_tree, 3},
};

const int sizes[N_SIZES] = {0, 1, 2, 3, 4, 5, 7, 10, 20, 40, 70, MOST};

struct matrix *matrix_of_row(const struct row *row, struct gpube_rng *r)
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

/* ---- checks -------------------------------------------------------------------- */

void assert_permutation(const int32_t *order, int32_t n)
{
	bool *seen = calloc((size_t)n + 1, sizeof(*seen));

	for (int32_t k = 0; k < n; k++) {
		assert_in_range(order[k], 0, n - 1);
		assert_false(seen[order[k]]);
		seen[order[k]] = true;
	}
	free(seen);
}

void assert_same_cost(const struct gpube_order_cost *a, const struct gpube_order_cost *b)
{
	assert_int_equal(a->width, b->width);
	/* exact below 2^53; above, the order of the factors may show */
	assert_true(fabs(a->joined_cells - b->joined_cells) <= 1e-12 * b->joined_cells);
	assert_true(fabs(a->largest_joined - b->largest_joined) <= 1e-12 * b->largest_joined);
	assert_true(fabs(a->largest_message - b->largest_message) <= 1e-12 * b->largest_message);
}

/* ---- a grid as large as may be ------------------------------------------------ */

void make_grid(struct gpube_graph *g, int side, int32_t domain)
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
