/* Sums of products against the specification: shapes, zeros, magnitudes, powers, threads. */
#include "tests/support/test.h"
#include "tests/support/twofold.h"

#include <fenv.h>
#include <math.h>

#include "gpube/ops/scratch.h"
#include "tests/support/context.h"
#include "tests/support/reference/reference.h"
#include "tests/ops/sum_shapes.h"

/* Both, of seeds from first to end; how many took powers of their cells' own. */
static int compare(uint64_t first, uint64_t end, int64_t most_cells)
{
	int n_apart = 0;

	for (uint64_t seed = first; seed < end; seed++) {
		struct gpube_sum_table fast[SUM_MOST_TABLES];
		struct sum_shape s;

		sum_shape_draw(&s, seed, most_cells);
		assert_int_equal(gpube__sum_product(ctx, &s.job), GPUBE_OK);
		n_apart += s.job.apart;
		for (int j = 0; j < s.job.n_out; j++) {
			fast[j] = *s.out[j].table;
			assert_int_equal(
				gpube__sum_table_new(ctx, s.out[j].table, fast[j].n), GPUBE_OK);
		}
		assert_int_equal(gpube__sum_product_ref(ctx, &s.job), GPUBE_OK);
		for (int j = 0; j < s.job.n_out; j++) {
			const double most = 2 * s.out[j].roundings * 0x1p-53;

			for (int64_t i = 0; i < fast[j].n; i++)
				assert_true(sum_difference(gpube__sum_cell(&fast[j], i),
						    gpube__sum_cell(s.out[j].table, i)) <= most);
			gpube__sum_table_clear(ctx, &fast[j]);
		}
		sum_shape_clear(&s);
	}
	return n_apart;
}

static void test_reference(void **state)
{
	const int n_apart = compare(0, 600, 0);

	(void)state;
	assert_true(n_apart > 50);
	assert_true(n_apart < 400);
}

/* Tables that no cache holds, with which axes are nested by them. */
static void test_large(void **state)
{
	(void)state;
	compare(600, 624, 1 << 19);
}

/* One thread gives the same bits as several. */
static void test_threads(void **state)
{
	const int n_threads = ctx->n_threads;

	(void)state;
	for (uint64_t seed = 11; seed < 600; seed += 12) {
		double *one;
		int64_t n, power;
		struct sum_shape s;

		sum_shape_draw(&s, seed, 0);
		ctx->n_threads = 1;
		assert_int_equal(gpube__sum_product(ctx, &s.job), GPUBE_OK);
		ctx->n_threads = n_threads;
		n = s.out[0].table->n;
		one = gpube__alloc(ctx, (uint64_t)n, sizeof(*one));
		assert_non_null(one);
		memcpy(one, s.out[0].table->cells, (size_t)n * sizeof(*one));
		power = s.out[0].table->power;
		assert_int_equal(gpube__sum_product(ctx, &s.job), GPUBE_OK);
		assert_memory_equal(one, s.out[0].table->cells, (size_t)n * sizeof(*one));
		assert_true(power == s.out[0].table->power);
		gpube__free(ctx, one);
		sum_shape_clear(&s);
	}
}

/* 2^-900 * 2^-900 and 1: neither is lost, and both come back. */
static void test_underflow(void **state)
{
	struct sum_shape s = {.job = {.n_axes = 1, .dim = {2}, .n_in = 3, .n_out = 1}};

	(void)state;
	s.job.in = s.in;
	s.job.out = s.out;
	for (int k = 0; k < 3; k++) {
		sum_lay(&s, &s.in[k], &s.tables[k], 1);
		s.tables[k].cells[0] = 1;
		s.tables[k].cells[1] = k < 2 ? 0x1p-900 : 0x1p-500;
		assert_int_equal(gpube__sum_settle(ctx, &s.tables[k]), GPUBE_OK);
		assert_null(s.tables[k].powers);
	}
	sum_lay(&s, &s.out[0], &s.tables[3], 1);
	assert_int_equal(gpube__sum_product(ctx, &s.job), GPUBE_OK);
	assert_true(s.job.apart);
	assert_true(sum_difference(gpube__sum_cell(&s.tables[3], 0), gpube__wide(1, 0)) == 0);
	assert_true(sum_difference(gpube__sum_cell(&s.tables[3], 1), gpube__wide(1, -2300)) == 0);
	for (int k = 0; k < 3; k++) {
		const struct gpube_wide left = gpube__wide(1, -2300 + (k < 1          ? 900
									      : k < 2 ? 1800
										      : 2300));

		assert_int_equal(
			gpube__sum_divide(ctx, &s.tables[3], &s.tables[3], &s.tables[k]), GPUBE_OK);
		assert_true(sum_difference(gpube__sum_cell(&s.tables[3], 1), left) == 0);
	}
	assert_null(s.tables[3].powers);
	sum_shape_clear(&s);
}

/* What doubles hold at most and at least is settled without a bit lost. */
static void test_extremes(void **state)
{
	static const double cells[] = {0x1p-1074, 0x1.fffffffffffffp1023, 0, 3};
	struct gpube_sum_table t;

	(void)state;
	assert_int_equal(gpube__sum_table_new(ctx, &t, 4), GPUBE_OK);
	memcpy(t.cells, cells, sizeof(cells));
	assert_int_equal(gpube__sum_settle(ctx, &t), GPUBE_OK);
	assert_non_null(t.powers);
	for (int i = 0; i < 4; i++)
		assert_true(sum_difference(gpube__sum_cell(&t, i), gpube__wide(cells[i], 0)) == 0);
	gpube__sum_table_clear(ctx, &t);
}

/* Three tables over one axis, settled, and room for their product. */
static void three(struct sum_shape *s, int64_t dim, const double cells[3][3])
{
	*s = (struct sum_shape){.job = {.n_axes = 1, .n_in = 3, .n_out = 1, .shares = true}};
	s->job.dim[0] = dim;
	s->job.in = s->in;
	s->job.out = s->out;
	for (int k = 0; k < 3; k++) {
		sum_lay(s, &s->in[k], &s->tables[k], 1);
		memcpy(s->tables[k].cells, cells[k], (size_t)dim * sizeof(double));
		assert_int_equal(gpube__sum_settle(ctx, &s->tables[k]), GPUBE_OK);
	}
	sum_lay(s, &s->out[0], &s->tables[3], 1);
	assert_int_equal(gpube__sum_product(ctx, &s->job), GPUBE_OK);
}

/* Of shares the negligible is 0, and costs no powers; but where all are small, none is lost. */
static void test_shares(void **state)
{
	static const double one[3][3] = {
		{1, 0x1p-600, 0x1p-200}, {1, 0x1p-600, 0x1p-200}, {1, 1, 1}};
	static const double none[3][3] = {
		{1, 0x1p-700, 0x1p-700}, {0x1p-700, 1, 0x1p-700}, {0x1p-700, 0x1p-700, 1}};
	struct sum_shape s;

	(void)state;
	three(&s, 3, one);
	assert_false(s.job.apart);
	assert_true(sum_difference(gpube__sum_cell(&s.tables[3], 0), gpube__wide(1, 0)) == 0);
	assert_true(gpube__sum_cell(&s.tables[3], 1).m == 0);
	assert_true(sum_difference(gpube__sum_cell(&s.tables[3], 2), gpube__wide(1, -400)) == 0);
	sum_shape_clear(&s);
	three(&s, 3, none);
	assert_true(s.job.apart);
	for (int i = 0; i < 3; i++)
		assert_true(sum_difference(
				    gpube__sum_cell(&s.tables[3], i), gpube__wide(1, -1400)) == 0);
	sum_shape_clear(&s);
}

/* A table of 16 axes and 20 small ones, which are multiplied together before. */
static void test_many_inputs(void **state)
{
	struct gpube_sum_operand in[21], out;
	struct gpube_sum_table tables[22] = {0};
	struct sum_shape s = {.job = {.n_axes = 16, .n_in = 21, .n_out = 1, .in = in, .out = &out}};
	struct gpube_sum_table fast;
	struct gpube_rng rng;

	(void)state;
	gpube__rng_init(&rng, 5);
	for (int a = 0; a < 16; a++)
		s.job.dim[a] = 2;
	for (int k = 0; k < 21; k++) {
		sum_lay(&s, &in[k], &tables[k],
			k ? UINT64_C(5) << (k % 13) | 1u << k % 16 : 0xffff);
		for (int64_t i = 0; i < tables[k].n; i++)
			tables[k].cells[i] = gpube__rng_unit(&rng) + (k % 2 ? 0x1p-40 : 0);
		assert_int_equal(gpube__sum_settle(ctx, &tables[k]), GPUBE_OK);
	}
	sum_lay(&s, &out, &tables[21], 0xff0f);
	assert_int_equal(gpube__sum_product(ctx, &s.job), GPUBE_OK);
	assert_false(s.job.apart);
	fast = tables[21];
	assert_int_equal(gpube__sum_table_new(ctx, &tables[21], fast.n), GPUBE_OK);
	assert_int_equal(gpube__sum_product_ref(ctx, &s.job), GPUBE_OK);
	assert_true(out.roundings >= 21 + 16);
	for (int64_t i = 0; i < fast.n; i++)
		assert_true(
			sum_difference(gpube__sum_cell(&fast, i),
				gpube__sum_cell(&tables[21], i)) <= 2 * out.roundings * 0x1p-53);
	gpube__sum_table_clear(ctx, &fast);
	for (int k = 0; k < 22; k++)
		gpube__sum_table_clear(ctx, &tables[k]);
}

/*
 * A large table that is far from scale, without the first axis, and small ones: summed to few axes,
 * first and last ones, and to one number, in parts. The same bits with one thread.
 */
static void test_small_outputs(void **state)
{
	const uint64_t to[] = {1, 3, 0x20001, 0x3ff8};
	const int n_threads = ctx->n_threads;

	(void)state;
	for (uint64_t seed = 0; seed < 8; seed++) {
		struct sum_shape s = {
			.job = {.n_axes = 18, .n_in = 4, .n_out = 2, .shares = seed % 3 == 1}};
		struct gpube_sum_table fast[2];
		struct gpube_rng rng;

		gpube__rng_init(&rng, seed);
		s.job.in = s.in;
		s.job.out = s.out;
		for (int a = 0; a < 18; a++)
			s.job.dim[a] = a % 6 || (a == 0 && seed % 2) ? 2 : 3;
		for (int k = 0; k < 4; k++) {
			sum_lay(&s, &s.in[k], &s.tables[k],
				k ? UINT64_C(0x1005) << (seed % 4 + (uint64_t)k) | 1 : 0x3fffe);
			for (int64_t i = 0; i < s.tables[k].n; i++)
				s.tables[k].cells[i] =
					ldexp(0.999 * gpube__rng_unit(&rng) + 0x1p-20,
						k ? 40 : (int)(seed % 4) * 30 - 37);
			assert_int_equal(gpube__sum_measure(ctx, &s.tables[k], false), GPUBE_OK);
		}
		assert_int_equal(s.tables[0].top, (int)(seed % 4) * 30 - 37);
		sum_lay(&s, &s.out[0], &s.tables[4], to[(seed + seed / 4) % 4]);
		sum_lay(&s, &s.out[1], &s.tables[5], seed < 4 ? 0 : 7);
		ctx->n_threads = 1;
		assert_int_equal(gpube__sum_product(ctx, &s.job), GPUBE_OK);
		ctx->n_threads = n_threads;
		assert_false(s.job.apart);
		for (int j = 0; j < 2; j++) {
			fast[j] = *s.out[j].table;
			assert_int_equal(
				gpube__sum_table_new(ctx, s.out[j].table, fast[j].n), GPUBE_OK);
		}
		assert_int_equal(gpube__sum_product(ctx, &s.job), GPUBE_OK);
		for (int j = 0; j < 2; j++) {
			assert_memory_equal(s.out[j].table->cells, fast[j].cells,
				(size_t)fast[j].n * sizeof(double));
			assert_true(s.out[j].roundings < 1e5);
		}
		assert_int_equal(gpube__sum_product_ref(ctx, &s.job), GPUBE_OK);
		for (int j = 0; j < 2; j++) {
			for (int64_t i = 0; i < fast[j].n; i++)
				assert_true(sum_difference(gpube__sum_cell(&fast[j], i),
						    gpube__sum_cell(s.out[j].table, i)) <=
					    2 * s.out[j].roundings * 0x1p-53);
			gpube__sum_table_clear(ctx, &fast[j]);
		}
		sum_shape_clear(&s);
	}
}

/*
 * Threads write to no cell of another's, though what they write lies between others' cells: the sum
 * is that of one thread.
 */
static void test_neighbours(void **state)
{
	enum { AXES = 22 };
	const int n_threads = ctx->n_threads;
	struct sum_shape s = {.job = {.n_axes = AXES, .n_in = 2, .n_out = 1}};
	double one[2];

	(void)state;
	s.job.in = s.in;
	s.job.out = s.out;
	for (int a = 0; a < AXES; a++)
		s.job.dim[a] = 2;
	sum_lay(&s, &s.in[0], &s.tables[0], (1u << AXES) - 2);
	sum_lay(&s, &s.in[1], &s.tables[1], 3);
	for (int64_t i = 0; i < s.tables[0].n; i++)
		s.tables[0].cells[i] = 0.25 + (double)(i % 1021) / 2048;
	for (int i = 0; i < 4; i++)
		s.tables[1].cells[i] = 0.25 + i / 8.0;
	sum_lay(&s, &s.out[0], &s.tables[2], 1);
	for (int k = 0; k < 8; k++) {
		ctx->n_threads = k ? n_threads : 1;
		assert_int_equal(gpube__sum_product(ctx, &s.job), GPUBE_OK);
		ctx->n_threads = n_threads;
		if (k == 0)
			memcpy(one, s.tables[2].cells, sizeof(one));
		assert_memory_equal(one, s.tables[2].cells, sizeof(one));
	}
	sum_shape_clear(&s);
}

/*
 * Many inputs that are all off by as much as they may be: their product neither is lost nor
 * overflows.
 */
static void test_far_off(void **state)
{
	enum { N = 30 };
	struct gpube_sum_operand in[N], out;
	struct gpube_sum_table tables[N + 1] = {0};
	struct sum_shape s = {.job = {.n_axes = 2,
				      .dim = {3, 300},
				      .n_in = N,
				      .n_out = 1,
				      .in = in,
				      .out = &out}};

	(void)state;
	for (int sign = -1; sign <= 1; sign += 2) {
		for (int k = 0; k < N; k++) {
			sum_lay(&s, &in[k], &tables[k], 3);
			for (int64_t i = 0; i < tables[k].n; i++)
				tables[k].cells[i] =
					ldexp(1, (GPUBE_SUM_OFF - 1) * sign - (k == i % N ? 3 : 0));
			assert_int_equal(gpube__sum_measure(ctx, &tables[k], false), GPUBE_OK);
		}
		sum_lay(&s, &out, &tables[N], 1);
		assert_int_equal(gpube__sum_product(ctx, &s.job), GPUBE_OK);
		assert_false(s.job.apart);
		for (int i = 0; i < 3; i++)
			assert_true(
				sum_difference(gpube__sum_cell(&tables[N], i),
					gpube__wide(300, (GPUBE_SUM_OFF - 1) * sign * N - 3)) == 0);
		for (int k = 0; k <= N; k++)
			gpube__sum_table_clear(ctx, &tables[k]);
	}
}

/* The quotient may take either's place. */
static void test_divide(void **state)
{
	struct gpube_sum_table t[4];

	(void)state;
	for (int far = 0; far < 4; far++) {
		for (int k = 0; k < 4; k++) {
			assert_int_equal(gpube__sum_table_new(ctx, &t[k], 3), GPUBE_OK);
			t[k].cells[0] = 0;
			t[k].cells[1] = k % 2 ? 5 : 3;
			t[k].cells[2] = far >> (k % 2) & 1 ? 0x1p-1060 : 0x1p-30;
			assert_int_equal(gpube__sum_measure(ctx, &t[k], false), GPUBE_OK);
		}
		assert_int_equal(gpube__sum_divide(ctx, &t[0], &t[0], &t[1]), GPUBE_OK);
		assert_int_equal(gpube__sum_divide(ctx, &t[3], &t[2], &t[3]), GPUBE_OK);
		for (int k = 0; k < 4; k += 3) {
			assert_true(t[k].cells[0] == 0);
			assert_true(sum_difference(gpube__sum_cell(&t[k], 1), gpube__wide(0.6, 0)) <
				    0x1p-52);
			assert_true(sum_difference(gpube__sum_cell(&t[k], 2),
					    gpube__wide(1, (far & 1 ? -1060 : -30) -
								   (far & 2 ? -1060 : -30))) == 0);
		}
		for (int k = 0; k < 4; k++)
			gpube__sum_table_clear(ctx, &t[k]);
	}
}

/*
 * Memory that is kept for the next table is not given to one that is much smaller, and would hold
 * all of it.
 */
static void test_kept_memory(void **state)
{
	double *first, *small, *close;

	(void)state;
	assert_int_equal(gpube__scratch_open(ctx), GPUBE_OK);
	first = gpube__sum_cells(ctx, 1 << 20);
	assert_non_null(first);
	gpube__scratch_give(ctx, first);
	small = gpube__sum_cells(ctx, 1 << 18);
	close = gpube__sum_cells(ctx, 1000000);
	assert_true(small && small != first);
	assert_ptr_equal(close, first);
	gpube__scratch_give(ctx, small);
	gpube__scratch_give(ctx, close);
}

static void test_stop(void **state)
{
	struct sum_shape s;

	(void)state;
	sum_shape_draw(&s, 11, 0);
	gpube_ctx_stop(ctx);
	assert_int_equal(gpube__sum_product(ctx, &s.job), GPUBE_ESTOP);
	gpube_ctx_resume(ctx);
	assert_int_equal(gpube__sum_product(ctx, &s.job), GPUBE_OK);
	sum_shape_clear(&s);
}

/* Inputs of a value and some rows, each over the first axis and some others. */
static void draw_posterior(
	struct sum_shape *s, struct gpube_sum_table *weights, struct gpube_rng *rng, bool small)
{
	memset(s, 0, sizeof(*s));
	s->job = (struct gpube_sum_job){.n_axes = 1 + (int)gpube__rng_below(rng, 8),
		.in = s->in,
		.out = s->out,
		.n_out = 1};
	s->job.n_in = 1 + (int)gpube__rng_below(rng, 5);
	for (int a = 0; a < s->job.n_axes; a++)
		s->job.dim[a] = 2 + (int64_t)gpube__rng_below(rng, a ? 5 : 3);
	for (int k = 0; k < s->job.n_in; k++) {
		sum_lay(s, &s->in[k], &s->tables[k], 1 | gpube__rng_below(rng, 256));
		for (int64_t i = 0; i < s->tables[k].n; i++)
			s->tables[k].cells[i] =
				gpube__rng_below(rng, 6)
					? gpube__rng_unit(rng) * (small && i % 3 ? 0x1p-600 : 1)
					: 0;
		assert_int_equal(gpube__sum_settle(ctx, &s->tables[k]), GPUBE_OK);
	}
	sum_lay(s, &s->out[0], &s->tables[s->job.n_in], 1);
	for (int a = 1, n = 1; a <= s->job.n_axes; n *= (int)s->job.dim[a++])
		if (a == s->job.n_axes)
			assert_int_equal(gpube__sum_table_new(ctx, weights, n), GPUBE_OK);
	for (int64_t i = 0; i < weights->n; i++)
		weights->cells[i] = gpube__rng_below(rng, 5) ? gpube__rng_unit(rng) : 0;
	weights->power = 77;
	assert_int_equal(gpube__sum_settle(ctx, weights), GPUBE_OK);
}

/* Cell by cell. */
static void enumerate_posterior(
	struct twofold *p, const struct sum_shape *s, const struct gpube_sum_table *weights)
{
	for (int64_t x = 0; x < s->job.dim[0]; x++)
		p[x] = twofold_of(0);
	for (int64_t row = 0; row < weights->n; row++) {
		struct twofold all = twofold_of(0), one[4];

		for (int64_t x = 0; x < s->job.dim[0]; x++) {
			one[x] = twofold_of(1);
			for (int k = 0; k < s->job.n_in; k++) {
				int64_t left = row, at = x * s->in[k].stride[0];

				for (int a = s->job.n_axes - 1; a > 0; left /= s->job.dim[a--])
					at += left % s->job.dim[a] * s->in[k].stride[a];
				one[x] = twofold_mul(one[x], s->tables[k].cells[at]);
			}
			all = twofold_add(all, one[x]);
		}
		for (int64_t x = 0; x < s->job.dim[0] && all.hi > 0; x++)
			p[x] = twofold_add(p[x], twofold_mul(twofold_of(weights->cells[row]),
							 twofold_ratio(one[x], all)));
	}
}

/*
 * Whether a lost product is noted at all: not by valgrind. What is summed takes the slow way then.
 */
static bool tells_underflow(void)
{
	volatile double small = 0x1p-1000;

	feclearexcept(FE_UNDERFLOW);
	small *= small;
	return fetestexcept(FE_UNDERFLOW) != 0;
}

/*
 * Weights by Bayes' rule; what is too small for that is said to have failed, and nothing else is.
 */
static void test_posterior(void **state)
{
	const int n_threads = ctx->n_threads;
	struct gpube_rng rng;
	int n_failed = 0, n_large = 0;

	(void)state;
	gpube__rng_init(&rng, 5);
	for (int seed = 0; seed < 400; seed++) {
		const bool small = seed % 4 == 3;
		struct gpube_sum_table weights = {0}, *out;
		struct sum_shape s;
		struct twofold p[4];
		double before[4];
		bool done;

		draw_posterior(&s, &weights, &rng, small);
		out = s.out[0].table;
		ctx->n_threads = 1 + seed % 2 * (n_threads - 1);
		assert_int_equal(gpube__sum_posterior(ctx, &s.job, &weights, &done), GPUBE_OK);
		assert_true(done || small || !tells_underflow());
		n_failed += !done;
		n_large += weights.n > 10000;
		enumerate_posterior(p, &s, &weights);
		for (int64_t x = 0; x < out->n && done; x++) {
			const double got = ldexp(out->cells[x], (int)(out->power - weights.power));
			const double want = twofold_value(p[x]);

			before[x] = out->cells[x];
			/* of shares the least become 0 */
			assert_true(fabs(got - want) <=
				    2 * s.out[0].roundings * 0x1p-53 * want + 0x1p-490);
		}
		ctx->n_threads = 1 + (seed + 1) % 2 * (n_threads - 1);
		assert_int_equal(gpube__sum_posterior(ctx, &s.job, &weights, &done), GPUBE_OK);
		if (done)
			assert_memory_equal(before, out->cells, (size_t)out->n * sizeof(*before));
		ctx->n_threads = n_threads;
		gpube__sum_table_clear(ctx, &weights);
		sum_shape_clear(&s);
	}
	assert_true(n_failed > 20);
	assert_true(n_large > 20);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_reference),
		cmocka_unit_test(test_large),
		cmocka_unit_test(test_threads),
		cmocka_unit_test(test_underflow),
		cmocka_unit_test(test_extremes),
		cmocka_unit_test(test_shares),
		cmocka_unit_test(test_many_inputs),
		cmocka_unit_test(test_small_outputs),
		cmocka_unit_test(test_neighbours),
		cmocka_unit_test(test_far_off),
		cmocka_unit_test(test_divide),
		cmocka_unit_test(test_posterior),
		cmocka_unit_test(test_kept_memory),
		cmocka_unit_test(test_stop),
	};

	return cmocka_run_group_tests(tests, ctx_setup_2_threads, ctx_teardown);
}
