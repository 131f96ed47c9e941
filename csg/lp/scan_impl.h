/*
 * scan_impl.h - scans of values by vectors, or one by one, for each instruction set. The file
 * that includes it defines
 *
 *   D, LANES                 a vector of doubles, how many
 *   LOAD_F64(p) SET(x) SUB(a, b) MAX(a, b) LARGEST(v)
 *   NOT_LESS(a, b)           a bit for each lane with a >= b
 *   LOAD_I16(p) LOAD_I32(p) LOAD_F32(p), and LOAD_I64(p) where there is one    to doubles
 *   KERNELS                  the table's name
 */
#define SCANS(T, name, LOAD)                                                                       \
	static double most_##name(const void *values, const double *w, size_t n)                   \
	{                                                                                          \
		const T *v = values;                                                               \
		D m = SET(-INFINITY);                                                              \
                                                                                                   \
		for (size_t i = 0; i < n; i += LANES)                                              \
			m = MAX(m, SUB(LOAD(v + i), LOAD_F64(w + i)));                             \
		return LARGEST(m);                                                                 \
	}                                                                                          \
	static size_t over_##name(                                                                 \
		const void *values, const double *w, double least, size_t n, uint32_t *at)         \
	{                                                                                          \
		const T *v = values;                                                               \
		const D l = SET(least);                                                            \
		size_t k = 0;                                                                      \
                                                                                                   \
		for (size_t i = 0; i < n; i += LANES) {                                            \
			unsigned found = (unsigned)NOT_LESS(SUB(LOAD(v + i), LOAD_F64(w + i)), l); \
                                                                                                   \
			for (; found; found &= found - 1)                                          \
				at[k++] = (uint32_t)i + (uint32_t)__builtin_ctz(found);            \
		}                                                                                  \
		return k;                                                                          \
	}

SCANS(int16_t, i16, LOAD_I16)
SCANS(int32_t, i32, LOAD_I32)
#ifdef LOAD_I64
SCANS(int64_t, i64, LOAD_I64)
#endif
SCANS(float, f32, LOAD_F32)
SCANS(double, f64, LOAD_F64)

const struct csg__scan_kernel KERNELS[] = {
	[GPUBE_INT16] = {most_i16, over_i16},
	[GPUBE_INT32] = {most_i32, over_i32},
#ifdef LOAD_I64
	[GPUBE_INT64] = {most_i64, over_i64},
#endif
	[GPUBE_FLOAT32] = {most_f32, over_f32},
	[GPUBE_FLOAT64] = {most_f64, over_f64},
};
