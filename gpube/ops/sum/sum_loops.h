/* sum_loops.h - sum_panel.h's loops, for every instruction set the same text; LOOPS is their name. */
#include "gpube/ops/sum/sum_panel.h"

#include <math.h>

static void set(double *restrict buf, double by, const double *restrict p, const int32_t *restrict at, int64_t n)
{
	if (at) {
#pragma omp simd
		for (int64_t i = 0; i < n; i++)
			buf[i] = by * p[at[i]];
		return;
	}
#pragma omp simd
	for (int64_t i = 0; i < n; i++)
		buf[i] = by * p[i];
}

static void multiply(double *restrict buf, const double *restrict p, const int32_t *restrict at, int64_t n)
{
	if (at) {
#pragma omp simd
		for (int64_t i = 0; i < n; i++)
			buf[i] *= p[at[i]];
		return;
	}
#pragma omp simd
	for (int64_t i = 0; i < n; i++)
		buf[i] *= p[i];
}

static void add(double *restrict out, const int32_t *restrict at, const double *restrict buf, int64_t n)
{
	if (at) {
		for (int64_t i = 0; i < n; i++)
			out[at[i]] += buf[i];
		return;
	}
#pragma omp simd
	for (int64_t i = 0; i < n; i++)
		out[i] += buf[i];
}

/* Runs of cells that go to one: added up first, for one addition after the other to the same place waits for the last. */
static void add_runs(double *restrict out, const int32_t *restrict at, const double *restrict buf, int64_t n, int64_t run)
{
	if (run == 2) {
		for (int64_t i = 0; i < n; i += 2)
			out[at[i]] += buf[i] + buf[i + 1];
		return;
	}
	for (int64_t i = 0; i < n; i += run) {
		double sum = buf[i];

		for (int64_t k = 1; k < run; k++)
			sum += buf[i + k];
		out[at[i]] += sum;
	}
}

static void add_product(double *restrict out, const double *restrict buf, const double *restrict p, int64_t n)
{
#pragma omp simd
	for (int64_t i = 0; i < n; i++)
		out[i] += buf[i] * p[i];
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

const struct gpube_sum_loops LOOPS = {set, multiply, add, add_runs, add_product, total, extremes};
