/* x3_list.c - XCSP3: lists of variables, numbers and expressions; conditions. See x3.h. */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "formats/xcsp3/x3.h"

/* ---- lists ----------------------------------------------------------------------------- */

static int push_var(struct gpube_x3 *r, void *arg, int32_t var)
{
	/* "x[]" says much in few bytes */
	if (gpube__in_charge(r->in, 1, 3 * sizeof(struct gpube_x3_term), "lists of variables"))
		return r->in->status;
	return gpube__x3_push(r, arg, gpube__x3_var(var));
}

static bool is_number(const char *word)
{
	return strchr("-+" DIGITS, *word) != NULL;
}

/* "7", "2..4" or "7x3", which is seven three times. */
static int push_numbers(
	struct gpube_x3 *r, struct gpube_x3_list *list, const char *word, const char *end)
{
	struct gpube_x3_interval in;
	int64_t times = 1;

	if (gpube__x3_range_at(r, &word, &in, "a variable or an integer"))
		return r->in->status;
	if (*word == 'x' && in.low == in.high) {
		word++;
		if (gpube__x3_integer(r, &word, &times, "a number of times"))
			return r->in->status;
		if (times < 1)
			return gpube__in_error(
				r->in, "an integer that is there %lld times", (long long)times);
	}
	if (gpube__x3_expect_end(r, word, end, "a blank behind an integer") ||
		gpube__in_charge(r->in, in.high - in.low + times, 3 * sizeof(*list->terms),
			"lists of numbers"))
		return r->in->status;
	for (int64_t v = in.low; v <= in.high; v++)
		for (int64_t k = 0; k < times; k++)
			if (gpube__x3_push(r, list, (struct gpube_x3_term){.var = -1, .value = v}))
				return r->in->status;
	return GPUBE_OK;
}

int gpube__x3_words(
	struct gpube_x3 *r, const char *text, struct gpube_x3_list *list, int64_t size[2])
{
	const char *word;
	int64_t symbol;
	size_t n;

	while ((word = gpube__x3_word(r, &text, &n)) && n) {
		struct gpube_x3_term t;

		if (is_number(word)) {
			push_numbers(r, list, word, word + n);
		} else if (memchr(word, '(', n)) {
			if (!gpube__x3_expression(r, word, n, &t))
				gpube__x3_push(r, list, t);
		} else if ((symbol = gpube__x3_symbol(r, word, n)) >= 0) {
			gpube__x3_push(r, list, (struct gpube_x3_term){.var = -1, .value = symbol});
		} else {
			gpube__x3_refer(r, word, n, push_var, list, size);
		}
		if (r->in->status)
			return r->in->status;
	}
	return GPUBE_OK;
}

int gpube__x3_list(struct gpube_x3 *r, const struct gpube_x3_node *node, struct gpube_x3_list *list)
{
	const char *text = gpube__x3_text(r, node);

	memset(list, 0, sizeof(*list));
	return text ? gpube__x3_words(r, text, list, NULL) : r->in->status;
}

static int to_vars(struct gpube_x3 *r, const struct gpube_x3_list *list, int64_t *n, int32_t **vars)
{
	*n = list->n;
	*vars = gpube__x3_temp(r, list->n + 1, sizeof(**vars));
	for (int64_t k = 0; k < list->n && !r->in->status; k++)
		gpube__x3_as_var(r, list->terms[k], &(*vars)[k]);
	return r->in->status;
}

int gpube__x3_vars(struct gpube_x3 *r, const struct gpube_x3_node *node, int64_t *n, int32_t **vars)
{
	struct gpube_x3_list list;

	return gpube__x3_list(r, node, &list) ? r->in->status : to_vars(r, &list, n, vars);
}

int gpube__x3_main_list(struct gpube_x3 *r, struct gpube_x3_node *node, struct gpube_x3_list *list)
{
	struct gpube_x3_node *child = gpube__x3_child(node, "list");

	if (!child && node->child) {
		child = gpube__x3_need(r, node, "list");
		if (!child)
			return r->in->status;
	}
	return gpube__x3_list(r, child ? child : node, list);
}

int gpube__x3_main_vars(struct gpube_x3 *r, struct gpube_x3_node *node, int64_t *n, int32_t **vars)
{
	struct gpube_x3_list list;

	if (gpube__x3_main_list(r, node, &list))
		return r->in->status;
	if (list.n == 0)
		return gpube__in_error(r->in, "<%.40s> of no variables", node->name);
	return to_vars(r, &list, n, vars);
}

bool gpube__x3_only_numbers(const struct gpube_x3_list *list)
{
	for (int64_t k = 0; k < list->n; k++)
		if (list->terms[k].var >= 0)
			return false;
	return true;
}

int gpube__x3_integers(
	struct gpube_x3 *r, const struct gpube_x3_node *node, int64_t *n, int64_t **v)
{
	struct gpube_x3_list list;

	if (gpube__x3_list(r, node, &list))
		return r->in->status;
	if (!gpube__x3_only_numbers(&list))
		return gpube__in_error(r->in, "variables in <%.40s> are not read", node->name);
	*n = list.n;
	*v = gpube__x3_numbers(r, &list);
	return r->in->status;
}

int gpube__x3_except(struct gpube_x3 *r, struct gpube_x3_node *node, int64_t *n, int64_t **values)
{
	struct gpube_x3_node *except = gpube__x3_child(node, "except");

	*n = 0;
	*values = NULL;
	if (except && !gpube__x3_integers(r, except, n, values))
		*n = gpube__x3_unique(*values, *n);
	return r->in->status;
}

int gpube__x3_term(struct gpube_x3 *r, const struct gpube_x3_node *node, struct gpube_x3_term *t)
{
	struct gpube_x3_list list;

	if (gpube__x3_list(r, node, &list))
		return r->in->status;
	if (list.n != 1)
		return gpube__in_error(r->in,
			"expected one variable or number in <%.40s>, found %lld", node->name,
			(long long)list.n);
	*t = list.terms[0];
	return GPUBE_OK;
}

/* ---- operators --------------------------------------------------------------------------- */

/* -1: it is none */
static int operator_of(const char *text, size_t n)
{
	for (int k = GPUBE_X3_LT; k <= GPUBE_X3_NOTIN; k++)
		if (strlen(gpube__x3_operators[k]) == n &&
			memcmp(gpube__x3_operators[k], text, n) == 0)
			return k;
	return -1;
}

int gpube__x3_order(struct gpube_x3 *r, const char *text, enum gpube_x3_operator *op)
{
	const char *word = text + strspn(text, BLANKS);
	const size_t n = strcspn(word, BLANKS);
	const int k = word[n + strspn(word + n, BLANKS)] ? -1 : operator_of(word, n);

	if (k != GPUBE_X3_LT && k != GPUBE_X3_LE && k != GPUBE_X3_GE && k != GPUBE_X3_GT)
		return gpube__x3_expected(r, "lt, le, ge or gt", text, strlen(text));
	*op = (enum gpube_x3_operator)k;
	return GPUBE_OK;
}

int gpube__x3_operator(struct gpube_x3 *r, struct gpube_x3_node *node, enum gpube_x3_operator *op)
{
	struct gpube_x3_node *child = gpube__x3_need(r, node, "operator");
	const char *text = child ? gpube__x3_text(r, child) : NULL;

	return text ? gpube__x3_order(r, text, op) : r->in->status;
}

/* ---- constraints as expressions ------------------------------------------------------------- */

int gpube__x3_post_printf(struct gpube_x3 *r, const char *fmt, ...)
{
	struct gpube_x3_text t = {0};
	va_list ap;

	va_start(ap, fmt);
	gpube__x3_vput(r, &t, fmt, ap);
	va_end(ap);
	return r->in->status ? r->in->status : gpube__x3_post(r, t.bytes, (size_t)t.n);
}

/* ---- conditions ------------------------------------------------------------------------ */

/* "{1,2,5}" as "1 2 5". */
static const char *unbraced(struct gpube_x3 *r, const char *text, size_t n)
{
	char *copy = gpube__x3_temp(r, (int64_t)n + 1, 1);

	for (size_t k = 0; copy && k < n; k++)
		copy[k] = text[k] == ',' || text[k] == '{' || text[k] == '}' ? ' ' : text[k];
	return copy;
}

static int compare_intervals(const void *a, const void *b)
{
	const struct gpube_x3_interval *x = a, *y = b;

	return (x->low > y->low) - (x->low < y->low);
}

/* They rise, and none meets the next. */
static void merge_intervals(struct gpube_x3_interval *set, int64_t *n)
{
	int64_t left = 0;

	if (*n)
		qsort(set, (size_t)*n, sizeof(*set), compare_intervals);
	for (int64_t k = 0; k < *n; k++) {
		if (left && set[k].low <= set[left - 1].high) {
			if (set[k].high > set[left - 1].high)
				set[left - 1].high = set[k].high;
		} else {
			set[left++] = set[k];
		}
	}
	*n = left;
}

static int read_right(struct gpube_x3 *r, struct gpube_x3_condition *c, const char *right, size_t n)
{
	const char *end = right + n;
	const char *copy;

	if (c->op == GPUBE_X3_IN || c->op == GPUBE_X3_NOTIN) {
		copy = unbraced(r, right, n);
		if (!copy || gpube__x3_intervals(r, copy, &c->set, &c->n))
			return r->in->status;
		merge_intervals(c->set, &c->n);
		return c->n ? GPUBE_OK : gpube__in_error(r->in, "a condition with an empty set");
	}
	c->right = (struct gpube_x3_term){.var = -1};
	if (is_number(right)) {
		if (gpube__x3_integer(r, &right, &c->right.value, "an integer"))
			return r->in->status;
		return gpube__x3_expect_end(r, right, end, "')' behind an integer");
	}
	if (memchr(right, '(', n))
		return gpube__x3_expression(r, right, n, &c->right);
	c->right.var = gpube__x3_find(r, right, n);
	if (c->right.var >= 0 && gpube__x3_symbolic(r, c->right.var))
		return gpube__in_error(r->in, "a condition on a variable of symbols");
	return r->in->status;
}

int gpube__x3_condition_text(
	struct gpube_x3 *r, const char *text, const char *end, struct gpube_x3_condition *c)
{
	const char *comma;
	size_t n;
	int op;

	memset(c, 0, sizeof(*c));
	text += strspn(text, BLANKS);
	while (end > text && strchr(BLANKS, end[-1]))
		end--;
	comma = end > text ? memchr(text, ',', (size_t)(end - text)) : NULL;
	if (*text != '(' || !comma || end[-1] != ')')
		return gpube__x3_expected(r, "a condition such as (le,10)", text,
			end > text ? (size_t)(end - text) : 0);
	text++;
	text += strspn(text, BLANKS);
	n = strcspn(text, "," BLANKS);
	op = text + n + strspn(text + n, BLANKS) == comma ? operator_of(text, n) : -1;
	if (op < 0)
		return gpube__x3_expected(
			r, "lt, le, eq, ne, ge, gt, in or notin", text, (size_t)(comma - text));
	c->op = (enum gpube_x3_operator)op;
	text = comma + 1 + strspn(comma + 1, BLANKS);
	for (end--; end > text && strchr(BLANKS, end[-1]); end--)
		;
	if (end <= text)
		return gpube__in_error(r->in, "a condition without its right side");
	return read_right(r, c, text, (size_t)(end - text));
}

int gpube__x3_condition(
	struct gpube_x3 *r, struct gpube_x3_node *node, struct gpube_x3_condition *c)
{
	struct gpube_x3_node *child = gpube__x3_need(r, node, "condition");
	const char *text = child ? gpube__x3_text(r, child) : NULL;

	memset(c, 0, sizeof(*c));
	return text ? gpube__x3_condition_text(r, text, text + strlen(text), c) : r->in->status;
}

/* ---- tuples and matrices ------------------------------------------------------------------- */

int gpube__x3_tuples(struct gpube_x3 *r, const struct gpube_x3_node *node,
	struct gpube_x3_list *list, int64_t *length)
{
	const char *text = gpube__x3_text(r, node);

	*length = 1;
	memset(list, 0, sizeof(*list));
	if (!text)
		return r->in->status;
	text += strspn(text, BLANKS);
	if (*text != '(')
		return gpube__x3_words(r, text, list, NULL);
	while (*text == '(') {
		const char *close = strchr(text, ')');
		char *one = close ? gpube__x3_temp(r, close - text, 1) : NULL;
		const int64_t before = list->n;

		if (!one)
			return r->in->status ? r->in->status
					     : gpube__in_error(r->in, "a tuple without its ')'");
		for (const char *p = text + 1; p < close; p++)
			one[p - text - 1] = *p == ',' ? ' ' : *p;
		if (gpube__x3_words(r, one, list, NULL))
			return r->in->status;
		if (before && list->n - before != *length)
			return gpube__in_error(r->in, "tuples that differ in length");
		*length = list->n - before;
		text = close + 1 + strspn(close + 1, BLANKS);
	}
	return *text || *length < 1 ? gpube__x3_expected(r, "'('", text, strlen(text)) : GPUBE_OK;
}

int gpube__x3_matrix(
	struct gpube_x3 *r, const struct gpube_x3_node *node, int64_t size[2], int32_t **vars)
{
	const char *text = gpube__x3_text(r, node);
	struct gpube_x3_list list = {0};
	int64_t n;

	size[0] = size[1] = 0;
	if (!text)
		return r->in->status;
	if (text[strspn(text, BLANKS)] != '(') { /* "x[][]" */
		if (gpube__x3_words(r, text, &list, size))
			return r->in->status;
	} else { /* "(x[0][0],x[0][1])(x[1][0],x[1][1])" */
		if (gpube__x3_tuples(r, node, &list, &size[1]))
			return r->in->status;
		size[0] = list.n / size[1];
	}
	if (size[0] <= 0 || size[1] <= 0 || size[0] * size[1] != list.n)
		return gpube__in_error(r->in, "expected a matrix such as x[][]");
	return to_vars(r, &list, &n, vars);
}
