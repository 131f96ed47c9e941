/*
 * subspace_impl.h - the search of one subspace in one type; included by subspace.c once for each:
 * T of the table, S of sums, FIELD of union csg__sum, X(name) a name of its own.
 */

static void X(place)(struct csg__subspace_search *q, int k, uint64_t left, uint64_t may, S sum);

/* All of a coalition's agents are known: further on to the others, unless it is not worth it. */
static void X(take)(struct csg__subspace_search *q, int k, uint64_t left, uint64_t c, S sum)
{
	const T *table = q->table;
	const T v = table[c];

	if (v < (S)q->none.FIELD || !(sum + v + (S)q->rest[k + 1].FIELD > (S)q->best.FIELD))
		return;
	q->chosen[k] = c;
	if (k + 2 < q->n_parts) {
		/* of coalitions of one size, the one with the lowest agent comes first */
		X(place)
		(q, k + 1, left ^ c, q->run[k] > 1 ? ~(((c & -c) << 1) - 1) : ~(uint64_t)0,
			sum + v);
	} else {
		const T w = table[left ^ c];

		if (w < (S)q->none.FIELD || !(sum + v + w > (S)q->best.FIELD))
			return;
		q->best.FIELD = sum + v + w;
		q->found = true;
		memcpy(q->parts, q->chosen, sizeof(q->parts));
		q->parts[k + 1] = left ^ c;
	}
}

/* Part k of 'left', its lowest agent 'first', the others of 'above'. */
static void X(choose)(
	struct csg__subspace_search *q, int k, uint64_t left, uint64_t first, uint64_t above, S sum)
{
	const int more = q->part[k] - 1;
	uint64_t agent[GPUBE_MAX_AGENTS], chosen[GPUBE_MAX_AGENTS + 1] = {first};
	int at[GPUBE_MAX_AGENTS + 1] = {0}, n = 0, depth = 0;

	if (more == 0) {
		q->steps++;
		if (!must_end(q))
			X(take)(q, k, left, first, sum);
		return;
	}
	for (; above; above &= above - 1)
		agent[n++] = above & -above;
	while (depth >= 0) {
		if (at[depth] > n - (more - depth)) {
			depth--; /* from here on they are too few */
			if (depth >= 0)
				at[depth]++;
		} else if (depth < more - 1) {
			chosen[depth + 1] = chosen[depth] | agent[at[depth]];
			at[depth + 1] = at[depth] + 1;
			depth++;
		} else {
			q->steps += n - at[depth];
			if (must_end(q))
				return;
			for (int i = at[depth]; i < n; i++)
				X(take)(q, k, left, chosen[depth] | agent[i], sum);
			at[depth] = n;
		}
	}
}

/* Part k of 'left' in all ways, its lowest agent one of 'may'. */
static void X(place)(struct csg__subspace_search *q, int k, uint64_t left, uint64_t may, S sum)
{
	const int run = q->run[k], size = q->part[k];

	for (may &= left; may && !q->stopped && !q->out_of_steps; may &= may - 1) {
		const uint64_t first = may & -may, above = left & ~((first << 1) - 1);

		if (__builtin_popcountll(above) + 1 < run * size)
			return; /* no room for those of this size */
		X(choose)(q, k, left, first, above, sum);
		if (k + run == q->n_parts)
			return; /* the lowest agent is of this size in any case */
	}
}

static void X(search)(struct csg__subspace_search *q)
{
	const uint64_t all = ((uint64_t)1 << q->n) - 1;
	const T v = ((const T *)q->table)[all];

	if (q->n_parts > 1) {
		X(place)(q, 0, all, all, 0);
	} else if (!(v < (S)q->none.FIELD) && v > (S)q->best.FIELD) {
		q->best.FIELD = v;
		q->found = true;
		q->parts[0] = all;
	}
}

static int X(most_of_sizes)(union csg__sum *most, bool *some, const struct csg__subspace_search *q,
	int least_size, int most_size)
{
	const T *table = q->table;

	for (uint64_t c = 1; c >> q->n == 0; c++) {
		const int size = __builtin_popcountll(c);

		if (c % STOP_STEPS == 0 && gpube__stopped(q->ctx))
			return gpube__fail_stopped(q->ctx);
		if (size < least_size || size > most_size || table[c] < (S)q->none.FIELD)
			continue;
		if (!some[size] || table[c] > (S)most[size].FIELD)
			most[size].FIELD = table[c];
		some[size] = true;
	}
	return GPUBE_OK;
}

#undef T
#undef S
#undef FIELD
#undef X
