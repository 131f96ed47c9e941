/*
 * eee.c - all equilibria by branch and bound on complementarity. See eee.h.
 *
 * A node is a face of each side. One label that neither face has everywhere is
 * chosen: in every equilibrium of the node one of its two variables is zero, so
 * the node has two children, each with one face cut. A child is dropped only when
 * its face is proved empty: by multipliers that are checked with a bound on
 * rounding (face_lp.c), or in integers. When no label is left, all vertices of both
 * faces are looked at (leaf.c). So doubles decide where the search goes, and never
 * what it finds.
 *
 * Source: Audet, Hansen, Jaumard, Savard, SIAM J. Sci. Comput. 23, 2001.
 */
#include "nash/eee/eee.h"

#include <math.h>
#include <string.h>

struct node {
	struct nash_lp lp[2];
	void *bytes;
};

/* The nodes between the root and the current one, and what only one thread touches. */
struct nash_search {
	struct nash_tree *t;
	struct nash_decider *decider;
	struct node *stack;
	int32_t depth, capacity;
	int64_t pivots, share; /* share: nodes it may still visit in this round */
	int status;
	bool begun; /* the root was made */
};

static const struct nash_side *side_of(const struct nash_tree *t, int q)
{
	return &t->f->p->side[q];
}

static int make_node(struct nash_tree *t, struct node *n)
{
	size_t first = nash__lp_bytes(side_of(t, 0));

	n->bytes = gpube__alloc(t->ctx, first + nash__lp_bytes(side_of(t, 1)), 1);
	if (!n->bytes)
		return GPUBE_ENOMEM;
	nash__lp_place(&n->lp[0], side_of(t, 0), n->bytes);
	nash__lp_place(&n->lp[1], side_of(t, 1), (char *)n->bytes + first);
	return GPUBE_OK;
}

static void copy_node(const struct nash_tree *t, struct node *to, const struct node *from)
{
	for (int q = 0; q < 2; q++)
		nash__lp_copy(&to->lp[q], &from->lp[q], side_of(t, q));
}

/* ---- branching ------------------------------------------------------------------ */

/*
 * The label whose two variables are farthest from having a zero; -1: none is open. A variable that
 * is zero nowhere comes before all others: then there is one child. Weighed on random games of 24
 * and 28 actions, pivots of the whole search: the largest product of values, each scaled by its
 * row's largest entry, has 3.3 to 5.4 times as many; sums of values over the largest, or over the
 * root of the squares, of what the edges take 1.05 to 2.4 times; columns divided by their lengths
 * before 0.9 times, but they have to be known at each node. To cut by the best 2 to 16 labels and
 * take one without a second child saves nodes (2.6 to 6.6 times), but no pivots.
 */
static int32_t choose(const struct nash_tree *t, const struct node *n, struct nash_place *place)
{
	int32_t labels = t->f->p->m + t->f->p->n, best = -1;
	double most = -1;

	nash__lp_places(&n->lp[0], side_of(t, 0), place);
	nash__lp_places(&n->lp[1], side_of(t, 1), place + labels);
	for (int32_t a = 0; a < labels; a++) {
		const struct nash_place *x = &place[a], *y = &place[labels + a];
		const double v = x->far + y->far;

		if (x->zero || y->zero)
			continue;
		if (v > most) {
			most = v;
			best = a;
		}
	}
	return best;
}

/* ---- the search ------------------------------------------------------------------- */

static int push(struct nash_search *s, struct node **out)
{
	struct gpube_ctx *ctx = s->t->ctx;

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
static int cut(struct nash_search *s, struct node *n, int q, int32_t label, bool *stays)
{
	const struct nash_side *side = side_of(s->t, q);
	enum nash_lp_end end =
		nash__lp_fix(&n->lp[q], side, nash__variable(side, label), &s->pivots);
	bool empty = end == NASH_LP_EMPTY;
	int status = GPUBE_OK;

	if (end == NASH_LP_UNSURE)
		status = nash__face_refine(&n->lp[q], s->t->ctx, side, &empty);
	*stays = !status && !empty;
	return status;
}

/* Takes the node on top away and puts its children, or at a leaf its equilibria, in its place. */
static int expand(struct nash_search *s, struct nash_place *place)
{
	struct nash_tree *t = s->t;
	struct node *top = &s->stack[s->depth - 1], *child;
	int32_t label = choose(t, top, place);
	bool stays;
	int status;

	if (label < 0) {
		s->depth--;
		return nash__decide(s->decider, top->lp);
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
static int run(struct nash_search *s)
{
	struct nash_tree *t = s->t;
	struct gpube_ctx *ctx = t->ctx;
	uint64_t labels = (uint64_t)t->f->p->m + (uint64_t)t->f->p->n;
	struct nash_place *place = gpube__alloc(ctx, 2 * labels, sizeof(*place));
	int status = place ? GPUBE_OK : GPUBE_ENOMEM;

	for (; !status && s->depth && s->share > 0; s->share--) {
		int64_t n = __atomic_add_fetch(&t->nodes, 1, __ATOMIC_RELAXED);

		if (t->budget >= 0 && n > t->budget) {
			__atomic_sub_fetch(&t->nodes, 1, __ATOMIC_RELAXED);
			status = GPUBE_ELIMIT;
		} else if ((n & 3) == 0 && gpube__stopped(ctx)) {
			status = GPUBE_ESTOP;
		} else if ((s->share & 15) == 0 && t->pause && t->pause(t->pause_arg)) {
			__atomic_sub_fetch(&t->nodes, 1, __ATOMIC_RELAXED);
			status = GPUBE_ELIMIT;
		} else {
			status = expand(s, place);
		}
	}
	gpube__free(ctx, place);
	return status;
}

/* Hands over what was found. */
static int hand_in(struct nash_search *s)
{
	struct nash_decider *d = s->decider;

	s->decider = NULL;
	return d ? nash__decider_close(d, s->t->f) : GPUBE_OK;
}

static void clear(struct nash_search *s)
{
	for (int32_t k = 0; k < s->capacity; k++)
		gpube__free(s->t->ctx, s->stack[k].bytes);
	gpube__free(s->t->ctx, s->stack);
}

/* ---- threads: nodes of one stack, dealt out in rounds -------------------------------- */

#define ALONE      1000 /* nodes before there are threads: most games end there */
#define SHARE      300  /* nodes that a search visits in a round, at most */
#define PER_THREAD 2    /* searches in a round */
#define DEAL       16   /* nodes that a search begins with, if there are so many */

/* Moves the top node of one stack to another; nodes go with their memory. */
static int hand_over(struct nash_search *from, struct nash_search *to)
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

/* Nodes that a search visits in a round: few while there are few to deal out. */
static int64_t share_of(int32_t dealt, int32_t n_workers)
{
	return dealt < n_workers ? 15 : dealt < DEAL * n_workers ? 60 : SHARE;
}

static void work(void *arg, int64_t item, int thread)
{
	struct nash_search *s = (struct nash_search *)arg + item;

	(void)thread;
	s->status = run(s);
}

/*
 * Each search takes some nodes and visits at most its share below them; what is left
 * goes back on the common stack, from whose top the next round takes. So no thread
 * waits long, and there are never more nodes than some depths of the tree. With one node for
 * each of 8 searches a thread, and 1000 nodes a share, 16 threads had work for 0.5 to 0.76 of the
 * time on random games of 28 actions (now 0.94 to 0.99), 64 for 0.14 to 0.6 (0.77 to 0.95).
 * The rounds do not depend on time, nor does what a search with a limit finds.
 */
static int run_rounds(struct nash_search *s, struct nash_search *workers, int32_t n_workers)
{
	struct gpube_ctx *ctx = s->t->ctx;
	int status = GPUBE_OK;

	while (!status && s->depth) {
		const int64_t nodes = __atomic_load_n(&s->t->nodes, __ATOMIC_RELAXED);
		int32_t n, dealt = 0;

		gpube__progress(ctx, -1, "%lld node%s, %d open", (long long)nodes,
			gpube__plural((double)nodes), s->depth);
		while (dealt < DEAL * n_workers && s->depth && !status)
			status = hand_over(s, &workers[dealt++ % n_workers]);
		if (status)
			break;
		n = dealt < n_workers ? dealt : n_workers;
		for (int32_t k = 0; k < n; k++)
			workers[k].share = share_of(dealt, n_workers);
		gpube__parallel(ctx, n, work, workers);
		for (int32_t k = 0; k < n; k++) {
			int moved = GPUBE_OK;

			/* also when the budget is spent: it may go on later */
			while (!moved && workers[k].depth)
				moved = hand_over(&workers[k], s);
			status = status ? status : workers[k].status;
			status = status && status != GPUBE_ELIMIT ? status : moved ? moved : status;
		}
	}
	return status;
}

static int run_parallel(struct nash_search *s)
{
	struct gpube_ctx *ctx = s->t->ctx;
	const int32_t n = s->t->at_once ? s->t->at_once : ctx->n_threads * PER_THREAD;
	struct nash_search *workers = gpube__alloc_zero(ctx, (uint64_t)n, sizeof(*workers));
	int status = GPUBE_OK;

	if (!workers)
		return GPUBE_ENOMEM;
	for (int32_t k = 0; k < n; k++) {
		workers[k].t = s->t;
		status = status ? status : nash__decider_open(&workers[k].decider, s->t->f);
	}
	if (!status)
		status = run_rounds(s, workers, n);
	for (int32_t k = 0; k < n; k++) {
		int handed = hand_in(&workers[k]);

		status = status ? status : handed;
		clear(&workers[k]);
	}
	gpube__free(ctx, workers);
	return status;
}

/* Makes the root; takes it away again if one of its faces is empty. */
static int begin(struct nash_search *s)
{
	const struct nash_tree *t = s->t;
	struct node *root;
	bool empty = false;
	int status = push(s, &root);

	for (int q = 0; q < 2 && !status && !empty; q++) {
		const struct nash_side *side = side_of(t, q);

		nash__lp_init(&root->lp[q], side);
		if (!t->root[q])
			continue;
		memcpy(root->lp[q].fixed, t->root[q], (size_t)side->k + (size_t)side->l);
		status = nash__face_refine(&root->lp[q], t->ctx, side, &empty);
	}
	s->depth -= empty;
	return status;
}

int nash__search_new(struct nash_search **out, struct nash_tree *t)
{
	*out = gpube__alloc_zero(t->ctx, 1, sizeof(**out));
	if (!*out)
		return GPUBE_ENOMEM;
	(*out)->t = t;
	return GPUBE_OK;
}

void nash__search_free(struct nash_search *s)
{
	if (!s)
		return;
	clear(s);
	gpube__free(s->t->ctx, s);
}

const struct nash_lp *nash__search_node(const struct nash_search *s, int32_t k)
{
	return k < s->depth ? s->stack[k].lp : NULL;
}

int nash__search_run(struct nash_search *s)
{
	int status = nash__decider_open(&s->decider, s->t->f), handed;

	if (!status && !s->begun) {
		s->begun = true;
		status = begin(s);
	}
	if (!status) {
		s->share = ALONE;
		status = run(s);
		if (!status && s->depth)
			status = run_parallel(s);
	}
	handed = hand_in(s);
	return status ? status : handed;
}

int nash__tree_search(struct nash_tree *t)
{
	struct nash_search *s;
	int status = nash__search_new(&s, t);

	if (!status)
		status = nash__search_run(s);
	nash__search_free(s);
	return status;
}
