/*
 * stream_plan.h - one contraction as many over ranges of its output, for tables
 * that a device cannot hold. Which ranges, and what of each table they need;
 * no device is touched, so that the CPU's tests run all of it.
 *
 * A chunk fixes the output dims before 'split' and takes a range of the dim at
 * 'split': its part of the output is contiguous. Of an operand in whose layout
 * these dims stand together, the ranged one last among them, as in all tables of
 * bucket elimination, it needs rows of equal length at equal distance, which a
 * device copies at full speed. Reduced dims are never cut: every output cell is
 * finished in one chunk.
 */
#ifndef GPUBE_OPS_STREAM_PLAN_H
#define GPUBE_OPS_STREAM_PLAN_H

#include "gpube/ops/ops.h"

struct gpube__stream_plan {
	int split;
	int64_t length; /* of a range; the last one of the dim may be shorter */
	int64_t n_chunks;
	uint64_t slot_bytes;  /* most that a chunk's copies take, each aligned */
	uint64_t fixed_bytes; /* of what is copied once for all chunks */
};

#define GPUBE_STREAM_ALIGN 256u

/* A chunk's part of a table, in cells: 'rows' of 'row' cells, 'pitch' apart. */
struct gpube__slice {
	int64_t first, rows, pitch, row;
	bool whole; /* the same in every chunk: no dim of it is cut */
};

/*
 * gpube__stream_plan() - the largest chunks that fit.
 * spilled  per operand: not on the device
 * out      the outputs are not, either
 * bytes    for two chunks' copies, so that one moves while one is worked on, and
 *          for the spilled operands that every chunk needs whole
 * Returns false if no chunk is small enough, or an operand's layout forbids it.
 * Cost: O(dims * operands * log sizes)
 */
bool gpube__stream_plan(struct gpube__stream_plan *plan, const struct gpube_contraction *c,
	const bool *spilled, bool out, uint64_t bytes);

/* The part of operand k that a chunk needs; false where its layout forbids cutting it. */
bool gpube__stream_slice(struct gpube__slice *s, const struct gpube_contraction *c, int k,
	const struct gpube__stream_plan *plan, int64_t chunk);

/* Cells of the output that a chunk makes, from *first on. */
int64_t gpube__stream_out(int64_t *first, const struct gpube_contraction *c,
	const struct gpube__stream_plan *plan, int64_t chunk);

/*
 * A chunk's contraction: c's, with the fixed dims gone. The caller sets the tables:
 * of operands those of gpube__stream_slice, packed.
 * sizes  room for c->n_dims
 * in     room for c->n_in; tables as in c
 * dims   room for all operands' dims
 */
void gpube__stream_chunk(struct gpube_contraction *out, int64_t *sizes, struct gpube_operand *in,
	int32_t *dims, const struct gpube_contraction *c, const struct gpube__stream_plan *plan,
	int64_t chunk);

/* Bytes of 'cells' values, aligned. */
static inline uint64_t gpube__stream_bytes(int64_t cells, size_t size)
{
	return ((uint64_t)cells * size + GPUBE_STREAM_ALIGN - 1) / GPUBE_STREAM_ALIGN *
	       GPUBE_STREAM_ALIGN;
}

#endif
