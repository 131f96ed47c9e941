/* contract_avx2.c - the kernels of contract with 256-bit vectors. */
#include "gpube/ops/contract_tile.h"

#if defined(__AVX2__) && defined(__FMA__)
#include <float.h>
#include <immintrin.h>
#include <math.h>

#define INLINE	       inline __attribute__((always_inline))
#define NOINLINE       __attribute__((noinline))
#define UNROLL	       _Pragma("GCC unroll 16")
#define MANY_REGISTERS 1

static INLINE void transpose8(__m256 v[8])
{
	__m256 t[8];

	UNROLL for (int i = 0; i < 8; i += 2)
	{
		t[i] = _mm256_unpacklo_ps(v[i], v[i + 1]);
		t[i + 1] = _mm256_unpackhi_ps(v[i], v[i + 1]);
	}
	UNROLL for (int i = 0; i < 8; i += 4)
	{
		v[i] = _mm256_shuffle_ps(t[i], t[i + 2], 0x44);
		v[i + 1] = _mm256_shuffle_ps(t[i], t[i + 2], 0xee);
		v[i + 2] = _mm256_shuffle_ps(t[i + 1], t[i + 3], 0x44);
		v[i + 3] = _mm256_shuffle_ps(t[i + 1], t[i + 3], 0xee);
	}
	UNROLL for (int i = 0; i < 4; i++)
	{
		t[i] = _mm256_permute2f128_ps(v[i], v[i + 4], 0x20);
		t[i + 4] = _mm256_permute2f128_ps(v[i], v[i + 4], 0x31);
	}
	UNROLL for (int i = 0; i < 8; i++) v[i] = t[i];
}

static INLINE void transpose4(__m256d v[4])
{
	const __m256d a = _mm256_unpacklo_pd(v[0], v[1]), b = _mm256_unpackhi_pd(v[0], v[1]);
	const __m256d c = _mm256_unpacklo_pd(v[2], v[3]), d = _mm256_unpackhi_pd(v[2], v[3]);

	v[0] = _mm256_permute2f128_pd(a, c, 0x20);
	v[1] = _mm256_permute2f128_pd(b, d, 0x20);
	v[2] = _mm256_permute2f128_pd(a, c, 0x31);
	v[3] = _mm256_permute2f128_pd(b, d, 0x31);
}

/* ---- int32 ---- */

static INLINE __m256i mask_i32(int64_t n)
{
	const __m256i lane = _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7);
	
	return _mm256_cmpgt_epi32(_mm256_set1_epi32(n > 8 ? 8 : (int)n), lane);
}

static INLINE __m256i load_i32(const int32_t *p)
{
	return _mm256_loadu_si256((const __m256i *)p);
}

static INLINE __m256i loadm_i32(__m256i m, const int32_t *p)
{
	return _mm256_maskload_epi32((const int *)p, m);
}

static INLINE void store_i32(int32_t *p, __m256i v)
{
	_mm256_storeu_si256((__m256i *)p, v);
}

static INLINE void storem_i32(int32_t *p, __m256i m, __m256i v)
{
	_mm256_maskstore_epi32((int *)p, m, v);
}

static INLINE void stream_i32(int32_t *p, __m256i v)
{
	_mm256_stream_si256((__m256i *)p, v);
}

static INLINE __m256i set_i32(int32_t x)
{
	return _mm256_set1_epi32(x);
}

static INLINE __m256i add_i32(__m256i a, __m256i b)
{
	return _mm256_add_epi32(a, b);
}

static INLINE __m256i min_i32(__m256i a, __m256i b)
{
	return _mm256_min_epi32(a, b);
}

static INLINE __m256i max_i32(__m256i a, __m256i b)
{
	return _mm256_max_epi32(a, b);
}

static INLINE __m256i cut_min_i32(__m256i v, int32_t threshold, int32_t cut)
{
	const __m256i below = _mm256_cmpgt_epi32(set_i32(threshold), v);
	
	return _mm256_blendv_epi8(set_i32(cut), v, below);
}

static INLINE __m256i cut_max_i32(__m256i v, int32_t threshold, int32_t cut)
{
	const __m256i above = _mm256_cmpgt_epi32(v, set_i32(-threshold));
	
	return _mm256_blendv_epi8(set_i32(-cut), v, above);
}

static INLINE void arg_min_i32(__m256i *best, __m256i *at, __m256i v, __m256i x)
{
	*at = _mm256_blendv_epi8(*at, x, _mm256_cmpgt_epi32(*best, v));
	*best = min_i32(*best, v);
}

static INLINE void arg_max_i32(__m256i *best, __m256i *at, __m256i v, __m256i x)
{
	*at = _mm256_blendv_epi8(*at, x, _mm256_cmpgt_epi32(v, *best));
	*best = max_i32(*best, v);
}

static INLINE __m256i loadi_i32(const int32_t *p)
{
	return _mm256_loadu_si256((const __m256i *)p);
}

static INLINE void storei_i32(int32_t *p, __m256i v)
{
	_mm256_storeu_si256((__m256i *)p, v);
}

static INLINE __m256i seti_i32(int32_t x)
{
	return _mm256_set1_epi32(x);
}

static INLINE __m256i gather_i32(__m256i m, const int32_t *p, const int32_t *index)
{
	return _mm256_mask_i32gather_epi32(
		_mm256_setzero_si256(), (const int *)p, _mm256_loadu_si256((const __m256i *)index), m, 4);
}

static INLINE __m256i expand_i32(__m256i m, const int32_t *p, int span, const int32_t *index)
{
	(void)m;
	return _mm256_permutevar8x32_epi32(
		loadm_i32(mask_i32(span), p), _mm256_loadu_si256((const __m256i *)index));
}

static INLINE void turn_i32(__m256i *v)
{
	__m256 t[8];
	
	UNROLL for (int i = 0; i < 8; i++) t[i] = _mm256_castsi256_ps(v[i]);
	transpose8(t);
	UNROLL for (int i = 0; i < 8; i++) v[i] = _mm256_castps_si256(t[i]);
}

#define T	 int32_t
#define V	 __m256i
#define M	 __m256i
#define W	 8
#define I	 int32_t
#define VI	 __m256i
#define IS_FLOAT 0
#define NAME(n)	 n##_i32
#include "gpube/ops/contract_type_impl.h"

/* ---- int64 ---- */

static INLINE __m256i mask_i64(int64_t n)
{
	return _mm256_cmpgt_epi64(_mm256_set1_epi64x(n), _mm256_setr_epi64x(0, 1, 2, 3));
}

static INLINE __m256i load_i64(const int64_t *p)
{
	return _mm256_loadu_si256((const __m256i *)p);
}

static INLINE __m256i loadm_i64(__m256i m, const int64_t *p)
{
	return _mm256_maskload_epi64((const long long *)p, m);
}

static INLINE void store_i64(int64_t *p, __m256i v)
{
	_mm256_storeu_si256((__m256i *)p, v);
}

static INLINE void storem_i64(int64_t *p, __m256i m, __m256i v)
{
	_mm256_maskstore_epi64((long long *)p, m, v);
}

static INLINE void stream_i64(int64_t *p, __m256i v)
{
	_mm256_stream_si256((__m256i *)p, v);
}

static INLINE __m256i set_i64(int64_t x)
{
	return _mm256_set1_epi64x(x);
}

static INLINE __m256i add_i64(__m256i a, __m256i b)
{
	return _mm256_add_epi64(a, b);
}

static INLINE __m256i min_i64(__m256i a, __m256i b)
{
	return _mm256_blendv_epi8(a, b, _mm256_cmpgt_epi64(a, b));
}

static INLINE __m256i max_i64(__m256i a, __m256i b)
{
	return _mm256_blendv_epi8(b, a, _mm256_cmpgt_epi64(a, b));
}

static INLINE __m256i cut_min_i64(__m256i v, int64_t threshold, int64_t cut)
{
	const __m256i below = _mm256_cmpgt_epi64(set_i64(threshold), v);
	
	return _mm256_blendv_epi8(set_i64(cut), v, below);
}

static INLINE __m256i cut_max_i64(__m256i v, int64_t threshold, int64_t cut)
{
	const __m256i above = _mm256_cmpgt_epi64(v, set_i64(-threshold));
	
	return _mm256_blendv_epi8(set_i64(-cut), v, above);
}

static INLINE void arg_min_i64(__m256i *best, __m256i *at, __m256i v, __m256i x)
{
	*at = _mm256_blendv_epi8(*at, x, _mm256_cmpgt_epi64(*best, v));
	*best = min_i64(*best, v);
}

static INLINE void arg_max_i64(__m256i *best, __m256i *at, __m256i v, __m256i x)
{
	*at = _mm256_blendv_epi8(*at, x, _mm256_cmpgt_epi64(v, *best));
	*best = max_i64(*best, v);
}

static INLINE __m256i loadi_i64(const int64_t *p)
{
	return _mm256_loadu_si256((const __m256i *)p);
}

static INLINE void storei_i64(int64_t *p, __m256i v)
{
	_mm256_storeu_si256((__m256i *)p, v);
}

static INLINE __m256i seti_i64(int64_t x)
{
	return _mm256_set1_epi64x(x);
}

static INLINE __m256i gather_i64(__m256i m, const int64_t *p, const int32_t *index)
{
	return _mm256_mask_i32gather_epi64(
		_mm256_setzero_si256(), (const long long *)p, _mm_loadu_si128((const __m128i *)index), m, 8);
}

static INLINE __m256i expand_i64(__m256i m, const int64_t *p, int span, const int32_t *index)
{
	(void)span;
	return gather_i64(m, p, index);
}

static INLINE void turn_i64(__m256i *v)
{
	__m256d t[4];
	
	UNROLL for (int i = 0; i < 4; i++) t[i] = _mm256_castsi256_pd(v[i]);
	transpose4(t);
	UNROLL for (int i = 0; i < 4; i++) v[i] = _mm256_castpd_si256(t[i]);
}

#define T	 int64_t
#define V	 __m256i
#define M	 __m256i
#define W	 4
#define I	 int64_t
#define VI	 __m256i
#define IS_FLOAT 0
#define NAME(n)	 n##_i64
#include "gpube/ops/contract_type_impl.h"

/* ---- float32 ---- */

static INLINE __m256i mask_f32(int64_t n)
{
	const __m256i lane = _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7);
	
	return _mm256_cmpgt_epi32(_mm256_set1_epi32(n > 8 ? 8 : (int)n), lane);
}

static INLINE __m256 load_f32(const float *p)
{
	return _mm256_loadu_ps(p);
}

static INLINE __m256 loadm_f32(__m256i m, const float *p)
{
	return _mm256_maskload_ps(p, m);
}

static INLINE void store_f32(float *p, __m256 v)
{
	_mm256_storeu_ps(p, v);
}

static INLINE void storem_f32(float *p, __m256i m, __m256 v)
{
	_mm256_maskstore_ps(p, m, v);
}

static INLINE void stream_f32(float *p, __m256 v)
{
	_mm256_stream_ps(p, v);
}

static INLINE __m256 set_f32(float x)
{
	return _mm256_set1_ps(x);
}

static INLINE __m256 add_f32(__m256 a, __m256 b)
{
	return _mm256_add_ps(a, b);
}

static INLINE __m256 min_f32(__m256 a, __m256 b)
{
	return _mm256_min_ps(a, b);
}

static INLINE __m256 max_f32(__m256 a, __m256 b)
{
	return _mm256_max_ps(a, b);
}

static INLINE __m256 sub_f32(__m256 a, __m256 b)
{
	return _mm256_sub_ps(a, b);
}

static INLINE __m256 mul_f32(__m256 a, __m256 b)
{
	return _mm256_mul_ps(a, b);
}

static INLINE __m256 fma_f32(__m256 a, __m256 b, __m256 c)
{
	return _mm256_fmadd_ps(a, b, c);
}

static INLINE __m256 rint_f32(__m256 v)
{
	return _mm256_round_ps(v, _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC);
}

static INLINE __m256 scale_f32(__m256 v, __m256 n)
{
	return _mm256_castsi256_ps(_mm256_add_epi32(
		_mm256_castps_si256(v), _mm256_slli_epi32(_mm256_cvtps_epi32(n), 23)));
}

static INLINE __m256 cut_min_f32(__m256 v, float threshold, float cut)
{
	(void)threshold;
	(void)cut;
	return v;
}

static INLINE __m256 cut_max_f32(__m256 v, float threshold, float cut)
{
	(void)threshold;
	(void)cut;
	return v;
}

static INLINE void arg_min_f32(__m256 *best, __m256i *at, __m256 v, __m256i x)
{
	*at = _mm256_blendv_epi8(*at, x, _mm256_castps_si256(_mm256_cmp_ps(v, *best, _CMP_LT_OQ)));
	*best = min_f32(*best, v);
}

static INLINE void arg_max_f32(__m256 *best, __m256i *at, __m256 v, __m256i x)
{
	*at = _mm256_blendv_epi8(*at, x, _mm256_castps_si256(_mm256_cmp_ps(v, *best, _CMP_GT_OQ)));
	*best = max_f32(*best, v);
}

static INLINE __m256i loadi_f32(const int32_t *p)
{
	return _mm256_loadu_si256((const __m256i *)p);
}

static INLINE void storei_f32(int32_t *p, __m256i v)
{
	_mm256_storeu_si256((__m256i *)p, v);
}

static INLINE __m256i seti_f32(int32_t x)
{
	return _mm256_set1_epi32(x);
}

static INLINE __m256 gather_f32(__m256i m, const float *p, const int32_t *index)
{
	return _mm256_mask_i32gather_ps(
		_mm256_setzero_ps(), p, _mm256_loadu_si256((const __m256i *)index), _mm256_castsi256_ps(m), 4);
}

static INLINE __m256 expand_f32(__m256i m, const float *p, int span, const int32_t *index)
{
	(void)m;
	return _mm256_permutevar8x32_ps(
		loadm_f32(mask_f32(span), p), _mm256_loadu_si256((const __m256i *)index));
}

static INLINE void turn_f32(__m256 *v)
{
	transpose8(v);
}

#define T	 float
#define V	 __m256
#define M	 __m256i
#define W	 8
#define I	 int32_t
#define VI	 __m256i
#define IS_FLOAT 1
#define NAME(n)	 n##_f32
#include "gpube/ops/contract_type_impl.h"

/* ---- float64 ---- */

static INLINE __m256i mask_f64(int64_t n)
{
	return _mm256_cmpgt_epi64(_mm256_set1_epi64x(n), _mm256_setr_epi64x(0, 1, 2, 3));
}

static INLINE __m256d load_f64(const double *p)
{
	return _mm256_loadu_pd(p);
}

static INLINE __m256d loadm_f64(__m256i m, const double *p)
{
	return _mm256_maskload_pd(p, m);
}

static INLINE void store_f64(double *p, __m256d v)
{
	_mm256_storeu_pd(p, v);
}

static INLINE void storem_f64(double *p, __m256i m, __m256d v)
{
	_mm256_maskstore_pd(p, m, v);
}

static INLINE void stream_f64(double *p, __m256d v)
{
	_mm256_stream_pd(p, v);
}

static INLINE __m256d set_f64(double x)
{
	return _mm256_set1_pd(x);
}

static INLINE __m256d add_f64(__m256d a, __m256d b)
{
	return _mm256_add_pd(a, b);
}

static INLINE __m256d min_f64(__m256d a, __m256d b)
{
	return _mm256_min_pd(a, b);
}

static INLINE __m256d max_f64(__m256d a, __m256d b)
{
	return _mm256_max_pd(a, b);
}

static INLINE __m256d sub_f64(__m256d a, __m256d b)
{
	return _mm256_sub_pd(a, b);
}

static INLINE __m256d mul_f64(__m256d a, __m256d b)
{
	return _mm256_mul_pd(a, b);
}

static INLINE __m256d fma_f64(__m256d a, __m256d b, __m256d c)
{
	return _mm256_fmadd_pd(a, b, c);
}

static INLINE __m256d rint_f64(__m256d v)
{
	return _mm256_round_pd(v, _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC);
}

static INLINE __m256d scale_f64(__m256d v, __m256d n)
{
	const __m256i wide = _mm256_cvtepi32_epi64(_mm256_cvtpd_epi32(n));
	
	return _mm256_castsi256_pd(
		_mm256_add_epi64(_mm256_castpd_si256(v), _mm256_slli_epi64(wide, 52)));
}

static INLINE __m256d cut_min_f64(__m256d v, double threshold, double cut)
{
	(void)threshold;
	(void)cut;
	return v;
}

static INLINE __m256d cut_max_f64(__m256d v, double threshold, double cut)
{
	(void)threshold;
	(void)cut;
	return v;
}

static INLINE void arg_min_f64(__m256d *best, __m256i *at, __m256d v, __m256i x)
{
	*at = _mm256_blendv_epi8(*at, x, _mm256_castpd_si256(_mm256_cmp_pd(v, *best, _CMP_LT_OQ)));
	*best = min_f64(*best, v);
}

static INLINE void arg_max_f64(__m256d *best, __m256i *at, __m256d v, __m256i x)
{
	*at = _mm256_blendv_epi8(*at, x, _mm256_castpd_si256(_mm256_cmp_pd(v, *best, _CMP_GT_OQ)));
	*best = max_f64(*best, v);
}

static INLINE __m256i loadi_f64(const int64_t *p)
{
	return _mm256_loadu_si256((const __m256i *)p);
}

static INLINE void storei_f64(int64_t *p, __m256i v)
{
	_mm256_storeu_si256((__m256i *)p, v);
}

static INLINE __m256i seti_f64(int64_t x)
{
	return _mm256_set1_epi64x(x);
}

static INLINE __m256d gather_f64(__m256i m, const double *p, const int32_t *index)
{
	return _mm256_mask_i32gather_pd(
		_mm256_setzero_pd(), p, _mm_loadu_si128((const __m128i *)index), _mm256_castsi256_pd(m), 8);
}

static INLINE __m256d expand_f64(__m256i m, const double *p, int span, const int32_t *index)
{
	(void)span;
	return gather_f64(m, p, index);
}

static INLINE void turn_f64(__m256d *v)
{
	transpose4(v);
}

#define T	 double
#define V	 __m256d
#define M	 __m256i
#define W	 4
#define I	 int64_t
#define VI	 __m256i
#define IS_FLOAT 1
#define NAME(n)	 n##_f64
#include "gpube/ops/contract_type_impl.h"

static void fence(void)
{
	_mm_sfence();
}

static const struct gpube__kernels kernels = {
	.name = "avx2",
	.vector_bytes = 32,
	.fence = fence,
#include "gpube/ops/contract_table.h"
};

const struct gpube__kernels *gpube__kernels_avx2(void)
{
	return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") ? &kernels : NULL;
}

#else

const struct gpube__kernels *gpube__kernels_avx2(void)
{
	return NULL;
}

#endif
