/*
 * scaling.h - a model's costs as int32 cells: times 2^shift; a negative shift
 * rounds each cost down, so that a bound stays one.
 */
#ifndef GPUBE_SCALING_H
#define GPUBE_SCALING_H

#include <stdlib.h>

#include "gpube/ir/dense.h"

/* Finer than that, costs gain nothing. */
enum { GPUBE__MOST_SHIFT = 20 };

/*
 * Costs left from the constant to the cutoff, in the model's units: at most what a finite total can
 * be.
 */
static inline int64_t gpube__costs_left(const struct gpube_model *m, int64_t cutoff)
{
	int64_t span = gpube__cost_span(m), constant = gpube__constant_of(m);
	__int128 left = (__int128)cutoff - constant;

	if (constant == GPUBE_INF)
		return 0;
	if (cutoff == GPUBE_INF || left > span)
		return span;
	return left < 0 ? 0 : (int64_t)left;
}

/*
 * The shift that brings 'left' just up to 'most', at most most_shift; the constant is to fit, too.
 */
static inline int gpube__scale_shift(
	const struct gpube_model *m, int64_t left, int64_t most, int most_shift)
{
	int shift = 0;

	while (left >> -shift >= most)
		shift--;
	while (shift >= 0 && shift < most_shift && left << (shift + 1) <= most &&
		llabs(gpube__constant_of(m)) >> (60 - shift) == 0)
		shift++;
	return shift;
}

/* The scaled cutoff: sums of rounded-down costs that reach it stand for totals that do. */
static inline int64_t gpube__scale_target(int shift, int64_t left)
{
	return shift >= 0 ? left << shift
			  : (left >> -shift) + ((left & (((int64_t)1 << -shift) - 1)) != 0);
}

/* A cost in the model's units, at least the scaled one. */
static inline int64_t gpube__unscale(int shift, int64_t units)
{
	return shift >= 0 ? (units + ((int64_t)1 << shift) - 1) >> shift : units << -shift;
}

/* A target that a new, lower cutoff has, if it is lower. */
static inline void gpube__scale_lower(
	int64_t *target, int shift, const struct gpube_model *m, int64_t cutoff)
{
	const int64_t lower = gpube__scale_target(shift, gpube__costs_left(m, cutoff));

	*target = lower < *target ? lower : *target;
}

/* The total that a scaled constant bounds; the cutoff (GPUBE_INF: none) if it is reached. */
static inline int64_t gpube__scaled_bound(
	const struct gpube_model *m, int shift, int64_t constant, int64_t target, int64_t cutoff)
{
	return constant >= target ? cutoff
				  : gpube__constant_of(m) + gpube__unscale(shift, constant);
}

/* A cell: a cost of 'left' or more is dead. */
static inline int32_t gpube__scale(int shift, int64_t cost, int64_t left, int32_t dead)
{
	if (cost >= left)
		return dead;
	return (int32_t)(shift >= 0 ? cost << shift : cost >> -shift);
}

#endif
