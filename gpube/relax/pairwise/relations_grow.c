/*
 * relations_grow.c - larger relations, joined of the old ones by the functions'
 * variables: see relations.h.
 */
#include "gpube/relax/pairwise/relations.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "gpube/base/rows.h"

/*
 * What a partner shares weighs against what it adds; that make a relation too long before it is
 * done.
 */
/* Work: an entry that is tried, and for each relation that is asked one that is possible. */
enum { TRIED_TICKS = 6, FOUND_TICKS = 10 };
enum { SHARED = 100, MOST_FAILED = 4 };
/* Of a relation: its numbers are of 32 bits, and so are those of what it may be extended to. */
#define MOST_ENTRIES ((int64_t)1 << 26)
/* Entries that one thread extends at a time. */
enum { CHUNK = 1 << 10 };

/*
 * A relation in the making. total: what all old relations within cost; cost: those that give theirs
 * to it.
 */
struct draft {
	int32_t arity;
	int32_t scope[64], order[64]; /* ascending, and as they were added */
	uint8_t shift[65];
	uint64_t *set;
	int64_t n;
	uint64_t *key;
	int32_t *total, *cost;
};

struct growing {
	struct gpube_ctx *ctx;
	const struct gpube_relations *old;
	struct gpube_relations *l;
	int32_t slack;
	struct gpube_relation_index *index; /* of each old relation */
	bool *taken;                        /* its costs are in a new one */
	int32_t *of, *of_at;                /* old relations of each variable */
	uint64_t *functions;                /* the sets of the model's, larger first */
	int32_t *near, *near_at, n_functions;
	bool *gone;
	int32_t *failed; /* by function: the seed that was too long with it */
	double limit;    /* tuples that would be tried, from which on nothing is */
};

/* ---- a relation in the making ---------------------------------------------------------------- */

static void clear_draft(struct growing *w, struct draft *d)
{
	GPUBE_FREE_ALL(w->ctx, d->set, d->key, d->total, d->cost);
	*d = (struct draft){0};
}

static int make_draft(struct growing *w, struct draft *d, int64_t n)
{
	d->set = gpube__alloc_zero(w->ctx, (uint64_t)w->l->words, sizeof(*d->set));
	d->key = gpube__alloc(w->ctx, (uint64_t)n + 1, sizeof(*d->key));
	d->total = gpube__alloc(w->ctx, (uint64_t)n + 1, sizeof(*d->total));
	d->cost = gpube__alloc(w->ctx, (uint64_t)n + 1, sizeof(*d->cost));
	return d->set && d->key && d->total && d->cost ? GPUBE_OK : GPUBE_ENOMEM;
}

/*
 * One more variable, which lies in the middle of words; old relations that are within from now on.
 */
struct extension {
	struct growing *w;
	const struct draft *from;
	struct draft *to;
	int32_t var;
	int bits, shift;
	int32_t n_old;
	int32_t *old;
	struct gpube_relation_pieces *pieces;
	int64_t *n; /* of each chunk */
	int64_t found;
};

static void extend_chunk(void *arg, int64_t item, int thread)
{
	struct extension *x = arg;
	const struct growing *w = x->w;
	const struct draft *from = x->from;
	const int32_t domain = w->l->domain[x->var];
	const int64_t last = (item + 1) * CHUNK < from->n ? (item + 1) * CHUNK : from->n;
	const uint64_t low = x->shift < 64 ? ((uint64_t)1 << x->shift) - 1 : ~(uint64_t)0;
	int64_t n = item * CHUNK * domain;

	(void)thread;
	x->n[item] = 0;
	if (__atomic_load_n(&x->found, __ATOMIC_RELAXED) > w->l->most)
		return;
	for (int64_t i = item * CHUNK; i < last; i++)
		for (int32_t a = 0; a < domain; a++) {
			const uint64_t high = from->key[i] & ~low;
			const uint64_t key = (from->key[i] & low) | (high ? high << x->bits : 0) |
					     (a ? (uint64_t)a << x->shift : 0);
			int32_t total = from->total[i], cost = from->cost[i];

			for (int32_t k = 0; k < x->n_old && total < w->slack; k++) {
				const uint32_t at = gpube__relation_find(&w->index[x->old[k]],
					gpube__relation_part(&x->pieces[k], key));
				const int32_t more =
					at == GPUBE__NOWHERE
						? GPUBE__REGION_FORBIDDEN
						: w->old->relations[x->old[k]].cost[at];

				total = more >= w->slack ? GPUBE__REGION_FORBIDDEN : total + more;
				cost += w->taken[x->old[k]] ? 0 : more;
			}
			if (total >= w->slack)
				continue;
			x->to->key[n] = key;
			x->to->total[n] = total;
			x->to->cost[n++] = cost;
		}
	x->n[item] = n - item * CHUNK * domain;
	__atomic_fetch_add(&x->found, x->n[item], __ATOMIC_RELAXED);
}

/* The scope with one more variable; false: its words are too long. */
static bool add_var(
	const struct growing *w, struct draft *to, const struct draft *from, struct extension *x)
{
	const struct gpube_relations *l = w->l;
	int32_t k = 0, at = 0;

	if (from->arity == 64 || from->shift[from->arity] + l->bits[x->var] > 64)
		return false;
	memcpy(to->set, from->set, (size_t)l->words * sizeof(*to->set));
	gpube__bit_put(to->set, x->var);
	for (; k < from->arity && from->scope[k] < x->var; k++)
		to->scope[k] = from->scope[k];
	to->scope[k] = x->var;
	x->shift = from->shift[k];
	for (; k < from->arity; k++)
		to->scope[k + 1] = from->scope[k];
	memcpy(to->order, from->order, sizeof(to->order));
	to->order[from->arity] = x->var;
	to->arity = from->arity + 1;
	for (k = 0; k <= to->arity; k++) {
		to->shift[k] = (uint8_t)at;
		at += k < to->arity ? l->bits[to->scope[k]] : 0;
	}
	x->bits = l->bits[x->var];
	return true;
}

/* Those that say most come first: the larger ones. */
static int find_old(struct growing *w, const struct draft *to, struct extension *x)
{
	const struct gpube_relations *old = w->old;
	const int32_t first = w->of_at[x->var], last = w->of_at[x->var + 1];

	x->old = gpube__alloc(w->ctx, (uint64_t)(last - first) + 1, sizeof(*x->old));
	if (!x->old)
		return GPUBE_ENOMEM;
	for (int32_t j = first; j < last; j++) {
		int32_t k = x->n_old;

		if (!gpube__bits_within(old->relations[w->of[j]].set, to->set, old->words))
			continue;
		for (; k > 0 &&
			old->relations[x->old[k - 1]].arity < old->relations[w->of[j]].arity;
			k--)
			x->old[k] = x->old[k - 1];
		x->old[k] = w->of[j];
		x->n_old++;
	}
	x->pieces = gpube__alloc(w->ctx, (uint64_t)x->n_old + 1, sizeof(*x->pieces));
	if (!x->pieces)
		return GPUBE_ENOMEM;
	for (int32_t k = 0; k < x->n_old; k++)
		gpube__relation_pieces(&x->pieces[k], w->l, to->arity, to->scope, to->shift,
			old->relations[x->old[k]].set);
	return GPUBE_OK;
}

static int extend(
	struct growing *w, struct draft *to, const struct draft *from, int32_t var, bool *fits)
{
	struct extension x = {.w = w, .from = from, .to = to, .var = var};
	const int64_t n_chunks = (from->n + CHUNK - 1) / CHUNK, room = from->n * w->l->domain[var];
	int status;

	*fits = false;
	if (sizeof(uint64_t) * 2 * (uint64_t)room > w->ctx->memory_bytes / 8)
		return GPUBE_OK;
	status = make_draft(w, to, room);
	if (status || !add_var(w, to, from, &x))
		return status;
	x.n = gpube__alloc(w->ctx, (uint64_t)n_chunks + 1, sizeof(*x.n));
	status = x.n ? find_old(w, to, &x) : GPUBE_ENOMEM;
	if (!status) {
		gpube__parallel(w->ctx, n_chunks, extend_chunk, &x);
		gpube__work_shared(w->ctx, n_chunks,
			TRIED_TICKS * room + (int64_t)(1 + x.n_old) * FOUND_TICKS * x.found);
		*fits = x.found <= w->l->most;
		w->l->all &= *fits;
		for (int64_t k = 0; k < n_chunks && *fits; k++) {
			const int64_t at = k * CHUNK * w->l->domain[var];

			memmove(to->key + to->n, to->key + at, (size_t)x.n[k] * sizeof(*to->key));
			memmove(to->total + to->n, to->total + at,
				(size_t)x.n[k] * sizeof(*to->total));
			memmove(to->cost + to->n, to->cost + at,
				(size_t)x.n[k] * sizeof(*to->cost));
			to->n += x.n[k];
		}
	}
	GPUBE_FREE_ALL(w->ctx, x.n, x.old, x.pieces);
	return status;
}

/* The draft with all of a function's variables, where it stays short enough. */
static int add_function(struct growing *w, struct draft *d, const uint64_t *set, bool *fits)
{
	struct draft now = {0};
	const struct draft *from = d;
	int status = GPUBE_OK;

	*fits = true;
	for (int k = 0; k < w->l->words; k++)
		for (uint64_t rest = set[k] & ~d->set[k]; rest && !status && *fits;
			rest &= rest - 1) {
			struct draft next = {0};

			status = extend(w, &next, from, 64 * k + __builtin_ctzll(rest), fits);
			clear_draft(w, &now);
			now = next;
			from = &now;
		}
	if (from != d && !status && *fits) {
		clear_draft(w, d);
		*d = now;
	} else {
		clear_draft(w, &now);
	}
	return status;
}

/* ---- joining --------------------------------------------------------------------------------- */

static uint64_t *set_of(const struct growing *w, int32_t f)
{
	return w->functions + (int64_t)f * w->l->words;
}

/* Tuples of the draft with all values of a function's other variables. */
static double tuples_of(const struct growing *w, const struct draft *d, int32_t f)
{
	double n = (double)d->n;

	for (int k = 0; k < w->l->words; k++)
		for (uint64_t rest = set_of(w, f)[k] & ~d->set[k]; rest; rest &= rest - 1)
			n *= w->l->domain[64 * k + __builtin_ctzll(rest)];
	return n;
}

/* The function that shares most with it, of those that are worth a try; -1: none. */
static int32_t partner(const struct growing *w, const struct draft *d, int32_t seed)
{
	int32_t best = -1, most = 0;

	for (int32_t v = 0; v < d->arity; v++)
		for (int32_t j = w->near_at[d->scope[v]]; j < w->near_at[d->scope[v] + 1]; j++) {
			const int32_t f = w->near[j];
			int shared = 0, all = 0, score;

			if (w->gone[f] || w->failed[f] == seed)
				continue;
			for (int k = 0; k < w->l->words; k++) {
				shared += __builtin_popcountll(set_of(w, f)[k] & d->set[k]);
				all += __builtin_popcountll(set_of(w, f)[k]);
			}
			score = SHARED * shared - (all - shared);
			if (score > most && tuples_of(w, d, f) <= w->limit) {
				most = score;
				best = f;
			}
		}
	return best;
}

static int keep_draft(struct growing *w, const struct draft *d)
{
	struct gpube_relations *l = w->l;
	struct gpube_relation_table *a;
	int status = gpube__relation_new(&a, l, d->arity, d->scope, d->order, d->n);

	if (status)
		return status;
	memcpy(a->key, d->key, (size_t)d->n * sizeof(*a->key));
	memcpy(a->cost, d->cost, (size_t)d->n * sizeof(*a->cost));
	for (int32_t v = 0; v < d->arity; v++)
		for (int32_t j = w->of_at[d->scope[v]]; j < w->of_at[d->scope[v] + 1]; j++)
			w->taken[w->of[j]] |= gpube__bits_within(
				w->old->relations[w->of[j]].set, d->set, l->words);
	return GPUBE_OK;
}

/*
 * What so many tuples came to moves the limit, which ends about where half of the tries succeed: a
 * try that fails is work for nothing.
 */
static void learn(struct growing *w, double tuples, bool joins)
{
	const double most = (double)w->l->most;

	if (!joins && tuples / 2 < w->limit)
		w->limit = tuples / 2 > most ? tuples / 2 : most;
	else if (joins && 2 * tuples > w->limit)
		w->limit *= 2;
}

/* A relation of the seed, and of what goes with it. */
static int join(struct growing *w, int32_t seed)
{
	struct draft d = {.n = 1};
	int failed = 0, status;
	bool fits = true;

	status = make_draft(w, &d, 1);
	if (!status) {
		d.key[0] = 0;
		d.total[0] = d.cost[0] = 0;
		status = add_function(w, &d, set_of(w, seed), &fits);
	}
	w->gone[seed] = true;
	for (int32_t f;
		!status && fits && failed < MOST_FAILED && (f = partner(w, &d, seed)) >= 0;) {
		const double tuples = tuples_of(w, &d, f);
		bool joins;

		status = add_function(w, &d, set_of(w, f), &joins);
		learn(w, tuples, joins);
		w->gone[f] |= joins;
		w->failed[f] = joins ? -1 : seed;
		failed += !joins;
		if (gpube__stopped(w->ctx) && !status)
			status = gpube__fail_stopped(w->ctx);
	}
	if (!status && fits)
		status = keep_draft(w, &d);
	clear_draft(w, &d);
	return status;
}

/* Old ones that are within none stay, with their costs. */
static int keep_old(struct growing *w)
{
	int status = GPUBE_OK;

	for (int32_t k = 0; k < w->old->n_relations && !status; k++) {
		const struct gpube_relation_table *from = &w->old->relations[k];
		struct gpube_relation_table *a;
		int64_t n = 0;

		if (w->taken[k])
			continue;
		for (int64_t i = 0; i < from->n; i++)
			n += from->cost[i] < w->slack;
		status = gpube__relation_new(&a, w->l, from->arity, from->scope, from->order, n);
		n = 0;
		for (int64_t i = 0; i < from->n && !status; i++)
			if (from->cost[i] < w->slack) {
				a->key[n] = from->key[i];
				a->cost[n++] = from->cost[i];
			}
	}
	return status;
}

/* ---- what growing needs ---------------------------------------------------------------------- */

struct scope_of {
	int32_t arity, function;
};

static int larger_first(const void *x, const void *y)
{
	const struct scope_of *a = x, *b = y;

	if (a->arity != b->arity)
		return a->arity > b->arity ? -1 : 1;
	return a->function < b->function ? -1 : 1;
}

/* Variables of a function that are not fixed. */
static int32_t n_open(const struct gpube_relations *l, const struct gpube_model *m, int32_t f)
{
	int32_t n = 0;

	for (int v = 0; v < m->functions[f].arity; v++)
		n += l->fixed[gpube__scope(m, f)[v]] < 0;
	return n;
}

static int relation_functions(struct growing *w, const struct gpube_model *m)
{
	const int words = w->l->words;
	struct scope_of *order = gpube__alloc(w->ctx, (uint64_t)m->n_functions + 1, sizeof(*order));
	int32_t total = 0;

	w->functions = gpube__alloc_zero(
		w->ctx, (uint64_t)m->n_functions * (uint64_t)words + 1, sizeof(*w->functions));
	w->gone = gpube__alloc_zero(w->ctx, (uint64_t)m->n_functions + 1, sizeof(*w->gone));
	w->failed = gpube__alloc(w->ctx, (uint64_t)m->n_functions + 1, sizeof(*w->failed));
	w->near_at = gpube__alloc_zero(w->ctx, (uint64_t)w->l->n + 3, sizeof(*w->near_at));
	for (int32_t f = 0; f < m->n_functions; f++)
		total += m->functions[f].arity;
	w->near = gpube__alloc(w->ctx, (uint64_t)total + 1, sizeof(*w->near));
	if (!order || !w->functions || !w->gone || !w->failed || !w->near_at || !w->near) {
		gpube__free(w->ctx, order);
		return GPUBE_ENOMEM;
	}
	for (int32_t f = 0; f < m->n_functions; f++) {
		const int32_t arity = n_open(w->old, m, f);

		if (arity)
			order[w->n_functions++] = (struct scope_of){arity, f};
	}
	qsort(order, (size_t)w->n_functions, sizeof(*order), larger_first);
	for (int32_t k = 0; k < w->n_functions; k++) {
		w->failed[k] = -1;
		for (int v = 0; v < m->functions[order[k].function].arity; v++) {
			const int32_t i = gpube__scope(m, order[k].function)[v];

			if (w->old->fixed[i] >= 0)
				continue;
			gpube__bit_put(set_of(w, k), i);
			GPUBE_ROW_COUNT(w->near_at, i);
		}
	}
	GPUBE_ROWS_BEGIN(w->near_at, w->l->n);
	for (int32_t k = 0; k < w->n_functions; k++)
		for (int v = 0; v < m->functions[order[k].function].arity; v++) {
			const int32_t i = gpube__scope(m, order[k].function)[v];

			if (w->old->fixed[i] < 0)
				w->near[GPUBE_ROW_PLACE(w->near_at, i)] = k;
		}
	gpube__free(w->ctx, order);
	return GPUBE_OK;
}

static void make_index(void *arg, int64_t item, int thread)
{
	struct growing *w = arg;
	const struct gpube_relation_table *a = &w->old->relations[item];

	(void)thread;
	if (gpube__relation_index_init(w->ctx, &w->index[item], a->n, a->shift[a->arity]))
		return;
	for (int64_t i = 0; i < a->n; i++)
		gpube__relation_put(&w->index[item], a->key[i], (uint32_t)i);
}

static int list_old(struct growing *w)
{
	const struct gpube_relations *old = w->old;

	w->index = gpube__alloc_zero(w->ctx, (uint64_t)old->n_relations + 1, sizeof(*w->index));
	w->taken = gpube__alloc_zero(w->ctx, (uint64_t)old->n_relations + 1, sizeof(*w->taken));
	if (!w->index || !w->taken || gpube__relations_rows(old, &w->of, &w->of_at))
		return GPUBE_ENOMEM;
	gpube__parallel(w->ctx, old->n_relations, make_index, w);
	for (int32_t k = 0; k < old->n_relations; k++)
		if (!w->index[k].at)
			return GPUBE_ENOMEM;
	return GPUBE_OK;
}

static void clear(struct growing *w)
{
	for (int32_t k = 0; w->index && k < w->old->n_relations; k++)
		gpube__relation_index_clear(w->ctx, &w->index[k]);
	GPUBE_FREE_ALL(w->ctx, w->index, w->taken, w->of, w->of_at, w->functions, w->near,
		w->near_at, w->gone, w->failed);
}

/* ---- the call -------------------------------------------------------------------------------- */

static int by_place(const void *x, const void *y)
{
	const struct gpube_relation_table *a = x, *b = y;
	const int32_t last_a = a->arity ? a->scope[a->arity - 1] : -1,
		      last_b = b->arity ? b->scope[b->arity - 1] : -1;

	if (last_a != last_b)
		return last_a < last_b ? -1 : 1;
	if (a->arity != b->arity)
		return a->arity > b->arity ? -1 : 1;
	return memcmp(a->scope, b->scope, (size_t)a->arity * sizeof(*a->scope));
}

int gpube__relations_grow(struct gpube_relations **out, struct gpube_relations *old,
	const struct gpube_model *m, int64_t most)
{
	struct growing w = {.ctx = old->ctx, .old = old, .slack = gpube__relations_slack(old)};
	struct gpube_relations *l;
	bool too_much = false;
	int status;

	*out = NULL;
	if (old->all || most > MOST_ENTRIES)
		return GPUBE_OK;
	l = gpube__relations_alloc(old->ctx, old->n, old->domain);
	if (!l)
		return GPUBE_ENOMEM;
	w.l = l;
	w.limit = INFINITY;
	l->all = true;
	l->most = most;
	l->shift = old->shift;
	memcpy(l->fixed, old->fixed, (size_t)l->n * sizeof(*l->fixed));
	l->state.constant = old->state.constant;
	l->state.target = old->state.target;
	gpube__relations_settle(old);
	status = relation_functions(&w, m);
	if (!status)
		status = list_old(&w);
	l->relations = status ? NULL
			      : gpube__alloc_zero(w.ctx,
					(uint64_t)w.n_functions + (uint64_t)old->n_relations + 1,
					sizeof(*l->relations));
	status = status || l->relations ? status : GPUBE_ENOMEM;
	for (int32_t f = 0; f < w.n_functions && !status; f++)
		if (!w.gone[f])
			status = join(&w, f);
	if (!status)
		status = keep_old(&w);
	if (!status) {
		qsort(l->relations, (size_t)l->n_relations, sizeof(*l->relations), by_place);
		status = gpube__relations_agree(l, &too_much);
	}
	clear(&w);
	for (int32_t k = 0;
		k < l->n_relations && !status && !too_much && l->state.constant < l->state.target;
		k++)
		gpube__relation_settle(l, &l->relations[k]);
	if (!status && !too_much) {
		gpube__relations_shorten(l);
		*out = l;
	} else {
		gpube__relations_free(l);
	}
	return status;
}
