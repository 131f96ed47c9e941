/* x3_equal.c - XCSP3: allDifferent and allEqual. See x3.h. */
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

/* What both values of a variable that is there twice are. */
struct twice {
	bool (*holds)(const void *data, const int64_t *values);
	const void *data;
};

static bool holds_twice(const void *data, const int64_t *v)
{
	const struct twice *t = data;
	const int64_t both[] = {v[0], v[0]};

	return t->holds(t->data, both);
}

int gpube__x3_add_pair(struct gpube_x3 *r, int32_t a, int32_t b,
	bool (*holds)(const void *data, const int64_t *values), const void *data)
{
	const int32_t vars[] = {a, b};
	const struct twice twice = {holds, data};

	if (gpube__in_charge(r->in, 1, 64, "pairs of variables"))
		return r->in->status;
	return a != b ? gpube__x3_table(r, 2, vars, holds, data)
		      : gpube__x3_restrict(r, gpube__x3_var(a), holds_twice, &twice);
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
				if (gpube__x3_add_again(r, 2, pair, table))
					return r->in->status;
				continue;
			}
			if (gpube__x3_add_pair(r, pair[0], pair[1], holds_different, except))
				return r->in->status;
			table = r->m->n_tables - 1;
			domains[0] = pair[0] == pair[1] ? -1 : of[pair[0]];
			domains[1] = of[pair[1]];
		}
	return GPUBE_OK;
}

int gpube__x3_differ(struct gpube_x3 *r, int64_t n, const int32_t *vars)
{
	const struct numbers none = {0};

	return differ_in_pairs(r, n, vars, 1, &none);
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

static int differ_in_lists(
	struct gpube_x3 *r, int64_t n, const struct gpube_x3_term *a, const struct gpube_x3_term *b)
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
		gpube__x3_as_var(r, a[k], &vars[2 * k]);
		gpube__x3_as_var(r, b[k], &vars[2 * k + 1]);
	}
	return r->in->status ? r->in->status : gpube__x3_run(&m);
}

/* "eq(a,b),eq(c,d)", or ne */
static void put_pairs(struct gpube_x3 *r, struct gpube_x3_text *t, const char *op, int64_t n,
	const struct gpube_x3_term *a, const struct gpube_x3_term *b)
{
	for (int64_t k = 0; k < n; k++) {
		gpube__x3_put(r, t, ",%s(", op);
		gpube__x3_put_term(r, t, a[k], ",");
		gpube__x3_put_term(r, t, b[k], ")");
	}
}

/* Lists of n terms each, and tuples of as many that are excepted. */
struct lists {
	int64_t n, count, capacity, n_except;
	const struct gpube_x3_term **lists, *except;
};

/* Two lists differ, or are equal, or one of them is an excepted tuple: that of both if equal. */
static int compare_lists(
	struct gpube_x3 *r, const struct lists *l, int64_t i, int64_t j, bool equal)
{
	const struct gpube_x3_term *a = l->lists[i], *b = l->lists[j];
	struct gpube_x3_text t = {0};

	if (gpube__in_charge(r->in, l->n + 1, 64 * (2 * l->n_except + 1), "lists"))
		return r->in->status;
	gpube__x3_put(r, &t, equal ? "or(0,and(1" : "or(0");
	put_pairs(r, &t, equal ? "eq" : "ne", l->n, a, b);
	gpube__x3_put(r, &t, equal ? ")" : "");
	for (int64_t k = 0; k < l->n_except * (equal ? 2 : 1); k++) {
		gpube__x3_put(r, &t, ",and(1");
		put_pairs(r, &t, "eq", l->n, k < l->n_except ? a : b,
			l->except + k % l->n_except * l->n);
		gpube__x3_put(r, &t, ")");
	}
	return gpube__x3_put(r, &t, ")") ? r->in->status : gpube__x3_post(r, t.bytes, (size_t)t.n);
}

static int read_lists(
	struct gpube_x3 *r, struct gpube_x3_node *node, struct gpube_x3_node *list, struct lists *l)
{
	struct gpube_x3_node *except = gpube__x3_child(node, "except");
	struct gpube_x3_list one;
	int64_t length;

	for (; list; list = gpube__x3_next(list)) {
		if (gpube__x3_grow(r, &l->lists, &l->capacity, l->count + 1, sizeof(*l->lists)) ||
			gpube__x3_list(r, list, &one))
			return r->in->status;
		if (l->count && one.n != l->n)
			return gpube__in_error(
				r->in, "lists of <%.40s> that differ in length", node->name);
		l->n = one.n;
		l->lists[l->count++] = one.terms;
	}
	if (!except)
		return GPUBE_OK;
	if (gpube__x3_tuples(r, except, &one, &length))
		return r->in->status;
	if (length != l->n || !gpube__x3_only_numbers(&one))
		return gpube__in_error(
			r->in, "expected tuples of %lld integers in <except>", (long long)l->n);
	l->except = one.terms;
	l->n_except = one.n / length;
	return GPUBE_OK;
}

/* Any two of several lists differ somewhere, or are equal. */
static int relate_lists(
	struct gpube_x3 *r, struct gpube_x3_node *node, struct gpube_x3_node *list, bool equal)
{
	struct lists l = {0};

	if (read_lists(r, node, list, &l))
		return r->in->status;
	for (int64_t i = 0; i < l.count; i++)
		for (int64_t j = i + 1; j < l.count; j++) {
			if (equal && !l.n_except && j > i + 1)
				break; /* each with the next one is enough */
			if (equal || l.n_except ? compare_lists(r, &l, i, j, equal)
						: differ_in_lists(r, l.n, l.lists[i], l.lists[j]))
				return r->in->status;
		}
	return GPUBE_OK;
}

int gpube__x3_all_different(struct gpube_x3 *r, struct gpube_x3_node *node)
{
	struct gpube_x3_node *matrix = gpube__x3_child(node, "matrix");
	struct gpube_x3_node *list = gpube__x3_child(node, "list");
	struct numbers none;
	int64_t n, size[2];
	int32_t *vars;

	if (list && gpube__x3_next(list))
		return relate_lists(r, node, list, false);
	if (gpube__x3_except(r, node, &none.n, &none.values))
		return r->in->status;
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

/* ---- allEqual ------------------------------------------------------------------------------ */

/* state: whether there is one that is not excepted, its value */
static bool step_equal(struct gpube_x3_machine *m, int64_t *state, int64_t k, int64_t value)
{
	(void)k;
	if (listed(m->data, value))
		return true;
	if (state[0])
		return state[1] == value;
	state[0] = 1;
	state[1] = value;
	return true;
}

int gpube__x3_all_equal(struct gpube_x3 *r, struct gpube_x3_node *node)
{
	struct gpube_x3_node *list = gpube__x3_child(node, "list");
	static const int64_t start[2];
	struct numbers except;
	struct gpube_x3_machine m = {.r = r,
		.name = "allEqual",
		.width = 2,
		.start = start,
		.step = step_equal,
		.data = &except};
	int32_t *vars;
	int64_t n;

	if (list && gpube__x3_next(list))
		return relate_lists(r, node, list, true);
	if (gpube__x3_main_vars(r, node, &n, &vars) ||
		gpube__x3_except(r, node, &except.n, &except.values))
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
