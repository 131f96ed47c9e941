/*
 * pairwise_search.c - states of the first relations are split, one value against the others: see
 * pairwise_method.h.
 */
#include "gpube/bound/pairwise/pairwise_method.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

/*
 * Even sweeps of a state, at most, and how many more would have to close it; a change is small if
 * it is that part of what is missing, 2^-16.
 */
enum { MOST_EVEN = 8, HORIZON = 40, SMALL_CHANGE = 16 };
/*
 * Of the variables that are open a dive decides one in so many at a time, then has so many even
 * sweeps.
 */
enum { DIVE_PART = 4, DIVE_SWEEPS = 3, DIVE_STEPS = 1000 };
/* A dive from the least open state after so many more, and decoding of one in so many. */
enum { DIVE_STATES = 32, DECODED = 4 };

/* Of what is missing, what a search is to bring while its work doubles. */
#define LEAST_PROGRESS 0.1
/* Its work until that is asked first, in the work before it. */
#define FIRST_MILESTONE 2

/* ---- a state ------------------------------------------------------------------------------- */

static void sweep(
	struct gpube_pairwise_worker *w, struct gpube_relations_state *s, bool back, int32_t least)
{
	gpube__relations_state_sweep(w->s->b->ctx, w->s->relations, s, back, least, w->room);
}

/* Even sweeps while they promise to close it. */
static void settle(struct gpube_pairwise_worker *w, struct gpube_relations_state *s)
{
	const int32_t least = gpube__state_slack(s) >> SMALL_CHANGE;

	for (int k = 0; k < MOST_EVEN && s->constant < s->target; k++) {
		const int64_t before = s->constant;

		sweep(w, s, false, least);
		if ((s->constant - before) * HORIZON < gpube__state_slack(s))
			break;
	}
}

/* The two least of what is forced on the values of variable i, and the value of the least. */
static int32_t least_two(const struct gpube_pairwise_worker *w, int32_t i, int64_t two[2])
{
	const struct gpube_relations *l = w->s->relations;
	const int64_t *forced = w->forced + l->value_at[i];
	int32_t best = 0;

	two[0] = two[1] = INT64_MAX;
	for (int32_t a = 0; a < l->domain[i]; a++) {
		const int64_t x = forced[a];

		two[1] = x < two[0] ? two[0] : x < two[1] ? x : two[1];
		best = x < two[0] ? a : best;
		two[0] = x < two[0] ? x : two[0];
	}
	return best;
}

static bool is_in_none(const struct gpube_pairwise_run *s, int32_t i)
{
	return s->relations->of_at[i] == s->relations->of_at[i + 1];
}

static int force(struct gpube_pairwise_worker *w, struct gpube_relations_state *s)
{
	gpube__relations_view_at(w->view, s);
	return gpube__relations_forced(w->view, w->forced);
}

/*
 * Values that reach the cutoff go; the variable to be split next, and its value that forces least.
 * *any: whether any value has gone. Errors: ENOMEM
 */
static int look(struct gpube_pairwise_worker *w, struct gpube_pairwise_child *c, bool *any)
{
	const struct gpube_relations *l = w->s->relations;
	struct gpube_relations_state *s = c->state;
	const int32_t slack = gpube__state_slack(s);
	const int status = force(w, s);
	int64_t best = INT64_MAX;

	*any = false;
	c->decided = !status;
	for (int32_t i = 0; i < l->n && !status; i++) {
		const int64_t *forced = w->forced + l->value_at[i];
		int64_t two[2];
		int32_t n_live = 0;
		bool dead = false;

		if (is_in_none(w->s, i))
			continue;
		c->values[i] = least_two(w, i, two);
		for (int32_t a = 0; a < l->domain[i]; a++) {
			w->keep[a] = forced[a] < slack;
			n_live += w->keep[a];
			dead |= !w->keep[a] && forced[a] < GPUBE__REGION_FORBIDDEN;
		}
		if (!n_live) {
			s->constant = s->target;
			return GPUBE_OK;
		}
		*any |= dead;
		if (dead)
			gpube__relations_state_keep(w->s->b->ctx, l, s, i, w->keep);
		if (n_live > 1 && two[1] - two[0] < best) {
			c->decided = false;
			best = two[1] - two[0];
			s->var = i;
			s->value = c->values[i];
		}
	}
	return status;
}

/* Settled, and without the values that are possible no more. Errors: ENOMEM, and it stays open */
static int examine(struct gpube_pairwise_worker *w, struct gpube_pairwise_child *c, int most)
{
	struct gpube_relations_state *s = c->state;
	bool any = true;
	int status = GPUBE_OK;

	for (int k = 0; k < most && any && !status && s->constant < s->target; k++) {
		settle(w, s);
		if (s->constant < s->target)
			status = look(w, c, &any);
	}
	return status;
}

static void work(void *arg, int64_t item, int thread)
{
	struct gpube_pairwise_run *s = arg;
	struct gpube_pairwise_worker *w = &s->workers[thread];
	struct gpube_pairwise_child *c = &s->workers[item / 2].child[item % 2];

	if (!c->state)
		return;
	for (int32_t a = 0; a < s->relations->domain[c->state->var]; a++)
		w->keep[a] = (a == c->state->value) == c->is;
	gpube__relations_state_keep(w->s->b->ctx, s->relations, c->state, c->state->var, w->keep);
	c->status = examine(w, c, 2);
	c->decodes |= c->decided;
	if (!c->status && c->decodes && !c->decided && c->state->constant < c->state->target) {
		gpube__relations_view_at(w->view, c->state);
		c->status = gpube__relations_decode(w->view, false, c->values);
	}
}

/* ---- assignments ---------------------------------------------------------------------------- */

static int compare_regrets(const void *x, const void *y)
{
	const int64_t *a = x, *b = y;

	return (*a < *b) - (*a > *b); /* the largest first */
}

/*
 * The regret from which on variables are as good as decided: a part of those that are open; -1:
 * none is open. Errors: ENOMEM
 */
static int surest(struct gpube_pairwise_worker *w, struct gpube_relations_state *s, int64_t *regret)
{
	const int32_t slack = gpube__state_slack(s);
	const int status = force(w, s);
	int32_t n = 0;

	for (int32_t i = 0; i < w->s->relations->n && !status; i++) {
		int64_t two[2];

		w->regret[i] = -1;
		if (is_in_none(w->s, i))
			continue;
		w->best[i] = least_two(w, i, two);
		if (two[1] < slack)
			w->sorted[n++] = w->regret[i] = two[1] - two[0];
	}
	qsort(w->sorted, (size_t)n, sizeof(*w->sorted), compare_regrets);
	*regret = n ? w->sorted[n / DIVE_PART] : -1;
	return status;
}

static struct gpube_relations_state *copy_of(
	const struct gpube_pairwise_run *s, const struct gpube_relations_state *from)
{
	const uint64_t bytes = gpube__relations_state_bytes(s->relations);
	struct gpube_relations_state *copy = gpube__alloc(s->b->ctx, bytes, 1);

	if (copy)
		memcpy(copy, from, bytes);
	return copy;
}

/*
 * From a state straight to one assignment: the variables that are nearest to being decided are, and
 * costs moved on, again and again.
 */
static int dive(struct gpube_pairwise_run *s, const struct gpube_relations_state *from)
{
	struct gpube_pairwise_worker *w = &s->workers[0];
	const struct gpube_relations *l = s->relations;
	struct gpube_relations_state *state = copy_of(s, from);
	int status = state ? GPUBE_OK : GPUBE_ENOMEM;

	while (!status && state->constant < state->target) {
		const int32_t least = gpube__state_slack(state) >> 12;
		int64_t sure;

		status = surest(w, state, &sure);
		if (status || sure < 0)
			break;
		for (int32_t i = 0; i < l->n; i++) {
			if (w->regret[i] < sure)
				continue;
			for (int32_t a = 0; a < l->domain[i]; a++)
				w->keep[a] = a == w->best[i];
			gpube__relations_state_keep(w->s->b->ctx, l, state, i, w->keep);
		}
		for (int k = 0; k < DIVE_SWEEPS && state->constant < state->target; k++)
			sweep(w, state, false, least);
	}
	if (!status && state->constant < state->target)
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
	struct gpube_relations_state *state = c->state;
	int status = c->status;

	c->state = NULL;
	if (!state)
		return GPUBE_OK;
	if (!status && state->constant < state->target && c->decodes)
		status = gpube__pairwise_run_report_incumbent(s, c->values);
	gpube__pairwise_run_know(s, &state->target);
	if (!status && state->constant < state->target && !c->decided) {
		status = gpube__frontier_push(&s->open, s->b->ctx,
			&(struct gpube_frontier_node){.bound = state->constant,
				.depth = state->depth,
				.payload = state,
				.bytes = (int64_t)gpube__relations_state_bytes(s->relations)});
		if (!status)
			return GPUBE_OK;
	}
	gpube__free(s->b->ctx, state);
	return status;
}

static int split(struct gpube_pairwise_run *s, int k, struct gpube_relations_state *state)
{
	struct gpube_pairwise_worker *w = &s->workers[k];
	struct gpube_relations_state *copy = copy_of(s, state);

	if (!copy) {
		gpube__free(s->b->ctx, state);
		return GPUBE_ENOMEM;
	}
	state->depth++;
	copy->depth++;
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
	const int most = gpube__alone(s->b->ctx) ? 1 : s->b->ctx->n_threads;
	int status = GPUBE_OK, n = 0;

	while (n < most && s->open.n && !status) {
		struct gpube_relations_state *state = gpube__frontier_pop(&s->open).payload;

		gpube__pairwise_run_know(s, &state->target);
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

/* The relations, as the first open state. */
static int open_root(struct gpube_pairwise_run *s)
{
	struct gpube_pairwise_worker *w = &s->workers[0];
	struct gpube_pairwise_child *c = &w->child[0];
	int status;

	c->state = gpube__alloc(s->b->ctx, gpube__relations_state_bytes(s->relations), 1);
	if (!c->state)
		return GPUBE_ENOMEM;
	gpube__relations_state_set(c->state, s->relations);
	status = dive(s, c->state);
	if (status)
		return status;
	c->status = examine(w, c, INT_MAX);
	if (!c->status && c->state->constant < c->state->target && !c->decided) {
		gpube__relations_view_at(w->view, c->state);
		c->status = gpube__relations_decode(w->view, false, c->values);
	}
	c->decodes = true;
	return settle_child(s, c);
}

/*
 * Whether it seems not to end: the work since it began has doubled, and the least bound of all has
 * come hardly nearer to the cutoff.
 */
static bool is_endless(struct gpube_pairwise_run *s)
{
	const double spent = gpube__pairwise_run_worked(s) - s->before;
	const int64_t first = s->relations->state.constant;
	const double progress = (double)(gpube__frontier_least(&s->open) - first) /
				(double)(gpube__pairwise_run_target(s) - first);
	const bool slow = progress - s->reached < LEAST_PROGRESS * (1 - s->reached);

	if (spent < s->milestone)
		return false;
	s->milestone = 2 * spent; /* one step may have been many times as long */
	s->reached = progress;
	return slow;
}

/*
 * What is open is forgotten: larger relations begin from the first ones, or the search anew. After
 * a failure, too, for a state may have been lost.
 */
static void forget(struct gpube_pairwise_run *s)
{
	for (int64_t k = 0; k < s->open.n; k++)
		gpube__free(s->b->ctx, s->open.nodes[k].payload);
	gpube__frontier_clear(&s->open, s->b->ctx);
	s->open.most_bytes = (int64_t)(s->b->ctx->memory_bytes / 8);
	gpube__pairwise_workers_free(s);
	s->branches = false;
}

static int begin(struct gpube_pairwise_run *s)
{
	int status = gpube__pairwise_workers_new(s);

	s->branches = true;
	s->before = gpube__pairwise_run_worked(s);
	s->milestone = FIRST_MILESTONE * s->before;
	s->reached = 0;
	return status ? status : open_root(s);
}

/* One turn of all threads that search, after a dive where one is due. */
static int go_on(struct gpube_pairwise_run *s)
{
	int status = GPUBE_OK;

	if (s->n_states / DIVE_STATES > s->n_dives) {
		s->n_dives = s->n_states / DIVE_STATES;
		status = dive(s, s->open.nodes[0].payload);
	}
	if (!status)
		status = turn(s);
	if (!status && s->open.n)
		gpube__pairwise_run_update_lower(
			s, gpube__frontier_least(&s->open), "branching on subproblems");
	return status;
}

int gpube__pairwise_run_search(struct gpube_pairwise_run *s)
{
	int status = s->branches ? GPUBE_OK : begin(s);

	while (!status && s->open.n && !gpube__bounder_done(s->b) &&
		!gpube__budget_is_over(&s->turn)) {
		if (!s->all_grown && is_endless(s)) {
			gpube__log(s->b->ctx, GPUBE_LOG_DETAIL,
				"pairwise: %lld nodes brought little; larger relations instead",
				(long long)s->n_states);
			s->must_grow = true;
			forget(s);
			return GPUBE_OK;
		}
		status = go_on(s);
	}
	if (status)
		forget(s);
	else if (!s->open.n)
		gpube__bounder_update_lower(s->b, s->b->cutoff, "branching on subproblems");
	return status;
}
