/*
 * pairwise_search.c - states of regions are split, one value against the others: see
 * pairwise_method.h.
 */
#include "gpube/bound/pairwise/pairwise_method.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/*
 * Even sweeps of a state, at most, and how many more would have to close it; a change is small if
 * it is that part of what is missing, 2^-16.
 */
enum { MOST_EVEN = 20, HORIZON = 40, SMALL_CHANGE = 16 };
/* Proved of what the best assignment costs: see gpube__pairwise_run_little_is_open(). */
#define WORTH 0.95
/*
 * Of the variables that are open a dive decides one in so many at a time, then has so many even
 * sweeps.
 */
enum { DIVE_PART = 4, DIVE_SWEEPS = 3, DIVE_STEPS = 1000 };
/* A dive from the least open state after so many more, and decoding of one in so many. */
enum { DIVE_STATES = 32, DECODED = 4 };

/* ---- a state ------------------------------------------------------------------------------- */

/* Even sweeps while they promise to close it. */
static void settle(struct gpube_pairwise_worker *w, struct gpube_pairwise_state *s)
{
	const int32_t least = gpube__pairwise_slack(s) >> SMALL_CHANGE;

	for (int k = 0; k < MOST_EVEN && s->constant < s->target; k++) {
		const int64_t before = s->constant;

		gpube__pairwise_sweep(w->s->p, s, GPUBE__PAIRWISE_EVENLY, least, w->room);
		if ((s->constant - before) * HORIZON < gpube__pairwise_slack(s))
			break;
	}
}

/* The two least of what is forced on the values of variable i, and the value of the least. */
static int32_t least_two(struct gpube_pairwise_worker *w, const struct gpube_pairwise_state *s,
	int32_t i, int64_t two[2])
{
	int32_t best = 0;

	two[0] = two[1] = INT64_MAX;
	gpube__pairwise_forced(w->s->p, s, i, w->forced);
	for (int32_t a = 0; a < w->s->p->domain[i]; a++) {
		const int64_t x = w->forced[a];

		two[1] = x < two[0] ? two[0] : x < two[1] ? x : two[1];
		best = x < two[0] ? a : best;
		two[0] = x < two[0] ? x : two[0];
	}
	return best;
}

/*
 * Values that reach the cutoff go; the variable to be split next, and its value that forces least.
 * Whether any value has gone.
 */
static bool look(struct gpube_pairwise_worker *w, struct gpube_pairwise_child *c)
{
	const struct gpube_pairwise *p = w->s->p;
	struct gpube_pairwise_state *s = c->state;
	const int32_t slack = gpube__pairwise_slack(s);
	bool any = false;
	int64_t best = INT64_MAX;

	c->decided = true;
	for (int32_t i = 0; i < p->n; i++) {
		int64_t two[2];
		int32_t n_live = 0;
		bool dead = false;

		if (p->of_at[i] == p->of_at[i + 1])
			continue;
		c->values[i] = least_two(w, s, i, two);
		for (int32_t a = 0; a < p->domain[i]; a++) {
			w->keep[a] = w->forced[a] < slack;
			n_live += w->keep[a];
			dead |= !w->keep[a] && w->forced[a] < GPUBE__REGION_FORBIDDEN;
		}
		if (!n_live) {
			s->constant = s->target;
			return false;
		}
		if (dead) {
			any = true;
			gpube__pairwise_keep(p, s, i, w->keep);
		}
		if (n_live > 1 && two[1] - two[0] < best) {
			c->decided = false;
			best = two[1] - two[0];
			s->var = i;
			s->value = c->values[i];
		}
	}
	return any;
}

static void work(void *arg, int64_t item, int thread)
{
	struct gpube_pairwise_run *s = arg;
	struct gpube_pairwise_worker *w = &s->workers[thread];
	struct gpube_pairwise_child *c = &s->workers[item / 2].child[item % 2];

	if (!c->state)
		return;
	for (int32_t a = 0; a < s->p->domain[c->state->var]; a++)
		w->keep[a] = (a == c->state->value) == c->is;
	gpube__pairwise_keep(s->p, c->state, c->state->var, w->keep);
	settle(w, c->state);
	if (c->state->constant < c->state->target && look(w, c) &&
		c->state->constant < c->state->target) {
		settle(w, c->state);
		if (c->state->constant < c->state->target)
			(void)look(w, c);
	}
	c->decodes |= c->decided;
	if (c->decodes && !c->decided && c->state->constant < c->state->target)
		gpube__pairwise_decode(s->p, c->state, false, c->values, w->room);
}

/* ---- assignments ---------------------------------------------------------------------------- */

static int compare_regrets(const void *x, const void *y)
{
	const int64_t *a = x, *b = y;

	return (*a < *b) - (*a > *b); /* the largest first */
}

/*
 * The regret from which on variables are as good as decided: a part of those that are open; -1:
 * none is open.
 */
static int64_t surest(struct gpube_pairwise_worker *w, const struct gpube_pairwise_state *s)
{
	const struct gpube_pairwise *p = w->s->p;
	int32_t n = 0;

	for (int32_t i = 0; i < p->n; i++) {
		int64_t two[2];

		w->regret[i] = -1;
		if (p->of_at[i] == p->of_at[i + 1])
			continue;
		w->best[i] = least_two(w, s, i, two);
		if (two[1] < gpube__pairwise_slack(s))
			w->sorted[n++] = w->regret[i] = two[1] - two[0];
	}
	qsort(w->sorted, (size_t)n, sizeof(*w->sorted), compare_regrets);
	return n ? w->sorted[n / DIVE_PART] : -1;
}

/*
 * From a state straight to one assignment: the variables that are nearest to being decided are, and
 * costs moved on, again and again.
 */
static int dive(struct gpube_pairwise_run *s, const struct gpube_pairwise_state *from)
{
	struct gpube_pairwise_worker *w = &s->workers[0];
	const struct gpube_pairwise *p = s->p;
	struct gpube_pairwise_state *state = gpube__alloc(s->b->ctx, gpube__pairwise_bytes(p), 1);
	int64_t sure;
	int status = state ? GPUBE_OK : GPUBE_ENOMEM;

	if (status)
		return status;
	memcpy(state, from, gpube__pairwise_bytes(p));
	while (state->constant < state->target && (sure = surest(w, state)) >= 0) {
		const int32_t least = gpube__pairwise_slack(state) >> 12;

		for (int32_t i = 0; i < p->n; i++) {
			if (w->regret[i] < sure)
				continue;
			for (int32_t a = 0; a < p->domain[i]; a++)
				w->keep[a] = a == w->best[i];
			gpube__pairwise_keep(p, state, i, w->keep);
		}
		for (int k = 0; k < DIVE_SWEEPS && state->constant < state->target; k++)
			gpube__pairwise_sweep(p, state, GPUBE__PAIRWISE_EVENLY, least, w->room);
	}
	if (state->constant < state->target)
		status = gpube__pairwise_run_report_incumbent(s, w->best);
	if (!status && !gpube__bounder_done(s->b) && s->b->upper != GPUBE_INF)
		status = gpube__bounder_search(s->b, s->b->best, DIVE_STEPS);
	gpube__free(s->b->ctx, state);
	return status;
}

/* ---- open states --------------------------------------------------------------------------- */

/* What comes of a child: an assignment, and a state that is open. */
static int settle_child(struct gpube_pairwise_run *s, struct gpube_pairwise_child *c)
{
	struct gpube_pairwise_state *state = c->state;
	int status = GPUBE_OK;

	c->state = NULL;
	if (!state)
		return GPUBE_OK;
	if (state->constant < state->target && c->decodes)
		status = gpube__pairwise_run_report_incumbent(s, c->values);
	gpube__pairwise_run_know(s, state);
	if (!status && state->constant < state->target && !c->decided) {
		status = gpube__frontier_push(&s->open, s->b->ctx,
			&(struct gpube_frontier_node){.bound = state->constant,
				.depth = state->depth,
				.payload = state,
				.bytes = (int64_t)gpube__pairwise_bytes(s->p)});
		if (!status)
			return GPUBE_OK;
	}
	gpube__free(s->b->ctx, state);
	return status;
}

static int split(struct gpube_pairwise_run *s, int k, struct gpube_pairwise_state *state)
{
	struct gpube_pairwise_worker *w = &s->workers[k];
	const uint64_t bytes = gpube__pairwise_bytes(s->p);
	struct gpube_pairwise_state *copy = gpube__alloc(s->b->ctx, bytes, 1);

	if (!copy) {
		gpube__free(s->b->ctx, state);
		return GPUBE_ENOMEM;
	}
	state->depth++;
	memcpy(copy, state, bytes);
	for (int j = 0; j < 2; j++) {
		w->child[j].state = j ? copy : state;
		w->child[j].is = !j;
		w->child[j].decodes = s->n_states / 2 % DECODED == 0;
	}
	s->n_states += 2;
	return GPUBE_OK;
}

static int turn(struct gpube_pairwise_run *s)
{
	int status = GPUBE_OK, n = 0;

	while (n < s->b->ctx->n_threads && s->open.n && !status) {
		struct gpube_pairwise_state *state = gpube__frontier_pop(&s->open).payload;

		gpube__pairwise_run_know(s, state);
		if (state->constant >= state->target)
			gpube__free(s->b->ctx, state);
		else
			status = split(s, n++, state);
	}
	if (!status)
		gpube__parallel(s->b->ctx, 2 * n, work, s);
	for (int k = 0; k < n && !status; k++)
		for (int j = 0; j < 2 && !status; j++)
			status = settle_child(s, &s->workers[k].child[j]);
	return status;
}

/* The root, as the first open state. */
static int open_root(struct gpube_pairwise_run *s)
{
	struct gpube_pairwise_worker *w = &s->workers[0];
	struct gpube_pairwise_child *c = &w->child[0];

	c->state = s->root;
	s->root = NULL;
	settle(w, c->state);
	while (c->state->constant < c->state->target && look(w, c))
		settle(w, c->state);
	if (c->state->constant < c->state->target && !c->decided)
		gpube__pairwise_decode(s->p, c->state, false, c->values, w->room);
	c->decodes = true;
	return settle_child(s, c);
}

/* Splitting is begun where little is open, before regions grow. */
bool gpube__pairwise_run_little_is_open(const struct gpube_pairwise_run *s)
{
	return gpube__bounder_part_proved(s->b) > WORTH;
}

int gpube__pairwise_run_search(struct gpube_pairwise_run *s)
{
	int status = GPUBE_OK;

	if (s->root) {
		status = dive(s, s->root);
		if (status || gpube__bounder_done(s->b))
			return status;
		status = open_root(s);
	}
	while (!status && s->open.n && !gpube__bounder_done(s->b) &&
		!gpube__pairwise_run_is_over(s)) {
		if (s->n_states / DIVE_STATES > s->n_dives) {
			s->n_dives = s->n_states / DIVE_STATES;
			status = dive(s, s->open.nodes[0].payload);
		}
		if (!status)
			status = turn(s);
		if (!status && s->open.n)
			gpube__pairwise_run_update_lower(
				s, gpube__frontier_least(&s->open), "branching on subproblems");
	}
	if (!status && !s->open.n)
		gpube__bounder_update_lower(s->b, s->b->cutoff, "branching on subproblems");
	return status;
}
