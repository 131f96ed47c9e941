/* relations.c - sweeps over relations, and what is read off them: see relations.h. */
#include "gpube/relax/pairwise/relations.h"

#include <string.h>

/* Entries that a wave touches, from which threads pay. */
enum { WIDE = 1 << 14 };
/* Entries are taken out where more than one in so many is possible no more. */
enum { GONE_PART = 4 };
/*
 * Work of a sweep: of a relation that is asked, and each of its entries, which is read and written.
 */
enum { MEMBER_TICKS = 30, ENTRY_TICKS = 2 };

/* ---- sweeps ---------------------------------------------------------------------------------- */

/* In the room every separator of a wave has its sum, and behind it its members' parts. */
struct wave {
	struct gpube_relations *l;
	const struct gpube_relation_waves *waves;
	bool back;
	int32_t first_member, n_members;
	int32_t slack;
	int32_t *room;
	int64_t rise;
};

static int32_t *part_of(const struct wave *w, const struct gpube_relation_member *of)
{
	const struct gpube_relation_separator *b = &w->l->separators[of->separator];

	return w->room + w->waves->room[of->separator] +
	       (of - &w->l->members[b->member] + 1) * b->n;
}

/* m: what the member forces. */
static void force(const struct wave *w, const struct gpube_relation_member *of)
{
	const struct gpube_relation_table *a = &w->l->relations[of->relation];
	const int64_t n = w->l->separators[of->separator].n;
	int32_t *restrict m = part_of(w, of);
	const int32_t *restrict cost = a->cost;
	const uint32_t *restrict cell = of->cell;

	for (int64_t i = 0; i < n; i++)
		m[i] = GPUBE__REGION_FORBIDDEN;
	for (int64_t i = 0; i < a->n; i++)
		/* seldom; always to store would wait for the store before */
		if (cost[i] < m[cell[i]])
			m[cell[i]] = cost[i];
}

/* The separator's sum of all; its least cell. */
static int32_t sum_up(
	const struct gpube_relation_separator *b, int32_t slack, int32_t *restrict sum)
{
	int32_t least = GPUBE__REGION_FORBIDDEN;

	for (int32_t j = 0; j < b->n_members; j++) {
		const int32_t *restrict m = sum + (j + 1) * b->n;

		for (int64_t i = 0; i < b->n; i++) {
			const int32_t x = sum[i] + m[i];

			sum[i] = x >= slack ? GPUBE__REGION_FORBIDDEN : x;
		}
	}
	for (int64_t i = 0; i < b->n; i++)
		least = sum[i] < least ? sum[i] : least;
	return least;
}

/*
 * What the constant is to rise by, at most the slack; the members' parts become what each is to
 * have more.
 */
static int32_t share(const struct wave *w, int32_t k)
{
	struct gpube_relations *l = w->l;
	const struct gpube_relation_separator *b = &l->separators[k];
	const int32_t out = w->back ? b->n_before : b->n_after,
		      in = w->back ? b->n_after : b->n_before, parts = out > in ? out : in;
	int32_t *restrict own = l->own + b->at, *restrict sum = w->room + w->waves->room[k];
	int32_t rise, slack = w->slack;

	memcpy(sum, own, (size_t)b->n * sizeof(*sum));
	rise = sum_up(b, slack, sum);
	if (rise >= slack)
		return slack;
	slack -= rise;
	for (int64_t i = 0; i < b->n; i++) {
		const int32_t rest = sum[i] - rise, part = parts ? rest / parts : 0;

		own[i] = rest >= slack ? GPUBE__REGION_FORBIDDEN : rest - part * out;
		sum[i] = rest >= slack ? GPUBE__REGION_FORBIDDEN : part;
	}
	for (int32_t j = 0; j < b->n_members; j++) {
		const struct gpube_relation_table *a =
			&l->relations[l->members[b->member + j].relation];
		const bool takes = w->back ? a->first < k : a->last > k;
		int32_t *restrict m = sum + (j + 1) * b->n;

		for (int64_t i = 0; i < b->n; i++)
			m[i] = sum[i] == GPUBE__REGION_FORBIDDEN ? GPUBE__REGION_FORBIDDEN
								 : (takes ? sum[i] : 0) - m[i];
	}
	return rise;
}

/* The last of a separator's members shares. */
static void gather_one(void *arg, int64_t item, int thread)
{
	struct wave *w = arg;
	const struct gpube_relation_member *of =
		&w->l->members[w->waves->member[w->first_member + item]];
	int32_t *left = &w->l->left[of->separator];

	(void)thread;
	force(w, of);
	if (__atomic_sub_fetch(left, 1, __ATOMIC_ACQ_REL))
		return;
	*left = w->l->separators[of->separator].n_members;
	__atomic_fetch_add(&w->rise, share(w, of->separator), __ATOMIC_RELAXED);
}

static void spread(void *arg, int64_t item, int thread)
{
	const struct wave *w = arg;
	const struct gpube_relation_member *of =
		&w->l->members[w->waves->member[w->first_member + item]];
	const struct gpube_relation_table *a = &w->l->relations[of->relation];
	const int32_t *restrict m = part_of(w, of);
	int32_t *restrict cost = a->cost;
	const uint32_t *restrict cell = of->cell;

	(void)thread;
	for (int64_t i = 0; i < a->n; i++) {
		const int32_t x = cost[i] + m[cell[i]];

		cost[i] = x >= w->slack ? GPUBE__REGION_FORBIDDEN : x;
	}
}

static int64_t touched(const struct wave *w)
{
	int64_t n = 0;

	for (int32_t i = 0; i < w->n_members && n < WIDE; i++)
		n += w->l->relations[w->l->members[w->waves->member[w->first_member + i]].relation]
			     .n;
	return n;
}

static void ask(struct wave *w)
{
	struct gpube_ctx *ctx = w->l->ctx;
	int64_t ticks = 0;

	for (int32_t i = 0; i < w->n_members; i++) {
		const struct gpube_relation_member *of =
			&w->l->members[w->waves->member[w->first_member + i]];

		ticks += MEMBER_TICKS + ENTRY_TICKS * w->l->relations[of->relation].n +
			 w->l->separators[of->separator].n;
	}
	gpube__work(ctx, ticks);
	if (ctx->n_threads > 1 && touched(w) >= WIDE) {
		gpube__parallel(ctx, w->n_members, gather_one, w);
		if (w->rise < w->slack)
			gpube__parallel(ctx, w->n_members, spread, w);
		return;
	}
	for (int32_t i = 0; i < w->n_members; i++)
		gather_one(w, i, 0);
	for (int32_t i = 0; i < w->n_members && w->rise < w->slack; i++)
		spread(w, i, 0);
}

void gpube__relations_sweep(struct gpube_relations *l, bool back, int32_t *room)
{
	const struct gpube_relation_waves *waves = &l->waves[back];

	for (int32_t i = 0; i < waves->n && l->constant < l->target && !gpube__stopped(l->ctx);
		i++) {
		struct wave w = {.l = l,
			.waves = waves,
			.back = back,
			.slack = gpube__relations_slack(l),
			.room = room,
			.first_member = waves->member_at[i],
			.n_members = waves->member_at[i + 1] - waves->member_at[i]};

		ask(&w);
		l->constant = w.rise >= l->target - l->constant ? l->target : l->constant + w.rise;
	}
}

/* ---- what is possible no more ---------------------------------------------------------------- */

static void shorten(void *arg, int64_t item, int thread)
{
	struct gpube_relations *l = arg;
	struct gpube_relation_table *a = &l->relations[item];
	const int32_t slack = gpube__relations_slack(l);
	int64_t n = 0, to = 0;

	(void)thread;
	for (int64_t i = 0; i < a->n; i++)
		n += a->cost[i] < slack;
	if (n > a->n - a->n / GONE_PART)
		return;
	for (int32_t j = l->member_at[item]; j < l->member_at[item + 1]; j++) {
		uint32_t *cell = l->members[l->member_of[j]].cell;

		to = 0;
		for (int64_t i = 0; i < a->n; i++)
			if (a->cost[i] < slack)
				cell[to++] = cell[i];
	}
	to = 0;
	for (int64_t i = 0; i < a->n; i++)
		if (a->cost[i] < slack) {
			a->key[to] = a->key[i];
			a->cost[to++] = a->cost[i];
		}
	a->n = to;
}

void gpube__relations_shorten(struct gpube_relations *l)
{
	gpube__parallel(l->ctx, l->n_relations, shorten, l);
	l->n_entries = l->n_touched = 0;
	for (int32_t k = 0; k < l->n_relations; k++) {
		l->n_entries += l->relations[k].n;
		l->n_touched += l->relations[k].n * (l->member_at[k + 1] - l->member_at[k]);
	}
}

/* ---- values ---------------------------------------------------------------------------------- */

int gpube__relations_decode(const struct gpube_relations *l, bool back, int32_t *values)
{
	bool *assigned = gpube__alloc_zero(l->ctx, (uint64_t)l->n + 1, sizeof(*assigned));

	if (!assigned)
		return GPUBE_ENOMEM;
	for (int32_t i = 0; i < l->n; i++)
		values[i] = l->fixed[i] < 0 ? values[i] : l->fixed[i];
	for (int32_t k = 0; k < l->n_relations; k++) {
		const struct gpube_relation_table *a =
			&l->relations[back ? l->n_relations - 1 - k : k];
		uint64_t mask = 0, key = 0;
		int64_t best = -1;

		for (int32_t v = 0; v < a->arity; v++)
			if (assigned[a->scope[v]]) {
				mask |= (((uint64_t)1 << l->bits[a->scope[v]]) - 1) << a->shift[v];
				key |= (uint64_t)values[a->scope[v]] << a->shift[v];
			}
		for (int64_t i = 0; i < a->n; i++)
			if ((a->key[i] & mask) == key && (best < 0 || a->cost[i] < a->cost[best]))
				best = i;
		for (int32_t v = 0; v < a->arity && best >= 0; v++) {
			const uint64_t bits = ((uint64_t)1 << l->bits[a->scope[v]]) - 1;

			values[a->scope[v]] = (int32_t)(a->key[best] >> a->shift[v] & bits);
			assigned[a->scope[v]] = true;
		}
	}
	gpube__free(l->ctx, assigned);
	return GPUBE_OK;
}

/* ---- freeing --------------------------------------------------------------------------------- */

void gpube__relations_free(struct gpube_relations *l)
{
	if (!l)
		return;
	for (int32_t k = 0; l->relations && k < l->n_relations; k++) {
		gpube__free(l->ctx, l->relations[k].scope);
		gpube__free(l->ctx, l->relations[k].shift);
		gpube__free(l->ctx, l->relations[k].set);
		gpube__free(l->ctx, l->relations[k].key);
		gpube__free(l->ctx, l->relations[k].cost);
	}
	gpube__free(l->ctx, l->relations);
	gpube__free(l->ctx, l->domain);
	gpube__free(l->ctx, l->bits);
	gpube__free(l->ctx, l->value_at);
	gpube__free(l->ctx, l->fixed);
	gpube__free(l->ctx, l->separators);
	gpube__free(l->ctx, l->members);
	gpube__free(l->ctx, l->member_of);
	gpube__free(l->ctx, l->member_at);
	gpube__free(l->ctx, l->own);
	gpube__free(l->ctx, l->left);
	gpube__free(l->ctx, l->cells);
	gpube__free(l->ctx, l->sets);
	for (int back = 0; back < 2; back++) {
		gpube__free(l->ctx, l->waves[back].member_at);
		gpube__free(l->ctx, l->waves[back].member);
		gpube__free(l->ctx, l->waves[back].room);
	}
	gpube__free(l->ctx, l);
}
