/*
 * linear_split.c - the value that a node is split by, and an assignment near what the program says:
 * see linear_relaxation.h.
 */
#include "gpube/relax/linear/linear_parts.h"

#include <string.h>

/* Steps in a part. */
enum { STEPS = 500 };

/* What is live in a part. */
static void part_of(const struct gpube_linear_state *s, int32_t value, bool is, uint64_t *to)
{
	const struct gpube_linear_program *p = s->p;
	const int32_t i = p->owner[value];

	memcpy(to, s->live, (size_t)p->of.words * sizeof(*to));
	for (int32_t x = p->of.at[i]; x < p->of.at[i + 1]; x++)
		if ((x == value) != is)
			gpube__bit_drop(to, x);
}

/* Some steps in a part: its bound. */
static int64_t look(void *state, int32_t value, bool is)
{
	struct gpube_linear_state *s = state;
	bool empty;

	if (gpube__stopped(s->ctx))
		return INT64_MIN;
	part_of(s, value, is, s->other);
	(void)gpube__linear_propagate(s, s->other, &empty);
	if (empty)
		return GPUBE__NOTHING_LEFT;
	gpube__clp_begin(s->clp, s->basis);
	if (gpube__linear_solve(s, s->other, STEPS, &s->splits.steps[1]) == GPUBE__CLP_FAILS)
		return INT64_MIN;
	gpube__linear_prove(s, s->other, gpube__clp_price(s->clp));
	return s->bound;
}

/* Values of which a part is taken; where there is none, all of several variables. */
static int32_t list(struct gpube_linear_state *s)
{
	const struct gpube_linear_program *p = s->p;
	int32_t n = 0;

	for (int32_t x = 0; x < p->of.n_values; x++)
		if (gpube__bit(s->live, x) && s->value[x] > GPUBE__LEAST_PART &&
			s->value[x] < 1 - GPUBE__LEAST_PART)
			s->splits.candidates[n++] = x;
	for (int32_t i = 0; i < p->of.n && !n; i++)
		if (s->only[i] < 0)
			for (int32_t x = p->of.at[i]; x < p->of.at[i + 1]; x++)
				if (gpube__bit(s->live, x) && s->value[x] > 0.5)
					s->splits.candidates[n++] = x;
	for (int32_t x = 0; x < p->of.n_values && !n; x++)
		if (gpube__bit(s->live, x) && s->only[p->owner[x]] < 0)
			s->splits.candidates[n++] = x;
	return n;
}

int32_t gpube__linear_choose(void *state)
{
	struct gpube_linear_state *s = state;

	return gpube__splits_choose(
		&s->splits, list(s), s->value, s->bound, s->p->of.target, look, s);
}

int64_t gpube__linear_part(const void *state, int32_t value, bool is)
{
	return gpube__splits_part(&((const struct gpube_linear_state *)state)->splits, value, is);
}

/* ---- an assignment --------------------------------------------------------------------------- */

/* The variable without a value of which most is taken of one live value: that value; -1: none. */
static int32_t most_taken(const struct gpube_linear_state *s, const uint64_t *live)
{
	const struct gpube_linear_program *p = s->p;
	int32_t best = -1;

	for (int32_t i = 0; i < p->of.n; i++)
		if (s->left[i] > 1)
			for (int32_t x = p->of.at[i]; x < p->of.at[i + 1]; x++)
				if (gpube__bit(live, x) &&
					(best < 0 || s->value[x] > s->value[best]))
					best = x;
	return best;
}

/* Values are taken, the most taken first, and what rows exclude then is removed. */
void gpube__linear_round(void *state, int32_t *values)
{
	struct gpube_linear_state *s = state;
	const struct gpube_linear_program *p = s->p;
	uint64_t *live = s->other;
	bool empty;

	memcpy(live, s->live, (size_t)p->of.words * sizeof(*live));
	(void)gpube__linear_propagate(s, live, &empty);
	for (int32_t x; !empty && (x = most_taken(s, live)) >= 0;) {
		const int32_t i = p->owner[x];

		for (int32_t y = p->of.at[i]; y < p->of.at[i + 1]; y++)
			if (y != x)
				gpube__bit_drop(live, y);
		(void)gpube__linear_propagate(s, live, &empty);
	}
	for (int32_t i = 0; i < p->of.n; i++) {
		int32_t best = -1;

		for (int32_t x = p->of.at[i]; x < p->of.at[i + 1]; x++)
			if (gpube__bit(s->live, x) &&
				(best < 0 || gpube__bit(live, x) > gpube__bit(live, best) ||
					(gpube__bit(live, x) == gpube__bit(live, best) &&
						s->value[x] > s->value[best])))
				best = x;
		values[i] = best < 0 ? 0 : best - p->of.at[i];
	}
}
