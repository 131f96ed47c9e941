/*
 * relations_agree.c - what relations share: separators and their members. See relations.h.
 */
#include "gpube/relax/pairwise/relations.h"

#include <stdlib.h>
#include <string.h>

#include "gpube/base/rows.h"

/* Different sets that two relations share, at most. */
enum { MOST_SHARED = 1 << 20 };

struct agreeing {
	struct gpube_relations *l;
	uint64_t *sets; /* found so far; of which 'slot' knows the places */
	int64_t n, capacity;
	int64_t *slot;
	int64_t n_slots;
	bool too_much;
	struct gpube_relation_index *index; /* of each thread */
	int status;
};

/* ---- indices --------------------------------------------------------------------------------- */

int gpube__relation_index_init(
	struct gpube_ctx *ctx, struct gpube_relation_index *x, int64_t n, int bits)
{
	uint64_t capacity = 16;
	bool all;

	while (capacity < 2 * (uint64_t)n)
		capacity *= 2;
	all = bits < 40 && (uint64_t)1 << bits <= 4 * capacity;
	if (all)
		capacity = (uint64_t)1 << bits;
	if (x->capacity < capacity) {
		gpube__relation_index_clear(ctx, x);
		x->key = gpube__alloc(ctx, capacity, sizeof(*x->key));
		x->at = gpube__alloc(ctx, capacity, sizeof(*x->at));
		if (!x->key || !x->at)
			return GPUBE_ENOMEM;
	}
	x->capacity = capacity;
	x->bits = all ? bits : -1;
	memset(x->at, 0xff, (size_t)capacity * sizeof(*x->at));
	return GPUBE_OK;
}

void gpube__relation_index_clear(struct gpube_ctx *ctx, struct gpube_relation_index *x)
{
	gpube__free(ctx, x->key);
	gpube__free(ctx, x->at);
	*x = (struct gpube_relation_index){0};
}

void gpube__relation_pieces(struct gpube_relation_pieces *p, const struct gpube_relations *l,
	int arity, const int32_t *scope, const uint8_t *shift, const uint64_t *subset)
{
	int to = 0, end = -1;

	p->n = 0;
	for (int k = 0; k < arity; k++) {
		const int32_t i = scope[k];
		const int bits = l->bits[i];

		if (!gpube__bit(subset, i))
			continue;
		if (shift[k] == end) { /* goes on where the last piece ended */
			p->piece[p->n - 1].mask =
				p->piece[p->n - 1].mask << bits | (((uint64_t)1 << bits) - 1);
		} else {
			p->piece[p->n].from = shift[k];
			p->piece[p->n].to = (uint8_t)to;
			p->piece[p->n++].mask = ((uint64_t)1 << bits) - 1;
		}
		end = shift[k] + bits;
		to += bits;
	}
}

/* ---- separators ------------------------------------------------------------------------------ */

static uint64_t *slot_of(const struct agreeing *w, const uint64_t *set, int64_t *slot)
{
	const int words = w->l->words;
	uint64_t h = 0;

	for (int k = 0; k < words; k++)
		h = (h ^ set[k]) * 0x9e3779b97f4a7c15u, h ^= h >> 31;
	for (*slot = (int64_t)(h & (uint64_t)(w->n_slots - 1)); w->slot[*slot] >= 0;
		*slot = (*slot + 1) & (w->n_slots - 1))
		if (!memcmp(w->sets + w->slot[*slot] * words, set, (size_t)words * sizeof(*set)))
			return w->sets + w->slot[*slot] * words;
	return NULL;
}

static int note_shared(struct agreeing *w, const uint64_t *set)
{
	const int words = w->l->words;
	int64_t slot;

	if (slot_of(w, set, &slot))
		return GPUBE_OK;
	if (w->n == MOST_SHARED) {
		w->too_much = true;
		return GPUBE_OK;
	}
	if (gpube__grow(w->l->ctx, &w->sets, &w->capacity, (w->n + 1) * words, sizeof(*w->sets)))
		return GPUBE_ENOMEM;
	memcpy(w->sets + w->n * words, set, (size_t)words * sizeof(*set));
	w->slot[slot] = w->n++;
	return GPUBE_OK;
}

/* What any two relations share, and each variable of several. */
static int find_shared(struct agreeing *w)
{
	const struct gpube_relations *l = w->l;
	uint64_t *set = gpube__alloc_zero(l->ctx, 2 * (uint64_t)l->words + 1, sizeof(*set)),
		 *once = set + l->words;
	int status = GPUBE_OK;

	/* there are no more than pairs and variables */
	for (w->n_slots = 16;
		w->n_slots < 2 * MOST_SHARED &&
		w->n_slots < (int64_t)l->n_relations * l->n_relations + 2 * (int64_t)l->n;)
		w->n_slots *= 2;
	w->n_slots *= 2;
	w->slot = gpube__alloc(l->ctx, (uint64_t)w->n_slots, sizeof(*w->slot));
	if (!set || !w->slot) {
		gpube__free(l->ctx, set);
		return GPUBE_ENOMEM;
	}
	memset(w->slot, 0xff, (size_t)w->n_slots * sizeof(*w->slot));
	for (int32_t k = 0; k < l->n_relations && !status; k++) {
		for (int32_t j = 0; j < k && !status && !w->too_much; j++) {
			int n = 0;

			for (int e = 0; e < l->words; e++) {
				set[e] = l->relations[k].set[e] & l->relations[j].set[e];
				n += __builtin_popcountll(set[e]);
			}
			if (n > 1)
				status = note_shared(w, set);
		}
		if (gpube__stopped(l->ctx))
			status = gpube__fail_stopped(l->ctx);
	}
	/* variables: of one relation, of several */
	for (int32_t i = 0; i < l->n && !status; i++) {
		int n = 0;

		for (int32_t k = 0; k < l->n_relations && n < 2; k++)
			n += gpube__bit(l->relations[k].set, i);
		memset(once, 0, (size_t)l->words * sizeof(*once));
		gpube__bit_put(once, i);
		if (n > 1)
			status = note_shared(w, once);
	}
	gpube__free(l->ctx, set);
	return status;
}

static int last_of(const uint64_t *set, int words)
{
	int k = words - 1;

	while (!set[k])
		k--;
	return 64 * k + 63 - __builtin_clzll(set[k]);
}

struct place {
	int32_t last, size;
	int64_t of;
};

/* By the last variable, of equals the larger one first, then as they were found. */
static int by_place(const void *x, const void *y)
{
	const struct place *a = x, *b = y;

	if (a->last != b->last)
		return a->last < b->last ? -1 : 1;
	if (a->size != b->size)
		return a->size > b->size ? -1 : 1;
	return a->of < b->of ? -1 : a->of > b->of;
}

static int settle_separators(struct agreeing *w)
{
	struct gpube_relations *l = w->l;
	struct place *place = gpube__alloc(l->ctx, (uint64_t)w->n + 1, sizeof(*place));
	int status;

	l->n_separators = (int32_t)w->n;
	l->separators = gpube__alloc_zero(l->ctx, (uint64_t)w->n + 1, sizeof(*l->separators));
	l->sets = gpube__alloc(l->ctx, (uint64_t)w->n * (uint64_t)l->words + 1, sizeof(*l->sets));
	status = place && l->separators && l->sets ? GPUBE_OK : GPUBE_ENOMEM;
	for (int64_t k = 0; k < w->n && !status; k++)
		place[k] = (struct place){last_of(w->sets + k * l->words, l->words),
			(int32_t)gpube__bits_count(w->sets + k * l->words, l->words), k};
	if (!status)
		status = gpube__sort(l->ctx, place, (uint64_t)w->n, sizeof(*place), by_place);
	for (int64_t k = 0; k < w->n && !status; k++) {
		struct gpube_relation_separator *b = &l->separators[k];

		b->set = l->sets + k * l->words;
		b->arity = place[k].size;
		memcpy(b->set, w->sets + place[k].of * l->words,
			(size_t)l->words * sizeof(*b->set));
	}
	gpube__free(l->ctx, place);
	return status;
}

/* ---- members --------------------------------------------------------------------------------- */

/* Once to count them, once to note them. */
static int relation_members(struct gpube_relations *l, bool *too_much)
{
	const uint64_t most = l->ctx->memory_bytes / 8 / sizeof(*l->members);

	for (int with = 0; with < 2; with++) {
		l->n_members = 0;
		for (int32_t k = 0; k < l->n_separators; k++) {
			struct gpube_relation_separator *b = &l->separators[k];

			b->member = (int32_t)l->n_members;
			for (int32_t j = 0; j < l->n_relations; j++) {
				if (!gpube__bits_within(b->set, l->relations[j].set, l->words))
					continue;
				if (with) {
					l->members[l->n_members] = (struct gpube_relation_member){
						.relation = j, .separator = k};
					l->relations[j].first = l->relations[j].first < 0
									? k
									: l->relations[j].first;
					l->relations[j].last = k;
					GPUBE_ROW_COUNT(l->member_at, j);
				}
				l->n_members++;
			}
			b->n_members = (int32_t)l->n_members - b->member;
			*too_much = l->n_members > INT32_MAX - l->n_relations ||
				    (uint64_t)l->n_members > most;
			if (*too_much)
				return GPUBE_OK;
			if (gpube__stopped(l->ctx))
				return gpube__fail_stopped(l->ctx);
		}
		if (with)
			break;
		l->members = gpube__alloc(l->ctx, (uint64_t)l->n_members + 1, sizeof(*l->members));
		l->member_of =
			gpube__alloc(l->ctx, (uint64_t)l->n_members + 1, sizeof(*l->member_of));
		l->member_at = gpube__alloc_zero(
			l->ctx, (uint64_t)l->n_relations + 3, sizeof(*l->member_at));
		if (!l->members || !l->member_of || !l->member_at)
			return GPUBE_ENOMEM;
		for (int32_t j = 0; j < l->n_relations; j++)
			l->relations[j].first = l->relations[j].last = -1;
	}
	GPUBE_ROWS_BEGIN(l->member_at, l->n_relations);
	for (int32_t j = 0; j < l->n_members; j++)
		l->member_of[GPUBE_ROW_PLACE(l->member_at, l->members[j].relation)] = j;
	for (int32_t k = 0; k < l->n_separators; k++)
		for (int32_t j = 0; j < l->separators[k].n_members; j++) {
			const struct gpube_relation_table *a =
				&l->relations[l->members[l->separators[k].member + j].relation];

			l->separators[k].n_after += a->last > k;
			l->separators[k].n_before += a->first < k;
		}
	return GPUBE_OK;
}

/* The member of the shortest relation. */
static int32_t shortest(const struct gpube_relations *l, const struct gpube_relation_separator *b)
{
	int32_t best = 0;

	for (int32_t j = 1; j < b->n_members; j++)
		if (l->relations[l->members[b->member + j].relation].n <
			l->relations[l->members[b->member + best].relation].n)
			best = j;
	return best;
}

static int bits_of(const struct gpube_relations *l, const uint64_t *set)
{
	int bits = 0;

	for (int32_t i = 0; i < l->n; i++)
		bits += gpube__bit(set, i) ? l->bits[i] : 0;
	return bits;
}

static int make_room(struct gpube_relations *l, bool *too_much)
{
	uint64_t cells = 0, own = 0;
	uint32_t *at;

	l->n_entries = 0;
	for (int32_t k = 0; k < l->n_relations; k++)
		l->n_entries += l->relations[k].n;
	for (int32_t k = 0; k < l->n_separators; k++) {
		struct gpube_relation_separator *b = &l->separators[k];
		const int bits = bits_of(l, b->set);

		b->at = (int64_t)own;
		b->n = l->relations[l->members[b->member + shortest(l, b)].relation].n;
		b->n = bits < 40 && (int64_t)1 << bits < b->n ? (int64_t)1 << bits : b->n;
		own += (uint64_t)b->n;
		for (int32_t j = 0; j < b->n_members; j++)
			cells += (uint64_t)l->relations[l->members[b->member + j].relation].n;
	}
	l->n_touched = (int64_t)cells;
	/* a sweep's scratch: one separator's cells for each relation, and their sum */
	*too_much = sizeof(int32_t) * (cells + own + 3 * (uint64_t)l->n_entries) >
		    l->ctx->memory_bytes / 4;
	if (*too_much)
		return GPUBE_OK;
	l->cells = at = gpube__alloc(l->ctx, cells + 1, sizeof(*l->cells));
	l->own = gpube__alloc_zero(l->ctx, own + 1, sizeof(*l->own));
	for (int32_t j = 0; j < l->n_members && at; j++) {
		l->members[j].cell = at;
		at += l->relations[l->members[j].relation].n;
	}
	return l->cells && l->own ? GPUBE_OK : GPUBE_ENOMEM;
}

/*
 * Cells of a separator in the order in which its shortest relation has them; what one of its
 * relations has not is in none.
 */
static void find_cells(void *arg, int64_t item, int thread)
{
	struct agreeing *w = arg;
	struct gpube_relations *l = w->l;
	struct gpube_relation_separator *b = &l->separators[item];
	struct gpube_relation_index *x = &w->index[thread];
	const int32_t first = shortest(l, b);
	uint32_t n = 0;

	if (gpube__relation_index_init(l->ctx, x, b->n, bits_of(l, b->set))) {
		__atomic_store_n(&w->status, GPUBE_ENOMEM, __ATOMIC_RELAXED);
		return;
	}
	for (int32_t e = 0; e < b->n_members; e++) {
		const int32_t j = e == 0 ? first : e <= first ? e - 1 : e;
		const struct gpube_relation_member *of = &l->members[b->member + j];
		const struct gpube_relation_table *a = &l->relations[of->relation];
		struct gpube_relation_pieces p;

		gpube__relation_pieces(&p, l, a->arity, a->scope, a->shift, b->set);
		for (int64_t i = 0; i < a->n; i++) {
			const uint64_t key = gpube__relation_part(&p, a->key[i]);
			uint32_t at = gpube__relation_find(x, key);

			if (at == GPUBE__NOWHERE && !e) {
				at = n++;
				gpube__relation_put(x, key, at);
			}
			of->cell[i] = at == GPUBE__NOWHERE ? 0 : at;
			if (at == GPUBE__NOWHERE)
				__atomic_store_n(
					&a->cost[i], GPUBE__REGION_FORBIDDEN, __ATOMIC_RELAXED);
		}
	}
	b->n = n;
}

/* ---- the call -------------------------------------------------------------------------------- */

int gpube__relations_agree(struct gpube_relations *l, bool *too_much)
{
	struct agreeing w = {.l = l};
	int status = find_shared(&w);

	if (!status && !w.too_much)
		status = settle_separators(&w);
	gpube__free(l->ctx, w.slot);
	gpube__free(l->ctx, w.sets);
	*too_much = w.too_much;
	if (!status && !*too_much)
		status = relation_members(l, too_much);
	if (!status && !*too_much)
		status = make_room(l, too_much);
	if (status || *too_much)
		return status;
	w.index = gpube__alloc_zero(l->ctx, (uint64_t)l->ctx->n_threads, sizeof(*w.index));
	if (!w.index)
		return GPUBE_ENOMEM;
	gpube__parallel(l->ctx, l->n_separators, find_cells, &w);
	for (int k = 0; k < l->ctx->n_threads; k++)
		gpube__relation_index_clear(l->ctx, &w.index[k]);
	gpube__free(l->ctx, w.index);
	l->room = 1;
	for (int32_t k = 0; k < l->n_separators; k++) {
		const int64_t room = (1 + (int64_t)l->separators[k].n_members) * l->separators[k].n;

		l->room = room > l->room ? room : l->room;
	}
	return w.status;
}
