/*
 * emulate_boxes.c - a block of the box kernels, as contract_box_impl.cuh has it. See emulation.h.
 */
#include "tests/support/emulate/emulation.h"

#include <stdlib.h>

static int kernel_of(const struct gpube__cuda_plan *p)
{
	return (int)p->box.kernel;
}

/* Rings of chunks, copies of squares, and copies of several cells. */
static unsigned features_of(const struct gpube__cuda_plan *p)
{
	unsigned all = p->box.n_chunks > 1;

	for (int k = 0; k < p->box.n_in; k++) {
		all |= p->box.table[k].square ? 2u : 0;
		all |= p->box.table[k].wide > 1 ? 4u : 0;
	}
	return all;
}

static uint32_t words_of(const struct gpube__cuda_plan *p)
{
	return p->box.buffer;
}

static uint32_t list_of(const struct gpube__cuda_plan *p)
{
	return p->box.n_words;
}

static uint32_t blocks_of(const struct gpube__cuda_plan *p)
{
	return p->box.blocks;
}

static void begin(struct emulation *e)
{
	for (uint32_t i = 0; i < e->p->box.n_items; i++)
		gpube__box_prepare(&e->p->box, i, e->list);
}

static void copy_table(struct emulation *e, int k, uint32_t block, uint32_t x0)
{
	const struct gpube__box *b = &e->p->box;
	const struct gpube__box_table *t = &b->table[k];
	const int64_t start = gpube__box_start(b, k, block);

	if (t->x_is_lo && t->wide > 1 && !t->square)
		emulation_meet(e, "copies along X are of single cells");
	for (uint32_t i = 0; i < t->copies && !e->problem; i++) {
		uint32_t entry, x, to, offset;
		int64_t from;

		gpube__box_copy(t, i, &entry, &x);
		if (entry >= t->n_entries) {
			emulation_meet(e, "no such entry");
			return;
		}
		x *= t->square ? 4 : 1;
		/* each in as many bits as the kernels have */
		offset = e->list[t->entries + 2 * entry] +
			 (t->x_offsets ? e->list[t->x_offsets + x0 + x] : x * (uint32_t)t->x_from);
		from = start + x0 * t->x_from + offset;
		to = e->list[t->entries + 2 * entry + 1] + x * t->x_to;
		if (!t->square)
			emulation_copy(e, b->order[k], from, to, t->wide, 1);
		for (uint32_t row = 0; t->square && row < 4 && !e->problem; row++)
			emulation_copy(e, b->order[k], from + row * t->row, to + row, 4, t->x_to);
		if (t->square && to % 4)
			emulation_meet(e, "a square is not aligned");
	}
}

/* Where operand k's term of a joined cell lies. */
static uint32_t place(
	const struct emulation *e, int k, uint32_t lane, uint32_t p, uint32_t q, uint32_t x)
{
	const struct gpube__box *b = &e->p->box;
	const struct gpube__box_table *t = &b->table[k];
	const uint32_t width = (uint32_t)gpube__box_kernels[b->kernel].q;
	const int of_b = b->n_a + b->n_b, of_s = of_b + b->n_s;
	const uint32_t reg = k < b->n_a ? p : k < of_b ? q : p * width + q;
	const uint32_t at = e->list[t->positions + lane] + x * t->x_to;

	return k >= of_b && k < of_s ? at : at + gpube__box_reg(t, reg);
}

struct best {
	int64_t value;
	uint32_t x;
};

/* The chunk's part of a thread's tile. */
static void combine(struct emulation *e, uint32_t lane, uint32_t x0, struct best *best)
{
	const struct gpube__box *b = &e->p->box;

	for (uint32_t i = 0; i < b->np * b->nq; i++, best++)
		for (uint32_t x = 0; x < b->chunk && !e->problem; x++) {
			int64_t sum = 0;

			for (int k = 0; k < b->n_in; k++)
				sum += emulation_get(e, place(e, k, lane, i / b->nq, i % b->nq, x));
			if (sum < best->value)
				*best = (struct best){sum, x0 + x};
		}
}

static void write_tile(struct emulation *e, int64_t start, uint32_t lane, const struct best *best)
{
	const struct gpube__box *b = &e->p->box;

	for (uint32_t i = 0; i < b->np * b->nq; i++)
		emulation_write(e,
			start + e->list[b->out_positions + lane] + b->out_p[i / b->nq] +
				b->out_q[i % b->nq],
			best[i].value, e->s->c.out_arg ? gpube__box_arg(b, best[i].x) : 0);
}

static void block(struct emulation *e, uint32_t block)
{
	const struct gpube__box *b = &e->p->box;
	const uint32_t tile = b->np * b->nq, cells = b->lanes * tile;
	const int64_t start = gpube__box_start(b, -1, block);
	struct best *best = malloc((size_t)cells * sizeof(*best));

	assert_non_null(best);
	for (uint32_t i = 0; i < cells; i++)
		best[i] = (struct best){INT64_MAX, 0};
	for (uint32_t chunk = 0; chunk < b->n_chunks && !e->problem; chunk++) {
		const uint32_t x0 = gpube__box_chunk(b, chunk);

		emulation_empty(e, e->n_words);
		for (int k = 0; k < b->n_in; k++)
			copy_table(e, k, block, x0);
		for (uint32_t i = 0; i < b->lanes; i += e->every)
			combine(e, b->lanes - 1 - i, x0, best + (b->lanes - 1 - i) * tile);
	}
	for (uint32_t i = 0; i < b->lanes && !e->problem; i += e->every)
		write_tile(e, start, b->lanes - 1 - i, best + (b->lanes - 1 - i) * tile);
	free(best);
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

static void one_box_less(struct gpube__cuda_plan *p)
{
	p->box.blocks--;
}

static void chunk_shorter(struct gpube__cuda_plan *p)
{
	p->box.chunk--;
}

static void copy_less(struct gpube__cuda_plan *p)
{
	p->box.table[0].copies--;
}

static void x_step_more(struct gpube__cuda_plan *p)
{
	p->box.table[0].x_to++;
}

static void x_from_more(struct gpube__cuda_plan *p)
{
	p->box.table[0].x_from++;
}

static void register_off(struct gpube__cuda_plan *p)
{
	p->box.table[0].reg_to++;
}

static void out_off(struct gpube__cuda_plan *p)
{
	p->box.out_p[p->box.np - 1]++;
}

static void grid_off(struct gpube__cuda_plan *p)
{
	p->box.stride[0][0]++;
}

static void tables_swapped(struct gpube__cuda_plan *p)
{
	const int32_t first = p->box.order[0];

	p->box.order[0] = p->box.order[p->box.n_in - 1];
	p->box.order[p->box.n_in - 1] = first;
}

static const struct fault faults[] = {
	{"one box less", one_box_less},
	{"a chunk is shorter", chunk_shorter},
	{"a copy less", copy_less},
	{"x a word further in shared memory", x_step_more},
	{"x a cell further in memory", x_from_more},
	{"a register's cell beside", register_off},
	{"an output cell beside", out_off},
	{"boxes a cell further apart", grid_off},
	{"the first table for the last", tables_swapped},
};

const struct emulated emulated_boxes = {
	.by = GPUBE_BY_BOXES,
	.n_kernels = N_BOX_KERNELS,
	.n_features = 3,
	.words_of = words_of,
	.list_of = list_of,
	.all_types = true,
	EMULATED_FAMILY,
};
