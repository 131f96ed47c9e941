/*
 * semidefinite_run.c - branch and bound on a semidefinite relaxation (relax/semidefinite/): the
 * method of models in which most variables share functions with most others.
 *
 * A node is a set of values that are left, and the matrices of its parent, from which it begins:
 * its first bound is the parent's. Steps go on while a window of them brings a part of what is
 * missing to the cutoff; every window removes the values that its bound excludes. Then one value of
 * a variable is split from the others. The nodes of least bound are next, as many at a time as
 * there are threads, so that which are made does not depend on how long each takes.
 */
#include "gpube/bound/bound.h"

#include <math.h>
#include <string.h>

#include "gpube/bound/semidefinite_run.h"
#include "gpube/relax/semidefinite/lapack.h"

/* Steps of a window. */
enum { WINDOW = 5 };
/* What the library takes to be opened. */
#define OPENING_TICKS 3e7
/* OpenBLAS has buffers for so many callers at a time. */
enum { MOST_WORKERS = 32 };
/* Windows of a visit, after which other nodes may be next, and what was found is told. */
enum { VISIT = 6 };
/* Windows like the last one that may be missing. */
enum { PATIENCE = 6 };
/* What a split's value counts whose parts do not rise. */
#define LEAST_RISE 1e-9
/* Of the ticks, local search has a part in so many; its steps at a time. */
enum { SEARCH_PART = 10, SEARCH_STEPS = 1000 };

/* ---- nodes ----------------------------------------------------------------------------------- */

static struct gpube_semidefinite_node *new_node(
	const struct gpube_semidefinite_run *s, const uint64_t *live)
{
	const uint64_t bytes = (uint64_t)s->p->words * sizeof(*live);
	struct gpube_semidefinite_node *node =
		gpube__alloc_zero(s->b->ctx, 1, sizeof(*node) + bytes);

	if (!node)
		return NULL;
	memcpy(node->live, live, (size_t)bytes);
	node->before = INT64_MIN;
	return node;
}

static void free_node(const struct gpube_semidefinite_run *s, struct gpube_semidefinite_node *node)
{
	if (node)
		gpube__semidefinite_forget(s->b->ctx, node->from);
	gpube__free(s->b->ctx, node);
}

/* Twice a bound as one: half a unit more. */
static int64_t half_up(int64_t twice)
{
	return (twice >> 1) + (twice & 1);
}

/* The node is pushed, or gone with it. Errors: ENOMEM */
static int push(struct gpube_semidefinite_run *s, struct gpube_semidefinite_node *node,
	int64_t bound, int32_t depth)
{
	const struct gpube_semidefinite_start *from = node->from;
	const int64_t cells = from ? (int64_t)from->order * from->order / from->users : 0;
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
			.bytes = 8 * (cells + s->p->words)});
	if (status) {
		free_node(s, node);
		s->lost = s->failed = true;
	}
	return status;
}

/* ---- one node -------------------------------------------------------------------------------- */

static bool is_over(const struct gpube_semidefinite_worker *w)
{
	return gpube__budget_left(&w->s->turn) <= 0 || gpube__stopped(&w->ctx);
}

/* The matrices are kept for whoever begins from them, and replace those that were kept before. */
static int keep(struct gpube_semidefinite_worker *w)
{
	struct gpube_semidefinite_start *of = gpube__semidefinite_save(&w->state);

	if (!of)
		return GPUBE_ENOMEM;
	gpube__semidefinite_forget(&w->ctx, w->kept);
	w->kept = of;
	return GPUBE_OK;
}

/* From the values that are left by now. */
static int begin_again(struct gpube_semidefinite_worker *w)
{
	int status = keep(w);

	gpube__semidefinite_clear(&w->state);
	return status ? status
		      : gpube__semidefinite_begin(
				&w->state, w->s->p, &w->ctx, w->node->live, w->kept);
}

/* Whether windows like the last one are not likely to reach the cutoff soon. */
static bool is_slow(const struct gpube_semidefinite_worker *w)
{
	const double missing = 2.0 * (double)w->s->p->target - (double)w->state.twice,
		     gain = (double)w->state.twice - (double)w->node->before;

	return PATIENCE * gain < missing; /* after the first one the gain is all that there is */
}

/* Steps of a window, and what they say. Errors: ENOMEM */
static int run_window(struct gpube_semidefinite_worker *w)
{
	struct gpube_semidefinite_node *node = w->node;
	bool empty;
	int32_t n;

	if (!gpube__semidefinite_steps(&w->state, WINDOW)) {
		w->end = GPUBE__NODE_FAILS;
		return GPUBE_OK;
	}
	if (gpube__stopped(&w->ctx))
		return GPUBE_OK;
	n = gpube__semidefinite_filter(&w->state, w->s->p->target, node->live, &empty);
	if (w->state.twice > INT64_MIN && half_up(w->state.twice) > w->hand.bound)
		w->hand.bound = half_up(w->state.twice);
	if (empty)
		w->end = GPUBE__NODE_CLOSED;
	else if (!n && is_slow(w))
		w->end = GPUBE__NODE_SPLITS;
	node->before = w->state.twice;
	return n && w->end == GPUBE__NODE_STAYS ? begin_again(w) : GPUBE_OK;
}

static int run_node(struct gpube_semidefinite_worker *w)
{
	int status = gpube__semidefinite_begin(
		&w->state, w->s->p, &w->ctx, w->node->live, w->node->from);

	for (int k = 0; k < VISIT && !status && w->end == GPUBE__NODE_STAYS && !is_over(w); k++)
		if (w->state.n)
			status = run_window(w);
		else
			w->end = GPUBE__NODE_DECIDED;
	return status;
}

/* Twice how much the bound of a part rises at once: of the least regret in it. */
static int64_t rise_of(const struct gpube_semidefinite_state *s, int32_t chosen, bool is)
{
	int64_t least = INT64_MAX;
	int32_t i = 0;

	while (s->at[i + 1] <= chosen)
		i++;
	for (int32_t r = s->at[i]; r < s->at[i + 1]; r++)
		if ((r == chosen) == is && s->regret[r] < least)
			least = s->regret[r];
	return least;
}

/*
 * The value that is nearest to being half taken, and whose parts rise most at once, by the
 * geometric mean.
 */
static int32_t choose(const struct gpube_semidefinite_state *s)
{
	const double least = LEAST_RISE * (double)s->p->target;
	double most = -1;
	int32_t best = 1;

	for (int32_t r = 1; r < s->order; r++) {
		const double taken = s->y[r] < 0.5 ? s->y[r] : 1 - s->y[r],
			     rise = sqrt(((double)rise_of(s, r, true) + least) *
					 ((double)rise_of(s, r, false) + least)),
			     score = taken * rise;

		if (score > most) {
			most = score;
			best = r;
		}
	}
	return best;
}

static void work(void *arg, int64_t item, int thread)
{
	struct gpube_semidefinite_run *s = arg;
	struct gpube_semidefinite_worker *w = &s->workers[item];

	(void)thread;
	w->end = GPUBE__NODE_STAYS;
	w->has_values = false;
	w->status = run_node(w);
	if (!w->status && w->end != GPUBE__NODE_CLOSED && w->end != GPUBE__NODE_FAILS) {
		w->status = keep(w);
		gpube__semidefinite_round(&w->state, w->values);
		w->has_values = true;
		w->chosen = choose(&w->state);
	}
}

/* ---- what becomes of nodes ------------------------------------------------------------------- */

/* The part of a worker's node in which the chosen value is taken, or is not; NULL: ENOMEM. */
static struct gpube_semidefinite_node *new_part(
	struct gpube_semidefinite_run *s, struct gpube_semidefinite_worker *w, bool is)
{
	const int32_t value = w->state.value[w->chosen];
	struct gpube_semidefinite_node *part = new_node(s, w->node->live);
	int32_t i = 0;

	if (!part)
		return NULL;
	while (s->p->at[i + 1] <= value)
		i++;
	for (int32_t x = s->p->at[i]; x < s->p->at[i + 1]; x++)
		if ((x == value) != is)
			gpube__bit_drop(part->live, x);
	part->from = w->kept;
	w->kept->users++;
	return part;
}

static int push_part(struct gpube_semidefinite_run *s, struct gpube_semidefinite_worker *w,
	struct gpube_semidefinite_node *part, bool is)
{
	const struct gpube_semidefinite_state *of = &w->state;
	const int64_t bound = of->twice > INT64_MIN
				      ? half_up(of->twice + rise_of(of, w->chosen, is))
				      : w->hand.bound;

	return push(s, part, bound > w->hand.bound ? bound : w->hand.bound, w->hand.depth + 1);
}

static int put_back(struct gpube_semidefinite_run *s, struct gpube_semidefinite_worker *w)
{
	struct gpube_semidefinite_node *node = w->node;

	if (w->kept) {
		gpube__semidefinite_forget(s->b->ctx, node->from);
		node->from = w->kept;
		w->kept = NULL;
	}
	w->node = NULL;
	return push(s, node, w->hand.bound, w->hand.depth);
}

/* Both parts, or the node again where there is no memory for them. */
static int split(struct gpube_semidefinite_run *s, struct gpube_semidefinite_worker *w)
{
	struct gpube_semidefinite_node *part[2] = {new_part(s, w, true), new_part(s, w, false)};
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
static int settle(struct gpube_semidefinite_run *s, struct gpube_semidefinite_worker *w)
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
		status =
			gpube__bounder_report_incumbent(s->b, w->values, "semidefinite relaxation");
	free_node(s, w->node);
	w->node = NULL;
	return status;
}

static void clear_worker(struct gpube_semidefinite_worker *w)
{
	gpube__semidefinite_clear(&w->state);
	gpube__semidefinite_forget(&w->ctx, w->kept);
	w->kept = NULL;
}

/* Local search from what a node's matrices say, while it has had its part of the work. */
static int search_from(struct gpube_semidefinite_run *s, const struct gpube_semidefinite_worker *w)
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
static void tell(struct gpube_semidefinite_run *s)
{
	struct gpube_bounder *b = s->b;
	const int64_t least = gpube__frontier_least(&s->open);

	gpube__bounder_lower_target(b, s->p->shift, &s->p->target);
	if (s->begun && !s->lost)
		gpube__bounder_update_scaled(b, s->p->shift,
			least < s->p->target ? least : s->p->target, s->p->target,
			"semidefinite relaxation");
	gpube__bounder_poll(b);
	gpube__bounder_lower_target(b, s->p->shift, &s->p->target);
}

/* The nodes of least bound, one for each worker that searches: their number. */
static int take(struct gpube_semidefinite_run *s)
{
	const int most = gpube__alone(s->b->ctx) ? 1 : s->n_workers;
	int n = 0;

	while (s->open.n && n < most) {
		struct gpube_semidefinite_worker *w = &s->workers[n];

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

static int run_round(struct gpube_semidefinite_run *s, bool *any)
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

void gpube__semidefinite_run_free(struct gpube_semidefinite_run *s)
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
		gpube__free(ctx, s->workers[k].values);
		gpube__ctx_clear(&s->workers[k].ctx);
	}
	gpube__free(ctx, s->workers);
	gpube__semidefinite_free(s->p);
	gpube__free(ctx, s);
}

static int make_workers(struct gpube_semidefinite_run *s)
{
	struct gpube_ctx *ctx = s->b->ctx;
	const uint64_t rows = (uint64_t)s->p->n_values + 1,
		       room = ctx->memory_bytes / 4 /
			      (GPUBE__SEMIDEFINITE_MATRICES * sizeof(double) * rows * rows);

	s->n_workers = ctx->n_threads < MOST_WORKERS ? ctx->n_threads : MOST_WORKERS;
	if (room < (uint64_t)s->n_workers)
		s->n_workers = room < 1 ? 1 : (int)room;
	s->workers = gpube__alloc_zero(ctx, (uint64_t)s->n_workers, sizeof(*s->workers));
	for (int k = 0; s->workers && k < s->n_workers; k++) {
		struct gpube_semidefinite_worker *w = &s->workers[k];

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
static int begin(struct gpube_semidefinite_run *s)
{
	int status = make_workers(s);
	struct gpube_semidefinite_node *root = status ? NULL : new_node(s, s->p->allowed);

	if (!root)
		return GPUBE_ENOMEM;
	gpube__log(s->b->ctx, GPUBE_LOG_DETAIL, "semidefinite: %d variables, %d values, %d threads",
		s->p->n, s->p->n_values, s->n_workers);
	s->begun = true;
	if (gpube__semidefinite_possible(s->p))
		return push(s, root, 0, 0);
	free_node(s, root);
	return GPUBE_OK;
}

/* A run that could not begin says nothing, and is not asked again. */
static int make(struct gpube_bounder *b)
{
	struct gpube_semidefinite_run *s = b->state.semidefinite =
		gpube__alloc_zero(b->ctx, 1, sizeof(*s));
	int status;

	if (!s)
		return GPUBE_ENOMEM;
	s->b = b;
	s->open.most_bytes = (int64_t)(b->ctx->memory_bytes / 8);
	if (!gpube__lapack_there(b->ctx))
		return GPUBE_OK;
	status = gpube__semidefinite_new(&s->p, b->tables, gpube__tables_cutoff(b));
	if (!status && s->p)
		status = begin(s);
	s->failed = status != GPUBE_OK;
	return status;
}

const char *gpube__semidefinite_lacks(const struct gpube_bounder *b)
{
	const struct gpube_semidefinite_run *s = b->state.semidefinite;

	if (!b->made.of_pairs || b->made.values > GPUBE__SEMIDEFINITE_VALUES)
		return "a semidefinite relaxation needs functions of at most two variables, and "
		       "at most " GPUBE__SEMIDEFINITE_TEXT " values in all";
	return s && !s->p ? "a semidefinite relaxation needs LAPACK (Debian: libopenblas0)" : NULL;
}

double gpube__semidefinite_least(const struct gpube_bounder *b)
{
	const int32_t order = (int32_t)fmin(b->made.values, GPUBE__SEMIDEFINITE_VALUES) + 1;

	return b->state.semidefinite
		       ? 0
		       : OPENING_TICKS + WINDOW * (double)gpube__semidefinite_ticks(
							  order, order - b->m->n_vars);
}

int gpube__bound_semidefinite(struct gpube_bounder *b, double seconds)
{
	int status = b->state.semidefinite ? GPUBE_OK : make(b);
	struct gpube_semidefinite_run *s = b->state.semidefinite;

	if (status || !s->p)
		return status;
	s->turn = gpube__budget(b->ctx, seconds);
	gpube__bounder_lower_target(b, s->p->shift, &s->p->target);
	for (bool any = true; any && !status && !s->failed && !gpube__bounder_done(b) &&
			      !gpube__budget_is_over(&s->turn);)
		status = run_round(s, &any);
	s->worked += gpube__budget_spent(&s->turn);
	gpube__log(b->ctx, GPUBE_LOG_DETAIL,
		"semidefinite: %lld nodes split, %lld closed, %lld open", (long long)s->n_split,
		(long long)s->n_closed, (long long)s->open.n);
	return status;
}
