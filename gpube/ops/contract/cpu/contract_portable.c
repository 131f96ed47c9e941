/*
 * contract_portable.c - the choice of kernels, and those for any processor: 16-byte
 * vectors of the compiler, which are SSE2 on x86-64 and NEON on arm64.
 */
#include <string.h>

#include "gpube/ops/contract/cpu/contract_tile.h"

#define INLINE         inline __attribute__((always_inline))
#define NOINLINE       __attribute__((noinline))
#define UNROLL         _Pragma("GCC unroll 16")
#define MANY_REGISTERS 0

typedef int32_t v_i32 __attribute__((vector_size(16)));
typedef int64_t v_i64 __attribute__((vector_size(16)));

/* A mask is how many lanes there are. NAME(n): n_i32 … */
#define VECTOR_OPS(NAME, CELL)                                                                     \
	static INLINE int64_t NAME(mask)(int64_t n)                                                \
	{                                                                                          \
		return n;                                                                          \
	}                                                                                          \
	static INLINE NAME(v) NAME(load)(const CELL *p)                                            \
	{                                                                                          \
		NAME(v) v;                                                                         \
                                                                                                   \
		memcpy(&v, p, 16);                                                                 \
		return v;                                                                          \
	}                                                                                          \
	static NOINLINE NAME(v) NAME(load_some)(int64_t n, const CELL *p)                          \
	{                                                                                          \
		CELL v[16 / sizeof(CELL)] = {0};                                                   \
                                                                                                   \
		for (int l = 0; l < n; l++)                                                        \
			v[l] = p[l];                                                               \
		return NAME(load)(v);                                                              \
	}                                                                                          \
	static INLINE NAME(v) NAME(loadm)(int64_t n, const CELL *p)                                \
	{                                                                                          \
		return n < (int64_t)(16 / sizeof(CELL)) ? NAME(load_some)(n, p) : NAME(load)(p);   \
	}                                                                                          \
	static INLINE void NAME(store)(CELL * p, NAME(v) v)                                        \
	{                                                                                          \
		memcpy(p, &v, 16);                                                                 \
	}                                                                                          \
	static NOINLINE void NAME(storem)(CELL * p, int64_t n, NAME(v) v)                          \
	{                                                                                          \
		for (int l = 0; l < n && l < (int)(16 / sizeof(CELL)); l++)                        \
			p[l] = v[l];                                                               \
	}                                                                                          \
	static INLINE void NAME(stream)(CELL * p, NAME(v) v)                                       \
	{                                                                                          \
		memcpy(p, &v, 16);                                                                 \
	}                                                                                          \
	static INLINE NAME(v) NAME(set)(CELL x)                                                    \
	{                                                                                          \
		return (NAME(v)){0} + x;                                                           \
	}                                                                                          \
	static INLINE NAME(v) NAME(add)(NAME(v) a, NAME(v) b)                                      \
	{                                                                                          \
		return a + b;                                                                      \
	}                                                                                          \
	static INLINE NAME(v) NAME(choose)(NAME(v) mask, NAME(v) a, NAME(v) b)                     \
	{                                                                                          \
		return (mask & a) | (~mask & b);                                                   \
	}                                                                                          \
	static INLINE NAME(v) NAME(min)(NAME(v) a, NAME(v) b)                                      \
	{                                                                                          \
		return NAME(choose)(a < b, a, b);                                                  \
	}                                                                                          \
	static INLINE void NAME(arg_min)(NAME(v) * best, NAME(v) * at, NAME(v) v, NAME(v) x)       \
	{                                                                                          \
		const NAME(v) less = v < *best;                                                    \
                                                                                                   \
		*at = NAME(choose)(less, x, *at);                                                  \
		*best = NAME(choose)(less, v, *best);                                              \
	}                                                                                          \
	static NOINLINE NAME(v) NAME(gather)(int64_t n, const CELL *p, const int32_t *index)       \
	{                                                                                          \
		NAME(v) v = {0};                                                                   \
                                                                                                   \
		for (int l = 0; l < n && l < (int)(16 / sizeof(CELL)); l++)                        \
			v[l] = p[index[l]];                                                        \
		return v;                                                                          \
	}                                                                                          \
	static INLINE NAME(v)                                                                      \
		NAME(expand)(int64_t n, const CELL *p, int span, const int32_t *index)             \
	{                                                                                          \
		(void)span;                                                                        \
		return NAME(gather)(n, p, index);                                                  \
	}                                                                                          \
	static INLINE NAME(v) NAME(top_min)(NAME(v) v, CELL threshold, CELL top)                   \
	{                                                                                          \
		return NAME(choose)(v >= NAME(set)(threshold), NAME(set)(top), v);                 \
	}

#define I32(n) n##_i32
#define I64(n) n##_i64
VECTOR_OPS(I32, int32_t)
VECTOR_OPS(I64, int64_t)

#define VECTOR_BYTES 16
#define VI32         v_i32
#define VI64         v_i64
#define M32          int64_t
#define M64          int64_t
#include "gpube/ops/contract/cpu/contract_types_impl.h"

static const struct gpube__kernels kernels = {
	.name = "portable",
	.vector_bytes = 16,
#include "gpube/ops/contract/cpu/contract_table.h"
};

const struct gpube__kernels *gpube__kernels_portable(void)
{
	return &kernels;
}

/* ---- the choice of a set of kernels --------------------------------------------- */

static const struct gpube__kernels *forced;

const struct gpube__kernels *gpube__kernels(void)
{
	const struct gpube__kernels *k = forced;

	if (!k)
		k = gpube__kernels_avx512();
	if (!k)
		k = gpube__kernels_avx2();
	return k ? k : gpube__kernels_portable();
}

bool gpube__cpu_force(const char *name)
{
	const struct gpube__kernels *all[] = {
		gpube__kernels_portable(), gpube__kernels_avx2(), gpube__kernels_avx512()};

	forced = NULL;
	for (int i = 0; name && i < 3; i++)
		if (all[i] && strcmp(all[i]->name, name) == 0)
			forced = all[i];
	return !name || forced;
}
