/* face_rows.c - see face_rows.h. */
#include "nash/eee/face_rows.h"

#include "gpube/base/clones.h"

#define PARTS 8

/* Static, for a resolver would be seen outside the library, whatever its function. */
static GPUBE_CLONES void row_add(
	double *restrict to, const double *restrict from, double f, int32_t n)
{
#pragma omp simd
	for (int32_t c = 0; c < n; c++)
		to[c] += f * from[c];
}

static GPUBE_CLONES double row_down(const double *d, int32_t n, double start, double *most)
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

void nash__row_add(double *restrict to, const double *restrict from, double f, int32_t n)
{
	row_add(to, from, f, n);
}

double nash__row_down(const double *d, int32_t n, double start, double *most)
{
	return row_down(d, n, start, most);
}
