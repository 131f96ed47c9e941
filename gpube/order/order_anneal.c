/*
 * order_anneal.c - annealing of a window's order, by moves of single vertices.
 *
 * What a vertex costs depends on the set that was eliminated before it, not on that set's order: so
 * a move from one place to another changes nothing outside the places between them, and no graph is
 * filled. What is eliminated already is a few connected parts, each with a scope; a vertex joins
 * those whose scopes hold it. A move takes less than a microsecond in a window of 100 vertices, and
 * annealing makes hundreds of thousands, which leave the valleys where greedy eliminations of the
 * same window end: he075 of PACE 2017 (100 vertices of degree 36, all alike) has 10^25.5 joined
 * cells by those and 10^24.6 here, from every seed.
 *
 * As soon as a vertex meets all that are left, those are a clique: the places behind it are not
 * looked at.
 */
#include "gpube/order/order_parts.h"

#include <string.h>

#define INLINE     static inline __attribute__((always_inline))
#define COOLED     0.05  /* of the first heat, at the end */
#define NEGLIGIBLE 1e-12 /* of a sum: a clique's last tables */

/* Without the instruction, which not every x86-64 has, the compiler's own is a call and a table. */
INLINE int anneal_bits(uint64_t v)
{
	v -= v >> 1 & 0x5555555555555555u;
	v = (v & 0x3333333333333333u) + (v >> 2 & 0x3333333333333333u);
	v = (v + (v >> 4)) & 0x0f0f0f0f0f0f0f0fu;
	return (int)(v * 0x0101010101010101u >> 56);
}

/*
 * A table of windows as large has all vertices of one domain in one row; those of too many domains
 * are left alone.
 */
static bool know_domains(struct gpube_anneal *a, const struct gpube_order_window *g, double power)
{
	int64_t log_domain[GPUBE_ANNEAL_DOMAINS];

	a->n_domains = 0;
	memset(a->of_domain, 0, sizeof(a->of_domain));
	for (int v = 0; v < g->n; v++) {
		int k = 0;

		while (k < a->n_domains && log_domain[k] != g->log_domain[v])
			k++;
		if (k == GPUBE_ANNEAL_DOMAINS)
			return false;
		if (k == a->n_domains)
			log_domain[a->n_domains++] = g->log_domain[v];
		a->of_domain[k][v / 64] |= UINT64_C(1) << v % 64;
		a->shrinks[v] = gpube__log_to_weight(-g->log_domain[v], power);
	}
	for (int k = 0; k < a->n_domains; k++)
		for (int i = 0; i <= g->n; i++)
			a->weight_of[k][i] = gpube__log_to_weight(i * log_domain[k], power);
	return true;
}

INLINE double weight_of_set(const struct gpube_anneal *a, const uint64_t *set, int words)
{
	double weight = 1;

	for (int k = 0; k < a->n_domains; k++) {
		int n = 0;

		for (int i = 0; i < words; i++)
			n += anneal_bits(set[i] & a->of_domain[k][i]);
		weight *= a->weight_of[k][n];
	}
	return weight;
}

/*
 * Parts of what is eliminated before a place: their scopes, and the place of each one's last
 * vertex.
 */
struct parts {
	int n, place[GPUBE_WINDOW_MAX];
	uint64_t scope[GPUBE_WINDOW_MAX][GPUBE_WINDOW_WORDS];
	uint64_t left[GPUBE_WINDOW_WORDS]; /* what is not eliminated */
};

INLINE void parts_before(struct parts *s, const struct gpube_anneal *a,
	const struct gpube_order_window *g, int place, int words)
{
	s->n = 0;
	for (int i = 0; i < words; i++)
		s->left[i] =
			g->n - 64 * i >= 64 ? ~UINT64_C(0) : (UINT64_C(1) << (g->n - 64 * i)) - 1;
	for (int p = 0; p < place; p++) {
		s->left[a->order[p] / 64] &= ~(UINT64_C(1) << a->order[p] % 64);
		if (p >= a->clique || a->joins[p] < place)
			continue;
		s->place[s->n] = p;
		memcpy(s->scope[s->n++], a->scope + p * words, (size_t)words * sizeof(uint64_t));
	}
}

/*
 * Eliminates v at a place: 'scope', and of its parts which joins it. Returns whether all that are
 * left are in its scope.
 */
INLINE bool eliminate(struct parts *s, struct gpube_anneal *a, const struct gpube_order_window *g,
	int v, int place, uint64_t *scope, bool keeps, int words)
{
	uint64_t others = 0;

	memcpy(scope, g->rows + v * words, (size_t)words * sizeof(*scope));
	for (int k = 0; k < s->n;) {
		if (!(s->scope[k][v / 64] >> v % 64 & 1)) {
			k++;
			continue;
		}
		for (int i = 0; i < words; i++)
			scope[i] |= s->scope[k][i];
		if (keeps)
			a->joins[s->place[k]] = place;
		s->place[k] = s->place[--s->n];
		memcpy(s->scope[k], s->scope[s->n], (size_t)words * sizeof(*scope));
	}
	s->left[v / 64] &= ~(UINT64_C(1) << v % 64);
	for (int i = 0; i < words; i++) {
		scope[i] &= s->left[i];
		others |= s->left[i] ^ scope[i];
	}
	s->place[s->n] = place;
	memcpy(s->scope[s->n++], scope, (size_t)words * sizeof(*scope));
	return others == 0;
}

/*
 * The tables of a clique: the vertices order[place …], of which the first one's has so much weight.
 */
static double clique_weight(
	const struct gpube_anneal *a, const uint8_t *order, int place, int n, double weight)
{
	double sum = 0;

	for (int p = place; p < n && weight > NEGLIGIBLE * sum; p++) {
		sum += weight;
		weight *= a->shrinks[order[p]];
	}
	return sum;
}

/*
 * The weight of an order that is a's but from the place 'from' to 'to'; infinite as soon as it is
 * above 'most', or a table above 'most_weight'. With 'keeps', which has no such limits, it becomes
 * a's.
 */
INLINE double weigh(struct gpube_anneal *a, const struct gpube_order_window *g,
	const uint8_t *order, int from, int to, double most, double most_weight, bool keeps,
	int words)
{
	const int last = keeps || to >= a->clique ? g->n_inner - 1 : to;
	double sum = from > 0 ? a->behind[0] - a->behind[from] : 0;
	bool clique = false;
	struct parts s;
	int p;

	parts_before(&s, a, g, from, words);
	for (int k = 0; keeps && k < s.n; k++)
		a->joins[s.place[k]] = g->n_inner; /* until one does */
	for (p = from; p <= last && !clique; p++) {
		uint64_t scope[GPUBE_WINDOW_WORDS];
		const int v = order[p];
		double weight;

		clique = eliminate(&s, a, g, v, p, scope, keeps, words);
		a->work += 6 + 2 * s.n;
		if (keeps) {
			memcpy(a->scope + p * words, scope, (size_t)words * sizeof(*scope));
			a->joins[p] = g->n_inner;
		}
		scope[v / 64] |= UINT64_C(1) << v % 64;
		weight = weight_of_set(a, scope, words);
		if (!keeps && weight > most_weight)
			return INFINITY;
		if (clique)
			weight = clique_weight(a, order, p, g->n_inner, weight);
		if (keeps)
			a->weight[p] = weight;
		sum += weight;
		if (!keeps && sum > most)
			return INFINITY;
	}
	if (!keeps)
		return clique ? sum : sum + a->behind[p];
	a->clique = clique ? p - 1 : p;
	sum = 0;
	a->behind[p] = 0;
	for (int k = p - 1; k >= 0; k--)
		a->behind[k] = sum += a->weight[k];
	return sum;
}

/* Moves the vertex of one place to another. */
static void move_vertex(uint8_t *order, int from, int to)
{
	const uint8_t v = order[from];

	if (from < to)
		memmove(order + from, order + from + 1, (size_t)(to - from));
	else
		memmove(order + to + 1, order + to, (size_t)(from - to));
	order[to] = v;
}

INLINE bool anneal(struct gpube_anneal *a, const struct gpube_order_window *g, uint8_t *order,
	double *sum, const struct gpube_window_goal *goal, double heat, int64_t budget,
	struct gpube_rng *rng, int words)
{
	const double most_weight = gpube__log_to_weight(goal->most_log, goal->power) * (1 + 1e-9);
	const int64_t end = a->work + budget;
	double now, least = goal->most_sum;
	bool found = false;

	memcpy(a->order, order, (size_t)g->n_inner);
	a->clique = g->n_inner;
	now = weigh(a, g, a->order, 0, g->n_inner, INFINITY, INFINITY, true, words);
	for (int64_t left = budget; left > 0; left = end - a->work) {
		const int active = a->clique + 1 < g->n_inner ? a->clique + 1 : g->n_inner;
		const int from = (int)gpube__rng_below(
			rng, (uint64_t)(gpube__rng_below(rng, 2) ? active : g->n_inner));
		const int to = (int)gpube__rng_below(rng, (uint64_t)active);
		const double warmth = heat * pow(COOLED, 1 - (double)left / (double)budget);
		const double most = now * pow(1 - gpube__rng_unit(rng), -warmth);
		double then;

		a->work += 10;
		if (from == to)
			continue;
		memcpy(a->trial, a->order, (size_t)g->n_inner);
		move_vertex(a->trial, from, to);
		then = weigh(a, g, a->trial, from < to ? from : to, from < to ? to : from, most,
			most_weight, false, words);
		if (!(then <= most))
			continue;
		memcpy(a->order, a->trial, (size_t)g->n_inner);
		now = weigh(a, g, a->order, from < to ? from : to, g->n_inner, INFINITY, INFINITY,
			true, words);
		if (now < least) {
			least = *sum = now;
			memcpy(order, a->order, (size_t)g->n_inner);
			found = true;
		}
	}
	return found;
}

bool gpube__window_anneal(const struct gpube_order_window *g, struct gpube_anneal *a,
	uint8_t *order, double *sum, const struct gpube_window_goal *goal, double heat,
	int64_t budget, struct gpube_rng *rng)
{
	if (g->n_inner < 2 || !know_domains(a, g, goal->power))
		return false;
	switch (g->words) {
	case 1:
		return anneal(a, g, order, sum, goal, heat, budget, rng, 1);
	case 2:
		return anneal(a, g, order, sum, goal, heat, budget, rng, 2);
	default:
		return anneal(a, g, order, sum, goal, heat, budget, rng, g->words);
	}
}
