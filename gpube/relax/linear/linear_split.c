/*
 * linear_split.c - the value that a node is split by, and an assignment near what the program says:
 * see linear_relaxation.h.
 *
 * A value of which the program takes a part is worth what the bound rises where it is taken, times
 * what it rises where it is not. What values brought before is a guess of that; where there are few
 * such, some steps of the simplex method in both parts say it (reliability branching; Achterberg,
 * Koch, Martin, Branching rules revisited, 2005).
 */
#include "gpube/relax/linear/linear_parts.h"

#include <math.h>
#include <string.h>

/* Parts less than that are rounding. */
#define LEAST_PART 1e-6
/* A value is known that was seen so often in each part. */
enum { RELIABLE = 8 };
/* Steps in a part; values that are looked at in vain, and in all. */
enum { STEPS = 500, PATIENCE = 6, MOST = 24 };
/* In parts, steps are so many times those in nodes at most, and some more. */
enum { PARTS_TO_NODES = 10, MORE_STEPS = 5000 };
/* What a rise counts that is none. */
#define LEAST_RISE 1e-6

static double mean_gain(const struct gpube_linear_state *s, bool is)
{
	double sum = 0, n = 0;

	for (int32_t x = 0; x < s->p->of.n_values; x++)
		if (s->tried[is][x]) {
			sum += s->gain[is][x];
			n++;
		}
	return n > 0 ? sum / n : 1;
}

static double score(const struct gpube_linear_state *s, const double rise[2])
{
	const double least = LEAST_RISE * (double)s->p->of.target;

	return fmax(rise[0], least) * fmax(rise[1], least);
}

static double guess(const struct gpube_linear_state *s, int32_t x, const double mean[2])
{
	double rise[2];

	for (int is = 0; is < 2; is++)
		rise[is] = (s->tried[is][x] ? s->gain[is][x] : mean[is]) *
			   (is ? 1 - s->value[x] : s->value[x]);
	return score(s, rise);
}

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

/* Whether values may be looked at, or guesses have to do. */
static bool may_look(const struct gpube_linear_state *s, int32_t x)
{
	return (s->tried[0][x] < RELIABLE || s->tried[1][x] < RELIABLE) &&
	       s->steps[1] <= PARTS_TO_NODES * s->steps[0] + MORE_STEPS;
}

/* Some steps in a part: its bound. */
static int64_t look(struct gpube_linear_state *s, int32_t value, bool is)
{
	const int64_t before = s->node_bound;
	const double whole = fmax(LEAST_PART, is ? 1 - s->value[value] : s->value[value]);
	int32_t *tried = &s->tried[is][value];
	bool empty;

	part_of(s, value, is, s->other);
	(void)gpube__linear_propagate(s, s->other, &empty);
	if (empty)
		return GPUBE__LINEAR_NOTHING;
	gpube__clp_begin(s->clp, s->basis);
	if (gpube__linear_solve(s, s->other, STEPS, &s->steps[1]) == GPUBE__CLP_FAILS)
		return before;
	gpube__linear_prove(s, s->other, gpube__clp_price(s->clp));
	if (s->bound > before && s->bound < s->p->of.target) {
		const double gain = (double)(s->bound - before) / whole;

		s->gain[is][value] += (gain - s->gain[is][value]) / ++*tried;
	} else if (s->bound <= before) {
		s->gain[is][value] -= s->gain[is][value] / ++*tried;
	}
	return s->bound > before ? s->bound : before;
}

/* The candidate of best guess, of n, from k on, comes to place k. */
static void next_best(struct gpube_linear_state *s, int32_t k, int32_t n, const double mean[2])
{
	int32_t best = k;
	double most = -1;

	for (int32_t j = k; j < n; j++) {
		const double own = guess(s, s->candidates[j], mean);

		if (own > most) {
			most = own;
			best = j;
		}
	}
	if (best != k) {
		const int32_t swap = s->candidates[k];

		s->candidates[k] = s->candidates[best];
		s->candidates[best] = swap;
	}
}

/* Values of which a part is taken; where there is none, all of several variables. */
static int32_t list(struct gpube_linear_state *s)
{
	const struct gpube_linear_program *p = s->p;
	int32_t n = 0;

	for (int32_t x = 0; x < p->of.n_values; x++)
		if (gpube__bit(s->live, x) && s->value[x] > LEAST_PART &&
			s->value[x] < 1 - LEAST_PART)
			s->candidates[n++] = x;
	for (int32_t i = 0; i < p->of.n && !n; i++)
		if (s->only[i] < 0)
			for (int32_t x = p->of.at[i]; x < p->of.at[i + 1]; x++)
				if (gpube__bit(s->live, x) && s->value[x] > 0.5)
					s->candidates[n++] = x;
	for (int32_t x = 0; x < p->of.n_values && !n; x++)
		if (gpube__bit(s->live, x) && s->only[p->owner[x]] < 0)
			s->candidates[n++] = x;
	return n;
}

int32_t gpube__linear_choose(void *state)
{
	struct gpube_linear_state *s = state;
	const int32_t n = list(s);
	const double mean[2] = {mean_gain(s, false), mean_gain(s, true)};
	double most = -1;
	int in_vain = 0, looked = 0;

	s->chosen = s->candidates[0];
	s->node_bound = s->bound;
	s->part[0] = s->part[1] = s->bound;
	for (int32_t k = 0; k < n && in_vain < PATIENCE && looked < MOST && !gpube__stopped(s->ctx);
		k++) {
		int64_t part[2] = {s->node_bound, s->node_bound};
		double own;
		int32_t x;

		next_best(s, k, n, mean);
		x = s->candidates[k];
		if (may_look(s, x)) {
			double rise[2];

			looked++;
			for (int is = 0; is < 2; is++) {
				part[is] = look(s, x, is);
				rise[is] = fmin((double)part[is], (double)s->p->of.target) -
					   (double)s->node_bound;
			}
			own = score(s, rise);
		} else {
			own = guess(s, x, mean);
		}
		in_vain++;
		if (own > most) {
			most = own;
			in_vain = 0;
			s->chosen = x;
			memcpy(s->part, part, sizeof(part));
		}
		if (part[0] >= s->p->of.target || part[1] >= s->p->of.target)
			break;
	}
	return s->chosen;
}

int64_t gpube__linear_part(const void *state, int32_t value, bool is)
{
	const struct gpube_linear_state *s = state;
	const int64_t bound = value == s->chosen ? s->part[is] : s->node_bound;

	return bound < GPUBE__LINEAR_NOTHING ? 2 * bound : 2 * GPUBE__LINEAR_NOTHING - 2;
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
