/*
 * subset_types_impl.h - the kernels of all value types on one instruction set. The file that
 * includes it defines what subset_tile_impl.h wants of each type t, its V_TOP as TOP_t; then
 * KERNELS(...) is the table, of the near kernels that there are, as NEAR(t, floor, room), or NULL.
 */
#include <math.h>
#include <string.h>

#include "gpube/ops/subset/subset_tile.h"

#define T      int16_t
#define U      uint16_t
#define X(n)   n##_i16
#define LOWEST INT16_MIN
#ifdef TOP_i16
#define V_TOP TOP_i16
#endif
#include "gpube/ops/subset/subset_tile_impl.h"

#define T      int32_t
#define U      uint32_t
#define X(n)   n##_i32
#define LOWEST INT32_MIN
#ifdef TOP_i32
#define V_TOP TOP_i32
#endif
#include "gpube/ops/subset/subset_tile_impl.h"

#define T      int64_t
#define U      uint64_t
#define X(n)   n##_i64
#define LOWEST INT64_MIN
#ifdef TOP_i64
#define V_TOP TOP_i64
#endif
#include "gpube/ops/subset/subset_tile_impl.h"

#define T      float
#define U      float
#define X(n)   n##_f32
#define LOWEST -INFINITY
#include "gpube/ops/subset/subset_tile_impl.h"

#define T      double
#define U      double
#define X(n)   n##_f64
#define LOWEST -INFINITY
#include "gpube/ops/subset/subset_tile_impl.h"

#define KERNEL(t, near)                                                                            \
	{                                                                                          \
		GROUP_BITS, clear_##t, add_##t, reduce_##t, near, 0, 0                             \
	}
#define NEAR(t, floor, room)                                                                       \
	(&(const struct gpube__tile_kernel){                                                       \
		GROUP_BITS, near_clear_##t, near_add_##t, near_reduce_##t, NULL, floor, room})
#define KERNELS(near_i16, near_i32, near_i64)                                                      \
	{                                                                                          \
		[GPUBE_INT16] = KERNEL(i16, near_i16), [GPUBE_INT32] = KERNEL(i32, near_i32),      \
		[GPUBE_INT64] = KERNEL(i64, near_i64), [GPUBE_FLOAT32] = KERNEL(f32, NULL),        \
		[GPUBE_FLOAT64] = KERNEL(f64, NULL),                                               \
	}
