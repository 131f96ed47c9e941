/*
 * index.h - the canonical form of a contraction, and index arithmetic on it;
 * shared by the CPU and the CUDA implementation.
 *
 * Canonical: dims of one value are gone; reduced dims that occur in no operand
 * are gone (they only repeat every joined cell 'repeat' times); neighbouring
 * dims that every table steps through as through one are fused into one. The
 * order of the dims stays. Offsets are in cells, 64 bits.
 */
#ifndef GPUBE_OPS_INDEX_H
#define GPUBE_OPS_INDEX_H

#include "gpube/ops/ops.h"

struct gpube__shape {
	int n_out, n_dims, n_in;
	int64_t size[GPUBE_MAX_DIMS];
	int64_t out_stride[GPUBE_MAX_DIMS]; /* 0: reduced */
	int64_t arg_stride[GPUBE_MAX_DIMS]; /* of the index over reduced dims; 0: output dim */
	int64_t n_out_cells, n_reduced;     /* products; n_reduced without 'repeat' */
	int64_t repeat;                     /* product of the reduced dims in no operand */
	int ld;                             /* row length of 'stride' */
	/* n_in rows: step of operand k in dim d at [k * ld + d]; 0: not in scope */
	int64_t *stride;
};

/* Cells of the joined table, or -1 past INT64_MAX. */
GPUBE_HD static inline int64_t gpube__joined_cells(const struct gpube_contraction *c)
{
	int64_t cells = 1;

	for (int d = 0; d < c->n_dims; d++) {
		if (cells > INT64_MAX / c->sizes[d])
			return -1;
		cells *= c->sizes[d];
	}
	return cells;
}

/* Cells of operand k. */
GPUBE_HD static inline int64_t gpube__operand_cells(const struct gpube_contraction *c, int k)
{
	int64_t cells = 1;

	for (int i = 0; i < c->in[k].n_dims; i++)
		cells *= c->sizes[c->in[k].dims[i]];
	return cells;
}

GPUBE_HD static inline int gpube__dim_occurs(const struct gpube_contraction *c, int32_t dim)
{
	for (int k = 0; k < c->n_in; k++)
		for (int i = 0; i < c->in[k].n_dims; i++)
			if (c->in[k].dims[i] == dim)
				return 1;
	return 0;
}

/* May dim d+1 be one with dim d? Arguments matter only when 'with_arg'. */
GPUBE_HD static inline int gpube__shape_fusible(const struct gpube__shape *s, int d, int with_arg)
{
	const int64_t n = s->size[d + 1];

	if ((d < s->n_out) != (d + 1 < s->n_out) || s->out_stride[d] != s->out_stride[d + 1] * n)
		return 0;
	if (s->size[d] > INT32_MAX / n) /* plans count the values of a dim in 32 bits */
		return 0;
	if (with_arg && s->arg_stride[d] != s->arg_stride[d + 1] * n)
		return 0;
	for (int k = 0; k < s->n_in; k++)
		if (s->stride[k * s->ld + d] != s->stride[k * s->ld + d + 1] * n)
			return 0;
	return 1;
}

/* Fuses dim d+1 into dim d. */
GPUBE_HD static inline void gpube__shape_fuse(struct gpube__shape *s, int d)
{
	const int64_t size = s->size[d] * s->size[d + 1];

	s->n_out -= d < s->n_out;
	s->n_dims--;
	for (int e = d; e < s->n_dims; e++) {
		s->size[e] = s->size[e + 1];
		s->out_stride[e] = s->out_stride[e + 1];
		s->arg_stride[e] = s->arg_stride[e + 1];
		for (int k = 0; k < s->n_in; k++)
			s->stride[k * s->ld + e] = s->stride[k * s->ld + e + 1];
	}
	s->size[d] = size;
}

/* Row of operand k: the step in each of the kept dims dim[0 .. n), which increase. */
GPUBE_HD static inline void gpube__shape_strides(
	int64_t *row, const struct gpube_contraction *c, int k, const int32_t *dim, int n)
{
	const struct gpube_operand *o = &c->in[k];
	int64_t step = 1;

	for (int d = 0; d < n; d++)
		row[d] = 0;
	for (int i = o->n_dims - 1; i >= 0; i--) {
		if (c->sizes[o->dims[i]] == 1)
			continue;
		for (int d = 0; d < n; d++)
			if (dim[d] == o->dims[i])
				row[d] = step;
		step *= c->sizes[o->dims[i]];
	}
}

/*
 * gpube__shape_init() - the canonical form of a contraction whose joined table has less
 * than 2^63 cells.
 * stride    room for n_in * GPUBE_MAX_DIMS steps
 * with_arg  keep the index over reduced dims computable from arg_stride
 */
GPUBE_HD static inline void gpube__shape_init(
	struct gpube__shape *s, const struct gpube_contraction *c, int64_t *stride, int with_arg)
{
	int32_t dim[GPUBE_MAX_DIMS];
	int64_t out_step = 1, arg_step = 1;
	int n = 0;

	s->n_out = 0;
	s->n_in = c->n_in;
	s->stride = stride;
	s->n_out_cells = s->n_reduced = s->repeat = 1;
	for (int d = 0; d < c->n_dims; d++) {
		if (c->sizes[d] == 1)
			continue;
		if (d >= c->n_out && !gpube__dim_occurs(c, d)) {
			s->repeat *= c->sizes[d];
			continue;
		}
		s->size[n] = c->sizes[d];
		dim[n++] = d;
		s->n_out += d < c->n_out;
	}
	s->n_dims = s->ld = n;
	for (int k = 0; k < c->n_in; k++)
		gpube__shape_strides(stride + k * n, c, k, dim, n);
	for (int d = c->n_dims - 1, e = n - 1; e >= 0; d--) {
		const int kept = dim[e] == d;

		if (kept) {
			s->out_stride[e] = d < c->n_out ? out_step : 0;
			s->arg_stride[e] = d < c->n_out ? 0 : arg_step;
		}
		if (d < c->n_out) {
			out_step *= c->sizes[d];
			s->n_out_cells *= c->sizes[d];
		} else {
			arg_step *= c->sizes[d];
			s->n_reduced *= kept ? c->sizes[d] : 1;
		}
		e -= kept;
	}
	for (int d = s->n_dims - 2; d >= 0; d--)
		if (gpube__shape_fusible(s, d, with_arg))
			gpube__shape_fuse(s, d);
}

/* Offset of the cell with row-major index 'index' over dims [0, n), under these steps. */
GPUBE_HD static inline int64_t gpube__offset(
	int64_t index, int n, const int64_t *size, const int64_t *step)
{
	int64_t offset = 0;

	for (int d = n - 1; d >= 0 && index; d--) {
		offset += index % size[d] * step[d];
		index /= size[d];
	}
	return offset;
}

/* Writes an argument of 1, 2, 4 or 8 bytes. */
GPUBE_HD static inline void gpube__store_arg(void *args, int bytes, int64_t at, int64_t arg)
{
	if (bytes == 1)
		((uint8_t *)args)[at] = (uint8_t)arg;
	else if (bytes == 2)
		((uint16_t *)args)[at] = (uint16_t)arg;
	else if (bytes == 4)
		((uint32_t *)args)[at] = (uint32_t)arg;
	else
		((int64_t *)args)[at] = arg;
}

#endif
