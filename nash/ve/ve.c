/*
 * ve.c - all equilibria from the vertices of both sides: a pair that has all
 * labels is one. Of a side with far more vertices only those that partners.c asks for.
 * See exact.h.
 */
#include <stdlib.h>
#include <string.h>

#include "nash/exact.h"

/*
 * Masks in increasing order of their bits, label 0 first: the masks that begin
 * alike are a range, so that a search for all supersets goes down like in a tree.
 */
struct place {
	const uint64_t *mask;
	int64_t at; /* of the vertices */
	int words;
};

struct sorted {
	struct place *of;
	int32_t n_labels;
};

static int compare(const void *a, const void *b)
{
	const struct place *x = a, *y = b;

	for (int w = 0; w < x->words; w++) {
		const uint64_t d = x->mask[w] ^ y->mask[w];

		if (d) /* the lowest bit that differs decides */
			return x->mask[w] & d & -d ? 1 : -1;
	}
	return 0;
}

/* Adds the pairs of y with every x of a range that has all labels y lacks. */
static int match(struct nash_found *f, const struct sorted *s, const uint64_t *have, int64_t lo,
	int64_t hi, int32_t label, int64_t y, bool swapped)
{
	int64_t mid, end;

	while (hi - lo > 4 && label < s->n_labels) {
		/* first mask of the range with the label */
		mid = lo;
		for (end = hi; mid < end;) {
			int64_t m = mid + (end - mid) / 2;

			if (gpube__bit(s->of[m].mask, label))
				end = m;
			else
				mid = m + 1;
		}
		if (gpube__bit(have, label)) {
			int status = match(f, s, have, mid, hi, label + 1, y, swapped);

			if (status)
				return status;
			hi = mid;
		} else {
			lo = mid;
		}
		label++;
	}
	for (; lo < hi; lo++) {
		int status = swapped ? nash__found_add(f, y, s->of[lo].at)
				     : nash__found_add(f, s->of[lo].at, y);

		if (status)
			return status;
	}
	return GPUBE_OK;
}

/* Searches the longer list for every vertex of the shorter one. */
static int match_all(struct nash_found *f)
{
	struct gpube_ctx *ctx = f->p->ctx;
	bool swapped = f->v[0].n < f->v[1].n;
	const struct nash_vertices *trie = &f->v[swapped], *other = &f->v[!swapped];
	struct sorted s = {.n_labels = f->p->m + f->p->n};
	int status;

	s.of = gpube__alloc(ctx, (uint64_t)trie->n, sizeof(*s.of));
	if (!s.of)
		return GPUBE_ENOMEM;
	for (int64_t k = 0; k < trie->n; k++)
		s.of[k] = (struct place){nash__mask(trie, k), k, trie->words};
	status = gpube__sort(ctx, s.of, (uint64_t)trie->n, sizeof(*s.of), compare);
	for (int64_t k = 0; k < other->n && !status; k++) {
		if ((k & 255) == 0 && gpube__stopped(ctx))
			status = gpube__fail_stopped(ctx);
		else
			status = match(f, &s, nash__mask(other, k), 0, trie->n, 0, k, swapped);
	}
	gpube__free(ctx, s.of);
	return status;
}

/* The first turn of the cones; units that take as long as a step of a budget. */
#define FIRST_UNITS   1000000
#define UNITS_OF_STEP 4000

/* The cones of both sides in turns, for longer every time, until one side is complete. */
static int take_turns(struct nash_cone *const cones[2], bool done[2], int64_t *budget)
{
	for (int64_t units = FIRST_UNITS;; units += units / 2) {
		for (int q = 0; q < 2; q++) {
			const int status = nash__cone_run(cones[q], units);

			if (status && status != GPUBE_ELIMIT)
				return status;
			done[q] = !status;
		}
		if (done[0] || done[1])
			return GPUBE_OK;
		if (*budget == 0)
			return GPUBE_ELIMIT;
		if (*budget > 0)
			*budget -=
				units / UNITS_OF_STEP < *budget ? units / UNITS_OF_STEP : *budget;
	}
}

static int enumerate_sides(struct nash_found *f, bool done[2], int64_t *budget)
{
	struct nash_cone *cones[2] = {NULL, NULL};
	int status = nash__cone_new(&cones[0], &f->v[0]);

	if (!status)
		status = nash__cone_new(&cones[1], &f->v[1]);
	if (!status)
		status = take_turns(cones, done, budget);
	for (int q = 0; q < 2; q++)
		nash__cone_free(cones[q]);
	return status;
}

/*
 * When one side is complete, only those faces of the other, which may have a thousand times more
 * vertices, are looked at that are opposite to its vertices. Weighed: to walk over the bases of
 * both sides in turns with the cones is 2 to 5 times as fast on games of 14 actions and more that
 * are not degenerate, which branch and bound solves in a hundredth of the time, and up to 1.3 times
 * slower on those that are (benchmarks/runs/nash-2c).
 */
int nash__vertex_enumeration(struct nash_found *f, int64_t budget)
{
	bool done[2] = {false, false};
	int status = enumerate_sides(f, done, &budget);

	if (!status && done[0] && done[1])
		status = match_all(f);
	else if (!status)
		status = nash__partners(f, done[1], &budget);
	f->work += f->v[0].n + f->v[1].n;
	return status;
}
