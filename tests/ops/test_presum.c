/*
 * The products of sums of the CUDA backend, without a device: plans of chosen shapes, of many sizes
 * and of seeded random ones are executed with the index arithmetic that the kernels share, through
 * a model of a block's shared memory, and compared with the reference. No read may leave its table,
 * no read or write of four be misaligned, and every output cell is written.
 */
#include "tests/support/test.h"
#include "tests/support/plans.h"
#include "tests/support/reference.h"

#include <math.h>

#include "gpube/ops/contract/contract_presum.h"

#define N_SIZES  60
#define N_RANDOM 400

/* on one multiprocessor blocks walk further */
static struct gpube__box_device device = {132, 224u << 10, 228u << 10, true};
static int seen[PRESUM_CELLS + 1], seen_kernel[N_PRESUM_KERNELS], seen_past, seen_ragged;
static int seen_walk, seen_columns, seen_boxes[2], seen_groups, seen_steps, seen_kept;

struct emulation {
	const struct shape *s;
	struct gpube__presum d;
	double *shared; /* by words; NAN: nothing was written */
	uint32_t units[GPUBE_PRESUM_STEPS][N_PRESUM_WORDS];
	const char *problem;
};

static double read_table(struct emulation *e, uint32_t k, uint64_t at)
{
	const int order = e->d.op[k].order;

	if (at >= (uint64_t)gpube__operand_cells(&e->s->c, order)) {
		e->problem = "a cell outside of its table";
		return 0;
	}
	return shape_value(e->s, order, (int64_t)at);
}

/* A word of shared memory, by the bytes before it. */
static double *shared(struct emulation *e, uint32_t byte)
{
	if (byte % 4 || byte >= e->d.shared) {
		e->problem = "a word outside of shared memory";
		byte = 0;
	}
	return &e->shared[byte / 4];
}

/* Operand k for column j of four, as read_fours() and add_read() have it. */
static double read_column(
	struct emulation *e, uint32_t k, uint64_t from, uint32_t j, uint32_t left, uint32_t x)
{
	const struct gpube__presum_op *o = &e->d.op[k];
	const uint32_t last = e->d.n_x - 1, first = x / 4 * 4, column = j < left ? j : left;
	const uint64_t step = o->x, at = x < last ? x : last;

	switch (o->how) {
	case PRESUM_FOURS:
		if ((from + at * step) % 4 || left < 3)
			e->problem = "a read of four that is not aligned";
		return read_table(e, k, from + at * step + j);
	case PRESUM_SAME:
		return read_table(e, k, from + at * step);
	case PRESUM_SAME_X:
	case PRESUM_FOURS_X:
		if (step != 1 || (from + first) % 4 || o->next % 4 || first + 3 > last)
			e->problem = "a read of four x that is not aligned";
		return read_table(e, k,
			from + first + x % 4 +
				(o->how == PRESUM_SAME_X ? 0 : (uint64_t)column * o->next));
	default:
		return read_table(e, k, from + at * step + (uint64_t)column * o->next);
	}
}

/* S of a step, by threads as they have it. */
static void add_up_kept(struct emulation *e, const uint32_t *unit)
{
	const struct gpube__presum *d = &e->d;
	const uint32_t to = gpube__presum_place_s(d, unit[PRESUM_KEPT]);

	for (uint32_t task = 0; task < d->lanes[PRESUM_J] * d->fours_x; task++) {
		uint32_t digit[GPUBE_PRESUM_J], four, x0, left;

		gpube__presum_task(d, task, &four, &x0);
		left = gpube__presum_split(d, unit[PRESUM_FOUR] + four, digit);
		for (uint32_t i = 0; i < 16; i++) {
			const uint32_t first = PRESUM_S * GPUBE_PRESUM_TERMS;
			const uint32_t x = x0 + i / 4, j = i % 4;
			double sum = 0;

			for (uint32_t k = first; k < first + d->n_ops[PRESUM_S]; k++)
				sum += read_column(e, k,
					(uint64_t)unit[k] + gpube__presum_at(digit, d->op[k].step),
					j, left, x);
			*shared(e, to + four * d->pitch + 16 * x + 4 * j) = sum;
		}
	}
}

/* L and T of a step. */
static void add_up_cells(struct emulation *e, const uint32_t *unit, uint32_t buffer)
{
	const struct gpube__presum *d = &e->d;

	for (uint32_t i = 0; i < d->l.n + d->t.n; i++) {
		const struct gpube__presum_cell c = gpube__presum_cell_of(d, i);
		const uint32_t first = c.sum * GPUBE_PRESUM_TERMS;
		double sum = 0;

		for (uint32_t k = first; k < first + d->n_ops[c.sum]; k++)
			sum += read_table(
				e, k, (uint64_t)unit[k] + gpube__presum_from(&c, &d->op[k]));
		if (c.to == UINT32_MAX)
			continue;
		if (c.to >= d->buffer)
			e->problem = "a cell outside of its buffer";
		*shared(e, buffer + c.to) = sum;
	}
}

/* Where a cell of a thread's tile goes; -1: nowhere. */
static int64_t target(struct emulation *e, const uint32_t *unit, uint32_t row,
	const uint32_t *digit, uint32_t left, uint32_t j)
{
	const struct gpube__presum *d = &e->d;
	int64_t to = (int64_t)unit[PRESUM_OUT] + gpube__presum_at(digit, d->out_j) +
		     (int64_t)row * d->out_i;

	if (unit[PRESUM_ROW] + row >= d->group[PRESUM_I].size || j > left)
		return -1;
	if (d->out_wide && (to % 4 || left < 3))
		e->problem = "a write of four that is not aligned";
	to += (int64_t)j * d->out_next;
	if (to >= e->s->out_cells)
		e->problem = "a cell outside of the output";
	return e->problem ? -1 : to;
}

static void do_tile(struct emulation *e, uint32_t n, double *best)
{
	const struct gpube__presum *d = &e->d;
	const uint32_t rows = gpube__presum_rows(d->kernel);
	const struct gpube__presum_tile t = gpube__presum_tile_of(d, n);
	const uint32_t *const unit = e->units[t.step];
	const uint32_t four = unit[PRESUM_FOUR] + t.lane[PRESUM_J];
	const uint32_t buffer = t.step * d->buffer;
	uint32_t digit[GPUBE_PRESUM_J];
	const uint32_t left = gpube__presum_split(d, four, digit);
	const uint32_t at_l = buffer + t.lane[PRESUM_I] * d->pitch_l;
	const uint32_t at_t = buffer + d->place_t + gpube__presum_at(digit, d->column) * d->pitch;
	const uint32_t at_s = gpube__presum_place_s(d, unit[PRESUM_KEPT]) +
			      t.lane[PRESUM_J] * d->pitch;

	if (four >= d->group[PRESUM_J].size)
		return;
	for (uint32_t i = 0; i < 4 * rows; i++) {
		const int64_t to =
			target(e, unit, t.lane[PRESUM_I] * rows + i / 4, digit, left, i % 4);

		for (uint32_t x = 0; to >= 0 && x < d->all_x; x++) {
			const double l = *shared(e,
				at_l + 4 * (GPUBE_PRESUM_PADDED(rows) * x + i / 4));
			const double sum = *shared(e, at_s + 16 * x + 4 * (i % 4)) +
					   *shared(e, at_t + 16 * x + 4 * (i % 4));

			best[to] = x == 0 ? l + sum : fmin(best[to], l + sum);
		}
	}
}

static void run_block(struct emulation *e, uint32_t block, double *best)
{
	const struct gpube__presum *d = &e->d;
	const uint32_t end = gpube__presum_first(d, block + 1);
	uint32_t filled = 0, n;

	for (uint32_t i = 0; i < d->shared / 4; i++)
		e->shared[i] = NAN;
	for (uint32_t first = gpube__presum_first(d, block); first < end; first += n) {
		n = gpube__presum_together(d, first, end - first);
		assert_true(n > 0 && n <= d->together && n <= GPUBE_PRESUM_STEPS);
		for (uint32_t i = 0; i < n; i++) {
			for (uint32_t w = 0; w < N_PRESUM_WORDS; w++)
				e->units[i][w] = gpube__presum_word(d, first + i, w);
			add_up_cells(e, e->units[i], i * d->buffer);
			assert_true(e->units[i][PRESUM_KEPT] - e->units[0][PRESUM_KEPT] < d->kept);
			if (e->units[i][PRESUM_KEPT] < filled)
				continue;
			add_up_kept(e, e->units[i]);
			filled = e->units[i][PRESUM_KEPT] + 1;
		}
		for (uint32_t i = 0; i < n * d->tiles; i++)
			do_tile(e, i, best);
		seen_kept += e->units[0][PRESUM_KEPT] < e->units[n - 1][PRESUM_KEPT];
		seen_groups += first + n < end;
	}
}

static void store(const struct emulation *e, const double *best)
{
	for (int64_t i = 0; i < e->s->out_cells; i++)
		if (!isnan(best[i]))
			shape_store(e->s, i, best[i]);
}

static void count(const struct gpube__presum *d)
{
	for (uint32_t k = 0; k < d->n_ops[PRESUM_S]; k++)
		seen[d->op[PRESUM_S * GPUBE_PRESUM_TERMS + k].how]++;
	seen_kernel[d->kernel]++;
	seen_past += d->n_x % 2 > 0;
	seen_ragged += d->last % 4 > 0;
	seen_walk += d->n_ops[PRESUM_T] > 0;
	seen_columns += d->columns.of[0] > 1;
	seen_steps += d->each > 1;
	for (int g = 0; g < 2; g++)
		seen_boxes[g] += d->boxes[g] > 1;
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
	assert_true(e.d.threads <= GPUBE_PRESUM_THREADS(gpube__presum_rows(e.d.kernel)));
	assert_true(e.d.threads > 0 && e.d.threads % 32 == 0);
	assert_true(e.d.shared <= device.shared_bytes);
	assert_int_equal(e.d.all_x % 2, 0);
	assert_true(e.d.together <= GPUBE_PRESUM_STEPS && e.d.kept <= GPUBE_PRESUM_KEPT);
	assert_true(e.d.l.n > 0 && e.d.t.n > 0);
	assert_int_equal(e.d.pitch % 32, 16);
	assert_int_equal(e.d.pitch_l % 32, 16);
	assert_int_equal(e.d.buffer % 16, 0);
	assert_int_equal(gpube__presum_first(&e.d, e.d.blocks), e.d.units);
	count(&e.d);
	shape_poison(s);
	best = malloc((size_t)s->out_cells * sizeof(*best));
	e.shared = malloc((size_t)e.d.shared / 4 * sizeof(*e.shared));
	assert_non_null(best);
	assert_non_null(e.shared);
	for (int64_t i = 0; i < s->out_cells; i++)
		best[i] = NAN;
	for (uint32_t block = 0; block < e.d.blocks && !e.problem; block++)
		run_block(&e, block, best);
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
	"x=10 a=32 b=32 c=4 : a b c : x a c , b c x",
	"x=7 a=6 b=9 c=5 d=11 e=13 : a b c d e : x a b , x b c , x c d , x d e , x a e",
	"x=7 a=13 b=9 c=5 d=6 e=11 : a b c d e : a b x , b c x , c d x , d e x , a e x",
	"x=10 a=10 b=10 c=10 d=10 e=10 : a b c d e : x a b , x b c , x c d , x d e , x a e",
	"x=5 a=5 b=5 c=5 d=5 e=5 f=5 : a b c d e f : x a b , x b c , x c d , x d e , x e f , x f a",
	"x=11 a=30 b=14 c=9 d=30 : a b c d : x a b , x b c , x c d , x d a",
	"x=3 a=37 b=6 c=18 d=41 : a b c d : a b x , b c x , c d x , d a x , a , x , d",
	"x=6 a=9 b=3 c=70 d=61 : a b c d : x a c , x a d , x b c , x b d",
	"x=4 d=9 a=14 b=4 c=9 e=8 : d a b c e : x a d , x d b e , x b c e",
	"x=6 a=2 b=16 c=3 d=16 e=16 : a b c d e : x a b , x b c , x c d , x d e , x a e",
	"x=4 a=24 b=24 c=2 d=2 e=24 : c d b a e : x a b , x b c , x c d , x d e , x a e",
	"x=4 i=14 b=5 c=10 e=8 d=20 : d i b c e : x i d , x d b e , x b c e , c e",
	"x=12 a=70 b=3 c=75 d=5 : a c d b : x a b , x b c , x c d",
	"x=6 a=8 b=12 c=5 d=12 e=8 : a b c d e : a b x , b c x , c d x , d e x , a x e",
	"x=6 a=9 b=28 c=5 d=4 e=28 : a b c d e : x a b , x b c , x c d , x d e , x a e",
	"x=9 a=7 b=10 c=9 d=8 e=24 : a b c d e : a b x , b c x , c d x , d e x , a x e",
};

/* An operand that meets all others in two dims; sizes without fours; many x. */
static const char *const others[] = {
	"x=9 a=12 b=12 c=12 : a b c : x a b c , x a , x b",
	"x=9 a=15 b=13 c=4 : a b c : x a b , x b c",
	"a=12 b=12 c=12 : a b c : a b , b c",
	"x=9 y=3 a=12 b=12 : a b : x a y , x b , y a",
	"x=65 a=40 b=60 : a b : x a , x b",
};

static void chosen_shape(void **state)
{
	for (size_t i = 0; i < 8; i++) {
		device.n_sms = i < 4 ? 132 : 1;
		check_text(*state, i, true);
	}
	device.n_sms = 132;
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
	assert_true(seen_past > 0);
	assert_true(seen_ragged > 0);
	assert_true(seen_walk > 0);
	assert_true(seen_columns > 0);
	assert_true(seen_groups > 0);
	assert_true(seen_kept > 0);
	assert_true(seen_steps > 0);
	assert_true(seen_boxes[PRESUM_I] > 0);
	assert_true(seen_boxes[PRESUM_J] > 0);
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
	return run_plans(&c, "products of sums", argc, argv);
}
