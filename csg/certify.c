/*
 * certify.c - the proof of method lp, checked by simple means and written for
 * other programs:
 *
 *   csg-certificate 2
 *   agents N shift K          values and duals are integers of 2^-K
 *   duals W1 … WN
 *   upper U value V unit E    sums of the duals, and of the structure below
 *   structure M MASK…
 *   candidates C              every coalition of slack W(S) - v(S) <= U - V - E
 *   MASK SLACK                C lines
 *
 * E is 2^K if values are integers: a structure that is worth more is so by E at least, else 1.
 * It holds if no coalition of the game has a negative slack, no other one has a slack that
 * small, and every structure of candidates has more slack than U - V - E in total.
 */
#include "csg/lp.h"

#include <stdlib.h>

#include "formats/io.h"

#define CHUNK_BITS 14

/* ---- check 1: the candidates are all, and no slack is negative ---------------------------------
 */

struct count {
	const struct csg__lp *lp;
	int64_t gap, n;
	bool bad, stopped;
};

static void count_chunk(void *arg, int64_t item, int thread)
{
	struct count *c = arg;
	const uint64_t n = csg__n_masks(c->lp->g), from = (uint64_t)item << CHUNK_BITS;
	int64_t within = 0;

	(void)thread;
	if (gpube__stopped(c->lp->g->ctx)) {
		__atomic_store_n(&c->stopped, true, __ATOMIC_RELAXED);
		return;
	}
	for (uint64_t s = from ? from : 1; s < n && s < from + (1 << CHUNK_BITS); s++) {
		const int64_t v = csg__fixed(c->lp, s);
		const int64_t slack = v == INT64_MIN ? INT64_MAX : csg__weight_of(c->lp, s) - v;

		if (slack < 0)
			__atomic_store_n(&c->bad, true, __ATOMIC_RELAXED);
		within += slack <= c->gap;
	}
	__atomic_fetch_add(&c->n, within, __ATOMIC_RELAXED);
}

/* ---- check 2: no structure of them has less slack ----------------------------------------------
 */

/*
 * By another method than cover.c: the least slack of each set of agents that
 * candidates can cover from the first agent on, in rising order of sets, in a
 * table of all 2^n of them.
 */
static int least_slack(const struct csg__lp *lp, int64_t gap, int64_t *least)
{
	const uint64_t n = csg__n_masks(lp->g);
	int64_t *best = gpube__alloc(lp->g->ctx, n, sizeof(*best)), *begin;
	struct csg__candidate *c = lp->candidate;
	int status = GPUBE_OK;

	begin = gpube__alloc_zero(lp->g->ctx, (uint64_t)lp->g->n + 2, sizeof(*begin));
	if (!best || !begin) {
		status = GPUBE_ENOMEM;
		goto out;
	}
	csg__sort_by_agent(c, lp->n_candidates);
	for (int64_t i = 0; i < lp->n_candidates; i++)
		begin[__builtin_ctzll(c[i].mask) + 1]++;
	for (int a = 0; a <= lp->g->n; a++)
		begin[a + 1] += begin[a];
	for (uint64_t s = 0; s < n; s++)
		best[s] = INT64_MAX;
	best[0] = 0;
	for (uint64_t s = 0; s < n - 1; s++) {
		const int a = __builtin_ctzll(~s);

		if (best[s] > gap)
			continue;
		if ((s & 0xffff) == 0 && gpube__stopped(lp->g->ctx)) {
			status = gpube__fail_stopped(lp->g->ctx);
			goto out;
		}
		for (int64_t i = begin[a]; i < begin[a + 1]; i++)
			if (!(c[i].mask & s) && best[s] + c[i].slack < best[s | c[i].mask])
				best[s | c[i].mask] = best[s] + c[i].slack;
	}
	*least = best[n - 1];
out:
	gpube__free(lp->g->ctx, begin);
	gpube__free(lp->g->ctx, best);
	return status;
}

/* Whether the structure is worth what the proof says. */
static bool worth(const struct csg__lp *lp)
{
	int64_t value = 0;

	for (int k = 0; k < lp->r->n_parts; k++)
		value += csg__fixed(lp, lp->r->parts[k]);
	return value == lp->lower;
}

static int check(const struct csg__lp *lp)
{
	struct count c = {.lp = lp, .gap = csg__lp_better(lp)};
	int64_t least = INT64_MAX;
	int status = GPUBE_OK;

	gpube__parallel(lp->g->ctx,
		(int64_t)((csg__n_masks(lp->g) + (1 << CHUNK_BITS) - 1) >> CHUNK_BITS), count_chunk,
		&c);
	if (c.stopped)
		return gpube__fail_stopped(lp->g->ctx);
	if (c.n)
		status = least_slack(lp, c.gap, &least);
	if (status)
		return status;
	if (c.bad || c.n != lp->n_candidates || least <= c.gap || !worth(lp))
		return gpube__fail(lp->g->ctx, GPUBE_EBUG,
			"internal error: the certificate does not hold; please report this");
	return GPUBE_OK;
}

static int write(const struct csg__lp *lp, const char *path)
{
	struct gpube_out out;
	int status = gpube__out_open(&out, lp->g->ctx, path);

	if (status)
		return status;
	gpube__out_printf(
		&out, "csg-certificate 2\nagents %d shift %d\nduals", lp->g->n, lp->shift);
	for (int i = 0; i < lp->g->n; i++)
		gpube__out_printf(&out, " %lld", (long long)lp->dual[i]);
	gpube__out_printf(&out, "\nupper %lld value %lld unit %lld\nstructure %d",
		(long long)lp->upper, (long long)lp->lower, (long long)csg__lp_unit(lp),
		lp->r->n_parts);
	for (int k = 0; k < lp->r->n_parts; k++)
		gpube__out_printf(&out, " %llu", (unsigned long long)lp->r->parts[k]);
	gpube__out_printf(&out, "\ncandidates %lld\n", (long long)lp->n_candidates);
	for (int64_t i = 0; i < lp->n_candidates; i++)
		gpube__out_printf(&out, "%llu %lld\n", (unsigned long long)lp->candidate[i].mask,
			(long long)lp->candidate[i].slack);
	return gpube__out_close(&out, true);
}

int csg__certify(struct csg__lp *lp, const char *path)
{
	int64_t k = 0;
	int status;

	/* the last search may have been among more than the gap asks for now */
	for (int64_t i = 0; i < lp->n_candidates; i++)
		if (lp->candidate[i].slack <= csg__lp_better(lp))
			lp->candidate[k++] = lp->candidate[i];
	lp->n_candidates = k;
	status = check(lp);
	return status ? status : write(lp, path);
}
