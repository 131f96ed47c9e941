/*
 * The products of sums of the CUDA backend, without a device: plans of chosen shapes, of many sizes
 * and of seeded random ones are executed with the index arithmetic that the kernels share, through
 * a model of a block's shared memory, and compared with the reference. No read may leave its table,
 * no read or write of four be misaligned, and every output cell is written.
 */
#include "tests/support/test.h"
#include "tests/support/cases.h"
#include "tests/support/context.h"
#include "tests/support/reference.h"
#include "tests/support/shapes.h"

#include <math.h>

#include "gpube/ops/contract_presum.h"

#define N_SIZES  60
#define N_RANDOM 400

static const struct gpube__box_device device = {132, 224u << 10, 228u << 10, true};
static int seen[PRESUM_CELLS + 1], seen_kernel[N_PRESUM_KERNELS], seen_grid, seen_past;

struct emulation {
	const struct shape *s;
	struct gpube__presum d;
	double *shared; /* NAN: nothing was written */
	uint32_t start[N_PRESUM_GROUPS];
	const char *problem;
};

static double read_table(struct emulation *e, uint32_t k, uint64_t at)
{
	const int order = e->d.op[k].order;
	const void *v = e->s->c.in[order].values;

	if (at >= (uint64_t)gpube__operand_cells(&e->s->c, order)) {
		e->problem = "a cell outside of its table";
		return 0;
	}
	return e->s->c.type == GPUBE_INT32 ? ((const int32_t *)v)[at]
					   : (double)((const float *)v)[at];
}

static double *shared(struct emulation *e, uint32_t x, uint32_t word)
{
	if (x >= e->d.all_x || word >= GPUBE_PRESUM_ROW) {
		e->problem = "a word outside of shared memory";
		x = word = 0;
	}
	return &e->shared[x * GPUBE_PRESUM_ROW + word];
}

/* Cells of operand k before value 'at' of the box along the group of its side. */
static uint64_t offset(const struct emulation *e, uint32_t k, uint32_t at)
{
	const int g = k < GPUBE_PRESUM_TERMS ? PRESUM_I : PRESUM_J;
	uint32_t grid[GPUBE_FLAT_DIMS], digit[GPUBE_FLAT_DIMS];

	gpube__flat_split(&e->d.group[PRESUM_GRID], e->start[PRESUM_GRID], grid);
	gpube__presum_split(&e->d, g, e->start, at, digit);
	return gpube__presum_at(&e->d, k, grid, digit);
}

/* Operand k for column j of four, as read_fours() and add_read() have it. */
static double read_column(struct emulation *e, uint32_t k, uint32_t column, uint32_t j, uint32_t x)
{
	const struct gpube__presum_op *o = &e->d.op[k];
	const uint64_t from = offset(e, k, column);
	const uint32_t last = e->d.n_x - 1, first = x / 4 * 4;
	const uint64_t step = o->x, at = x < last ? x : last;

	switch (o->how) {
	case PRESUM_FOURS:
		if ((from + at * step) % 4)
			e->problem = "a read of four that is not aligned";
		return read_table(e, k, from + at * step + j);
	case PRESUM_SAME:
		return read_table(e, k, from + at * step);
	case PRESUM_SAME_X:
	case PRESUM_FOURS_X:
		if (step != 1 || (from + first) % 4 || o->next % 4 || first + 3 > last)
			e->problem = "a read of four x that is not aligned";
		return read_table(
			e, k, from + first + x % 4 + (o->how == PRESUM_SAME_X ? 0 : j * o->next));
	default:
		return read_table(e, k, from + at * step + (uint64_t)j * o->next);
	}
}

static void add_up(struct emulation *e)
{
	const struct gpube__presum *d = &e->d;
	const uint32_t n_l = d->n_ops[PRESUM_I], n_r = d->n_ops[PRESUM_J];
	const uint32_t rows = gpube__presum_rows(d->kernel);

	for (uint32_t x = 0; x < d->all_x; x++) {
		for (uint32_t i = 0; i < gpube__presum_box(d, PRESUM_J); i++) {
			double sum = 0;

			for (uint32_t k = GPUBE_PRESUM_TERMS; k < GPUBE_PRESUM_TERMS + n_r; k++)
				sum += read_column(e, k, i / 4 * 4, i % 4, x);
			*shared(e, x, i) = sum;
		}
		for (uint32_t i = 0; i < gpube__presum_box(d, PRESUM_I); i++) {
			const uint64_t at = x < d->n_x ? x : d->n_x - 1;
			double sum = 0;

			for (uint32_t k = 0; k < n_l; k++)
				sum += read_table(e, k, offset(e, k, i) + at * d->op[k].x);
			*shared(e, x, gpube__presum_word(d, i / rows, i % rows)) = sum;
		}
	}
}

/* Where a cell goes; -1: nowhere. */
static int64_t target(struct emulation *e, uint32_t value_i, uint32_t value_j, uint32_t j)
{
	const struct gpube__presum *d = &e->d;
	const uint32_t i = e->start[PRESUM_I] + value_i, first = e->start[PRESUM_J] + value_j;
	int64_t to;

	if (i >= d->group[PRESUM_I].size || first >= d->group[PRESUM_J].size)
		return -1;
	to = (int64_t)gpube__flat_offset(
		     &d->group[PRESUM_GRID], d->out[PRESUM_GRID], e->start[PRESUM_GRID]) +
	     gpube__flat_offset(&d->group[PRESUM_I], d->out[PRESUM_I], i) +
	     gpube__flat_offset(&d->group[PRESUM_J], d->out[PRESUM_J], first);
	if (d->out_wide && to % 4)
		e->problem = "a write of four that is not aligned";
	to += j * (int64_t)d->out[PRESUM_J][d->group[PRESUM_J].n - 1];
	if (to >= e->s->out_cells)
		e->problem = "a cell outside of the output";
	return e->problem ? -1 : to;
}

static void combine(struct emulation *e, double *best)
{
	const struct gpube__presum *d = &e->d;
	const uint32_t rows = gpube__presum_rows(d->kernel);

	for (uint32_t t = 0; t < d->lanes[0] * d->lanes[1]; t++) {
		uint32_t at[2];

		gpube__presum_lane(d, t, at);
		for (uint32_t i = 0; i < rows * GPUBE_PRESUM_COLUMNS; i++) {
			const uint32_t row = i / GPUBE_PRESUM_COLUMNS;
			const uint32_t j = i % GPUBE_PRESUM_COLUMNS;
			const uint32_t column = gpube__presum_column(d, at, j / 4);
			const int64_t to = target(e, gpube__presum_row(d, at, row), column, j % 4);

			for (uint32_t x = 0; to >= 0 && x < d->all_x; x++) {
				const double v =
					*shared(e, x, gpube__presum_word(d, at[PRESUM_I], row)) +
					*shared(e, x, column + j % 4);

				best[to] = x == 0 ? v : fmin(best[to], v);
			}
		}
	}
}

static void store(const struct emulation *e, const double *best)
{
	const struct gpube_contraction *c = &e->s->c;

	for (int64_t i = 0; i < e->s->out_cells; i++) {
		if (isnan(best[i]))
			continue;
		if (c->type == GPUBE_INT32)
			((int32_t *)c->out)[i] =
				(int32_t)(best[i] >= (double)c->threshold ? (double)c->cut
									  : best[i]);
		else
			((float *)c->out)[i] = (float)best[i];
	}
}

static void count(const struct gpube__presum *d)
{
	for (uint32_t k = 0; k < d->n_ops[PRESUM_J]; k++)
		seen[d->op[GPUBE_PRESUM_TERMS + k].how]++;
	seen_kernel[d->kernel]++;
	seen_grid += d->group[PRESUM_GRID].size > 1;
	seen_past += d->n_x % 4 > 0;
}

/* Whether the contraction has a plan. */
static bool check(struct shape *s)
{
	int64_t stride[64 * GPUBE_MAX_DIMS];
	struct gpube__shape shape;
	struct emulation e = {.s = s};
	double cycles = -1, *best;

	gpube__shape_init(&shape, &s->c, stride, s->c.out_arg != NULL);
	if (!gpube__presum_plan(&e.d, &cycles, &device, &s->c, &shape))
		return false;
	assert_true(cycles > 0);
	assert_true(e.d.lanes[0] * e.d.lanes[1] <= e.d.threads);
	assert_true(e.d.threads <= GPUBE_PRESUM_THREADS);
	assert_true(2 * e.d.lanes[PRESUM_J] <= e.d.threads);
	assert_true(gpube__presum_box(&e.d, PRESUM_I) <= e.d.threads);
	assert_int_equal(e.d.all_x % 4, 0);
	count(&e.d);
	shape_poison(s);
	best = malloc((size_t)s->out_cells * sizeof(*best));
	e.shared = malloc((size_t)e.d.all_x * GPUBE_PRESUM_ROW * sizeof(*e.shared));
	assert_non_null(best);
	assert_non_null(e.shared);
	for (int64_t i = 0; i < s->out_cells; i++)
		best[i] = NAN;
	for (uint32_t block = 0; block < e.d.blocks && !e.problem; block++) {
		for (uint32_t i = 0; i < e.d.all_x * GPUBE_PRESUM_ROW; i++)
			e.shared[i] = NAN;
		gpube__presum_start(&e.d, block, e.start);
		add_up(&e);
		combine(&e, best);
	}
	store(&e, best);
	shape_expect(s, e.problem, 0);
	free(best);
	free(e.shared);
	return true;
}

static void check_text(const char *text, size_t seed, bool must)
{
	struct shape s;

	assert_null(shape_parse(&s, text, GPUBE_MIN_PLUS, seed % 2 ? GPUBE_FLOAT32 : GPUBE_INT32));
	shape_fill(&s, seed, seed % 4 < 2 ? SHAPE_TIES : SHAPE_SIGNED, false);
	if (!check(&s) && must)
		fail_msg("%s: no plan", text);
	shape_free(&s);
}

static const char *const chosen[] = {
	"x=8 a=3 b=14 c=3 d=12 e=12 : a b c d e : x a b , x b c , x c d , x d e , x a e",
	"x=8 a=3 b=14 c=3 d=12 e=12 : a b c d e : a x b , b x c , c x d , d x e , a x e",
	"x=8 a=3 b=14 c=3 d=12 e=12 : a b c d e : a b x , b c x , c d x , d e x , a e x",
	"x=9 a=3 b=15 c=3 d=11 e=12 : a b c d e : a b x , b c x , c d x , d e x , a e x , d , b",
	"x=50 a=40 b=60 : a b : x a , x b",
	"x=50 a=57 b=60 : b a : a x , x b , x",
	"x=50 a=40 b=60 c=3 : c a b : a c x , c b x , x",
	"x=10 a=32 b=32 c=4 : a b c : x a c , b c x",
};

/* An operand that meets all others in two dims; sizes without fours; many x. */
static const char *const others[] = {
	"x=9 a=12 b=12 c=12 : a b c : x a b c , x a , x b",
	"x=9 a=15 b=13 c=11 : a b c : x a b , x b c",
	"a=12 b=12 c=12 : a b c : a b , b c",
	"x=9 y=3 a=12 b=12 : a b : x a y , x b , y a",
	"x=61 a=40 b=60 : a b : x a , x b",
};

static void chosen_shape(void **state)
{
	for (size_t i = 0; i < 4; i++)
		check_text(*state, i, true);
}

static void other_shape(void **state)
{
	struct shape s;

	assert_null(shape_parse(&s, *state, GPUBE_MIN_PLUS, GPUBE_INT32));
	shape_fill(&s, 1, SHAPE_TIES, false);
	assert_false(check(&s));
	shape_free(&s);
}

/* Sizes of all kinds, most of them no multiples of anything. */
static void sizes(void **state)
{
	static const char *const forms[] = {
		"x=%d a=%d b=%d c=%d : c a b : x a c , x c b",
		"x=%d a=%d b=%d c=%d : a c b : a x c , b x , c",
		"x=%d a=%d b=%d c=%d : a b c : a x , c b x , x",
	};
	const size_t seed = (size_t)(uintptr_t)*state;
	struct gpube_rng r;
	char text[128];
	int n[4];

	gpube__rng_init(&r, seed);
	for (int i = 0; i < 4; i++)
		n[i] = 2 + (int)gpube__rng_below(&r, i == 2 ? 80 : i == 1 ? 40 : 15);
	if (seed % 5)
		n[2] = (n[2] + 3) / 4 * 4;
	if (seed % 2)
		n[3] = (n[3] + 3) / 4 * 4;
	if (seed % 3)
		n[0] = (n[0] + 3) / 4 * 4;
	snprintf(text, sizeof(text), forms[seed / 4 % 3], n[0], n[1], n[2], n[3]);
	check_text(text, seed, false);
}

static void random_shape(void **state)
{
	const uint64_t seed = (uint64_t)(uintptr_t)*state;
	struct shape s;

	shape_random(&s, seed, 20000);
	check(&s);
	shape_free(&s);
}

static void every_kind(void **state)
{
	(void)state;
	for (int how = 0; how <= PRESUM_CELLS; how++)
		assert_true(seen[how] > 0);
	for (int kernel = 0; kernel < N_PRESUM_KERNELS; kernel++)
		assert_true(seen_kernel[kernel] > 0);
	assert_true(seen_grid > 0);
	assert_true(seen_past > 0);
}

int main(int argc, char **argv)
{
	struct cases c = {0};

	for (size_t i = 0; i < sizeof(chosen) / sizeof(*chosen); i++)
		add_case(&c, chosen_shape, chosen[i], "%s", chosen[i]);
	for (size_t i = 0; i < sizeof(others) / sizeof(*others); i++)
		add_case(&c, other_shape, others[i], "%s", others[i]);
	add_numbers(&c, sizes, N_SIZES, "sizes");
	add_numbers(&c, random_shape, N_RANDOM, "seed");
	ADD_CASE(&c, every_kind);
	if (argc > 1)
		cmocka_set_test_filter(argv[1]);
	return run_cases(&c, "products of sums", ctx_setup, ctx_teardown);
}
