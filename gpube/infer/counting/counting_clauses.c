/* counting_clauses.c - what clauses imply, and what conflicts teach: see counting_parts.h. */
#include "gpube/infer/counting/counting_parts.h"

#include <stdlib.h>
#include <string.h>

#define DECAY         0.95
#define LARGE         1e100
#define FIRST_LEARNED 10000
#define MORE_LEARNED  1.2

/* ---- the arena ----------------------------------------------------------------------- */

static int32_t *literals_of(const struct gpube_clauses *c, int32_t clause)
{
	return c->arena + clause + CLAUSE_LITERALS;
}

static int32_t size_of(const struct gpube_clauses *c, int32_t clause)
{
	return c->arena[clause + CLAUSE_SIZE];
}

static void watch(struct gpube_clauses *c, int32_t literal, int32_t clause, int32_t blocker)
{
	struct gpube_clause_watches *w = &c->watches[literal];

	if (gpube__grow(c->ctx, &w->at, &w->capacity, w->n + 1, sizeof(*w->at)))
		c->status = GPUBE_ENOMEM;
	else
		w->at[w->n++] = (struct gpube_clause_watch){clause, blocker};
}

/* Watches its first two literals. */
static void attach(struct gpube_clauses *c, int32_t clause)
{
	const int32_t *l = literals_of(c, clause),
		      place = size_of(c, clause) == 2 ? ~clause : clause;

	watch(c, l[0], place, l[1]);
	watch(c, l[1], place, l[0]);
}

/* The place of a new clause; -1: no memory. */
static int32_t add_clause(
	struct gpube_clauses *c, const int32_t *literals, int64_t n, int32_t worth)
{
	const int64_t at = c->arena_n;

	if (at + n + CLAUSE_LITERALS > INT32_MAX ||
		gpube__grow(c->ctx, &c->arena, &c->arena_capacity, at + n + CLAUSE_LITERALS,
			sizeof(*c->arena))) {
		c->status = GPUBE_ENOMEM;
		return -1;
	}
	c->arena[at + CLAUSE_SIZE] = (int32_t)n;
	c->arena[at + CLAUSE_WORTH] = worth;
	memcpy(c->arena + at + CLAUSE_LITERALS, literals, (size_t)n * sizeof(*literals));
	c->arena_n += n + CLAUSE_LITERALS;
	if (n > 1) {
		attach(c, (int32_t)at);
	} else if (gpube__grow(c->ctx, &c->units, &c->units_capacity, c->n_units + 1,
			   sizeof(*c->units))) {
		c->status = GPUBE_ENOMEM;
	} else {
		c->units[c->n_units++] = (int32_t)at;
	}
	return (int32_t)at;
}

/* ---- propagation --------------------------------------------------------------------- */

void gpube__clauses_set(struct gpube_clauses *c, int32_t literal, int32_t reason, int32_t level)
{
	c->value[literal] = 1;
	c->value[literal ^ 1] = -1;
	c->level[literal >> 1] = level;
	c->reason[literal >> 1] = reason;
	c->trail[c->n_trail++] = literal;
}

int32_t gpube__clauses_set_units(struct gpube_clauses *c, int32_t level)
{
	for (int64_t k = 0; k < c->n_units; k++) {
		const int32_t l = *literals_of(c, c->units[k]);

		if (c->value[l] < 0)
			return c->units[k];
		if (c->value[l] == 0)
			gpube__clauses_set(c, l, c->units[k], level);
	}
	return -1;
}

void gpube__clauses_undo(struct gpube_clauses *c, int32_t n_trail)
{
	while (c->n_trail > n_trail) {
		const int32_t l = c->trail[--c->n_trail];

		c->value[l] = c->value[l ^ 1] = 0;
	}
	c->head = n_trail;
}

/* Another literal to be watched instead of l[1]; false: all others are false. */
static bool watch_another(struct gpube_clauses *c, int32_t clause, int32_t *l)
{
	const int32_t n = size_of(c, clause), literal = l[1];

	for (int32_t k = 2; k < n; k++) {
		if (c->value[l[k]] < 0)
			continue;
		l[1] = l[k];
		l[k] = literal;
		watch(c, l[1], clause, l[0]);
		return true;
	}
	return false;
}

/* The clauses that watch a literal which is false now. */
static int32_t visit(struct gpube_clauses *c, int32_t literal, int32_t level)
{
	struct gpube_clause_watches *w = &c->watches[literal];
	int64_t to = 0, k = 0;
	int32_t conflict = -1;

	for (; k < w->n && conflict < 0; k++) {
		const struct gpube_clause_watch one = w->at[k];
		const bool is_two = one.clause < 0;
		const int32_t clause = is_two ? ~one.clause : one.clause;
		int32_t other = one.blocker, *l;

		w->at[to++] = one;
		if (c->value[other] > 0)
			continue;
		if (!is_two) {
			l = literals_of(c, clause);
			if (l[0] == literal) {
				l[0] = l[1];
				l[1] = literal;
			}
			other = l[0];
			w->at[to - 1].blocker = other;
			if (c->value[other] > 0)
				continue;
			if (watch_another(c, clause, l)) {
				to--;
				continue;
			}
		}
		if (c->value[other] < 0)
			conflict = clause;
		else
			gpube__clauses_set(c, other, clause, level);
	}
	if (to < k)
		memmove(w->at + to, w->at + k, (size_t)(w->n - k) * sizeof(*w->at));
	w->n -= k - to;
	return conflict;
}

int32_t gpube__clauses_propagate(struct gpube_clauses *c, int32_t level)
{
	int32_t conflict = -1;

	while (c->head < c->n_trail && conflict < 0)
		conflict = visit(c, c->trail[c->head++] ^ 1, level);
	return conflict;
}

/* ---- learning ------------------------------------------------------------------------ */

static void bump(struct gpube_clauses *c, int32_t literal)
{
	c->activity[literal] += c->step;
	if (c->activity[literal] < LARGE)
		return;
	for (int64_t l = 0; l < 2 * (int64_t)c->n; l++)
		c->activity[l] /= LARGE;
	c->step /= LARGE;
}

/* Sees the literals of a clause but one; how many of this level are new. */
static int32_t see(struct gpube_clauses *c, int32_t clause, int32_t but, int32_t level, bool bumps)
{
	const int32_t *l = literals_of(c, clause);
	int32_t n = 0;

	for (int32_t k = 0; k < size_of(c, clause); k++) {
		const int32_t v = l[k] >> 1;

		if (bumps)
			bump(c, l[k]);
		if (v == but || c->seen[v] || c->level[v] == 0)
			continue;
		c->seen[v] = 1;
		if (c->level[v] == level)
			n++;
		else
			c->learned[c->n_learned_literals++] = l[k];
	}
	return n;
}

/* A literal that the others imply is not needed. */
static bool is_implied(const struct gpube_clauses *c, int32_t literal)
{
	const int32_t clause = c->reason[literal >> 1], *l;

	if (clause < 0)
		return false;
	l = literals_of(c, clause);
	for (int32_t k = 0; k < size_of(c, clause); k++)
		if (l[k] >> 1 != literal >> 1 && !c->seen[l[k] >> 1] && c->level[l[k] >> 1] > 0)
			return false;
	return true;
}

static int compare_levels(const void *a, const void *b)
{
	return gpube__compare_int32(b, a);
}

/* How many levels the literals are of. */
static int32_t levels_of(const struct gpube_clauses *c, int32_t *scratch)
{
	int32_t n = 0;

	for (int32_t k = 0; k < c->n_learned_literals; k++)
		scratch[k] = c->level[c->learned[k] >> 1];
	qsort(scratch, (size_t)c->n_learned_literals, sizeof(*scratch), compare_levels);
	for (int32_t k = 0; k < c->n_learned_literals; k++)
		n += k == 0 || scratch[k] != scratch[k - 1];
	return n;
}

/* c->learned, of which the first literal is of this level, as a clause. */
static int32_t keep_learned(struct gpube_clauses *c)
{
	int32_t n = 1, highest = 1, *l = c->learned;
	int32_t *const end = c->learned + c->n_learned_literals;

	for (int32_t k = 1; k < c->n_learned_literals; k++)
		if (!is_implied(c, l[k]))
			l[n++] = l[k];
		else
			c->seen[l[k] >> 1] = 2; /* to be cleared by the caller */
	c->n_learned_literals = n;
	for (int32_t k = 2; k < n; k++)
		if (c->level[l[k] >> 1] > c->level[l[highest] >> 1])
			highest = k;
	if (n > 1) {
		const int32_t literal = l[1];

		l[1] = l[highest];
		l[highest] = literal;
	}
	c->n_learned++;
	return add_clause(c, l, n, levels_of(c, end));
}

/* A clause by resolution until one literal of this level is left, or the decision alone. */
static int32_t resolve(
	struct gpube_clauses *c, int32_t conflict, int32_t level, int32_t decision, bool first)
{
	int32_t at = c->n_trail, clause = conflict, but = -1, left = 0, literal = -1, place = -1, n;
	int32_t *all = c->learned + 2 * (int64_t)c->n;

	c->n_learned_literals = 1;
	do {
		left += see(c, clause, but, level, first);
		if (left == 0 || (left == 1 && first && clause == conflict))
			break;
		do
			literal = c->trail[--at];
		while (!c->seen[literal >> 1] || c->level[literal >> 1] != level);
		but = literal >> 1;
		clause = c->reason[but];
		c->seen[but] = 0;
		left--;
		if ((left == 0 && first) || literal == decision)
			break;
		literal = -1;
	} while (clause >= 0);
	n = c->n_learned_literals;
	memcpy(all, c->learned, (size_t)n * sizeof(*all));
	if (left == 1 && first && clause == conflict)
		place = conflict; /* which implies its literal of this level as it is */
	for (int32_t k = 0; k < size_of(c, conflict) && place >= 0; k++)
		c->seen[literals_of(c, conflict)[k] >> 1] = 0;
	if (literal >= 0) {
		c->learned[0] = literal ^ 1;
		c->seen[literal >> 1] = 1;
		place = keep_learned(c);
		c->seen[literal >> 1] = 0;
	}
	for (int32_t k = 1; k < n; k++)
		c->seen[all[k] >> 1] = 0;
	return place;
}

void gpube__clauses_learn(struct gpube_clauses *c, int32_t conflict, int32_t level,
	int32_t decision, int32_t *asserting, int32_t *of_decision)
{
	*asserting = *of_decision = -1;
	c->n_conflicts++;
	c->step /= DECAY;
	if (level == 0)
		return;
	*asserting = resolve(c, conflict, level, decision, true);
	if (decision < 0)
		return;
	if (*asserting >= 0 && *literals_of(c, *asserting) == (decision ^ 1))
		*of_decision = *asserting;
	else
		*of_decision = resolve(c, conflict, level, decision, false);
}

/* ---- forgetting ---------------------------------------------------------------------- */

static bool is_reason(const struct gpube_clauses *c, int32_t clause)
{
	const int32_t *l = literals_of(c, clause);

	for (int32_t k = 0; k < size_of(c, clause) && k < 2; k++)
		if (c->value[l[k]] > 0 && c->reason[l[k] >> 1] == clause)
			return true;
	return false;
}

/* The worth that half of what may be forgotten does not reach. */
static int32_t median(const struct gpube_clauses *c)
{
	enum { MOST = 1 << 12 };
	int64_t n = 0, some = 0, counts[MOST] = {0};
	int32_t worth = 0;

	for (int64_t at = 0; at < c->arena_n; at += c->arena[at] + CLAUSE_LITERALS) {
		const int32_t w = c->arena[at + CLAUSE_WORTH];

		n += w > 0;
		counts[w < MOST ? w : MOST - 1]++;
	}
	for (worth = 1; worth < MOST - 1; worth++) {
		some += counts[worth];
		if (some >= n / 2)
			break;
	}
	return worth;
}

void gpube__clauses_tidy(struct gpube_clauses *c)
{
	int64_t to = 0, n;
	int32_t worth;

	if (c->n_learned < c->most_learned)
		return;
	worth = median(c);
	c->n_learned = c->n_units = 0;
	for (int64_t l = 0; l < 2 * (int64_t)c->n; l++)
		c->watches[l].n = 0;
	for (int64_t at = 0; at < c->arena_n; at += n) {
		const int32_t size = c->arena[at], w = c->arena[at + CLAUSE_WORTH];
		const bool needed = is_reason(c, (int32_t)at);

		n = size + CLAUSE_LITERALS;
		if (size > 2 && w > worth && !needed)
			continue;
		memmove(c->arena + to, c->arena + at, (size_t)n * sizeof(*c->arena));
		for (int32_t k = 0; k < size && k < 2 && needed; k++)
			if (c->reason[literals_of(c, (int32_t)to)[k] >> 1] == (int32_t)at &&
				c->value[literals_of(c, (int32_t)to)[k]] > 0)
				c->reason[literals_of(c, (int32_t)to)[k] >> 1] = (int32_t)to;
		c->n_learned += w > 0;
		if (size > 1)
			attach(c, (int32_t)to);
		else
			c->units[c->n_units++] = (int32_t)to;
		to += n;
	}
	c->arena_n = to;
	c->most_learned = (int64_t)((double)c->most_learned * MORE_LEARNED);
}

/* ---- begin and end ------------------------------------------------------------------- */

void gpube__clauses_clear(struct gpube_clauses *c)
{
	for (int64_t l = 0; c->watches && l < 2 * (int64_t)c->n; l++)
		gpube__free(c->ctx, c->watches[l].at);
	GPUBE_FREE_ALL(c->ctx, c->watches, c->arena, c->value, c->level, c->trail, c->activity,
		c->seen, c->learned, c->units);
}

int gpube__clauses_init(struct gpube_clauses *c, const struct gpube_formula *f)
{
	const uint64_t n = (uint64_t)f->n;

	*c = (struct gpube_clauses){
		.ctx = f->ctx, .n = f->n, .step = 1, .most_learned = FIRST_LEARNED};
	c->watches = gpube__alloc_zero(c->ctx, 2 * n, sizeof(*c->watches));
	c->value = gpube__alloc_zero(c->ctx, 2 * n, sizeof(*c->value));
	c->level = gpube__alloc(c->ctx, 2 * n, sizeof(*c->level));
	c->trail = gpube__alloc(c->ctx, n, sizeof(*c->trail));
	c->activity = gpube__alloc_zero(c->ctx, 2 * n, sizeof(*c->activity));
	c->seen = gpube__alloc_zero(c->ctx, n, sizeof(*c->seen));
	c->learned = gpube__alloc(c->ctx, 4 * n + 4, sizeof(*c->learned));
	if (!c->watches || !c->value || !c->level || !c->trail || !c->activity || !c->seen ||
		!c->learned)
		return GPUBE_ENOMEM;
	c->reason = c->level + n;
	for (int64_t k = 0; k < f->n_clauses && !c->status; k++) {
		(void)add_clause(c, f->literals + f->first[k], f->first[k + 1] - f->first[k], 0);
		for (int64_t i = f->first[k]; i < f->first[k + 1]; i++)
			c->activity[f->literals[i]] +=
				1.0 / (double)(1 << (f->first[k + 1] - f->first[k] < 20
							       ? f->first[k + 1] - f->first[k]
							       : 20));
	}
	return c->status;
}
