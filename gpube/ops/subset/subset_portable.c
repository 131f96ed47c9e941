/* subset_portable.c - kernels of subset_convolve with the compiler's own 16-byte vectors. */
#include <stdint.h>

#define VECTOR_BYTES 16
#define GROUP_BITS   2

#define ONE_BY_ONE(s, map) (s) = (map)

#define MAX_i16          larger_i16
#define SHUFFLES_i16     const uint8_t *
#define SHUFFLE_INIT_i16 ONE_BY_ONE
#define SHUFFLE_i16      picked_i16
#define MAX_i32          larger_i32
#define SHUFFLES_i32     const uint8_t *
#define SHUFFLE_INIT_i32 ONE_BY_ONE
#define SHUFFLE_i32      picked_i32
#define MAX_i64          larger_i64
#define SHUFFLES_i64     const uint8_t *
#define SHUFFLE_INIT_i64 ONE_BY_ONE
#define SHUFFLE_i64      picked_i64
#define MAX_f32          larger_f32
#define SHUFFLES_f32     const uint8_t *
#define SHUFFLE_INIT_f32 ONE_BY_ONE
#define SHUFFLE_f32      picked_f32
#define MAX_f64          larger_f64
#define SHUFFLES_f64     const uint8_t *
#define SHUFFLE_INIT_f64 ONE_BY_ONE
#define SHUFFLE_f64      picked_f64
#include "gpube/ops/subset/subset_types_impl.h"

const struct gpube__tile_kernel gpube__tiles_portable[] = KERNELS(NULL, NULL, NULL);
