/*
 * support_dict.h - dictionaries of a support of player 1, from which one side of every pair with
 * that support is solved by exchanging few variables; in C and in CUDA C.
 *
 * For a pair of supports S and T of q actions each, one side has to find the point where q of its
 * variables are zero. When T changes and S stays, most of those q stay the same. So the side is
 * solved once for S, with a set B of q actions of player 2 in the place of T. The result is a
 * dictionary: the variables that are not zero there (rows) are affine functions of those that are
 * (columns). A pair then exchanges the rows and columns in which T differs from B, k = |T \ B| of
 * each. That is a system of k unknowns instead of q - 1. k is at most the number of actions of
 * player 2 that are not dominated against S, less q. For q = 8 out of 16 it is about 4, and the
 * work grows with k^3.
 *
 * Side 0, the strategy x on S that makes player 2 indifferent on T:
 *   rows     slacks w_t of player 2's actions t outside of B; x_s of s in S
 *   columns  slacks w_b of b in B
 * Side 1, the strategy y on T that makes player 1 indifferent on S:
 *   rows     y_b of b in B; slacks w_s of player 1's actions s outside of S
 *   columns  y_t of t outside of B
 * In both the rows of actions of player 2 come first, then those of player 1, in increasing order;
 * the columns follow the constant. Dominated actions of player 2 are left out: T has none, and
 * their slacks are larger than those of what dominates them.
 *
 * B comes from Jordan exchanges with complete pivoting. So its system is about as far from singular
 * as that of any T; if it is singular, so is that of every T.
 */
#ifndef GPUBE_SUPPORT_DICT_H
#define GPUBE_SUPPORT_DICT_H

#include <math.h>

#include "gpube/ops/support/support.h"

/* A set of actions. A warp works on a dictionary together, the threads of a CPU alone. */
#if defined(__CUDACC__)
typedef uint32_t gpube_support_mask;
#define GPUBE_SUPPORT_SWAPS 16 /* most actions in which T differs from B */
#else
typedef uint64_t gpube_support_mask;
#define GPUBE_SUPPORT_SWAPS 32
#endif

#if defined(__CUDA_ARCH__)
#define GPUBE_SUPPORT_LOWEST(mask) (__ffs((int)(mask)) - 1)
#define GPUBE_SUPPORT_COUNT(mask)  __popc(mask)
#define GPUBE_SUPPORT_LANES        32
#define GPUBE_SUPPORT_LANE         ((int)(threadIdx.x % 32))
#define GPUBE_SUPPORT_TOGETHER()   __syncwarp()
#else
#define GPUBE_SUPPORT_LOWEST(mask) __builtin_ctzll(mask)
#define GPUBE_SUPPORT_COUNT(mask)  __builtin_popcountll(mask)
#define GPUBE_SUPPORT_LANES        1
#define GPUBE_SUPPORT_LANE         0
#define GPUBE_SUPPORT_TOGETHER()   ((void)0)
#endif

/*
 * rows, columns  actions of player 2 that have one
 * n_rows         also those of player 1
 * stride         1 + columns
 * least          smallest pivot, at most 1; 0: singular for every T, and nothing else is set
 */
struct gpube_support_dict {
	const double *d;
	double least;
	gpube_support_mask rows, columns;
	int n_rows, stride;
};

/* Number of a member among the members of a set. */
GPUBE_HD static inline int gpube__support_rank(gpube_support_mask set, int member)
{
	return GPUBE_SUPPORT_COUNT(set & (((gpube_support_mask)1 << member) - 1));
}

/* Cells of a dictionary, and of the room in which it is made. */
GPUBE_HD static inline int gpube__support_dict_cells(int k, int l, int q, int side)
{
	return side ? k * (l - q + 1) : l * (q + 1);
}

GPUBE_HD static inline int gpube__support_dict_room(int k, int l, int q)
{
	return l * (q + 1) > k * l ? l * (q + 1) : k * l;
}

/*
 * A dictionary while it is made: 'rows' rows of 'columns' cells, the constant first. Its variables
 * have the number of the action of player 2, or LABEL1 and more for one of player 1.
 */
#define GPUBE_SUPPORT_LABEL1 64

struct gpube_support_making {
	double *d;
	unsigned char *row, *column; /* labels; column[0] is not used */
	int rows, columns;
};

/* The largest cell where an exchange is wanted; its place, or -1. */
GPUBE_HD static inline int gpube__support_pivot(
	const struct gpube_support_making *m, int side, gpube_support_mask s, double *size)
{
	double most = 0;
	int at = -1;

	for (int i = 0; i < m->rows; i++) {
		const int label = m->row[i];

		/* w_t or w_s with s in S is to be zero; a row that x_s or y_t has got stays */
		if (side ? label < GPUBE_SUPPORT_LABEL1 ||
					!(s >> (label - GPUBE_SUPPORT_LABEL1) & 1)
			 : label >= GPUBE_SUPPORT_LABEL1)
			continue;
		for (int j = 1 + GPUBE_SUPPORT_LANE; j < m->columns; j += GPUBE_SUPPORT_LANES)
			if ((m->column[j] < GPUBE_SUPPORT_LABEL1) == side) {
				const double v = fabs(m->d[i * m->columns + j]);

				at = v > most ? i * m->columns + j : at;
				most = v > most ? v : most;
			}
	}
#if defined(__CUDA_ARCH__)
	for (int step = 16; step > 0; step /= 2) {
		const double v = __shfl_xor_sync(~0u, most, step);
		const int there = __shfl_xor_sync(~0u, at, step);
		const bool better = v > most || (v == most && there > at);

		at = better ? there : at;
		most = better ? v : most;
	}
#endif
	*size = most;
	return at;
}

/* Jordan exchange of a row and a column. */
GPUBE_HD static inline void gpube__support_exchange(struct gpube_support_making *m, int at)
{
	const int n = m->columns, r = at / n, c = at % n;
	const double inverse = 1 / m->d[at];

	for (int j = GPUBE_SUPPORT_LANE; j < n; j += GPUBE_SUPPORT_LANES) {
		const double f = m->d[r * n + j] * inverse;

		for (int i = 0; i < m->rows && j != c; i++)
			if (i != r)
				m->d[i * n + j] -= f * m->d[i * n + c];
	}
	GPUBE_SUPPORT_TOGETHER();
	for (int j = GPUBE_SUPPORT_LANE; j < n; j += GPUBE_SUPPORT_LANES)
		if (j != c)
			m->d[r * n + j] *= -inverse;
	for (int i = GPUBE_SUPPORT_LANE; i < m->rows; i += GPUBE_SUPPORT_LANES)
		m->d[i * n + c] = i == r ? inverse : m->d[i * n + c] * inverse;
	if (GPUBE_SUPPORT_LANE == 0) {
		const unsigned char label = m->row[r];

		m->row[r] = m->column[c];
		m->column[c] = label;
	}
	GPUBE_SUPPORT_TOGETHER();
}

/*
 * The dictionary before any exchange: of side 0 the x_s but the first are columns, and the slack
 * of the first action t0 of player 2; of side 1 the y_t but the first are columns, and the slack of
 * the first action s0 of S is zero. c as in gpube_support_scan.
 */
GPUBE_HD static inline void gpube__support_begin(struct gpube_support_making *m, const double *c,
	int stride, int k, int side, gpube_support_mask s, gpube_support_mask good)
{
	const gpube_support_mask of_rows = side ? s : good, of_columns = side ? good : s;
	const int row1 = side ? GPUBE_SUPPORT_LABEL1 : 0, column1 = GPUBE_SUPPORT_LABEL1 - row1;
	const int r0 = GPUBE_SUPPORT_LOWEST(of_rows), c0 = GPUBE_SUPPORT_LOWEST(of_columns);

	/* labels; the row of what is 1 minus the others is the first */
	if (GPUBE_SUPPORT_LANE == 0) {
		int i = 0, j = side ? 1 : 2;

		m->row[i++] = (unsigned char)(column1 + c0);
		for (gpube_support_mask t = of_rows & (of_rows - 1); t; t &= t - 1)
			m->row[i++] = (unsigned char)(row1 + GPUBE_SUPPORT_LOWEST(t));
		for (int u = 0; side && u < k; u++)
			if (!(s >> u & 1))
				m->row[i++] = (unsigned char)(row1 + u);
		m->column[0] = m->column[1] = (unsigned char)r0;
		for (gpube_support_mask t = of_columns & (of_columns - 1); t; t &= t - 1)
			m->column[j++] = (unsigned char)(column1 + GPUBE_SUPPORT_LOWEST(t));
	}
	m->rows = side ? k : GPUBE_SUPPORT_COUNT(good);
	m->columns = GPUBE_SUPPORT_COUNT(of_columns) + (side ? 0 : 1);
	GPUBE_SUPPORT_TOGETHER();
	for (int j = GPUBE_SUPPORT_LANE; j < m->columns; j += GPUBE_SUPPORT_LANES) {
		const bool slack = !side && j == 1; /* w of t0, which all slacks exceed alike */
		const int action = m->column[j] - column1;

		m->d[j] = j == 0 ? 1 : slack ? 0 : -1;
		for (int i = 1; i < m->rows; i++) {
			const int t = m->row[i] - row1;
			const double first = c[r0 * stride + c0] - c[t * stride + c0];

			m->d[i * m->columns + j] =
				j == 0  ? first
				: slack ? 1
					: (c[r0 * stride + action] - c[t * stride + action]) -
						  first;
		}
	}
	GPUBE_SUPPORT_TOGETHER();
}

/*
 * The dictionary of the support s of player 1.
 * out   what it says is the same in all lanes
 * d     gpube__support_dict_cells(), set
 * m     room: d of gpube__support_dict_room() cells, row and column of 65 labels each
 * c     of the side, c[j * stride + i]: see struct gpube_support_scan
 * good  actions of player 2 that are not dominated against s; q of them at least
 */
GPUBE_HD static inline void gpube__support_dict(struct gpube_support_dict *out, double *d,
	struct gpube_support_making *m, const double *c, int stride, int k, int q, int side,
	gpube_support_mask s, gpube_support_mask good)
{
	gpube_support_mask basis = 0;
	int rank, n;

	out->d = d;
	out->least = 1;
	out->rows = out->columns = 0;
	out->n_rows = out->stride = 0;
	gpube__support_begin(m, c, stride, k, side, s, good);
	for (int p = 1; p < q; p++) {
		double size;
		const int at = gpube__support_pivot(m, side, s, &size);

		if (size < GPUBE_SUPPORT_SINGULAR) {
			out->least = 0;
			return;
		}
		out->least = size < out->least ? size : out->least;
		gpube__support_exchange(m, at);
	}
	for (int i = 0; i < m->rows; i++)
		if (m->row[i] < GPUBE_SUPPORT_LABEL1)
			basis |= (gpube_support_mask)1 << m->row[i];
	/* of side 0 B has the columns, of side 1 the rows */
	out->rows = basis;
	out->columns = good & ~basis;
	out->stride = 1 + GPUBE_SUPPORT_COUNT(out->columns);
	n = GPUBE_SUPPORT_COUNT(out->rows);
	out->n_rows = n + (side ? k - q : q);
	for (int j = GPUBE_SUPPORT_LANE; j < m->columns; j += GPUBE_SUPPORT_LANES) {
		const int label = m->column[j];

		if (j && label >= GPUBE_SUPPORT_LABEL1)
			continue;
		for (int i = 0; i < m->rows; i++) {
			const int row = m->row[i], own = row - GPUBE_SUPPORT_LABEL1;

			rank = own < 0 ? gpube__support_rank(out->rows, row)
				       : n + gpube__support_rank(side ? ~s : s, own);
			d[rank * out->stride + (j ? 1 + gpube__support_rank(out->columns, label)
						  : 0)] = m->d[i * m->columns + j];
		}
	}
	GPUBE_SUPPORT_TOGETHER();
}

/* The rows that become zero for a support t of player 2, and with 'freed' the columns that do not
 * stay it. */
GPUBE_HD static inline gpube_support_mask gpube__support_zero(
	const struct gpube_support_dict *d, int side, gpube_support_mask t)
{
	return d->rows & (side ? ~t : t);
}

GPUBE_HD static inline gpube_support_mask gpube__support_freed(
	const struct gpube_support_dict *d, int side, gpube_support_mask t)
{
	return d->columns & (side ? t : ~t);
}

#define GPUBE_SUPPORT_FIXED 8 /* numbers of exchanges up to this have a function each */

#define SWAP_NAME gpube__support_swap_1
#define SWAP_K    1
#include "gpube/ops/support/support_swap_impl.h"
#define SWAP_NAME gpube__support_swap_2
#define SWAP_K    2
#include "gpube/ops/support/support_swap_impl.h"
#define SWAP_NAME gpube__support_swap_3
#define SWAP_K    3
#include "gpube/ops/support/support_swap_impl.h"
#define SWAP_NAME gpube__support_swap_4
#define SWAP_K    4
#include "gpube/ops/support/support_swap_impl.h"
#define SWAP_NAME gpube__support_swap_5
#define SWAP_K    5
#include "gpube/ops/support/support_swap_impl.h"
#define SWAP_NAME gpube__support_swap_6
#define SWAP_K    6
#include "gpube/ops/support/support_swap_impl.h"
#define SWAP_NAME gpube__support_swap_7
#define SWAP_K    7
#include "gpube/ops/support/support_swap_impl.h"
#define SWAP_NAME gpube__support_swap_8
#define SWAP_K    8
#include "gpube/ops/support/support_swap_impl.h"
#define SWAP_NAME gpube__support_swap_any
#include "gpube/ops/support/support_swap_impl.h"

/*
 * Answer about the side for the support t of player 2.
 * most  at least as many as there are exchanges; lanes of a warp say the same
 */
GPUBE_HD static inline int gpube__support_swap(
	const struct gpube_support_dict *d, int side, gpube_support_mask t, int most)
{
	if (most == 0 || d->least < GPUBE_SUPPORT_SINGULAR)
		return gpube__support_swap_any(d, side, t);
	switch (most) {
	case 1:
		return gpube__support_swap_1(d, side, t);
	case 2:
		return gpube__support_swap_2(d, side, t);
	case 3:
		return gpube__support_swap_3(d, side, t);
	case 4:
		return gpube__support_swap_4(d, side, t);
	case 5:
		return gpube__support_swap_5(d, side, t);
	case 6:
		return gpube__support_swap_6(d, side, t);
	case 7:
		return gpube__support_swap_7(d, side, t);
	case 8:
		return gpube__support_swap_8(d, side, t);
	default:
		return gpube__support_swap_any(d, side, t);
	}
}

#endif
