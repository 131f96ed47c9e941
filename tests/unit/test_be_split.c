/*
 * Elimination shared out over devices, the CPU standing in for each: the answers of one, on random
 * models and for any number of devices; how evenly a large bucket is shared out; and devices that
 * fail.
 */
#include "tests/support/cases.h"
#include "tests/support/context.h"
#include "tests/support/random_model.h"
#include "tests/support/test.h"

#include "gpube/eliminate/be.h"
#include "gpube/eliminate/be_split.h"
#include "gpube/ir/generate.h"

enum { N_MODELS = 120 };

static const struct gpube_ops *open_cpu(struct gpube_ctx *c, int *status)
{
	(void)c;
	*status = GPUBE_OK;
	return gpube__ops_cpu();
}

/* Device 1 is not there. */
static const struct gpube_ops *open_one(struct gpube_ctx *c, int *status)
{
	*status = c->devices[0] == 1 ? gpube__fail(c, GPUBE_ENODEV, "no such device") : GPUBE_OK;
	return *status ? NULL : gpube__ops_cpu();
}

static const struct gpube_ops *open_none(struct gpube_ctx *c, int *status)
{
	*status = gpube__fail(c, GPUBE_ENODEV, "no such device");
	return NULL;
}

static int contract_fails(struct gpube_ctx *c, const struct gpube_contraction *contraction)
{
	(void)contraction;
	return gpube__fail(c, GPUBE_ECUDA, "fell off the bus");
}

static int batch_fails(struct gpube_ctx *c, int64_t n, const struct gpube_contraction *contraction)
{
	(void)n;
	return contract_fails(c, contraction);
}

/* Device 1 fails as soon as it works. */
static const struct gpube_ops *open_failing(struct gpube_ctx *c, int *status)
{
	static struct gpube_ops failing;

	*status = GPUBE_OK;
	if (c->devices[0] != 1)
		return gpube__ops_cpu();
	failing = *gpube__ops_cpu();
	failing.contract = contract_fails;
	failing.contract_batch = batch_fails;
	return &failing;
}

struct both {
	struct gpube_be be;
	struct gpube_working w;
	int32_t order[64];
	int64_t optimum;
};

static void whole(struct both *b, struct gpube_model *m, int n_devices)
{
	const struct gpube_be_sides alone = {{gpube__ops_cpu(), NULL}, NULL, NULL};

	for (int32_t i = 0; i < m->n_vars; i++)
		b->order[i] = i;
	ctx->n_devices = n_devices;
	for (int k = 0; k < n_devices; k++)
		ctx->devices[k] = k;
	assert_int_equal(gpube__be_init(&b->be, m, b->order), 0);
	assert_int_equal(gpube__be_working(&b->w, &b->be), 0);
	assert_int_equal(
		gpube__be_run(&b->optimum, NULL, NULL, &b->be, &alone, &b->w, 0, false, NULL), 0);
}

/* Slices for as many workers as the context has devices, of any size. */
static int split(struct gpube_be_split **s, struct both *b)
{
	const struct gpube_slicing how = {.type = b->w.type,
		.limit = 1e12,
		.rate = 1e9,
		.bucket = 1e-6,
		.n_workers = ctx->n_devices};

	return gpube__split_slices(s, &b->be, b->order, &how);
}

static void random_models(void **state)
{
	uint64_t seed = (uint64_t)(uintptr_t)*state;
	struct random_spec spec = random_spec_varied(seed, GPUBE_COSTS);
	struct gpube_split_times times;
	struct gpube_be_split *s;
	struct gpube_model *m;
	struct both b;
	int32_t values[64];
	int64_t optimum, cost;
	int status;

	spec.min_cost = 0;
	spec.direction = GPUBE_MINIMISE;
	spec.observed = 0;
	m = random_model(ctx, &spec, seed);
	assert_non_null(m);
	whole(&b, m, 2 + (int)(seed % 7));
	status = split(&s, &b);
	if (status) { /* every variable of a message has one value */
		assert_int_equal(status, GPUBE_ELIMIT);
		for (int32_t p = 0; p < b.be.n; p++)
			assert_true(b.be.buckets[p].cells == 1);
	} else {
		assert_int_equal(gpube__split_run(&optimum, values, s, open_cpu, &times), 0);
		assert_true(optimum == b.optimum || (optimum >= m->top && b.optimum >= m->top));
		if (optimum != GPUBE_INF) {
			assert_int_equal(gpube_model_cost(&cost, m, values), 0);
			assert_true(cost == optimum);
		}
		gpube__split_free(s);
	}
	gpube__be_clear(&b.be);
	gpube_model_free(m);
}

static struct gpube_model *network(void)
{
	struct gpube_network net = {.topology = GPUBE_NETWORK_RANDOM,
		.n_vars = 12,
		.domain = 4,
		.density = 0.6,
		.tightness = 0.1,
		.max_cost = 100,
		.seed = 3};
	struct gpube_model *m;

	assert_int_equal(gpube__generate(&m, ctx, &net), 0);
	return m;
}

/* A dense network: the variables chosen are in all that is large; each worker has four boxes. */
static void shares(void **state)
{
	struct gpube_model *m = network();
	struct gpube_be_split *s;
	struct both b;

	(void)state;
	for (int n = 2; n <= 4; n += 2) {
		whole(&b, m, n);
		assert_int_equal(split(&s, &b), 0);
		assert_true(gpube__split_n(s) >= 4 * n);
		assert_true(gpube__split_cost(s)->joined * (double)gpube__split_n(s) <
			    1.5 * gpube__be_joined(&b.be));
		gpube__split_free(s);
		gpube__be_clear(&b.be);
	}
	gpube_model_free(m);
}

/* A device that cannot be opened leaves its slices to the others; if there are none, it is told. */
static void device_missing(void **state)
{
	struct gpube_model *m = network();
	struct gpube_split_times times;
	struct gpube_be_split *s;
	struct both b;
	int32_t values[64];
	int64_t optimum, cost;

	(void)state;
	whole(&b, m, 2);
	assert_int_equal(split(&s, &b), 0);
	assert_int_equal(gpube__split_run(&optimum, values, s, open_one, &times), 0);
	assert_true(optimum == b.optimum);
	assert_int_equal(gpube_model_cost(&cost, m, values), 0);
	assert_true(cost == optimum);
	gpube__split_free(s);
	assert_int_equal(split(&s, &b), 0);
	assert_int_equal(gpube__split_run(&optimum, values, s, open_none, &times), GPUBE_ENODEV);
	assert_non_null(strstr(gpube_error(ctx), ": no such device"));
	gpube__split_free(s);
	assert_int_equal(split(&s, &b), 0);
	gpube_ctx_stop(ctx);
	assert_int_equal(gpube__split_run(&optimum, values, s, open_cpu, &times), GPUBE_ESTOP);
	gpube_ctx_resume(ctx);
	gpube__split_free(s);
	gpube__be_clear(&b.be);
	gpube_model_free(m);
}

/* One that fails in the midst of a slice gives it back. */
static void device_fails(void **state)
{
	struct gpube_model *m = network();
	struct gpube_split_times times;
	struct gpube_be_split *s;
	struct both b;
	int32_t values[64];
	int64_t optimum;
	int status;

	(void)state;
	whole(&b, m, 3);
	assert_int_equal(split(&s, &b), 0);
	status = gpube__split_run(&optimum, values, s, open_failing, &times);
	/* the others may have ended before that */
	assert_true(!status || status == GPUBE_ECUDA);
	if (!status)
		assert_true(optimum == b.optimum);
	gpube__split_free(s);
	gpube__be_clear(&b.be);
	gpube_model_free(m);
}

int main(void)
{
	struct cases c = {0};

	add_numbers(&c, random_models, N_MODELS, "model");
	ADD_CASE(&c, shares);
	ADD_CASE(&c, device_missing);
	ADD_CASE(&c, device_fails);
	return run_cases(&c, "be_split", ctx_setup, ctx_teardown);
}
