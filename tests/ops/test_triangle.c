/*
 * Triangles of the CUDA backend, without a device: plans are executed as the kernels would, bulk
 * copies to planes of shared memory included, with the index arithmetic that they share, and
 * compared with the reference. No copy may leave its part of a plane or be misaligned, none of a
 * table begin or step where the copy engine cannot, and every output cell is written.
 */
#include "tests/support/test.h"
#include "tests/support/plans.h"
#include "tests/support/reference.h"

#include <math.h>

#include "gpube/ops/contract/contract_triangle.h"

#define N_RANDOM 40

static int seen[3][2]; /* 4 or more cells along I, x last; and whether there are small operands */
static const struct gpube__box_device devices[2] = {
	{132, 224u << 10, 228u << 10, true}, {12, 224u << 10, 228u << 10, true}};

struct emulation {
	const struct shape *s;
	struct gpube__triangle d;
	double *stage; /* NAN: not copied */
	double *small;
	const char *problem;
};

static double value(const struct shape *s, int k, int64_t at)
{
	const void *v = s->c.in[k].values;

	if (at < 0 || at >= gpube__operand_cells(&s->c, k))
		return NAN;
	return s->c.type == GPUBE_INT32 ? ((const int32_t *)v)[at] : (double)((const float *)v)[at];
}

/* What the copy engine does: a box of a table, from these coordinates on, 0 past the dims' ends. */
static void copy_box(struct emulation *e, int panel, const int32_t *at)
{
	const struct gpube__triangle_table *t = &e->d.table[panel];

	if (t->at % 32 || t->at + t->words > e->d.stage_words)
		e->problem = "a copy outside of its stage";
	for (uint32_t i = 0; i < t->words && !e->problem; i++) {
		int64_t from = 0;
		bool is_in = true;
		uint32_t rest = i;

		for (int d = 0; d < GPUBE_TRIANGLE_RANK; d++) {
			const int64_t c = at[d] + (int64_t)(rest % t->box[d]);

			is_in &= c >= 0 && c < t->size[d];
			from += c * t->step[d];
			rest /= t->box[d];
		}
		if (!isnan(e->stage[t->at + i]))
			e->problem = "a word copied twice";
		e->stage[t->at + i] = is_in ? value(e->s, t->order, from) : 0;
		if (isnan(e->stage[t->at + i]))
			e->problem = "a copy outside of its table";
	}
}

/* The chunk of a block's number 'n': it is in the stage's turn. */
static void copy_stage(struct emulation *e, uint32_t block, uint32_t n, uint32_t box, uint32_t x0)
{
	int32_t at[GPUBE_TRIANGLE_RANK];
	struct gpube__triangle_turn turn;
	struct gpube__triangle_box b;

	gpube__triangle_turn(&e->d, block, n, &turn);
	if (turn.box != box || turn.x0 != x0 || turn.round * e->d.stages + turn.stage != n)
		e->problem = "a chunk out of turn";
	for (uint32_t i = 0; i < e->d.stage_words; i++)
		e->stage[i] = NAN;
	gpube__triangle_box(&e->d, turn.box, &b);
	for (int panel = 0; panel < TRIANGLE_PANELS; panel++) {
		gpube__triangle_copy(&e->d, panel, &b, turn.x0, at);
		copy_box(e, panel, at);
	}
}

static void small_init(struct emulation *e, const struct gpube__triangle_box *b)
{
	for (uint32_t i = 0; i < e->d.small_words; i++) {
		uint32_t x, j = gpube__triangle_small_j(&e->d, b, i, &x);

		e->small[i] = 0;
		for (uint32_t k = 0; k < e->d.n_small; k++)
			e->small[i] += value(e->s, e->d.small[k].order,
				gpube__triangle_small(&e->d, (int)k, b, x, j));
		if (isnan(e->small[i]))
			e->problem = "a small operand outside of its table";
	}
}

/* A thread's word of a panel: cell 'first' along the panel's first dim, 'second' along the other.
 */
static double read_panel(struct emulation *e, int panel, const uint32_t *lane, uint32_t first,
	uint32_t second, uint32_t x)
{
	const struct gpube__triangle_table *t = &e->d.table[panel];
	const uint32_t at =
		gpube__triangle_word(&e->d, panel, lane) +
		(first * t->first_bytes + second * t->second_bytes + x * t->x_bytes) / 4;

	if (at >= e->d.stage_words || isnan(e->stage[at])) {
		e->problem = "a word that was not copied";
		return 0;
	}
	return e->stage[at];
}

static double read_small(const struct emulation *e, const uint32_t *lane, uint32_t j, uint32_t x)
{
	const struct gpube__triangle *d = &e->d;
	const uint32_t at = lane[TRIANGLE_J] * d->small_j + x * d->small_x;

	if (!d->n_small)
		return 0;
	return e->small[at + (d->x_last ? j * d->small_next / 4 : j)];
}

static void best_of_lane(
	struct emulation *e, const uint32_t *lane, uint32_t x0, uint32_t n, double *best)
{
	for (uint32_t x = 0; x < n; x++)
		for (uint32_t i = 0; i < e->d.cells[TRIANGLE_I]; i++)
			for (uint32_t j = 0; j < 4; j++)
				for (uint32_t k = 0; k < 4; k++) {
					double *to = &best[(i * 4 + j) * 4 + k];

					*to = fmin(*to,
						read_panel(e, TRIANGLE_IJ, lane, i, j, x) +
							read_panel(e, TRIANGLE_JK, lane, j, k, x) +
							read_panel(e, TRIANGLE_IK, lane, i, k, x) +
							read_small(e, lane, j, x0 + x));
				}
}

static void store_cell(struct emulation *e, int64_t at, double best)
{
	const char *problem = shape_store(e->s, at, best);

	e->problem = problem ? problem : e->problem;
}

static void store_lane(struct emulation *e, const struct gpube__triangle_box *b,
	const uint32_t *lane, const double *best)
{
	const struct gpube__triangle *d = &e->d;

	for (uint32_t cell = 0; cell < 16 * d->cells[TRIANGLE_I]; cell++) {
		const uint32_t part[TRIANGLE_DIMS] = {cell / 16, cell / 4 % 4, cell % 4};
		int64_t at = gpube__triangle_out(d, b);
		bool is_in = true;

		for (int i = 0; i < TRIANGLE_DIMS; i++) {
			const uint32_t v = gpube__triangle_value(d, i, lane[i], part[i]);

			is_in &= b->at[i] + v < d->size[i];
			at += (int64_t)v * d->out[i];
		}
		if (is_in)
			store_cell(e, at, best[cell]);
	}
}

static void run_box(struct emulation *e, uint32_t box)
{
	const struct gpube__triangle *d = &e->d;
	double *best = malloc((size_t)d->n_lanes * 16 * d->cells[TRIANGLE_I] * sizeof(*best));
	struct gpube__triangle_box b;
	uint32_t lane[TRIANGLE_DIMS];

	assert_non_null(best);
	gpube__triangle_box(d, box, &b);
	small_init(e, &b);
	for (size_t i = 0; i < (size_t)d->n_lanes * 16 * d->cells[TRIANGLE_I]; i++)
		best[i] = INFINITY;
	for (uint32_t x0 = 0; x0 < d->n_x && !e->problem; x0 += d->chunk) {
		copy_stage(e, box % d->at_once, box / d->at_once * d->n_chunks + x0 / d->chunk, box,
			x0);
		for (uint32_t t = 0; t < d->n_lanes && !e->problem; t++) {
			gpube__triangle_lane(d, t, lane);
			best_of_lane(e, lane, x0, d->n_x - x0 < d->chunk ? d->n_x - x0 : d->chunk,
				best + (size_t)t * 16 * d->cells[TRIANGLE_I]);
		}
	}
	for (uint32_t t = 0; t < d->n_lanes && !e->problem; t++) {
		gpube__triangle_lane(d, t, lane);
		store_lane(e, &b, lane, best + (size_t)t * 16 * d->cells[TRIANGLE_I]);
	}
	free(best);
}

static void check_plan(const struct gpube__triangle *d)
{
	assert_true(d->n_lanes <= 32 * d->warps);
	assert_true(32 * d->warps <= GPUBE_TRIANGLE_THREADS(d->cells[TRIANGLE_I]));
	assert_true(d->stages >= 2 && d->stages <= GPUBE_TRIANGLE_STAGES);
	assert_true(d->stages * d->stage_words <= GPUBE_TRIANGLE_WORDS);
	assert_true(d->n_chunks * d->chunk >= d->n_x && (d->n_chunks - 1) * d->chunk < d->n_x);
	assert_true(d->shared_bytes <= devices[0].shared_bytes);
	assert_true(d->small_words <= GPUBE_TRIANGLE_SMALLS);
	/* threads take x from any place on, modulo a power of two */
	for (uint32_t x0 = 0; d->x_last && x0 < d->n_x; x0 += d->chunk)
		assert_true(d->n_x - x0 >= d->chunk || d->n_x - x0 == 4);
	for (int i = 0; i < TRIANGLE_PANELS; i++) {
		const struct gpube__triangle_table *t = &d->table[i];

		assert_int_equal(t->step[0], 1);
		assert_int_equal(t->box[0] % 4, 0);
		for (int r = 0; r < GPUBE_TRIANGLE_RANK; r++) {
			assert_in_range(t->box[r], 1, 256);
			assert_true(t->size[r] > 0);
			assert_true(r == 0 || t->step[r] % 4 == 0);
		}
	}
}

static bool plan(struct gpube__triangle *d, const struct shape *s, int on)
{
	int64_t stride[64 * GPUBE_MAX_DIMS];
	struct gpube__shape shape;
	double cycles = -1;

	gpube__shape_init(&shape, &s->c, stride, s->c.out_arg != NULL);
	if (!gpube__triangle_plan(d, &cycles, &devices[on], &s->c, &shape))
		return false;
	assert_true(cycles > 0);
	return true;
}

static void check(struct shape *s, int on)
{
	struct emulation e = {.s = s};

	if (!plan(&e.d, s, on))
		fail_msg("%s: no plan", s->text);
	check_plan(&e.d);
	seen[e.d.x_last ? 2 : e.d.cells[TRIANGLE_I] > 4][e.d.n_small > 0]++;
	e.stage = malloc((size_t)e.d.stage_words * sizeof(*e.stage));
	e.small = malloc((e.d.small_words + 1) * sizeof(*e.small));
	assert_non_null(e.stage);
	assert_non_null(e.small);
	shape_poison(s);
	for (uint32_t box = 0; box < e.d.n_boxes && !e.problem; box++)
		run_box(&e, box);
	free(e.stage);
	free(e.small);
	shape_expect(s, e.problem, (int)e.d.x_last);
}

static void check_text(const char *text, int i)
{
	struct shape s;

	shape_of_text(&s, text, i % 2 ? GPUBE_FLOAT32 : GPUBE_INT32, (uint64_t)i, SHAPE_TIES);
	check(&s, (i + 1) / 2 % 2);
	shape_free(&s);
}

static const char *const chosen[] = {
	"x=3 a=20 b=2 c=24 d=28 : a b c d : x a b c , x b c d , x a d , x b",
	"x=3 a=23 b=2 c=24 d=28 : a b c d : a b x c , b c x d , a x d , b x",
	"x=12 a=21 b=2 c=19 d=23 : a b c d : a b c x , b c d x , a d x , b x",
	"x=4 a=21 b=2 c=20 d=24 : a b c d : x a b c , x b c d , x a d , x c",
	"x=8 a=21 b=2 c=17 d=22 : a b c d : b a c x , b c d x , a d x , c x",
	"x=5 a=30 c=20 d=36 : a c d : x a c , x c d , x a d",
	"x=4 a=30 c=21 d=35 : a c d : a c x , c d x , a d x , c , x , c x",
	"x=3 a=16 b=12 c=44 d=44 : a b c d : x a b c , x b c d , x a d",
	"x=20 a=16 b=528 c=44 : a b c : x a b , x b c , x a c",
	"x=8 a=16 b=12 c=44 d=44 : a b c d : x a b c , x b c d , x a d , x b",
	"x=2 a=24 b=12 c=44 d=44 : a b c d : x a b c , x b c d , x a d , x b",
	"x=2 a=50 b=3 c=40 d=100 : a b c d : x a b c , x b c d , x a d , x c",
	"x=3 a=16 b=12 c=44 d=44 : a b c d : x a b c , x b c d , x a d , x b",
	"x=3 a=21 b=2 c=20 e=3 d=24 : a b c e d : x a b c , x b c e d , x a e d , e , b x c",
};

static void chosen_shape(void **state)
{
	for (int i = 2; i < 4; i++)
		check_text(*state, i);
}

static void random_shape(void **state)
{
	const int row = (int)(intptr_t)*state;
	struct gpube_rng r;
	char text[200];
	int a, b, c, d, x;

	gpube__rng_init(&r, (uint64_t)row);
	a = 16 + (int)gpube__rng_below(&r, 30);
	b = 1 + (int)gpube__rng_below(&r, 3);
	c = 16 + (int)gpube__rng_below(&r, 20);
	d = 16 + (int)gpube__rng_below(&r, 30);
	x = 2 + (int)gpube__rng_below(&r, 12);
	if (row % 3 == 2) {
		x = (x + 3) / 4 * 4;
	} else {
		c = c / 4 * 4;
		d = d / 4 * 4;
	}
	snprintf(text, sizeof(text), "x=%d a=%d b=%d c=%d d=%d : %s : %s%s", x, a, b, c, d,
		row % 2 ? "a b c d" : "c b a d",
		row % 3 == 0   ? "x a b c , x b c d , x a d"
		: row % 3 == 1 ? "b a x c , b c x d , x a d"
			       : "a c b x , b c d x , a d x",
		row % 5 < 2    ? ""
		: row % 5 == 2 ? " , x b"
		: row % 5 == 3 ? " , c b x"
			       : " , c , x");
	check_text(text, row);
}

static bool has_plan(const struct shape *s)
{
	struct gpube__triangle d;

	return plan(&d, s, 0);
}

static void refuses(void **state)
{
	static const char *const shapes[] = {
		"x=5 a=40 b=40 : a b : x a , x b",
		"x=5 a=40 b=42 c=40 : a b c : x a b , x b c , x a c", /* 42 is odd to 16 bytes */
		"x=6 a=40 b=40 c=40 : a b c : a b x , b c x , a c x", /* and so is 6 */
		"x=5 a=40 b=40 c=40 : a b c : x a b , x b c , x c a", /* a cycle of last dims */
		"x=5 a=40 b=40 c=40 : a b c : x a b , x b c , x a c , x a",
		"x=5 a=40 b=40 c=40 : a b c : x a b , x b c , a c",
		"x=5 y=4 a=40 b=40 c=40 : a b c : x a b , x b c , x a c , y x",
	};
	const struct gpube__box_device older = {132, 224u << 10, 228u << 10, false};
	int64_t stride[64 * GPUBE_MAX_DIMS];
	struct gpube__triangle d;
	struct gpube__shape shape;
	struct shape s;
	double cycles;

	(void)state;
	expect_no_plans(shapes, sizeof(shapes) / sizeof(*shapes), has_plan);
	assert_null(shape_parse(&s, chosen[0], GPUBE_MIN_PLUS, GPUBE_INT32));
	gpube__shape_init(&shape, &s.c, stride, 0);
	assert_false(gpube__triangle_plan(&d, &cycles, &older, &s.c, &shape));
	shape_free(&s);
}

static void every_kind(void **state)
{
	(void)state;
	for (int k = 0; k < 6; k++)
		if (!seen[k / 2][k % 2])
			fail_msg("no shape had a plan of kind %d", k);
}

int main(int argc, char **argv)
{
	struct cases c = {0};

	ADD_CHOSEN(&c, chosen_shape, chosen);
	add_numbers(&c, random_shape, N_RANDOM, "seed");
	ADD_CASE(&c, refuses);
	ADD_CASE(&c, every_kind);
	return run_plans(&c, "triangles", argc, argv);
}
