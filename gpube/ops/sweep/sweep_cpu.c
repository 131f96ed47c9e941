/* sweep_cpu.c - sweep.h on the host: the specification of the other backend. */
#include "gpube/ops/sweep/sweep.h"

#include <stdlib.h>
#include <string.h>

/* Work: of a list that is asked, and each of its entries, which is read and written. */
enum { MEMBER_TICKS = 30, ENTRY_TICKS = 2 };

/* m: what the member forces on its separator's n cells. */
static void force(const struct gpube_sweep_plan *p, const struct gpube_sweep_member *a, int64_t n,
	const int32_t *restrict costs, int32_t *restrict m)
{
	const int32_t *restrict cost = costs + a->at;
	const uint32_t *restrict cell = p->cells + a->cell;

	for (int64_t i = 0; i < n; i++)
		m[i] = GPUBE__REGION_FORBIDDEN;
	for (int64_t i = 0; i < a->n; i++)
		/* seldom; always to store would wait for the store before */
		if (cost[i] < m[cell[i]])
			m[cell[i]] = cost[i];
}

/* The separator's sum of all; its least cell. */
static int32_t sum_up(const struct gpube_sweep_separator *b, int32_t slack, int32_t *restrict sum)
{
	int32_t least = GPUBE__REGION_FORBIDDEN;

	for (int32_t j = 0; j < b->n_members; j++) {
		const int32_t *restrict m = sum + (j + 1) * (int64_t)b->n;

		for (int32_t i = 0; i < b->n; i++)
			sum[i] = gpube__region_plus(sum[i], m[i], slack);
	}
	for (int32_t i = 0; i < b->n; i++)
		least = sum[i] < least ? sum[i] : least;
	return least;
}

static void spread(const struct gpube_sweep_plan *p, const struct gpube_sweep_member *a,
	int32_t slack, int32_t *restrict costs, const int32_t *restrict m)
{
	int32_t *restrict cost = costs + a->at;
	const uint32_t *restrict cell = p->cells + a->cell;

	for (int64_t i = 0; i < a->n; i++)
		cost[i] = gpube__region_plus(cost[i], m[cell[i]], slack);
}

/* Who gets a share: of the sweep there, or back; or all. */
enum way { THERE, BACK, EVENLY };

/* m: what the member had forced becomes what it is to have more; the most of it by either sign. */
static int32_t take(const int32_t *restrict share, bool takes, int64_t n, int32_t *restrict m)
{
	int32_t most = 0;

	for (int64_t i = 0; i < n; i++) {
		const int32_t more = gpube__region_more(share[i], takes, m[i]);
		/* what is forbidden already stays so, and is no change */
		const int32_t change = m[i] < GPUBE__REGION_FORBIDDEN ? abs(more) : 0;

		most = change > most ? change : most;
		m[i] = more;
	}
	return most;
}

/*
 * What the constant is to rise by, at most the slack, which leaves the costs as they are. times:
 * or NULL
 */
static int32_t ask(const struct gpube_sweep_plan *p, int32_t separator, int32_t *costs,
	enum way way, int32_t slack, int32_t *restrict sum, struct gpube_sweep_times *times,
	int32_t least)
{
	const struct gpube_sweep_separator *b = &p->separators[separator];
	const struct gpube_sweep_member *members = p->members + b->member;
	const int32_t takers = way == EVENLY ? b->n_members : b->takers[way],
		      parts = way == EVENLY ? b->n_members : b->parts[way];
	int32_t *restrict own = costs + b->at;
	int32_t rise;

	for (int32_t j = 0; j < b->n_members; j++)
		force(p, &members[j], b->n, costs, sum + (j + 1) * (int64_t)b->n);
	memcpy(sum, own, (size_t)b->n * sizeof(*sum));
	rise = sum_up(b, slack, sum);
	if (rise >= slack)
		return slack;
	slack -= rise;
	for (int32_t i = 0; i < b->n; i++)
		sum[i] = gpube__region_share(sum[i] - rise, slack, parts, takers, &own[i]);
	for (int32_t j = 0; j < b->n_members; j++) {
		int32_t *restrict m = sum + (j + 1) * (int64_t)b->n;

		if (take(sum, way == EVENLY || members[j].takes[way], b->n, m) > least && times)
			times->changed[times->list_of[b->member + j]] = times->now;
		spread(p, &members[j], slack, costs, m);
	}
	return rise;
}

/* ---- waves ----------------------------------------------------------------------------------- */

struct wave {
	const struct gpube_sweep_plan *p;
	int32_t *costs, *room;
	int32_t first, slack;
	bool back;
	int64_t rise;
};

static void ask_item(void *arg, int64_t item, int thread)
{
	struct wave *w = arg;
	const int32_t rise = ask(w->p, w->first + (int32_t)item, w->costs, w->back ? BACK : THERE,
		w->slack, w->room + thread * w->p->room, NULL, 0);

	__atomic_fetch_add(&w->rise, rise, __ATOMIC_RELAXED);
}

/* Entries of a separator's lists; the work of asking it is added to *ticks. */
static int64_t entries_of(
	const struct gpube_sweep_plan *p, const struct gpube_sweep_separator *b, int64_t *ticks)
{
	int64_t entries = 0;

	for (int64_t j = b->member; j < b->member + b->n_members; j++)
		entries += p->members[j].n;
	*ticks += b->n_members * (int64_t)(MEMBER_TICKS + b->n) + ENTRY_TICKS * entries;
	return entries;
}

int64_t gpube__sweep_entries(const struct gpube_sweep_plan *p)
{
	int64_t entries = 0;

	for (int64_t j = 0; j < p->n_members; j++)
		entries += p->members[j].n;
	return entries;
}

int32_t *gpube__sweep_room(struct gpube_ctx *ctx, const struct gpube_sweep_plan *p)
{
	return gpube__alloc(ctx, (uint64_t)p->room * (uint64_t)ctx->n_threads + 1, sizeof(int32_t));
}

void gpube__sweep_cpu(struct gpube_ctx *ctx, const struct gpube_sweep_plan *p,
	struct gpube_sweep_state *s, bool back, int32_t *room)
{
	struct wave w = {.p = p, .costs = s->costs, .room = room, .back = back};

	for (int32_t i = 0; i < p->n_waves && s->constant < s->target && !gpube__stopped(ctx);
		i++) {
		const int32_t k = back ? p->n_waves - 1 - i : i;
		const int32_t n = p->wave[k + 1] - p->wave[k];
		int64_t ticks = 0, entries = 0;

		w.first = p->wave[k];
		for (int32_t j = 0; j < n; j++)
			entries += entries_of(p, &p->separators[w.first + j], &ticks);
		w.slack = gpube__region_slack(s->constant, s->target);
		w.rise = 0;
		if (entries >= GPUBE__SWEEP_SHARED) {
			gpube__parallel(ctx, n, ask_item, &w);
			gpube__work_shared(ctx, n, ticks);
		} else {
			for (int32_t j = 0; j < n; j++)
				ask_item(&w, j, 0);
			gpube__work(ctx, ticks);
		}
		s->constant = gpube__region_risen(s->constant, s->target, w.rise);
	}
}

/* ---- changed separators ---------------------------------------------------------------------- */

static bool is_due(
	const struct gpube_sweep_plan *p, const struct gpube_sweep_times *times, int32_t separator)
{
	const struct gpube_sweep_separator *b = &p->separators[separator];

	for (int64_t j = b->member; j < b->member + b->n_members; j++)
		if (times->changed[times->list_of[j]] > times->asked[separator])
			return true;
	return false;
}

void gpube__sweep_changed(struct gpube_ctx *ctx, const struct gpube_sweep_plan *p,
	struct gpube_sweep_state *s, struct gpube_sweep_times *times, bool back, int32_t least,
	int32_t *room)
{
	int64_t ticks = p->n_separators;

	for (int32_t i = 0; i < p->n_separators && s->constant < s->target; i++) {
		const int32_t k = p->in_line[back ? p->n_separators - 1 - i : i],
			      slack = gpube__region_slack(s->constant, s->target);

		if (!is_due(p, times, k))
			continue;
		times->now++;
		s->constant = gpube__region_risen(s->constant, s->target,
			ask(p, k, s->costs, EVENLY, slack, room, times, least));
		times->asked[k] = times->now;
		(void)entries_of(p, &p->separators[k], &ticks);
	}
	gpube__work(ctx, ticks);
}
