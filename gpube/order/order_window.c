/*
 * order_window.c - elimination of a window: a few dozen vertices as bit rows.
 *
 * One word a row while the window and its boundary fit: an elimination of 30
 * vertices takes a few microseconds, so that the local search can afford
 * thousands of them a second. The functions are written once for a number of
 * words that the compiler knows, and instantiated for 1, 2 and any.
 */
#include "gpube/order/order_parts.h"

#include <string.h>

#define INLINE static inline __attribute__((always_inline))

/* Without the instruction, which not every x86-64 has, the compiler's own is a call and a table. */
INLINE int count_bits(uint64_t v)
{
	v -= v >> 1 & 0x5555555555555555u;
	v = (v & 0x3333333333333333u) + (v >> 2 & 0x3333333333333333u);
	v = (v + (v >> 4)) & 0x0f0f0f0f0f0f0f0fu;
	return (int)(v * 0x0101010101010101u >> 56);
}

INLINE int count_and(const uint64_t *a, const uint64_t *b, int words)
{
	int n = 0;

	for (int i = 0; i < words; i++)
		n += count_bits(a[i] & b[i]);
	return n;
}

#define FOR_BITS(v, word, base)                                                                    \
	for (uint64_t bits_##v = (word); bits_##v; bits_##v &= bits_##v - 1)                       \
		for (int v = (base) + __builtin_ctzll(bits_##v), once_##v = 1; once_##v;           \
			once_##v = 0)

INLINE double window_key(const struct gpube_order_window *g, const struct gpube_window_work *w,
	int v, const struct gpube_greedy_rule *r, struct gpube_rng *rng)
{
	double key =
		r->by_fill * w->fill[v] + r->by_degree * w->degree[v] +
		(r->by_size * (double)w->log_message[v] + r->by_domain * (double)g->log_domain[v]) *
			(1 / GPUBE_LOG_ONE);

	if (r->noise > 0)
		key *= 1 + r->noise * gpube__rng_unit(rng);
	return key;
}

INLINE void window_start(const struct gpube_order_window *g, struct gpube_window_work *w, int words)
{
	memcpy(w->rows, g->rows, (size_t)(g->n * words) * sizeof(*w->rows));
	for (int v = 0; v < g->n_inner; v++) {
		const uint64_t *row = w->rows + v * words;
		int shared = 0, degree = 0;

		w->log_message[v] = 0;
		for (int i = 0; i < words; i++)
			FOR_BITS(u, row[i], 64 * i)
			{
				degree++;
				shared += count_and(row, w->rows + u * words, words);
				w->log_message[v] += g->log_domain[u];
			}
		w->degree[v] = degree;
		w->fill[v] = (degree * (degree - 1) - shared) / 2;
		w->left[v] = v;
	}
	for (int v = g->n_inner; v < g->n; v++) { /* nobody reads these, but edges count on */
		w->degree[v] = w->fill[v] = 0;
		w->log_message[v] = 0;
	}
	w->work += 8 * (int64_t)g->n * words;
}

/* The edge a-b: common neighbours lack one edge less. */
INLINE void window_add_edge(
	const struct gpube_order_window *g, struct gpube_window_work *w, int a, int b, int words)
{
	uint64_t *ra = w->rows + a * words, *rb = w->rows + b * words;
	int common = 0;

	for (int i = 0; i < words; i++) {
		uint64_t both = ra[i] & rb[i];

		common += count_bits(both);
		FOR_BITS(c, both, 64 * i)
		w->fill[c]--;
	}
	w->fill[a] += w->degree[a]++ - common;
	w->fill[b] += w->degree[b]++ - common;
	ra[b / 64] |= UINT64_C(1) << b % 64;
	rb[a / 64] |= UINT64_C(1) << a % 64;
	w->log_message[a] += g->log_domain[b];
	w->log_message[b] += g->log_domain[a];
}

INLINE void window_eliminate(
	const struct gpube_order_window *g, struct gpube_window_work *w, int v, int words)
{
	const uint64_t *clique = w->rows + v * words;

	for (int i = 0; i < words; i++)
		FOR_BITS(u, clique[i], 64 * i)
		{
			uint64_t *row = w->rows + u * words;

			row[v / 64] &= ~(UINT64_C(1) << v % 64);
			w->degree[u]--;
			w->fill[u] -= w->degree[u] - count_and(row, clique, words);
			w->log_message[u] -= g->log_domain[v];
		}
	w->work += 2 * words * w->degree[v];
	for (int i = 0; i < words; i++)
		FOR_BITS(a, clique[i], 64 * i)
		{
			const uint64_t *row = w->rows + a * words;

			for (int j = i; j < words; j++) {
				uint64_t above = j > i ? ~UINT64_C(0) : ~UINT64_C(1) << a % 64;
				uint64_t missing = clique[j] & ~row[j] & above;

				w->work += words * count_bits(missing);
				FOR_BITS(b, missing, 64 * j)
				window_add_edge(g, w, a, b, words);
			}
		}
}

/*
 * Keys are computed afresh for all that is left: cheaper than to find out
 * which changed, and noise moves at every step.
 */
INLINE bool window_greedy(const struct gpube_order_window *g, struct gpube_window_work *w,
	uint8_t *order, double *sum, const struct gpube_greedy_rule *rule,
	const struct gpube_window_goal *goal, struct gpube_rng *rng, int words)
{
	*sum = 0;
	window_start(g, w, words);
	for (int n = g->n_inner, k = 0; n > 0; k++) {
		int best = 0, n_best = 0, v;
		double least = INFINITY;
		int64_t log_cells;

		for (int i = 0; i < n; i++) {
			double key = window_key(g, w, w->left[i], rule, rng);

			if (key < least) {
				least = key;
				best = i;
				n_best = 1;
			} else if (key == least && rule->random &&
				   gpube__rng_next(rng) % (uint64_t)++n_best == 0) {
				best = i;
			}
		}
		v = w->left[best];
		w->left[best] = w->left[--n];
		w->work += n;
		log_cells = w->log_message[v] + g->log_domain[v];
		*sum += gpube__log_to_weight(log_cells, goal->power);
		if (*sum >= goal->most_sum || log_cells > goal->most_log)
			return false;
		order[k] = (uint8_t)v;
		window_eliminate(g, w, v, words);
	}
	return true;
}

bool gpube__window_greedy(const struct gpube_order_window *g, struct gpube_window_work *w,
	uint8_t *order, double *sum, const struct gpube_greedy_rule *rule,
	const struct gpube_window_goal *goal, struct gpube_rng *rng)
{
	if (g->words == 1)
		return window_greedy(g, w, order, sum, rule, goal, rng, 1);
	if (g->words == 2)
		return window_greedy(g, w, order, sum, rule, goal, rng, 2);
	return window_greedy(g, w, order, sum, rule, goal, rng, g->words);
}

/* ---- exact ---------------------------------------------------------------------- */

/* log2 of v's joined table once the inner vertices of 'gone' are eliminated. */
INLINE int64_t joined_after(const struct gpube_order_window *g, unsigned gone, int v, int words)
{
	uint64_t reached[GPUBE_WINDOW_WORDS];
	unsigned inside = 0, next = gone & (unsigned)g->rows[v * words];
	int64_t log_cells = 0;

	memcpy(reached, g->rows + v * words, (size_t)words * sizeof(*reached));
	while (next) {
		int u = __builtin_ctz(next);

		inside |= 1u << u;
		for (int i = 0; i < words; i++)
			reached[i] |= g->rows[u * words + i];
		next = (unsigned)reached[0] & gone & ~inside;
	}
	reached[0] = (reached[0] & ~(uint64_t)gone) | UINT64_C(1) << v;
	for (int i = 0; i < words; i++)
		FOR_BITS(u, reached[i], 64 * i)
	log_cells += g->log_domain[u];
	return log_cells;
}

bool gpube__window_exact(const struct gpube_order_window *g, struct gpube_window_work *w,
	uint8_t *order, double *sum, const struct gpube_window_goal *goal)
{
	unsigned all = (1u << g->n_inner) - 1;

	for (unsigned s = 0; s <= all; s++)
		w->best[s] = INFINITY;
	w->best[0] = 0;
	for (unsigned s = 0; s < all; s++) {
		if (w->best[s] >= goal->most_sum)
			continue;
		for (int v = 0; v < g->n_inner; v++) {
			unsigned t = s | 1u << v;
			int64_t log_cells;
			double sum_t;

			if (t == s)
				continue;
			log_cells = joined_after(g, s, v, g->words);
			sum_t = w->best[s] + gpube__log_to_weight(log_cells, goal->power);
			if (log_cells <= goal->most_log && sum_t < w->best[t]) {
				w->best[t] = sum_t;
				w->last[t] = (unsigned char)v;
			}
		}
		w->work += 30 * g->n_inner;
	}
	if (!(w->best[all] < goal->most_sum))
		return false;
	*sum = w->best[all];
	for (unsigned s = all, k = (unsigned)g->n_inner; k-- > 0; s &= ~(1u << order[k]))
		order[k] = w->last[s];
	return true;
}
