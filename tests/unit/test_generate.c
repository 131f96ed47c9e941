/* Generated networks: edges, connection, tightness, costs, the same for the same seed. */
#include "tests/support/test.h"

#include <math.h>

#include "gpube/ir/generate.h"
#include "gpube/simplify/simplify.h"
#include "tests/support/cases.h"
#include "tests/support/context.h"
#include "tests/support/memory.h"

static int32_t n_components(const struct gpube_model *m)
{
	struct gpube_simplified s;
	int32_t n;

	assert_int_equal(gpube__simplify(&s, m, false), 0);
	n = s.n_components;
	gpube__simplified_clear(ctx, &s);
	return n;
}

/* ---- one row, one network ------------------------------------------------------- */

static const struct row {
	struct gpube_network network;
	int32_t n_edges;
} rows[] = {
	/* the paper's tables 1 to 3 */
	{{GPUBE_NETWORK_RANDOM, 10, 10, 0, 0.2, 0.9, 100, 1, 0}, 9},
	{{GPUBE_NETWORK_RANDOM, 10, 10, 0, 0.3, 0.9, 100, 1, 0}, 13},
	{{GPUBE_NETWORK_RANDOM, 10, 10, 0, 0.4, 0.9, 100, 1, 0}, 18},
	{{GPUBE_NETWORK_RANDOM, 10, 10, 0, 0.7, 0.9, 100, 1, 0}, 31},
	{{GPUBE_NETWORK_RANDOM, 10, 10, 0, 0.9, 0.9, 100, 1, 0}, 40},
	{{GPUBE_NETWORK_RANDOM, 20, 10, 0, 0.3, 0.9, 100, 1, 0}, 57},
	{{GPUBE_NETWORK_RANDOM, 10, 50, 0, 0.3, 0.9, 100, 1, 0}, 13},
	{{GPUBE_NETWORK_SCALE_FREE, 10, 10, 0, 0, 0.9, 100, 1, 0}, 17},
	{{GPUBE_NETWORK_SCALE_FREE, 16, 10, 0, 0, 0.9, 100, 1, 0}, 29},
	{{GPUBE_NETWORK_GRID, 25, 10, 0, 0, 0.9, 100, 1, 0}, 40},
	{{GPUBE_NETWORK_GRID, 100, 10, 0, 0, 0.9, 100, 1, 0}, 180},
	/* ends of the ranges */
	{{GPUBE_NETWORK_RANDOM, 1, 3, 0, 0, 0.5, 100, 1, 0}, 0},
	{{GPUBE_NETWORK_RANDOM, 2, 3, 0, 1, 0.5, 100, 1, 0}, 1},
	{{GPUBE_NETWORK_RANDOM, 30, 2, 0, 1, 0, 0, 1, 0}, 435},
	{{GPUBE_NETWORK_RANDOM, 200, 2, 0, 0.01, 0.25, 7, 1, 0}, 199},
	{{GPUBE_NETWORK_RANDOM, 12, 1, 0, 0.5, 0, 3, 1, 0}, 33},
	{{GPUBE_NETWORK_SCALE_FREE, 1, 2, 0, 0, 0, 9, 1, 0}, 0},
	{{GPUBE_NETWORK_SCALE_FREE, 2, 2, 0, 0, 0, 9, 1, 0}, 1},
	{{GPUBE_NETWORK_SCALE_FREE, 3, 2, 0, 0, 0, 9, 1, 0}, 3},
	{{GPUBE_NETWORK_SCALE_FREE, 500, 2, 0, 0, 0.5, 9, 1, 0}, 997},
	{{GPUBE_NETWORK_SCALE_FREE, 10, 2, 0, 0, 0.5, 9, 1, 2}, 17},
	{{GPUBE_NETWORK_SCALE_FREE, 10, 2, 0, 0, 0.5, 9, 1, 1}, 9},
	{{GPUBE_NETWORK_SCALE_FREE, 10, 2, 0, 0, 0.5, 9, 1, 5}, 35},
	{{GPUBE_NETWORK_SCALE_FREE, 10, 2, 0, 0, 0.5, 9, 1, 99}, 45},
	{{GPUBE_NETWORK_GRID, 1, 2, 0, 0, 0, 9, 1, 0}, 0},
	{{GPUBE_NETWORK_GRID, 7, 2, 0, 0, 0, 9, 1, 0}, 6},   /* 1 x 7 */
	{{GPUBE_NETWORK_GRID, 12, 2, 0, 0, 0, 9, 1, 0}, 17}, /* 3 x 4 */
	{{GPUBE_NETWORK_GRID, 12, 2, 6, 0, 0, 9, 1, 0}, 16}, /* 6 x 2 */
};

static void check_function(const struct gpube_model *m, int32_t f, const struct gpube_network *w)
{
	const struct gpube_table *t = gpube__table(m, f);
	const int32_t *scope = gpube__scope(m, f);
	int64_t n_forbidden = 0;

	assert_int_equal(m->functions[f].arity, 2);
	assert_true(scope[0] < scope[1]);
	if (f) /* increasing, so no edge is there twice */
		assert_true(
			scope[0] > scope[-2] || (scope[0] == scope[-2] && scope[1] > scope[-1]));
	assert_true(t->n == (int64_t)w->domain * w->domain);
	for (int64_t k = 0; k < t->n; k++) {
		int64_t v = gpube__table_int(t, k);

		n_forbidden += v == GPUBE_INF;
		assert_true(v == GPUBE_INF || (v >= 0 && v <= w->max_cost));
	}
	assert_true(n_forbidden == (int64_t)(w->tightness * (double)t->n + 0.5));
}

static void network(void **state)
{
	const struct row *row = *state;
	struct gpube_network w = row->network;

	for (w.seed = 0; w.seed < 5; w.seed++) {
		struct gpube_model *m;

		assert_int_equal(gpube__generate(&m, ctx, &w), 0);
		assert_int_equal(m->kind, GPUBE_COSTS);
		assert_int_equal(m->direction, GPUBE_MINIMISE);
		assert_true(m->top == GPUBE_INF && m->constant == 0);
		assert_int_equal(m->n_vars, w.n_vars);
		for (int32_t i = 0; i < m->n_vars; i++)
			assert_int_equal(m->vars[i].domain, w.domain);
		assert_int_equal(m->n_functions, row->n_edges);
		for (int32_t f = 0; f < m->n_functions; f++)
			check_function(m, f, &w);
		if (w.domain > 1 && w.tightness < 1)
			assert_int_equal(n_components(m), 1);
		gpube_model_free(m);
	}
}

/* ---- shape and chance ------------------------------------------------------------- */

static struct gpube_model *generate(const struct gpube_network *w)
{
	struct gpube_model *m;

	assert_int_equal(gpube__generate(&m, ctx, w), 0);
	return m;
}

static void degrees(int32_t *degree, const struct gpube_model *m)
{
	memset(degree, 0, (size_t)m->n_vars * sizeof(*degree));
	for (int32_t f = 0; f < m->n_functions; f++) {
		degree[gpube__scope(m, f)[0]]++;
		degree[gpube__scope(m, f)[1]]++;
	}
}

static void grid_neighbours(void **state)
{
	struct gpube_network w = {.topology = GPUBE_NETWORK_GRID, .n_vars = 20, .domain = 2};
	struct gpube_model *m = generate(&w);
	int32_t degree[20], count[5] = {0};

	(void)state;
	degrees(degree, m);
	for (int i = 0; i < 20; i++)
		count[degree[i]]++;
	assert_int_equal(count[2], 4); /* corners */
	assert_int_equal(count[3], 10);
	assert_int_equal(count[4], 6);
	assert_int_equal(gpube__scope(m, 1)[0], 0);
	assert_int_equal(gpube__scope(m, 1)[1], 5);
	gpube_model_free(m);
}

/* New nodes have two edges; old ones gather many more than in a graph without preference. */
static void scale_free_degrees(void **state)
{
	enum { N = 2000 };
	struct gpube_network w = {.topology = GPUBE_NETWORK_SCALE_FREE, .n_vars = N, .domain = 1};
	static int32_t degree[N];

	(void)state;
	for (w.seed = 0; w.seed < 5; w.seed++) {
		struct gpube_model *m = generate(&w);
		int32_t most = 0, n_least = 0;

		degrees(degree, m);
		for (int i = 0; i < N; i++) {
			assert_true(degree[i] >= (i < 2 ? 1 : 2));
			most = degree[i] > most ? degree[i] : most;
			n_least += degree[i] == 2;
		}
		/* the share of degree k tends to 12 / (k (k + 1) (k + 2)): one half has 2 */
		assert_in_range(n_least, N * 45 / 100, N * 55 / 100);
		assert_in_range(most, 40, 400);
		gpube_model_free(m);
	}
}

/* Over many seeds each of the 45 pairs is an edge about as often. */
static void random_edges_are_even(void **state)
{
	enum { N = 10, N_SEEDS = 3000 };
	struct gpube_network w = {.n_vars = N, .domain = 1, .density = 0.3};
	int32_t count[N][N] = {{0}};

	(void)state;
	for (w.seed = 0; w.seed < N_SEEDS; w.seed++) {
		struct gpube_model *m = generate(&w);

		for (int32_t f = 0; f < m->n_functions; f++)
			count[gpube__scope(m, f)[0]][gpube__scope(m, f)[1]]++;
		gpube_model_free(m);
	}
	/* 13 of 45: 867 of 3,000, standard deviation 25 */
	for (int a = 0; a < N; a++)
		for (int b = a + 1; b < N; b++)
			assert_in_range(count[a][b], 867 - 125, 867 + 125);
}

static void costs_are_even(void **state)
{
	struct gpube_network w = {
		.n_vars = 2, .domain = 400, .density = 1, .tightness = 0.5, .max_cost = 100};
	struct gpube_model *m = generate(&w);
	const struct gpube_table *t = gpube__table(m, 0);
	int32_t count[101] = {0}, first_half = 0;

	(void)state;
	for (int64_t k = 0; k < t->n; k++) {
		int64_t v = gpube__table_int(t, k);

		if (v != GPUBE_INF)
			count[v]++;
		else
			first_half += k < t->n / 2;
	}
	for (int c = 0; c <= 100; c++) /* 792, standard deviation 28 */
		assert_in_range(count[c], 792 - 140, 792 + 140);
	assert_in_range(first_half, 40000 - 700, 40000 + 700);
	gpube_model_free(m);
}

static uint64_t fingerprint(const struct gpube_model *m)
{
	uint64_t h = 14695981039346656037u;

	for (int32_t f = 0; f < m->n_functions; f++) {
		const struct gpube_table *t = gpube__table(m, f);

		for (int k = 0; k < 2; k++)
			h = (h ^ (uint64_t)gpube__scope(m, f)[k]) * 1099511628211u;
		for (int64_t k = 0; k < t->n; k++)
			h = (h ^ (uint64_t)gpube__table_int(t, k)) * 1099511628211u;
	}
	return h;
}

/* The numbers are those of the first version: a seed names the same network forever. */
static void same_seed_same_network(void **state)
{
	static const uint64_t expected[3][2] = {
		{0x9a2ae89cc92714e4u, 0x5638a0ad6319bee3u},
		{0xae8f41ffb16ee19fu, 0xabc638d2d02016d0u},
		{0x3cf0c13fdbe6382cu, 0x078d1ccb531c7456u},
	};
	struct gpube_network w = {
		.n_vars = 12, .domain = 5, .density = 0.4, .tightness = 0.3, .max_cost = 100};

	(void)state;
	for (int topology = 0; topology < 3; topology++)
		for (w.seed = 0; w.seed < 2; w.seed++) {
			struct gpube_model *m;

			w.topology = (enum gpube_topology)topology;
			m = generate(&w);
			assert_true(fingerprint(m) == expected[topology][w.seed]);
			gpube_model_free(m);
		}
}

static void same_graph_for_other_domains(void **state)
{
	struct gpube_network w = {.n_vars = 12, .domain = 2, .density = 0.4, .seed = 3};
	struct gpube_model *a = generate(&w), *b;

	(void)state;
	w.domain = 7;
	w.tightness = 0.5;
	b = generate(&w);
	assert_int_equal(a->n_functions, b->n_functions);
	assert_memory_equal(a->scopes, b->scopes, (size_t)a->n_scopes * sizeof(*a->scopes));
	gpube_model_free(a);
	gpube_model_free(b);
}

/* ---- arguments and memory ------------------------------------------------------------ */

static const struct {
	const char *name;
	struct gpube_network network;
	const char *text;
} bad[] = {
	{"no_variables", {.n_vars = 0, .domain = 2}, "at least 1 of 1"},
	{"no_values", {.n_vars = 2, .domain = 0, .density = 1}, "at least 1 of 1"},
	{"density_below_0", {.n_vars = 2, .domain = 2, .density = -0.1}, "density -0.1: 0 to 1"},
	{"density_above_1", {.n_vars = 2, .domain = 2, .density = 1.5}, "density 1.5: 0 to 1"},
	{"density_not_a_number", {.n_vars = 2, .domain = 2, .density = NAN}, "density"},
	{"too_few_edges", {.n_vars = 10, .domain = 2, .density = 0.1},
		"makes 4 edges: to connect 10 variables takes 9"},
	{"tightness_above_1", {.n_vars = 2, .domain = 2, .density = 1, .tightness = 1.1},
		"tightness 1.1: 0 to 1"},
	{"negative_cost", {.n_vars = 2, .domain = 2, .density = 1, .max_cost = -1},
		"greatest cost -1"},
	{"rows", {.topology = GPUBE_NETWORK_GRID, .n_vars = 10, .domain = 2, .rows = 3},
		"3 rows of a grid of 10 variables"},
};

static void bad_argument(void **state)
{
	size_t k = (size_t)*state;
	struct gpube_model *m;

	assert_int_equal(gpube__generate(&m, ctx, &bad[k].network), GPUBE_EINVAL);
	assert_null(m);
	assert_non_null(strstr(gpube_error(ctx), bad[k].text));
}

static void too_many_edges(void **state)
{
	struct gpube_network w = {.n_vars = 100000, .domain = 2, .density = 1};
	struct gpube_model *m;

	(void)state;
	assert_int_equal(gpube__generate(&m, ctx, &w), GPUBE_ERANGE);
	assert_null(m);
}

static void out_of_memory(void **state)
{
	struct test_memory memory = {.fail_at = -1};
	struct gpube_ctx *own = test_memory_ctx(&memory);
	struct gpube_network w = {.n_vars = 5, .domain = 3, .density = 0.6};
	struct gpube_model *m;

	(void)state;
	for (int topology = 0; topology < 3; topology++) {
		w.topology = (enum gpube_topology)topology;
		for (long k = 0;; k++) {
			int status;

			memory.n = 0;
			memory.fail_at = k;
			status = gpube__generate(&m, own, &w);
			if (!status)
				break;
			assert_int_equal(status, GPUBE_ENOMEM);
			assert_null(m);
			assert_true(memory.live == 0);
		}
		assert_true(memory.n > 5);
		gpube_model_free(m);
		assert_true(memory.live == 0);
	}
	gpube_ctx_free(own);
}

/* ---- main ------------------------------------------------------------------------------ */

int main(void)
{
	struct cases c = {0};

	ADD_CASE(&c, grid_neighbours);
	ADD_CASE(&c, scale_free_degrees);
	ADD_CASE(&c, random_edges_are_even);
	ADD_CASE(&c, costs_are_even);
	ADD_CASE(&c, same_seed_same_network);
	ADD_CASE(&c, same_graph_for_other_domains);
	ADD_CASE(&c, too_many_edges);
	ADD_CASE(&c, out_of_memory);
	for (size_t k = 0; k < sizeof(rows) / sizeof(*rows); k++) {
		const struct gpube_network *w = &rows[k].network;

		add_case(&c, network, &rows[k], "%s_n%d_d%d_p%g_t%g_rows%d",
			gpube__topology_name(w->topology), w->n_vars, w->domain, w->density,
			w->tightness, w->rows);
	}
	for (size_t k = 0; k < sizeof(bad) / sizeof(*bad); k++)
		add_case(&c, bad_argument, (void *)k, "bad_%s", bad[k].name);
	return run_cases(&c, "generate", ctx_setup, ctx_teardown);
}
