/* region.c - regions: faces, halves, payoffs on their vertices, dominance. See players.h. */
#include <math.h>
#include <string.h>

#include "nash/players/players.h"

size_t nash__region_bytes(const struct nash_players *p)
{
	const size_t bytes = sizeof(struct nash_region) +
			     (size_t)p->vertices[p->n] * sizeof(double) +
			     (size_t)p->n * sizeof(int32_t) + (size_t)p->total;

	return (bytes + 7) / 8 * 8;
}

void nash__region_whole(struct nash_region *r, const struct nash_players *p)
{
	memset(r, 0, nash__region_bytes(p));
	r->support = -1;
	for (int32_t i = 0; i < p->n; i++) {
		nash__sizes(p, r)[i] = p->m[i];
		for (int32_t a = 0; a < p->m[i]; a++)
			nash__vertex(p, r, i, a)[a] = 1;
	}
}

bool nash__region_decided(const struct nash_players *p, const struct nash_region *r)
{
	return !memchr(nash__states(p, r), NASH_UNDECIDED, (size_t)p->total);
}

bool nash__region_without(
	struct nash_region *r, const struct nash_players *p, int32_t i, int32_t action)
{
	int32_t *size = &nash__sizes(p, r)[i], left = 0;

	for (int32_t k = 0; k < *size; k++)
		if (nash__vertex(p, r, i, k)[action] == 0) {
			memmove(nash__vertex(p, r, i, left), nash__vertex(p, r, i, k),
				(size_t)p->m[i] * sizeof(double));
			left++;
		}
	*size = left;
	nash__states(p, r)[p->first[i] + action] = NASH_OUT;
	return left > 0;
}

/*
 * Each of the sums over the actions of one player has weights that add up to 1, and numbers of at
 * most 1: it rounds by m + 1 units of 2^-53, and m vertices are 'halved' units off. What it begins
 * with is two units off. The sum is below total * halved + total + n + 2 units; four times
 * (total + 2) * (halved + 2) is well above it.
 */
double nash__region_error(const struct nash_players *p, const struct nash_region *r)
{
	return 0x1p-51 * (p->total + 2) * (r->halved + 2);
}

double nash__edge(const double *v, const double *w, int32_t m)
{
	double most = 0;

	for (int32_t a = 0; a < m; a++)
		most = fmax(most, fabs(v[a] - w[a]));
	return most;
}

double nash__region_width(const struct nash_players *p, const struct nash_region *r)
{
	double most = 0;

	for (int32_t i = 0; i < p->n; i++)
		for (int32_t k = 0; k < nash__sizes(p, r)[i]; k++)
			for (int32_t l = 0; l < k; l++)
				most = fmax(most, nash__edge(nash__vertex(p, r, i, k),
							  nash__vertex(p, r, i, l), p->m[i]));
	return most;
}

/* ---- payoffs and dominance ----------------------------------------------------------------- */

/* One player's actions give way to the vertices: from outer x m x inner to outer x k x inner. */
static void put_vertices(double *to, const double *from, const double *v, int32_t k, int32_t m,
	int64_t outer, int64_t inner)
{
	for (int64_t o = 0; o < outer; o++)
		for (int32_t l = 0; l < k; l++) {
			double *sum = to + (o * k + l) * inner;

			for (int64_t x = 0; x < inner; x++)
				sum[x] = 0;
			for (int32_t a = 0; a < m; a++) {
				const double p = v[(int64_t)l * m + a];
				const double *u = from + (o * m + a) * inner;

				for (int64_t x = 0; p != 0 && x < inner; x++)
					sum[x] += p * u[x];
			}
		}
}

static void evaluate(struct nash_work *w, const struct nash_region *r, int32_t i)
{
	const struct nash_players *p = w->p;
	const int32_t *k = nash__sizes(p, r), last = i == p->n - 1 ? p->n - 2 : p->n - 1;
	const double *from = p->u[i];
	int64_t outer = 1, inner = p->profiles;
	int turn = 0;

	for (int32_t j = 0; j < p->n; j++) {
		inner /= p->m[j];
		if (j != i) {
			double *to = j == last ? w->t[i] : w->buffer[turn];

			put_vertices(
				to, from, nash__vertex(p, r, j, 0), k[j], p->m[j], outer, inner);
			from = to;
			turn = 1 - turn;
		}
		outer *= j == i ? p->m[j] : k[j];
	}
	if (p->n == 1)
		memcpy(w->t[i], from, (size_t)p->profiles * sizeof(double));
}

/* Whether 'by' is better than 'action' on all of the region. */
static bool dominated(const double *t, int32_t m, int32_t action, int32_t by, int64_t outer,
	int64_t inner, double error)
{
	for (int64_t o = 0; o < outer; o++) {
		const double *a = t + (o * m + action) * inner, *b = t + (o * m + by) * inner;

		for (int64_t x = 0; x < inner; x++)
			if (!(a[x] < b[x] - error))
				return false;
	}
	return true;
}

/*
 * What the vertices say of a player's actions, and that one is played. False: no point of the
 * region is what the states say.
 */
static bool decide(struct nash_region *r, const struct nash_players *p, int32_t i)
{
	uint8_t *state = nash__states(p, r) + p->first[i];
	int32_t left = 0, last = 0;

	for (int32_t a = 0; a < p->m[i]; a++) {
		bool zero = false, positive = false;

		for (int32_t k = 0; k < nash__sizes(p, r)[i]; k++)
			*(nash__vertex(p, r, i, k)[a] > 0 ? &positive : &zero) = true;
		if (state[a] == NASH_IN && !positive)
			return false;
		if (state[a] == NASH_UNDECIDED && !positive)
			state[a] = NASH_OUT;
		if (state[a] == NASH_UNDECIDED && !zero)
			state[a] = NASH_IN;
		if (state[a] != NASH_OUT) {
			left++;
			last = a;
		}
	}
	if (left == 1)
		state[last] = NASH_IN;
	return true;
}

/* One player's actions; *again: something was taken out. False: the region is empty. */
static bool reduce_player(struct nash_region *r, struct nash_work *w, int32_t i, bool *again)
{
	const struct nash_players *p = w->p;
	const int64_t outer = nash__product(nash__sizes(p, r), 0, i),
		      inner = nash__product(nash__sizes(p, r), i + 1, p->n);
	const double error = 3 * nash__region_error(p, r);
	uint8_t *state = nash__states(p, r) + p->first[i];

	for (int32_t a = 0; a < p->m[i]; a++)
		for (int32_t b = 0; b < p->m[i] && state[a] != NASH_OUT; b++) {
			if (a == b || !dominated(w->t[i], p->m[i], a, b, outer, inner, error))
				continue;
			w->steps[w->n_steps++] = p->first[i] + a;
			w->steps[w->n_steps++] = p->first[i] + b;
			if (state[a] == NASH_IN || !nash__region_without(r, p, i, a))
				return false;
			*again = true;
		}
	return true;
}

bool nash__region_reduce(struct nash_region *r, struct nash_work *w)
{
	const struct nash_players *p = w->p;

	w->n_steps = 0;
	for (bool again = true; again;) {
		again = false;
		for (int32_t i = 0; i < p->n; i++) {
			if (!decide(r, p, i))
				return false;
			evaluate(w, r, i);
			gpube__work(w->ctx, p->profiles * p->m[i]);
			if (!reduce_player(r, w, i, &again))
				return false;
		}
	}
	for (int32_t i = 0; i < p->n; i++)
		if (!decide(r, p, i))
			return false;
	return true;
}
