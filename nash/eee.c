/*
 * eee.c - all equilibria by branch and bound on complementarity. See exact.h.
 *
 * A node is a face of each side. One label that neither face has everywhere is
 * chosen: in every equilibrium of the node one of its two variables is zero, so
 * the node has two children, each with one face cut. A child is dropped only when
 * its face is proved empty: by multipliers that are checked with a bound on
 * rounding (lp.c), or in integers. When no label is left, all vertices of both
 * faces are computed in integers, and every pair of them is looked at. So doubles
 * decide where the search goes, never what it finds.
 *
 * Source: Audet, Hansen, Jaumard, Savard, SIAM J. Sci. Comput. 23, 2001.
 */
#ifdef GPUBE_HAVE_FLINT
#include <math.h>
#include <string.h>

#include "nash/exact.h"
#include "nash/lp.h"

/* What all nodes share. */
struct tree {
	const struct nash_problem *p;
	struct nash_matrix m[2];
	size_t bytes[2]; /* of a node's two lps */
	int64_t budget;	 /* nodes; < 0: any number */
	int64_t nodes;	 /* visited, by all threads */
};

struct node {
	struct nash_lp lp[2];
	void *bytes;
};

/* The nodes between the root and the current one, and what only one thread touches. */
struct search {
	struct tree *t;
	struct nash_found f;
	struct node *stack;
	int32_t depth, capacity;
	int64_t pivots, share; /* share: nodes it may still visit in this round */
	struct nash_list list[2];
	int status;
};

static int make_node(struct tree *t, struct node *n)
{
	n->bytes = gpube__alloc(t->p->ctx, t->bytes[0] + t->bytes[1], 1);
	if (!n->bytes)
		return GPUBE_ENOMEM;
	nash__lp_place(&n->lp[0], &t->m[0], n->bytes);
	nash__lp_place(&n->lp[1], &t->m[1], (char *)n->bytes + t->bytes[0]);
	return GPUBE_OK;
}

static void copy_node(const struct tree *t, struct node *to, const struct node *from)
{
	for (int q = 0; q < 2; q++)
		nash__lp_copy(&to->lp[q], &from->lp[q], &t->m[q]);
}

/* ---- branching ------------------------------------------------------------------ */

/* Where a label's variable is: zero on the whole face, nonbasic but free, or basic. */
struct place {
	bool zero, basic;
	double value; /* scaled by the row's largest entry */
};

static void places(const struct tree *t, const struct node *n, int q, struct place *of_label)
{
	const struct nash_side *s = &t->p->side[q];
	const struct nash_matrix *m = &t->m[q];
	const struct nash_lp *lp = &n->lp[q];

	for (int32_t c = 0; c < m->k; c++)
		of_label[nash__label(s, lp->nonbasic[c])] = (struct place){.zero = c >= lp->live};
	for (int32_t r = 0; r < m->l; r++) {
		const double *d = lp->d + (size_t)r * ((size_t)m->k + 1);
		struct place at = {.basic = true};
		double most = fabs(d[0]);

		for (int32_t c = 0; c < lp->live; c++)
			most = fabs(d[c + 1]) > most ? fabs(d[c + 1]) : most;
		at.value = d[0] > 0 && most > 0 ? d[0] / most : 0;
		at.zero = lp->fixed[lp->basic[r]] || nash__lp_row_is_zero(lp, m, r);
		of_label[nash__label(s, lp->basic[r])] = at;
	}
}

/* The label whose two variables are farthest from having a zero; -1: none is open. */
static int32_t choose(const struct tree *t, const struct node *n, struct place *place)
{
	int32_t labels = t->p->m + t->p->n, best = -1;
	double most = -1;

	places(t, n, 0, place);
	places(t, n, 1, place + labels);
	for (int32_t a = 0; a < labels; a++) {
		const struct place *x = &place[a], *y = &place[labels + a];
		double v = x->value * y->value;

		if (x->zero || y->zero)
			continue;
		if (v > most) {
			most = v;
			best = a;
		}
	}
	return best;
}

/* ---- exact help ------------------------------------------------------------------ */

/* Decides in integers whether the face is empty; otherwise its lp is made anew from them. */
static int refine(const struct tree *t, struct nash_lp *lp, int q, bool *empty)
{
	const struct nash_matrix *m = &t->m[q];
	struct nash_dict d;
	int status = nash__face_dict(&d, t->p->ctx, &t->p->side[q], lp->fixed, empty);

	if (status)
		return status;
	if (!*empty) {
		for (int32_t r = 0; r < m->l; r++) {
			lp->basic[r] = d.basic[r];
			for (int32_t c = 0; c <= m->k; c++) {
				slong e, f;
				double a = fmpz_get_d_2exp(&e, d.d[r] + c);
				double b = fmpz_get_d_2exp(&f, d.den);

				lp->d[(size_t)r * ((size_t)m->k + 1) + (size_t)c] =
					a == 0 ? 0 : ldexp(a / b, (int)(e - f));
			}
		}
		memcpy(lp->nonbasic, d.nonbasic, (size_t)m->k * sizeof(*lp->nonbasic));
		nash__lp_partition(lp, m);
	}
	nash__dict_clear(&d);
	return GPUBE_OK;
}

/* All vertices of one face. A face without free variables is at most a point. */
static int vertices(struct search *s, const struct node *n, int q)
{
	const struct nash_lp *lp = &n->lp[q];
	struct nash_list *list = &s->list[q];
	int64_t no_limit = -1, at;
	int found = -1, status = GPUBE_OK;

	list->n = 0;
	if (lp->live == 0)
		status = nash__point(&s->f.v[q], &at, &found, lp->nonbasic);
	if (status || found == 0)
		return status;
	if (found == 1)
		return nash__list_push(s->t->p->ctx, list, at);
	return nash__face(&s->f.v[q], list, lp->fixed, &no_limit);
}

static int leaf(struct search *s, const struct node *n)
{
	int status = vertices(s, n, 0);

	if (!status && s->list[0].n)
		status = vertices(s, n, 1);
	for (int64_t a = 0; a < s->list[0].n && !status; a++)
		for (int64_t b = 0; b < s->list[1].n && !status; b++)
			status = nash__found_add(&s->f, s->list[0].at[a], s->list[1].at[b]);
	s->list[0].n = s->list[1].n = 0;
	return status;
}

/* ---- the search ------------------------------------------------------------------- */

static int push(struct search *s, struct node **out)
{
	struct gpube_ctx *ctx = s->t->p->ctx;

	if (s->depth == s->capacity) {
		int32_t more = s->capacity ? 2 * s->capacity : 16;
		struct node *stack = gpube__realloc(ctx, s->stack, (uint64_t)more, sizeof(*stack));

		if (!stack)
			return GPUBE_ENOMEM;
		memset(stack + s->capacity, 0, (size_t)(more - s->capacity) * sizeof(*stack));
		s->stack = stack;
		s->capacity = more;
	}
	if (!s->stack[s->depth].bytes && make_node(s->t, &s->stack[s->depth]))
		return GPUBE_ENOMEM;
	*out = &s->stack[s->depth++];
	return GPUBE_OK;
}

/* Cuts one face of a node; false in *stays: it is empty. */
static int cut(struct search *s, struct node *n, int q, int32_t label, bool *stays)
{
	const struct tree *t = s->t;
	enum nash_lp_end end = nash__lp_fix(&n->lp[q], &t->m[q],
		nash__variable(&t->p->side[q], label), &s->pivots);
	bool empty = end == NASH_LP_EMPTY;
	int status = GPUBE_OK;

	if (end == NASH_LP_UNSURE)
		status = refine(t, &n->lp[q], q, &empty);
	*stays = !status && !empty;
	return status;
}

/* Takes the node on top away and puts its children, or at a leaf its equilibria, in its place. */
static int expand(struct search *s, struct place *place)
{
	struct tree *t = s->t;
	struct node *top = &s->stack[s->depth - 1], *child;
	int32_t label = choose(t, top, place);
	bool stays;
	int status;

	if (label < 0) {
		s->depth--;
		return leaf(s, top);
	}
	/* the first child gets a place of its own, the second its parent's */
	status = push(s, &child);
	if (status)
		return status;
	top = &s->stack[s->depth - 2]; /* the stack may have moved */
	copy_node(t, child, top);
	status = cut(s, top, 1, label, &stays);
	if (status)
		return status;
	if (!stays) {
		struct node hole = *top;

		*top = *child;
		*child = hole;
		s->depth--;
		child = top;
	}
	status = cut(s, child, 0, label, &stays);
	if (!status && !stays)
		s->depth--;
	return status;
}

/* Expands until the stack is empty or the share is used up. */
static int run(struct search *s)
{
	struct tree *t = s->t;
	struct gpube_ctx *ctx = t->p->ctx;
	uint64_t labels = (uint64_t)t->p->m + (uint64_t)t->p->n;
	struct place *place = gpube__alloc(ctx, 2 * labels, sizeof(*place));
	int status = place ? GPUBE_OK : GPUBE_ENOMEM;

	for (; !status && s->depth && s->share > 0; s->share--) {
		int64_t n = __atomic_add_fetch(&t->nodes, 1, __ATOMIC_RELAXED);

		if (t->budget >= 0 && n > t->budget)
			status = GPUBE_ELIMIT;
		else if ((n & 15) == 0 && gpube__stopped(ctx))
			status = GPUBE_ESTOP;
		else
			status = expand(s, place);
	}
	gpube__free(ctx, place);
	return status;
}

static void start(struct search *s, struct tree *t, const struct nash_found *like)
{
	*s = (struct search){.t = t};
	nash__found_init(&s->f, t->p);
	s->f.max = like->max;
}

static void end(struct search *s)
{
	struct gpube_ctx *ctx = s->t->p->ctx;

	for (int32_t k = 0; k < s->capacity; k++)
		gpube__free(ctx, s->stack[k].bytes);
	gpube__free(ctx, s->stack);
	gpube__free(ctx, s->list[0].at);
	gpube__free(ctx, s->list[1].at);
	nash__found_clear(&s->f);
}

/* ---- threads: nodes of one stack, dealt out in rounds -------------------------------- */

#define SHARE	 1000 /* nodes that a search visits in a round */
#define PER_THREAD 8    /* searches in a round */

/* Moves the top node of one stack to another; nodes go with their memory. */
static int hand_over(struct search *from, struct search *to)
{
	struct node *place, node;
	int status = push(to, &place);

	if (status)
		return status;
	node = *place;
	*place = from->stack[--from->depth];
	from->stack[from->depth] = node;
	return GPUBE_OK;
}

static void work(void *arg, int64_t item, int thread)
{
	struct search *s = (struct search *)arg + item;

	(void)thread;
	s->share = SHARE;
	s->status = run(s);
}

/*
 * Each search takes one node and visits at most its share below it; what is left
 * goes back on the common stack, from whose top the next round takes. So no thread
 * waits long, and there are never more nodes than some depths of the tree.
 */
static int run_rounds(struct search *s, struct search *workers, int32_t n_workers)
{
	struct gpube_ctx *ctx = s->t->p->ctx;
	int status = GPUBE_OK;

	while (!status && s->depth) {
		int32_t n = 0;

		while (n < n_workers && s->depth && !status)
			status = hand_over(s, &workers[n++]);
		if (status)
			break;
		gpube__parallel(ctx, n, work, workers);
		for (int32_t k = 0; k < n; k++) {
			status = status ? status : workers[k].status;
			while (!status && workers[k].depth)
				status = hand_over(&workers[k], s);
		}
	}
	return status;
}

static int run_parallel(struct search *s)
{
	struct gpube_ctx *ctx = s->t->p->ctx;
	int32_t n = ctx->n_threads * PER_THREAD;
	struct search *workers = gpube__alloc(ctx, (uint64_t)n, sizeof(*workers));
	int status, merged = GPUBE_OK;

	if (!workers)
		return GPUBE_ENOMEM;
	for (int32_t k = 0; k < n; k++)
		start(&workers[k], s->t, &s->f);
	status = run_rounds(s, workers, n);
	for (int32_t k = 0; k < n; k++) {
		if (!merged)
			merged = nash__found_merge(&s->f, &workers[k].f);
		end(&workers[k]);
	}
	gpube__free(ctx, workers);
	return status ? status : merged;
}

int nash__branch_and_bound(struct nash_found *f, int64_t budget)
{
	const struct nash_problem *p = f->p;
	struct tree t = {.p = p, .budget = budget};
	struct search s;
	struct node *root;
	int status;

	for (int q = 0; q < 2; q++) {
		t.m[q] = (struct nash_matrix){p->side[q].k, p->side[q].l, p->side[q].f};
		t.bytes[q] = nash__lp_bytes(&t.m[q]);
	}
	start(&s, &t, f);
	status = push(&s, &root);
	if (!status) {
		for (int q = 0; q < 2; q++)
			nash__lp_init(&root->lp[q], &t.m[q]);
		/* most games end here */
		s.share = p->ctx->n_threads > 1 ? SHARE : INT64_MAX;
		status = run(&s);
		if (!status && s.depth)
			status = run_parallel(&s);
	}
	if (status == GPUBE_OK || status == GPUBE_ESTOP || status == GPUBE_ELIMIT) {
		int merged = nash__found_merge(f, &s.f);

		status = merged ? merged : status;
	}
	f->work += t.nodes;
	end(&s);
	return status == GPUBE_ESTOP ? gpube__fail_stopped(p->ctx) : status;
}
#else
typedef int nash_eee_needs_flint;
#endif
