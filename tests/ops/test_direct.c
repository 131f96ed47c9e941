/*
 * The direct tiles of the CUDA backend, without a device: plans of seeded random shapes and of
 * chosen ones are executed cell by cell with the index arithmetic that the kernels share, and
 * compared with the reference. No read may leave its table, none be misaligned, and every output
 * cell is written. Of tables of 2^32 cells and more, for which there is no memory, some threads'
 * reads are compared with the cells that their output cells need.
 */
#include "tests/support/test.h"
#include "tests/support/large.h"
#include "tests/support/plans.h"
#include "tests/support/reference.h"

#include <math.h>

#include "gpube/ops/contract/contract_path.h"

#define N_RANDOM 1200

static int seen[N_DIRECT_KERNELS], seen_x, seen_others;
static const struct gpube__box_device device = {132, 227u << 10, 228u << 10};

struct emulation {
	const struct shape *s;
	struct gpube__direct d;
	int64_t start[N_DIRECT_TABLES]; /* of the thread in each table */
	const char *problem;
};

/* The cell of table k that is read for the tile's cell (p, r, v) at x, or at x + v; -1: a problem. */
static int64_t place(struct emulation *e, int k, uint32_t p, uint32_t r, uint32_t v, uint32_t x)
{
	const struct gpube__direct *d = &e->d;
	const struct gpube__direct_kernel_info *kernel = &gpube__direct_kernels[d->kernel];
	const struct gpube__direct_steps *s = &d->steps[k];
	const bool of_v = k == DIRECT_PV || k == DIRECT_RV || k == DIRECT_V0 ||
			  (k >= (int)d->end_s && k < (int)d->end_v) ||
			  k >= (int)d->end_r;
	/* each in as many bits as the kernels have */
	int64_t at = e->start[k] + (int64_t)(gpube__direct_x_offset(d, k, x) / 4) + p * s->p +
		     r * s->r;
	const int64_t cells = gpube__operand_cells(&e->s->c, d->order[k]);

	if (s->wide && (s->p == 1 ? at - p : at - r) % 4)
		e->problem = "a wide read that is not aligned";
	if (s->wide && (s->p == 1 ? d->np != (uint32_t)kernel->p : d->nr != 4))
		e->problem = "a wide read of too few cells";
	if (of_v && at % kernel->v)
		e->problem = "a read along V that is not aligned";
	at += of_v ? v : 0;
	if (at < 0 || at >= cells) {
		e->problem = "a cell outside of its table";
		return -1;
	}
	return at;
}

/* What it adds. */
static double term(struct emulation *e, int k, uint32_t p, uint32_t r, uint32_t v, uint32_t x)
{
	const int64_t at = place(e, k, p, r, v, x);

	return at < 0 ? 0 : shape_value(e->s, e->d.order[k], at);
}

static double best_of(struct emulation *e, uint32_t p, uint32_t r, uint32_t v)
{
	const uint32_t nv = (uint32_t)gpube__direct_kernels[e->d.kernel].v;
	double best = INFINITY;

	for (uint32_t step = 0; step < e->d.n_steps; step++)
		for (uint32_t i = 0; i < (e->d.v_is_x ? nv : 1); i++) {
			double sum = 0;

			for (int k = 0; k < N_DIRECT_TABLES; k++)
				if (e->d.order[k] >= 0)
					sum += term(e, k, p, r, e->d.v_is_x ? i : v,
						gpube__direct_x(&e->d, step));
			if (sum < best)
				best = sum;
		}
	return best;
}

static void store_cell(struct emulation *e, int64_t at, double v)
{
	const char *problem = shape_store(e->s, at, v);

	e->problem = problem ? problem : e->problem;
}

/* Where a thread begins in all tables. Returns its first output cell. */
static int64_t start_thread(struct emulation *e, uint32_t block, uint32_t lane)
{
	const struct gpube__direct *d = &e->d;
	int64_t out = gpube__direct_block(d, -1, block);
	uint32_t at[GPUBE_DIRECT_LANES];

	gpube__direct_lane(d, lane, at);
	out += gpube__direct_offset(at, d->out_lane);
	for (int k = 0; k < N_DIRECT_TABLES; k++)
		e->start[k] = gpube__direct_block(d, k, block) +
			      gpube__direct_offset(at, d->table[k].lane);
	if (!d->v_is_x && out % gpube__direct_kernels[d->kernel].v)
		e->problem = "a write that is not aligned";
	return out;
}

static int64_t out_cell(const struct gpube__direct *d, int64_t out, uint32_t p, uint32_t r)
{
	return out + (p * d->out_p + r * d->out_r);
}

static void run_thread(struct emulation *e, uint32_t block, uint32_t lane)
{
	const struct gpube__direct *d = &e->d;
	const uint32_t nv = (uint32_t)gpube__direct_kernels[d->kernel].v;
	const int64_t out = start_thread(e, block, lane);

	for (uint32_t p = 0; p < d->np; p++)
		for (uint32_t r = 0; r < d->nr; r++)
			for (uint32_t v = 0; v < (d->v_is_x ? 1 : nv); v++)
				store_cell(e, out_cell(d, out, p, r) + v, best_of(e, p, r, v));
}

/* Whether the contraction has a plan. */
static bool check(struct shape *s, bool in_batch)
{
	int64_t stride[64 * GPUBE_MAX_DIMS];
	struct gpube__shape shape;
	struct emulation e = {.s = s};
	double cycles = -1;

	gpube__shape_init(&shape, &s->c, stride, s->c.out_arg != NULL);
	if (!gpube__direct_applies(&(struct gpube__request){&device, &s->c, &shape, in_batch, true}))
		return false;
	if (!gpube__direct_plan(&e.d, &cycles, &device, &s->c, &shape, in_batch))
		return false;
	assert_true(cycles > 0);
	assert_true(e.d.lanes * e.d.per_block <= e.d.threads);
	assert_true(e.d.threads <= GPUBE_DIRECT_THREADS_R);
	seen[e.d.kernel]++;
	seen_x += e.d.v_is_x != 0;
	seen_others += e.d.end_rv > N_DIRECT_PLACES;
	shape_poison(s);
	for (uint32_t block = 0; block < e.d.blocks; block++)
		for (uint32_t lane = 0; lane < e.d.lanes && !e.problem; lane++)
			run_thread(&e, block, lane);
	shape_expect(s, e.problem, e.d.kernel);
	return true;
}

static void random_shape(void **state)
{
	const uint64_t seed = (uint64_t)(uintptr_t)*state;
	struct shape s;

	shape_random(&s, seed, seed % 8 ? 5000 : 20000);
	check(&s, seed / 3 % 2);
	shape_free(&s);
}

/* Every kernel, every class of operand, x in every place. */
static const char *const chosen[] = {
	"x=37 a=33 b=129 : a b : x a , x b",
	"x=37 a=33 b=128 : a b : a x , b x",
	"x=36 a=33 b=40 : a b : a x , b x , x , a , b",
	"x=64 a=24 b=24 : a b : x a , x b , a b",
	"x=44 a=24 b=40 c=8 : a b c : a c x , c b x , c",
	"x=32 a=24 b=16 c=16 : a b c : x a c , x b c",
	"x=32 a=24 b=16 c=16 : a b c : x a b , x b c , x a c , x b",
	"x=31 a=23 b=17 c=14 : a b c : x a b , x b c , x a c , x a , x b , x c , x",
	"x=10 a=10 b=10 c=10 d=4 : a b c d : x a b c d , x a , x b , x c , x , x d",
	"x=10 a=10 b=10 c=10 : a b c : a b c x , a x , b x , c x , x",
	"x=10 a=10 b=10 c=10 : a b c : a b x c , a x , x b , c x",
	"x=9 a=11 b=7 c=13 d=5 : a b c d : d c b a x , x c a , b d",
	"x=9 a=11 b=7 c=13 d=5 : d c b a : x a b , x b c , x c d , x d a",
	"x=2 a=2 b=2 c=2 d=2 e=2 f=2 g=2 h=2 i=2 j=2 k=2 : a b c d e f g h i j k : "
	"x a b c d e f g h , x d e f g h i j k , x b f j , x c d , a k",
	"x=2 a=2 b=2 c=2 d=2 e=2 f=2 g=2 h=2 i=2 j=2 k=2 : a b c d e f g h i j k : "
	"a b c d e f g h x , d e f g h i j x k , x b f j , x c d , a k",
	"x=6 a=12 b=12 : a b : x a b , x a , x b , x , a , b , a b , x , b , x a , x b",
	"a=12 b=13 : a b : b a , a",
	"x=5 : : x",
	"x=3 a=3000 : a : x a , x",
};

static void chosen_shape(void **state)
{
	for (size_t i = 0; i < 2; i++) {
		struct shape s;

		shape_of_text(&s, *state, GPUBE_INT32, i, SHAPE_TIES);
		assert_true(check(&s, i));
		shape_free(&s);
	}
}

/* One output cell of a thread at a random x: that its reads are those which belong together. */
static void check_cell(
	struct emulation *e, const struct gpube__shape *shape, int64_t first, struct gpube_rng *rng)
{
	const struct gpube__direct *d = &e->d;
	const uint32_t nv = (uint32_t)gpube__direct_kernels[d->kernel].v;
	const uint32_t p = (uint32_t)gpube__rng_below(rng, d->np);
	const uint32_t r = (uint32_t)gpube__rng_below(rng, d->nr);
	const uint32_t v = (uint32_t)gpube__rng_below(rng, nv);
	const uint32_t step = (uint32_t)gpube__rng_below(rng, d->n_steps);
	const uint32_t x = gpube__direct_x(d, step);
	const int64_t out = out_cell(d, first, p, r) + (d->v_is_x ? 0 : v);

	assert_in_range(out, 0, shape->n_out_cells - 1);
	for (int k = 0; k < N_DIRECT_TABLES; k++)
		if (d->order[k] >= 0)
			assert_int_equal(place(e, k, p, r, v, x),
				large_cell(shape, d->order[k], out, x + (d->v_is_x ? v : 0)));
}

/* Every output cell lies in a block's box: along each dim the boxes reach its end. */
static void check_ends(const struct emulation *e, const struct gpube__shape *shape)
{
	const struct gpube__direct *d = &e->d;
	int64_t last = gpube__direct_block(d, -1, d->blocks - 1);
	uint32_t at[GPUBE_DIRECT_LANES];

	gpube__direct_lane(d, d->lanes - 1, at);
	last += gpube__direct_offset(at, d->out_lane);
	last = out_cell(d, last, d->np - 1, d->nr - 1);
	last += d->v_is_x ? 0 : gpube__direct_kernels[d->kernel].v - 1;
	assert_int_equal(last, shape->n_out_cells - 1);
}

/* No plan is made where a step of x is odd and past 32 bits: only boxes are left. */
static bool odd_step(const struct gpube__shape *shape)
{
	for (int k = 0; k < shape->n_in; k++) {
		const int64_t step = shape->stride[k * shape->ld + shape->n_out];

		if (step % 2 && step > UINT32_MAX)
			return true;
	}
	return false;
}

static void large_tables(void **state)
{
	const int row = (int)(intptr_t)*state;
	int64_t stride[64 * GPUBE_MAX_DIMS];
	struct gpube__shape shape;
	struct emulation e = {0};
	struct shape s;
	struct gpube_rng rng;
	double cycles;

	shape_large(&s, row, GPUBE_INT32);
	gpube__shape_init(&shape, &s.c, stride, 0);
	e.s = &s;
	if (!gpube__direct_plan(&e.d, &cycles, &device, &s.c, &shape, row % 3 == 0)) {
		if (!odd_step(&shape))
			fail_msg("%s: no plan", s.text);
		shape_large_free(&s);
		return;
	}
	gpube__rng_init(&rng, (uint64_t)row);
	check_ends(&e, &shape);
	for (int i = 0; i < 200; i++) {
		const uint32_t block = i == 0   ? 0
				       : i == 1 ? e.d.blocks - 1
						: (uint32_t)gpube__rng_below(&rng, e.d.blocks);
		const int64_t first =
			start_thread(&e, block, (uint32_t)gpube__rng_below(&rng, e.d.lanes));

		check_cell(&e, &shape, first, &rng);
		if (e.problem)
			fail_msg("%s, kernel %u: %s", s.text, e.d.kernel, e.problem);
	}
	shape_large_free(&s);
}

static void every_kind(void **state)
{
	(void)state;
	for (int k = 0; k < N_DIRECT_KERNELS; k++)
		if (!seen[k])
			fail_msg("no shape had a plan for kernel %d", k);
	assert_true(seen_x > 0);
	assert_true(seen_others > 0);
}

int main(int argc, char **argv)
{
	struct cases c = {0};

	ADD_CHOSEN(&c, chosen_shape, chosen);
	add_numbers(&c, random_shape, N_RANDOM, "seed");
	add_numbers(&c, large_tables, N_LARGE, "large");
	ADD_CASE(&c, every_kind);
	return run_plans(&c, "direct tiles", argc, argv);
}
