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

static struct nash_tree make_tree(struct nash_found *f, int64_t budget)
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

	for (int q = 0; q < 2; q++)
		t.m[q] = (struct nash_matrix){p->side[q].k, p->side[q].l, q, p->side[q].f};
	return t;
}

int nash__branch_and_bound(struct nash_found *f, int64_t budget)
{
	struct nash_tree t = make_tree(f, budget);
	int status = nash__tree_search(&t);

	f->work += t.nodes;
	return status == GPUBE_ESTOP ? gpube__fail_stopped(f->p->ctx) : status;
}

/* ---- leaves of a walk elsewhere ------------------------------------------------------- */

#define BATCH 64 /* leaves of a thread at a time */

struct leaves {
	struct nash_tree t;
	const struct gpube_faces_search *s;
	void **workers; /* one for each thread */
	int *status;
};

/* A leaf's faces as leaf() reads them: without values. */
static int decide_leaf(struct leaves *l, const struct gpube_faces_leaf *given, void *worker)
{
	unsigned char fixed[2][2 * GPUBE_FACES_ACTIONS];
	int32_t nonbasic[2][GPUBE_FACES_ACTIONS];
	struct nash_lp lp[2] = {{0}};

	for (int q = 0; q < 2; q++) {
		for (int32_t v = 0; v < l->s->k[q] + l->s->l[q]; v++)
			fixed[q][v] = given->fixed[q] >> v & 1;
		for (int32_t c = 0; c < l->s->k[q]; c++)
			nonbasic[q][c] = given->nonbasic[q][c];
		lp[q] = (struct nash_lp){
			.live = given->live[q], .nonbasic = nonbasic[q], .fixed = fixed[q]};
	}
	return leaf(worker, lp);
}

static void decide_batch(void *arg, int64_t batch, int thread)
{
	struct leaves *l = arg;
	const int64_t end = (batch + 1) * BATCH;

	for (int64_t k = batch * BATCH; k < end && k < l->s->n_leaves; k++) {
		if (l->status[thread])
			return;
		if (l->s->leaves[k].open)
			continue;
		/* what a stopped walk has found is decided all the same, if it does not take long
		 */
		if (k >= 256 && gpube__stopped(l->t.ctx))
			l->status[thread] = GPUBE_ESTOP;
		else
			l->status[thread] = decide_leaf(l, &l->s->leaves[k], l->workers[thread]);
	}
}

/* The search goes on below each node that doubles could not decide. */
static int decide_open(struct leaves *l)
{
	unsigned char fixed[2][2 * GPUBE_FACES_ACTIONS];
	int status = GPUBE_OK;

	for (int64_t k = 0; k < l->s->n_leaves && !status; k++) {
		if (!l->s->leaves[k].open)
			continue;
		for (int q = 0; q < 2; q++) {
			for (int32_t v = 0; v < l->s->k[q] + l->s->l[q]; v++)
				fixed[q][v] = l->s->leaves[k].fixed[q] >> v & 1;
			l->t.root[q] = fixed[q];
		}
		status = nash__tree_search(&l->t);
	}
	return status;
}

static int decide(struct nash_found *f, const struct gpube_faces_search *s)
{
	struct gpube_ctx *ctx = f->p->ctx;
	struct leaves l = {.t = make_tree(f, -1), .s = s};
	const int n = ctx->n_threads > 0 ? ctx->n_threads : 1;
	int status = GPUBE_OK;

	l.workers = gpube__alloc_zero(ctx, (uint64_t)n, sizeof(*l.workers));
	l.status = gpube__alloc_zero(ctx, (uint64_t)n, sizeof(*l.status));
	if (!l.workers || !l.status)
		status = GPUBE_ENOMEM;
	for (int k = 0; k < n && !status; k++)
		status = open_worker(&l.t, &l.workers[k]);
	if (!status)
		gpube__parallel(ctx, (s->n_leaves + BATCH - 1) / BATCH, decide_batch, &l);
	for (int k = 0; k < n && l.workers && l.workers[k]; k++) {
		int closed = close_worker(&l.t, l.workers[k]);

		status = status ? status : l.status ? l.status[k] : GPUBE_OK;
		status = status ? status : closed;
	}
	if (!status)
		status = decide_open(&l);
	f->work += l.t.nodes;
	gpube__free(ctx, l.workers);
	gpube__free(ctx, l.status);
	return status;
}

int nash__branch_and_bound_on(struct nash_found *f, const struct gpube_faces_ops *ops)
{
	const struct nash_problem *p = f->p;
	struct gpube_faces_search s = {.budget = -1};
	int status, decided;

	for (int q = 0; q < 2; q++) {
		s.k[q] = p->side[q].k;
		s.l[q] = p->side[q].l;
		s.c[q] = p->side[q].f;
	}
	status = ops->search(p->ctx, &s);
	f->work += s.nodes;
	decided = decide(f, &s);
	gpube__free(p->ctx, s.leaves);
	status = status ? status : decided;
	return status == GPUBE_ESTOP ? gpube__fail_stopped(p->ctx) : status;
}
#else
typedef int nash_eee_exact_needs_flint;
#endif
