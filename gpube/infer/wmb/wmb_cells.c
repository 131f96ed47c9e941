/* wmb_cells.c - cells of tables of logarithms: see wmb_cells.h. */
#include "gpube/infer/wmb/wmb_cells.h"

#include <math.h>

double gpube__wmb_cells(const struct gpube__inferring *j, int arity, const int32_t *scope)
{
	double cells = 1;

	for (int k = 0; k < arity; k++)
		cells *= (double)gpube__infer_domain(j, scope[k]);
	return cells;
}

int gpube__wmb_join(int32_t *to, int n, const int32_t *a, int m, const int32_t *b)
{
	int arity = 0;

	for (int i = 0, k = 0; i < n || k < m;) {
		const int32_t v = k == m || (i < n && a[i] < b[k]) ? a[i] : b[k];

		i += i < n && a[i] == v;
		k += k < m && b[k] == v;
		to[arity++] = v;
	}
	return arity;
}

/*
 * Axes that lie together in both are one; the fastest is axis 0 here, along which the small one
 * moves by 1 or not at all.
 */
void gpube__wmb_walk(const struct gpube__inferring *j, enum gpube__wmb_step step, double *large,
	int arity, const int32_t *scope, double *small, const double *most, int n_small,
	const int32_t *small_scope)
{
	int64_t dim[GPUBE_SUM_AXES] = {1}, stride[GPUBE_SUM_AXES] = {0},
		count[GPUBE_SUM_AXES] = {0}, width = 1, at = 0;
	int n = 0, k = n_small - 1;

	for (int a = arity - 1; a >= 0; a--) {
		const int64_t d = gpube__infer_domain(j, scope[a]);
		int64_t s = 0;

		if (k >= 0 && small_scope[k] == scope[a]) {
			s = width;
			width *= d;
			k--;
		}
		if (n > 0 && s == (stride[n - 1] == 0 ? 0 : stride[n - 1] * dim[n - 1])) {
			dim[n - 1] *= d;
			continue;
		}
		dim[n] = d;
		stride[n++] = s;
	}
	for (;;) {
		const int64_t inner = dim[0], by = stride[0];
		double *to = small + at;
		int a;

		switch (step) {
		case GPUBE__WMB_ADD_TO_LARGE:
			for (int64_t i = 0; i < inner && by == 1; i++)
				large[i] += to[i];
			for (int64_t i = 0; i < inner && by == 0; i++)
				large[i] += *to;
			break;
		case GPUBE__WMB_ADD_TO_SMALL:
			for (int64_t i = 0; i < inner; i++)
				to[i * by] += large[i];
			break;
		case GPUBE__WMB_MOST_TO_SMALL:
			for (int64_t i = 0; i < inner; i++)
				to[i * by] = large[i] > to[i * by] ? large[i] : to[i * by];
			break;
		case GPUBE__WMB_SUM_EXP:
			for (int64_t i = 0; i < inner; i++)
				to[i * by] += gpube__wmb_quick_exp(
					large[i] == -INFINITY ? -INFINITY
							      : large[i] - most[at + i * by]);
			break;
		}
		large += inner;
		for (a = 1; a < n; a++) {
			at += stride[a];
			if (++count[a] < dim[a])
				break;
			at -= stride[a] * dim[a];
			count[a] = 0;
		}
		if (a >= n)
			return;
	}
}

void gpube__wmb_sum_out(double *message, int64_t from, int64_t to, const double *v, int64_t n,
	int64_t domain, double weight)
{
	const double by = weight > 0 ? 1 / weight : 0;

	for (int64_t i = from; i < to; i++) {
		double most = -INFINITY, sum = 0;

		for (int64_t x = 0; x < domain; x++)
			most = v[x * n + i] > most ? v[x * n + i] : most;
		message[i] = most;
		if (weight == 0 || most == -INFINITY)
			continue;
		for (int64_t x = 0; x < domain; x++)
			sum += exp((v[x * n + i] - most) * by);
		message[i] += weight * log(sum);
	}
}
