/*
 * contract_pack_impl.h - adds an operand to a tile of sums (struct gpube__pack);
 * of one type and instruction set, see contract_type_impl.h.
 *
 * Source rows end where the operand may end: loads are masked. Targets are padded.
 */


static void X(pack_lanes)(const struct gpube__pack *p)
{
	for (int64_t x = 0; x < p->nx; x++)
		for (int64_t i = 0; i < p->ni; i++) {
			const T *from = (const T *)p->from + gpube__axis_at(&p->x, x) +
					gpube__axis_at(&p->i, i);
			const T *prev = p->prev ? (const T *)p->prev + x * p->prev_x +
							  i * p->prev_i : NULL;
			T *to = (T *)p->to + x * p->to_x + i * p->to_i;
			const V same = SET1(p->mode == GPUBE__LANE_SAME ? *from : (T)0);

			for (int64_t j = 0; j < p->nj; j += W) {
				const M m = MASK(p->nj - j);
				V v = same;

				if (p->mode == GPUBE__LANE_NEXT)
					v = LOADM(m, from + j);
				else if (p->mode == GPUBE__LANE_TABLE)
					v = NAME(gather)(m, from, p->lane_table + j);
				if (prev)
					v = ADD(v, LOADM(m, prev + j));
				STORE(to + j, v);
			}
		}
}

/*
 * One square of a transposition: lanes [0, nl) of n rows; source rows are
 * 'lane_step' apart, target rows 'to_row'.
 */
static INLINE void X(turn_square)(T *to, int64_t to_row, const T *prev, int64_t prev_row,
	const T *from, int64_t lane_step, int64_t n, int64_t nl)
{
	const M mr = MASK(n), ml = MASK(nl);
	V v[W];

	UNROLL for (int l = 0; l < W; l++)
		v[l] = l < nl ? LOADM(mr, from + l * lane_step) : SET1((T)0);
	NAME(turn)(v);
	if (prev) {
		UNROLL for (int r = 0; r < W; r++)
			if (r < n)
				STORE(to + r * to_row, ADD(v[r], LOADM(ml, prev + r * prev_row)));
	} else {
		UNROLL for (int r = 0; r < W; r++)
			if (r < n)
				STORE(to + r * to_row, v[r]);
	}
}

/* The dim that is contiguous in the source (x or i) has 'n' values; the other one 'm'. */
static void X(pack_turn)(const struct gpube__pack *p)
{
	const bool tx = p->mode == GPUBE__LANE_TURN_X;
	const int64_t n = tx ? p->nx : p->ni, m = tx ? p->ni : p->nx;
	const int64_t to_n = tx ? p->to_x : p->to_i, to_m = tx ? p->to_i : p->to_x;
	const int64_t prev_n = tx ? p->prev_x : p->prev_i, prev_m = tx ? p->prev_i : p->prev_x;
	const struct gpube__axis *axis = tx ? &p->i : &p->x;

	for (int64_t k = 0; k < m; k++) {
		const T *from = (const T *)p->from + gpube__axis_at(axis, k);
		const T *prev = p->prev ? (const T *)p->prev + k * prev_m : NULL;
		T *to = (T *)p->to + k * to_m;

		for (int64_t j = 0; j < p->nj; j += W)
			for (int64_t r = 0; r < n; r += W)
				X(turn_square)(to + r * to_n + j, to_n,
					prev ? prev + r * prev_n + j : NULL, prev_n,
					from + j * p->lane_step + r, p->lane_step, n - r,
					p->nj - j);
	}
}

static void X(pack)(const struct gpube__pack *p)
{
	if (p->mode == GPUBE__LANE_TURN_X || p->mode == GPUBE__LANE_TURN_I)
		X(pack_turn)(p);
	else
		X(pack_lanes)(p);
}

