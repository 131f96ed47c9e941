/*
 * subset_fill.h - seeded random values of all subsets, as far as they need no more
 * than additions and products: the same bits on every backend.
 *
 * Each block of 2^GPUBE_FILL_BITS subsets has a random stream of its own, so that
 * the values do not depend on the number of threads.
 */
#ifndef GPUBE_SUBSET_FILL_H
#define GPUBE_SUBSET_FILL_H

#include <math.h>

#include "gpube/base/base.h"
#include "gpube/base/by_type.h"
#include "gpube/ir/model.h"

#define GPUBE_FILL_BITS   12
#define GPUBE_FILL_AGENTS 40

/* U: uniform in [0, 1), k: elements of the subset, n: elements in all */
enum gpube_draw {
	GPUBE_DRAW_UNIFORM,          /* k U */
	GPUBE_DRAW_MODIFIED_UNIFORM, /* 10 k U, with probability 0.21 plus 50 U */
	GPUBE_DRAW_AGENT_UNIFORM,    /* sum of U 2 agent_i */
	GPUBE_DRAW_THRESHOLD,        /* 1 if k >= (n + 2) / 3, plus 0.001 U */
	GPUBE_DRAW_VOTING,           /* 1 if the agents reach the quota, plus 0.001 U */
	GPUBE_DRAW_NEAR_TIES,        /* 10 k + 0.01 U */
};

/*
 * Integer types hold the value times 'scale', rounded, but not more than 'most'; scale 0:
 * times 1000 (int16: times 10), and what the type holds. Subset 0 is worth 0.
 * from, n  the subsets wanted, of 2^n_bits; n 0: all
 * values   of them, of 'type'; memory of the backend
 */
struct gpube_fill {
	enum gpube_type type;
	enum gpube_draw draw;
	int n_bits;
	uint64_t seed, from, n;
	double agent[GPUBE_FILL_AGENTS], quota;
	int scale;
	double most;
	void *values;
};

/* a * b, never contracted with an addition. */
GPUBE_HD static inline double gpube__product(double a, double b)
{
#if defined(__CUDA_ARCH__)
	return __dmul_rn(a, b);
#else
	return a * b;
#endif
}

GPUBE_HD static inline double gpube__draw_value(
	const struct gpube_fill *f, struct gpube_rng *rng, uint64_t c, int k)
{
	double v = 0;

	switch (f->draw) {
	case GPUBE_DRAW_UNIFORM:
		return k * gpube__rng_unit(rng);
	case GPUBE_DRAW_MODIFIED_UNIFORM:
		v = gpube__product(10 * k, gpube__rng_unit(rng));
		if (gpube__rng_below(rng, 100) < 21)
			v += gpube__product(50, gpube__rng_unit(rng));
		return v;
	case GPUBE_DRAW_AGENT_UNIFORM:
		for (int i = 0; c >> i; i++)
			if (c >> i & 1)
				v += gpube__product(gpube__rng_unit(rng) * 2, f->agent[i]);
		return v;
	case GPUBE_DRAW_THRESHOLD:
		v = k >= (f->n_bits + 2) / 3;
		break;
	case GPUBE_DRAW_VOTING:
		for (int i = 0; c >> i; i++)
			if (c >> i & 1)
				v += f->agent[i];
		v = v >= f->quota;
		break;
	case GPUBE_DRAW_NEAR_TIES:
		return 10 * k + gpube__product(0.01, gpube__rng_unit(rng));
	}
	return v + gpube__product(0.001, gpube__rng_unit(rng));
}

/* No value of k elements exceeds it; none is negative. */
static inline double gpube__draw_bound(const struct gpube_fill *f, int k)
{
	switch (f->draw) {
	case GPUBE_DRAW_UNIFORM:
		return k;
	case GPUBE_DRAW_MODIFIED_UNIFORM:
		return 10 * k + 50;
	case GPUBE_DRAW_AGENT_UNIFORM:
		return 20 * k; /* agents are at most 10 */
	case GPUBE_DRAW_NEAR_TIES:
		return 10 * k + 0.01;
	default:
		return 1.001;
	}
}

/* By how much integer types multiply values. */
GPUBE_HD static inline int gpube__fill_scale(enum gpube_type type)
{
	return type == GPUBE_INT16 ? 10 : 1000;
}

/* The value of subset from + i. */
GPUBE_HD static inline void gpube__write_value(const struct gpube_fill *f, uint64_t i, double v)
{
	const double scaled = rint((f->scale ? f->scale : gpube__fill_scale(f->type)) * v);
	const double most = f->scale ? f->most : f->type == GPUBE_INT16 ? INT16_MAX : INFINITY;
	const double whole = scaled > most ? most : scaled;

#define WRITE(T, MOST, field) ((T *)f->values)[i] = (T)((T)0.5 == 0 ? whole : v)
	GPUBE_BY_VALUE(f->type, WRITE);
#undef WRITE
}

GPUBE_HD static inline void gpube__fill_rng(struct gpube_rng *rng, uint64_t seed, uint64_t chunk)
{
	gpube__rng_init(rng, seed ^ (chunk + 1) * 0xd1342543de82ef95u);
}

/* Past the last subset that is wanted. */
GPUBE_HD static inline uint64_t gpube__fill_end(const struct gpube_fill *f)
{
	return f->n ? f->from + f->n : (uint64_t)1 << f->n_bits;
}

/* Blocks that the subsets wanted are in, from that of the first one on. */
GPUBE_HD static inline uint64_t gpube__fill_chunks(const struct gpube_fill *f)
{
	return ((gpube__fill_end(f) - 1) >> GPUBE_FILL_BITS) - (f->from >> GPUBE_FILL_BITS) + 1;
}

/* Block number 'i' of those: all of it is drawn, what is wanted is written. */
GPUBE_HD static inline void gpube__fill_chunk(const struct gpube_fill *f, uint64_t i)
{
	const uint64_t chunk = (f->from >> GPUBE_FILL_BITS) + i, end = gpube__fill_end(f);
	const uint64_t first = chunk << GPUBE_FILL_BITS;
	struct gpube_rng rng;
	double v = 0;

	gpube__fill_rng(&rng, f->seed, chunk);
	for (uint64_t c = first; c < end && c < first + (1 << GPUBE_FILL_BITS); c++) {
		int k = 0;

		for (uint64_t left = c; left; left &= left - 1)
			k++;
		if (c)
			v = gpube__draw_value(f, &rng, c, k);
		if (c >= f->from)
			gpube__write_value(f, c - f->from, v);
	}
}

#endif
