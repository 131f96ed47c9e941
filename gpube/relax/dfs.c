/* dfs.c - the moves between a search tree's nodes, and their undoing: see dfs.h. */
#include "gpube/relax/dfs_parts.h"

#include <math.h>
#include <string.h>

#include "gpube/relax/scaling.h"

/* Variables between two looks at the work. */
enum { LOOK = 16 };

/*
 * Work: a variable that has changed, one of its functions, a value of which company is looked for,
 * and a function that has something to force; cells are counted where they are read.
 */
enum { VARIABLE_TICKS = 190, FUNCTION_TICKS = 5, VALUE_TICKS = 7, FORCED_TICKS = 190 };

static void count_work(struct gpube_dfs *t)
{
	gpube__work(t->ctx, t->ticks);
	t->ticks = 0;
}

/* What has happened to a variable. */
enum { LOST_VALUES = 1, GAINED_COSTS = 2 };

/* Of an entry of 'of'. */
static const struct gpube_dfs_function *function_of(const struct gpube_dfs *t, int32_t of)
{
	return &t->functions[of / GPUBE__DFS_ARITY];
}

/* ---- what has changed ---------------------------------------------------------------------- */

/* Looks at variables because of costs, at one node. */
static int64_t most_visits(const struct gpube_dfs *t)
{
	return 4 * (int64_t)(t->last - t->first);
}

static void note(struct gpube_dfs *t, int32_t p, uint8_t what)
{
	if (what == GAINED_COSTS && t->n_visits >= most_visits(t))
		/* ever smaller costs could wander for ever; that values are lost has an end */
		return;
	t->changed[p] |= what;
	t->queue[p / 64] |= (uint64_t)1 << p % 64;
	if (p / 64 > t->last_word)
		t->last_word = p / 64;
}

/* The last variable in the order that has changed; -1: none. */
static int32_t next_changed(struct gpube_dfs *t)
{
	for (; t->last_word >= 0; t->last_word--)
		if (t->queue[t->last_word]) {
			int bit = 63 - __builtin_clzll(t->queue[t->last_word]);

			t->queue[t->last_word] &= ~((uint64_t)1 << bit);
			return 64 * t->last_word + bit;
		}
	return -1;
}

static void forget_changes(struct gpube_dfs *t)
{
	for (int32_t p = next_changed(t); p >= 0; p = next_changed(t))
		t->changed[p] = 0;
}

/*
 * Words of the trail behind a row's costs: the row, the level that had saved it, the window, the
 * variable.
 */
enum { ROW, LEVEL, FROM, CELLS, VARIABLE, WORDS };

/*
 * What a row (cost or moved) holds in p's window onto the trail, the first time that it changes at
 * this level; at the root there is nothing to take back. Most rows change several times at a node.
 */
static int save(struct gpube_dfs *t, int32_t p, int64_t *row)
{
	const struct gpube_dfs_window w = t->window[p];
	int64_t *level = row - 1, *to;

	if (*level == t->level)
		return GPUBE_OK;
	if (gpube__grow(t->ctx, &t->trail, &t->trail_capacity, t->n_trail + w.n + WORDS,
		    sizeof(*t->trail)))
		return GPUBE_ENOMEM;
	to = t->trail + t->n_trail;
	memcpy(to, row + w.from, (size_t)w.n * sizeof(*row));
	to += w.n;
	to[ROW] = row - t->moves;
	to[LEVEL] = *level;
	to[FROM] = w.from;
	to[CELLS] = w.n;
	to[VARIABLE] = p;
	t->n_trail += w.n + WORDS;
	*level = t->level;
	return GPUBE_OK;
}

static bool all_gone(const int64_t *cost)
{
	bool gone = true;

	for (int a = 0; a < GPUBE__ROW_STEP; a++)
		gone &= cost[a] >= GPUBE__ROW_GONE;
	return gone;
}

void gpube__dfs_narrow(struct gpube_dfs *t, int32_t p)
{
	struct gpube_dfs_window *w = &t->window[p];

	for (; w->n > GPUBE__ROW_STEP && all_gone(t->cost[p] + w->from); w->from += GPUBE__ROW_STEP)
		w->n -= GPUBE__ROW_STEP;
	while (w->n > GPUBE__ROW_STEP && all_gone(t->cost[p] + w->from + w->n - GPUBE__ROW_STEP))
		w->n -= GPUBE__ROW_STEP;
}

static void drop(struct gpube_dfs *t, int32_t p, int32_t value)
{
	int32_t *live = t->live[p], *at = t->at[p], here = at[value], last = live[t->n_live[p] - 1];

	if (t->n_live[p] == 1) {
		t->conflict = true;
		return;
	}
	if (save(t, p, t->cost[p])) {
		t->lacks_memory = t->conflict = true;
		return;
	}
	t->cost[p][value] = GPUBE__ROW_DROPPED;
	t->removed[t->n_removed++] = p;
	live[here] = last;
	at[last] = here;
	live[--t->n_live[p]] = value;
	at[value] = t->n_live[p];
	gpube__dfs_narrow(t, p);
	note(t, p, LOST_VALUES);
}

/* ---- moves ----------------------------------------------------------------------------------- */

/* The least cost of what is into the constant; values that reach the cutoff are dropped. */
static int settle(struct gpube_dfs *t, int32_t p)
{
	const int32_t *live = t->live[p];
	int64_t *cost = t->cost[p], least, most;

	gpube__row_range(t, p, &least, &most);
	if (least) {
		if (save(t, p, cost))
			return GPUBE_ENOMEM;
		gpube__row_lower(t, p, least);
		t->constant += least;
		most -= least;
	}
	if (most < gpube__dfs_slack(t))
		return GPUBE_OK;
	for (int32_t r = t->n_live[p] - 1; r >= 0 && !t->conflict; r--)
		if (cost[live[r]] >= gpube__dfs_slack(t))
			drop(t, p, live[r]);
	return GPUBE_OK;
}

/*
 * What f forces on its variable k becomes that variable's, of each value at most what it lacks to
 * 'up_to'; *gained: anything at all.
 */
static int give_up_to(
	struct gpube_dfs *t, const struct gpube_dfs_function *f, int k, int64_t up_to, bool *gained)
{
	const int32_t p = f->scope[k], *live = t->live[p];
	int64_t *m = t->scratch, *cost = t->cost[p], *moved = f->moved[k], most;

	*gained = false;
	if (gpube__dfs_waits(t, f))
		return GPUBE_OK;
	gpube__dfs_forced(t, f, k, m, false);
	most = gpube__row_lacking(t, p, moved, m);
	if (most <= 0)
		return GPUBE_OK;
	if (save(t, p, cost) || save(t, p, moved))
		return GPUBE_ENOMEM;
	for (int32_t r = t->n_live[p] - 1; r >= 0 && !t->conflict && most >= gpube__dfs_slack(t);
		r--)
		if (m[live[r]] >= gpube__dfs_slack(t))
			drop(t, p, live[r]);
	*gained = !t->conflict && gpube__row_rise(t, p, moved, m, up_to);
	return GPUBE_OK;
}

static int give(struct gpube_dfs *t, const struct gpube_dfs_function *f, int k, bool *gained)
{
	return give_up_to(t, f, k, INT64_MAX / 2, gained);
}

/* One of 'parts' parts of 'costs' of its variable k become f's; *any: there were some. */
static int take(struct gpube_dfs *t, const struct gpube_dfs_function *f, int k,
	const int64_t *costs, int32_t parts, bool *any)
{
	const int32_t p = f->scope[k];
	int64_t least, most;

	gpube__row_range(t, p, &least, &most);
	if (!most || gpube__dfs_waits(t, f))
		return GPUBE_OK;
	*any = true;
	if (save(t, p, t->cost[p]) || save(t, p, f->moved[k]))
		return GPUBE_ENOMEM;
	gpube__row_fall(t, p, f->moved[k], costs, parts);
	return GPUBE_OK;
}

/* ---- at the root ----------------------------------------------------------------------------- */

/*
 * All that its functions force on p, which then gives to each that goes on from p its share. Of a
 * sweep there that comes right after one back, or the other way round, those that begin at p have
 * nothing new for it: p has taken it all when it was the last to look at them.
 *
 * A function that goes on through p counts once: as one that takes, not as one that ended as well
 * (as sequential message passing on larger functions has it). So p keeps less.
 */
static int share_out(struct gpube_dfs *t, int32_t p, bool backward)
{
	const bool turned = t->swept == (backward ? GPUBE__DFS_FORWARD : GPUBE__DFS_BACKWARD);
	int32_t n_out = 0, n_ended = 0, parts;
	int status = GPUBE_OK;
	bool gained, any;

	t->ticks += VARIABLE_TICKS + FUNCTION_TICKS * (t->of_at[p + 1] - t->of_at[p]);
	for (int32_t i = t->of_at[p]; i < t->of_at[p + 1] && !status && !t->conflict; i++) {
		const struct gpube_dfs_function *f = function_of(t, t->of[i]);
		int k = t->of[i] % GPUBE__DFS_ARITY;

		if (!turned || k != (backward ? f->arity - 1 : 0))
			status = give(t, f, k, &gained);
		n_out += k != (backward ? 0 : f->arity - 1);
		n_ended += k == (backward ? 0 : f->arity - 1);
	}
	if (!status && !t->conflict)
		status = settle(t, p);
	parts = n_out > n_ended ? n_out : n_ended;
	memcpy(t->old, t->cost[p], (size_t)t->m->vars[t->order[p]].domain * sizeof(*t->old));
	for (int32_t i = t->of_at[p]; i < t->of_at[p + 1] && !status && !t->conflict; i++) {
		const struct gpube_dfs_function *f = function_of(t, t->of[i]);
		int k = t->of[i] % GPUBE__DFS_ARITY;

		GPUBE_KNOWN(parts > 0 || k == (backward ? 0 : f->arity - 1));
		if (k != (backward ? 0 : f->arity - 1))
			status = take(t, f, k, t->old, parts, &any);
	}
	return status;
}

int gpube__dfs_sweep_on(struct gpube_dfs *t, bool backward, int32_t *done, double until)
{
	const int32_t first = *done;
	int status = GPUBE_OK;

	const int32_t n = t->last - t->first;

	for (; *done < n && !status && !t->conflict; ++*done) {
		if ((*done - first) % LOOK == LOOK - 1) {
			count_work(t);
			if (gpube__worked(t->ctx) > until)
				break;
		}
		status = share_out(t, backward ? t->last - 1 - *done : t->first + *done, backward);
	}
	count_work(t);
	if (*done == n)
		t->swept = backward ? GPUBE__DFS_BACKWARD : GPUBE__DFS_FORWARD;
	t->conflict |= t->constant >= t->cutoff;
	return status;
}

int gpube__dfs_sweep(struct gpube_dfs *t, bool backward)
{
	int32_t done = 0;

	return gpube__dfs_sweep_on(t, backward, &done, INFINITY);
}

/* ---- at a node ------------------------------------------------------------------------------- */

/* f gives what it forces on its variable k, whose costs were 'was' before, or NULL. */
static int hand_back(
	struct gpube_dfs *t, const struct gpube_dfs_function *f, int k, const int64_t *was)
{
	const int32_t p = f->scope[k];
	bool gained;
	int status = give(t, f, k, &gained);

	if (gained && (!was || gpube__row_is_more(t, p, was)))
		note(t, p, GAINED_COSTS);
	return status || t->conflict ? status : settle(t, p);
}

/*
 * The costs of all open variables but the first go into f, then it gives to each what it forces,
 * the first one first: so they wander towards the first variables, where they meet. Of p, which has
 * changed, f can force something new on the others if p has lost values, and on any variable where
 * costs have gone into f: otherwise it is not asked.
 */
static int revise(struct gpube_dfs *t, const struct gpube_dfs_function *f, int32_t p, uint8_t what,
	bool *still)
{
	int64_t *was[GPUBE__DFS_ARITY];
	int first = 0, status = GPUBE_OK;
	bool any = false;

	*still = true;
	if (f->arity == 1 && t->depth) /* it has given all at the root */
		return GPUBE_OK;
	while (first < f->arity && t->n_live[f->scope[first]] == 1)
		first++;
	*still = first < f->arity;
	if (!*still)
		return hand_back(t, f, 0, NULL);
	if (f->scope[first] == p && !(what & LOST_VALUES))
		return GPUBE_OK;
	for (int k = first; k < f->arity; k++)
		t->ticks += VALUE_TICKS * t->n_live[f->scope[k]];
	*still = f->arity > 1 && (gpube__dfs_waits(t, f) || gpube__dfs_is_still(t, f, p, first));
	if (*still)
		return GPUBE_OK;
	t->ticks += FORCED_TICKS;
	for (int k = first + 1; k < f->arity && !status; k++) {
		int32_t q = f->scope[k];

		was[k] = NULL;
		if (t->n_live[q] == 1)
			continue;
		was[k] = t->old + (int64_t)k * t->widest;
		memcpy(was[k] + t->window[q].from, t->cost[q] + t->window[q].from,
			(size_t)t->window[q].n * sizeof(*was[k]));
		status = take(t, f, k, t->cost[q], 1, &any);
	}
	if (!status && (any || f->scope[first] != p || f->arity == 1))
		status = hand_back(t, f, first, NULL);
	for (int k = f->arity - 1; k > first && !status && !t->conflict; k--)
		if (was[k] && (any || ((what & LOST_VALUES) && f->scope[k] != p)))
			status = hand_back(t, f, k, was[k]);
	return status;
}

/* A conflict weighs more with those functions whose variables can still be decided. */
int64_t gpube__dfs_weight(const struct gpube_dfs *t, int32_t p)
{
	int64_t sum = 0;

	for (int32_t i = t->of_at[p]; i < t->of_at[p + 1]; i++) {
		const struct gpube_dfs_function *f = function_of(t, t->of[i]);
		bool open = t->other[i] >= 0;

		if (gpube__dfs_is_over(t, i))
			continue;
		for (int k = 0; k < f->arity && !open; k++)
			open = f->scope[k] != p && t->n_live[f->scope[k]] > 1;
		sum += open ? 1 + gpube__dfs_conflicts(t, t->of[i] / GPUBE__DFS_ARITY) : 0;
	}
	return sum;
}

/* (Of two threads that learn at once, one may be forgotten: weights are no more than advice.) */
static void learn(struct gpube_dfs *t, int32_t f)
{
	__atomic_store_n(&t->weights[f], gpube__dfs_conflicts(t, f) + 1, __ATOMIC_RELAXED);
}

static int follow(struct gpube_dfs *t, int32_t p)
{
	int status = settle(t, p); /* which may have dropped values: once for both */
	uint8_t what = t->changed[p];
	bool still;

	t->n_visits++;
	t->ticks += VARIABLE_TICKS + FUNCTION_TICKS * (t->of_at[p + 1] - t->of_at[p]);
	t->changed[p] = 0;
	t->wanting[p] |= t->cost[p][t->free[p]] != 0;
	t->queue[p / 64] &= ~((uint64_t)1 << p % 64);
	for (int32_t i = t->of_at[p]; i < t->of_at[p + 1] && !status && !t->conflict; i++) {
		const struct gpube_dfs_function *f = function_of(t, t->of[i]);

		if (t->n_live[p] > 1 && gpube__dfs_is_over(t, i))
			continue;
		status = revise(t, f, p, what, &still);
		t->conflict |= t->constant >= t->cutoff;
		if (t->conflict)
			learn(t, t->of[i] / GPUBE__DFS_ARITY);
		for (int k = 0; k < f->arity && !t->conflict; k++)
			if (!t->wanting[f->scope[k]])
				t->wanting[f->scope[k]] = !still || !gpube__dfs_is_free(t, f, k);
	}
	return status;
}

/*
 * Whether p's value costs nothing and may have company in each of its functions that costs nothing.
 */
static bool is_free(const struct gpube_dfs *t, int32_t p)
{
	if (t->cost[p][t->free[p]])
		return false;
	for (int32_t i = t->of_at[p]; i < t->of_at[p + 1]; i++)
		if (!gpube__dfs_is_over(t, i) && !gpube__dfs_is_free(t, function_of(t, t->of[i]),
							 t->of[i] % GPUBE__DFS_ARITY))
			return false;
	return true;
}

/*
 * All that p's functions can force on its values together with what their other variables' values
 * cost, if that is something for every value: so much, and no more, becomes p's, and so the
 * constant's. (Functions that share another variable would have its costs twice: the first one gets
 * them, and the constant rises by less.)
 */
static int gather(struct gpube_dfs *t, int32_t p)
{
	int64_t *sum = t->old, least = INT64_MAX;
	int status = GPUBE_OK;
	bool gained, any;

	if (is_free(t, p))
		return GPUBE_OK;
	gpube__dfs_marginals(t, p, sum);
	for (int32_t r = 0; r < t->n_live[p]; r++)
		if (sum[r] < least) {
			least = sum[r];
			t->free[p] = t->live[p][r];
		}
	if (least <= 0)
		return GPUBE_OK;
	for (int32_t i = t->of_at[p]; i < t->of_at[p + 1] && !status && !t->conflict; i++) {
		const struct gpube_dfs_function *f = function_of(t, t->of[i]);
		const int k = t->of[i] % GPUBE__DFS_ARITY;

		if (gpube__dfs_is_over(t, i))
			continue;
		for (int j = 0; j < f->arity && !status; j++)
			if (j != k)
				status = take(t, f, j, t->cost[f->scope[j]], 1, &any);
		if (!status)
			status = give_up_to(t, f, k, least, &gained);
		for (int j = 0; j < f->arity && !status && !t->conflict; j++)
			if (j != k)
				status = give(t, f, j, &gained);
	}
	return status || t->conflict ? status : settle(t, p);
}

/* The last one that may gain by it, and those before it until one does; *any: one was asked. */
static int gather_next(struct gpube_dfs *t, bool *any)
{
	const int64_t before = t->constant;
	int status = GPUBE_OK;

	*any = false;
	if (t->n_visits >= most_visits(t))
		return GPUBE_OK;
	for (int32_t p = t->last - 1;
		p >= t->first && !status && !t->conflict && t->constant == before; p--) {
		if (!t->wanting[p])
			continue;
		t->wanting[p] = false;
		*any = true;
		if (t->n_live[p] > 1)
			status = gather(t, p);
	}
	t->n_visits += t->constant > before;
	t->conflict |= t->constant >= t->cutoff;
	return status;
}

/* When the constant has risen, any variable's values may reach the cutoff. */
static int look_at_all(struct gpube_dfs *t)
{
	int status = GPUBE_OK;

	t->looked_from = t->constant;
	for (int32_t p = t->first; p < t->last && !status && !t->conflict; p++)
		if (t->n_live[p] > 1)
			status = settle(t, p);
	return status;
}

int gpube__dfs_propagate(struct gpube_dfs *t)
{
	int status = t->lacks_memory ? GPUBE_ENOMEM : GPUBE_OK;
	bool any = true;

	t->n_visits = 0;
	t->swept = GPUBE__DFS_NOT_SWEPT;
	while (!status && !t->conflict && any) {
		int32_t p = next_changed(t);

		if (p >= 0) {
			status = follow(t, p);
		} else if (t->looked_from != t->constant) {
			status = look_at_all(t);
		} else {
			status = gather_next(t, &any);
		}
	}
	forget_changes(t);
	memset(t->wanting + t->first, 0, (size_t)(t->last - t->first));
	count_work(t);
	return t->lacks_memory ? GPUBE_ENOMEM : status;
}

int gpube__dfs_propagate_all(struct gpube_dfs *t)
{
	for (int32_t p = t->first; p < t->last && !t->conflict; p++)
		note(t, p, LOST_VALUES);
	return gpube__dfs_propagate(t);
}

void gpube__dfs_remove(struct gpube_dfs *t, int32_t p, int32_t value)
{
	if (t->at[p][value] < t->n_live[p])
		drop(t, p, value);
}

void gpube__dfs_keep(struct gpube_dfs *t, int32_t p, int32_t from, int32_t to)
{
	for (int32_t r = t->n_live[p] - 1; r >= 0; r--)
		if (t->live[p][r] < from || t->live[p][r] >= to)
			drop(t, p, t->live[p][r]);
}

void gpube__dfs_mark(struct gpube_dfs *t, struct gpube_dfs_mark *mark)
{
	mark->level = t->level;
	mark->n_trail = t->n_trail;
	mark->n_removed = t->n_removed;
	mark->constant = t->constant;
	t->level = ++t->n_levels;
}

void gpube__dfs_undo(struct gpube_dfs *t, const struct gpube_dfs_mark *mark)
{
	while (t->n_trail > mark->n_trail) {
		const int64_t *words = t->trail + t->n_trail - WORDS;
		const struct gpube_dfs_window w = {(int32_t)words[FROM], (int32_t)words[CELLS]};
		int64_t *row = t->moves + words[ROW];

		memcpy(row + w.from, words - w.n, (size_t)w.n * sizeof(*row));
		row[-1] = words[LEVEL];
		t->window[words[VARIABLE]] = w;
		t->n_trail -= w.n + WORDS;
	}
	while (t->n_removed > mark->n_removed)
		t->n_live[t->removed[--t->n_removed]]++;
	t->constant = mark->constant;
	t->level = mark->level;
	t->looked_from = -1;
	t->conflict = t->constant >= t->cutoff;
}

/* ---- cutoffs and parts ----------------------------------------------------------------------- */

void gpube__dfs_cutoff(struct gpube_dfs *t, int64_t cutoff)
{
	gpube__dfs_lower(t, gpube__scale_target(t->shift, gpube__costs_left(t->m, cutoff)));
}

void gpube__dfs_lower(struct gpube_dfs *t, int64_t cutoff)
{
	if (cutoff >= t->cutoff)
		return;
	t->cutoff = cutoff;
	t->looked_from = -1;
	t->conflict |= t->constant >= cutoff;
}

void gpube__dfs_part(struct gpube_dfs *t, int32_t first, int32_t last, int64_t cutoff)
{
	forget_changes(t); /* another part's would count as this one's */
	t->first = first;
	t->last = last;
	t->cutoff = cutoff;
	t->looked_from = -1;
	t->conflict = t->constant >= cutoff;
}
