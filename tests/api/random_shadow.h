/*
 * random_shadow.h - what is kept beside each of some models and solvers: for every function, what
 * it costs at every assignment; and whether the library says the same. See random_calls.h.
 */
#ifndef GPUBE_TEST_RANDOM_SHADOW_H
#define GPUBE_TEST_RANDOM_SHADOW_H

#include <string.h>

#include "gpube/solver.h"
#include "tests/api/random_calls.h"

enum {
	SLOTS = 3,
	MOST_VARS = 4, /* hidden ones apart */
	MOST_DOMAIN = 3,
	CELLS = 81, /* MOST_DOMAIN to the power of MOST_VARS */
	MOST_FUNCTIONS = 6,
	MOST_HIDDEN = 40
};

/*
 * price  at assignments of the variables that there were; cell a of v[0] + 3 v[1] + 9 v[2] …
 * at     the model's function, if it is one with these cells; -1: of several, or a constant
 */
struct function {
	int64_t price[CELLS];
	int n_cells, arity;
	int32_t at, scope[MOST_VARS];
};

/* What a model ought to be; var: where the variable is in it, beside hidden ones. */
struct shadow {
	int n_vars, n_functions, scale;
	int32_t var[MOST_VARS], domain[MOST_VARS], observed[MOST_VARS], assumed[MOST_VARS];
	char name[MOST_VARS][8], value_name[MOST_VARS][MOST_DOMAIN][8];
	bool contradiction;
	struct function functions[MOST_FUNCTIONS];
	int64_t top;
	enum gpube_direction direction;
};

/* A model, or a solver with its model; or nothing. */
static struct slot {
	struct gpube_model *m;
	struct gpube_solver *s;
	struct shadow is;
} slots[SLOTS];

/* The one that a call is for. */
static struct slot *at;
static struct shadow *w;

static inline bool maximises(void)
{
	return w->direction == GPUBE_MAXIMISE;
}

/* ---- the model beside ------------------------------------------------------------------------ */

static const int power[MOST_VARS + 1] = {1, 3, 9, 27, 81};

/* The next assignment; false: that was the last one. */
static inline bool next(int32_t values[MOST_VARS])
{
	for (int i = 0; i < w->n_vars; i++) {
		if (++values[i] < w->domain[i])
			return true;
		values[i] = 0;
	}
	return false;
}

static inline int cell_of(const int32_t *values)
{
	int cell = 0;

	for (int i = 0; i < w->n_vars; i++)
		cell += power[i] * values[i];
	return cell;
}

/* GPUBE_INF: not allowed; 'assuming' also if the next run is told otherwise. */
static inline int64_t total(const int32_t *values, bool assuming)
{
	int64_t sum = 0;

	for (int i = 0; i < w->n_vars; i++)
		if ((w->observed[i] >= 0 && w->observed[i] != values[i]) ||
			(assuming && w->assumed[i] >= 0 && w->assumed[i] != values[i]))
			return GPUBE_INF;
	for (int f = 0; f < w->n_functions; f++) {
		const struct function *g = &w->functions[f];
		const int64_t price = g->price[cell_of(values) % g->n_cells];

		if (price == GPUBE_INF)
			return GPUBE_INF;
		sum += price;
	}
	if (maximises() ? w->top != -GPUBE_INF && sum <= w->top
			: w->top != GPUBE_INF && sum >= w->top)
		return GPUBE_INF;
	return sum;
}

static inline bool is_better(int64_t a, int64_t b)
{
	return maximises() ? a > b : a < b;
}

/* Totals of all that is allowed, the best in front; how many. */
static inline int all_totals(int64_t *totals, bool assuming)
{
	int32_t values[MOST_VARS] = {0};
	int n = 0;

	if (assuming && w->contradiction)
		return 0;
	do {
		const int64_t sum = total(values, assuming);
		int k = n;

		if (sum == GPUBE_INF)
			continue;
		for (; k > 0 && is_better(sum, totals[k - 1]); k--)
			totals[k] = totals[k - 1];
		totals[k] = sum;
		n++;
	} while (next(values));
	return n;
}

/* ---- what the accessors say is what is kept -------------------------------------------------- */

static inline void same_price(const int32_t *values)
{
	int32_t all[MOST_VARS + MOST_HIDDEN * 4] = {0};
	int64_t cost;

	for (int i = 0; i < w->n_vars; i++)
		all[w->var[i]] = values[i];
	assert_int_equal(gpube_model_complete(all, at->m), 0);
	assert_int_equal(gpube_model_cost(&cost, at->m, all), 0);
	if (cost != total(values, false))
		fail_msg("%lld, not %lld", (long long)cost, (long long)total(values, false));
}

static inline void same_names(int i)
{
	const char *name = gpube_model_var_name(at->m, w->var[i]);

	if (*w->name[i])
		assert_string_equal(name, w->name[i]);
	for (int32_t a = 0; a < w->domain[i]; a++) {
		name = gpube_model_value_name(at->m, w->var[i], a);
		assert_string_equal(name ? name : "", w->value_name[i][a]);
	}
}

/* Of some assignments, or of all. */
static inline void same_state(bool all)
{
	const struct gpube_model_info *info = gpube_model_info(at->m);
	int32_t values[MOST_VARS] = {0};

	assert_int_equal(info->n_vars - info->n_hidden, w->n_vars);
	assert_int_equal(info->scale, w->scale);
	assert_int_equal(info->direction, w->direction);
	assert_true(info->top == w->top);
	for (int i = 0; i < w->n_vars; i++) {
		assert_int_equal(gpube_model_is_hidden(at->m, w->var[i]), 0);
		assert_int_equal(gpube_model_domain(at->m, w->var[i]), w->domain[i]);
		assert_int_equal(gpube_model_observed(at->m, w->var[i]), w->observed[i]);
		same_names(i);
	}
	if (all)
		do
			same_price(values);
		while (next(values));
	for (int k = 0; k < 3; k++) {
		for (int i = 0; i < w->n_vars; i++)
			values[i] = below(w->domain[i]);
		same_price(values);
	}
}

/* An allocation of the call may fail: then nothing has changed. */
static inline bool failed(int status)
{
	if (!was_scarce(status))
		return false;
	same_state(false);
	return true;
}

/* What a run has said is true; assuming: a solver's, with what it was told to assume. */
static inline void check_answer(
	const struct gpube_solution *said, bool assuming, const int64_t *cutoff)
{
	int64_t totals[CELLS];
	const int n = all_totals(totals, assuming);
	const bool none_better = cutoff && (!n || !is_better(totals[0], *cutoff));

	assert_true(!said->closed || none_better);
	if (said->answer == GPUBE_ANSWER_INFEASIBLE)
		assert_int_equal(n, 0);
	else if (said->answer == GPUBE_ANSWER_OPTIMAL)
		assert_true(
			n && said->cost == totals[0] && said->bound == totals[0] && said->values);
	else
		assert_true(said->closed);
	if (n && !said->closed)
		assert_true(!is_better(totals[0], said->bound));
	if (said->values) {
		int32_t values[MOST_VARS];

		for (int i = 0; i < w->n_vars; i++)
			values[i] = said->values[w->var[i]];
		assert_true(total(values, assuming) == said->cost);
	}
}

#endif
