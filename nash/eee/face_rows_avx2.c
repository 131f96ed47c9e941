/* face_rows_avx2.c - see face_rows.h. */
#include "nash/eee/face_rows_impl.h"

const struct nash_rows *nash__rows_avx2(void)
{
#if defined(__AVX2__)
	__builtin_cpu_init();
	return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") ? &rows : NULL;
#else
	(void)rows;
	return NULL;
#endif
}
