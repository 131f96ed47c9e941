/*
 * contract_box_plan.c - which box a contraction is cut into (contract_box.h).
 *
 * First the dims in registers: every pair of groups that a kernel can have is
 * priced by what its threads read and compute per joined cell. The best few are given lanes,
 * one step at a time while that makes them cheaper, by a model of all that a block does.
 * Prices are cycles of a multiprocessor; they need not be right, only their order.
 */
#include <math.h>
#include <string.h>

#include "gpube/ops/contract/boxes/contract_box.h"

/*
 * These numbers, and the factors without a name below, are of the commit that
 * benchmarks/runs/contract-h200/raw-boxes.csv measured; what is counted as slots are instructions
 * of the kernels' loops.
 */
#define MAX_GROUPS    24
#define MAX_TRIED     2    /* pairs of groups of a kernel that are given lanes */
#define MAX_CHUNK     32   /* reduced cells, where they are several chunks */
#define MAX_LANES     4096 /* positions of a box */
#define MAX_SMALL_OUT 2048 /* fewer output cells: splitting the reduced cells pays more */

/* Of a multiprocessor, in a cycle: bytes from DRAM and from the L2 cache. */
#define DRAM_BYTES    16.0
#define L2_BYTES      21.0
#define BLOCK_LATENCY 4000.0 /* from a block's start to its first store, in cycles */
#define CHUNK_LATENCY 1000.0

struct planner {
	const struct gpube__shape *s;
	const struct gpube__box_device *device;
	bool in_batch, narrow_only;
	bool large; /* some table's cells are more than 32 bits count */
	int type_bytes;
	uint64_t scope[GPUBE_BOX_IN]; /* output dims of each operand */
	double cells;                 /* joined */
	double bytes;                 /* each table once */
};

static double ceil_div(double a, double b)
{
	return ceil(a / b);
}

/* ---- registers ------------------------------------------------------------------------ */

static void add_dim(struct gpube__box_group *g, const struct gpube__shape *s, int d, int most)
{
	const int room = most / g->cells;
	const int size = (int)gpube__smaller(s->size[d], room);

	if (size < 2 || g->n == 4)
		return;
	g->dim[g->n] = d;
	g->size[g->n++] = size;
	g->dims |= (uint64_t)1 << d;
	g->cells *= size;
}

static bool same_scopes(const struct planner *p, int d, int e)
{
	for (int k = 0; k < p->s->n_in; k++)
		if ((p->scope[k] >> d & 1) != (p->scope[k] >> e & 1))
			return false;
	return true;
}

/* Groups of at most 'most' cells: from each dim, with dims of the same operands, or with any. */
static int find_groups(
	const struct planner *p, int most, bool one_dim, struct gpube__box_group *groups)
{
	const struct gpube__shape *s = p->s;
	int n = 0;

	for (int d = s->n_out - 1; d >= 0; d--)
		for (int any = 0; any < 2; any++) {
			struct gpube__box_group g = {.cells = 1};
			bool known = false;

			add_dim(&g, s, d, most);
			for (int e = d - 1; e >= 0 && !one_dim; e--)
				if (any || same_scopes(p, d, e))
					add_dim(&g, s, e, most);
			for (int i = 0; i < n; i++)
				known |= groups[i].dims == g.dims;
			if (!known && n < MAX_GROUPS)
				groups[n++] = g;
		}
	if (n == 0)
		groups[n++] = (struct gpube__box_group){.cells = 1};
	return n;
}

struct kinds {
	int n[4]; /* A, B, S, C */
};

static int kind_of(const struct planner *p, const struct gpube__box_choice *c, int k)
{
	const bool has_p = p->scope[k] & c->p.dims, has_q = p->scope[k] & c->q.dims;

	return has_p ? has_q ? 3 : 0 : has_q ? 1 : 2;
}

static struct kinds count_kinds(const struct planner *p, const struct gpube__box_choice *c)
{
	struct kinds kinds = {{0, 0, 0, 0}};

	for (int k = 0; k < p->s->n_in; k++)
		kinds.n[kind_of(p, c, k)]++;
	return kinds;
}

/* Share of a group's register cells, over all boxes, that are not computed twice or unused. */
static double group_use(const struct planner *p, const struct gpube__box_group *g, int width)
{
	double use = (double)g->cells / width;

	for (int i = 0; i < g->n; i++) {
		const double n = (double)p->s->size[g->dim[i]];

		use *= n / (ceil_div(n, g->size[i]) * g->size[i]);
	}
	return use;
}

/*
 * Cycles of a multiprocessor for one x of a warp. shared: cycles of reading shared memory; an
 * add-min of integers takes an issue slot and two cycles of its unit.
 */
static double warp_cycles(const struct planner *p, const struct gpube__box_choice *c,
	const struct kinds *kinds, double shared, double slots)
{
	const struct gpube__box_kernel_info *kernel = &gpube__box_kernels[c->kernel];
	const int np = kernel->p, nq = kernel->q, cells = np * nq;
	const bool plain = c->kernel == BOX_8X8_PLAIN, linear = nq == 1;
	const double reads_p = linear ? np : ceil(np / 4.0), reads_q = linear ? 1 : ceil(nq / 4.0);
	double units = 2 * cells;

	slots += cells + (plain ? 4 : linear ? 20 : 40);

	slots += kinds->n[0] * (reads_p + 1 + (plain ? 0 : np));
	slots += kinds->n[1] * (reads_q + 1 + (plain ? 0 : nq));
	slots += kinds->n[2] * 3 + (kinds->n[2] && !linear ? 2 : 0);
	slots += kinds->n[3] * (cells * 1.25 + 2);
	if (p->type_bytes == 8) {
		slots *= 2;
		units = slots * 1.5;
	}
	if (slots < units)
		slots = units;
	slots /= 4;
	return slots > shared ? slots + 0.2 * shared : shared + 0.2 * slots;
}

/* Cycles of shared memory for one x of a warp whose lanes all read different cells. */
static double shared_reads(
	const struct planner *p, const struct gpube__box_choice *c, const struct kinds *kinds)
{
	const struct gpube__box_kernel_info *kernel = &gpube__box_kernels[c->kernel];
	const double words = p->type_bytes / 4.0;

	return words * (kinds->n[0] * kernel->p + kinds->n[1] * kernel->q + kinds->n[2] +
			       kinds->n[3] * kernel->p * kernel->q / 4.0);
}

/* ---- lanes ------------------------------------------------------------------------------ */

/* Whether Q's cells lie together in the output. */
static bool q_together(const struct planner *p, const struct gpube__box_choice *c)
{
	const struct gpube__shape *s = p->s;
	int64_t step = 1;

	for (int i = 0; i < c->q.n; i++) {
		if (s->out_stride[c->q.dim[i]] != step)
			return false;
		step *= c->q.size[i];
	}
	return c->q.n > 0;
}

/* Bytes of memory that a store of the output moves, to a byte of it. */
static double store_waste(const struct planner *p, const struct gpube__box_choice *c)
{
	const struct gpube__shape *s = p->s;
	const int last = s->n_out - 1, most = 16 / p->type_bytes;
	double run = 1;

	if (last < 0)
		return 1;
	if (c->p.dims >> last & 1)
		return 32.0 / p->type_bytes;
	if (c->q.dims >> last & 1) {
		if (!q_together(p, c))
			return 32.0 / p->type_bytes;
		while (run * 2 <= most && c->q.cells % (int)(run * 2) == 0)
			run *= 2;
		if (run < c->q.cells)
			return run * p->type_bytes < 32 ? 32 / (run * p->type_bytes) : 1;
	}
	for (int d = last; d >= 0; d--) {
		const int64_t reg = gpube__box_reg_size(c, d);

		if (reg > 1 && !(c->q.dims >> last & 1))
			break;
		run *= (double)c->lanes[d];
		if (c->lanes[d] * reg < s->size[d])
			break;
	}
	run *= p->type_bytes;
	return run < 32 ? 32 / run : 1;
}

/* Whether all x are one step apart in operand k. */
static bool x_affine(const struct gpube__shape *s, const int64_t *stride)
{
	for (int d = s->n_out; d + 1 < s->n_dims; d++)
		if (stride[d] != stride[d + 1] * s->size[d + 1])
			return false;
	return true;
}

/*
 * The most x of a chunk with which 32 bits hold the distance of any two cells that a box needs, in
 * every table; 0: none do.
 */
static int64_t longest_chunk(const struct planner *p, const struct gpube__box_choice *c)
{
	const struct gpube__shape *s = p->s;
	int64_t most = s->n_reduced;

	for (int k = -1; p->large && k < s->n_in; k++) {
		const int64_t *stride = k < 0 ? s->out_stride : s->stride + k * s->ld;
		const int64_t x_step = s->n_dims > s->n_out ? stride[s->n_dims - 1] : 0;
		const bool affine = x_affine(s, stride);
		double span = 0;

		for (int d = 0; d < s->n_dims; d++)
			if (d < s->n_out)
				span += (double)(gpube__smaller(s->size[d],
							 c->lanes[d] * gpube__box_reg_size(c, d)) -
						 1) *
					(double)stride[d];
			else if (!affine)
				span += (double)(s->size[d] - 1) * (double)stride[d];
		if (span > UINT32_MAX)
			return 0;
		if (affine && x_step)
			most = gpube__smaller(most, (int64_t)(UINT32_MAX - span) / x_step + 1);
	}
	return most;
}

/* All reduced cells at once, or as many as let several blocks share a multiprocessor. */
static bool set_chunk(const struct planner *p, struct gpube__box_choice *c, bool whole)
{
	const struct gpube__box_kernel_info *kernel = &gpube__box_kernels[c->kernel];
	const int64_t n_x = p->s->n_reduced, places = (int64_t)p->s->n_in * 4 * c->threads;
	const int64_t blocks = kernel->sm_threads / c->threads;
	const int64_t room =
		gpube__smaller(p->device->shared_bytes,
			p->device->sm_shared_bytes / (blocks > 4 ? 4 : blocks) - 2048) -
		places;
	const int64_t most = longest_chunk(p, c);
	int64_t per_x = 0;

	if (most < (whole ? n_x : 1))
		return false;
	for (int k = 0; k < p->s->n_in; k++)
		per_x += gpube__box_cells(p->s, c, k);
	per_x *= p->type_bytes;
	per_x += per_x / 16; /* padding */
	c->chunk = n_x;
	c->n_chunks = 1;
	if (!whole) {
		if (c->rounds > 1 || room <= 0 || n_x < 2 || per_x == 0)
			return false;
		c->chunk = gpube__smaller(gpube__smaller(room / (2 * per_x), MAX_CHUNK), most);
		if (c->chunk < 1 || c->chunk >= n_x)
			return false;
		if (n_x % 4 == 0 && c->chunk > 4) /* so that squares fit */
			c->chunk = c->chunk > 8 ? c->chunk / 8 * 8 : 4;
		c->n_chunks = gpube__divide_up(n_x, c->chunk);
		if (n_x % 4)
			c->chunk = gpube__divide_up(n_x, c->n_chunks);
	}
	c->shared_bytes = per_x * c->chunk * (whole ? 1 : 2) + places;
	return c->shared_bytes <= p->device->shared_bytes;
}

/* Cells that a copy of operand k takes together; 16 for squares. */
static int copy_width(const struct planner *p, const struct gpube__box_choice *c, int k, double run)
{
	const struct gpube__shape *s = p->s;
	const int64_t *stride = s->stride + k * s->ld;
	const int kind = kind_of(p, c, k);
	const struct gpube__box_group *g = kind == 0 ? &c->p : &c->q;
	int64_t cells = 1;
	int wide = 16 / p->type_bytes, d = 0;

	while (d < s->n_dims && stride[d] != 1)
		d++;
	if (d == s->n_dims)
		return 1;
	if (gpube__box_kernels[c->kernel].q == 1) {
		if (d >= s->n_out && c->n_chunks > 1)
			return 1;
		cells = (int64_t)run;
	} else if (d >= s->n_out) {
		return kind != 2 && p->type_bytes == 4 && c->chunk % 4 == 0 &&
				       s->n_reduced % 4 == 0 && g->n == 1 && g->cells % 4 == 0
			       ? 16
			       : 1;
	} else if ((c->p.dims | c->q.dims) >> d & 1) {
		cells = gpube__box_reg_size(c, d);
	} else {
		cells = kind == 3 || (kind < 2 && c->kernel == BOX_10X10) ? 1 : c->lanes[d];
	}
	while (wide > 1 && (cells % wide || (s->size[d] % wide && run != cells)))
		wide /= 2;
	return wide;
}

/* Cycles of a multiprocessor and bytes from L2 to copy an operand's cells of a box, all x. */
static double copy_cost(
	const struct planner *p, const struct gpube__box_choice *c, int k, double *l2_bytes)
{
	const struct gpube__shape *s = p->s;
	const int64_t *stride = s->stride + k * s->ld;
	double cells = 1, run = 1, lines;
	int64_t next = 1;
	int wide;

	for (int d = 0; d < s->n_dims; d++)
		if (stride[d])
			cells *= d < s->n_out ? (double)(c->lanes[d] * gpube__box_reg_size(c, d))
					      : (double)s->size[d];
	/* how far cells lie together: dims in the order of their steps */
	for (bool more = true; more;) {
		more = false;
		for (int d = 0; d < s->n_dims; d++) {
			const int64_t n =
				d >= s->n_out ? gpube__smaller(s->size[d], c->chunk)
					      : gpube__smaller(s->size[d],
							c->lanes[d] * gpube__box_reg_size(c, d));

			if (stride[d] != next)
				continue;
			run *= (double)n;
			more = n >= s->size[d];
			next *= s->size[d];
			break;
		}
	}
	wide = copy_width(p, c, k, run);
	*l2_bytes +=
		cells * p->type_bytes * (run * p->type_bytes < 32 ? 32 / (run * p->type_bytes) : 1);
	if (wide == 16)
		return cells / 512 * 36;
	lines = 32 * wide / run;
	lines = (lines < 1 ? 1 : lines) + (wide > 1 ? 4 : 3);
	return cells / (32.0 * wide) * (0.3 * lines + 5);
}

/* Whether an operand is read cell by cell, so that it can be copied by four: see the maker. */
static bool along_lanes(const struct planner *p, const struct gpube__box_choice *c, int k, int kind)
{
	const int64_t *stride = p->s->stride + k * p->s->ld;

	for (int d = 0; d < p->s->n_out; d++)
		if (stride[d] == 1)
			return kind < 2 && gpube__box_kernels[c->kernel].q > 1 &&
			       c->kernel != BOX_10X10 && gpube__box_reg_size(c, d) == 1 &&
			       c->lanes[d] % 4 == 0;
	return false;
}

static void evaluate_chunk(
	const struct planner *p, struct gpube__box_choice *c, const struct kinds *kinds, bool whole)
{
	const struct gpube__shape *s = p->s;
	const struct gpube__box_kernel_info *kernel = &gpube__box_kernels[c->kernel];
	const int cells = kernel->p * kernel->q;
	double boxes = 1, shared, work, l2 = 0, time, dram, blocks, warps, need, at_once;
	double wavefronts = 0, slots = 0, per_sm;

	c->cost = INFINITY;
	c->n_lanes = 1;
	for (int d = 0; d < s->n_out; d++) {
		const int64_t each = c->lanes[d] * gpube__box_reg_size(c, d);

		c->n_lanes *= c->lanes[d];
		boxes *= ceil_div((double)s->size[d], (double)each);
	}
	if (c->n_lanes > MAX_LANES || boxes > 2e9)
		return;
	c->threads = gpube__smaller((c->n_lanes + 31) / 32 * 32, kernel->threads);
	c->rounds = gpube__divide_up(c->n_lanes, c->threads);
	if (!set_chunk(p, c, whole))
		return;
	at_once = floor((double)p->device->sm_shared_bytes / ((double)c->shared_bytes + 3072));
	at_once = fmin(fmin(at_once, 32), floor(kernel->sm_threads / (double)c->threads));
	if (at_once < 1)
		return;
	/* lanes outside an operand's scope share what they read */
	for (int k = 0; k < s->n_in; k++) {
		const int kind = kind_of(p, c, k);
		double lanes = 1, share;

		for (int d = 0; d < s->n_out; d++)
			if (p->scope[k] >> d & 1)
				lanes *= (double)c->lanes[d];
		slots += along_lanes(p, c, k, kind) ? 2 * (kind ? kernel->q : kernel->p) : 0;
		share = lanes < 32 ? lanes / 32 : 1;
		if (kind == 0)
			wavefronts += kernel->p * (kernel->q == 1 ? 1 : fmax(share, 0.25));
		else if (kind == 1)
			wavefronts += kernel->q * fmax(share, 0.25);
		else if (kind == 2)
			wavefronts += 1;
		else
			wavefronts += cells / 4.0 * fmax(1, lanes / (double)c->n_lanes * 32);
	}
	wavefronts *= p->type_bytes / 4.0;
	blocks = ceil_div((double)c->n_lanes, 32); /* warps of work in a box */
	shared = warp_cycles(p, c, kinds, wavefronts, slots);
	work = blocks * shared * (double)s->n_reduced;
	/* positions and stores of each round */
	work += blocks * (20 + 2 * s->n_in +
				 cells * (1 + store_waste(p, c)) * (p->type_bytes / 4.0) *
					 (q_together(p, c) && c->q.cells % 4 == 0 ? 0.5 : 1));
	for (int k = 0; k < s->n_in; k++)
		work += copy_cost(p, c, k, &l2);
	l2 += blocks * 32 * cells * p->type_bytes * store_waste(p, c);
	work += (150 + 30 * s->n_in) * (double)c->threads / 128;
	/* latency that other blocks or instructions do not hide */
	per_sm = boxes / p->device->n_sms;
	if (!p->in_batch)
		at_once = fmin(at_once, ceil(per_sm));
	warps = at_once * (double)c->threads / 32;
	need = cells >= 64 ? 14 : cells >= 32 ? 20 : 16;
	work *= fmax(1, need / warps);
	/* one block's copies are waited for while others compute */
	if (c->n_chunks == 1)
		work *= 1 + 1 / at_once;
	work = fmax(work, (BLOCK_LATENCY + CHUNK_LATENCY * (double)c->n_chunks) / at_once);
	time = boxes * work / p->device->n_sms;
	if (!p->in_batch) {
		time = fmax(ceil(per_sm) * work, time);
		if (per_sm > at_once) /* the last blocks leave multiprocessors idle */
			time = (per_sm < 8 * at_once ? ceil(per_sm / at_once) * at_once : per_sm) *
			       work;
	}
	l2 *= boxes / (L2_BYTES * p->device->n_sms);
	dram = p->bytes / (DRAM_BYTES * p->device->n_sms);
	c->cost = fmax(fmax(time, l2), dram) + 0.2 * (time + l2 + dram);
}

static void evaluate(
	const struct planner *p, struct gpube__box_choice *c, const struct kinds *kinds)
{
	struct gpube__box_choice chunks = *c;

	evaluate_chunk(p, c, kinds, true);
	if (gpube__box_kernels[c->kernel].q == 1 && c->cost < INFINITY)
		return; /* its cells are read once: nothing to copy them beside */
	evaluate_chunk(p, &chunks, kinds, false);
	if (chunks.cost < c->cost)
		*c = chunks;
}

static void grow(const struct planner *p, struct gpube__box_choice *c, const struct kinds *kinds)
{
	const struct gpube__shape *s = p->s;
	struct gpube__box_choice best;

	evaluate(p, c, kinds);
	for (;;) {
		best = *c;
		for (int d = 0; d < s->n_out; d++) {
			const int64_t reg = gpube__box_reg_size(c, d);
			const int64_t all = gpube__divide_up(s->size[d], reg);
			struct gpube__box_choice next = *c;

			for (int which = 0; which < 3 && next.lanes[d] < all; which++) {
				const int64_t lanes =
					gpube__next_lanes(c->lanes[d], all, which, MAX_LANES);

				if (lanes > MAX_LANES || (which && lanes == next.lanes[d]))
					continue;
				next.lanes[d] = lanes;
				evaluate(p, &next, kinds);
				if (next.cost < best.cost)
					best = next;
			}
		}
		if (best.cost >= c->cost)
			return;
		*c = best;
	}
}

/* ---- search ------------------------------------------------------------------------------- */

struct tried {
	struct gpube__box_choice choice;
	struct kinds kinds;
};

static bool allowed(const struct planner *p, enum gpube__box_kernel k, const struct kinds *kinds)
{
	const struct gpube__box_kernel_info *kernel = &gpube__box_kernels[k];

	if (p->narrow_only && !kernel->narrow)
		return false;
	if (k == BOX_8X8_PLAIN)
		return kinds->n[0] == 1 && kinds->n[1] == 1 && !kinds->n[2] && !kinds->n[3];
	return kinds->n[3] == (kernel->c ? 1 : 0);
}

/* Keeps the choice if it is among the best so far. */
static void keep(struct tried *best, int *n, const struct tried *t)
{
	int at = *n;

	for (; at > 0 && best[at - 1].choice.cost > t->choice.cost; at--)
		if (at < MAX_TRIED)
			best[at] = best[at - 1];
	if (at < MAX_TRIED)
		best[at] = *t;
	*n += *n < MAX_TRIED;
}

static void try_groups(const struct planner *p, enum gpube__box_kernel k,
	const struct gpube__box_group *group_p, const struct gpube__box_group *group_q,
	struct tried *best, int *n)
{
	const struct gpube__box_kernel_info *kernel = &gpube__box_kernels[k];
	struct tried t;
	double use;

	if (group_p->dims & group_q->dims)
		return;
	memset(&t, 0, sizeof(t));
	t.choice.kernel = k;
	t.choice.p = *group_p;
	t.choice.q = *group_q;
	t.kinds = count_kinds(p, &t.choice);
	if (!allowed(p, k, &t.kinds))
		return;
	for (int d = 0; d < p->s->n_out; d++)
		t.choice.lanes[d] = 1;
	if (!longest_chunk(p, &t.choice))
		return;
	use = group_use(p, group_p, kernel->p) * group_use(p, group_q, kernel->q);
	t.choice.cost =
		warp_cycles(p, &t.choice, &t.kinds, shared_reads(p, &t.choice, &t.kinds) / 2, 0) /
		(kernel->p * kernel->q * use);
	/* writes by single cells */
	if (group_p->n && group_p->dim[0] == p->s->n_out - 1)
		t.choice.cost *= 1.3;
	keep(best, n, &t);
}

static bool search(const struct planner *p, struct gpube__box_choice *choice)
{
	const struct gpube__box_group none = {.cells = 1};
	struct gpube__box_group ps[MAX_GROUPS], qs[MAX_GROUPS];

	choice->cost = INFINITY;
	for (int k = 0; k < N_BOX_KERNELS; k++) {
		const struct gpube__box_kernel_info *kernel = &gpube__box_kernels[k];
		struct tried best[MAX_TRIED];
		int n = 0, n_p, n_q = 0;

		if (p->narrow_only && !kernel->narrow)
			continue;
		n_p = find_groups(p, kernel->p, kernel->q == 1, ps);
		if (kernel->q > 1)
			n_q = find_groups(p, kernel->q, false, qs);
		for (int i = 0; i < n_p; i++) {
			if (kernel->q == 1)
				try_groups(p, (enum gpube__box_kernel)k, &ps[i], &none, best, &n);
			for (int j = 0; j < n_q; j++)
				try_groups(p, (enum gpube__box_kernel)k, &ps[i], &qs[j], best, &n);
		}
		for (int i = 0; i < n; i++) {
			grow(p, &best[i].choice, &best[i].kinds);
			if (best[i].choice.cost < choice->cost)
				*choice = best[i].choice;
		}
	}
	return choice->cost < INFINITY;
}

bool gpube__box_plan(struct gpube__box *b, const struct gpube__box_device *device,
	const struct gpube_contraction *c, const struct gpube__shape *s, bool in_batch)
{
	struct planner p = {.s = s, .device = device, .in_batch = in_batch};
	struct gpube__box_choice choice;

	if (s->n_out_cells < MAX_SMALL_OUT && s->n_reduced >= 1024)
		return false;
	for (int d = 0; d < s->n_dims; d++)
		if (s->size[d] > INT32_MAX)
			return false;
	p.type_bytes = c->type == GPUBE_INT32 ? 4 : 8;
	p.narrow_only = p.type_bytes > 4 || c->out_arg;
	p.cells = (double)s->n_out_cells * (double)s->n_reduced;
	p.bytes = (double)s->n_out_cells * p.type_bytes;
	p.large = s->n_out_cells > UINT32_MAX;
	for (int k = 0; k < s->n_in; k++) {
		double cells = 1;

		p.scope[k] = 0;
		for (int d = 0; d < s->n_dims; d++)
			if (s->stride[k * s->ld + d]) {
				cells *= (double)s->size[d];
				if (d < s->n_out)
					p.scope[k] |= (uint64_t)1 << d;
			}
		p.bytes += cells * p.type_bytes;
		p.large |= cells > UINT32_MAX;
	}
	return search(&p, &choice) && gpube__box_make(b, &choice, c, s) &&
	       b->shared_bytes <= device->shared_bytes;
}
