/* x3_count.c - XCSP3: constraints that are sums of what each variable adds. See x3.h. */
#include <stdio.h>
#include <string.h>

#include "formats/xcsp3/x3.h"

/* ---- sum --------------------------------------------------------------------------------- */

/* A term and a factor that is one, too, as a hidden variable. */
static int multiply(struct gpube_x3 *r, struct gpube_x3_term *t, struct gpube_x3_term factor)
{
	char a[32], b[32], text[80];
	const int n = (gpube__x3_term_text(a, *t), gpube__x3_term_text(b, factor),
		snprintf(text, sizeof(text), "mul(%s,%s)", a, b));

	return gpube__x3_expression(r, text, (size_t)n, t);
}

/* The list times <coeffs>: its factors, products with variables become terms. */
int gpube__x3_weighted(struct gpube_x3 *r, struct gpube_x3_node *node, struct gpube_x3_list *list,
	int64_t **factors)
{
	struct gpube_x3_node *coeffs = gpube__x3_child(node, "coeffs");
	struct gpube_x3_list by = {0};

	if (coeffs && gpube__x3_list(r, coeffs, &by))
		return r->in->status;
	r->keeps_maps = !r->truth && gpube__x3_only_numbers(&by);
	gpube__x3_main_list(r, node, list);
	r->keeps_maps = false;
	if (r->in->status)
		return r->in->status;
	*factors = gpube__x3_ones(r, list->n);
	if (!coeffs || !*factors)
		return r->in->status;
	if (by.n != list->n)
		return gpube__in_error(r->in, "%lld coefficient%s for %lld variable%s",
			(long long)by.n, gpube__plural((double)by.n), (long long)list->n,
			gpube__plural((double)list->n));
	for (int64_t k = 0; k < list->n && !r->in->status; k++) {
		if (by.terms[k].var < 0)
			(*factors)[k] = by.terms[k].value;
		else
			multiply(r, &list->terms[k], by.terms[k]);
	}
	return r->in->status;
}

int gpube__x3_sum(struct gpube_x3 *r, struct gpube_x3_node *node)
{
	struct gpube_x3_condition c;
	struct gpube_x3_list list;
	int64_t *factors;

	if (gpube__x3_weighted(r, node, &list, &factors) || gpube__x3_condition(r, node, &c))
		return r->in->status;
	return gpube__x3_add_sum(r, &list, factors, &c);
}

/* ---- count and cardinality ---------------------------------------------------------------- */

/* How many of the list are equal to one of 'of'. */
static int count_equal(struct gpube_x3 *r, const struct gpube_x3_list *list,
	const struct gpube_x3_list *of, const struct gpube_x3_condition *c)
{
	struct gpube_x3_term *terms = gpube__x3_temp(r, list->n + 1, sizeof(*terms));
	struct gpube_x3_list truths = {.terms = terms, .n = list->n};
	int64_t *values, n;
	struct gpube_x3_sum s;

	if (!terms)
		return r->in->status;
	if (!gpube__x3_only_numbers(of)) {
		for (int64_t k = 0; k < list->n; k++) { /* each a hidden truth value */
			const char *text = gpube__x3_in_text(r, list->terms[k], of);

			if (!text || gpube__x3_expression(r, text, strlen(text), &terms[k]))
				return r->in->status;
		}
		values = gpube__x3_ones(r, list->n);
		return values ? gpube__x3_add_sum(r, &truths, values, c) : r->in->status;
	}
	values = gpube__x3_numbers(r, of);
	if (!values)
		return r->in->status;
	n = gpube__x3_unique(values, of->n);
	gpube__x3_sum_begin(&s, r);
	for (int64_t k = 0; k < list->n; k++)
		if (gpube__x3_sum_counted(&s, list->terms[k], n, values, 1))
			return r->in->status;
	return gpube__x3_sum_finish(&s, c);
}

int gpube__x3_count(struct gpube_x3 *r, struct gpube_x3_node *node)
{
	struct gpube_x3_node *values = gpube__x3_need(r, node, "values");
	struct gpube_x3_list list, of;
	struct gpube_x3_condition c;

	if (!values || gpube__x3_main_list(r, node, &list) || gpube__x3_list(r, values, &of) ||
		gpube__x3_condition(r, node, &c))
		return r->in->status;
	return count_equal(r, &list, &of, &c);
}

/* Numbers, rising. */
struct set {
	int64_t *values, n;
};

static bool is_listed(const void *data, const int64_t *v)
{
	const struct set *set = data;

	return gpube__x3_has(set->values, set->n, v[0]);
}

/* How often each of the values comes. */
struct occurs {
	struct gpube_x3_condition *c;
	int64_t n, most;
};

static int add_occurs(struct gpube_x3 *r, struct occurs *o, struct gpube_x3_condition c)
{
	if (o->n == o->most)
		return gpube__in_error(r->in, "<occurs> and <values> differ in length");
	o->c[o->n++] = c;
	return GPUBE_OK;
}

/* "1", "0..2", "1x3", which is 1 three times, or what stands for variables */
static int read_occurs(struct gpube_x3 *r, struct occurs *o, const char *word, size_t n)
{
	const char *p = gpube__x3_copy(r, word, n);
	struct gpube_x3_interval *in = gpube__x3_temp(r, 1, sizeof(*in));
	struct gpube_x3_list list = {0};
	int64_t times = 1;

	if (!p || !in)
		return r->in->status;
	if (!strchr("-+" DIGITS, *p)) {
		gpube__x3_words(r, p, &list, NULL);
		for (int64_t k = 0; k < list.n && !r->in->status; k++)
			add_occurs(r, o,
				(struct gpube_x3_condition){
					.op = GPUBE_X3_EQ, .right = list.terms[k]});
		return r->in->status;
	}
	if (gpube__x3_range_at(r, &p, in, "a number of times") ||
		(*p == 'x' && (p++, gpube__x3_integer(r, &p, &times, "a number of times"))) ||
		gpube__x3_expect_end(r, p, p + strlen(p), "a blank behind an integer"))
		return r->in->status;
	for (; times > 0 && !r->in->status; times--)
		add_occurs(r, o, (struct gpube_x3_condition){GPUBE_X3_IN, .set = in, .n = 1});
	return r->in->status;
}

int gpube__x3_cardinality(struct gpube_x3 *r, struct gpube_x3_node *node)
{
	struct gpube_x3_node *values = gpube__x3_need(r, node, "values");
	struct gpube_x3_node *occurs = values ? gpube__x3_need(r, node, "occurs") : NULL;
	struct gpube_x3_list list, of;
	struct occurs o = {0};
	const char *text, *word;
	struct set set = {0};
	bool closed;
	size_t n;

	if (!occurs || gpube__x3_flag(r, values, "closed", false, &closed) ||
		gpube__x3_main_list(r, node, &list) || gpube__x3_list(r, values, &of))
		return r->in->status;
	if (closed && !gpube__x3_only_numbers(&of))
		return gpube__in_error(r->in, "closed <values> that are variables are not read");
	if (closed && !(set.values = gpube__x3_numbers(r, &of)))
		return r->in->status;
	set.n = gpube__x3_unique(set.values, closed ? of.n : 0);
	o.most = of.n;
	o.c = gpube__x3_temp(r, of.n + 1, sizeof(*o.c));
	text = gpube__x3_text(r, occurs);
	while (text && o.c && !r->in->status && (word = gpube__x3_word(r, &text, &n)) && n)
		read_occurs(r, &o, word, n);
	if (!r->in->status && o.n < o.most)
		return gpube__in_error(r->in, "<occurs> and <values> differ in length");
	for (int64_t k = 0; k < of.n && !r->in->status; k++) {
		const struct gpube_x3_list one = {.terms = &of.terms[k], .n = 1};

		count_equal(r, &list, &one, &o.c[k]);
	}
	for (int64_t k = 0; k < list.n && closed && !r->in->status; k++) {
		gpube__x3_restrict(r, list.terms[k], is_listed, &set);
	}
	return r->in->status;
}

/* ---- binPacking, knapsack -------------------------------------------------------------------- */

static int add_bin(struct gpube_x3 *r, const struct gpube_x3_list *list, const int64_t *sizes,
	int64_t bin, const struct gpube_x3_condition *c)
{
	struct gpube_x3_sum s;

	gpube__x3_sum_begin(&s, r);
	for (int64_t k = 0; k < list->n; k++)
		if (gpube__x3_sum_counted(&s, list->terms[k], 1, &bin, sizes[k]))
			return r->in->status;
	return gpube__x3_sum_finish(&s, c);
}

/* What the terms may be, rising; NULL after a failure. */
static int64_t *values_of(struct gpube_x3 *r, const struct gpube_x3_list *list, int64_t *n)
{
	int64_t total = 0, *values;

	for (int64_t k = 0; k < list->n; k++)
		total += list->terms[k].var < 0 ? 1 : r->m->vars[list->terms[k].var].domain;
	if (gpube__in_charge(r->in, total, sizeof(*values), "a list of values"))
		return NULL;
	values = gpube__x3_temp(r, total + 1, sizeof(*values));
	total = 0;
	for (int64_t k = 0; k < list->n && values; k++) {
		const struct gpube_x3_term t = list->terms[k];

		if (t.var < 0)
			values[total++] = t.value;
		for (int32_t v = 0; t.var >= 0 && v < r->m->vars[t.var].domain; v++)
			values[total++] = gpube__x3_value(r, t.var, v);
	}
	*n = values ? gpube__x3_unique(values, total) : 0;
	return values;
}

/* Every bin that a variable may be, with the condition. */
static int add_all_bins(struct gpube_x3 *r, const struct gpube_x3_list *list, const int64_t *sizes,
	const struct gpube_x3_condition *c)
{
	int64_t total, *bins = values_of(r, list, &total);

	for (int64_t k = 0; bins && k < total && !r->in->status; k++)
		add_bin(r, list, sizes, bins[k], c);
	return r->in->status;
}

static bool is_bin(const void *data, const int64_t *v)
{
	const int64_t *n = data;

	return v[0] >= 0 && v[0] < *n;
}

/* The list in this many bins, which are all that there are. */
static int check_bins(struct gpube_x3 *r, const struct gpube_x3_list *list, int64_t n)
{
	for (int64_t k = 0; k < list->n && !r->in->status; k++)
		gpube__x3_restrict(r, list->terms[k], is_bin, &n);
	return r->in->status;
}

/* "(le,5)(eq,x)", of a bin each */
static int add_conditions(struct gpube_x3 *r, const struct gpube_x3_list *list,
	const int64_t *sizes, const struct gpube_x3_node *conditions)
{
	const char *text = gpube__x3_text(r, conditions);
	struct gpube_x3_condition c;
	int64_t n = 0;

	for (; text && text[strspn(text, BLANKS)] && !r->in->status; n++) {
		const char *begin = text + strspn(text, BLANKS);
		int depth = 0;

		for (text = begin; *text; text++) {
			depth += *text == '(' ? 1 : *text == ')' ? -1 : 0;
			if (depth <= 0)
				break;
		}
		text += *text == ')' ? 1 : text == begin ? strcspn(text, BLANKS) : 0;
		if (!gpube__x3_condition_text(r, begin, text, &c))
			add_bin(r, list, sizes, n, &c);
	}
	return check_bins(r, list, n);
}

int gpube__x3_bins(struct gpube_x3 *r, struct gpube_x3_node *node)
{
	struct gpube_x3_node *sizes = gpube__x3_need(r, node, "sizes");
	struct gpube_x3_node *limits = gpube__x3_child(node, "limits");
	struct gpube_x3_node *loads = limits ? NULL : gpube__x3_child(node, "loads");
	struct gpube_x3_node *conditions =
		limits || loads ? NULL : gpube__x3_child(node, "conditions");
	struct gpube_x3_list list, right;
	struct gpube_x3_condition c = {.op = limits ? GPUBE_X3_LE : GPUBE_X3_EQ};
	int64_t n, *v;

	if (!sizes || gpube__x3_main_list(r, node, &list) || gpube__x3_integers(r, sizes, &n, &v))
		return r->in->status;
	if (n != list.n)
		return gpube__in_error(r->in, "<sizes> and the list differ in length");
	if (conditions)
		return add_conditions(r, &list, v, conditions);
	if (!limits && !loads)
		return gpube__x3_condition(r, node, &c) ? r->in->status
							: add_all_bins(r, &list, v, &c);
	if (gpube__x3_list(r, limits ? limits : loads, &right))
		return r->in->status;
	for (int64_t k = 0; k < right.n && !r->in->status; k++) {
		c.right = right.terms[k];
		add_bin(r, &list, v, k, &c);
	}
	return check_bins(r, &list, right.n);
}

static int add_weighed(struct gpube_x3 *r, struct gpube_x3_node *node, const char *name,
	const struct gpube_x3_list *list, const struct gpube_x3_condition *c)
{
	struct gpube_x3_node *factors = gpube__x3_need(r, node, name);
	int64_t n, *v;

	if (!factors || gpube__x3_integers(r, factors, &n, &v))
		return r->in->status;
	if (n != list->n)
		return gpube__in_error(r->in, "<%s> and the list differ in length", name);
	return gpube__x3_add_sum(r, list, v, c);
}

/* <limit> or a first <condition> is on the weights, the other <condition> on the profits. */
int gpube__x3_knapsack(struct gpube_x3 *r, struct gpube_x3_node *node)
{
	struct gpube_x3_node *limit = gpube__x3_child(node, "limit"), *second, whole = *node;
	struct gpube_x3_condition weights = {.op = GPUBE_X3_LE}, profits;
	struct gpube_x3_list list;

	if (gpube__x3_main_list(r, node, &list))
		return r->in->status;
	second = gpube__x3_child(node, "condition");
	if (limit) {
		if (gpube__x3_term(r, limit, &weights.right))
			return r->in->status;
	} else {
		if (gpube__x3_condition(r, node, &weights))
			return r->in->status;
		second = second ? gpube__x3_next(second) : NULL;
	}
	if (add_weighed(r, node, "weights", &list, &weights))
		return r->in->status;
	if (!second)
		return gpube__in_error(r->in, "<knapsack> needs a <condition> on its profits");
	whole.child = second;
	if (gpube__x3_condition(r, &whole, &profits))
		return r->in->status;
	return add_weighed(r, node, "profits", &list, &profits);
}

/* ---- flow ------------------------------------------------------------------------------------ */

/* From node 'at[0]' to 'at[1]', by the numbers of the file. */
struct arc {
	int64_t at[2];
};

/* "(1,2) (2,3)" */
static int read_arcs(
	struct gpube_x3 *r, const struct gpube_x3_node *node, int64_t n, struct arc **arcs)
{
	struct gpube_x3_list list;
	int64_t length;

	if (gpube__x3_tuples(r, node, &list, &length))
		return r->in->status;
	if (list.n != 2 * n || (n && length != 2))
		return gpube__in_error(r->in, "<arcs> and the list differ in length");
	*arcs = gpube__x3_temp(r, n + 1, sizeof(**arcs));
	for (int64_t k = 0; *arcs && k < 2 * n; k++)
		if (list.terms[k].var >= 0)
			return gpube__in_error(r->in, "variables in <arcs> are not read");
		else
			(*arcs)[k / 2].at[k % 2] = list.terms[k].value;
	return r->in->status;
}

/* What leaves a node less what comes is its balance; nodes are numbered on from the least. */
static int add_balances(struct gpube_x3 *r, const struct gpube_x3_list *list,
	const struct arc *arcs, const struct gpube_x3_list *balance)
{
	int64_t first = INT64_MAX;

	for (int64_t k = 0; k < list->n; k++)
		for (int e = 0; e < 2; e++)
			first = arcs[k].at[e] < first ? arcs[k].at[e] : first;
	for (int64_t k = 0; k < list->n; k++)
		for (int e = 0; e < 2; e++)
			if (arcs[k].at[e] - first >= balance->n)
				return gpube__in_error(r->in,
					"<arcs> has node %lld, but <balance> %lld node%s from "
					"%lld",
					(long long)arcs[k].at[e], (long long)balance->n,
					gpube__plural((double)balance->n), (long long)first);
	if (gpube__in_charge(r->in, balance->n, list->n, "a flow"))
		return r->in->status;
	for (int64_t i = 0; i < balance->n; i++) {
		const struct gpube_x3_condition c = {.op = GPUBE_X3_EQ, .right = balance->terms[i]};
		struct gpube_x3_sum s;

		gpube__x3_sum_begin(&s, r);
		for (int64_t k = 0; k < list->n; k++)
			if (arcs[k].at[0] != arcs[k].at[1] &&
				(arcs[k].at[0] == first + i || arcs[k].at[1] == first + i) &&
				gpube__x3_sum_term(
					&s, list->terms[k], arcs[k].at[0] == first + i ? 1 : -1))
				return r->in->status;
		if (gpube__x3_sum_finish(&s, &c))
			return r->in->status;
	}
	return GPUBE_OK;
}

int gpube__x3_flow(struct gpube_x3 *r, struct gpube_x3_node *node)
{
	struct gpube_x3_node *balance = gpube__x3_need(r, node, "balance");
	struct gpube_x3_node *ends = balance ? gpube__x3_need(r, node, "arcs") : NULL;
	struct gpube_x3_list list, by;
	struct gpube_x3_condition c;
	struct arc *arcs = NULL;

	if (!ends || gpube__x3_main_list(r, node, &list) || gpube__x3_list(r, balance, &by) ||
		read_arcs(r, ends, list.n, &arcs) || add_balances(r, &list, arcs, &by))
		return r->in->status;
	if (!gpube__x3_child(node, "weights") && !gpube__x3_child(node, "condition"))
		return GPUBE_OK;
	return gpube__x3_condition(r, node, &c) ? r->in->status
						: add_weighed(r, node, "weights", &list, &c);
}

/* ---- cumulative ------------------------------------------------------------------------------ */

/* Of all tasks. */
struct tasks {
	struct gpube_x3_list origins, lengths, heights;
};

/* What a task takes at a time. */
static int add_task(struct gpube_x3_sum *s, const struct tasks *tasks, int64_t k, int64_t time)
{
	const struct gpube_x3_term origin = tasks->origins.terms[k],
				   length = tasks->lengths.terms[k],
				   height = tasks->heights.terms[k];
	struct gpube_x3 *r = s->r;
	char o[32], l[32], h[32], text[200];
	struct gpube_x3_term takes;
	int32_t place;
	int n;

	if (length.var >= 0 || height.var >= 0 || origin.var < 0) {
		gpube__x3_term_text(o, origin);
		gpube__x3_term_text(l, length);
		gpube__x3_term_text(h, height);
		n = snprintf(text, sizeof(text), "mul(%s,and(le(%s,%lld),gt(add(%s,%s),%lld)))", h,
			o, (long long)time, o, l, (long long)time);
		return gpube__x3_expression(r, text, (size_t)n, &takes)
			       ? r->in->status
			       : gpube__x3_sum_term(s, takes, 1);
	}
	if (gpube__x3_sum_place(s, origin.var, &place))
		return r->in->status;
	for (int32_t v = 0; v < r->m->vars[origin.var].domain; v++) {
		const int64_t start = gpube__x3_value(r, origin.var, v);

		if (start <= time && time - start < length.value)
			*gpube__linear_gain(&r->linear, place, v) += height.value;
	}
	return GPUBE_OK;
}

/* One of the lists; n: how many there are, -1: as many as it has. */
static int read_part(struct gpube_x3 *r, struct gpube_x3_node *node, const char *name, int64_t n,
	struct gpube_x3_list *list)
{
	struct gpube_x3_node *child = gpube__x3_need(r, node, name);

	if (!child || gpube__x3_list(r, child, list))
		return r->in->status;
	return n < 0 || list->n == n
		       ? GPUBE_OK
		       : gpube__in_error(r->in, "<%s> differ from <origins> in number", name);
}

static int read_tasks(struct gpube_x3 *r, struct gpube_x3_node *node, struct tasks *t)
{
	struct gpube_x3_list ends;
	char a[32], b[32], c[32];

	if (read_part(r, node, "origins", -1, &t->origins) ||
		read_part(r, node, "lengths", t->origins.n, &t->lengths) ||
		read_part(r, node, "heights", t->origins.n, &t->heights))
		return r->in->status;
	if (!gpube__x3_child(node, "ends"))
		return GPUBE_OK;
	if (read_part(r, node, "ends", t->origins.n, &ends))
		return r->in->status;
	for (int64_t k = 0; k < ends.n && !r->in->status; k++) {
		gpube__x3_term_text(a, t->origins.terms[k]);
		gpube__x3_term_text(b, t->lengths.terms[k]);
		gpube__x3_term_text(c, ends.terms[k]);
		gpube__x3_post_printf(r, "eq(add(%s,%s),%s)", a, b, c);
	}
	return r->in->status;
}

static int64_t least_of(const struct gpube_x3 *r, struct gpube_x3_term t)
{
	return t.var < 0 ? t.value : gpube__x3_range(r, t.var).low;
}

/* At every time at which a task may begin: more is taken at no other. */
int gpube__x3_cumulative(struct gpube_x3 *r, struct gpube_x3_node *node)
{
	struct gpube_x3_condition c;
	struct tasks tasks;
	int64_t n, *times;

	if (read_tasks(r, node, &tasks) || gpube__x3_condition(r, node, &c))
		return r->in->status;
	if (c.op != GPUBE_X3_LE && c.op != GPUBE_X3_LT)
		return gpube__in_error(
			r->in, "<cumulative> with another condition than le or lt is not read");
	for (int64_t k = 0; k < tasks.heights.n; k++)
		if (least_of(r, tasks.heights.terms[k]) < 0)
			return gpube__in_error(
				r->in, "<cumulative> with a height below 0 is not read");
	times = values_of(r, &tasks.origins, &n);
	for (int64_t i = 0; times && i < n && !r->in->status; i++) {
		struct gpube_x3_sum s;

		gpube__x3_sum_begin(&s, r);
		for (int64_t k = 0; k < tasks.origins.n && !r->in->status; k++)
			add_task(&s, &tasks, k, times[i]);
		if (!r->in->status)
			gpube__x3_sum_finish(&s, &c);
	}
	return r->in->status;
}

/* ---- clause ---------------------------------------------------------------------------------- */

/* "x not(y)" */
int gpube__x3_clause(struct gpube_x3 *r, struct gpube_x3_node *node)
{
	const struct gpube_x3_condition c = {.op = GPUBE_X3_GE, .right = {.var = -1, .value = 1}};
	struct gpube_x3_node *list = gpube__x3_child(node, "list");
	const char *text = gpube__x3_text(r, list ? list : node), *word;
	struct gpube_x3_sum s;
	size_t n = 0;

	gpube__x3_sum_begin(&s, r);
	while (text && !r->in->status && (word = gpube__x3_word(r, &text, &n)) && n) {
		const bool negative = n > 5 && memcmp(word, "not(", 4) == 0 && word[n - 1] == ')';
		const int32_t var =
			negative ? gpube__x3_find(r, word + 4, n - 5) : gpube__x3_find(r, word, n);
		int32_t place;

		if (var < 0 || gpube__x3_sum_place(&s, var, &place))
			return r->in->status;
		for (int32_t v = 0; v < r->m->vars[var].domain; v++)
			if ((gpube__x3_value(r, var, v) == 0) == negative)
				*gpube__linear_gain(&r->linear, place, v) += 1;
	}
	return r->in->status ? r->in->status : gpube__x3_sum_finish(&s, &c);
}
