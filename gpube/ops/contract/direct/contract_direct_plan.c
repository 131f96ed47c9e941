/*
 * contract_direct_plan.c - which tiles a contraction is cut into (contract_direct.h).
 *
 * Every choice of the dims in registers is priced by what a thread issues and what the L1 cache
 * serves for a joined cell; then the block's box of tiles grows, one step at a time, where that
 * spares most reads of the L2 cache. Prices are cycles of a multiprocessor; only their order, and
 * how they compare with those of boxes, matters.
 */
#include <math.h>
#include <string.h>

#include "gpube/ops/contract/direct/contract_direct.h"

const struct gpube__direct_kernel_info gpube__direct_kernels[N_DIRECT_KERNELS] = {
	[DIRECT_8X4] = {8, 1, 4, 512},
	[DIRECT_8X2] = {8, 1, 2, 768},
	[DIRECT_8X1] = {8, 1, 1, 1024},
	[DIRECT_4X4X4] = {4, 4, 4, 384},
	[DIRECT_4X4X2] = {4, 4, 2, 512},
};

/*
 * These numbers, and the factors without a name below, are of the commit that
 * benchmarks/runs/contract-h200/raw-direct.csv measured; what is counted as slots are instructions
 * of the kernels' loops.
 */
#define WARPS_WANTED 14.0 /* of a multiprocessor, to hide latency */
#define DRAM_BYTES   16.0 /* of a multiprocessor, in a cycle */
#define L2_BYTES     24.0
#define LAUNCH       8000.0
#define STEP         700.0  /* from a step's first read to its end, in cycles */
#define OTHER_S      150.0  /* more of it for each table without a place, read after the others: */
#define OTHER_V      200.0  /* of no class, of V */
#define OTHER        350.0  /* and of the others */
#define PROLOGUE     3000.0 /* of a block */
#define NONE         (-1)

/* What the search chooses. */
struct choice {
	enum gpube__direct_kernel kernel;
	int p, r, v; /* output dims, or NONE; v NONE with nv > 1: side by side are x */
	int np, nr, nv;
	int64_t lanes[GPUBE_MAX_DIMS];
	double cycles; /* of a multiprocessor, for a joined cell */
};

struct planner {
	const struct gpube__shape *s;
	const struct gpube__box_device *device;
	bool in_batch;
	bool large; /* some table's cells are more than 32 bits count */
	double cells, bytes;
};

static const int64_t *stride_of(const struct planner *p, int k)
{
	return k < 0 ? p->s->out_stride : p->s->stride + k * p->s->ld;
}

static int64_t x_stride(const struct planner *p, int k)
{
	return p->s->n_dims > p->s->n_out ? stride_of(p, k)[p->s->n_out] : 0;
}

static bool v_is_x(const struct choice *c)
{
	return c->v == NONE && c->nv > 1;
}

/* Values of output dim d in a tile. */
static int64_t tile_size(const struct choice *c, int d)
{
	return d == c->p ? c->np : d == c->r ? c->nr : d == c->v ? c->nv : 1;
}

static int64_t n_tiles(const struct planner *p, const struct choice *c, int d)
{
	return gpube__divide_up(p->s->size[d], tile_size(c, d));
}

/* ---- registers -------------------------------------------------------------------------- */

static int class_of(const struct planner *p, const struct choice *c, int k)
{
	const int64_t *stride = stride_of(p, k);
	int class = c->p != NONE && stride[c->p] ? DIRECT_P : 0;

	if (c->r != NONE && stride[c->r])
		class |= DIRECT_R;
	if (v_is_x(c) ? x_stride(p, k) != 0 : c->v != NONE && stride[c->v])
		class |= DIRECT_V;
	return class;
}

static int cells_of(const struct choice *c, int class)
{
	return (class & DIRECT_P ? c->np : 1) * (class & DIRECT_R ? c->nr : 1) *
	       (class & DIRECT_V ? c->nv : 1);
}

/* Whether n cells of table k along dim d, from any multiple of n on, are one aligned read. */
static bool together(const struct planner *p, int k, int d, int n)
{
	const int64_t *stride = stride_of(p, k);

	if (stride[d] != 1)
		return false;
	for (int e = 0; e < p->s->n_dims; e++)
		if (e != d && stride[e] % n)
			return false;
	return p->s->size[d] % n == 0;
}

/* Whether the cells of a tile along P (P alone) or R (P and R) are read together. */
static bool wide_of(const struct planner *p, const struct choice *c, int k, int class)
{
	const struct gpube__direct_kernel_info *kernel = &gpube__direct_kernels[c->kernel];

	if (class == DIRECT_P)
		return c->np == kernel->p && together(p, k, c->p, 4);
	return class == (DIRECT_P | DIRECT_R) && c->nr == 4 && together(p, k, c->r, 4);
}

/* How many values of output dim d a block has; lanes not chosen yet: a tile. */
static int64_t in_box(const struct planner *p, const struct choice *c, int d)
{
	return gpube__smaller(p->s->size[d], (c->lanes[d] ? c->lanes[d] : 1) * tile_size(c, d));
}

/* Whether 32 bits hold the distance of any two cells of a block's box, in every table. */
static bool offsets_fit(const struct planner *p, const struct choice *c)
{
	for (int k = -1; p->large && k < p->s->n_in; k++) {
		double span = 0;

		for (int d = 0; d < p->s->n_out; d++)
			span += (double)(in_box(p, c, d) - 1) * (double)stride_of(p, k)[d];
		if (span > UINT32_MAX)
			return false;
	}
	return true;
}

/* Cycles in which the L1 cache serves a warp's read of table k. */
static double wavefronts(const struct planner *p, const struct choice *c, int k, int cells)
{
	const int last = p->s->n_out - 1;
	int64_t apart;

	if (last < 0 || !stride_of(p, k)[last])
		return 1;
	apart = stride_of(p, k)[last] * tile_size(c, last);
	return (double)(apart > 32 ? 32 : apart < cells ? cells : apart);
}

/* Sets the cycles of a multiprocessor for a joined cell, or INFINITY: no kernel for it. */
static void price(const struct planner *p, struct choice *c)
{
	const int cells = c->np * c->nr * c->nv;
	const int v = v_is_x(c) ? p->s->n_out : c->v;
	double slots = 24, waves = 0, use = 1, tiles = 1, warps;
	int n_of[8] = {0};

	c->cycles = INFINITY;
	if (!offsets_fit(p, c))
		return;
	for (int k = 0; k < p->s->n_in; k++) {
		const int class = class_of(p, c, k), n = cells_of(c, class);
		const int wide = class & DIRECT_V ? c->nv : wide_of(p, c, k, class) ? 4 : 1;
		const double loads = (double)n / wide;

		if (class & DIRECT_V && c->nv > 1 && !together(p, k, v, c->nv))
			return;
		n_of[class]++;
		slots += 6 + 2.5 * loads + n;
		waves += loads * wavefronts(p, c, k, wide);
	}
	if (n_of[DIRECT_P | DIRECT_R] > 1 || n_of[DIRECT_P | DIRECT_R | DIRECT_V])
		return;
	slots += cells;
	if (n_of[DIRECT_P | DIRECT_V] && n_of[DIRECT_P | DIRECT_R])
		slots += cells;
	for (int d = 0; d < p->s->n_out; d++) {
		const int64_t n = n_tiles(p, c, d);

		use *= (double)p->s->size[d] / (double)(n * tile_size(c, d));
		tiles *= (double)n;
	}
	slots /= 4;
	c->cycles =
		(slots > waves ? slots + 0.3 * waves : waves + 0.3 * slots) / (32 * cells * use);
	warps = tiles / 32 / p->device->n_sms;
	if (!p->in_batch && warps < WARPS_WANTED)
		c->cycles *= WARPS_WANTED / warps;
}

static void try_tile(const struct planner *p, const struct choice *t, struct choice *best)
{
	struct choice c = *t;

	price(p, &c);
	if (c.cycles < best->cycles)
		*best = c;
}

/* As many values of a dim as make the fewest tiles of at most so many. */
static int part_of(int64_t n, int most)
{
	return (int)(n <= most ? n : gpube__divide_up(n, gpube__divide_up(n, most)));
}

/* The best P beside a given V. */
static void try_p(const struct planner *p, const struct choice *with_v, struct choice *best)
{
	struct choice c = *with_v;

	try_tile(p, &c, best);
	for (c.p = 0; c.p < p->s->n_out; c.p++)
		for (int most = 2; most <= 8 && c.p != c.v; most *= 2) {
			c.np = part_of(p->s->size[c.p], most);
			try_tile(p, &c, best);
		}
}

/* The best P, and P and R, beside a given V. */
static void try_groups(const struct planner *p, const struct choice *with_v, struct choice *best)
{
	const struct gpube__shape *s = p->s;
	struct choice c = *with_v;

	c.kernel = c.nv == 4 ? DIRECT_8X4 : c.nv == 2 ? DIRECT_8X2 : DIRECT_8X1;
	try_p(p, &c, best);
	if (c.nv == 1)
		return;
	c.kernel = c.nv == 4 ? DIRECT_4X4X4 : DIRECT_4X4X2;
	for (c.p = 0; c.p < s->n_out; c.p++)
		for (c.r = 0; c.r < s->n_out; c.r++) {
			if (c.p == c.v || c.r == c.v || c.p == c.r || s->size[c.p] < 3 ||
				s->size[c.r] < 3)
				continue;
			c.np = part_of(s->size[c.p], 4);
			c.nr = part_of(s->size[c.r], 4);
			try_tile(p, &c, best);
		}
}

static bool find_tile(const struct planner *p, struct choice *best)
{
	const struct choice one = {.p = NONE, .r = NONE, .v = NONE, .np = 1, .nr = 1, .nv = 1};
	const struct gpube__shape *s = p->s;

	*best = one;
	best->cycles = INFINITY;
	try_groups(p, &one, best);
	for (int nv = 2; nv <= 4; nv *= 2) {
		struct choice c = one;

		c.nv = nv;
		if (s->n_dims > s->n_out && s->n_reduced % nv == 0)
			try_groups(p, &c, best);
		c.v = s->n_out - 1;
		if (s->n_out && s->size[c.v] % nv == 0)
			try_groups(p, &c, best);
	}
	return best->cycles < INFINITY;
}

/* ---- lanes ---------------------------------------------------------------------------- */

/* Bytes of table k, or of the output (k < 0), that lie together in a block's box. */
static double run_bytes(const struct planner *p, const struct choice *c, int k)
{
	const int64_t *stride = stride_of(p, k);
	int64_t next = 1;

	if (k >= 0 && x_stride(p, k) == 1)
		return 128; /* the next x are in the same line, which the cache keeps */
	for (int d = p->s->n_out - 1; d >= 0; d--) {
		if (stride[d] != next)
			continue;
		next *= in_box(p, c, d);
		if (in_box(p, c, d) < p->s->size[d])
			break;
	}
	return (double)next * 4;
}

/* Bytes that a block reads of the L2 cache and writes, for a joined cell. */
static double traffic(const struct planner *p, const struct choice *c)
{
	double box = 1, bytes = 0;

	for (int d = 0; d < p->s->n_out; d++)
		box *= (double)in_box(p, c, d);
	for (int k = -1; k < p->s->n_in; k++) {
		const double run = run_bytes(p, c, k);
		double cells = k < 0 ? 1 / (double)p->s->n_reduced : 1;

		for (int d = 0; d < p->s->n_out; d++)
			cells *= stride_of(p, k)[d] ? (double)in_box(p, c, d) : 1;
		/* sectors of 32 bytes; and DRAM likes them in fours and more */
		bytes += cells * 4 * (run < 32 ? 32 / run : 1) *
			 (run < 128          ? 1.3
				 : run < 256 ? 1.1
					     : 1);
	}
	return bytes / box;
}

static int kernel_threads(const struct choice *c)
{
	return gpube__direct_kernels[c->kernel].r > 1 ? GPUBE_DIRECT_THREADS_R
						      : GPUBE_DIRECT_THREADS;
}

/* Threads of a block: enough blocks for all multiprocessors come first. */
static int64_t most_threads(const struct planner *p, const struct choice *c)
{
	int64_t tiles = 1, most = kernel_threads(c);

	for (int d = 0; d < p->s->n_out; d++)
		tiles = gpube__smaller(tiles * n_tiles(p, c, d), INT32_MAX);
	while (!p->in_batch && most > 64 && tiles / most < 2 * p->device->n_sms)
		most /= 2;
	return most;
}

/* The best next step of the box; false: there is none. */
static bool grow_once(const struct planner *p, struct choice *c, int64_t most)
{
	struct choice best = *c;
	double best_price = INFINITY;
	int64_t threads = 1;
	int n_axes = 0;

	for (int d = 0; d < p->s->n_out; d++) {
		threads *= c->lanes[d];
		n_axes += c->lanes[d] > 1;
	}
	for (int d = 0; d < p->s->n_out; d++) {
		const int64_t all = n_tiles(p, c, d);

		if (c->lanes[d] == 1 && n_axes == GPUBE_DIRECT_LANES)
			continue;
		for (int which = 0; which < 3 && c->lanes[d] < all; which++) {
			struct choice next = *c;
			int64_t n;
			double price;

			next.lanes[d] =
				gpube__next_lanes(c->lanes[d], all, which, GPUBE_DIRECT_THREADS_R);
			n = threads / c->lanes[d] * next.lanes[d];
			if (n > most || !offsets_fit(p, &next))
				continue;
			/* tiles done twice, and how fast it grows */
			price = traffic(p, &next) * (1 + 0.05 * log2((double)n)) *
				(double)(gpube__divide_up(all, next.lanes[d]) * next.lanes[d]) /
				(double)all;
			if (price < best_price) {
				best_price = price;
				best = next;
			}
		}
	}
	*c = best;
	return best_price < INFINITY;
}

static void grow_lanes(const struct planner *p, struct choice *c)
{
	const int64_t most = most_threads(p, c);

	for (int d = 0; d < p->s->n_out; d++)
		c->lanes[d] = 1;
	while (grow_once(p, c, most))
		;
}

/* ---- the descriptor ------------------------------------------------------------------- */

/* Gives the operands their places. */
static bool order_tables(struct gpube__direct *d, const struct planner *p, const struct choice *c)
{
	static const int class_at[N_DIRECT_PLACES] = {
		[DIRECT_PV] = DIRECT_P | DIRECT_V,
		[DIRECT_RV] = DIRECT_R | DIRECT_V,
		[DIRECT_PR] = DIRECT_P | DIRECT_R,
		[DIRECT_V0] = DIRECT_V,
		[DIRECT_P0] = DIRECT_P,
	};
	static const int others[6] = {
		0, DIRECT_V, DIRECT_P, DIRECT_R, DIRECT_P | DIRECT_V, DIRECT_R | DIRECT_V};
	uint32_t *const ends[6] = {
		&d->end_s, &d->end_v, &d->end_p, &d->end_r, &d->end_pv, &d->end_rv};
	uint32_t n = N_DIRECT_PLACES;
	bool placed[N_DIRECT_TABLES] = {false};

	for (int i = 0; i < N_DIRECT_PLACES; i++)
		for (int k = 0; k < p->s->n_in && !(d->present >> i & 1); k++)
			if (!placed[k] && class_of(p, c, k) == class_at[i]) {
				placed[k] = true;
				d->present |= 1u << i;
				d->order[i] = (int8_t)k;
			}
	for (int i = 0; i < 6; i++) {
		for (int k = 0; k < p->s->n_in; k++) {
			if (placed[k] || class_of(p, c, k) != others[i])
				continue;
			if (n == N_DIRECT_TABLES)
				return false;
			d->order[n++] = (int8_t)k;
		}
		*ends[i] = n;
	}
	return true;
}

static struct gpube__direct_axis axis_of(int64_t n, int64_t step, int64_t last)
{
	return (struct gpube__direct_axis){
		(uint32_t)n, (uint32_t)step, (uint32_t)last, gpube__divisor_of((uint32_t)n)};
}

static void set_grid(struct gpube__direct_table *t, int i, int64_t step)
{
	t->grid[i] = (uint32_t)step;
	t->grid_high[i] = (uint8_t)(step >> 32);
}

static bool add_axes(struct gpube__direct *d, const struct planner *p, const struct choice *c)
{
	const struct gpube__shape *s = p->s;
	double blocks = 1;

	d->lanes = 1;
	for (int e = s->n_out - 1; e >= 0; e--) {
		const int64_t reg = tile_size(c, e), each = in_box(p, c, e);
		const int64_t boxes = gpube__divide_up(s->size[e], each);

		if (c->lanes[e] > 1) {
			const int i = d->n_lane++;

			d->lane[i] = axis_of(c->lanes[e], reg, s->size[e] - reg);
			d->out_lane[i] = (uint32_t)s->out_stride[e];
			for (int k = 0; k < N_DIRECT_TABLES; k++)
				if (d->order[k] >= 0)
					d->table[k].lane[i] =
						(uint32_t)stride_of(p, d->order[k])[e];
			d->lanes *= (uint32_t)c->lanes[e];
		}
		if (boxes > 1) {
			const int i = d->n_grid++;

			if (i == GPUBE_DIRECT_GRID)
				return false;
			d->grid[i] = axis_of(boxes, each, s->size[e] - each);
			d->out_grid[i] = s->out_stride[e];
			for (int k = 0; k < N_DIRECT_TABLES; k++)
				if (d->order[k] >= 0)
					set_grid(&d->table[k], i, stride_of(p, d->order[k])[e]);
			blocks *= (double)boxes;
		}
	}
	d->blocks = blocks < INT32_MAX ? (uint32_t)blocks : 0;
	return d->blocks > 0;
}

/*
 * The step of x as a number of 32 bits, in units of a power of two of cells, the smallest one.
 * False: it is odd and larger.
 */
static bool set_x(struct gpube__direct_steps *to, int64_t step, int64_t n_x)
{
	int64_t unit = 1;

	while (step / unit > UINT32_MAX)
		unit *= 2;
	to->x = (uint32_t)(step / unit);
	to->x_bytes = (uint32_t)(4 * unit);
	return step % unit == 0 && n_x <= UINT32_MAX / (4 * unit);
}

static bool make(struct gpube__direct *d, const struct planner *p, const struct choice *c,
	const struct gpube_contraction *from)
{
	const struct gpube__shape *s = p->s;
	const int x_step = v_is_x(c) ? c->nv : 1;

	memset(d, 0, sizeof(*d));
	memset(d->order, -1, sizeof(d->order));
	d->kernel = c->kernel;
	d->np = (uint32_t)c->np;
	d->nr = (uint32_t)c->nr;
	d->v_is_x = v_is_x(c);
	d->x_step = (uint32_t)x_step;
	d->x_last = (uint32_t)(s->n_reduced - x_step);
	d->n_steps = (uint32_t)gpube__divide_up(s->n_reduced, x_step);
	d->one = 1;
	d->top = from->top;
	d->threshold = from->threshold;
	d->out_p = c->p == NONE ? 0 : (uint32_t)s->out_stride[c->p];
	d->out_r = c->r == NONE ? 0 : (uint32_t)s->out_stride[c->r];
	if (!order_tables(d, p, c) || !add_axes(d, p, c))
		return false;
	for (int i = 0; i < N_DIRECT_TABLES; i++) {
		const int k = d->order[i];

		if (k < 0)
			continue;
		if (!set_x(&d->steps[i], x_stride(p, k), s->n_reduced))
			return false;
		d->steps[i].p = c->p == NONE ? 0 : (uint32_t)stride_of(p, k)[c->p];
		d->steps[i].r = c->r == NONE ? 0 : (uint32_t)stride_of(p, k)[c->r];
		d->steps[i].wide = wide_of(p, c, k, class_of(p, c, k));
	}
	d->per_block = p->in_batch && d->blocks == 1 ? (uint32_t)kernel_threads(c) / d->lanes : 1;
	d->threads = (d->lanes * d->per_block + 31) / 32 * 32;
	d->by_lanes = gpube__divisor_of(d->lanes);
	d->by_blocks = gpube__divisor_of(d->blocks);
	return true;
}

/*
 * Cycles of the device. A step's reads are waited for by all warps in turn, and what other warps do
 * meanwhile is not enough where they are few.
 */
static double predict(
	const struct gpube__direct *d, const struct planner *p, const struct choice *c)
{
	const int n_sms = p->device->n_sms;
	const double work = c->cycles * p->cells / n_sms;
	const double l2 = traffic(p, c) * p->cells / (L2_BYTES * n_sms);
	const double dram = p->bytes / (DRAM_BYTES * n_sms);
	const double at_once =
		n_sms * floor(gpube__direct_kernels[c->kernel].sm_threads / (double)d->threads);
	const double waves = (double)d->blocks / d->per_block / at_once;
	const uint32_t n_v = d->end_v - d->end_s;
	const double step = STEP + OTHER_S * (d->end_s - N_DIRECT_PLACES) + OTHER_V * n_v +
			    OTHER * (d->end_rv - d->end_v);
	const double wait = (p->in_batch || waves > 1 ? waves : 1) * (d->n_steps * step + PROLOGUE);
	const double busy = fmax(work, l2);

	return (p->in_batch ? 0 : LAUNCH) +
	       fmax(1.1 * dram, 1.5 * fmax(busy, wait) + 0.7 * fmin(busy, wait));
}

static bool planner_init(struct planner *p)
{
	const struct gpube__shape *s = p->s;

	for (int d = 0; d < s->n_dims; d++)
		if (s->size[d] > INT32_MAX)
			return false;
	p->cells = (double)s->n_out_cells * (double)s->n_reduced;
	p->bytes = (double)s->n_out_cells * 4;
	p->large = s->n_out_cells > UINT32_MAX;
	for (int k = 0; k < s->n_in; k++) {
		double cells = 1;

		for (int d = 0; d < s->n_dims; d++)
			cells *= s->stride[k * s->ld + d] ? (double)s->size[d] : 1;
		if (cells > (double)GPUBE_DIRECT_MAX_STEP)
			return false;
		p->large |= cells > UINT32_MAX;
		p->bytes += cells * 4;
	}
	return true;
}

bool gpube__direct_plan(struct gpube__direct *d, double *cycles,
	const struct gpube__box_device *device, const struct gpube_contraction *c,
	const struct gpube__shape *s, bool in_batch)
{
	struct planner p = {.s = s, .device = device, .in_batch = in_batch};
	struct choice choice;

	if (!planner_init(&p) || !find_tile(&p, &choice))
		return false;
	grow_lanes(&p, &choice);
	if (!make(d, &p, &choice, c))
		return false;
	*cycles = predict(d, &p, &choice);
	return true;
}
