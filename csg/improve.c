/*
 * improve.c - for a search that was stopped: the best structure known, or a simple
 * one, made better by moves of one agent and by unions of two coalitions while that
 * gains. O(n^2) values a step.
 */
#include <math.h>

#include "csg/view.h"

#define MOST_STEPS 1000

struct structure {
	const struct csg__view *g;
	uint64_t part[GPUBE_MAX_AGENTS + 1]; /* the last one is empty: an agent may go there */
	double value[GPUBE_MAX_AGENTS + 1];
	int n;
};

static double value_of(const struct csg__view *g, uint64_t c)
{
	return c ? csg__value(g, c) : 0;
}

static double total(const struct csg__view *g, const uint64_t *part, int n)
{
	double sum = 0;

	for (int k = 0; k < n; k++)
		sum += value_of(g, part[k]);
	return sum;
}

static void set(struct structure *s, int k, uint64_t part)
{
	s->part[k] = part;
	s->value[k] = value_of(s->g, part);
}

/*
 * The best move of some agents of part k to part l, with what it gains: one of them,
 * or all. Sums with a forbidden coalition are -INFINITY and gain nothing.
 */
static double best_move(const struct structure *s, int *from, int *to, uint64_t *agents)
{
	double most = 0;

	for (int k = 0; k < s->n; k++)
		for (int l = 0; l <= s->n; l++)
			for (uint64_t left = s->part[k], move = left; l != k && move;
				left &= left - 1) {
				const double gain = value_of(s->g, s->part[k] ^ move) +
						    value_of(s->g, s->part[l] | move) -
						    s->value[k] - s->value[l];

				if (gain > most) {
					most = gain;
					*from = k;
					*to = l;
					*agents = move;
				}
				move = left & -left;
			}
	return most;
}

static void climb(struct structure *s)
{
	double size = 0;

	for (int k = 0; k < s->n; k++)
		size += fabs(s->value[k]);
	for (int step = 0; step < MOST_STEPS; step++) {
		int from = 0, to = 0;
		uint64_t agents = 0;

		/* rounding must not go in circles */
		if (!(best_move(s, &from, &to, &agents) > 1e-12 * size))
			return;
		set(s, to, s->part[to] | agents);
		set(s, from, s->part[from] ^ agents);
		if (to == s->n)
			s->n++;
		if (!s->part[from]) {
			s->n--;
			set(s, from, s->part[s->n]);
		}
		set(s, s->n, 0);
	}
}

void csg__improve(struct gpube_csg_result *r, const struct csg__view *g)
{
	const uint64_t all = csg__n_masks(g) - 1;
	double best = r->n_parts ? total(g, r->parts, r->n_parts) : -INFINITY;

	for (int start = 0; start < 3; start++) {
		struct structure s = {.g = g};

		if (start == 0)
			set(&s, s.n++, all);
		for (int i = 0; start == 1 && i < g->n; i++)
			set(&s, s.n++, (uint64_t)1 << i);
		for (int k = 0; start == 2 && k < r->n_parts; k++)
			set(&s, s.n++, r->parts[k]);
		if (s.n == 0 || total(g, s.part, s.n) == -INFINITY)
			continue;
		climb(&s);
		if (total(g, s.part, s.n) <= best)
			continue;
		best = total(g, s.part, s.n);
		for (r->n_parts = 0; r->n_parts < s.n; r->n_parts++)
			r->parts[r->n_parts] = s.part[r->n_parts];
	}
}
