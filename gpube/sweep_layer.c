/* sweep_layer.c - keys of states, and the tables that a step of a sweep adds up. See sweep.h. */
#include <string.h>

#include "gpube/sweep.h"

/* Tables of fewer bits together are added up beforehand: each state then asks fewer. */
enum { TABLE_BITS = 11 };

/* ---- keys ------------------------------------------------------------------------------------ */

static int32_t bits_of(int32_t n)
{
	int32_t bits = 0;

	while ((int64_t)1 << bits < n)
		bits++;
	return bits;
}

static uint64_t mask_of(const struct gpube_sweep_keys *k, int32_t p)
{
	return (((uint64_t)1 << k->bits[p]) - 1) << k->shift[p];
}

/* The lowest free run of bits; false if there is none. */
static bool place(struct gpube_sweep_keys *k, int32_t p, uint64_t used)
{
	for (k->shift[p] = 0; k->shift[p] + k->bits[p] <= 64; k->shift[p]++)
		if (!(used & mask_of(k, p)))
			return true;
	return false;
}

int gpube__sweep_keys_init(struct gpube_sweep_keys *k, const struct gpube_heuristic *h, bool *fits)
{
	uint64_t n = (uint64_t)h->n, used = 0;

	*fits = true;
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
		used |= *fits ? mask_of(k, p) : 0;
		for (int32_t q = p; q < h->n && *fits; q++)
			if (k->last[q] == p)
				used &= ~mask_of(k, q);
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

static uint64_t scope_mask(const struct gpube_heuristic *h, const struct gpube_sweep_keys *k,
	const struct gpube_htable *t)
{
	uint64_t mask = 0;

	for (int32_t i = 0; i < t->n_scope; i++)
		mask |= mask_of(k, h->scopes[t->scope_at + i]);
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

/* Adds a table of the heuristic to one of keys that has its variables. */
static void add_cells(struct gpube_sweep_table *to, const struct gpube_heuristic *h,
	const struct gpube_sweep_keys *k, const struct gpube_htable *t)
{
	const int32_t *scope = h->scopes + t->scope_at;
	const int64_t *strides = h->strides + t->scope_at;
	int32_t shift[64], n = t->n_scope;

	for (int32_t i = 0; i < n; i++) /* of its bits among those of the mask */
		shift[i] =
			__builtin_popcountll(to->mask & (((uint64_t)1 << k->shift[scope[i]]) - 1));
	for (int64_t c = 0; c < (int64_t)1 << to->bits; c++) {
		int64_t cell = 0;
		bool is_cell = true;

		for (int32_t i = 0; i < n; i++) {
			int32_t x = (int32_t)(c >> shift[i]) & ((1 << k->bits[scope[i]]) - 1);

			is_cell &= x < h->live[scope[i]];
			cell += strides[i] * x;
		}
		if (!is_cell)
			continue;
		to->cells[c] += cell_of(t, cell);
		if (to->cells[c] > GPUBE__H_DEAD)
			to->cells[c] = GPUBE__H_DEAD;
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

/* The masks of the tables to come: each wanted one goes where it first fits, the largest first. */
static int add_masks(struct gpube_sweep_layer *l, const struct gpube_heuristic *h,
	const struct gpube_sweep_keys *k, wanted_fn *wanted, int64_t *capacity)
{
	int first = l->n_tables;

	for (int bits = 64; bits > 0; bits--)
		for (int32_t i = 0; i < h->n_tables; i++) {
			const struct gpube_htable *t = &h->tables[i];
			uint64_t mask;
			int at;

			if (!wanted(t, l->position) || !t->n_scope)
				continue;
			mask = scope_mask(h, k, t);
			if (__builtin_popcountll(mask) != bits)
				continue;
			for (at = first; at < l->n_tables; at++)
				if (!(mask & ~l->tables[at].mask) ||
					__builtin_popcountll(mask | l->tables[at].mask) <=
						TABLE_BITS)
					break;
			if (at == l->n_tables) {
				if (gpube__grow(h->ctx, &l->tables, capacity, at + 1,
					    sizeof(*l->tables)))
					return GPUBE_ENOMEM;
				l->tables[l->n_tables++] = (struct gpube_sweep_table){0};
			}
			l->tables[at].mask |= mask;
		}
	return GPUBE_OK;
}

/* The cells of tables [first, end): each wanted table is added to the first that has its variables.
 */
static int add_tables(struct gpube_sweep_layer *l, const struct gpube_heuristic *h,
	const struct gpube_sweep_keys *k, wanted_fn *wanted, int first, int64_t *constant)
{
	for (int at = first; at < l->n_tables; at++) {
		struct gpube_sweep_table *t = &l->tables[at];

		t->bits = __builtin_popcountll(t->mask);
		t->cells = gpube__alloc_zero(h->ctx, (uint64_t)1 << t->bits, sizeof(*t->cells));
		if (!t->cells)
			return GPUBE_ENOMEM;
	}
	for (int32_t i = 0; i < h->n_tables; i++) {
		const struct gpube_htable *t = &h->tables[i];
		uint64_t mask;
		int at = first;

		if (!wanted(t, l->position))
			continue;
		mask = scope_mask(h, k, t);
		if (!mask) {
			*constant += cell_of(t, 0);
			continue;
		}
		while (mask & ~l->tables[at].mask)
			at++;
		add_cells(&l->tables[at], h, k, t);
	}
	return GPUBE_OK;
}

int gpube__sweep_layer_init(struct gpube_sweep_layer *l, const struct gpube_heuristic *h,
	const struct gpube_sweep_keys *k, int32_t position)
{
	int64_t capacity = 0;
	int status;

	memset(l, 0, sizeof(*l));
	l->position = position;
	l->n_values = h->live[position];
	l->shift = k->shift[position];
	for (int32_t p = position; p < h->n; p++)
		l->keep |= k->last[p] < position ? mask_of(k, p) : 0;
	status = add_masks(l, h, k, is_paid, &capacity);
	if (!status)
		status = add_tables(l, h, k, is_paid, 0, &l->paid);
	l->n_paid = l->n_tables;
	if (!status)
		status = add_masks(l, h, k, is_owed, &capacity);
	if (!status)
		status = add_tables(l, h, k, is_owed, l->n_paid, &l->owed);
	if (status)
		gpube__sweep_layer_clear(h->ctx, l);
	return status;
}

void gpube__sweep_layer_clear(struct gpube_ctx *ctx, struct gpube_sweep_layer *l)
{
	for (int t = 0; t < l->n_tables; t++)
		gpube__free(ctx, l->tables[t].cells);
	gpube__free(ctx, l->tables);
	memset(l, 0, sizeof(*l));
}
