/*
 * contract_panel_plan.c - which panels a contraction is cut into (contract_panel.h).
 *
 * For every choice of the dims in registers the box grows, one step at a time, where that spares
 * most of what is staged for a joined cell; each box on the way is priced, in cycles of a
 * multiprocessor, with one and with several groups along x.
 */
#include <math.h>
#include <string.h>

#include "gpube/ops/contract/contract_panel_choice.h"

const struct gpube__panel_kernel_info gpube__panel_kernels[N_PANEL_KERNELS] = {
	[PANEL_8X8] = {{8, 1, 8}, 4, 2, 256, 512, 0, GPUBE_PANEL_TERMS},
	[PANEL_8X8_APART] = {{8, 1, 8}, 1, 2, 256, 512, 0, GPUBE_PANEL_TERMS},
	[PANEL_4X8] = {{4, 1, 8}, 4, 2, 256, 768, 0, GPUBE_PANEL_TERMS},
	[PANEL_10X10] = {{10, 1, 10}, 2, 2, 128, 384, 0, GPUBE_PANEL_TERMS},
	[PANEL_4X4X4] = {{4, 4, 4}, 4, 3, 256, 512, 0, GPUBE_PANEL_TERMS},
	[PLANE_8X8] = {{8, 1, 8}, 1, 2, 512, 512, 8, 1},
	[PLANE_8X8_SUMS] = {{8, 1, 8}, 1, 2, 256, 512, 8, 2},
	[PLANE_7X7_SUMS] = {{7, 1, 7}, 1, 2, 256, 512, 7, 2},
	[PLANE_5X10_SUMS] = {{5, 1, 10}, 1, 2, 256, 512, 10, 2},
	[PLANE_5X10] = {{5, 1, 10}, 1, 2, 512, 512, 10, 1},
	[PLANE_4X4X4] = {{4, 4, 4}, 4, 3, 512, 512, 4, 1},
	[PLANE_4X4X4_HALF] = {{4, 4, 4}, 4, 3, 256, 512, 4, 1},
};

/* Of a multiprocessor, in a cycle. */
#define DRAM_BYTES  16.0
#define L2_BYTES    24.0
#define LAUNCH      5000.0
#define PROLOGUE    3500.0 /* of a block, until its first cells have come */
#define ENTRY       900.0  /* of what a thread does for the lists */
#define ENTRY_SLOTS 90.0
#define CHUNK       900.0 /* of each further chunk, where nothing else is done meanwhile */
#define THREE_ALONG 1.8   /* of three panels, tables along x: measured, by what is counted here */
#define MAX_CHUNK   32
#define MAX_PAIRS   3    /* of dims that every kernel is tried with */
#define MAX_OUT	   5 /* output dims: the search grows with their fourth power */
#define MAX_OUT_LONG 7 /* of long contractions */
#define LONG	   5e8 /* joined cells */
#define RESERVED    1536 /* bytes of shared memory that a block has besides */

/* ---- panels ----------------------------------------------------------------------------- */

static uint64_t panel_dims(const struct gpube__panel_choice *c, int panel)
{
	int first, second;

	gpube__panel_parts(c->kernel, panel, &first, &second);
	return (first == PANEL_NONE ? 0 : bit(c->dim[first])) | bit(c->dim[second]);
}

/* Values of the box along these dims. */
static int64_t cells_of(
	const struct gpube__panel_planner *p, const struct gpube__panel_choice *c, uint64_t dims)
{
	int64_t cells = 1;

	for (int d = 0; d < p->s->n_out; d++)
		if (dims >> d & 1)
			cells *= values(c, d);
	return cells;
}

/*
 * Whether the kernel does it with these dims in registers: no operand has more of them than a
 * panel, and every panel has an operand with all of its.
 */
static bool fits(const struct gpube__panel_planner *p, const struct gpube__panel_choice *c)
{
	const int n = gpube__panel_kernels[c->kernel].n_panels;
	bool has[3] = {false, false, false};
	uint64_t all = 0;

	for (int i = 0; i < n; i++)
		all |= panel_dims(c, i);
	for (int k = 0; k < p->s->n_in; k++) {
		const uint64_t own = p->scope[k] & all;
		bool some = false;

		for (int i = 0; i < n; i++) {
			some |= (own & ~panel_dims(c, i)) == 0;
			has[i] |= own == panel_dims(c, i);
		}
		if (!some)
			return false;
	}
	return has[0] && has[1] && (n < 3 || has[2]);
}

/* Gives each operand to a panel: first where there is no choice, then where it adds least. */
static bool assign(const struct gpube__panel_planner *p, struct gpube__panel_choice *c)
{
	const struct gpube__panel_kernel_info *kernel = &gpube__panel_kernels[c->kernel];
	const int n = kernel->n_panels;
	uint64_t all = 0;
	/* by planes: operands without register dims; those that add nothing up have no place for one */
	const int most_apart = n == 3 || kernel->terms > 1;
	int apart = 0;

	for (int i = 0; i < n; i++) {
		c->scope[i] = panel_dims(c, i);
		all |= c->scope[i];
		c->terms[i] = 0;
	}
	for (int free = 0; free < 2; free++)
		for (int k = 0; k < p->s->n_in; k++) {
			const uint64_t own = p->scope[k] & c->box;
			double least = INFINITY;
			int n_able = 0, best = 0;

			if (kernel->planes && !(own & all)) {
				c->panel_of[k] = n;
				apart += free;
				continue;
			}
			for (int i = 0; i < n; i++) {
				double more;

				if (own & all & ~panel_dims(c, i))
					continue;
				if (kernel->planes && (own & all) != panel_dims(c, i))
					continue;
				n_able++;
				more = (double)cells_of(p, c, c->scope[i] | own) -
				       (double)cells_of(p, c, c->scope[i]) + 0.1 * c->terms[i];
				if (more < least) {
					least = more;
					best = i;
				}
			}
			if (n_able == 0 && kernel->planes)
				return false;
			if (n_able == 0 || (n_able > 1) != free)
				continue;
			c->panel_of[k] = best;
			c->scope[best] |= own;
			if (++c->terms[best] > kernel->terms)
				return false;
		}
	if (apart > most_apart)
		return false;
	for (int i = 0; i < n; i++)
		c->panel_cells[i] = cells_of(p, c, c->scope[i]);
	return true;
}

/* ---- prices ----------------------------------------------------------------------------- */

/* The output dim whose values of operand k lie side by side in shared memory, or NONE. */
static int wide_dim(const struct gpube__panel_planner *p, const struct gpube__panel_choice *c,
	int k, int width)
{
	const struct gpube__panel_kernel_info *kernel = &gpube__panel_kernels[c->kernel];
	int first, second;

	if (kernel->wide == 1 || c->panel_of[k] == kernel->n_panels) { /* the closest lanes */
		for (int d = p->s->n_out - 1; d >= 0; d--)
			if (p->scope[k] & c->box & bit(d))
				return c->lanes[d] % width ? PANEL_NONE : d;
		return PANEL_NONE;
	}
	gpube__panel_parts(c->kernel, c->panel_of[k], &first, &second);
	if (p->scope[k] >> c->dim[second] & 1)
		return c->dim[second];
	if (first != PANEL_NONE && p->scope[k] >> c->dim[first] & 1)
		return c->dim[first];
	return PANEL_NONE;
}

/* Whether every step of operand k but that along dim d, which is 1, is a multiple of 'width'. */
static bool side_by_side(const struct gpube__panel_planner *p, int k, int d, int width)
{
	const int64_t *stride = stride_of(p, k);

	for (int e = 0; e < p->s->n_dims; e++)
		if (e != d && stride[e] % width)
			return false;
	return stride[d] == 1 && p->s->size[d] % width == 0;
}

static void set_copy(const struct gpube__panel_planner *p, struct gpube__panel_choice *c, int k)
{
	const struct gpube__panel_kernel_info *kernel = &gpube__panel_kernels[c->kernel];
	const int x = p->s->n_out;

	c->wide_dim[k] = PANEL_NONE;
	c->how[k] = PANEL_CELLS;
	for (int width = 4; width >= (kernel->planes ? 2 : 4); width -= 2) {
		const int d = wide_dim(p, c, k, width);

		if (d != PANEL_NONE && kernel->wide != 2 && side_by_side(p, k, d, width)) {
			c->wide_dim[k] = d;
			c->how[k] = width == 4 ? PANEL_FOURS : PANEL_TWOS;
			return;
		}
	}
	if (x_step(p, k) == 1)
		c->how[k] = side_by_side(p, k, x, 4) && !kernel->planes ? PANEL_FOURS_X
									: PANEL_CELLS_X;
}

/* Copies of operand k for one x, or for four in PANEL_FOURS_X: entries of its list. */
static int64_t copies_of(const struct gpube__panel_choice *c, int k)
{
	return c->cells[k] / (c->how[k] == PANEL_FOURS ? 4 : c->how[k] == PANEL_TWOS ? 2 : 1);
}

double gpube__panel_run_bytes(
	const struct gpube__panel_planner *p, const struct gpube__panel_choice *c, int k)
{
	const struct gpube__shape *s = p->s;
	const int64_t *stride = k < 0 ? s->out_stride : stride_of(p, k);
	int64_t next = 1, run = 1;

	for (bool more = true; more;) {
		more = false;
		for (int d = 0; d < s->n_dims && !more; d++) {
			const int64_t n = d < s->n_out ? gpube__smaller(values(c, d), s->size[d])
						       : gpube__smaller(c->chunk, s->size[d]);

			if (stride[d] != next)
				continue;
			run *= n;
			next *= s->size[d];
			more = n == s->size[d];
			break;
		}
	}
	return (double)run * 4;
}

/* Cells of the output that a warp's store has side by side. */
static double store_run(const struct gpube__panel_planner *p, const struct gpube__panel_choice *c)
{
	const int last = p->s->n_out - 1, part = part_of(c, last);

	if (part == PANEL_V)
		return p->s->size[last] % 4 == 0 && gpube__panel_kernels[c->kernel].wide == 4 ? 8
											      : 2;
	return part == PANEL_NONE ? (double)gpube__smaller(c->lanes[last], 8) : 1;
}

void gpube__panel_price_staging(
	const struct gpube__panel_planner *p, struct gpube__panel_choice *c)
{
	const int n = gpube__panel_kernels[c->kernel].n_panels;
	const double n_x = (double)p->s->n_reduced, chunk = (double)c->chunk;
	double out = 1;

	c->staged = c->l2_bytes = c->entries = 0;
	for (int k = 0; k < p->s->n_in; k++) {
		const double run = gpube__panel_run_bytes(p, c, k);
		const double copies =
			(double)copies_of(c, k) / (c->how[k] == PANEL_FOURS_X ? 4 : 1);

		c->staged += copies / 32 * (11 + 20 / chunk);
		c->entries += (double)copies_of(c, k);
		c->l2_bytes += (double)c->cells[k] * n_x * 4 *
			       (run < 32           ? 32 / run
				       : run < 128 ? 1.2
						   : 1);
	}
	for (int i = 0; i < n; i++)
		if (!as_copied(p, c, i)) {
			c->staged += (double)c->panel_cells[i] / 32 *
				     (4 + 3 * c->terms[i] + (20 + 5 * c->terms[i]) / chunk);
			c->entries += (double)(c->panel_cells[i] * c->terms[i]);
		}
	for (int d = 0; d < p->s->n_out; d++)
		out *= (double)gpube__smaller(values(c, d), p->s->size[d]);
	c->l2_bytes += out * 4 * 8 / store_run(p, c);
}

/* ---- offsets in a box, of 32 bits ------------------------------------------------------- */

/* The furthest that a cell of the box lies from its first one, in operand k or the output (k < 0). */
static double box_span(
	const struct gpube__panel_planner *p, const struct gpube__panel_choice *c, int k)
{
	const int64_t *stride = k < 0 ? p->s->out_stride : stride_of(p, k);
	double span = 0;

	for (int d = 0; d < p->s->n_out; d++)
		span += (double)(gpube__smaller(values(c, d), p->s->size[d]) - 1) *
			(double)stride[d];
	return span;
}

static bool offsets_fit(const struct gpube__panel_planner *p, const struct gpube__panel_choice *c)
{
	for (int k = -1; p->large && k < p->s->n_in; k++)
		if (box_span(p, c, k) > UINT32_MAX)
			return false;
	return true;
}

/* Most x of a chunk such that its offsets do, too; by planes each x has its own address. */
static double most_of_x(const struct gpube__panel_planner *p, const struct gpube__panel_choice *c)
{
	double most = (double)p->s->n_reduced;

	for (int k = 0; p->large && k < p->s->n_in; k++)
		if (x_step(p, k))
			most = fmin(most, floor((UINT32_MAX - box_span(p, c, k)) /
						(double)x_step(p, k)) +
						1);
	return most;
}

/* Reduced cells of a chunk, and the shared memory for it. */
static bool set_chunk(const struct gpube__panel_planner *p, struct gpube__panel_choice *c)
{
	const struct gpube__panel_kernel_info *kernel = &gpube__panel_kernels[c->kernel];
	const int64_t n_x = p->s->n_reduced, blocks = kernel->sm_threads / c->threads;
	const double room = fmin(p->device->shared_bytes,
		(double)p->device->sm_shared_bytes / (double)(blocks > 4 ? 4 : blocks) - RESERVED);
	const int64_t cells = kernel->size[0] * kernel->size[1] * kernel->size[2];
	const double joined = (double)(c->groups / 2 * c->n_lanes * cells * 4);
	double copied = 0, summed = 0, lists = 0, most;
	bool alone; /* one buffer */

	for (int k = 0; k < p->s->n_in; k++) {
		copied += 4 * (double)(c->cells[k] + 8);
		lists += 4 * (double)copies_of(c, k);
	}
	for (int i = 0; i < kernel->n_panels; i++) {
		summed += as_copied(p, c, i) ? 0 : 4 * (double)(c->panel_cells[i] + 4);
		lists += as_copied(p, c, i) ? 0 : 4 * (double)(c->panel_cells[i] * c->terms[i]);
	}
	most = (room - lists) / (2 * copied + summed);
	/* blocks that share a multiprocessor hide each other's copies, too: longer chunks pay more
	 */
	alone = most < 8 && most < (double)n_x && blocks > 1;
	if (alone)
		most = (room - lists) / (copied + summed);
	if (most < 1 || joined > room)
		return false;
	c->chunk = gpube__smaller(
		(int64_t)fmin(most, MAX_CHUNK), c->groups * 8 > 16 ? c->groups * 8 : 16);
	if (n_x <= c->chunk || (n_x <= MAX_CHUNK && (double)n_x * (copied + summed) < room - lists))
		c->chunk = n_x;
	c->chunk = gpube__smaller(c->chunk, (int64_t)most_of_x(p, c));
	/* chunks of one size; fours of x come whole */
	c->chunk = gpube__divide_up(n_x, gpube__divide_up(n_x, c->chunk));
	for (int k = 0; k < p->s->n_in && c->chunk % 4; k++)
		if (c->how[k] == PANEL_FOURS_X)
			c->chunk = c->chunk > 3 ? c->chunk / 4 * 4 : 4;
	if ((double)c->chunk > most_of_x(p, c))
		return false;
	c->two_buffers = c->chunk < n_x && !alone;
	c->shared_bytes = fmax(
		joined, lists + (double)c->chunk * (summed + copied * (c->two_buffers ? 2 : 1)));
	return c->shared_bytes <= room;
}

/* Whether most of what is copied is along x. */
static bool along_x(const struct gpube__panel_planner *p, const struct gpube__panel_choice *c)
{
	int64_t along = 0, others = 0;

	for (int k = 0; k < p->s->n_in; k++) {
		if (c->how[k] == PANEL_FOURS_X || c->how[k] == PANEL_CELLS_X)
			along += c->cells[k];
		else
			others += c->cells[k];
	}
	return along > others;
}

/* Sets the predicted cycles of the device, or INFINITY. */
static void price(const struct gpube__panel_planner *p, struct gpube__panel_choice *c)
{
	const struct gpube__panel_kernel_info *kernel = &gpube__panel_kernels[c->kernel];
	const double cells = kernel->size[0] * kernel->size[1] * kernel->size[2];
	const double n_x = (double)p->s->n_reduced, n_sms = p->device->n_sms;
	const double loads =
		kernel->n_panels == 3 ? 12 : (kernel->size[0] + kernel->size[2]) / kernel->wide;
	const double warps = ceil((double)(c->n_lanes * c->groups) / 32);
	double slots, work, at_once, on_one, chunks, latency, l2, dram, each;

	c->cost = INFINITY;
	c->threads = (int64_t)warps * 32;
	if (kernel->planes) {
		if (c->threads <= kernel->threads && c->groups == 1)
			gpube__plane_price(p, c);
		return;
	}
	if (c->threads > kernel->threads || !set_chunk(p, c))
		return;
	gpube__panel_price_staging(p, c);
	slots = cells * (p->is_float ? 2 : 1) + (kernel->n_panels == 3 ? cells : 0) + loads + 8;
	if (slots < 2 * cells)
		slots = 2 * cells;
	/* of a block: issue slots of a scheduler */
	work = (n_x * (warps / (double)c->groups * slots + c->staged) + 300 * warps +
		       ENTRY_SLOTS * c->entries / 32) /
	       4;
	at_once = fmin(floor((double)kernel->sm_threads / (double)c->threads),
		floor((double)p->device->sm_shared_bytes / (c->shared_bytes + RESERVED)));
	c->at_once = at_once;
	on_one = (double)c->blocks / n_sms;
	if (on_one < 4 * at_once)
		on_one = ceil((double)c->blocks / n_sms);
	at_once = fmin(at_once, on_one);
	chunks = ceil(n_x / (double)c->chunk);
	latency = PROLOGUE + ceil(c->entries / (double)c->threads) * ENTRY + chunks * CHUNK +
		  ceil(n_x / (double)c->groups) * (slots * ceil(warps / 4) + 60);
	each = work * (1 + 2 / (at_once * warps / 4)); /* few warps leave slots unused */
	l2 = c->l2_bytes * (double)c->blocks / (L2_BYTES * n_sms);
	/* runs that are short matter where they lie further apart than the card's pages reach */
	dram = (p->large ? gpube__panel_memory_bytes(p, c) : p->bytes) / (DRAM_BYTES * n_sms);
	work = fmax(on_one * each, ceil(on_one / at_once) * latency);
	c->cost = LAUNCH + fmax(work, fmax(l2, dram)) + 0.2 * (l2 + dram);
	if (kernel->n_panels == 3 && along_x(p, c))
		c->cost *= THREE_ALONG;
}

/* ---- the search ------------------------------------------------------------------------- */

/* What follows from the lanes; false: no such box. */
static bool set_box(const struct gpube__panel_planner *p, struct gpube__panel_choice *c)
{
	const int n_out = p->s->n_out;
	double blocks = 1;
	int n_axes = 0;

	c->box = 0;
	c->n_lanes = 1;
	for (int d = 0; d < n_out; d++) {
		if (values(c, d) > 1) {
			c->box |= bit(d);
			n_axes++;
		}
		c->n_lanes *= c->lanes[d];
		blocks *= (double)gpube__divide_up(p->s->size[d], values(c, d));
	}
	if (n_axes > GPUBE_PANEL_AXES || blocks > INT32_MAX || !offsets_fit(p, c) || !assign(p, c))
		return false;
	c->blocks = (int64_t)blocks;
	for (int k = 0; k < p->s->n_in; k++) {
		c->cells[k] = cells_of(p, c, p->scope[k] & c->box);
		set_copy(p, c, k);
	}
	return true;
}

/* Slots for what is staged, and bytes, for a joined cell that is needed. */
static double staged_share(const struct gpube__panel_planner *p, struct gpube__panel_choice *c)
{
	double box = 1;

	c->chunk = gpube__smaller(p->s->n_reduced, 16);
	gpube__panel_price_staging(p, c);
	for (int d = 0; d < p->s->n_out; d++)
		box *= (double)p->s->size[d] /
		       (double)gpube__divide_up(p->s->size[d], values(c, d));
	return (c->staged / 4 * (double)p->s->n_reduced + c->l2_bytes / L2_BYTES) / box;
}

static void try_groups(const struct gpube__panel_planner *p, const struct gpube__panel_choice *from,
	struct gpube__panel_choice *best)
{
	for (int64_t groups = 1; groups <= GPUBE_PANEL_GROUPS; groups *= 2) {
		struct gpube__panel_choice c = *from;

		c.groups = groups;
		if (groups > 1 && p->s->n_reduced < 4 * groups)
			return;
		price(p, &c);
		if (c.cost < best->cost)
			*best = c;
	}
}

/*
 * The step after which least is staged, or the one that spares most for the lanes that it adds;
 * false: there is none.
 */
static bool grow_once(
	const struct gpube__panel_planner *p, struct gpube__panel_choice *c, bool slowly)
{
	const int64_t most = gpube__panel_kernels[c->kernel].threads;
	const double now = staged_share(p, c);
	double best_price = INFINITY;
	struct gpube__panel_choice best = *c;

	for (int d = 0; d < p->s->n_out; d++) {
		const int64_t all = n_tiles(p, c, d);
		int64_t before = 0;

		for (int which = 0; which < 3 && c->lanes[d] < all; which++) {
			struct gpube__panel_choice next = *c;
			double price;

			next.lanes[d] = gpube__next_lanes(c->lanes[d], all, which, most);
			if (c->n_lanes / c->lanes[d] * next.lanes[d] > most ||
				next.lanes[d] == before)
				continue;
			before = next.lanes[d];
			if (!set_box(p, &next))
				continue;
			price = log(staged_share(p, &next) / now);
			if (slowly)
				price /= log((double)next.n_lanes / (double)c->n_lanes);
			if (price < best_price) {
				best_price = price;
				best = next;
			}
		}
	}
	*c = best;
	return best_price < INFINITY;
}

/* The box grows from one tile; 'slowly': see grow_once(). */
static void try_box(const struct gpube__panel_planner *p, const struct gpube__panel_choice *from,
	bool slowly, struct gpube__panel_choice *best)
{
	struct gpube__panel_choice c = *from;

	for (int d = 0; d < p->s->n_out; d++)
		c.lanes[d] = 1;
	if (!set_box(p, &c))
		return;
	do
		try_groups(p, &c, best);
	while (grow_once(p, &c, slowly));
}

/* Whether at most a half is computed for nothing along the dims in registers. */
static bool fills(const struct gpube__panel_planner *p, const struct gpube__panel_choice *c)
{
	for (int i = 0; i < N_PANEL_PARTS; i++)
		if (c->dim[i] != PANEL_NONE &&
			p->s->size[c->dim[i]] * 2 <= gpube__panel_kernels[c->kernel].size[i])
			return false;
	return true;
}

/* The best few pairs of dims, by one kernel; the cheapest first. */
static int find_pairs(const struct gpube__panel_planner *p, struct gpube__panel_choice *pairs)
{
	const int n_out = p->s->n_out;
	int n = 0;

	for (int i = 0; i < n_out * n_out; i++) {
		struct gpube__panel_choice c = {
			.kernel = PANEL_4X8, .dim = {i / n_out, PANEL_NONE, i % n_out}};
		struct gpube__panel_choice best = {.cost = INFINITY};
		int at;

		if (i / n_out == i % n_out || !fills(p, &c) || !fits(p, &c))
			continue;
		try_box(p, &c, true, &best);
		if (best.cost == INFINITY)
			continue;
		if (n == MAX_PAIRS && pairs[n - 1].cost <= best.cost)
			continue;
		at = n < MAX_PAIRS ? n++ : n - 1;
		for (; at > 0 && pairs[at - 1].cost > best.cost; at--)
			pairs[at] = pairs[at - 1];
		pairs[at] = best;
	}
	return n;
}

/* Those of the kernels of so many panels with these dims. */
static void try_kernels(const struct gpube__panel_planner *p, uint32_t kernels,
	const struct gpube__panel_choice *from, int n_panels, struct gpube__panel_choice *best)
{
	for (int kernel = 0; kernel < N_PANEL_KERNELS; kernel++) {
		struct gpube__panel_choice c = *from;

		c.kernel = (enum gpube__panel_kernel)kernel;
		if (!(kernels & p->kernels & 1u << kernel) ||
			gpube__panel_kernels[kernel].n_panels != n_panels || !fills(p, &c))
			continue;
		for (int slowly = 0; slowly < 2; slowly++)
			try_box(p, &c, slowly, best);
	}
}

/* Three dims in registers. */
static void try_triples(const struct gpube__panel_planner *p, struct gpube__panel_choice *best)
{
	const int n = p->s->n_out;

	for (int i = 0; i < n * n * n; i++) {
		struct gpube__panel_choice c = {
			.kernel = PANEL_4X4X4, .dim = {i / n % n, i / n / n, i % n}};

		if (c.dim[PANEL_P] == c.dim[PANEL_R] || c.dim[PANEL_P] == c.dim[PANEL_V] ||
			c.dim[PANEL_R] == c.dim[PANEL_V] || !fills(p, &c) || !fits(p, &c))
			continue;
		try_kernels(p, GPUBE_ANY_PANELS, &c, 3, best);
	}
}

static void search(const struct gpube__panel_planner *p, struct gpube__panel_choice *best)
{
	struct gpube__panel_choice pairs[MAX_PAIRS] = {{.cost = 0}};
	const int n = find_pairs(p, pairs);
	bool planes;

	best->cost = INFINITY;
	/* two panels of few operands are always faster by planes, unless memory bounds both */
	for (int i = 0; i < n; i++)
		try_kernels(p, GPUBE_BY_PLANES, &pairs[i], 2, best);
	planes = best->cost < INFINITY;
	for (int i = 0; i < n && (!planes || p->large); i++)
		try_kernels(p, ~GPUBE_BY_PLANES, &pairs[i], 2, best);
	if (n == 0)
		try_triples(p, best);
}

static bool planner_init(struct gpube__panel_planner *p, const struct gpube_contraction *c)
{
	const struct gpube__shape *s = p->s;

	if (!gpube__is_plain(c) || s->n_in < 2 || s->n_in > GPUBE_PANEL_OPS || s->n_out < 2 ||
		s->n_out > MAX_OUT_LONG || s->n_dims > s->n_out + 1 || s->n_reduced > INT32_MAX)
		return false;
	p->large = s->n_out_cells > UINT32_MAX;
	p->is_float = c->type == GPUBE_FLOAT32;
	p->cells = (double)s->n_out_cells * (double)s->n_reduced;
	if (s->n_out > MAX_OUT && p->cells < LONG)
		return false;
	p->bytes = (double)s->n_out_cells * 4;
	for (int k = 0; k < s->n_in; k++) {
		double cells = 1;

		for (int d = 0; d < s->n_dims; d++) {
			if (!stride_of(p, k)[d])
				continue;
			if (stride_of(p, k)[d] > UINT32_MAX)
				return false;
			cells *= (double)s->size[d];
			if (d < s->n_out)
				p->scope[k] |= bit(d);
		}
		p->large |= cells > UINT32_MAX;
		p->bytes += cells * 4;
	}
	return true;
}

bool gpube__panel_plan(struct gpube__panel *d, double *cycles,
	const struct gpube__box_device *device, uint32_t kernels,
	const struct gpube_contraction *c, const struct gpube__shape *s)
{
	struct gpube__panel_planner p = {.s = s, .device = device, .kernels = kernels};
	struct gpube__panel_choice best;

	if (!planner_init(&p, c))
		return false;
	search(&p, &best);
	if (best.cost == INFINITY || !gpube__panel_make(d, &p, &best, c))
		return false;
	*cycles = best.cost;
	return true;
}
