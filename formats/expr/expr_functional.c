/* expr_functional.c - XCSP 2.1's functional notation, or(eq(X0,1),lt(X1,X2)). See expr.h. */
#include "formats/expr/expr.h"

#include <string.h>

static const struct function {
	const char *name;
	enum gpube_expr_op op;
	int least, most; /* arguments; those with more than two are folded */
} functions[] = {
	{"neg", GPUBE_OP_NEG, 1, 1},
	{"abs", GPUBE_OP_ABS, 1, 1},
	{"add", GPUBE_OP_ADD, 2, 2},
	{"sub", GPUBE_OP_SUB, 2, 2},
	{"mul", GPUBE_OP_MUL, 2, 2},
	{"div", GPUBE_OP_TRUNC_DIV, 2, 2},
	{"mod", GPUBE_OP_TRUNC_MOD, 2, 2},
	{"pow", GPUBE_OP_POW, 2, 2},
	{"min", GPUBE_OP_MIN, 2, 1000},
	{"max", GPUBE_OP_MAX, 2, 1000},
	{"eq", GPUBE_OP_EQ, 2, 2},
	{"ne", GPUBE_OP_NE, 2, 2},
	{"lt", GPUBE_OP_LT, 2, 2},
	{"le", GPUBE_OP_LE, 2, 2},
	{"gt", GPUBE_OP_GT, 2, 2},
	{"ge", GPUBE_OP_GE, 2, 2},
	{"not", GPUBE_OP_NOT, 1, 1},
	{"and", GPUBE_OP_AND, 2, 1000},
	{"or", GPUBE_OP_OR, 2, 1000},
	{"xor", GPUBE_OP_XOR, 2, 2},
	{"iff", GPUBE_OP_IFF, 2, 2},
	{"if", GPUBE_OP_COND, 3, 3},
	{NULL, GPUBE_OP_PASS, 0, 0},
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

static int32_t parse_call(struct gpube_expr_parser *p, const struct function *f)
{
	int32_t a[3] = {-1, -1, -1};
	int n = 0;

	do {
		int32_t x = parse(p);

		if (p->status)
			return -1;
		if (n == f->most)
			return gpube__expr_fail(p, "%s() takes %d arguments", f->name, f->most);
		if (n >= 2 && f->most > 3)
			a[0] = gpube__expr_node(p, f->op, a[0], a[1], 0);
		a[n < 2 || f->most == 3 ? n : 1] = x;
		n++;
	} while (pass(p, ','));
	if (n < f->least)
		return gpube__expr_fail(p, "%s() takes %d arguments, not %d", f->name, f->least, n);
	if (!pass(p, ')'))
		return gpube__expr_fail(p, "expected ')', found '%.20s'", p->p);
	return gpube__expr_node(p, f->op, a[0], a[1], a[2]);
}

static int32_t parse_name(struct gpube_expr_parser *p)
{
	static const char letters[] =
		"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_0123456789.-[]";
	const struct function *f = functions;
	char name[128];
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
