/* face_rows_avx512.c - see face_rows.h. */
#include "nash/eee/face_rows_impl.h"

const struct nash_rows *nash__rows_avx512(void)
{
#if defined(__AVX512F__)
	__builtin_cpu_init();
	return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") &&
			       __builtin_cpu_supports("avx512bw") &&
			       __builtin_cpu_supports("avx512vl")
		       ? &rows
		       : NULL;
#else
	(void)rows;
	return NULL;
#endif
}
