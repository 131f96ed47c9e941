/*
 * expr_python.c - the Python of pyDCOP's constraints: one expression, or a function's
 * body of several lines. See expr.h.
 *
 * Line breaks count only between statements; inside brackets they are blanks,
 * and so they are everywhere in a text that is one expression.
 */
#include "formats/expr/expr.h"

#include <ctype.h>
#include <string.h>

static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_0123456789";

struct parser {
	struct gpube_expr_parser base;
	int brackets; /* open ones */
	bool lines;   /* the text is a body */
};

/* ---- tokens ------------------------------------------------------------------------------ */

static void skip_blanks(struct parser *s)
{
	bool across = s->brackets > 0 || !s->lines;
	const char *p = s->base.p;

	for (;;) {
		p += strspn(p, across ? " \t\n\v\f\r" : " \t\v\f\r");
		if (*p == '\\' && p[1] == '\n')
			p += 2;
		else if (*p == '#')
			p += strcspn(p, "\n");
		else
			break;
	}
	s->base.p = p;
}

/* Passes an operator that no longer one begins with. */
static bool pass(struct parser *s, const char *op)
{
	size_t n = strlen(op);

	skip_blanks(s);
	if (strncmp(s->base.p, op, n) != 0)
		return false;
	if (n == 1 && strchr("*/", *op) && s->base.p[1] == *op)
		return false;
	if (n == 1 && strchr("<>=", *op) && s->base.p[1] == '=')
		return false;
	s->base.p += n;
	return true;
}

static bool pass_word(struct parser *s, const char *word)
{
	size_t n = strlen(word);

	skip_blanks(s);
	if (strspn(s->base.p, letters) != n || strncmp(s->base.p, word, n) != 0)
		return false;
	s->base.p += n;
	return true;
}

static int32_t unexpected(struct parser *s, const char *what)
{
	skip_blanks(s);
	if (!*s->base.p || *s->base.p == '\n')
		return gpube__expr_fail(&s->base, "expected %s, found the end", what);
	return gpube__expr_fail(&s->base, "expected %s, found '%.*s'", what,
		(int)strcspn(s->base.p, "\n") < 20 ? (int)strcspn(s->base.p, "\n") : 20, s->base.p);
}

static bool close_bracket(struct parser *s, const char *bracket)
{
	bool closed = pass(s, bracket);

	s->brackets--;
	if (!closed)
		unexpected(s, bracket[0] == ')' ? "')'" : "']'");
	return closed;
}

/* ---- expressions ---------------------------------------------------------------------------- */

static int32_t parse_expression(struct parser *s);
static int32_t parse_sum(struct parser *s);

static int32_t parse_string(struct parser *s)
{
	char quote = *s->base.p++;
	size_t n = strcspn(s->base.p, quote == '"' ? "\"\\\n" : "'\\\n");
	struct gpube_value v = {GPUBE_VALUE_TEXT, 0, 0, NULL};

	if (s->base.p[n] != quote)
		return gpube__expr_fail(&s->base, "a string without its end, or with a backslash");
	v.text = gpube__expr_text(&s->base, s->base.p, n);
	s->base.p += n + 1;
	return gpube__expr_constant(&s->base, v);
}

static int32_t parse_call(struct parser *s, const char *name)
{
	static const struct {
		const char *name;
		enum gpube_expr_op op;
		int least, most;
	} functions[] = {
		{"abs", GPUBE_OP_ABS, 1, 1},
		{"min", GPUBE_OP_MIN, 2, 1000},
		{"max", GPUBE_OP_MAX, 2, 1000},
		{"round", GPUBE_OP_ROUND, 1, 2},
		{"int", GPUBE_OP_INT, 1, 1},
		{"float", GPUBE_OP_FLOAT, 1, 1},
		{"pow", GPUBE_OP_POW, 2, 2},
	};
	const int n_functions = sizeof(functions) / sizeof(*functions);
	int32_t a = -1, b = -1;
	int f = 0, n = 0;

	while (f < n_functions && strcmp(functions[f].name, name) != 0)
		f++;
	if (f == n_functions)
		return gpube__expr_fail(&s->base, "function '%.40s' is not supported", name);
	s->brackets++;
	do {
		int32_t x = parse_expression(s);

		if (s->base.status)
			return -1;
		if (n == functions[f].most)
			return gpube__expr_fail(&s->base, "%s() takes at most %d argument%s", name,
				n, gpube__plural(n));
		if (n >= 2)
			a = gpube__expr_node(&s->base, functions[f].op, a, b, 0);
		*(n == 0 ? &a : &b) = x;
		n++;
	} while (pass(s, ","));
	if (n < functions[f].least)
		return gpube__expr_fail(&s->base, "%s() takes %d argument%s", name,
			functions[f].least, gpube__plural(functions[f].least));
	if (!close_bracket(s, ")"))
		return -1;
	return gpube__expr_node(&s->base, functions[f].op, a, b, 0);
}

static int32_t parse_name(struct parser *s)
{
	static const char *const reserved[] = {"if", "else", "elif", "and", "or", "not", "in", "is",
		"for", "while", "return", "lambda", "def", "import", NULL};
	char name[256];
	size_t n = strspn(s->base.p, letters);

	if (n >= sizeof(name))
		return gpube__expr_fail(&s->base, "a name of more than 255 letters");
	memcpy(name, s->base.p, n);
	name[n] = 0;
	for (int k = 0; reserved[k]; k++)
		if (strcmp(reserved[k], name) == 0)
			return unexpected(s, "an expression");
	s->base.p += n;
	if (*s->base.p == '.')
		return gpube__expr_fail(&s->base,
			"'%.40s.%.*s': modules and external functions are not supported", name,
			(int)strspn(s->base.p + 1, letters), s->base.p + 1);
	if (pass(s, "("))
		return parse_call(s, name);
	if (strcmp(name, "True") == 0 || strcmp(name, "False") == 0)
		return gpube__expr_constant(
			&s->base, (struct gpube_value){GPUBE_VALUE_INT, *name == 'T', 0, NULL});
	return gpube__expr_name(&s->base, name);
}

static int32_t parse_atom(struct parser *s)
{
	int32_t node;

	skip_blanks(s);
	if (strchr("0123456789", *s->base.p) && *s->base.p)
		return gpube__expr_number(&s->base);
	if (*s->base.p == '.' && isdigit((unsigned char)s->base.p[1]))
		return gpube__expr_number(&s->base);
	if (*s->base.p == '"' || *s->base.p == '\'')
		return parse_string(s);
	if (pass(s, "(")) {
		s->brackets++;
		node = parse_expression(s);
		return close_bracket(s, ")") ? node : -1;
	}
	if (strspn(s->base.p, letters))
		return parse_name(s);
	return unexpected(s, "an expression");
}

/* -2 ** 2 is -(2 ** 2), and 2 ** -1 is allowed. */
static int32_t parse_factor(struct parser *s)
{
	int32_t node;

	if (++s->base.depth > GPUBE_EXPR_DEPTH)
		return gpube__expr_fail(&s->base, "it is nested too deeply");
	if (pass(s, "-"))
		node = gpube__expr_node(&s->base, GPUBE_OP_NEG, parse_factor(s), 0, 0);
	else if (pass(s, "+"))
		node = parse_factor(s);
	else {
		node = parse_atom(s);
		if (!s->base.status && pass(s, "**"))
			node = gpube__expr_node(&s->base, GPUBE_OP_POW, node, parse_factor(s), 0);
	}
	s->base.depth--;
	return node;
}

static int32_t parse_product(struct parser *s)
{
	int32_t node = parse_factor(s);

	for (;;) {
		enum gpube_expr_op op;

		if (s->base.status)
			return -1;
		if (pass(s, "//"))
			op = GPUBE_OP_FLOOR_DIV;
		else if (pass(s, "*"))
			op = GPUBE_OP_MUL;
		else if (pass(s, "/"))
			op = GPUBE_OP_DIV;
		else if (pass(s, "%"))
			op = GPUBE_OP_FLOOR_MOD;
		else
			return node;
		node = gpube__expr_node(&s->base, op, node, parse_factor(s), 0);
	}
}

static int32_t parse_sum(struct parser *s)
{
	int32_t node = parse_product(s);

	while (!s->base.status) {
		bool plus = pass(s, "+");

		if (!plus && !pass(s, "-"))
			break;
		node = gpube__expr_node(
			&s->base, plus ? GPUBE_OP_ADD : GPUBE_OP_SUB, node, parse_product(s), 0);
	}
	return node;
}

/* a in [b, c]: a == b or a == c */
static int32_t parse_list(struct parser *s, int32_t a, bool negated)
{
	bool round = pass(s, "(");
	int32_t node = -1;

	if (!round && !pass(s, "["))
		return unexpected(s, "'[' or '('");
	s->brackets++;
	do {
		int32_t equal = gpube__expr_node(&s->base, GPUBE_OP_EQ, a, parse_expression(s), 0);

		node = node < 0 ? equal
				: gpube__expr_node(&s->base, GPUBE_OP_OR_ELSE, node, equal, 0);
	} while (!s->base.status && pass(s, ","));
	if (s->base.status || !close_bracket(s, round ? ")" : "]"))
		return -1;
	return negated ? gpube__expr_node(&s->base, GPUBE_OP_NOT, node, 0, 0) : node;
}

/* a < b <= c: a < b and b <= c */
static int32_t parse_comparison(struct parser *s)
{
	static const struct {
		const char *text;
		enum gpube_expr_op op;
	} ops[] = {{"==", GPUBE_OP_EQ}, {"!=", GPUBE_OP_NE}, {"<=", GPUBE_OP_LE},
		{">=", GPUBE_OP_GE}, {"<", GPUBE_OP_LT}, {">", GPUBE_OP_GT}};
	int32_t left = parse_sum(s), all = -1;

	while (!s->base.status) {
		const char *before;
		int32_t one, right = -1;
		int k = 0;

		while (k < 6 && !pass(s, ops[k].text))
			k++;
		before = s->base.p;
		if (k < 6) {
			right = parse_sum(s);
			one = gpube__expr_node(&s->base, ops[k].op, left, right, 0);
		} else if (pass_word(s, "in")) {
			one = parse_list(s, left, false);
		} else if (pass_word(s, "not") && pass_word(s, "in")) {
			one = parse_list(s, left, true);
		} else {
			s->base.p = before;
			break;
		}
		all = all < 0 ? one : gpube__expr_node(&s->base, GPUBE_OP_AND_THEN, all, one, 0);
		left = right;
		if (right < 0)
			break; /* nothing is chained after 'in' */
	}
	return all < 0 ? left : all;
}

static int32_t parse_not(struct parser *s)
{
	int32_t node;

	if (!pass_word(s, "not"))
		return parse_comparison(s);
	if (++s->base.depth > GPUBE_EXPR_DEPTH)
		return gpube__expr_fail(&s->base, "it is nested too deeply");
	node = gpube__expr_node(&s->base, GPUBE_OP_NOT, parse_not(s), 0, 0);
	s->base.depth--;
	return node;
}

static int32_t parse_and(struct parser *s)
{
	int32_t node = parse_not(s);

	while (!s->base.status && pass_word(s, "and"))
		node = gpube__expr_node(&s->base, GPUBE_OP_AND_THEN, node, parse_not(s), 0);
	return node;
}

static int32_t parse_or(struct parser *s)
{
	int32_t node = parse_and(s);

	while (!s->base.status && pass_word(s, "or"))
		node = gpube__expr_node(&s->base, GPUBE_OP_OR_ELSE, node, parse_and(s), 0);
	return node;
}

static int32_t parse_expression(struct parser *s)
{
	int32_t node, condition, otherwise;

	if (++s->base.depth > GPUBE_EXPR_DEPTH)
		return gpube__expr_fail(&s->base, "it is nested too deeply");
	node = parse_or(s);
	if (!s->base.status && pass_word(s, "if")) {
		condition = parse_or(s);
		if (!s->base.status && !pass_word(s, "else"))
			return unexpected(s, "'else'");
		otherwise = parse_expression(s);
		node = gpube__expr_node(&s->base, GPUBE_OP_COND, condition, node, otherwise);
	}
	s->base.depth--;
	return node;
}

/* ---- statements -------------------------------------------------------------------------------
 */

/* Passes empty lines; the indentation of the next one, -1 at the end. */
static int next_line(struct parser *s)
{
	for (;;) {
		const char *line = s->base.p;
		int n = 0;

		for (; *line == ' ' || *line == '\t'; line++)
			n += *line == '\t' ? 8 - n % 8 : 1;
		if (*line == '#')
			line += strcspn(line, "\n");
		if (*line == '\r')
			line++;
		if (*line && *line != '\n')
			return n;
		if (!*line)
			return -1;
		s->base.p = line + 1;
	}
}

static int32_t parse_block(struct parser *s, int indent);

/* What follows a colon: a statement on the line, or lines that are indented more. */
static int32_t parse_simple(struct parser *s);

static int32_t parse_suite(struct parser *s, int indent)
{
	int inner;

	if (!pass(s, ":"))
		return unexpected(s, "':'");
	skip_blanks(s);
	if (*s->base.p && *s->base.p != '\n')
		return parse_simple(s);
	s->base.p += *s->base.p == '\n';
	inner = next_line(s);
	if (inner <= indent)
		return gpube__expr_fail(&s->base, "expected an indented line after ':'");
	return parse_block(s, inner);
}

static int32_t parse_if(struct parser *s, int indent)
{
	int32_t condition = parse_expression(s), then, otherwise = -1;
	const char *before;

	if (s->base.status)
		return -1;
	if (++s->base.depth > GPUBE_EXPR_DEPTH)
		return gpube__expr_fail(&s->base, "it is nested too deeply");
	then = parse_suite(s, indent);
	before = s->base.p;
	if (!s->base.status && next_line(s) == indent) {
		if (pass_word(s, "elif"))
			otherwise = parse_if(s, indent);
		else if (pass_word(s, "else"))
			otherwise = parse_suite(s, indent);
		else
			s->base.p = before;
	}
	s->base.depth--;
	return gpube__expr_node(&s->base, GPUBE_OP_IF, condition, then, otherwise);
}

static int32_t end_line(struct parser *s, int32_t node)
{
	skip_blanks(s);
	if (!s->base.status && *s->base.p && *s->base.p != '\n')
		return unexpected(s, "the end of the line");
	s->base.p += *s->base.p == '\n';
	return node;
}

static int32_t parse_simple(struct parser *s)
{
	char name[256];
	size_t n;
	int32_t value, slot;

	if (pass_word(s, "pass"))
		return end_line(s, gpube__expr_node(&s->base, GPUBE_OP_PASS, 0, 0, 0));
	if (pass_word(s, "return")) {
		value = parse_expression(s);
		return end_line(s, gpube__expr_node(&s->base, GPUBE_OP_RETURN, value, 0, 0));
	}
	skip_blanks(s);
	n = strspn(s->base.p, letters);
	if (n == 0 || n >= sizeof(name))
		return unexpected(s, "a statement");
	memcpy(name, s->base.p, n);
	name[n] = 0;
	s->base.p += n;
	if (!pass(s, "="))
		return gpube__expr_fail(&s->base,
			"only if, return and assignments are supported, found '%.40s'", name);
	value = parse_expression(s);
	slot = gpube__expr_local(&s->base, name);
	return end_line(s, gpube__expr_node(&s->base, GPUBE_OP_ASSIGN, value, slot, 0));
}

static int32_t parse_block(struct parser *s, int indent)
{
	int32_t first = -1, last = -1, node, link;

	if (++s->base.depth > GPUBE_EXPR_DEPTH)
		return gpube__expr_fail(&s->base, "it is nested too deeply");
	while (!s->base.status && next_line(s) == indent) {
		node = pass_word(s, "if") ? parse_if(s, indent) : parse_simple(s);
		link = gpube__expr_node(&s->base, GPUBE_OP_SEQ, node, -1, 0);
		if (s->base.status)
			return -1;
		if (last >= 0)
			s->base.e->nodes[last].b = link;
		else
			first = link;
		last = link;
	}
	if (!s->base.status && next_line(s) > indent)
		return gpube__expr_fail(&s->base, "a line is indented more than the one before");
	s->base.depth--;
	return first;
}

/* Does some line begin with 'return', or 'if …:' stand in front? */
static bool is_body(const char *text)
{
	for (const char *p = text; (p = strstr(p, "return")) != NULL; p += 6)
		if ((p == text || !strchr(letters, p[-1])) && !(p[6] && strchr(letters, p[6])))
			return true;
	return false;
}

int gpube__expr_python(struct gpube_expr *e, struct gpube_ctx *ctx, const char *text,
	const struct gpube_expr_names *names)
{
	struct parser s = {.lines = is_body(text)};
	int32_t root;

	gpube__expr_start(&s.base, e, ctx, text, names);
	if (s.lines) {
		root = parse_block(&s, next_line(&s));
		if (!s.base.status && next_line(&s) >= 0)
			gpube__expr_fail(&s.base, "a line is indented less than the first");
	} else {
		root = parse_expression(&s);
		skip_blanks(&s);
		if (!s.base.status && *s.base.p)
			unexpected(&s, "the end");
	}
	return gpube__expr_finish(&s.base, root);
}
