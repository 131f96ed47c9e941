/* assign.c - see assign.h. */
#include "gpube/simplify/assign.h"

#include <string.h>

#include "gpube/base/arrays.h"
#include "gpube/base/bits.h"

enum { MOST_VARS = 1 << 14 };                      /* of a model, for the bits of pairs */
static const int64_t most_cost = (int64_t)1 << 44; /* so that sums of duals have room */

/*
 * differ  bits of the variables that differ from one, 'words' words each
 * member  the n variables of one assignment problem, numbered from 1
 * cost    n * n of them, minimised; u, v: duals; of: the variable that has a value
 */
struct assign {
	const struct gpube_model *m;
	struct gpube_model *out;
	int64_t words;
	uint64_t *differ, *left;
	bool *done;
	int32_t n, *member, *of, *way;
	int64_t *cost, *u, *v, *slack, *table, n_added;
	bool *used;
};

/* Whether a function of two variables forbids that they have the same value. */
static bool forbids_equal(const struct gpube_model *m, int32_t f)
{
	const struct gpube_table *t = gpube__table(m, f);
	const int32_t *scope = gpube__scope(m, f);
	const int32_t domains[] = {m->vars[scope[0]].domain, m->vars[scope[1]].domain};
	bool yes = domains[0] == domains[1] && gpube__type_is_int(t->type);

	for (int32_t a = 0; a < domains[0] && yes; a++) {
		const int64_t k = gpube__table_find(t, domains, (const int32_t[]){a, a});

		yes = (k < 0 ? t->dflt.i : gpube__table_int(t, k)) == GPUBE_INF;
	}
	return yes;
}

static uint64_t *row_of(const struct assign *s, int32_t var)
{
	return s->differ + var * s->words;
}

/* The pairs that differ; false: there are none. */
static bool find_pairs(struct assign *s)
{
	const struct gpube_model *m = s->m;
	int32_t last = -1; /* a table that forbids it: functions often share one */
	bool any = false;

	for (int32_t f = 0; f < m->n_functions; f++) {
		const int32_t *scope = gpube__scope(m, f);

		if (m->functions[f].arity != 2 ||
			(m->functions[f].table != last && !forbids_equal(m, f)))
			continue;
		last = m->functions[f].table;
		gpube__bit_put(row_of(s, scope[0]), scope[1]);
		gpube__bit_put(row_of(s, scope[1]), scope[0]);
		any = true;
	}
	return any;
}

/* As many variables as 'first' has values, of which any two differ, the lowest that do. */
static bool find_clique(struct assign *s, int32_t first)
{
	const int32_t d = s->m->vars[first].domain;

	s->n = 0;
	memcpy(s->left, row_of(s, first), (size_t)s->words * sizeof(*s->left));
	s->member[++s->n] = first;
	for (int32_t v = first + 1; v < s->m->n_vars && s->n < d; v++) {
		if (!gpube__bit(s->left, v) || s->done[v])
			continue;
		for (int64_t w = 0; w < s->words; w++)
			s->left[w] &= row_of(s, v)[w];
		s->member[++s->n] = v;
	}
	return s->n == d && d > 1;
}

/* The costs of the members' functions of one variable; false: there are none, or too large. */
static bool take_costs(struct assign *s)
{
	const struct gpube_model *m = s->m;
	const int64_t forbidden = 4 * most_cost * s->n;
	bool any = false;

	memset(s->cost, 0, (size_t)s->n * (size_t)s->n * sizeof(*s->cost));
	for (int32_t f = 0; f < m->n_functions; f++) {
		int32_t i = 1;

		if (m->functions[f].arity != 1)
			continue;
		while (i <= s->n && s->member[i] != gpube__scope(m, f)[0])
			i++;
		if (i > s->n || gpube_model_costs(s->table, m, f))
			continue;
		for (int32_t a = 0; a < s->n; a++) {
			int64_t *cell = &s->cost[(int64_t)(i - 1) * s->n + a];

			if (s->table[a] == GPUBE_INF || *cell == forbidden) {
				*cell = forbidden;
				continue;
			}
			if (s->table[a] > most_cost / 4 || s->table[a] < -most_cost / 4)
				return false;
			*cell += m->direction == GPUBE_MINIMISE ? s->table[a] : -s->table[a];
			if (*cell > most_cost || *cell < -most_cost)
				return false;
			any |= s->table[a] != 0;
		}
	}
	return any;
}

/* One more variable gets a value, along a shortest path. */
static void augment(struct assign *s, int32_t i)
{
	int32_t at = 0;

	for (int32_t j = 0; j <= s->n; j++) {
		s->slack[j] = INT64_MAX;
		s->used[j] = false;
	}
	s->of[0] = i;
	do {
		const int32_t row = s->of[at];
		int64_t least = INT64_MAX;
		int32_t next = 0;

		s->used[at] = true;
		for (int32_t j = 1; j <= s->n; j++) {
			const int64_t c = s->cost[(int64_t)(row - 1) * s->n + j - 1];

			if (s->used[j])
				continue;
			if (c - s->u[row] - s->v[j] < s->slack[j]) {
				s->slack[j] = c - s->u[row] - s->v[j];
				s->way[j] = at;
			}
			if (s->slack[j] < least) {
				least = s->slack[j];
				next = j;
			}
		}
		for (int32_t j = 0; j <= s->n; j++)
			if (s->used[j]) {
				s->u[s->of[j]] += least;
				s->v[j] -= least;
			} else {
				s->slack[j] -= least;
			}
		at = next;
	} while (s->of[at]);
	for (; at; at = s->way[at])
		s->of[at] = s->of[s->way[at]];
}

/* False: the least costs of each variable say as much, or no assignment is allowed. */
static bool solve(struct assign *s)
{
	const int64_t forbidden = 4 * most_cost * s->n;
	bool gains = false;

	memset(s->u, 0, ((size_t)s->n + 1) * sizeof(*s->u));
	memset(s->v, 0, ((size_t)s->n + 1) * sizeof(*s->v));
	memset(s->of, 0, ((size_t)s->n + 1) * sizeof(*s->of));
	for (int32_t i = 1; i <= s->n; i++)
		augment(s, i);
	for (int32_t j = 1; j <= s->n; j++) {
		gains |= s->v[j] != 0;
		if (s->cost[(int64_t)(s->of[j] - 1) * s->n + j - 1] >= forbidden)
			return false;
	}
	return gains;
}

static int move(struct assign *s)
{
	const int sign = s->m->direction == GPUBE_MINIMISE ? 1 : -1;
	int64_t sum = 0;
	int status = s->n_added++ ? GPUBE_OK : gpube__model_borrow(s->out, s->m->ctx, s->m);

	for (int32_t i = 1; i <= s->n && !status; i++) {
		for (int32_t j = 1; j <= s->n; j++)
			s->table[j - 1] = -sign * (s->u[i] + s->v[j]);
		sum += sign * (s->u[i] + s->v[i]);
		status = gpube_model_add_costs(s->out, 1, &s->member[i], s->table);
		s->done[s->member[i]] = true;
	}
	return status ? status : gpube_model_add_costs(s->out, 0, NULL, &sum);
}

int gpube__assign(struct gpube_model *out, const struct gpube_model *m, bool *moved)
{
	struct gpube__arrays a = {.ctx = m->ctx};
	struct assign s = {.m = m, .out = out, .words = ((int64_t)m->n_vars + 63) / 64};
	uint64_t d = 1;
	int status = GPUBE_OK;

	*moved = false;
	if (m->evidence || m->n_vars > MOST_VARS || m->n_vars < 2)
		return GPUBE_OK;
	for (int32_t v = 0; v < m->n_vars; v++) /* larger domains than variables have no clique */
		if ((uint64_t)m->vars[v].domain > d && m->vars[v].domain <= m->n_vars)
			d = (uint64_t)m->vars[v].domain;
	s.differ = gpube__array(&a, (uint64_t)m->n_vars * (uint64_t)s.words, sizeof(*s.differ));
	if (a.failed || !find_pairs(&s)) {
		status = a.failed ? GPUBE_ENOMEM : GPUBE_OK;
		gpube__arrays_clear(&a);
		return status;
	}
	s.left = gpube__array(&a, (uint64_t)s.words, sizeof(*s.left));
	s.done = gpube__array(&a, (uint64_t)m->n_vars, sizeof(*s.done));
	s.member = gpube__array(&a, d + 1, sizeof(*s.member));
	s.of = gpube__array(&a, d + 1, sizeof(*s.of));
	s.way = gpube__array(&a, d + 1, sizeof(*s.way));
	s.cost = gpube__array(&a, d * d, sizeof(*s.cost));
	s.u = gpube__array(&a, d + 1, sizeof(*s.u));
	s.v = gpube__array(&a, d + 1, sizeof(*s.v));
	s.slack = gpube__array(&a, d + 1, sizeof(*s.slack));
	s.table = gpube__array(&a, d, sizeof(*s.table));
	s.used = gpube__array(&a, d + 1, sizeof(*s.used));
	status = a.failed ? GPUBE_ENOMEM : GPUBE_OK;
	for (int32_t v = 0; v < m->n_vars && !status; v++) {
		if (gpube__stopped(m->ctx))
			status = gpube__fail_stopped(m->ctx);
		else if (!s.done[v] && m->vars[v].domain <= m->n_vars && find_clique(&s, v) &&
			 take_costs(&s) && solve(&s))
			status = move(&s);
	}
	gpube__arrays_clear(&a);
	*moved = s.n_added > 0;
	if (status && *moved)
		gpube__model_return(out, m);
	*moved = *moved && !status;
	return status;
}
