/*
 * support_sides.h - gpube__support_side_2() to _11(), whose matrices fit into the registers of a
 * thread, and gpube__support_side_any(). See support_side_impl.h.
 */
#include <math.h>

#include "gpube/ops/support.h"

#if defined(__CUDA_ARCH__)
#define GPUBE_SUPPORT_LOWEST(mask) (__ffsll((long long)(mask)) - 1)
#else
#define GPUBE_SUPPORT_LOWEST(mask) __builtin_ctzll(mask)
#endif

#define GPUBE_SUPPORT_FIXED 11 /* sizes 2 to this have a function each */

#define SIDE_NAME gpube__support_side_2
#define SIDE_Q    2
#include "gpube/ops/support_side_impl.h"
#define SIDE_NAME gpube__support_side_3
#define SIDE_Q    3
#include "gpube/ops/support_side_impl.h"
#define SIDE_NAME gpube__support_side_4
#define SIDE_Q    4
#include "gpube/ops/support_side_impl.h"
#define SIDE_NAME gpube__support_side_5
#define SIDE_Q    5
#include "gpube/ops/support_side_impl.h"
#define SIDE_NAME gpube__support_side_6
#define SIDE_Q    6
#include "gpube/ops/support_side_impl.h"
#define SIDE_NAME gpube__support_side_7
#define SIDE_Q    7
#include "gpube/ops/support_side_impl.h"
#define SIDE_NAME gpube__support_side_8
#define SIDE_Q    8
#include "gpube/ops/support_side_impl.h"
#define SIDE_NAME gpube__support_side_9
#define SIDE_Q    9
#include "gpube/ops/support_side_impl.h"
#define SIDE_NAME gpube__support_side_10
#define SIDE_Q    10
#include "gpube/ops/support_side_impl.h"
#define SIDE_NAME gpube__support_side_11
#define SIDE_Q    11
#include "gpube/ops/support_side_impl.h"
#define SIDE_NAME gpube__support_side_any
#include "gpube/ops/support_side_impl.h"

static GPUBE_HD inline int gpube__support_side(
	const double *c, int stride, int l, uint64_t own, uint64_t other, int q)
{
	switch (q) {
	case 2:
		return gpube__support_side_2(c, stride, l, own, other);
	case 3:
		return gpube__support_side_3(c, stride, l, own, other);
	case 4:
		return gpube__support_side_4(c, stride, l, own, other);
	case 5:
		return gpube__support_side_5(c, stride, l, own, other);
	case 6:
		return gpube__support_side_6(c, stride, l, own, other);
	case 7:
		return gpube__support_side_7(c, stride, l, own, other);
	case 8:
		return gpube__support_side_8(c, stride, l, own, other);
	case 9:
		return gpube__support_side_9(c, stride, l, own, other);
	case 10:
		return gpube__support_side_10(c, stride, l, own, other);
	case 11:
		return gpube__support_side_11(c, stride, l, own, other);
	default:
		return gpube__support_side_any(c, stride, l, own, other, q);
	}
}

/*
 * Both sides, player 1's first: most pairs end there. c0 and c1 as in gpube_support_scan, with
 * their strides.
 */
static GPUBE_HD inline int gpube__support_check(const double *c0, int stride0, const double *c1,
	int stride1, int k, int l, uint64_t x, uint64_t y, int q)
{
	const int first = gpube__support_side(c0, stride0, l, x, y, q);
	int second;

	if (first == GPUBE_SUPPORT_NO)
		return first;
	second = gpube__support_side(c1, stride1, k, y, x, q);
	return second == GPUBE_SUPPORT_NO ? second : first > second ? first : second;
}
