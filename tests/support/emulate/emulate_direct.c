/*
 * emulate_direct.c - a block of the direct kernels, as contract_direct.cu has it. See emulation.h.
 */
#include "tests/support/emulate/emulation.h"

/* A thread: where it begins in each table. */
struct thread {
	int64_t start[N_DIRECT_TABLES], out;
};

static int kernel_of(const struct gpube__cuda_plan *p)
{
	return (int)p->direct.kernel;
}

/* V along x, and tables without a place. */
static unsigned features_of(const struct gpube__cuda_plan *p)
{
	return (p->direct.v_is_x ? 1u : 0) | (p->direct.end_rv > N_DIRECT_PLACES ? 2u : 0);
}

static uint32_t blocks_of(const struct gpube__cuda_plan *p)
{
	return p->direct.blocks;
}

static void begin(struct emulation *e)
{
	const struct gpube__direct *d = &e->p->direct;

	if (d->lanes * d->per_block > d->threads || d->threads > GPUBE_DIRECT_THREADS_R)
		emulation_meet(e, "more lanes than threads");
}

/* What table k adds to the tile's cell (p, r, v) at x, or at x + v. */
static int64_t term(struct emulation *e, const struct thread *t, int k, uint32_t p, uint32_t r,
	uint32_t v, uint32_t x)
{
	const struct gpube__direct *d = &e->p->direct;
	const struct gpube__direct_kernel_info *kernel = &gpube__direct_kernels[d->kernel];
	const struct gpube__direct_steps *s = &d->steps[k];
	const bool of_v = k == DIRECT_PV || k == DIRECT_RV || k == DIRECT_V0 ||
			  (k >= (int)d->end_s && k < (int)d->end_v) || k >= (int)d->end_r;
	/* each in as many bits as the kernels have */
	const uint64_t x_offset = (uint64_t)(x * s->x_bytes) * s->x / 4;
	const int64_t at = t->start[k] + (int64_t)x_offset + p * s->p + r * s->r;

	if (s->wide && (s->p == 1 ? at - p : at - r) % 4)
		emulation_meet(e, "a wide read that is not aligned");
	if (s->wide && (s->p == 1 ? d->np != (uint32_t)kernel->p : d->nr != 4))
		emulation_meet(e, "a wide read of too few cells");
	if (of_v && at % kernel->v)
		emulation_meet(e, "a read along V that is not aligned");
	return emulation_read(e, d->order[k], at + (of_v ? v : 0), 1);
}

static int64_t best_of(
	struct emulation *e, const struct thread *t, uint32_t p, uint32_t r, uint32_t v)
{
	const struct gpube__direct *d = &e->p->direct;
	const uint32_t nv = (uint32_t)gpube__direct_kernels[d->kernel].v;
	int64_t best = INT64_MAX;

	for (uint32_t step = 0; step < d->n_steps; step++)
		for (uint32_t i = 0; i < (d->v_is_x ? nv : 1); i++) {
			int64_t sum = 0;

			for (int k = 0; k < N_DIRECT_TABLES; k++)
				if (d->order[k] >= 0)
					sum += term(e, t, k, p, r, d->v_is_x ? i : v,
						gpube__direct_x(d, step));
			best = sum < best ? sum : best;
		}
	return best;
}

static void run_thread(struct emulation *e, uint32_t block, uint32_t lane)
{
	const struct gpube__direct *d = &e->p->direct;
	const uint32_t nv = d->v_is_x ? 1 : (uint32_t)gpube__direct_kernels[d->kernel].v;
	struct thread t = {.out = gpube__direct_block(d, -1, block)};
	uint32_t at[GPUBE_DIRECT_LANES];

	gpube__direct_lane(d, lane, at);
	t.out += gpube__direct_offset(at, d->out_lane);
	for (int k = 0; k < N_DIRECT_TABLES; k++)
		t.start[k] = gpube__direct_block(d, k, block) +
			     gpube__direct_offset(at, d->table[k].lane);
	if (t.out % nv)
		emulation_meet(e, "a write that is not aligned");
	for (uint32_t p = 0; p < d->np && !e->problem; p++)
		for (uint32_t r = 0; r < d->nr; r++)
			for (uint32_t v = 0; v < nv; v++)
				emulation_write(e, t.out + p * d->out_p + r * d->out_r + v,
					best_of(e, &t, p, r, v), 0);
}

static void block(struct emulation *e, uint32_t block)
{
	for (uint32_t i = 0; i < e->p->direct.lanes && !e->problem; i += e->every)
		run_thread(e, block, e->p->direct.lanes - 1 - i);
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

static void one_block_less(struct gpube__cuda_plan *p)
{
	p->direct.blocks--;
}

static void one_lane_less(struct gpube__cuda_plan *p)
{
	p->direct.lanes--;
}

static void one_step_less(struct gpube__cuda_plan *p)
{
	p->direct.n_steps--;
}

static int first_table(const struct gpube__direct *d)
{
	int k = 0;

	while (d->order[k] < 0)
		k++;
	return k;
}

static void x_off(struct gpube__cuda_plan *p)
{
	p->direct.steps[first_table(&p->direct)].x++;
}

static void p_off(struct gpube__cuda_plan *p)
{
	p->direct.steps[first_table(&p->direct)].p++;
}

static void lane_off(struct gpube__cuda_plan *p)
{
	p->direct.table[first_table(&p->direct)].lane[0]++;
}

static void last_off(struct gpube__cuda_plan *p)
{
	p->direct.lane[0].last--;
}

static void out_off(struct gpube__cuda_plan *p)
{
	p->direct.out_p++;
}

static void last_x_off(struct gpube__cuda_plan *p)
{
	p->direct.x_last--;
}

static const struct fault faults[] = {
	{"one block less", one_block_less},
	{"one lane less", one_lane_less},
	{"one step of x less", one_step_less},
	{"x a step further in memory", x_off},
	{"P a cell further", p_off},
	{"lanes a cell further", lane_off},
	{"the last lane a value too early", last_off},
	{"rows of the output a cell further", out_off},
	{"the last x one too early", last_x_off},
};

const struct emulated emulated_direct = {
	.by = GPUBE_BY_DIRECT,
	.n_kernels = N_DIRECT_KERNELS,
	.n_features = 2,
	EMULATED_FAMILY,
};
