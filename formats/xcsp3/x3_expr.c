/*
 * x3_expr.c - XCSP3: expressions. See x3.h.
 *
 * An expression over few tuples becomes a table. Of a wider one the parts with the most tuples
 * become hidden variables, from the leaves up, until the rest is small: or(eq(x,1),eq(y,2),…) has a
 * hidden truth value for each part of its balanced tree. A comparison of sums stays one of sums.
 *
 * An assignment for which a constraint divides by 0 does not satisfy it; where a part that has to
 * become a variable, or a cost, does so, the file is refused.
 */
#include <string.h>

#include "formats/common/reading.h"
#include "formats/xcsp3/x3_parsed.h"

/* Parts with more tuples than the first become hidden variables where that helps. */
enum { PART_CELLS = 1 << 14 };

/* ---- values ---------------------------------------------------------------------------- */

/* truth: an expression that divides by 0 is false */
static int value_at(
	struct gpube_x3_parsed *p, struct gpube_value *slots, bool truth, int64_t *value)
{
	struct gpube_value v;

	*value = 0;
	if (!gpube__expr_eval(&p->e, slots, &v))
		return truth && p->e.by_zero && !p->r->second.on
			       ? GPUBE_OK
			       : gpube__in_error(p->r->in, "%s", p->e.error);
	if (v.kind != GPUBE_VALUE_INT)
		return gpube__in_error(p->r->in, "an expression that is no integer");
	*value = v.i;
	return GPUBE_OK;
}

/*
 * Its value for each tuple of its slots, the last one fastest; NULL after a failure.
 * truth  a truth value is asked for, and false where it divides by 0
 */
static int64_t *evaluate(struct gpube_x3_parsed *p, int32_t at, bool truth, int64_t *n)
{
	struct gpube_x3 *r = p->r;
	const int32_t root = p->e.root;
	struct gpube_value *slots;
	int32_t *domains, *tuple;
	int64_t *values, cell = 0;

	*n = gpube__x3_measure(p, at);
	if (*n > GPUBE_EXPAND_CELLS) {
		const struct gpube_sink sink = gpube__in_sink(r->in);

		gpube__refuse_cells(&sink, "an expression", p->n, *n, "");
		return NULL;
	}
	/* values that are computed are paid for, too */
	if (gpube__charge_expanded(r->in, *n, NULL) ||
		gpube__in_charge(r->in, *n, 1 + p->n_met / 4, "expressions"))
		return NULL;
	slots = gpube__x3_temp(r, p->n_slots + 1, sizeof(*slots));
	domains = gpube__x3_temp(r, 2 * (int64_t)p->n + 1, sizeof(*domains));
	values = gpube__x3_temp(r, *n, sizeof(*values));
	if (r->in->status)
		return NULL;
	tuple = domains + p->n;
	for (int k = 0; k < p->n; k++)
		domains[k] = r->m->vars[p->slots[p->scope[k]].var].domain;
	p->e.root = at;
	p->e.first_local = (int)p->n_slots;
	do {
		for (int k = 0; k < p->n; k++)
			slots[p->scope[k]].i =
				gpube__x3_value(r, p->slots[p->scope[k]].var, tuple[k]);
		if (value_at(p, slots, truth, &values[cell++]))
			return NULL;
		if ((cell & 0xffff) == 0 && gpube__stopped(r->m->ctx)) {
			r->in->status = gpube__fail_stopped(r->m->ctx);
			return NULL;
		}
	} while (gpube__tuple_next(tuple, domains, p->n));
	p->e.root = root;
	return values;
}

/* The variables of p->scope, and one more place. */
static int32_t *scope_of(struct gpube_x3_parsed *p)
{
	int32_t *vars = gpube__x3_temp(p->r, (int64_t)p->n + 1, sizeof(*vars));

	for (int k = 0; vars && k < p->n; k++)
		vars[k] = p->slots[p->scope[k]].var;
	return vars;
}

int gpube__x3_define(
	struct gpube_x3 *r, int n, const int32_t *vars, int64_t cells, const int64_t *values)
{
	int32_t *tuple = gpube__x3_temp(r, (int64_t)n + 1, sizeof(*tuple)), table;
	struct gpube_tuples t;
	int status = GPUBE_OK;

	if (!tuple || gpube__charge_expanded(r->in, cells, NULL) ||
		gpube__x3_tuples_begin(r, &t, n + 1, vars, GPUBE_INF))
		return r->in->status;
	for (int64_t k = 0; k < cells && !status; k++) {
		tuple[n] = gpube__x3_index(r, vars[n], values[k]);
		status = gpube__tuples_push(&t, tuple, 0, 0);
		gpube__tuple_next(tuple, t.domains, n);
	}
	if (gpube__x3_tuples_end(r, &t, status, &table))
		return r->in->status;
	return gpube__add_function(r->m, n + 1, vars, table, NULL) ? gpube__x3_no_memory(r)
								   : GPUBE_OK;
}

int gpube__x3_defined(struct gpube_x3 *r, int32_t first)
{
	const struct gpube_x3_interval in = {first, r->m->n_functions};

	if (!r->truth || r->in->status ||
		gpube__x3_grow(r, &r->defined, &r->defined_capacity, r->n_defined + 1, sizeof(in)))
		return r->in->status;
	r->defined[r->n_defined++] = in;
	return GPUBE_OK;
}

/* A hidden variable of the part's values, or -1 and a number, if it has one alone. */
static int make_part(struct gpube_x3_parsed *p, int32_t at, int32_t *var, int64_t *value)
{
	struct gpube_x3 *r = p->r;
	const char *key = gpube__x3_key(p, at, false);
	const int32_t known = key ? gpube__x3_known(r, GPUBE_X3_PARTS, key) : -1;
	int32_t *vars = key ? scope_of(p) : NULL;
	int64_t cells, n, *values, *sorted;

	*var = -1;
	if (!vars || (known >= 0 && gpube__x3_hidden_as(r, "part", r->parts[known].domain, var)))
		return r->in->status;
	if (known >= 0) {
		vars[p->n] = *var;
		return gpube__x3_add_again(r, p->n + 1, vars, r->parts[known].table)
			       ? r->in->status
			       : gpube__x3_defined(r, r->m->n_functions - 1);
	}
	values = evaluate(p, at, false, &cells);
	sorted = values ? gpube__x3_temp(r, cells, sizeof(*sorted)) : NULL;
	if (!sorted)
		return r->in->status;
	memcpy(sorted, values, (size_t)cells * sizeof(*sorted));
	n = gpube__x3_unique(sorted, cells);
	*value = sorted[0];
	if (n == 1)
		return GPUBE_OK;
	if (gpube__x3_hidden(r, "part", n, sorted, var))
		return r->in->status;
	vars[p->n] = *var;
	if (gpube__x3_define(r, p->n, vars, cells, values) ||
		gpube__x3_defined(r, r->m->n_functions - 1))
		return r->in->status;
	if (gpube__grow(
		    r->m->ctx, &r->parts, &r->parts_capacity, r->n_parts + 1, sizeof(*r->parts)))
		return gpube__x3_no_memory(r);
	r->parts[r->n_parts] = (struct gpube_x3_part){r->m->n_tables - 1, r->domain_of[*var]};
	return gpube__x3_know(r, GPUBE_X3_PARTS, key, (int32_t)r->n_parts++);
}

/*
 * The part becomes a number, or a variable that has its value: that of the same part before, if
 * there is one.
 */
static int reify(struct gpube_x3_parsed *p, int32_t at)
{
	struct gpube_x3 *r = p->r;
	const char *key;
	int64_t value = 0;
	int32_t var;
	int slot;

	if (gpube__x3_is_leaf(p, at))
		return GPUBE_OK;
	key = gpube__x3_key(p, at, true);
	var = key ? gpube__x3_known(r, GPUBE_X3_VALUES, key) : -1;
	if (r->in->status)
		return r->in->status;
	if (var < 0) {
		if (make_part(p, at, &var, &value))
			return r->in->status;
		if (var < 0) {
			p->e.nodes[at] = (struct gpube_expr_node){.op = GPUBE_OP_CONST,
				.value = {.kind = GPUBE_VALUE_INT, .i = value}};
			return GPUBE_OK;
		}
		key = gpube__x3_key(p, at, true);
		if (!key || gpube__x3_know(r, GPUBE_X3_VALUES, key, var))
			return r->in->status;
	}
	slot = gpube__x3_parsed_slot(p, var);
	if (slot < 0)
		return gpube__x3_no_memory(r);
	p->e.nodes[at] = (struct gpube_expr_node){.op = GPUBE_OP_SLOT, .a = slot};
	return GPUBE_OK;
}

static int fit(struct gpube_x3_parsed *p, int32_t at);

static void fit_part(struct gpube_x3_parsed *p, int32_t at)
{
	if (!p->r->in->status)
		fit(p, at);
}

static void reify_part(struct gpube_x3_parsed *p, int32_t at)
{
	if (!p->r->in->status)
		reify(p, at);
}

/* That with the most tuples, -1: all are leaves. */
static int32_t widest(struct gpube_x3_parsed *p, int32_t at)
{
	const struct gpube_expr_node n = *gpube__x3_node_at(p, at);
	int32_t parts[3] = {n.a, gpube__x3_has_second(n.op) ? n.b : -1,
		n.op == GPUBE_OP_COND ? n.c : -1},
		best = -1;
	int64_t most = 1;

	for (int k = 0; k < 3; k++) {
		int64_t cells;

		if (parts[k] < 0 || gpube__x3_is_leaf(p, parts[k]))
			continue;
		cells = gpube__x3_measure(p, parts[k]);
		if (cells >= most) {
			most = cells;
			best = parts[k];
		}
	}
	return best;
}

/* Until it has few tuples, or no parts are left that are not variables. */
static int fit(struct gpube_x3_parsed *p, int32_t at)
{
	int32_t part;

	if (gpube__x3_is_leaf(p, at) || gpube__x3_measure(p, at) <= PART_CELLS)
		return GPUBE_OK;
	gpube__x3_each_part(p, at, fit_part);
	if (gpube__x3_is_list(p, at))
		gpube__x3_each_part(p, at, reify_part);
	while (!gpube__x3_is_list(p, at) && !p->r->in->status &&
		gpube__x3_measure(p, at) > PART_CELLS && (part = widest(p, at)) >= 0)
		reify(p, part);
	return p->r->in->status;
}

/* ---- sums ------------------------------------------------------------------------------ */

/* A number, if the part is one. */
static bool constant_of(const struct gpube_x3_parsed *p, int32_t at, int64_t *v)
{
	const struct gpube_expr_node *n = gpube__x3_node_at(p, at);

	if (n->op == GPUBE_OP_NEG && constant_of(p, n->a, v) && *v > -INT64_MAX) {
		*v = -*v;
		return true;
	}
	*v = n->value.i;
	return n->op == GPUBE_OP_CONST && n->value.kind == GPUBE_VALUE_INT;
}

/* Adds the part, times a number, to the list; false if it is no sum of variables. */
static bool add_linear(struct gpube_x3_parsed *p, int32_t at, int64_t times,
	struct gpube_x3_list *list, struct gpube_x3_list *factors)
{
	const struct gpube_expr_node n = *gpube__x3_node_at(p, at);
	struct gpube_x3_term t = {.var = -1, .value = 1}, factor = {.var = -1, .value = times};
	int64_t v;

	switch (n.op) {
	case GPUBE_OP_NEG:
		return add_linear(p, n.a, -times, list, factors);
	case GPUBE_OP_ADD:
	case GPUBE_OP_SUB:
		return add_linear(p, n.a, times, list, factors) &&
		       add_linear(p, n.b, n.op == GPUBE_OP_SUB ? -times : times, list, factors);
	case GPUBE_OP_MUL:
		if (constant_of(p, n.a, &v))
			at = n.b;
		else if (constant_of(p, n.b, &v))
			at = n.a;
		else
			return false;
		return !__builtin_mul_overflow(times, v, &v) && v > -((int64_t)1 << 62) &&
		       v < (int64_t)1 << 62 && add_linear(p, at, v, list, factors);
	case GPUBE_OP_SLOT:
		t.var = p->slots[n.a].var;
		break;
	case GPUBE_OP_CONST:
		t.value = n.value.i;
		break;
	default:
		return false;
	}
	return !gpube__x3_push(p->r, list, t) && !gpube__x3_push(p->r, factors, factor);
}

/* left OP right as a sum; false if it is none. */
static bool post_linear(struct gpube_x3_parsed *p, const struct gpube_expr_node *n)
{
	static const enum gpube_x3_operator operators[] = {
		GPUBE_X3_EQ, GPUBE_X3_NE, GPUBE_X3_LT, GPUBE_X3_LE, GPUBE_X3_GT, GPUBE_X3_GE};
	struct gpube_x3_condition c = {.right = {.var = -1}};
	struct gpube_x3_list list = {0}, factors = {0};
	const int64_t *v;

	if (n->op < GPUBE_OP_EQ || n->op > GPUBE_OP_GE)
		return false;
	c.op = operators[n->op - GPUBE_OP_EQ];
	if (!add_linear(p, n->a, 1, &list, &factors) || !add_linear(p, n->b, -1, &list, &factors))
		return p->r->in->status != GPUBE_OK;
	v = gpube__x3_numbers(p->r, &factors);
	if (v)
		gpube__x3_add_sum(p->r, &list, v, &c);
	return true;
}

/* ---- constraints ----------------------------------------------------------------------- */

static int add_allowed(struct gpube_x3_parsed *p, int32_t at)
{
	struct gpube_x3 *r = p->r;
	const char *key = fit(p, at) ? NULL : gpube__x3_key(p, at, false);
	int64_t cells, *values;
	int32_t *vars, table;

	vars = key ? scope_of(p) : NULL;
	if (!vars)
		return r->in->status;
	table = p->n ? gpube__x3_known(r, GPUBE_X3_TABLES, key) : -1;
	if (table >= 0)
		return gpube__x3_add_again(r, p->n, vars, table);
	values = evaluate(p, at, true, &cells);
	for (int64_t k = 0; values && k < cells; k++)
		values[k] = values[k] ? 0 : GPUBE_INF;
	if (!values || gpube__x3_costs(r, p->n, vars, values) || !p->n)
		return r->in->status;
	return gpube__x3_know(r, GPUBE_X3_TABLES, key, r->m->n_tables - 1);
}

static int post(struct gpube_x3_parsed *p, int32_t at)
{
	const struct gpube_expr_node n = *gpube__x3_node_at(p, at);
	struct gpube_x3 *r = p->r;

	if (r->in->status)
		return r->in->status;
	if (n.op == GPUBE_OP_AND) {
		post(p, n.a);
		return post(p, n.b);
	}
	if (n.op == GPUBE_OP_SAME) { /* each with the next one */
		int32_t left = n.a;

		for (int32_t k = n.b, after; k >= 0 && !r->in->status; k = after) {
			struct gpube_expr_node *item = &p->e.nodes[k];
			const int32_t right = item->a;

			after = item->c;
			reify(p, left); /* it is in two of them */
			if (after >= 0)
				reify(p, right);
			p->e.nodes[k] =
				(struct gpube_expr_node){.op = GPUBE_OP_EQ, .a = left, .b = right};
			if (!r->in->status)
				post(p, k);
			left = right;
		}
		return r->in->status;
	}
	gpube__x3_measure(p, at);
	if (p->n > 2 && post_linear(p, &n))
		return r->in->status;
	return add_allowed(p, at);
}

int gpube__x3_post(struct gpube_x3 *r, const char *text, size_t n)
{
	struct gpube_x3_parsed p;

	if (!gpube__x3_parse(&p, r, text, n))
		post(&p, p.e.root);
	gpube__x3_parsed_clear(&p);
	return r->in->status;
}

int gpube__x3_expression(struct gpube_x3 *r, const char *text, size_t n, struct gpube_x3_term *t)
{
	struct gpube_x3_parsed p;
	int64_t cells;

	*t = (struct gpube_x3_term){.var = -1};
	if (!gpube__x3_parse(&p, r, text, n) && r->keeps_maps && p.n_slots == 1 &&
		!gpube__x3_is_leaf(&p, p.e.root)) {
		t->map = evaluate(&p, p.e.root, false, &cells);
		if (t->map && p.n == 1)
			t->var = p.slots[0].var;
		else if (t->map) /* the variable is there and does not matter: a number */
			t->value = t->map[0];
	} else if (!r->in->status && !fit(&p, p.e.root) && !reify(&p, p.e.root)) {
		const struct gpube_expr_node *root = gpube__x3_node_at(&p, p.e.root);

		if (root->op == GPUBE_OP_SLOT)
			t->var = p.slots[root->a].var;
		else
			t->value = root->value.i;
	}
	gpube__x3_parsed_clear(&p);
	return r->in->status;
}

/* ---- costs ----------------------------------------------------------------------------- */

static int add_cost(struct gpube_x3_parsed *p, int32_t at, int64_t times)
{
	const struct gpube_expr_node n = *gpube__x3_node_at(p, at);
	struct gpube_x3 *r = p->r;
	int64_t cells, *values, v, most = (int64_t)1 << 62;
	int32_t *vars;

	if (r->in->status)
		return r->in->status;
	if (n.op == GPUBE_OP_ADD || n.op == GPUBE_OP_SUB) {
		add_cost(p, n.a, times);
		return add_cost(p, n.b, n.op == GPUBE_OP_SUB ? -times : times);
	}
	if (n.op == GPUBE_OP_NEG)
		return add_cost(p, n.a, -times);
	if (n.op == GPUBE_OP_MUL && (constant_of(p, n.a, &v) || constant_of(p, n.b, &v)) &&
		!__builtin_mul_overflow(times, v, &v) && v > -INT64_MAX)
		return add_cost(p, constant_of(p, n.a, &cells) ? n.b : n.a, v);
	fit(p, at);
	if (r->weighted)
		most = GPUBE_X3_EXACT;
	values = r->in->status ? NULL : evaluate(p, at, false, &cells);
	vars = values ? scope_of(p) : NULL;
	if (!vars)
		return r->in->status;
	for (int64_t k = 0; k < cells; k++)
		if (__builtin_mul_overflow(values[k], times, &values[k]) || values[k] >= most ||
			values[k] <= -most)
			return gpube__in_fail(
				r->in, GPUBE_ERANGE, "a cost passes 2^%d", r->weighted ? 53 : 62);
	return gpube__x3_costs(r, p->n, vars, values);
}

int gpube__x3_cost(struct gpube_x3 *r, const char *text, size_t n, int64_t times)
{
	struct gpube_x3_parsed p;

	if (!gpube__x3_parse(&p, r, text, n))
		add_cost(&p, p.e.root, times);
	gpube__x3_parsed_clear(&p);
	return r->in->status;
}
