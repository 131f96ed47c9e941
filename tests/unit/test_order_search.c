/* The search for good orders: never worse than min-fill, near the best, stopped when asked. */
#include "tests/support/test.h"
#include "gpube/options/options.h"

#include <math.h>

#include "gpube/order/order_dissect.h"
#include "tests/support/cases.h"
#include "tests/support/context.h"
#include "tests/support/graphs.h"
#include "tests/support/memory.h"

/* Lets AUTO search for about so long on an idle core, in operations: repeatable. */
static double rate(const struct gpube_order_cost *plain, double seconds)
{
	return plain->joined_cells / seconds;
}

/* A row's graph, min-fill's order of it, and the one that AUTO finds in about so many seconds. */
struct search {
	struct matrix *m;
	struct gpube_graph g;
	struct gpube_order_cost plain, cost;
	int32_t order[MOST];
};

static void search_row(struct search *s, const struct row *row, double seconds, uint64_t seed)
{
	struct gpube_rng r;

	s->m = matrix_of_row(row, &r);
	sparse_of_matrix(&s->g, s->m);
	assert_int_equal(
		gpube__order_find(ctx, s->order, &s->plain, &s->g, GPUBE_ORDER_MIN_FILL, 0, 1e9, 1),
		0);
	assert_int_equal(gpube__order_find(ctx, s->order, &s->cost, &s->g, GPUBE_ORDER_AUTO, 0,
				 rate(&s->plain, seconds), seed),
		0);
}

static void search_end(struct search *s)
{
	gpube__graph_clear(ctx, &s->g);
	free(s->m);
}

static void never_worse_than_min_fill(void **state)
{
	const struct row *row = *state;
	struct gpube_order_cost naive;
	struct search s;
	int width = families[row->family].width;

	search_row(&s, row, 0.004, row->seed);
	assert_permutation(s.order, s.g.n);
	naive = naive_cost(s.m, s.order);
	assert_same_cost(&s.cost, &naive);
	assert_true(s.cost.joined_cells <= s.plain.joined_cells);
	assert_true(s.cost.largest_joined <= s.plain.largest_joined);
	if (width >= 0 && row->domains == 0)
		assert_int_equal(s.cost.width, width < s.g.n - 1 ? width
					       : s.g.n > 0       ? s.g.n - 1
								 : 0);
	search_end(&s);
}

/* Merit of AUTO at most that of every greedy within min-fill's sum and largest table. */
static void never_worse_than_members(void **state)
{
	struct gpube_order_cost member;
	struct search s;

	search_row(&s, *state, 0.002, 1);
	for (int method = GPUBE_ORDER_MIN_FILL; method <= GPUBE_ORDER_MIN_DEGREE; method++) {
		assert_int_equal(gpube__order_find(ctx, s.order, &member, &s.g,
					 (enum gpube_order_method)method, 0, 1e9, 1),
			0);
		if (member.joined_cells <= s.plain.joined_cells &&
			member.largest_joined <= s.plain.largest_joined)
			assert_true(
				gpube__order_merit(s.cost.joined_cells, s.cost.largest_joined) <=
				gpube__order_merit(member.joined_cells, member.largest_joined));
	}
	search_end(&s);
}

/* ---- graphs whose treewidth is known --------------------------------------------------- */

/* Two squares of a board are joined if a queen goes from one to the other. */
static void queens(void **state)
{
	static const int widths[] = {0, 0, 0, 0, 11, 18, 25, 35};
	const int side = *(int *)*state;
	struct matrix *m = calloc(1, sizeof(*m));
	struct gpube_graph g;
	struct gpube_order_cost c, plain;
	int32_t order[MOST];

	m->n = side * side;
	for (int a = 0; a < m->n; a++) {
		m->domain[a] = 2;
		for (int b = 0; b < m->n; b++) {
			int dx = abs(a % side - b % side), dy = abs(a / side - b / side);

			m->edge[a][b] = a != b && (dx == 0 || dy == 0 || dx == dy);
		}
	}
	sparse_of_matrix(&g, m);
	assert_int_equal(
		gpube__order_find(ctx, order, &plain, &g, GPUBE_ORDER_MIN_FILL, 0, 1e9, 1), 0);
	assert_int_equal(
		gpube__order_find(ctx, order, &c, &g, GPUBE_ORDER_AUTO, 0, rate(&plain, 0.2), 1),
		0);
	assert_permutation(order, g.n);
	assert_int_equal(c.width, widths[side]);
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

/* The messages of a sweep are many times as long as those of min-fill together. */
static void grid_of_100(void **state)
{
	enum { SIDE = 100 };
	struct gpube_graph g;
	struct gpube_order_cost c, plain;
	int32_t *order = malloc(SIDE * SIDE * sizeof(*order));

	(void)state;
	make_grid(&g, SIDE, 2);
	assert_int_equal(
		gpube__order_find(ctx, order, &plain, &g, GPUBE_ORDER_MIN_FILL, 0, 1e9, 1), 0);
	assert_int_equal(
		gpube__order_find(ctx, order, &c, &g, GPUBE_ORDER_AUTO, 0, rate(&plain, 1), 1), 0);
	assert_in_range(c.width, SIDE, SIDE + 15);
	free(order);
	gpube__graph_clear(ctx, &g);
}

/* Vertices of group 0 that are connected with v by such: marks them. */
static int part_size(const struct gpube_graph *g, int32_t *group, int32_t v)
{
	int size = 1;

	group[v] = -1;
	for (int64_t e = g->start[v]; e < g->start[v + 1]; e++)
		if (group[g->adjacent[e]] == 0)
			size += part_size(g, group, g->adjacent[e]);
	return size;
}

/* Separators leave parts as small as was asked for, the first of them about a row of the grid. */
static void dissection(void **state)
{
	enum { SIDE = 30, N = SIDE * SIDE, LEAST = 25 };
	struct gpube_dissector *d;
	struct gpube_graph g;
	struct gpube_rng rng;
	int32_t group[N], last = 0;
	int n_last = 0;

	gpube__rng_init(&rng, *(uint64_t *)*state);
	make_grid(&g, SIDE, 3);
	assert_int_equal(gpube__dissector_new(&d, ctx, &g), 0);
	assert_true(gpube__dissect(d, group,
		&(struct gpube_dissection){.n_free = N,
			.balance = 0.3,
			.least = LEAST,
			.tries = 4,
			.most_log = INFINITY},
		&rng));
	for (int v = 0; v < N; v++)
		last = group[v] > last ? group[v] : last;
	for (int v = 0; v < N; v++)
		n_last += group[v] == last;
	assert_in_range(n_last, 20, 40);
	for (int v = 0; v < N; v++)
		if (group[v] == last)
			group[v] = -1;
	for (int v = 0; v < N; v++)
		if (group[v] == 0)
			assert_in_range(part_size(&g, group, v), 1, LEAST);
	gpube__dissector_free(d);
	gpube__graph_clear(ctx, &g);
}

/* Separators that halve what lies around a part, too, and leave out the vertices that are kept. */
static void dissection_around(void **state)
{
	enum { SIDE = 30, N = SIDE * SIDE, LEAST = 25, FREE = N - 2 * SIDE };
	struct gpube_dissection how = {.n_free = FREE,
		.balance = 0.2,
		.least = LEAST,
		.tries = 4,
		.around = 1,
		.most_log = INFINITY};
	struct gpube_dissector *d;
	struct gpube_graph g;
	struct gpube_rng rng;
	int32_t group[N];

	gpube__rng_init(&rng, *(uint64_t *)*state);
	make_grid(&g, SIDE, 2);
	assert_int_equal(gpube__dissector_new(&d, ctx, &g), 0);
	assert_true(gpube__dissect(d, group, &how, &rng));
	for (int v = 0; v < N; v++)
		for (int u = FREE; u < N && v < FREE; u++)
			assert_true(group[v] < group[u]);
	for (int v = 0; v < FREE; v++)
		if (group[v] == 0)
			assert_in_range(part_size(&g, group, v), 1, LEAST);
	/* those that are kept lie around the last part already */
	how.most_log = SIDE / 2;
	assert_false(gpube__dissect(d, group, &how, &rng));
	gpube__dissector_free(d);
	gpube__graph_clear(ctx, &g);
}

/*
 * A hopeless separator is tried again before all others are lost with it; one that cannot be is
 * given up.
 */
static void hopeless_parts(void **state)
{
	enum { SIDE = 40, N = SIDE * SIDE, RUNS = 48 };
	struct gpube_dissection how = {.n_free = N, .balance = 0.35, .least = 60, .tries = 1};
	struct gpube_dissector *d;
	struct gpube_graph g;
	struct gpube_rng rng;
	static int32_t group[N];
	int n_done = 0, n_impossible = 0;

	gpube__rng_init(&rng, *(uint64_t *)*state);
	make_grid(&g, SIDE, 2);
	assert_int_equal(gpube__dissector_new(&d, ctx, &g), 0);
	for (int i = 0; i < RUNS; i++) {
		how.most_log = 60 + i % 2 * 4;
		n_done += gpube__dissect(d, group, &how, &rng);
		how.most_log = SIDE / 2;
		n_impossible += i < 4 && gpube__dissect(d, group, &how, &rng);
	}
	assert_in_range(n_done, RUNS * 2 / 3, RUNS); /* with one try each about half are */
	assert_int_equal(n_impossible, 0);
	gpube__dissector_free(d);
	gpube__graph_clear(ctx, &g);
}

/* From a bad order: what the tree says that the new ones cost is so, and it costs less. */
static void subtrees(void **state)
{
	enum { SIDE = 20, N = SIDE * SIDE };
	struct gpube_order_cost before, after;
	struct gpube_subtree *s;
	struct gpube_tree *t;
	struct gpube_graph g;
	int32_t order[N];
	int64_t credit = 30000000;

	make_grid(&g, SIDE, 2);
	assert_int_equal(
		gpube__order_find(ctx, order, &before, &g, GPUBE_ORDER_MIN_DEGREE, 0, 1e9, 1), 0);
	assert_int_equal(gpube__tree_new(&t, ctx, &g, N * N), 0);
	assert_int_equal(gpube__subtree_new(&s, ctx, &g, NULL, N * N), 0);
	gpube__rng_init(&t->rng, *(uint64_t *)*state);
	assert_true(gpube__tree_set(t, order));
	gpube__subtrees_improve(s, t, &credit);
	assert_true(credit < 30000000 && credit > -30000000);
	assert_permutation(t->order, N);
	assert_int_equal(gpube__order_cost(ctx, &after, &g, t->order), 0);
	assert_true(after.joined_cells < before.joined_cells);
	assert_true(fabs(t->sum / after.joined_cells - 1) < 1e-4);
	assert_true(fabs(t->largest / after.largest_joined - 1) < 1e-4);
	assert_int_equal(gpube__order_cost(ctx, &after, &g, t->best_order), 0);
	assert_true(fabs(t->best_sum / after.joined_cells - 1) < 1e-4);
	gpube__subtree_free(s);
	gpube__tree_free(t);
	gpube__graph_clear(ctx, &g);
}

/*
 * Windows change few of the sums that the tree keeps: those are right all the same, and draw by
 * weight.
 */
static void sums_after_windows(void **state)
{
	enum { SIDE = 30, N = SIDE * SIDE, DRAWS = 20000 };
	static int n_drawn[N];
	struct gpube_order_cost cost;
	struct gpube_tree *t;
	struct gpube_graph g;
	double weight = 0;
	int32_t order[N];

	make_grid(&g, SIDE, 2);
	assert_int_equal(
		gpube__order_find(ctx, order, &cost, &g, GPUBE_ORDER_MIN_DEGREE, 0, 1e9, 1), 0);
	assert_int_equal(gpube__tree_new(&t, ctx, &g, N * SIDE * 4), 0);
	gpube__rng_init(&t->rng, *(uint64_t *)*state);
	assert_true(gpube__tree_set(t, order));
	gpube__tree_improve(t, 1.5, 0.02, 3000000);
	assert_int_equal(gpube__order_cost(ctx, &cost, &g, t->order), 0);
	assert_true(fabs(t->sum / cost.joined_cells - 1) < 1e-4);
	assert_true(fabs(t->largest / cost.largest_joined - 1) < 1e-4);
	memset(n_drawn, 0, sizeof(n_drawn));
	for (int i = 0; i < DRAWS; i++)
		n_drawn[gpube__tree_draw(t)]++;
	for (int v = 0; v < N; v++) {
		const double share =
			exp2(1.5 * (double)t->log_cells[v] / GPUBE_LOG_ONE) / t->total_weight;

		weight += share;
		assert_true(fabs(n_drawn[v] - share * DRAWS) < 1 + 7 * sqrt(share * DRAWS));
	}
	assert_true(fabs(weight - 1) < 1e-6);
	gpube__tree_free(t);
	gpube__graph_clear(ctx, &g);
}

/* A graph's vertices to the left of a line, to its right, or near it; as a dissection has them. */
static void flow_keeps_a_separator(void **state)
{
	enum { WIDE = 24, HIGH = 9, N = WIDE * HIGH, ROOM = 40 * N };
	struct dissect_level l = {.n = N};
	static int32_t start[N + 1], adjacent[6 * N], weight[N], side[N], room[ROOM];
	struct gpube_rng rng;
	int64_t before = 0, after[3] = {0}, total = 0;
	int n_edges = 0;

	gpube__rng_init(&rng, *(uint64_t *)*state);
	l.start = start;
	l.adjacent = adjacent;
	l.weight = l.mass = weight;
	l.side = side;
	for (int v = 0; v < N; v++) { /* a grid with one diagonal in each square */
		static const int step[6][2] = {{1, 0}, {-1, 0}, {0, 1}, {0, -1}, {1, 1}, {-1, -1}};
		int x = v % WIDE, y = v / WIDE;

		start[v] = n_edges;
		for (int k = 0; k < 6; k++)
			if (x + step[k][0] >= 0 && x + step[k][0] < WIDE && y + step[k][1] >= 0 &&
				y + step[k][1] < HIGH)
				adjacent[n_edges++] = v + step[k][0] + WIDE * step[k][1];
		weight[v] = 16 + (int32_t)gpube__rng_below(&rng, 30);
		side[v] = x < WIDE / 2 - 2 ? LEFT : x > WIDE / 2 + 2 ? RIGHT : BETWEEN;
		before += side[v] == BETWEEN ? weight[v] : 0;
		total += weight[v];
	}
	start[N] = n_edges;
	assert_true(gpube__dissect_flow(&l, room, ROOM, total * 7 / 10) > 0);
	for (int v = 0; v < N; v++) {
		after[side[v]] += weight[v];
		for (int e = start[v]; e < start[v + 1]; e++)
			assert_true(side[v] == BETWEEN || side[adjacent[e]] == BETWEEN ||
				    side[v] == side[adjacent[e]]);
	}
	/* no column is lighter */
	for (int x = WIDE / 2 - 2; x <= WIDE / 2 + 2; x++) {
		int64_t column = 0;

		for (int y = 0; y < HIGH; y++)
			column += weight[x + WIDE * y];
		assert_true(after[BETWEEN] <= column);
	}
	assert_true(after[BETWEEN] < before / 4);
	assert_true(after[LEFT] <= total * 7 / 10 && after[RIGHT] <= total * 7 / 10);
	assert_int_equal(gpube__dissect_flow(&l, room, 0, total), 0);
}

/* Tables may take little memory: the search still finds more than min-fill. */
static void little_memory(void **state)
{
	const uint64_t memory = ctx->memory_bytes;
	struct gpube_graph g;
	struct gpube_order_cost c;
	int32_t order[400];

	(void)state;
	make_grid(&g, 20, 2);
	ctx->memory_bytes = 1000;
	assert_int_equal(gpube__order_find(ctx, order, &c, &g, GPUBE_ORDER_AUTO, 0, 1e9, 1), 0);
	ctx->memory_bytes = memory;
	assert_in_range(c.width, 20, 22);
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
	assert_true(gpube__now() - begin < 600); /* however slow the machine */
	assert_permutation(order, g.n);
	free(order);
	gpube__graph_clear(ctx, &g);
}

/*
 * A limit far off changes nothing about when a search no longer pays, and a near one ends what
 * would.
 */
static void within(void **state)
{
	const double rate = 1e9;
	struct gpube_graph g;
	struct gpube_order_cost c, same;
	int32_t order[144], again[144];
	const double begin = gpube__now();

	(void)state;
	make_grid(&g, 12, 2);
	assert_int_equal(gpube__order_find(ctx, order, &c, &g, GPUBE_ORDER_AUTO, 0, rate, 1), 0);
	assert_int_equal(gpube__order_find_within(ctx, again, &same, &g, 3600, rate, 1), 0);
	assert_memory_equal(order, again, sizeof(order));
	assert_same_cost(&c, &same);
	assert_int_equal(
		gpube__order_find(ctx, order, &c, &g, GPUBE_ORDER_MIN_FILL, 0, rate, 1), 0);
	assert_int_equal(gpube__order_find_within(ctx, again, &same, &g, 1e-9, 1, 1), 0);
	assert_permutation(again, g.n);
	assert_true(same.joined_cells <= c.joined_cells);
	assert_true(gpube__now() - begin < 1800);
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
					 (enum gpube_order_method)method, 3600, 1, 1),
			0);
		assert_permutation(order, g.n);
		assert_int_equal(gpube__order_cost(ctx, &check, &g, order), 0);
		assert_same_cost(&c, &check);
	}
	assert_true(gpube__now() - begin < 1800);
	gpube_ctx_resume(ctx);
	ctx->deadline = 0;
	gpube__graph_clear(ctx, &g);
}

/* ---- memory that runs out ---------------------------------------------------------------- */

static int graph_scarcely(struct gpube_ctx *c, struct gpube_model *m, const void *arg)
{
	struct gpube_graph g;
	int status = gpube__graph_of_model(&g, m);

	(void)arg;
	if (!status)
		gpube__graph_clear(c, &g);
	return status;
}

static struct gpube_model *three_variables(struct gpube_ctx *c, const void *arg)
{
	struct gpube_model *m;

	(void)arg;
	assert_int_equal(gpube_model_new(&m, c, GPUBE_COSTS), 0);
	for (int i = 0; i < 3; i++)
		assert_int_equal(gpube_model_add_var(m, NULL, 2, NULL), 0);
	assert_int_equal(gpube_model_add_costs(m, 2, (int32_t[]){2, 1}, (int64_t[4]){0}), 0);
	return m;
}

static int search_scarcely(struct gpube_ctx *c, struct gpube_model *none, const void *grid)
{
	const struct gpube_graph *g = grid;
	struct gpube_order_cost cost;
	int32_t order[100];
	int status = gpube__order_find(c, order, &cost, g, GPUBE_ORDER_AUTO, 0, 1e9, 1);

	(void)none;
	if (!status)
		assert_permutation(order, g->n);
	return status;
}

/* Every allocation fails once, until none does. */
static void allocations_fail(void **state)
{
	struct gpube_graph grid;

	(void)state;
	assert_true(fail_each_allocation(graph_scarcely, three_variables, NULL, 0) > 3);
	make_grid(&grid, 10, 3);
	/* the search was reached */
	assert_true(fail_each_allocation(search_scarcely, NULL, &grid, 0) > 100);
	gpube__graph_clear(ctx, &grid);
}

int main(void)
{
	enum { N_SEARCHED = N_FAMILIES * N_SIZES * 3 };
	static struct row rows[N_SEARCHED];
	static uint64_t seeds[] = {1, 2, 3};
	static int sides[] = {4, 5, 6, 7};
	struct cases c = {0};

	ADD_CASE(&c, best_of_all_permutations);
	ADD_CASE(&c, time_limit);
	ADD_CASE(&c, within);
	ADD_CASE(&c, little_memory);
	ADD_CASE(&c, grid_of_100);
	ADD_CASE(&c, allocations_fail);
	ADD_CASE(&c, stopped);
	add_case(&c, stopped, "deadline", "out of time");
	for (int i = 0; i < N_SEARCHED; i++) {
		rows[i] = (struct row){.family = i % N_FAMILIES,
			.n = sizes[i / N_FAMILIES % N_SIZES],
			.domains = i / (N_FAMILIES * N_SIZES),
			.seed = N_FAMILIES * N_SIZES + (uint64_t)i};
		add_case(&c, never_worse_than_min_fill, &rows[i],
			"never worse than min-fill: %s of %d, domains %d",
			families[rows[i].family].name, rows[i].n, rows[i].domains);
	}
	for (int i = 0; i < N_SEARCHED; i += 5)
		add_case(&c, never_worse_than_members, &rows[i],
			"never worse than a member: %s of %d, domains %d",
			families[rows[i].family].name, rows[i].n, rows[i].domains);
	for (size_t i = 0; i < sizeof(sides) / sizeof(*sides); i++)
		add_case(&c, queens, &sides[i], "queens on %d x %d", sides[i], sides[i]);
	for (size_t i = 0; i < sizeof(seeds) / sizeof(*seeds); i++)
		add_case(&c, flow_keeps_a_separator, &seeds[i], "flow keeps a separator, seed %d",
			(int)seeds[i]);
	for (size_t i = 0; i < sizeof(seeds) / sizeof(*seeds); i++)
		add_case(&c, dissection, &seeds[i], "dissection of a grid, seed %d", (int)seeds[i]);
	for (size_t i = 0; i < sizeof(seeds) / sizeof(*seeds); i++) {
		add_case(&c, dissection_around, &seeds[i],
			"dissection with what is around, seed %d", (int)seeds[i]);
		add_case(&c, hopeless_parts, &seeds[i], "hopeless parts, seed %d", (int)seeds[i]);
		add_case(&c, subtrees, &seeds[i], "subtrees of a grid, seed %d", (int)seeds[i]);
		add_case(&c, sums_after_windows, &seeds[i], "sums after windows, seed %d",
			(int)seeds[i]);
	}
	for (size_t i = 0; i < sizeof(seeds) / sizeof(*seeds); i++)
		add_case(&c, grid_of_20, &seeds[i], "20 x 20 grid, seed %d", (int)seeds[i]);
	return run_cases(&c, "order search", ctx_setup_2_threads, ctx_teardown);
}
