/*
 * contract_flat.h - several dims counted as one: the groups of dims that contract_presum.h cuts
 * a contraction by.
 */
#ifndef GPUBE_OPS_CONTRACT_FLAT_H
#define GPUBE_OPS_CONTRACT_FLAT_H

#include "gpube/ops/contract/boxes/contract_box.h"

#define GPUBE_FLAT_DIMS 6

/* A group; its last dim's values follow on each other. */
struct gpube__flat {
	uint32_t n, size; /* dims; values, at most INT32_MAX */
	uint32_t of[GPUBE_FLAT_DIMS];
	struct gpube__divisor by[GPUBE_FLAT_DIMS];
};

/* Cells before value i of a group, in a table with these steps. */
GPUBE_HD static inline uint32_t gpube__flat_offset(
	const struct gpube__flat *f, const uint32_t *step, uint32_t i)
{
	uint32_t offset = 0;

	if (f->n == 0)
		return 0;
	for (uint32_t d = f->n - 1; d > 0; d--) {
		const uint32_t rest = gpube__quotient(i, f->by[d]);

		offset += (i - rest * f->of[d]) * step[d];
		i = rest;
	}
	return offset + i * step[0];
}

/* What a value of a group is along each of its dims, for several tables; 0 past the last one. */
GPUBE_HD static inline void gpube__flat_split(
	const struct gpube__flat *f, uint32_t i, uint32_t *digit)
{
	for (uint32_t d = GPUBE_FLAT_DIMS; d-- > 0;) {
		uint32_t rest = 0;

		digit[d] = 0;
		if (d >= f->n)
			continue;
		if (d > 0)
			rest = gpube__quotient(i, f->by[d]);
		digit[d] = i - rest * f->of[d];
		i = rest;
	}
}

GPUBE_HD static inline uint32_t gpube__flat_at(const uint32_t *digit, const uint32_t *step)
{
	uint32_t offset = 0;

	for (uint32_t d = 0; d < GPUBE_FLAT_DIMS; d++)
		offset += digit[d] * step[d];
	return offset;
}

/* The group of the output dims of 's' that are bits of 'dims'; false: too many dims or values. */
static inline bool gpube__flat_init(
	struct gpube__flat *f, const struct gpube__shape *s, uint64_t dims)
{
	int64_t size = 1;

	f->n = 0;
	for (int d = 0; d < s->n_out; d++) {
		if (!(dims >> d & 1))
			continue;
		if (f->n == GPUBE_FLAT_DIMS || size > INT32_MAX / s->size[d])
			return false;
		size *= s->size[d];
		f->of[f->n] = (uint32_t)s->size[d];
		f->by[f->n++] = gpube__divisor_of((uint32_t)s->size[d]);
	}
	f->size = (uint32_t)size;
	return true;
}

/* A table's steps along the group of these dims. */
static inline void gpube__flat_steps(
	uint32_t *step, const struct gpube__shape *s, uint64_t dims, const int64_t *stride)
{
	uint32_t n = 0;

	for (int d = 0; d < s->n_out; d++)
		if (dims >> d & 1)
			step[n++] = (uint32_t)stride[d];
	for (; n < GPUBE_FLAT_DIMS; n++)
		step[n] = 0;
}

/*
 * Whether four values of the group from any multiple of four on lie together in a table, and
 * aligned, whatever its other dims' values.
 */
static inline bool gpube__flat_fours(
	const struct gpube__shape *s, uint64_t dims, const int64_t *stride)
{
	const int last = dims ? 63 - __builtin_clzll(dims) : -1;

	if (last < 0 || stride[last] != 1 || s->size[last] % 4)
		return false;
	for (int d = 0; d < s->n_dims; d++)
		if (d != last && stride[d] % 4)
			return false;
	return true;
}

#endif
