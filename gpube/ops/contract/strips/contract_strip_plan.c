/*
 * contract_strip_plan.c - which strips a contraction is cut into (contract_strip.h).
 *
 * Tried is every operand as R, with some lengths of the strip, the largest by places, too, and
 * beside each the dims of P that no operand has which tells the four cells of a thread apart.
 * Prices are cycles of the device.
 */
#include <math.h>
#include <string.h>

#include "gpube/ops/contract/strips/contract_strip.h"

const struct gpube__strip_kernel_info gpube__strip_kernels[N_STRIP_KERNELS] = {
	[STRIP_1] = {1, 1, 1024},
	[STRIP_4] = {4, 4, 1024},
	[STRIP_8] = {8, 8, 768},
	[STRIP_10] = {10, 12, 768},
};

/*
 * These numbers, and the factors without a name in price(), are those with which
 * benchmarks/runs/contract-h200/raw-strips.csv was measured; what is counted as issued are
 * instructions of the kernel's loops.
 */
#define MOST_CELLS   (4 * GPUBE_STRIP_THREADS) /* of a strip */
#define FEWEST_CELLS 64
#define STATIC_BYTES 3200 /* of a block's shared memory, what the system takes included */
#define DRAM_BYTES   15.0 /* of a multiprocessor, in a cycle */
#define L2_BYTES     24.0
#define LAUNCH       8000.0
#define PROLOGUE     5000.0 /* of a block */
#define WAIT         1800.0 /* of a unit, for tables that are summed and the barrier */
#define WAIT_ROUND   600.0  /* more for each time a thread waits past the second */
#define WAIT_R       1500.0 /* more where R is copied */
#define BESIDE       0.15   /* of what is hidden behind what takes longest */
/*
 * What takes longer than its bytes is for boxes, unless it is short: buckets of 10^6 to 10^8 joined
 * cells with 100 values each took 18 us, and 40 as boxes or direct tiles, where some 8 were
 * foreseen (benchmarks/runs/families-h200, "Short strips").
 */
#define SHORT       1e5
#define SHORT_TIMES 2.3
#define LOSS        1.25 /* of the issue slots and of shared memory's cycles */

struct choice {
	int r;     /* the operand */
	int first; /* the strip's first dim, of which it has 'lo' values */
	int64_t lo;
	bool by_places; /* R lacks dims of the strip */
	uint64_t p;     /* dims of P; more than one: whole */
	int np;         /* values of P */
	enum gpube__strip_kernel kernel;
	double cycles;
};

struct planner {
	const struct gpube__shape *s;
	const struct gpube__box_device *device;
	bool large; /* some operand has more cells than 32 bits count */
	double bytes;
	int largest;                    /* operand */
	int64_t behind[GPUBE_MAX_DIMS]; /* output cells from one value of a dim to the next */
};

static uint64_t bit(int d)
{
	GPUBE_KNOWN(d >= 0 && d < 64);
	return (uint64_t)1 << d;
}

static int64_t stride_of(const struct planner *p, int k, int d)
{
	return p->s->stride[k * p->s->ld + d];
}

static int64_t strip_cells(const struct planner *p, const struct choice *c)
{
	return c->lo * p->behind[c->first];
}

/* Values of a dim in a strip. */
static int64_t in_strip(const struct planner *p, const struct choice *c, int d)
{
	return d < c->first ? 1 : d == c->first ? c->lo : p->s->size[d];
}

/* Whether an operand tells a thread's four cells from each other: it belongs to S. */
static bool is_of_s(const struct planner *p, int k)
{
	for (int d = p->s->n_out - 1; d >= 0 && p->behind[d] % 4; d--)
		if (stride_of(p, k, d))
			return true;
	return false;
}

static bool has_p(const struct planner *p, const struct choice *c, int k)
{
	for (int d = 0; d < c->first; d++)
		if (c->p >> d & 1 && stride_of(p, k, d))
			return true;
	return false;
}

/* ---- the descriptor ------------------------------------------------------------------- */

/* A strip's dims: 'n' values of an output dim, 'step' of its values apart. */
struct strip_dims {
	uint32_t n_dims;
	struct {
		int of;
		uint32_t n, step;
	} dim[GPUBE_STRIP_DIMS];
};

static bool add_dim(struct strip_dims *s, int of, int64_t n, uint32_t step)
{
	if (s->n_dims == GPUBE_STRIP_DIMS)
		return false;
	s->dim[s->n_dims].of = of;
	s->dim[s->n_dims].n = (uint32_t)n;
	s->dim[s->n_dims++].step = step;
	return true;
}

/* Of a dim whose steps are no multiples of four cells the least part whose steps are is apart. */
static bool find_dims(struct strip_dims *s, const struct planner *p, const struct choice *c)
{
	s->n_dims = 0;
	for (int e = c->first; e < p->s->n_out; e++) {
		const uint32_t part = p->behind[e] % 2 ? 4 : p->behind[e] % 4 ? 2 : 1;
		const int64_t n = in_strip(p, c, e);
		const bool parts = part > 1 && n > part && n % part == 0;

		if ((parts && !add_dim(s, e, n / part, part)) ||
			!add_dim(s, e, parts ? part : n, 1))
			return false;
	}
	return true;
}

/* Values that the i-th value of P has in dim d. */
static int64_t p_value(const struct planner *p, const struct choice *c, int d, int64_t i)
{
	if (!(c->p & (c->p - 1)))
		return i;
	for (int e = c->first - 1; e > d; e--)
		if (c->p >> e & 1)
			i /= p->s->size[e];
	return i % p->s->size[d];
}

static void set_op(struct gpube__strip_op *o, const struct planner *p, const struct choice *c,
	const struct strip_dims *dims, int k)
{
	o->order = k;
	o->x = (uint32_t)stride_of(p, k, p->s->n_out);
	for (uint32_t i = 0; i < dims->n_dims; i++)
		o->dim[i] = (uint32_t)stride_of(p, k, dims->dim[i].of) * dims->dim[i].step;
	for (int i = 0; i < c->np; i++)
		for (int d = 0; d < c->first; d++)
			if (c->p >> d & 1)
				o->p[i] += (uint32_t)(p_value(p, c, d, i) * stride_of(p, k, d));
}

static void set_table(struct gpube__strip *d, const struct planner *p, const struct choice *c,
	const struct strip_dims *dims, int which)
{
	struct gpube__strip_table *t = &d->table[which];

	if (which == STRIP_S && !t->n)
		return;
	t->group = which == STRIP_S ? 1 : (uint32_t)gpube__strip_kernels[c->kernel].row;
	t->cells = t->group;
	for (uint32_t i = 0; i < d->n_dims; i++) {
		bool has = which == STRIP_S && p->behind[dims->dim[i].of] * dims->dim[i].step % 4;

		for (uint32_t k = 0; k < t->n; k++)
			has |= d->op[gpube__strip_slot(which, k)].dim[i] != 0;
		if (!has)
			continue;
		t->dims |= 1u << i;
		t->cells *= d->dim[i].n;
	}
	t->all = t->cells * d->n_x;
	t->side = t->cells < d->threads ? t->cells : d->threads;
	t->rows = d->threads / t->side < d->n_x ? d->threads / t->side : d->n_x;
	t->each = (d->n_x + t->rows - 1) / t->rows;
	t->by_side = gpube__divisor_of(t->side);
}

/* Whether R's cells of all units begin where four are one aligned read. */
static bool is_aligned(const struct planner *p, const struct choice *c)
{
	for (int e = 0; e < c->first; e++)
		if (stride_of(p, c->r, e) % 4)
			return false;
	return c->lo * stride_of(p, c->r, c->first) % 4 == 0;
}

/* Dims and cells of a strip that R has; and how far those are from each other in memory. */
static uint32_t r_cells(struct gpube__strip *d, uint32_t *step)
{
	uint32_t cells = 1;

	*step = 0;
	for (uint32_t i = 0; i < d->n_dims; i++) {
		if (!d->op[0].dim[i])
			continue;
		d->r_dims |= 1u << i;
		cells *= d->dim[i].n;
		*step = d->op[0].dim[i];
	}
	return cells;
}

static void set_copy(struct gpube__strip *d, const struct choice *c, const struct planner *p)
{
	struct gpube__strip_copy *to = &d->copy;
	uint32_t step;
	const uint32_t cells = r_cells(d, &step), x = d->op[0].x;
	const bool along_x = x && x < step, aligned = is_aligned(p, c);
	const bool fours = step == 1 && x % 4 == 0 && aligned && cells % 4 == 0;

	/* side by side along x cells go to rows whose first words are in different banks */
	d->r_row = cells + (along_x && cells % 8 == 0 ? 4 : 0);
	if (c->by_places)
		d->r_how = fours ? STRIP_PLACES_FOURS : STRIP_PLACES;
	else
		d->r_how = fours ? STRIP_FOURS : STRIP_CELLS;
	d->r_words = (d->r_row * d->n_x + 3) / 4 * 4;
	if (d->r_how == STRIP_PLACES_FOURS) {
		*to = (struct gpube__strip_copy){.n_inner = cells / 4,
			.n = cells / 4 * d->n_x,
			.from_inner = 4,
			.from_outer = x,
			.to_inner = 4,
			.to_outer = d->r_row};
	} else if (!c->by_places && c->kernel == STRIP_1 && x == 1 && step == d->n_x &&
		   d->n_x % 2 == 0 && aligned) {
		d->r_how = STRIP_FOURS_X;
		d->r_row = 4 * d->n_x + 4;
		d->r_words = d->r_row * d->quads;
		*to = (struct gpube__strip_copy){.n_inner = d->n_x,
			.n = d->quads * d->n_x,
			.from_inner = 4,
			.from_outer = 4 * d->n_x,
			.to_inner = 4,
			.to_outer = d->r_row};
	} else if (along_x) {
		*to = (struct gpube__strip_copy){.n_inner = d->n_x,
			.n = cells * d->n_x,
			.from_inner = x,
			.from_outer = step,
			.to_inner = d->r_row,
			.to_outer = 1};
	} else {
		*to = (struct gpube__strip_copy){.n_inner = cells,
			.n = cells * d->n_x,
			.from_inner = step,
			.from_outer = x,
			.to_inner = 1,
			.to_outer = d->r_row};
	}
	GPUBE_KNOWN(to->n_inner > 0);
	to->next_outer = d->threads / to->n_inner;
	to->next_inner = d->threads % to->n_inner;
	to->by_inner = gpube__divisor_of(to->n_inner);
}

static bool add_outer(struct gpube__strip *d, const struct planner *p, int e, int64_t n,
	int64_t step, int64_t last)
{
	struct gpube__strip_outer *o = &d->outer[d->n_outer];

	if (n == 1)
		return true;
	if (d->n_outer == GPUBE_STRIP_OUTER)
		return false;
	o->n = (uint32_t)n;
	o->step = (uint32_t)step;
	o->last = (uint32_t)last;
	o->by_n = gpube__divisor_of(o->n);
	o->out = p->s->out_stride[e];
	for (int k = 0; k < GPUBE_STRIP_OPS; k++)
		if (d->op[k].order >= 0)
			d->op[k].outer[d->n_outer] = (uint32_t)stride_of(p, d->op[k].order, e);
	if (last != (n - 1) * step)
		d->ragged = d->n_outer;
	d->n_outer++;
	return true;
}

/* The dims outside of the strip: first those that R lacks. */
static bool add_outers(struct gpube__strip *d, const struct planner *p, const struct choice *c)
{
	double units = 1;

	d->ragged = GPUBE_STRIP_OUTER;
	for (int with_r = 0; with_r < 2; with_r++) {
		for (int e = c->first; e >= 0; e--) {
			const int64_t size = p->s->size[e];
			const int64_t part = e == c->first                   ? c->lo
					     : !(c->p >> e & 1)              ? 1
					     : c->p & (c->p - 1) /* whole */ ? size
									     : c->np;
			const int64_t n = gpube__divide_up(size, part);

			if ((stride_of(p, c->r, e) != 0) != with_r)
				continue;
			if (!add_outer(d, p, e, n, part, size - part))
				return false;
			units *= (double)n;
		}
		if (units > INT32_MAX)
			return false;
		if (!with_r)
			d->n_loop = (uint32_t)units;
	}
	d->n_units = (uint32_t)units;
	if (d->ragged == GPUBE_STRIP_OUTER)
		d->ragged = d->n_outer;
	d->by_loop = gpube__divisor_of(d->n_loop);
	return true;
}

/* Where everything lies in shared memory. */
static bool set_shared(struct gpube__strip *d, const struct gpube__box_device *device)
{
	uint64_t words = d->r_words;

	for (int i = 0; i < 2; i++) {
		struct gpube__strip_table *const t = &d->table[i];
		const uint64_t each = ((uint64_t)t->cells * d->n_x + 3) / 4 * 4;

		if (!t->all)
			continue;
		t->at = (uint32_t)words;
		t->room = (uint32_t)each;
		t->list = (uint32_t)(words + 2 * each);
		words += 2 * each + ((uint64_t)t->n * t->cells + 3) / 4 * 4;
		if (words * 4 + STATIC_BYTES > device->shared_bytes)
			return false;
	}
	d->shared_bytes = (uint32_t)words * 4;
	return true;
}

/*
 * Whether 32 bits hold the distance of any two cells that a unit reads of an operand: a unit's
 * first cells have 64 bits, and so has each x of fours of R.
 */
static bool offsets_fit(
	const struct gpube__strip *d, const struct planner *p, const struct choice *c)
{
	for (int k = 0; k < p->s->n_in; k++) {
		const bool by_x = k == c->r && d->r_how == STRIP_FOURS;
		double span = by_x ? 0 : (d->n_x - 1.0) * (double)stride_of(p, k, p->s->n_out);

		for (int e = 0; e < p->s->n_out; e++) {
			const int64_t n = !(c->p >> e & 1)                ? in_strip(p, c, e)
					  : c->p & (c->p - 1) /* whole */ ? p->s->size[e]
									  : c->np;

			span += (double)(n - 1) * (double)stride_of(p, k, e);
		}
		if (span > UINT32_MAX)
			return false;
	}
	return true;
}

/* Everything but the numbers of blocks. */
static bool make(struct gpube__strip *d, const struct planner *p, const struct choice *c)
{
	const struct gpube__shape *s = p->s;
	struct strip_dims dims;

	memset(d, 0, sizeof(*d));
	d->kernel = c->kernel;
	d->quads = (uint32_t)(strip_cells(p, c) / 4);
	d->threads = (d->quads + 31) / 32 * 32;
	d->n_x = (uint32_t)s->n_reduced;
	d->np = (uint32_t)c->np;
	d->one = 1;
	if (!find_dims(&dims, p, c))
		return false;
	d->n_dims = dims.n_dims;
	for (uint32_t i = 0; i < dims.n_dims; i++)
		d->dim[i] =
			(struct gpube__strip_dim){dims.dim[i].n, gpube__divisor_of(dims.dim[i].n)};
	for (int k = 0; k < GPUBE_STRIP_OPS; k++)
		d->op[k].order = -1;
	set_op(&d->op[0], p, c, &dims, c->r);
	for (int k = 0; k < s->n_in; k++)
		if (k != c->r) {
			const int which = is_of_s(p, k) ? STRIP_S : STRIP_L;

			set_op(&d->op[gpube__strip_slot(which, d->table[which].n++)], p, c, &dims,
				k);
		}
	for (int i = 0; i < c->np; i++)
		for (int e = 0; e < c->first; e++)
			if (c->p >> e & 1)
				d->out_p[i] += p_value(p, c, e, i) * s->out_stride[e];
	/* the kernels that read R by places have an S */
	if (c->by_places && !d->table[STRIP_S].n)
		return false;
	set_table(d, p, c, &dims, STRIP_L);
	set_table(d, p, c, &dims, STRIP_S);
	set_copy(d, c, p);
	return (!p->large || offsets_fit(d, p, c)) && add_outers(d, p, c) &&
	       set_shared(d, p->device);
}

/* ---- prices --------------------------------------------------------------------------- */

/* Blocks of a multiprocessor. */
static int at_once(const struct gpube__strip *d, const struct gpube__box_device *device)
{
	const int by_registers = gpube__strip_kernels[d->kernel].sm_threads / (int)d->threads;
	const int by_shared = (int)(device->sm_shared_bytes / (d->shared_bytes + STATIC_BYTES));
	const int n = by_registers < by_shared ? by_registers : by_shared;

	return n < 16 ? n : 16;
}

/* How often a thread waits for reads to sum a table for a unit: up to five of x at a time. */
static double sum_rounds(const struct gpube__strip_table *t)
{
	return t->all ? ceil((double)t->cells / t->side) * ceil(t->each / 5.0) : 0;
}

/* Issue slots of a warp to do so. */
static double sum_slots(const struct gpube__strip_table *t)
{
	return 20 + sum_rounds(t) * (20 + 8 * t->n + (t->each <= 2 ? 2 : 5) * (5 + 4.0 * t->n));
}

static double price(struct gpube__strip *d, const struct planner *p)
{
	const struct gpube__strip_kernel_info *k = &gpube__strip_kernels[d->kernel];
	const bool by_places = gpube__strip_by_places(d->r_how);
	const double warps = d->threads / 32.0, n_x = d->n_x;
	const double all = (by_places ? d->r_row : d->quads * 4.0) * n_x; /* of R */
	const double mins = 4.0 * k->p, n_sms = p->device->n_sms;
	const struct gpube__strip_table *const l = &d->table[STRIP_L], *const s =
									       &d->table[STRIP_S];
	/* by places: four reads, of cells that are in one bank where R has the last dim */
	const double loop = mins + k->row / 4.0 + (s->n ? 7 : 2) + (by_places ? 8 : 5);
	const double r_read = by_places && d->r_dims >> (d->n_dims - 1) & 1 ? 12 : 4;
	const bool by_cells = d->r_how == STRIP_CELLS || d->r_how == STRIP_PLACES;
	const double copies = all / 32 / d->n_loop *
			      (d->r_how == STRIP_FOURS ? 1
				      : by_cells       ? 18
						       : 5);
	const double issued = warps * (n_x * loop + d->np * 5 + 80) +
			      warps * (sum_slots(l) + sum_slots(s)) + copies;
	const double shared =
		warps * n_x * (k->row + r_read + (s->n ? 4 : 0)) + (l->all + s->all) / 16.0;
	const double busy = LOSS * fmax(fmax(issued / 4, shared), warps * n_x * mins / 2);
	const double moved =
		(all / d->n_loop + l->all + s->all + d->quads * 4.0 * d->np) * 4 / L2_BYTES;
	const double dram = p->bytes / d->n_units / DRAM_BYTES;
	const double most = fmax(fmax(busy, moved), dram);
	const double each = most + BESIDE * (busy + moved + dram - most);
	const double rounds = fmax(0, sum_rounds(l) + sum_rounds(s) - 2);
	const double wait = WAIT + WAIT_ROUND * rounds + WAIT_R / d->n_loop +
			    (by_cells ? all / 32 / d->n_loop : 0);
	const int n = at_once(d, p->device);
	double blocks;

	if (n < 1)
		return INFINITY;
	blocks = fmin(d->n_units, n * n_sms);
	d->blocks = (uint32_t)blocks;
	return LAUNCH + PROLOGUE +
	       ceil(d->n_units / blocks) * fmax(blocks / n_sms * each, wait + busy);
}

static void try_choice(const struct planner *p, const struct choice *t, struct choice *best)
{
	struct gpube__strip d;
	struct choice c = *t;

	for (int k = 0; k < p->s->n_in; k++)
		if (has_p(p, &c, k) && (k == c.r || is_of_s(p, k)))
			return;
	c.kernel = c.np == 1 ? STRIP_1 : c.np <= 4 ? STRIP_4 : c.np <= 8 ? STRIP_8 : STRIP_10;
	if (!make(&d, p, &c))
		return;
	c.cycles = price(&d, p);
	if (c.cycles < best->cycles)
		*best = c;
}

/* ---- the search ----------------------------------------------------------------------- */

/* Whether dim d can be of P. */
static bool may_be_of_p(const struct planner *p, const struct choice *c, int d)
{
	for (int k = 0; k < p->s->n_in; k++)
		if (stride_of(p, k, d) && (k == c->r || is_of_s(p, k)))
			return false;
	return true;
}

/* The best P beside a strip: none, a part of one dim, or several whole ones. */
static void try_p(const struct planner *p, const struct choice *strip, struct choice *best)
{
	struct choice c = *strip;

	c.np = 1;
	c.p = 0;
	if (!c.by_places) /* which takes too much for one add-min a cell */
		try_choice(p, &c, best);
	for (int d = c.first - 1; d >= 0; d--) {
		const int64_t size = p->s->size[d];
		int64_t all = size;

		if (!may_be_of_p(p, &c, d))
			continue;
		c.p = bit(d);
		for (int most = 4; most <= GPUBE_STRIP_P; most += most == 8 ? 2 : 4) {
			c.np = (int)gpube__divide_up(size, gpube__divide_up(size, most));
			try_choice(p, &c, best);
		}
		for (int e = d - 1; e >= 0; e--) {
			if (!may_be_of_p(p, &c, e) || all * p->s->size[e] > GPUBE_STRIP_P)
				continue;
			all *= p->s->size[e];
			c.p |= bit(e);
			c.np = (int)all;
			try_choice(p, &c, best);
		}
	}
}

/*
 * Whether those cells of a strip that operand k tells apart are equally far from each other there;
 * by places it lacks a dim, otherwise none.
 */
static bool is_affine(const struct planner *p, const struct choice *c, int k)
{
	int64_t next = 0;
	bool lacks = false;

	for (int d = p->s->n_out - 1; d >= c->first; d--) {
		const int64_t step = stride_of(p, k, d);

		lacks |= !step;
		if (step && next && step != next)
			return false;
		if (step)
			next = step * p->s->size[d];
	}
	return next && lacks == c->by_places;
}

/* The largest divisor of n that is at most 'most'. */
static int64_t divisor_below(int64_t n, int64_t most)
{
	int64_t best = 1;

	for (int64_t i = 1; i <= most && i * i <= n; i++)
		if (n % i == 0) {
			best = i > best ? i : best;
			best = n / i <= most && n / i > best ? n / i : best;
		}
	return best;
}

/* Strips of at most so many cells, as long as they can be. */
static void try_strip(
	const struct planner *p, int k, bool by_places, int64_t most, struct choice *best)
{
	struct choice c = {.r = k, .first = p->s->n_out - 1, .by_places = by_places};

	while (c.first > 0 && p->behind[c.first] * p->s->size[c.first] * 2 <= most)
		c.first--;
	for (; c.first < p->s->n_out; c.first++) {
		c.lo = divisor_below(p->s->size[c.first], most / p->behind[c.first]);
		if (c.lo > 1 && strip_cells(p, &c) % 4 == 0 && is_affine(p, &c, k))
			break;
	}
	if (c.first < p->s->n_out && strip_cells(p, &c) >= FEWEST_CELLS)
		try_p(p, &c, best);
}

static bool planner_init(struct planner *p)
{
	const struct gpube__shape *s = p->s;
	double most = 0;
	int64_t behind = 1;

	p->bytes = (double)s->n_out_cells * 4;
	for (int d = s->n_out - 1; d >= 0; d--) {
		if (s->size[d] > INT32_MAX)
			return false;
		p->behind[d] = behind;
		behind *= s->size[d];
	}
	for (int k = 0; k < s->n_in; k++) {
		double cells = 1;

		for (int d = 0; d < s->n_dims; d++) {
			if (stride_of(p, k, d) > UINT32_MAX)
				return false;
			cells *= stride_of(p, k, d) ? (double)s->size[d] : 1;
		}
		if (cells > most) {
			most = cells;
			p->largest = k;
		}
		p->large |= cells > UINT32_MAX;
		p->bytes += cells * 4;
	}
	return true;
}

bool gpube__strip_plan(struct gpube__strip *d, double *cycles,
	const struct gpube__box_device *device, double most, const struct gpube_contraction *c,
	const struct gpube__shape *s)
{
	struct planner p = {.s = s, .device = device};
	struct choice best = {.cycles = INFINITY};

	if (!planner_init(&p))
		return false;
	for (int64_t cells = MOST_CELLS; cells >= FEWEST_CELLS; cells /= 2) {
		for (int k = 0; k < s->n_in; k++)
			try_strip(&p, k, false, cells, &best);
		try_strip(&p, p.largest, true, cells, &best);
	}
	if (!(best.cycles < INFINITY) || !make(d, &p, &best))
		return false;
	*cycles = price(d, &p);
	if (*cycles > LAUNCH + PROLOGUE + most * p.bytes / (DRAM_BYTES * device->n_sms)) {
		*cycles *= SHORT_TIMES;
		if (*cycles > SHORT)
			return false;
	}
	d->top = c->top;
	d->threshold = c->threshold;
	return true;
}
