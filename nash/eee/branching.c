/* branching.c - branch and bound in parts, here or by an operator on a device. See exact.h. */
#include <math.h>

#include "gpube/ops/device/opening.h"
#include "gpube/ops/pick.h"
#include "nash/eee/eee.h"

/* ---- leaves of a walk elsewhere ------------------------------------------------------- */

#define BATCH 64 /* leaves of a thread at a time */

struct leaves {
	struct nash_tree t;
	const struct gpube_faces_search *s;
	struct nash_decider **deciders; /* one for each thread */
	int *status;
};

/* A leaf's faces as nash__decide() reads them: without values. */
static int decide_leaf(
	struct leaves *l, const struct gpube_faces_leaf *given, struct nash_decider *d)
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
	return nash__decide(d, lp);
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
			l->status[thread] = decide_leaf(l, &l->s->leaves[k], l->deciders[thread]);
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
	const double start = gpube__now();
	struct leaves l = {.t = {.ctx = ctx, .f = f, .budget = -1}, .s = s};
	const int n = ctx->n_threads > 0 ? ctx->n_threads : 1;
	int status = GPUBE_OK;

	l.deciders = gpube__alloc_zero(ctx, (uint64_t)n, sizeof(*l.deciders));
	l.status = gpube__alloc_zero(ctx, (uint64_t)n, sizeof(*l.status));
	if (!l.deciders || !l.status)
		status = GPUBE_ENOMEM;
	for (int k = 0; k < n && !status; k++)
		status = nash__decider_open(&l.deciders[k], f);
	if (!status)
		gpube__parallel(ctx, (s->n_leaves + BATCH - 1) / BATCH, decide_batch, &l);
	for (int k = 0; k < n && l.deciders && l.deciders[k]; k++) {
		int closed = nash__decider_close(l.deciders[k], f);

		status = status ? status : l.status ? l.status[k] : GPUBE_OK;
		status = status ? status : closed;
	}
	if (!status)
		status = decide_open(&l);
	f->work += l.t.nodes;
	gpube__log(ctx, GPUBE_LOG_DETAIL, "%lld lea%s decided: %.4f s", (long long)s->n_leaves,
		s->n_leaves == 1 ? "f" : "ves", gpube__now() - start);
	gpube__free(ctx, l.deciders);
	gpube__free(ctx, l.status);
	return status;
}

/* Walks the tree, or what is left of it, by an operator. */
static int walk(struct nash_found *f, const struct gpube_faces_ops *ops,
	const struct gpube_faces_start *start, int64_t n_start)
{
	const struct nash_problem *p = f->p;
	struct gpube_faces_search s = {.budget = -1, .start = start, .n_start = n_start};
	const double begun = gpube__now();
	int status, decided;

	for (int q = 0; q < 2; q++) {
		s.k[q] = p->side[q].k;
		s.l[q] = p->side[q].l;
		s.c[q] = p->side[q].f;
	}
	status = ops->search(p->ctx, &s);
	f->work += s.nodes;
	gpube__log(p->ctx, GPUBE_LOG_DETAIL, "%lld node%s, %lld pivot%s on the %s: %.4f s",
		(long long)s.nodes, gpube__plural(s.nodes), (long long)s.pivots,
		gpube__plural(s.pivots), ops->name, gpube__now() - begun);
	decided = decide(f, &s);
	gpube__free(p->ctx, s.leaves);
	return status ? status : decided;
}

int nash__branch_and_bound_on(struct nash_found *f, const struct gpube_faces_ops *ops)
{
	const int status = walk(f, ops, NULL, 0);

	return status == GPUBE_ESTOP ? gpube__fail_stopped(f->p->ctx) : status;
}

/* ---- in parts, and on a device once it is open ------------------------------------------- */

/* opening: from when on a device is worth opening */
struct nash_branching {
	struct nash_found *f;
	struct nash_tree t;
	struct nash_search *s;
	double opening;
};

int nash__branching_new(struct nash_branching **out, struct nash_found *f)
{
	struct nash_branching *b = gpube__alloc_zero(f->p->ctx, 1, sizeof(*b));
	int status = GPUBE_ENOMEM;

	*out = NULL;
	if (!b)
		return status;
	b->f = f;
	b->t = (struct nash_tree){.ctx = f->p->ctx, .f = f, .budget = -1};
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

/*
 * Seconds that this context's threads need for a random game, by and large: of 24, 28 and 32
 * actions three games each had 0.16, 0.49 and 2.6 million nodes, of 6.5 us.
 */
static double likely_seconds(const struct nash_problem *p, int n_threads)
{
	/* twice as many for each four of m + n, 1 for 48; pow() would have more pages in memory */
	static const double quarters[] = {
		1, 1.189207115002721, 1.4142135623730951, 1.681792830507429};
	const int32_t sum = p->m + p->n;

	return ldexp(quarters[sum % 4], sum / 4 - 12) / (n_threads > 0 ? n_threads : 1);
}

/* Whether to stop here for the device, which is opened from a certain time on. */
static bool device_is_open(void *arg)
{
	const struct nash_branching *b = arg;

	if (gpube__now() < b->opening)
		return false;
	gpube__opening_begin();
	return b->t.ctx->device || (gpube__opening_since() > 0 && !gpube__opening_now());
}

int nash__branching_run_on(struct nash_branching *b, const struct gpube_faces_ops *ops)
{
	struct gpube_ctx *ctx = b->t.ctx;
	struct gpube_faces_start *start;
	int32_t n = 0;
	int status;

	while (nash__search_node(b->s, n))
		n++;
	start = gpube__alloc(ctx, 2 * (uint64_t)n, sizeof(*start));
	if (!start)
		return GPUBE_ENOMEM;
	for (int32_t k = 0; k < 2 * n; k++) {
		const struct nash_lp *lp = &nash__search_node(b->s, k / 2)[k % 2];

		start[k] = (struct gpube_faces_start){
			lp->live, lp->basic, lp->nonbasic, lp->fixed, lp->d};
	}
	gpube__log(ctx, GPUBE_LOG_DETAIL, "%d node%s are left for the %s", n, gpube__plural(n),
		ops->name);
	status = walk(b->f, ops, start, n);
	gpube__free(ctx, start);
	return status;
}

static int search_here(struct nash_branching *b)
{
	const double start = gpube__now();
	const int64_t before = b->t.nodes;
	const int status = nash__search_run(b->s);

	gpube__log(b->t.ctx, GPUBE_LOG_DETAIL, "%lld node%s on the cpu: %.4f s",
		(long long)(b->t.nodes - before), gpube__plural((long long)(b->t.nodes - before)),
		gpube__now() - start);
	return status;
}

static int run_with_device(struct nash_branching *b)
{
	const struct nash_problem *p = b->f->p;
	const struct gpube_faces_search sizes = {.k = {p->m, p->n}, .l = {p->n, p->m}};
	const double open = gpube__open_seconds(p->ctx);
	const struct gpube_faces_ops *ops;
	int status;

	b->opening = gpube__now() + open;
	if (likely_seconds(p, p->ctx->n_threads) > open) {
		b->opening = 0;
		/* the driver needs cores, too, and they would do little in the time */
		b->t.at_once = (p->ctx->n_threads + 1) / 2;
	}
	if (!gpube__faces_unsupported(&sizes)) {
		b->t.pause = device_is_open;
		b->t.pause_arg = b;
	}
	status = search_here(b);
	b->t.pause = NULL;
	b->t.at_once = 0;
	if (status != GPUBE_ELIMIT)
		return status;
	ops = gpube__faces_cuda(p->ctx, &status);
	if (!ops)
		return search_here(b);
	status = nash__branching_run_on(b, ops);
	b->f->used = true;
	/* what was found there is found once more, and merged */
	return status == GPUBE_ENOMEM || status == GPUBE_ERANGE ? search_here(b) : status;
}

int nash__branching_run(struct nash_branching *b, int64_t budget)
{
	const int64_t before = b->t.nodes;
	int status;

	b->t.budget = budget < 0 ? -1 : before + budget;
	status = budget < 0 && b->f->device ? run_with_device(b) : search_here(b);
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
