/* relation_cases_probe.c - on which variable a case is split: see relation_cases.h. */
#include "gpube/bound/pairwise/relation_cases.h"

#include <math.h>
#include <stdlib.h>

/* Of a look ahead: over what changes, and by a card over all. */
enum { PROBE_SWEEPS = 2 };
/*
 * In cases of less than that depth a look ahead compares so many times as many choices as in deeper
 * ones: what is seen there ranks the choices of all cases below.
 */
enum { FIRST_CASES = 4, FIRST_PROBES = 8 };

/* ---- what costs say -------------------------------------------------------------------------- */

/*
 * Variable k of a function's scope: each of its values has at least the weight of what it costs
 * more or less than all others.
 */
static void weigh(const struct gpube_relation_cases *c, int32_t f, int k, const int64_t *cells,
	int64_t *least)
{
	const struct gpube_model *m = c->s->m;
	const int32_t *scope = gpube__scope(m, f), domain = m->vars[scope[k]].domain,
		      arity = m->functions[f].arity;
	struct gpube_case_rank *rank = c->ranks + c->value_at[scope[k]];
	int64_t step = 1;

	for (int j = k + 1; j < arity; j++)
		step *= m->vars[scope[j]].domain;
	for (int32_t a = 0; a < domain; a++)
		least[a] = GPUBE_INF;
	for (int64_t i = 0; i < gpube__cells(m, arity, scope); i++)
		least[i / step % domain] =
			cells[i] < least[i / step % domain] ? cells[i] : least[i / step % domain];
	for (int32_t a = 0; a < domain; a++) {
		double weight = INFINITY;

		for (int32_t e = 0; e < domain; e++)
			if (e != a && least[e] < GPUBE_INF && least[a] < GPUBE_INF)
				weight = fmin(weight, fabs((double)(least[a] - least[e])));
		if (weight < INFINITY)
			rank[a].weight = fmax(rank[a].weight, weight);
	}
}

int gpube__cases_weigh(struct gpube_relation_cases *c)
{
	const struct gpube_model *m = c->s->m;
	int64_t *cells = gpube__alloc(m->ctx, GPUBE__RELATION_CELLS, sizeof(*cells));
	int64_t *least = gpube__alloc(m->ctx, GPUBE__RELATION_CELLS, sizeof(*least));
	double most = 0;
	int status = cells && least ? GPUBE_OK : GPUBE_ENOMEM;

	for (int32_t f = 0; f < m->n_functions && !status; f++) {
		status = m->functions[f].arity ? gpube_model_costs(cells, m, f) : GPUBE_OK;
		for (int k = 0; k < m->functions[f].arity && !status; k++)
			weigh(c, f, k, cells, least);
	}
	for (int64_t x = 0; x < c->value_at[m->n_vars]; x++)
		most = fmax(most, c->ranks[x].weight);
	for (int64_t x = 0; x < c->value_at[m->n_vars] && most > 0; x++)
		c->ranks[x].weight /= most;
	gpube__free(m->ctx, cells);
	gpube__free(m->ctx, least);
	return status;
}

/* ---- what to split --------------------------------------------------------------------------- */

/*
 * The values of a variable that are possible: their number, the least and the one of most weight.
 */
static int32_t values_of(
	const struct gpube_case_worker *w, int32_t i, int32_t *first, int32_t *heavy)
{
	const struct gpube_relations *l = w->at;
	const int64_t *forced = w->forced + l->value_at[i];
	const struct gpube_case_rank *rank = w->all->ranks + l->value_at[i];
	const int32_t slack = gpube__relations_slack(l);
	int32_t n = 0;

	for (int32_t x = 0; x < l->domain[i]; x++) {
		if (forced[x] < 0 || forced[x] >= slack)
			continue;
		*first = !n || forced[x] < forced[*first] ? x : *first;
		*heavy = !n || rank[x].weight > rank[*heavy].weight ? x : *heavy;
		n++;
	}
	return n;
}

/* What the second value forces, or others than the first. */
static int64_t regret_of(const struct gpube_case_worker *w, int32_t i, int32_t first)
{
	const struct gpube_relations *l = w->at;
	const int64_t *forced = w->forced + l->value_at[i];
	int64_t least = gpube__relations_slack(l);

	for (int32_t x = 0; x < l->domain[i]; x++)
		if (x != first && forced[x] < least)
			least = forced[x];
	return least - forced[first];
}

int gpube__case_choices(struct gpube_case_worker *w)
{
	const struct gpube_relations *l = w->at;
	int n = 0;

	for (int32_t i = 0; i < l->n; i++) {
		int32_t first = 0, heavy = 0;
		const int32_t live = l->fixed[i] >= 0 ? 0 : values_of(w, i, &first, &heavy);

		w->values[i] = l->fixed[i] >= 0 ? l->fixed[i] : first;
		if (live > 1)
			w->choices[n++] = (struct gpube_case_choice){.var = i,
				.value = heavy,
				.open = 1 -
					(double)regret_of(w, i, first) / gpube__relations_slack(l)};
	}
	return n;
}

/* What both gains bring together: the more, the fewer cases are left. */
static double worth_of(const struct gpube_case_choice *x, int32_t slack)
{
	const double least = 1e-4 * slack;

	return sqrt((least + fmin((double)x->gain[0], slack)) *
		    (least + fmin((double)x->gain[1], slack)));
}

static int by_rank(const void *a, const void *b)
{
	const struct gpube_case_choice *x = a, *y = b;

	return (x->rank < y->rank) - (x->rank > y->rank);
}

/*
 * What was seen of such a split elsewhere; of one that was never looked at it is as much as of the
 * best, by its weight, and by how open it is.
 */
static void rank_choices(struct gpube_case_worker *w, int n)
{
	struct gpube_relation_cases *c = w->all;
	double most = 1e-9;

	pthread_mutex_lock(&c->lock);
	for (int k = 0; k < n; k++) {
		const struct gpube_case_rank *of =
			&c->ranks[c->value_at[w->choices[k].var] + w->choices[k].value];

		w->choices[k].rank = of->n ? of->sum / of->n : -1;
		most = fmax(most, w->choices[k].rank);
	}
	for (int k = 0; k < n; k++) {
		const struct gpube_case_rank *of =
			&c->ranks[c->value_at[w->choices[k].var] + w->choices[k].value];

		if (!of->n)
			w->choices[k].rank = most * of->weight * (0.5 + 0.5 * w->choices[k].open);
	}
	pthread_mutex_unlock(&c->lock);
	qsort(w->choices, (size_t)n, sizeof(*w->choices), by_rank);
}

/* A part that is closed: its values are possible no more. */
static void drop(struct gpube_case_worker *w, const struct gpube_case_choice *x, bool is)
{
	const struct gpube_relations *l = w->at;

	for (int32_t a = 0; a < l->domain[x->var]; a++)
		if ((a == x->value) == is)
			w->forced[l->value_at[x->var] + a] = GPUBE__REGION_FORBIDDEN;
}

/* Choices that are looked at, by whoever has nothing else to do, too. */
struct gpube_case_probes {
	const struct gpube_relations *l;
	struct gpube_case_choice *choices;
	int n, next;
	int64_t beside; /* what all have, or on a card would have after as many sweeps */
	/* by choice, of both its parts: what a card has found; NULL: that is still to be found */
	const int64_t *known;
	double best; /* the most that a choice is worth so far */
	int n_helpers;
};

static int64_t gain_of(const struct gpube_case_probes *k, struct gpube_relations_probe *probe,
	const struct gpube_case_choice *x, int j)
{
	const int64_t after =
		k->known ? k->known[2 * (x - k->choices) + j]
			 : gpube__relations_probe(probe, x->var, x->value, !j, PROBE_SWEEPS);

	return after >= k->l->state.target ? gpube__relations_slack(k->l)
	       : after > k->beside         ? after - k->beside
					   : 0;
}

/*
 * What both parts gain by some sweeps, more than the case would; the one that gains less comes
 * first, and may tell enough.
 */
static void probe_one(struct gpube_case_worker *w, struct gpube_case_probes *k,
	struct gpube_relations_probe *probe, struct gpube_case_choice *x)
{
	struct gpube_relation_cases *c = w->all;
	struct gpube_case_rank *of = &c->ranks[c->value_at[x->var] + x->value];
	const int32_t slack = gpube__relations_slack(k->l);
	double worth;

	x->gain[0] = slack;
	x->gain[1] = gain_of(k, probe, x, 1);
	pthread_mutex_lock(&c->lock);
	x->probed = worth_of(x, slack) > k->best;
	pthread_mutex_unlock(&c->lock);
	if (x->probed)
		x->gain[0] = gain_of(k, probe, x, 0);
	worth = worth_of(x, slack);
	pthread_mutex_lock(&c->lock);
	if (x->probed && x->gain[0] < slack && x->gain[1] < slack && worth > k->best)
		k->best = worth;
	of->sum += worth / slack;
	of->n++;
	pthread_mutex_unlock(&c->lock);
}

/* until: a worker's work up to which it goes on, though the turn is over. */
static int probe_all(struct gpube_case_worker *w, struct gpube_case_probes *k, double until)
{
	struct gpube_relations_probe probe;
	int status = gpube__relations_probe_init(&probe, &w->ctx, k->l);

	while (!status && !gpube__stopped(&w->ctx) &&
		(!gpube__cases_over(w) || gpube__worked(&w->ctx) < until)) {
		const int j = __atomic_fetch_add(&k->next, 1, __ATOMIC_RELAXED);

		if (j >= k->n)
			break;
		probe_one(w, k, &probe, &k->choices[j]);
	}
	gpube__relations_probe_clear(&probe);
	return status;
}

bool gpube__case_help(struct gpube_case_worker *w)
{
	struct gpube_relation_cases *c = w->all;
	struct gpube_case_probes *k = c->probes;

	if (!k || __atomic_load_n(&k->next, __ATOMIC_RELAXED) >= k->n)
		return false;
	k->n_helpers++;
	pthread_mutex_unlock(&c->lock);
	(void)probe_all(w, k, 0); /* without memory there is no help */
	pthread_mutex_lock(&c->lock);
	k->n_helpers--;
	pthread_cond_broadcast(&c->changed);
	return true;
}

/*
 * With whoever is idle. Few looks make a poor split for good, so they go on for as long as the case
 * has taken before.
 */
static int probe_together(struct gpube_case_worker *w, struct gpube_case_probes *k)
{
	const double now = gpube__worked(&w->ctx);
	struct gpube_relation_cases *c = w->all;
	bool mine;
	int status;

	pthread_mutex_lock(&c->lock);
	mine = !c->probes;
	if (mine)
		c->probes = k;
	pthread_cond_broadcast(&c->changed);
	pthread_mutex_unlock(&c->lock);
	status = probe_all(w, k, now + (now - w->began));
	pthread_mutex_lock(&c->lock);
	if (mine)
		c->probes = NULL;
	while (k->n_helpers)
		pthread_cond_wait(&c->changed, &c->lock);
	pthread_mutex_unlock(&c->lock);
	return status;
}

/* All parts at once, by a card; 'known': room for their constants. */
static int probe_on_card(struct gpube_case_worker *w, struct gpube_case_probes *k, int64_t *known)
{
	struct gpube_sweeper_choice *choices =
		gpube__alloc(&w->ctx, (uint64_t)k->n + 1, sizeof(*choices));
	bool any = false;
	int status;

	if (!choices)
		return GPUBE_ENOMEM;
	for (int j = 0; j < k->n; j++)
		choices[j] = (struct gpube_sweeper_choice){k->choices[j].var, k->choices[j].value};
	status = gpube__sweeper_probe(&w->sweeper, k->n, choices, PROBE_SWEEPS, known, &any);
	if (any) {
		k->beside = known[0];
		k->known = known + 1;
	}
	gpube__free(&w->ctx, choices);
	return status;
}

/* What all would have, and what the parts gain. */
static int find_gains(struct gpube_case_worker *w, struct gpube_case_probes *k, bool *closed)
{
	int64_t *known = gpube__alloc(&w->ctx, 2 * (uint64_t)k->n + 1, sizeof(*known));
	int status = known ? GPUBE_OK : GPUBE_ENOMEM;

	if (!status && w->sweeper.on_card)
		status = probe_on_card(w, k, known);
	if (!status && !k->known)
		k->beside = k->l->state.constant;
	*closed = !status && k->beside >= k->l->state.target;
	if (!status && !*closed) {
		if (k->known)
			for (int j = 0; j < k->n; j++)
				probe_one(w, k, NULL, &k->choices[j]);
		else
			status = probe_together(w, k);
	}
	gpube__free(&w->ctx, known);
	return status;
}

int gpube__case_probe(struct gpube_case_worker *w, int n, int *best, bool *closed)
{
	const struct gpube_relations *l = w->at;
	const int32_t slack = gpube__relations_slack(l);
	const int most =
		w->all->rules->probes * (w->hand.node.depth < FIRST_CASES ? FIRST_PROBES : 1);
	struct gpube_case_probes k = {.l = l, .choices = w->choices, .n = n < most ? n : most};
	int status;

	*best = -1;
	w->n_probed = 0;
	rank_choices(w, n);
	for (int j = 0; j < k.n; j++)
		w->choices[j].probed = false;
	status = find_gains(w, &k, closed);
	w->n_probed = k.n;
	for (int j = 0; j < k.n && !status; j++) {
		const struct gpube_case_choice *x = &w->choices[j];

		if (!x->probed)
			continue;
		for (int e = 0; e < 2; e++)
			if (x->gain[e] >= slack)
				drop(w, x, !e);
		*closed |= x->gain[0] >= slack && x->gain[1] >= slack;
		if (x->gain[0] < slack && x->gain[1] < slack &&
			(*best < 0 || worth_of(x, slack) > worth_of(&w->choices[*best], slack)))
			*best = j;
	}
	return status;
}

bool gpube__case_is_probed(const struct gpube_case_worker *w)
{
	for (int j = 0; j < w->n_probed; j++)
		if (w->choices[j].probed)
			return true;
	return false;
}

/* Of a look both of whose parts are closed nothing is left; of others the part that is not. */
static int note_probe(
	struct gpube_case_worker *w, const struct gpube_case_choice *x, const bool closed[2])
{
	struct gpube_pairwise_run *s = w->all->s;
	int32_t child[2];
	int status = gpube__notes_split(s, w->at->noted, x->var, x->value, child);

	for (int e = 0; e < 2 && !status; e++)
		if (closed[e])
			status = gpube__notes_sweeps(s, child[e], PROBE_SWEEPS);
	w->at->noted = child[closed[0]];
	return status;
}

int gpube__case_note_probes(struct gpube_case_worker *w)
{
	const int32_t slack = gpube__relations_slack(w->at);
	int whole = -1, status = GPUBE_OK;

	if (!w->all->s->b->told.notes)
		return GPUBE_OK;
	pthread_mutex_lock(&w->all->lock);
	for (int j = 0; j < w->n_probed; j++)
		if (w->choices[j].probed && w->choices[j].gain[0] >= slack &&
			w->choices[j].gain[1] >= slack)
			whole = j;
	for (int j = whole < 0 ? 0 : whole; j < (whole < 0 ? w->n_probed : whole + 1) && !status;
		j++) {
		const struct gpube_case_choice *x = &w->choices[j];
		const bool closed[] = {x->gain[0] >= slack, x->gain[1] >= slack};

		if (x->probed && (closed[0] || closed[1]))
			status = note_probe(w, x, closed);
	}
	pthread_mutex_unlock(&w->all->lock);
	return status;
}
