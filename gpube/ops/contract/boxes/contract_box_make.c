/* contract_box_make.c - the descriptor of a box (contract_box.h) from what the search chose. */
#include <string.h>

#include "gpube/ops/contract/boxes/contract_box.h"

const struct gpube__box_kernel_info gpube__box_kernels[N_BOX_KERNELS] = {
	[BOX_8X8_PLAIN] = {8, 8, 256, 512, false, false},
	[BOX_8X8] = {8, 8, 256, 512, false, false},
	[BOX_8X8_C] = {8, 8, 256, 512, true, false},
	[BOX_10X10] = {10, 10, 128, 384, false, false},
	[BOX_8X4] = {8, 4, 256, 768, false, true},
	[BOX_8X1] = {8, 1, 256, 1024, false, true},
	[BOX_10X1] = {10, 1, 256, 1024, false, false},
};

#define NO_LIMIT UINT32_MAX

struct maker {
	struct gpube__box *b;
	const struct gpube__box_choice *c;
	const struct gpube__shape *s;
	uint32_t type_bytes;
	int lane_dim[GPUBE_BOX_DIMS]; /* of each lane part */
	int64_t words;
};

/*
 * A part of a dim's range, for one operand. reg: the weight of a register part in its
 * group; PART_X; PART_LANE minus the number of a lane part.
 */
struct part {
	int64_t n, from, limit, to, reg;
};

#define PART_X    (-1)
#define PART_LANE (-2)

static bool is_lane(const struct part *p)
{
	return p->reg <= PART_LANE;
}

static int lane_of(const struct part *p)
{
	return (int)(PART_LANE - p->reg);
}

/* Whether the last step along it is a shorter one. */
static bool limited(const struct part *p)
{
	return p->limit < (p->n - 1) * p->from;
}

static int64_t round_up(int64_t n, int64_t to)
{
	return gpube__divide_up(n, to) * to;
}

static const int64_t *stride_of(const struct maker *m, int k)
{
	return m->s->stride + m->b->order[k] * m->s->ld;
}

static bool linear(const struct maker *m)
{
	return gpube__box_kernels[m->c->kernel].q == 1;
}

static bool in_group(const struct gpube__box_group *g, int d)
{
	return g->dims >> d & 1;
}

int64_t gpube__box_reg_size(const struct gpube__box_choice *c, int d)
{
	for (int i = 0; i < c->p.n; i++)
		if (c->p.dim[i] == d)
			return c->p.size[i];
	for (int i = 0; i < c->q.n; i++)
		if (c->q.dim[i] == d)
			return c->q.size[i];
	return 1;
}

int64_t gpube__box_cells(const struct gpube__shape *s, const struct gpube__box_choice *c, int k)
{
	const struct gpube__box_kernel_info *kernel = &gpube__box_kernels[c->kernel];
	const int64_t *stride = s->stride + k * s->ld;
	int64_t lanes = 1, p = 1;
	bool has_p = false, has_q = false;

	for (int d = 0; d < s->n_out; d++) {
		if (!stride[d])
			continue;
		lanes *= c->lanes[d];
		if (in_group(&c->p, d)) {
			p *= gpube__box_reg_size(c, d);
			has_p = true;
		} else if (in_group(&c->q, d)) {
			has_q = true;
		}
	}
	if (kernel->q == 1)
		return round_up(lanes * p, 4);
	if (has_p && has_q)
		return lanes * (kernel->p * kernel->q + 4);
	if (has_p || has_q)
		return lanes * round_up(has_p ? kernel->p : kernel->q, 4);
	return round_up(lanes, 4);
}

/* ---- what all operands share -------------------------------------------------------- */

static int kind_of(const struct maker *m, int k)
{
	const int64_t *stride = m->s->stride + k * m->s->ld;
	bool p = false, q = false;

	for (int d = 0; d < m->s->n_out; d++) {
		p |= stride[d] && in_group(&m->c->p, d);
		q |= stride[d] && in_group(&m->c->q, d);
	}
	return p ? q ? 3 : 0 : q ? 1 : 2;
}

static void order_operands(struct maker *m)
{
	int n[4] = {0, 0, 0, 0}, at = 0;

	for (int kind = 0; kind < 4; kind++)
		for (int k = 0; k < m->s->n_in; k++)
			if (kind_of(m, k) == kind) {
				m->b->order[at++] = k;
				n[kind]++;
			}
	m->b->n_a = n[0];
	m->b->n_b = n[1];
	m->b->n_s = n[2];
}

/*
 * Lane parts. Those outside the scope of operands of kind C first, so that the lanes of a warp
 * share what they read of them; otherwise as the output lies.
 */
static void make_lanes(struct maker *m)
{
	const struct gpube__shape *s = m->s;
	int64_t key[GPUBE_BOX_DIMS];
	int n = 0;

	for (int d = 0; d < s->n_out; d++) {
		int64_t k = s->out_stride[d] * gpube__box_reg_size(m->c, d);
		int at = n;

		if (m->c->lanes[d] == 1)
			continue;
		for (int i = m->b->n_a + m->b->n_b + m->b->n_s; i < m->b->n_in; i++)
			if (stride_of(m, i)[d])
				k |= (int64_t)1 << 62;
		for (; at > 0 && key[at - 1] > k; at--) {
			key[at] = key[at - 1];
			m->lane_dim[at] = m->lane_dim[at - 1];
		}
		key[at] = k;
		m->lane_dim[at] = d;
		n++;
	}
	m->b->n_lane_parts = n;
	for (int i = 0; i < n; i++) {
		const int d = m->lane_dim[i];
		const int64_t reg = gpube__box_reg_size(m->c, d);

		m->b->lane_n[i] = (uint32_t)m->c->lanes[d];
		m->b->lane_out[i] = (uint32_t)(reg * s->out_stride[d]);
		/* of a longer dim the box ends before: then there is no limit */
		m->b->lane_out_limit[i] =
			(uint32_t)gpube__smaller((s->size[d] - reg) * s->out_stride[d], NO_LIMIT);
	}
}

/*
 * Boxes follow each other first along the dims that the fewest cells depend on, so that what
 * the others depend on is still in the cache.
 */
static void make_grid(struct maker *m)
{
	const struct gpube__shape *s = m->s;
	struct gpube__box *b = m->b;
	double kept[GPUBE_BOX_DIMS]; /* cells outside whose scope the dim is */
	int dim[GPUBE_BOX_DIMS], n = 0;
	uint64_t blocks = 1;

	for (int d = s->n_out - 1; d >= 0; d--) {
		double cells = 0;
		int at = n++;

		for (int k = 0; k < s->n_in; k++) {
			double n_cells = 1;

			for (int e = 0; e < s->n_dims; e++)
				if (s->stride[k * s->ld + e])
					n_cells *= (double)s->size[e];
			if (!s->stride[k * s->ld + d])
				cells += n_cells;
		}
		for (; at > 0 && kept[at - 1] < cells; at--) {
			kept[at] = kept[at - 1];
			dim[at] = dim[at - 1];
		}
		kept[at] = cells;
		dim[at] = d;
	}
	n = 0;
	for (int i = 0; i < s->n_out; i++) {
		const int d = dim[i];
		const int64_t each =
			gpube__smaller(s->size[d], m->c->lanes[d] * gpube__box_reg_size(m->c, d));
		const int64_t boxes = gpube__divide_up(s->size[d], each);

		if (boxes == 1)
			continue;
		b->grid[n] = (uint32_t)boxes;
		b->by_grid[n] = gpube__divisor_of((uint32_t)boxes);
		b->step[n] = (uint32_t)each;
		b->last[n] = (uint32_t)(s->size[d] - each);
		b->out_stride[n] = s->out_stride[d];
		for (int k = 0; k < b->n_in; k++)
			b->stride[k][n] = stride_of(m, k)[d];
		blocks *= (uint64_t)boxes;
		n++;
	}
	b->n_grid = n;
	b->blocks = blocks <= INT32_MAX ? (uint32_t)blocks : 0;
}

/* Offsets in the output of a group's cells, its first dim fastest. */
static uint32_t make_regs(const struct maker *m, const struct gpube__box_group *g, uint32_t *out)
{
	for (int i = 0; i < g->cells; i++) {
		int64_t offset = 0;

		for (int j = 0, rest = i; j < g->n; j++) {
			offset += rest % g->size[j] * m->s->out_stride[g->dim[j]];
			rest /= g->size[j];
		}
		out[i] = (uint32_t)offset;
	}
	return (uint32_t)g->cells;
}

/* The most output cells along Q that lie together and aligned. */
static uint32_t out_wide(const struct maker *m)
{
	const struct gpube__box *b = m->b;
	uint32_t wide = 16 / m->type_bytes;

	for (uint32_t i = 0; i < b->nq; i++)
		if (b->out_q[i] != i)
			return 1;
	while (wide > 1 && (b->nq % wide || (uint32_t)gpube__box_kernels[b->kernel].q % wide))
		wide /= 2;
	for (uint32_t i = 0; i < b->np; i++)
		while (b->out_p[i] % wide)
			wide /= 2;
	for (int i = 0; i < b->n_lane_parts; i++)
		while (b->lane_out[i] % wide ||
			((b->lane_n[i] - 1) * b->lane_out[i] > b->lane_out_limit[i] &&
				b->lane_out_limit[i] % wide))
			wide /= 2;
	for (int i = 0; i < b->n_grid; i++)
		while (b->step[i] * b->out_stride[i] % wide || b->last[i] * b->out_stride[i] % wide)
			wide /= 2;
	return wide;
}

/* ---- one operand --------------------------------------------------------------------- */

static bool x_affine(const struct maker *m, int k)
{
	const struct gpube__shape *s = m->s;

	for (int d = s->n_out; d + 1 < s->n_dims; d++)
		if (stride_of(m, k)[d] != stride_of(m, k)[d + 1] * s->size[d + 1])
			return false;
	return true;
}

/* Parts are in the order of their steps; those that repeat cells come last. */
static void add_part(struct part *parts, int *n, struct part p)
{
	int at = *n;

	for (; at > 0 && p.from && (parts[at - 1].from > p.from || !parts[at - 1].from); at--)
		parts[at] = parts[at - 1];
	parts[at] = p;
	++*n;
}

/* Places where the operand's cells lie as in memory; x is among them if there is one chunk. */
static void place_linear(
	struct maker *m, int k, struct part *parts, int n, struct gpube__box_table *t)
{
	int64_t to = 1;

	for (int i = 0; i < n; i++) {
		parts[i].to = to;
		to *= parts[i].n;
		/* lanes eight or sixteen words apart would read the same banks */
		if (i == 0 && !is_lane(&parts[0]) && parts[0].n % 8 == 0)
			to += 4;
	}
	t->x_to = (uint32_t)round_up(to, 4);
	t->reg_to = 0;
	for (int i = 0; i < n; i++) {
		if (parts[i].reg == PART_X)
			t->x_to = (uint32_t)parts[i].to;
		else if (is_lane(&parts[i]))
			m->b->runs[k].lane_to[lane_of(&parts[i])] = (uint32_t)parts[i].to;
		else
			t->reg_to = (uint32_t)parts[i].to;
		parts[i].reg = 0;
	}
}

/* Runs that continue each other are one. */
static int merge_parts(struct part *parts, int n)
{
	int kept = 0;

	for (int i = 1; i < n; i++) {
		struct part *a = &parts[kept];

		if (parts[i].from == a->from * a->n && parts[i].to == a->to * a->n &&
			parts[i].reg == a->reg * a->n && !limited(a) && !limited(&parts[i])) {
			a->n *= parts[i].n;
			a->limit = NO_LIMIT;
		} else {
			parts[++kept] = parts[i];
		}
	}
	return n ? kept + 1 : 0;
}

/* Cells of a copy: neighbours in memory and in shared memory, aligned in both. */
static uint32_t wide_of(const struct maker *m, int k, const struct part *parts, int n,
	const struct gpube__box_table *t, bool listed)
{
	const struct gpube__box *b = m->b;
	int64_t wide = 16 / m->type_bytes;

	if (n == 0 || parts[0].from != 1 || parts[0].to + parts[0].reg != 1 || t->x_is_lo)
		return 1;
	while (parts[0].n % wide)
		wide /= 2;
	for (int i = 1; i < n; i++)
		while (parts[i].from % wide || parts[i].to % wide || parts[i].reg % wide ||
			(limited(&parts[i]) && parts[i].limit % wide))
			wide /= 2;
	for (int i = 0; i < b->n_grid; i++)
		while (b->stride[k][i] * b->step[i] % wide || b->stride[k][i] * b->last[i] % wide)
			wide /= 2;
	if (listed)
		return (uint32_t)wide;
	while (t->x_to % wide || t->x_from % wide)
		wide /= 2;
	if (!t->x_from && t->x_offsets) /* several strides: any offset */
		for (int d = m->s->n_out; d < m->s->n_dims; d++)
			while (stride_of(m, k)[d] % wide)
				wide /= 2;
	return (uint32_t)wide;
}

/* Parts of operand k, those of a register group with their weight in it. */
static int find_parts(const struct maker *m, int k, struct part *parts)
{
	const int64_t *stride = stride_of(m, k);
	const int q = gpube__box_kernels[m->c->kernel].q;
	const bool is_c = k >= m->b->n_a + m->b->n_b + m->b->n_s;
	int n = 0;

	for (int i = 0; i < m->b->n_lane_parts; i++) {
		const int d = m->lane_dim[i];
		const int64_t reg = gpube__box_reg_size(m->c, d);

		if (stride[d])
			add_part(parts, &n,
				(struct part){m->c->lanes[d], reg * stride[d],
					(m->s->size[d] - reg) * stride[d], 0, PART_LANE - i});
	}
	for (int g = 0; g < 2; g++) {
		const struct gpube__box_group *group = g ? &m->c->q : &m->c->p;
		int64_t weight = is_c && g == 0 ? q : 1;
		bool any = false;

		for (int i = 0; i < group->n; i++)
			any |= stride[group->dim[i]] != 0;
		/* all cells of the group are read, also where the operand has only some of its dims
		 */
		for (int i = 0; any && i < group->n; i++) {
			add_part(parts, &n,
				(struct part){group->size[i], stride[group->dim[i]], NO_LIMIT, 0,
					weight});
			weight *= group->size[i];
		}
	}
	return n;
}

/* Cells of operand k in a box, for one x, to a joined cell of the box. */
static double copied_share(const struct maker *m, int k)
{
	const struct gpube__box_kernel_info *kernel = &gpube__box_kernels[m->c->kernel];

	return (double)gpube__box_cells(m->s, m->c, m->b->order[k]) /
	       ((double)m->c->n_lanes * kernel->p * kernel->q);
}

static int kind_in_order(const struct gpube__box *b, int k)
{
	return k < b->n_a ? 0 : k < b->n_a + b->n_b ? 1 : k < b->n_a + b->n_b + b->n_s ? 2 : 3;
}

/* Whether a part, or a box or a chunk's start, begins at multiples of four cells. */
static bool fours(const struct maker *m, int k, const struct part *parts, int n)
{
	const struct gpube__box *b = m->b;

	for (int i = 0; i < n; i++)
		if (parts[i].from % 4 || (limited(&parts[i]) && parts[i].limit % 4))
			return false;
	for (int i = 0; i < b->n_grid; i++)
		if (b->stride[k][i] * b->step[i] % 4 || b->stride[k][i] * b->last[i] % 4)
			return false;
	return b->chunk % 4 == 0 && b->n_x % 4 == 0 && m->type_bytes == 4;
}

/*
 * Where an operand's cells lie along X and are read along a register group: four of a
 * group's cells by four x can be copied as one. Puts that group's part first.
 */
static void find_square(
	const struct maker *m, int k, struct part *parts, int n, struct gpube__box_table *t)
{
	const struct gpube__box_group *g = kind_in_order(m->b, k) == 0 ? &m->c->p : &m->c->q;
	int at = -1;

	if (!t->x_is_lo || g->n != 1 || g->cells % 4 || !fours(m, k, parts, n))
		return;
	for (int i = 0; i < n; i++)
		if (parts[i].reg == 1)
			at = i;
	if (at < 0)
		return;
	for (const struct part first = parts[at]; at >= 0; at--)
		parts[at] = at ? parts[at - 1] : first;
	t->square = 1;
	t->row = (uint32_t)parts[0].from;
}

/*
 * Places by the kernel's own order: lanes, and registers as they are read. Of an operand whose
 * copies are many and which lies along the lanes, one register cell of all lanes together.
 */
static void place_kernel(
	struct maker *m, int k, struct part *parts, int n, struct gpube__box_table *t)
{
	const struct gpube__box *b = m->b;
	const struct gpube__box_kernel_info *kernel = &gpube__box_kernels[m->c->kernel];
	const int kind = kind_in_order(b, k), regs = kind ? kernel->q : kernel->p;
	const bool along_lanes = kind < 2 && !t->x_is_lo && n && is_lane(&parts[0]) &&
				 parts[0].from == 1 && parts[0].n % 4 == 0 &&
				 copied_share(m, k) > 1.0 / 64 &&
				 m->c->kernel != BOX_10X10; /* which has no registers to spare */
	int64_t each, lanes = 1;

	t->vector = kind < 2 && !along_lanes;
	each = t->vector ? 4 : kind == 3 ? kernel->p * kernel->q + 4 : 1;
	for (int i = 0; i < b->n_lane_parts; i++)
		if (stride_of(m, k)[m->lane_dim[i]]) {
			m->b->runs[k].lane_to[i] = (uint32_t)(lanes * each);
			lanes *= m->c->lanes[m->lane_dim[i]];
		}
	t->reg_to = t->vector   ? (uint32_t)(4 * lanes)
		    : kind == 3 ? 1
				: (uint32_t)round_up(lanes, 4);
	t->x_to = (uint32_t)(kind == 2   ? round_up(lanes, 4)
			     : kind == 3 ? lanes * each
			     : t->vector ? 4 * lanes * gpube__divide_up(regs, 4)
					 : round_up(lanes, 4) * regs);
	/* neighbouring threads copy neighbouring x: into different banks */
	if (t->x_is_lo && t->x_to % 32 != 4)
		t->x_to = (uint32_t)round_up(t->x_to, 32) + 4;
	find_square(m, k, parts, n, t);
	for (int i = 0; i < n; i++) {
		if (is_lane(&parts[i])) {
			parts[i].to = m->b->runs[k].lane_to[lane_of(&parts[i])];
			parts[i].reg = 0;
		} else if (!t->vector) {
			parts[i].to = parts[i].reg * t->reg_to;
			parts[i].reg = 0;
		}
	}
}

/* How a chunk's copies are numbered: along what lies together in memory. */
static void number_copies(
	const struct maker *m, struct gpube__box_table *t, uint32_t cells, bool listed)
{
	const uint32_t n_x = listed ? 1 : t->square ? m->b->chunk / 4 : m->b->chunk;

	t->n_entries = cells / t->wide;
	if (t->n_entries == 1 && n_x > 1 && !t->square) {
		/* the copies of all x, in single cells */
		t->wide = 1;
		t->n_entries = cells;
		t->x_is_lo = 1;
	}
	if (n_x == 1)
		t->x_is_lo = 0;
	t->copies = t->n_entries * n_x;
	t->lo = t->x_is_lo ? n_x : t->n_entries;
	if (t->lo == 1 && n_x > 1) { /* one square after the other along X */
		t->x_is_lo = 1;
		t->lo = n_x;
	}
	t->by_lo = gpube__divisor_of(t->lo);
}

static bool make_table(struct maker *m, int k, int64_t *place)
{
	const struct gpube__shape *s = m->s;
	struct gpube__box *b = m->b;
	struct gpube__box_table *t = &b->table[k];
	struct part parts[GPUBE_BOX_PARTS + 2];
	const bool affine = x_affine(m, k);
	int64_t cells = 1, size;
	bool listed = false;
	int n;

	t->x_from = affine && s->n_dims > s->n_out ? stride_of(m, k)[s->n_dims - 1] : 0;
	for (int d = s->n_out; d < s->n_dims; d++)
		b->runs[k].x_stride[d - s->n_out] = stride_of(m, k)[d];
	n = find_parts(m, k, parts);
	t->x_is_lo = t->x_from == 1 && b->chunk > 1;
	if (linear(m)) {
		if (t->x_from && b->n_chunks == 1 && b->n_x > 1) {
			listed = true;
			t->x_is_lo = 0;
			add_part(parts, &n, (struct part){b->n_x, t->x_from, NO_LIMIT, 0, PART_X});
		}
		place_linear(m, k, parts, n, t);
	} else {
		place_kernel(m, k, parts, n, t);
	}
	if (!affine) {
		t->x_offsets = (uint32_t)m->words;
		m->words += b->n_x;
	}
	size = listed ? 1 : (int64_t)t->x_to * b->chunk;
	for (int i = 0; listed && i < n; i++)
		size += (parts[i].n - 1) * parts[i].to;
	n = merge_parts(parts, n);
	if (n > GPUBE_BOX_PARTS)
		return false;
	t->wide = t->square ? 4 : wide_of(m, k, parts, n, t, listed);
	for (int i = 0; i < n; i++) {
		if (parts[i].from > UINT32_MAX || parts[i].to > UINT32_MAX)
			return false;
		b->runs[k].run[i] =
			(struct gpube__box_run){(uint32_t)parts[i].n, (uint32_t)parts[i].from,
				parts[i].limit < NO_LIMIT ? (uint32_t)parts[i].limit : NO_LIMIT,
				(uint32_t)parts[i].to, (uint32_t)parts[i].reg};
		cells *= parts[i].n;
	}
	b->runs[k].n = n;
	number_copies(m, t, (uint32_t)cells, listed);
	t->place = (uint32_t)*place;
	*place += round_up(size, 4);
	m->words = round_up(m->words, 2);
	t->entries = (uint32_t)m->words;
	m->words += 2 * (int64_t)t->n_entries;
	t->positions = (uint32_t)m->words;
	m->words += b->lanes;
	b->n_items += t->n_entries + b->lanes + (affine ? 0 : b->n_x);
	return true;
}

static int extra_tables(const struct gpube__box *b)
{
	const int n_s = gpube__box_kernels[b->kernel].q == 1 ? GPUBE_BOX_REG_S1 : GPUBE_BOX_REG_S;

	return (b->n_a > GPUBE_BOX_REG_A ? b->n_a - GPUBE_BOX_REG_A : 0) +
	       (b->n_b > GPUBE_BOX_REG_B ? b->n_b - GPUBE_BOX_REG_B : 0) +
	       (b->n_s > n_s ? b->n_s - n_s : 0);
}

bool gpube__box_make(struct gpube__box *b, const struct gpube__box_choice *c,
	const struct gpube_contraction *from, const struct gpube__shape *s)
{
	struct maker m = {.b = b, .c = c, .s = s};
	int64_t place = 0, shared;

	memset(b, 0, sizeof(*b));
	m.type_bytes = from->type == GPUBE_INT32 ? 4 : 8;
	b->n_in = s->n_in;
	b->kernel = c->kernel;
	b->cycles = c->cost;
	b->threads = (uint32_t)c->threads;
	b->lanes = (uint32_t)c->n_lanes;
	b->n_x = (uint32_t)s->n_reduced;
	b->chunk = (uint32_t)c->chunk;
	b->n_chunks = (uint32_t)c->n_chunks;
	b->one = 1;
	b->arg_bytes = from->arg_bytes;
	b->top = from->top;
	b->threshold = from->threshold;
	b->n_x_dims = s->n_dims - s->n_out;
	for (int d = s->n_out; d < s->n_dims; d++) {
		b->x_size[d - s->n_out] = (uint32_t)s->size[d];
		b->x_arg[d - s->n_out] = s->arg_stride[d];
	}
	order_operands(&m);
	make_lanes(&m);
	make_grid(&m);
	if (!b->blocks)
		return false;
	b->np = make_regs(&m, &c->p, b->out_p);
	b->nq = make_regs(&m, &c->q, b->out_q);
	b->out_wide = out_wide(&m);
	b->out_positions = 0;
	m.words = b->lanes;
	b->n_items = b->lanes;
	for (int k = 0; k < b->n_in; k++)
		if (!make_table(&m, k, &place))
			return false;
	if (m.words > INT32_MAX || place > INT32_MAX / 16)
		return false;
	b->n_words = (uint32_t)m.words;
	b->buffer = (uint32_t)place;
	shared = (b->n_chunks > 1 ? 2 : 1) * place * m.type_bytes +
		 (int64_t)extra_tables(b) * b->threads * 4;
	b->shared_bytes = (uint32_t)shared;
	return true;
}
