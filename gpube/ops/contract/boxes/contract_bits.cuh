/*
 * contract_bits.cuh - minima of three: there is an instruction for integers, not for floats; but
 * floats without a sign are ordered as their bits are as integers. Kernels that take it see
 * afterwards whether any result has a sign (then some sum had), and do such a box again with
 * minima of two.
 */
#ifndef GPUBE_OPS_CONTRACT_BITS_CUH
#define GPUBE_OPS_CONTRACT_BITS_CUH

#include "gpube/ops/contract/boxes/contract_box_copy.cuh"

__device__ static inline int32_t min_of_bits(int32_t a, int32_t b, int32_t c)
{
	return __vimin3_s32(a, b, c);
}

__device__ static inline float min_of_bits(float a, float b, float c)
{
	return __int_as_float(
		__vimin3_s32(__float_as_int(a), __float_as_int(b), __float_as_int(c)));
}

template <int N> __device__ static inline bool some_negative(const float *v)
{
	int32_t all = 0;

#pragma unroll
	for (int i = 0; i < N; i++)
		all |= __float_as_int(v[i]);
	return all < 0;
}

/*
 * What minima begin with: where what is cut is cut to the threshold, as it mostly is, that is all
 * of the cut rule.
 */
template <typename T> __device__ static inline T before_all(struct cut<T> cut)
{
	if constexpr ((T)0.5f == (T)0)
		return cut.to == cut.threshold ? cut.to : most<T>();
	return most<T>();
}

/* Whether the rule is still to be applied to the minima. */
template <typename T> __device__ static inline bool cuts_after(struct cut<T> cut)
{
	if constexpr ((T)0.5f == (T)0)
		return cut.to != cut.threshold;
	return false;
}

/*
 * Two x for a cell. Of integers every APART-th pair, and of floats every one, is added up and a
 * minimum of three: sums take another unit than minima do.
 */
template <typename T, int APART>
__device__ static inline T two_of(int i, const T *a, const T *b, int one, T best)
{
	if constexpr ((T)0.5f != (T)0) {
		if (APART)
			return min_of_bits(best, a[0] + b[0], a[1] + b[1]);
	} else if (APART && i % (APART ? APART : 1) == 0) {
		return min_of_bits(best, add_signed(a[0], one, b[0]), add_signed(a[1], one, b[1]));
	}
	return add_min(a[1], b[1], add_min(a[0], b[0], best));
}

/* ---- writes to shared memory ----------------------------------------------------------------- */

template <typename T> __device__ static inline void store_word(uint32_t at, T v)
{
	int32_t w;

	memcpy(&w, &v, sizeof(w));
	asm volatile("st.shared.b32 [%0], %1;" ::"r"(at), "r"(w) : "memory");
}

/* Four cells, aligned to 16 bytes. */
template <typename T> __device__ static inline void store_together(uint32_t at, const T *from)
{
	int4 v;

	memcpy(&v, from, sizeof(v));
	asm volatile("st.shared.v4.b32 [%0], {%1, %2, %3, %4};" ::"r"(at), "r"(v.x), "r"(v.y),
		     "r"(v.z), "r"(v.w)
		     : "memory");
}

#endif
