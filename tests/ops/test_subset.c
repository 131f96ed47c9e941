/*
 * subset_convolve: every type on every instruction set that this processor has,
 * bit for bit against the reference, on seeded values of every size up to the
 * tiles' edges; and the reference against what it says it computes.
 */
#include "tests/support/test.h"
#include "gpube/options/options.h"

#include <math.h>

#include "gpube/ops/subset/subset_tile.h"
#include "tests/support/memory.h"

struct row {
	char name[64];
	enum gpube_type type;
	enum gpube__isa isa;
	int n_bits, threads;
	enum { PLAIN, TIES, FORBIDDEN, NEAR, N_KINDS } kind;
};

/* Of the kinds PLAIN and NEAR, above what put() makes of integers. */
static int64_t largest(enum gpube_type type)
{
	return type == GPUBE_INT16 ? 8000 : type == GPUBE_INT32 ? 500000000 : (int64_t)1 << 50;
}

static void put(void *values, enum gpube_type type, uint64_t i, int64_t v, int kind)
{
	const bool forbidden = kind == FORBIDDEN && v % 3 == 0;

	if (kind == TIES)
		v = v % 3 * 3000;
	switch (type) {
	case GPUBE_INT16:
		((int16_t *)values)[i] = forbidden ? -16000 : (int16_t)(v % largest(type));
		break;
	case GPUBE_INT32:
		((int32_t *)values)[i] = forbidden ? -1000000000 : (int32_t)(v % largest(type));
		break;
	case GPUBE_INT64:
		((int64_t *)values)[i] = forbidden ? -((int64_t)1 << 60) : v % largest(type);
		break;
	case GPUBE_FLOAT32:
		((float *)values)[i] = forbidden ? -INFINITY : (float)(v % 100000) * 0.37F;
		break;
	default:
		((double *)values)[i] = forbidden ? -INFINITY : (double)(v % 10000000) * 0.37;
		break;
	}
}

static void *random_values(struct gpube_rng *rng, const struct row *row)
{
	const uint64_t n = (uint64_t)1 << row->n_bits;
	void *values = malloc(n * gpube__type_size(row->type));

	assert_non_null(values);
	for (uint64_t i = 0; i < n; i++)
		put(values, row->type, i, (int64_t)gpube__rng_next(rng) >> 1, row->kind);
	return values;
}

static void equals_reference(void **state)
{
	const struct row *row = *state;
	const size_t bytes = gpube__type_size(row->type) << row->n_bits;
	struct gpube_opts opts = {.n_threads = row->threads};
	struct gpube_subset s = {.type = row->type, .n_bits = row->n_bits};
	const int64_t most = 2 * largest(row->type);
	struct gpube_rng rng;
	struct gpube_ctx *ctx;
	void *expected = malloc(bytes), *out = malloc(bytes), *a, *b;

	assert_int_equal(gpube_ctx_new(&ctx, &opts), GPUBE_OK);
	gpube__rng_init(&rng, (uint64_t)row->n_bits * 31 + (uint64_t)row->kind);
	s.a = a = random_values(&rng, row);
	s.b = b = random_values(&rng, row);
	s.out = expected;
	assert_int_equal(gpube__subset_reference(ctx, &s), GPUBE_OK);
	if (row->kind == NEAR) {
		s.least = -most;
		s.most = most;
	} else if (row->kind == TIES) {
		s.least = -12000;
		s.most = 12000;
	}
	s.out = out;
	memset(out, 0x55, bytes);
	assert_int_equal(gpube__subset_convolve_isa(ctx, &s, row->isa), GPUBE_OK);
	assert_memory_equal(out, expected, bytes);
	free(a);
	free(b);
	free(out);
	free(expected);
	gpube_ctx_free(ctx);
}

/* By hand: two elements. */
static void reference(void **state)
{
	const int32_t a[] = {0, 5, -2, 1}, b[] = {0, 1, 7, 3};
	int32_t out[4];
	struct gpube_subset s = {GPUBE_INT32, 2, a, b, out, 0, 0, 0, 0};
	struct gpube_ctx *ctx;

	(void)state;
	assert_int_equal(gpube_ctx_new(&ctx, NULL), GPUBE_OK);
	assert_int_equal(gpube__subset_reference(ctx, &s), GPUBE_OK);
	assert_int_equal(out[0], 0);
	assert_int_equal(out[1], 5);
	assert_int_equal(out[2], 7);
	assert_int_equal(out[3], 12);
	gpube_ctx_free(ctx);
}

static void ternary(void **state)
{
	int seen[GPUBE_LANES] = {0};

	(void)state;
	for (int t = 0; t < GPUBE_TERNARY; t++) {
		int y = gpube__ternary_set(t, 1), z = gpube__ternary_set(t, 2);

		assert_int_equal(y & z, 0);
		assert_int_equal(y | z | gpube__ternary_set(t, 0), GPUBE_LANES - 1);
		seen[y | z]++;
	}
	for (int x = 0; x < GPUBE_LANES; x++)
		assert_int_equal(seen[x], 1 << __builtin_popcount((unsigned)x));
}

/* Each allocation fails once: a status, nothing lost; and what is refused. */
static void failures(void **state)
{
	struct test_memory memory = {.fail_at = 0};
	static int32_t a[1 << 12], out[1 << 12];
	struct gpube_subset s = {GPUBE_INT32, 12, a, a, out, 0, 0, 0, 0};
	int status;

	(void)state;
	do {
		struct gpube_ctx *ctx = test_memory_ctx(&memory);

		status = gpube__subset_cpu()->convolve(ctx, &s);
		assert_true(status == GPUBE_OK || status == GPUBE_ENOMEM);
		assert_int_equal(memory.live, 0);
		gpube_ctx_free(ctx);
		memory.n = 0;
	} while (status && ++memory.fail_at < 20);
	assert_int_equal(memory.fail_at, 2);
}

static void refused(void **state)
{
	int32_t a[1] = {0}, out[1];
	struct gpube_subset s = {GPUBE_INT32, -1, a, a, out, 0, 0, 0, 0};
	struct gpube_ctx *ctx;

	(void)state;
	assert_int_equal(gpube_ctx_new(&ctx, NULL), GPUBE_OK);
	assert_int_equal(gpube__subset_cpu()->convolve(ctx, &s), GPUBE_EINVAL);
	s.n_bits = 0;
	s.type = GPUBE_INT8;
	assert_int_equal(gpube__subset_cpu()->convolve(ctx, &s), GPUBE_EINVAL);
	gpube_ctx_free(ctx);
}

static void stops(void **state)
{
	static int32_t a[1 << 16], out[1 << 16];
	struct gpube_subset s = {GPUBE_INT32, 16, a, a, out, 0, 0, 0, 0};
	struct gpube_ctx *ctx;

	(void)state;
	assert_int_equal(gpube_ctx_new(&ctx, NULL), GPUBE_OK);
	gpube_ctx_stop(ctx);
	assert_int_equal(gpube__subset_cpu()->convolve(ctx, &s), GPUBE_ESTOP);
	gpube_ctx_free(ctx);
}

static const char *const type_names[] = {"int8", "int16", "int32", "int64", "float32", "float64"};
static const char *const isa_names[] = {"portable", "avx2", "avx512"};
static struct row rows[1000];
static struct CMUnitTest tests[1010];

int main(void)
{
	static const int sizes[] = {0, 1, 4, 5, 6, 7, 8, 9, 11, 12, 14, 15};
	size_t n = 0;

	tests[n++] = (struct CMUnitTest)cmocka_unit_test(reference);
	tests[n++] = (struct CMUnitTest)cmocka_unit_test(ternary);
	tests[n++] = (struct CMUnitTest)cmocka_unit_test(failures);
	tests[n++] = (struct CMUnitTest)cmocka_unit_test(refused);
	tests[n++] = (struct CMUnitTest)cmocka_unit_test(stops);
	for (int isa = 0; isa <= (int)gpube__isa_here(); isa++)
		for (int type = GPUBE_INT16; type <= GPUBE_FLOAT64; type++)
			for (size_t k = 0; k < sizeof(sizes) / sizeof(*sizes); k++) {
				const int kinds = sizes[k] > 12 ? 1 : N_KINDS;

				for (int kind = 0; kind < kinds; kind++) {
					struct row *row = &rows[n];

					row->type = (enum gpube_type)type;
					row->isa = (enum gpube__isa)isa;
					row->n_bits = sizes[k];
					row->threads = 1 + (int)k % 3;
					row->kind = kind;
					snprintf(row->name, sizeof(row->name),
						"%s %s %d bits, kind %d, %d threads",
						isa_names[isa], type_names[type], row->n_bits, kind,
						row->threads);
					tests[n].name = row->name;
					tests[n].test_func = equals_reference;
					tests[n++].initial_state = row;
				}
			}
	return _cmocka_run_group_tests("subset", tests, n, NULL, NULL);
}
