/* expr.c - nodes of expressions, and their values. See expr.h. */
#include "formats/expr/expr.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- building ------------------------------------------------------------------------- */

int32_t gpube__expr_fail(struct gpube_expr_parser *p, const char *fmt, ...)
{
	va_list ap;

	if (p->status)
		return -1;
	va_start(ap, fmt);
	vsnprintf(p->e->error, sizeof(p->e->error), fmt, ap);
	va_end(ap);
	p->status = GPUBE_EPARSE;
	return -1;
}

void gpube__expr_start(struct gpube_expr_parser *p, struct gpube_expr *e, struct gpube_ctx *ctx,
	const char *text, const struct gpube_expr_names *names)
{
	memset(e, 0, sizeof(*e));
	e->ctx = ctx;
	e->first_local = names->max_slots;
	*p = (struct gpube_expr_parser){.e = e, .names = names, .p = text};
}

int gpube__expr_finish(struct gpube_expr_parser *p, int32_t root)
{
	p->e->root = root;
	return p->status;
}

static int32_t add_node(struct gpube_expr_parser *p, const struct gpube_expr_node *node)
{
	struct gpube_expr *e = p->e;

	if (p->status)
		return -1;
	if (e->n_nodes >= INT32_MAX)
		return gpube__expr_fail(p, "it is too long");
	if (gpube__grow(e->ctx, &e->nodes, &e->capacity, e->n_nodes + 1, sizeof(*e->nodes))) {
		p->status = GPUBE_ENOMEM;
		return -1;
	}
	e->nodes[e->n_nodes] = *node;
	return (int32_t)e->n_nodes++;
}

int32_t gpube__expr_node(
	struct gpube_expr_parser *p, enum gpube_expr_op op, int32_t a, int32_t b, int32_t c)
{
	return add_node(p, &(struct gpube_expr_node){.op = op, .a = a, .b = b, .c = c});
}

int32_t gpube__expr_constant(struct gpube_expr_parser *p, struct gpube_value v)
{
	return add_node(p, &(struct gpube_expr_node){.op = GPUBE_OP_CONST, .value = v});
}

void gpube__expr_item(struct gpube_expr_parser *p, int32_t item[2], int32_t a, int32_t b)
{
	const int32_t at = gpube__expr_node(p, GPUBE_OP_ITEM, a, b, -1);

	if (at < 0)
		return;
	if (item[1] >= 0)
		p->e->nodes[item[1]].c = at;
	else
		item[0] = at;
	item[1] = at;
}

const char *gpube__expr_text(struct gpube_expr_parser *p, const char *text, size_t n)
{
	struct gpube_expr *e = p->e;
	char *copy;

	if (p->status)
		return NULL;
	copy = gpube__alloc(e->ctx, n + 1, 1);
	if (!copy || gpube__grow(e->ctx, &e->texts, &e->texts_capacity, e->n_texts + 1,
			     sizeof(*e->texts))) {
		gpube__free(e->ctx, copy);
		p->status = GPUBE_ENOMEM;
		return NULL;
	}
	memcpy(copy, text, n);
	copy[n] = 0;
	return e->texts[e->n_texts++] = copy;
}

static int64_t find_local(const struct gpube_expr_parser *p, const char *name)
{
	const struct gpube_expr *e = p->e;
	int64_t k = p->visible;

	while (k < e->n_locals && strcmp(e->locals[k], name) != 0)
		k++;
	return k < e->n_locals ? k : -1;
}

int32_t gpube__expr_name(struct gpube_expr_parser *p, const char *name)
{
	struct gpube_value constant = {GPUBE_VALUE_INT, 0, 0, NULL};
	int64_t local = find_local(p, name);
	int slot;

	if (p->status)
		return -1;
	if (local >= 0)
		return gpube__expr_node(
			p, GPUBE_OP_SLOT, p->names->max_slots + (int32_t)local, 0, 0);
	slot = p->inside ? GPUBE_EXPR_UNKNOWN : p->names->find(p->names->arg, name, &constant);
	if (slot == GPUBE_EXPR_CONSTANT)
		return gpube__expr_constant(p, constant);
	if (slot == GPUBE_EXPR_UNKNOWN)
		return gpube__expr_fail(p, "'%.60s' is not known", name);
	if (slot < 0) {
		p->status = slot - GPUBE_EXPR_UNKNOWN;
		return -1;
	}
	return gpube__expr_node(p, GPUBE_OP_SLOT, slot, 0, 0);
}

int32_t gpube__expr_local(struct gpube_expr_parser *p, const char *name)
{
	struct gpube_expr *e = p->e;
	int64_t local = find_local(p, name);

	if (p->status || local >= 0)
		return p->status ? -1 : p->names->max_slots + (int32_t)local;
	if (gpube__grow(
		    e->ctx, &e->locals, &e->locals_capacity, e->n_locals + 1, sizeof(*e->locals)) ||
		!(e->locals[e->n_locals] = gpube__strdup(e->ctx, name))) {
		p->status = GPUBE_ENOMEM;
		return -1;
	}
	return p->names->max_slots + (int32_t)e->n_locals++;
}

int64_t gpube__expr_slots(const struct gpube_expr *e)
{
	return e->first_local + e->n_locals;
}

void gpube__expr_clear(struct gpube_expr *e)
{
	if (!e->ctx)
		return;
	for (int64_t k = 0; k < e->n_locals; k++)
		gpube__free(e->ctx, e->locals[k]);
	for (int64_t k = 0; k < e->n_texts; k++)
		gpube__free(e->ctx, e->texts[k]);
	GPUBE_FREE_ALL(e->ctx, e->locals, e->texts, e->nodes);
	memset(e, 0, sizeof(*e));
}

int32_t gpube__expr_number(struct gpube_expr_parser *p)
{
	struct gpube_value v = {GPUBE_VALUE_INT, 0, 0, NULL};
	size_t n = strspn(p->p, "0123456789");
	char text[64];

	if (strspn(p->p + n, ".eE") == 0) {
		for (size_t k = 0; k < n; k++)
			if (__builtin_mul_overflow(v.i, 10, &v.i) ||
				__builtin_add_overflow(v.i, p->p[k] - '0', &v.i))
				return gpube__expr_fail(p, "a number is too large");
		p->p += n;
		return gpube__expr_constant(p, v);
	}
	if (p->p[n] == '.')
		n += 1 + strspn(p->p + n + 1, "0123456789");
	if (p->p[n] == 'e' || p->p[n] == 'E') {
		size_t k = n + 1 + (p->p[n + 1] == '-' || p->p[n + 1] == '+');

		if (strspn(p->p + k, "0123456789"))
			n = k + strspn(p->p + k, "0123456789");
	}
	if (n >= sizeof(text))
		return gpube__expr_fail(p, "a number of more than %zu digits", sizeof(text));
	memcpy(text, p->p, n);
	text[n] = 0;
	v.kind = GPUBE_VALUE_REAL;
	if (!gpube__real(&v.r, text))
		return gpube__expr_fail(p, "'%.40s' is no number", text);
	p->p += n;
	return gpube__expr_constant(p, v);
}

/* ---- values ----------------------------------------------------------------------------- */

double gpube__value_real(const struct gpube_value *v)
{
	return v->kind == GPUBE_VALUE_INT ? (double)v->i : v->kind == GPUBE_VALUE_REAL ? v->r : NAN;
}

static struct gpube_value of_int(int64_t i)
{
	return (struct gpube_value){GPUBE_VALUE_INT, i, 0, NULL};
}

static struct gpube_value of_real(double r)
{
	return (struct gpube_value){GPUBE_VALUE_REAL, 0, r, NULL};
}

static bool is_number(const struct gpube_value *v)
{
	return v->kind == GPUBE_VALUE_INT || v->kind == GPUBE_VALUE_REAL;
}

static bool is_true(const struct gpube_value *v)
{
	if (v->kind == GPUBE_VALUE_TEXT)
		return *v->text != 0;
	if (!is_number(v))
		return v->i >= 0; /* it has an item */
	return v->kind == GPUBE_VALUE_INT ? v->i != 0 : v->r != 0;
}

/* What evaluation carries: whether a return has been met, and its value. */
struct run {
	struct gpube_expr *e;
	struct gpube_value *slots, result;
	bool returned;
};

static bool no_value(struct run *run, const char *why)
{
	snprintf(run->e->error, sizeof(run->e->error), "%s", why);
	return false;
}

static bool divides_by_zero(struct run *run)
{
	run->e->by_zero = true;
	return no_value(run, "division by 0");
}

static bool eval(struct run *run, int32_t at, struct gpube_value *v);

/* Python's ==; false: a failure. */
static bool equal(
	struct run *run, const struct gpube_value *a, const struct gpube_value *b, bool *same)
{
	int32_t i = (int32_t)a->i, j = (int32_t)b->i;
	struct gpube_value x, y;

	*same = false;
	if (is_number(a) && is_number(b))
		*same = a->kind == b->kind && a->kind == GPUBE_VALUE_INT
				? a->i == b->i
				: gpube__value_real(a) == gpube__value_real(b);
	else if (a->kind == GPUBE_VALUE_TEXT && b->kind == GPUBE_VALUE_TEXT)
		*same = strcmp(a->text, b->text) == 0;
	if (a->kind == GPUBE_VALUE_DICT || b->kind == GPUBE_VALUE_DICT)
		return no_value(run, "a dict is compared");
	if (a->kind != GPUBE_VALUE_LIST || b->kind != GPUBE_VALUE_LIST)
		return true;
	for (*same = true; *same && i >= 0 && j >= 0;
		i = run->e->nodes[i].c, j = run->e->nodes[j].c)
		if (!eval(run, run->e->nodes[i].a, &x) || !eval(run, run->e->nodes[j].a, &y) ||
			!equal(run, &x, &y, same))
			return false;
	*same = *same && i < 0 && j < 0;
	return true;
}

/* Integers stay integers. */
static bool arithmetic_int(struct run *run, enum gpube_expr_op op, int64_t a, int64_t b, int64_t *r)
{
	bool over = false;

	switch (op) {
	case GPUBE_OP_ADD:
		over = __builtin_add_overflow(a, b, r);
		break;
	case GPUBE_OP_SUB:
		over = __builtin_sub_overflow(a, b, r);
		break;
	case GPUBE_OP_MUL:
		over = __builtin_mul_overflow(a, b, r);
		break;
	case GPUBE_OP_POW:
		*r = 1;
		for (; b > 0 && !over; b >>= 1) {
			if (b & 1)
				over = __builtin_mul_overflow(*r, a, r);
			over = over || (b > 1 && __builtin_mul_overflow(a, a, &a));
		}
		break;
	default: /* divisions */
		if (b == 0)
			return divides_by_zero(run);
		if (a == INT64_MIN && b == -1)
			return no_value(run, "a number is too large");
		*r = op == GPUBE_OP_TRUNC_DIV || op == GPUBE_OP_FLOOR_DIV ? a / b : a % b;
		if (a % b != 0 && (a < 0) != (b < 0)) {
			*r -= op == GPUBE_OP_FLOOR_DIV;
			*r += op == GPUBE_OP_FLOOR_MOD ? b : 0;
		}
	}
	return over ? no_value(run, "a number is too large") : true;
}

static bool arithmetic_real(struct run *run, enum gpube_expr_op op, double a, double b, double *r)
{
	bool divides = op != GPUBE_OP_ADD && op != GPUBE_OP_SUB && op != GPUBE_OP_MUL &&
		       op != GPUBE_OP_POW;

	if (divides && b == 0)
		return divides_by_zero(run);
	switch (op) {
	case GPUBE_OP_ADD:
		*r = a + b;
		break;
	case GPUBE_OP_SUB:
		*r = a - b;
		break;
	case GPUBE_OP_MUL:
		*r = a * b;
		break;
	case GPUBE_OP_DIV:
		*r = a / b;
		break;
	case GPUBE_OP_POW:
		*r = pow(a, b);
		break;
	case GPUBE_OP_FLOOR_DIV:
		*r = floor(a / b);
		break;
	case GPUBE_OP_FLOOR_MOD:
		*r = fmod(a, b);
		*r += *r != 0 && (*r < 0) != (b < 0) ? b : 0;
		break;
	default:
		return no_value(run, "a division of integers has another operand");
	}
	return isfinite(*r) ? true : no_value(run, "a number is not finite");
}

static bool arithmetic(struct run *run, enum gpube_expr_op op, const struct gpube_value *a,
	const struct gpube_value *b, struct gpube_value *v)
{
	double r = 0;
	int64_t i = 0;

	if (!is_number(a) || !is_number(b))
		return no_value(run, "a text or list where a number is needed");
	if (a->kind == GPUBE_VALUE_INT && b->kind == GPUBE_VALUE_INT && op != GPUBE_OP_DIV &&
		!(op == GPUBE_OP_POW && b->i < 0)) {
		if (!arithmetic_int(run, op, a->i, b->i, &i))
			return false;
		*v = of_int(i);
		return true;
	}
	if (!arithmetic_real(run, op, gpube__value_real(a), gpube__value_real(b), &r))
		return false;
	*v = of_real(r);
	return true;
}

static bool compare(struct run *run, enum gpube_expr_op op, const struct gpube_value *a,
	const struct gpube_value *b, bool *v)
{
	double x = gpube__value_real(a), y = gpube__value_real(b);
	int c;

	if (op == GPUBE_OP_EQ || op == GPUBE_OP_NE) {
		if (!equal(run, a, b, v))
			return false;
		*v = *v == (op == GPUBE_OP_EQ);
		return true;
	}
	if (is_number(a) ? !is_number(b) : a->kind != GPUBE_VALUE_TEXT || b->kind != a->kind)
		return no_value(run, "a text or list is compared with a number");
	if (a->kind == GPUBE_VALUE_TEXT)
		c = strcmp(a->text, b->text);
	else if (a->kind == GPUBE_VALUE_INT && b->kind == GPUBE_VALUE_INT)
		c = (a->i > b->i) - (a->i < b->i);
	else
		c = (x > y) - (x < y);
	*v = op == GPUBE_OP_LT   ? c < 0
	     : op == GPUBE_OP_LE ? c <= 0
	     : op == GPUBE_OP_GT ? c > 0
				 : c >= 0;
	return true;
}

/* A double as an integer: round() to even, int() towards 0. */
static bool to_int(struct run *run, double r, struct gpube_value *v)
{
	if (!(fabs(r) < 0x1p63))
		return no_value(run, "a number is too large");
	*v = of_int((int64_t)r);
	return true;
}

static bool round_to(
	struct run *run, const struct gpube_value *a, int32_t digits, struct gpube_value *v)
{
	double r = gpube__value_real(a), unit = 1;
	struct gpube_value places;

	if (a->kind == GPUBE_VALUE_INT) {
		*v = *a;
		return true;
	}
	if (digits < 0)
		return to_int(run, nearbyint(r), v);
	if (!eval(run, digits, &places))
		return false;
	if (places.kind != GPUBE_VALUE_INT || places.i < 0 || places.i > 15)
		return no_value(run, "round() to other than 0 to 15 digits");
	for (int64_t k = 0; k < places.i; k++)
		unit *= 10;
	*v = of_real(nearbyint(r * unit) / unit);
	return true;
}

static bool unary(struct run *run, const struct gpube_expr_node *n, const struct gpube_value *a,
	struct gpube_value *v)
{
	struct gpube_value zero = of_int(0);
	bool negative;

	if (n->op == GPUBE_OP_NOT) {
		*v = of_int(!is_true(a));
		return true;
	}
	if (!is_number(a))
		return no_value(run, "a text or list where a number is needed");
	switch (n->op) {
	case GPUBE_OP_NEG:
		return arithmetic(run, GPUBE_OP_SUB, &zero, a, v);
	case GPUBE_OP_ABS:
		if (!compare(run, GPUBE_OP_LT, a, &zero, &negative))
			return false;
		*v = *a;
		return negative ? arithmetic(run, GPUBE_OP_SUB, &zero, a, v) : true;
	case GPUBE_OP_ROUND:
		return round_to(run, a, n->b, v);
	case GPUBE_OP_INT:
		if (a->kind == GPUBE_VALUE_REAL)
			return to_int(run, trunc(a->r), v);
		*v = *a;
		return true;
	default: /* float */
		*v = of_real(gpube__value_real(a));
		return true;
	}
}

static bool binary(struct run *run, const struct gpube_expr_node *n, const struct gpube_value *a,
	struct gpube_value *v)
{
	struct gpube_value b;
	bool yes;

	if (!eval(run, n->b, &b))
		return false;
	switch (n->op) {
	case GPUBE_OP_MIN:
	case GPUBE_OP_MAX:
		if (!compare(run, n->op == GPUBE_OP_MIN ? GPUBE_OP_LT : GPUBE_OP_GT, &b, a, &yes))
			return false;
		*v = yes ? b : *a;
		return true;
	case GPUBE_OP_EQ:
	case GPUBE_OP_NE:
	case GPUBE_OP_LT:
	case GPUBE_OP_LE:
	case GPUBE_OP_GT:
	case GPUBE_OP_GE:
		if (!compare(run, n->op, a, &b, &yes))
			return false;
		*v = of_int(yes);
		return true;
	default:
		return arithmetic(run, n->op, a, &b, v);
	}
}

static bool are_constant(const struct gpube_expr *e, int32_t item);

static bool is_constant(const struct gpube_expr *e, int32_t at)
{
	const struct gpube_expr_node *n = &e->nodes[at];

	if (n->op == GPUBE_OP_NEG)
		return is_constant(e, n->a);
	return n->op == GPUBE_OP_CONST ||
	       ((n->op == GPUBE_OP_LIST || n->op == GPUBE_OP_DICT) && are_constant(e, n->a));
}

static bool are_constant(const struct gpube_expr *e, int32_t item)
{
	while (item >= 0 && is_constant(e, e->nodes[item].a) &&
		(e->nodes[item].b < 0 || is_constant(e, e->nodes[item].b)))
		item = e->nodes[item].c;
	return item < 0;
}

/* Statements; 'v' is not theirs. A long sequence leans to the right: a loop, not recursion. */
static bool execute(struct run *run, int32_t at)
{
	struct gpube_value v;

	while (at >= 0 && !run->returned) {
		const struct gpube_expr_node *n = &run->e->nodes[at];

		at = -1;
		switch (n->op) {
		case GPUBE_OP_SEQ:
			if (!execute(run, n->a))
				return false;
			at = n->b;
			break;
		case GPUBE_OP_IF:
			if (!eval(run, n->a, &v))
				return false;
			at = is_true(&v) ? n->b : n->c;
			break;
		case GPUBE_OP_ASSIGN:
			if (!eval(run, n->a, &v))
				return false;
			/* its items are computed where they are read */
			if (!is_number(&v) && v.kind != GPUBE_VALUE_TEXT &&
				!are_constant(run->e, (int32_t)v.i))
				return no_value(run, "a list or dict that a name stands for has "
						     "items that are no "
						     "constants");
			run->slots[n->b] = v;
			break;
		case GPUBE_OP_RETURN:
			if (!eval(run, n->a, &run->result))
				return false;
			run->returned = true;
			break;
		default:
			break;
		}
	}
	return true;
}

/* Is 'a' one of the items from 'at' on, or all of them? */
static bool compare_items(
	struct run *run, int32_t at, bool any, const struct gpube_value *a, struct gpube_value *v)
{
	struct gpube_value item;
	bool same;

	*v = of_int(!any);
	for (; at >= 0; at = run->e->nodes[at].c) {
		if (!eval(run, run->e->nodes[at].a, &item) || !equal(run, a, &item, &same))
			return false;
		if (same == any) {
			*v = of_int(any);
			return true;
		}
	}
	return true;
}

static bool is_member(struct run *run, const struct gpube_expr_node *n, const struct gpube_value *a,
	struct gpube_value *v)
{
	struct gpube_value b;

	if (!eval(run, n->b, &b))
		return false;
	if (b.kind == GPUBE_VALUE_LIST || b.kind == GPUBE_VALUE_DICT)
		return compare_items(run, (int32_t)b.i, true, a, v);
	if (a->kind != GPUBE_VALUE_TEXT || b.kind != GPUBE_VALUE_TEXT)
		return no_value(run, "'in' something that is no list, dict or text");
	*v = of_int(strstr(b.text, a->text) != NULL);
	return true;
}

/* The last of equal keys counts. */
static bool look_up(struct run *run, const struct gpube_expr_node *n, const struct gpube_value *a,
	struct gpube_value *v)
{
	int32_t found = n->c, at = (int32_t)a->i;
	struct gpube_value index, key;
	int64_t length = 0;
	bool same;

	if (!eval(run, n->b, &index))
		return false;
	for (int32_t k = at; a->kind == GPUBE_VALUE_LIST && k >= 0; k = run->e->nodes[k].c)
		length++;
	if (a->kind == GPUBE_VALUE_LIST) {
		if (index.kind != GPUBE_VALUE_INT || index.i >= length || index.i < -length)
			return no_value(run, "an index that the list has not");
		for (int64_t k = index.i < 0 ? index.i + length : index.i; k > 0; k--)
			at = run->e->nodes[at].c;
		return eval(run, run->e->nodes[at].a, v);
	}
	if (a->kind != GPUBE_VALUE_DICT)
		return no_value(run, "an index of something that is no list or dict");
	for (; at >= 0; at = run->e->nodes[at].c) {
		if (!eval(run, run->e->nodes[at].a, &key) || !equal(run, &index, &key, &same))
			return false;
		if (same)
			found = run->e->nodes[at].b;
	}
	return found >= 0 ? eval(run, found, v) : no_value(run, "a key that the dict has not");
}

static bool call(struct run *run, const struct gpube_expr_node *n, struct gpube_value *v)
{
	struct run inner = {.e = run->e, .slots = run->slots};

	for (int32_t at = n->b; at >= 0; at = run->e->nodes[at].c)
		if (!eval(run, run->e->nodes[at].a, &run->slots[run->e->nodes[at].b]))
			return false;
	if (!execute(&inner, n->a))
		return false;
	*v = inner.result;
	return inner.returned || no_value(run, "nothing is returned");
}

/* The second operand has a value only where it matters. */
static bool logical(struct run *run, const struct gpube_expr_node *n, const struct gpube_value *a,
	struct gpube_value *v)
{
	const bool first = is_true(a), both = n->op == GPUBE_OP_AND || n->op == GPUBE_OP_AND_THEN;
	const bool open = n->op == GPUBE_OP_XOR || n->op == GPUBE_OP_IFF || first == both;

	*v = *a;
	if (open && !eval(run, n->b, v))
		return false;
	if (n->op == GPUBE_OP_XOR || n->op == GPUBE_OP_IFF)
		*v = of_int((first != is_true(v)) == (n->op == GPUBE_OP_XOR));
	else if (n->op == GPUBE_OP_AND || n->op == GPUBE_OP_OR)
		*v = of_int(is_true(v));
	return true;
}

static bool eval(struct run *run, int32_t at, struct gpube_value *v)
{
	const struct gpube_expr_node *n = &run->e->nodes[at];
	struct gpube_value a;

	if (n->op == GPUBE_OP_CONST || n->op == GPUBE_OP_SLOT) {
		*v = n->op == GPUBE_OP_CONST ? n->value : run->slots[n->a];
		return v->kind != GPUBE_VALUE_NONE ||
		       no_value(run, "a name is used before it is assigned to");
	}
	if (n->op == GPUBE_OP_LIST || n->op == GPUBE_OP_DICT) {
		*v = of_int(n->a);
		v->kind = n->op == GPUBE_OP_LIST ? GPUBE_VALUE_LIST : GPUBE_VALUE_DICT;
		return true;
	}
	if (n->op == GPUBE_OP_CALL)
		return call(run, n, v);
	if (!eval(run, n->a, &a))
		return false;
	if (n->op == GPUBE_OP_AT)
		return look_up(run, n, &a, v);
	if (n->op == GPUBE_OP_MEMBER)
		return is_member(run, n, &a, v);
	if (n->op == GPUBE_OP_COND)
		return eval(run, is_true(&a) ? n->b : n->c, v);
	if (n->op == GPUBE_OP_IN || n->op == GPUBE_OP_SAME)
		return compare_items(run, n->b, n->op == GPUBE_OP_IN, &a, v);
	if (n->op >= GPUBE_OP_AND && n->op <= GPUBE_OP_OR_ELSE)
		return logical(run, n, &a, v);
	return n->op <= GPUBE_OP_FLOAT ? unary(run, n, &a, v) : binary(run, n, &a, v);
}

bool gpube__expr_eval(struct gpube_expr *e, struct gpube_value *slots, struct gpube_value *result)
{
	struct run run = {.e = e, .slots = slots};

	e->by_zero = false;
	for (int64_t k = 0; k < e->n_locals; k++)
		slots[e->first_local + k].kind = GPUBE_VALUE_NONE;
	if (e->nodes[e->root].op < GPUBE_OP_SEQ)
		return eval(&run, e->root, result);
	if (!execute(&run, e->root))
		return false;
	if (!run.returned)
		return no_value(&run, "nothing is returned");
	*result = run.result;
	return true;
}
