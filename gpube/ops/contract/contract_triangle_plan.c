/* contract_triangle_plan.c - see contract_triangle.h. */
#include "gpube/ops/contract/contract_triangle.h"

#include <math.h>
#include <string.h>

/* Of a multiprocessor, in a cycle. */
#define DRAM_BYTES   16.0
#define REQUEST      2.4 /* cycles of one to the L2 cache, which is asked for rows */
#define SHARED_BYTES 128.0

#define LAST_REQUESTS 1.6 /* of a row of 32 bytes */

#define LAUNCH  9000.0
#define BOX     3000.0 /* of a box: its first copies, its stores */
#define X_SLOTS 20.0   /* of a warp, besides the joined cells and reads */
/* of what bounds an x: what it takes, of two warps a scheduler that read ahead, and of four */
#define X_OF_TWO     1.35
#define X_OF_FOUR    1.2
#define X_LAST_L2    0.68 /* where x is last, of L2, and of the rest besides: they overlap less */
#define X_LAST_REST  0.57
#define X_LAST_SLOTS 25.0   /* of a warp, more */
#define L2_BESIDES   0.05   /* where something else bounds an x, of L2 */
#define MANY_CHUNKS  12     /* that a block should take: it waits for the first */
#define LATENCY      900.0  /* of an x, however few warps there are */
#define SMALL_BOX    2000.0 /* to wait for the small operands of a box */
#define MOST_CELLS   256    /* of a box along a dim, that the copy engine takes */
#define LEAST_LANES  64

struct planner {
	const struct gpube__shape *s;
	const struct gpube__box_device *device;
	bool is_float, x_last;
	double bytes;
};

/* Which dims and operands are the triangle's, and its lanes. */
struct choice {
	int dim[TRIANGLE_DIMS], op[TRIANGLE_PANELS];
	int64_t lanes[TRIANGLE_DIMS], cells[TRIANGLE_DIMS];
	bool small, small_j;
	int64_t chunk, stages, stage_words, n_boxes;
	double cycles;
};

static int64_t stride_of(const struct planner *p, int k, int dim)
{
	return p->s->stride[k * p->s->ld + dim];
}

/* Words from the begin of what the copy engine writes to the next such place. */
static int64_t whole_lines(int64_t words)
{
	return gpube__divide_up(words, 32) * 32;
}

/* ---- which dims ------------------------------------------------------------------------- */

static bool has(const struct planner *p, int k, int dim)
{
	return stride_of(p, k, dim) != 0;
}

static bool planner_init(struct planner *p, const struct gpube_contraction *c)
{
	const struct gpube__shape *s = p->s;

	if (c->semiring != GPUBE_MIN_PLUS || c->out_arg ||
		(c->type != GPUBE_INT32 && c->type != GPUBE_FLOAT32) || s->n_in < 3 ||
		s->n_in > 3 + GPUBE_TRIANGLE_SMALL || s->n_dims != s->n_out + 1 || s->n_out < 3 ||
		s->n_out > 3 + GPUBE_TRIANGLE_GRID || s->n_reduced > INT32_MAX)
		return false;
	if (!p->device->bulk ||
		p->device->shared_bytes < 4 * (GPUBE_TRIANGLE_WORDS + GPUBE_TRIANGLE_SMALLS))
		return false;
	p->is_float = c->type == GPUBE_FLOAT32;
	p->bytes = 4.0 * (double)s->n_out_cells;
	for (int k = 0; k < s->n_in; k++) {
		double cells = 1;

		for (int d = 0; d < s->n_dims; d++)
			cells *= has(p, k, d) ? (double)s->size[d] : 1;
		p->bytes += 4 * cells;
	}
	return true;
}

static bool is_panel(const struct planner *p, const struct choice *c, int panel)
{
	const struct gpube__shape *s = p->s;
	const int first = c->dim[gpube__triangle_first(panel)];
	const int second = c->dim[gpube__triangle_second(panel)];
	const int other = c->dim[panel == TRIANGLE_IJ   ? TRIANGLE_K
				 : panel == TRIANGLE_JK ? TRIANGLE_I
							: TRIANGLE_J];
	const int k = c->op[panel], along = p->x_last ? s->n_out : second;
	int more = 0;

	if (!has(p, k, first) || !has(p, k, second) || has(p, k, other) || !has(p, k, s->n_out) ||
		stride_of(p, k, along) != 1)
		return false;
	for (int d = 0; d < s->n_dims; d++) {
		if (d != along && stride_of(p, k, d) % 4)
			return false;
		if (d < s->n_out && d != first && d != second)
			more += has(p, k, d);
	}
	return more <= 2;
}

/* Whether a choice of dims and operands is a triangle; the rest are small then. */
static bool is_triangle(const struct planner *p, struct choice *c)
{
	const struct gpube__shape *s = p->s;

	for (int panel = 0; panel < TRIANGLE_PANELS; panel++)
		if (!is_panel(p, c, panel))
			return false;
	c->small = c->small_j = false;
	for (int k = 0; k < s->n_in; k++) {
		if (k == c->op[0] || k == c->op[1] || k == c->op[2])
			continue;
		if (has(p, k, c->dim[TRIANGLE_I]) || has(p, k, c->dim[TRIANGLE_K]))
			return false;
		c->small = true;
		c->small_j |= has(p, k, c->dim[TRIANGLE_J]);
	}
	/* copies and stores of 16 bytes */
	return p->x_last ? s->size[s->n_out] % 4 == 0
			 : s->size[c->dim[TRIANGLE_J]] % 4 == 0 &&
				   s->size[c->dim[TRIANGLE_K]] % 4 == 0;
}

/* ---- the box ------------------------------------------------------------------------------ */

/*
 * Cells that a row of a box is longer than the lanes need, along x: so that of a warp whose lanes
 * are in several rows neighbours find their words in other banks, as those of one row do.
 */
static int64_t padding(const struct planner *p, const struct choice *c, int panel)
{
	if (!p->x_last || panel == TRIANGLE_JK)
		return 0;
	return panel == TRIANGLE_IJ ? 1 : c->lanes[TRIANGLE_K] % 4;
}

/* Cells of a box's row. */
static int64_t row_of(const struct planner *p, const struct choice *c, int panel)
{
	const int second = gpube__triangle_second(panel);

	return c->cells[second] * c->lanes[second] + padding(p, c, panel);
}

static int64_t box_words(const struct planner *p, const struct choice *c, int panel)
{
	const int first = gpube__triangle_first(panel);

	return c->cells[first] * c->lanes[first] * row_of(p, c, panel) *
	       (p->x_last ? GPUBE_TRIANGLE_X_LAST : 1);
}

static int64_t small_words(const struct planner *p, const struct choice *c)
{
	if (!c->small)
		return 0;
	return p->s->n_reduced * (c->small_j ? 4 * c->lanes[TRIANGLE_J] : p->x_last ? 1 : 4);
}

/* Returns false where there are more than the kernels count. */
static bool set_boxes(const struct planner *p, struct choice *c)
{
	double boxes = 1;

	for (int d = 0; d < p->s->n_out; d++) {
		int64_t cells = 1;

		for (int i = 0; i < TRIANGLE_DIMS; i++)
			if (c->dim[i] == d)
				cells = c->cells[i] * c->lanes[i];
		boxes *= (double)gpube__divide_up(p->s->size[d], cells);
	}
	if (boxes > INT32_MAX / 2)
		return false;
	c->n_boxes = (int64_t)boxes;
	return true;
}

/* Stages, and x of each. Returns false where shared memory does not suffice. */
static bool set_stages(const struct planner *p, struct choice *c)
{
	const int64_t n_x = p->s->n_reduced;
	const double x_of_block = (double)n_x * ceil((double)c->n_boxes / p->device->n_sms);
	int64_t chunk = n_x < 8 ? n_x : 8;

	while (!p->x_last && chunk > 2 && (double)(chunk * MANY_CHUNKS) > x_of_block)
		chunk--;
	if (small_words(p, c) > GPUBE_TRIANGLE_SMALLS)
		return false;
	for (; chunk > 0; chunk--) {
		c->stage_words = 0;
		for (int i = 0; i < TRIANGLE_PANELS; i++)
			c->stage_words += whole_lines(box_words(p, c, i) * (p->x_last ? 1 : chunk));
		c->stages = GPUBE_TRIANGLE_WORDS / c->stage_words;
		c->chunk = p->x_last ? GPUBE_TRIANGLE_X_LAST : chunk;
		if (c->stages > GPUBE_TRIANGLE_STAGES)
			c->stages = GPUBE_TRIANGLE_STAGES;
		if (p->x_last || c->stages >= (chunk == 3 ? 3 : 2))
			break;
	}
	return chunk > 0 && c->stages >= 2;
}

/*
 * Requests for a box and x of a panel: of 64 bytes, and 1.6 more for each row, as it was measured
 * of rows of 80 and of 400 bytes.
 */
static double requests_of(const struct planner *p, const struct choice *c, int panel)
{
	const int first = gpube__triangle_first(panel);
	const double rows = (double)(c->cells[first] * c->lanes[first]);
	const double row = (double)row_of(p, c, panel);

	if (p->x_last)
		return rows * row * LAST_REQUESTS / GPUBE_TRIANGLE_X_LAST;
	return rows * (row / 16 + 1.6);
}

/* Cycles of a multiprocessor for an x of a box with so many warps. */
static double cycles_of_x(const struct planner *p, const struct choice *c, double warps)
{
	const double n_i = (double)(c->cells[0] * c->lanes[0]), n_j = 4 * (double)c->lanes[1];
	const double n_k = 4 * (double)c->lanes[2], words = n_i * n_j + n_j * n_k + n_i * n_k;
	const double cells_i = (double)c->cells[0], reads = 8 * cells_i + 16 + (c->small ? 4 : 0);
	const double slots = cells_i * 16 * (p->is_float ? 3 : 2) + (c->small ? 16 : 0) +
			     (p->x_last ? reads + X_LAST_SLOTS : reads / 4) + X_SLOTS;
	const double shared = reads * warps + 4 * words / SHARED_BYTES;
	const double most = fmax(fmax(slots * ceil(warps / 4), shared), LATENCY / 4);
	double l2 = 0;

	for (int i = 0; i < TRIANGLE_PANELS; i++)
		l2 += REQUEST * requests_of(p, c, i);
	if (p->x_last)
		/* rows of few lanes: words in the same bank, too */
		return fmax(X_LAST_L2 * l2 * (1 + 0.8 / (double)c->lanes[TRIANGLE_K]) +
				    X_LAST_REST * most,
			most);
	return L2_BESIDES * l2 +
	       fmax(l2, most * (GPUBE_TRIANGLE_AHEAD(c->cells[TRIANGLE_I]) ? X_OF_TWO : X_OF_FOUR));
}

static void price(const struct planner *p, struct choice *c)
{
	const double n_x = (double)p->s->n_reduced, n_sms = p->device->n_sms;
	const int64_t n_j = gpube__divide_up(p->s->size[c->dim[TRIANGLE_J]], 4);
	const int64_t last_j =
		n_j - (gpube__divide_up(n_j, c->lanes[TRIANGLE_J]) - 1) * c->lanes[TRIANGLE_J];
	const int64_t slice = c->lanes[TRIANGLE_I] * c->lanes[TRIANGLE_K];
	const double boxes = (double)c->n_boxes;
	double box, last, per_j, rounds, work;

	box = n_x * cycles_of_x(p, c, ceil((double)(slice * c->lanes[TRIANGLE_J]) / 32));
	last = n_x * cycles_of_x(p, c, ceil((double)(slice * last_j) / 32));
	per_j = (double)gpube__divide_up(n_j, c->lanes[TRIANGLE_J]);
	rounds = boxes / n_sms;
	if (rounds < 4)
		rounds = ceil(rounds);
	else if (!p->x_last) /* along x the last ones have as much to wait for */
		box = (box * (per_j - 1) + last) / per_j;
	work = rounds * (box + BOX + (c->small ? SMALL_BOX : 0));
	c->cycles = LAUNCH + fmax(work, p->bytes / (DRAM_BYTES * n_sms)) +
		    0.2 * p->bytes / (DRAM_BYTES * n_sms);
}

/* Tries all lanes that make boxes of one size along each dim. */
static void try_lanes(
	const struct planner *p, struct choice *c, int i, int64_t most, struct choice *best)
{
	const int64_t all = i < TRIANGLE_DIMS ? gpube__divide_up(p->s->size[c->dim[i]], c->cells[i]) : 0;
	int64_t last = 0;

	if (i == TRIANGLE_DIMS) {
		if (c->lanes[0] * c->lanes[1] * c->lanes[2] < LEAST_LANES || !set_boxes(p, c) ||
			!set_stages(p, c))
			return;
		price(p, c);
		if (c->cycles < best->cycles)
			*best = *c;
		return;
	}
	for (int64_t lanes = all; lanes > 0; lanes--) {
		if (gpube__divide_up(all, gpube__divide_up(all, lanes)) != lanes || lanes == last ||
			lanes > most || lanes * c->cells[i] > MOST_CELLS)
			continue;
		last = c->lanes[i] = lanes;
		try_lanes(p, c, i + 1, most / lanes, best);
	}
}

static void try_cells(const struct planner *p, struct choice *c, struct choice *best)
{
	static const int cells[] = {4, 8, 10, 12};

	c->cells[TRIANGLE_J] = c->cells[TRIANGLE_K] = 4;
	for (int i = 0; i < (p->x_last ? 1 : 4); i++) {
		c->cells[TRIANGLE_I] = cells[i];
		try_lanes(p, c, 0, GPUBE_TRIANGLE_THREADS(cells[i]), best);
	}
}

/* ---- the descriptor ---------------------------------------------------------------------- */

static bool set_table(
	struct gpube__triangle *d, const struct planner *p, const struct choice *c, int panel)
{
	const struct gpube__shape *s = p->s;
	const int first = gpube__triangle_first(panel), second = gpube__triangle_second(panel);
	const int x = s->n_out, k = c->op[panel];
	const int dims[3] = {p->x_last ? x : c->dim[second],
		p->x_last ? c->dim[second] : c->dim[first], p->x_last ? c->dim[first] : x};
	struct gpube__triangle_table *t = &d->table[panel];

	t->order = k;
	for (int i = 0; i < GPUBE_TRIANGLE_RANK; i++) {
		t->size[i] = t->box[i] = 1;
		t->step[i] = i ? 4 : 1;
	}
	for (int i = 0; i < 3; i++) {
		t->size[i] = (uint32_t)s->size[dims[i]];
		t->step[i] = stride_of(p, k, dims[i]);
	}
	t->box[p->x_last ? 0 : 2] = d->chunk;
	t->box[p->x_last ? 1 : 0] = (uint32_t)row_of(p, c, panel);
	t->box[p->x_last ? 2 : 1] = d->cells[first] * d->lanes[first];
	t->x_bytes = 4 * (p->x_last ? 1 : t->box[0] * t->box[1]);
	t->first_bytes = 4 * t->box[0] * (p->x_last ? t->box[1] : 1) *
			 (first == TRIANGLE_I || p->x_last ? d->lanes[first] : 1);
	t->second_bytes = 4 * (p->x_last ? t->box[0] * d->lanes[second] : 1);
	t->words = t->box[0] * t->box[1] * t->box[2];
	for (uint32_t g = 0, slot = 3; g < d->n_grid; g++) {
		const int64_t step = stride_of(p, k, d->grid[g].dim);

		d->grid[g].slot[panel] = 0;
		if (!step)
			continue;
		d->grid[g].slot[panel] = slot;
		t->size[slot] = (uint32_t)s->size[d->grid[g].dim];
		t->step[slot++] = step;
	}
	for (int i = 0; i < GPUBE_TRIANGLE_RANK; i++)
		if (t->box[i] > MOST_CELLS || t->step[i] > (int64_t)1 << 37)
			return false;
	return true;
}

static void set_grid(struct gpube__triangle *d, const struct planner *p, const struct choice *c)
{
	for (int dim = p->s->n_out - 1; dim >= 0; dim--) {
		struct gpube__triangle_grid *g = &d->grid[d->n_grid];

		if (dim == c->dim[0] || dim == c->dim[1] || dim == c->dim[2])
			continue;
		g->dim = dim;
		g->n = (uint32_t)p->s->size[dim];
		g->by_n = gpube__divisor_of(g->n);
		g->out = p->s->out_stride[dim];
		d->n_grid++;
	}
}

static void set_small(struct gpube__triangle *d, const struct planner *p, const struct choice *c)
{
	for (int k = 0; k < p->s->n_in; k++) {
		struct gpube__triangle_small *s = &d->small[d->n_small];

		if (k == c->op[0] || k == c->op[1] || k == c->op[2])
			continue;
		s->order = k;
		s->x = stride_of(p, k, p->s->n_out);
		s->j = stride_of(p, k, c->dim[TRIANGLE_J]);
		for (uint32_t g = 0; g < d->n_grid; g++)
			s->grid[g] = stride_of(p, k, d->grid[g].dim);
		d->n_small++;
	}
	d->small_words = (uint32_t)small_words(p, c);
	if (p->x_last) {
		d->small_x = 1;
		d->small_j = c->small_j ? d->n_x : 0;
		d->small_next = 4 * d->small_j * d->lanes[TRIANGLE_J];
	} else {
		d->small_x = c->small_j ? 4 * d->lanes[TRIANGLE_J] : 4;
		d->small_j = c->small_j ? 4 : 0;
		d->small_next = 4 * d->small_x;
	}
}

static bool make(struct gpube__triangle *d, const struct planner *p, const struct choice *c,
	const struct gpube_contraction *from)
{
	uint32_t at = 0;

	memset(d, 0, sizeof(*d));
	d->x_last = p->x_last;
	d->one = 1;
	d->n_lanes = 1;
	d->n_x = (uint32_t)p->s->n_reduced;
	d->chunk = (uint32_t)c->chunk;
	d->stages = (uint32_t)c->stages;
	d->stage_words = (uint32_t)c->stage_words;
	d->n_boxes = (uint32_t)c->n_boxes;
	d->at_once =
		d->n_boxes < (uint32_t)p->device->n_sms ? d->n_boxes : (uint32_t)p->device->n_sms;
	d->shared_bytes = 4 * (GPUBE_TRIANGLE_WORDS + GPUBE_TRIANGLE_SMALLS);
	d->cut = from->cut;
	d->threshold = from->threshold;
	for (int i = 0; i < TRIANGLE_DIMS; i++) {
		d->lanes[i] = (uint32_t)c->lanes[i];
		d->size[i] = (uint32_t)p->s->size[c->dim[i]];
		d->cells[i] = (uint32_t)c->cells[i];
		d->boxes[i] = (uint32_t)gpube__divide_up(d->size[i], c->cells[i] * c->lanes[i]);
		d->by_lanes[i] = gpube__divisor_of(d->lanes[i]);
		d->by_boxes[i] = gpube__divisor_of(d->boxes[i]);
		d->out[i] = p->s->out_stride[c->dim[i]];
		d->n_lanes *= d->lanes[i];
	}
	d->warps = (d->n_lanes + 31) / 32;
	d->by_warps = gpube__divisor_of(d->warps);
	d->n_chunks = (d->n_x + d->chunk - 1) / d->chunk;
	d->by_chunks = gpube__divisor_of(d->n_chunks);
	d->by_stages = gpube__divisor_of(d->stages);
	set_grid(d, p, c);
	for (int i = 0; i < TRIANGLE_PANELS; i++) {
		if (!set_table(d, p, c, i))
			return false;
		d->table[i].at = at;
		at += (uint32_t)whole_lines(d->table[i].words);
		d->stage_bytes += d->table[i].words * 4;
	}
	set_small(d, p, c);
	return true;
}

/* All triangles that the operands make, with K the output's last dim. */
static void search(const struct planner *p, struct choice *best)
{
	const int n = p->s->n_in, last = p->s->n_out - 1;
	struct choice c;

	memset(&c, 0, sizeof(c));
	c.dim[TRIANGLE_K] = last;
	for (int jk = 0; jk < n; jk++)
		for (int ik = 0; ik < n; ik++)
			for (int ij = 0; ij < n; ij++)
				for (int i = 0; i < last; i++)
					for (int j = 0; j < last; j++) {
						c.dim[TRIANGLE_I] = i;
						c.dim[TRIANGLE_J] = j;
						c.op[TRIANGLE_IJ] = ij;
						c.op[TRIANGLE_JK] = jk;
						c.op[TRIANGLE_IK] = ik;
						if (is_triangle(p, &c))
							try_cells(p, &c, best);
					}
}

bool gpube__triangle_plan(struct gpube__triangle *d, double *cycles,
	const struct gpube__box_device *device, const struct gpube_contraction *c,
	const struct gpube__shape *s)
{
	struct planner p = {.s = s, .device = device};
	struct choice best = {.cycles = INFINITY};

	if (!planner_init(&p, c))
		return false;
	search(&p, &best);
	if (best.cycles == INFINITY) {
		p.x_last = true;
		search(&p, &best);
	}
	*cycles = best.cycles;
	return best.cycles < INFINITY && make(d, &p, &best, c);
}
