/*
 * Batches of contractions by whole tables, without a device: plans of seeded random shapes and of
 * chosen ones are executed cell by cell with the index arithmetic that the kernels share, and
 * compared with the reference. No read may leave its table, none be misaligned, and every output
 * cell is written.
 */
#include "tests/support/test.h"
#include "tests/support/plans.h"
#include "tests/support/reference.h"

#include <math.h>

#include "gpube/ops/contract/contract_whole.h"

#define N_RANDOM 600
#define MANY     10000 /* contractions of a batch */

static int seen[N_WHOLE_KERNELS][5], seen_rounds, seen_groups, seen_sides;
/* without bulk copies, and with them */
static const struct gpube__box_device devices[2] = {
	{132, 227u << 10, 228u << 10, false}, {132, 227u << 10, 228u << 10, true}};

struct emulation {
	const struct shape *s;
	const struct gpube__box_device *device;
	struct gpube__whole d;
	const char *problem;
};

/* What a lane reads in a slot for its register cell 'reg' at x. */
static double term(
	struct emulation *e, int side, int i, const uint32_t *at, uint32_t reg, uint32_t x)
{
	const struct gpube__whole_slot *s = &e->d.slot[side][i];
	const struct gpube__whole_table *t;
	uint32_t place;

	if (s->op < 0)
		return 0;
	t = &e->d.table[s->op];
	place = gpube__whole_place(&e->d, s, at) + e->d.value[side][reg] * s->reg + x * s->x;
	if (x % e->d.wide == 0 && place % e->d.wide != 0)
		e->problem = "a wide read that is not aligned";
	if (place < t->at || place - t->at >= t->cells) {
		e->problem = "a cell outside of its table";
		return 0;
	}
	return shape_value(e->s, s->op, place - t->at);
}

static void run_cell(struct emulation *e, const uint32_t *at, uint32_t p, uint32_t v)
{
	const struct gpube__whole *d = &e->d;
	const uint32_t out = gpube__whole_sum(at, d->out_lane) + d->value[0][p] * d->out_reg[0] +
			     d->value[1][v] * d->out_reg[1];
	double best = INFINITY;
	const char *problem;

	for (uint32_t x = 0; x < d->n_x; x++) {
		double sum = 0;

		for (int i = 0; i < GPUBE_WHOLE_SIDE; i++)
			sum += term(e, 0, i, at, p, x) + term(e, 1, i, at, v, x);
		if (sum < best)
			best = sum;
	}
	problem = shape_store(e->s, out, best);
	e->problem = problem ? problem : e->problem;
}

/* Tables lie in a stage one after the other, at whole runs of 16 bytes; all blocks find room. */
static void check_stage(const struct emulation *e)
{
	const struct gpube__whole *d = &e->d;
	uint32_t words = 0;

	for (uint32_t k = 0; k < d->n_ops; k++) {
		assert_int_equal(d->table[k].at % 4, 0);
		assert_in_range(d->table[k].at, words, d->words - d->table[k].cells);
		words = d->table[k].at + d->table[k].cells;
	}
	assert_int_equal(d->words % 4, 0);
	assert_in_range(d->stages, 2, GPUBE_WHOLE_STAGES);
	assert_true(d->shared_bytes <= e->device->shared_bytes);
	assert_true(d->at_once * d->shared_bytes <= e->device->sm_shared_bytes);
	assert_true(d->threads <= GPUBE_WHOLE_THREADS && d->threads % 32 == 0);
	if (gpube__whole_kernels[d->kernel].bulk) {
		assert_int_equal(d->per_block, 1);
		assert_true(d->lanes <= d->threads);
		assert_true(d->n_of[0] && d->n_of[1] && d->n_of[0] + d->n_of[1] == d->n_ops);
		assert_true(4 * (d->words * d->stages + d->out_cells) < d->shared_bytes);
	} else {
		assert_true(GPUBE_WHOLE_RING >= 2 * GPUBE_WHOLE_STAGES);
		assert_true(4 * d->words * d->per_block * d->stages < d->shared_bytes);
		assert_true(d->per_block == 1 || d->lanes * d->per_block <= d->threads);
	}
}

/* Whether the contraction has a plan for a device. */
static bool check_on(const struct gpube__box_device *device, struct shape *s)
{
	int64_t stride[64 * GPUBE_MAX_DIMS];
	struct gpube__shape shape;
	struct emulation e = {.s = s, .device = device};
	double cycles = -1;

	gpube__shape_init(&shape, &s->c, stride, s->c.out_arg != NULL);
	if (!gpube__whole_plan(&e.d, &cycles, device, &s->c, &shape, MANY))
		return false;
	assert_true(cycles > 0);
	check_stage(&e);
	seen[e.d.kernel][e.d.wide]++;
	seen_rounds += e.d.lanes > e.d.threads;
	seen_groups += e.d.per_block > 1;
	seen_sides += e.d.n_sides > 1;
	shape_poison(s);
	for (uint32_t lane = 0; lane < e.d.lanes && !e.problem; lane++) {
		const struct gpube__whole_kernel_info *kernel = &gpube__whole_kernels[e.d.kernel];
		uint32_t at[GPUBE_WHOLE_AXES];

		gpube__whole_lane(&e.d, lane, at);
		for (uint32_t p = 0; p < (uint32_t)kernel->p; p++)
			for (uint32_t v = 0; v < (uint32_t)kernel->v; v++)
				run_cell(&e, at, p, v);
	}
	shape_expect(s, e.problem, e.d.kernel);
	return true;
}

static bool check(struct shape *s)
{
	const bool by_copies = check_on(&devices[0], s), any = check_on(&devices[1], s);

	assert_true(any || !by_copies);
	return any;
}

static void random_shape(void **state)
{
	struct shape s;

	shape_random(&s, (uint64_t)(uintptr_t)*state, 10000);
	check(&s);
	shape_free(&s);
}

static const char *const chosen[] = {
	"x=10 a=10 b=10 c=10 : a b c : x a b , x b c , x a",
	"x=10 a=10 b=10 c=10 : a b c : a x b , b x c , a x",
	"x=10 a=10 b=10 c=10 : a b c : a b x , b c x , a x",
	"x=8 a=8 b=8 c=8 d=8 : a b c d : x a b c , x c d , x b",
	"x=8 a=8 b=8 c=8 d=8 : a b c d : a b c x , c d x , b x",
	"x=8 a=8 b=8 c=8 d=8 : a b c d : a b c x , c d x",
	"x=7 a=9 b=11 c=5 : a b c : a b x , b c x , a x , c x",
	"x=6 a=9 b=11 c=5 : a b c : a b x , b c x , x a",
	"x=6 a=9 b=11 c=5 : a b c : a b x , b c x , a",
	"x=4 a=3 b=2 c=5 : a b c : x c , x b , x a",
	"x=4 a=3 b=5 : b a : a x , b x , x",
	"x=6 a=3 b=5 : b a : a x , b x",
	"x=5 a=4 : a : x a",
	"x=8 a=33 b=7 : a b : a b x , b x",
	"x=6 a=33 b=7 : a b : a b x , a x",
	"x=12 a=13 b=14 c=15 : c a b : a x , b c x",
	"x=12 a=12 b=10 c=10 : a b c : a b x , b c x , a x",
	"x=20 a=20 b=20 : a b : x a b , x b , x a",
	"x=6 a=16 b=16 c=8 : a b c : a b x , b c x , a x",
	"x=7 a=7 b=7 c=7 : a b c : x a b , x b c , x a",
	"a=12 b=13 : a b : b a , a",
	"x=3 a=2 b=2 c=2 d=2 e=2 f=2 g=2 : a b c d e f g : x a b e , x g f , d c",
};

static void chosen_shape(void **state)
{
	for (size_t i = 0; i < 2; i++) {
		struct shape s;

		shape_of_text(&s, *state, i % 2 ? GPUBE_FLOAT32 : GPUBE_INT32, i, SHAPE_TIES);
		assert_true(check(&s));
		shape_free(&s);
	}
}

static void refuses(void **state)
{
	static const char *const shapes[] = {
		"x=5 : : x", "x=5 a=100 b=1000 : a b : x a b", /* a table of 2 MB */
		"x=5 y=4 a=8 b=8 : a b : x a y , y b x , x",   /* two reduced dims */
		"x=5 a=8 b=8 : a b : x a , x b , a , b , a b", /* five operands */
	};
	struct gpube__whole d;
	int64_t stride[64 * GPUBE_MAX_DIMS];
	struct gpube__shape shape;
	struct shape s;
	double cycles;

	(void)state;
	for (size_t i = 0; i < sizeof(shapes) / sizeof(*shapes); i++) {
		assert_null(shape_parse(&s, shapes[i], GPUBE_MIN_PLUS, GPUBE_INT32));
		gpube__shape_init(&shape, &s.c, stride, false);
		assert_false(gpube__whole_plan(&d, &cycles, &devices[1], &s.c, &shape, MANY));
		shape_free(&s);
	}
	assert_null(shape_parse(&s, chosen[0], GPUBE_MIN_PLUS, GPUBE_INT32));
	gpube__shape_init(&shape, &s.c, stride, false);
	assert_false(gpube__whole_plan(&d, &cycles, &devices[1], &s.c, &shape, 100)); /* too few */
	shape_free(&s);
}

static void every_kind(void **state)
{
	(void)state;
	for (int k = 0; k < N_WHOLE_KERNELS; k++)
		for (int w = 1; w <= 4; w *= 2)
			if (!seen[k][w])
				fail_msg("no shape had a plan for kernel %d by %d of x", k, w);
	assert_true(seen_rounds > 0);
	assert_true(seen_groups > 0);
	assert_true(seen_sides > 0);
}

int main(int argc, char **argv)
{
	struct cases c = {0};

	ADD_CHOSEN(&c, chosen_shape, chosen);
	add_numbers(&c, random_shape, N_RANDOM, "seed");
	ADD_CASE(&c, refuses);
	ADD_CASE(&c, every_kind);
	return run_plans(&c, "whole tables", argc, argv);
}
