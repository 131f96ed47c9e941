/* subset_portable.c - kernels of subset_convolve with the compiler's own 16-byte vectors. */
#include <math.h>
#include <string.h>

#include "gpube/ops/subset/subset_tile.h"

typedef int16_t v8s __attribute__((vector_size(16)));
typedef int32_t v4i __attribute__((vector_size(16)));
typedef int64_t v2l __attribute__((vector_size(16)));
typedef float v4f __attribute__((vector_size(16)));
typedef double v2d __attribute__((vector_size(16)));

/* Vectors of any alignment, the larger of two by a mask, and lanes picked one at a time. */
#define DEFINE(V, T, MASK, n)                                                                      \
	static inline V load_##V(const T *p)                                                       \
	{                                                                                          \
		V v;                                                                               \
                                                                                                   \
		memcpy(&v, p, sizeof(v));                                                          \
		return v;                                                                          \
	}                                                                                          \
	static inline void store_##V(T *p, V v)                                                    \
	{                                                                                          \
		memcpy(p, &v, sizeof(v));                                                          \
	}                                                                                          \
	static inline V set_##V(T x)                                                               \
	{                                                                                          \
		V v = {0};                                                                         \
                                                                                                   \
		for (int i = 0; i < (n); i++)                                                      \
			v[i] = x;                                                                  \
		return v;                                                                          \
	}                                                                                          \
	static inline V max_##V(V a, V b)                                                          \
	{                                                                                          \
		MASK m = (MASK)(a > b);                                                            \
                                                                                                   \
		return (V)(((MASK)a & m) | ((MASK)b & ~m));                                        \
	}                                                                                          \
	static inline V pick_##V(const uint8_t *map, const T *p)                                   \
	{                                                                                          \
		V v = {0};                                                                         \
                                                                                                   \
		for (int i = 0; i < (n); i++)                                                      \
			v[i] = p[map[i]];                                                          \
		return v;                                                                          \
	}

DEFINE(v8s, int16_t, v8s, 8)
DEFINE(v4i, int32_t, v4i, 4)
DEFINE(v2l, int64_t, v2l, 2)
DEFINE(v4f, float, v4i, 4)
DEFINE(v2d, double, v2l, 2)

#define GROUP_BITS 2

#define T                    int16_t
#define X(n)                 n##_i16
#define V                    v8s
#define LANES                8
#define V_LOAD(p)            load_v8s(p)
#define V_STORE(p, v)        store_v8s(p, v)
#define V_SET(x)             set_v8s(x)
#define V_ADD(a, b)          ((a) + (b))
#define V_MAX(a, b)          max_v8s(a, b)
#define LOWEST               INT16_MIN
#define SHUFFLES             const uint8_t *
#define SHUFFLE_INIT(s, map) (s) = (map)
#define SHUFFLE(s, p)        pick_v8s(s, p)
#include "gpube/ops/subset/subset_tile_impl.h"

#define T                    int32_t
#define X(n)                 n##_i32
#define V                    v4i
#define LANES                4
#define V_LOAD(p)            load_v4i(p)
#define V_STORE(p, v)        store_v4i(p, v)
#define V_SET(x)             set_v4i(x)
#define V_ADD(a, b)          ((a) + (b))
#define V_MAX(a, b)          max_v4i(a, b)
#define LOWEST               INT32_MIN
#define SHUFFLES             const uint8_t *
#define SHUFFLE_INIT(s, map) (s) = (map)
#define SHUFFLE(s, p)        pick_v4i(s, p)
#include "gpube/ops/subset/subset_tile_impl.h"

#define T                    int64_t
#define X(n)                 n##_i64
#define V                    v2l
#define LANES                2
#define V_LOAD(p)            load_v2l(p)
#define V_STORE(p, v)        store_v2l(p, v)
#define V_SET(x)             set_v2l(x)
#define V_ADD(a, b)          ((a) + (b))
#define V_MAX(a, b)          max_v2l(a, b)
#define LOWEST               INT64_MIN
#define SHUFFLES             const uint8_t *
#define SHUFFLE_INIT(s, map) (s) = (map)
#define SHUFFLE(s, p)        pick_v2l(s, p)
#include "gpube/ops/subset/subset_tile_impl.h"

#define T                    float
#define X(n)                 n##_f32
#define V                    v4f
#define LANES                4
#define V_LOAD(p)            load_v4f(p)
#define V_STORE(p, v)        store_v4f(p, v)
#define V_SET(x)             set_v4f(x)
#define V_ADD(a, b)          ((a) + (b))
#define V_MAX(a, b)          max_v4f(a, b)
#define LOWEST               -INFINITY
#define SHUFFLES             const uint8_t *
#define SHUFFLE_INIT(s, map) (s) = (map)
#define SHUFFLE(s, p)        pick_v4f(s, p)
#include "gpube/ops/subset/subset_tile_impl.h"

#define T                    double
#define X(n)                 n##_f64
#define V                    v2d
#define LANES                2
#define V_LOAD(p)            load_v2d(p)
#define V_STORE(p, v)        store_v2d(p, v)
#define V_SET(x)             set_v2d(x)
#define V_ADD(a, b)          ((a) + (b))
#define V_MAX(a, b)          max_v2d(a, b)
#define LOWEST               -INFINITY
#define SHUFFLES             const uint8_t *
#define SHUFFLE_INIT(s, map) (s) = (map)
#define SHUFFLE(s, p)        pick_v2d(s, p)
#include "gpube/ops/subset/subset_tile_impl.h"

const struct gpube__tile_kernel gpube__tiles_portable[] = {
	[GPUBE_INT16] = {GROUP_BITS, clear_i16, add_i16, reduce_i16, NULL, 0, 0},
	[GPUBE_INT32] = {GROUP_BITS, clear_i32, add_i32, reduce_i32, NULL, 0, 0},
	[GPUBE_INT64] = {GROUP_BITS, clear_i64, add_i64, reduce_i64, NULL, 0, 0},
	[GPUBE_FLOAT32] = {GROUP_BITS, clear_f32, add_f32, reduce_f32, NULL, 0, 0},
	[GPUBE_FLOAT64] = {GROUP_BITS, clear_f64, add_f64, reduce_f64, NULL, 0, 0},
};
