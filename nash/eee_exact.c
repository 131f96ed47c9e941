/*
 * eee_exact.c - what branch and bound needs done in integers: leaves, and faces
 * that doubles cannot decide. See eee.h, exact.h.
 */
#ifdef GPUBE_HAVE_FLINT
#include <math.h>
#include <string.h>

#include "nash/eee.h"
#include "nash/exact.h"

struct worker {
	struct nash_found f;
	struct nash_list list[2];
};

/* Decides in integers whether the face is empty; otherwise its lp is made anew from them. */
static int refine(void *worker, struct nash_lp *lp, int q, bool *empty)
{
	const struct nash_problem *p = ((struct worker *)worker)->f.p;
	const struct nash_side *s = &p->side[q];
	const struct nash_matrix m = {.k = s->k, .l = s->l};
	struct nash_dict d;
	int status = nash__face_dict(&d, p->ctx, s, lp->fixed, empty);

	if (status)
		return status;
	for (int32_t r = 0; r < s->l && !*empty; r++) {
		lp->basic[r] = d.basic[r];
		for (int32_t c = 0; c <= s->k; c++) {
			slong e, f;
			double a = fmpz_get_d_2exp(&e, d.d[r] + c);
			double b = fmpz_get_d_2exp(&f, d.den);

			lp->d[(size_t)r * ((size_t)s->k + 1) + (size_t)c] =
				a == 0 ? 0 : ldexp(a / b, (int)(e - f));
		}
	}
	if (!*empty) {
		memcpy(lp->nonbasic, d.nonbasic, (size_t)s->k * sizeof(*lp->nonbasic));
		nash__lp_partition(lp, &m);
	}
	nash__dict_clear(&d);
	return GPUBE_OK;
}

/* All vertices of one face. A face without free variables is at most a point. */
static int vertices(struct worker *w, const struct nash_lp *lp, int q)
{
	struct nash_list *list = &w->list[q];
	int64_t no_limit = -1, at;
	int found = -1, status = GPUBE_OK;

	if (lp->live == 0)
		status = nash__point(&w->f.v[q], &at, &found, lp->nonbasic);
	if (status || found == 0)
		return status;
	if (found == 1)
		return nash__list_push(w->f.p->ctx, list, at);
	return nash__face(&w->f.v[q], list, lp->fixed, &no_limit);
}

static int leaf(void *worker, const struct nash_lp lp[2])
{
	struct worker *w = worker;
	int status;

	w->list[0].n = w->list[1].n = 0;
	status = vertices(w, &lp[0], 0);
	if (!status && w->list[0].n)
		status = vertices(w, &lp[1], 1);
	for (int64_t a = 0; a < w->list[0].n && !status; a++)
		for (int64_t b = 0; b < w->list[1].n && !status; b++)
			status = nash__found_add(&w->f, w->list[0].at[a], w->list[1].at[b]);
	return status;
}

static int open_worker(struct nash_tree *t, void **worker)
{
	struct nash_found *f = t->arg;
	struct worker *w = gpube__alloc_zero(t->ctx, 1, sizeof(*w));

	*worker = w;
	if (!w)
		return GPUBE_ENOMEM;
	nash__found_init(&w->f, f->p);
	w->f.max = f->max;
	return GPUBE_OK;
}

static int close_worker(struct nash_tree *t, void *worker)
{
	struct worker *w = worker;
	int status = nash__found_merge(t->arg, &w->f);

	nash__found_clear(&w->f);
	gpube__free(t->ctx, w->list[0].at);
	gpube__free(t->ctx, w->list[1].at);
	gpube__free(t->ctx, w);
	return status;
}

int nash__branch_and_bound(struct nash_found *f, int64_t budget)
{
	const struct nash_problem *p = f->p;
	struct nash_tree t = {
		.ctx = p->ctx,
		.arg = f,
		.budget = budget,
		.leaf = leaf,
		.refine = refine,
		.open = open_worker,
		.close = close_worker,
	};
	int status;

	for (int q = 0; q < 2; q++)
		t.m[q] = (struct nash_matrix){p->side[q].k, p->side[q].l, q, p->side[q].f};
	status = nash__tree_search(&t);
	f->work += t.nodes;
	return status == GPUBE_ESTOP ? gpube__fail_stopped(p->ctx) : status;
}
#else
typedef int nash_eee_exact_needs_flint;
#endif
