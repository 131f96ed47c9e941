/* emulate_strips.c - a block of the strip kernels, as contract_strip.cu has it. See emulation.h. */
#include "tests/support/emulate/emulation.h"

/* Where a block is: the unit's first cells, and what leads to the next one's. */
struct at {
	int64_t in[GPUBE_STRIP_OPS], out;
	int64_t carries[GPUBE_STRIP_OUTER + 1][GPUBE_STRIP_OPS + 1];
};

static int kernel_of(const struct gpube__cuda_plan *p)
{
	return (int)p->strip.kernel;
}

/* The five ways to copy R; S; several units with one R; a last step that is shorter. */
static unsigned features_of(const struct gpube__cuda_plan *p)
{
	const struct gpube__strip *d = &p->strip;

	return 1u << d->r_how | (d->table[STRIP_S].n ? 32u : 0) | (d->n_loop > 1 ? 64u : 0) |
	       (d->ragged < d->n_outer ? 128u : 0);
}

static uint32_t words_of(const struct gpube__cuda_plan *p)
{
	return p->strip.shared_bytes / 4;
}

static uint32_t blocks_of(const struct gpube__cuda_plan *p)
{
	return p->strip.blocks;
}

static void list_init(struct emulation *e, int which)
{
	const struct gpube__strip_table *t = &e->p->strip.table[which];

	for (uint32_t k = 0; k < t->n; k++)
		for (uint32_t i = 0; i < t->cells; i++)
			e->list[t->list + k * t->cells + i] =
				gpube__strip_entry(&e->p->strip, t, gpube__strip_slot(which, k), i);
}

static void begin(struct emulation *e)
{
	struct gpube__strip *d = &e->p->strip;
	/* few blocks, so that each goes from unit to unit; of large tables two units each */
	const uint32_t most = e->large ? d->n_units / 2 + 1 : 3;

	if (d->quads > d->threads || d->threads > GPUBE_STRIP_THREADS)
		emulation_meet(e, "more lanes than threads");
	if (d->blocks > d->n_units)
		emulation_meet(e, "more blocks than units");
	d->blocks = d->blocks < most || e->large ? d->blocks : most;
	d->blocks = e->large ? most : d->blocks;
	list_init(e, STRIP_L);
	list_init(e, STRIP_S);
}

static void copy_r(struct emulation *e, const struct at *at)
{
	const struct gpube__strip *d = &e->p->strip;
	const uint32_t step = d->op[0].x;
	const int k = d->op[0].order;

	emulation_empty(e, d->r_words);
	for (uint32_t t = 0; t < d->threads; t++) {
		struct gpube__strip_copied c = gpube__strip_first_copy(&d->copy, t);
		const uint32_t wide = d->r_how == STRIP_CELLS || d->r_how == STRIP_PLACES ? 1 : 4;

		for (uint32_t x = 0; d->r_how == STRIP_FOURS && x < d->n_x && t < d->quads; x++)
			emulation_copy(e, k, at->in[0] + 4 * t + (int64_t)x * step,
				x * d->r_row + 4 * t, wide, 1);
		for (uint32_t i = t; d->r_how != STRIP_FOURS && i < d->copy.n; i += d->threads) {
			emulation_copy(e, k, at->in[0] + c.from, c.to, wide, 1);
			c = gpube__strip_next_copy(&d->copy, c);
		}
	}
}

static void sum_cell(struct emulation *e, const struct at *at, int which, uint32_t cell, uint32_t x,
	uint32_t buffer)
{
	const struct gpube__strip *d = &e->p->strip;
	const struct gpube__strip_table *t = &d->table[which];
	int64_t sum = 0;

	for (uint32_t i = 0; i < t->n; i++) {
		const uint32_t k = gpube__strip_slot(which, i);

		sum += emulation_read(e, d->op[k].order,
			at->in[k] + e->list[t->list + i * t->cells + cell] + x * d->op[k].x, 1);
	}
	emulation_put(e, t->at + buffer * t->room + x * t->cells + cell, sum);
}

static void sum_table(struct emulation *e, const struct at *at, int which, uint32_t buffer)
{
	const struct gpube__strip *d = &e->p->strip;
	const struct gpube__strip_table *t = &d->table[which];

	for (uint32_t thread = 0; thread < d->threads; thread++) {
		const uint32_t row = gpube__strip_split(thread, t->side, t->by_side);

		for (uint32_t cell = thread - row * t->side; row < t->rows && cell < t->cells;
			cell += t->side)
			for (uint32_t i = 0; i < t->each; i++)
				sum_cell(e, at, which, cell, gpube__strip_x(d, t, row, i), buffer);
	}
}

/* The word of R for cell v of thread t. */
static uint32_t r_word(const struct gpube__strip *d, uint32_t t, uint32_t v, uint32_t x)
{
	if (gpube__strip_by_places(d->r_how))
		return x * d->r_row + gpube__strip_place(d, d->r_dims, 1, 4 * t + v);
	return d->r_how == STRIP_FOURS_X ? t * d->r_row + v * d->n_x + x : x * d->r_row + 4 * t + v;
}

static void run_thread(struct emulation *e, int64_t out, uint32_t t, uint32_t buffer)
{
	const struct gpube__strip *d = &e->p->strip;
	const struct gpube__strip_table *const tl = &d->table[STRIP_L];
	const struct gpube__strip_table *const ts = &d->table[STRIP_S];
	const uint32_t l =
		tl->at + buffer * tl->room + gpube__strip_place(d, tl->dims, tl->group, 4 * t);
	const uint32_t s =
		ts->at + buffer * ts->room + gpube__strip_place(d, ts->dims, ts->group, 4 * t);

	if ((ts->n && (s % 4 || ts->cells % 4)) || (tl->group > 1 && (l % 4 || tl->cells % 4)))
		emulation_meet(e, "a wide read that is not aligned");
	for (uint32_t p = 0; p < d->np && !e->problem; p++) {
		if ((out + d->out_p[p]) % 4)
			emulation_meet(e, "a write that is not aligned");
		for (uint32_t v = 0; v < 4; v++) {
			int64_t best = INT64_MAX;

			for (uint32_t x = 0; x < d->n_x; x++) {
				const int64_t sum =
					emulation_get(e, r_word(d, t, v, x)) +
					emulation_get(e, l + x * tl->cells + p) +
					(ts->n ? emulation_get(e, s + x * ts->cells + v) : 0);

				best = sum < best ? sum : best;
			}
			emulation_write(e, out + d->out_p[p] + 4 * t + v, best, 0);
		}
	}
}

static void to_unit(struct emulation *e, struct at *at, uint32_t unit, bool first)
{
	const struct gpube__strip *d = &e->p->strip;

	for (int k = -1; k < GPUBE_STRIP_OPS; k++) {
		int64_t *const to = k < 0 ? &at->out : &at->in[k];

		if (k >= 0 && d->op[k].order < 0)
			continue;
		*to = first ? gpube__strip_start(d, k, unit)
			    : *to + at->carries[gpube__strip_carry(d, unit)][k + 1];
		if (*to != gpube__strip_start(d, k, unit))
			emulation_meet(e, "a step to the next unit that does not lead there");
	}
}

static void block(struct emulation *e, uint32_t block)
{
	const struct gpube__strip *d = &e->p->strip;
	const uint32_t begin = gpube__strip_first_unit(d, block);
	const uint32_t end = gpube__strip_first_unit(d, block + 1);
	struct at at;

	emulation_empty(e, e->n_words);
	for (int k = -1; k < GPUBE_STRIP_OPS; k++)
		if (k < 0 || d->op[k].order >= 0)
			gpube__strip_carries(d, k, &at.carries[0][k + 1], GPUBE_STRIP_OPS + 1);
	for (uint32_t unit = begin; unit < end && !e->problem; unit++) {
		to_unit(e, &at, unit, unit == begin);
		if (unit == begin || unit % d->n_loop == 0)
			copy_r(e, &at);
		sum_table(e, &at, STRIP_L, unit % 2);
		if (d->table[STRIP_S].n)
			sum_table(e, &at, STRIP_S, unit % 2);
		for (uint32_t i = 0; i < d->quads && !e->problem; i += e->every)
			run_thread(e, at.out, d->quads - 1 - i, unit % 2);
	}
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
	"x=10 a=10 c=100 j=10 : a c j : x c , x a , x j",
	"x=10 a=10 c=100 j=10 : a c j : c x , x a , x j",
	"x=7 a=9 c=20 d=5 j=6 : a c d j : x c j , x a , x d , x j",
	"x=4 a=6 b=3 c=20 j=10 : a b c j : x b c , x a b , x j",
	"x=5 a=3 c=40 d=2 j=7 : a c d j : x c d , x a , x j",
};

static void one_unit_less(struct gpube__cuda_plan *p)
{
	p->strip.n_units--;
	p->strip.blocks -= p->strip.blocks > p->strip.n_units;
}

static void one_thread_less(struct gpube__cuda_plan *p)
{
	p->strip.quads--;
}

static void one_x_less(struct gpube__cuda_plan *p)
{
	p->strip.n_x--;
}

static void x_off(struct gpube__cuda_plan *p)
{
	p->strip.op[0].x++;
}

static void row_off(struct gpube__cuda_plan *p)
{
	p->strip.copy.from_outer++;
}

static void place_off(struct gpube__cuda_plan *p)
{
	if (gpube__strip_by_places(p->strip.r_how))
		p->strip.r_dims &= p->strip.r_dims - 1;
}

static void list_off(struct gpube__cuda_plan *p)
{
	p->strip.table[STRIP_L].cells--;
}

static void out_off(struct gpube__cuda_plan *p)
{
	p->strip.out_p[p->strip.np - 1] += 4;
}

static void loop_off(struct gpube__cuda_plan *p)
{
	p->strip.n_loop++;
	p->strip.by_loop = gpube__divisor_of(p->strip.n_loop);
}

static const struct fault faults[] = {
	{"one unit less", one_unit_less},
	{"one thread less", one_thread_less},
	{"one x less", one_x_less},
	{"x a cell further in memory", x_off},
	{"rows of R a cell further", row_off},
	{"a dim of R forgotten", place_off},
	{"a cell of L less", list_off},
	{"a row of the output beside", out_off},
	{"R for one unit too many", loop_off},
};

const struct emulated emulated_strips = {
	.by = GPUBE_BY_STRIPS,
	.n_kernels = N_STRIP_KERNELS,
	.n_features = 8,
	.words_of = words_of,
	.list_of = words_of,
	EMULATED_FAMILY,
};
