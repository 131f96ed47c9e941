/* splits.c - which value is split from the others: see splits.h. */
#include "gpube/relax/linear/splits.h"

#include <math.h>
#include <string.h>

/* A value is known that was seen so often in each part. */
enum { RELIABLE = 8 };
/* Values that are looked at in vain, and in all. */
enum { PATIENCE = 6, MOST = 24 };
/* In looks, steps are so many times those in nodes at most, and some more. */
enum { LOOKS_TO_NODES = 10, MORE_STEPS = 5000 };
/* What a rise counts that is none. */
#define LEAST_RISE 1e-6

void gpube__splits_init(struct gpube_branching *s, struct gpube__arrays *memory, int32_t n_values)
{
	const uint64_t n = (uint64_t)n_values + 1;

	s->n_values = n_values;
	s->candidates = gpube__array(memory, n, sizeof(*s->candidates));
	for (int is = 0; is < 2; is++) {
		s->gain[is] = gpube__array(memory, n, sizeof(**s->gain));
		s->tried[is] = gpube__array(memory, n, sizeof(**s->tried));
	}
}

/* What a choice looks at. */
struct choice {
	struct gpube_branching *s;
	const double *value;
	double least; /* rise that counts */
	double mean[2];
};

static double mean_gain(const struct gpube_branching *s, bool is)
{
	double sum = 0, n = 0;

	for (int32_t x = 0; x < s->n_values; x++)
		if (s->tried[is][x]) {
			sum += s->gain[is][x];
			n++;
		}
	return n > 0 ? sum / n : 1;
}

static double score(const struct choice *c, const double rise[2])
{
	return fmax(rise[0], c->least) * fmax(rise[1], c->least);
}

static double guess(const struct choice *c, int32_t x)
{
	const struct gpube_branching *s = c->s;
	double rise[2];

	for (int is = 0; is < 2; is++)
		rise[is] = (s->tried[is][x] ? s->gain[is][x] : c->mean[is]) *
			   (is ? 1 - c->value[x] : c->value[x]);
	return score(c, rise);
}

/* Whether values may be looked at, or guesses have to do. */
static bool may_look(const struct gpube_branching *s, int32_t x)
{
	return (s->tried[0][x] < RELIABLE || s->tried[1][x] < RELIABLE) &&
	       s->steps[1] <= LOOKS_TO_NODES * s->steps[0] + MORE_STEPS;
}

/* What a part's bound says of the value. */
static void learn(const struct choice *c, int32_t x, bool is, int64_t bound, int64_t target)
{
	struct gpube_branching *s = c->s;
	const double whole = fmax(GPUBE__LEAST_PART, is ? 1 - c->value[x] : c->value[x]);

	if (bound >= target)
		return; /* the rise is more than that */
	s->gain[is][x] += ((double)(bound - s->bound) / whole - s->gain[is][x]) / ++s->tried[is][x];
}

/* The candidate of best guess, of n, from k on, comes to place k. */
static void next_best(const struct choice *c, int32_t k, int32_t n)
{
	int32_t *candidates = c->s->candidates, best = k;
	double most = -1;

	for (int32_t j = k; j < n; j++) {
		const double own = guess(c, candidates[j]);

		if (own > most) {
			most = own;
			best = j;
		}
	}
	if (best != k) {
		const int32_t swap = candidates[k];

		candidates[k] = candidates[best];
		candidates[best] = swap;
	}
}

int32_t gpube__splits_choose(struct gpube_branching *s, int32_t n, const double *value,
	int64_t bound, int64_t target, int64_t (*look)(void *state, int32_t value, bool is),
	void *state)
{
	const struct choice c = {.s = s,
		.value = value,
		.least = LEAST_RISE * (double)target,
		.mean = {mean_gain(s, false), mean_gain(s, true)}};
	double most = -1;
	int in_vain = 0, looked = 0;

	s->chosen = s->candidates[0];
	s->bound = bound;
	s->part[0] = s->part[1] = bound;
	for (int32_t k = 0; k < n && in_vain < PATIENCE && looked < MOST; k++) {
		int64_t part[2] = {bound, bound};
		int32_t x;
		double own;

		next_best(&c, k, n);
		x = s->candidates[k];
		if (may_look(s, x)) {
			double rise[2];

			looked++;
			for (int is = 0; is < 2; is++) {
				const int64_t seen = look(state, x, is);

				part[is] = seen > bound ? seen : bound;
				if (seen > INT64_MIN)
					learn(&c, x, is, part[is], target);
				rise[is] = fmin((double)part[is], (double)target) - (double)bound;
			}
			own = score(&c, rise);
		} else {
			own = guess(&c, x);
		}
		in_vain++;
		if (own > most) {
			most = own;
			in_vain = 0;
			s->chosen = x;
			memcpy(s->part, part, sizeof(part));
		}
		if (part[0] >= target || part[1] >= target)
			break;
	}
	return s->chosen;
}

int64_t gpube__splits_part(const struct gpube_branching *s, int32_t value, bool is)
{
	const int64_t bound = value == s->chosen ? s->part[is] : s->bound;

	return bound < GPUBE__NOTHING_LEFT ? 2 * bound : 2 * GPUBE__NOTHING_LEFT - 2;
}
