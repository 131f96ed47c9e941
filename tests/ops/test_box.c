/*
 * The boxes of the CUDA backend, without a device: plans of seeded random shapes and of chosen
 * ones are executed cell by cell with the index arithmetic that the kernels share, and compared
 * with the reference. Whatever is read must have been copied, and every output cell written. Of
 * tables of 2^32 cells and more, for which there is no memory, some boxes' copies are compared with
 * the cells that their output cells need.
 */
#include "tests/support/test.h"
#include "tests/support/large.h"
#include "tests/support/plans.h"
#include "tests/support/reference.h"

#include <math.h>

#include "gpube/ops/contract/contract_path.h"
#include "gpube/ops/semiring.h"

#define N_RANDOM 1600

static int seen[N_BOX_KERNELS]; /* plans that were executed */
static const struct gpube__box_device device = {132, 227u << 10, 228u << 10};

struct emulation {
	const struct shape *s;
	struct gpube__box box;
	uint32_t *words;
	int64_t *from; /* one chunk: the cell of the operand that lies here, -1: none */
	const char *problem;
};

/* 'n' cells from 'from' on to 'to' and after it, each 'step' from the one before. */
static void copy_cells(
	struct emulation *e, int k, int64_t from, uint32_t to, uint32_t n, uint32_t step)
{
	const int64_t cells = gpube__operand_cells(&e->s->c, e->box.order[k]);

	if (from < 0 || from + n > cells || to + (n - 1) * step >= e->box.buffer || from % n ||
		(step == 1 && to % n)) {
		e->problem = "a copy is out of range or not aligned";
		return;
	}
	for (uint32_t i = 0; i < n; i++) {
		if (e->from[to + i * step] != -1)
			e->problem = "two copies go to one place";
		e->from[to + i * step] = from + i;
	}
}

static void copy_chunk(struct emulation *e, uint32_t block, uint32_t chunk)
{
	const struct gpube__box *b = &e->box;
	const uint32_t x0 = gpube__box_chunk(b, chunk);

	for (uint32_t i = 0; i < b->buffer; i++)
		e->from[i] = -1;
	for (int k = 0; k < b->n_in; k++) {
		const struct gpube__box_table *t = &b->table[k];
		const int64_t start = gpube__box_start(b, k, block);

		if (t->x_is_lo && t->wide > 1 && !t->square)
			e->problem = "copies along X are of single cells";
		for (uint32_t i = 0; i < t->copies && !e->problem; i++) {
			uint32_t entry, x, to, offset;
			int64_t from;

			gpube__box_copy(t, i, &entry, &x);
			if (entry >= t->n_entries)
				e->problem = "no such entry";
			x *= t->square ? 4 : 1;
			/* each in as many bits as the kernels have */
			offset = e->words[t->entries + 2 * entry] +
				 (t->x_offsets ? e->words[t->x_offsets + x0 + x]
					       : x * (uint32_t)t->x_from);
			from = start + x0 * t->x_from + offset;
			to = e->words[t->entries + 2 * entry + 1] + x * t->x_to;
			if (!t->square)
				copy_cells(e, k, from, to, t->wide, 1);
			for (uint32_t row = 0; t->square && row < 4 && !e->problem; row++)
				copy_cells(e, k, from + row * t->row, to + row, 4, t->x_to);
			if (t->square && to % 4)
				e->problem = "a square is not aligned";
		}
	}
}

/* The cell of operand k that is read for the chunk's x, or -1 and a problem. */
static int64_t place(
	struct emulation *e, int k, uint32_t lane, uint32_t p, uint32_t q, uint32_t x)
{
	const struct gpube__box *b = &e->box;
	const struct gpube__box_table *t = &b->table[k];
	const uint32_t width = (uint32_t)gpube__box_kernels[b->kernel].q;
	const int kind = k < b->n_a                     ? 0
			 : k < b->n_a + b->n_b          ? 1
			 : k < b->n_a + b->n_b + b->n_s ? 2
							: 3;
	const uint32_t reg = kind == 0 ? p : kind == 1 ? q : kind == 2 ? 0 : p * width + q;
	const uint32_t at = e->words[t->positions + lane] + x * t->x_to +
			    (kind == 2 ? 0 : gpube__box_reg(t, reg));

	if (at < b->buffer && e->from[at] >= 0)
		return e->from[at];
	e->problem = "a cell is read that was not copied";
	return -1;
}

/* Sum of the joined cell, or a problem. */
static double joined(struct emulation *e, uint32_t lane, uint32_t p, uint32_t q, uint32_t x)
{
	double sum = 0;

	for (int k = 0; k < e->box.n_in; k++) {
		const int64_t at = place(e, k, lane, p, q, x);

		if (at < 0)
			return 0;
		sum += shape_value(e->s, e->box.order[k], at);
	}
	return sum;
}

static int64_t out_cell(const struct emulation *e, int64_t start, uint32_t lane, uint32_t p, uint32_t q)
{
	const struct gpube__box *b = &e->box;

	return start + e->words[b->out_positions + lane] + b->out_p[p] + b->out_q[q];
}

/* Best sums so far of all cells of a box, and their x. */
struct best {
	double *value;
	uint32_t *x;
};

static void run_block(struct emulation *e, uint32_t block, struct best best)
{
	const struct gpube__box *b = &e->box;
	const uint32_t cells = b->lanes * b->np * b->nq;

	for (uint32_t i = 0; i < cells; i++) {
		best.value[i] = INFINITY;
		best.x[i] = 0;
	}
	for (uint32_t chunk = 0; chunk < b->n_chunks && !e->problem; chunk++) {
		copy_chunk(e, block, chunk);
		for (uint32_t i = 0; i < cells && !e->problem; i++)
			for (uint32_t x = 0; x < b->chunk && !e->problem; x++) {
				const double v = joined(e, i / (b->np * b->nq),
								   i / b->nq % b->np, i % b->nq, x);

				if (v < best.value[i]) {
					best.value[i] = v;
					best.x[i] = gpube__box_chunk(b, chunk) + x;
				}
			}
	}
}

static void store_block(struct emulation *e, uint32_t block, struct best best)
{
	const struct gpube__box *b = &e->box;
	const struct gpube_contraction *c = &e->s->c;
	const int64_t start = gpube__box_start(b, -1, block);

	for (uint32_t i = 0; i < b->lanes * b->np * b->nq; i++) {
		const int64_t at = out_cell(e, start, i / (b->np * b->nq), i / b->nq % b->np,
			i % b->nq);
		const char *problem = shape_store(e->s, at, best.value[i]);

		e->problem = problem ? problem : e->problem;
		if (c->out_arg)
			gpube__store_arg(
				c->out_arg, c->arg_bytes, at, gpube__box_arg(b, best.x[i]));
	}
}

static void take_words(struct emulation *e)
{
	seen[e->box.kernel]++;
	e->words = malloc(((size_t)e->box.n_words + 1) * sizeof(*e->words));
	e->from = malloc(((size_t)e->box.buffer + 1) * sizeof(*e->from));
	for (uint32_t i = 0; i < e->box.n_items; i++)
		gpube__box_prepare(&e->box, i, e->words);
}

/* false: no plan */
static bool emulate(struct emulation *e, const struct shape *s, bool in_batch)
{
	int64_t stride[64 * GPUBE_MAX_DIMS];
	struct gpube__shape shape;
	struct best best;

	memset(e, 0, sizeof(*e));
	e->s = s;
	gpube__shape_init(&shape, &s->c, stride, s->c.out_arg != NULL);
	if (!gpube__boxes_apply(&(struct gpube__request){&device, &s->c, &shape, in_batch, true}))
		return false;
	if (!gpube__box_plan(&e->box, &device, &s->c, &shape, in_batch))
		return false;
	take_words(e);
	best.value = malloc((size_t)e->box.lanes * 128 * sizeof(*best.value));
	best.x = malloc((size_t)e->box.lanes * 128 * sizeof(*best.x));
	for (uint32_t block = 0; block < e->box.blocks && !e->problem; block++) {
		run_block(e, block, best);
		store_block(e, block, best);
	}
	free(best.value);
	free(best.x);
	free(e->words);
	free(e->from);
	return true;
}

/* Whether the contraction has a plan. */
static bool check(struct shape *s, bool in_batch)
{
	struct emulation e;

	shape_poison(s);
	if (!emulate(&e, s, in_batch))
		return false;
	shape_expect(s, e.problem, e.box.kernel);
	return true;
}

/* Values as large as int64 has them do not fit the doubles of the emulation. */
static bool exact(const struct shape *s)
{
	return s->c.type != GPUBE_INT64 ||
	       (s->c.cut < (int64_t)1 << 40 && s->c.threshold < (int64_t)1 << 40);
}

static void random_shape(void **state)
{
	const uint64_t seed = (uint64_t)(uintptr_t)*state;
	struct shape s;

	shape_random(&s, seed, seed % 8 ? 5000 : 20000);
	if (!exact(&s))
		shape_fill(&s, seed, SHAPE_TIES, s.c.semiring == GPUBE_MIN_COUNT);
	check(&s, seed / 3 % 2);
	shape_free(&s);
}

/* Every kernel, and every way in which the reduced dims lie. */
static const char *const chosen[] = {
	"x=37 a=33 b=129 : a b : x a , x b",
	"x=37 a=33 b=129 : a b : a x , b x",
	"x=37 a=33 b=40 : a b : a x , b x , x , a , b",
	"x=64 a=24 b=24 : a b : x a , x b , a b",
	"x=44 a=24 b=40 : a b : a x , b x",
	"x=44 a=24 b=40 c=4 : a b c : a c x , c b x , c",
	"x=32 a=24 b=16 c=16 : a b c : x a c , x b c",
	"x=32 a=24 b=16 c=16 : a b c : a x c , b x c , a b x",
	"x=10 a=10 b=10 c=10 : a b c : x a b c , x a , x b , x c , x",
	"x=10 a=10 b=10 c=10 : a b c : a b c x , a x , b x , c x , x",
	"x=10 a=10 b=10 c=10 : a b c : a b x c , a x , x b , c x",
	"x=9 a=11 b=7 c=13 d=5 : a b c d : d c b a x , x c a , b d",
	"x=9 a=11 b=7 c=13 d=5 : d c b a : x a b , x b c , x c d , x d a",
	"x=20 a=20 b=20 c=20 : a b c : x a b , x b c , x a c",
	"x=20 a=20 b=20 c=20 : a b c : a b x , b c x , a c x",
	"x=20 a=20 b=20 c=20 : c b a : x a c , x b c",
	"x=12 y=11 a=20 b=21 : a b : x a y , y x b",
	"x=12 y=11 a=20 b=21 : a b : a x y b , y",
	"x=2 a=2 b=2 c=2 d=2 e=2 f=2 g=2 h=2 i=2 j=2 k=2 : a b c d e f g h i j k : "
	"x a b c d e f g h , x d e f g h i j k , x b f j , x c d , a k",
	"x=2 a=2 b=2 c=2 d=2 e=2 f=2 g=2 h=2 i=2 j=2 k=2 : a b c d e f g h i j k : "
	"a b c d e f g h x , d e f g h i j x k , x b f j , x c d , a k",
	"x=20 a=10 b=10 c=16 d=4 : a b c d : x a c , x b c , x a d , x b d",
	"x=3 a=3000 : a : x a , x",
	"x=3 y=900 : x : y x",
	"x=5 : : x",
	"x=16 a=16 b=16 c=16 : a b c : a b c x , a x , x b",
};

static const enum gpube_type types[] = {GPUBE_INT32, GPUBE_INT64};

static void chosen_shape(void **state)
{
	for (size_t i = 0; i < 8; i++) {
		struct shape s;

		assert_null(shape_parse(&s, *state, GPUBE_MIN_PLUS, types[i % 2]));
		if (i / 4 == 1)
			shape_want_arg(&s);
		shape_fill(&s, i, SHAPE_TIES, false);
		assert_true(check(&s, i / 2 % 2));
		shape_free(&s);
	}
}

/* Some cells of a block and a chunk: that what they read are those which belong together. */
static void check_cells(struct emulation *e, const struct gpube__shape *shape, uint32_t block,
	struct gpube_rng *rng)
{
	const struct gpube__box *b = &e->box;
	const int64_t start = gpube__box_start(b, -1, block);
	const uint32_t chunk = (uint32_t)gpube__rng_below(rng, b->n_chunks);

	copy_chunk(e, block, chunk);
	for (int i = 0; i < 40 && !e->problem; i++) {
		const uint32_t lane = (uint32_t)gpube__rng_below(rng, b->lanes);
		const uint32_t p = (uint32_t)gpube__rng_below(rng, b->np);
		const uint32_t q = (uint32_t)gpube__rng_below(rng, b->nq);
		const uint32_t x = (uint32_t)gpube__rng_below(rng, b->chunk);
		const int64_t out = out_cell(e, start, lane, p, q);

		assert_in_range(out, 0, shape->n_out_cells - 1);
		for (int k = 0; k < b->n_in; k++)
			assert_int_equal(place(e, k, lane, p, q, x),
				large_cell(shape, b->order[k], out,
					gpube__box_chunk(b, chunk) + x));
	}
}

static void large_tables(void **state)
{
	const int row = (int)(intptr_t)*state;
	int64_t stride[64 * GPUBE_MAX_DIMS];
	struct gpube__shape shape;
	struct emulation e = {0};
	struct shape s;
	struct gpube_rng rng;

	shape_large(&s, row, types[row % 2]);
	if (row % 8 == 7) {
		s.c.out_arg = &s; /* never written */
		s.c.arg_bytes = 4;
	}
	gpube__shape_init(&shape, &s.c, stride, s.c.out_arg != NULL);
	e.s = &s;
	if (!gpube__box_plan(&e.box, &device, &s.c, &shape, row % 3 == 0))
		fail_msg("%s: no plan", s.text);
	take_words(&e);
	gpube__rng_init(&rng, (uint64_t)row);
	for (int i = 0; i < 6 && !e.problem; i++)
		check_cells(&e, &shape,
			i == 0   ? 0
			: i == 1 ? e.box.blocks - 1
				 : (uint32_t)gpube__rng_below(&rng, e.box.blocks),
			&rng);
	if (e.problem)
		fail_msg("%s, kernel %u: %s", s.text, e.box.kernel, e.problem);
	free(e.words);
	free(e.from);
	shape_large_free(&s);
}

/* The shapes above are chosen such that each kernel has some. */
static void every_kernel(void **state)
{
	(void)state;
	for (int k = 0; k < N_BOX_KERNELS; k++)
		if (!seen[k])
			fail_msg("no shape had a plan for kernel %d", k);
}

int main(int argc, char **argv)
{
	struct cases c = {0};

	ADD_CHOSEN(&c, chosen_shape, chosen);
	add_numbers(&c, random_shape, N_RANDOM, "seed");
	add_numbers(&c, large_tables, N_LARGE, "large");
	ADD_CASE(&c, every_kernel);
	return run_plans(&c, "boxes", argc, argv);
}
