/* leaf.c - the leaves of branch and bound, decided in integers. See eee.h. */
#include "gpube/base/bits.h"
#include "nash/eee/eee.h"

struct nash_decider {
	struct nash_found f;
	struct nash_list list[2];
};

/* The vertices of both faces; none of the second where the first has none. */
static int list_vertices(struct nash_decider *w, const struct nash_lp lp[2])
{
	int status;

	w->list[0].n = w->list[1].n = 0;
	status = nash__face_of_lp(&w->f.v[0], &w->list[0], &lp[0]);
	if (!status && w->list[0].n)
		status = nash__face_of_lp(&w->f.v[1], &w->list[1], &lp[1]);
	return status;
}

/*
 * Whether no other leaf has the equilibrium of this x, too. Of a label's two children the first has
 * what is zero on side 0, the second what is zero on side 1; what is zero on both belongs to the
 * first. So below second children only an x counts that is not zero there.
 */
static bool is_first(const struct nash_problem *p, const unsigned char *fixed, const uint64_t *x)
{
	const struct nash_side *s = &p->side[1];

	for (int32_t var = 0; var < s->k + s->l; var++)
		if (fixed[var] && gpube__bit(x, nash__label(s, var)))
			return false;
	return true;
}

/* A leaf whose equilibria are handed over, and forgotten. */
static int give_leaf(struct nash_decider *w, const struct nash_lp lp[2])
{
	struct nash_found *f = &w->f;
	int status = list_vertices(w, lp);

	for (int64_t a = 0; a < w->list[0].n && !status; a++) {
		const int64_t x = w->list[0].at[a];

		if (!is_first(f->p, lp[1].fixed, nash__mask(&f->v[0], x)))
			continue;
		for (int64_t b = 0; b < w->list[1].n && !status; b++) {
			const int64_t y = w->list[1].at[b];

			if (nash__complete(f->p, nash__mask(&f->v[0], x), nash__mask(&f->v[1], y)))
				status = nash__hand_over(f->give, f, x, y);
		}
	}
	for (int q = 0; q < 2; q++) {
		nash__vertices_clear(&f->v[q]);
		nash__vertices_init(&f->v[q], f->p, q);
	}
	return status;
}

int nash__decide(struct nash_decider *w, const struct nash_lp lp[2])
{
	int status;

	if (w->f.give)
		return give_leaf(w, lp);
	status = list_vertices(w, lp);
	for (int64_t a = 0; a < w->list[0].n && !status; a++)
		for (int64_t b = 0; b < w->list[1].n && !status; b++)
			status = nash__found_add(&w->f, w->list[0].at[a], w->list[1].at[b]);
	return status;
}

int nash__decider_open(struct nash_decider **out, const struct nash_found *f)
{
	struct nash_decider *w = *out = gpube__alloc_zero(f->p->ctx, 1, sizeof(*w));

	if (!w)
		return GPUBE_ENOMEM;
	nash__found_init(&w->f, f->p);
	w->f.max = f->max;
	w->f.give = f->give;
	return GPUBE_OK;
}

int nash__decider_close(struct nash_decider *w, struct nash_found *f)
{
	struct gpube_ctx *ctx = f->p->ctx;
	int status = nash__found_merge(f, &w->f);

	nash__found_clear(&w->f);
	GPUBE_FREE_ALL(ctx, w->list[0].at, w->list[1].at, w);
	return status;
}
