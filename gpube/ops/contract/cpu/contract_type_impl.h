/*
 * contract_type_impl.h - all kernels of one type and instruction set. Included
 * by contract_<set>.c, which defines INLINE NOINLINE UNROLL, MANY_REGISTERS
 * (for 8 rows at once) and, for the type, T (cell), V (vector), M (mask of lanes), W (lanes of a
 * vector) and NAME(n), and the functions
 *
 *	NAME(mask)(n)			the first n lanes, at most all
 *	NAME(load)(p) NAME(loadm)(m, p)	the latter gives 0 in other lanes
 *	NAME(store)(p, v) NAME(storem)(p, m, v) NAME(stream)(p, v)
 *	NAME(set)(x) NAME(add) NAME(min)
 *	NAME(top_min)(v, threshold, top)
 *	NAME(arg_min)(&best, &at, v, x)
 *	NAME(gather)(m, p, index)
 *	NAME(expand)(m, p, span, index)	index < span <= W
 */
#define MASK(n)         NAME(mask)(n)
#define LOAD(p)         NAME(load)(p)
#define LOADM(m, p)     NAME(loadm)(m, p)
#define STORE(p, v)     NAME(store)(p, v)
#define STOREM(p, m, v) NAME(storem)(p, m, v)
#define STREAM(p, v)    NAME(stream)(p, v)
#define SET1(x)         NAME(set)(x)
#define ADD(a, b)       NAME(add)(a, b)

#define X(n) NAME(n)
#include "gpube/ops/contract/cpu/contract_pack_impl.h"
#undef X

#define X(n)                 NAME(n##_min)
#define BEST(a, b)           NAME(min)(a, b)
#define TOP(v, t, c)         NAME(top_min)(v, t, c)
#define ARGBEST(b, at, v, x) NAME(arg_min)(&(b), &(at), v, x)
#include "gpube/ops/contract/cpu/contract_tile_impl.h"
#undef X
#undef BEST
#undef TOP
#undef ARGBEST

#undef T
#undef V
#undef M
#undef W
#undef NAME
#undef MASK
#undef LOAD
#undef LOADM
#undef STORE
#undef STOREM
#undef STREAM
#undef SET1
#undef ADD
