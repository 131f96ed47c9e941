/* solver_sync.c - what has changed since the last run: see solver_state.h. */
#include <string.h>

#include "gpube/session/solver_state.h"

int64_t gpube__solver_least_gain(
	enum gpube_direction direction, int64_t n, const int64_t *before, const int64_t *now)
{
	__int128 least = GPUBE_INF;

	for (int64_t k = 0; k < n; k++) {
		__int128 gain;

		if (now[k] == GPUBE_INF)
			continue;
		if (before[k] == GPUBE_INF)
			return -GPUBE_INF;
		gain = (__int128)now[k] - before[k];
		gain = direction == GPUBE_MAXIMISE ? -gain : gain;
		least = gain < least ? gain : least;
	}
	return least <= -GPUBE_INF ? -GPUBE_INF : (int64_t)least;
}

static int64_t add_gains(int64_t a, int64_t b)
{
	const __int128 sum = (__int128)a + b;

	if (a == -GPUBE_INF || b == -GPUBE_INF || sum <= -GPUBE_INF)
		return -GPUBE_INF;
	return a == GPUBE_INF || b == GPUBE_INF || sum >= GPUBE_INF ? GPUBE_INF : (int64_t)sum;
}

/* What a function that is new adds at least. */
static int64_t least_of(const struct gpube_model *m, int32_t f)
{
	const struct gpube_table *t = gpube__table(m, f);
	int64_t least = GPUBE_INF;

	for (int64_t k = t->sparse ? -1 : 0; k < t->n; k++) {
		int64_t v = k < 0 ? t->dflt.i : gpube__table_int(t, k);

		v = v != GPUBE_INF && m->direction == GPUBE_MAXIMISE ? -v : v;
		least = v < least ? v : least;
	}
	return least;
}

/* What a function that has changed adds at least, of potentials, in their old and new costs. */
static int gain_of(
	int64_t *least, const struct gpube_model *before, const struct gpube_model *now, int32_t f)
{
	const int64_t n = gpube_model_cells(now, f);
	int64_t *a = gpube__alloc(now->ctx, (uint64_t)n, sizeof(*a));
	int64_t *b = gpube__alloc(now->ctx, (uint64_t)n, sizeof(*b));
	int status = a && b ? gpube_model_costs(a, before, f) : GPUBE_ENOMEM;

	if (!status)
		status = gpube_model_costs(b, now, f);
	if (!status)
		*least = gpube__solver_least_gain(GPUBE_MINIMISE, n, a, b);
	gpube__free(now->ctx, a);
	gpube__free(now->ctx, b);
	return status;
}

/*
 * Potentials that are new or have changed become costs again, with as many decimals as before, or
 * as there is room for: then nothing is known of the new totals.
 */
static int quantise(struct gpube_solver *s)
{
	struct gpube_model *before = s->quantised, *now;
	int64_t least, gain = s->gain;
	int status = gpube__quantise(&now, s->model, before ? before->scale : s->opts.precision);

	if (status == GPUBE_ERANGE && before && !s->opts.precision)
		status = gpube__quantise(&now, s->model, 0);
	for (int32_t f = 0; f < s->seen.n_functions && !status; f++) {
		if (!s->changed[f] || !before || before->scale != now->scale)
			continue;
		status = gain_of(&least, before, now, f);
		if (status)
			gpube_model_free(now);
		else
			gain = add_gains(gain, least);
	}
	if (status)
		return status;
	s->gain = gain;
	if (before && before->scale != now->scale) {
		s->gain = -GPUBE_INF;
		gpube__min_tree_free(s->tree);
		s->tree = NULL;
	}
	gpube_model_free(before);
	s->costs = s->quantised = now;
	return GPUBE_OK;
}

/* Messages follow, as far as they can. */
static void follow(struct gpube_solver *s)
{
	struct gpube_min_tree *t = s->tree;
	bool fits = s->costs->n_vars == s->seen.n_vars;
	int status = GPUBE_OK;

	if (t)
		t->m = s->costs;
	for (int32_t f = 0; t && f < s->seen.n_functions && fits && !status; f++)
		if (s->changed[f] && t->is_filled)
			status = gpube__min_tree_change(t, f);
	for (int32_t f = s->seen.n_functions; t && f < s->costs->n_functions && fits && !status;
		f++)
		if (t->is_filled)
			status = gpube__min_tree_add(t, f, &fits);
		else
			fits = false;
	if (fits && !status)
		return;
	gpube__min_tree_free(t);
	s->tree = NULL;
	s->no_tree = false;
	s->worked = 0;
}

int gpube__solver_sync(struct gpube_solver *s)
{
	struct gpube_model *m = s->model;
	const bool grows = m->n_functions != s->seen.n_functions || m->n_vars != s->seen.n_vars;
	__int128 constant;
	int status = GPUBE_OK;

	if (gpube__grow(s->ctx, &s->changed, &s->changed_capacity, (int64_t)m->n_functions + 1,
		    sizeof(*s->changed)))
		return GPUBE_ENOMEM;
	if (m->kind == GPUBE_POTENTIALS && (!s->quantised || grows || s->any_changed))
		status = quantise(s);
	if (status)
		return status;
	if (m->direction != s->direction) { /* all totals are others */
		gpube__solver_forget(s);
		gpube__min_tree_free(s->tree);
		s->tree = NULL;
		s->direction = m->direction;
	}
	constant = (__int128)s->costs->constant - s->seen.constant;
	constant = s->costs->direction == GPUBE_MAXIMISE ? -constant : constant;
	s->gain = add_gains(s->gain, constant <= -GPUBE_INF  ? -GPUBE_INF
				     : constant >= GPUBE_INF ? GPUBE_INF - 1
							     : (int64_t)constant);
	for (int32_t f = s->seen.n_functions; f < m->n_functions; f++)
		s->gain = add_gains(s->gain, least_of(s->costs, f));
	gpube__solver_shift(s, s->gain);
	if (grows || s->any_changed)
		follow(s);
	s->gain = 0;
	s->any_changed = false;
	s->seen = gpube__model_mark(s->costs);
	memset(s->changed, 0, (size_t)m->n_functions * sizeof(*s->changed));
	return GPUBE_OK;
}

int gpube__solver_fix(struct gpube_solver *s, bool *none)
{
	const struct gpube_model *m = s->model;

	*none = false;
	if (gpube__grow(s->ctx, &s->fixed, &s->fixed_capacity, (int64_t)m->n_vars + 1,
		    sizeof(*s->fixed)))
		return GPUBE_ENOMEM;
	for (int32_t i = 0; i < m->n_vars; i++)
		s->fixed[i] = m->evidence ? m->evidence[i] : -1;
	for (int64_t k = 0; k < s->n_assumed; k++) {
		int32_t *value = &s->fixed[s->assumed[k].var];

		*none = *none || (*value >= 0 && *value != s->assumed[k].value);
		*value = s->assumed[k].value;
	}
	return GPUBE_OK;
}
