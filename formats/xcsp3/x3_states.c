/*
 * x3_states.c - XCSP3: what a few numbers of a state tell: nValues, maximum, precedence … See x3.h.
 */
#ifdef GPUBE_HAVE_EXPAT

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "formats/xcsp3/x3.h"

/* ---- nValues --------------------------------------------------------------------------- */

/* state: whether the value has come; the last variable says so */
static bool step_come(struct gpube_x3_machine *m, int64_t *state, int64_t k, int64_t value)
{
	const int64_t *wanted = m->data;

	if (k == m->n - 1)
		return value == state[0];
	state[0] |= value == *wanted;
	return true;
}

/* A hidden truth value for each value that may come, but for those excepted. */
static int come_vars(struct gpube_x3 *r, int64_t n, const int32_t *vars, int64_t n_except,
	const int64_t *except, struct gpube_x3_list *list)
{
	static const int64_t start, truths[2] = {0, 1};
	int32_t *all = gpube__x3_temp(r, n + 1, sizeof(*all));
	int64_t total = 0, *values = gpube__x3_all_values(r, n, vars, &total);
	struct gpube_x3_machine m = {.r = r,
		.name = "nValues",
		.n = n + 1,
		.vars = all,
		.width = 1,
		.start = &start,
		.step = step_come};

	if (!all || !values)
		return r->in->status;
	for (int64_t i = 0; i < total && !r->in->status; i++) {
		int64_t users = 0;
		struct gpube_x3_term t = {0};

		if (gpube__x3_has(except, n_except, values[i]))
			continue;
		if (gpube__in_charge(r->in, n, 4, "values that are counted"))
			return r->in->status;
		for (int64_t k = 0; k < n; k++)
			if (gpube__x3_index(r, vars[k], values[i]) >= 0)
				all[users++] = vars[k];
		if (gpube__x3_hidden(r, "nValues", 2, truths, &t.var))
			return r->in->status;
		all[users] = t.var;
		m.n = users + 1;
		m.data = &values[i];
		if (!gpube__x3_run(&m))
			gpube__x3_push(r, list, t);
	}
	return r->in->status;
}

static int except_of(struct gpube_x3 *r, struct gpube_x3_node *node, int64_t *n, int64_t **values)
{
	struct gpube_x3_node *except = gpube__x3_child(node, "except");

	*n = 0;
	*values = NULL;
	if (except && !gpube__x3_integers(r, except, n, values))
		*n = gpube__x3_unique(*values, *n);
	return r->in->status;
}

int gpube__x3_n_values(struct gpube_x3 *r, struct gpube_x3_node *node)
{
	struct gpube_x3_list list = {0};
	struct gpube_x3_condition c;
	int64_t n, n_except, *except, *factors;
	int32_t *vars;

	if (gpube__x3_main_vars(r, node, &n, &vars) || except_of(r, node, &n_except, &except) ||
		gpube__x3_condition(r, node, &c) || come_vars(r, n, vars, n_except, except, &list))
		return r->in->status;
	factors = gpube__x3_ones(r, list.n);
	return factors ? gpube__x3_add_sum(r, &list, factors, &c) : r->in->status;
}

/* The number of different values as a list of truth values that add up to it. */
int gpube__x3_come(struct gpube_x3 *r, int64_t n, const int32_t *vars, struct gpube_x3_list *list)
{
	return come_vars(r, n, vars, 0, NULL, list);
}

/* ---- maximum and minimum ---------------------------------------------------------------- */

/* state: whether there is one, the extreme so far */
static bool step_most(struct gpube_x3_machine *m, int64_t *state, int64_t k, int64_t value)
{
	const bool *most = m->data;

	(void)k;
	if (!state[0] || (*most ? value > state[1] : value < state[1]))
		state[1] = value;
	state[0] = 1;
	return true;
}

/* The last variable says which. */
static bool step_extreme(struct gpube_x3_machine *m, int64_t *state, int64_t k, int64_t value)
{
	return k == m->n - 1 ? value == state[1] : step_most(m, state, k, value);
}

/* More transitions than an automaton of the extreme and its last variable has. */
static bool is_wide(const struct gpube_x3 *r, int64_t n, const int32_t *vars, int64_t n_values)
{
	__int128 cells = (__int128)n_values * n_values;

	for (int64_t k = 0; k < n; k++)
		cells += (__int128)n_values * r->m->vars[vars[k]].domain;
	return cells > GPUBE_CHAIN_CELLS;
}

/* None passes the variable, and by one after the other at last one is equal to it. */
static int add_wide(struct gpube_x3 *r, int64_t n, const int32_t *vars, bool most, int32_t var)
{
	struct gpube_x3_term met = {.var = -1};
	char a[32], b[32], c[32], text[160];

	gpube__x3_term_text(b, (struct gpube_x3_term){.var = var});
	for (int64_t k = 0; k < n && !r->in->status; k++) {
		gpube__x3_term_text(a, (struct gpube_x3_term){.var = vars[k]});
		gpube__x3_term_text(c, met);
		gpube__x3_post_printf(r, "%s(%s,%s)", most ? "le" : "ge", a, b);
		gpube__x3_expression(r, text,
			(size_t)snprintf(text, sizeof(text), "or(%s,eq(%s,%s))", c, a, b), &met);
	}
	gpube__x3_term_text(c, met);
	return r->in->status ? r->in->status : gpube__x3_post_printf(r, "eq(%s,1)", c);
}

int gpube__x3_extreme_var(
	struct gpube_x3 *r, int64_t n, const int32_t *vars, bool most, int32_t *var)
{
	static const int64_t start[2];
	struct gpube_x3_machine m = {.r = r,
		.name = most ? "maximum" : "minimum",
		.n = n + 1,
		.width = 2,
		.start = start,
		.step = step_extreme,
		.data = &most};
	int32_t *all = gpube__x3_temp(r, n + 1, sizeof(*all));
	int64_t n_values, at = 0, bound = 0, *values = gpube__x3_all_values(r, n, vars, &n_values);

	if (!all || !values)
		return r->in->status;
	for (int64_t k = 0; k < n; k++) {
		const struct gpube_x3_interval in = gpube__x3_range(r, vars[k]);
		const int64_t end = most ? in.low : in.high;

		bound = k == 0 || (most ? end > bound : end < bound) ? end : bound;
	}
	for (int64_t k = 0; k < n_values; k++)
		if (most ? values[k] >= bound : values[k] <= bound)
			values[at++] = values[k];
	memcpy(all, vars, (size_t)n * sizeof(*all));
	if (gpube__x3_hidden(r, m.name, at, values, var))
		return r->in->status;
	if (is_wide(r, n, vars, n_values))
		return add_wide(r, n, vars, most, *var);
	all[n] = *var;
	m.vars = all;
	return gpube__x3_run(&m);
}

static __int128 second(struct gpube_x3_machine *m, const int64_t *state)
{
	(void)m;
	return state[1];
}

int gpube__x3_maximum(struct gpube_x3 *r, struct gpube_x3_node *node)
{
	static const int64_t start[2];
	const bool most = gpube__x3_is(node, "maximum");
	struct gpube_x3_machine m = {.r = r,
		.name = node->name,
		.width = 2,
		.start = start,
		.step = step_most,
		.data = &most};
	struct gpube_x3_term extreme = {0};
	struct gpube_x3_condition c;
	const int64_t one = 1;
	int64_t n_values;
	int32_t *vars;

	if (gpube__x3_main_vars(r, node, &m.n, &vars) || gpube__x3_condition(r, node, &c))
		return r->in->status;
	m.vars = vars;
	if (!gpube__x3_all_values(r, m.n, vars, &n_values))
		return r->in->status;
	if (!is_wide(r, m.n, vars, n_values))
		return gpube__x3_run_condition(&m, &c, second);
	if (c.op == GPUBE_X3_EQ && c.right.var >= 0)
		return add_wide(r, m.n, vars, most, c.right.var);
	if (gpube__x3_extreme_var(r, m.n, vars, most, &extreme.var))
		return r->in->status;
	return gpube__x3_add_sum(r, &(struct gpube_x3_list){.terms = &extreme, .n = 1}, &one, &c);
}

/* ---- maximumArg and minimumArg ----------------------------------------------------------- */

struct arg {
	bool most, last;
	int64_t start;
};

/* state: the extreme so far, its index */
static bool step_arg(struct gpube_x3_machine *m, int64_t *state, int64_t k, int64_t value)
{
	const struct arg *a = m->data;

	if (k == 0 || (a->most ? value > state[0] : value < state[0]) ||
		(a->last && value == state[0])) {
		state[0] = value;
		state[1] = k + a->start;
	}
	return true;
}

int gpube__x3_arg(struct gpube_x3 *r, struct gpube_x3_node *node)
{
	static const int64_t start[2];
	struct gpube_x3_node *list = gpube__x3_child(node, "list");
	const char *rank = gpube__x3_attribute(node, "rank");
	struct arg a = {.most = gpube__x3_is(node, "maximumArg")};
	struct gpube_x3_machine m = {.r = r,
		.name = node->name,
		.width = 2,
		.start = start,
		.step = step_arg,
		.data = &a};
	struct gpube_x3_condition c;
	int32_t *vars;

	if (!rank || (strcmp(rank, "first") != 0 && strcmp(rank, "last") != 0))
		return gpube__in_error(
			r->in, "<%.40s> of rank 'any' is not read: first and last are", node->name);
	a.last = *rank == 'l';
	if (gpube__x3_main_vars(r, node, &m.n, &vars) ||
		(list && gpube__x3_start(r, list, &a.start)) || gpube__x3_condition(r, node, &c))
		return r->in->status;
	m.vars = vars;
	return gpube__x3_run_condition(&m, &c, second);
}

/* ---- precedence and allEqual ------------------------------------------------------------- */

/* rising: the values again, by which they are found */
struct sequence {
	int64_t n, *values;
	struct placed {
		int64_t value, place;
	} * rising;
	bool covered;
};

static int compare_placed(const void *a, const void *b)
{
	const struct placed *x = a, *y = b;

	return x->value != y->value ? (x->value < y->value ? -1 : 1)
				    : (x->place > y->place) - (x->place < y->place);
}

/* Where the value comes first in the sequence, -1: nowhere. */
static int64_t place_of(const struct sequence *s, int64_t value)
{
	int64_t low = 0, high = s->n;

	while (low < high) {
		const int64_t mid = (low + high) / 2;

		if (s->rising[mid].value < value)
			low = mid + 1;
		else
			high = mid;
	}
	return low < s->n && s->rising[low].value == value ? s->rising[low].place : -1;
}

static int sort_sequence(struct gpube_x3 *r, struct sequence *s)
{
	s->rising = gpube__x3_temp(r, s->n + 1, sizeof(*s->rising));
	if (!s->rising)
		return r->in->status;
	for (int64_t k = 0; k < s->n; k++)
		s->rising[k] = (struct placed){s->values[k], k};
	qsort(s->rising, (size_t)s->n, sizeof(*s->rising), compare_placed);
	for (int64_t k = 1; k < s->n; k++)
		if (s->rising[k].value == s->rising[k - 1].value)
			return gpube__in_error(
				r->in, "value %lld is there twice", (long long)s->rising[k].value);
	return GPUBE_OK;
}

/* state: how many of the values have come */
static bool step_precedence(struct gpube_x3_machine *m, int64_t *state, int64_t k, int64_t value)
{
	const struct sequence *s = m->data;

	const int64_t place = place_of(s, value);

	(void)k;
	state[0] += place == state[0];
	return place < state[0];
}

static bool end_precedence(struct gpube_x3_machine *m, const int64_t *state)
{
	const struct sequence *s = m->data;

	return !s->covered || state[0] == s->n;
}

int gpube__x3_precedence(struct gpube_x3 *r, struct gpube_x3_node *node)
{
	struct gpube_x3_node *values = gpube__x3_child(node, "values");
	static const int64_t start;
	struct sequence s = {0};
	struct gpube_x3_machine m = {.r = r,
		.name = "precedence",
		.width = 1,
		.start = &start,
		.step = step_precedence,
		.end = end_precedence,
		.data = &s};
	int32_t *vars;

	if (gpube__x3_main_vars(r, node, &m.n, &vars))
		return r->in->status;
	if (values && (gpube__x3_flag(r, values, "covered", false, &s.covered) ||
			      gpube__x3_integers(r, values, &s.n, &s.values)))
		return r->in->status;
	m.vars = vars;
	if (!values) { /* those of the domains, rising */
		const int32_t domain = r->m->vars[vars[0]].domain;

		for (int64_t k = 1; k < m.n; k++)
			if (!gpube__x3_same_domain(&r->domains[r->domain_of[vars[k]]],
				    &r->domains[r->domain_of[vars[0]]]))
				return gpube__in_error(r->in,
					"<precedence> without <values> over domains that differ");
		s.values = gpube__x3_temp(r, domain, sizeof(*s.values));
		for (int32_t v = 0; v < domain && s.values; v++)
			s.values[s.n++] = gpube__x3_value(r, vars[0], v);
	}
	return r->in->status || sort_sequence(r, &s) ? r->in->status : gpube__x3_run(&m);
}

/* state: whether there is one that is not excepted, its value */
static bool step_equal(struct gpube_x3_machine *m, int64_t *state, int64_t k, int64_t value)
{
	const struct sequence *s = m->data;

	(void)k;
	if (gpube__x3_has(s->values, s->n, value))
		return true;
	if (state[0])
		return state[1] == value;
	state[0] = 1;
	state[1] = value;
	return true;
}

int gpube__x3_all_equal(struct gpube_x3 *r, struct gpube_x3_node *node)
{
	static const int64_t start[2];
	struct sequence except = {0};
	struct gpube_x3_machine m = {.r = r,
		.name = "allEqual",
		.width = 2,
		.start = start,
		.step = step_equal,
		.data = &except};
	int32_t *vars;
	int64_t n;

	if (gpube__x3_main_vars(r, node, &n, &vars) ||
		except_of(r, node, &except.n, &except.values))
		return r->in->status;
	m.n = n;
	m.vars = vars;
	if (except.n || m.n < 3)
		return gpube__x3_run(&m);
	/* each with the next one */
	m.n = 2;
	for (int64_t k = n; k > 1 && !r->in->status; k--, m.vars++)
		gpube__x3_run(&m);
	return r->in->status;
}

#else
typedef int gpube__no_expat_x3_states; /* a file is not empty */
#endif
