/*
 * sum_loops.h - sum_panel.h's loops, for every instruction set the same text; LOOPS is their name.
 */
#include "gpube/ops/sum/sum_panel.h"

#include <math.h>
#include <stddef.h>

/* Shorter runs and blocks are not worth a loop of their own. */
enum { LEAST_RUN = 2, LEAST_BLOCK = 3, LONG_RUN = 16 };

/*
 * Cells at once, anywhere. Sums in an array of parts are not kept in registers: each addition then
 * waits for the last one's store.
 */
typedef double wide __attribute__((vector_size(32), aligned(8), may_alias));
typedef double narrow __attribute__((vector_size(16), aligned(8), may_alias));

#define AT(type, p) (*(const type *)(p))
#define ADD_UP(a, b)                                                                               \
	(((a)[0] + (a)[1]) + ((a)[2] + (a)[3]) + (((b)[0] + (b)[1]) + ((b)[2] + (b)[3])))

static void set(double *restrict buf, double by, const double *restrict p,
	const struct gpube_sum_places *x, int64_t n)
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

static void multiply(
	double *restrict buf, const double *restrict p, const struct gpube_sum_places *x, int64_t n)
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

static double total(const double *buf, int64_t n)
{
	wide even = {0}, odd = {0};
	double rest = 0;
	int64_t i = 0;

	for (; i + 8 <= n; i += 8) {
		even += AT(wide, buf + i);
		odd += AT(wide, buf + i + 4);
	}
	for (; i < n; i++)
		rest += buf[i];
	return ADD_UP(even, odd) + rest;
}

/* Cells that go to one place. */
static double run_of(const double *buf, int64_t run)
{
	double sum = buf[0];

	if (run >= LONG_RUN)
		return total(buf, run);
	for (int64_t k = 1; k < run; k++)
		sum += buf[k];
	return sum;
}

/* Two slabs of a few cells: the axes of variables with two values. */
#define FOLD_PAIRS(type, inner)                                                                    \
	do {                                                                                       \
		for (int64_t i = 0; i < n; i += 2 * (inner))                                       \
			*(type *)(to + i / 2) = AT(type, buf + i) + AT(type, buf + i + (inner));   \
	} while (0)

static int64_t fold(double *to, const double *buf, int64_t n, int64_t slabs, int64_t inner)
{
	if (inner == 1 && slabs == 2) {
		int64_t i = 0;

		for (; i + 8 <= n; i += 8) {
			const wide a = AT(wide, buf + i), b = AT(wide, buf + i + 4);

			*(wide *)(to + i / 2) = __builtin_shufflevector(a, b, 0, 2, 4, 6) +
						__builtin_shufflevector(a, b, 1, 3, 5, 7);
		}
		for (; i < n; i += 2)
			to[i / 2] = buf[i] + buf[i + 1];
	} else if (inner == 1) {
		for (int64_t i = 0; i < n / slabs; i++)
			to[i] = run_of(buf + i * slabs, slabs);
	} else if (inner == 2 && slabs == 2) {
		FOLD_PAIRS(narrow, 2);
	} else if (inner == 4 && slabs == 2) {
		FOLD_PAIRS(wide, 4);
	} else {
		for (int64_t from = 0; from < n; from += slabs * inner, to += inner) {
			int64_t i = 0;

			for (; i + 4 <= inner; i += 4) {
				wide sum = AT(wide, buf + from + i);

				for (int64_t k = 1; k < slabs; k++)
					sum += AT(wide, buf + from + k * inner + i);
				*(wide *)(to + i) = sum;
			}
			for (; i < inner; i++) {
				double sum = buf[from + i];

				for (int64_t k = 1; k < slabs; k++)
					sum += buf[from + k * inner + i];
				to[i] = sum;
			}
		}
	}
	return n / slabs;
}

static void add(double *restrict out, const double *restrict buf, int64_t n)
{
#pragma omp simd
	for (int64_t i = 0; i < n; i++)
		out[i] += buf[i];
}

static void scatter(
	double *restrict out, const int32_t *restrict at, const double *restrict buf, int64_t n)
{
	for (int64_t i = 0; i < n; i++)
		out[at[i]] += buf[i];
}

static void add_product(
	double *restrict out, const double *restrict buf, const double *restrict p, int64_t n)
{
#pragma omp simd
	for (int64_t i = 0; i < n; i++)
		out[i] += buf[i] * p[i];
}

static double total_product(const double *buf, const double *p, int64_t n)
{
	wide even = {0}, odd = {0};
	double rest = 0;
	int64_t i = 0;

	for (; i + 8 <= n; i += 8) {
		even += AT(wide, buf + i) * AT(wide, p + i);
		odd += AT(wide, buf + i + 4) * AT(wide, p + i + 4);
	}
	for (; i < n; i++)
		rest += buf[i] * p[i];
	return ADD_UP(even, odd) + rest;
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

/*
 * Cells of n_in inputs from the i-th on, to the outputs, of which there are as many as the kind
 * says, and to a sum.
 */
#define STEP(type, i, sum)                                                                         \
	do {                                                                                       \
		type v = by * AT(type, in[0] + (i));                                               \
                                                                                                   \
		if (n_in > 1)                                                                      \
			v *= AT(type, in[1] + (i));                                                \
		if (n_in > 2)                                                                      \
			v *= AT(type, in[2] + (i));                                                \
		if (n_in > 3)                                                                      \
			v *= AT(type, in[3] + (i));                                                \
		if (kind == GPUBE_SUM_STORE)                                                       \
			*(type *)(p + (i)) = v;                                                    \
		else if (kind > 1)                                                                 \
			*(type *)(p + (i)) += v;                                                   \
		if (kind == 4 || kind == 5)                                                        \
			*(type *)(q + (i)) += v;                                                   \
		if (kind % 2)                                                                      \
			(sum) += v;                                                                \
	} while (0)

/*
 * kind: as gpube_sum_loops has it. With constants each becomes a loop of its own. Segments are
 * often of 15 or 20 cells.
 */
static inline __attribute__((always_inline)) double fuse(
	double by, const double *const *given, double *const *out, int64_t n, int n_in, int kind)
{
	const double *const in[4] = {
		given[0], given[n_in > 1], given[n_in > 2 ? 2 : 0], given[n_in > 3 ? 3 : 0]};
	double *const p = out[0], *const q = out[1];
	wide even = {0}, odd = {0};
	narrow two = {0};
	double rest = 0;
	int64_t i = 0;

	for (; i + 8 <= n; i += 8) {
		STEP(wide, i, even);
		STEP(wide, i + 4, odd);
	}
	if (n & 4) {
		STEP(wide, i, even);
		i += 4;
	}
	if (n & 2) {
		STEP(narrow, i, two);
		i += 2;
	}
	if (n & 1)
		STEP(double, i, rest);
	return kind % 2 ? ADD_UP(even, odd) + (two[0] + two[1] + rest) : 0;
}

#define FUSED(n_in, kind)                                                                          \
	static double fused_##n_in##_##kind(                                                       \
		double by, const double *const *in, double *const *out, int64_t n)                 \
	{                                                                                          \
		return fuse(by, in, out, n, n_in, kind);                                           \
	}
#define FUSED_ALL(n_in)                                                                            \
	FUSED(n_in, 1) FUSED(n_in, 2) FUSED(n_in, 3) FUSED(n_in, 4) FUSED(n_in, 5) FUSED(n_in, 6)
#define FUSED_ROW(n_in)                                                                            \
	{                                                                                          \
		NULL, fused_##n_in##_1, fused_##n_in##_2, fused_##n_in##_3, fused_##n_in##_4,      \
			fused_##n_in##_5, fused_##n_in##_6                                         \
	}

FUSED_ALL(1)
FUSED_ALL(2)
FUSED_ALL(3)
FUSED_ALL(4)

const struct gpube_sum_loops LOOPS = {set, multiply, add, scatter, fold, add_product, total,
	total_product, divide, extremes, {FUSED_ROW(1), FUSED_ROW(2), FUSED_ROW(3), FUSED_ROW(4)}};
