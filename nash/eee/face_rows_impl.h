/*
 * face_rows_impl.h - the functions of face_rows.h, for the instruction set of whoever includes it.
 */
#include "nash/eee/face_rows.h"

#define PARTS 8

static void add(double *restrict to, const double *restrict from, double f, int32_t n)
{
#pragma omp simd
	for (int32_t c = 0; c < n; c++)
		to[c] += f * from[c];
}

static double down(const double *d, int32_t n, double start, double *most)
{
	double sum[PARTS] = {0}, top[PARTS];
	int32_t c = 0;

	for (int u = 0; u < PARTS; u++)
		top[u] = start;
	for (; c + PARTS <= n; c += PARTS) {
#pragma omp simd
		for (int u = 0; u < PARTS; u++) {
			const double v = d[c + u];

			sum[u] += v < -NASH_LP_ZERO_BELOW ? -v : 0;
			top[u] = v > top[u] ? v : top[u];
		}
	}
	for (int u = 0; c + u < n; u++) {
		const double v = d[c + u];

		sum[u] += v < -NASH_LP_ZERO_BELOW ? -v : 0;
		top[u] = v > top[u] ? v : top[u];
	}
	for (int step = PARTS / 2; step; step /= 2)
		for (int u = 0; u < step; u++) {
			sum[u] += sum[u + step];
			top[u] = top[u + step] > top[u] ? top[u + step] : top[u];
		}
	*most = top[0];
	return sum[0];
}

static const struct nash_rows rows = {.add = add, .down = down};
