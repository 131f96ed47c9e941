/* x3_pairs.c - XCSP3: constraints that are tables of few variables each. See x3.h. */
#include <stdio.h>
#include <string.h>

#include "formats/xcsp3/x3.h"

/* ---- ordered ------------------------------------------------------------------------------ */

int gpube__x3_ordered(struct gpube_x3 *r, struct gpube_x3_node *node)
{
	struct gpube_x3_node *lengths = gpube__x3_child(node, "lengths");
	struct gpube_x3_list list, by = {0};
	const char *given = gpube__x3_attribute(node, "case");
	enum gpube_x3_operator op;
	char a[32], b[32], c[32];

	/* 'case' is the short form */
	if (given ? gpube__x3_order(r, given, &op) : gpube__x3_operator(r, node, &op))
		return r->in->status;
	if (gpube__x3_main_list(r, node, &list) || (lengths && gpube__x3_list(r, lengths, &by)))
		return r->in->status;
	if (lengths && by.n != list.n - 1 && by.n != list.n)
		return gpube__in_error(r->in, "<lengths> and the list differ in length");
	for (int64_t k = 0; k + 1 < list.n && !r->in->status; k++) {
		gpube__x3_term_text(a, list.terms[k]);
		gpube__x3_term_text(b, list.terms[k + 1]);
		gpube__x3_term_text(
			c, lengths ? by.terms[k] : (struct gpube_x3_term){.var = -1, .value = 0});
		gpube__x3_post_printf(r, "%s(add(%s,%s),%s)", gpube__x3_operators[op], a, c, b);
	}
	return r->in->status;
}

/* ---- element ------------------------------------------------------------------------------ */

struct range {
	int64_t first, n;
};

static bool in_range(const void *data, const int64_t *v)
{
	const struct range *range = data;

	return v[0] >= range->first && v[0] - range->first < range->n;
}

/* The condition as text behind what it is of, maybe "or(eq(…),…)" with intervals. */
static char *condition_text(struct gpube_x3 *r, const char *of, const struct gpube_x3_condition *c)
{
	struct gpube_x3_text t = {0};

	if (gpube__in_charge(r->in, c->n + 1, 160, "conditions"))
		return NULL;
	if (c->op != GPUBE_X3_IN && c->op != GPUBE_X3_NOTIN) {
		gpube__x3_put(r, &t, "%s(%s,", gpube__x3_operators[c->op], of);
		return gpube__x3_put_term(r, &t, c->right, ")") ? NULL : t.bytes;
	}
	gpube__x3_put(r, &t, "eq(%d,or(0", c->op == GPUBE_X3_IN);
	for (int64_t k = 0; k < c->n; k++)
		gpube__x3_put(r, &t, ",and(ge(%s,%lld),le(%s,%lld))", of, (long long)c->set[k].low,
			of, (long long)c->set[k].high);
	return gpube__x3_put(r, &t, "))") ? NULL : t.bytes;
}

/* <value> or <condition> */
static int value_condition(
	struct gpube_x3 *r, struct gpube_x3_node *node, struct gpube_x3_condition *c)
{
	struct gpube_x3_node *value = gpube__x3_child(node, "value");

	if (!value)
		return gpube__x3_condition(r, node, c);
	*c = (struct gpube_x3_condition){.op = GPUBE_X3_EQ};
	return gpube__x3_term(r, value, &c->right);
}

/* If the indices are these, the condition is met by the term. */
static int add_choice(struct gpube_x3 *r, struct gpube_x3_term i, int64_t at_i,
	const struct gpube_x3_term *j, int64_t at_j, struct gpube_x3_term term,
	const struct gpube_x3_condition *c)
{
	char a[32], b[32], of[32], *text;

	gpube__x3_term_text(of, term);
	gpube__x3_term_text(a, i);
	text = condition_text(r, of, c);
	if (!text)
		return r->in->status;
	if (!j)
		return gpube__x3_post_printf(r, "or(ne(%s,%lld),%s)", a, (long long)at_i, text);
	gpube__x3_term_text(b, *j);
	return gpube__x3_post_printf(
		r, "or(ne(%s,%lld),ne(%s,%lld),%s)", a, (long long)at_i, b, (long long)at_j, text);
}

/* Of a list of numbers: one table. */
struct choice {
	const struct gpube_x3_list *list;
	int64_t start;
};

static bool holds_choice(const void *data, const int64_t *v)
{
	const struct choice *c = data;
	const int64_t at = v[0] - c->start;

	return at >= 0 && at < c->list->n && c->list->terms[at].value == v[1];
}

/* One of the list is equal to the value. */
static int add_member(
	struct gpube_x3 *r, const struct gpube_x3_list *list, struct gpube_x3_term value)
{
	const char *text = gpube__x3_in_text(r, value, list);

	return text ? gpube__x3_post(r, text, strlen(text)) : r->in->status;
}

/* state: whether it has come, the value that is looked for, which is read first */
static bool step_member(struct gpube_x3_machine *m, int64_t *state, int64_t k, int64_t value)
{
	(void)m;
	if (k == 0)
		state[1] = value;
	else if (!state[0] && value == state[1])
		state[0] = 1;
	if (state[0])
		state[1] = 0;
	return true;
}

static bool end_member(struct gpube_x3_machine *m, const int64_t *state)
{
	(void)m;
	return state[0];
}

static int add_wide_member(
	struct gpube_x3 *r, const struct gpube_x3_list *list, struct gpube_x3_term value)
{
	static const int64_t start[2];
	int32_t *vars = gpube__x3_temp(r, list->n + 1, sizeof(*vars));
	struct gpube_x3_machine m = {.r = r,
		.name = "element",
		.n = list->n + 1,
		.vars = vars,
		.width = 2,
		.start = start,
		.step = step_member,
		.end = end_member};

	if (!vars || gpube__x3_as_var(r, value, &vars[0]))
		return r->in->status;
	for (int64_t k = 0; k < list->n; k++)
		if (gpube__x3_as_var(r, list->terms[k], &vars[k + 1]))
			return r->in->status;
	return gpube__x3_run(&m);
}

static int element_of_list(struct gpube_x3 *r, struct gpube_x3_node *list_node,
	struct gpube_x3_term *index, const struct gpube_x3_list *list,
	const struct gpube_x3_condition *c)
{
	struct choice choice = {.list = list};
	struct range range = {.n = list->n};
	int32_t vars[2];

	if (list_node && gpube__x3_start(r, list_node, &choice.start))
		return r->in->status;
	range.first = choice.start;
	if (!index) {
		if (c->op != GPUBE_X3_EQ)
			return gpube__in_error(r->in,
				"<element> without <index> and another condition than eq is not "
				"read");
		return gpube__x3_only_numbers(list) ? add_member(r, list, c->right)
						    : add_wide_member(r, list, c->right);
	}
	vars[0] = index->var;
	vars[1] = c->right.var;
	if (gpube__x3_only_numbers(list) && c->op == GPUBE_X3_EQ && vars[0] >= 0 && vars[1] >= 0 &&
		vars[0] != vars[1])
		return gpube__x3_table(r, 2, vars, holds_choice, &choice);
	gpube__x3_restrict(r, *index, in_range, &range);
	for (int64_t k = 0; k < list->n && !r->in->status; k++)
		if (index->var < 0 ? index->value == k + choice.start
				   : gpube__x3_index(r, index->var, k + choice.start) >= 0)
			add_choice(r, *index, k + choice.start, NULL, 0, list->terms[k], c);
	return r->in->status;
}

static int element_of_matrix(struct gpube_x3 *r, struct gpube_x3_node *matrix,
	const struct gpube_x3_list *at, const struct gpube_x3_condition *c)
{
	int64_t size[2], row = 0, column = 0;
	struct range rows, columns;
	int32_t *vars;

	if (gpube__x3_attribute(matrix, "startRowIndex") ||
		gpube__x3_attribute(matrix, "startColIndex"))
		return gpube__in_error(
			r->in, "indices of a matrix that do not start at 0 are not read");
	if (at->n != 2)
		return gpube__in_error(
			r->in, "expected two indices of a matrix, found %lld", (long long)at->n);
	if (gpube__x3_matrix(r, matrix, size, &vars))
		return r->in->status;
	rows = (struct range){row, size[0]};
	columns = (struct range){column, size[1]};
	if (gpube__x3_restrict(r, at->terms[0], in_range, &rows) ||
		gpube__x3_restrict(r, at->terms[1], in_range, &columns))
		return r->in->status;
	for (; row < size[0]; row++)
		for (column = 0; column < size[1]; column++) {
			struct gpube_x3_term t = {.var = vars[row * size[1] + column]};

			if (r->m->vars[t.var].domain == 1)
				t = (struct gpube_x3_term){
					.var = -1, .value = gpube__x3_value(r, t.var, 0)};
			if (add_choice(r, at->terms[0], row, &at->terms[1], column, t, c))
				return r->in->status;
		}
	return GPUBE_OK;
}

int gpube__x3_element(struct gpube_x3 *r, struct gpube_x3_node *node)
{
	struct gpube_x3_node *matrix = gpube__x3_child(node, "matrix");
	struct gpube_x3_node *index = gpube__x3_child(node, "index");
	struct gpube_x3_node *list_node = matrix ? NULL : gpube__x3_child(node, "list");
	const char *rank = index ? gpube__x3_attribute(index, "rank") : NULL;
	struct gpube_x3_list list, at = {0};
	struct gpube_x3_condition c;

	if (rank && strcmp(rank, "any") != 0)
		return gpube__in_error(r->in, "<index> of rank '%.40s' is not read", rank);
	if (value_condition(r, node, &c) || (index && gpube__x3_list(r, index, &at)))
		return r->in->status;
	if (matrix)
		return element_of_matrix(r, matrix, &at, &c);
	if (index && at.n != 1)
		return gpube__in_error(
			r->in, "expected one index of a list, found %lld", (long long)at.n);
	if (gpube__x3_main_list(r, node, &list))
		return r->in->status;
	return element_of_list(r, list_node, index ? &at.terms[0] : NULL, &list, &c);
}

/* ---- channel and instantiation ------------------------------------------------------- */

struct link {
	int64_t a, b;
	bool one_way;
};

/* x = a if and only if y = b, or only if */
static bool holds_link(const void *data, const int64_t *v)
{
	const struct link *l = data;

	return l->one_way ? v[0] != l->a || v[1] == l->b : (v[0] == l->a) == (v[1] == l->b);
}

static int channel_lists(struct gpube_x3 *r, int64_t n, const int32_t *x, int64_t start_x,
	int64_t n_y, const int32_t *y, int64_t start_y)
{
	const struct range of_x = {start_y, n_y}, of_y = {start_x, n};

	for (int64_t i = 0; i < n && !r->in->status; i++) {
		gpube__x3_restrict(r, gpube__x3_var(x[i]), in_range, &of_x);
		for (int64_t j = 0; j < n_y && !r->in->status; j++) {
			const struct link l = {j + start_y, i + start_x, n < n_y};

			if (x == y && j < i)
				continue;
			gpube__x3_add_pair(r, x[i], y[j], holds_link, &l);
		}
	}
	for (int64_t j = 0; j < n_y && n == n_y && !r->in->status; j++)
		gpube__x3_restrict(r, gpube__x3_var(y[j]), in_range, &of_y);
	return r->in->status;
}

int gpube__x3_channel(struct gpube_x3 *r, struct gpube_x3_node *node)
{
	struct gpube_x3_node *list = gpube__x3_child(node, "list");
	struct gpube_x3_node *second = list ? gpube__x3_next(list) : NULL;
	struct gpube_x3_node *value = gpube__x3_child(node, "value");
	int64_t n, n_y, start = 0, start_y = 0;
	struct gpube_x3_term t;
	struct range range;
	int32_t *x, *y;

	if (gpube__x3_main_vars(r, node, &n, &x) || gpube__x3_start(r, list ? list : node, &start))
		return r->in->status;
	if (second) {
		if (gpube__x3_vars(r, second, &n_y, &y) || gpube__x3_start(r, second, &start_y))
			return r->in->status;
		if (n > n_y)
			return gpube__in_error(
				r->in, "<channel> whose first list is the longer one is not read");
		return channel_lists(r, n, x, start, n_y, y, start_y);
	}
	if (!value)
		return channel_lists(r, n, x, start, n, x, start);
	if (gpube__x3_term(r, value, &t) || gpube__x3_as_var(r, t, &t.var))
		return r->in->status;
	range = (struct range){start, n};
	if (gpube__x3_restrict(r, t, in_range, &range))
		return r->in->status;
	for (int64_t i = 0; i < n && !r->in->status; i++) {
		const struct link l = {1, i + start, false};
		const struct range truths = {0, 2};

		if (!gpube__x3_restrict(r, gpube__x3_var(x[i]), in_range, &truths))
			gpube__x3_add_pair(r, x[i], t.var, holds_link, &l);
	}
	return r->in->status;
}

int gpube__x3_instantiation(struct gpube_x3 *r, struct gpube_x3_node *node)
{
	struct gpube_x3_node *values = gpube__x3_need(r, node, "values");
	int64_t n, m, *v;
	int32_t *vars;

	if (!values || gpube__x3_main_vars(r, node, &n, &vars) ||
		gpube__x3_integers(r, values, &m, &v))
		return r->in->status;
	if (n != m)
		return gpube__in_error(r->in, "<values> and the list differ in length");
	for (int64_t k = 0; k < n && !r->in->status; k++) {
		const struct range one = {v[k], 1};

		gpube__x3_restrict(r, gpube__x3_var(vars[k]), in_range, &one);
	}
	return r->in->status;
}

/* ---- noOverlap ----------------------------------------------------------------------- */

/* In one of the dimensions one of the two ends before the other begins. */
static int keep_apart(struct gpube_x3 *r, int64_t dimensions, const struct gpube_x3_term *a,
	const struct gpube_x3_term *la, const struct gpube_x3_term *b,
	const struct gpube_x3_term *lb, bool zero_ignored)
{
	char x[32], y[32], lx[32], ly[32];
	struct gpube_x3_text t = {0};

	gpube__x3_put(r, &t, "or(0");
	for (int64_t k = 0; k < dimensions; k++) {
		gpube__x3_term_text(x, a[k]);
		gpube__x3_term_text(y, b[k]);
		gpube__x3_term_text(lx, la[k]);
		gpube__x3_term_text(ly, lb[k]);
		gpube__x3_put(r, &t, ",le(add(%s,%s),%s),le(add(%s,%s),%s)", x, lx, y, y, ly, x);
		if (zero_ignored)
			gpube__x3_put(r, &t, ",eq(%s,0),eq(%s,0)", lx, ly);
	}
	return gpube__x3_put(r, &t, ")") ? r->in->status : gpube__x3_post(r, t.bytes, (size_t)t.n);
}

int gpube__x3_no_overlap(struct gpube_x3 *r, struct gpube_x3_node *node)
{
	struct gpube_x3_node *origins = gpube__x3_need(r, node, "origins");
	struct gpube_x3_node *lengths = origins ? gpube__x3_need(r, node, "lengths") : NULL;
	struct gpube_x3_list x, l;
	int64_t d, d_l;
	bool zero_ignored;

	if (!lengths || gpube__x3_flag(r, node, "zeroIgnored", true, &zero_ignored) ||
		gpube__x3_tuples(r, origins, &x, &d) || gpube__x3_tuples(r, lengths, &l, &d_l))
		return r->in->status;
	if (x.n != l.n || d != d_l)
		return gpube__in_error(r->in, "<origins> and <lengths> differ in number");
	for (int64_t i = 0; i < x.n; i += d)
		for (int64_t j = i + d; j < x.n; j += d)
			if (keep_apart(r, d, x.terms + i, l.terms + i, x.terms + j, l.terms + j,
				    zero_ignored))
				return r->in->status;
	return GPUBE_OK;
}

/* ---- circuit ------------------------------------------------------------------------- */

/*
 * Place i's successor is x[i]; i is left out if that is itself. A hidden variable is the first
 * place that is not, and one for each place when it comes: 0 where it is left out, 1 at the first.
 * A successor comes one later or is the first, so that all are on one round.
 */
struct next {
	int64_t here, there;
};

/* state: the first place that is not its own successor, -1: none yet; the last variable says so */
static bool step_first(struct gpube_x3_machine *m, int64_t *state, int64_t k, int64_t value)
{
	const int64_t *start = m->data;

	if (k == m->n - 1)
		return value == state[0];
	if (state[0] < 0 && value != k + *start)
		state[0] = k;
	return true;
}

/* x, when it comes, when the other does */
static bool holds_next(const void *data, const int64_t *v)
{
	const struct next *n = data;

	return v[0] != n->there || v[2] == 1 || v[2] == v[1] + 1;
}

/* x, when it comes */
static bool holds_left_out(const void *data, const int64_t *v)
{
	const struct next *n = data;

	return (v[0] == n->here) == (v[1] == 0);
}

int gpube__x3_circuit(struct gpube_x3 *r, struct gpube_x3_node *node)
{
	struct gpube_x3_node *list = gpube__x3_child(node, "list");
	static const int64_t before = -1;
	int64_t n, start, *values;
	int32_t *x, *when, *all, vars[3];
	struct gpube_x3_machine m = {.r = r,
		.name = "circuit",
		.width = 1,
		.start = &before,
		.step = step_first,
		.data = &start};
	struct range range;

	if (gpube__x3_main_vars(r, node, &n, &x) || gpube__x3_start(r, list ? list : node, &start))
		return r->in->status;
	range = (struct range){start, n};
	when = gpube__x3_temp(r, n + 1, sizeof(*when));
	all = gpube__x3_temp(r, n + 1, sizeof(*all));
	values = gpube__x3_temp(r, n + 1, sizeof(*values));
	if (!when || !all || !values || gpube__x3_differ(r, n, x))
		return r->in->status;
	for (int64_t k = 0; k <= n; k++)
		values[k] = k;
	for (int64_t k = 0; k < n; k++) {
		all[k] = x[k];
		if (gpube__x3_restrict(r, gpube__x3_var(x[k]), in_range, &range) ||
			gpube__x3_hidden(r, "circuit", n + 1, values, &when[k]))
			return r->in->status;
	}
	if (gpube__x3_hidden(r, "circuit", n, values,
		    &all[n])) /* there is a first one: a round is not empty */
		return r->in->status;
	m.n = n + 1;
	m.vars = all;
	gpube__x3_run(&m);
	for (int64_t i = 0; i < n && !r->in->status; i++) {
		struct next next = {.here = i + start};
		const struct link first = {i, 1, false};

		vars[0] = x[i];
		vars[1] = when[i];
		gpube__x3_table(r, 2, vars, holds_left_out, &next);
		if (!r->in->status)
			gpube__x3_add_pair(r, all[n], when[i], holds_link, &first);
		for (int64_t j = 0; j < n && !r->in->status; j++) {
			next.there = j + start;
			vars[2] = when[j];
			if (i != j && gpube__x3_index(r, x[i], next.there) >= 0)
				gpube__x3_table(r, 3, vars, holds_next, &next);
		}
	}
	return r->in->status;
}
