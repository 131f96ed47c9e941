/* Elimination orders of tree decompositions and back: on random models, by file, without memory. */
#include "tests/support/test.h"

#include <string.h>

#include "formats/beside/decomposition.h"
#include "gpube/base/base.h"
#include "gpube/order/order.h"
#include "tests/support/files.h"
#include "tests/support/memory.h"
#include "tests/support/random_model.h"

enum { N_VARS = 12, N_MODELS = 200 };

static struct gpube_model *model_of(struct gpube_ctx *ctx, uint64_t seed)
{
	struct random_spec spec = random_spec_default();
	struct gpube_model *m;

	spec.n_vars = N_VARS;
	spec.min_domain = 2; /* variables of one value do not count for the width */
	spec.n_functions = (int)(seed % 30);
	spec.n_parts = 1 + (int)(seed % 3);
	m = random_model(ctx, &spec, seed);
	assert_non_null(m);
	return m;
}

static void random_order(int32_t *order, uint64_t seed)
{
	for (int32_t i = 0; i < N_VARS; i++) {
		uint64_t j = (seed = seed * 6364136223846793005U + 1442695040888963407U) >> 33;

		order[i] = order[j % (uint64_t)(i + 1)];
		order[j % (uint64_t)(i + 1)] = i;
	}
}

static int32_t width_of(const struct gpube_model *m, const int32_t *order)
{
	struct gpube_order_cost cost;
	struct gpube_graph g;

	assert_int_equal(gpube__graph_of_model(&g, m), GPUBE_OK);
	assert_int_equal(gpube__order_cost(m->ctx, &cost, &g, order), GPUBE_OK);
	gpube__graph_clear(m->ctx, &g);
	return cost.width;
}

static bool holds(const struct gpube_decomposition *d, int32_t k, int32_t var)
{
	for (int64_t i = d->first[k]; i < d->first[k + 1]; i++)
		if (d->vars[i] == var)
			return true;
	return false;
}

/* What makes it a tree decomposition, of the order's width, without needless clusters. */
static void check(const struct gpube_decomposition *d, const struct gpube_model *m, int32_t width)
{
	int64_t largest = 0;

	for (int32_t v = 0; v < m->n_vars; v++) {
		int tops = 0;

		for (int32_t k = 0; k < d->n_clusters; k++)
			tops += holds(d, k, v) && (d->parent[k] < 0 || !holds(d, d->parent[k], v));
		assert_int_equal(tops, 1);
	}
	for (int32_t f = 0; f < m->n_functions; f++) {
		bool covered = m->functions[f].arity == 0;

		for (int32_t k = 0; k < d->n_clusters && !covered; k++) {
			covered = true;
			for (int i = 0; i < m->functions[f].arity; i++)
				covered = covered && holds(d, k, gpube__scope(m, f)[i]);
		}
		assert_true(covered);
	}
	for (int32_t k = 0; k < d->n_clusters; k++) {
		int64_t n = d->first[k + 1] - d->first[k], common = 0;
		int32_t parent = d->parent[k];

		assert_true(parent < k);
		for (int64_t i = d->first[k]; i < d->first[k + 1] && parent >= 0; i++)
			common += holds(d, parent, d->vars[i]);
		assert_true(parent < 0 || common < n);
		assert_true(parent < 0 || common < d->first[parent + 1] - d->first[parent]);
		largest = n > largest ? n : largest;
	}
	assert_int_equal(largest, width + 1);
}

static void orders_and_decompositions(void **state)
{
	struct gpube_ctx *ctx;

	(void)state;
	assert_int_equal(gpube_ctx_new(&ctx, NULL), GPUBE_OK);
	for (uint64_t seed = 1; seed <= N_MODELS; seed++) {
		struct gpube_model *m = model_of(ctx, seed);
		struct gpube_decomposition *d;
		int32_t order[N_VARS], again[N_VARS], width;

		random_order(order, seed);
		width = width_of(m, order);
		assert_int_equal(gpube_decomposition_of_order(&d, m, order), GPUBE_OK);
		check(d, m, width);
		assert_int_equal(gpube_order_of_decomposition(again, m, d), GPUBE_OK);
		assert_int_equal(width_of(m, again), width);
		gpube_result_free(d);
		gpube_model_free(m);
	}
	gpube_ctx_free(ctx);
}

/* The clusters without their parents, from a random one on and as a file has them. */
static void write_clusters(const char *path, const struct gpube_decomposition *d, uint64_t seed)
{
	FILE *f = fopen(path, "w");

	assert_non_null(f);
	for (int32_t i = 0; i < d->n_clusters; i++) {
		const int32_t k = (int32_t)((seed * 7 + (uint64_t)i * 5) % (uint64_t)d->n_clusters);
		/* 5 steps on meet all of them, or not */
		const int32_t c = d->n_clusters % 5 ? k : i;

		for (int64_t v = d->first[c]; v < d->first[c + 1]; v++)
			fprintf(f, " %d", d->vars[v]);
		fprintf(f, " \n");
	}
	fclose(f);
}

/* A .dec says no parents: they come of what clusters share, in whatever order these are. */
static void clusters_alone(void **state)
{
	char dir[256], path[300], back[300];
	struct gpube_ctx *ctx;

	(void)state;
	test_make_dir(dir);
	snprintf(path, sizeof(path), "%s/x.dec", dir);
	snprintf(back, sizeof(back), "%s/y.dec", dir);
	assert_int_equal(gpube_ctx_new(&ctx, NULL), GPUBE_OK);
	for (uint64_t seed = 1; seed <= N_MODELS; seed++) {
		struct gpube_model *m = model_of(ctx, seed);
		struct gpube_decomposition *d, *read;
		int32_t order[N_VARS], width;

		random_order(order, seed);
		width = width_of(m, order);
		assert_int_equal(gpube_decomposition_of_order(&d, m, order), GPUBE_OK);
		write_clusters(path, d, seed);
		assert_int_equal(gpube__read_decomposition(&read, m, path), GPUBE_OK);
		assert_int_equal(read->n_clusters, d->n_clusters);
		check(read, m, width);
		assert_int_equal(gpube_read_order(order, m, path), GPUBE_OK);
		/* less where another root spares what the first order joined for nothing */
		assert_true(width_of(m, order) <= width);
		width = width_of(m, order);
		assert_int_equal(gpube_write_order(m, back, order), GPUBE_OK);
		assert_int_equal(gpube_read_order(order, m, back), GPUBE_OK);
		assert_true(width_of(m, order) <= width);
		gpube_result_free(read);
		gpube_result_free(d);
		gpube_model_free(m);
	}
	gpube_ctx_free(ctx);
	test_clear_dir(dir);
}

static void clusters_of_no_tree(void **state)
{
	static const struct {
		const char *text;
		int status;
		const char *error;
	} rows[] = {
		{"0 1\n1 2\n2 3\n3 4 0\n", GPUBE_EINVAL,
			"is no tree decomposition, which an order is made of"},
		{"0 1\n1 2\n0 2\n", GPUBE_EINVAL,
			"is no tree decomposition, which an order is made of"},
		{"0 1\n1 2\n0 2\n0 1 2\n", GPUBE_OK, NULL},
		{"1\n1\n1 2", GPUBE_OK, NULL},
		{" \n\n", GPUBE_EPARSE, ":3: expected a cluster, found the end of the file"},
		{"0 1\n2 1 2\n", GPUBE_EPARSE, ":2: variable 2 is twice in a cluster"},
		{"0 1\n\n12\n", GPUBE_EPARSE, ":3: expected a variable from 0 to 11, found '12'"},
		{"0 -1\n", GPUBE_EPARSE, ":1: expected a variable from 0 to 11, found '-1'"},
	};
	char dir[256], path[300];
	struct gpube_ctx *ctx;
	struct gpube_model *m;

	(void)state;
	test_make_dir(dir);
	snprintf(path, sizeof(path), "%s/x.dec", dir);
	assert_int_equal(gpube_ctx_new(&ctx, NULL), GPUBE_OK);
	m = model_of(ctx, 1);
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		int32_t order[N_VARS];
		FILE *f = fopen(path, "w");

		assert_non_null(f);
		fputs(rows[i].text, f);
		fclose(f);
		assert_int_equal(gpube_read_order(order, m, path), rows[i].status);
		if (rows[i].error && !strstr(gpube_error(ctx), rows[i].error))
			fail_msg("'%s': %s", rows[i].text, gpube_error(ctx));
	}
	gpube_model_free(m);
	gpube_ctx_free(ctx);
	test_clear_dir(dir);
}

static void what_is_none(void **state)
{
	/* variable 3 is in two leaves, and not in the cluster between them */
	int32_t parent[] = {-1, 0, 0}, vars[] = {0, 1, 1, 3, 0, 3}, order[N_VARS];
	int64_t first[] = {0, 2, 4, 6};
	struct gpube_decomposition two = {3, parent, first, vars}, *d;
	struct gpube_ctx *ctx;
	struct gpube_model *m;

	(void)state;
	assert_int_equal(gpube_ctx_new(&ctx, NULL), GPUBE_OK);
	m = model_of(ctx, 1);
	random_order(order, 1);
	assert_int_equal(gpube_order_of_decomposition(order, m, &two), GPUBE_EINVAL);
	assert_string_equal(gpube_error(ctx), "the clusters of variable 3 are not connected");
	two.n_clusters = 2; /* the other variables are in front: nothing is known of them */
	assert_int_equal(gpube_order_of_decomposition(order, m, &two), GPUBE_OK);
	assert_int_equal(order[0], 2);
	assert_int_equal(order[N_VARS - 3], 3);
	order[0] = order[1];
	assert_int_equal(gpube_decomposition_of_order(&d, m, order), GPUBE_EINVAL);
	assert_null(d);
	assert_int_equal(gpube_write_order(m, "/nonexistent/x.order", order), GPUBE_EINVAL);
	gpube_model_free(m);
	gpube_ctx_free(ctx);
}

/* Every allocation of writing or reading fails once: nothing leaks, no half file stays. */
static void without_memory(const char *name)
{
	char dir[256], path[300];
	int32_t order[N_VARS];

	test_make_dir(dir);
	snprintf(path, sizeof(path), "%s/%s", dir, name);
	random_order(order, 7);
	for (int reading = 0; reading < 2; reading++)
		for (long k = 0;; k++) {
			struct test_memory memory = {.fail_at = -1};
			struct gpube_ctx *ctx = test_memory_ctx(&memory);
			struct gpube_model *m = model_of(ctx, 29);
			long live = memory.live;
			int status;

			memory.n = 0;
			memory.fail_at = k;
			status = reading ? gpube_read_order(order, m, path)
					 : gpube_write_order(m, path, order);
			assert_int_equal(memory.live, live);
			gpube_model_free(m);
			gpube_ctx_free(ctx);
			assert_int_equal(test_count_files(dir), reading || !status);
			if (!status)
				break;
			assert_int_equal(status, GPUBE_ENOMEM);
			assert_true(k < 1000);
		}
	test_clear_dir(dir);
}

static void order_without_memory(void **state)
{
	(void)state;
	without_memory("x.order");
}

static void decomposition_without_memory(void **state)
{
	(void)state;
	without_memory("x.cov");
}

static void clusters_without_memory(void **state)
{
	(void)state;
	without_memory("x.dec");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(orders_and_decompositions),
		cmocka_unit_test(clusters_alone),
		cmocka_unit_test(clusters_of_no_tree),
		cmocka_unit_test(what_is_none),
		cmocka_unit_test(order_without_memory),
		cmocka_unit_test(decomposition_without_memory),
		cmocka_unit_test(clusters_without_memory),
	};

	return cmocka_run_group_tests_name("decomposition", tests, NULL, NULL);
}
