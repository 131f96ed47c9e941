/*
 * The strips of the CUDA backend, without a device: plans of seeded random shapes and of chosen
 * ones are executed with the index arithmetic that the kernels share, copy by copy, and compared
 * with the reference. No read may leave its table, none be misaligned, and every output cell is
 * written.
 */
#include "tests/support/test.h"
#include "tests/support/afar.h"
#include "tests/support/plans.h"
#include "tests/support/reference.h"

#include <math.h>
#include <stdlib.h>

#include "gpube/ops/contract/contract_path.h"

#define N_RANDOM 800

static int seen[N_STRIP_KERNELS], seen_how[3], seen_s, seen_loop, seen_ragged;
static const struct gpube__box_device device = {132, 227u << 10, 228u << 10};

struct emulation {
	const struct shape *s;
	const struct afar *afar; /* not NULL: whose tables these are */
	struct gpube__strip d;
	double *shared; /* NAN: nothing was written there */
	uint32_t *list; /* of the same size, for the lists */
	int64_t in[GPUBE_STRIP_OPS], out;
	int64_t carries[GPUBE_STRIP_OUTER + 1][GPUBE_STRIP_OPS + 1];
	const char *problem;
};

static double value(struct emulation *e, uint32_t k, int64_t at)
{
	const int order = e->d.op[k].order;

	if (at < 0 || at >= gpube__operand_cells(&e->s->c, order)) {
		e->problem = "a cell outside of its table";
		return 0;
	}
	if (e->afar)
		return afar_cell(order, at);
	return shape_value(e->s, order, at);
}

static void store_shared(struct emulation *e, uint32_t word, double v)
{
	if (word >= e->d.shared_bytes / 4)
		e->problem = "a word outside of shared memory";
	else
		e->shared[word] = v;
}

static void copy(struct emulation *e, int64_t from, uint32_t to, uint32_t wide)
{
	if (from % wide || to % wide)
		e->problem = "a wide copy that is not aligned";
	for (uint32_t v = 0; v < wide; v++)
		store_shared(e, to + v, value(e, 0, from + v));
}

static void copy_r(struct emulation *e)
{
	const struct gpube__strip *d = &e->d;
	const uint32_t step = d->op[0].x;

	for (uint32_t t = 0; t < d->threads; t++) {
		struct gpube__strip_copied at = gpube__strip_first_copy(&d->copy, t);
		const uint32_t wide = d->r_how == STRIP_CELLS ? 1 : 4;

		for (uint32_t x = 0; d->r_how == STRIP_FOURS && x < d->n_x && t < d->quads; x++)
			copy(e, e->in[0] + 4 * t + (int64_t)x * step, x * d->r_row + 4 * t, wide);
		for (uint32_t i = t; d->r_how != STRIP_FOURS && i < d->copy.n; i += d->threads) {
			copy(e, e->in[0] + at.from, at.to, wide);
			at = gpube__strip_next_copy(&d->copy, at);
		}
	}
}

/* The word of R for cell v of thread t. */
static uint32_t r_word(const struct gpube__strip *d, uint32_t t, uint32_t v, uint32_t x)
{
	return d->r_how == STRIP_FOURS_X ? t * d->r_row + v * d->n_x + x : x * d->r_row + 4 * t + v;
}

static void list_init(struct emulation *e, int which)
{
	const struct gpube__strip_table *t = &e->d.table[which];

	for (uint32_t k = 0; k < t->n; k++)
		for (uint32_t i = 0; i < t->cells; i++)
			e->list[t->list + k * t->cells + i] =
				gpube__strip_entry(&e->d, t, gpube__strip_slot(which, k), i);
}

static void sum_cell(struct emulation *e, int which, uint32_t cell, uint32_t x, uint32_t buffer)
{
	const struct gpube__strip_table *t = &e->d.table[which];
	double sum = 0;

	for (uint32_t i = 0; i < t->n; i++) {
		const uint32_t k = gpube__strip_slot(which, i);

		sum += value(
			e, k, e->in[k] + e->list[t->list + i * t->cells + cell] + x * e->d.op[k].x);
	}
	store_shared(e, t->at + buffer * t->room + x * t->cells + cell, sum);
}

static void sum_table(struct emulation *e, int which, uint32_t buffer)
{
	const struct gpube__strip *d = &e->d;
	const struct gpube__strip_table *t = &d->table[which];

	for (uint32_t thread = 0; thread < d->threads; thread++) {
		const uint32_t row = gpube__strip_split(thread, t->side, t->by_side);

		for (uint32_t cell = thread - row * t->side; row < t->rows && cell < t->cells;
			cell += t->side)
			for (uint32_t i = 0; i < t->each; i++)
				sum_cell(e, which, cell, gpube__strip_x(d, t, row, i), buffer);
	}
}

static void store_cell(struct emulation *e, int64_t at, double v)
{
	if (at < 0 || at >= e->s->out_cells)
		e->problem = "a cell outside of the output";
	else if (isnan(v))
		e->problem = "a word that was not written";
	else if (e->afar && v != afar_expected(e->afar, at))
		e->problem = "a cell that is wrong";
	else if (!e->afar)
		shape_store(e->s, at, v);
}

static void run_thread(struct emulation *e, uint32_t t, uint32_t buffer)
{
	const struct gpube__strip *d = &e->d;
	const struct gpube__strip_table *const tl = &d->table[STRIP_L], *const ts =
										&d->table[STRIP_S];
	const uint32_t l = tl->at + buffer * tl->room + gpube__strip_place(d, tl, 4 * t);
	const uint32_t s = ts->at + buffer * ts->room + gpube__strip_place(d, ts, 4 * t);

	if ((ts->n && (s % 4 || ts->cells % 4)) || (tl->group > 1 && (l % 4 || tl->cells % 4)))
		e->problem = "a wide read that is not aligned";
	for (uint32_t p = 0; p < d->np; p++)
		for (uint32_t v = 0; v < 4; v++) {
			double best = INFINITY;

			for (uint32_t x = 0; x < d->n_x; x++) {
				const double sum = e->shared[r_word(d, t, v, x)] +
						   e->shared[l + x * tl->cells + p] +
						   (ts->n ? e->shared[s + x * ts->cells + v] : 0);

				best = sum < best || isnan(sum) ? sum : best;
			}
			store_cell(e, e->out + d->out_p[p] + 4 * t + v, best);
		}
	for (uint32_t p = 0; p < d->np; p++)
		if ((e->out + d->out_p[p]) % 4)
			e->problem = "a write that is not aligned";
}

static void run_block(struct emulation *e, uint32_t block)
{
	const struct gpube__strip *d = &e->d;
	const uint32_t begin = gpube__strip_first_unit(d, block);
	const uint32_t end = gpube__strip_first_unit(d, block + 1);

	for (uint32_t i = 0; i < d->shared_bytes / 4; i++)
		e->shared[i] = NAN;
	list_init(e, STRIP_L);
	list_init(e, STRIP_S);
	for (int k = -1; k < GPUBE_STRIP_OPS; k++)
		if (k < 0 || d->op[k].order >= 0)
			gpube__strip_carries(d, k, &e->carries[0][k + 1], GPUBE_STRIP_OPS + 1);
	for (uint32_t unit = begin; unit < end && !e->problem; unit++) {
		for (int k = -1; k < GPUBE_STRIP_OPS; k++) {
			int64_t *const at = k < 0 ? &e->out : &e->in[k];

			if (k >= 0 && d->op[k].order < 0)
				continue;
			*at = unit == begin ? gpube__strip_start(d, k, unit)
					    : *at + e->carries[gpube__strip_carry(d, unit)][k + 1];
			if (*at != gpube__strip_start(d, k, unit))
				e->problem = "a step to the next unit that does not lead there";
		}
		if (unit == begin || unit % d->n_loop == 0)
			copy_r(e);
		sum_table(e, STRIP_L, unit % 2);
		if (d->table[STRIP_S].n)
			sum_table(e, STRIP_S, unit % 2);
		for (uint32_t t = 0; t < d->quads; t++)
			run_thread(e, t, unit % 2);
	}
}

static void run_blocks(struct emulation *e, uint32_t from, uint32_t to)
{
	assert_in_range(e->d.threads, e->d.quads, GPUBE_STRIP_THREADS);
	assert_true(e->d.shared_bytes <= device.shared_bytes);
	e->shared = malloc(e->d.shared_bytes / 4 * sizeof(*e->shared));
	e->list = malloc(e->d.shared_bytes);
	assert_non_null(e->shared);
	assert_non_null(e->list);
	for (uint32_t block = from; block < to; block++)
		run_block(e, block);
	free(e->shared);
	free(e->list);
}

/* Whether the contraction has a plan. */
static bool check(struct shape *s)
{
	int64_t stride[64 * GPUBE_MAX_DIMS];
	struct gpube__shape shape;
	struct emulation e = {.s = s};
	double cycles = -1;

	gpube__shape_init(&shape, &s->c, stride, s->c.out_arg != NULL);
	if (!gpube__strips_apply(&(struct gpube__request){&device, &s->c, &shape, false, true}))
		return false;
	if (!gpube__strip_plan(&e.d, &cycles, &device, INFINITY, &s->c, &shape))
		return false;
	assert_true(cycles > 0);
	assert_in_range(e.d.blocks, 1, e.d.n_units);
	seen[e.d.kernel]++;
	seen_how[e.d.r_how]++;
	seen_s += e.d.table[STRIP_S].n != 0;
	seen_loop += e.d.n_loop > 1;
	seen_ragged += e.d.ragged < e.d.n_outer;
	/* few blocks, so that each goes from unit to unit */
	e.d.blocks = e.d.blocks < 3 ? e.d.blocks : 3;
	shape_poison(s);
	run_blocks(&e, 0, e.d.blocks);
	shape_expect(s, e.problem, e.d.kernel);
	return true;
}

static void random_shape(void **state)
{
	const uint64_t seed = (uint64_t)(uintptr_t)*state;
	struct shape s;

	shape_random(&s, seed, 20000);
	check(&s);
	shape_free(&s);
}

/* Every kernel, operands of every kind, x in every place, ragged sizes. */
static const char *const chosen[] = {
	"x=10 a=10 b=10 c=3 f=10 g=10 h=10 : a b c f g h : x a b c , x c f g h , x a f , x b h , x "
	"g",
	"x=10 a=10 b=10 c=3 f=10 g=10 h=10 : a b c f g h : a b x c , c f x g h , a x f , b x h , g "
	"x",
	"x=10 a=10 b=10 c=3 f=10 g=10 h=10 : a b c f g h : a b c x , c f g h x , a f x , b h x , g "
	"x",
	"x=7 a=9 b=5 c=3 f=6 g=11 h=10 : a b c f g h : x a b c , x c f g h , x a f , x b h , x g",
	"x=7 a=9 b=5 c=3 f=6 g=11 h=10 : a b c f g h : a b c x , c f g h x , a f x , b h x , g x",
	"x=11 a=17 b=3 c=4 d=33 : a b c d : x a b , x b c d , x a c , x d",
	"x=11 a=17 b=3 c=4 d=33 : a b c d : a b x , b c d x , a c x , d x",
	"x=6 a=3 b=5 c=7 d=44 : a b c d : x a b , b x c d , x a c , x d",
	"x=2 a=2 b=2 c=2 d=2 e=2 f=2 g=2 h=2 i=2 j=2 k=2 l=2 m=2 n=2 : a b c d e f g h i j k l m n "
	": "
	"x a b c d e f g h , x e f g h i j k l m n , x a d h k , x c m , x b n",
	"x=2 a=2 b=2 c=2 d=2 e=2 f=2 g=2 h=2 i=2 j=2 k=2 l=2 m=2 n=2 : a b c d e f g h i j k l m n "
	": "
	"a b c d x e f g h , e f x g h i j k l m n , a d x h k , c x m , b x n",
	"x=2 a=2 b=2 c=2 d=2 e=2 f=2 g=2 h=2 i=2 j=2 k=2 l=2 m=2 n=2 : a b c d e f g h i j k l m n "
	": "
	"a b c d e f g h x , e f g h i j k l m n x , a d h k x , c m x , b n x",
	"x=10 a=10 b=10 c=10 d=10 : a b c d : x a b c d , x a , x b , x c , x c d , x",
	"x=10 a=10 b=10 c=10 d=10 : a b c d : a b x c d , a x , b x , c x , c x d , x",
	"x=10 a=10 b=10 c=10 d=10 : a b c d : a b c d x , a x , b x , c x , c d x , x",
	"x=3 a=7 b=2048 : a b : x a , b x",
	"x=2 a=8 b=8 c=16384 : a b c : x a b , x c",
	"x=2 a=10 b=8 c=16384 : a b c : x a b , x c",
	"x=3 a=4 b=2048 : a b : x a , x b , a",
	"x=5 a=10 b=1024 : a b : x a , b",
};

static void chosen_shape(void **state)
{
	for (size_t i = 0; i < 2; i++) {
		struct shape s;

		shape_of_text(&s, *state, GPUBE_INT32, i,
			i ? SHAPE_TIES : SHAPE_SIGNED);
		assert_true(check(&s));
		shape_free(&s);
	}
}

/* Tables of more than 2^32 cells: so many values of each dim; no plan where offsets do not fit. */
static const struct row {
	const char *text;
	int64_t size;
	bool has;
} wide[] = {
	{"x=2 a=2 b=2 c=2 d=2 e=2 f=2 : a b c d e f : x b c d e f , x f , x a , x c", 40, true},
	{"x=2 a=2 b=2 c=2 d=2 e=2 f=2 : a b c d e f : x b c d e f , x a b c d e , x e", 40, true},
	{"x=2 a=2 b=2 c=2 d=2 e=2 f=2 : a b c d e f : x b c d e f , x a b c d e , x e", 44, false},
	{"x=2 a=2 b=2 c=2 d=2 e=2 f=2 : a b c d e f : x a b c d e f , x b c , x f , x d", 40, true},
	{"x=2 a=2 b=2 c=2 d=2 e=2 f=2 : a b c d e f : b c d e f x , f x , a x , c x", 40, true},
	{"x=2 a=2 b=2 c=2 d=2 e=2 f=2 g=2 h=2 i=2 j=2 : a b c d e f g h i j : x b c d e f g h i j , "
	 "x a , x d , x j",
		10, true},
	{"x=2 a=2 b=2 c=2 d=2 e=2 f=2 g=2 h=2 i=2 j=2 : a b c d e f g h i j : b c x d e f g h i j , "
	 "a x , x d , j x",
		10, true},
};

static void wide_shape(void **state)
{
	const struct row *row = *state;
	struct gpube_rng rng;
	struct afar a;
	struct emulation e = {.s = &a.shape, .afar = &a};
	double cycles;

	gpube__rng_init(&rng, 1);
	afar_init(&a, row->text, GPUBE_INT32, row->size);
	assert_int_equal(
		gpube__strip_plan(&e.d, &cycles, &device, INFINITY, &a.shape.c, &a.s), row->has);
	for (int i = 0; row->has && i < 3; i++) {
		const uint32_t n = e.d.blocks = e.d.n_units / 2;
		const uint32_t block = i ? (uint32_t)gpube__rng_below(&rng, n) : n - 1;

		run_blocks(&e, block, block + 1);
	}
	if (e.problem)
		fail_msg("%s", e.problem);
	afar_free(&a);
}

static void every_kind(void **state)
{
	(void)state;
	for (int k = 0; k < N_STRIP_KERNELS; k++)
		if (!seen[k])
			fail_msg("no shape had a plan for kernel %d", k);
	for (int i = 0; i < 3; i++)
		assert_true(seen_how[i] > 0);
	assert_true(seen_s > 0);
	assert_true(seen_loop > 0);
	assert_true(seen_ragged > 0);
}

int main(int argc, char **argv)
{
	struct cases c = {0};

	ADD_CHOSEN(&c, chosen_shape, chosen);
	for (size_t i = 0; i < sizeof(wide) / sizeof(*wide); i++)
		add_case(&c, wide_shape, &wide[i], "wide %zu", i);
	add_numbers(&c, random_shape, N_RANDOM, "seed");
	ADD_CASE(&c, every_kind);
	return run_plans(&c, "strips", argc, argv);
}
