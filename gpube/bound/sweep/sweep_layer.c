/* sweep_layer.c - keys of states, and the tables that a step of a sweep adds up. See sweep.h. */
#include <string.h>

#include "gpube/bound/sweep/sweep_states.h"

/*
 * Tables of fewer bits together are added up beforehand: each state then asks fewer. Larger ones
 * take as long to make as MANY states to follow.
 */
enum { TABLE_BITS = 11, LARGE_TABLE_BITS = 13, MANY = 1 << 18 };

/* ---- keys ------------------------------------------------------------------------------------ */

static int32_t bits_of(int32_t n)
{
	int32_t bits = 0;

	while ((int64_t)1 << bits < n)
		bits++;
	return bits;
}

static struct gpube_sweep_key mask_of(const struct gpube_sweep_keys *k, int32_t p)
{
	GPUBE_KNOWN(k->bits[p] >= 0 && k->bits[p] < 32); /* domains are below 2^31 */
	return gpube__key_at(k->shift[p], ((uint64_t)1 << k->bits[p]) - 1);
}

/* True if all of a is in b. */
static bool inside(struct gpube_sweep_key a, struct gpube_sweep_key b)
{
	return !gpube__key_count(gpube__key_minus(a, b));
}

/* The lowest free run of bits in a word; false if there is none. */
static bool place(struct gpube_sweep_keys *k, int32_t p, struct gpube_sweep_key used)
{
	for (k->shift[p] = 0; k->shift[p] < 64 * GPUBE__SWEEP_WORDS; k->shift[p]++)
		if (k->shift[p] % 64 + k->bits[p] <= 64 &&
			inside(mask_of(k, p), gpube__key_minus(mask_of(k, p), used)))
			return true;
	return false;
}

int gpube__sweep_keys_init(struct gpube_sweep_keys *k, const struct gpube_heuristic *h, bool *fits)
{
	uint64_t n = (uint64_t)h->n;
	struct gpube_sweep_key used = {{0}};

	*fits = true;
	k->words = 1;
	k->shift = gpube__alloc(h->ctx, n, sizeof(*k->shift));
	k->bits = gpube__alloc(h->ctx, n, sizeof(*k->bits));
	k->last = gpube__alloc(h->ctx, n, sizeof(*k->last));
	if (!k->shift || !k->bits || !k->last) {
		gpube__sweep_keys_clear(h->ctx, k);
		return GPUBE_ENOMEM;
	}
	for (int32_t p = 0; p < h->n; p++) {
		k->bits[p] = bits_of(h->live[p]);
		k->last[p] = p;
		*fits &= k->bits[p] <= 8;
	}
	/* A message over a variable is made of functions over it in buckets no later than its own.
	 */
	for (int32_t t = 0; t < h->n_tables; t++)
		for (int32_t i = 0; h->tables[t].from < 0 && i < h->tables[t].n_scope; i++) {
			int32_t p = h->scopes[h->tables[t].scope_at + i];

			k->last[p] = h->tables[t].to < k->last[p] ? h->tables[t].to : k->last[p];
		}
	for (int32_t p = h->n - 1; p >= 0 && *fits; p--) {
		*fits = place(k, p, used);
		if (!*fits)
			break;
		used = gpube__key_or(used, mask_of(k, p));
		k->words = k->shift[p] / 64 + 1 > k->words ? k->shift[p] / 64 + 1 : k->words;
		for (int32_t q = p; q < h->n; q++)
			if (k->last[q] == p)
				used = gpube__key_minus(used, mask_of(k, q));
	}
	return GPUBE_OK;
}

void gpube__sweep_keys_clear(struct gpube_ctx *ctx, struct gpube_sweep_keys *k)
{
	gpube__free(ctx, k->shift);
	gpube__free(ctx, k->bits);
	gpube__free(ctx, k->last);
	memset(k, 0, sizeof(*k));
}

/* ---- tables -------------------------------------------------------------------------------------
 */

static struct gpube_sweep_key scope_mask(const struct gpube_heuristic *h,
	const struct gpube_sweep_keys *k, const struct gpube_htable *t)
{
	struct gpube_sweep_key mask = {{0}};

	for (int32_t i = 0; i < t->n_scope; i++)
		mask = gpube__key_or(mask, mask_of(k, h->scopes[t->scope_at + i]));
	return mask;
}

static int64_t cell_of(const struct gpube_htable *t, int64_t cell)
{
	int32_t v;

	if (t->wide)
		return ((const int64_t *)t->values)[cell];
	v = ((const int32_t *)t->values)[cell];
	return v == INT32_MAX ? GPUBE__H_DEAD : v;
}

int64_t gpube__sweep_taken_off(const struct gpube_heuristic *h)
{
	int64_t sum = 0;

	for (int32_t i = 0; i < h->n_tables; i++) {
		int64_t least = 0;

		for (int64_t c = 0; c < h->tables[i].cells; c++) {
			int64_t v = cell_of(&h->tables[i], c);

			least = v < least ? v : least;
		}
		sum += least;
	}
	return sum;
}

/* Where a table's variables are among the bits of another's mask. */
struct lie {
	int64_t weight[64]; /* of each bit of the mask, in the table's cells */
	int n_odd;          /* variables whose values are fewer than their bits can tell */
	int shift[64];
	int32_t bits[64], live[64];
};

static void lie_init(struct lie *v, const struct gpube_sweep_table *to,
	const struct gpube_heuristic *h, const struct gpube_sweep_keys *k,
	const struct gpube_htable *t)
{
	memset(v, 0, sizeof(*v));
	for (int32_t i = 0; i < t->n_scope; i++) {
		const int32_t p = h->scopes[t->scope_at + i];
		const int at = k->shift[p];
		const int shift = (at < 64 ? 0 : to->low_bits) +
				  __builtin_popcountll(
					  to->mask.word[at / 64] & (((uint64_t)1 << at % 64) - 1));

		for (int32_t bit = 0; bit < k->bits[p]; bit++)
			v->weight[shift + bit] = h->strides[t->scope_at + i] << bit;
		if (h->live[p] == 1 << k->bits[p])
			continue;
		v->shift[v->n_odd] = shift;
		v->bits[v->n_odd] = (1 << k->bits[p]) - 1;
		v->live[v->n_odd++] = h->live[p];
	}
}

/*
 * Adds a table of the heuristic to the cells of one of keys that has its variables.
 * cell  room for as many
 */
static void add_cells(int64_t *cells, int64_t *cell, const struct gpube_sweep_table *to,
	const struct gpube_heuristic *h, const struct gpube_sweep_keys *k,
	const struct gpube_htable *t)
{
	struct lie v;

	lie_init(&v, to, h, k, t);
	for (int64_t c = 0; c < (int64_t)1 << to->bits; c++) {
		bool is_cell = true;

		cell[c] = c ? cell[c & (c - 1)] + v.weight[__builtin_ctzll((uint64_t)c)] : 0;
		for (int i = 0; i < v.n_odd; i++)
			is_cell &= ((int32_t)(c >> v.shift[i]) & v.bits[i]) < v.live[i];
		if (!is_cell)
			continue;
		cells[c] += cell_of(t, cell[c]);
		if (cells[c] > GPUBE__H_DEAD)
			cells[c] = GPUBE__H_DEAD;
	}
}

static bool is_paid(const struct gpube_htable *t, int32_t position)
{
	return t->from < 0 && t->to == position;
}

static bool is_owed(const struct gpube_htable *t, int32_t position)
{
	return t->from >= 0 && t->from < position && t->to >= position;
}

typedef bool wanted_fn(const struct gpube_htable *t, int32_t position);

/* Tables in the making. at: table i's cells begin at cells[at[i]] */
struct making {
	struct gpube_sweep_layer *l;
	const struct gpube_heuristic *h;
	const struct gpube_sweep_keys *k;
	int most_bits;
	int64_t capacity;
	int64_t *at, *cells; /* after the tables' there is room for as many as the largest has */
};

/* The masks of the tables to come: each wanted one goes where it first fits, the largest first. */
static int add_masks(struct making *g, wanted_fn *wanted)
{
	struct gpube_sweep_layer *l = g->l;
	const struct gpube_heuristic *h = g->h;
	int first = l->n_tables;

	for (int bits = 64; bits > 0; bits--)
		for (int32_t i = 0; i < h->n_tables; i++) {
			const struct gpube_htable *t = &h->tables[i];
			struct gpube_sweep_key mask;
			int at;

			if (!wanted(t, l->position) || !t->n_scope)
				continue;
			mask = scope_mask(h, g->k, t);
			if (gpube__key_count(mask) != bits)
				continue;
			for (at = first; at < l->n_tables; at++)
				if (inside(mask, l->tables[at].mask) ||
					gpube__key_count(gpube__key_or(mask, l->tables[at].mask)) <=
						g->most_bits)
					break;
			if (at == l->n_tables) {
				if (gpube__grow(h->ctx, &l->tables, &g->capacity, at + 1,
					    sizeof(*l->tables)))
					return GPUBE_ENOMEM;
				l->tables[l->n_tables++] = (struct gpube_sweep_table){0};
			}
			l->tables[at].mask = gpube__key_or(l->tables[at].mask, mask);
		}
	return GPUBE_OK;
}

/* The cells of tables [first, end): each wanted table is added to the first that has its variables.
 */
static void add_tables(struct making *g, wanted_fn *wanted, int first, int end, int64_t *constant)
{
	const struct gpube_sweep_layer *l = g->l;
	const struct gpube_heuristic *h = g->h;

	for (int32_t i = 0; i < h->n_tables; i++) {
		const struct gpube_htable *t = &h->tables[i];
		struct gpube_sweep_key mask;
		int at = first;

		if (!wanted(t, l->position))
			continue;
		mask = scope_mask(h, g->k, t);
		if (!gpube__key_count(mask)) {
			*constant += cell_of(t, 0);
			continue;
		}
		while (at < end && !inside(mask, l->tables[at].mask))
			at++;
		add_cells(g->cells + g->at[at], g->cells + g->at[l->n_tables], &l->tables[at], h,
			g->k, t);
	}
}

/* Room for all cells, of zeros, and for the tables as they will be. */
static int make_room(struct making *g, const struct gpube_sweep_kernels *kernels)
{
	struct gpube_sweep_layer *l = g->l;
	struct gpube_ctx *ctx = g->h->ctx;
	uint64_t n = 0, largest = 1;

	g->at = gpube__alloc(ctx, (uint64_t)l->n_tables + 1, sizeof(*g->at));
	if (!g->at)
		return GPUBE_ENOMEM;
	for (int i = 0; i < l->n_tables; i++) {
		struct gpube_sweep_table *t = &l->tables[i];

		t->bits = gpube__key_count(t->mask);
		t->low_bits = __builtin_popcountll(t->mask.word[0]);
		t->cells = gpube__alloc(ctx, (uint64_t)1 << t->bits, kernels->cell_bytes);
		t->step = gpube__alloc(ctx, (uint64_t)l->n_values, sizeof(*t->step));
		if (!t->cells || !t->step)
			return GPUBE_ENOMEM;
		for (int32_t x = 0; x < l->n_values; x++)
			t->step[x] = (uint32_t)gpube__sweep_gather_key(
				gpube__key_at(l->shift, (uint64_t)x), t->mask);
		g->at[i] = (int64_t)n;
		n += (uint64_t)1 << t->bits;
		largest = (uint64_t)1 << t->bits > largest ? (uint64_t)1 << t->bits : largest;
	}
	g->at[l->n_tables] = (int64_t)n;
	g->cells = gpube__alloc_zero(ctx, n + largest, sizeof(*g->cells));
	return g->cells ? GPUBE_OK : GPUBE_ENOMEM;
}

/* The cells as the kernels read them. */
static void store(struct making *g, const struct gpube_sweep_kernels *kernels, int64_t limit)
{
	struct gpube_sweep_layer *l = g->l;

	l->most = limit - (l->paid < 0 ? l->paid : 0) - (l->owed < 0 ? l->owed : 0);
	for (int i = 0; i < l->n_tables; i++) {
		int64_t least = 0;

		for (int64_t c = g->at[i]; c < g->at[i + 1]; c++)
			least = g->cells[c] < least ? g->cells[c] : least;
		l->most -= least;
	}
	for (int i = 0; i < l->n_tables; i++)
		kernels->store(
			l->tables[i].cells, g->cells + g->at[i], g->at[i + 1] - g->at[i], l->most);
	l->paid = l->paid < l->most ? l->paid : l->most;
	l->owed = l->owed < l->most ? l->owed : l->most;
}

int gpube__sweep_layer_init(struct gpube_sweep_layer *l, const struct gpube_heuristic *h,
	const struct gpube_sweep_keys *k, const struct gpube_sweep_kernels *kernels,
	int32_t position, int64_t limit, int64_t states)
{
	struct making g = {
		.l = l, .h = h, .k = k, .most_bits = states > MANY ? LARGE_TABLE_BITS : TABLE_BITS};
	int status;

	memset(l, 0, sizeof(*l));
	l->position = position;
	l->n_values = h->live[position];
	l->shift = k->shift[position];
	for (int32_t p = position; p < h->n; p++)
		if (k->last[p] < position)
			l->keep = gpube__key_or(l->keep, mask_of(k, p));
	status = add_masks(&g, is_paid);
	l->n_paid = l->n_tables;
	/* (those that are owed go into tables of their own) */
	if (!status)
		status = add_masks(&g, is_owed);
	if (!status)
		status = make_room(&g, kernels);
	if (!status) {
		add_tables(&g, is_paid, 0, l->n_paid, &l->paid);
		add_tables(&g, is_owed, l->n_paid, l->n_tables, &l->owed);
		store(&g, kernels, limit);
	}
	gpube__free(h->ctx, g.at);
	gpube__free(h->ctx, g.cells);
	if (status)
		gpube__sweep_layer_clear(h->ctx, l);
	return status;
}

void gpube__sweep_layer_clear(struct gpube_ctx *ctx, struct gpube_sweep_layer *l)
{
	for (int t = 0; t < l->n_tables; t++) {
		gpube__free(ctx, l->tables[t].cells);
		gpube__free(ctx, l->tables[t].step);
	}
	gpube__free(ctx, l->tables);
	memset(l, 0, sizeof(*l));
}
