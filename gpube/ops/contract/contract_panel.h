/*
 * contract_panel.h - contractions as products of panels on the GPU: the descriptor and its index
 * arithmetic, written once for the planner, the kernels and the CPU test that executes a plan as
 * the kernels would.
 *
 * A block computes a box of output cells, a thread a tile of P x V or P x R x V of them in
 * registers, each along one output dim. What many operands cost in the loop over x is paid once a
 * box instead: they are added up, in shared memory, to the few tables that the loop reads, called
 * panels as in a matrix product (Goto and van de Geijn 2008):
 *   P x V      two panels, one of the operands with p, one of those with v:
 *              an add-min per joined cell and nothing else
 *   P x R x V  three, by the pairs pr, rv and pv, for operands that meet in a triangle:
 *              an addition and an add-min
 * An operand with none of these dims joins the panel that it makes least larger. Of each operand a
 * block copies what its box needs, in chunks along x, while it works on the chunk before. Where a
 * box has few lanes, several groups of threads share x among them and the best of theirs is taken.
 *
 * Kernels by planes (contract_plane.cu) have no panels but the operands as copied, at most two to
 * a panel and one without register dims, and add them up in registers; P x V kernels of one operand
 * a panel add nothing up, and read no operand without register dims. Shared memory is cut into
 * planes of a size that the kernel was compiled with: register cell i of every operand lies in
 * plane i, so that one address an operand serves all of a thread's reads of an x.
 *
 * Boxes lie side by side; one that would pass the end of its dim is moved back so that it ends with
 * it, and cells that two boxes share are computed twice. Where the box is longer than the dim,
 * cells are read from the dim's last value, computed, and not stored.
 *
 * Tables of 2^32 cells and more. A box's first cells have 64 bits, and so has where an x or a chunk
 * of them begins; what lies within a box has 32, which the planner sees to. Cutting the contraction
 * into parts instead takes nothing from how far a box reaches along x, which is the slowest dim of a
 * bucket's messages, however few values of an output dim a part has (see contract_direct.h).
 */
#ifndef GPUBE_OPS_CONTRACT_PANEL_H
#define GPUBE_OPS_CONTRACT_PANEL_H

#include "gpube/ops/contract/boxes/contract_box.h"

#define GPUBE_PANEL_OPS     8  /* operands */
#define GPUBE_PANEL_TERMS   4  /* operands of a panel */
#define GPUBE_PANEL_AXES    6  /* dims of a box */
#define GPUBE_PANEL_GRID    16 /* dims of the grid */
#define GPUBE_PANEL_LISTS   20 /* see gpube__panel_entry() */
#define GPUBE_PANEL_GROUPS  8  /* groups of threads along x */
#define GPUBE_PANEL_THREADS 256
#define GPUBE_PANEL_SLOTS   5 /* operands that a kernel by planes adds up, see 'slot' */
#define GPUBE_PLANE_FIRST   4 /* words of a plane before the copies, which are 0 */

/* In PANEL_8X8_APART a lane's cells lie apart and the same cell of all lanes together. */
enum gpube__panel_kernel {
	PANEL_8X8,
	PANEL_8X8_APART,
	PANEL_4X8,
	PANEL_10X10,
	PANEL_4X4X4,
	PLANE_8X8, /* of one operand a panel */
	PLANE_8X8_SUMS,
	PLANE_7X7_SUMS,
	PLANE_5X10_SUMS,
	PLANE_5X10,
	PLANE_4X4X4,
	PLANE_4X4X4_HALF, /* two blocks of half as many threads */
	N_PANEL_KERNELS,
};

#define GPUBE_ANY_PANELS ((1u << N_PANEL_KERNELS) - 1)
#define GPUBE_BY_PLANES  (GPUBE_ANY_PANELS & ~((1u << PLANE_8X8) - 1))

/* Words of a plane; with the lists they take shared memory, of which blocks have equal parts. */
#define GPUBE_PLANE_WORDS(planes, blocks) (((blocks) == 1 ? 51200 : 24960) / (planes) / 4 * 4)

/* How an operand is copied: single cells, side by side along x or not; or two or four. */
enum gpube__panel_copy {
	PANEL_CELLS,
	PANEL_CELLS_X,
	PANEL_FOURS,
	PANEL_FOURS_X,
	PANEL_TWOS, /* by planes alone */
	N_PANEL_COPIES,
};

/* Which register dim: an axis' part, and bits of what an operand depends on. */
enum { PANEL_P, PANEL_R, PANEL_V, N_PANEL_PARTS, PANEL_NONE = -1 };

struct gpube__panel_kernel_info {
	int size[N_PANEL_PARTS]; /* cells of a thread's tile along P, R and V */
	int wide;                /* that many cells of a panel lie together */
	int n_panels;
	int threads, sm_threads; /* most of a block; of a multiprocessor, by the registers */
	int planes, terms;       /* 0: not by planes; operands of a panel */
};

extern const struct gpube__panel_kernel_info gpube__panel_kernels[N_PANEL_KERNELS];

/* Words of a plane of this kernel. */
static inline int gpube__plane_words(enum gpube__panel_kernel kernel)
{
	const struct gpube__panel_kernel_info *k = &gpube__panel_kernels[kernel];

	return GPUBE_PLANE_WORDS(k->planes, k->sm_threads / k->threads);
}

/* The register dims of a panel; its last cells along 'second' lie together. */
static inline void gpube__panel_parts(
	enum gpube__panel_kernel kernel, int panel, int *first, int *second)
{
	static const int pair[3][2] = {{PANEL_P, PANEL_R}, {PANEL_R, PANEL_V}, {PANEL_P, PANEL_V}};

	*first = gpube__panel_kernels[kernel].n_panels == 3 ? pair[panel][0] : PANEL_NONE;
	*second = gpube__panel_kernels[kernel].n_panels == 3 ? pair[panel][1]
		  : panel == 0                               ? PANEL_P
							     : PANEL_V;
}

/* A dim of the box: n lanes, each with 'cells' values, 1 << 'together' of them side by side. */
struct gpube__panel_axis {
	uint32_t n, cells, together;
	uint32_t last; /* value of a box, from its first, that is in the dim */
	struct gpube__divisor by_n;
};

/*
 * A table in shared memory, for one x: the cells that one thread reads lie in groups of
 * 1 << 'together', a group's threads side by side. Either an operand as it was copied, or a panel.
 */
struct gpube__panel_table {
	uint32_t cells, row;      /* words of one x; from one x to the next */
	uint32_t together, group; /* words of a group: its cells times the lanes */
	uint32_t stride;          /* from one group to the next */
	struct gpube__divisor by_group, by_second;
	uint32_t n_second;     /* cell r of a thread is that of (r / n_second, r % n_second) */
	int32_t first, second; /* axes; -1: none */
	uint32_t n_axes;
	int32_t axis[GPUBE_PANEL_AXES];    /* those of its scope, in the order of their lanes */
	uint32_t weight[GPUBE_PANEL_AXES]; /* by axis: from one lane to the next; 0: not in scope */
};

/* An operand. */
struct gpube__panel_op {
	struct gpube__panel_table t;
	uint32_t x;                      /* cells of memory from one x to the next */
	uint32_t step[GPUBE_PANEL_AXES]; /* to the next value */
	uint32_t grid[GPUBE_PANEL_GRID]; /* to the next box's first value is step * this */
	uint32_t at;                     /* words of shared memory, in a buffer */
	uint32_t list;                   /* first entry of its list: offset of each copy of one x */
	uint32_t copies, width;  /* of one x, or of four in PANEL_FOURS_X; cells of a table's row */
	uint32_t how;            /* enum gpube__panel_copy */
	uint32_t side, n_beside; /* threads side by side along x or copies, and such rows of them */
	struct gpube__divisor by_side;
	int32_t wide_axis; /* whose values a copy of several has; -1: none */
	int32_t order;     /* the contraction's operand that it is */
};

struct gpube__panel_sum {
	struct gpube__panel_table t;
	uint32_t at;   /* words of shared memory; where n is 0, in a buffer */
	uint32_t list; /* first entry of its n lists: place in the term of what is added to each
			  cell */
	uint32_t side, n_beside; /* threads side by side along its cells, and such rows of them */
	struct gpube__divisor by_side;
	uint32_t n; /* terms; 0: it is the operand op[0] as copied */
	uint8_t op[GPUBE_PANEL_TERMS];
};

/* The copies of one kind of all operands, of a kernel by planes. */
struct gpube__panel_pass {
	uint32_t begin, end;     /* entries */
	uint32_t first, threads; /* that make them */
	uint32_t side, n_beside; /* threads side by side along x or copies, and such rows of them */
	struct gpube__divisor by_side;
};

/* One of the lists that a block makes before it begins: those of copies, then those of terms. */
struct gpube__panel_list {
	uint32_t begin;
	int8_t op, panel; /* panel -1: copies of the operand */
};

struct gpube__panel_grid {
	uint32_t n, step;
	uint32_t most; /* first value of the last box */
	struct gpube__divisor by_n;
	int64_t out;
};

/* A plan: everything but the operands' addresses. */
struct gpube__panel {
	uint32_t kernel, threads, lanes, blocks;
	uint32_t groups, groups_shift; /* 1 << groups_shift of them */
	uint32_t at_once;              /* blocks of threads: each does every so-manieth box */
	struct gpube__divisor by_lanes;
	uint32_t n_x, chunk;
	uint32_t n_ops, n_panels, n_axes, n_grid, n_lists, n_entries;
	uint32_t second_buffer, lists; /* words of shared memory before these */
	uint32_t shared_bytes, has_sums;
	uint32_t out_wide;           /* V's cells are stored four at a time */
	int32_t one;                 /* 1, which the compiler does not know */
	int32_t part[N_PANEL_PARTS]; /* axis of each; -1: none */
	int64_t cut, threshold;
	struct gpube__panel_axis axis[GPUBE_PANEL_AXES];
	int64_t out[GPUBE_PANEL_AXES];
	struct gpube__panel_grid grid[GPUBE_PANEL_GRID];
	struct gpube__panel_list list[GPUBE_PANEL_LISTS];
	struct gpube__panel_sum panel[3];
	struct gpube__panel_op op[GPUBE_PANEL_OPS];
	/* by planes: how many, of how many words, and those of a buffer in a plane; the operands of
	 * each panel, one after the other, then the one without register dims; -1: none */
	uint32_t planes, plane, stage;
	uint32_t whole; /* no cell is past the end of its dim */
	/* of the output: from a register cell to the next one together, or of the next group */
	uint32_t out_next[N_PANEL_PARTS], out_group[N_PANEL_PARTS];
	int32_t slot[GPUBE_PANEL_SLOTS];
	struct gpube__panel_pass pass[N_PANEL_COPIES];
};

/* Box number 'block': cells before its first one in operand k, or in the output (k < 0). */
GPUBE_HD static inline int64_t gpube__panel_start(
	const struct gpube__panel *d, int k, uint32_t block)
{
	int64_t offset = 0;

	for (uint32_t i = 0; i < d->n_grid; i++) {
		const struct gpube__panel_grid *g = &d->grid[i];
		const uint32_t rest = gpube__quotient(block, g->by_n);
		const uint32_t value = (block - rest * g->n) * g->step;

		offset += (int64_t)(value < g->most ? value : g->most) *
			  (k < 0 ? g->out : (int64_t)d->op[k].grid[i]);
		block = rest;
	}
	return offset;
}

/* i / n, also for an n of 1, of which there is no reciprocal. */
GPUBE_HD static inline uint32_t gpube__panel_split(
	uint32_t i, uint32_t n, struct gpube__divisor by_n)
{
	return n == 1 ? i : gpube__quotient(i, by_n);
}

/* Value of register cell r of lane 'at' along an axis. */
GPUBE_HD static inline uint32_t gpube__panel_value(
	const struct gpube__panel_axis *a, uint32_t at, uint32_t r)
{
	const uint32_t group = r >> a->together;

	return ((group * a->n + at) << a->together) + (r - (group << a->together));
}

/* Lane number 'lane' of the box, along each axis. */
GPUBE_HD static inline void gpube__panel_lane(
	const struct gpube__panel *d, uint32_t lane, uint32_t *at)
{
	for (uint32_t i = 0; i < GPUBE_PANEL_AXES; i++) {
		at[i] = 0;
		if (i < d->n_axes) {
			const uint32_t rest =
				gpube__panel_split(lane, d->axis[i].n, d->axis[i].by_n);

			at[i] = lane - rest * d->axis[i].n;
			lane = rest;
		}
	}
}

/* Place of a lane's first cell in a table. */
GPUBE_HD static inline uint32_t gpube__panel_place(
	const struct gpube__panel_table *t, const uint32_t *at)
{
	uint32_t place = 0;

	for (uint32_t i = 0; i < GPUBE_PANEL_AXES; i++)
		place += at[i] * t->weight[i];
	return place;
}

/* From the first cell of a lane to its register cell r. */
GPUBE_HD static inline uint32_t gpube__panel_reg(const struct gpube__panel_table *t, uint32_t r)
{
	const uint32_t group = r >> t->together;

	return group * t->stride + (r - (group << t->together));
}

/*
 * The lane, among those of the table, whose cell is number 'place', in the order in which they lie;
 * *r: which one of its cells.
 */
GPUBE_HD static inline uint32_t gpube__panel_cell(
	const struct gpube__panel_table *t, uint32_t place, uint32_t *r)
{
	const uint32_t group = gpube__panel_split(place, t->group, t->by_group);
	const uint32_t rest = place - group * t->group, lane = rest >> t->together;

	*r = (group << t->together) + (rest - (lane << t->together));
	return lane;
}

/* Where cell number 'place' lies: words from the first one. */
GPUBE_HD static inline uint32_t gpube__panel_word(
	const struct gpube__panel_table *t, uint32_t place)
{
	const uint32_t group = gpube__panel_split(place, t->group, t->by_group);

	return group * t->stride + (place - group * t->group);
}

/* Offset in memory, from the box's first cell, of what is cell number 'place' of operand k. */
GPUBE_HD static inline uint32_t gpube__panel_offset(
	const struct gpube__panel *d, int k, uint32_t place)
{
	const struct gpube__panel_op *o = &d->op[k];
	uint32_t r, lane = gpube__panel_cell(&o->t, place, &r), offset = 0;
	const uint32_t first = gpube__panel_split(r, o->t.n_second, o->t.by_second);
	const uint32_t second = r - first * o->t.n_second;

	for (uint32_t i = 0; i < o->t.n_axes; i++) {
		const int32_t axis = o->t.axis[i];
		const struct gpube__panel_axis *a = &d->axis[axis];
		const uint32_t next = gpube__panel_split(lane, a->n, a->by_n);
		const uint32_t reg = axis == o->t.first ? first : axis == o->t.second ? second : 0;
		const uint32_t value = gpube__panel_value(a, lane - next * a->n, reg);
		const uint32_t end = a->last - (axis == o->wide_axis ? o->width - 1 : 0);

		offset += (value < end ? value : end) * o->step[axis];
		lane = next;
	}
	return offset;
}

/* Place in operand k of what is added to 'place' of a panel. */
GPUBE_HD static inline uint32_t gpube__panel_term(
	const struct gpube__panel *d, const struct gpube__panel_table *panel, int k, uint32_t place)
{
	const struct gpube__panel_table *t = &d->op[k].t;
	uint32_t r, lane = gpube__panel_cell(panel, place, &r), sum = 0;
	const uint32_t first = gpube__panel_split(r, panel->n_second, panel->by_second);
	const uint32_t second = r - first * panel->n_second;

	for (uint32_t i = 0; i < panel->n_axes; i++) {
		const struct gpube__panel_axis *a = &d->axis[panel->axis[i]];
		const uint32_t next = gpube__panel_split(lane, a->n, a->by_n);

		sum += (lane - next * a->n) * t->weight[panel->axis[i]];
		lane = next;
	}
	return sum + gpube__panel_reg(t, (t->first >= 0 ? first * t->n_second : 0) +
						 (t->second >= 0 ? second : 0));
}

/* Entry i of the lists, which is in list number 'list'. */
GPUBE_HD static inline uint32_t gpube__panel_entry(
	const struct gpube__panel *d, uint32_t i, uint32_t list)
{
	const struct gpube__panel_list *l = &d->list[list];

	if (l->panel >= 0)
		return gpube__panel_term(d, &d->panel[l->panel].t, l->op, i - l->begin);
	return gpube__panel_offset(d, l->op, (i - l->begin) * d->op[l->op].width);
}

/*
 * gpube__panel_plan() - the panels with the least predicted cost.
 * cycles    out: predicted cycles of the device, from the launch to the end
 * kernels   the bits of those that may be taken, GPUBE_ANY_PANELS for all
 * Returns false where there is no kernel for it: (min,+) of 4 bytes, without arguments and with
 * at most one reduced dim, of operands that fit P x V or P x R x V.
 */
bool gpube__panel_plan(struct gpube__panel *d, double *cycles,
	const struct gpube__box_device *device, uint32_t kernels, const struct gpube_contraction *c,
	const struct gpube__shape *s);

#endif
