/* relations.c - sweeps over relations, and what is read off them: see relations.h. */
#include "gpube/relax/pairwise/relations.h"

#include <string.h>

/* Entries are taken out where more than one in so many is possible no more. */
enum { GONE_PART = 4 };
/*
 * Work of a sweep: of a relation that is asked, and each of its entries, which is read and written.
 */
enum { MEMBER_TICKS = 30, ENTRY_TICKS = 2 };

/* ---- sweeps ---------------------------------------------------------------------------------- */

/* m: what the member forces on its separator's n cells. */
static void force(const struct gpube_relations *l, const struct gpube_relation_member *of,
	int64_t n, int32_t *restrict m)
{
	const struct gpube_relation_table *a = &l->relations[of->relation];
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
 * What the constant is to rise by, at most the slack; the members' parts, behind the separator's
 * sum, become what each is to have more.
 */
static int32_t share(
	struct gpube_relations *l, int32_t k, bool back, int32_t slack, int32_t *restrict sum)
{
	const struct gpube_relation_separator *b = &l->separators[k];
	const int32_t out = back ? b->n_before : b->n_after, in = back ? b->n_after : b->n_before,
		      parts = out > in ? out : in;
	int32_t *restrict own = l->own + b->at;
	int32_t rise;

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
		const bool takes = back ? a->first < k : a->last > k;
		int32_t *restrict m = sum + (j + 1) * b->n;

		for (int64_t i = 0; i < b->n; i++)
			m[i] = sum[i] == GPUBE__REGION_FORBIDDEN ? GPUBE__REGION_FORBIDDEN
								 : (takes ? sum[i] : 0) - m[i];
	}
	return rise;
}

static void spread(const struct gpube_relations *l, const struct gpube_relation_member *of,
	int32_t slack, const int32_t *restrict m)
{
	const struct gpube_relation_table *a = &l->relations[of->relation];
	int32_t *restrict cost = a->cost;
	const uint32_t *restrict cell = of->cell;

	for (int64_t i = 0; i < a->n; i++) {
		const int32_t x = cost[i] + m[cell[i]];

		cost[i] = x >= slack ? GPUBE__REGION_FORBIDDEN : x;
	}
}

/* Separator k; what the constant is to rise by. */
static int32_t ask(struct gpube_relations *l, int32_t k, bool back, int32_t *room)
{
	const struct gpube_relation_separator *b = &l->separators[k];
	const struct gpube_relation_member *members = &l->members[b->member];
	const int32_t slack = gpube__relations_slack(l);
	int64_t ticks = 0;
	int32_t rise;

	for (int32_t j = 0; j < b->n_members; j++) {
		force(l, &members[j], b->n, room + (j + 1) * b->n);
		ticks += MEMBER_TICKS + ENTRY_TICKS * l->relations[members[j].relation].n + b->n;
	}
	gpube__work(l->ctx, ticks);
	rise = share(l, k, back, slack, room);
	for (int32_t j = 0; j < b->n_members && rise < slack; j++)
		spread(l, &members[j], slack, room + (j + 1) * b->n);
	return rise;
}

void gpube__relations_sweep(struct gpube_relations *l, bool back, int32_t *room)
{
	for (int32_t i = 0;
		i < l->n_separators && l->constant < l->target && !gpube__stopped(l->ctx); i++) {
		const int32_t rise = ask(l, back ? l->n_separators - 1 - i : i, back, room);

		l->constant = rise >= l->target - l->constant ? l->target : l->constant + rise;
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
	gpube__free(l->ctx, l->cells);
	gpube__free(l->ctx, l->sets);
	gpube__free(l->ctx, l);
}
