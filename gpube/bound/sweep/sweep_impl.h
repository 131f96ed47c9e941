/*
 * sweep_impl.h - the inner loops of a sweep, included once for each cost type and length of keys.
 * COST: the type; WORDS: of a key; NAME(x): x with their suffix; GATHER(word, mask). See
 * sweep_states.h.
 */

struct NAME(state) {
	uint64_t key[WORDS];
	uint32_t parent; /* number of a state of the layer before: from there 'value' leads here */
	uint8_t value;
	COST cost, bound; /* of what is assigned; of all */
};

static void NAME(begin)(void *state, int64_t bound)
{
	*(struct NAME(state) *)state = (struct NAME(state)){.bound = (COST)bound};
}

static void NAME(store)(void *cells, const int64_t *from, int64_t n, int64_t most)
{
	COST *to = cells;

	for (int64_t c = 0; c < n; c++)
		to[c] = (COST)(from[c] < most ? from[c] : most);
}

/*
 * 'sum' and the cells of n tables for value x, clipped at l->most: what is there, and then taken
 * off by negative cells, still is 'limit' or more.
 */
static inline int64_t NAME(add_up)(const struct gpube_sweep_layer *l, int first, int end,
	const uint32_t *index, int32_t x, int64_t sum)
{
	for (int k = first; k < end; k++) {
		const struct gpube_sweep_table *t = &l->tables[k];

		sum += ((const COST *)t->cells)[index[k] + t->step[x]];
		sum = sum < l->most ? sum : l->most;
	}
	return sum;
}

/* Where a table's cells are for a state. */
static inline uint32_t NAME(index_of)(
	const struct NAME(state) * s, const struct gpube_sweep_table *t)
{
	uint64_t index = 0;

	for (int w = 0; w < WORDS; w++)
		index |= GATHER(s->key[w], t->mask.word[w]) << (w ? t->low_bits : 0);
	return (uint32_t)index;
}

/* What a state leads to goes to met[n …]; the new n. */
static inline int64_t NAME(follow)(const struct gpube_sweep_step *t, struct gpube_sweep_part *p,
	int64_t i, struct gpube_sweep_scratch *s, int64_t n)
{
	const struct gpube_sweep_layer *l = t->l;
	const struct NAME(state) *from = (const struct NAME(state) *)p->from->states + i;
	struct NAME(state) *met = s->met;
	bool owed = false;

	for (int k = 0; k < l->n_paid; k++)
		s->index[k] = NAME(index_of)(from, &l->tables[k]);
	for (int32_t x = 0; x < l->n_values; x++) {
		int64_t cost = NAME(add_up)(l, 0, l->n_paid, s->index, x, from->cost + l->paid);
		int64_t bound;

		if (cost >= t->limit)
			continue;
		for (int k = l->n_paid; k < l->n_tables && !owed; k++)
			s->index[k] = NAME(index_of)(from, &l->tables[k]);
		owed = true;
		bound = NAME(add_up)(l, l->n_paid, l->n_tables, s->index, x, cost + l->owed);
		if (bound >= t->most) {
			p->dropped = bound < p->dropped ? bound : p->dropped;
			continue;
		}
		met[n] = (struct NAME(state)){.parent = (uint32_t)(p->from->first + i),
			.value = (uint8_t)x,
			.cost = (COST)cost,
			.bound = (COST)bound};
		for (int w = 0; w < WORDS; w++)
			met[n].key[w] =
				(from->key[w] |
					(w == l->shift / 64 ? (uint64_t)x << l->shift % 64 : 0)) &
				l->keep.word[w];
		n++;
	}
	return n;
}

static void NAME(expand)(
	const struct gpube_sweep_step *t, struct gpube_sweep_part *p, struct gpube_sweep_scratch *s)
{
	const struct NAME(state) *met = s->met;
	struct NAME(state) *out = p->out;
	uint32_t next[GPUBE__SWEEP_SHARDS];
	const int n_shards = 1 << t->shard_bits;
	int64_t n = 0;

	for (int64_t i = p->first; i < p->end; i++)
		n = NAME(follow)(t, p, i, s, n);
	for (int k = 0; k <= n_shards; k++)
		p->at[k] = 0;
	for (int64_t i = 0; i < n; i++) {
		s->shard[i] = (uint8_t)gpube__sweep_shard_of(met[i].key, WORDS, t->shard_bits);
		p->at[s->shard[i] + 1]++;
	}
	/*
	 * (by rows.h, whose next places the stores to 'out' might change, it takes 2 to 5 % more)
	 */
	for (int k = 0; k < n_shards; k++) {
		next[k] = p->at[k];
		p->at[k + 1] += p->at[k];
	}
	for (int64_t i = 0; i < n; i++)
		out[next[s->shard[i]]++] = met[i];
}

static inline bool NAME(same)(const uint64_t *a, const uint64_t *b)
{
	bool same = true;

	for (int w = 0; w < WORDS; w++)
		same &= a[w] == b[w];
	return same;
}

/* Where the key is, or would be. */
static inline uint64_t NAME(slot_of)(
	const struct gpube_sweep_shard *s, int shard_bits, const uint64_t *key)
{
	const struct NAME(state) *states = s->states;
	const uint64_t last = ((uint64_t)1 << s->slot_bits) - 1;
	uint64_t at = gpube__sweep_hash(key, WORDS) << shard_bits >> (64 - s->slot_bits);

	while (s->slot[at] && !NAME(same)(states[s->slot[at] - 1].key, key))
		at = (at + 1) & last;
	return at;
}

static void NAME(take_in)(const struct gpube_sweep_step *t, struct gpube_sweep_shard *to, int s)
{
	struct NAME(state) *states = to->states;

	if (to->stale) {
		memset(to->slot, 0, sizeof(*to->slot) << to->slot_bits);
		for (int64_t i = 0; i < to->n; i++)
			to->slot[NAME(slot_of)(to, t->shard_bits, states[i].key)] = (uint32_t)i + 1;
		to->stale = false;
	}
	for (int k = 0; k < t->n_parts; k++) {
		const struct gpube_sweep_part *p = &t->parts[k];
		const struct NAME(state) *met = p->out;

		for (uint32_t i = p->at[s]; i < p->at[s + 1]; i++) {
			uint64_t slot = NAME(slot_of)(to, t->shard_bits, met[i].key);

			if (!to->slot[slot]) {
				states[to->n++] = met[i];
				to->slot[slot] = (uint32_t)to->n;
			} else if (met[i].cost < states[to->slot[slot] - 1].cost) {
				states[to->slot[slot] - 1] = met[i];
			}
		}
	}
}

static int64_t NAME(read)(
	const struct gpube_sweep_shard *s, int64_t *bound, uint32_t *parent, uint8_t *value)
{
	const struct NAME(state) *states = s->states;
	int64_t least = GPUBE_INF;

	for (int64_t i = 0; i < s->n; i++) {
		least = states[i].bound < least ? states[i].bound : least;
		if (bound)
			bound[i] = states[i].bound;
		if (parent)
			parent[i] = states[i].parent;
		if (value)
			value[i] = states[i].value;
	}
	return least;
}

static void NAME(keep)(struct gpube_sweep_shard *s, int64_t from, int64_t equal)
{
	struct NAME(state) *states = s->states;
	int64_t n = 0;

	for (int64_t i = 0; i < s->n; i++)
		if (states[i].bound < from || (states[i].bound == from && equal-- > 0))
			states[n++] = states[i];
	s->n = n;
	s->stale = true;
}

static const struct gpube_sweep_kernels NAME(kernels) = {sizeof(struct NAME(state)), sizeof(COST),
	NAME(begin), NAME(expand), NAME(take_in), NAME(read), NAME(keep), NAME(store)};
