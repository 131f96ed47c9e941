/* branch.c - how a region is divided: by an action that is played or not, otherwise in halves. */
#include <math.h>
#include <string.h>

#include "nash/players/players.h"

/* An undecided action whose probability and loss are both large in the program's solution. */
static int32_t undecided(const struct nash_work *w, const struct nash_region *r)
{
	const uint8_t *state = nash__states(w->p, r);
	int32_t best = -1;

	for (int32_t k = 0; k < w->p->total; k++)
		if (state[k] == NASH_UNDECIDED && (best < 0 || w->products[k] > w->products[best]))
			best = k;
	return best;
}

/* An edge of one player's simplex, from vertex k to vertex l. */
struct edge {
	int32_t player, k, l;
	double score;
};

/*
 * How much what the players compare changes along each edge of player j: of player i, whose payoffs
 * are w->t[i], the means over the others' vertices, summed over i's actions, added to 'sums'.
 */
static void add_changes(
	const struct nash_work *w, const struct nash_region *r, int32_t i, int32_t j, double *sums)
{
	const struct nash_players *p = w->p;
	const int32_t *k = nash__sizes(p, r), m = p->m[i], n = k[j];
	const uint8_t *state = nash__states(p, r) + p->first[i];
	const double *t = w->t[i];
	int64_t step_i = 1, step_j = 1, cells = 1;
	int32_t reference = 0;

	while (state[reference] != NASH_IN)
		reference++;
	for (int32_t q = p->n - 1; q >= 0; cells *= q == i ? m : k[q], q--) {
		step_i = q == i ? cells : step_i;
		step_j = q == j ? cells : step_j;
	}
	for (int64_t x = 0; x < cells; x++) {
		const int32_t a = (int32_t)(x / step_i % m), v = (int32_t)(x / step_j % n);
		const int64_t y = x + (reference - a) * step_i;

		for (int32_t l = v + 1; a != reference && state[a] == NASH_IN && l < n; l++) {
			const int64_t far = (l - v) * step_j;

			sums[v * n + l] += fabs((t[x] - t[y]) - (t[x + far] - t[y + far])) *
					   (double)(m * n) / (double)cells;
		}
	}
}

/* The longest edge, where what is compared changes most, between vertices that have weight. */
static struct edge longest(struct nash_work *w, const struct nash_region *r, double *sums)
{
	const struct nash_players *p = w->p;
	const int32_t *k = nash__sizes(p, r);
	struct edge best = {0};
	const double *weight = w->weight;

	for (int32_t j = 0; j < p->n; weight += k[j++]) {
		memset(sums, 0, (size_t)k[j] * (size_t)k[j] * sizeof(*sums));
		for (int32_t i = 0; i < p->n; i++)
			if (i != j)
				add_changes(w, r, i, j, sums);
		for (int32_t a = 0; a < k[j]; a++)
			for (int32_t b = a + 1; b < k[j]; b++) {
				const double *v = nash__vertex(p, r, j, a),
					     *u = nash__vertex(p, r, j, b);
				const double length = nash__edge(v, u, p->m[j]);
				struct edge e = {.player = j, .k = a, .l = b};

				e.score = (sums[a * k[j] + b] + 0.1 * length) *
					  (fmin(weight[a], weight[b]) + 0.05);
				if (e.score > best.score)
					best = e;
			}
	}
	return best;
}

static void halve(
	struct nash_region *r, const struct nash_players *p, const struct edge *e, bool second)
{
	double *v = nash__vertex(p, r, e->player, second ? e->k : e->l);
	const double *u = nash__vertex(p, r, e->player, second ? e->l : e->k);

	for (int32_t a = 0; a < p->m[e->player]; a++)
		v[a] = (v[a] + u[a]) / 2;
	r->halved++;
}

int nash__divide(struct nash_region *children[2], struct nash_work *w, const struct nash_region *r,
	int32_t how[3])
{
	const struct nash_players *p = w->p;
	const size_t bytes = nash__region_bytes(p);
	const int32_t action = undecided(w, r);
	int n = 0;

	memcpy(children[0], r, bytes);
	memcpy(children[1], r, bytes);
	if (action >= 0) {
		int32_t i = 0;

		while (i + 1 < p->n && p->first[i + 1] <= action)
			i++;
		nash__states(p, children[n])[action] = NASH_IN;
		how[0] = -1;
		how[1] = action;
		n = 1;
		if (nash__region_without(children[n], p, i, action - p->first[i]))
			n++;
	} else {
		const struct edge e = longest(w, r, w->lambda);

		halve(children[0], p, &e, false);
		halve(children[1], p, &e, true);
		how[0] = e.player;
		how[1] = e.k;
		how[2] = e.l;
		n = 2;
	}
	return n;
}
