/* The canonical form of a contraction, and the generator of shapes. */
#include "tests/support/test.h"
#include "gpube/ops/contract/boxes/contract_box.h"
#include "tests/support/shapes.h"

#include "gpube/ops/index.h"
#include "gpube/ops/semiring.h"

static void canonical(struct gpube__shape *shape, int64_t *stride, const char *text, int with_arg)
{
	struct shape s;

	assert_null(shape_parse(&s, text, GPUBE_MIN_PLUS, GPUBE_INT32));
	gpube__shape_init(shape, &s.c, stride, with_arg);
	shape_free(&s);
}

static void fuses_what_steps_as_one(void **state)
{
	int64_t stride[8 * GPUBE_MAX_DIMS];
	struct gpube__shape s;

	(void)state;
	canonical(&s, stride, "a=3 b=4 c=5 x=6 : a b c : x a b c , x a b", 0);
	assert_int_equal(s.n_dims, 3); /* (a b), c, x */
	assert_int_equal(s.n_out, 2);
	assert_int_equal(s.size[0], 12);
	assert_int_equal(s.out_stride[0], 5);
	assert_int_equal(s.stride[0 * s.ld + 0], 5);
	assert_int_equal(s.stride[1 * s.ld + 0], 1);
	assert_int_equal(s.stride[1 * s.ld + 1], 0);
	assert_int_equal(s.stride[1 * s.ld + 2], 12);
	canonical(&s, stride, "a=3 b=4 x=6 : a b : x b a", 0);
	assert_int_equal(s.n_dims, 3);
	canonical(&s, stride, "a=3 b=4 : a b : a b , b a", 0);
	assert_int_equal(s.n_dims, 2);
	canonical(&s, stride, "a=2 b=2 c=2 d=2 x=2 y=2 : a b c d : a b c d x y", 1);
	assert_int_equal(s.n_dims, 2);
	assert_int_equal(s.size[1], 4);
	assert_int_equal(s.arg_stride[1], 1);
}

static void drops_what_does_not_matter(void **state)
{
	int64_t stride[8 * GPUBE_MAX_DIMS];
	struct gpube__shape s;

	(void)state;
	canonical(&s, stride, "a=3 b=1 x=6 y=7 z=1 : b a : x a b z", 0);
	assert_int_equal(s.n_dims, 2);
	assert_int_equal(s.repeat, 7);
	assert_int_equal(s.n_reduced, 6);
	/* y lies between x and z in the argument, so they cannot be one there */
	canonical(&s, stride, "a=3 x=6 y=7 z=2 : a : a x z", 1);
	assert_int_equal(s.n_dims, 3);
	assert_int_equal(s.arg_stride[1], 14);
	assert_int_equal(s.arg_stride[2], 1);
	canonical(&s, stride, "a=3 x=6 y=7 z=2 : a : a x z", 0);
	assert_int_equal(s.n_dims, 2);
	canonical(&s, stride, "a=1 x=1 : a : a x , ", 0);
	assert_int_equal(s.n_dims, 0);
	assert_int_equal(s.n_out_cells, 1);
}

/* The canonical form visits the same cells as the definition. */
static void same_cells(void **state)
{
	int64_t stride[8 * GPUBE_MAX_DIMS];

	(void)state;
	for (uint64_t seed = 0; seed < 400; seed++) {
		struct gpube__shape f;
		struct shape s;

		shape_random(&s, seed, 2000);
		gpube__shape_init(&f, &s.c, stride, 1);
		assert_int_equal(f.n_out_cells, s.out_cells);
		assert_int_equal(f.n_out_cells * f.n_reduced * f.repeat, s.joined_cells);
		for (int k = 0; k < s.c.n_in; k++) {
			int64_t last = 0;

			for (int d = 0; d < f.n_dims; d++)
				last += (f.size[d] - 1) * f.stride[k * f.ld + d];
			assert_int_equal(last, gpube__operand_cells(&s.c, k) - 1);
		}
		shape_free(&s);
	}
}

static void cut_and_counts(void **state)
{
	(void)state;
	assert_int_equal(gpube__top_min(9, 20, 10), 9);
	assert_int_equal(gpube__top_min(10, 20, 10), 20);
	assert_true(gpube__count_mul(UINT64_MAX, 2, 0) == UINT64_MAX);
	assert_true(gpube__count_mul(UINT64_MAX, 0, 0) == 0);
	assert_true(gpube__count_mul(1ull << 32, 1ull << 31, 0) == 1ull << 63);
	assert_true(gpube__count_mul(1ull << 32, 1ull << 32, 0) == UINT64_MAX);
	assert_true(gpube__count_add(UINT64_MAX - 1, 1, 0) == UINT64_MAX);
	assert_true(gpube__count_add(UINT64_MAX, 5, 0) == UINT64_MAX);
	assert_true(gpube__count_mul(4294967290u, 4294967290u, 4294967291u) == 1);
	assert_true(gpube__count_add(6, 6, 7) == 5);
}

/*
 * What searches ask for: twice, a divisor, all; in dims that are too large to look at each number.
 */
static void next_lanes(void **state)
{
	const int64_t prime = 2305843009213693951; /* 2^61 - 1 */

	(void)state;
	assert_int_equal(gpube__next_lanes(4, 21, 0, 256), 8);
	assert_int_equal(gpube__next_lanes(4, 21, 1, 256), 7);
	assert_int_equal(gpube__next_lanes(4, 21, 2, 256), 21);
	assert_int_equal(gpube__next_lanes(14, 21, 0, 256), 21);
	assert_int_equal(gpube__next_lanes(7, 21, 1, 256), 21);
	assert_true(gpube__next_lanes(1, prime, 1, 256) > 256);
	assert_true(gpube__next_lanes(1, prime, 2, 256) == prime);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(fuses_what_steps_as_one),
		cmocka_unit_test(drops_what_does_not_matter),
		cmocka_unit_test(same_cells),
		cmocka_unit_test(cut_and_counts),
		cmocka_unit_test(next_lanes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
