/*
 * Annealing of windows: orders of what is asked for, that cost what it says, as good as the best.
 */
#include "tests/support/test.h"
#include "gpube/options/options.h"

#include <math.h>
#include <string.h>

#include "gpube/order/order_parts.h"
#include "tests/support/cases.h"
#include "tests/support/context.h"
#include "tests/support/graphs.h"

/* A window of a row's graph: its last vertices are the boundary, a clique. */
static void window_of_row(struct gpube_order_window *w, const struct row *row, int n_inner)
{
	struct gpube_rng r;
	struct matrix *m = matrix_of_row(row, &r);

	w->n = m->n;
	w->n_inner = n_inner < m->n ? n_inner : m->n;
	w->words = (w->n + 63) / 64;
	memset(w->rows, 0, sizeof(w->rows));
	for (int a = 0; a < m->n; a++) {
		w->log_domain[a] = gpube__log_domain(m->domain[a] > 1 ? m->domain[a] : 2);
		for (int b = 0; b < m->n; b++)
			if (a != b && (m->edge[a][b] || (a >= n_inner && b >= n_inner)))
				w->rows[a * w->words + b / 64] |= UINT64_C(1) << b % 64;
	}
	free(m);
}

/* Vertex by vertex, with all edges that each adds; the largest table in *most_log. */
static double naive_sum(
	const struct gpube_order_window *w, const uint8_t *order, double power, int64_t *most_log)
{
	static bool edge[GPUBE_WINDOW_MAX][GPUBE_WINDOW_MAX];
	bool gone[GPUBE_WINDOW_MAX] = {false};
	double sum = 0;

	*most_log = 0;
	for (int a = 0; a < w->n; a++)
		for (int b = 0; b < w->n; b++)
			edge[a][b] = w->rows[a * w->words + b / 64] >> b % 64 & 1;
	for (int k = 0; k < w->n_inner; k++) {
		const int v = order[k];
		int64_t log_cells = w->log_domain[v];

		assert_true(v < w->n_inner && !gone[v]);
		gone[v] = true;
		for (int a = 0; a < w->n; a++) {
			if (!edge[v][a] || gone[a])
				continue;
			log_cells += w->log_domain[a];
			for (int b = 0; b < w->n; b++)
				if (b != a && edge[v][b] && !gone[b])
					edge[a][b] = true;
		}
		*most_log = log_cells > *most_log ? log_cells : *most_log;
		sum += gpube__log_to_weight(log_cells, power);
	}
	return sum;
}

static void any_order(uint8_t *order, int n)
{
	for (int i = 0; i < n; i++)
		order[i] = (uint8_t)(n - 1 - i);
}

/*
 * What it says that the order costs is so, and below what was asked for; the same again from the
 * same seed.
 */
static void costs_what_it_says(void **state)
{
	const struct row *row = *state;
	static struct gpube_order_window w;
	static struct gpube_anneal a;
	struct gpube_window_goal goal = {.power = row->seed % 2 ? 1 : 1.5, .most_log = INT64_MAX};
	uint8_t order[GPUBE_WINDOW_MAX], again[GPUBE_WINDOW_MAX];
	struct gpube_rng rng;
	double sum = 0, same = 0;
	int64_t most_log;

	window_of_row(&w, row, row->n - row->n / 4);
	any_order(order, w.n_inner);
	any_order(again, w.n_inner);
	goal.most_sum = naive_sum(&w, order, goal.power, &goal.most_log) * (1 + 1e-9);
	gpube__rng_init(&rng, row->seed);
	if (!gpube__window_anneal(&w, &a, order, &sum, &goal, 0.5, 200000, &rng)) {
		assert_true(w.n_inner < 2); /* else one move at least costs no more */
		return;
	}
	assert_true(fabs(naive_sum(&w, order, goal.power, &most_log) / sum - 1) < 1e-9);
	assert_true(sum < goal.most_sum);
	assert_true(most_log <= goal.most_log);
	gpube__rng_init(&rng, row->seed);
	assert_true(gpube__window_anneal(&w, &a, again, &same, &goal, 0.5, 200000, &rng));
	assert_memory_equal(order, again, (size_t)w.n_inner);
	/* a goal that nothing meets, and tables that may not be as large as the smallest one */
	goal.most_sum = 0;
	assert_false(gpube__window_anneal(&w, &a, order, &sum, &goal, 0.5, 20000, &rng));
	assert_memory_equal(order, again, (size_t)w.n_inner);
	goal.most_sum = INFINITY;
	goal.most_log = 0;
	assert_false(gpube__window_anneal(&w, &a, order, &sum, &goal, 0.5, 20000, &rng));
}

/* The best of all orders of twelve vertices before a boundary. */
static void finds_the_best(void **state)
{
	static struct gpube_order_window w;
	static struct gpube_window_work work;
	static struct gpube_anneal a;
	int n_best = 0, n = 0;

	(void)state;
	for (int i = 0; i < 64; i++) {
		const struct row row = {.family = i % N_FAMILIES,
			.n = 20 + i,
			.domains = i % 2,
			.seed = 77 + (uint64_t)i};
		struct gpube_window_goal goal = {
			.power = 1, .most_log = INT64_MAX, .most_sum = INFINITY};
		uint8_t order[GPUBE_WINDOW_MAX];
		struct gpube_rng rng;
		double least, sum;

		gpube__rng_init(&rng, row.seed);
		window_of_row(&w, &row, GPUBE_EXACT_MAX);
		assert_true(gpube__window_exact(&w, &work, order, &least, &goal));
		any_order(order, w.n_inner);
		assert_true(gpube__window_anneal(&w, &a, order, &sum, &goal, 1, 4000000, &rng));
		assert_true(sum > least * (1 - 1e-9));
		n_best += sum < least * (1 + 1e-9);
		n++;
	}
	if (n_best < n - 1)
		fail_msg("%d of %d are best", n_best, n);
}

/* More domains than it has rows for: left as they are. */
static void many_domains(void **state)
{
	static struct gpube_order_window w;
	static struct gpube_anneal a;
	const struct row row = {.family = 1, .n = 40, .seed = 5};
	const struct gpube_window_goal goal = {
		.power = 1, .most_log = INT64_MAX, .most_sum = INFINITY};
	uint8_t order[GPUBE_WINDOW_MAX];
	struct gpube_rng rng;
	double sum;

	(void)state;
	gpube__rng_init(&rng, 1);
	window_of_row(&w, &row, 30);
	any_order(order, w.n_inner);
	for (int v = 0; v < w.n; v++)
		w.log_domain[v] = gpube__log_domain(2 + v % (GPUBE_ANNEAL_DOMAINS + 1));
	assert_false(gpube__window_anneal(&w, &a, order, &sum, &goal, 1, 10000, &rng));
	for (int v = 0; v < w.n; v++)
		w.log_domain[v] = gpube__log_domain(2 + v % GPUBE_ANNEAL_DOMAINS);
	assert_true(gpube__window_anneal(&w, &a, order, &sum, &goal, 1, 10000, &rng));
}

/* In an order's tree: the sums that it keeps are right afterwards, and it costs less. */
static void in_a_tree(void **state)
{
	const struct row row = {.family = *(int *)*state, .n = MOST, .domains = 1, .seed = 9};
	struct gpube_order_cost before, after;
	struct gpube_graph g;
	struct gpube_tree *t;
	struct gpube_rng r;
	struct matrix *m = matrix_of_row(&row, &r);
	int32_t order[MOST];
	int64_t credit = 40000000;

	for (int v = 0; v < m->n; v++)
		m->domain[v] += m->domain[v] == 1;
	sparse_of_matrix(&g, m);
	assert_int_equal(
		gpube__order_find(ctx, order, &before, &g, GPUBE_ORDER_MIN_DEGREE, 0, 1e9, 1), 0);
	assert_int_equal(gpube__tree_new(&t, ctx, &g, MOST * MOST), 0);
	gpube__rng_init(&t->rng, 3);
	assert_true(gpube__tree_set(t, order));
	gpube__tree_anneal(t, &credit);
	assert_true(credit < 40000000 && credit > -40000000);
	assert_permutation(t->order, g.n);
	assert_int_equal(gpube__order_cost(ctx, &after, &g, t->order), 0);
	assert_true(after.joined_cells <= before.joined_cells * (1 + 1e-9));
	assert_true(fabs(t->sum / after.joined_cells - 1) < 1e-4);
	assert_true(fabs(t->largest / after.largest_joined - 1) < 1e-4);
	assert_int_equal(gpube__order_cost(ctx, &after, &g, t->best_order), 0);
	assert_true(fabs(t->best_sum / after.joined_cells - 1) < 1e-4);
	gpube__tree_free(t);
	gpube__graph_clear(ctx, &g);
	free(m);
}

int main(void)
{
	enum { N = N_FAMILIES * N_SIZES };
	static struct row rows[N];
	static int kinds[N_FAMILIES];
	struct cases c = {0};

	ADD_CASE(&c, finds_the_best);
	ADD_CASE(&c, many_domains);
	for (int i = 0; i < N; i++) {
		rows[i] = (struct row){.family = i % N_FAMILIES,
			.n = sizes[i / N_FAMILIES],
			.domains = i % 3,
			.seed = 300 + (uint64_t)i};
		add_case(&c, costs_what_it_says, &rows[i],
			"costs what it says: %s of %d, domains %d", families[rows[i].family].name,
			rows[i].n, rows[i].domains);
	}
	for (int i = 0; i < N_FAMILIES; i++) {
		kinds[i] = i;
		add_case(&c, in_a_tree, &kinds[i], "in a tree: %s", families[i].name);
	}
	return run_cases(&c, "order annealing", ctx_setup_2_threads, ctx_teardown);
}
