/*
 * wmb_cells.h - tables of natural logarithms over positions of an order, of which mini-buckets
 * consist: what wmb.c and its passes do with their cells. Scopes ascend, the last one is the
 * fastest.
 */
#ifndef GPUBE_WMB_CELLS_H
#define GPUBE_WMB_CELLS_H

#include <string.h>

#include "gpube/infer/infer.h"

/* Some units of the last place, for exp() and log(), too. */
#define GPUBE__WMB_UNIT 0x1p-50

/* The cells of a table; and the union of two scopes, for which 'to' has room: its arity. */
double gpube__wmb_cells(const struct gpube__inferring *j, int arity, const int32_t *scope);
int gpube__wmb_join(int32_t *to, int n, const int32_t *a, int m, const int32_t *b);

/*
 * gpube__wmb_walk() - over a large table and a small one, whose scope is a part of it.
 * most  of GPUBE__WMB_SUM_EXP, over the small scope: what each cell's exponents are less; of the
 *       others not read
 */
enum gpube__wmb_step {
	GPUBE__WMB_ADD_TO_LARGE,
	GPUBE__WMB_ADD_TO_SMALL,
	GPUBE__WMB_MOST_TO_SMALL,
	GPUBE__WMB_SUM_EXP
};
void gpube__wmb_walk(const struct gpube__inferring *j, enum gpube__wmb_step step, double *large,
	int arity, const int32_t *scope, double *small, const double *most, int n_small,
	const int32_t *small_scope);

/*
 * gpube__wmb_sum_out() - sums the first variable out: message[i] = ln of the sum of e^(v / weight),
 * to the power of the weight, for i from 'from' up to 'to'; without a weight the maximum.
 * v  domain rows of n cells
 */
void gpube__wmb_sum_out(double *message, int64_t from, int64_t to, const double *v, int64_t n,
	int64_t domain, double weight);

/*
 * e^x within a millionth, 0 below -700: for beliefs, of which there are many. Without a branch, so
 * that compilers make vectors of it.
 */
static inline double gpube__wmb_quick_exp(double x)
{
	const double scaled = (x > -700 ? x : -700) * 0x1.71547652b82fep0,
		     shifted = scaled + 0x1.8p52, f = scaled - (shifted - 0x1.8p52);
	const double tail =
		1 + f * (0.6931471805599453 +
				f * (0.2402265069591007 +
					    f * (0.0555041086648216 +
							f * (0.0096181291076285 +
								    f * 0.0013333558146428))));
	uint64_t bits;
	double power;

	memcpy(&bits, &shifted, sizeof(bits));
	bits = (bits + 1023) << 52;
	memcpy(&power, &bits, sizeof(power));
	return x > -700 ? tail * power : 0;
}

#endif
