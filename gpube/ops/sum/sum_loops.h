/* sum_loops.h - sum_panel.h's loops, for every instruction set the same text; LOOPS is their name. */
#include "gpube/ops/sum/sum_panel.h"

#include <math.h>
#include <stddef.h>

/* Shorter runs and blocks are not worth a loop of their own. */
enum { LEAST_RUN = 2, LEAST_BLOCK = 3, LONG_RUN = 16 };

static void set(double *restrict buf, double by, const double *restrict p, const struct gpube_sum_places *x, int64_t n)
{
	const int32_t *restrict at = x->at;

	if (!at) {
#pragma omp simd
		for (int64_t i = 0; i < n; i++)
			buf[i] = by * p[i];
	} else if (x->run >= LEAST_RUN) {
		for (int64_t i = 0; i < n; i += x->run) {
			const double v = by * p[at[i]];

#pragma omp simd
			for (int64_t k = i; k < i + x->run; k++)
				buf[k] = v;
		}
	} else if (x->block >= LEAST_BLOCK) {
		for (int64_t i = 0; i < n; i += x->block) {
			const double *restrict q = p + at[i];

#pragma omp simd
			for (int64_t k = 0; k < x->block; k++)
				buf[i + k] = by * q[k];
		}
	} else {
#pragma omp simd
		for (int64_t i = 0; i < n; i++)
			buf[i] = by * p[at[i]];
	}
}

static void multiply(double *restrict buf, const double *restrict p, const struct gpube_sum_places *x, int64_t n)
{
	const int32_t *restrict at = x->at;

	if (!at) {
#pragma omp simd
		for (int64_t i = 0; i < n; i++)
			buf[i] *= p[i];
	} else if (x->run >= LEAST_RUN) {
		for (int64_t i = 0; i < n; i += x->run) {
			const double v = p[at[i]];

#pragma omp simd
			for (int64_t k = i; k < i + x->run; k++)
				buf[k] *= v;
		}
	} else if (x->block >= LEAST_BLOCK) {
		for (int64_t i = 0; i < n; i += x->block) {
			const double *restrict q = p + at[i];

#pragma omp simd
			for (int64_t k = 0; k < x->block; k++)
				buf[i + k] *= q[k];
		}
	} else {
#pragma omp simd
		for (int64_t i = 0; i < n; i++)
			buf[i] *= p[at[i]];
	}
}

static double total(const double *restrict buf, int64_t n)
{
	double part[8] = {0}, rest = 0;
	int64_t i = 0;

	for (; i + 8 <= n; i += 8)
#pragma omp simd
		for (int k = 0; k < 8; k++)
			part[k] += buf[i + k];
	for (; i < n; i++)
		rest += buf[i];
	return ((part[0] + part[1]) + (part[2] + part[3])) + ((part[4] + part[5]) + (part[6] + part[7])) +
	       rest;
}

/* Cells that go to one place. */
static double run_of(const double *restrict buf, int64_t run)
{
	double part[4] = {0}, sum = buf[0];
	int64_t i = 0;

	if (run >= LONG_RUN)
		return total(buf, run);
	if (run < 8) {
		for (int64_t k = 1; k < run; k++)
			sum += buf[k];
		return sum;
	}
	for (; i + 4 <= run; i += 4)
#pragma omp simd
		for (int k = 0; k < 4; k++)
			part[k] += buf[i + k];
	for (sum = 0; i < run; i++)
		sum += buf[i];
	return ((part[0] + part[1]) + (part[2] + part[3])) + sum;
}

/*
 * To few places, by way of copies of them: there are as many additions to a place as cells of a panel and panels, not their product;
 * and in turn to four copies, since one addition after the other to the same place waits for the last.
 */
static void add_few(double *restrict out, const struct gpube_sum_places *x, const double *restrict buf, int64_t n)
{
	const int32_t *restrict at = x->at;
	double sums[4][GPUBE_SUM_FEW] = {{0}};
	int64_t i = 0;

	for (; x->run >= LEAST_RUN && i < n; i += x->run)
		sums[0][at[i]] += run_of(buf + i, x->run);
	for (; i + 4 <= n; i += 4)
		for (int k = 0; k < 4; k++)
			sums[k][at[i + k]] += buf[i + k];
	for (; i < n; i++)
		sums[0][at[i]] += buf[i];
	for (int64_t k = 0; k < x->few; k++)
		out[k] += (sums[0][k] + sums[1][k]) + (sums[2][k] + sums[3][k]);
}

/* Runs of cells that go to one are added up first, for one addition after the other to the same place waits for the last. */
static void add(double *restrict out, const struct gpube_sum_places *x, const double *restrict buf, int64_t n)
{
	const int32_t *restrict at = x->at;

	if (!at) {
#pragma omp simd
		for (int64_t i = 0; i < n; i++)
			out[i] += buf[i];
	} else if (x->few) {
		add_few(out, x, buf, n);
	} else if (x->run == 2) {
		for (int64_t i = 0; i < n; i += 2)
			out[at[i]] += buf[i] + buf[i + 1];
	} else if (x->run > 2) {
		for (int64_t i = 0; i < n; i += x->run)
			out[at[i]] += run_of(buf + i, x->run);
	} else if (x->block >= LEAST_BLOCK) {
		for (int64_t i = 0; i < n; i += x->block) {
			double *restrict q = out + at[i];

#pragma omp simd
			for (int64_t k = 0; k < x->block; k++)
				q[k] += buf[i + k];
		}
	} else {
		for (int64_t i = 0; i < n; i++)
			out[at[i]] += buf[i];
	}
}

static void add_product(double *restrict out, const double *restrict buf, const double *restrict p, int64_t n)
{
#pragma omp simd
	for (int64_t i = 0; i < n; i++)
		out[i] += buf[i] * p[i];
}

static double total_product(const double *restrict buf, const double *restrict p, int64_t n)
{
	double part[8] = {0}, rest = 0;
	int64_t i = 0;

	for (; i + 8 <= n; i += 8)
#pragma omp simd
		for (int k = 0; k < 8; k++)
			part[k] += buf[i + k] * p[i + k];
	for (; i < n; i++)
		rest += buf[i] * p[i];
	return ((part[0] + part[1]) + (part[2] + part[3])) + ((part[4] + part[5]) + (part[6] + part[7])) +
	       rest;
}

static void divide(double *to, const double *a, const double *b, int64_t n)
{
#pragma omp simd
	for (int64_t i = 0; i < n; i++)
		to[i] = a[i] / (b[i] > 0 ? b[i] : 1);
}

static void extremes(const double *restrict p, int64_t n, double *most, double *least)
{
	double m = 0, l = INFINITY;

#pragma omp simd reduction(max : m) reduction(min : l)
	for (int64_t i = 0; i < n; i++) {
		const double w = p[i] > 0 ? p[i] : INFINITY;

		m = p[i] > m ? p[i] : m;
		l = w < l ? w : l;
	}
	*most = m;
	*least = l;
}

/* One cell of n_in inputs. */
#define PRODUCT(i) (by * a[i] * (n_in > 1 ? b[i] : 1) * (n_in > 2 ? c[i] : 1) * (n_in > 3 ? d[i] : 1))

/* To cell i of the outputs, of which there are as many as the kind says. */
static inline __attribute__((always_inline)) double put(double *p, double *q, int64_t i, double v, int kind)
{
	if (kind > 1)
		p[i] = kind == GPUBE_SUM_STORE ? v : p[i] + v;
	if (kind == 4 || kind == 5)
		q[i] += v;
	return v;
}

/* kind: as gpube_sum_loops has it. With constants each becomes a loop of its own. */
static inline __attribute__((always_inline)) double fuse(double by, const double *const *in, double *const *out, int64_t n, int n_in, int kind)
{
	const double *restrict a = in[0], *restrict b = in[n_in > 1], *restrict c = in[n_in > 2 ? 2 : 0], *restrict d = in[n_in > 3 ? 3 : 0];
	double *restrict p = out[0], *restrict q = out[1];
	double part[8] = {0}, rest = 0;
	int64_t i = 0;

	if (kind % 2 == 0) {
#pragma omp simd
		for (i = 0; i < n; i++)
			put(p, q, i, PRODUCT(i), kind);
		return 0;
	}
	if (n < 4 * LONG_RUN) {
#pragma omp simd reduction(+ : rest)
		for (i = 0; i < n; i++)
			rest += put(p, q, i, PRODUCT(i), kind);
		return rest;
	}
	for (; i + 8 <= n; i += 8)
#pragma omp simd
		for (int k = 0; k < 8; k++)
			part[k] += put(p, q, i + k, PRODUCT(i + k), kind);
	for (; i < n; i++)
		rest += put(p, q, i, PRODUCT(i), kind);
	return ((part[0] + part[1]) + (part[2] + part[3])) + ((part[4] + part[5]) + (part[6] + part[7])) + rest;
}

#define FUSED(n_in, kind)                                                                                      \
	static double fused_##n_in##_##kind(double by, const double *const *in, double *const *out, int64_t n) \
	{                                                                                                      \
		return fuse(by, in, out, n, n_in, kind);                                                       \
	}
#define FUSED_ALL(n_in) FUSED(n_in, 1) FUSED(n_in, 2) FUSED(n_in, 3) FUSED(n_in, 4) FUSED(n_in, 5) FUSED(n_in, 6)
#define FUSED_ROW(n_in) {NULL, fused_##n_in##_1, fused_##n_in##_2, fused_##n_in##_3, fused_##n_in##_4, fused_##n_in##_5, fused_##n_in##_6}

FUSED_ALL(1)
FUSED_ALL(2)
FUSED_ALL(3)
FUSED_ALL(4)

const struct gpube_sum_loops LOOPS = {set, multiply, add, add_product, total, total_product, divide, extremes,
	{FUSED_ROW(1), FUSED_ROW(2), FUSED_ROW(3), FUSED_ROW(4)}};
