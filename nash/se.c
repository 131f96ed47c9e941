/*
 * se.c - support enumeration: for two supports of equal size, the strategies that make the opponent
 * indifferent on them. Complete for games that are not degenerate. A scan in doubles rejects nearly
 * all pairs (gpube/ops/support/support.h), integers decide the others. See exact.h. Source:
 * Rampersaud, Mashayekhy, Grosu, IEEE TPDS 2014.
 */
#include "nash/exact.h"
#include "nash/ranks.h"

/* Variables that are zero: the actions not in 'own', and the slacks of 'other'. */
static void zeros(const struct nash_side *s, int32_t *zero, const int32_t *own,
	const int32_t *other, int32_t q)
{
	int32_t n = 0;

	for (int32_t i = 0, k = 0; i < s->k; i++) {
		if (k < q && own[k] == i)
			k++;
		else
			zero[n++] = i;
	}
	for (int32_t k = 0; k < q; k++)
		zero[n++] = s->k + other[k];
}

struct sets {
	int32_t *x, *y, *zero;
};

static int try_pair(struct nash_found *f, const struct sets *s, int32_t q)
{
	const struct nash_problem *p = f->p;
	int64_t x, y;
	int found, status;

	zeros(&p->side[0], s->zero, s->x, s->y, q);
	status = nash__point(&f->v[0], &x, &found, s->zero);
	if (status || found != 1)
		return status;
	zeros(&p->side[1], s->zero, s->y, s->x, q);
	status = nash__point(&f->v[1], &y, &found, s->zero);
	if (status || found != 1)
		return status;
	return nash__found_add(f, x, y);
}

/* ---- with a scan in doubles that proposes pairs ------------------------------------------ */

#define MOST_UNSURE 4096 /* pairs that doubles leave open and integers decide */

static void set_of(int32_t *set, uint64_t mask)
{
	for (; mask; mask &= mask - 1)
		*set++ = __builtin_ctzll(mask);
}

/* Decides the proposed pairs of one size. */
static int decide(struct nash_found *f, const struct sets *sets, struct gpube_support_scan *scan)
{
	int status = GPUBE_OK;

	for (int64_t k = 0; k < scan->n_found && !status; k++) {
		/* some are decided even when time is up: they may be all there are */
		if (k >= 256 && (k & 63) == 0 && gpube__stopped(f->p->ctx))
			return gpube__fail_stopped(f->p->ctx);
		set_of(sets->x, scan->found[k].x);
		set_of(sets->y, scan->found[k].y);
		status = try_pair(f, sets, __builtin_popcountll(scan->found[k].x));
	}
	scan->n_found = 0;
	return status;
}

static double pairs_of(int32_t m, int32_t n, int32_t from, int32_t to)
{
	double pairs = 0, x = 1, y = 1;

	for (int32_t q = 1; q <= to; q++) {
		x = x * (m - q + 1) / q;
		y = y * (n - q + 1) / q;
		pairs += q >= from ? x * y : 0;
	}
	return pairs;
}

/* All sizes; what is proposed is decided, with several ranks by rank 0 when it has all. */
static int scan_sizes(struct nash_found *f, const struct sets *sets, const struct nash_se *o,
	struct gpube_support_scan *scan, struct nash_ranks *ranks, int32_t to)
{
	int status = GPUBE_OK, decided;

	for (; scan->q <= to && !status; scan->q++) {
		scan->before = (double)f->work;
		scan->n_pairs = 0;
		status = o->ops->scan(f->p->ctx, scan);
		f->work += scan->n_pairs;
		/* also what was proposed before it was stopped */
		decided = ranks ? GPUBE_OK : decide(f, sets, scan);
		status = status ? status : decided;
	}
	if (!ranks)
		return status;
	scan->n_pairs = f->work;
	status = nash__ranks_gather(ranks, scan, status);
	f->work = scan->n_pairs;
	decided = status && status != GPUBE_ESTOP ? status : decide(f, sets, scan);
	return status ? status : decided;
}

static int enumerate(struct nash_found *f, const struct sets *sets, const struct nash_se *o,
	int32_t from, int32_t to, bool *left_open)
{
	const struct nash_problem *p = f->p;
	struct nash_ranks *ranks;
	struct gpube_support_scan scan = {
		.k = p->m,
		.l = p->n,
		.q = from,
		.c = {p->side[0].f, p->side[1].f},
		.share = o->world ? o->world->rank : 0,
		.shares = o->world ? o->world->n_ranks : 1,
		.dominance = true,
		.most_unsure = MOST_UNSURE,
		.all = pairs_of(p->m, p->n, from, to),
	};
	int status = nash__ranks_open(&ranks, p->ctx, o->world);

	if (status)
		return status;
	if (ranks) {
		scan.poll = nash__ranks_poll;
		scan.poll_arg = ranks;
	}
	status = scan_sizes(f, sets, o, &scan, ranks, to);
	*left_open = scan.n_unsure > scan.most_unsure;
	nash__ranks_close(ranks);
	gpube__free(p->ctx, scan.found);
	return status;
}

int nash__support_enumeration(struct nash_found *f, const struct nash_se *o, bool *left_open)
{
	const struct nash_problem *p = f->p;
	int32_t least = p->m < p->n ? p->m : p->n, most = p->m < p->n ? p->n : p->m;
	int32_t from = o->size ? o->size : 1, to = o->size && o->size < least ? o->size : least;
	struct sets s = {
		.x = gpube__alloc(p->ctx, (uint64_t)p->m, sizeof(*s.x)),
		.y = gpube__alloc(p->ctx, (uint64_t)p->n, sizeof(*s.y)),
		.zero = gpube__alloc(p->ctx, (uint64_t)most, sizeof(*s.zero)),
	};
	int status = s.x && s.y && s.zero ? GPUBE_OK : GPUBE_ENOMEM;

	*left_open = false;
	if (!status && most > GPUBE_SUPPORT_ACTIONS)
		status = gpube__fail(p->ctx, GPUBE_ERANGE,
			"method se takes players of up to %d actions, here %d: eee and ve take "
			"more",
			GPUBE_SUPPORT_ACTIONS, most);
	if (!status)
		status = enumerate(f, &s, o, from, to, left_open);
	GPUBE_FREE_ALL(p->ctx, s.x, s.y, s.zero);
	return status;
}
