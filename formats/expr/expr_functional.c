/*
 * expr_functional.c - The functional notation of XCSP 2.1 and 3, or(eq(X0,1),lt(X1,X2)). See
 * expr.h.
 */
#include "formats/expr/expr.h"

#include <string.h>

/*
 * How a function's arguments become nodes: one node of the first ones; a balanced tree of many, so
 * that none is deep; two as one node and more as a list; or what make() makes.
 */
enum form { PLAIN, TREE, LIST };

static const struct function {
	const char *name;
	enum gpube_expr_op op;
	int least, most; /* arguments, 0: any number */
	enum form form;
} functions[] = {
	{"neg", GPUBE_OP_NEG, 1, 1, PLAIN},
	{"abs", GPUBE_OP_ABS, 1, 1, PLAIN},
	{"add", GPUBE_OP_ADD, 2, 0, TREE},
	{"sub", GPUBE_OP_SUB, 2, 2, PLAIN},
	{"mul", GPUBE_OP_MUL, 2, 0, TREE},
	{"div", GPUBE_OP_TRUNC_DIV, 2, 2, PLAIN},
	{"mod", GPUBE_OP_TRUNC_MOD, 2, 2, PLAIN},
	{"pow", GPUBE_OP_POW, 2, 2, PLAIN},
	{"sqr", GPUBE_OP_POW, 1, 1, PLAIN},
	{"dist", GPUBE_OP_SUB, 2, 2, PLAIN},
	{"min", GPUBE_OP_MIN, 2, 0, TREE},
	{"max", GPUBE_OP_MAX, 2, 0, TREE},
	{"eq", GPUBE_OP_EQ, 2, 0, LIST},
	{"ne", GPUBE_OP_NE, 2, 2, PLAIN},
	{"lt", GPUBE_OP_LT, 2, 2, PLAIN},
	{"le", GPUBE_OP_LE, 2, 2, PLAIN},
	{"gt", GPUBE_OP_GT, 2, 2, PLAIN},
	{"ge", GPUBE_OP_GE, 2, 2, PLAIN},
	{"not", GPUBE_OP_NOT, 1, 1, PLAIN},
	{"and", GPUBE_OP_AND, 2, 0, TREE},
	{"or", GPUBE_OP_OR, 2, 0, TREE},
	{"xor", GPUBE_OP_XOR, 2, 0, TREE},
	{"iff", GPUBE_OP_IFF, 2, 0, LIST},
	{"imp", GPUBE_OP_OR, 2, 2, PLAIN},
	{"if", GPUBE_OP_COND, 3, 3, PLAIN},
	{NULL, GPUBE_OP_PASS, 0, 0, PLAIN},
};

static void skip_blanks(struct gpube_expr_parser *p)
{
	p->p += strspn(p->p, " \t\n\v\f\r");
}

static int32_t parse(struct gpube_expr_parser *p);

static bool pass(struct gpube_expr_parser *p, char c)
{
	skip_blanks(p);
	if (*p->p != c)
		return false;
	p->p++;
	return true;
}

/* Passes what must be there; false after a failure. */
static bool need(struct gpube_expr_parser *p, char c)
{
	if (!p->status && !pass(p, c))
		gpube__expr_fail(p, "expected '%c', found '%.20s'", c, p->p);
	return !p->status;
}

/* What has been read of a function's arguments. */
struct arguments {
	int n;
	int32_t first[3];
	int32_t item[2];  /* all but the first */
	int32_t tree[32]; /* of 2^k of them, by k; -1: none */
};

/* Trees of equally many arguments become one, so that none is deep. */
static void add_to_tree(
	struct gpube_expr_parser *p, enum gpube_expr_op op, struct arguments *a, int32_t x)
{
	int k = 0;

	for (; k < 31 && a->tree[k] >= 0; k++) {
		x = gpube__expr_node(p, op, a->tree[k], x, 0);
		a->tree[k] = -1;
	}
	a->tree[k] = x;
}

static void add_argument(
	struct gpube_expr_parser *p, const struct function *f, struct arguments *a, int32_t x)
{
	if (f->form == TREE) {
		add_to_tree(p, f->op, a, x);
	} else if (f->form == LIST) {
		if (f->op == GPUBE_OP_IFF) /* equal as truths */
			x = gpube__expr_node(p, GPUBE_OP_NOT, x, 0, 0);
		if (a->n == 0)
			a->first[0] = x;
		else
			gpube__expr_item(p, a->item, x, -1);
	} else {
		a->first[a->n] = x;
	}
	a->n++;
}

static int32_t constant(struct gpube_expr_parser *p, int64_t i)
{
	return gpube__expr_constant(p, (struct gpube_value){GPUBE_VALUE_INT, i, 0, NULL});
}

static int32_t make_call(struct gpube_expr_parser *p, const struct function *f, struct arguments *a)
{
	int32_t node = -1;

	if (f->form == TREE) {
		for (int k = 0; k < 32; k++)
			if (a->tree[k] >= 0)
				node = node < 0 ? a->tree[k]
						: gpube__expr_node(p, f->op, a->tree[k], node, 0);
		return node;
	}
	if (f->form == LIST && a->n == 2)
		return gpube__expr_node(
			p, GPUBE_OP_EQ, a->first[0], p->status ? -1 : p->e->nodes[a->item[0]].a, 0);
	if (f->form == LIST)
		return gpube__expr_node(p, GPUBE_OP_SAME, a->first[0], a->item[0], 0);
	if (strcmp(f->name, "sqr") == 0)
		a->first[1] = constant(p, 2);
	if (strcmp(f->name, "imp") == 0)
		a->first[0] = gpube__expr_node(p, GPUBE_OP_NOT, a->first[0], 0, 0);
	node = gpube__expr_node(p, f->op, a->first[0], a->first[1], a->first[2]);
	return strcmp(f->name, "dist") == 0 ? gpube__expr_node(p, GPUBE_OP_ABS, node, 0, 0) : node;
}

static int32_t parse_call(struct gpube_expr_parser *p, const struct function *f)
{
	struct arguments a = {.first = {-1, -1, -1}, .item = {-1, -1}};

	memset(a.tree, 0xff, sizeof(a.tree));
	do {
		int32_t x = parse(p);

		if (p->status)
			return -1;
		if (f->most && a.n == f->most)
			return gpube__expr_fail(p, "%s() takes %d argument%s", f->name, f->most,
				gpube__plural(f->most));
		add_argument(p, f, &a, x);
	} while (!p->status && pass(p, ','));
	if (p->status)
		return -1;
	if (a.n < f->least)
		return gpube__expr_fail(p, "%s() takes %d argument%s, not %d", f->name, f->least,
			gpube__plural(f->least), a.n);
	return need(p, ')') ? make_call(p, f, &a) : -1;
}

/* in(x,set(1,2,y)), or notin */
static int32_t parse_in(struct gpube_expr_parser *p, bool in)
{
	int32_t item[2] = {-1, -1}, x = parse(p);

	if (!need(p, ','))
		return -1;
	skip_blanks(p);
	if (strncmp(p->p, "set(", 4) != 0)
		return gpube__expr_fail(p, "expected set(, found '%.20s'", p->p);
	p->p += 4;
	if (!pass(p, ')')) {
		do {
			gpube__expr_item(p, item, parse(p), -1);
		} while (!p->status && pass(p, ','));
		need(p, ')');
	}
	if (!need(p, ')'))
		return -1;
	x = gpube__expr_node(p, GPUBE_OP_IN, x, item[0], 0);
	return in ? x : gpube__expr_node(p, GPUBE_OP_NOT, x, 0, 0);
}

static int32_t parse_name(struct gpube_expr_parser *p)
{
	/* the byte 1 begins names that a reader makes: no file has it */
	static const char letters[] =
		"\001abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_0123456789.-[]";
	const struct function *f = functions;
	char name[320];
	size_t n = strspn(p->p, letters);

	if (n == 0 || n >= sizeof(name))
		return gpube__expr_fail(
			p, "expected an expression, found '%.20s'", *p->p ? p->p : "the end");
	memcpy(name, p->p, n);
	name[n] = 0;
	p->p += n;
	if (!pass(p, '(')) {
		bool yes = strcmp(name, "true") == 0;

		if (yes || strcmp(name, "false") == 0)
			return gpube__expr_constant(
				p, (struct gpube_value){GPUBE_VALUE_INT, yes, 0, NULL});
		return gpube__expr_name(p, name);
	}
	if (strcmp(name, "in") == 0 || strcmp(name, "notin") == 0)
		return parse_in(p, *name == 'i');
	while (f->name && strcmp(f->name, name) != 0)
		f++;
	if (!f->name)
		return gpube__expr_fail(p, "function '%.40s' is not known", name);
	return parse_call(p, f);
}

static int32_t parse(struct gpube_expr_parser *p)
{
	int32_t node;

	if (++p->depth > GPUBE_EXPR_DEPTH)
		return gpube__expr_fail(p, "it is nested too deeply");
	skip_blanks(p);
	if (*p->p == '-' && strspn(p->p + 1, "0123456789")) {
		p->p++;
		node = gpube__expr_node(p, GPUBE_OP_NEG, gpube__expr_number(p), 0, 0);
	} else if (strspn(p->p, "0123456789"))
		node = gpube__expr_number(p);
	else
		node = parse_name(p);
	p->depth--;
	return node;
}

int gpube__expr_functional(struct gpube_expr *e, struct gpube_ctx *ctx, const char *text,
	const struct gpube_expr_names *names)
{
	struct gpube_expr_parser p;
	int32_t root;

	gpube__expr_start(&p, e, ctx, text, names);
	root = parse(&p);
	skip_blanks(&p);
	if (*p.p)
		gpube__expr_fail(&p, "expected the end, found '%.20s'", p.p);
	return gpube__expr_finish(&p, root);
}
