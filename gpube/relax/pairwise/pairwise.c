/* pairwise.c - the sweeps over regions, and what is read off them: see pairwise.h. */
#include "gpube/relax/pairwise/pairwise.h"

#include <string.h>

#include "gpube/relax/scaling.h"

/* Work: what a separator and each of its members take beside their cells. */
enum { CALL_TICKS = 30, MEMBER_TICKS = 30 };
/* And a cell that is decoded. */
enum { DECODE_TICKS = 4 };

static int32_t *changed_at(const struct gpube_pairwise *p, struct gpube_pairwise_state *s)
{
	return s->cells + p->n_cells;
}

static int32_t *asked_at(const struct gpube_pairwise *p, struct gpube_pairwise_state *s)
{
	return s->cells + p->n_cells + p->n_regions;
}

/* ---- cells --------------------------------------------------------------------------------- */

/*
 * The least of the region's n cells with value x of a variable, whose values are 'step' apart;
 * 'least' where all are more.
 */
static int32_t region_least(
	const int32_t *t, int32_t n, int32_t step, int32_t domain, int32_t x, int32_t least)
{
	for (int32_t c = x * step; c < n; c += step * domain)
		for (int32_t i = 0; i < step; i++)
			least = t[c + i] < least ? t[c + i] : least;
	return least;
}

/* ---- sweeps -------------------------------------------------------------------------------- */

/* Whether a region that has separator k gets a share of it. */
static bool goes_on(const struct gpube_region *a, int32_t k, enum gpube_pairwise_way way)
{
	return way == GPUBE__PAIRWISE_EVENLY ||
	       (way == GPUBE__PAIRWISE_BACKWARD ? a->first < k : a->last > k);
}

/*
 * Whether a sweep asks separator k: there and back always, otherwise if a member has changed since,
 * other than by being asked.
 */
static bool is_due(const struct gpube_pairwise *p, struct gpube_pairwise_state *s, int32_t k,
	enum gpube_pairwise_way way)
{
	const struct gpube_separator *b = &p->separators[k];

	if (way != GPUBE__PAIRWISE_EVENLY)
		return true;
	for (int32_t j = 0; j < b->n_members; j++)
		if (changed_at(p, s)[p->members[b->member + j].region] > asked_at(p, s)[k])
			return true;
	return false;
}

/* Cells between two values of a variable of the region. */
static int32_t step_of(const struct gpube_pairwise *p, const struct gpube_region *a, int32_t var)
{
	int32_t step = 1;

	for (int32_t k = a->arity - 1; a->scope[k] != var; k--)
		step *= p->domain[a->scope[k]];
	return step;
}

/* The separator's sum, what every member forces in the rooms behind it; its least cell. */
static int32_t gather(const struct gpube_pairwise *p, const struct gpube_pairwise_state *s,
	const struct gpube_separator *b, int32_t slack, int32_t *restrict sum)
{
	const int32_t n = b->n_cells;
	int32_t least = GPUBE__REGION_FORBIDDEN;

	memcpy(sum, s->cells + b->at, (size_t)n * sizeof(*sum));
	for (int32_t j = 0; j < b->n_members; j++) {
		const struct gpube_region_member *of = &p->members[b->member + j];
		int32_t *restrict m = sum + (j + 1) * (int64_t)n;

		gpube__project_least(&of->onto, m, s->cells + p->regions[of->region].at);
		for (int32_t i = 0; i < n; i++) {
			const int32_t x = sum[i] + m[i];

			sum[i] = x >= slack ? GPUBE__REGION_FORBIDDEN : x;
		}
	}
	for (int32_t i = 0; i < n; i++)
		least = sum[i] < least ? sum[i] : least;
	return least;
}

/*
 * m: what the member had forced becomes what it is to have more; whether any of it is beyond
 * 'least'.
 */
static bool differ(
	int32_t *restrict m, const int32_t *restrict share, int32_t n, bool takes, int32_t least)
{
	int32_t most = 0;

	for (int32_t i = 0; i < n; i++) {
		const int32_t more = share[i] == GPUBE__REGION_FORBIDDEN
					     ? share[i]
					     : (takes ? share[i] : 0) - m[i];

		/* what is dead already stays so, and is no change */
		most = m[i] < GPUBE__REGION_FORBIDDEN && abs(more) > most ? abs(more) : most;
		m[i] = more;
	}
	return most > least;
}

/*
 * Separator k, where 'slack' is missing to the cutoff: what the constant is to rise by, at most
 * 'slack', which leaves the tables as they are. No other separator of its regions may be asked
 * meanwhile.
 */
static int32_t ask(const struct gpube_pairwise *p, struct gpube_pairwise_state *s, int32_t k,
	enum gpube_pairwise_way way, int32_t least, int32_t slack, int32_t time, int32_t *room)
{
	const struct gpube_separator *b = &p->separators[k];
	const bool evenly = way == GPUBE__PAIRWISE_EVENLY, back = way == GPUBE__PAIRWISE_BACKWARD;
	/* members that get a share, and those that count beside them */
	const int32_t n_out = evenly ? b->n_members
			      : back ? b->n_before
				     : b->n_after,
		      n_in = evenly ? 0
			     : back ? b->n_after
				    : b->n_before,
		      parts = n_out > n_in ? n_out : n_in;
	const int32_t n = b->n_cells, rise = gather(p, s, b, slack, room);
	int32_t *restrict share = room, *restrict own = s->cells + b->at,
			  *changed = changed_at(p, s);

	if (rise >= slack)
		return slack;
	slack -= rise;
	for (int32_t i = 0; i < n; i++) {
		const int32_t rest = share[i] - rise, part = parts ? rest / parts : 0;

		own[i] = rest >= slack ? GPUBE__REGION_FORBIDDEN : rest - part * n_out;
		share[i] = rest >= slack ? GPUBE__REGION_FORBIDDEN : part;
	}
	for (int32_t j = 0; j < b->n_members; j++) {
		const struct gpube_region_member *of = &p->members[b->member + j];
		const struct gpube_region *a = &p->regions[of->region];
		int32_t *m = room + (j + 1) * (int64_t)n;

		if (differ(m, share, n, goes_on(a, k, way), least))
			changed[of->region] = time;
		gpube__project_add(&of->onto, s->cells + a->at, m, slack);
	}
	asked_at(p, s)[k] = time;
	return rise;
}

/* Work: each member's cells are read, and written. */
static int64_t ask_ticks(const struct gpube_pairwise *p, int32_t k)
{
	const struct gpube_separator *b = &p->separators[k];
	int64_t ticks = CALL_TICKS + b->n_cells;

	for (int32_t j = b->member; j < b->member + b->n_members; j++)
		ticks += MEMBER_TICKS + 2 * p->members[j].onto.cells;
	return ticks;
}

void gpube__pairwise_sweep(const struct gpube_pairwise *p, struct gpube_pairwise_state *s,
	enum gpube_pairwise_way way, int32_t least, int32_t *room)
{
	int64_t ticks = p->n_separators;

	for (int32_t i = 0; i < p->n_separators && s->constant < s->target; i++) {
		const int32_t k = way == GPUBE__PAIRWISE_BACKWARD ? p->n_separators - 1 - i : i;

		if (!is_due(p, s, k, way))
			continue;
		s->constant += ask(p, s, k, way, least, gpube__pairwise_slack(s), ++s->time, room);
		ticks += ask_ticks(p, k);
	}
	gpube__work(p->ctx, ticks);
}

/* ---- values -------------------------------------------------------------------------------- */

/* Work: cells of the regions of a variable. */
static void count_cells(const struct gpube_pairwise *p, int32_t var)
{
	int64_t ticks = 0;

	for (int32_t j = p->of_at[var]; j < p->of_at[var + 1]; j++)
		ticks += p->regions[p->of[j]].n_cells;
	gpube__work(p->ctx, ticks);
}

void gpube__pairwise_keep(const struct gpube_pairwise *p, struct gpube_pairwise_state *s,
	int32_t var, const uint8_t *keep)
{
	const int32_t domain = p->domain[var];

	s->time++;
	count_cells(p, var);
	for (int32_t j = p->of_at[var]; j < p->of_at[var + 1]; j++) {
		const struct gpube_region *a = &p->regions[p->of[j]];
		const int32_t step = step_of(p, a, var);

		changed_at(p, s)[p->of[j]] = s->time;
		for (int32_t c = 0; c < a->n_cells; c++)
			if (!keep[c / step % domain])
				s->cells[a->at + c] = GPUBE__REGION_FORBIDDEN;
	}
}

void gpube__pairwise_forced(const struct gpube_pairwise *p, const struct gpube_pairwise_state *s,
	int32_t var, int64_t *forced)
{
	const int32_t domain = p->domain[var];

	for (int32_t a = 0; a < domain; a++)
		forced[a] = 0;
	count_cells(p, var);
	for (int32_t j = p->of_at[var]; j < p->of_at[var + 1]; j++) {
		const struct gpube_region *a = &p->regions[p->of[j]];
		const int32_t step = step_of(p, a, var), *t = s->cells + a->at;

		for (int32_t x = 0; x < domain; x++)
			forced[x] += region_least(
				t, a->n_cells, step, domain, x, GPUBE__REGION_FORBIDDEN);
	}
}

/*
 * The least cell that goes with the values that are assigned, separators' costs with it; then all
 * are.
 */
static void decode_region(const struct gpube_pairwise *p, const struct gpube_pairwise_state *s,
	const struct gpube_region *a, bool *assigned, int32_t *values, int32_t *cost)
{
	int32_t best = -1;

	memcpy(cost, s->cells + a->at, (size_t)a->n_cells * sizeof(*cost));
	for (int32_t j = 0; j < a->n_members; j++) {
		const struct gpube_region_member *of = &p->members[p->member_of[a->member + j]];

		gpube__project_add(&of->onto, cost, s->cells + p->separators[of->separator].at,
			GPUBE__REGION_MOST);
	}
	for (int32_t c = 0; c < a->n_cells; c++) {
		int32_t rest = c;
		bool goes = true;

		for (int k = a->arity - 1; k >= 0 && goes; k--) {
			goes = !assigned[a->scope[k]] ||
			       values[a->scope[k]] == rest % p->domain[a->scope[k]];
			rest /= p->domain[a->scope[k]];
		}
		if (goes && (best < 0 || cost[c] < cost[best]))
			best = c;
	}
	GPUBE_KNOWN(best >= 0);
	for (int k = a->arity - 1; k >= 0; k--) {
		values[a->scope[k]] = best % p->domain[a->scope[k]];
		assigned[a->scope[k]] = true;
		best /= p->domain[a->scope[k]];
	}
}

void gpube__pairwise_decode(const struct gpube_pairwise *p, const struct gpube_pairwise_state *s,
	bool backward, int32_t *values, int32_t *room)
{
	bool *assigned = (bool *)room;
	int32_t *cost = room + p->n;

	memset(assigned, 0, (size_t)p->n * sizeof(*assigned));
	gpube__work(p->ctx, DECODE_TICKS * p->n_cells);
	for (int32_t j = 0; j < p->n_regions; j++)
		decode_region(p, s, &p->regions[backward ? p->n_regions - 1 - j : j], assigned,
			values, cost);
}

int64_t gpube__pairwise_target(
	const struct gpube_pairwise *p, const struct gpube_model *m, int64_t cutoff)
{
	const int64_t left = gpube__costs_left(m, cutoff);

	/* totals are whole: those below the cutoff are at most one less */
	return p->shift > 0 && left > 0 ? gpube__scale_target(p->shift, left - 1) + 1
					: gpube__scale_target(p->shift, left);
}
