/* consistency_relations.c - what values and pairs of values cost at least. See consistency.h. */
#include "gpube/simplify/consistency_parts.h"

#include <string.h>

#include "gpube/ir/dense.h"

/* Both ways round, every pair allowed. */
int gpube__add_relation(struct gpube__relations *r, int32_t i, int32_t j)
{
	if (*gpube__relation_rows(r, i, j))
		return GPUBE_OK;
	for (int way = 0; way < 2; way++) {
		const int32_t a = way ? j : i, b = way ? i : j;
		uint64_t *rows = gpube__alloc_zero(r->ctx,
			(uint64_t)gpube__relation_domain(r, a) * (uint64_t)r->words[b],
			sizeof(*rows));

		*gpube__relation_rows(r, a, b) = rows;
		if (!rows)
			return GPUBE_ENOMEM;
		r->near[(int64_t)a * r->n + r->n_near[a]++] = b;
		for (int32_t v = 0; v < gpube__relation_domain(r, a); v++)
			gpube__bits_fill(
				gpube__relation_row(r, a, v, b), gpube__relation_domain(r, b));
	}
	return GPUBE_OK;
}

/*
 * What functions cost at least: of a variable's value, those with it, and of a pair beside both of
 * its values.
 */
struct least {
	int64_t *of_value; /* at start[i] + a; start, cells, pair and single lie behind it */
	int64_t *start;
	int64_t *cells;  /* of a function, in the open */
	int64_t *pair;   /* d_i * d_j cells of the pair at hand */
	int64_t *single; /* of the two values at hand, d_i and d_j */
	int32_t *scope;  /* sorted, as gpube__dense() has its axes */
	int64_t base;
	int64_t top;
};

static int64_t sum(int64_t a, int64_t b)
{
	return a >= GPUBE_INF || b >= GPUBE_INF ? GPUBE_INF : a + b;
}

/* What is too large to be opened is taken to cost nothing: no function costs less. */
enum { MOST_CELLS = 1 << 24 };

static int arity_of(const struct gpube__relations *r, int32_t f)
{
	const int arity = r->m->functions[f].arity;
	const int64_t cells = gpube__cells(r->m, arity, gpube__scope(r->m, f));

	return cells < 0 || cells > MOST_CELLS ? 0 : arity;
}

static int open_function(struct gpube__relations *r, struct least *l, int32_t f)
{
	const int arity = r->m->functions[f].arity;

	memcpy(l->scope, gpube__scope(r->m, f), (size_t)arity * sizeof(*l->scope));
	for (int i = 1; i < arity; i++)
		for (int j = i; j > 0 && l->scope[j] < l->scope[j - 1]; j--) {
			const int32_t t = l->scope[j];

			l->scope[j] = l->scope[j - 1];
			l->scope[j - 1] = t;
		}
	return gpube__dense(l->cells, r->m, f, NULL);
}

/* The least cell for each value of axis p, or each pair of axes p < q (q -1: none). */
static void project(const struct gpube__relations *r, const struct least *l, int arity, int p,
	int q, int64_t *to)
{
	int64_t n = 1, step_p = 1, step_q = 1;
	const int64_t d_p = gpube__relation_domain(r, l->scope[p]),
		      d_q = q < 0 ? 1 : gpube__relation_domain(r, l->scope[q]);

	for (int k = arity - 1; k >= 0; k--) {
		step_p = k == p ? n : step_p;
		step_q = k == q ? n : step_q;
		n *= gpube__relation_domain(r, l->scope[k]);
	}
	for (int64_t c = 0; c < d_p * d_q; c++)
		to[c] = GPUBE_INF;
	for (int64_t c = 0; c < n; c++) {
		int64_t *t = &to[c / step_p % d_p * d_q + (q < 0 ? 0 : c / step_q % d_q)];

		*t = l->cells[c] < *t ? l->cells[c] : *t;
	}
}

static int price_values(struct gpube__relations *r, struct least *l)
{
	int status = GPUBE_OK;

	for (int32_t f = 0; f < r->m->n_functions && !status; f++) {
		const int arity = arity_of(r, f);

		if (gpube__stopped(r->ctx))
			return gpube__fail_stopped(r->ctx);
		status = arity ? open_function(r, l, f) : GPUBE_OK;
		for (int p = 0; p < arity && !status; p++) {
			int64_t *of = l->of_value + l->start[l->scope[p]];

			project(r, l, arity, p, -1, l->single);
			for (int32_t a = 0; a < gpube__relation_domain(r, l->scope[p]); a++)
				of[a] = sum(of[a], l->single[a]);
		}
	}
	return status;
}

/*
 * Of one function: what its pair costs beyond what its two values do is added, once all are known.
 */
static int price_pairs(struct gpube__relations *r, struct least *l, int64_t **beyond)
{
	int status = GPUBE_OK;

	for (int32_t f = 0; f < r->m->n_functions && !status; f++) {
		const int arity = arity_of(r, f);

		if (gpube__stopped(r->ctx))
			return gpube__fail_stopped(r->ctx);
		if (arity > 1)
			status = open_function(r, l, f);
		for (int p = 0; p < arity && !status; p++)
			for (int q = p + 1; q < arity && !status; q++) {
				const int32_t i = l->scope[p], j = l->scope[q];
				const int32_t d_i = gpube__relation_domain(r, i),
					      d_j = gpube__relation_domain(r, j);
				int64_t **b = &beyond[(int64_t)i * r->n + j];

				status = gpube__add_relation(r, i, j);
				if (!status && !*b)
					*b = gpube__alloc_zero(
						r->ctx, (uint64_t)d_i * (uint64_t)d_j, sizeof(**b));
				if (status || !*b)
					return GPUBE_ENOMEM;
				project(r, l, arity, p, q, l->pair);
				project(r, l, arity, p, -1, l->single);
				project(r, l, arity, q, -1, l->single + d_i);
				for (int64_t c = 0; c < (int64_t)d_i * d_j; c++)
					(*b)[c] =
						l->pair[c] >= GPUBE_INF
							? GPUBE_INF
							: sum((*b)[c],
								  l->pair[c] - l->single[c / d_j] -
									  l->single[d_i + c % d_j]);
			}
	}
	return status;
}

static bool reaches(const struct least *l, int64_t cost)
{
	return cost >= GPUBE_INF || (l->top < GPUBE_INF && cost >= l->top - l->base);
}

/* Values and pairs that reach top; of pairs without a function too, if all pairs are wanted. */
static int forbid_dear(
	struct gpube__relations *r, const struct least *l, int64_t *const *beyond, bool all)
{
	for (int32_t i = 0; i < r->n; i++)
		for (int32_t a = 0; a < gpube__relation_domain(r, i); a++)
			if (reaches(l, l->of_value[l->start[i] + a]))
				gpube__bit_drop(gpube__relation_live(r, i), a);
	for (int32_t i = 0; i < r->n; i++)
		for (int32_t j = i + 1; j < r->n; j++) {
			const int64_t *b = beyond[(int64_t)i * r->n + j];

			if (!b && !all)
				continue;
			for (int32_t c = 0;
				c < gpube__relation_domain(r, i) * gpube__relation_domain(r, j);
				c++) {
				const int32_t v = c / gpube__relation_domain(r, j),
					      w = c % gpube__relation_domain(r, j);
				const int64_t both = sum(
					l->of_value[l->start[i] + v], l->of_value[l->start[j] + w]);

				if (!gpube__relation_has(r, i, v) ||
					!gpube__relation_has(r, j, w) ||
					!reaches(l, b ? sum(both, b[c]) : both))
					continue;
				if (gpube__add_relation(r, i, j))
					return GPUBE_ENOMEM;
				gpube__relation_forbid(r, i, v, j, w);
			}
		}
	return GPUBE_OK;
}

/* Room for it, as the model's variables and functions need. */
static int least_init(struct least *l, const struct gpube__relations *r)
{
	const uint64_t n = (uint64_t)r->n;
	int64_t values = 0, cells = 1, most = 1, at = 0;
	int arity = 1;

	for (int32_t i = 0; i < r->n; i++) {
		values += gpube__relation_domain(r, i);
		most = gpube__relation_domain(r, i) > most ? gpube__relation_domain(r, i) : most;
	}
	for (int32_t f = 0; f < r->m->n_functions; f++) {
		const int a = arity_of(r, f);
		const int64_t c = a ? gpube__cells(r->m, a, gpube__scope(r->m, f)) : 0;

		arity = a > arity ? a : arity;
		cells = c > cells ? c : cells;
	}
	l->of_value = gpube__alloc_zero(r->ctx,
		(uint64_t)values + n + (uint64_t)cells + (uint64_t)most * ((uint64_t)most + 2),
		sizeof(*l->of_value));
	l->scope = gpube__alloc(r->ctx, (uint64_t)arity, sizeof(*l->scope));
	if (!l->of_value || !l->scope)
		return GPUBE_ENOMEM;
	l->start = l->of_value + values;
	l->cells = l->start + n;
	l->pair = l->cells + cells;
	l->single = l->pair + most * most;
	for (int32_t i = 0; i < r->n; at += gpube__relation_domain(r, i++))
		l->start[i] = at;
	return GPUBE_OK;
}

int gpube__make_relations(struct gpube__relations *r, bool all)
{
	const uint64_t n = (uint64_t)r->n;
	struct least l = {.base = r->m->constant, .top = r->m->top};
	int64_t **beyond = gpube__alloc_zero(r->ctx, n * n, sizeof(*beyond));
	int status = beyond ? least_init(&l, r) : GPUBE_ENOMEM;

	if (!status)
		status = price_values(r, &l);
	if (!status)
		status = price_pairs(r, &l, beyond);
	if (!status)
		status = forbid_dear(r, &l, beyond, all);
	for (uint64_t k = 0; beyond && k < n * n; k++)
		gpube__free(r->ctx, beyond[k]);
	GPUBE_FREE_ALL(r->ctx, beyond, l.of_value, l.scope);
	return status;
}
