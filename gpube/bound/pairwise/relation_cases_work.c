/*
 * relation_cases_work.c - what is done with one case: sweeps and splits. See
 * relation_cases.h.
 */
#include "gpube/bound/pairwise/relation_cases.h"

#include <math.h>
#include <string.h>

/* Sweeps of which is judged whether they pay. */
enum { WINDOW = 8 };
/* Entries of the shortest relations that are worth their separators. */
enum { FEWEST_ENTRIES = 64 };
/* Of the time of cases that one of local search may have. */
#define SEARCHING 0.05

static bool is_closed(const struct gpube_case_worker *w)
{
	return w->at->state.constant >= w->at->state.target;
}

static void hear(struct gpube_case_worker *w)
{
	const int64_t target = __atomic_load_n(&w->all->target, __ATOMIC_RELAXED);
	struct gpube_relations *l = w->at;

	l->state.target = target < l->state.target ? target : l->state.target;
}

/*
 * How much more has to come of sweeps than of a split, which gives threads work that have none: 1
 * where there are none, one more whenever those are twice as many. Splits as soon as others wait
 * would make many times as many cases on many processors.
 */
static double haste(struct gpube_relation_cases *c)
{
	int64_t idle;

	pthread_mutex_lock(&c->lock);
	idle = c->n_waiting - c->open.n;
	pthread_mutex_unlock(&c->lock);
	return idle > 0 ? 1 + log2(1 + (double)idle) : 1;
}

/* Entries that are possible no more go where the host sweeps; a card keeps them. */
static void shorten(struct gpube_case_worker *w)
{
	if (!w->sweeper.on_card)
		gpube__relations_shorten(w->at);
}

/*
 * Sweeps that are asked for at once: the host hears of the cutoff and of the end before each of
 * them; a card's are over before it would.
 */
static int sweeps_at_once(const struct gpube_case_worker *w)
{
	return w->sweeper.on_card ? WINDOW : 1;
}

static int climb(struct gpube_case_worker *w)
{
	const struct gpube_case_rules *r = w->all->rules;
	const double slow = w->sweeper.on_card ? r->card_slow : r->slow;
	struct gpube_relations *l = w->at;
	int64_t before = l->state.constant;
	int n = 0, status;

	while (n < WINDOW * r->most_windows && !is_closed(w) && !gpube__cases_over(w)) {
		const int at_once = sweeps_at_once(w);
		int64_t after[WINDOW], constant;

		hear(w);
		constant = gpube__sweeper_sweep(&w->sweeper, at_once, n % 2, after);
		n += at_once;
		gpube__frontier_tighten(&w->hand, constant);
		if (n % WINDOW)
			continue;
		if ((double)(constant - before) <
			haste(w->all) * slow * gpube__region_slack(constant, l->state.target))
			break;
		before = constant;
		shorten(w);
	}
	if (!is_closed(w))
		gpube__sweeper_fetch(&w->sweeper);
	pthread_mutex_lock(&w->all->lock);
	status = n ? gpube__notes_sweeps(w->all->s, w->at->noted, n) : GPUBE_OK;
	pthread_mutex_unlock(&w->all->lock);
	return status;
}

/* Relations of up to so many entries in the place of these, or of less where that is too much. */
static int join(struct gpube_case_worker *w, int64_t most, bool *any)
{
	struct gpube_relations *l = NULL;
	int status = gpube__relations_grow(&l, w->at, w->all->s->m, most);

	*any = !status && l;
	if (*any) {
		l->noted = w->at->noted;
		gpube__relations_free(w->at);
		w->at = l;
		gpube__frontier_tighten(&w->hand, l->state.constant);
		pthread_mutex_lock(&w->all->lock);
		status = gpube__notes_relations(w->all->s, w->at->noted, l);
		pthread_mutex_unlock(&w->all->lock);
	}
	return status == GPUBE_ESTOP ? GPUBE_OK : status;
}

/* ---- assignments ----------------------------------------------------------------------------- */

static void extend(struct gpube_case_worker *w)
{
	const struct gpube_pairwise_run *s = w->all->s;

	if (s->lean)
		gpube__lean_extend(s->lean, w->whole, w->values);
	else
		memcpy(w->whole, w->values, (size_t)s->m->n_vars * sizeof(*w->values));
}

/* The worker's local search goes on from the best assignment that is known. */
static void hear_best(struct gpube_case_worker *w)
{
	struct gpube_relation_cases *c = w->all;

	pthread_mutex_lock(&c->lock);
	if (c->best_cost < GPUBE_INF)
		gpube__search_take(w->search, c->best, c->best_cost);
	pthread_mutex_unlock(&c->lock);
}

void gpube__case_search(struct gpube_case_worker *w, const int32_t *from)
{
	hear_best(w);
	if (gpube__search_run(w->search, from, w->all->rules->steps))
		gpube__cases_found(w->all, w->search->best, w->search->best_cost);
}

/* An assignment, and others from there for a part of the time. */
static int read_off(struct gpube_case_worker *w)
{
	const double start = gpube__worked(&w->ctx);
	const int status = gpube__relations_decode(w->at, true, w->values);

	if (status)
		return status;
	extend(w);
	gpube__case_search(w, w->whole);
	while (w->searching + gpube__worked(&w->ctx) - start < SEARCHING * w->working &&
		!gpube__cases_over(w))
		gpube__case_search(w, NULL);
	w->searching += gpube__worked(&w->ctx) - start;
	return GPUBE_OK;
}

/* Every variable has one value: the case is one assignment. */
static int price(struct gpube_case_worker *w)
{
	int64_t cost;
	int status;

	extend(w);
	status = gpube_model_cost(&cost, w->all->s->b->m, w->whole);
	if (!status && cost < GPUBE_INF)
		gpube__cases_found(w->all, w->whole, cost);
	return status;
}

/* ---- a case ---------------------------------------------------------------------------------- */

/* What the looks have closed, and the split. */
static int note_split(
	struct gpube_case_worker *w, const struct gpube_case_choice *x, int32_t noted[2])
{
	int status = gpube__case_note_probes(w);

	noted[0] = w->at->noted;
	if (status || !x)
		return status;
	pthread_mutex_lock(&w->all->lock);
	status = gpube__notes_split(w->all->s, w->at->noted, x->var, x->value, noted);
	pthread_mutex_unlock(&w->all->lock);
	return status;
}

static int split(struct gpube_case_worker *w, int best, struct gpube_relations *part[2])
{
	struct gpube_relations *l = w->at;
	const struct gpube_case_choice *x = best < 0 ? NULL : &w->choices[best];
	int32_t noted[2];
	int status = note_split(w, x, noted);

	if (!status)
		gpube__relations_settle(l);
	for (int k = 0; k < 1 + !!x && !status; k++) {
		status = gpube__relations_part(
			&part[k], l, w->forced, x ? x->var : -1, x ? x->value : 0, !k);
		if (!status)
			part[k]->noted = noted[k];
	}
	for (int k = 0; k < 2 && status; k++) {
		gpube__relations_free(part[k]);
		part[k] = NULL;
	}
	if (!status) {
		gpube__relations_free(l);
		w->at = NULL;
	}
	return status;
}

/* Relations that have separators, of fewer entries where there is no room for them. */
static int ready(struct gpube_case_worker *w)
{
	const int64_t wanted = __atomic_load_n(&w->all->most, __ATOMIC_RELAXED);
	int64_t most = wanted > w->at->most ? wanted : w->at->most;
	int status = GPUBE_OK;
	bool any = w->at->plan.members != NULL;

	for (; !status && !any && most >= FEWEST_ENTRIES; most /= 2) {
		status = join(w, most, &any);
		if (!any && most == wanted) /* other cases have no room for it, either */
			__atomic_store_n(&w->all->most, 0, __ATOMIC_RELAXED);
	}
	return status;
}

/* Until it is closed, or there is a split, or *end: the time is over. */
static int find_split(struct gpube_case_worker *w, int *best, bool *closed, bool *end)
{
	int status = ready(w), n;

	w->n_probed = 0;
	if (!status && w->at->plan.members)
		status = gpube__sweeper_begin(&w->sweeper, w->at);
	if (!status && w->at->plan.members)
		status = climb(w);
	*closed = !status && is_closed(w);
	*end = !status && gpube__cases_over(w);
	if (status || *closed || *end)
		return status;
	status = read_off(w);
	hear(w);
	*closed = is_closed(w);
	if (!status && !*closed)
		status = gpube__relations_forced(w->at, w->forced);
	if (status || *closed)
		return status;
	n = gpube__case_choices(w);
	if (!n) {
		status = price(w);
		*closed = !status;
		return status;
	}
	*best = w->at->plan.members ? -1 : 0;
	if (w->at->plan.members)
		status = gpube__case_probe(w, n, best, closed);
	/* what has been found of the probes is not lost with the turn */
	*end = gpube__cases_over(w) && !gpube__case_is_probed(w);
	return status;
}

int gpube__case_work(struct gpube_case_worker *w, struct gpube_relations *part[2])
{
	bool closed = false, end = false;
	int best = -1, status;

	w->began = gpube__worked(&w->ctx);
	status = find_split(w, &best, &closed, &end);
	gpube__sweeper_end(&w->sweeper);
	if (!status && !closed && !end)
		status = split(w, best, part);
	if (closed && !status && w->n_probed)
		status = gpube__case_note_probes(w);
	if (closed) {
		gpube__relations_free(w->at);
		w->at = NULL;
	}
	return status;
}
