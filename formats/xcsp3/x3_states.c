/*
 * x3_states.c - XCSP3: what a few numbers of a state tell: nValues, maximum, precedence … See x3.h.
 */
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

int gpube__x3_come(struct gpube_x3 *r, int64_t n, const int32_t *vars, int64_t n_except,
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
		int32_t first;

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
		first = r->m->n_functions;
		if (!gpube__x3_run(&m) && !gpube__x3_defined(r, first))
			gpube__x3_push(r, list, t);
	}
	return r->in->status;
}

int gpube__x3_n_values(struct gpube_x3 *r, struct gpube_x3_node *node)
{
	struct gpube_x3_list list = {0};
	struct gpube_x3_condition c;
	int64_t n, n_except, *except, *factors;
	int32_t *vars;

	if (gpube__x3_main_vars(r, node, &n, &vars) ||
		gpube__x3_except(r, node, &n_except, &except) || gpube__x3_condition(r, node, &c) ||
		gpube__x3_come(r, n, vars, n_except, except, &list))
		return r->in->status;
	factors = gpube__x3_ones(r, list.n);
	return factors ? gpube__x3_add_sum(r, &list, factors, &c) : r->in->status;
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

	gpube__x3_term_text(b, gpube__x3_var(var));
	for (int64_t k = 0; k < n && !r->in->status; k++) {
		gpube__x3_term_text(a, gpube__x3_var(vars[k]));
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
	int32_t *all = gpube__x3_temp(r, n + 1, sizeof(*all)), first;
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
	first = r->m->n_functions;
	all[n] = *var;
	m.vars = all;
	if (is_wide(r, n, vars, n_values))
		add_wide(r, n, vars, most, *var);
	else
		gpube__x3_run(&m);
	return gpube__x3_defined(r, first);
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

/* first: 1 if the variable that the condition compares with is read in front */
struct arg {
	bool most;
	char rank; /* f, l, or a: of the first, the last, or any of the indices */
	int64_t start, first;
	struct gpube_x3_condition c;
};

/* state: the extreme so far, whether its index meets the condition, what that compares with */
static bool step_arg(struct gpube_x3_machine *m, int64_t *state, int64_t k, int64_t value)
{
	const struct arg *a = m->data;
	const int64_t at = k - a->first;
	bool meets;

	if (at < 0) {
		state[2] = value;
		return true;
	}
	meets = gpube__x3_holds(&a->c, at + a->start, a->first ? state[2] : a->c.right.value);
	if (at > 0 && value == state[0]) {
		state[1] = a->rank == 'f' ? state[1] : meets || (a->rank == 'a' && state[1]);
	} else if (at == 0 || (a->most ? value > state[0] : value < state[0])) {
		state[0] = value;
		state[1] = meets;
	}
	return true;
}

static bool end_arg(struct gpube_x3_machine *m, const int64_t *state)
{
	(void)m;
	return state[1];
}

int gpube__x3_arg(struct gpube_x3 *r, struct gpube_x3_node *node)
{
	static const int64_t start[3];
	struct gpube_x3_node *list = gpube__x3_child(node, "list");
	const char *rank = gpube__x3_attribute(node, "rank");
	struct arg a = {.most = gpube__x3_is(node, "maximumArg"), .rank = rank ? *rank : 'a'};
	struct gpube_x3_machine m = {.r = r,
		.name = node->name,
		.width = 3,
		.start = start,
		.step = step_arg,
		.end = end_arg,
		.data = &a};
	int32_t *vars, *all;

	if (rank && strcmp(rank, "any") != 0 && strcmp(rank, "first") != 0 &&
		strcmp(rank, "last") != 0)
		return gpube__in_error(
			r->in, "<%.40s> of rank '%.40s' is not read", node->name, rank);
	if (gpube__x3_main_vars(r, node, &m.n, &vars) ||
		(list && gpube__x3_start(r, list, &a.start)) || gpube__x3_condition(r, node, &a.c))
		return r->in->status;
	all = gpube__x3_temp(r, m.n + 1, sizeof(*all));
	if (!all)
		return r->in->status;
	a.first = a.c.op < GPUBE_X3_IN && a.c.right.var >= 0;
	all[0] = a.c.right.var;
	memcpy(all + a.first, vars, (size_t)m.n * sizeof(*all));
	m.vars = all;
	m.n += a.first;
	return gpube__x3_run(&m);
}

/* ---- precedence -------------------------------------------------------------------------- */

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
	const int64_t at = gpube__first_from(s->rising, s->n, sizeof(*s->rising), value);

	return at < s->n && s->rising[at].value == value ? s->rising[at].place : -1;
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

/* ---- stretch ----------------------------------------------------------------------------- */

/* patterns: NULL, or by two places of values: may the second come right behind the first? */
struct stretch {
	struct sequence values;
	struct gpube_x3_interval *widths;
	bool *patterns;
};

/* state: the place of the value that comes now, -1: none yet; how often it has come */
static bool step_stretch(struct gpube_x3_machine *m, int64_t *state, int64_t k, int64_t value)
{
	const struct stretch *s = m->data;
	const int64_t now = state[0], place = place_of(&s->values, value);

	(void)k;
	if (place < 0)
		return false;
	if (place == now)
		return ++state[1] <= s->widths[now].high;
	if (now >= 0 && (state[1] < s->widths[now].low ||
				(s->patterns && !s->patterns[now * s->values.n + place])))
		return false;
	state[0] = place;
	state[1] = 1;
	return s->widths[place].high >= 1;
}

static bool end_stretch(struct gpube_x3_machine *m, const int64_t *state)
{
	const struct stretch *s = m->data;

	return state[0] < 0 || state[1] >= s->widths[state[0]].low;
}

/* "(0,1)(1,0)" */
static int read_patterns(struct gpube_x3 *r, const struct gpube_x3_node *node, struct stretch *s)
{
	struct gpube_x3_list list;
	const int64_t n = s->values.n;
	int64_t length;

	if (gpube__x3_tuples(r, node, &list, &length))
		return r->in->status;
	if (length != 2 || !gpube__x3_only_numbers(&list))
		return gpube__in_error(r->in, "expected pairs of values in <patterns>");
	if (gpube__in_charge(r->in, n, n, "pairs of values"))
		return r->in->status;
	s->patterns = gpube__x3_temp(r, n * n, sizeof(*s->patterns));
	for (int64_t k = 0; s->patterns && k < list.n; k += 2) {
		const int64_t a = place_of(&s->values, list.terms[k].value);
		const int64_t b = place_of(&s->values, list.terms[k + 1].value);

		if (a < 0 || b < 0)
			return gpube__in_error(
				r->in, "<patterns> has a value that <values> has not");
		s->patterns[a * n + b] = true;
	}
	return r->in->status;
}

int gpube__x3_stretch(struct gpube_x3 *r, struct gpube_x3_node *node)
{
	struct gpube_x3_node *values = gpube__x3_need(r, node, "values");
	struct gpube_x3_node *widths = values ? gpube__x3_need(r, node, "widths") : NULL;
	struct gpube_x3_node *patterns = gpube__x3_child(node, "patterns");
	const char *text = widths ? gpube__x3_text(r, widths) : NULL;
	static const int64_t start[] = {-1, 0};
	struct stretch s = {.patterns = NULL};
	struct gpube_x3_machine m = {.r = r,
		.name = "stretch",
		.width = 2,
		.start = start,
		.step = step_stretch,
		.end = end_stretch,
		.data = &s};
	int64_t n = 0;
	int32_t *vars;

	if (!text || gpube__x3_intervals(r, text, &s.widths, &n) ||
		gpube__x3_integers(r, values, &s.values.n, &s.values.values))
		return r->in->status;
	if (n != s.values.n)
		return gpube__in_error(r->in, "<values> and <widths> differ in length");
	if (sort_sequence(r, &s.values) || (patterns && read_patterns(r, patterns, &s)) ||
		gpube__x3_main_vars(r, node, &m.n, &vars))
		return r->in->status;
	m.vars = vars;
	return gpube__x3_run(&m);
}
