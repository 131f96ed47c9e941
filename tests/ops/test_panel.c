/*
 * The panels of the CUDA backend, without a device: plans of seeded random shapes and of chosen
 * ones are executed with the index arithmetic that the kernels share, through a model of a block's
 * shared memory, and compared with the reference. No read may leave its table or its part of shared
 * memory, no copy of four be misaligned, and every output cell is written.
 */
#include "tests/support/test.h"
#include "tests/support/afar.h"
#include "tests/support/plans.h"
#include "tests/support/reference.h"

#include <math.h>

#include "gpube/ops/contract/contract_panel.h"

#define N_RANDOM 1200

static int seen[N_PANEL_KERNELS], seen_groups, seen_copied, seen_wide, seen_fast, seen_fours,
	seen_twos;
static int seen_chunks;
/* on a small one larger tiles pay at the sizes of a test */
static const struct gpube__box_device devices[2] = {
	{132, 224u << 10, 228u << 10, true}, {1, 96u << 10, 100u << 10, false}};

struct emulation {
	const struct shape *s;
	const struct afar *afar; /* not NULL: whose tables these are */
	struct gpube__panel d;
	int64_t start[GPUBE_PANEL_OPS];
	double *shared; /* NAN: nothing was written */
	uint32_t *lists;
	double *best; /* of a block: by lane and register cell */
	double *all;  /* the output; NAN: not written */
	const char *problem;
};

static double read_table(struct emulation *e, uint32_t k, int64_t at)
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

static double *shared(struct emulation *e, uint32_t at)
{
	if (at >= e->d.lists) {
		e->problem = "a word outside of its part of shared memory";
		at = 0;
	}
	return &e->shared[at];
}

static void copy(struct emulation *e, uint32_t buffer, uint32_t x0, uint32_t n)
{
	for (uint32_t k = 0; k < e->d.n_ops; k++) {
		const struct gpube__panel_op *o = &e->d.op[k];

		for (uint32_t i = 0; i < o->copies * n; i++) {
			const uint32_t cell = i % o->copies * o->width, x = i / o->copies;
			const uint32_t place = gpube__panel_word(&o->t, cell);
			const int64_t from = e->start[k] + (int64_t)(x0 + x) * o->x +
					     e->lists[o->list + i % o->copies];
			const uint32_t to = buffer + o->at + x * o->t.row + place;

			if (from % o->width || to % o->width ||
				gpube__panel_word(&o->t, cell + o->width - 1) !=
					place + o->width - 1)
				e->problem = "a copy that is not aligned";
			if (o->how == PANEL_FOURS_X && (o->x != 1 || (from - x) % 4 || n % 4))
				e->problem = "a copy of four x that is not aligned";
			if (e->d.planes && o->at + x * o->t.row + place % e->d.plane >= e->d.stage)
				e->problem = "a word outside of its buffer";
			for (uint32_t w = 0; w < o->width; w++)
				*shared(e, to + w) = read_table(e, k, from + w);
		}
	}
}

static void sum(struct emulation *e, uint32_t buffer, uint32_t n)
{
	for (uint32_t i = 0; i < e->d.n_panels; i++) {
		const struct gpube__panel_sum *p = &e->d.panel[i];

		for (uint32_t j = 0; p->n && j < p->t.cells * n; j++) {
			const uint32_t place = j % p->t.cells, x = j / p->t.cells;
			double v = 0;

			for (uint32_t k = 0; k < p->n; k++) {
				const struct gpube__panel_op *o = &e->d.op[p->op[k]];

				v += *shared(e, buffer + o->at + x * o->t.row +
							e->lists[p->list + k * p->t.cells + place]);
			}
			*shared(e, p->at + x * p->t.row + place) = v;
		}
	}
}

/* Register cell r of panel i for a lane. */
static double cell(
	struct emulation *e, uint32_t buffer, int i, const uint32_t *at, uint32_t r, uint32_t x)
{
	const struct gpube__panel_sum *p = &e->d.panel[i];

	return *shared(e, (p->n ? 0 : buffer) + p->at + x * p->t.row +
				  gpube__panel_place(&p->t, at) + gpube__panel_reg(&p->t, r));
}

/* Register cell r of the operand in a slot, by planes. */
static double slot_cell(
	struct emulation *e, uint32_t buffer, int slot, const uint32_t *at, uint32_t r, uint32_t x)
{
	const struct gpube__panel_op *o;

	if (e->d.slot[slot] < 0)
		return 0;
	o = &e->d.op[e->d.slot[slot]];
	return *shared(e, buffer + o->at + x * o->t.row + gpube__panel_place(&o->t, at) +
				  gpube__panel_reg(&o->t, r));
}

static double joined(
	struct emulation *e, uint32_t buffer, const uint32_t *at, const uint32_t *reg, uint32_t x)
{
	const int *size = gpube__panel_kernels[e->d.kernel].size;
	const uint32_t n_r = (uint32_t)size[PANEL_R], n_v = (uint32_t)size[PANEL_V];

	if (e->d.planes && e->d.n_panels == 2 && gpube__panel_kernels[e->d.kernel].terms == 1)
		return slot_cell(e, buffer, 0, at, reg[PANEL_P], x) +
		       slot_cell(e, buffer, 2, at, reg[PANEL_V], x); /* no others are read */
	if (e->d.planes && e->d.n_panels == 2)
		return slot_cell(e, buffer, 0, at, reg[PANEL_P], x) +
		       slot_cell(e, buffer, 1, at, reg[PANEL_P], x) +
		       slot_cell(e, buffer, 2, at, reg[PANEL_V], x) +
		       slot_cell(e, buffer, 3, at, reg[PANEL_V], x) +
		       slot_cell(e, buffer, 4, at, 0, x);
	if (e->d.planes)
		return slot_cell(e, buffer, 0, at, reg[PANEL_P] * n_r + reg[PANEL_R], x) +
		       slot_cell(e, buffer, 1, at, reg[PANEL_R] * n_v + reg[PANEL_V], x) +
		       slot_cell(e, buffer, 2, at, reg[PANEL_P] * n_v + reg[PANEL_V], x) +
		       slot_cell(e, buffer, 4, at, 0, x);
	if (e->d.n_panels == 2)
		return cell(e, buffer, 0, at, reg[PANEL_P], x) +
		       cell(e, buffer, 1, at, reg[PANEL_V], x);
	return cell(e, buffer, 0, at, reg[PANEL_P] * n_r + reg[PANEL_R], x) +
	       cell(e, buffer, 1, at, reg[PANEL_R] * n_v + reg[PANEL_V], x) +
	       cell(e, buffer, 2, at, reg[PANEL_P] * n_v + reg[PANEL_V], x);
}

/* Where a register cell of a lane goes; -1: nowhere. */
static int64_t target(struct emulation *e, uint32_t block, const uint32_t *at, const uint32_t *reg)
{
	const struct gpube__panel *d = &e->d;
	int64_t to = gpube__panel_start(d, -1, block);

	for (uint32_t i = 0; i < d->n_axes; i++) {
		uint32_t r = 0, value;

		for (int part = 0; part < N_PANEL_PARTS; part++)
			if (d->part[part] == (int32_t)i)
				r = reg[part];
		value = gpube__panel_value(&d->axis[i], at[i], r);
		if (value > d->axis[i].last)
			return -1;
		if (d->out_wide && d->part[PANEL_V] == (int32_t)i && r % 4 == 0 &&
			((to + (int64_t)value * d->out[i]) % 4 || value + 3 > d->axis[i].last) &&
			i == 0)
			e->problem = "a write of four that is not aligned";
		to += (int64_t)value * d->out[i];
	}
	if (to < 0 || to >= e->s->out_cells) {
		e->problem = "a cell outside of the output";
		return -1;
	}
	return to;
}

static int tile_cells(const struct emulation *e)
{
	const int *size = gpube__panel_kernels[e->d.kernel].size;

	return size[0] * size[1] * size[2];
}

/* Which register cell is number i of a tile. */
static void reg_of(const struct emulation *e, int i, uint32_t *reg)
{
	const int *size = gpube__panel_kernels[e->d.kernel].size;

	reg[PANEL_V] = (uint32_t)(i % size[2]);
	reg[PANEL_R] = (uint32_t)(i / size[2] % size[1]);
	reg[PANEL_P] = (uint32_t)(i / size[2] / size[1]);
}

/* The cells of a chunk into the best of the chunks before. */
static void combine(struct emulation *e, uint32_t block, uint32_t buffer, uint32_t n)
{
	const int cells = tile_cells(e);

	for (uint32_t lane = 0; lane < e->d.lanes; lane++) {
		uint32_t at[GPUBE_PANEL_AXES], reg[N_PANEL_PARTS];

		gpube__panel_lane(&e->d, lane, at);
		for (int i = 0; i < cells; i++) {
			double *const best = &e->best[(int)lane * cells + i];

			reg_of(e, i, reg);
			if (target(e, block, at, reg) < 0)
				continue;
			for (uint32_t x = 0; x < n; x++)
				*best = fmin(*best, joined(e, buffer, at, reg, x));
		}
	}
}

/* A block's results to the output, or compared with what they are to be. */
static void store_block(struct emulation *e, uint32_t block)
{
	const int cells = tile_cells(e);

	for (uint32_t lane = 0; lane < e->d.lanes; lane++) {
		uint32_t at[GPUBE_PANEL_AXES], reg[N_PANEL_PARTS];

		gpube__panel_lane(&e->d, lane, at);
		for (int i = 0; i < cells; i++) {
			const double best = e->best[(int)lane * cells + i];
			int64_t to;

			reg_of(e, i, reg);
			to = target(e, block, at, reg);
			if (to >= 0 && !e->afar)
				e->all[to] = best;
			else if (to >= 0 && best != afar_expected(e->afar, to))
				e->problem = "a cell that is wrong";
		}
	}
}

static void run_block(struct emulation *e, uint32_t block)
{
	const struct gpube__panel *d = &e->d;

	for (uint32_t i = 0; i < d->lists; i++)
		e->shared[i] = NAN;
	for (int i = 0; i < (int)d->lanes * tile_cells(e); i++)
		e->best[i] = INFINITY;
	for (uint32_t k = 0; k < d->n_ops; k++)
		e->start[k] = gpube__panel_start(d, (int)k, block);
	for (uint32_t i = 0, list = 0; i < d->n_entries; i++) {
		while (list + 1 < d->n_lists && i >= d->list[list + 1].begin)
			list++;
		e->lists[i] = gpube__panel_entry(d, i, list);
	}
	for (uint32_t x0 = 0, chunk = 0; x0 < d->n_x; x0 += d->chunk, chunk ^= 1) {
		const uint32_t n = d->n_x - x0 < d->chunk ? d->n_x - x0 : d->chunk;
		const uint32_t first = d->planes ? GPUBE_PLANE_FIRST : 0;
		const uint32_t buffer =
			first + (chunk ? (d->planes ? d->stage : d->second_buffer) : 0);

		copy(e, buffer, x0, n);
		sum(e, buffer, n);
		combine(e, block, buffer, n);
	}
	store_block(e, block);
}

static void store(const struct emulation *e)
{
	for (int64_t i = 0; i < e->s->out_cells; i++)
		if (!isnan(e->all[i]))
			shape_store(e->s, i, e->all[i]);
}

static void count(const struct gpube__panel *d)
{
	seen[d->kernel]++;
	seen_groups += d->groups > 1;
	seen_chunks += d->chunk < d->n_x;
	for (uint32_t i = 0; i < d->n_panels; i++)
		seen_copied += d->panel[i].n == 0;
	for (uint32_t k = 0; k < d->n_ops; k++) {
		seen_wide += d->op[k].width == 4;
		seen_twos += d->op[k].width == 2;
		seen_fast += d->op[k].how == PANEL_CELLS_X;
		seen_fours += d->op[k].how == PANEL_FOURS_X;
	}
}

static void emulation_take(struct emulation *e)
{
	const size_t tiles = (size_t)e->d.lanes * (size_t)tile_cells(e);

	assert_true(e->d.lanes * e->d.groups <= e->d.threads);
	assert_true(e->d.threads <= (uint32_t)gpube__panel_kernels[e->d.kernel].threads);
	assert_true(e->d.n_ops + e->d.n_axes < e->d.threads);
	assert_true(4 * (e->d.lists + (e->d.planes ? 4 : 1) * e->d.n_entries) <= e->d.shared_bytes);
	e->shared = malloc((size_t)e->d.lists * sizeof(*e->shared));
	e->lists = malloc((size_t)e->d.n_entries * sizeof(*e->lists));
	e->best = malloc(tiles * sizeof(*e->best));
	assert_non_null(e->shared);
	assert_non_null(e->lists);
	assert_non_null(e->best);
}

static void emulation_free(struct emulation *e)
{
	free(e->all);
	free(e->best);
	free(e->shared);
	free(e->lists);
}

/* Whether the contraction has a plan. */
static bool check(struct shape *s, const struct gpube__box_device *device, uint32_t kernels)
{
	int64_t stride[64 * GPUBE_MAX_DIMS];
	struct gpube__shape shape;
	struct emulation e = {.s = s};
	double cycles = -1;

	gpube__shape_init(&shape, &s->c, stride, s->c.out_arg != NULL);
	if (!gpube__panel_plan(&e.d, &cycles, device, kernels, &s->c, &shape))
		return false;
	assert_true(cycles > 0);
	count(&e.d);
	shape_poison(s);
	emulation_take(&e);
	e.all = malloc((size_t)s->out_cells * sizeof(*e.all));
	assert_non_null(e.all);
	for (int64_t i = 0; i < s->out_cells; i++)
		e.all[i] = NAN;
	for (uint32_t block = 0; block < e.d.blocks && !e.problem; block++)
		run_block(&e, block);
	store(&e);
	emulation_free(&e);
	shape_expect(s, e.problem, e.d.kernel);
	return true;
}

static void random_shape(void **state)
{
	const uint64_t seed = (uint64_t)(uintptr_t)*state;
	struct shape s;

	shape_random(&s, seed, seed % 8 ? 5000 : 20000);
	check(&s, &devices[seed / 3 % 2], seed % 2 ? GPUBE_BY_PLANES : GPUBE_ANY_PANELS);
	shape_free(&s);
}

/* Every kernel, two and three panels, of one operand and of several, x in every place. */
static const char *const chosen[] = {
	"x=37 a=33 b=29 : a b : x a , x b",
	"x=37 a=33 b=28 : a b : a x , b x",
	"x=40 a=33 b=40 : a b : a x , b x , x , a , b",
	"x=10 a=10 b=10 c=3 : a b c : x a c , x b c , x c",
	"x=10 a=10 b=10 c=10 d=3 : c d a b : x a c , d x b c , x c , a x",
	"x=10 a=10 b=20 c=4 : a c b : x a c , b c x , x b",
	"x=28 a=12 b=6 c=12 d=5 e=3 : a b c d e : x a b , x b c , x c d , x d e , x a e",
	"x=28 a=12 b=6 c=12 d=5 e=3 : a b c d e : a x b , b x c , c x d , d x e , a x e",
	"x=28 a=12 b=6 c=12 d=5 e=3 : a b c d e : a b x , b c x , c d x , d e x , a e x",
	"x=44 a=12 b=5 c=9 d=12 : a b c d : x a b c , x b c d , x a d , x b",
	"x=44 a=12 b=5 c=9 d=12 : a b c d : a b x c , b c x d , a x d , b x",
	"x=44 a=12 b=5 c=9 d=11 : a b c d : a b c x , b c d x , a d x , b x",
	"x=32 a=12 b=8 c=16 : a b c : x a b , x b c , x a c , x b , x c , x a",
	"x=31 a=11 b=7 c=14 : a b c : x a b , x b c , x a c , x a , x b , x c , x",
	"x=20 a=20 b=20 c=5 d=8 : a b c d : x a b d , x b c d",
	"x=200 a=20 b=12 : a b : x a , x b",
	"x=20 a=200 b=200 : a b : x a , x b",
	"x=20 a=26 b=26 c=3 d=32 : a b c d : x a c d , x b c d",
	"x=20 a=26 b=26 c=3 d=32 : a b c d : a c d x , b c d x",
	"a=12 b=13 : a b : b , a",
	"x=6 a=36 b=6 : a b : x a , b x , x",
	"x=6 a=36 b=8 c=5 : a b c : x a , b x , x c",
};

static void chosen_shape(void **state)
{
	for (size_t i = 0; i < 4; i++) {
		struct shape s;

		shape_of_text(&s, *state, i % 2 ? GPUBE_FLOAT32 : GPUBE_INT32, i,
			i < 2 ? SHAPE_TIES : SHAPE_SIGNED);
		assert_true(check(&s, &devices[i / 2], GPUBE_ANY_PANELS & ~GPUBE_BY_PLANES));
		shape_free(&s);
	}
}

/* The same by each kernel by planes that can. */
static void chosen_planes(void **state)
{
	for (uint32_t kernel = PLANE_8X8; kernel < N_PANEL_KERNELS; kernel++) {
		struct shape s;

		shape_of_text(&s, *state, kernel % 2 ? GPUBE_FLOAT32 : GPUBE_INT32, kernel,
			SHAPE_SIGNED);
		check(&s, &devices[0], 1u << kernel);
		shape_free(&s);
	}
}

/* Tables of more than 2^32 cells: as many values of each dim, and which kernels have a plan. */
static const struct row {
	const char *text;
	int64_t size;
	bool panels, planes;
} wide[] = {
	{"x=2 a=2 b=2 c=2 d=2 e=2 f=2 g=2 : a b c d e f g : x a c f g , x d e f g , x g , x c , x b",
		25, true, false},
	{"x=2 a=2 b=2 c=2 d=2 e=2 f=2 g=2 : a b c d e f g : x a c d e f g , x c , x g , x b , x a",
		25, true, false},
	{"x=2 a=2 b=2 c=2 d=2 e=2 f=2 g=2 : a b c d e f g : x a c d e f g , x b c , x g", 25, true,
		true},
	{"x=2 a=2 b=2 c=2 d=2 e=2 f=2 g=2 : a b c d e f g : a c d e f g x , b c x , g x", 25, true,
		true},
	{"x=2 a=2 b=2 c=2 d=2 e=2 f=2 g=2 : a b c d e f g : x b c d e f g , x a d e f g", 26, true,
		true},
	{"x=8 a=2 b=2 c=2 d=2 : a b c d : x a b c , x b c d , x a d , x b", 300, true, true},
	{"x=8 a=2 b=2 c=2 d=2 : a b c d : a b c x , b c d x , a d x , b x", 300, true, true},
	{"x=16 a=2 b=2 : a b : x a , x b", 80000, true, true},
};

static void wide_shape(void **state)
{
	const struct row *row = *state;
	struct gpube_rng rng;

	gpube__rng_init(&rng, 1);
	for (int planes = 0; planes < 2; planes++) {
		struct afar a;
		struct emulation e = {.s = &a.shape, .afar = &a};
		double cycles;
		bool has;

		afar_init(&a, row->text, GPUBE_INT32, row->size);
		has = gpube__panel_plan(&e.d, &cycles, &devices[0],
			planes ? GPUBE_BY_PLANES : GPUBE_ANY_PANELS & ~GPUBE_BY_PLANES, &a.shape.c,
			&a.s);
		assert_int_equal(has, planes ? row->planes : row->panels);
		for (int i = 0; has && i < 3; i++) {
			const uint32_t below = (uint32_t)gpube__rng_below(&rng, e.d.blocks);

			if (i == 0)
				emulation_take(&e);
			run_block(&e, i ? below : e.d.blocks - 1);
		}
		emulation_free(&e);
		if (e.problem)
			fail_msg("%s", e.problem);
		afar_free(&a);
	}
}

static void every_kind(void **state)
{
	(void)state;
	for (int k = 0; k < N_PANEL_KERNELS; k++)
		if (!seen[k])
			fail_msg("no shape had a plan for kernel %d", k);
	assert_true(seen_groups > 0);
	assert_true(seen_copied > 0);
	assert_true(seen_wide > 0);
	assert_true(seen_fast > 0);
	assert_true(seen_fours > 0);
	assert_true(seen_twos > 0);
	assert_true(seen_chunks > 0);
}

int main(int argc, char **argv)
{
	struct cases c = {0};

	ADD_CHOSEN(&c, chosen_shape, chosen);
	add_texts(&c, chosen_planes, chosen, sizeof(chosen) / sizeof(*chosen), "chosen by planes");
	for (size_t i = 0; i < sizeof(wide) / sizeof(*wide); i++)
		add_case(&c, wide_shape, &wide[i], "wide %zu", i);
	add_numbers(&c, random_shape, N_RANDOM, "seed");
	ADD_CASE(&c, every_kind);
	return run_plans(&c, "panels", argc, argv);
}
