/*
 * Elimination, and mini-buckets, with some buckets on a device: a stand-in for one, whose memory is
 * its own, says whether every table was brought where it is worked on; answers are those of the
 * host alone. And which sides are chosen at which rates, against all choices.
 */
#include "tests/support/cases.h"
#include "gpube/options/options.h"
#include "tests/support/context.h"
#include "tests/support/random_model.h"
#include "tests/support/test.h"

#include "gpube/eliminate/be_place.h"
#include "gpube/relax/mbe/mbe.h"
#include "gpube/ops/pick.h"

#include <math.h>

enum { N_MODELS = 150, N_RATES = 24, MOST_TABLES = 4096 };

/* ---- the stand-in --------------------------------------------------------------------- */

static struct {
	char *at;
	uint64_t bytes;
} tables[MOST_TABLES];
static int n_tables, n_uploads, n_downloads;

static void *device_alloc(struct gpube_ctx *c, uint64_t bytes)
{
	void *p = gpube__ops_cpu()->alloc(c, bytes);

	if (n_tables == MOST_TABLES)
		fail_msg("too many tables");
	tables[n_tables].at = p;
	tables[n_tables++].bytes = bytes;
	return p;
}

static int find(const void *p)
{
	const char *at = p;

	for (int k = 0; k < n_tables; k++)
		if (at >= tables[k].at && at < tables[k].at + tables[k].bytes + !tables[k].bytes)
			return k;
	return -1;
}

static void device_free(struct gpube_ctx *c, void *p)
{
	int k = find(p);

	if (k < 0)
		fail_msg("freed: not a table of the device");
	tables[k] = tables[--n_tables];
	gpube__ops_cpu()->free(c, p);
}

static int device_upload(struct gpube_ctx *c, void *to, const void *from, uint64_t bytes)
{
	if (find(to) < 0 || find(from) >= 0)
		fail_msg("upload: not from the host to the device");
	n_uploads++;
	return gpube__ops_cpu()->upload(c, to, from, bytes);
}

static int device_download(struct gpube_ctx *c, void *to, const void *from, uint64_t bytes)
{
	if (find(to) >= 0 || find(from) < 0)
		fail_msg("download: not from the device to the host");
	n_downloads++;
	return gpube__ops_cpu()->download(c, to, from, bytes);
}

static int device_gather(struct gpube_ctx *c, void *to, int64_t n, const struct gpube_cells *pieces,
	size_t cell_bytes)
{
	for (int64_t k = 0; k < n; k++)
		if (find(pieces[k].values) < 0)
			fail_msg("gather: not a table of the device");
	return gpube__ops_cpu()->gather(c, to, n, pieces, cell_bytes);
}

static void check_tables(const struct gpube_contraction *c, bool device)
{
	for (int k = 0; k < c->n_in; k++)
		if ((find(c->in[k].values) >= 0) != device ||
			(c->in[k].counts && (find(c->in[k].counts) >= 0) != device))
			fail_msg("contract: operand %d is on the other side", k);
	if ((find(c->out) >= 0) != device || (c->out_arg && (find(c->out_arg) >= 0) != device))
		fail_msg("contract: the output is on the other side");
}

static int device_contract(struct gpube_ctx *c, const struct gpube_contraction *what)
{
	check_tables(what, true);
	return gpube__ops_cpu()->contract(c, what);
}

static int host_contract(struct gpube_ctx *c, const struct gpube_contraction *what)
{
	check_tables(what, false);
	return gpube__ops_cpu()->contract(c, what);
}

static int device_contract_batch(
	struct gpube_ctx *c, int64_t n, const struct gpube_contraction *what)
{
	for (int64_t k = 0; k < n; k++)
		check_tables(&what[k], true);
	return gpube__ops_cpu()->contract_batch(c, n, what);
}

static int host_contract_batch(struct gpube_ctx *c, int64_t n, const struct gpube_contraction *what)
{
	for (int64_t k = 0; k < n; k++)
		check_tables(&what[k], false);
	return gpube__ops_cpu()->contract_batch(c, n, what);
}

static int device_match(struct gpube_ctx *c, const struct gpube_match *what)
{
	for (int32_t k = 0; k < what->n; k++)
		if (find(what->tables[k]) < 0)
			fail_msg("match: not a table of the device");
	return gpube__ops_cpu()->match(c, what);
}

static struct gpube_ops host, device;

static int setup(void **state)
{
	host = device = *gpube__ops_cpu();
	host.contract = host_contract;
	device.contract = device_contract;
	device.alloc = device_alloc;
	device.free = device_free;
	device.upload = device_upload;
	device.download = device_download;
	device.gather = device_gather;
	host.contract_batch = host_contract_batch;
	device.contract_batch = device_contract_batch;
	device.match = device_match;
	return ctx_setup(state);
}

/* ---- the same answers ------------------------------------------------------------------- */

/* A random model of up to 64 variables, the order of their numbers, and a random side for each. */
static struct gpube_model *random_sided(uint64_t seed, int32_t order[64], uint8_t side[64])
{
	struct random_spec spec = random_spec_varied(seed, GPUBE_COSTS);
	struct gpube_model *m;
	struct gpube_rng rng;

	spec.min_cost = 0;
	spec.direction = GPUBE_MINIMISE;
	spec.observed = 0;
	m = random_model(ctx, &spec, seed);
	assert_non_null(m);
	assert_true(m->n_vars <= 64);
	gpube__rng_init(&rng, seed);
	for (int32_t i = 0; i < m->n_vars; i++) {
		order[i] = i;
		side[i] = (uint8_t)gpube__rng_below(&rng, 2);
	}
	return m;
}

static void random_sides(void **state)
{
	uint64_t seed = (uint64_t)(uintptr_t)*state;
	const struct gpube_be_sides alone = {{gpube__ops_cpu(), NULL}, NULL, NULL};
	struct gpube_model *m;
	struct gpube_be be;
	struct gpube_working w;
	int32_t order[64], values[64];
	uint8_t side[64];
	uint64_t count[2];
	int64_t optimum[2], cost;

	m = random_sided(seed, order, side);
	assert_int_equal(gpube__be_init(&be, m, order), 0);
	assert_int_equal(gpube__be_working(&w, &be), 0);
	assert_int_equal(
		gpube__be_run(&optimum[0], NULL, &count[0], &be, &alone, &w, 0, false, NULL), 0);
	for (int keep = 0; keep < 2; keep++) {
		const struct gpube_be_sides both = {{&host, &device}, side, NULL};

		assert_int_equal(
			gpube__be_run(&optimum[1], values, NULL, &be, &both, &w, 0, keep, NULL), 0);
		assert_true(optimum[1] == optimum[0]);
		if (optimum[1] != GPUBE_INF) {
			assert_int_equal(gpube_model_cost(&cost, m, values), 0);
			assert_true(cost == optimum[1]);
		}
		assert_int_equal(
			gpube__be_run(&optimum[1], NULL, &count[1], &be, &both, &w, 0, keep, NULL),
			0);
		assert_true(optimum[1] == optimum[0] && count[1] == count[0]);
		assert_int_equal(n_tables, 0);
	}
	gpube__be_clear(&be);
	gpube_model_free(m);
}

/* A run of mini-buckets with given sides, NULL: all on the host. */
static int64_t mini_buckets(
	const struct gpube_mbe *mbe, const uint8_t *side, bool match, bool keep, int32_t *values)
{
	struct gpube_mbe_run r;
	int64_t bound, total = 0;
	bool settled;

	assert_int_equal(
		gpube__mbe_run_init(&r, mbe, &host, GPUBE_INF, match, keep, &settled, &bound), 0);
	if (settled)
		return bound;
	if (side) {
		r.device = &device;
		r.side = gpube__alloc(ctx, (uint64_t)mbe->n, sizeof(*r.side));
		assert_non_null(r.side);
		memcpy(r.side, side, (size_t)mbe->n);
	}
	for (int32_t p = 0; p < mbe->n; p++) {
		assert_int_equal(gpube__mbe_eliminate(&r, p), 0);
		assert_int_equal(gpube__mbe_add_scalars(&r, p, &total), 0);
	}
	for (int32_t p = mbe->n - 1; keep && p >= 0; p--)
		assert_int_equal(gpube__mbe_choose(&r, p, values), 0);
	bound = gpube__mbe_bound(&r, total);
	gpube__mbe_run_clear(&r);
	return bound;
}

/* The same bound and the same assignment wherever buckets are. */
static void random_mini_sides(void **state)
{
	uint64_t seed = (uint64_t)(uintptr_t)*state;
	int32_t order[64], here[64], there[64];
	struct gpube_model *m;
	struct gpube_mbe mbe;
	uint8_t side[64];

	m = random_sided(seed, order, side);
	for (int z = 2; z < 5; z++) {
		assert_int_equal(
			gpube__mbe_init(&mbe, m, order, z, INFINITY, GPUBE_PARTITION_SCOPE), 0);
		for (int k = 0; k < 4; k++) {
			const bool match = k & 1, keep = k & 2;

			memset(here, 0, sizeof(here));
			memset(there, 0, sizeof(there));
			assert_true(mini_buckets(&mbe, NULL, match, keep, here) ==
				    mini_buckets(&mbe, side, match, keep, there));
			assert_memory_equal(here, there, sizeof(here));
			assert_int_equal(n_tables, 0);
		}
		gpube__mbe_clear(&mbe);
	}
	gpube_model_free(m);
}

/* ---- the best sides --------------------------------------------------------------------- */

/* A chain of n variables of d values with a table for each two neighbours. */
static struct gpube_model *chain(int n, int d)
{
	struct gpube_model *m;
	int64_t costs[64];

	for (int k = 0; k < d * d; k++)
		costs[k] = k % 7;
	assert_int_equal(gpube_model_new(&m, ctx, GPUBE_COSTS), 0);
	for (int i = 0; i < n; i++)
		assert_int_equal(gpube_model_add_var(m, NULL, d, NULL), 0);
	for (int i = 0; i + 1 < n; i++)
		assert_int_equal(gpube_model_add_costs(m, 2, (int32_t[]){i, i + 1}, costs), 0);
	return m;
}

/* What sides of a chain's buckets take, by the rules that place.h states, written once more. */
static double price(const struct gpube_be *be, const uint8_t *side, const struct gpube_rate *h,
	const struct gpube_rate *d)
{
	double seconds = 0;

	for (int32_t p = 0; p < be->n; p++) {
		const struct gpube_bucket *b = &be->buckets[p];
		double bytes = 4 * (double)b->cells;

		for (int32_t k = 0; k < b->n_in; k++) {
			int32_t id = be->inputs[b->in_at + k];

			bytes += 4 * (id < 0 ? (double)be->buckets[~id].cells : 64);
		}
		if (!side[p])
			seconds += gpube__contract_seconds(
				h, gpube__ops_cpu(), GPUBE_INT32, b->n_in, b->joined, bytes);
		else
			seconds += gpube__contract_seconds(
					   d, NULL, GPUBE_INT32, b->n_in, b->joined, bytes) +
				   (p ? d->round_trip : 0);
		for (int32_t k = 0; k < b->n_in; k++) {
			int32_t id = be->inputs[b->in_at + k];
			double cells = id < 0 ? (double)be->buckets[~id].cells : 64;

			if (id >= 0 && side[p])
				seconds += cells * 4 / d->upload;
			if (id < 0 && side[~id] != side[p])
				seconds += d->round_trip +
					   cells * 4 / (side[~id] ? d->download : d->upload);
		}
	}
	return seconds;
}

/* Launches of the device from cheap to dear, against every one of the 2^n choices. */
static void best_of_all(void **state)
{
	enum { N = 9 };
	int row = (int)(uintptr_t)*state;
	struct gpube_model *m = chain(N, 8);
	struct gpube_be be;
	struct gpube_rates r;
	int32_t order[N];
	uint8_t side[N], all[N];
	double seconds[2], best = 1e30;

	for (int32_t i = 0; i < N; i++)
		order[i] = i;
	assert_int_equal(gpube__be_init(&be, m, order), 0);
	gpube__rates_estimate(&r, 1);
	r.core.launch = 1e-6;
	r.core.add_min_int32 = 1e8 * (row % 3 + 1);
	r.devices[0].launch = 1e-8 * (1 << 2 * (row % 8));
	r.devices[0].round_trip = 1e-7 * (row / 3);
	assert_int_equal(
		gpube__be_place(side, seconds, &be, GPUBE_INT32, &r.core, &r.devices[0]), 0);
	for (int mask = 0; mask < 1 << N; mask++) {
		for (int p = 0; p < N; p++)
			all[p] = mask >> p & 1;
		best = fmin(best, price(&be, all, &r.core, &r.devices[0]));
		if (mask == 0)
			assert_true(fabs(best - seconds[0]) < 1e-9 * best);
	}
	assert_true(fabs(seconds[1] - best) < 1e-9 * best);
	assert_true(fabs(price(&be, side, &r.core, &r.devices[0]) - best) < 1e-9 * best);
	gpube__be_clear(&be);
	gpube_model_free(m);
}

int main(void)
{
	struct cases c = {0};

	add_numbers(&c, random_sides, N_MODELS, "model");
	add_numbers(&c, random_mini_sides, N_MODELS, "minis");
	add_numbers(&c, best_of_all, N_RATES, "rates");
	return run_cases(&c, "be_sides", setup, ctx_teardown);
}
