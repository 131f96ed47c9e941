/* x3_pairs.c - XCSP3: constraints that are tables of few variables each. See x3.h. */
#ifdef GPUBE_HAVE_EXPAT

#include <stdio.h>
#include <string.h>

#include "formats/xcsp3/x3.h"

/* ---- allDifferent ------------------------------------------------------------------------ */

/* Rising. */
struct numbers {
	int64_t n, *values;
};

static bool listed(const struct numbers *s, int64_t value)
{
	return gpube__x3_has(s->values, s->n, value);
}

static bool holds_different(const void *data, const int64_t *v)
{
	return v[0] != v[1] || listed(data, v[0]);
}

/* Two variables, which may be the same one. */
static int add_pair(struct gpube_x3 *r, int32_t a, int32_t b,
	bool (*holds)(const void *data, const int64_t *values), const void *data)
{
	const int32_t vars[] = {a, b};

	if (gpube__in_charge(r->in, 1, 64, "pairs of variables"))
		return r->in->status;
	if (a != b)
		return gpube__x3_table(r, 2, vars, holds, data);
	for (int32_t v = 0; v < r->m->vars[a].domain; v++) {
		const int64_t value = gpube__x3_value(r, a, v), twice[] = {value, value};
		const int64_t cost = holds(data, twice) ? 0 : GPUBE_INF;
		int64_t *costs;

		if (cost == 0)
			continue;
		if (gpube__in_charge(r->in, r->m->vars[a].domain + 16, 32, "pairs of variables"))
			return r->in->status;
		costs = gpube__x3_temp(r, r->m->vars[a].domain, sizeof(*costs));
		if (!costs)
			return r->in->status;
		for (int32_t w = 0; w < r->m->vars[a].domain; w++) {
			const int64_t one = gpube__x3_value(r, a, w), both[] = {one, one};

			costs[w] = holds(data, both) ? 0 : GPUBE_INF;
		}
		return gpube__x3_costs(r, 1, &a, costs);
	}
	return GPUBE_OK;
}

static int differ_in_pairs(struct gpube_x3 *r, int64_t n, const int32_t *vars, int64_t step,
	const struct numbers *except)
{
	int32_t domains[2] = {-1, -1}, table = -1;

	for (int64_t i = 0; i < n; i++)
		for (int64_t j = i + 1; j < n; j++) {
			const int32_t pair[] = {vars[i * step], vars[j * step]};
			const int32_t *of = r->domain_of;
			const bool same = pair[0] != pair[1] && of[pair[0]] == domains[0] &&
					  of[pair[1]] == domains[1];

			/* pairs with the domains of the pair before share its table */
			if (same) {
				if (gpube__stopped(r->m->ctx))
					return r->in->status = gpube__fail_stopped(r->m->ctx);
				if (gpube__in_charge(r->in, 1, 256, "functions") ||
					gpube__add_function(r->m, 2, pair, table, NULL))
					return gpube__x3_no_memory(r);
				continue;
			}
			if (add_pair(r, pair[0], pair[1], holds_different, except))
				return r->in->status;
			table = r->m->n_tables - 1;
			domains[0] = pair[0] == pair[1] ? -1 : of[pair[0]];
			domains[1] = of[pair[1]];
		}
	return GPUBE_OK;
}

/* Pairs of two lists, one after the other. state: whether they differ, the first of the pair */
static bool step_lists(struct gpube_x3_machine *m, int64_t *state, int64_t k, int64_t value)
{
	(void)m;
	if (k % 2 == 0) {
		state[1] = state[0] ? 0 : value;
	} else {
		state[0] |= value != state[1];
		state[1] = 0;
	}
	return true;
}

static bool end_lists(struct gpube_x3_machine *m, const int64_t *state)
{
	(void)m;
	return state[0];
}

static int differ_in_lists(struct gpube_x3 *r, int64_t n, const int32_t *a, const int32_t *b)
{
	static const int64_t start[2];
	int32_t *vars = gpube__in_charge(r->in, n + 1, 64, "lists that differ")
				? NULL
				: gpube__x3_temp(r, 2 * n + 1, sizeof(*vars));
	struct gpube_x3_machine m = {.r = r,
		.name = "allDifferent",
		.n = 2 * n,
		.vars = vars,
		.width = 2,
		.start = start,
		.step = step_lists,
		.end = end_lists};

	for (int64_t k = 0; k < n && vars; k++) {
		vars[2 * k] = a[k];
		vars[2 * k + 1] = b[k];
	}
	return vars ? gpube__x3_run(&m) : r->in->status;
}

/* Any two of several lists differ somewhere. */
static int different_lists(struct gpube_x3 *r, struct gpube_x3_node *list)
{
	int64_t n = 0, m, count = 0, capacity = 0;
	int32_t **lists = NULL;

	for (; list; list = gpube__x3_next(list)) {
		if (gpube__x3_grow(r, &lists, &capacity, count + 1, sizeof(*lists)) ||
			gpube__x3_vars(r, list, &m, &lists[count]))
			return r->in->status;
		if (count++ && m != n)
			return gpube__in_error(
				r->in, "lists of <allDifferent> that differ in length");
		n = m;
	}
	for (int64_t i = 0; i < count; i++)
		for (int64_t j = i + 1; j < count; j++)
			if (differ_in_lists(r, n, lists[i], lists[j]))
				return r->in->status;
	return GPUBE_OK;
}

int gpube__x3_all_different(struct gpube_x3 *r, struct gpube_x3_node *node)
{
	struct gpube_x3_node *matrix = gpube__x3_child(node, "matrix");
	struct gpube_x3_node *list = gpube__x3_child(node, "list");
	struct gpube_x3_node *except = gpube__x3_child(node, "except");
	struct gpube_x3_node *second = list ? gpube__x3_next(list) : NULL;
	struct numbers none = {0};
	int64_t n, size[2];
	int32_t *vars;

	if (except && (second || matrix))
		return gpube__in_error(r->in, "<except> with lists or a matrix is not read");
	if (except && gpube__x3_integers(r, except, &none.n, &none.values))
		return r->in->status;
	none.n = gpube__x3_unique(none.values, none.n);
	if (second)
		return different_lists(r, list);
	if (!matrix)
		return gpube__x3_main_vars(r, node, &n, &vars)
			       ? r->in->status
			       : differ_in_pairs(r, n, vars, 1, &none);
	if (gpube__x3_matrix(r, matrix, size, &vars))
		return r->in->status;
	for (int64_t k = 0; k < size[0] && !r->in->status; k++)
		differ_in_pairs(r, size[1], vars + k * size[1], 1, &none);
	for (int64_t k = 0; k < size[1] && !r->in->status; k++)
		differ_in_pairs(r, size[0], vars + k, size[1], &none);
	return r->in->status;
}

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

static bool in_range(const void *data, int64_t value)
{
	const struct range *range = data;

	return value >= range->first && value - range->first < range->n;
}

static int in_range_term(struct gpube_x3 *r, struct gpube_x3_term t, const struct range *range)
{
	if (t.var >= 0)
		return gpube__x3_restrict(r, t.var, in_range, range);
	return in_range(range, t.value) ? GPUBE_OK : gpube__x3_never(r);
}

/* The condition as text behind what it is of, maybe "or(eq(…),…)" with intervals. */
static char *condition_text(struct gpube_x3 *r, const char *of, const struct gpube_x3_condition *c)
{
	char right[32], *text, *p;

	if (gpube__in_charge(r->in, c->n + 1, 160, "conditions"))
		return NULL;
	p = text = gpube__x3_temp(r, 160 + 160 * c->n, 1);
	if (!text)
		return NULL;
	if (c->op != GPUBE_X3_IN && c->op != GPUBE_X3_NOTIN) {
		gpube__x3_term_text(right, c->right);
		sprintf(p, "%s(%s,%s)", gpube__x3_operators[c->op], of, right);
		return text;
	}
	p += sprintf(p, c->op == GPUBE_X3_IN ? "or(0" : "not(or(0");
	for (int64_t k = 0; k < c->n; k++)
		p += sprintf(p, ",and(ge(%s,%lld),le(%s,%lld))", of, (long long)c->set[k].low, of,
			(long long)c->set[k].high);
	sprintf(p, c->op == GPUBE_X3_IN ? ")" : "))");
	return text;
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
		.end = end_lists};

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
	in_range_term(r, *index, &range);
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
	if (in_range_term(r, at->terms[0], &rows) || in_range_term(r, at->terms[1], &columns))
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
		gpube__x3_restrict(r, x[i], in_range, &of_x);
		for (int64_t j = 0; j < n_y && !r->in->status; j++) {
			const struct link l = {j + start_y, i + start_x, n < n_y};

			if (x == y && j < i)
				continue;
			add_pair(r, x[i], y[j], holds_link, &l);
		}
	}
	for (int64_t j = 0; j < n_y && n == n_y && !r->in->status; j++)
		gpube__x3_restrict(r, y[j], in_range, &of_y);
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
	if (gpube__x3_restrict(r, t.var, in_range, &range))
		return r->in->status;
	for (int64_t i = 0; i < n && !r->in->status; i++) {
		const struct link l = {1, i + start, false};
		const struct range truths = {0, 2};

		if (!gpube__x3_restrict(r, x[i], in_range, &truths))
			add_pair(r, x[i], t.var, holds_link, &l);
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

		gpube__x3_restrict(r, vars[k], in_range, &one);
	}
	return r->in->status;
}

/* ---- noOverlap ----------------------------------------------------------------------- */

/* "x y" or "(x,y)(z,w)": tuples of equal length. */
static int read_boxes(struct gpube_x3 *r, const struct gpube_x3_node *node,
	struct gpube_x3_list *list, int64_t *dimensions)
{
	const char *text = gpube__x3_text(r, node);
	int64_t before = 0;

	*dimensions = 1;
	memset(list, 0, sizeof(*list));
	if (!text)
		return r->in->status;
	text += strspn(text, " \t\n\r");
	if (*text != '(')
		return gpube__x3_words(r, text, list, NULL);
	for (; *text == '('; before = list->n) {
		const char *close = strchr(text, ')');
		char *one = close ? gpube__x3_temp(r, close - text, 1) : NULL;

		if (!one)
			return r->in->status ? r->in->status
					     : gpube__in_error(r->in, "a tuple without its ')'");
		for (const char *p = text + 1; p < close; p++)
			one[p - text - 1] = *p == ',' ? ' ' : *p;
		if (gpube__x3_words(r, one, list, NULL))
			return r->in->status;
		if (before && list->n - before != *dimensions)
			return gpube__in_error(r->in, "tuples that differ in length");
		*dimensions = list->n - before;
		text = close + 1 + strspn(close + 1, " \t\n\r");
	}
	return *text || *dimensions < 1 ? gpube__x3_expected(r, "'('", text, strlen(text))
					: GPUBE_OK;
}

/* In one of the dimensions one of the two ends before the other begins. */
static int keep_apart(struct gpube_x3 *r, int64_t dimensions, const struct gpube_x3_term *a,
	const struct gpube_x3_term *la, const struct gpube_x3_term *b,
	const struct gpube_x3_term *lb, bool zero_ignored)
{
	char x[32], y[32], lx[32], ly[32];
	char *text = gpube__x3_temp(r, 16 + 300 * dimensions, 1), *p = text;

	if (!text)
		return r->in->status;
	p += sprintf(p, "or(0");
	for (int64_t k = 0; k < dimensions; k++) {
		gpube__x3_term_text(x, a[k]);
		gpube__x3_term_text(y, b[k]);
		gpube__x3_term_text(lx, la[k]);
		gpube__x3_term_text(ly, lb[k]);
		p += sprintf(p, ",le(add(%s,%s),%s),le(add(%s,%s),%s)", x, lx, y, y, ly, x);
		if (zero_ignored)
			p += sprintf(p, ",eq(%s,0),eq(%s,0)", lx, ly);
	}
	p += sprintf(p, ")");
	return gpube__x3_post(r, text, (size_t)(p - text));
}

int gpube__x3_no_overlap(struct gpube_x3 *r, struct gpube_x3_node *node)
{
	struct gpube_x3_node *origins = gpube__x3_need(r, node, "origins");
	struct gpube_x3_node *lengths = origins ? gpube__x3_need(r, node, "lengths") : NULL;
	struct gpube_x3_list x, l;
	int64_t d, d_l;
	bool zero_ignored;

	if (!lengths || gpube__x3_flag(r, node, "zeroIgnored", true, &zero_ignored) ||
		read_boxes(r, origins, &x, &d) || read_boxes(r, lengths, &l, &d_l))
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
	const struct numbers none = {0};
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
	if (!when || !all || !values || differ_in_pairs(r, n, x, 1, &none))
		return r->in->status;
	for (int64_t k = 0; k <= n; k++)
		values[k] = k;
	for (int64_t k = 0; k < n; k++) {
		all[k] = x[k];
		if (gpube__x3_restrict(r, x[k], in_range, &range) ||
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
			add_pair(r, all[n], when[i], holds_link, &first);
		for (int64_t j = 0; j < n && !r->in->status; j++) {
			next.there = j + start;
			vars[2] = when[j];
			if (i != j && gpube__x3_index(r, x[i], next.there) >= 0)
				gpube__x3_table(r, 3, vars, holds_next, &next);
		}
	}
	return r->in->status;
}

#else
typedef int gpube__no_expat_x3_pairs; /* a file is not empty */
#endif
