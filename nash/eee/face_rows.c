/* face_rows.c - see face_rows.h. */
#include "nash/eee/face_rows_impl.h"

const struct nash_rows *nash__rows(void)
{
	static const struct nash_rows *best;
	const struct nash_rows *r = __atomic_load_n(&best, __ATOMIC_RELAXED);

	if (r)
		return r;
	r = nash__rows_avx512();
	if (!r)
		r = nash__rows_avx2();
	if (!r)
		r = &rows;
	__atomic_store_n(&best, r, __ATOMIC_RELAXED);
	return r;
}
