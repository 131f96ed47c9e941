/*
 * support_side_impl.h - one side of a pair of supports; included once for each size, in C and
 * in CUDA C.
 *
 * SIDE_NAME   the function
 * SIDE_Q      the size, so that the matrix can live in registers; undefined: any, up to
 *             GPUBE_SUPPORT_ACTIONS, an argument
 *
 * The probability of the first action of the support is 1 minus the others, and the payoff of
 * the first action of the other support is what all are compared with: so the system has q - 1
 * unknowns, and the difference of two payoffs in [0, 1] as its entries. Elimination with row
 * exchanges; a row is exchanged by comparing numbers of rows, not by an index, which registers
 * have not.
 *
 * c[j * stride + i]  payoff of the other player's action j, in [0, 1], against own action i
 * l                  actions of the other player
 */
#ifdef SIDE_Q
#define SIDE_MOST SIDE_Q
#if defined(__CUDA_ARCH__)
#define SIDE_UNROLL _Pragma("unroll")
#elif defined(__CUDACC__)
#define SIDE_UNROLL
#elif defined(__clang__)
#define SIDE_UNROLL _Pragma("clang loop unroll(full)")
#else
#define SIDE_UNROLL _Pragma("GCC unroll 16")
#endif
static GPUBE_HD int SIDE_NAME(const double *c, int stride, int l, uint64_t own, uint64_t other)
#else
#define SIDE_MOST GPUBE_SUPPORT_ACTIONS
#define SIDE_UNROLL
static GPUBE_HD int SIDE_NAME(
	const double *c, int stride, int l, uint64_t own, uint64_t other, int q)
#endif
{
#ifdef SIDE_Q
	const int q = SIDE_Q;
#endif
	double w[SIDE_MOST][SIDE_MOST], x[SIDE_MOST], first[SIDE_MOST];
	double sum = 0, value = 0, least = 1, slack;
	int s[SIDE_MOST], answer = GPUBE_SUPPORT_YES;

	/* own actions, and the row of the other support's first action */
	SIDE_UNROLL
	for (int j = 0; j < q; j++) {
		s[j] = GPUBE_SUPPORT_LOWEST(own);
		own &= own - 1;
	}
	{
		const double *row = c + GPUBE_SUPPORT_LOWEST(other) * stride;

		other &= other - 1;
		SIDE_UNROLL
		for (int j = 0; j < q; j++)
			first[j] = row[s[j]];
	}
	SIDE_UNROLL
	for (int r = 0; r < q - 1; r++) {
		const double *row = c + GPUBE_SUPPORT_LOWEST(other) * stride;
		/* NOLINTNEXTLINE(clang-analyzer-core.uninitialized.*): there are q > r + 1 of both */
		const double d = row[s[0]] - first[0];

		other &= other - 1;
		SIDE_UNROLL
		for (int j = 1; j < q; j++)
			w[r][j - 1] = (row[s[j]] - first[j]) - d;
		w[r][q - 1] = -d;
	}
	SIDE_UNROLL
	for (int p = 0; p < q - 1; p++) {
		double most = fabs(w[p][p]), inverse;
		int best = p;

		SIDE_UNROLL
		for (int r = p + 1; r < q - 1; r++) {
			const double v = fabs(w[r][p]);

			best = v > most ? r : best;
			most = v > most ? v : most;
		}
		if (most < GPUBE_SUPPORT_SINGULAR)
			return GPUBE_SUPPORT_UNSURE;
		least = most < least ? most : least;
		SIDE_UNROLL
		for (int r = p + 1; r < q - 1; r++)
			if (r == best) {
				SIDE_UNROLL
				for (int j = p; j < q; j++) {
					const double t = w[r][j];

					w[r][j] = w[p][j];
					w[p][j] = t;
				}
			}
		inverse = 1 / w[p][p];
		SIDE_UNROLL
		for (int r = p + 1; r < q - 1; r++) {
			const double f = w[r][p] * inverse;

			SIDE_UNROLL
			for (int j = p + 1; j < q; j++)
				w[r][j] -= f * w[p][j];
		}
		w[p][p] = inverse;
	}
	slack = GPUBE_SUPPORT_ERROR / least;
	SIDE_UNROLL
	for (int r = q - 2; r >= 0; r--) {
		/* NOLINTNEXTLINE(clang-analyzer-core.uninitialized.*): all rows were set, whole */
		double v = w[r][q - 1];

		SIDE_UNROLL
		for (int j = r + 1; j < q - 1; j++)
			v -= w[r][j] * x[j + 1];
		v *= w[r][r];
		if (v < -slack)
			return GPUBE_SUPPORT_NO;
		answer = v <= slack ? GPUBE_SUPPORT_UNSURE : answer;
		x[r + 1] = v;
		sum += v;
	}
	if (sum > 1 + slack)
		return GPUBE_SUPPORT_NO;
	answer = sum >= 1 - slack ? GPUBE_SUPPORT_UNSURE : answer;
	x[0] = 1 - sum;
	SIDE_UNROLL
	for (int j = 0; j < q; j++)
		value += first[j] * x[j];
	/* those of the support are among them: they are worth 'value' by the equations */
	for (int t = 0; t < l; t++) {
		double v = 0;

		SIDE_UNROLL
		for (int j = 0; j < q; j++)
			v += c[t * stride + s[j]] * x[j];
		if (v > value + slack)
			return GPUBE_SUPPORT_NO;
	}
	return answer;
}
#undef SIDE_MOST
#undef SIDE_UNROLL
#undef SIDE_NAME
#undef SIDE_Q
