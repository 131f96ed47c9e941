/* contract_panel_choice.h - between contract_panel_plan.c and contract_panel_make.c. */
#ifndef GPUBE_OPS_CONTRACT_PANEL_CHOICE_H
#define GPUBE_OPS_CONTRACT_PANEL_CHOICE_H

#include "gpube/ops/contract/contract_panel.h"

/* What the search chooses, and what follows from it. */
struct gpube__panel_choice {
	enum gpube__panel_kernel kernel;
	int dim[N_PANEL_PARTS]; /* output dims */
	int64_t lanes[GPUBE_MAX_DIMS];
	int panel_of[GPUBE_PANEL_OPS]; /* by planes, of one without register dims: n_panels */
	uint64_t scope[3];             /* output dims of each panel, in the box */
	uint64_t box;                  /* output dims of which the box has several values */
	int64_t n_lanes, groups, chunk, threads, blocks;
	int64_t cells[GPUBE_PANEL_OPS];
	enum gpube__panel_copy how[GPUBE_PANEL_OPS];
	int wide_dim[GPUBE_PANEL_OPS]; /* whose values a copy of several has */
	int64_t panel_cells[3];
	int terms[3];
	bool two_buffers; /* of copies */
	double shared_bytes;
	double at_once;  /* boxes of a multiprocessor */
	double staged;   /* slots of a block for one x, besides the joined cells */
	double entries;  /* of the lists */
	double l2_bytes; /* of a block */
	double cost;
};

struct gpube__panel_planner {
	const struct gpube__shape *s;
	const struct gpube__box_device *device;
	bool is_float;
	bool large; /* some table has more cells than 32 bits count */
	uint32_t kernels; /* bits of those that may be taken */
	uint64_t scope[GPUBE_PANEL_OPS];
	double cells, bytes;
};

static inline const int64_t *stride_of(const struct gpube__panel_planner *p, int k)
{
	return p->s->stride + k * p->s->ld;
}

static inline int64_t x_step(const struct gpube__panel_planner *p, int k)
{
	return p->s->n_dims > p->s->n_out ? stride_of(p, k)[p->s->n_out] : 0;
}

static inline int part_of(const struct gpube__panel_choice *c, int d)
{
	for (int i = 0; i < N_PANEL_PARTS; i++)
		if (c->dim[i] == d)
			return i;
	return PANEL_NONE;
}

/* Cells of a thread along output dim d. */
static inline int64_t tile_size(const struct gpube__panel_choice *c, int d)
{
	const int part = part_of(c, d);

	return part == PANEL_NONE ? 1 : gpube__panel_kernels[c->kernel].size[part];
}

/* Values of the box along d. */
static inline int64_t values(const struct gpube__panel_choice *c, int d)
{
	return c->lanes[d] * tile_size(c, d);
}

static inline int64_t n_tiles(
	const struct gpube__panel_planner *p, const struct gpube__panel_choice *c, int d)
{
	return gpube__divide_up(p->s->size[d], tile_size(c, d));
}

static inline uint64_t bit(int d)
{
	return d < 0 ? 0 : (uint64_t)1 << d;
}

/* Whether panel i is its only operand as copied. */
static inline bool as_copied(
	const struct gpube__panel_planner *p, const struct gpube__panel_choice *c, int i)
{
	if (gpube__panel_kernels[c->kernel].planes)
		return true;
	if (c->terms[i] != 1)
		return false;
	for (int k = 0; k < p->s->n_in; k++)
		if (c->panel_of[k] == i)
			return (p->scope[k] & c->box) == c->scope[i];
	return false;
}

/* What is staged for a box: c->staged, entries and l2_bytes. */
void gpube__panel_price_staging(
	const struct gpube__panel_planner *p, struct gpube__panel_choice *c);

/* Bytes of operand k, or of the output (k < 0), that lie together in a box. */
double gpube__panel_run_bytes(
	const struct gpube__panel_planner *p, const struct gpube__panel_choice *c, int k);

/* Bytes of memory, and what it takes besides where they lie in short runs. */
double gpube__panel_memory_bytes(
	const struct gpube__panel_planner *p, const struct gpube__panel_choice *c);

/* By planes: sets the chunk and the predicted cycles of the device, or INFINITY. */
void gpube__plane_price(const struct gpube__panel_planner *p, struct gpube__panel_choice *c);

/* The descriptor. Returns false where a number does not fit its field. */
bool gpube__panel_make(struct gpube__panel *d, const struct gpube__panel_planner *p,
	const struct gpube__panel_choice *c, const struct gpube_contraction *from);

#endif
