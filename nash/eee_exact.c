/*
 * eee_exact.c - what branch and bound needs done in integers: leaves, and faces
 * that doubles cannot decide. See eee.h, exact.h.
 */
#ifdef GPUBE_HAVE_FLINT
#include <string.h>

#include "nash/eee.h"
#include "nash/exact.h"

struct worker {
	struct nash_found f;
	struct nash_list list[2];
};

static int refine(void *worker, struct nash_lp *lp, int q, bool *empty)
{
	const struct nash_problem *p = ((struct worker *)worker)->f.p;

	return nash__face_refine(lp, p->ctx, &p->side[q], empty);
}

static int leaf(void *worker, const struct nash_lp lp[2])
{
	struct worker *w = worker;
	int status;

	w->list[0].n = w->list[1].n = 0;
	status = nash__face_of_lp(&w->f.v[0], &w->list[0], &lp[0]);
	if (!status && w->list[0].n)
		status = nash__face_of_lp(&w->f.v[1], &w->list[1], &lp[1]);
	for (int64_t a = 0; a < w->list[0].n && !status; a++)
		for (int64_t b = 0; b < w->list[1].n && !status; b++)
			status = nash__found_add(&w->f, w->list[0].at[a], w->list[1].at[b]);
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
		if (fixed[var] && nash__bit(x, nash__label(s, var)))
			return false;
	return true;
}

/* A leaf whose equilibria are handed over, and forgotten. */
static int give_leaf(void *worker, const struct nash_lp lp[2])
{
	struct worker *w = worker;
	struct nash_found *f = &w->f;
	int status;

	w->list[0].n = w->list[1].n = 0;
	status = nash__face_of_lp(&f->v[0], &w->list[0], &lp[0]);
	if (!status && w->list[0].n)
		status = nash__face_of_lp(&f->v[1], &w->list[1], &lp[1]);
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

static int open_worker(struct nash_tree *t, void **worker)
{
	struct nash_found *f = t->arg;
	struct worker *w = gpube__alloc_zero(t->ctx, 1, sizeof(*w));

	*worker = w;
	if (!w)
		return GPUBE_ENOMEM;
	nash__found_init(&w->f, f->p);
	w->f.max = f->max;
	w->f.give = f->give;
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
		.leaf = f->give ? give_leaf : leaf,
		.refine = refine,
		.open = open_worker,
		.close = close_worker,
	};

	for (int q = 0; q < 2; q++)
		t.m[q] = (struct nash_matrix){p->side[q].k, p->side[q].l, q, p->side[q].f};
	return t;
}

struct nash_branching {
	struct nash_found *f;
	struct nash_tree t;
	struct nash_search *s;
};

int nash__branching_new(struct nash_branching **out, struct nash_found *f)
{
	struct nash_branching *b = gpube__alloc_zero(f->p->ctx, 1, sizeof(*b));
	int status = GPUBE_ENOMEM;

	*out = NULL;
	if (!b)
		return status;
	b->f = f;
	b->t = make_tree(f, -1);
	status = nash__search_new(&b->s, &b->t);
	if (status)
		nash__branching_free(b);
	else
		*out = b;
	return status;
}

void nash__branching_free(struct nash_branching *b)
{
	if (!b)
		return;
	nash__search_free(b->s);
	gpube__free(b->t.ctx, b);
}

int nash__branching_run(struct nash_branching *b, int64_t budget)
{
	const int64_t before = b->t.nodes;
	int status;

	b->t.budget = budget < 0 ? -1 : before + budget;
	status = nash__search_run(b->s);
	b->f->work += b->t.nodes - before;
	return status == GPUBE_ESTOP ? gpube__fail_stopped(b->t.ctx) : status;
}

int nash__branch_and_bound(struct nash_found *f, int64_t budget)
{
	struct nash_branching *b;
	int status = nash__branching_new(&b, f);

	if (!status)
		status = nash__branching_run(b, budget);
	nash__branching_free(b);
	return status;
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
