/*
 * match.h - a cell of the cost shifts that level tables (ops.h), for both compilers.
 */
#ifndef GPUBE_OPS_MATCH_H
#define GPUBE_OPS_MATCH_H

#include "gpube/ops/ops.h"

/* wide: a literal at every call: INT64, or INT32 */
GPUBE_HD static inline int64_t gpube__match_get(const void *table, int64_t cell, bool wide)
{
	return wide ? ((const int64_t *)table)[cell] : ((const int32_t *)table)[cell];
}

GPUBE_HD static inline void gpube__match_put(void *table, int64_t cell, int64_t v, bool wide)
{
	if (wide)
		((int64_t *)table)[cell] = v;
	else
		((int32_t *)table)[cell] = (int32_t)v;
}

/*
 * The quotients' sum and the rests' sum keep the average inside the type, where the
 * sum of the tables may leave it.
 */
GPUBE_HD static inline void gpube__match_cell(
	void *const *tables, int32_t n, int64_t cell, int64_t limit, int64_t top, bool wide)
{
	int64_t average = 0, rests = 0;
	bool forbidden = false;

	for (int32_t k = 0; k < n; k++) {
		const int64_t v = gpube__match_get(tables[k], cell, wide);

		forbidden |= v >= limit;
		if (wide) {
			average += v / n;
			rests += v % n;
		} else {
			rests += v;
		}
	}
	average += rests / n;
	rests %= n;
	for (int32_t k = 0; k < n; k++) {
		const int64_t to =
			average + (k == 0 ? rests : 0) - gpube__match_get(tables[k], cell, wide);

		gpube__match_put(tables[k], cell, forbidden ? top : to, wide);
	}
}

int gpube__match_cpu(struct gpube_ctx *ctx, const struct gpube_match *m);

#endif
