/* subset_ref.c - the specification of subset_convolve: every X, every Y inside it. */
#include "gpube/ops/subset/subset.h"
#include "gpube/base/by_type.h"

#define CONVOLVE(T, MOST, field)                                                                   \
	do {                                                                                       \
		const T *a = s->a, *b = s->b;                                                      \
		T *out = s->out;                                                                   \
                                                                                                   \
		for (uint64_t x = 0; x < n; x++) {                                                 \
			T best = (T)(a[x] + b[0]);                                                 \
                                                                                                   \
			for (uint64_t y = x; y != 0;) {                                            \
				T sum;                                                             \
                                                                                                   \
				y = gpube__submask_before(x, y);                                   \
				sum = (T)(a[y] + b[x ^ y]);                                        \
				if (sum > best)                                                    \
					best = sum;                                                \
			}                                                                          \
			out[x] = best;                                                             \
		}                                                                                  \
	} while (0)

int gpube__subset_reference(struct gpube_ctx *ctx, const struct gpube_subset *s)
{
	const uint64_t n = (uint64_t)1 << (s->n_bits & 63);

	if (s->n_bits < 0 || s->n_bits > 40)
		return gpube__fail(ctx, GPUBE_EINVAL, "subset_convolve: %d bits", s->n_bits);
	if (s->type < GPUBE_INT16 || s->type > GPUBE_FLOAT64)
		return gpube__fail(ctx, GPUBE_EINVAL, "subset_convolve: no such type");
	GPUBE_BY_VALUE(s->type, CONVOLVE);
	return GPUBE_OK;
}
