/*
 * support_swap_impl.h - exchanges in a dictionary; included once for each number of them, by
 * support_dict.h.
 *
 * SWAP_NAME   the function
 * SWAP_K      the number, so that the system can live in registers; fewer are filled up with
 *             equations z = 0. Undefined: any, up to GPUBE_SUPPORT_SWAPS
 *
 * Elimination with row exchanges; a row is exchanged by comparing numbers of rows, not by an
 * index, which registers have not.
 */
#ifdef SWAP_K
#define SWAP_MOST SWAP_K
#if defined(__CUDA_ARCH__)
#define SWAP_UNROLL _Pragma("unroll")
#elif defined(__CUDACC__)
#define SWAP_UNROLL
#elif defined(__clang__)
#define SWAP_UNROLL _Pragma("clang loop unroll(full)")
#else
#define SWAP_UNROLL _Pragma("GCC unroll 16")
#endif
#else
#define SWAP_MOST GPUBE_SUPPORT_SWAPS
#define SWAP_UNROLL
#endif
static GPUBE_HD int SWAP_NAME(const struct gpube_support_dict *d, int side, gpube_support_mask t)
{
	gpube_support_mask zero = gpube__support_zero(d, side, t), zero_rows = 0;
	gpube_support_mask freed = gpube__support_freed(d, side, t);
	const int n = GPUBE_SUPPORT_COUNT(zero), first1 = GPUBE_SUPPORT_COUNT(d->rows);
#ifdef SWAP_K
	const int k = SWAP_K;
#else
	const int k = n;
#endif
	double w[SWAP_MOST][SWAP_MOST + 1], z[SWAP_MOST], least = 1, slack;
	int at[SWAP_MOST], answer = GPUBE_SUPPORT_YES;

	GPUBE_KNOWN_SET(w); /* rows and columns below k, and column k */
	SWAP_UNROLL
	for (int j = 0; j < k; j++) {
		at[j] = j < n ? 1 + gpube__support_rank(d->columns, GPUBE_SUPPORT_LOWEST(freed))
			      : 0;
		freed &= freed - 1;
	}
	SWAP_UNROLL
	for (int i = 0; i < k; i++) {
		const int row =
			i < n ? gpube__support_rank(d->rows, GPUBE_SUPPORT_LOWEST(zero)) : 0;
		const double *from = d->d + row * d->stride;

		zero &= zero - 1;
		zero_rows |= (gpube_support_mask)(i < n) << row;
		SWAP_UNROLL
		for (int j = 0; j < k; j++) {
			const double v = from[at[j]];

			w[i][j] = i < n && j < n ? v : i == j;
		}
		w[i][k] = i < n ? -from[0] : 0;
	}
	SWAP_UNROLL
	for (int p = 0; p < k; p++) {
		double most = fabs(w[p][p]), inverse;
		int best = p;

		SWAP_UNROLL
		for (int r = p + 1; r < k; r++) {
			const double v = fabs(w[r][p]);

			best = v > most ? r : best;
			most = v > most ? v : most;
		}
		least = most < least ? most : least;
		if (least < GPUBE_SUPPORT_SINGULAR)
			return GPUBE_SUPPORT_UNSURE;
		SWAP_UNROLL
		for (int r = p + 1; r < k; r++)
			if (r == best) {
				SWAP_UNROLL
				for (int j = p; j <= k; j++) {
					const double v = w[r][j];

					w[r][j] = w[p][j];
					w[p][j] = v;
				}
			}
		inverse = 1 / w[p][p];
		SWAP_UNROLL
		for (int r = p + 1; r < k; r++) {
			const double f = w[r][p] * inverse;

			SWAP_UNROLL
			for (int j = p + 1; j <= k; j++)
				w[r][j] -= f * w[p][j];
		}
		w[p][p] = inverse;
	}
	least *= d->least;
	if (least < GPUBE_SUPPORT_SINGULAR)
		return GPUBE_SUPPORT_UNSURE;
	slack = GPUBE_SUPPORT_ERROR / least;
	SWAP_UNROLL
	for (int r = k - 1; r >= 0; r--) {
		double v = w[r][k];

		SWAP_UNROLL
		for (int j = r + 1; j < k; j++)
			v -= w[r][j] * z[j];
		v *= w[r][r];
		if (v < -slack)
			return GPUBE_SUPPORT_NO;
		/* probabilities are to be above 0, slacks need not */
		answer = side && r < n && v <= slack ? GPUBE_SUPPORT_UNSURE : answer;
		z[r] = v;
	}
	for (int r = 0; r < d->n_rows; r++) {
		const double *from = d->d + r * d->stride;
		double v = from[0];

		if (zero_rows >> r & 1)
			continue;
		SWAP_UNROLL
		for (int j = 0; j < k; j++)
			v += from[at[j]] * z[j];
		if (v < -slack)
			return GPUBE_SUPPORT_NO;
		answer = side == (r < first1) && v <= slack ? GPUBE_SUPPORT_UNSURE : answer;
	}
	return answer;
}
#undef SWAP_MOST
#undef SWAP_UNROLL
#undef SWAP_NAME
#undef SWAP_K
