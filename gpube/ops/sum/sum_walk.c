/* sum_walk.c - jobs cut into panels for a card: see sum_walk.h. */
#include "gpube/ops/sum/sum_walk.h"

#include <math.h>
#include <string.h>

enum {
	OUT = GPUBE_WALK_IN,
	LEAST_WORK = 1 << 14, /* cells of an item that are worth cutting */
	MOST_PARTS = 1 << 24, /* cells of all parts together */
	SECTOR = 4,           /* cells that memory gives at once */
	MOST_CHUNK = 32,
	LANES = 32, /* which know an item's axes from one to the next */
};

/* The axes before the panel. */
struct outer {
	struct gpube__walk_axis *axis;
	bool *cut, *item; /* of each */
	int n;
};

static void append(struct gpube__walk_axis *to, int *n, const struct gpube__walk_axis *axis)
{
	to[(*n)++] = *axis;
}

/* Neighbours that every operand steps through as through one become one. */
static int fuse(struct gpube__walk_axis *axis, int n, int n_in, int *cut)
{
	for (int a = n - 2; a >= 0; a--) {
		bool one =
			a != *cut && a + 1 != *cut &&
			axis[a].dim <= INT32_MAX / axis[a + 1].dim && /* a lane counts in 32 bits */
			axis[a].step[OUT] == axis[a + 1].step[OUT] * axis[a + 1].dim;

		for (int k = 0; k < n_in && one; k++)
			one = axis[a].step[k] == axis[a + 1].step[k] * axis[a + 1].dim;
		if (!one)
			continue;
		axis[a + 1].dim *= axis[a].dim;
		memmove(&axis[a], &axis[a + 1], (size_t)(n - a - 1) * sizeof(*axis));
		*cut -= *cut > a;
		n--;
	}
	return n;
}

static void set_back(struct gpube__walk_axis *axis, int n)
{
	for (int k = 0; k <= OUT; k++) {
		int64_t later = 0;

		for (int a = n - 1; a >= 0; a--) {
			axis[a].back[k] = axis[a].step[k] - later;
			later += (axis[a].dim - 1) * axis[a].step[k];
		}
	}
}

static int64_t product(const struct gpube__walk_axis *axis, int n)
{
	int64_t cells = 1;

	for (int a = 0; a < n; a++)
		cells *= axis[a].dim;
	return cells;
}

/* ---- the panel ----------------------------------------------------------------------- */

static void read_axes(struct gpube__walk_axis *axis, const struct gpube_sum_job *job)
{
	for (int a = 0; a < job->n_axes; a++) {
		axis[a] = (struct gpube__walk_axis){.dim = job->dim[a]};
		for (int k = 0; k < job->n_in; k++)
			axis[a].step[k] = job->in[k].stride[a];
		axis[a].step[OUT] = job->out[0].stride[a];
	}
}

/*
 * Whether an axis that is summed over is left to the rest, where it does not tear apart what lies
 * together: then no cells of a panel have to be added to each other.
 */
static bool may_skip(
	const struct gpube__walk_axis *axis, int64_t cells, int64_t skipped, int64_t n_out)
{
	return axis->step[OUT] == 0 && n_out >= GPUBE_WALK_PANEL / 2 &&
	       skipped * axis->dim <= GPUBE_WALK_NEAR &&
	       (cells >= SECTOR || skipped * axis->dim <= SECTOR);
}

/* As much of an axis as the panel has room for; what is left of it becomes the axis. */
static void take_piece(struct gpube__walk *w, struct gpube__walk_axis *piece,
	struct gpube__walk_axis *axis, int64_t cells, int64_t sums)
{
	const int64_t most = GPUBE_WALK_PANEL / cells, pieces = (axis->dim + most - 1) / most;
	const int64_t by = (axis->dim + pieces - 1) / pieces;

	w->cut_by = (int32_t)by;
	w->cut_n = axis->dim;
	w->cut_cells = (int32_t)cells;
	w->cut_sums = (int32_t)sums;
	*piece = *axis;
	piece->dim = by;
	axis->dim = (axis->dim + by - 1) / by;
	for (int k = 0; k <= OUT; k++)
		axis->step[k] *= by;
}

/*
 * Takes axes from the last one on, the last of them in pieces if need be; those left move up, and
 * are counted.
 */
static int take_panel(struct gpube__walk *w, struct gpube__walk_axis *panel,
	struct gpube__walk_axis *axis, bool *cut, int n, int64_t n_out)
{
	struct gpube__walk_axis taken[GPUBE_WALK_MOST_AXES], left[GPUBE_SUM_AXES];
	int64_t cells = 1, sums = 1, skipped = 1;
	bool is_full = false;
	int n_taken = 0, n_left = 0, cut_at = -1;

	for (int a = n - 1; a >= 0; a--) {
		struct gpube__walk_axis *x = &axis[a], *piece = &taken[n_taken];

		if (is_full || may_skip(x, cells, skipped, n_out)) {
			skipped *= x->step[OUT] ? 1 : x->dim;
			append(left, &n_left, x);
			continue;
		}
		*piece = *x;
		is_full = cells * x->dim > GPUBE_WALK_PANEL;
		if (is_full) {
			if (GPUBE_WALK_PANEL / cells >= 2 && cells < GPUBE_WALK_PANEL / 2) {
				take_piece(w, piece, x, cells, sums);
				cut_at = n_left;
			}
			append(left, &n_left, x);
			if (cut_at < 0)
				continue;
		}
		cells *= piece->dim;
		sums *= piece->step[OUT] ? piece->dim : 1;
		n_taken++;
	}
	w->panel = (int32_t)cells;
	w->n_sums = (int32_t)sums;
	w->sums = (int32_t)(cells / sums);
	w->n_panel = n_taken;
	for (int k = 0; k < n_taken; k++)
		panel[k] = taken[n_taken - 1 - k];
	for (int k = 0; k < n_left; k++) {
		axis[k] = left[n_left - 1 - k];
		cut[k] = n_left - 1 - k == cut_at;
	}
	return n_left;
}

/* ---- items and the rest -------------------------------------------------------------- */

/* Axes of the rest become items until there are enough; the parts' cells lie behind each other. */
static void take_parts(struct gpube__walk_plan *p, struct outer *o, int blocks)
{
	int64_t items = 1, rest = 1, step = p->n_out;

	for (int a = 0; a < o->n; a++) {
		o->item[a] = o->axis[a].step[OUT] != 0;
		*(o->item[a] ? &items : &rest) *= o->axis[a].dim;
	}
	p->parts = 1;
	for (int a = 0; a < o->n && items < blocks && rest * p->walk.panel >= LEAST_WORK; a++) {
		const int64_t dim = o->axis[a].dim;

		if (o->item[a] || dim > MOST_PARTS / p->n_out / p->parts)
			continue;
		o->item[a] = true;
		items *= dim;
		rest /= dim;
		p->parts *= dim;
	}
	for (int a = o->n - 1; a >= 0; a--)
		if (o->item[a] && o->axis[a].step[OUT] == 0) {
			o->axis[a].step[OUT] = step;
			step *= o->axis[a].dim;
		}
}

static int largest_input(const struct gpube_sum_job *job)
{
	int largest = 0;

	for (int k = 1; k < job->n_in; k++)
		if (job->in[k].table->n > job->in[largest].table->n)
			largest = k;
	return largest;
}

/*
 * What the largest table does not have varies fastest, so that it is read from memory once; of the
 * rest the cut axis is slowest, for it has to be looked at.
 */
static void sort_groups(struct gpube__walk *w, const struct outer *o, int largest)
{
	struct gpube__walk_axis *to = w->axis;
	int n = 0, first;
	int64_t near = 1;

	w->cut = -1;
	for (int has = 1; has >= 0; has--)
		for (int a = 0; a < o->n; a++)
			if (o->item[a] && (o->axis[a].step[largest] != 0) == has) {
				w->cut = o->cut[a] ? n : w->cut;
				append(to, &n, &o->axis[a]);
			}
	w->n_item = n;
	for (int cut = 1; cut >= 0; cut--)
		for (int a = 0; a < o->n; a++)
			if (!o->item[a] && o->cut[a] == cut) {
				w->cut = cut ? n : w->cut;
				append(to, &n, &o->axis[a]);
			}
	for (first = n; first > w->n_item && first - 1 != w->cut; first--) {
		if (near * to[first - 1].dim > GPUBE_WALK_NEAR)
			break;
		near *= to[first - 1].dim;
	}
	w->n_far = first - w->n_item;
	w->n_near = n - first;
	w->near = (int32_t)near;
}

/* Each group by itself, then all moved together; the cut axis stays what it is. */
static void close_groups(struct gpube__walk *w, const struct gpube__walk_axis *panel)
{
	struct gpube__walk_axis *from = w->axis, *to = w->axis;
	int *const size[] = {&w->n_item, &w->n_far, &w->n_near};
	const int at = w->cut;
	int none = -1;

	w->items = product(w->axis, w->n_item);
	w->far = product(w->axis + w->n_item, w->n_far);
	for (int g = 0; g < 3; g++) {
		const int n = *size[g];
		const bool has_cut = at >= from - w->axis && at < from - w->axis + n;
		int cut = has_cut ? (int)(at - (from - w->axis)) : -1;

		memmove(to, from, (size_t)n * sizeof(*to));
		*size[g] = fuse(to, n, w->n_in, &cut);
		set_back(to, *size[g]);
		if (has_cut)
			w->cut = (int)(to - w->axis) + cut;
		from += n;
		to += *size[g];
	}
	memcpy(to, panel, (size_t)w->n_panel * sizeof(*to));
	w->n_panel = fuse(to, w->n_panel, w->n_in, &none);
}

static double roundings_of(const struct gpube__walk *w)
{
	return w->n_in + 1 + (double)w->far * w->near +
	       (w->sums > 1 ? ceil((double)w->sums / w->lanes) + log2(w->lanes) : 0);
}

void gpube__walk_plan(struct gpube__walk_plan *p, const struct gpube_sum_job *job, int blocks)
{
	struct gpube__walk_axis axis[GPUBE_SUM_AXES], panel[GPUBE_WALK_MOST_AXES];
	bool cut[GPUBE_SUM_AXES], item[GPUBE_SUM_AXES];
	struct outer o = {axis, cut, item, 0};
	struct gpube__walk *w = &p->walk;

	memset(p, 0, offsetof(struct gpube__walk_plan, walk.axis));
	w->n_in = job->n_in;
	read_axes(axis, job);
	p->n_out = job->out[0].table->n;
	o.n = take_panel(w, panel, axis, cut, job->n_axes, p->n_out);
	take_parts(p, &o, blocks);
	sort_groups(w, &o, largest_input(job));
	close_groups(w, panel);
	for (w->lanes = 1; w->lanes < 32 && w->lanes < w->sums &&
			   2 * w->lanes * w->n_sums <= GPUBE_WALK_THREADS;)
		w->lanes *= 2;
	w->chunk = w->items / (4 * (int64_t)blocks);
	w->chunk = w->chunk < 1 || w->n_item > LANES ? 1
		   : w->chunk > MOST_CHUNK           ? MOST_CHUNK
						     : w->chunk;
	w->by = 1;
	p->roundings = roundings_of(w);
	if (p->parts > 1) {
		struct gpube_sum_table none = {.n = p->n_out * p->parts}, sum = {.n = p->n_out};
		struct gpube_sum_operand from, to;
		struct gpube_sum_job add;
		struct gpube__walk_plan adding;

		gpube__walk_add_parts(&add, &from, &to, p->parts, &none, &sum);
		gpube__walk_plan(&adding, &add, 1);
		p->roundings += adding.roundings;
	}
}

void gpube__walk_add_parts(struct gpube_sum_job *job, struct gpube_sum_operand *from,
	struct gpube_sum_operand *to, int64_t parts, struct gpube_sum_table *in,
	struct gpube_sum_table *out)
{
	*from = (struct gpube_sum_operand){.table = in};
	*to = (struct gpube_sum_operand){.table = out};
	*job = (struct gpube_sum_job){.n_axes = 2, .n_in = 1, .in = from, .n_out = 1, .out = to};
	job->dim[0] = parts;
	job->dim[1] = out->n;
	from->stride[0] = out->n;
	from->stride[1] = to->stride[1] = 1;
	if (out->n == 1) /* an axis of one value would be summed over as well as not */
		job->n_axes = 1;
}
