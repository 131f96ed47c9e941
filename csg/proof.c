/*
 * proof.c - the check of a proof: see proof.h and certificate.md. Sums have room: duals together
 * are below 2^62 in size, and so is a value.
 */
#include "csg/proof.h"

#include <pthread.h>
#include <stdlib.h>

#define CHUNK_BITS 14
#define ROOM       ((int64_t)1 << 62)

#define fail(p, ...)                                                                               \
	gpube__fail((p)->ctx, GPUBE_EINVAL, "the certificate does not hold: " __VA_ARGS__)

/* A coalition's value in units of the proof; INT64_MIN: forbidden; false: it has no room. */
static bool value_of(int64_t *v, const struct csg__proof *p, const struct csg__view *g, uint64_t c)
{
	const int64_t stored = csg__value_int(g, c);
	double real;

	*v = INT64_MIN;
	if (gpube__coalition_real(g->type, stored) == -INFINITY)
		return true;
	if (gpube__type_is_int(g->type)) {
		*v = (int64_t)((uint64_t)stored << p->shift);
		return stored < ROOM >> p->shift && stored > -(ROOM >> p->shift);
	}
	real = ldexp(gpube__coalition_real(g->type, stored), p->shift);
	if (!(fabs(real) < 0x1p62))
		return false;
	*v = llrint(real);
	return true;
}

static int64_t weight_of(const struct csg__proof *p, uint64_t c)
{
	int64_t w = 0;

	for (; c; c &= c - 1)
		w += p->dual[__builtin_ctzll(c)];
	return w;
}

/* ---- what it says of itself --------------------------------------------------------------------
 */

static int check_head(const struct csg__proof *p, const struct csg__view *g)
{
	__int128 sum = 0, size = 0;

	if (p->n_agents != g->n)
		return fail(p, "it is of %d agents, the game has %d", p->n_agents, g->n);
	if (gpube__type_is_int(g->type) && (p->shift < 0 || p->shift > 61))
		return fail(p, "the shift of integers is 0 to 61, not %d", p->shift);
	if (p->unit != (gpube__type_is_int(g->type) ? (int64_t)1 << p->shift : 1))
		return fail(p, "the unit is not that of the game's values");
	for (int i = 0; i < p->n_agents; i++) {
		sum += p->dual[i];
		size += p->dual[i] < 0 ? -p->dual[i] : p->dual[i];
	}
	if (size >= ROOM)
		return fail(p, "the duals pass 62 bits");
	if (sum != p->upper)
		return fail(p, "the duals' sum is not the upper bound");
	if ((__int128)p->upper - p->value >= ROOM)
		return fail(p, "the gap passes 62 bits");
	return GPUBE_OK;
}

static int check_structure(const struct csg__proof *p, const struct csg__view *g)
{
	__int128 sum = 0;
	uint64_t seen = 0;

	for (int k = 0; k < p->n_parts; k++) {
		int64_t v;

		if (seen & p->part[k] || !value_of(&v, p, g, p->part[k]) || v == INT64_MIN)
			return fail(p, "the structure has an agent twice or a forbidden coalition");
		seen |= p->part[k];
		sum += v;
	}
	if (seen != csg__n_masks(g) - 1)
		return fail(p, "the structure leaves agents out");
	return sum == p->value ? GPUBE_OK : fail(p, "the structure is not worth what it says");
}

/* ---- the coalitions: none exceeds its weight, and the listed ones are all that nearly do --------
 */

struct look {
	const struct csg__proof *p;
	const struct csg__view *g;
	int64_t gap;
	bool stopped;
	pthread_mutex_t lock; /* of the rest */
	uint64_t first;       /* mask that is wrong; 0: none is */
	const char *why;
};

static int by_mask(const void *a, const void *b)
{
	const struct csg__tight *x = a, *y = b;

	return (x->mask > y->mask) - (x->mask < y->mask);
}

static const char *what_is_wrong(const struct look *l, uint64_t c)
{
	struct csg__tight key = {c, 0};
	int64_t v;

	if (!value_of(&v, l->p, l->g, c))
		return "has a value without room at that shift";
	if (v == INT64_MIN)
		return NULL;
	key.slack = weight_of(l->p, c) - v;
	if (key.slack < 0)
		return "is worth more than its duals";
	if (key.slack <= l->gap &&
		(!l->p->n_tight ||
			!bsearch(&key, l->p->tight, (size_t)l->p->n_tight, sizeof(key), by_mask)))
		return "is missing among the candidates";
	return NULL;
}

static void look_at_chunk(void *arg, int64_t item, int thread)
{
	struct look *l = arg;
	const uint64_t n = csg__n_masks(l->g), from = (uint64_t)item << CHUNK_BITS;

	(void)thread;
	if (gpube__stopped(l->g->ctx)) {
		__atomic_store_n(&l->stopped, true, __ATOMIC_RELAXED);
		return;
	}
	for (uint64_t c = from ? from : 1; c < n && c < from + (1 << CHUNK_BITS); c++) {
		const char *why = what_is_wrong(l, c);

		if (!why)
			continue;
		pthread_mutex_lock(&l->lock);
		if (!l->first || c < l->first) {
			l->first = c;
			l->why = why;
		}
		pthread_mutex_unlock(&l->lock);
		return;
	}
}

static int check_coalitions(struct csg__proof *p, const struct csg__view *g, int64_t gap)
{
	struct look l = {.p = p, .g = g, .gap = gap, .lock = PTHREAD_MUTEX_INITIALIZER};

	if (p->n_tight)
		qsort(p->tight, (size_t)p->n_tight, sizeof(*p->tight), by_mask);
	for (int64_t k = 0; k < p->n_tight; k++) {
		const struct csg__tight *t = &p->tight[k];
		int64_t v;

		if (k && t->mask == t[-1].mask)
			return fail(
				p, "candidate %llu is listed twice", (unsigned long long)t->mask);
		if (!value_of(&v, p, g, t->mask) || v == INT64_MIN ||
			weight_of(p, t->mask) - v != t->slack || t->slack > gap)
			return fail(
				p, "candidate %llu has another slack", (unsigned long long)t->mask);
	}
	gpube__parallel(g->ctx, (int64_t)((csg__n_masks(g) + (1 << CHUNK_BITS) - 1) >> CHUNK_BITS),
		look_at_chunk, &l);
	if (l.stopped)
		return gpube__fail_stopped(g->ctx);
	return l.first ? fail(p, "coalition %llu %s", (unsigned long long)l.first, l.why)
		       : GPUBE_OK;
}

/* ---- the structures: none of the candidates has so little slack -------------------------------
 */

static int by_agent(const void *a, const void *b)
{
	const struct csg__tight *x = a, *y = b;
	const int d = __builtin_ctzll(x->mask) - __builtin_ctzll(y->mask);

	return d ? d : by_mask(a, b);
}

/*
 * By another method than lp's search: the least slack of each set of agents that candidates can
 * cover from the first agent on, in rising order of sets, in a table of all 2^n of them.
 */
static int least_slack(const struct csg__proof *p, int64_t gap, int64_t *best, bool *more)
{
	const uint64_t n = (uint64_t)1 << p->n_agents;
	int64_t begin[GPUBE_MAX_AGENTS + 2] = {0};

	qsort(p->tight, (size_t)p->n_tight, sizeof(*p->tight), by_agent);
	for (int64_t i = 0; i < p->n_tight; i++)
		begin[__builtin_ctzll(p->tight[i].mask) + 1]++;
	for (int a = 0; a <= p->n_agents; a++)
		begin[a + 1] += begin[a];
	for (uint64_t s = 1; s < n; s++)
		best[s] = INT64_MAX;
	best[0] = 0;
	for (uint64_t s = 0; s < n - 1; s++) {
		const int a = __builtin_ctzll(~s);

		if ((s & 0xffff) == 0 && gpube__stopped(p->ctx))
			return gpube__fail_stopped(p->ctx);
		for (int64_t i = begin[a]; best[s] <= gap && i < begin[a + 1]; i++) {
			const struct csg__tight *t = &p->tight[i];

			if (!(t->mask & s) && best[s] + t->slack < best[s | t->mask])
				best[s | t->mask] = best[s] + t->slack;
		}
	}
	*more = best[n - 1] > gap;
	return GPUBE_OK;
}

static int check_structures(const struct csg__proof *p, int64_t gap)
{
	const uint64_t n = (uint64_t)1 << p->n_agents;
	int64_t *best;
	bool more = true;
	int status;

	if (!p->n_tight)
		return GPUBE_OK;
	if (n * sizeof(*best) > p->ctx->memory_bytes)
		return gpube__fail(p->ctx, GPUBE_ELIMIT,
			"the check takes %llu MiB for %d agents, allowed are %llu MiB",
			(unsigned long long)(n * sizeof(*best) >> 20), p->n_agents,
			(unsigned long long)(p->ctx->memory_bytes >> 20));
	best = gpube__alloc(p->ctx, n, sizeof(*best));
	if (!best)
		return GPUBE_ENOMEM;
	status = least_slack(p, gap, best, &more);
	gpube__free(p->ctx, best);
	return status || more ? status : fail(p, "a structure of candidates is worth more");
}

int csg__proof_check(struct csg__proof *p, const struct csg__view *g)
{
	int status = check_head(p, g);
	int64_t gap;

	if (!status)
		status = check_structure(p, g);
	if (status)
		return status;
	gap = p->upper - p->value - p->unit;
	status = check_coalitions(p, g, gap);
	return status ? status : check_structures(p, gap);
}
