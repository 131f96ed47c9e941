/*
 * Certificates by calls: what is certified of random models is a bound of their optimum, and the
 * optimum itself of most; the file says the same when it is read again, nothing of another model,
 * and a run that fails leaves no file.
 */
#include "tests/support/test.h"
#include "gpube/options/options.h"

#include <unistd.h>

#include "gpube/certify.h"
#include "tests/support/cases.h"
#include "tests/support/context.h"
#include "tests/support/random_model.h"

enum { N_SEEDS = 120 };

static int n_exact, n_all;

static bool within(const struct gpube_model *m, int64_t bound, int64_t optimum)
{
	return gpube_model_info(m)->direction == GPUBE_MAXIMISE ? bound >= optimum
								: bound <= optimum;
}

static void costs(void **state)
{
	const uint64_t seed = (uint64_t)(uintptr_t)*state;
	const struct random_spec spec = random_spec_varied(seed, GPUBE_COSTS);
	struct gpube_model *m = random_model(ctx, &spec, seed);
	const char *path = in_dir(seed % 2 ? "p.txt" : "p.txt.gz");
	struct gpube_certified made, read;
	struct gpube_solution *bounds;
	struct brute brute;

	assert_non_null(m);
	assert_int_equal(brute_force(&brute, NULL, m), 0);
	assert_int_equal(gpube_certify(&made, &bounds, m, path, NULL), 0);
	assert_int_equal(gpube_verify(&read, m, path), 0);
	assert_true(made.bound == read.bound && made.scale == read.scale);
	assert_int_equal(made.scale, gpube_model_info(m)->scale);
	if (brute.feasible) {
		assert_true(within(m, made.bound, brute.cost));
		assert_true(within(m, made.bound, bounds->bound) || made.bound == bounds->bound);
		n_exact += made.bound == brute.cost;
		n_all++;
	}
	gpube_result_free(bounds);
	gpube_model_free(m);
}

static void potentials(void **state)
{
	const uint64_t seed = (uint64_t)(uintptr_t)*state;
	const struct random_spec spec = random_spec_varied(seed, GPUBE_POTENTIALS);
	struct gpube_model *m = random_model(ctx, &spec, seed);
	struct gpube_certified made, read;
	struct brute brute;
	double unit = 1;

	assert_non_null(m);
	assert_int_equal(brute_force(&brute, NULL, m), 0);
	assert_int_equal(gpube_certify(&made, NULL, m, in_dir("p.txt"), NULL), 0);
	assert_int_equal(gpube_verify(&read, m, in_dir("p.txt")), 0);
	assert_true(made.bound == read.bound && made.scale == read.scale);
	for (int k = 0; k < made.scale; k++)
		unit /= 10;
	if (brute.feasible)
		assert_true((double)made.bound * unit <= -brute.log_value + 1e-9);
	gpube_model_free(m);
}

static void most_are_exact(void **state)
{
	(void)state;
	assert_true(n_all > N_SEEDS / 3 && n_exact > n_all * 9 / 10);
}

/* Two variables that cost at least 5 together; with less, it is no proof. */
static struct gpube_model *pair(int64_t least)
{
	const int64_t cost[] = {9, least, 7, 6};
	struct gpube_model *m;

	assert_int_equal(gpube_model_new(&m, ctx, GPUBE_COSTS), 0);
	for (int k = 0; k < 2; k++)
		assert_int_equal(gpube_model_add_var(m, NULL, 2, NULL), 0);
	assert_int_equal(gpube_model_add_costs(m, 2, (int32_t[]){0, 1}, cost), 0);
	return m;
}

static void of_another_model(void **state)
{
	struct gpube_model *m = pair(5), *less = pair(4);
	struct gpube_certified c;

	(void)state;
	assert_int_equal(gpube_certify(&c, NULL, m, in_dir("p.txt"), NULL), 0);
	assert_true(c.bound == 5);
	assert_int_equal(gpube_verify(&c, less, in_dir("p.txt")), GPUBE_EINVAL);
	assert_true(c.bound == 0);
	gpube_model_free(m);
	gpube_model_free(less);
}

static void failures(void **state)
{
	struct gpube_opts wrong = {.order_method = GPUBE_ORDER_GIVEN};
	struct gpube_solution *bounds;
	struct gpube_model *m = pair(5);
	struct gpube_certified c;

	(void)state;
	assert_int_equal(gpube_certify(&c, &bounds, m, in_dir("no/such/folder"), NULL), GPUBE_EIO);
	assert_non_null(bounds); /* the run itself was done */
	assert_true(bounds->cost == 5);
	gpube_result_free(bounds);
	assert_int_equal(gpube_certify(&c, &bounds, m, in_dir("w.txt"), &wrong), GPUBE_EINVAL);
	assert_null(bounds);
	assert_int_not_equal(access(in_dir("w.txt"), F_OK), 0);
	assert_int_equal(gpube_verify(&c, m, in_dir("w.txt")), GPUBE_EIO);
	gpube_model_free(m);
}

int main(void)
{
	struct cases c = {0};

	add_numbers(&c, costs, N_SEEDS, "costs, seed");
	add_numbers(&c, potentials, N_SEEDS / 2, "potentials, seed");
	ADD_CASE(&c, most_are_exact);
	ADD_CASE(&c, of_another_model);
	ADD_CASE(&c, failures);
	return run_cases(&c, "certify", ctx_dir_setup, ctx_dir_teardown);
}
