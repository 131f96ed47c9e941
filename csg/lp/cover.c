/* cover.c - see cover.h. */
#include "csg/lp/cover.h"

#include <stdlib.h>
#include <string.h>

#include "csg/lp/lp.h"
#include "gpube/base/rows.h"

/*
 * The table of what was seen is a cache: it begins small, since most searches take a few thousand
 * steps, for which clearing 6 MiB took longer than all else, and begins anew, larger, as it fills.
 */
enum { LEAST_SEEN_BITS = 10, MOST_SEEN_BITS = 18, SEEN_GROWTH = 4 };

enum { COUNTED = 0xffff }; /* steps, less one, that are counted together */

struct seen {
	uint64_t covered, rest;
	int64_t slack;
};

/*
 * Agents are numbered anew, those with fewest candidates first; a candidate is in
 * the list of its first agent, lists are sorted by slack.
 */
struct cover {
	struct gpube_ctx *ctx;
	int n;
	uint64_t all;
	int old[GPUBE_MAX_AGENTS]; /* agent by its new number */
	uint64_t *mask;            /* all lists after each other, new numbers */
	int64_t *slack;
	int64_t begin[GPUBE_MAX_AGENTS + 2];
	struct seen *seen; /* the last comer keeps the place */
	int seen_bits;
	int64_t n_seen; /* written since it was made */
	const struct csg__leftover *left;
	int64_t limit;
	double steps, most_steps;
	int n_parts;
	uint64_t parts[GPUBE_MAX_AGENTS];
	bool stopped;
};

static int by_slack(const void *a, const void *b)
{
	const struct csg__candidate *x = a, *y = b;

	if (x->slack != y->slack)
		return x->slack < y->slack ? -1 : 1;
	return (x->mask > y->mask) - (x->mask < y->mask);
}

void csg__sort_candidates(struct csg__candidate *c, int64_t n)
{
	int64_t k = 1;

	while (k < n && by_slack(&c[k - 1], &c[k]) <= 0)
		k++;
	if (k < n)
		qsort(c, (size_t)n, sizeof(*c), by_slack);
}

static uint64_t renumber(uint64_t mask, const int *to)
{
	uint64_t r = mask & CSG__LEFT;

	for (mask ^= r; mask; mask &= mask - 1)
		r |= (uint64_t)1 << to[__builtin_ctzll(mask)];
	return r;
}

static void number_agents(struct cover *d, int *to, const struct csg__candidate *c, int64_t n_c)
{
	int64_t count[GPUBE_MAX_AGENTS] = {0};

	for (int64_t i = 0; i < n_c; i++)
		for (uint64_t s = c[i].mask & ~CSG__LEFT; s; s &= s - 1)
			count[__builtin_ctzll(s)]++;
	for (int k = 0; k < d->n; k++) {
		int best = -1;

		for (int a = 0; a < d->n; a++)
			if (count[a] >= 0 && (best < 0 || count[a] < count[best]))
				best = a;
		count[best] = -1;
		to[best] = k;
		d->old[k] = best;
	}
}

/* Fills the lists from the sorted candidates: each list comes out sorted, too. */
static void make_lists(struct cover *d, const struct csg__candidate *c, int64_t n_c)
{
	int to[GPUBE_MAX_AGENTS];

	number_agents(d, to, c, n_c);
	memset(d->begin, 0, sizeof(d->begin));
	for (int64_t i = 0; i < n_c; i++)
		GPUBE_ROW_COUNT(d->begin, __builtin_ctzll(renumber(c[i].mask, to)));
	GPUBE_ROWS_BEGIN(d->begin, d->n);
	for (int64_t i = 0; i < n_c; i++) {
		const uint64_t mask = renumber(c[i].mask, to);
		const int64_t k = GPUBE_ROW_PLACE(d->begin, __builtin_ctzll(mask));

		d->mask[k] = mask;
		d->slack[k] = c[i].slack;
	}
}

/* Where there is no memory for more, it stays as it is. */
static void grow_seen(struct cover *d)
{
	const int bits = d->seen_bits + SEEN_GROWTH;
	struct seen *larger = gpube__alloc_zero(d->ctx, (uint64_t)1 << bits, sizeof(*larger));

	d->n_seen = 0;
	if (!larger)
		return;
	gpube__free(d->ctx, d->seen);
	d->seen = larger;
	d->seen_bits = bits;
}

/* True if these agents were covered for no more before, with the same ones left over. */
static bool was_seen(struct cover *d, uint64_t covered, uint64_t rest, int64_t slack)
{
	const uint64_t key = covered + rest * 0x2545f4914f6cdd1du;
	struct seen *s = &d->seen[key * 0x9e3779b97f4a7c15u >> (64 - d->seen_bits)];

	if (s->covered == covered && s->rest == rest && s->slack <= slack)
		return true;
	if (d->seen_bits < MOST_SEEN_BITS && ++d->n_seen >> d->seen_bits) {
		grow_seen(d);
		s = &d->seen[key * 0x9e3779b97f4a7c15u >> (64 - d->seen_bits)];
	}
	s->covered = covered;
	s->rest = rest;
	s->slack = slack;
	return false;
}

/* What candidate i adds to the agents left over, if it matters which they are. */
static uint64_t left_of(const struct cover *d, int64_t i)
{
	return d->mask[i] & CSG__LEFT && !d->left->additive ? d->mask[i] ^ CSG__LEFT : 0;
}

static void search(
	struct cover *d, uint64_t covered, uint64_t rest, int64_t slack, int depth, uint64_t *path)
{
	int a;

	if (covered == d->all) {
		const int64_t extra = d->left && !d->left->additive
					      ? d->left->extra(d->left->arg, renumber(rest, d->old))
					      : 0;

		if (extra >= d->limit - slack)
			return;
		d->limit = slack + extra;
		d->n_parts = depth;
		memcpy(d->parts, path, (size_t)depth * sizeof(*path));
		return;
	}
	if (depth && was_seen(d, covered, rest, slack))
		return;
	a = __builtin_ctzll(~covered);
	for (int64_t i = d->begin[a]; i < d->begin[a + 1] && !d->stopped; i++) {
		if (slack + d->slack[i] >= d->limit)
			break;
		if (((int64_t)++d->steps & COUNTED) == 0)
			gpube__work(d->ctx, (COUNTED + 1) * (int64_t)(CSG__STEP_SECONDS * 1e9));
		if (d->steps >= d->most_steps ||
			(((int64_t)d->steps & COUNTED) == 0 && gpube__stopped(d->ctx)))
			d->stopped = true;
		if (d->mask[i] & covered)
			continue;
		path[depth] = d->mask[i];
		search(d, covered | (d->mask[i] & ~CSG__LEFT), rest | left_of(d, i),
			slack + d->slack[i], depth + 1, path);
	}
}

int csg__cover(struct gpube_ctx *ctx, int n, struct csg__candidate *c, int64_t n_c, int64_t *limit,
	const struct csg__leftover *left, uint64_t *parts, int *n_parts, double *steps,
	bool *complete)
{
	struct cover d = {.ctx = ctx,
		.n = n,
		.limit = *limit,
		.most_steps = *steps,
		.left = left,
		.seen_bits = LEAST_SEEN_BITS};
	uint64_t path[GPUBE_MAX_AGENTS];
	int status = GPUBE_ENOMEM;

	d.all = ((uint64_t)1 << n) - 1;
	d.mask = gpube__alloc(ctx, (uint64_t)n_c, sizeof(*d.mask));
	d.slack = gpube__alloc(ctx, (uint64_t)n_c, sizeof(*d.slack));
	d.seen = gpube__alloc_zero(ctx, (uint64_t)1 << d.seen_bits, sizeof(*d.seen));
	if (d.mask && d.slack && d.seen) {
		csg__sort_candidates(c, n_c);
		make_lists(&d, c, n_c);
		search(&d, 0, 0, 0, 0, path);
		*complete = !d.stopped;
		*steps = d.steps;
		if (d.n_parts) {
			*limit = d.limit;
			*n_parts = d.n_parts;
			for (int k = 0; k < d.n_parts; k++)
				parts[k] = renumber(d.parts[k], d.old);
		}
		status = GPUBE_OK;
	}
	GPUBE_FREE_ALL(ctx, d.seen, d.slack, d.mask);
	return status;
}
