/*
 * contract_plan.c - the plan for the tiles that were chosen: offsets along groups of dims, levels
 * of sums and where they are in scratch.
 */
#include <math.h>
#include <string.h>

#include "gpube/ops/contract/cpu/contract_plan.h"

/* Dims and cells of the operands of 'shape', which becomes the plan's. */
static void planner_init(struct gpube__planner *pl, struct gpube__plan *p,
	const struct gpube__shape *shape, struct gpube__room *room)
{
	*pl = (struct gpube__planner){.p = p, .best.cycles = -1};
	p->shape = *shape;
	pl->dims_of = gpube__take(room, shape->n_in, sizeof(*pl->dims_of));
	pl->cells_of = gpube__take(room, shape->n_in, sizeof(*pl->cells_of));
	for (int k = 0; k < shape->n_in; k++) {
		pl->dims_of[k] = 0;
		pl->cells_of[k] = 1;
		for (int d = 0; d < shape->n_dims; d++)
			if (gpube__stride_of(p, k)[d]) {
				pl->dims_of[k] |= GPUBE__BIT(d);
				pl->cells_of[k] *= shape->size[d];
			}
	}
}

/* ---- tables of offsets ------------------------------------------------------- */

/*
 * Offsets of the first n cells of a group: counted, for a division each would take longer than all
 * else.
 */
static int64_t *group_table(
	const struct gpube__shape *s, const int64_t *stride, uint64_t dims, int64_t n, int64_t *to)
{
	int64_t size[GPUBE_MAX_DIMS], step[GPUBE_MAX_DIMS], at[GPUBE_MAX_DIMS], offset = 0;
	int n_dims = 0;

	for (uint64_t m = dims; m; m &= m - 1) {
		size[n_dims] = s->size[gpube__first_dim(m)];
		step[n_dims] = stride[gpube__first_dim(m)];
		at[n_dims++] = 0;
	}
	for (int64_t i = 0; i < n; i++) {
		int d = n_dims - 1;

		to[i] = offset;
		for (; d >= 0 && ++at[d] == size[d]; d--) {
			offset -= (size[d] - 1) * step[d];
			at[d] = 0;
		}
		offset += d >= 0 ? step[d] : 0;
	}
	return to;
}

static struct gpube__axis make_axis(struct gpube__room *room, const struct gpube__shape *s,
	const int64_t *stride, uint64_t dims, int64_t n)
{
	struct gpube__axis axis = {0};

	if (!gpube__group_affine(s, stride, dims, &axis.step))
		axis.table = group_table(s, stride, dims, n, gpube__take(room, n, sizeof(int64_t)));
	return axis;
}

/* One vector of lanes, n of them used; false if they are too far apart. */
static bool describe_lanes(
	struct gpube__lanes *lanes, int32_t *table, const int64_t *offset, int64_t n, int w)
{
	int64_t low = offset[0], high = offset[0];
	bool next = true;

	for (int64_t l = 1; l < n; l++) {
		low = offset[l] < low ? offset[l] : low;
		high = offset[l] > high ? offset[l] : high;
		next = next && offset[l] == offset[l - 1] + 1;
	}
	if (high - low > INT32_MAX)
		return false;
	lanes->base = low;
	lanes->span = next ? 0 : high - low < w ? (int)(high - low) + 1 : 255;
	for (int64_t l = 0; l < w; l++)
		table[l] = l < n ? (int32_t)(offset[l] - low) : 0;
	return true;
}

static bool lane_table(struct gpube__room *room, const struct gpube__planner *pl,
	struct gpube__op *op, uint64_t dims, int64_t n)
{
	const struct gpube__plan *p = pl->p;
	const int w = p->w;
	const int64_t pad = gpube__padded(n, w);
	const int64_t *stride = gpube__stride_of(p, op->operand);
	int64_t *offset = gpube__take(room, pad, sizeof(*offset));
	int32_t *table = gpube__take(room, pad, sizeof(*table));
	struct gpube__lanes *lanes = gpube__take(room, pad / w, sizeof(*lanes));

	group_table(&p->shape, stride, dims, n, offset);
	op->lane_table = table;
	op->lanes = lanes;
	for (int64_t j = 0; j < n; j += w)
		if (!describe_lanes(&lanes[j / w], table + j, offset + j, n - j < w ? n - j : w, w))
			return false;
	return true;
}

/* Does op a come before op b: by kind, depth, the rows that differ, ease of reading? */
static bool op_before(const struct gpube__op *a, const struct gpube__op *b)
{
	if (a->kind != b->kind)
		return a->kind < b->kind;
	if (a->depth != b->depth)
		return a->depth < b->depth;
	return a->n_rows != b->n_rows ? a->n_rows < b->n_rows
				      : a->mode == GPUBE__LANE_NEXT && b->mode != GPUBE__LANE_NEXT;
}

static void sort_ops(struct gpube__op *ops, int n)
{
	for (int i = 1; i < n; i++) {
		const struct gpube__op op = ops[i];
		int j = i;

		for (; j > 0 && op_before(&op, &ops[j - 1]); j--)
			ops[j] = ops[j - 1];
		ops[j] = op;
	}
}

static bool next_level(const struct gpube__op *op, bool first)
{
	return first || op->depth != op[-1].depth || op->n_rows != op[-1].n_rows;
}

/* Levels of one kind, of ops [from, to); the shallowest are one when there are too many. */
static void set_levels(struct gpube__planner *pl, int kind, int from, int to)
{
	struct gpube__plan *p = pl->p;
	struct gpube__level *level = p->level[kind];
	int n = 0, left = 0;

	for (int i = from; i < to; i++)
		left += next_level(&p->ops[i], i == from);
	for (int i = from; i < to; i++) {
		const bool next = next_level(&p->ops[i], i == from);

		/* 'left' levels are wanted, this one with them */
		if (n == 0 || (next && n + left <= GPUBE__MAX_LEVELS))
			level[n++] = (struct gpube__level){.from = i};
		left -= next;
		level[n - 1].to = i + 1;
		level[n - 1].depth = p->ops[i].depth;
	}
	p->n_levels[kind] = n;
}

/* Row-major steps, times 'unit', of those dims of a group that are in 'dims'; others 0. */
static void row_steps(const struct gpube__plan *p, uint64_t dims, int64_t unit, int64_t *step)
{
	for (int d = p->shape.n_dims - 1; d >= 0; d--) {
		step[d] = 0;
		if (!(dims & GPUBE__BIT(d)))
			continue;
		step[d] = unit;
		unit *= p->shape.size[d];
	}
}

/*
 * A packed level has only the rows that differ: those over 'dims', the row dims that
 * occur in it or in a level before.
 */
static void set_rows(struct gpube__planner *pl, struct gpube__room *room,
	struct gpube__level *level, const struct gpube__level *before, uint64_t dims)
{
	struct gpube__plan *p = pl->p;
	const uint64_t group = p->choice.rows;
	const bool blocks = dims & group & -group;
	int64_t step[GPUBE_MAX_DIMS], *rows, *own, *prev;
	int64_t n = blocks ? p->choice.row_block : 1;

	for (uint64_t m = dims & ~(group & -group); m; m &= m - 1)
		n *= p->shape.size[gpube__first_dim(m)];
	level->n_rows = n;
	level->row_unit = blocks ? n / p->choice.row_block : 0;
	rows = gpube__take(room, p->n_rows, sizeof(*rows));
	own = gpube__take(room, n, sizeof(*own));
	prev = gpube__take(room, n, sizeof(*prev));
	row_steps(p, dims, level->step_i, step);
	level->rows = group_table(&p->shape, step, group, p->n_rows, rows);
	row_steps(p, group, 1, step);
	group_table(&p->shape, step, dims, n, prev);
	for (int64_t i = 0; i < n; i++) {
		own[i] = i * level->step_i;
		prev[i] = before ? before->rows[prev[i]] : 0;
	}
	level->own_rows = own;
	level->prev_rows = prev;
}

static void set_direct(
	struct gpube__planner *pl, struct gpube__room *room, struct gpube__level *level, int kind)
{
	struct gpube__plan *p = pl->p;
	const struct gpube__op *op = &p->ops[level->from];
	const bool is_c = kind == GPUBE__KIND_C;
	int64_t *rows = gpube__take(room, is_c ? p->n_rows : 1, sizeof(*rows));

	rows[0] = 0;
	level->step_x = op->x.step;
	level->rows = is_c ? group_table(&p->shape, gpube__stride_of(p, op->operand),
				     p->choice.rows, p->n_rows, rows)
			   : rows;
}

static void set_buffers(struct gpube__planner *pl, struct gpube__room *room, int kind)
{
	struct gpube__plan *p = pl->p;
	uint64_t dims = 0;

	for (int l = 0; l < p->n_levels[kind]; l++) {
		struct gpube__level *level = &p->level[kind][l];
		const struct gpube__op *op = &p->ops[level->from];

		for (int i = level->from; kind == GPUBE__KIND_C && i < level->to; i++)
			dims |= pl->dims_of[p->ops[i].operand] & p->choice.rows;
		level->direct = l == 0 && level->to - level->from == 1 &&
				gpube__can_be_direct(pl, &p->choice, op);
		if (level->direct) {
			set_direct(pl, room, level, kind);
			continue;
		}
		level->step_i = kind == GPUBE__KIND_A ? p->pad_rows : p->pad_lanes;
		set_rows(pl, room, level, l ? level - 1 : NULL, dims);
		level->step_x = level->step_i * level->n_rows;
		for (int i = level->from; i < level->to; i++) {
			p->ops[i].i = make_axis(room, &p->shape,
				gpube__stride_of(p, p->ops[i].operand), dims, level->n_rows);
			if (level->depth < 0)
				p->setup_cycles += gpube__pack_cycles(p, &p->ops[i]);
		}
		level->buffer = p->scratch_bytes;
		p->scratch_bytes += gpube__padded(level->step_x * p->n_x * p->cell_bytes, 64);
	}
}

static const int64_t *loop_bytes(
	struct gpube__room *room, const struct gpube__plan *p, const struct gpube__op *op)
{
	int64_t *bytes = gpube__take(room, op->depth + 1, sizeof(*bytes));

	for (int l = 0; l <= op->depth; l++)
		bytes[l] = gpube__stride_of(p, op->operand)[p->loop[l].dim] * p->loop[l].by *
			   p->cell_bytes;
	return bytes;
}

static bool set_ops(struct gpube__planner *pl, struct gpube__room *room)
{
	struct gpube__plan *p = pl->p;
	const struct gpube__choice *ch = &p->choice;
	const int n_in = p->shape.n_in;
	signed char *kinds = gpube__take(room, n_in, 1);

	gpube__set_kinds(pl, ch, kinds);
	for (int k = 0; k < n_in; k++) {
		const int64_t *stride = gpube__stride_of(p, k);
		struct gpube__op *op = &p->ops[k];
		const bool is_a = kinds[k] == GPUBE__KIND_A;

		*op = gpube__make_op(pl, ch, k, kinds[k]);
		op->loop_bytes = loop_bytes(room, p, op);
		op->x = make_axis(room, &p->shape, stride, ch->x, p->n_x);
		if (op->mode == GPUBE__LANE_TABLE &&
			!lane_table(room, pl, op, is_a ? ch->rows : ch->lanes,
				is_a ? p->n_rows : p->n_lanes))
			return false;
	}
	sort_ops(p->ops, n_in);
	for (int kind = 0, from = 0; kind < GPUBE__N_KINDS; kind++) {
		int to = from;

		while (to < n_in && p->ops[to].kind == kind)
			to++;
		set_levels(pl, kind, from, to);
		set_buffers(pl, room, kind);
		from = to;
	}
	return true;
}

static void set_output(struct gpube__planner *pl, struct gpube__room *room)
{
	struct gpube__plan *p = pl->p;
	const struct gpube__choice *ch = &p->choice;
	const int64_t tile = gpube__padded(p->n_rows * p->pad_lanes * p->cell_bytes, 64);
	int64_t *rows = gpube__take(room, p->n_rows, sizeof(*rows));
	int64_t *tile_rows = gpube__take(room, p->n_rows, sizeof(*rows));

	p->out_rows = group_table(&p->shape, p->shape.out_stride, ch->rows, p->n_rows, rows);
	p->tile_rows = tile_rows;
	p->aligned_rows = true;
	for (int64_t i = 0; i < p->n_rows; i++) {
		tile_rows[i] = i * p->pad_lanes;
		p->aligned_rows &= rows[i] * p->cell_bytes % 64 == 0;
	}
	p->out_j = make_axis(room, &p->shape, p->shape.out_stride, ch->lanes, p->n_lanes);
	p->arg_x = make_axis(room, &p->shape, p->shape.arg_stride, ch->x, p->n_x);
	p->direct_out = p->kernel == GPUBE__KERNEL_MIN && !p->out_j.table &&
			(p->out_j.step == 1 || p->n_lanes == 1);
	if (!p->direct_out) {
		p->tile_at = p->scratch_bytes;
		p->scratch_bytes += tile;
	}
	if (p->kernel == GPUBE__KERNEL_MIN_ARG) {
		p->extra_at = p->scratch_bytes;
		p->scratch_bytes += tile;
	}
}

/* ---- choosing and setting ------------------------------------------------------ */

bool gpube__plan_choose(struct gpube__plan *p, const struct gpube_contraction *c,
	const struct gpube__kernels *kernels, const struct gpube__shape *shape, void *memory)
{
	struct gpube__room room = {memory};
	struct gpube__planner pl;
	signed char *kinds;
	double joined;

	memset(p, 0, sizeof(*p));
	p->kernels = kernels;
	p->kernel = c->out_arg ? GPUBE__KERNEL_MIN_ARG : GPUBE__KERNEL_MIN;
	p->type = c->type - GPUBE_INT32;
	p->cell_bytes = (int)gpube__type_size(c->type);
	p->w = kernels->vector_bytes / p->cell_bytes;
	planner_init(&pl, p, shape, &room);
	/* pricing one takes about as long as 10000 joined cells */
	joined = (double)shape->n_out_cells * (double)shape->n_reduced / 100000;
	pl.left = joined > 1000 ? 1000 : (shape->n_reduced == 1 ? 6 : 12) + (int)joined;
	gpube__plan_consider(&pl);
	p->choice = pl.best;
	if (!(p->choice.cycles < INFINITY))
		return false;
	kinds = gpube__take(&room, shape->n_in, 1);
	gpube__set_kinds(&pl, &p->choice, kinds);
	gpube__set_loops(&pl, &p->choice, kinds);
	return true;
}

static int64_t tiles_of(const struct gpube__plan *p, double cycles)
{
	const double n = (double)p->n_tiles;

	return 1 + (int64_t)fmin(cycles * n / p->choice.cycles, n);
}

bool gpube__plan_set(struct gpube__plan *p, const struct gpube__shape *shape, void *memory)
{
	struct gpube__room room = {memory};
	struct gpube__planner pl;

	planner_init(&pl, p, shape, &room);
	p->ops = gpube__take(&room, shape->n_in, sizeof(*p->ops));
	p->scratch_bytes = 0;
	p->setup_cycles = 0;
	if (!set_ops(&pl, &room))
		return false;
	set_output(&pl, &room);
	p->shape.stride = NULL; /* the caller's: offsets are all in tables now */
	/*
	 * An item is worth two to twenty microseconds, to be stopped between them, and
	 * more than the sums that every item begins with.
	 */
	p->fewest_tiles = tiles_of(p, fmax(6000, 4 * p->setup_cycles));
	p->most_tiles = tiles_of(p, fmax(60000, 16 * p->setup_cycles));
	return true;
}

/* ---- bounds that hold before there is a plan --------------------------------------------------
 */

static int64_t at_most(int64_t a, int64_t b)
{
	return a < b ? a : b;
}

/* Of a plan whose tiles have so many reduced cells, rows and lanes at most. */
static uint64_t room_of(int64_t n_in, int64_t x, int64_t rows, int64_t lanes)
{
	const int64_t tables = 8 * x + 40 * rows + 20 * (lanes + 64) + 8 * GPUBE_MAX_DIMS + 10 * 64;

	return (uint64_t)(n_in * (8 + 8 + 2 + (int64_t)sizeof(struct gpube__op) + tables) +
			  2 * tables + 10 * 64);
}

uint64_t gpube__plan_room(const struct gpube_contraction *c)
{
	const int64_t joined = gpube__joined_cells(c);

	return room_of(c->n_in, at_most(joined, GPUBE__MAX_X), at_most(joined, GPUBE__MAX_ROWS),
		at_most(joined, GPUBE__MAX_LANES));
}

uint64_t gpube__plan_set_room(const struct gpube__plan *p, const struct gpube__shape *shape)
{
	const int64_t most = p->n_lanes > p->n_rows ? p->n_lanes : p->n_rows;

	return room_of(shape->n_in, p->n_x, p->n_rows, most);
}

uint64_t gpube__plan_most_scratch(const struct gpube_contraction *c)
{
	/* a packed tile has a vector of cells for each joined cell at worst */
	const int64_t packed =
		8 * at_most(at_most(gpube__joined_cells(c), GPUBE__MAX_PACKED) * 16 + 64,
			    GPUBE__MAX_PACKED);
	const int64_t levels = at_most(c->n_in, GPUBE__MAX_LEVELS * GPUBE__N_KINDS);
	const int64_t tile = 8 * at_most(at_most(gpube__joined_cells(c), 1 << 20) * 16 + 64,
					 GPUBE__MAX_ROWS * (GPUBE__MAX_LANES + 16));

	return (uint64_t)(64 + levels * (packed + 64) + 2 * (tile + 64));
}
