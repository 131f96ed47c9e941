/*
 * contract_pack_impl.h - adds an operand to a tile of sums (struct gpube__pack);
 * of one type and instruction set, see contract_type_impl.h.
 *
 * Rows end where a table may end: loads and stores of the last vector are masked.
 */

static INLINE V X(pack_vector)(const struct gpube__pack *p, const enum gpube__lane_mode mode,
	const T *from, int64_t j, V same, M m, const bool full)
{
	const struct gpube__lanes *lanes;

	if (mode == GPUBE__LANE_SAME)
		return same;
	if (mode == GPUBE__LANE_NEXT)
		return full ? LOAD(from + j) : LOADM(m, from + j);
	lanes = &p->lanes[j / W];
	from += lanes->base;
	if (lanes->span == 0)
		return full ? LOAD(from) : LOADM(m, from);
	if (lanes->span == 1)
		return SET1(*from);
	return lanes->span <= W ? NAME(expand)(m, from, lanes->span, p->lane_table + j)
				: NAME(gather)(m, from, p->lane_table + j);
}

/* The vector of lanes at j, of all x; how it lies in memory is looked at only once. */
static INLINE void X(pack_column)(const struct gpube__pack *p, const enum gpube__lane_mode mode,
	int64_t j, M m, const bool has_prev, const bool full)
{
	const bool next = mode == GPUBE__LANE_NEXT;
	const struct gpube__lanes *lanes = next ? NULL : &p->lanes[j / W];
	const int32_t *table = next ? NULL : p->lane_table + j;
	const T *from = (const T *)p->from + (next ? j : lanes->base);
	const T *prev = has_prev ? (const T *)p->prev + j : NULL;
	T *to = (T *)p->to + j;
	const int64_t from_x = p->x.step, to_x = p->to_x, prev_x = p->prev_x, nx = p->nx;
	const int span = next ? 0 : lanes->span;

#define EACH_X(VALUE)                                                                              \
	_Pragma("GCC unroll 4") for (int64_t x = 0; x < nx; x++)                                   \
	{                                                                                          \
		V v = VALUE;                                                                       \
                                                                                                   \
		if (has_prev)                                                                      \
			v = ADD(v, full ? LOAD(prev + x * prev_x) : LOADM(m, prev + x * prev_x));  \
		if (full)                                                                          \
			STORE(to + x * to_x, v);                                                   \
		else                                                                               \
			STOREM(to + x * to_x, m, v);                                               \
		from += from_x;                                                                    \
	}
	if (span == 0)
		EACH_X(full ? LOAD(from) : LOADM(m, from))
	else if (span == 1)
		EACH_X(SET1(*from))
	else if (span <= W)
		EACH_X(NAME(expand)(m, from, span, table))
	else
		EACH_X(NAME(gather)(m, from, table))
#undef EACH_X
}

static INLINE void X(pack_columns)(
	const struct gpube__pack *p, const enum gpube__lane_mode mode, const bool has_prev)
{
	int64_t j = 0;

	for (; j + W <= p->nj; j += W)
		X(pack_column)(p, mode, j, MASK(W), has_prev, true);
	if (j < p->nj)
		X(pack_column)(p, mode, j, MASK(p->nj - j), has_prev, false);
}

static INLINE void X(pack_row)(const struct gpube__pack *p, const enum gpube__lane_mode mode,
	const bool has_prev, T *to, const T *prev, const T *from, int64_t n_full, M tail)
{
	const V same = SET1(mode == GPUBE__LANE_SAME ? *from : (T)0);
	int64_t j = 0;

	for (; j < n_full; j += W) {
		V v = X(pack_vector)(p, mode, from, j, same, MASK(W), true);

		if (has_prev)
			v = ADD(v, LOAD(prev + j));
		STORE(to + j, v);
	}
	if (j < p->nj) {
		V v = X(pack_vector)(p, mode, from, j, same, tail, false);

		if (has_prev)
			v = ADD(v, LOADM(tail, prev + j));
		STOREM(to + j, tail, v);
	}
}

static INLINE void X(pack_lanes)(
	const struct gpube__pack *p, const enum gpube__lane_mode mode, const bool has_prev)
{
	const int64_t n_full = p->nj / W * W;
	const M tail = MASK(p->nj - n_full);
	const T *from = p->from, *prev = has_prev ? p->prev : NULL;
	T *to = p->to;

	if (p->ni == 1 && !p->x.table &&
		(mode == GPUBE__LANE_TABLE || (mode == GPUBE__LANE_NEXT && p->nj <= 4 * W))) {
		X(pack_columns)(p, mode, has_prev);
		return;
	}
	if (p->ni == 1 && !p->x.table) {
		for (int64_t x = 0; x < p->nx; x++) {
			X(pack_row)(p, mode, has_prev, to, prev, from, n_full, tail);
			to += p->to_x;
			from += p->x.step;
			if (has_prev)
				prev += p->prev_x;
		}
		return;
	}
	for (int64_t x = 0; x < p->nx; x++)
		for (int64_t i = 0; i < p->ni; i++)
			X(pack_row)
	(p, mode, has_prev, to + x * p->to_x + i * p->to_i,
		has_prev ? prev + x * p->prev_x + p->prev_rows[i] : NULL,
		from + gpube__axis_at(&p->x, x) + gpube__axis_at(&p->i, i), n_full, tail);
}

static void X(pack)(const struct gpube__pack *p)
{
	switch (p->mode) {
	case GPUBE__LANE_SAME:
		if (p->prev)
			X(pack_lanes)(p, GPUBE__LANE_SAME, true);
		else
			X(pack_lanes)(p, GPUBE__LANE_SAME, false);
		break;
	case GPUBE__LANE_NEXT:
		if (p->prev)
			X(pack_lanes)(p, GPUBE__LANE_NEXT, true);
		else
			X(pack_lanes)(p, GPUBE__LANE_NEXT, false);
		break;
	default:
		if (p->prev)
			X(pack_lanes)(p, GPUBE__LANE_TABLE, true);
		else
			X(pack_lanes)(p, GPUBE__LANE_TABLE, false);
	}
}
