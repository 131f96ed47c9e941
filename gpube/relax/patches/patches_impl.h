/*
 * patches_impl.h - what is read of a patch's cells, for the CELL of who includes it: 32 bits in
 * patches.c, which cuts sums off, 64 in certify_sweep.c, which does not. No include guard: it is
 * once for each.
 */

/* m[i] = the least cell of the patch for cell i of the separator. */
static inline void gpube__patch_force(CELL *restrict m, const CELL *restrict t,
	const int32_t *restrict place, int32_t cells, int32_t n)
{
	for (int32_t i = 0; i < cells; i++)
		m[i] = t[place[i]];
	for (int32_t k = 1; k < n; k++) {
		const CELL *restrict from = t + place[cells + k];

		for (int32_t i = 0; i < cells; i++) {
			const CELL x = from[place[i]];

			m[i] = x < m[i] ? x : m[i];
		}
	}
}

/*
 * The least of the patch's n cells with value x of a variable, whose values are 'step' apart;
 * 'least' where all are more.
 */
static inline CELL gpube__patch_least(
	const CELL *t, int32_t n, int32_t step, int32_t domain, int32_t x, CELL least)
{
	for (int32_t c = x * step; c < n; c += step * domain)
		for (int32_t i = 0; i < step; i++)
			least = t[c + i] < least ? t[c + i] : least;
	return least;
}

#undef CELL
