/*
 * sum_walk.h - how a card sums products: a job cut into panels, and index arithmetic on it that
 * both compilers take, so that tests execute it without a card.
 *
 * What was weighed. Three shapes matter: one large table among small ones, where bytes are the
 * bound; a product of two large tables, where multiplications are; and many small jobs, where
 * launches are. (1) A thread a cell of the output: reads lie apart where the last axes are summed
 * over, and few outputs leave the card idle. (2) A library's matrix product, after transposing: it
 * moves every table twice more, does one pair of tables, and has to be installed. (3) Panels, as on
 * the CPU, and tiles (sum_tile.h) where two operands share long sums: two kernels for all jobs,
 * each for a batch of them.
 *
 * A panel is made of the job's last axes, those that the output has if they are enough, at most
 * WALK_PANEL cells. A block of threads has one item at a time: one setting of the axes that the
 * output has before the panel. It walks the rest, the axes that are summed over, adding to a number
 * for each cell of the panel; then those that belong to one cell of the output are added. So
 * neighbouring threads read and write neighbouring cells, whichever axes are summed over. Where
 * there are few items, axes of the rest become items, whose partial sums a second job adds: no sum
 * depends on the order in which blocks run.
 */
#ifndef GPUBE_SUM_WALK_H
#define GPUBE_SUM_WALK_H

#include "gpube/ops/sum/sum.h"

enum {
	GPUBE_WALK_IN = 8, /* inputs at most */
	GPUBE_WALK_THREADS = 256,
	GPUBE_WALK_EACH = 4, /* cells of a panel that a thread has */
	GPUBE_WALK_PANEL = GPUBE_WALK_THREADS * GPUBE_WALK_EACH,
	GPUBE_WALK_NEAR = 64,                      /* of the rest, what is walked without looking */
	GPUBE_WALK_MOST_AXES = GPUBE_SUM_AXES + 1, /* one may be cut in two */
};

/* Steps are of the inputs, then of the output. */
struct gpube__walk_axis {
	int64_t dim;
	int64_t step[GPUBE_WALK_IN + 1];
	/* the step when all axes behind it in its group go back to 0 */
	int64_t back[GPUBE_WALK_IN + 1];
};

/*
 * The groups lie behind each other in axis[]: items, far and near rest, panel; in each the last is
 * fastest. A cut axis is one of the items or of the far rest, and the panel's first: it has 'cut_n'
 * values, 'cut_by' of them in a panel.
 */
struct gpube__walk {
	int32_t n_in, n_item, n_far, n_near, n_panel;
	int32_t near, panel;  /* settings, cells */
	int32_t sums, n_sums; /* cells of a panel for one of the output, and such cells */
	int32_t lanes;        /* threads that add one of them */
	int32_t cut;          /* index of an axis; -1: none */
	/* cells of a panel for each of its values, of the output */
	int32_t cut_by, cut_cells, cut_sums;
	int64_t cut_n;
	int64_t items, far, chunk; /* chunk: items of a block */
	const double *in[GPUBE_WALK_IN];
	double *out;
	double by; /* every product is multiplied by it */
	struct gpube__walk_axis axis[GPUBE_WALK_MOST_AXES];
};

/* A plan, and the job that adds the parts of its output, where it has several. */
struct gpube__walk_plan {
	struct gpube__walk walk;
	int64_t parts;    /* 1: the output is written at once */
	int64_t n_out;    /* cells of the output, or of each part */
	double roundings; /* most on the way to a cell, those of adding the parts included */
};

/*
 * gpube__walk_plan() - a plan for a job of one output and at most GPUBE_WALK_IN inputs, with at
 * least so many blocks where there is work for them; 1: the output is written at once. Addresses
 * and 'by' are the caller's.
 */
void gpube__walk_plan(struct gpube__walk_plan *p, const struct gpube_sum_job *job, int blocks);

/* The job that adds the parts of 'in' into 'out', to be planned for 1 block. */
void gpube__walk_add_parts(struct gpube_sum_job *job, struct gpube_sum_operand *from,
	struct gpube_sum_operand *to, int64_t parts, struct gpube_sum_table *in,
	struct gpube_sum_table *out);

/* The bytes of a walk that are used. */
static inline size_t gpube__walk_bytes(const struct gpube__walk *w)
{
	return offsetof(struct gpube__walk, axis) +
	       (size_t)(w->n_item + w->n_far + w->n_near + w->n_panel) * sizeof(w->axis[0]);
}

/* Blocks of a walk. */
static inline int64_t gpube__walk_blocks(const struct gpube__walk *w)
{
	return (w->items + w->chunk - 1) / w->chunk;
}

GPUBE_HD static inline const struct gpube__walk_axis *gpube__walk_far(const struct gpube__walk *w)
{
	return w->axis + w->n_item;
}

GPUBE_HD static inline const struct gpube__walk_axis *gpube__walk_near(const struct gpube__walk *w)
{
	return w->axis + w->n_item + w->n_far;
}

GPUBE_HD static inline const struct gpube__walk_axis *gpube__walk_panel(const struct gpube__walk *w)
{
	return w->axis + w->n_item + w->n_far + w->n_near;
}

/* *i divided by the values of an axis, and the rest; in 32 bits where that will do, for cards. */
GPUBE_HD static inline int64_t gpube__walk_value(int64_t *i, int64_t dim)
{
	const uint32_t low = (uint32_t)*i, by = (uint32_t)dim;
	const int64_t all = *i;

	if (all >> 32 || dim >> 32) {
		*i = all / dim;
		return all % dim;
	}
	*i = low / by;
	return low - low / by * by;
}

/* Where setting i of a group is in an operand. */
GPUBE_HD static inline int64_t gpube__walk_at(
	const struct gpube__walk_axis *axis, int n, int64_t i, int operand)
{
	int64_t at = 0;

	for (int a = n - 1; a >= 0 && i; a--)
		at += gpube__walk_value(&i, axis[a].dim) * axis[a].step[operand];
	return at;
}

/* The values of the axes of setting i. */
GPUBE_HD static inline void gpube__walk_values(
	const struct gpube__walk_axis *axis, int n, int64_t i, int64_t *value)
{
	for (int a = n - 1; a >= 0; a--)
		value[a] = gpube__walk_value(&i, axis[a].dim);
}

/*
 * The next setting; returns the axis whose value has grown, by whose 'back' operands move; -1:
 * none.
 */
GPUBE_HD static inline int gpube__walk_next(
	const struct gpube__walk_axis *axis, int n, int64_t *value)
{
	for (int a = n - 1; a >= 0; a--) {
		if (++value[a] < axis[a].dim)
			return a;
		value[a] = 0;
	}
	return -1;
}

/*
 * A cell of a panel: where it is in each operand, and its place when those of one sum lie together.
 */
struct gpube__walk_cell {
	int32_t at[GPUBE_WALK_IN], out, place;
};

GPUBE_HD static inline void gpube__walk_cell(
	struct gpube__walk_cell *c, const struct gpube__walk *w, int n_in, int32_t i)
{
	const struct gpube__walk_axis *axis = gpube__walk_panel(w);
	int32_t sum = 0, sums = 1, part = 0, parts = 1;

	for (int k = 0; k < n_in; k++)
		c->at[k] = 0;
	c->out = 0;
	for (int a = w->n_panel - 1; a >= 0; a--) {
		const int32_t dim = (int32_t)axis[a].dim, value = i % dim;

		i /= dim;
		for (int k = 0; k < n_in; k++)
			c->at[k] += value * (int32_t)axis[a].step[k];
		if (axis[a].step[GPUBE_WALK_IN]) {
			c->out += value * (int32_t)axis[a].step[GPUBE_WALK_IN];
			sum += value * sums;
			sums *= dim;
		} else {
			part += value * parts;
			parts *= dim;
		}
	}
	c->place = sum * w->sums + part;
}

/* How many cells of a panel there are where the cut axis has this value. */
GPUBE_HD static inline int32_t gpube__walk_cells(const struct gpube__walk *w, int64_t value)
{
	const int64_t left = (w->cut_n - value * w->cut_by) * w->cut_cells;

	return left < w->panel ? (int32_t)left : w->panel;
}

/* The same of the panel's sums, where the output has the cut axis. */
GPUBE_HD static inline int32_t gpube__walk_sums(const struct gpube__walk *w, int64_t value)
{
	const int64_t left = (w->cut_n - value * w->cut_by) * w->cut_sums;

	return left < w->n_sums ? (int32_t)left : w->n_sums;
}

#endif
