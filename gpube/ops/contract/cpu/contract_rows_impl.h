/* contract_rows_impl.h - contract_rows.c for one type T; no include guard: it is included often. */

/* sum[j] = what the operands add up to at lane j; offset has their cells at lane 0 */
static void X(row_sum)(const struct rows *r, T *restrict sum, int64_t n, const int64_t *offset)
{
	T constant = 0;

	for (int k = 0; k < r->c->n_in; k++)
		if (lane_step(r, k) == 0)
			constant += ((const T *)r->c->in[k].values)[offset[k]];
	for (int64_t j = 0; j < n; j++)
		sum[j] = constant;
	for (int k = 0; k < r->c->n_in; k++) {
		const T *v = (const T *)r->c->in[k].values + offset[k];
		const int64_t step = lane_step(r, k);

		if (step == 1)
			for (int64_t j = 0; j < n; j++)
				sum[j] += v[j];
		else if (step)
			for (int64_t j = 0; j < n; j++)
				sum[j] += v[j * step];
	}
}

static void X(row_best)(
	const struct rows *r, T *best, int64_t n, int64_t *offset, int64_t *at, int64_t *args)
{
	T sum[ROW_LANES];

	do {
		X(row_sum)(r, sum, n, offset);
		if (args) {
			const int64_t arg = row_arg(r, at);

			for (int64_t j = 0; j < n; j++)
				if (arg == 0 || sum[j] < best[j]) {
					best[j] = sum[j];
					args[j] = arg;
				}
		} else {
			for (int64_t j = 0; j < n; j++)
				best[j] = best[j] < sum[j] ? best[j] : sum[j];
		}
	} while (row_step(r, at, offset));
}

static void X(row_min_count)(
	const struct rows *r, T *best, int64_t n, int64_t *offset, int64_t *at, uint64_t *counts)
{
	const uint64_t p = r->c->modulus;
	T sum[ROW_LANES];

	do {
		X(row_sum)(r, sum, n, offset);
		for (int64_t j = 0; j < n; j++)
			if (sum[j] < best[j]) {
				best[j] = sum[j];
				counts[j] = row_count(r, offset, j);
			} else if (sum[j] == best[j]) {
				counts[j] = gpube__count_add(counts[j], row_count(r, offset, j), p);
			}
	} while (row_step(r, at, offset));
}

static void X(row_store)(const struct rows *r, T *best, int64_t n, int64_t out, uint64_t *counts,
	const int64_t *args)
{
	const struct gpube_contraction *c = r->c;

	for (int64_t j = 0; j < n; j++)
		best[j] = (T)gpube__top_min(best[j], c->top, c->threshold);
	memcpy((T *)c->out + out, best, (size_t)n * sizeof(T));
	for (int64_t j = 0; counts && j < n; j++)
		c->out_counts[out + j] = best[j] == (T)c->top ? 0 : repeated(r, counts[j]);
	for (int64_t j = 0; args && j < n; j++)
		gpube__store_arg(c->out_arg, c->arg_bytes, out + j, args[j]);
}

static void X(row)(const struct rows *r, int64_t row, int64_t *offset)
{
	const struct gpube_contraction *c = r->c;
	const bool count = c->semiring == GPUBE_MIN_COUNT;
	const int64_t n = row_lanes(r, row);
	int64_t at[GPUBE_MAX_DIMS] = {0}, args[ROW_LANES];
	uint64_t counts[ROW_LANES] = {0};
	T best[ROW_LANES];

	for (int64_t j = 0; j < n; j++)
		best[j] = WORST;
	row_offsets(r, row, offset);
	if (count)
		X(row_min_count)(r, best, n, offset, at, counts);
	else
		X(row_best)(r, best, n, offset, at, c->out_arg ? args : NULL);
	X(row_store)(r, best, n, row_out(r, row), count ? counts : NULL, c->out_arg ? args : NULL);
}

#undef T
#undef X
#undef WORST
