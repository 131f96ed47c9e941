/*
 * relaxed_run.c - branch and bound on a relaxation (relax/relaxed.h).
 *
 * A node is a set of values that are left, and what its parent's state has saved, from which it
 * begins: its first bound is the parent's. Steps go on while a window of them brings a part of what
 * is missing to the cutoff; every window removes the values that its bound excludes. Then one value
 * of a variable is split from the others. The nodes of least bound are next, as many at a time as
 * there are threads, so that which are made does not depend on how long each takes.
 */
#include "gpube/bound/relaxed_run.h"

#include <string.h>

#include "gpube/bound/bound.h"

/* OpenBLAS has buffers for so many callers at a time. */
enum { MOST_WORKERS = 32 };
/* Windows of a visit, after which other nodes may be next, and what was found is told. */
enum { VISIT = 6 };
/* Windows like the last one that may be missing. */
enum { PATIENCE = 6 };
/* Of the ticks, local search has a part in so many; its steps at a time. */
enum { SEARCH_PART = 10, SEARCH_STEPS = 1000 };

/* ---- nodes ----------------------------------------------------------------------------------- */

static struct gpube_relaxed_node *new_node(const struct gpube_relaxed_run *s, const uint64_t *live)
{
	const uint64_t bytes = (uint64_t)s->p->words * sizeof(*live);
	struct gpube_relaxed_node *node = gpube__alloc_zero(s->b->ctx, 1, sizeof(*node) + bytes);

	if (!node)
		return NULL;
	memcpy(node->live, live, (size_t)bytes);
	node->before = INT64_MIN;
	return node;
}

static void forget(
	const struct gpube_relaxed_run *s, struct gpube_ctx *ctx, struct gpube_relaxed_start *of)
{
	if (of)
		s->r->forget(ctx, of);
}

static void free_node(const struct gpube_relaxed_run *s, struct gpube_relaxed_node *node)
{
	if (node)
		forget(s, s->b->ctx, node->from);
	gpube__free(s->b->ctx, node);
}

/* Twice a bound as one: half a unit more. */
static int64_t half_up(int64_t twice)
{
	return (twice >> 1) + (twice & 1);
}

/* The node is pushed, or gone with it. Errors: ENOMEM */
static int push(
	struct gpube_relaxed_run *s, struct gpube_relaxed_node *node, int64_t bound, int32_t depth)
{
	const struct gpube_relaxed_start *from = node->from;
	const int64_t bytes = from ? from->bytes / from->users : 0;
	int status;

	if (bound >= s->p->target) {
		free_node(s, node);
		s->n_closed++;
		return GPUBE_OK;
	}
	status = gpube__frontier_push(&s->open, s->b->ctx,
		&(struct gpube_frontier_node){.bound = bound,
			.depth = depth,
			.payload = node,
			.bytes = bytes + 8 * (int64_t)s->p->words});
	if (status) {
		free_node(s, node);
		s->lost = s->failed = true;
	}
	return status;
}

/* ---- one node -------------------------------------------------------------------------------- */

static bool is_over(const struct gpube_relaxed_worker *w)
{
	return gpube__budget_left(&w->s->turn) <= 0 || gpube__stopped(&w->ctx);
}

/* What parts may begin from is kept, and replaces what was kept before. */
static int keep(struct gpube_relaxed_worker *w)
{
	struct gpube_relaxed_start *of = w->s->r->save(w->state);

	if (!of)
		return GPUBE_ENOMEM;
	forget(w->s, &w->ctx, w->kept);
	w->kept = of;
	return GPUBE_OK;
}

static void clear_state(struct gpube_relaxed_worker *w)
{
	if (w->begun)
		w->s->r->clear(w->state);
	w->begun = false;
}

/* Errors: ENOMEM */
static int begin_node(struct gpube_relaxed_worker *w, const struct gpube_relaxed_start *from)
{
	const struct gpube_relaxation *r = w->s->r;
	const int status = w->state ? GPUBE_OK : r->open(&w->state, w->s->p, &w->ctx);

	w->begun = !status;
	return status ? status : r->begin(w->state, w->node->live, from);
}

/* From the values that are left by now. */
static int begin_again(struct gpube_relaxed_worker *w)
{
	const int status = keep(w);

	clear_state(w);
	return status ? status : begin_node(w, w->kept);
}

/* Whether windows like the last one are not likely to reach the cutoff soon. */
static bool is_slow(const struct gpube_relaxed_worker *w, int64_t twice)
{
	const double missing = 2.0 * (double)w->s->p->target - (double)twice,
		     gain = (double)twice - (double)w->node->before;

	return PATIENCE * gain < missing; /* after the first one the gain is all that there is */
}

/* Steps of a window, and what they say. Errors: ENOMEM */
static int run_window(struct gpube_relaxed_worker *w)
{
	const struct gpube_relaxation *r = w->s->r;
	const enum gpube_relaxed_steps steps = r->steps(w->state);
	struct gpube_relaxed_node *node = w->node;
	int64_t twice;
	bool empty;
	int32_t n;

	if (steps == GPUBE__STEPS_FAIL) {
		w->end = GPUBE__NODE_FAILS;
		return GPUBE_OK;
	}
	if (gpube__stopped(&w->ctx))
		return GPUBE_OK;
	n = r->filter(w->state, w->s->p->target, node->live, &empty);
	twice = r->twice(w->state);
	if (half_up(twice) > w->hand.bound)
		w->hand.bound = half_up(twice);
	if (empty)
		w->end = GPUBE__NODE_CLOSED;
	else if (!n && (steps == GPUBE__STEPS_OVER || (!r->to_the_end && is_slow(w, twice))))
		w->end = GPUBE__NODE_SPLITS;
	node->before = twice;
	return n && w->end == GPUBE__NODE_STAYS ? begin_again(w) : GPUBE_OK;
}

static int run_node(struct gpube_relaxed_worker *w)
{
	int status = begin_node(w, w->node->from);

	for (int k = 0; k < VISIT && !status && w->end == GPUBE__NODE_STAYS && !is_over(w); k++)
		if (w->s->r->decided(w->state))
			w->end = GPUBE__NODE_DECIDED;
		else
			status = run_window(w);
	return status;
}

static void work(void *arg, int64_t item, int thread)
{
	struct gpube_relaxed_run *s = arg;
	struct gpube_relaxed_worker *w = &s->workers[item];

	(void)thread;
	w->end = GPUBE__NODE_STAYS;
	w->has_values = false;
	w->status = run_node(w);
	if (!w->status && w->end != GPUBE__NODE_CLOSED && w->end != GPUBE__NODE_FAILS) {
		w->status = keep(w);
		s->r->round(w->state, w->values);
		w->has_values = true;
		if (w->end == GPUBE__NODE_SPLITS)
			w->chosen = s->r->choose(w->state);
	}
}

/* ---- what becomes of nodes ------------------------------------------------------------------- */

/* The part of a worker's node in which the chosen value is taken, or is not; NULL: ENOMEM. */
static struct gpube_relaxed_node *new_part(
	struct gpube_relaxed_run *s, struct gpube_relaxed_worker *w, bool is)
{
	struct gpube_relaxed_node *part = new_node(s, w->node->live);
	int32_t i = 0;

	if (!part)
		return NULL;
	while (s->p->at[i + 1] <= w->chosen)
		i++;
	for (int32_t x = s->p->at[i]; x < s->p->at[i + 1]; x++)
		if ((x == w->chosen) != is)
			gpube__bit_drop(part->live, x);
	part->from = w->kept;
	w->kept->users++;
	return part;
}

static int push_part(struct gpube_relaxed_run *s, struct gpube_relaxed_worker *w,
	struct gpube_relaxed_node *part, bool is)
{
	const int64_t bound = half_up(s->r->part(w->state, w->chosen, is));

	return push(s, part, bound > w->hand.bound ? bound : w->hand.bound, w->hand.depth + 1);
}

static int put_back(struct gpube_relaxed_run *s, struct gpube_relaxed_worker *w)
{
	struct gpube_relaxed_node *node = w->node;

	if (w->kept) {
		forget(s, s->b->ctx, node->from);
		node->from = w->kept;
		w->kept = NULL;
	}
	w->node = NULL;
	return push(s, node, w->hand.bound, w->hand.depth);
}

/* Both parts, or the node again where there is no memory for them. */
static int split(struct gpube_relaxed_run *s, struct gpube_relaxed_worker *w)
{
	struct gpube_relaxed_node *part[2] = {new_part(s, w, true), new_part(s, w, false)};
	int status;

	if (!part[0] || !part[1]) {
		free_node(s, part[0]);
		free_node(s, part[1]);
		(void)put_back(s, w);
		return GPUBE_ENOMEM;
	}
	s->n_split++;
	status = push_part(s, w, part[0], true);
	if (status) {
		free_node(s, part[1]);
		return status;
	}
	return push_part(s, w, part[1], false);
}

/* Errors: those of the worker, of assignments, ENOMEM; what is lost then is noted. */
static int settle(struct gpube_relaxed_run *s, struct gpube_relaxed_worker *w)
{
	int status = w->status;

	if (status && w->ctx.error[0])
		(void)gpube__fail(s->b->ctx, status, "%s", w->ctx.error);
	if (status || w->end == GPUBE__NODE_STAYS || w->end == GPUBE__NODE_FAILS) {
		const int pushed = put_back(s, w);

		s->failed |= w->end == GPUBE__NODE_FAILS;
		status = status ? status : pushed;
	} else if (w->end == GPUBE__NODE_SPLITS) {
		status = split(s, w);
	} else {
		s->n_closed++;
	}
	if (w->has_values && !status)
		status = gpube__bounder_report_incumbent(s->b, w->values, s->r->name);
	free_node(s, w->node);
	w->node = NULL;
	return status;
}

static void clear_worker(struct gpube_relaxed_worker *w)
{
	clear_state(w);
	forget(w->s, &w->ctx, w->kept);
	w->kept = NULL;
}

/* Local search from what a node's state says, while it has had its part of the work. */
static int search_from(struct gpube_relaxed_run *s, const struct gpube_relaxed_worker *w)
{
	const double start = gpube__worked(s->b->ctx);
	int status;

	if (!w->has_values ||
		SEARCH_PART * s->searching > gpube__budget_spent(&s->turn) + s->worked)
		return GPUBE_OK;
	status = gpube__bounder_search(s->b, w->values, SEARCH_STEPS);
	s->searching += gpube__worked(s->b->ctx) - start;
	return status;
}

/* ---- rounds ---------------------------------------------------------------------------------- */

/* What is open bounds the whole only where it began with all, and nothing of it is lost. */
static void tell(struct gpube_relaxed_run *s)
{
	struct gpube_bounder *b = s->b;
	const int64_t least = gpube__frontier_least(&s->open);

	gpube__bounder_lower_target(b, s->p->shift, &s->p->target);
	if (s->begun && !s->lost)
		gpube__bounder_update_scaled(b, s->p->shift,
			least < s->p->target ? least : s->p->target, s->p->target, s->r->name);
	gpube__bounder_poll(b);
	gpube__bounder_lower_target(b, s->p->shift, &s->p->target);
}

/* The nodes of least bound, one for each worker that searches: their number. */
static int take(struct gpube_relaxed_run *s)
{
	const int most = gpube__alone(s->b->ctx) ? 1 : s->n_workers;
	int n = 0;

	while (s->open.n && n < most) {
		struct gpube_relaxed_worker *w = &s->workers[n];

		w->hand = gpube__frontier_pop(&s->open);
		w->node = w->hand.payload;
		if (w->hand.bound < s->p->target) {
			n++;
			continue;
		}
		free_node(s, w->node);
		w->node = NULL;
		s->n_closed++;
	}
	return n;
}

static int run_round(struct gpube_relaxed_run *s, bool *any)
{
	const int n = take(s);
	int status = gpube__frontier_room(&s->open, s->b->ctx, 2 * (int64_t)n + 1);

	*any = n > 0;
	if (status)
		for (int k = 0; k < n; k++) {
			(void)push(s, s->workers[k].node, s->workers[k].hand.bound,
				s->workers[k].hand.depth);
			s->workers[k].node = NULL;
		}
	else
		gpube__parallel(s->b->ctx, n, work, s);
	for (int k = 0; k < n && s->workers[k].node; k++) {
		const int settled = settle(s, &s->workers[k]);

		status = status ? status : settled;
	}
	tell(s);
	for (int k = 0; k < n && !status && !gpube__bounder_done(s->b); k++)
		status = search_from(s, &s->workers[k]);
	tell(s);
	for (int k = 0; k < n; k++)
		clear_worker(&s->workers[k]);
	return status;
}

/* ---- the call -------------------------------------------------------------------------------- */

void gpube__relaxed_run_free(struct gpube_relaxed_run *s)
{
	struct gpube_ctx *ctx;

	if (!s)
		return;
	ctx = s->b->ctx;
	for (int64_t k = 0; k < s->open.n; k++)
		free_node(s, s->open.nodes[k].payload);
	gpube__frontier_clear(&s->open, ctx);
	for (int k = 0; s->workers && k < s->n_workers; k++) {
		if (!s->workers[k].s)
			continue;
		if (s->workers[k].state)
			s->r->close(s->workers[k].state);
		gpube__free(ctx, s->workers[k].values);
		gpube__ctx_clear(&s->workers[k].ctx);
	}
	gpube__free(ctx, s->workers);
	if (s->p)
		s->r->free(s->p);
	gpube__free(ctx, s);
}

int gpube__relaxed_workers(const struct gpube_ctx *ctx, const struct gpube_relaxation *r,
	const struct gpube_relaxed *p)
{
	const uint64_t room = ctx->memory_bytes / 4 / r->bytes(p);
	const int n = ctx->n_threads < MOST_WORKERS ? ctx->n_threads : MOST_WORKERS;

	return room >= (uint64_t)n ? n : room < 1 ? 1 : (int)room;
}

static int make_workers(struct gpube_relaxed_run *s)
{
	struct gpube_ctx *ctx = s->b->ctx;

	s->n_workers = gpube__relaxed_workers(ctx, s->r, s->p);
	s->workers = gpube__alloc_zero(ctx, (uint64_t)s->n_workers, sizeof(*s->workers));
	for (int k = 0; s->workers && k < s->n_workers; k++) {
		struct gpube_relaxed_worker *w = &s->workers[k];

		w->s = s;
		w->ctx = gpube__ctx_child(ctx);
		w->ctx.n_threads = 1;
		w->values = gpube__alloc_zero(ctx, (uint64_t)s->p->n + 1, sizeof(*w->values));
		if (!w->values)
			return GPUBE_ENOMEM;
	}
	return s->workers ? GPUBE_OK : GPUBE_ENOMEM;
}

/* The root is open, unless nothing is below the cutoff. */
static int begin(struct gpube_relaxed_run *s)
{
	int status = make_workers(s);
	struct gpube_relaxed_node *root = status ? NULL : new_node(s, s->p->allowed);

	if (!root)
		return GPUBE_ENOMEM;
	gpube__log(s->b->ctx, GPUBE_LOG_DETAIL, "%s: %d variables, %d values, %d threads",
		s->r->name, s->p->n, s->p->n_values, s->n_workers);
	s->begun = true;
	if (gpube__relaxed_possible(s->p))
		return push(s, root, 0, 0);
	free_node(s, root);
	return GPUBE_OK;
}

/* A run that could not begin says nothing, and is not asked again. */
static int make(
	struct gpube_bounder *b, struct gpube_relaxed_run **run, const struct gpube_relaxation *r)
{
	struct gpube_relaxed_run *s = *run = gpube__alloc_zero(b->ctx, 1, sizeof(*s));
	int status;

	if (!s)
		return GPUBE_ENOMEM;
	s->b = b;
	s->r = r;
	s->open.most_bytes = (int64_t)(b->ctx->memory_bytes / 8);
	status = r->make(&s->p, b->tables, gpube__tables_cutoff(b));
	if (!status && s->p)
		status = begin(s);
	s->failed = status != GPUBE_OK;
	return status;
}

int gpube__bound_relaxed(struct gpube_bounder *b, struct gpube_relaxed_run **run,
	const struct gpube_relaxation *r, double seconds)
{
	int status = *run ? GPUBE_OK : make(b, run, r);
	struct gpube_relaxed_run *s = *run;

	if (status || !s->p)
		return status;
	s->turn = gpube__budget(b->ctx, seconds);
	gpube__bounder_lower_target(b, s->p->shift, &s->p->target);
	for (bool any = true; any && !status && !s->failed && !gpube__bounder_done(b) &&
			      !gpube__budget_is_over(&s->turn);)
		status = run_round(s, &any);
	s->worked += gpube__budget_spent(&s->turn);
	gpube__log(b->ctx, GPUBE_LOG_DETAIL, "%s: %lld nodes split, %lld closed, %lld open",
		r->name, (long long)s->n_split, (long long)s->n_closed, (long long)s->open.n);
	return status;
}
