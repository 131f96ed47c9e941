/* contract_panel_make.c - from what the search chose to the descriptor (contract_panel.h). */
#include <assert.h>
#include <string.h>

#include "gpube/ops/contract/contract_panel_choice.h"

struct maker {
	const struct gpube__panel_planner *p;
	const struct gpube__panel_choice *c;
	int axis_of[GPUBE_MAX_DIMS]; /* by output dim; -1: the box has one value of it */
};

static uint32_t copy_width(enum gpube__panel_copy how)
{
	return how == PANEL_FOURS ? 4 : how == PANEL_TWOS ? 2 : 1;
}

static uint32_t log_of(int wide)
{
	return wide == 4 ? 2 : wide == 2;
}

/* Lays out a table of these output dims, of which 'first' and 'second' are in registers. */
static void make_table(const struct maker *m, const struct gpube__panel *d,
	struct gpube__panel_table *t, uint64_t dims, int first, int second)
{
	uint32_t combos = 1, n = 1;

	memset(t, 0, sizeof(*t));
	t->first = t->second = -1;
	t->n_second = 1;
	if (first != PANEL_NONE && dims >> m->c->dim[first] & 1) {
		t->first = m->axis_of[m->c->dim[first]];
		n *= d->axis[t->first].cells;
	}
	if (dims >> m->c->dim[second] & 1) {
		t->second = m->axis_of[m->c->dim[second]];
		t->n_second = d->axis[t->second].cells;
		n *= t->n_second;
	}
	t->together = n > 1 ? log_of(gpube__panel_kernels[m->c->kernel].wide) : 0;
	t->by_second = gpube__divisor_of(t->n_second);
	for (int e = m->p->s->n_out - 1; e >= 0; e--)
		if (dims >> e & 1 && m->axis_of[e] >= 0) {
			t->axis[t->n_axes++] = m->axis_of[e];
			t->weight[m->axis_of[e]] = combos << t->together;
			combos *= d->axis[m->axis_of[e]].n;
		}
	t->group = t->stride = combos << t->together;
	t->by_group = gpube__divisor_of(t->group);
	t->cells = combos * n;
	t->row = (t->cells + 3) / 4 * 4;
	if (d->planes) {
		t->stride = d->plane;
		t->row = (t->group + 3) / 4 * 4;
	}
}

static void make_axes(struct gpube__panel *d, struct maker *m)
{
	const struct gpube__shape *s = m->p->s;
	const struct gpube__panel_choice *c = m->c;

	for (int i = 0; i < N_PANEL_PARTS; i++)
		d->part[i] = -1;
	for (int e = s->n_out - 1; e >= 0; e--) {
		struct gpube__panel_axis *a = &d->axis[d->n_axes];
		const int part = part_of(c, e);

		m->axis_of[e] = -1;
		if (!(c->box >> e & 1))
			continue;
		m->axis_of[e] = (int)d->n_axes;
		if (part != PANEL_NONE)
			d->part[part] = (int32_t)d->n_axes;
		a->n = (uint32_t)c->lanes[e];
		a->cells = (uint32_t)tile_size(c, e);
		a->together = part == PANEL_NONE ? 0 : log_of(gpube__panel_kernels[c->kernel].wide);
		a->last = (uint32_t)gpube__smaller(values(c, e), s->size[e]) - 1;
		a->by_n = gpube__divisor_of(a->n);
		d->out[d->n_axes++] = s->out_stride[e];
	}
}

/* A dim of the grid; those in registers come first, so that blocks beside share operands. */
static bool add_grid(struct gpube__panel *d, const struct maker *m, int e)
{
	const struct gpube__shape *s = m->p->s;
	const int64_t step = values(m->c, e), n = gpube__divide_up(s->size[e], step);
	struct gpube__panel_grid *g = &d->grid[d->n_grid];

	if (n == 1)
		return true;
	if (d->n_grid == GPUBE_PANEL_GRID)
		return false;
	*g = (struct gpube__panel_grid){(uint32_t)n, (uint32_t)step, (uint32_t)(s->size[e] - step),
		gpube__divisor_of((uint32_t)n), s->out_stride[e]};
	for (uint32_t k = 0; k < d->n_ops; k++)
		d->op[k].grid[d->n_grid] = (uint32_t)stride_of(m->p, (int)k)[e];
	d->n_grid++;
	return true;
}

static void make_op(struct gpube__panel *d, const struct maker *m, int k)
{
	struct gpube__panel_op *o = &d->op[k];
	const int panel = m->c->panel_of[k];
	int first, second;

	gpube__panel_parts(m->c->kernel, panel < (int)d->n_panels ? panel : 0, &first, &second);
	make_table(m, d, &o->t, m->p->scope[k] & m->c->box, first, second);
	o->order = k;
	o->x = (uint32_t)x_step(m->p, k);
	o->how = m->c->how[k];
	o->width = copy_width(m->c->how[k]);
	o->wide_axis = m->c->wide_dim[k] == PANEL_NONE ? -1 : m->axis_of[m->c->wide_dim[k]];
	o->copies = o->t.cells / o->width;
	/* x side by side are written to different banks */
	if (o->how == PANEL_CELLS_X && d->planes && !o->t.together)
		o->t.row = o->t.group | 1;
	else if ((o->how == PANEL_CELLS_X || o->how == PANEL_FOURS_X) && o->t.row / 4 % 2 == 0)
		o->t.row += 4;
	if (o->how == PANEL_CELLS_X)
		o->side = d->chunk < 32 ? d->chunk : 32;
	else if (o->how == PANEL_FOURS_X) /* two, that is a sector of memory */
		o->side = d->chunk > 4 ? 2 : 1;
	else
		o->side = o->copies < d->threads ? o->copies : d->threads;
	assert(o->side > 0);
	o->n_beside = d->threads / o->side;
	o->by_side = gpube__divisor_of(o->side);
	for (int e = 0; e < m->p->s->n_out; e++)
		if (m->axis_of[e] >= 0)
			o->step[m->axis_of[e]] = (uint32_t)stride_of(m->p, k)[e];
}

static void add_list(struct gpube__panel *d, int op, int panel, uint32_t entries)
{
	d->list[d->n_lists++] = (struct gpube__panel_list){d->n_entries, (int8_t)op, (int8_t)panel};
	d->n_entries += entries;
}

static void make_lists(struct gpube__panel *d)
{
	for (uint32_t k = 0; k < d->n_ops; k++) {
		d->op[k].list = d->n_entries;
		add_list(d, (int)k, -1, d->op[k].copies);
	}
	for (uint32_t i = 0; i < d->n_panels; i++) {
		d->panel[i].list = d->n_entries;
		for (uint32_t k = 0; k < d->panel[i].n; k++)
			add_list(d, d->panel[i].op[k], (int)i, d->panel[i].t.cells);
	}
}

/* Which threads make which copies: whole warps those of one kind, if there are warps enough. */
static void share_passes(struct gpube__panel *d)
{
	uint32_t warps[N_PANEL_COPIES] = {0}, n_kinds = 0, left = d->threads / 32, first = 0;

	for (int i = 0; i < N_PANEL_COPIES; i++)
		n_kinds += d->pass[i].end > d->pass[i].begin;
	for (int i = 0; i < N_PANEL_COPIES && n_kinds <= left; i++)
		warps[i] = d->pass[i].end > d->pass[i].begin;
	for (left -= n_kinds <= left ? n_kinds : left; left > 0; left--) {
		int most = -1;

		for (int i = 0; i < N_PANEL_COPIES; i++)
			if (warps[i] &&
				(most < 0 || (d->pass[i].end - d->pass[i].begin) * warps[most] >
						     (d->pass[most].end - d->pass[most].begin) *
							     warps[i]))
				most = i;
		if (most < 0)
			break;
		warps[most]++;
	}
	for (int i = 0; i < N_PANEL_COPIES; i++) {
		struct gpube__panel_pass *p = &d->pass[i];

		if (p->end == p->begin)
			continue;
		p->threads = warps[i] ? warps[i] * 32 : d->threads;
		p->first = warps[i] ? first : 0;
		first += warps[i] * 32;
		p->side = p->end - p->begin;
		if (i == PANEL_CELLS_X)
			p->side = d->chunk < 32 ? d->chunk : 32;
		if (p->side > p->threads)
			p->side = p->threads;
		p->n_beside = p->threads / p->side;
		p->by_side = gpube__divisor_of(p->side);
	}
}

/* Steps of the output between a thread's cells, which are lanes apart or side by side. */
static void make_stores(struct gpube__panel *d)
{
	d->whole = 1;
	for (uint32_t i = 0; i < d->n_axes; i++)
		d->whole &= d->axis[i].n * d->axis[i].cells == d->axis[i].last + 1;
	for (int i = 0; i < N_PANEL_PARTS; i++)
		if (d->part[i] >= 0) {
			const struct gpube__panel_axis *a = &d->axis[d->part[i]];

			d->out_next[i] = (uint32_t)d->out[d->part[i]];
			d->out_group[i] = (uint32_t)d->out[d->part[i]] * (a->n << a->together);
		}
}

/* The same by planes: copies of one kind have one list for all operands. */
static void lay_out_planes(struct gpube__panel *d, const struct maker *m)
{
	const int terms = d->n_panels == 2 ? 2 : 1;
	int n[4] = {0, 0, 0, 0};

	for (int i = 0; i < GPUBE_PANEL_SLOTS; i++)
		d->slot[i] = -1;
	for (uint32_t k = 0; k < d->n_ops; k++) {
		const int panel = m->c->panel_of[k];

		if (panel == (int)d->n_panels)
			d->slot[GPUBE_PANEL_SLOTS - 1] = (int32_t)k;
		else
			d->slot[panel * terms + n[panel]++] = (int32_t)k;
		d->op[k].at = d->stage;
		d->stage += d->op[k].t.row * d->chunk;
		d->stage = (d->stage + 3) / 4 * 4;
	}
	for (uint32_t how = 0; how < N_PANEL_COPIES; how++) {
		d->pass[how].begin = d->n_entries;
		for (uint32_t k = 0; k < d->n_ops; k++)
			if (d->op[k].how == how) {
				d->op[k].list = d->n_entries;
				add_list(d, (int)k, -1, d->op[k].copies);
			}
		d->pass[how].end = d->n_entries;
	}
	share_passes(d);
	make_stores(d);
	d->lists = d->planes * d->plane;
	d->shared_bytes = 4 * d->lists + 16 * d->n_entries;
}

/* Where everything lies in shared memory. */
static void lay_out(struct gpube__panel *d, const struct maker *m)
{
	const struct gpube__panel_choice *c = m->c;
	uint32_t words = 0;

	for (uint32_t k = 0; k < d->n_ops; k++) {
		d->op[k].at = words;
		words += d->op[k].t.row * d->chunk;
	}
	d->second_buffer = c->two_buffers ? words : 0;
	words += d->second_buffer;
	for (uint32_t i = 0; i < d->n_panels; i++) {
		struct gpube__panel_sum *s = &d->panel[i];
		int first, second;

		gpube__panel_parts(c->kernel, (int)i, &first, &second);
		make_table(m, d, &s->t, c->scope[i], first, second);
		for (uint32_t k = 0; k < d->n_ops; k++)
			if (c->panel_of[k] == (int)i)
				s->op[s->n++] = (uint8_t)k;
		s->at = words;
		s->side = s->t.cells < d->threads ? s->t.cells : d->threads;
		assert(s->side > 0);
		s->n_beside = d->threads / s->side;
		s->by_side = gpube__divisor_of(s->side);
		if (as_copied(m->p, c, (int)i)) {
			s->n = 0;
			s->t = d->op[s->op[0]].t;
			s->at = d->op[s->op[0]].at;
			continue;
		}
		d->has_sums = 1;
		words += s->t.row * d->chunk;
	}
	d->lists = words;
	make_lists(d);
	words += d->n_entries;
	d->shared_bytes = words * 4;
	if (d->shared_bytes < c->shared_bytes)
		d->shared_bytes = (uint32_t)c->shared_bytes;
}

bool gpube__panel_make(struct gpube__panel *d, const struct gpube__panel_planner *p,
	const struct gpube__panel_choice *c, const struct gpube_contraction *from)
{
	const struct gpube__shape *s = p->s;
	struct maker m = {.p = p, .c = c};
	uint32_t at_once;

	memset(d, 0, sizeof(*d));
	d->kernel = c->kernel;
	d->threads = (uint32_t)c->threads;
	d->lanes = (uint32_t)c->n_lanes;
	d->by_lanes = gpube__divisor_of(d->lanes);
	d->groups = (uint32_t)c->groups;
	while (1u << d->groups_shift < d->groups)
		d->groups_shift++;
	d->blocks = (uint32_t)c->blocks;
	d->n_x = (uint32_t)s->n_reduced;
	d->chunk = (uint32_t)c->chunk;
	d->n_ops = (uint32_t)s->n_in;
	d->n_panels = (uint32_t)gpube__panel_kernels[c->kernel].n_panels;
	d->one = 1;
	d->planes = (uint32_t)gpube__panel_kernels[c->kernel].planes;
	if (d->planes)
		d->plane = (uint32_t)gpube__plane_words(c->kernel);
	d->cut = from->cut;
	d->threshold = from->threshold;
	make_axes(d, &m);
	for (uint32_t k = 0; k < d->n_ops; k++)
		make_op(d, &m, (int)k);
	for (int i = 0; i < N_PANEL_PARTS; i++) {
		static const int order[N_PANEL_PARTS] = {PANEL_P, PANEL_V, PANEL_R};

		if (c->dim[order[i]] != PANEL_NONE && !add_grid(d, &m, c->dim[order[i]]))
			return false;
	}
	for (int e = s->n_out - 1; e >= 0; e--)
		if (part_of(c, e) == PANEL_NONE && !add_grid(d, &m, e))
			return false;
	d->out_wide = s->out_stride[c->dim[PANEL_V]] == 1 && s->size[c->dim[PANEL_V]] % 4 == 0 &&
		      gpube__panel_kernels[c->kernel].wide == 4;
	if (d->planes)
		lay_out_planes(d, &m);
	else
		lay_out(d, &m);
	at_once = (uint32_t)p->device->n_sms * (uint32_t)c->at_once;
	d->at_once = d->blocks < at_once ? d->blocks : at_once;
	return d->shared_bytes <= p->device->shared_bytes &&
	       (!d->planes || GPUBE_PLANE_FIRST + 2 * d->stage <= d->plane);
}
