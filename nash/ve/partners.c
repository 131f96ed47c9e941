/*
 * partners.c - all equilibria from all vertices of one side. See exact.h.
 *
 * The partners of a vertex lie on a face of the other side: all labels that the vertex lacks are
 * zero there. Vertices lack many labels together, so their faces are looked at together: a list of
 * vertices and a face that their partners lie on are divided by a label that some lack and
 * the face does not have everywhere, into those that lack it, whose partners lie on the part of the
 * face with that label, and the others. A list whose face is proved empty is dropped. In the
 * end a list lacks only what its face has. Each vertex goes one way, so the tree has at most as
 * many leaves as there are vertices, however degenerate the game is; branch and bound comes to the
 * same equilibria from many leaves there. So it suits sides of very different sizes: the lrslib
 * game gamemp has 15 thousand vertices of one player and 8.5 million of the other.
 *
 * As in eee.c doubles decide where the search goes, and never what it finds.
 */
#include <string.h>

#include "nash/exact.h"
#include "nash/eee/face_lp.h"

struct partners {
	struct nash_found *f;
	struct gpube__arrays arrays; /* all but the list's */
	const struct nash_vertices *given;
	const struct nash_side *side; /* the other one */
	int64_t *at;                  /* the given vertices, in the order of the lists */
	int64_t *lacking;             /* of each label, how many of a list lack it */
	struct nash_place *places;
	struct nash_lp *faces; /* one for each depth of the tree */
	int32_t n_faces;
	struct nash_list list;
	int64_t pivots, *budget, done;
};

static int make_face(struct partners *s, int32_t depth)
{
	void *bytes;

	if (depth < s->n_faces)
		return GPUBE_OK;
	bytes = gpube__array(&s->arrays, nash__lp_bytes(s->side), 1);
	if (!bytes)
		return GPUBE_ENOMEM;
	nash__lp_place(&s->faces[s->n_faces++], s->side, bytes);
	return GPUBE_OK;
}

/* Counts what the vertices of a list lack, of the labels that the face does not have everywhere. */
static void count(struct partners *s, int64_t lo, int64_t hi)
{
	const int32_t n = s->side->k + s->side->l;

	memset(s->lacking, 0, (size_t)n * sizeof(*s->lacking));
	for (int64_t k = lo; k < hi; k++) {
		const uint64_t *mask = nash__mask(s->given, s->at[k]);

		for (int32_t a = 0; a < n; a++)
			s->lacking[a] += !s->places[a].zero && !gpube__bit(mask, a);
	}
}

/* The label to divide by: many lack it, and the face's point is far from having it; -1: none. */
static int32_t choose(struct partners *s, const struct nash_lp *face, int64_t lo, int64_t hi)
{
	int32_t best = -1;
	double most = -1;

	nash__lp_places(face, s->side, s->places);
	count(s, lo, hi);
	for (int32_t a = 0; a < s->side->k + s->side->l; a++) {
		const double v = (double)s->lacking[a] * (s->places[a].far + 1e-3);

		if (s->lacking[a] && v > most) {
			most = v;
			best = a;
		}
	}
	return best;
}

/* Moves those of a list that lack the label to its front; returns where the others begin. */
static int64_t divide(struct partners *s, int64_t lo, int64_t hi, int32_t label)
{
	int64_t mid = lo;

	for (int64_t k = lo; k < hi; k++)
		if (!gpube__bit(nash__mask(s->given, s->at[k]), label)) {
			const int64_t t = s->at[k];

			s->at[k] = s->at[mid];
			s->at[mid++] = t;
		}
	return mid;
}

static int pair_all(struct partners *s, const struct nash_lp *face, int64_t lo, int64_t hi)
{
	const bool second = s->side->flip;
	int status;

	s->list.n = 0;
	status = nash__face_of_lp(&s->f->v[second], &s->list, face);
	for (int64_t a = 0; a < s->list.n && !status; a++)
		for (int64_t k = lo; k < hi && !status; k++)
			status = second ? nash__found_add(s->f, s->at[k], s->list.at[a])
					: nash__found_add(s->f, s->list.at[a], s->at[k]);
	return status;
}

static int cut(struct partners *s, struct nash_lp *face, int32_t label, bool *empty)
{
	struct gpube_ctx *ctx = s->f->p->ctx;
	enum nash_lp_end end =
		nash__lp_fix(face, s->side, nash__variable(s->side, label), &s->pivots);

	*empty = end == NASH_LP_EMPTY;
	if (*s->budget == 0)
		return GPUBE_ELIMIT;
	*s->budget -= *s->budget > 0;
	if (gpube__stopped(ctx))
		return gpube__fail_stopped(ctx);
	return end == NASH_LP_UNSURE ? nash__face_refine(face, ctx, s->side, empty) : GPUBE_OK;
}

/* The list from lo to hi, whose partners lie on the face of this depth. */
static int search(struct partners *s, int64_t lo, int64_t hi, int32_t depth)
{
	int status = make_face(s, depth + 1);

	while (!status && lo < hi) {
		struct nash_lp *face = &s->faces[depth];
		const int32_t label = choose(s, face, lo, hi);
		int64_t mid;
		bool empty;

		if (label < 0) {
			status = pair_all(s, face, lo, hi);
			break;
		}
		mid = divide(s, lo, hi, label);
		if (mid < hi)
			nash__lp_copy(&s->faces[++depth], face, s->side);
		status = cut(s, &s->faces[depth], label, &empty);
		if (mid == hi) {
			if (empty)
				break;
			continue;
		}
		if (!status && !empty)
			status = search(s, lo, mid, depth);
		depth--;
		lo = mid;
	}
	if (!status)
		gpube__progress(s->f->p->ctx, (double)hi / (double)s->given->n,
			"partners of %lld of %lld vertices", (long long)hi, (long long)s->given->n);
	return status;
}

int nash__partners(struct nash_found *f, int q, int64_t *budget)
{
	const struct nash_problem *p = f->p;
	const struct nash_side *side = &p->side[1 - q];
	const uint64_t labels = (uint64_t)p->m + (uint64_t)p->n;
	struct partners s = {
		.f = f, .arrays.ctx = p->ctx, .given = &f->v[q], .side = side, .budget = budget};
	int status;

	s.at = gpube__array(&s.arrays, (uint64_t)s.given->n, sizeof(*s.at));
	s.lacking = gpube__array(&s.arrays, labels, sizeof(*s.lacking));
	s.places = gpube__array(&s.arrays, labels, sizeof(*s.places));
	/* each level below the first has one more variable at zero */
	s.faces = gpube__array(&s.arrays, labels + 2, sizeof(*s.faces));
	status = s.arrays.failed ? GPUBE_ENOMEM : make_face(&s, 0);
	if (!status) {
		for (int64_t k = 0; k < s.given->n; k++)
			s.at[k] = k;
		nash__lp_init(&s.faces[0], s.side);
		status = search(&s, 0, s.given->n, 0);
	}
	gpube__arrays_clear(&s.arrays);
	gpube__free(p->ctx, s.list.at);
	return status;
}
