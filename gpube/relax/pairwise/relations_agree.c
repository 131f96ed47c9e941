/*
 * relations_agree.c - what relations share: separators, their members, and the waves in which they
 * are asked. See relations.h.
 */
#include "gpube/relax/pairwise/relations.h"

#include <stdlib.h>
#include <string.h>

#include "gpube/base/mask_index.h"
#include "gpube/base/rows.h"
#include "gpube/ir/graph.h"

/* Different sets that two relations share, at most. */
enum { MOST_SHARED = 1 << 20 };
/* Work: an entry whose cell is sought. */
enum { INDEX_TICKS = 4 };

struct agreeing {
	struct gpube_relations *l;
	struct gpube__mask_set shared; /* sets found so far */
	int64_t n;                     /* of the order, in which some are left out later */
	int64_t *order;                /* of the sets: by their last variables, later by waves */
	int32_t *row, *row_at; /* relations that have the k-th of them: row[row_at[k]] … */
	bool too_much;
	struct gpube_relation_index *index; /* of each thread */
	int status;
};

/* ---- separators ------------------------------------------------------------------------------ */

static int note_shared(struct agreeing *w, const uint64_t *set)
{
	const int status = gpube__mask_set_add(&w->shared, w->l->ctx, set, NULL);

	w->too_much |= w->shared.n > MOST_SHARED;
	return status;
}

/* What relation k shares with those before it; seen[j]: the last relation that met relation j. */
static int shared_of(struct agreeing *w, int32_t k, int32_t *seen, uint64_t *set)
{
	const struct gpube_relations *l = w->l;
	const struct gpube_relation_table *a = &l->relations[k];
	int status = GPUBE_OK;

	for (int32_t v = 0; v < a->arity; v++)
		for (int32_t i = w->l->of_at[a->scope[v]];
			i < w->l->of_at[a->scope[v] + 1] && w->l->of[i] < k && !status &&
			!w->too_much;
			i++) {
			const uint64_t *other = l->relations[w->l->of[i]].set;

			if (seen[w->l->of[i]] == k)
				continue;
			seen[w->l->of[i]] = k;
			for (int e = 0; e < l->words; e++)
				set[e] = a->set[e] & other[e];
			if (gpube__bits_count(set, l->words) > 1)
				status = note_shared(w, set);
		}
	return status;
}

/* What any two relations share, and each variable of several. */
static int find_shared(struct agreeing *w)
{
	const struct gpube_relations *l = w->l;
	uint64_t *set = gpube__alloc_zero(l->ctx, (uint64_t)l->words, sizeof(*set));
	int32_t *seen = gpube__alloc_zero(l->ctx, (uint64_t)l->n_relations + 1, sizeof(*seen));
	int status = gpube__relations_rows(l, &w->l->of, &w->l->of_at);

	status = set && seen ? status : GPUBE_ENOMEM;
	for (int32_t k = 0; k < l->n_relations && !status && !w->too_much; k++) {
		status = shared_of(w, k, seen, set);
		if (!status && gpube__stopped(l->ctx))
			status = gpube__fail_stopped(l->ctx);
	}
	for (int32_t i = 0; i < l->n && !status; i++) {
		if (w->l->of_at[i + 1] - w->l->of_at[i] < 2)
			continue;
		memset(set, 0, (size_t)l->words * sizeof(*set));
		gpube__bit_put(set, i);
		status = note_shared(w, set);
	}
	gpube__free(l->ctx, set);
	gpube__free(l->ctx, seen);
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

static const uint64_t *set_of(const struct agreeing *w, int64_t k)
{
	return w->shared.masks + w->order[k] * w->l->words;
}

static int sort_sets(struct agreeing *w)
{
	struct gpube_relations *l = w->l;
	struct place *place;
	int status;

	w->n = w->shared.n;
	place = gpube__alloc(l->ctx, (uint64_t)w->n + 1, sizeof(*place));
	w->order = gpube__alloc(l->ctx, (uint64_t)w->n + 1, sizeof(*w->order));
	status = place && w->order ? GPUBE_OK : GPUBE_ENOMEM;
	for (int64_t k = 0; k < w->n && !status; k++) {
		const uint64_t *set = w->shared.masks + k * l->words;

		place[k] = (struct place){
			last_of(set, l->words), (int32_t)gpube__bits_count(set, l->words), k};
	}
	if (!status)
		status = gpube__sort(l->ctx, place, (uint64_t)w->n, sizeof(*place), by_place);
	for (int64_t k = 0; k < w->n && !status; k++)
		w->order[k] = place[k].of;
	gpube__free(l->ctx, place);
	return status;
}

/* ---- members --------------------------------------------------------------------------------- */

/* The variable of a set that the fewest relations have. */
static int32_t rarest(const struct agreeing *w, const uint64_t *set)
{
	int32_t best = -1;

	for (int k = 0; k < w->l->words; k++)
		for (uint64_t rest = set[k]; rest; rest &= rest - 1) {
			const int32_t i = 64 * k + __builtin_ctzll(rest);

			if (best < 0 || w->l->of_at[i + 1] - w->l->of_at[i] <
						w->l->of_at[best + 1] - w->l->of_at[best])
				best = i;
		}
	return best;
}

/* By variable: the last relation that has it, of those that have set 'set'. */
struct last_with {
	int64_t *set;
	int32_t *place;
};

/*
 * Of the n relations that have set k those stay that become its members: of those that share more
 * than the set, directly or through others, the shortest, since they agree by larger sets already.
 * Their number; 0: all do. parent: room for n
 */
static int32_t thin(const struct agreeing *w, struct last_with *x, int64_t k, int32_t n,
	int32_t *row, int32_t *parent)
{
	const struct gpube_relations *l = w->l;
	const uint64_t *set = set_of(w, k);
	int32_t kept = 0;

	gpube__sets_begin(parent, n);
	for (int32_t j = 0; j < n; j++) {
		const struct gpube_relation_table *a = &l->relations[row[j]];

		for (int32_t v = 0; v < a->arity; v++) {
			const int32_t i = a->scope[v];

			if (gpube__bit(set, i))
				continue;
			if (x->set[i] == k)
				gpube__sets_join(parent, j, x->place[i]);
			x->set[i] = k;
			x->place[i] = j;
		}
	}
	for (int32_t j = 0; j < n; j++) { /* the root becomes the shortest, of equals the first */
		const int32_t best = gpube__set_root(parent, j);
		const int64_t more = l->relations[row[j]].n - l->relations[row[best]].n;

		if (more < 0 || (!more && j < best))
			parent[best] = parent[j] = j;
	}
	for (int32_t j = 0; j < n; j++)
		if (parent[j] == j)
			row[kept++] = row[j];
	return kept > 1 ? kept : 0;
}

/* Relations that have set k, from row[n] on; with: they are noted. The number behind them. */
static int64_t list_members(const struct agreeing *w, int64_t k, int64_t n, bool with)
{
	const struct gpube_relations *l = w->l;
	const int32_t i = rarest(w, set_of(w, k));

	for (int32_t e = l->of_at[i]; e < l->of_at[i + 1]; e++)
		if (gpube__bits_within(set_of(w, k), l->relations[l->of[e]].set, l->words)) {
			if (with)
				w->row[n] = l->of[e];
			n++;
		}
	return n;
}

/* The most that all have together. */
static int count_members(struct agreeing *w, int64_t *n)
{
	const struct gpube_relations *l = w->l;
	const uint64_t most = l->ctx->memory_bytes / 8 / sizeof(*l->plan.members);

	*n = 0;
	for (int64_t k = 0; k < w->n; k++) {
		*n = list_members(w, k, *n, false);
		w->too_much |= *n > INT32_MAX - l->n_relations || (uint64_t)*n > most;
		if (w->too_much)
			return GPUBE_OK;
		if (gpube__stopped(l->ctx))
			return gpube__fail_stopped(l->ctx);
	}
	return GPUBE_OK;
}

/* Which relations each of the sets has; sets that have none go. */
static int find_members(struct agreeing *w)
{
	struct gpube_relations *l = w->l;
	struct last_with x = {0};
	int32_t *parent = NULL;
	int64_t n, kept = 0;
	int status = count_members(w, &n);

	if (status || w->too_much)
		return status;
	w->row = gpube__alloc(l->ctx, (uint64_t)n + 1, sizeof(*w->row));
	w->row_at = gpube__alloc(l->ctx, (uint64_t)w->n + 1, sizeof(*w->row_at));
	x.set = gpube__alloc(l->ctx, (uint64_t)l->n + 1, sizeof(*x.set));
	x.place = gpube__alloc(l->ctx, (uint64_t)l->n + 1, sizeof(*x.place));
	parent = gpube__alloc(l->ctx, (uint64_t)l->n_relations + 1, sizeof(*parent));
	if (!w->row || !w->row_at || !x.set || !x.place || !parent) {
		GPUBE_FREE_ALL(l->ctx, x.set, x.place, parent);
		return GPUBE_ENOMEM;
	}
	memset(x.set, 0xff, ((size_t)l->n + 1) * sizeof(*x.set));
	n = 0;
	for (int64_t k = 0; k < w->n; k++) {
		const int64_t end = list_members(w, k, n, true);
		const int32_t members = thin(w, &x, k, (int32_t)(end - n), w->row + n, parent);

		w->row_at[kept] = (int32_t)n;
		w->order[kept] = w->order[k];
		kept += members > 0;
		n += members;
	}
	w->row_at[kept] = (int32_t)n;
	w->n = kept;
	l->plan.n_members = n;
	GPUBE_FREE_ALL(l->ctx, x.set, x.place, parent);
	return GPUBE_OK;
}

/* ---- waves ----------------------------------------------------------------------------------- */

/* The waves in which each relation is asked, as bits. */
struct waves {
	int64_t words;
	uint64_t *taken;
	int32_t *of; /* by set in the order */
};

/* The first wave in which none of the k-th set's relations is asked; words: none of so many. */
static int64_t first_free(const struct agreeing *w, const struct waves *v, int64_t k)
{
	for (int64_t e = 0; e < v->words; e++) {
		uint64_t taken = 0;

		for (int32_t j = w->row_at[k]; j < w->row_at[k + 1]; j++)
			taken |= v->taken[w->row[j] * v->words + e];
		if (~taken)
			return 64 * e + __builtin_ctzll(~taken);
	}
	return 64 * v->words;
}

static int more_words(struct agreeing *w, struct waves *v)
{
	const int64_t words = 2 * v->words;
	uint64_t *taken = gpube__alloc_zero(
		w->l->ctx, (uint64_t)w->l->n_relations * (uint64_t)words + 1, sizeof(*taken));

	if (!taken)
		return GPUBE_ENOMEM;
	for (int32_t j = 0; j < w->l->n_relations; j++)
		memcpy(taken + j * words, v->taken + j * v->words,
			(size_t)v->words * sizeof(*taken));
	gpube__free(w->l->ctx, v->taken);
	v->taken = taken;
	v->words = words;
	return GPUBE_OK;
}

static int colour(struct agreeing *w, struct waves *v)
{
	struct gpube_relations *l = w->l;

	v->words = 1;
	v->taken = gpube__alloc_zero(l->ctx, (uint64_t)l->n_relations + 1, sizeof(*v->taken));
	v->of = gpube__alloc(l->ctx, (uint64_t)w->n + 1, sizeof(*v->of));
	if (!v->taken || !v->of)
		return GPUBE_ENOMEM;
	for (int64_t k = 0; k < w->n; k++) {
		const int64_t wave = first_free(w, v, k);

		if (wave == 64 * v->words && more_words(w, v))
			return GPUBE_ENOMEM;
		v->of[k] = (int32_t)wave;
		if (wave >= l->plan.n_waves)
			l->plan.n_waves = (int32_t)wave + 1;
		for (int32_t j = w->row_at[k]; j < w->row_at[k + 1]; j++)
			v->taken[w->row[j] * v->words + wave / 64] |= (uint64_t)1 << wave % 64;
	}
	return GPUBE_OK;
}

/* The plan's separator: that of the k-th set. */
static void take_separator(struct agreeing *w, int32_t separator, int64_t k, int64_t member)
{
	struct gpube_relations *l = w->l;
	const int32_t n = w->row_at[k + 1] - w->row_at[k];

	l->plan.separators[separator] =
		(struct gpube_sweep_separator){.member = member, .n_members = n};
	for (int32_t j = 0; j < n; j++) {
		const int32_t relation = w->row[w->row_at[k] + j];

		l->plan.members[member + j] = (struct gpube_sweep_member){.n = 0};
		l->relation_of[member + j] = relation;
		l->separator_of[member + j] = separator;
		GPUBE_ROW_COUNT(l->member_at, relation);
	}
}

/* The sets by their waves, those of a wave in their order; each has a separator then. */
static int take_separators(struct agreeing *w, const struct waves *v)
{
	struct gpube_relations *l = w->l;
	struct gpube_sweep_plan *p = &l->plan;
	int64_t *order = gpube__alloc(l->ctx, (uint64_t)w->n + 1, sizeof(*order)), member = 0;

	p->separators = gpube__alloc(l->ctx, (uint64_t)w->n + 1, sizeof(*p->separators));
	p->members = gpube__alloc(l->ctx, (uint64_t)p->n_members + 1, sizeof(*p->members));
	p->wave = gpube__alloc_zero(l->ctx, (uint64_t)p->n_waves + 3, sizeof(*p->wave));
	p->in_line = gpube__alloc(l->ctx, (uint64_t)w->n + 1, sizeof(*p->in_line));
	l->relation_of = gpube__alloc(l->ctx, (uint64_t)p->n_members + 1, sizeof(*l->relation_of));
	l->separator_of =
		gpube__alloc(l->ctx, (uint64_t)p->n_members + 1, sizeof(*l->separator_of));
	l->member_of = gpube__alloc(l->ctx, (uint64_t)p->n_members + 1, sizeof(*l->member_of));
	l->member_at =
		gpube__alloc_zero(l->ctx, (uint64_t)l->n_relations + 3, sizeof(*l->member_at));
	if (!order || !p->separators || !p->members || !p->wave || !p->in_line || !l->relation_of ||
		!l->separator_of || !l->member_of || !l->member_at) {
		gpube__free(l->ctx, order);
		return GPUBE_ENOMEM;
	}
	for (int64_t k = 0; k < w->n; k++)
		GPUBE_ROW_COUNT(p->wave, v->of[k]);
	GPUBE_ROWS_BEGIN(p->wave, p->n_waves);
	for (int64_t k = 0; k < w->n; k++)
		order[GPUBE_ROW_PLACE(p->wave, v->of[k])] = k;
	p->n_separators = (int32_t)w->n;
	for (int32_t n = 0; n < p->n_separators; n++) {
		const int64_t k = order[n];

		take_separator(w, n, k, member);
		p->in_line[k] = n;
		member += w->row_at[k + 1] - w->row_at[k];
		order[n] = w->order[k];
	}
	gpube__free(l->ctx, w->order);
	w->order = order;
	GPUBE_ROWS_BEGIN(l->member_at, l->n_relations);
	for (int32_t j = 0; j < p->n_members; j++)
		l->member_of[GPUBE_ROW_PLACE(l->member_at, l->relation_of[j])] = j;
	return GPUBE_OK;
}

static int make_waves(struct agreeing *w)
{
	struct waves v = {0};
	int status = colour(w, &v);

	if (!status)
		status = take_separators(w, &v);
	gpube__free(w->l->ctx, v.taken);
	gpube__free(w->l->ctx, v.of);
	return status;
}

/* Who gets a share: whoever is asked again by a later separator of the sweep. */
static void find_takers(struct gpube_relations *l)
{
	const struct gpube_sweep_plan *p = &l->plan;

	for (int32_t k = 0; k < p->n_separators; k++) {
		struct gpube_sweep_separator *b = &p->separators[k];

		for (int64_t j = b->member; j < b->member + b->n_members; j++) {
			const int32_t *row = l->member_of + l->member_at[l->relation_of[j]],
				      *end = l->member_of + l->member_at[l->relation_of[j] + 1];

			p->members[j].takes[0] = end[-1] != j;
			p->members[j].takes[1] = row[0] != j;
			b->takers[0] += p->members[j].takes[0];
			b->takers[1] += p->members[j].takes[1];
		}
		b->parts[0] = b->parts[1] =
			b->takers[0] > b->takers[1] ? b->takers[0] : b->takers[1];
	}
}

/* ---- cells ----------------------------------------------------------------------------------- */

static int64_t entries_of(const struct gpube_relations *l, int64_t member)
{
	return l->relations[l->relation_of[member]].n;
}

/* The member of the shortest relation. */
static int32_t shortest(const struct gpube_relations *l, const struct gpube_sweep_separator *b)
{
	int32_t best = 0;

	for (int32_t j = 1; j < b->n_members; j++)
		if (entries_of(l, b->member + j) < entries_of(l, b->member + best))
			best = j;
	return best;
}

static int bits_of(const struct gpube_relations *l, const uint64_t *set)
{
	int bits = 0;

	for (int k = 0; k < l->words; k++)
		for (uint64_t rest = set[k]; rest; rest &= rest - 1)
			bits += l->bits[64 * k + __builtin_ctzll(rest)];
	return bits;
}

/* All relations' costs in one piece, and room for the separators' behind them. */
static int join_costs(struct gpube_relations *l)
{
	int32_t *costs = gpube__alloc_zero(l->ctx, (uint64_t)l->plan.n_costs + 1, sizeof(*costs));
	int64_t at = 0;

	if (!costs)
		return GPUBE_ENOMEM;
	for (int32_t k = 0; k < l->n_relations; k++) {
		struct gpube_relation_table *a = &l->relations[k];

		memcpy(costs + at, a->cost, (size_t)a->n * sizeof(*costs));
		gpube__free(l->ctx, a->cost);
		a->cost = costs + at;
		for (int32_t j = l->member_at[k]; j < l->member_at[k + 1]; j++) {
			l->plan.members[l->member_of[j]].at = at;
			l->plan.members[l->member_of[j]].n = a->n;
		}
		at += a->n;
	}
	l->state.costs = costs;
	return GPUBE_OK;
}

static int make_room(struct agreeing *w)
{
	struct gpube_relations *l = w->l;
	struct gpube_sweep_plan *p = &l->plan;
	uint64_t cells = 0, own = 0;

	l->n_entries = 0;
	for (int32_t k = 0; k < l->n_relations; k++)
		l->n_entries += l->relations[k].n;
	for (int32_t k = 0; k < p->n_separators; k++) {
		struct gpube_sweep_separator *b = &p->separators[k];
		const int bits = bits_of(l, set_of(w, k));
		const int64_t most = entries_of(l, b->member + shortest(l, b));

		w->too_much |= most > INT32_MAX;
		b->at = l->n_entries + (int64_t)own;
		b->n = (int32_t)(bits < 31 && (int64_t)1 << bits < most ? (int64_t)1 << bits
									: most);
		own += (uint64_t)b->n;
		for (int64_t j = b->member; j < b->member + b->n_members; j++) {
			p->members[j].cell = (int64_t)cells;
			cells += (uint64_t)entries_of(l, j);
		}
	}
	p->n_cells = (int64_t)cells;
	p->n_costs = l->n_entries + (int64_t)own;
	/* a sweep's scratch: one separator's cells for each relation, and their sum */
	w->too_much |= sizeof(int32_t) * (cells + own + 3 * (uint64_t)l->n_entries) >
		       l->ctx->memory_bytes / 4;
	if (w->too_much)
		return GPUBE_OK;
	p->cells = gpube__alloc(l->ctx, cells + 1, sizeof(*p->cells));
	return p->cells ? join_costs(l) : GPUBE_ENOMEM;
}

/*
 * Cells of a separator in the order in which its shortest relation has them; what one of its
 * relations has not is in none.
 */
static void find_cells(void *arg, int64_t item, int thread)
{
	struct agreeing *w = arg;
	struct gpube_relations *l = w->l;
	struct gpube_sweep_separator *b = &l->plan.separators[item];
	struct gpube_relation_index *x = &w->index[thread];
	const uint64_t *set = set_of(w, item);
	const int32_t first = shortest(l, b);
	uint32_t n = 0;

	if (gpube__relation_index_init(l->ctx, x, b->n, bits_of(l, set))) {
		__atomic_store_n(&w->status, GPUBE_ENOMEM, __ATOMIC_RELAXED);
		return;
	}
	for (int32_t e = 0; e < b->n_members; e++) {
		const int64_t j = b->member + (e == 0 ? first : e <= first ? e - 1 : e);
		const struct gpube_relation_table *a = &l->relations[l->relation_of[j]];
		uint32_t *cell = l->plan.cells + l->plan.members[j].cell;
		struct gpube_relation_pieces p;

		gpube__relation_pieces(&p, l, a->arity, a->scope, a->shift, set);
		for (int64_t i = 0; i < a->n; i++) {
			const uint64_t key = gpube__relation_part(&p, a->key[i]);
			uint32_t at = gpube__relation_find(x, key);

			if (at == GPUBE__NOWHERE && !e) {
				at = n++;
				gpube__relation_put(x, key, at);
			}
			cell[i] = at == GPUBE__NOWHERE ? 0 : at;
			if (at == GPUBE__NOWHERE)
				__atomic_store_n(
					&a->cost[i], GPUBE__REGION_FORBIDDEN, __ATOMIC_RELAXED);
		}
	}
	b->n = (int32_t)n;
}

/* ---- the call -------------------------------------------------------------------------------- */

static int agree(struct agreeing *w)
{
	struct gpube_relations *l = w->l;
	int status = find_shared(w);

	if (!status && !w->too_much)
		status = sort_sets(w);
	if (!status && !w->too_much)
		status = find_members(w);
	if (!status && !w->too_much)
		status = make_waves(w);
	if (!status && !w->too_much)
		status = make_room(w);
	if (status || w->too_much)
		return status;
	find_takers(l);
	w->index = gpube__alloc_zero(l->ctx, (uint64_t)l->ctx->n_threads, sizeof(*w->index));
	if (!w->index)
		return GPUBE_ENOMEM;
	gpube__parallel(l->ctx, l->plan.n_separators, find_cells, w);
	gpube__work_shared(l->ctx, l->plan.n_separators, INDEX_TICKS * l->plan.n_cells);
	for (int k = 0; k < l->ctx->n_threads; k++)
		gpube__relation_index_clear(l->ctx, &w->index[k]);
	gpube__free(l->ctx, w->index);
	l->plan.room = 1;
	for (int32_t k = 0; k < l->plan.n_separators; k++) {
		const struct gpube_sweep_separator *b = &l->plan.separators[k];
		const int64_t room = (1 + (int64_t)b->n_members) * b->n;

		l->plan.room = room > l->plan.room ? room : l->plan.room;
	}
	return w->status;
}

int gpube__relations_agree(struct gpube_relations *l, bool *too_much)
{
	struct agreeing w = {.l = l, .shared.words = l->words};
	const int status = agree(&w);

	*too_much = w.too_much;
	gpube__mask_set_clear(&w.shared, l->ctx);
	GPUBE_FREE_ALL(l->ctx, w.order, w.row, w.row_at);
	return status;
}
